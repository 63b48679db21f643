//! The text protocol that mill programs speak with an engine, and an engine that plays by the
//! tables. This page is its manual.
//!
//! The protocol is chess's UCI as Sanmill has it for mill: lines of words in, lines of words out.
//! `mlynek engine DIR` speaks it on standard input and output; [`Engine`] is the same thing as a
//! library, one line at a time.
//!
//! ```
//! use mlynek::database::Database;
//! use mlynek::engine::Engine;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let database = Database::open("data/sample/standard")?;
//! let mut engine = Engine::new(&database);
//! engine.hear("position fen ***O@*@*/*@*O***O/******** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
//! let reply = engine.hear("go");
//! assert!(reply.lines.last().unwrap().starts_with("bestmove "));
//! # Ok(())
//! # }
//! ```
//!
//! # Commands
//!
//! | command | answer |
//! |---|---|
//! | `uci` | `id name ...`, `id author ...`, the options, `uciok` |
//! | `isready` | `readyok` |
//! | `setoption name NAME value VALUE` | nothing, or why not |
//! | `ucinewgame` | nothing; the position is the start |
//! | `position startpos [moves ...]` | nothing, or why it is refused |
//! | `position fen FEN [moves ...]` | the same; the FEN is Sanmill's, see [`crate::notation`] |
//! | `go [...]` | an `info` line and `bestmove ACTION`, or why there is none |
//! | `stop`, `ponderhit` | the answer that `go infinite` or `go ponder` holds back, if any |
//! | `quit`, or the end of the input | ends the program |
//!
//! Anything else is answered by `info string unknown command: ...`. A line has at most
//! [`LONGEST_LINE`] bytes. Before the first `position` the position is the start.
//!
//! **Rules.** They are those of the database: `startpos` is the start of its game, with as many men
//! as it was solved for, and a FEN must be a position of that game.
//!
//! **Actions.** Every action is a word of its own: `d6` places a man, `d6-d5` moves one, `xb4`
//! removes one. An action that closes a mill leaves the removal outstanding; the side to move
//! stays, and the next word of a history, or the answer to the next `go`, is a removal.
//!
//! **Histories** are refused as a whole when they cannot be played. In this the engine is the same
//! with and without `StrictFailurePolicy`: a position that the other program does not mean is never
//! played from. After a refused `position` there is none, and `go` says so, until the next
//! `position` or `ucinewgame`.
//!
//! # Answers
//!
//! ```text
//! info depth 1 score cp 0 nodes 1 pv d6
//! bestmove d6
//! ```
//!
//! `bestmove` stands on a line of its own: a program that waits for a line with the word finds it,
//! and so does one that waits for a line that begins with it. Sanmill itself writes both lines as
//! one, `info depth 1 score cp 0 nodes 1 bestmove d6`; for a program that reads score and action
//! from the same line, the option `OneLineAnswers` does it too.
//!
//! * `bestmove draw`: the position has come about for the third time.
//! * `bestmove none`: the game is over; a line before it says who has lost.
//!
//! Scores are White's, whoever is to move, as in Sanmill: `score mate N` when the game ends with
//! White's win N plies from now, `score mate -N` with Black's, where the database has depths;
//! or the end is the next ply, otherwise `score cp 80` and `score cp -80` for a won game, which is the number that program gives
//! to one. A draw is `score cp 0`. The depth is the number of plies to the end where it is known,
//! else 1, and `nodes` is always 1: nothing is searched.
//!
//! **Limits.** `go` takes `depth`, `nodes`, `mate`, `movetime`, `movestogo`, `wtime`, `btime`,
//! `winc`, `binc`, each with a whole number behind it. They make no difference, as answers come
//! at once. `go topn N` has N lines `info topn rank 1 move d6 score cp 0` before the answer, best
//! action first, or as many as there are actions. Words that are none of these, or lack their
//! number, are an error. After `go infinite` and `go ponder` the action is held back until `stop`
//! or `ponderhit`, as UCI demands; `position`, `go`, `ucinewgame`, `setoption`, `quit` and the end
//! of the input release it too, so that each `go` gets its answer. A `stop` with nothing held back
//! is not answered: it comes too late for an answer that has been given.
//!
//! # What is played
//!
//! The best action by value, and where the database has depths, the fastest win or the slowest
//! loss. Among actions that are as good:
//!
//! * A third repetition is a draw here, so a winner does not bring it about nor lets the loser do
//!   so with the next move, and a loser brings it about if he can.
//! * Without depths a winner prefers a position that has not been before, and an action that closes
//!   a mill, which cannot be undone; a loser prefers one that has been before. In a drawn position
//!   what has not been before is preferred too. A win is never given away, but may take long.
//! * Otherwise the first in the order of the text.
//!
//! **Repetition** is of the men on the points and the side to move, counted over the history that
//! came with `position`, its first position included. A man placed or removed makes all earlier
//! positions unreachable. A position in the middle of a move does not count. (Sanmill calls this
//! way of counting `mif-stable-moving-v1`.) There is no draw after a number of moves without a
//! removal.
//!
//! # Options
//!
//! | option | |
//! |---|---|
//! | `StrictFailurePolicy` | `true`: errors come in the form of Sanmill's strict mode; `false` by default |
//! | `OneLineAnswers` | `true`: `info` and `bestmove` on one line; `false` by default |
//! | `PiecesCount`, `MayFly` | the rules of the database; can be set to what they are |
//!
//! # Errors
//!
//! An error is one line, and no `bestmove` follows it. The engine goes on.
//!
//! | `info string ...` | in strict mode, `code` | when |
//! |---|---|---|
//! | `invalid fen ignored: ...` | `invalid_fen` | the FEN cannot be read, or is no position of the game |
//! | `invalid position command ignored: ...` | `invalid_position_command` | neither `startpos` nor `fen`, something between that and `moves`, a line that is too long |
//! | `illegal move ignored: ...` | `position_history_truncated` | a word of the history is no action; in strict mode also `moves` with nothing behind it |
//! | `illegal move ignored: ...` | `position_history_illegal_action` | an action is not legal |
//! | `position unavailable: ...` | `position_unavailable` | `go` after a `position` that was refused |
//! | `invalid go command ignored: ...` | `invalid_go_command` | a word behind `go` that is not known, or lacks its number |
//! | `tables unavailable: ...` | `tables_unavailable` | a table is missing or damaged; the text names it |
//! | `unsupported setoption: ...` | the same | an option that is not known, or a value it does not take |
//!
//! In strict mode the line is `info string sanmill_error` with JSON behind it: `protocol_version`
//! (1), `status` (`error`), `code`, `command` and `message`, for an action also `action_index`,
//! counted from 0, and `token`.

