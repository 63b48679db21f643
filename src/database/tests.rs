//! Databases of made-up tables.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::board::PointSet;
use crate::grade::Grade;
use crate::notation::{read_position, write_move};
use crate::rules::Colour;
use crate::table::testing::{index, mixed, standard, subspace, write, write_grades};
use crate::table::{DEFAULT_BLOCK_SLOTS, TableError};

/// The value of a slot of a made-up table; a twin slot has another one than its home.
fn made_up(subspace: Subspace, slot: u64) -> Value {
    let salt = subspace
        .to_string()
        .bytes()
        .fold(0, |sum, byte| 31 * sum + u64::from(byte));
    let (first, _) = Index::row_and_rank_men(subspace);
    let row = slot / index().slots_per_row(subspace);
    let home = if index().rows(first).stabiliser_order(row as usize) == 1 {
        slot
    } else {
        let (mover, opponent) = index().position(subspace, slot);
        index().slot(subspace, mover, opponent)
    };
    let value = Value::ALL[(mixed(home ^ salt << 40) % 3) as usize];
    match value {
        value if home == slot => value,
        Value::Win => Value::Loss,
        _ => Value::Win,
    }
}

/// Writes a database of made-up tables.
fn make(dir: &Path, rules: &RuleSet, subspaces: &[&str], block_slots: u32) {
    let mut manifest = Manifest::new(rules);
    for name in subspaces {
        let subspace = subspace(name);
        let value = |slot| made_up(subspace, slot);
        manifest
            .tables
            .push(write(dir, rules, subspace, block_slots, value));
    }
    manifest.write_atomic(dir).unwrap();
}

/// A database that reaches from the start to the third ply, and of a few men.
const NAMES: [&str; 7] = [
    "3-3", "4-3", "3-4", "0-0+9-9", "0-1+9-8", "1-1+8-8", "1-2+8-7",
];

struct Made {
    dir: TempDir,
}

impl Made {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), &standard(), &NAMES, 4096);
        Self { dir }
    }

    fn open(&self) -> Database {
        Database::open(self.dir.path()).unwrap()
    }

    fn options() -> [OpenOptions; 4] {
        let options = OpenOptions::default();
        [
            options,
            OpenOptions {
                mapped: true,
                ..options
            },
            OpenOptions {
                cache_bytes: 0,
                ..options
            },
            OpenOptions {
                cache_bytes: 5000,
                mapped: true,
                ..options
            },
        ]
    }
}

fn position(text: &str) -> Position {
    read_position(standard().board(), text).unwrap()
}

/// What the made-up tables say of a position.
fn expected(position: &Position) -> Value {
    standard().outcome(position).unwrap_or_else(|| {
        let (subspace, index) = (position.subspace(), index());
        made_up(
            subspace,
            index.slot(subspace, position.mover(), position.opponent()),
        )
    })
}

/// A position with `white` and `black` men, in any orientation.
fn any_position(white: usize, black: usize, number: u64) -> Position {
    let mut points: Vec<_> = standard().board().points().iter().collect();
    for k in 0..white + black {
        let left = (points.len() - k) as u64;
        points.swap(k, k + (mixed(number << 5 | k as u64) % left) as usize);
    }
    let set = |points: &[_]| points.iter().copied().collect::<PointSet>();
    Position {
        white: set(&points[..white]),
        black: set(&points[white..white + black]),
        white_hand: 0,
        black_hand: 0,
        side: if number.is_multiple_of(2) {
            Colour::White
        } else {
            Colour::Black
        },
    }
}

#[test]
fn values_are_those_of_the_tables_however_they_are_read() {
    let made = Made::new();
    for options in Made::options() {
        let database = options.open(made.dir.path()).unwrap();
        for number in 0..3000 {
            let (white, black) = [(3, 3), (3, 4), (4, 3)][(number % 3) as usize];
            let position = any_position(white, black, number);
            let value = database.value(&position).unwrap();
            assert_eq!(value, expected(&position), "{options:?} {position:?}");
            assert!(database.cached_bytes() <= options.cache_bytes);
        }
        for text in ["-/- w 9 9", "d6/- b 8 9", "d6/a1 w 8 8", "d6g4/a1 b 7 8"] {
            let position = position(text);
            assert_eq!(database.value(&position).unwrap(), expected(&position));
        }
    }
}

