//! Every position against its successors, with the rules' own moves, one at a time.

use std::fmt::Debug;
use std::sync::Arc;

use rayon::prelude::*;

use crate::board::PointSet;
use crate::index::Index;
use crate::rules::{Move, Position, RuleSet, Subspace, Value};
use crate::table::Values;
use crate::verify::homes::{Home, Homes};
use crate::verify::plan::Task;
use crate::verify::walk::{Visit, Walk, chunks};

/// What is said of a position, from the point of view of the side to move: the greater the better.
pub(super) trait Verdict: Copy + Ord + Debug + Send + Sync {
    /// Nothing is worse: what a position without a move is.
    const LOST: Self;
    /// Nothing is better.
    const BEST: Self;

    /// What is said of a position in which the game is over for want of men.
    fn of(outcome: Value) -> Self;

    /// What a move is worth that leads to a position of which this is said.
    fn before(self) -> Self;

    /// Whether it can be said of a position at all.
    fn is_sound(self) -> bool {
        true
    }
}

impl Verdict for Value {
    const LOST: Self = Value::Loss;
    const BEST: Self = Value::Win;

    #[inline]
    fn of(outcome: Value) -> Self {
        outcome
    }

    #[inline]
    fn before(self) -> Self {
        -self
    }
}

/// A whole table in memory.
pub(super) trait Judged: Send + Sync {
    /// What it says of positions.
    type Verdict: Verdict;

    /// How many slots it has.
    fn len(&self) -> u64;

    /// What it says of the position of a slot.
    fn get(&self, slot: u64) -> Self::Verdict;
}

impl Judged for Values {
    type Verdict = Value;

    #[inline]
    fn len(&self) -> u64 {
        self.len()
    }

    #[inline]
    fn get(&self, slot: u64) -> Value {
        self.get(slot)
    }
}

/// A table that moves lead to.
pub(super) struct Target<T> {
    subspace: Subspace,
    per_row: u64,
    values: Arc<T>,
}

impl<T> Target<T> {
    pub(super) fn new(index: &Index, subspace: Subspace, values: Arc<T>) -> Self {
        Self {
            subspace,
            per_row: index.slots_per_row(subspace),
            values,
        }
    }
}

/// A position whose value is not what its successors make it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WrongPosition<V> {
    /// Its slot.
    pub slot: u64,
    /// The position, its slot's orientation.
    pub position: Position,
    /// The value in the table.
    pub found: V,
    /// The best a move leads to, or a loss without one.
    pub expected: V,
    /// The first of the moves that lead there.
    pub because: Option<Move>,
}

/// What a check came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Checked<V> {
    /// How many positions were looked at.
    pub positions: u64,
    /// How many were wrong.
    pub wrong: u64,
    /// The first of the wrong ones.
    pub examples: Vec<WrongPosition<V>>,
}

impl<V> Default for Checked<V> {
    fn default() -> Self {
        Self {
            positions: 0,
            wrong: 0,
            examples: Vec::new(),
        }
    }
}

/// How many wrong positions of a table are kept as examples.
const EXAMPLES: usize = 5;

impl<V> Checked<V> {
    /// The sum of this and what comes after it in the order of slots.
    fn then(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.wrong += other.wrong;
        let room = EXAMPLES - self.examples.len();
        self.examples.extend(other.examples.into_iter().take(room));
        self
    }
}

/// Checks the positions of one table.
pub(super) struct Checker<'a, T> {
    pub rules: &'a RuleSet,
    pub index: &'a Index,
    pub homes: &'a Homes<'a>,
    pub subspace: Subspace,
    pub values: Arc<T>,
    pub targets: Vec<Target<T>>,
    /// Is told of positions that have been checked.
    pub done: &'a (dyn Fn(u64) + Sync),
}

