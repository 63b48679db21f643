//! Opening a table, and reading it: single slots, whole blocks, everything.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{Fingerprint, RuleSet, Subspace, Value};
use crate::table::codec::{DecodeError, Decoder, constant_byte};
use crate::table::geometry::Place;
use crate::table::grades::grade_of;
use crate::table::header::{CODES, Front, TRAILER_LEN, at};
use crate::table::source::Source;
use crate::table::{
    Counts, Deepest, FileHash, Grades, Header, Histogram, Metric, TableEntry, TableError, Values,
    value_in,
};

/// How a table's bytes are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Access {
    /// By positioned reads. Whatever happens to the file is an error at worst.
    #[default]
    Read,
    /// By mapping the file into memory, which spares a system call a block. If another program
    /// shortens the file meanwhile, the operating system ends the process.
    Mapped,
}

/// What a table must be of to be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableExpectation {
    /// The rules.
    pub fingerprint: Fingerprint,
    /// The subspace.
    pub subspace: Subspace,
    /// How many slots the subspace has: [`Index::slots`].
    pub slots: u64,
    /// What the slots hold.
    pub metric: Metric,
}

impl TableExpectation {
    /// The table of a subspace of a game.
    pub fn new(rules: &RuleSet, index: &Index, subspace: Subspace, metric: Metric) -> Self {
        Self {
            metric,
            fingerprint: rules.fingerprint(),
            subspace,
            slots: index.slots(subspace),
        }
    }
}

/// An open table. Any number of threads may read it at once.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    source: Source,
    front: Front,
}

/// What a thread needs to decode blocks, kept for the next one.
struct Scratch {
    decoder: Decoder,
    stored: Vec<u8>,
    unpacked: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
        decoder: Decoder::new(),
        stored: Vec::new(),
        unpacked: Vec::new(),
    });
}

/// How many bytes are hashed at once.
const CHUNK: usize = 1 << 20;

impl Table {
    /// Opens the table at `path`: reads its header and block index and checks them, and that the
    /// file has its whole length. Takes a read of eight bytes a block, so it is cheap; the data
    /// are checked block by block when they are read, and altogether by [`Table::check`].
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is not the table expected.
    pub fn open(path: &Path, expectation: &TableExpectation) -> Result<Self, TableError> {
        Self::open_with(path, expectation, Access::default())
    }

