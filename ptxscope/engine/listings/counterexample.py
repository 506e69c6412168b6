"""Operands for which ptxas departs from the documentation, found by looking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random

from ..isa.form import Form
from ..isa.roles import DESTINATIONS
from ..records import NamedTuple, replace
from ..semantics.errata import Erratum
from ..semantics.models import PTXAS_MODELS, Model, errata_of
from ..semantics.run import result
from ..text.instruction import Input, Instruction
from ..text.parser import parse
from ..tracing.evaluate import bind, plan_of
from ..tracing.trace import Trace

_EDGES = (0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x20, 5, 0x8000, 0xFF, 0x1_0000)
_MOST = 1500
"""How many operand sets are tried."""


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
    isa = plan_of(ins)
    others = [(model, plan_of(ins, model.rules(ins.form))) for model in PTXAS_MODELS]
    seen: set[str] = set()
    found: dict[str, Counterexample] = {}
    for values in islice(_operands(ins), _MOST):
        bits = bind(ins, values)
        wanted = result(isa, bits)["d"]
        for model, plan in others:
            got = result(plan, bits)["d"]
            if got != wanted:
                seen.update(Trace(ins, model, bits).errata)
                example = Counterexample((), {**allowing, **values}, wanted, got, model)
                found.setdefault(model.name, example)
        if shows in found and len(seen) == len(known):
            break
    for model in PTXAS_MODELS:
        if model.name in found:
            errata = tuple(x for x in known if x.id in seen)
            return found[model.name]._replace(errata=errata)
    return None


def _allowing(ins: Instruction) -> dict[str, int]:
    """Values by which a guard allows, and of the old destination that it might keep."""
    if ins.guard is None:
        return {}
    free = {x.name: 0 for x in ins.inputs if set(x.roles) <= {*DESTINATIONS}}
    return {ins.guard.name: int(not ins.guard.negated), **free}


def _operands(ins: Instruction) -> Iterator[dict[str, int]]:
    """Values to try: those of the errata's examples, edges, random ones of a fixed seed."""
    needed = ins.inputs
    for erratum in ins.errata:
        example = _by_role(ins, erratum)
        yield {x.name: example.get(x.roles[0], 0) for x in needed}
        yield {x.name: _placed(ins.form, x.roles[0], example) for x in needed}
    edges = product(*(_edges(x) for x in needed))
    for values in islice(edges, _MOST * 2 // 3):
        yield {x.name: value for x, value in zip(needed, values, strict=True)}
    rng = Random(1)  # noqa: S311 - nothing secret
    while True:
        yield {
            x.name: rng.choice((rng.getrandbits(x.type.bits), rng.choice(_edges(x))))
            for x in needed
        }


def _by_role(ins: Instruction, erratum: Erratum) -> dict[str, int]:
    """The values of an erratum's example; a guard's so that it forbids as it does there."""
    ptx, values, *_ = erratum.example
    shown = parse(ptx)
    found = {role: values[name] for role, name in shown.names.items() if name in values}
    if ins.guard and shown.guard:
        found["guard"] ^= ins.guard.negated != shown.guard.negated
    return found


def _edges(needed: Input) -> tuple[int, ...]:
    """The edges that an operand holds, the others cut to its width; each once."""
    return tuple(dict.fromkeys(x & ((1 << needed.type.bits) - 1) for x in _EDGES))


def _placed(form: Form, role: str, example: dict[str, int]) -> int:
    """An example's value where the operand's selector picks it up."""
    value, chosen = example.get(role, 0), {"a": form.asel, "b": form.bsel}.get(role)
    return value << chosen.unit * chosen.lanes[0] & 0xFFFF_FFFF if chosen else value
