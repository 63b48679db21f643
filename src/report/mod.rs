//! What the program tells people: counts and plans as data, and the same as text, CSV or JSON.
//!
//! The data derive [`serde::Serialize`] for JSON and are displayed as text; [`text`] has the
//! pieces: thousands separators, binary sizes, durations, aligned tables.

mod depths;
mod plan;
mod stats;
pub mod text;

pub use depths::{GradeCount, HISTOGRAM_CSV_HEADER, HistogramReport, SubspaceHistogram};
pub use plan::{PlanReport, PlannedTable};
pub use stats::{
    CSV_HEADER, DEPTH_CSV_HEADER, StatsReport, SubspaceCounts, SubspaceDepths, Totals,
};
