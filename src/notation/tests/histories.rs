//! Moves told one after the other.

use super::*;

#[test]
fn histories_go_on_in_the_middle_of_a_move() {
    let rules = standard();
    let removal = turn("a1a4a7/b2d6 w 6 7 x");
    let after = turn("a1a4a7/b2 b 6 7");
    for (dialect, text) in Dialect::ALL
        .into_iter()
        .zip(["xd6", "xd6", "xd6", "x5", "4"])
    {
        let history = dialect.read_history(&rules, removal, text).unwrap();
        assert_eq!(history.end(), after);
        assert_eq!(history.moves(), []);
        let steps = history.steps.iter().map(|(step, _)| *step);
        assert_eq!(dialect.write_steps(board(), steps).as_deref(), Ok(text));
        if dialect != Dialect::OpenSpiel {
            assert_eq!(
                read_any_history(&rules, removal, text).unwrap().end(),
                after
            );
        }
    }
    // And stop there, where the removal is a word of its own.
    for (dialect, text) in Dialect::ALL.into_iter().zip([
        "a1 b2 a4 d6 a7",
        "a1 b2 a4 d6 a7",
        "a1 b2 a4 d6 a7",
        "22 19 10 5 1",
        "21 18 9 4 0",
    ]) {
        let start = Turn::Move(rules.start());
        let read = dialect.read_history(&rules, start, text);
        if dialect == Dialect::Own {
            let error = read.unwrap_err();
            assert_eq!(error.character, 15);
            assert!(
                matches!(error.problem, Problem::NoRemoval { .. }),
                "{error}"
            );
            // Sanmill and Malom can read it, and agree.
            assert_eq!(
                read_any_history(&rules, start, text).unwrap().end(),
                removal
            );
        } else {
            assert_eq!(read.unwrap().end(), removal);
        }
    }
}

#[test]
fn histories_name_the_word_that_is_wrong() {
    let rules = standard();
    let start = Turn::Move(rules.start());
    #[rustfmt::skip]
    let rows = [
        (Dialect::Own, "a1 b2 a1", 7, "White has a man on a1; expected an empty point"),
        (Dialect::Own, "a1 b2 a4 d6 a7 c3", 15, "White closes a mill"),
        (Dialect::Own, "a1 b2 a4 d6 a7 xb2", 16, "there is no point \"xb2\""),
        (Dialect::Sanmill, "a1 b2 a4 d6 a7 c3", 16, "White has closed a mill"),
        (Dialect::Sanmill, "a1 b2 a4 d6 a7 xb2 xd6", 20, "Black has closed no mill"),
        (Dialect::PlayOk, "22 19 10 5 1 x10", 14, "White may not remove a4"),
        (Dialect::OpenSpiel, "21, 18", 3, "expected a digit or the end of the word, found ','"),
    ];
    for (dialect, text, character, message) in rows {
        let error = dialect.read_history(&rules, start, text).unwrap_err();
        assert_eq!(error.character, character, "{error}");
        assert_eq!(error.form, Form::History);
        assert!(error.to_string().contains(message), "{error}");
    }
    let illegal = turn("a1a4/b2d6 w x");
    let error = Dialect::Sanmill
        .read_history(&rules, illegal, "xb2")
        .unwrap_err();
    assert!(
        matches!(error.problem, Problem::IllegalPosition(_)),
        "{error}"
    );
    for dialect in Dialect::ALL {
        assert_eq!(
            dialect.read_history(&rules, start, " ").unwrap().end(),
            start
        );
    }
    assert_eq!(read_any_history(&rules, start, "").unwrap().end(), start);
}
