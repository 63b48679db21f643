//! Which block a slot lies in.

use super::Metric;

/// The smallest number of slots a table's blocks may have.
pub const SMALLEST_BLOCK_SLOTS: u32 = 64;

/// The largest number of slots a table's blocks may have.
pub const LARGEST_BLOCK_SLOTS: u32 = 1 << 22;

/// The number of slots a block of values has unless there is a reason for another: see
/// [`Metric::block_slots`].
pub const DEFAULT_BLOCK_SLOTS: u32 = 1 << 15;

/// The largest number of slots a table may have.
pub const MOST_SLOTS: u64 = 1 << 40;

// What makes the multiplication in `Geometry::place` exact.
const _: () = assert!((MOST_SLOTS as u128) * (LARGEST_BLOCK_SLOTS as u128) < 1 << 64);

/// Where a slot lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The number of its block.
    pub(crate) block: u64,
    /// Its number in the block.
    pub(crate) within: usize,
}

/// A number of slots cut into blocks of one length; only the last may be shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    metric: Metric,
    slots: u64,
    block_slots: u32,
    /// 2^64 / `block_slots`, rounded up.
    reciprocal: u64,
}

impl Geometry {
    /// The geometry, if the numbers are within their limits.
    pub(crate) fn new(metric: Metric, slots: u64, block_slots: u32) -> Option<Self> {
        let fits = (SMALLEST_BLOCK_SLOTS..=LARGEST_BLOCK_SLOTS).contains(&block_slots)
            && slots <= MOST_SLOTS;
        fits.then(|| Self {
            metric,
            slots,
            block_slots,
            reciprocal: (u64::MAX / u64::from(block_slots)) + 1,
        })
    }

    /// The number of slots.
    pub(crate) fn slots(&self) -> u64 {
        self.slots
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> u64 {
        self.slots.div_ceil(u64::from(self.block_slots))
    }

    /// Where `slot` lies, if there is such a slot.
    #[inline]
    pub(crate) fn place(&self, slot: u64) -> Option<Place> {
        (slot < self.slots).then(|| {
            // The quotient by a multiplication: the reciprocal is too large by less than
            // `block_slots` / 2^64, which a slot below `MOST_SLOTS` cannot make felt.
            let block = ((u128::from(slot) * u128::from(self.reciprocal)) >> 64) as u64;
            let within = (slot - block * u64::from(self.block_slots)) as usize;
            Place { block, within }
        })
    }

    /// How many slots block `block` has; 0 where there is no such block.
    pub(crate) fn slots_of(&self, block: u64) -> usize {
        let before = block.saturating_mul(self.block_slots.into());
        let left = self.slots.saturating_sub(before);
        left.min(self.block_slots.into()) as usize
    }

    /// How many decoded bytes a whole block has.
    pub(crate) fn whole_block_len(&self) -> usize {
        self.metric.unpacked_len(self.block_slots as usize)
    }

    /// How many decoded bytes block `block` has; 0 where there is no such block.
    pub(crate) fn len_of(&self, block: u64) -> usize {
        self.metric.unpacked_len(self.slots_of(block))
    }

    /// How many decoded bytes all blocks have.
    pub(crate) fn len(&self) -> u64 {
        match self.blocks().checked_sub(1) {
            Some(last) => last * self.whole_block_len() as u64 + self.len_of(last) as u64,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn limits_are_kept() {
        for (slots, block_slots, fits) in [
            (0, 64, true),
            (MOST_SLOTS, LARGEST_BLOCK_SLOTS, true),
            (MOST_SLOTS + 1, 64, false),
            (1, 63, false),
            (1, 0, false),
            (1, LARGEST_BLOCK_SLOTS + 1, false),
        ] {
            assert_eq!(
                Geometry::new(Metric::Values, slots, block_slots).is_some(),
                fits
            );
        }
    }

    #[test]
    fn blocks_share_the_slots_out() {
        for (slots, blocks, last, len) in [
            (0, 0, 0, 0),
            (1, 1, 1, 1),
            (99, 1, 99, 20),
            (100, 1, 100, 20),
            (101, 2, 1, 21),
            (250, 3, 50, 50),
        ] {
            let geometry = Geometry::new(Metric::Values, slots, 100).unwrap();
            assert_eq!(geometry.blocks(), blocks);
            assert_eq!(geometry.slots_of(blocks.saturating_sub(1)), last);
            assert_eq!(geometry.slots_of(blocks), 0);
            assert_eq!(geometry.slots_of(u64::MAX), 0);
            assert_eq!(geometry.len(), len);
            let grades = Geometry::new(Metric::Grades, slots, 100).unwrap();
            assert_eq!((grades.len(), grades.blocks()), (slots, blocks));
            assert_eq!(geometry.place(slots), None);
        }
    }

    proptest! {
        #[test]
        fn places_are_quotient_and_remainder(
            block_slots in SMALLEST_BLOCK_SLOTS..=LARGEST_BLOCK_SLOTS,
            slot in 0..MOST_SLOTS,
            step in 0u64..3,
        ) {
            let geometry = Geometry::new(Metric::Values, MOST_SLOTS, block_slots).unwrap();
            let size = u64::from(block_slots);
            // Also next to a border between blocks, where an inexact quotient would show.
            for slot in [slot, (slot / size * size + step).saturating_sub(1)] {
                let Some(place) = geometry.place(slot) else {
                    prop_assert!(slot >= MOST_SLOTS);
                    continue;
                };
                prop_assert_eq!(place.block, slot / size);
                prop_assert_eq!(place.within as u64, slot % size);
            }
        }
    }
}
