//! Best play from a position on.

use std::collections::HashMap;

use super::{Database, Evaluation, ProbeError, RankedMove};
use crate::rules::{Colour, Position, Value};

/// Best play of both sides from a position on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The position in which the line begins.
    pub position: Position,
    /// What that position is worth for the side to move.
    pub evaluation: Evaluation,
    /// The moves, each with what it is worth for the side that plays it.
    pub moves: Vec<RankedMove>,
    /// The position after the last move.
    pub last: Position,
    /// Why there is no further move.
    pub end: LineEnd,
}

/// Why a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LineEnd {
    /// A player on turn has no move: he has lost.
    Blocked {
        /// Who has lost.
        loser: Colour,
    },
    /// A player has too few men to go on with: he has lost.
    Men {
        /// Who has lost.
        loser: Colour,
    },
    /// The last position has been there before, with the same men on the same points and the same
    /// side to move.
    Repetition {
        /// After how many plies it was there first.
        first: usize,
    },
    /// The line is as long as was asked for.
    Limit,
}

impl LineEnd {
    /// The name of the kind of end: `blocked`, `men`, `repetition` or `limit`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocked { .. } => "blocked",
            Self::Men { .. } => "men",
            Self::Repetition { .. } => "repetition",
            Self::Limit => "limit",
        }
    }
}

impl Line {
    /// Whether the depth of a won or lost position on the way is not known. Such a line may miss
    /// the fastest win, or go round in circles in a won position.
    pub fn lacks_depths(&self) -> bool {
        let moves = self.moves.iter().map(|ranked| ranked.evaluation());
        std::iter::once(self.evaluation)
            .chain(moves)
            .any(Evaluation::lacks_depth)
    }
}

impl Database {
    /// Plays the first of the best moves ([`Database::best_move`]) for both sides until the game
    /// is over, a position comes again, or `limit` plies have been played.
    ///
    /// From a won or lost position of a database with depths, the line takes as many plies as the
    /// position is deep. Without depths it may go round in circles even where it could be won; it
    /// ends at the first repetition then, and [`Line::lacks_depths`] says so.
    ///
    /// # Errors
    /// As [`Database::probe`], for every position of the line.
    pub fn line(&self, position: &Position, limit: Option<usize>) -> Result<Line, ProbeError> {
        let evaluation = self.evaluate(position)?;
        let mut moves: Vec<RankedMove> = Vec::new();
        let mut last = *position;
        // Hands differ from ply to ply while men are placed, so nothing comes again before the
        // moving phase.
        let mut seen = HashMap::new();
        let end = loop {
            if let Some(end) = self.over(&last) {
                break end;
            }
            if let Some(first) = seen.insert(last, moves.len()) {
                break LineEnd::Repetition { first };
            }
            if limit.is_some_and(|limit| moves.len() >= limit) {
                break LineEnd::Limit;
            }
            let Some((best, next)) = self.best_successor(&last)? else {
                // Only a game that is over has no move.
                break LineEnd::Blocked { loser: last.side };
            };
            moves.push(best);
            last = next;
        };
        Ok(Line {
            position: *position,
            evaluation,
            moves,
            last,
            end,
        })
    }

    /// How the game has ended, if it is over.
    fn over(&self, position: &Position) -> Option<LineEnd> {
        let side = position.side;
        match self.rules().outcome(position) {
            Some(Value::Win) => Some(LineEnd::Men {
                loser: side.other(),
            }),
            Some(_) => Some(LineEnd::Men { loser: side }),
            None => self
                .is_blocked(position)
                .then_some(LineEnd::Blocked { loser: side }),
        }
    }
}
