//! Whole tables in memory, as many as the memory allowed has room for.

use std::sync::Arc;

use crate::database::{Database, ProbeError};
use crate::rules::Subspace;
use crate::table::Values;

/// A table in memory.
struct Held {
    subspace: Subspace,
    values: Arc<Values>,
    /// When it was last asked for.
    used: u64,
}

/// Decoded tables, those asked for last.
pub(super) struct Store<'a> {
    database: &'a Database,
    budget: u64,
    clock: u64,
    held: Vec<Held>,
}

/// How many bytes the values of a subspace take in memory, nearly.
pub(super) fn bytes_of(database: &Database, subspace: Subspace) -> u64 {
    database.index().slots(subspace).div_ceil(5)
}

impl<'a> Store<'a> {
    pub(super) fn new(database: &'a Database, budget: u64) -> Self {
        Self {
            database,
            budget,
            clock: 0,
            held: Vec::new(),
        }
    }

    /// The values of a subspace. Tables of `keep` stay in memory whatever else has to go.
    pub(super) fn values(
        &mut self,
        subspace: Subspace,
        keep: &[Subspace],
    ) -> Result<Arc<Values>, ProbeError> {
        self.clock += 1;
        if let Some(held) = self.held.iter_mut().find(|held| held.subspace == subspace) {
            held.used = self.clock;
            return Ok(Arc::clone(&held.values));
        }
        let table = self.database.table(subspace)?;
        let room = self
            .budget
            .saturating_sub(bytes_of(self.database, subspace));
        while self.bytes() > room {
            let held = self.held.iter().enumerate();
            let free = held.filter(|(_, held)| !keep.contains(&held.subspace));
            let Some((oldest, _)) = free.min_by_key(|(_, held)| held.used) else {
                break;
            };
            self.held.swap_remove(oldest);
        }
        let values = Arc::new(table.decode_all()?);
        self.held.push(Held {
            subspace,
            values: Arc::clone(&values),
            used: self.clock,
        });
        Ok(values)
    }

    /// Lets all tables go.
    pub(super) fn clear(&mut self) {
        self.held.clear();
    }

    fn bytes(&self) -> u64 {
        self.held
            .iter()
            .map(|held| held.values.bytes() as u64)
            .sum()
    }
}
