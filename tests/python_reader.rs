//! `tools/mlynek_reader.py`, a reader written from `data/FORMAT.md` alone, sees in a database what
//! this library sees.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mlynek::database::{Database, Manifest, OpenOptions};
use mlynek::grade::Grade;
use mlynek::index::Index;
use mlynek::notation::{write_move, write_position};
use mlynek::rules::{Position, RuleSet, Subspace, Value};
use mlynek::table::{Codec, Counts, Encoder, Histogram, Metric, TableSpec, TableWriter};
use serde_json::{Value as Json, json};

/// A number that looks like chance (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Writes a table of made-up values: some blocks constant, others anything. Symmetric twins get
/// values of their own, so that a reader that asks for one gives itself away.
fn write_table(
    dir: &Path,
    rules: &RuleSet,
    index: &Index,
    subspace: Subspace,
    manifest: &mut Manifest,
) {
    let block_slots = 1000 + subspace.men_in_all() as u32;
    let spec = TableSpec {
        fingerprint: rules.fingerprint(),
        subspace,
        slots: index.slots(subspace),
        block_slots,
        codec: Codec::Base3Zstd,
    };
    let salt = subspace
        .to_string()
        .bytes()
        .fold(7, |sum, byte| mixed(sum ^ u64::from(byte)));
    let mut encoder = Encoder::new(spec.codec, 3);
    let mut writer = TableWriter::create(dir, spec).unwrap();
    let mut counts = Counts::default();
    for (number, start) in (0..spec.slots).step_by(block_slots as usize).enumerate() {
        let len = (spec.slots - start).min(block_slots.into()) as usize;
        let (mut wins, mut losses) = (vec![0u64; len.div_ceil(64)], vec![0u64; len.div_ceil(64)]);
        for k in 0..len {
            let seed = if number % 5 < 2 {
                number as u64
            } else {
                start + k as u64
            };
            match mixed(salt ^ seed) % 3 {
                0 => {
                    wins[k / 64] |= 1 << (k % 64);
                    counts.wins += 1;
                }
                1 => {
                    losses[k / 64] |= 1 << (k % 64);
                    counts.losses += 1;
                }
                _ => counts.draws += 1,
            }
        }
        writer
            .append([encoder.encode(&wins, &losses, len)])
            .unwrap();
    }
    manifest.tables.push(writer.finish(counts, counts).unwrap());
}

/// Writes a table of made-up grades, as [`write_table`] one of values.
fn write_grades(
    dir: &Path,
    rules: &RuleSet,
    index: &Index,
    subspace: Subspace,
    manifest: &mut Manifest,
) {
    let spec = TableSpec {
        block_slots: 900 + subspace.men_in_all() as u32,
        ..TableSpec::new(rules, index, subspace, Metric::Grades)
    };
    let salt = subspace
        .to_string()
        .bytes()
        .fold(8, |sum, byte| mixed(sum ^ u64::from(byte)));
    let mut encoder = Encoder::new(spec.codec, spec.codec.usual_level());
    let mut writer = TableWriter::create(dir, spec).unwrap();
    let mut histogram = Histogram::new();
    for (number, start) in (0..spec.slots)
        .step_by(spec.block_slots as usize)
        .enumerate()
    {
        let end = spec.slots.min(start + u64::from(spec.block_slots));
        let codes: Vec<u8> = (start..end)
            .map(|slot| {
                let seed = if number % 5 < 2 { number as u64 } else { slot };
                let chance = mixed(salt ^ seed);
                let all = if chance.is_multiple_of(3) { 256 } else { 8 };
                let code = (chance >> 8) % all;
                let grade = Grade::from_code((code as u8).wrapping_sub(4));
                grade.unwrap_or(Grade::DRAW).code()
            })
            .collect();
        histogram.add_run(start, &codes);
        writer.append([encoder.encode_grades(&codes)]).unwrap();
    }
    let raw = histogram.counts();
    let entry = writer.finish_grades(&histogram, raw).unwrap();
    manifest.depth_tables.push(entry);
}

/// Writes a database of a whole game with four men each.
fn write_database(dir: &Path, rules: &RuleSet) {
    let index = Index::new(rules.board());
    let mut manifest = Manifest::new(rules);
    for subspace in rules
        .moving_subspaces()
        .into_iter()
        .chain(rules.placing_subspaces())
    {
        write_table(dir, rules, &index, subspace, &mut manifest);
        write_grades(dir, rules, &index, subspace, &mut manifest);
    }
    manifest.complete = true;
    manifest.start = Some(Value::Draw);
    manifest.write_atomic(dir).unwrap();
}

/// Positions of random games.
fn positions(rules: &RuleSet, count: usize) -> Vec<Position> {
    let mut all = Vec::new();
    let mut state = 0;
    while all.len() < count {
        let mut position = rules.start();
        for _ in 0..30 {
            all.push(position);
            let next = rules.successors(&position);
            if next.is_empty() {
                break;
            }
            state += 1;
            position = next[(mixed(state) % next.len() as u64) as usize].1;
        }
    }
    all
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/mlynek_reader.py")
}

/// A Python that can run the reader, if there is one.
fn python() -> Option<&'static str> {
    let importable = "try:\n import zstandard\nexcept ImportError:\n from compression import zstd";
    ["python3", "python"].into_iter().find(|python| {
        let status = Command::new(python)
            .args(["-c", importable])
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    })
}

