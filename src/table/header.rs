//! The bytes of a table before its data: read once into typed values, and written from them.

use std::path::Path;

use crate::grade::Grade;
use crate::index::{INDEX_VERSION, Index};
use crate::rules::{Fingerprint, RuleSet, Subspace, Value};
use crate::table::codec::value_of_digit;
use crate::table::geometry::{Geometry, LARGEST_BLOCK_SLOTS, MOST_SLOTS, SMALLEST_BLOCK_SLOTS};
use crate::table::histogram::{HISTOGRAM_LEN, Histogram, HistogramProblem};
use crate::table::{Codec, Counts, Metric, TableError};

/// The version of the file format described in `data/FORMAT.md`.
pub const FORMAT_VERSION: u32 = 1;

/// How a table begins: a byte that is no text, so that nobody takes the file for text.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MLYNEK\n";

/// Where the fields of a header stand.
pub(crate) mod at {
    pub(crate) const MAGIC: usize = 0;
    pub(crate) const VERSION: usize = 8;
    pub(crate) const RESERVED: usize = 12;
    pub(crate) const FINGERPRINT: usize = 16;
    pub(crate) const INDEX_VERSION: usize = 32;
    pub(crate) const MEN: usize = 36;
    pub(crate) const METRIC: usize = 40;
    pub(crate) const ROWS: usize = 41;
    pub(crate) const CODEC: usize = 42;
    pub(crate) const RESERVED_BYTE: usize = 43;
    pub(crate) const BLOCK_SLOTS: usize = 44;
    pub(crate) const SLOTS: usize = 48;
    pub(crate) const BLOCKS: usize = 56;
    pub(crate) const CANONICAL: usize = 64;
    pub(crate) const RAW: usize = 88;
    pub(crate) const INDEX: usize = 112;
    pub(crate) const DATA: usize = 120;
    pub(crate) const DATA_LEN: usize = 128;
    pub(crate) const FILE_LEN: usize = 136;
    /// Reserved, or the slots of the examples.
    pub(crate) const EXAMPLES: usize = 144;
}

/// What stands for a slot where there is none.
const NO_SLOT: u64 = u64::MAX;

/// The length of a header.
pub(crate) const HEADER_LEN: usize = at::EXAMPLES + 16;
const _: () = assert!(HEADER_LEN == 160 && at::RAW == at::CANONICAL + size_of::<[u64; 3]>());

/// The length of a block's entry in the block index.
pub(crate) const BLOCK_ENTRY_LEN: u64 = 8;
const _: () = assert!(size_of::<BlockEntry>() as u64 == BLOCK_ENTRY_LEN);

/// The length of the checksum after the block index.
const CHECKSUM_LEN: u64 = 4;

/// What the start of the data is a multiple of.
const DATA_ALIGNMENT: u64 = 8;

/// The length of the hash at the end of a file.
pub(crate) const TRAILER_LEN: usize = 32;

/// What a table is of, and how it is cut into blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableSpec {
    /// The rules.
    pub fingerprint: Fingerprint,
    /// The subspace.
    pub subspace: Subspace,
    /// How many slots the subspace has.
    pub slots: u64,
    /// How many slots a block has; the last may have fewer.
    pub block_slots: u32,
    /// How blocks are stored, and whether they hold values or grades.
    pub codec: Codec,
}

impl TableSpec {
    /// The table of a subspace, cut into blocks and stored as usual.
    pub fn new(rules: &RuleSet, index: &Index, subspace: Subspace, metric: Metric) -> Self {
        Self {
            fingerprint: rules.fingerprint(),
            subspace,
            slots: index.slots(subspace),
            block_slots: metric.block_slots(),
            codec: metric.codec(),
        }
    }

    /// What the slots hold.
    pub fn metric(&self) -> Metric {
        self.codec.metric()
    }
}

/// What the header of a table says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// What the table is of, and how it is cut into blocks.
    pub spec: TableSpec,
    /// The positions, one for each orbit of the board's symmetries.
    pub canonical: Counts,
    /// The positions, every orientation counted.
    pub raw: Counts,
    /// The number of blocks.
    pub blocks: u64,
    /// Where the data begin.
    pub data_offset: u64,
    /// The length of the data.
    pub data_len: u64,
    /// The length of the file.
    pub file_len: u64,
}

