//! The moving phase: all positions of a subspace, checked by rows of the opponent's men.
//!
//! A move leaves the opponent's men where they are, unless it removes one. So the worths of all
//! sets of the mover's men beside the same men of the opponent follow from one row of the table
//! that moves without a removal lead to. The grades to be checked, however, lie in rows of the
//! mover's men, far from each other. Rows of the opponent's men that differ only on the lowest
//! points make a *group*: then the grades for one set of the mover's men lie close together, and
//! one reach into the table serves the group.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::board::PointSet;
use crate::grade::Grade;
use crate::index::Index;
use crate::rules::Subspace;

use super::landing::{Landing, Landings};
use super::passage::cuts;
use super::sets::{Places, Sets, raise, rank_from};
use super::worths::{NO_GRADE, Worths, worth};
use super::{Context, Tally};

/// The check of one moving subspace.
pub(super) struct Moving<'a> {
    context: &'a Context<'a>,
    /// The mover's and the opponent's men.
    men: (usize, usize),
    claimed: &'a Worths,
    landings: Landings<'a>,
    /// The sets of the mover's men beside a row.
    sets: Sets,
    /// For each two places the sets with the first and without the second.
    exchanges: Vec<Vec<u32>>,
    groups: Vec<Range<usize>>,
    lowest: Lowest,
}

/// The lowest points: the part of the board that rows of a group may differ in.
struct Lowest {
    points: PointSet,
    /// Of each set of them (the lower index) the rank among the sets of as many that do not meet
    /// another (the upper index); in both orders of the two.
    beside: Vec<u8>,
    beside_swapped: Vec<u8>,
}

/// The most lowest points there may be: pairs of sets of them index a table.
const LOWEST: usize = 8;

impl Lowest {
    fn new(index: &Index) -> Self {
        let suits = |&cut: &usize| cut <= LOWEST;
        let count = cuts(index.board()).filter(suits).max().unwrap_or(0);
        let points = PointSet::first(count);
        let all = 1u32 << count;
        let pairs = || (0..all).flat_map(|taken| (0..all).map(move |set| (taken, set)));
        let rank = |(taken, set): (u32, u32)| {
            let (taken, set) = (PointSet::from_bits(taken), PointSet::from_bits(set));
            // At most C(8, 4) sets; pairs that meet are never asked for.
            index.rank(set, points - taken) as u8
        };
        Self {
            points,
            beside: pairs().map(rank).collect(),
            beside_swapped: pairs().map(|(set, taken)| rank((taken, set))).collect(),
        }
    }

    /// The ranks of all sets beside these points.
    #[inline]
    fn beside(&self, taken: PointSet) -> &[u8] {
        let all = 1 << self.points.len();
        &self.beside[taken.bits() as usize * all..][..all]
    }

    /// The ranks of a set beside all sets of points.
    #[inline]
    fn of(&self, set: PointSet) -> &[u8] {
        let all = 1 << self.points.len();
        &self.beside_swapped[set.bits() as usize * all..][..all]
    }
}

/// What a thread uses again for each group.
#[derive(Default)]
struct Scratch {
    landing: Landing,
    /// The worths that the grades should have, for each row of the group.
    expected: Vec<u8>,
    /// For each set of the lowest points, the rows of the group that leave it empty, and where in
    /// a block of them its slot is.
    meeting: Vec<Vec<(usize, usize)>>,
    /// For each symmetry, the image of what each row of the group has of the lowest points.
    images: Vec<u8>,
    reaches: Vec<Reach>,
}

/// Where the grades are for one set of the mover's men, of a group of rows of the opponent's.
struct Reach {
    /// What the set has of the lowest points.
    set: PointSet,
    /// The row of the set.
    row: usize,
    /// The symmetry that leads there.
    symmetry: usize,
    /// What the row has of the lowest points.
    taken: PointSet,
    /// The lowest rank that a row of the group can have.
    first: usize,
}

