//! Compares packings, block sizes and Zstandard levels over every table of a database.
//!
//! `cargo run --release --example codec_study -- DIR [STRIDE]` takes one run of 128 Ki slots out
//! of every STRIDE (16 by default) of each table, packs and compresses it in every way, and prints
//! a Markdown table: the size of the whole database in every way, as the sampled bits a slot say,
//! and the time to encode a slot. Where there are tables of grades, a second table follows for
//! them.

use std::error::Error;
use std::time::{Duration, Instant};

use mlynek::database::Database;
use mlynek::grade::Grade;
use mlynek::rules::Value;
use mlynek::table::{Metric, Table, TableExpectation};
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// Slots of a sampled run: the largest block compared.
const RUN: usize = 1 << 17;

/// How blocks are cut and compressed, apart from how they are packed.
#[derive(Clone, Copy)]
struct Way<P> {
    packing: P,
    block: usize,
    level: i32,
    /// The shortest match Zstandard looks for, unless that is left to the level.
    shortest_match: Option<u32>,
}

/// What a packing makes of the slots of a block: byte strings that are compressed each by itself.
trait Packing: Copy + Sync {
    type Slot: Copy + PartialEq + Sync;
    fn pack(self, block: &[Self::Slot]) -> Vec<Vec<u8>>;
}

/// What was measured of some slots.
#[derive(Clone, Copy, Default)]
struct Measured {
    bytes: usize,
    slots: usize,
    compression: Duration,
    decompression: Duration,
}

/// Compresses a run in one way.
fn measure<P: Packing>(way: &Way<P>, run: &[P::Slot]) -> Measured {
    let mut compressor = Compressor::new(way.level).expect("a level of zstd's");
    if let Some(shortest) = way.shortest_match {
        compressor
            .set_parameter(CParameter::MinMatch(shortest))
            .expect("a length of zstd's");
    }
    let mut decompressor = Decompressor::new().expect("memory for a context");
    let blocks = run.chunks(way.block);
    let packed: Vec<Vec<u8>> = blocks
        .filter(|block| block.iter().any(|slot| *slot != block[0]))
        .flat_map(|block| way.packing.pack(block))
        .collect();
    let begun = Instant::now();
    let frames: Vec<Vec<u8>> = packed
        .iter()
        .map(|bytes| compressor.compress(bytes).expect("memory for a block"))
        .collect();
    let compression = begun.elapsed();
    let mut content = vec![0; packed.iter().map(Vec::len).max().unwrap_or(0)];
    let begun = Instant::now();
    for frame in &frames {
        let len = decompressor.decompress_to_buffer(frame, &mut content[..]);
        len.expect("the frame is whole");
    }
    Measured {
        bytes: frames.iter().map(Vec::len).sum(),
        slots: run.len(),
        compression,
        decompression: begun.elapsed(),
    }
}

/// What a whole database takes in one way.
#[derive(Clone, Copy, Default)]
struct Total {
    size: f64,
    measured: Measured,
}

