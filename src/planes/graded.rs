//! Rows of grades: for every index not three values but the grade of a position.
//!
//! The code of a grade (see [`crate::grade`]) is cut into its eight bits, a plane each, and the
//! eight words of 64 indices stand together: word `8 * (index >> 6) + bit`. Seen from White, bit 7
//! is the hope plane, and White surely wins where one of the other bits is set as well. With Black
//! to move the codes are also White's: 255 less half the depth where White wins, half the depth
//! where he loses. As codes are ordered the way White likes them, his choice is the greatest and
//! Black's is the least, and both go bit by bit for 64 positions at once.

// Loop variables are coordinates and bits: what they index is only one of their uses.
#![allow(clippy::needless_range_loop)]

use super::pattern::WORD_MASKS;
use super::{Bounds, Frame, Plane, Planes, Scratch, WORD_COORDINATES, bit_stride};
use crate::board::MAX_POINTS;
use crate::grade::DEEPEST_HALF;
use crate::rules::Colour;

/// Rows of grades.
#[derive(Clone, Copy, Debug)]
pub enum Graded {}

/// The bits of a code.
const BITS: usize = 8;

/// The bit that is set unless White loses.
const HOPE: usize = BITS - 1;

type Group = [u64; BITS];

#[inline(always)]
fn groups_of(row: &[u64]) -> &[Group] {
    row.as_chunks().0
}

#[inline(always)]
fn groups_of_mut(row: &mut [u64]) -> &mut [Group] {
    row.as_chunks_mut().0
}

/// Where `a` is greater than `b`.
#[inline(always)]
fn greater(a: &Group, b: &Group) -> u64 {
    let mut greater = 0;
    for bit in 0..BITS {
        greater ^= (greater ^ a[bit]) & (a[bit] ^ b[bit]);
    }
    greater
}

/// Takes `source` where `chosen` is set.
#[inline(always)]
fn choose(out: &mut Group, source: &Group, chosen: u64) {
    for bit in 0..BITS {
        out[bit] ^= (out[bit] ^ source[bit]) & chosen;
    }
}

/// Where every coordinate is set within a group.
#[inline(always)]
fn coordinate_masks(frame: &Frame, group: usize) -> [u64; MAX_POINTS] {
    let mut masks = [0; MAX_POINTS];
    for (coordinate, mask) in masks[..frame.len()].iter_mut().enumerate() {
        *mask = match coordinate.checked_sub(WORD_COORDINATES) {
            None => WORD_MASKS[coordinate],
            Some(bit) if group >> bit & 1 != 0 => u64::MAX,
            Some(_) => 0,
        };
    }
    masks
}

/// Where the man on `coordinate` would stand in a mill.
#[inline(always)]
fn mill_mask(frame: &Frame, coordinate: usize, masks: &[u64; MAX_POINTS]) -> u64 {
    let completions = frame.completions(coordinate).iter();
    completions.fold(0, |mill, &(a, b)| {
        mill | masks[usize::from(a)] & masks[usize::from(b)]
    })
}

/// The group with `coordinate` changed.
#[inline(always)]
fn neighbour(group: usize, coordinate: usize) -> usize {
    match coordinate.checked_sub(WORD_COORDINATES) {
        None => group,
        Some(bit) => group ^ 1 << bit,
    }
}

/// The groups of a row that stand for indices; a short row is filled up.
#[inline(always)]
fn groups(frame: &Frame) -> usize {
    1 << frame.len().saturating_sub(WORD_COORDINATES)
}

impl Planes for Graded {
    const WORDS: usize = BITS;

    #[inline(always)]
    fn greatest(source: &[u64], out: &mut [u64]) {
        let (source, out) = (groups_of(source), groups_of_mut(out));
        for (source, out) in source.iter().zip(out) {
            let chosen = greater(source, out);
            choose(out, source, chosen);
        }
    }

