"""What happens in a plan on many operands: its results, and the flags of every row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..semantics.micro_operation import Flag
from ..semantics.plan import Plan, Row
from .array_program import Feed, Program
from .block_runner import storage
from .call_sequence import Kind, Place
from .demand import flag_of

Truths = npt.NDArray[np.bool_]
_program = lru_cache(maxsize=64)(lambda plan: Program(plan, told=True))


class Told:
    """Results and flags for flat operands by role, of the types that ``storage`` names.

    One of no dimension is the same for all.
    """

    def __init__(self, plan: Plan, operands: Mapping[str, npt.NDArray[Any]], size: int) -> None:
        program = _program(plan)
        given = {x.role: np.broadcast_to(operands[x.role], (size,)) for x in plan.sources}
        made = {x: np.empty(size * count, np.uint8) for x, count in program.results.items()}
        arrays = {Place(Kind.OPERAND, x): np.ascontiguousarray(y) for x, y in given.items()}
        arrays |= {Place(Kind.RESULT, x): y for x, y in made.items()}
        if made and size:
            program.run(Feed(size, size, arrays, {}))
        self._made = made
        self.results = {x.role: made[x.role].view(storage(x.type)) for x in plan.results}

    def raised(self, row: Row) -> Iterator[tuple[Flag, Truths]]:
        """The flags that a row may raise, and where it does; lanes side by side."""
        for flag in Flag:
            if (name := flag_of(row.key, flag)) in self._made:
                yield flag, self._made[name].view(np.bool_)

    def holds(self, key: str) -> Truths:
        """Where the condition of a choice holds: a row's key, or an operand's role."""
        return self._made[flag_of(key, "holds")].view(np.bool_)
