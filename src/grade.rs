//! Grades: the value of a position together with its depth, in one byte.
//!
//! The **depth** of a won or lost position is the number of plies to the end of the game when the
//! winner hurries and the loser delays. The game ends with a player on turn who has lost, in 0
//! plies; so the side to move wins in an odd number of plies and loses in an even one, and half
//! the depth says as much as the whole. A player whose last man has been placed and who has too
//! few loses when he is on turn: if that is the other player, he wins in 1, whatever he plays.

use std::fmt;

use crate::rules::Value;

/// A value with its depth, for the side to move. The greater a grade, the better the side to move
/// likes it: it would lose later rather than sooner, and win sooner rather than later.
///
/// The code is half the depth, rounded down, for a loss; 128 for a draw; and 255 less half the
/// depth, rounded down, for a win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grade(u8);

/// The greatest depth a loss can have here.
pub const DEEPEST_LOSS: u32 = 2 * DEEPEST_HALF as u32;

/// The greatest depth a win can have here.
pub const DEEPEST_WIN: u32 = DEEPEST_LOSS + 1;

/// The greatest half depth.
pub(crate) const DEEPEST_HALF: u8 = 126;

impl Grade {
    /// A draw.
    pub const DRAW: Self = Self(128);

    /// The worst: the side to move has lost, and the game is over.
    pub const OVER: Self = Self(0);

    /// A position without a table: what the side to move wins there, he wins with the next ply.
    pub const fn of_outcome(outcome: Value) -> Self {
        match outcome {
            Value::Loss => Self::OVER,
            Value::Draw => Self::DRAW,
            Value::Win => Self(u8::MAX),
        }
    }

    /// A loss in `plies` plies; `None` when that is odd or more than [`DEEPEST_LOSS`].
    pub const fn loss(plies: u32) -> Option<Self> {
        if plies.is_multiple_of(2) && plies <= DEEPEST_LOSS {
            Some(Self((plies / 2) as u8))
        } else {
            None
        }
    }

    /// A win in `plies` plies; `None` when that is even or more than [`DEEPEST_WIN`].
    pub const fn win(plies: u32) -> Option<Self> {
        if !plies.is_multiple_of(2) && plies <= DEEPEST_WIN {
            Some(Self(u8::MAX - (plies / 2) as u8))
        } else {
            None
        }
    }

    /// The grade that a code stands for; `None` when it stands for none.
    #[inline]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0..=DEEPEST_HALF | 128 => Some(Self(code)),
            _ if code >= u8::MAX - DEEPEST_HALF => Some(Self(code)),
            _ => None,
        }
    }

    /// The code.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The value.
    #[inline]
    pub const fn value(self) -> Value {
        match self.0 {
            0..128 => Value::Loss,
            128 => Value::Draw,
            129.. => Value::Win,
        }
    }

    /// The depth, in plies; `None` for a draw.
    #[inline]
    pub const fn plies(self) -> Option<u32> {
        match self.0 {
            0..128 => Some(2 * self.0 as u32),
            128 => None,
            129.. => Some(2 * (u8::MAX - self.0) as u32 + 1),
        }
    }

    /// What a move is worth to the side that plays it, when the position it leads to has this
    /// grade for the other side: the opposite value, one ply deeper. `None` when that is deeper
    /// than a grade can be.
    #[inline]
    pub const fn before(self) -> Option<Self> {
        match self.0 {
            0..128 => Some(Self(u8::MAX - self.0)),
            128 => Some(self),
            _ => Self::loss(2 * (u8::MAX - self.0) as u32 + 2),
        }
    }
}

impl fmt::Display for Grade {
    /// `win in 3`, `loss in 0`, `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) => f.pad(&format!("{} in {plies}", self.value())),
            None => f.pad(self.value().name()),
        }
    }
}

impl fmt::Debug for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grade({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_depths_come_back() {
        let mut codes = 0;
        for code in 0..=u8::MAX {
            let Some(grade) = Grade::from_code(code) else {
                continue;
            };
            codes += 1;
            assert_eq!(grade.code(), code);
            let again = match (grade.value(), grade.plies()) {
                (Value::Loss, Some(plies)) => Grade::loss(plies),
                (Value::Win, Some(plies)) => Grade::win(plies),
                (Value::Draw, None) => Some(Grade::DRAW),
                other => panic!("{other:?}"),
            };
            assert_eq!(again, Some(grade));
        }
        assert_eq!(codes, 2 * (u32::from(DEEPEST_HALF) + 1) + 1);
        assert_eq!(Grade::loss(1), None);
        assert_eq!(Grade::win(2), None);
        assert_eq!(Grade::loss(DEEPEST_LOSS + 2), None);
        assert_eq!(Grade::win(DEEPEST_WIN + 2), None);
    }

    #[test]
    fn losing_later_and_winning_sooner_is_better() {
        let ascending = [
            Grade::OVER,
            Grade::loss(2).unwrap(),
            Grade::loss(DEEPEST_LOSS).unwrap(),
            Grade::DRAW,
            Grade::win(DEEPEST_WIN).unwrap(),
            Grade::win(3).unwrap(),
            Grade::win(1).unwrap(),
        ];
        assert!(ascending.is_sorted());
        assert_eq!(ascending[1].to_string(), "loss in 2");
        assert_eq!(ascending[3].to_string(), "draw");
        assert_eq!(ascending[6].to_string(), "win in 1");
    }

    #[test]
    fn a_ply_before_is_the_opposite_and_one_deeper() {
        for code in 0..=u8::MAX {
            let Some(grade) = Grade::from_code(code) else {
                continue;
            };
            match grade.before() {
                Some(before) => {
                    assert_eq!(before.value(), -grade.value());
                    assert_eq!(before.plies(), grade.plies().map(|plies| plies + 1));
                }
                None => assert_eq!(grade.plies(), Some(DEEPEST_WIN)),
            }
        }
    }
}
