//! The frame of a row: which empty point each coordinate of its indices stands for.

use crate::board::{Board, MAX_POINTS, Point, PointSet};

/// The coordinates of a row: the points that White's men leave empty, in ascending order, with
/// the adjacencies and mill lines among them.
#[derive(Clone, Debug)]
pub struct Frame {
    empty: PointSet,
    len: usize,
    points: [u8; MAX_POINTS],
    /// For each coordinate, the adjacent coordinates as an index.
    neighbours: [u32; MAX_POINTS],
    /// For each coordinate, the two others of each mill line that lies wholly in the frame.
    completions: [[(u8, u8); MILLS]; MAX_POINTS],
    completion_counts: [u8; MAX_POINTS],
}

/// The largest number of mill lines through a point.
const MILLS: usize = 4;

impl Frame {
    /// The frame of the row of `men`.
    ///
    /// # Panics
    /// When a mill line of the board has not three points or more than four lines meet in one:
    /// the kernels are written for lines of three.
    pub fn new(board: &Board, men: PointSet) -> Self {
        let empty = board.points() - men;
        let mut frame = Self {
            empty,
            len: empty.len(),
            points: [0; MAX_POINTS],
            neighbours: [0; MAX_POINTS],
            completions: [[(0, 0); MILLS]; MAX_POINTS],
            completion_counts: [0; MAX_POINTS],
        };
        for (coordinate, point) in empty.iter().enumerate() {
            frame.points[coordinate] = point.number() as u8;
            for neighbour in board.neighbours(point) & empty {
                frame.neighbours[coordinate] |= 1 << frame.coordinate(neighbour);
            }
            for &others in board.completions(point) {
                if empty.includes(others) {
                    let mut pair = others.iter().map(|other| frame.coordinate(other) as u8);
                    let (Some(a), Some(b), None) = (pair.next(), pair.next(), pair.next()) else {
                        panic!("a mill line has three points");
                    };
                    let count = &mut frame.completion_counts[coordinate];
                    frame.completions[coordinate][usize::from(*count)] = (a, b);
                    *count += 1;
                }
            }
        }
        frame
    }

    /// The number of coordinates.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no point is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The points of the frame.
    #[inline(always)]
    pub fn empty(&self) -> PointSet {
        self.empty
    }

    /// The coordinate of an empty point.
    #[inline(always)]
    pub fn coordinate(&self, point: Point) -> usize {
        debug_assert!(self.empty.contains(point));
        (self.empty & PointSet::first(point.number())).len()
    }

    /// The point of a coordinate.
    #[inline(always)]
    pub fn point(&self, coordinate: usize) -> Point {
        Point::new(usize::from(self.points[coordinate]))
    }

    /// The index of the coordinates adjacent to `coordinate`.
    #[inline(always)]
    pub fn neighbours(&self, coordinate: usize) -> u32 {
        self.neighbours[coordinate]
    }

    /// For each mill line through `coordinate` that lies wholly in the frame, the two others.
    #[inline(always)]
    pub fn completions(&self, coordinate: usize) -> &[(u8, u8)] {
        &self.completions[coordinate][..usize::from(self.completion_counts[coordinate])]
    }

    /// Whether the man on `coordinate` stands in a mill of the men of `index`.
    #[inline(always)]
    pub fn in_mill(&self, index: u32, coordinate: usize) -> bool {
        let mut mill = 0;
        for &(a, b) in self.completions(coordinate) {
            mill |= index >> a & index >> b;
        }
        mill & 1 != 0
    }

    /// The men of `index` that may be removed: those in no mill, or all when all are in mills.
    #[inline(always)]
    pub fn removable(&self, index: u32) -> u32 {
        let mut free = 0;
        for coordinate in ones(index) {
            free |= u32::from(!self.in_mill(index, coordinate)) << coordinate;
        }
        if free == 0 { index } else { free }
    }
}

/// The set bits of a number, ascending.
#[inline(always)]
pub(crate) fn ones(bits: u32) -> Ones {
    Ones(bits)
}

/// Iterator of [`ones`]: a type of its own so that its `next` is compiled into every kernel.
#[derive(Clone, Debug)]
pub(crate) struct Ones(u32);

impl Iterator for Ones {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lowest)
    }
}
