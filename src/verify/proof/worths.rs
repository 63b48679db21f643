//! A table of grades as the positions before see it.

use rayon::prelude::*;

use crate::board::{PointSet, Symmetry};
use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{Subspace, Value};

use super::passage::{Passage, Passages};

/// What a move is worth to the side that plays it, as the code of a grade, when the position it
/// leads to has the grade with this code: [`Grade::before`] on bytes, written without a branch.
///
/// Two codes need a word. 127 stands for no grade; a move to a position without a grade counts as
/// the worst (the position without a grade is found where it stands). And a move to a win in 253
/// is worth the loss in 254 that no grade can hold, 127: nothing in a table is equal to it.
///
/// Different codes give different worths, so a code can be told from its worth, and none but 127
/// gives 0.
#[inline]
pub(super) const fn worth(code: u8) -> u8 {
    match code {
        0..=126 => !code,
        127 => 0,
        128.. => code.wrapping_neg(),
    }
}

/// The worth of a move to a position in which the game is over for want of men, with this outcome
/// for the side to move. A side whose opponent has too few men has won at once; as games end with
/// a player on turn who has lost, that counts as a win in 1, whatever it would play.
pub(super) const fn worth_of_end(outcome: Value) -> u8 {
    match outcome {
        Value::Loss => worth(Grade::OVER.code()),
        Value::Draw => worth(Grade::DRAW.code()),
        Value::Win => worth(QUICKEST_WIN),
    }
}

/// The code of a win in 1.
pub(super) const QUICKEST_WIN: u8 = u8::MAX;

/// The worth that stands for a code that is none.
pub(super) const NO_GRADE: u8 = worth(127);

/// The worths of moves to each slot of a subspace, twin slots too.
pub(super) struct Worths {
    per_row: usize,
    /// How far one row is from the next: 0 where all are the same.
    stride: usize,
    worths: Vec<u8>,
}

impl Worths {
    /// From codes, as many as the subspace has slots.
    pub(super) fn new(
        index: &Index,
        passages: &Passages<'_>,
        subspace: Subspace,
        mut codes: Vec<u8>,
    ) -> Self {
        let (men, others) = Index::row_and_rank_men(subspace);
        let rows = index.rows(men);
        let per_row = index.slots_per_row(subspace) as usize;
        codes
            .par_chunks_mut(per_row.max(1))
            .enumerate()
            .for_each_init(Twins::default, |twins, (row, codes)| {
                if rows.stabiliser_order(row) > 1 {
                    let set = rows.representatives()[row];
                    let homes =
                        twins.homes(passages, set, rows.stabiliser(index.board(), row), others);
                    for (slot, &home) in homes.iter().enumerate() {
                        codes[slot] = codes[home as usize];
                    }
                }
                for code in &mut *codes {
                    *code = worth(*code);
                }
            });
        Self {
            per_row,
            stride: per_row,
            worths: codes,
        }
    }

    /// The same worth for every slot.
    pub(super) fn constant(per_row: usize, worth: u8) -> Self {
        Self {
            per_row,
            stride: 0,
            worths: vec![worth; per_row],
        }
    }

    /// The worths of a row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u8] {
        &self.worths[row * self.stride..][..self.per_row]
    }

    /// The worth of a slot.
    #[inline]
    pub(super) fn get(&self, slot: u64) -> u8 {
        self.worths[slot as usize]
    }

    /// How many slots a row has.
    pub(super) fn per_row(&self) -> usize {
        self.per_row
    }

    /// The code that stood at a slot, at a twin slot that of its home.
    pub(super) fn code(&self, slot: u64) -> u8 {
        let stored = self.worths[slot as usize];
        let is_it = |&code: &u8| worth(code) == stored;
        (0..=u8::MAX)
            .find(is_it)
            .expect("every byte is the worth of a code")
    }
}

/// Finds the homes of a row's slots.
#[derive(Default)]
struct Twins {
    passage: Passage,
    homes: Vec<u32>,
}

impl Twins {
    /// For each slot of the row of `set`, which the symmetries of `stabiliser` keep, the slot of
    /// its position.
    fn homes<'b>(
        &mut self,
        passages: &Passages<'_>,
        set: PointSet,
        stabiliser: impl Iterator<Item = &'b Symmetry>,
        others: usize,
    ) -> &[u32] {
        for (nth, symmetry) in stabiliser.enumerate() {
            passages.trace(&mut self.passage, set, set, symmetry, others);
            if nth == 0 {
                self.homes.clear();
                self.homes.extend(self.passage.ranks());
            } else {
                for (home, rank) in self.homes.iter_mut().zip(self.passage.ranks()) {
                    *home = rank.min(*home);
                }
            }
        }
        &self.homes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worths_are_what_grades_say() {
        let mut seen = [false; 256];
        for code in 0..=u8::MAX {
            let worth = worth(code);
            assert!(!std::mem::replace(&mut seen[usize::from(worth)], true));
            match Grade::from_code(code) {
                None => assert_eq!((code, worth), (127, NO_GRADE)),
                Some(grade) => match grade.before() {
                    Some(before) => assert_eq!(worth, before.code()),
                    None => assert_eq!(Grade::from_code(worth), None),
                },
            }
        }
    }
}
