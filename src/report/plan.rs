//! What a run of the solver will do, and what it takes.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::generate::Plan;
use crate::index::Index;
use crate::report::text::{counted, size, thousands};
use crate::rules::Subspace;
use crate::table::Metric;

/// A table that a run will make.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PlannedTable {
    /// The subspace.
    #[serde(serialize_with = "as_text")]
    pub subspace: Subspace,
    /// Its positions, one for each orbit of the board's symmetries.
    pub positions: u64,
    /// The slots of its table.
    pub slots: u64,
}

fn as_text<S: Serializer>(subspace: &Subspace, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(subspace)
}

/// What a run of the solver will do, and what it takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlanReport {
    /// The name of the rule set.
    pub rules: String,
    /// The fingerprint of the rule set.
    pub fingerprint: String,
    /// Whether depths are found out and written too, in as many tables again.
    pub depths: bool,
    /// How many positions the tables have, one for each orbit of the board's symmetries.
    pub positions: u64,
    /// How many slots the tables have.
    pub slots: u64,
    /// The most memory the run takes, in bytes.
    pub memory_bytes: u64,
    /// The most the tables take on disk, in bytes.
    pub disk_bytes: u64,
    /// The tables.
    pub tables: Vec<PlannedTable>,
}

impl PlanReport {
    /// The report on a plan.
    pub fn new(plan: &Plan) -> Self {
        let index = Index::new(plan.rules.board());
        let table = |&subspace| PlannedTable {
            subspace,
            positions: index.canonical_positions(subspace),
            slots: index.slots(subspace),
        };
        Self {
            rules: plan.rules.name().to_owned(),
            fingerprint: plan.rules.fingerprint().to_string(),
            depths: plan.metric == Metric::Grades,
            positions: plan.positions,
            slots: plan.slots,
            memory_bytes: plan.memory,
            disk_bytes: plan.disk,
            tables: plan.tables.iter().map(table).collect(),
        }
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables.len() as u64;
        let moving = self.tables.iter();
        let moving = moving.filter(|table| table.subspace.is_moving()).count() as u64;
        writeln!(f, "rules:     {} ({})", self.rules, self.fingerprint)?;
        writeln!(
            f,
            "tables:    {} ({} moving, {} placing){}",
            thousands(tables),
            thousands(moving),
            thousands(tables - moving),
            if self.depths {
                ", and as many of depths"
            } else {
                ""
            }
        )?;
        writeln!(
            f,
            "positions: {} up to symmetry, in {}",
            thousands(self.positions),
            counted(self.slots, "slot")
        )?;
        writeln!(f, "memory:    {}", size(self.memory_bytes))?;
        writeln!(f, "disk:      at most {}", size(self.disk_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Scope;
    use crate::rules::RuleSet;

    #[test]
    fn a_plan_says_what_it_takes() {
        let rules = RuleSet::by_name("standard").unwrap();
        let scope = Scope::Moving(vec!["4-3".parse().unwrap()]);
        let plan = Plan::new(rules, scope, Metric::Values).unwrap();
        let report = PlanReport::new(&plan);
        let positions = report.tables.iter().map(|table| table.positions);
        assert_eq!(positions.sum::<u64>(), report.positions);
        let slots = report.tables.iter().map(|table| table.slots);
        assert_eq!(slots.sum::<u64>(), report.slots);
        let text = report.to_string();
        assert!(
            text.contains("tables:    3 (3 moving, 0 placing)\n"),
            "{text}"
        );
        assert!(
            text.contains("positions: 1,690,422 up to symmetry, in "),
            "{text}"
        );
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["tables"][0]["subspace"], "3-3");
        assert_eq!(json["tables"][0]["positions"], 169_626);
    }
}
