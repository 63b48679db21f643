//! Why a command is refused, as the protocol says it.

use serde::Serialize;

/// What kind of refusal it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    InvalidFen,
    InvalidPositionCommand,
    HistoryTruncated,
    HistoryIllegalAction,
    PositionUnavailable,
    InvalidGoCommand,
    TablesUnavailable,
}

impl Code {
    /// The code of strict mode. Those of `position` and `position_unavailable` are Sanmill's.
    const fn code(self) -> &'static str {
        match self {
            Self::InvalidFen => "invalid_fen",
            Self::InvalidPositionCommand => "invalid_position_command",
            Self::HistoryTruncated => "position_history_truncated",
            Self::HistoryIllegalAction => "position_history_illegal_action",
            Self::PositionUnavailable => "position_unavailable",
            Self::InvalidGoCommand => "invalid_go_command",
            Self::TablesUnavailable => "tables_unavailable",
        }
    }

    /// How the line begins outside strict mode, where Sanmill has such a line in its words.
    const fn beginning(self) -> &'static str {
        match self {
            Self::InvalidFen => "invalid fen ignored",
            Self::InvalidPositionCommand => "invalid position command ignored",
            Self::HistoryTruncated | Self::HistoryIllegalAction => "illegal move ignored",
            Self::PositionUnavailable => "position unavailable",
            Self::InvalidGoCommand => "invalid go command ignored",
            Self::TablesUnavailable => "tables unavailable",
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::InvalidFen
            | Self::InvalidPositionCommand
            | Self::HistoryTruncated
            | Self::HistoryIllegalAction => "position",
            Self::PositionUnavailable | Self::InvalidGoCommand | Self::TablesUnavailable => "go",
        }
    }
}

/// A command that is refused, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub code: Code,
    pub message: String,
    /// The action it is about, and its place in the history, from 0.
    pub action: Option<(usize, String)>,
}

/// The line of strict mode; the order of the fields is Sanmill's.
#[derive(Serialize)]
struct Strict<'a> {
    protocol_version: u32,
    status: &'a str,
    code: &'a str,
    command: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            action: None,
        }
    }

    /// The line that tells it.
    pub fn line(&self, strict: bool) -> String {
        if strict {
            let action = self.action.as_ref();
            let json = serde_json::to_string(&Strict {
                protocol_version: 1,
                status: "error",
                code: self.code.code(),
                command: self.code.command(),
                message: &self.message,
                action_index: action.map(|(index, _)| *index),
                token: action.map(|(_, token)| token.as_str()),
            });
            let json = json.expect("texts and numbers can be written as JSON");
            return format!("info string sanmill_error {json}");
        }
        let beginning = self.code.beginning();
        let message = one_line(&self.message);
        match &self.action {
            Some((index, token)) => {
                let token = plain(token);
                format!("info string {beginning}: {token} (action {index}): {message}")
            }
            None => format!("info string {beginning}: {message}"),
        }
    }
}

/// How much of another program's text an error repeats, in characters.
const LONGEST_QUOTE: usize = 100;

/// Another program's text as it can stand in a line: on one line, the beginning where it is long.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
        None => one_line(text),
    }
}

/// A text without line ends and other characters that steer a terminal.
fn one_line(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}
