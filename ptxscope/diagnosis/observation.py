"""Observed results, all or some of a destination's bits, and the operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ..engine.isa.encodings import format_hex
from ..engine.isa.types import Type
from ..engine.semantics.plan import compute_results
from ..engine.syntax.errors import Problem, PtxError, format_existence
from ..engine.syntax.instruction import Instruction, Signature
from ..engine.syntax.values import parse_value
from ..engine.tracing.basic_block import BlockStatement
from ..engine.tracing.evaluation import Scalar, check_names, make_plan
from ..engine.tracing.operand_bits import bind_values, convert_to_bits
from ..engine.tracing.trace import Trace

_PATTERN = re.compile(r"0([xXbBoO])([0-9a-fA-F?]+)")
_DIGIT_BITS = {"x": 4, "o": 3, "b": 1}


class Observed(NamedTuple):
    """A value, some of whose bits may be unknown."""

    bits: int
    """The known bits; 0 elsewhere."""
    known_mask: int
    """Mask with 1 for each known bit."""

    def compute_difference(self, value: int) -> int:
        """Return a mask with 1 for each known bit that differs from ``value``."""
        return (value ^ self.bits) & self.known_mask

    def matches(self, value: int) -> bool:
        """Return whether ``value`` has every known bit."""
        return not self.compute_difference(value)

    def format_bits(self, width: int) -> str:
        """Return ``0x??01??00`` in full width, or binary if a digit is partly unknown."""
        digits = range((width + 3) // 4 - 1, -1, -1)
        known_digits = [self.known_mask >> 4 * index & 15 for index in digits]
        full_mask = (1 << width) - 1
        if self.known_mask == full_mask:
            return format_hex(self.bits, width)
        if all(part in (0, 15) for part in known_digits):
            digit_texts = (f"{self.bits >> 4 * index & 15:x}" for index in digits)
            return "0x" + "".join(
                digit if part else "?"
                for digit, part in zip(digit_texts, known_digits, strict=True)
            )
        return "0b" + "".join(
            str(self.bits >> index & 1) if self.known_mask >> index & 1 else "?"
            for index in range(width - 1, -1, -1)
        )


class Observation(NamedTuple):
    """Operand values and observed results."""

    operands: Mapping[str, int]
    """Bits by role: a, b, c, guard; d, p, q if a guard may keep the old value."""
    observed: Mapping[str, Observed]
    """Observed values by role: d, or p and q, or one of these; for a block by its roles."""
    compute_rest: Callable[[Mapping[str, int]], Mapping[str, int]] | None = None
    """Function from the results of a statement to the observed results of its block."""

    def matches(self, result: Mapping[str, int]) -> bool:
        """Return whether a result, by role, has every known bit."""
        if self.compute_rest:
            result = self.compute_rest(result)
        return all(value.matches(result[role]) for role, value in self.observed.items())

    def compute_distance(self, result: Mapping[str, int]) -> int:
        """Return the number of known bits that differ."""
        if self.compute_rest:
            result = self.compute_rest(result)
        return sum(
            value.compute_difference(result[role]).bit_count()
            for role, value in self.observed.items()
        )


def make_observed(bits: int, width: int) -> Observed:
    """Return a value with every bit known, from a signed or unsigned integer."""
    mask = (1 << width) - 1
    return Observed(bits & mask, mask)


def parse_observed(text: str, type_: Type) -> Observed:
    """Parse an observed value; raise PtxError if it is invalid.

    The syntax is that of ``values.parse_value``, plus ``?`` for an unknown digit after ``0x``,
    ``0o`` or ``0b``, and for an unknown lane in ``[?,1,?,0]``.
    """
    word = text.strip()
    if "?" not in word:
        return make_observed(parse_value(text, type_), type_.bits)
    if word == "?":
        return Observed(0, 0)
    if word[0] == "[" and word[-1] == "]":
        return _parse_lanes(text, word, type_)
    match = _PATTERN.fullmatch(word)
    start = len(text) - len(text.lstrip())
    span = (start, start + len(word))
    if not match:
        hint = "0x??01??00, 0b1??0, [?,1,?,0]"
        problem = "`?` stands for a digit after 0x, 0b or 0o, or for a lane"
        raise PtxError(text, (Problem(problem, span, hint),))
    unit = _DIGIT_BITS[match[1].lower()]
    known_text = "".join("0" if digit == "?" else "1" for digit in match[2])
    bits = parse_value(word.replace("?", "0"), type_)
    known_mask = sum(
        ((1 << unit) - 1) << unit * index
        for index, digit in enumerate(reversed(known_text[-type_.bits :]))
        if digit == "1"
    )
    full_mask = (1 << type_.bits) - 1
    if unit * len(match[2]) >= type_.bits:
        return Observed(bits, known_mask & full_mask)
    # omitted leading digits are zero, as in a number
    return Observed(bits, known_mask | full_mask & ~((1 << unit * len(match[2])) - 1))


def _parse_lanes(text: str, word: str, type_: Type) -> Observed:
    parts = word[1:-1].split(",")
    if any("?" in part and part.strip().rpartition(":")[2].strip() != "?" for part in parts):
        problem = "`?` stands for a whole lane here"
        raise PtxError(text, (Problem(problem, (0, len(text)), "[?,1,?,0]"),))
    bits = parse_value(text.replace("?", "0"), type_)
    unit = type_.bits // len(parts)
    lanes = enumerate(reversed(parts))
    unknown_mask = sum(((1 << unit) - 1) << unit * index for index, part in lanes if "?" in part)
    known_mask = ((1 << type_.bits) - 1) & ~unknown_mask
    return Observed(bits & known_mask, known_mask)


def _get_type(ins: Signature, role: str) -> Type:
    return ins.type_of(role)


def parse_got(
    ins: Signature, text: str, find_reading_type: Callable[[Signature, str], Type] = _get_type
) -> tuple[str, Observed]:
    """Parse ``VALUE`` or ``NAME=VALUE``: return the destination's role and the observed value.

    ``VALUE`` alone needs a single destination. ``find_reading_type`` returns the type that a role's
    value is read as. Raise PtxError if the name or the value is invalid.
    """
    name_text, equals, value_text = text.partition("=")
    names = {name: role for role, name in ins.results.items()}
    names |= {name.removeprefix("%"): role for name, role in names.items()}
    names |= {role: role for role in ins.results if role not in names}
    role = names.get(name_text.strip())
    if not equals:
        name_text, value_text = "", text
        role = next(iter(ins.results)) if len(ins.results) == 1 else None
    if role is None:
        names_text, line = ", ".join(ins.results.values()), str(ins).rstrip(";")
        message = f"`{name_text.strip()}` is not a destination of {line}"
        if not equals:
            message = (
                f"{format_existence(len(ins.results), 'destination')}; say which was observed"
                if ins.results
                else f"{line} writes nothing that could be observed"
            )
        end = len(name_text) or len(text)
        raise PtxError(text, (Problem(message, (0, end), f"NAME=VALUE with {names_text}"),))
    try:
        observed_value = parse_observed(value_text, find_reading_type(ins, role))
        if not observed_value.known_mask:
            problem = Problem("no digit of it is known", (0, len(value_text)), "at least one digit")
            raise PtxError(value_text, (problem,))
        return role, observed_value
    except PtxError as error:
        raise error.shift_into(text, len(text) - len(value_text)) from None


# --- observations of a program -----------------------------------------------------------


ObservedResult = Scalar | Observed | Mapping[str, Scalar | Observed]
"""The observed value of the only destination, or observed values by destination name."""


def make_observation(
    ins: Instruction, values: Mapping[str, Scalar], observed: ObservedResult
) -> Observation:
    """Convert values and results by name to an Observation by role.

    Raise ValueError if a name or value does not fit the instruction.
    """
    completed_values = check_names(ins, values)
    if not isinstance(observed, Mapping):
        if not ins.results:
            raise ValueError(f"{ins} writes nothing that could be observed")
        if len(ins.results) != 1:
            raise ValueError(f"{ins} has {len(ins.results)} results; name the one observed")
        observed = {next(iter(ins.results.values())): observed}
    roles = {name: role for role, name in ins.results.items()}
    observed_by_role: dict[str, Observed] = {}
    for name, value in observed.items():
        if name not in roles:
            names_text = ", ".join(roles) or "nothing"
            line = str(ins).rstrip(";")
            raise ValueError(f"{name!s:.60} is not a destination of {line}; it writes {names_text}")
        type_ = ins.type_of(roles[name])
        observed_by_role[roles[name]] = (
            value
            if isinstance(value, Observed)
            else make_observed(convert_to_bits(value, type_, name), type_.bits)
        )
    if not any(value.known_mask for value in observed_by_role.values()):
        raise ValueError("nothing was observed")
    return Observation(bind_values(ins, completed_values), observed_by_role)


def observe_statement(
    statement: BlockStatement, trace: Trace, observation: Observation
) -> Observation:
    """Convert an observation of a block to one of a statement; for a single line, it is the same.

    ``trace`` is the documented trace of the observed operands.
    """
    operands = trace.parts[statement.number - 1].operands
    roles = {place.key: role for role, place in statement.places.items()}
    if observation.observed.keys() <= roles.keys():
        return Observation(operands, {roles[x]: y for x, y in observation.observed.items()})
    return Observation(
        operands, observation.observed, partial(_compute_block_result, trace, statement)
    )


def _compute_block_result(
    trace: Trace, statement: BlockStatement, result: Mapping[str, int]
) -> dict[str, int]:
    """Return the block's results by role if a statement has other results."""
    values = {statement.make_place(role).key: bits for role, bits in result.items()}
    for later, part in list(trace.statements)[statement.number :]:
        changes = {role: values[x.key] for role, x in later.reads.items() if x.key in values}
        if changes:
            outcome = compute_results(make_plan(later.instruction), {**part.operands, **changes})
            values |= {later.make_place(role).key: bits for role, bits in outcome.items()}
    return {**trace.result_by_role, **values}
