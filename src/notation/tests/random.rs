//! Random games and random texts.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// Steps at random from the start: the game and its turns, the first included.
fn play_out(rules: &RuleSet, choices: &[Index]) -> History {
    let start = Turn::Move(rules.start());
    let mut history = History {
        start,
        steps: Vec::new(),
    };
    for choice in choices {
        let steps = rules.steps(&history.end());
        if steps.is_empty() {
            break;
        }
        // Removals come about seldom: take a mill when there is one, every other time.
        let mills: Vec<_> = steps.iter().filter(|(_, turn)| turn.is_removal()).collect();
        let step = if mills.is_empty() || choice.index(2) == 0 {
            *choice.get(&steps)
        } else {
            **choice.get(&mills)
        };
        history.steps.push(step);
    }
    history
}

fn any_rules() -> impl Strategy<Value = RuleSet> {
    let all: Vec<RuleSet> = ["standard", "no-flying"]
        .iter()
        .flat_map(|name| {
            let rules = RuleSet::by_name(name).unwrap();
            [rules.with_men(4).unwrap(), rules]
        })
        .collect();
    prop::sample::select(all)
}

prop_compose! {
    fn any_game()(
        rules in any_rules(),
        choices in prop::collection::vec(any::<Index>(), 0..120),
    ) -> (RuleSet, History) {
        let history = play_out(&rules, &choices);
        (rules, history)
    }
}

proptest! {
    #[test]
    fn turns_of_a_game_are_read_as_they_are_written((rules, history) in any_game()) {
        let turns = history.steps.iter().map(|(_, turn)| turn);
        for turn in std::iter::once(&history.start).chain(turns) {
            prop_assert_eq!(rules.check_turn(turn), Ok(()));
            for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.has_positions()) {
                let text = dialect.write_turn(&rules, turn).unwrap();
                prop_assert_eq!(dialect.read_turn(&rules, &text), Ok(*turn), "{}", text);
                prop_assert_eq!(read_any_turn(&rules, &text), Ok(*turn));
            }
            let numbers = Bitboards::of(rules.board(), turn).unwrap();
            prop_assert_eq!(numbers.turn(rules.board()), Ok(*turn));
        }
    }

    #[test]
    fn games_are_read_as_they_are_written((rules, history) in any_game()) {
        for dialect in Dialect::ALL {
            let steps = || history.steps.iter().map(|(step, _)| *step);
            let text = dialect.write_steps(rules.board(), steps()).unwrap();
            let read = dialect.read_history(&rules, history.start, &text);
            if dialect == Dialect::Own && history.end().is_removal() {
                let whole = matches!(read.map_err(|e| e.problem), Err(Problem::NoRemoval { .. }));
                prop_assert!(whole);
                continue;
            }
            prop_assert_eq!(read.as_ref(), Ok(&history));
            match read_any_history(&rules, history.start, &text) {
                Ok(any) => prop_assert_eq!(&any, &history),
                Err(error) => {
                    let ambiguous = matches!(error.problem, Problem::Ambiguous(_));
                    prop_assert!(ambiguous, "{}", error);
                    prop_assert!(matches!(dialect, Dialect::PlayOk | Dialect::OpenSpiel));
                }
            }
        }
        // The same moves, told move by move.
        let mut position = rules.start();
        for played in history.moves() {
            let successors = rules.successors(&position);
            for dialect in Dialect::ALL {
                let text = dialect.write_move(rules.board(), played).unwrap();
                prop_assert_eq!(dialect.read_move(&rules, &position, &text), Ok(played));
            }
            position = successors.iter().find(|(other, _)| *other == played).unwrap().1;
        }
        if let Turn::Move(end) = history.end() {
            prop_assert_eq!(end, position);
        }
    }

    /// Every move of a position, taken apart into its steps, is one of the legal ways through
    /// them, and there are no others.
    #[test]
    fn steps_are_the_moves_taken_apart((rules, history) in any_game()) {
        let Turn::Move(position) = history.end() else {
            return Ok(());
        };
        let mut moves = Vec::new();
        for (step, turn) in rules.steps(&position.into()) {
            let Step::Man { from, to } = step else {
                return Err(TestCaseError::fail("a removal without a mill"));
            };
            match turn {
                Turn::Move(next) => moves.push((Move { from, to, removal: None }, next)),
                Turn::Removal(middle) => {
                    for (point, next) in rules.removals(&middle) {
                        let removal = Some(point);
                        moves.push((Move { from, to, removal }, next));
                    }
                }
            }
        }
        prop_assert_eq!(&moves, &rules.successors(&position));
        for (played, _) in &moves {
            for dialect in Dialect::ALL {
                let text = dialect.write_move(rules.board(), *played).unwrap();
                prop_assert_eq!(dialect.read_move(&rules, &position, &text), Ok(*played));
            }
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>()) {
        read_everything(&standard(), &turn("a1a4/b2d6 w 7 7"), &text);
    }

    /// Texts of the characters of the dialects.
    #[test]
    fn nearly_right_texts_are_read_or_refused(
        text in "([a-g][1-7]|[0-9]{1,3}|[-x/ =*O@wbpmsr?:]|white|black|side|0x|ids:nodes){0,30}",
    ) {
        for from in ["-/- w 9 9", "a1a4/b2d6 w 7 7", "a1d1g7g4/b2b4b6d2 b", "a1a4a7/b2d6f4 w x"] {
            read_everything(&standard(), &turn(from), &text);
        }
    }

    /// A right text with some characters changed, left out or put in: what is accepted is written
    /// and read back as the same value.
    #[test]
    fn changed_texts_are_read_or_refused(
        (rules, history) in any_game(),
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
        changes in prop::collection::vec(
            (any::<Index>(), prop::option::of("[a-g1-7xwb/*O@ =0-9-]|\\PC"), any::<bool>()),
            1..4,
        ),
    ) {
        let steps = history.steps.iter().map(|(step, _)| *step);
        let mut texts = vec![dialect.write_steps(rules.board(), steps).unwrap()];
        texts.extend(dialect.write_turn(&rules, &history.end()));
        for text in texts {
            let mut text: Vec<char> = text.chars().collect();
            for (place, new, instead) in &changes {
                let place = place.index(text.len() + 1);
                if *instead && place < text.len() {
                    text.remove(place);
                }
                if let Some(new) = new {
                    text.splice(place..place, new.chars());
                }
            }
            let text: String = text.into_iter().collect();
            read_everything(&rules, &history.start, &text);
        }
    }

    #[test]
    fn no_bitboards_make_reading_panic(
        white: u32,
        black: u32,
        white_hand: u8,
        black_hand: u8,
        begins: bool,
        removal: bool,
        small: bool,
    ) {
        let cut = |bits: u32| if small { bits & 0xff_ffff } else { bits };
        let side = if begins { Colour::White } else { Colour::Black };
        let (white, black) = (cut(white), cut(black & !white));
        let numbers = Bitboards { white, black, white_hand, black_hand, side, removal };
        match numbers.turn(board()) {
            Ok(turn) => {
                prop_assert_eq!(Bitboards::of(board(), &turn), Ok(numbers));
                let read = Dialect::Malom.read_turn(&standard(), &numbers.to_string());
                prop_assert_eq!(read, Ok(turn));
                for dialect in Dialect::ALL {
                    let _ = dialect.read_history(&standard(), turn, "a1 b2");
                    let _ = dialect.read_history(&standard(), turn, "x1 2");
                    // A turn that is none of the game can be written all the same.
                    let written = dialect.write_turn(&standard(), &turn);
                    prop_assert_eq!(written.is_ok(), dialect.has_positions());
                }
            }
            Err(error) => prop_assert!(!small || white & black != 0, "{}", error),
        }
    }
}

