//! From rows to runs of slots: the positions of one class in the order of their ranks.

use super::{Bits, WORD_COORDINATES};

/// The indices of a word with a given number of set bits.
const BY_MEN: [u64; WORD_COORDINATES + 1] = {
    let mut masks = [0; WORD_COORDINATES + 1];
    let mut bit = 0u32;
    while bit < 64 {
        masks[bit.count_ones() as usize] |= 1 << bit;
        bit += 1;
    }
    masks
};

/// Collects one class of consecutive rows of `N` planes as `N` dense streams of bits. Within a row,
/// sets of equal size in ascending order of the index are in colexicographic order.
#[derive(Clone, Debug)]
pub struct Extractor<const N: usize> {
    streams: [Vec<u64>; N],
    open: [u64; N],
    open_len: u32,
    skip: u64,
}

impl<const N: usize> Default for Extractor<N> {
    fn default() -> Self {
        Self {
            streams: std::array::from_fn(|_| Vec::new()),
            open: [0; N],
            open_len: 0,
            skip: 0,
        }
    }
}

impl<const N: usize> Extractor<N> {
    /// Forgets everything collected, and will leave out the next `skip` positions.
    pub fn restart(&mut self, skip: u64) {
        self.streams.iter_mut().for_each(Vec::clear);
        (self.open, self.open_len) = ([0; N], 0);
        self.skip = skip;
    }

    /// Appends the positions of `row` with `men` men of Black, over `empty` coordinates.
    #[inline(always)]
    pub fn push_row<B: Bits>(&mut self, row: &[u64], empty: usize, men: usize) {
        let low = empty.min(WORD_COORDINATES);
        let within = u64::MAX >> (64 - (1u32 << low));
        let addresses = 1usize << (empty - low);
        let (groups, _) = row.as_chunks::<N>();
        for (address, group) in groups.iter().take(addresses).enumerate() {
            let high = address.count_ones() as usize;
            if high > men || men - high > WORD_COORDINATES {
                continue;
            }
            let mask = BY_MEN[men - high] & within;
            let len = mask.count_ones();
            let skipped = len.min(self.skip.min(64) as u32);
            self.skip -= u64::from(skipped);
            self.push(
                std::array::from_fn(|plane| B::gather(group[plane], mask) >> skipped),
                len - skipped,
            );
        }
    }

    #[inline(always)]
    fn push(&mut self, bits: [u64; N], len: u32) {
        for (open, bits) in self.open.iter_mut().zip(bits) {
            *open |= bits << self.open_len;
        }
        self.open_len += len;
        if self.open_len >= 64 {
            self.open_len -= 64;
            // At most 20 bits came in, so what is left over began below bit 20.
            let taken = len - self.open_len;
            for ((stream, open), bits) in self.streams.iter_mut().zip(&mut self.open).zip(bits) {
                stream.push(*open);
                *open = bits >> taken;
            }
        }
    }

    /// The streams collected, one for each plane; the last word is filled up with zeros.
    pub fn finish(&mut self) -> &mut [Vec<u64>; N] {
        if self.open_len > 0 {
            for (stream, open) in self.streams.iter_mut().zip(self.open) {
                stream.push(open);
            }
            (self.open, self.open_len) = ([0; N], 0);
        }
        &mut self.streams
    }
}

/// How many positions White surely wins, how many he at least does not lose, and how many he
/// loses; a position in which he were both to win and to lose is in none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClassCounts {
    /// Sure and hope.
    pub wins: u64,
    /// Hope alone.
    pub draws: u64,
    /// Neither.
    pub losses: u64,
}

/// Adds the positions of `row` to the counts of each number of Black's men, times `weight`.
#[inline(always)]
pub fn class_counts<B: Bits>(row: &[u64], empty: usize, weight: u64, totals: &mut [ClassCounts]) {
    let low = empty.min(WORD_COORDINATES);
    let within = u64::MAX >> (64 - (1u32 << low));
    let addresses = 1usize << (empty - low);
    // Counts by the number of men above the word and within it.
    let mut counts = [[[0u32; 3]; WORD_COORDINATES + 1]; 32];
    for (address, pair) in row.chunks_exact(2).take(addresses).enumerate() {
        let counts = &mut counts[address.count_ones() as usize];
        let (sure, hope) = (pair[0], pair[1]);
        for (count, mask) in counts.iter_mut().zip(BY_MEN) {
            let mask = mask & within;
            count[0] += (sure & hope & mask).count_ones();
            count[1] += (hope & !sure & mask).count_ones();
            count[2] += (mask & !hope & !sure).count_ones();
        }
    }
    for (high, counts) in counts.iter().enumerate() {
        for (low, count) in counts.iter().enumerate() {
            if let Some(total) = totals.get_mut(high + low) {
                total.wins += weight * u64::from(count[0]);
                total.draws += weight * u64::from(count[1]);
                total.losses += weight * u64::from(count[2]);
            }
        }
    }
}
