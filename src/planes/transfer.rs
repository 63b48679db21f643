//! White's moves: bringing a row of other men into this row's frame.
//!
//! A move of White leads to a row whose men differ by one, stored under the representative of its
//! orbit. In terms of indices that is a permutation of coordinates. Coordinates above the word are
//! addresses and cost nothing: words are loaded in the order of the destination. A coordinate that
//! leaves the word takes the place of one that enters it, one exchange pass for each such pair, and
//! the order within the word is put right while the result is accumulated.
//!
//! Some coordinates have no partner: the point White's man came from is empty in the other row, and
//! of that only the half without a man of Black counts; the point he went to is not a coordinate of
//! the other row, and only the half without a man of Black is a position in which he can go there.

// Loop variables are coordinates: what they index is only one of their uses.
#![allow(clippy::needless_range_loop)]

use super::pattern::WORD_MASKS;
use super::{Bits, Planes, WORD_COORDINATES};

/// Which coordinate of a source row stands for each coordinate of the destination.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// The number of coordinates of the source row.
    pub source_len: usize,
    /// The number of coordinates of the destination.
    pub len: usize,
    /// For each coordinate of the destination, the one of the source, if it has one.
    pub source: [Option<u8>; 32],
}

/// Buffers of [`transfer`], one for each thread.
#[derive(Clone, Debug, Default)]
pub struct TransferScratch {
    offsets: Vec<u32>,
    words: Vec<u64>,
}

/// The words of a cache line.
const LINE: usize = 8;

/// The row that will be transferred next: while one row is worked on, the lines of the next are
/// asked for one by one, so that the memory works at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'a> {
    row: &'a [u64],
    /// The lines are counted without this bit of their number: the half that is not read.
    skip: u32,
    next: usize,
    lines: usize,
}

impl<'a> Ahead<'a> {
    /// No row.
    pub const NONE: Ahead<'static> = Ahead {
        row: &[],
        skip: 0,
        next: 0,
        lines: 0,
    };

    /// A row of which only the half with `coordinate` clear will be read.
    #[inline(always)]
    pub fn half<P: Planes>(row: &'a [u64], coordinate: Option<usize>) -> Self {
        let lines = row.len() / LINE;
        let stride = coordinate.map_or(0, super::stride::<P>);
        if stride >= LINE {
            Self {
                row,
                skip: (stride / LINE).trailing_zeros(),
                next: 0,
                lines: lines / 2,
            }
        } else {
            Self {
                row,
                skip: u32::BITS,
                next: 0,
                lines,
            }
        }
    }

    #[inline(always)]
    fn step<B: Bits>(&mut self) {
        if self.next < self.lines {
            let low = ((1u64 << self.skip) - 1) as usize;
            let line = (self.next & low) | (self.next & !low) << 1;
            B::prefetch(&self.row[line * LINE]);
            self.next += 1;
        }
    }
}

/// An exchange of a coordinate of the buffer's address with one of the word.
#[derive(Clone, Copy)]
struct Exchange {
    /// In words.
    stride: usize,
    low: usize,
    /// The address coordinate comes with nothing to put into the word: one half is enough.
    one_way: bool,
}

/// How to bring a source row into the frame of a destination.
struct Plan {
    /// Offsets, in words of the source, of the address coordinates of the buffer, lowest first.
    address: [u32; 32],
    address_len: usize,
    exchanges: [Exchange; WORD_COORDINATES],
    exchanges_len: usize,
    /// A source coordinate above the word that enters it in place of `low`, which has no partner.
    entering: Option<(u32, usize)>,
    /// Shift and mask of the exchanges within the word.
    swaps: [(u32, u64); WORD_COORDINATES],
    swaps_len: usize,
    /// Where the destination may take values.
    keep: u64,
    /// The destination's address coordinate of which only the clear half is written, in words.
    skip: Option<usize>,
}

const NO_EXCHANGE: Exchange = Exchange {
    stride: 0,
    low: 0,
    one_way: false,
};

