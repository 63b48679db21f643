//! How many positions of each subspace are won, lost and drawn, and how deep they are.

use std::cmp::Reverse;
use std::fmt;
use std::io::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::database::{Database, ProbeError};
use crate::index::Index;
use crate::notation::write_position;
use crate::report::text::{TextTable, counted, thousands};
use crate::rules::{Colour, Position, RuleSet, Subspace, Value};
use crate::table::{Counts, Deepest, TableEntry};

/// The columns of the CSV form. Where there are depths, [`CSV_DEPTHS_HEADER`] follows.
pub const CSV_HEADER: [&str; 11] = [
    "rules",
    "mover",
    "opponent",
    "mover_hand",
    "opponent_hand",
    "wins",
    "losses",
    "draws",
    "raw_wins",
    "raw_losses",
    "raw_draws",
];

/// The further columns of the CSV form where a database has depths. In CSV 0 also stands for none.
pub const CSV_DEPTHS_HEADER: [&str; 2] = ["deepest_win_plies", "deepest_loss_plies"];

/// Counts with and without the board's symmetries, in the order of their columns.
fn counts(canonical: Counts, raw: Counts) -> [u64; 6] {
    [
        canonical.wins,
        canonical.losses,
        canonical.draws,
        raw.wins,
        raw.losses,
        raw.draws,
    ]
}

/// The counts of one subspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubspaceCounts {
    /// The subspace.
    pub subspace: Subspace,
    /// The positions, one for each orbit of the board's symmetries.
    pub canonical: Counts,
    /// The positions, every orientation counted.
    pub raw: Counts,
    /// How deep the positions are, where the database has depths of the subspace.
    pub depths: Option<SubspaceDepths>,
}

/// How deep the positions of one subspace are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubspaceDepths {
    /// The depths of the deepest win and the deepest loss.
    pub deepest: Deepest,
    /// A win as deep as that, as text; `None` where there is none, or it has not been looked up.
    pub win: Option<String>,
    /// A loss as deep as that.
    pub loss: Option<String>,
}

impl SubspaceCounts {
    /// The numbers that stand in the columns after the first.
    fn numbers(&self) -> [u64; 10] {
        let men = [
            self.subspace.mover,
            self.subspace.opponent,
            self.subspace.mover_hand,
            self.subspace.opponent_hand,
        ];
        let counts = counts(self.canonical, self.raw);
        std::array::from_fn(|column| match column.checked_sub(men.len()) {
            None => u64::from(men[column]),
            Some(column) => counts[column],
        })
    }

    /// The depths of the deepest win and the deepest loss, where they are known.
    fn plies(&self) -> [Option<Option<u32>>; 2] {
        let deepest = self.depths.as_ref().map(|depths| depths.deepest);
        [
            deepest.map(|deepest| deepest.win),
            deepest.map(|deepest| deepest.loss),
        ]
    }
}

impl Serialize for SubspaceCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, number) in CSV_HEADER[1..].iter().zip(self.numbers()) {
            map.serialize_entry(name, &number)?;
        }
        if let Some(SubspaceDepths { deepest, win, loss }) = &self.depths {
            let [win_plies, loss_plies] = CSV_DEPTHS_HEADER;
            map.serialize_entry(win_plies, &deepest.win)?;
            map.serialize_entry(loss_plies, &deepest.loss)?;
            map.serialize_entry("deepest_win", win)?;
            map.serialize_entry("deepest_loss", loss)?;
        }
        map.end()
    }
}

/// The sums over some subspaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// How many subspaces.
    pub subspaces: u64,
    /// The positions, one for each orbit of the board's symmetries.
    pub canonical: Counts,
    /// The positions, every orientation counted.
    pub raw: Counts,
}

impl Totals {
    fn of<'a>(rows: impl Iterator<Item = &'a SubspaceCounts>) -> Self {
        rows.fold(Self::default(), |all, row| Self {
            subspaces: all.subspaces + 1,
            canonical: saturating_sum(all.canonical, row.canonical),
            raw: saturating_sum(all.raw, row.raw),
        })
    }

    /// The positions, one for each orbit of the board's symmetries.
    pub fn positions(&self) -> u64 {
        saturating_total(self.canonical)
    }

    /// The positions, every orientation counted.
    pub fn raw_positions(&self) -> u64 {
        saturating_total(self.raw)
    }
}

