#!/usr/bin/env python3
"""Reads mlynek databases without mlynek.

An independent reader of the files described in data/FORMAT.md: it shares nothing with the
program, knows the board from its own table, and finds the symmetries itself. It is meant to be
read, and to check the program against; it is not fast.

    mlynek_reader.py probe DIR POSITION     value of a position and of every move, as JSON
    mlynek_reader.py depth DIR POSITION     the same with depths, where DIR has tables of grades
    mlynek_reader.py check DIR              every checksum of every file, as JSON

A position is "<White's points>/<Black's points> <w|b> [<White's hand> <Black's hand>]", points
written together, "-" for none: "-/- w 9 9", "a1d1g7/b2b4b6d2 w".

As a module:

    database = Database("db/standard")
    print(database.value(Position.parse("-/- w 9 9")))
    value, plies = database.grade(Position.parse("a1d1g7/b2b4b6 w"))

Needs Python 3.9 and the package `zstandard`, or Python 3.14 alone.
"""

import argparse
import functools
import hashlib
import itertools
import json
import math
import os
import struct
import sys
import zlib
from typing import NamedTuple

try:
    import zstandard as zstd

    STANDARD_LIBRARY = False
except ImportError:
    try:
        from compression import zstd

        STANDARD_LIBRARY = True
    except ImportError:
        message = "needs the package zstandard (pip install zstandard) or Python 3.14"
        raise ImportError(message) from None

# --- The board ---------------------------------------------------------------------------------

POINTS = ("b2 b6 f6 f2 b4 d6 f4 d2 a4 d7 g4 d1 c4 d5 e4 d3 a1 a7 g7 g1 c3 c5 e5 e3").split()
MILLS = [
    line.split("-")
    for line in (
        "a1-a4-a7 a7-d7-g7 g7-g4-g1 g1-d1-a1 b2-b4-b6 b6-d6-f6 f6-f4-f2 f2-d2-b2 "
        "c3-c4-c5 c5-d5-e5 e5-e4-e3 e3-d3-c3 a4-b4-c4 d7-d6-d5 g4-f4-e4 d1-d2-d3"
    ).split()
]
NUMBER = {name: number for number, name in enumerate(POINTS)}
ALL = (1 << len(POINTS)) - 1
FEWEST_MEN = 3
# Rule sets by name: how many men fly, if any do.
FLYING = {"standard": 3, "no-flying": None}


def mask(numbers):
    """The set of these points: bit k stands for point k."""
    return sum(1 << number for number in numbers)


def members(points):
    """The points of a set, ascending."""
    return [number for number in range(len(POINTS)) if points >> number & 1]


MILL_MASKS = [mask(NUMBER[name] for name in line) for line in MILLS]
NEIGHBOURS = [0] * len(POINTS)
for _line in MILLS:
    for _a, _b in zip(_line, _line[1:]):
        NEIGHBOURS[NUMBER[_a]] |= 1 << NUMBER[_b]
        NEIGHBOURS[NUMBER[_b]] |= 1 << NUMBER[_a]


def find_symmetries():
    """Every permutation of the points that keeps adjacencies and mill lines, as lists of images."""
    # Each point after the first is adjacent to an earlier one, so that few images fit.
    order = [0]
    for point in order:
        order += [number for number in members(NEIGHBOURS[point]) if number not in order]

    def fits(point, candidate, images):
        return candidate not in images.values() and all(
            NEIGHBOURS[point] >> other & 1 == NEIGHBOURS[candidate] >> other_image & 1
            for other, other_image in images.items()
        )

    def extend(images):
        if len(images) == len(POINTS):
            lines = {mask(images[number] for number in members(line)) for line in MILL_MASKS}
            if lines == set(MILL_MASKS):
                yield [images[number] for number in range(len(POINTS))]
            return
        point = order[len(images)]
        for candidate in range(len(POINTS)):
            if fits(point, candidate, images):
                yield from extend({**images, point: candidate})

    return list(extend({}))


def by_bytes(images):
    """A symmetry as three tables: the images of the sets within each byte of a mask."""
    return [
        [
            mask(images[8 * byte + bit] for bit in range(8) if value >> bit & 1)
            for value in range(256)
        ]
        for byte in range(3)
    ]