#[test]
fn probes_rank_every_move() {
    let made = Made::new();
    let database = made.open();
    let rules = standard();
    let mut seen = 0;
    for text in [
        "-/- w 9 9",
        "d6/- b 8 9",
        "d6/a1 w 8 8",
        "a1d1g7/b2b4b6 w",
        "a1d1g7/b2b4d6 b",
        "a1d1g7d3/b2b4d6 w",
        "a1d1g7d3/b2b4d6 b",
    ] {
        let position = position(text);
        let probe = database.probe(&position).unwrap();
        assert_eq!(probe.value, expected(&position), "{text}");
        let next: HashMap<_, _> = rules.successors(&position).into_iter().collect();
        assert_eq!(probe.moves.len(), next.len(), "{text}");
        for ranked in &probe.moves {
            assert_eq!(ranked.value, -expected(&next[&ranked.played]), "{text}");
        }
        let name = |ranked: &RankedMove| write_move(rules.board(), ranked.played);
        for pair in probe.moves.windows(2) {
            let ordered = pair[0].value > pair[1].value
                || pair[0].value == pair[1].value && name(&pair[0]) < name(&pair[1]);
            assert!(ordered, "{text}: {} {}", name(&pair[0]), name(&pair[1]));
        }
        let best = database.best_move(&position).unwrap();
        assert_eq!(best, probe.moves.first().copied());
        seen += probe.moves.len();
    }
    assert!(seen > 100);
}

#[test]
fn finished_games_need_no_table() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), &standard(), &[], 64);
    let database = Database::open(dir.path()).unwrap();
    for (text, value) in [
        ("a1d1/b2b4b6d2 w", Value::Loss),
        ("a1d1/b2b4b6d2 b", Value::Win),
        ("a1d1a4/b2b4 w", Value::Win),
        // Every way out of the corner is barred.
        ("a1a4a7d1/b4d2d7g1 w", Value::Loss),
        ("b4d2d7g1/a1a4a7d1 b", Value::Loss),
    ] {
        let probe = database.probe(&position(text)).unwrap();
        assert_eq!((probe.value, probe.moves.len()), (value, 0), "{text}");
        assert_eq!(database.best_move(&position(text)).unwrap(), None);
    }
    // With one way open, the game goes on.
    let error = database
        .value(&position("a1a4a7d1/b2b4d2d7 w"))
        .unwrap_err();
    assert!(matches!(error, ProbeError::Missing(_)), "{error}");
}

#[test]
fn positions_of_no_game_are_refused() {
    let made = Made::new();
    let database = made.open();
    let start = position("-/- w 9 9");
    let with = |change: fn(&mut Position)| {
        let mut position = start;
        change(&mut position);
        position
    };
    for (position, text) in [
        (position("a1d1g7/a1b4b6 w"), "both players have a man on a1"),
        (position("a1/b2b4b6 w"), "has 1 men on the board"),
        (position("a1/b2 w 8 7"), "cannot come about"),
        (position("-/- w 8 8"), "cannot come about"),
        (position("-/- b 9 9"), ""),
        (
            with(|p| p.white_hand = 255),
            "has 0 men on the board and 255",
        ),
        (with(|p| p.white = PointSet::from_bits(1 << 24)), "point 24"),
        (
            with(|p| p.white = PointSet::from_bits(u32::MAX)),
            "a man stands on point",
        ),
    ] {
        match database.value(&position) {
            Err(ProbeError::Illegal(error)) => {
                assert!(error.to_string().contains(text), "{error}");
            }
            // With as many men placed on both sides, either may have begun.
            answer => assert!(text.is_empty(), "{position:?}: {answer:?}"),
        }
        assert_eq!(database.probe(&position).is_ok(), text.is_empty());
    }
}

