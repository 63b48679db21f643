//! A text and how far it has been read.

use super::error::quote;
use super::{Dialect, Form, NotationError, Problem};
use crate::board::{Board, Point};

/// A text, or a word of one, and how far it has been read.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    pub dialect: Dialect,
    pub form: Form,
    pub board: &'a Board,
    text: &'a str,
    /// The byte of the text that is read next, and the one behind the last.
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    pub fn new(dialect: Dialect, form: Form, board: &'a Board, text: &'a str) -> Self {
        Self {
            dialect,
            form,
            board,
            text,
            at: 0,
            end: text.len(),
        }
    }

    /// A reader of a word of the same text.
    pub fn word(&self, word: Word<'a>) -> Self {
        Self {
            at: word.start,
            end: word.start + word.text.len(),
            ..*self
        }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads `wanted` if it comes next.
    pub fn take(&mut self, wanted: char) -> bool {
        let comes = self.rest().starts_with(wanted);
        if comes {
            self.skip(wanted.len_utf8());
        }
        comes
    }

    pub fn skip_spaces(&mut self) {
        self.skip(self.rest().len() - self.rest().trim_start().len());
    }

    pub fn error(&self, problem: impl Into<Problem>) -> NotationError {
        let problem = problem.into();
        NotationError::at(Some(self.dialect), self.form, self.text, self.at, problem)
    }

    pub fn unexpected(&self, expected: &'static str) -> NotationError {
        let found = self.text[self.at..].chars().next();
        self.error(Problem::Unexpected { expected, found })
    }

    /// Nothing, if everything has been read.
    pub fn end(&self, expected: &'static str) -> Result<(), NotationError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// The decimal digits that come next, which are read.
    pub fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &rest[..rest.len() - after.len()];
        self.skip(digits.len());
        digits
    }

    /// Reads a number from `least` to `most`, written without needless zeros.
    pub fn number(
        &mut self,
        least: usize,
        most: usize,
        expected: &'static str,
    ) -> Result<usize, NotationError> {
        let at = self.at;
        let digits = self.digits();
        if digits.is_empty() {
            return Err(self.unexpected(expected));
        }
        let canonical = digits == "0" || !digits.starts_with('0');
        let number = digits.parse().ok().filter(|_| canonical);
        number
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| {
                self.at = at;
                self.error(Problem::Number {
                    expected,
                    found: quote(digits),
                })
            })
    }

    /// The point whose name comes next, if there is one; the longest name where one is the
    /// beginning of another.
    fn point_here(&self) -> Option<(Point, &'static str)> {
        let points = self.board.points().iter();
        points
            .map(|point| (point, self.board.name(point)))
            .filter(|(_, name)| self.rest().starts_with(name))
            .max_by_key(|(_, name)| name.len())
    }

    /// Reads a point by name.
    pub fn point(&mut self, expected: &'static str) -> Result<Point, NotationError> {
        if let Some((point, name)) = self.point_here() {
            self.skip(name.len());
            return Ok(point);
        }
        // What looks like a name is reported as a whole: letters, then digits.
        let rest = self.rest();
        let after_letters = rest.trim_start_matches(char::is_alphabetic);
        let after = after_letters.trim_start_matches(|c: char| c.is_ascii_digit());
        let name = &rest[..rest.len() - after.len()];
        if name.is_empty() {
            return Err(self.unexpected(expected));
        }
        let points = self.board.points().iter();
        let mut names: Vec<_> = points.map(|point| self.board.name(point)).collect();
        names.sort_unstable();
        Err(self.error(Problem::UnknownPoint {
            name: quote(name),
            points: names.join(" "),
        }))
    }
}

/// A word of a text and the byte at which it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    pub start: usize,
    pub text: &'a str,
}

/// The words of a text: what stands between spaces.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
        let rest = &text[start..];
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        at = start + length;
        Some(Word {
            start,
            text: &rest[..length],
        })
    })
}
