//! `mlynek rules`: the rule sets there are.

use clap::Args;
use mlynek::report::text::TextTable;
use mlynek::rules::{Flying, RuleSet};
use serde::Serialize;

use super::output::{Failure, Output};
use super::scope::rule_set;

/// List the rule sets, or describe one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The rule set to describe.
    #[arg(value_name = "NAME", value_parser = rule_set)]
    name: Option<RuleSet>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example:
  mlynek rules
  mlynek rules no-flying --json";

/// A rule set, described.
#[derive(Serialize)]
struct Description {
    name: String,
    title: &'static str,
    fingerprint: String,
    board: &'static str,
    points: usize,
    mills: usize,
    symmetries: usize,
    men: usize,
    fewest_men: usize,
    /// With how many men a player flies; none where nobody does.
    flies_with: Option<usize>,
    definition: String,
}

impl Description {
    fn new(rules: &RuleSet) -> Self {
        let board = rules.board();
        Self {
            name: rules.name().to_owned(),
            title: rules.title(),
            fingerprint: rules.fingerprint().to_string(),
            board: board.table().name,
            points: board.len(),
            mills: board.mills().len(),
            symmetries: board.symmetries().len(),
            men: rules.men(),
            fewest_men: rules.fewest_men(),
            flies_with: match rules.flying() {
                Flying::Never => None,
                Flying::AtMost(men) => Some(men),
            },
            definition: rules.definition(),
        }
    }

    fn text(&self) -> String {
        format!(
            "{}: {}\nfingerprint: {}\nsymmetries: {}\n{}",
            self.name, self.title, self.fingerprint, self.symmetries, self.definition
        )
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    if let Some(rules) = &arguments.name {
        let description = Description::new(rules);
        return if arguments.json {
            output.json(&description)
        } else {
            output.print(description.text())
        };
    }
    let all = RuleSet::names().filter_map(RuleSet::by_name);
    let all: Vec<_> = all.map(|rules| Description::new(&rules)).collect();
    if arguments.json {
        return output.json(&all);
    }
    let mut table = TextTable::left(["name", "fingerprint", "what"]);
    for rules in &all {
        table.push([&rules.name[..], &rules.fingerprint, rules.title]);
    }
    output.print(table)
}
