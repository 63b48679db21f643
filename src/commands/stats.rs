//! `mlynek stats`: how many positions of each subspace are won, lost and drawn, and how deep.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mlynek::database::Database;
use mlynek::report::{DepthsReport, StatsReport};
use serde::Serialize;

use super::output::{Failure, Output};

/// Say how many positions of each subspace are won, lost and drawn
///
/// Canonical positions are counted once for each orbit of the board's symmetries; raw ones in
/// every orientation. The numbers are those of the database's manifest; `verify` counts again.
/// Where the database has depths, the deepest win and loss of each subspace follow: the plies to
/// the end of the game when the winner hurries and the loser delays.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Say instead how many canonical positions have each depth.
    #[arg(long, visible_alias = "depths")]
    histogram: bool,

    /// The form of the output.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// A table for people, with totals.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// JSON, with totals.
    Json,
}

const EXAMPLE: &str = "\
Example:
  mlynek stats db/standard
  mlynek stats db/standard --format csv > counts.csv
  mlynek stats db/standard --histogram";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    if !arguments.histogram {
        let report = StatsReport::of(&database)?;
        return print(arguments, output, &report, |csv| report.write_csv(csv));
    }
    if !database.has_any_depths() {
        return Err(Failure::Error(format!(
            "{}: the database has no depths; make them with `mlynek solve --metric depth`",
            arguments.dir.display()
        )));
    }
    let report = DepthsReport::of(&database)?;
    print(arguments, output, &report, |csv| report.write_csv(csv))
}

/// Prints a report in the form asked for.
fn print<R: Serialize + fmt::Display>(
    arguments: &Arguments,
    output: &mut Output,
    report: &R,
    write_csv: impl FnOnce(&mut Vec<u8>) -> Result<(), csv::Error>,
) -> Result<(), Failure> {
    match arguments.format {
        _ if arguments.json => output.json(report),
        Format::Json => output.json(report),
        Format::Table => output.print(report),
        Format::Csv => {
            let mut csv = Vec::new();
            write_csv(&mut csv)?;
            output.bytes(&csv)
        }
    }
}
