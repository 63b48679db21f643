//! `mlynek verify`: whether a database is right.

use std::path::PathBuf;

use clap::Args;
use mlynek::database::Database;
use mlynek::rules::Subspace;
use mlynek::verify::{Options, Report, verify};
use serde::Serialize;

use super::output::{Failure, Output};
use super::progress::{Mode, Progress};
use super::scope::bytes;

/// Check a database: its files, its positions against their moves, its counts against known ones
///
/// Three parts: (1) checksums of every file, and counts counted again; (2) positions against their
/// successors, by code that shares nothing with the solver but the rules, the index and the reader
/// of tables; (3) counts, depths and positions against files of known results. The last line is
/// the verdict; the exit status is 1 when something is wrong.
///
/// Where there are tables of depths, (2) is a proof: every position of them has the depth that its
/// moves give it, so all are right; and the tables of values agree with them, position by position.
/// Where there are none, every position of the small subspaces is checked for its value, and a
/// random sample of the others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Only check files: no position is looked at.
    #[arg(long, conflicts_with_all = [
        "quick", "plain", "exhaustive_through", "sample", "seed", "memory", "known",
    ])]
    checksums_only: bool,

    /// Leave the proof of depths out: values are checked as if there were no depths, and depths for
    /// their counts and their agreement with the values.
    #[arg(long)]
    quick: bool,

    /// Prove depths one position at a time, the plainest way there is: the outcome is the same, and
    /// takes many times as long.
    #[arg(long, conflicts_with = "quick")]
    plain: bool,

    /// Check this subspace only (w-b, the mover's and the opponent's men, or w-b+h-k with men in
    /// hand): tables that its moves lead to are taken as they are, once their checksums are right.
    /// Can be given several times, or with several subspaces.
    #[arg(long, value_name = "W-B", num_args = 1..)]
    subspace: Vec<Subspace>,

    /// Where depths are not proved, check every position of the subspaces with at most N men in
    /// all, on the board and in hand.
    #[arg(long, value_name = "N", default_value_t = Options::default().exhaustive_through)]
    exhaustive_through: usize,

    /// How many positions to check in the others of those subspaces together, spread by their
    /// size.
    #[arg(long, value_name = "N", default_value_t = Options::default().sample)]
    sample: u64,

    /// What the choice of the sample depends on: the same seed checks the same positions.
    #[arg(long, value_name = "S", default_value_t = Options::default().seed)]
    seed: u64,

    /// Compare with the known results in this file: CSV of counts with columns mover, opponent,
    /// wins, losses, draws, and perhaps rules, mover_hand, opponent_hand, raw_wins, raw_losses,
    /// raw_draws, deepest_win_plies, deepest_loss_plies; or of positions with columns position,
    /// value, and perhaps rules, plies. Can be given several times, or with several files.
    #[arg(long, value_name = "FILE.csv", num_args = 1..)]
    known: Vec<PathBuf>,

    /// The most memory for tables, such as 8G or 512M [default: 2G, for a proof of depths 4G, or
    /// what it takes]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,

    /// Tables may be missing, as in data/sample: positions that lead to them are not checked.
    #[arg(long)]
    partial: bool,

    /// How many threads to use [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// How progress is shown on standard error.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Mode::Auto)]
    progress: Mode,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek verify db/standard --known data/known/*.csv
  mlynek verify db/standard --quick
  mlynek verify db/standard --plain --subspace 4-3 5-4
  mlynek verify db/standard --exhaustive-through 12 --sample 50000000 --seed 7";

/// What is printed as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    verdict: String,
    #[serde(flatten)]
    report: &'a Report,
}

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let options = Options {
        checksums_only: arguments.checksums_only,
        quick: arguments.quick,
        plain: arguments.plain,
        subspaces: arguments.subspace.clone(),
        exhaustive_through: arguments.exhaustive_through,
        sample: arguments.sample,
        seed: arguments.seed,
        known: arguments.known.clone(),
        memory: arguments.memory,
        partial: arguments.partial,
    };
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
    let pool = pool.build()?;
    let progress = Progress::new(arguments.progress);
    let report = pool.install(|| verify(&database, &options, &progress));
    progress.finish();
    let report = report?;
    if arguments.json {
        output.json(&Answer {
            verdict: report.verdict(),
            report: &report,
        })?;
    } else {
        output.print(&report)?;
        output.line(report.verdict())?;
    }
    if report.ok {
        Ok(())
    } else {
        Err(Failure::Wrong)
    }
}
