//! The manifest: what a database directory holds.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::DatabaseError;
use crate::grade::Grade;
use crate::rules::{Fingerprint, RuleSet, Subspace, Value};
use crate::table::{Counts, Deepest, FileHash, Metric, TableEntry, disk, file_name, parse_hex};

/// The name of the manifest in its directory.
pub const MANIFEST_FILE: &str = "manifest.json";

/// The version of the manifest described in `data/FORMAT.md`.
pub const MANIFEST_VERSION: u32 = 1;

/// What a manifest calls itself.
const FORMAT: &str = "mlynek database";

/// What the values of the tables are: win, loss, draw.
const METRIC: &str = "wld";

/// The most bytes a manifest may have: many times what the largest one has.
const MOST_BYTES: u64 = 16 << 20;

/// What a database directory holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The name of the rules: [`RuleSet::name`].
    pub rules: String,
    /// The fingerprint of the rules.
    pub fingerprint: Fingerprint,
    /// The rules in full: [`RuleSet::definition`].
    pub definition: String,
    /// How many men each player has.
    pub men: usize,
    /// Whether everything asked for has been solved.
    pub complete: bool,
    /// The value of the position in which the game begins, where it has been solved.
    pub start: Option<Value>,
    /// What has been done towards completion, in words of the generator's.
    pub phases: Vec<String>,
    /// The tables of values.
    pub tables: Vec<TableEntry>,
    /// The tables of grades; there need be none.
    pub depth_tables: Vec<TableEntry>,
}

impl Manifest {
    /// The manifest of a database of these rules with nothing in it.
    pub fn new(rules: &RuleSet) -> Self {
        Self {
            rules: rules.name().to_owned(),
            fingerprint: rules.fingerprint(),
            definition: rules.definition(),
            men: rules.men(),
            complete: false,
            start: None,
            phases: Vec::new(),
            tables: Vec::new(),
            depth_tables: Vec::new(),
        }
    }

    /// Reads the manifest in the directory `dir`.
    ///
    /// # Errors
    /// When there is none, it cannot be read, makes no sense, or has an unknown version.
    pub fn read(dir: &Path) -> Result<Self, DatabaseError> {
        let path = dir.join(MANIFEST_FILE);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && dir.is_dir() => {
                return Err(DatabaseError::NoManifest {
                    dir: dir.to_owned(),
                });
            }
            file => file.map_err(DatabaseError::io("open", &path))?,
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(DatabaseError::io("read", &path))?;
        let damaged = |problem: String| DatabaseError::damaged_manifest(dir, problem);
        if bytes.len() as u64 > MOST_BYTES {
            return Err(damaged(format!("expected at most {MOST_BYTES} bytes")));
        }
        // What it is comes first: another version need not have the same fields.
        let identity: Identity =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if identity.format != FORMAT {
            let got = identity.format;
            return Err(damaged(format!("format: expected {FORMAT:?}, got {got:?}")));
        }
        if identity.version != u64::from(MANIFEST_VERSION) {
            return Err(DatabaseError::UnknownVersion {
                path,
                expected: MANIFEST_VERSION,
                got: identity.version,
            });
        }
        serde_json::from_slice::<RawManifest>(&bytes)
            .map_err(|error| error.to_string())
            .and_then(Self::try_from)
            .map_err(damaged)
    }

