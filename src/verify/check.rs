//! A check under way: one table after the other.

use std::collections::BTreeMap;

use crate::database::{Database, ProbeError};
use crate::notation::{write_move, write_position};
use crate::rules::{RuleSet, Subspace, Value};
use crate::verify::consistency::{Checked, Checker, Target};
use crate::verify::homes::Homes;
use crate::verify::known::described;
use crate::verify::plan::{Task, cost};
use crate::verify::recount::{Recount, recount};
use crate::verify::store::Store;
use crate::verify::{Options, Problem, Progress, TableReport};

/// A check under way, and what it has found.
pub(super) struct Check<'a> {
    database: &'a Database,
    seed: u64,
    partial: bool,
    homes: Homes<'a>,
    store: Store<'a>,
    progress: &'a Progress<'a>,
    /// What was found wrong.
    pub problems: Vec<Problem>,
    /// What was found out about each table.
    pub tables: BTreeMap<Subspace, TableReport>,
    /// The counts of the tables whose values could be read.
    pub recounts: BTreeMap<Subspace, Recount>,
    /// How many tables could not be checked.
    pub unchecked: u64,
}

impl<'a> Check<'a> {
    /// A check of a database that holds so many bytes of values in memory at a time.
    pub(super) fn new(
        database: &'a Database,
        options: &Options,
        memory: u64,
        progress: &'a Progress<'a>,
    ) -> Self {
        let complete = database.manifest().complete || options.partial;
        Self {
            database,
            seed: options.seed,
            partial: options.partial,
            homes: Homes::new(database.index()),
            store: Store::new(database, memory),
            progress,
            problems: if !complete {
                vec![Problem::Incomplete]
            } else if database.manifest().tables.is_empty() {
                vec![Problem::Empty]
            } else {
                Vec::new()
            },
            tables: BTreeMap::new(),
            recounts: BTreeMap::new(),
            unchecked: 0,
        }
    }

    fn rules(&self) -> &'a RuleSet {
        self.database.rules()
    }

    /// Whether the file of a table is whole; `None` when the database has no such table.
    fn intact(&self, subspace: Subspace) -> Option<bool> {
        Some(self.tables.get(&subspace)?.intact)
    }

    fn table_problem(&mut self, subspace: Subspace, error: &ProbeError) {
        self.problems.push(Problem::Table {
            subspace: subspace.to_string(),
            message: error.to_string(),
        });
    }

    /// Checks the file of a table.
    pub(super) fn file(&mut self, task: &Task) {
        let subspace = task.subspace;
        self.progress.phase(&format!("file {subspace}"));
        let result = self.database.check_table(subspace);
        self.tables.insert(
            subspace,
            TableReport {
                subspace: subspace.to_string(),
                bytes: task.bytes,
                intact: result.is_ok(),
                checked: 0,
                exhaustive: task.exhaustive,
                wrong: 0,
            },
        );
        match result {
            Ok(()) => self.totals(subspace),
            Err(error) => self.table_problem(subspace, &error),
        }
        self.progress.add(task.file_cost());
    }

    /// Whether the counts recorded add up to the positions there are.
    fn totals(&mut self, subspace: Subspace) {
        let index = self.database.index();
        let Some(entry) = self.database.manifest().entry(subspace) else {
            return;
        };
        let canonical = index.canonical_positions(subspace);
        let raw = index.raw_positions(subspace);
        for (counts, positions, name) in [
            (entry.canonical, canonical, "up to symmetry"),
            (entry.raw, raw, "in every orientation"),
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

    /// Counts the values of a table again, and checks positions against their successors. The
    /// files of all tables have been checked before.
    pub(super) fn values(&mut self, task: &Task) {
        let subspace = task.subspace;
        self.progress.phase(&format!("positions {subspace}"));
        match self.checked(task) {
            Ok(Some(checked)) => self.positions(subspace, &checked),
            Ok(None) => self.unchecked += 1,
            // The file was whole a moment ago.
            Err(error) => {
                self.unchecked += 1;
                self.table_problem(subspace, &error);
            }
        }
    }

    /// The check of a table's positions; `None` when it or a table its moves lead to is missing or
    /// damaged.
    fn checked(&mut self, task: &Task) -> Result<Option<Checked<Value>>, ProbeError> {
        let (subspace, index) = (task.subspace, self.database.index());
        let next: Vec<_> = self.rules().subspaces_after(subspace).collect();
        for &next in &next {
            if self.intact(next).is_none() && !self.partial {
                self.problems.push(Problem::Missing {
                    subspace: subspace.to_string(),
                    missing: next.to_string(),
                });
            }
        }
        if self.intact(subspace) != Some(true) {
            return Ok(None);
        }
        let needed = [&next[..], &[subspace]].concat();
        let values = self.store.values(subspace, &needed)?;
        self.recounted(subspace, recount(index, subspace, &values));
        self.progress.add(task.slots as f64 * cost::SLOT);
        if next.iter().any(|&next| self.intact(next) != Some(true)) {
            return Ok(None);
        }
        let mut targets = Vec::new();
        for next in next {
            let values = self.store.values(next, &needed)?;
            targets.push(Target::new(index, next, values));
        }
        let checker = Checker {
            rules: self.rules(),
            index,
            homes: &self.homes,
            subspace,
            values,
            targets,
            done: &|positions| self.progress.add(positions as f64 * cost::POSITION),
        };
        Ok(Some(checker.run(task, self.seed)))
    }

    /// Compares the counts of a table with those recorded.
    fn recounted(&mut self, subspace: Subspace, found: Recount) {
        self.recounts.insert(subspace, found);
        let Some(entry) = self.database.manifest().entry(subspace) else {
            return;
        };
        if (entry.canonical, entry.raw) != (found.canonical, found.raw) {
            self.problems.push(Problem::Counts {
                subspace: subspace.to_string(),
                expected: described(found.canonical, Some(found.raw)),
                found: described(entry.canonical, Some(entry.raw)),
            });
        }
    }

    /// Takes down what the check of a table's positions came to.
    fn positions(&mut self, subspace: Subspace, checked: &Checked<Value>) {
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

    /// Compares the value of the position in which the game begins with what the manifest says.
    pub(super) fn start(&mut self) {
        let start = self.rules().start();
        let expected = match self.intact(start.subspace()) {
            None => None,
            Some(true) => self.database.value(&start).ok(),
            // Has been reported.
            Some(false) => return,
        };
        let found = self.database.manifest().start;
        if expected != found {
            self.problems.push(Problem::Start { expected, found });
        }
    }
}
