"""Conditions on operands, results and rows, written as expressions: ``d == 0x7f and a.b0 > b.b0``.

The syntax is a subset of Python's. Numbers are exact integers of any size. Nothing in a text is
executed: each kind of expression has a function here that records operations.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple, NoReturn

from ...engine.ir.tape import Node, Op
from ...engine.micro_operations.arithmetic import is_different
from ...engine.micro_operations.properties import Flag
from ...engine.semantics.plan import Row
from ...engine.syntax.errors import (
    Problem,
    PtxError,
    find_closest_spelling,
    format_count,
    quote_word,
)
from .proof_question import ProofQuestion, Side

MAX_CONDITION_CHARS = 1000
_MAX_BITS = 256
"""Widest number of a condition."""
_REGISTER = re.compile(r"(?<![\w)\]])%(?=\w)")
_KEYWORD = re.compile(rf"(?<=\.)(?:{'|'.join(keyword.kwlist)})\b")
"""A part of a name that is a word of Python's: ``boolean.not``."""
_FIELD = re.compile(r"(?<!\w)([^\W\d]\w*\.)\d")
"""A part of a name that is a number: ``param0.16``."""
_PART = re.compile(r"([bh])(\d)")
_PART_BITS = {"b": 8, "h": 16}
_SIGNED = "signed"
_UNSIGNED = "registers are unsigned here, so never negative"
_SIGNED_HINT = f"a.{_SIGNED} < 0"
OLD = "old"
"""The prefix of a destination's value before, if that is read: ``old.d``."""


def get_flag_name(flag: Flag) -> str:
    """Return the name of a flag in conditions: ``clamped_low``."""
    return re.sub(r"\W", "_", flag.lower())


FLAG_NAMES: Mapping[str, tuple[Flag, ...]] = {
    "clamped": (Flag.CLAMPED_LOW, Flag.CLAMPED_HIGH),
    **{get_flag_name(flag): (flag,) for flag in Flag},
}
"""The flags by their names in conditions: ``clamped_low``; ``clamped`` is either of two."""


class ConditionScope(NamedTuple):
    """The names that a condition may use."""

    registers: Mapping[str, tuple[Node, int]]
    """The bits of each operand and result by name, and their number."""
    side: Side | None = None
    """The computation whose rows have names."""


def make_scope(question: ProofQuestion, side: Side | None = None) -> ConditionScope:
    """Return the names of operands, and of the results and rows of a computation."""
    registers = {
        name: (question.add_input(name, type_), type_.bits)
        for name, type_ in question.inputs.items()
    }
    results = {}
    if side:
        results = {name: (node, type_.bits) for name, (node, type_) in side.results.items()}
    old = {f"{OLD}.{name}": registers[name] for name in results if name in registers}
    return ConditionScope({**registers, **results, **old}, side)


class _NumberNode(NamedTuple):
    """The value of an expression."""

    node: Node | int
    bits: int = 0
    """The width of a register or its part, which is unsigned; 0 for any other number."""


def read_condition(question: ProofQuestion, text: str, scope: ConditionScope) -> Node:
    """Return a condition as a node that is 1 if it holds.

    Raise PtxError, which points at the part concerned, if the text is not a condition.
    """
    return _ConditionReader(question, text, scope).read()


