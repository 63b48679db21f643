//! `mlynek line`: best play from a position on.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use mlynek::database::{Database, Line, LineEnd};
use mlynek::notation::{read_position, write_position};
use mlynek::rules::{Colour, Value};

use super::output::{Failure, Output};
use super::probe::{Worth, answer, widest, written};

/// Play a position out with the best moves of both sides
///
/// The winner hurries and the loser delays, where the database has depths; of moves that are worth
/// the same the first in the order of their text is played. The line ends with the game, or when
/// the same men stand on the same points with the same side to move for the second time. What
/// stands behind a move is seen from the side that plays it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The directory of the database.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The position: White's points/Black's points, w or b, White's hand, Black's hand (0 0 when
    /// left out).
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// Play at most N moves, those of both sides counted.
    #[arg(long, value_name = "N")]
    plies: Option<usize>,

    /// Print JSON, in one line.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek line db/standard \"a1d1g7/b2b4b6d2 w\"
  mlynek line --json --plies 10 db/standard \"-/- w 9 9\"";

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let database = Database::open(&arguments.dir)?;
    // Quotes may have been left out: no field of a position has a space in it.
    let text = arguments.position.join(" ");
    let text = text.trim();
    let position = read_position(database.rules().board(), text)?;
    let line = database
        .line(&position, arguments.plies)
        .map_err(|error| Failure::Error(format!("position {text:?}: {error}")))?;
    if arguments.json {
        let end = Some(line.end.name());
        output.json(&answer(
            &database,
            &position,
            line.evaluation,
            &line.moves,
            end,
        ))
    } else {
        output.print(text_answer(&database, &line))
    }
}

fn text_answer(database: &Database, line: &Line) -> String {
    let position = write_position(database.rules().board(), &line.position);
    let worth = Worth::new(database, line.evaluation);
    let mut text = format!("{position}: {worth}\n");
    let moves: Vec<_> = written(database, &line.moves).collect();
    let width = widest(&moves);
    let digits = moves.len().to_string().len();
    for (ply, (played, worth)) in (1..).zip(&moves) {
        let _ = writeln!(text, "  {ply:>digits$} {played:<width$} {worth}");
    }
    let _ = writeln!(text, "{}", end(line));
    text
}

/// How a line ends, in words.
fn end(line: &Line) -> String {
    match line.end {
        LineEnd::Blocked { loser } => format!("{} has no move and has lost", name(loser)),
        LineEnd::Men { loser } => format!("{} has too few men and has lost", name(loser)),
        LineEnd::Repetition { first } => {
            let place = match first {
                0 => "at the beginning".to_owned(),
                ply => format!("after ply {ply}"),
            };
            let mut text = format!("the position is the same as {place}");
            if line.evaluation.value == Value::Draw {
                text += ": a draw";
            } else if line.lacks_depths() {
                text += ": without depths, a won game may go round in circles";
            }
            text
        }
        LineEnd::Limit => format!("not played further than {} plies", line.moves.len()),
    }
}

/// A player's name.
fn name(player: Colour) -> &'static str {
    match player {
        Colour::White => "White",
        Colour::Black => "Black",
    }
}