/// A block's entry in the block index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockEntry {
    /// Where the block begins in the data.
    pub(crate) start: u32,
    /// The CRC-32 of its bytes, or its value when it has none.
    pub(crate) checksum: u32,
}

impl BlockEntry {
    /// The entry of a block of nothing but this digit or code.
    pub(crate) fn constant(start: u32, number: u8) -> Self {
        Self {
            start,
            checksum: number.into(),
        }
    }

    /// The value of a block without bytes.
    pub(crate) fn constant_value(self) -> Option<Value> {
        value_of_digit(u8::try_from(self.checksum).ok()?)
    }

    /// The grade of a block without bytes.
    pub(crate) fn constant_grade(self) -> Option<Grade> {
        Grade::from_code(u8::try_from(self.checksum).ok()?)
    }
}

/// What an open table knows before any of its data is read.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) header: Header,
    pub(crate) geometry: Geometry,
    /// That of a table of grades.
    pub(crate) histogram: Option<Box<Histogram>>,
    pub(crate) blocks: Box<[BlockEntry]>,
}

/// Where the block index begins.
pub(crate) const fn index_offset(metric: Metric) -> usize {
    HEADER_LEN + metric.summary_len()
}

/// Where the data begin in a table with this many blocks.
pub(crate) fn data_offset(metric: Metric, blocks: u64) -> u64 {
    (index_offset(metric) as u64 + BLOCK_ENTRY_LEN * blocks + CHECKSUM_LEN)
        .next_multiple_of(DATA_ALIGNMENT)
}

