"""Search for deviations of assemblers on many operands at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays.block_runner import get_storage_dtype, run_blocks
from ..semantics.models import PTXAS_MODELS, Model
from ..semantics.plan import Plan
from ..syntax.instruction import Instruction
from ..tracing.evaluation import bind_values, make_plan
from ..tracing.trace import iter_subsets
from .probe_operands import GeneratedOperands, draw_operands, list_input_widths

ValueArray = npt.NDArray[Any]
_KEPT = 16


def search_arrays(
    ins: Instruction, count: int, shows: str, examples: Iterable[dict[str, int]], most: int
) -> tuple[GeneratedOperands, set[str]]:
    """Return the first deviations by model, and the errata that act in them.

    The search covers the examples, then generated operands, until the model named by ``shows``
    deviates and ``count`` errata have acted.
    """
    first = list(islice(examples, most))
    operands = _make_operand_arrays(ins, first, most)
    of = _Results(operands, most)
    wanted = of(make_plan(ins))
    others = [(model, of(make_plan(ins, model.make_rules(ins.form)))) for model in PTXAS_MODELS]
    at = {model.name: place for model, got in others if (place := _find_first(got != wanted)) >= 0}
    acting = _find_active_errata(ins, others, wanted, of)
    end = most - 1
    if shows in at:
        places = sorted({at[shows], *(x for x in acting.values() if x > at[shows])})
        full = (x for x in places if sum(y <= x for y in acting.values()) == count)
        end = next(full, end)
    found: GeneratedOperands = {}
    for model, got in others:
        place = at.get(model.name, most)
        if place <= end:
            values = (
                first[place] if place < len(first) else _get_values(ins, place - len(first), most)
            )
            found[model.name] = values, int(wanted[place]), int(got[place])
    return found, {x for x, place in acting.items() if place <= end}


def _find_active_errata(
    ins: Instruction, others: Iterable[tuple[Model, ValueArray]], wanted: ValueArray, of: _Results
) -> dict[str, int]:
    """Return the first index at which each erratum is active (`Trace.active_errata`)."""
    acting: dict[str, int] = {}
    for model, got in others:
        rest = got != wanted
        for few in iter_subsets([x for x in model.errata if x.touches(ins.form)]):
            here = rest & (of(make_plan(ins, Model("", few).make_rules(ins.form))) == got)
            if (place := _find_first(here)) >= 0:
                acting |= {x.id: min(place, acting.get(x.id, place)) for x in few}
            rest &= ~here
    return acting


def _find_first(holds: ValueArray) -> int:
    """Return the first index that is true, or -1."""
    place = int(holds.argmax())
    return place if holds[place] else -1


def _make_operand_arrays(
    ins: Instruction, first: list[dict[str, int]], most: int
) -> dict[str, ValueArray]:
    """Return arrays by role: the examples, then generated operands."""
    bound = [bind_values(ins, values) for values in first]
    found: dict[str, ValueArray] = {}
    columns = _make_columns(list_input_widths(ins), most)
    for needed, column in zip(ins.inputs, columns, strict=True):
        for role in needed.roles:
            head = np.array([x[role] for x in bound], np.uint64)
            found[role] = np.concatenate([head, column[: most - len(first)]])
    literals = bind_values(ins, {})
    return found | {role: np.array(bits, np.uint64) for role, bits in literals.items()}


class _Results:
    """The results of plans on the same operands; each plan runs once."""

    def __init__(self, operands: dict[str, ValueArray], size: int) -> None:
        self._operands, self._size = operands, size
        self._known: dict[int, tuple[Plan, ValueArray]] = {}

    def __call__(self, plan: Plan) -> ValueArray:
        if id(plan) not in self._known:  # `lower` memoises plans; comparing them takes longer
            given = {
                x.role: self._operands[x.role].astype(get_storage_dtype(x.type))
                for x in plan.sources
            }
            self._known[id(plan)] = plan, run_blocks(plan, given, (self._size,))["d"]
        return self._known[id(plan)][1]


def _get_values(ins: Instruction, place: int, most: int) -> dict[str, int]:
    """Return the generated operands at an index."""
    columns = _make_columns(list_input_widths(ins), most)
    return {x.name: int(column[place]) for x, column in zip(ins.inputs, columns, strict=True)}


@lru_cache(maxsize=_KEPT)
def _make_columns(bits: tuple[int, ...], most: int) -> tuple[ValueArray, ...]:
    """Return generated operands as one array for each register."""
    return tuple(
        np.array(x, np.uint64) for x in zip(*islice(draw_operands(bits), most), strict=True)
    )
