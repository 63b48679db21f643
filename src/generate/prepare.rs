//! What must be there before a run starts: memory, the directory, room, and sound tables.

use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::plan::{self, PhasePlan, Plan};
use super::{GenerateError, Options};
use crate::database::{Database, DatabaseError, Manifest};
use crate::table::Metric;

fn directory_error(dir: &Path) -> impl Fn(io::Error) -> GenerateError + '_ {
    move |source| GenerateError::Directory {
        dir: dir.to_owned(),
        source,
    }
}

/// Memory of one thread's buffers and stack: some rows of the largest kind.
const MEMORY_PER_THREAD: u64 = 8 << 20;

/// Checks that the memory the plan and so many threads need is there.
pub(super) fn check_memory(
    plan: &Plan,
    options: &Options,
    threads: usize,
) -> Result<(), GenerateError> {
    let needed = plan.memory + threads as u64 * MEMORY_PER_THREAD;
    let available = options.memory.or_else(plan::available_memory);
    match available.filter(|&available| available < needed) {
        Some(available) => Err(GenerateError::Memory {
            needed,
            available,
            limited: options.memory.is_some(),
        }),
        None => Ok(()),
    }
}

/// How many phases of a plan, from the first on, have all their tables in a manifest.
pub(super) fn done_phases(plan: &Plan, manifest: &Manifest) -> usize {
    let is_done = |phase: &&PhasePlan| {
        let mut tables = phase.tables.iter();
        manifest.phases.contains(&phase.name)
            && tables.all(|&t| {
                let depths = plan.metric == Metric::Values || manifest.depth_entry(t).is_some();
                depths && manifest.entry(t).is_some()
            })
    };
    plan.phases.iter().take_while(is_done).count()
}

/// Whether an earlier run has left nothing to do, as far as its manifest says.
pub(super) fn is_finished(plan: &Plan, dir: &Path) -> bool {
    Manifest::read(dir).is_ok_and(|manifest| done_phases(plan, &manifest) == plan.phases.len())
}

/// Checks that the directory is of these rules and has room, and reads what an earlier run has
/// left.
pub(super) fn prepare(plan: &Plan, dir: &Path) -> Result<Manifest, GenerateError> {
    let mut manifest = match Manifest::read(dir) {
        Ok(manifest) => manifest,
        Err(DatabaseError::NoManifest { .. }) => Manifest::new(&plan.rules),
        Err(error) => return Err(error.into()),
    };
    if manifest.fingerprint != plan.rules.fingerprint() {
        return Err(GenerateError::Foreign {
            dir: dir.to_owned(),
            found: manifest.rules,
            got: manifest.fingerprint,
            wanted: plan.rules.name().to_owned(),
            expected: plan.rules.fingerprint(),
        });
    }
    // A table that is gone is made again; one that is not what the manifest says is refused.
    if !manifest.tables.is_empty() || !manifest.phases.is_empty() {
        let database = Database::open(dir)?;
        for tables in [&mut manifest.tables, &mut manifest.depth_tables] {
            tables.retain(|entry| dir.join(&entry.file).exists());
        }
        for metric in Metric::ALL {
            let tables = manifest.entries(metric).par_iter();
            tables.try_for_each(|entry| database.check_table_of(entry.subspace, metric))?;
        }
    }
    let done = done_phases(plan, &manifest);
    let needed = plan.disk_for(|table| {
        let mut open = plan.phases[done..].iter();
        open.any(|phase| phase.tables.contains(&table))
    });
    let available = fs4::available_space(dir).map_err(directory_error(dir))?;
    if available < needed {
        return Err(GenerateError::Disk {
            dir: dir.to_owned(),
            needed,
            available,
        });
    }
    manifest.complete &= done == plan.phases.len();
    // Also tells at once whether the directory can be written to.
    manifest.write_atomic(dir)?;
    Ok(manifest)
}

/// Keeps a second run out of a directory while this lives. The file stays: it is the lock that
/// counts, and whoever has opened the file must not find another one in its place.
pub(super) struct Lock {
    _file: fs::File,
}

impl Lock {
    pub(super) fn take(dir: &Path) -> Result<Self, GenerateError> {
        fs::create_dir_all(dir).map_err(directory_error(dir))?;
        let file = fs::File::create(dir.join("solve.lock")).map_err(directory_error(dir))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(fs::TryLockError::WouldBlock) => Err(GenerateError::Busy {
                dir: dir.to_owned(),
            }),
            Err(fs::TryLockError::Error(source)) => Err(directory_error(dir)(source)),
        }
    }
}
