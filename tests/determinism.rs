//! The same bytes whatever the kernel, the number of threads, and how often a run was broken off.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mlynek::generate::{self, GenerateError, Observer, Options, Plan, Scope};
use mlynek::planes::Kernel;
use mlynek::table::Metric;

/// Every file of a directory.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

fn options(kernel: Kernel, threads: usize) -> Options {
    Options {
        kernel: Some(kernel),
        threads: Some(threads),
        memory: None,
    }
}

#[test]
fn every_kernel_and_number_of_threads_makes_the_same_bytes() {
    for (name, metric) in [
        ("standard", Metric::Values),
        ("no-flying", Metric::Values),
        ("standard", Metric::Grades),
        ("no-flying", Metric::Grades),
    ] {
        let rules = common::rules(name, 3);
        let mut expected = None;
        for (kernel, threads) in [
            (Kernel::Portable, 1),
            (Kernel::Avx2, 2),
            (Kernel::Avx512, 3),
            (Kernel::best(), 1),
            (Kernel::best(), 7),
        ] {
            if !kernel.supported() {
                println!("skipped: this processor has no {kernel}");
                continue;
            }
            let dir = tempfile::tempdir().unwrap();
            let options = options(kernel, threads);
            common::solve(dir.path(), &rules, Scope::Game, metric, &options);
            let files = files(dir.path());
            match &expected {
                None => expected = Some(files),
                Some(expected) => {
                    assert!(*expected == files, "{metric}, {kernel}, {threads} threads");
                }
            }
        }
    }
}

/// Depths change nothing in the tables of values, and can be added to them later.
#[test]
fn depths_stand_beside_the_same_values() {
    for name in ["standard", "no-flying"] {
        let rules = common::rules(name, 3);
        let (values, depths) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = Options::default();
        common::solve_into(values.path(), &rules, Scope::Game, &options);
        common::solve_with_depths(depths.path(), &rules, Scope::Game, &options);
        let (before, with) = (files(values.path()), files(depths.path()));
        for (file, bytes) in before.iter().filter(|(file, _)| file.ends_with(".mly")) {
            assert!(with[file] == *bytes, "{name} {file}");
        }
        common::solve_with_depths(values.path(), &rules, Scope::Game, &options);
        assert!(files(values.path()) == with, "{name}");
        // And a run for values alone finds nothing to do, and takes nothing away.
        common::solve_into(values.path(), &rules, Scope::Game, &options);
        assert!(files(values.path()) == with, "{name}");
    }
}

/// Raises the stop flag when a given phase begins.
struct StopAt<'a> {
    phase: usize,
    stop: &'a AtomicBool,
    begun: AtomicUsize,
}

