//! Depths: what a sweep over a level decides is graded with the number of the sweep.
//!
//! When every row takes part in every sweep, first with White to move and then with Black, what is
//! decided in sweep s ends in so many plies:
//!
//! | | won by White | lost by White |
//! |---|---|---|
//! | White to move | 2s - 1 | 2s - 2 |
//! | Black to move | 2s | 2s - 1 |
//!
//! provided that a blocked Black counts as lost before the first sweep. With White to move that is
//! a half depth of s - 1 either way. Moves of White stay in the level, and so do those of Black but
//! for the captures, which lead to the level below. Its grades are known, so levels can be solved
//! one after the other and still be exact: what a capture leads to is made known to this level in
//! the sweep in which the level below decided it.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::level::{Level, Links};
use super::moving::SolveError;
use super::news::News;
use super::rows::{Below, CapturesOfRow};
use crate::grade::{DEEPEST_HALF, Grade};
use crate::planes::{
    self, Bits, Graded, Kernel, Plane, Planes, Task, TransferScratch, Words, bounds_within,
    grade_at_once, late_captures,
};
use crate::rules::Value;

/// The grades of a level as they are found.
pub(super) struct Layers<'a> {
    /// Of the positions with White to move.
    grades: Words,
    /// Of the positions after Black has captured a man.
    captures: &'a mut [u64],
    /// For each row, what captures make known in sweeps to come: the half depth above the index,
    /// the deepest first.
    late: Vec<Vec<u32>>,
    /// How many entries those are, if they have been listed.
    waiting: Option<u64>,
    /// How many sweeps have begun.
    sweeps: u8,
}

/// Where the half depth of a late capture begins.
const HALF_SHIFT: u32 = 25;
const _: () = assert!(DEEPEST_HALF.ilog2() < u32::BITS - HALF_SHIFT);

impl<'a> Layers<'a> {
    /// Before the first sweep: `undecided` are the bounds of the positions with White to move.
    pub(super) fn new(
        level: &Level<'_>,
        below: Below<'_>,
        links: &Links,
        undecided: &[u64],
        captures: &'a mut [u64],
        kernel: Kernel,
    ) -> Result<Self, SolveError> {
        // A row of more positions would not fit into memory anyway.
        assert!(
            level.empty() <= HALF_SHIFT as usize,
            "the board is too large"
        );
        let mut grades = Words::zeroed(level.words::<Graded>())?;
        let words = level.row_words_of::<Graded>();
        grades
            .par_chunks_mut(words)
            .zip(undecided.par_chunks(level.row_words()))
            .for_each(|(grades, bounds)| grade_at_once(bounds, grades));
        fill_captures::<Graded>(level, below, links, kernel, captures);
        Ok(Self {
            grades,
            captures,
            late: vec![Vec::new(); level.len()],
            waiting: None,
            sweeps: 0,
        })
    }

    /// Begins the next sweep; `known` is what the sweeps so far have made known of captures.
    pub(super) fn begin_sweep(
        &mut self,
        sparse: bool,
        level: &Level<'_>,
        known: &[u64],
        kernel: Kernel,
    ) -> Result<(), SolveError> {
        if self.sweeps == DEEPEST_HALF {
            return Err(SolveError::TooDeep);
        }
        if !sparse {
            self.waiting = None;
        } else if self.waiting.is_none() {
            self.list_late(level, known, kernel);
        }
        self.sweeps += 1;
        Ok(())
    }

    /// The half depth of what this sweep decides with White to move.
    fn half(&self) -> u8 {
        self.sweeps - 1
    }

    /// How many sweeps have begun.
    pub(super) fn sweeps(&self) -> u8 {
        self.sweeps
    }

