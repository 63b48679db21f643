//! The moving phase of one level: all positions with the same number of White's men, hands empty,
//! brought to their least fixed point.
//!
//! A **dense** round recomputes every row: first the values with White to move, from the rows his
//! moves lead to, then those with Black to move, in the row. Slides of White lead from one side of
//! the level to the other (see [`Level::sides`]), so the second side already sees what the first
//! found in the same round, and nothing read is written at the same time. Where depths are wanted the
//! whole level is one side, so that a round is a sweep of `layers`.
//!
//! After some rounds few positions change, and a **sparse** round takes over: each row keeps the
//! lists of what it has newly decided, the rows around it take those lists, set what is decided
//! at once and test the rest one by one. Should more change again, dense rounds come back.
//!
//! The sure plane only gains bits and the hope plane only loses them, so every order of work ends
//! in the same state, whatever the number of threads.

use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::layers::{KnownCaptures, Layers, fill_captures, grade_news};
use super::level::{Level, Links};
use super::news::{BlackNews, News, WhiteNews};
use super::rows::{
    Below, BlackRow, RemovalsOfRow, Replace, RowScratch, WhiteRow, fill_removals, row_at,
};
use super::solution::{Solution, Workspace};
use crate::grade::DEEPEST_WIN;
use crate::planes::{self, Bounds, Classes, Graded, Kernel, Words};
use crate::rules::Flying;

/// Rounds turn sparse when fewer than one in this many positions changed.
const SPARSE_BELOW: u64 = 400;

