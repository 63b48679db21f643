//! `mlynek stats`: how many positions of each subspace are won, lost and drawn.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mlynek::database::Database;
use mlynek::report::{HistogramReport, StatsReport};

use super::output::{Failure, Output};

/// Say how many positions of each subspace are won, lost and drawn
///
/// Canonical positions are counted once for each orbit of the board's symmetries; raw ones in
/// every orientation. Where the database has depths, the deepest win and loss of each subspace
/// follow, in plies, with an example of each. The numbers are those that the database has recorded;
/// `verify` counts again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Of a database with depths: how many positions are won and lost in how many plies.
    #[arg(long)]
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
  mlynek stats db/standard --histogram --format csv > depths.csv";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let format = if arguments.json {
        Format::Json
    } else {
        arguments.format
    };
    let mut csv = Vec::new();
    if arguments.histogram {
        let report = HistogramReport::of(&database)?;
        match format {
            Format::Json => return output.json(&report),
            Format::Table => return output.print(report),
            Format::Csv => report.write_csv(&mut csv)?,
        }
    } else {
        let report = StatsReport::of(&database)?;
        match format {
            Format::Json => return output.json(&report),
            Format::Table => return output.print(report),
            Format::Csv => report.write_csv(&mut csv)?,
        }
    }
    output.bytes(&csv)
}
