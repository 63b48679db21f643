//! What a check found, as data and as text.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::report::text::{counted, duration, size, thousands};
use crate::rules::Value;
use crate::verify::KnownReport;

/// Something found wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Error)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Problem {
    /// A table is missing, damaged, or not the one the manifest speaks of.
    #[error("{message}")]
    Table {
        /// Its subspace.
        subspace: String,
        /// What is wrong.
        message: String,
    },
    /// The database has a table, but not one its moves lead to.
    #[error("missing table {missing}: moves lead there from {subspace}")]
    Missing {
        /// The subspace the database has.
        subspace: String,
        /// The subspace it does not have.
        missing: String,
    },
    /// The counts recorded for a table are not those of its positions.
    #[error("{subspace}: counts: expected {expected}, recorded {found}")]
    Counts {
        /// The subspace.
        subspace: String,
        /// What they are.
        expected: String,
        /// What the file and the manifest say.
        found: String,
    },
    /// There is nothing to be checked.
    #[error("the database has no tables")]
    Empty,
    /// Not everything asked for has been solved.
    #[error("the database is not complete: the command that began it, given again, resumes it")]
    Incomplete,
    /// The value of the position in which the game begins is not what the manifest says.
    #[error("start position: expected {}, the manifest says {}", or_none(*.expected), or_none(*.found))]
    Start {
        /// The value in the table.
        expected: Option<Value>,
        /// The value in the manifest.
        found: Option<Value>,
    },
    /// A position is not worth what its moves make it.
    #[error("{position}: expected {expected}, found {found}{}", reason(.because))]
    Position {
        /// The subspace.
        subspace: String,
        /// The position.
        position: String,
        /// What its moves make it.
        expected: Value,
        /// What the table says.
        found: Value,
        /// A move that is worth what is expected; none where there is no move.
        #[serde(rename = "move")]
        because: Option<String>,
    },
    /// A position does not have the grade that its moves give it.
    #[error("{position}: expected {expected}, found {found}{}", reason(.because))]
    Grade {
        /// The subspace.
        subspace: String,
        /// The position.
        position: String,
        /// The grade its moves give it.
        expected: String,
        /// What the table says.
        found: String,
        /// A move that is worth what is expected; none where there is no move.
        #[serde(rename = "move")]
        because: Option<String>,
    },
    /// The table of values and the table of grades of a subspace say different things of a
    /// position.
    #[error("{position}: {subspace}.mly says {value}, {subspace}.mld says {grade}")]
    Disagreement {
        /// The subspace.
        subspace: String,
        /// The position.
        position: String,
        /// What the table of values says.
        value: Value,
        /// What the table of grades says.
        grade: String,
    },
    /// What a table of grades says of how many positions have each grade, or where the deepest
    /// stand, is not what is found in it.
    #[error("{subspace}.mld: expected {expected}, recorded {found}")]
    Depths {
        /// The subspace.
        subspace: String,
        /// What is found in the table.
        expected: String,
        /// What the file says.
        found: String,
    },
    /// A subspace has other counts than known, or a position another value.
    #[error("{file}, line {line}: {}: expected {expected}, found {found}", .position.as_ref().unwrap_or(.subspace))]
    Known {
        /// The file of known results.
        file: String,
        /// The line in the file.
        line: u64,
        /// The subspace.
        subspace: String,
        /// The position; none where counts are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<String>,
        /// What is known.
        expected: String,
        /// What the tables say.
        found: String,
    },
}

fn or_none(value: Option<Value>) -> &'static str {
    value.map_or("none", Value::name)
}

fn reason(played: &Option<String>) -> String {
    match played {
        Some(played) => format!(" (the best move, {played}, leads there)"),
        None => " (there is no move)".to_owned(),
    }
}

/// What was found out about one table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TableReport {
    /// The subspace.
    pub subspace: String,
    /// The length of the file of values; 0 when there is none.
    pub bytes: u64,
    /// Whether the file of values is whole and agrees with the manifest.
    pub intact: bool,
    /// The file of grades, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depths: Option<DepthsReport>,
    /// How many positions were checked against their successors.
    pub checked: u64,
    /// Whether those were all there are.
    pub exhaustive: bool,
    /// Whether their grades were checked, which is a proof, and not only their values.
    pub proved: bool,
    /// How many of them were wrong.
    pub wrong: u64,
    /// How many positions have another value in the file of values than in the file of grades.
    pub disagreeing: u64,
}

/// What was found out about a file of grades.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DepthsReport {
    /// The length of the file.
    pub bytes: u64,
    /// Whether the file is whole and agrees with the manifest.
    pub intact: bool,
}

