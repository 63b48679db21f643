//! The index: a perfect hash between the positions of a subspace and the slots of its table.
//!
//! A slot is (row, rank). The row is the representative of the first player's set of men under
//! the board's symmetries: the smallest bit mask of its orbit, numbered in ascending order. The
//! rank is the colexicographic rank of the other player's men among the points the
//! representative leaves empty. The first player is the mover when both hands are equally full
//! (both hands empty included), else the opponent: see [`Subspace::mover_began`].
//!
//! A representative that some symmetries leave in place (its stabiliser) gives symmetric positions
//! several slots. A position's slot is the one with the smallest mask of the other player's men
//! among them; the others are twins that no probe ever asks for.

use std::ops::Range;
use std::sync::OnceLock;

use crate::board::{Board, Point, PointSet, Symmetry};
use crate::rules::Subspace;

/// The representatives of all sets of a given number of men.
#[derive(Debug)]
pub struct Rows {
    representatives: Vec<PointSet>,
    /// For each row, which symmetries keep its representative: bit `k` for symmetry `k`.
    stabilisers: Vec<u64>,
}

impl Rows {
    fn new(board: &Board, men: usize) -> Self {
        assert!(
            board.symmetries().len() <= 64,
            "a stabiliser is held in 64 bits"
        );
        let mut rows = Self {
            representatives: Vec::new(),
            stabilisers: Vec::new(),
        };
        'sets: for set in PointSet::subsets(board.len(), men) {
            let mut stabiliser = 0u64;
            for (number, symmetry) in board.symmetries().iter().enumerate() {
                let image = symmetry.set(set);
                if image < set {
                    continue 'sets;
                }
                stabiliser |= u64::from(image == set) << number;
            }
            rows.representatives.push(set);
            rows.stabilisers.push(stabiliser);
        }
        rows
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// Whether there is no row: more men than points.
    pub fn is_empty(&self) -> bool {
        self.representatives.is_empty()
    }

    /// The representatives in ascending order.
    #[inline]
    pub fn representatives(&self) -> &[PointSet] {
        &self.representatives
    }

    /// The row of a representative.
    ///
    /// # Panics
    /// When the set is not a representative.
    #[inline]
    pub fn row(&self, representative: PointSet) -> usize {
        self.representatives
            .binary_search(&representative)
            .expect("the smallest image of a set is a representative")
    }

    /// The symmetries that keep the representative of `row`, the identity first.
    pub fn stabiliser<'b>(
        &self,
        board: &'b Board,
        row: usize,
    ) -> impl Iterator<Item = &'b Symmetry> + use<'b> {
        let set = self.stabilisers[row];
        let all = board.symmetries().iter().enumerate();
        all.filter(move |(number, _)| set >> number & 1 != 0)
            .map(|(_, symmetry)| symmetry)
    }

    /// How many symmetries keep the representative of `row`.
    #[inline]
    pub fn stabiliser_order(&self, row: usize) -> usize {
        self.stabilisers[row].count_ones() as usize
    }
}

/// The index of a board: rows for each number of men, and ranks.
#[derive(Debug)]
pub struct Index {
    board: &'static Board,
    rows: Vec<OnceLock<Rows>>,
    binomials: Vec<Vec<u64>>,
}

/// The version of the index described here; part of every file.
pub const INDEX_VERSION: u32 = 1;

impl Index {
    /// The index of a board. Cheap: rows are found when first asked for.
    pub fn new(board: &'static Board) -> Self {
        let points = board.len();
        let mut binomials = vec![vec![0u64; points + 2]; points + 1];
        for n in 0..=points {
            binomials[n][0] = 1;
            for k in 1..=n {
                binomials[n][k] = binomials[n - 1][k - 1] + binomials[n - 1][k];
            }
        }
        Self {
            board,
            rows: (0..=points).map(|_| OnceLock::new()).collect(),
            binomials,
        }
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &'static Board {
        self.board
    }

    /// The rows of sets of `men` men.
    ///
    /// # Panics
    /// When `men` is more than the board has points.
    #[inline]
    pub fn rows(&self, men: usize) -> &Rows {
        self.rows[men].get_or_init(|| Rows::new(self.board, men))
    }

    /// `n` choose `k`, for `n` up to the number of points; 0 when `k` is larger than `n`.
    #[inline]
    pub fn binomial(&self, n: usize, k: usize) -> u64 {
        self.binomials[n].get(k).copied().unwrap_or(0)
    }

    /// The numbers of men that give rows and ranks: the first player's and the other's.
    #[inline]
    pub fn row_and_rank_men(subspace: Subspace) -> (usize, usize) {
        let (mover, opponent) = (subspace.mover.into(), subspace.opponent.into());
        if subspace.mover_began() {
            (mover, opponent)
        } else {
            (opponent, mover)
        }
    }

    /// The number of slots of a row of `subspace`.
    #[inline]
    pub fn slots_per_row(&self, subspace: Subspace) -> u64 {
        let (first, other) = Self::row_and_rank_men(subspace);
        match self.board.len().checked_sub(first) {
            Some(empty) => self.binomial(empty, other),
            None => 0,
        }
    }

