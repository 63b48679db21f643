//! A level: all rows with the same number of White's men, and how moves lead from row to row.

use std::ops::Range;

use rayon::prelude::*;

use crate::board::{Point, PointSet, Symmetry};
use crate::index::Index;
use crate::planes::{Bounds, Frame, Mapping, Planes};
use crate::rules::RuleSet;

/// The rows with a given number of White's men, in the order in which the solver stores them.
///
/// Where slides alternate between two halves of the board, the rows of each half stand together:
/// one *side* can then be brought up to date from the other.
#[derive(Debug)]
pub struct Level<'a> {
    rules: &'a RuleSet,
    index: &'a Index,
    men: usize,
    /// White's men of each stored row.
    sets: Vec<PointSet>,
    /// The place at which each row of the index is stored.
    places: Vec<u32>,
    sides: Vec<Range<usize>>,
}

/// Where a move leads: a row, and how it is turned.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The place of the row in its level.
    pub place: u32,
    /// The symmetry that maps White's men after the move to the row's.
    symmetry: u8,
    /// The point White's man comes from, or the man removed stood on; `NOWHERE` for a placing.
    from: u8,
    /// The point White's man goes to; `NOWHERE` for a removal.
    to: u8,
    /// Whether the move closes a mill.
    pub mill: bool,
}

const NOWHERE: u8 = u8::MAX;

/// The links of every row of a level.
#[derive(Debug, Default)]
pub struct Links {
    starts: Vec<u32>,
    links: Vec<Link>,
}

