//! The program as a user runs it: arguments, output, exit status.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use mlynek::board::{Board, PointSet, Symmetry};
use mlynek::database::{Database, Manifest};
use mlynek::grade::Grade;
use mlynek::index::Index;
use mlynek::notation::{read_position, write_move, write_position};
use mlynek::report::text::thousands;
use mlynek::rules::{Colour, Position, RuleSet, Subspace, Value};
use mlynek::table::{
    Counts, Encoder, Histogram, Metric, Table, TableEntry, TableExpectation, TableWriter, file_name,
};
use serde_json::Value as Json;

fn mlynek() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mlynek"))
}

/// Runs the program with these arguments and nothing to read.
fn run<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    let mut command = mlynek();
    command.args(arguments).stdin(Stdio::null());
    command.output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is UTF-8")
}

/// That a run ended with this status; what it printed otherwise.
#[track_caller]
fn expect_status(output: &Output, status: i32) {
    assert_eq!(
        output.status.code(),
        Some(status),
        "stdout: {}\nstderr: {}",
        stdout(output),
        stderr(output)
    );
}

/// What a run that ended well printed.
#[track_caller]
fn good(output: &Output) -> String {
    expect_status(output, 0);
    stdout(output)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test directories have plain names")
}

/// A database of the standard rules without a table.
fn empty_database() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let rules = RuleSet::by_name("standard").unwrap();
    Manifest::new(&rules).write_atomic(dir.path()).unwrap();
    dir
}

/// The subspaces with up to seven men in all under the standard rules, solved once for all tests.
static SMALL: LazyLock<PathBuf> = LazyLock::new(|| solved("small", &["--subspace", "4-3"]));

/// Solves into a directory under the one that cargo has for tests, afresh.
fn solved(name: &str, scope: &[&str]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    let arguments = ["solve", "--out", text(&dir), "--progress", "none"];
    good(&run(arguments.iter().chain(scope)));
    dir
}

/// A copy of a database, to be damaged.
fn copy_of(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        // Other files, such as a lock, are no part of a database.
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    copy
}

