//! The position a `position` command tells, and how often positions have come about.

use std::collections::HashMap;

use super::error::{Code, Refusal, plain};
use crate::notation::{Dialect, NotationError, Problem};
use crate::rules::{Position, RuleSet, Step, Turn};

/// The occurrence of a position that makes the game a draw.
pub(super) const DRAWING: u32 = 3;

/// A turn and the positions before it that can come about again.
#[derive(Clone, Debug)]
pub(super) struct Game {
    turn: Turn,
    /// How often each position between two moves has come about since a man was last placed or
    /// removed, the present one included. Hands are the same in all of them, so that positions are
    /// equal when the men and the side to move are.
    seen: HashMap<Position, u32>,
}

impl Game {
    /// The start of a game.
    pub fn start(rules: &RuleSet) -> Self {
        Self::at(rules.start().into())
    }

    fn at(turn: Turn) -> Self {
        let mut game = Self {
            turn,
            seen: HashMap::new(),
        };
        game.see();
        game
    }

    /// Reads the words behind `position`. In strict mode `moves` must be followed by one.
    pub fn read(rules: &RuleSet, words: &[&str], strict: bool) -> Result<Self, Refusal> {
        let split = words.iter().position(|word| *word == "moves");
        let (origin, moves) = words.split_at(split.unwrap_or(words.len()));
        let turn = match *origin {
            ["startpos"] => rules.start().into(),
            ["fen", ref fen @ ..] => read_fen(rules, &fen.join(" "))?,
            _ => {
                let found = match origin {
                    [] => "nothing".to_owned(),
                    ["startpos", more, ..] => format!("{:?} behind startpos", plain(more)),
                    [other, ..] => format!("{:?}", plain(other)),
                };
                let message =
                    format!("expected startpos or fen FEN, then perhaps moves, found {found}");
                return Err(Refusal::new(Code::InvalidPositionCommand, message));
            }
        };
        let mut game = Self::at(turn);
        if let Some((_, actions)) = moves.split_first() {
            if actions.is_empty() && strict {
                let message = "expected an action behind moves, found the end";
                return Err(Refusal::new(Code::HistoryTruncated, message));
            }
            for (index, token) in actions.iter().enumerate() {
                game.read_action(rules, token).map_err(|error| Refusal {
                    // A form nobody plays is told from an action that is not legal here.
                    code: match error.problem {
                        Problem::Illegal(_) => Code::HistoryIllegalAction,
                        _ => Code::HistoryTruncated,
                    },
                    message: error.problem.to_string(),
                    action: Some((index, plain(token))),
                })?;
            }
        }
        Ok(game)
    }

    fn read_action(&mut self, rules: &RuleSet, token: &str) -> Result<(), NotationError> {
        let history = Dialect::Sanmill.read_history(rules, self.turn, token)?;
        for (step, turn) in history.steps {
            self.go_on(step, turn);
        }
        Ok(())
    }

    /// A legal step, and the turn after it.
    fn go_on(&mut self, step: Step, turn: Turn) {
        if matches!(step, Step::Man { from: None, .. } | Step::Removal(_)) {
            self.seen.clear();
        }
        self.turn = turn;
        self.see();
    }

    fn see(&mut self) {
        if let Turn::Move(position) = self.turn {
            *self.seen.entry(position).or_default() += 1;
        }
    }

    /// What the side to move has to do.
    pub fn turn(&self) -> &Turn {
        &self.turn
    }

    /// How often a position has come about.
    pub fn times(&self, position: &Position) -> u32 {
        self.seen.get(position).copied().unwrap_or(0)
    }

    /// Whether a position would make the game a draw if it came about once more.
    pub fn would_draw(&self, position: &Position) -> bool {
        self.times(position) + 1 >= DRAWING
    }

    /// Whether there is any position that would.
    pub fn can_be_drawn(&self) -> bool {
        self.seen.values().any(|&times| times + 1 >= DRAWING)
    }

    /// Whether the game is a draw by repetition.
    pub fn is_drawn(&self) -> bool {
        matches!(&self.turn, Turn::Move(position) if self.times(position) >= DRAWING)
    }
}

fn read_fen(rules: &RuleSet, fen: &str) -> Result<Turn, Refusal> {
    let invalid = |message: String| Refusal::new(Code::InvalidFen, message);
    let turn = Dialect::Sanmill.read_turn(rules, fen);
    let turn = turn.map_err(|error| invalid(error.to_string()))?;
    let checked = rules.check_turn(&turn);
    checked.map_err(|illegal| invalid(illegal.to_string()))?;
    Ok(turn)
}
