//! Made-up tables for tests: their values are a function of rules, subspace and slot.

use std::path::Path;

use crate::board::Board;
use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{RuleSet, Subspace, Value};
use crate::table::{
    Codec, Counts, EncodedBlock, Encoder, Histogram, Metric, Table, TableEntry, TableExpectation,
    TableSpec, TableWriter,
};

/// The index of the only board.
pub(crate) fn index() -> &'static Index {
    static INDEX: std::sync::LazyLock<Index> =
        std::sync::LazyLock::new(|| Index::new(Board::nine()));
    &INDEX
}

/// The standard rules.
pub(crate) fn standard() -> RuleSet {
    RuleSet::by_name("standard").expect("there are standard rules")
}

/// A subspace by its name.
pub(crate) fn subspace(text: &str) -> Subspace {
    text.parse().expect("the test names a subspace")
}

/// How the values of a made-up table are chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pattern {
    /// This value everywhere.
    Constant(Value),
    /// Any value.
    Random,
    /// Runs of one value, some of them longer than a block, with a few others in between.
    Runs,
}

impl Pattern {
    pub(crate) const ALL: [Self; 3] = [Self::Constant(Value::Loss), Self::Random, Self::Runs];

    /// The value of a slot.
    pub(crate) fn value(self, slot: u64) -> Value {
        let any = |number: u64| Value::ALL[(mixed(number) % 3) as usize];
        match self {
            Self::Constant(value) => value,
            Self::Random => any(slot),
            Self::Runs if slot % 700 < 20 => any(slot),
            Self::Runs => any(slot / 700),
        }
    }
}

/// A number that looks like chance (SplitMix64).
pub(crate) fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The blocks of these values.
pub(crate) fn blocks(
    slots: u64,
    block_slots: u32,
    value: impl Fn(u64) -> Value,
) -> Vec<EncodedBlock> {
    let mut encoder = Encoder::new(Codec::default(), 3);
    (0..slots)
        .step_by(block_slots as usize)
        .map(|start| {
            let len = (slots - start).min(block_slots.into()) as usize;
            let mut planes = [Value::Win, Value::Loss].map(|_| vec![0u64; len.div_ceil(64)]);
            for k in 0..len {
                let bit = 1 << (k % 64);
                match value(start + k as u64) {
                    Value::Win => planes[0][k / 64] |= bit,
                    Value::Loss => planes[1][k / 64] |= bit,
                    Value::Draw => {}
                }
            }
            encoder.encode(&planes[0], &planes[1], len)
        })
        .collect()
}

/// What a table of a subspace is of.
pub(crate) fn spec(rules: &RuleSet, subspace: Subspace, block_slots: u32) -> TableSpec {
    TableSpec {
        fingerprint: rules.fingerprint(),
        subspace,
        slots: index().slots(subspace),
        block_slots,
        codec: Codec::default(),
    }
}

/// What a table of a subspace must be of.
pub(crate) fn expectation(rules: &RuleSet, subspace: Subspace, metric: Metric) -> TableExpectation {
    TableExpectation::new(rules, index(), subspace, metric)
}

/// Writes a table with these values. Counts are of slots, which no reader minds.
pub(crate) fn write(
    dir: &Path,
    rules: &RuleSet,
    subspace: Subspace,
    block_slots: u32,
    value: impl Fn(u64) -> Value,
) -> TableEntry {
    let spec = spec(rules, subspace, block_slots);
    let mut counts = Counts::default();
    for slot in 0..spec.slots {
        match value(slot) {
            Value::Loss => counts.losses += 1,
            Value::Draw => counts.draws += 1,
            Value::Win => counts.wins += 1,
        }
    }
    let mut writer = TableWriter::create(dir, spec).expect("the directory is there");
    writer
        .append(blocks(spec.slots, block_slots, value))
        .expect("the disk has room");
    writer.finish(counts, counts).expect("the disk has room")
}

/// The grade of a slot of a made-up table: the value of the pattern, with a depth.
pub(crate) fn grade(pattern: Pattern, slot: u64) -> Grade {
    let value = pattern.value(slot);
    let half = match pattern {
        Pattern::Constant(_) => 7,
        Pattern::Random => mixed(slot + 99) % 127,
        Pattern::Runs => (slot / 700 + mixed(slot) % 3) % 127,
    };
    let grade = match value {
        Value::Win => Grade::win(2 * half as u32 + 1),
        Value::Draw => Some(Grade::DRAW),
        Value::Loss => Grade::loss(2 * half as u32),
    };
    grade.expect("half a depth is at most 126")
}

/// Writes a table of grades. Counts are of slots, which no reader minds.
pub(crate) fn write_grades(
    dir: &Path,
    rules: &RuleSet,
    subspace: Subspace,
    block_slots: u32,
    grade: impl Fn(u64) -> Grade,
) -> TableEntry {
    let spec = TableSpec {
        block_slots,
        ..TableSpec::new(rules, index(), subspace, Metric::Grades)
    };
    let codes: Vec<u8> = (0..spec.slots).map(|slot| grade(slot).code()).collect();
    let mut encoder = Encoder::new(spec.codec, spec.codec.usual_level());
    let mut writer = TableWriter::create(dir, spec).expect("the directory is there");
    let mut histogram = Histogram::new();
    histogram.add_run(0, &codes);
    let blocks = codes.chunks(block_slots as usize);
    writer
        .append(blocks.map(|codes| encoder.encode_grades(codes)))
        .expect("the disk has room");
    let raw = histogram.counts();
    writer
        .finish_grades(&histogram, raw)
        .expect("the disk has room")
}

/// Opens the table of a subspace under the standard rules.
pub(crate) fn open(dir: &Path, name: &str) -> Table {
    let path = dir.join(format!("{name}.mly"));
    let expectation = expectation(&standard(), subspace(name), Metric::Values);
    Table::open(&path, &expectation).expect("the table is good")
}
