"""Assemblers' results for a suggestion whose documented result is the observed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..engine.isa.encodings import format_hex
from ..engine.isa.types import CARRY_REGISTER
from ..engine.semantics.models import ISA_MODEL, PTXAS_MODELS, Model, format_versions
from ..engine.semantics.plan import compute_results
from ..engine.semantics.rules import Erratum
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.register_accesses import mark_mixed_flags
from ..engine.tracing.basic_block import BasicBlock, BlockStatement
from ..engine.tracing.evaluation import make_model_plan
from .cause_search import apply_readings, apply_to_operands
from .causes import Bits, Cause, ObservedCase
from .line_changes import replace_instruction
from .observation import Observation

_MAX_CASES = 64
"""Maximum observations for evaluating a suggestion."""


class ModelCheck:
    """A block with one statement changed, under every model."""

    def __init__(
        self, block: BasicBlock, number: int, ins: Instruction, causes: Sequence[Cause]
    ) -> None:
        self._number, self._causes, self._block = number, causes, block
        changed = replace_instruction(block, number, ins)
        self._statements = _mark_flags(changed.statements)
        self._forms = [x.instruction.form for x in self._statements]

    def find_failure(self, cases: Sequence[ObservedCase]) -> str:
        """Describe the first result that differs from the observation, and its versions of ptxas.

        Return an empty string if there is none.
        """
        models = [x for x in PTXAS_MODELS if self._list_errata(x)]
        for case in cases[:_MAX_CASES] if models else ():
            failing = [x for x in models if not self._matches(x, case)]
            if failing and self._matches(ISA_MODEL, case):
                return self._format_failure(failing, case)
        return ""

    def _list_errata(self, model: Model) -> list[Erratum]:
        """Return the errata of a model that change a statement's plan."""
        plans = [
            (make_model_plan(x.instruction, ISA_MODEL), x.instruction) for x in self._statements
        ]
        return [
            erratum
            for erratum in model.errata
            if any(
                erratum.touches(ins.form) and make_model_plan(ins, Model("", (erratum,))) != plan
                for plan, ins in plans
            )
        ]

    def _matches(self, model: Model, case: ObservedCase) -> bool:
        values = self._compute(model, case)
        observed = case.observation.observed.items()
        return all(role not in values or x.matches(values[role]) for role, x in observed)

    def _compute(self, model: Model, case: ObservedCase) -> Mapping[str, int]:
        """Return the values of all results by their keys in the block."""
        values = {**self._block.constants, **case.observation.operands}
        for original, statement in zip(self._block.statements, self._statements, strict=True):
            is_changed = statement.number == self._number
            operands = _gather(original if is_changed else statement, values)
            if is_changed:
                flags = _gather(statement, values).items()
                names = statement.instruction.names
                operands |= {x: bits for x, bits in flags if names.get(x) == CARRY_REGISTER}
                plan = make_model_plan(original.instruction, model)
                before = {x.role for x in plan.sources} <= operands.keys()
                result = compute_results(plan, operands) if before else {}
                own = ObservedCase(Observation(operands, case.observation.observed), result)
                operands = dict(apply_to_operands(self._causes, own))
            plan = make_model_plan(statement.instruction, model)
            results: Bits = compute_results(plan, operands)
            if is_changed:
                results = apply_readings(self._causes, results)
            values |= {statement.make_place(role).key: x for role, x in results.items()}
        return values

    def _format_failure(self, models: Sequence[Model], case: ObservedCase) -> str:
        values = self._compute(models[0], case)
        outputs = {place.key: name for name, place in self._block.outputs.items()}
        results = [
            f"{outputs[role]} = {format_hex(values[role], self._block.type_of(role).bits)}"
            for role, x in case.observation.observed.items()
            if not x.matches(values[role])
        ]
        errata = self._list_errata(models[0])
        alone = [x for x in errata if not self._matches(Model("", (x,)), case)] or errata
        form = next(x for x in self._forms if any(y.touches(x) for y in alone))
        ids = ", ".join(x.id for x in alone)
        return f"ptxas {format_versions(models, form)} gives {', '.join(results)} instead ({ids})"


def _gather(statement: BlockStatement, values: Mapping[str, int]) -> dict[str, int]:
    """Return the operands of a statement that have values, by role."""
    if not statement.has_prefix:
        return dict(values)
    ins = statement.instruction
    keys = ((role, statement.find_place(role).key) for role in (*ins.names, *ins.constants))
    return {role: values[key] for role, key in keys if key in values}


def _mark_flags(statements: Sequence[BlockStatement]) -> list[BlockStatement]:
    """Mark subtractions that share a flag with an addition."""
    unmarked = list(_iter_unmarked(statements))
    marked = mark_mixed_flags([x.instruction for x in unmarked])
    return [x._replace(instruction=marked.get(i, x.instruction)) for i, x in enumerate(unmarked)]


def _iter_unmarked(statements: Sequence[BlockStatement]) -> Iterator[BlockStatement]:
    for x in statements:
        form = x.instruction.form
        if len(statements) > 1 and (form.is_carry_in_inverted or form.is_carry_out_inverted):
            form = form._replace(is_carry_in_inverted=False, is_carry_out_inverted=False)
            x = x._replace(instruction=replace(x.instruction, form=form))
        yield x
