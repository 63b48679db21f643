//! Depths in use, on the whole game of three men each.

mod common;

use std::sync::LazyLock;

use mlynek::database::{Database, Evaluation, LineEnd, OpenOptions};
use mlynek::generate::{Options, Scope};
use mlynek::notation::read_position;
use mlynek::rules::{Colour, Position, Subspace, Value};
use mlynek::table::{Deepest, Metric};
use rayon::prelude::*;
use tempfile::TempDir;

struct Made {
    dir: TempDir,
    database: Database,
}

/// The game under both rule sets.
static MADE: LazyLock<[Made; 2]> = LazyLock::new(|| {
    ["standard", "no-flying"].map(|name| {
        let dir = tempfile::tempdir().unwrap();
        let rules = common::rules(name, 3);
        common::solve_with_depths(dir.path(), &rules, Scope::Game, &Options::default());
        let database = Database::open(dir.path()).unwrap();
        Made { dir, database }
    })
});

/// The position of a slot; the player who began the game is White.
fn position_in(database: &Database, subspace: Subspace, slot: u64) -> Position {
    let (mover, opponent) = database.index().position(subspace, slot);
    let side = match subspace.mover_began() {
        true => Colour::White,
        false => Colour::Black,
    };
    let (hand, other) = (subspace.mover_hand, subspace.opponent_hand);
    Position::of_mover(side, mover, opponent, hand, other)
}

/// The same database, as if it had no depths.
fn without_depths(dir: &TempDir) -> Database {
    let options = OpenOptions {
        depths: false,
        ..OpenOptions::default()
    };
    options.open(dir.path()).unwrap()
}

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
            let checked = made.database.check_table_of(subspace, Metric::Grades);
            checked.unwrap();
        }
    }
}

/// Every position is worth what its best move is worth, and has the value of the table of values.
#[test]
fn positions_are_worth_their_best_moves() {
    for Made { database, dir } in &*MADE {
        let without = without_depths(dir);
        assert!(!without.has_any_depths());
        for subspace in database.subspaces() {
            assert!(database.has_depths(subspace) && !without.has_depths(subspace));
            let slots = (0..database.index().slots(subspace)).into_par_iter();
            slots.filter(|slot| slot % 7 == 0).for_each(|slot| {
                let position = position_in(database, subspace, slot);
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
                let position = position_in(database, subspace, slot);
                let line = database.line(&position, usize::MAX).unwrap();
                assert!(!line.lacks_depths());
                let Some(plies) = line.start.plies else {
                    assert_eq!(line.start, Evaluation::from(Value::Draw));
                    assert_eq!(line.end, LineEnd::Repetition);
                    return;
                };
                for (left, ranked) in (1..=plies).rev().zip(&line.moves) {
                    assert_eq!(ranked.plies, Some(left));
                }
                let (LineEnd::Blocked { loser } | LineEnd::Men { loser }) = line.end else {
                    panic!("{line:?}");
                };
                let lost = line.start.value == Value::Loss;
                assert_eq!(loser == position.side, lost);
                // Who has placed his last man and has too few loses when he is on turn.
                let early = usize::from(loser != line.last.side);
                assert_eq!(line.moves.len() + early, plies as usize);
                assert!(early == 0 || !subspace.is_moving());
            });
        }
    }
}

/// The deepest wins played out, shortened, and without depths.
#[test]
fn a_line_ends_where_it_must() {
    for Made { database, dir } in &*MADE {
        let moving = "3-3".parse().unwrap();
        let histogram = database
            .table_of(moving, Metric::Grades)
            .unwrap()
            .histogram()
            .unwrap();
        let slot = histogram.deepest_win_slot().unwrap();
        let position = position_in(database, moving, slot);
        let whole = database.line(&position, usize::MAX).unwrap();
        assert_eq!(Some(whole.moves.len() as u32), histogram.deepest().win);
        for limit in [0, 1, 10] {
            let line = database.line(&position, limit).unwrap();
            assert_eq!(line.end, LineEnd::Limit);
            assert_eq!(line.moves, whole.moves[..limit]);
        }
        let line = database.line(&position, whole.moves.len()).unwrap();
        assert_eq!(line, whole);
        let without = without_depths(dir);
        let line = without.line(&position, usize::MAX).unwrap();
        assert!(line.lacks_depths());
        assert_eq!(line.start, Evaluation::from(Value::Win));
        if line.end == LineEnd::Repetition {
            let before = (0..line.moves.len()).map(|plies| without.line(&position, plies).unwrap());
            assert!(before.map(|line| line.last).any(|last| last == line.last));
        }
        // Who has no way to win or to lose goes round in circles.
        let start = database
            .line(&database.rules().start(), usize::MAX)
            .unwrap();
        assert_eq!(Some(start.start.value), database.manifest().start);
        // The game is over before the first move.
        let board = database.rules().board();
        for (text, name) in [("a1d1/b2b4b6 w", "men"), ("a1d1b2/b4b6 w", "men")] {
            let position = read_position(board, text).unwrap();
            let line = database.line(&position, usize::MAX).unwrap();
            assert_eq!((line.moves.len(), line.end.name()), (0, name));
            assert_eq!(line.last, position);
        }
    }
}