    #[inline(always)]
    fn least(source: &[u64], out: &mut [u64]) {
        let (source, out) = (groups_of(source), groups_of_mut(out));
        for (source, out) in source.iter().zip(out) {
            let chosen = greater(out, source);
            choose(out, source, chosen);
        }
    }

    #[inline(always)]
    fn removals(frame: &Frame, after: &[u64], _scratch: &mut Scratch, out: &mut [u64]) {
        for number in 0..groups(frame) {
            let masks = coordinate_masks(frame, number);
            let mut mills = [0; MAX_POINTS];
            let mut all_in_mills = u64::MAX;
            for man in 0..frame.len() {
                mills[man] = mill_mask(frame, man, &masks);
                all_in_mills &= mills[man] | !masks[man];
            }
            let mut best = [0; BITS];
            for man in 0..frame.len() {
                let removable = masks[man] & (all_in_mills | !mills[man]);
                if removable == 0 {
                    continue;
                }
                let mut value = groups_of(after)[neighbour(number, man)];
                for word in &mut value {
                    *word = *word << bit_stride(man) & removable;
                }
                let chosen = greater(&value, &best);
                choose(&mut best, &value, chosen);
            }
            groups_of_mut(out)[number] = best;
        }
        for bit in 0..BITS {
            out[bit] |= after[bit] & 1;
        }
    }

    #[inline(always)]
    fn black_placings(
        frame: &Frame,
        board: &[u64],
        captures: &[u64],
        _scratch: &mut Scratch,
        out: &mut [u64],
    ) {
        for number in 0..groups(frame) {
            let masks = coordinate_masks(frame, number);
            let mut worst = [u64::MAX; BITS];
            for to in 0..frame.len() {
                if masks[to] == u64::MAX {
                    continue;
                }
                let there = neighbour(number, to);
                let mill = mill_mask(frame, to, &masks);
                let (board, captures) = (&groups_of(board)[there], &groups_of(captures)[there]);
                let mut value = [0; BITS];
                for bit in 0..BITS {
                    let (quiet, closing) = (
                        board[bit] >> bit_stride(to),
                        captures[bit] >> bit_stride(to),
                    );
                    value[bit] = quiet ^ (quiet ^ closing) & mill | masks[to];
                }
                let chosen = greater(&worst, &value);
                choose(&mut worst, &value, chosen);
            }
            groups_of_mut(out)[number] = worst;
        }
    }

    #[inline(always)]
    fn before_ply(row: &mut [u64], side: Colour) {
        // The greatest depth stays what it is: whoever takes grades out of a row refuses it.
        const { assert!(DEEPEST_HALF == 0b111_1110) };
        for group in groups_of_mut(row) {
            match side {
                Colour::White => {
                    let deepest = (1..HOPE).fold(!group[0], |deepest, bit| deepest & group[bit]);
                    let mut carry = !group[HOPE] & !deepest;
                    for word in &mut group[..HOPE] {
                        let before = *word;
                        *word ^= carry;
                        carry &= before;
                    }
                }
                Colour::Black => {
                    let more = (1..HOPE).fold(0, |more, bit| more | group[bit]);
                    let mut borrow = group[HOPE] & more;
                    for word in &mut group[..HOPE] {
                        let before = *word;
                        *word ^= borrow;
                        borrow &= !before;
                    }
                }
            }
        }
    }
}

/// The grades of what the bounds say when all that is decided ends at once.
#[inline(always)]
pub fn grade_at_once(bounds: &[u64], grades: &mut [u64]) {
    let pairs = bounds.chunks_exact(Bounds::WORDS);
    for (pair, group) in pairs.zip(groups_of_mut(grades)) {
        group[..HOPE].fill(pair[Plane::Sure as usize]);
        group[HOPE] = pair[Plane::Hope as usize];
    }
}

