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
use crate::table::{Access, Metric, Table, TableEntry, TableExpectation, grade_of, value_in};

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
    /// Whether to use tables of depths. Without, the database is as one that has none.
    pub depths: bool,
}

impl Default for OpenOptions {
    /// 64 MiB of decoded blocks, files that are read, and depths where there are any.
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
                values: Listed::default(),
                grades: Listed::default(),
            })
            .collect();
        for metric in Metric::ALL {
            for (row, entry) in rows(&manifest, metric).iter().enumerate() {
                let known = tables.binary_search_by_key(&entry.subspace, |known| known.subspace);
                let known = known.map_err(|_| {
                    DatabaseError::damaged_manifest(
                        dir,
                        format!("{} has no subspace {}", rules.name(), entry.subspace),
                    )
                })?;
                let listed = match metric {
                    Metric::Values => &mut tables[known].values,
                    Metric::Grades => &mut tables[known].grades,
                };
                if listed.row.replace(row).is_some() {
                    let what = match metric {
                        Metric::Values => "table",
                        Metric::Grades => "depth table",
                    };
                    let twice = format!("the {what} {} stands twice", entry.subspace);
                    return Err(DatabaseError::damaged_manifest(dir, twice));
                }
            }
        }
        if !self.depths {
            for known in &mut tables {
                known.grades.row = None;
            }
        }
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
            any_depths: tables.iter().any(|known| known.grades.row.is_some()),
            tables,
            cache: BlockCache::new(self.cache_bytes),
        })
    }
}

/// A subspace of the game and its tables.
#[derive(Debug)]
struct Known {
    subspace: Subspace,
    values: Listed,
    grades: Listed,
}

/// A table, where the database has it.
#[derive(Debug, Default)]
struct Listed {
    /// The row of the manifest.
    row: Option<usize>,
    table: OnceLock<Table>,
}

impl Known {
    #[inline]
    fn listed(&self, metric: Metric) -> &Listed {
        match metric {
            Metric::Values => &self.values,
            Metric::Grades => &self.grades,
        }
    }
}