#[test]
fn usage_errors_end_with_2() {
    for arguments in [
        &[][..],
        &["no-such-command"],
        &["solve"],
        &["solve", "--out"],
        &["solve", "--out", "x", "--rules", "chess"],
        &["solve", "--out", "x", "--men", "2"],
        &["solve", "--out", "x", "--men", "10"],
        &["solve", "--out", "x", "--max-men", "2"],
        &["solve", "--out", "x", "--max-men", "4", "--subspace", "3-3"],
        &["solve", "--out", "x", "--subspace", "3"],
        &["solve", "--out", "x", "--subspace", "2-3"],
        &["solve", "--out", "x", "--memory", "much"],
        &["solve", "--out", "x", "--threads", "0"],
        &["solve", "--out", "x", "--progress", "loud"],
        &["estimate", "--rules", "chess"],
        &["rules", "chess"],
        &["probe"],
        &["probe", "x"],
        &["line"],
        &["line", "x"],
        &["line", "x", "-/- w 9 9", "--plies", "-1"],
        &["stats"],
        &["stats", "x", "--format", "xml"],
        &["stats", "x", "--format", "csv", "--json"],
        &["stats", "x", "--histogram", "--format", "csv", "--json"],
        &["verify"],
        &["verify", "x", "--sample", "-1"],
        &["verify", "x", "--checksums-only", "--seed", "1"],
        &["verify", "x", "--checksums-only", "--quick"],
        &["verify", "x", "--plain", "--quick"],
        &["verify", "x", "--subspace", "3"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(!Path::new("x").exists());
}

#[test]
fn every_help_shows_an_example() {
    for command in [
        "solve", "probe", "line", "verify", "stats", "rules", "estimate",
    ] {
        let help = good(&run([command, "--help"]));
        assert!(
            help.contains(&format!("Example:\n  mlynek {command}")),
            "{help}"
        );
    }
    let help = good(&run(["--help"]));
    assert!(help.contains("Example:\n  mlynek solve"), "{help}");
    assert!(help.contains("Exit status"), "{help}");
}

/// What cannot be run for want of a database, or of a file.
#[test]
fn missing_files_end_with_2() {
    let nothing = tempfile::tempdir().unwrap();
    let missing = nothing.path().join("no-such-directory");
    let (nothing, missing) = (text(nothing.path()), text(&missing));
    for (arguments, message) in [
        (&["probe", missing, "-/- w 9 9"][..], missing),
        (&["stats", missing], missing),
        (&["verify", missing], missing),
        (&["probe", nothing, "-/- w 9 9"], "is no mlynek database"),
        (&["stats", nothing], "is no mlynek database"),
        (&["verify", nothing], "is no mlynek database"),
    ] {
        let output = run(arguments);
        expect_status(&output, 2);
        assert!(
            stderr(&output).starts_with("mlynek: "),
            "{}",
            stderr(&output)
        );
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    let database = empty_database();
    let dir = text(database.path());
    let output = run(["verify", dir, "--known", "no-such-file.csv"]);
    expect_status(&output, 2);
    assert!(stderr(&output).contains("no-such-file.csv"));
}

/// Positions nobody can ask about: the text, and a part of the message.
#[test]
fn illegal_positions_end_with_2_and_say_why() {
    let database = empty_database();
    let dir = text(database.path());
    for (position, message) in [
        ("a1/a1 w 8 8", "both players have a man on a1"),
        (
            "a1/b2 w 9 8",
            "White has 1 men on the board and 9 in hand, but the game is played with 9",
        ),
        (
            "a1a4a7b2b4b6c3c4c5d1/d2d3d5 w",
            "White has 10 men on the board",
        ),
        ("a1/b2 w -1 8", "character 9: White's hand is negative"),
        ("a1/b2 w 8 -1", "character 11: Black's hand is negative"),
        (
            "a1/b2b4b6 w",
            "White has 1 men on the board and none in hand; the game ends with 2 left",
        ),
        (
            "a1a9/b2 w 8 8",
            "character 3: there is no point \"a9\" on the board",
        ),
        (
            "a1a1/b2 w 8 8",
            "character 3: White's man on a1 is written twice",
        ),
        ("a1/b2 w 8 8 3", "character 13: expected the end, found '3'"),
        (
            "a1/b2",
            "character 6: expected a point or a space, found the end",
        ),
        (
            "a1/b2 x",
            "expected 'w' or 'b', whose turn it is, found 'x'",
        ),
        ("-/- w 3 9", "cannot come about"),
        ("", "expected White's points"),
    ] {
        let output = run(["probe", dir, position]);
        expect_status(&output, 2);
        let complaint = stderr(&output);
        assert!(
            complaint.starts_with(&format!("mlynek: position {position:?}")),
            "{complaint}"
        );
        assert!(complaint.contains(message), "{complaint}");
        assert!(output.stdout.is_empty());
    }
    let output = run(["probe", dir, "-/- w 9 9"]);
    expect_status(&output, 2);
    assert!(
        stderr(&output).contains("missing table 0-0+9-9.mly"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn rule_sets_are_listed_and_described() {
    let standard = RuleSet::by_name("standard").unwrap();
    let list = good(&run(["rules"]));
    for name in ["standard", "no-flying"] {
        let fingerprint = RuleSet::by_name(name).unwrap().fingerprint().to_string();
        let found = list.lines().find(|line| line.starts_with(name));
        assert!(
            found.is_some_and(|line| line.contains(&fingerprint)),
            "{list}"
        );
    }
    let json: Json = serde_json::from_str(&good(&run(["rules", "--json"]))).unwrap();
    assert_eq!(
        json.as_array().map(Vec::len),
        Some(RuleSet::names().count())
    );
    assert_eq!(json[0]["name"], "standard");
    assert_eq!(json[0]["fingerprint"], standard.fingerprint().to_string());
    assert_eq!(
        (&json[0]["points"], &json[0]["symmetries"]),
        (&24.into(), &16.into())
    );
    assert_eq!(
        (&json[0]["men"], &json[0]["flies_with"]),
        (&9.into(), &3.into())
    );
    assert_eq!(json[1]["flies_with"], Json::Null);
    let described = good(&run(["rules", "standard"]));
    assert!(described.contains(&standard.definition()), "{described}");
    assert!(
        described.contains(&standard.fingerprint().to_string()),
        "{described}"
    );
}

#[test]
fn estimates_say_what_a_run_takes() {
    let text = good(&run(["estimate", "--subspace", "4-3"]));
    assert!(text.contains("1,690,422"), "{text}");
    let json: Json = serde_json::from_str(&good(&run(["estimate", "--json"]))).unwrap();
    assert_eq!(json["rules"], "standard");
    let tables = json["tables"].as_array().unwrap();
    let moving = tables
        .iter()
        .filter(|table| !table["subspace"].as_str().unwrap().contains('+'));
    let positions: u64 = moving
        .map(|table| table["positions"].as_u64().unwrap())
        .sum();
    assert_eq!(positions, 8_904_593_601);
    for amount in ["memory_bytes", "disk_bytes", "slots"] {
        assert!(json[amount].as_u64().unwrap() > 0, "{amount}");
    }
}

/// A reader that goes away is no error, and nothing is printed about it.
#[test]
fn a_broken_pipe_is_no_error() {
    let mut child = mlynek()
        .args(["probe", text(&SMALL), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let mut questions = child.stdin.take().unwrap();
    questions.write_all(b"a1d1g7/b2b4b6 w\n").unwrap();
    let mut line = String::new();
    answers.read_line(&mut line).unwrap();
    assert!(line.starts_with("a1d1g7/b2b4b6 w: "), "{line}");
    drop(answers);
    for _ in 0..10_000 {
        // Once the program has noticed, nobody reads this either.
        if questions.write_all(b"a1d1g7/b2b4b6 w\n").is_err() {
            break;
        }
    }
    drop(questions);
    let output = child.wait_with_output().unwrap();
    expect_status(&output, 0);
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_solve_says_its_plan_and_its_result() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new");
    let output = run([
        "solve",
        "--out",
        text(&out),
        "--subspace",
        "3-3",
        "--progress",
        "plain",
    ]);
    assert_eq!(
        good(&output),
        "moving phase (standard): 1 subspace solved\n"
    );
    let plan = stderr(&output);
    for part in [
        "rules:     standard",
        "positions: 169,626",
        "memory:",
        "disk:",
    ] {
        assert!(plan.contains(part), "{plan}");
    }
    // Again: there is nothing left to do.
    let again = run(["solve", "--out", text(&out), "--subspace", "3-3", "--json"]);
    let json: Json = serde_json::from_str(&good(&again)).unwrap();
    assert_eq!(
        (&json["rules"], &json["tables"]),
        (&"standard".into(), &1.into())
    );
    assert_eq!(json["start"], Json::Null);
}

#[test]
fn probes_answer_as_text_and_as_json() {
    let dir = text(&SMALL);
    let database = Database::open(&*SMALL).unwrap();
    for position in ["a1d1g7/b2b4b6 w", "a1d1g7/b2b4b6d2 b", "a1a4d7/c3c5e3 b"] {
        let json: Json =
            serde_json::from_str(&good(&run(["probe", dir, position, "--json"]))).unwrap();
        let keys: Vec<_> = json.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 4);
        assert_eq!(
            (&json["rules"], &json["position"]),
            (&"standard".into(), &position.into())
        );
        let read = mlynek::notation::read_position(Board::nine(), position).unwrap();
        let expected = database.probe(&read).unwrap();
        assert_eq!(json["value"], expected.value.name());
        let moves = json["moves"].as_array().unwrap();
        assert_eq!(moves.len(), expected.moves.len());
        let values: Vec<_> = moves.iter().map(|m| m["value"].as_str().unwrap()).collect();
        assert_eq!(
            values[0],
            expected.value.name(),
            "the best move keeps the value"
        );
        for (ranked, value) in expected.moves.iter().zip(values) {
            assert_eq!(ranked.value.name(), value);
        }
        // The same as text: a line for the position, one for each move.
        let answer = good(&run(["probe", dir, position]));
        let lines: Vec<_> = answer.lines().collect();
        assert_eq!(lines[0], format!("{position}: {}", expected.value));
        assert_eq!(lines.len(), 1 + moves.len());
        for (line, found) in lines[1..].iter().zip(moves) {
            let fields: Vec<_> = line.split_whitespace().collect();
            assert_eq!(
                fields,
                [
                    found["move"].as_str().unwrap(),
                    found["value"].as_str().unwrap()
                ]
            );
        }
    }
}

/// The order of the fields is the documented one.
#[test]
fn json_of_a_probe_has_the_documented_form() {
    let dir = text(&SMALL);
    let line = good(&run(["probe", "--json", dir, "a1a4/b2b4d6 w"]));
    assert_eq!(
        line,
        "{\"rules\":\"standard\",\"position\":\"a1a4/b2b4d6 w\",\"value\":\"loss\",\"moves\":[]}\n"
    );
    let line = good(&run(["probe", dir, "a1d1g7/b2b4b6 w", "--json"]));
    assert!(
        line.starts_with("{\"rules\":\"standard\",\"position\":\"a1d1g7/b2b4b6 w\",\"value\":\"win\",\"moves\":[{\"move\":\""),
        "{line}"
    );
}

#[test]
fn several_positions_are_answered_in_order() {
    let dir = text(&SMALL);
    let positions = ["a1a4/b2b4d6 w", "a1a4b2/b4d6 w"];
    let from_arguments = good(&run(["probe", "--json", dir, positions[0], positions[1]]));
    let mut child = mlynek()
        .args(["probe", dir, "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    writeln!(questions, "{}\n\n  {}", positions[0], positions[1]).unwrap();
    drop(questions);
    let from_input = good(&child.wait_with_output().unwrap());
    assert_eq!(from_arguments, from_input);
    assert_eq!(from_input.lines().count(), 2);
    // Without quotes, the fields of one position.
    let unquoted = good(&run(["probe", dir, "a1a4/b2b4d6", "w"]));
    assert_eq!(
        unquoted,
        "a1a4/b2b4d6 w: loss\n  no move: the game is over\n"
    );
}

/// A drawn position of the game of three men.
fn drawn_position() -> String {
    let database = Database::open(&GRADED[0]).unwrap();
    let subspace = "3-3".parse().unwrap();
    let codes = open_graded(&database, subspace).decode_grades().unwrap();
    let index = database.index();
    let slot = canonical_slot(index, subspace, &codes, 0, |grade| grade == Grade::DRAW);
    let (mover, opponent) = index.position(subspace, slot);
    let position = Position::of_mover(Colour::White, mover, opponent, 0, 0);
    write_position(index.board(), &position)
}

#[test]
fn probes_say_depths_where_there_are_any() {
    let dir = text(&GRADED[0]);
    let database = Database::open(dir).unwrap();
    let draw = drawn_position();
    for (position, worth) in [
        ("d7g1g7/a4d5g4 b", ("loss", Some(26))),
        ("-/- w 3 3", ("win", Some(23))),
        (&draw, ("draw", None)),
    ] {
        let json = good(&run(["probe", dir, position, "--json"]));
        let plies = worth
            .1
            .map_or("null".to_owned(), |plies: u32| plies.to_string());
        let head = format!("\"value\":\"{}\",\"plies\":{plies},\"moves\":[", worth.0);
        assert!(json.contains(&head), "{json}");
        let json: Json = serde_json::from_str(&json).unwrap();
        let expected = read_position(Board::nine(), position).unwrap();
        let expected = database.probe(&expected).unwrap();
        let moves = json["moves"].as_array().unwrap();
        assert_eq!(moves.len(), expected.moves.len());
        let answer = good(&run(["probe", dir, position]));
        let mut lines = answer.lines();
        let evaluation = expected.evaluation();
        assert!(lines.next().unwrap().ends_with(&format!(": {evaluation}")));
        for ((ranked, found), line) in expected.moves.iter().zip(moves).zip(lines) {
            assert_eq!(found["value"], ranked.value.name());
            assert_eq!(found["plies"], Json::from(ranked.plies));
            let played = found["move"].as_str().unwrap();
            let line = line.trim_start().strip_prefix(played).unwrap();
            assert_eq!(line.trim_start(), ranked.evaluation().to_string());
        }
    }
    let over = good(&run(["probe", dir, "a1a4/b2b4d6 w"]));
    assert_eq!(
        over,
        "a1a4/b2b4d6 w: loss in 0\n  no move: the game is over\n"
    );
}

#[test]
fn lines_are_played_to_their_end() {
    let dir = text(&GRADED[0]);
    let json = good(&run(["line", dir, "--json", "d7g1g7/a4d5g4 b"]));
    let head = "{\"rules\":\"standard/3\",\"position\":\"d7g1g7/a4d5g4 b\",\
                \"value\":\"loss\",\"plies\":26,\"moves\":[{\"move\":\"";
    assert!(json.starts_with(head), "{json}");
    let json: Json = serde_json::from_str(&json).unwrap();
    let moves = json["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 26);
    for (left, played) in (1..=26).rev().zip(moves) {
        assert_eq!(played["plies"], left);
        let value = if left % 2 == 0 { "loss" } else { "win" };
        assert_eq!(played["value"], value);
    }
    assert_eq!(json["end"], "men");
    // The same as text, without the quotes.
    let line = good(&run(["line", dir, "d7g1g7/a4d5g4", "b"]));
    let lines: Vec<_> = line.lines().collect();
    assert_eq!(lines.len(), 1 + 26 + 1);
    assert_eq!(lines[0], "d7g1g7/a4d5g4 b: loss in 26");
    let fields: Vec<_> = lines[1].split_whitespace().collect();
    assert_eq!(fields[0..2], ["1", "b"]);
    assert_eq!(fields[2], moves[0]["move"].as_str().unwrap());
    assert_eq!(fields[3..], ["loss", "in", "26"]);
    assert!(
        lines[27].starts_with("Black has lost: too few men are left: "),
        "{line}"
    );
    // Shortened.
    let short = good(&run(["line", dir, "--plies", "3", "d7g1g7/a4d5g4 b"]));
    let short: Vec<_> = short.lines().collect();
    let fields = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (short, line) in short[..4].iter().zip(&lines) {
        assert_eq!(fields(short), fields(line));
    }
    assert!(short[4].starts_with("as many plies as were asked for: "));
    let draw = drawn_position();
    let none = good(&run(["line", dir, "--json", "--plies", "0", &draw]));
    let none: Json = serde_json::from_str(&none).unwrap();
    assert_eq!(
        (&none["end"], &none["plies"]),
        (&"limit".into(), &Json::Null)
    );
    // A draw goes round in circles.
    let draw = good(&run(["line", dir, &draw]));
    let last = draw.lines().last().unwrap();
    assert!(
        last.starts_with("draw: the position has been there before: "),
        "{draw}"
    );
    // Without depths nothing is said of them.
    let won = good(&run(["line", text(&SMALL), "--json", "d7g1g7/a4d5g4 b"]));
    assert!(!won.contains("plies"), "{won}");
    let won = good(&run(["line", text(&SMALL), "d7g1g7/a4d5g4 b"]));
    assert!(won.starts_with("d7g1g7/a4d5g4 b: loss\n"), "{won}");
    assert!(!won.contains(" in "), "{won}");
    let output = run(["line", dir, "a1/a1 w"]);
    expect_status(&output, 2);
    assert!(stderr(&output).starts_with("mlynek: position \"a1/a1 w\""));
}

#[test]
fn stats_say_how_deep_positions_are() {
    let dir = text(&GRADED[2]);
    let csv = good(&run(["stats", dir, "--format", "csv"]));
    let depths = ["deepest_win_plies,deepest_loss_plies", "25,26", "33,0"];
    for ((line, plain), depths) in csv.lines().zip(SMALL_COUNTS.lines()).zip(depths) {
        assert_eq!(line, format!("{plain},{depths}"));
    }
    let json: Json = serde_json::from_str(&good(&run(["stats", dir, "--json"]))).unwrap();
    let database = Database::open(dir).unwrap();
    for (number, plies) in [(0, 25), (1, 33)] {
        let row = &json["subspaces"][number];
        assert_eq!(row["deepest_win_plies"], plies);
        let example = row["deepest_win_example"].as_str().unwrap();
        let example = read_position(Board::nine(), example).unwrap();
        assert_eq!(database.evaluate(&example).unwrap().plies, Some(plies));
    }
    assert_eq!(json["subspaces"][1]["deepest_loss_plies"], Json::Null);
    let table = good(&run(["stats", dir]));
    assert!(table.contains("deepest win  deepest loss\n"), "{table}");
    assert!(table.contains("3-3 win "), "{table}");
    // Every canonical position has its place in the histogram.
    let histogram = good(&run(["stats", dir, "--histogram", "--format", "csv"]));
    assert_eq!(
        histogram,
        good(&run(["stats", dir, "--depths", "--format", "csv"]))
    );
    let mut lines = histogram.lines();
    assert_eq!(
        lines.next(),
        Some("rules,mover,opponent,mover_hand,opponent_hand,value,plies,positions")
    );
    let count = |line: &str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(lines.map(count).sum::<u64>(), 1_690_422);
    assert!(histogram.contains("\nstandard,3,3,0,0,draw,,269\n"));
    let table = good(&run(["stats", dir, "--histogram"]));
    assert!(table.starts_with("subspace and value"), "{table}");
    let json: Json =
        serde_json::from_str(&good(&run(["stats", dir, "--histogram", "--json"]))).unwrap();
    assert_eq!(json["subspaces"][0]["subspace"], "3-3");
    let output = run(["stats", text(&SMALL), "--histogram"]);
    expect_status(&output, 2);
    assert!(stderr(&output).contains("the database has no depths"));
}

const SMALL_COUNTS: &str = "\
rules,mover,opponent,mover_hand,opponent_hand,wins,losses,draws,raw_wins,raw_losses,raw_draws
standard,3,3,0,0,140621,28736,269,2232160,455648,4112
standard,3,4,0,0,102281,0,658117,1629336,0,10484304
standard,4,3,0,0,75397,3095,681906,1201560,48720,10863360
";

#[test]
fn stats_count_every_subspace() {
    let dir = text(&SMALL);
    assert_eq!(good(&run(["stats", dir, "--format", "csv"])), SMALL_COUNTS);
    let table = good(&run(["stats", dir]));
    assert!(table.contains("140,621"), "{table}");
    assert!(
        table.contains("moving: 3 subspaces, 1,690,422 positions"),
        "{table}"
    );
    let json = good(&run(["stats", dir, "--json"]));
    assert_eq!(json, good(&run(["stats", dir, "--format", "json"])));
    let json: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["rules"], &json["start"]),
        (&"standard".into(), &Json::Null)
    );
    assert_eq!(json["subspaces"][1]["raw_draws"], 10_484_304);
    assert_eq!(json["moving"]["positions"], 1_690_422);
    assert_eq!(json["placing"]["positions"], 0);
}

#[test]
fn a_sound_database_is_verified() {
    let dir = text(&SMALL);
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/known");
    let known =
        ["standard.csv", "standard-placing.csv", "no-flying.csv"].map(|name| known.join(name));
    let mut arguments = vec!["verify", dir, "--known"];
    arguments.extend(known.iter().map(|path| text(path)));
    let report = good(&run(&arguments));
    let lines: Vec<_> = report.lines().collect();
    assert_eq!(
        lines.last(),
        Some(&"verify: ok: 3 tables intact, 1,690,422 positions consistent")
    );
    assert!(
        report.contains("standard.csv: 21 rows: 3 agree, 0 wrong"),
        "{report}"
    );
    assert!(
        report.contains("no-flying.csv: 10 rows: 0 agree, 0 wrong; not checked: 10 of other rules"),
        "{report}"
    );
    // Some of the positions, in a way that can be repeated.
    let sample = |seed: &str| -> Json {
        let options = [
            "--exhaustive-through",
            "6",
            "--sample",
            "20000",
            "--seed",
            seed,
            "--json",
        ];
        serde_json::from_str(&good(&run(["verify", dir].iter().chain(&options)))).unwrap()
    };
    let json = sample("7");
    assert_eq!(
        (&json["ok"], &json["wrong_positions"]),
        (&true.into(), &0.into())
    );
    assert_eq!(json["exhaustive_positions"], 169_626);
    assert_eq!(
        json["sampled_positions"],
        json["tables"][1]["checked"].as_u64().unwrap()
            + json["tables"][2]["checked"].as_u64().unwrap()
    );
    assert!(
        json["sampled_positions"].as_u64().unwrap() >= 19_000,
        "{json}"
    );
    assert_eq!(json["tables"][1]["exhaustive"], false);
    let quick = good(&run(["verify", dir, "--checksums-only"]));
    assert!(quick.ends_with("verify: ok: 3 tables intact\n"), "{quick}");
    // The smallest table alone needs more.
    let output = run(["verify", dir, "--memory", "1K"]);
    expect_status(&output, 2);
}

/// Writes a table of the database in `dir` again, with other values and counts, and the manifest
/// with it: every checksum is right afterwards.
fn rewrite(
    dir: &Path,
    subspace: Subspace,
    change: impl Fn(u64, Value) -> Value,
    recount: impl Fn(Counts, Counts) -> (Counts, Counts),
) {
    let database = Database::open(dir).unwrap();
    let table: &Table = database.table(subspace).unwrap();
    let header = table.header();
    let (spec, values) = (header.spec, table.decode_all().unwrap());
    let (canonical, raw) = recount(header.canonical, header.raw);
    let mut writer = TableWriter::create(dir, spec).unwrap();
    let mut encoder = Encoder::new(spec.codec, 3);
    let all: Vec<_> = (0..)
        .zip(values.iter())
        .map(|(slot, value)| change(slot, value))
        .collect();
    for block in all.chunks(spec.block_slots as usize) {
        let plane = |wanted: Value| -> Vec<u64> {
            let word = |values: &[Value]| {
                let bits = values.iter().rev();
                bits.fold(0, |word, &value| word << 1 | u64::from(value == wanted))
            };
            block.chunks(64).map(word).collect()
        };
        let block = encoder.encode(&plane(Value::Win), &plane(Value::Loss), block.len());
        writer.append([block]).unwrap();
    }
    let entry: TableEntry = writer.finish(canonical, raw).unwrap();
    let mut manifest = Manifest::read(dir).unwrap();
    for old in &mut manifest.tables {
        if old.subspace == subspace {
            *old = entry.clone();
        }
    }
    manifest.write_atomic(dir).unwrap();
}

/// One value changed, everything else as if it were right: counts, checksums, manifest.
#[test]
fn one_wrong_value_is_found_and_named() {
    let copy = copy_of(&SMALL);
    let subspace: Subspace = "4-3".parse().unwrap();
    let database = Database::open(&*SMALL).unwrap();
    let index = database.index();
    let values = database.table(subspace).unwrap().decode_all().unwrap();
    // A draw in the middle, in its own slot, with all orientations.
    let slot = (values.len() / 2..)
        .find(|&slot| {
            let (mover, opponent) = index.position(subspace, slot);
            let lone = index.board().symmetries()[1..]
                .iter()
                .all(|symmetry| symmetry.set(mover) != mover);
            lone && index.slot(subspace, mover, opponent) == slot && values.get(slot) == Value::Draw
        })
        .unwrap();
    let (mover, opponent) = index.position(subspace, slot);
    let position = Position::of_mover(Colour::White, mover, opponent, 0, 0);
    let position = write_position(index.board(), &position);
    let moved = |counts: Counts, number: u64| Counts {
        wins: counts.wins + number,
        draws: counts.draws - number,
        ..counts
    };
    rewrite(
        copy.path(),
        subspace,
        |other, value| if other == slot { Value::Win } else { value },
        |canonical, raw| (moved(canonical, 1), moved(raw, 16)),
    );
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    let report = stdout(&output);
    assert!(
        report.contains(&format!("{position}: expected draw, found win")),
        "{report}"
    );
    let verdict = report.lines().last().unwrap();
    assert!(verdict.starts_with("verify: WRONG: "), "{report}");
    let json = run(["verify", text(copy.path()), "--json"]);
    expect_status(&json, 1);
    let json: Json = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(json["ok"], false);
    let problems = json["problems"].as_array().unwrap();
    assert!(
        problems
            .iter()
            .any(|problem| problem["position"] == position.as_str()),
        "{json}"
    );
    // Neither the files nor the counts of the database itself give it away.
    assert!(good(&run(["verify", text(copy.path()), "--checksums-only"])).contains("verify: ok"));
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/known/standard.csv");
    let output = run([
        "verify",
        text(copy.path()),
        "--exhaustive-through",
        "0",
        "--sample",
        "0",
        "--known",
        text(&known),
    ]);
    expect_status(&output, 1);
    assert!(
        stdout(&output).contains("standard.csv, line 8: 4-3: expected 75397 wins"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn wrong_counts_are_found() {
    let copy = copy_of(&SMALL);
    let swapped = |counts: Counts| Counts {
        wins: counts.losses,
        losses: counts.wins,
        ..counts
    };
    rewrite(
        copy.path(),
        "3-3".parse().unwrap(),
        |_, value| value,
        |canonical, raw| (swapped(canonical), raw),
    );
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    assert!(
        stdout(&output).contains("3-3: counts: expected 140621 wins, 28736 losses, 269 draws"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn damaged_and_missing_tables_are_found() {
    let copy = copy_of(&SMALL);
    let file = copy.path().join("3-4.mly");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    for extra in [&[][..], &["--checksums-only"]] {
        let output = run(["verify", text(copy.path())].iter().chain(extra));
        expect_status(&output, 1);
        let report = stdout(&output);
        assert!(report.contains("3-4.mly is damaged at offset"), "{report}");
        assert!(report.contains("files: 2 of 3 tables intact"), "{report}");
    }
    fs::remove_file(&file).unwrap();
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    assert!(
        stdout(&output).contains("missing table 3-4.mly"),
        "{}",
        stdout(&output)
    );
    let mut manifest = Manifest::read(copy.path()).unwrap();
    manifest
        .tables
        .retain(|entry| entry.subspace.to_string() != "3-4");
    manifest.write_atomic(copy.path()).unwrap();
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    assert!(
        stdout(&output).contains("missing table 3-4: moves lead there from 4-3"),
        "{}",
        stdout(&output)
    );
}

/// A whole game, placing included, with four men each: solved, asked, and every position checked.
#[test]
fn a_whole_game_is_solved_and_verified() {
    let dir = tempfile::tempdir().unwrap();
    let dir = text(dir.path());
    let output = run(["solve", "--rules", "standard", "--men", "4", "--out", dir]);
    let printed = good(&output);
    let last = printed.lines().last();
    assert_eq!(last, Some("start position (standard/4): draw"));
    let probe = good(&run(["probe", dir, "-/- w 4 4"]));
    assert!(probe.starts_with("-/- w 4 4: draw\n"), "{probe}");
    assert_eq!(probe.lines().count(), 25, "{probe}");
    assert!(good(&run(["stats", dir])).ends_with("start position (standard/4): draw\n"));
    let report = good(&run(["verify", dir]));
    assert!(
        report.ends_with("verify: ok: 19 tables intact, 6,272,720 positions consistent\n"),
        "{report}"
    );
    // A manifest that says something else about the start is found.
    let mut manifest = Manifest::read(Path::new(dir)).unwrap();
    manifest.start = Some(Value::Win);
    manifest.write_atomic(Path::new(dir)).unwrap();
    let output = run([
        "verify",
        dir,
        "--exhaustive-through",
        "0",
        "--sample",
        "1000",
    ]);
    expect_status(&output, 1);
    let report = stdout(&output);
    assert!(
        report.contains("start position: expected draw, the manifest says win"),
        "{report}"
    );
}

/// Small games with depths, solved once for all tests: whole games of three men by both rule sets,
/// and the moving phase with up to seven men in all.
static GRADED: LazyLock<[PathBuf; 3]> = LazyLock::new(|| {
    let graded = |name, scope: &[&str]| solved(name, &[scope, &["--metric", "depth"]].concat());
    [
        graded("standard-3", &["--men", "3"]),
        graded("no-flying-3", &["--men", "3", "--rules", "no-flying"]),
        graded("standard-4-3", &["--subspace", "4-3"]),
    ]
});

/// What is to be said of one that is right, after `verify: ok: `.
fn graded_verdict(dir: &Path) -> String {
    let database = Database::open(dir).unwrap();
    let positions = |subspace| database.index().canonical_positions(subspace);
    let tables = database.subspaces().count();
    let positions = thousands(database.subspaces().map(positions).sum());
    format!(
        "{tables} tables and {tables} of depths intact, proved {positions} positions of {tables} \
         tables by depth"
    )
}

/// The lines of a report of a check, without the time and the memory it took.
fn findings(report: &str) -> Vec<&str> {
    let lines = report.lines().filter(|line| !line.starts_with("time: "));
    lines
        .map(|line| match line.rsplit_once(", in ") {
            Some((found, _)) if line.starts_with("proof: ") => found,
            _ => line,
        })
        .collect()
}

#[test]
fn depths_are_proved() {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/known");
    let known = [
        "standard.csv",
        "standard-placing.csv",
        "no-flying.csv",
        "positions.csv",
    ]
    .map(|name| known.join(name));
    for dir in GRADED.iter() {
        let verdict = graded_verdict(dir);
        let dir = text(dir);
        let mut arguments = vec!["verify", dir, "--known"];
        arguments.extend(known.iter().map(|path| text(path)));
        let output = run(&arguments);
        let report = good(&output);
        assert!(
            report.ends_with(&format!("verify: ok: {verdict}\n")),
            "{report}"
        );
        assert!(stderr(&output).contains("memory:    "));
        for threads in ["1", "2"] {
            let same = run(arguments.iter().chain(&["--threads", threads]));
            assert_eq!(findings(&good(&same)), findings(&report));
        }
        let plain = good(&run(["verify", dir, "--plain"]));
        assert!(
            plain.ends_with(&format!("verify: ok: {verdict}, one at a time\n")),
            "{plain}"
        );
        let intact = verdict.split(", ").next().unwrap();
        let quick = good(&run(["verify", dir, "--quick"]));
        assert!(
            quick.contains(&format!("verify: ok: {intact}, ")) && quick.contains(" consistent\n"),
            "{quick}"
        );
        let checksums = good(&run(["verify", dir, "--checksums-only"]));
        assert!(
            checksums.ends_with(&format!("verify: ok: {intact}\n")),
            "{checksums}"
        );
        expect_status(&run(["verify", dir, "--memory", "1K"]), 2);
        expect_status(&run(["verify", dir, "--plain", "--memory", "1K"]), 2);
    }
    // The known depths of all three subspaces and one position agree.
    let report = good(&run([
        "verify",
        text(&GRADED[2]),
        "--known",
        text(&known[0]),
    ]));
    assert!(report.contains("21 rows: 3 agree, 0 wrong"), "{report}");
    let report = good(&run([
        "verify",
        text(&GRADED[2]),
        "--known",
        text(&known[3]),
    ]));
    assert!(
        report
            .contains("4 rows: 1 agree, 0 wrong; not checked: 0 of other rules, 3 without a table"),
        "{report}"
    );
}

#[test]
fn single_subspaces_are_proved() {
    let dir = text(&GRADED[2]);
    for (extra, end) in [(&[][..], "\n"), (&["--plain"], ", one at a time\n")] {
        let report = good(&run(["verify", dir, "--subspace", "3-4"]
            .iter()
            .chain(extra)));
        // Moves of 3-4 lead to 4-3, and with a removal to 3-3.
        let verdict =
            "3 tables and 3 of depths intact, proved 760,398 positions of 1 table by depth";
        assert!(report.ends_with(&format!("{verdict}{end}")), "{report}");
    }
    let report = good(&run(["verify", dir, "--subspace", "3-3", "3-4", "--quick"]));
    assert!(
        report.contains("positions: all 930,024 of 2 subspaces"),
        "{report}"
    );
    for absent in ["5-5", "0-0+9-9", "2-3"] {
        let output = run(["verify", dir, "--subspace", absent]);
        expect_status(&output, 2);
        assert!(stderr(&output).contains(&format!("no table of {absent}")));
    }
}

#[test]
fn known_depths_that_differ_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("known.csv");
    for (rows, line) in [
        (
            "rules,position,value,plies\nstandard,d7g7g1/a4d5g4 b,loss,24\n",
            "known.csv, line 2: d7g1g7/a4d5g4 b: expected loss in 24, found loss in 26",
        ),
        (
            "position,value\nd7g7g1/a4d5g4 b,draw\n",
            "known.csv, line 2: d7g1g7/a4d5g4 b: expected draw, found loss",
        ),
        (
            "mover,opponent,wins,losses,draws,deepest_win_plies,deepest_loss_plies\n\
             3,3,140621,28736,269,23,26\n",
            "line 2: 3-3: expected 140621 wins, 28736 losses, 269 draws, deepest win 23, deepest \
             loss 26, found 140621 wins, 28736 losses, 269 draws, deepest win 25, deepest loss 26",
        ),
    ] {
        fs::write(&path, rows).unwrap();
        let output = run(["verify", text(&GRADED[2]), "--known", text(&path)]);
        expect_status(&output, 1);
        assert!(stdout(&output).contains(line), "{}", stdout(&output));
    }
    // Values are compared where there are no depths.
    fs::write(&path, "position,value,plies\nd7g7g1/a4d5g4 b,loss,24\n").unwrap();
    let report = good(&run(["verify", text(&SMALL), "--known", text(&path)]));
    assert!(report.contains("1 row: 1 agree"), "{report}");
    fs::write(&path, "position,value,plies\nd7g7g1/a4d5g4 b,loss,25\n").unwrap();
    let output = run(["verify", text(&SMALL), "--known", text(&path)]);
    expect_status(&output, 2);
}

fn open_graded(database: &Database, subspace: Subspace) -> Table {
    let (rules, index) = (database.rules(), database.index());
    let expectation = TableExpectation::new(rules, index, subspace, Metric::Grades);
    let path = database.dir().join(file_name(subspace, Metric::Grades));
    Table::open(&path, &expectation).unwrap()
}

/// How many orientations of the board a position has that differ.
fn orientations(index: &Index, mover: PointSet, opponent: PointSet) -> u64 {
    let symmetries = index.board().symmetries();
    let keeps =
        |symmetry: &&Symmetry| (symmetry.set(mover), symmetry.set(opponent)) == (mover, opponent);
    (symmetries.len() / symmetries.iter().filter(keeps).count()) as u64
}

/// Writes a table of grades of the database in `dir` again, with other grades, and the manifest
/// with it: counts and every checksum are right afterwards, unless `skew` makes the counts wrong.
fn regrade(
    dir: &Path,
    subspace: Subspace,
    change: impl Fn(&mut [u8]),
    skew: impl Fn(&mut Histogram),
) {
    let database = Database::open(dir).unwrap();
    let index = database.index();
    let table = open_graded(&database, subspace);
    let spec = table.header().spec;
    let mut codes = table.decode_grades().unwrap().into_codes();
    change(&mut codes);
    let (mut histogram, mut raw) = (Histogram::new(), Counts::default());
    for (slot, &code) in (0..).zip(&codes) {
        let (mover, opponent) = index.position(subspace, slot);
        if index.slot(subspace, mover, opponent) == slot {
            let grade = Grade::from_code(code).unwrap();
            histogram.add(grade, slot);
            let number = orientations(index, mover, opponent);
            match grade.value() {
                Value::Win => raw.wins += number,
                Value::Loss => raw.losses += number,
                Value::Draw => raw.draws += number,
            }
        }
    }
    skew(&mut histogram);
    let mut writer = TableWriter::create(dir, spec).unwrap();
    let mut encoder = Encoder::new(spec.codec, 3);
    for block in codes.chunks(spec.block_slots as usize) {
        writer.append([encoder.encode_grades(block)]).unwrap();
    }
    let entry = writer.finish_grades(&histogram, raw).unwrap();
    let mut manifest = Manifest::read(dir).unwrap();
    for old in &mut manifest.depth_tables {
        if old.subspace == subspace {
            *old = entry.clone();
        }
    }
    manifest.write_atomic(dir).unwrap();
}

/// The lowest slot from `from` on that is not a twin's and whose grade is as `wanted`.
fn canonical_slot(
    index: &Index,
    subspace: Subspace,
    codes: &[u8],
    from: usize,
    wanted: impl Fn(Grade) -> bool,
) -> u64 {
    let slots = from as u64..codes.len() as u64;
    let mut slots = slots.filter(|&slot| wanted(Grade::from_code(codes[slot as usize]).unwrap()));
    let home = |&slot: &u64| {
        let (mover, opponent) = index.position(subspace, slot);
        index.slot(subspace, mover, opponent) == slot
    };
    slots.find(home).unwrap()
}

/// One grade changed, a depth alone or the value too, and everything else as if it were right.
#[test]
fn one_wrong_grade_is_found_and_named() {
    let mut named_first = 0;
    for (dir, text_of, wanted, deeper) in [
        (&GRADED[0], "3-3", Value::Win, true),
        (&GRADED[0], "2-3+1-0", Value::Loss, true),
        (&GRADED[0], "0-1+3-2", Value::Loss, true),
        (&GRADED[1], "0-1+3-2", Value::Draw, false),
        (&GRADED[1], "3-3", Value::Draw, false),
        (&GRADED[1], "2-2+1-1", Value::Win, true),
        (&GRADED[2], "4-3", Value::Win, false),
        (&GRADED[2], "3-4", Value::Win, true),
    ] {
        let copy = copy_of(dir);
        let subspace: Subspace = text_of.parse().unwrap();
        let database = Database::open(dir).unwrap();
        let (rules, index) = (database.rules(), database.index());
        let codes = open_graded(&database, subspace).decode_grades().unwrap();
        let slot = canonical_slot(index, subspace, &codes, codes.len() / 3, |grade| {
            grade.value() == wanted && grade.plies() != Some(0)
        });
        let right = codes.grade(slot);
        let wrong = match (right.plies(), deeper) {
            (Some(plies), true) if wanted == Value::Win => Grade::win(plies + 2),
            (Some(plies), true) => Grade::loss(plies + 2),
            (None, _) => Grade::loss(24),
            (Some(_), false) => Some(Grade::DRAW),
        };
        let wrong = wrong.unwrap();
        regrade(
            copy.path(),
            subspace,
            |codes| codes[slot as usize] = wrong.code(),
            |_| (),
        );
        let (mover, opponent) = index.position(subspace, slot);
        let side = match subspace.mover_began() {
            true => Colour::White,
            false => Colour::Black,
        };
        let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
        let position = Position::of_mover(side, mover, opponent, hand, other_hand);
        let short = write_position(index.board(), &position);
        // Positions from which a move leads there are wrong too, then, and the one with the lowest
        // slot of a table is named: nearly always this one.
        let output = run(["verify", text(copy.path())]);
        expect_status(&output, 1);
        let report = stdout(&output);
        let verdict = report.lines().last().unwrap();
        assert!(verdict.starts_with("verify: WRONG: "), "{report}");
        assert!(verdict.contains(" wrong position"), "{report}");
        let expected = format!("wrong: {short}: expected {right}, found {wrong} (the best move, ");
        let lines: Vec<_> = report.lines().collect();
        match lines.iter().find_map(|line| line.strip_prefix(&expected)) {
            Some(rest) => {
                named_first += 1;
                let played = rest.split(", leads there").next().unwrap();
                let leads = rules
                    .successors(&position)
                    .into_iter()
                    .find(|(other, next)| {
                        write_move(index.board(), *other) == played
                            && grade_of(&database, next).before() == Some(right)
                    });
                assert!(leads.is_some(), "{report}");
            }
            None => {
                let named = lines.iter().find_map(|line| line.strip_prefix("wrong: "));
                let named = named.unwrap().split(':').next().unwrap();
                let named = read_position(index.board(), named).unwrap();
                assert_eq!(named.subspace(), subspace, "{report}");
                let slot_of = |position: &Position| {
                    let (mover, opponent) = (position.mover(), position.opponent());
                    index.slot(position.subspace(), mover, opponent)
                };
                assert!(slot_of(&named) < slot, "{report}");
            }
        }
        let disagree = right.value() != wrong.value();
        assert_eq!(
            verdict.contains("1 position on which tables disagree"),
            disagree,
            "{report}"
        );
        let says = format!(
            "wrong: {short}: {subspace}.mly says {}, {subspace}.mld says {wrong}",
            right.value()
        );
        assert_eq!(report.contains(&says), disagree, "{report}");
        // Nothing gives it away but the positions.
        good(&run(["verify", text(copy.path()), "--checksums-only"]));
        expect_status(
            &run(["verify", text(copy.path()), "--quick"]),
            i32::from(disagree),
        );
        let plain = run([
            "verify",
            text(copy.path()),
            "--plain",
            "--subspace",
            text_of,
        ]);
        expect_status(&plain, 1);
        for threads in ["1", "2"] {
            let same = run(["verify", text(copy.path()), "--threads", threads]);
            expect_status(&same, 1);
            assert_eq!(findings(&stdout(&same)), findings(&report));
        }
    }
    assert!(named_first >= 6, "{named_first}");
}

fn grade_of(database: &Database, position: &Position) -> Grade {
    match database.rules().outcome(position) {
        Some(Value::Loss) => Grade::OVER,
        Some(_) => Grade::win(1).unwrap(),
        None => {
            let subspace = position.subspace();
            let slot = database
                .index()
                .slot(subspace, position.mover(), position.opponent());
            open_graded(database, subspace).grade(slot).unwrap()
        }
    }
}

/// A value changed beside depths that are right.
#[test]
fn a_value_that_its_depth_contradicts_is_found() {
    let copy = copy_of(&GRADED[2]);
    let subspace: Subspace = "4-3".parse().unwrap();
    let database = Database::open(&GRADED[2]).unwrap();
    let index = database.index();
    let codes = open_graded(&database, subspace).decode_grades().unwrap();
    let slot = canonical_slot(index, subspace, &codes, codes.len() / 2, |grade| {
        grade == Grade::DRAW
    });
    let (mover, opponent) = index.position(subspace, slot);
    let number = orientations(index, mover, opponent);
    let moved = |counts: Counts, number: u64| Counts {
        losses: counts.losses + number,
        draws: counts.draws - number,
        ..counts
    };
    rewrite(
        copy.path(),
        subspace,
        |other, value| if other == slot { Value::Loss } else { value },
        |canonical, raw| (moved(canonical, 1), moved(raw, number)),
    );
    let position = Position::of_mover(Colour::White, mover, opponent, 0, 0);
    let line = format!(
        "{}: 4-3.mly says loss, 4-3.mld says draw",
        write_position(index.board(), &position)
    );
    for extra in [&[][..], &["--plain", "--subspace", "4-3"]] {
        let output = run(["verify", text(copy.path())].iter().chain(extra));
        expect_status(&output, 1);
        let report = stdout(&output);
        assert!(
            report.ends_with(&format!(
                "verify: WRONG: 1 position on which tables disagree; first: {line}\n"
            )),
            "{report}"
        );
    }
    good(&run(["verify", text(copy.path()), "--checksums-only"]));
    let quick = run(["verify", text(copy.path()), "--quick"]);
    expect_status(&quick, 1);
    assert!(stdout(&quick).contains(&line), "{}", stdout(&quick));
}

#[test]
fn wrong_numbers_of_depths_are_found() {
    let copy = copy_of(&GRADED[2]);
    let subspace: Subspace = "3-3".parse().unwrap();
    let twice = |histogram: &mut Histogram| histogram.add(Grade::win(3).unwrap(), 7);
    regrade(copy.path(), subspace, |_| (), twice);
    let report = run(["verify", text(copy.path())]);
    expect_status(&report, 1);
    let report = stdout(&report);
    assert!(report.contains("3-3.mld: counts: expected "), "{report}");
    assert!(
        report.contains(" with win in 3, recorded ") && report.contains("3-3.mld: expected "),
        "{report}"
    );
}

#[test]
fn damaged_and_missing_tables_of_depths_are_found() {
    let copy = copy_of(&GRADED[2]);
    let file = copy.path().join("3-4.mld");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    for extra in [&[][..], &["--checksums-only"], &["--plain"], &["--quick"]] {
        let output = run(["verify", text(copy.path())].iter().chain(extra));
        expect_status(&output, 1);
        let report = stdout(&output);
        assert!(report.contains("3-4.mld is damaged at offset"), "{report}");
        assert!(
            report.contains("files: 2 of 3 tables of depths intact"),
            "{report}"
        );
        assert!(report.contains("files: 3 of 3 tables intact"), "{report}");
    }
    fs::remove_file(&file).unwrap();
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    let report = stdout(&output);
    assert!(report.contains("3-4.mld"), "{report}");
    // What needs no other table is proved all the same.
    assert!(
        report.contains("proof: all 169,626 of 1 subspace"),
        "{report}"
    );
    let mut manifest = Manifest::read(copy.path()).unwrap();
    manifest
        .depth_tables
        .retain(|entry| entry.subspace.to_string() != "3-4");
    manifest.write_atomic(copy.path()).unwrap();
    let output = run(["verify", text(copy.path())]);
    expect_status(&output, 1);
    let report = stdout(&output);
    assert!(
        report.contains("missing table 3-4.mld: moves lead there from 4-3.mld"),
        "{report}"
    );
    let report = good(&run(["verify", text(copy.path()), "--partial"]));
    assert!(
        report.ends_with(
            "verify: ok: 3 tables and 2 of depths intact, proved 169,626 positions of 1 table by \
             depth, 1,520,796 positions consistent\n"
        ),
        "{report}"
    );
}

/// Ctrl-C leaves a database that the same command completes.
#[cfg(unix)]
#[test]
fn an_interrupted_solve_is_resumed_by_the_same_command() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["solve", "--out", text(dir.path()), "--subspace", "4-3"];
    let mut child = mlynek()
        .args(arguments)
        .args(["--progress", "plain"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("(1 of ") {
        assert_ne!(errors.read_line(&mut said).unwrap(), 0, "{said}");
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    std::io::Read::read_to_string(&mut errors, &mut said).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(stdout(&output), "");
    assert!(said.contains("the same command goes on"), "{said}");
    let unfinished = run(["verify", text(dir.path())]);
    expect_status(&unfinished, 1);
    assert!(
        stdout(&unfinished).contains("not complete"),
        "{}",
        stdout(&unfinished)
    );
    let resumed = good(&run(arguments));
    assert_eq!(resumed, "moving phase (standard): 3 subspaces solved\n");
    let counts = good(&run(["stats", text(dir.path()), "--format", "csv"]));
    assert_eq!(counts, SMALL_COUNTS);
}
