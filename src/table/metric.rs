//! What the slots of a table hold.

use std::fmt;

use crate::table::codec::packed_len;
use crate::table::histogram::HISTOGRAM_LEN;
use crate::table::{Codec, DEFAULT_BLOCK_SLOTS};

/// What the slots of a table hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Metric {
    /// [Values](crate::rules::Value): win, loss or draw.
    #[default]
    Values,
    /// [Grades](crate::grade::Grade): values with their depths.
    Grades,
}

impl Metric {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Values, Self::Grades];

    /// The number that stands for the metric in a header.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Values => 0,
            Self::Grades => 1,
        }
    }

    /// The metric with this number.
    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Values),
            1 => Some(Self::Grades),
            _ => None,
        }
    }

    /// How tables of this metric are stored unless there is a reason for another way.
    pub const fn codec(self) -> Codec {
        match self {
            Self::Values => Codec::Base3Zstd,
            Self::Grades => Codec::GradesZstd,
        }
    }

    /// How many slots a block has unless there is a reason for another number: a probe of a file
    /// in memory takes some ten microseconds, and larger blocks save little space.
    pub const fn block_slots(self) -> u32 {
        match self {
            Self::Values => DEFAULT_BLOCK_SLOTS,
            Self::Grades => DEFAULT_BLOCK_SLOTS / 2,
        }
    }

    /// How the names of files of this metric end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Values => "mly",
            Self::Grades => "mld",
        }
    }

    /// How many bytes a block of `slots` slots has once it is decoded.
    #[inline]
    pub(crate) const fn unpacked_len(self, slots: usize) -> usize {
        match self {
            Self::Values => packed_len(slots),
            Self::Grades => slots,
        }
    }

    /// How many bytes stand between header and block index.
    pub(crate) const fn summary_len(self) -> usize {
        match self {
            Self::Values => 0,
            Self::Grades => HISTOGRAM_LEN,
        }
    }
}

impl fmt::Display for Metric {
    /// `values` or `grades`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Values => "values",
            Self::Grades => "grades",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_numbers_and_codecs_of_their_own() {
        for metric in Metric::ALL {
            assert_eq!(Metric::from_code(metric.code()), Some(metric));
            assert_eq!(metric.codec().metric(), metric);
        }
        assert_eq!(Metric::from_code(2), None);
        assert_eq!(Metric::default().codec(), Codec::default());
    }
}