impl Front {
    /// The bytes from the start of the file to the start of the data.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Header {
            spec,
            canonical,
            raw,
            blocks,
            data_offset,
            data_len,
            file_len,
        } = self.header;
        let subspace = spec.subspace;
        let mut bytes = vec![0; HEADER_LEN];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(at::MAGIC, &MAGIC);
        put(at::VERSION, &FORMAT_VERSION.to_le_bytes());
        put(at::FINGERPRINT, &spec.fingerprint.0);
        put(at::INDEX_VERSION, &INDEX_VERSION.to_le_bytes());
        put(at::MEN, &men(subspace));
        put(at::METRIC, &[spec.metric().code()]);
        put(at::ROWS, &[rows(subspace)]);
        put(at::CODEC, &[spec.codec.code()]);
        put(at::BLOCK_SLOTS, &spec.block_slots.to_le_bytes());
        put(at::SLOTS, &spec.slots.to_le_bytes());
        put(at::BLOCKS, &blocks.to_le_bytes());
        for (at, counts) in [(at::CANONICAL, canonical), (at::RAW, raw)] {
            let three = [counts.wins, counts.losses, counts.draws];
            put(at, three.map(u64::to_le_bytes).as_flattened());
        }
        put(
            at::INDEX,
            &(index_offset(spec.metric()) as u64).to_le_bytes(),
        );
        put(at::DATA, &data_offset.to_le_bytes());
        put(at::DATA_LEN, &data_len.to_le_bytes());
        put(at::FILE_LEN, &file_len.to_le_bytes());
        if let Some(histogram) = &self.histogram {
            let slots = [histogram.deepest_win_slot(), histogram.deepest_loss_slot()];
            let slots = slots.map(|slot| slot.unwrap_or(NO_SLOT).to_le_bytes());
            put(at::EXAMPLES, slots.as_flattened());
            bytes.extend(histogram.to_bytes());
        }
        for entry in &self.blocks {
            bytes.extend(entry.start.to_le_bytes());
            bytes.extend(entry.checksum.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.resize(data_offset as usize, 0);
        bytes
    }

    /// Reads the start of a file of `file_len` bytes. `read` gives the bytes from an offset on
    /// and is only asked for bytes that a file of that length has.
    ///
    /// Says what the table is, not whether that is what somebody wanted.
    pub(crate) fn read(
        path: &Path,
        file_len: u64,
        mut read: impl FnMut(u64, usize) -> Result<Vec<u8>, TableError>,
    ) -> Result<Self, TableError> {
        let raw = RawHeader {
            path,
            bytes: read(0, file_len.min(HEADER_LEN as u64) as usize)?,
        };
        let metric = raw.check_identity()?;
        let (geometry, data_offset) = raw.layout(metric, file_len)?;
        // Fits in memory: the file is longer, by `layout`.
        let mut front = raw.bytes.clone();
        let rest = data_offset - HEADER_LEN as u64;
        front.extend(read(HEADER_LEN as u64, rest as usize)?);
        let index_start = index_offset(metric);
        let index_end = index_start + (BLOCK_ENTRY_LEN * geometry.blocks()) as usize;
        let (checked, after) = front.split_at(index_end);
        let (checksum, padding) = after.split_at(CHECKSUM_LEN as usize);
        raw.expect_hex(
            index_end,
            "checksum of everything before",
            crc32fast::hash(checked),
            u32::from_le_bytes(array(checksum)),
        )?;
        for (place, &byte) in padding.iter().enumerate() {
            let at = index_end + CHECKSUM_LEN as usize + place;
            raw.expect(at, "padding", 0, byte)?;
        }
        let header = raw.header(metric, geometry, data_offset)?;
        let histogram = match metric {
            Metric::Values => None,
            Metric::Grades => Some(Box::new(
                raw.histogram(&header, array(&checked[HEADER_LEN..]))?,
            )),
        };
        let (entries, _) = checked[index_start..].as_chunks::<8>();
        let blocks = entries
            .iter()
            .map(|entry| BlockEntry {
                start: u32::from_le_bytes(array(&entry[..4])),
                checksum: u32::from_le_bytes(array(&entry[4..])),
            })
            .collect();
        let front = Self {
            header,
            geometry,
            histogram,
            blocks,
        };
        front.check_blocks(&raw)?;
        Ok(front)
    }

    /// Where the bytes of block `number` lie in the data, as start and length.
    ///
    /// # Panics
    /// When there is no such block.
    #[inline]
    pub(crate) fn stored(&self, number: usize) -> (u64, usize) {
        let start = u64::from(self.blocks[number].start);
        let end = match self.blocks.get(number + 1) {
            Some(next) => next.start.into(),
            None => self.header.data_len,
        };
        // `check_blocks` has seen that blocks do not overlap, and how long each may be.
        (start, end.saturating_sub(start) as usize)
    }

    /// Checks the block index: blocks follow each other and fill the data, each has a length its
    /// codec can make, and one without bytes has a value.
    fn check_blocks(&self, raw: &RawHeader<'_>) -> Result<(), TableError> {
        let mut end = 0;
        let metric = self.header.spec.metric();
        for (number, entry) in self.blocks.iter().enumerate() {
            let at = index_offset(metric) + BLOCK_ENTRY_LEN as usize * number;
            let start = u64::from(entry.start);
            if number == 0 {
                raw.expect(at, "start of block 0", 0, start)?;
            }
            end = match self.blocks.get(number + 1) {
                Some(next) => next.start.into(),
                None => self.header.data_len,
            };
            let most = self
                .header
                .spec
                .codec
                .bound(self.geometry.slots_of(number as u64));
            if end.checked_sub(start).is_none_or(|len| len > most as u64) {
                return Err(raw.damaged(
                    at,
                    format!("end of block {number}"),
                    format_args!("{start} to {}", start + most as u64),
                    end,
                ));
            }
            let (what, known, all) = match metric {
                Metric::Values => ("value", entry.constant_value().is_some(), "0 to 2"),
                Metric::Grades => ("grade", entry.constant_grade().is_some(), CODES),
            };
            if end == start && !known {
                let what = format!("{what} of block {number}, which has no bytes");
                return Err(raw.damaged(at + 4, what, all, entry.checksum));
            }
        }
        raw.expect(
            at::DATA_LEN,
            "length of the data",
            end,
            self.header.data_len,
        )
    }
}

/// The codes of grades, in words.
pub(crate) const CODES: &str = "0 to 126 or 128 to 255";

/// The four numbers of men, as a header has them.
const fn men(subspace: Subspace) -> [u8; 4] {
    [
        subspace.mover,
        subspace.opponent,
        subspace.mover_hand,
        subspace.opponent_hand,
    ]
}

/// Whose men the rows are over: 0 the mover's, 1 the opponent's.
const fn rows(subspace: Subspace) -> u8 {
    !subspace.mover_began() as u8
}

/// The bytes of a header, not yet believed.
struct RawHeader<'p> {
    path: &'p Path,
    /// `HEADER_LEN` bytes, or as many as the file has.
    bytes: Vec<u8>,
}

