//! Rule sets, positions and moves: the only place that knows how a move works, one at a time.
//!
//! A rule set is a value. Its [`Fingerprint`] is a hash of everything that changes the value of a
//! position, and goes into every file.

use std::fmt;
use std::fmt::Write as _;
use std::ops::Neg;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::board::{Board, Point, PointSet};

mod turn;

pub use turn::{IllegalStep, Step, Turn};

/// The value of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// The opponent can force the end of the game in his favour.
    Loss,
    /// Neither side can force anything.
    Draw,
    /// The side to move can force the end of the game in his favour.
    Win,
}

impl Value {
    /// Every value, worst first.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// The name of the value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

impl Neg for Value {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether and when a player may move a man to any empty point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flying {
    /// A man always slides along a line to an adjacent point.
    Never,
    /// A player whose hand is empty and who has at most this many men may fly.
    AtMost(usize),
}

impl Flying {
    /// Whether a player with this many men on the board and an empty hand may fly.
    #[inline]
    pub const fn allowed(self, men: usize) -> bool {
        match self {
            Self::Never => false,
            Self::AtMost(limit) => men <= limit,
        }
    }
}

/// What closing a mill does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MillEffect {
    /// One opposing man is removed: not one in a mill, unless all are.
    Removes,
    /// The player who closes it has won.
    Wins,
}

/// A rule set as a person writes it down.
#[derive(Debug)]
struct RuleTable {
    name: &'static str,
    title: &'static str,
    board: fn() -> &'static Board,
    /// Of either player.
    men: usize,
    /// A player with an empty hand and fewer men has lost.
    fewest_men: usize,
    flying: Flying,
    mill: MillEffect,
    /// Where the first man of the game may not be placed.
    barred: &'static [&'static str],
    /// After so many plies without a capture the game is drawn.
    no_capture_draw: Option<u8>,
}

/// Nine men's morris as it is played everywhere.
const STANDARD: RuleTable = RuleTable {
    name: "standard",
    title: "nine men's morris; three men with an empty hand fly",
    board: Board::nine,
    men: 9,
    fewest_men: 3,
    flying: Flying::AtMost(3),
    mill: MillEffect::Removes,
    barred: &[],
    no_capture_draw: None,
};

/// Every rule set; adding one means adding it here.
const RULES: &[RuleTable] = &[
    STANDARD,
    RuleTable {
        name: "no-flying",
        title: "nine men's morris without flying",
        flying: Flying::Never,
        ..STANDARD
    },
];

/// The rules of a game on a board.
#[derive(Clone, Debug)]
pub struct RuleSet {
    name: String,
    title: &'static str,
    board: &'static Board,
    men: usize,
    fewest_men: usize,
    flying: Flying,
    mill: MillEffect,
    barred: PointSet,
    no_capture_draw: Option<u8>,
}

/// A hash of everything that changes a game value: the first 16 bytes of the SHA-256 of
/// [`RuleSet::definition`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 16]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// The player who begins.
    White,
    /// The other player.
    Black,
}

impl Colour {
    /// The other player.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// Where the men stand, how many are still in hand, and whose turn it is.
///
/// Any combination can be written down; [`RuleSet::check`] says whether it is a position of the
/// game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// White's men on the board.
    pub white: PointSet,
    /// Black's men on the board.
    pub black: PointSet,
    /// How many men White has in hand.
    pub white_hand: u8,
    /// How many men Black has in hand.
    pub black_hand: u8,
    /// Whose turn it is.
    pub side: Colour,
}

impl Position {
    /// The position of a subspace in which the mover and the opponent have these men, with the
    /// player who began as White.
    pub const fn in_subspace(subspace: Subspace, mover: PointSet, opponent: PointSet) -> Self {
        let side = if subspace.mover_began() {
            Colour::White
        } else {
            Colour::Black
        };
        let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
        Self::of_mover(side, mover, opponent, hand, other_hand)
    }

    /// A position from the point of view of the side to move.
    pub const fn of_mover(
        side: Colour,
        mover: PointSet,
        opponent: PointSet,
        mover_hand: u8,
        opponent_hand: u8,
    ) -> Self {
        match side {
            Colour::White => Self {
                white: mover,
                black: opponent,
                white_hand: mover_hand,
                black_hand: opponent_hand,
                side,
            },
            Colour::Black => Self {
                white: opponent,
                black: mover,
                white_hand: opponent_hand,
                black_hand: mover_hand,
                side,
            },
        }
    }

