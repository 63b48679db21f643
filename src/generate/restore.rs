//! From tables back to planes, where a run goes on after an earlier one.

use rayon::prelude::*;

use crate::board::PointSet;
use crate::database::{Database, ProbeError};
use crate::grade::Grade;
use crate::index::Index;
use crate::planes::{self, Bounds, Classes, Graded};
use crate::rules::{Colour, Subspace};
use crate::solve::{Level, Solution};
use crate::table::{Grades, Metric, Values};

/// Fills the planes of a level with what is known before anything is.
pub(super) fn undecided<P: Solution>(level: &Level<'_>, planes: &mut [u64], classes: &Classes) {
    let mut bounds = vec![0; level.row_words()];
    planes::undecided_row(&mut bounds, classes);
    planes
        .par_chunks_mut(level.row_words_of::<P>())
        .for_each(|row| P::at_once(&bounds, row));
}

/// What tables hold of a solution.
pub(super) trait Restore: Solution {
    /// A whole table in memory.
    type Slots: Sync;

    /// Reads and checks the table of a subspace.
    fn read(database: &Database, subspace: Subspace) -> Result<Self::Slots, ProbeError>;

    /// Puts what a slot says into a row; `side` is the one whose turn it is.
    fn put(slots: &Self::Slots, slot: u64, side: Colour, row: &mut [u64], index: u32);
}

impl Restore for Bounds {
    type Slots = Values;

    fn read(database: &Database, subspace: Subspace) -> Result<Values, ProbeError> {
        database.check_table_of(subspace, Metric::Values)?;
        Ok(database.table(subspace)?.decode_all()?)
    }

    fn put(slots: &Values, slot: u64, side: Colour, row: &mut [u64], index: u32) {
        let value = slots.get(slot);
        let white = if side == Colour::White { value } else { -value };
        planes::set_value(row, index, white);
    }
}

impl Restore for Graded {
    type Slots = Grades;

    fn read(database: &Database, subspace: Subspace) -> Result<Grades, ProbeError> {
        database.check_table_of(subspace, Metric::Grades)?;
        Ok(database
            .table_of(subspace, Metric::Grades)?
            .decode_grades()?)
    }

    fn put(slots: &Grades, slot: u64, side: Colour, row: &mut [u64], index: u32) {
        let grade = slots.grade(slot);
        let white = match side {
            Colour::Black if grade != Grade::DRAW => !grade.code(),
            _ => grade.code(),
        };
        planes::set_code(row, index, white);
    }
}

/// Puts the values of a table into the planes of its level; `side` is the one whose turn it is.
///
/// # Errors
/// When the table is missing or damaged: all of it is checked.
pub(super) fn restore_table<P: Restore>(
    database: &Database,
    index: &Index,
    subspace: Subspace,
    level: &Level<'_>,
    side: Colour,
    planes: &mut [u64],
) -> Result<(), ProbeError> {
    let slots = P::read(database, subspace)?;
    let (_, others) = Index::row_and_rank_men(subspace);
    planes
        .par_chunks_mut(level.row_words_of::<P>())
        .enumerate()
        .for_each(|(place, words)| {
            let set = level.set(place);
            let row = index.rows(level.men()).row(set);
            let empty = index.board().points() - set;
            let trivial = index.rows(level.men()).stabiliser_order(row) == 1;
            let men = PointSet::subsets(level.empty(), others);
            for (slot, men) in index.row_slots(subspace, row).zip(men) {
                let slot = if trivial {
                    slot
                } else {
                    // A twin's own value means nothing.
                    let others = spread(men, empty);
                    let (mover, opponent) = if subspace.mover_began() {
                        (set, others)
                    } else {
                        (others, set)
                    };
                    index.slot(subspace, mover, opponent)
                };
                P::put(&slots, slot, side, words, men.bits());
            }
        });
    Ok(())
}

/// The points of `empty` that the coordinates of `index` stand for.
fn spread(index: PointSet, empty: PointSet) -> PointSet {
    let points = empty.iter().enumerate();
    points
        .filter(|&(coordinate, _)| index.bits() >> coordinate & 1 != 0)
        .map(|(_, point)| point)
        .collect()
}
