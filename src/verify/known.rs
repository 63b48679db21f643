//! Known results: files of counts to compare with.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::rules::{RuleSet, Subspace};
use crate::table::Counts;
use crate::verify::recount::Recount;
use crate::verify::{Problem, VerifyError};

/// A row of a file of known results, columns by the names in the file's header. Other columns
/// are passed over.
#[derive(Deserialize)]
struct Row {
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
}

/// Known counts of a subspace.
struct KnownCounts {
    /// The line of the file.
    line: u64,
    rules: Option<String>,
    subspace: Subspace,
    canonical: Counts,
    raw: Option<Counts>,
}

/// A file of known results.
pub(super) struct KnownFile {
    path: PathBuf,
    rows: Vec<KnownCounts>,
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
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, VerifyError> {
        let error = |source| VerifyError::Known {
            path: path.to_owned(),
            source,
        };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(error)?;
        let headers = reader.headers().map_err(error)?.clone();
        let mut record = csv::StringRecord::new();
        let mut rows = Vec::new();
        while reader.read_record(&mut record).map_err(error)? {
            let row: Row = record.deserialize(Some(&headers)).map_err(error)?;
            let raw = match (row.raw_wins, row.raw_losses, row.raw_draws) {
                (Some(wins), Some(losses), Some(draws)) => Some(Counts {
                    wins,
                    losses,
                    draws,
                }),
                _ => None,
            };
            rows.push(KnownCounts {
                line: record.position().map_or(0, csv::Position::line),
                rules: row.rules.filter(|name| !name.is_empty()),
                subspace: Subspace {
                    mover: row.mover,
                    opponent: row.opponent,
                    mover_hand: row.mover_hand.unwrap_or(0),
                    opponent_hand: row.opponent_hand.unwrap_or(0),
                },
                canonical: Counts {
                    wins: row.wins,
                    losses: row.losses,
                    draws: row.draws,
                },
                raw,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            rows,
        })
    }

    /// Compares the rows with the counts that `counts` gives.
    pub(super) fn compare(
        &self,
        rules: &RuleSet,
        counts: impl Fn(Subspace) -> Option<Recount>,
        problems: &mut Vec<Problem>,
    ) -> KnownReport {
        let mut report = KnownReport {
            file: self.path.display().to_string(),
            rows: self.rows.len() as u64,
            agree: 0,
            wrong: 0,
            other_rules: 0,
            absent: 0,
        };
        for row in &self.rows {
            if !row.is_about(rules) {
                report.other_rules += 1;
                continue;
            }
            let Some(found) = counts(row.subspace) else {
                report.absent += 1;
                continue;
            };
            let raw = row.raw.unwrap_or(found.raw);
            if (row.canonical, raw) == (found.canonical, found.raw) {
                report.agree += 1;
                continue;
            }
            report.wrong += 1;
            problems.push(Problem::Known {
                file: self.path.display().to_string(),
                line: row.line,
                subspace: row.subspace.to_string(),
                expected: described(row.canonical, row.raw),
                found: described(found.canonical, row.raw.and(Some(found.raw))),
            });
        }
        report
    }
}

impl KnownCounts {
    /// Whether the row is about these rules. The values of positions with both hands empty do not
    /// depend on how many men the game is played with, which the name says behind a slash.
    fn is_about(&self, rules: &RuleSet) -> bool {
        let base = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
        match &self.rules {
            None => true,
            Some(name) if self.subspace.is_moving() => base(name) == base(rules.name()),
            Some(name) => name == rules.name(),
        }
    }
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

    fn read(text: &str) -> Result<KnownFile, VerifyError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known.csv");
        std::fs::write(&path, text).unwrap();
        KnownFile::read(&path)
    }

    fn counts(wins: u64, losses: u64, draws: u64) -> Counts {
        Counts {
            wins,
            losses,
            draws,
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
        assert_eq!(file.rows[0].canonical, counts(140_621, 28_736, 269));
        assert_eq!((file.rows[0].raw, file.rows[0].line), (None, 2));
        let file = read(
            "rules,opponent,mover,mover_hand,opponent_hand,wins,losses,draws,raw_wins,raw_losses,raw_draws\n\
             standard,2,1,8,7,31,0,397,384,0,5688\n\
             , 2,1,8,7,31,0,397,,,\n",
        )
        .unwrap();
        assert_eq!(file.rows[0].subspace.to_string(), "1-2+8-7");
        assert_eq!(file.rows[0].raw, Some(counts(384, 0, 5688)));
        assert_eq!(file.rows[0].rules.as_deref(), Some("standard"));
        assert_eq!((&file.rows[1].rules, file.rows[1].raw), (&None, None));
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
        ] {
            let error = read(text).err().expect(text).to_string();
            assert!(error.contains(message), "{error}");
            assert!(error.contains("known.csv"), "{error}");
        }
        assert!(KnownFile::read(Path::new("no-such-file.csv")).is_err());
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
        let standard = RuleSet::by_name("standard").unwrap();
        for (rules, other_rules, absent) in [
            (standard.clone(), 1, 2),
            (standard.with_men(5).unwrap(), 2, 1),
        ] {
            let mut problems = Vec::new();
            let three = |subspace| (subspace == Subspace::moving(3, 3)).then_some(found);
            let report = file.compare(&rules, three, &mut problems);
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
            let messages: Vec<_> = problems.iter().map(ToString::to_string).collect();
            assert!(messages[0].contains("line 3: 3-3: expected 1 wins, 2 losses, 4 draws, found 1 wins, 2 losses, 3 draws"), "{messages:?}");
            assert!(messages[1].contains("line 4"), "{messages:?}");
        }
    }
}