    /// Writes the manifest into the directory `dir`, so that there is the old one or the new one
    /// whatever happens meanwhile.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_atomic(&self, dir: &Path) -> Result<(), DatabaseError> {
        let path = dir.join(MANIFEST_FILE);
        let temporary = disk::temporary_name(&path);
        let write = || {
            let mut file = File::create(&temporary)?;
            let mut text = serde_json::to_vec_pretty(&RawManifest::from(self))?;
            text.push(b'\n');
            file.write_all(&text)?;
            disk::put_in_place(&file, &temporary, &path)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&temporary);
            DatabaseError::io("write", &path)(error)
        })
    }

    /// The rows of the tables of values, or of those of grades.
    pub fn entries(&self, metric: Metric) -> &[TableEntry] {
        match metric {
            Metric::Values => &self.tables,
            Metric::Grades => &self.depth_tables,
        }
    }

    /// The row of the table of values of a subspace.
    pub fn entry(&self, subspace: Subspace) -> Option<&TableEntry> {
        self.entry_of(subspace, Metric::Values)
    }

    /// The row of the table of grades of a subspace.
    pub fn depth_entry(&self, subspace: Subspace) -> Option<&TableEntry> {
        self.entry_of(subspace, Metric::Grades)
    }

    fn entry_of(&self, subspace: Subspace, metric: Metric) -> Option<&TableEntry> {
        let mut entries = self.entries(metric).iter();
        entries.find(|entry| entry.subspace == subspace)
    }

    /// The rules the manifest, read from the directory `dir`, names.
    ///
    /// # Errors
    /// When there are no rules of that name, or they are not those of the database.
    pub fn rule_set(&self, dir: &Path) -> Result<RuleSet, DatabaseError> {
        let path = || dir.join(MANIFEST_FILE);
        let base = self.rules.split('/').next().unwrap_or_default();
        let named = RuleSet::by_name(base)
            .and_then(|rules| rules.with_men(self.men).ok())
            .filter(|rules| rules.name() == self.rules);
        let rules = named.ok_or_else(|| DatabaseError::UnknownRules {
            path: path(),
            name: format!("{} with {} men", self.rules, self.men),
            known: RuleSet::names().collect::<Vec<_>>().join(", "),
        })?;
        if rules.fingerprint() == self.fingerprint {
            if rules.definition() != self.definition {
                let problem = "the definition is not that of the rules".to_owned();
                return Err(DatabaseError::damaged_manifest(dir, problem));
            }
            Ok(rules)
        } else {
            Err(DatabaseError::WrongRules {
                path: path(),
                name: self.rules.clone(),
                expected: rules.fingerprint(),
                got: self.fingerprint,
            })
        }
    }
}

/// What kind of file it is.
#[derive(Deserialize)]
struct Identity {
    format: String,
    version: u64,
}

/// A manifest as it stands in the file. Fields it does not name are ignored.
#[derive(Serialize, Deserialize)]
struct RawManifest {
    format: String,
    version: u32,
    rules: String,
    fingerprint: String,
    definition: String,
    men: usize,
    metric: String,
    complete: bool,
    start: Option<Value>,
    phases: Vec<String>,
    tables: Vec<RawEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    depth_tables: Vec<RawDepthEntry>,
}

/// A row of a manifest as it stands in the file.
#[derive(Serialize, Deserialize)]
struct RawEntry {
    subspace: String,
    file: String,
    bytes: u64,
    sha256: String,
    wins: u64,
    losses: u64,
    draws: u64,
    raw_wins: u64,
    raw_losses: u64,
    raw_draws: u64,
}

/// A row of a table of grades. Depths are in plies, and none where there is no such position.
#[derive(Serialize, Deserialize)]
struct RawDepthEntry {
    #[serde(flatten)]
    entry: RawEntry,
    deepest_win: Option<u32>,
    deepest_loss: Option<u32>,
}

impl From<&Manifest> for RawManifest {
    fn from(manifest: &Manifest) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: MANIFEST_VERSION,
            rules: manifest.rules.clone(),
            fingerprint: manifest.fingerprint.to_string(),
            definition: manifest.definition.clone(),
            men: manifest.men,
            metric: METRIC.to_owned(),
            complete: manifest.complete,
            start: manifest.start,
            phases: manifest.phases.clone(),
            tables: manifest.tables.iter().map(RawEntry::from).collect(),
            depth_tables: manifest
                .depth_tables
                .iter()
                .map(RawDepthEntry::from)
                .collect(),
        }
    }
}

