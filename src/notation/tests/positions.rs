//! Positions in every form, and what is wrong with one.

use super::*;

/// The same turn in every form, one a row: what Sanmill's own documents and programs have is
/// marked.
#[test]
fn turns_are_written_as_the_conventions_say() {
    let rules = standard();
    let rows = [
        (
            "-/- w 9 9", // Sanmill's
            "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "white=0x0 black=0x0 white_hand=9 black_hand=9 side=w removal=0",
        ),
        (
            "b6/- b 8 9", // Sanmill's
            "********/*******O/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "white=0x200 black=0x0 white_hand=8 black_hand=9 side=b removal=0",
        ),
        (
            "a4/d6 w 8 8",
            "********/@*******/******O* w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes",
            "white=0x1 black=0x400 white_hand=8 black_hand=8 side=w removal=0",
        ),
        (
            "a1a4a7/b2b4 w 6 7 x",
            "********/*****@@*/*****OOO w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes",
            "white=0x83 black=0x8100 white_hand=6 black_hand=7 side=w removal=1",
        ),
        (
            "a1a4d6/c3c4c5 b 6 6 x",
            "*****@@@/O*******/*****OO* b p r 3 6 3 6 0 1 -1 -1 -1 -1 0 0 3 ids:nodes",
            "white=0x481 black=0x830000 white_hand=6 black_hand=6 side=b removal=1",
        ),
        (
            "a1a4a7/b2d6f4 w 0 1 x",
            "********/@*@**@**/*****OOO w p r 3 0 3 1 1 0 -1 -1 -1 -1 0 0 9 ids:nodes",
            "white=0x83 black=0x9400 white_hand=0 black_hand=1 side=w removal=1",
        ),
        (
            "a1a4a7/b2d6f4 w x",
            "********/@*@**@**/*****OOO w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "white=0x83 black=0x9400 white_hand=0 black_hand=0 side=w removal=1",
        ),
        (
            "a1d1g7/b2b4b6d2 b",
            "********/****@@@@/*O**OO** b m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "white=0xc8 black=0xc300 white_hand=0 black_hand=0 side=b removal=0",
        ),
        (
            "a1d1g7/b2b4 b", // over
            "********/*****@@*/*O**OO** b m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "white=0xc8 black=0x8100 white_hand=0 black_hand=0 side=b removal=0",
        ),
    ];
    for (own, fen, bits) in rows {
        let turn = turn(own);
        rules
            .check_turn(&turn)
            .unwrap_or_else(|error| panic!("{own}: {error}"));
        for (dialect, text) in [
            (Dialect::Own, own),
            (Dialect::Sanmill, fen),
            (Dialect::Malom, bits),
        ] {
            assert_eq!(dialect.write_turn(&rules, &turn).as_deref(), Ok(text));
            assert_eq!(dialect.read_turn(&rules, text), Ok(turn), "{text}");
            assert_eq!(read_any_turn(&rules, text), Ok(turn), "{text}");
            let positions = [
                dialect.read_position(&rules, text),
                read_any_position(&rules, text),
            ];
            for read in positions {
                match turn {
                    Turn::Move(position) => assert_eq!(read, Ok(position)),
                    Turn::Removal(_) => {
                        assert_eq!(read.unwrap_err().problem, Problem::RemovalOutstanding);
                    }
                }
            }
        }
        for dialect in [Dialect::PlayOk, Dialect::OpenSpiel] {
            let none = Inexpressible::NoPositions(dialect);
            assert_eq!(dialect.write_turn(&rules, &turn), Err(none));
            let error = dialect.read_turn(&rules, own).unwrap_err();
            assert_eq!(error.problem, Problem::Inexpressible(none));
            assert!(error.to_string().contains(
                "has no form for positions; the dialects \"own\", \"sanmill\" and \"malom\" have"
            ));
        }
    }
}

