//! The own form: a short one for positions, and moves as the world federation writes them.

use super::dialect::between_moves;
use super::reader::Reader;
use super::{Dialect, Form, NotationError, Problem};
use crate::board::{Board, PointSet};
use crate::rules::{Colour, Move, Position, Turn};

/// The position as text.
///
/// # Panics
/// When a man stands on a point the board does not have.
///
/// ```
/// use mlynek::board::Board;
/// use mlynek::notation::write_position;
/// use mlynek::rules::RuleSet;
///
/// let rules = RuleSet::by_name("standard").unwrap();
/// assert_eq!(write_position(rules.board(), &rules.start()), "-/- w 9 9");
/// ```
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

/// The position as text, with ` x` behind it where a removal is outstanding.
///
/// # Panics
/// When a man stands on a point the board does not have.
pub fn write_turn(board: &Board, turn: &Turn) -> String {
    let mut text = write_position(board, turn.position());
    if turn.is_removal() {
        text.push_str(" x");
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

/// Reads a position with a whole move to come.
///
/// # Errors
/// When the text is not of the form: says at which character what was expected. When a removal is
/// outstanding; [`read_turn`] reads that too.
pub fn read_position(board: &Board, text: &str) -> Result<Position, NotationError> {
    let turn = read_turn(board, text)?;
    between_moves(Some(Dialect::Own), text, turn)
}

/// Reads a position, perhaps in the middle of a move.
///
/// # Errors
/// When the text is not of the form: says at which character what was expected.
///
/// ```
/// use mlynek::board::Board;
/// use mlynek::notation::{read_position, read_turn, write_turn};
///
/// let board = Board::nine();
/// let text = "a1a4a7/b2d6 w 6 7 x"; // White has just placed the third of these men
/// let turn = read_turn(board, text).unwrap();
/// assert!(turn.is_removal());
/// assert_eq!(write_turn(board, &turn), text);
/// assert!(read_position(board, text).is_err());
/// ```
pub fn read_turn(board: &Board, text: &str) -> Result<Turn, NotationError> {
    let mut reader = Reader::new(Dialect::Own, Form::Position, board, text);
    reader.skip_spaces();
    let white = reader.points(Colour::White)?;
    reader.expect(|c| c == '/', "a point or '/'", "'/'", white)?;
    let black = reader.points(Colour::Black)?;
    reader.expect(char::is_whitespace, "a point or a space", "a space", black)?;
    reader.skip_spaces();
    let side = reader.side()?;
    let mut hands = (0, 0);
    let mut ended = reader.at_end_of_field("a space or the end")?;
    let mut removal = reader.takes_removal();
    if !ended && !removal {
        hands.0 = reader.hand(Colour::White)?;
        if reader.at_end_of_field("a digit or a space")? {
            return Err(reader.unexpected("a space and Black's hand"));
        }
        hands.1 = reader.hand(Colour::Black)?;
        ended = reader.at_end_of_field("a digit or the end")?;
        removal = reader.takes_removal();
        if !ended && !removal {
            return Err(reader.unexpected("the end"));
        }
    }
    let position = Position {
        white,
        black,
        white_hand: hands.0,
        black_hand: hands.1,
        side,
    };
    Ok(if removal {
        Turn::Removal(position)
    } else {
        Turn::Move(position)
    })
}

/// Reads a move by its form; [`Dialect::read_move`] reads one that is legal.
///
/// # Errors
/// When the text is not of the form: says at which character what was expected.
pub fn read_move(board: &Board, text: &str) -> Result<Move, NotationError> {
    let mut reader = Reader::new(Dialect::Own, Form::Move, board, text);
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
    reader.end(match (from, removal) {
        (_, Some(_)) => "the end",
        (Some(_), None) => "'x' or the end",
        (None, None) => "'-', 'x' or the end",
    })?;
    Ok(Move { from, to, removal })
}

impl Reader<'_> {
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
                self.skip(c.len_utf8());
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
        Ok(self.rest().is_empty())
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
            let before = self.clone();
            let point = self.point(expected)?;
            if set.contains(point) {
                let point = self.board.name(point);
                return Err(before.error(Problem::PointTwice { player, point }));
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

    /// Reads the `x` of an outstanding removal, if nothing else is left.
    fn takes_removal(&mut self) -> bool {
        let comes = self.rest().trim_end() == "x";
        if comes {
            self.skip(self.rest().len());
        }
        comes
    }

    /// Reads a number of men in hand.
    fn hand(&mut self, player: Colour) -> Result<u8, NotationError> {
        let before = self.clone();
        let digits = self.digits();
        if digits.is_empty() {
            let negative = self.rest().strip_prefix(['-', '\u{2212}']);
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
        let too_large = |_| before.error(Problem::LargeHand(player));
        digits.parse().map_err(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardTable, Point};
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