mod choice;
mod error;
mod game;
mod go;
mod lines;

use std::fmt::Write as _;

use crate::database::Database;
use crate::notation::Dialect;
use crate::rules::{Colour, Flying, RuleSet, Step, Value};

pub use lines::{LONGEST_LINE, lines};

use choice::{Choice, choices};
use error::{Code, Refusal, plain};
use game::Game;
use go::Go;

/// The number Sanmill gives to a won game in place of a score.
const WON: i64 = 80;

/// What the engine says to a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// The lines, without line ends; perhaps none.
    pub lines: Vec<String>,
    /// Whether the conversation is over.
    pub quit: bool,
}

impl Reply {
    /// The lines as they are printed.
    pub fn text(&self) -> String {
        let lines = self.lines.iter();
        lines.flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

impl From<Vec<String>> for Reply {
    fn from(lines: Vec<String>) -> Self {
        Self { lines, quit: false }
    }
}

/// One side of a conversation: hears lines, answers them, and remembers the position.
#[derive(Debug)]
pub struct Engine<'a> {
    database: &'a Database,
    strict: bool,
    one_line: bool,
    /// The position, none after one that was refused.
    game: Option<Game>,
    /// The answer that is held back until `stop`.
    held: Option<String>,
}

impl<'a> Engine<'a> {
    /// An engine that plays by a database, at the start of its game.
    pub fn new(database: &'a Database) -> Self {
        Self {
            database,
            strict: false,
            one_line: false,
            game: Some(Game::start(database.rules())),
            held: None,
        }
    }

