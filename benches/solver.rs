//! Positions per second: the moving phase, the placing phase, the table writer, and the oracle.
//!
//! `cargo bench --bench solver [-- MEN]` solves the game of MEN men each (5 by default; 9 is the
//! whole game and takes minutes) phase by phase and prints the medians of three runs. The last
//! line is the ratio to the oracle of the tests on the same subspaces.

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mlynek::generate::{self, Options, Plan, Scope};
use mlynek::index::Index;
use mlynek::planes::{Bounds, Graded, Kernel, Words};
use mlynek::rules::{RuleSet, Subspace};
use mlynek::solve::{Level, Placing, Solution, Workspace, solve_moving};
use mlynek::table::Metric;

const RUNS: usize = 3;

fn median(mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn report(what: &str, positions: u64, time: Duration) -> f64 {
    let rate = positions as f64 / time.as_secs_f64();
    println!(
        "{what:<40} {positions:>14} positions {:>9.3} s {:>9.1} million/s",
        time.as_secs_f64(),
        rate / 1e6
    );
    rate
}

/// All levels of the moving phase.
fn moving<P: Solution>(
    rules: &RuleSet,
    levels: &[Level<'_>],
    kernel: Kernel,
) -> Result<(Vec<Words>, Workspace), Box<dyn Error>> {
    let largest = levels.iter().map(Level::groups).max().unwrap_or(0);
    let mut workspace = Workspace::new::<P>(largest)?;
    let mut planes: Vec<Words> = Vec::new();
    for (men, level) in levels.iter().enumerate() {
        if men < rules.fewest_men() {
            planes.push(Words::zeroed(level.words::<P>())?);
            continue;
        }
        let below = (men > rules.fewest_men()).then(|| (&levels[men - 1], &*planes[men - 1]));
        let solved = solve_moving::<P>(
            level,
            below,
            rules.men(),
            &mut workspace,
            kernel,
            &AtomicBool::new(false),
            |_, _| {},
        )?;
        planes.push(solved.white_to_move);
    }
    Ok((planes, workspace))
}

/// The two phases of solving a game.
fn phases<P: Solution>(
    with: &str,
    rules: &RuleSet,
    index: &Index,
    levels: &[Level<'_>],
    kernel: Kernel,
) -> Result<(), Box<dyn Error>> {
    let positions = |tables: &[Subspace]| {
        let each = tables.iter().map(|&table| index.canonical_positions(table));
        each.sum::<u64>()
    };
    let time = median(|| {
        let begun = Instant::now();
        moving::<P>(rules, levels, kernel).expect("memory for the moving phase");
        begun.elapsed()
    });
    let all = positions(&rules.moving_subspaces());
    report(&format!("moving phase{with}"), all, time);
    let time = median(|| {
        let solved = moving::<P>(rules, levels, kernel);
        let (planes, workspace) = solved.expect("memory for the moving phase");
        let begun = Instant::now();
        let room = P::room(workspace);
        let mut placing = Placing::<P>::new(rules, levels, planes, room, kernel);
        while placing.ply() > 0 {
            let stepped = placing.step_back(&AtomicBool::new(false));
            stepped.expect("nobody stops it");
        }
        begun.elapsed()
    });
    let all = positions(&rules.placing_subspaces());
    report(&format!("placing phase{with}"), all, time);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let men = std::env::args()
        .skip(1)
        .find_map(|text| text.parse().ok())
        .unwrap_or(5);
    let standard = RuleSet::by_name("standard").ok_or("no standard rules")?;
    let rules = standard.with_men(men)?;
    let index = Index::new(rules.board());
    let kernel = Kernel::best();
    println!(
        "{} with the {kernel} kernel on {} threads, median of {RUNS} runs",
        rules.name(),
        rayon::current_num_threads()
    );
    let levels: Vec<Level<'_>> = (0..=men)
        .map(|men| Level::new(&rules, &index, men))
        .collect();
    let stop = AtomicBool::new(false);
    phases::<Bounds>("", &rules, &index, &levels, kernel)?;
    phases::<Graded>(" with depths", &rules, &index, &levels, kernel)?;

    let plan = Plan::new(rules.clone(), Scope::Game, Metric::Values)?;
    let mut whole = Vec::new();
    let time = median(|| {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let options = Options::default();
        let summary = generate::run(&plan, dir.path(), &options, &(), &stop).expect("a run");
        whole.push(summary.seconds);
        Duration::from_secs_f64(summary.writing_seconds)
    });
    report("table writer, synchronised to disk", plan.positions, time);
    whole.sort_by(f64::total_cmp);
    let time = Duration::from_secs_f64(whole[RUNS / 2]);
    report("everything", plan.positions, time);

    let target = Subspace::moving(4, 4);
    let small = Plan::new(standard, Scope::Moving(vec![target]), Metric::Values)?;
    let time = median(|| {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let begun = Instant::now();
        let options = Options::default();
        generate::run(&small, dir.path(), &options, &(), &stop).expect("a run");
        begun.elapsed()
    });
    let fast = report("through 4-4, tables included", small.positions, time);
    let begun = Instant::now();
    let solved = oracle::Oracle::moving(oracle::Rules::STANDARD, &[(4, 4)]);
    let time = begun.elapsed();
    assert_eq!(solved.solved().len(), small.tables.len());
    let slow = report("through 4-4, oracle of the tests", small.positions, time);
    println!("ratio to the oracle: {:.1}", fast / slow);
    Ok(())
}
