//! What is printed of positions and moves.

use std::fmt;

use mlynek::database::{Database, Evaluation, RankedMove};
use mlynek::notation::write_move;
use mlynek::rules::Value;
use serde::Serialize;

/// A value, and in a database with depths the plies to the end of the game: null in JSON for a
/// draw, and where they are not known.
#[derive(Clone, Copy, Serialize)]
pub struct Worth {
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<Option<u32>>,
}

impl Worth {
    /// What is printed of an evaluation. A database without depths knows those of finished games,
    /// but they would be the only ones.
    pub fn new(database: &Database, evaluation: Evaluation) -> Self {
        let Evaluation { value, plies } = evaluation;
        let plies = database.has_any_depths().then_some(plies);
        Self { value, plies }
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, plies) = (self.value, self.plies.flatten());
        Evaluation { value, plies }.fmt(f)
    }
}

/// A move.
#[derive(Serialize)]
pub struct AnswerMove {
    /// The move.
    #[serde(rename = "move")]
    pub played: String,
    /// What it is worth.
    #[serde(flatten)]
    pub worth: Worth,
}

impl AnswerMove {
    /// These moves, in their order.
    pub fn list(database: &Database, moves: &[RankedMove]) -> Vec<Self> {
        let board = database.rules().board();
        let moves = moves.iter().map(|ranked| Self {
            played: write_move(board, ranked.played),
            worth: Worth::new(database, ranked.evaluation()),
        });
        moves.collect()
    }

    /// The length of the longest of some moves.
    pub fn longest(moves: &[Self]) -> usize {
        let lengths = moves.iter().map(|ranked| ranked.played.len());
        lengths.max().unwrap_or(0)
    }
}