/// The sum of counts that may come from a damaged file, and be too large for one.
fn saturating_sum(a: Counts, b: Counts) -> Counts {
    Counts {
        wins: a.wins.saturating_add(b.wins),
        losses: a.losses.saturating_add(b.losses),
        draws: a.draws.saturating_add(b.draws),
    }
}

fn saturating_total(counts: Counts) -> u64 {
    counts.checked_total().unwrap_or(u64::MAX)
}

impl Serialize for Totals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = CSV_HEADER[5..]
            .iter()
            .copied()
            .zip(counts(self.canonical, self.raw));
        let sums = [
            ("subspaces", self.subspaces),
            ("positions", self.positions()),
            ("raw_positions", self.raw_positions()),
        ];
        serializer.collect_map(sums.into_iter().chain(counts))
    }
}

/// The counts of a database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StatsReport {
    /// The name of the rule set.
    pub rules: String,
    /// The fingerprint of the rule set.
    pub fingerprint: String,
    /// The value of the position in which the game begins, where the database has it.
    pub start: Option<Value>,
    /// The subspaces: those with both hands empty first, then those of the placing phase in the
    /// order of play.
    pub subspaces: Vec<SubspaceCounts>,
    /// The sums over the subspaces with both hands empty.
    pub moving: Totals,
    /// The sums over the subspaces of the placing phase.
    pub placing: Totals,
}

impl StatsReport {
    /// The counts of a database, as its manifest has them, with examples of the deepest positions
    /// where it has depths.
    ///
    /// # Errors
    /// When a table of depths cannot be read or is damaged. That its file is missing is no error;
    /// there are no examples then.
    pub fn of(database: &Database) -> Result<Self, ProbeError> {
        let manifest = database.manifest();
        let mut depths = manifest.depth_tables.as_slice();
        if !database.has_any_depths() {
            depths = &[];
        }
        let tables = manifest.tables.iter().chain(depths);
        let mut report = Self::new(database.rules(), manifest.start, tables);
        for row in &mut report.subspaces {
            let Some(depths) = &mut row.depths else {
                continue;
            };
            let histogram = match database.depth_table(row.subspace) {
                Ok(table) => table.histogram(),
                Err(ProbeError::Missing(_)) => None,
                Err(error) => return Err(error),
            };
            if let Some(histogram) = histogram {
                let text = |slot| written_slot(database.index(), row.subspace, slot);
                depths.win = histogram.deepest_win_slot().map(text);
                depths.loss = histogram.deepest_loss_slot().map(text);
            }
        }
        Ok(report)
    }

    /// The counts of tables of values and of depths, in any order, as a manifest has them.
    pub fn new<'a>(
        rules: &RuleSet,
        start: Option<Value>,
        tables: impl IntoIterator<Item = &'a TableEntry>,
    ) -> Self {
        let rows = tables.into_iter().map(|table| SubspaceCounts {
            subspace: table.subspace,
            canonical: table.canonical,
            raw: table.raw,
            depths: table.deepest.map(|deepest| SubspaceDepths {
                deepest,
                win: None,
                loss: None,
            }),
        });
        let mut subspaces: Vec<_> = rows.collect();
        subspaces.sort_by_key(|row| order_of_play(row.subspace));
        // The two tables of a subspace are one row, with the counts of the first.
        subspaces.dedup_by(|row, kept| {
            let same = row.subspace == kept.subspace;
            if same && row.depths.is_some() {
                kept.depths = row.depths.take();
            }
            same
        });
        let totals = |moving| {
            let rows = subspaces.iter();
            Totals::of(rows.filter(|row| row.subspace.is_moving() == moving))
        };
        Self {
            rules: rules.name().to_owned(),
            fingerprint: rules.fingerprint().to_string(),
            start,
            moving: totals(true),
            placing: totals(false),
            subspaces,
        }
    }

    /// The deepest positions of every subspace whose depths are known.
    fn deepest_table(&self) -> TextTable {
        let head = ["subspace", "value", "deepest", "for example"];
        let mut table = TextTable::mixed(head, &[0, 1, 3]);
        for row in &self.subspaces {
            let Some(depths) = &row.depths else { continue };
            let Deepest { win, loss } = depths.deepest;
            for (value, plies, example) in [
                (Value::Win, win, &depths.win),
                (Value::Loss, loss, &depths.loss),
            ] {
                if let Some(plies) = plies {
                    table.push([
                        row.subspace.to_string(),
                        value.to_string(),
                        plies.to_string(),
                        example.clone().unwrap_or_default(),
                    ]);
                }
            }
        }
        table
    }

    /// Whether the depths of any subspace are known.
    fn has_depths(&self) -> bool {
        self.subspaces.iter().any(|row| row.depths.is_some())
    }

    /// Writes the subspaces as CSV, with a header. The columns of depths are there where the
    /// depths of any subspace are; those of others are empty.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(writer);
        let has_depths = self.has_depths();
        let further: &[&str] = if has_depths { &CSV_DEPTHS_HEADER } else { &[] };
        csv.write_record(CSV_HEADER.iter().chain(further))?;
        for row in &self.subspaces {
            csv.write_field(&self.rules)?;
            for number in row.numbers() {
                csv.write_field(number.to_string())?;
            }
            if has_depths {
                for plies in row.plies() {
                    let text = plies.map(|plies| plies.unwrap_or(0).to_string());
                    csv.write_field(text.unwrap_or_default())?;
                }
            }
            csv.write_record(None::<&[u8]>)?;
        }
        csv.flush()?;
        Ok(())
    }
}

