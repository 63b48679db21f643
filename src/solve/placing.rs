//! The placing phase: each ply from the next, one pass, in place.
//!
//! The planes begin as the values of the moving phase with White to move, which are those after
//! the last placing. White's placing leads to the level above, so levels are worked on in
//! ascending order and each is overwritten when nobody needs it any more; Black's placing stays in
//! the row, or leads to the level below when it closes a mill, so the order is descending.

use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::level::{Level, Links};
use super::moving::{SolveError, check};
use super::rows::{CapturesOfRow, RowScratch, WhiteRow, fill_removals};
use crate::planes::{Bits, Kernel, Planes, Scratch, Task, Words};
use crate::rules::{Colour, RuleSet, Subspace};

/// The placing phase, ply by ply backwards.
pub struct Placing<'a, P> {
    kind: PhantomData<P>,
    levels: &'a [Level<'a>],
    kernel: Kernel,
    /// The values of each level after `ply` plies.
    planes: Vec<Words>,
    ply: usize,
    /// By ply, the subspaces that can arise there.
    subspaces: Vec<Vec<Subspace>>,
    /// Of each level, White's placings and his men that can be removed.
    placings: Vec<Links>,
    captures: Vec<Links>,
    /// Room for the removals of one level.
    removals: Words,
}

impl<'a, P: Planes> Placing<'a, P> {
    /// Begins after the last placing.
    ///
    /// `levels` are those of 0, 1, 2 ... men, `planes` their values with White to move, hands
    /// empty.
    /// `removals` is room for the largest level.
    pub fn new(
        rules: &RuleSet,
        levels: &'a [Level<'a>],
        planes: Vec<Words>,
        removals: Words,
        kernel: Kernel,
    ) -> Self {
        let plies = 2 * rules.men();
        let mut subspaces = vec![Vec::new(); plies];
        for subspace in rules.placing_subspaces() {
            let hands = usize::from(subspace.mover_hand) + usize::from(subspace.opponent_hand);
            subspaces[plies - hands].push(subspace);
        }
        let pairs = || levels.iter().zip(&levels[1..]);
        let mut placings: Vec<_> = pairs()
            .map(|(level, above)| level.placings(above))
            .collect();
        placings.push(Links::default());
        let mut captures = vec![Links::default()];
        captures.extend(pairs().map(|(below, level)| level.captures(below)));
        Self {
            kind: PhantomData,
            levels,
            kernel,
            planes,
            ply: plies,
            subspaces,
            placings,
            captures,
            removals,
        }
    }

    /// How many plies have been played in the positions whose values the planes hold.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// Whose turn it is after `ply` plies of the placing phase.
    pub fn side(ply: usize) -> Colour {
        if ply.is_multiple_of(2) {
            Colour::White
        } else {
            Colour::Black
        }
    }

    /// The subspaces that can arise after `ply` plies.
    pub fn subspaces(&self, ply: usize) -> &[Subspace] {
        &self.subspaces[ply]
    }

    /// The level with `men` men of White.
    pub fn level(&self, men: usize) -> &'a Level<'a> {
        &self.levels[men]
    }

    /// The values of the level with `men` men of White. Only the subspaces of [`Placing::ply`]
    /// have a meaning.
    pub fn planes(&self, men: usize) -> &Words {
        &self.planes[men]
    }

    /// The same, to be filled from elsewhere.
    pub fn planes_mut(&mut self, men: usize) -> &mut Words {
        &mut self.planes[men]
    }

    /// Takes the planes as holding the values after `ply` plies.
    pub fn resume_at(&mut self, ply: usize) {
        self.ply = ply;
    }

    /// White's men in the positions after `ply` plies, ascending.
    pub fn white_men(&self, ply: usize) -> Vec<usize> {
        let mut men: Vec<usize> = self.subspaces[ply]
            .iter()
            .map(|&subspace| crate::index::Index::row_and_rank_men(subspace).0)
            .collect();
        men.sort_unstable();
        men.dedup();
        men
    }

    /// Goes one ply back.
    ///
    /// # Errors
    /// When `stop` is raised; the planes are then of no use any more.
    ///
    /// # Panics
    /// At the start of the game.
    pub fn step_back(&mut self, stop: &AtomicBool) -> Result<(), SolveError> {
        let ply = self.ply.checked_sub(1).expect("the start was reached");
        let men = self.white_men(ply);
        match Self::side(ply) {
            Colour::White => {
                for men in men {
                    check(stop)?;
                    self.place_white(men);
                }
            }
            Colour::Black => {
                for men in men.into_iter().rev() {
                    check(stop)?;
                    self.place_black(men);
                }
            }
        }
        self.ply = ply;
        Ok(())
    }

    fn place_white(&mut self, men: usize) {
        let (level, target) = (&self.levels[men], &self.levels[men + 1]);
        let kernel = self.kernel;
        let (lower, upper) = self.planes.split_at_mut(men + 1);
        let after = &*upper[0];
        let removals = &mut self.removals[..target.words::<P>()];
        fill_removals::<P>(target, after, kernel, removals);
        let (links, removals) = (&self.placings[men], &*self.removals);
        lower[men]
            .par_chunks_mut(level.row_words_of::<P>())
            .enumerate()
            .for_each_init(
                || RowScratch::new::<P>(level),
                |scratch, (place, out)| {
                    kernel.run(WhiteRow {
                        planes: PhantomData::<P>,
                        level,
                        target,
                        links,
                        place,
                        after,
                        removals,
                        scratch: &mut scratch.transfer,
                        out: &mut *out,
                    });
                    kernel.run(BeforePly {
                        planes: PhantomData::<P>,
                        side: Colour::White,
                        row: out,
                    });
                },
            );
    }

    fn place_black(&mut self, men: usize) {
        let (level, kernel) = (&self.levels[men], self.kernel);
        let (lower, upper) = self.planes.split_at_mut(men);
        let below = lower
            .last()
            .map(|planes| (&self.levels[men - 1], &**planes));
        let links = &self.captures[men];
        upper[0]
            .par_chunks_mut(level.row_words_of::<P>())
            .enumerate()
            .for_each_init(
                || RowScratch::new::<P>(level),
                |scratch, (place, row)| {
                    scratch.row.copy_from_slice(row);
                    kernel.run(CapturesOfRow {
                        planes: PhantomData::<P>,
                        level,
                        below,
                        links,
                        place,
                        board: &scratch.row,
                        scratch: &mut scratch.transfer,
                        out: &mut scratch.captures,
                    });
                    kernel.run(BlackPlacing {
                        planes: PhantomData::<P>,
                        level,
                        place,
                        board: &scratch.row,
                        captures: &scratch.captures,
                        scratch: &mut scratch.moves,
                        out: &mut *row,
                    });
                    kernel.run(BeforePly {
                        planes: PhantomData::<P>,
                        side: Colour::Black,
                        row,
                    });
                },
            );
    }
}

struct BlackPlacing<'a, P> {
    planes: PhantomData<P>,
    level: &'a Level<'a>,
    place: usize,
    board: &'a [u64],
    captures: &'a [u64],
    scratch: &'a mut Scratch,
    out: &'a mut [u64],
}

impl<P: Planes> Task for BlackPlacing<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        P::black_placings(&frame, self.board, self.captures, self.scratch, self.out);
    }
}

struct BeforePly<'a, P> {
    planes: PhantomData<P>,
    side: Colour,
    row: &'a mut [u64],
}

impl<P: Planes> Task for BeforePly<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let Self { side, row, .. } = self;
        P::before_ply(row, side);
    }
}
