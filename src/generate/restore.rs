//! From tables back to planes, where a run goes on after an earlier one.

use rayon::prelude::*;

use crate::board::PointSet;
use crate::database::{Database, ProbeError};
use crate::index::Index;
use crate::planes::{self, Classes};
use crate::rules::{Colour, Subspace};
use crate::solve::Level;
use crate::table::Values;

/// Fills the planes of a level with what is known before anything is.
pub(super) fn undecided(level: &Level<'_>, planes: &mut [u64], classes: &Classes) {
    planes
        .par_chunks_mut(level.row_words())
        .for_each(|row| planes::undecided_row(row, classes));
}

/// Puts the values of a table into the planes of its level; `side` is the one whose turn it is.
///
/// # Errors
/// When the table is missing or damaged: all of it is checked.
pub(super) fn restore_table(
    database: &Database,
    index: &Index,
    subspace: Subspace,
    level: &Level<'_>,
    side: Colour,
    planes: &mut [u64],
) -> Result<(), ProbeError> {
    database.check_table(subspace)?;
    let values: Values = database.table(subspace)?.decode_all()?;
    let (_, others) = Index::row_and_rank_men(subspace);
    planes
        .par_chunks_mut(level.row_words())
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
                let value = values.get(slot);
                let white = if side == Colour::White { value } else { -value };
                planes::set_value(words, men.bits(), white);
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