/// What a check found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The name of the rule set.
    pub rules: String,
    /// Whether nothing was found wrong.
    pub ok: bool,
    /// Whether only checksums and the manifest were looked at.
    pub checksums_only: bool,
    /// Up to how many men in all every position was checked.
    pub exhaustive_through: usize,
    /// What the choice of the sample depended on.
    pub seed: u64,
    /// How many tables had their grades proved, or found wrong by the proof.
    pub proved_tables: u64,
    /// How many positions those have.
    pub proved_positions: u64,
    /// Whether they were proved one at a time.
    pub plain: bool,
    /// How many bytes of memory the proof took.
    pub proof_memory: u64,
    /// How many positions had their values checked where all had.
    pub exhaustive_positions: u64,
    /// How many positions had their values checked where a sample had.
    pub sampled_positions: u64,
    /// How many of all those were wrong.
    pub wrong_positions: u64,
    /// How many positions have one value by one table and another by the other.
    pub disagreeing_positions: u64,
    /// How many tables could not be checked because one they need is missing or damaged.
    pub unchecked_tables: u64,
    /// The tables.
    pub tables: Vec<TableReport>,
    /// The files of known results.
    pub known: Vec<KnownReport>,
    /// What was found wrong: of wrong positions only the first few of each table.
    pub problems: Vec<Problem>,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// The files of grades.
    fn depth_files(&self) -> impl Iterator<Item = &DepthsReport> {
        self.tables.iter().filter_map(|table| table.depths.as_ref())
    }

    /// The verdict, one line.
    pub fn verdict(&self) -> String {
        let tables = counted(self.tables.len() as u64, "table");
        if self.ok {
            let mut parts = vec![match self.depth_files().count() {
                0 => format!("{tables} intact"),
                depths => format!("{tables} and {} of depths intact", thousands(depths as u64)),
            }];
            if self.proved_tables > 0 {
                parts.push(format!(
                    "proved {} of {} by depth{}",
                    counted(self.proved_positions, "position"),
                    counted(self.proved_tables, "table"),
                    if self.plain { ", one at a time" } else { "" },
                ));
            }
            let checked = self.exhaustive_positions + self.sampled_positions;
            if !self.checksums_only && (checked > 0 || self.proved_tables == 0) {
                parts.push(format!("{} consistent", counted(checked, "position")));
            }
            return format!("verify: ok: {}", parts.join(", "));
        }
        let mut faults = Vec::new();
        let others = self.problems.iter();
        let others = others.filter(|problem| {
            !matches!(
                problem,
                Problem::Position { .. } | Problem::Grade { .. } | Problem::Disagreement { .. }
            )
        });
        let others = others.count() as u64;
        if self.wrong_positions > 0 {
            faults.push(counted(self.wrong_positions, "wrong position"));
        }
        if self.disagreeing_positions > 0 {
            faults.push(format!(
                "{} on which tables disagree",
                counted(self.disagreeing_positions, "position")
            ));
        }
        if others > 0 {
            let other = if faults.is_empty() {
                "problem"
            } else {
                "other problem"
            };
            faults.push(counted(others, other));
        }
        let first = self
            .problems
            .first()
            .map(|first| format!("; first: {first}"));
        format!(
            "verify: WRONG: {}{}",
            faults.join(", "),
            first.unwrap_or_default()
        )
    }
}

impl fmt::Display for Report {
    /// The findings, line by line, without the verdict.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let intact = self.tables.iter().filter(|table| table.intact).count();
        let bytes = self.tables.iter().map(|table| table.bytes).sum();
        writeln!(
            f,
            "files: {} of {} intact, {}",
            thousands(intact as u64),
            counted(self.tables.len() as u64, "table"),
            size(bytes)
        )?;
        if self.depth_files().next().is_some() {
            let intact = self.depth_files().filter(|file| file.intact).count();
            writeln!(
                f,
                "files: {} of {} of depths intact, {}",
                thousands(intact as u64),
                counted(self.depth_files().count() as u64, "table"),
                size(self.depth_files().map(|file| file.bytes).sum())
            )?;
        }
        if self.proved_tables > 0 {
            writeln!(
                f,
                "proof: all {} of {}, by depth{}, in {} of memory",
                thousands(self.proved_positions),
                counted(self.proved_tables, "subspace"),
                if self.plain { ", one at a time" } else { "" },
                size(self.proof_memory),
            )?;
        }
        if !self.checksums_only {
            let of_kind = |exhaustive| {
                let tables = self.tables.iter().filter(|table| table.checked > 0);
                let others = tables.filter(|table| !table.proved);
                others.filter(move |table| table.exhaustive == exhaustive)
            };
            if of_kind(true).next().is_some() {
                writeln!(
                    f,
                    "positions: all {} of {}, among them every one with up to {} men",
                    thousands(self.exhaustive_positions),
                    counted(of_kind(true).count() as u64, "subspace"),
                    self.exhaustive_through,
                )?;
            }
            if of_kind(false).next().is_some() {
                writeln!(
                    f,
                    "positions: {} sampled from {} (seed {})",
                    thousands(self.sampled_positions),
                    counted(of_kind(false).count() as u64, "other subspace"),
                    self.seed,
                )?;
            }
            if self.unchecked_tables > 0 {
                writeln!(
                    f,
                    "positions: none of {}, for want of sound tables",
                    counted(self.unchecked_tables, "subspace")
                )?;
            }
        }
        for known in &self.known {
            writeln!(
                f,
                "known: {}: {}: {} agree, {} wrong; not checked: {} of other rules, {} without a \
                 table",
                known.file,
                counted(known.rows, "row"),
                known.agree,
                known.wrong,
                known.other_rules,
                known.absent,
            )?;
        }
        for problem in &self.problems {
            writeln!(f, "wrong: {problem}")?;
        }
        let time = Duration::try_from_secs_f64(self.seconds).unwrap_or_default();
        writeln!(f, "time: {}", duration(time))
    }
}
