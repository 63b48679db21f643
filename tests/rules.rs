//! The rules of the game, each subtle one as a row of a table: a position, and what may be played
//! in it or how it stands.

use mlynek::board::{Board, Point, PointSet};
use mlynek::notation::{read_move, read_position, write_move, write_position};
use mlynek::rules::{Colour, Position, RuleSet, Value};
use proptest::prelude::*;

fn rules(name: &str) -> RuleSet {
    RuleSet::by_name(name).unwrap_or_else(|| panic!("no rule set {name}"))
}

fn position(text: &str) -> Position {
    read_position(Board::nine(), text).unwrap_or_else(|error| panic!("{error}"))
}

/// The moves of a position as text, in the order of the text, each with the position after it.
fn moves(rules: &RuleSet, text: &str) -> Vec<(String, String)> {
    let position = position(text);
    rules
        .check(&position)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut all: Vec<_> = rules
        .successors(&position)
        .into_iter()
        .map(|(played, next)| {
            (
                write_move(rules.board(), played),
                write_position(rules.board(), &next),
            )
        })
        .collect();
    all.sort();
    all
}

/// The removals the move `to` (or `from-to`) may be joined with, as text behind it.
fn removals(rules: &RuleSet, text: &str, played: &str) -> String {
    let all = moves(rules, text);
    let fitting = all.iter().filter_map(|(name, _)| name.strip_prefix(played));
    fitting.collect::<Vec<_>>().join(" ")
}

/// Which man a closed mill takes: rule, position, move, and what may follow it.
#[test]
fn a_closed_mill_removes_one_man_that_may_be_removed() {
    let standard = rules("standard");
    for (rule, text, played, expected) in [
        ("no mill, no removal", "a1/b2d6 w 8 7", "a4", ""),
        ("a mill removes one man", "a1a4/b2d6 w 7 7", "a7", "xb2 xd6"),
        (
            "two mills closed at once remove one man",
            "a1a4d7g7/b2d6f4f2 w 5 5",
            "a7",
            "xb2 xd6 xf2 xf4",
        ),
        (
            "men in mills are safe",
            "a1a4d2/b2b4b6d6 w 6 5",
            "a7",
            "xd6",
        ),
        (
            "unless all are in mills",
            "a1a4d2/b2b4b6 w 6 6",
            "a7",
            "xb2 xb4 xb6",
        ),
        (
            "two mills sharing a man are all in mills",
            "a1a4d2d3/b2b4b6d6f6 w 5 4",
            "a7",
            "xb2 xb4 xb6 xd6 xf6",
        ),
        (
            "a man slid into a mill removes",
            "a1a4d7e3/b2d6f4 w",
            "d7-a7",
            "xb2 xd6 xf4",
        ),
        (
            "also when it comes from a mill",
            "a1a4a7d1g1/b2d6f4 w",
            "a4-b4",
            "",
        ),
        (
            "a mill that stands does not count again",
            "a1a4a7d3/c3d6f4 w",
            "d3-e3",
            "",
        ),
        (
            "a mill closed by the last man in hand",
            "a1a4/b2d6f4 w 1 1",
            "a7",
            "xb2 xd6 xf4",
        ),
    ] {
        assert_eq!(
            removals(&standard, text, played),
            expected,
            "{rule}: {text} {played}"
        );
    }
}

/// A mill opened and closed again counts each time: a line of play, position after position.
#[test]
fn a_mill_closed_again_removes_again() {
    let standard = rules("standard");
    let mut now = position("a1a4a7g7/b2d6f4f2 w");
    for (played, expected) in [
        ("a4-b4", "a1a7b4g7/b2d6f2f4 b"),
        ("b2-d2", "a1a7b4g7/d2d6f2f4 w"),
        ("b4-a4xd6", "a1a4a7g7/d2f2f4 b"),
        ("d2-d1", "a1a4a7g7/d1f2f4 w"),
        ("a4-b4", "a1a7b4g7/d1f2f4 b"),
        ("d1-d2", "a1a7b4g7/d2f2f4 w"),
        ("b4-a4xf4", "a1a4a7g7/d2f2 b"),
    ] {
        let wanted = read_move(standard.board(), played).unwrap();
        let next = standard.successors(&now).into_iter();
        let next = next
            .filter(|&(found, _)| found == wanted)
            .map(|(_, next)| next);
        let next: Vec<_> = next.collect();
        assert_eq!(
            next.len(),
            1,
            "{played} in {}",
            write_position(standard.board(), &now)
        );
        now = next[0];
        assert_eq!(write_position(standard.board(), &now), expected);
    }
    assert_eq!(standard.outcome(&now), Some(Value::Loss));
}

