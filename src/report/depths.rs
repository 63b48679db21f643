//! How many positions of each subspace have each depth.

use std::fmt;
use std::io::Write;

use serde::{Serialize, Serializer};

use crate::database::{Database, ProbeError};
use crate::grade::Grade;
use crate::report::stats::order_of_play;
use crate::report::text::{TextTable, thousands};
use crate::rules::{Subspace, Value};
use crate::table::Histogram;

/// The columns of the CSV form.
pub const DEPTHS_CSV_HEADER: [&str; 8] = [
    "rules",
    "mover",
    "opponent",
    "mover_hand",
    "opponent_hand",
    "value",
    "plies",
    "positions",
];

/// How many positions of each subspace have each depth, one counted for each orbit of the board's
/// symmetries.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DepthsReport {
    /// The name of the rule set.
    pub rules: String,
    /// The fingerprint of the rule set.
    pub fingerprint: String,
    /// The subspaces whose depths are known: those with both hands empty first, then those of the
    /// placing phase in the order of play.
    pub subspaces: Vec<SubspaceHistogram>,
}

/// How many positions of a subspace have each depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubspaceHistogram {
    /// The subspace.
    pub subspace: Subspace,
    /// The positions of each grade.
    pub histogram: Histogram,
}

/// The positions of one grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Bar {
    value: Value,
    plies: Option<u32>,
    positions: u64,
}

impl SubspaceHistogram {
    /// The grades there are, the fewest plies first: losses and wins in turn, then the draws.
    fn bars(&self) -> Vec<Bar> {
        let bar = |(grade, positions): (Grade, u64)| Bar {
            value: grade.value(),
            plies: grade.plies(),
            positions,
        };
        let mut bars: Vec<_> = self.histogram.iter().map(bar).collect();
        bars.sort_by_key(|bar| bar.plies.unwrap_or(u32::MAX));
        bars
    }
}

impl Serialize for SubspaceHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row {
            mover: u8,
            opponent: u8,
            mover_hand: u8,
            opponent_hand: u8,
            depths: Vec<Bar>,
        }
        let Subspace {
            mover,
            opponent,
            mover_hand,
            opponent_hand,
        } = self.subspace;
        Row {
            mover,
            opponent,
            mover_hand,
            opponent_hand,
            depths: self.bars(),
        }
        .serialize(serializer)
    }
}

impl DepthsReport {
    /// The depths of a database, as the headers of its tables have them.
    ///
    /// # Errors
    /// When a table of depths is missing, cannot be read or is damaged.
    pub fn of(database: &Database) -> Result<Self, ProbeError> {
        let mut subspaces = Vec::new();
        for subspace in database.depth_subspaces() {
            if let Some(histogram) = database.depth_table(subspace)?.histogram() {
                subspaces.push(SubspaceHistogram {
                    subspace,
                    histogram: histogram.clone(),
                });
            }
        }
        subspaces.sort_by_key(|row| order_of_play(row.subspace));
        let rules = database.rules();
        Ok(Self {
            rules: rules.name().to_owned(),
            fingerprint: rules.fingerprint().to_string(),
            subspaces,
        })
    }

    /// Writes the depths as CSV, with a header. The draws have no plies.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(DEPTHS_CSV_HEADER)?;
        for row in &self.subspaces {
            let men = row.subspace;
            let men = [men.mover, men.opponent, men.mover_hand, men.opponent_hand];
            for bar in row.bars() {
                csv.write_field(&self.rules)?;
                for number in men {
                    csv.write_field(number.to_string())?;
                }
                let plies = bar.plies.map(|plies| plies.to_string());
                csv.write_record([
                    bar.value.name(),
                    &plies.unwrap_or_default(),
                    &bar.positions.to_string(),
                ])?;
            }
        }
        csv.flush()?;
        Ok(())
    }
}

impl fmt::Display for DepthsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = TextTable::mixed(["subspace", "value", "plies", "positions"], &[0, 1]);
        for row in &self.subspaces {
            for bar in row.bars() {
                let plies = bar.plies.map(|plies| plies.to_string());
                table.push([
                    row.subspace.to_string(),
                    bar.value.to_string(),
                    plies.unwrap_or_default(),
                    thousands(bar.positions),
                ]);
            }
        }
        write!(f, "{table}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grade_has_a_row_in_the_order_of_plies() {
        let mut histogram = Histogram::new();
        let grades = [
            Grade::win(3),
            Grade::win(1),
            Grade::loss(2),
            Grade::loss(0),
            Some(Grade::DRAW),
        ];
        for (slot, grade) in (0..).zip(grades) {
            for again in 0..1000 * (slot + 1) {
                histogram.add(grade.unwrap(), 5 * again + slot);
            }
        }
        let report = DepthsReport {
            rules: "standard".to_owned(),
            fingerprint: "00".to_owned(),
            subspaces: vec![SubspaceHistogram {
                subspace: "3-3".parse().unwrap(),
                histogram,
            }],
        };
        let mut csv = Vec::new();
        report.write_csv(&mut csv).unwrap();
        let expected = "\
rules,mover,opponent,mover_hand,opponent_hand,value,plies,positions
standard,3,3,0,0,loss,0,4000
standard,3,3,0,0,win,1,2000
standard,3,3,0,0,loss,2,3000
standard,3,3,0,0,win,3,1000
standard,3,3,0,0,draw,,5000
";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
        let expected = "\
subspace  value  plies  positions
3-3       loss       0      4,000
3-3       win        1      2,000
3-3       loss       2      3,000
3-3       win        3      1,000
3-3       draw              5,000
";
        assert_eq!(report.to_string(), expected);
        let json = serde_json::to_value(&report).unwrap();
        let row = &json["subspaces"][0];
        assert_eq!(row["mover"], 3);
        let bar = serde_json::json!({"value": "loss", "plies": 2, "positions": 3000});
        assert_eq!(row["depths"][2], bar);
        assert_eq!(row["depths"][4]["plies"], serde_json::Value::Null);
    }
}
