//! One table: the values or the grades of a subspace, in a file and in memory.
//!
//! `data/FORMAT.md` is the contract. What each file here knows:
//!
//! | file | what |
//! |---|---|
//! | `metric` | what the slots of a table hold |
//! | `codec` | five values a byte, a grade a byte, and the blocks made of them |
//! | `geometry` | which block a slot lies in |
//! | `header` | the bytes before the data, read once into typed values and written from them |
//! | `entry` | what is known about a finished file |
//! | `source` | a file's bytes, by positioned reads or by a mapping |
//! | `disk` | making files last: sync, rename |
//! | `writer` | writing a table |
//! | `reader` | opening a table, single slots, whole blocks, checks |
//! | `values` | a whole table of values in memory |
//! | `grades` | a whole table of grades in memory |
//! | `histogram` | how many positions have each grade |

mod codec;
pub(crate) mod disk;
mod entry;
mod error;
mod geometry;
mod grades;
mod header;
mod histogram;
mod metric;
mod reader;
mod source;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod values;
mod writer;

use std::ops::{Add, AddAssign, Mul};

pub use codec::{Codec, EncodedBlock, Encoder};
pub use entry::{FileHash, TableEntry};
pub use error::{Damage, TableError};
pub use geometry::{DEFAULT_BLOCK_SLOTS, LARGEST_BLOCK_SLOTS, MOST_SLOTS, SMALLEST_BLOCK_SLOTS};
pub use grades::Grades;
pub use header::{FORMAT_VERSION, Header, TableSpec};
pub use histogram::{Deepest, Histogram};
pub use metric::Metric;
pub use reader::{Access, Table, TableExpectation};
pub use values::Values;
pub use writer::TableWriter;

pub(crate) use codec::value_in;
pub(crate) use entry::parse_hex;
pub(crate) use geometry::Place;
pub(crate) use grades::grade_of;

use crate::rules::{Subspace, Value};

/// Shared by threads, and made by parallel tasks: promises to users.
const _: () = {
    const fn send<T: Send>() {}
    const fn sync<T: Sync>() {}
    send::<Encoder>();
    send::<TableWriter>();
    send::<Table>();
    sync::<Table>();
    send::<Values>();
    sync::<Values>();
    send::<Grades>();
    sync::<Grades>();
    send::<Histogram>();
};

/// How many positions are won, lost and drawn for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Counts {
    /// Wins.
    pub wins: u64,
    /// Losses.
    pub losses: u64,
    /// Draws.
    pub draws: u64,
}

impl Counts {
    /// All positions counted.
    ///
    /// # Panics
    /// When there are 2^64 or more, as damaged counts may claim; see
    /// [`Counts::checked_total`].
    pub fn total(self) -> u64 {
        self.checked_total().expect("fewer than 2^64 positions")
    }

    /// All positions counted, if fewer than 2^64.
    pub fn checked_total(self) -> Option<u64> {
        self.wins.checked_add(self.losses)?.checked_add(self.draws)
    }

    /// Counts so many positions more of this value.
    #[inline]
    pub fn add_of(&mut self, value: Value, number: u64) {
        match value {
            Value::Loss => self.losses += number,
            Value::Draw => self.draws += number,
            Value::Win => self.wins += number,
        }
    }

    /// How many positions have this value.
    pub const fn of(self, value: Value) -> u64 {
        match value {
            Value::Loss => self.losses,
            Value::Draw => self.draws,
            Value::Win => self.wins,
        }
    }
}

impl Add for Counts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            losses: self.losses + other.losses,
            draws: self.draws + other.draws,
        }
    }
}

impl Mul<u64> for Counts {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self {
            wins: self.wins * factor,
            losses: self.losses * factor,
            draws: self.draws * factor,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// The name of the file that holds the table of `subspace`.
pub fn file_name(subspace: Subspace, metric: Metric) -> String {
    format!("{subspace}.{}", metric.extension())
}