/// When the game is over for want of men, seen from the side to move; the moves follow.
#[test]
fn a_player_loses_with_two_men_left_and_an_empty_hand() {
    for (rule, text, outcome) in [
        (
            "two men on the board with men in hand go on",
            "a1a4/b2b4d6 w 2 1",
            None,
        ),
        (
            "one man on the board with a man in hand goes on",
            "a1a4a7b2b4b6c3c4c5/d6 b 0 1",
            None,
        ),
        (
            "three men and an empty hand go on",
            "a1a4g7/b2b4d6f2 w",
            None,
        ),
        (
            "two men and an empty hand have lost",
            "a1a4/b2b4d6 w",
            Some(Value::Loss),
        ),
        (
            "also when the other is to move",
            "a1a4/b2b4d6 b",
            Some(Value::Win),
        ),
        (
            "also while the other still has men in hand",
            "a1a4/b2b4d6 b 0 1",
            Some(Value::Win),
        ),
        (
            "also right after one's own last man",
            "a1a4/b2b4d6 b 0 3",
            Some(Value::Win),
        ),
        (
            "one in hand is not an empty hand",
            "a1a4/b2b4d6 w 1 0",
            None,
        ),
    ] {
        let standard = rules("standard");
        let position = position(text);
        standard
            .check(&position)
            .unwrap_or_else(|error| panic!("{rule}: {error}"));
        assert_eq!(standard.outcome(&position), outcome, "{rule}: {text}");
        let moves = standard.successors(&position).len();
        assert_eq!(
            moves == 0,
            outcome.is_some(),
            "{rule}: {text} has {moves} moves"
        );
    }
}

/// The loss comes the moment both conditions hold: with a removal, or with one's own last man.
#[test]
fn the_move_that_ends_the_game_leads_to_a_position_that_says_so() {
    let standard = rules("standard");
    for (rule, text, played, outcome) in [
        ("a removal leaves two", "a1a4b4g7/b2d6f4 w", "b4-b6", None),
        (
            "a removal leaves two",
            "a1a4b2d7/c3d6f4 w",
            "d7-a7xf4",
            Some(Value::Loss),
        ),
        (
            "a removal leaves two, but one in hand",
            "a1a4b2/c3d6f4 w 1 1",
            "a7xf4",
            None,
        ),
        (
            "one's own last man is the second",
            "a1/b2b4d6 w 1 1",
            "a4",
            Some(Value::Win),
        ),
        (
            "one's own last man is the third",
            "a1g7/b2b4d6 w 1 1",
            "a4",
            None,
        ),
    ] {
        let position = position(text);
        let wanted = read_move(standard.board(), played).unwrap();
        let next = standard.successors(&position);
        let (_, next) = next
            .iter()
            .find(|(found, _)| *found == wanted)
            .unwrap_or_else(|| panic!("{rule}: no {played} in {text}"));
        assert_eq!(standard.outcome(next), outcome, "{rule}: {text} {played}");
    }
}

/// Blocked: a rule set, a position, and whether there are moves. The game is not over by
/// [`RuleSet::outcome`]: a player on turn without a move has lost.
#[test]
fn a_player_is_blocked_only_with_an_empty_hand_and_without_flying() {
    for (rule, name, text, blocked) in [
        (
            "four men in a corner are blocked",
            "standard",
            "a1a4d1b4/a7c4b2b6g1d2 w",
            true,
        ),
        (
            "one way out is a move",
            "standard",
            "a1a4d1b4/a7c4b2b6g1 w",
            false,
        ),
        (
            "with a man in hand nobody is blocked",
            "standard",
            "a1a4b4d1/a7b2b6c4d2g1 w 1 0",
            false,
        ),
        ("three men fly", "standard", "a1a4d1/a7b4g1d2 w", false),
        ("three men slide", "no-flying", "a1a4d1/a7b4g1d2 w", true),
        (
            "a free neighbour is a move",
            "no-flying",
            "a1a4d1/a7b4g1 w",
            false,
        ),
        (
            "nine men blocked by nine",
            "standard",
            "a1a4a7b2b4b6c3c4c5/d1d2d3d5d6d7e4f4g4 w",
            true,
        ),
    ] {
        let rules = rules(name);
        let position = read_position(rules.board(), text).unwrap();
        rules
            .check(&position)
            .unwrap_or_else(|error| panic!("{rule}: {error}"));
        assert_eq!(rules.outcome(&position), None, "{rule}");
        assert_eq!(
            rules.successors(&position).is_empty(),
            blocked,
            "{rule}: {text}"
        );
    }
}

