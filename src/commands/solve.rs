//! `mlynek solve`: solves a game, or a part of it, into a database.

use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use mlynek::generate::{self, GenerateError, Options, Plan, Scope, Summary};
use mlynek::report::PlanReport;
use mlynek::report::text::{counted, duration, size};
use serde_json::json;

use super::output::{Failure, INTERRUPTED, Output, complain};
use super::progress::{Mode, Progress};
use super::scope::{ScopeArguments, bytes};

/// Solve a game, or a part of it, into a database
///
/// The database says what it holds after every phase: a run that was interrupted goes on where it
/// stood when the same command is given again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    #[command(flatten)]
    scope: ScopeArguments,

    /// The directory of the database; made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// How many threads to use [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The most memory to use, such as 8G or 512M.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,

    /// How progress is shown on standard error.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Mode::Auto)]
    progress: Mode,

    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek solve --rules standard --out db/standard
  mlynek solve --rules standard --out db/standard --metric depth
  mlynek solve --rules no-flying --out db/small --max-men 4 --threads 2 --memory 2G";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let plan = arguments.scope.plan()?;
    let report = PlanReport::new(&plan);
    complain(report.to_string().trim_end());
    let options = Options {
        threads: arguments.threads.map(usize::from),
        memory: arguments.memory,
        ..Options::default()
    };
    let progress = Progress::new(arguments.progress);
    let stop = stop_on_interrupt()?;
    let result = generate::run(&plan, &arguments.out, &options, &progress, &stop);
    progress.finish();
    let summary = match result {
        Ok(summary) => summary,
        Err(GenerateError::Stopped { .. }) => {
            complain(format_args!(
                "mlynek: interrupted; the same command goes on with {} where it stands",
                arguments.out.display()
            ));
            return Err(Failure::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    complain(format_args!(
        "{} in {}: {}, {}",
        counted(summary.tables as u64, "table"),
        arguments.out.display(),
        size(summary.bytes),
        duration(Duration::try_from_secs_f64(summary.seconds).unwrap_or_default()),
    ));
    if arguments.json {
        output.json(&json!({
            "rules": plan.rules.name(),
            "out": arguments.out.display().to_string(),
            "start": summary.start,
            "tables": summary.tables,
            "bytes": summary.bytes,
            "seconds": summary.seconds,
            "plan": report,
        }))
    } else {
        output.line(last_line(&plan, &summary))
    }
}

/// The result in a line.
fn last_line(plan: &Plan, summary: &Summary) -> String {
    let rules = plan.rules.name();
    match (&plan.scope, summary.start) {
        (Scope::Game, Some(start)) => format!("start position ({rules}): {start}"),
        _ => format!(
            "moving phase ({rules}): {} solved",
            counted(plan.tables.len() as u64, "subspace")
        ),
    }
}

/// A flag that the first Ctrl-C sets; the second ends the process.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            process::exit(INTERRUPTED.into());
        }
        complain("mlynek: stopping as soon as the database can be resumed; again to end at once");
    })?;
    Ok(stop)
}
