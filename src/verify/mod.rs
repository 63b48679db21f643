//! Whether a database is right.
//!
//! Three questions, each by code that shares nothing with the solver but the rules and the index:
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
//! can, and the third question bounds their number to none.

mod consistency;
mod finding;
mod homes;
mod known;
mod plan;
mod recount;
mod store;
mod walk;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use thiserror::Error;

use crate::database::{Database, ProbeError};
use crate::notation::{write_move, write_position};
use crate::report::text::size;
use crate::rules::{RuleSet, Subspace};
use crate::table::Counts;

use consistency::{Checked, Checker, Target, successors};
use homes::Homes;
use known::{KnownFile, described};
use plan::{Task, memory_for, plan};
use recount::{Recount, recount};
use store::Store;

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

/// How far a check is.
struct Progress<'a> {
    watch: &'a dyn Watch,
    done: f64,
    all: f64,
}

impl Progress<'_> {
    fn add(&mut self, cost: f64) {
        self.done += cost;
        if self.all > 0.0 {
            self.watch.progress((self.done / self.all).min(1.0));
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
    let mut progress = Progress {
        watch,
        done: 0.0,
        all: if options.checksums_only {
            files
        } else {
            files + values
        },
    };
    let mut check = Check {
        database,
        problems: Vec::new(),
        tables: BTreeMap::new(),
        recounts: BTreeMap::new(),
        unchecked: 0,
    };
    if !database.manifest().complete {
        check.problems.push(Problem::Incomplete);
    }
    watch.phase("checksums");
    for task in &tasks {
        check.file(task);
        progress.add(task.file_cost());
    }
    if !options.checksums_only {
        let homes = Homes::new(database.index());
        let mut store = Store::new(database, memory);
        for task in &tasks {
            watch.phase(&format!("positions {}", task.subspace));
            check.values(task, options.seed, &homes, &mut store);
            progress.add(task.values_cost());
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

/// A check under way.
struct Check<'a> {
    database: &'a Database,
    problems: Vec<Problem>,
    tables: BTreeMap<Subspace, TableReport>,
    recounts: BTreeMap<Subspace, Recount>,
    unchecked: u64,
}

impl Check<'_> {
    fn rules(&self) -> &RuleSet {
        self.database.rules()
    }

    /// Checks the file of a table.
    fn file(&mut self, task: &Task) {
        let result = self.database.check_table(task.subspace);
        self.tables.insert(
            task.subspace,
            TableReport {
                subspace: task.subspace.to_string(),
                bytes: task.bytes,
                intact: result.is_ok(),
                checked: 0,
                exhaustive: task.exhaustive,
                wrong: 0,
            },
        );
        if let Err(error) = result {
            self.problems.push(Problem::Table {
                subspace: task.subspace.to_string(),
                message: error.to_string(),
            });
            return;
        }
        self.totals(task.subspace);
    }

    /// Whether the counts recorded add up to the positions there are.
    fn totals(&mut self, subspace: Subspace) {
        let index = self.database.index();
        let Some(entry) = self.database.manifest().entry(subspace) else {
            return;
        };
        for (counts, positions, name) in [
            (
                entry.canonical,
                index.canonical_positions(subspace),
                "up to symmetry",
            ),
            (
                entry.raw,
                index.raw_positions(subspace),
                "in every orientation",
            ),
        ] {
            if counts.checked_total() != Some(positions) {
                self.problems.push(Problem::Counts {
                    subspace: subspace.to_string(),
                    expected: format!("{positions} positions {name}"),
                    found: described(counts, None),
                });
            }
        }
    }

    /// Whether the file of a table is whole; `None` when the database has no such table.
    fn intact(&self, subspace: Subspace) -> Option<bool> {
        Some(self.tables.get(&subspace)?.intact)
    }

    /// Counts the values of a table again, and checks positions against their successors.
    fn values(&mut self, task: &Task, seed: u64, homes: &Homes<'_>, store: &mut Store<'_>) {
        let subspace = task.subspace;
        let next: Vec<_> = successors(self.rules(), subspace).collect();
        for &next in &next {
            if self.intact(next).is_none() {
                self.problems.push(Problem::Missing {
                    subspace: subspace.to_string(),
                    missing: next.to_string(),
                });
            }
        }
        if self.intact(subspace) != Some(true) {
            self.unchecked += 1;
            return;
        }
        let keep = [&next[..], &[subspace]].concat();
        let values = match store.values(subspace, &keep) {
            Ok(values) => values,
            Err(error) => return self.unreadable(subspace, &error),
        };
        self.recount(subspace, recount(self.database.index(), subspace, &values));
        if next.iter().any(|&next| self.intact(next) != Some(true)) {
            self.unchecked += 1;
            return;
        }
        let mut targets = Vec::new();
        for &next in &next {
            match store.values(next, &keep) {
                Ok(values) => targets.push(Target::new(self.database.index(), next, values)),
                Err(error) => return self.unreadable(subspace, &error),
            }
        }
        let checker = Checker {
            rules: self.rules(),
            index: self.database.index(),
            homes,
            subspace,
            values,
            targets,
        };
        let checked = checker.run(task, seed);
        self.positions(subspace, &checked);
    }

    /// A table could not be read although its file was whole before.
    fn unreadable(&mut self, subspace: Subspace, error: &ProbeError) {
        self.unchecked += 1;
        self.problems.push(Problem::Table {
            subspace: subspace.to_string(),
            message: error.to_string(),
        });
    }

    /// Compares the counts of a table with those recorded.
    fn recount(&mut self, subspace: Subspace, found: Recount) {
        self.recounts.insert(subspace, found);
        let Some(entry) = self.database.manifest().entry(subspace) else {
            return;
        };
        let recorded: (Counts, Counts) = (entry.canonical, entry.raw);
        if recorded != (found.canonical, found.raw) {
            self.problems.push(Problem::Counts {
                subspace: subspace.to_string(),
                expected: described(found.canonical, Some(found.raw)),
                found: described(entry.canonical, Some(entry.raw)),
            });
        }
    }

    /// Takes down what the check of a table's positions came to.
    fn positions(&mut self, subspace: Subspace, checked: &Checked) {
        let board = self.rules().board();
        if let Some(report) = self.tables.get_mut(&subspace) {
            report.checked = checked.positions;
            report.wrong = checked.wrong;
        }
        let examples = checked.examples.iter().map(|wrong| Problem::Position {
            subspace: subspace.to_string(),
            position: write_position(board, &wrong.position),
            expected: wrong.expected,
            found: wrong.found,
            because: wrong.because.map(|played| write_move(board, played)),
        });
        self.problems.extend(examples);
    }

    /// Compares the value of the start with what the manifest says of it.
    fn start(&mut self) {
        let start = self.rules().start();
        let expected = match self.intact(start.subspace()) {
            None => None,
            Some(true) => self.database.value(&start).ok(),
            Some(false) => return,
        };
        let found = self.database.manifest().start;
        if expected != found {
            self.problems.push(Problem::Start { expected, found });
        }
    }
}
