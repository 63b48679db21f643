//! Positions and moves as text.
//!
//! A position is `<White's points>/<Black's points> <w|b> [<White's hand> <Black's hand>]`: points
//! written together, `-` for none, hands 0 0 when left out. `-/- w 9 9` is the start of nine men's
//! morris, `a1d1g7/b2b4b6d2 w` a position with both hands empty.
//!
//! A move is `a1` (a man placed) or `f2-f4` (slid or flown), with `xd5` behind it when it removes
//! a man.
//!
//! Reading checks the form only, on any board, and never guesses: what else could be meant is an
//! error that says at which character something else was expected. Whether the position is one of
//! the game, or the move legal, is for [`RuleSet`](crate::rules::RuleSet) to say. What is written
//! is read back as the same value.

use std::fmt;

use thiserror::Error;

use crate::board::{Board, Point, PointSet};
use crate::rules::{Colour, Move, Position};

/// The position as text.
///
/// # Panics
/// When a man stands on a point the board does not have.
pub fn write_position(board: &Board, position: &Position) -> String {
    let mut text = String::with_capacity(48);
    write_points(board, position.white, &mut text);
    text.push('/');
    write_points(board, position.black, &mut text);
    text.push_str(match position.side {
        Colour::White => " w",
        Colour::Black => " b",
    });
    if (position.white_hand, position.black_hand) != (0, 0) {
        text.push_str(&format!(" {} {}", position.white_hand, position.black_hand));
    }
    text
}

/// The points of a set by name, in the order of the names.
fn write_points(board: &Board, set: PointSet, text: &mut String) {
    if set.is_empty() {
        text.push('-');
        return;
    }
    let mut names: Vec<_> = set.iter().map(|point| board.name(point)).collect();
    names.sort_unstable();
    text.extend(names);
}

/// The move as text.
///
/// # Panics
/// When the board does not have one of the move's points.
pub fn write_move(board: &Board, played: Move) -> String {
    let mut text = String::with_capacity(8);
    if let Some(from) = played.from {
        text.push_str(board.name(from));
        text.push('-');
    }
    text.push_str(board.name(played.to));
    if let Some(removal) = played.removal {
        text.push('x');
        text.push_str(board.name(removal));
    }
    text
}

/// Reads a position.
///
/// # Errors
/// When the text is not of the form: says at which character what was expected.
pub fn read_position(board: &Board, text: &str) -> Result<Position, NotationError> {
    let mut reader = Reader::new(Form::Position, board, text);
    reader.skip_spaces();
    let white = reader.points(Colour::White)?;
    reader.expect(|c| c == '/', "a point or '/'", "'/'", white)?;
    let black = reader.points(Colour::Black)?;
    reader.expect(char::is_whitespace, "a point or a space", "a space", black)?;
    reader.skip_spaces();
    let side = reader.side()?;
    let (white_hand, black_hand) = if reader.at_end_of_field("a space or the end")? {
        (0, 0)
    } else {
        let white_hand = reader.hand(Colour::White)?;
        if reader.at_end_of_field("a digit or a space")? {
            return Err(reader.unexpected("a space and Black's hand"));
        }
        let black_hand = reader.hand(Colour::Black)?;
        if !reader.at_end_of_field("a digit or the end")? {
            return Err(reader.unexpected("the end"));
        }
        (white_hand, black_hand)
    };
    Ok(Position {
        white,
        black,
        white_hand,
        black_hand,
        side,
    })
}

/// Reads a move.
///
/// # Errors
/// When the text is not of the form: says at which character what was expected.
pub fn read_move(board: &Board, text: &str) -> Result<Move, NotationError> {
    let mut reader = Reader::new(Form::Move, board, text);
    let mut from = None;
    let mut to = reader.point("a point")?;
    if reader.take('-') {
        from = Some(to);
        to = reader.point("the point the man moves to")?;
    }
    let removal = if reader.take('x') {
        Some(reader.point("the point of the man removed")?)
    } else {
        None
    };
    match reader.peek() {
        None => Ok(Move { from, to, removal }),
        Some(_) if removal.is_some() => Err(reader.unexpected("the end")),
        Some(_) if from.is_some() => Err(reader.unexpected("'x' or the end")),
        Some(_) => Err(reader.unexpected("'-', 'x' or the end")),
    }
}