/// Gives what is decided in `new` and was not in `old` the half depth `half`.
#[inline(always)]
pub fn grade_changes(old: &[u64], new: &[u64], half: u8, grades: &mut [u64]) {
    let pairs = old
        .chunks_exact(Bounds::WORDS)
        .zip(new.chunks_exact(Bounds::WORDS));
    let half: [u64; BITS] = std::array::from_fn(|bit| (u64::from(half >> bit) & 1).wrapping_neg());
    for ((old, new), group) in pairs.zip(groups_of_mut(grades)) {
        let (sure, hope) = (Plane::Sure as usize, Plane::Hope as usize);
        let (won, lost) = (new[sure] & !old[sure], old[hope] & !new[hope]);
        for bit in 0..HOPE {
            group[bit] |= won & !half[bit] | lost & half[bit];
        }
        group[HOPE] = new[hope];
    }
}

/// The bounds when only what has a half depth below `halves` is decided.
#[inline(always)]
pub fn bounds_within(grades: &[u64], halves: u8, bounds: &mut [u64]) {
    debug_assert!(halves <= DEEPEST_HALF + 1);
    let at_least = |group: &[u64], least: u8, flip: u64| {
        // From the lowest bit up: what the higher bits say counts more.
        let mut reached = u64::MAX;
        for (bit, &word) in group[..HOPE].iter().enumerate() {
            let word = word ^ flip;
            if least >> bit & 1 != 0 {
                reached &= word;
            } else {
                reached |= word;
            }
        }
        reached
    };
    let pairs = bounds.chunks_exact_mut(Bounds::WORDS);
    for (pair, group) in pairs.zip(groups_of(grades)) {
        // A win's lower bits are the complement of its half depth.
        let late_win = at_least(group, halves, u64::MAX);
        let late_loss = at_least(group, halves, 0);
        pair[Plane::Sure as usize] = group[HOPE] & !late_win;
        pair[Plane::Hope as usize] = group[HOPE] | late_loss;
    }
}

/// Calls back with every index at which Black has a mill and a grade is decided that the bounds
/// `known` leave open, and with the half depth.
#[inline(always)]
pub fn late_captures(
    frame: &Frame,
    known: &[u64],
    captures: &[u64],
    mut visit: impl FnMut(u32, u8),
) {
    for number in 0..groups(frame) {
        let group = &groups_of(captures)[number];
        let pair = &known[number * Bounds::WORDS..][..Bounds::WORDS];
        let open = pair[Plane::Hope as usize] & !pair[Plane::Sure as usize];
        let decided = group[..HOPE]
            .iter()
            .fold(!group[HOPE], |any, word| any | word);
        let mut late = open & decided;
        if late == 0 {
            continue;
        }
        let masks = coordinate_masks(frame, number);
        let mills = (0..frame.len()).fold(0, |mills, man| {
            mills | masks[man] & mill_mask(frame, man, &masks)
        });
        late &= mills;
        while late != 0 {
            let index = (number << WORD_COORDINATES) as u32 | late.trailing_zeros();
            let code = code(captures, index);
            visit(index, code.min(!code));
            late &= late - 1;
        }
    }
}

/// The code at `index`.
#[inline(always)]
pub fn code(row: &[u64], index: u32) -> u8 {
    let group = &groups_of(row)[index as usize >> WORD_COORDINATES];
    let mut code = 0;
    for (bit, word) in group.iter().enumerate() {
        code |= ((word >> (index & 63) & 1) as u8) << bit;
    }
    code
}

/// Makes `code` the code at `index`.
#[inline(always)]
pub fn set_code(row: &mut [u64], index: u32, code: u8) {
    let group = &mut groups_of_mut(row)[index as usize >> WORD_COORDINATES];
    for (bit, word) in group.iter_mut().enumerate() {
        let place = index & 63;
        *word = *word & !(1 << place) | u64::from(code >> bit & 1) << place;
    }
}

