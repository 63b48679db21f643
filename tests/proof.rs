//! Tables made from the oracle are proved, and nothing else is.
//!
//! The long tests take minutes: `cargo test --release --test proof -- --ignored`.

mod common;
mod oracle;
mod translation;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use mlynek::board::Board;
use mlynek::grade::Grade;
use mlynek::index::Index;
use mlynek::rules::{Colour, Position, RuleSet, Subspace, Value};
use mlynek::verify::Watch;
use mlynek::verify::proof::{
    Fault, GradeSource, ProofError, ProofPlan, ProofPlanError, TableProof, prove, prove_plainly,
};
use oracle::{GameOracle, Oracle};
use proptest::prelude::*;
use rayon::prelude::*;
use translation::Translation;

static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(Board::nine()));

/// A twin slot may hold anything, so here it holds what is nowhere right.
const ANYTHING: u8 = 127;

/// The grades of a game, or of some subspaces of it.
#[derive(Clone)]
struct Game {
    rules: RuleSet,
    tables: BTreeMap<Subspace, Vec<u8>>,
}

impl GradeSource for Game {
    type Error = Infallible;

    fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, Infallible> {
        Ok(self.tables[&subspace].clone())
    }
}

impl Game {
    /// The moving subspaces that the oracle has solved.
    fn moving(name: &str, men: usize, oracle: &Oracle) -> Self {
        let mut game = Self {
            rules: common::rules(name, men),
            tables: BTreeMap::new(),
        };
        for (mover, opponent) in oracle.solved() {
            game.add(Subspace::moving(mover, opponent), |mover, opponent| {
                let value = oracle.value(mover, opponent);
                translation::grade(value, oracle.depth(mover, opponent))
            });
        }
        game
    }

    /// A whole game with so many men each.
    fn whole(name: &str, men: usize) -> Self {
        let oracle = GameOracle::solve(oracle_rules(name), men as u8);
        let mut game = Self::moving(name, men, oracle.moving());
        for counts in oracle.placing_subspaces() {
            game.add(translation::subspace(&counts), |mover, opponent| {
                let position = oracle::Position {
                    mover,
                    opponent,
                    mover_hand: counts.mover_hand,
                    opponent_hand: counts.opponent_hand,
                };
                translation::grade(oracle.value(&position), oracle.depth(&position))
            });
        }
        game
    }

    /// Adds a table with the grades that the oracle gives to its own sets of men.
    fn add(&mut self, subspace: Subspace, grade: impl Fn(u32, u32) -> Grade + Sync) {
        let translation = Translation::new(INDEX.board());
        let codes = (0..INDEX.slots(subspace)).into_par_iter().map(|slot| {
            let (mover, opponent) = INDEX.position(subspace, slot);
            if INDEX.slot(subspace, mover, opponent) != slot {
                return ANYTHING;
            }
            grade(translation.back(mover), translation.back(opponent)).code()
        });
        self.tables.insert(subspace, codes.collect());
    }

    fn subspaces(&self) -> Vec<Subspace> {
        self.tables.keys().copied().collect()
    }

    fn plan(&self) -> ProofPlan {
        ProofPlan::new(&self.rules, &INDEX, &self.subspaces(), None).unwrap()
    }

    fn prove(&self) -> Vec<TableProof> {
        let stop = AtomicBool::new(false);
        prove(&self.plan(), &INDEX, self, &(), &stop, |_| ()).unwrap()
    }

    #[track_caller]
    fn assert_proved(&self) {
        let proofs = self.prove();
        assert_eq!(proofs.len(), self.tables.len());
        for proof in &proofs {
            let problem = proof
                .first
                .as_ref()
                .map(|fault| fault.problem(INDEX.board()));
            assert!(proof.holds(), "{}: {problem:?}", proof.subspace);
            assert_eq!(proof.positions, INDEX.canonical_positions(proof.subspace));
        }
    }

    /// The position of a slot.
    fn position(&self, (subspace, slot): Place) -> Position {
        let (mover, opponent) = INDEX.position(subspace, slot);
        let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
        Position::of_mover(Colour::White, mover, opponent, hand, other_hand)
    }