    /// The men on the board of the side to move.
    #[inline]
    pub const fn mover(&self) -> PointSet {
        match self.side {
            Colour::White => self.white,
            Colour::Black => self.black,
        }
    }

    /// The men on the board of the side that waits.
    #[inline]
    pub const fn opponent(&self) -> PointSet {
        match self.side {
            Colour::White => self.black,
            Colour::Black => self.white,
        }
    }

    /// How many men the side to move has in hand.
    #[inline]
    pub const fn mover_hand(&self) -> u8 {
        match self.side {
            Colour::White => self.white_hand,
            Colour::Black => self.black_hand,
        }
    }

    /// How many men the side that waits has in hand.
    #[inline]
    pub const fn opponent_hand(&self) -> u8 {
        match self.side {
            Colour::White => self.black_hand,
            Colour::Black => self.white_hand,
        }
    }

    /// The subspace the position belongs to.
    #[inline]
    pub fn subspace(&self) -> Subspace {
        Subspace {
            mover: self.mover().len() as u8,
            opponent: self.opponent().len() as u8,
            mover_hand: self.mover_hand(),
            opponent_hand: self.opponent_hand(),
        }
    }
}

/// All positions with the same numbers of men on the board and in hand.
///
/// Written `w-b` (mover's men, opponent's men) when both hands are empty, and `w-b+v-a` with `v`
/// and `a` men in hand otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Subspace {
    /// The mover's men on the board.
    pub mover: u8,
    /// The opponent's men on the board.
    pub opponent: u8,
    /// The mover's men in hand.
    pub mover_hand: u8,
    /// The opponent's men in hand.
    pub opponent_hand: u8,
}

impl Subspace {
    /// The subspace with both hands empty.
    #[inline]
    pub const fn moving(mover: usize, opponent: usize) -> Self {
        Self {
            mover: mover as u8,
            opponent: opponent as u8,
            mover_hand: 0,
            opponent_hand: 0,
        }
    }

    /// Whether both hands are empty.
    #[inline]
    pub const fn is_moving(self) -> bool {
        self.mover_hand == 0 && self.opponent_hand == 0
    }

    /// The men of both sides, on the board and in hand.
    pub const fn men_in_all(self) -> usize {
        self.mover as usize
            + self.opponent as usize
            + self.mover_hand as usize
            + self.opponent_hand as usize
    }

    /// Whether the side to move is the one that began the game, in a game in which both sides
    /// place their men in turn. With both hands empty the colours no longer matter, and the mover
    /// counts as the first player.
    #[inline]
    pub const fn mover_began(self) -> bool {
        self.mover_hand == self.opponent_hand
    }
}

impl fmt::Display for Subspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}-{}", self.mover, self.opponent);
        if !self.is_moving() {
            let _ = write!(text, "+{}-{}", self.mover_hand, self.opponent_hand);
        }
        f.pad(&text)
    }
}

/// A text that does not name a subspace.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "{0:?} is no subspace: expected mover's men - opponent's men, such as 5-3, or with men in hand 4-3+5-6"
)]
pub struct ParseSubspaceError(String);

impl std::str::FromStr for Subspace {
    type Err = ParseSubspaceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let pair = |text: &str| -> Option<(u8, u8)> {
            let (a, b) = text.split_once('-')?;
            let digits = |t: &str| !t.is_empty() && t.bytes().all(|byte| byte.is_ascii_digit());
            (digits(a) && digits(b)).then_some(())?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        let parse = || {
            let (board, hands) = text.split_once('+').unwrap_or((text, "0-0"));
            let (mover, opponent) = pair(board)?;
            let (mover_hand, opponent_hand) = pair(hands)?;
            Some(Self {
                mover,
                opponent,
                mover_hand,
                opponent_hand,
            })
        };
        parse().ok_or_else(|| ParseSubspaceError(text.to_owned()))
    }
}

/// A move: a man placed (`from` is `None`), slid or flown, and the man it removes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the man came from; `None` for a man placed from the hand.
    pub from: Option<Point>,
    /// Where the man stands now.
    pub to: Point,
    /// The opposing man removed, if a mill was closed.
    pub removal: Option<Point>,
}

