//! How many positions have each grade.

use std::fmt;

use crate::grade::Grade;
use crate::rules::Value;
use crate::table::Counts;

/// How many bytes a histogram takes in a file: a number of 64 bits for each code.
pub(crate) const HISTOGRAM_LEN: usize = 256 * size_of::<u64>();

/// How many positions of a table have each grade, and where the deepest win and the deepest loss
/// stand first. Canonical positions are meant: one slot for each orbit of the board's symmetries.
///
/// Parts may be counted apart and merged in any order.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; 256],
    deepest_win: Option<Example>,
    deepest_loss: Option<Example>,
}

/// A grade and the lowest slot that has it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Example {
    code: u8,
    slot: u64,
}

/// The depth of the deepest win and of the deepest loss, in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Deepest {
    /// Plies of the deepest win; `None` when nothing is won.
    pub win: Option<u32>,
    /// Plies of the deepest loss; `None` when nothing is lost.
    pub loss: Option<u32>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Histogram {
    /// The grades there are, with their numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Histogram {
    /// A histogram of nothing.
    pub const fn new() -> Self {
        Self {
            counts: [0; 256],
            deepest_win: None,
            deepest_loss: None,
        }
    }

    /// Counts the canonical position in `slot`.
    #[inline]
    pub fn add(&mut self, grade: Grade, slot: u64) {
        self.counts[usize::from(grade.code())] += 1;
        self.take_example(Example {
            code: grade.code(),
            slot,
        });
    }

    /// Counts the positions in the slots from `first` on, all of which are canonical, by the codes
    /// of their grades.
    ///
    /// # Panics
    /// When a byte is no code of a grade.
    pub fn add_run(&mut self, first: u64, codes: &[u8]) {
        // Four counters a code, so that runs of one code need not wait for each other.
        let mut counts = [[0u32; 4]; 256];
        // A part is short enough for 32 bits.
        for (number, part) in codes.chunks(1 << 30).enumerate() {
            let (fours, rest) = part.as_chunks::<4>();
            for four in fours {
                for (place, &code) in four.iter().enumerate() {
                    counts[usize::from(code)][place] += 1;
                }
            }
            for &code in rest {
                counts[usize::from(code)][0] += 1;
            }
            let first = first + ((number as u64) << 30);
            for (code, four) in counts.iter_mut().enumerate() {
                let count = four.iter().map(|&count| u64::from(count)).sum::<u64>();
                *four = [0; 4];
                if count > 0 {
                    assert!(
                        Grade::from_code(code as u8).is_some(),
                        "no grade has the code {code}"
                    );
                    self.counts[code] += count;
                }
            }
            for code in [
                self.deepest_code(Value::Win),
                self.deepest_code(Value::Loss),
            ] {
                let Some(code) = code else { continue };
                let known = self.example(code).is_some_and(|known| known.slot <= first);
                if known {
                    continue;
                }
                if let Some(place) = part.iter().position(|&found| found == code) {
                    let slot = first + place as u64;
                    self.take_example(Example { code, slot });
                }
            }
        }
    }

    /// Adds what another histogram has counted, of other slots of the same table.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        for example in [other.deepest_win, other.deepest_loss]
            .into_iter()
            .flatten()
        {
            self.take_example(example);
        }
    }

    /// How many positions have this grade.
    pub const fn of(&self, grade: Grade) -> u64 {
        self.counts[grade.code() as usize]
    }

    /// The grades there are, each with the number of positions that have it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Grade, u64)> + '_ {
        let codes = (0..=u8::MAX).filter_map(Grade::from_code);
        codes
            .map(|grade| (grade, self.of(grade)))
            .filter(|&(_, count)| count > 0)
    }

    /// How many positions have each value.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (grade, count) in self.iter() {
            counts.add_of(grade.value(), count);
        }
        counts
    }

    /// The depths of the deepest win and the deepest loss.
    pub fn deepest(&self) -> Deepest {
        let plies = |value| Grade::from_code(self.deepest_code(value)?)?.plies();
        Deepest {
            win: plies(Value::Win),
            loss: plies(Value::Loss),
        }
    }

    /// The lowest canonical slot of the deepest win; `None` when nothing is won.
    pub fn deepest_win_slot(&self) -> Option<u64> {
        self.deepest_win.map(|example| example.slot)
    }

    /// The lowest canonical slot of the deepest loss; `None` when nothing is lost.
    pub fn deepest_loss_slot(&self) -> Option<u64> {
        self.deepest_loss.map(|example| example.slot)
    }

    /// The code of the deepest grade of this value there is.
    fn deepest_code(&self, value: Value) -> Option<u8> {
        let there = |&code: &u8| {
            self.counts[usize::from(code)] > 0
                && Grade::from_code(code).is_some_and(|grade| grade.value() == value)
        };
        // The nearer a code is to the draws' in the middle, the deeper it is.
        match value {
            Value::Win => (Grade::DRAW.code()..=u8::MAX).find(there),
            Value::Loss => (0..Grade::DRAW.code()).rev().find(there),
            Value::Draw => None,
        }
    }

    /// The example of this code.
    fn example(&self, code: u8) -> Option<Example> {
        let examples = [self.deepest_win, self.deepest_loss].into_iter().flatten();
        examples.into_iter().find(|example| example.code == code)
    }

    /// Keeps an example that is deeper than the one there is, or as deep and lower.
    #[inline]
    fn take_example(&mut self, new: Example) {
        let draw = Grade::DRAW.code();
        let (example, depth) = match new.code {
            code if code < draw => (&mut self.deepest_loss, code),
            code if code > draw => (&mut self.deepest_win, u8::MAX - code),
            _ => return,
        };
        let better = example.is_none_or(|old| {
            let old_depth = if old.code < draw {
                old.code
            } else {
                u8::MAX - old.code
            };
            (old_depth, std::cmp::Reverse(old.slot)) < (depth, std::cmp::Reverse(new.slot))
        });
        if better {
            *example = Some(new);
        }
    }

    /// The histogram as it stands in a file.
    pub(crate) fn to_bytes(&self) -> [u8; HISTOGRAM_LEN] {
        let mut bytes = [0; HISTOGRAM_LEN];
        for (field, count) in bytes.as_chunks_mut().0.iter_mut().zip(&self.counts) {
            *field = count.to_le_bytes();
        }
        bytes
    }

    /// The counts of a histogram in a file, as its bytes say.
    pub(crate) fn counts_from_bytes(bytes: &[u8; HISTOGRAM_LEN]) -> [u64; 256] {
        let mut counts = [0; 256];
        for (count, field) in counts.iter_mut().zip(bytes.as_chunks().0) {
            *count = u64::from_le_bytes(*field);
        }
        counts
    }

    /// A histogram of these counts whose deepest win and loss stand in these slots.
    ///
    /// # Errors
    /// When the counts are impossible, or slots are given where there is nothing to stand in
    /// them, or the other way round: what is wrong.
    pub(crate) fn from_parts(
        counts: [u64; 256],
        [win, loss]: [Option<u64>; 2],
    ) -> Result<Self, HistogramProblem> {
        let mut total = 0u64;
        for (code, &count) in (0..=u8::MAX).zip(&counts) {
            let sum = total.checked_add(count);
            if count > 0 && (sum.is_none() || Grade::from_code(code).is_none()) {
                return Err(HistogramProblem::Count(code));
            }
            total = sum.unwrap_or(total);
        }
        let mut histogram = Self {
            counts,
            ..Self::new()
        };
        for (value, slot) in [(Value::Win, win), (Value::Loss, loss)] {
            match (histogram.deepest_code(value), slot) {
                (Some(code), Some(slot)) => histogram.take_example(Example { code, slot }),
                (None, None) => {}
                _ => return Err(HistogramProblem::Example(value)),
            }
        }
        Ok(histogram)
    }
}

