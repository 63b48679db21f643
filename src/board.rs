//! Boards: points, adjacencies, mill lines, and the symmetries found from them.
//!
//! A board is data. [`BoardTable`] is what a person writes down; [`Board`] is what the program
//! derives from it. Nothing outside this file knows how many points a board has or how they are
//! joined except through a [`Board`].

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Sub};
use std::sync::LazyLock;

/// The largest number of points a board may have: a [`PointSet`] is 32 bits wide.
pub const MAX_POINTS: usize = 32;

/// One point of a board: its number in the order of the board's table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(u8);

impl Point {
    /// The point with this number.
    ///
    /// # Panics
    /// When `number` is not below [`MAX_POINTS`].
    #[inline]
    pub const fn new(number: usize) -> Self {
        assert!(number < MAX_POINTS);
        Self(number as u8)
    }

    /// The number of the point in its board's table.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// A set of points of a board: bit `k` stands for the point with number `k`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PointSet(u32);

impl PointSet {
    /// No point.
    pub const EMPTY: Self = Self(0);

    /// The set with this bit mask.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bit mask of the set.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The set of the first `count` points.
    ///
    /// # Panics
    /// When `count` is above [`MAX_POINTS`].
    #[inline]
    pub const fn first(count: usize) -> Self {
        assert!(count <= MAX_POINTS);
        Self(((1u64 << count) - 1) as u32)
    }

    /// How many points the set has.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set has no point.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has this point.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.0 & 1 != 0
    }

    /// Whether every point of `other` is in this set.
    #[inline]
    pub const fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the two sets have a point in common.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set and this point.
    #[inline]
    pub const fn with(self, point: Point) -> Self {
        Self(self.0 | 1 << point.0)
    }

    /// The set without this point.
    #[inline]
    pub const fn without(self, point: Point) -> Self {
        Self(self.0 & !(1 << point.0))
    }

    /// The points of the set in ascending order.
    #[inline]
    pub fn iter(self) -> Points {
        Points(self.0)
    }

    /// Every set of `count` points among the first `universe` points, in ascending order of the
    /// bit mask (colexicographic order).
    pub fn subsets(universe: usize, count: usize) -> impl Iterator<Item = Self> {
        debug_assert!(universe <= MAX_POINTS);
        let end = 1u64 << universe;
        let first = (1u64 << count) - 1;
        std::iter::successors((first < end).then_some(first), move |&set| {
            if set == 0 {
                return None;
            }
            // Gosper's hack: the next larger number with as many bits.
            let lowest = set & set.wrapping_neg();
            let ripple = set + lowest;
            let next = ripple | (((set ^ ripple) >> 2) / lowest);
            (next < end).then_some(next)
        })
        .map(|bits| Self(bits as u32))
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = Points;
    fn into_iter(self) -> Points {
        self.iter()
    }
}

impl BitOr for PointSet {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for PointSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for PointSet {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Sub for PointSet {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for PointSet {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Point::number))
            .finish()
    }
}

/// The points of a [`PointSet`], ascending.
#[derive(Clone, Debug)]
pub struct Points(u32);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        if self.0 == 0 {
            return None;
        }
        let number = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(Point(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Points {}

/// A board as a person writes it down.
#[derive(Debug)]
pub struct BoardTable {
    /// The board's name.
    pub name: &'static str,
    /// The points by name. Their order is the order of the index and therefore of every table.
    pub points: &'static [&'static str],
    /// The mill lines, each as its points in the order in which they lie; neighbours on a line
    /// are adjacent.
    pub mills: &'static [&'static [&'static str]],
    /// Adjacencies that lie on no mill line.
    pub links: &'static [[&'static str; 2]],
}

/// Nine men's morris: three concentric squares with their midpoints joined.
///
/// The points that a symmetry can exchange stand next to each other (first the middle square,
/// which every symmetry maps to itself): the solver permutes the bits of an index by these
/// symmetries, and permutations among low bits stay inside a machine word.
pub const NINE: BoardTable = BoardTable {
    name: "nine",
    points: &[
        "b2", "b6", "f6", "f2", "b4", "d6", "f4", "d2", //
        "a4", "d7", "g4", "d1", "c4", "d5", "e4", "d3", //
        "a1", "a7", "g7", "g1", "c3", "c5", "e5", "e3",
    ],
    mills: &[
        &["a1", "a4", "a7"],
        &["a7", "d7", "g7"],
        &["g7", "g4", "g1"],
        &["g1", "d1", "a1"],
        &["b2", "b4", "b6"],
        &["b6", "d6", "f6"],
        &["f6", "f4", "f2"],
        &["f2", "d2", "b2"],
        &["c3", "c4", "c5"],
        &["c5", "d5", "e5"],
        &["e5", "e4", "e3"],
        &["e3", "d3", "c3"],
        &["a4", "b4", "c4"],
        &["d7", "d6", "d5"],
        &["g4", "f4", "e4"],
        &["d1", "d2", "d3"],
    ],
    links: &[],
};

/// A permutation of a board's points that keeps adjacencies and mill lines.
#[derive(Clone)]
pub struct Symmetry {
    image: [u8; MAX_POINTS],
    /// Images of the sets within each byte of a [`PointSet`].
    by_byte: Box<[[u32; 256]; 4]>,
}

impl Symmetry {
    fn new(permutation: &[usize]) -> Self {
        let mut image = [0u8; MAX_POINTS];
        for (from, slot) in image.iter_mut().enumerate() {
            *slot = permutation.get(from).copied().unwrap_or(from) as u8;
        }
        let mut by_byte = Box::new([[0u32; 256]; 4]);
        for (byte, table) in by_byte.iter_mut().enumerate() {
            for (value, slot) in table.iter_mut().enumerate() {
                *slot = (0..8)
                    .filter(|bit| value >> bit & 1 != 0)
                    .fold(0, |set, bit| set | 1u32 << image[8 * byte + bit]);
            }
        }
        Self { image, by_byte }
    }

