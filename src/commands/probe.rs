//! `mlynek probe`: the value of positions, and of every move in them.

use std::fmt::{self, Write as _};
use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::Args;
use mlynek::database::{Database, Evaluation, Probe, RankedMove};
use mlynek::notation::{read_position, write_move, write_position};
use mlynek::rules::{Position, Value};
use serde::Serialize;

use super::output::{Failure, Output};

/// Say what a position is worth, and every move in it, best first
///
/// Every value, the moves' too, is seen from the side to move in the position asked about. Where
/// the database has depths, wins and losses come with the plies to the end of the game when the
/// winner hurries and the loser delays. With --json, each position gives one line.
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

/// What is printed of a position as JSON. Depths are there where the database has any: then a
/// draw, or what has no depth in it, has `null`.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    rules: &'a str,
    position: String,
    #[serde(flatten)]
    worth: Worth,
    moves: Vec<AnswerMove>,
    /// How a line of best play ends; no part of a probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
}

#[derive(Serialize)]
struct AnswerMove {
    #[serde(rename = "move")]
    played: String,
    #[serde(flatten)]
    worth: Worth,
}

/// What a position or a move is worth, as it is printed.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Worth {
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<Option<u32>>,
}

impl Worth {
    /// What is printed of an evaluation from this database. One without depths knows those of
    /// finished games, but is not asked for them.
    pub(super) fn new(database: &Database, evaluation: Evaluation) -> Self {
        let Evaluation { value, plies } = evaluation;
        let plies = database.has_any_depths().then_some(plies);
        Self { value, plies }
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, plies) = (self.value, self.plies.flatten());
        Evaluation { value, plies }.fmt(f)
    }
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
            let evaluation = probe.evaluation();
            output.json(&answer(
                &database,
                &position,
                evaluation,
                &probe.moves,
                None,
            ))
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

/// Moves as text, with what they are worth.
pub(super) fn written<'a>(
    database: &'a Database,
    moves: &'a [RankedMove],
) -> impl Iterator<Item = (String, Worth)> + 'a {
    let board = database.rules().board();
    moves.iter().map(move |ranked| {
        let worth = Worth::new(database, ranked.evaluation());
        (write_move(board, ranked.played), worth)
    })
}

/// What is printed as JSON of a position, some moves, and how they end.
pub(super) fn answer<'a>(
    database: &'a Database,
    position: &Position,
    evaluation: Evaluation,
    moves: &[RankedMove],
    end: Option<&'static str>,
) -> Answer<'a> {
    Answer {
        rules: database.rules().name(),
        position: write_position(database.rules().board(), position),
        worth: Worth::new(database, evaluation),
        moves: written(database, moves)
            .map(|(played, worth)| AnswerMove { played, worth })
            .collect(),
        end,
    }
}

fn text_answer(database: &Database, position: &Position, probe: &Probe) -> String {
    let position = write_position(database.rules().board(), position);
    let worth = Worth::new(database, probe.evaluation());
    let mut text = format!("{position}: {worth}\n");
    if probe.moves.is_empty() {
        text.push_str("  no move: the game is over\n");
    }
    let all: Vec<_> = written(database, &probe.moves).collect();
    let width = widest(&all);
    for (played, worth) in all {
        let _ = writeln!(text, "  {played:<width$} {worth}");
    }
    text
}

/// The length of the longest of some moves.
pub(super) fn widest(moves: &[(String, Worth)]) -> usize {
    let lengths = moves.iter().map(|(played, _)| played.len());
    lengths.max().unwrap_or(0)
}