    /// Opens the table at `path` to be read in this way.
    ///
    /// # Errors
    /// As [`Table::open`].
    pub fn open_with(
        path: &Path,
        expectation: &TableExpectation,
        access: Access,
    ) -> Result<Self, TableError> {
        let open = || {
            let file = File::open(path)?;
            let len = file.metadata()?.len();
            let source = match access {
                // Nothing cannot be mapped everywhere.
                Access::Mapped if len > 0 => Source::map(&file)?,
                _ => Source::read(file),
            };
            Ok((source, len))
        };
        let (source, file_len) = open().map_err(TableError::io("open", path))?;
        let front = Front::read(path, file_len, |offset, len| {
            let mut buffer = Vec::new();
            let bytes = source
                .bytes(offset, len, &mut buffer)
                .map_err(TableError::io("read", path))?;
            Ok(bytes.to_owned())
        })?;
        let path = path.to_owned();
        let spec = &front.header.spec;
        if spec.fingerprint != expectation.fingerprint {
            return Err(TableError::WrongRules {
                path,
                expected: expectation.fingerprint,
                got: spec.fingerprint,
            });
        }
        if spec.metric() != expectation.metric {
            return Err(TableError::WrongMetric {
                path,
                expected: expectation.metric,
                got: spec.metric(),
            });
        }
        if spec.subspace != expectation.subspace {
            return Err(TableError::WrongSubspace {
                path,
                expected: expectation.subspace,
                got: spec.subspace,
            });
        }
        if spec.slots != expectation.slots {
            let what = format!("slots of the subspace {}", spec.subspace);
            let (expected, got) = (expectation.slots, spec.slots);
            return Err(TableError::damaged(
                &path,
                at::SLOTS as u64,
                what,
                expected,
                got,
            ));
        }
        Ok(Self {
            path,
            source,
            front,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.front.header
    }

    /// What the slots hold.
    pub fn metric(&self) -> Metric {
        self.front.header.spec.metric()
    }

    /// How many canonical positions have each grade, and where the deepest stand; `None` for a
    /// table of values.
    pub fn histogram(&self) -> Option<&Histogram> {
        self.front.histogram.as_deref()
    }

    /// The value of a slot, read from the file: a block is decoded for it. What a twin slot gives
    /// means nothing; see [`crate::index`].
    ///
    /// # Errors
    /// When the table is one of grades, there is no such slot, or its block cannot be read or is
    /// damaged.
    pub fn value(&self, slot: u64) -> Result<Value, TableError> {
        self.expect_metric(Metric::Values)?;
        let Place { block, within } = self.place(slot)?;
        match self.constant(block) {
            Some(value) => Ok(value),
            None => self.with_block(block, |packed| value_in(packed, within)),
        }
    }

    /// The grade of a slot, read from the file: a block is decoded for it. What a twin slot gives
    /// means nothing; see [`crate::index`].
    ///
    /// # Errors
    /// When the table is one of values, there is no such slot, or its block cannot be read or is
    /// damaged.
    pub fn grade(&self, slot: u64) -> Result<Grade, TableError> {
        self.expect_metric(Metric::Grades)?;
        let Place { block, within } = self.place(slot)?;
        match self.constant_grade(block) {
            Some(grade) => Ok(grade),
            None => self.with_block(block, |codes| grade_of(codes[within])),
        }
    }

    /// What `read` finds in a block that is decoded for it.
    fn with_block<T>(&self, block: u64, read: impl FnOnce(&[u8]) -> T) -> Result<T, TableError> {
        SCRATCH.with_borrow_mut(|scratch| {
            let Scratch {
                decoder,
                stored,
                unpacked,
            } = scratch;
            unpacked.resize(self.front.geometry.len_of(block), 0);
            self.decode_with(decoder, stored, block, unpacked)?;
            Ok(read(unpacked))
        })
    }

    fn expect_metric(&self, expected: Metric) -> Result<(), TableError> {
        let got = self.metric();
        if got == expected {
            return Ok(());
        }
        Err(TableError::WrongMetric {
            path: self.path.clone(),
            expected,
            got,
        })
    }

    /// Where a slot lies.
    #[inline]
    pub(crate) fn place(&self, slot: u64) -> Result<Place, TableError> {
        let place = self.front.geometry.place(slot);
        place.ok_or_else(|| self.out_of_range("slot", slot, self.front.geometry.slots()))
    }

    /// The value of a block that is stored as nothing but a value, in a table of values.
    ///
    /// # Panics
    /// When there is no such block.
    #[inline]
    pub(crate) fn constant(&self, block: u64) -> Option<Value> {
        match self.front.stored(block as usize) {
            (_, 0) => self.front.blocks[block as usize].constant_value(),
            _ => None,
        }
    }

    /// The grade of a block that is stored as nothing but a grade, in a table of grades.
    ///
    /// # Panics
    /// When there is no such block.
    #[inline]
    pub(crate) fn constant_grade(&self, block: u64) -> Option<Grade> {
        match self.front.stored(block as usize) {
            (_, 0) => self.front.blocks[block as usize].constant_grade(),
            _ => None,
        }
    }

    /// Decodes block `block`: `unpacked` becomes its values, five to a byte, or the codes of its
    /// grades, one to a byte.
    ///
    /// # Errors
    /// When there is no such block, or it cannot be read or is damaged; what `unpacked` holds then
    /// means nothing.
    pub fn decode_block(&self, block: u64, unpacked: &mut Vec<u8>) -> Result<(), TableError> {
        if block >= self.front.header.blocks {
            return Err(self.out_of_range("block", block, self.front.header.blocks));
        }
        unpacked.resize(self.front.geometry.len_of(block), 0);
        self.decode(block, unpacked)
    }

    /// Decodes the whole table of values, blocks in parallel.
    ///
    /// # Errors
    /// When the table is one of grades, or a block cannot be read or is damaged: the first such
    /// one.
    pub fn decode_all(&self) -> Result<Values, TableError> {
        self.expect_metric(Metric::Values)?;
        Ok(Values::new(self.front.geometry, self.decode_blocks()?))
    }

    /// Decodes the whole table of grades, blocks in parallel.
    ///
    /// # Errors
    /// When the table is one of values, or a block cannot be read or is damaged: the first such
    /// one.
    pub fn decode_grades(&self) -> Result<Grades, TableError> {
        self.expect_metric(Metric::Grades)?;
        Ok(Grades::new(self.decode_blocks()?))
    }

    /// All blocks, decoded, one behind the other.
    fn decode_blocks(&self) -> Result<Box<[u8]>, TableError> {
        let geometry = self.front.geometry;
        // At most a byte a slot, of which `open` has found that there are as many as expected.
        let mut unpacked = vec![0; geometry.len() as usize].into_boxed_slice();
        let failed = unpacked
            .par_chunks_mut(geometry.whole_block_len())
            .enumerate()
            .find_map_first(|(block, unpacked)| self.decode(block as u64, unpacked).err());
        match failed {
            Some(error) => Err(error),
            None => Ok(unpacked),
        }
    }

    /// Checks the whole file: every block against its checksum and what it may hold, the slots of
    /// the deepest grades, and everything against the hash at the end.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged: the first damaged block, if there is one.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
        self.check_examples()?;
        self.hash().map(drop)
    }

    /// [`Table::check`], and that the file is the one that `entry` describes.
    ///
    /// # Errors
    /// As [`Table::check`], and where the file does not agree with the entry.
    pub fn check_entry(&self, entry: &TableEntry) -> Result<(), TableError> {
        let Header { canonical, raw, .. } = self.front.header;
        let text = |canonical: Counts, raw: Counts| format!("{canonical:?}, {raw:?}");
        self.expect_file_len(entry.bytes)?;
        self.expect_recorded(
            at::CANONICAL,
            "counts of positions",
            text(entry.canonical, entry.raw),
            text(canonical, raw),
        )?;
        let deepest = self.histogram().map(Histogram::deepest);
        self.expect_recorded(
            at::EXAMPLES,
            "greatest depths",
            depths(entry.deepest),
            depths(deepest),
        )?;
        self.check_blocks()?;
        self.check_examples()?;
        self.expect_recorded(0, "SHA-256 of the file", entry.hash, self.hash()?)
    }

    /// That the file has the length a manifest says.
    pub(crate) fn expect_file_len(&self, expected: u64) -> Result<(), TableError> {
        let got = self.front.header.file_len;
        self.expect_recorded(at::FILE_LEN, "length of the file", expected, got)
    }

    /// Compares something with what a manifest says of it.
    fn expect_recorded<T: PartialEq + std::fmt::Display>(
        &self,
        offset: usize,
        what: &str,
        expected: T,
        got: T,
    ) -> Result<(), TableError> {
        if got == expected {
            return Ok(());
        }
        let what = format!("{what} as recorded in the manifest");
        Err(TableError::damaged(
            &self.path,
            offset as u64,
            what,
            expected,
            got,
        ))
    }

    /// Checks every block.
    fn check_blocks(&self) -> Result<(), TableError> {
        let geometry = self.front.geometry;
        let failed = (0..self.front.header.blocks)
            .into_par_iter()
            .map_init(Vec::new, |unpacked, block| {
                unpacked.resize(geometry.len_of(block), 0);
                self.decode(block, unpacked).err()
            })
            .find_map_first(|error| error);
        failed.map_or(Ok(()), Err)
    }

    /// Checks that the deepest grades stand where the header says.
    fn check_examples(&self) -> Result<(), TableError> {
        let Some(histogram) = self.histogram() else {
            return Ok(());
        };
        let Deepest { win, loss } = histogram.deepest();
        for (offset, expected, slot) in [
            (0, win.and_then(Grade::win), histogram.deepest_win_slot()),
            (8, loss.and_then(Grade::loss), histogram.deepest_loss_slot()),
        ] {
            let (Some(expected), Some(slot)) = (expected, slot) else {
                continue;
            };
            let got = self.grade(slot)?;
            if got != expected {
                let offset = at::EXAMPLES as u64 + offset;
                let what = format!("grade of the slot {slot} named here");
                return Err(TableError::damaged(&self.path, offset, what, expected, got));
            }
        }
        Ok(())
    }

    /// The hash of the whole file, once the hash at its end has been found right.
    fn hash(&self) -> Result<FileHash, TableError> {
        let end = self.front.header.file_len - TRAILER_LEN as u64;
        let mut hasher = Sha256::new();
        let mut buffer = Vec::new();
        let mut offset = 0;
        while offset < end {
            let len = (end - offset).min(CHUNK as u64) as usize;
            hasher.update(self.bytes(offset, len, &mut buffer)?);
            offset += len as u64;
        }
        let expected: [u8; TRAILER_LEN] = hasher.clone().finalize().into();
        let got = self.bytes(end, TRAILER_LEN, &mut buffer)?;
        hasher.update(got);
        if *got != expected {
            let got = got
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>();
            let what = "SHA-256 of everything before";
            let expected = FileHash(expected);
            return Err(TableError::damaged(&self.path, end, what, expected, got));
        }
        Ok(FileHash(hasher.finalize().into()))
    }

    fn bytes<'a>(
        &'a self,
        offset: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], TableError> {
        let bytes = self.source.bytes(offset, len, buffer);
        bytes.map_err(TableError::io("read", &self.path))
    }

