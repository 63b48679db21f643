//! What can be wrong with a text, and what a dialect has no words for.

use std::fmt;

use thiserror::Error;

use super::Dialect;
use crate::rules::{Colour, IllegalPosition, IllegalStep};

/// What a text was to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A position, perhaps in the middle of a move.
    Position,
    /// A move.
    Move,
    /// A sequence of moves.
    History,
    /// A point.
    Point,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Move => "move",
            Self::History => "history",
            Self::Point => "point",
        })
    }
}

/// A text that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{form} {text:?}, character {character}: {problem}", Title(*.dialect))]
pub struct NotationError {
    /// The dialect the text was read in; `None` when it could have been any.
    pub dialect: Option<Dialect>,
    /// What the text was to be.
    pub form: Form,
    /// The text; the beginning of it where it is long.
    pub text: String,
    /// The character at which reading stopped, counted from 1.
    pub character: usize,
    /// What is wrong there.
    pub problem: Problem,
}

impl NotationError {
    /// The error at a byte of a text.
    pub(super) fn at(
        dialect: Option<Dialect>,
        form: Form,
        text: &str,
        byte: usize,
        problem: Problem,
    ) -> Self {
        Self {
            dialect,
            form,
            text: quote(text),
            character: text[..byte].chars().count() + 1,
            problem,
        }
    }
}

/// The dialect as the beginning of a message; nothing for the own form, which goes without saying.
struct Title(Option<Dialect>);

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None | Some(Dialect::Own) => Ok(()),
            Some(dialect) => write!(f, "{} ", dialect.title()),
        }
    }
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
    /// A number that stands for nothing.
    #[error("expected {expected}, found {found:?}")]
    Number {
        /// Which numbers stand for something.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// A field that does not say what it may, or does not agree with another one.
    #[error("{field}: expected {expected}, found {found}")]
    Field {
        /// The field.
        field: &'static str,
        /// What it was to say.
        expected: String,
        /// What it says.
        found: String,
    },
    /// A position in the middle of a move where only one between two moves will do.
    #[error("a removal is outstanding; expected a position with a whole move to come")]
    RemovalOutstanding,
    /// A move that closes a mill and does not say what it removes.
    #[error("{player:?} closes a mill; expected the removal of one of {removable} behind the move")]
    NoRemoval {
        /// The player.
        player: Colour,
        /// The men that may be removed, by point.
        removable: String,
    },
    /// A step the rules forbid.
    #[error("illegal move: {0}")]
    Illegal(#[from] IllegalStep),
    /// The position a move was to be read in is none of the game.
    #[error("the move cannot be read: {0}")]
    IllegalPosition(#[from] IllegalPosition),
    /// Dialects that can read the text and take it to mean different things.
    #[error("ambiguous; it could be {}; expected the dialect to be named", Readings(.0))]
    Ambiguous(Vec<Reading>),
    /// The dialect has no words for it.
    #[error(transparent)]
    Inexpressible(#[from] Inexpressible),
}

/// What a text means in a dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The dialect.
    pub dialect: Dialect,
    /// What the text means, in the own form.
    pub meaning: String,
}

/// Several readings, as an error message lists them.
struct Readings<'a>(&'a [Reading]);

impl fmt::Display for Readings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Reading { dialect, meaning }) in self.0.iter().enumerate() {
            let or = if place == 0 { "" } else { " or " };
            write!(f, "{or}{meaning} ({dialect})")?;
        }
        Ok(())
    }
}

/// Something a dialect has no words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Inexpressible {
    /// The dialect does not know the board.
    #[error(
        "{} exists only for the 24 points a1 to g7 of nine men's morris, not for the board \
         {board:?}; write in the dialect \"own\", which knows every board", .dialect.title()
    )]
    OtherBoard {
        /// The dialect.
        dialect: Dialect,
        /// The name of the board.
        board: &'static str,
    },
    /// The dialect knows moves only.
    #[error(
        "{} has no form for positions; the dialects \"own\", \"sanmill\" and \"malom\" have one",
        .0.title()
    )]
    NoPositions(Dialect),
    /// A point the board does not have.
    #[error("there is no point number {point} on the board; it has {points}, counted from 0")]
    OffBoard {
        /// The number of the point.
        point: usize,
        /// How many points the board has.
        points: usize,
    },
    /// A point with a man of either player.
    #[error("both players have a man on {0}; the dialect has one place for either")]
    Overlap(&'static str),
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

/// The text, or the beginning of it where it is long.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
