//! Counting: how many positions of each class are won, drawn and lost for White.

use rayon::prelude::*;

use super::level::Level;
use super::solution::Solution;
use crate::board::MAX_POINTS;
use crate::index::cycles;
use crate::planes::{self, Bits, ClassCounts, Kernel, Plane, Task, class_counts};

/// Counts by the number of Black's men, which is below the number of points.
pub type CountsByMen = [ClassCounts; MAX_POINTS];

/// The positions of a level, as canonical positions (one per orbit of the symmetries) and raw.
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelCounts {
    /// One per orbit.
    pub canonical: CountsByMen,
    /// Every orientation.
    pub raw: CountsByMen,
}

/// Counts the positions of all rows of a level.
pub fn count_level<P: Solution>(level: &Level<'_>, planes: &[u64], kernel: Kernel) -> LevelCounts {
    let start = || (LevelCounts::default(), vec![0; level.row_words()]);
    planes
        .par_chunks(level.row_words_of::<P>())
        .enumerate()
        .fold(start, |(mut totals, mut bounds), (place, row)| {
            P::bounds(row, &mut bounds);
            kernel.run(CountRow {
                level,
                place,
                row: &bounds,
                totals: &mut totals,
            });
            (totals, bounds)
        })
        .map(|(totals, _)| totals)
        .reduce(LevelCounts::default, |mut a, b| {
            add(&mut a.canonical, &b.canonical, 1);
            add(&mut a.raw, &b.raw, 1);
            a
        })
}

fn add(totals: &mut CountsByMen, counts: &CountsByMen, divisor: u64) {
    for (total, count) in totals.iter_mut().zip(counts) {
        total.wins += count.wins / divisor;
        total.draws += count.draws / divisor;
        total.losses += count.losses / divisor;
    }
}

struct CountRow<'a> {
    level: &'a Level<'a>,
    place: usize,
    row: &'a [u64],
    totals: &'a mut LevelCounts,
}

impl Task for CountRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let (level, place) = (self.level, self.place);
        let board = level.index().board();
        let mut counts = CountsByMen::default();
        class_counts::<B>(self.row, level.empty(), 1, &mut counts);
        let symmetries = board.symmetries().len() as u64;
        let stabiliser: Vec<_> = level.stabiliser(place).collect();
        let order = stabiliser.len() as u64;
        for (total, count) in self.totals.raw.iter_mut().zip(&counts) {
            total.wins += count.wins * (symmetries / order);
            total.draws += count.draws * (symmetries / order);
            total.losses += count.losses * (symmetries / order);
        }
        if order > 1 {
            // Burnside's lemma: the orbits are as many as the average symmetry keeps in place.
            let frame = level.frame(place);
            for symmetry in &stabiliser[1..] {
                let cycles: Vec<u32> = cycles(symmetry, frame.empty())
                    .into_iter()
                    .map(|cycle| {
                        cycle
                            .iter()
                            .fold(0, |set, p| set | 1 << frame.coordinate(p))
                    })
                    .collect();
                count_unions(&cycles, self.row, &mut counts);
            }
        }
        add(&mut self.totals.canonical, &counts, order);
    }
}

/// Counts the positions in which Black's men are a union of cycles.
fn count_unions(cycles: &[u32], row: &[u64], counts: &mut CountsByMen) {
    let mut index = 0u32;
    for step in 0..1u32 << cycles.len() {
        if step > 0 {
            // Gray code: each union differs from the one before by one cycle.
            index ^= cycles[step.trailing_zeros() as usize];
        }
        let count = &mut counts[index.count_ones() as usize];
        let sure = planes::get(row, Plane::Sure, index);
        match (sure, planes::get(row, Plane::Hope, index)) {
            (true, true) => count.wins += 1,
            (false, true) => count.draws += 1,
            (false, false) => count.losses += 1,
            (true, false) => {}
        }
    }
}
