//! Tables with depths, proved: every grade of a whole database against those of the positions
//! after.
//!
//! The grade of a position must be the best of what its moves are worth, [`Grade::before`] of the
//! grade of the position a move leads to, or [`Grade::OVER`] where there is no move. Tables in
//! which that holds everywhere are right, which values alone could never show:
//!
//! - A position said to be lost in 0 has no move, for no move is worth so little. It is lost.
//! - A win in d has a move to a loss in d - 1 and none to a quicker one; a loss in d has moves to
//!   wins only, the slowest in d - 1. So if grades are right up to d - 1 plies, they are in d.
//! - From a draw no move leads to a loss, and at least one to a draw. A player who goes from draw
//!   to draw, or to a loss of the other's where the other offers one, never loses; and that is
//!   open to both.
//!
//! What is taken for granted are the rules, the index and the reader of tables. The check shares
//! nothing else with the solver.
//!
//! Whole tables are checked row by row, see the modules for the moving and the placing phase. The
//! plain way, position by position, is there too: [`prove_plainly`].
//!
//! [`Grade::before`]: crate::grade::Grade::before
//! [`Grade::OVER`]: crate::grade::Grade::OVER

mod fault;
mod landing;
mod moving;
mod passage;
mod placing;
mod plain;
mod plan;
mod sets;
#[cfg(test)]
mod tests;
mod worths;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use crate::board::PointSet;
use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{Colour, Position, RuleSet, Subspace, Value};
use crate::verify::homes::Homes;
use crate::verify::{Progress, Watch};

use moving::Moving;
use passage::Passages;
use placing::{FirstPlaces, SecondPlaces};
use plain::Codes;
use worths::{Worths, worth_of_end};

pub use fault::{Fault, TableProof};
pub use plan::{ProofPlan, ProofPlanError};

/// Where grades come from.
pub trait GradeSource: Sync {
    /// Why they do not.
    type Error: std::error::Error + 'static;

    /// The codes of the grades of a subspace, one byte for each slot of [`Index::slots`]. Twin
    /// slots may hold anything, and a byte that is no code is found out.
    ///
    /// # Errors
    /// When the table cannot be read.
    fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, Self::Error>;
}

/// Why a proof was not brought to an end.
#[derive(Debug, Error)]
pub enum ProofError<E: std::error::Error + 'static> {
    /// A table could not be read.
    #[error("cannot prove {subspace}: {source}")]
    Source {
        /// The subspace to be proved; the table may be one that its moves lead to.
        subspace: Subspace,
        /// Why the table could not be read.
        source: E,
    },
    /// A table has not as many grades as slots.
    #[error("{subspace}: expected {expected} grades, got {got}")]
    Length {
        /// The subspace.
        subspace: Subspace,
        /// How many slots it has.
        expected: u64,
        /// How many grades there were.
        got: u64,
    },
    /// The stop flag was raised.
    #[error("stopped")]
    Stopped,
}

/// What all checks of a proof have in common.
struct Context<'a> {
    rules: &'a RuleSet,
    index: &'a Index,
    homes: Homes<'a>,
    passages: Passages<'a>,
}

/// The kinds of subspaces there are fast checks for.
enum Kind {
    /// Both hands are empty.
    Moving,
    /// The player who began is to place a man.
    FirstPlaces,
    /// The other player is to place a man, and has one more in hand.
    SecondPlaces,
}

impl Kind {
    fn of(subspace: Subspace) -> Option<Self> {
        let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
        match () {
            () if subspace.is_moving() => Some(Self::Moving),
            () if hand == other_hand => Some(Self::FirstPlaces),
            () if hand == other_hand + 1 => Some(Self::SecondPlaces),
            () => None,
        }
    }
}

/// Wrong positions, counted.
#[derive(Clone, Copy, Debug)]
struct Tally {
    wrong: u64,
    /// The lowest slot of one, or `u64::MAX`.
    first: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            wrong: 0,
            first: u64::MAX,
        }
    }
}

impl Tally {
    #[inline]
    fn add(&mut self, slot: u64) {
        self.wrong += 1;
        self.first = slot.min(self.first);
    }

    fn and(self, other: Self) -> Self {
        Self {
            wrong: self.wrong + other.wrong,
            first: self.first.min(other.first),
        }
    }
}

