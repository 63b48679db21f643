//! How many positions of each subspace are won, lost and drawn.

use std::cmp::Reverse;
use std::fmt;
use std::io::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::database::{Database, ProbeError};
use crate::notation::write_position;
use crate::report::text::{TextTable, counted, thousands};
use crate::rules::{Position, RuleSet, Subspace, Value};
use crate::table::{Counts, Deepest, Metric, TableEntry};

/// The columns of the CSV form.
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

/// The columns that follow where depths are known: plies, 0 also where there is no such position.
pub const DEPTH_CSV_HEADER: [&str; 2] = ["deepest_win_plies", "deepest_loss_plies"];

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
    /// The deepest win and loss, where depths are known.
    pub depths: Option<SubspaceDepths>,
}

/// The deepest win and loss of a subspace, and an example of each: the position in the lowest slot,
/// with White to move where both hands are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubspaceDepths {
    /// In plies.
    pub deepest: Deepest,
    /// A position with the deepest win.
    pub win_example: Option<String>,
    /// A position with the deepest loss.
    pub loss_example: Option<String>,
}

impl SubspaceDepths {
    /// What the manifest says of a table of grades, and the examples that the table has; none,
    /// when the file is missing.
    ///
    /// # Errors
    /// When the table cannot be read or is damaged.
    pub fn of(database: &Database, entry: &TableEntry) -> Result<Self, ProbeError> {
        let subspace = entry.subspace;
        let known = Self {
            deepest: entry.deepest.unwrap_or_default(),
            ..Self::default()
        };
        let table = match database.table_of(subspace, Metric::Grades) {
            Err(ProbeError::Missing(_)) => return Ok(known),
            table => table?,
        };
        let Some(histogram) = table.histogram() else {
            return Ok(known);
        };
        let example = |slot: u64| {
            let (mover, opponent) = database.index().position(subspace, slot);
            let position = Position::in_subspace(subspace, mover, opponent);
            write_position(database.rules().board(), &position)
        };
        Ok(Self {
            deepest: known.deepest,
            win_example: histogram.deepest_win_slot().map(example),
            loss_example: histogram.deepest_loss_slot().map(example),
        })
    }

    /// The numbers in the columns of [`DEPTH_CSV_HEADER`].
    fn numbers(&self) -> [u32; 2] {
        let Deepest { win, loss } = self.deepest;
        [win.unwrap_or(0), loss.unwrap_or(0)]
    }
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
}

impl Serialize for SubspaceCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, number) in CSV_HEADER[1..].iter().zip(self.numbers()) {
            map.serialize_entry(name, &number)?;
        }
        if let Some(depths) = &self.depths {
            map.serialize_entry(DEPTH_CSV_HEADER[0], &depths.deepest.win)?;
            map.serialize_entry(DEPTH_CSV_HEADER[1], &depths.deepest.loss)?;
            map.serialize_entry("deepest_win_example", &depths.win_example)?;
            map.serialize_entry("deepest_loss_example", &depths.loss_example)?;
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
    /// The counts of a database, as its manifest has them, and what its tables of grades say of
    /// depths.
    ///
    /// # Errors
    /// When a table of grades cannot be read or is damaged.
    pub fn of(database: &Database) -> Result<Self, ProbeError> {
        let manifest = database.manifest();
        // What has depths alone has counts all the same.
        let depths = manifest.depth_tables.iter();
        let alone = depths.filter(|entry| {
            database.has_depths(entry.subspace) && manifest.entry(entry.subspace).is_none()
        });
        let tables = manifest.tables.iter().chain(alone);
        let mut report = Self::new(database.rules(), manifest.start, tables);
        for row in &mut report.subspaces {
            let entry = manifest.depth_entry(row.subspace);
            if let Some(entry) = entry.filter(|_| database.has_depths(row.subspace)) {
                row.depths = Some(SubspaceDepths::of(database, entry)?);
            }
        }
        Ok(report)
    }

    /// The counts of these tables.
    pub fn new<'a>(
        rules: &RuleSet,
        start: Option<Value>,
        tables: impl IntoIterator<Item = &'a TableEntry>,
    ) -> Self {
        let rows = tables.into_iter().map(|table| SubspaceCounts {
            subspace: table.subspace,
            canonical: table.canonical,
            raw: table.raw,
            depths: None,
        });
        let mut subspaces: Vec<_> = rows.collect();
        subspaces.sort_by_key(|row| order_of_play(row.subspace));
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

    /// Whether depths of any subspace are known.
    pub fn has_depths(&self) -> bool {
        self.subspaces.iter().any(|row| row.depths.is_some())
    }

    /// Writes the subspaces as CSV, with a header.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, writer: impl Write) -> Result<(), csv::Error> {
        let mut csv = csv::Writer::from_writer(writer);
        let depths = self.has_depths();
        let more = if depths { &DEPTH_CSV_HEADER[..] } else { &[] };
        csv.write_record(CSV_HEADER.iter().chain(more))?;
        for row in &self.subspaces {
            csv.write_field(&self.rules)?;
            let mut fields: Vec<_> = row.numbers().map(|number| number.to_string()).into();
            if depths {
                // Nothing is said of a subspace without depths.
                let numbers = row.depths.as_ref().map(SubspaceDepths::numbers);
                let numbers = numbers.map(|numbers| numbers.map(|number| number.to_string()));
                fields.extend(numbers.unwrap_or_default());
            }
            csv.write_record(fields)?;
        }
        csv.flush()?;
        Ok(())
    }
}

