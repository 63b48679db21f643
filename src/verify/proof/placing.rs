//! The placing phase: rows are always those of the player who began, so the grades to be checked
//! lie beside the worths they follow from.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::Index;
use crate::rules::Subspace;

use super::landing::{Landing, Landings};
use super::passage::Passage;
use super::sets::{Places, Sets, raise};
use super::worths::{NO_GRADE, Worths, worth};
use super::{Context, Tally};

/// Checks every row: `expect` raises the worths that the grades of a row should have, from nothing,
/// with what a thread uses again for each row.
fn check_rows<T: Default + Send>(
    context: &Context<'_>,
    subspace: Subspace,
    sets: &Sets,
    claimed: &Worths,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
    expect: impl Fn(usize, &mut T, &mut [u8]) + Sync,
) -> Tally {
    let (first, _) = Index::row_and_rank_men(subspace);
    let check_row = |(scratch, expected): &mut (T, Vec<u8>), row| {
        if stop.load(Ordering::Relaxed) {
            return Tally::default();
        }
        expected.clear();
        expected.resize(sets.len(), 0);
        expect(row, scratch, expected);
        done(sets.len() as u64);
        compare(context, subspace, row, sets, claimed.row(row), expected)
    };
    let rows = (0..context.index.rows(first).len()).into_par_iter();
    let tallies = rows.map_init(Default::default, check_row);
    tallies.reduce(Tally::default, Tally::and)
}

/// Compares the grades of a row with the codes of those they should be.
fn compare(
    context: &Context<'_>,
    subspace: Subspace,
    row: usize,
    sets: &Sets,
    claimed: &[u8],
    expected: &mut [u8],
) -> Tally {
    let mut tally = Tally::default();
    for code in &mut *expected {
        *code = worth(*code);
    }
    if claimed == expected && !claimed.contains(&NO_GRADE) {
        return tally;
    }
    let index = context.index;
    let board = index.board();
    let (first, _) = Index::row_and_rank_men(subspace);
    let rows = index.rows(first);
    let places = Places::new(board.points() - rows.representatives()[row]);
    // Symmetries that keep the row give a position several slots, of which the first counts.
    let is_home = |rank: usize| {
        let set = places.set(sets.masks()[rank]);
        let mut kept = rows.stabiliser(board, row);
        kept.all(|symmetry| symmetry.set(set) >= set)
    };
    let several = rows.stabiliser_order(row) > 1;
    for (rank, (&claimed, &expected)) in claimed.iter().zip(&*expected).enumerate() {
        if (claimed != expected || claimed == NO_GRADE) && (!several || is_home(rank)) {
            tally.add((row * sets.len() + rank) as u64);
        }
    }
    tally
}

/// The check of one subspace in which the second player is to place a man. He lands in the row.
pub(super) struct SecondPlaces<'a> {
    context: &'a Context<'a>,
    subspace: Subspace,
    claimed: &'a Worths,
    landings: Landings<'a>,
    sets: Sets,
    /// For each place, the sets without it before the man is placed,
    without: Vec<Vec<u32>>,
    /// and with it after.
    with: Vec<Vec<u32>>,
}

impl<'a> SecondPlaces<'a> {
    /// Prepares the check of a subspace.
    pub(super) fn new(
        context: &'a Context<'a>,
        subspace: Subspace,
        claimed: &'a Worths,
        quiet: &'a Worths,
        removal: Option<&'a Worths>,
    ) -> Self {
        let index = context.index;
        let (men, others) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        let places = index.board().len() - others;
        let sets = Sets::new(index, places, men);
        let after = Sets::new(index, places, men + 1);
        Self {
            context,
            subspace,
            claimed,
            landings: Landings::new(context, &after, (others, men + 1), quiet, removal),
            without: sets.without_each(),
            with: after.with_each(),
            sets,
        }
    }

    /// How many bytes the check of a subspace takes besides its tables, at most.
    pub(super) fn bytes(index: &Index, subspace: Subspace, threads: u64) -> u64 {
        let (men, others) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        let places = index.board().len() - others;
        let list = index.binomial(places.saturating_sub(1), men);
        Sets::bytes(index, places, men)
            + Sets::bytes(index, places, men + 1)
            + 8 * places as u64 * list
            + Landings::bytes(index, places, men + 1, threads)
            + threads * index.binomial(places, men)
    }

