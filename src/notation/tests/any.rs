//! Texts in a dialect that is not named.

use super::*;

#[test]
fn what_could_mean_two_things_is_an_error_that_lists_them() {
    let rules = standard();
    let start = Turn::Move(rules.start());
    let ambiguous = |text: &str, start: Turn| {
        let error = read_any_history(&rules, start, text).unwrap_err();
        assert_eq!(error.dialect, None, "{error}");
        let Problem::Ambiguous(readings) = error.problem else {
            panic!("{error}");
        };
        let texts = readings
            .into_iter()
            .map(|reading| (reading.dialect, reading.meaning));
        texts.collect::<Vec<_>>()
    };
    let two = |playok: &str, openspiel: &str| {
        vec![
            (Dialect::PlayOk, playok.to_owned()),
            (Dialect::OpenSpiel, openspiel.to_owned()),
        ]
    };
    assert_eq!(ambiguous("12", start), two("c4", "e4"));
    assert_eq!(ambiguous("1 23", start), two("a7 d1", "d7 g1"));
    // Even where only one of them is legal.
    let taken = turn("c4/- b 8 9");
    assert_eq!(ambiguous("12", taken), two("c4", "e4"));
    let removal = turn("a1a4a7/b2d6 w 6 7 x");
    assert_eq!(ambiguous("5", removal), two("d6", "xf6"));
    // What only one can read.
    #[rustfmt::skip]
    let rows = [
        ("0", "a7/- b 8 9"),
        ("1 0", "d7/a7 w 8 8"),
        ("24", "g1/- b 8 9"),
        ("24 1", "g1/a7 w 8 8"),
        ("a1", "a1/- b 8 9"),
    ];
    for (text, end) in rows {
        assert_eq!(
            read_any_history(&rules, start, text).unwrap().end(),
            turn(end)
        );
    }
    let taken = position("c4a1d1g1/a7d7g4b2 w");
    for text in ["c4-b4", "12-11", "298"] {
        let played = read_any_move(&rules, &taken, text).unwrap();
        assert_eq!(write_move(board(), played), "c4-b4");
    }
    // What nobody can read: the dialect it resembles says why.
    #[rustfmt::skip]
    let rows = [
        ("z9", Dialect::Own, "there is no point \"z9\""),
        ("25-26", Dialect::PlayOk, "expected a point's number, 1 to 24"),
        ("x99", Dialect::PlayOk, "expected a point's number, 1 to 24"),
        ("1000", Dialect::PlayOk, "expected a point's number, 1 to 24"),
        ("a1 2", Dialect::Own, "there is no point \"2\""),
        ("x", Dialect::Own, "expected the point of the man removed"),
    ];
    for (text, dialect, message) in rows {
        let error = read_any_move(&rules, &taken, text).unwrap_err();
        assert_eq!(error.dialect, Some(dialect), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    // What is a form but not legal.
    let error = read_any_move(&rules, &taken, "12-13").unwrap_err();
    assert!(matches!(error.problem, Problem::Illegal(_)), "{error}");
}
