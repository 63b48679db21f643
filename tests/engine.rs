//! The engine: every command and error of the protocol, and whole games against a random mover.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use mlynek::database::Database;
use mlynek::engine::{Engine, LONGEST_LINE, Reply, lines};
use mlynek::generate::{Options, Scope};
use mlynek::notation::{Dialect, read_turn};
use mlynek::rules::{Colour, Position, RuleSet, Step, Subspace, Turn, Value};
use mlynek::table::Metric;
use proptest::prelude::*;
use serde_json::Value as Json;

/// Whole games, solved once: two of four men each without depths, two of three men with them.
static GAMES: LazyLock<Vec<(tempfile::TempDir, Database)>> = LazyLock::new(|| {
    let all = [
        ("standard", 4, Metric::Values),
        ("no-flying", 4, Metric::Values),
        ("standard", 3, Metric::Grades),
        ("no-flying", 3, Metric::Grades),
    ];
    let solved = |(name, men, metric)| {
        let dir = tempfile::tempdir().unwrap();
        let rules = common::rules(name, men);
        let options = Options::default();
        common::solve(dir.path(), &rules, Scope::Game, metric, &options);
        let database = Database::open(dir.path()).unwrap();
        (dir, database)
    };
    all.into_iter().map(solved).collect()
});

fn standard() -> &'static Database {
    &GAMES[0].1
}

/// What is said to some lines, all together.
fn said(engine: &mut Engine<'_>, lines: &[&str]) -> Vec<String> {
    let replies = lines.iter().map(|line| engine.hear(line));
    replies.flat_map(|reply| reply.lines).collect()
}

/// What a new engine with the standard game says to some lines.
fn to_new(lines: &[&str]) -> Vec<String> {
    said(&mut Engine::new(standard()), lines)
}

/// The action of an answer.
#[track_caller]
fn best(lines: &[String]) -> &str {
    let last = lines.last().expect("an answer");
    let best = last.strip_prefix("bestmove ");
    best.unwrap_or_else(|| panic!("no answer: {lines:?}"))
}

fn fen(rules: &RuleSet, turn: impl Into<Turn>) -> String {
    Dialect::Sanmill.write_turn(rules, &turn.into()).unwrap()
}

/// The FEN of a position in the own form.
fn fen_of(own: &str) -> String {
    let rules = standard().rules();
    fen(rules, read_turn(rules.board(), own).unwrap())
}

fn word(rules: &RuleSet, step: Step) -> String {
    Dialect::Sanmill.write_steps(rules.board(), [step]).unwrap()
}

/// A small generator of random numbers: the same seed, the same game.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// What a turn is worth for the side to move, by the tables.
fn worth(database: &Database, turn: &Turn) -> Value {
    match turn {
        Turn::Move(position) => database.value(position).unwrap(),
        Turn::Removal(position) => {
            let removals = database.rules().removals(position).into_iter();
            let values = removals.map(|(_, next)| -database.value(&next).unwrap());
            values.max().unwrap()
        }
    }
}

/// What a turn that `side` has brought about is worth for it.
fn worth_after(database: &Database, side: Colour, turn: &Turn) -> Value {
    let worth = worth(database, turn);
    if turn.side() == side { worth } else { -worth }
}

/// In how many plies a turn of a winner ends the game, where the tables say so.
fn plies(database: &Database, turn: &Turn) -> Option<u32> {
    let position = match turn {
        Turn::Move(position) => position,
        Turn::Removal(position) => {
            let removals = database.rules().removals(position).into_iter();
            let plies = removals.filter_map(|(_, next)| {
                let after = database.evaluate(&next).unwrap().before();
                after.plies.filter(|_| after.value == Value::Win)
            });
            let known = database.has_depths(Subspace::moving(3, 3));
            return plies.min().filter(|_| known);
        }
    };
    database.evaluate(position).unwrap().plies
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Over(Colour),
    Drawn,
    TooLong,
}

