//! The solver: bit-parallel retrograde analysis over [`crate::planes`].

mod count;
mod level;
mod moving;
mod placing;

pub use count::{CountsByMen, LevelCounts, count_level};
pub use level::{Level, Link, Links};
pub use moving::{Moving, SolveError, Workspace, solve_moving};
pub use placing::Placing;