    /// The image of a point.
    #[inline]
    pub fn point(&self, point: Point) -> Point {
        Point(self.image[point.number()])
    }

    /// The image of a set.
    #[inline]
    pub fn set(&self, set: PointSet) -> PointSet {
        let [a, b, c, d] = set.0.to_le_bytes();
        PointSet(
            self.by_byte[0][a as usize]
                | self.by_byte[1][b as usize]
                | self.by_byte[2][c as usize]
                | self.by_byte[3][d as usize],
        )
    }
}

impl fmt::Debug for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Symmetry").field(&self.image).finish()
    }
}

/// A board with everything derived from its table.
#[derive(Debug)]
pub struct Board {
    table: &'static BoardTable,
    neighbours: Vec<PointSet>,
    mills: Vec<PointSet>,
    /// For each point, the other points of every mill line through it.
    completions: Vec<Vec<PointSet>>,
    symmetries: Vec<Symmetry>,
    /// For each symmetry the number of its inverse.
    inverses: Vec<usize>,
    alternation: Option<PointSet>,
}

impl Board {
    /// Derives a board from its table.
    ///
    /// # Panics
    /// When the table names a point twice, or a line names a point the board does not have: a
    /// table is part of the program.
    pub fn new(table: &'static BoardTable) -> Self {
        let count = table.points.len();
        assert!(count <= MAX_POINTS, "{}: too many points", table.name);
        for (number, name) in table.points.iter().enumerate() {
            assert!(
                !table.points[..number].contains(name),
                "{}: point {name} stands twice",
                table.name
            );
        }
        let find = |name: &str| {
            let number = table.points.iter().position(|&point| point == name);
            Point::new(number.unwrap_or_else(|| panic!("{}: no point {name}", table.name)))
        };
        let mills: Vec<Vec<Point>> = table
            .mills
            .iter()
            .map(|line| line.iter().map(|name| find(name)).collect())
            .collect();
        let mut neighbours = vec![PointSet::EMPTY; count];
        let on_mills = mills
            .iter()
            .flat_map(|line| line.windows(2).map(|pair| [pair[0], pair[1]]));
        let on_links = table.links.iter().map(|link| link.map(find));
        for [a, b] in on_mills.chain(on_links) {
            neighbours[a.number()] = neighbours[a.number()].with(b);
            neighbours[b.number()] = neighbours[b.number()].with(a);
        }
        let mills: Vec<PointSet> = mills
            .into_iter()
            .map(|line| line.into_iter().collect())
            .collect();
        let completions = (0..count)
            .map(Point::new)
            .map(|point| {
                let through = mills.iter().filter(|mill| mill.contains(point));
                through.map(|mill| mill.without(point)).collect()
            })
            .collect();
        let symmetries = find_symmetries(&neighbours, &mills);
        let undoes = |other: &Symmetry, symmetry: &Symmetry| {
            let mut points = PointSet::first(count).iter();
            points.all(|point| other.point(symmetry.point(point)) == point)
        };
        let inverse = |symmetry| {
            let number = symmetries.iter().position(|other| undoes(other, symmetry));
            number.expect("symmetries are a group")
        };
        let inverses = symmetries.iter().map(inverse).collect();
        let alternation = find_alternation(&neighbours)
            .filter(|&set| symmetries.iter().all(|symmetry| symmetry.set(set) == set));
        Self {
            table,
            neighbours,
            mills,
            completions,
            symmetries,
            inverses,
            alternation,
        }
    }

