"""Where assemblers depart from the documentation, over many operands at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays.block_runner import run_blocks, storage
from ..semantics.models import PTXAS_MODELS, Model
from ..semantics.plan import Plan
from ..syntax.instruction import Instruction
from ..tracing.evaluation import bind, plan_of
from ..tracing.trace import fewest
from .probe_operands import Found, drawn, widths

Words = npt.NDArray[Any]
_KEPT = 16


def by_arrays(
    ins: Instruction, count: int, shows: str, examples: Iterable[dict[str, int]], most: int
) -> tuple[Found, set[str]]:
    """What shows on some examples and then drawn operands, and the errata that act there.

    They are gone through until one model shows and so many errata were seen.
    """
    first = list(islice(examples, most))
    operands = _operands(ins, first, most)
    of = _Results(operands, most)
    wanted = of(plan_of(ins))
    others = [(model, of(plan_of(ins, model.rules(ins.form)))) for model in PTXAS_MODELS]
    at = {model.name: place for model, got in others if (place := _first(got != wanted)) >= 0}
    acting = _acting(ins, others, wanted, of)
    end = most - 1
    if shows in at:
        places = sorted({at[shows], *(x for x in acting.values() if x > at[shows])})
        full = (x for x in places if sum(y <= x for y in acting.values()) == count)
        end = next(full, end)
    found: Found = {}
    for model, got in others:
        place = at.get(model.name, most)
        if place <= end:
            values = first[place] if place < len(first) else _values(ins, place - len(first), most)
            found[model.name] = values, int(wanted[place]), int(got[place])
    return found, {x for x, place in acting.items() if place <= end}


def _acting(
    ins: Instruction, others: Iterable[tuple[Model, Words]], wanted: Words, of: _Results
) -> dict[str, int]:
    """Where each erratum is first one of the fewest that make a model's result (`Trace.acting`)."""
    acting: dict[str, int] = {}
    for model, got in others:
        rest = got != wanted
        for few in fewest([x for x in model.errata if x.touches(ins.form)]):
            here = rest & (of(plan_of(ins, Model("", few).rules(ins.form))) == got)
            if (place := _first(here)) >= 0:
                acting |= {x.id: min(place, acting.get(x.id, place)) for x in few}
            rest &= ~here
    return acting


def _first(holds: Words) -> int:
    """The first place where it holds; -1 where there is none."""
    place = int(holds.argmax())
    return place if holds[place] else -1


def _operands(ins: Instruction, first: list[dict[str, int]], most: int) -> dict[str, Words]:
    """An array by role: of the examples, then of what is drawn."""
    bound = [bind(ins, values) for values in first]
    found: dict[str, Words] = {}
    columns = _columns(widths(ins), most)
    for needed, column in zip(ins.inputs, columns, strict=True):
        for role in needed.roles:
            head = np.array([x[role] for x in bound], np.uint64)
            found[role] = np.concatenate([head, column[: most - len(first)]])
    literals = bind(ins, {})
    return found | {role: np.array(bits, np.uint64) for role, bits in literals.items()}


class _Results:
    """What plans make of some operands; each is run once."""

    def __init__(self, operands: dict[str, Words], size: int) -> None:
        self._operands, self._size = operands, size
        self._known: dict[int, tuple[Plan, Words]] = {}

    def __call__(self, plan: Plan) -> Words:
        if id(plan) not in self._known:  # `lower` keeps plans, and to compare them takes longer
            given = {x.role: self._operands[x.role].astype(storage(x.type)) for x in plan.sources}
            self._known[id(plan)] = plan, run_blocks(plan, given, (self._size,))["d"]
        return self._known[id(plan)][1]


def _values(ins: Instruction, place: int, most: int) -> dict[str, int]:
    """What is drawn at a place."""
    columns = _columns(widths(ins), most)
    return {x.name: int(column[place]) for x, column in zip(ins.inputs, columns, strict=True)}


@lru_cache(maxsize=_KEPT)
def _columns(bits: tuple[int, ...], most: int) -> tuple[Words, ...]:
    """What is drawn, an array for each register."""
    return tuple(np.array(x, np.uint64) for x in zip(*islice(drawn(bits), most), strict=True))
