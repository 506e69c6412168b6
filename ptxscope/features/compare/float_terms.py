"""Floats in comparisons: functions of their operands, and what these functions compute.

A proof first knows only that an operation gives equal results for equal operands. If that leaves a
difference, facts state each result by the solver's theory of floats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import NamedTuple

from ...engine.ir.tape import Node
from ...engine.isa.types import Type
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import TYPE_BITS, ConstantOperand
from ..kernels.launches.float_operations import (
    FORMATS,
    SMALL_FORMATS,
    WIDE_TYPES,
    FloatConversion,
    FloatFormat,
    FloatOperation,
    compute_operation,
    read_float_conversion,
    read_float_operation,
    saturate,
)
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Term, Undecided

_ROUNDINGS = {"rn": "RNE", "rz": "RTZ", "rm": "RTN", "rp": "RTP"}
_KINDS = {
    "add": "FP_ADD",
    "sub": "FP_SUB",
    "mul": "FP_MUL",
    "div": "FP_DIV",
    "fma": "FP_FMA",
    "sqrt": "FP_SQRT",
}
_UNIFY_SECONDS = 0.5
"""The time for the question whether two operations have the same operands."""
_MAX_CANDIDATES = 4
_COMMUTATIVE = frozenset(("FP_ADD", "FP_MUL", "FP_FMA"))
_SIGN_KINDS = {"abs": "FP_ABS", "neg": "FP_NEG"}


class FloatNode(NamedTuple):
    """An operation of the solver's theory."""

    key: tuple[object, ...]
    """The kind, the format of the result, and the sorts of the operands."""
    args: tuple[Term, ...]
    fact_count: int
    """The number of facts before it."""


