//! `mlynek estimate`: what a run of `solve` would take.

use clap::Args;
use mlynek::report::PlanReport;

use super::output::{Failure, Output};
use super::scope::ScopeArguments;

/// Say what `solve` would do and take, without doing it: positions, memory, disk
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    #[command(flatten)]
    scope: ScopeArguments,

    /// Print JSON, with the list of tables.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek estimate --rules standard
  mlynek estimate --rules no-flying --max-men 4 --json";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let report = PlanReport::new(&arguments.scope.plan()?);
    if arguments.json {
        output.json(&report)
    } else {
        output.print(report)
    }
}
