//! What can go wrong with a database.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::manifest::MANIFEST_FILE;
use crate::rules::{Fingerprint, IllegalPosition, Subspace};
use crate::table::{Metric, TableError, file_name};

/// Why a database could not be opened or its manifest not written.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// There is no manifest.
    #[error(
        "{} is no mlynek database: it has no {MANIFEST_FILE}; make one with \
         `mlynek solve --out {}`",
        dir.display(), dir.display()
    )]
    NoManifest {
        /// The directory.
        dir: PathBuf,
    },
    /// The manifest makes no sense.
    #[error(
        "{} is damaged: {problem}; copy it again from a good source, or remove the database \
         and solve again",
        path.display()
    )]
    DamagedManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The manifest has a format this program does not know.
    #[error(
        "{}: unknown version of the manifest: expected {expected}, got {got}; read the database \
         with the version of mlynek that wrote it, or solve again with this one",
        path.display()
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The only version known.
        expected: u32,
        /// What the file says.
        got: u64,
    },
    /// The database is of a game this program does not know.
    #[error("{}: unknown rules {name}, expected one of {known}", path.display())]
    UnknownRules {
        /// The file.
        path: PathBuf,
        /// The rules it names.
        name: String,
        /// The rules there are.
        known: String,
    },
    /// The database is of rules that go by a known name, but are not the same.
    #[error(
        "{} is of other rules than {name}: expected the fingerprint {expected}, got {got}; \
         read the database with the version of mlynek that wrote it, or solve again",
        path.display()
    )]
    WrongRules {
        /// The file.
        path: PathBuf,
        /// The name of the rules.
        name: String,
        /// The fingerprint of the rules as this program knows them.
        expected: Fingerprint,
        /// The fingerprint in the file.
        got: Fingerprint,
    },
}

impl DatabaseError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn damaged_manifest(dir: &Path, problem: impl Into<String>) -> Self {
        Self::DamagedManifest {
            path: dir.join(MANIFEST_FILE),
            problem: problem.into(),
        }
    }
}

/// Why a position has no answer.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// It is no position of the game.
    #[error(transparent)]
    Illegal(#[from] IllegalPosition),
    /// The database does not have the table.
    #[error(transparent)]
    Missing(Box<MissingTable>),
    /// The table cannot be read: it is damaged, of other rules, or the system refuses.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// A table a database does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The subspace it is of.
    pub subspace: Subspace,
    /// Whether it is a table of values or of grades.
    pub metric: Metric,
    /// Where it was searched.
    pub dir: PathBuf,
    /// Why it was not found.
    pub reason: Reason,
    /// The name of the database's rules.
    pub rules: String,
    /// What it was needed for, when that was not the position asked about itself: a move and the
    /// position it was to be played in.
    pub needed_for: Option<(String, String)>,
}

/// Why a table was not found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The game has no such subspace.
    NotInGame,
    /// The manifest does not list it: the database does not reach so far.
    NotListed,
    /// The manifest lists it, but there is no such file.
    NotThere,
}

impl MissingTable {
    /// The file that would hold the table.
    pub fn file(&self) -> PathBuf {
        self.dir.join(file_name(self.subspace, self.metric))
    }

    /// The command that would make the table.
    fn remedy(&self) -> String {
        let (name, men) = self.rules.split_once('/').unwrap_or((&self.rules, ""));
        let mut command = format!("mlynek solve --rules {name} --out DIR");
        if !men.is_empty() {
            command += &format!(" --men {men}");
        }
        if self.metric == Metric::Grades {
            command += " --metric depth";
        }
        if self.subspace.is_moving() {
            command += &format!(" --subspace {}", self.subspace);
        }
        command
    }
}

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, dir) = (file_name(self.subspace, self.metric), self.dir.display());
        write!(f, "missing table {file}, searched in {dir}: ")?;
        match self.reason {
            Reason::NotInGame => {
                return write!(f, "{} has no subspace {}", self.rules, self.subspace);
            }
            Reason::NotListed => write!(f, "the database does not have it")?,
            Reason::NotThere => {
                write!(
                    f,
                    "the database's {MANIFEST_FILE} lists it, but the file is gone"
                )?;
            }
        }
        if let Some((played, position)) = &self.needed_for {
            write!(
                f,
                "; needed because the move {played} leads there from {position}"
            )?;
        }
        write!(f, "; make it with `{}`", self.remedy())
    }
}

impl std::error::Error for MissingTable {}
