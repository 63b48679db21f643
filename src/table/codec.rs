//! Values and grades as bytes, in blocks, each block a frame of its own.
//!
//! A value is a digit: 0 loss, 1 draw, 2 win. A byte holds five digits to the base 3, the first
//! the least significant. The digits of a byte beyond the end of a block are 1.
//!
//! A grade is the byte that is its code.

use zstd::zstd_safe::{self, CCtx, CParameter, DCtx};

use crate::rules::Value;
use crate::table::Metric;
use crate::table::grades::first_foreign_code;

/// How the slots of a block are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Codec {
    /// Five values a byte, the bytes of a block compressed as one Zstandard frame.
    #[default]
    Base3Zstd,
    /// The codes of grades, a byte each, the bytes of a block compressed as one Zstandard frame.
    GradesZstd,
}

impl Codec {
    /// The number that stands for the codec in a header.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Base3Zstd => 1,
            Self::GradesZstd => 2,
        }
    }

    /// The codec with this number.
    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Base3Zstd),
            2 => Some(Self::GradesZstd),
            _ => None,
        }
    }

    /// What it stores.
    #[inline]
    pub const fn metric(self) -> Metric {
        match self {
            Self::Base3Zstd => Metric::Values,
            Self::GradesZstd => Metric::Grades,
        }
    }

    /// The Zstandard level that is used unless there is a reason for another: higher ones save
    /// little for the time they take.
    pub const fn usual_level(self) -> i32 {
        match self {
            Self::Base3Zstd | Self::GradesZstd => 3,
        }
    }

    /// The shortest match that Zstandard is to look for, unless that is left to the level.
    const fn shortest_match(self) -> Option<u32> {
        match self {
            Self::Base3Zstd => None,
            // A few codes by themselves, at some three bits each, take less than a short match: as
            // long a match as the fast levels can be told to wait for.
            Self::GradesZstd => Some(7),
        }
    }

    /// The largest number of bytes a block of `slots` slots is stored in.
    pub(crate) fn bound(self, slots: usize) -> usize {
        match self {
            Self::Base3Zstd | Self::GradesZstd => {
                zstd_safe::compress_bound(self.metric().unpacked_len(slots))
            }
        }
    }
}

/// How many values a byte holds.
pub(crate) const VALUES_PER_BYTE: usize = 5;

/// How many values bytes can have: five digits to the base 3.
const BYTE_VALUES: usize = 3usize.pow(VALUES_PER_BYTE as u32);
const _: () = assert!(BYTE_VALUES == 243 && BYTE_VALUES <= 256);

/// Five draws.
const ALL_DRAWN: u8 = (BYTE_VALUES / 2) as u8;
const _: () = assert!(ALL_DRAWN == 1 + 3 + 9 + 27 + 81);

/// How many bytes `slots` packed values take.
#[inline]
pub(crate) const fn packed_len(slots: usize) -> usize {
    slots.div_ceil(VALUES_PER_BYTE)
}

/// The digit of a value.
#[inline]
pub(crate) const fn digit(value: Value) -> u8 {
    match value {
        Value::Loss => 0,
        Value::Draw => 1,
        Value::Win => 2,
    }
}

/// The value of a digit.
pub(crate) const fn value_of_digit(digit: u8) -> Option<Value> {
    match digit {
        0 => Some(Value::Loss),
        1 => Some(Value::Draw),
        2 => Some(Value::Win),
        _ => None,
    }
}

/// The byte that holds a value five times.
#[inline]
pub(crate) const fn constant_byte(value: Value) -> u8 {
    digit(value) * ALL_DRAWN
}

/// The five values of every byte. A byte no packing makes stands for draws, so that the look-up
/// needs no check; blocks are checked for such bytes when they are decoded.
pub(crate) const UNPACKED: [[Value; VALUES_PER_BYTE]; 256] = {
    let mut table = [[Value::Draw; VALUES_PER_BYTE]; 256];
    let mut byte = 0;
    while byte < BYTE_VALUES {
        let (mut rest, mut place) = (byte, 0);
        while place < VALUES_PER_BYTE {
            table[byte][place] = match rest % 3 {
                0 => Value::Loss,
                1 => Value::Draw,
                _ => Value::Win,
            };
            rest /= 3;
            place += 1;
        }
        byte += 1;
    }
    table
};

