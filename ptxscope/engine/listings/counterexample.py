"""Operands for which ptxas departs from the documentation, found by looking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from ..isa.form import Form
from ..isa.roles import DESTINATIONS
from ..records import NamedTuple, replace
from ..semantics.errata import Erratum
from ..semantics.models import PTXAS_MODELS, Model, errata_of
from ..semantics.plan_execution import result
from ..syntax.instruction import Instruction
from ..syntax.parser import parse
from ..tracing.evaluation import bind, plan_of
from ..tracing.trace import Trace
from .probe_operands import Found, drawn, widths

_MOST = 1500
"""How many operand sets are tried."""
_FEW = 24
"""Of them so many one by one: most errata show on these, before arrays would pay."""


class Counterexample(NamedTuple):
    """A set of operands and the two results."""

    errata: tuple[Erratum, ...]
    """Every erratum that was seen to change this instruction's result, on these operands or
    on others."""
    values: dict[str, int]
    """Bits by register name."""
    isa: int
    """The destination's bits as documented."""
    ptxas: int
    model: Model
    """The newest assembler that departs so."""


def counterexample(ins: Instruction) -> Counterexample | None:
    """The first operands found for which ptxas departs; None where none were found.

    The literals and the registers that are used twice stay what they are; a guard is taken
    to allow, unless an erratum shows only where it does not. The same instruction always gives
    the same answer.
    """
    known = ins.errata
    if not known:
        return None
    repaired = all(x.repaired for x in known)
    shows = PTXAS_MODELS[-1 if repaired else 0].name
    allowing: dict[str, int] = {}
    if known == errata_of(ins.form):
        allowing = _allowing(ins)
        ins = replace(ins, guard=None)
    found, seen, done = _one_by_one(ins, len(known), shows)
    if not done:
        from .counterexample_search import by_arrays

        found, seen = by_arrays(ins, len(known), shows, _examples(ins), _MOST)
    for model in PTXAS_MODELS:
        if model.name in found:
            values, wanted, got = found[model.name]
            errata = tuple(x for x in known if x.id in seen)
            return Counterexample(errata, {**allowing, **values}, wanted, got, model)
    return None


def _one_by_one(ins: Instruction, count: int, shows: str) -> tuple[Found, set[str], bool]:
    """What the first operands show by model, which errata, and whether no more need be tried."""
    isa = plan_of(ins)
    others = [
        (model, plan, {x.id for x in model.errata if x.touches(ins.form)})
        for model in PTXAS_MODELS
        if (plan := plan_of(ins, model.rules(ins.form))) is not isa
    ]
    seen: set[str] = set()
    found: Found = {}
    needed = [x.name for x in ins.inputs]
    more = (dict(zip(needed, x, strict=True)) for x in drawn(widths(ins)))
    for values in islice(chain(_examples(ins), more), _FEW):
        bits = bind(ins, values)
        wanted = result(isa, bits)["d"]
        for model, plan, touching in others:
            got = result(plan, bits)["d"]
            if got != wanted:
                if not touching <= seen:
                    seen.update(Trace(ins, model, bits).errata)
                found.setdefault(model.name, (values, wanted, got))
        if shows in found and len(seen) == count:
            return found, seen, True
    return found, seen, False


def _allowing(ins: Instruction) -> dict[str, int]:
    """Values by which a guard allows, and of the old destination that it might keep."""
    if ins.guard is None:
        return {}
    free = {x.name: 0 for x in ins.inputs if set(x.roles) <= {*DESTINATIONS}}
    return {ins.guard.name: int(not ins.guard.negated), **free}


def _examples(ins: Instruction) -> Iterator[dict[str, int]]:
    """The values of the errata's examples, and those where they are selected."""
    needed = ins.inputs
    for erratum in ins.errata:
        example = _by_role(ins, erratum)
        yield {x.name: example.get(x.roles[0], 0) for x in needed}
        yield {x.name: _placed(ins.form, x.roles[0], example) for x in needed}


def _by_role(ins: Instruction, erratum: Erratum) -> dict[str, int]:
    """The values of an erratum's example; a guard's so that it forbids as it does there."""
    ptx, values, *_ = erratum.example
    shown = parse(ptx)
    found = {role: values[name] for role, name in shown.names.items() if name in values}
    if ins.guard and shown.guard:
        found["guard"] ^= ins.guard.negated != shown.guard.negated
    return found


def _placed(form: Form, role: str, example: dict[str, int]) -> int:
    """An example's value where the operand's selector picks it up."""
    value, chosen = example.get(role, 0), {"a": form.asel, "b": form.bsel}.get(role)
    return value << chosen.unit * chosen.lanes[0] & 0xFFFF_FFFF if chosen else value