/// Why something written down is not a position of the game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IllegalPosition {
    /// Both players have a man on the same point.
    #[error("illegal position: both players have a man on {0}")]
    Overlap(&'static str),
    /// A man stands beside the board.
    #[error("illegal position: a man stands on point {0}, but the board has {1} points")]
    OffBoard(usize, usize),
    /// A player has more men than the game gives him.
    #[error(
        "illegal position: {player:?} has {on_board} men on the board and {hand} in hand, \
         but the game is played with {men}"
    )]
    TooManyMen {
        /// The player.
        player: Colour,
        /// His men on the board.
        on_board: usize,
        /// His men in hand.
        hand: usize,
        /// The men the game gives each player.
        men: usize,
    },
    /// A player has fewer men than he can have left.
    #[error(
        "illegal position: {player:?} has {on_board} men on the board and none in hand; \
         the game ends with {least} left"
    )]
    TooFewMen {
        /// The player.
        player: Colour,
        /// His men on the board.
        on_board: usize,
        /// The smallest number of men a player can have left with an empty hand.
        least: usize,
    },
    /// The numbers of men on the board and in hand do not occur together in the game.
    #[error(
        "illegal position: the numbers of men {0} (mover's - opponent's men on the board, \
         + in hand) cannot come about in a game of {1} men each"
    )]
    Unreachable(Subspace, usize),
    /// A removal is outstanding, but the side to move has no mill that it could have closed.
    #[error("illegal position: {0:?} is to remove a man but has no mill")]
    NoMill(Colour),
    /// A removal is outstanding, but there is nothing to remove.
    #[error("illegal position: {0:?} is to lose a man but has none on the board")]
    NoManToRemove(Colour),
}