/// The value in this place of a run of packed values.
///
/// # Panics
/// When the run is shorter.
#[inline]
pub(crate) fn value_in(packed: &[u8], place: usize) -> Value {
    UNPACKED[usize::from(packed[place / VALUES_PER_BYTE])][place % VALUES_PER_BYTE]
}

/// The first byte that no packing makes, if there is one.
pub(crate) fn first_foreign_byte(packed: &[u8]) -> Option<usize> {
    let foreign = |byte: &u8| usize::from(*byte) >= BYTE_VALUES;
    // The maximum is a plain vector loop; looking for the place is left to the rare case.
    let largest = packed.iter().fold(0, |largest, &byte| byte.max(largest));
    foreign(&largest).then(|| packed.iter().position(foreign))?
}

/// Words that make up one round of packing.
const ROUND_WORDS: usize = 5;
/// Slots of a round.
const ROUND_SLOTS: usize = ROUND_WORDS * 64;
/// Packed bytes of a round.
const ROUND_BYTES: usize = packed_len(ROUND_SLOTS);
const _: () = assert!(ROUND_SLOTS.is_multiple_of(VALUES_PER_BYTE) && ROUND_BYTES == 64);

/// The byte of every five win bits (the lower ones) and five loss bits. A slot's digit is 1 + its
/// win bit - its loss bit, so whatever the bits are, they make a byte that holds five values.
const PACKED: [u8; 1 << (2 * VALUES_PER_BYTE)] = {
    let mut table = [0; 1 << (2 * VALUES_PER_BYTE)];
    let mut bits = 0;
    while bits < table.len() {
        let mut place = VALUES_PER_BYTE;
        while place > 0 {
            place -= 1;
            let (win, loss) = (bits >> place & 1, bits >> (place + VALUES_PER_BYTE) & 1);
            table[bits] = table[bits] * 3 + (1 + win - loss) as u8;
        }
        bits += 1;
    }
    table
};

/// Forty bits of a round, from bit `40 * run` on; what stands above them is left in place.
#[inline]
const fn forty_bits(words: &[u64; ROUND_WORDS], run: usize) -> u64 {
    let (word, shift) = (40 * run / 64, 40 * run % 64);
    let low = words[word] >> shift;
    if shift > 24 {
        low | words[word + 1] << (64 - shift)
    } else {
        low
    }
}

/// Packs a whole round.
#[inline]
fn pack_round(
    wins: &[u64; ROUND_WORDS],
    losses: &[u64; ROUND_WORDS],
    packed: &mut [u8; ROUND_BYTES],
) {
    const WINS: u64 = (1 << VALUES_PER_BYTE) - 1;
    const LOSSES: u64 = WINS << VALUES_PER_BYTE;
    for (run, bytes) in packed.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let mut wins = forty_bits(wins, run);
        let mut losses = forty_bits(losses, run) << VALUES_PER_BYTE;
        for byte in bytes {
            *byte = PACKED[(wins & WINS | losses & LOSSES) as usize];
            wins >>= VALUES_PER_BYTE;
            losses >>= VALUES_PER_BYTE;
        }
    }
}

/// Packs the first `len` slots of two bit planes. Bits beyond `len` do not matter.
fn pack(wins: &[u64], losses: &[u64], len: usize, packed: &mut Vec<u8>) {
    let whole = len / ROUND_SLOTS;
    packed.resize(len.div_ceil(ROUND_SLOTS) * ROUND_BYTES, 0);
    let (bytes, _) = packed.as_chunks_mut::<ROUND_BYTES>();
    let (whole_wins, _) = wins.as_chunks::<ROUND_WORDS>();
    let (whole_losses, _) = losses.as_chunks::<ROUND_WORDS>();
    for ((wins, losses), bytes) in whole_wins
        .iter()
        .zip(whole_losses)
        .zip(&mut *bytes)
        .take(whole)
    {
        pack_round(wins, losses, bytes);
    }
    if let Some(bytes) = bytes.get_mut(whole) {
        let last = |words: &[u64]| {
            let mut round = [0; ROUND_WORDS];
            for (number, word) in round.iter_mut().enumerate() {
                let bits = (len % ROUND_SLOTS).saturating_sub(64 * number);
                if bits > 0 {
                    *word = words[whole * ROUND_WORDS + number] & low_bits(bits);
                }
            }
            round
        };
        pack_round(&last(wins), &last(losses), bytes);
    }
    packed.truncate(packed_len(len));
}

