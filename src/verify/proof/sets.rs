//! Sets of men on the places of a row.
//!
//! A row fixes one player's men; the points they leave empty, in ascending order, are the row's
//! *places*. The other player's men are a set of places, and its rank among the sets of as many
//! places is its slot within the row. Sets know nothing of the points that the places are, so what
//! is worked out once serves every row of a table.

use crate::board::{MAX_POINTS, Point, PointSet};
use crate::index::Index;

/// How many places the lower of the two tables of ranks covers.
const LOWER: usize = 12;

/// All sets of so many men on so many places, in ascending order of the mask, which is the order
/// of the slots of a row.
pub(super) struct Sets {
    places: usize,
    masks: Vec<u32>,
    /// What the men on places below [`LOWER`] add to a rank, by their mask.
    lower: Vec<u32>,
    /// What the others add, by their mask.
    upper: Vec<u32>,
}

impl Sets {
    /// The sets of `men` men on `places` places, of which there are no more than points on the
    /// board of `index`.
    pub(super) fn new(index: &Index, places: usize, men: usize) -> Self {
        let low = places.min(LOWER);
        let lower = |mask| rank_from(index, PointSet::from_bits(mask), 0, 0);
        let upper = |mask: u32| match men.checked_sub(mask.count_ones() as usize) {
            Some(below) => rank_from(index, PointSet::from_bits(mask), low, below),
            None => 0,
        };
        let masks = PointSet::subsets(places, men).map(PointSet::bits);
        Self {
            places,
            masks: masks.collect(),
            lower: (0..1 << low).map(lower).collect(),
            upper: (0..1 << (places - low)).map(upper).collect(),
        }
    }

    /// How many bytes they take.
    pub(super) fn bytes(index: &Index, places: usize, men: usize) -> u64 {
        4 * (index.binomial(places, men) + (1 << LOWER) + (1 << places.saturating_sub(LOWER)))
    }

    /// How many sets there are: the slots of a row.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// The sets, in the order of their ranks.
    pub(super) fn masks(&self) -> &[u32] {
        &self.masks
    }

    /// The rank of a set of as many men.
    #[inline]
    pub(super) fn rank(&self, mask: u32) -> u32 {
        let low = mask & ((1 << LOWER) - 1);
        self.lower[low as usize] + self.upper[(mask >> LOWER) as usize]
    }

    /// The ranks of the sets that have every place of `with` and none of `without`, ascending.
    /// That is the order of the other places they have, so lists of sets that differ only in a
    /// few places lie side by side.
    pub(super) fn having(&self, with: u32, without: u32) -> Vec<u32> {
        let ranked = self.masks.iter().zip(0..);
        let having = ranked.filter(|&(mask, _)| mask & with == with && mask & without == 0);
        having.map(|(_, rank)| rank).collect()
    }

    /// For each place the sets that have it.
    pub(super) fn with_each(&self) -> Vec<Vec<u32>> {
        let places = 0..self.places;
        places.map(|place| self.having(1 << place, 0)).collect()
    }

    /// For each place the sets that do not have it.
    pub(super) fn without_each(&self) -> Vec<Vec<u32>> {
        let places = 0..self.places;
        places.map(|place| self.having(0, 1 << place)).collect()
    }
}

/// What men add to a rank that stand on these places, each raised by `first`, when `below` men
/// stand on lower ones: the n-th man from below, on place p, has C(p, n) sets before him.
pub(super) fn rank_from(index: &Index, places: PointSet, first: usize, below: usize) -> u32 {
    let counted = places.iter().zip(below + 1..);
    let before = counted.map(|(place, nth)| index.binomial(first + place.number(), nth));
    before.sum::<u64>() as u32
}

/// Raises worths: what stands at the ranks `at` becomes at least what stands in `from` at the
/// ranks `of`, one by one.
#[inline]
pub(super) fn raise(worths: &mut [u8], at: &[u32], from: &[u8], of: &[u32]) {
    for (&at, &of) in at.iter().zip(of) {
        let worth = from[of as usize];
        let best = &mut worths[at as usize];
        *best = worth.max(*best);
    }
}

/// The points that a set of men leaves empty, and their numbers as places.
pub(super) struct Places {
    points: Vec<Point>,
    numbers: [u8; MAX_POINTS],
}

impl Places {
    /// The places among these points.
    pub(super) fn new(empty: PointSet) -> Self {
        let mut numbers = [0; MAX_POINTS];
        for (number, point) in (0..).zip(empty) {
            numbers[point.number()] = number;
        }
        Self {
            points: empty.iter().collect(),
            numbers,
        }
    }

    /// The points, by place.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// The place of an empty point.
    #[inline]
    pub(super) fn place(&self, point: Point) -> usize {
        self.numbers[point.number()].into()
    }

    /// The places of a set of empty points.
    #[inline]
    pub(super) fn mask(&self, set: PointSet) -> u32 {
        set.iter()
            .fold(0, |mask, point| mask | 1 << self.place(point))
    }

    /// The points of a set of places.
    #[inline]
    pub(super) fn set(&self, mask: u32) -> PointSet {
        let places = PointSet::from_bits(mask).iter();
        places.map(|place| self.points[place.number()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn ranks_are_those_of_the_index() {
        let index = Index::new(Board::nine());
        for (places, men) in [(24, 3), (17, 5), (13, 0), (12, 4), (7, 7), (5, 6)] {
            let sets = Sets::new(&index, places, men);
            assert_eq!(sets.len() as u64, index.binomial(places, men));
            for (&mask, rank) in sets.masks().iter().zip(0..) {
                let set = PointSet::from_bits(mask);
                assert_eq!(index.rank(set, PointSet::first(places)), rank);
                assert_eq!(u64::from(sets.rank(mask)), rank);
            }
        }
    }

    #[test]
    fn lists_that_differ_in_one_place_lie_side_by_side() {
        let index = Index::new(Board::nine());
        let (four, five) = (Sets::new(&index, 14, 4), Sets::new(&index, 14, 5));
        let mask = |sets: &Sets, rank: u32| sets.masks()[rank as usize];
        for place in 0..14 {
            let (without, with) = (four.having(0, 1 << place), five.having(1 << place, 0));
            assert_eq!(without.len(), with.len());
            for (&a, &b) in without.iter().zip(&with) {
                assert_eq!(mask(&four, a) | 1 << place, mask(&five, b));
            }
            for other in (0..14).filter(|&other| other != place) {
                let here = four.having(1 << place, 1 << other);
                let there = four.having(1 << other, 1 << place);
                assert_eq!(here.len(), there.len());
                for (&a, &b) in here.iter().zip(&there) {
                    let both = 1 << place | 1 << other;
                    assert_eq!(mask(&four, a) ^ mask(&four, b), both);
                }
            }
        }
    }
}