impl Plan {
    #[inline(always)]
    fn new<P: Planes>(mapping: &Mapping) -> Self {
        let word = WORD_COORDINATES;
        // Coordinates beyond a short row pad it to a word; what they select is never read.
        let len = mapping.len.max(word);
        let source_len = mapping.source_len.max(word);
        let mut plan = Self {
            address: [0; 32],
            address_len: 0,
            exchanges: [NO_EXCHANGE; WORD_COORDINATES],
            exchanges_len: 0,
            entering: None,
            swaps: [(0, 0); WORD_COORDINATES],
            swaps_len: 0,
            keep: u64::MAX,
            skip: None,
        };
        // place[l]: which destination coordinate the word coordinate l holds in the buffer.
        const NONE: u8 = u8::MAX;
        let mut place = [NONE; WORD_COORDINATES];
        let mut used = [false; 32];
        let source_of = |coordinate: usize| -> Option<usize> {
            (coordinate < mapping.len)
                .then(|| mapping.source[coordinate].map(usize::from))
                .flatten()
        };
        for coordinate in 0..len {
            if let Some(source) = source_of(coordinate) {
                used[source] = true;
                if coordinate < word && source < word {
                    place[source] = coordinate as u8;
                }
            }
        }
        // Destination word coordinates that come from above or from nowhere.
        let mut unfilled: u32 = 0;
        for coordinate in 0..word {
            if source_of(coordinate).is_none_or(|source| source >= word) {
                unfilled |= 1 << coordinate;
            }
        }
        // Source word coordinates without a partner: pair them with destination coordinates
        // without one, else let a coordinate from above take their place.
        for low in 0..word.min(source_len) {
            if used[low] {
                continue;
            }
            let partnerless = (0..word)
                .find(|&to| unfilled >> to & 1 != 0 && source_of(to).is_none())
                .filter(|&to| to < mapping.len || low >= mapping.source_len)
                .or_else(|| {
                    (0..word).find(|&to| unfilled >> to & 1 != 0 && source_of(to).is_none())
                });
            let to = partnerless.unwrap_or(unfilled.trailing_zeros() as usize);
            unfilled &= !(1 << to);
            place[low] = to as u8;
            if let Some(source) = source_of(to) {
                plan.entering = Some((super::stride::<P>(source) as u32, low));
            }
        }
        // Address coordinates of the buffer, in the order of the destination. First those that
        // leave the word, so that they take, where possible, the very coordinate they fall on.
        let mut partner = [NONE; 32];
        for pass in 0..2 {
            for coordinate in word..len {
                let Some(low) = source_of(coordinate).filter(|&source| source < word) else {
                    continue;
                };
                if partner[coordinate] != NONE {
                    continue;
                }
                let same = unfilled >> low & 1 != 0;
                if pass == 0 && !same {
                    continue;
                }
                let to = if same {
                    low
                } else {
                    unfilled.trailing_zeros() as usize
                };
                unfilled &= !(1 << to);
                partner[coordinate] = to as u8;
                place[low] = to as u8;
            }
        }
        for coordinate in word..len {
            let Some(source) = source_of(coordinate) else {
                plan.skip = Some(super::stride::<P>(coordinate));
                continue;
            };
            let offset = if source >= word {
                super::stride::<P>(source) as u32
            } else {
                let entering = source_of(usize::from(partner[coordinate]));
                plan.exchanges[plan.exchanges_len] = Exchange {
                    stride: P::WORDS << plan.address_len,
                    low: source,
                    one_way: entering.is_none(),
                };
                plan.exchanges_len += 1;
                entering.map_or(0, |source| super::stride::<P>(source) as u32)
            };
            plan.address[plan.address_len] = offset;
            plan.address_len += 1;
        }
        for coordinate in 0..word.min(mapping.len) {
            if source_of(coordinate).is_none() {
                plan.keep &= !WORD_MASKS[coordinate];
            }
        }
        // Sort the word coordinates by exchanges.
        for coordinate in 0..word {
            let at = (coordinate..word)
                .find(|&low| usize::from(place[low]) == coordinate)
                .expect("every word coordinate has its place");
            if at != coordinate {
                place.swap(at, coordinate);
                let mask = WORD_MASKS[at] & !WORD_MASKS[coordinate];
                // Bits where `at` is set and `coordinate` is not change with those lower by:
                let shift = (1u32 << at) - (1u32 << coordinate);
                plan.swaps[plan.swaps_len] = (shift, mask >> shift);
                plan.swaps_len += 1;
            }
        }
        plan
    }
}

/// Accumulates a source row into `out`, in `out`'s frame: the least value with `LEAST`, else the
/// greatest. Where a coordinate of the destination has no partner, the greatest leaves the half
/// with it set as it is; the least is for mappings that give every coordinate of the destination
/// a partner.
#[inline(always)]
pub fn transfer<B: Bits, P: Planes, const LEAST: bool>(
    mapping: &Mapping,
    source: &[u64],
    mut ahead: Ahead<'_>,
    scratch: &mut TransferScratch,
    out: &mut [u64],
) {
    let plan = Plan::new::<P>(mapping);
    let groups = 1usize << plan.address_len;
    if scratch.words.len() < P::WORDS * groups {
        scratch.offsets.resize(groups, 0);
        scratch.words.resize(P::WORDS * groups, 0);
    }
    let offsets = &mut scratch.offsets[..groups];
    let words = &mut scratch.words[..P::WORDS * groups];
    fill_offsets(&plan, offsets);
    load::<B, P>(&plan, offsets, source, &mut ahead, words);
    for exchange in &plan.exchanges[..plan.exchanges_len] {
        exchange_pass(exchange, words);
    }
    accumulate::<P, LEAST>(&plan, words, out);
    while ahead.next < ahead.lines {
        ahead.step::<B>();
    }
}