class FloatFunctions:
    """The float operations of two kernels."""

    def __init__(self, question: ProofQuestion) -> None:
        self._question, self.terms = question, question.solver.terms
        self._functions: dict[tuple[str, int, tuple[int, ...]], Term] = {}
        self._results: dict[Term, Node] = {}
        self.facts: list[Term] = []
        """Equations of the results of the operations that are modelled."""
        self.other_names: dict[str, str] = {}
        """The operations of which only equal results for equal operands are known, and why."""
        self.unknown_nans: dict[str, Term] = {}
        """Whether an operation yields a NaN of which no manual says which one it is."""
        self._operations: dict[Term, FloatNode] = {}
        """The operations of the theory, in order."""
        self._values: dict[tuple[Term, FloatFormat], Term] = {}
        """The numbers that the bits of results are."""

    def apply(self, statement: Statement, bits: int, arguments: Sequence[Term]) -> Node:
        """Return the result of a statement."""
        term = self._make_application(statement.name, bits, arguments)
        if term not in self._results:
            name = f"{statement.name}.{term.id()}"
            self._question.vectors.variables[name] = term
            type_ = Type(f"b{bits}") if bits > 1 else Type.PRED
            self._results[term] = self._question.tape.add_source(name, type_)
            if not self._state(statement, term, bits, arguments):
                self.other_names[statement.name] = _explain_unmodelled(statement)
        return self._results[term]

    def _make_application(self, name: str, bits: int, arguments: Sequence[Term]) -> Term:
        manager = self.terms.manager
        widths = tuple(x.sort().bv_size() for x in arguments)
        key = (name, bits, widths)
        if key not in self._functions:
            sorts = [manager.mk_bv_sort(x) for x in widths]
            sort = manager.mk_fun_sort(sorts, manager.mk_bv_sort(bits))
            self._functions[key] = manager.mk_const(sort, name)
        return self.terms.make("APPLY", self._functions[key], *arguments)

    # --- facts

    def _state(
        self, statement: Statement, result: Term, bits: int, arguments: Sequence[Term]
    ) -> bool:
        """Add the facts about a result; return whether the operation is modelled."""
        widths = [x.sort().bv_size() for x in arguments]
        if statement.opcode == "cvt":
            conversion = read_float_conversion(statement)
            if conversion is None or len(arguments) != conversion.source_count:
                return False
            is_wider = bits > TYPE_BITS[conversion.target] and conversion.target in FORMATS
            if is_wider or min(widths) < TYPE_BITS[conversion.source]:
                return False
            self._state_conversion(statement.name, conversion, result, bits, arguments)
            return True
        operation = read_float_operation(statement)
        if operation is None or len(arguments) != operation.source_count:
            return False
        if _has_narrow_literal(statement, operation):
            return False
        if {bits, *widths} != {TYPE_BITS[operation.type]}:
            return False
        unit = operation.format.bits
        for low in range(0, bits, unit):
            lanes = [self.cut(x, low, low + unit) for x in arguments]
            lane = self._begin_lane(statement.name, operation, result, low)
            compute_operation(lane, operation, lanes)
        return True

    def _begin_lane(
        self, name: str, operation: FloatOperation, result: Term, low: int
    ) -> FloatLane:
        format_ = operation.format
        target = self.cut(result, low, low + format_.bits)
        return FloatLane(
            self, format_, operation.rounding, target, "" if operation.has_known_nan else name
        )

    def _state_conversion(
        self, name: str, x: FloatConversion, result: Term, bits: int, arguments: Sequence[Term]
    ) -> None:
        source_bits = TYPE_BITS[x.source]
        sources = [self.cut(y, 0, source_bits) for y in arguments]
        if x.source in SMALL_FORMATS:
            for i in range(2):
                lane = FloatLane(self, FORMATS["f16"], "rn", self.cut(result, 16 * i, 16 * i + 16))
                lane.convert_small(self.cut(sources[0], 8 * i, 8 * i + 8), *SMALL_FORMATS[x.source])
            return
        is_flushed = "ftz" in x.modifiers and x.source == "f32"
        if x.target not in FORMATS:
            source = FloatLane(self, FORMATS[x.source], "rn")
            value = source.read(sources[0], is_flushed=is_flushed)
            number = source.convert_to_integer(value, x, bits)
            self.facts.append(self.terms.make("EQUAL", result, number))
            return
        format_ = FORMATS[x.target]
        rounding = x.rounding[:2] or "rn"
        for i, word in enumerate(reversed(sources)):
            part = self.cut(result, format_.bits * i, format_.bits * (i + 1))
            lane = FloatLane(self, format_, rounding, part, "" if x.has_known_nan else name)
            if x.source in FORMATS:
                source = FloatLane(self, FORMATS[x.source], rounding)
                value = source.read(word, is_flushed=is_flushed)
                if x.target == x.source and x.rounding:
                    value = source.round_to_integer(value)
                if "sat" in x.modifiers:
                    value = saturate(source, value)
                value = value if x.source == x.target else lane.resize(value)
            else:
                value = lane.convert_integer(word, is_signed=x.source[0] == "s")
                if "sat" in x.modifiers:
                    value = saturate(lane, value)
            lane.write(value, is_flushed=False)

    def cut(self, x: Term, low: int, high: int) -> Term:
        """Return bits low..high-1, of a part where they are in one."""
        kinds, width = self.terms.kinds, x.sort().bv_size()
        if (low, high) == (0, width):
            return x
        if x.kind() == kinds.BV_CONCAT:
            first, *others = x.children()
            rest = sum(y.sort().bv_size() for y in others)
            if low >= rest:
                return self.cut(first, low - rest, high - rest)
            if high <= rest and len(others) == 1:
                return self.cut(others[0], low, high)
        if x.kind() == kinds.BV_EXTRACT:
            start = x.indices()[1]
            return self.cut(x.children()[0], low + start, high + start)
        if x.kind() == kinds.BV_ZERO_EXTEND:
            inner = x.children()[0]
            if high <= inner.sort().bv_size():
                return self.cut(inner, low, high)
        return self.terms.cut(x, low, high)

    def find_value(self, bits: Term, format_: FloatFormat) -> Term:
        """Return the number that some bits are."""
        key = (bits, format_)
        if key not in self._values:
            indices = (format_.exponent_bits, format_.fraction_bits + 1)
            self._values[key] = self.terms.make("FP_TO_FP_FROM_BV", bits, indices=indices)
        return self._values[key]

    def state_value(self, bits: Term, format_: FloatFormat, value: Term, nan_name: str) -> None:
        """Add the fact that some bits are a number."""
        make = self.terms.make
        self.facts.append(make("EQUAL", self.find_value(bits, format_), value))
        is_nan = make("FP_IS_NAN", value)
        if nan_name:
            known = self.unknown_nans.get(nan_name)
            self.unknown_nans[nan_name] = make("OR", known, is_nan) if known else is_nan
        else:
            nan = self.terms.make_value(format_.nan, format_.bits)
            self.facts.append(make("IMPLIES", is_nan, make("EQUAL", bits, nan)))
        self._values[bits, format_] = value

    # --- equal operations

    def make_operation(self, kind: str, *args: Term, indices: tuple[int, ...]) -> Term:
        """Return a rounded result; ``indices`` is its format, which only conversions need."""
        is_conversion = kind.startswith("FP_TO")
        term = self.terms.make(kind, *args, indices=indices if is_conversion else ())
        sorts = tuple(x.sort() for x in args)
        node = FloatNode((kind, indices, sorts), args, len(self.facts))
        self._operations.setdefault(term, node)
        return term

    def unify(self, seconds: float) -> list[Term]:
        """Return the facts, with one term for operations of which the operands are proved equal.

        The solver need not find then that two circuits of the same function are equal.
        """
        solver, make, substitute = self._question.solver, self.terms.make, self._substitute
        same: dict[Term, Term] = {}
        others: dict[tuple[object, ...], list[tuple[tuple[Term, ...], Term]]] = {}
        end = solver.elapsed + seconds
        for term, node in self._operations.items():
            args = tuple(substitute(x, same) for x in node.args)
            known = others.setdefault(node.key, [])
            orders = [args]
            if node.key[0] in _COMMUTATIVE:
                orders.append((args[0], args[2], args[1], *args[3:]))
            candidates = known[-_MAX_CANDIDATES:]
            for order, (other_args, other) in product(orders, candidates):
                differing = [
                    make("DISTINCT", x, y) for x, y in zip(order, other_args, strict=True) if x != y
                ]
                left = min(end - solver.elapsed, _UNIFY_SECONDS)
                if differing and (
                    left <= 0 or self._may_differ(differing, node.fact_count, same, left)
                ):
                    continue
                same[term] = other
                break
            else:
                known.append((args, substitute(term, same)))
        return [substitute(x, same) for x in self.facts]

    def _may_differ(
        self, differing: list[Term], fact_count: int, same: Mapping[Term, Term], seconds: float
    ) -> bool:
        """Whether one of some pairs may differ; most are equal whatever the facts are."""
        any_differs = self.terms.join("OR", differing)
        for count in (0, fact_count):
            facts = [self._substitute(x, same) for x in self.facts[:count]]
            with suppress(Undecided):
                if not self._question.solver.is_possible(*facts, any_differs, seconds=seconds):
                    return False
        return True

    def _substitute(self, x: Term, same: Mapping[Term, Term]) -> Term:
        return self.terms.manager.substitute_term(x, same) if same else x


