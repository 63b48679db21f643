//! From the planes of a level to its tables.

use std::path::Path;

use rayon::prelude::*;

use crate::index::Index;
use crate::planes::{Bits, ClassCounts, Extractor, Kernel, Task};
use crate::rules::{Colour, RuleSet, Subspace};
use crate::solve::{Level, count_level};
use crate::table::{
    Counts, DEFAULT_BLOCK_SLOTS, EncodedBlock, Encoder, Metric, TableEntry, TableError, TableSpec,
    TableWriter,
};

/// The blocks one task makes.
const BLOCKS_PER_TASK: u64 = 32;

/// The tasks done between two writes to the file; their blocks wait in memory.
const TASKS_PER_BATCH: usize = 32;

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

impl LevelWriter<'_> {
    /// Writes the tables of these subspaces, which all have their rows in this level.
    pub(super) fn write(&self, tables: &[Subspace]) -> Result<Vec<TableEntry>, TableError> {
        let counts = count_level(self.level, self.planes, self.kernel);
        tables
            .par_iter()
            .map(|&table| {
                let (_, others) = Index::row_and_rank_men(table);
                let canonical = self.counts(counts.canonical[others]);
                let raw = self.counts(counts.raw[others]);
                self.write_table(table, canonical, raw)
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

    fn write_table(
        &self,
        table: Subspace,
        canonical: Counts,
        raw: Counts,
    ) -> Result<TableEntry, TableError> {
        let index = self.level.index();
        let spec = TableSpec::new(self.rules, index, table, Metric::Values);
        let (slots, codec) = (spec.slots, spec.codec);
        let mut writer = TableWriter::create(self.dir, spec)?;
        let task_slots = BLOCKS_PER_TASK * u64::from(DEFAULT_BLOCK_SLOTS);
        let tasks: Vec<u64> = (0..slots).step_by(task_slots as usize).collect();
        for batch in tasks.chunks(TASKS_PER_BATCH) {
            let blocks: Vec<Vec<EncodedBlock>> = batch
                .par_iter()
                .map_init(
                    || {
                        let encoder = Encoder::new(codec, codec.usual_level());
                        (Extractor::default(), encoder)
                    },
                    |(extractor, encoder), &first| {
                        let last = slots.min(first + task_slots);
                        self.encode(table, first, last, extractor, encoder)
                    },
                )
                .collect();
            writer.append(blocks.into_iter().flatten())?;
        }
        writer.finish(canonical, raw)
    }

    /// The blocks of the slots from `first` to `last`.
    fn encode(
        &self,
        table: Subspace,
        first: u64,
        last: u64,
        extractor: &mut Extractor,
        encoder: &mut Encoder,
    ) -> Vec<EncodedBlock> {
        let per_row = self.level.index().slots_per_row(table);
        extractor.restart(first % per_row);
        let rows = (first / per_row) as usize..last.div_ceil(per_row) as usize;
        self.kernel.run(ExtractRows {
            level: self.level,
            planes: self.planes,
            rows,
            men: Index::row_and_rank_men(table).1,
            extractor: &mut *extractor,
        });
        let (sure, hope) = extractor.finish();
        // A player wins what the other loses: where White has no hope.
        for word in hope.iter_mut() {
            *word = !*word;
        }
        let (wins, losses) = match self.side {
            Colour::White => (&*sure, &*hope),
            Colour::Black => (&*hope, &*sure),
        };
        let block = DEFAULT_BLOCK_SLOTS as usize;
        const { assert!(DEFAULT_BLOCK_SLOTS.is_multiple_of(64)) };
        (0..(last - first) as usize)
            .step_by(block)
            .map(|start| {
                let len = block.min((last - first) as usize - start);
                encoder.encode(&wins[start / 64..], &losses[start / 64..], len)
            })
            .collect()
    }
}

struct ExtractRows<'a> {
    level: &'a Level<'a>,
    planes: &'a [u64],
    rows: std::ops::Range<usize>,
    men: usize,
    extractor: &'a mut Extractor,
}

impl Task for ExtractRows<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let words = self.level.row_words();
        for row in self.rows {
            let row = &self.planes[self.level.place(row) * words..][..words];
            self.extractor
                .push_row::<B>(row, self.level.empty(), self.men);
        }
    }
}
