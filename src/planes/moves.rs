//! Black's moves and White's removals: everything that changes Black's men and stays in a row.

// Loop variables are coordinates: what they index is only one of their uses.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use super::frame::ones;
use super::pattern::{self, Classes, EVERYWHERE, NOWHERE, Pattern};
use super::{
    Bits, Bounds, CHUNK, CHUNK_COORDINATES, Frame, Plane, bit_stride, get, row_words, stride,
};
use crate::board::PointSet;

/// A copy of a row with a chunk of zeros before and after it, so that a whole chunk can be read
/// at an offset: the words read beyond the row are masked out.
#[derive(Clone, Debug, Default)]
struct Padded {
    words: Vec<u64>,
}

impl Padded {
    fn resize(&mut self, words: usize) {
        self.words.resize(words + 2 * CHUNK, 0);
    }

    #[inline(always)]
    fn fill(&mut self, row: &[u64]) {
        self.words[CHUNK..][..row.len()].copy_from_slice(row);
    }

    /// The chunk that begins `offset` words after chunk number `chunk`.
    #[inline(always)]
    fn at(&self, chunk: usize, offset: isize) -> &Pattern {
        let start = ((chunk + 1) * CHUNK).wrapping_add_signed(offset);
        self.words[start..start + CHUNK]
            .try_into()
            .expect("the slice has the length of a chunk")
    }

    #[inline(always)]
    fn chunk_mut(&mut self, chunk: usize) -> &mut Pattern {
        let start = (chunk + 1) * CHUNK;
        (&mut self.words[start..start + CHUNK])
            .try_into()
            .expect("the slice has the length of a chunk")
    }
}

/// Buffers of the kernels, one for each thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    board: Padded,
    landing: Padded,
    in_mill: Vec<Pattern>,
}

impl Scratch {
    /// Makes the buffers fit rows over up to `empty` empty points.
    pub fn reserve(&mut self, empty: usize) {
        self.board.resize(row_words(empty));
        self.landing.resize(row_words(empty));
        self.in_mill.resize(empty, NOWHERE);
    }
}

#[inline(always)]
fn chunk_of(row: &[u64], chunk: usize) -> &Pattern {
    row[chunk * CHUNK..(chunk + 1) * CHUNK]
        .try_into()
        .expect("a row is whole chunks")
}

#[inline(always)]
fn chunk_of_mut(row: &mut [u64], chunk: usize) -> &mut Pattern {
    (&mut row[chunk * CHUNK..(chunk + 1) * CHUNK])
        .try_into()
        .expect("a row is whole chunks")
}

/// Whether `coordinate` is set in all of chunk number `chunk`; `None` where it varies within.
#[inline(always)]
fn fixed_in_chunk(coordinate: usize, chunk: usize) -> Option<bool> {
    (coordinate >= CHUNK_COORDINATES).then(|| chunk >> (coordinate - CHUNK_COORDINATES) & 1 != 0)
}

/// Fills a row with what is known before anything is: outside the classes White has won, inside
/// nothing is decided.
#[inline(always)]
pub fn undecided_row(row: &mut [u64], classes: &Classes) {
    for chunk in 0..row.len() / CHUNK {
        let inside = classes.inside(chunk);
        let words = chunk_of_mut(row, chunk);
        for (word, pair) in words.chunks_exact_mut(2).enumerate() {
            pair[Plane::Sure as usize] = !inside[2 * word];
            pair[Plane::Hope as usize] = u64::MAX;
        }
    }
}

/// Marks everything outside the classes as won for White.
#[inline(always)]
pub fn restrict_to_classes(row: &mut [u64], classes: &Classes) {
    for chunk in 0..row.len() / CHUNK {
        let inside = classes.inside(chunk);
        let words = chunk_of_mut(row, chunk);
        for word in 0..CHUNK {
            words[word] |= !inside[word];
        }
    }
}

/// `out[B] &= source[B - from + to]` where `from` is in B and `to` is not. Without `from`, a man
/// is placed.
#[inline(always)]
fn take_step(out: &mut [u64], source: &Padded, from: Option<usize>, to: usize) {
    let mut elsewhere = NOWHERE;
    if let Some(from) = from {
        let set = pattern::coordinate_where_set(from);
        for word in 0..CHUNK {
            elsewhere[word] = !set[word];
        }
    }
    if to < CHUNK_COORDINATES {
        let set = pattern::coordinate(to, 0);
        for word in 0..CHUNK {
            elsewhere[word] |= set[word];
        }
    }
    let offset = stride::<Bounds>(to) as isize - from.map_or(0, stride::<Bounds>) as isize;
    let left = from.map_or(0, bit_stride);
    let right = bit_stride(to);
    for chunk in 0..out.len() / CHUNK {
        if from.is_some_and(|from| fixed_in_chunk(from, chunk) == Some(false))
            || fixed_in_chunk(to, chunk) == Some(true)
        {
            continue;
        }
        let source = source.at(chunk, offset);
        let out = chunk_of_mut(out, chunk);
        if left > right {
            let shift = left - right;
            for word in 0..CHUNK {
                out[word] &= source[word] << shift | elsewhere[word];
            }
        } else {
            let shift = right - left;
            for word in 0..CHUNK {
                out[word] &= source[word] >> shift | elsewhere[word];
            }
        }
    }
}