    /// Answers a line. Whatever the line, the engine lives on.
    pub fn hear(&mut self, line: &str) -> Reply {
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else {
            return Reply::default();
        };
        let words: Vec<&str> = words.collect();
        match command {
            "uci" => return self.introduction().into(),
            "isready" => return vec!["readyok".to_owned()].into(),
            "position" | "go" | "setoption" | "ucinewgame" | "stop" | "ponderhit" | "quit" => {}
            _ => return vec![format!("info string unknown command: {}", plain(line))].into(),
        }
        // From here on the command ends what is going on.
        let mut lines: Vec<String> = self.held.take().into_iter().collect();
        match command {
            "position" => lines.extend(self.position(line, &words)),
            "go" => lines.extend(self.go(&words)),
            "setoption" => {
                let refused = self.set_option(&words);
                lines.extend(refused.map(|why| {
                    let line = plain(line);
                    format!("info string unsupported setoption: {line}: {why}")
                }));
            }
            "ucinewgame" => self.game = Some(Game::start(self.rules())),
            _ => {}
        }
        let quit = command == "quit";
        Reply { lines, quit }
    }

    /// The input has ended: what is still to be said.
    pub fn end(&mut self) -> Reply {
        let lines = self.held.take().into_iter().collect();
        Reply { lines, quit: true }
    }

    fn rules(&self) -> &'a RuleSet {
        self.database.rules()
    }

    fn introduction(&self) -> Vec<String> {
        let rules = self.rules();
        let men = rules.men();
        let flies = flies(rules);
        vec![
            format!("id name mlynek {}", env!("CARGO_PKG_VERSION")),
            "id author The mlynek developers".to_owned(),
            format!("info string tables of the rules {}", rules.name()),
            "option name StrictFailurePolicy type check default false".to_owned(),
            "option name OneLineAnswers type check default false".to_owned(),
            format!("option name PiecesCount type spin default {men} min {men} max {men}"),
            format!("option name MayFly type check default {flies}"),
            "uciok".to_owned(),
        ]
    }

