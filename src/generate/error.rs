//! Why a run cannot go on.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::KERNEL_VARIABLE;
use crate::database::{DatabaseError, ProbeError};
use crate::planes::{UnknownKernel, UnsupportedKernel};
use crate::rules::{Fingerprint, NoSuchSubspace, Subspace};
use crate::solve::SolveError;
use crate::table::{Counts, TableError};

/// Why a run could not be done, or not to its end.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// The scope names no subspace of the game.
    #[error(transparent)]
    Scope(#[from] NoSuchSubspace),
    /// The stop flag was raised.
    #[error(
        "stopped; {done} of {phases} phases are done, and the same command goes on with the next"
    )]
    Stopped {
        /// Phases whose tables are whole.
        done: usize,
        /// Phases of the plan.
        phases: usize,
    },
    /// There is not enough memory.
    #[error(
        "not enough memory: the run needs {} MiB, {} MiB are {}; \
         {}solve fewer men (--max-men) or use a larger machine",
        needed.div_ceil(1 << 20), available >> 20,
        if *limited { "allowed" } else { "available" },
        if *limited { "allow more (--memory), " } else { "close other programs, " }
    )]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        available: u64,
        /// Whether the limit was given by the user.
        limited: bool,
    },
    /// There is not enough room on the disk.
    #[error(
        "not enough room in {}: the tables need about {} MiB more, {} MiB are free; \
         make room or choose another directory",
        dir.display(), needed.div_ceil(1 << 20), available >> 20
    )]
    Disk {
        /// The directory.
        dir: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        available: u64,
    },
    /// The directory holds a database of other rules.
    #[error(
        "{} holds a database of {found} (fingerprint {got}), not of {wanted} ({expected}); \
         choose another directory",
        dir.display()
    )]
    Foreign {
        /// The directory.
        dir: PathBuf,
        /// The rules it holds.
        found: String,
        /// Their fingerprint.
        got: Fingerprint,
        /// The rules to be solved.
        wanted: String,
        /// Their fingerprint.
        expected: Fingerprint,
    },
    /// The solver contradicts itself: a fault of the program or of the machine.
    #[error(
        "self-check failed in {subspace}: {what}: expected {expected:?}, got {got:?}; \
         the machine or the program is at fault, nothing was recorded as done"
    )]
    SelfCheck {
        /// The subspace.
        subspace: Subspace,
        /// What was compared.
        what: &'static str,
        /// What it should be.
        expected: Counts,
        /// What it is.
        got: Counts,
    },
    /// A depth has no room in a table.
    #[error(transparent)]
    Solve(SolveError),
    /// The planes could not be had.
    #[error("cannot get the memory that was planned: {0}")]
    Planes(io::Error),
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The directory could not be made or asked about.
    #[error("cannot use the directory {}: {source}", dir.display())]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another run writes into the directory.
    #[error("another run is writing into {}; wait for its end", dir.display())]
    Busy {
        /// The directory.
        dir: PathBuf,
    },
    /// [`KERNEL_VARIABLE`] names no kernel.
    #[error("{KERNEL_VARIABLE}: {0}")]
    UnknownKernel(#[from] UnknownKernel),
    /// The kernel is not for this processor.
    #[error(transparent)]
    Kernel(#[from] UnsupportedKernel),
    /// A table could not be written or read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A table of an earlier run could not be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The manifest could not be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}
