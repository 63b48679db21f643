//! Rows of bounds: the sure plane and the hope plane.

use super::{Frame, Planes, Scratch, moves};
use crate::rules::Colour;

/// Rows of two planes, [`super::Plane`].
#[derive(Clone, Copy, Debug)]
pub enum Bounds {}

impl Planes for Bounds {
    const WORDS: usize = 2;

    #[inline(always)]
    fn greatest(source: &[u64], out: &mut [u64]) {
        for (out, word) in out.iter_mut().zip(source) {
            *out |= word;
        }
    }

    #[inline(always)]
    fn least(source: &[u64], out: &mut [u64]) {
        for (out, word) in out.iter_mut().zip(source) {
            *out &= word;
        }
    }

    #[inline(always)]
    fn removals(frame: &Frame, after: &[u64], scratch: &mut Scratch, out: &mut [u64]) {
        moves::removals(frame, after, scratch, out);
    }

    #[inline(always)]
    fn black_placings(
        frame: &Frame,
        board: &[u64],
        captures: &[u64],
        scratch: &mut Scratch,
        out: &mut [u64],
    ) {
        moves::black_placings(frame, board, captures, scratch, out);
    }

    /// Values do not change with the number of plies.
    #[inline(always)]
    fn before_ply(_row: &mut [u64], _side: Colour) {}
}
