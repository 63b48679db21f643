//! Play to the end, perfect on both sides.

use std::collections::HashSet;
use std::fmt;

use super::{Database, Evaluation, ProbeError, RankedMove};
use crate::rules::{Colour, Position, Value};

/// A game played on from a position, each side choosing the first of its best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// What the position is worth to the side to move.
    pub start: Evaluation,
    /// The moves, each with its worth to the side that plays it.
    pub moves: Vec<RankedMove>,
    /// The position after the last move.
    pub last: Position,
    /// Why there are no more.
    pub end: LineEnd,
}

impl Line {
    /// Whether the depth of a won or lost position on the way is not known: then the line may miss
    /// the fastest win, or go round in circles in a won position.
    pub fn lacks_depths(&self) -> bool {
        let moves = self.moves.iter().map(RankedMove::evaluation);
        std::iter::once(self.start)
            .chain(moves)
            .any(Evaluation::lacks_depth)
    }
}

/// Why a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LineEnd {
    /// A player has too few men and has lost.
    Men {
        /// Who has lost.
        loser: Colour,
    },
    /// The side to move has no move and has lost.
    Blocked {
        /// Who has lost.
        loser: Colour,
    },
    /// The last move leads to a position that has been on the board before, with the same side to
    /// move: a draw, if the game is played so.
    Repetition,
    /// There are as many moves as were asked for.
    Limit,
}

impl LineEnd {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Men { .. } => "men",
            Self::Blocked { .. } => "blocked",
            Self::Repetition => "repetition",
            Self::Limit => "limit",
        }
    }
}

impl fmt::Display for LineEnd {
    /// A sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Men { loser } => write!(f, "{loser:?} has lost: too few men are left"),
            Self::Blocked { loser } => write!(f, "{loser:?} has lost: there is no move"),
            Self::Repetition => f.write_str("draw: the position has been there before"),
            Self::Limit => f.write_str("as many plies as were asked for"),
        }
    }
}

impl Database {
    /// Plays on from a position with the best move of each side, `most` plies at most: to the end
    /// of the game, or to the first repetition.
    ///
    /// With depths a won position is won in as few plies as its depth says; a ply sooner, where a
    /// player's last man in hand leaves him with too few, who loses when he is on turn. Without
    /// depths a winner knows no way forward, and may repeat the position;
    /// [`Line::lacks_depths`] says so.
    ///
    /// # Errors
    /// As [`Database::probe`], for any position on the way.
    pub fn line(&self, position: &Position, most: usize) -> Result<Line, ProbeError> {
        let mut line = Line {
            start: self.evaluate(position)?,
            moves: Vec::new(),
            last: *position,
            end: LineEnd::Limit,
        };
        let mut seen = HashSet::new();
        loop {
            let position = line.last;
            if let Some(outcome) = self.rules().outcome(&position) {
                let loser = match outcome {
                    Value::Win => position.side.other(),
                    Value::Draw | Value::Loss => position.side,
                };
                line.end = LineEnd::Men { loser };
                return Ok(line);
            }
            // With men in hand no position comes back.
            let placed = position.white_hand == 0 && position.black_hand == 0;
            if placed && !seen.insert((position.white, position.black, position.side)) {
                line.end = LineEnd::Repetition;
                return Ok(line);
            }
            if line.moves.len() >= most && !self.rules().is_blocked(&position) {
                return Ok(line);
            }
            let Some(best) = self.best_move(&position)? else {
                line.end = LineEnd::Blocked {
                    loser: position.side,
                };
                return Ok(line);
            };
            let after = self.rules().successors(&position);
            let played = after.into_iter().find(|&(played, _)| played == best.played);
            line.last = played.expect("a ranked move is legal").1;
            line.moves.push(best);
        }
    }
}
