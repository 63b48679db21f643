//! The oracle: a plain solver of nine men's morris that the tests trust.
//!
//! It exists to check the library, so it shares nothing with it: the board, the moves and the
//! numbering of positions are all written here a second time, as simply as possible. It looks at
//! one position at a time, knows nothing of the symmetries of the board and stores a byte for
//! every placement of the men. Where a choice was between fast and obvious, obvious won, as long
//! as ten men (6-4) can still be solved in minutes.
//!
//! From the bottom up:
//!
//! 1. [`Board`]: the 24 points, from the names of the points on the 16 mill lines;
//! 2. [`successors`]: what a ply is, for placing, moving and flying, and [`perft`];
//! 3. [`rank`] and [`Placements`]: numbering the placements of so many men;
//! 4. [`Oracle`]: the moving phase, by retrograde analysis, with exact depths;
//! 5. [`GameOracle`]: the whole game with few men, placing included.

// Every test binary uses another part of this module.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

// ------------------------------------------------------------------------------------------------
// The board
// ------------------------------------------------------------------------------------------------

/// The names of the points; bit `i` of a set of points is the point `POINTS[i]`.
pub const POINTS: [&str; 24] = [
    "a1", "a4", "a7", "b2", "b4", "b6", "c3", "c4", "c5", "d1", "d2", "d3", //
    "d5", "d6", "d7", "e3", "e4", "e5", "f2", "f4", "f6", "g1", "g4", "g7",
];

/// The mill lines, each written from one end to the other: that way they also say which points
/// are adjacent, as the board has no other connections than these.
pub const LINES: [[&str; 3]; 16] = [
    // the sides of the outer square
    ["a1", "a4", "a7"],
    ["a7", "d7", "g7"],
    ["g7", "g4", "g1"],
    ["g1", "d1", "a1"],
    // the sides of the middle square
    ["b2", "b4", "b6"],
    ["b6", "d6", "f6"],
    ["f6", "f4", "f2"],
    ["f2", "d2", "b2"],
    // the sides of the inner square
    ["c3", "c4", "c5"],
    ["c5", "d5", "e5"],
    ["e5", "e4", "e3"],
    ["e3", "d3", "c3"],
    // the midpoints of the three squares
    ["a4", "b4", "c4"],
    ["d7", "d6", "d5"],
    ["g4", "f4", "e4"],
    ["d1", "d2", "d3"],
];

/// All 24 points as a set.
const ALL_POINTS: u32 = (1 << 24) - 1;

/// The board as sets of points, worked out once from [`LINES`].
struct Board {
    /// The points next to a point.
    neighbours: [u32; 24],
    /// The 16 mill lines.
    lines: [u32; 16],
    /// The mill lines through a point: there are always two.
    lines_through: [[u32; 2]; 24],
}

static BOARD: LazyLock<Board> = LazyLock::new(|| {
    let mut neighbours = [0; 24];
    for [end, middle, other_end] in LINES.map(|line| line.map(point)) {
        neighbours[middle] |= bit(end) | bit(other_end);
        neighbours[end] |= bit(middle);
        neighbours[other_end] |= bit(middle);
    }
    let lines = LINES.map(set_of);
    let lines_through = std::array::from_fn(|point| {
        let through: Vec<u32> = lines
            .into_iter()
            .filter(|line| line & bit(point) != 0)
            .collect();
        through.try_into().expect("two lines meet in every point")
    });
    Board {
        neighbours,
        lines,
        lines_through,
    }
});

/// The number of the point with this name.
pub fn point(name: &str) -> usize {
    POINTS
        .iter()
        .position(|&known| known == name)
        .unwrap_or_else(|| panic!("no point is called {name:?}"))
}

/// The set of the points with these names.
pub fn set_of<const N: usize>(names: [&str; N]) -> u32 {
    names
        .into_iter()
        .fold(0, |set, name| set | bit(point(name)))
}

/// The set of this point alone.
fn bit(point: usize) -> u32 {
    1 << point
}

/// The points of a set, lowest first.
fn points_of(set: u32) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let lowest = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= !bit(lowest);
        Some(lowest)
    })
}

/// How many men stand on these points.
fn count(men: u32) -> usize {
    men.count_ones() as usize
}

/// The points next to a point.
pub fn neighbours(point: usize) -> u32 {
    BOARD.neighbours[point]
}

/// Whether the man on `point` stands in a mill of `men`. Of the man just placed or moved: whether
/// he has closed one.
fn in_mill(men: u32, point: usize) -> bool {
    let [one, other] = BOARD.lines_through[point];
    men & one == one || men & other == other
}

/// The men an opponent who has closed a mill may remove: those outside mills, or any if there is
/// none outside.
fn removable(men: u32) -> u32 {
    let in_mills = BOARD
        .lines
        .into_iter()
        .filter(|line| men & line == *line)
        .fold(0, |set, line| set | line);
    let outside = men & !in_mills;
    if outside == 0 { men } else { outside }
}

