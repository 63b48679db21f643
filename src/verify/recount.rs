//! Counting the values of a table again.

use std::ops::{AddAssign, Range};

use rayon::prelude::*;

use crate::index::Index;
use crate::rules::{Subspace, Value};
use crate::table::{Counts, Values};
use crate::verify::walk::{Walk, chunks};

/// Counts of a table's positions, with and without the board's symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Recount {
    /// One position for each orbit.
    pub canonical: Counts,
    /// Every orientation.
    pub raw: Counts,
}

impl Recount {
    /// Counts a position of this value that has so many orientations.
    #[inline]
    fn add(&mut self, value: Value, orientations: u64) {
        self.canonical.add_of(value, 1);
        self.raw.add_of(value, orientations);
    }
}

impl AddAssign for Recount {
    fn add_assign(&mut self, other: Self) {
        self.canonical += other.canonical;
        self.raw += other.raw;
    }
}

/// Counts the positions of a table by value.
pub(super) fn recount(index: &Index, subspace: Subspace, values: &Values) -> Recount {
    let (men, _) = Index::row_and_rank_men(subspace);
    let rows = index.rows(men);
    let per_row = index.slots_per_row(subspace);
    let symmetries = index.board().symmetries().len() as u64;
    let count = |slots: Range<u64>| {
        let mut sum = Recount::default();
        let mut start = slots.start;
        while start < slots.end {
            let row = start / per_row;
            let end = slots.end.min((row + 1) * per_row);
            if rows.stabiliser_order(row as usize) == 1 {
                // No twins, and every position has all orientations.
                let counts = values.counts(start..end);
                sum.canonical += counts;
                sum.raw += counts * symmetries;
            } else {
                for visit in Walk::new(index, subspace, start..end) {
                    if let Some(orientations) = visit.orientations(index, subspace) {
                        sum.add(values.get(visit.slot), orientations);
                    }
                }
            }
            start = end;
        }
        sum
    };
    let sums = chunks(values.len()).map(count);
    sums.reduce(Recount::default, |mut sum, counts| {
        sum += counts;
        sum
    })
}
