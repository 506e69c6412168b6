"""Plans: the semantics of a form as a straight line of rows over lane vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

from ..isa.encodings import Range, get_limits
from ..isa.types import Form, Fusion, Type
from ..micro_operations.arithmetic import EXACT, RANGES, LaneValues
from ..micro_operations.base import MicroOperation
from ..micro_operations.properties import Stage
from ..micro_operations.selection import Extend, Truncate
from .rules import Rules

_ORDER = {stage: order for order, stage in enumerate(Stage)}


class Row(NamedTuple):
    """One micro-operation applied to lane vectors."""

    key: str
    """The row's name: unique in a plan, the same in every model; ``select.a``, ``operate.t``."""
    stage: Stage
    micro: MicroOperation
    inputs: tuple[str, ...]
    """Keys of earlier rows, or operand roles: a, b, c, guard, d, p, q."""
    lanes: int
    range: Range
    """A range that contains every possible value."""

    @property
    def name(self) -> str:
        """The part of the key after the stage: ``a``, ``t``, ``d``."""
        return self.key.rpartition(".")[2]

    @property
    def operation(self) -> str:
        """The kind of micro-operation: ``absolute difference``."""
        return self.micro.operation

    @property
    def is_signed(self) -> bool:
        """Whether values can be negative."""
        return self.range.low < 0

    @property
    def bits(self) -> int:
        """The width in bits of the smallest integer type for all values."""
        return self.range.bits


class Source(NamedTuple):
    """An operand that a plan reads."""

    role: str
    type: Type


class Result(NamedTuple):
    """A destination of a plan, and the row of its bits."""

    role: str
    type: Type
    key: str


class Plan(NamedTuple):
    """The computation of an instruction under some rules."""

    form: Form | None
    """The form that was lowered; None for the joined plans of a block."""
    sources: tuple[Source, ...]
    rows: tuple[Row, ...]
    results: tuple[Result, ...]

    @property
    def stages(self) -> dict[Stage, tuple[Row, ...]]:
        """The rows of each stage, in order; users see a stage as a step."""
        return {stage: tuple(rows) for stage, rows in groupby(self.rows, lambda row: row.stage)}


class Builder:
    """Collects the rows of a plan, and tracks their ranges and lane counts."""

    def __init__(self, types: dict[str, Type], fusions: Iterable[Fusion] = ()) -> None:
        self.types = types
        self.fusions = {x.role: x for x in fusions}
        self.rows: dict[str, Row] = {}
        self.sources: dict[str, Source] = {}

    def add_row(self, stage: Stage, name: str, micro: MicroOperation, *inputs: str) -> str:
        """Append a row and return its key."""
        ranges = [self.get_range(key) for key in inputs]
        row = Row(
            f"{stage}.{name}",
            stage,
            micro,
            inputs,
            micro.count_output_lanes(self.rows[inputs[0]].lanes if inputs[0] in self.rows else 1),
            micro.run(RANGES, *ranges),
        )
        assert row.key not in self.rows, row.key
        self.rows[row.key] = row
        return row.key

    def get_range(self, key: str) -> Range:
        """Return the range of an earlier row, or of an operand, and mark the operand as read."""
        if key in self.rows:
            return self.rows[key].range
        self.sources.setdefault(key, Source(key, self.types[key]))
        return get_limits(self.types[key].bits, signed=False)

    def extend(self, stage: Stage, name: str, key: str, bits: int, signed: bool) -> str:
        """Append a row that reads a bit pattern as a number; a fused one is an exact result."""
        fusion = self.fusions.get(key)
        number = self.add_row(stage, name, Extend(bits, signed), self.read_bytes(key))
        if fusion is None or fusion.least is None:
            return number
        from ..micro_operations.saturation import Wrap

        return self.add_row(stage, f"{name}.exact", Wrap(bits, signed, fusion.least), number)

    def read_bytes(self, key: str) -> str:
        """Return an operand, after a row that clears the bytes that are taken for 0 (E20)."""
        fusion = self.fusions.get(key)
        if fusion is None or not fusion.cleared:
            return key
        from ..micro_operations.bitwise import ClearBits

        bits = self.types[key].bits
        mask = sum(255 << 8 * x for x in range(bits // 8) if x not in fusion.cleared)
        return self.add_row(Stage.SELECT, key, ClearBits(bits, mask), key)

    def wrap(self, stage: Stage, name: str, key: str, bits: int, signed: bool) -> str:
        """Append a row that truncates to a width, unless every value fits."""
        if self.get_range(key).fits_in(bits, signed):
            return key
        from ..micro_operations.saturation import Wrap  # loaded late: few forms truncate or clamp

        return self.add_row(stage, name, Wrap(bits, signed), key)

    def clamp(
        self,
        key: str,
        low: int | None,
        high: int | None,
        stage: Stage = Stage.SATURATE,
        name: str = "t",
    ) -> str:
        """Append a row that clamps to limits; None is no limit."""
        from ..micro_operations.saturation import Clamp

        return self.add_row(stage, name, Clamp(low, high), key)

    def write_result(self, key: str, signed: bool | None = None, role: str = "d") -> dict[str, str]:
        """Append a row that writes the low bits of a number; return it by the destination's role.

        By default, the destination is signed if the number can be negative.
        """
        if signed is None:
            signed = self.get_range(key).low < 0
        return {role: self.add_row(Stage.WRITE, role, Truncate(self.types[role].bits, signed), key)}

    def build_plan(self, form: Form, results: dict[str, str]) -> Plan:
        """Return the collected rows, sorted by stage, as a Plan."""
        rows = sorted(self.rows.values(), key=lambda row: _ORDER[row.stage])
        plan_results = (Result(role, self.types[role], key) for role, key in results.items())
        return Plan(form, tuple(self.sources.values()), tuple(rows), tuple(plan_results))


Lowering = Callable[[Builder, Form, Rules], dict[str, str]]
"""Adds the rows of a form under some rules, and returns the row of each destination."""


def run_plan(plan: Plan, operands: Mapping[str, int]) -> dict[str, LaneValues]:
    """Return the lane values of every row by key, lane 0 first.

    ``operands`` are unsigned bits by role.
    """
    values: dict[str, LaneValues] = {
        source.role: (operands[source.role],) for source in plan.sources
    }
    for row in plan.rows:
        values[row.key] = row.micro.run(EXACT, *(values[key] for key in row.inputs))
    return values


def compute_results(plan: Plan, operands: Mapping[str, int]) -> dict[str, int]:
    """Return the bits of the destinations by role: d, or p and q."""
    values = run_plan(plan, operands)
    return {result.role: values[result.key][0] for result in plan.results}
