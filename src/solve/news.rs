//! Work on what is new: a row takes over what the rows around it have newly decided.

use std::ops::Range;

use super::level::{Level, Link};
use super::rows::row_of;
use crate::board::PointSet;
use crate::planes::{self, Bits, Frame, Plane, Task, ones};

/// What a row has newly decided: indices at which the sure bit was set, and at which the hope bit
/// was cleared.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    pub(super) sure: Vec<u32>,
    pub(super) hope: Vec<u32>,
}

impl News {
    pub(super) fn clear(&mut self) {
        self.sure.clear();
        self.hope.clear();
    }

    pub(super) fn len(&self) -> u64 {
        (self.sure.len() + self.hope.len()) as u64
    }
}

/// White's half of a sparse round in one row.
pub(super) struct WhiteNews<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) links: &'a [Link],
    pub(super) place: usize,
    pub(super) after: &'a [u64],
    pub(super) removals: &'a [u64],
    pub(super) black_news: &'a [News],
    pub(super) removal_news: &'a [News],
    pub(super) row: &'a mut [u64],
    pub(super) news: &'a mut News,
    /// Black's men where White may have lost.
    pub(super) candidates: &'a mut Vec<PointSet>,
}

impl Task for WhiteNews<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(mut self) {
        let level = self.level;
        self.candidates.clear();
        let all = level.index().board().points();
        let empty = all - level.set(self.place);
        self.news.clear();
        for link in self.links {
            let place = link.place as usize;
            let news = if link.mill {
                &self.removal_news[place]
            } else {
                &self.black_news[place]
            };
            if news.len() == 0 {
                continue;
            }
            let there = all - level.set(place);
            let inverse = level.inverse(link);
            for &index in &news.sure {
                let men = index_to_set::<B>(index, there);
                let Some(index) = set_to_index::<B>(inverse.set(men), empty) else {
                    // A man of Black stands where White's man came from.
                    continue;
                };
                if !planes::get(self.row, Plane::Sure, index) {
                    planes::flip(self.row, Plane::Sure, index);
                    self.news.sure.push(index);
                }
            }
            for &index in &news.hope {
                let men = inverse.set(index_to_set::<B>(index, there));
                let Some(index) = set_to_index::<B>(men, empty) else {
                    continue;
                };
                let open = planes::get(self.row, Plane::Hope, index)
                    && !planes::get(self.row, Plane::Sure, index);
                if open {
                    self.candidates.push(men);
                }
            }
        }
        // Move by move rather than candidate by candidate: the words a move asks for lie in one
        // row, and the processor can wait for many of them at the same time.
        for link in self.links {
            if self.candidates.is_empty() {
                break;
            }
            self.drop_saved::<B>(link);
        }
        for &men in &*self.candidates {
            let Some(index) = set_to_index::<B>(men, empty) else {
                continue;
            };
            // A candidate may have come by several ways.
            if planes::get(self.row, Plane::Hope, index) {
                planes::flip(self.row, Plane::Hope, index);
                self.news.hope.push(index);
            }
        }
    }
}

impl WhiteNews<'_> {
    /// Drops the candidates that this move of White saves from a loss.
    #[inline(always)]
    fn drop_saved<B: Bits>(&mut self, link: &Link) {
        let level = self.level;
        let there = level.index().board().points() - level.set(link.place as usize);
        let symmetry = level.symmetry(link);
        let planes = if link.mill { self.removals } else { self.after };
        let row = row_of(planes, level.row_words(), link);
        let mut kept = 0;
        for number in 0..self.candidates.len() {
            let men = self.candidates[number];
            let image = symmetry.set(men);
            let index = B::gather(image.bits().into(), there.bits().into()) as u32;
            // Where a man of Black stands on the point to go to, there is no such move.
            let saved = there.includes(image) & planes::get(row, Plane::Hope, index);
            self.candidates[kept] = men;
            kept += usize::from(!saved);
        }
        self.candidates.truncate(kept);
    }
}

#[inline(always)]
fn index_to_set<B: Bits>(index: u32, empty: PointSet) -> PointSet {
    PointSet::from_bits(B::scatter(index.into(), empty.bits().into()) as u32)
}

/// The index of a set of men; `None` when one of them stands beside the row's empty points.
#[inline(always)]
fn set_to_index<B: Bits>(men: PointSet, empty: PointSet) -> Option<u32> {
    empty
        .includes(men)
        .then(|| B::gather(men.bits().into(), empty.bits().into()) as u32)
}