    /// Where the positions after are, those in which the game is over left out.
    fn after(&self, place: Place) -> Vec<Place> {
        let successors = self.rules.successors(&self.position(place)).into_iter();
        let going_on = successors.filter(|(_, next)| self.rules.outcome(next).is_none());
        going_on.map(|(_, next)| place_of(&next)).collect()
    }

    fn code(&self, (subspace, slot): Place) -> u8 {
        self.tables[&subspace][slot as usize]
    }

    fn set(&mut self, (subspace, slot): Place, code: u8) {
        self.tables.get_mut(&subspace).unwrap()[slot as usize] = code;
    }
}

/// A subspace and a slot.
type Place = (Subspace, u64);

fn place_of(position: &Position) -> Place {
    let subspace = position.subspace();
    let slot = INDEX.slot(subspace, position.mover(), position.opponent());
    (subspace, slot)
}

fn oracle_rules(name: &str) -> oracle::Rules {
    let flying = name == "standard";
    oracle::Rules { flying }
}

/// Games that are small enough for every test.
static GAMES: LazyLock<Vec<Game>> = LazyLock::new(|| {
    let moving =
        |name, target| Game::moving(name, 9, &Oracle::moving(oracle_rules(name), &[target]));
    vec![
        Game::whole("standard", 3),
        Game::whole("no-flying", 3),
        moving("standard", (4, 3)),
        moving("no-flying", (4, 3)),
    ]
});

#[test]
fn right_games_are_proved() {
    for game in GAMES.iter() {
        game.assert_proved();
    }
}

#[test]
fn one_position_at_a_time_proves_the_same() {
    for game in &GAMES[..2] {
        for subspace in game.subspaces() {
            let plain = prove_plainly(&game.rules, &INDEX, subspace, game).unwrap();
            assert!(plain.holds(), "{plain:?}");
            assert_eq!(plain.positions, INDEX.canonical_positions(subspace));
        }
    }
}

