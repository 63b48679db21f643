//! How many positions are won and lost in how many plies.

use std::fmt;
use std::io::Write;

use serde::Serialize;

use super::stats::order_of_play;
use crate::database::{Database, ProbeError};
use crate::report::text::{TextTable, thousands};
use crate::rules::{Subspace, Value};
use crate::table::Metric;

/// The columns of the CSV form.
pub const HISTOGRAM_CSV_HEADER: [&str; 8] = [
    "rules",
    "mover",
    "opponent",
    "mover_hand",
    "opponent_hand",
    "value",
    "plies",
    "positions",
];

/// The histograms of depths of a database's subspaces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HistogramReport {
    /// The name of the rule set.
    pub rules: String,
    /// The subspaces with depths, in the order of [`super::StatsReport`].
    pub subspaces: Vec<SubspaceHistogram>,
}

/// The histogram of one subspace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubspaceHistogram {
    /// The subspace.
    #[serde(serialize_with = "as_text")]
    pub subspace: Subspace,
    /// Losses from the fastest to the slowest, draws, and wins from the slowest to the fastest:
    /// as the side to move likes them ever better.
    pub grades: Vec<GradeCount>,
}

/// How many positions, one for each orbit of the board's symmetries, have a grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct GradeCount {
    /// The value.
    pub value: Value,
    /// The depth; `None` for draws.
    pub plies: Option<u32>,
    /// The number of positions.
    pub positions: u64,
}

fn as_text<S: serde::Serializer>(subspace: &Subspace, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(subspace)
}

impl HistogramReport {
    /// What the tables of grades of a database say.
    ///
    /// # Errors
    /// When one cannot be opened.
    pub fn of(database: &Database) -> Result<Self, ProbeError> {
        let entries = database.manifest().entries(Metric::Grades);
        let mut subspaces: Vec<_> = entries.iter().map(|entry| entry.subspace).collect();
        subspaces.sort_by_key(|&subspace| order_of_play(subspace));
        let subspaces = subspaces.into_iter().map(|subspace| {
            let table = database.table_of(subspace, Metric::Grades)?;
            let grades = table.histogram().into_iter().flat_map(|table| table.iter());
            let grades = grades.map(|(grade, positions)| GradeCount {
                value: grade.value(),
                plies: grade.plies(),
                positions,
            });
            Ok(SubspaceHistogram {
                subspace,
                grades: grades.collect(),
            })
        });
        Ok(Self {
            rules: database.rules().name().to_owned(),
            subspaces: subspaces.collect::<Result<_, ProbeError>>()?,
        })
    }

    /// Writes the histograms as CSV, with a header; draws have no plies.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(HISTOGRAM_CSV_HEADER)?;
        for SubspaceHistogram { subspace, grades } in &self.subspaces {
            let men = [
                subspace.mover,
                subspace.opponent,
                subspace.mover_hand,
                subspace.opponent_hand,
            ];
            for grade in grades {
                csv.write_field(&self.rules)?;
                for men in men {
                    csv.write_field(men.to_string())?;
                }
                let plies = grade.plies.map(|plies| plies.to_string());
                csv.write_record([
                    grade.value.name().to_owned(),
                    plies.unwrap_or_default(),
                    grade.positions.to_string(),
                ])?;
            }
        }
        csv.flush()?;
        Ok(())
    }
}

impl fmt::Display for HistogramReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = TextTable::new(["subspace and value", "plies", "positions"]);
        for SubspaceHistogram { subspace, grades } in &self.subspaces {
            for grade in grades {
                let plies = grade.plies.map(|plies| plies.to_string());
                table.push([
                    format!("{subspace} {}", grade.value),
                    plies.unwrap_or_default(),
                    thousands(grade.positions),
                ]);
            }
        }
        write!(f, "{table}")
    }
}
