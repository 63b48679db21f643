//! A whole table of grades in memory.

use std::ops::Deref;

use crate::grade::Grade;

/// The grades of all slots of a table, a byte a slot. Gives its codes as a slice of bytes, each of
/// which is the code of a grade.
#[derive(Clone, PartialEq, Eq)]
pub struct Grades {
    codes: Box<[u8]>,
}

impl std::fmt::Debug for Grades {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grades")
            .field("slots", &self.codes.len())
            .finish_non_exhaustive()
    }
}

impl Grades {
    /// Grades with these codes, which have been checked.
    pub(crate) fn new(codes: Box<[u8]>) -> Self {
        debug_assert_eq!(first_foreign_code(&codes), None);
        Self { codes }
    }

    /// The grade of a slot.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    pub fn grade(&self, slot: u64) -> Grade {
        usize::try_from(slot)
            .ok()
            .and_then(|slot| self.codes.get(slot))
            .map(|&code| grade_of(code))
            .unwrap_or_else(|| panic!("slot {slot} of {}", self.codes.len()))
    }

    /// The codes.
    #[inline]
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The codes, to be changed.
    pub fn into_codes(self) -> Box<[u8]> {
        self.codes
    }
}

impl Deref for Grades {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.codes
    }
}

/// The grade of a code. A byte that is no code stands for a draw, so that the look-up needs no
/// check; blocks are checked for such bytes when they are decoded.
#[inline]
pub(crate) fn grade_of(code: u8) -> Grade {
    Grade::from_code(code).unwrap_or(Grade::DRAW)
}

/// The first byte that is the code of no grade, if there is one.
pub(crate) fn first_foreign_code(codes: &[u8]) -> Option<usize> {
    let foreign = |code: &u8| Grade::from_code(*code).is_none();
    // Looking at every byte is a plain vector loop; looking for the place is left to the rare case.
    let any = codes.iter().fold(false, |any, code| any | foreign(code));
    any.then(|| codes.iter().position(foreign))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_codes_are_found() {
        for code in 0..=u8::MAX {
            let mut codes = vec![128; 100];
            codes[63] = code;
            let foreign = Grade::from_code(code).is_none();
            assert_eq!(first_foreign_code(&codes), foreign.then_some(63));
            assert_eq!(foreign, code == 127);
        }
        assert_eq!(first_foreign_code(&[]), None);
    }

    #[test]
    fn grades_are_their_codes() {
        let grades = Grades::new([0, 128, 255].into());
        assert_eq!(grades.len(), 3);
        assert_eq!(&grades[1..], &[128, 255]);
        assert_eq!(grades.grade(2), Grade::win(1).unwrap());
        assert_eq!(&*grades.into_codes(), &[0, 128, 255]);
    }

    #[test]
    #[should_panic(expected = "slot 3 of 3")]
    fn slots_beyond_the_end_are_refused() {
        Grades::new([0, 128, 255].into()).grade(3);
    }
}
