//! What is checked in which order, with how much memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::database::Database;
use crate::rules::Subspace;
use crate::table::TableEntry;

use crate::verify::proof::{ProofPlan, ProofPlanError};
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
    /// A slot of a table of grades, decoded, counted, and compared with its value.
    pub const GRADE: f64 = 5.0;
    /// A slot, proved with many others.
    pub const PROOF: f64 = 20.0;
}

/// What is planned for one table.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub subspace: Subspace,
    pub slots: u64,
    /// The length of the file of values; `None` when there is none.
    pub bytes: Option<u64>,
    /// The length of the file of grades; `None` when there is none.
    pub depth_bytes: Option<u64>,
    /// Whether the table is to be checked; if not, its file is, for the sake of one whose moves
    /// lead there.
    pub asked: bool,
    /// Whether the grades are proved.
    pub proved: bool,
    /// How many positions are checked.
    pub positions: u64,
    /// Whether those are all there are.
    pub exhaustive: bool,
}

impl Task {
    /// What it takes to check the file.
    pub(super) fn file_cost(&self) -> f64 {
        let bytes = self.bytes.unwrap_or(0) + self.depth_bytes.unwrap_or(0);
        bytes as f64 * cost::BYTE
    }

    /// Whether the values are checked, because no proof makes that needless.
    pub(super) fn checks_values(&self) -> bool {
        self.asked && !self.proved && self.bytes.is_some()
    }

    /// What it takes to check the values.
    pub(super) fn values_cost(&self) -> f64 {
        if self.checks_values() {
            self.slots as f64 * cost::SLOT + self.positions as f64 * cost::POSITION
        } else {
            0.0
        }
    }

    /// What it takes to check the grades.
    pub(super) fn grades_cost(&self, plain: bool) -> f64 {
        let per_slot = match self.depth_bytes {
            None => 0.0,
            Some(_) if !self.asked => 0.0,
            Some(_) if !self.proved => cost::GRADE,
            Some(_) if plain => cost::GRADE + cost::POSITION,
            Some(_) => cost::GRADE + cost::PROOF,
        };
        self.slots as f64 * per_slot
    }
}

/// Of each sampled subspace, at least so many positions are checked, unless the whole sample is
/// too small for it.
const LEAST_SAMPLE: u64 = 4_000;

/// The subspaces to be checked.
///
/// # Errors
/// When one that is asked for has no table.
pub(super) fn asked(
    database: &Database,
    options: &Options,
) -> Result<BTreeSet<Subspace>, VerifyError> {
    let manifest = database.manifest();
    let listed = manifest.tables.iter().chain(&manifest.depth_tables);
    let listed: BTreeSet<_> = listed.map(|entry| entry.subspace).collect();
    if options.subspaces.is_empty() {
        return Ok(listed);
    }
    let absent = options
        .subspaces
        .iter()
        .find(|asked| !listed.contains(asked));
    match absent {
        Some(&subspace) => Err(VerifyError::NoTable { subspace }),
        None => Ok(options.subspaces.iter().copied().collect()),
    }
}

/// Those of the subspaces asked for whose grades can be proved: they and those their moves lead to
/// have tables of grades, as `has` says.
pub(super) fn provable(
    database: &Database,
    options: &Options,
    asked: &BTreeSet<Subspace>,
    has: impl Fn(Subspace) -> bool,
) -> BTreeSet<Subspace> {
    if options.quick || options.checksums_only {
        return BTreeSet::new();
    }
    let rules = database.rules();
    let can_be = |&subspace: &Subspace| {
        rules.occurs(subspace) && has(subspace) && rules.subspaces_after(subspace).all(&has)
    };
    asked.iter().copied().filter(can_be).collect()
}

