//! Which game, and which part of it.

use clap::Args;
use clap::ValueEnum;
use mlynek::generate::{Plan, Scope};
use mlynek::report::text::parse_size;
use mlynek::rules::{RuleSet, Subspace};
use mlynek::table::Metric;

use super::output::Failure;

/// Reads the name of a rule set.
pub fn rule_set(name: &str) -> Result<RuleSet, String> {
    RuleSet::by_name(name).ok_or_else(|| {
        format!(
            "there are no such rules; expected {}",
            RuleSet::names().collect::<Vec<_>>().join(" or ")
        )
    })
}

/// Reads a size in bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// The arguments that say which game, and which part of it.
#[derive(Debug, Args)]
pub struct ScopeArguments {
    /// The rules: see `mlynek rules`.
    #[arg(long, value_name = "NAME", value_parser = rule_set, default_value = "standard")]
    rules: RuleSet,

    /// Play with N men each instead of nine.
    #[arg(long, value_name = "N")]
    men: Option<usize>,

    /// No placing: only the subspaces with both hands empty and at most N men on either side.
    #[arg(long, value_name = "N", conflicts_with = "subspace")]
    max_men: Option<usize>,

    /// No placing: only this subspace (w-b, the mover's and the opponent's men) and those it leads
    /// to. Can be given several times, or with several subspaces.
    #[arg(long, value_name = "W-B", num_args = 1..)]
    subspace: Vec<Subspace>,

    /// What is found out about each position.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = MetricArgument::Wld)]
    metric: MetricArgument,
}

/// What is found out about each position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum MetricArgument {
    /// Win, loss or draw.
    Wld,
    /// That, and in how many plies the game ends.
    Depth,
}

impl ScopeArguments {
    /// The rules, with as many men as asked for.
    fn rules(&self) -> Result<RuleSet, Failure> {
        match self.men {
            None => Ok(self.rules.clone()),
            Some(men) => Ok(self.rules.with_men(men)?),
        }
    }

    /// The plan for what is asked for.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let rules = self.rules()?;
        let scope = self.scope(&rules)?;
        let metric = match self.metric {
            MetricArgument::Wld => Metric::Values,
            MetricArgument::Depth => Metric::Grades,
        };
        Ok(Plan::new(rules, scope, metric)?)
    }

    /// The part of the game that is asked for.
    fn scope(&self, rules: &RuleSet) -> Result<Scope, Failure> {
        let Some(most) = self.max_men else {
            return Ok(if self.subspace.is_empty() {
                Scope::Game
            } else {
                Scope::Moving(self.subspace.clone())
            });
        };
        let mut subspaces = rules.moving_subspaces();
        subspaces.retain(|subspace| usize::from(subspace.mover.max(subspace.opponent)) <= most);
        if subspaces.is_empty() {
            return Err(Failure::Error(format!(
                "--max-men {most}: no subspace has so few men a side; expected {} or more",
                rules.fewest_men()
            )));
        }
        Ok(Scope::Moving(subspaces))
    }
}
