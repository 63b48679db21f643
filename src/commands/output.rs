//! Printing, and how a command ends.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::process::ExitCode;

use serde::Serialize;

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// It could not run, or not to its end: what to tell the user.
    Error(String),
    /// It has checked something and found it wrong, and has said so.
    Wrong,
    /// The user has interrupted it, and it has said so.
    Interrupted,
    /// Nobody reads what it prints any more.
    BrokenPipe,
}

/// The exit status of a command that was interrupted: what shells expect after Ctrl-C.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// The exit status that says so.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::BrokenPipe => ExitCode::SUCCESS,
            Self::Wrong => ExitCode::from(1),
            Self::Error(_) => ExitCode::from(2),
            Self::Interrupted => ExitCode::from(INTERRUPTED),
        }
    }
}

/// Errors of the library.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        // Causes that the message does not already repeat.
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                let _ = write!(message, ": {text}");
            }
            cause = error.source();
        }
        Self::Error(message)
    }
}

/// Standard output, where a reader that has gone away is no error.
#[derive(Debug)]
pub struct Output {
    out: io::StdoutLock<'static>,
}

impl Output {
    /// Standard output.
    pub fn new() -> Self {
        Self {
            out: io::stdout().lock(),
        }
    }

    /// Prints a text as it is.
    pub fn print(&mut self, text: impl fmt::Display) -> Result<(), Failure> {
        self.bytes(text.to_string().as_bytes())
    }

    /// Prints a line.
    pub fn line(&mut self, text: impl fmt::Display) -> Result<(), Failure> {
        self.print(format_args!("{text}\n"))
    }

    /// Prints a line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(value)?;
        text.push(b'\n');
        self.bytes(&text)
    }

    /// Prints bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.out.write_all(bytes).and_then(|()| self.out.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Error(format!("cannot write to standard output: {error}")),
        })
    }
}

/// Prints a line on standard error. There is nobody left to tell when that fails.
pub fn complain(text: impl fmt::Display) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