impl RuleSet {
    /// The names of the rule sets there are.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RULES.iter().map(|table| table.name)
    }

    /// The rule set with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        let table = RULES.iter().find(|table| table.name == name)?;
        let board = (table.board)();
        let barred = table.barred.iter().map(|name| {
            let point = board.point(name);
            point.unwrap_or_else(|| panic!("{}: no point {name}", table.name))
        });
        Some(Self {
            name: name.to_owned(),
            title: table.title,
            board,
            men: table.men,
            fewest_men: table.fewest_men,
            flying: table.flying,
            mill: table.mill,
            barred: barred.collect(),
            no_capture_draw: table.no_capture_draw,
        })
    }

    /// The same rules with another number of men for each player. The name says so where the
    /// number is not the rule set's own.
    pub fn with_men(&self, men: usize) -> Result<Self, UnsuitableMen> {
        let most = self.board.len() / 2;
        if !(self.fewest_men..=most.min(9)).contains(&men) {
            return Err(UnsuitableMen {
                men,
                least: self.fewest_men,
                most: most.min(9),
            });
        }
        let mut name = self.name.clone();
        if men != self.men {
            let base = name.split('/').next().unwrap_or_default();
            name = format!("{base}/{men}");
        }
        Ok(Self {
            name,
            men,
            ..self.clone()
        })
    }

    /// The name of the rule set, unique together with the fingerprint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the rule set is, in one line.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &'static Board {
        self.board
    }

    /// How many men each player has.
    #[inline]
    pub fn men(&self) -> usize {
        self.men
    }

    /// The smallest number of men a player with an empty hand can play on with.
    #[inline]
    pub fn fewest_men(&self) -> usize {
        self.fewest_men
    }

    /// Whether and when men fly.
    #[inline]
    pub fn flying(&self) -> Flying {
        self.flying
    }

    /// What closing a mill does.
    #[inline]
    pub fn mill(&self) -> MillEffect {
        self.mill
    }

    /// Where the first man of the game may not be placed.
    #[inline]
    pub fn barred(&self) -> PointSet {
        self.barred
    }

    /// After how many plies without a capture the game is drawn, where it ever is.
    #[inline]
    pub fn no_capture_draw(&self) -> Option<u8> {
        self.no_capture_draw
    }

    /// A complete description as text, line by line: what the fingerprint is made from.
    pub fn definition(&self) -> String {
        let table = self.board.table();
        let mills: Vec<_> = table.mills.iter().map(|line| line.join("-")).collect();
        let links: Vec<_> = table.links.iter().map(|link| link.join("-")).collect();
        let flying = match self.flying {
            Flying::Never => "never".to_owned(),
            Flying::AtMost(men) => format!("with {men} men or fewer and an empty hand"),
        };
        let mill = match self.mill {
            MillEffect::Removes => {
                "removes one opposing man\n\
                 removal: not from a mill, unless all opposing men are in mills"
            }
            MillEffect::Wins => "wins the game",
        };
        let mut text = format!(
            "board: {}\npoints: {}\nmills: {}\nlinks: {}\nmen: {}\nflying: {flying}\n\
             mill: {mill}\n\
             fewest men: {}; a player with an empty hand and fewer has lost at once\n\
             blocked: a player on turn with an empty hand and no move has lost\n\
             repetition: draw\n",
            table.name,
            table.points.join(" "),
            mills.join(" "),
            if links.is_empty() {
                "none".to_owned()
            } else {
                links.join(" ")
            },
            self.men,
            self.fewest_men,
        );
        if !self.barred.is_empty() {
            let _ = writeln!(text, "first man: not on {}", self.point_names(self.barred));
        }
        if let Some(plies) = self.no_capture_draw {
            let _ = writeln!(text, "no capture in {plies} plies: draw");
        }
        text
    }

    /// The hash of [`RuleSet::definition`].
    pub fn fingerprint(&self) -> Fingerprint {
        let digest = Sha256::digest(self.definition().as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Fingerprint(bytes)
    }

    /// The position in which the game begins.
    pub fn start(&self) -> Position {
        Position {
            white: PointSet::EMPTY,
            black: PointSet::EMPTY,
            white_hand: self.men as u8,
            black_hand: self.men as u8,
            side: Colour::White,
        }
    }

    /// Whether `position` is one of the game: men on distinct points of the board, no more and no
    /// fewer than can come about.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn check(&self, position: &Position) -> Result<(), IllegalPosition> {
        self.check_points(position)?;
        for (player, on_board, hand) in [
            (Colour::White, position.white.len(), position.white_hand),
            (Colour::Black, position.black.len(), position.black_hand),
        ] {
            let hand = usize::from(hand);
            if on_board + hand > self.men {
                return Err(IllegalPosition::TooManyMen {
                    player,
                    on_board,
                    hand,
                    men: self.men,
                });
            }
            // One below the fewest: the player has just lost the man that ended the game.
            let least = self.fewest_men - 1;
            if hand == 0 && on_board < least {
                return Err(IllegalPosition::TooFewMen {
                    player,
                    on_board,
                    least,
                });
            }
        }
        if self.outcome(position).is_none() && !self.occurs(position.subspace()) {
            return Err(IllegalPosition::Unreachable(position.subspace(), self.men));
        }
        Ok(())
    }

    /// Whether the men stand on distinct points of the board.
    fn check_points(&self, position: &Position) -> Result<(), IllegalPosition> {
        let board = self.board;
        let men = position.white | position.black;
        if let Some(point) = (men - board.points()).iter().next() {
            return Err(IllegalPosition::OffBoard(point.number(), board.len()));
        }
        if let Some(point) = (position.white & position.black).iter().next() {
            return Err(IllegalPosition::Overlap(board.name(point)));
        }
        Ok(())
    }

    /// The value of a position in which the game is over for want of men: a player with an empty
    /// hand and fewer than [`RuleSet::fewest_men`] has lost.
    #[inline]
    pub fn outcome(&self, position: &Position) -> Option<Value> {
        let too_few = |men: PointSet, hand: u8| hand == 0 && men.len() < self.fewest_men;
        if too_few(position.mover(), position.mover_hand()) {
            Some(Value::Loss)
        } else if too_few(position.opponent(), position.opponent_hand()) {
            Some(Value::Win)
        } else {
            None
        }
    }

    /// The men that may be removed from `men` when the other side closes a mill.
    #[inline]
    pub fn removable(&self, men: PointSet) -> PointSet {
        let free = men - self.board.men_in_mills(men);
        if free.is_empty() { men } else { free }
    }

    /// Calls `visit` with every legal move and the position after it, in ascending order of the
    /// move. A position in which the game is over has none.
    pub fn each_successor(&self, position: &Position, mut visit: impl FnMut(Move, Position)) {
        if self.outcome(position).is_some() {
            return;
        }
        let board = self.board;
        let (mover, opponent) = (position.mover(), position.opponent());
        let empty = board.points() - mover - opponent;
        let removable = self.removable(opponent);
        let mut land = |from: Option<Point>, to: Point| {
            let rest = from.map_or(mover, |from| mover.without(from));
            let men = rest.with(to);
            let hand = position.mover_hand() - u8::from(from.is_none());
            let mut visit = |removal: Option<Point>| {
                let left = removal.map_or(opponent, |point| opponent.without(point));
                let next = Position::of_mover(
                    position.side.other(),
                    left,
                    men,
                    position.opponent_hand(),
                    hand,
                );
                visit(Move { from, to, removal }, next);
            };
            if board.in_mill(men, to) && !opponent.is_empty() {
                removable.iter().for_each(|point| visit(Some(point)));
            } else {
                visit(None);
            }
        };
        if position.mover_hand() > 0 {
            empty.iter().for_each(|to| land(None, to));
        } else {
            for from in mover {
                let targets = self.targets(mover, from, empty);
                targets.iter().for_each(|to| land(Some(from), to));
            }
        }
    }

    /// The points a man on `from`, one of these, may move to once all are placed.
    #[inline]
    fn targets(&self, men: PointSet, from: Point, empty: PointSet) -> PointSet {
        if self.flying.allowed(men.len()) {
            empty
        } else {
            empty & self.board.neighbours(from)
        }
    }

    /// Whether the side to move has an empty hand and no man that could move.
    pub fn is_blocked(&self, position: &Position) -> bool {
        let mover = position.mover();
        let empty = self.board.points() - mover - position.opponent();
        let stuck = |from| self.targets(mover, from, empty).is_empty();
        position.mover_hand() == 0 && mover.iter().all(stuck)
    }

    /// Every legal move with the position after it, in ascending order of the move.
    pub fn successors(&self, position: &Position) -> Vec<(Move, Position)> {
        let mut all = Vec::new();
        self.each_successor(position, |played, next| all.push((played, next)));
        all
    }

    /// The number of sequences of `plies` legal moves from `position`.
    pub fn perft(&self, position: &Position, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        let mut count = 0;
        self.each_successor(position, |_, next| count += self.perft(&next, plies - 1));
        count
    }

    /// Whether positions of this subspace occur in the game: both hands empty and enough men, or
    /// numbers that can arise in placing.
    pub fn occurs(&self, subspace: Subspace) -> bool {
        let men = self.fewest_men..=self.men;
        if subspace.is_moving() {
            men.contains(&usize::from(subspace.mover))
                && men.contains(&usize::from(subspace.opponent))
        } else {
            self.placing_subspaces().contains(&subspace)
        }
    }

    /// Every moving subspace of the game, ascending.
    pub fn moving_subspaces(&self) -> Vec<Subspace> {
        let men = self.fewest_men..=self.men;
        men.clone()
            .flat_map(|mover| men.clone().map(move |other| Subspace::moving(mover, other)))
            .collect()
    }

    /// The subspaces that moves lead to from `subspace`, without and with a removal. Those in which
    /// the game is over for want of men are left out, and so is a removal where the mover cannot
    /// have a mill.
    pub fn subspaces_after(&self, subspace: Subspace) -> impl Iterator<Item = Subspace> + use<> {
        let places = u8::from(subspace.mover_hand > 0);
        let quiet = Subspace {
            mover: subspace.opponent,
            opponent: subspace.mover + places,
            mover_hand: subspace.opponent_hand,
            opponent_hand: subspace.mover_hand - places,
        };
        let has_mill = usize::from(quiet.opponent) >= self.board.mill_length();
        let removal = (has_mill && quiet.mover > 0).then(|| Subspace {
            mover: quiet.mover - 1,
            ..quiet
        });
        let fewest = self.fewest_men;
        let lost = move |men: u8, hand: u8| hand == 0 && usize::from(men) < fewest;
        [Some(quiet), removal]
            .into_iter()
            .flatten()
            .filter(move |next| {
                !lost(next.mover, next.mover_hand) && !lost(next.opponent, next.opponent_hand)
            })
    }

    /// Every subspace of the placing phase whose numbers can arise from the start, in the order of
    /// play: a side with as many men as a mill has points may have removed one with every man it
    /// placed since.
    pub fn placing_subspaces(&self) -> Vec<Subspace> {
        let mut all = Vec::new();
        let mut ply = vec![self.start().subspace()];
        while !ply.is_empty() {
            ply.sort_unstable();
            ply.dedup();
            all.extend_from_slice(&ply);
            ply = ply
                .iter()
                .flat_map(|&now| self.subspaces_after(now))
                .filter(|next| next.mover_hand > 0)
                .collect();
        }
        all
    }

    /// The moving subspaces that `targets` lead to, with the targets, ascending: a move leads from
    /// `w-b` to `b-w`, a removal to a smaller one.
    ///
    /// # Errors
    /// Names the first target that is not a moving subspace of the game.
    pub fn moving_closure(&self, targets: &[Subspace]) -> Result<Vec<Subspace>, NoSuchSubspace> {
        let mut all: Vec<Subspace> = Vec::new();
        let mut open = Vec::new();
        for &target in targets {
            if !target.is_moving() || !self.occurs(target) {
                return Err(NoSuchSubspace {
                    subspace: target,
                    least: self.fewest_men,
                    most: self.men,
                });
            }
            open.push(target);
        }
        while let Some(next) = open.pop() {
            if !self.occurs(next) || all.contains(&next) {
                continue;
            }
            all.push(next);
            open.extend(self.subspaces_after(next));
        }
        all.sort_unstable();
        Ok(all)
    }
}

