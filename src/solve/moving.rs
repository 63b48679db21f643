//! The moving phase of one level: all positions with the same number of White's men, hands empty,
//! brought to their least fixed point.
//!
//! A **dense** round recomputes every row: first the values with White to move, from the rows his
//! moves lead to, then those with Black to move, in the row. Slides of White lead from one side of
//! the level to the other (see [`Level::sides`]), so the second side already sees what the first
//! found in the same round, and nothing read is written at the same time.
//!
//! After some rounds few positions change, and a **sparse** round takes over: each row keeps the
//! lists of what it has newly decided, the rows around it take those lists, set what is decided
//! at once and test the rest one by one.
//!
//! The sure plane only gains bits and the hope plane only loses them, so every order of work ends
//! in the same state, whatever the number of threads.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::level::{Level, Link, Links};
use crate::board::PointSet;
use crate::planes::{
    self, Ahead, Bits, Classes, Frame, Kernel, Plane, Scratch, Task, TransferScratch, Words, ones,
    transfer,
};
use crate::rules::Flying;

/// Rounds turn sparse when fewer than one in this many positions changed.
const SPARSE_BELOW: u64 = 400;

/// What a row has newly decided: indices at which the sure bit was set, and at which the hope bit
/// was cleared.
#[derive(Clone, Debug, Default)]
struct News {
    sure: Vec<u32>,
    hope: Vec<u32>,
}

impl News {
    fn clear(&mut self) {
        self.sure.clear();
        self.hope.clear();
    }

    fn len(&self) -> u64 {
        (self.sure.len() + self.hope.len()) as u64
    }
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct RowScratch {
    pub(super) moves: Scratch,
    pub(super) transfer: TransferScratch,
    pub(super) row: Vec<u64>,
    pub(super) captures: Vec<u64>,
}

impl RowScratch {
    pub(super) fn new(level: &Level<'_>) -> Self {
        let mut scratch = Self::default();
        scratch.moves.reserve(level.empty());
        scratch.row.resize(level.row_words(), 0);
        scratch.captures.resize(level.row_words(), 0);
        scratch
    }
}

/// The level below with its values with White to move; `None` where White has lost.
pub(super) type Below<'a> = Option<(&'a Level<'a>, &'a [u64])>;

/// The values after Black has closed a mill in the row at `place`: the least over the men of White
/// he may remove. Without a man to remove, nothing happens.
pub(super) struct CapturesOfRow<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) below: Below<'a>,
    pub(super) links: &'a Links,
    pub(super) place: usize,
    /// The values where there is no man to remove.
    pub(super) board: &'a [u64],
    pub(super) scratch: &'a mut TransferScratch,
    pub(super) out: &'a mut [u64],
}

impl Task for CapturesOfRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        if self.level.men() == 0 {
            self.out.copy_from_slice(self.board);
            return;
        }
        let Some((below, values)) = self.below else {
            self.out.fill(0);
            return;
        };
        self.out.fill(u64::MAX);
        Transfers {
            level: self.level,
            target: below,
            links: self.links.of(self.place),
            place: self.place,
            quiet: values,
            closing: values,
        }
        .run::<B, true>(self.scratch, self.out);
    }
}

/// The rows that the links of a row lead to, brought into its frame one after the other.
struct Transfers<'a> {
    level: &'a Level<'a>,
    /// The level the links lead to.
    target: &'a Level<'a>,
    links: &'a [Link],
    place: usize,
    /// The planes that links without a mill lead to, and those with one.
    quiet: &'a [u64],
    closing: &'a [u64],
}

