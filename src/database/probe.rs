//! A position with the worth of every move.

use super::{Database, Evaluation, MissingTable, ProbeError};
use crate::notation::{write_move, write_position};
use crate::rules::{Move, Position, Value};

/// What a database says of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The value of the position for the side to move.
    pub value: Value,
    /// In how many plies the game ends: see [`Evaluation::plies`].
    pub plies: Option<u32>,
    /// Every legal move, best first: wins, the fastest first; draws; losses, the slowest first.
    /// Moves of equal worth in the order of their text.
    pub moves: Vec<RankedMove>,
}

/// A move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub played: Move,
    /// What the move leads to, for the side that plays it.
    pub value: Value,
    /// In how many plies the game ends, this one included: see [`Evaluation::plies`].
    pub plies: Option<u32>,
}

impl Probe {
    /// The value and the depth of the position.
    pub fn evaluation(&self) -> Evaluation {
        let Self { value, plies, .. } = *self;
        Evaluation { value, plies }
    }
}

impl RankedMove {
    /// The value and the depth of the move.
    pub fn evaluation(&self) -> Evaluation {
        let Self { value, plies, .. } = *self;
        Evaluation { value, plies }
    }
}

impl Database {
    /// The value of a position and of every move in it.
    ///
    /// # Errors
    /// As [`Database::value`], for the position itself or one that a move leads to.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let Evaluation { value, plies } = self.evaluate(position)?;
        let board = self.rules().board();
        let mut moves = Vec::new();
        for (played, next) in self.rules().successors(position) {
            let answer = self.evaluate(&next);
            let worth = answer.map_err(|error| self.needed_for(error, position, played))?;
            moves.push((worth.before(), write_move(board, played), played));
        }
        moves.sort_by(|(worth, text, _), (other, other_text, _)| {
            let by_worth = worth.rank().cmp(&other.rank());
            by_worth.then_with(|| text.cmp(other_text))
        });
        let ranked = |(Evaluation { value, plies }, _, played)| RankedMove {
            played,
            value,
            plies,
        };
        Ok(Probe {
            value,
            plies,
            moves: moves.into_iter().map(ranked).collect(),
        })
    }

    /// The first of the best moves, `None` when the game is over.
    ///
    /// # Errors
    /// As [`Database::probe`].
    pub fn best_move(&self, position: &Position) -> Result<Option<RankedMove>, ProbeError> {
        Ok(self.probe(position)?.moves.first().copied())
    }

    /// The error with the move that led to it.
    #[cold]
    fn needed_for(&self, error: ProbeError, position: &Position, played: Move) -> ProbeError {
        match error {
            ProbeError::Missing(missing) => {
                let board = self.rules().board();
                let needed_for = (write_move(board, played), write_position(board, position));
                ProbeError::Missing(Box::new(MissingTable {
                    needed_for: Some(needed_for),
                    ..*missing
                }))
            }
            other => other,
        }
    }
}
