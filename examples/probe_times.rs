//! How long a probe takes: random positions over every table of a database.
//!
//! `cargo run --release --example probe_times -- DIR [COUNT]` values COUNT random positions
//! (100,000 by default), spread over the tables by their size: with a cache that holds next to
//! nothing, so that every probe reads and decodes a block, and again the same position at once, so
//! that its block is there. The files should be in the page cache: run it twice.

use std::error::Error;
use std::time::Instant;

use mlynek::database::OpenOptions;
use mlynek::rules::{Colour, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: probe_times DIR [COUNT]")?;
    let count: usize = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let options = OpenOptions {
        cache_bytes: 1 << 20,
        ..OpenOptions::default()
    };
    let database = options.open(dir)?;
    let index = database.index();
    let tables: Vec<_> = database.subspaces().collect();
    let slots: Vec<u64> = tables.iter().map(|&table| index.slots(table)).collect();
    let all: u64 = slots.iter().sum();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut slot = random() % all;
        let mut table = 0;
        while slot >= slots[table] {
            slot -= slots[table];
            table += 1;
        }
        let subspace = tables[table];
        let (mover, opponent) = index.position(subspace, slot);
        let side = if subspace.mover_began() {
            Colour::White
        } else {
            Colour::Black
        };
        let (hand, other) = (subspace.mover_hand, subspace.opponent_hand);
        positions.push(Position::of_mover(side, mover, opponent, hand, other));
    }
    // Opens every table once.
    for position in &positions {
        database.value(position)?;
    }
    let (mut cold, mut hot) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for position in &positions {
        for times in [&mut cold, &mut hot] {
            let begun = Instant::now();
            std::hint::black_box(database.value(position)?);
            times.push(begun.elapsed());
        }
    }
    for (name, times) in [("cold", &mut cold), ("hot", &mut hot)] {
        times.sort_unstable();
        let percentile = |percent: usize| times[(times.len() - 1) * percent / 100];
        let (median, last) = (percentile(50), percentile(99));
        println!("{name}: median {median:.2?}, 99th percentile {last:.2?}");
    }
    Ok(())
}