impl Observer for StopAt<'_> {
    fn phase(&self, _: &str, index: usize, _: usize) {
        self.begun.store(index, Ordering::Relaxed);
        if index == self.phase {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_stopped_at_every_phase_ends_with_the_same_bytes() {
    for metric in Metric::ALL {
        stop_at_every_phase(metric);
    }
}

fn stop_at_every_phase(metric: Metric) {
    let (rules, options) = (common::rules("standard", 3), Options::default());
    let whole = tempfile::tempdir().unwrap();
    common::solve(whole.path(), &rules, Scope::Game, metric, &options);
    let plan = Plan::new(rules, Scope::Game, metric).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for phase in 0..plan.phases.len() {
        let stop = AtomicBool::new(false);
        let observer = StopAt {
            phase,
            stop: &stop,
            begun: AtomicUsize::new(0),
        };
        let stopped = generate::run(&plan, dir.path(), &Options::default(), &observer, &stop);
        match stopped {
            Err(GenerateError::Stopped { done, phases }) => {
                assert_eq!((done, phases), (phase, plan.phases.len()));
            }
            other => panic!("expected a stop at phase {phase}, got {other:?}"),
        }
        // What a killed run leaves of a table it was writing.
        fs::write(dir.path().join("3-3.mly.part"), b"half a table").unwrap();
    }
    let summary = common::solve(dir.path(), &plan.rules, Scope::Game, metric, &options);
    assert!(summary.start.is_some());
    let _ = fs::remove_file(dir.path().join("3-3.mly.part"));
    assert!(files(whole.path()) == files(dir.path()));
}

/// Only moving tables: levels are read back from the tables of the level below.
#[test]
fn a_moving_run_goes_on_from_its_tables() {
    let (rules, options) = (common::rules("no-flying", 9), Options::default());
    let scope = || common::moving(4, 3);
    for metric in Metric::ALL {
        let (whole, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        common::solve(whole.path(), &rules, scope(), metric, &options);
        let plan = Plan::new(rules.clone(), scope(), metric).unwrap();
        let stop = AtomicBool::new(false);
        let observer = StopAt {
            phase: 1,
            stop: &stop,
            begun: AtomicUsize::new(0),
        };
        assert!(generate::run(&plan, dir.path(), &options, &observer, &stop).is_err());
        common::solve(dir.path(), &rules, scope(), metric, &options);
        assert!(files(whole.path()) == files(dir.path()), "{metric}");
    }
}

#[test]
fn damaged_and_foreign_databases_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let run = |rules: &str, stop_at: usize| {
        let plan = Plan::new(
            common::rules(rules, 9),
            common::moving(4, 3),
            Metric::Values,
        )
        .unwrap();
        let stop = AtomicBool::new(false);
        let observer = StopAt {
            phase: stop_at,
            stop: &stop,
            begun: AtomicUsize::new(0),
        };
        generate::run(&plan, dir.path(), &Options::default(), &observer, &stop)
    };
    let never = usize::MAX;
    assert!(matches!(
        run("standard", 1),
        Err(GenerateError::Stopped { done: 1, .. })
    ));

    let foreign = run("no-flying", never).unwrap_err().to_string();
    assert!(
        foreign.contains("standard") && foreign.contains("no-flying"),
        "{foreign}"
    );

    // The next level needs the tables of this one: with one bit flipped it is not solved.
    let path = dir.path().join("3-3.mly");
    let whole = fs::read(&path).unwrap();
    for offset in [9, 100, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[offset] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let error = run("standard", never).unwrap_err().to_string();
        assert!(error.contains("3-3.mly"), "offset {offset}: {error}");
    }
    fs::write(&path, &whole[..whole.len() - 7]).unwrap();
    let error = run("standard", never).unwrap_err().to_string();
    assert!(error.contains("3-3.mly"), "{error}");
    // What is gone is made again.
    fs::remove_file(&path).unwrap();
    run("standard", never).unwrap();
    assert!(fs::read(&path).unwrap() == whole);
}

/// Starts a second run in the same directory when the first begins.
struct Twice<'a>(&'a Path);

impl Observer for Twice<'_> {
    fn phase(&self, _: &str, _: usize, _: usize) {
        let plan = Plan::new(
            common::rules("standard", 9),
            common::moving(3, 3),
            Metric::Values,
        )
        .unwrap();
        let stop = AtomicBool::new(false);
        let second = generate::run(&plan, self.0, &Options::default(), &(), &stop);
        assert!(
            matches!(second, Err(GenerateError::Busy { .. })),
            "{second:?}"
        );
    }
}

#[test]
fn two_runs_do_not_write_into_one_directory() {
    let dir = tempfile::tempdir().unwrap();
    let plan = Plan::new(
        common::rules("standard", 9),
        common::moving(3, 3),
        Metric::Values,
    )
    .unwrap();
    let stop = AtomicBool::new(false);
    let options = Options::default();
    generate::run(&plan, dir.path(), &options, &Twice(dir.path()), &stop).unwrap();
}

#[test]
fn what_is_missing_is_said_before_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let plan = Plan::new(common::rules("standard", 9), Scope::Game, Metric::Values).unwrap();
    let little = Options {
        memory: Some(1 << 30),
        ..Options::default()
    };
    let stop = AtomicBool::new(false);
    let error = generate::run(&plan, &dir.path().join("db"), &little, &(), &stop);
    assert!(matches!(
        error,
        Err(GenerateError::Memory { limited: true, .. })
    ));
    assert!(
        !dir.path().join("db").exists(),
        "nothing is written before the start"
    );

    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    let plan = Plan::new(common::rules("standard", 3), Scope::Game, Metric::Values).unwrap();
    let error = generate::run(&plan, &file, &Options::default(), &(), &stop);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("file"), "{error}");
}
