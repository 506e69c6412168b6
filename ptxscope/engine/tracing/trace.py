"""Trace: a plan run on one set of operands, with every intermediate value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple, Unpack

from ..isa.encodings import decode_float, format_registers, get_limits
from ..micro_operations.arithmetic import EXACT, LaneValues
from ..micro_operations.base import Copy, RowTrace
from ..micro_operations.properties import Flag, Stage
from ..records import FrozenDict, FrozenRecord
from ..semantics.models import ISA_MODEL, Model
from ..semantics.plan import Plan, compute_results, run_plan
from ..semantics.rules import Erratum, Rules
from ..syntax.instruction import Instruction
from ..syntax.parser import read_instruction
from .annotations import NOTHING, Annotations, Note
from .basic_block import BasicBlock, BlockStatement, make_block
from .display import DISPLAY_HOOKS, FigureOptions, TraceFigure, draw_figure
from .evaluation import Scalar, check_names, check_read, make_plan, merge_values, resolve_model
from .operand_bits import abbreviate_value, bind_values, is_carry_missing


class StepPlace(NamedTuple):
    """The place of a step, the same in every model."""

    statement: int
    """The number of the statement, from 1."""
    stage: Stage


class Step(NamedTuple):
    """One step of the explanation: the rows of one stage of a statement."""

    number: int
    """From 1, through all statements."""
    stage: Stage
    rows: tuple[RowTrace, ...]
    """With their keys in the trace of the statement."""
    statement: int = 1
    """The number of the statement, from 1."""

    def __repr__(self) -> str:
        rows = ", ".join(f"{row.name} = {row.format_values()}" for row in self.rows)
        return f"<Step {self.number} {self.stage}: {rows}>"

    @property
    def place(self) -> StepPlace:
        """Its statement and stage."""
        return StepPlace(self.statement, self.stage)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags of the step's lanes, without duplicates."""
        flags = (flag for row in self.rows for flags in row.flags for flag in flags)
        return tuple(dict.fromkeys(flags))


