//! What it is worth to land on a point: for moves after which the mover's men stand somewhere in
//! a row of the other player's men.
//!
//! While the other player's men stay where they are, a move leads from one set of places to
//! another. What the position then is worth hangs on the set, and on whether the man that moved
//! stands in a mill of it. So there are two worths for a set: *quiet*, read from a row of the table
//! without a removal, and *captured*, the best of all removals, which need be known only for sets
//! with a mill. Landings on each point in turn see the quiet worths, with the captured ones put in
//! where a mill through the point is full.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::board::{Point, PointSet};
use crate::index::Index;

use super::Context;
use super::passage::Passage;
use super::sets::{Places, Sets};
use super::worths::Worths;

/// Landings in the rows of `first` men.
pub(super) struct Landings<'a> {
    context: &'a Context<'a>,
    /// How many men the other player, who gives the row, has.
    first: usize,
    /// How many men the mover has after the move.
    men: usize,
    quiet: &'a Worths,
    removal: Option<&'a Worths>,
    /// For the places of a mill line, the sets that have them all.
    full: HashMap<u32, Vec<u32>>,
}

/// The landings in one row, and what is used again for the next.
#[derive(Default)]
pub(super) struct Landing {
    row: usize,
    passage: Passage,
    /// The mill lines that the row leaves empty: the points and, as a key, the places.
    lines: Vec<(PointSet, u32)>,
    /// The quiet worths.
    quiet: Vec<u8>,
    /// The captured worths, where they have been asked for.
    captured: Vec<u8>,
    /// The sets with a mill, ascending.
    with_mill: Vec<u32>,
    marks: Vec<bool>,
}

impl<'a> Landings<'a> {
    /// Landings in rows of `first` men of a mover who has `men` men then.
    pub(super) fn new(
        context: &'a Context<'a>,
        sets: &Sets,
        (first, men): (usize, usize),
        quiet: &'a Worths,
        removal: Option<&'a Worths>,
    ) -> Self {
        let board = context.index.board();
        let mut lines = Vec::new();
        if removal.is_some() {
            for &row in context.index.rows(first).representatives() {
                let places = Places::new(board.points() - row);
                let empty = board.mills().iter().filter(|mill| !mill.meets(row));
                lines.extend(empty.map(|&mill| places.mask(mill)));
            }
            lines.sort_unstable();
            lines.dedup();
        }
        let full = lines
            .into_par_iter()
            .map(|line| (line, sets.having(line, 0)));
        Self {
            context,
            first,
            men,
            quiet,
            removal,
            full: full.collect(),
        }
    }

    /// How many bytes they and the landings of `threads` threads take, at most.
    pub(super) fn bytes(index: &Index, places: usize, men: usize, threads: u64) -> u64 {
        let board = index.board();
        let line = board.mill_length();
        let kinds = index.binomial(places, line.min(places));
        let full = men.checked_sub(line).map_or(0, |rest| {
            kinds * index.binomial(places.saturating_sub(line), rest)
        });
        4 * full + threads * 8 * index.binomial(places, men)
    }

    /// Prepares the landings in a row.
    pub(super) fn enter(&self, row: usize, places: &Places, landing: &mut Landing) {
        let index = self.context.index;
        let board = index.board();
        let set = index.rows(self.first).representatives()[row];
        let quiet = self.quiet.row(row);
        landing.row = row;
        landing.quiet.clear();
        landing.quiet.extend_from_slice(quiet);
        landing.lines.clear();
        landing.with_mill.clear();
        let Some(after) = self.removal else {
            return;
        };
        let empty = board.mills().iter().filter(|mill| !mill.meets(set));
        landing
            .lines
            .extend(empty.map(|&mill| (mill, places.mask(mill))));
        landing.marks.clear();
        landing.marks.resize(quiet.len(), false);
        for (_, line) in &landing.lines {
            for &rank in &self.full[line] {
                landing.marks[rank as usize] = true;
            }
        }
        // Every rank is written, and stays if it is marked.
        landing.with_mill.resize(quiet.len() + 1, 0);
        let mut count = 0;
        for (&mark, rank) in landing.marks.iter().zip(0..) {
            landing.with_mill[count] = rank;
            count += usize::from(mark);
        }
        landing.with_mill.truncate(count);
        landing.captured.resize(quiet.len(), 0);
        for &rank in &landing.with_mill {
            landing.captured[rank as usize] = 0;
        }
        for removed in self.context.rules.removable(set) {
            self.capture(set, removed, after, landing);
        }
    }

    /// Takes into account the removal of one man.
    fn capture(&self, set: PointSet, removed: Point, after: &Worths, landing: &mut Landing) {
        let home = self.context.homes.home(set.without(removed));
        let symmetry = &self.context.index.board().symmetries()[home.symmetry()];
        let passages = &self.context.passages;
        passages.trace(
            &mut landing.passage,
            set,
            home.representative(),
            symmetry,
            self.men,
        );
        let worths = after.row(home.row());
        let mut marked = landing.with_mill.iter().peekable();
        let mut base = 0;
        for (start, within) in landing.passage.blocks() {
            let end = base + within.len();
            while let Some(&rank) = marked.next_if(|&&rank| (rank as usize) < end) {
                let worth = worths[start + usize::from(within[rank as usize - base])];
                let best = &mut landing.captured[rank as usize];
                *best = worth.max(*best);
            }
            base = end;
        }
    }

    /// Calls `see` with the worth of each set to a mover who lands on `point` with it. For sets
    /// that do not have the point it means nothing.
    #[inline]
    pub(super) fn on(&self, point: Point, landing: &mut Landing, see: impl FnOnce(&[u8])) {
        let Landing {
            row,
            lines,
            quiet,
            captured,
            ..
        } = landing;
        let through = || lines.iter().filter(|(mill, _)| mill.contains(point));
        let full = || through().flat_map(|(_, line)| &self.full[line]);
        for &rank in full() {
            quiet[rank as usize] = captured[rank as usize];
        }
        see(quiet);
        let before = self.quiet.row(*row);
        for &rank in full() {
            quiet[rank as usize] = before[rank as usize];
        }
    }
}
