//! Positions as Sanmill writes them: seventeen fields with a space between them, and `ids:nodes`.
//!
//! | field | value |
//! |---|---|
//! | 1 | the points, `O` White's man, `@` Black's, `*` empty: inner, middle and outer square with `/` between them, each eight points in the order of Sanmill's nodes |
//! | 2 | whose turn it is, `w` or `b` |
//! | 3 | phase: `r` ready (a placing phase in which nothing has been placed), `p` placing, `m` moving, `o` over |
//! | 4 | action: `p` place, `s` select a man to move, `r` remove |
//! | 5-8 | White's men on the board, in hand; Black's on the board, in hand |
//! | 9, 10 | how many men White has to remove, and Black |
//! | 11-14 | from where to where the man went that closed White's last mill, and Black's; -1 for none |
//! | 15 | mills closed so far, as bits |
//! | 16 | plies since a removal |
//! | 17 | number of the move, counted from 1 |
//! | 18 | `ids:nodes`: the points in fields 11 to 15 are Sanmill's nodes |
//!
//! What is read must agree with itself: the counts with the points, the phase with the hand of the
//! side to move, the action with the phase, the men to remove with the action. Fields 11 to 17 do
//! not bear on the position; they must be of the form. A FEN without `ids:nodes` is of the older
//! kind, in which those points are squares, 8 to 31 and 0 for none. Extensions of other rules
//! behind the fields are refused.
//!
//! Who has a removal outstanding is the side to move; field 9 or 10 says so, or both are 0 and the
//! action alone does. The phase is then `p` for a man placed, `m` for one moved. A finished game
//! (`o`) is read when the rules find it over with the side to move as written; one that ended
//! otherwise, by repetition or because the players agreed, is not a position to probe. What is
//! written never says `o`: a reader finds the end itself, and `o` does not say who won.

use super::error::quote;
use super::points::Points;
use super::reader::{Word, words};
use super::{Dialect, Form, Inexpressible, NotationError, Problem};
use crate::board::PointSet;
use crate::rules::{Colour, Position, RuleSet, Turn};

/// Names of the fields in errors, in order.
const FIELDS: [&str; 17] = [
    "field 1 (points)",
    "field 2 (side to move)",
    "field 3 (phase)",
    "field 4 (action)",
    "field 5 (White's men on the board)",
    "field 6 (White's men in hand)",
    "field 7 (Black's men on the board)",
    "field 8 (Black's men in hand)",
    "field 9 (men White is to remove)",
    "field 10 (men Black is to remove)",
    "field 11 (White's last mill, from)",
    "field 12 (White's last mill, to)",
    "field 13 (Black's last mill, from)",
    "field 14 (Black's last mill, to)",
    "field 15 (mills)",
    "field 16 (plies since a removal)",
    "field 17 (move number)",
];

/// The places of some of them, from 0.
const PHASE: usize = 2;
const ACTION: usize = 3;
const COUNTS: usize = 4;
const REMOVALS: usize = 8;
const LAST_MILLS: usize = 10;
const MILLS: usize = 14;
const PLIES: usize = 15;
const MOVE_NUMBER: usize = 16;

/// The word that says how fields 11 to 15 name points.
const NODES: &str = "ids:nodes";

/// Writes a turn; the points have been found to be on the board.
pub(super) fn write(
    points: &Points<'_>,
    rules: &RuleSet,
    turn: &Turn,
) -> Result<String, Inexpressible> {
    let position = turn.position();
    if let Some(point) = (position.white & position.black).iter().next() {
        return Err(Inexpressible::Overlap(points.board.name(point)));
    }
    let mut text = String::with_capacity(96);
    for (node, &point) in points.order().iter().enumerate() {
        if node > 0 && node % 8 == 0 {
            text.push('/');
        }
        text.push(if position.white.contains(point) {
            'O'
        } else if position.black.contains(point) {
            '@'
        } else {
            '*'
        });
    }
    let hand = position.mover_hand();
    // A man that closes a mill with the last man of a hand has been placed: only that leaves the
    // other player men in hand.
    let placing = hand > 0 || turn.is_removal() && position.opponent_hand() > 0;
    let (side, removals) = match position.side {
        Colour::White => ('w', [u8::from(turn.is_removal()), 0]),
        Colour::Black => ('b', [0, u8::from(turn.is_removal())]),
    };
    let phase = if placing { 'p' } else { 'm' };
    let action = match (turn.is_removal(), placing) {
        (true, _) => 'r',
        (false, true) => 'p',
        (false, false) => 's',
    };
    // The hand tells how many moves the side has made; in the middle of one, the man has left it.
    let placed = rules.men().saturating_sub(usize::from(hand));
    let number = match placing {
        true => placed + usize::from(!turn.is_removal()),
        false => 1,
    };
    text.push_str(&format!(
        " {side} {phase} {action} {} {} {} {} {} {} -1 -1 -1 -1 0 0 {} {NODES}",
        position.white.len(),
        position.white_hand,
        position.black.len(),
        position.black_hand,
        removals[0],
        removals[1],
        number.max(1),
    ));
    Ok(text)
}

