//! The fast check against the plain one, on tables of chance: whatever the positions after are
//! said to be worth, both must come to the same.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::board::Board;

/// Grades in memory.
#[derive(Clone, Default)]
struct Tables(BTreeMap<Subspace, Vec<u8>>);

impl GradeSource for Tables {
    type Error = Infallible;

    fn grades(&self, subspace: Subspace) -> Result<Vec<u8>, Infallible> {
        Ok(self.0[&subspace].clone())
    }
}

static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(Board::nine()));

fn rules(name: &str) -> RuleSet {
    let (name, men) = name.split_once('/').unwrap_or((name, "9"));
    let rules = RuleSet::by_name(name).unwrap();
    rules.with_men(men.parse().unwrap()).unwrap()
}

/// A number that looks like chance (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The grade that the moves of a position give it, or the code of none.
fn expected(rules: &RuleSet, tables: &Tables, subspace: Subspace, slot: u64) -> u8 {
    let (mover, opponent) = INDEX.position(subspace, slot);
    let (hand, other_hand) = (subspace.mover_hand, subspace.opponent_hand);
    let position = Position::of_mover(Colour::White, mover, opponent, hand, other_hand);
    let worths = rules.successors(&position).into_iter().map(|(_, next)| {
        let grade = match rules.outcome(&next) {
            Some(Value::Loss) => Grade::OVER,
            Some(_) => Grade::win(1).unwrap(),
            None => {
                let slot = INDEX.slot(next.subspace(), next.mover(), next.opponent());
                match Grade::from_code(tables.0[&next.subspace()][slot as usize]) {
                    Some(grade) => grade,
                    None => return 0,
                }
            }
        };
        grade.before().map_or(127, Grade::code)
    });
    worths.max().unwrap_or(0)
}

/// A table with the grades that tables of chance give it, and those: all grades but the win in 253,
/// before which none can come. What its twin slots hold is chance, too.
fn consequence(rules: &RuleSet, subspace: Subspace, seed: u64) -> Tables {
    let mut tables = Tables::default();
    for after in rules.subspaces_after(subspace) {
        assert_ne!(after, subspace);
        let codes = (0..INDEX.slots(after)).map(|slot| match mixed(mixed(seed ^ slot)) as u8 {
            127 | 129 => 128,
            code => code,
        });
        tables.0.insert(after, codes.collect());
    }
    let codes = (0..INDEX.slots(subspace)).map(|slot| {
        let (mover, opponent) = INDEX.position(subspace, slot);
        if INDEX.slot(subspace, mover, opponent) == slot {
            expected(rules, &tables, subspace, slot)
        } else {
            mixed(slot) as u8
        }
    });
    let codes = codes.collect();
    tables.0.insert(subspace, codes);
    tables
}

fn proved(rules: &RuleSet, tables: &Tables, subspace: Subspace) -> TableProof {
    let plan = ProofPlan::new(rules, &INDEX, &[subspace], None).unwrap();
    let stop = AtomicBool::new(false);
    let mut told = Vec::new();
    let found = |proof: &TableProof| told.push(proof.clone());
    let proofs = prove(&plan, &INDEX, tables, &(), &stop, found).unwrap();
    assert_eq!(proofs, told);
    proofs.into_iter().next().unwrap()
}

/// Subspaces of every kind: moving and flying, blocked or not, either player placing, with and
/// without men that can be removed, the last men in hand, few men left.
const CASES: &[(&str, &str)] = &[
    ("standard", "4-3"),
    ("no-flying", "4-3"),
    ("standard", "3-4"),
    ("no-flying", "3-4"),
    ("standard", "0-0+9-9"),
    ("standard", "0-1+9-8"),
    ("standard", "2-2+7-7"),
    ("standard", "2-3+7-6"),
    ("standard", "3-3+6-6"),
    ("standard", "1-3+7-6"),
    ("standard", "2-4+5-5"),
    ("no-flying/4", "2-3+2-1"),
    ("standard/4", "3-3+1-1"),
    ("standard/4", "2-3+1-0"),
    ("standard/4", "3-4+1-0"),
    ("standard/4", "1-4+1-0"),
    ("standard/5", "4-3+1-1"),
];

