//! Every dialect against the others: numbering tables, round trips over random games, texts at
//! random, and every error.

use std::sync::LazyLock;

use super::*;
use crate::board::{Board, BoardTable, Point, PointSet};
use crate::rules::{Colour, IllegalStep, Move, Position, RuleSet, Step, Turn};

mod any;
mod histories;
mod moves;
mod points;
mod positions;
mod random;

fn board() -> &'static Board {
    Board::nine()
}

fn standard() -> RuleSet {
    RuleSet::by_name("standard").unwrap()
}

fn point(name: &str) -> Point {
    board().point(name).unwrap()
}

fn turn(text: &str) -> Turn {
    read_turn(board(), text).unwrap_or_else(|error| panic!("{error}"))
}

fn position(text: &str) -> Position {
    *turn(text).position()
}

/// Three men's morris, a board most dialects do not know.
const THREE: BoardTable = BoardTable {
    name: "three",
    points: &["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"],
    mills: &[
        &["a1", "a2", "a3"],
        &["b1", "b2", "b3"],
        &["c1", "c2", "c3"],
        &["a1", "b1", "c1"],
        &["a2", "b2", "c2"],
        &["a3", "b3", "c3"],
    ],
    links: &[],
};

fn other_board() -> &'static Board {
    static BOARD: LazyLock<Board> = LazyLock::new(|| Board::new(&THREE));
    &BOARD
}
