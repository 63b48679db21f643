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
    /// A subspace has other counts than known.
    #[error("{file}, line {line}: {subspace}: expected {expected}, found {found}")]
    Known {
        /// The file of known results.
        file: String,
        /// The line in the file.
        line: u64,
        /// The subspace.
        subspace: String,
        /// The known counts.
        expected: String,
        /// The counts of the table.
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
    /// The length of the file.
    pub bytes: u64,
    /// Whether the file is whole and agrees with the manifest.
    pub intact: bool,
    /// How many positions were checked against their successors.
    pub checked: u64,
    /// Whether those were all there are.
    pub exhaustive: bool,
    /// How many of them were wrong.
    pub wrong: u64,
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
    /// How many positions were checked where all were.
    pub exhaustive_positions: u64,
    /// How many positions were checked where a sample was.
    pub sampled_positions: u64,
    /// How many of all those were wrong.
    pub wrong_positions: u64,
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
    /// The verdict, one line.
    pub fn verdict(&self) -> String {
        let tables = counted(self.tables.len() as u64, "table");
        if self.ok {
            let checked = self.exhaustive_positions + self.sampled_positions;
            return if self.checksums_only {
                format!("verify: ok: {tables} intact")
            } else {
                format!(
                    "verify: ok: {tables} intact, {} consistent",
                    counted(checked, "position")
                )
            };
        }
        let mut faults = Vec::new();
        let others = self.problems.iter();
        let others = others.filter(|problem| !matches!(problem, Problem::Position { .. }));
        let others = others.count() as u64;
        if self.wrong_positions > 0 {
            faults.push(counted(self.wrong_positions, "wrong position"));
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
        if !self.checksums_only {
            let of_kind = |exhaustive| {
                let tables = self.tables.iter();
                tables.filter(move |table| table.exhaustive == exhaustive)
            };
            writeln!(
                f,
                "positions: all {} of {}, among them every one with up to {} men",
                thousands(self.exhaustive_positions),
                counted(of_kind(true).count() as u64, "subspace"),
                self.exhaustive_through,
            )?;
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
