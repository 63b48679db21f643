//! Tests of the oracle itself: whoever checks others must have been checked.
//!
//! Two things make its values trustworthy. First, every value and depth is compared with those of
//! the position's successors, which are found by moving forwards, whereas the oracle works
//! backwards: what passes for all positions is right, as a depth leads down ply by ply to the end
//! of the game, and a drawing player can stay among draws for ever. Second, the counts are those
//! that others have published.

mod oracle;

use std::collections::HashSet;
use std::sync::LazyLock;

use oracle::{
    Counts, GameOracle, LINES, Oracle, POINTS, Position, Rules, Value, neighbours, perft, point,
    set_of, successors,
};

const STANDARD: Rules = Rules::STANDARD;
const NO_FLYING: Rules = Rules::NO_FLYING;

/// The smallest game, with the moving subspace 3-3, which takes too long without optimization to
/// be solved anew by each test.
static THREE_MEN: LazyLock<GameOracle> = LazyLock::new(|| GameOracle::solve(STANDARD, 3));
static THREE_MEN_NO_FLYING: LazyLock<GameOracle> =
    LazyLock::new(|| GameOracle::solve(NO_FLYING, 3));

// ------------------------------------------------------------------------------------------------
// Known results
// ------------------------------------------------------------------------------------------------

/// What is known of a moving subspace. Of positions that the symmetries of the board turn into
/// each other, one is counted.
#[derive(Debug, PartialEq, Eq)]
struct Known {
    mover: usize,
    opponent: usize,
    wins: u64,
    losses: u64,
    draws: u64,
    /// 0 if there is no win (loss).
    deepest_win: u16,
    deepest_loss: u16,
}

/// The columns of a row of the tables below, in the order of the fields of [`Known`].
type Row = (usize, usize, u64, u64, u64, u16, u16);

/// Counts: eigenraum/solving-nine-mens-morris, equal to those of Malom.
const KNOWN_STANDARD: [Row; 12] = [
    (3, 3, 140_621, 28_736, 269, 25, 26),
    (3, 4, 102_281, 0, 658_117, 33, 0),
    (3, 5, 6_301, 9_677, 2_564_412, 31, 2),
    (3, 6, 0, 192_000, 6_683_320, 0, 6),
    (4, 3, 75_397, 3_095, 681_906, 1, 32),
    (4, 4, 159, 29, 3_225_409, 9, 8),
    (4, 5, 51, 1_510, 10_308_935, 5, 28),
    (4, 6, 22, 1_649_972, 24_115_798, 3, 156),
    (5, 3, 580_660, 0, 1_999_730, 3, 0),
    (5, 4, 9_889, 8, 10_300_599, 29, 4),
    (5, 5, 28_819, 4_289, 30_881_316, 57, 56),
    (6, 3, 2_752_371, 0, 4_122_949, 7, 0),
];

/// In a table of its own as it is the one to be reached last.
const KNOWN_STANDARD_6_4: Row = (6, 4, 5_985_293, 4, 19_780_495, 157, 2);

/// Counts: Malom and GamesmanOne with flying off.
const KNOWN_NO_FLYING: [Row; 10] = [
    (3, 3, 90_842, 40_162, 38_622, 39, 38),
    (3, 4, 159_594, 598_728, 2_076, 19, 34),
    (3, 5, 178_940, 2_401_238, 212, 19, 24),
    (3, 6, 60_572, 6_814_585, 163, 17, 28),
    (4, 3, 711_852, 47_934, 612, 33, 18),
    (4, 4, 2_102_578, 976_804, 146_215, 69, 68),
    (4, 5, 2_902_832, 7_315_226, 92_438, 51, 58),
    (5, 3, 2_543_798, 36_545, 47, 23, 18),
    (5, 4, 9_467_970, 809_152, 33_374, 57, 50),
    (6, 3, 6_871_416, 3_883, 21, 27, 16),
];

/// What is known of a subspace, if anything.
fn known(rules: Rules, mover: usize, opponent: usize) -> Option<Known> {
    let rows: Vec<Row> = if rules.flying {
        let last = [KNOWN_STANDARD_6_4];
        KNOWN_STANDARD.into_iter().chain(last).collect()
    } else {
        KNOWN_NO_FLYING.to_vec()
    };
    rows.into_iter()
        .find(|row| (row.0, row.1) == (mover, opponent))
        .map(
            |(mover, opponent, wins, losses, draws, deepest_win, deepest_loss)| Known {
                mover,
                opponent,
                wins,
                losses,
                draws,
                deepest_win,
                deepest_loss,
            },
        )
}