// ------------------------------------------------------------------------------------------------
// The rules
// ------------------------------------------------------------------------------------------------

/// The rule sets differ in one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether a player with an empty hand and exactly three men may move to any empty point.
    pub flying: bool,
}

impl Rules {
    /// Three men fly.
    pub const STANDARD: Rules = Rules { flying: true };
    /// Nobody ever flies, so three men can be blocked.
    pub const NO_FLYING: Rules = Rules { flying: false };
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Value {
    Loss,
    Draw,
    Win,
}

/// A position as the side to move sees it: the mover's men come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The mover's men on the board.
    pub mover: u32,
    /// The opponent's men on the board.
    pub opponent: u32,
    /// How many men the mover has still to place.
    pub mover_hand: u8,
    /// How many men the opponent has still to place.
    pub opponent_hand: u8,
}

impl Position {
    /// The empty board with so many men in either hand.
    pub fn start(men: u8) -> Position {
        Position {
            mover: 0,
            opponent: 0,
            mover_hand: men,
            opponent_hand: men,
        }
    }

    /// A position of the moving phase.
    pub fn moving(mover: u32, opponent: u32) -> Position {
        Position {
            mover,
            opponent,
            mover_hand: 0,
            opponent_hand: 0,
        }
    }

    /// The same position with the men counted only.
    fn counts(&self) -> Counts {
        Counts {
            mover: count(self.mover),
            opponent: count(self.opponent),
            mover_hand: self.mover_hand,
            opponent_hand: self.opponent_hand,
        }
    }
}

/// How a ply changed the position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ply {
    /// It closed no mill, so no man left the board.
    Quiet,
    /// It closed a mill and removed a man.
    Removal,
}

/// Calls `f` with the position after each legal ply. This is the one place that knows what a ply
/// is; it does not ask whether the game has ended before.
#[inline]
fn for_each_ply(rules: Rules, position: &Position, mut f: impl FnMut(Position, Ply)) {
    let Position {
        mover,
        opponent,
        mover_hand,
        opponent_hand,
    } = *position;
    let empty = ALL_POINTS & !mover & !opponent;
    let removable = removable(opponent);

    // What follows once the mover has put a man on `to`. The other player is on turn then, so the
    // two change places.
    let mut arrive = |mover: u32, mover_hand: u8, to: usize| {
        let after = |opponent| Position {
            mover: opponent,
            opponent: mover,
            mover_hand: opponent_hand,
            opponent_hand: mover_hand,
        };
        // One man is removed even if two mills were closed at once. That there is none to remove
        // cannot happen in play; the ply is quiet then.
        if in_mill(mover, to) && opponent != 0 {
            for removed in points_of(removable) {
                f(after(opponent & !bit(removed)), Ply::Removal);
            }
        } else {
            f(after(opponent), Ply::Quiet);
        }
    };

    if mover_hand > 0 {
        for to in points_of(empty) {
            arrive(mover | bit(to), mover_hand - 1, to);
        }
    } else {
        let flies = rules.flying && count(mover) == 3;
        for from in points_of(mover) {
            let rest = mover & !bit(from);
            let targets = if flies {
                empty
            } else {
                empty & BOARD.neighbours[from]
            };
            for to in points_of(targets) {
                arrive(rest | bit(to), mover_hand, to);
            }
        }
    }
}

/// The value of a position whose counts of men decide it: a player with an empty hand and fewer
/// than three men has lost, on turn or not.
///
/// Both at once cannot happen in play (the first of them ends the game); the mover has lost then.
fn decided_by_counts(counts: &Counts) -> Option<Value> {
    if counts.mover_hand == 0 && counts.mover < 3 {
        Some(Value::Loss)
    } else if counts.opponent_hand == 0 && counts.opponent < 3 {
        Some(Value::Win)
    } else {
        None
    }
}

/// The positions after every legal ply (a removal is part of its ply, so each removal is a ply of
/// its own). None if the game has ended: too few men, or a blocked mover.
pub fn successors(rules: Rules, position: &Position) -> Vec<Position> {
    let mut after = Vec::new();
    if decided_by_counts(&position.counts()).is_none() {
        for_each_ply(rules, position, |position, _| after.push(position));
    }
    after
}

/// How many ways there are to play `depth` plies from the empty board with `men` men each.
pub fn perft(rules: Rules, men: u8, depth: usize) -> u64 {
    fn lines_of_play(rules: Rules, position: &Position, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        successors(rules, position)
            .iter()
            .map(|after| lines_of_play(rules, after, depth - 1))
            .sum()
    }
    lines_of_play(rules, &Position::start(men), depth)
}

// ------------------------------------------------------------------------------------------------
// Numbering placements
// ------------------------------------------------------------------------------------------------