/// Proves the tables of a plan, with the threads of the current rayon pool. `watch` is told which
/// subspace is in hand and what part of all slots is done; `found` is told of every table that has
/// been checked, in the order of the plan. The results do not depend on the number of threads.
///
/// A table that moves lead to from the plan, but that is not in the plan itself, is taken as it is.
/// What is proved of a subspace holds if the tables that its moves lead to hold.
///
/// # Errors
/// When a table cannot be read, or when `stop` is raised.
pub fn prove<S: GradeSource>(
    plan: &ProofPlan,
    index: &Index,
    source: &S,
    watch: &dyn Watch,
    stop: &AtomicBool,
    mut found: impl FnMut(&TableProof),
) -> Result<Vec<TableProof>, ProofError<S::Error>> {
    let rules = &plan.rules;
    let progress = Progress {
        watch,
        done: Mutex::new(0.0),
        all: plan.slots as f64,
    };
    let done = |slots: u64| progress.add(slots as f64);
    let mut proofs = Vec::new();
    let mut held: BTreeMap<Subspace, Worths> = BTreeMap::new();
    let Some(passages) = Passages::new(index) else {
        for subspace in plan.subspaces() {
            progress.phase(&format!("positions {subspace}"));
            let proof = plainly(rules, index, subspace, source, stop, &done)?;
            found(&proof);
            proofs.push(proof);
        }
        return Ok(proofs);
    };
    let context = Context {
        rules,
        index,
        homes: Homes::new(index),
        passages,
    };
    for step in &plan.steps {
        let subspace = step.subspace;
        progress.phase(&format!("positions {subspace}"));
        for table in &step.drop {
            held.remove(table);
        }
        for &table in &step.read {
            let codes = read(index, source, table, subspace, stop)?;
            let worths = Worths::new(index, &context.passages, table, codes);
            held.insert(table, worths);
        }
        let proof = match Kind::of(subspace) {
            None => plainly(rules, index, subspace, source, stop, &done)?,
            Some(kind) => {
                let check = Check {
                    context: &context,
                    subspace,
                    tables: &held,
                };
                check.prove(kind, stop, &done)
            }
        };
        if stop.load(Ordering::Relaxed) {
            return Err(ProofError::Stopped);
        }
        found(&proof);
        proofs.push(proof);
    }
    Ok(proofs)
}

/// Reads a table for the proof of a subspace.
fn read<S: GradeSource>(
    index: &Index,
    source: &S,
    table: Subspace,
    subspace: Subspace,
    stop: &AtomicBool,
) -> Result<Vec<u8>, ProofError<S::Error>> {
    if stop.load(Ordering::Relaxed) {
        return Err(ProofError::Stopped);
    }
    let codes = source.grades(table);
    let codes = codes.map_err(|source| ProofError::Source { subspace, source })?;
    let (expected, got) = (index.slots(table), codes.len() as u64);
    if expected != got {
        return Err(ProofError::Length {
            subspace: table,
            expected,
            got,
        });
    }
    Ok(codes)
}

/// Proves one table in the plainest way: one position at a time, with the rules' own moves. The
/// outcome is the same as that of [`prove`], which is ten times as fast or more.
///
/// # Errors
/// When the table or one that its moves lead to cannot be read.
pub fn prove_plainly<S: GradeSource>(
    rules: &RuleSet,
    index: &Index,
    subspace: Subspace,
    source: &S,
) -> Result<TableProof, ProofError<S::Error>> {
    plainly(
        rules,
        index,
        subspace,
        source,
        &AtomicBool::new(false),
        &|_| (),
    )
}

/// [`prove_plainly`], with somebody who is told of slots, and a way to stop.
pub(super) fn plainly<S: GradeSource>(
    rules: &RuleSet,
    index: &Index,
    subspace: Subspace,
    source: &S,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
) -> Result<TableProof, ProofError<S::Error>> {
    let mut tables = BTreeMap::new();
    for table in rules.subspaces_after(subspace).chain([subspace]) {
        let codes = read(index, source, table, subspace, stop)?;
        tables.insert(table, Arc::new(Codes(codes)));
    }
    let table = |table| Arc::clone(&tables[&table]);
    Ok(plain::prove(
        rules,
        index,
        &Homes::new(index),
        subspace,
        table,
        done,
    ))
}