#[inline(always)]
fn fill_offsets(plan: &Plan, offsets: &mut [u32]) {
    offsets[0] = 0;
    for (k, &offset) in plan.address[..plan.address_len].iter().enumerate() {
        let (done, next) = offsets[..2 << k].split_at_mut(1 << k);
        for (next, done) in next.iter_mut().zip(done) {
            *next = *done + offset;
        }
    }
}

#[inline(always)]
fn load<B: Bits, P: Planes>(
    plan: &Plan,
    offsets: &[u32],
    source: &[u64],
    ahead: &mut Ahead<'_>,
    words: &mut [u64],
) {
    // So many words are loaded for each line asked for.
    const PACE: usize = 8;
    let groups = PACE / P::WORDS;
    let group_at = |offset: u32| &source[offset as usize..offset as usize + P::WORDS];
    match plan.entering {
        None => {
            for (words, offsets) in words.chunks_mut(PACE).zip(offsets.chunks(groups)) {
                for (group, &offset) in words.chunks_exact_mut(P::WORDS).zip(offsets) {
                    group.copy_from_slice(group_at(offset));
                }
                ahead.step::<B>();
            }
        }
        Some((entering, low)) => {
            let clear = !WORD_MASKS[low];
            let shift = 1 << low;
            for (words, offsets) in words.chunks_mut(PACE).zip(offsets.chunks(groups)) {
                for (group, &offset) in words.chunks_exact_mut(P::WORDS).zip(offsets) {
                    let (a, b) = (group_at(offset), group_at(offset + entering));
                    for plane in 0..P::WORDS {
                        group[plane] = a[plane] & clear | (b[plane] & clear) << shift;
                    }
                }
                ahead.step::<B>();
            }
        }
    }
}

/// The words worked on at a time: two registers of the widest kernel.
const BLOCK: usize = 16;

#[inline(always)]
fn exchange_pass(exchange: &Exchange, words: &mut [u64]) {
    match exchange.stride {
        2 => exchange_runs::<2>(exchange, words),
        4 => exchange_runs::<4>(exchange, words),
        _ => exchange_runs::<8>(exchange, words),
    }
}

/// Exchanges in runs of `RUN` words, which divides the stride.
#[inline(always)]
fn exchange_runs<const RUN: usize>(exchange: &Exchange, words: &mut [u64]) {
    for block in words.chunks_exact_mut(2 * exchange.stride) {
        let (a, b) = block.split_at_mut(exchange.stride);
        for (a, b) in a.chunks_exact_mut(RUN).zip(b.chunks_exact_mut(RUN)) {
            let (a, b): (&mut [u64; RUN], &mut [u64; RUN]) = (
                a.try_into().expect("a chunk has its length"),
                b.try_into().expect("a chunk has its length"),
            );
            exchange_words(exchange, a, b);
        }
    }
}

#[inline(always)]
fn exchange_words<const WORDS: usize>(
    exchange: &Exchange,
    a: &mut [u64; WORDS],
    b: &mut [u64; WORDS],
) {
    let shift = 1u32 << exchange.low;
    let clear = !WORD_MASKS[exchange.low];
    if exchange.one_way {
        for word in 0..WORDS {
            b[word] = a[word] >> shift;
        }
    } else {
        for word in 0..WORDS {
            let change = (a[word] >> shift ^ b[word]) & clear;
            b[word] ^= change;
            a[word] ^= change << shift;
        }
    }
}

#[inline(always)]
fn accumulate<P: Planes, const LEAST: bool>(plan: &Plan, words: &mut [u64], out: &mut [u64]) {
    let stride = plan.skip.unwrap_or(words.len());
    if stride >= BLOCK {
        let gap = if plan.skip.is_some() { stride } else { 0 };
        for (source, out) in words.chunks_exact(stride).zip(out.chunks_mut(stride + gap)) {
            for (source, out) in source.chunks_exact(BLOCK).zip(out.chunks_exact_mut(BLOCK)) {
                let mut block: [u64; BLOCK] = source.try_into().expect("a chunk has its length");
                swap_within_words(plan, &mut block);
                combine::<P, LEAST>(&block, out);
            }
        }
        return;
    }
    let mut blocks = words.chunks_exact_mut(BLOCK);
    for block in &mut blocks {
        let block: &mut [u64; BLOCK] = block.try_into().expect("a chunk has its length");
        swap_within_words(plan, block);
    }
    for word in blocks.into_remainder() {
        let mut one = [*word];
        swap_within_words(plan, &mut one);
        *word = one[0];
    }
    match plan.skip {
        Some(2) => combine_runs::<P, LEAST, 2>(words, out),
        Some(4) => combine_runs::<P, LEAST, 4>(words, out),
        Some(8) => combine_runs::<P, LEAST, 8>(words, out),
        _ => combine::<P, LEAST>(words, out),
    }
}

