//! Moves, one or many, read by playing them: only the turn tells a man placed from a man removed,
//! and whether a removal is still to come.

use super::points::Points;
use super::words::{self, Said, Spoken};
use super::{Dialect, Form, Inexpressible, NotationError, Problem};
use crate::board::Board;
use crate::rules::{IllegalStep, Move, Position, RuleSet, Step, Turn};

/// Steps played one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    /// The turn in which they began.
    pub start: Turn,
    /// Every step, and the turn after it.
    pub steps: Vec<(Step, Turn)>,
}

impl History {
    /// The turn after the last step; it may be in the middle of a move.
    pub fn end(&self) -> Turn {
        self.steps.last().map_or(self.start, |(_, turn)| *turn)
    }

    /// The whole moves: all steps but a removal that finishes the move the history began in, and
    /// a man at the end whose removal is outstanding.
    pub fn moves(&self) -> Vec<Move> {
        let mut all = Vec::new();
        for (place, &(step, after)) in self.steps.iter().enumerate() {
            let man = match step {
                Step::Man { .. } if after.is_removal() => continue,
                Step::Man { .. } => Some((step, None)),
                Step::Removal(point) => place
                    .checked_sub(1)
                    .map(|before| (self.steps[before].0, Some(point))),
            };
            if let Some((Step::Man { from, to }, removal)) = man {
                all.push(Move { from, to, removal });
            }
        }
        all
    }
}

impl Dialect {
    /// Writes a move in one word, or in two where the removal is one of its own.
    ///
    /// # Errors
    /// When the dialect does not know the board, or the board not the move's points.
    ///
    /// ```
    /// use mlynek::board::Board;
    /// use mlynek::notation::{Dialect, read_move};
    ///
    /// let board = Board::nine();
    /// let played = read_move(board, "f2-f4xd5").unwrap();
    /// for (dialect, text) in [
    ///     (Dialect::Own, "f2-f4xd5"),
    ///     (Dialect::Sanmill, "f2-f4 xd5"),
    ///     (Dialect::Malom, "f2-f4 xd5"),
    ///     (Dialect::PlayOk, "21-14x8"),
    ///     (Dialect::OpenSpiel, "517 7"),
    /// ] {
    ///     assert_eq!(dialect.write_move(board, played).unwrap(), text);
    /// }
    /// ```
    pub fn write_move(self, board: &Board, played: Move) -> Result<String, Inexpressible> {
        self.write_steps(board, played.steps())
    }

    /// Writes steps one after the other, with a space between words. A removal behind a man is
    /// attached to it where the dialect does so.
    ///
    /// # Errors
    /// When the dialect does not know the board, or the board not a step's points.
    ///
    /// ```
    /// use mlynek::board::Board;
    /// use mlynek::notation::{Dialect, read_move};
    ///
    /// let board = Board::nine();
    /// let moves = ["a1", "b2", "a4", "b4", "a7xb2"].map(|text| read_move(board, text).unwrap());
    /// let steps = || moves.iter().flat_map(|played| played.steps());
    /// let write = |dialect: Dialect| dialect.write_steps(board, steps()).unwrap();
    /// assert_eq!(write(Dialect::Own), "a1 b2 a4 b4 a7xb2");
    /// assert_eq!(write(Dialect::Sanmill), "a1 b2 a4 b4 a7 xb2");
    /// assert_eq!(write(Dialect::PlayOk), "22 19 10 11 1x19");
    /// assert_eq!(write(Dialect::OpenSpiel), "21 18 9 10 0 18");
    /// ```
    pub fn write_steps(
        self,
        board: &Board,
        steps: impl IntoIterator<Item = Step>,
    ) -> Result<String, Inexpressible> {
        let steps: Vec<Step> = steps.into_iter().collect();
        words::write(&Points::of(self, board)?, &steps)
    }

    /// Reads a whole legal move: one word, or two where the removal is one of its own.
    ///
    /// # Errors
    /// When the text is not a move, when it is not legal in `position`, when it lacks the removal
    /// or something comes behind it, when the dialect does not know the board, and when `position`
    /// is none of the game.
    ///
    /// ```
    /// use mlynek::notation::{Dialect, read_position};
    /// use mlynek::rules::RuleSet;
    ///
    /// let rules = RuleSet::by_name("standard").unwrap();
    /// let position = read_position(rules.board(), "a1a4/b2d6 w 7 7").unwrap();
    /// let read = |dialect: Dialect, text| dialect.read_move(&rules, &position, text);
    /// let played = read(Dialect::Own, "a7xd6").unwrap();
    /// assert_eq!(read(Dialect::Sanmill, "a7 xd6"), Ok(played));
    /// assert_eq!(read(Dialect::PlayOk, "1x5"), Ok(played));
    /// assert_eq!(read(Dialect::OpenSpiel, "0 4"), Ok(played));
    /// assert_eq!(
    ///     read(Dialect::Own, "a7").unwrap_err().to_string(),
    ///     "move \"a7\", character 3: White closes a mill; expected the removal of one of b2 d6 \
    ///      behind the move"
    /// );
    /// ```
    pub fn read_move(
        self,
        rules: &RuleSet,
        position: &Position,
        text: &str,
    ) -> Result<Move, NotationError> {
        let spoken = self.read_words(rules, Form::Move, text)?;
        self.play_move(rules, position, text, &spoken)
    }

