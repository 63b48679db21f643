//! Tables written, read back, and damaged in every way.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::header::{HEADER_LEN, TRAILER_LEN, at, data_offset, index_offset};
use super::testing::{
    Pattern, blocks, expectation, grade, index, mixed, open, spec, standard, subspace, write,
    write_grades,
};
use super::*;
use crate::grade::Grade;
use crate::notation::read_position;
use crate::rules::{Fingerprint, RuleSet};

/// Both ways of reading.
const ACCESSES: [Access; 2] = [Access::Read, Access::Mapped];

/// A table in a directory of its own, with its bytes.
struct Written {
    dir: TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
    entry: TableEntry,
    expectation: TableExpectation,
}

impl Written {
    fn new(name: &str, block_slots: u32, pattern: Pattern) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let value = |slot| pattern.value(slot);
        let entry = write(dir.path(), &standard(), subspace(name), block_slots, value);
        Self::of(dir, entry)
    }

    /// A table of grades.
    fn grades(name: &str, block_slots: u32, pattern: Pattern) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let grade = |slot| grade(pattern, slot);
        let entry = write_grades(dir.path(), &standard(), subspace(name), block_slots, grade);
        Self::of(dir, entry)
    }

    fn of(dir: TempDir, entry: TableEntry) -> Self {
        let path = dir.path().join(&entry.file);
        Self {
            bytes: fs::read(&path).unwrap(),
            path,
            dir,
            expectation: expectation(&standard(), entry.subspace, entry.metric()),
            entry,
        }
    }

    /// A small table: 22 blocks, the last one short, some of them constant.
    fn small() -> Self {
        Self::new("2-2+7-7", 320, Pattern::Runs)
    }

    /// The same of grades; few of its blocks are constant.
    fn small_grades() -> Self {
        Self::grades("2-2+7-7", 320, Pattern::Runs)
    }

    /// Both small tables.
    fn both() -> [Self; 2] {
        [Self::small(), Self::small_grades()]
    }

    fn open(&self, access: Access) -> Result<Table, TableError> {
        Table::open_with(&self.path, &self.expectation, access)
    }

    /// Other bytes in place of the file's: a new file, since the old one may be mapped.
    fn put(&self, bytes: &[u8]) {
        fs::remove_file(&self.path).unwrap();
        fs::write(&self.path, bytes).unwrap();
    }

    fn data(&self) -> std::ops::Range<usize> {
        let blocks = u64::from_le_bytes(self.bytes[at::BLOCKS..][..8].try_into().unwrap());
        data_offset(self.entry.metric(), blocks) as usize..self.bytes.len() - TRAILER_LEN
    }

    /// Where the entries of the block index lie.
    fn index(&self) -> std::ops::Range<usize> {
        index_of(&self.bytes)
    }
}

/// Where the entries of the block index lie in a table whose metric and number of blocks are
/// right.
fn index_of(bytes: &[u8]) -> std::ops::Range<usize> {
    let blocks = u64::from_le_bytes(bytes[at::BLOCKS..][..8].try_into().unwrap());
    let start = index_offset(Metric::from_code(bytes[at::METRIC]).unwrap_or_default());
    start..start + 8 * blocks as usize
}

