//! The fast solver against the oracle, position by position: values and depths.
//!
//! The quick tests run with the others. The long ones take minutes and several gigabytes:
//! `cargo test --release --test against_oracle -- --ignored --nocapture --test-threads 1`.

mod common;
mod oracle;
mod translation;

use mlynek::database::Database;
use mlynek::generate::{Options, Scope};
use mlynek::index::Index;
use mlynek::rules::Subspace;
use mlynek::table::{Grades, Metric, Table, TableExpectation, Values, file_name};
use oracle::{GameOracle, Oracle};
use translation::{Translation, grade, same};

/// The tables of a subspace in memory, asked by the oracle's sets.
struct Solved<'a> {
    index: &'a Index,
    translation: &'a Translation,
    subspace: Subspace,
    values: Values,
    grades: Grades,
}

impl<'a> Solved<'a> {
    fn read(database: &'a Database, translation: &'a Translation, subspace: Subspace) -> Self {
        let (rules, index) = (database.rules(), database.index());
        let expectation = TableExpectation::new(rules, index, subspace, Metric::Grades);
        let path = database.dir().join(file_name(subspace, Metric::Grades));
        let depths = Table::open(&path, &expectation).unwrap();
        Self {
            index,
            translation,
            subspace,
            values: database.table(subspace).unwrap().decode_all().unwrap(),
            grades: depths.decode_grades().unwrap(),
        }
    }

    #[track_caller]
    fn compare(&self, mover: u32, opponent: u32, value: oracle::Value, depth: Option<u16>) {
        let (mover, opponent) = (self.translation.set(mover), self.translation.set(opponent));
        let slot = self.index.slot(self.subspace, mover, opponent);
        assert_eq!(
            (self.values.get(slot), self.grades.grade(slot)),
            (same(value), grade(value, depth)),
            "{}: {mover:?} {opponent:?}",
            self.subspace
        );
    }
}

fn compare_moving(name: &str, targets: &[(usize, usize)]) {
    let dir = tempfile::tempdir().unwrap();
    let rules = common::rules(name, 9);
    let subspaces = targets
        .iter()
        .map(|&(w, b)| Subspace::moving(w, b))
        .collect();
    common::solve_with_depths(
        dir.path(),
        &rules,
        Scope::Moving(subspaces),
        &Options::default(),
    );
    let database = Database::open(dir.path()).unwrap();
    let oracle = Oracle::moving(
        oracle::Rules {
            flying: name == "standard",
        },
        targets,
    );
    compare_with(&database, &oracle);
}

fn compare_with(database: &Database, oracle: &Oracle) {
    let translation = Translation::new(database.rules().board());
    for (mover, opponent) in oracle.solved() {
        let subspace = Subspace::moving(mover, opponent);
        let solved = Solved::read(database, &translation, subspace);
        let mut compared = 0u64;
        oracle.for_each_with_depth(mover, opponent, |mover, opponent, value, depth| {
            solved.compare(mover, opponent, value, depth);
            compared += 1;
        });
        assert_eq!(compared, database.index().raw_positions(subspace));
        println!(
            "{} {subspace}: {compared} positions agree",
            database.rules().name()
        );
    }
}

fn compare_game(name: &str, men: usize) {
    let dir = tempfile::tempdir().unwrap();
    let rules = common::rules(name, men);
    common::solve_with_depths(dir.path(), &rules, Scope::Game, &Options::default());
    let database = Database::open(dir.path()).unwrap();
    let flying = name == "standard";
    let oracle = GameOracle::solve(oracle::Rules { flying }, men as u8);
    compare_with(&database, oracle.moving());
    let translation = Translation::new(rules.board());
    let mut subspaces = Vec::new();
    for counts in oracle.placing_subspaces() {
        let subspace = translation::subspace(&counts);
        subspaces.push(subspace);
        let solved = Solved::read(&database, &translation, subspace);
        oracle.for_each_placing_with_depth(&counts, |position, value, depth| {
            solved.compare(position.mover, position.opponent, value, depth);
        });
        println!("{} {subspace}: every position agrees", rules.name());
    }
    subspaces.sort_unstable();
    let mut expected = rules.placing_subspaces();
    expected.sort_unstable();
    assert_eq!(subspaces, expected);
}

#[test]
fn moving_subspaces_through_4_4() {
    for name in ["standard", "no-flying"] {
        compare_moving(name, &[(4, 4)]);
    }
}

#[test]
fn games_of_three_men() {
    for name in ["standard", "no-flying"] {
        compare_game(name, 3);
    }
}

#[test]
#[ignore = "takes a minute"]
fn games_of_four_men() {
    for name in ["standard", "no-flying"] {
        compare_game(name, 4);
    }
}

#[test]
#[ignore = "takes minutes and several gigabytes"]
fn games_of_five_men() {
    for name in ["standard", "no-flying"] {
        compare_game(name, 5);
    }
}

#[test]
#[ignore = "takes minutes and several gigabytes"]
fn moving_subspaces_through_6_4() {
    for name in ["standard", "no-flying"] {
        compare_moving(name, &[(6, 4)]);
    }
}