/// The fields of a text.
struct Fields<'a> {
    text: &'a str,
    words: Vec<Word<'a>>,
}

impl<'a> Fields<'a> {
    fn error(&self, field: usize, expected: impl Into<String>, found: String) -> NotationError {
        let start = self.words.get(field).map(|word| word.start);
        let problem = Problem::Field {
            field: FIELDS.get(field).copied().unwrap_or("behind the fields"),
            expected: expected.into(),
            found,
        };
        self.error_at(start.unwrap_or(self.text.len()), problem)
    }

    fn error_at(&self, byte: usize, problem: Problem) -> NotationError {
        let dialect = Some(Dialect::Sanmill);
        NotationError::at(dialect, Form::Position, self.text, byte, problem)
    }

    /// The field found not to be what was expected.
    fn wrong(&self, field: usize, expected: impl Into<String>) -> NotationError {
        let found = match self.words.get(field) {
            Some(word) => format!("{:?}", quote(word.text)),
            None => "the end".to_owned(),
        };
        self.error(field, expected, found)
    }

    fn get(&self, field: usize, expected: &str) -> Result<&'a str, NotationError> {
        let word = self.words.get(field);
        word.map(|word| word.text)
            .ok_or_else(|| self.wrong(field, expected))
    }

    /// A number in decimal digits, perhaps with a minus.
    fn number(&self, field: usize, least: i64, most: u64) -> Result<i128, NotationError> {
        let expected = match (least, most) {
            (0, u64::MAX) => "a number of 64 bits".to_owned(),
            _ => format!("a number from {least} to {most}"),
        };
        let text = self.get(field, &expected)?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let number: Option<i128> = text.parse().ok();
        number
            .filter(|_| digits.chars().all(|c| c.is_ascii_digit()))
            .filter(|&number| number >= i128::from(least) && number <= i128::from(most))
            .ok_or_else(|| self.wrong(field, expected))
    }

    fn one_of<T: Copy>(
        &self,
        field: usize,
        values: &[(&str, T)],
        expected: &str,
    ) -> Result<T, NotationError> {
        let text = self.get(field, expected)?;
        let value = values.iter().find(|(name, _)| *name == text);
        value
            .map(|(_, value)| *value)
            .ok_or_else(|| self.wrong(field, expected))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Ready,
    Placing,
    Moving,
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Place,
    Select,
    Remove,
    None,
}

/// Reads a turn.
pub(super) fn read(
    points: &Points<'_>,
    rules: &RuleSet,
    text: &str,
) -> Result<Turn, NotationError> {
    let fields = Fields {
        text,
        words: words(text).collect(),
    };
    let [white, black] = read_points(&fields, points)?;
    let side = fields.one_of(
        1,
        &[("w", Colour::White), ("b", Colour::Black)],
        "w or b, whose turn it is",
    )?;
    let phases = [
        ("r", Phase::Ready),
        ("p", Phase::Placing),
        ("m", Phase::Moving),
        ("o", Phase::Over),
    ];
    let phase = fields.one_of(PHASE, &phases, "p, m, r or o")?;
    let actions = [
        ("p", Action::Place),
        ("s", Action::Select),
        ("r", Action::Remove),
        ("?", Action::None),
    ];
    let action = fields.one_of(ACTION, &actions, "p, s or r")?;
    let mut hands = [0; 2];
    for (player, men) in [white, black].into_iter().enumerate() {
        let field = COUNTS + 2 * player;
        if fields.number(field, 0, 24)? != men.len() as i128 {
            let expected = format!("{}, as many as stand there", men.len());
            return Err(fields.wrong(field, expected));
        }
        hands[player] = fields.number(field + 1, 0, u64::from(u8::MAX))? as u8;
    }
    let position = Position {
        white,
        black,
        white_hand: hands[0],
        black_hand: hands[1],
        side,
    };
    read_removals(&fields, side, action)?;
    read_rest(&fields)?;
    check_action(&fields, rules, position, phase, action)
}

/// The men of White and of Black.
fn read_points(fields: &Fields<'_>, points: &Points<'_>) -> Result<[PointSet; 2], NotationError> {
    let expected = "three squares of eight points with '/' between them";
    let text = fields.get(0, expected)?;
    let mut men = [PointSet::EMPTY; 2];
    let mut nodes = points.order().iter();
    for (read, (at, found)) in text.char_indices().enumerate() {
        let byte = fields.words[0].start + at;
        let wrong = |expected| {
            let found = Some(found);
            fields.error_at(byte, Problem::Unexpected { expected, found })
        };
        if nodes.len() == 0 {
            return Err(wrong("a space, behind the third square"));
        }
        // Behind every eighth point comes a stroke.
        if read % 9 == 8 {
            if found != '/' {
                return Err(wrong("'/', behind the eight points of a square"));
            }
        } else if let Some(&node) = nodes.next() {
            match found {
                'O' => men[0] = men[0].with(node),
                '@' => men[1] = men[1].with(node),
                '*' => {}
                _ => return Err(wrong("'O', '@' or '*', a point")),
            }
        }
    }
    match nodes.next() {
        Some(_) => Err(fields.wrong(0, expected)),
        None => Ok(men),
    }
}