impl Transfers<'_> {
    /// Accumulates them into `out`: by AND with `LEAST`, else by OR.
    #[inline(always)]
    fn run<B: Bits, const LEAST: bool>(&self, scratch: &mut TransferScratch, out: &mut [u64]) {
        let frame = self.level.frame(self.place);
        for (number, link) in self.links.iter().enumerate() {
            let set = self.target.set(link.place as usize);
            let mapping = self.level.mapping(&frame, link, set);
            let ahead = match self.links.get(number + 1) {
                Some(next) => {
                    let set = self.target.set(next.place as usize);
                    Ahead::half(self.row(next), self.level.vacated(next, set))
                }
                None => Ahead::NONE,
            };
            transfer::<B, LEAST>(&mapping, self.row(link), ahead, scratch, out);
        }
    }

    #[inline(always)]
    fn row(&self, link: &Link) -> &[u64] {
        let planes = if link.mill { self.closing } else { self.quiet };
        row_of(planes, self.target.row_words(), link)
    }
}

#[inline(always)]
fn row_of<'p>(planes: &'p [u64], row_words: usize, link: &Link) -> &'p [u64] {
    &planes[link.place as usize * row_words..][..row_words]
}

/// White's move in one row: the greatest over his moves, by OR into `out`.
pub(super) struct WhiteRow<'a> {
    pub(super) level: &'a Level<'a>,
    /// The level the links lead to.
    pub(super) target: &'a Level<'a>,
    pub(super) links: &'a Links,
    pub(super) place: usize,
    /// The values of the target with Black to move.
    pub(super) after: &'a [u64],
    /// The values of the target when White is about to remove a man.
    pub(super) removals: &'a [u64],
    pub(super) scratch: &'a mut TransferScratch,
    pub(super) out: &'a mut [u64],
}

impl Task for WhiteRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        self.out.fill(0);
        Transfers {
            level: self.level,
            target: self.target,
            links: self.links.of(self.place),
            place: self.place,
            quiet: self.after,
            closing: self.removals,
        }
        .run::<B, false>(self.scratch, self.out);
    }
}

/// The removals of one row.
pub(super) struct RemovalsOfRow<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) place: usize,
    pub(super) after: &'a [u64],
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut [u64],
}

impl Task for RemovalsOfRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        planes::removals::<B>(&frame, self.after, self.scratch, self.out);
    }
}

struct BlackRow<'a> {
    level: &'a Level<'a>,
    place: usize,
    board: &'a [u64],
    captures: &'a [u64],
    flyers: Range<usize>,
    scratch: &'a mut Scratch,
    out: &'a mut [u64],
}

impl Task for BlackRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        planes::black_moves::<B>(
            &frame,
            self.board,
            self.captures,
            self.flyers,
            self.scratch,
            self.out,
        );
    }
}

/// Replaces a row, after everything outside the classes is marked as won, and counts the bits that
/// changed; with `news`, lists them.
struct Replace<'a> {
    classes: &'a Classes,
    new: &'a mut [u64],
    old: &'a mut [u64],
    news: Option<&'a mut News>,
}