@dataclass(frozen=True)
class Trace(FrozenRecord):
    """The evaluation of one or more statements under one model.

    One instruction has the roles and row keys of its plan. In any other block they begin with the
    statement: ``s2.saturate.t``.
    """

    block: BasicBlock
    model: Model
    operands: Mapping[str, int]
    """The bits of the input registers and of the literals, by role of the block.

    For an instruction: a, b, c, guard, and d, p, q if a guard may keep the old value.
    """
    annotations: Annotations = NOTHING
    """The title, caption and notes; in a block, a note names its statement."""

    @cached_property
    def instruction(self) -> Instruction:
        """The only instruction; raise ValueError if there are several."""
        return self.block.instruction

    def __repr__(self) -> str:
        block = self.block
        operands = format_registers(
            (x.name, self.operands[x.roles[0]], x.type) for x in block.inputs
        )
        results = format_registers(
            (name, self.result[name], block.type_of(role)) for role, name in block.results.items()
        )
        return f"<Trace of {block} under {self.model.name}: {operands} -> {results}>"

    def __str__(self) -> str:
        show = DISPLAY_HOOKS.get("text/plain", repr)
        return str(show(self))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return the representations for a notebook."""
        return {mime: show(self) for mime, show in DISPLAY_HOOKS.items() if "/" in mime}

    def _repr_html_(self) -> str | None:
        """Return the HTML for older notebooks."""
        return DISPLAY_HOOKS["text/html"](self) if "text/html" in DISPLAY_HOOKS else None

    def figure(
        self,
        *,
        title: str = "",
        caption: str = "",
        notes: str | Iterable[str] | Mapping[str, str] = (),
        steps: str | int | Iterable[str | int] = "",
        until: str | int = "",
        fold: str = "",
        both: bool = False,
        result: bool = True,
        beside: Trace | None = None,
        **more: Unpack[FigureOptions],
    ) -> TraceFigure:
        """Return a picture that notebooks display, drawn like ``ptxscope trace -f svg``.

        ``notes`` maps steps and lanes to texts, ``{"saturate": "…", "lane 2": "…"}``, or lists
        ``["saturate=…"]``. ``steps`` is ``"2-4"`` or ``[1, 2]``; ``until`` is a step's name or
        number, through all statements, or ``"s2.saturate"``. ``fold`` shows statements without
        their steps: ``"1-2"``, ``"all"`` or ``"but-last"``.

        Raise ValueError if the trace lacks a step or lane, and TypeError for an unknown option.
        """
        return draw_figure(
            self,
            title=title,
            caption=caption,
            notes=notes,
            steps=steps,
            until=until,
            fold=fold,
            result=result,
            both=both,
            beside=beside,
            **more,
        )

    def __rich_console__(self, *_: object) -> Iterator[Any]:
        """Yield the renderable for Rich."""
        yield DISPLAY_HOOKS["rich"](self) if "rich" in DISPLAY_HOOKS else repr(self)

    @cached_property
    def _siblings(self) -> dict[Model, Trace]:
        """The traces returned by ``with_model``, which share this dict."""
        return {} if self.annotations != NOTHING else {self.model: self}

    def with_model(self, model: Model) -> Trace:
        """Return the trace of the same instruction and operands under a model, without annotations.

        Each is computed once.
        """
        if model not in self._siblings:
            sibling = self._siblings[model] = Trace(self.block, model, self.operands)
            sibling.__dict__["_siblings"] = self._siblings
        return self._siblings[model]

    def with_annotations(self, annotations: Annotations) -> Trace:
        """Return this trace with other annotations."""
        annotated = replace(self, annotations=annotations)
        annotated.__dict__["_siblings"] = self._siblings
        return annotated

    @cached_property
    def plan(self) -> Plan:
        """The plan that was run."""
        return self.block.make_plan(self.model)

    @cached_property
    def parts(self) -> tuple[Trace, ...]:
        """The traces of single statements, each on the results of the earlier ones."""
        if self.block.is_line:
            return (self,)
        values: dict[str, int] = dict(self.operands)
        parts: list[Trace] = []
        for statement in self.block.statements:
            ins = statement.instruction
            bits = {
                ins.names[role]: values[place.key]
                for role, place in statement.reads.items()
                if place.key in values
            }
            notes = (x for x in self.annotations.notes if x.statement == statement.number)
            annotations = Annotations(notes=tuple(x._replace(statement=1) for x in notes))
            part = make_trace(ins, self.model, bind_values(ins, bits), annotations)
            parts.append(part)
            for role, _, key in part.plan.results:
                values[statement.prefix + role] = part.rows[key].values[0]
        return tuple(parts)

    def format_target(self, note: Note) -> str:
        """Return the target of a note, in ``parse_note``'s syntax: ``saturate``, ``s2.lane 0``."""
        prefixes = {x.number: x.prefix for x in self.block.statements}
        return prefixes.get(note.statement, "") + note.target

    @property
    def statements(self) -> Iterator[tuple[BlockStatement, Trace]]:
        """The statements with their traces."""
        return zip(self.block.statements, self.parts, strict=True)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps, one for each stage of each statement, with consecutive numbers.

        The last step's values are the result of an instruction.
        """
        if (sibling := self.with_model(self.model)) is not self:
            return sibling.steps
        for sibling in self._siblings.values():
            if "steps" in sibling.__dict__ and sibling.plan == self.plan:
                return sibling.steps
        if not self.block.is_line:
            own_steps = ((x.number, step) for x, part in self.statements for step in part.steps)
            return tuple(
                step._replace(number=number, statement=statement)
                for number, (statement, step) in enumerate(own_steps, 1)
            )
        stages, rows = self.plan.stages.items(), self._make_rows()
        return tuple(
            Step(number, stage, tuple(rows[row.key] for row in stage_rows))
            for number, (stage, stage_rows) in enumerate(stages, 1)
        )

    def _make_rows(self) -> dict[str, RowTrace]:
        """Return the operands and the rows of an instruction by role or key."""
        ins, values = self.instruction, run_plan(self.plan, self.operands)
        rows: dict[str, RowTrace] = {}
        for role, type_ in self.plan.sources:
            limits = get_limits(type_.bits, signed=False)
            rows[role] = RowTrace(ins, role, Copy(), (), values[role], limits)
        for key, stage, micro, inputs, _, range_ in self.plan.rows:
            input_values = tuple(values[x] for x in inputs)
            flags = tuple(
                tuple(micro.find_lane_flags(lane, input_values, value))
                for lane, value in enumerate(values[key])
            )
            sources = tuple(rows[x] for x in inputs)
            rows[key] = RowTrace(ins, key, micro, sources, values[key], range_, flags, stage)
        return rows

    @cached_property
    def rows(self) -> Mapping[str, RowTrace]:
        """The rows by key; in a block the key has its statement: ``s2.write.d``."""
        rows: dict[str, RowTrace] = {}
        for row, x in zip(self.plan.rows, (x for s in self.steps for x in s.rows), strict=True):
            if x.key != row.key:
                sources = zip(row.inputs, x.inputs, strict=True)
                inputs = tuple(rows.get(key) or y._replace(key=key) for key, y in sources)
                x = x._replace(key=row.key, inputs=inputs)
            rows[row.key] = x
        return FrozenDict(rows)

    @cached_property
    def result_by_role(self) -> Mapping[str, int]:
        """The bits of the results by role: ``d``, or ``s2.d``."""
        return FrozenDict((x.role, self.rows[x.key].values[0]) for x in self.plan.results)

    @cached_property
    def result(self) -> Mapping[str, int]:
        """The destinations' bits by name."""
        bits = self.result_by_role
        return FrozenDict((name, bits[role]) for role, name in self.block.results.items())

    @cached_property
    def floats(self) -> Mapping[str, float]:
        """The numbers in the destinations of a float type, by name."""
        types = {name: self.block.type_of(role) for role, name in self.block.results.items()}
        return FrozenDict(
            (name, decode_float(self.result[name], type_))
            for name, type_ in types.items()
            if type_.is_float
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the block, on its instructions and on this evaluation."""
        own_notes = (note for part in self.parts for note in _iter_notes(part))
        return (*self.block.notes, *dict.fromkeys(own_notes))

    @cached_property
    def contradictions(self) -> tuple[str, ...]:
        """Contradictions in the manual about this form; the last of the notes."""
        if self.model.errata:
            return ()
        form = self.instruction.form
        return tuple(x.text for x in self.instruction.entry.contradictions if x.applies_to(form))

    @cached_property
    def errata(self) -> tuple[str, ...]:
        """The ids of the model's errata that changed this result."""
        return tuple(erratum.id for erratum in self.changed_by)

    @cached_property
    def changed_by(self) -> tuple[Erratum, ...]:
        """The model's errata that changed the result; empty if it is the documented one."""
        is_changed = self.result != self.with_model(ISA_MODEL).result
        return self.active_errata if is_changed else ()

    @cached_property
    def active_errata(self) -> tuple[Erratum, ...]:
        """The smallest set of the model's errata with the result.

        If the result is as documented, the errata whose removal, or whose presence alone, would
        change it.
        """
        forms = [x.instruction.form for x in self.block.statements]
        touching = tuple(e for e in self.model.errata if any(map(e.touches, forms)))

        def compute(*errata: Erratum) -> Mapping[str, int]:
            return self.with_model(Model("", errata)).result

        if self.result == self.with_model(ISA_MODEL).result:
            return tuple(
                e
                for e in touching
                if compute(e) != self.result
                or compute(*(x for x in touching if x is not e)) != self.result
            )
        return next(x for x in iter_subsets(touching) if compute(*x) == self.result)


def make_trace(
    ins: Instruction, model: Model, operands: Mapping[str, int], annotations: Annotations = NOTHING
) -> Trace:
    """Return the trace of one instruction."""
    return Trace(make_block(ins), model, operands, annotations)


def iter_subsets(errata: Sequence[Erratum]) -> Iterator[tuple[Erratum, ...]]:
    """Yield the non-empty subsets of the errata, smallest first."""
    sizes = (combinations(errata, size) for size in range(1, len(errata) + 1))
    return chain.from_iterable(sizes)


def trace(
    instruction: str | Instruction,
    values: Mapping[str, Scalar] = FrozenDict(),
    *,
    model: str | Model = "isa",
    **named: Scalar,
) -> Trace:
    """Trace an instruction on values by operand name, as in ``evaluate`` but without arrays.

    Raise PtxError if the instruction is invalid, and ValueError if a value is; the message names
    the operand.
    """
    block = make_block(read_instruction(instruction))
    return trace_program(block, merge_values(values, named), model=model)


def trace_program(
    block: BasicBlock, values: Mapping[str, Scalar], *, model: str | Model = "isa"
) -> Trace:
    """Trace statements on values by register name; raise ValueError as ``trace`` does."""
    completed_values = check_names(block, values)
    if is_carry_missing(block, values):
        block = replace(block, notes=(*block.notes, _CARRY_NOTE))
    trace_ = Trace(block, resolve_model(model), bind_values(block, completed_values))
    check_read(block, trace_.plan, trace_.model, trace_.operands)
    return trace_


_CARRY_NOTE = (
    "CC.CF is the carry that an earlier instruction wrote; it is 0 here, unless CC.CF=1 is given"
)


def replay(trace_: Trace) -> dict[str, int]:
    """Run every row again on its recorded inputs and return the result by name.

    Raise ValueError if a row's recorded values do not follow from its inputs.
    """
    if not isinstance(trace_, Trace):
        raise TypeError(f"{abbreviate_value(trace_)} is not a Trace; ptxscope.trace(…) returns one")
    recorded: dict[str, LaneValues] = {role: (bits,) for role, bits in trace_.operands.items()}
    for row in trace_.rows.values():
        inputs = tuple(recorded[key] for key in row.input_keys)
        if inputs != row.input_values or row.micro.run(EXACT, *inputs) != row.values:
            raise ValueError(f"row {row.key} does not follow from its inputs")
        recorded[row.key] = row.values
    keys = {destination.role: destination.key for destination in trace_.plan.results}
    return {name: recorded[keys[role]][0] for role, name in trace_.block.results.items()}


def _iter_notes(trace_: Trace) -> Iterator[str]:
    """Yield the remarks on an instruction and on its evaluation."""
    yield from trace_.instruction.notes
    if trace_.instruction.constants:
        from .folding_bugs import describe_folding  # loaded late: few lines have constants

        yield from describe_folding(trace_.instruction)
    yield from _iter_width_notes(trace_)
    yield from trace_.contradictions


def _iter_width_notes(trace_: Trace) -> Iterator[str]:
    ins = trace_.instruction
    if trace_.model.errata:
        return
    declared_plan = make_plan(ins, Rules(declared_widths=True))
    if declared_plan != trace_.plan:
        declared_bits = compute_results(declared_plan, trace_.operands)["d"]
        if declared_bits != trace_.result[ins.results["d"]]:
            yield (
                "the widths that the manual's pseudo-code declares (.s34, .s33) would matter "
                f"here: wrapping to them gives {declared_bits:#010x}"
            )
