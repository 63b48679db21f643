//! Positions as bitboards in Malom's bit order: the form of an interface in C, and as text a list
//! of fields `name=value`.
//!
//! | field | value | left out |
//! |---|---|---|
//! | `white`, `black` | the player's men, bit `k` for the point with Malom's number `k` | not allowed |
//! | `white_hand`, `black_hand` | men in hand, 0 to 255 | 0 |
//! | `side` | whose turn it is, `w` or `b` | not allowed |
//! | `removal` | 1 when the side to move has closed a mill and still has to remove a man, 0 otherwise | 0 |
//!
//! Fields stand in any order, each once, with spaces between them. Numbers are decimal, or
//! hexadecimal behind `0x`. What is written has every field, in the order of the table.

use std::fmt;

use super::error::quote;
use super::points::Points;
use super::reader::words;
use super::{Dialect, Form, Inexpressible, NotationError, Problem};
use crate::board::{Board, PointSet};
use crate::rules::{Colour, Position, Turn};

/// The fields of the text.
const FIELDS: [&str; 6] = [
    "white",
    "black",
    "white_hand",
    "black_hand",
    "side",
    "removal",
];

/// The bits that stand for points.
const ALL_POINTS: u32 = (1 << 24) - 1;

/// A position, perhaps in the middle of a move, in numbers. Its text is `white=0x83 black=0x100
/// white_hand=6 black_hand=8 side=w removal=1`.
///
/// ```
/// use mlynek::board::Board;
/// use mlynek::notation::{Bitboards, read_turn};
///
/// let board = Board::nine();
/// let turn = read_turn(board, "a1a4a7/b4 w 6 8 x").unwrap();
/// let numbers = Bitboards::of(board, &turn).unwrap();
/// assert_eq!((numbers.white, numbers.black, numbers.removal), (0x83, 0x100, true));
/// assert_eq!(numbers.turn(board), Ok(turn));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bitboards {
    /// White's men: bit `k` for the point with Malom's number `k`.
    pub white: u32,
    /// Black's men, likewise.
    pub black: u32,
    /// How many men White has in hand.
    pub white_hand: u8,
    /// How many men Black has in hand.
    pub black_hand: u8,
    /// Whose turn it is.
    pub side: Colour,
    /// Whether the side to move has closed a mill and still has to remove a man.
    pub removal: bool,
}

impl Bitboards {
    /// The numbers of a turn.
    ///
    /// # Errors
    /// When the board has other points than nine men's morris, or a man stands beside it.
    pub fn of(board: &Board, turn: &Turn) -> Result<Self, Inexpressible> {
        let points = Points::of(Dialect::Malom, board)?;
        let position = turn.position();
        points.check(position.white | position.black)?;
        let bits = |men: PointSet| {
            let numbered = points.order().iter().enumerate();
            numbered
                .filter(|(_, point)| men.contains(**point))
                .fold(0, |bits, (number, _)| bits | 1 << number)
        };
        Ok(Self {
            white: bits(position.white),
            black: bits(position.black),
            white_hand: position.white_hand,
            black_hand: position.black_hand,
            side: position.side,
            removal: turn.is_removal(),
        })
    }

    /// The turn the numbers stand for. It may be none of the game:
    /// [`RuleSet::check_turn`](crate::rules::RuleSet::check_turn) says.
    ///
    /// # Errors
    /// When a bit stands for no point, when both players have a man on a point, and when the board
    /// has other points than nine men's morris. The error shows the numbers as text.
    pub fn turn(&self, board: &Board) -> Result<Turn, NotationError> {
        let text = self.to_string();
        let points = Points::of(Dialect::Malom, board)
            .map_err(|error| error_at(&text, 0, Problem::from(error)))?;
        self.turn_on(&points, &text)
    }

    /// The turn; `text` is what the numbers were read from.
    fn turn_on(&self, points: &Points<'_>, text: &str) -> Result<Turn, NotationError> {
        let set = |bits: u32| -> PointSet {
            let numbered = points.order().iter().enumerate();
            let there = numbered.filter(|(number, _)| bits >> number & 1 != 0);
            there.map(|(_, &point)| point).collect()
        };
        for (field, bits) in [("white", self.white), ("black", self.black)] {
            if bits & !ALL_POINTS != 0 {
                let expected = "a number below 0x1000000, one bit for each of 24 points";
                let found = format!("{bits:#x}");
                return Err(wrong_field(text, field, expected, found));
            }
        }
        if self.white & self.black != 0 {
            let both = set(self.white & self.black);
            let names: Vec<_> = both.iter().map(|point| points.board.name(point)).collect();
            let expected = "no point on which White has a man";
            return Err(wrong_field(text, "black", expected, names.join(" ")));
        }
        let position = Position {
            white: set(self.white),
            black: set(self.black),
            white_hand: self.white_hand,
            black_hand: self.black_hand,
            side: self.side,
        };
        Ok(if self.removal {
            Turn::Removal(position)
        } else {
            Turn::Move(position)
        })
    }
}

