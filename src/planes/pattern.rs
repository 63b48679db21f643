//! Constant masks: where a coordinate is set, and where a number of men lies in a range.

use super::{CHUNK, CHUNK_COORDINATES, WORD_COORDINATES};

/// One mask for every word of a chunk.
pub(super) type Pattern = [u64; CHUNK];

/// Where coordinate `k` is set within a word.
pub(super) const WORD_MASKS: [u64; WORD_COORDINATES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

pub(super) const NOWHERE: Pattern = [0; CHUNK];
pub(super) const EVERYWHERE: Pattern = [u64::MAX; CHUNK];
static NOWHERE_PATTERN: Pattern = NOWHERE;
static EVERYWHERE_PATTERN: Pattern = EVERYWHERE;

static COORDINATES: [Pattern; CHUNK_COORDINATES] = {
    let mut all = [NOWHERE; CHUNK_COORDINATES];
    let mut coordinate = 0;
    while coordinate < CHUNK_COORDINATES {
        let mut word = 0;
        while word < CHUNK {
            all[coordinate][word] = if coordinate < WORD_COORDINATES {
                WORD_MASKS[coordinate]
            } else if word >> (coordinate - WORD_COORDINATES + 1) & 1 != 0 {
                u64::MAX
            } else {
                0
            };
            word += 1;
        }
        coordinate += 1;
    }
    all
};

/// Where `coordinate` is set within chunk number `chunk` of a row.
#[inline(always)]
pub(super) fn coordinate(coordinate: usize, chunk: usize) -> &'static Pattern {
    if coordinate < CHUNK_COORDINATES {
        &COORDINATES[coordinate]
    } else if chunk >> (coordinate - CHUNK_COORDINATES) & 1 != 0 {
        &EVERYWHERE_PATTERN
    } else {
        &NOWHERE_PATTERN
    }
}

/// Where `coordinate` is set within a chunk that lies wholly where it is set.
#[inline(always)]
pub(super) fn coordinate_where_set(coordinate: usize) -> &'static Pattern {
    self::coordinate(coordinate, usize::MAX)
}

/// Masks of the indices whose number of men lies in a range.
#[derive(Clone, Debug)]
pub struct Classes {
    /// By the number of men that the chunk number stands for.
    inside: Vec<Pattern>,
}

impl Classes {
    /// The indices with `least..=most` men.
    pub fn new(least: usize, most: usize) -> Self {
        let inside = (0..32)
            .map(|high: usize| {
                let mut pattern = NOWHERE;
                for (word, mask) in pattern.iter_mut().enumerate() {
                    let middle = (word >> 1).count_ones() as usize;
                    for bit in 0..64usize {
                        let men = high + middle + bit.count_ones() as usize;
                        *mask |= u64::from((least..=most).contains(&men)) << bit;
                    }
                }
                pattern
            })
            .collect();
        Self { inside }
    }

    /// The mask of chunk number `chunk`.
    #[inline(always)]
    pub(super) fn inside(&self, chunk: usize) -> &Pattern {
        &self.inside[chunk.count_ones() as usize]
    }
}
