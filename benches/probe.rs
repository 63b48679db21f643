//! How long it takes to ask: a position whose block is decoded already, one whose block is not,
//! and the parts of both. Writing blocks, too.

// The macros below make public functions without a word.
#![allow(missing_docs)]

use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mlynek::board::PointSet;
use mlynek::database::{Database, Manifest, OpenOptions};
use mlynek::index::Index;
use mlynek::rules::{Colour, Position, RuleSet, Subspace};
use mlynek::table::{
    Access, Codec, Counts, DEFAULT_BLOCK_SLOTS, Encoder, Metric, Table, TableExpectation,
    TableSpec, TableWriter,
};

const BLOCK: usize = DEFAULT_BLOCK_SLOTS as usize;

/// A number that looks like chance (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Win and loss planes of as many slots, about as disorderly as tables of the game: the value
/// hangs on where the opponent's men stand, with a little chance in it.
fn planes(rules: &RuleSet, index: &Index, subspace: Subspace, slots: usize) -> [Vec<u64>; 2] {
    let board = rules.board();
    let mut planes = [
        vec![0u64; slots.div_ceil(64)],
        vec![0u64; slots.div_ceil(64)],
    ];
    for slot in 0..slots {
        let (mover, opponent) = index.position(subspace, slot as u64);
        let worth = |point: usize| mixed(point as u64 * 77 + u64::from(mover.bits() >> 16)) % 100;
        let mut score: u64 = opponent.iter().map(|point| worth(point.number())).sum();
        for &mill in board.mills() {
            if !mill.meets(mover) {
                score += [0, 0, 40, 140][(mill & opponent).len()];
            }
        }
        score += mixed(slot as u64) % 8;
        let men = u64::from(subspace.opponent);
        let bit = 1 << (slot % 64);
        if score > 85 * men {
            planes[0][slot / 64] |= bit;
        } else if score < 47 * men {
            planes[1][slot / 64] |= bit;
        }
    }
    planes
}

fn write_table(dir: &Path, rules: &RuleSet, index: &Index, subspace: Subspace) -> Manifest {
    let spec = TableSpec {
        fingerprint: rules.fingerprint(),
        subspace,
        slots: index.slots(subspace),
        block_slots: DEFAULT_BLOCK_SLOTS,
        codec: Codec::Base3Zstd,
    };
    let [wins, losses] = planes(rules, index, subspace, spec.slots as usize);
    let mut encoder = Encoder::new(spec.codec, 3);
    let mut writer = TableWriter::create(dir, spec).expect("a directory to write to");
    let blocks = wins.chunks(BLOCK / 64).zip(losses.chunks(BLOCK / 64));
    for (number, (wins, losses)) in blocks.enumerate() {
        let len = (spec.slots as usize - number * BLOCK).min(BLOCK);
        let block = encoder.encode(wins, losses, len);
        writer.append([block]).expect("room on the disk");
    }
    let counts = Counts::default();
    let mut manifest = Manifest::new(rules);
    manifest
        .tables
        .push(writer.finish(counts, counts).expect("room on the disk"));
    manifest
}

/// Positions of a subspace, each in any orientation.
fn positions(index: &Index, subspace: Subspace, count: u64) -> Vec<Position> {
    let symmetries = index.board().symmetries();
    (0..count)
        .map(|number| {
            let slot = mixed(number) % index.slots(subspace);
            let (mover, opponent) = index.position(subspace, slot);
            let symmetry = &symmetries[mixed(slot) as usize % symmetries.len()];
            let turn = |set: PointSet| symmetry.set(set);
            Position::of_mover(Colour::White, turn(mover), turn(opponent), 0, 0)
        })
        .collect()
}

fn encode(c: &mut Criterion) {
    let rules = RuleSet::by_name("standard").expect("the rules there are");
    let index = Index::new(rules.board());
    let [wins, losses] = planes(&rules, &index, Subspace::moving(5, 5), 64 * BLOCK);
    let mut group = c.benchmark_group("encode a block");
    group.throughput(Throughput::Elements(BLOCK as u64));
    for level in [-5, 1, 3, 6, 9, 12] {
        let mut encoder = Encoder::new(Codec::Base3Zstd, level);
        let mut number = 0;
        group.bench_function(format!("level {level}"), |b| {
            b.iter(|| {
                number = (number + 1) % 64;
                let words = number * BLOCK / 64..(number + 1) * BLOCK / 64;
                encoder.encode(&wins[words.clone()], &losses[words], BLOCK)
            });
        });
    }
    group.finish();
}

fn probe(c: &mut Criterion) {
    let rules = RuleSet::by_name("standard").expect("the rules there are");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let index = Index::new(rules.board());
    let subspace = Subspace::moving(5, 5);
    let manifest = write_table(dir.path(), &rules, &index, subspace);
    manifest.write_atomic(dir.path()).expect("room on the disk");
    let positions = positions(&index, subspace, 10_000);
    let mut turn = positions.iter().cycle();
    let mut next = move || *turn.next().expect("a cycle does not end");

    let mut group = c.benchmark_group("probe");
    group.bench_function("slot of a position", |b| {
        b.iter_batched(
            &mut next,
            |position| index.slot(subspace, position.mover(), position.opponent()),
            BatchSize::SmallInput,
        );
    });
    let ways = [
        ("hot", 1 << 30, false),
        ("cold, read", 0, false),
        ("cold, mapped", 0, true),
    ];
    for (name, cache_bytes, mapped) in ways {
        let options = OpenOptions {
            cache_bytes,
            mapped,
            ..OpenOptions::default()
        };
        let database = options.open(dir.path()).expect("the database just written");
        for position in &positions {
            database.value(position).expect("its table");
        }
        group.bench_function(name, |b| {
            b.iter_batched(
                &mut next,
                |position| database.value(&position),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();

    let expectation = TableExpectation::new(&rules, &index, subspace, Metric::Values);
    let path = dir
        .path()
        .join(mlynek::table::file_name(subspace, Metric::Values));
    let mut group = c.benchmark_group("table");
    group.bench_function("open", |b| b.iter(|| Table::open(&path, &expectation)));
    group.bench_function("open the database", |b| {
        b.iter(|| Database::open(dir.path()))
    });
    for access in [Access::Read, Access::Mapped] {
        let table = Table::open_with(&path, &expectation, access).expect("the table just written");
        let mut packed = Vec::new();
        let mut block = 0;
        group.bench_function(format!("decode a block, {access:?}"), |b| {
            b.iter(|| {
                block = (block + 97) % table.header().blocks;
                table.decode_block(block, &mut packed)
            });
        });
        group.bench_function(format!("decode all, {access:?}"), |b| {
            b.iter(|| table.decode_all())
        });
    }
    let table = Table::open(&path, &expectation).expect("the table just written");
    let values = table.decode_all().expect("the table just written");
    let mut slot = 0;
    group.bench_function("value in memory", |b| {
        b.iter(|| {
            slot = (slot + 2_654_435_761) % values.len();
            black_box(&values).get(slot)
        });
    });
    group.finish();
}

criterion_group!(benches, encode, probe);
criterion_main!(benches);