    /// Decodes block `block` into `unpacked`, which is as long as the block.
    fn decode(&self, block: u64, unpacked: &mut [u8]) -> Result<(), TableError> {
        SCRATCH.with_borrow_mut(
            |Scratch {
                 decoder, stored, ..
             }| { self.decode_with(decoder, stored, block, unpacked) },
        )
    }

    fn decode_with(
        &self,
        decoder: &mut Decoder,
        stored: &mut Vec<u8>,
        block: u64,
        unpacked: &mut [u8],
    ) -> Result<(), TableError> {
        let constant = match self.metric() {
            Metric::Values => self.constant(block).map(constant_byte),
            Metric::Grades => self.constant_grade(block).map(Grade::code),
        };
        if let Some(byte) = constant {
            unpacked.fill(byte);
            return Ok(());
        }
        let header = &self.front.header;
        let (start, len) = self.front.stored(block as usize);
        let offset = header.data_offset + start;
        let stored = self.bytes(offset, len, stored)?;
        let expected = self.front.blocks[block as usize].checksum;
        let got = crc32fast::hash(stored);
        if got != expected {
            let what = format!("checksum of the {len} bytes of block {block}");
            let [expected, got] = [expected, got].map(|sum| format!("{sum:08x}"));
            return Err(TableError::damaged(&self.path, offset, what, expected, got));
        }
        decoder
            .decode(header.spec.codec, stored, unpacked)
            .map_err(|error| self.undecodable(block, offset, len, unpacked.len(), error))
    }

