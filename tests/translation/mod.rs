//! The library's points and values for the oracle's, and the other way round.
#![allow(dead_code)]

use mlynek::board::{Board, PointSet};
use mlynek::grade::Grade;
use mlynek::rules::{Subspace, Value};

use crate::oracle;

/// The oracle numbers points in its own way; sets are translated byte by byte.
pub struct Translation {
    from_oracle: [[u32; 256]; 3],
    to_oracle: [[u32; 256]; 3],
}

/// For each byte of a set its points' images.
fn by_byte(image: impl Fn(usize) -> usize) -> [[u32; 256]; 3] {
    let mut by_byte = [[0; 256]; 3];
    for (byte, table) in by_byte.iter_mut().enumerate() {
        for (value, set) in table.iter_mut().enumerate() {
            for bit in (0..8).filter(|bit| value >> bit & 1 != 0) {
                *set |= 1 << image(8 * byte + bit);
            }
        }
    }
    by_byte
}

fn translated(by_byte: &[[u32; 256]; 3], set: u32) -> u32 {
    let [a, b, c, _] = set.to_le_bytes().map(usize::from);
    by_byte[0][a] | by_byte[1][b] | by_byte[2][c]
}

impl Translation {
    pub fn new(board: &Board) -> Self {
        let number = |name: &str| board.point(name).expect("the same points").number();
        let numbers = oracle::POINTS.map(number);
        let back = |number| {
            let same = numbers.iter().position(|&other| other == number);
            same.expect("the same points")
        };
        Self {
            from_oracle: by_byte(|point| numbers[point]),
            to_oracle: by_byte(back),
        }
    }

    /// The library's set for the oracle's.
    pub fn set(&self, set: u32) -> PointSet {
        PointSet::from_bits(translated(&self.from_oracle, set))
    }

    /// The oracle's set for the library's.
    pub fn back(&self, set: PointSet) -> u32 {
        translated(&self.to_oracle, set.bits())
    }
}

/// The library's value for the oracle's.
pub fn same(value: oracle::Value) -> Value {
    match value {
        oracle::Value::Loss => Value::Loss,
        oracle::Value::Draw => Value::Draw,
        oracle::Value::Win => Value::Win,
    }
}

/// The grade for the oracle's value and depth.
pub fn grade(value: oracle::Value, depth: Option<u16>) -> Grade {
    let grade = match (value, depth) {
        (oracle::Value::Loss, Some(plies)) => Grade::loss(plies.into()),
        (oracle::Value::Draw, None) => Some(Grade::DRAW),
        (oracle::Value::Win, Some(plies)) => Grade::win(plies.into()),
        _ => None,
    };
    grade.unwrap_or_else(|| panic!("no {value:?} has the depth {depth:?}"))
}

/// The library's subspace for the oracle's.
pub fn subspace(counts: &oracle::Counts) -> Subspace {
    Subspace {
        mover: counts.mover as u8,
        opponent: counts.opponent as u8,
        mover_hand: counts.mover_hand,
        opponent_hand: counts.opponent_hand,
    }
}
