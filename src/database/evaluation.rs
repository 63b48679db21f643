//! A value, with its depth where that is known.

use std::fmt;

use crate::grade::Grade;
use crate::rules::Value;

/// What a position is worth to the side to move, or a move to the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Evaluation {
    /// The value.
    pub value: Value,
    /// In how many plies the game ends when the winner hurries and the loser delays, a move's own
    /// ply included; `None` for a draw, and where the database has no depths.
    pub plies: Option<u32>,
}

impl Evaluation {
    /// What a move is worth that leads to a position worth this to the other side.
    pub fn before(self) -> Self {
        Self {
            value: -self.value,
            plies: self.plies.map(|plies| plies + 1),
        }
    }

    /// A key that sorts the best first: wins, the fastest before the slower ones, then draws, then
    /// losses, the slowest before the faster ones; where a depth is not known, as if that were the
    /// slowest win or the fastest loss.
    pub(super) fn rank(self) -> impl Ord {
        let plies = match self.value {
            Value::Win => self.plies.map_or(i64::MAX, i64::from),
            Value::Draw => 0,
            Value::Loss => self.plies.map_or(0, |plies| -i64::from(plies)),
        };
        (std::cmp::Reverse(self.value), plies)
    }
}

impl From<Grade> for Evaluation {
    fn from(grade: Grade) -> Self {
        Self {
            value: grade.value(),
            plies: grade.plies(),
        }
    }
}

impl From<Value> for Evaluation {
    /// Of unknown depth.
    fn from(value: Value) -> Self {
        Self { value, plies: None }
    }
}

impl fmt::Display for Evaluation {
    /// `win in 3`, or `win` where the depth is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies {
            Some(plies) => f.pad(&format!("{} in {plies}", self.value)),
            None => f.pad(self.value.name()),
        }
    }
}
