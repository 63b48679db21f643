//! The solver: bit-parallel retrograde analysis over [`crate::planes`].
//!
//! | file | what |
//! |---|---|
//! | `level` | the rows with equally many men of White, and where moves lead from row to row |
//! | `rows` | work on whole rows, all positions at once |
//! | `news` | work on what has newly been decided, position by position |
//! | `solution` | what is found out, values alone or with depths |
//! | `layers` | depths: which sweep has decided what |
//! | `moving` | the moving phase of a level, round by round to its fixed point |
//! | `placing` | the placing phase, each ply from the next |
//! | `count` | how many positions are won, drawn and lost |
//!
//! The schedule (which level when), the rounds (which rows when) and the planes (what happens in a
//! row) know nothing of each other's inside, and none of them knows files.

mod count;
mod layers;
mod level;
mod moving;
mod news;
mod placing;
mod rows;
mod solution;

pub use count::{CountsByMen, LevelCounts, count_level};
pub use level::{Level, Link, Links};
pub use moving::{Moving, SolveError, solve_moving};
pub use placing::Placing;
pub use solution::{Solution, Workspace};