impl<'a> Moving<'a> {
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
        let pairs = (0..places * places).into_par_iter();
        let exchange = |pair| match (pair / places, pair % places) {
            (with, without) if with == without => Vec::new(),
            (with, without) => sets.having(1u32 << with, 1u32 << without),
        };
        let exchanges = pairs.map(exchange).collect();
        let lowest = Lowest::new(index);
        let rows = index.rows(others).representatives();
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (row, &set) in rows.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if rows[group.start] - lowest.points == set - lowest.points => {
                    group.end = row + 1;
                }
                _ => groups.push(row..row + 1),
            }
        }
        Self {
            context,
            men: (men, others),
            claimed,
            landings: Landings::new(context, &sets, (others, men), quiet, removal),
            sets,
            exchanges,
            groups,
            lowest,
        }
    }

    /// How many bytes the check of a subspace takes besides its tables, at most.
    pub(super) fn bytes(index: &Index, subspace: Subspace, threads: u64) -> u64 {
        let (men, others) = (usize::from(subspace.mover), usize::from(subspace.opponent));
        let places = index.board().len() - others;
        let row = index.binomial(places, men);
        let pairs = (places * places.saturating_sub(1)) as u64;
        let lists = 4 * pairs * index.binomial(places.saturating_sub(2), men.saturating_sub(1));
        let group = index.binomial(LOWEST.min(index.board().len()), LOWEST / 2);
        Sets::bytes(index, places, men)
            + lists
            + Landings::bytes(index, places, men, threads)
            + threads * group * row
    }

    /// Checks every position. `done` is told of slots that have been checked, about.
    pub(super) fn check(&self, stop: &AtomicBool, done: &(dyn Fn(u64) + Sync)) -> Tally {
        let (men, others) = self.men;
        let slots = self.context.index.slots(Subspace::moving(men, others));
        let rows = self.context.index.rows(others).len() as u64;
        let groups = self.groups.par_iter();
        let tallies = groups.map_init(Scratch::default, |scratch, group| {
            if stop.load(Ordering::Relaxed) {
                return Tally::default();
            }
            scratch.expected.resize(group.len() * self.sets.len(), 0);
            for row in group.clone() {
                self.expect(row, row - group.start, scratch);
            }
            let tally = self.compare(group, scratch);
            // Rows of the opponent's men stand for so many slots of the table, about.
            let until = |row: usize| slots * row as u64 / rows.max(1);
            done(until(group.end) - until(group.start));
            tally
        });
        tallies.reduce(Tally::default, Tally::and)
    }

    /// Works out the worths of a row, the `nth` of its group.
    fn expect(&self, row: usize, nth: usize, scratch: &mut Scratch) {
        let Context { index, rules, .. } = self.context;
        let (men, others) = self.men;
        let board = index.board();
        let empty = board.points() - index.rows(others).representatives()[row];
        let places = Places::new(empty);
        let flies = rules.flying().allowed(men);
        let Scratch {
            landing, expected, ..
        } = scratch;
        self.landings.enter(row, &places, landing);
        let slots = self.sets.len();
        let expected = &mut expected[nth * slots..][..slots];
        expected.fill(Grade::OVER.code());
        for (to, &target) in places.points().iter().enumerate() {
            self.landings.on(target, landing, |worths| {
                for (from, &source) in places.points().iter().enumerate() {
                    if source != target && (flies || board.neighbours(source).contains(target)) {
                        let before = &self.exchanges[from * places.points().len() + to];
                        let after = &self.exchanges[to * places.points().len() + from];
                        raise(expected, before, worths, after);
                    }
                }
            });
        }
        for code in expected {
            *code = worth(*code);
        }
    }

    /// Compares the grades of a group of rows with what they should be.
    fn compare(&self, group: &Range<usize>, scratch: &mut Scratch) -> Tally {
        let Context { index, homes, .. } = self.context;
        let (men, others) = self.men;
        let board = index.board();
        let rows = &index.rows(others).representatives()[group.clone()];
        let symmetries = board.symmetries();
        let slots = self.sets.len();
        let upper = rows[0] - self.lowest.points;
        let taken = (rows[0] & self.lowest.points).len();
        let Scratch {
            expected,
            meeting,
            images,
            reaches,
            ..
        } = scratch;

        images.clear();
        for symmetry in symmetries {
            let lowest = rows
                .iter()
                .map(|&row| symmetry.set(row & self.lowest.points));
            images.extend(lowest.map(|set| set.bits() as u8));
        }
        let upper_images: Vec<_> = symmetries
            .iter()
            .map(|symmetry| symmetry.set(upper))
            .collect();
        meeting.resize_with(1 << self.lowest.points.len(), Vec::new);
        for (set, meeting) in (0..).map(PointSet::from_bits).zip(&mut *meeting) {
            meeting.clear();
            let ranks = self.lowest.of(set);
            for (nth, &row) in rows.iter().enumerate() {
                let lowest = row & self.lowest.points;
                if !lowest.meets(set) {
                    let rank = usize::from(ranks[lowest.bits() as usize]);
                    meeting.push((nth, nth * slots + rank));
                }
            }
        }

        let mut tally = Tally::default();
        let places = Places::new(board.points() - self.lowest.points - upper);
        let free = self.lowest.points.len() - taken;
        let fewest = men.saturating_sub(free);
        // How far apart the grades for one set can lie.
        let span = index.binomial(self.lowest.points.len(), taken) as usize - 1;
        for count in fewest..=men.min(places.points().len()) {
            let lower_men = men - count;
            for mask in PointSet::subsets(places.points().len(), count) {
                let upper_set = places.set(mask.bits());
                let start = rank_from(index, mask, free, lower_men) as usize;
                // First where all the grades are, then the grades: the reaches into the table do
                // not wait for each other that way.
                reaches.clear();
                for lower_set in PointSet::subsets(self.lowest.points.len(), lower_men) {
                    if meeting[lower_set.bits() as usize].is_empty() {
                        continue;
                    }
                    let home = homes.home(upper_set | lower_set);
                    let empty = board.points() - home.representative();
                    let image = upper_images[home.symmetry()].iter().zip(taken + 1..);
                    let first = image.map(|(point, nth)| {
                        let below = empty & PointSet::first(point.number());
                        index.binomial(below.len(), nth)
                    });
                    reaches.push(Reach {
                        set: lower_set,
                        row: home.row(),
                        symmetry: home.symmetry(),
                        taken: home.representative() & self.lowest.points,
                        first: first.sum::<u64>() as usize,
                    });
                }
                let touched = reaches.iter().map(|reach| {
                    let row = self.claimed.row(reach.row);
                    row[reach.first] ^ row[(reach.first + span).min(row.len() - 1)]
                });
                black_box(touched.fold(0, |all, grade| all ^ grade));
                for reach in &*reaches {
                    let claimed = &self.claimed.row(reach.row)[reach.first..];
                    let ranks = self.lowest.beside(reach.taken);
                    let images = &images[reach.symmetry * rows.len()..][..rows.len()];
                    for &(nth, at) in &meeting[reach.set.bits() as usize] {
                        let rank = usize::from(ranks[usize::from(images[nth])]);
                        let claimed = claimed[rank];
                        if claimed != expected[start + at] || claimed == NO_GRADE {
                            let set = upper_set | reach.set;
                            let rank = reach.first + rank;
                            self.wrong(group.start + nth, set, reach.row, rank, &mut tally);
                        }
                    }
                }
            }
        }
        tally
    }

    /// Takes down a wrong position, of the mover's men `set` beside a row of the opponent's, whose
    /// grade is at a rank of a row of the mover's.
    fn wrong(&self, row: usize, set: PointSet, home: usize, rank: usize, tally: &mut Tally) {
        let index = self.context.index;
        let board = index.board();
        let (men, others) = self.men;
        let (rows, other_rows) = (index.rows(men), index.rows(others));
        // Symmetries that keep the row show the same position several times.
        if other_rows.stabiliser_order(row) > 1 {
            let mut kept = other_rows.stabiliser(board, row);
            if kept.any(|symmetry| symmetry.set(set) < set) {
                return;
            }
        }
        let slot = (home * self.claimed.per_row() + rank) as u64;
        let slot = if rows.stabiliser_order(home) > 1 {
            index.slot(
                Subspace::moving(men, others),
                set,
                other_rows.representatives()[row],
            )
        } else {
            slot
        };
        tally.add(slot);
    }
}
