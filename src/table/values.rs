//! A whole table in memory.

use std::ops::Range;

use crate::rules::Value;
use crate::table::Counts;
use crate::table::codec::{UNPACKED, VALUES_PER_BYTE, value_in};
use crate::table::geometry::Geometry;

/// The values of all slots of a table, packed five to a byte.
#[derive(Clone)]
pub struct Values {
    geometry: Geometry,
    /// Block after block, each from a byte of its own on.
    packed: Box<[u8]>,
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values")
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}

impl Values {
    /// Values out of decoded blocks, as many bytes as the geometry says.
    pub(crate) fn new(geometry: Geometry, packed: Box<[u8]>) -> Self {
        debug_assert_eq!(packed.len() as u64, geometry.len());
        Self { geometry, packed }
    }

    /// The number of slots.
    pub fn len(&self) -> u64 {
        self.geometry.slots()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes of memory the values take.
    pub fn bytes(&self) -> usize {
        self.packed.len()
    }

    /// The value of a slot.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    pub fn get(&self, slot: u64) -> Value {
        let place = self
            .geometry
            .place(slot)
            .unwrap_or_else(|| panic!("slot {slot} of {}", self.len()));
        let start = place.block as usize * self.geometry.whole_block_len();
        value_in(&self.packed[start..], place.within)
    }

    /// How many of these slots have each value.
    ///
    /// # Panics
    /// When there are no such slots.
    pub fn counts(&self, slots: Range<u64>) -> Counts {
        let mut counts = Counts::default();
        let mut start = slots.start;
        while start < slots.end {
            let place = self
                .geometry
                .place(start)
                .unwrap_or_else(|| panic!("slot {start} of {}", self.len()));
            let left = self.geometry.slots_of(place.block) - place.within;
            let len = (slots.end - start).min(left as u64) as usize;
            let block = place.block as usize * self.geometry.whole_block_len();
            counts += counts_in(&self.packed[block..], place.within..place.within + len);
            start += len as u64;
        }
        counts
    }

    /// The values of all slots in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let blocks = self.packed.chunks(self.geometry.whole_block_len());
        blocks.zip(0..).flat_map(|(packed, block)| {
            packed
                .iter()
                .flat_map(|&byte| UNPACKED[usize::from(byte)])
                .take(self.geometry.slots_of(block))
        })
    }
}

/// Counts the values in these places of a run of packed values, whole bytes at once.
fn counts_in(packed: &[u8], places: Range<usize>) -> Counts {
    let bytes = places.start.div_ceil(VALUES_PER_BYTE)..places.end / VALUES_PER_BYTE;
    let mut counts = Counts::default();
    let mut one = |place| match value_in(packed, place) {
        Value::Loss => counts.losses += 1,
        Value::Draw => counts.draws += 1,
        Value::Win => counts.wins += 1,
    };
    if bytes.is_empty() {
        places.for_each(one);
        return counts;
    }
    (places.start..bytes.start * VALUES_PER_BYTE).for_each(&mut one);
    (bytes.end * VALUES_PER_BYTE..places.end).for_each(&mut one);
    let whole = (bytes.len() * VALUES_PER_BYTE) as u64;
    let sums = packed[bytes]
        .iter()
        .fold(0, |sums: u64, &byte| sums + DECIDED[usize::from(byte)]);
    let (wins, losses) = (sums & u64::from(u32::MAX), sums >> 32);
    counts.wins += wins;
    counts.losses += losses;
    counts.draws += whole - wins - losses;
    counts
}

/// How many of the five values of every byte are wins, in the lower half, and losses, in the
/// upper half. No block has so many slots that a sum of them runs over.
const DECIDED: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut place = 0;
        while place < VALUES_PER_BYTE {
            match UNPACKED[byte][place] {
                Value::Win => table[byte] += 1,
                Value::Loss => table[byte] += 1 << 32,
                Value::Draw => {}
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::table::Metric;
    use crate::table::testing::mixed;

    proptest! {
        /// Counts of a range are those of its values one by one, across blocks of any length.
        #[test]
        fn counts_are_those_of_the_values(
            slots in 1u64..2000,
            block_slots in 64u32..400,
            a: prop::sample::Index,
            b: prop::sample::Index,
        ) {
            let geometry = Geometry::new(Metric::Values, slots, block_slots).unwrap();
            let packed = (0..geometry.len()).map(|byte| (mixed(byte) % 243) as u8).collect();
            let values = Values::new(geometry, packed);
            let all: Vec<_> = values.iter().collect();
            let (a, b) = (a.index(all.len() + 1), b.index(all.len() + 1));
            let range = a.min(b)..a.max(b);
            let counts = values.counts(range.start as u64..range.end as u64);
            for value in Value::ALL {
                let expected = all[range.clone()].iter().filter(|&&found| found == value).count();
                prop_assert_eq!(counts.of(value), expected as u64);
            }
        }
    }
}