/// A symmetry of the board: where it takes each point.
type Symmetry = [usize; 24];

/// The 16 symmetries: turning the board by quarters, turning it over, and turning it inside out.
fn symmetries() -> Vec<Symmetry> {
    // Points as (x, y) with the middle of the board at (0, 0), so the outer square is three away
    // from it and the inner one one.
    let coordinates = POINTS.map(|name| {
        let name = name.as_bytes();
        (i32::from(name[0] - b'a') - 3, i32::from(name[1] - b'1') - 3)
    });
    let mut symmetries = Vec::new();
    for quarters in 0..4 {
        for over in [false, true] {
            for inside_out in [false, true] {
                let image = |(x, y): (i32, i32)| {
                    let (mut x, mut y) = if over { (-x, y) } else { (x, y) };
                    for _ in 0..quarters {
                        (x, y) = (-y, x);
                    }
                    if inside_out {
                        let square = x.abs().max(y.abs());
                        (x, y) = (x / square * (4 - square), y / square * (4 - square));
                    }
                    (x, y)
                };
                symmetries.push(coordinates.map(|point| {
                    let image = image(point);
                    let found = coordinates.iter().position(|&other| other == image);
                    found.expect("a symmetry takes points to points")
                }));
            }
        }
    }
    symmetries
}

fn apply(symmetry: &Symmetry, set: u32) -> u32 {
    (0..24)
        .filter(|point| set >> point & 1 == 1)
        .fold(0, |image, point| image | 1 << symmetry[point])
}

/// Counts a solved subspace as the published tables do.
fn counted(oracle: &Oracle, mover: usize, opponent: usize) -> Known {
    let symmetries = symmetries();
    let mut counted = Known {
        mover,
        opponent,
        wins: 0,
        losses: 0,
        draws: 0,
        deepest_win: 0,
        deepest_loss: 0,
    };
    // Of each orbit, the position with the least mover is counted, and if there are several, the
    // one of them with the least opponent. The mover stays the same for a whole row, and so do
    // the symmetries that do not move him; the few that there are have to be tried on the
    // opponent.
    let mut row = u32::MAX;
    let mut is_least = false;
    let mut fixing = Vec::new();
    oracle.for_each_with_depth(mover, opponent, |mover, opponent, value, depth| {
        if mover != row {
            row = mover;
            is_least = symmetries.iter().all(|s| apply(s, mover) >= mover);
            fixing.clone_from(&symmetries);
            fixing.retain(|s| apply(s, mover) == mover);
        }
        if !is_least || fixing.iter().any(|s| apply(s, opponent) < opponent) {
            return;
        }
        let (count, deepest) = match value {
            Value::Win => (&mut counted.wins, &mut counted.deepest_win),
            Value::Loss => (&mut counted.losses, &mut counted.deepest_loss),
            Value::Draw => {
                assert_eq!(depth, None);
                counted.draws += 1;
                return;
            }
        };
        *count += 1;
        *deepest = depth.expect("a decided position has a depth").max(*deepest);
    });
    counted
}

/// Compares all solved subspaces that something is known of.
fn check_counts(oracle: &Oracle) {
    for (mover, opponent) in oracle.solved() {
        if let Some(known) = known(oracle.rules(), mover, opponent) {
            assert_eq!(counted(oracle, mover, opponent), known);
        }
    }
}

/// Compares every `step`th position of a subspace with its successors.
fn check_depths(oracle: &Oracle, mover: usize, opponent: usize, step: usize) {
    let mut number = 0;
    oracle.for_each_with_depth(mover, opponent, |mover, opponent, value, depth| {
        number += 1;
        if number % step != 0 {
            return;
        }
        let mut quickest_win = None;
        let mut slowest_loss = None;
        let mut draws = false;
        let after = successors(oracle.rules(), &Position::moving(mover, opponent));
        for after in &after {
            let (mover, opponent) = (after.mover, after.opponent);
            match (oracle.value(mover, opponent), oracle.depth(mover, opponent)) {
                (Value::Loss, Some(depth)) => {
                    let depth = depth + 1;
                    quickest_win = Some(quickest_win.map_or(depth, |d| depth.min(d)));
                }
                (Value::Draw, None) => draws = true,
                (Value::Win, Some(depth)) => slowest_loss = slowest_loss.max(Some(depth + 1)),
                contradiction => panic!("{contradiction:?} after {mover:#x} {opponent:#x}"),
            }
        }
        let expected = if quickest_win.is_some() {
            (Value::Win, quickest_win)
        } else if draws {
            (Value::Draw, None)
        } else if after.is_empty() {
            (Value::Loss, Some(0))
        } else {
            (Value::Loss, slowest_loss)
        };
        assert_eq!((value, depth), expected, "{mover:#x} {opponent:#x}");
    });
}

