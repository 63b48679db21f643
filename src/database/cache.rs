//! Decoded blocks kept in memory, within a bound, shared by threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which block of which table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BlockKey {
    table: u32,
    block: u32,
}

impl BlockKey {
    /// The key of a block. No subspace of the game has as many as 2^32 slots, let alone blocks.
    pub(crate) fn new(table: usize, block: u64) -> Self {
        Self {
            table: table as u32,
            block: block as u32,
        }
    }

    /// A number that is spread evenly, to choose a shard by.
    fn spread(self) -> usize {
        let number = u64::from(self.table) << 32 | u64::from(self.block);
        (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
    }
}

/// What a block in the cache costs beside its values: its places in the ring and in the map, and
/// the counters of its allocation.
const OVERHEAD: usize = 128;

/// The most shards, each with a lock of its own.
const MOST_SHARDS: usize = 16;

/// The fewest bytes for which a further shard is worth while: some hundred blocks.
const SHARD_BYTES: usize = 1 << 20;

/// A cache of decoded blocks.
///
/// Blocks are dropped by the clock: a hand goes round the blocks and takes the first one not used
/// since it last came by.
#[derive(Debug)]
pub(crate) struct BlockCache {
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Debug, Default)]
struct Shard {
    limit: usize,
    bytes: usize,
    places: HashMap<BlockKey, usize>,
    ring: Vec<Cached>,
    hand: usize,
}

#[derive(Debug)]
struct Cached {
    key: BlockKey,
    packed: Arc<[u8]>,
    used: bool,
}

impl Cached {
    fn cost(&self) -> usize {
        self.packed.len() + OVERHEAD
    }
}

impl BlockCache {
    /// A cache that takes `bytes` bytes at most.
    pub(crate) fn new(bytes: usize) -> Self {
        let shards = (bytes / SHARD_BYTES).clamp(1, MOST_SHARDS);
        let shard = || {
            Mutex::new(Shard {
                limit: bytes / shards,
                ..Shard::default()
            })
        };
        Self {
            shards: std::iter::repeat_with(shard).take(shards).collect(),
        }
    }

    /// How many bytes the blocks take.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).bytes).sum()
    }

    /// The block, made by `decode` if it is not here. No lock is held meanwhile: threads that miss
    /// the same block at the same time decode it each, and one of them stays.
    ///
    /// # Errors
    /// Those of `decode`.
    #[inline]
    pub(crate) fn get_or_insert<E>(
        &self,
        key: BlockKey,
        decode: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Arc<[u8]>, E> {
        let shard = &self.shards[key.spread() % self.shards.len()];
        if let Some(packed) = lock(shard).get(key) {
            return Ok(packed);
        }
        let mut packed = Vec::new();
        decode(&mut packed)?;
        let packed: Arc<[u8]> = packed.into();
        lock(shard).insert(key, &packed);
        Ok(packed)
    }
}

/// A shard is whole after every method that can panic, so a poisoned lock means nothing.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn get(&mut self, key: BlockKey) -> Option<Arc<[u8]>> {
        let cached = &mut self.ring[*self.places.get(&key)?];
        cached.used = true;
        Some(Arc::clone(&cached.packed))
    }

    /// Keeps a block, unless it is here or alone takes more than there is room for.
    fn insert(&mut self, key: BlockKey, packed: &Arc<[u8]>) {
        let cached = Cached {
            key,
            packed: Arc::clone(packed),
            used: false,
        };
        if cached.cost() > self.limit || self.places.contains_key(&key) {
            return;
        }
        while self.bytes + cached.cost() > self.limit {
            self.drop_one();
        }
        self.bytes += cached.cost();
        self.places.insert(key, self.ring.len());
        self.ring.push(cached);
    }

    /// Drops the first block from the hand on that has not been used since the hand was there.
    fn drop_one(&mut self) {
        loop {
            if self.hand >= self.ring.len() {
                self.hand = 0;
            }
            let Some(cached) = self.ring.get_mut(self.hand) else {
                debug_assert_eq!(self.bytes, 0, "no block takes no bytes");
                return;
            };
            if std::mem::take(&mut cached.used) {
                self.hand += 1;
                continue;
            }
            let dropped = self.ring.swap_remove(self.hand);
            self.places.remove(&dropped.key);
            self.bytes -= dropped.cost();
            // The last block has taken the place.
            if let Some(moved) = self.ring.get(self.hand) {
                self.places.insert(moved.key, self.hand);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const LEN: usize = 872;

    fn get(cache: &BlockCache, block: u64, made: &mut bool) -> Arc<[u8]> {
        *made = false;
        let decode = |packed: &mut Vec<u8>| {
            *made = true;
            packed.resize(LEN, block as u8);
            Ok::<_, Infallible>(())
        };
        let Ok(packed) = cache.get_or_insert(BlockKey::new(3, block), decode);
        assert_eq!(*packed, [block as u8; LEN]);
        packed
    }

    #[test]
    fn blocks_are_kept_within_the_bound() {
        for (limit, room) in [
            (0, 0),
            (999, 0),
            (1000, 1),
            (10_500, 10),
            (64 << 20, 67_108),
        ] {
            let cache = BlockCache::new(limit);
            let mut made = false;
            for block in 0..3 * room.max(1) as u64 {
                get(&cache, block, &mut made);
                assert!(made);
                assert!(cache.bytes() <= limit);
                get(&cache, block, &mut made);
                assert_eq!(made, room == 0, "{limit}");
            }
            let kept = cache.bytes() / (LEN + OVERHEAD);
            // Shards fill a little unevenly.
            assert!(kept <= room && kept >= room * 9 / 10, "{limit}: {kept}");
        }
    }

    #[test]
    fn blocks_in_use_outlast_others() {
        let cache = BlockCache::new(10_000);
        let mut made = false;
        for block in 0..1000 {
            get(&cache, 7000, &mut made);
            assert_eq!(made, block == 0);
            get(&cache, block, &mut made);
        }
        assert_eq!(cache.bytes(), 10_000);
    }

    #[test]
    fn errors_pass_and_leave_nothing_behind() {
        let cache = BlockCache::new(10_000);
        let failed = cache.get_or_insert(BlockKey::new(0, 0), |_| Err("no"));
        assert_eq!(failed, Err("no"));
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn a_shard_is_consistent_after_any_history() {
        let mut shard = Shard {
            limit: 5000,
            ..Shard::default()
        };
        let mut state = 1u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = BlockKey::new(0, u64::from(state >> 27));
            if shard.get(key).is_none() {
                let len = (state >> 10) as usize % 1500;
                shard.insert(key, &vec![0; len].into());
            }
            let cost: usize = shard.ring.iter().map(Cached::cost).sum();
            assert_eq!(cost, shard.bytes);
            assert!(cost <= shard.limit);
            assert_eq!(shard.places.len(), shard.ring.len());
            for (place, cached) in shard.ring.iter().enumerate() {
                assert_eq!(shard.places[&cached.key], place);
            }
        }
    }
}