impl<T: Judged> Checker<'_, T> {
    /// Checks the positions that were planned.
    pub(super) fn run(&self, task: &Task, seed: u64) -> Checked<T::Verdict> {
        match task.positions {
            0 => Checked::default(),
            _ if task.exhaustive => self.all(),
            count => self.sample(count, seed),
        }
    }

    /// Checks every position of the table.
    pub(super) fn all(&self) -> Checked<T::Verdict> {
        self.check(self.values.len(), |slots| {
            Walk::new(self.index, self.subspace, slots)
        })
    }

    /// Checks `count` positions, one at a random place of each of as many equal parts of the
    /// table; the same ones for the same seed.
    fn sample(&self, count: u64, seed: u64) -> Checked<T::Verdict> {
        let slots = u128::from(self.values.len());
        let part = |number: u64| (slots * u128::from(number) / u128::from(count)) as u64;
        self.check(count, |parts| {
            parts.map(move |number| {
                let (start, end) = (part(number), part(number + 1));
                let slot = start + mixed(seed ^ mixed(number)) % (end - start).max(1);
                self.home_visit(slot)
            })
        })
    }

    /// The position of a slot, in the slot it has its value in.
    fn home_visit(&self, slot: u64) -> Visit {
        let visit = |slot| {
            let mut walk = Walk::new(self.index, self.subspace, slot..slot + 1);
            walk.next().expect("a slot has a position")
        };
        let drawn = visit(slot);
        if drawn.orientations(self.index, self.subspace).is_some() {
            return drawn;
        }
        let position = drawn.position(self.subspace);
        let (mover, opponent) = (position.mover(), position.opponent());
        visit(self.index.slot(self.subspace, mover, opponent))
    }

    fn check<V: Iterator<Item = Visit>>(
        &self,
        count: u64,
        visits: impl Fn(std::ops::Range<u64>) -> V + Sync,
    ) -> Checked<T::Verdict> {
        let pieces = chunks(count).map(|piece| {
            let mut checked = Checked::default();
            let planned = piece.end - piece.start;
            for visit in visits(piece) {
                if visit.orientations(self.index, self.subspace).is_none() {
                    continue;
                }
                checked.positions += 1;
                let position = visit.position(self.subspace);
                let (found, expected) = (self.values.get(visit.slot), self.expected(&position));
                if found != expected || !found.is_sound() {
                    checked.wrong += 1;
                    if checked.examples.len() < EXAMPLES {
                        checked.examples.push(WrongPosition {
                            slot: visit.slot,
                            position,
                            found,
                            expected,
                            because: self.best_move(&position, expected),
                        });
                    }
                }
            }
            (self.done)(planned);
            checked
        });
        // Pieces are joined in their order, so that the examples do not depend on threads.
        pieces
            .collect::<Vec<_>>()
            .into_iter()
            .fold(Checked::default(), Checked::then)
    }

    /// The value a position has by its successors.
    #[inline]
    fn expected(&self, position: &Position) -> T::Verdict {
        let mut best = T::Verdict::LOST;
        let mut look_up = self.look_up();
        self.rules.each_successor(position, |_, next| {
            if best < T::Verdict::BEST {
                best = best.max(look_up(&next).before());
            }
        });
        best
    }

    /// The first move that leads to this value.
    #[cold]
    fn best_move(&self, position: &Position, value: T::Verdict) -> Option<Move> {
        let mut look_up = self.look_up();
        let successors = self.rules.successors(position).into_iter();
        let mut leading = successors.filter(|(_, next)| look_up(next).before() == value);
        leading.next().map(|(played, _)| played)
    }

    /// Looks up the values of successors of one position. Most of them have the same men in the
    /// place that gives the row, which is then found once.
    #[inline]
    fn look_up(&self) -> impl FnMut(&Position) -> T::Verdict {
        let mut last: Option<(PointSet, Home<'_>)> = None;
        move |next| {
            if let Some(value) = self.rules.outcome(next) {
                return T::Verdict::of(value);
            }
            let subspace = next.subspace();
            let target = self
                .targets
                .iter()
                .find(|target| target.subspace == subspace);
            let target = target.expect("moves lead to the subspaces they lead to");
            let (first, other) = if subspace.mover_began() {
                (next.mover(), next.opponent())
            } else {
                (next.opponent(), next.mover())
            };
            let home = match last {
                Some((set, home)) if set == first => home,
                _ => self.homes.home(first),
            };
            last = Some((first, home));
            target
                .values
                .get(self.homes.slot(home, target.per_row, other))
        }
    }
}

/// A number that looks like chance (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every real successor lies in a subspace the list names, or the game is over.
    #[test]
    fn moves_lead_to_the_subspaces_listed() {
        let rules = RuleSet::by_name("standard").unwrap();
        let index = Index::new(rules.board());
        let subspaces = rules.moving_subspaces().into_iter();
        for subspace in subspaces.chain(rules.placing_subspaces()) {
            let listed: Vec<_> = rules.subspaces_after(subspace).collect();
            for next in &listed {
                assert!(rules.occurs(*next), "{subspace} -> {next}");
            }
            let slots = index.slots(subspace);
            let mut seen = Vec::new();
            for sample in 0..300 {
                let slot = mixed(sample) % slots;
                let mut walk = Walk::new(&index, subspace, slot..slot + 1);
                let position = walk.next().unwrap().position(subspace);
                rules.each_successor(&position, |_, next| {
                    if rules.outcome(&next).is_none() {
                        assert!(listed.contains(&next.subspace()), "{subspace}");
                        seen.push(next.subspace());
                    }
                });
            }
            for next in listed {
                assert!(
                    seen.contains(&next),
                    "{subspace} -> {next} never comes about"
                );
            }
        }
    }
}