/// `BINOMIAL[n][k]`: how many sets of `k` points out of `n` there are.
const BINOMIAL: [[u32; 25]; 25] = {
    let mut table = [[0; 25]; 25];
    let mut n = 0;
    while n < 25 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// How many sets of `k` points out of `n` there are.
fn binomial(n: usize, k: usize) -> usize {
    BINOMIAL[n][k] as usize
}

/// The place of a set among all sets of its size, ordered as binary numbers, if its points are
/// numbered in this way (ascending).
///
/// A set comes after those whose highest point is lower than its own: with k points, and the
/// highest numbered n, these are the sets of k points out of the n below. Among those with the same
/// highest point the other k - 1 points decide in the same way.
#[inline]
fn rank_by(number: impl Fn(usize) -> usize, set: u32) -> usize {
    points_of(set)
        .zip(1..)
        .map(|(point, k)| binomial(number(point), k))
        .sum()
}

/// The place of a set among all sets of its size.
fn rank(set: u32) -> usize {
    rank_by(|point| point, set)
}

/// The place of a set of points among all sets of its size that avoid the points `taken`.
fn rank_beside(taken: u32, set: u32) -> usize {
    rank_by(|point| number_beside(taken, point), set)
}

/// The number of a point if those not `taken` are numbered without gaps.
fn number_beside(taken: u32, point: usize) -> usize {
    let taken_below = count(taken & (bit(point) - 1));
    point - taken_below
}

/// All sets of `k` out of the points `0..n`, in the order of [`rank`].
fn all_sets(n: usize, k: usize) -> Vec<u32> {
    if k == 0 {
        return vec![0];
    }
    let mut sets = Vec::with_capacity(binomial(n, k));
    for highest in k - 1..n {
        let rest = all_sets(highest, k - 1);
        sets.extend(rest.into_iter().map(|rest| rest | bit(highest)));
    }
    sets
}

/// The set of points that the numbers in `set` stand for if the points not `taken` are numbered
/// without gaps: from a set out of `0..24 - taken` back to the board.
fn beside(taken: u32, set: u32) -> u32 {
    let mut spread = 0;
    let mut rest = set;
    for point in points_of(ALL_POINTS & !taken) {
        if rest == 0 {
            break;
        }
        spread |= (rest & 1) << point;
        rest >>= 1;
    }
    spread
}

/// All placements of so many men of one player and so many of the other.
///
/// They are numbered row by row: a row is a placement of the first player's men, a column a
/// placement of the second player's men on the points left.
struct Placements {
    /// The first player's men, by row.
    rows: Vec<u32>,
    /// The second player's men, by column, on the points left (see [`beside`]).
    columns: Vec<u32>,
}

impl Placements {
    fn new(first: usize, second: usize) -> Placements {
        Placements {
            rows: all_sets(24, first),
            columns: all_sets(24 - first, second),
        }
    }

    /// How many placements there are.
    fn len(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// How many placements there are in a row.
    fn row_len(&self) -> usize {
        self.columns.len()
    }

    /// The number of a placement.
    fn index(&self, first: u32, second: u32) -> usize {
        rank(first) * self.row_len() + rank_beside(first, second)
    }

    /// The second player's men in a row, by column.
    fn row(&self, first: u32) -> impl Iterator<Item = u32> {
        self.columns
            .iter()
            .map(move |&column| beside(first, column))
    }

    /// All placements, in the order of their numbers.
    fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows
            .iter()
            .flat_map(|&first| self.row(first).map(move |second| (first, second)))
    }
}

// ------------------------------------------------------------------------------------------------
// The moving phase
// ------------------------------------------------------------------------------------------------

/// The depth of a position that is not decided: while solving, not yet; afterwards, a draw.
///
/// A decided position has its depth, the number of plies to the end of the game if the winner
/// hurries and the loser delays. The loser is on turn at the end and the players alternate, so an
/// odd depth is a win and an even one a loss: the depth is all there is to store.
const UNDECIDED: u8 = u8::MAX;

/// A solved moving subspace.
struct Solved {
    /// Of the mover's men and the opponent's.
    placements: Placements,
    depths: Vec<u8>,
}

impl Solved {
    fn depth(&self, mover: u32, opponent: u32) -> u8 {
        self.depths[self.placements.index(mover, opponent)]
    }
}

/// The values and depths of moving subspaces (both hands empty): those asked for and all that
/// play can lead to from them.
pub struct Oracle {
    rules: Rules,
    solved: BTreeMap<(usize, usize), Solved>,
}

impl Oracle {
    /// Solves the subspaces `targets` (the mover's men, the opponent's men) and those that their
    /// values depend on.
    ///
    /// # Panics
    ///
    /// If a target has fewer than three men on a side (there is nothing to solve) or more than
    /// fit on the board, or if a depth does not fit into a byte.
    pub fn moving(rules: Rules, targets: &[(usize, usize)]) -> Oracle {
        // A quiet move from w-b leads to b-w, a removal to (b-1)-w.
        let mut needed = BTreeSet::new();
        let mut to_visit = targets.to_vec();
        for &(mover, opponent) in targets {
            assert!(mover >= 3 && opponent >= 3 && mover + opponent <= 24);
        }
        while let Some((mover, opponent)) = to_visit.pop() {
            if mover >= 3 && opponent >= 3 && needed.insert((mover, opponent)) {
                to_visit.push((opponent, mover));
                to_visit.push((opponent - 1, mover));
            }
        }

        // Quiet moves tie w-b and b-w together, so these two are solved at once. Removals lead to
        // fewer men, so everything with fewer men comes before.
        let mut pairs: Vec<(usize, usize)> = needed.into_iter().filter(|(w, b)| w <= b).collect();
        pairs.sort_by_key(|(w, b)| w + b);
        let mut oracle = Oracle {
            rules,
            solved: BTreeMap::new(),
        };
        for (fewer, more) in pairs {
            let solved = solve_pair(&oracle, fewer, more);
            oracle.solved.extend(solved);
        }
        oracle
    }

    /// The rules it was solved under.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The subspaces solved, as (mover's men, opponent's men), in ascending order.
    pub fn solved(&self) -> Vec<(usize, usize)> {
        self.solved.keys().copied().collect()
    }

    /// The value of a position of the moving phase to the side to move.
    ///
    /// # Panics
    ///
    /// If its subspace was not solved.
    pub fn value(&self, mover: u32, opponent: u32) -> Value {
        let position = Position::moving(mover, opponent);
        decided_by_counts(&position.counts())
            .unwrap_or_else(|| value_of(self.stored_depth(mover, opponent)))
    }

    /// In how many plies the game ends if the winner hurries and the loser delays; none for a
    /// draw, 0 if it has ended.
    ///
    /// A position whose opponent has too few men has ended, so it is a win in 0. No ply leads to
    /// one in the moving phase; every other win has an odd depth, every loss an even one.
    ///
    /// # Panics
    ///
    /// If its subspace was not solved.
    pub fn depth(&self, mover: u32, opponent: u32) -> Option<u16> {
        let position = Position::moving(mover, opponent);
        if decided_by_counts(&position.counts()).is_some() {
            return Some(0);
        }
        depth_of(self.stored_depth(mover, opponent))
    }

    /// Calls `f` with the mover's men, the opponent's men and the value of every position of a
    /// solved subspace.
    ///
    /// # Panics
    ///
    /// If the subspace was not solved.
    pub fn for_each(&self, mover: usize, opponent: usize, mut f: impl FnMut(u32, u32, Value)) {
        self.for_each_with_depth(mover, opponent, |mover, opponent, value, _| {
            f(mover, opponent, value);
        });
    }

    /// As [`Oracle::for_each`], with the depth too (none for a draw).
    pub fn for_each_with_depth(
        &self,
        mover: usize,
        opponent: usize,
        mut f: impl FnMut(u32, u32, Value, Option<u16>),
    ) {
        let Solved { placements, depths } = self.subspace(mover, opponent);
        for ((mover, opponent), &depth) in placements.iter().zip(depths) {
            f(mover, opponent, value_of(depth), depth_of(depth));
        }
    }

    fn subspace(&self, mover: usize, opponent: usize) -> &Solved {
        self.solved
            .get(&(mover, opponent))
            .unwrap_or_else(|| panic!("the moving subspace {mover}-{opponent} was not solved"))
    }

    fn stored_depth(&self, mover: u32, opponent: u32) -> u8 {
        self.subspace(count(mover), count(opponent))
            .depth(mover, opponent)
    }
}

/// What a stored depth says about the value.
fn value_of(depth: u8) -> Value {
    match depth {
        UNDECIDED => Value::Draw,
        odd if odd % 2 == 1 => Value::Win,
        _ => Value::Loss,
    }
}

/// What a stored depth says about the depth.
fn depth_of(depth: u8) -> Option<u16> {
    (depth != UNDECIDED).then(|| depth.into())
}

/// The final depths of a subspace that is being solved, [`UNDECIDED`] as long as there is none.
struct Finals {
    /// Of the mover's men and the opponent's, as in [`Solved`].
    placements: Placements,
    depths: Vec<AtomicU8>,
}

/// What is known of a subspace that is being solved besides final depths.
struct Drafts {
    /// Of the opponent's men and the mover's. It is this way round because a move does not touch
    /// the opponent's men: the positions from which a move leads to a row of [`Finals`] make up
    /// one row here (that of the same men).
    placements: Placements,
    drafts: Vec<Draft>,
}

/// What is known of a position before its depth is final.
#[derive(Clone, Copy)]
struct Draft {
    /// The depth as far as it is known; [`UNDECIDED`] if nothing speaks for any.
    depth: u8,
    /// How many moves are not known to lose: each quiet move is one, all removals together are
    /// one.
    open_moves: u8,
}

/// Solves w-b and b-w (one subspace if the two are the same), given all with fewer men.
///
/// Retrograde analysis, in order of depth: depth 0 is known from the rules, and once all
/// positions of the depths up to d are known, so are those of depth d + 1:
///
/// - won in d + 1 is what has a move to a position lost in d, and none to one lost in fewer;
/// - lost in d + 1 is what has moves to won positions only, the last of them won in d.
///
/// Instead of asking every position about its moves at every depth, each position of depth d
/// tells those that can move to it (its predecessors). One lost in d makes them won in d + 1. One
/// won in d closes one of their open moves, and what has no open move left is lost in d + 1.
///
/// That is all for quiet moves. Removals lead to subspaces solved before, where the depths are
/// known all at once, and they may be far greater than the depth reached here. So a position
/// first gets the depth its removals alone would give it, as a promise to be kept when the solver
/// reaches that depth, see [`first_look`] and [`finish`].
fn solve_pair(smaller: &Oracle, fewer: usize, more: usize) -> Vec<((usize, usize), Solved)> {
    let sizes = if fewer == more {
        vec![(fewer, more)]
    } else {
        vec![(fewer, more), (more, fewer)]
    };
    let mut drafts = Vec::new();
    let mut finals = Vec::new();
    for &(mover, opponent) in &sizes {
        let placements = Placements::new(mover, opponent);
        let depths = vec![UNDECIDED; placements.len()];
        finals.push(Finals {
            placements,
            depths: depths.into_iter().map(AtomicU8::new).collect(),
        });
        drafts.push(first_looks(smaller, mover, opponent));
    }
    let deepest_promise = drafts
        .iter()
        .flat_map(|drafts| &drafts.drafts)
        .map(|draft| draft.depth)
        .filter(|&depth| depth != UNDECIDED)
        .max();

    for depth in 0..UNDECIDED {
        let mut found = false;
        for (drafts, finals) in drafts.iter_mut().zip(&finals) {
            found |= finish(drafts, finals, depth);
        }
        // Without a position of this depth there is none of the next by quiet moves.
        if !found && Some(depth) >= deepest_promise {
            break;
        }
        // Quiet moves lead from one of the two to the other, in either direction; a subspace that
        // is alone is its own other one.
        for (finals, before) in finals.iter().zip(drafts.iter_mut().rev()) {
            tell_predecessors(smaller.rules, finals, before, depth);
        }
    }

    let solved = finals.into_iter().map(|finals| Solved {
        placements: finals.placements,
        depths: finals
            .depths
            .into_iter()
            .map(AtomicU8::into_inner)
            .collect(),
    });
    sizes.into_iter().zip(solved).collect()
}

/// Takes a [`first_look`] at every position of a subspace.
fn first_looks(smaller: &Oracle, mover: usize, opponent: usize) -> Drafts {
    let placements = Placements::new(opponent, mover);
    let blank = Draft {
        depth: UNDECIDED,
        open_moves: 0,
    };
    let mut drafts = vec![blank; placements.len()];
    drafts
        .par_chunks_mut(placements.row_len())
        .zip(&placements.rows)
        .for_each(|(row, &opponent)| {
            for (draft, mover) in row.iter_mut().zip(placements.row(opponent)) {
                *draft = first_look(smaller, mover, opponent);
            }
        });
    Drafts { placements, drafts }
}

/// Looks at the moves of a position before anything is known of its own subspace.
///
/// The depth is what its removals promise:
///
/// - a removal to a position lost in k: a win in k + 1, with the smallest k. Quiet moves can only
///   make it a quicker win.
/// - all removals lead to won positions: should the quiet moves lose too, the loss is not before
///   k + 1, with the greatest k.
/// - no removal, or one to a draw: nothing.
/// - no move at all: lost in 0, and that is final.
fn first_look(smaller: &Oracle, mover: u32, opponent: u32) -> Draft {
    let mut quiet_moves = 0;
    let mut quickest_win = None;
    let mut slowest_loss = None;
    let mut drawing_removal = false;
    for_each_ply(
        smaller.rules,
        &Position::moving(mover, opponent),
        |after, ply| {
            if ply == Ply::Quiet {
                quiet_moves += 1;
                return;
            }
            // The opponent, with a man less, is on turn now.
            let depth = if count(after.mover) < 3 {
                0
            } else {
                smaller.stored_depth(after.mover, after.opponent)
            };
            match value_of(depth) {
                Value::Loss => quickest_win = Some(quickest_win.map_or(depth, |d| depth.min(d))),
                Value::Win => slowest_loss = slowest_loss.max(Some(depth)),
                Value::Draw => drawing_removal = true,
            }
        },
    );
    let has_removal = quickest_win.is_some() || slowest_loss.is_some() || drawing_removal;
    let open_moves = quiet_moves + u8::from(has_removal);
    let depth = match (quickest_win, slowest_loss) {
        (Some(depth), _) => one_more(depth),
        (None, Some(depth)) if !drawing_removal => one_more(depth),
        _ if open_moves == 0 => 0,
        _ => UNDECIDED,
    };
    Draft { depth, open_moves }
}

/// The depth of a position one ply earlier.
fn one_more(depth: u8) -> u8 {
    assert!(
        depth + 1 < UNDECIDED,
        "a depth of more than 254 plies does not fit into its byte"
    );
    depth + 1
}

/// Makes the drafts with this depth final, and returns whether there are any.
///
/// All wins are. So are the losses that have no open move: the last quiet one has just been
/// closed, or there never was one. A loss that still has open moves is a promise of its removals,
/// and the time has come to keep it: they, together, are an open move no longer. If that was the
/// last one, the position is lost in this depth; otherwise it depends on the quiet moves alone
/// from here on.
fn finish(drafts: &mut Drafts, finals: &Finals, depth: u8) -> bool {
    let is_loss = depth.is_multiple_of(2);
    let finish_row = |row: &mut [Draft], opponent: u32| {
        let mut found = false;
        for (draft, &column) in row.iter_mut().zip(&drafts.placements.columns) {
            if draft.depth != depth {
                continue;
            }
            if is_loss && draft.open_moves > 0 {
                draft.open_moves -= 1;
                if draft.open_moves > 0 {
                    draft.depth = UNDECIDED;
                    continue;
                }
            }
            found = true;
            let index = finals.placements.index(beside(opponent, column), opponent);
            // A row here is spread over many rows there, and other threads write to these too
            // (but not to this position). That is all the finals are atomic for.
            finals.depths[index].store(depth, Relaxed);
        }
        found
    };
    drafts
        .drafts
        .par_chunks_mut(drafts.placements.row_len())
        .zip(&drafts.placements.rows)
        .map(|(row, &opponent)| finish_row(row, opponent))
        .reduce(|| false, |one, other| one | other)
}

/// Tells the predecessors, the positions in `before` from which a quiet move leads to one with
/// this final depth.
fn tell_predecessors(rules: Rules, finals: &Finals, before: &mut Drafts, depth: u8) {
    let is_win = !depth.is_multiple_of(2);
    let tell = |draft: &mut Draft| {
        if is_win {
            draft.open_moves -= 1;
            if draft.open_moves > 0 {
                return;
            }
        }
        // A smaller depth is a quicker win, known already. A greater one is no more than a promise
        // of removals: to win more slowly, or to lose, which is off the table now. (When the last
        // open move has been closed there is neither: both would have left a move open.)
        if draft.depth > depth {
            draft.depth = one_more(depth);
        }
    };
    // The mover here is the opponent of the position before, and his men have not moved: row by
    // row, the same men.
    let row_len = finals.placements.row_len();
    finals
        .depths
        .par_chunks(row_len)
        .zip(before.drafts.par_chunks_mut(row_len))
        .zip(&finals.placements.rows)
        .for_each(|((row, row_before), &mover)| {
            // As in `rank_beside`, worked out once for the many positions of a row.
            let numbers: [usize; 24] = std::array::from_fn(|point| number_beside(mover, point));
            let column_beside = |men| rank_by(|point| numbers[point], men);
            for (known, &column) in row.iter().zip(&finals.placements.columns) {
                if known.load(Relaxed) == depth {
                    let opponent = beside(mover, column);
                    for_each_quiet_predecessor(rules, mover, opponent, |mover_before, _| {
                        tell(&mut row_before[column_beside(mover_before)]);
                    });
                }
            }
        });
}

/// Calls `f` with every position of the moving phase from which a quiet move leads to this one.
///
/// That move was the opponent's. It is taken back by moving one of his men, from where it could
/// not have come by closing a mill, to an empty point it could have come from.
fn for_each_quiet_predecessor(
    rules: Rules,
    mover: u32,
    opponent: u32,
    mut f: impl FnMut(u32, u32),
) {
    let empty = ALL_POINTS & !mover & !opponent;
    let flies = rules.flying && count(opponent) == 3;
    for to in points_of(opponent) {
        if in_mill(opponent, to) {
            continue;
        }
        let origins = if flies {
            empty
        } else {
            empty & BOARD.neighbours[to]
        };
        for from in points_of(origins) {
            f(opponent & !bit(to) | bit(from), mover);
        }
    }
}

// ------------------------------------------------------------------------------------------------
// The whole game
// ------------------------------------------------------------------------------------------------

/// How many men of either player are on the board and in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counts {
    /// The mover's men on the board.
    pub mover: usize,
    /// The opponent's men on the board.
    pub opponent: usize,
    /// How many men the mover has still to place.
    pub mover_hand: u8,
    /// How many men the opponent has still to place.
    pub opponent_hand: u8,
}

