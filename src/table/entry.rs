//! What is known about a finished table file.

use std::fmt;

use crate::rules::Subspace;
use crate::table::{Counts, Deepest, Metric};

/// The SHA-256 of a whole file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileHash(pub [u8; 32]);

impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileHash({self})")
    }
}

/// A finished table file: a row of a database's manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The subspace.
    pub subspace: Subspace,
    /// The name of the file, without a directory.
    pub file: String,
    /// The length of the file.
    pub bytes: u64,
    /// The hash of the file.
    pub hash: FileHash,
    /// The positions, one for each orbit of the board's symmetries.
    pub canonical: Counts,
    /// The positions, every orientation counted.
    pub raw: Counts,
    /// The greatest depths, of a table of grades alone.
    pub deepest: Option<Deepest>,
}

impl TableEntry {
    /// What the table's slots hold.
    pub fn metric(&self) -> Metric {
        match self.deepest {
            None => Metric::Values,
            Some(_) => Metric::Grades,
        }
    }
}

/// Bytes written as two hexadecimal digits each, as many as asked for.
pub(crate) fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = [0; N];
    if pairs.len() != N {
        return None;
    }
    for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (digit(high)? << 4 | digit(low)?) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_read_as_they_are_written() {
        let hash = FileHash(std::array::from_fn(|k| (37 * k) as u8));
        assert_eq!(parse_hex(&hash.to_string()), Some(hash.0));
        assert_eq!(parse_hex("00fF"), Some([0x00, 0xff]));
        for bad in ["", "0", "00f", "00ffff", "0g00", "+100", "é00"] {
            assert_eq!(parse_hex::<2>(bad), None, "{bad}");
        }
    }
}