impl RawHeader<'_> {
    fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        array(&self.bytes[at..])
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes[at]
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.field(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.field(at))
    }

    fn counts(&self, at: usize) -> Counts {
        Counts {
            wins: self.u64(at),
            losses: self.u64(at + 8),
            draws: self.u64(at + 16),
        }
    }

    fn damaged(
        &self,
        at: usize,
        what: impl Into<String>,
        expected: impl std::fmt::Display,
        got: impl std::fmt::Display,
    ) -> TableError {
        TableError::damaged(self.path, at as u64, what, expected, got)
    }

    /// Fails with this field unless it is as expected.
    fn expect<T: PartialEq + std::fmt::Display>(
        &self,
        at: usize,
        what: &'static str,
        expected: T,
        got: T,
    ) -> Result<(), TableError> {
        if got == expected {
            Ok(())
        } else {
            Err(self.damaged(at, what, expected, got))
        }
    }

    fn expect_hex(
        &self,
        at: usize,
        what: &'static str,
        expected: u32,
        got: u32,
    ) -> Result<(), TableError> {
        if got == expected {
            return Ok(());
        }
        let [expected, got] = [expected, got].map(|sum| format!("{sum:08x}"));
        Err(self.damaged(at, what, expected, got))
    }

    /// That the file is a table of a version whose layout is known, and has a whole header: its
    /// metric.
    fn check_identity(&self) -> Result<Metric, TableError> {
        let start = &self.bytes[..self.bytes.len().min(MAGIC.len())];
        if start != &MAGIC[..start.len()] || start.is_empty() {
            return Err(TableError::NotATable {
                path: self.path.to_owned(),
                expected: MAGIC,
                got: start.to_owned(),
            });
        }
        self.expect(0, "length of the header", HEADER_LEN, self.bytes.len())?;
        self.expect_version(at::VERSION, "format version", FORMAT_VERSION)?;
        self.expect_version(at::INDEX_VERSION, "index version", INDEX_VERSION)?;
        let metric = self.byte(at::METRIC);
        let known = Metric::ALL.map(|metric| metric.code().to_string());
        Metric::from_code(metric)
            .ok_or_else(|| self.unknown(at::METRIC, "metric", known.join(" or "), metric.into()))
    }

    fn expect_version(
        &self,
        at: usize,
        what: &'static str,
        expected: u32,
    ) -> Result<(), TableError> {
        let got = self.u32(at);
        if got == expected {
            return Ok(());
        }
        Err(self.unknown(at, what, expected.to_string(), got))
    }

    fn unknown(&self, at: usize, what: &'static str, expected: String, got: u32) -> TableError {
        TableError::UnknownVersion {
            path: self.path.to_owned(),
            what,
            offset: at as u64,
            expected,
            got,
        }
    }

    /// The numbers that say where things are, checked against each other and against the length
    /// of the file: the geometry, and where the data begin.
    fn layout(&self, metric: Metric, file_len: u64) -> Result<(Geometry, u64), TableError> {
        self.expect(
            at::FILE_LEN,
            "length of the file",
            self.u64(at::FILE_LEN),
            file_len,
        )?;
        let (slots, block_slots) = (self.u64(at::SLOTS), self.u32(at::BLOCK_SLOTS));
        let geometry = Geometry::new(metric, slots, block_slots).ok_or_else(|| {
            self.damaged(
                at::BLOCK_SLOTS,
                "slots of a block, slots",
                format_args!("{SMALLEST_BLOCK_SLOTS} to {LARGEST_BLOCK_SLOTS}, 0 to {MOST_SLOTS}"),
                format_args!("{block_slots}, {slots}"),
            )
        })?;
        let blocks = geometry.blocks();
        let data_offset = data_offset(metric, blocks);
        let data_len = self.u64(at::DATA_LEN);
        for (at, what, expected) in [
            (at::BLOCKS, "number of blocks", blocks),
            (
                at::INDEX,
                "offset of the block index",
                index_offset(metric) as u64,
            ),
            (at::DATA, "offset of the data", data_offset),
        ] {
            self.expect(at, what, expected, self.u64(at))?;
        }
        let whole = data_offset
            .checked_add(data_len)
            .and_then(|sum| sum.checked_add(TRAILER_LEN as u64));
        if whole != Some(file_len) {
            let others = data_offset + TRAILER_LEN as u64;
            let expected = match file_len.checked_sub(others) {
                Some(len) => len.to_string(),
                None => format!("a file of at least {others} bytes"),
            };
            return Err(self.damaged(at::DATA_LEN, "length of the data", expected, data_len));
        }
        Ok((geometry, data_offset))
    }

    /// The typed header. The layout has been checked, and that nothing was flipped.
    fn header(
        &self,
        metric: Metric,
        geometry: Geometry,
        data_offset: u64,
    ) -> Result<Header, TableError> {
        let [mover, opponent, mover_hand, opponent_hand] = self.field(at::MEN);
        let subspace = Subspace {
            mover,
            opponent,
            mover_hand,
            opponent_hand,
        };
        let code = self.byte(at::CODEC);
        let codec = Codec::from_code(code)
            .filter(|codec| codec.metric() == metric)
            .ok_or_else(|| {
                let known = metric.codec().code().to_string();
                self.unknown(at::CODEC, "codec", known, code.into())
            })?;
        self.expect(
            at::ROWS,
            "side the rows are over",
            rows(subspace),
            self.byte(at::ROWS),
        )?;
        self.expect(at::RESERVED, "reserved bytes", 0, self.u32(at::RESERVED))?;
        self.expect(
            at::RESERVED_BYTE,
            "reserved byte",
            0,
            self.byte(at::RESERVED_BYTE),
        )?;
        if metric == Metric::Values {
            for at in [at::EXAMPLES, at::EXAMPLES + 8] {
                self.expect(at, "reserved bytes", 0, self.u64(at))?;
            }
        }
        let [canonical, raw] = [at::CANONICAL, at::RAW].map(|at| self.counts(at));
        let fits = canonical
            .checked_total()
            .is_some_and(|total| total <= geometry.slots());
        if !fits || raw.checked_total().is_none() {
            return Err(self.damaged(
                at::CANONICAL,
                "counts of positions",
                format_args!("at most {} canonical ones", geometry.slots()),
                format_args!("{canonical:?}, {raw:?}"),
            ));
        }
        Ok(Header {
            spec: TableSpec {
                fingerprint: Fingerprint(self.field(at::FINGERPRINT)),
                subspace,
                slots: geometry.slots(),
                block_slots: self.u32(at::BLOCK_SLOTS),
                codec,
            },
            canonical,
            raw,
            blocks: geometry.blocks(),
            data_offset,
            data_len: self.u64(at::DATA_LEN),
            file_len: self.u64(at::FILE_LEN),
        })
    }

    /// The histogram in these bytes, which with the examples agrees with itself and the header.
    fn histogram(
        &self,
        header: &Header,
        bytes: [u8; HISTOGRAM_LEN],
    ) -> Result<Histogram, TableError> {
        let counts = Histogram::counts_from_bytes(&bytes);
        let examples = [at::EXAMPLES, at::EXAMPLES + 8];
        let slots = examples.map(|at| Some(self.u64(at)).filter(|&slot| slot != NO_SLOT));
        for (at, slot) in examples.into_iter().zip(slots) {
            let last = header.spec.slots.saturating_sub(1);
            if let Some(slot) = slot.filter(|&slot| slot > last) {
                let expected = format_args!("at most {last}, or {NO_SLOT} for none");
                return Err(self.damaged(at, "slot of the deepest position", expected, slot));
            }
        }
        let histogram = Histogram::from_parts(counts, slots).map_err(|problem| match problem {
            HistogramProblem::Count(code) => self.damaged(
                HEADER_LEN + size_of::<u64>() * usize::from(code),
                format!("number of positions of the code {code}"),
                "a possible one",
                counts[usize::from(code)],
            ),
            HistogramProblem::Example(value) => {
                let place = usize::from(value == Value::Loss);
                let (expected, got) = match slots[place] {
                    Some(slot) => ("none, as there is no such position", slot.to_string()),
                    None => ("one, as there is such a position", "none".to_owned()),
                };
                let what = format!("slot of the deepest {value}");
                self.damaged(examples[place], what, expected, got)
            }
        })?;
        let counts = histogram.counts();
        if counts != header.canonical {
            return Err(self.damaged(
                at::CANONICAL,
                "counts of positions",
                format_args!("{counts:?} as in the histogram"),
                format_args!("{:?}", header.canonical),
            ));
        }
        Ok(histogram)
    }
}

/// The first `N` bytes.
///
/// # Panics
/// When there are fewer; every caller knows the length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("the field is there")
}
