"""The base class of the micro-operations: frozen records that compute and describe their effects.

The methods besides ``run`` have defaults that suit most micro-operations; the others override them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from ..records import NamedTuple, Record
from .arithmetic import EXACT, Arithmetic, LaneValues, V


class Flag(StrEnum):
    """An effect of a row on one lane."""

    SIGN_EXTENDED = "sign-extended"
    ZERO_EXTENDED = "zero-extended"
    CLAMPED_LOW = "clamped low"
    """The value was below the range and was raised to its low end."""
    CLAMPED_HIGH = "clamped high"
    WRAPPED = "wrapped"
    """High bits that mattered were truncated."""
    MASKED_OUT = "masked out"
    """The lane keeps c's bits."""
    FLUSHED = "flushed"
    ROUNDED = "rounded"
    """The nearest float is not the integer itself."""
    NAN = "NaN"


class InputBits(NamedTuple):
    """Bits low..high-1 of one lane of an input."""

    input: int
    """The index of the input, from 0."""
    lane: int
    low: int
    high: int


MAX_LANE_BITS = 128
"""A number of bits that covers any lane."""


def get_lane(lanes: LaneValues, lane: int) -> int:
    """Return one lane of a vector; a vector of one lane stands for all lanes."""
    return lanes[lane if len(lanes) > 1 else 0]


def map_bits(
    inputs: tuple[LaneValues, ...], index: int, lane: int, low: int, high: int
) -> InputBits:
    """Return bits low..high-1 of the input's lane with the same number."""
    return InputBits(index, lane if len(inputs[index]) > 1 else 0, low, high)


class MicroOperation(Record):
    """A pure function of lane vectors, with its parameters as fields."""

    _may_raise: ClassVar[bool]
    operation: ClassVar[str]
    """The name of the kind: ``absolute difference``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.operation = re.sub(r"(?<!^)(?=[A-Z])", " ", cls.__name__).lower()
        cls._may_raise = cls.compute_flags is not MicroOperation.compute_flags

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        """Return the output vector."""
        raise NotImplementedError

    def count_output_lanes(self, input_lanes: int) -> int:
        """Return the number of lanes of the output for a first input of ``input_lanes``."""
        return input_lanes

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """Yield each flag that depends on values, with a vector that is 1 where it is raised."""
        return ()

    def find_lane_flags(
        self, lane: int, inputs: tuple[LaneValues, ...], value: int
    ) -> Iterable[Flag]:
        """Return the flags of one lane; ``value`` is its output."""
        if not self._may_raise:
            return ()
        lane_inputs = [(get_lane(x, lane),) for x in inputs]
        return [
            flag for flag, (truth,) in self.compute_flags(EXACT, (value,), *lane_inputs) if truth
        ]

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        """Return the input bits that bits low..high-1 of an output lane depend on.

        By default these are all bits of the same lane of every input. Some ranges may be empty.
        """
        return (map_bits(inputs, index, lane, 0, MAX_LANE_BITS) for index in range(len(inputs)))