    /// For each row of a side, its grades and the half depth of what this sweep decides, where
    /// there are layers.
    #[allow(clippy::type_complexity)]
    pub(super) fn records<'l>(
        layers: &'l mut Option<Self>,
        level: &Level<'_>,
        side: &Range<usize>,
    ) -> Vec<Option<(&'l mut [u64], u8)>> {
        match layers {
            None => side.clone().map(|_| None).collect(),
            Some(layers) => {
                let half = layers.half();
                let words = level.row_words_of::<Graded>();
                layers.grades[side.start * words..side.end * words]
                    .chunks_mut(words)
                    .map(|grades| Some((grades, half)))
                    .collect()
            }
        }
    }

    /// The grades of captures.
    pub(super) fn captures(&self) -> &[u64] {
        self.captures
    }

    /// Whether captures are still to become known, for all that is listed.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting != Some(0)
    }

    /// Lists the captures that the sweeps so far have not made known; `known` are the bounds that
    /// they have.
    fn list_late(&mut self, level: &Level<'_>, known: &[u64], kernel: Kernel) {
        let waiting = self
            .late
            .par_iter_mut()
            .zip(known.par_chunks(level.row_words()))
            .zip(self.captures.par_chunks(level.row_words_of::<Graded>()))
            .enumerate()
            .map(|(place, ((late, known), captures))| {
                late.clear();
                kernel.run(LateOfRow {
                    level,
                    place,
                    known,
                    captures,
                    late,
                });
                late.sort_unstable_by(|a, b| b.cmp(a));
                late.shrink_to_fit();
                late.len() as u64
            });
        self.waiting = Some(waiting.sum());
    }

    /// Makes known what captures lead to that the level below decided in this sweep, and lists it
    /// for every row.
    pub(super) fn take_late(&mut self, level: &Level<'_>, known: &mut [u64], news: &mut [News]) {
        let half = self.half();
        let taken = self
            .late
            .par_iter_mut()
            .zip(self.captures.par_chunks(level.row_words_of::<Graded>()))
            .zip(known.par_chunks_mut(level.row_words()))
            .zip(news)
            .map(|(((late, captures), known), news)| {
                take_late(late, half, captures, known, news);
                news.len()
            });
        let taken = taken.sum::<u64>();
        self.waiting = self.waiting.map(|waiting| waiting - taken);
    }

    pub(super) fn into_grades(self) -> Words {
        self.grades
    }
}

/// The values after Black has closed a mill, of all rows.
pub(super) fn fill_captures<P: Planes>(
    level: &Level<'_>,
    below: Below<'_>,
    links: &Links,
    kernel: Kernel,
    captures: &mut [u64],
) {
    captures
        .par_chunks_mut(level.row_words_of::<P>())
        .enumerate()
        .for_each_init(TransferScratch::default, |scratch, (place, out)| {
            kernel.run(CapturesOfRow {
                planes: PhantomData::<P>,
                level,
                below,
                links,
                place,
                board: &[],
                scratch,
                out,
            });
        });
}

/// Gives the captures of a row their values as far as they are known.
pub(super) struct KnownCaptures<'a> {
    pub(super) captures: &'a [u64],
    pub(super) sweeps: u8,
    pub(super) known: &'a mut [u64],
}

impl Task for KnownCaptures<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        bounds_within(self.captures, self.sweeps, self.known);
    }
}

/// Gives what a row has newly decided its half depth.
pub(super) fn grade_news(news: &News, half: u8, grades: &mut [u64]) {
    for &index in &news.sure {
        planes::set_code(grades, index, !half);
    }
    for &index in &news.hope {
        planes::set_code(grades, index, half);
    }
}

fn take_late(late: &mut Vec<u32>, half: u8, captures: &[u64], known: &mut [u64], news: &mut News) {
    news.clear();
    while let Some(&last) = late.last()
        && last >> HALF_SHIFT <= half.into()
    {
        late.pop();
        let index = last & ((1 << HALF_SHIFT) - 1);
        let grade = Grade::from_code(planes::code(captures, index));
        match grade.map(Grade::value) {
            Some(Value::Win) => {
                planes::flip(known, Plane::Sure, index);
                news.sure.push(index);
            }
            Some(Value::Loss) => {
                planes::flip(known, Plane::Hope, index);
                news.hope.push(index);
            }
            Some(Value::Draw) | None => unreachable!("only what is decided is listed"),
        }
    }
}

struct LateOfRow<'a> {
    level: &'a Level<'a>,
    place: usize,
    known: &'a [u64],
    captures: &'a [u64],
    late: &'a mut Vec<u32>,
}

impl Task for LateOfRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        late_captures(&frame, self.known, self.captures, |index, half| {
            self.late.push(u32::from(half) << HALF_SHIFT | index);
        });
    }
}