#[test]
#[ignore = "takes a minute"]
fn right_games_of_four_men_are_proved() {
    for name in ["standard", "no-flying"] {
        Game::whole(name, 4).assert_proved();
        let oracle = Oracle::moving(oracle_rules(name), &[(4, 4), (5, 3)]);
        Game::moving(name, 9, &oracle).assert_proved();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever grade is changed to whatever byte, the proof finds it where it stands, and
    /// nothing wrong anywhere but there and in positions from which a move leads there.
    #[test]
    fn a_changed_grade_is_found(game in 0..4usize, table: u64, slot: u64, change in 1..=u8::MAX) {
        let mut game = GAMES[game].clone();
        let names = game.subspaces();
        let subspace = names[(table % names.len() as u64) as usize];
        let slot = slot % INDEX.slots(subspace);
        let (mover, opponent) = INDEX.position(subspace, slot);
        let place = (subspace, INDEX.slot(subspace, mover, opponent));
        let right = game.code(place);
        game.set(place, right.wrapping_add(change));
        for proof in game.prove() {
            let Some(fault) = &proof.first else {
                prop_assert_ne!(proof.subspace, subspace);
                continue;
            };
            prop_assert!(proof.wrong > 0);
            let found = (proof.subspace, fault.slot);
            prop_assert_eq!(place_of(&fault.position), found);
            if found == place {
                prop_assert_eq!(fault.stored, right.wrapping_add(change));
                prop_assert_eq!(fault.expected, Grade::from_code(right));
            } else {
                prop_assert!(game.after(found).contains(&place));
                prop_assert_eq!(fault.stored, game.code(found));
            }
            if found != place && proof.subspace == subspace {
                // It is wrong, too, but further on.
                prop_assert!(fault.slot < place.1 && proof.wrong > 1);
            }
            prop_assert!(Grade::from_code(fault.stored) != fault.expected);
        }
    }
}

/// Draws that are said to be won and lost in a ring, each for the sake of the next, agree with
/// their moves as far as values go. Their depths never do.
#[test]
fn wins_that_go_round_in_a_ring_are_found() {
    let right = &GAMES[3];
    let [more, fewer] = [Subspace::moving(4, 3), Subspace::moving(3, 4)];
    let draws = |subspace| {
        let codes = (0..).zip(&right.tables[&subspace]);
        let draws = codes.filter(|(_, code)| **code == Grade::DRAW.code());
        draws.map(move |(slot, _)| (subspace, slot))
    };
    // To be won by the side with four men, for ever: it has a move to another of the ring, and
    // the other side has none to anything better.
    let mut ring: BTreeSet<Place> = draws(more).chain(draws(fewer)).collect();
    loop {
        let stays = |&&place: &&Place| {
            let mut after = right.after(place).into_iter();
            if place.0 == more {
                after.any(|next| ring.contains(&next))
            } else {
                let lost = |next| ring.contains(&next) || won(right.code(next));
                after.all(lost)
            }
        };
        let left: BTreeSet<_> = ring.iter().filter(stays).copied().collect();
        let same = left.len() == ring.len();
        ring = left;
        if same {
            break;
        }
    }
    assert!(!ring.is_empty());
    for (win, loss) in [(101, 100), (1, 0), (99, 100), (253, 252)] {
        let mut game = right.clone();
        for &place in &ring {
            let grade = if place.0 == more {
                Grade::win(win)
            } else {
                Grade::loss(loss)
            };
            game.set(place, grade.unwrap().code());
        }
        // Values see nothing.
        for &place in &ring {
            let values = game
                .after(place)
                .into_iter()
                .map(|next| value(game.code(next)));
            assert_eq!(
                values.min().map(|value| -value),
                Some(value(game.code(place)))
            );
        }
        let proofs = game.prove();
        let wrong = |subspace| {
            let proof = proofs
                .iter()
                .find(|proof| proof.subspace == subspace)
                .unwrap();
            proof.wrong
        };
        assert!(
            wrong(more) + wrong(fewer) > 0,
            "win in {win}, loss in {loss}"
        );
    }
}

fn value(code: u8) -> Value {
    Grade::from_code(code).unwrap().value()
}

fn won(code: u8) -> bool {
    value(code) == Value::Win
}

/// The same is found whatever the number of threads, and however little memory there is.
#[test]
fn a_proof_does_not_depend_on_threads_or_memory() {
    let mut game = GAMES[0].clone();
    for (nth, codes) in game.tables.values_mut().enumerate() {
        for code in codes.iter_mut().skip(3 + nth).step_by(701) {
            *code = code.wrapping_mul(3);
        }
    }
    let expected = game.prove();
    assert!(expected.iter().any(|proof| proof.wrong > 10));
    let all = game.subspaces();
    let single = |subspace: &Subspace| {
        let plan = ProofPlan::new(&game.rules, &INDEX, &[*subspace], None).unwrap();
        plan.memory()
    };
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let least = all.iter().map(single).max().unwrap();
            let plan = ProofPlan::new(&game.rules, &INDEX, &all, Some(least)).unwrap();
            assert!(plan.memory() <= least);
            assert!(plan.reads() >= game.plan().reads());
            let stop = AtomicBool::new(false);
            let proofs = prove(&plan, &INDEX, &game, &(), &stop, |_| ()).unwrap();
            assert_eq!(proofs, expected);
            let too_little = ProofPlan::new(&game.rules, &INDEX, &all, Some(least - 1));
            assert!(
                matches!(too_little, Err(ProofPlanError::Memory { needed, .. }) if needed == least)
            );
        });
    }
    let plain = |proof: &TableProof| {
        prove_plainly(&game.rules, &INDEX, proof.subspace, &game).unwrap() == *proof
    };
    assert!(expected.iter().all(plain));
}

