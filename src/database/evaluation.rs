//! A value, with its depth where that is known.

use std::cmp::{Ordering, Reverse};
use std::fmt;

use crate::grade::Grade;
use crate::rules::Value;

/// What a position is worth to the side to move, or a move to the side that plays it.
///
/// The greater, the better for that side: it would win sooner rather than later, and lose later
/// rather than sooner. An unknown depth counts as that of the slowest win or the fastest loss.
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
            plies: self.plies.map(|plies| plies.saturating_add(1)),
        }
    }

    /// Whether it is a win or a loss whose depth is not known.
    pub fn lacks_depth(self) -> bool {
        self.value != Value::Draw && self.plies.is_none()
    }
}

impl Ord for Evaluation {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value).then_with(|| match self.value {
            Value::Win => self.plies.map(Reverse).cmp(&other.plies.map(Reverse)),
            Value::Draw | Value::Loss => self.plies.cmp(&other.plies),
        })
    }
}

impl PartialOrd for Evaluation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_ordered_and_written_as_grades_are() {
        let grades: Vec<_> = (0..=u8::MAX).filter_map(Grade::from_code).collect();
        for pair in grades.windows(2) {
            assert!(Evaluation::from(pair[0]) < Evaluation::from(pair[1]));
        }
        for grade in grades {
            let evaluation = Evaluation::from(grade);
            assert_eq!(evaluation.to_string(), grade.to_string());
            if let Some(before) = grade.before() {
                assert_eq!(evaluation.before(), before.into());
            }
            assert!(!evaluation.lacks_depth());
            let unknown = Evaluation::from(grade.value());
            assert!(unknown <= evaluation);
            assert_eq!(unknown.lacks_depth(), grade.value() != Value::Draw);
            assert_eq!(unknown.to_string(), grade.value().name());
        }
    }
}