/// Compares every `step`th placing position of a game with its successors.
fn check_placing(game: &GameOracle, step: usize) {
    let rules = game.moving().rules();
    let mut number = 0;
    game.for_each_placing(|position, value| {
        number += 1;
        if number % step != 0 {
            return;
        }
        assert_eq!(game.value(position), value);
        let worst_for_opponent = successors(rules, position)
            .iter()
            .map(|after| game.value(after))
            .min()
            .expect("a man in hand can be placed");
        let expected = match worst_for_opponent {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        };
        assert_eq!(value, expected, "{position:?}");
        // One ply more than the quickest loss left to the opponent, or than the slowest win.
        let depths = successors(rules, position).into_iter().filter_map(|after| {
            // Black's last placing may leave him with two men. That the game has ended shows a
            // ply later, on his turn.
            let won = after.opponent_hand == 0 && after.opponent.count_ones() < 3;
            let depth = if won { Some(1) } else { game.depth(&after) };
            (game.value(&after) == worst_for_opponent).then_some(depth)
        });
        let depth = match worst_for_opponent {
            Value::Loss => depths.min(),
            Value::Draw | Value::Win => depths.max(),
        };
        let depth = depth.expect("some successor is the worst");
        assert_eq!(
            game.depth(position),
            depth.map(|depth| depth + 1),
            "{position:?}"
        );
    });
}

// ------------------------------------------------------------------------------------------------
// The board and the rules
// ------------------------------------------------------------------------------------------------

#[test]
fn board_has_32_adjacencies_in_both_directions() {
    let mut ends = 0;
    for one in 0..24 {
        for other in 0..24 {
            let adjacent = neighbours(one) >> other & 1;
            assert_eq!(adjacent, neighbours(other) >> one & 1);
            ends += adjacent;
        }
    }
    assert_eq!(ends, 2 * 32);
    assert_eq!(neighbours(point("a1")), set_of(["a4", "d1"]));
    assert_eq!(neighbours(point("a4")), set_of(["a1", "a7", "b4"]));
    assert_eq!(neighbours(point("d6")), set_of(["b6", "f6", "d5", "d7"]));
    assert_eq!(neighbours(point("c4")), set_of(["b4", "c3", "c5"]));
    assert_eq!(neighbours(point("e5")), set_of(["d5", "e4"]));
}

#[test]
fn board_has_16_symmetries() {
    let lines: HashSet<u32> = LINES.map(set_of).into();
    assert_eq!(lines.len(), 16);
    let symmetries = symmetries();
    assert_eq!(symmetries.iter().collect::<HashSet<_>>().len(), 16);
    for symmetry in &symmetries {
        assert!(lines.iter().all(|&l| lines.contains(&apply(symmetry, l))));
    }
}

#[test]
fn perft_from_the_start() {
    let plies = [1, 24, 552, 12_144, 255_024];
    for (depth, plies) in plies.into_iter().enumerate() {
        assert_eq!(perft(STANDARD, 9, depth), plies);
        assert_eq!(perft(NO_FLYING, 9, depth), plies);
    }
    // Published as 24 * 23 * 22 * 21 * 20 = 5,100,480, which leaves out the removals. White's
    // third man closes a mill on 16 lines, in 3! orders, for 21 * 20 placings of Black's two men
    // beside it, and either of these can be removed. So that many plies count twice here.
    assert_eq!(perft(STANDARD, 9, 5), 5_100_480 + 16 * 6 * 21 * 20);
}

/// The opponents' men after the plies that leave the player who moves with `men`.
fn opponents_left(rules: Rules, position: &Position, men: u32) -> HashSet<u32> {
    let after = successors(rules, position);
    let left: Vec<u32> = after
        .iter()
        .filter(|after| after.opponent == men)
        .map(|after| after.mover)
        .collect();
    let distinct: HashSet<u32> = left.iter().copied().collect();
    assert_eq!(distinct.len(), left.len());
    distinct
}

#[test]
fn two_mills_at_once_remove_one_man() {
    let position = Position {
        mover: set_of(["a1", "a4", "d7", "g7"]),
        opponent: set_of(["b2", "b4", "f6"]),
        mover_hand: 2,
        opponent_hand: 2,
    };
    let left = opponents_left(STANDARD, &position, position.mover | set_of(["a7"]));
    assert_eq!(
        left,
        HashSet::from([
            set_of(["b2", "b4"]),
            set_of(["b2", "f6"]),
            set_of(["b4", "f6"])
        ])
    );
    let after = successors(STANDARD, &position);
    assert_eq!(after.len(), 16 + 3);
    assert!(
        after
            .iter()
            .all(|after| (after.mover_hand, after.opponent_hand) == (2, 1))
    );
}