SYMMETRIES = [by_bytes(images) for images in find_symmetries()]


def image(symmetry, points):
    """The image of a set under a symmetry."""
    low, middle, high = symmetry
    return low[points & 255] | middle[points >> 8 & 255] | high[points >> 16]


# --- Positions and moves -----------------------------------------------------------------------


class ReaderError(Exception):
    """What is wrong with a position, a file or a database."""


class Position(NamedTuple):
    """A position: sets of points as masks, men in hand, and whether it is White's turn."""

    white: int
    black: int
    white_to_move: bool
    white_hand: int
    black_hand: int

    @classmethod
    def parse(cls, text):
        """Reads `<White's points>/<Black's points> <w|b> [<White's hand> <Black's hand>]`."""
        fields = text.split()
        if len(fields) not in (2, 4) or fields[0].count("/") != 1 or fields[1] not in ("w", "b"):
            raise ReaderError(f"{text!r} is no position: expected something like 'a1d1/b2b4 w 7 7'")
        white, black = (read_points(part) for part in fields[0].split("/"))
        hands = [0, 0]
        if len(fields) == 4:
            if not all(hand.isascii() and hand.isdigit() for hand in fields[2:]):
                raise ReaderError(f"{text!r}: expected two numbers of men in hand")
            hands = [int(hand) for hand in fields[2:]]
        return cls(white, black, fields[1] == "w", *hands)

    def __str__(self):
        side = "w" if self.white_to_move else "b"
        text = f"{write_points(self.white)}/{write_points(self.black)} {side}"
        if self.white_hand or self.black_hand:
            text += f" {self.white_hand} {self.black_hand}"
        return text

    def sides(self):
        """Mover's men, opponent's men, mover's hand, opponent's hand."""
        if self.white_to_move:
            return self.white, self.black, self.white_hand, self.black_hand
        return self.black, self.white, self.black_hand, self.white_hand

    def after(self, men, opponent, hand):
        """The position after a move that leaves the mover and his opponent with this."""
        if self.white_to_move:
            return Position(men, opponent, False, hand, self.black_hand)
        return Position(opponent, men, True, self.white_hand, hand)


def read_points(text):
    """A set of points from their names written together, `-` for none."""
    if text == "-":
        return 0
    names = [text[k : k + 2] for k in range(0, len(text), 2)]
    for name in names:
        if name not in NUMBER:
            raise ReaderError(f"the board has no point {name!r}")
        if names.count(name) > 1:
            raise ReaderError(f"the point {name} stands twice")
    if not names:
        raise ReaderError("expected points or '-'")
    return mask(NUMBER[name] for name in names)


def write_points(points):
    """The names of a set's points in alphabetical order, `-` for none."""
    return "".join(sorted(POINTS[number] for number in members(points))) or "-"


def size(points):
    """How many points a set has."""
    return bin(points).count("1")


def in_mills(men):
    """The men of a set that stand in a mill of the set."""
    together = 0
    for line in MILL_MASKS:
        if men & line == line:
            together |= line
    return together


def outcome(position):
    """The value of a position in which the game is over for want of men, else None."""
    men, opponent, hand, opponent_hand = position.sides()
    if hand == 0 and size(men) < FEWEST_MEN:
        return "loss"
    if opponent_hand == 0 and size(opponent) < FEWEST_MEN:
        return "win"
    return None


def moves(position, flying):
    """Every legal move as text, with the position after it."""
    if outcome(position) is not None:
        return
    men, opponent, hand, _ = position.sides()
    empty = ALL & ~(men | opponent)
    removable = opponent & ~in_mills(opponent) or opponent
    flies = flying is not None and size(men) <= flying
    for start in [None] if hand else members(men):
        if start is None:
            rest, targets = men, empty
        else:
            rest = men & ~(1 << start)
            targets = empty if flies else empty & NEIGHBOURS[start]
        for end in members(targets):
            now = rest | 1 << end
            text = POINTS[end] if start is None else f"{POINTS[start]}-{POINTS[end]}"
            left = hand - 1 if start is None else hand
            if in_mills(now) >> end & 1 and opponent:
                for taken in members(removable):
                    after = position.after(now, opponent & ~(1 << taken), left)
                    yield f"{text}x{POINTS[taken]}", after
            else:
                yield text, position.after(now, opponent, left)


