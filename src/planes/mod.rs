//! Bit planes over subsets: the data of the solver and its kernels.
//!
//! Fix White's men W. Black's men B are a subset of the n points that W leaves empty, and the
//! subset, written in binary over those points in ascending order, is the **index** of B. A *row*
//! is a bitmap over all 2^n indices that answers two questions for every B at once:
//!
//! * the *sure* plane: White wins,
//! * the *hope* plane: White does not lose.
//!
//! A won position has both bits, a lost one none, and what is undecided (in the end: drawn) has
//! hope only. The two planes are a lower and an upper bound on the value, so one operation serves
//! both: White's choice is OR, Black's choice is AND.
//!
//! The words of the two planes alternate: word `2 * (index >> 6) + plane`. Kernels treat a row as
//! a plain array of words in which the plane is one more address bit that nothing ever touches.
//! A row has at least one [`CHUNK`] of 64 words; that is 2 planes times 2^11 indices, so within a
//! chunk only the 11 lowest coordinates vary, and their masks are constant tables.
//!
//! Where depths are wanted, a row holds the eight bits of a grade for every index in the same
//! manner: [`Graded`]. What both kinds of rows can do is [`Planes`].

mod bounds;
mod cpu;
mod extract;
mod frame;
mod graded;
mod memory;
mod moves;
mod pattern;
mod transfer;

pub use bounds::Bounds;
pub use cpu::{Bits, Kernel, PortableBits, Task, UnknownKernel, UnsupportedKernel};
pub use extract::{ClassCounts, Extractor, class_counts};
pub use frame::Frame;
pub(crate) use frame::ones;
pub use graded::{
    Graded, bounds_within, code, codes, decided, grade_at_once, grade_changes, late_captures,
    of_the_other_side, set_code,
};
pub use memory::Words;
pub use moves::{Scratch, black_moves, restrict_to_classes, undecided_row};
pub use pattern::Classes;
pub use transfer::{Ahead, Mapping, TransferScratch, transfer};

use crate::rules::{Colour, Value};

/// What a row holds for each index: numbers that White likes the more the greater they are, cut
/// into bits. Of 64 consecutive indices the words of all bits stand together, in a group.
pub trait Planes: Copy + Send + Sync + 'static {
    /// The words of a group.
    const WORDS: usize;

    /// Makes each number of `out` the greater of itself and that of `source`, whole groups of
    /// both. A number with no bit set is the least.
    fn greatest(source: &[u64], out: &mut [u64]);

    /// The lesser, likewise. A number with all bits set is the greatest.
    fn least(source: &[u64], out: &mut [u64]);

    /// Every position in which White has just closed a mill and is about to remove a man: the
    /// greatest over the men he may remove. `after` holds the positions with Black to move. Where
    /// Black has no man on the board, nothing is removed.
    fn removals(frame: &Frame, after: &[u64], scratch: &mut Scratch, out: &mut [u64]);

    /// Every position with Black to place a man: the least over the points. `board` holds the
    /// positions after a placing that closes no mill, `captures` those after one that does.
    fn black_placings(
        frame: &Frame,
        board: &[u64],
        captures: &[u64],
        scratch: &mut Scratch,
        out: &mut [u64],
    );

    /// Turns what `side` chose among into what the position before his ply is worth.
    fn before_ply(row: &mut [u64], side: Colour);

    /// The number of words of a row over `empty` empty points.
    #[inline]
    fn row_words(empty: usize) -> usize {
        row_words(empty) / Bounds::WORDS * Self::WORDS
    }
}

/// The words of a chunk.
pub const CHUNK: usize = 64;

/// The coordinates that vary within a word.
pub(crate) const WORD_COORDINATES: usize = 6;

/// The coordinates that vary within a chunk.
pub(crate) const CHUNK_COORDINATES: usize = 11;

/// The bit planes of a row, as the offset of a word within its pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// White wins.
    Sure = 0,
    /// White does not lose.
    Hope = 1,
}

/// The number of words of a row over `empty` empty points.
#[inline]
pub const fn row_words(empty: usize) -> usize {
    let coordinates = if empty < CHUNK_COORDINATES {
        CHUNK_COORDINATES
    } else {
        empty
    };
    2 << (coordinates - WORD_COORDINATES)
}

/// The bit of `plane` at `index`.
#[inline]
pub fn get(row: &[u64], plane: Plane, index: u32) -> bool {
    row[word_of(plane, index)] >> (index & 63) & 1 != 0
}

/// Flips the bit of `plane` at `index`.
#[inline]
pub fn flip(row: &mut [u64], plane: Plane, index: u32) {
    row[word_of(plane, index)] ^= 1 << (index & 63);
}

/// The value, for White, at `index`.
pub fn value(row: &[u64], index: u32) -> Value {
    match (get(row, Plane::Sure, index), get(row, Plane::Hope, index)) {
        (true, _) => Value::Win,
        (false, true) => Value::Draw,
        (false, false) => Value::Loss,
    }
}

/// Makes `value` the value, for White, at `index`.
#[inline]
pub fn set_value(row: &mut [u64], index: u32, value: Value) {
    for (plane, set) in [
        (Plane::Sure, value == Value::Win),
        (Plane::Hope, value != Value::Loss),
    ] {
        if get(row, plane, index) != set {
            flip(row, plane, index);
        }
    }
}

#[inline]
fn word_of(plane: Plane, index: u32) -> usize {
    (index as usize >> WORD_COORDINATES) * 2 + plane as usize
}

/// How far apart, in words, are two indices that differ in `coordinate` alone; 0 within a word.
#[inline]
fn stride<P: Planes>(coordinate: usize) -> usize {
    if coordinate < WORD_COORDINATES {
        0
    } else {
        P::WORDS << (coordinate - WORD_COORDINATES)
    }
}

/// How far apart, in bits of a word, are two indices that differ in `coordinate` alone; 0 beyond
/// a word.
#[inline]
const fn bit_stride(coordinate: usize) -> u32 {
    if coordinate < WORD_COORDINATES {
        1 << coordinate
    } else {
        0
    }
}