impl Counts {
    fn in_hand(&self) -> u8 {
        self.mover_hand + self.opponent_hand
    }

    /// From what belongs to mover and opponent to what belongs to White and Black, or the other
    /// way round. White begins, so White is on turn while the hands are equal.
    fn swap_if_black_moves<T>(&self, one: T, other: T) -> (T, T) {
        if self.mover_hand == self.opponent_hand {
            (one, other)
        } else {
            (other, one)
        }
    }

    /// A placement of these men.
    fn position(&self, white: u32, black: u32) -> Position {
        let (mover, opponent) = self.swap_if_black_moves(white, black);
        Position {
            mover,
            opponent,
            mover_hand: self.mover_hand,
            opponent_hand: self.opponent_hand,
        }
    }

    /// The counts after placing a man without a removal, and with one if any placement of these
    /// men allows it: a mill takes three men, a removal one to be removed.
    fn after_placing(&self) -> (Counts, Option<Counts>) {
        let quiet = Counts {
            mover: self.opponent,
            opponent: self.mover + 1,
            mover_hand: self.opponent_hand,
            opponent_hand: self.mover_hand - 1,
        };
        let removal = (quiet.opponent >= 3 && quiet.mover >= 1).then(|| Counts {
            mover: quiet.mover - 1,
            ..quiet
        });
        (quiet, removal)
    }
}

