//! A position with what every move is worth.

use super::{Database, Evaluation, MissingTable, ProbeError};
use crate::notation::{write_move, write_position};
use crate::rules::{Move, Position, Value};

/// What a database says of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The value of the position for the side to move.
    pub value: Value,
    /// The depth of the position: see [`Evaluation::plies`].
    pub plies: Option<u32>,
    /// Every legal move, best first: the fastest win, draws, the slowest loss. Moves that are worth
    /// the same stand in the order of their text; without depths, so do all moves of one value.
    pub moves: Vec<RankedMove>,
}

/// A move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub played: Move,
    /// What the move leads to, for the side that plays it.
    pub value: Value,
    /// The plies to the end of the game, this move included; `None` for a draw, and when the
    /// depth is not known.
    pub plies: Option<u32>,
}

impl Probe {
    /// Value and depth.
    pub const fn evaluation(&self) -> Evaluation {
        Evaluation {
            value: self.value,
            plies: self.plies,
        }
    }
}

impl RankedMove {
    /// Value and depth.
    pub const fn evaluation(&self) -> Evaluation {
        Evaluation {
            value: self.value,
            plies: self.plies,
        }
    }
}

impl Database {
    /// What a position is worth, and every move in it.
    ///
    /// # Errors
    /// As [`Database::evaluate`], for the position itself or one that a move leads to.
    pub fn probe(&self, position: &Position) -> Result<Probe, ProbeError> {
        let Evaluation { value, plies } = self.evaluate(position)?;
        let mut moves = self.evaluated_moves(position)?;
        moves.sort_by(|a, b| self.better_first(a, b));
        Ok(Probe {
            value,
            plies,
            moves: moves
                .into_iter()
                .map(|evaluated| evaluated.ranked)
                .collect(),
        })
    }

    /// The first of the best moves, `None` when the game is over.
    ///
    /// # Errors
    /// As [`Database::probe`].
    pub fn best_move(&self, position: &Position) -> Result<Option<RankedMove>, ProbeError> {
        self.evaluate(position)?;
        Ok(self.best_successor(position)?.map(|(ranked, _)| ranked))
    }

    /// The first of the best moves in a position of the game, and the position after it.
    pub(super) fn best_successor(
        &self,
        position: &Position,
    ) -> Result<Option<(RankedMove, Position)>, ProbeError> {
        let moves = self.evaluated_moves(position)?;
        let best = moves.into_iter().min_by(|a, b| self.better_first(a, b));
        Ok(best.map(|evaluated| (evaluated.ranked, evaluated.next)))
    }

    /// Every move in a position of the game.
    fn evaluated_moves(&self, position: &Position) -> Result<Vec<EvaluatedMove>, ProbeError> {
        let board = self.rules().board();
        let evaluated = |(played, next): (Move, Position)| {
            let answer = self.evaluate(&next);
            let after = answer.map_err(|error| self.needed_for(error, position, played))?;
            let Evaluation { value, plies } = after.before();
            Ok(EvaluatedMove {
                text: write_move(board, played),
                ranked: RankedMove {
                    played,
                    value,
                    plies,
                },
                next,
            })
        };
        let moves = self.rules().successors(position).into_iter();
        moves.map(evaluated).collect()
    }

    /// Which of two moves comes first. A database without depths knows those of finished games
    /// all the same, but ranks by values alone.
    fn better_first(&self, a: &EvaluatedMove, b: &EvaluatedMove) -> std::cmp::Ordering {
        let worth = |evaluated: &EvaluatedMove| match self.has_any_depths() {
            true => evaluated.ranked.evaluation(),
            false => Evaluation::of_value(evaluated.ranked.value),
        };
        worth(b).cmp(&worth(a)).then_with(|| a.text.cmp(&b.text))
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

/// A move while the moves are ranked.
struct EvaluatedMove {
    text: String,
    ranked: RankedMove,
    next: Position,
}
