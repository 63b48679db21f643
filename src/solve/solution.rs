//! What is found out, values alone or with depths, and the memory it takes to find it out.

use std::io;

use super::level::Level;
use crate::grade::DEEPEST_HALF;
use crate::planes::{self, Bounds, Graded, Planes, Words};

/// Planes that one level after the other uses.
#[derive(Debug)]
pub struct Workspace {
    pub(super) black_to_move: Words,
    pub(super) removals: Words,
    pub(super) captures: Words,
    /// Where depths are wanted.
    pub(super) capture_grades: Words,
}

/// What is found out about the positions of a level.
pub trait Solution: Planes {
    /// Whether it holds depths.
    const DEPTHS: bool;

    /// The room the placing phase wants, out of a workspace.
    fn room(workspace: Workspace) -> Words;

    /// The values of a row.
    fn bounds(row: &[u64], bounds: &mut [u64]);

    /// What is known of a row whose values are `bounds` when all that is decided ends at once.
    fn at_once(bounds: &[u64], row: &mut [u64]);
}

impl Solution for Bounds {
    const DEPTHS: bool = false;

    fn room(workspace: Workspace) -> Words {
        workspace.removals
    }

    fn bounds(row: &[u64], bounds: &mut [u64]) {
        bounds.copy_from_slice(row);
    }

    fn at_once(bounds: &[u64], row: &mut [u64]) {
        row.copy_from_slice(bounds);
    }
}

impl Solution for Graded {
    const DEPTHS: bool = true;

    fn room(workspace: Workspace) -> Words {
        workspace.capture_grades
    }

    fn bounds(row: &[u64], bounds: &mut [u64]) {
        planes::bounds_within(row, DEEPEST_HALF + 1, bounds);
    }

    fn at_once(bounds: &[u64], row: &mut [u64]) {
        planes::grade_at_once(bounds, row);
    }
}

impl Workspace {
    /// Planes for levels of up to `groups` groups of 64 indices.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new<P: Solution>(groups: usize) -> io::Result<Self> {
        let words = groups * Bounds::WORDS;
        Ok(Self {
            black_to_move: Words::zeroed(words)?,
            removals: Words::zeroed(words)?,
            captures: Words::zeroed(words)?,
            capture_grades: Words::zeroed(if P::DEPTHS { groups * Graded::WORDS } else { 0 })?,
        })
    }

    /// The bytes of planes for levels of up to `groups` groups.
    pub const fn memory<P: Solution>(groups: usize) -> u64 {
        let words = 3 * Bounds::WORDS + if P::DEPTHS { Graded::WORDS } else { 0 };
        (words * groups * size_of::<u64>()) as u64
    }

    /// The values with Black to move of the level solved last.
    pub fn black_to_move(&self, level: &Level<'_>) -> &[u64] {
        &self.black_to_move[..level.words::<Bounds>()]
    }
}