/// Reads a text in every way: whatever is accepted is written and read back as the same, and an
/// error points into the text and does not repeat all of a long one.
fn read_everything(rules: &RuleSet, start: &Turn, text: &str) {
    let board = rules.board();
    let refused = |error: NotationError| {
        assert!(error.character <= text.chars().count() + 1, "{error}");
        assert!(error.to_string().len() < 3000, "{error}");
    };
    for dialect in Dialect::ALL {
        match dialect.read_point(board, text) {
            Ok(point) => assert_eq!(dialect.write_point(board, point).as_deref(), Ok(text)),
            Err(error) => refused(error),
        }
        match dialect.read_turn(rules, text) {
            Ok(turn) => {
                let written = dialect.write_turn(rules, &turn).unwrap();
                assert_eq!(dialect.read_turn(rules, &written), Ok(turn));
                assert_eq!(read_any_turn(rules, text), Ok(turn), "only one form fits");
            }
            Err(error) => refused(error),
        }
        match dialect.read_move(rules, start.position(), text) {
            Ok(played) => {
                let written = dialect.write_move(board, played).unwrap();
                let read = dialect.read_move(rules, start.position(), &written);
                assert_eq!(read, Ok(played));
            }
            Err(error) => refused(error),
        }
        match dialect.read_history(rules, *start, text) {
            Ok(history) => {
                let steps = history.steps.iter().map(|(step, _)| *step);
                let written = dialect.write_steps(board, steps).unwrap();
                let read = dialect.read_history(rules, *start, &written);
                assert_eq!(read, Ok(history));
            }
            Err(error) => refused(error),
        }
    }
    let _ = read_any_turn(rules, text).map_err(refused);
    let _ = read_any_position(rules, text).map_err(refused);
    if let Ok(played) = read_any_move(rules, start.position(), text).map_err(refused) {
        let mut all = Dialect::ALL.into_iter();
        assert!(all.any(|d| d.read_move(rules, start.position(), text) == Ok(played)));
    }
    if let Ok(history) = read_any_history(rules, *start, text).map_err(refused) {
        let mut all = Dialect::ALL.into_iter();
        assert!(all.any(|d| d.read_history(rules, *start, text).as_ref() == Ok(&history)));
    }
}

#[test]
fn a_long_text_is_not_repeated_whole() {
    let rules = standard();
    for text in [
        "a1 ".repeat(300_000),
        "O".repeat(1_000_000),
        "white=".repeat(200_000),
        "1".repeat(1_000_000),
        "1 2 ".repeat(200_000),
    ] {
        read_everything(&rules, &Turn::Move(rules.start()), &text);
    }
}
