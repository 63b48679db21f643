//! Whether a database is right.
//!
//! Three questions, each by code that shares nothing with the solver but the rules, the
//! index and the reader of tables:
//!
//! 1. Are the files those that were written, and do they agree with the manifest? Checksums of
//!    every table, and the counts of its positions, counted again.
//! 2. Is every position worth as much as the best of its moves? Where there are depths, all
//!    positions are asked, which proves the tables. Where there are none, every position of the
//!    small subspaces is, and a random sample of the others.
//! 3. Are the counts, the depths, and the values of positions those that others have published?
//!
//! The second question finds every position whose value its moves contradict. With it, a forced
//! win or loss is never missed in a database all of whose positions pass. Where values are all
//! there is, positions that pass for each other's sake, wins that go round in a circle without an
//! end, it cannot find; in the subspaces that others have counted, the third question leaves no
//! room for them. Depths leave none anywhere: grades all of which agree with their moves are
//! right, see [`proof`]. Tables of values are then compared with the tables of grades beside them,
//! slot by slot.

mod check;
mod consistency;
mod depths;
mod finding;
mod homes;
mod known;
mod plan;
pub mod proof;
mod recount;
mod store;
mod walk;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use thiserror::Error;

use crate::database::Database;
use crate::report::text::{counted, size};
use crate::rules::Subspace;

use check::Check;
use known::{Found, KnownFile};
use plan::{ProofOrder, Task, memory_for, plan};

pub use finding::{DepthsReport, Problem, Report, TableReport};
pub use known::KnownReport;

/// What is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Checksums and the manifest only: no table is counted again, no position looked at.
    pub checksums_only: bool,
    /// Depths are not proved: only checked for checksums, counts, and agreement with the values,
    /// which are checked as if there were no depths.
    pub quick: bool,
    /// Depths are proved in the plainest way, one position at a time, which takes many times as
    /// long.
    pub plain: bool,
    /// The subspaces to be checked; all of them when there are none. What their moves lead to is
    /// taken as it is, once its checksums are right.
    pub subspaces: Vec<Subspace>,
    /// Every position is checked in the subspaces with at most so many men in all, on the board
    /// and in hand.
    pub exhaustive_through: usize,
    /// How many positions are checked in the others together; a little more where that would
    /// leave a subspace with too few.
    pub sample: u64,
    /// What the random choice of positions depends on.
    pub seed: u64,
    /// Files of known results to compare with.
    pub known: Vec<PathBuf>,
    /// How many bytes of memory whole tables may take; by default [`Options::MEMORY`], for a proof
    /// [`ProofPlan::MEMORY`], or more where one table and those its moves lead to need it.
    ///
    /// [`ProofPlan::MEMORY`]: proof::ProofPlan::MEMORY
    pub memory: Option<u64>,
    /// Whether tables may be missing, as in an extract of a database: what cannot be checked for
    /// want of them is then not wrong.
    pub partial: bool,
}

impl Options {
    /// The memory for whole tables of values where nothing is said: 2 GiB.
    pub const MEMORY: u64 = 2 << 30;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checksums_only: false,
            quick: false,
            plain: false,
            subspaces: Vec::new(),
            exhaustive_through: 10,
            sample: 10_000_000,
            seed: 0,
            known: Vec::new(),
            memory: None,
            partial: false,
        }
    }
}

/// Is told how far the check is.
pub trait Watch: Sync {
    /// A part of the check begins.
    fn phase(&self, name: &str) {
        let _ = name;
    }

    /// This fraction of the whole check is done.
    fn progress(&self, fraction: f64) {
        let _ = fraction;
    }

    /// Something worth knowing before the check goes on.
    fn message(&self, text: &str) {
        let _ = text;
    }
}

/// Nobody is told anything.
impl Watch for () {}

/// Why a check could not be made.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// A file of known results cannot be read.
    #[error("cannot read known results from {}: {source}", path.display())]
    Known {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: csv::Error,
    },
    /// A row of a file of known positions makes no sense.
    #[error("cannot use the known position in {}, line {line}: {problem}", path.display())]
    KnownPosition {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// A subspace to be checked has no table.
    #[error("the database has no table of {subspace}, which is to be checked")]
    NoTable {
        /// The subspace.
        subspace: Subspace,
    },
    /// A table and those its moves lead to do not fit into the memory allowed.
    #[error(
        "checking {subspace} takes {}, it and the tables its moves lead to, but only {} are \
         allowed; allow more, or check less",
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

/// How far a check is. Any thread may say that something is done.
struct Progress<'a> {
    watch: &'a dyn Watch,
    done: Mutex<f64>,
    all: f64,
}

