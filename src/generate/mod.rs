//! Making a database: the plan, the phases one after the other, and each phase's tables written
//! as soon as it is solved.
//!
//! A database is its own checkpoint. Each phase reads nothing but finished tables of earlier
//! phases, or the planes they were made from when those are still in memory, and the manifest
//! names the phases whose tables are whole. A run that finds such a manifest goes on after them.

mod error;
mod plan;
mod prepare;
mod restore;
mod write;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use error::GenerateError;
pub use plan::{PhasePlan, Plan, Scope};

use crate::board::PointSet;
use crate::database::{Database, Manifest};
use crate::index::Index;
use crate::planes::{Bounds, Classes, Graded, Kernel, Words};
use crate::rules::{Colour, Subspace, Value};
use crate::solve::{Level, Placing, SolveError, Workspace, count_level, solve_moving};
use crate::table::{Counts, Metric, TableEntry};
use plan::Phase;
use prepare::{Lock, check_memory, done_phases, is_finished, prepare};
use write::Written;

/// The environment variable that chooses the kernels: `portable`, `avx2` or `avx512`.
pub const KERNEL_VARIABLE: &str = "MLYNEK_KERNEL";

/// How a run is done; nothing here changes a byte of the result.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many threads work; as many as there are processors when `None`.
    pub threads: Option<usize>,
    /// The most memory, in bytes, the run may take; what the system has available when `None`.
    pub memory: Option<u64>,
    /// Which kernels are used; when `None`, what [`KERNEL_VARIABLE`] says, else the fastest.
    pub kernel: Option<Kernel>,
}

/// What is told of a run as it goes on.
pub trait Observer: Sync {
    /// The run begins.
    fn begin(&self, plan: &Plan, dir: &Path) {
        let _ = (plan, dir);
    }
    /// A phase begins, number `index` of `count`.
    fn phase(&self, name: &str, index: usize, count: usize) {
        let _ = (name, index, count);
    }
    /// So much of the expected time of the whole run, from 0 to 1, is over.
    fn progress(&self, fraction: f64) {
        let _ = fraction;
    }
    /// Something worth a line.
    fn message(&self, text: &str) {
        let _ = text;
    }
}

/// Nobody is told anything.
impl Observer for () {}

/// What a finished run has made.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The value of the position in which the game begins, where it was solved.
    pub start: Option<Value>,
    /// The number of tables.
    pub tables: usize,
    /// Their size, in bytes.
    pub bytes: u64,
    /// The wall time of the run, in seconds.
    pub seconds: f64,
    /// The part of it spent on writing tables.
    pub writing_seconds: f64,
}

/// Makes the tables of `plan` in the directory `dir`, or those that are still missing.
///
/// # Errors
/// When something is missing before the start, when `stop` is raised, or when the system fails;
/// finished phases remain, and the next run goes on after them.
pub fn run(
    plan: &Plan,
    dir: &Path,
    options: &Options,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Summary, GenerateError> {
    let kernel = match (options.kernel, std::env::var_os(KERNEL_VARIABLE)) {
        (Some(kernel), _) => kernel,
        (None, Some(name)) if !name.is_empty() => name.to_string_lossy().parse()?,
        (None, _) => Kernel::best(),
    }
    .checked()?;
    let begun = Instant::now();
    observer.begin(plan, dir);
    let threads = match options.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    if !is_finished(plan, dir) {
        check_memory(plan, options, threads)?;
    }
    let _lock = Lock::take(dir)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let manifest = pool.install(|| prepare(plan, dir))?;
    let index = Index::new(plan.rules.board());
    let mut run = Run {
        plan,
        dir,
        kernel,
        observer,
        stop,
        index: &index,
        manifest,
        mirror: BTreeMap::new(),
        spent: 0.0,
        writing_seconds: 0.0,
    };
    pool.install(|| match plan.metric {
        Metric::Values => run.all::<Bounds>(),
        Metric::Grades => run.all::<Graded>(),
    })?;
    let tables: Vec<_> = plan
        .tables
        .iter()
        .flat_map(|&t| {
            let depths = run.manifest.depth_entry(t);
            let depths = depths.filter(|_| plan.metric == Metric::Grades);
            [run.manifest.entry(t), depths]
        })
        .flatten()
        .collect();
    Ok(Summary {
        start: run
            .manifest
            .start
            .filter(|_| matches!(plan.scope, Scope::Game)),
        tables: tables.len(),
        bytes: tables.iter().map(|entry| entry.bytes).sum(),
        seconds: begun.elapsed().as_secs_f64(),
        writing_seconds: run.writing_seconds,
    })
}

struct Run<'a> {
    plan: &'a Plan,
    dir: &'a Path,
    kernel: Kernel,
    observer: &'a dyn Observer,
    stop: &'a AtomicBool,
    index: &'a Index,
    manifest: Manifest,
    /// Raw counts of moving subspaces as the planes with Black to move have them.
    mirror: BTreeMap<Subspace, Counts>,
    /// The expected cost of the phases that are over.
    spent: f64,
    writing_seconds: f64,
}

