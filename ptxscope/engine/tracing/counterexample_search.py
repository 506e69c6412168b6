"""Search for deviations of assemblers on many operands at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays.block_runner import run_blocks
from ..arrays.call_sequence import get_storage_dtype
from ..semantics.models import PTXAS_MODELS, Model
from ..semantics.plan import Plan
from ..syntax.instruction import Instruction
from .evaluation import make_plan
from .operand_bits import bind_values
from .probe_operands import GeneratedOperands, draw_values, list_input_widths
from .trace import iter_subsets

ValueArray = npt.NDArray[Any]
_MEMO_SIZE = 16


def search_arrays(
    ins: Instruction, count: int, model_name: str, examples: Iterable[dict[str, int]], limit: int
) -> tuple[GeneratedOperands, set[str]]:
    """Return the first deviations by model, and the errata that act in them.

    The search covers the examples, then generated operands, until the model named by ``model_name``
    deviates and ``count`` errata have acted.
    """
    first_examples = list(islice(examples, limit))
    operands = _make_operand_arrays(ins, first_examples, limit)
    results = _Results(operands, limit)
    documented = results(make_plan(ins))
    results_by_model = [
        (model, results(make_plan(ins, model.make_rules(ins.form)))) for model in PTXAS_MODELS
    ]
    indices = {
        model.name: index
        for model, actual in results_by_model
        if (index := _find_first(actual != documented)) >= 0
    }
    active_indices = _find_active_errata(ins, results_by_model, documented, results)
    end = limit - 1
    if model_name in indices:
        positions = sorted(
            {indices[model_name], *(x for x in active_indices.values() if x > indices[model_name])}
        )
        candidates = (x for x in positions if sum(y <= x for y in active_indices.values()) == count)
        end = next(candidates, end)
    deviations: GeneratedOperands = {}
    for model, actual in results_by_model:
        index = indices.get(model.name, limit)
        if index <= end:
            values = (
                first_examples[index]
                if index < len(first_examples)
                else _get_values(ins, index - len(first_examples), limit)
            )
            deviations[model.name] = values, int(documented[index]), int(actual[index])
    return deviations, {x for x, index in active_indices.items() if index <= end}


def _find_active_errata(
    ins: Instruction,
    results_by_model: Iterable[tuple[Model, ValueArray]],
    documented: ValueArray,
    results: _Results,
) -> dict[str, int]:
    """Return the first index at which each erratum is active (`Trace.active_errata`)."""
    active_indices: dict[str, int] = {}
    for model, actual in results_by_model:
        unexplained = actual != documented
        for subset in iter_subsets([x for x in model.errata if x.touches(ins.form)]):
            is_explained = unexplained & (
                results(make_plan(ins, Model("", subset).make_rules(ins.form))) == actual
            )
            if (index := _find_first(is_explained)) >= 0:
                active_indices |= {
                    erratum.id: min(index, active_indices.get(erratum.id, index))
                    for erratum in subset
                }
            unexplained &= ~is_explained
    return active_indices


def _find_first(mask: ValueArray) -> int:
    """Return the first index that is true, or -1."""
    index = int(mask.argmax())
    return index if mask[index] else -1


def _make_operand_arrays(
    ins: Instruction, examples: list[dict[str, int]], limit: int
) -> dict[str, ValueArray]:
    """Return arrays by role: the examples, then generated operands."""
    bound = [bind_values(ins, values) for values in examples]
    operands: dict[str, ValueArray] = {}
    columns = _make_columns(list_input_widths(ins), limit)
    for source, column in zip(ins.inputs, columns, strict=True):
        for role in source.roles:
            head = np.array([x[role] for x in bound], np.uint64)
            operands[role] = np.concatenate([head, column[: limit - len(examples)]])
    literals = bind_values(ins, {})
    return operands | {role: np.array(bits, np.uint64) for role, bits in literals.items()}


class _Results:
    """The results of plans on the same operands; each plan runs once."""

    def __init__(self, operands: dict[str, ValueArray], size: int) -> None:
        self._operands, self._size = operands, size
        self._results_by_plan: dict[int, tuple[Plan, ValueArray]] = {}

    def __call__(self, plan: Plan) -> ValueArray:
        if (
            id(plan) not in self._results_by_plan
        ):  # `lower` memoises plans; comparing them takes longer
            operands = {
                source.role: self._operands[source.role].astype(get_storage_dtype(source.type))
                for source in plan.sources
            }
            self._results_by_plan[id(plan)] = plan, run_blocks(plan, operands, (self._size,))["d"]
        return self._results_by_plan[id(plan)][1]


def _get_values(ins: Instruction, index: int, limit: int) -> dict[str, int]:
    columns = _make_columns(list_input_widths(ins), limit)
    return {x.name: int(column[index]) for x, column in zip(ins.inputs, columns, strict=True)}


@lru_cache(maxsize=_MEMO_SIZE)
def _make_columns(bits: tuple[int, ...], limit: int) -> tuple[ValueArray, ...]:
    return tuple(
        np.array(column, np.uint64)
        for column in zip(*islice(draw_values(bits), limit), strict=True)
    )
