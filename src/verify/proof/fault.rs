//! What a proof found.

use crate::board::Board;
use crate::grade::Grade;
use crate::notation::{write_move, write_position};
use crate::rules::{Move, Position, Subspace};
use crate::verify::Problem;

/// What was found out about one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableProof {
    /// The subspace.
    pub subspace: Subspace,
    /// How many positions there are: all were checked, one for each orbit of the symmetries.
    pub positions: u64,
    /// How many of them do not have the grade that their moves give them.
    pub wrong: u64,
    /// The wrong one with the lowest slot.
    pub first: Option<Fault>,
}

impl TableProof {
    /// Whether every grade follows from those of the positions after.
    pub fn holds(&self) -> bool {
        self.wrong == 0
    }
}

/// A position that does not have the grade that its moves give it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The slot of the position.
    pub slot: u64,
    /// The position, as it stands in the slot; the player who began is White.
    pub position: Position,
    /// The code in the table; of no grade, perhaps.
    pub stored: u8,
    /// The grade of the best move, or [`Grade::OVER`] without a move; none where that is deeper
    /// than a grade can be.
    pub expected: Option<Grade>,
    /// The first of the best moves; none where there is no move.
    pub because: Option<Move>,
}

impl Fault {
    /// The fault as a finding of a report.
    pub fn problem(&self, board: &Board) -> Problem {
        let expected = self.expected.map(|grade| grade.to_string());
        let found = Grade::from_code(self.stored).map(|grade| grade.to_string());
        Problem::Grade {
            subspace: self.position.subspace().to_string(),
            position: write_position(board, &self.position),
            expected: expected.unwrap_or_else(|| "more plies than a grade can say".to_owned()),
            found: found.unwrap_or_else(|| format!("{}, the code of no grade", self.stored)),
            because: self.because.map(|played| write_move(board, played)),
        }
    }
}
