//! Known results: files of counts, depths and positions to compare with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::database::Database;
use crate::grade::Grade;
use crate::notation::{read_position, write_position};
use crate::rules::{Position, RuleSet, Subspace, Value};
use crate::table::{Counts, Deepest};
use crate::verify::depths::Depths;
use crate::verify::recount::Recount;
use crate::verify::{Problem, VerifyError};

/// A row of a file of known counts, columns by the names in the file's header. Other columns
/// are passed over.
#[derive(Deserialize)]
struct CountsRow {
    /// The rule set the row is about; whatever the database is of when left out.
    rules: Option<String>,
    mover: u8,
    opponent: u8,
    mover_hand: Option<u8>,
    opponent_hand: Option<u8>,
    wins: u64,
    losses: u64,
    draws: u64,
    raw_wins: Option<u64>,
    raw_losses: Option<u64>,
    raw_draws: Option<u64>,
    /// 0 also stands for none.
    deepest_win_plies: Option<u32>,
    deepest_loss_plies: Option<u32>,
}

/// A row of a file of known positions: one whose header has a column of this name.
#[derive(Deserialize)]
struct PositionRow {
    /// The rule set the row is about; whatever the database is of when left out.
    rules: Option<String>,
    /// In the own short form.
    position: String,
    /// For the side to move.
    value: Value,
    /// To the end of the game; not compared when left out.
    plies: Option<u32>,
}

/// The column that files of known positions have, and no others.
const POSITION: &str = "position";

/// What is known.
enum Fact {
    /// The counts of a subspace.
    Counts {
        canonical: Counts,
        raw: Option<Counts>,
        /// The greatest depths, with 0 for none.
        deepest: [Option<u32>; 2],
    },
    /// The value of a position, and its depth where that is known too.
    Position {
        position: Position,
        value: Value,
        grade: Option<Grade>,
    },
}

/// A row.
struct Known {
    /// The line of the file.
    line: u64,
    rules: Option<String>,
    subspace: Subspace,
    fact: Fact,
}

/// A file of known results.
pub(super) struct KnownFile {
    path: PathBuf,
    rows: Vec<Known>,
}

/// What is found in a database.
pub(super) struct Found<'a> {
    pub database: &'a Database,
    /// The tables of grades that are whole.
    pub depths: &'a Depths<'a>,
    /// The counts of the tables that were checked.
    pub recounts: &'a BTreeMap<Subspace, Recount>,
    /// The greatest depths of those that have depths.
    pub deepest: &'a BTreeMap<Subspace, Deepest>,
    /// Whether the table of values of a subspace is whole.
    pub intact: &'a dyn Fn(Subspace) -> bool,
}

/// What became of the rows of a file of known results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KnownReport {
    /// The file.
    pub file: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many of them agree with the database.
    pub agree: u64,
    /// How many do not.
    pub wrong: u64,
    /// How many were not checked because they are about other rules.
    pub other_rules: u64,
    /// How many were not checked because the database does not have the table, or it could not be
    /// read.
    pub absent: u64,
}

impl KnownFile {
    /// Reads a file, for a database of these rules.
    pub(super) fn read(path: &Path, rules: &RuleSet) -> Result<Self, VerifyError> {
        let error = |source| VerifyError::Known {
            path: path.to_owned(),
            source,
        };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(error)?;
        let headers = reader.headers().map_err(error)?.clone();
        let of_positions = headers.iter().any(|header| header == POSITION);
        let mut record = csv::StringRecord::new();
        let mut rows = Vec::new();
        while reader.read_record(&mut record).map_err(error)? {
            let line = record.position().map_or(0, csv::Position::line);
            rows.push(if of_positions {
                let row: PositionRow = record.deserialize(Some(&headers)).map_err(error)?;
                let known = row.known(line, rules);
                known.map_err(|problem| VerifyError::KnownPosition {
                    path: path.to_owned(),
                    line,
                    problem,
                })?
            } else {
                let row: CountsRow = record.deserialize(Some(&headers)).map_err(error)?;
                row.known(line)
            });
        }
        Ok(Self {
            path: path.to_owned(),
            rows,
        })
    }