#[test]
fn other_ways_to_write_a_turn_are_read_too() {
    let rules = standard();
    #[rustfmt::skip]
    let rows = [
        ("a1a4a7/b2b4 w 6 7  x ", "a1a4a7/b2b4 w 6 7 x"),
        ("a1a4a7/b2b4 w x\n", "a1a4a7/b2b4 w x"),
        // No removal written down: the action says it.
        ("********/*****@@*/*****OOO w p r 3 6 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes", "a1a4a7/b2b4 w 6 7 x"),
        // The last man of Black's hand, as Sanmill writes it.
        ("*****@@@/O**O****/*****OO* b p r 4 0 3 0 0 1 -1 -1 -1 -1 0 0 9 ids:nodes", "a1a4d6f2/c3c4c5 b x"),
        // The older kind: squares, none is 0, moves from 0; ready to begin.
        ("********/********/******** w r p 0 9 0 9 0 0 0 0 0 0 0 0 0", "-/- w 9 9"),
        ("  ********/****@@@@/*O**OO** \t b m s 3 0 4 0 0 0 8 31 0 0 256 17 25\n", "a1d1g7/b2b4b6d2 b"),
        ("********/****@@@@/*O**OO** b m s 3 0 4 0 0 0 0 23 -1 5 4294967296 17 25 ids:nodes", "a1d1g7/b2b4b6d2 b"),
        // Over for want of men, and because the side to move is blocked.
        ("********/*****@@*/*O**OO** b o ? 3 0 2 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", "a1d1g7/b2b4 b"),
        ("********/********/@O@O@O@O w o s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", "a1a7g1g7/a4d1d7g4 w"),
        ("black_hand=007 side=w black=33024 white=0x0083 white_hand=6 removal=1", "a1a4a7/b2b4 w 6 7 x"),
        ("side=b\nwhite=0 black=0XA", ""),
        ("side=b\nwhite=0 black=0xA", "-/a7g7 b"),
    ];
    for (text, own) in rows {
        let read = read_any_turn(&rules, text);
        if own.is_empty() {
            assert!(read.is_err(), "{text}");
        } else {
            assert_eq!(read, Ok(turn(own)), "{text}");
        }
    }
}

