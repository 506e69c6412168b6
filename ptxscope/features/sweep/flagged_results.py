"""The results of a plan on arrays, with the flags of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.arrays.array_program import RunBuffers
from ...engine.arrays.block_runner import make_program
from ...engine.arrays.call_sequence import Buffer, BufferKind, get_storage_dtype
from ...engine.ir.tape import make_flag_key
from ...engine.micro_operations.properties import Flag
from ...engine.semantics.plan import Plan, Row

_get_flagged_program = lru_cache(maxsize=64)(partial(make_program, with_flags=True))


class FlaggedResults:
    """The results and flags for flat operands by role, of the types of ``get_storage_dtype``.

    An operand without dimensions has the same value everywhere.
    """

    def __init__(self, plan: Plan, operands: Mapping[str, npt.NDArray[Any]], size: int) -> None:
        program = _get_flagged_program(plan)
        flat_operands = {x.role: np.broadcast_to(operands[x.role], (size,)) for x in plan.sources}
        outputs = {x: np.empty(size * count, np.uint8) for x, count in program.results.items()}
        arrays = {
            Buffer(BufferKind.OPERAND, role): np.ascontiguousarray(array)
            for role, array in flat_operands.items()
        }
        arrays |= {Buffer(BufferKind.RESULT, x): y for x, y in outputs.items()}
        if outputs and size:
            program.run(RunBuffers(size, size, arrays, {}))
        self._outputs = outputs
        self.results = {
            result.role: outputs[result.role].view(get_storage_dtype(result.type))
            for result in plan.results
        }

    def get_row_flags(self, row: Row) -> Iterator[tuple[Flag, npt.NDArray[np.bool_]]]:
        """Yield each flag that a row may raise, with its truth values, lanes side by side."""
        for flag in Flag:
            if (name := make_flag_key(row.key, flag)) in self._outputs:
                yield flag, self._outputs[name].view(np.bool_)

    def get_condition(self, key: str) -> npt.NDArray[np.bool_]:
        """Return the truth values of a choice's condition, by a row's key or an operand's role."""
        return self._outputs[make_flag_key(key, "holds")].view(np.bool_)