/// Makes the header's checksum right, so that what it covers is believed.
fn sign(bytes: &mut [u8]) {
    let end = index_of(bytes).end;
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads everything there is to read; true if all of it can be.
fn read_everything(table: &Table) -> bool {
    let header = *table.header();
    let mut fine = table.check().is_ok();
    let mut packed = Vec::new();
    for block in 0..header.blocks {
        fine &= table.decode_block(block, &mut packed).is_ok();
    }
    for slot in (0..header.spec.slots).step_by(61) {
        fine &= match table.metric() {
            Metric::Values => table.value(slot).is_ok(),
            Metric::Grades => table.grade(slot).is_ok(),
        };
    }
    fine & decode(table).is_ok()
}

/// Decodes all of it.
fn decode(table: &Table) -> Result<(), TableError> {
    match table.metric() {
        Metric::Values => table.decode_all().map(drop),
        Metric::Grades => table.decode_grades().map(drop),
    }
}

#[test]
fn tables_come_back_as_they_were() {
    for name in ["0-0+9-9", "0-1+9-8", "1-1+8-8", "2-2+7-7", "1-2+8-7", "3-3"] {
        let slots = index().slots(subspace(name));
        for block_slots in [64, 100, 320, 333, 4096, 1 << 15, LARGEST_BLOCK_SLOTS] {
            for pattern in Pattern::ALL {
                let written = Written::new(name, block_slots, pattern);
                for access in ACCESSES {
                    let table = written.open(access).unwrap();
                    let context = format!("{name} {block_slots} {pattern:?} {access:?}");
                    assert_eq!(table.path(), written.path);
                    let header = table.header();
                    assert_eq!(header.spec, spec(&standard(), subspace(name), block_slots));
                    assert_eq!(header.canonical, written.entry.canonical);
                    assert_eq!(header.raw, written.entry.raw);
                    assert_eq!(header.file_len, written.bytes.len() as u64);
                    assert_eq!(header.blocks, slots.div_ceil(block_slots.into()));
                    table.check().unwrap();
                    table.check_entry(&written.entry).unwrap();
                    for slot in (0..slots).filter(|slot| slot % 97 == 0 || slot + 3 > slots) {
                        let value = table.value(slot).unwrap();
                        assert_eq!(value, pattern.value(slot), "{context} {slot}");
                    }
                    let values = table.decode_all().unwrap();
                    assert_eq!((values.len(), values.is_empty()), (slots, slots == 0));
                    assert!(values.bytes() as u64 >= slots.div_ceil(5));
                    let mut count = 0;
                    for (slot, value) in (0..).zip(values.iter()) {
                        assert_eq!(value, pattern.value(slot), "{context} {slot}");
                        assert_eq!(values.get(slot), value, "{context} {slot}");
                        count += 1;
                    }
                    assert_eq!(count, slots);
                    if matches!(pattern, Pattern::Constant(_)) {
                        assert_eq!(header.data_len, 0);
                    }
                }
            }
        }
    }
}

#[test]
fn grades_come_back_as_they_were() {
    for name in ["0-0+9-9", "1-1+8-8", "2-2+7-7", "1-2+8-7", "3-3"] {
        let slots = index().slots(subspace(name));
        for block_slots in [64, 100, 333, 4096, 1 << 15, LARGEST_BLOCK_SLOTS] {
            for pattern in Pattern::ALL {
                let written = Written::grades(name, block_slots, pattern);
                let grade = |slot| grade(pattern, slot);
                let Written { entry, .. } = &written;
                assert_eq!(entry.metric(), Metric::Grades);
                assert_eq!(entry.file, format!("{name}.mld"));
                for access in ACCESSES {
                    let table = written.open(access).unwrap();
                    let context = format!("{name} {block_slots} {pattern:?} {access:?}");
                    assert_eq!(table.metric(), Metric::Grades);
                    table.check().unwrap();
                    table.check_entry(entry).unwrap();
                    let mut histogram = Histogram::new();
                    (0..slots).for_each(|slot| histogram.add(grade(slot), slot));
                    assert_eq!(table.histogram(), Some(&histogram), "{context}");
                    assert_eq!(table.header().canonical, histogram.counts());
                    assert_eq!(entry.deepest, Some(histogram.deepest()));
                    for slot in (0..slots).filter(|slot| slot % 97 == 0 || slot + 3 > slots) {
                        assert_eq!(table.grade(slot).unwrap(), grade(slot), "{context} {slot}");
                    }
                    let grades = table.decode_grades().unwrap();
                    assert_eq!(grades.len() as u64, slots);
                    for (slot, &code) in (0..).zip(&*grades) {
                        assert_eq!(code, grade(slot).code(), "{context} {slot}");
                    }
                    if matches!(pattern, Pattern::Constant(_)) {
                        assert_eq!(table.header().data_len, 0);
                    }
                }
            }
        }
    }
}

#[test]
fn the_header_is_the_documented_one() {
    let written = Written::small();
    let bytes = &written.bytes;
    assert_eq!(&bytes[..8], b"\x89MLYNEK\n");
    assert_eq!(bytes[8..16], [1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[16..32], standard().fingerprint().0);
    assert_eq!(bytes[32..44], [1, 0, 0, 0, 2, 2, 7, 7, 0, 0, 1, 0]);
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(u32_at(44), 320);
    assert_eq!((u64_at(48), u64_at(56)), (6930, 22));
    let counts = written.entry.canonical;
    for start in [64, 88] {
        let got = [0, 8, 16].map(|at| u64_at(start + at));
        assert_eq!(got, [counts.wins, counts.losses, counts.draws]);
    }
    assert_eq!((u64_at(112), u64_at(120)), (160, 344));
    assert_eq!(u64_at(128) + 344 + 32, u64_at(136));
    assert_eq!(u64_at(136), bytes.len() as u64);
    assert_eq!(bytes[144..160], [0; 16]);
    assert_eq!(u32_at(336), crc32fast::hash(&bytes[..336]));
    assert_eq!(bytes[340..344], [0; 4]);
    // Rows over the opponent's men where he began.
    assert_eq!(Written::new("1-2+8-7", 64, Pattern::Random).bytes[41], 1);
}

/// What a table of grades has besides.
#[test]
fn the_front_of_a_table_of_grades_is_the_documented_one() {
    let written = Written::small_grades();
    let bytes = &written.bytes;
    assert_eq!(bytes[8..16], [1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[32..44], [1, 0, 0, 0, 2, 2, 7, 7, 1, 0, 2, 0]);
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!((u64_at(112), u64_at(120)), (2208, 2392));
    assert_eq!(u64_at(136), bytes.len() as u64);
    let table = written.open(Access::Read).unwrap();
    let grades = table.decode_grades().unwrap();
    for code in 0..=255 {
        let having = grades.iter().filter(|&&found| found == code).count();
        assert_eq!(u64_at(160 + 8 * usize::from(code)), having as u64);
    }
    let deepest = written.entry.deepest.unwrap();
    for (at, deepest) in [
        (144, deepest.win.and_then(Grade::win).unwrap()),
        (152, deepest.loss.and_then(Grade::loss).unwrap()),
    ] {
        let first = grades.iter().position(|&code| code == deepest.code());
        assert_eq!(Some(u64_at(at)), first.map(|slot| slot as u64));
    }
    assert_eq!(u32_at(2384), crc32fast::hash(&bytes[..2384]));
    assert_eq!(bytes[2388..2392], [0; 4]);
    // No example where there is nothing to give one of.
    let drawn = Written::grades("1-1+8-8", 64, Pattern::Constant(Value::Draw));
    assert_eq!(drawn.bytes[144..160], [255; 16]);
    assert_eq!(drawn.entry.deepest, Some(Deepest::default()));
}

#[test]
fn the_same_slots_make_the_same_file() {
    for (a, b) in Written::both().into_iter().zip(Written::both()) {
        assert_eq!(a.bytes, b.bytes);
        assert_eq!(a.entry, b.entry);
    }
}

#[test]
fn slots_and_blocks_beyond_the_end_are_errors() {
    for written in Written::both() {
        let table = written.open(Access::Read).unwrap();
        for slot in [6930, u64::MAX] {
            let error = match table.metric() {
                Metric::Values => table.value(slot).unwrap_err(),
                Metric::Grades => table.grade(slot).unwrap_err(),
            };
            assert!(error.to_string().contains("has 6930 slots, so no slot"));
        }
        for block in [22, u64::MAX] {
            let error = table.decode_block(block, &mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains("has 22 blocks, so no block"));
        }
    }
}

#[test]
fn values_are_not_taken_for_grades() {
    let [values, grades] = Written::both().map(|written| written.open(Access::Read).unwrap());
    let text = "2-2+7-7.mly holds values, expected grades";
    for error in [
        values.grade(0).unwrap_err(),
        values.grade(u64::MAX).unwrap_err(),
        values.decode_grades().unwrap_err(),
    ] {
        assert!(error.to_string().contains(text), "{error}");
    }
    let text = "2-2+7-7.mld holds grades, expected values";
    for error in [
        grades.value(0).unwrap_err(),
        grades.decode_all().unwrap_err(),
    ] {
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(values.histogram(), None);
    for written in Written::both() {
        let (metric, codec, text) = match written.entry.metric() {
            Metric::Values => (Metric::Grades, 2, "codec at offset 42: expected 1, got 2"),
            Metric::Grades => (Metric::Values, 1, "codec at offset 42: expected 2, got 1"),
        };
        let mut bytes = written.bytes.clone();
        bytes[at::CODEC] = codec;
        sign(&mut bytes);
        written.put(&bytes);
        let error = written.open(Access::Read).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
        written.put(&written.bytes);
        let expectation = TableExpectation {
            metric,
            ..written.expectation
        };
        let error = Table::open(&written.path, &expectation).unwrap_err();
        assert!(matches!(error, TableError::WrongMetric { .. }), "{error}");
    }
}

#[test]
fn a_writer_dropped_early_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let entries = || fs::read_dir(dir.path()).unwrap().count();
    let spec = spec(&standard(), subspace("2-2+7-7"), 320);
    let mut writer = TableWriter::create(dir.path(), spec).unwrap();
    let some = blocks(spec.slots, 320, |slot| Pattern::Random.value(slot));
    writer.append(some.into_iter().take(5)).unwrap();
    assert_eq!(writer.blocks_written(), 5);
    assert!(writer.bytes_written() > 344);
    assert_eq!(entries(), 1);
    drop(writer);
    assert_eq!(entries(), 0);
}

#[test]
fn a_new_table_replaces_the_old_one_only_when_it_is_whole() {
    let written = Written::small();
    let old = written.open(Access::Mapped).unwrap();
    let spec = spec(&standard(), subspace("2-2+7-7"), 100);
    let mut writer = TableWriter::create(written.dir.path(), spec).unwrap();
    writer
        .append(blocks(spec.slots, 100, |_| Value::Draw))
        .unwrap();
    assert_eq!(fs::read(&written.path).unwrap(), written.bytes);
    writer.finish(Counts::default(), Counts::default()).unwrap();
    let new = open(written.dir.path(), "2-2+7-7");
    assert_eq!(new.value(0).unwrap(), Value::Draw);
    new.check().unwrap();
    // Who has the old file mapped keeps it.
    old.check().unwrap();
    assert_eq!(fs::read_dir(written.dir.path()).unwrap().count(), 1);
}

#[test]
fn what_the_format_has_no_room_for_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let good = spec(&standard(), subspace("3-3"), 64);
    for (slots, block_slots, text) in [
        (10, 63, "the number of slots of a block is 63"),
        (10, LARGEST_BLOCK_SLOTS + 1, "of a block is 4194305"),
        (MOST_SLOTS + 1, 64, "the number of slots is"),
    ] {
        let spec = TableSpec {
            slots,
            block_slots,
            ..good
        };
        let error = TableWriter::create(dir.path(), spec).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    let error = TableWriter::create(&dir.path().join("none"), good).unwrap_err();
    assert!(error.to_string().contains("3-3.mly"), "{error}");
}

#[test]
#[should_panic(expected = "slots of block 1")]
fn blocks_of_the_wrong_length_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let spec = spec(&standard(), subspace("2-2+7-7"), 320);
    let mut writer = TableWriter::create(dir.path(), spec).unwrap();
    let block = |slots| blocks(slots, 320, |_| Value::Draw);
    writer.append(block(320)).unwrap();
    let _ = writer.append(block(319));
}

#[test]
#[should_panic(expected = "blocks written")]
fn a_table_is_not_finished_without_all_its_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let spec = spec(&standard(), subspace("2-2+7-7"), 320);
    let writer = TableWriter::create(dir.path(), spec).unwrap();
    let _ = writer.finish(Counts::default(), Counts::default());
}

#[test]
#[should_panic(expected = "codec of block 0")]
fn blocks_of_values_make_no_table_of_grades() {
    let dir = tempfile::tempdir().unwrap();
    let spec = TableSpec::new(&standard(), index(), subspace("2-2+7-7"), Metric::Grades);
    let mut writer = TableWriter::create(dir.path(), spec).unwrap();
    let _ = writer.append(blocks(spec.slots, spec.block_slots, |_| Value::Draw));
}

#[test]
#[should_panic(expected = "the histogram counts slots of the table")]
fn a_histogram_of_more_slots_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let spec = TableSpec::new(&standard(), index(), subspace("1-1+8-8"), Metric::Grades);
    let mut writer = TableWriter::create(dir.path(), spec).unwrap();
    let codes = vec![Grade::DRAW.code(); spec.slots as usize];
    let block = Encoder::new(spec.codec, 1).encode_grades(&codes);
    writer.append([block]).unwrap();
    let mut histogram = Histogram::new();
    histogram.add_run(1, &codes);
    histogram.add_run(0, &codes);
    let _ = writer.finish_grades(&histogram, Counts::default());
}

