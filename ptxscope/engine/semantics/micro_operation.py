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
from .arithmetic import EXACT, Arithmetic, Lanes, V


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


class Part(NamedTuple):
    """Bits low..high-1 of one lane of an input."""

    input: int
    """Which input, from 0."""
    lane: int
    low: int
    high: int


WHOLE = 128
"""As many bits as any lane has."""


def at(lanes: Lanes, lane: int) -> int:
    """A lane of a vector, or the one that stands for all."""
    return lanes[lane if len(lanes) > 1 else 0]


def same(inputs: tuple[Lanes, ...], index: int, lane: int, low: int, high: int) -> Part:
    """Bits of an input's lane of the same number."""
    return Part(index, lane if len(inputs[index]) > 1 else 0, low, high)


class Micro(Record):
    """A micro-operation: a pure function of lane vectors, with what is fixed in it as fields."""

    _raises: ClassVar[bool]
    operation: ClassVar[str]
    """What the kind is called: ``absolute difference``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.operation = re.sub(r"(?<!^)(?=[A-Z])", " ", cls.__name__).lower()
        cls._raises = cls.raised is not Micro.raised

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        """Apply it."""
        raise NotImplementedError

    def yields(self, first: int) -> int:
        """How many lanes it yields, where its first input has so many."""
        return first

    def raised(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        """The flags that inputs and the value made of them decide, each with 1 where it is so."""
        return ()

    def flags(self, lane: int, inputs: tuple[Lanes, ...], value: int) -> Iterable[Flag]:
        """What happened to a lane whose value it became."""
        if not self._raises:
            return ()
        given = [(at(x, lane),) for x in inputs]
        return [flag for flag, (there,) in self.raised(EXACT, (value,), *given) if there]

    def origins(self, lane: int, low: int, high: int, inputs: tuple[Lanes, ...]) -> Iterable[Part]:
        """Where bits low..high-1 of a lane came from: unless said, from all of its lanes.

        Stretches without a bit may be among them.
        """
        return (same(inputs, index, lane, 0, WHOLE) for index in range(len(inputs)))