#[test]
fn missing_tables_say_which_where_and_why() {
    let made = Made::new();
    let dir = made.dir.path().display().to_string();
    let texts = |database: &Database, text: &str| match database.probe(&position(text)) {
        Err(ProbeError::Missing(missing)) => (missing.reason, missing.to_string()),
        other => panic!("{text}: {other:?}"),
    };
    let database = made.open();
    // The position itself.
    let (reason, text) = texts(&database, "a1d1g7d3/b2b4d6f4 w");
    assert_eq!(reason, Reason::NotListed);
    for part in [
        "missing table 4-4.mly",
        "--rules standard",
        "--subspace 4-4",
        &dir,
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("leads there"), "{text}");
    // A move from it.
    let (_, text) = texts(&database, "d6g4/a1 b 7 8");
    for part in [
        "missing table 2-2+7-7.mly",
        "the move b2 leads there from d6g4/a1 b 7 8",
        "`mlynek solve --rules standard --out",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("--subspace"), "{text}");
    // A file that was there once.
    fs::remove_file(made.dir.path().join("3-4.mly")).unwrap();
    let database = made.open();
    let (reason, text) = texts(&database, "a1d1g7d3/b2b4d6 w");
    assert_eq!(reason, Reason::NotThere);
    for part in [
        "missing table 3-4.mly",
        "the file is gone",
        "leads there from a1d1d3g7/b2b4d6 w",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let error = database.table(subspace("3-10")).unwrap_err().to_string();
    assert!(error.contains("standard has no subspace 3-10"), "{error}");
}

#[test]
fn tables_are_opened_when_needed_and_damage_is_an_error() {
    let made = Made::new();
    fs::write(made.dir.path().join("3-3.mly"), "nothing").unwrap();
    let database = made.open();
    let names: Vec<_> = database.subspaces().map(|s| s.to_string()).collect();
    assert_eq!(names.len(), NAMES.len());
    assert!(names.is_sorted() && NAMES.iter().all(|name| names.contains(&(*name).to_owned())));
    database.check_table(subspace("4-3")).unwrap();
    assert_eq!(
        database.table(subspace("4-3")).unwrap().header().blocks,
        211
    );
    let error = database.value(&position("a1d1g7/b2b4b6 w")).unwrap_err();
    let damaged = matches!(error, ProbeError::Table(TableError::NotATable { .. }));
    assert!(damaged, "{error}");
    assert!(database.check_table(subspace("3-3")).is_err());
}

/// A table of the same subspace and rules, but not the one the manifest was written for.
#[test]
fn exchanged_tables_are_found() {
    let made = Made::new();
    let other = write(made.dir.path(), &standard(), subspace("3-3"), 64, |_| {
        Value::Draw
    });
    let database = made.open();
    let error = database.value(&position("a1d1g7/b2b4b6 w")).unwrap_err();
    assert!(
        error.to_string().contains("as recorded in the manifest"),
        "{error}"
    );
    let mut manifest = database.manifest().clone();
    manifest.tables[0].bytes = other.bytes;
    manifest.write_atomic(made.dir.path()).unwrap();
    let database = made.open();
    database.value(&position("a1d1g7/b2b4b6 w")).unwrap();
    let error = database.check_table(subspace("3-3")).unwrap_err();
    assert!(error.to_string().contains("counts of positions"), "{error}");
}

#[test]
fn tables_of_other_rules_are_refused() {
    let made = Made::new();
    let other = tempfile::tempdir().unwrap();
    make(
        other.path(),
        &RuleSet::by_name("no-flying").unwrap(),
        &["3-3"],
        64,
    );
    fs::copy(
        other.path().join("3-3.mly"),
        made.dir.path().join("3-3.mly"),
    )
    .unwrap();
    let error = made.open().value(&position("a1d1g7/b2b4b6 w")).unwrap_err();
    assert!(
        matches!(error, ProbeError::Table(TableError::WrongRules { .. })),
        "{error}"
    );
}

#[test]
fn games_of_fewer_men_have_databases_of_their_own() {
    let rules = standard().with_men(4).unwrap();
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), &rules, &["0-0+4-4", "0-1+4-3"], 64);
    let database = Database::open(dir.path()).unwrap();
    assert_eq!(database.rules().name(), "standard/4");
    database.probe(&position("-/- w 4 4")).unwrap();
    assert!(database.value(&position("-/- w 9 9")).is_err());
    let error = database
        .probe(&position("a1/- b 3 4"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("--rules standard") && error.contains("--men 4"),
        "{error}"
    );
}