impl Links {
    /// The links of the row stored at `place`.
    #[inline]
    pub fn of(&self, place: usize) -> &[Link] {
        &self.links[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// The memory of the links of `rows` rows with up to `each` links.
    pub const fn memory(rows: usize, each: usize) -> usize {
        rows * (each * size_of::<Link>() + size_of::<u32>())
    }
}

impl<'a> Level<'a> {
    /// The level of `men` men.
    pub fn new(rules: &'a RuleSet, index: &'a Index, men: usize) -> Self {
        let board = index.board();
        let representatives = index.rows(men).representatives();
        let side = board
            .alternation()
            .filter(|_| !rules.flying().allowed(men))
            .unwrap_or(PointSet::EMPTY);
        let mut rows: Vec<usize> = (0..representatives.len()).collect();
        let odd = |row: &usize| (representatives[*row] & side).len() % 2;
        rows.sort_by_key(|row| (odd(row), *row));
        let evens = rows.partition_point(|row| odd(row) == 0);
        let mut places = vec![0; rows.len()];
        for (place, &row) in rows.iter().enumerate() {
            places[row] = place as u32;
        }
        Self {
            rules,
            index,
            men,
            sets: rows.iter().map(|&row| representatives[row]).collect(),
            places,
            sides: [0..evens, evens..rows.len()]
                .into_iter()
                .filter(|side| !side.is_empty())
                .collect(),
        }
    }

    /// The rules the level was made for.
    #[inline]
    pub fn rules(&self) -> &'a RuleSet {
        self.rules
    }

    /// White's men.
    #[inline]
    pub fn men(&self) -> usize {
        self.men
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The points a row leaves empty: the coordinates of its indices.
    #[inline]
    pub fn empty(&self) -> usize {
        self.index.board().len() - self.men
    }

    /// The words of a row of bounds.
    #[inline]
    pub fn row_words(&self) -> usize {
        self.row_words_of::<Bounds>()
    }

    /// The words of a row of these planes.
    #[inline]
    pub fn row_words_of<P: Planes>(&self) -> usize {
        P::row_words(self.empty())
    }

    /// The groups of 64 indices of all rows.
    #[inline]
    pub fn groups(&self) -> usize {
        self.words::<Bounds>() / Bounds::WORDS
    }

    /// The words of all rows of these planes.
    #[inline]
    pub fn words<P: Planes>(&self) -> usize {
        self.len() * self.row_words_of::<P>()
    }

    /// The index the level belongs to.
    #[inline]
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// The ranges of rows that are brought up to date in turn.
    pub fn sides(&self) -> &[Range<usize>] {
        &self.sides
    }

    /// The symmetries that keep White's men of the row stored at `place`, the identity first.
    pub fn stabiliser(&self, place: usize) -> impl Iterator<Item = &'a Symmetry> + use<'a> {
        let rows = self.index.rows(self.men);
        rows.stabiliser(self.index.board(), rows.row(self.sets[place]))
    }

    /// The place at which a row of the index is stored.
    #[inline]
    pub fn place(&self, row: usize) -> usize {
        self.places[row] as usize
    }

    /// White's men of the row stored at `place`.
    #[inline]
    pub fn set(&self, place: usize) -> PointSet {
        self.sets[place]
    }

    /// The frame of the row stored at `place`.
    #[inline]
    pub fn frame(&self, place: usize) -> Frame {
        Frame::new(self.index.board(), self.sets[place])
    }

    /// Whether White has a mill in the row stored at `place`.
    #[inline]
    pub fn has_mill(&self, place: usize) -> bool {
        let set = self.sets[place];
        !self.index.board().men_in_mills(set).is_empty()
    }

    fn link(&self, set: PointSet, from: Option<Point>, to: Option<Point>) -> Link {
        let number = |point: Option<Point>| point.map_or(NOWHERE, |point| point.number() as u8);
        let board = self.index.board();
        let (row, symmetry) = self.index.locate(set);
        let symmetries = board.symmetries();
        let position = symmetries.iter().position(|s| std::ptr::eq(s, symmetry));
        Link {
            place: self.places[row],
            symmetry: position.expect("the symmetry is one of the board's") as u8,
            from: number(from),
            to: number(to),
            mill: to.is_some_and(|to| board.in_mill(set, to)),
        }
    }

    /// The links of every row: `steps` calls back with where White's man comes from and goes to.
    fn links(
        &self,
        target: &Level<'_>,
        steps: impl Fn(PointSet, &mut dyn FnMut(Option<Point>, Option<Point>)) + Sync,
    ) -> Links {
        let of_rows: Vec<Vec<Link>> = self
            .sets
            .par_iter()
            .map(|&set| {
                let mut links = Vec::new();
                steps(set, &mut |from, to| {
                    let rest = from.map_or(set, |from| set.without(from));
                    let next = to.map_or(rest, |to| rest.with(to));
                    links.push(target.link(next, from, to));
                });
                links
            })
            .collect();
        let mut all = Links::default();
        all.starts.push(0);
        for links in of_rows {
            all.links.extend(links);
            all.starts.push(all.links.len() as u32);
        }
        all
    }

    /// White's moves, hands empty.
    pub fn moves(&self) -> Links {
        let board = self.index.board();
        let flies = self.rules.flying().allowed(self.men);
        self.links(self, |set, visit| {
            let empty = board.points() - set;
            for from in set {
                let targets = if flies {
                    empty
                } else {
                    empty & board.neighbours(from)
                };
                for to in targets {
                    visit(Some(from), Some(to));
                }
            }
        })
    }

    /// White's placings, to the level above.
    pub fn placings(&self, above: &Level<'_>) -> Links {
        let board = self.index.board();
        self.links(above, |set, visit| {
            for to in board.points() - set {
                visit(None, Some(to));
            }
        })
    }

    /// The removals of one of White's men, to the level below.
    pub fn captures(&self, below: &Level<'_>) -> Links {
        self.links(below, |set, visit| {
            for man in self.rules.removable(set) {
                visit(Some(man), None);
            }
        })
    }

    /// The symmetry of a link: from this board's frame to the row's.
    #[inline(always)]
    pub fn symmetry(&self, link: &Link) -> &'a Symmetry {
        &self.index.board().symmetries()[usize::from(link.symmetry)]
    }

    /// The inverse of the symmetry of a link: from the row's frame to this board's.
    #[inline(always)]
    pub fn inverse(&self, link: &Link) -> &'a Symmetry {
        let board = self.index.board();
        &board.symmetries()[board.inverse(link.symmetry.into())]
    }

    /// The coordinate, in the row a link leads to, of the point White's man has left: only
    /// positions without a man of Black there are reached.
    #[inline(always)]
    pub fn vacated(&self, link: &Link, target: PointSet) -> Option<usize> {
        (link.from != NOWHERE).then(|| {
            let image = self.symmetry(link).point(Point::new(link.from.into()));
            let empty = self.index.board().points() - target;
            (empty & PointSet::first(image.number())).len()
        })
    }

    /// How the coordinates of the row that a link leads to stand for those of `frame`.
    #[inline(always)]
    pub fn mapping(&self, frame: &Frame, link: &Link, target: PointSet) -> Mapping {
        let symmetry = self.symmetry(link);
        let empty = self.index.board().points() - target;
        let mut source = [None; 32];
        for (coordinate, source) in source[..frame.len()].iter_mut().enumerate() {
            let point = frame.point(coordinate);
            if point.number() != usize::from(link.to) {
                let image = symmetry.point(point);
                *source = Some((empty & PointSet::first(image.number())).len() as u8);
            }
        }
        Mapping {
            source_len: empty.len(),
            len: frame.len(),
            source,
        }
    }
}