#[test]
fn tables_of_something_else_are_told_apart() {
    let written = Written::small();
    let other = TableExpectation {
        fingerprint: RuleSet::by_name("no-flying").unwrap().fingerprint(),
        ..written.expectation
    };
    let error = Table::open(&written.path, &other).unwrap_err();
    assert!(matches!(error, TableError::WrongRules { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(&other.fingerprint.to_string()), "{error}");
    assert!(
        text.contains(&standard().fingerprint().to_string()),
        "{error}"
    );
    let other = TableExpectation {
        subspace: subspace("2-2+7-6"),
        ..written.expectation
    };
    let error = Table::open(&written.path, &other).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("holds the subspace 2-2+7-7, expected 2-2+7-6")
    );
    let other = TableExpectation {
        slots: 6929,
        ..written.expectation
    };
    let error = Table::open(&written.path, &other).unwrap_err();
    assert!(error.to_string().contains("offset 48: slots"), "{error}");
    let error = Table::open(Path::new("nowhere/3-3.mly"), &written.expectation).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }));
    assert!(error.to_string().contains("nowhere/3-3.mly"), "{error}");
}

/// A header that says something else, signed, with what the error must say.
#[test]
fn fields_nobody_wrote_are_told_apart() {
    type Case = (usize, &'static [u8], &'static str);
    let cases: [Case; 23] = [
        (
            0,
            b"\x89MLYNEX\n",
            "is no mlynek table: expected the bytes [89, 4d",
        ),
        (
            8,
            &[2],
            "unknown format version at offset 8: expected 1, got 2",
        ),
        (12, &[1], "offset 12: reserved bytes: expected 0, got 1"),
        (16, &[0; 16], "made under other rules"),
        (
            32,
            &[9],
            "unknown index version at offset 32: expected 1, got 9",
        ),
        (36, &[3], "holds the subspace 3-2+7-7"),
        (
            38,
            &[6],
            "offset 41: side the rows are over: expected 1, got 0",
        ),
        (
            40,
            &[2],
            "unknown metric at offset 40: expected 0 or 1, got 2",
        ),
        (
            41,
            &[1],
            "offset 41: side the rows are over: expected 0, got 1",
        ),
        (42, &[7], "unknown codec at offset 42: expected 1, got 7"),
        (43, &[1], "offset 43: reserved byte"),
        (44, &[0, 0, 0, 0], "offset 44: slots of a block"),
        (44, &[255; 4], "offset 44: slots of a block"),
        (
            44,
            &[0, 2, 0, 0],
            "offset 56: number of blocks: expected 14, got 22",
        ),
        (48, &[255; 8], "offset 44: slots of a block, slots"),
        (64, &[255; 8], "offset 64: counts of positions"),
        (88, &[255; 16], "offset 64: counts of positions"),
        (
            112,
            &[0],
            "offset 112: offset of the block index: expected 160, got 0",
        ),
        (
            120,
            &[0],
            "offset 120: offset of the data: expected 344, got 256",
        ),
        (128, &[255; 8], "offset 128: length of the data"),
        (136, &[0; 8], "offset 136: length of the file: expected 0"),
        (151, &[1], "offset 144: reserved bytes"),
        (159, &[1], "offset 152: reserved bytes"),
    ];
    let written = Written::small();
    for (at, field, text) in cases {
        let mut bytes = written.bytes.clone();
        bytes[at..at + field.len()].copy_from_slice(field);
        sign(&mut bytes);
        written.put(&bytes);
        for access in ACCESSES {
            let error = written.open(access).unwrap_err().to_string();
            assert!(error.contains(text), "{at}: {error}");
            assert!(error.contains("2-2+7-7.mly"), "{error}");
        }
    }
}