/// Every error of a FEN: a field replaced in a good one, and what the message says.
#[test]
fn a_fen_that_does_not_agree_with_itself_names_the_field() {
    let rules = standard();
    let moving = "********/****@@@@/*O**OO** b m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let placing = "********/@*******/******O* w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes";
    let removing = "********/*****@@*/*****OOO w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    #[rustfmt::skip]
    let rows = [
        (moving, 1, "*******", "field 1 (points): expected three squares of eight points"),
        (moving, 1, "********/********", "expected three squares of eight points"),
        (moving, 1, "********/****@@@@/*O**OO*", "expected three squares of eight points"),
        (moving, 1, "*********/***@@@@/*O**OO**", "character 9: expected '/', behind"),
        (moving, 1, "*******/****@@@@/*O**OO***", "character 8: expected 'O', '@' or '*'"),
        (moving, 1, "********/****@@@@/*O**OO***", "expected a space, behind the third square"),
        (moving, 1, "********/****@@@@/*O**OO**/", "expected a space, behind the third square"),
        (moving, 1, "********/****@@X@/*O**OO**", "expected 'O', '@' or '*', a point, found 'X'"),
        (moving, 1, "********/****@@ß@/*O**OO**", "found 'ß'"),
        (moving, 2, "W", "field 2 (side to move): expected w or b, whose turn it is, found \"W\""),
        (moving, 3, "n", "field 3 (phase): expected p, m, r or o, found \"n\""),
        (moving, 3, "p", "field 3 (phase): expected m: Black has no man in hand, found \"p\""),
        (moving, 3, "r", "field 3 (phase): expected p or m: there are men on the board"),
        (moving, 3, "o", "field 3 (phase): expected p or m: with Black to move the game is not over"),
        (placing, 3, "m", "field 3 (phase): expected p: White has 8 men in hand, found \"m\""),
        (removing, 3, "m", "field 3 (phase): expected p: White has 6 men in hand, found \"m\""),
        (removing, 3, "o", "field 4 (action): expected no removal when the game is over"),
        (moving, 4, "x", "field 4 (action): expected p, s or r, found \"x\""),
        (moving, 4, "p", "field 4 (action): expected s or r in phase m, found \"p\""),
        (moving, 4, "?", "field 4 (action): expected s or r in phase m, found \"?\""),
        (placing, 4, "s", "field 4 (action): expected p or r in phase p, found \"s\""),
        (placing, 4, "r", "field 4 (action): expected p or s: White has no mill, found \"r\""),
        (removing, 4, "p", "field 9 (men White is to remove): expected 0: the action is not r"),
        (moving, 5, "4", "field 5 (White's men on the board): expected 3, as many as stand there"),
        (moving, 5, "25", "expected a number from 0 to 24, found \"25\""),
        (moving, 6, "-1", "field 6 (White's men in hand): expected a number from 0 to 255"),
        (moving, 6, "256", "field 6 (White's men in hand): expected a number from 0 to 255"),
        (moving, 7, "3", "field 7 (Black's men on the board): expected 4, as many as stand there"),
        (moving, 7, "four", "field 7 (Black's men on the board): expected a number from 0 to 24"),
        (moving, 8, "1", "field 3 (phase): expected p: Black has 1 men in hand"),
        (moving, 8, "+0", "field 8 (Black's men in hand): expected a number from 0 to 255"),
        (moving, 9, "1", "field 9 (men White is to remove): expected 0: the action is not r"),
        (moving, 10, "1", "field 10 (men Black is to remove): expected 0: the action is not r"),
        (removing, 9, "2", "field 9 (men White is to remove): expected 1: a mill removes one"),
        (removing, 9, "-1", "field 9 (men White is to remove): expected 1: a mill removes one"),
        (removing, 10, "1", "field 10 (men Black is to remove): expected 0: the other side is to move"),
        (moving, 11, "24", "field 11 (White's last mill, from): expected a number from -1 to 23"),
        (moving, 12, "-2", "field 12 (White's last mill, to): expected a number from -1 to 23"),
        (moving, 13, "x", "field 13 (Black's last mill, from): expected a number from -1 to 23"),
        (moving, 15, "16777216", "field 15 (mills): expected bits of points only"),
        (moving, 15, "18446744073709551616", "field 15 (mills): expected a number of 64 bits"),
        (moving, 16, "65536", "field 16 (plies since a removal): expected a number from 0 to 65535"),
        (moving, 17, "-1", "field 17 (move number): expected a number from 0 to 4294967295"),
        (moving, 18, "p:21", "field 11 (White's last mill, from): expected a number from 0 to 31"),
        (moving, 18, "ids:nodes ids:nodes", "behind the fields: expected ids:nodes once"),
        (moving, 18, "ids:nodes c:w-0-|b-1-8", "behind the fields: expected ids:nodes once"),
    ];
    for (good, field, value, message) in rows {
        let mut fields: Vec<&str> = good.split(' ').collect();
        fields[field - 1] = value;
        let text = fields.join(" ");
        let error = Dialect::Sanmill.read_turn(&rules, &text).unwrap_err();
        let whole = error.to_string();
        assert!(whole.contains(message), "field {field}, {value:?}: {whole}");
        assert!(whole.starts_with("Sanmill position "), "{whole}");
        assert_eq!(read_any_turn(&rules, &text), Err(error));
    }
    // Of the older kind, or of none.
    #[rustfmt::skip]
    let rows = [
        ("5 0 0 0 0 0 1", "field 11 (White's last mill, from): expected a square, 8 to 31, or 0"),
        ("-1 0 0 0 0 0 1", "field 11 (White's last mill, from): expected a number from 0 to 31"),
        ("0 0 0 32 0 0 1", "field 14 (Black's last mill, to): expected a number from 0 to 31"),
        ("0 0 0 0 1 0 1", "field 15 (mills): expected bits of points only"),
        ("0 0 0 0 0 0 1 ids:squares", "behind the fields: expected ids:nodes once, and nothing"),
    ];
    for (end, message) in rows {
        let text = format!("********/****@@@@/*O**OO** b m s 3 0 4 0 0 0 {end}");
        let error = Dialect::Sanmill.read_turn(&rules, &text).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
    // Cut off behind every field.
    let words: Vec<&str> = moving.split(' ').collect();
    for count in 1..17 {
        let text = words[..count].join(" ");
        let error = Dialect::Sanmill.read_turn(&rules, &text).unwrap_err();
        // Without the last word the fields are of the older kind, in which -1 is no square.
        let field = if count > 10 { 11 } else { count + 1 };
        assert!(
            error.to_string().contains(&format!("field {field} (")),
            "{error}"
        );
        if count <= 10 {
            assert!(error.to_string().ends_with("found the end"), "{error}");
            assert_eq!(error.character, text.len() + 1);
        }
    }
    let error = Dialect::Sanmill.read_turn(&rules, " \n").unwrap_err();
    assert!(
        error.to_string().contains("field 1 (points): expected"),
        "{error}"
    );
    // A mill, but no man to remove.
    let lonely = "********/********/*****OOO w p r 3 6 0 9 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let error = Dialect::Sanmill.read_turn(&rules, lonely).unwrap_err();
    assert!(
        error.to_string().contains("Black has no man to remove"),
        "{error}"
    );
    let overlap = Dialect::Sanmill.write_turn(&rules, &turn("a1a4/a1 w"));
    assert_eq!(overlap, Err(Inexpressible::Overlap("a1")));
    for dialect in [Dialect::Own, Dialect::Sanmill, Dialect::Malom] {
        let mut beside = rules.start();
        beside.black = PointSet::EMPTY.with(Point::new(30));
        let written = dialect.write_position(&rules, &beside);
        assert!(matches!(
            written,
            Err(Inexpressible::OffBoard { point: 30, .. })
        ));
    }
}

