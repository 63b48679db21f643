//! Large zeroed arrays of words.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// A zeroed array of words of its own memory mapping, on huge pages where the system has them:
/// rows are visited in random order, and with small pages the address translation would cost as
/// much as the work.
#[derive(Debug)]
pub struct Words(Option<MmapMut>);

impl Words {
    /// An array of `len` zeros.
    ///
    /// # Errors
    /// When the system does not give the memory.
    pub fn zeroed(len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self(None));
        }
        let bytes = len.checked_mul(size_of::<u64>());
        let bytes = bytes.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let map = MmapMut::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        // A hint: where it is refused, the array is merely slower.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(Some(map)))
    }
}

impl Deref for Words {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        // A mapping begins at a page, so the cast cannot fail.
        self.0.as_ref().map_or(&[], |map| bytemuck::cast_slice(map))
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        self.0
            .as_mut()
            .map_or(&mut [], |map| bytemuck::cast_slice_mut(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_zero_and_writable() {
        assert!(Words::zeroed(0).unwrap().is_empty());
        let mut words = Words::zeroed(1000).unwrap();
        assert!(words.len() == 1000 && words.iter().all(|&word| word == 0));
        words[999] = 7;
        assert_eq!(words[999], 7);
        assert!(Words::zeroed(usize::MAX / 2).is_err());
    }
}