/// What is wrong with a histogram in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HistogramProblem {
    /// This code cannot have so many positions.
    Count(u8),
    /// The deepest position of this value has no slot, or there is none to have one.
    Example(Value),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes() -> impl Strategy<Value = Vec<u8>> {
        let code = any::<u8>().prop_filter("a code", |&code| Grade::from_code(code).is_some());
        proptest::collection::vec(code, 0..300)
    }

    fn counted(first: u64, codes: &[u8]) -> Histogram {
        let mut histogram = Histogram::new();
        for (slot, &code) in (first..).zip(codes) {
            histogram.add(Grade::from_code(code).unwrap(), slot);
        }
        histogram
    }

    proptest! {
        #[test]
        fn parts_make_the_whole(codes in codes(), cut: prop::sample::Index) {
            let whole = counted(7, &codes);
            let cut = cut.index(codes.len() + 1);
            let (head, tail) = codes.split_at(cut);
            let middle = 7 + cut as u64;
            let mut forward = counted(7, head);
            forward.merge(&counted(middle, tail));
            prop_assert_eq!(&forward, &whole);
            let mut backward = counted(middle, tail);
            backward.merge(&counted(7, head));
            prop_assert_eq!(&backward, &whole);
            for parts in [[(7, head), (middle, tail)], [(middle, tail), (7, head)]] {
                let mut runs = Histogram::new();
                for (first, codes) in parts {
                    runs.add_run(first, codes);
                }
                prop_assert_eq!(&runs, &whole);
            }
        }

        #[test]
        fn a_histogram_says_what_was_counted(codes in codes()) {
            let histogram = counted(0, &codes);
            let grades: Vec<_> = codes.iter().map(|&code| Grade::from_code(code).unwrap()).collect();
            prop_assert_eq!(histogram.counts().total(), codes.len() as u64);
            for value in Value::ALL {
                let having = grades.iter().filter(|grade| grade.value() == value);
                prop_assert_eq!(histogram.counts().of(value), having.count() as u64);
            }
            for (value, plies, slot) in [
                (Value::Win, histogram.deepest().win, histogram.deepest_win_slot()),
                (Value::Loss, histogram.deepest().loss, histogram.deepest_loss_slot()),
            ] {
                let of = grades.iter().filter(|grade| grade.value() == value);
                let deepest = of.filter_map(|grade| grade.plies()).max();
                prop_assert_eq!(plies, deepest);
                let found = grades
                    .iter()
                    .position(|grade| grade.value() == value && grade.plies() == deepest);
                prop_assert_eq!(slot, found.filter(|_| deepest.is_some()).map(|slot| slot as u64));
            }
            let counts = Histogram::counts_from_bytes(&histogram.to_bytes());
            let slots = [histogram.deepest_win_slot(), histogram.deepest_loss_slot()];
            prop_assert_eq!(Histogram::from_parts(counts, slots), Ok(histogram));
        }
    }

    #[test]
    fn impossible_histograms_are_refused() {
        let counts = |pairs: &[(u8, u64)]| {
            let mut counts = [0; 256];
            for &(code, count) in pairs {
                counts[usize::from(code)] = count;
            }
            counts
        };
        for (pairs, slots, problem) in [
            (&[(127, 1)][..], [None, None], HistogramProblem::Count(127)),
            (
                &[(0, u64::MAX), (128, 1)],
                [None, Some(0)],
                HistogramProblem::Count(128),
            ),
            (
                &[(255, 1)],
                [None, None],
                HistogramProblem::Example(Value::Win),
            ),
            (
                &[(3, 1)],
                [None, None],
                HistogramProblem::Example(Value::Loss),
            ),
            (
                &[(128, 1)],
                [Some(1), None],
                HistogramProblem::Example(Value::Win),
            ),
            (
                &[(255, 1)],
                [Some(1), Some(2)],
                HistogramProblem::Example(Value::Loss),
            ),
        ] {
            assert_eq!(Histogram::from_parts(counts(pairs), slots), Err(problem));
        }
        assert_eq!(
            Histogram::from_parts([0; 256], [None, None]),
            Ok(Histogram::new())
        );
    }

    #[test]
    #[should_panic(expected = "no grade has the code 127")]
    fn what_is_no_code_is_not_counted() {
        Histogram::new().add_run(0, &[128, 127]);
    }
}
