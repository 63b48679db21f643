//! `mlynek stats`: how many positions of each subspace are won, lost and drawn.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mlynek::database::Database;
use mlynek::report::StatsReport;

use super::output::{Failure, Output};

/// Say how many positions of each subspace are won, lost and drawn
///
/// Canonical positions are counted once for each orbit of the board's symmetries; raw ones in
/// every orientation. The numbers are those of the database's manifest; `verify` counts again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

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
  mlynek stats db/standard --format csv > counts.csv";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let manifest = database.manifest();
    let report = StatsReport::new(database.rules(), manifest.start, &manifest.tables);
    match arguments.format {
        _ if arguments.json => output.json(&report),
        Format::Json => output.json(&report),
        Format::Table => output.print(report),
        Format::Csv => {
            let mut csv = Vec::new();
            report.write_csv(&mut csv)?;
            output.bytes(&csv)
        }
    }
}
