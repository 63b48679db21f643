//! A directory of tables of one rule set: open it, ask it.
//!
//! ```no_run
//! use mlynek::database::Database;
//!
//! let database = Database::open("db/standard")?;
//! let start = database.rules().start();
//! let probe = database.probe(&start)?;
//! println!("the start is a {}", probe.value);
//! for ranked in &probe.moves {
//!     println!("{:?}: {}", ranked.played, ranked.evaluation());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Beside its tables of values a database may have tables of depths, of all subspaces or of some.
//! Then wins and losses come with the number of plies to the end of the game, and moves are ranked
//! by it; see [`Evaluation`].
//!
//! Opening reads the manifest alone; a table is opened when it is first needed. One database
//! serves any number of threads, who share its tables and its cache of decoded blocks.

mod cache;
mod error;
mod evaluation;
mod line;
mod manifest;
mod probe;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::grade::Grade;
use crate::index::Index;
use crate::rules::{Position, RuleSet, Subspace, Value};
use crate::table::{Access, Metric, Place, Table, TableExpectation, grade_of, value_in};

pub use error::{DatabaseError, MissingTable, ProbeError, Reason};
pub use evaluation::Evaluation;
pub use line::{Line, LineEnd};
pub use manifest::{MANIFEST_FILE, MANIFEST_VERSION, Manifest};
pub use probe::{Probe, RankedMove};

use cache::{BlockCache, BlockKey};

/// How a database is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOptions {
    /// The most bytes that decoded blocks may take in memory, beside the tables' block indices
    /// (eight bytes a block of the tables in use). 0 decodes a block for every value.
    pub cache_bytes: usize,
    /// Whether to map files into memory rather than read them: see [`Access::Mapped`].
    pub mapped: bool,
    /// Whether to use tables of depths, where there are any. Without, positions are answered as by
    /// a database that has none.
    pub depths: bool,
}

impl Default for OpenOptions {
    /// 64 MiB of decoded blocks, and files that are read.
    fn default() -> Self {
        Self {
            cache_bytes: 64 << 20,
            mapped: false,
            depths: true,
        }
    }
}

impl OpenOptions {
    /// Opens the database in the directory `dir`.
    ///
    /// # Errors
    /// When there is none, its manifest cannot be read or makes no sense, or it is of rules this
    /// program does not know.
    pub fn open(self, dir: impl AsRef<Path>) -> Result<Database, DatabaseError> {
        let dir = dir.as_ref();
        let manifest = Manifest::read(dir)?;
        let rules = manifest.rule_set(dir)?;
        let mut occurring = rules.moving_subspaces();
        occurring.extend(rules.placing_subspaces());
        occurring.sort_unstable();
        let mut tables: Vec<_> = occurring
            .into_iter()
            .map(|subspace| Known {
                subspace,
                files: Default::default(),
            })
            .collect();
        for metric in Metric::ALL {
            for (row, entry) in manifest.entries(metric).iter().enumerate() {
                let known = tables.binary_search_by_key(&entry.subspace, |known| known.subspace);
                let known = known.map_err(|_| {
                    DatabaseError::damaged_manifest(
                        dir,
                        format!("{} has no subspace {}", rules.name(), entry.subspace),
                    )
                })?;
                let file = &mut tables[known].files[metric as usize];
                if file.row.replace(row).is_some() {
                    let twice = format!("the table {} stands twice", entry.file);
                    return Err(DatabaseError::damaged_manifest(dir, twice));
                }
            }
        }
        let any_depths = self.depths && !manifest.depth_tables.is_empty();
        Ok(Database {
            dir: dir.to_owned(),
            index: Index::new(rules.board()),
            rules,
            manifest,
            access: if self.mapped {
                Access::Mapped
            } else {
                Access::Read
            },
            any_depths,
            tables,
            depths: self.depths,
            cache: BlockCache::new(self.cache_bytes),
        })
    }
}

/// A subspace of the game and its tables.
#[derive(Debug)]
struct Known {
    subspace: Subspace,
    /// By metric.
    files: [KnownFile; Metric::ALL.len()],
}

#[derive(Debug, Default)]
struct KnownFile {
    /// The row of the manifest, where the database has the table.
    row: Option<usize>,
    table: OnceLock<Table>,
}

impl Known {
    fn file(&self, metric: Metric) -> &KnownFile {
        &self.files[metric as usize]
    }
}

/// An open database.
#[derive(Debug)]
pub struct Database {
    dir: PathBuf,
    rules: RuleSet,
    index: Index,
    manifest: Manifest,
    access: Access,
    /// Every subspace of the game, ascending.
    tables: Vec<Known>,
    /// Whether tables of depths are used.
    depths: bool,
    /// Whether there are any to be used.
    any_depths: bool,
    cache: BlockCache,
}

/// Shared by threads: a promise to users.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Database>();
};

