"""The fidelity of a run: which values are exact, and which lines made others unknown.

Each register of each thread, and each byte of memory, has a set of causes as 64 bits. A value is
exact if its set is empty. A result has the causes of everything that it was computed from. In a
register only some bits may be unknown: moves, logic, shifts and fields keep the others exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.statement import Statement
from ....engine.tracing.deviation import Deviation

Causes = npt.NDArray[np.uint64]
NEVER_WRITTEN = 1
"""The set with one cause: nothing has written the register or the memory."""
_LAST_BIT = 63
"""The bit that all further causes share."""


class UnknownCause(NamedTuple):
    """A statement that made values unknown."""

    statement: Statement
    reason: str
    """``sin.approx.f32 is not modelled``."""


class UnknownDecision(NamedTuple):
    """A statement whose effect is unknown."""

    statement: Statement
    effect: str
    """``the branch``, ``the address of a store``, ``what it writes to memory``."""
    thread_count: int
    """The number of executions by a thread."""
    reason: str
    """``wmma.store.d is not modelled``; empty if an unknown value decided the effect."""


class ModelDifference(NamedTuple):
    """The first execution of a statement for which another model gives another value."""

    statement: Statement
    thread: str
    """``thread (5,0,0) of block (1,0,0)``."""
    deviation: Deviation


class Fidelity:
    """The causes of a run, and the decisions of unknown values."""

    def __init__(self) -> None:
        self.causes: list[UnknownCause] = []
        self._bits: dict[int, int] = {}
        self._decisions: dict[int, UnknownDecision] = {}
        """By the id of their statements."""
        self.ordered_statements: dict[int, Statement] = {}
        """The statements whose results depend on the order of threads, by their id."""
        self.model_differences: dict[int, ModelDifference] = {}
        """By the id of their statements."""

    def get_cause(self, statement: Statement, reason: str) -> np.uint64:
        """Return the set of causes that has this statement alone."""
        key = id(statement)
        if key not in self._bits:
            self.causes.append(UnknownCause(statement, reason))
            self._bits[key] = min(len(self.causes), _LAST_BIT)
        return np.uint64(1 << self._bits[key])

    def note_decision(
        self, statement: Statement, effect: str, thread_count: int, reason: str = ""
    ) -> None:
        """Note that the effect of a statement on some threads is unknown.

        An unknown value decided it, or the statement is not modelled, for a ``reason``.
        """
        new = UnknownDecision(statement, effect, 0, reason)
        old = self._decisions.setdefault(id(statement), new)
        self._decisions[id(statement)] = old._replace(thread_count=old.thread_count + thread_count)

    def note_model_difference(
        self, statement: Statement, thread: str, deviation: Deviation
    ) -> None:
        """Note that another model gives another value for a statement."""
        difference = ModelDifference(statement, thread, deviation)
        self.model_differences.setdefault(id(statement), difference)

    @property
    def decisions(self) -> tuple[UnknownDecision, ...]:
        """The statements whose effect is unknown, in the order of the run."""
        return tuple(self._decisions.values())

    def iter_causes(self, causes: int) -> Iterator[UnknownCause | None]:
        """Yield the causes in a set; None stands for values that nothing has written."""
        if causes & NEVER_WRITTEN:
            yield None
        for cause in self.causes:
            if causes >> self._bits[id(cause.statement)] & 1:
                yield cause
