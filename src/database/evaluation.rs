//! The value of a position, and its depth where a database has it.

use std::cmp::Reverse;
use std::fmt;

use crate::grade::Grade;
use crate::rules::Value;

/// What a position is worth for the side to move, or a move for the side that plays it.
///
/// The greater, the better for that side: it would win sooner rather than later, and lose later
/// rather than sooner. Of two equal values with only one depth known, that one counts as the
/// greater: a win in a known number of plies is surely one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Evaluation {
    /// The value.
    pub value: Value,
    /// The depth of a win or a loss: the plies to the end of the game when the winner hurries and
    /// the loser delays. `None` for a draw, and when the depth is not known.
    pub plies: Option<u32>,
}

impl Evaluation {
    /// A value of unknown depth.
    pub const fn of_value(value: Value) -> Self {
        Self { value, plies: None }
    }

    /// What a move is worth to the side that plays it, when the position it leads to has this
    /// evaluation for the other side: the opposite value, one ply deeper.
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

impl From<Grade> for Evaluation {
    fn from(grade: Grade) -> Self {
        Self {
            value: grade.value(),
            plies: grade.plies(),
        }
    }
}

impl Ord for Evaluation {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value).then_with(|| match self.value {
            Value::Win => self.plies.map(Reverse).cmp(&other.plies.map(Reverse)),
            Value::Draw | Value::Loss => self.plies.cmp(&other.plies),
        })
    }
}

impl PartialOrd for Evaluation {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Evaluation {
    /// `win in 39`, `draw`; `win` alone when the depth is not known.
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
            let unknown = Evaluation::of_value(grade.value());
            assert!(unknown <= evaluation);
            assert_eq!(unknown.lacks_depth(), grade.value() != Value::Draw);
            assert_eq!(unknown.to_string(), grade.value().name());
        }
    }
}