    /// Compares the rows with what is found in a database.
    pub(super) fn compare(&self, found: &Found<'_>, problems: &mut Vec<Problem>) -> KnownReport {
        let mut report = KnownReport {
            file: self.path.display().to_string(),
            rows: self.rows.len() as u64,
            agree: 0,
            wrong: 0,
            other_rules: 0,
            absent: 0,
        };
        for row in &self.rows {
            if !is_about(row.rules.as_deref(), row.subspace, found.database.rules()) {
                report.other_rules += 1;
                continue;
            }
            match row.compare(found) {
                None => report.absent += 1,
                Some(Ok(())) => report.agree += 1,
                Some(Err([expected, found_text])) => {
                    report.wrong += 1;
                    let board = found.database.rules().board();
                    problems.push(Problem::Known {
                        file: self.path.display().to_string(),
                        line: row.line,
                        subspace: row.subspace.to_string(),
                        position: match &row.fact {
                            Fact::Counts { .. } => None,
                            Fact::Position { position, .. } => {
                                Some(write_position(board, position))
                            }
                        },
                        expected,
                        found: found_text,
                    });
                }
            }
        }
        report
    }
}

/// Whether a row that names these rules is about those. The values of positions with both hands
/// empty do not depend on how many men the game is played with, which the name says behind a slash.
fn is_about(named: Option<&str>, subspace: Subspace, rules: &RuleSet) -> bool {
    let base = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    match named {
        None => true,
        Some(name) if subspace.is_moving() => base(name) == base(rules.name()),
        Some(name) => name == rules.name(),
    }
}

impl CountsRow {
    fn known(self, line: u64) -> Known {
        let raw = match (self.raw_wins, self.raw_losses, self.raw_draws) {
            (Some(wins), Some(losses), Some(draws)) => Some(Counts {
                wins,
                losses,
                draws,
            }),
            _ => None,
        };
        Known {
            line,
            rules: self.rules.filter(|name| !name.is_empty()),
            subspace: Subspace {
                mover: self.mover,
                opponent: self.opponent,
                mover_hand: self.mover_hand.unwrap_or(0),
                opponent_hand: self.opponent_hand.unwrap_or(0),
            },
            fact: Fact::Counts {
                canonical: Counts {
                    wins: self.wins,
                    losses: self.losses,
                    draws: self.draws,
                },
                raw,
                deepest: [self.deepest_win_plies, self.deepest_loss_plies],
            },
        }
    }
}

impl PositionRow {
    /// The row as it is meant; what is wrong with it otherwise.
    fn known(self, line: u64, rules: &RuleSet) -> Result<Known, String> {
        let position = read_position(rules.board(), &self.position);
        let position = position.map_err(|error| error.to_string())?;
        let named = self.rules.filter(|name| !name.is_empty());
        let subspace = position.subspace();
        // Games of fewer men do not have all positions; those they have are to be sound.
        if is_about(named.as_deref(), subspace, rules) && rules.occurs(subspace) {
            rules.check(&position).map_err(|error| error.to_string())?;
        }
        let grade = match (self.value, self.plies) {
            (_, None) => None,
            (Value::Win, Some(plies)) => Grade::win(plies),
            (Value::Loss, Some(plies)) => Grade::loss(plies),
            (Value::Draw, Some(_)) => None,
        };
        match self.plies {
            Some(plies) if grade.is_none() => {
                Err(format!("no {} can be one in {plies} plies", self.value))
            }
            _ => Ok(Known {
                line,
                rules: named,
                subspace,
                fact: Fact::Position {
                    position,
                    value: self.value,
                    grade: grade.or((self.value == Value::Draw).then_some(Grade::DRAW)),
                },
            }),
        }
    }
}

impl Known {
    /// Compares the row with what is found; `None` when nothing is, and where they differ what was
    /// expected and what is found.
    fn compare(&self, found: &Found<'_>) -> Option<Result<(), [String; 2]>> {
        match &self.fact {
            Fact::Counts {
                canonical,
                raw,
                deepest,
            } => {
                let recount = found.recounts.get(&self.subspace)?;
                let depths = found.deepest.get(&self.subspace);
                Some(compare_counts(*canonical, *raw, *deepest, recount, depths))
            }
            Fact::Position {
                position,
                value,
                grade,
            } => {
                if let (Some(grade), Some(table)) = (grade, found.depths.get(&self.subspace)) {
                    let (mover, opponent) = (position.mover(), position.opponent());
                    let index = found.database.index();
                    let slot = index.slot(self.subspace, mover, opponent);
                    // A table that cannot be read any more counts as none.
                    let stored = table.grade(slot).ok()?;
                    return Some(same(grade, &stored));
                }
                if !(found.intact)(self.subspace) {
                    return None;
                }
                let stored = found.database.value(position).ok()?;
                Some(same(value, &stored))
            }
        }
    }
}

/// Whether two things are equal, and what they are otherwise.
fn same<T: PartialEq + std::fmt::Display>(expected: &T, found: &T) -> Result<(), [String; 2]> {
    if expected == found {
        Ok(())
    } else {
        Err([expected.to_string(), found.to_string()])
    }
}

