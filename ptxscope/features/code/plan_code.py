"""A Plan as a small function in another language: a named value for each lane of each row.

``_WRITERS`` has an expression for each operation of the intermediate representation. A ``Dialect``
has the differences between the languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

from ...engine.ir.rewrites import SHORTENING_RULES, drop_idle_bound, merge_bounds, merge_equality
from ...engine.ir.tape import Node, Op, Tape, apply_operation, get_range, record_plan
from ...engine.isa.encodings import Range
from ...engine.micro_operations.arithmetic import EXACT
from ...engine.micro_operations.properties import Stage
from ...engine.semantics.plan import Plan


def _drop_idle_choice(tape: Tape, op: Op, x: Node, y: Node | int) -> Node | None:
    """Drop a minimum or maximum of two numbers if one is never beyond the other.

    The bounds of a clamp stay even if one cannot be reached, because a reader expects both. A bound
    that only a wider type holds is dropped: a compiler would warn of a comparison that is always
    true.
    """
    is_kept = not isinstance(y, Node) and find_kind([x.range, Range(y, y)]) is find_kind([x.range])
    return None if is_kept else drop_idle_bound(tape, op, x, y)


_RULES = {
    **SHORTENING_RULES,
    Op.MINIMUM: (_drop_idle_choice, merge_bounds),
    Op.MAXIMUM: (_drop_idle_choice, merge_equality),
}
_MAX_LINE_CHARS = 90
"""The longest expression that repeats a part instead of naming it."""


class IntegerRangeKind(Enum):
    """An integer type that holds every value of a variable, or of the parts of an expression."""

    SIGNED = "64 bits with a sign"
    UNSIGNED = "64 bits without"
    WIDE = "128 bits with a sign"
    WIDE_UNSIGNED = "128 bits without"


_KINDS = (
    (64, True, IntegerRangeKind.SIGNED),
    (64, False, IntegerRangeKind.UNSIGNED),
    (128, True, IntegerRangeKind.WIDE),
    (128, False, IntegerRangeKind.WIDE_UNSIGNED),
)


def find_kind(ranges: Iterable[Range]) -> IntegerRangeKind:
    """Return the narrowest kind that holds all ranges, the signed one first."""
    range_list = list(ranges)
    for bits, signed, kind in _KINDS:
        if all(x.fits_in(bits, signed) for x in range_list):
            return kind
    return IntegerRangeKind.WIDE


class Precedence(IntEnum):
    """The precedence of an expression; a looser one needs brackets."""

    ATOM = 0
    UNARY = 1
    PRODUCT = 2
    SUM = 3
    OTHER = 4
    """Shifts, bits and comparisons, whose order differs between languages."""
    CHOICE = 5


class Expression(NamedTuple):
    """An expression of a kind."""

    text: str
    kind: IntegerRangeKind
    level: Precedence
    is_truth: bool = False
    """Whether the language takes it for a truth instead of a number."""
    narrow_text: str = ""
    """The text as the value of a variable, which widens it; empty if it is the same."""


class Dialect(Protocol):
    """The syntax of a language."""

    has_kinds: bool
    """Whether integers have a width, so that a conversion to 64 bits truncates."""
    quotient_sign: str
    """The sign of a division of integers."""

    def format_number(self, value: int, kind: IntegerRangeKind) -> Expression:
        """Format an integer literal of a kind."""

    def convert(self, x: Expression, kind: IntegerRangeKind) -> Expression:
        """Format a conversion to another kind."""

    def convert_truth(self, x: Expression) -> Expression:
        """Format a truth as 1 or 0."""

    def choose(self, condition: str, x: str, y: str) -> str:
        """Format x if the condition holds, otherwise y."""

    def write_bound(self, w: Writer, x: Node, lane: int) -> Expression:
        """Write a MINIMUM, MAXIMUM or CLIP."""

    def write_absolute(self, w: Writer, x: Node, lane: int) -> Expression:
        """Write an ABSOLUTE."""

    def write_left_shift(self, w: Writer, x: Node, lane: int) -> Expression:
        """Write a SHIFT_LEFT."""

    def widen_literal(self, text: str) -> str:
        """Give an integer literal the width of a variable; leave other text as it is."""

    def write_float_bits(self, w: Writer, x: Node, lane: int) -> Expression:
        """Write a FLOAT_BITS."""

    def find_type_name(self, bits: int) -> str:
        """Return the signed type of this width to convert to; may be empty."""


class Assignment(NamedTuple):
    """An assignment ``name = expression``."""

    name: str
    expression: str
    kind: IntegerRangeKind
    """Type that holds every value of the variable."""
    stage: Stage
    row: str
    """Key of the row."""
    reads: frozenset[str]
    """Variables in the expression."""


def list_assignments(plan: Plan, dialect: Dialect, names: Mapping[str, str]) -> list[Assignment]:
    """Return a statement for each lane of the plan's rows; `names` has the parameters by role.

    A long expression is preceded by statements for the parts that it repeats.
    """
    return Writer(plan, dialect, names).assignments


_Part = tuple[Node, int]
"""A lane of a node."""


class Writer:
    """Writes the rows of a plan, lane by lane."""

    def __init__(self, plan: Plan, dialect: Dialect, names: Mapping[str, str]) -> None:
        self.dialect = dialect
        self.assignments: list[Assignment] = []
        program = record_plan(plan, _RULES, has_row_nodes=True)
        self._variables: dict[_Part, Expression] = {}
        for x in program.nodes:
            if x.op is Op.SOURCE:
                self._add_variable(x, 0, names[x.fixed[0]])
        for row in plan.rows:
            node, base = program.rows[row.key], row.key.replace(".", "_")
            for lane in range(node.lanes):
                name = f"{base}{lane}" if node.lanes > 1 else base
                self._write_row(row.stage, row.key, name, node, lane)

    def _write_row(self, stage: Stage, key: str, name: str, node: Node, lane: int) -> None:
        (value,) = node.nodes
        self._row = stage, key, name
        self._begin_expression(frozenset())
        x = self.write(value, lane)
        if len(x.text) > _MAX_LINE_CHARS and (repeated := self._list_repeated_parts()):
            self._begin_expression(repeated)
            x = self.write(value, lane)
        self._assign(name, x, node, lane)

    def _begin_expression(self, named_parts: frozenset[_Part]) -> None:
        self._reads: set[str] = set()
        self._readers: dict[_Part, set[_Part]] = {}
        self._named = named_parts
        self._parts: dict[_Part, Expression] = {}

    def _list_repeated_parts(self) -> frozenset[_Part]:
        return frozenset(part for part, readers in self._readers.items() if len(readers) > 1)

    def _assign(self, name: str, x: Expression, node: Node, lane: int) -> None:
        stage, key, _ = self._row
        kind = find_kind([node.range])
        x = self.dialect.convert(self.dialect.convert_truth(x), kind)
        reads = frozenset(self._reads)
        text = x.narrow_text or x.text
        self.assignments.append(Assignment(name, text, kind, stage, key, reads))
        self._add_variable(node, lane, name)

    def _add_variable(self, x: Node, lane: int, name: str) -> None:
        self._variables[x, lane] = Expression(name, find_kind([x.range]), Precedence.ATOM)

    def write(self, x: Node, lane: int, reader: Node | None = None) -> Expression:
        """Return an expression for a lane of a node; ``reader`` is the node that reads it."""
        part = x, lane = x.find_lane(lane)
        if x.range.low == x.range.high:
            return self.dialect.format_number(x.range.low, find_kind([x.range]))
        if part in self._variables:
            self._reads.add(self._variables[part].text)
            return self._variables[part]
        if reader:
            self._readers.setdefault(part, set()).add((reader, lane))
        if part in self._named:
            return self._name_part(x, lane)
        if part not in self._parts:
            self._parts[part] = _WRITERS[x.op](self, x, lane)
        return self._parts[part]

    def _name_part(self, x: Node, lane: int) -> Expression:
        _, key, name = self._row
        outer_reads, self._reads = self._reads, set()
        value = _WRITERS[x.op](self, x, lane)
        number = sum(y.row == key for y in self.assignments) + 1
        self._assign(f"{name}_{number}", value, x, lane)
        self._reads = outer_reads
        return self.write(x, lane)

    def read(
        self, x: Node, index: int, lane: int, kind: IntegerRangeKind, level: Precedence
    ) -> str:
        """Return argument ``index`` of a node in a kind, in brackets if it binds more loosely."""
        y = x.args[index]
        if isinstance(y, int):
            value = self.dialect.format_number(y, kind)
        else:
            value = self.dialect.convert(self.write(y, lane, x), kind)
        return value.text if value.level <= level else f"({value.text})"

    def read_name(self, x: Node, index: int, lane: int, kind: IntegerRangeKind) -> str:
        """Return an argument that is written several times: as a variable if it is long."""
        y = x.args[index]
        if isinstance(y, Node) and self.write(y, lane, x).level > Precedence.UNARY:
            self._name_part(*y.find_lane(lane))
        return self.read(x, index, lane, kind, Precedence.UNARY)

    def format_number(self, value: int, kind: IntegerRangeKind) -> str:
        """Return a literal of a kind, in brackets if it is an expression."""
        x = self.dialect.format_number(value, kind)
        return x.text if x.level <= Precedence.UNARY else f"({x.text})"

    def write_bits(
        self, x: Node, lane: int, bits: int, shift: int = 0, index: int = 0
    ) -> Expression:
        """Return ``bits`` bits of an argument, from bit ``shift``, as an unsigned number."""
        values = get_range(x.args[index])
        kind = find_kind([values])
        text = self.read(x, index, lane, kind, Precedence.UNARY)
        text = self.dialect.widen_literal(text) if shift else text
        if values.fits_in(bits + shift, signed=False):
            text, level = (
                (f"{text} >> {shift}", Precedence.OTHER) if shift else (text, Precedence.UNARY)
            )
            return Expression(text, kind, level)
        text = f"({text} >> {shift})" if shift else text
        if kind in (IntegerRangeKind.WIDE, IntegerRangeKind.WIDE_UNSIGNED) and bits <= 64:
            narrow = IntegerRangeKind.UNSIGNED
            wide = Expression(text, kind, Precedence.ATOM)
            text, kind = self.dialect.convert(wide, narrow).text, narrow
        return Expression(
            f"{text} & {self.format_number((1 << bits) - 1, kind)}", kind, Precedence.OTHER
        )


def find_operation_kind(x: Node) -> IntegerRangeKind:
    """Return a kind that holds the arguments and the result of a node."""
    return find_kind([*map(get_range, x.args), x.range])


def find_shift_kind(x: Node) -> IntegerRangeKind:
    """Return a kind for a shift. C leaves a shift by all bits of a type or more undefined."""
    kind = find_operation_kind(x)
    is_narrow = kind in (IntegerRangeKind.SIGNED, IntegerRangeKind.UNSIGNED)
    return IntegerRangeKind.WIDE if is_narrow and get_range(x.args[1]).high > 62 else kind


# --- a function for each operation -------------------------------------------------------

_WriterFunction = Callable[[Writer, Node, int], Expression]


def _make_writer(
    sign: str, left: Precedence, right: Precedence, level: Precedence
) -> _WriterFunction:
    def write(w: Writer, x: Node, lane: int) -> Expression:
        kind = find_operation_kind(x)
        a, b = w.read(x, 0, lane, kind, left), w.read(x, 1, lane, kind, right)
        return Expression(f"{a} {sign} {b}", kind, level)

    return write


def _make_comparison_writer(sign: str) -> _WriterFunction:
    def write(w: Writer, x: Node, lane: int) -> Expression:
        if x.args[0] is x.args[1]:
            (truth,) = apply_operation(EXACT, x.op, ((0,), (0,)), ())
            return w.dialect.format_number(truth, IntegerRangeKind.SIGNED)
        kind = find_kind(map(get_range, x.args))
        a, b = (w.read(x, index, lane, kind, Precedence.SUM) for index in (0, 1))
        return Expression(
            f"{a} {sign} {b}", IntegerRangeKind.SIGNED, Precedence.OTHER, is_truth=True
        )

    return write


def _write_truths(w: Writer, x: Node, lane: int, sign: str) -> Expression:
    """Write an operation on two truths as one on bits."""
    a, b = (w.write(y, lane, x) for y in x.nodes)
    texts = [y.text if y.level <= Precedence.UNARY else f"({y.text})" for y in (a, b)]
    is_truth = a.is_truth and b.is_truth
    return Expression(f" {sign} ".join(texts), IntegerRangeKind.SIGNED, Precedence.OTHER, is_truth)


def _is_of_truths(x: Node) -> bool:
    return len(x.nodes) == 2 and all(y.is_truth for y in x.nodes)


def _write_quotient(w: Writer, x: Node, lane: int) -> Expression:
    sign, product = w.dialect.quotient_sign, Precedence.PRODUCT
    return _make_writer(sign, product, Precedence.UNARY, product)(w, x, lane)


def _write_bound(w: Writer, x: Node, lane: int) -> Expression:
    if x.op is not Op.CLIP and _is_of_truths(x):
        return _write_truths(w, x, lane, "&" if x.op is Op.MINIMUM else "|")
    return w.dialect.write_bound(w, x, lane)


def _write_not_equal(w: Writer, x: Node, lane: int) -> Expression:
    if _is_of_truths(x) and x.args[0] is not x.args[1]:
        return _write_truths(w, x, lane, "^")
    return _make_comparison_writer("!=")(w, x, lane)


def _write_negative(w: Writer, x: Node, lane: int) -> Expression:
    kind = find_operation_kind(x)
    value = w.read(x, 0, lane, kind, Precedence.UNARY)
    return Expression(f"-({value})" if value[0] == "-" else f"-{value}", kind, Precedence.UNARY)


def _write_right_shift(w: Writer, x: Node, lane: int) -> Expression:
    kind = find_shift_kind(x)
    value = w.dialect.widen_literal(w.read(x, 0, lane, kind, Precedence.UNARY))
    amount = w.read(x, 1, lane, IntegerRangeKind.SIGNED, Precedence.UNARY)
    return Expression(f"{value} >> {amount}", kind, Precedence.OTHER)


def _write_not(w: Writer, x: Node, lane: int) -> Expression:
    kind = IntegerRangeKind.SIGNED
    return Expression(f"1 - {w.read(x, 0, lane, kind, Precedence.PRODUCT)}", kind, Precedence.SUM)


def _write_choice(w: Writer, x: Node, lane: int) -> Expression:
    kind = find_kind(map(get_range, x.args[1:]))
    condition = w.read(x, 0, lane, IntegerRangeKind.SIGNED, Precedence.OTHER)
    a, b = (w.read(x, index, lane, kind, Precedence.OTHER) for index in (1, 2))
    return Expression(w.dialect.choose(condition, a, b), kind, Precedence.CHOICE)


def _write_cast(w: Writer, x: Node, lane: int) -> Expression:
    bits, signed = x.fixed
    if bits == 64 and w.dialect.has_kinds:
        kind = IntegerRangeKind.SIGNED if signed else IntegerRangeKind.UNSIGNED
        return w.dialect.convert(w.write(x.nodes[0], lane, x), kind)
    if signed and (type_name := w.dialect.find_type_name(bits)):
        value = w.read(x, 0, lane, find_kind([get_range(x.args[0])]), Precedence.UNARY)
        text, unary = f"({type_name}){value}", Precedence.UNARY
        return Expression(f"(int64_t){text}", IntegerRangeKind.SIGNED, unary, narrow_text=text)
    low = w.write_bits(x, lane, bits)
    if not signed:
        return low
    kind = find_kind([x.range, Range(0, (1 << bits) - 1)])
    low, top = w.dialect.convert(low, kind), w.format_number(1 << (bits - 1), kind)
    text = low.text if low.level <= Precedence.UNARY else f"({low.text})"
    return Expression(f"({text} ^ {top}) - {top}", kind, Precedence.SUM)


def _write_gather(w: Writer, x: Node, lane: int) -> Expression:
    unit, picks = x.fixed
    word, part = picks[lane]
    return w.write_bits(x, 0, unit, unit * part, word)


def _write_pack(w: Writer, x: Node, lane: int) -> Expression:
    (y,), (unit,) = x.nodes, x.fixed
    kind = find_operation_kind(x)
    parts = []
    for index in reversed(range(y.lanes)):
        part = w.read(x, 0, index, kind, Precedence.UNARY)
        parts.append(f"({part} << {unit * index})" if index else part)
    return Expression(" | ".join(parts), kind, Precedence.OTHER)


def _write_sum(w: Writer, x: Node, lane: int) -> Expression:
    kind = find_operation_kind(x)
    lanes = (w.read(x, 0, index, kind, Precedence.PRODUCT) for index in x.fixed[0])
    return Expression(" + ".join(lanes), kind, Precedence.SUM)


_WRITERS: Mapping[Op, _WriterFunction] = {
    Op.ROW: lambda w, x, lane: w.write(x.nodes[0], lane, x),
    Op.ADD: _make_writer("+", Precedence.SUM, Precedence.PRODUCT, Precedence.SUM),
    Op.SUBTRACT: _make_writer("-", Precedence.SUM, Precedence.PRODUCT, Precedence.SUM),
    Op.MULTIPLY: _make_writer("*", Precedence.PRODUCT, Precedence.UNARY, Precedence.PRODUCT),
    Op.DIVIDE: _write_quotient,
    Op.NEGATIVE: _write_negative,
    Op.ABSOLUTE: lambda w, x, lane: w.dialect.write_absolute(w, x, lane),
    Op.MINIMUM: _write_bound,
    Op.MAXIMUM: _write_bound,
    Op.CLIP: _write_bound,
    Op.SHIFT_LEFT: lambda w, x, lane: w.dialect.write_left_shift(w, x, lane),
    Op.SHIFT_RIGHT: _write_right_shift,
    Op.LESS: _make_comparison_writer("<"),
    Op.LESS_EQUAL: _make_comparison_writer("<="),
    Op.GREATER: _make_comparison_writer(">"),
    Op.GREATER_EQUAL: _make_comparison_writer(">="),
    Op.EQUAL: _make_comparison_writer("=="),
    Op.NOT_EQUAL: _write_not_equal,
    Op.NOT: _write_not,
    Op.WHERE: _write_choice,
    Op.BITAND: _make_writer("&", Precedence.UNARY, Precedence.UNARY, Precedence.OTHER),
    Op.BITOR: _make_writer("|", Precedence.UNARY, Precedence.UNARY, Precedence.OTHER),
    Op.BITXOR: _make_writer("^", Precedence.UNARY, Precedence.UNARY, Precedence.OTHER),
    Op.CAST: _write_cast,
    Op.GATHER: _write_gather,
    Op.PACK: _write_pack,
    Op.SUM_LANES: _write_sum,
    Op.FLOAT_BITS: lambda w, x, lane: w.dialect.write_float_bits(w, x, lane),
}
"""The expression of each operation of these rules, but SOURCE, a variable, and KEEP, a choice."""
