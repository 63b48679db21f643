//! The points as each dialect numbers them.

use super::reader::Reader;
use super::{Dialect, Inexpressible, NotationError};
use crate::board::{Board, Point, PointSet};

/// Malom's bits: the outer, the middle and the inner square, each clockwise from its left midpoint.
#[rustfmt::skip]
const MALOM: [&str; 24] = [
    "a4", "a7", "d7", "g7", "g4", "g1", "d1", "a1",
    "b4", "b6", "d6", "f6", "f4", "f2", "d2", "b2",
    "c4", "c5", "d5", "e5", "e4", "e3", "d3", "c3",
];

/// Sanmill's nodes: the inner, the middle and the outer square, each clockwise from its top
/// midpoint.
#[rustfmt::skip]
const SANMILL: [&str; 24] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5",
    "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6",
    "d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7",
];

/// PlayOK's numbers 1 to 24 and OpenSpiel's 0 to 23: row by row from the top.
#[rustfmt::skip]
const ROWS: [&str; 24] = [
    "a7", "d7", "g7",
    "b6", "d6", "f6",
    "c5", "d5", "e5",
    "a4", "b4", "c4", "e4", "f4", "g4",
    "c3", "d3", "e3",
    "b2", "d2", "f2",
    "a1", "d1", "g1",
];

/// The points of a board in the words of a dialect that knows the board.
pub(super) struct Points<'a> {
    pub dialect: Dialect,
    pub board: &'a Board,
    /// The points by number, counted from 0.
    order: Vec<Point>,
}

impl<'a> Points<'a> {
    /// # Errors
    /// When the dialect does not know the board.
    pub fn of(dialect: Dialect, board: &'a Board) -> Result<Self, Inexpressible> {
        let names = match dialect {
            Dialect::Own => board.table().points,
            Dialect::Sanmill => &SANMILL,
            Dialect::Malom => &MALOM,
            Dialect::PlayOk | Dialect::OpenSpiel => &ROWS,
        };
        let order: Option<Vec<Point>> = names.iter().map(|name| board.point(name)).collect();
        let order = order.filter(|order| order.len() == board.len());
        let order = order.ok_or(Inexpressible::OtherBoard {
            dialect,
            board: board.table().name,
        })?;
        Ok(Self {
            dialect,
            board,
            order,
        })
    }

    /// The points by number, counted from 0.
    pub fn order(&self) -> &[Point] {
        &self.order
    }

    /// The first of the numbers the dialect counts from.
    fn first(&self) -> usize {
        usize::from(self.dialect == Dialect::PlayOk)
    }

    /// The number of a point of the board.
    ///
    /// # Errors
    /// When the board does not have the point.
    pub fn number(&self, point: Point) -> Result<usize, Inexpressible> {
        let place = self.order.iter().position(|&other| other == point);
        let place = place.ok_or(Inexpressible::OffBoard {
            point: point.number(),
            points: self.board.len(),
        })?;
        Ok(place + self.first())
    }

    /// The first point of a set that the board does not have, as an error.
    pub fn check(&self, set: PointSet) -> Result<(), Inexpressible> {
        match (set - self.board.points()).iter().next() {
            Some(point) => self.number(point).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Writes a point of the board.
    pub fn write(&self, point: Point, text: &mut String) -> Result<(), Inexpressible> {
        let number = self.number(point)?;
        match self.dialect {
            Dialect::PlayOk | Dialect::OpenSpiel => text.push_str(&number.to_string()),
            _ => text.push_str(self.board.name(point)),
        }
        Ok(())
    }

    /// Reads a point.
    pub fn read(
        &self,
        reader: &mut Reader<'_>,
        expected: &'static str,
    ) -> Result<Point, NotationError> {
        let (least, most, expected) = match self.dialect {
            Dialect::PlayOk => (1, 24, "a point's number, 1 to 24"),
            Dialect::OpenSpiel => (0, 23, "a point's number, 0 to 23"),
            _ => return reader.point(expected),
        };
        Ok(self.order[reader.number(least, most, expected)? - least])
    }
}
