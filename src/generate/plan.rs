//! What a run will do, and what it needs: known before it starts.

use std::collections::BTreeMap;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::index::Index;
use crate::planes::{Bounds, Graded, Planes};
use crate::rules::{NoSuchSubspace, RuleSet, Subspace};
use crate::solve::{Links, Solution, Workspace};
use crate::table::Metric;

/// What is to be solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The whole game, from the empty board.
    Game,
    /// These moving subspaces and those they lead to, without placing.
    Moving(Vec<Subspace>),
}

/// One step of a run; its tables are written and recorded before the next begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// The moving phase with `men` men of White and up to `most` of Black.
    Moving { men: usize, most: usize },
    /// The placing phase after `ply` plies.
    Placing { ply: usize },
}

impl Phase {
    /// The largest number of White's men the phase needs a level for.
    pub(super) fn men(self) -> usize {
        match self {
            Self::Moving { men, .. } => men,
            Self::Placing { ply } => ply.div_ceil(2),
        }
    }
}

/// A phase of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PhasePlan {
    /// What it is called, also in the manifest.
    pub name: String,
    /// The tables it makes.
    pub tables: Vec<Subspace>,
    pub(super) phase: Phase,
    /// Expected cost of solving, and of writing, in any unit.
    pub(super) solving: f64,
    pub(super) writing: f64,
}

impl PhasePlan {
    pub(super) fn cost(&self) -> f64 {
        self.solving + self.writing
    }
}

/// A run: what it makes and what it needs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules.
    pub rules: RuleSet,
    /// What is to be solved.
    pub scope: Scope,
    /// Whether values alone are written, or grades too.
    pub metric: Metric,
    /// Positions up to symmetry, of all tables.
    pub positions: u64,
    /// Slots of all tables.
    pub slots: u64,
    /// The tables.
    pub tables: Vec<Subspace>,
    /// The most memory the run takes, in bytes.
    pub memory: u64,
    /// The room the tables take on the disk, in bytes, with some reserve.
    pub disk: u64,
    /// The phases in order.
    pub phases: Vec<PhasePlan>,
    slots_of: BTreeMap<Subspace, u64>,
}

/// Room for buffers, stacks, and the program itself.
const BASE_MEMORY: u64 = 256 << 20;

/// Bits of disk the slots of a run are planned with: whole games take less than 0.65, and 3.2 for
/// depths.
const DISK_BITS_PER_SLOT: f64 = 1.0;

/// The same for depths.
const DEPTH_DISK_BITS_PER_SLOT: f64 = 3.5;

/// What the largest table is planned with on top: the least compressible takes 1.19.
const LARGEST_EXTRA_BITS_PER_SLOT: f64 = 0.25;

/// Bytes of disk a table is planned with on top of that: front, trailer, whole disk blocks.
const DISK_PER_TABLE: u64 = 8 << 10;

/// Nanoseconds on two processors, as measured: solving, for each bit of a plane of the moving
/// phase, more where White flies; of the placing phase; and writing, for each slot.
const MOVING_COST: f64 = 5.0;
const FLYING_FACTOR: f64 = 2.4;
const PLACING_COST: f64 = 0.35;
const WRITING_COST: f64 = 1.3;

/// How much more solving takes with depths, of the moving and of the placing phase, and what
/// writing them takes for each slot.
const DEPTH_FACTORS: (f64, f64) = (2.0, 4.0);
const DEPTH_WRITING_COST: f64 = 2.5;

impl Plan {
    /// The plan for a scope.
    ///
    /// # Errors
    /// When the scope names a subspace the game does not have.
    pub fn new(rules: RuleSet, scope: Scope, metric: Metric) -> Result<Self, NoSuchSubspace> {
        let index = Index::new(rules.board());
        let moving = match &scope {
            Scope::Game => rules.moving_subspaces(),
            Scope::Moving(targets) => rules.moving_closure(targets)?,
        };
        let placing = match &scope {
            Scope::Game => rules.placing_subspaces(),
            Scope::Moving(_) => Vec::new(),
        };
        let bits = |men: usize| {
            let empty = rules.board().len() - men;
            index.rows(men).len() as f64 * (1u64 << empty) as f64
        };
        let slots = |tables: &[Subspace]| tables.iter().map(|&t| index.slots(t)).sum::<u64>();
        let depths = metric == Metric::Grades;
        let writing_cost = WRITING_COST + if depths { DEPTH_WRITING_COST } else { 0.0 };
        let (moving_factor, placing_factor) = if depths { DEPTH_FACTORS } else { (1.0, 1.0) };
        let writing = |tables: &[Subspace]| slots(tables) as f64 * writing_cost;
        let mut phases = Vec::new();
        for men in rules.fewest_men()..=rules.men() {
            let of_level = |table: &&Subspace| usize::from(table.mover) == men;
            let tables: Vec<Subspace> = moving.iter().filter(of_level).copied().collect();
            let flies = rules.flying().allowed(men);
            let flying = if flies { FLYING_FACTOR } else { 1.0 };
            if let Some(most) = tables.iter().map(|table| usize::from(table.opponent)).max() {
                phases.push(PhasePlan {
                    name: format!("moving, {men} men against up to {most}"),
                    phase: Phase::Moving { men, most },
                    solving: bits(men) * MOVING_COST * flying * moving_factor,
                    writing: writing(&tables),
                    tables,
                });
            }
        }
        let plies = if placing.is_empty() {
            0
        } else {
            2 * rules.men()
        };
        for ply in (0..plies).rev() {
            let of_ply = |table: &&Subspace| {
                usize::from(table.mover_hand + table.opponent_hand) == plies - ply
            };
            let tables: Vec<Subspace> = placing.iter().filter(of_ply).copied().collect();
            let mut men: Vec<usize> = tables
                .iter()
                .map(|&table| Index::row_and_rank_men(table).0)
                .collect();
            men.sort_unstable();
            men.dedup();
            phases.push(PhasePlan {
                name: format!("placing, after {ply} plies"),
                phase: Phase::Placing { ply },
                solving: men
                    .iter()
                    .map(|&men| bits(men) * PLACING_COST * placing_factor)
                    .sum(),
                writing: writing(&tables),
                tables,
            });
        }
        let tables: Vec<Subspace> = moving.into_iter().chain(placing).collect();
        let memory = match metric {
            Metric::Values => memory::<Bounds>(&index, &rules, &scope, &phases),
            Metric::Grades => memory::<Graded>(&index, &rules, &scope, &phases),
        };
        let slots_of = tables.iter().map(|&t| (t, index.slots(t))).collect();
        let mut plan = Self {
            positions: tables.iter().map(|&t| index.canonical_positions(t)).sum(),
            slots: slots(&tables),
            memory,
            disk: 0,
            rules,
            scope,
            metric,
            tables,
            phases,
            slots_of,
        };
        plan.disk = plan.disk_for(|_| true);
        Ok(plan)
    }

