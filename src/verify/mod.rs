//! Whether a database is right.
//!
//! Three questions, each by code that shares nothing with the solver but the rules, the
//! index and the reader of tables:
//!
//! 1. Are the files those that were written, and do they agree with the manifest? Checksums of
//!    every table, and the counts of its positions, counted again.
//! 2. Is every position worth as much as the best of its moves? Every position of the small
//!    subspaces is asked, and a random sample of the others.
//! 3. Are the counts those that others have published?
//!
//! The second question finds every position whose value its moves contradict. With it, a forced
//! win or loss is never missed in a database all of whose positions pass. Positions that pass for
//! each other's sake, wins that go round in a circle without an end, it cannot find; only a solver
//! can. In the subspaces that others have counted, the third question leaves no room for them.
//! Nor do depths: where every position has one, the same question proves the tables, see
//! [`proof`].

mod check;
mod consistency;
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
use crate::report::text::size;
use crate::rules::Subspace;

use check::Check;
use known::KnownFile;
use plan::{Task, memory_for, plan};

pub use finding::{Problem, Report, TableReport};
pub use known::KnownReport;

/// What is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Checksums and the manifest only: no table is counted again, no position looked at.
    pub checksums_only: bool,
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
    /// How many bytes of memory whole tables may take; by default [`Options::MEMORY`], or more
    /// where one table and those its moves lead to need it.
    pub memory: Option<u64>,
    /// Whether tables may be missing, as in an extract of a database: what cannot be checked for
    /// want of them is then not wrong.
    pub partial: bool,
}

impl Options {
    /// The memory for whole tables where nothing is said: 2 GiB.
    pub const MEMORY: u64 = 2 << 30;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checksums_only: false,
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
    /// A table and those its moves lead to do not fit into the memory allowed.
    #[error(
        "checking {subspace} takes {}, it and the tables its moves lead to, but only {} are \
         allowed; allow more, or check checksums only",
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
}

/// Checks a database. Uses the threads of the current rayon pool.
///
/// What is wrong with the database is in the report.
///
/// # Errors
/// When the check cannot be made: a file of known results cannot be read, or there is too little
/// memory.
pub fn verify(
    database: &Database,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Report, VerifyError> {
    let begun = Instant::now();
    let known: Vec<_> = options
        .known
        .iter()
        .map(|path| KnownFile::read(path))
        .collect::<Result<_, _>>()?;
    let tasks = plan(database, options);
    let memory = memory_for(database, options, &tasks)?;
    let files = tasks.iter().map(Task::file_cost).sum::<f64>();
    let values = tasks.iter().map(Task::values_cost).sum::<f64>();
    let progress = Progress {
        watch,
        done: Mutex::new(0.0),
        all: if options.checksums_only {
            files
        } else {
            files + values
        },
    };
    let mut check = Check::new(database, options, memory, &progress);
    for task in &tasks {
        check.file(task);
    }
    if !options.checksums_only {
        for task in &tasks {
            check.values(task);
        }
        check.start();
    }
    let known = known.iter().map(|file| {
        let counts = |subspace| check.recounts.get(&subspace).copied();
        file.compare(database.rules(), counts, &mut check.problems)
    });
    let known = known.collect();
    let tables: Vec<_> = check.tables.into_values().collect();
    let positions = |exhaustive| {
        let of_kind = tables.iter().filter(|table| table.exhaustive == exhaustive);
        of_kind.map(|table: &TableReport| table.checked).sum()
    };
    Ok(Report {
        rules: database.rules().name().to_owned(),
        ok: check.problems.is_empty(),
        checksums_only: options.checksums_only,
        exhaustive_through: options.exhaustive_through,
        seed: options.seed,
        exhaustive_positions: positions(true),
        sampled_positions: positions(false),
        wrong_positions: tables.iter().map(|table| table.wrong).sum(),
        unchecked_tables: check.unchecked,
        tables,
        known,
        problems: check.problems,
        seconds: begun.elapsed().as_secs_f64(),
    })
}