/// The men to be removed: one by the side to move when the action says so, none otherwise.
fn read_removals(fields: &Fields<'_>, side: Colour, action: Action) -> Result<(), NotationError> {
    for (place, player) in [Colour::White, Colour::Black].into_iter().enumerate() {
        let field = REMOVALS + place;
        let number = fields.number(field, -9, 9)?;
        let most = i128::from(player == side && action == Action::Remove);
        if !(0..=most).contains(&number) {
            let expected = match (action, player == side) {
                (Action::Remove, true) => "1: a mill removes one opposing man",
                (Action::Remove, false) => "0: the other side is to move and removes",
                _ => "0: the action is not r",
            };
            return Err(fields.wrong(field, expected));
        }
    }
    Ok(())
}

/// The fields that do not bear on the position, and what comes behind them.
fn read_rest(fields: &Fields<'_>) -> Result<(), NotationError> {
    let behind = || fields.words.iter().enumerate().skip(FIELDS.len());
    let nodes = behind().any(|(_, word)| word.text == NODES);
    for field in LAST_MILLS..LAST_MILLS + 4 {
        if nodes {
            fields.number(field, -1, 23)?;
        } else if (1..8).contains(&fields.number(field, 0, 31)?) {
            let expected = format!("a square, 8 to 31, or 0 for none (nodes need {NODES})");
            return Err(fields.wrong(field, expected));
        }
    }
    let mills = fields.number(MILLS, 0, u64::MAX)? as u64;
    let points: u64 = if nodes { 0x00ff_ffff } else { 0xffff_ff00 };
    if mills & !(points << 32 | points) != 0 {
        let expected = "bits of points only, White's in the upper half, Black's in the lower";
        return Err(fields.wrong(MILLS, expected));
    }
    fields.number(PLIES, 0, u64::from(u16::MAX))?;
    fields.number(MOVE_NUMBER, 0, u64::from(u32::MAX))?;
    let mut seen = false;
    for (field, word) in behind() {
        if word.text != NODES || seen {
            let expected = format!("{NODES} once, and nothing else");
            return Err(fields.wrong(field, expected));
        }
        seen = true;
    }
    Ok(())
}

/// The turn, if phase and action agree with the position.
fn check_action(
    fields: &Fields<'_>,
    rules: &RuleSet,
    position: Position,
    phase: Phase,
    action: Action,
) -> Result<Turn, NotationError> {
    let (player, hand) = (position.side, position.mover_hand());
    let wrong_phase = |expected: String| Err(fields.wrong(PHASE, expected));
    let wrong_action = |expected: String| Err(fields.wrong(ACTION, expected));
    match phase {
        Phase::Over => {
            if !matches!(action, Action::Place | Action::Select | Action::None) {
                return wrong_action("no removal when the game is over".to_owned());
            }
            let blocked = hand == 0 && rules.steps(&position.into()).is_empty();
            if rules.outcome(&position).is_none() && !blocked {
                return wrong_phase(format!(
                    "p or m: with {player:?} to move the game is not over"
                ));
            }
            return Ok(position.into());
        }
        Phase::Ready if !(position.white | position.black).is_empty() => {
            return wrong_phase("p or m: there are men on the board".to_owned());
        }
        _ => {}
    }
    if action == Action::Remove {
        if phase == Phase::Ready || phase == Phase::Moving && hand > 0 {
            return wrong_phase(format!("p: {player:?} has {hand} men in hand"));
        }
        let board = rules.board();
        if board.men_in_mills(position.mover()).is_empty() {
            return wrong_action(format!("p or s: {player:?} has no mill"));
        }
        if position.opponent().is_empty() {
            return wrong_action(format!("p or s: {:?} has no man to remove", player.other()));
        }
        return Ok(Turn::Removal(position));
    }
    match (phase, hand) {
        (Phase::Moving, 1..) => {
            return wrong_phase(format!("p: {player:?} has {hand} men in hand"));
        }
        (Phase::Placing | Phase::Ready, 0) => {
            return wrong_phase(format!("m: {player:?} has no man in hand"));
        }
        _ => {}
    }
    match (phase, action) {
        (Phase::Moving, Action::Select) => {}
        (Phase::Moving, _) => return wrong_action("s or r in phase m".to_owned()),
        (_, Action::Place) => {}
        _ => return wrong_action("p or r in phase p".to_owned()),
    }
    Ok(Turn::Move(position))
}