# --- The index ---------------------------------------------------------------------------------


class Subspace(NamedTuple):
    """Mover's and opponent's men on the board, mover's and opponent's men in hand."""

    mover: int
    opponent: int
    mover_hand: int
    opponent_hand: int

    def __str__(self):
        text = f"{self.mover}-{self.opponent}"
        if self.mover_hand or self.opponent_hand:
            text += f"+{self.mover_hand}-{self.opponent_hand}"
        return text

    def rows_over_opponent(self):
        """Whether rows are over the opponent's men: he began the game."""
        return self.mover_hand != self.opponent_hand

    def first_and_other(self, mover, opponent):
        """Something of the mover's and the opponent's, the side that rows are over first."""
        return (opponent, mover) if self.rows_over_opponent() else (mover, opponent)


@functools.lru_cache(maxsize=None)
def rows(men):
    """The row of every representative of `men` men: the smallest masks of their orbits."""
    found = {}
    # Masks in ascending order are subsets in colexicographic order; sorting is easier to read.
    for points in sorted(map(mask, itertools.combinations(range(len(POINTS)), men))):
        if all(image(symmetry, points) >= points for symmetry in SYMMETRIES):
            found[points] = len(found)
    return found


def rank(points, universe):
    """The colexicographic rank of a set among the subsets of `universe` of its size."""
    return sum(
        math.comb(size(universe & ((1 << number) - 1)), taken)
        for taken, number in enumerate(members(points), 1)
    )


def slots(subspace):
    """How many slots the table of a subspace has."""
    first, other = subspace.first_and_other(subspace.mover, subspace.opponent)
    return len(rows(first)) * math.comb(len(POINTS) - first, other)


def slot(subspace, mover, opponent):
    """The slot of a position."""
    pair = subspace.first_and_other(mover, opponent)
    first, other = min(tuple(image(symmetry, side) for side in pair) for symmetry in SYMMETRIES)
    per_row = math.comb(len(POINTS) - size(first), size(other))
    return rows(size(first))[first] * per_row + rank(other, ALL & ~first)


# --- Files -------------------------------------------------------------------------------------

MAGIC = b"\x89MLYNEK\n"
HEADER = struct.Struct("<8s I I 16s I 4B 4B I Q Q 3Q 3Q 4Q 16s")
HISTOGRAM = struct.Struct("<256Q")
HASH_LEN = 32
VALUES = ("loss", "draw", "win")
# What the slots of a table hold, as its header says it.
VALUE_METRIC, GRADE_METRIC = 0, 1
EXTENSION = {VALUE_METRIC: "mly", GRADE_METRIC: "mld"}
CODEC = {VALUE_METRIC: 1, GRADE_METRIC: 2}
DRAW_CODE, NO_CODE, NO_SLOT = 128, 127, (1 << 64) - 1
assert HEADER.size == 160


def grade_of(code):
    """The value and the depth in plies that the code of a grade stands for."""
    if code < DRAW_CODE:
        return "loss", 2 * code
    if code == DRAW_CODE:
        return "draw", None
    return "win", 2 * (255 - code) + 1


def decompress(frame, most):
    """The content of a Zstandard frame of at most `most` bytes."""
    reader = zstd.ZstdDecompressor()
    try:
        if not STANDARD_LIBRARY:
            return reader.decompress(frame, max_output_size=most)
        content = reader.decompress(frame, max_length=most + 1)
    except zstd.ZstdError as error:
        raise ReaderError(str(error)) from error
    if not reader.eof or reader.unused_data:
        raise ReaderError(f"expected one whole frame of at most {most} bytes")
    return content