/// Black's half of a sparse round in one row, and the removals that follow from it.
pub(super) struct BlackNews<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) place: usize,
    pub(super) board: &'a [u64],
    pub(super) captures: &'a [u64],
    pub(super) flyers: Range<usize>,
    pub(super) most: usize,
    pub(super) white_news: &'a News,
    /// What captures newly lead to.
    pub(super) capture_news: &'a News,
    pub(super) row: &'a mut [u64],
    pub(super) news: &'a mut News,
    pub(super) removals: &'a mut [u64],
    pub(super) removal_news: &'a mut News,
}

impl Task for BlackNews<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        self.news.clear();
        self.removal_news.clear();
        if self.white_news.len() + self.capture_news.len() == 0 {
            return;
        }
        let frame = self.level.frame(self.place);
        let mut steps = Vec::new();
        for (after, closes) in [(self.white_news, false), (self.capture_news, true)] {
            for &index in &after.hope {
                self.before(&frame, index, closes, &mut steps);
                for &before in &steps {
                    if planes::get(self.row, Plane::Hope, before) {
                        planes::flip(self.row, Plane::Hope, before);
                        self.news.hope.push(before);
                    }
                }
            }
            for &index in &after.sure {
                self.before(&frame, index, closes, &mut steps);
                for &before in &steps {
                    if !planes::get(self.row, Plane::Sure, before) && self.has_lost(&frame, before)
                    {
                        planes::flip(self.row, Plane::Sure, before);
                        self.news.sure.push(before);
                    }
                }
            }
        }
        if self.news.len() == 0 || !self.level.has_mill(self.place) {
            return;
        }
        for &index in &self.news.sure {
            before_removal(&frame, index, self.most, &mut steps);
            for &before in &steps {
                if !planes::get(self.removals, Plane::Sure, before) {
                    planes::flip(self.removals, Plane::Sure, before);
                    self.removal_news.sure.push(before);
                }
            }
        }
        for &index in &self.news.hope {
            before_removal(&frame, index, self.most, &mut steps);
            for &before in &steps {
                if !planes::get(self.removals, Plane::Hope, before) {
                    continue;
                }
                let mut hope = false;
                for man in ones(frame.removable(before)) {
                    hope |= planes::get(self.row, Plane::Hope, before ^ 1 << man);
                }
                if !hope {
                    planes::flip(self.removals, Plane::Hope, before);
                    self.removal_news.hope.push(before);
                }
            }
        }
    }
}

impl BlackNews<'_> {
    /// Where Black's man on `coordinate` can move to, or can have come from.
    #[inline(always)]
    fn reach(&self, frame: &Frame, index: u32, coordinate: usize) -> u32 {
        let free = PointSet::first(frame.len()).bits() & !index;
        if self.flyers.contains(&(index.count_ones() as usize)) {
            free
        } else {
            free & frame.neighbours(coordinate)
        }
    }

    /// The positions from which Black moves to `index` and closes a mill, or does not.
    #[inline(always)]
    fn before(&self, frame: &Frame, index: u32, closes: bool, steps: &mut Vec<u32>) {
        steps.clear();
        for to in ones(index) {
            if frame.in_mill(index, to) == closes {
                for from in ones(self.reach(frame, index, to)) {
                    steps.push(index ^ 1 << to ^ 1 << from);
                }
            }
        }
    }

    /// Whether every move of Black leads to a win of White.
    #[inline(always)]
    fn has_lost(&self, frame: &Frame, index: u32) -> bool {
        for from in ones(index) {
            for to in ones(self.reach(frame, index, from)) {
                let after = index ^ 1 << from ^ 1 << to;
                let source = if frame.in_mill(after, to) {
                    self.captures
                } else {
                    self.board
                };
                if !planes::get(source, Plane::Sure, after) {
                    return false;
                }
            }
        }
        true
    }
}

/// The positions from which White removes a man and leaves `index`, with at most `most` men.
#[inline(always)]
fn before_removal(frame: &Frame, index: u32, most: usize, steps: &mut Vec<u32>) {
    steps.clear();
    if index.count_ones() as usize == most {
        return;
    }
    for man in ones(PointSet::first(frame.len()).bits() & !index) {
        let before = index | 1 << man;
        if !frame.in_mill(before, man) || frame.removable(before) >> man & 1 != 0 {
            steps.push(before);
        }
    }
}