/// What a text was to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A position.
    Position,
    /// A move.
    Move,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Move => "move",
        })
    }
}

/// A text that is not of the form it should have.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{form} {text:?}, character {character}: {problem}")]
pub struct NotationError {
    /// What the text was to be.
    pub form: Form,
    /// The text; the beginning of it where it is long.
    pub text: String,
    /// The character at which reading stopped, counted from 1.
    pub character: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong at a character of a text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// Something else was to come.
    #[error("expected {expected}, found {}", Found(*.found))]
    Unexpected {
        /// What was to come.
        expected: &'static str,
        /// The character that came, `None` at the end of the text.
        found: Option<char>,
    },
    /// A name no point of the board has.
    #[error("there is no point {name:?} on the board; expected one of {points}")]
    UnknownPoint {
        /// The name.
        name: String,
        /// The names there are.
        points: String,
    },
    /// A point that stands twice among one player's.
    #[error("{player:?}'s man on {point} is written twice; expected every point once")]
    PointTwice {
        /// The player.
        player: Colour,
        /// The point.
        point: &'static str,
    },
    /// A negative number of men in hand.
    #[error("{0:?}'s hand is negative; expected the number of men in hand, 0 or more")]
    NegativeHand(Colour),
    /// A number of men in hand that no board has room for.
    #[error("{0:?}'s hand is too large; expected a number of men up to 255")]
    LargeHand(Colour),
}

/// A character or the end, as an error message names it.
struct Found(Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(c) => write!(f, "{c:?}"),
            None => f.write_str("the end"),
        }
    }
}

/// How much of a text an error repeats, in characters.
const LONGEST_QUOTE: usize = 100;