/// The lowest `count` bits, all of them from 64 on.
#[inline]
const fn low_bits(count: usize) -> u64 {
    if count < 64 {
        (1 << count) - 1
    } else {
        u64::MAX
    }
}

/// The value that all of the first `len` slots of two bit planes have, if it is one.
fn constant(wins: &[u64], losses: &[u64], len: usize) -> Option<Value> {
    let is = |words: &[u64], expected: u64| {
        let (whole, rest) = (len / 64, len % 64);
        words[..whole].iter().all(|&word| word == expected)
            && (rest == 0 || (words[whole] ^ expected) & low_bits(rest) == 0)
    };
    // The first bit says which value it can be, so that most blocks are left after one word.
    match (wins.first()? & 1, losses.first()? & 1) {
        (1, _) => (is(wins, u64::MAX) && is(losses, 0)).then_some(Value::Win),
        (_, 1) => (is(losses, u64::MAX) && is(wins, 0)).then_some(Value::Loss),
        _ => (is(wins, 0) && is(losses, 0)).then_some(Value::Draw),
    }
}

/// A block as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodedBlock {
    codec: Codec,
    slots: usize,
    pub(crate) body: Body,
}

/// What a block is stored as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    /// Nothing: every slot has the value of this digit, or the grade of this code.
    Constant(u8),
    /// These bytes.
    Stored {
        /// The bytes.
        bytes: Box<[u8]>,
        /// Their CRC-32.
        checksum: u32,
    },
}

impl EncodedBlock {
    /// How the block is stored.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// How many slots the block has.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many bytes the block takes in the file, its entry in the index not counted.
    pub fn stored_len(&self) -> usize {
        match &self.body {
            Body::Constant(_) => 0,
            Body::Stored { bytes, .. } => bytes.len(),
        }
    }
}

/// Makes blocks out of bit planes or codes. Holds a compression context and buffers that every block
/// uses again; parallel tasks take an encoder each.
pub struct Encoder {
    codec: Codec,
    context: CCtx<'static>,
    packed: Vec<u8>,
    stored: Vec<u8>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder")
            .field("codec", &self.codec)
            .finish_non_exhaustive()
    }
}

impl Encoder {
    /// An encoder that compresses at this Zstandard level; a level beyond what there is counts as
    /// the nearest one. The same block at the same level always gives the same bytes.
    ///
    /// # Panics
    /// When there is no memory for a compression context.
    pub fn new(codec: Codec, level: i32) -> Self {
        let mut context = CCtx::create();
        let level = level.clamp(zstd_safe::min_c_level(), zstd_safe::max_c_level());
        // The index knows the length of a block and checks its bytes; a frame need not.
        let parameters = [
            CParameter::CompressionLevel(level),
            CParameter::ContentSizeFlag(false),
            CParameter::ChecksumFlag(false),
            CParameter::DictIdFlag(false),
        ];
        let shortest_match = codec.shortest_match().map(CParameter::MinMatch);
        for parameter in parameters.into_iter().chain(shortest_match) {
            let set = context.set_parameter(parameter);
            debug_assert!(set.is_ok(), "zstd takes {parameter:?}");
        }
        Self {
            codec,
            context,
            packed: Vec::new(),
            stored: Vec::new(),
        }
    }

    /// A block of the first `len` slots of two bit planes: bit `i % 64` of word `i / 64` stands
    /// for slot `i` of the block; a slot in neither plane is a draw, and no slot is in both. Bits
    /// beyond `len` do not matter.
    ///
    /// # Panics
    /// When a plane has fewer than `len` bits, `len` is 0, or the codec stores no values.
    pub fn encode(&mut self, wins: &[u64], losses: &[u64], len: usize) -> EncodedBlock {
        self.expect_metric(Metric::Values);
        assert!(len > 0, "a block has slots");
        let words = len.div_ceil(64);
        let (wins, losses) = (&wins[..words], &losses[..words]);
        let body = match constant(wins, losses, len) {
            Some(value) => Body::Constant(digit(value)),
            None => {
                pack(wins, losses, len, &mut self.packed);
                compress(&mut self.context, &self.packed, &mut self.stored)
            }
        };
        self.block(len, body)
    }