#[test]
fn men_in_mills_are_safe_unless_all_are() {
    let mut position = Position {
        mover: set_of(["a1", "a4"]),
        opponent: set_of(["b2", "b4", "b6", "f6"]),
        mover_hand: 6,
        opponent_hand: 5,
    };
    let mill = set_of(["a1", "a4", "a7"]);
    assert_eq!(
        opponents_left(STANDARD, &position, mill),
        HashSet::from([set_of(["b2", "b4", "b6"])])
    );
    position.opponent = set_of(["b2", "b4", "b6"]);
    assert_eq!(
        opponents_left(STANDARD, &position, mill),
        HashSet::from([
            set_of(["b2", "b4"]),
            set_of(["b2", "b6"]),
            set_of(["b4", "b6"])
        ])
    );
}

#[test]
fn mill_closed_again_counts_again() {
    let opponent = set_of(["b2", "b4", "f6", "f4"]);
    let open = Position::moving(set_of(["a1", "a4", "d7", "g1"]), opponent);
    let closed = set_of(["a1", "a4", "a7", "g1"]);
    assert_eq!(opponents_left(STANDARD, &open, closed).len(), 4);
    // Leaving the mill is a quiet move.
    let closed = Position::moving(closed, opponent);
    assert_eq!(
        opponents_left(STANDARD, &closed, open.mover),
        HashSet::from([opponent])
    );
    // A man that moves beside a mill does not close it.
    let beside = set_of(["a1", "a4", "a7", "g4"]);
    assert_eq!(
        opponents_left(STANDARD, &closed, beside),
        HashSet::from([opponent])
    );
}

#[test]
fn three_men_fly_with_an_empty_hand_only() {
    // The mover's men are in a mill, so moving one of them closes no other.
    let mover = set_of(["a1", "a4", "a7"]);
    let blocking = Position::moving(mover, set_of(["b4", "d1", "d7"]));
    assert_eq!(successors(STANDARD, &blocking).len(), 3 * 18);
    assert_eq!(successors(NO_FLYING, &blocking).len(), 0);

    let with_a_hand = Position {
        mover_hand: 1,
        opponent_hand: 1,
        ..blocking
    };
    assert_eq!(successors(STANDARD, &with_a_hand).len(), 18);

    let four = Position::moving(mover | set_of(["g1"]), set_of(["b4", "d1", "d7", "g4"]));
    assert_eq!(successors(STANDARD, &four).len(), 0);
}

#[test]
fn two_men_lose_with_an_empty_hand_only() {
    let two = set_of(["a1", "b2"]);
    let three = set_of(["f2", "f4", "g7"]);
    assert!(successors(STANDARD, &Position::moving(two, three)).is_empty());
    assert!(successors(STANDARD, &Position::moving(three, two)).is_empty());
    let with_a_hand = Position {
        mover_hand: 1,
        ..Position::moving(two, three)
    };
    assert_eq!(successors(STANDARD, &with_a_hand).len(), 19);
    let opponent_with_a_hand = Position {
        mover_hand: 1,
        opponent_hand: 1,
        ..Position::moving(three, two)
    };
    // f6 closes a mill, and either man can be removed.
    assert_eq!(successors(STANDARD, &opponent_with_a_hand).len(), 18 + 2);

    let oracle = Oracle::moving(STANDARD, &[]);
    assert_eq!(oracle.value(two, three), Value::Loss);
    assert_eq!(oracle.value(three, two), Value::Win);
    assert_eq!(oracle.depth(two, three), Some(0));
    assert_eq!(oracle.depth(three, two), Some(0));
}

// ------------------------------------------------------------------------------------------------
// The moving phase
// ------------------------------------------------------------------------------------------------

#[test]
fn for_each_gives_every_placement_once() {
    let oracle = THREE_MEN_NO_FLYING.moving();
    let mut positions = 0;
    let mut last = (0, 0);
    oracle.for_each(3, 3, |mover, opponent, value| {
        assert_eq!((mover.count_ones(), opponent.count_ones()), (3, 3));
        assert_eq!((mover | opponent) >> 24, 0);
        assert_eq!(mover & opponent, 0);
        assert!(last < (mover, opponent));
        assert_eq!(oracle.value(mover, opponent), value);
        positions += 1;
        last = (mover, opponent);
    });
    assert_eq!(positions, 2024 * 1330);
}

