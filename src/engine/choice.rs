//! Which action is played.

use std::cmp::Ordering;

use super::error::{Code, Refusal};
use super::game::Game;
use super::write_step;
use crate::database::{Database, ProbeError};
use crate::rules::{Position, Step, Turn, Value};

/// What the tables say of an action, for the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Worth {
    value: Value,
    /// The number of plies to the end of the game, where the database knows it.
    plies: Option<u32>,
}

impl Worth {
    /// What a move is worth that leads to a position.
    fn before(database: &Database, position: &Position) -> Result<Self, ProbeError> {
        let value = -database.value(position)?;
        Ok(Self { value, plies: None })
    }

    /// What an action is worth that leads to a turn.
    fn of(database: &Database, next: &Turn) -> Result<Self, ProbeError> {
        match next {
            Turn::Move(position) => Self::before(database, position),
            Turn::Removal(position) => {
                let removals = database.rules().removals(position).into_iter();
                let worths = removals.map(|(_, after)| Self::before(database, &after));
                let best = worths.reduce(|best, next| Ok(best?.max(next?)));
                best.expect("who has closed a mill has a man to remove")
            }
        }
    }
}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Worth {
    /// The greater, the better: a winner hurries, a loser delays.
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value).then(match self.value {
            Value::Win => other.plies.cmp(&self.plies),
            Value::Draw | Value::Loss => self.plies.cmp(&other.plies),
        })
    }
}

/// An action that can be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub step: Step,
    /// What the tables say.
    worth: Worth,
    /// The value when a third repetition is a draw.
    value: Value,
    /// How often the position after it has been before.
    times: u32,
    closes_mill: bool,
    text: String,
}

impl Choice {
    /// The value of the action, with an eye on repetitions.
    pub fn value(&self) -> Value {
        self.value
    }

    /// The number of plies to the end, where that is known and not put off by a repetition.
    pub fn plies(&self) -> Option<u32> {
        self.worth.plies.filter(|_| self.value == self.worth.value)
    }

    /// The better one first.
    fn order(&self, other: &Self) -> Ordering {
        let repeats = match self.worth.value {
            Value::Loss => other.times.cmp(&self.times),
            Value::Draw | Value::Win => self.times.cmp(&other.times),
        };
        other
            .value
            .cmp(&self.value)
            .then_with(|| other.worth.cmp(&self.worth))
            .then(repeats)
            .then_with(|| match self.worth.value {
                Value::Win => other.closes_mill.cmp(&self.closes_mill),
                _ => Ordering::Equal,
            })
            .then_with(|| self.text.cmp(&other.text))
    }
}

/// Every action that can be played, best first; none when the game is over.
///
/// # Errors
/// When a position that an action leads to has no answer in the database.
pub(super) fn choices(database: &Database, game: &Game) -> Result<Vec<Choice>, Refusal> {
    let rules = database.rules();
    let mut all = Vec::new();
    for (step, next) in rules.steps(game.turn()) {
        let text = write_step(rules, step);
        let worth = Worth::of(database, &next).map_err(|error| {
            let message = format!("what {text} is worth cannot be found: {error}");
            Refusal::new(Code::TablesUnavailable, message)
        })?;
        let times = match &next {
            Turn::Move(position) => game.times(position),
            Turn::Removal(_) => 0,
        };
        all.push(Choice {
            step,
            worth,
            value: value(database, game, &next, worth.value),
            times,
            closes_mill: next.is_removal(),
            text,
        });
    }
    all.sort_by(Choice::order);
    Ok(all)
}

/// The value of an action that leads to `next`: that of the tables, unless there is a draw by
/// repetition, at once or with a loser's next move.
fn value(database: &Database, game: &Game, next: &Turn, value: Value) -> Value {
    let Turn::Move(position) = next else {
        return value;
    };
    if !game.can_be_drawn() {
        return value;
    }
    let saved = || {
        let mut saved = false;
        let rules = database.rules();
        rules.each_successor(position, |_, reply| saved |= game.would_draw(&reply));
        saved
    };
    if game.would_draw(position) || value == Value::Win && saved() {
        Value::Draw
    } else {
        value
    }
}
