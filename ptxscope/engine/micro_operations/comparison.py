"""The comparison, of exact numbers, integers and floats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..isa.encodings import format_hex, format_value, get_infinity, get_magnitude_mask
from ..isa.types import Cmp, Type
from .arithmetic import EXACT, Arithmetic, V, get_lane
from .base import LaneView, MicroOperation, RowTrace, find_row
from .properties import Flag, LaneText, Stage, format_short_name, make_equation, name_operands
from .selection import describe_reading

if TYPE_CHECKING:
    from .drawings import ComparisonLine, VerdictCell

UNORDERED = frozenset((Cmp.EQU, Cmp.NEU, Cmp.LTU, Cmp.LEU, Cmp.GTU, Cmp.GEU))
RELATIONS = {
    Cmp.LO: Cmp.LT,
    Cmp.LS: Cmp.LE,
    Cmp.HI: Cmp.GT,
    Cmp.HS: Cmp.GE,
    **{cmp: Cmp(cmp[:-1]) for cmp in UNORDERED},
}
"""The simple comparison behind an unsigned or unordered one."""
RELATION_SIGNS = {Cmp.EQ: "==", Cmp.NE: "!=", Cmp.LT: "<", Cmp.LE: "<=", Cmp.GT: ">", Cmp.GE: ">="}


@dataclass(frozen=True)
class Compare(MicroOperation):
    """1 if the comparison holds, else 0.

    With a type, the inputs are its bit patterns; without one, they are integers. A single input is
    compared with zero. Unordered comparisons hold if an input is NaN.
    """

    cmp: Cmp
    type: Type | None = None
    about = "as exact numbers whatever their types"
    flag_text = "an operand is NaN"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        if self.type is None:
            return _compare_ordered(self.cmp, ar, *v)
        if not self.type.is_float:
            numbers = [ar.cast(x, self.type.bits, self.type.signed) for x in v]
            return _compare_ordered(self.cmp, ar, *numbers)
        nan = _is_any_nan(ar, v, self.type)
        if self.cmp is Cmp.NAN:
            return nan
        if self.cmp is Cmp.NUM:
            return ar.equal(nan, 0)
        holds = _compare_ordered(self.cmp, ar, *(_order_float(ar, x, self.type) for x in v))
        if self.cmp in UNORDERED:
            return ar.maximum(holds, nan)
        return ar.minimum(holds, ar.equal(nan, 0))

    def compute_flags(self, ar: Arithmetic[V], value: V, *v: V) -> Iterable[tuple[Flag, V]]:
        if self.type is not None and self.type.is_float:
            yield Flag.NAN, _is_any_nan(ar, v, self.type)

    @property
    def is_nan_test(self) -> bool:
        return self.cmp in (Cmp.NUM, Cmp.NAN)

    def fill_formula(self, *terms: object) -> str:
        left, right = (*map(str, terms), "0")[:2]
        if self.is_nan_test:
            return f"{self.cmp}({left}, {right})"
        return format_relation(self.cmp, left, right)

    def describe_lane(self, view: LaneView) -> LaneText:
        type_, subject = self.type, "the lane" if len(view.row.values) > 1 else view.row.name
        conclusion = f"so {subject} is {view.value}"
        terms = [str(x) if type_ is None else format_value(x, type_) for x in view.inputs]
        formula = make_equation(
            self.fill_formula(*terms), view.value, is_grouped=not self.is_nan_test
        )
        readings = list(dict.fromkeys(self._iter_readings(view, terms)))
        if type_ is not None and type_.is_float:
            pairs = zip(view.names, view.inputs, strict=True)
            nan = list(dict.fromkeys(name for name, x in pairs if is_nan(x, type_)))
            nan_names = " and ".join(nan) + (" are NaN" if nan[1:] else " is NaN")
            if self.is_nan_test:
                fact = nan_names if nan else "neither is NaN"
                return LaneText(formula, f"{'; '.join(readings)}; {fact}, {conclusion}")
            if nan:
                kind = "unordered" if self.cmp in UNORDERED else "ordered"
                outcome = "holds" if view.value else "does not hold"
                sentence = f"{nan_names}: an {kind} comparison {outcome}, {conclusion}"
                return LaneText(formula, sentence)
        left, right = (*terms, "0")[:2]
        fact = f"{left} {format_comparison(self.cmp)} {right}{'' if view.value else ' is false'}"
        return LaneText(formula, "; ".join([*readings, f"{fact}, {conclusion}"]))

    def _iter_readings(self, view: LaneView, terms: Sequence[str]) -> Iterator[str]:
        """Describe how the inputs were read from their bits."""
        for source, x, term in zip(view.row.inputs, view.inputs, terms, strict=True):
            if self.type is not None:
                yield f"{format_hex(x, self.type.bits)} is {term} as {self.type}"
            elif reading := source.micro.reading:
                yield describe_reading(reading, get_lane(source.inputs[0].values, view.lane), x)

    def describe_step(self, rows: Sequence[RowTrace]) -> str:
        row = next(row for row in rows if row.micro is self)
        is_single, type_ = len(row.inputs) == 1, self.type
        a, b = (format_short_name(row.instruction, x) for x in "ab")
        if row.stage is Stage.OPERATE:
            true = "all ones" if find_row(rows, "ones") else "-1" if find_row(rows, "minus") else 1
            relation = format_relation(self.cmp, a, b)
            return f"{relation}, {self.about}: {true} if true, else 0."
        if self.is_nan_test:
            is_ordered = self.cmp is Cmp.NUM
            condition = f"neither {a} nor {b} is NaN" if is_ordered else f"{a} or {b} is NaN"
            return f".{self.cmp}: true if {condition}."
        if is_single and not row.inputs[0].is_operand and row.inputs[0].stage is Stage.OPERATE:
            text = "{d} != 0: {p} is true if any bit of {d} is 1."
            return name_operands(text, row.instruction)
        name = row.inputs[0].destination
        operands = f"{name} read" if is_single else "both read"
        relation = format_relation(self.cmp, *((name, "0") if is_single else (a, b)))
        outcome = "true" if self.cmp in UNORDERED else "false"
        nan = f" With a NaN it is {outcome}." if type_ is not None and type_.is_float else ""
        return f"{relation}, {operands} as .{type_}.{nan}"

    def make_cell(self, row: RowTrace, lane: int) -> VerdictCell:
        from .drawings import VerdictCell

        return VerdictCell()

    def make_figure(self, row: RowTrace) -> ComparisonLine | None:
        from .drawings import ComparisonLine

        return ComparisonLine(self.type) if len(row.values) == 1 else None


def format_comparison(cmp: Cmp) -> str:
    """Return the sign of a comparison: ``<`` for ``lt``, ``lo`` and ``ltu``; ``num``, ``nan``."""
    return RELATION_SIGNS.get(RELATIONS.get(cmp, cmp), str(cmp))


def format_relation(cmp: Cmp, left_side: str, right_side: str) -> str:
    """Return ``a < b``, or ``a < b or unordered`` for ``ltu``, which is also true for NaN."""
    relation = f"{left_side} {format_comparison(cmp)} {right_side}"
    return f"{relation} or unordered" if cmp in UNORDERED else relation


def _compare_ordered(cmp: Cmp, ar: Arithmetic[V], x: V, y: V | int = 0) -> V:
    match RELATIONS.get(cmp, cmp):
        case Cmp.EQ:
            return ar.equal(x, y)
        case Cmp.NE:
            return ar.equal(ar.equal(x, y), 0)
        case Cmp.LT:
            return ar.less(x, y)
        case Cmp.GE:
            return ar.equal(ar.less(x, y), 0)
        case Cmp.GT:
            return ar.equal(ar.maximum(ar.less(x, y), ar.equal(x, y)), 0)
        case _:
            return ar.maximum(ar.less(x, y), ar.equal(x, y))


def is_nan(bits: int, type_: Type) -> bool:
    """Return whether the bits of a float are a NaN."""
    return bool(_find_nan(EXACT, (bits,), type_)[0])


def _find_nan(ar: Arithmetic[V], x: V, type_: Type) -> V:
    """Return 1 if the pattern of a float is NaN, else 0."""
    magnitude = ar.bitand(x, get_magnitude_mask(type_))
    return ar.equal(ar.less(magnitude, get_infinity(type_) + 1), 0)


def _is_any_nan(ar: Arithmetic[V], v: Sequence[V], type_: Type) -> V:
    nan = _find_nan(ar, v[0], type_)
    for x in v[1:]:
        nan = ar.maximum(nan, _find_nan(ar, x, type_))
    return nan


def _order_float(ar: Arithmetic[V], x: V, type_: Type) -> V:
    """Map a float's pattern to an integer that compares as the number does; both zeros become 0."""
    magnitude = ar.bitand(x, get_magnitude_mask(type_))
    negative = ar.equal(ar.less(x, 1 << (type_.bits - 1)), 0)
    return ar.where(negative, ar.negative(magnitude), magnitude)
