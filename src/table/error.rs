//! What can be wrong with a table.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::rules::{Fingerprint, Subspace};
use crate::table::Metric;

/// Why a table could not be written, opened or read.
#[derive(Debug, Error)]
pub enum TableError {
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
    /// The file is no table at all.
    #[error(
        "{} is no mlynek table: expected the bytes {expected:02x?} at offset 0, got {got:02x?}",
        path.display()
    )]
    NotATable {
        /// The file.
        path: PathBuf,
        /// How a table begins.
        expected: [u8; 8],
        /// How the file begins.
        got: Vec<u8>,
    },
    /// The file is of another time: a part of it has a version this program does not know.
    #[error(
        "{}: unknown {what} at offset {offset}: expected {expected}, got {got}; \
         read it with the version of mlynek that wrote it, or solve again with this one",
        path.display()
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// What the version is of.
        what: &'static str,
        /// Where it stands in the file.
        offset: u64,
        /// What is known.
        expected: String,
        /// What the file says.
        got: u32,
    },
    /// The table is of a game with other rules.
    #[error(
        "{} was made under other rules: expected the fingerprint {expected}, got {got}; \
         keep each rule set's tables in a directory of their own",
        path.display()
    )]
    WrongRules {
        /// The file.
        path: PathBuf,
        /// The fingerprint of the rules asked for.
        expected: Fingerprint,
        /// The fingerprint in the file.
        got: Fingerprint,
    },
    /// The table is of another subspace.
    #[error(
        "{} holds the subspace {got}, expected {expected}; has the file been renamed?",
        path.display()
    )]
    WrongSubspace {
        /// The file.
        path: PathBuf,
        /// The subspace asked for.
        expected: Subspace,
        /// The subspace in the file.
        got: Subspace,
    },
    /// The table holds something else.
    #[error("{} holds {got}, expected {expected}; has the file been renamed?", path.display())]
    WrongMetric {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        expected: Metric,
        /// What the slots hold.
        got: Metric,
    },
    /// The file is not as it was written.
    #[error(transparent)]
    Damaged(Box<Damage>),
    /// The table has no such slot or block.
    #[error("{} has {count} {what}s, so no {what} {number}", path.display())]
    OutOfRange {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        what: &'static str,
        /// Its number.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// A table that the format has no room for.
    #[error("{}: {what} is {got}, but the format allows only {allowed}", path.display())]
    Unrepresentable {
        /// The file to be written.
        path: PathBuf,
        /// What there is too much or too little of.
        what: &'static str,
        /// How much it is.
        got: u64,
        /// What is allowed.
        allowed: String,
    },
}

/// A place where a file is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// Where in the file.
    pub offset: u64,
    /// What stands there.
    pub what: String,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub got: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            offset,
            what,
            expected,
            got,
        } = self;
        write!(
            f,
            "{} is damaged at offset {offset}: {what}: expected {expected}, got {got}; \
             copy the file again from a good source, or remove it and solve again",
            path.display()
        )
    }
}

impl std::error::Error for Damage {}

impl TableError {
    /// Wraps an error of the operating system.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// A damaged place.
    pub(crate) fn damaged(
        path: &Path,
        offset: u64,
        what: impl Into<String>,
        expected: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self::Damaged(Box::new(Damage {
            path: path.to_owned(),
            offset,
            what: what.into(),
            expected: expected.to_string(),
            got: got.to_string(),
        }))
    }
}
