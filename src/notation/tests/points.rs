//! Dialects by name, points by name and number.

use super::*;

#[test]
fn dialects_are_read_by_the_names_they_are_written_with() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.to_string().parse(), Ok(dialect));
        assert_eq!(
            format!("{dialect:>10}|"),
            format!("{:>10}|", dialect.name())
        );
    }
    for bad in ["", "Own", "sanmill ", "uci"] {
        let error = bad.parse::<Dialect>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "there is no dialect {bad:?}; \
                 expected one of own, sanmill, malom, playok, openspiel"
            )
        );
    }
}

/// The numbering of every dialect as the documents of its program have it, each point by name.
#[test]
fn points_have_the_published_numbers() {
    #[rustfmt::skip]
    let rows = [
        (Dialect::Malom, 0, "a4 a7 d7 g7 g4 g1 d1 a1 b4 b6 d6 f6 f4 f2 d2 b2 c4 c5 d5 e5 e4 e3 d3 c3"),
        (Dialect::PlayOk, 1, "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1"),
        (Dialect::OpenSpiel, 0, "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1"),
        (Dialect::Sanmill, 0, "d5 e5 e4 e3 d3 c3 c4 c5 d6 f6 f4 f2 d2 b2 b4 b6 d7 g7 g4 g1 d1 a1 a4 a7"),
    ];
    for (dialect, first, names) in rows {
        let names: Vec<_> = names.split(' ').collect();
        assert_eq!(names.len(), 24);
        for (place, name) in names.into_iter().enumerate() {
            let number = dialect.number(board(), point(name));
            assert_eq!(number, Ok(first + place), "{dialect} {name}");
        }
    }
    for (number, name) in board().table().points.iter().enumerate() {
        assert_eq!(Dialect::Own.number(board(), point(name)), Ok(number));
    }
}

#[test]
fn points_are_read_as_they_are_written() {
    for dialect in Dialect::ALL {
        for point in board().points() {
            let text = dialect.write_point(board(), point).unwrap();
            let number = dialect.number(board(), point).unwrap().to_string();
            let by_number = matches!(dialect, Dialect::PlayOk | Dialect::OpenSpiel);
            assert_eq!(text == number, by_number, "{dialect} {text}");
            assert_eq!(dialect.read_point(board(), &text), Ok(point));
        }
        assert_eq!(
            dialect.write_point(board(), Point::new(24)),
            Err(Inexpressible::OffBoard {
                point: 24,
                points: 24
            })
        );
    }
    #[rustfmt::skip]
    let rows = [
        (Dialect::Own, "", 1, "point \"\", character 1: expected a point"),
        (Dialect::Own, "a1 ", 3, "expected the end, found ' '"),
        (Dialect::Malom, "a2", 1, "Malom point \"a2\""),
        (Dialect::Sanmill, "0", 1, "there is no point \"0\" on the board"),
        (Dialect::PlayOk, "0", 1, "expected a point's number, 1 to 24, found \"0\""),
        (Dialect::PlayOk, "25", 1, "expected a point's number, 1 to 24, found \"25\""),
        (Dialect::PlayOk, "07", 1, "found \"07\""),
        (Dialect::PlayOk, "a1", 1, "expected a point's number, 1 to 24, found 'a'"),
        (Dialect::OpenSpiel, "24", 1, "expected a point's number, 0 to 23, found \"24\""),
        (Dialect::OpenSpiel, "2x", 2, "expected the end, found 'x'"),
        (Dialect::OpenSpiel, "99999999999999999999999999", 1, "expected a point's number, 0 to 23"),
    ];
    for (dialect, text, character, message) in rows {
        let error = dialect.read_point(board(), text).unwrap_err();
        assert_eq!(error.character, character, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn other_boards_have_the_own_form_only() {
    let board = other_board();
    let played = Move {
        from: None,
        to: Point::new(4),
        removal: None,
    };
    for dialect in Dialect::ALL {
        let written = dialect.write_move(board, played);
        let read = dialect.read_point(board, "b2");
        if dialect == Dialect::Own {
            assert!(dialect.knows(board));
            assert_eq!(written.as_deref(), Ok("b2"));
            assert_eq!(read, Ok(Point::new(4)));
            continue;
        }
        assert!(!dialect.knows(board));
        let unknown = Inexpressible::OtherBoard {
            dialect,
            board: "three",
        };
        assert_eq!(written, Err(unknown));
        let error = read.unwrap_err();
        assert_eq!(error.problem, Problem::Inexpressible(unknown));
        let message = format!(
            "{0} point \"b2\", character 1: {0} exists only for the 24 points a1 to g7 of nine \
             men's morris, not for the board \"three\"; write in the dialect \"own\", which knows \
             every board",
            dialect.title()
        );
        assert_eq!(error.to_string(), message);
    }
    let position = read_position(board, "a1b2/c3 b 1 2").unwrap();
    assert_eq!(write_position(board, &position), "a1b2/c3 b 1 2");
    assert!(Bitboards::of(board, &position.into()).is_err());
    let numbers = Bitboards::of(Board::nine(), &turn("a1/- b")).unwrap();
    assert!(numbers.turn(board).is_err());
    let point = Point::new(9);
    assert!(Dialect::Own.write_point(board, point).is_err());
}
