//! How far a long run is, on standard error.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mlynek::generate::{Observer, Plan};
use mlynek::report::text::duration;
use mlynek::verify::Watch;

use super::output::complain;

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Mode {
    /// A bar, on a terminal only.
    Auto,
    /// A line every few seconds.
    Plain,
    /// Nothing.
    None,
}

/// How often a line is printed.
const PLAIN_PAUSE: Duration = Duration::from_secs(5);

/// The steps of a bar from nothing to everything.
const STEPS: u64 = 10_000;

/// Shows how far a run is.
#[derive(Debug)]
pub struct Progress {
    show: Show,
    state: Mutex<State>,
}

#[derive(Debug)]
enum Show {
    Bar(ProgressBar),
    Plain,
    Nothing,
}

#[derive(Debug)]
struct State {
    phase: String,
    pace: Pace,
    printed: Option<Instant>,
}

/// How fast a run goes.
#[derive(Debug, Default)]
struct Pace {
    /// When the first fraction was reported, and which: a resumed run does not begin at 0.
    first: Option<(Instant, f64)>,
}

impl Pace {
    /// How long the rest takes if it goes on as it went so far; `None` while that is too early to
    /// say.
    fn remaining(&mut self, now: Instant, fraction: f64) -> Option<Duration> {
        let (begun, first) = *self.first.get_or_insert((now, fraction));
        let elapsed = now.saturating_duration_since(begun);
        let done = fraction - first;
        if elapsed < Duration::from_secs(2) || done <= 0.0 {
            return None;
        }
        let rest = elapsed.as_secs_f64() * (1.0 - fraction).max(0.0) / done;
        Duration::try_from_secs_f64(rest).ok()
    }
}

impl Progress {
    /// Progress shown in this way.
    pub fn new(mode: Mode) -> Self {
        let show = match mode {
            Mode::Auto if stderr().is_terminal() => {
                let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
                let style = "{elapsed_precise} [{bar:30}] {percent:>3}% {msg}";
                let style = ProgressStyle::with_template(style);
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.enable_steady_tick(Duration::from_millis(500));
                Show::Bar(bar)
            }
            Mode::Plain => Show::Plain,
            Mode::Auto | Mode::None => Show::Nothing,
        };
        let state = Mutex::new(State {
            phase: String::new(),
            pace: Pace::default(),
            printed: None,
        });
        Self { show, state }
    }

    /// Prints a line beside what is shown.
    pub fn say(&self, text: &str) {
        match &self.show {
            Show::Bar(bar) => bar.suspend(|| complain(text)),
            Show::Plain | Show::Nothing => complain(text),
        }
    }

    /// Takes a bar away.
    pub fn finish(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }

    fn begin_phase(&self, name: &str) {
        let mut state = self.state();
        if state.phase != name {
            name.clone_into(&mut state.phase);
        }
    }

    fn show(&self, fraction: f64) {
        let fraction = if fraction.is_nan() {
            0.0
        } else {
            fraction.clamp(0.0, 1.0)
        };
        let now = Instant::now();
        let mut state = self.state();
        let remaining = state.pace.remaining(now, fraction);
        let rest = match remaining {
            Some(remaining) => format!(", about {} left", duration(remaining)),
            None => String::new(),
        };
        match &self.show {
            Show::Bar(bar) => {
                bar.set_position((fraction * STEPS as f64) as u64);
                bar.set_message(format!("{}{rest}", state.phase));
            }
            Show::Plain => {
                let due = state
                    .printed
                    .is_none_or(|printed| now.saturating_duration_since(printed) >= PLAIN_PAUSE);
                if due {
                    state.printed = Some(now);
                    complain(format_args!(
                        "{:5.1}% {}{rest}",
                        fraction * 100.0,
                        state.phase
                    ));
                }
            }
            Show::Nothing => {}
        }
    }

    /// The state; what a thread that panicked left of it will do.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress {
    fn begin(&self, _: &Plan, _: &Path) {}

    fn phase(&self, name: &str, index: usize, count: usize) {
        self.begin_phase(&format!("{name} ({} of {count})", index + 1));
    }

    fn progress(&self, fraction_of_whole_run: f64) {
        self.show(fraction_of_whole_run);
    }

    fn message(&self, text: &str) {
        self.say(text);
    }
}

impl Watch for Progress {
    fn phase(&self, name: &str) {
        self.begin_phase(name);
    }

    fn progress(&self, fraction: f64) {
        self.show(fraction);
    }

    fn message(&self, text: &str) {
        self.say(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_follows_from_the_pace() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        assert_eq!(pace.remaining(begun, 0.0), None);
        assert_eq!(pace.remaining(after(1), 0.1), None, "too early to say");
        assert_eq!(pace.remaining(after(10), 0.0), None, "nothing done yet");
        let quarter = pace.remaining(after(10), 0.25).unwrap();
        assert!((quarter.as_secs_f64() - 30.0).abs() < 1e-6);
        assert_eq!(pace.remaining(after(40), 1.0), Some(Duration::ZERO));
    }

    #[test]
    fn what_was_done_before_a_resumed_run_does_not_count_as_pace() {
        let begun = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.remaining(begun, 0.5), None);
        let rest = pace
            .remaining(begun + Duration::from_secs(10), 0.6)
            .unwrap();
        assert!((rest.as_secs_f64() - 40.0).abs() < 1e-6, "{rest:?}");
    }
}
