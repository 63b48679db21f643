//! Work on whole rows: what a move of White or Black makes of every position at once.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::level::{Level, Link, Links};
use super::news::News;
use crate::planes::{
    self, Ahead, Bits, Classes, Kernel, Plane, Planes, Scratch, Task, TransferScratch, transfer,
};

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct RowScratch {
    pub(super) moves: Scratch,
    pub(super) transfer: TransferScratch,
    pub(super) row: Vec<u64>,
    pub(super) captures: Vec<u64>,
}

impl RowScratch {
    /// Buffers for rows of these planes.
    pub(super) fn new<P: Planes>(level: &Level<'_>) -> Self {
        let mut scratch = Self::default();
        scratch.moves.reserve(level.empty());
        scratch.row.resize(level.row_words_of::<P>(), 0);
        scratch.captures.resize(level.row_words_of::<P>(), 0);
        scratch
    }
}

/// The level below with its values with White to move; `None` where White has lost.
pub(super) type Below<'a> = Option<(&'a Level<'a>, &'a [u64])>;

/// The values after Black has closed a mill in the row at `place`: the least over the men of White
/// he may remove. Without a man to remove, nothing happens.
pub(super) struct CapturesOfRow<'a, P> {
    pub(super) planes: PhantomData<P>,
    pub(super) level: &'a Level<'a>,
    pub(super) below: Below<'a>,
    pub(super) links: &'a Links,
    pub(super) place: usize,
    /// The values where there is no man to remove.
    pub(super) board: &'a [u64],
    pub(super) scratch: &'a mut TransferScratch,
    pub(super) out: &'a mut [u64],
}

impl<P: Planes> Task for CapturesOfRow<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        if self.level.men() == 0 {
            self.out.copy_from_slice(self.board);
            return;
        }
        let Some((below, values)) = self.below else {
            self.out.fill(0);
            return;
        };
        self.out.fill(u64::MAX);
        Transfers {
            planes: self.planes,
            level: self.level,
            target: below,
            links: self.links.of(self.place),
            place: self.place,
            quiet: values,
            closing: values,
        }
        .run::<B, true>(self.scratch, self.out);
    }
}

/// The rows that the links of a row lead to, brought into its frame one after the other.
struct Transfers<'a, P> {
    planes: PhantomData<P>,
    level: &'a Level<'a>,
    /// The level the links lead to.
    target: &'a Level<'a>,
    links: &'a [Link],
    place: usize,
    /// The planes that links without a mill lead to, and those with one.
    quiet: &'a [u64],
    closing: &'a [u64],
}

impl<P: Planes> Transfers<'_, P> {
    /// Accumulates them into `out`: by AND with `LEAST`, else by OR.
    #[inline(always)]
    fn run<B: Bits, const LEAST: bool>(&self, scratch: &mut TransferScratch, out: &mut [u64]) {
        let frame = self.level.frame(self.place);
        for (number, link) in self.links.iter().enumerate() {
            let set = self.target.set(link.place as usize);
            let mapping = self.level.mapping(&frame, link, set);
            let ahead = match self.links.get(number + 1) {
                Some(next) => {
                    let set = self.target.set(next.place as usize);
                    Ahead::half::<P>(self.row(next), self.level.vacated(next, set))
                }
                None => Ahead::NONE,
            };
            transfer::<B, P, LEAST>(&mapping, self.row(link), ahead, scratch, out);
        }
    }

    #[inline(always)]
    fn row(&self, link: &Link) -> &[u64] {
        let planes = if link.mill { self.closing } else { self.quiet };
        row_of(planes, self.target.row_words_of::<P>(), link)
    }
}

#[inline(always)]
pub(super) fn row_at<'p, P: Planes>(
    level: &Level<'_>,
    planes: &'p [u64],
    place: usize,
) -> &'p [u64] {
    let words = level.row_words_of::<P>();
    &planes[place * words..][..words]
}

#[inline(always)]
pub(super) fn row_of<'p>(planes: &'p [u64], row_words: usize, link: &Link) -> &'p [u64] {
    &planes[link.place as usize * row_words..][..row_words]
}

