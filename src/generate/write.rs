//! From the planes of a level to its tables.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::GenerateError;
use crate::board::PointSet;
use crate::grade::{DEEPEST_LOSS, Grade};
use crate::index::Index;
use crate::planes::{
    self, Bits, Bounds, ClassCounts, Extractor, Graded, Kernel, Plane, Planes, Task,
};
use crate::rules::{Colour, RuleSet, Subspace};
use crate::solve::{Level, Solution, SolveError, count_level};
use crate::table::{
    Counts, EncodedBlock, Encoder, Histogram, Metric, TableEntry, TableSpec, TableWriter,
};

/// The slots one task makes blocks of: whole ones of either kind.
const TASK_SLOTS: u64 = 32 * Metric::Values.block_slots() as u64;
const _: () = assert!(TASK_SLOTS.is_multiple_of(Metric::Grades.block_slots() as u64));

/// The tasks done between two writes to the file; their blocks wait in memory.
const TASKS_PER_BATCH: usize = 32;

/// The finished tables of a subspace.
pub(super) struct Written {
    pub(super) values: TableEntry,
    /// Where depths are known.
    pub(super) grades: Option<TableEntry>,
}

/// What tables are made of a solution.
pub(super) trait Product: Solution {
    /// The streams of one class of rows, as an [`Extractor`] gives them.
    type Streams: Default + Send;

    /// Collects the positions of `rows`, the first `skip` left out.
    fn extract(streams: &mut Self::Streams, rows: &Rows<'_>, skip: u64);

    /// The streams of wins and of losses of the side to move.
    fn values(streams: &mut Self::Streams, side: Colour) -> [&[u64]; 2];

    /// The first `len` codes of the side to move, where there are grades.
    fn codes(streams: &mut Self::Streams, side: Colour, len: usize, codes: &mut Vec<u8>);
}

impl Product for Bounds {
    type Streams = Extractor<{ Bounds::WORDS }>;

    fn extract(streams: &mut Self::Streams, rows: &Rows<'_>, skip: u64) {
        extract(streams, rows, Self::row_words(rows.level.empty()), skip);
    }

    fn values(streams: &mut Self::Streams, side: Colour) -> [&[u64]; 2] {
        let streams = streams.finish();
        // A player wins what the other loses: where White has no hope.
        for word in &mut streams[Plane::Hope as usize] {
            *word = !*word;
        }
        let [sure, lost] = streams;
        match side {
            Colour::White => [sure, lost],
            Colour::Black => [lost, sure],
        }
    }

    fn codes(_streams: &mut Self::Streams, _side: Colour, _len: usize, _codes: &mut Vec<u8>) {}
}

/// The streams of the bits of codes, and those of values made from them.
#[derive(Default)]
pub(super) struct GradeStreams {
    codes: Extractor<{ Graded::WORDS }>,
    wins: Vec<u64>,
    losses: Vec<u64>,
}

impl Product for Graded {
    type Streams = GradeStreams;

    fn extract(streams: &mut Self::Streams, rows: &Rows<'_>, skip: u64) {
        let words = Self::row_words(rows.level.empty());
        extract(&mut streams.codes, rows, words, skip);
    }

    fn values(streams: &mut Self::Streams, side: Colour) -> [&[u64]; 2] {
        let GradeStreams {
            codes,
            wins,
            losses,
        } = streams;
        planes::decided(codes.finish(), wins, losses);
        match side {
            Colour::White => [wins, losses],
            Colour::Black => [losses, wins],
        }
    }

    fn codes(streams: &mut Self::Streams, side: Colour, len: usize, codes: &mut Vec<u8>) {
        let streams = streams.codes.finish();
        if side == Colour::Black {
            planes::of_the_other_side(streams);
        }
        planes::codes(streams, len, codes);
    }
}

/// One class of consecutive rows.
pub(super) struct Rows<'a> {
    level: &'a Level<'a>,
    planes: &'a [u64],
    rows: Range<usize>,
    men: usize,
    kernel: Kernel,
}

