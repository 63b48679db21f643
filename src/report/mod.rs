//! What the program tells people: counts and plans as data, and the same as text, CSV or JSON.
//!
//! The data derive [`serde::Serialize`] for JSON and are displayed as text; [`text`] has the
//! pieces: thousands separators, binary sizes, durations, aligned tables.

mod plan;
mod stats;
pub mod text;

pub use plan::{PlanReport, PlannedTable};
pub use stats::{CSV_HEADER, StatsReport, SubspaceCounts, Totals};