    /// Checks every position.
    pub(super) fn check(&self, stop: &AtomicBool, done: &(dyn Fn(u64) + Sync)) -> Tally {
        let index = self.context.index;
        let board = index.board();
        let rows = index.rows(self.subspace.opponent.into());
        let expect = |row: usize, landing: &mut Landing, expected: &mut [u8]| {
            let places = Places::new(board.points() - rows.representatives()[row]);
            self.landings.enter(row, &places, landing);
            for (place, &point) in places.points().iter().enumerate() {
                self.landings.on(point, landing, |worths| {
                    raise(expected, &self.without[place], worths, &self.with[place]);
                });
            }
        };
        let (context, subspace) = (self.context, self.subspace);
        let (sets, claimed) = (&self.sets, self.claimed);
        check_rows(context, subspace, sets, claimed, stop, done, expect)
    }
}

/// The check of one subspace in which the player who began is to place a man. Each point he may
/// place it on leads to another row.
pub(super) struct FirstPlaces<'a> {
    context: &'a Context<'a>,
    subspace: Subspace,
    claimed: &'a Worths,
    quiet: &'a Worths,
    captured: Captured,
    sets: Sets,
    /// For each place, the sets without it.
    without: Vec<Vec<u32>>,
}

impl<'a> FirstPlaces<'a> {
    /// Prepares the check of a subspace.
    pub(super) fn new(
        context: &'a Context<'a>,
        subspace: Subspace,
        claimed: &'a Worths,
        quiet: &'a Worths,
        removal: Option<&'a Worths>,
    ) -> Self {
        let index = context.index;
        let (men, others) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        let sets = Sets::new(index, index.board().len() - men, others);
        Self {
            context,
            subspace,
            claimed,
            quiet,
            captured: Captured::new(context, (men + 1, others), removal),
            without: sets.without_each(),
            sets,
        }
    }

    /// How many bytes the check of a subspace takes besides its tables, at most.
    pub(super) fn bytes(index: &Index, subspace: Subspace, threads: u64) -> u64 {
        let (men, others) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        let places = index.board().len() - men;
        let list = index.binomial(places.saturating_sub(1), others);
        Sets::bytes(index, places, others)
            + 4 * places as u64 * list
            + Captured::bytes(index, (men + 1, others))
            + threads * index.binomial(places, others)
    }

    /// Checks every position.
    pub(super) fn check(&self, stop: &AtomicBool, done: &(dyn Fn(u64) + Sync)) -> Tally {
        let Context {
            index,
            homes,
            passages,
            ..
        } = self.context;
        let board = index.board();
        let rows = index.rows(self.subspace.mover.into());
        let others = usize::from(self.subspace.opponent);
        let expect = |row: usize, passage: &mut Passage, expected: &mut [u8]| {
            let set = rows.representatives()[row];
            let empty = board.points() - set;
            for (point, ranks) in empty.iter().zip(&self.without) {
                let after = set.with(point);
                let home = homes.home(after);
                let worths = if self.captured.any() && board.in_mill(after, point) {
                    self.captured.row(home.row())
                } else {
                    self.quiet.row(home.row())
                };
                if home.symmetry() == 0 {
                    for (&rank, &worth) in ranks.iter().zip(worths) {
                        let best = &mut expected[rank as usize];
                        *best = worth.max(*best);
                    }
                    continue;
                }
                let symmetry = &board.symmetries()[home.symmetry()];
                passages.trace(passage, after, home.representative(), symmetry, others);
                let mut ranks = &ranks[..];
                for (start, within) in passage.blocks() {
                    let (block, rest) = ranks.split_at(within.len());
                    let worths = &worths[start..];
                    for (&rank, &turned) in block.iter().zip(within) {
                        let best = &mut expected[rank as usize];
                        *best = worths[usize::from(turned)].max(*best);
                    }
                    ranks = rest;
                }
            }
        };
        let (context, subspace) = (self.context, self.subspace);
        let (sets, claimed) = (&self.sets, self.claimed);
        check_rows(context, subspace, sets, claimed, stop, done, expect)
    }
}

