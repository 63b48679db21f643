//! Writing one table.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::table::codec::Body;
use crate::table::geometry::{Geometry, LARGEST_BLOCK_SLOTS, MOST_SLOTS, SMALLEST_BLOCK_SLOTS};
use crate::table::header::{BlockEntry, Front, TRAILER_LEN, data_offset};
use crate::table::{
    Counts, EncodedBlock, FileHash, Header, Histogram, Metric, TableEntry, TableError, TableSpec,
    disk, file_name,
};

/// How many bytes are written or hashed at once.
const CHUNK: usize = 1 << 20;

/// Writes a table block by block. The file has a temporary name until [`TableWriter::finish`] or
/// [`TableWriter::finish_grades`]; a writer dropped before removes it.
#[derive(Debug)]
pub struct TableWriter {
    spec: TableSpec,
    geometry: Geometry,
    path: PathBuf,
    temporary: Temporary,
    file: BufWriter<File>,
    blocks: Vec<BlockEntry>,
    data_len: u64,
}

/// A file that is removed when this is dropped, unless it has been put in place.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    kept: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing depends on it: the next writer of the table starts the file anew.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl TableWriter {
    /// Begins the table `spec` in the directory `dir`, which must exist.
    ///
    /// # Errors
    /// When the file cannot be made, or the format has no room for the table.
    pub fn create(dir: &Path, spec: TableSpec) -> Result<Self, TableError> {
        let path = dir.join(file_name(spec.subspace, spec.metric()));
        let geometry = Geometry::new(spec.metric(), spec.slots, spec.block_slots)
            .ok_or_else(|| unrepresentable(&path, &spec))?;
        let temporary = disk::temporary_name(&path);
        let create = || {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&temporary)?;
            // The front is written when it is known; its length is known now.
            file.seek(SeekFrom::Start(data_offset(
                spec.metric(),
                geometry.blocks(),
            )))?;
            Ok(BufWriter::with_capacity(CHUNK, file))
        };
        let file = create().map_err(TableError::io("create", &temporary))?;
        Ok(Self {
            spec,
            geometry,
            path,
            temporary: Temporary {
                path: temporary,
                kept: false,
            },
            file,
            blocks: Vec::new(),
            data_len: 0,
        })
    }

    /// How many blocks are written.
    pub fn blocks_written(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// How many bytes the file has so far.
    pub fn bytes_written(&self) -> u64 {
        data_offset(self.spec.metric(), self.geometry.blocks()) + self.data_len
    }

    /// Writes the next blocks.
    ///
    /// # Errors
    /// When the file cannot be written, or becomes larger than the format allows.
    ///
    /// # Panics
    /// When a block has another number of slots than is due, or is stored in another way.
    pub fn append(
        &mut self,
        blocks: impl IntoIterator<Item = EncodedBlock>,
    ) -> Result<(), TableError> {
        for block in blocks {
            let number = self.blocks_written();
            let due = self.geometry.slots_of(number);
            assert_eq!(block.slots(), due, "slots of block {number}");
            assert_eq!(block.codec(), self.spec.codec, "codec of block {number}");
            let start = u32::try_from(self.data_len).map_err(|_| TableError::Unrepresentable {
                path: self.path.clone(),
                what: "the length of the data",
                got: self.data_len,
                allowed: format!("{} before the last block", u32::MAX),
            })?;
            self.blocks.push(match block.body {
                Body::Constant(number) => BlockEntry::constant(start, number),
                Body::Stored { bytes, checksum } => {
                    self.file
                        .write_all(&bytes)
                        .map_err(TableError::io("write", &self.temporary.path))?;
                    self.data_len += bytes.len() as u64;
                    BlockEntry { start, checksum }
                }
            });
        }
        Ok(())
    }

    /// Writes what goes before and after the blocks of a table of values, makes the file last, and
    /// gives it its name.
    ///
    /// # Errors
    /// When the file cannot be written.
    ///
    /// # Panics
    /// When blocks are missing, or the table is one of grades.
    pub fn finish(self, canonical: Counts, raw: Counts) -> Result<TableEntry, TableError> {
        assert_eq!(self.spec.metric(), Metric::Values, "what the table holds");
        self.finish_with(None, canonical, raw)
    }

    /// [`TableWriter::finish`] for a table of grades, whose canonical positions are those of
    /// `histogram`; `raw` counts every orientation.
    ///
    /// # Errors
    /// When the file cannot be written.
    ///
    /// # Panics
    /// When blocks are missing, the table is one of values, or the histogram counts slots beyond
    /// it.
    pub fn finish_grades(
        self,
        histogram: &Histogram,
        raw: Counts,
    ) -> Result<TableEntry, TableError> {
        assert_eq!(self.spec.metric(), Metric::Grades, "what the table holds");
        let canonical = histogram.counts();
        let slots = [histogram.deepest_win_slot(), histogram.deepest_loss_slot()];
        let sound = canonical.total() <= self.spec.slots
            && slots
                .into_iter()
                .flatten()
                .all(|slot| slot < self.spec.slots);
        assert!(sound, "the histogram counts slots of the table");
        self.finish_with(Some(histogram), canonical, raw)
    }

    fn finish_with(
        self,
        histogram: Option<&Histogram>,
        canonical: Counts,
        raw: Counts,
    ) -> Result<TableEntry, TableError> {
        let Self {
            spec,
            geometry,
            path,
            mut temporary,
            file,
            blocks,
            data_len,
        } = self;
        assert_eq!(blocks.len() as u64, geometry.blocks(), "blocks written");
        let data_offset = data_offset(spec.metric(), geometry.blocks());
        let front = Front {
            header: Header {
                spec,
                canonical,
                raw,
                blocks: geometry.blocks(),
                data_offset,
                data_len,
                file_len: data_offset + data_len + TRAILER_LEN as u64,
            },
            geometry,
            histogram: histogram.cloned().map(Box::new),
            blocks: blocks.into(),
        };
        let write = || -> io::Result<FileHash> {
            let mut file = file.into_inner()?;
            file.rewind()?;
            file.write_all(&front.to_bytes())?;
            file.rewind()?;
            let mut hasher = Sha256::new();
            hash_all(&mut file, &mut hasher)?;
            let trailer = hasher.clone().finalize();
            // Everything has been read, so this is the end.
            file.write_all(&trailer)?;
            hasher.update(trailer);
            disk::put_in_place(&file, &temporary.path, &path)?;
            Ok(FileHash(hasher.finalize().into()))
        };
        let hash = write().map_err(TableError::io("write", &temporary.path))?;
        temporary.kept = true;
        Ok(TableEntry {
            subspace: spec.subspace,
            file: file_name(spec.subspace, spec.metric()),
            bytes: front.header.file_len,
            hash,
            canonical,
            raw,
            deepest: histogram.map(Histogram::deepest),
        })
    }
}

/// Which of the numbers of a table the format has no room for.
fn unrepresentable(path: &Path, spec: &TableSpec) -> TableError {
    let (what, got, allowed) = if spec.slots > MOST_SLOTS {
        (
            "the number of slots",
            spec.slots,
            format!("{MOST_SLOTS} or fewer"),
        )
    } else {
        (
            "the number of slots of a block",
            spec.block_slots.into(),
            format!("{SMALLEST_BLOCK_SLOTS} to {LARGEST_BLOCK_SLOTS}"),
        )
    };
    TableError::Unrepresentable {
        path: path.to_owned(),
        what,
        got,
        allowed,
    }
}

/// Hashes everything up to the end.
fn hash_all(file: &mut File, hasher: &mut Sha256) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => hasher.update(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