/// The rows of the manifest for tables of this metric.
fn rows(manifest: &Manifest, metric: Metric) -> &[TableEntry] {
    match metric {
        Metric::Values => &manifest.tables,
        Metric::Grades => &manifest.depth_tables,
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
    /// Whether there is a depth table of any of them.
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
        self.listed_subspaces(Metric::Values)
    }

    /// The subspaces the database has tables of depths of, ascending.
    pub fn depth_subspaces(&self) -> impl Iterator<Item = Subspace> + '_ {
        self.listed_subspaces(Metric::Grades)
    }

    fn listed_subspaces(&self, metric: Metric) -> impl Iterator<Item = Subspace> + '_ {
        let tables = self.tables.iter();
        let listed = tables.filter(move |known| known.listed(metric).row.is_some());
        listed.map(|known| known.subspace)
    }

    /// Whether the database has the depths of the positions of a subspace.
    pub fn has_depths(&self, subspace: Subspace) -> bool {
        let known = self.find(subspace).map(|number| &self.tables[number]);
        known.is_some_and(|known| known.grades.row.is_some())
    }

    /// Whether the database has the depths of any positions.
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

    /// The table of depths of a subspace, opened if this is the first time.
    ///
    /// # Errors
    /// As [`Database::table`].
    pub fn depth_table(&self, subspace: Subspace) -> Result<&Table, ProbeError> {
        self.table_of(subspace, Metric::Grades)
    }

    fn table_of(&self, subspace: Subspace, metric: Metric) -> Result<&Table, ProbeError> {
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

    /// Checks the whole table of depths of a subspace as [`Database::check_table`] does the table
    /// of values.
    ///
    /// # Errors
    /// As [`Database::depth_table`], and when the table is damaged or not the manifest's.
    pub fn check_depth_table(&self, subspace: Subspace) -> Result<(), ProbeError> {
        self.check_table_of(subspace, Metric::Grades)
    }

    fn check_table_of(&self, subspace: Subspace, metric: Metric) -> Result<(), ProbeError> {
        let table = self.table_of(subspace, metric)?;
        let known = self
            .find(subspace)
            .and_then(|number| self.tables[number].listed(metric).row);
        let row = known.expect("a table that could be opened is listed");
        Ok(table.check_entry(&rows(&self.manifest, metric)[row])?)
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
        match self.tabled(position) {
            Some(number) => self.tabled_value(number, position),
            None => Ok(self.untabled(position)?.value),
        }
    }

    /// The value of a position for the side to move, with its depth if it is known: of a won or
    /// lost position of a subspace the database has depths of, and of any in which the game is
    /// over.
    ///
    /// # Errors
    /// As [`Database::value`], and when the table of depths is damaged or unreadable. That it is
    /// missing is no error: see [`Database::evaluate_exactly`].
    pub fn evaluate(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let Some(number) = self.tabled(position) else {
            return self.untabled(position);
        };
        if self.tables[number].grades.row.is_some() {
            match self.look_up_grade(number, position) {
                Err(ProbeError::Missing(_)) => {}
                answer => return answer.map(Evaluation::from),
            }
        }
        let value = self.tabled_value(number, position)?;
        Ok(Evaluation {
            value,
            plies: (value == Value::Loss && self.is_blocked(position)).then_some(0),
        })
    }

    /// [`Database::evaluate`] for those who cannot do without the depth.
    ///
    /// # Errors
    /// As [`Database::value`], but it is the table of depths that must be there.
    pub fn evaluate_exactly(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let Some(number) = self.tabled(position) else {
            return self.untabled(position);
        };
        match self.look_up_grade(number, position) {
            Err(ProbeError::Missing(_)) if self.is_blocked(position) => Ok(Grade::OVER.into()),
            answer => answer.map(Evaluation::from),
        }
    }

    /// The evaluation of a position that no table has: the game is over, or it is none of the
    /// game.
    fn untabled(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        self.rules.check(position)?;
        match self.rules.outcome(position) {
            Some(value) => Ok(Evaluation {
                value,
                // An opponent who has lost does so on his next turn, as ends are counted.
                plies: Some(u32::from(value == Value::Win)),
            }),
            // `check` has just found that the position is one of the game.
            None => Err(self.missing(position.subspace(), Metric::Values, Reason::NotInGame)),
        }
    }

    /// The value of a position in the tables that [`Database::tabled`] gave for it.
    #[inline]
    fn tabled_value(&self, number: usize, position: &Position) -> Result<Value, ProbeError> {
        match self.look_up(number, position) {
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
        match self.look_up_grade(number, position) {
            Err(ProbeError::Missing(_)) if self.is_blocked(position) => Ok(Value::Loss),
            Err(ProbeError::Missing(_)) => Err(missing),
            answer => answer.map(Grade::value),
        }
    }

    /// The number of the tables that a position's value is in, if the position is one of the game
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

    /// Whether the side to move has lost for want of a move.
    fn is_blocked(&self, position: &Position) -> bool {
        position.mover_hand() == 0 && self.rules.successors(position).is_empty()
    }

    /// The value of a position in the table of values of the subspace of this number.
    fn look_up(&self, number: usize, position: &Position) -> Result<Value, ProbeError> {
        let (table, slot) = self.locate(number, Metric::Values, position)?;
        let place = table.place(slot)?;
        if let Some(value) = table.constant(place.block) {
            return Ok(value);
        }
        let packed = self.block(number, table, place.block)?;
        Ok(value_in(&packed, place.within))
    }

    /// The grade of a position in the table of depths of the subspace of this number.
    fn look_up_grade(&self, number: usize, position: &Position) -> Result<Grade, ProbeError> {
        let (table, slot) = self.locate(number, Metric::Grades, position)?;
        let place = table.place(slot)?;
        if let Some(grade) = table.constant_grade(place.block) {
            return Ok(grade);
        }
        let codes = self.block(number, table, place.block)?;
        Ok(grade_of(codes[place.within]))
    }

    /// The table a position is in, and its slot.
    #[inline]
    fn locate(
        &self,
        number: usize,
        metric: Metric,
        position: &Position,
    ) -> Result<(&Table, u64), ProbeError> {
        let table = self.open_table(number, metric)?;
        let slot = self.index.slot(
            self.tables[number].subspace,
            position.mover(),
            position.opponent(),
        );
        Ok((table, slot))
    }

    /// A decoded block of a table of the subspace of this number.
    #[inline]
    fn block(&self, number: usize, table: &Table, block: u64) -> Result<Arc<[u8]>, ProbeError> {
        let key = BlockKey::new(number, table.metric(), block);
        let decode = |bytes: &mut Vec<u8>| table.decode_block(block, bytes);
        Ok(self.cache.get_or_insert(key, decode)?)
    }

    fn open_table(&self, number: usize, metric: Metric) -> Result<&Table, ProbeError> {
        let known = &self.tables[number];
        let listed = known.listed(metric);
        if let Some(table) = listed.table.get() {
            return Ok(table);
        }
        let Some(row) = listed.row else {
            return Err(self.missing(known.subspace, metric, Reason::NotListed));
        };
        let entry = &rows(&self.manifest, metric)[row];
        let path = self.dir.join(&entry.file);
        // A link that leads nowhere counts as missing too.
        if matches!(path.try_exists(), Ok(false)) {
            return Err(self.missing(known.subspace, metric, Reason::NotThere));
        }
        let expectation = TableExpectation::new(&self.rules, &self.index, known.subspace, metric);
        let table = Table::open_with(&path, &expectation, self.access)?;
        table.expect_file_len(entry.bytes)?;
        // Threads that come at the same time open it each; one table stays.
        Ok(listed.table.get_or_init(|| table))
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