    /// A block of the slots with these codes of grades. What stands in a twin slot does not
    /// matter, as long as it is the code of a grade; see [`crate::index`].
    ///
    /// # Panics
    /// When there is no slot, a byte is no code of a grade, or the codec stores no grades.
    pub fn encode_grades(&mut self, codes: &[u8]) -> EncodedBlock {
        self.expect_metric(Metric::Grades);
        let &first = codes.first().expect("a block has slots");
        if let Some(place) = first_foreign_code(codes) {
            panic!("no grade has the code {}, slot {place}", codes[place]);
        }
        let body = if codes.iter().all(|&code| code == first) {
            Body::Constant(first)
        } else {
            compress(&mut self.context, codes, &mut self.stored)
        };
        self.block(codes.len(), body)
    }

    fn expect_metric(&self, metric: Metric) {
        assert_eq!(self.codec.metric(), metric, "what the codec stores");
    }

    fn block(&self, slots: usize, body: Body) -> EncodedBlock {
        EncodedBlock {
            codec: self.codec,
            slots,
            body,
        }
    }
}

/// One frame of these bytes, made in `stored`.
fn compress(context: &mut CCtx<'static>, bytes: &[u8], stored: &mut Vec<u8>) -> Body {
    stored.clear();
    stored.reserve(zstd_safe::compress_bound(bytes.len()));
    // Writes into the spare capacity and sets the length.
    context.compress2(stored, bytes).unwrap_or_else(|code| {
        panic!(
            "zstd fails within its own bound: {}",
            zstd_safe::get_error_name(code)
        )
    });
    Body::Stored {
        bytes: stored.as_slice().into(),
        checksum: crc32fast::hash(stored),
    }
}

/// Takes blocks apart again. Holds a decompression context that every block uses again.
pub(crate) struct Decoder {
    context: DCtx<'static>,
}

impl Decoder {
    /// A decoder.
    pub(crate) fn new() -> Self {
        Self {
            context: DCtx::create(),
        }
    }

    /// The packed values, or the codes, of a stored block of as many as `unpacked` has room for,
    /// to the byte. Never writes, nor allocates, more than that, whatever the stored bytes are.
    pub(crate) fn decode(
        &mut self,
        codec: Codec,
        stored: &[u8],
        unpacked: &mut [u8],
    ) -> Result<(), DecodeError> {
        let foreign = match codec {
            Codec::Base3Zstd => {
                self.decompress(stored, unpacked)?;
                first_foreign_byte(unpacked)
            }
            Codec::GradesZstd => {
                self.decompress(stored, unpacked)?;
                first_foreign_code(unpacked)
            }
        };
        match foreign {
            Some(place) => Err(DecodeError::ForeignByte(place, unpacked[place])),
            None => Ok(()),
        }
    }

    /// The content of a frame that is all of `stored`, as long as `content`.
    fn decompress(&mut self, stored: &[u8], content: &mut [u8]) -> Result<(), DecodeError> {
        let name = |code| DecodeError::Zstd(zstd_safe::get_error_name(code));
        let frame = zstd_safe::find_frame_compressed_size(stored).map_err(name)?;
        if frame != stored.len() {
            return Err(DecodeError::Trailing(frame));
        }
        let len = self.context.decompress(content, stored).map_err(name)?;
        if len != content.len() {
            return Err(DecodeError::Length(len));
        }
        Ok(())
    }
}

