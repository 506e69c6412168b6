"""What every micro-operation is: a frozen record that runs and that tells what it did.

Beside ``run`` stand the answers that hold for most kinds; a kind for which another one holds
gives its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from ..records import NamedTuple, Record
from .arithmetic import EXACT, Arithmetic, LaneValues, V


class Flag(StrEnum):
    """What happened to a lane at a row."""

    SIGN_EXTENDED = "sign-extended"
    ZERO_EXTENDED = "zero-extended"
    CLAMPED_LOW = "clamped low"
    """It lay below the range and was moved up to its low end."""
    CLAMPED_HIGH = "clamped high"
    WRAPPED = "wrapped"
    """High bits were cut off that mattered."""
    MASKED_OUT = "masked out"
    """The lane keeps c's bits."""
    FLUSHED = "flushed"
    ROUNDED = "rounded"
    """The float nearest to an integer is another number."""
    NAN = "NaN"


class InputBits(NamedTuple):
    """Bits low..high-1 of one lane of an input."""

    input: int
    """Which input, from 0."""
    lane: int
    low: int
    high: int


WHOLE = 128
"""As many bits as any lane has."""


def get_lane(lanes: LaneValues, lane: int) -> int:
    """A lane of a vector, or the one that stands for all."""
    return lanes[lane if len(lanes) > 1 else 0]


def map_bits(
    inputs: tuple[LaneValues, ...], index: int, lane: int, low: int, high: int
) -> InputBits:
    """Bits of an input's lane of the same number."""
    return InputBits(index, lane if len(inputs[index]) > 1 else 0, low, high)


class MicroOperation(Record):
    """A micro-operation: a pure function of lane vectors, with what is fixed in it as fields."""

    _may_raise: ClassVar[bool]
    operation: ClassVar[str]
    """What the kind is called: ``absolute difference``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.operation = re.sub(r"(?<!^)(?=[A-Z])", " ", cls.__name__).lower()
        cls._may_raise = cls.compute_flags is not MicroOperation.compute_flags

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        """Apply it."""
        raise NotImplementedError

    def count_output_lanes(self, input_lanes: int) -> int:
        """How many lanes it yields, where its first input has so many."""
        return input_lanes

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """The flags that inputs and the value made of them decide, each with 1 where it is so."""
        return ()

    def find_lane_flags(
        self, lane: int, inputs: tuple[LaneValues, ...], value: int
    ) -> Iterable[Flag]:
        """What happened to a lane whose value it became."""
        if not self._may_raise:
            return ()
        given = [(get_lane(x, lane),) for x in inputs]
        return [flag for flag, (there,) in self.compute_flags(EXACT, (value,), *given) if there]

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        """Where bits low..high-1 of a lane came from: unless said, from all of its lanes.

        Stretches without a bit may be among them.
        """
        return (map_bits(inputs, index, lane, 0, WHOLE) for index in range(len(inputs)))
