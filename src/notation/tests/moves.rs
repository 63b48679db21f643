//! Moves in every dialect, and why one is refused.

use super::*;

/// The same move in every dialect, and the position it is played in.
#[test]
fn moves_are_written_as_the_conventions_say() {
    let rules = standard();
    #[rustfmt::skip]
    let rows = [
        ("-/- w 9 9", ["d6", "d6", "d6", "5", "4"]),
        ("-/- w 9 9", ["c4", "c4", "c4", "12", "11"]),
        ("c4a1d1g1/a7d7g4b2 w", ["c4-b4", "c4-b4", "c4-b4", "12-11", "298"]),
        ("a1a4/b2d6 w 7 7", ["a7xb2", "a7 xb2", "a7 xb2", "1x19", "0 18"]),
        ("a1a4d7e3/b2d6f4 w", ["d7-a7xf4", "d7-a7 xf4", "d7-a7 xf4", "2-1x14", "48 13"]),
        // A man flies.
        ("a1d1g7/b2b4b6d2 w", ["a1-e4", "a1-e4", "a1-e4", "22-13", "540"]),
    ];
    for (from, texts) in rows {
        let position = position(from);
        let played = read_move(board(), texts[0]).unwrap();
        for (dialect, text) in Dialect::ALL.into_iter().zip(texts) {
            assert_eq!(dialect.write_move(board(), played).as_deref(), Ok(text));
            assert_eq!(
                dialect.read_move(&rules, &position, text),
                Ok(played),
                "{text}"
            );
        }
    }
    // A removal apart is read in PlayOK's dialect too.
    let position = position("a1a4/b2d6 w 7 7");
    assert_eq!(
        Dialect::PlayOk.read_move(&rules, &position, " 1  x19 "),
        Dialect::Own.read_move(&rules, &position, "a7xb2")
    );
}

/// Every way a move is refused: dialect, position, text, character, a part of the message.
#[test]
fn moves_that_are_refused_say_why() {
    use Dialect::{Malom, OpenSpiel, Own, PlayOk, Sanmill};
    let rules = standard();
    let (start, mill) = ("-/- w 9 9", "a1a4/b2d6 w 7 7");
    let moving = "a1d1g1b6/a4b2b4f4 w";
    #[rustfmt::skip]
    let rows = [
        // The form.
        (Own, start, "", 1, "expected a move, found the end"),
        (Own, start, "  ", 3, "expected a move, found the end"),
        (Own, start, "-", 1, "expected a point, found '-'"),
        (Own, start, "a9", 1, "there is no point \"a9\" on the board; expected one of a1 a4"),
        (Own, start, "a1-", 4, "expected the point the man moves to, found the end"),
        (Own, start, "a1x", 4, "expected the point of the man removed, found the end"),
        (Own, start, "a1y", 3, "expected '-', 'x' or the end of the word, found 'y'"),
        (Own, start, "a1-a4-a7", 6, "expected 'x' or the end of the word, found '-'"),
        (Own, start, "a1xb2x", 6, "expected the end of the word, found 'x'"),
        (Own, start, "a1 xb2", 4, "there is no point \"xb2\""),
        (Own, start, "a1 b2", 4, "expected the end, after one whole move, found 'b'"),
        (Sanmill, mill, "a7xb2", 3, "found 'x'"),
        (Sanmill, mill, "a7xb2", 3, "expected '-' or the end of the word; a removal is a word"),
        (Malom, moving, "a1-a7xb2", 6, "expected the end of the word; a removal is a word of its"),
        (Malom, mill, "a7 x", 5, "expected the point of the man removed, found the end"),
        (Sanmill, mill, "a7 xb2x", 7, "expected the end of the word, found 'x'"),
        (PlayOk, start, "25", 1, "expected a point's number, 1 to 24, found \"25\""),
        (PlayOk, start, "1-0", 3, "expected a point's number, 1 to 24, found \"0\""),
        (PlayOk, start, "1x", 3, "expected a point's number, 1 to 24, found the end"),
        (PlayOk, start, "a1", 1, "expected a point's number, 1 to 24, found 'a'"),
        (PlayOk, start, "1-2-3", 4, "expected 'x' or the end of the word, found '-'"),
        (OpenSpiel, start, "600", 1, "expected an action, 0 to 599, found \"600\""),
        (OpenSpiel, start, "-1", 1, "expected an action, 0 to 599, found '-'"),
        (OpenSpiel, start, "x1", 1, "expected an action, 0 to 599, found 'x'"),
        (OpenSpiel, start, "1-2", 2, "expected a digit or the end of the word, found '-'"),
        (OpenSpiel, start, "24", 1, "expected an action that moves a man to another point"),
        (OpenSpiel, start, "599", 1, "moves a man to another point, found \"599\""),
        // The rules.
        (Own, "a1/a1 w", "a4", 1, "the move cannot be read: illegal position"),
        (Own, "a1a4/b2d6f4 w", "a1-a7", 1, "illegal move: the game is over: White has lost"),
        (Own, "a1a4/b2d6f4 b", "f4-f6", 1, "illegal move: the game is over: White has lost"),
        (Own, "a1a4a7/b2b4c4d1d7 w", "a1-a4", 1, "White has a man on a4; expected an empty point"),
        (Own, "a1a4a7g1/b4d1d7f4g4 w", "g1-g7", 1, "the game is over: White has lost"),
        (Own, mill, "a1-a7", 1, "White has 7 men in hand; expected a man to be placed"),
        (Own, moving, "a7", 1, "White has no man in hand; expected a man on the board to move"),
        (Own, moving, "a7-d7", 1, "White has no man on a7"),
        (Own, moving, "a4-a7", 1, "White has no man on a4"),
        (Own, moving, "a1-a4", 1, "Black has a man on a4; expected an empty point"),
        (Own, moving, "b6-d7", 1, "no line joins b6 and d7, and White may not fly"),
        (Own, moving, "b6-d6xf4", 1, "White has closed no mill that removes a man"),
        (Own, start, "a1xb2", 1, "White has closed no mill that removes a man"),
        (Own, start, "xb2", 1, "White has closed no mill that removes a man"),
        (Own, mill, "a7xg7", 1, "White may not remove g7; expected one of b2 d6"),
        (Own, "a1a4d2/b2b4b6d6 w 6 5", "a7xb2", 1, "White may not remove b2; expected one of d6"),
        (Own, mill, "a7", 3, "White closes a mill; expected the removal of one of b2 d6 behind"),
        (Sanmill, mill, "a7", 3, "White closes a mill; expected the removal of one of b2 d6"),
        (Sanmill, mill, "a7 xa1", 4, "White may not remove a1; expected one of b2 d6"),
        (Sanmill, mill, "a7 c3", 4, "White has closed a mill; expected the removal of one of b2"),
        (Sanmill, mill, "a7 xb2 c3", 8, "expected the end, after one whole move, found 'c'"),
        (Sanmill, start, "a7 xb2", 4, "expected the end, after one whole move, found 'x'"),
        (PlayOk, mill, "1x1", 1, "White may not remove a7; expected one of b2 d6"),
        (PlayOk, mill, "1", 2, "White closes a mill"),
        (OpenSpiel, mill, "0 0", 3, "White may not remove a7; expected one of b2 d6"),
        (OpenSpiel, mill, "0 26", 3, "White has closed a mill; expected the removal"),
        (OpenSpiel, moving, "0", 1, "White has no man in hand"),
        (OpenSpiel, start, "25", 1, "White has 9 men in hand; expected a man to be placed"),
    ];
    for (dialect, from, text, character, message) in rows {
        let position = position(from);
        let error = dialect.read_move(&rules, &position, text).unwrap_err();
        let whole = error.to_string();
        assert!(whole.contains(message), "{dialect} {text:?}: {whole}");
        assert_eq!(error.character, character, "{dialect} {text:?}: {whole}");
        assert_eq!(error.dialect, Some(dialect));
    }
}

