//! The dialects, and what each of them has a form for.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::points::Points;
use super::reader::Reader;
use super::{Form, Inexpressible, NotationError, Problem, bitboards, fen, own};
use crate::board::{Board, Point};
use crate::rules::{Position, RuleSet, Turn};

/// A way to write positions and moves.
///
/// ```
/// use mlynek::notation::Dialect;
///
/// assert_eq!("playok".parse(), Ok(Dialect::PlayOk));
/// assert_eq!(Dialect::Sanmill.to_string(), "sanmill");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// The own short form of positions, and moves as the world federation writes them: `a1`,
    /// `f2-f4`, `f2-f4xd5`. The only one for every board.
    Own,
    /// Sanmill: positions as its FEN, moves as in its UCI: `d6`, `d6-d5`, and then `xb4`.
    Sanmill,
    /// Malom: positions as bitboards, moves with letters: `a4`, `a4-a7`, and then `xa4`.
    Malom,
    /// PlayOK: moves by numbers 1 to 24: `12`, `12-13`, `18x21`, or `18` and then `x21`.
    PlayOk,
    /// OpenSpiel: moves as action numbers, 0 to 23 for a man placed or removed, from 24 on for a
    /// man that moves.
    OpenSpiel,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [
        Self::Own,
        Self::Sanmill,
        Self::Malom,
        Self::PlayOk,
        Self::OpenSpiel,
    ];

    /// The name by which the dialect is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Sanmill => "sanmill",
            Self::Malom => "malom",
            Self::PlayOk => "playok",
            Self::OpenSpiel => "openspiel",
        }
    }

    /// The name as it is written in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Own => "the own form",
            Self::Sanmill => "Sanmill",
            Self::Malom => "Malom",
            Self::PlayOk => "PlayOK",
            Self::OpenSpiel => "OpenSpiel",
        }
    }

    /// Whether the dialect has a form for positions.
    pub const fn has_positions(self) -> bool {
        matches!(self, Self::Own | Self::Sanmill | Self::Malom)
    }

    /// Whether the dialect knows a board: the own form every one, the others that with the 24
    /// points of nine men's morris.
    pub fn knows(self, board: &Board) -> bool {
        Points::of(self, board).is_ok()
    }

    /// The number of a point: its place in the board's table for the own form, Sanmill's node
    /// (0 to 23), Malom's bit (0 to 23), PlayOK's number (1 to 24), OpenSpiel's (0 to 23).
    ///
    /// # Errors
    /// When the dialect does not know the board, or the board not the point.
    ///
    /// ```
    /// use mlynek::board::Board;
    /// use mlynek::notation::Dialect;
    ///
    /// let board = Board::nine();
    /// let point = board.point("a4").unwrap();
    /// assert_eq!(Dialect::Sanmill.number(board, point), Ok(22));
    /// assert_eq!(Dialect::Malom.number(board, point), Ok(0));
    /// assert_eq!(Dialect::PlayOk.number(board, point), Ok(10));
    /// assert_eq!(Dialect::OpenSpiel.number(board, point), Ok(9));
    /// ```
    pub fn number(self, board: &Board, point: Point) -> Result<usize, Inexpressible> {
        Points::of(self, board)?.number(point)
    }

    /// Writes a point: by name, or in PlayOK and OpenSpiel by number.
    ///
    /// # Errors
    /// When the dialect does not know the board, or the board not the point.
    pub fn write_point(self, board: &Board, point: Point) -> Result<String, Inexpressible> {
        let mut text = String::new();
        Points::of(self, board)?.write(point, &mut text)?;
        Ok(text)
    }

    /// Reads a point.
    ///
    /// # Errors
    /// When the text is not a point of the board, or the dialect does not know the board.
    ///
    /// ```
    /// use mlynek::board::Board;
    /// use mlynek::notation::Dialect;
    ///
    /// let board = Board::nine();
    /// assert_eq!(Dialect::PlayOk.read_point(board, "12"), Ok(board.point("c4").unwrap()));
    /// assert_eq!(Dialect::OpenSpiel.read_point(board, "12"), Ok(board.point("e4").unwrap()));
    /// assert_eq!(
    ///     Dialect::PlayOk.read_point(board, "25").unwrap_err().to_string(),
    ///     "PlayOK point \"25\", character 1: expected a point's number, 1 to 24, found \"25\""
    /// );
    /// ```
    pub fn read_point(self, board: &Board, text: &str) -> Result<Point, NotationError> {
        let points = self.points(board, Form::Point, text)?;
        let mut reader = Reader::new(self, Form::Point, board, text);
        let point = points.read(&mut reader, "a point")?;
        reader.end("the end")?;
        Ok(point)
    }

    /// Writes a position between two moves or in the middle of one.
    ///
    /// # Errors
    /// When the dialect has no form for positions or does not know the board, or when the position
    /// cannot be written in it: a man beside the board, and in a FEN two men on one point.
    ///
    /// ```
    /// use mlynek::notation::Dialect;
    /// use mlynek::rules::{RuleSet, Turn};
    ///
    /// let rules = RuleSet::by_name("standard").unwrap();
    /// let start = Turn::Move(rules.start());
    /// let write = |dialect: Dialect| dialect.write_turn(&rules, &start);
    /// assert_eq!(write(Dialect::Own).unwrap(), "-/- w 9 9");
    /// assert_eq!(
    ///     write(Dialect::Sanmill).unwrap(),
    ///     "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    /// );
    /// assert_eq!(
    ///     write(Dialect::Malom).unwrap(),
    ///     "white=0x0 black=0x0 white_hand=9 black_hand=9 side=w removal=0"
    /// );
    /// assert!(write(Dialect::PlayOk).is_err());
    /// ```
    pub fn write_turn(self, rules: &RuleSet, turn: &Turn) -> Result<String, Inexpressible> {
        if !self.has_positions() {
            return Err(Inexpressible::NoPositions(self));
        }
        let points = Points::of(self, rules.board())?;
        let position = turn.position();
        points.check(position.white | position.black)?;
        match self {
            Self::Sanmill => fen::write(&points, rules, turn),
            Self::Malom => Ok(bitboards::Bitboards::of(rules.board(), turn)?.to_string()),
            _ => Ok(own::write_turn(rules.board(), turn)),
        }
    }

    /// Reads a position between two moves or in the middle of one. A FEN must agree with itself,
    /// what is read otherwise may be no position of the game: [`RuleSet::check_turn`] says.
    ///
    /// # Errors
    /// When the text is not of the form, with the character or the field and what was expected
    /// there; when the dialect has no form for positions or does not know the board.
    ///
    /// ```
    /// use mlynek::notation::Dialect;
    /// use mlynek::rules::RuleSet;
    ///
    /// let rules = RuleSet::by_name("standard").unwrap();
    /// let turn = Dialect::Own.read_turn(&rules, "a1a4a7/b2b4 w 6 7 x").unwrap();
    /// assert!(turn.is_removal());
    /// let fen = "********/*****@@*/*****OOO w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    /// assert_eq!(Dialect::Sanmill.read_turn(&rules, fen), Ok(turn));
    /// let bits = "white=0x83 black=0x8100 white_hand=6 black_hand=7 side=w removal=1";
    /// assert_eq!(Dialect::Malom.read_turn(&rules, bits), Ok(turn));
    /// ```
    pub fn read_turn(self, rules: &RuleSet, text: &str) -> Result<Turn, NotationError> {
        if !self.has_positions() {
            let problem = Inexpressible::NoPositions(self).into();
            return Err(NotationError::at(
                Some(self),
                Form::Position,
                text,
                0,
                problem,
            ));
        }
        let points = self.points(rules.board(), Form::Position, text)?;
        match self {
            Self::Sanmill => fen::read(&points, rules, text),
            Self::Malom => bitboards::read(&points, text),
            _ => own::read_turn(rules.board(), text),
        }
    }

    /// Writes a position between two moves.
    ///
    /// # Errors
    /// As [`Dialect::write_turn`].
    pub fn write_position(
        self,
        rules: &RuleSet,
        position: &Position,
    ) -> Result<String, Inexpressible> {
        self.write_turn(rules, &Turn::Move(*position))
    }

    /// Reads a position between two moves.
    ///
    /// # Errors
    /// As [`Dialect::read_turn`], and when a removal is outstanding.
    pub fn read_position(self, rules: &RuleSet, text: &str) -> Result<Position, NotationError> {
        let turn = self.read_turn(rules, text)?;
        between_moves(Some(self), text, turn)
    }

    /// The points of a board, for reading a text.
    fn points<'a>(
        self,
        board: &'a Board,
        form: Form,
        text: &str,
    ) -> Result<Points<'a>, NotationError> {
        Points::of(self, board)
            .map_err(|error| NotationError::at(Some(self), form, text, 0, error.into()))
    }
}

/// The position, if no removal is outstanding.
pub(super) fn between_moves(
    dialect: Option<Dialect>,
    text: &str,
    turn: Turn,
) -> Result<Position, NotationError> {
    match turn {
        Turn::Move(position) => Ok(position),
        Turn::Removal(_) => {
            let problem = Problem::RemovalOutstanding;
            let end = text.len();
            Err(NotationError::at(
                dialect,
                Form::Position,
                text,
                end,
                problem,
            ))
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that does not name a dialect.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no dialect {0:?}; expected one of own, sanmill, malom, playok, openspiel")]
pub struct ParseDialectError(String);

impl FromStr for Dialect {
    type Err = ParseDialectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|dialect| dialect.name() == text)
            .ok_or_else(|| ParseDialectError(super::error::quote(text)))
    }
}