#[test]
fn three_against_three() {
    for game in [&THREE_MEN, &THREE_MEN_NO_FLYING] {
        check_counts(game.moving());
        check_depths(game.moving(), 3, 3, 101);
    }
}

#[test]
#[ignore = "2 minutes in release mode on one core"]
fn four_against_four() {
    for game in [&THREE_MEN, &THREE_MEN_NO_FLYING] {
        check_depths(game.moving(), 3, 3, 1);
        check_placing(game, 1);
    }
    for rules in [STANDARD, NO_FLYING] {
        let oracle = Oracle::moving(rules, &[(4, 4)]);
        assert_eq!(oracle.solved(), [(3, 3), (3, 4), (4, 3), (4, 4)]);
        check_counts(&oracle);
        for (mover, opponent) in oracle.solved() {
            check_depths(&oracle, mover, opponent, 1);
        }
    }
}

#[test]
#[ignore = "4 minutes in release mode on one core, 1.2 GB of memory"]
fn five_against_four() {
    for rules in [STANDARD, NO_FLYING] {
        let oracle = Oracle::moving(rules, &[(5, 4)]);
        check_counts(&oracle);
        for (mover, opponent) in oracle.solved() {
            check_depths(&oracle, mover, opponent, 11);
        }
    }
}

#[test]
#[ignore = "half an hour or so in release mode on one core, 3.5 GB of memory"]
fn six_against_four() {
    for rules in [STANDARD, NO_FLYING] {
        let oracle = Oracle::moving(rules, &[(6, 4)]);
        check_counts(&oracle);
        for (mover, opponent) in oracle.solved() {
            check_depths(&oracle, mover, opponent, 101);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// The whole game
// ------------------------------------------------------------------------------------------------

#[test]
fn game_of_three_men() {
    for (game, rules, start) in [
        (&THREE_MEN, STANDARD, Value::Win),
        (&THREE_MEN_NO_FLYING, NO_FLYING, Value::Draw),
    ] {
        assert_eq!(game.men(), 3);
        assert_eq!(game.moving().rules(), rules);
        assert_eq!(game.moving().solved(), [(3, 3)]);
        assert_eq!(game.value(&Position::start(3)), start);
        check_placing(game, 11);
        // White has closed a mill with his last man, so Black will have two men once he has placed
        // his last. Until then the game goes on, lost as it is.
        let white = set_of(["a1", "a4", "a7"]);
        let black = set_of(["b2"]);
        let last = Position {
            mover: black,
            opponent: white,
            mover_hand: 1,
            opponent_hand: 0,
        };
        assert_eq!(successors(rules, &last).len(), 20);
        assert_eq!(game.value(&last), Value::Loss);
        let after = Position::moving(white, black | set_of(["g7"]));
        assert_eq!(game.value(&after), Value::Win);
    }
}

#[test]
fn placing_subspaces_of_the_game_of_three_men() {
    let game = &THREE_MEN_NO_FLYING;
    let counts = |mover, opponent, mover_hand, opponent_hand| Counts {
        mover,
        opponent,
        mover_hand,
        opponent_hand,
    };
    assert_eq!(
        game.placing_subspaces(),
        [
            counts(0, 0, 3, 3),
            counts(0, 1, 3, 2),
            counts(1, 1, 2, 2),
            counts(1, 2, 2, 1),
            counts(1, 3, 1, 0),
            counts(2, 2, 1, 1),
            counts(2, 3, 1, 0),
        ]
    );
    let mut positions = HashSet::new();
    game.for_each_placing(|&position, _| assert!(positions.insert(position)));
    let placements = [1, 24, 24 * 23, 24 * 253, 24 * 1771, 276 * 231, 276 * 1540];
    assert_eq!(positions.len(), placements.into_iter().sum());
}

#[test]
#[ignore = "a minute in release mode on one core"]
fn game_of_four_men() {
    for (rules, start) in [(STANDARD, Value::Draw), (NO_FLYING, Value::Loss)] {
        let game = GameOracle::solve(rules, 4);
        assert_eq!(game.value(&Position::start(4)), start);
        check_placing(&game, 1);
    }
}

#[test]
#[ignore = "half an hour or so in release mode on one core, 2 GB of memory"]
fn game_of_five_men() {
    for rules in [STANDARD, NO_FLYING] {
        let game = GameOracle::solve(rules, 5);
        println!("{rules:?}: {:?}", game.value(&Position::start(5)));
        check_placing(&game, 11);
        check_counts(game.moving());
        check_depths(game.moving(), 5, 5, 101);
    }
}