/// A solved placing subspace.
struct SolvedPlacing {
    counts: Counts,
    /// Of White's men and Black's, whoever is on turn. That keeps the positions after a man has
    /// been placed in few rows, which memory rewards: mover and opponent instead of White and
    /// Black would take more than twice as long.
    placements: Placements,
    depths: Vec<u8>,
}

impl SolvedPlacing {
    fn depth(&self, mover: u32, opponent: u32) -> u8 {
        // Who is White and who is on turn are the same question, so the answer works both ways.
        let (white, black) = self.counts.swap_if_black_moves(mover, opponent);
        self.depths[self.placements.index(white, black)]
    }
}

/// Where the depths of the positions with certain counts are to be found.
enum Known<'a> {
    /// The counts decide, and this is the depth that counts.
    Ended(u8),
    Placing(&'a SolvedPlacing),
    Moving(&'a Solved),
}

impl Known<'_> {
    fn depth(&self, mover: u32, opponent: u32) -> u8 {
        match self {
            Known::Ended(depth) => *depth,
            Known::Placing(solved) => solved.depth(mover, opponent),
            Known::Moving(solved) => solved.depth(mover, opponent),
        }
    }
}

/// The values and depths of the whole game with few men: placing from the empty board, and the
/// moving subspaces it leads to.
///
/// A placing subspace is there if its counts can come about, and then every placement of its men
/// is counted, whether or not play can reach it.
///
/// No game ends while somebody has men in hand. There is always an empty point to place a man on,
/// and the one player who could have too few men with an empty hand is White after his last
/// placing: the first mill takes Black three placings, so by then White has lost at most all but
/// three men. (Black may have too few after his, with which the placing phase ends.)
pub struct GameOracle {
    men: u8,
    moving: Oracle,
    placing: BTreeMap<Counts, SolvedPlacing>,
}

