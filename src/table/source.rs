//! A file's bytes: by positioned reads, which any number of threads may make at once, or through
//! a mapping of the file into memory.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Where bytes come from.
#[derive(Debug)]
pub(crate) enum Source {
    /// Positioned reads.
    File(PositionedFile),
    /// A mapping.
    Mapped(Mmap),
}

impl Source {
    /// Reads from `file` each time bytes are asked for.
    pub(crate) fn read(file: File) -> Self {
        Self::File(PositionedFile::new(file))
    }

    /// Maps `file` into memory.
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        // SAFETY: a mapping is sound as long as nobody changes or shortens the file meanwhile,
        // which the program cannot enforce. Finished tables are never written again, only
        // replaced under their name, which leaves the mapped file as it is; who asks for
        // mappings has been told in `Access::Mapped` to keep other programs from doing worse.
        // The bytes are only read, as plain bytes that need not make sense.
        unsafe { Mmap::map(file) }.map(Self::Mapped)
    }

    /// The `len` bytes from `offset` on, which may be read into `buffer`.
    pub(crate) fn bytes<'a>(
        &'a self,
        offset: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> io::Result<&'a [u8]> {
        match self {
            Self::File(file) => {
                buffer.resize(len, 0);
                file.read_exact_at(buffer, offset)?;
                Ok(buffer)
            }
            Self::Mapped(map) => usize::try_from(offset)
                .ok()
                .and_then(|start| map.get(start..start.checked_add(len)?))
                .ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(unix)]
pub(crate) use on_unix::PositionedFile;
#[cfg(windows)]
pub(crate) use on_windows::PositionedFile;
#[cfg(not(any(unix, windows)))]
pub(crate) use portable::PositionedFile;

#[cfg(unix)]
mod on_unix {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    /// A file read at positions: each read says where.
    #[derive(Debug)]
    pub(crate) struct PositionedFile(File);

    impl PositionedFile {
        pub(crate) fn new(file: File) -> Self {
            Self(file)
        }

        pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            self.0.read_exact_at(buffer, offset)
        }
    }
}

#[cfg(windows)]
mod on_windows {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt;

    /// A file read at positions: each read says where.
    #[derive(Debug)]
    pub(crate) struct PositionedFile(File);

    impl PositionedFile {
        pub(crate) fn new(file: File) -> Self {
            Self(file)
        }

        pub(crate) fn read_exact_at(
            &self,
            mut buffer: &mut [u8],
            mut offset: u64,
        ) -> io::Result<()> {
            while !buffer.is_empty() {
                match self.0.seek_read(buffer, offset) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(count) => {
                        buffer = &mut buffer[count..];
                        offset += count as u64;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }
}

#[cfg(any(test, not(any(unix, windows))))]
mod portable {
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    /// A file read at positions, by one thread at a time.
    #[derive(Debug)]
    pub(crate) struct PositionedFile(Mutex<File>);

    impl PositionedFile {
        pub(crate) fn new(file: File) -> Self {
            Self(Mutex::new(file))
        }

        pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            // Every read seeks first, so it does not matter where a failed one stopped.
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(buffer)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn every_way_of_reading_gives_the_same_bytes() {
        let bytes: Vec<u8> = (0..1000u32).map(|k| (k * k % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let read = Source::read(file.try_clone().unwrap());
        let map = Source::map(&file).unwrap();
        let portable = portable::PositionedFile::new(file);
        for (offset, len) in [(0, 1000), (0, 0), (1, 1), (999, 1), (1000, 0), (300, 77)] {
            let expected = &bytes[offset..offset + len];
            let at = offset as u64;
            let mut buffer = vec![7; 13];
            assert_eq!(read.bytes(at, len, &mut buffer).unwrap(), expected);
            assert_eq!(map.bytes(at, len, &mut buffer).unwrap(), expected);
            buffer.resize(len, 0);
            portable.read_exact_at(&mut buffer, at).unwrap();
            assert_eq!(buffer, expected);
        }
        for (offset, len) in [(0, 1001), (1000, 1), (u64::MAX, 1), (1 << 62, 5)] {
            let mut buffer = Vec::new();
            assert!(read.bytes(offset, len, &mut buffer).is_err());
            let error = map.bytes(offset, len, &mut buffer).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            assert!(portable.read_exact_at(&mut vec![0; len], offset).is_err());
        }
    }
}