/// A text and how far it has been read.
struct Reader<'a> {
    form: Form,
    board: &'a Board,
    text: &'a str,
    /// What has not been read yet.
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(form: Form, board: &'a Board, text: &'a str) -> Self {
        Self {
            form,
            board,
            text,
            rest: text,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Reads `wanted` if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn error(&self, problem: Problem) -> NotationError {
        let read = &self.text[..self.text.len() - self.rest.len()];
        let mut text: String = self.text.chars().take(LONGEST_QUOTE).collect();
        if text.len() < self.text.len() {
            text.push('…');
        }
        NotationError {
            form: self.form,
            text,
            character: read.chars().count() + 1,
            problem,
        }
    }

    fn unexpected(&self, expected: &'static str) -> NotationError {
        let found = self.peek();
        self.error(Problem::Unexpected { expected, found })
    }

    /// Reads the end of a list of points.
    fn expect(
        &mut self,
        end: impl Fn(char) -> bool,
        after_points: &'static str,
        after_none: &'static str,
        points: PointSet,
    ) -> Result<(), NotationError> {
        match self.peek() {
            Some(c) if end(c) => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(())
            }
            _ if points.is_empty() => Err(self.unexpected(after_none)),
            _ => Err(self.unexpected(after_points)),
        }
    }

    /// After a field: skips spaces, and says whether the text has ended.
    fn at_end_of_field(&mut self, expected: &'static str) -> Result<bool, NotationError> {
        if self.peek().is_some_and(|c| !c.is_whitespace()) {
            return Err(self.unexpected(expected));
        }
        self.skip_spaces();
        Ok(self.rest.is_empty())
    }

    /// The point whose name comes next, if there is one; the longest name where one is the
    /// beginning of another.
    fn point_here(&self) -> Option<(Point, &'static str)> {
        let points = self.board.points().iter();
        points
            .map(|point| (point, self.board.name(point)))
            .filter(|(_, name)| self.rest.starts_with(name))
            .max_by_key(|(_, name)| name.len())
    }

    /// Reads one point.
    fn point(&mut self, expected: &'static str) -> Result<Point, NotationError> {
        if let Some((point, name)) = self.point_here() {
            self.rest = &self.rest[name.len()..];
            return Ok(point);
        }
        // What looks like a name is reported as a whole: letters, then digits.
        let after_letters = self.rest.trim_start_matches(char::is_alphabetic);
        let after = after_letters.trim_start_matches(|c: char| c.is_ascii_digit());
        let name = &self.rest[..self.rest.len() - after.len()];
        if name.is_empty() {
            return Err(self.unexpected(expected));
        }
        let points = self.board.points().iter();
        let mut names: Vec<_> = points.map(|point| self.board.name(point)).collect();
        names.sort_unstable();
        Err(self.error(Problem::UnknownPoint {
            name: name.chars().take(LONGEST_QUOTE).collect(),
            points: names.join(" "),
        }))
    }

    /// Reads a list of points written together, or `-`.
    fn points(&mut self, player: Colour) -> Result<PointSet, NotationError> {
        let mut set = PointSet::EMPTY;
        if self.take('-') {
            return Ok(set);
        }
        let expected = match player {
            Colour::White => "White's points, or '-' for none",
            Colour::Black => "Black's points, or '-' for none",
        };
        while set.is_empty() || self.peek().is_some_and(char::is_alphanumeric) {
            let before = self.rest;
            let point = self.point(expected)?;
            if set.contains(point) {
                self.rest = before;
                let point = self.board.name(point);
                return Err(self.error(Problem::PointTwice { player, point }));
            }
            set = set.with(point);
        }
        Ok(set)
    }

    /// Reads whose turn it is.
    fn side(&mut self) -> Result<Colour, NotationError> {
        if self.take('w') {
            Ok(Colour::White)
        } else if self.take('b') {
            Ok(Colour::Black)
        } else {
            Err(self.unexpected("'w' or 'b', whose turn it is"))
        }
    }

    /// Reads a number of men in hand.
    fn hand(&mut self, player: Colour) -> Result<u8, NotationError> {
        let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &self.rest[..self.rest.len() - after.len()];
        if digits.is_empty() {
            let negative = self.rest.strip_prefix(['-', '\u{2212}']);
            return Err(match negative {
                Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                    self.error(Problem::NegativeHand(player))
                }
                _ => self.unexpected(match player {
                    Colour::White => "White's hand, a number",
                    Colour::Black => "Black's hand, a number",
                }),
            });
        }
        let Ok(men) = digits.parse() else {
            return Err(self.error(Problem::LargeHand(player)));
        };
        self.rest = after;
        Ok(men)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardTable;
    use proptest::prelude::*;

    fn board() -> &'static Board {
        Board::nine()
    }

    /// A board with names of other lengths, one the beginning of another.
    const ODD: BoardTable = BoardTable {
        name: "odd",
        points: &["a1", "a10", "b", "ß2"],
        mills: &[&["a1", "a10", "b"]],
        links: &[["b", "ß2"]],
    };

    #[test]
    fn positions_are_written_as_the_conventions_say() {
        for text in [
            "-/- w 9 9",
            "a4d6g7/b4f6 b 6 7",
            "a1d1g7/b2b4b6d2 w",
            "-/a1 b 0 8",
            "a1/a1 w 255 0",
        ] {
            let position = read_position(board(), text).unwrap();
            assert_eq!(write_position(board(), &position), text);
        }
    }

    #[test]
    fn order_of_points_and_spaces_do_not_matter() {
        for (text, written) in [
            ("g7a1d1/d2b6b4b2 w 0 0", "a1d1g7/b2b4b6d2 w"),
            (" -/-   w\t9  9 \n", "-/- w 9 9"),
            ("a1/b2 b 00 007", "a1/b2 b 0 7"),
        ] {
            let position = read_position(board(), text).unwrap();
            assert_eq!(write_position(board(), &position), written);
        }
    }

    #[test]
    fn moves_are_written_as_the_conventions_say() {
        for text in ["a1", "f2-f4", "f2-f4xd5", "a7xb6"] {
            let played = read_move(board(), text).unwrap();
            assert_eq!(write_move(board(), played), text);
        }
    }

    #[test]
    fn names_of_any_length_are_read() {
        let board = Board::new(&ODD);
        let position = read_position(&board, "a10ß2/a1b w").unwrap();
        assert_eq!(
            (position.white.bits(), position.black.bits()),
            (0b1010, 0b0101)
        );
        assert_eq!(write_position(&board, &position), "a10ß2/a1b w");
        let played = read_move(&board, "b-ß2xa10").unwrap();
        assert_eq!(write_move(&board, played), "b-ß2xa10");
        let error = read_position(&board, "ß2ß3/- w").unwrap_err();
        assert_eq!(error.character, 3);
    }

    /// Every error: the text, the character, a part of the message.
    #[test]
    fn errors_name_the_character_and_what_was_expected() {
        for (text, character, message) in [
            (
                "",
                1,
                "expected White's points, or '-' for none, found the end",
            ),
            (
                "/a1 w",
                1,
                "expected White's points, or '-' for none, found '/'",
            ),
            ("a1", 3, "expected a point or '/', found the end"),
            ("-", 2, "expected '/', found the end"),
            ("-a1/b2 w", 2, "expected '/', found 'a'"),
            ("a1-/b2 w", 3, "expected a point or '/', found '-'"),
            ("a1 /b2 w", 3, "expected a point or '/', found ' '"),
            (
                "a1/",
                4,
                "expected Black's points, or '-' for none, found the end",
            ),
            ("a1/b2", 6, "expected a point or a space, found the end"),
            ("a1/-", 5, "expected a space, found the end"),
            ("a1/b2/c3 w", 6, "expected a point or a space, found '/'"),
            (
                "a1/b2 ",
                7,
                "expected 'w' or 'b', whose turn it is, found the end",
            ),
            (
                "a1/b2 W",
                7,
                "expected 'w' or 'b', whose turn it is, found 'W'",
            ),
            ("a1/b2 white", 8, "expected a space or the end, found 'h'"),
            (
                "a1/b2 w 3",
                10,
                "expected a space and Black's hand, found the end",
            ),
            (
                "a1/b2 w x 3",
                9,
                "expected White's hand, a number, found 'x'",
            ),
            (
                "a1/b2 w 3 y",
                11,
                "expected Black's hand, a number, found 'y'",
            ),
            (
                "a1/b2 w 3.5 2",
                10,
                "expected a digit or a space, found '.'",
            ),
            ("a1/b2 w 3 2x", 12, "expected a digit or the end, found 'x'"),
            ("a1/b2 w 3 2 1", 13, "expected the end, found '1'"),
            ("a1/b2 w -1 2", 9, "White's hand is negative"),
            ("a1/b2 w 2 \u{2212}1", 11, "Black's hand is negative"),
            (
                "a1/b2 w - 2",
                9,
                "expected White's hand, a number, found '-'",
            ),
            ("a1/b2 w 256 2", 9, "White's hand is too large"),
            (
                "a1/b2 w 2 99999999999999999999",
                11,
                "Black's hand is too large",
            ),
            (
                "a1a9/b2 w",
                3,
                "there is no point \"a9\" on the board; expected one of a1 a4 a7 b2",
            ),
            ("a1/z w", 4, "there is no point \"z\" on the board"),
            ("A1/b2 w", 1, "there is no point \"A1\" on the board"),
            ("a1/b2w", 6, "there is no point \"w\" on the board"),
            ("a1b2a1/- w", 5, "White's man on a1 is written twice"),
            ("a1/b2b2 w", 6, "Black's man on b2 is written twice"),
            (
                "♟/- w",
                1,
                "expected White's points, or '-' for none, found '♟'",
            ),
        ] {
            let error = read_position(board(), text).unwrap_err();
            assert_eq!(error.character, character, "{text:?}: {error}");
            let whole = error.to_string();
            assert!(whole.contains(message), "{text:?}: {whole}");
            assert!(whole.starts_with(&format!("position {text:?}, character ")));
        }
        for (text, character, message) in [
            ("", 1, "expected a point, found the end"),
            ("-a1", 1, "expected a point, found '-'"),
            ("xa1", 1, "there is no point \"xa1\""),
            (
                "a1-",
                4,
                "expected the point the man moves to, found the end",
            ),
            (
                "a1x",
                4,
                "expected the point of the man removed, found the end",
            ),
            ("a1 ", 3, "expected '-', 'x' or the end, found ' '"),
            ("a1-a4-a7", 6, "expected 'x' or the end, found '-'"),
            ("a1-a4xb2xb4", 9, "expected the end, found 'x'"),
            ("a1-a5", 4, "there is no point \"a5\""),
        ] {
            let error = read_move(board(), text).unwrap_err();
            assert_eq!(error.character, character, "{text:?}: {error}");
            let whole = error.to_string();
            assert!(whole.contains(message), "{text:?}: {whole}");
        }
    }

    #[test]
    fn a_long_text_is_not_repeated_whole() {
        let text = "a".repeat(1_000_000);
        let message = read_position(board(), &text).unwrap_err().to_string();
        assert!(message.len() < 1000, "{}", message.len());
    }

    fn any_point() -> impl Strategy<Value = Point> {
        (0..board().len()).prop_map(Point::new)
    }

    prop_compose! {
        fn any_position()(
            white in 0u32..1 << 24,
            black in 0u32..1 << 24,
            white_hand: u8,
            black_hand: u8,
            begins: bool,
        ) -> Position {
            Position {
                white: PointSet::from_bits(white),
                black: PointSet::from_bits(black),
                white_hand,
                black_hand,
                side: if begins { Colour::White } else { Colour::Black },
            }
        }
    }

    proptest! {
        #[test]
        fn a_position_written_is_read_back(position in any_position()) {
            let text = write_position(board(), &position);
            prop_assert_eq!(read_position(board(), &text), Ok(position));
        }

        #[test]
        fn a_move_written_is_read_back(
            from in proptest::option::of(any_point()),
            to in any_point(),
            removal in proptest::option::of(any_point()),
        ) {
            let played = Move { from, to, removal };
            prop_assert_eq!(read_move(board(), &write_move(board(), played)), Ok(played));
        }

        #[test]
        fn no_text_makes_reading_panic(text in any::<String>()) {
            let _ = read_position(board(), &text);
            let _ = read_move(board(), &text);
        }

        /// Nearly right texts: whatever is accepted is written in a form that means the same, and
        /// an error points into the text.
        #[test]
        fn nearly_right_texts_are_read_or_refused(text in "[a-g1-7/ wbx-]{0,24}( -?[0-9]{1,4}){0,3}") {
            match read_position(board(), &text) {
                Ok(position) => {
                    let written = write_position(board(), &position);
                    prop_assert_eq!(read_position(board(), &written), Ok(position));
                }
                Err(error) => prop_assert!(error.character <= text.chars().count() + 1),
            }
            match read_move(board(), &text) {
                Ok(played) => prop_assert_eq!(write_move(board(), played), text),
                Err(error) => prop_assert!(error.character <= text.chars().count() + 1),
            }
        }

        #[test]
        fn a_changed_character_is_read_or_refused(
            position in any_position(),
            place: prop::sample::Index,
            replacement: char,
        ) {
            let mut text: Vec<char> = write_position(board(), &position).chars().collect();
            let place = place.index(text.len());
            text[place] = replacement;
            let text: String = text.into_iter().collect();
            if let Ok(position) = read_position(board(), &text) {
                let written = write_position(board(), &position);
                prop_assert_eq!(read_position(board(), &written), Ok(position));
            }
        }
    }
}