#[test]
fn a_proof_can_be_watched_and_stopped() {
    struct StopAt<'a>(f64, &'a AtomicBool, std::sync::Mutex<f64>);
    impl Watch for StopAt<'_> {
        fn progress(&self, fraction: f64) {
            let mut last = self.2.lock().unwrap();
            assert!(fraction >= *last && fraction <= 1.0);
            *last = fraction;
            if fraction >= self.0 {
                self.1.store(true, Ordering::Relaxed);
            }
        }
    }
    let game = &GAMES[0];
    for limit in [2.0, 0.0, 0.5] {
        let stop = AtomicBool::new(false);
        let watch = StopAt(limit, &stop, std::sync::Mutex::new(0.0));
        let mut tables = 0;
        let result = prove(&game.plan(), &INDEX, game, &watch, &stop, |_| tables += 1);
        if limit > 1.0 {
            assert_eq!(result.unwrap().len(), tables);
            assert_eq!(*watch.2.lock().unwrap(), 1.0);
        } else {
            assert!(matches!(result, Err(ProofError::Stopped)));
            assert!(tables < game.tables.len());
        }
    }
}

/// Sources that fail, and subspaces that are none.
#[test]
fn what_cannot_be_proved_is_said() {
    #[derive(Debug, thiserror::Error)]
    #[error("no table {0}")]
    struct NoTable(Subspace);
    struct Partial<'a>(&'a Game, Subspace, usize);
    impl GradeSource for Partial<'_> {
        type Error = NoTable;

        fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, NoTable> {
            match &self.0.tables[&subspace] {
                _ if subspace == self.1 && self.2 == 0 => Err(NoTable(subspace)),
                codes if subspace == self.1 => Ok(codes[..self.2].to_vec()),
                codes => Ok(codes.clone()),
            }
        }
    }
    let game = &GAMES[0];
    let last: Subspace = "3-3".parse().unwrap();
    let first: Subspace = "2-3+1-0".parse().unwrap();
    let plan = ProofPlan::new(&game.rules, &INDEX, &[first], None).unwrap();
    let stop = AtomicBool::new(false);
    let error = |length| {
        let source = Partial(game, last, length);
        let fast = prove(&plan, &INDEX, &source, &(), &stop, |_| ()).unwrap_err();
        let plain = prove_plainly(&game.rules, &INDEX, first, &source).unwrap_err();
        assert_eq!(fast.to_string(), plain.to_string());
        fast.to_string()
    };
    assert_eq!(error(0), "cannot prove 2-3+1-0: no table 3-3");
    assert_eq!(error(7), "3-3: expected 210140 grades, got 7");
    for text in ["3-2", "4-4", "1-1+1-1", "0-0+9-9"] {
        let subspace: Subspace = text.parse().unwrap();
        let plan = ProofPlan::new(&game.rules, &INDEX, &[subspace], None);
        assert_eq!(
            plan.unwrap_err(),
            ProofPlanError::NoSuchSubspace(subspace, 3)
        );
    }
}

/// The plan of the whole game keeps to 8 GiB with room to spare, and reads no table often.
#[test]
fn the_whole_game_needs_little_memory() {
    let rules = common::rules("standard", 9);
    let index = Index::new(rules.board());
    let all = [rules.moving_subspaces(), rules.placing_subspaces()].concat();
    let plan = ProofPlan::new(&rules, &index, &all, None).unwrap();
    assert_eq!(plan.subspaces().count(), 319);
    assert!(plan.memory() <= ProofPlan::MEMORY);
    let least = ProofPlan::new(&rules, &index, &all, Some(3 << 30)).unwrap();
    assert!(least.memory() <= 3 << 30);
    assert!(least.reads() < 450 && plan.reads() < 400);
}

/// Faults have the look of other findings.
#[test]
fn a_fault_reads_like_a_finding() {
    let mut game = GAMES[0].clone();
    let position = mlynek::notation::read_position(INDEX.board(), "a1a4d7/b2b4d2 w").unwrap();
    let place = place_of(&position);
    game.set(place, Grade::DRAW.code());
    let proofs = game.prove();
    let faults = proofs.iter().filter(|proof| proof.subspace == place.0);
    let faults: Vec<&Fault> = faults.filter_map(|proof| proof.first.as_ref()).collect();
    assert_eq!(
        faults[0].problem(INDEX.board()).to_string(),
        "b4d6f2/a7d7g4 w: expected draw, found loss in 12 (the best move, f2-b6, leads there)"
    );
}
