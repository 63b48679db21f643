//! How long it takes to prove tables: `cargo run --release --example proof_times -- 7-6 6-6+3-3`.
//!
//! The grades are those of chance, so nearly all are wrong, but for a sample of positions of each
//! table, which get the grades that the rules give them (not where moves stay in the table).
//! Without arguments the whole game is gone through, with nothing but draws.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mlynek::grade::Grade;
use mlynek::index::Index;
use mlynek::rules::{Colour, Position, RuleSet, Subspace, Value};
use mlynek::verify::proof::{GradeSource, ProofPlan, prove};
use rayon::prelude::*;

/// How many positions of the sample get their grades.
const SAMPLE: u64 = 20_000;

/// The code of no grade.
const NONE: u8 = 127;

/// A number that looks like chance (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The grade that chance gives a slot: any that a move can lead to.
fn chance(slot: u64) -> Grade {
    let grade = Grade::from_code(mixed(slot) as u8);
    grade
        .filter(|grade| grade.before().is_some())
        .unwrap_or(Grade::DRAW)
}

/// Grades of chance, with a sample of those that follow from them.
struct Tables<'a> {
    rules: &'a RuleSet,
    index: &'a Index,
    /// The table that has the sample; where there is none, everything is drawn.
    sample: Option<Subspace>,
    /// How long it took to make the tables.
    spent: Mutex<Duration>,
}

impl Tables<'_> {
    /// The grade that the moves of a position give it.
    fn expected(&self, subspace: Subspace, slot: u64) -> Grade {
        let (mover, opponent) = self.index.position(subspace, slot);
        let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
        let position = Position::of_mover(Colour::White, mover, opponent, hand, other_hand);
        let successors = self.rules.successors(&position).into_iter();
        let worths = successors.filter_map(|(_, next)| {
            let after = match self.rules.outcome(&next) {
                Some(Value::Loss) => Some(Grade::OVER),
                Some(_) => Grade::win(1),
                None => {
                    let (mover, opponent) = (next.mover(), next.opponent());
                    let slot = self.index.slot(next.subspace(), mover, opponent);
                    Some(chance(slot))
                }
            };
            after.and_then(Grade::before)
        });
        worths.max().unwrap_or(Grade::OVER)
    }

    fn made(&self, subspace: Subspace) -> Vec<u8> {
        let slots = self.index.slots(subspace);
        let Some(sample) = self.sample else {
            return vec![Grade::DRAW.code(); slots as usize];
        };
        let inside = subspace.is_moving() && subspace.mover == subspace.opponent;
        if subspace != sample || inside {
            let codes = (0..slots).into_par_iter();
            return codes.map(|slot| chance(slot).code()).collect();
        }
        let mut codes = vec![NONE; slots as usize];
        for slot in (0..SAMPLE).map(|number| mixed(number) % slots) {
            let (mover, opponent) = self.index.position(subspace, slot);
            let home = self.index.slot(subspace, mover, opponent);
            codes[home as usize] = self.expected(subspace, home).code();
        }
        codes
    }
}

impl GradeSource for Tables<'_> {
    type Error = Infallible;

    fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, Infallible> {
        let begun = Instant::now();
        let codes = self.made(subspace);
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += begun.elapsed();
        Ok(codes)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::by_name("standard").expect("there is a standard");
    let index = Index::new(rules.board());
    let mut runs = Vec::new();
    for text in std::env::args().skip(1) {
        runs.push(vec![text.parse::<Subspace>()?]);
    }
    let whole = runs.is_empty();
    if whole {
        runs.push(rules.moving_subspaces());
        runs.push(rules.placing_subspaces());
    }
    for subspaces in runs {
        let tables = Tables {
            rules: &rules,
            index: &index,
            sample: subspaces.first().copied().filter(|_| !whole),
            spent: Mutex::default(),
        };
        let plan = ProofPlan::new(&rules, &index, &subspaces, None)?;
        let begun = Instant::now();
        let proofs = prove(&plan, &index, &tables, &(), &AtomicBool::new(false), |_| ())?;
        let made = *tables.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = (begun.elapsed() - made).as_secs_f64();
        let threads = rayon::current_num_threads() as f64;
        let right = proofs.iter().map(|proof| proof.positions - proof.wrong);
        println!(
            "{} and {} more: {} slots, {:.2} s, {:.1} ns a slot and thread, {} tables read, \
             {} MiB, {} right",
            subspaces[0],
            subspaces.len() - 1,
            plan.slots(),
            seconds,
            seconds * 1e9 * threads / plan.slots() as f64,
            plan.reads(),
            plan.memory() >> 20,
            right.sum::<u64>(),
        );
    }
    Ok(())
}