#[test]
fn block_indices_that_point_anywhere_are_refused() {
    for written in Written::both() {
        let count = 22;
        let data_len = written.data().len() as u32;
        let index = written.index().start;
        let starts: Vec<u32> = (0..count)
            .map(|k| u32::from_le_bytes(written.bytes[index + 8 * k..][..4].try_into().unwrap()))
            .collect();
        let mut refused = 0;
        for block in 0..count {
            for start in [
                0,
                1,
                data_len - 1,
                data_len,
                data_len + 1,
                u32::MAX,
                1 << 31,
            ] {
                if start == starts[block] {
                    continue;
                }
                let mut bytes = written.bytes.clone();
                bytes[index + 8 * block..][..4].copy_from_slice(&start.to_le_bytes());
                sign(&mut bytes);
                written.put(&bytes);
                for access in ACCESSES {
                    match written.open(access) {
                        Err(TableError::Damaged(damage)) => {
                            let offset = damage.offset as usize;
                            assert!(written.index().contains(&offset), "{damage}");
                            refused += 1;
                        }
                        Err(error) => panic!("{error}"),
                        // In order, but not where the blocks are.
                        Ok(table) => assert!(!read_everything(&table)),
                    }
                }
            }
        }
        assert!(refused > 200, "{refused}");
    }
}

