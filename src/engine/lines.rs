//! Lines of another program, which may send anything.

use std::io::{self, BufRead};

/// The longest line that is read, in bytes; a game of a hundred thousand moves is shorter.
pub const LONGEST_LINE: usize = 1 << 20;

/// The lines of a text, without line ends. What is no UTF-8 is replaced. Of a line longer than
/// [`LONGEST_LINE`] only a beginning is kept, one that is too long itself.
///
/// # Errors
/// When the system cannot read; nothing comes after that.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let line = line(&mut input);
        failed = line.is_err();
        line.transpose()
    })
}

/// The next line, `None` at the end.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut ended = false;
    let mut any = false;
    while !ended {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            break;
        }
        any = true;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = LONGEST_LINE + 1 - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let read = part.len() + usize::from(end.is_some());
        input.consume(read);
        ended = end.is_some();
    }
    Ok(any.then(|| String::from_utf8_lossy(&line).into_owned()))
}
