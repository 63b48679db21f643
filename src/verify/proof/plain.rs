//! The same check in the plainest way: one position at a time, with the rules' own moves. It is
//! slow, and there is little in it to be wrong.

use std::sync::Arc;

use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{RuleSet, Subspace, Value};
use crate::verify::consistency::{Checker, Judged, Target, Verdict};
use crate::verify::homes::Homes;

use super::{Fault, TableProof};

/// The code of a grade, or of none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Code(u8);

impl Verdict for Code {
    const LOST: Self = Self(Grade::OVER.code());
    const BEST: Self = Self(u8::MAX);

    fn of(outcome: Value) -> Self {
        match outcome {
            Value::Loss => Self::LOST,
            Value::Draw => Self(Grade::DRAW.code()),
            // The other side has too few men, and has lost when it is on turn, in a ply.
            Value::Win => Self::BEST,
        }
    }

    #[inline]
    fn before(self) -> Self {
        match Grade::from_code(self.0) {
            // A position without a grade is wrong where it stands. Nobody goes there.
            None => Self::LOST,
            Some(grade) => match grade.before() {
                Some(before) => Self(before.code()),
                // A grade would say so if it could.
                None => NONE,
            },
        }
    }

    #[inline]
    fn is_sound(self) -> bool {
        Grade::from_code(self.0).is_some()
    }
}

/// The code between the deepest loss and the draw, which stands for no grade.
const NONE: Code = Code(127);

/// The codes of a table, as they were read.
pub(super) struct Codes(pub Vec<u8>);

impl Judged for Codes {
    type Verdict = Code;

    #[inline]
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    #[inline]
    fn get(&self, slot: u64) -> Code {
        Code(self.0[slot as usize])
    }
}

/// Checks every position of a table against those after it.
pub(super) fn prove(
    rules: &RuleSet,
    index: &Index,
    homes: &Homes<'_>,
    subspace: Subspace,
    table: impl Fn(Subspace) -> Arc<Codes>,
    done: &(dyn Fn(u64) + Sync),
) -> TableProof {
    let after = rules.subspaces_after(subspace);
    let checker = Checker {
        rules,
        index,
        homes,
        subspace,
        values: table(subspace),
        targets: after
            .map(|after| Target::new(index, after, table(after)))
            .collect(),
        done,
    };
    let checked = checker.all();
    let first = checked.examples.into_iter().next();
    TableProof {
        subspace,
        positions: checked.positions,
        wrong: checked.wrong,
        first: first.map(|wrong| Fault {
            slot: wrong.slot,
            position: wrong.position,
            stored: wrong.found.0,
            expected: Grade::from_code(wrong.expected.0),
            because: wrong.because,
        }),
    }
}
