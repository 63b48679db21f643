//! A turn step by step: a man that closes a mill stands on the board before the opposing man is
//! gone, and games are told and played over in these steps.

use thiserror::Error;

use super::{Colour, IllegalPosition, Move, Position, RuleSet};
use crate::board::{Point, PointSet};

/// What the side to move has to do: a whole move, or the rest of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// A whole move from this position.
    Move(Position),
    /// A removal: the side to move has closed a mill in this position and still has to remove a
    /// man. The man that closed the mill stands where it landed and is no longer in the hand.
    Removal(Position),
}

impl Turn {
    /// The men as they stand, and whose turn it is.
    #[inline]
    pub const fn position(&self) -> &Position {
        match self {
            Self::Move(position) | Self::Removal(position) => position,
        }
    }

    /// Whose turn it is.
    #[inline]
    pub const fn side(&self) -> Colour {
        self.position().side
    }

    /// Whether a removal is outstanding: the turn is in the middle of a move.
    #[inline]
    pub const fn is_removal(&self) -> bool {
        matches!(self, Self::Removal(_))
    }
}

impl From<Position> for Turn {
    fn from(position: Position) -> Self {
        Self::Move(position)
    }
}

/// One step of a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// A man is placed (`from` is `None`), slides or flies.
    Man {
        /// Where the man came from; `None` for a man placed from the hand.
        from: Option<Point>,
        /// Where the man stands now.
        to: Point,
    },
    /// The man on this point is removed.
    Removal(Point),
}

impl Move {
    /// The steps of the move: the man, and the removal if there is one.
    pub fn steps(self) -> impl Iterator<Item = Step> {
        let man = Step::Man {
            from: self.from,
            to: self.to,
        };
        [Some(man), self.removal.map(Step::Removal)]
            .into_iter()
            .flatten()
    }
}

/// Why a step is not a legal one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IllegalStep {
    /// Nobody moves any more.
    #[error("the game is over: {0:?} has lost")]
    Over(Colour),
    /// A man moved before the hand was empty.
    #[error("{player:?} has {hand} men in hand; expected a man to be placed")]
    MustPlace {
        /// The player.
        player: Colour,
        /// His men in hand.
        hand: u8,
    },
    /// A man placed from an empty hand.
    #[error("{0:?} has no man in hand; expected a man on the board to move")]
    MustMove(Colour),
    /// A move from a point on which the player has no man.
    #[error("{player:?} has no man on {point}")]
    NoMan {
        /// The player.
        player: Colour,
        /// The point.
        point: &'static str,
    },
    /// A man put where one stands.
    #[error("{player:?} has a man on {point}; expected an empty point")]
    Occupied {
        /// Whose man stands there.
        player: Colour,
        /// The point.
        point: &'static str,
    },
    /// A man that flew and may not.
    #[error("no line joins {from} and {to}, and {player:?} may not fly")]
    NotAdjacent {
        /// The player.
        player: Colour,
        /// Where the man stands.
        from: &'static str,
        /// Where it was to go.
        to: &'static str,
    },
    /// A removal without a mill.
    #[error("{0:?} has closed no mill that removes a man")]
    NoMillClosed(Colour),
    /// Another man moved before the removal.
    #[error("{player:?} has closed a mill; expected the removal of one of {removable}")]
    RemovalOutstanding {
        /// The player.
        player: Colour,
        /// The men that may be removed, by point.
        removable: String,
    },
    /// A removal of a man that may not be removed, or of none.
    #[error("{player:?} may not remove {point}; expected one of {removable}")]
    NotRemovable {
        /// The player.
        player: Colour,
        /// The point.
        point: &'static str,
        /// The men that may be removed, by point.
        removable: String,
    },
}

impl RuleSet {
    /// Every man that may be removed where a removal is outstanding in `position`, ascending, with
    /// the position after it.
    pub fn removals(&self, position: &Position) -> Vec<(Point, Position)> {
        let after = |point| {
            let next = Position::of_mover(
                position.side.other(),
                position.opponent().without(point),
                position.mover(),
                position.opponent_hand(),
                position.mover_hand(),
            );
            (point, next)
        };
        let removable = self.removable(position.opponent());
        removable.iter().map(after).collect()
    }

    /// Every legal step of a turn, in ascending order of the step, with the turn after it: the
    /// opponent's, or the rest of this one.
    pub fn steps(&self, turn: &Turn) -> Vec<(Step, Turn)> {
        let mut all: Vec<(Step, Turn)> = Vec::new();
        match turn {
            // A man that closes a mill comes once for every removal, one after the other.
            Turn::Move(position) => self.each_successor(position, |played, next| {
                let (from, to) = (played.from, played.to);
                let step = Step::Man { from, to };
                if played.removal.is_none() {
                    all.push((step, Turn::Move(next)));
                } else if all.last().is_none_or(|(last, _)| *last != step) {
                    all.push((step, Turn::Removal(landed(position, from, to))));
                }
            }),
            Turn::Removal(position) => {
                let removals = self.removals(position).into_iter();
                all.extend(removals.map(|(point, next)| (Step::Removal(point), next.into())));
            }
        }
        all
    }

