"""A question about a trace: one lane of a row, a destination, or a lane of a destination.

The answer for a row of numbers is a number, for a row of bits its bits; ``AnswerLocation``
distinguishes them, and parses the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from ..engine.isa.encodings import cast, get_limits
from ..engine.isa.types import Type
from ..engine.micro_operations.arithmetic import LaneValues
from ..engine.micro_operations.base import RowTrace
from ..engine.syntax.errors import Problem, PtxError, quote_word
from ..engine.syntax.instruction import Immediate
from ..engine.syntax.values import parse_integer, parse_value
from ..engine.tracing.trace import Trace

WORD = 32
_TRUTHS = {"yes": 1, "y": 1, "true": 1, "no": 0, "n": 0, "false": 0}
_HEX_WITH_LETTER = re.compile("[0-9_ ]*+[a-fA-F][0-9a-fA-F_ ]*+")
_ALLOWED_TRUTHS = "yes, no, true, false, 1, 0"


class Question(NamedTuple):
    """A question: the value in a lane of a row, or in a destination."""

    trace: Trace
    key: str
    """Key of a row, stage with one main row, or role of a destination."""
    lane: int | None = None
    """Lane; None for the whole."""


class AnswerLocation(NamedTuple):
    """The location of an answer in a run, and its notation."""

    key: str
    """Key of the row."""
    lane: int | None
    """Lane of the row; None for all lanes, packed."""
    shift: int
    """Index of its lowest bit in the value of the row."""
    width: int
    """Number of low bits that must agree in equal answers."""
    is_number: bool
    """Whether the answer is a number instead of bits."""
    is_truth: bool
    """Whether the answer is 0 or 1, and no other value with the same bits."""
    type: Type | None
    """Type of an operand's answer, or None."""
    lane_count: int = 1
    """Number of packed lanes."""

    def get_value(self, values: Mapping[str, LaneValues]) -> int:
        """Return the value in a run of a plan."""
        lanes = values[self.key]
        if self.lane is None:
            return sum(
                lane << self.width // self.lane_count * index for index, lane in enumerate(lanes)
            )
        value = lanes[self.lane if len(lanes) > 1 else 0]
        return value if self.is_number else value >> self.shift & (1 << self.width) - 1

    def is_same_value(self, x: int, y: int) -> bool:
        """Whether two values are equal, or two readings of the same bits."""
        return x == y or (not self.is_truth and has_same_bits(x, y, self.width))

    def is_accepted(self, value: int, answer: int, *, is_pattern: bool) -> bool:
        """Whether an answer matches a value: a number exactly, typed bits by the bits."""
        return value == answer or (
            (is_pattern or not self.is_number) and self.is_same_value(value, answer)
        )

    def parse_answer(self, text: str) -> int:
        """Parse a typed answer; raise PtxError if it is not a value."""
        try:
            return self._parse(text)
        except PtxError:
            if self.is_yes_or_no:
                raise _make_truth_error(text) from None
            raise

    def complete_answer(self, text: str) -> str:
        """Add 0x to hexadecimal digits that are not a value without it."""
        if self.is_yes_or_no or not _HEX_WITH_LETTER.fullmatch(text.strip()):
            return text
        with suppress(PtxError):  # 1e5 is a float
            self.parse_answer(text)
            return text
        return f"0x{text.strip()}"

    @property
    def letters(self) -> str:
        """Possible first letters of an answer, besides hexadecimal digits."""
        if self.is_yes_or_no:
            return "yntfYNTF"
        return "inIN" if self.type is not None and self.type.is_float else ""

    @property
    def is_yes_or_no(self) -> bool:
        """Whether the answer is 0 or 1."""
        return self.is_truth or self.type is Type.PRED

    def _parse(self, text: str) -> int:
        word = text.strip().lower()
        if self.is_yes_or_no and word in _TRUTHS:
            return _TRUTHS[word]
        if self.type is not None:
            return parse_value(text, self.type)
        if not self.is_number:
            return parse_integer(text, self.width)
        if word.startswith("["):
            span = text.index("["), len(text.rstrip())
            problem = Problem(
                "the question is about one lane, not a list", span, "0x7f, -5, 0b1010"
            )
            raise PtxError(text, (problem,))
        if not word:
            raise PtxError(text, (Problem("a value is missing", (0, 1), "0x7f, -5, 0b1010, 255"),))
        bits = 128 if self.width > 64 else 64
        number = parse_integer(text, bits)
        return cast(number, bits, signed=True) if word.startswith("-") else number


