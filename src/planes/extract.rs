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
}

impl Extractor {
    /// Forgets everything collected.
    pub fn clear(&mut self) {
        self.sure.clear();
        self.hope.clear();
        (self.open_sure, self.open_hope, self.open_len) = (0, 0, 0);
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
    fn push(&mut self, sure: u64, hope: u64, len: u32) {
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

    /// The streams collected so far, sure and hope, whole words only after [`Extractor::flush`].
    pub fn words(&self) -> (&[u64], &[u64]) {
        (&self.sure, &self.hope)
    }

    /// Completes the last word with zeros. Nothing can be appended after that.
    pub fn flush(&mut self) {
        if self.open_len > 0 {
            self.sure.push(self.open_sure);
            self.hope.push(self.open_hope);
            (self.open_sure, self.open_hope, self.open_len) = (0, 0, 0);
        }
    }
}

/// Adds, for each number of Black's men, the positions of `row` that White surely wins and those
/// he does not lose, times `weight`.
#[inline(always)]
pub fn class_counts<B: Bits>(
    row: &[u64],
    empty: usize,
    weight: u64,
    sure: &mut [u64],
    hope: &mut [u64],
) {
    let low = empty.min(WORD_COORDINATES);
    let within = u64::MAX >> (64 - (1u32 << low));
    let addresses = 1usize << (empty - low);
    // Counts by the number of men above the word and within it.
    let mut counts = [[[0u32; 2]; WORD_COORDINATES + 1]; 32];
    for (address, pair) in row.chunks_exact(2).take(addresses).enumerate() {
        let counts = &mut counts[address.count_ones() as usize];
        for (count, mask) in counts.iter_mut().zip(BY_MEN) {
            let mask = mask & within;
            count[0] += (pair[0] & mask).count_ones();
            count[1] += (pair[1] & mask).count_ones();
        }
    }
    for (high, counts) in counts.iter().enumerate() {
        for (low, count) in counts.iter().enumerate() {
            if let Some(sure) = sure.get_mut(high + low) {
                *sure += weight * u64::from(count[0]);
                hope[high + low] += weight * u64::from(count[1]);
            }
        }
    }
}
