//! The tables of grades of a database: their files, and whether they agree with themselves and
//! with the tables of values beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use thiserror::Error;

use crate::database::Database;
use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{Position, Subspace, Value};
use crate::table::{Counts, Histogram, Table, TableError, value_in};
use crate::verify::proof::GradeSource;
use crate::verify::recount::Recount;
use crate::verify::walk::Walk;

/// The tables of grades whose files are whole.
pub(super) type Depths<'a> = BTreeMap<Subspace, &'a Table>;

/// A position of which the two tables of its subspace say different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Disagreement {
    /// The position, its slot's orientation.
    pub position: Position,
    /// What the table of values says.
    pub value: Value,
    /// What the table of grades says.
    pub grade: Grade,
}

/// What counting the grades of a table again came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Inspected {
    /// The canonical positions of each grade.
    pub histogram: Histogram,
    /// Positions in every orientation.
    pub raw: Counts,
    /// How many canonical positions have another value in the table of values.
    pub disagreeing: u64,
    /// The first of those.
    pub examples: Vec<Disagreement>,
}

/// How many disagreements of a table are kept as examples.
const EXAMPLES: usize = 5;

impl Inspected {
    /// The counts of values.
    pub(super) fn recount(&self) -> Recount {
        Recount {
            canonical: self.histogram.counts(),
            raw: self.raw,
        }
    }

    /// The sum of this and what comes after it in the order of slots.
    fn then(mut self, other: Self) -> Self {
        self.histogram.merge(&other.histogram);
        self.raw += other.raw;
        self.disagreeing += other.disagreeing;
        let room = EXAMPLES - self.examples.len();
        self.examples.extend(other.examples.into_iter().take(room));
        self
    }
}

/// Inspects one table of grades.
struct Inspector<'a> {
    index: &'a Index,
    subspace: Subspace,
    /// The table of values of the same subspace, where it is whole.
    values: Option<&'a Table>,
}

impl Inspector<'_> {
    /// Counts the grades of consecutive slots, of which `start` is the first, and compares them
    /// with the values. `packed` is scratch.
    fn piece(
        &self,
        start: u64,
        codes: &[u8],
        packed: &mut Vec<u8>,
    ) -> Result<Inspected, TableError> {
        let mut inspected = Inspected::default();
        self.count(start, codes, &mut inspected);
        if let Some(values) = self.values {
            self.compare(values, start, codes, packed, &mut inspected)?;
        }
        Ok(inspected)
    }

    fn count(&self, first: u64, codes: &[u8], inspected: &mut Inspected) {
        let (index, subspace) = (self.index, self.subspace);
        let (men, _) = Index::row_and_rank_men(subspace);
        let rows = index.rows(men);
        let per_row = index.slots_per_row(subspace);
        let symmetries = index.board().symmetries().len() as u64;
        let end = first + codes.len() as u64;
        let of = |slots: Range<u64>| &codes[(slots.start - first) as usize..][..count(&slots)];
        let row_of = |slot: u64| (slot / per_row) as usize;
        let mut start = first;
        while start < end {
            let lone = rows.stabiliser_order(row_of(start)) == 1;
            // Rows of the same kind, as far as they follow each other.
            let mut stop = start;
            while stop < end && (rows.stabiliser_order(row_of(stop)) == 1) == lone {
                stop = end.min((row_of(stop) as u64 + 1) * per_row);
            }
            if lone {
                // No twins, and every position has all orientations.
                let mut run = Histogram::new();
                run.add_run(start, of(start..stop));
                inspected.histogram.merge(&run);
                inspected.raw += run.counts() * symmetries;
            } else {
                for visit in Walk::new(index, subspace, start..stop) {
                    let Some(orientations) = visit.orientations(index, subspace) else {
                        continue;
                    };
                    // Tables give codes of grades only.
                    let code = codes[(visit.slot - first) as usize];
                    let grade = Grade::from_code(code).unwrap_or(Grade::DRAW);
                    inspected.histogram.add(grade, visit.slot);
                    inspected.raw.add_of(grade.value(), orientations);
                }
            }
            start = stop;
        }
    }

    fn compare(
        &self,
        values: &Table,
        first: u64,
        codes: &[u8],
        packed: &mut Vec<u8>,
        inspected: &mut Inspected,
    ) -> Result<(), TableError> {
        let block_slots = u64::from(values.header().spec.block_slots);
        let end = first + codes.len() as u64;
        for block in first / block_slots..end.div_ceil(block_slots) {
            values.decode_block(block, packed)?;
            let begin = block * block_slots;
            let slots = first.max(begin)..end.min(begin + block_slots);
            for slot in slots {
                let value = value_in(packed, (slot - begin) as usize);
                let code = codes[(slot - first) as usize];
                let grade = Grade::from_code(code).unwrap_or(Grade::DRAW);
                if grade.value() != value {
                    self.differ(slot, value, grade, inspected);
                }
            }
        }
        Ok(())
    }

    /// Takes down a slot about which the tables differ, unless it is a twin's.
    #[cold]
    fn differ(&self, slot: u64, value: Value, grade: Grade, inspected: &mut Inspected) {
        let (mover, opponent) = self.index.position(self.subspace, slot);
        if self.index.slot(self.subspace, mover, opponent) != slot {
            return;
        }
        inspected.disagreeing += 1;
        if inspected.examples.len() == EXAMPLES {
            return;
        }
        inspected.examples.push(Disagreement {
            position: Position::in_subspace(self.subspace, mover, opponent),
            value,
            grade,
        });
    }
}