/// Compares what is known of a subspace with what was counted.
fn compare_counts(
    canonical: Counts,
    raw: Option<Counts>,
    deepest: [Option<u32>; 2],
    found: &Recount,
    depths: Option<&Deepest>,
) -> Result<(), [String; 2]> {
    let mut texts = [
        described(canonical, raw),
        described(found.canonical, raw.and(Some(found.raw))),
    ];
    let mut agree = (canonical, raw.unwrap_or(found.raw)) == (found.canonical, found.raw);
    if let Some(&Deepest { win, loss }) = depths {
        for ((name, known), found) in [("win", deepest[0]), ("loss", deepest[1])]
            .into_iter()
            .zip([win, loss])
        {
            let Some(known) = known else { continue };
            let found = found.unwrap_or(0);
            agree &= known == found;
            for (text, plies) in texts.iter_mut().zip([known, found]) {
                text.push_str(&format!(", deepest {name} {plies}"));
            }
        }
    }
    if agree { Ok(()) } else { Err(texts) }
}

/// Counts as a message has them.
pub(super) fn described(canonical: Counts, raw: Option<Counts>) -> String {
    let counts = |counts: Counts| {
        let Counts {
            wins,
            losses,
            draws,
        } = counts;
        format!("{wins} wins, {losses} losses, {draws} draws")
    };
    match raw {
        None => counts(canonical),
        Some(raw) => format!(
            "{} (in every orientation {})",
            counts(canonical),
            counts(raw)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Manifest;

    fn standard() -> RuleSet {
        RuleSet::by_name("standard").unwrap()
    }

    fn read(text: &str) -> Result<KnownFile, VerifyError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known.csv");
        std::fs::write(&path, text).unwrap();
        KnownFile::read(&path, &standard())
    }

    fn counts(wins: u64, losses: u64, draws: u64) -> Counts {
        Counts {
            wins,
            losses,
            draws,
        }
    }

    /// What a row says of counts.
    fn known_counts(row: &Known) -> (Counts, Option<Counts>, [Option<u32>; 2]) {
        match row.fact {
            Fact::Counts {
                canonical,
                raw,
                deepest,
            } => (canonical, raw, deepest),
            Fact::Position { .. } => panic!("a position in line {}", row.line),
        }
    }

    #[test]
    fn both_shapes_are_read() {
        let file = read(
            "mover,opponent,wins,losses,draws,deepest_win_plies,deepest_loss_plies\n\
             3,3,140621,28736,269,25,26\n",
        )
        .unwrap();
        assert_eq!(file.rows[0].subspace.to_string(), "3-3");
        assert_eq!(
            known_counts(&file.rows[0]),
            (counts(140_621, 28_736, 269), None, [Some(25), Some(26)])
        );
        assert_eq!(file.rows[0].line, 2);
        let file = read(
            "rules,opponent,mover,mover_hand,opponent_hand,wins,losses,draws,raw_wins,raw_losses,raw_draws\n\
             standard,2,1,8,7,31,0,397,384,0,5688\n\
             , 2,1,8,7,31,0,397,,,\n",
        )
        .unwrap();
        assert_eq!(file.rows[0].subspace.to_string(), "1-2+8-7");
        let (_, raw, deepest) = known_counts(&file.rows[0]);
        assert_eq!((raw, deepest), (Some(counts(384, 0, 5688)), [None; 2]));
        assert_eq!(file.rows[0].rules.as_deref(), Some("standard"));
        assert_eq!(file.rows[1].rules, None);
        assert_eq!(known_counts(&file.rows[1]).1, None);
    }

    #[test]
    fn positions_are_read() {
        let file = read(
            "value,plies,position,rules\n\
             win,39,a7g1a1/d6d2 b 6 7,standard\n\
             loss,,d7g7g1/a4d5g4 b,\n\
             draw,,-/- w 9 9,standard\n",
        )
        .unwrap();
        let facts: Vec<_> = file
            .rows
            .iter()
            .map(|row| match row.fact {
                Fact::Position { value, grade, .. } => (row.subspace.to_string(), value, grade),
                Fact::Counts { .. } => panic!("counts in line {}", row.line),
            })
            .collect();
        assert_eq!(
            facts,
            [
                ("2-3+7-6".to_owned(), Value::Win, Grade::win(39)),
                ("3-3".to_owned(), Value::Loss, None),
                ("0-0+9-9".to_owned(), Value::Draw, Some(Grade::DRAW)),
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_line() {
        for (text, message) in [
            ("mover,opponent,wins,losses\n3,3,1,2\n", "draws"),
            ("mover,opponent,wins,losses,draws\n3,3,1,2,-1\n", "line: 2"),
            (
                "mover,opponent,wins,losses,draws\n3,3,1,2,1\n3,999,1,2,1\n",
                "line: 3",
            ),
            ("mover,opponent,wins,losses,draws\n3,3,1,2\n", "line: 2"),
            ("position,plies\n-/- w 9 9,\n", "value"),
            ("position,value\n-/- w 9 9,great\n", "line: 2"),
            ("position,value\n-/- w 9 9,draw\n-/- x 9 9,draw\n", "line 3"),
            ("position,value\na1a4a7/a1d7g7 w,win\n", "line 2"),
            (
                "position,value,plies\n-/- w 9 9,win,4\n",
                "line 2: no win can be one in 4 plies",
            ),
            (
                "position,value,plies\n-/- w 9 9,draw,4\n",
                "line 2: no draw can be one in 4 plies",
            ),
        ] {
            let error = read(text).err().expect(text).to_string();
            assert!(error.contains(message), "{error}");
            assert!(error.contains("known.csv"), "{error}");
        }
        assert!(KnownFile::read(Path::new("no-such-file.csv"), &standard()).is_err());
    }

    /// Compares with what was counted in 3-3.
    fn compared(
        file: &KnownFile,
        rules: &RuleSet,
        found: Recount,
        deepest: Option<Deepest>,
    ) -> (KnownReport, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        Manifest::new(rules).write_atomic(dir.path()).unwrap();
        let database = Database::open(dir.path()).unwrap();
        let three = Subspace::moving(3, 3);
        let mut problems = Vec::new();
        let found = Found {
            database: &database,
            depths: &Depths::new(),
            recounts: &BTreeMap::from([(three, found)]),
            deepest: &deepest
                .map(|deepest| (three, deepest))
                .into_iter()
                .collect(),
            intact: &|_| false,
        };
        let report = file.compare(&found, &mut problems);
        (report, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn rows_are_compared_where_they_apply() {
        let file = read(
            "rules,mover,opponent,mover_hand,opponent_hand,wins,losses,draws,raw_wins,raw_losses,raw_draws\n\
             standard,3,3,0,0,1,2,3,,,\n\
             standard,3,3,0,0,1,2,4,,,\n\
             standard,3,3,0,0,1,2,3,4,5,7\n\
             standard,3,3,0,0,1,2,3,4,5,6\n\
             no-flying,3,3,0,0,9,9,9,,,\n\
             standard,0,0,9,9,9,9,9,,,\n\
             ,3,4,0,0,9,9,9,,,\n",
        )
        .unwrap();
        let found = Recount {
            canonical: counts(1, 2, 3),
            raw: counts(4, 5, 6),
        };
        for (rules, other_rules, absent) in
            [(standard(), 1, 2), (standard().with_men(5).unwrap(), 2, 1)]
        {
            let (report, messages) = compared(&file, &rules, found, None);
            assert_eq!(
                (
                    report.rows,
                    report.agree,
                    report.wrong,
                    report.other_rules,
                    report.absent
                ),
                (7, 2, 2, other_rules, absent)
            );
            assert!(messages[0].contains("line 3: 3-3: expected 1 wins, 2 losses, 4 draws, found 1 wins, 2 losses, 3 draws"), "{messages:?}");
            assert!(messages[1].contains("line 4"), "{messages:?}");
        }
    }

    #[test]
    fn depths_are_compared_where_there_are_any() {
        let file = read(
            "mover,opponent,wins,losses,draws,deepest_win_plies,deepest_loss_plies\n\
             3,3,1,0,3,25,0\n\
             3,3,1,0,3,25,\n\
             3,3,1,0,3,27,0\n\
             3,3,1,0,3,25,2\n",
        )
        .unwrap();
        let found = Recount {
            canonical: counts(1, 0, 3),
            raw: counts(16, 0, 48),
        };
        for (loss, agreeing) in [(None, 2), (Some(0), 2), (Some(2), 2)] {
            let deepest = Deepest {
                win: Some(25),
                loss,
            };
            let (report, messages) = compared(&file, &standard(), found, Some(deepest));
            assert_eq!((report.agree, report.wrong), (agreeing, 2), "{messages:?}");
        }
        let deepest = Deepest {
            win: Some(25),
            loss: None,
        };
        let (_, messages) = compared(&file, &standard(), found, Some(deepest));
        assert!(
            messages[0].ends_with(
                "line 4: 3-3: expected 1 wins, 0 losses, 3 draws, deepest win 27, deepest loss 0, \
                 found 1 wins, 0 losses, 3 draws, deepest win 25, deepest loss 0"
            ),
            "{messages:?}"
        );
        // Without depths, the counts are all there is.
        let (report, _) = compared(&file, &standard(), found, None);
        assert_eq!((report.agree, report.wrong), (4, 0));
    }
}