#[test]
fn constant_blocks_of_no_value_are_refused() {
    let written = Written::new("2-2+7-7", 320, Pattern::Constant(Value::Win));
    for value in [3u32, 255, 256, u32::MAX] {
        let mut bytes = written.bytes.clone();
        bytes[160 + 8 * 5 + 4..][..4].copy_from_slice(&value.to_le_bytes());
        sign(&mut bytes);
        written.put(&bytes);
        let error = written.open(Access::Read).unwrap_err().to_string();
        let text = "offset 204: value of block 5, which has no bytes: expected 0 to 2";
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn constant_blocks_of_no_grade_are_refused() {
    let written = Written::grades("2-2+7-7", 320, Pattern::Constant(Value::Win));
    for code in [127u32, 256, 256 + 128, u32::MAX] {
        let mut bytes = written.bytes.clone();
        bytes[2208 + 8 * 5 + 4..][..4].copy_from_slice(&code.to_le_bytes());
        sign(&mut bytes);
        written.put(&bytes);
        let error = written.open(Access::Read).unwrap_err().to_string();
        let text = "offset 2252: grade of block 5, which has no bytes: expected 0 to 126 or 128";
        assert!(error.contains(text), "{error}");
    }
}

/// Histograms and examples that cannot be, signed, with what the error must say.
#[test]
fn histograms_that_contradict_the_table_are_refused() {
    let written = Written::small_grades();
    let good = written.open(Access::Read).unwrap();
    let histogram = good.histogram().unwrap();
    let deepest = histogram.deepest();
    let win = deepest.win.and_then(Grade::win).unwrap();
    let at_code = |code: u8| 160 + 8 * usize::from(code);
    let none = [255; 8];
    let other_slot = (0..6930u64)
        .find(|&slot| good.grade(slot).unwrap() != win)
        .unwrap()
        .to_le_bytes();
    let later = (histogram.deepest_win_slot().unwrap() + 1..6930)
        .find(|&slot| good.grade(slot).unwrap() == win)
        .map(u64::to_le_bytes);
    for (at, field, text) in [
        (
            at_code(127),
            1u64.to_le_bytes(),
            "offset 1176: number of positions of the code 127",
        ),
        (at_code(128), none, "number of positions of the code"),
        (
            at_code(128),
            0u64.to_le_bytes(),
            "offset 64: counts of positions: expected Counts",
        ),
        (
            at_code(255),
            6000u64.to_le_bytes(),
            "offset 64: counts of positions: expected Counts",
        ),
        (
            at::CANONICAL,
            0u64.to_le_bytes(),
            "offset 64: counts of positions: expected Counts",
        ),
        (
            144,
            none,
            "offset 144: slot of the deepest win: expected one, as there is",
        ),
        (
            152,
            none,
            "offset 152: slot of the deepest loss: expected one, as there is",
        ),
        (
            144,
            6930u64.to_le_bytes(),
            "offset 144: slot of the deepest position: expected at most 6929",
        ),
        (
            152,
            (u64::MAX - 1).to_le_bytes(),
            "offset 152: slot of the deepest position",
        ),
    ] {
        let mut bytes = written.bytes.clone();
        bytes[at..at + 8].copy_from_slice(&field);
        sign(&mut bytes);
        written.put(&bytes);
        for access in ACCESSES {
            let error = written.open(access).unwrap_err().to_string();
            assert!(error.contains(text), "{at}: {error}");
        }
    }
    // Where the deepest stand is only seen in the data. That another slot with the same grade is
    // not the lowest is no contradiction: lower ones may be twins.
    let mut bytes = written.bytes.clone();
    bytes[144..152].copy_from_slice(&other_slot);
    sign(&mut bytes);
    written.put(&bytes);
    let error = written.open(Access::Read).unwrap().check().unwrap_err();
    let text = "offset 144: grade of the slot";
    assert!(error.to_string().contains(text), "{error}");
    if let Some(later) = later {
        bytes[144..152].copy_from_slice(&later);
        sign(&mut bytes);
        written.put(&bytes);
        let error = written.open(Access::Read).unwrap().check().unwrap_err();
        assert!(error.to_string().contains("SHA-256"), "{error}");
    }
    let drawn = Written::grades("2-2+7-7", 320, Pattern::Constant(Value::Draw));
    let mut bytes = drawn.bytes.clone();
    bytes[152..160].copy_from_slice(&[0; 8]);
    sign(&mut bytes);
    drawn.put(&bytes);
    let error = drawn.open(Access::Read).unwrap_err().to_string();
    let text = "offset 152: slot of the deepest loss: expected none, as there is no such position";
    assert!(error.contains(text), "{error}");
}

#[test]
fn every_flipped_bit_of_header_and_index_is_found_on_opening() {
    for written in Written::both() {
        for bit in 0..8 * written.data().start {
            let mut bytes = written.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            written.put(&bytes);
            assert!(written.open(Access::Read).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn every_flipped_byte_of_data_and_hash_is_found_by_the_check() {
    for written in Written::both() {
        let data = written.data();
        for at in data.start..written.bytes.len() {
            let mut bytes = written.bytes.clone();
            bytes[at] ^= 1 << (mixed(at as u64) % 8);
            written.put(&bytes);
            let table = written.open(Access::Read).unwrap();
            let Err(TableError::Damaged(damage)) = table.check() else {
                panic!("byte {at}");
            };
            if data.contains(&at) {
                // The block itself says so, before the hash of the whole file does.
                assert!(damage.what.contains("of block"), "{damage}");
                assert!(decode(&table).is_err());
            } else {
                assert_eq!(damage.offset as usize, data.end);
                assert!(decode(&table).is_ok());
            }
            assert!(table.check_entry(&written.entry).is_err());
        }
    }
}

/// Another good table of the same subspace is no damage, but not the file of the manifest either.
#[test]
fn a_file_that_was_exchanged_is_found_by_its_entry() {
    let written = Written::small();
    let other = Written::new("2-2+7-7", 320, Pattern::Random);
    written.put(&other.bytes);
    let table = written.open(Access::Read).unwrap();
    table.check().unwrap();
    table.check_entry(&other.entry).unwrap();
    let error = table.check_entry(&written.entry).unwrap_err().to_string();
    assert!(error.contains("as recorded in the manifest"), "{error}");
    let entry = TableEntry {
        hash: written.entry.hash,
        ..other.entry.clone()
    };
    let error = table.check_entry(&entry).unwrap_err().to_string();
    assert!(error.contains("SHA-256 of the file as recorded"), "{error}");
    assert!(error.contains(&written.entry.hash.to_string()), "{error}");
    let written = Written::small_grades();
    let table = written.open(Access::Read).unwrap();
    for (deepest, text) in [
        (
            None,
            "greatest depths as recorded in the manifest: expected no depths, got win",
        ),
        (
            Some(Deepest {
                win: Some(1),
                loss: None,
            }),
            "expected win 1, loss none, got win",
        ),
    ] {
        let entry = TableEntry {
            deepest,
            ..written.entry.clone()
        };
        let error = table.check_entry(&entry).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn shortened_and_lengthened_files_are_refused() {
    for written in Written::both() {
        let len = written.bytes.len();
        let front = written.data().start + 50;
        let lengths = (0..front).chain((front..len).step_by(7)).chain([len - 1]);
        for len in lengths {
            written.put(&written.bytes[..len]);
            for access in ACCESSES {
                match written.open(access).unwrap_err() {
                    TableError::Damaged(_) if len > 0 => {}
                    TableError::NotATable { .. } if len == 0 => {}
                    error => panic!("{len}: {error}"),
                }
            }
        }
        for more in [1, 8, 1000] {
            let mut bytes = written.bytes.clone();
            bytes.resize(len + more, 0);
            written.put(&bytes);
            let error = written.open(Access::Read).unwrap_err().to_string();
            assert!(error.contains("offset 136: length of the file"), "{error}");
        }
    }
}

/// A file that becomes shorter after it was opened is an error where it is read, not mapped.
#[test]
fn a_file_shortened_while_open_is_an_error() {
    for written in Written::both() {
        let table = written.open(Access::Read).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&written.path);
        file.unwrap()
            .set_len(written.data().start as u64 + 100)
            .unwrap();
        assert!(matches!(table.check(), Err(TableError::Io { .. })));
        assert!(matches!(decode(&table), Err(TableError::Io { .. })));
    }
}

/// Frames that are not what the index says, though every checksum is right.
#[test]
fn blocks_that_decode_to_something_else_are_refused() {
    let frame = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).unwrap();
    for (metric, len, foreign, allowed) in [
        (Metric::Values, 64, 243, "0 to 242"),
        (Metric::Grades, 320, 127, "0 to 126 or 128 to 255"),
    ] {
        let half = frame(&vec![0; len / 2]);
        let no_frame = format!("block 0: expected a frame of {len} bytes, got");
        for (stored, text) in [
            (
                frame(&vec![0; len - 1]),
                format!(
                    "unpacked length of block 0: expected {len}, got {}",
                    len - 1
                ),
            ),
            (frame(&vec![0; len + 1]), no_frame.clone()),
            (frame(&[0; 1 << 20]), no_frame.clone()),
            (
                frame(&vec![foreign; len]),
                format!("bytes of block 0: expected {allowed}, got {foreign} in place 0"),
            ),
            (
                [&half[..], &half].concat(),
                "length of the frame of block 0".to_owned(),
            ),
            (vec![0; 9], no_frame.clone()),
        ] {
            let pattern = Pattern::Constant(Value::Draw);
            let written = match metric {
                Metric::Values => Written::new("1-1+8-8", 320, pattern),
                Metric::Grades => Written::grades("1-1+8-8", 320, pattern),
            };
            // One block of 92 slots; make the format believe that it has 320.
            let front = index_offset(metric);
            let mut bytes = written.bytes[..front].to_vec();
            let mut put = |at: usize, number: u64| {
                bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
            };
            put(at::SLOTS, 320);
            put(at::DATA_LEN, stored.len() as u64);
            put(at::FILE_LEN, (front + 16 + stored.len() + 32) as u64);
            bytes.extend([0; 4]);
            bytes.extend(crc32fast::hash(&stored).to_le_bytes());
            bytes.extend([0; 8]);
            bytes.extend(&stored);
            bytes.extend([0; 32]);
            sign(&mut bytes);
            written.put(&bytes);
            let expectation = TableExpectation {
                slots: 320,
                ..written.expectation
            };
            for access in ACCESSES {
                let table = Table::open_with(&written.path, &expectation, access).unwrap();
                let slot = match metric {
                    Metric::Values => table.value(0).map(drop),
                    Metric::Grades => table.grade(0).map(drop),
                };
                for answer in [slot, decode(&table), table.check()] {
                    let error = answer.unwrap_err().to_string();
                    assert!(error.contains(&text), "{error}");
                }
            }
        }
    }
}

/// A file may claim blocks beyond counting; nothing is made room for before the claim is checked.
#[test]
fn claims_larger_than_the_file_are_refused() {
    for written in Written::both() {
        for slots in [1 << 20, 1 << 30, MOST_SLOTS] {
            let mut bytes = written.bytes.clone();
            let blocks = slots.div_ceil(320);
            for (at, number) in [
                (at::SLOTS, slots),
                (at::BLOCKS, blocks),
                (at::DATA, data_offset(written.entry.metric(), blocks)),
            ] {
                bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
            }
            written.put(&bytes);
            let error = written.open(Access::Read).unwrap_err().to_string();
            assert!(error.contains("offset 128: length of the data"), "{error}");
        }
    }
}

#[test]
fn many_threads_read_one_table() {
    let written = Written::new("3-3", 1000, Pattern::Random);
    for access in ACCESSES {
        let table = &written.open(access).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    for k in 0..5000 {
                        let slot = mixed(thread << 32 | k) % table.header().spec.slots;
                        assert_eq!(table.value(slot).unwrap(), Pattern::Random.value(slot));
                    }
                });
            }
        });
    }
}

#[test]
fn counts_add_up() {
    let counts = Counts {
        wins: 1,
        losses: 2,
        draws: 4,
    };
    assert_eq!(counts.total(), 7);
    let values = Value::ALL.map(|value| counts.of(value));
    assert_eq!(values, [2, 4, 1]);
    let sum: Counts = [counts, counts].into_iter().sum();
    assert_eq!((sum.wins, sum.losses, sum.draws), (2, 4, 8));
    let most = Counts {
        wins: u64::MAX,
        ..counts
    };
    assert_eq!(most.checked_total(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any bytes changed, with the header's checksum right again or not: never a panic, and
    /// either an error or a table that reads as it says.
    #[test]
    fn no_bytes_make_the_reader_panic(
        changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6),
        region in 0..3,
        grades in any::<bool>(),
        signed in any::<bool>(),
        len in proptest::option::weighted(0.2, any::<u16>()),
        mapped in any::<bool>(),
    ) {
        thread_local! {
            static WRITTEN: [Written; 2] = Written::both();
        }
        WRITTEN.with(|both| {
            let written = &both[usize::from(grades)];
            let mut bytes = written.bytes.clone();
            for (at, byte) in changes {
                let range = match region {
                    0 => HEADER_LEN + 8,
                    1 => written.data().start,
                    _ => bytes.len(),
                };
                bytes[usize::from(at) % range] = byte;
            }
            if signed {
                let blocks = u64::from_le_bytes(bytes[at::BLOCKS..][..8].try_into().unwrap());
                if blocks == 22 && bytes[at::METRIC] <= 1 {
                    sign(&mut bytes);
                }
            }
            if let Some(len) = len {
                bytes.truncate(usize::from(len) % bytes.len());
            }
            written.put(&bytes);
            let access = if mapped { Access::Mapped } else { Access::Read };
            if let Ok(table) = written.open(access) {
                let fine = read_everything(&table);
                prop_assert!(!fine || bytes == written.bytes);
            }
            Ok(())
        })?;
    }
}

proptest! {
    /// Nor do bytes that were never a table.
    #[test]
    fn no_noise_is_a_table(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("3-3.mly");
        fs::write(&path, bytes).unwrap();
        let expectation = TableExpectation {
            fingerprint: Fingerprint([0; 16]),
            subspace: subspace("3-3"),
            slots: 1,
            metric: Metric::Values,
        };
        prop_assert!(Table::open(&path, &expectation).is_err());
    }
}

/// The examples of `data/FORMAT.md`.
#[test]
fn the_documented_examples_hold() {
    let board = index().board();
    for (text, name, slot) in [
        ("a1d1g7/b2b4b6 w", "3-3", 172_938),
        ("d6g4/a1 b 7 8", "1-2+8-7", 215),
        ("f6d2b4/g7d3a4 w", "3-3", 9912),
    ] {
        let position = read_position(board, text).unwrap();
        assert_eq!(position.subspace().to_string(), name);
        let got = index().slot(position.subspace(), position.mover(), position.opponent());
        assert_eq!(got, slot, "{text}");
    }
    let document = include_str!("../../data/FORMAT.md");
    for name in ["standard", "no-flying"] {
        let rules = RuleSet::by_name(name).unwrap();
        let row = format!("| `{name}` | `{}` |", rules.fingerprint());
        assert!(document.contains(&row), "{row}");
    }
    assert!(document.contains(&standard().definition()));
}