impl From<&TableEntry> for RawEntry {
    fn from(entry: &TableEntry) -> Self {
        let TableEntry {
            subspace,
            ref file,
            bytes,
            hash,
            canonical,
            raw,
            deepest: _,
        } = *entry;
        Self {
            subspace: subspace.to_string(),
            file: file.clone(),
            bytes,
            sha256: hash.to_string(),
            wins: canonical.wins,
            losses: canonical.losses,
            draws: canonical.draws,
            raw_wins: raw.wins,
            raw_losses: raw.losses,
            raw_draws: raw.draws,
        }
    }
}

impl TryFrom<RawManifest> for Manifest {
    type Error = String;

    fn try_from(raw: RawManifest) -> Result<Self, String> {
        if raw.metric != METRIC {
            return Err(format!("metric: expected {METRIC:?}, got {:?}", raw.metric));
        }
        let fingerprint = parse_hex(&raw.fingerprint).map(Fingerprint);
        Ok(Self {
            rules: raw.rules,
            fingerprint: fingerprint.ok_or_else(|| no_hash("fingerprint", 32, &raw.fingerprint))?,
            definition: raw.definition,
            men: raw.men,
            complete: raw.complete,
            start: raw.start,
            phases: raw.phases,
            tables: raw
                .tables
                .into_iter()
                .map(|raw| raw.into_entry(None))
                .collect::<Result<_, _>>()?,
            depth_tables: raw
                .depth_tables
                .into_iter()
                .map(TableEntry::try_from)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<&TableEntry> for RawDepthEntry {
    fn from(entry: &TableEntry) -> Self {
        let Deepest { win, loss } = entry.deepest.unwrap_or_default();
        Self {
            entry: entry.into(),
            deepest_win: win,
            deepest_loss: loss,
        }
    }
}

impl TryFrom<RawDepthEntry> for TableEntry {
    type Error = String;

    fn try_from(raw: RawDepthEntry) -> Result<Self, String> {
        let deepest = Deepest {
            win: raw.deepest_win,
            loss: raw.deepest_loss,
        };
        let known = |plies: Option<u32>, grade: fn(u32) -> Option<Grade>| {
            plies.is_none_or(|plies| grade(plies).is_some())
        };
        if !known(deepest.win, Grade::win) || !known(deepest.loss, Grade::loss) {
            let subspace = raw.entry.subspace;
            return Err(format!("{subspace}: impossible depths"));
        }
        raw.entry.into_entry(Some(deepest))
    }
}

impl RawEntry {
    /// The row as it is meant, with these depths in the case of a table of grades.
    fn into_entry(self, deepest: Option<Deepest>) -> Result<TableEntry, String> {
        let raw = self;
        let metric = match deepest {
            None => Metric::Values,
            Some(_) => Metric::Grades,
        };
        let subspace: Subspace = raw
            .subspace
            .parse()
            .map_err(|error| format!("tables: {error}"))?;
        // A name from outside is not a path to follow.
        let file = file_name(subspace, metric);
        if raw.file != file {
            let got = raw.file;
            return Err(format!(
                "file of {subspace}: expected {file:?}, got {got:?}"
            ));
        }
        let canonical = Counts {
            wins: raw.wins,
            losses: raw.losses,
            draws: raw.draws,
        };
        let raw_counts = Counts {
            wins: raw.raw_wins,
            losses: raw.raw_losses,
            draws: raw.raw_draws,
        };
        // So that whatever adds up a few thousand rows stays within 64 bits.
        let possible = |number: u64| number < 1 << 48;
        let totals = [canonical, raw_counts].map(Counts::checked_total);
        if !possible(raw.bytes) || !totals.iter().all(|total| total.is_some_and(possible)) {
            return Err(format!("{subspace}: impossible numbers"));
        }
        let hash = parse_hex(&raw.sha256).map(FileHash);
        Ok(TableEntry {
            subspace,
            file,
            bytes: raw.bytes,
            hash: hash.ok_or_else(|| no_hash("sha256", 64, &raw.sha256))?,
            canonical,
            raw: raw_counts,
            deepest,
        })
    }
}

fn no_hash(field: &str, digits: usize, got: &str) -> String {
    format!("{field}: expected {digits} hexadecimal digits, got {got:?}")
}
