//! Which tables are checked in which order, and which lie in memory meanwhile.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use thiserror::Error;

use crate::index::Index;
use crate::report::text::size;
use crate::rules::{RuleSet, Subspace};

use super::Kind;
use super::moving::Moving;
use super::passage::Passages;
use super::placing::{FirstPlaces, SecondPlaces};

/// The order of a proof. It is part of the plan how much memory the proof needs.
#[derive(Clone, Debug)]
pub struct ProofPlan {
    pub(super) rules: RuleSet,
    pub(super) steps: Vec<Step>,
    pub(super) slots: u64,
    memory: u64,
    reads: u64,
}

/// The check of one subspace.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub subspace: Subspace,
    /// Tables that have to go first.
    pub drop: Vec<Subspace>,
    /// Tables to be read then.
    pub read: Vec<Subspace>,
}

/// Why a proof cannot be planned.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProofPlanError {
    /// A subspace does not occur in the game.
    #[error("{0} is no subspace of the game of {1} men each")]
    NoSuchSubspace(Subspace, usize),
    /// A subspace and those its moves lead to do not fit into the memory allowed.
    #[error(
        "to prove {subspace} takes {}, but only {} are allowed; allow more",
        size(*.needed), size(*.allowed)
    )]
    Memory {
        /// The subspace.
        subspace: Subspace,
        /// How many bytes it needs.
        needed: u64,
        /// How many are allowed.
        allowed: u64,
    },
}

impl ProofPlan {
    /// The memory where nothing is said: 4 GiB. Or more, where one table and those its moves lead
    /// to need it; 3 GiB are enough for every table of nine men's morris on a few threads.
    pub const MEMORY: u64 = 4 << 30;

    /// Plans to prove these subspaces, for as many threads as the current rayon pool has. More
    /// memory, up to a point, means that fewer tables are read more than once.
    ///
    /// # Errors
    /// When a subspace does not occur in the game, or when `memory` bytes are too few.
    pub fn new(
        rules: &RuleSet,
        index: &Index,
        subspaces: &[Subspace],
        memory: Option<u64>,
    ) -> Result<Self, ProofPlanError> {
        let occurring = [rules.moving_subspaces(), rules.placing_subspaces()].concat();
        let strange = subspaces
            .iter()
            .find(|&subspace| !occurring.contains(subspace));
        if let Some(&subspace) = strange {
            return Err(ProofPlanError::NoSuchSubspace(subspace, rules.men()));
        }
        let mut order = subspaces.to_vec();
        order.sort_by_key(place_in_order);
        order.dedup();
        let tasks: Vec<_> = order.iter().map(|&s| Task::new(rules, index, s)).collect();
        let least = tasks.iter().max_by_key(|task| task.bytes());
        let needed = least.map_or(0, Task::bytes);
        let allowed = memory.unwrap_or_else(|| needed.max(Self::MEMORY));
        if let Some(task) = least
            && needed > allowed
        {
            return Err(ProofPlanError::Memory {
                subspace: task.subspace,
                needed,
                allowed,
            });
        }
        let (steps, memory) = schedule(&tasks, allowed);
        Ok(Self {
            rules: rules.clone(),
            slots: order.iter().map(|&subspace| index.slots(subspace)).sum(),
            reads: steps.iter().map(|step| step.read.len() as u64).sum(),
            steps,
            memory,
        })
    }

    /// The subspaces in the order in which they are proved.
    pub fn subspaces(&self) -> impl Iterator<Item = Subspace> {
        self.steps.iter().map(|step| step.subspace)
    }

    /// How many bytes of memory the proof needs. What reading a table takes besides its grades is
    /// not counted.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// How many slots are checked.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// How many times a table is read.
    pub fn reads(&self) -> u64 {
        self.reads
    }
}

/// Moving from few men to many, then placing from the last man to the first; and tables one after
/// the other whose moves lead to the same table.
fn place_in_order(subspace: &Subspace) -> impl Ord + use<> {
    let &Subspace {
        mover,
        opponent,
        mover_hand,
        opponent_hand,
    } = subspace;
    let in_hand = mover_hand + opponent_hand;
    match in_hand {
        0 => (0, mover + opponent, mover.max(opponent), Reverse(mover)),
        _ if subspace.mover_began() => (in_hand, mover, u8::MAX - opponent, Reverse(0)),
        _ => (in_hand, mover, opponent, Reverse(0)),
    }
}

/// What one subspace needs.
struct Task {
    subspace: Subspace,
    /// The table and those its moves lead to, with their bytes.
    tables: BTreeMap<Subspace, u64>,
    /// How many bytes the check takes besides.
    besides: u64,
}

impl Task {
    fn new(rules: &RuleSet, index: &Index, subspace: Subspace) -> Self {
        let mut tables: Vec<_> = rules.subspaces_after(subspace).collect();
        tables.push(subspace);
        let threads = rayon::current_num_threads() as u64;
        let besides = match Kind::of(subspace) {
            Some(Kind::Moving) => Moving::bytes(index, subspace, threads),
            Some(Kind::FirstPlaces) => FirstPlaces::bytes(index, subspace, threads),
            Some(Kind::SecondPlaces) => SecondPlaces::bytes(index, subspace, threads),
            None => 0,
        };
        let sized = tables.into_iter().map(|table| (table, index.slots(table)));
        Self {
            subspace,
            tables: sized.collect(),
            besides: besides + threads * Passages::BYTES,
        }
    }

    fn bytes(&self) -> u64 {
        self.besides + self.tables.values().sum::<u64>()
    }
}

/// The steps of a proof and the memory they need, at most `allowed`. Where tables have to go, those
/// go that are not needed for the longest time.
fn schedule(tasks: &[Task], allowed: u64) -> (Vec<Step>, u64) {
    let mut held: BTreeMap<Subspace, u64> = BTreeMap::new();
    let mut most = 0;
    let mut steps = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let next_use = |table: &Subspace| {
            let later = tasks[number..].iter();
            later
                .take_while(|task| !task.tables.contains_key(table))
                .count()
        };
        let mut drop: Vec<_> = held.keys().copied().collect();
        drop.retain(|table| number + next_use(table) == tasks.len());
        for table in &drop {
            held.remove(table);
        }
        let read = task
            .tables
            .iter()
            .filter(|(table, _)| !held.contains_key(table));
        let read: Vec<_> = read.map(|(&table, &bytes)| (table, bytes)).collect();
        let new: u64 = read.iter().map(|(_, bytes)| bytes).sum();
        while held.values().sum::<u64>() + new + task.besides > allowed {
            let free = held.keys().filter(|table| !task.tables.contains_key(table));
            let Some(&last) = free.max_by_key(|table| next_use(table)) else {
                break;
            };
            held.remove(&last);
            drop.push(last);
        }
        held.extend(read.iter().copied());
        most = most.max(held.values().sum::<u64>() + task.besides);
        steps.push(Step {
            subspace: task.subspace,
            drop,
            read: read.into_iter().map(|(table, _)| table).collect(),
        });
    }
    (steps, most)
}