impl GameOracle {
    /// Solves the game with `men` men each.
    ///
    /// # Panics
    ///
    /// If `men` is less than 3 (nobody could ever move) or more than 9 (there must be an empty
    /// point to place the last man on, and memory ends far earlier).
    pub fn solve(rules: Rules, men: u8) -> GameOracle {
        assert!((3..=9).contains(&men));

        let mut placing_counts = BTreeSet::new();
        let mut moving_targets = BTreeSet::new();
        let mut to_visit = vec![Position::start(men).counts()];
        while let Some(counts) = to_visit.pop() {
            if counts.in_hand() > 0 {
                if placing_counts.insert(counts) {
                    let (quiet, removal) = counts.after_placing();
                    to_visit.push(quiet);
                    to_visit.extend(removal);
                }
            } else if decided_by_counts(&counts).is_none() {
                moving_targets.insert((counts.mover, counts.opponent));
            }
        }

        let targets: Vec<(usize, usize)> = moving_targets.into_iter().collect();
        let mut game = GameOracle {
            men,
            moving: Oracle::moving(rules, &targets),
            placing: BTreeMap::new(),
        };
        // Every ply takes a man from a hand, so the emptiest hands come first. There is no way
        // back, so one look at the successors of each position is enough.
        let mut placing_counts: Vec<Counts> = placing_counts.into_iter().collect();
        placing_counts.sort_by_key(Counts::in_hand);
        for counts in placing_counts {
            let solved = game.solve_placing(rules, &counts);
            game.placing.insert(counts, solved);
        }
        game
    }