impl fmt::Display for Bitboards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Colour::White => 'w',
            Colour::Black => 'b',
        };
        write!(
            f,
            "white={:#x} black={:#x} white_hand={} black_hand={} side={side} removal={}",
            self.white,
            self.black,
            self.white_hand,
            self.black_hand,
            u8::from(self.removal)
        )
    }
}

fn error_at(text: &str, byte: usize, problem: Problem) -> NotationError {
    NotationError::at(Some(Dialect::Malom), Form::Position, text, byte, problem)
}

/// A field that says something wrong; the error points at where it stands.
fn wrong_field(
    text: &str,
    field: &'static str,
    expected: &str,
    found: impl Into<String>,
) -> NotationError {
    let mut all = words(text);
    let word = all.find(|word| word.text.split('=').next() == Some(field));
    let problem = Problem::Field {
        field,
        expected: expected.to_owned(),
        found: found.into(),
    };
    error_at(text, word.map_or(text.len(), |word| word.start), problem)
}

/// Reads a position from its fields.
pub(super) fn read(points: &Points<'_>, text: &str) -> Result<Turn, NotationError> {
    let mut values: [Option<&str>; FIELDS.len()] = [None; FIELDS.len()];
    for word in words(text) {
        let field_error = |field, expected: &str, found: String| {
            let expected = expected.to_owned();
            let problem = Problem::Field {
                field,
                expected,
                found,
            };
            Err(error_at(text, word.start, problem))
        };
        let found = || format!("{:?}", quote(word.text));
        let Some((name, value)) = word.text.split_once('=') else {
            return field_error("field", "name=value", found());
        };
        let Some(place) = FIELDS.iter().position(|&field| field == name) else {
            return field_error(
                "field",
                "one of white, black, white_hand, black_hand, side, removal",
                format!("{:?}", quote(name)),
            );
        };
        if values[place].replace(value).is_some() {
            return field_error(FIELDS[place], "the field once", found());
        }
    }
    let value = |field: &'static str, otherwise: Option<&'static str>| {
        let place = FIELDS.iter().position(|&other| other == field);
        let value = place.and_then(|place| values[place]).or(otherwise);
        value.ok_or_else(|| wrong_field(text, field, "a value", "nothing"))
    };
    let number = |field: &'static str, otherwise, most: u32, expected: &str| {
        let value: &str = value(field, otherwise)?;
        let number = match value.strip_prefix("0x") {
            Some(digits) => whole_number(digits, 16),
            None => whole_number(value, 10),
        };
        number
            .filter(|&number| number <= most)
            .ok_or_else(|| wrong_field(text, field, expected, format!("{:?}", quote(value))))
    };
    let men = |field| number(field, None, u32::MAX, "a number, decimal or 0x hexadecimal");
    let hand = |field| {
        let most = u32::from(u8::MAX);
        let number = number(field, Some("0"), most, "a number of men from 0 to 255")?;
        Ok(number as u8)
    };
    let numbers = Bitboards {
        white: men("white")?,
        black: men("black")?,
        white_hand: hand("white_hand")?,
        black_hand: hand("black_hand")?,
        side: match value("side", None)? {
            "w" => Colour::White,
            "b" => Colour::Black,
            other => {
                let found = format!("{:?}", quote(other));
                return Err(wrong_field(text, "side", "w or b, whose turn it is", found));
            }
        },
        removal: match value("removal", Some("0"))? {
            "0" => false,
            "1" => true,
            other => {
                let found = format!("{:?}", quote(other));
                let expected = "1 when a removal is outstanding, otherwise 0";
                return Err(wrong_field(text, "removal", expected, found));
            }
        },
    };
    numbers.turn_on(points, text)
}

/// A number of digits only.
fn whole_number(digits: &str, radix: u32) -> Option<u32> {
    let all_digits = digits.chars().all(|c| c.is_digit(radix));
    u32::from_str_radix(digits, radix)
        .ok()
        .filter(|_| all_digits)
}
