//! Slots, found fast: for every set of men its row and a symmetry into the row's representative,
//! looked up instead of searched among all orientations.

use std::sync::OnceLock;

use crate::board::{PointSet, Symmetry};
use crate::index::{Index, Rows};

/// Where the sets of one number of men lie.
struct Men {
    /// For every set, by its rank among all sets: the row, and the number of a symmetry that maps
    /// the set to the row's representative.
    homes: Vec<u32>,
}

/// How many bits of a home hold the symmetry.
const SYMMETRY_BITS: u32 = 6;

/// Where every set of men lies. Tables are made when first needed.
pub(super) struct Homes<'a> {
    index: &'a Index,
    by_men: Vec<OnceLock<Men>>,
}

/// Where a set of men lies.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    /// The row.
    row: usize,
    rows: &'a Rows,
    /// The number of the symmetry below.
    number: usize,
    /// Maps the set to the row's representative.
    symmetry: &'static Symmetry,
}

impl Home<'_> {
    /// The row.
    #[inline]
    pub(super) fn row(&self) -> usize {
        self.row
    }

    /// The row's representative.
    #[inline]
    pub(super) fn representative(&self) -> PointSet {
        self.rows.representatives()[self.row]
    }

    /// The number of a symmetry that maps the set to the representative; of the identity, 0, where
    /// the set is the representative.
    #[inline]
    pub(super) fn symmetry(&self) -> usize {
        self.number
    }
}

impl<'a> Homes<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        assert!(
            index.board().symmetries().len() <= 1 << SYMMETRY_BITS,
            "a symmetry is held in {SYMMETRY_BITS} bits"
        );
        Self {
            index,
            by_men: (0..=index.board().len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Where the sets of `men` men lie.
    fn men(&self, men: usize) -> &Men {
        self.by_men[men].get_or_init(|| {
            let board = self.index.board();
            let count = self.index.binomial(board.len(), men);
            let mut homes = vec![0; count as usize];
            let rows = self.index.rows(men);
            for (row, &representative) in rows.representatives().iter().enumerate() {
                // The first symmetry that does it is kept, which for a representative is the
                // identity.
                for (number, symmetry) in board.symmetries().iter().enumerate().rev() {
                    let image = symmetry.set(representative);
                    let rank = self.index.rank(image, board.points());
                    homes[rank as usize] = (row << SYMMETRY_BITS | board.inverse(number)) as u32;
                }
            }
            Men { homes }
        })
    }

    /// Where a set of men lies.
    #[inline]
    pub(super) fn home(&self, set: PointSet) -> Home<'_> {
        let board = self.index.board();
        let rank = self.index.rank(set, board.points());
        let home = self.men(set.len()).homes[rank as usize] as usize;
        let number = home & ((1 << SYMMETRY_BITS) - 1);
        Home {
            row: home >> SYMMETRY_BITS,
            rows: self.index.rows(set.len()),
            number,
            symmetry: &board.symmetries()[number],
        }
    }

    /// The slot of a position of a subspace with `per_row` slots a row, of which the first
    /// player's men are at `home` and the other's are `other`.
    #[inline]
    pub(super) fn slot(&self, home: Home<'_>, per_row: u64, other: PointSet) -> u64 {
        let board = self.index.board();
        let image = home.symmetry.set(other);
        let smallest = if home.rows.stabiliser_order(home.row) == 1 {
            image
        } else {
            let images = home.rows.stabiliser(board, home.row);
            let images = images.map(|symmetry| symmetry.set(image));
            images.min().expect("the identity is a symmetry")
        };
        let empty = board.points() - home.rows.representatives()[home.row];
        home.row as u64 * per_row + self.index.rank(smallest, empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Point};
    use crate::rules::Subspace;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slots_are_those_of_the_index(
            order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
            mover in 0usize..=9,
            opponent in 0usize..=9,
            began: bool,
        ) {
            static INDEX: std::sync::LazyLock<Index> =
                std::sync::LazyLock::new(|| Index::new(Board::nine()));
            static HOMES: std::sync::LazyLock<Homes<'static>> =
                std::sync::LazyLock::new(|| Homes::new(&INDEX));
            let set = |numbers: &[usize]| numbers.iter().map(|&n| Point::new(n)).collect::<PointSet>();
            let (a, b) = (set(&order[..mover]), set(&order[mover..mover + opponent]));
            let subspace = Subspace {
                mover_hand: 2,
                opponent_hand: if began { 2 } else { 1 },
                ..Subspace::moving(mover, opponent)
            };
            let (first, other) = if began { (a, b) } else { (b, a) };
            let slot = HOMES.slot(HOMES.home(first), INDEX.slots_per_row(subspace), other);
            prop_assert_eq!(slot, INDEX.slot(subspace, a, b));
        }
    }
}