fn run(python: &str, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(python)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// What `mlynek probe --json` prints of a database without depths.
fn probe(database: &Database, position: &Position) -> Json {
    let mut json = depths(database, position);
    let without = |json: &mut Json| json.as_object_mut().unwrap().remove("plies");
    without(&mut json);
    json["moves"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|ranked| drop(without(ranked)));
    json
}

/// What `mlynek probe --json` prints of a database with depths.
fn depths(database: &Database, position: &Position) -> Json {
    let rules = database.rules();
    let probe = database.probe(position).unwrap();
    let moves: Vec<_> = probe
        .moves
        .iter()
        .map(|ranked| {
            let played = write_move(rules.board(), ranked.played);
            json!({"move": played, "value": ranked.value, "plies": ranked.plies})
        })
        .collect();
    json!({
        "rules": rules.name(),
        "position": write_position(rules.board(), position),
        "value": probe.value,
        "plies": probe.plies,
        "moves": moves,
    })
}

/// Probes every position of the standard input with the reader as a module.
const DRIVER: &str = "
import json, sys
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
from mlynek_reader import Database, Position
database = Database(sys.argv[1])
for line in sys.stdin:
    position = Position.parse(line)
    print(json.dumps([database.probe(position), database.depth(position)]))
";

#[test]
fn the_python_reader_agrees() {
    let Some(python) = python() else {
        eprintln!("SKIPPED: needs python3 with the package zstandard (pip install zstandard)");
        return;
    };
    for name in ["standard", "no-flying"] {
        let rules = RuleSet::by_name(name).unwrap().with_men(4).unwrap();
        let dir = tempfile::tempdir().unwrap();
        write_database(dir.path(), &rules);
        let database = Database::open(dir.path()).unwrap();
        let values = OpenOptions {
            depths: false,
            ..OpenOptions::default()
        };
        let values = values.open(dir.path()).unwrap();
        let path = dir.path().to_str().unwrap();
        let tools = script().parent().unwrap().to_str().unwrap().to_owned();

        let positions = positions(&rules, 400);
        let lines: Vec<_> = positions
            .iter()
            .map(|position| write_position(rules.board(), position) + "\n")
            .collect();
        let output = run(python, &["-c", DRIVER, path, &tools], &lines.concat());
        let (answers, errors) = (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        );
        assert!(output.status.success(), "{errors}");
        assert_eq!(answers.lines().count(), positions.len());
        for (line, position) in answers.lines().zip(&positions) {
            let got: Json = serde_json::from_str(line).unwrap();
            assert_eq!(got[0], probe(&values, position));
            assert_eq!(got[1], depths(&database, position));
        }

        check_the_script(python, &database, &values, path);
    }
}

/// The script's own command line: probing, checking, and finding damage.
fn check_the_script(python: &str, database: &Database, values: &Database, path: &str) {
    let script = script();
    let script = script.to_str().unwrap();
    let start = database.rules().start();
    let text = write_position(database.rules().board(), &start);
    let output = run(python, &["-B", script, "probe", path, &text], "");
    let got: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(got, probe(values, &start));
    assert_eq!(output.status.code(), Some(0));

    let output = run(python, &["-B", script, "depth", path, &text], "");
    let got: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(got, depths(database, &start));
    assert_eq!(output.status.code(), Some(0));

    let output = run(python, &["-B", script, "check", path], "");
    let got: Json = serde_json::from_slice(&output.stdout).unwrap();
    let tables = database.manifest().tables.len();
    assert_eq!(
        got,
        json!({
            "rules": database.rules().name(),
            "tables": tables,
            "depth_tables": tables,
            "problems": [],
        })
    );
    assert_eq!(output.status.code(), Some(0));

    // In the header, the data, the hash at the end, and the histogram of a table of grades.
    let manifest = database.manifest();
    let mut damaged = 0;
    for tables in [&manifest.tables, &manifest.depth_tables] {
        for (entry, from_end) in tables.iter().zip([None, Some(40), Some(1), None]) {
            let file = Path::new(path).join(&entry.file);
            let mut bytes = fs::read(&file).unwrap();
            let at = match from_end {
                Some(from_end) => bytes.len() - from_end,
                None if damaged % 4 == 0 => 70,
                None => 300,
            };
            bytes[at] ^= 4;
            fs::write(&file, bytes).unwrap();
            damaged += 1;
        }
    }
    let output = run(python, &["-B", script, "check", path], "");
    let got: Json = serde_json::from_slice(&output.stdout).unwrap();
    let problems = got["problems"].as_array().unwrap();
    assert_eq!(problems.len(), damaged, "{problems:?}");
    assert_eq!(output.status.code(), Some(1));

    for (position, text) in [
        ("a1/a1 w 3 3", "both players have a man on a1"),
        ("a1/a2 w 3 3", "the board has no point 'a2'"),
        ("a1 w", "is no position"),
        ("a1/- w 4 4", "more than 4 men"),
        ("a1/- w 3 3", "missing table 1-0+3-3.mly"),
    ] {
        let output = run(python, &["-B", script, "probe", path, position], "");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(text), "{position}: {errors}");
        assert_eq!(output.status.code(), Some(2));
    }
}