    #[cold]
    fn undecodable(
        &self,
        block: u64,
        offset: u64,
        len: usize,
        unpacked_len: usize,
        error: DecodeError,
    ) -> TableError {
        let (what, expected, got) = match error {
            DecodeError::Zstd(name) => {
                ("", format!("a frame of {unpacked_len} bytes"), name.into())
            }
            DecodeError::Trailing(end) => {
                ("length of the frame of ", len.to_string(), end.to_string())
            }
            DecodeError::Length(got) => (
                "unpacked length of ",
                unpacked_len.to_string(),
                got.to_string(),
            ),
            DecodeError::ForeignByte(place, byte) => (
                "bytes of ",
                match self.metric() {
                    Metric::Values => "0 to 242",
                    Metric::Grades => CODES,
                }
                .to_owned(),
                format!("{byte} in place {place}"),
            ),
        };
        let what = format!("{what}block {block}");
        TableError::damaged(&self.path, offset, what, expected, got)
    }

    #[cold]
    fn out_of_range(&self, what: &'static str, number: u64, count: u64) -> TableError {
        TableError::OutOfRange {
            path: self.path.clone(),
            what,
            number,
            count,
        }
    }
}

/// Greatest depths in words.
fn depths(deepest: Option<Deepest>) -> String {
    let plies = |depth: Option<u32>| depth.map_or("none".to_owned(), |plies| plies.to_string());
    match deepest {
        None => "no depths".to_owned(),
        Some(Deepest { win, loss }) => format!("win {}, loss {}", plies(win), plies(loss)),
    }
}
