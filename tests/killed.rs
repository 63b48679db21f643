//! A run killed without warning leaves nothing that could be taken for whole.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

fn solve(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mlynek"));
    command
        .args(["solve", "--men", "3", "--progress", "none", "--out"])
        .arg(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn tables(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "mly"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let (whole, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(solve(whole.path()).status().unwrap().success());
    // Longer and longer, so that runs die in many places: before the first byte, in a phase,
    // between phases.
    for tenths in 0..25 {
        let mut child = solve(dir.path()).spawn().unwrap();
        thread::sleep(Duration::from_millis(100 * tenths));
        // One that is already done has nothing left to be killed.
        let _ = child.kill();
        child.wait().unwrap();
        if let Ok(database) = mlynek::database::Database::open(dir.path()) {
            for subspace in database.subspaces() {
                database.check_table(subspace).unwrap();
            }
        }
    }
    assert!(solve(dir.path()).status().unwrap().success());
    assert_eq!(tables(whole.path()), tables(dir.path()));
    let manifest = |dir: &Path| fs::read(dir.join("manifest.json")).unwrap();
    assert_eq!(manifest(whole.path()), manifest(dir.path()));
}