#[test]
fn threads_share_a_database() {
    let made = Made::new();
    for options in Made::options() {
        let database = &options.open(made.dir.path()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..6u64 {
                scope.spawn(move || {
                    for number in 0..1500 {
                        let number = thread << 20 | number;
                        let (white, black) = [(3, 3), (3, 4), (4, 3)][(number % 3) as usize];
                        let position = any_position(white, black, number);
                        assert_eq!(database.value(&position).unwrap(), expected(&position));
                        assert!(database.cached_bytes() <= options.cache_bytes);
                    }
                });
            }
        });
    }
}

#[test]
fn the_default_block_size_is_fit_for_tables() {
    let dir = tempfile::tempdir().unwrap();
    make(dir.path(), &standard(), &["3-3"], DEFAULT_BLOCK_SLOTS);
    let database = Database::open(dir.path()).unwrap();
    for number in 0..100 {
        let position = any_position(3, 3, number);
        assert_eq!(database.value(&position).unwrap(), expected(&position));
    }
}

#[test]
fn manifests_are_read_as_they_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::new(&standard());
    manifest.write_atomic(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
    manifest.complete = true;
    manifest.start = Some(Value::Draw);
    manifest.phases = vec!["moving 3".to_owned(), "placing \"17\"".to_owned()];
    manifest.tables = vec![write(dir.path(), &standard(), subspace("3-3"), 64, |_| {
        Value::Win
    })];
    manifest.write_atomic(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
    assert_eq!(manifest.entry(subspace("3-3")), manifest.tables.first());
    assert_eq!(manifest.entry(subspace("3-4")), None);
    // Nothing is left of the writing.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    let text = fs::read_to_string(dir.path().join(MANIFEST_FILE)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let object = json.as_object().unwrap();
    for (field, value) in [
        ("format", json!("mlynek database")),
        ("version", json!(1)),
        ("rules", json!("standard")),
        ("fingerprint", json!(standard().fingerprint().to_string())),
        ("definition", json!(standard().definition())),
        ("men", json!(9)),
        ("metric", json!("wld")),
        ("complete", json!(true)),
        ("start", json!("draw")),
    ] {
        assert_eq!(object[field], value, "{field}");
    }
    let row = &object["tables"][0];
    assert_eq!(row["subspace"], "3-3");
    assert_eq!(row["file"], "3-3.mly");
    assert_eq!((&row["wins"], &row["losses"]), (&json!(210_140), &json!(0)));
}

/// Tables of grades have rows of their own; without any, a manifest is as it always was.
#[test]
fn manifests_list_tables_of_grades() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(MANIFEST_FILE);
    let mut manifest = Manifest::new(&standard());
    manifest.write_atomic(dir.path()).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("depth"));
    let write = |name: &str, grade: fn(u64) -> Grade| {
        write_grades(dir.path(), &standard(), subspace(name), 64, grade)
    };
    manifest.depth_tables = vec![
        write("3-3", |slot| match slot {
            0 => Grade::win(35).unwrap(),
            1 => Grade::loss(12).unwrap(),
            _ => Grade::win(1).unwrap(),
        }),
        write("1-1+8-8", |_| Grade::DRAW),
    ];
    manifest.write_atomic(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
    let entry = manifest.depth_entry(subspace("3-3"));
    assert_eq!(entry, manifest.depth_tables.first());
    assert_eq!(manifest.depth_entry(subspace("3-4")), None);
    assert_eq!(manifest.entry(subspace("3-3")), None);
    let good = fs::read_to_string(&path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&good).unwrap();
    let rows = &json["depth_tables"];
    assert_eq!(rows[0]["file"], "3-3.mld");
    assert_eq!(
        (&rows[0]["wins"], &rows[0]["losses"]),
        (&json!(210_139), &json!(1))
    );
    let deepest = |row: usize| (&rows[row]["deepest_win"], &rows[row]["deepest_loss"]);
    assert_eq!(deepest(0), (&json!(35), &json!(12)));
    assert_eq!(deepest(1), (&json!(null), &json!(null)));
    for (from, to, expected) in [
        (
            "\"deepest_win\": 35",
            "\"deepest_win\": 34",
            "3-3: impossible depths",
        ),
        (
            "\"deepest_loss\": 12",
            "\"deepest_loss\": 13",
            "3-3: impossible depths",
        ),
        (
            "\"deepest_loss\": 12",
            "\"deepest_loss\": 254",
            "3-3: impossible depths",
        ),
        (
            "\"deepest_loss\": 12",
            "\"deepest_loss\": -2",
            "is damaged: invalid value",
        ),
        ("3-3.mld", "3-3.mly", "file of 3-3: expected \"3-3.mld\""),
        ("\"sha256\": \"", "\"sha256\": \"0", "sha256: expected 64"),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        let error = Manifest::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn manifests_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = Manifest {
        tables: vec![write(dir.path(), &standard(), subspace("3-3"), 64, |_| {
            Value::Win
        })],
        ..Manifest::new(&standard())
    };
    manifest.write_atomic(dir.path()).unwrap();
    let path = dir.path().join(MANIFEST_FILE);
    let good = fs::read_to_string(&path).unwrap();
    let row = &good[good.find("    {").unwrap()..good.rfind("\n  ]").unwrap()];
    let doubled = good.replace(row, &format!("{row},\n{row}"));
    let fingerprint = standard().fingerprint().to_string();
    let replace = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    for (text, expected) in [
        (String::new(), "is damaged: EOF while parsing"),
        (
            good[..good.len() / 2].to_owned(),
            "is damaged: EOF while parsing",
        ),
        ("[]".to_owned(), "is damaged"),
        ("x".repeat(17 << 20), "at most 16777216 bytes"),
        (
            replace("mlynek database", "other"),
            "format: expected \"mlynek database\"",
        ),
        (
            replace("\"version\": 1", "\"version\": 2"),
            "unknown version of the manifest: expected 1, got 2",
        ),
        (
            replace("\"rules\": \"standard\"", "\"rules\": \"russian\""),
            "unknown rules russian with 9 men",
        ),
        (
            replace("\"men\": 9", "\"men\": 8"),
            "unknown rules standard with 8 men",
        ),
        (
            replace("\"men\": 9", "\"men\": -1"),
            "is damaged: invalid value",
        ),
        (
            replace("\"wld\"", "\"dtw\""),
            "metric: expected \"wld\", got \"dtw\"",
        ),
        (
            replace(&fingerprint, &"0".repeat(32)),
            "is of other rules than standard",
        ),
        (
            replace(&fingerprint, "xyz"),
            "fingerprint: expected 32 hexadecimal digits, got \"xyz\"",
        ),
        (replace("\"start\": null", "\"start\": 3"), "is damaged"),
        (replace("\"3-3\"", "\"3\""), "\"3\" is no subspace"),
        (
            replace("\"3-3.mly\"", "\"../3-3.mly\""),
            "file of 3-3: expected \"3-3.mly\"",
        ),
        (replace("3-3", "3-10"), "standard has no subspace 3-10"),
        (doubled, "the table 3-3 stands twice"),
    ] {
        fs::write(&path, &text).unwrap();
        let error = Database::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(error.contains("manifest.json"), "{error}");
    }
    // Nor does any other text make it panic.
    const NOISE: &[u8] = b"\"{}[],:-0189aenx\xff";
    for number in 0..400 {
        let mut bytes = good.clone().into_bytes();
        for change in 0..1 + number % 4 {
            let chance = mixed(number << 3 | change);
            let at = (chance % bytes.len() as u64) as usize;
            bytes[at] = NOISE[(chance >> 40) as usize % NOISE.len()];
        }
        fs::write(&path, &bytes).unwrap();
        if let Ok(database) = Database::open(dir.path()) {
            let _ = database.value(&position("a1d1g7/b2b4b6 w"));
        }
    }
    // What another program adds does no harm.
    fs::write(&path, good.replacen('{', "{\n  \"comment\": [1, {}],", 1)).unwrap();
    Database::open(dir.path()).unwrap();
    fs::remove_file(&path).unwrap();
    let error = Database::open(dir.path()).unwrap_err();
    assert!(matches!(error, DatabaseError::NoManifest { .. }), "{error}");
    let error = Database::open(dir.path().join("none")).unwrap_err();
    assert!(matches!(error, DatabaseError::Io { .. }), "{error}");
}