fn extract<const N: usize>(extractor: &mut Extractor<N>, rows: &Rows<'_>, words: usize, skip: u64) {
    extractor.restart(skip);
    rows.kernel.run(ExtractRows {
        rows,
        words,
        extractor,
    });
}

struct ExtractRows<'a, const N: usize> {
    rows: &'a Rows<'a>,
    words: usize,
    extractor: &'a mut Extractor<N>,
}

impl<const N: usize> Task for ExtractRows<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let Rows { level, men, .. } = *self.rows;
        for row in self.rows.rows.clone() {
            let row = &self.rows.planes[level.place(row) * self.words..][..self.words];
            self.extractor.push_row::<B>(row, level.empty(), men);
        }
    }
}

/// The planes of a level to be written.
pub(super) struct LevelWriter<'a> {
    pub(super) dir: &'a Path,
    pub(super) rules: &'a RuleSet,
    pub(super) level: &'a Level<'a>,
    pub(super) planes: &'a [u64],
    /// Whose turn it is: the tables hold values for that side.
    pub(super) side: Colour,
    pub(super) kernel: Kernel,
}

/// What a task has made.
struct Part {
    values: Vec<EncodedBlock>,
    grades: Vec<EncodedBlock>,
    histogram: Histogram,
}

/// The buffers of a thread.
struct Buffers<S> {
    streams: S,
    codes: Vec<u8>,
    values: Encoder,
    grades: Encoder,
}

