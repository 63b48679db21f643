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

/// Collects the values of one class of consecutive rows as two dense streams of bits. Within a
/// row, sets of equal size in ascending order of the index are in colexicographic order.
#[derive(Clone, Debug, Default)]
pub struct Extractor {
    sure: Vec<u64>,
    hope: Vec<u64>,
    open_sure: u64,
    open_hope: u64,
    open_len: u32,
    skip: u64,
}

impl Extractor {
    /// Forgets everything collected, and will leave out the next `skip` positions.
    pub fn restart(&mut self, skip: u64) {
        self.sure.clear();
        self.hope.clear();
        (self.open_sure, self.open_hope, self.open_len) = (0, 0, 0);
        self.skip = skip;
    }

    /// Appends the positions of `row` with `men` men of Black, over `empty` coordinates.
    #[inline(always)]
    pub fn push_row<B: Bits>(&mut self, row: &[u64], empty: usize, men: usize) {
        let low = empty.min(WORD_COORDINATES);
        let within = u64::MAX >> (64 - (1u32 << low));
        let addresses = 1usize << (empty - low);
        for (address, pair) in row.chunks_exact(2).take(addresses).enumerate() {
            let high = address.count_ones() as usize;
            if high > men || men - high > WORD_COORDINATES {
                continue;
            }
            let mask = BY_MEN[men - high] & within;
            self.push(
                B::gather(pair[0], mask),
                B::gather(pair[1], mask),
                mask.count_ones(),
            );
        }
    }

    #[inline(always)]
    fn push(&mut self, mut sure: u64, mut hope: u64, mut len: u32) {
        if self.skip > 0 {
            let skipped = len.min(self.skip.min(64) as u32);
            self.skip -= u64::from(skipped);
            (sure, hope, len) = (sure >> skipped, hope >> skipped, len - skipped);
        }
        self.open_sure |= sure << self.open_len;
        self.open_hope |= hope << self.open_len;
        self.open_len += len;
        if self.open_len >= 64 {
            self.sure.push(self.open_sure);
            self.hope.push(self.open_hope);
            self.open_len -= 64;
            // At most 20 bits came in, so what is left over began below bit 20.
            let taken = len - self.open_len;
            self.open_sure = sure >> taken;
            self.open_hope = hope >> taken;
        }
    }

    /// The streams collected, sure and hope; the last word is filled up with zeros.
    pub fn finish(&mut self) -> (&mut [u64], &mut [u64]) {
        if self.open_len > 0 {
            self.sure.push(self.open_sure);
            self.hope.push(self.open_hope);
            (self.open_sure, self.open_hope, self.open_len) = (0, 0, 0);
        }
        (&mut self.sure, &mut self.hope)
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