/// Combines runs of words with every other run of the destination.
#[inline(always)]
fn combine_runs<P: Planes, const LEAST: bool, const RUN: usize>(words: &[u64], out: &mut [u64]) {
    for (source, out) in words.chunks_exact(RUN).zip(out.chunks_exact_mut(2 * RUN)) {
        combine::<P, LEAST>(source, &mut out[..RUN]);
    }
}

#[inline(always)]
fn combine<P: Planes, const LEAST: bool>(source: &[u64], out: &mut [u64]) {
    if LEAST {
        P::least(source, out);
    } else {
        P::greatest(source, out);
    }
}

/// Puts the coordinates within words in order, and clears what the destination may not take.
#[inline(always)]
fn swap_within_words<const WORDS: usize>(plan: &Plan, block: &mut [u64; WORDS]) {
    for &(shift, mask) in &plan.swaps[..plan.swaps_len] {
        for word in block.iter_mut() {
            let change = (*word >> shift ^ *word) & mask;
            *word ^= change ^ change << shift;
        }
    }
    for word in block {
        *word &= plan.keep;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Plane, PortableBits, get, row_words};
    use super::*;
    use proptest::prelude::*;

    /// The same, one bit at a time.
    fn transfer_plainly(mapping: &Mapping, source: &[u64], least: bool, out: &mut [u64]) {
        for index in 0..1u32 << mapping.len {
            let mut from = 0u32;
            let mut applies = true;
            for (coordinate, source) in mapping.source[..mapping.len].iter().enumerate() {
                if index >> coordinate & 1 != 0 {
                    match source {
                        Some(source) => from |= 1 << source,
                        None => applies = false,
                    }
                }
            }
            for plane in [Plane::Sure, Plane::Hope] {
                let there = get(source, plane, from);
                if applies && there != get(out, plane, index) && there != least {
                    super::super::flip(out, plane, index);
                }
            }
        }
    }

    fn check(len: usize, source_len: usize, order: &[u8], unpartnered: Option<usize>, seed: u64) {
        let mut mapping = Mapping {
            source_len,
            len,
            source: [None; 32],
        };
        let mut order = order
            .iter()
            .copied()
            .filter(|&s| usize::from(s) < source_len);
        for coordinate in 0..len {
            if Some(coordinate) != unpartnered {
                mapping.source[coordinate] = order.next();
            }
        }
        let mut state = seed | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let source: Vec<u64> = (0..row_words(source_len)).map(|_| random()).collect();
        let before: Vec<u64> = (0..row_words(len)).map(|_| random() & random()).collect();
        let mut scratch = TransferScratch::default();
        for least in [false, true] {
            if least && unpartnered.is_some() {
                continue;
            }
            let (mut fast, mut plain) = (before.clone(), before.clone());
            if least {
                transfer::<PortableBits, Bounds, true>(
                    &mapping,
                    &source,
                    Ahead::NONE,
                    &mut scratch,
                    &mut fast,
                );
            } else {
                transfer::<PortableBits, Bounds, false>(
                    &mapping,
                    &source,
                    Ahead::NONE,
                    &mut scratch,
                    &mut fast,
                );
            }
            transfer_plainly(&mapping, &source, least, &mut plain);
            for index in 0..1u32 << len {
                for plane in [Plane::Sure, Plane::Hope] {
                    assert_eq!(
                        get(&fast, plane, index),
                        get(&plain, plane, index),
                        "{mapping:?} index {index:b} least {least}"
                    );
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn rows_are_brought_over_bit_by_bit(
            len in 1usize..15,
            order in Just((0..24u8).collect::<Vec<_>>()).prop_shuffle(),
            unpartnered in any::<prop::sample::Index>(),
            seed: u64,
        ) {
            let unpartnered = unpartnered.index(len);
            // A slide: one coordinate without a partner on either side.
            check(len, len, &order, Some(unpartnered), seed);
            // A placing: the other row has one coordinate less.
            check(len, len - 1, &order, Some(unpartnered), seed);
            // A capture: it has one more.
            check(len, len + 1, &order, None, seed);
        }
    }
}
