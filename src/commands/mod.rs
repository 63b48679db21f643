//! The commands, one file each: they parse arguments, call the library and print.

mod answer;
mod engine;
mod estimate;
mod line;
mod output;
mod probe;
mod progress;
mod rules;
mod scope;
mod solve;
mod stats;
mod verify;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::{Failure, Output, complain};

/// Strongly solves nine men's morris and answers from the tables it makes.
///
/// Exit status: 0 done, 1 checked and found wrong, 2 could not run, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "mlynek", version, after_help = EXAMPLE)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLE: &str = "\
Example:
  mlynek solve --rules standard --out db/standard
  mlynek probe db/standard \"-/- w 9 9\"";

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::Arguments),
    Probe(probe::Arguments),
    Line(line::Arguments),
    Verify(verify::Arguments),
    Stats(stats::Arguments),
    Rules(rules::Arguments),
    Estimate(estimate::Arguments),
    Engine(engine::Arguments),
}

/// A position in which White has no man on the board begins with a hyphen, but is no option: a
/// space before it, which reading passes over, says so to the parser.
fn shield_position(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.starts_with("-/") => format!(" {text}").into(),
        _ => argument,
    }
}

/// Does what the command line says. Usage errors and `--help` end the process here.
pub fn run() -> ExitCode {
    let cli = Cli::parse_from(env::args_os().map(shield_position));
    let mut output = Output::new();
    let result = match cli.command {
        Command::Solve(arguments) => solve::run(&arguments, &mut output),
        Command::Probe(arguments) => probe::run(&arguments, &mut output),
        Command::Line(arguments) => line::run(&arguments, &mut output),
        Command::Verify(arguments) => verify::run(&arguments, &mut output),
        Command::Stats(arguments) => stats::run(&arguments, &mut output),
        Command::Rules(arguments) => rules::run(&arguments, &mut output),
        Command::Estimate(arguments) => estimate::run(&arguments, &mut output),
        Command::Engine(arguments) => engine::run(&arguments, &mut output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Failure::Error(message) = &failure {
                complain(format_args!("mlynek: {message}"));
            }
            failure.exit_code()
        }
    }
}