def _make_truth_error(text: str) -> PtxError:
    """Return the error for an answer that is neither yes nor no."""
    word = text.strip()
    message = f"{quote_word(word)} is neither yes nor no" if word else "an answer is missing"
    start = len(text) - len(text.lstrip())
    span = start, max(start + len(word), start + 1)
    return PtxError(text, (Problem(message, span, _ALLOWED_TRUTHS),))


def is_bits(text: str) -> bool:
    """Whether an answer was typed as bits: ``0xff``, ``0b11``, not ``255`` or ``-0x1``."""
    return text.strip()[:2].lower() in ("0x", "0b")


def has_same_bits(x: int, y: int, width: int) -> bool:
    """Whether both values fit in `width` bits, signed or unsigned, and have the same bits."""
    low, high = get_limits(width, signed=True).low, get_limits(width, signed=False).high
    return all(low <= value <= high for value in (x, y)) and not (x ^ y) & high


def locate_answer(question: Question) -> AnswerLocation:
    """Return the location of a question's answer; raise ValueError if none exists."""
    trace, key, lane = question
    for result in trace.plan.results:
        if result.role == key:
            return _locate_destination(trace, trace.rows[result.key], key, lane)
    row = find_row(trace, key)
    notation = row.micro.get_notation(row)
    width, is_number, type_ = notation.bits, notation.is_number, notation.type
    count = len(row.values)
    if lane is not None and not 0 <= lane < count:
        raise ValueError(f"{row.key} has no lane {lane}; it has {count}")
    if lane is None and count > 1:
        if is_number:
            raise ValueError(f"{row.key} has {count} lanes; say which is asked")
        return AnswerLocation(row.key, None, 0, width * count, False, False, Type.B32, count)
    is_truth = is_number and row.range == (0, 1)
    return AnswerLocation(row.key, lane or 0, 0, width, is_number, is_truth, type_)


def get_visible_operands(trace: Trace) -> dict[str, int]:
    """Return the operands visible to the user: the plan's inputs, and literals.

    A register that is read in one place is visible in all its places.
    """
    ins = trace.instruction
    read_roles = {source.role for source in trace.plan.sources}
    names = {ins.names[role] for role in read_roles if role in ins.names}
    return {
        role: bits
        for role, bits in trace.operands.items()
        if role in read_roles
        or ins.names.get(role) in names
        or isinstance(ins.roles.get(role), Immediate)
    }


def find_row(trace: Trace, key: str) -> RowTrace:
    """Return a row by its key or its stage; raise ValueError if there is not exactly one."""
    if key in trace.rows:
        return trace.rows[key]
    rows = [row for row in trace.rows.values() if row.stage == key]
    main_rows = [row for row in rows if row.name in "td"] or rows
    if len(main_rows) != 1:
        names = ", ".join([*trace.rows, *(x.role for x in trace.plan.results)])
        raise ValueError(f"{quote_word(key)} is not one row of the trace; it has {names}")
    return main_rows[0]


def measure_destination(trace: Trace, role: str) -> tuple[int, int]:
    """Return the number of lanes of a destination, and the width of one in bits."""
    ins = trace.instruction
    unit = ins.form.dsel.unit if ins.form.dsel else WORD // ins.entry.lanes
    if unit == WORD or not (ins.form.dsel or ins.has_lanes(role)):
        return 1, ins.type_of(role).bits
    return WORD // unit, unit


def _locate_destination(trace: Trace, row: RowTrace, role: str, lane: int | None) -> AnswerLocation:
    count, unit = measure_destination(trace, role)
    type_ = trace.instruction.type_of(role)
    if lane is None or count == 1:
        if lane:
            raise ValueError(f"{role} has no lane {lane}: it is one number")
        return AnswerLocation(row.key, 0, 0, type_.bits, False, False, type_)
    if not 0 <= lane < count:
        raise ValueError(f"{role} has no lane {lane}; it has {count}")
    return AnswerLocation(row.key, lane, unit * lane, unit, False, False, None)