/// How many slots are in a range that lies in memory.
fn count(slots: &Range<u64>) -> usize {
    (slots.end - slots.start) as usize
}

/// The sum of pieces, in the order of slots, so that the examples do not depend on threads.
fn sum(pieces: Vec<Result<Inspected, TableError>>) -> Result<Inspected, TableError> {
    pieces
        .into_iter()
        .try_fold(Inspected::default(), |sum, piece| Ok(sum.then(piece?)))
}

/// Counts the grades of a table again and compares them with its table of values, block by block.
/// `done` is told of slots.
pub(super) fn inspect(
    index: &Index,
    subspace: Subspace,
    depths: &Table,
    values: Option<&Table>,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Inspected, TableError> {
    let inspector = Inspector {
        index,
        subspace,
        values,
    };
    let header = depths.header();
    let block_slots = u64::from(header.spec.block_slots);
    let pieces = (0..header.blocks).into_par_iter().map_init(
        || (Vec::new(), Vec::new()),
        |(codes, packed), block| {
            depths.decode_block(block, codes)?;
            let inspected = inspector.piece(block * block_slots, codes, packed);
            done(codes.len() as u64);
            inspected
        },
    );
    sum(pieces.collect())
}

/// Why a proof has no grades.
#[derive(Debug, Error)]
pub(super) enum SourceError {
    /// A table was found whole, and cannot be read any more.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The table is not among those that are whole.
    #[error("there is no sound table of depths of {0}")]
    Absent(Subspace),
}

/// The grades for a proof. Tables are inspected on the way, when they are first read.
pub(super) struct Source<'a> {
    pub database: &'a Database,
    pub depths: &'a Depths<'a>,
    /// The subspaces whose tables are to be inspected.
    pub inspect: BTreeSet<Subspace>,
    /// Those of them whose tables of values are whole.
    pub with_values: BTreeSet<Subspace>,
    /// What came of it.
    pub inspected: Mutex<BTreeMap<Subspace, Inspected>>,
}

impl Source<'_> {
    /// Inspects the grades of a table that lie in memory.
    fn look_at(&self, subspace: Subspace, codes: &[u8]) -> Result<(), TableError> {
        let seen = || {
            self.inspected
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if !self.inspect.contains(&subspace) || seen().contains_key(&subspace) {
            return Ok(());
        }
        let with_values = self.with_values.contains(&subspace);
        let inspector = Inspector {
            index: self.database.index(),
            subspace,
            // It has been opened before.
            values: self.database.table(subspace).ok().filter(|_| with_values),
        };
        // As blocks of the table of values are, so that none is decoded twice.
        let block_slots = inspector
            .values
            .map_or(1 << 16, |values| values.header().spec.block_slots as usize);
        let pieces = codes.par_chunks(block_slots).enumerate().map_init(
            Vec::new,
            |packed, (block, codes)| {
                inspector.piece(block as u64 * block_slots as u64, codes, packed)
            },
        );
        let inspected = sum(pieces.collect())?;
        seen().insert(subspace, inspected);
        Ok(())
    }
}

impl GradeSource for Source<'_> {
    type Error = SourceError;

    fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, SourceError> {
        let table = self.depths.get(&subspace);
        let table = table.ok_or(SourceError::Absent(subspace))?;
        let codes = table.decode_grades()?.into_codes().into_vec();
        self.look_at(subspace, &codes)?;
        Ok(codes)
    }
}

/// What is wrong with what a table of grades says of itself: what was counted, and what is
/// recorded; `None` where they agree.
pub(super) fn misrecorded(found: &Histogram, recorded: &Histogram) -> Option<(String, String)> {
    let codes = (0..=u8::MAX).filter_map(Grade::from_code);
    for grade in codes {
        let [expected, recorded] = [found.of(grade), recorded.of(grade)];
        if expected != recorded {
            let text = |count: u64| format!("{count} with {grade}");
            return Some((text(expected), text(recorded)));
        }
    }
    let slots =
        |histogram: &Histogram| [histogram.deepest_win_slot(), histogram.deepest_loss_slot()];
    let names = ["win", "loss"];
    let pairs = slots(found).into_iter().zip(slots(recorded)).zip(names);
    for ((expected, recorded), name) in pairs {
        if expected != recorded {
            let text = |slot: Option<u64>| {
                let slot = slot.map_or("no slot".to_owned(), |slot| format!("slot {slot}"));
                format!("the first of the deepest of {name} in {slot}")
            };
            return Some((text(expected), text(recorded)));
        }
    }
    None
}