impl Database {
    /// Opens the database in the directory `dir` with the default [`OpenOptions`].
    ///
    /// # Errors
    /// As [`OpenOptions::open`].
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, DatabaseError> {
        OpenOptions::default().open(dir)
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// What the directory's manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The subspaces the database has tables of values of, ascending.
    pub fn subspaces(&self) -> impl Iterator<Item = Subspace> + '_ {
        let mut tables = self.tables.iter();
        std::iter::from_fn(move || tables.find(|known| known.file(Metric::Values).row.is_some()))
            .map(|known| known.subspace)
    }

    /// Whether the database has depths of a subspace, and uses them.
    pub fn has_depths(&self, subspace: Subspace) -> bool {
        self.find(subspace)
            .is_some_and(|number| self.lists_depths(number))
    }

    #[inline]
    fn lists_depths(&self, number: usize) -> bool {
        self.depths && self.tables[number].file(Metric::Grades).row.is_some()
    }

    /// The subspaces the database has depths of, and uses them, ascending.
    pub fn depth_subspaces(&self) -> impl Iterator<Item = Subspace> + '_ {
        let subspaces = self.tables.iter().map(|known| known.subspace);
        subspaces.filter(|&subspace| self.has_depths(subspace))
    }

    /// Whether the database has depths of any subspace, and uses them.
    #[inline]
    pub fn has_any_depths(&self) -> bool {
        self.any_depths
    }

    /// The table of values of a subspace, opened if this is the first time.
    ///
    /// # Errors
    /// When the database has no such table, or it cannot be opened.
    pub fn table(&self, subspace: Subspace) -> Result<&Table, ProbeError> {
        self.table_of(subspace, Metric::Values)
    }

    /// The table of values, or of grades, of a subspace, opened if this is the first time.
    ///
    /// # Errors
    /// When the database has no such table, or it cannot be opened.
    pub fn table_of(&self, subspace: Subspace, metric: Metric) -> Result<&Table, ProbeError> {
        match self.find(subspace) {
            Some(number) => self.open_table(number, metric),
            None => Err(self.missing(subspace, metric, Reason::NotInGame)),
        }
    }

    /// Checks the whole table of values of a subspace: [`Table::check`], and that it is the file
    /// the manifest speaks of.
    ///
    /// # Errors
    /// As [`Database::table`], and when the table is damaged or not the manifest's.
    pub fn check_table(&self, subspace: Subspace) -> Result<(), ProbeError> {
        self.check_table_of(subspace, Metric::Values)
    }

    /// [`Database::check_table`] for the table of values, or of grades.
    ///
    /// # Errors
    /// As [`Database::check_table`].
    pub fn check_table_of(&self, subspace: Subspace, metric: Metric) -> Result<(), ProbeError> {
        let table = self.table_of(subspace, metric)?;
        let known = self
            .find(subspace)
            .and_then(|number| self.tables[number].file(metric).row);
        let row = known.expect("a table that could be opened is listed");
        Ok(table.check_entry(&self.manifest.entries(metric)[row])?)
    }

    /// How many bytes the cache of decoded blocks takes.
    pub fn cached_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// The value of a position for the side to move. It comes from the table of values; the table
    /// of depths is asked where that is the only one.
    ///
    /// # Errors
    /// When the position is none of the game, or its table is missing, damaged or unreadable.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        let number = match self.tabled(position) {
            Some(number) => number,
            None => return self.outcome(position),
        };
        match self.value_at(number, position) {
            Err(error @ ProbeError::Missing(_)) => self.value_elsewhere(error, number, position),
            answer => answer,
        }
    }

    /// The value of a position whose table of values is missing.
    #[cold]
    fn value_elsewhere(
        &self,
        missing: ProbeError,
        number: usize,
        position: &Position,
    ) -> Result<Value, ProbeError> {
        if self.lists_depths(number) {
            match self.grade_at(number, position) {
                Err(ProbeError::Missing(_)) => {}
                answer => return answer.map(Grade::value),
            }
        }
        if self.rules.is_blocked(position) {
            return Ok(Value::Loss);
        }
        Err(missing)
    }

    /// The value of a position for the side to move, and in how many plies the game ends, if the
    /// database has depths of its subspace or the game is over.
    ///
    /// # Errors
    /// As [`Database::value`], and when the table of depths is damaged or unreadable. That it is
    /// missing is no error: see [`Database::evaluate_exactly`].
    pub fn evaluate(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let number = match self.tabled(position) {
            Some(number) => number,
            None => return self.evaluate_outcome(position),
        };
        if self.lists_depths(number) {
            match self.grade_at(number, position) {
                Err(ProbeError::Missing(_)) => {}
                answer => return answer.map(Evaluation::from),
            }
        }
        match self.value_at(number, position) {
            Err(ProbeError::Missing(_)) if self.rules.is_blocked(position) => {
                Ok(Grade::OVER.into())
            }
            Ok(Value::Loss) if self.rules.is_blocked(position) => Ok(Grade::OVER.into()),
            answer => answer.map(Evaluation::from),
        }
    }

    /// [`Database::evaluate`] for those who cannot do without the depth.
    ///
    /// # Errors
    /// As [`Database::evaluate`], but it is the table of depths that must be there.
    pub fn evaluate_exactly(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let number = match self.tabled(position) {
            Some(number) if self.depths => number,
            Some(number) => {
                let subspace = self.tables[number].subspace;
                return Err(self.missing(subspace, Metric::Grades, Reason::NotListed));
            }
            None => return self.evaluate_outcome(position),
        };
        match self.grade_at(number, position) {
            Err(ProbeError::Missing(_)) if self.rules.is_blocked(position) => {
                Ok(Grade::OVER.into())
            }
            answer => answer.map(Evaluation::from),
        }
    }

    /// The value of a position that has no table.
    #[cold]
    fn outcome(&self, position: &Position) -> Result<Value, ProbeError> {
        self.rules.check(position)?;
        // `check` has found that the position is one of the game.
        self.rules
            .outcome(position)
            .ok_or_else(|| self.missing(position.subspace(), Metric::Values, Reason::NotInGame))
    }

    #[cold]
    fn evaluate_outcome(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let value = self.outcome(position)?;
        Ok(Grade::of_outcome(value).into())
    }

    /// The number of the table that a position's value is in, if the position is one of the game
    /// and the game is not over for want of men.
    #[inline]
    fn tabled(&self, position: &Position) -> Option<usize> {
        let men = position.white | position.black;
        let sound =
            !position.white.meets(position.black) && self.rules.board().points().includes(men);
        // Subspaces of the game have no more men than the game gives, nor fewer than it goes on
        // with.
        sound.then(|| self.find(position.subspace()))?
    }

    /// The number of a subspace of the game.
    #[inline]
    fn find(&self, subspace: Subspace) -> Option<usize> {
        self.tables
            .binary_search_by_key(&subspace, |known| known.subspace)
            .ok()
    }

    /// The value of a position in the subspace that [`Database::tabled`] gave for it.
    fn value_at(&self, number: usize, position: &Position) -> Result<Value, ProbeError> {
        let (table, place) = self.place(number, Metric::Values, position)?;
        if let Some(value) = table.constant(place.block) {
            return Ok(value);
        }
        let packed = self.block(number, table, place.block)?;
        Ok(value_in(&packed, place.within))
    }

    /// The grade of a position in the subspace that [`Database::tabled`] gave for it.
    fn grade_at(&self, number: usize, position: &Position) -> Result<Grade, ProbeError> {
        let (table, place) = self.place(number, Metric::Grades, position)?;
        if let Some(grade) = table.constant_grade(place.block) {
            return Ok(grade);
        }
        let codes = self.block(number, table, place.block)?;
        Ok(grade_of(codes[place.within]))
    }

    fn place(
        &self,
        number: usize,
        metric: Metric,
        position: &Position,
    ) -> Result<(&Table, Place), ProbeError> {
        let table = self.open_table(number, metric)?;
        let slot = self.index.slot(
            self.tables[number].subspace,
            position.mover(),
            position.opponent(),
        );
        Ok((table, table.place(slot)?))
    }

    /// A decoded block of a table of the subspace `number`.
    fn block(&self, number: usize, table: &Table, block: u64) -> Result<Arc<[u8]>, ProbeError> {
        let key = BlockKey::new(number * Metric::ALL.len() + table.metric() as usize, block);
        let decoded = self
            .cache
            .get_or_insert(key, |bytes| table.decode_block(block, bytes))?;
        Ok(decoded)
    }

    fn open_table(&self, number: usize, metric: Metric) -> Result<&Table, ProbeError> {
        let known = &self.tables[number];
        let file = known.file(metric);
        if let Some(table) = file.table.get() {
            return Ok(table);
        }
        let Some(row) = file.row else {
            return Err(self.missing(known.subspace, metric, Reason::NotListed));
        };
        let entry = &self.manifest.entries(metric)[row];
        let path = self.dir.join(&entry.file);
        // A link that leads nowhere counts as missing too.
        if matches!(path.try_exists(), Ok(false)) {
            return Err(self.missing(known.subspace, metric, Reason::NotThere));
        }
        let expectation = TableExpectation::new(&self.rules, &self.index, known.subspace, metric);
        let table = Table::open_with(&path, &expectation, self.access)?;
        table.expect_file_len(entry.bytes)?;
        // Threads that come at the same time open it each; one table stays.
        Ok(file.table.get_or_init(|| table))
    }

    fn missing(&self, subspace: Subspace, metric: Metric, reason: Reason) -> ProbeError {
        ProbeError::Missing(Box::new(MissingTable {
            subspace,
            metric,
            dir: self.dir.clone(),
            reason,
            rules: self.rules.name().to_owned(),
            needed_for: None,
        }))
    }
}
