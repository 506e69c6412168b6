"""Counterexamples: operands for which ptxas deviates from the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple, Protocol

from ...engine.isa.types import DESTINATIONS, Form, Role
from ...engine.semantics.models import PTXAS_MODELS, Model, find_errata
from ...engine.semantics.plan import Plan, compute_results
from ...engine.semantics.rules import Erratum
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import scan
from ...engine.tracing.evaluation import make_plan
from ...engine.tracing.operand_bits import bind_values
from ...engine.tracing.probe_operands import draw_values, list_input_widths
from ...engine.tracing.trace import iter_subsets

_MAX_SETS = 1500
"""Maximum sets of operands to try."""
_MAX_SINGLE_SETS = 24
"""Sets to try one by one before NumPy is worth its import: most errata appear on these."""


class Counterexample(NamedTuple):
    """A set of operands and the two results."""

    errata: tuple[Erratum, ...]
    """Every erratum that changed the result for any tried operands."""
    values: dict[str, int]
    """Bits by register name."""
    isa: int
    """The documented bits of the destination."""
    ptxas: int
    model: Model
    """The newest assembler with this result."""
    widths: tuple[int, ...]
    """The width in bits of each value, in order, and of the results."""


def parse_example(ptx: str) -> list[Instruction]:
    """Return the instructions of an erratum's example: one, or two in braces."""
    return [x.instruction for x in scan(ptx.strip("{} ")) if x.instruction]


def _list_widths(ins: Instruction, values: Iterable[str]) -> tuple[int, ...]:
    widths = {name: ins.type_of(role).bits for role, name in ins.names.items()}
    return (*(widths[name] for name in values), ins.type_of(Role.D).bits)


class DeviatingOperands(NamedTuple):
    """Operands for which a model's result differs from the documentation's."""

    values: dict[str, int]
    isa: int
    ptxas: int


def find_counterexample(ins: Instruction) -> Counterexample | None:
    """Return the first operands for which ptxas deviates, or None.

    Literals and repeated registers are kept. The guard is true, unless an erratum needs a false
    one. The search is deterministic.
    """
    known_errata = ins.errata
    if not known_errata:
        return None
    is_repaired = all(x.repaired_in for x in known_errata)
    model_name = PTXAS_MODELS[-1 if is_repaired else 0].name
    guard_values: dict[str, int] = {}
    whole = ins
    if known_errata == find_errata(ins.form):
        guard_values = _make_guard_values(ins)
        ins = replace(ins, guard=None)
    search = CounterexampleSearch(ins, model_name)
    for batch in chain(iter_single_sets(ins, _MAX_SINGLE_SETS), iter_arrays(ins, _MAX_SETS)):
        if search.is_done_after(batch):
            break
    for model in PTXAS_MODELS:
        if model.name in search.deviations:
            values, documented, actual = search.deviations[model.name]
            errata = tuple(x for x in known_errata if x.id in search.active_ids)
            values = {**guard_values, **values}
            widths = _list_widths(whole, values)
            return Counterexample(errata, values, documented, actual, model, widths)
    return None


def list_possible_errata(ins: Instruction) -> tuple[Erratum, ...]:
    """Return the errata that change the result for some operands; literals are kept."""
    return _list_errata(ins.with_role_names()) if ins.errata else ()


@lru_cache(1 << 12)
def _list_errata(ins: Instruction) -> tuple[Erratum, ...]:
    example = find_counterexample(ins)
    return example.errata if example else ()


class OperandBatch(Protocol):
    """Sets of operands for computing plans."""

    def compute(self, plan: Plan) -> Sequence[int]:
        """Return the bits of d for each set."""

    def get_values(self, index: int) -> dict[str, int]:
        """Return the values of a set by register name."""


