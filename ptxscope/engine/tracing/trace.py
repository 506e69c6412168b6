"""A Trace: a Plan run on one set of operands, with everything that happened kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import Any, Protocol

from ..records import FrozenDict, NamedTuple, Record
from ..semantics.arithmetic import EXACT, LaneValues
from ..semantics.errata import Erratum
from ..semantics.micro_operation import Flag, MicroOperation
from ..semantics.models import Model
from ..semantics.plan import Plan, Row, Stage
from ..semantics.plan_execution import compute_results, run_plan
from ..semantics.rules import Rules
from ..syntax.instruction import Instruction
from ..syntax.parser import read
from .annotations import NOTHING, Annotations
from .evaluation import (
    Scalar,
    abbreviate_value,
    bind_values,
    check_names,
    check_read,
    make_plan,
    resolve_model,
)


class LaneTrace(NamedTuple):
    """One lane of a row."""

    value: int
    flags: tuple[Flag, ...]


class RowTrace(NamedTuple):
    """A row of the plan and what it yielded; lane 0 first."""

    row: Row
    lanes: tuple[LaneTrace, ...]
    inputs: tuple[LaneValues, ...]
    """The lane values of each input."""
    values: LaneValues
    """The lanes' values."""

    @property
    def key(self) -> str:
        """Unique in a trace, and the same in every model."""
        return self.row.key

    @property
    def stage(self) -> Stage:
        """The stage that it is of."""
        return self.row.stage

    @property
    def name(self) -> str:
        """The part of the key behind the stage: ``a``, ``t``, ``d``."""
        return self.row.name

    @property
    def micro(self) -> MicroOperation:
        """What was computed."""
        return self.row.micro

    @property
    def input_keys(self) -> tuple[str, ...]:
        """Where each input came from: keys of earlier rows, or operand roles."""
        return self.row.inputs


