//! mlynek strongly solves nine men's morris: for every position, whether the side to move wins,
//! loses or draws, and in how many plies.
//!
//! To ask a database, open it and probe:
//!
//! ```
//! use mlynek::database::Database;
//! use mlynek::notation::{read_position, write_move};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let database = Database::open("data/sample/standard")?;
//! let board = database.rules().board();
//! let position = read_position(board, "a1d1g7/b2b4d2 w")?;
//! let probe = database.probe(&position)?;
//! assert_eq!(probe.value.to_string(), "win");
//! for ranked in probe.moves {
//!     println!("{} {}", write_move(board, ranked.played), ranked.value);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! To make one, plan it and run the plan: [`generate::Plan`], [`generate::run`].
//!
//! The rooms of the house, each of which knows only those before it:
//!
//! | module | what lives there |
//! |---|---|
//! | [`board`] | points, adjacencies, mill lines, and the symmetries found from them |
//! | [`rules`] | rule sets and their fingerprints, positions, moves one at a time |
//! | [`grade`] | a value and its depth in one byte |
//! | [`notation`] | positions and moves as text, in several dialects |
//! | [`index`] | positions and slots: rows, ranks |
//! | [`planes`] | bit planes over all sets of a player's men, and the kernels that move men in them |
//! | [`solve`] | the moving phase to its fixed point, the placing phase ply by ply |
//! | [`table`] | one file of values, or of grades |
//! | [`database`] | a directory of tables: probing, ranked moves, lines |
//! | [`engine`] | the text protocol of mill programs, played by the tables |
//! | [`generate`] | the plan of a run, its phases, tables written and read back |
//! | [`verify`] | files, consistency, the proof of depths, known results |
//! | [`report`] | counts and plans as data and as text |

pub mod board;
pub mod database;
pub mod engine;
pub mod generate;
pub mod grade;
pub mod index;
pub mod notation;
pub mod planes;
pub mod report;
pub mod rules;
pub mod solve;
pub mod table;
pub mod verify;