impl LevelWriter<'_> {
    /// Writes the tables of these subspaces, which all have their rows in this level.
    pub(super) fn write<P: Product>(
        &self,
        tables: &[Subspace],
    ) -> Result<Vec<Written>, GenerateError> {
        let counts = count_level::<P>(self.level, self.planes, self.kernel);
        tables
            .par_iter()
            .map(|&table| {
                let (_, others) = Index::row_and_rank_men(table);
                let canonical = self.counts(counts.canonical[others]);
                let raw = self.counts(counts.raw[others]);
                self.write_table::<P>(table, canonical, raw)
            })
            .collect()
    }

    fn counts(&self, white: ClassCounts) -> Counts {
        let (wins, losses) = match self.side {
            Colour::White => (white.wins, white.losses),
            Colour::Black => (white.losses, white.wins),
        };
        Counts {
            wins,
            losses,
            draws: white.draws,
        }
    }

    fn write_table<P: Product>(
        &self,
        table: Subspace,
        canonical: Counts,
        raw: Counts,
    ) -> Result<Written, GenerateError> {
        let index = self.level.index();
        let spec = |metric| TableSpec::new(self.rules, index, table, metric);
        let encoder = |metric: Metric| Encoder::new(metric.codec(), metric.codec().usual_level());
        let slots = spec(Metric::Values).slots;
        let mut values = TableWriter::create(self.dir, spec(Metric::Values))?;
        let mut grades = match P::DEPTHS {
            true => Some(TableWriter::create(self.dir, spec(Metric::Grades))?),
            false => None,
        };
        let mut histogram = Histogram::new();
        let tasks: Vec<u64> = (0..slots).step_by(TASK_SLOTS as usize).collect();
        for batch in tasks.chunks(TASKS_PER_BATCH) {
            let parts: Vec<Part> = batch
                .par_iter()
                .map_init(
                    || Buffers {
                        streams: P::Streams::default(),
                        codes: Vec::new(),
                        values: encoder(Metric::Values),
                        grades: encoder(Metric::Grades),
                    },
                    |buffers, &first| {
                        let last = slots.min(first + TASK_SLOTS);
                        self.encode::<P>(table, first..last, buffers)
                    },
                )
                .collect();
            for part in parts {
                values.append(part.values)?;
                if let Some(grades) = &mut grades {
                    grades.append(part.grades)?;
                    histogram.merge(&part.histogram);
                }
            }
        }
        // The greatest depth also stands for what would be deeper.
        let deepest = histogram.deepest();
        let too_deep = |plies: Option<u32>| plies.is_some_and(|plies| plies >= DEEPEST_LOSS);
        if too_deep(deepest.win) || too_deep(deepest.loss) {
            return Err(GenerateError::Solve(SolveError::TooDeep));
        }
        let values = values.finish(canonical, raw)?;
        let grades = match grades {
            Some(writer) => Some(writer.finish_grades(&histogram, raw)?),
            None => None,
        };
        Ok(Written { values, grades })
    }

    /// The blocks of these slots.
    fn encode<P: Product>(
        &self,
        table: Subspace,
        slots: Range<u64>,
        buffers: &mut Buffers<P::Streams>,
    ) -> Part {
        let per_row = self.level.index().slots_per_row(table);
        let rows = Rows {
            level: self.level,
            planes: self.planes,
            rows: (slots.start / per_row) as usize..slots.end.div_ceil(per_row) as usize,
            men: Index::row_and_rank_men(table).1,
            kernel: self.kernel,
        };
        P::extract(&mut buffers.streams, &rows, slots.start % per_row);
        let count = (slots.end - slots.start) as usize;
        const BLOCK: u32 = Metric::Values.block_slots();
        const { assert!(BLOCK.is_multiple_of(64)) };
        let block = BLOCK as usize;
        let [wins, losses] = P::values(&mut buffers.streams, self.side);
        let values = (0..count)
            .step_by(block)
            .map(|start| {
                let len = block.min(count - start);
                let (wins, losses) = (&wins[start / 64..], &losses[start / 64..]);
                buffers.values.encode(wins, losses, len)
            })
            .collect();
        let mut part = Part {
            values,
            grades: Vec::new(),
            histogram: Histogram::new(),
        };
        if P::DEPTHS {
            let codes = &mut buffers.codes;
            P::codes(&mut buffers.streams, self.side, count, codes);
            self.count_codes(table, &rows, slots, codes, &mut part.histogram);
            let blocks = codes.chunks(Metric::Grades.block_slots() as usize);
            part.grades = blocks
                .map(|codes| buffers.grades.encode_grades(codes))
                .collect();
        }
        part
    }

    /// Counts the codes of the canonical ones among these slots.
    fn count_codes(
        &self,
        table: Subspace,
        rows: &Rows<'_>,
        slots: Range<u64>,
        codes: &[u8],
        histogram: &mut Histogram,
    ) {
        let (index, level) = (self.level.index(), self.level);
        for row in rows.rows.clone() {
            let of_row = index.row_slots(table, row);
            let first = of_row.start.max(slots.start);
            let last = of_row.end.min(slots.end);
            let codes = &codes[(first - slots.start) as usize..(last - slots.start) as usize];
            let place = level.place(row);
            let stabiliser: Vec<_> = level.stabiliser(place).skip(1).collect();
            if stabiliser.is_empty() {
                histogram.add_run(first, codes);
                continue;
            }
            let frame = level.frame(place);
            // Symmetries as permutations of the coordinates.
            let permutations: Vec<Vec<u8>> = stabiliser
                .iter()
                .map(|symmetry| {
                    (0..frame.len())
                        .map(|c| frame.coordinate(symmetry.point(frame.point(c))) as u8)
                        .collect()
                })
                .collect();
            let sets = PointSet::subsets(level.empty(), rows.men);
            let sets = sets.skip((first - of_row.start) as usize);
            for ((set, &code), slot) in sets.zip(codes).zip(first..) {
                let is_home = permutations.iter().all(|permutation| {
                    let image = set.iter().fold(0, |image, coordinate| {
                        image | 1u32 << permutation[coordinate.number()]
                    });
                    image >= set.bits()
                });
                if is_home {
                    let grade = Grade::from_code(code).unwrap_or(Grade::DRAW);
                    histogram.add(grade, slot);
                }
            }
        }
    }
}