    /// The number of slots of a table of `subspace`.
    pub fn slots(&self, subspace: Subspace) -> u64 {
        let (first, _) = Self::row_and_rank_men(subspace);
        if first > self.board.len() {
            return 0;
        }
        self.rows(first).len() as u64 * self.slots_per_row(subspace)
    }

    /// The number of positions of `subspace` up to symmetry (Burnside's lemma).
    pub fn canonical_positions(&self, subspace: Subspace) -> u64 {
        let (first, other) = Self::row_and_rank_men(subspace);
        let rows = self.rows(first);
        (0..rows.len())
            .map(|row| {
                let empty = self.board.points() - rows.representatives()[row];
                let order = rows.stabiliser_order(row) as u64;
                if order == 1 {
                    return self.slots_per_row(subspace);
                }
                let kept: u64 = rows
                    .stabiliser(self.board, row)
                    .map(|symmetry| kept_sets(&cycles(symmetry, empty), other))
                    .sum();
                kept / order
            })
            .sum()
    }

    /// The number of positions of `subspace`, every orientation counted.
    pub fn raw_positions(&self, subspace: Subspace) -> u64 {
        let points = self.board.len();
        let (mover, opponent) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        match points.checked_sub(mover) {
            Some(empty) => self.binomial(points, mover) * self.binomial(empty, opponent),
            None => 0,
        }
    }

    /// The representative of a pair of disjoint sets: the image with the smallest `first`, and
    /// among those the smallest `other`.
    #[inline]
    pub fn canonical(&self, first: PointSet, other: PointSet) -> (PointSet, PointSet) {
        let mut best = (u64::from(first.bits()) << 32) | u64::from(other.bits());
        for symmetry in &self.board.symmetries()[1..] {
            let image = symmetry.set(first);
            if u64::from(image.bits()) <= best >> 32 {
                let whole = (u64::from(image.bits()) << 32) | u64::from(symmetry.set(other).bits());
                best = best.min(whole);
            }
        }
        (
            PointSet::from_bits((best >> 32) as u32),
            PointSet::from_bits(best as u32),
        )
    }

    /// The row of a set of men and a symmetry that maps the set to the row's representative.
    pub fn locate(&self, set: PointSet) -> (usize, &'static Symmetry) {
        let symmetries = self.board.symmetries();
        let smallest = symmetries.iter().min_by_key(|symmetry| symmetry.set(set));
        let symmetry = smallest.expect("the identity is a symmetry");
        (self.rows(set.len()).row(symmetry.set(set)), symmetry)
    }

    /// The colexicographic rank of `set` among the subsets of `universe` with as many points.
    #[inline]
    pub fn rank(&self, set: PointSet, universe: PointSet) -> u64 {
        let mut rank = 0;
        for (taken, point) in set.iter().enumerate() {
            let below = universe & PointSet::first(point.number());
            rank += self.binomials[below.len()][taken + 1];
        }
        rank
    }

    /// The subset of `universe` with `count` points and this colexicographic rank.
    ///
    /// # Panics
    /// When there are not more than `rank` such sets.
    pub fn unrank(&self, mut rank: u64, count: usize, universe: PointSet) -> PointSet {
        let points: Vec<Point> = universe.iter().collect();
        assert!(
            rank < self.binomial(points.len(), count),
            "rank out of range"
        );
        let mut set = PointSet::EMPTY;
        let mut above = points.len();
        for taken in (1..=count).rev() {
            above = (0..above)
                .rev()
                .find(|&place| self.binomial(place, taken) <= rank)
                .expect("a rank in range has a place for every man");
            rank -= self.binomial(above, taken);
            set = set.with(points[above]);
        }
        set
    }

    /// The slot of a position: `mover` and `opponent` are disjoint sets of points with as many
    /// men as `subspace` says.
    #[inline]
    pub fn slot(&self, subspace: Subspace, mover: PointSet, opponent: PointSet) -> u64 {
        debug_assert_eq!(mover.len(), usize::from(subspace.mover));
        debug_assert_eq!(opponent.len(), usize::from(subspace.opponent));
        debug_assert!(!mover.meets(opponent));
        let (first, other) = if subspace.mover_began() {
            self.canonical(mover, opponent)
        } else {
            self.canonical(opponent, mover)
        };
        let row = self.rows(first.len()).row(first) as u64;
        row * self.slots_per_row(subspace) + self.rank(other, self.board.points() - first)
    }

    /// The position of a slot, as the mover's and the opponent's men. A twin slot gives a position
    /// whose own slot is another one.
    ///
    /// # Panics
    /// When the subspace has not more than `slot` slots.
    pub fn position(&self, subspace: Subspace, slot: u64) -> (PointSet, PointSet) {
        let (men, others) = Self::row_and_rank_men(subspace);
        let per_row = self.slots_per_row(subspace);
        let first = self.rows(men).representatives()[(slot / per_row) as usize];
        let other = self.unrank(slot % per_row, others, self.board.points() - first);
        if subspace.mover_began() {
            (first, other)
        } else {
            (other, first)
        }
    }