/// Where the man on `coordinate` would stand in a mill of the men of the index.
#[inline(always)]
fn mill_pattern(frame: &Frame, coordinate: usize, chunk: usize, mask: &mut Pattern) {
    *mask = NOWHERE;
    for &(a, b) in frame.completions(coordinate) {
        let a = pattern::coordinate(usize::from(a), chunk);
        let b = pattern::coordinate(usize::from(b), chunk);
        for word in 0..CHUNK {
            mask[word] |= a[word] & b[word];
        }
    }
}

/// What Black gets by landing on `to`: the captures where that closes a mill, else the board.
/// Only where `to` is set.
#[inline(always)]
fn land(frame: &Frame, to: usize, captures: &[u64], scratch: &mut Scratch) {
    let mut mill = NOWHERE;
    for chunk in 0..captures.len() / CHUNK {
        if fixed_in_chunk(to, chunk) == Some(false) {
            continue;
        }
        mill_pattern(frame, to, chunk, &mut mill);
        let board = scratch.board.at(chunk, 0);
        let captures = chunk_of(captures, chunk);
        let landing = scratch.landing.chunk_mut(chunk);
        for word in 0..CHUNK {
            landing[word] = board[word] & !mill[word] | captures[word] & mill[word];
        }
    }
}

/// What Black gets by landing on `to`, where `to` is set.
#[inline(always)]
fn landing<'s>(frame: &Frame, to: usize, captures: &[u64], scratch: &'s mut Scratch) -> &'s Padded {
    if frame.completions(to).is_empty() {
        &scratch.board
    } else {
        land(frame, to, captures, scratch);
        &scratch.landing
    }
}

/// The value of every position with Black to move, hands empty: the least over his slides, and
/// over his flights where the number of his men is among `flyers`.
///
/// `board` holds the values with White to move, `captures` those after Black has closed a mill
/// and removed a man. A Black that cannot move has lost.
#[inline(always)]
pub fn black_moves<B: Bits>(
    frame: &Frame,
    board: &[u64],
    captures: &[u64],
    flyers: Range<usize>,
    scratch: &mut Scratch,
    out: &mut [u64],
) {
    out.fill(u64::MAX);
    scratch.board.fill(board);
    for to in 0..frame.len() {
        let landing = landing(frame, to, captures, scratch);
        for from in ones(frame.neighbours(to)) {
            take_step(out, landing, Some(from), to);
        }
    }
    for men in flyers {
        black_flights(frame, board, captures, men, out);
    }
}

/// The value of every position with Black to place a man.
#[inline(always)]
pub(super) fn black_placings(
    frame: &Frame,
    board: &[u64],
    captures: &[u64],
    scratch: &mut Scratch,
    out: &mut [u64],
) {
    out.fill(u64::MAX);
    scratch.board.fill(board);
    for to in 0..frame.len() {
        let landing = landing(frame, to, captures, scratch);
        take_step(out, landing, None, to);
    }
}

/// Flights of Black with `men` men. All positions that share the men that stay share the places
/// the last can fly to: a man that flies off point x sees every place but x.
#[inline(always)]
fn black_flights(frame: &Frame, board: &[u64], captures: &[u64], men: usize, out: &mut [u64]) {
    if men == 0 || men > frame.len() {
        return;
    }
    for stay in PointSet::subsets(frame.len(), men - 1) {
        let stay = stay.bits();
        let free = !stay & PointSet::first(frame.len()).bits();
        let mut refutations = [0u32; 2];
        for to in ones(free) {
            let index = stay | 1 << to;
            let source = if frame.in_mill(index, to) {
                captures
            } else {
                board
            };
            for plane in [Plane::Sure, Plane::Hope] {
                refutations[plane as usize] |= u32::from(!get(source, plane, index)) << to;
            }
        }
        for plane in [Plane::Sure, Plane::Hope] {
            let refutations = refutations[plane as usize];
            for from in ones(free) {
                if refutations & !(1 << from) != 0 {
                    let index = stay | 1 << from;
                    if get(out, plane, index) {
                        super::flip(out, plane, index);
                    }
                }
            }
        }
    }
}