/// Plays from the start: `engines` says which sides the engine plays, the others move at random.
/// Every action of the engine must keep the value. Gives the number of actions, and the end.
fn play(database: &Database, engines: &[Colour], random: &mut Random, most: usize) -> (usize, End) {
    let rules = database.rules();
    let mut engine = Engine::new(database);
    said(&mut engine, &["ucinewgame"]);
    let mut turn = Turn::Move(rules.start());
    let mut words: Vec<String> = Vec::new();
    loop {
        let steps = rules.steps(&turn);
        let told = match words.is_empty() {
            true => "position startpos".to_owned(),
            false => format!("position startpos moves {}", words.join(" ")),
        };
        assert_eq!(engine.hear(&told), Reply::default());
        let answer = engine.hear("go movetime 100").lines;
        let best = best(&answer);
        match best {
            "none" => {
                assert!(steps.is_empty());
                let lost = match rules.outcome(turn.position()) {
                    Some(Value::Win) => turn.side().other(),
                    _ => turn.side(),
                };
                assert_eq!(
                    answer[0],
                    format!("info string game over: {lost:?} has lost")
                );
                return (words.len(), End::Over(lost));
            }
            "draw" => return (words.len(), End::Drawn),
            _ if words.len() >= most => return (words.len(), End::TooLong),
            _ => {}
        }
        let legal = steps.iter().find(|(step, _)| word(rules, *step) == best);
        let &(mut step, mut next) = legal.expect("a legal action");
        let before = worth(database, &turn);
        assert_eq!(
            worth_after(database, turn.side(), &next),
            before,
            "{told}: {best}"
        );
        if let Some(plies) = plies(database, &turn)
            && before == Value::Win
        {
            // The score is White's, and tells the plies to the end.
            let sign = if turn.side() == Colour::White {
                ""
            } else {
                "-"
            };
            let score = format!(" score mate {sign}{plies} ");
            assert!(answer[0].contains(&score), "{told}: {answer:?}, {score}");
        }
        if !engines.contains(&turn.side()) {
            (step, next) = steps[random.below(steps.len())];
        }
        words.push(word(rules, step));
        turn = next;
    }
}

#[test]
fn the_engine_never_gives_a_value_away() {
    for (_, database) in GAMES.iter() {
        for colour in [Colour::White, Colour::Black] {
            let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ colour as u64);
            let (mut actions, mut won) = (0, 0);
            while actions < 400 {
                let (length, end) = play(database, &[colour], &mut random, 300);
                assert_ne!(end, End::Over(colour));
                won += u32::from(end == End::Over(colour.other()));
                actions += length;
            }
            // The random mover loses nearly every game, and the engine must be able to win it.
            let name = database.rules().name();
            assert!(won > 0, "{name}, {colour:?}: no game won");
        }
        // Against itself: a drawn game, which ends, if at all, by repetition.
        let both = [Colour::White, Colour::Black];
        let start = database.value(&database.rules().start()).unwrap();
        let (_, end) = play(database, &both, &mut Random(1), 200);
        match start {
            Value::Draw => assert!(matches!(end, End::Drawn | End::TooLong)),
            Value::Win => assert_ne!(end, End::Over(Colour::White)),
            Value::Loss => assert_ne!(end, End::Over(Colour::Black)),
        }
    }
}

