//! A position with the value of every move.

use super::{Database, MissingTable, ProbeError};
use crate::notation::{write_move, write_position};
use crate::rules::{Move, Position, Value};

/// What a database says of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The value of the position for the side to move.
    pub value: Value,
    /// Every legal move, best first, moves of one value in the order of their text.
    pub moves: Vec<RankedMove>,
}

/// A move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub played: Move,
    /// What the move leads to, for the side that plays it.
    pub value: Value,
}

impl Database {
    /// The value of a position and of every move in it.
    ///
    /// # Errors
    /// As [`Database::value`], for the position itself or one that a move leads to.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let value = self.value(position)?;
        let board = self.rules().board();
        let mut moves = Vec::new();
        for (played, next) in self.rules().successors(position) {
            let answer = self.value(&next);
            let value = -answer.map_err(|error| self.needed_for(error, position, played))?;
            moves.push((write_move(board, played), RankedMove { played, value }));
        }
        moves.sort_by(|(text, a), (other, b)| b.value.cmp(&a.value).then_with(|| text.cmp(other)));
        Ok(Probe {
            value,
            moves: moves.into_iter().map(|(_, ranked)| ranked).collect(),
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