/// What it is worth to have closed a mill: for the sets of a player's men that have one, and all
/// sets of the other player's, the best removal.
struct Captured {
    /// For each row where its worths begin; rows without a mill have none.
    starts: Vec<usize>,
    worths: Vec<u8>,
    per_row: usize,
}

impl Captured {
    /// The worths of removals from `others` men beside rows of `men` men.
    fn new(context: &Context<'_>, (men, others): (usize, usize), removal: Option<&Worths>) -> Self {
        let index = context.index;
        let board = index.board();
        let rows = index.rows(men);
        let per_row = index.binomial(board.len() - men, others) as usize;
        let mut captured = Self {
            starts: vec![usize::MAX; rows.len()],
            worths: Vec::new(),
            per_row,
        };
        let Some(after) = removal else {
            return captured;
        };
        let has_mill = |&row: &usize| !board.men_in_mills(rows.representatives()[row]).is_empty();
        let with_mill: Vec<_> = (0..rows.len()).filter(has_mill).collect();
        for (nth, &row) in with_mill.iter().enumerate() {
            captured.starts[row] = nth * per_row;
        }
        captured.worths.resize(with_mill.len() * per_row, 0);
        let places = board.len() - men;
        let removals = Removals {
            context,
            left: Sets::new(index, places, others - 1),
            sets: Sets::new(index, places, others),
        };
        let (with, without) = (removals.sets.with_each(), removals.left.without_each());
        let rows_of_worths = captured.worths.par_chunks_mut(per_row).zip(&with_mill);
        rows_of_worths.for_each(|(worths, &row)| {
            let after = after.row(row);
            for (with, without) in with.iter().zip(&without) {
                raise(worths, with, after, without);
            }
            removals.restrict(rows.representatives()[row], after, worths);
        });
        captured
    }

    /// Whether there are removals at all.
    #[inline]
    fn any(&self) -> bool {
        !self.worths.is_empty()
    }

    /// How many bytes they take, at most.
    fn bytes(index: &Index, (men, others): (usize, usize)) -> u64 {
        let board = index.board();
        let places = board.len().saturating_sub(men);
        let per_row = index.binomial(places, others);
        let rows = index.rows(men).representatives().iter();
        let with_mill = rows.filter(|&&row| !board.men_in_mills(row).is_empty());
        let lists = index.binomial(places.saturating_sub(1), others.saturating_sub(1));
        with_mill.count() as u64 * per_row
            + Sets::bytes(index, places, others)
            + Sets::bytes(index, places, others.saturating_sub(1))
            + 8 * places as u64 * lists
    }

    /// The worths of a row with a mill.
    #[inline]
    fn row(&self, row: usize) -> &[u8] {
        &self.worths[self.starts[row]..][..self.per_row]
    }
}

/// Removals beside any row.
struct Removals<'a> {
    context: &'a Context<'a>,
    sets: Sets,
    /// The sets that are left.
    left: Sets,
}

impl Removals<'_> {
    /// Works out anew the worths of those sets beside the men `first` that have mills: from them
    /// not every man may be removed.
    fn restrict(&self, first: PointSet, after: &[u8], worths: &mut [u8]) {
        let Context { index, rules, .. } = self.context;
        let board = index.board();
        let places = Places::new(board.points() - first);
        let lines = board.mills().iter().filter(|mill| !mill.meets(first));
        let lines: Vec<_> = lines.map(|&mill| places.mask(mill)).collect();
        for (&mask, worth) in self.sets.masks().iter().zip(worths) {
            if lines.iter().all(|line| mask & line != *line) {
                continue;
            }
            let removable = rules.removable(places.set(mask));
            let removals = removable.iter().map(|point| {
                let left = mask & !(1 << places.place(point));
                after[self.left.rank(left) as usize]
            });
            *worth = removals.max().unwrap_or_default();
        }
    }
}