    /// The turn after a step: the opponent's, or the rest of this one.
    ///
    /// # Errors
    /// When the step is not legal, with the reason.
    ///
    /// ```
    /// use mlynek::notation::read_position;
    /// use mlynek::rules::{RuleSet, Step, Turn};
    ///
    /// let rules = RuleSet::by_name("standard").unwrap();
    /// let board = rules.board();
    /// let position = read_position(board, "a1a4/b2d6 w 7 7").unwrap();
    /// let place = Step::Man { from: None, to: board.point("a7").unwrap() };
    /// let removal = rules.play(&Turn::Move(position), place).unwrap();
    /// assert!(removal.is_removal());
    /// let end = rules.play(&removal, Step::Removal(board.point("d6").unwrap())).unwrap();
    /// assert_eq!(end, Turn::Move(read_position(board, "a1a4a7/b2 b 6 7").unwrap()));
    /// ```
    pub fn play(&self, turn: &Turn, step: Step) -> Result<Turn, IllegalStep> {
        let steps = self.steps(turn);
        match steps.iter().find(|(legal, _)| *legal == step) {
            Some(&(_, next)) => Ok(next),
            None => Err(self.why_not(turn, step, steps.is_empty())),
        }
    }

    /// Why a step that is not among the legal ones is not.
    fn why_not(&self, turn: &Turn, step: Step, none_legal: bool) -> IllegalStep {
        let (position, player) = (turn.position(), turn.side());
        let name = |point| match self.board.points().contains(point) {
            true => self.board.name(point),
            false => "a point beside the board",
        };
        if turn.is_removal() {
            let removable = self.point_names(self.removable(position.opponent()));
            return match step {
                Step::Man { .. } => IllegalStep::RemovalOutstanding { player, removable },
                Step::Removal(point) => IllegalStep::NotRemovable {
                    player,
                    point: name(point),
                    removable,
                },
            };
        }
        if none_legal {
            let mover_won = self.outcome(position) == Some(super::Value::Win);
            return IllegalStep::Over(if mover_won { player.other() } else { player });
        }
        let Step::Man { from, to } = step else {
            return IllegalStep::NoMillClosed(player);
        };
        let hand = position.mover_hand();
        match from {
            Some(_) if hand > 0 => return IllegalStep::MustPlace { player, hand },
            None if hand == 0 => return IllegalStep::MustMove(player),
            Some(point) if !position.mover().contains(point) => {
                let point = name(point);
                return IllegalStep::NoMan { player, point };
            }
            _ => {}
        }
        let occupied_by = |player| IllegalStep::Occupied {
            player,
            point: name(to),
        };
        if position.mover().contains(to) {
            return occupied_by(player);
        }
        if position.opponent().contains(to) {
            return occupied_by(player.other());
        }
        IllegalStep::NotAdjacent {
            player,
            from: from.map_or("the hand", name),
            to: name(to),
        }
    }

    /// The names of some points, sorted, with spaces between them.
    pub(crate) fn point_names(&self, points: PointSet) -> String {
        let on_board = points & self.board.points();
        let mut names: Vec<_> = on_board
            .iter()
            .map(|point| self.board.name(point))
            .collect();
        names.sort_unstable();
        names.join(" ")
    }

    /// Whether `turn` is one of the game: its position is, and where a removal is outstanding the
    /// side to move has a mill and the other side a man to remove.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn check_turn(&self, turn: &Turn) -> Result<(), IllegalPosition> {
        let position = match turn {
            Turn::Move(position) => return self.check(position),
            Turn::Removal(position) => position,
        };
        self.check_points(position)?;
        if self.board.men_in_mills(position.mover()).is_empty() {
            return Err(IllegalPosition::NoMill(position.side));
        }
        // How the numbers of men stand is the same after every removal.
        match self.removals(position).first() {
            Some((_, next)) => self.check(next),
            None => Err(IllegalPosition::NoManToRemove(position.side.other())),
        }
    }
}

/// The position with a man of the side to move placed or moved, and nothing else done.
fn landed(position: &Position, from: Option<Point>, to: Point) -> Position {
    let rest = from.map_or(position.mover(), |from| position.mover().without(from));
    Position::of_mover(
        position.side,
        rest.with(to),
        position.opponent(),
        position.mover_hand() - u8::from(from.is_none()),
        position.opponent_hand(),
    )
}
