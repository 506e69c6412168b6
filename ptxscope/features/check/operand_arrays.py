"""Many sets of operands at once, for searching deviations of assemblers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.arrays.block_runner import run_blocks
from ...engine.arrays.call_sequence import get_storage_dtype
from ...engine.semantics.plan import Plan
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.operand_bits import bind_values
from ...engine.tracing.probe_operands import draw_values, list_input_widths

ValueArray = npt.NDArray[Any]
_MEMO_SIZE = 16


class OperandArrays:
    """Some sets of operands, then random ones; each plan runs once."""

    def __init__(self, ins: Instruction, first_sets: list[dict[str, int]], size: int) -> None:
        self._ins, self._first_sets, self._size = ins, first_sets, size
        self._columns = _draw_columns(list_input_widths(ins), size)
        self._operands = self._make_operands()
        self._results: dict[int, tuple[Plan, Sequence[int]]] = {}

    def _make_operands(self) -> dict[str, ValueArray]:
        """Return the values of all sets by role."""
        bound = [bind_values(self._ins, values) for values in self._first_sets]
        operands: dict[str, ValueArray] = {}
        for source, column in zip(self._ins.inputs, self._columns, strict=True):
            for role in source.roles:
                head = np.array([x[role] for x in bound], np.uint64)
                operands[role] = np.concatenate([head, column[: self._size - len(bound)]])
        literals = bind_values(self._ins, {})
        return operands | {role: np.array(bits, np.uint64) for role, bits in literals.items()}

    def compute(self, plan: Plan) -> Sequence[int]:
        """Return the bits of d for each set."""
        # `lower` memoises plans; comparing them takes longer
        if id(plan) not in self._results:
            operands = {
                source.role: self._operands[source.role].astype(get_storage_dtype(source.type))
                for source in plan.sources
            }
            results = run_blocks(plan, operands, (self._size,))["d"]
            self._results[id(plan)] = plan, [*map(int, results)]
        return self._results[id(plan)][1]

    def get_values(self, index: int) -> dict[str, int]:
        """Return the values of a set by register name."""
        if index < len(self._first_sets):
            return self._first_sets[index]
        drawn = index - len(self._first_sets)
        pairs = zip(self._ins.inputs, self._columns, strict=True)
        return {x.name: int(column[drawn]) for x, column in pairs}


@lru_cache(maxsize=_MEMO_SIZE)
def _draw_columns(bits: tuple[int, ...], size: int) -> tuple[ValueArray, ...]:
    return tuple(
        np.array(column, np.uint64) for column in zip(*islice(draw_values(bits), size), strict=True)
    )