impl Run<'_> {
    fn all<P: Found>(&mut self) -> Result<(), GenerateError> {
        let plan = self.plan;
        let index = self.index;
        let most = plan.phases.iter().map(|phase| phase.phase.men()).max();
        let levels: Vec<Level<'_>> = (0..=most.unwrap_or(0))
            .map(|men| Level::new(&plan.rules, index, men))
            .collect();
        let game = matches!(plan.scope, Scope::Game);
        let done = self.done();
        let mut planes: Vec<Option<Words>> = levels.iter().map(|_| None).collect();
        let mut placing: Option<Placing<'_, P>> = None;
        let largest = levels.iter().map(Level::groups).max().unwrap_or(0);
        let workspace = Workspace::new::<P>(largest).map_err(GenerateError::Planes)?;
        let mut workspace = Some(workspace);
        for (number, phase) in plan.phases.iter().enumerate() {
            self.observer.phase(&phase.name, number, plan.phases.len());
            self.observer.progress(self.spent / plan.cost());
            if number < done {
                self.spent += phase.cost();
                // The last one done is where the next goes on from.
                if let (Phase::Placing { ply }, true) = (phase.phase, number + 1 == done) {
                    let mut resumed = self.begin_placing(&levels, Vec::new(), workspace.take())?;
                    self.restore_ply(&mut resumed, ply)?;
                    placing = Some(resumed);
                }
                continue;
            }
            let entries = match phase.phase {
                Phase::Moving { men, most } => {
                    if men > 0 && planes[men - 1].is_none() && men > plan.rules.fewest_men() {
                        planes[men - 1] = Some(self.restore_level::<P>(&levels[men - 1])?);
                    }
                    let workspace = workspace.as_mut().expect("placing comes last");
                    let entries =
                        self.moving::<P>(&levels, &mut planes, men, most, workspace, phase)?;
                    if !game && men > 0 {
                        planes[men - 1] = None;
                    }
                    entries
                }
                Phase::Placing { ply } => {
                    if placing.is_none() {
                        let planes = std::mem::take(&mut planes);
                        placing = Some(self.begin_placing(&levels, planes, workspace.take())?);
                    }
                    let placing = placing.as_mut().expect("begun above");
                    self.placing(placing, ply, phase)?
                }
            };
            self.finish_phase(phase, entries)?;
        }
        self.manifest.start = match &placing {
            Some(placing) if placing.ply() == 0 => Some(start_value(placing)),
            _ => self.manifest.start,
        };
        self.manifest.complete = self.is_whole();
        self.manifest.write_atomic(self.dir)?;
        self.observer.progress(1.0);
        Ok(())
    }

    fn done(&self) -> usize {
        done_phases(self.plan, &self.manifest)
    }

    fn stopped(&self) -> GenerateError {
        GenerateError::Stopped {
            done: self.done(),
            phases: self.plan.phases.len(),
        }
    }

    fn check_stop(&self) -> Result<(), GenerateError> {
        if self.stop.load(Ordering::Relaxed) {
            Err(self.stopped())
        } else {
            Ok(())
        }
    }

    fn solved<T>(&self, result: Result<T, SolveError>) -> Result<T, GenerateError> {
        result.map_err(|error| match error {
            SolveError::Stopped => self.stopped(),
            SolveError::Memory(error) => GenerateError::Planes(error),
            SolveError::TooDeep => GenerateError::Solve(error),
        })
    }

    fn finish_phase(
        &mut self,
        phase: &PhasePlan,
        entries: Vec<Written>,
    ) -> Result<(), GenerateError> {
        for Written { values, grades } in entries {
            replace(&mut self.manifest.tables, values);
            if let Some(grades) = grades {
                replace(&mut self.manifest.depth_tables, grades);
            }
        }
        if !self.manifest.phases.contains(&phase.name) {
            self.manifest.phases.push(phase.name.clone());
        }
        self.manifest.complete = false;
        self.manifest.write_atomic(self.dir)?;
        self.spent += phase.cost();
        Ok(())
    }

    /// Whether moves lead from the tables to nowhere else, and from the start on if they are of a
    /// whole game: a run of a part may have been made into the directory of an unfinished game.
    fn is_whole(&self) -> bool {
        let tables = &self.manifest.tables;
        let closed = tables.iter().all(|entry| {
            let mut after = self.plan.rules.subspaces_after(entry.subspace);
            after.all(|next| self.manifest.entry(next).is_some())
        });
        let placing = tables.iter().any(|entry| !entry.subspace.is_moving());
        closed && (self.manifest.start.is_some() || !placing)
    }

    /// Tells that a part of a phase is over.
    fn progress(&self, phase: &PhasePlan, cost: f64) {
        let spent = self.spent + cost.min(phase.cost());
        self.observer.progress(spent / self.plan.cost());
    }

    fn moving<P: Found>(
        &mut self,
        levels: &[Level<'_>],
        planes: &mut [Option<Words>],
        men: usize,
        most: usize,
        workspace: &mut Workspace,
        phase: &PhasePlan,
    ) -> Result<Vec<Written>, GenerateError> {
        let below = men.checked_sub(1).and_then(|less| {
            planes[less]
                .as_deref()
                .map(|planes| (&levels[less], planes))
        });
        let mut rounds = 0;
        let solved = solve_moving::<P>(
            &levels[men],
            below,
            most,
            workspace,
            self.kernel,
            self.stop,
            |_, _| {
                rounds += 1;
                // Later rounds take less and less time, and how many come is not known.
                let over = 1.0 - 0.9f64.powi(rounds);
                self.progress(phase, phase.solving * over);
            },
        );
        let solved = self.solved(solved)?;
        let black_to_move = workspace.black_to_move(&levels[men]);
        let mirror = count_level::<Bounds>(&levels[men], black_to_move, self.kernel);
        for other in self.plan.rules.fewest_men()..=most {
            // With Black to move, what White wins the mover loses.
            let counts = mirror.raw[other];
            let counts = Counts {
                wins: counts.losses,
                losses: counts.wins,
                draws: counts.draws,
            };
            self.mirror.insert(Subspace::moving(other, men), counts);
        }
        let entries = self.write::<P>(&levels[men], &solved.white_to_move, Colour::White, phase)?;
        let new = || entries.iter().map(|entry| &entry.values);
        let is_new = |old: &&TableEntry| new().any(|new| new.subspace == old.subspace);
        let others = self.manifest.tables.iter().filter(|old| !is_new(old));
        for entry in others.chain(new()) {
            if let Some(&expected) = self.mirror.get(&entry.subspace)
                && expected != entry.raw
            {
                return Err(GenerateError::SelfCheck {
                    subspace: entry.subspace,
                    what: "the same positions with the colours exchanged",
                    expected,
                    got: entry.raw,
                });
            }
        }
        planes[men] = Some(solved.white_to_move);
        Ok(entries)
    }

    /// The start of the placing phase: the values after the last placing. Missing planes are read
    /// from tables.
    fn begin_placing<'l, P: Found>(
        &mut self,
        levels: &'l [Level<'l>],
        planes: Vec<Option<Words>>,
        workspace: Option<Workspace>,
    ) -> Result<Placing<'l, P>, GenerateError> {
        let workspace = workspace.expect("placing begins once");
        let resumed = planes.is_empty();
        let mut all = Vec::new();
        let mut planes = planes.into_iter();
        for level in levels {
            let known = planes.next().flatten();
            all.push(match known {
                Some(planes) => planes,
                None if resumed || level.men() < self.plan.rules.fewest_men() => {
                    Words::zeroed(level.words::<P>()).map_err(GenerateError::Planes)?
                }
                None => self.restore_level::<P>(level)?,
            });
        }
        Ok(Placing::new(
            &self.plan.rules,
            levels,
            all,
            P::room(workspace),
            self.kernel,
        ))
    }

    fn placing<P: Found>(
        &mut self,
        placing: &mut Placing<'_, P>,
        ply: usize,
        phase: &PhasePlan,
    ) -> Result<Vec<Written>, GenerateError> {
        debug_assert_eq!(placing.ply(), ply + 1);
        let stepped = placing.step_back(self.stop);
        self.solved(stepped)?;
        self.progress(phase, phase.solving);
        let mut entries = Vec::new();
        for men in placing.white_men(ply) {
            let side = Placing::<P>::side(ply);
            entries.extend(self.write::<P>(
                placing.level(men),
                placing.planes(men),
                side,
                phase,
            )?);
        }
        Ok(entries)
    }

    /// Writes the tables of a phase that one level holds.
    fn write<P: Found>(
        &mut self,
        level: &Level<'_>,
        planes: &[u64],
        side: Colour,
        phase: &PhasePlan,
    ) -> Result<Vec<Written>, GenerateError> {
        self.check_stop()?;
        let begun = Instant::now();
        let tables: Vec<Subspace> = phase
            .tables
            .iter()
            .copied()
            .filter(|&table| Index::row_and_rank_men(table).0 == level.men())
            .collect();
        let writer = write::LevelWriter {
            dir: self.dir,
            rules: &self.plan.rules,
            level,
            planes,
            side,
            kernel: self.kernel,
        };
        let entries = writer.write::<P>(&tables)?;
        for entry in &entries {
            let entry = &entry.values;
            let (canonical, raw) = (
                self.index.canonical_positions(entry.subspace),
                self.index.raw_positions(entry.subspace),
            );
            if entry.canonical.total() != canonical || entry.raw.total() != raw {
                return Err(GenerateError::SelfCheck {
                    subspace: entry.subspace,
                    what: "the number of positions (as draws: canonical and raw)",
                    expected: Counts {
                        draws: canonical + raw,
                        ..Counts::default()
                    },
                    got: entry.canonical + entry.raw,
                });
            }
        }
        for Written { values, grades } in &entries {
            if let Some(grades) = grades
                && grades.canonical != values.canonical
            {
                return Err(GenerateError::SelfCheck {
                    subspace: values.subspace,
                    what: "the histogram of depths",
                    expected: values.canonical,
                    got: grades.canonical,
                });
            }
        }
        self.writing_seconds += begun.elapsed().as_secs_f64();
        Ok(entries)
    }

    fn restore_level<P: Found>(&self, level: &Level<'_>) -> Result<Words, GenerateError> {
        let plan = self.plan;
        let name = format!("the values with {} men", level.men());
        self.observer
            .message(&format!("reading {name} from {}", self.dir.display()));
        let database = Database::open(self.dir)?;
        let tables: Vec<Subspace> = plan
            .tables
            .iter()
            .copied()
            .filter(|table| table.is_moving() && usize::from(table.mover) == level.men())
            .collect();
        let most = tables.iter().map(|table| usize::from(table.opponent)).max();
        let classes = Classes::new(plan.rules.fewest_men(), most.unwrap_or(0));
        let mut planes = Words::zeroed(level.words::<P>()).map_err(GenerateError::Planes)?;
        restore::undecided::<P>(level, &mut planes, &classes);
        for table in tables {
            self.check_stop()?;
            restore::restore_table::<P>(
                &database,
                self.index,
                table,
                level,
                Colour::White,
                &mut planes,
            )?;
        }
        Ok(planes)
    }

    fn restore_ply<P: Found>(
        &self,
        placing: &mut Placing<'_, P>,
        ply: usize,
    ) -> Result<(), GenerateError> {
        let from = self.dir.display();
        self.observer
            .message(&format!("reading the values after {ply} plies from {from}"));
        let database = Database::open(self.dir)?;
        for table in placing.subspaces(ply).to_vec() {
            self.check_stop()?;
            let men = Index::row_and_rank_men(table).0;
            let level = placing.level(men);
            let planes = placing.planes_mut(men);
            let side = Placing::<P>::side(ply);
            restore::restore_table::<P>(&database, self.index, table, level, side, planes)?;
        }
        placing.resume_at(ply);
        Ok(())
    }
}

/// What is solved for and written.
trait Found: write::Product + restore::Restore {}

impl<P: write::Product + restore::Restore> Found for P {}

/// Puts the row of a table in its place, for one that may be there.
fn replace(entries: &mut Vec<TableEntry>, new: TableEntry) {
    entries.retain(|old| old.subspace != new.subspace);
    entries.push(new);
    entries.sort_by_key(|entry| (!entry.subspace.is_moving(), entry.subspace));
}

/// The value of the position in which the game begins.
fn start_value<P: Found>(placing: &Placing<'_, P>) -> Value {
    let mut bounds = vec![0; placing.level(0).row_words()];
    P::bounds(
        &placing.planes(0)[..P::row_words(placing.level(0).empty())],
        &mut bounds,
    );
    let white = crate::planes::value(&bounds, 0);
    debug_assert!(placing.level(0).set(0) == PointSet::EMPTY);
    white
}
