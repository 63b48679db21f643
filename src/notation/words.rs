//! The words moves are told in: one word for a step or for a whole move, as the dialect has it.
//!
//! What a word says is a matter of form only; whether the step is legal, and which player it
//! belongs to, comes out when the words are [played](super::history).

use super::points::Points;
use super::reader::{Reader, words};
use super::{Dialect, Form, Inexpressible, NotationError, Problem};
use crate::board::Point;
use crate::rules::Step;

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// A man, and the removal if it is said in the same word.
    Man {
        from: Option<Point>,
        to: Point,
        removal: Option<Point>,
    },
    /// A removal.
    Removal(Point),
    /// A man placed on the point or the man on it removed, whichever the turn asks for.
    Point(Point),
}

/// What a word says, and which bytes of the text it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken {
    pub said: Said,
    pub start: usize,
    pub end: usize,
}

/// OpenSpiel's first action of a man that moves, and the number of such actions.
const FIRST_SLIDE: usize = 24;
const SLIDES: usize = 24 * 24;

/// Every word of a text.
pub(super) fn read(
    points: &Points<'_>,
    form: Form,
    text: &str,
) -> Result<Vec<Spoken>, NotationError> {
    let reader = Reader::new(points.dialect, form, points.board, text);
    let mut all = Vec::new();
    for word in words(text) {
        let mut reader = reader.word(word);
        // In the own form a removal stands alone only where the turn begins with it.
        let alone = points.dialect != Dialect::Own || all.is_empty();
        all.push(Spoken {
            said: read_word(points, &mut reader, alone)?,
            start: word.start,
            end: word.start + word.text.len(),
        });
    }
    Ok(all)
}

fn read_word(
    points: &Points<'_>,
    reader: &mut Reader<'_>,
    alone: bool,
) -> Result<Said, NotationError> {
    if points.dialect == Dialect::OpenSpiel {
        return read_action(points, reader);
    }
    if alone && reader.take('x') {
        let point = points.read(reader, "the point of the man removed")?;
        reader.end("the end of the word")?;
        return Ok(Said::Removal(point));
    }
    let attached = matches!(points.dialect, Dialect::Own | Dialect::PlayOk);
    let mut from = None;
    let mut to = points.read(reader, "a point")?;
    if reader.take('-') {
        from = Some(to);
        to = points.read(reader, "the point the man moves to")?;
    }
    let mut removal = None;
    if attached && reader.take('x') {
        removal = Some(points.read(reader, "the point of the man removed")?);
    }
    reader.end(match (from, removal, attached) {
        (_, Some(_), _) => "the end of the word",
        (None, None, true) => "'-', 'x' or the end of the word",
        (Some(_), None, true) => "'x' or the end of the word",
        (None, None, false) => "'-' or the end of the word; a removal is a word of its own",
        (Some(_), None, false) => "the end of the word; a removal is a word of its own",
    })?;
    Ok(Said::Man { from, to, removal })
}

/// An OpenSpiel action.
fn read_action(points: &Points<'_>, reader: &mut Reader<'_>) -> Result<Said, NotationError> {
    let expected = "an action, 0 to 599";
    let start = reader.clone();
    let action = reader.number(0, FIRST_SLIDE + SLIDES - 1, expected)?;
    reader.end("a digit or the end of the word")?;
    let point = |number: usize| points.order()[number];
    let Some(slide) = action.checked_sub(FIRST_SLIDE) else {
        return Ok(Said::Point(point(action)));
    };
    let (from, to) = (slide / 24, slide % 24);
    if from == to {
        return Err(start.error(Problem::Number {
            expected: "an action that moves a man to another point",
            found: action.to_string(),
        }));
    }
    Ok(Said::Man {
        from: Some(point(from)),
        to: point(to),
        removal: None,
    })
}

/// Writes steps, in words with one space between them.
pub(super) fn write(points: &Points<'_>, steps: &[Step]) -> Result<String, Inexpressible> {
    let mut text = String::with_capacity(6 * steps.len());
    let attached = matches!(points.dialect, Dialect::Own | Dialect::PlayOk);
    let mut after_man = false;
    for &step in steps {
        let is_removal = matches!(step, Step::Removal(_));
        let attaches = attached && after_man && is_removal;
        if !text.is_empty() && !attaches {
            text.push(' ');
        }
        match step {
            Step::Man {
                from: Some(from),
                to,
            } if points.dialect == Dialect::OpenSpiel => {
                let slide = 24 * points.number(from)? + points.number(to)?;
                text.push_str(&(FIRST_SLIDE + slide).to_string());
            }
            Step::Man { from, to } => {
                if let Some(from) = from {
                    points.write(from, &mut text)?;
                    text.push('-');
                }
                points.write(to, &mut text)?;
            }
            Step::Removal(point) => {
                if points.dialect != Dialect::OpenSpiel {
                    text.push('x');
                }
                points.write(point, &mut text)?;
            }
        }
        after_man = !is_removal;
    }
    Ok(text)
}
