//! Texts in a dialect that is not named.
//!
//! Every dialect that has such a form reads the text; if they all take it to mean the same, or
//! only one can read it, that is what it means. Otherwise the error lists the readings. The form
//! decides, not what is legal: `12` stays ambiguous between PlayOK and OpenSpiel even when only
//! one of the two points is empty, for otherwise a slip in one dialect would be a move in another.

use super::dialect::between_moves;
use super::error::quote;
use super::reader::words;
use super::words::{self as spoken_words, Said, Spoken};
use super::{Dialect, Form, History, NotationError, Problem, Reading, points::Points};
use crate::rules::{Move, Position, RuleSet, Step, Turn};

/// Reads a position between two moves or in the middle of one, in any dialect that has a form for
/// positions: own, Sanmill's FEN, Malom's bitboards. No text has more than one of these forms.
///
/// # Errors
/// As [`Dialect::read_turn`], for the form the text looks like.
///
/// ```
/// use mlynek::notation::read_any_turn;
/// use mlynek::rules::RuleSet;
///
/// let rules = RuleSet::by_name("standard").unwrap();
/// for text in [
///     "a4/d6 w 8 8",
///     "********/@*******/******O* w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes",
///     "white=1 black=1024 white_hand=8 black_hand=8 side=w",
/// ] {
///     let turn = read_any_turn(&rules, text).unwrap();
///     assert_eq!(turn, read_any_turn(&rules, "a4/d6 w 8 8").unwrap());
/// }
/// ```
pub fn read_any_turn(rules: &RuleSet, text: &str) -> Result<Turn, NotationError> {
    position_dialect(rules, text).read_turn(rules, text)
}

/// Reads a position between two moves in any dialect that has a form for positions.
///
/// # Errors
/// As [`read_any_turn`], and when a removal is outstanding.
pub fn read_any_position(rules: &RuleSet, text: &str) -> Result<Position, NotationError> {
    let dialect = position_dialect(rules, text);
    between_moves(Some(dialect), text, dialect.read_turn(rules, text)?)
}

/// The dialect whose form for positions a text looks like: no other can read it.
fn position_dialect(rules: &RuleSet, text: &str) -> Dialect {
    let look = if text.contains('=') {
        Dialect::Malom
    } else if text.trim_start().starts_with(['O', '@', '*']) {
        Dialect::Sanmill
    } else {
        Dialect::Own
    };
    if look.knows(rules.board()) {
        look
    } else {
        Dialect::Own
    }
}

/// Reads a whole legal move in any dialect.
///
/// # Errors
/// When dialects that can read the text take it to mean different things, with every reading;
/// otherwise as [`Dialect::read_move`].
///
/// ```
/// use mlynek::notation::{read_any_move, read_position, write_move};
/// use mlynek::rules::RuleSet;
///
/// let rules = RuleSet::by_name("standard").unwrap();
/// let start = rules.start();
/// let read = |text| read_any_move(&rules, &start, text);
/// assert_eq!(write_move(rules.board(), read("d6").unwrap()), "d6");
/// assert_eq!(write_move(rules.board(), read("0").unwrap()), "a7"); // OpenSpiel
/// assert_eq!(write_move(rules.board(), read("24").unwrap()), "g1"); // PlayOK
/// assert_eq!(
///     read("12").unwrap_err().to_string(),
///     "move \"12\", character 1: ambiguous; it could be c4 (playok) or e4 (openspiel); \
///      expected the dialect to be named"
/// );
/// ```
pub fn read_any_move(
    rules: &RuleSet,
    position: &Position,
    text: &str,
) -> Result<Move, NotationError> {
    let readings = agreed_readings(rules, &(*position).into(), Form::Move, text)?;
    play_any(readings, |dialect, spoken| {
        dialect.play_move(rules, position, text, spoken)
    })
}

