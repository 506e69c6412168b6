"""The evaluation of a basic block: a trace of each statement, and provenance across them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ..isa.value_text import format_registers
from ..micro_operations.properties import MAX_LANE_BITS
from ..records import FrozenDict, NamedTuple, Record, replace
from ..semantics.models import Model
from ..semantics.plan import Plan
from ..tracing.annotations import NOTHING, Annotations
from ..tracing.evaluation import (
    Scalar,
    check_names,
    check_read,
    evaluate_plan,
    resolve_model,
)
from ..tracing.operand_bits import bind_values
from ..tracing.provenance import find_provenance, format_origins
from ..tracing.trace import Drawn, RowTrace, Step, Trace, draw_figure, make_mime_bundle
from .basic_block import BasicBlock, BlockStatement, ValuePlace
from .block_parser import parse_block

if TYPE_CHECKING:
    from ..tracing.evaluation import Given, Outputs, Value


class BlockStep(NamedTuple):
    """A step of a block: a step of one of its statements."""

    number: int
    """From 1, through all statements."""
    statement: int
    """The number of the statement, from 1."""
    step: Step


class BlockTrace(Record):
    """The evaluation of a basic block under one model."""

    block: BasicBlock
    model: Model
    operands: Mapping[str, int]
    """The bits of the given registers and of the literals, by role."""
    annotations: Annotations = NOTHING
    """The title, the caption, and notes that name their statement."""

    def __repr__(self) -> str:
        given = format_registers(
            (x.name, self.operands[x.roles[0]], x.type) for x in self.block.inputs
        )
        results = format_registers(
            (name, self.result[name], self.block.type_of(role))
            for role, name in self.block.results.items()
        )
        return f"<BlockTrace of {self.block} under {self.model.name}: {given} -> {results}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return the representations for a notebook."""
        return make_mime_bundle(self)

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
        **more: object,
    ) -> Drawn:
        """Return a picture that notebooks display, as ``Trace.figure`` does.

        Steps are numbered through all statements, or named with one: ``"s2.saturate"``. ``fold``
        shows statements without their steps: ``"1-2"``, ``"all"`` or ``"but-last"``.
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
            **more,
        )

    @cached_property
    def plan(self) -> Plan:
        """The joined plan."""
        return self.block.make_plan(self.model)

    @cached_property
    def parts(self) -> tuple[Trace, ...]:
        """The trace of each statement, on the results of those before it."""
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
            annotations = Annotations(notes=tuple(x._replace(statement=0) for x in notes))
            part = Trace(ins, self.model, bind_values(ins, bits), annotations)
            parts.append(part)
            for role, _, key in part.plan.results:
                values[ValuePlace(statement.number, role).key] = part.rows[key].values[0]
        return tuple(parts)

    @cached_property
    def rows(self) -> Mapping[str, RowTrace]:
        """The rows of all statements by key: ``s2.write.d``."""
        part_rows = (row for part in self.parts for row in part.rows.values())
        pairs = zip(self.plan.rows, part_rows, strict=True)
        return FrozenDict((row.key, part._replace(row=row)) for row, part in pairs)

    @cached_property
    def steps(self) -> tuple[BlockStep, ...]:
        """The steps of all statements, numbered through."""
        steps = (
            (statement.number, step) for statement, part in self.statements for step in part.steps
        )
        return tuple(BlockStep(number, *step) for number, step in enumerate(steps, 1))

    @property
    def statements(self) -> Iterator[tuple[BlockStatement, Trace]]:
        """The statements with their traces."""
        return zip(self.block.statements, self.parts, strict=True)

    @cached_property
    def result_by_role(self) -> Mapping[str, int]:
        """The bits of the results by role: ``s2.d``."""
        return FrozenDict((x.role, self.rows[x.key].values[0]) for x in self.plan.results)

    @cached_property
    def result(self) -> Mapping[str, int]:
        """The bits of the results by name."""
        bits = self.result_by_role
        return FrozenDict((name, bits[role]) for role, name in self.block.results.items())

    def with_model(self, model: Model) -> BlockTrace:
        """Return the trace of the same block and operands under a model, without annotations."""
        return self if model == self.model else BlockTrace(self.block, model, self.operands)

    def with_annotations(self, annotations: Annotations) -> BlockTrace:
        """Return this trace with other annotations."""
        return replace(self, annotations=annotations)


def trace_block(
    block: str | BasicBlock, values: Mapping[str, Scalar], *, model: str | Model = "isa"
) -> BlockTrace:
    """Trace a block on values by register name, as ``trace`` does one instruction.

    The values are those of the registers that the block reads before it writes them. Raise PtxError
    if the block is invalid, and ValueError if a value is; the message names the register.
    """
    block = read_block(block)
    check_names(block, values)
    trace = BlockTrace(block, resolve_model(model), bind_values(block, values))
    check_read(block, trace.plan, trace.model, trace.operands)
    return trace


def evaluate_block(
    block: str | BasicBlock,
    values: Mapping[str, Given],
    *,
    model: str | Model = "isa",
    out: Outputs | None = None,
    engine: str = "numpy",
) -> dict[str, Value]:
    """Return the bits of a block's results by name, for integers or arrays, as ``evaluate`` does.

    All statements are one plan, so arrays pass once. Raise PtxError if the block is invalid, and
    ValueError if a value is.
    """
    block = read_block(block)
    return evaluate_plan(block, block.make_plan, values, model=model, out=out, engine=engine)


def describe_origins(
    trace: BlockTrace, key: str, lane: int, low: int = 0, high: int = MAX_LANE_BITS
) -> str:
    """Return the bits of the given registers behind bits of a row: ``a bits 15:8 and b bit 0``.

    ``key`` is the row's in the joined plan, such as ``s2.write.d``.
    """
    origins = find_provenance(trace, key, lane, low, high)
    return format_origins(origins, trace.block.names) or "no register"


def read_block(block: str | BasicBlock) -> BasicBlock:
    """Return the block, or parse a text; raise PtxError if it is invalid."""
    return block if isinstance(block, BasicBlock) else parse_block(block)
