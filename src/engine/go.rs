//! The words behind `go`.

use super::error::{Code, Refusal, plain};

/// What `go` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    /// How many of the best actions are to be listed.
    pub top: usize,
    /// Whether the answer is held back until `stop`.
    pub hold: bool,
}

impl Go {
    /// Reads the words. Limits are checked and have no effect: answers come at once.
    pub fn read(words: &[&str]) -> Result<Self, Refusal> {
        let mut go = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "infinite" | "ponder" => go.hold = true,
                "depth" | "nodes" | "mate" | "movetime" | "movestogo" => {
                    number::<u64>(word, words.next())?;
                }
                // A clock that has run out is told in negative numbers.
                "wtime" | "btime" | "winc" | "binc" => {
                    number::<i64>(word, words.next())?;
                }
                "topn" => {
                    let top: u64 = number(word, words.next())?;
                    go.top = usize::try_from(top).unwrap_or(usize::MAX);
                }
                _ => {
                    let known = "depth nodes mate movetime movestogo wtime btime winc binc topn \
                                 infinite ponder";
                    let message = format!("expected one of {known}, found {:?}", plain(word));
                    return Err(Refusal::new(Code::InvalidGoCommand, message));
                }
            }
        }
        Ok(go)
    }
}

fn number<T: std::str::FromStr>(name: &str, word: Option<&&str>) -> Result<T, Refusal> {
    let parsed = word.and_then(|word| word.parse().ok());
    parsed.ok_or_else(|| {
        let found = match word {
            Some(word) => format!("{:?}", plain(word)),
            None => "the end".to_owned(),
        };
        let message = format!("expected a whole number behind {name}, found {found}");
        Refusal::new(Code::InvalidGoCommand, message)
    })
}
