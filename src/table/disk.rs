//! Making files last: what is under its final name is whole and on the disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The name under which the file at `path` is written before it is whole.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Gives the finished file at `temporary` the name `path`, in the same directory, so that after a
/// power cut there is the old file or the new one under that name, and never half a file.
pub(crate) fn put_in_place(file: &File, temporary: &Path, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(temporary, path)?;
    match path.parent() {
        Some(directory) => sync_directory(directory),
        None => Ok(()),
    }
}

/// Makes the names in a directory last.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    let here = Path::new(".");
    let directory = if directory.as_os_str().is_empty() {
        here
    } else {
        directory
    };
    File::open(directory)?.sync_all()
}

/// Where directories cannot be opened, the system orders names by itself.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
