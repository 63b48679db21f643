//! Which action is played.

use std::cmp::Ordering;

use super::error::{Code, Refusal};
use super::game::Game;
use super::write_step;
use crate::database::{Database, Evaluation, ProbeError};
use crate::rules::{Position, Step, Turn, Value};

/// What the tables say of an action, for the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Worth {
    value: Value,
    /// The number of plies to the end of the game, this one included, where the database knows it.
    plies: Option<u32>,
}

impl Worth {
    /// What a move is worth that leads to a position.
    fn before(database: &Database, position: &Position) -> Result<Self, ProbeError> {
        let Evaluation { value, plies } = database.evaluate(position)?.before();
        Ok(Self { value, plies })
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
    /// The greater, the better: a winner hurries, a loser delays. Where the depth is not known, it
    /// counts as the slowest win or the fastest loss.
    fn cmp(&self, other: &Self) -> Ordering {
        let slowest = |plies: Option<u32>| plies.unwrap_or(u32::MAX);
        self.value.cmp(&other.value).then(match self.value {
            Value::Win => slowest(other.plies).cmp(&slowest(self.plies)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    use Value::{Draw, Loss, Win};

    #[test]
    fn better_choices_come_first() {
        // Value with repetitions, value and depth of the tables, times, a mill; best first.
        let ranked = [
            // A fast win, though it has been before; wins of unknown depth behind them.
            (Win, Win, Some(3), 1, false),
            (Win, Win, Some(5), 0, false),
            (Win, Win, Some(5), 0, false),
            (Win, Win, None, 0, true),
            (Win, Win, None, 0, false),
            (Win, Win, None, 1, true),
            // A draw by repetition is one, and no more; in it the tables' value is kept.
            (Draw, Win, Some(1), 2, false),
            (Draw, Draw, None, 0, false),
            (Draw, Draw, None, 1, true),
            (Draw, Loss, Some(4), 2, false),
            (Loss, Loss, Some(8), 0, false),
            (Loss, Loss, Some(6), 1, false),
            (Loss, Loss, Some(6), 0, true),
            (Loss, Loss, Some(2), 1, false),
            (Loss, Loss, None, 1, false),
            (Loss, Loss, None, 0, false),
        ];
        let a1 = Board::nine().point("a1").unwrap();
        let choice = |(place, (value, tables, plies, times, closes_mill))| Choice {
            step: Step::Removal(a1),
            worth: Worth {
                value: tables,
                plies,
            },
            value,
            times,
            closes_mill,
            text: format!("{place:02}"),
        };
        let choices: Vec<Choice> = ranked.into_iter().enumerate().map(choice).collect();
        for (place, choice) in choices.iter().enumerate() {
            for other in &choices[place + 1..] {
                assert_eq!(choice.order(other), Ordering::Less, "{choice:?} {other:?}");
                assert_eq!(other.order(choice), Ordering::Greater);
            }
        }
        assert_eq!(choices[0].plies(), Some(3));
        assert_eq!(choices[6].plies(), None);
    }
}
