//! A check under way: one table after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use crate::database::{Database, ProbeError};
use crate::notation::{write_move, write_position};
use crate::rules::{RuleSet, Subspace, Value};
use crate::table::{Deepest, Metric, TableEntry};
use crate::verify::consistency::{Checked, Checker, Target};
use crate::verify::depths::{self, Depths, Inspected, Source};
use crate::verify::homes::Homes;
use crate::verify::known::described;
use crate::verify::plan::{ProofOrder, Task, cost, memory_of, with_those_after};
use crate::verify::proof::{self, TableProof};
use crate::verify::recount::{Recount, recount};
use crate::verify::store::Store;
use crate::verify::{DepthsReport, Options, Problem, Progress, TableReport};

/// A check under way, and what it has found.
pub(super) struct Check<'a> {
    database: &'a Database,
    seed: u64,
    partial: bool,
    plain: bool,
    memory: u64,
    homes: Homes<'a>,
    store: Store<'a>,
    progress: &'a Progress<'a>,
    /// What was found wrong.
    pub problems: Vec<Problem>,
    /// What was found out about each table.
    pub tables: BTreeMap<Subspace, TableReport>,
    /// The tables of grades whose files are whole.
    pub depths: Depths<'a>,
    /// The counts of the tables whose values or grades could be read.
    pub recounts: BTreeMap<Subspace, Recount>,
    /// The greatest depths of the tables whose grades could be read.
    pub deepest: BTreeMap<Subspace, Deepest>,
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
            plain: options.plain,
            memory,
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
            depths: Depths::new(),
            recounts: BTreeMap::new(),
            deepest: BTreeMap::new(),
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

    fn table_problem(&mut self, subspace: Subspace, error: impl Display) {
        self.problems.push(Problem::Table {
            subspace: subspace.to_string(),
            message: error.to_string(),
        });
    }

    /// Checks what the manifest lists as tables of grades. Opening the database has seen that
    /// they are of the game, and each stands once.
    pub(super) fn manifest(&mut self) {
        let manifest = self.database.manifest();
        for entry in &manifest.depth_tables {
            let subspace = entry.subspace;
            if manifest.entry(subspace).is_none() && !self.partial {
                let message = format!("the manifest lists {}, but no table of values", entry.file);
                self.table_problem(subspace, message);
            }
        }
    }

    /// Checks the files of a table.
    pub(super) fn file(&mut self, task: &Task) {
        let subspace = task.subspace;
        self.progress.phase(&format!("file {subspace}"));
        let manifest = self.database.manifest();
        let mut report = TableReport {
            subspace: subspace.to_string(),
            bytes: task.bytes.unwrap_or(0),
            intact: false,
            depths: None,
            checked: 0,
            exhaustive: task.exhaustive,
            proved: false,
            wrong: 0,
            disagreeing: 0,
        };
        if let Some(entry) = manifest.entry(subspace) {
            match self.database.check_table(subspace) {
                Ok(()) => {
                    report.intact = true;
                    self.totals(entry);
                }
                Err(error) => self.table_problem(subspace, error),
            }
        }
        if let Some(entry) = manifest.depth_entry(subspace) {
            let database = self.database;
            let checked = database.check_table_of(subspace, Metric::Grades);
            let table = checked.and_then(|()| database.table_of(subspace, Metric::Grades));
            report.depths = Some(DepthsReport {
                bytes: entry.bytes,
                intact: table.is_ok(),
            });
            match table {
                Ok(table) => {
                    self.depths.insert(subspace, table);
                    self.totals(entry);
                }
                Err(error) => self.table_problem(subspace, error),
            }
        }
        self.tables.insert(subspace, report);
        self.progress.add(task.file_cost());
    }

    /// Whether the counts recorded add up to the positions there are.
    fn totals(&mut self, entry: &TableEntry) {
        let (index, subspace) = (self.database.index(), entry.subspace);
        let canonical = index.canonical_positions(subspace);
        let raw = index.raw_positions(subspace);
        for (counts, positions, name) in [
            (entry.canonical, canonical, "up to symmetry"),
            (entry.raw, raw, "in every orientation"),
        ] {
            if counts.checked_total() != Some(positions) {
                self.problems.push(Problem::Counts {
                    subspace: named(entry),
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
                self.table_problem(subspace, error);
            }
        }
    }

    /// Lets the tables of values in memory go: they are needed no more.
    pub(super) fn without_values(&mut self) {
        self.store.clear();
    }

    /// Counts the grades of a table again and compares them with its values, where they are not
    /// proved.
    pub(super) fn grades(&mut self, task: &Task) {
        let subspace = task.subspace;
        let Some(table) = self.depths.get(&subspace) else {
            return;
        };
        self.progress.phase(&format!("depths {subspace}"));
        let values = match self.intact(subspace) {
            Some(true) => self.database.table(subspace).ok(),
            _ => None,
        };
        let done = |slots: u64| self.progress.add(slots as f64 * cost::GRADE);
        match depths::inspect(self.database.index(), subspace, table, values, &done) {
            Ok(inspected) => self.inspected(subspace, &inspected),
            Err(error) => self.table_problem(subspace, error),
        }
    }

    /// Takes down what counting the grades of a table again came to.
    fn inspected(&mut self, subspace: Subspace, inspected: &Inspected) {
        let manifest = self.database.manifest();
        let found = inspected.recount();
        if let Some(report) = self.tables.get_mut(&subspace) {
            report.disagreeing = inspected.disagreeing;
        }
        let board = self.rules().board();
        let examples = inspected.examples.iter();
        self.problems
            .extend(examples.map(|example| Problem::Disagreement {
                subspace: subspace.to_string(),
                position: write_position(board, &example.position),
                value: example.value,
                grade: example.grade.to_string(),
            }));
        // Where all values are the same, so are the counts.
        let values = manifest
            .entry(subspace)
            .filter(|_| inspected.disagreeing == 0);
        for entry in values.into_iter().chain(manifest.depth_entry(subspace)) {
            self.recorded(entry, found);
        }
        let histogram = self
            .depths
            .get(&subspace)
            .and_then(|table| table.histogram());
        let wrong =
            histogram.and_then(|recorded| depths::misrecorded(&inspected.histogram, recorded));
        if let Some((expected, found)) = wrong {
            self.problems.push(Problem::Depths {
                subspace: subspace.to_string(),
                expected,
                found,
            });
        }
        self.recounts.insert(subspace, found);
        self.deepest.insert(subspace, inspected.histogram.deepest());
    }

    /// Proves the grades of tables whose files, and those of the tables their moves lead to, are
    /// whole.
    pub(super) fn proof(&mut self, order: &ProofOrder, tasks: &[Task]) {
        let (rules, index) = (self.database.rules(), self.database.index());
        let proved = || tasks.iter().filter(|task| task.proved);
        let inspect: BTreeSet<_> = proved().map(|task| task.subspace).collect();
        let intact = |&subspace: &Subspace| self.intact(subspace) == Some(true);
        let source = Source {
            database: self.database,
            depths: &self.depths,
            with_values: inspect.iter().copied().filter(intact).collect(),
            inspect,
            inspected: Mutex::default(),
        };
        let mut proofs = Vec::new();
        let costs = proved().map(|task| task.grades_cost(self.plain)).sum();
        let stop = AtomicBool::new(false);
        let ended = match order {
            ProofOrder::Planned(plan) => {
                let part = self.progress.part(costs);
                let found = |proof: &TableProof| proofs.push(proof.clone());
                proof::prove(plan, index, &source, &part, &stop, found).map(drop)
            }
            ProofOrder::Plain { subspaces, .. } => subspaces.iter().try_for_each(|&subspace| {
                self.progress.phase(&format!("positions {subspace}"));
                let per_slot = cost::GRADE + cost::POSITION;
                let done = |slots: u64| self.progress.add(slots as f64 * per_slot);
                let proof = proof::plainly(rules, index, subspace, &source, &stop, &done)?;
                proofs.push(proof);
                Ok(())
            }),
        };
        let inspected = source.inspected.into_inner();
        let mut inspected = inspected.unwrap_or_else(PoisonError::into_inner);
        for proof in &proofs {
            self.proved(proof);
            if let Some(inspected) = inspected.remove(&proof.subspace) {
                self.inspected(proof.subspace, &inspected);
            }
        }
        if let Err(error) = ended {
            // All files were whole a moment ago.
            self.unchecked += (proved().count() - proofs.len()) as u64;
            let next = proved().find(|task| !self.is_proved(task.subspace));
            if let Some(task) = next {
                self.table_problem(task.subspace, error);
            }
        }
    }

    fn is_proved(&self, subspace: Subspace) -> bool {
        self.tables
            .get(&subspace)
            .is_some_and(|report| report.proved)
    }

    /// Takes down what the proof of a table came to.
    fn proved(&mut self, proof: &TableProof) {
        if let Some(report) = self.tables.get_mut(&proof.subspace) {
            report.proved = true;
            report.exhaustive = true;
            report.checked = proof.positions;
            report.wrong = proof.wrong;
        }
        let board = self.rules().board();
        let problem = proof.first.as_ref().map(|fault| fault.problem(board));
        self.problems.extend(problem);
    }

    /// The check of a table's positions; `None` when it or a table its moves lead to is missing or
    /// damaged.
    fn checked(&mut self, task: &Task) -> Result<Option<Checked<Value>>, ProbeError> {
        let (subspace, index) = (task.subspace, self.database.index());
        let next: Vec<_> = self.rules().subspaces_after(subspace).collect();
        let manifest = self.database.manifest();
        for &next in next.iter().filter(|_| !self.partial) {
            if manifest.entry(next).is_none() {
                self.problems.push(Problem::Missing {
                    subspace: subspace.to_string(),
                    missing: next.to_string(),
                });
            }
            let graded = |subspace| manifest.depth_entry(subspace).is_some();
            if graded(subspace) && !graded(next) {
                self.problems.push(Problem::Missing {
                    subspace: format!("{subspace}.mld"),
                    missing: format!("{next}.mld"),
                });
            }
        }
        // Tables of values that are checked for want of a proof may take more than was planned.
        let fits = memory_of(self.database, subspace) <= self.memory;
        if self.intact(subspace) != Some(true) || !fits {
            return Ok(None);
        }
        let needed: Vec<_> = with_those_after(self.database, subspace)
            .into_iter()
            .collect();
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
        if let Some(entry) = self.database.manifest().entry(subspace) {
            self.recorded(entry, found);
        }
    }

    /// Compares the counts recorded for a file with those found.
    fn recorded(&mut self, entry: &TableEntry, found: Recount) {
        if (entry.canonical, entry.raw) != (found.canonical, found.raw) {
            self.problems.push(Problem::Counts {
                subspace: named(entry),
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
    pub(super) fn start(&mut self, asked: &BTreeSet<Subspace>) {
        let start = self.rules().start();
        let manifest = self.database.manifest();
        if manifest.entry(start.subspace()).is_some() && !asked.contains(&start.subspace()) {
            return;
        }
        let expected = match self.intact(start.subspace()) {
            None => None,
            Some(true) => self.database.value(&start).ok(),
            // Has been reported.
            Some(false) => return,
        };
        let found = manifest.start;
        if expected != found {
            self.problems.push(Problem::Start { expected, found });
        }
    }
}

/// What a table is called beside others: a table of values by its subspace, one of grades by its
/// file.
fn named(entry: &TableEntry) -> String {
    match entry.deepest {
        None => entry.subspace.to_string(),
        Some(_) => entry.file.clone(),
    }
}
