//! `mlynek engine`: plays by the tables, in the text protocol of mill programs.

use std::io;
use std::path::PathBuf;

use clap::Args;
use mlynek::database::Database;
use mlynek::engine::{Engine, lines};

use super::output::{Failure, Output};

/// Play perfectly, speaking the text protocol of mill programs on standard input and output
///
/// The protocol is UCI as Sanmill has it: uci, isready, setoption, ucinewgame, position (startpos or
/// fen, then moves), go, stop, quit. Every action is a word of its own: d6 places a man, d6-d5 moves
/// one, xb4 removes one, after the action that closed the mill. The rules are those of the database.
/// A history that cannot be played is refused as a whole.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

const EXAMPLE: &str = "\
Example:
  mlynek engine db/standard
  printf 'position startpos moves d6 f4\\ngo\\nquit\\n' | mlynek engine db/standard

which answers
  info depth 1 score cp 0 nodes 1 pv a1
  bestmove a1";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let mut engine = Engine::new(&database);
    for line in lines(io::stdin().lock()) {
        let line =
            line.map_err(|error| Failure::Error(format!("cannot read standard input: {error}")))?;
        let reply = engine.hear(&line);
        output.print(reply.text())?;
        if reply.quit {
            return Ok(());
        }
    }
    output.print(engine.end().text())
}
