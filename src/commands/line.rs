//! `mlynek line`: perfect play to the end.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use mlynek::database::{Database, Line};
use mlynek::notation::{read_position, write_move, write_position};
use mlynek::rules::{Colour, Position};
use serde::Serialize;

use super::answer::{AnswerMove, Worth};
use super::output::{Failure, Output};

/// Play a position on, perfectly on both sides, to the end or to the first repetition
///
/// Each side plays the first of its best moves. Where the database has depths the winner hurries
/// and the loser delays; where it has none, a won position may go round in circles. Every value is
/// seen from the side that plays the move.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The position, in quotes: White's points/Black's points, w or b, White's hand, Black's hand
    /// (0 0 when left out).
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// Stop after so many plies.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    plies: usize,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek line db/standard \"d7g7g1/a4d5g4 b\"
  mlynek line --json --plies 20 db/standard \"-/- w 9 9\"";

#[derive(Serialize)]
struct Answer<'a> {
    rules: &'a str,
    position: String,
    #[serde(flatten)]
    worth: Worth,
    moves: Vec<AnswerMove>,
    end: &'static str,
    last: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    let board = database.rules().board();
    let text = arguments.position.join(" ");
    let position = read_position(board, text.trim())?;
    let line = database
        .line(&position, arguments.plies)
        .map_err(|error| Failure::Error(format!("position {text:?}: {error}")))?;
    if !arguments.json {
        return output.print(text_answer(&database, &position, &line));
    }
    output.json(&Answer {
        rules: database.rules().name(),
        position: write_position(board, &position),
        worth: line.start.into(),
        moves: AnswerMove::list(board, &line.moves),
        end: line.end.name(),
        last: write_position(board, &line.last),
    })
}

fn text_answer(database: &Database, position: &Position, line: &Line) -> String {
    let board = database.rules().board();
    let mut text = format!("{}: {}\n", write_position(board, position), line.start);
    let played = |ply: usize| write_move(board, line.moves[ply].played);
    let longest = (0..line.moves.len()).map(|ply| played(ply).len()).max();
    let width = longest.unwrap_or(0);
    let mut side = position.side;
    for (ply, ranked) in line.moves.iter().enumerate() {
        let (number, played, worth) = (ply + 1, played(ply), ranked.evaluation());
        let name = match side {
            Colour::White => 'w',
            Colour::Black => 'b',
        };
        let _ = writeln!(text, "{number:>5} {name} {played:<width$} {worth}");
        side = side.other();
    }
    let last = write_position(board, &line.last);
    let _ = writeln!(text, "{}: {last}", line.end);
    text
}
