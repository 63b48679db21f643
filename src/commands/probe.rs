//! `mlynek probe`: the value of positions, and of every move in them.

use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::Args;
use mlynek::database::{Database, Probe};
use mlynek::notation::{read_position, write_move, write_position};
use mlynek::rules::Position;
use serde::Serialize;

use super::answer::{AnswerMove, Worth};
use super::output::{Failure, Output};

/// Say what a position is worth, and every move in it, best first
///
/// Every value, the moves' too, is seen from the side to move in the position asked about. Where
/// the database has depths, a number says in how many plies the game ends when the winner hurries
/// and the loser delays. With --json, each position gives one line.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Positions, each in quotes: White's points/Black's points, w or b, White's hand, Black's
    /// hand (0 0 when left out). A single - reads positions from standard input, one a line.
    #[arg(value_name = "POSITION", required = true)]
    positions: Vec<String>,

    /// Print JSON, one line for each position.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek probe db/standard \"-/- w 9 9\"
  mlynek probe --json db/standard \"a1d1g7/b2b4b6d2 w\"";

/// What is printed of a position as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    position: String,
    #[serde(flatten)]
    worth: Worth,
    moves: Vec<AnswerMove>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let board = database.rules().board();
    let mut reply = |text: &str| -> Result<(), Failure> {
        let text = text.trim();
        let position = read_position(board, text)?;
        let probe = database
            .probe(&position)
            .map_err(|error| Failure::Error(format!("position {text:?}: {error}")))?;
        if arguments.json {
            output.json(&answer(&database, &position, &probe))
        } else {
            output.print(text_answer(&database, &position, &probe))
        }
    };
    if arguments.positions == ["-"] {
        for line in io::stdin().lock().lines() {
            let line = line
                .map_err(|error| Failure::Error(format!("cannot read standard input: {error}")))?;
            if !line.trim().is_empty() {
                reply(&line)?;
            }
        }
        return Ok(());
    }
    // One position without its quotes: none of its fields is a position.
    let joined = arguments.positions.join(" ");
    if arguments.positions.len() > 1 && read_position(board, &joined).is_ok() {
        return reply(&joined);
    }
    arguments.positions.iter().try_for_each(|text| reply(text))
}

fn answer<'a>(database: &'a Database, position: &Position, probe: &Probe) -> Answer<'a> {
    let board = database.rules().board();
    Answer {
        rules: database.rules().name(),
        position: write_position(board, position),
        worth: probe.evaluation().into(),
        moves: AnswerMove::list(board, &probe.moves),
    }
}

fn text_answer(database: &Database, position: &Position, probe: &Probe) -> String {
    let board = database.rules().board();
    let position = write_position(board, position);
    let mut text = format!("{position}: {}\n", probe.evaluation());
    if probe.moves.is_empty() {
        text.push_str("  no move: the game is over\n");
    }
    let moves = probe.moves.iter();
    let all: Vec<_> = moves
        .map(|ranked| (write_move(board, ranked.played), ranked.evaluation()))
        .collect();
    let width = all
        .iter()
        .map(|(played, _)| played.len())
        .max()
        .unwrap_or(0);
    for (played, worth) in all {
        let _ = writeln!(text, "  {played:<width$} {worth}");
    }
    text
}
