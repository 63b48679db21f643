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

use super::level::{Level, Links};
use super::news::{BlackNews, News, WhiteNews};
use super::rows::{
    Below, BlackRow, CapturesOfRow, RemovalsOfRow, Replace, RowScratch, WhiteRow, fill_removals,
};
use crate::planes::{self, Classes, Kernel, TransferScratch, Words};
use crate::rules::Flying;

/// Rounds turn sparse when fewer than one in this many positions changed.
const SPARSE_BELOW: u64 = 400;

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
        let after = &*solver.black_to_move;
        fill_removals(level, after, Some(classes), kernel, solver.removals);
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
