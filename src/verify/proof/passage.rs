//! From the slots of one row to those of another, turned by a symmetry.
//!
//! The points of the board are cut in two so that every symmetry keeps the lower part (and with it
//! the upper). A set of places is then a lower set and an upper set, each turned for itself; the
//! upper set says where a block of consecutive ranks begins, and the lower set the rank within it,
//! before the turn and after. So a passage is a start for every block and one permutation for each
//! number of men in the lower part.

use crate::board::{Board, PointSet, Symmetry};
use crate::index::Index;

use super::sets::rank_from;

/// The most points either part of a board may have.
const PART: usize = 16;

/// The lengths of all sets of points that begin a board and that every symmetry maps to itself:
/// where the board can be cut.
pub(super) fn cuts(board: &Board) -> impl Iterator<Item = usize> {
    let kept = move |&length: &usize| {
        let part = PointSet::first(length);
        board
            .symmetries()
            .iter()
            .all(|symmetry| symmetry.set(part) == part)
    };
    (0..=board.len()).filter(kept)
}

/// What passages on a board have in common.
pub(super) struct Passages<'a> {
    index: &'a Index,
    /// The lower part of the board.
    lower: PointSet,
    /// The sets of each number of places in the lower part, ascending.
    by_count: Vec<Vec<u16>>,
    /// The rank of each of them among those of its number.
    ranks: Vec<u16>,
}

/// A passage: where the slots of one row lie in another.
#[derive(Default)]
pub(super) struct Passage {
    /// For each block, where it lies after the turn, and how many men are in the lower part.
    blocks: Vec<(u32, u8)>,
    /// For each number of men in the lower part, the ranks within a block after the turn.
    within: Vec<Vec<u16>>,
    images: Vec<u16>,
    upper_images: Vec<u32>,
}

impl<'a> Passages<'a> {
    /// Prepares for the board of an index; `None` when the board cannot be cut into two parts of
    /// a size that can be handled.
    pub(super) fn new(index: &'a Index) -> Option<Self> {
        let board = index.board();
        let suits = |&cut: &usize| cut <= PART && board.len() - cut <= PART;
        let cut = cuts(board).filter(suits).max()?;
        let mut by_count = vec![Vec::new(); cut + 1];
        let mut ranks = Vec::with_capacity(1 << cut);
        for mask in 0..1u32 << cut {
            let same: &mut Vec<u16> = &mut by_count[mask.count_ones() as usize];
            ranks.push(same.len() as u16);
            same.push(mask as u16);
        }
        Some(Self {
            index,
            lower: PointSet::first(cut),
            by_count,
            ranks,
        })
    }

    /// How many bytes this and a passage take.
    pub(super) const BYTES: u64 = 1 << 20;

    /// The passage of sets of `men` men from the places beside `from` to those beside `to`;
    /// `symmetry` maps every point outside `from` to one outside `to`.
    pub(super) fn trace(
        &self,
        passage: &mut Passage,
        from: PointSet,
        to: PointSet,
        symmetry: &Symmetry,
        men: usize,
    ) {
        let empty = self.index.board().points() - from;
        let image = |point| {
            let image = symmetry.point(point);
            let part = if self.lower.contains(image) {
                PointSet::first(image.number())
            } else {
                PointSet::first(image.number()) - self.lower
            };
            (part - to).len()
        };
        let turned = |part: PointSet| -> Vec<usize> { part.iter().map(image).collect() };
        let lower = turned(empty & self.lower);
        let upper = turned(empty - self.lower);
        let below = (self.lower - to).len();
        let most = men.min(lower.len());
        let least = men.saturating_sub(upper.len());

        passage.images.clear();
        passage.images.push(0);
        for place in &lower {
            for mask in 0..passage.images.len() {
                passage.images.push(passage.images[mask] | 1 << place);
            }
        }
        passage.within.resize_with(most + 1, Vec::new);
        passage.within.iter_mut().for_each(Vec::clear);
        for count in least..=most {
            let sets = &self.by_count[count][..self.index.binomial(lower.len(), count) as usize];
            let within = sets.iter().map(|&set| {
                let image = passage.images[usize::from(set)];
                self.ranks[usize::from(image)]
            });
            passage.within[count].extend(within);
        }

        passage.upper_images.clear();
        passage.upper_images.push(0);
        for place in &upper {
            for mask in 0..passage.upper_images.len() {
                passage
                    .upper_images
                    .push(passage.upper_images[mask] | 1 << place);
            }
        }
        passage.blocks.clear();
        for &image in &passage.upper_images {
            let image = PointSet::from_bits(image);
            if let Some(count) = men.checked_sub(image.len()).filter(|&count| count <= most) {
                let start = rank_from(self.index, image, below, count);
                passage.blocks.push((start, count as u8));
            }
        }
    }
}

impl Passage {
    /// The blocks of consecutive ranks, in their order: for each where it begins after the turn
    /// and, for each rank in it, how far from there that lies then.
    #[inline]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let blocks = self.blocks.iter();
        blocks.map(|&(start, count)| (start as usize, &self.within[usize::from(count)][..]))
    }

    /// All ranks after the turn, in the order of those before.
    pub(super) fn ranks(&self) -> impl Iterator<Item = u32> {
        self.blocks().flat_map(|(start, within)| {
            within
                .iter()
                .map(move |&rank| start as u32 + u32::from(rank))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Point;
    use proptest::prelude::*;

    #[test]
    fn the_board_is_cut_where_symmetries_allow() {
        let board = Board::nine();
        assert_eq!(cuts(board).collect::<Vec<_>>(), [0, 4, 8, 16, 24]);
    }

    proptest! {
        /// A passage gives every set the rank that the index gives its image, also when fewer
        /// points are taken after the turn than before.
        #[test]
        fn passages_lead_to_the_ranks_of_the_index(
            order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
            taken in 0usize..=12,
            left in 0usize..=2,
            men in 0usize..=5,
            symmetry in 0usize..16,
        ) {
            let index = Index::new(Board::nine());
            let symmetry = &index.board().symmetries()[symmetry];
            let set = |numbers: &[usize]| numbers.iter().map(|&n| Point::new(n)).collect::<PointSet>();
            let from = set(&order[..taken]);
            let to = symmetry.set(set(&order[..taken.saturating_sub(left)]));
            let passages = Passages::new(&index).unwrap();
            let mut passage = Passage::default();
            // What an earlier passage has left must not matter.
            passages.trace(&mut passage, to, to, &index.board().symmetries()[0], 6);
            passages.trace(&mut passage, from, to, symmetry, men);
            let (empty, empty_after) = (index.board().points() - from, index.board().points() - to);
            let ranks: Vec<_> = passage.ranks().collect();
            prop_assert_eq!(ranks.len() as u64, index.binomial(24 - taken, men));
            for (rank, turned) in (0..).zip(ranks) {
                let set = index.unrank(rank, men, empty);
                prop_assert_eq!(index.rank(symmetry.set(set), empty_after), u64::from(turned));
            }
        }
    }
}