/// How men move: a rule set, a position, and the moves without removals, or how many there are.
#[test]
fn men_are_placed_slide_and_fly() {
    for (rule, name, text, from, expected) in [
        ("placed men go anywhere", "standard", "-/- w 9 9", "", 24),
        (
            "and no man on the board moves",
            "standard",
            "a1a4a7/b2b4d6 w 6 6",
            "",
            18,
        ),
        (
            "three men with men in hand do not fly",
            "standard",
            "a1d6g7/b2b4e3 w 1 1",
            "a1-",
            0,
        ),
        (
            "three men with an empty hand fly",
            "standard",
            "a1d6g7/b2b4e3 w",
            "a1-",
            18,
        ),
        (
            "the last man is placed anywhere, whoever flies",
            "standard",
            "a1d6g7/b2d3e5 b 0 1",
            "",
            18,
        ),
        ("four men slide", "standard", "a1a4d6g7/b2b4e3 w", "d6-", 4),
        (
            "three men slide without flying",
            "no-flying",
            "a1d6g7/b2b4e3 w",
            "a1-",
            2,
        ),
    ] {
        let rules = rules(name);
        let all = moves(&rules, text);
        let count = all
            .iter()
            .filter(|(name, _)| name.starts_with(from))
            .count();
        assert_eq!(count, expected, "{rule}: {text}");
    }
}

/// What [`RuleSet::check`] refuses, and what it says.
#[test]
fn positions_that_cannot_be_are_refused() {
    let standard = rules("standard");
    for (text, message) in [
        ("a1/a1 w 8 8", "both players have a man on a1"),
        (
            "a1/b2 w 9 8",
            "White has 1 men on the board and 9 in hand, but the game is played with 9",
        ),
        (
            "a1a4a7b2b4b6c3c4c5d1/d2d3d5 w",
            "White has 10 men on the board and 0 in hand",
        ),
        (
            "a1/b2b4d6 w",
            "White has 1 men on the board and none in hand; the game ends with 2 left",
        ),
        (
            "a1a4a7/- b",
            "Black has 0 men on the board and none in hand",
        ),
        ("a1a4a7/b2 w 0 8", "cannot come about"),
        ("-/- w 3 9", "cannot come about"),
        ("-/- b 8 9", "cannot come about"),
    ] {
        let position = read_position(standard.board(), text).unwrap();
        let error = standard.check(&position).unwrap_err().to_string();
        assert!(error.starts_with("illegal position: "), "{error}");
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// The published numbers of lines of play from the start. They count a removal as a ply of its
/// own; here it is part of the move, so the last ply's removals are not told apart: the same up
/// to the fifth ply, where the first mills are closed.
#[test]
fn the_published_perft_comes_out() {
    /// Lines of play of `plies` moves, those that differ only in the last removal counted once.
    fn lines(rules: &RuleSet, position: &Position, plies: u32) -> u64 {
        let mut count = 0;
        let mut last = None;
        rules.each_successor(position, |played, next| {
            if plies > 1 {
                count += lines(rules, &next, plies - 1);
            } else if last.replace((played.from, played.to)) != Some((played.from, played.to)) {
                count += 1;
            }
        });
        count
    }
    for name in ["standard", "no-flying"] {
        let rules = rules(name);
        let start = rules.start();
        for (plies, published) in (1..).zip([24, 552, 12_144, 255_024, 5_100_480]) {
            assert_eq!(
                lines(&rules, &start, plies),
                published,
                "{name}, {plies} plies"
            );
        }
        for (plies, expected) in (0..).zip([1, 24, 552, 12_144, 255_024]) {
            assert_eq!(
                rules.perft(&start, plies),
                expected,
                "{name}, {plies} plies"
            );
        }
        // One of two men removed: 16 mills, in 6 orders, while the other side placed two men.
        let with_removals = 5_100_480 + 16 * 6 * (21 * 20);
        assert_eq!(rules.perft(&start, 5), with_removals, "{name}");
    }
}

/// Every orientation of a position has as many moves, and as many lines of play.
#[test]
fn the_rules_know_no_orientation() {
    for (name, text) in [
        ("standard", "a4d6g7/b4f6 b 6 7"),
        ("standard", "a1d6g7/b2b4e3 w"),
        ("no-flying", "a1a4d2g7/b2b4d5e3 b"),
    ] {
        let rules = rules(name);
        let position = position(text);
        let expected = rules.perft(&position, 3);
        for symmetry in rules.board().symmetries() {
            let turned = Position {
                white: symmetry.set(position.white),
                black: symmetry.set(position.black),
                ..position
            };
            assert_eq!(rules.perft(&turned, 3), expected, "{text}");
        }
    }
}

proptest! {
    /// A player is blocked exactly where he has no move, hands empty. Many men on the board make
    /// it happen.
    #[test]
    fn a_blocked_player_has_no_move(
        order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle(),
        mover in 3usize..=6,
        others in 12usize..=18,
        hand in 0u8..2,
    ) {
        let set = |numbers: &[usize]| numbers.iter().map(|&n| Point::new(n)).collect::<PointSet>();
        let (mover, opponent) = (set(&order[..mover]), set(&order[mover..][..others]));
        let position = Position::of_mover(Colour::White, mover, opponent, hand, hand);
        for name in ["standard", "no-flying"] {
            let rules = RuleSet::by_name(name).unwrap();
            let without_move = hand == 0 && rules.successors(&position).is_empty();
            prop_assert_eq!(rules.is_blocked(&position), without_move, "{}", name);
        }
    }
}
