"""Counterexamples: operands for which ptxas deviates from the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from ..isa.form import Form
from ..isa.roles import DESTINATIONS
from ..records import NamedTuple, replace
from ..semantics.errata import Erratum
from ..semantics.models import PTXAS_MODELS, Model, find_errata
from ..semantics.plan_execution import compute_results
from ..syntax.instruction import Instruction
from ..syntax.parser import parse
from ..tracing.evaluation import bind_values, make_plan
from ..tracing.trace import Trace
from .probe_operands import GeneratedOperands, draw_operands, list_input_widths

_MOST = 1500
"""Sets of operands that are tried."""
_FEW = 24
"""Sets that are tried one by one: most errata appear on these, before NumPy is worth it."""


class Counterexample(NamedTuple):
    """A set of operands and the two results."""

    errata: tuple[Erratum, ...]
    """Every erratum that changed the result on any operands that were tried."""
    values: dict[str, int]
    """Bits by register name."""
    isa: int
    """The documented bits of the destination."""
    ptxas: int
    model: Model
    """The newest assembler with this result."""


def find_counterexample(ins: Instruction) -> Counterexample | None:
    """Return the first operands for which ptxas deviates, or None.

    Literals and repeated registers are kept. The guard allows the instruction, unless an erratum
    only shows if it does not. The same instruction always gives the same answer.
    """
    known = ins.errata
    if not known:
        return None
    repaired = all(x.repaired_in for x in known)
    shows = PTXAS_MODELS[-1 if repaired else 0].name
    allowing: dict[str, int] = {}
    if known == find_errata(ins.form):
        allowing = _make_guard_values(ins)
        ins = replace(ins, guard=None)
    found, seen, done = _search_one_by_one(ins, len(known), shows)
    if not done:
        from .counterexample_search import search_arrays

        found, seen = search_arrays(ins, len(known), shows, _iter_examples(ins), _MOST)
    for model in PTXAS_MODELS:
        if model.name in found:
            values, wanted, got = found[model.name]
            errata = tuple(x for x in known if x.id in seen)
            return Counterexample(errata, {**allowing, **values}, wanted, got, model)
    return None


def _search_one_by_one(
    ins: Instruction, count: int, shows: str
) -> tuple[GeneratedOperands, set[str], bool]:
    """Return the first deviations by model, the errata seen, and whether the search is done."""
    isa = make_plan(ins)
    others = [
        (model, plan, {x.id for x in model.errata if x.touches(ins.form)})
        for model in PTXAS_MODELS
        if (plan := make_plan(ins, model.make_rules(ins.form))) is not isa
    ]
    seen: set[str] = set()
    found: GeneratedOperands = {}
    needed = [x.name for x in ins.inputs]
    more = (dict(zip(needed, x, strict=True)) for x in draw_operands(list_input_widths(ins)))
    for values in islice(chain(_iter_examples(ins), more), _FEW):
        bits = bind_values(ins, values)
        wanted = compute_results(isa, bits)["d"]
        for model, plan, touching in others:
            got = compute_results(plan, bits)["d"]
            if got != wanted:
                if not touching <= seen:
                    seen.update(Trace(ins, model, bits).errata)
                found.setdefault(model.name, (values, wanted, got))
        if shows in found and len(seen) == count:
            return found, seen, True
    return found, seen, False


def _make_guard_values(ins: Instruction) -> dict[str, int]:
    """Return values with which the guard holds, with 0 for the old destination."""
    if ins.guard is None:
        return {}
    free = {x.name: 0 for x in ins.inputs if set(x.roles) <= {*DESTINATIONS}}
    return {ins.guard.name: int(not ins.guard.negated), **free}


def _iter_examples(ins: Instruction) -> Iterator[dict[str, int]]:
    """Yield the values of the errata's examples, as given and shifted to the selected lanes."""
    needed = ins.inputs
    for erratum in ins.errata:
        example = _map_example_values(ins, erratum)
        yield {x.name: example.get(x.roles[0], 0) for x in needed}
        yield {x.name: _place_value(ins.form, x.roles[0], example) for x in needed}


def _map_example_values(ins: Instruction, erratum: Erratum) -> dict[str, int]:
    """Return the values of an erratum's example, with the guard as true or false as there."""
    ptx, values, *_ = erratum.example
    shown = parse(ptx)
    found = {role: values[name] for role, name in shown.names.items() if name in values}
    if ins.guard and shown.guard:
        found["guard"] ^= ins.guard.negated != shown.guard.negated
    return found


def _place_value(form: Form, role: str, example: dict[str, int]) -> int:
    """Return an example's value, shifted to the lane that the operand's selector reads."""
    value, chosen = example.get(role, 0), {"a": form.asel, "b": form.bsel}.get(role)
    return value << chosen.unit * chosen.lanes[0] & 0xFFFF_FFFF if chosen else value