impl Progress<'_> {
    /// A part begins.
    fn phase(&self, name: &str) {
        self.watch.phase(name);
    }

    /// Something that costs so much is done.
    fn add(&self, cost: f64) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += cost;
        if self.all > 0.0 {
            self.watch.progress((*done / self.all).min(1.0));
        }
    }

    /// A part that costs so much and counts for itself. What it counts is not kept: once the part
    /// is done, its cost is to be added.
    fn part(&self, cost: f64) -> Part<'_> {
        Part {
            progress: self,
            begun: *self.done.lock().unwrap_or_else(PoisonError::into_inner),
            cost,
        }
    }
}

/// A part of a check that counts for itself how far it is.
struct Part<'a> {
    progress: &'a Progress<'a>,
    /// What was done before.
    begun: f64,
    cost: f64,
}

impl Watch for Part<'_> {
    fn phase(&self, name: &str) {
        self.progress.phase(name);
    }

    fn progress(&self, fraction: f64) {
        let Progress { watch, all, .. } = *self.progress;
        if all > 0.0 {
            watch.progress(((self.begun + fraction * self.cost) / all).min(1.0));
        }
    }
}

/// Checks a database. Uses the threads of the current rayon pool.
///
/// What is wrong with the database is in the report.
///
/// # Errors
/// When the check cannot be made: a file of known results cannot be read, there is no table of a
/// subspace asked for, or there is too little memory.
pub fn verify(
    database: &Database,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Report, VerifyError> {
    let begun = Instant::now();
    let known: Vec<_> = options
        .known
        .iter()
        .map(|path| KnownFile::read(path, database.rules()))
        .collect::<Result<_, _>>()?;
    let manifest = database.manifest();
    let asked = plan::asked(database, options)?;
    let listed = |subspace| manifest.depth_entry(subspace).is_some();
    let provable = plan::provable(database, options, &asked, listed);
    let tasks = plan(database, options, &asked, &provable);
    // Too little memory is said before anything is read, not after.
    let memory = memory_for(database, options, &tasks)?;
    let proof = ProofOrder::new(database, options, &tasks)?;
    if let Some(proof) = &proof {
        watch.message(&stated(&tasks, proof));
    }
    let files = tasks.iter().map(Task::file_cost).sum::<f64>();
    let positions = tasks
        .iter()
        .map(|task| task.values_cost() + task.grades_cost(options.plain))
        .sum::<f64>();
    let progress = Progress {
        watch,
        done: Mutex::new(0.0),
        all: if options.checksums_only {
            files
        } else {
            files + positions
        },
    };
    let mut check = Check::new(database, options, memory, &progress);
    check.manifest();
    for task in &tasks {
        check.file(task);
    }
    let mut proof_memory = 0;
    if !options.checksums_only {
        // What is damaged can neither be proved nor help to prove anything.
        let provable = plan::provable(database, options, &asked, |subspace| {
            check.depths.contains_key(&subspace)
        });
        let tasks = plan(database, options, &asked, &provable);
        for task in tasks.iter().filter(|task| task.checks_values()) {
            check.values(task);
        }
        check.without_values();
        for task in tasks.iter().filter(|task| task.asked && !task.proved) {
            check.grades(task);
        }
        if let Some(proof) = ProofOrder::new(database, options, &tasks)? {
            proof_memory = proof.memory();
            check.proof(&proof, &tasks);
        }
        check.start(&asked);
    }
    let known = known.iter().map(|file| {
        let found = Found {
            database,
            depths: &check.depths,
            recounts: &check.recounts,
            deepest: &check.deepest,
            intact: &|subspace| check.tables.get(&subspace).is_some_and(|t| t.intact),
        };
        file.compare(&found, &mut check.problems)
    });
    let known = known.collect();
    let tables: Vec<_> = check.tables.into_values().collect();
    let positions = |exhaustive| {
        let of_kind = tables
            .iter()
            .filter(|table| !table.proved && table.exhaustive == exhaustive);
        of_kind.map(|table: &TableReport| table.checked).sum()
    };
    let proved = || tables.iter().filter(|table| table.proved);
    Ok(Report {
        rules: database.rules().name().to_owned(),
        ok: check.problems.is_empty(),
        checksums_only: options.checksums_only,
        exhaustive_through: options.exhaustive_through,
        seed: options.seed,
        proved_tables: proved().count() as u64,
        proved_positions: proved().map(|table| table.checked).sum(),
        plain: options.plain,
        proof_memory,
        exhaustive_positions: positions(true),
        sampled_positions: positions(false),
        wrong_positions: tables.iter().map(|table| table.wrong).sum(),
        disagreeing_positions: tables.iter().map(|table| table.disagreeing).sum(),
        unchecked_tables: check.unchecked,
        tables,
        known,
        problems: check.problems,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// What a proof will do, and what it takes.
fn stated(tasks: &[Task], proof: &ProofOrder) -> String {
    let proved = || tasks.iter().filter(|task| task.proved);
    format!(
        "proof:     {}, {}\nmemory:    {}",
        counted(proved().count() as u64, "table"),
        counted(proved().map(|task| task.slots).sum(), "slot"),
        size(proof.memory()),
    )
}