/// The codes that eight streams of bits hold, the lowest bit first, `len` of them.
#[inline(always)]
pub fn codes(streams: &[Vec<u64>; BITS], len: usize, codes: &mut Vec<u8>) {
    codes.clear();
    for number in 0..len.div_ceil(64) {
        let words: Group = std::array::from_fn(|bit| streams[bit][number]);
        for byte in 0..8 {
            let mut square = 0;
            for (bit, word) in words.iter().enumerate() {
                square |= (word >> (8 * byte) & 0xff) << (8 * bit);
            }
            codes.extend(transpose(square).to_le_bytes());
        }
    }
    codes.truncate(len);
}

/// From streams of the bits of codes, those of wins and of losses.
pub fn decided(streams: &[Vec<u64>; BITS], wins: &mut Vec<u64>, losses: &mut Vec<u64>) {
    let low = |number: usize| streams[..HOPE].iter().fold(0, |any, bit| any | bit[number]);
    let hope = &streams[HOPE];
    wins.clear();
    losses.clear();
    wins.extend(hope.iter().enumerate().map(|(n, hope)| hope & low(n)));
    losses.extend(hope.iter().map(|hope| !hope));
}

/// Turns the codes of one side, as streams of bits, into those of the other.
pub fn of_the_other_side(streams: &mut [Vec<u64>; BITS]) {
    for number in 0..streams[HOPE].len() {
        let low = streams[..HOPE].iter().fold(0, |any, bit| any | bit[number]);
        // The complement, but draws stay what they are.
        let decided = low | !streams[HOPE][number];
        for stream in &mut *streams {
            stream[number] ^= decided;
        }
    }
}

