//! Solving small games for tests.
#![allow(dead_code)]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use mlynek::database::{Database, Manifest};
use mlynek::generate::{self, Options, Plan, Scope, Summary};
use mlynek::grade::Grade;
use mlynek::rules::{Colour, Position, RuleSet, Subspace, Value};
use mlynek::table::{Encoder, Histogram, Metric, TableSpec, TableWriter};
use rayon::prelude::*;

/// The rules of this name, with so many men each.
pub fn rules(name: &str, men: usize) -> RuleSet {
    let rules = RuleSet::by_name(name).expect("a rule set of this name");
    rules
        .with_men(men)
        .expect("a number of men the game can have")
}

/// The scope of one moving subspace and what it leads to.
pub fn moving(mover: usize, opponent: usize) -> Scope {
    Scope::Moving(vec![Subspace::moving(mover, opponent)])
}

/// Solves into a directory.
pub fn solve_into(dir: &Path, rules: &RuleSet, scope: Scope, options: &Options) -> Summary {
    let plan = Plan::new(rules.clone(), scope).expect("a scope of the game");
    generate::run(&plan, dir, options, &(), &AtomicBool::new(false)).expect("a whole run")
}

/// A position of `subspace`, from a slot; the player who began the game is White.
pub fn position_in(database: &Database, subspace: Subspace, slot: u64) -> Position {
    let (mover, opponent) = database.index().position(subspace, slot);
    let side = match subspace.mover_began() {
        true => Colour::White,
        false => Colour::Black,
    };
    let (hand, other) = (subspace.mover_hand, subspace.opponent_hand);
    Position::of_mover(side, mover, opponent, hand, other)
}

/// Whether a position of `slot` has no other slot.
pub fn is_home(database: &Database, subspace: Subspace, slot: u64) -> bool {
    let (mover, opponent) = database.index().position(subspace, slot);
    database.index().slot(subspace, mover, opponent) == slot
}

/// The end of the game, among the numbers of positions.
const OVER: u32 = u32::MAX;

/// Adds tables of depths to the database of a tiny game: the grades of all positions at once, in
/// plain rounds, each of which finds what is one ply deeper than the last.
pub fn add_depths(dir: &Path) {
    let database = Database::open(dir).expect("a database");
    let (rules, index) = (database.rules(), database.index());
    let mut ranges = Vec::new();
    let mut all = 0u32;
    for subspace in database.subspaces() {
        let slots = u32::try_from(index.slots(subspace)).expect("a tiny game");
        ranges.push((subspace, all..all + slots));
        all += slots;
    }
    let number = |position: &Position| {
        let subspace = position.subspace();
        if let Some(value) = rules.outcome(position) {
            assert_eq!(value, Value::Loss, "who has lost is on turn");
            return OVER;
        }
        let found = ranges.binary_search_by_key(&subspace, |(subspace, _)| *subspace);
        let first = ranges[found.expect("a whole game")].1.start;
        first + index.slot(subspace, position.mover(), position.opponent()) as u32
    };
    // What moves lead to, for one slot of each position.
    let mut next: Vec<Option<Vec<u32>>> = Vec::new();
    for (subspace, range) in &ranges {
        let slots = 0..u64::from(range.end - range.start);
        next.par_extend(slots.into_par_iter().map(|slot| {
            is_home(&database, *subspace, slot).then(|| {
                let mut after = Vec::new();
                let position = position_in(&database, *subspace, slot);
                rules.each_successor(&position, |_, position| after.push(number(&position)));
                after
            })
        }));
    }
    let mut grades = vec![Grade::DRAW; next.len()];
    loop {
        let better = |(place, after): (usize, &Option<Vec<u32>>)| {
            let after = after.as_ref().filter(|_| grades[place] == Grade::DRAW)?;
            let worth = |&number: &u32| {
                let after = match number {
                    OVER => Grade::OVER,
                    number => grades[number as usize],
                };
                after.before().expect("no game is as deep as grades can be")
            };
            let best = after.iter().map(worth).max().unwrap_or(Grade::OVER);
            (best != Grade::DRAW).then_some((place, best))
        };
        let found: Vec<_> = next.par_iter().enumerate().filter_map(better).collect();
        if found.is_empty() {
            break;
        }
        for (place, grade) in found {
            grades[place] = grade;
        }
    }
    let mut manifest = database.manifest().clone();
    for (subspace, range) in &ranges {
        let range = range.start as usize..range.end as usize;
        let mut histogram = Histogram::new();
        for (slot, place) in (0..).zip(range.clone()) {
            if next[place].is_some() {
                histogram.add(grades[place], slot);
            }
        }
        let spec = TableSpec::new(rules, index, *subspace, Metric::Grades);
        let mut encoder = Encoder::new(spec.codec, spec.codec.usual_level());
        let mut writer = TableWriter::create(dir, spec).expect("a directory");
        let codes: Vec<u8> = grades[range].iter().map(|grade| grade.code()).collect();
        for block in codes.chunks(spec.block_slots as usize) {
            let block = encoder.encode_grades(block);
            writer.append([block]).expect("room on the disk");
        }
        let raw = manifest.entry(*subspace).expect("a table of values").raw;
        let entry = writer.finish_grades(&histogram, raw);
        manifest.depth_tables.push(entry.expect("room on the disk"));
    }
    Manifest::write_atomic(&manifest, dir).expect("room on the disk");
}

/// Solves the game of three men each into a directory, with depths.
pub fn solve_three_men(dir: &Path, rules: &str) {
    let rules = self::rules(rules, 3);
    solve_into(dir, &rules, Scope::Game, &Options::default());
    add_depths(dir);
}
