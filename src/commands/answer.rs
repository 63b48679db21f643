//! What is printed of positions and moves as JSON.

use mlynek::board::Board;
use mlynek::database::{Evaluation, RankedMove};
use mlynek::notation::write_move;
use mlynek::rules::Value;
use serde::Serialize;

/// A value, and the plies to the end of the game where they are known.
#[derive(Serialize)]
pub struct Worth {
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl From<Evaluation> for Worth {
    fn from(Evaluation { value, plies }: Evaluation) -> Self {
        Self { value, plies }
    }
}

/// A move.
#[derive(Serialize)]
pub struct AnswerMove {
    #[serde(rename = "move")]
    played: String,
    #[serde(flatten)]
    worth: Worth,
}

impl AnswerMove {
    /// These moves, in their order.
    pub fn list(board: &Board, moves: &[RankedMove]) -> Vec<Self> {
        let moves = moves.iter().map(|ranked| Self {
            played: write_move(board, ranked.played),
            worth: ranked.evaluation().into(),
        });
        moves.collect()
    }
}
