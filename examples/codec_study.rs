//! Compares packings, block sizes and Zstandard levels over every table of a database.
//!
//! `cargo run --release --example codec_study -- DIR [STRIDE]` takes one run of 128 Ki slots out
//! of every STRIDE (16 by default) of each table, packs and compresses it in every way, and prints
//! a Markdown table: the size of the whole database in every way, as the sampled bits a slot say,
//! and the time to encode a slot.

use std::error::Error;
use std::time::Instant;

use mlynek::database::Database;
use mlynek::rules::Value;
use rayon::prelude::*;

/// Slots of a sampled run: the largest block compared.
const RUN: usize = 1 << 17;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Packing {
    Base3,
    TwoBits,
    Bytes,
}

fn pack(values: &[Value], packing: Packing) -> Vec<u8> {
    let digit = |value: &Value| *value as u8;
    match packing {
        Packing::Base3 => values
            .chunks(5)
            .map(|five| {
                five.iter()
                    .rev()
                    .fold(0, |byte, value| byte * 3 + digit(value))
            })
            .collect(),
        Packing::TwoBits => values
            .chunks(4)
            .map(|four| {
                four.iter()
                    .rev()
                    .fold(0, |byte, value| byte << 2 | digit(value))
            })
            .collect(),
        Packing::Bytes => values.iter().map(digit).collect(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: codec_study DIR [STRIDE]")?;
    let stride: usize = arguments.next().map_or(Ok(16), |text| text.parse())?;
    let database = Database::open(dir)?;
    let mut ways = Vec::new();
    for block in [1usize << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17] {
        ways.push((Packing::Base3, block, 3));
    }
    for packing in [Packing::TwoBits, Packing::Bytes] {
        ways.push((packing, 1 << 15, 3));
    }
    for level in [1, 2, 4, 5, 6, 7, 9, 12, 15, 19] {
        ways.push((Packing::Base3, 1 << 15, level));
    }
    let mut totals = vec![(0.0f64, 0.0f64, 0usize); ways.len()];
    for subspace in database.subspaces() {
        let values = database.table(subspace)?.decode_all()?;
        let runs: Vec<usize> = (0..values.len() as usize).step_by(RUN * stride).collect();
        let sampled: Vec<Vec<(usize, f64, usize)>> = runs
            .into_par_iter()
            .map(|start| {
                let end = (start + RUN).min(values.len() as usize);
                let run: Vec<Value> = (start..end).map(|slot| values.get(slot as u64)).collect();
                ways.iter()
                    .map(|&(packing, block, level)| {
                        let mut compressor =
                            zstd::bulk::Compressor::new(level).expect("a level of zstd's");
                        let blocks: Vec<_> = run
                            .chunks(block)
                            .map(|values| pack(values, packing))
                            .collect();
                        let constant = |block: &[Value]| block.iter().all(|v| *v == block[0]);
                        let begun = Instant::now();
                        let bytes = run
                            .chunks(block)
                            .zip(&blocks)
                            .filter(|(values, _)| !constant(values))
                            .map(|(_, packed)| {
                                compressor
                                    .compress(packed)
                                    .expect("memory for a block")
                                    .len()
                            })
                            .sum::<usize>();
                        (bytes, begun.elapsed().as_secs_f64(), run.len())
                    })
                    .collect()
            })
            .collect();
        for way in 0..ways.len() {
            let (mut bytes, mut seconds, mut slots) = (0, 0.0, 0);
            for run in &sampled {
                bytes += run[way].0;
                seconds += run[way].1;
                slots += run[way].2;
            }
            let share = values.len() as f64 / slots.max(1) as f64;
            // Eight bytes of index a block.
            let index = 8.0 * values.len() as f64 / ways[way].1 as f64;
            totals[way].0 += bytes as f64 * share + index;
            totals[way].1 += seconds;
            totals[way].2 += slots;
        }
    }
    println!("| packing | slots a block | zstd level | size, MB | compression, ns a slot |");
    println!("|---|---|---|---|---|");
    for ((packing, block, level), (bytes, seconds, slots)) in ways.iter().zip(&totals) {
        println!(
            "| {packing:?} | {block} | {level} | {:.0} | {:.2} |",
            bytes / 1e6,
            seconds * 1e9 / *slots as f64
        );
    }
    Ok(())
}