/// White's move in one row: the greatest over his moves, by OR into `out`.
pub(super) struct WhiteRow<'a, P> {
    pub(super) planes: PhantomData<P>,
    pub(super) level: &'a Level<'a>,
    /// The level the links lead to.
    pub(super) target: &'a Level<'a>,
    pub(super) links: &'a Links,
    pub(super) place: usize,
    /// The values of the target with Black to move.
    pub(super) after: &'a [u64],
    /// The values of the target when White is about to remove a man.
    pub(super) removals: &'a [u64],
    pub(super) scratch: &'a mut TransferScratch,
    pub(super) out: &'a mut [u64],
}

impl<P: Planes> Task for WhiteRow<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        self.out.fill(0);
        Transfers {
            planes: self.planes,
            level: self.level,
            target: self.target,
            links: self.links.of(self.place),
            place: self.place,
            quiet: self.after,
            closing: self.removals,
        }
        .run::<B, false>(self.scratch, self.out);
    }
}

/// The removals of every row with a mill of White.
pub(super) fn fill_removals<P: Planes>(
    level: &Level<'_>,
    after: &[u64],
    kernel: Kernel,
    removals: &mut [u64],
) {
    let words = level.row_words_of::<P>();
    removals
        .par_chunks_mut(words)
        .zip(after.par_chunks(words))
        .enumerate()
        .filter(|(place, _)| level.has_mill(*place))
        .for_each_init(
            || RowScratch::new::<P>(level),
            |scratch, (place, (out, after))| {
                kernel.run(RemovalsOfRow {
                    planes: PhantomData::<P>,
                    level,
                    place,
                    after,
                    scratch: &mut scratch.moves,
                    out,
                });
            },
        );
}

/// The removals of one row.
pub(super) struct RemovalsOfRow<'a, P> {
    pub(super) planes: PhantomData<P>,
    pub(super) level: &'a Level<'a>,
    pub(super) place: usize,
    pub(super) after: &'a [u64],
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut [u64],
}

impl<P: Planes> Task for RemovalsOfRow<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        P::removals(&frame, self.after, self.scratch, self.out);
    }
}

pub(super) struct BlackRow<'a> {
    pub(super) level: &'a Level<'a>,
    pub(super) place: usize,
    pub(super) board: &'a [u64],
    pub(super) captures: &'a [u64],
    pub(super) flyers: Range<usize>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut [u64],
}

impl Task for BlackRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<B: Bits>(self) {
        let frame = self.level.frame(self.place);
        planes::black_moves::<B>(
            &frame,
            self.board,
            self.captures,
            self.flyers,
            self.scratch,
            self.out,
        );
    }
}

/// Replaces a row, after everything outside the classes is marked as won, and counts the bits that
/// changed; with `news`, lists them; with `layer`, grades them.
pub(super) struct Replace<'a> {
    pub(super) classes: &'a Classes,
    pub(super) new: &'a mut [u64],
    pub(super) old: &'a mut [u64],
    pub(super) news: Option<&'a mut News>,
    /// The grades of the row, and the half depth of what has changed.
    pub(super) layer: Option<(&'a mut [u64], u8)>,
}

impl Task for Replace<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<B: Bits>(self) -> u64 {
        planes::restrict_to_classes(self.new, self.classes);
        let mut changed = 0;
        for (new, old) in self.new.iter().zip(self.old.iter()) {
            changed += u64::from((new ^ old).count_ones());
        }
        if let Some(news) = self.news {
            news.clear();
            for (number, (new, old)) in self.new.iter().zip(self.old.iter()).enumerate() {
                let mut bits = new ^ old;
                let list = if number % 2 == Plane::Sure as usize {
                    &mut news.sure
                } else {
                    &mut news.hope
                };
                while bits != 0 {
                    list.push((number as u32 >> 1) << 6 | bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
        if let Some((grades, half)) = self.layer
            && changed != 0
        {
            planes::grade_changes(self.old, self.new, half, grades);
        }
        self.old.copy_from_slice(self.new);
        changed
    }
}
