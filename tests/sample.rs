//! The tables in `data/sample`: what a clone can be probed with at once, and what a fresh solve
//! must give byte for byte.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use mlynek::database::Database;
use mlynek::generate::Options;
use mlynek::rules::Value;
use mlynek::table::Metric;

fn sample(rules: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/sample")
        .join(rules)
}

#[test]
fn a_fresh_solve_gives_the_same_bytes() {
    for name in ["standard", "no-flying"] {
        let dir = tempfile::tempdir().unwrap();
        let rules = common::rules(name, 9);
        common::solve_with_depths(
            dir.path(),
            &rules,
            common::moving(4, 4),
            &Options::default(),
        );
        for subspace in ["3-3", "3-4", "4-3", "4-4"] {
            for file in [format!("{subspace}.mly"), format!("{subspace}.mld")] {
                let fresh = fs::read(dir.path().join(&file)).unwrap();
                let shipped = fs::read(sample(name).join(&file)).unwrap();
                assert!(fresh == shipped, "{name}: {file} differs");
            }
        }
    }
}

#[test]
fn the_start_is_a_draw_with_every_first_move() {
    for name in ["standard", "no-flying"] {
        let database = Database::open(sample(name)).unwrap();
        let probe = database.probe(&database.rules().start()).unwrap();
        assert_eq!(probe.value, Value::Draw);
        assert_eq!(probe.moves.len(), 24);
        assert!(probe.moves.iter().all(|ranked| ranked.value == Value::Draw));
    }
}

#[test]
fn every_sample_table_is_whole() {
    for name in ["standard", "no-flying"] {
        let database = Database::open(sample(name)).unwrap();
        assert_eq!(database.subspaces().count(), 14);
        for subspace in database.subspaces() {
            for metric in Metric::ALL {
                database.check_table_of(subspace, metric).unwrap();
            }
        }
    }
}
