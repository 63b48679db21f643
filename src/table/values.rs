//! A whole table in memory.

use crate::rules::Value;
use crate::table::codec::{UNPACKED, value_in};
use crate::table::geometry::Geometry;

/// The values of all slots of a table, packed five to a byte.
#[derive(Clone)]
pub struct Values {
    geometry: Geometry,
    /// Block after block, each from a byte of its own on.
    packed: Box<[u8]>,
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values")
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}

impl Values {
    /// Values out of decoded blocks, as many bytes as the geometry says.
    pub(crate) fn new(geometry: Geometry, packed: Box<[u8]>) -> Self {
        debug_assert_eq!(packed.len() as u64, geometry.len());
        Self { geometry, packed }
    }

    /// The number of slots.
    pub fn len(&self) -> u64 {
        self.geometry.slots()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes of memory the values take.
    pub fn bytes(&self) -> usize {
        self.packed.len()
    }

    /// The value of a slot.
    ///
    /// # Panics
    /// When there is no such slot.
    #[inline]
    pub fn get(&self, slot: u64) -> Value {
        let place = self
            .geometry
            .place(slot)
            .unwrap_or_else(|| panic!("slot {slot} of {}", self.len()));
        let start = place.block as usize * self.geometry.whole_block_len();
        value_in(&self.packed[start..], place.within)
    }

    /// The values of all slots in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let blocks = self.packed.chunks(self.geometry.whole_block_len());
        blocks.zip(0..).flat_map(|(packed, block)| {
            packed
                .iter()
                .flat_map(|&byte| UNPACKED[usize::from(byte)])
                .take(self.geometry.slots_of(block))
        })
    }
}
