//! What must be there before a run starts: memory, the directory, room, and sound tables.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::plan::{self, Plan};
use super::{GenerateError, Options};
use crate::database::{DatabaseError, Manifest};
use crate::index::Index;
use crate::table::{Table, TableExpectation};

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

/// Checks that the directory is of these rules and has room, and reads what an earlier run has
/// left.
pub(super) fn prepare(plan: &Plan, dir: &Path) -> Result<Manifest, GenerateError> {
    let manifest = match Manifest::read(dir) {
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
    let needed = plan.disk_for(|subspace| manifest.entry(subspace).is_none());
    let available = fs4::available_space(dir).map_err(directory_error(dir))?;
    if available < needed {
        return Err(GenerateError::Disk {
            dir: dir.to_owned(),
            needed,
            available,
        });
    }
    // A table that is gone is made again; one that is not what the manifest says is refused.
    let index = Index::new(plan.rules.board());
    for entry in &manifest.tables {
        let path = dir.join(&entry.file);
        if path.exists() {
            Table::open(
                &path,
                &TableExpectation::new(&plan.rules, &index, entry.subspace),
            )?;
        }
    }
    // Also tells at once whether the directory can be written to.
    manifest.write_atomic(dir)?;
    Ok(manifest)
}

/// Keeps a second run out of a directory while this lives.
pub(super) struct Lock {
    path: PathBuf,
    _file: fs::File,
}

impl Lock {
    pub(super) fn take(dir: &Path) -> Result<Self, GenerateError> {
        fs::create_dir_all(dir).map_err(directory_error(dir))?;
        let path = dir.join("solve.lock");
        let file = fs::File::create(&path).map_err(directory_error(dir))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path, _file: file }),
            Err(fs::TryLockError::WouldBlock) => Err(GenerateError::Busy {
                dir: dir.to_owned(),
            }),
            Err(fs::TryLockError::Error(source)) => Err(directory_error(dir)(source)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // One that stays does no harm: it is the lock that counts, not the file.
        let _ = fs::remove_file(&self.path);
    }
}
