//! Opening a table, and reading it: single values, whole blocks, everything.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::index::Index;
use crate::rules::{Fingerprint, RuleSet, Subspace, Value};
use crate::table::codec::{DecodeError, Decoder, constant_byte};
use crate::table::geometry::Place;
use crate::table::header::{Front, TRAILER_LEN, at};
use crate::table::source::Source;
use crate::table::{Counts, FileHash, Header, TableEntry, TableError, Values, value_in};

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
}

impl TableExpectation {
    /// The table of a subspace of a game.
    pub fn new(rules: &RuleSet, index: &Index, subspace: Subspace) -> Self {
        Self {
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
    packed: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
        decoder: Decoder::new(),
        stored: Vec::new(),
        packed: Vec::new(),
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

    /// The value of a slot, read from the file: a block is decoded for it. What a twin slot gives
    /// means nothing; see [`crate::index`].
    ///
    /// # Errors
    /// When there is no such slot, or its block cannot be read or is damaged.
    pub fn value(&self, slot: u64) -> Result<Value, TableError> {
        let Place { block, within } = self.place(slot)?;
        if let Some(value) = self.constant(block) {
            return Ok(value);
        }
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.packed.resize(self.front.geometry.len_of(block), 0);
            let Scratch {
                decoder,
                stored,
                packed,
            } = scratch;
            self.decode_with(decoder, stored, block, packed)?;
            Ok(value_in(packed, within))
        })
    }

    /// Where a slot lies.
    #[inline]
    pub(crate) fn place(&self, slot: u64) -> Result<Place, TableError> {
        let place = self.front.geometry.place(slot);
        place.ok_or_else(|| self.out_of_range("slot", slot, self.front.geometry.slots()))
    }

    /// The value of a block that is stored as nothing but a value.
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

    /// Decodes block `block`: `packed` becomes its values, five to a byte.
    ///
    /// # Errors
    /// When there is no such block, or it cannot be read or is damaged; what `packed` holds then
    /// means nothing.
    pub fn decode_block(&self, block: u64, packed: &mut Vec<u8>) -> Result<(), TableError> {
        if block >= self.front.header.blocks {
            return Err(self.out_of_range("block", block, self.front.header.blocks));
        }
        packed.resize(self.front.geometry.len_of(block), 0);
        self.decode(block, packed)
    }

    /// Decodes the whole table, blocks in parallel.
    ///
    /// # Errors
    /// When a block cannot be read or is damaged: the first such one.
    pub fn decode_all(&self) -> Result<Values, TableError> {
        let geometry = self.front.geometry;
        // At most a fifth of the number of slots, which `open` has found to be the expected one.
        let mut packed = vec![0; geometry.len() as usize].into_boxed_slice();
        let failed = packed
            .par_chunks_mut(geometry.whole_block_len())
            .enumerate()
            .find_map_first(|(block, packed)| self.decode(block as u64, packed).err());
        match failed {
            Some(error) => Err(error),
            None => Ok(Values::new(geometry, packed)),
        }
    }

    /// Checks the whole file: every block against its checksum and the values it may hold, and
    /// everything against the hash at the end.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged: the first damaged block, if there is one.
    pub fn check(&self) -> Result<(), TableError> {
        self.check_blocks()?;
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
        self.check_blocks()?;
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
            .map_init(Vec::new, |packed, block| {
                packed.resize(geometry.len_of(block), 0);
                self.decode(block, packed).err()
            })
            .find_map_first(|error| error);
        failed.map_or(Ok(()), Err)
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

    /// Decodes block `block` into `packed`, which is as long as the block.
    fn decode(&self, block: u64, packed: &mut [u8]) -> Result<(), TableError> {
        SCRATCH.with_borrow_mut(
            |Scratch {
                 decoder, stored, ..
             }| { self.decode_with(decoder, stored, block, packed) },
        )
    }

    fn decode_with(
        &self,
        decoder: &mut Decoder,
        stored: &mut Vec<u8>,
        block: u64,
        packed: &mut [u8],
    ) -> Result<(), TableError> {
        if let Some(value) = self.constant(block) {
            packed.fill(constant_byte(value));
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
            .decode(header.spec.codec, stored, packed)
            .map_err(|error| self.undecodable(block, offset, len, packed.len(), error))
    }

    #[cold]
    fn undecodable(
        &self,
        block: u64,
        offset: u64,
        len: usize,
        packed_len: usize,
        error: DecodeError,
    ) -> TableError {
        let (what, expected, got) = match error {
            DecodeError::Zstd(name) => ("", format!("a frame of {packed_len} bytes"), name.into()),
            DecodeError::Trailing(end) => {
                ("length of the frame of ", len.to_string(), end.to_string())
            }
            DecodeError::Length(got) => (
                "unpacked length of ",
                packed_len.to_string(),
                got.to_string(),
            ),
            DecodeError::ForeignByte(place, byte) => (
                "bytes of ",
                "0 to 242".to_owned(),
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