    fn solve_placing(&self, rules: Rules, counts: &Counts) -> SolvedPlacing {
        let (white, black) = counts.swap_if_black_moves(counts.mover, counts.opponent);
        let placements = Placements::new(white, black);
        let (quiet, removal) = counts.after_placing();
        let after_quiet = self.known(&quiet);
        let after_removal = removal.map(|counts| self.known(&counts));
        let mut depths = vec![UNDECIDED; placements.len()];
        depths
            .par_chunks_mut(placements.row_len())
            .zip(&placements.rows)
            .for_each(|(depths, &white)| {
                for (depth, black) in depths.iter_mut().zip(placements.row(white)) {
                    // A win takes one ply more than the quickest loss it can leave to the
                    // opponent, a loss one more than the slowest win it must.
                    let mut quickest_loss = None;
                    let mut slowest_win = None;
                    let mut draw = false;
                    for_each_ply(rules, &counts.position(white, black), |after, ply| {
                        let known = match ply {
                            Ply::Quiet => &after_quiet,
                            Ply::Removal => after_removal.as_ref().expect("men to remove"),
                        };
                        let after = known.depth(after.mover, after.opponent);
                        match value_of(after) {
                            Value::Loss => {
                                quickest_loss = Some(quickest_loss.map_or(after, |d| after.min(d)));
                            }
                            Value::Draw => draw = true,
                            Value::Win => slowest_win = slowest_win.max(Some(after)),
                        }
                    });
                    *depth = match (quickest_loss, draw, slowest_win) {
                        (Some(loss), _, _) => one_more(loss),
                        (None, true, _) => UNDECIDED,
                        (None, false, Some(win)) => one_more(win),
                        (None, false, None) => unreachable!("a man in hand can be placed"),
                    };
                }
            });
        SolvedPlacing {
            counts: *counts,
            placements,
            depths,
        }
    }