def _has_narrow_literal(statement: Statement, operation: FloatOperation) -> bool:
    """Whether a literal stands for a float of 16 bits, which PTX does not allow."""
    has_literal = any(isinstance(x, ConstantOperand) for x in statement.operands)
    return has_literal and operation.type not in WIDE_TYPES


def _explain_unmodelled(statement: Statement) -> str:
    """Return an advice for a statement that is not modelled, as a sentence; empty for none."""
    operation = None if statement.opcode == "cvt" else read_float_operation(statement)
    if operation and _has_narrow_literal(statement, operation):
        return f"ptxas takes no literal there: {statement.text}; move the literal to a register."
    return ""


class FloatLane:
    """Floats of one format as terms: a ``FloatArithmetic`` that writes into a lane of a result."""

    def __init__(
        self,
        functions: FloatFunctions,
        format_: FloatFormat,
        rounding: str,
        result: Term | None = None,
        nan_name: str = "",
    ) -> None:
        """``nan_name`` is the operation that yields the result, if its NaN is unknown."""
        self._functions, self._terms = functions, functions.terms
        self._format, self._result, self._nan_name = format_, result, nan_name
        self._rounding = self._make_rounding(rounding)
        self._indices = (format_.exponent_bits, format_.fraction_bits + 1)

    def _make_rounding(self, rounding: str) -> Term:
        return self._terms.make_rounding(_ROUNDINGS[rounding])

    def _make(self, kind: str, *args: Term) -> Term:
        return self._terms.make(kind, *args)

    # --- the methods of FloatArithmetic

    def read(self, bits: Term, *, is_flushed: bool) -> Term:
        """Return the number of some bits."""
        value = self._functions.find_value(bits, self._format)
        return self._flush(value) if is_flushed else value

    def _flush(self, x: Term) -> Term:
        """Return zero of the same sign for a subnormal number."""
        zero = self.constant(0)
        flushed = self.choose(self.is_negative(x), self._make("FP_NEG", zero), zero)
        return self.choose(self._make("FP_IS_SUBNORMAL", x), flushed, x)

    def write(self, x: Term, *, is_flushed: bool) -> Term:
        """State that a number is the result."""
        value = self._flush(x) if is_flushed else x
        assert self._result is not None
        self._functions.state_value(self._result, self._format, value, self._nan_name)
        return self._result

    def apply(self, name: str, *args: Term) -> Term:
        """Return the rounded result of an operation."""
        if name in _SIGN_KINDS:
            return self._make(_SIGN_KINDS[name], *args)
        return self._functions.make_operation(
            _KINDS[name], self._rounding, *args, indices=self._indices
        )

    def constant(self, value: int) -> Term:
        """Return a small integer."""
        return self._terms.make_float(value, *self._indices)

    def is_nan(self, x: Term) -> Term:
        """Return whether it is a NaN."""
        return self._make("FP_IS_NAN", x)

    def is_negative(self, x: Term) -> Term:
        """Return whether its sign is negative; of a NaN, which has none here, false."""
        return self._make("FP_IS_NEG", x)

    def is_less(self, x: Term, y: Term) -> Term:
        """Return whether x < y."""
        return self._make("FP_LT", x, y)

    def is_equal(self, x: Term, y: Term) -> Term:
        """Return whether x = y."""
        return self._make("FP_EQUAL", x, y)

    def is_any(self, *truths: Term) -> Term:
        """Return whether one of some truths holds."""
        return self._terms.join("OR", truths)

    def is_both(self, x: Term, y: Term) -> Term:
        """Return whether both truths hold."""
        return self._make("AND", x, y)

    def choose(self, truth: Term, x: Term, y: Term) -> Term:
        """Return x where a truth holds, y elsewhere."""
        return self._make("ITE", truth, x, y)

    def copy_sign(self, x: Term, y: Term) -> Term:
        """State that the result is y with the sign of x."""
        cut, last = self._functions.cut, self._format.bits - 1
        bits = self._make("BV_CONCAT", cut(x, last, last + 1), cut(y, 0, last))
        assert self._result is not None
        self._functions.facts.append(self._make("EQUAL", self._result, bits))
        return self._result

    # --- conversions

    def resize(self, x: Term) -> Term:
        """Return a number of another format, rounded to this one."""
        return self._functions.make_operation(
            "FP_TO_FP_FROM_FP", self._rounding, x, indices=self._indices
        )

    def round_to_integer(self, x: Term) -> Term:
        """Return a number rounded to an integer."""
        return self._functions.make_operation("FP_RTI", self._rounding, x, indices=self._indices)

    def convert_integer(self, bits: Term, *, is_signed: bool) -> Term:
        """Return the number that an integer is, rounded."""
        kind = f"FP_TO_FP_FROM_{'S' if is_signed else 'U'}BV"
        return self._functions.make_operation(kind, self._rounding, bits, indices=self._indices)

    def convert_small(self, bits: Term, shift: int, power: int, first_nan: int) -> None:
        """State that a float of 8 bits, which is a number of this format, is the result."""
        cut, terms = self._functions.cut, self._terms
        magnitude, sign = cut(bits, 0, 7), cut(bits, 7, 8)
        parts = [sign, magnitude, terms.make_value(0, shift)]
        if rest := self._format.bits - 8 - shift:
            parts.insert(1, terms.make_value(0, rest))
        value = self._functions.find_value(self._make("BV_CONCAT", *parts), self._format)
        if power:
            value = self._make("FP_MUL", self._rounding, value, self.constant(1 << power))
        is_nan = self._make("BV_UGE", magnitude, terms.make_value(first_nan, 7))
        self.write(
            self.choose(is_nan, terms.make_float_nan(*self._indices), value), is_flushed=False
        )

    def convert_to_integer(self, x: Term, conversion: FloatConversion, bits: int) -> Term:
        """Return a number as an integer, clamped to its type and extended to some bits."""
        terms, target = self._terms, conversion.target
        width, is_signed = TYPE_BITS[target], target[0] == "s"
        wide = FORMATS["f32"] if self._format.bits == 16 else self._format  # has all the ends
        lane = FloatLane(self._functions, wide, conversion.rounding[:2])
        value = lane.round_to_integer(lane.resize(x) if wide != self._format else x)
        low, high = (-(1 << width - 1), 1 << width - 1) if is_signed else (0, 1 << width)
        is_wide = width == 64 or self._format.bits == 64
        nan = (low if is_signed else 1 << width - 1) if is_wide else 0
        kind = f"FP_TO_{'S' if is_signed else 'U'}BV"
        number = terms.make(kind, lane._rounding, value, indices=(width,))
        for truth, end in (
            (self._make("NOT", lane.is_less(value, lane.constant(high))), high - 1),
            (lane.is_less(value, lane.constant(low)), low),
            (lane.is_nan(value), nan),
        ):
            number = self.choose(truth, terms.make_value(end, width), number)
        return terms.resize(number, width, bits, is_signed)