/// The moving phase of a level, solved.
#[derive(Debug)]
pub struct Moving {
    /// What is known with White to move, row by row as the level stores them.
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
    /// A game lasts longer than a depth can say.
    #[error(
        "a position is won or lost in more than {DEEPEST_WIN} plies: depths cannot be written for \
         these rules"
    )]
    TooDeep,
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
/// `below` is the level with one man less and what is known of it with White to move; `None` where
/// White loses with one man less. `round` is told after every round whether it was dense and how
/// many bits changed.
///
/// # Errors
/// When `stop` is raised, there is not enough memory, or a game lasts too long for its depth.
pub fn solve_moving<P: Solution>(
    level: &Level<'_>,
    below: Option<(&Level<'_>, &[u64])>,
    most: usize,
    workspace: &mut Workspace,
    kernel: Kernel,
    stop: &AtomicBool,
    mut round: impl FnMut(bool, u64),
) -> Result<Moving, SolveError> {
    let mut solver = MovingSolver::new::<P>(level, below, most, workspace, kernel)?;
    // Depths want every sweep to begin from what the sweep before has found, everywhere.
    #[allow(clippy::single_range_in_vec_init)]
    let sides = if P::DEPTHS {
        vec![0..level.len()]
    } else {
        level.sides().to_vec()
    };
    let mut rounds = [0; 2];
    let positions = (level.len() as u64) << level.empty();
    let few = |changes| changes == 0 || changes < positions / SPARSE_BELOW;
    let mut changes = positions;
    // Whether the round before has listed what it decided.
    let mut listed = false;
    while changes != 0 || solver.is_waiting() {
        let record = few(changes);
        let sparse = listed && record;
        solver.begin_round(sparse)?;
        changes = 0;
        for side in &sides {
            check(stop)?;
            changes += if sparse {
                solver.sparse(side.clone())
            } else {
                solver.dense(side.clone(), record)
            };
        }
        listed = record;
        rounds[usize::from(sparse)] += 1;
        round(!sparse, changes);
    }
    let white_to_move = match solver.layers {
        Some(layers) => layers.into_grades(),
        None => solver.white_to_move,
    };
    Ok(Moving {
        white_to_move,
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
    capture_news: Vec<News>,
    /// Where depths are wanted.
    layers: Option<Layers<'a>>,
}

impl<'a> MovingSolver<'a> {
    fn new<P: Solution>(
        level: &'a Level<'a>,
        below: Below<'_>,
        most: usize,
        workspace: &'a mut Workspace,
        kernel: Kernel,
    ) -> Result<Self, SolveError> {
        let rules = level.rules();
        let planes = level.words::<Bounds>();
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
            capture_news: vec![News::default(); level.len()],
            layers: None,
        };
        let words = level.row_words();
        let classes = &solver.classes;
        solver
            .white_to_move
            .par_chunks_mut(words)
            .chain(solver.black_to_move.par_chunks_mut(words))
            .for_each(|row| planes::undecided_row(row, classes));
        let after = &*solver.black_to_move;
        fill_removals::<Bounds>(level, after, kernel, solver.removals);
        solver
            .removals
            .par_chunks_mut(words)
            .for_each(|row| planes::restrict_to_classes(row, classes));
        let links = below.map_or_else(Links::default, |(below, _)| level.captures(below));
        if P::DEPTHS {
            let room = &mut workspace.capture_grades[..level.words::<Graded>()];
            let open = &solver.white_to_move;
            let layers = Layers::new(level, below, &links, open, room, kernel)?;
            solver.layers = Some(layers);
        } else {
            fill_captures::<Bounds>(level, below, &links, kernel, solver.captures);
        }
        // A blocked Black has lost before anything else is known.
        solver.dense_black(0..level.len(), false);
        Ok(solver)
    }

    fn begin_round(&mut self, sparse: bool) -> Result<(), SolveError> {
        match &mut self.layers {
            Some(layers) => layers.begin_sweep(sparse, self.level, self.captures, self.kernel),
            None => Ok(()),
        }
    }

    fn is_waiting(&self) -> bool {
        self.layers.as_ref().is_some_and(Layers::is_waiting)
    }

    /// Recomputes the rows of a side; the number of bits that changed.
    fn dense(&mut self, side: Range<usize>, record: bool) -> u64 {
        self.dense_white(side.clone()) + self.dense_black(side, record)
    }

    fn dense_white(&mut self, side: Range<usize>) -> u64 {
        let (level, kernel, classes) = (self.level, self.kernel, &self.classes);
        let words = level.row_words();
        let (links, after, removals) = (&self.links, &*self.black_to_move, &*self.removals);
        self.white_to_move[side.start * words..side.end * words]
            .par_chunks_mut(words)
            .zip(Layers::records(&mut self.layers, level, &side))
            .enumerate()
            .map_init(
                || RowScratch::new::<Bounds>(level),
                |scratch, (number, (old, layer))| {
                    kernel.run(WhiteRow {
                        planes: PhantomData::<Bounds>,
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
                        layer,
                    })
                },
            )
            .sum()
    }

    fn dense_black(&mut self, side: Range<usize>, record: bool) -> u64 {
        let (level, kernel, classes) = (self.level, self.kernel, &self.classes);
        let words = level.row_words();
        let span = side.start * words..side.end * words;
        let (flyers, layers) = (&self.flyers, self.layers.as_ref());
        self.black_to_move[span.clone()]
            .par_chunks_mut(words)
            .zip(self.removals[span.clone()].par_chunks_mut(words))
            .zip(self.white_to_move[span.clone()].par_chunks(words))
            .zip(self.captures[span].par_chunks_mut(words))
            .zip(&mut self.black_news[side.clone()])
            .zip(&mut self.removal_news[side.clone()])
            .enumerate()
            .map_init(
                || RowScratch::new::<Bounds>(level),
                |scratch, (number, (((((old, removals), board), captures), news), closing))| {
                    let place = side.start + number;
                    if let Some(layers) = layers {
                        kernel.run(KnownCaptures {
                            captures: row_at::<Graded>(level, layers.captures(), place),
                            sweeps: layers.sweeps(),
                            known: &mut *captures,
                        });
                    }
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
                        layer: None,
                    });
                    if changed != 0 && level.has_mill(place) {
                        kernel.run(RemovalsOfRow {
                            planes: PhantomData::<Bounds>,
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
                            news: record.then_some(closing),
                            layer: None,
                        });
                    } else if record {
                        closing.clear();
                    }
                    changed
                },
            )
            .sum()
    }

    /// Takes over what the other rows have newly decided; the number of bits that changed.
    fn sparse(&mut self, side: Range<usize>) -> u64 {
        self.sparse_white(side.clone()) + self.sparse_black(side)
    }

    fn sparse_white(&mut self, side: Range<usize>) -> u64 {
        let (level, kernel) = (self.level, self.kernel);
        let words = level.row_words();
        let (links, after, removals) = (&self.links, &*self.black_to_move, &*self.removals);
        let (black_news, removal_news) = (&self.black_news, &self.removal_news);
        self.white_to_move[side.start * words..side.end * words]
            .par_chunks_mut(words)
            .zip(&mut self.white_news[side.clone()])
            .zip(Layers::records(&mut self.layers, level, &side))
            .enumerate()
            .map_init(Vec::new, |candidates, (number, ((row, news), layer))| {
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
                if let Some((grades, half)) = layer {
                    grade_news(news, half, grades);
                }
                news.len()
            })
            .sum()
    }

    fn sparse_black(&mut self, side: Range<usize>) -> u64 {
        if let Some(layers) = &mut self.layers {
            layers.take_late(self.level, self.captures, &mut self.capture_news);
        }
        let (level, kernel) = (self.level, self.kernel);
        let words = level.row_words();
        let span = side.start * words..side.end * words;
        let (flyers, most) = (&self.flyers, self.most);
        self.black_to_move[span.clone()]
            .par_chunks_mut(words)
            .zip(self.removals[span.clone()].par_chunks_mut(words))
            .zip(self.white_to_move[span.clone()].par_chunks(words))
            .zip(self.captures[span].par_chunks(words))
            .zip(&self.white_news[side.clone()])
            .zip(&self.capture_news[side.clone()])
            .zip(&mut self.black_news[side.clone()])
            .zip(&mut self.removal_news[side.clone()])
            .enumerate()
            .map(|(number, (after, closing))| {
                let ((after, capture_news), news) = after;
                let ((((row, removals), board), captures), white_news) = after;
                kernel.run(BlackNews {
                    level,
                    place: side.start + number,
                    board,
                    captures,
                    flyers: flyers.clone(),
                    most,
                    white_news,
                    capture_news,
                    row,
                    news,
                    removals,
                    removal_news: closing,
                });
                news.len()
            })
            .sum()
    }
}
