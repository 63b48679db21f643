//! Depths in use, on the whole game of three men each.

mod common;

use std::sync::LazyLock;

use mlynek::database::{Database, Evaluation, LineEnd, OpenOptions};
use mlynek::notation::read_position;
use mlynek::rules::{RuleSet, Value};
use mlynek::table::Deepest;
use rayon::prelude::*;
use tempfile::TempDir;

struct Made {
    dir: TempDir,
    database: Database,
}

/// The game under both rule sets.
static MADE: LazyLock<[Made; 2]> = LazyLock::new(|| {
    RuleSet::NAMES.map(|name| {
        let dir = tempfile::tempdir().unwrap();
        common::solve_three_men(dir.path(), name);
        let database = Database::open(dir.path()).unwrap();
        Made { dir, database }
    })
});

/// The depths are those that others have published, so the tests of their use mean something.
#[test]
fn the_deepest_positions_are_the_known_ones() {
    let moving = "3-3".parse().unwrap();
    for (made, (win, loss)) in MADE.iter().zip([(25, 26), (39, 38)]) {
        let expected = Deepest {
            win: Some(win),
            loss: Some(loss),
        };
        let entry = made.database.manifest().depth_entry(moving).unwrap();
        assert_eq!(entry.deepest, Some(expected));
        let values = made.database.manifest().entry(moving).unwrap();
        assert_eq!(entry.canonical, values.canonical);
        for subspace in made.database.depth_subspaces() {
            made.database.check_depth_table(subspace).unwrap();
        }
    }
}

/// Every position is worth what its best move is worth, and has the value of the table of values.
#[test]
fn positions_are_worth_their_best_moves() {
    for Made { database, dir } in &*MADE {
        let without = OpenOptions {
            depths: false,
            ..OpenOptions::default()
        };
        let without = without.open(dir.path()).unwrap();
        assert!(!without.has_any_depths());
        for subspace in database.subspaces() {
            assert!(database.has_depths(subspace) && !without.has_depths(subspace));
            let slots = (0..database.index().slots(subspace)).into_par_iter();
            slots.filter(|slot| slot % 7 == 0).for_each(|slot| {
                let position = common::position_in(database, subspace, slot);
                let probe = database.probe(&position).unwrap();
                assert_eq!(database.value(&position).unwrap(), probe.value);
                assert!(!probe.evaluation().lacks_depth());
                let exactly = database.evaluate_exactly(&position).unwrap();
                assert_eq!(exactly, probe.evaluation());
                let moves = || probe.moves.iter().map(|ranked| ranked.evaluation());
                assert!(moves().rev().is_sorted());
                match moves().next() {
                    Some(best) => assert_eq!(best, probe.evaluation()),
                    None => assert_eq!(probe.plies, Some(0)),
                }
                let value = without.evaluate(&position).unwrap();
                let over = probe.moves.is_empty().then_some(0);
                assert_eq!((value.value, value.plies), (probe.value, over));
            });
        }
    }
}

/// A line takes as many plies as the position is deep, each a ply less deep than the one before.
#[test]
fn lines_of_won_and_lost_positions_are_as_long_as_they_are_deep() {
    for Made { database, .. } in &*MADE {
        for subspace in database.subspaces() {
            let slots = (0..database.index().slots(subspace)).into_par_iter();
            slots.filter(|slot| slot % 41 == 0).for_each(|slot| {
                let position = common::position_in(database, subspace, slot);
                let line = database.line(&position, None).unwrap();
                assert!(!line.lacks_depths());
                let Some(plies) = line.evaluation.plies else {
                    assert_eq!(line.evaluation, Evaluation::of_value(Value::Draw));
                    assert!(matches!(line.end, LineEnd::Repetition { .. }));
                    return;
                };
                assert_eq!(line.moves.len(), plies as usize);
                for (left, ranked) in (1..=plies).rev().zip(&line.moves) {
                    assert_eq!(ranked.plies, Some(left));
                }
                let (LineEnd::Blocked { loser } | LineEnd::Men { loser }) = line.end else {
                    panic!("{line:?}");
                };
                let lost = line.evaluation.value == Value::Loss;
                assert_eq!(loser == position.side, lost);
                assert_eq!(loser, line.last.side);
            });
        }
    }
}

/// The deepest wins played out, shortened, and without depths.
#[test]
fn a_line_ends_where_it_must() {
    for Made { database, dir } in &*MADE {
        let moving = "3-3".parse().unwrap();
        let histogram = database.depth_table(moving).unwrap().histogram().unwrap();
        let slot = histogram.deepest_win_slot().unwrap();
        let position = common::position_in(database, moving, slot);
        let whole = database.line(&position, None).unwrap();
        assert_eq!(Some(whole.moves.len() as u32), histogram.deepest().win);
        for limit in [0, 1, 10] {
            let line = database.line(&position, Some(limit)).unwrap();
            assert_eq!(line.end, LineEnd::Limit);
            assert_eq!(line.moves, whole.moves[..limit]);
        }
        let line = database.line(&position, Some(whole.moves.len())).unwrap();
        assert_eq!(line, whole);
        let without = OpenOptions {
            depths: false,
            ..OpenOptions::default()
        };
        let without = without.open(dir.path()).unwrap();
        let line = without.line(&position, None).unwrap();
        assert!(line.lacks_depths());
        assert_eq!(line.evaluation, Evaluation::of_value(Value::Win));
        if let LineEnd::Repetition { first } = line.end {
            let again = without.line(&position, Some(first)).unwrap();
            assert_eq!(again.last, line.last);
        }
        // Who has no way to win or to lose goes round in circles.
        let start = database.line(&database.rules().start(), None).unwrap();
        assert_eq!(Some(start.evaluation.value), database.manifest().start);
        // The game is over before the first move.
        let board = database.rules().board();
        for (text, name) in [("a1d1/b2b4b6 w", "men"), ("a1d1b2/b4b6 w", "men")] {
            let position = read_position(board, text).unwrap();
            let line = database.line(&position, None).unwrap();
            assert_eq!((line.moves.len(), line.end.name()), (0, name));
            assert_eq!(line.last, position);
        }
    }
}