#[test]
fn wrong_bitboards_name_the_field() {
    let rules = standard();
    #[rustfmt::skip]
    let rows = [
        ("", 1, "white: expected a value, found nothing"),
        ("white=1", 8, "black: expected a value, found nothing"),
        ("white=1 black=2", 16, "side: expected a value, found nothing"),
        ("white=1 black=2 side", 17, "field: expected name=value, found \"side\""),
        ("white=1 black=2 colour=w", 17, "field: expected one of white, black, white_hand, black_hand, side, removal, found \"colour\""),
        ("white=1 black=2 white=1", 17, "white: expected the field once, found \"white=1\""),
        ("white=1 black=1 side=w", 9, "black: expected no point on which White has a man, found a4"),
        ("white=1 black=g7 side=w", 9, "black: expected a number, decimal or 0x hexadecimal"),
        ("white=+1 black=0 side=w", 1, "white: expected a number, decimal or 0x hexadecimal"),
        ("white= black=0 side=w", 1, "white: expected a number, decimal or 0x hexadecimal"),
        ("white=0x black=0 side=w", 1, "white: expected a number, decimal or 0x hexadecimal"),
        ("white=0x0x1 black=0 side=w", 1, "white: expected a number, decimal"),
        ("white=0x1000000 black=0 side=w", 1, "white: expected a number below 0x1000000, one bit for each of 24 points, found 0x1000000"),
        ("white=0 black=4294967296 side=w", 9, "black: expected a number, decimal"),
        ("white=0 black=0 white_hand=256 side=w", 17, "white_hand: expected a number of men"),
        ("white=0 black=0 black_hand=-1 side=w", 17, "black_hand: expected a number of men"),
        ("white=0 black=0 side=white", 17, "side: expected w or b, whose turn it is"),
        ("white=0 black=0 side=w removal=2", 24, "removal: expected 1 when a removal is"),
    ];
    for (text, character, message) in rows {
        let error = Dialect::Malom.read_turn(&rules, text).unwrap_err();
        let whole = error.to_string();
        assert!(whole.contains(message), "{text}: {whole}");
        assert!(whole.starts_with("Malom position "), "{whole}");
        assert_eq!(error.character, character, "{whole}");
    }
    let wrong = Bitboards {
        white: 1 << 31,
        black: 0,
        white_hand: 0,
        black_hand: 0,
        side: Colour::White,
        removal: false,
    };
    let error = wrong.turn(board()).unwrap_err().to_string();
    assert!(
        error.contains("white: expected a number below 0x1000000"),
        "{error}"
    );
}

#[test]
fn the_own_form_refuses_a_removal_that_is_not_alone_at_the_end() {
    #[rustfmt::skip]
    let rows = [
        ("a1/b2 w x 3", 9, "expected White's hand, a number, found 'x'"),
        ("a1/b2 w 3 x", 11, "expected Black's hand, a number, found 'x'"),
        ("a1/b2 w 3 4 x x", 13, "expected the end, found 'x'"),
        ("a1/b2 w 3 4x", 12, "expected a digit or the end, found 'x'"),
        ("a1/b2 wx", 8, "expected a space or the end, found 'x'"),
        ("a1/b2 w 3 4 X", 13, "expected the end, found 'X'"),
    ];
    for (text, character, message) in rows {
        let error = read_turn(board(), text).unwrap_err();
        assert_eq!(error.character, character, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = read_position(board(), "a1a4a7/b2 w x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "position \"a1a4a7/b2 w x\", character 14: \
         a removal is outstanding; expected a position with a whole move to come"
    );
}