/// A number of men the game cannot be played with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("cannot play with {men} men each: expected {least} to {most}")]
pub struct UnsuitableMen {
    men: usize,
    least: usize,
    most: usize,
}

/// A subspace that is none of the game's moving subspaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "{subspace} is no moving subspace of the game: expected w-b with {least} to {most} men each"
)]
pub struct NoSuchSubspace {
    subspace: Subspace,
    least: usize,
    most: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard() -> RuleSet {
        RuleSet::by_name("standard").unwrap()
    }

    #[test]
    fn every_name_has_a_rule_set_and_each_its_own_fingerprint() {
        let mut seen = Vec::new();
        for name in RuleSet::names() {
            let rules = RuleSet::by_name(name).unwrap();
            assert_eq!(rules.name(), name);
            for men in 3..=9 {
                let fewer = rules.with_men(men).unwrap();
                assert!(!seen.contains(&fewer.fingerprint()));
                seen.push(fewer.fingerprint());
            }
        }
        assert!(RuleSet::by_name("Standard").is_none());
        assert!(standard().with_men(2).is_err());
        assert!(standard().with_men(10).is_err());
        assert_eq!(standard().with_men(5).unwrap().name(), "standard/5");
        assert_eq!(standard().with_men(9).unwrap().name(), "standard");
    }