#[test]
fn right_tables_are_proved_and_wrong_ones_are_not() {
    for (number, (name, text)) in CASES.iter().enumerate() {
        let rules = rules(name);
        let subspace: Subspace = text.parse().unwrap();
        if !rules.occurs(subspace) {
            panic!("{name} {text}");
        }
        let mut tables = consequence(&rules, subspace, number as u64);
        let proof = proved(&rules, &tables, subspace);
        assert!(proof.holds(), "{name} {text}: {proof:?}");
        assert_eq!(proof.positions, INDEX.canonical_positions(subspace));

        let codes = tables.0.get_mut(&subspace).unwrap();
        for code in codes.iter_mut().step_by(101) {
            *code = code.wrapping_add(1);
        }
        let proof = proved(&rules, &tables, subspace);
        let plain = prove_plainly(&rules, &INDEX, subspace, &tables).unwrap();
        assert_eq!(proof, plain, "{name} {text}");
        assert!(proof.wrong > 0 || proof.positions < 10);
    }
}

/// What a fault says is what the rules say.
#[test]
fn faults_say_what_is_wrong() {
    let rules = rules("standard");
    let subspace: Subspace = "2-3+7-6".parse().unwrap();
    let right = consequence(&rules, subspace, 7);
    let slots = INDEX.slots(subspace);
    let mut tables = right.clone();
    let codes = tables.0.get_mut(&subspace).unwrap();
    let is_home = |&slot: &u64| {
        let (mover, opponent) = INDEX.position(subspace, slot);
        INDEX.slot(subspace, mover, opponent) == slot
    };
    let wrong: Vec<_> = (slots / 3..slots).step_by(1009).filter(is_home).collect();
    for &slot in &wrong {
        codes[slot as usize] = 127;
    }
    let proof = proved(&rules, &tables, subspace);
    assert_eq!(proof.wrong, wrong.len() as u64);
    assert!(!proof.holds());
    let fault = proof.first.unwrap();
    let grade = right.0[&subspace][wrong[0] as usize];
    assert_eq!((fault.slot, fault.stored), (wrong[0], 127));
    assert_eq!(fault.expected, Grade::from_code(grade));
    let successors = rules.successors(&fault.position);
    let played = fault.because.unwrap();
    let (_, next) = successors
        .iter()
        .find(|(other, _)| *other == played)
        .unwrap();
    let slot = INDEX.slot(next.subspace(), next.mover(), next.opponent());
    let after = Grade::from_code(tables.0[&next.subspace()][slot as usize]).unwrap();
    assert_eq!(after.before(), fault.expected);
    let problem = fault.problem(rules.board()).to_string();
    assert!(
        problem.contains("found 127, the code of no grade (the best move, "),
        "{problem}"
    );
}

/// A table of nothing but wins in 253 leaves no grade for the positions before.
#[test]
fn what_no_grade_can_say_is_never_right() {
    let rules = rules("standard");
    let subspace: Subspace = "0-1+9-8".parse().unwrap();
    for stored in 0..=u8::MAX {
        let mut tables = consequence(&rules, subspace, 0);
        for after in rules.subspaces_after(subspace) {
            tables.0.get_mut(&after).unwrap().fill(129);
        }
        tables.0.get_mut(&subspace).unwrap().fill(stored);
        let proof = proved(&rules, &tables, subspace);
        assert_eq!(proof.wrong, proof.positions);
        assert_eq!(proof.first.as_ref().unwrap().expected, None);
        assert_eq!(
            proof,
            prove_plainly(&rules, &INDEX, subspace, &tables).unwrap()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever stands in the tables, the fast check and the plain one find the same, on any
    /// number of threads.
    #[test]
    fn the_fast_check_finds_what_the_plain_one_finds(
        case in 4..CASES.len(),
        seed: u64,
        changes in proptest::collection::vec((any::<u64>(), any::<u64>(), any::<u8>()), 1..40),
        threads in 1usize..4,
    ) {
        let (name, text) = CASES[case];
        let rules = rules(name);
        let subspace: Subspace = text.parse().unwrap();
        let mut tables = consequence(&rules, subspace, seed);
        let names: Vec<_> = tables.0.keys().copied().collect();
        for (table, slot, code) in changes {
            let codes = tables.0.get_mut(&names[(table % names.len() as u64) as usize]).unwrap();
            let slot = slot % codes.len() as u64;
            codes[slot as usize] = code;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let proof = pool.install(|| proved(&rules, &tables, subspace));
        prop_assert_eq!(proof, prove_plainly(&rules, &INDEX, subspace, &tables).unwrap());
    }
}
