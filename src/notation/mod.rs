//! Positions and moves as text, in every dialect.
//!
//! **The own form** of a position is `<White's points>/<Black's points> <w|b> [<White's hand>
//! <Black's hand>] [x]`: points written together, `-` for none, hands 0 0 when left out. `-/- w 9 9`
//! is the start of nine men's morris, `a1d1g7/b2b4b6d2 w` a position with both hands empty. An `x`
//! at the end says that the side to move has closed a mill and still has to remove a man:
//! `a1a4a7/b2d6 w 6 7 x`. A move is `a1` (a man placed) or `f2-f4` (slid or flown), with `xd5`
//! behind it when it removes a man; where a removal is outstanding, `xd5` is the rest of the move.
//!
//! The functions of this module that take a [`Board`](crate::board::Board) read and write the own
//! form. They check the form only, on any board. Whether the position is one of the game, or the
//! move legal, is for [`RuleSet`](crate::rules::RuleSet) to say. What is written is read back as
//! the same value.
//!
//! **Other dialects** are values of [`Dialect`], whose methods write positions, moves and sequences
//! of moves and read them by the rules:
//!
//! | dialect | positions | placed | moved | removal |
//! |---|---|---|---|---|
//! | `own` | `a4/d6 w 8 8` | `a1` | `f2-f4` | attached: `f2-f4xd5` |
//! | `sanmill` | FEN | `a1` | `f2-f4` | a word of its own: `f2-f4 xd5` |
//! | `malom` | [`Bitboards`] | `a1` | `f2-f4` | a word of its own: `f2-f4 xd5` |
//! | `playok` | none | `22` | `21-14` | attached, `21-14x8`; read also as `21-14 x8` |
//! | `openspiel` | none | `21` | `517`: 24 + 24 · from + to | a second action: `517 7` |
//!
//! A text is never guessed at. In a named dialect it has one meaning or is an error that says at
//! which character, or in which field, what was expected. Where no dialect is named
//! ([`read_any_turn`], [`read_any_move`], [`read_any_history`]), every dialect that can read it must
//! take it to mean the same; otherwise the error lists what it could mean.

mod any;
mod bitboards;
mod dialect;
mod error;
mod fen;
mod history;
mod own;
mod points;
mod reader;
#[cfg(test)]
mod tests;
mod words;

pub use any::{read_any_history, read_any_move, read_any_position, read_any_turn};
pub use bitboards::Bitboards;
pub use dialect::{Dialect, ParseDialectError};
pub use error::{Form, Inexpressible, NotationError, Problem, Reading};
pub use history::History;
pub use own::{read_move, read_position, read_turn, write_move, write_position, write_turn};