    /// With how many men each the game is played.
    pub fn men(&self) -> u8 {
        self.men
    }

    /// The moving subspaces, with depths.
    pub fn moving(&self) -> &Oracle {
        &self.moving
    }

    /// The value of a position, of either phase, to the side to move.
    ///
    /// # Panics
    ///
    /// If its counts of men cannot come about in this game.
    pub fn value(&self, position: &Position) -> Value {
        decided_by_counts(&position.counts())
            .unwrap_or_else(|| value_of(self.stored_depth(position)))
    }

    /// In how many plies the game ends if the winner hurries and the loser delays; none for a
    /// draw, 0 if it has ended.
    ///
    /// # Panics
    ///
    /// If its counts of men cannot come about in this game.
    pub fn depth(&self, position: &Position) -> Option<u16> {
        match decided_by_counts(&position.counts()) {
            Some(_) => Some(0),
            None => depth_of(self.stored_depth(position)),
        }
    }

    fn stored_depth(&self, position: &Position) -> u8 {
        self.known(&position.counts())
            .depth(position.mover, position.opponent)
    }

    fn known(&self, counts: &Counts) -> Known<'_> {
        if let Some(value) = decided_by_counts(counts) {
            // Black may be left with two men after his last placing, with White on turn. White
            // could do what he liked then, and Black would have lost on his turn: a win in 1.
            Known::Ended(u8::from(value == Value::Win))
        } else if counts.in_hand() > 0 {
            Known::Placing(self.placing_subspace(counts))
        } else {
            Known::Moving(self.moving.subspace(counts.mover, counts.opponent))
        }
    }

    /// The placing subspaces, in ascending order: the order of the mover's men, the opponent's
    /// men, the mover's hand, the opponent's hand.
    pub fn placing_subspaces(&self) -> Vec<Counts> {
        self.placing.keys().copied().collect()
    }

    /// Calls `f` with every placing position (somebody has men in hand) and its value.
    pub fn for_each_placing(&self, mut f: impl FnMut(&Position, Value)) {
        for counts in self.placing.keys() {
            self.for_each_placing_in(counts, &mut f);
        }
    }

    /// As [`GameOracle::for_each_placing`], in one subspace only.
    ///
    /// # Panics
    ///
    /// If its counts of men cannot come about in this game.
    pub fn for_each_placing_in(&self, counts: &Counts, mut f: impl FnMut(&Position, Value)) {
        self.for_each_placing_with_depth(counts, |position, value, _| f(position, value));
    }

    /// As [`GameOracle::for_each_placing_in`], with the depth too (none for a draw).
    pub fn for_each_placing_with_depth(
        &self,
        counts: &Counts,
        mut f: impl FnMut(&Position, Value, Option<u16>),
    ) {
        let solved = self.placing_subspace(counts);
        for ((white, black), &depth) in solved.placements.iter().zip(&solved.depths) {
            f(
                &counts.position(white, black),
                value_of(depth),
                depth_of(depth),
            );
        }
    }

    fn placing_subspace(&self, counts: &Counts) -> &SolvedPlacing {
        self.placing
            .get(counts)
            .unwrap_or_else(|| panic!("no placing leads to {counts:?}"))
    }
}