    /// The board of nine men's morris.
    pub fn nine() -> &'static Self {
        static BOARD: LazyLock<Board> = LazyLock::new(|| Board::new(&NINE));
        &BOARD
    }

    /// The table the board was derived from.
    pub fn table(&self) -> &'static BoardTable {
        self.table
    }

    /// The number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.table.points.len()
    }

    /// Whether the board has no points (no board of use does).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All points.
    #[inline]
    pub fn points(&self) -> PointSet {
        PointSet::first(self.len())
    }

    /// The name of a point.
    ///
    /// # Panics
    /// When the board has no such point.
    pub fn name(&self, point: Point) -> &'static str {
        self.table.points[point.number()]
    }

    /// The point with this name.
    pub fn point(&self, name: &str) -> Option<Point> {
        let number = self.table.points.iter().position(|&point| point == name)?;
        Some(Point::new(number))
    }

    /// The points adjacent to a point.
    #[inline]
    pub fn neighbours(&self, point: Point) -> PointSet {
        self.neighbours[point.number()]
    }

    /// The mill lines.
    #[inline]
    pub fn mills(&self) -> &[PointSet] {
        &self.mills
    }

    /// For every mill line through `point`, its other points.
    #[inline]
    pub fn completions(&self, point: Point) -> &[PointSet] {
        &self.completions[point.number()]
    }

    /// Whether a man on `point` stands in a mill of `men`.
    #[inline]
    pub fn in_mill(&self, men: PointSet, point: Point) -> bool {
        self.completions(point)
            .iter()
            .any(|&others| men.includes(others))
    }

    /// The men of a set that stand in a mill of the set.
    #[inline]
    pub fn men_in_mills(&self, men: PointSet) -> PointSet {
        self.mills
            .iter()
            .filter(|&&mill| men.includes(mill))
            .fold(PointSet::EMPTY, |all, &mill| all | mill)
    }

    /// How many men it takes to close a mill: the length of the shortest line.
    pub fn mill_length(&self) -> usize {
        self.mills.iter().map(|mill| mill.len()).min().unwrap_or(0)
    }

    /// The symmetries: every permutation of the points that keeps adjacencies and mill lines.
    /// The first is the identity.
    #[inline]
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// The number of the inverse of symmetry `number`.
    #[inline]
    pub fn inverse(&self, number: usize) -> usize {
        self.inverses[number]
    }

    /// A set of points such that every adjacency joins a point inside with one outside and every
    /// symmetry maps the set to itself, if there is one. A slide then always changes the parity
    /// of the number of men on the set, whatever the orientation of the board.
    pub fn alternation(&self) -> Option<PointSet> {
        self.alternation
    }
}