impl Task for Replace<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<B: Bits>(self) -> u64 {
        planes::restrict_to_classes(self.new, self.classes);
        let mut changed = 0;
        for (new, old) in self.new.iter().zip(self.old.iter()) {
            changed += u64::from((new ^ old).count_ones());
        }
        if let Some(news) = self.news {
            news.clear();
            for (number, (new, old)) in self.new.iter().zip(self.old.iter()).enumerate() {
                let mut bits = new ^ old;
                let list = if number % 2 == Plane::Sure as usize {
                    &mut news.sure
                } else {
                    &mut news.hope
                };
                while bits != 0 {
                    list.push((number as u32 >> 1) << 6 | bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
        self.old.copy_from_slice(self.new);
        changed
    }
}

/// Planes that one level after the other uses.
#[derive(Debug)]
pub struct Workspace {
    black_to_move: Words,
    removals: Words,
    captures: Words,
}

impl Workspace {
    /// Planes for levels of up to `words` words.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(words: usize) -> io::Result<Self> {
        Ok(Self {
            black_to_move: Words::zeroed(words)?,
            removals: Words::zeroed(words)?,
            captures: Words::zeroed(words)?,
        })
    }

    /// The bytes of planes for levels of up to `words` words.
    pub const fn memory(words: usize) -> u64 {
        (3 * words * size_of::<u64>()) as u64
    }

    /// The values with Black to move of the level solved last.
    pub fn black_to_move(&self, level: &Level<'_>) -> &[u64] {
        &self.black_to_move[..level.words()]
    }

    /// One of the planes, for the placing phase.
    pub(super) fn into_removals(self) -> Words {
        self.removals
    }
}

/// The moving phase of a level, solved.
#[derive(Debug)]
pub struct Moving {
    /// The values with White to move, row by row as the level stores them.
    pub white_to_move: Words,
    /// How many rounds it took, dense and sparse.
    pub rounds: [u32; 2],
}

/// The work stopped before it was done, or there was not enough memory.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The stop flag was raised.
    #[error("stopped")]
    Stopped,
    /// The system did not give the memory.
    #[error("the system did not give the memory for the planes: {0}")]
    Memory(#[from] io::Error),
}

pub(super) fn check(stop: &AtomicBool) -> Result<(), SolveError> {
    if stop.load(Ordering::Relaxed) {
        Err(SolveError::Stopped)
    } else {
        Ok(())
    }
}

/// Solves the moving phase of `level` for up to `most` men of Black.
///
/// `below` is the level with one man less and its values with White to move; `None` where White
/// loses with one man less. `round` is told after every round whether it was dense and how many
/// bits changed.
///
/// # Errors
/// When `stop` is raised, or there is not enough memory.
pub fn solve_moving(
    level: &Level<'_>,
    below: Option<(&Level<'_>, &[u64])>,
    most: usize,
    workspace: &mut Workspace,
    kernel: Kernel,
    stop: &AtomicBool,
    mut round: impl FnMut(bool, u64),
) -> Result<Moving, SolveError> {
    let mut solver = MovingSolver::new(level, below, most, workspace, kernel)?;
    let mut rounds = [0; 2];
    let positions = (level.len() as u64) << level.empty();
    let mut changes = positions;
    loop {
        let record = changes < positions / SPARSE_BELOW;
        changes = 0;
        for side in level.sides() {
            check(stop)?;
            changes += solver.dense(side.clone(), record);
        }
        rounds[0] += 1;
        round(true, changes);
        if record || changes == 0 {
            break;
        }
    }
    while changes != 0 {
        changes = 0;
        for side in level.sides() {
            check(stop)?;
            changes += solver.sparse(side.clone());
        }
        rounds[1] += 1;
        round(false, changes);
    }
    Ok(Moving {
        white_to_move: solver.white_to_move,
        rounds,
    })
}

struct MovingSolver<'a> {
    level: &'a Level<'a>,
    links: Links,
    kernel: Kernel,
    classes: Classes,
    most: usize,
    flyers: Range<usize>,
    white_to_move: Words,
    black_to_move: &'a mut [u64],
    removals: &'a mut [u64],
    captures: &'a mut [u64],
    white_news: Vec<News>,
    black_news: Vec<News>,
    removal_news: Vec<News>,
}

impl<'a> MovingSolver<'a> {
    fn new(
        level: &'a Level<'a>,
        below: Below<'_>,
        most: usize,
        workspace: &'a mut Workspace,
        kernel: Kernel,
    ) -> Result<Self, SolveError> {
        let rules = level.rules();
        let planes = level.words();
        let classes = Classes::new(rules.fewest_men(), most);
        // With fewer men Black has lost, so only these numbers of men can fly.
        let flyers = match rules.flying() {
            Flying::Never => 0..0,
            Flying::AtMost(limit) => rules.fewest_men()..limit.min(most) + 1,
        };
        let mut solver = Self {
            level,
            links: level.moves(),
            kernel,
            classes,
            most,
            flyers,
            white_to_move: Words::zeroed(planes)?,
            black_to_move: &mut workspace.black_to_move[..planes],
            removals: &mut workspace.removals[..planes],
            captures: &mut workspace.captures[..planes],
            white_news: vec![News::default(); level.len()],
            black_news: vec![News::default(); level.len()],
            removal_news: vec![News::default(); level.len()],
        };
        let words = level.row_words();
        let classes = &solver.classes;
        solver
            .white_to_move
            .par_chunks_mut(words)
            .chain(solver.black_to_move.par_chunks_mut(words))
            .for_each(|row| planes::undecided_row(row, classes));
        solver
            .removals
            .par_chunks_mut(words)
            .zip(solver.black_to_move.par_chunks(words))
            .enumerate()
            .filter(|(place, _)| level.has_mill(*place))
            .for_each_init(
                || RowScratch::new(level),
                |scratch, (place, (out, after))| {
                    kernel.run(RemovalsOfRow {
                        level,
                        place,
                        after,
                        scratch: &mut scratch.moves,
                        out,
                    });
                    planes::restrict_to_classes(out, classes);
                },
            );
        let links = below.map_or_else(Links::default, |(below, _)| level.captures(below));
        solver
            .captures
            .par_chunks_mut(words)
            .enumerate()
            .for_each_init(TransferScratch::default, |scratch, (place, out)| {
                kernel.run(CapturesOfRow {
                    level,
                    below,
                    links: &links,
                    place,
                    board: &[],
                    scratch,
                    out,
                });
            });
        Ok(solver)
    }

    /// Recomputes the rows of a side; the number of bits that changed.
    fn dense(&mut self, side: Range<usize>, record: bool) -> u64 {
        let (level, kernel, classes) = (self.level, self.kernel, &self.classes);
        let words = level.row_words();
        let span = side.start * words..side.end * words;
        let white: u64 = {
            let (links, after, removals) = (&self.links, &*self.black_to_move, &*self.removals);
            self.white_to_move[span.clone()]
                .par_chunks_mut(words)
                .enumerate()
                .map_init(
                    || RowScratch::new(level),
                    |scratch, (number, old)| {
                        kernel.run(WhiteRow {
                            level,
                            target: level,
                            links,
                            place: side.start + number,
                            after,
                            removals,
                            scratch: &mut scratch.transfer,
                            out: &mut scratch.row,
                        });
                        kernel.run(Replace {
                            classes,
                            new: &mut scratch.row,
                            old,
                            news: None,
                        })
                    },
                )
                .sum()
        };
        let (board, captures) = (&*self.white_to_move, &*self.captures);
        let flyers = &self.flyers;
        let black: u64 = self.black_to_move[span.clone()]
            .par_chunks_mut(words)
            .zip(self.removals[span.clone()].par_chunks_mut(words))
            .zip(board[span.clone()].par_chunks(words))
            .zip(captures[span].par_chunks(words))
            .zip(&mut self.black_news[side.clone()])
            .zip(&mut self.removal_news[side.clone()])
            .enumerate()
            .map_init(
                || RowScratch::new(level),
                |scratch, (number, (((((old, removals), board), captures), news), removal_news))| {
                    let place = side.start + number;
                    kernel.run(BlackRow {
                        level,
                        place,
                        board,
                        captures,
                        flyers: flyers.clone(),
                        scratch: &mut scratch.moves,
                        out: &mut scratch.row,
                    });
                    let changed = kernel.run(Replace {
                        classes,
                        new: &mut scratch.row,
                        old,
                        news: record.then_some(news),
                    });
                    if changed != 0 && level.has_mill(place) {
                        kernel.run(RemovalsOfRow {
                            level,
                            place,
                            after: old,
                            scratch: &mut scratch.moves,
                            out: &mut scratch.row,
                        });
                        kernel.run(Replace {
                            classes,
                            new: &mut scratch.row,
                            old: removals,
                            news: record.then_some(removal_news),
                        });
                    } else if record {
                        removal_news.clear();
                    }
                    changed
                },
            )
            .sum();
        white + black
    }

    /// Takes over what the other rows have newly decided; the number of bits that changed.
    fn sparse(&mut self, side: Range<usize>) -> u64 {
        let (level, kernel) = (self.level, self.kernel);
        let words = level.row_words();
        let span = side.start * words..side.end * words;
        let white: u64 = {
            let (links, after, removals) = (&self.links, &*self.black_to_move, &*self.removals);
            let (black_news, removal_news) = (&self.black_news, &self.removal_news);
            self.white_to_move[span.clone()]
                .par_chunks_mut(words)
                .zip(&mut self.white_news[side.clone()])
                .enumerate()
                .map_init(Vec::new, |candidates, (number, (row, news))| {
                    kernel.run(WhiteNews {
                        level,
                        links: links.of(side.start + number),
                        place: side.start + number,
                        after,
                        removals,
                        black_news,
                        removal_news,
                        row,
                        news,
                        candidates,
                    });
                    news.len()
                })
                .sum()
        };
        let (flyers, most) = (&self.flyers, self.most);
        let black: u64 = self.black_to_move[span.clone()]
            .par_chunks_mut(words)
            .zip(self.removals[span.clone()].par_chunks_mut(words))
            .zip(self.white_to_move[span.clone()].par_chunks(words))
            .zip(self.captures[span].par_chunks(words))
            .zip(&self.white_news[side.clone()])
            .zip(&mut self.black_news[side.clone()])
            .zip(&mut self.removal_news[side.clone()])
            .enumerate()
            .map(
                |(
                    number,
                    ((((((row, removals), board), captures), white_news), news), closing),
                )| {
                    kernel.run(BlackNews {
                        level,
                        place: side.start + number,
                        board,
                        captures,
                        flyers: flyers.clone(),
                        most,
                        white_news,
                        row,
                        news,
                        removals,
                        removal_news: closing,
                    });
                    news.len()
                },
            )
            .sum();
        white + black
    }
}

/// White's half of a sparse round in one row.
struct WhiteNews<'a> {
    level: &'a Level<'a>,
    links: &'a [Link],
    place: usize,
    after: &'a [u64],
    removals: &'a [u64],
    black_news: &'a [News],
    removal_news: &'a [News],
    row: &'a mut [u64],
    news: &'a mut News,
    /// Black's men where White may have lost.
    candidates: &'a mut Vec<PointSet>,
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
struct BlackNews<'a> {
    level: &'a Level<'a>,
    place: usize,
    board: &'a [u64],
    captures: &'a [u64],
    flyers: Range<usize>,
    most: usize,
    white_news: &'a News,
    row: &'a mut [u64],
    news: &'a mut News,
    removals: &'a mut [u64],
    removal_news: &'a mut News,
}

impl Task for BlackNews<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        self.news.clear();
        self.removal_news.clear();
        if self.white_news.len() == 0 {
            return;
        }
        let frame = self.level.frame(self.place);
        let mut steps = Vec::new();
        for &index in &self.white_news.hope {
            self.before(&frame, index, &mut steps);
            for &before in &steps {
                if planes::get(self.row, Plane::Hope, before) {
                    planes::flip(self.row, Plane::Hope, before);
                    self.news.hope.push(before);
                }
            }
        }
        for &index in &self.white_news.sure {
            self.before(&frame, index, &mut steps);
            for &before in &steps {
                if !planes::get(self.row, Plane::Sure, before) && self.has_lost(&frame, before) {
                    planes::flip(self.row, Plane::Sure, before);
                    self.news.sure.push(before);
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

    /// The positions from which Black moves to `index` without closing a mill.
    #[inline(always)]
    fn before(&self, frame: &Frame, index: u32, steps: &mut Vec<u32>) {
        steps.clear();
        for to in ones(index) {
            if !frame.in_mill(index, to) {
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