/// The tables of the database in an order in which those that are needed together follow each
/// other: moving from few men to many, then placing from the last man to the first.
pub(super) fn plan(
    database: &Database,
    options: &Options,
    asked: &BTreeSet<Subspace>,
    proved: &BTreeSet<Subspace>,
) -> Vec<Task> {
    let (index, rules) = (database.index(), database.rules());
    let manifest = database.manifest();
    let bytes = |entries: &[TableEntry]| -> BTreeMap<Subspace, u64> {
        let bytes = entries.iter().map(|entry| (entry.subspace, entry.bytes));
        bytes.collect()
    };
    let values = bytes(&manifest.tables);
    let depths = bytes(&manifest.depth_tables);
    // A manifest may list what is no table of the game; that is found when its file is checked.
    let needed = asked.iter().filter(|&&subspace| rules.occurs(subspace));
    let mut needed: BTreeSet<_> = needed
        .flat_map(|&subspace| rules.subspaces_after(subspace).chain([subspace]))
        .collect();
    needed.retain(|subspace| values.contains_key(subspace) || depths.contains_key(subspace));
    let mut tasks: Vec<_> = needed
        .into_iter()
        .map(|subspace| {
            let asked = asked.contains(&subspace);
            let proved = proved.contains(&subspace);
            let exhaustive = subspace.men_in_all() <= options.exhaustive_through;
            let slots = index.slots(subspace);
            Task {
                subspace,
                slots,
                bytes: values.get(&subspace).copied(),
                depth_bytes: depths.get(&subspace).copied(),
                asked,
                proved,
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
    let sampled = tasks
        .iter_mut()
        .filter(|task| task.checks_values() && !task.exhaustive);
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

/// A subspace and those its moves lead to.
pub(super) fn with_those_after(database: &Database, subspace: Subspace) -> BTreeSet<Subspace> {
    let after = database.rules().subspaces_after(subspace);
    after.chain([subspace]).collect()
}

/// How the proof goes.
pub(super) enum ProofOrder {
    /// All of it at once.
    Planned(ProofPlan),
    /// One position at a time.
    Plain {
        /// The subspaces, in the order in which they are proved.
        subspaces: Vec<Subspace>,
        /// How many bytes of memory it takes.
        memory: u64,
    },
}

impl ProofOrder {
    /// How the grades of these tasks are proved; `None` when there are none to be.
    pub(super) fn new(
        database: &Database,
        options: &Options,
        tasks: &[Task],
    ) -> Result<Option<Self>, VerifyError> {
        let proved = tasks.iter().filter(|task| task.proved);
        let subspaces: Vec<_> = proved.map(|task| task.subspace).collect();
        let (rules, index) = (database.rules(), database.index());
        if subspaces.is_empty() {
            return Ok(None);
        }
        if !options.plain {
            return match ProofPlan::new(rules, index, &subspaces, options.memory) {
                Ok(plan) => Ok(Some(Self::Planned(plan))),
                Err(ProofPlanError::Memory {
                    subspace,
                    needed,
                    allowed,
                }) => Err(VerifyError::Memory {
                    subspace,
                    needed,
                    allowed,
                }),
                Err(ProofPlanError::NoSuchSubspace(subspace, _)) => {
                    Err(VerifyError::NoTable { subspace })
                }
            };
        }
        let needed = |&subspace: &Subspace| -> u64 {
            let tables = with_those_after(database, subspace);
            tables.into_iter().map(|table| index.slots(table)).sum()
        };
        let sized = subspaces
            .iter()
            .map(|subspace| (needed(subspace), *subspace));
        let (needed, subspace) = sized.max().unwrap_or((0, subspaces[0]));
        match options.memory {
            Some(allowed) if allowed < needed => Err(VerifyError::Memory {
                subspace,
                needed,
                allowed,
            }),
            _ => Ok(Some(Self::Plain {
                subspaces,
                memory: needed,
            })),
        }
    }

    /// How many bytes of memory the proof needs.
    pub(super) fn memory(&self) -> u64 {
        match self {
            Self::Planned(plan) => plan.memory(),
            Self::Plain { memory, .. } => *memory,
        }
    }
}

/// How many bytes of memory it takes to check the values of a subspace.
pub(super) fn memory_of(database: &Database, subspace: Subspace) -> u64 {
    let tables = with_those_after(database, subspace);
    tables
        .into_iter()
        .map(|table| bytes_of(database, table))
        .sum()
}

/// The memory for whole tables of values.
pub(super) fn memory_for(
    database: &Database,
    options: &Options,
    tasks: &[Task],
) -> Result<u64, VerifyError> {
    let checked = tasks.iter().filter(|task| task.checks_values());
    let most = checked
        .map(|task| (memory_of(database, task.subspace), task.subspace))
        .max();
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