/// Reads steps played one after the other from `start`, all in one dialect, whichever it is.
///
/// # Errors
/// When dialects that can read the text take it to mean different things, with every reading;
/// otherwise as [`Dialect::read_history`].
///
/// ```
/// use mlynek::notation::read_any_history;
/// use mlynek::rules::{RuleSet, Turn};
///
/// let rules = RuleSet::by_name("standard").unwrap();
/// let start = Turn::Move(rules.start());
/// let read = |text| read_any_history(&rules, start, text);
/// let end = read("a1 b2 a4 b4 a7xb2").unwrap().end(); // own
/// assert_eq!(read("a1 b2 a4 b4 a7 xb2").unwrap().end(), end); // Sanmill, Malom
/// assert_eq!(read("22 19 10 11 1x19").unwrap().end(), end); // PlayOK
/// assert_eq!(read("21 18 9 10 0 18").unwrap().end(), end); // OpenSpiel: PlayOK has no 0
/// assert!(read("21 18 9 10").is_err());
/// ```
pub fn read_any_history(
    rules: &RuleSet,
    start: Turn,
    text: &str,
) -> Result<History, NotationError> {
    let readings = agreed_readings(rules, &start, Form::History, text)?;
    play_any(readings, |dialect, spoken| {
        dialect.play(rules, start, Form::History, text, spoken)
    })
}

/// A dialect and the words it reads.
type Heard = (Dialect, Vec<Spoken>);

/// Plays what was read by one of the dialects that agree in what the text means: the first that
/// takes it, for they do not agree in whether a removal may be left out at the end.
fn play_any<T>(
    (first, others): (Heard, Vec<Heard>),
    play: impl Fn(Dialect, &[Spoken]) -> Result<T, NotationError>,
) -> Result<T, NotationError> {
    let played = play(first.0, &first.1);
    if played.is_ok() {
        return played;
    }
    let mut others = others.iter().map(|(dialect, words)| play(*dialect, words));
    others.find(Result::is_ok).unwrap_or(played)
}

/// The words of a text in every dialect that can read it: a first one and the others, all with the
/// same meaning.
fn agreed_readings(
    rules: &RuleSet,
    start: &Turn,
    form: Form,
    text: &str,
) -> Result<(Heard, Vec<Heard>), NotationError> {
    let board = rules.board();
    let mut heard: Vec<Heard> = Vec::new();
    let mut errors = Vec::new();
    for dialect in Dialect::ALL
        .into_iter()
        .filter(|dialect| dialect.knows(board))
    {
        match dialect.read_words(rules, form, text) {
            Ok(spoken) => heard.push((dialect, spoken)),
            Err(error) => errors.push(error),
        }
    }
    if heard.is_empty() {
        // The dialect the text resembles says why. Every board has the own form.
        let resembled = resembled_dialect(text);
        let place = errors
            .iter()
            .position(|error| error.dialect == Some(resembled));
        return Err(errors.swap_remove(place.unwrap_or(0)));
    }
    let meanings: Vec<Vec<Step>> = heard
        .iter()
        .map(|(_, spoken)| meaning(spoken, start))
        .collect();
    if meanings.iter().all(|meaning| *meaning == meanings[0]) {
        let others = heard.split_off(1);
        return Ok((heard.remove(0), others));
    }
    let error = |problem| NotationError::at(None, form, text, 0, problem);
    let own = Points::of(Dialect::Own, board).map_err(|no| error(no.into()))?;
    let mut readings = Vec::new();
    for ((dialect, _), meaning) in heard.iter().zip(&meanings) {
        let meaning = spoken_words::write(&own, meaning).map_err(|no| error(no.into()))?;
        readings.push(Reading {
            dialect: *dialect,
            meaning: quote(&meaning),
        });
    }
    Err(error(Problem::Ambiguous(readings)))
}

/// The steps that words stand for by their form. A point alone counts as a man placed, except for
/// the first where the turn begins with a removal; two readings differ in the point, not in that.
fn meaning(spoken: &[Spoken], start: &Turn) -> Vec<Step> {
    let mut steps = Vec::new();
    for word in spoken {
        match word.said {
            Said::Man { from, to, removal } => {
                steps.push(Step::Man { from, to });
                steps.extend(removal.map(Step::Removal));
            }
            Said::Removal(point) => steps.push(Step::Removal(point)),
            Said::Point(point) if steps.is_empty() && start.is_removal() => {
                steps.push(Step::Removal(point));
            }
            Said::Point(to) => steps.push(Step::Man { from: None, to }),
        }
    }
    steps
}

/// The dialect for the error about a text that none can read: PlayOK for numbers.
fn resembled_dialect(text: &str) -> Dialect {
    let first = words(text).next().map_or("", |word| word.text);
    let first = first.strip_prefix('x').unwrap_or(first);
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        Dialect::PlayOk
    } else {
        Dialect::Own
    }
}