/// The value of every position in which White has just closed a mill and is about to remove a
/// man: the greatest over the men he may remove. `after` holds the values with Black to move.
/// Where Black has no man on the board, nothing is removed.
#[inline(always)]
pub(super) fn removals(frame: &Frame, after: &[u64], scratch: &mut Scratch, out: &mut [u64]) {
    let Scratch { board, in_mill, .. } = scratch;
    board.fill(after);
    for chunk in 0..out.len() / CHUNK {
        let mut all_in_mills = EVERYWHERE;
        for man in 0..frame.len() {
            let mill = &mut in_mill[man];
            mill_pattern(frame, man, chunk, mill);
            let set = pattern::coordinate(man, chunk);
            for word in 0..CHUNK {
                all_in_mills[word] &= mill[word] | !set[word];
            }
        }
        let mut best = NOWHERE;
        for man in 0..frame.len() {
            if fixed_in_chunk(man, chunk) == Some(false) {
                continue;
            }
            let set = pattern::coordinate_where_set(man);
            let source = board.at(chunk, -(stride::<Bounds>(man) as isize));
            let shift = bit_stride(man);
            let mill = &in_mill[man];
            for word in 0..CHUNK {
                let removable = set[word] & (all_in_mills[word] | !mill[word]);
                best[word] |= source[word] << shift & removable;
            }
        }
        *chunk_of_mut(out, chunk) = best;
    }
    for plane in [Plane::Sure, Plane::Hope] {
        out[plane as usize] |= after[plane as usize] & 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::planes::{Kernel, Task};
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Which {
        Moves,
        Flights,
        Placings,
        Removals,
    }

    struct Run<'a> {
        which: Which,
        frame: &'a Frame,
        board: &'a [u64],
        captures: &'a [u64],
        out: &'a mut [u64],
    }

    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<B: Bits>(self) {
            let mut scratch = Scratch::default();
            scratch.reserve(self.frame.len());
            let (frame, board, captures, out) = (self.frame, self.board, self.captures, self.out);
            match self.which {
                Which::Moves => {
                    black_moves::<B>(frame, board, captures, 0..0, &mut scratch, out);
                }
                Which::Flights => {
                    black_moves::<B>(frame, board, captures, 2..5, &mut scratch, out);
                }
                Which::Placings => {
                    black_placings(frame, board, captures, &mut scratch, out);
                }
                Which::Removals => removals(frame, board, &mut scratch, out),
            }
        }
    }

    /// The same for one position, from the board alone.
    fn plainly(
        board: &Board,
        white: PointSet,
        black: PointSet,
        which: Which,
        bit: impl Fn(bool, PointSet) -> bool,
    ) -> bool {
        let empty = board.points() - white - black;
        let after = |men: PointSet, to| bit(board.in_mill(men, to), men);
        match which {
            Which::Removals => {
                let in_mills = board.men_in_mills(black);
                let free = black - in_mills;
                let removable = if free.is_empty() { black } else { free };
                black.is_empty() && bit(false, black)
                    || removable.iter().any(|man| bit(false, black.without(man)))
            }
            Which::Placings => empty.iter().all(|to| after(black.with(to), to)),
            Which::Moves | Which::Flights => black.iter().all(|from| {
                let flies = matches!(which, Which::Flights) && (2..=4).contains(&black.len());
                let targets = if flies {
                    empty
                } else {
                    empty & board.neighbours(from)
                };
                targets
                    .iter()
                    .all(|to| after(black.without(from).with(to), to))
            }),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_kernel_does_what_one_position_at_a_time_does(
            order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
            len in 1usize..14,
            seed: u64,
        ) {
            let board = Board::nine();
            let white: PointSet = order[len..].iter().map(|&p| crate::board::Point::new(p)).collect();
            let frame = Frame::new(board, white);
            let mut state = seed | 1;
            let mut random = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            // Mostly set bits, so that both answers of an AND over many moves occur.
            let mut row = || -> Vec<u64> {
                (0..row_words(len)).map(|_| random() | random() | random()).collect()
            };
            let (after, captures) = (row(), row());
            for which in [Which::Moves, Which::Flights, Which::Placings, Which::Removals] {
                let results: Vec<Vec<u64>> = Kernel::ALL
                    .into_iter()
                    .filter(|kernel| kernel.supported())
                    .map(|kernel| {
                        let mut out = vec![0; row_words(len)];
                        kernel.run(Run {
                            which,
                            frame: &frame,
                            board: &after,
                            captures: &captures,
                            out: &mut out,
                        });
                        out
                    })
                    .collect();
                prop_assert!(results.iter().all(|result| *result == results[0]));
                for index in 0..1u32 << len {
                    let black: PointSet = ones(index).map(|c| frame.point(c)).collect();
                    for plane in [Plane::Sure, Plane::Hope] {
                        let bit = |captured: bool, men: PointSet| {
                            let index = men
                                .iter()
                                .fold(0, |set, man| set | 1 << frame.coordinate(man));
                            get(if captured { &captures } else { &after }, plane, index)
                        };
                        prop_assert_eq!(
                            get(&results[0], plane, index),
                            plainly(board, white, black, which, bit),
                            "{:?} of {:?} against {:?}", which, black, white
                        );
                    }
                }
            }
        }
    }
}
