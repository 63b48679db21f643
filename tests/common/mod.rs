//! Solving small games for tests.
#![allow(dead_code)]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use mlynek::generate::{self, Options, Plan, Scope, Summary};
use mlynek::rules::{RuleSet, Subspace};
use mlynek::table::Metric;

/// The rules of this name, with so many men each.
pub fn rules(name: &str, men: usize) -> RuleSet {
    let rules = RuleSet::by_name(name).expect("a rule set of this name");
    rules
        .with_men(men)
        .expect("a number of men the game can have")
}

/// The scope of one moving subspace and what it leads to.
pub fn moving(mover: usize, opponent: usize) -> Scope {
    Scope::Moving(vec![Subspace::moving(mover, opponent)])
}

/// Solves into a directory, values alone.
pub fn solve_into(dir: &Path, rules: &RuleSet, scope: Scope, options: &Options) -> Summary {
    solve(dir, rules, scope, Metric::Values, options)
}

/// Solves into a directory, with depths.
pub fn solve_with_depths(dir: &Path, rules: &RuleSet, scope: Scope, options: &Options) -> Summary {
    solve(dir, rules, scope, Metric::Grades, options)
}

/// Solves into a directory.
pub fn solve(
    dir: &Path,
    rules: &RuleSet,
    scope: Scope,
    metric: Metric,
    options: &Options,
) -> Summary {
    let plan = Plan::new(rules.clone(), scope, metric).expect("a scope of the game");
    generate::run(&plan, dir, options, &(), &AtomicBool::new(false)).expect("a whole run")
}