class Table:
    """An open table of values or of grades."""

    def __init__(self, path, fingerprint, subspace, metric=VALUE_METRIC):
        self.path = path
        self.metric = metric
        try:
            self.file = open(path, "rb")
        except FileNotFoundError:
            raise ReaderError(f"missing table {path}") from None
        length = os.fstat(self.file.fileno()).st_size
        header = self.file.read(HEADER.size)
        self.expect(0, "magic", MAGIC, header[: len(MAGIC)])
        self.expect(0, "length of the header", HEADER.size, len(header))
        fields = HEADER.unpack(header)
        _, version, zero, table_fingerprint, index_version, *rest = fields
        men, (table_metric, row_side, codec, zero_byte) = tuple(rest[:4]), rest[4:8]
        self.block_slots, self.slots, self.blocks = rest[8:11]
        self.counts = dict(zip(("wins", "losses", "draws"), rest[11:14]))
        self.raw_counts = dict(zip(("wins", "losses", "draws"), rest[14:17]))
        index_offset, self.data_offset, self.data_length, file_length, end_of_header = rest[17:]
        self.expect(8, "format version", 1, version)
        self.expect(32, "index version", 1, index_version)
        self.expect(40, "metric", metric, table_metric)
        self.expect(136, "length of the file", file_length, length)
        histogram_length = HISTOGRAM.size if metric == GRADE_METRIC else 0
        self.index_offset = HEADER.size + histogram_length
        self.expect(112, "offset of the block index", self.index_offset, index_offset)
        if self.block_slots < 1:
            raise self.damaged(44, "slots of a block", "at least 1", self.block_slots)
        self.expect(56, "number of blocks", -(-self.slots // self.block_slots), self.blocks)
        index_length = 8 * self.blocks
        data_offset = (self.index_offset + index_length + 4 + 7) // 8 * 8
        self.expect(120, "offset of the data", data_offset, self.data_offset)
        end = self.data_offset + self.data_length + HASH_LEN
        self.expect(128, "end of the file", length, end)
        histogram = self.file.read(histogram_length)
        index = self.file.read(index_length)
        (checksum,) = struct.unpack("<I", self.file.read(4))
        got = zlib.crc32(header + histogram + index)
        self.expect(self.index_offset + index_length, "checksum", got, checksum)
        self.expect(16, "fingerprint", fingerprint.hex(), table_fingerprint.hex())
        self.expect(36, "subspace", str(subspace), str(Subspace(*men)))
        self.expect(41, "side the rows are over", int(subspace.rows_over_opponent()), row_side)
        self.expect(42, "codec", CODEC[metric], codec)
        self.expect(12, "reserved bytes", (0, 0), (zero, zero_byte))
        self.deepest = {}
        if metric == VALUE_METRIC:
            self.expect(144, "reserved bytes", bytes(16), end_of_header)
        else:
            self.read_histogram(HISTOGRAM.unpack(histogram), struct.unpack("<2Q", end_of_header))
        entries = list(struct.iter_unpack("<II", index))
        starts = [start for start, _ in entries] + [self.data_length]
        self.checksums = [checksum for _, checksum in entries]
        if starts[0] != 0 or any(a > b for a, b in zip(starts, starts[1:])):
            what = "starts of the blocks"
            raise self.damaged(self.index_offset, what, "an ascending order", "another")
        self.starts = starts

    def read_histogram(self, histogram, examples):
        """Checks the number of positions of each code, and takes down the deepest win and loss."""
        offset = HEADER.size + 8 * NO_CODE
        self.expect(offset, f"positions of the code {NO_CODE}", 0, histogram[NO_CODE])
        losses, wins = range(NO_CODE), range(DRAW_CODE + 1, 256)
        counts = {
            "wins": sum(histogram[code] for code in wins),
            "losses": sum(histogram[code] for code in losses),
            "draws": histogram[DRAW_CODE],
        }
        self.expect(64, "counts of positions", counts, self.counts)
        # The code of the deepest win or loss is the one next to the draws'.
        for value, codes, offset, example in (
            ("win", wins, 144, examples[0]),
            ("loss", reversed(losses), 152, examples[1]),
        ):
            code = next((code for code in codes if histogram[code]), None)
            self.expect(offset, f"whether there is a {value}", code is None, example == NO_SLOT)
            if code is not None:
                if example >= self.slots:
                    what, most = f"slot of the deepest {value}", f"less than {self.slots}"
                    raise self.damaged(offset, what, most, example)
                self.deepest[value] = grade_of(code)[1], example, offset

    def close(self):
        """Closes the file."""
        self.file.close()

    def damaged(self, offset, what, expected, got):
        """What is wrong with the file."""
        return ReaderError(f"{self.path}: offset {offset}: {what}: expected {expected}, got {got}")

    def expect(self, offset, what, expected, got):
        """Fails unless something is as expected."""
        if got != expected:
            raise self.damaged(offset, what, expected, got)

    def block(self, number):
        """A block: values, five to a byte, or the codes of grades, one to a byte."""
        count = min(self.block_slots, self.slots - number * self.block_slots)
        grades = self.metric == GRADE_METRIC
        packed_length = count if grades else -(-count // 5)
        start, end = self.starts[number : number + 2]
        if start == end:
            value = self.checksums[number]
            offset = self.index_offset + 8 * number + 4
            if grades:
                if value > 255 or value == NO_CODE:
                    raise self.damaged(offset, "grade", f"0 to 255, not {NO_CODE}", value)
                return bytes([value]) * packed_length
            if value > 2:
                raise self.damaged(offset, "value", "0 to 2", value)
            return bytes([121 * value]) * packed_length
        offset = self.data_offset + start
        self.file.seek(offset)
        stored = self.file.read(end - start)
        self.expect(offset, f"CRC-32 of block {number}", self.checksums[number], zlib.crc32(stored))
        try:
            packed = decompress(stored, packed_length)
        except ReaderError as error:
            raise self.damaged(offset, f"block {number}", "a frame", error) from error
        self.expect(offset, f"bytes of block {number}", packed_length, len(packed))
        if grades and NO_CODE in packed:
            raise self.damaged(offset, f"bytes of block {number}", f"not {NO_CODE}", NO_CODE)
        if not grades and max(packed) > 242:
            raise self.damaged(offset, f"bytes of block {number}", "at most 242", max(packed))
        return packed

    def value(self, slot_number):
        """The value of a slot of a table of values."""
        number, within = divmod(slot_number, self.block_slots)
        return VALUES[self.block(number)[within // 5] // 3 ** (within % 5) % 3]

    def grade(self, slot_number):
        """The value and the depth in plies, None for a draw, of a slot of a table of grades."""
        number, within = divmod(slot_number, self.block_slots)
        return grade_of(self.block(number)[within])

    def check(self):
        """Checks every block and the hash at the end; the SHA-256 of the whole file."""
        for number in range(self.blocks):
            self.block(number)
        for value, (plies, example, offset) in self.deepest.items():
            self.expect(offset, f"slot {example}", (value, plies), self.grade(example))
        self.file.seek(0)
        digest = hashlib.sha256()
        left = self.data_offset + self.data_length
        while left:
            chunk = self.file.read(min(left, 1 << 20))
            if not chunk:
                raise self.damaged(0, "length of the file", "no change", "a shorter one")
            digest.update(chunk)
            left -= len(chunk)
        trailer = self.file.read()
        self.expect(
            self.data_offset + self.data_length, "SHA-256", digest.hexdigest(), trailer.hex()
        )
        digest.update(trailer)
        return digest.hexdigest()


# --- Databases ---------------------------------------------------------------------------------


def definition(rules, men):
    """The rules as text, from which the fingerprint is made."""
    base = rules.split("/")[0]
    if base not in FLYING or rules != (base if men == 9 else f"{base}/{men}"):
        raise ReaderError(f"unknown rules {rules!r} with {men} men")
    most = FLYING[base]
    flying = "never" if most is None else f"with {most} men or fewer and an empty hand"
    return (
        "board: nine\n"
        f"points: {' '.join(POINTS)}\n"
        f"mills: {' '.join('-'.join(line) for line in MILLS)}\n"
        "links: none\n"
        f"men: {men}\n"
        f"flying: {flying}\n"
        "mill: removes one opposing man\n"
        "removal: not from a mill, unless all opposing men are in mills\n"
        f"fewest men: {FEWEST_MEN}; a player with an empty hand and fewer has lost at once\n"
        "blocked: a player on turn with an empty hand and no move has lost\n"
        "repetition: draw\n"
    )


class Database:
    """A directory of tables of one rule set."""

    def __init__(self, directory):
        self.directory = directory
        path = os.path.join(directory, "manifest.json")
        try:
            with open(path, encoding="utf-8") as file:
                manifest = json.load(file)
        except FileNotFoundError:
            raise ReaderError(
                f"{directory} is no mlynek database: it has no manifest.json"
            ) from None
        except ValueError as error:
            raise ReaderError(f"{path}: {error}") from error
        for field, expected in (("format", "mlynek database"), ("version", 1), ("metric", "wld")):
            got = manifest.get(field) if isinstance(manifest, dict) else manifest
            if got != expected:
                raise ReaderError(f"{path}: {field}: expected {expected!r}, got {got!r}")
        self.manifest = manifest
        try:
            self.rules, self.men = str(manifest["rules"]), int(manifest["men"])
            fingerprint = manifest["fingerprint"]
            self.entries = {
                metric: {entry["subspace"]: entry for entry in rows}
                for metric, rows in (
                    (VALUE_METRIC, manifest["tables"]),
                    (GRADE_METRIC, manifest.get("depth_tables", [])),
                )
            }
        except (KeyError, TypeError, ValueError) as error:
            raise ReaderError(f"{path}: a field is missing or of another kind: {error}") from error
        text = definition(self.rules, self.men)
        self.flying = FLYING[self.rules.split("/")[0]]
        self.fingerprint = hashlib.sha256(text.encode()).digest()[:16]
        if fingerprint != self.fingerprint.hex():
            raise ReaderError(
                f"{path}: other rules than {self.rules}: expected the fingerprint "
                f"{self.fingerprint.hex()}, got {fingerprint}"
            )
        self.tables = {}

    def close(self):
        """Closes every table."""
        for table in self.tables.values():
            table.close()
        self.tables = {}

    def check_position(self, position):
        """Fails unless the men fit on the board and the game has as many."""
        if position.white & position.black:
            both = write_points(position.white & position.black)
            raise ReaderError(f"both players have a man on {both}")
        for player, men, hand in (
            ("White", position.white, position.white_hand),
            ("Black", position.black, position.black_hand),
        ):
            if size(men) + hand > self.men:
                raise ReaderError(f"{player} has more than {self.men} men")
            if hand == 0 and size(men) < FEWEST_MEN - 1:
                raise ReaderError(f"{player} has fewer men than he can have left")

    def table(self, subspace, metric=VALUE_METRIC):
        """The table of a subspace."""
        key = subspace, metric
        if key not in self.tables:
            name = f"{subspace}.{EXTENSION[metric]}"
            if str(subspace) not in self.entries[metric]:
                raise ReaderError(f"missing table {name}, searched in {self.directory}")
            path = os.path.join(self.directory, name)
            self.tables[key] = Table(path, self.fingerprint, subspace, metric)
        return self.tables[key]

    def place(self, position, metric):
        """The table of a position in which the game goes on, and the position's slot in it."""
        mover, opponent, mover_hand, opponent_hand = position.sides()
        subspace = Subspace(size(mover), size(opponent), mover_hand, opponent_hand)
        table = self.table(subspace, metric)
        table.expect(48, "slots", slots(subspace), table.slots)
        return table, slot(subspace, mover, opponent)

    def ended(self, position):
        """The value of a position in which the game has ended, else None."""
        self.check_position(position)
        over = outcome(position)
        if over is None and next(moves(position, self.flying), None) is None:
            over = "loss"
        return over

    def value(self, position):
        """The value of a position for the side to move: "win", "draw" or "loss"."""
        over = self.ended(position)
        if over is not None:
            return over
        table, number = self.place(position, VALUE_METRIC)
        return table.value(number)

    def grade(self, position):
        """The value of a position for the side to move and its depth in plies, None for a draw."""
        over = self.ended(position)
        if over is not None:
            # An opponent who lost with his own last move counts as lost on his next turn.
            return over, 1 if over == "win" else 0
        table, number = self.place(position, GRADE_METRIC)
        return table.grade(number)

    def probe(self, position):
        """The value of a position and of every move, best first, for the side to move in it."""
        opposite = {"win": "loss", "draw": "draw", "loss": "win"}
        value = self.value(position)
        ranked = [
            {"move": text, "value": opposite[self.value(after)]}
            for text, after in moves(position, self.flying)
        ]
        ranked.sort(key=lambda move: (-VALUES.index(move["value"]), move["move"]))
        return {
            "rules": self.rules,
            "position": str(position),
            "value": value,
            "moves": ranked,
        }

    def depth(self, position):
        """The grade of a position and of every move, best first, for the side to move in it."""
        opposite = {"win": "loss", "draw": "draw", "loss": "win"}

        def best_first(move):
            plies = move["plies"] or 0
            sooner = -plies if move["value"] == "win" else plies
            return -VALUES.index(move["value"]), -sooner, move["move"]

        value, plies = self.grade(position)
        ranked = []
        for text, after in moves(position, self.flying):
            answer, further = self.grade(after)
            further = None if further is None else further + 1
            ranked.append({"move": text, "value": opposite[answer], "plies": further})
        return {
            "rules": self.rules,
            "position": str(position),
            "value": value,
            "plies": plies,
            "moves": sorted(ranked, key=best_first),
        }

    def check(self):
        """Checks every file the manifest lists; what is wrong, one text a file."""
        problems = []
        for metric, entries in self.entries.items():
            for name, entry in entries.items():
                try:
                    self.check_table(name, entry, metric)
                except (ReaderError, OSError, KeyError, TypeError, ValueError) as error:
                    problems.append(f"{name}: {error}")
        checked = {"rules": self.rules, "tables": len(self.entries[VALUE_METRIC])}
        if self.entries[GRADE_METRIC]:
            checked["depth_tables"] = len(self.entries[GRADE_METRIC])
        return {**checked, "problems": problems}

    def check_table(self, name, entry, metric):
        """Fails unless the file of a row of the manifest is whole and the one meant there."""
        men, _, hands = name.partition("+")
        numbers = [int(n) for part in (men, hands or "0-0") for n in part.split("-")]
        table = self.table(Subspace(*numbers), metric)
        recorded = [
            (136, "bytes", table.data_offset + table.data_length + HASH_LEN),
            (0, "sha256", table.check()),
            *((64, field, table.counts[field]) for field in table.counts),
            *((88, f"raw_{field}", table.raw_counts[field]) for field in table.raw_counts),
        ]
        if metric == GRADE_METRIC:
            for value in ("win", "loss"):
                plies = table.deepest[value][0] if value in table.deepest else None
                recorded.append((HEADER.size, f"deepest_{value}", plies))
        for offset, field, got in recorded:
            table.expect(offset, f"{field} in the manifest", entry[field], got)


def main():
    """The command line: exits 0 when done, 1 when a check found damage, 2 when it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    probe = commands.add_parser("probe", help="value of a position and of every move")
    probe.add_argument("directory", metavar="DIR")
    probe.add_argument("position", metavar="POSITION", help='such as "-/- w 9 9"')
    depth = commands.add_parser("depth", help="value and depth of a position and of every move")
    depth.add_argument("directory", metavar="DIR")
    depth.add_argument("position", metavar="POSITION", help='such as "a1d1g7/b2b4b6 w"')
    check = commands.add_parser("check", help="every checksum of every file")
    check.add_argument("directory", metavar="DIR")
    arguments = parser.parse_args()
    try:
        database = Database(arguments.directory)
        if arguments.command == "probe":
            answer = database.probe(Position.parse(arguments.position))
        elif arguments.command == "depth":
            answer = database.depth(Position.parse(arguments.position))
        else:
            answer = database.check()
    except (ReaderError, OSError) as error:
        print(f"mlynek_reader: {error}", file=sys.stderr)
        return 2
    print(json.dumps(answer, indent=2))
    return 1 if answer.get("problems") else 0


if __name__ == "__main__":
    sys.exit(main())
