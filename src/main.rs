//! The command line of mlynek: parses, calls the library, prints.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run()
}