    /// Sets an option, or says why not.
    fn set_option(&mut self, words: &[&str]) -> Option<String> {
        let Some(("name", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
            return Some("expected `name`".to_owned());
        };
        let split = words.iter().position(|word| *word == "value");
        let (name, value) = words.split_at(split.unwrap_or(words.len()));
        let name = name.join(" ");
        let value = value.get(1..).unwrap_or_default().join(" ");
        let check = |setting: &mut bool| match value.parse() {
            Ok(value) => {
                *setting = value;
                None
            }
            Err(_) => Some("expected `value true` or `value false`".to_owned()),
        };
        let rules = self.rules();
        let fixed = |is: String| {
            let other = !value.eq_ignore_ascii_case(&is);
            other.then(|| format!("the tables are of the rules {}: {is}", rules.name()))
        };
        match name.to_ascii_lowercase().as_str() {
            "strictfailurepolicy" => check(&mut self.strict),
            "onelineanswers" => check(&mut self.one_line),
            "piecescount" => fixed(rules.men().to_string()),
            "mayfly" => fixed(flies(rules).to_string()),
            _ => Some("there is no such option".to_owned()),
        }
    }

    /// Takes up a position, or says why not.
    fn position(&mut self, line: &str, words: &[&str]) -> Option<String> {
        let game = if line.len() > LONGEST_LINE {
            let message = format!("the line is too long; expected at most {LONGEST_LINE} bytes");
            Err(Refusal::new(Code::InvalidPositionCommand, message))
        } else {
            Game::read(self.rules(), words, self.strict)
        };
        match game {
            Ok(game) => {
                self.game = Some(game);
                None
            }
            Err(refusal) => {
                self.game = None;
                Some(refusal.line(self.strict))
            }
        }
    }

    /// Answers `go`.
    fn go(&mut self, words: &[&str]) -> Vec<String> {
        match self.answer(words) {
            Ok((go, answer)) => {
                let Answer {
                    mut lines,
                    info,
                    best,
                } = answer;
                let last = if self.one_line {
                    format!("{info} bestmove {best}")
                } else {
                    lines.push(info);
                    format!("bestmove {best}")
                };
                if go.hold {
                    self.held = Some(last);
                } else {
                    lines.push(last);
                }
                lines
            }
            Err(refusal) => vec![refusal.line(self.strict)],
        }
    }

    fn answer(&self, words: &[&str]) -> Result<(Go, Answer), Refusal> {
        let go = Go::read(words)?;
        let Some(game) = &self.game else {
            let message = "the last position command was refused; send position or ucinewgame";
            return Err(Refusal::new(Code::PositionUnavailable, message));
        };
        let (turn, rules) = (game.turn(), self.rules());
        if rules.steps(turn).is_empty() {
            let lost = match rules.outcome(turn.position()) {
                Some(Value::Win) => turn.side().other(),
                _ => turn.side(),
            };
            let score = score(lost, Value::Loss, None);
            let over = format!("info string game over: {lost:?} has lost");
            let answer = Answer {
                lines: vec![over],
                info: format!("info depth 0 score {score} nodes 0"),
                best: "none".to_owned(),
            };
            return Ok((go, answer));
        }
        if game.is_drawn() {
            let answer = Answer {
                lines: Vec::new(),
                info: "info depth 0 score cp 0 nodes 0".to_owned(),
                best: "draw".to_owned(),
            };
            return Ok((go, answer));
        }
        let choices = choices(self.database, game)?;
        let best = choices.first().expect("there is a step");
        let lines = choices.iter().take(go.top).enumerate();
        let lines = lines.map(|(place, choice)| {
            let (action, score) = (self.write(choice.step), choice_score(turn.side(), choice));
            let rank = place + 1;
            format!("info topn rank {rank} move {action} score {score}")
        });
        let score = choice_score(turn.side(), best);
        let depth = best.plies().unwrap_or(1);
        let action = self.write(best.step);
        let mut info = format!("info depth {depth} score {score} nodes 1");
        // On one line the action stands behind `bestmove` only, as the other programs have it.
        if !self.one_line {
            let _ = write!(info, " pv {action}");
        }
        let answer = Answer {
            lines: lines.collect(),
            info,
            best: action,
        };
        Ok((go, answer))
    }

    fn write(&self, step: Step) -> String {
        write_step(self.rules(), step)
    }
}

/// What is said to `go`.
struct Answer {
    /// Lines before the last `info` line.
    lines: Vec<String>,
    info: String,
    best: String,
}

/// Whether somebody may fly in the game.
fn flies(rules: &RuleSet) -> bool {
    !matches!(rules.flying(), Flying::Never)
}

/// An action as a word.
fn write_step(rules: &RuleSet, step: Step) -> String {
    let board = rules.board();
    // The own form writes an action alone the same way, and every board has it.
    let text = Dialect::Own.write_steps(board, [step]);
    text.expect("a legal step has points of the board")
}

/// The score of an action for the side to move.
fn choice_score(side: Colour, choice: &Choice) -> String {
    score(side, choice.value(), choice.plies())
}

/// A value for a side as a score, which is White's.
fn score(side: Colour, value: Value, plies: Option<u32>) -> String {
    let white = match side {
        Colour::White => value,
        Colour::Black => -value,
    };
    let sign = match white {
        Value::Loss => -1,
        Value::Draw => return "cp 0".to_owned(),
        Value::Win => 1,
    };
    match plies {
        Some(plies) => format!("mate {}", sign * i64::from(plies)),
        None => format!("cp {}", sign * WON),
    }
}