class _ConditionReader:
    def __init__(self, question: ProofQuestion, text: str, scope: ConditionScope) -> None:
        self.question, self.tape = question, question.tape
        self.text, self.scope = text, scope

    def read(self) -> Node:
        if len(self.text) > MAX_CONDITION_CHARS:
            self._fail(f"a condition has at most {MAX_CONDITION_CHARS} characters", (0, 1))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a SyntaxError from then on, like `1jor`
                tree = ast.parse(_make_python_names(self.text).replace("\n", " "), mode="eval")
            value = self._make_truth(self._read(tree.body))
        except SyntaxError as error:
            start = min(max((error.offset or 1) - 1, 0), max(len(self.text) - 1, 0))
            single = re.search(r"(?<![=!<>])=(?!=)", self.text)
            hint = "two numbers are equal if ==" if single else "a == 5 and b.b0 < 0x80"
            span = single.span() if single else (start, min(start + 1, len(self.text)))
            self._fail("this is not a condition", span, hint)
        except (RecursionError, MemoryError, ValueError) as error:
            if isinstance(error, PtxError):
                raise
            self._fail("this condition is nested too deeply", (0, len(self.text)))
        return value if isinstance(value, Node) else self.question.make_constant(value)

    # --- expressions -----------------------------------------------------------------------

    def _read(self, x: ast.expr) -> _NumberNode:
        for kind, read in _READERS.items():
            if isinstance(x, kind):
                return self._check_width(x, read(self, x))
        return self._reject(x)

    def _reject(self, x: ast.AST) -> NoReturn:
        self._fail(
            "this is not part of a condition",
            self._find_span(x),
            "numbers, registers, rows, flags; and or not == != < <= > >= + - * & | ^ << >>",
        )

    def _check_width(self, x: ast.expr, value: _NumberNode) -> _NumberNode:
        node = value.node
        is_wide = node.bit_length() > _MAX_BITS if isinstance(node, int) else (
            node.range.bits > _MAX_BITS
        )  # fmt: skip
        if is_wide:
            self._fail(f"this number may have more than {_MAX_BITS} bits", self._find_span(x))
        return value

    def _read_constant(self, x: ast.Constant) -> _NumberNode:
        if not isinstance(x.value, int):
            self._reject(x)
        return _NumberNode(int(x.value))

    def _read_logic(self, x: ast.BoolOp) -> _NumberNode:
        method = self.tape.minimum if isinstance(x.op, ast.And) else self.tape.maximum
        fold = min if isinstance(x.op, ast.And) else max

        def join(first: Node | int, second: Node | int) -> Node | int:
            if isinstance(first, int) and isinstance(second, int):
                return fold(first, second)
            return method(*sorted((first, second), key=lambda y: isinstance(y, int)))

        return _NumberNode(reduce(join, [self._make_truth(self._read(y)) for y in x.values]))

    def _make_truth(self, value: _NumberNode) -> Node | int:
        if isinstance(value.node, int):
            return int(value.node != 0)
        return value.node if value.node.is_truth else is_different(
            self.tape, value.node, self._node(0)
        )  # fmt: skip

    def _read_unary(self, x: ast.UnaryOp) -> _NumberNode:
        value = self._read(x.operand)
        node = value.node
        if isinstance(x.op, ast.Not):
            truth = self._make_truth(value)
            return _NumberNode(1 - truth if isinstance(truth, int) else self.tape.equal(truth, 0))
        if isinstance(x.op, ast.USub):
            return _NumberNode(-node if isinstance(node, int) else self.tape.negative(node))
        return value if isinstance(x.op, ast.UAdd) else self._reject(x)

    def _read_arithmetic(self, x: ast.BinOp) -> _NumberNode:
        operation = _ARITHMETIC.get(type(x.op)) or self._reject(x)
        left, right = self._read(x.left).node, self._read(x.right).node
        if isinstance(x.op, (ast.LShift, ast.RShift)) and not (
            _lowest(right) >= 0 and _highest(right) <= 64
        ):
            self._fail("a shift distance is 0 to 64", self._find_span(x.right))
        if isinstance(x.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            for part, value in ((x.left, left), (x.right, right)):
                if _lowest(value) < 0:
                    self._fail("the bits of a negative number are unlimited; take a part, as a.b0",
                               self._find_span(part))  # fmt: skip
        method: Callable[[Node, Node], Node] = getattr(self.tape, operation)
        return _NumberNode(method(self._node(left), self._node(right)))

    def _node(self, value: Node | int) -> Node:
        return self.question.make_constant(value) if isinstance(value, int) else value

    def _read_comparison(self, x: ast.Compare) -> _NumberNode:
        places = (x.left, *x.comparators)
        values = [self._read(place) for place in places]
        truths = []
        for index, operator in enumerate(x.ops):
            op = _RELATIONS.get(type(operator)) or self._reject(x)
            pair = values[index : index + 2]
            # unsigned, `a < 0` never holds, and `a >= 0` always does
            register, zero = pair if isinstance(operator, ast.Lt | ast.GtE) else pair[::-1]
            if op not in (Op.EQUAL, Op.NOT_EQUAL) and register.bits and zero.node == 0:
                self._fail(_UNSIGNED, self._find_span(x), _SIGNED_HINT)
            first, second = (self._fit(op, pair[i], pair[1 - i], places[index + i]) for i in (0, 1))
            truths.append(self.tape.emit(op, self._node(first), self._node(second)))
        return _NumberNode(reduce(self.tape.minimum, truths))

    def _fit(self, op: Op, value: _NumberNode, other: _NumberNode, place: ast.expr) -> Node | int:
        """Return a number to compare: a negative constant as the bits of a register."""
        node, bits = value.node, other.bits
        if not isinstance(node, int) or not bits or 0 <= node < 1 << bits:
            return node
        span = self._find_span(place)
        if not -1 << bits - 1 <= node < 0:
            self._fail(f"{node:#x} does not fit in {format_count(bits, 'bit')}", span)
        if op not in (Op.EQUAL, Op.NOT_EQUAL):
            self._fail(_UNSIGNED, span, _SIGNED_HINT)
        return node & (1 << bits) - 1

    # --- names -----------------------------------------------------------------------------

    def _read_name(self, x: ast.expr) -> _NumberNode:
        path = self._list_names(x)
        for count in range(len(path), 0, -1):
            if number := self._find_number(x, ".".join(path[:count])):
                return self._read_part(x, number, path[count:])
        return self._fail_unknown(x, ".".join(path))

    def _find_number(self, x: ast.expr, name: str) -> _NumberNode | None:
        """Return a register or a row, or None if nothing has this name."""
        if register := self.scope.registers.get(name):
            return _NumberNode(*register)
        row = self._find_row(name)
        return self._pick_lane(x, row[1], name, None) if row else None

    def _list_names(self, x: ast.expr) -> list[str]:
        """Return the parts of a dotted name, as written."""
        start, end = self._find_span(x)
        if isinstance(x, ast.Attribute):
            return [*self._list_names(x.value), self.text[:end].rpartition(".")[2].strip()]
        return [self.text[start:end]] if isinstance(x, ast.Name) else self._reject(x)

    def _find_row(self, key: str) -> tuple[Row, Node] | None:
        side = self.scope.side
        rows = side.plan.rows if side else ()
        return next(((row, side.values[key]) for row in rows if side and row.key == key), None)

    def _fail_unknown(self, x: ast.expr, name: str) -> NoReturn:
        rows = [row.key for row in self.scope.side.plan.rows] if self.scope.side else []
        names = [*self.scope.registers, *rows]
        close = find_closest_spelling(name, names)
        hint = f"did you mean `{close}`?" if close else ", ".join(names)
        self._fail(f"nothing here is called {quote_word(name)}", self._find_span(x), hint)

    def _read_part(self, x: ast.expr, value: _NumberNode, path: Iterable[str]) -> _NumberNode:
        """Return a part of a register or of a row: ``b0``, ``h1``, ``signed``."""
        for name in path:
            node, bits = value
            assert isinstance(node, Node)
            part = _PART.fullmatch(name)
            width = bits or node.range.bits
            if name == _SIGNED and bits:
                value = _NumberNode(self.tape.cast(node, bits, signed=True))
            elif part and (int(part[2]) + 1) * _PART_BITS[part[1]] <= width:
                unit = _PART_BITS[part[1]]
                picks = ((0, int(part[2])),)
                value = _NumberNode(self.tape.gather([node], unit, picks), unit)
            else:
                hint = ", ".join([*_list_parts(width), *([_SIGNED] if bits else [])])
                self._fail(f"there is no part {quote_word(name)}", self._find_span(x), hint)
        return value

    def _read_lane(self, x: ast.Subscript) -> _NumberNode:
        row = self._find_row(".".join(self._list_names(x.value)))
        if row is None:
            self._fail("only rows have lanes with numbers; write a.b0 for a byte of a register",
                       self._find_span(x))  # fmt: skip
        return self._pick_lane(x, row[1], row[0].key, self._read_index(x.slice))

    def _read_index(self, x: ast.expr) -> int:
        if not isinstance(x, ast.Constant) or type(x.value) is not int:
            self._fail("a lane is a number", self._find_span(x))
        return x.value

    def _pick_lane(self, x: ast.expr, node: Node, key: str, lane: int | None) -> _NumberNode:
        if lane is None and node.lanes > 1:
            span = self._find_span(x)
            self._fail(f"{key} has {node.lanes} lanes; choose one", span, f"{key}[0]")
        lane = lane or 0
        if lane >= node.lanes:
            self._fail(f"{key} has {format_count(node.lanes, 'lane')}, from 0", self._find_span(x))
        if node.lanes == 1:
            return _NumberNode(node)
        return _NumberNode(self.tape.sum_lanes(node, (lane,), node.lanes))

    def _read_flag(self, x: ast.Call) -> _NumberNode:
        name = x.func.id if isinstance(x.func, ast.Name) else ""
        if name not in FLAG_NAMES or len(x.args) != 1 or x.keywords:
            self._fail("this is not a flag of a row", self._find_span(x.func),
                       ", ".join(f"{flag}(saturate.t[0])" for flag in FLAG_NAMES))  # fmt: skip
        (place,) = x.args
        lane = self._read_index(place.slice) if isinstance(place, ast.Subscript) else None
        path = self._list_names(place.value if isinstance(place, ast.Subscript) else place)
        found = self._find_row(".".join(path))
        if found is None:
            self._fail_unknown(place, ".".join(path))
        row, node = found
        assert self.scope.side
        flags = dict(iter_flags(self.question, self.scope.side, row))
        truths = [flags[flag] for flag in FLAG_NAMES[name] if flag in flags]
        if not truths:
            own = [label for label, kinds in FLAG_NAMES.items() if set(kinds) & flags.keys()]
            self._fail(f"{row.key} never has this flag", self._find_span(x),
                       ", ".join(own) or "it has none")  # fmt: skip
        truth = reduce(self.tape.maximum, truths)
        if lane is None and node.lanes > 1:
            lanes = tuple(range(node.lanes))
            return _NumberNode(
                self.tape.less(self._node(0), self.tape.sum_lanes(truth, lanes, len(lanes)))
            )
        return self._pick_lane(place, truth, row.key, lane)

    # --- errors ----------------------------------------------------------------------------

    def _find_span(self, x: ast.AST) -> tuple[int, int]:
        """Return the characters of an expression; the syntax tree counts bytes."""
        data = self.text.encode()
        start: int = getattr(x, "col_offset", 0)
        end: int = getattr(x, "end_col_offset", None) or start + 1
        return len(data[:start].decode(errors="ignore")), len(data[:end].decode(errors="ignore"))

    def _fail(self, message: str, span: tuple[int, int], hint: str = "") -> NoReturn:
        raise PtxError(self.text, (Problem(message, span, hint),))


def _make_python_names(text: str) -> str:
    """Return a text with names that Python can read, each as long as before."""
    names = _FIELD.sub(r"\1_", _REGISTER.sub("_", text))
    return _KEYWORD.sub(lambda x: "_" * len(x[0]), names)


def iter_flags(question: ProofQuestion, side: Side, row: Row) -> Iterator[tuple[Flag, Node]]:
    """Yield the flags of a row that depend on values, each with a node that is 1 in its lanes."""
    inputs = [side.values[key] for key in row.inputs]
    yield from row.micro.compute_flags(question.tape, side.values[row.key], *inputs)


def _list_parts(bits: int) -> Iterator[str]:
    for letter, unit in _PART_BITS.items():
        yield from (f"{letter}{index}" for index in range(bits // unit) if bits > unit)


def _lowest(value: Node | int) -> int:
    return value if isinstance(value, int) else value.range.low


def _highest(value: Node | int) -> int:
    return value if isinstance(value, int) else value.range.high


_ARITHMETIC: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.BitAnd: "bitand",
    ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
}
_RELATIONS: Mapping[type[ast.cmpop], Op] = {
    ast.Eq: Op.EQUAL,
    ast.NotEq: Op.NOT_EQUAL,
    ast.Lt: Op.LESS,
    ast.LtE: Op.LESS_EQUAL,
    ast.Gt: Op.GREATER,
    ast.GtE: Op.GREATER_EQUAL,
}
_READERS: Mapping[type[ast.expr], Callable[[_ConditionReader, Any], _NumberNode]] = {
    ast.Constant: _ConditionReader._read_constant,
    ast.BoolOp: _ConditionReader._read_logic,
    ast.UnaryOp: _ConditionReader._read_unary,
    ast.BinOp: _ConditionReader._read_arithmetic,
    ast.Compare: _ConditionReader._read_comparison,
    ast.Name: _ConditionReader._read_name,
    ast.Attribute: _ConditionReader._read_name,
    ast.Subscript: _ConditionReader._read_lane,
    ast.Call: _ConditionReader._read_flag,
}
