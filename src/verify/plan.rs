//! What is checked in which order, with how much memory.

use std::cmp::Reverse;

use crate::database::Database;
use crate::rules::Subspace;

use crate::verify::store::bytes_of;
use crate::verify::{Options, VerifyError};

/// Rough costs in nanoseconds of a processor, for the progress shown.
pub(super) mod cost {
    /// A byte of a file, checked.
    pub const BYTE: f64 = 1.5;
    /// A slot, decoded and counted.
    pub const SLOT: f64 = 2.0;
    /// A position, checked against its successors.
    pub const POSITION: f64 = 700.0;
}

/// What is planned for one table.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub subspace: Subspace,
    pub slots: u64,
    /// The length of the file.
    pub bytes: u64,
    /// How many positions are checked.
    pub positions: u64,
    /// Whether those are all there are.
    pub exhaustive: bool,
}

impl Task {
    /// What it takes to check the file.
    pub(super) fn file_cost(&self) -> f64 {
        self.bytes as f64 * cost::BYTE
    }

    /// What it takes to check the values.
    pub(super) fn values_cost(&self) -> f64 {
        self.slots as f64 * cost::SLOT + self.positions as f64 * cost::POSITION
    }
}

/// Of each sampled subspace, at least so many positions are checked, unless the whole sample is
/// too small for it.
const LEAST_SAMPLE: u64 = 4_000;

/// The tables of the database in an order in which those that are needed together follow each
/// other: moving from few men to many, then placing from the last man to the first.
pub(super) fn plan(database: &Database, options: &Options) -> Vec<Task> {
    let index = database.index();
    let mut tasks: Vec<_> = database
        .manifest()
        .tables
        .iter()
        .map(|entry| {
            let subspace = entry.subspace;
            let exhaustive = subspace.men_in_all() <= options.exhaustive_through;
            let slots = index.slots(subspace);
            Task {
                subspace,
                slots,
                bytes: entry.bytes,
                positions: if exhaustive { slots } else { 0 },
                exhaustive,
            }
        })
        .collect();
    tasks.sort_by_key(|task| {
        let Subspace {
            mover,
            opponent,
            mover_hand,
            opponent_hand,
        } = task.subspace;
        let in_hand = mover_hand + opponent_hand;
        let on_board = if in_hand == 0 { mover + opponent } else { 0 };
        (
            in_hand,
            on_board,
            mover.max(opponent),
            Reverse(mover),
            opponent,
        )
    });
    let sampled = tasks.iter_mut().filter(|task| !task.exhaustive);
    let sampled: Vec<_> = sampled.collect();
    let slots: u64 = sampled.iter().map(|task| task.slots).sum();
    let count = sampled.len() as u64;
    for task in sampled {
        let share = u128::from(options.sample) * u128::from(task.slots) / u128::from(slots.max(1));
        let least = LEAST_SAMPLE.min(options.sample / count);
        task.positions = (share as u64).max(least).min(task.slots);
        task.exhaustive = task.positions == task.slots;
    }
    tasks
}

/// The memory for whole tables.
pub(super) fn memory_for(
    database: &Database,
    options: &Options,
    tasks: &[Task],
) -> Result<u64, VerifyError> {
    let needed = |task: &Task| -> u64 {
        let mut tables: Vec<_> = database.rules().subspaces_after(task.subspace).collect();
        tables.push(task.subspace);
        tables.sort_unstable();
        tables.dedup();
        tables
            .into_iter()
            .map(|table| bytes_of(database, table))
            .sum()
    };
    let most = tasks.iter().map(|task| (needed(task), task.subspace)).max();
    let Some((needed, subspace)) = most.filter(|_| !options.checksums_only) else {
        return Ok(0);
    };
    match options.memory {
        None => Ok(needed.max(Options::MEMORY)),
        Some(allowed) if allowed >= needed => Ok(allowed),
        Some(allowed) => Err(VerifyError::Memory {
            subspace,
            needed,
            allowed,
        }),
    }
}
