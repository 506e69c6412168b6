"""Results and flags of a plan over many operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ir.recorded_plan import make_flag_key
from ..micro_operations.properties import Flag
from ..semantics.plan import Plan, Row
from .array_program import ArrayProgram, RunBuffers
from .call_sequence import Buffer, BufferKind, get_storage_dtype
from .exact_program import ExactProgram
from .integer_types import WidthError

Truths = npt.NDArray[np.bool_]


@lru_cache(maxsize=64)
def _get_program(plan: Plan) -> ArrayProgram | ExactProgram:
    try:
        return ArrayProgram(plan, with_flags=True)
    except WidthError:
        return ExactProgram(plan, with_flags=True)


class FlaggedResults:
    """The results and flags for flat operands by role, of the types of ``get_storage_dtype``.

    An operand without dimensions has the same value everywhere.
    """

    def __init__(self, plan: Plan, operands: Mapping[str, npt.NDArray[Any]], size: int) -> None:
        program = _get_program(plan)
        flat_operands = {x.role: np.broadcast_to(operands[x.role], (size,)) for x in plan.sources}
        outputs = {x: np.empty(size * count, np.uint8) for x, count in program.results.items()}
        arrays = {
            Buffer(BufferKind.OPERAND, x): np.ascontiguousarray(y) for x, y in flat_operands.items()
        }
        arrays |= {Buffer(BufferKind.RESULT, x): y for x, y in outputs.items()}
        if outputs and size:
            program.run(RunBuffers(size, size, arrays, {}))
        self._outputs = outputs
        self.results = {
            x.role: outputs[x.role].view(get_storage_dtype(x.type)) for x in plan.results
        }

    def get_row_flags(self, row: Row) -> Iterator[tuple[Flag, Truths]]:
        """Yield each flag that a row may raise, with its truth values, lanes side by side."""
        for flag in Flag:
            if (name := make_flag_key(row.key, flag)) in self._outputs:
                yield flag, self._outputs[name].view(np.bool_)

    def get_condition(self, key: str) -> Truths:
        """Return the truth values of a choice's condition: a row's key, or an operand's role."""
        return self._outputs[make_flag_key(key, "holds")].view(np.bool_)
