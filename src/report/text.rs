//! Numbers, sizes, durations and tables as text.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

/// A number with separators between its thousands: `8,904,593,601`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and the thing counted, in the plural unless it is one: `1 table`, `5 tables`.
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", thousands(number))
}

/// A number of bytes in binary units, three digits or so: `812 B`, `1.71 GiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = bytes as f64;
    let mut unit = 0;
    // 999.5 rounds to four digits.
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let decimals = match scaled {
        _ if unit == 0 => 0,
        s if s < 9.995 => 2,
        s if s < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.decimals$} {}", UNITS[unit])
}

/// A text that is no size.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "{0:?} is no size: expected a number of bytes, or one with a unit such as 512M, 8G or 1.5GiB"
)]
pub struct ParseSizeError(String);

/// Reads a number of bytes: digits, perhaps with decimals, and a unit `K`, `M`, `G` or `T` (also
/// written `KiB` and so on; all are powers of 1024), or `KB` and so on (powers of 1000).
///
/// # Errors
/// When the text is none, or the number is beyond all memory.
pub fn parse_size(text: &str) -> Result<u64, ParseSizeError> {
    let parse = || {
        let trimmed = text.trim();
        let unit_at = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(unit_at);
        let (base, power): (f64, i32) = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => (1024.0, 0),
            "k" | "kib" => (1024.0, 1),
            "m" | "mib" => (1024.0, 2),
            "g" | "gib" => (1024.0, 3),
            "t" | "tib" => (1024.0, 4),
            "kb" => (1000.0, 1),
            "mb" => (1000.0, 2),
            "gb" => (1000.0, 3),
            "tb" => (1000.0, 4),
            _ => return None,
        };
        if power == 0 && number.contains('.') {
            return None;
        }
        let bytes = number.parse::<f64>().ok()? * base.powi(power);
        (bytes < 1e18).then_some(bytes as u64)
    };
    parse().ok_or_else(|| ParseSizeError(text.to_owned()))
}

/// A duration for people: `8.4 s`, `4 min 05 s`, `3 h 20 min`.
pub fn duration(duration: Duration) -> String {
    let tenths = (duration.as_secs_f64() * 10.0).round() as u64;
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = (duration.as_secs_f64()).round() as u64;
    if seconds < 3600 {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    } else {
        let minutes = (seconds + 30) / 60;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

/// A table of text with aligned columns.
#[derive(Clone, Debug)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    /// Whether the columns after the first are aligned to the right, as numbers are.
    numbers: bool,
}

impl TextTable {
    /// A table of numbers with this row at its head: the first column is aligned to the left, the
    /// others to the right.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self::with_head(head, true)
    }

    /// A table of words with this row at its head: every column is aligned to the left.
    pub fn left<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self::with_head(head, false)
    }

    fn with_head<T: Into<String>>(head: impl IntoIterator<Item = T>, numbers: bool) -> Self {
        let rows = Vec::new();
        let mut table = Self { rows, numbers };
        table.push(head);
        table
    }

    /// Adds a row.
    pub fn push<T: Into<String>>(&mut self, row: impl IntoIterator<Item = T>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let mut line = String::new();
            for (column, (width, cell)) in widths.iter().zip(row).enumerate() {
                if column > 0 {
                    line.push_str("  ");
                }
                if column > 0 && self.numbers {
                    line.push_str(&format!("{cell:>width$}"));
                } else {
                    line.push_str(&format!("{cell:<width$}"));
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (8_904_593_601, "8,904,593,601"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(counted(1, "table"), "1 table");
        assert_eq!(counted(2000, "table"), "2,000 tables");
    }

    #[test]
    fn sizes_are_written_in_binary_units() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "0.98 KiB"),
            (1 << 20, "1.00 MiB"),
            (1_836_000_000, "1.71 GiB"),
            (12_345_678_901, "11.5 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("100 B", 100),
            ("512M", 512 << 20),
            ("8G", 8 << 30),
            ("8g", 8 << 30),
            ("16GiB", 16 << 30),
            ("1.5 GiB", 3 << 29),
            ("2T", 2 << 40),
            ("3KB", 3000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for bad in [
            "",
            "G",
            "-1G",
            "1.5",
            "8X",
            "8 GG",
            "1e3",
            "1.2.3G",
            "99999999T",
            "8G 2",
            "NaN",
            "inf",
        ] {
            let error = parse_size(bad).unwrap_err().to_string();
            assert!(error.contains("is no size: expected"), "{bad}");
        }
    }

    #[test]
    fn durations_are_written_for_people() {
        for (seconds, text) in [
            (0.0, "0.0 s"),
            (8.44, "8.4 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min 00 s"),
            (245.0, "4 min 05 s"),
            (3599.4, "59 min 59 s"),
            (12_000.0, "3 h 20 min"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn tables_are_aligned() {
        let mut table = TextTable::new(["subspace", "wins"]);
        table.push(["3-3", "140,621"]);
        table.push(["10-10", "1"]);
        assert_eq!(
            table.to_string(),
            "subspace     wins\n3-3       140,621\n10-10           1\n"
        );
        let mut table = TextTable::left(["name", "what"]);
        table.push(["standard", "men fly"]);
        assert_eq!(table.to_string(), "name      what\nstandard  men fly\n");
    }
}