class Step(NamedTuple):
    """What a reader steps through: the rows of one stage."""

    number: int
    """From 1."""
    stage: Stage
    rows: tuple[RowTrace, ...]

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Every flag of its lanes, once."""
        seen = (flag for row in self.rows for lane in row.lanes for flag in lane.flags)
        return tuple(dict.fromkeys(seen))


class Drawn(Protocol):
    """A picture of a trace."""

    @property
    def svg(self) -> str:
        """The picture."""

    @property
    def html(self) -> str:
        """The picture as HTML shows it."""

    @property
    def alt(self) -> str:
        """What it says, in words."""


class Trace(Record):
    """An instruction's evaluation under one model."""

    instruction: Instruction
    model: Model
    operands: Mapping[str, int]
    """Bits by role: a, b, c, guard, and d, p, q where a guard may keep the old value."""
    annotations: Annotations = NOTHING
    """What a writer added."""

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a notebook shows."""
        return {mime: show(self) for mime, show in DISPLAY_HOOKS.items() if "/" in mime}

    def _repr_html_(self) -> str | None:
        """What an older notebook shows."""
        return DISPLAY_HOOKS["text/html"](self) if "text/html" in DISPLAY_HOOKS else None

    def figure(
        self,
        *,
        title: str = "",
        caption: str = "",
        notes: str | Iterable[str] | Mapping[str, str] = (),
        steps: str | int | Iterable[str | int] = "",
        until: str | int = "",
        both: bool = False,
        result: bool = True,
        **more: object,
    ) -> Drawn:
        """A picture that shows itself in notebooks, as ``ptxscope trace -f svg`` draws it.

        ``notes`` are by what they are on: ``{"saturate": "…", "lane 2": "…"}``, or as
        ``["saturate=…"]``; ``steps`` are ``"2-4"`` or ``[1, 2]``, ``until`` a step's name or
        number; ``more`` are other choices of ``ptxscope.export.options.Options``. Raises
        ValueError for what the trace does not have, and TypeError for a choice that there is not.
        """
        if "figure" not in DISPLAY_HOOKS:
            raise RuntimeError("nothing draws yet: import ptxscope, which sees to that")
        drawn: Drawn = DISPLAY_HOOKS["figure"](
            self,
            title=title,
            caption=caption,
            notes=notes,
            steps=steps,
            until=until,
            result=result,
            both=both,
            **more,
        )
        return drawn

    def __rich_console__(self, *_: object) -> Iterator[Any]:
        """What Rich prints."""
        yield DISPLAY_HOOKS["rich"](self) if "rich" in DISPLAY_HOOKS else repr(self)

    @cached_property
    def plan(self) -> Plan:
        """What was computed."""
        return make_plan(self.instruction, self.model.make_rules(self.instruction.form))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What happened, stage by stage. The last step's values are the result."""
        values = run_plan(self.plan, self.operands)
        return tuple(
            Step(step.number, step.stage, tuple(_make_row_trace(row, values) for row in step.rows))
            for step in self.plan.steps
        )

    @cached_property
    def rows(self) -> Mapping[str, RowTrace]:
        """Every row by key."""
        return FrozenDict((row.key, row) for step in self.steps for row in step.rows)

    @cached_property
    def result(self) -> Mapping[str, int]:
        """The destinations' bits by name."""
        keys = {written.role: written.key for written in self.plan.results}
        return FrozenDict(
            (name, self.rows[keys[role]].lanes[0].value)
            for role, name in self.instruction.results.items()
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is worth a word about the instruction, and about this evaluation of it."""
        ins = self.instruction
        known = ins.notes
        if ins.constants:
            from .folding_bugs import describe_folding  # few lines have constants

            known = tuple(dict.fromkeys((*known, *describe_folding(ins))))
        return (*known, *_iter_notes(self), *self.contradictions)

    @cached_property
    def contradictions(self) -> tuple[str, ...]:
        """Where the manual contradicts itself about this form; the last of the notes."""
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
        """The model's errata that act; none where they leave the documented result."""
        return (
            self.active_errata
            if self._compute_with_errata(*self._active) != self._compute_with_errata()
            else ()
        )

    @cached_property
    def active_errata(self) -> tuple[Erratum, ...]:
        """The fewest of the model's errata that make the result.

        Where they leave the documented one, those without which, or by which alone, it is another.
        """
        active, of = self._active, self._compute_with_errata
        documented, found = of(), of(*active)
        if found == documented:
            return tuple(
                e
                for e in active
                if of(e) != documented or of(*(x for x in active if x is not e)) != documented
            )
        return next(few for few in iter_subsets(active) if of(*few) == found)

    @property
    def _active(self) -> tuple[Erratum, ...]:
        return tuple(e for e in self.model.errata if e.touches(self.instruction.form))

    def _compute_with_errata(self, *errata: Erratum) -> dict[str, int]:
        """What some errata make of the values."""
        ins = self.instruction
        return compute_results(
            make_plan(ins, Model("", errata).make_rules(ins.form)), self.operands
        )


def iter_subsets(errata: Sequence[Erratum]) -> Iterator[tuple[Erratum, ...]]:
    """Some of the errata in every way: one alone first, all together last."""
    sizes = (combinations(errata, size) for size in range(1, len(errata) + 1))
    return chain.from_iterable(sizes)


DISPLAY_HOOKS: dict[str, Callable[..., Any]] = {}
"""How a trace shows itself: by MIME type, as ``rich``, as a ``figure``.

``ptxscope.notebook`` fills it in.
"""


def trace(
    instruction: str | Instruction,
    values: Mapping[str, Scalar],
    *,
    model: str | Model = "isa",
) -> Trace:
    """Trace an instruction on values by operand name, as ``evaluate`` takes them but for arrays.

    Raises PtxError, and ValueError that names the operand.
    """
    ins = read(instruction)
    check_names(ins, values)
    model_, operands = resolve_model(model), bind_values(ins, values)
    check_read(ins, model_, operands)
    return Trace(ins, model_, operands)


def replay(trace_: Trace) -> dict[str, int]:
    """Run every row again on the inputs that the trace recorded for it.

    Raises ValueError where a row's recorded values do not follow; returns the result by
    name.
    """
    if not isinstance(trace_, Trace):
        raise TypeError(f"{abbreviate_value(trace_)} is no Trace; ptxscope.trace(…) returns one")
    recorded: dict[str, LaneValues] = {role: (bits,) for role, bits in trace_.operands.items()}
    for row in trace_.rows.values():
        inputs = tuple(recorded[key] for key in row.input_keys)
        if inputs != row.inputs or row.micro.run(EXACT, *inputs) != row.values:
            raise ValueError(f"row {row.key} does not follow from its inputs")
        recorded[row.key] = row.values
    keys = {written.role: written.key for written in trace_.plan.results}
    return {name: recorded[keys[role]][0] for role, name in trace_.instruction.results.items()}


def _make_row_trace(row: Row, values: Mapping[str, LaneValues]) -> RowTrace:
    inputs = tuple(values[key] for key in row.inputs)
    lanes = (
        LaneTrace(value, tuple(row.micro.find_lane_flags(lane, inputs, value)))
        for lane, value in enumerate(values[row.key])
    )
    return RowTrace(row, tuple(lanes), inputs, values[row.key])


def _iter_notes(trace_: Trace) -> Iterator[str]:
    ins = trace_.instruction
    if trace_.model.errata:
        return
    declared = make_plan(ins, Rules(declared_widths=True))
    if declared != trace_.plan:
        narrow = compute_results(declared, trace_.operands)["d"]
        if narrow != compute_results(trace_.plan, trace_.operands)["d"]:
            yield (
                "the widths that the manual's pseudo-code declares (.s34, .s33) would matter "
                f"here: wrapping to them gives {narrow:#010x}"
            )