/// Where the worths of moves come from.
enum After<'a> {
    /// The game is over then.
    End(Worths),
    /// A table.
    Table(&'a Worths),
}

impl After<'_> {
    fn get(&self) -> &Worths {
        match self {
            Self::End(worths) => worths,
            Self::Table(worths) => worths,
        }
    }
}

/// The value of the positions of a subspace in which the game is over for want of men.
fn outcome(rules: &RuleSet, subspace: Subspace) -> Option<Value> {
    let (mover, opponent) = (usize::from(subspace.mover), usize::from(subspace.opponent));
    rules.outcome(&Position::of_mover(
        Colour::White,
        PointSet::first(mover),
        PointSet::first(mover + opponent) - PointSet::first(mover),
        subspace.mover_hand,
        subspace.opponent_hand,
    ))
}

/// The fast check of one subspace.
struct Check<'a> {
    context: &'a Context<'a>,
    subspace: Subspace,
    /// The table and those its moves lead to, among others.
    tables: &'a BTreeMap<Subspace, Worths>,
}

impl Check<'_> {
    fn prove(&self, kind: Kind, stop: &AtomicBool, done: &(dyn Fn(u64) + Sync)) -> TableProof {
        let (context, subspace) = (self.context, self.subspace);
        let claimed = &self.tables[&subspace];
        let (quiet, removal) = self.after();
        let (quiet, removal) = (quiet.get(), removal.as_ref().map(After::get));
        let tally = match kind {
            Kind::Moving => {
                Moving::new(context, subspace, claimed, quiet, removal).check(stop, done)
            }
            Kind::FirstPlaces => {
                FirstPlaces::new(context, subspace, claimed, quiet, removal).check(stop, done)
            }
            Kind::SecondPlaces => {
                SecondPlaces::new(context, subspace, claimed, quiet, removal).check(stop, done)
            }
        };
        TableProof {
            subspace,
            positions: context.index.canonical_positions(subspace),
            wrong: tally.wrong,
            first: (tally.wrong > 0).then(|| self.fault(tally.first)),
        }
    }

    /// What moves without and with a removal lead to.
    fn after(&self) -> (After<'_>, Option<After<'_>>) {
        let Context { rules, index, .. } = self.context;
        let Subspace {
            mover,
            opponent,
            mover_hand,
            opponent_hand,
        } = self.subspace;
        let places = u8::from(mover_hand > 0);
        let quiet = Subspace {
            mover: opponent,
            opponent: mover + places,
            mover_hand: opponent_hand,
            opponent_hand: mover_hand - places,
        };
        let after = |subspace: Subspace| match outcome(rules, subspace) {
            None => After::Table(&self.tables[&subspace]),
            Some(outcome) => {
                let per_row = index.slots_per_row(subspace) as usize;
                After::End(Worths::constant(per_row, worth_of_end(outcome)))
            }
        };
        let removal = opponent
            .checked_sub(1)
            .map(|mover| Subspace { mover, ..quiet });
        // Where a mover cannot have a mill, there may be no table of what a removal would lead to.
        let can_have_mill = usize::from(quiet.opponent) >= index.board().mill_length();
        (after(quiet), removal.filter(|_| can_have_mill).map(after))
    }

    /// What is wrong with the position of a slot, worked out plainly.
    fn fault(&self, slot: u64) -> Fault {
        let Context { rules, index, .. } = self.context;
        let (mover, opponent) = index.position(self.subspace, slot);
        let position = Position::in_subspace(self.subspace, mover, opponent);
        let mut best = (Grade::OVER.code(), None);
        rules.each_successor(&position, |played, next| {
            let worth = match rules.outcome(&next) {
                Some(outcome) => worth_of_end(outcome),
                None => {
                    let after = next.subspace();
                    let slot = index.slot(after, next.mover(), next.opponent());
                    self.tables[&after].get(slot)
                }
            };
            if best.1.is_none() || worth > best.0 {
                best = (worth, Some(played));
            }
        });
        let stored = self.tables[&self.subspace].code(slot);
        debug_assert!(stored != best.0 || Grade::from_code(stored).is_none());
        Fault {
            slot,
            position,
            stored,
            expected: Grade::from_code(best.0),
            because: best.1,
        }
    }
}
