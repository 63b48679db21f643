//! The positions of a subspace in the order of their slots.

use std::ops::Range;

use crate::board::PointSet;
use crate::index::Index;
use crate::rules::{Position, Subspace};

/// How many slots a parallel task takes at once.
pub(super) const CHUNK: u64 = 1 << 16;

/// Cuts `0..count` into ranges for parallel tasks.
pub(super) fn chunks(count: u64) -> impl rayon::iter::IndexedParallelIterator<Item = Range<u64>> {
    use rayon::prelude::*;
    let chunks = count.div_ceil(CHUNK) as usize;
    (0..chunks).into_par_iter().map(move |chunk| {
        let start = chunk as u64 * CHUNK;
        start..count.min(start + CHUNK)
    })
}

/// A slot and the men of its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// The slot.
    pub slot: u64,
    /// The row of the slot.
    pub row: usize,
    /// The men of the first player, who gives the row.
    pub first: PointSet,
    /// The men of the other player.
    pub other: PointSet,
}

impl Visit {
    /// How many orientations of the board give positions that differ; `None` for a twin slot,
    /// whose position has its value elsewhere.
    #[inline]
    pub(super) fn orientations(&self, index: &Index, subspace: Subspace) -> Option<u64> {
        let board = index.board();
        let all = board.symmetries().len() as u64;
        let rows = index.rows(Index::row_and_rank_men(subspace).0);
        if rows.stabiliser_order(self.row) == 1 {
            return Some(all);
        }
        let mut kept = 0;
        for symmetry in rows.stabiliser(board, self.row) {
            let image = symmetry.set(self.other);
            if image < self.other {
                return None;
            }
            kept += u64::from(image == self.other);
        }
        Some(all / kept)
    }

    /// The position, with the player who began as White.
    #[inline]
    pub(super) fn position(&self, subspace: Subspace) -> Position {
        let (mover, opponent) = if subspace.mover_began() {
            (self.first, self.other)
        } else {
            (self.other, self.first)
        };
        Position::in_subspace(subspace, mover, opponent)
    }
}

/// Goes through a range of slots of a subspace, one after the other, without unranking each.
pub(super) struct Walk<'a> {
    index: &'a Index,
    slots: Range<u64>,
    /// Men of the first and of the other player.
    men: (usize, usize),
    row: usize,
    first: PointSet,
    /// The points the first player leaves empty, each as a set of its own, in ascending order.
    empty: Vec<PointSet>,
    /// The other player's men, as places in `empty`: the sets of a row in ascending order.
    places: u32,
}

impl<'a> Walk<'a> {
    pub(super) fn new(index: &'a Index, subspace: Subspace, slots: Range<u64>) -> Self {
        let men = Index::row_and_rank_men(subspace);
        let mut walk = Self {
            index,
            row: 0,
            first: PointSet::EMPTY,
            empty: Vec::new(),
            places: 0,
            men,
            slots,
        };
        if !walk.slots.is_empty() {
            let per_row = index.slots_per_row(subspace);
            walk.begin_row((walk.slots.start / per_row) as usize);
            let universe = PointSet::first(walk.empty.len());
            let places = index.unrank(walk.slots.start % per_row, men.1, universe);
            walk.places = places.bits();
        }
        walk
    }

    /// Goes to the first slot of a row.
    fn begin_row(&mut self, row: usize) {
        let (men, others) = self.men;
        self.row = row;
        self.first = self.index.rows(men).representatives()[row];
        let empty = self.index.board().points() - self.first;
        self.empty.clear();
        self.empty
            .extend(empty.iter().map(|point| PointSet::EMPTY.with(point)));
        self.places = PointSet::first(others).bits();
    }
}

impl Iterator for Walk<'_> {
    type Item = Visit;

    #[inline]
    fn next(&mut self) -> Option<Visit> {
        let slot = self.slots.next()?;
        let other = PointSet::from_bits(self.places)
            .iter()
            .fold(PointSet::EMPTY, |set, place| {
                set | self.empty[place.number()]
            });
        let visit = Visit {
            slot,
            row: self.row,
            first: self.first,
            other,
        };
        if !self.slots.is_empty() {
            // The next larger number with as many bits; the last set of a row has none.
            let lowest = self.places & self.places.wrapping_neg();
            let ripple = u64::from(self.places) + u64::from(lowest);
            if lowest == 0 || ripple >> self.empty.len() != 0 {
                self.begin_row(self.row + 1);
            } else {
                let ripple = ripple as u32;
                self.places = ripple | (((self.places ^ ripple) >> 2) / lowest);
            }
        }
        Some(visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// The walk gives what the index gives, wherever it begins, and orientations add up to all
    /// positions.
    #[test]
    fn a_walk_visits_every_slot_once() {
        let index = Index::new(Board::nine());
        for text in [
            "0-0+9-9", "0-1+9-8", "1-2+8-7", "3-3", "2-4", "0-3+2-2", "4-2",
        ] {
            let subspace: Subspace = text.parse().unwrap();
            let slots = index.slots(subspace);
            let (mut canonical, mut raw) = (0, 0);
            let cuts = [0, slots / 3, slots / 2, slots];
            let pieces = cuts.windows(2).map(|cut| cut[0]..cut[1]);
            let visits = pieces.flat_map(|piece| Walk::new(&index, subspace, piece));
            for (slot, visit) in (0..).zip(visits) {
                let position = visit.position(subspace);
                let men = (position.mover(), position.opponent());
                assert_eq!(position.subspace(), subspace);
                assert_eq!((visit.slot, men), (slot, index.position(subspace, slot)));
                let home = index.slot(subspace, men.0, men.1);
                let orientations = visit.orientations(&index, subspace);
                assert_eq!(orientations.is_some(), home == slot, "{text} slot {slot}");
                canonical += u64::from(orientations.is_some());
                raw += orientations.unwrap_or(0);
            }
            assert_eq!(canonical, index.canonical_positions(subspace), "{text}");
            assert_eq!(raw, index.raw_positions(subspace), "{text}");
        }
    }
}