    /// Reads steps played one after the other from `start`; the last may leave a removal
    /// outstanding in the dialects in which that is a word of its own.
    ///
    /// # Errors
    /// When a word is not of the form, when a step is not legal, when the dialect does not know
    /// the board, and when `start` is none of the game.
    ///
    /// ```
    /// use mlynek::notation::{Dialect, write_position};
    /// use mlynek::rules::{RuleSet, Turn};
    ///
    /// let rules = RuleSet::by_name("standard").unwrap();
    /// let start = Turn::Move(rules.start());
    /// let history = Dialect::Sanmill
    ///     .read_history(&rules, start, "a1 b2 a4 b4 a7 xb2 d6")
    ///     .unwrap();
    /// assert_eq!(history.moves().len(), 6);
    /// let end = history.end();
    /// assert_eq!(
    ///     write_position(rules.board(), end.position()),
    ///     "a1a4a7/b4d6 w 6 6"
    /// );
    /// ```
    pub fn read_history(
        self,
        rules: &RuleSet,
        start: Turn,
        text: &str,
    ) -> Result<History, NotationError> {
        let spoken = self.read_words(rules, Form::History, text)?;
        self.play(rules, start, Form::History, text, &spoken)
    }

    /// The words of a text, by their form.
    pub(super) fn read_words(
        self,
        rules: &RuleSet,
        form: Form,
        text: &str,
    ) -> Result<Vec<Spoken>, NotationError> {
        let points = Points::of(self, rules.board())
            .map_err(|error| NotationError::at(Some(self), form, text, 0, error.into()))?;
        words::read(&points, form, text)
    }

    /// Plays words that are to be one whole move.
    pub(super) fn play_move(
        self,
        rules: &RuleSet,
        position: &Position,
        text: &str,
        spoken: &[Spoken],
    ) -> Result<Move, NotationError> {
        let error = |byte, problem| NotationError::at(Some(self), Form::Move, text, byte, problem);
        let unexpected = |byte, expected| {
            let found = text[byte..].chars().next();
            Err(error(byte, Problem::Unexpected { expected, found }))
        };
        let Some(first) = spoken.first() else {
            return unexpected(text.len(), "a move");
        };
        let history = self.play(rules, (*position).into(), Form::Move, text, &spoken[..1])?;
        // A removal of its own belongs to the move; anything else behind it does not.
        let (history, length) = if history.end().is_removal() && spoken.len() > 1 {
            let whole = &spoken[..2];
            let history = self.play(rules, history.start, Form::Move, text, whole)?;
            (history, 2)
        } else {
            (history, 1)
        };
        if history.end().is_removal() {
            return Err(error(first.end, no_removal(rules, &history.end())));
        }
        match (spoken.get(length), history.moves().first()) {
            (Some(next), _) => unexpected(next.start, "the end, after one whole move"),
            (None, Some(&played)) => Ok(played),
            (None, None) => unexpected(first.start, "a move"),
        }
    }

    /// Plays words one after the other.
    pub(super) fn play(
        self,
        rules: &RuleSet,
        start: Turn,
        form: Form,
        text: &str,
        spoken: &[Spoken],
    ) -> Result<History, NotationError> {
        let error = |byte, problem| NotationError::at(Some(self), form, text, byte, problem);
        rules
            .check_turn(&start)
            .map_err(|illegal| error(0, illegal.into()))?;
        let mut steps: Vec<(Step, Turn)> = Vec::with_capacity(spoken.len());
        let mut turn = start;
        for word in spoken {
            let (step, removal) = match word.said {
                Said::Man { from, to, removal } => (Step::Man { from, to }, removal),
                Said::Removal(point) => (Step::Removal(point), None),
                Said::Point(point) if turn.is_removal() => (Step::Removal(point), None),
                Said::Point(to) => (Step::Man { from: None, to }, None),
            };
            let illegal = |illegal: IllegalStep| error(word.start, illegal.into());
            let player = turn.side();
            turn = rules.play(&turn, step).map_err(illegal)?;
            steps.push((step, turn));
            if let Some(point) = removal {
                // Without a mill it is the opponent's turn, and the removal is nobody's.
                if !turn.is_removal() {
                    return Err(illegal(IllegalStep::NoMillClosed(player)));
                }
                let step = Step::Removal(point);
                turn = rules.play(&turn, step).map_err(illegal)?;
                steps.push((step, turn));
            }
            if turn.is_removal() && self == Self::Own {
                return Err(error(word.end, no_removal(rules, &turn)));
            }
        }
        Ok(History { start, steps })
    }
}

/// A move that lacks its removal.
fn no_removal(rules: &RuleSet, turn: &Turn) -> Problem {
    Problem::NoRemoval {
        player: turn.side(),
        removable: rules.point_names(rules.removable(turn.position().opponent())),
    }
}