#[test]
fn the_program_speaks_over_pipes() {
    let (dir, database) = &GAMES[0];
    let mut child = Command::new(env!("CARGO_BIN_EXE_mlynek"))
        .arg("engine")
        .arg(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    // Answers must come while the pipe stays open.
    let mut ask = |question: &str, end: &str| {
        writeln!(input, "{question}").unwrap();
        let mut answer = Vec::new();
        while answer
            .last()
            .is_none_or(|line: &String| !line.starts_with(end))
        {
            answer.push(output.next().expect("an answer").unwrap());
        }
        answer
    };
    assert_eq!(ask("uci", "uciok")[1], "id author The mlynek developers");
    assert_eq!(ask("isready", "readyok").len(), 1);
    let rules = database.rules();
    let mut turn = Turn::Move(rules.start());
    let mut words: Vec<String> = Vec::new();
    for _ in 0..40 {
        let told = format!("position startpos moves {}\ngo depth 5", words.join(" "));
        let answer = ask(&told, "bestmove");
        let best = best(&answer);
        if ["draw", "none"].contains(&best) {
            break;
        }
        let history = Dialect::Sanmill.read_history(rules, turn, best).unwrap();
        let next = history.end();
        assert_eq!(
            worth_after(database, turn.side(), &next),
            worth(database, &turn)
        );
        words.push(best.to_owned());
        turn = next;
    }
    assert!(words.len() > 8);
    assert!(ask("position startpos moves a1 a1", "info string illegal move").len() == 1);
    assert!(ask("go", "info string position unavailable").len() == 1);
    assert_eq!(ask("isready", "readyok").len(), 1);
    writeln!(input, "go infinite\nquit").unwrap();
    // The pipe of the questions stays open: it is `quit` that ends the program.
    assert!(child.wait().unwrap().success());
}

#[test]
fn it_introduces_itself() {
    let lines = to_new(&["uci"]);
    assert!(lines[0].starts_with("id name mlynek "));
    assert_eq!(lines[1], "id author The mlynek developers");
    assert_eq!(lines[2], "info string tables of the rules standard/4");
    for option in [
        "option name StrictFailurePolicy type check default false",
        "option name PiecesCount type spin default 4 min 4 max 4",
        "option name MayFly type check default true",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
    assert_eq!(lines.last().unwrap(), "uciok");
    let sliding = said(&mut Engine::new(&GAMES[1].1), &["uci"]);
    assert!(sliding.contains(&"option name MayFly type check default false".to_owned()));
    assert_eq!(to_new(&["isready"]), ["readyok"]);
    assert_eq!(to_new(&["", "  ", "\t"]), [""; 0]);
    let unknown = to_new(&["xyzzy \u{7} now"]);
    assert_eq!(unknown, ["info string unknown command: xyzzy \\u{7} now"]);
}

#[test]
fn options_are_set_or_refused() {
    for silent in [
        "setoption name StrictFailurePolicy value true",
        "setoption name strictfailurepolicy value false",
        "setoption name OneLineAnswers value true",
        "setoption name PiecesCount value 4",
        "setoption name MayFly value true",
    ] {
        assert_eq!(to_new(&[silent]), [""; 0], "{silent}");
    }
    for (line, why) in [
        ("setoption", "expected `name`"),
        ("setoption Hash value 1", "expected `name`"),
        ("setoption name", "there is no such option"),
        ("setoption name Clear Hash", "there is no such option"),
        (
            "setoption name SkillLevel value 30",
            "there is no such option",
        ),
        (
            "setoption name StrictFailurePolicy",
            "expected `value true` or `value false`",
        ),
        (
            "setoption name StrictFailurePolicy value perhaps",
            "expected `value true` or `value false`",
        ),
        (
            "setoption name PiecesCount value 9",
            "the tables are of the rules standard/4: 4",
        ),
        (
            "setoption name MayFly value false",
            "the tables are of the rules standard/4: true",
        ),
    ] {
        let expected = format!("info string unsupported setoption: {line}: {why}");
        assert_eq!(to_new(&[line]), [expected]);
    }
}

#[test]
fn the_answer_is_two_lines_or_one() {
    let answer = to_new(&["position startpos", "go"]);
    let best = best(&answer);
    let info = format!("info depth 1 score cp 0 nodes 1 pv {best}");
    assert_eq!(answer, [info, format!("bestmove {best}")]);
    let answer = to_new(&["setoption name OneLineAnswers value true", "go depth 3"]);
    assert_eq!(
        answer,
        [format!("info depth 1 score cp 0 nodes 1 bestmove {best}")]
    );
}

#[test]
fn the_words_of_go_are_read() {
    for good in [
        "go",
        "go movetime 100",
        "go depth 0 nodes 18446744073709551615",
        "go wtime -5 btime 1000 winc 0 binc 0 movestogo 40",
        "go mate 3",
        "go topn 0",
    ] {
        assert_eq!(to_new(&[good]).len(), 2, "{good}");
    }
    let top = to_new(&["go topn 5 movetime 10"]);
    assert_eq!(top.len(), 7);
    assert!(top[0].starts_with("info topn rank 1 move "));
    assert!(top[4].starts_with("info topn rank 5 move "));
    assert!(top[4].ends_with(" score cp 0"));
    assert_eq!(top[0].split(' ').nth(5), top[6].split(' ').nth(1));
    assert_eq!(to_new(&["go topn 999"]).len(), 26);
    for (bad, why) in [
        (
            "go movetime",
            "a whole number behind movetime, found the end",
        ),
        ("go depth x", "a whole number behind depth, found \"x\""),
        ("go nodes -1", "a whole number behind nodes, found \"-1\""),
        (
            "go topn depth 3",
            "a whole number behind topn, found \"depth\"",
        ),
        ("go wtime 1.5", "a whole number behind wtime, found \"1.5\""),
    ] {
        let expected = format!("info string invalid go command ignored: expected {why}");
        assert_eq!(to_new(&[bad]), [expected]);
    }
    let unknown = to_new(&["go fast"]);
    assert!(unknown[0].starts_with("info string invalid go command ignored: expected one of"));
    assert!(unknown[0].ends_with("found \"fast\""));
}

#[test]
fn an_answer_is_held_back_until_stop() {
    for hold in ["go infinite", "go ponder wtime 1000"] {
        for release in [
            "stop",
            "ponderhit",
            "ucinewgame",
            "position startpos",
            "quit",
        ] {
            let mut engine = Engine::new(standard());
            let held = said(&mut engine, &[hold, "isready", "unheard of"]);
            assert!(held[0].starts_with("info depth 1 "));
            assert_eq!(held[1], "readyok");
            assert!(held[2].starts_with("info string unknown command"));
            assert_eq!(held.len(), 3);
            let reply = engine.hear(release);
            assert_eq!(reply.lines.len(), 1, "{release}");
            assert!(reply.lines[0].starts_with("bestmove "));
            assert_eq!(reply.quit, release == "quit");
            assert_eq!(engine.hear("stop"), Reply::default());
        }
    }
    let mut engine = Engine::new(standard());
    said(&mut engine, &["go infinite"]);
    let both = said(&mut engine, &["go"]);
    assert!(both[0].starts_with("bestmove ") && both[2].starts_with("bestmove "));
    said(&mut engine, &["go infinite"]);
    assert!(engine.end().lines[0].starts_with("bestmove "));
    assert_eq!(to_new(&["stop"]), [""; 0]);
}

#[test]
fn a_removal_is_an_answer_of_its_own() {
    let told = "position startpos moves a1 b2 a4 b4 a7";
    let answer = to_new(&[told, "go"]);
    assert!(["xb2", "xb4"].contains(&best(&answer)));
    // The same position as a FEN.
    let fen = format!("position fen {}", fen_of("a1a4a7/b2b4 w 1 2 x"));
    assert_eq!(to_new(&[&fen, "go"]), answer);
    let mut engine = Engine::new(standard());
    assert_eq!(
        said(&mut engine, &[&format!("{told} xb2"), "go topn 1"]).len(),
        3
    );
    let refused = said(&mut engine, &[&format!("{told} d6")]);
    assert!(
        refused[0].contains("White has closed a mill; expected the removal of one of b2 b4"),
        "{refused:?}"
    );
    // The best of the removals, by the position after it.
    let (_, database) = &GAMES[0];
    let rules = database.rules();
    let start = Turn::Move(rules.start());
    let mut random = Random(77);
    let mut checked = 0;
    while checked < 50 {
        let (mut turn, mut words) = (start, Vec::new());
        while !turn.is_removal() {
            let steps = rules.steps(&turn);
            if steps.is_empty() {
                break;
            }
            let (step, next) = steps[random.below(steps.len())];
            words.push(word(rules, step));
            turn = next;
        }
        if !turn.is_removal() {
            continue;
        }
        checked += 1;
        let told = format!("position startpos moves {}", words.join(" "));
        let answer = to_new(&[&told, "go"]);
        let history = Dialect::Sanmill.read_history(rules, turn, best(&answer));
        let next = history.unwrap().end();
        assert!(!next.is_removal());
        let before = worth(database, &turn);
        assert_eq!(worth_after(database, turn.side(), &next), before);
    }
}

#[test]
fn refused_positions_are_not_played_from() {
    let over = "position fen **O*@*@*/*@*O***O/******** w m s 3 0 3 0";
    for (line, plain, code, action) in [
        (
            "position startpos moves a1 a1",
            "illegal move ignored: a1 (action 1): illegal move: White has a man on a1",
            "position_history_illegal_action",
            Some((1, "a1")),
        ),
        (
            "position startpos moves a1 d6 xd6",
            "illegal move ignored: xd6 (action 2): illegal move: White has closed no mill",
            "position_history_illegal_action",
            Some((2, "xd6")),
        ),
        (
            "position startpos moves a1 a4-",
            "illegal move ignored: a4- (action 1): expected the point the man moves to",
            "position_history_truncated",
            Some((1, "a4-")),
        ),
        (
            "position startpos moves a1 z9 d6",
            "illegal move ignored: z9 (action 1): there is no point \"z9\"",
            "position_history_truncated",
            Some((1, "z9")),
        ),
        (
            "position startpos moves a1xd6",
            "illegal move ignored: a1xd6 (action 0): expected '-' or the end of the word",
            "position_history_truncated",
            Some((0, "a1xd6")),
        ),
        (
            "position startpos moves moves",
            "illegal move ignored: moves (action 0): ",
            "position_history_truncated",
            Some((0, "moves")),
        ),
        ("position fen", "invalid fen ignored: ", "invalid_fen", None),
        (
            "position fen moves a1",
            "invalid fen ignored: ",
            "invalid_fen",
            None,
        ),
        (
            "position fen nonsense",
            "invalid fen ignored: Sanmill position \"nonsense\"",
            "invalid_fen",
            None,
        ),
        (over, "invalid fen ignored: ", "invalid_fen", None),
        (
            // A game of nine men.
            "position fen ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "invalid fen ignored: ",
            "invalid_fen",
            None,
        ),
        (
            "position",
            "invalid position command ignored: expected startpos or fen FEN",
            "invalid_position_command",
            None,
        ),
        (
            "position moves a1",
            "invalid position command ignored: ",
            "invalid_position_command",
            None,
        ),
        (
            "position startpos a1",
            "invalid position command ignored: ",
            "invalid_position_command",
            None,
        ),
        (
            "position start",
            "invalid position command ignored: ",
            "invalid_position_command",
            None,
        ),
    ] {
        let mut engine = Engine::new(standard());
        let refused = said(&mut engine, &["position startpos moves d6", line]);
        assert_eq!(refused.len(), 1, "{line}");
        let start = format!("info string {plain}");
        assert!(
            refused[0].starts_with(&start),
            "{refused:?}, expected {start}"
        );
        let unavailable = said(&mut engine, &["go"]);
        assert_eq!(unavailable.len(), 1);
        assert!(unavailable[0].starts_with("info string position unavailable: "));
        assert_eq!(
            said(&mut engine, &["position startpos moves d6", "go"]).len(),
            2
        );
        said(&mut engine, &[line]);
        assert_eq!(said(&mut engine, &["ucinewgame", "go"]).len(), 2);

        said(
            &mut engine,
            &["setoption name StrictFailurePolicy value true"],
        );
        let error = strict(&said(&mut engine, &[line]));
        assert_eq!(error["code"], code, "{line}");
        assert_eq!(error["command"], "position");
        assert_eq!(
            error["action_index"].as_u64(),
            action.map(|(index, _)| index)
        );
        assert_eq!(error["token"].as_str(), action.map(|(_, token)| token));
        let error = strict(&said(&mut engine, &["go"]));
        assert_eq!(error["code"], "position_unavailable");
        assert_eq!(error["command"], "go");
        assert_eq!(said(&mut engine, &["position startpos", "go"]).len(), 2);
    }
    // Nothing behind `moves` is an error in strict mode only.
    assert_eq!(to_new(&["position startpos moves", "go"]).len(), 2);
    let on = "setoption name StrictFailurePolicy value true";
    let error = strict(&to_new(&[on, "position startpos moves"]));
    assert_eq!(error["code"], "position_history_truncated");
    let error = strict(&to_new(&[on, "go sideways"]));
    assert_eq!(error["code"], "invalid_go_command");
    // A line too long for a game.
    let long = format!("position startpos moves {}", "a".repeat(LONGEST_LINE));
    let refused = to_new(&[&long, "go"]);
    assert!(refused[0].contains("the line is too long"));
    assert!(refused[1].starts_with("info string position unavailable: "));
}

/// The error of strict mode in a single line.
#[track_caller]
fn strict(lines: &[String]) -> Json {
    assert_eq!(lines.len(), 1, "{lines:?}");
    let json = lines[0].strip_prefix("info string sanmill_error ").unwrap();
    assert!(json.starts_with(r#"{"protocol_version":1,"status":"error","code":""#));
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_third_time_is_a_draw() {
    let fen = fen_of("a1b4d5g7/a7d2e3f6 w");
    let shuffle = ["a1-a4", "e3-e4", "a4-a1", "e4-e3"];
    let answer = |words: &[&str]| {
        let told = match words {
            [] => format!("position fen {fen}"),
            _ => format!("position fen {fen} moves {}", words.join(" ")),
        };
        to_new(&[&told, "go"])
    };
    let twice = [shuffle, shuffle].concat();
    for length in 0..8 {
        let answer = answer(&twice[..length]);
        assert!(!["draw", "none"].contains(&best(&answer)), "{answer:?}");
    }
    assert_eq!(
        answer(&twice),
        ["info depth 0 score cp 0 nodes 0", "bestmove draw"]
    );
    // A fourth time, and positions beside the repeated ones.
    let third = [&twice[..], &shuffle].concat();
    assert_eq!(best(&answer(&third)), "draw");
    assert_eq!(best(&answer(&third[..9])), "draw");
    let away = [&twice[..], &["g7-g4"]].concat();
    assert_ne!(best(&answer(&away)), "draw");
    // The side to move counts: White loses a move, and the same men stand there.
    let other = [
        "a1-a4", "e3-e4", "a4-a1", "e4-e5", "b4-b6", "e5-e4", "b6-b4",
    ];
    assert_ne!(best(&answer(&other)), "draw");
}

#[test]
fn a_man_placed_begins_the_count_anew() {
    // Whole histories from the start, whose first moving position counts.
    let placed = "a1 a7 b4 d2 d5 e3 g7 f6";
    let shuffle = "a1-a4 e3-e4 a4-a1 e4-e3";
    let ask = |moves: &str| to_new(&[&format!("position startpos moves {moves}"), "go"]);
    assert_ne!(best(&ask(placed)), "draw");
    assert_ne!(best(&ask(&format!("{placed} {shuffle}"))), "draw");
    let twice = ask(&format!("{placed} {shuffle} {shuffle}"));
    assert_eq!(best(&twice), "draw");
}

#[test]
fn the_end_of_the_game_is_told() {
    for (own, lost, score) in [
        ("a1d1/b2b4b6 w", "White", "cp -80"),
        ("a1d1g7/b2b4 w", "Black", "cp 80"),
        ("a1d1g7/b2b4 b", "Black", "cp 80"),
        // White is blocked.
        ("a1a7g1g7/a4d1d7g4 w", "White", "cp -80"),
    ] {
        let answer = to_new(&[&format!("position fen {}", fen_of(own)), "go topn 3"]);
        let expected = [
            format!("info string game over: {lost} has lost"),
            format!("info depth 0 score {score} nodes 0"),
            "bestmove none".to_owned(),
        ];
        assert_eq!(answer, expected, "{own}");
        let refused = to_new(&[&format!("position fen {} moves a1-a4", fen_of(own))]);
        assert!(refused[0].contains("the game is over"), "{refused:?}");
    }
}

/// Histories that lead to a position worth `value` for the side to move.
struct Rehearsed {
    /// The action that brings about a third repetition after `told`.
    action: String,
    /// A history after which `action` is the third repetition.
    told: String,
    /// A history after which the answer to `action` can be the third repetition.
    told_before: String,
}

/// A rehearsed position at random, in which the action is worth `value` too.
fn rehearsed(database: &Database, random: &mut Random, value: Value) -> Rehearsed {
    let rules = database.rules();
    let board = rules.board();
    let points: Vec<_> = board.points().iter().collect();
    loop {
        let mut men = points.clone();
        let mut pick = || men.swap_remove(random.below(men.len()));
        let mut set = || {
            [pick(), pick(), pick()]
                .into_iter()
                .fold(Default::default(), with)
        };
        let now = Position {
            white: set(),
            black: set(),
            white_hand: 0,
            black_hand: 0,
            side: Colour::White,
        };
        if database.value(&now).unwrap() != value {
            continue;
        }
        // White goes back to a position in which Black has a man to move there and back.
        let steps = rules.steps(&now.into());
        let (step, next) = steps[random.below(steps.len())];
        let (
            Step::Man {
                from: Some(v),
                to: u,
            },
            false,
        ) = (step, next.is_removal())
        else {
            continue;
        };
        let replies = rules.steps(&next);
        if replies.is_empty() {
            continue;
        }
        let (reply, after) = replies[random.below(replies.len())];
        let Step::Man {
            from: Some(x),
            to: y,
        } = reply
        else {
            continue;
        };
        let man = |from, to| {
            word(
                rules,
                Step::Man {
                    from: Some(from),
                    to,
                },
            )
        };
        let round = [man(x, y), man(u, v), man(y, x), man(v, u)];
        let tell = |start: Turn, words: &[String]| {
            let words = words.join(" ");
            let history = Dialect::Sanmill.read_history(rules, start, &words).ok()?;
            let quiet = history.steps.iter().all(|(_, turn)| !turn.is_removal());
            let told = format!("position fen {} moves {words}", fen(rules, start));
            (quiet && history.end() == now.into()).then_some(told)
        };
        let twice = [&round[..], &round[..]].concat();
        let (told, told_before) = (tell(next, &twice[..7]), tell(after, &twice[1..7]));
        if let (Some(told), Some(told_before), true) = (
            told,
            told_before,
            worth_after(database, Colour::White, &next) == value,
        ) {
            let action = man(v, u);
            return Rehearsed {
                action,
                told,
                told_before,
            };
        }
    }
}

fn with(men: mlynek::board::PointSet, point: mlynek::board::Point) -> mlynek::board::PointSet {
    men.with(point)
}

#[test]
fn repetitions_are_brought_about_by_losers_only() {
    let mut random = Random(4);
    let mut others = 0;
    for _ in 0..20 {
        let lost = rehearsed(standard(), &mut random, Value::Loss);
        let answer = to_new(&[&lost.told, "go"]);
        assert_eq!(best(&answer), lost.action, "{}", lost.told);
        assert!(answer[0].contains(" score cp 0 "));

        let won = rehearsed(standard(), &mut random, Value::Win);
        let listed = format!(" move {} score cp 0", won.action);
        for told in [&won.told, &won.told_before] {
            let answer = to_new(&[told, "go topn 60"]);
            let is_draw = answer.iter().any(|line| line.ends_with(&listed));
            assert!(is_draw, "{told}: {answer:?}");
            // Another win is found, if there is one.
            if answer[0].ends_with(" score cp 80") || answer[0].contains(" score mate ") {
                assert_ne!(best(&answer), won.action, "{told}");
                others += 1;
            }
        }
    }
    assert!(others > 10);
}

#[test]
fn the_first_choice_is_that_of_a_probe() {
    let database = standard();
    let rules = database.rules();
    let mut random = Random(31);
    for _ in 0..100 {
        let mut turn = Turn::Move(rules.start());
        for _ in 0..random.below(20) {
            let steps = rules.steps(&turn);
            if steps.is_empty() {
                break;
            }
            turn = steps[random.below(steps.len())].1;
        }
        let Turn::Move(position) = turn else { continue };
        let answer = to_new(&[&format!("position fen {}", fen(rules, turn)), "go"]);
        match database.best_move(&position).unwrap() {
            None => assert_eq!(best(&answer), "none"),
            Some(ranked) => {
                let history = Dialect::Sanmill.read_history(rules, turn, best(&answer));
                let next = history.unwrap().end();
                assert_eq!(worth_after(database, turn.side(), &next), ranked.value);
            }
        }
    }
}

/// A copy of the standard game, to be damaged.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(GAMES[0].0.path()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

#[test]
fn tables_that_cannot_be_read_are_errors() {
    let table = "1-2+3-2.mly";
    let ask = ["position startpos moves d6 f4", "go"];
    let dir = copy();
    let path = dir.path().join(table);
    let bytes = fs::read(&path).unwrap();
    let database = Database::open(dir.path()).unwrap();
    let mut engine = Engine::new(&database);
    fs::remove_file(&path).unwrap();
    let missing = said(&mut engine, &ask);
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(missing[0].starts_with("info string tables unavailable: what "));
    assert!(missing[0].contains(&format!("missing table {table}")));
    // It lives on, says the same in strict mode, and answers when the table is there.
    assert_eq!(said(&mut engine, &["position startpos", "go"]).len(), 2);
    let on = "setoption name StrictFailurePolicy value true";
    let error = said(&mut engine, &[on, ask[0], ask[1]]);
    assert_eq!(strict(&error)["code"], "tables_unavailable");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(said(&mut engine, &ask).len(), 2);

    for damage in [
        bytes[..bytes.len() / 2].to_vec(),
        vec![0; bytes.len()],
        Vec::new(),
    ] {
        fs::write(&path, damage).unwrap();
        let database = Database::open(dir.path()).unwrap();
        let mut engine = Engine::new(&database);
        let damaged = said(&mut engine, &ask);
        assert_eq!(damaged.len(), 1, "{damaged:?}");
        assert!(damaged[0].starts_with("info string tables unavailable: "));
        assert!(damaged[0].contains(table), "{damaged:?}");
        assert_eq!(said(&mut engine, &["ucinewgame", "go"]).len(), 2);
    }
}

#[test]
fn the_example_of_the_help_is_true() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample/standard");
    let database = Database::open(sample).unwrap();
    let mut engine = Engine::new(&database);
    let answer = said(&mut engine, &["position startpos moves d6 f4", "go"]);
    let help = Command::new(env!("CARGO_BIN_EXE_mlynek"))
        .args(["engine", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("Example:\n  mlynek engine"), "{help}");
    for line in answer {
        assert!(help.contains(&line), "{line}");
    }
}

#[test]
fn lines_are_read_whatever_they_are() {
    let read = |bytes: &[u8]| -> Vec<String> { lines(bytes).map(Result::unwrap).collect() };
    assert_eq!(read(b""), [""; 0]);
    assert_eq!(read(b"uci\nisready"), ["uci", "isready"]);
    assert_eq!(read(b"\n\r\n go \n"), ["", "\r", " go "]);
    assert_eq!(read(b"a\xff\n"), ["a\u{fffd}"]);
    let long = [&vec![b'x'; LONGEST_LINE + 10][..], b"\nuci\n"].concat();
    let lines = read(&long);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].len(), LONGEST_LINE + 1);
    assert_eq!(lines[1], "uci");
}

/// Lines that look like the protocol, more or less.
fn any_line() -> impl Strategy<Value = String> {
    let words = [
        "uci",
        "isready",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "value",
        "true",
        "false",
        "StrictFailurePolicy",
        "OneLineAnswers",
        "infinite",
        "topn",
        "depth",
        "3",
        "-1",
        "a1",
        "d6",
        "a4",
        "a7",
        "b2",
        "b4",
        "xb2",
        "xd6",
        "a1-a4",
        "a4-a1",
        "ucinewgame",
        "w",
        "p",
        "0",
        "4",
        "\u{1f}",
        "ü",
        "********/********/********",
    ];
    let word = prop::sample::select(words.to_vec());
    let spoken = prop::collection::vec(word.clone(), 0..9).prop_map(|words| words.join(" "));
    let told = prop::collection::vec(word, 0..9)
        .prop_map(|words| format!("position startpos moves {}", words.join(" ")));
    prop_oneof![4 => spoken, 2 => told, 2 => Just("go".to_owned()), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn no_line_ends_the_engine(lines in prop::collection::vec(any_line(), 0..30)) {
        let mut engine = Engine::new(standard());
        for line in &lines {
            let reply = engine.hear(line);
            prop_assert!(!reply.quit || line.split_whitespace().next() == Some("quit"));
            for said in &reply.lines {
                prop_assert!(!said.chars().any(char::is_control), "{:?}", said);
            }
            if line == "go" {
                let starts = |beginning: &str| {
                    let last = reply.lines.last();
                    last.is_some_and(|line| line.starts_with(beginning))
                };
                let last = reply.lines.last().unwrap();
                let answered = last.split(' ').any(|word| word == "bestmove");
                prop_assert!(answered != starts("info string "), "{:?}", reply);
            }
        }
        prop_assert_eq!(engine.hear("isready").lines, ["readyok"]);
        let after = said(&mut engine, &["ucinewgame", "go"]);
        prop_assert!(after.last().unwrap().contains("bestmove "));
    }
}