    /// The slots of a row.
    pub fn row_slots(&self, subspace: Subspace, row: usize) -> Range<u64> {
        let per_row = self.slots_per_row(subspace);
        row as u64 * per_row..(row as u64 + 1) * per_row
    }
}

/// The cycles of a symmetry on a set it maps to itself.
pub(crate) fn cycles(symmetry: &Symmetry, set: PointSet) -> Vec<PointSet> {
    let mut left = set;
    let mut all = Vec::new();
    while let Some(start) = left.iter().next() {
        let mut cycle = PointSet::EMPTY.with(start);
        let mut point = symmetry.point(start);
        while point != start {
            cycle = cycle.with(point);
            point = symmetry.point(point);
        }
        left = left - cycle;
        all.push(cycle);
    }
    all
}

/// How many unions of some of these cycles have `count` points.
fn kept_sets(cycles: &[PointSet], count: usize) -> u64 {
    let mut ways = vec![0u64; count + 1];
    ways[0] = 1;
    for cycle in cycles {
        for total in (cycle.len()..=count).rev() {
            ways[total] += ways[total - cycle.len()];
        }
    }
    ways[count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index() -> &'static Index {
        static INDEX: std::sync::LazyLock<Index> =
            std::sync::LazyLock::new(|| Index::new(Board::nine()));
        &INDEX
    }

    #[test]
    fn rows_have_the_known_numbers() {
        let lengths: Vec<_> = (0..=9).map(|men| index().rows(men).len()).collect();
        assert_eq!(
            lengths,
            [1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880]
        );
    }

    #[test]
    fn the_moving_subspaces_have_the_published_totals() {
        let men = 3..=9;
        let (mut slots, mut canonical, mut raw) = (0, 0, 0);
        for mover in men.clone() {
            for opponent in men.clone() {
                let subspace = Subspace::moving(mover, opponent);
                slots += index().slots(subspace);
                canonical += index().canonical_positions(subspace);
                raw += index().raw_positions(subspace);
            }
        }
        assert_eq!(slots, 9_193_626_407);
        assert_eq!(canonical, 8_904_593_601);
        assert_eq!(raw, 142_430_121_724);
    }

    /// Slot and position are inverse to each other on canonical slots, every orientation of a
    /// position has the same slot, and there are as many canonical slots as orbits.
    #[test]
    fn small_subspaces_are_indexed_exactly() {
        let index = index();
        for text in [
            "0-0+9-9", "0-1+9-8", "1-1+8-8", "1-2+8-7", "2-2+7-6", "3-2", "3-3", "2-4",
        ] {
            let subspace: Subspace = text.parse().unwrap();
            let mut canonical = 0;
            for slot in 0..index.slots(subspace) {
                let (mover, opponent) = index.position(subspace, slot);
                let home = index.slot(subspace, mover, opponent);
                canonical += u64::from(home == slot);
                assert!(home <= slot);
                assert_eq!(
                    index.position(subspace, home),
                    {
                        let (first, other) = if subspace.mover_began() {
                            index.canonical(mover, opponent)
                        } else {
                            let (first, other) = index.canonical(opponent, mover);
                            (other, first)
                        };
                        (first, other)
                    },
                    "{text} slot {slot}"
                );
            }
            assert_eq!(canonical, index.canonical_positions(subspace), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_orientation_has_the_same_slot(
            order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
            mover in 0usize..=9,
            opponent in 0usize..=9,
            symmetry in 0usize..16,
            hand in 0u8..3,
            began in any::<bool>(),
        ) {
            let index = index();
            let set = |numbers: &[usize]| numbers.iter().map(|&n| Point::new(n)).collect::<PointSet>();
            let (a, b) = (set(&order[..mover]), set(&order[mover..mover + opponent]));
            let subspace = Subspace {
                mover: mover as u8,
                opponent: opponent as u8,
                mover_hand: hand,
                opponent_hand: if began || hand == 0 { hand } else { hand - 1 },
            };
            let slot = index.slot(subspace, a, b);
            prop_assert!(slot < index.slots(subspace));
            let symmetry = &index.board().symmetries()[symmetry];
            prop_assert_eq!(index.slot(subspace, symmetry.set(a), symmetry.set(b)), slot);
            let (c, d) = index.position(subspace, slot);
            prop_assert_eq!(index.slot(subspace, c, d), slot);
        }

        #[test]
        fn rank_and_unrank_are_inverse(
            universe in 0u32..1 << 24,
            picks in any::<u32>(),
        ) {
            let index = index();
            let universe = PointSet::from_bits(universe);
            let set = universe & PointSet::from_bits(picks);
            let rank = index.rank(set, universe);
            prop_assert!(rank < index.binomial(universe.len(), set.len()));
            prop_assert_eq!(index.unrank(rank, set.len(), universe), set);
        }
    }
}