class CounterexampleSearch:
    """Finds deviations of assemblers from the documentation, batch by batch.

    It ends when the named model has deviated, and every erratum has changed a result.
    """

    def __init__(self, ins: Instruction, model_name: str) -> None:
        self._ins, self._model_name = ins, model_name
        self._documented_plan = make_plan(ins)
        self._plans = [
            (model, plan)
            for model in PTXAS_MODELS
            if (plan := make_plan(ins, model.make_rules(ins.form))) is not self._documented_plan
        ]
        self.deviations: dict[str, DeviatingOperands] = {}
        """The first deviation of each model."""
        self.active_ids: set[str] = set()
        """The errata that changed a result."""

    def is_done_after(self, batch: OperandBatch) -> bool:
        """Compute a batch; return whether the search ends in it."""
        documented = batch.compute(self._documented_plan)
        results = [(model, batch.compute(plan)) for model, plan in self._plans]
        differing = {
            model.name: [i for i, x in enumerate(documented) if x != actual[i]]
            for model, actual in results
        }
        firsts = {name: indices[0] for name, indices in differing.items() if indices}
        active = dict.fromkeys(self.active_ids, 0)
        for model, actual in results:
            for id_, index in self._find_active(batch, model, actual, differing[model.name]):
                active[id_] = min(index, active.get(id_, index))
        last, is_done = len(documented) - 1, False
        if self._model_name in {*self.deviations, *firsts} and len(active) == len(self._ins.errata):
            named_index = 0 if self._model_name in self.deviations else firsts[self._model_name]
            last, is_done = max(named_index, *active.values()), True
        for model, actual in results:
            index = firsts.get(model.name, last + 1)
            if index <= last and model.name not in self.deviations:
                self.deviations[model.name] = DeviatingOperands(
                    batch.get_values(index), documented[index], actual[index]
                )
        self.active_ids.update(active)
        return is_done

    def _find_active(
        self, batch: OperandBatch, model: Model, actual: Sequence[int], differing: Sequence[int]
    ) -> Iterator[tuple[str, int]]:
        """Yield the errata of the smallest sets with a model's results, and their first index."""
        errata = [x for x in model.errata if x.touches(self._ins.form)]
        if self.active_ids.issuperset(x.id for x in errata):
            return
        for subset in iter_subsets(errata):
            if not differing:
                return
            plan = make_plan(self._ins, Model("", subset).make_rules(self._ins.form))
            results = batch.compute(plan)
            explained = [i for i in differing if results[i] == actual[i]]
            if explained:
                yield from ((x.id, explained[0]) for x in subset)
                differing = [i for i in differing if results[i] != actual[i]]


class _SingleSet:
    """One set of operands, computed on integers."""

    def __init__(self, ins: Instruction, values: dict[str, int]) -> None:
        self._values, self._bits = values, bind_values(ins, values)

    def compute(self, plan: Plan) -> Sequence[int]:
        return (compute_results(plan, self._bits)["d"],)

    def get_values(self, _: int) -> dict[str, int]:
        return self._values


def iter_single_sets(ins: Instruction, limit: int) -> Iterator[OperandBatch]:
    """Yield the sets of examples, then random ones, one by one."""
    names = [x.name for x in ins.inputs]
    drawn_values = (dict(zip(names, x, strict=True)) for x in draw_values(list_input_widths(ins)))
    for values in islice(chain(iter_examples(ins), drawn_values), limit):
        yield _SingleSet(ins, values)


def iter_arrays(ins: Instruction, limit: int) -> Iterator[OperandBatch]:
    """Yield one batch of the same sets, made on demand."""
    from .operand_arrays import OperandArrays  # most searches end earlier

    yield OperandArrays(ins, list(islice(iter_examples(ins), limit)), limit)


def _make_guard_values(ins: Instruction) -> dict[str, int]:
    """Return values with a true guard, and 0 as the old destination."""
    if ins.guard is None:
        return {}
    old_values = {x.name: 0 for x in ins.inputs if set(x.roles) <= {*DESTINATIONS}}
    return {ins.guard.name: int(not ins.guard.negated), **old_values}


def iter_examples(ins: Instruction) -> Iterator[dict[str, int]]:
    """Yield the values of the errata's examples, unchanged and shifted to the selected lanes."""
    inputs = ins.inputs
    for erratum in ins.errata:
        example = _map_example_values(ins, erratum)
        yield {x.name: example.get(x.roles[0], 0) for x in inputs}
        yield {x.name: _place_value(ins.form, x.roles[0], example) for x in inputs}


def _map_example_values(ins: Instruction, erratum: Erratum) -> dict[str, int]:
    """Return the values of an erratum's example, including the guard's."""
    ptx, values, *_ = erratum.example
    instruction = parse_example(ptx)[0]
    values_by_role = {
        role: values[name] for role, name in instruction.names.items() if name in values
    }
    if ins.guard and instruction.guard:
        values_by_role["guard"] ^= ins.guard.negated != instruction.guard.negated
    return values_by_role


def _place_value(form: Form, role: str, example: dict[str, int]) -> int:
    """Return an example's value, shifted to the lane that the operand's selector reads."""
    value, selector = example.get(role, 0), {"a": form.asel, "b": form.bsel}.get(role)
    return value << selector.unit * selector.lanes[0] & 0xFFFF_FFFF if selector else value