/// All automorphisms of the graph that also map mill lines to mill lines, by depth-first search,
/// in lexicographic order of the images (so the identity comes first).
fn find_symmetries(neighbours: &[PointSet], mills: &[PointSet]) -> Vec<Symmetry> {
    fn extend(
        neighbours: &[PointSet],
        mills: &[PointSet],
        images: &mut Vec<usize>,
        found: &mut Vec<Symmetry>,
    ) {
        let next = images.len();
        if next == neighbours.len() {
            let symmetry = Symmetry::new(images);
            if mills
                .iter()
                .all(|&mill| mills.contains(&symmetry.set(mill)))
            {
                found.push(symmetry);
            }
            return;
        }
        for candidate in 0..neighbours.len() {
            let fits = !images.contains(&candidate)
                && neighbours[next].len() == neighbours[candidate].len()
                && images.iter().enumerate().all(|(earlier, &image)| {
                    neighbours[next].contains(Point::new(earlier))
                        == neighbours[candidate].contains(Point::new(image))
                });
            if fits {
                images.push(candidate);
                extend(neighbours, mills, images, found);
                images.pop();
            }
        }
    }
    let mut found = Vec::new();
    extend(neighbours, mills, &mut Vec::new(), &mut found);
    found
}

/// One side of a two-colouring of the graph, if the graph is connected and has one.
fn find_alternation(neighbours: &[PointSet]) -> Option<PointSet> {
    let mut colour = vec![None; neighbours.len()];
    let mut open = vec![(0, false)];
    while let Some((point, side)) = open.pop() {
        match colour.get(point).copied()? {
            Some(known) if known == side => {}
            Some(_) => return None,
            None => {
                colour[point] = Some(side);
                open.extend(neighbours[point].iter().map(|p| (p.number(), !side)));
            }
        }
    }
    colour
        .iter()
        .enumerate()
        .map(|(number, side)| side.map(|side| side.then(|| Point::new(number))))
        .collect::<Option<Vec<_>>>()
        .map(|sides| sides.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_mens_morris_has_the_published_shape() {
        let board = Board::nine();
        assert_eq!(board.len(), 24);
        let ends: usize = board
            .points()
            .iter()
            .map(|point| board.neighbours(point).len())
            .sum();
        assert_eq!(ends / 2, 32);
        assert_eq!(board.mills().len(), 16);
        assert_eq!(board.mill_length(), 3);
        assert!(
            board
                .points()
                .iter()
                .all(|point| board.completions(point).len() == 2)
        );
        assert_eq!(board.symmetries().len(), 16);
    }

    #[test]
    fn symmetries_are_a_group_of_automorphisms() {
        let board = Board::nine();
        let images = |symmetry: &Symmetry| -> Vec<Point> {
            board.points().iter().map(|p| symmetry.point(p)).collect()
        };
        let all: Vec<_> = board.symmetries().iter().map(images).collect();
        assert_eq!(all[0], board.points().iter().collect::<Vec<_>>());
        for (number, a) in board.symmetries().iter().enumerate() {
            let inverse = &board.symmetries()[board.inverse(number)];
            let mut points = board.points().iter();
            assert!(points.all(|point| inverse.point(a.point(point)) == point));
            for b in board.symmetries() {
                let product: Vec<_> = board.points().iter().map(|p| a.point(b.point(p))).collect();
                assert!(all.contains(&product));
            }
            for point in board.points() {
                assert_eq!(
                    a.set(board.neighbours(point)),
                    board.neighbours(a.point(point))
                );
            }
        }
    }

    #[test]
    fn slides_alternate_between_the_two_colours() {
        let board = Board::nine();
        let set = board.alternation().expect("the board is bipartite");
        for point in board.points() {
            for neighbour in board.neighbours(point) {
                assert_ne!(set.contains(point), set.contains(neighbour));
            }
        }
    }

    #[test]
    fn subsets_come_in_ascending_order_and_are_complete() {
        for (universe, count, expected) in [(0, 0, 1), (5, 0, 1), (5, 2, 10), (24, 3, 2024)] {
            let all: Vec<_> = PointSet::subsets(universe, count).collect();
            assert_eq!(all.len(), expected);
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(all.iter().all(|set| set.len() == count));
        }
        assert_eq!(PointSet::subsets(3, 4).count(), 0);
        assert_eq!(PointSet::subsets(32, 32).count(), 1);
    }
}