/// A key that sorts subspaces: both hands empty first, then placing in the order of play.
pub(crate) fn order_of_play(subspace: Subspace) -> impl Ord {
    let in_hand = u16::from(subspace.mover_hand) + u16::from(subspace.opponent_hand);
    (in_hand != 0, Reverse(in_hand), subspace)
}

impl fmt::Display for StatsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depths = self.has_depths();
        let more: &[&str] = if depths {
            &["deepest win", "deepest loss"]
        } else {
            &[]
        };
        let head = CSV_HEADER[5..].iter().map(|name| name.replace('_', " "));
        let head = std::iter::once("subspace".to_owned()).chain(head);
        let mut table = TextTable::new(head.chain(more.iter().map(|&name| name.to_owned())));
        let mut push = |name: String, canonical, raw, depths: Option<&SubspaceDepths>| {
            let numbers = counts(canonical, raw).map(thousands);
            let deepest = depths.map(|depths| depths.deepest).unwrap_or_default();
            let plies =
                |plies: Option<u32>| plies.map_or("-".to_owned(), |plies| plies.to_string());
            let plies = [plies(deepest.win), plies(deepest.loss)];
            let plies = plies.into_iter().take(more.len());
            table.push(std::iter::once(name).chain(numbers).chain(plies));
        };
        for row in &self.subspaces {
            let name = row.subspace.to_string();
            push(name, row.canonical, row.raw, row.depths.as_ref());
        }
        let phases = [("moving", self.moving), ("placing", self.placing)];
        let phases = phases.iter().filter(|(_, totals)| totals.subspaces > 0);
        for (name, totals) in phases.clone() {
            let rows = self
                .subspaces
                .iter()
                .filter(|row| row.subspace.is_moving() == (*name == "moving"));
            let deepest = rows.filter_map(|row| row.depths.as_ref()).fold(
                Deepest::default(),
                |all, SubspaceDepths { deepest, .. }| Deepest {
                    win: all.win.max(deepest.win),
                    loss: all.loss.max(deepest.loss),
                },
            );
            let depths = SubspaceDepths {
                deepest,
                ..SubspaceDepths::default()
            };
            push(
                format!("all {name}"),
                totals.canonical,
                totals.raw,
                Some(&depths),
            );
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
        if depths {
            let mut examples = TextTable::left(["deepest", "plies", "example"]);
            for row in &self.subspaces {
                let Some(depths) = &row.depths else { continue };
                for (name, plies, example) in [
                    ("win", depths.deepest.win, &depths.win_example),
                    ("loss", depths.deepest.loss, &depths.loss_example),
                ] {
                    if let (Some(plies), Some(example)) = (plies, example) {
                        let name = format!("{} {name}", row.subspace);
                        examples.push([name, plies.to_string(), example.clone()]);
                    }
                }
            }
            write!(f, "{examples}")?;
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
        let depths = |win, loss, example: &str| SubspaceDepths {
            deepest: Deepest { win, loss },
            win_example: Some(example.to_owned()),
            loss_example: None,
        };
        let rows = &mut report.subspaces;
        rows[0].depths = Some(depths(Some(25), Some(26), "a1b2c3/d1d2d3 w"));
        rows[1].depths = Some(depths(Some(133), None, "a1b2c3/d1d2d3e3 w"));
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
        assert_eq!(row["deepest_win_example"], "a1b2c3/d1d2d3e3 w");
        assert_eq!(row["deepest_loss_plies"], serde_json::Value::Null);
        assert_eq!(json["subspaces"][2].get("deepest_win_plies"), None);
        let text = with_depths().to_string();
        for part in [
            "raw draws  deepest win  deepest loss\n",
            "10,529,872          133             -\n",
            "deepest  plies  example\n3-3 win  25     a1b2c3/d1d2d3 w\n",
            "3-4 win  133    a1b2c3/d1d2d3e3 w\nstart position (standard): draw\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn damaged_counts_do_not_overflow() {
        let mut report = report();
        report.subspaces[0].canonical.wins = u64::MAX;
        let totals = Totals::of(report.subspaces.iter());
        assert_eq!(totals.positions(), u64::MAX);
    }
}