    /// The room on the disk for those of the tables that `wanted` selects.
    pub(super) fn disk_for(&self, wanted: impl Fn(Subspace) -> bool) -> u64 {
        let wanted = self.slots_of.iter().filter(|(table, _)| wanted(**table));
        let slots: Vec<u64> = wanted.map(|(_, &slots)| slots).collect();
        let largest = slots.iter().copied().max().unwrap_or(0) as f64;
        let (depths, files) = match self.metric {
            Metric::Values => (0.0, 1),
            Metric::Grades => (DEPTH_DISK_BITS_PER_SLOT, 2),
        };
        let bits = slots.iter().sum::<u64>() as f64 * (DISK_BITS_PER_SLOT + depths)
            + largest * (LARGEST_EXTRA_BITS_PER_SLOT + depths);
        (bits / 8.0) as u64 + (files * slots.len()) as u64 * DISK_PER_TABLE
    }

    /// The expected cost of all phases.
    pub(super) fn cost(&self) -> f64 {
        self.phases.iter().map(PhasePlan::cost).sum()
    }
}

/// The most memory that the phases take, in bytes.
fn memory<P: Solution>(index: &Index, rules: &RuleSet, scope: &Scope, phases: &[PhasePlan]) -> u64 {
    let points = rules.board().len();
    let rows = |men: usize| index.rows(men).len();
    let groups = |men: usize| rows(men) * (Bounds::row_words(points - men) / Bounds::WORDS);
    let bytes = |men: usize, words: usize| (groups(men) * words * size_of::<u64>()) as u64;
    let plane_bytes = |men: usize| bytes(men, P::WORDS);
    let links = |men: usize, each: usize| Links::memory(rows(men), each) as u64;
    let game = matches!(scope, Scope::Game);
    let levels = 0..=phases
        .iter()
        .map(|phase| phase.phase.men())
        .max()
        .unwrap_or(0);
    let workspace = levels.clone().map(groups).max();
    let workspace = workspace.map_or(0, Workspace::memory::<P>);
    let mut most = 0;
    // What stays for the levels above and the placing phase.
    let mut kept = 0;
    for phase in phases {
        most = most.max(match phase.phase {
            Phase::Moving { men, .. } => {
                let each = if rules.flying().allowed(men) {
                    points - men
                } else {
                    (points - men).min(4)
                };
                // A sparse round lists less than one bit in a hundred.
                let lists = (rows(men) as u64) << (points - men) >> 5;
                // Depths are found beside the values.
                let values = if P::DEPTHS {
                    bytes(men, Bounds::WORDS)
                } else {
                    0
                };
                let links = links(men, men * each) + links(men, men);
                let needed = kept + plane_bytes(men) + values + links + lists;
                kept = if game { kept } else { 0 } + plane_bytes(men);
                needed
            }
            Phase::Placing { .. } => levels
                .clone()
                .map(|men| plane_bytes(men) + links(men, points - men) + links(men, men))
                .sum(),
        });
    }
    most + workspace + BASE_MEMORY
}

/// The memory the system has available, in bytes, if it tells.
pub(super) fn available_memory() -> Option<u64> {
    if !sysinfo::IS_SUPPORTED_SYSTEM {
        return None;
    }
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory);
    let available = system.available_memory();
    let available = match system.cgroup_limits() {
        // What files occupy is given back when it is needed, so it is not counted as taken.
        Some(limits) => available.min(limits.total_memory.saturating_sub(limits.rss)),
        None => available,
    };
    Some(available)
}