/// The position in a slot, as text. White is the side to move where both hands are empty.
fn written_slot(index: &Index, subspace: Subspace, slot: u64) -> String {
    let (mover, opponent) = index.position(subspace, slot);
    let side = match subspace.mover_began() {
        true => Colour::White,
        false => Colour::Black,
    };
    let position = Position::of_mover(
        side,
        mover,
        opponent,
        subspace.mover_hand,
        subspace.opponent_hand,
    );
    write_position(index.board(), &position)
}

/// A key that sorts subspaces: both hands empty first, then placing in the order of play.
pub(crate) fn order_of_play(subspace: Subspace) -> impl Ord {
    let in_hand = u16::from(subspace.mover_hand) + u16::from(subspace.opponent_hand);
    (in_hand != 0, Reverse(in_hand), subspace)
}

impl fmt::Display for StatsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = CSV_HEADER[5..].iter().map(|name| name.replace('_', " "));
        let mut table = TextTable::new(std::iter::once("subspace".to_owned()).chain(head));
        let mut push = |name: String, canonical, raw| {
            let numbers = counts(canonical, raw).map(thousands);
            table.push(std::iter::once(name).chain(numbers));
        };
        for row in &self.subspaces {
            push(row.subspace.to_string(), row.canonical, row.raw);
        }
        let phases = [("moving", self.moving), ("placing", self.placing)];
        let phases = phases.iter().filter(|(_, totals)| totals.subspaces > 0);
        for (name, totals) in phases.clone() {
            push(format!("all {name}"), totals.canonical, totals.raw);
        }
        write!(f, "{table}")?;
        for (name, totals) in phases {
            writeln!(
                f,
                "{name}: {}, {} up to symmetry, {} in every orientation",
                counted(totals.subspaces, "subspace"),
                counted(totals.positions(), "position"),
                thousands(totals.raw_positions()),
            )?;
        }
        if self.has_depths() {
            write!(f, "{}", self.deepest_table())?;
        }
        if let Some(start) = self.start {
            writeln!(f, "start position ({}): {start}", self.rules)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::FileHash;

    fn report() -> StatsReport {
        let rules = RuleSet::by_name("standard").unwrap();
        let table = |subspace: &str, wins, losses, draws| {
            let canonical = Counts {
                wins,
                losses,
                draws,
            };
            TableEntry {
                subspace: subspace.parse().unwrap(),
                file: format!("{subspace}.mly"),
                bytes: 1000,
                hash: FileHash([0; 32]),
                canonical,
                raw: Counts {
                    wins: wins * 16,
                    losses: losses * 16,
                    draws: draws * 16,
                },
                deepest: None,
            }
        };
        let tables = [
            table("0-1+9-8", 0, 0, 4),
            table("3-4", 102_281, 0, 658_117),
            table("0-0+9-9", 0, 0, 1),
            table("3-3", 140_621, 28_736, 269),
        ];
        StatsReport::new(&rules, Some(Value::Draw), &tables)
    }

    #[test]
    fn csv_has_the_columns_the_conventions_name() {
        let mut csv = Vec::new();
        report().write_csv(&mut csv).unwrap();
        let expected = "\
rules,mover,opponent,mover_hand,opponent_hand,wins,losses,draws,raw_wins,raw_losses,raw_draws
standard,3,3,0,0,140621,28736,269,2249936,459776,4304
standard,3,4,0,0,102281,0,658117,1636496,0,10529872
standard,0,0,9,9,0,0,1,0,0,16
standard,0,1,9,8,0,0,4,0,0,64
";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }

    #[test]
    fn json_has_the_same_numbers_and_sums() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["subspaces"][0]["raw_wins"], 2_249_936);
        assert_eq!(json["subspaces"][2]["mover_hand"], 9);
        assert_eq!(json["moving"]["subspaces"], 2);
        assert_eq!(json["moving"]["wins"], 242_902);
        assert_eq!(json["moving"]["positions"], 930_024);
        assert_eq!(json["placing"]["raw_positions"], 80);
        assert_eq!(json["start"], "draw");
    }

    #[test]
    fn text_has_rows_and_sums() {
        let text = report().to_string();
        for part in [
            "subspace        wins  losses    draws   raw wins  raw losses   raw draws\n",
            "3-4          102,281       0  658,117  1,636,496           0  10,529,872\n",
            "moving: 2 subspaces, 930,024 positions up to symmetry, 14,880,384 in every orientation\n",
            "start position (standard): draw\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    fn with_depths() -> StatsReport {
        let mut report = report();
        report.subspaces[0].depths = Some(SubspaceDepths {
            deepest: Deepest {
                win: Some(25),
                loss: Some(26),
            },
            win: Some("a1b2c3/d1d2d3 w".to_owned()),
            loss: None,
        });
        report.subspaces[1].depths = Some(SubspaceDepths {
            deepest: Deepest {
                win: Some(133),
                loss: None,
            },
            win: Some("a1b2c3/d1d2d3e3 w".to_owned()),
            loss: None,
        });
        report
    }

    #[test]
    fn depths_stand_in_columns_of_their_own() {
        let mut csv = Vec::new();
        with_depths().write_csv(&mut csv).unwrap();
        let text = String::from_utf8(csv).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with(",raw_draws,deepest_win_plies,deepest_loss_plies"));
        assert!(lines[1].ends_with(",4304,25,26"), "{text}");
        assert!(lines[2].ends_with(",10529872,133,0"), "{text}");
        assert!(lines[3].ends_with(",16,,"), "{text}");
        let json = serde_json::to_value(with_depths()).unwrap();
        let row = &json["subspaces"][1];
        assert_eq!(row["deepest_win_plies"], 133);
        assert_eq!(row["deepest_win"], "a1b2c3/d1d2d3e3 w");
        assert_eq!(row["deepest_loss_plies"], serde_json::Value::Null);
        assert_eq!(json["subspaces"][2].get("deepest_win_plies"), None);
        let text = with_depths().to_string();
        let expected = "\
subspace  value  deepest  for example
3-3       win         25  a1b2c3/d1d2d3 w
3-3       loss        26
3-4       win        133  a1b2c3/d1d2d3e3 w
start position (standard): draw
";
        assert!(text.ends_with(expected), "{text}");
    }

    /// A manifest has a row for the values and one for the depths.
    #[test]
    fn two_tables_of_a_subspace_are_one_row() {
        let rules = RuleSet::by_name("standard").unwrap();
        let values = TableEntry {
            subspace: "3-3".parse().unwrap(),
            file: "3-3.mly".to_owned(),
            bytes: 1000,
            hash: FileHash([0; 32]),
            canonical: Counts::default(),
            raw: Counts::default(),
            deepest: None,
        };
        let deepest = Deepest {
            win: Some(3),
            loss: Some(0),
        };
        let depths = TableEntry {
            deepest: Some(deepest),
            ..values.clone()
        };
        let alone = TableEntry {
            subspace: "3-4".parse().unwrap(),
            ..depths.clone()
        };
        let report = StatsReport::new(&rules, None, [&values, &depths, &alone]);
        let known: Vec<_> = report
            .subspaces
            .iter()
            .map(|row| (row.subspace.to_string(), row.depths.as_ref()))
            .collect();
        assert_eq!(known.len(), 2);
        assert_eq!((known[0].0.as_str(), known[1].0.as_str()), ("3-3", "3-4"));
        let found = known.iter().map(|(_, depths)| depths.map(|d| d.deepest));
        assert!(found.eq([Some(deepest); 2]));
        assert_eq!(report.moving.subspaces, 2);
    }

    #[test]
    fn damaged_counts_do_not_overflow() {
        let mut report = report();
        report.subspaces[0].canonical.wins = u64::MAX;
        let totals = Totals::of(report.subspaces.iter());
        assert_eq!(totals.positions(), u64::MAX);
    }
}