/// Exchanges rows and columns of a square of eight by eight bits.
#[inline(always)]
fn transpose(mut square: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let change = (square >> shift ^ square) & mask;
        square ^= change ^ change << shift;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::super::{row_words, value};
    use super::*;
    use crate::board::{Board, Point, PointSet};
    use crate::grade::Grade;
    use crate::planes::{Bits, Kernel, Task, ones};
    use proptest::prelude::*;

    /// White's grade with Black to move, as a code: the complement, but for a draw.
    fn codes_of_a_row(len: usize, seed: u64) -> Vec<u8> {
        let mut state = seed | 1;
        (0..1usize << len)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let code = (state >> 32) as u8;
                // Small depths and the greatest are the interesting ones.
                let code = match state % 4 {
                    0 => code & 3,
                    1 => code | 0xfc,
                    2 => 128,
                    _ => code,
                };
                Grade::from_code(code).map_or(DEEPEST_HALF, Grade::code)
            })
            .collect()
    }

    fn row_of(codes: &[u8], len: usize) -> Vec<u64> {
        let mut row = vec![0; Graded::row_words(len)];
        for (index, &code) in codes.iter().enumerate() {
            set_code(&mut row, index as u32, code);
        }
        row
    }

    struct Run<'a> {
        frame: &'a Frame,
        board: &'a [u64],
        captures: Option<&'a [u64]>,
        out: &'a mut [u64],
    }

    impl Task for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<B: Bits>(self) {
            let mut scratch = Scratch::default();
            match self.captures {
                Some(captures) => {
                    Graded::black_placings(self.frame, self.board, captures, &mut scratch, self.out)
                }
                None => Graded::removals(self.frame, self.board, &mut scratch, self.out),
            }
        }
    }

    #[test]
    fn a_ply_before_is_what_a_grade_says() {
        let codes: Vec<u8> = (0..=255)
            .map(|code| Grade::from_code(code).map_or(128, Grade::code))
            .collect();
        for side in [Colour::White, Colour::Black] {
            let mut row = row_of(&codes, 8);
            Graded::before_ply(&mut row, side);
            for (index, &before) in codes.iter().enumerate() {
                let grade = Grade::from_code(before).unwrap();
                // The codes are White's, whoever moves; those of Black are the complement.
                let of_mover = |code: u8| {
                    let code = if code == 128 { 128 } else { !code };
                    Grade::from_code(code).unwrap()
                };
                let expected = match side {
                    // Black is on turn after White's ply.
                    Colour::White => of_mover(before).before().map(Grade::code),
                    Colour::Black => grade.before().map(|grade| match grade {
                        Grade::DRAW => 128,
                        other => !other.code(),
                    }),
                };
                let got = code(&row, index as u32);
                assert_eq!(got, expected.unwrap_or(before), "{side:?} {grade}");
            }
        }
    }

    #[test]
    fn changes_and_bounds_are_inverse() {
        let codes = codes_of_a_row(12, 77);
        let wanted = row_of(&codes, 12);
        let mut old = vec![0; row_words(12)];
        bounds_within(&wanted, 0, &mut old);
        for index in 0..1 << 12 {
            assert_eq!(value(&old, index), crate::rules::Value::Draw);
        }
        let mut grades = vec![0; Graded::row_words(12)];
        grade_at_once(&old, &mut grades);
        for half in 0..=DEEPEST_HALF {
            let mut new = vec![0; row_words(12)];
            bounds_within(&wanted, half + 1, &mut new);
            for index in 0..1 << 12 {
                let grade = Grade::from_code(codes[index as usize]).unwrap();
                let known = grade.plies().filter(|plies| plies / 2 <= half.into());
                let expected = known.map_or(crate::rules::Value::Draw, |_| grade.value());
                assert_eq!(value(&new, index), expected, "{grade} within {half}");
            }
            grade_changes(&old, &new, half, &mut grades);
            old = new;
        }
        assert!(grades == wanted);
    }

    #[test]
    fn streams_are_put_together() {
        let codes = codes_of_a_row(9, 5);
        let row = row_of(&codes, 9);
        let streams: [Vec<u64>; BITS] = std::array::from_fn(|bit| {
            let groups = groups_of(&row).iter().take(8);
            groups.map(|group| group[bit]).collect()
        });
        let mut again = Vec::new();
        super::codes(&streams, 500, &mut again);
        assert_eq!(again, codes[..500]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn placings_and_removals_choose_as_one_position_at_a_time_does(
            order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
            len in 1usize..12,
            seed: u64,
        ) {
            let board = Board::nine();
            let white: PointSet = order[len..].iter().map(|&p| Point::new(p)).collect();
            let frame = Frame::new(board, white);
            let (after, captures) = (codes_of_a_row(len, seed), codes_of_a_row(len, !seed));
            let (after_row, captures_row) = (row_of(&after, len), row_of(&captures, len));
            for placing in [false, true] {
                let results: Vec<Vec<u64>> = Kernel::ALL
                    .into_iter()
                    .filter(|kernel| kernel.supported())
                    .map(|kernel| {
                        let mut out = vec![0; Graded::row_words(len)];
                        kernel.run(Run {
                            frame: &frame,
                            board: &after_row,
                            captures: placing.then_some(&captures_row),
                            out: &mut out,
                        });
                        out
                    })
                    .collect();
                prop_assert!(results.iter().all(|result| *result == results[0]));
                for index in 0..1u32 << len {
                    let black: PointSet = ones(index).map(|c| frame.point(c)).collect();
                    let index_of = |men: PointSet| {
                        men.iter().fold(0, |set, man| set | 1usize << frame.coordinate(man))
                    };
                    let expected = if placing {
                        (board.points() - white - black)
                            .iter()
                            .map(|to| {
                                let men = black.with(to);
                                let source = if board.in_mill(men, to) { &captures } else { &after };
                                source[index_of(men)]
                            })
                            .min()
                            .unwrap_or(255)
                    } else {
                        let free = black - board.men_in_mills(black);
                        let removable = if free.is_empty() { black } else { free };
                        removable
                            .iter()
                            .map(|man| after[index_of(black.without(man))])
                            .max()
                            .unwrap_or(after[0])
                    };
                    prop_assert_eq!(code(&results[0], index), expected);
                }
            }
        }
    }
}