/// Adds a sample of a table to the totals of every way.
fn add_table<P: Packing>(
    ways: &[Way<P>],
    totals: &mut [Total],
    slots: usize,
    stride: usize,
    run: impl Fn(usize, usize) -> Vec<P::Slot> + Sync,
) {
    let runs: Vec<usize> = (0..slots).step_by(RUN * stride).collect();
    let sampled: Vec<Vec<Measured>> = runs
        .into_par_iter()
        .map(|start| {
            let run = run(start, slots.min(start + RUN));
            ways.iter().map(|way| measure(way, &run)).collect()
        })
        .collect();
    for (number, (way, total)) in ways.iter().zip(totals).enumerate() {
        let mut table = Measured::default();
        for measured in &sampled {
            table.bytes += measured[number].bytes;
            table.slots += measured[number].slots;
            total.measured.slots += measured[number].slots;
            total.measured.compression += measured[number].compression;
            total.measured.decompression += measured[number].decompression;
        }
        let share = slots as f64 / table.slots.max(1) as f64;
        // Eight bytes of index a block.
        total.size += table.bytes as f64 * share + 8.0 * slots as f64 / way.block as f64;
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ValuePacking {
    Base3,
    TwoBits,
    Bytes,
}

/// The values as digits to a base, so many in a byte.
fn digits(values: impl Iterator<Item = Value>, base: u8, in_a_byte: usize) -> Vec<u8> {
    let digits: Vec<u8> = values.map(|value| value as u8).collect();
    let bytes = digits.chunks(in_a_byte);
    bytes
        .map(|some| some.iter().rev().fold(0, |byte, digit| byte * base + digit))
        .collect()
}

impl Packing for ValuePacking {
    type Slot = Value;

    fn pack(self, values: &[Value]) -> Vec<Vec<u8>> {
        let values = values.iter().copied();
        vec![match self {
            Self::Base3 => digits(values, 3, 5),
            Self::TwoBits => digits(values, 4, 4),
            Self::Bytes => digits(values, 3, 1),
        }]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum GradePacking {
    /// Code after code.
    Codes,
    /// The difference to the code before.
    Deltas,
    /// The bits of the codes, plane by plane.
    Planes,
    /// The fifteen most frequent codes as half a byte each; the others behind.
    Nibbles,
    /// Values as in tables of values, then the half depths of the wins, then those of the losses.
    Split,
    /// What is left of `Codes` for one who has the values: draws take the code before.
    FilledBesideValues,
    /// What is left of `Split` for one who has the values.
    SplitBesideValues,
}

/// The half depths of the wins and those of the losses.
fn half_depths(codes: &[u8]) -> Vec<Vec<u8>> {
    let draw = Grade::DRAW.code();
    let wins = codes.iter().filter(|&&code| code > draw).map(|code| !code);
    let losses = codes.iter().copied().filter(|&code| code < draw);
    vec![wins.collect(), losses.collect()]
}

/// Fifteen codes as half a byte each and the others behind, with the list of the fifteen.
fn nibbles(codes: &[u8]) -> Vec<Vec<u8>> {
    let mut counts = [0u32; 256];
    for &code in codes {
        counts[usize::from(code)] += 1;
    }
    let mut order: Vec<u8> = (0..=255).collect();
    order.sort_by_key(|&code| std::cmp::Reverse(counts[usize::from(code)]));
    let mut nibble = [15u8; 256];
    for (number, &code) in order[..15].iter().enumerate() {
        nibble[usize::from(code)] = number as u8;
    }
    let nibble = |code: &u8| nibble[usize::from(*code)];
    let pairs = codes.chunks(2);
    let pairs = pairs.map(|pair| nibble(&pair[0]) | pair.get(1).map_or(0, nibble) << 4);
    let others = codes.iter().copied().filter(|code| nibble(code) == 15);
    vec![
        order[..15].iter().copied().chain(pairs).collect(),
        others.collect(),
    ]
}

impl Packing for GradePacking {
    type Slot = u8;

    fn pack(self, codes: &[u8]) -> Vec<Vec<u8>> {
        let draw = Grade::DRAW.code();
        match self {
            Self::Codes => vec![codes.to_vec()],
            Self::Deltas => {
                let before = std::iter::once(draw).chain(codes.iter().copied());
                let pairs = codes.iter().zip(before);
                vec![
                    pairs
                        .map(|(code, before)| code.wrapping_sub(before))
                        .collect(),
                ]
            }
            Self::Planes => {
                let bit = |code: &u8, plane: usize| code >> plane & 1;
                let plane = |plane: usize| {
                    let bytes = codes.chunks(8).map(move |eight| {
                        let bits = eight.iter().rev();
                        bits.fold(0, |byte, code| byte << 1 | bit(code, plane))
                    });
                    bytes.collect()
                };
                (0..8).map(plane).collect()
            }
            Self::Nibbles => nibbles(codes),
            Self::Split => {
                let value = |&code: &u8| Grade::from_code(code).map_or(Value::Draw, Grade::value);
                let mut parts = vec![digits(codes.iter().map(value), 3, 5)];
                parts.extend(half_depths(codes));
                parts
            }
            Self::FilledBesideValues => {
                let mut before = 0;
                let filled = codes.iter().map(|&code| {
                    before = if code == draw { before } else { code };
                    before
                });
                vec![filled.collect()]
            }
            Self::SplitBesideValues => half_depths(codes),
        }
    }
}

/// The table of values.
fn values(database: &Database, stride: usize) -> Result<(), Box<dyn Error>> {
    let way = |packing, block, level| Way {
        packing,
        block,
        level,
        shortest_match: None,
    };
    let mut ways = Vec::new();
    for block in [1usize << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17] {
        ways.push(way(ValuePacking::Base3, block, 3));
    }
    for packing in [ValuePacking::TwoBits, ValuePacking::Bytes] {
        ways.push(way(packing, 1 << 15, 3));
    }
    for level in [1, 2, 4, 5, 6, 7, 9, 12, 15, 19] {
        ways.push(way(ValuePacking::Base3, 1 << 15, level));
    }
    let mut totals = vec![Total::default(); ways.len()];
    for subspace in database.subspaces() {
        let values = database.table(subspace)?.decode_all()?;
        let run = |start, end| (start..end).map(|slot| values.get(slot as u64)).collect();
        add_table(&ways, &mut totals, values.len() as usize, stride, run);
    }
    println!("| packing | slots a block | zstd level | size, MB | compression, ns a slot |");
    println!("|---|---|---|---|---|");
    for (way, Total { size, measured }) in ways.iter().zip(&totals) {
        let compression = measured.compression.as_secs_f64() * 1e9 / measured.slots as f64;
        println!(
            "| {:?} | {} | {} | {:.0} | {compression:.2} |",
            way.packing,
            way.block,
            way.level,
            size / 1e6,
        );
    }
    Ok(())
}

/// The table of grades.
fn grades(database: &Database, stride: usize) -> Result<(), Box<dyn Error>> {
    const LEVEL: i32 = 3;
    const BLOCK: usize = 1 << 14;
    const SHORTEST: Option<u32> = Some(7);
    let way = |packing, block, level, shortest_match| Way {
        packing,
        block,
        level,
        shortest_match,
    };
    let mut ways = Vec::new();
    for block in [1usize << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17] {
        ways.push(way(GradePacking::Codes, block, LEVEL, SHORTEST));
    }
    for packing in [
        GradePacking::Deltas,
        GradePacking::Planes,
        GradePacking::Nibbles,
        GradePacking::Split,
        GradePacking::FilledBesideValues,
        GradePacking::SplitBesideValues,
    ] {
        ways.push(way(packing, BLOCK, LEVEL, SHORTEST));
    }
    for level in [1, 5, 6, 7, 9] {
        ways.push(way(GradePacking::Codes, BLOCK, level, SHORTEST));
    }
    for level in [1, 3, 6, 9, 13, 19] {
        ways.push(way(GradePacking::Codes, BLOCK, level, None));
    }
    let mut totals = vec![Total::default(); ways.len()];
    let (rules, index) = (database.rules(), database.index());
    for entry in &database.manifest().depth_tables {
        let expectation = TableExpectation::new(rules, index, entry.subspace, Metric::Grades);
        let table = Table::open(&database.dir().join(&entry.file), &expectation)?;
        let grades = table.decode_grades()?;
        let run = |start, end| grades[start..end].to_vec();
        add_table(&ways, &mut totals, grades.len(), stride, run);
    }
    println!();
    println!(
        "| packing | slots a block | zstd level | shortest match | size, MB | compression, ns a slot \
         | decompression, ns a slot |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (way, Total { size, measured }) in ways.iter().zip(&totals) {
        let shortest = way
            .shortest_match
            .map_or("zstd's".to_owned(), |n| n.to_string());
        let ns = |time: Duration| time.as_secs_f64() * 1e9 / measured.slots as f64;
        println!(
            "| {:?} | {} | {} | {shortest} | {:.0} | {:.2} | {:.2} |",
            way.packing,
            way.block,
            way.level,
            size / 1e6,
            ns(measured.compression),
            ns(measured.decompression),
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: codec_study DIR [STRIDE]")?;
    let stride: usize = arguments.next().map_or(Ok(16), |text| text.parse())?;
    let database = Database::open(dir)?;
    values(&database, stride)?;
    if !database.manifest().depth_tables.is_empty() {
        grades(&database, stride)?;
    }
    Ok(())
}