    #[test]
    fn placing_subspaces_hold_the_counts_that_can_arise() {
        let all = standard().placing_subspaces();
        assert_eq!(all.len(), 270);
        let text: Vec<_> = all.iter().take(6).map(Subspace::to_string).collect();
        assert_eq!(
            text,
            [
                "0-0+9-9", "0-1+9-8", "1-1+8-8", "1-2+8-7", "2-2+7-7", "1-3+7-6"
            ]
        );
    }

    #[test]
    fn the_moving_closure_follows_moves_and_removals() {
        let rules = standard();
        let closure = |text: &str| -> Vec<String> {
            let target = text.parse().unwrap();
            let all = rules.moving_closure(&[target]).unwrap();
            all.iter().map(Subspace::to_string).collect()
        };
        assert_eq!(closure("3-3"), ["3-3"]);
        assert_eq!(closure("5-3"), ["3-3", "3-4", "3-5", "4-3", "5-3"]);
        assert_eq!(rules.moving_subspaces().len(), 49);
        for bad in ["2-3", "3-10", "3-3+1-1"] {
            assert!(rules.moving_closure(&[bad.parse().unwrap()]).is_err());
        }
    }

    #[test]
    fn subspaces_are_read_as_they_are_written() {
        for text in ["3-3", "9-8", "0-0+9-9", "1-2+8-7"] {
            assert_eq!(text.parse::<Subspace>().unwrap().to_string(), text);
        }
        for bad in [
            "", "3", "3-", "-3-3", "3-3+", "3-3+1", "300-1", "+3-3", "3-3 ", "3–3",
        ] {
            assert!(bad.parse::<Subspace>().is_err(), "{bad}");
        }
    }

    #[test]
    fn values_negate_and_order() {
        for value in Value::ALL {
            assert_eq!(-(-value), value);
        }
        assert!(Value::Loss < Value::Draw && Value::Draw < Value::Win);
    }
}