/// What is wrong with a stored block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DecodeError {
    /// Zstandard says so.
    Zstd(&'static str),
    /// The frame ends before the stored bytes do.
    Trailing(usize),
    /// Too few bytes come out.
    Length(usize),
    /// In this place, this byte comes out, which holds no five values or is no code.
    ForeignByte(usize, u8),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two planes with these values, every bit beyond them set.
    fn planes(values: &[Value]) -> (Vec<u64>, Vec<u64>) {
        let plane = |wanted: Value| {
            let mut words = vec![0u64; values.len().div_ceil(64)];
            for (slot, &value) in values.iter().enumerate() {
                words[slot / 64] |= u64::from(value == wanted) << (slot % 64);
            }
            if !values.len().is_multiple_of(64) {
                *words.last_mut().unwrap() |= u64::MAX << (values.len() % 64);
            }
            words
        };
        (plane(Value::Win), plane(Value::Loss))
    }

    /// Packing as the description says it, one value at a time.
    fn plainly(values: &[Value]) -> Vec<u8> {
        values
            .chunks(VALUES_PER_BYTE)
            .map(|five| {
                (0..VALUES_PER_BYTE).rev().fold(0, |byte, place| {
                    byte * 3 + digit(five.get(place).copied().unwrap_or(Value::Draw))
                })
            })
            .collect()
    }

    fn values(
        len: impl Into<proptest::collection::SizeRange>,
    ) -> impl Strategy<Value = Vec<Value>> {
        proptest::collection::vec(proptest::sample::select(&Value::ALL[..]), len)
    }

    fn codes(len: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<u8>> {
        let known: Vec<u8> = (0..=u8::MAX).filter(|&code| code != 127).collect();
        // Few codes make matches, many make none.
        let few = proptest::sample::select(vec![0, 1, 128, 254, 255]);
        let code = prop_oneof![4 => few, 1 => proptest::sample::select(known)];
        proptest::collection::vec(code, len)
    }

    fn decode(block: &EncodedBlock) -> Vec<u8> {
        let codec = block.codec();
        let mut unpacked = vec![0; codec.metric().unpacked_len(block.slots())];
        match &block.body {
            Body::Constant(digit) if codec.metric() == Metric::Values => {
                unpacked.fill(digit * ALL_DRAWN);
            }
            Body::Constant(code) => unpacked.fill(*code),
            Body::Stored { bytes, checksum } => {
                assert_eq!(crc32fast::hash(bytes), *checksum);
                assert!(bytes.len() <= codec.bound(block.slots()));
                let decoded = Decoder::new().decode(codec, bytes, &mut unpacked);
                assert_eq!(decoded, Ok(()));
            }
        }
        unpacked
    }

    #[test]
    fn digits_stand_for_values() {
        for value in Value::ALL {
            assert_eq!(value_of_digit(digit(value)), Some(value));
            assert_eq!(UNPACKED[usize::from(constant_byte(value))], [value; 5]);
        }
        assert_eq!(value_of_digit(3), None);
        for codec in [Codec::Base3Zstd, Codec::GradesZstd] {
            assert_eq!(Codec::from_code(codec.code()), Some(codec));
        }
        assert_eq!(Codec::from_code(0), None);
        assert_eq!(Codec::from_code(3), None);
    }

    #[test]
    fn every_five_values_have_their_byte() {
        for byte in 0..BYTE_VALUES as u8 {
            let five = UNPACKED[usize::from(byte)];
            assert_eq!(plainly(&five), [byte]);
            let (wins, losses) = planes(&five);
            let mut packed = Vec::new();
            pack(&wins, &losses, 5, &mut packed);
            assert_eq!(packed, [byte]);
        }
    }

    #[test]
    fn constant_blocks_are_recognised_at_every_length() {
        let mut encoder = Encoder::new(Codec::Base3Zstd, 1);
        for value in Value::ALL {
            for len in (1..=330).chain([32_768]) {
                let mut values = vec![value; len];
                let (wins, losses) = planes(&values);
                let block = encoder.encode(&wins, &losses, len);
                assert_eq!(block.body, Body::Constant(digit(value)), "{len}");
                assert_eq!((block.slots(), block.stored_len()), (len, 0));
                for odd in [0, len / 2, len - 1] {
                    if len == 1 {
                        continue;
                    }
                    let other = if value == Value::Win {
                        Value::Draw
                    } else {
                        Value::Win
                    };
                    let before = std::mem::replace(&mut values[odd], other);
                    let (wins, losses) = planes(&values);
                    let block = encoder.encode(&wins, &losses, len);
                    assert!(matches!(block.body, Body::Stored { .. }), "{len} {odd}");
                    assert_eq!(decode(&block), plainly(&values));
                    values[odd] = before;
                }
            }
        }
    }

    #[test]
    fn constant_blocks_of_grades_are_recognised() {
        let mut encoder = Encoder::new(Codec::GradesZstd, 1);
        for code in [0, 126, 128, 129, 255] {
            for len in (1..=70).chain([32_768]) {
                let mut codes = vec![code; len];
                let block = encoder.encode_grades(&codes);
                assert_eq!(block.body, Body::Constant(code), "{len}");
                assert_eq!((block.slots(), block.stored_len()), (len, 0));
                if len > 1 {
                    codes[len - 1] = 7;
                    let block = encoder.encode_grades(&codes);
                    assert!(matches!(block.body, Body::Stored { .. }), "{len}");
                    assert_eq!(decode(&block), codes);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "no grade has the code 127, slot 1")]
    fn what_is_no_code_is_not_encoded() {
        Encoder::new(Codec::GradesZstd, 1).encode_grades(&[0, 127, 128]);
    }

    #[test]
    #[should_panic(expected = "what the codec stores")]
    fn grades_are_not_encoded_as_values() {
        Encoder::new(Codec::Base3Zstd, 1).encode_grades(&[0, 128]);
    }

    #[test]
    fn damaged_frames_are_told_apart() {
        let five = [
            Value::Win,
            Value::Loss,
            Value::Draw,
            Value::Draw,
            Value::Win,
        ];
        let (wins, losses) = planes(&five);
        let block = Encoder::new(Codec::Base3Zstd, 3).encode(&wins, &losses, 5);
        let Body::Stored { bytes, .. } = block.body else {
            panic!("not constant");
        };
        let decode =
            |bytes: &[u8], len| Decoder::new().decode(Codec::Base3Zstd, bytes, &mut vec![0; len]);
        assert_eq!(decode(&bytes, 1), Ok(()));
        assert!(matches!(decode(&bytes, 0), Err(DecodeError::Zstd(_))));
        assert_eq!(decode(&bytes, 2), Err(DecodeError::Length(1)));
        assert!(matches!(decode(&[], 1), Err(DecodeError::Zstd(_))));
        let trailing = [&bytes[..], &bytes[..]].concat();
        assert_eq!(
            decode(&trailing, 2),
            Err(DecodeError::Trailing(bytes.len()))
        );
        let foreign = zstd::bulk::compress(&[0, 242, 243, 255], 1).unwrap();
        assert_eq!(decode(&foreign, 4), Err(DecodeError::ForeignByte(2, 243)));
        let decode =
            |bytes: &[u8], len| Decoder::new().decode(Codec::GradesZstd, bytes, &mut vec![0; len]);
        assert_eq!(decode(&foreign, 4), Ok(()));
        assert_eq!(decode(&foreign, 5), Err(DecodeError::Length(4)));
        let foreign = zstd::bulk::compress(&[0, 126, 127, 128], 1).unwrap();
        assert_eq!(decode(&foreign, 4), Err(DecodeError::ForeignByte(2, 127)));
    }

    proptest! {
        #[test]
        fn blocks_come_back_as_they_were(values in values(1..2000), level in -1i32..=7) {
            let (wins, losses) = planes(&values);
            let mut encoder = Encoder::new(Codec::Base3Zstd, level);
            let block = encoder.encode(&wins, &losses, values.len());
            let packed = decode(&block);
            if matches!(block.body, Body::Stored { .. }) {
                prop_assert_eq!(&packed, &plainly(&values));
            }
            for (slot, &value) in values.iter().enumerate() {
                prop_assert_eq!(value_in(&packed, slot), value);
            }
            // An encoder that has made other blocks makes the same bytes.
            let again = encoder.encode(&wins, &losses, values.len());
            prop_assert_eq!(block, again);
        }

        #[test]
        fn blocks_of_grades_come_back_as_they_were(codes in codes(1..5000), level in -1i32..=13) {
            let mut encoder = Encoder::new(Codec::GradesZstd, level);
            let block = encoder.encode_grades(&codes);
            prop_assert_eq!(&decode(&block), &codes);
            let again = encoder.encode_grades(&codes);
            prop_assert_eq!(block, again);
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut unpacked = [0; 300];
            for codec in [Codec::Base3Zstd, Codec::GradesZstd] {
                let _ = Decoder::new().decode(codec, &bytes, &mut unpacked);
            }
        }
    }
}