#[test]
fn a_step_beside_the_board_is_refused() {
    let rules = standard();
    let beside = Point::new(31);
    for text in ["-/- w 9 9", "a1d1g7g1/b2b4b6d2 w", "a1a4a7/b2d6f4 w x"] {
        for step in [
            Step::Removal(beside),
            Step::Man {
                from: None,
                to: beside,
            },
            Step::Man {
                from: Some(beside),
                to: point("a1"),
            },
            Step::Man {
                from: Some(point("a1")),
                to: beside,
            },
        ] {
            let error: IllegalStep = rules.play(&turn(text), step).unwrap_err();
            assert!(!error.to_string().is_empty());
            assert!(Dialect::PlayOk.write_steps(board(), [step]).is_err());
            assert!(Dialect::OpenSpiel.write_steps(board(), [step]).is_err());
        }
    }
}

#[test]
fn turns_of_the_game_are_told_from_others() {
    let rules = standard();
    #[rustfmt::skip]
    let rows = [
        ("a1a4a7/b2d6 w 6 7 x", ""),
        ("a1a4a7/b2d6f4 w x", ""),
        ("-/- w 9 9", ""),
        ("a1a4/b2d6 w 7 7 x", "White is to remove a man but has no mill"),
        ("b2d6/a1a4a7 w x", "White is to remove a man but has no mill"),
        ("a1a4a7/- w 6 9 x", "Black is to lose a man but has none on the board"),
        ("a1a4a7/b2 w x", "illegal position: Black has 0 men on the board"),
        ("a1a4a7/a1d6f4 w x", "both players have a man on a1"),
        ("a1a4a7/b2d6f4 w 9 0 x", "the game is played with 9"),
    ];
    for (text, error) in rows {
        match rules.check_turn(&turn(text)) {
            Ok(()) => assert_eq!(error, "", "{text}"),
            Err(illegal) => {
                assert_ne!(error, "", "{text}: {illegal}");
                assert!(illegal.to_string().contains(error), "{text}: {illegal}");
            }
        }
    }
}
