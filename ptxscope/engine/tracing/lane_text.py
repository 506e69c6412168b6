"""What a trace says in words: a formula with its numbers and a sentence for each lane.

Every text is made from the values that the trace recorded. ``about`` tells what a step
does for this instruction, whatever the values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ..isa.integers import cast, limits
from ..isa.roles import Role
from ..isa.types import Cmp, Type
from ..records import NamedTuple
from ..semantics import micro_operations as m
from ..semantics.arithmetic import EXACT
from ..semantics.micro_operation import Micro, at
from ..semantics.plan import Row, Stage
from ..syntax.constants import bits_float
from ..syntax.instruction import Instruction
from ..syntax.values import float_text, hex_text, value_text
from .formula import Formula, Sign, becomes, equals
from .trace import RowTrace, Trace

UNIT_NAMES = {8: "byte", 16: "half-word", 32: "word"}
_LONGEST_NAME = 16
"""Characters of a name that sentences repeat."""
_SIGNS = {
    Cmp.EQ: "==",
    Cmp.NE: "!=",
    Cmp.LT: "<",
    Cmp.LE: "<=",
    Cmp.GT: ">",
    Cmp.GE: ">=",
}


def cmp_sign(cmp: Cmp) -> str:
    """``<`` for ``lt``, ``lo`` and ``ltu``; ``num``, ``nan``."""
    return _SIGNS.get(m.RELATIONS.get(cmp, cmp), str(cmp))


def relation(cmp: Cmp, left: str, right: str) -> str:
    """``a < b``; ``a < b or unordered`` for ``ltu``, which holds with a NaN too."""
    return f"{left} {cmp_sign(cmp)} {right}" + (" or unordered" if cmp in m.UNORDERED else "")


def operand_name(trace: Trace, role: str) -> str:
    """What an operand is called: its register, or its literal."""
    return trace.instruction.called(role)


def short_name(trace: Trace, role: str) -> str:
    """What sentences call an operand: its name; where that is long, its role."""
    name = operand_name(trace, role)
    return name if len(name) <= _LONGEST_NAME else role


def guard_text(trace: Trace) -> str:
    """What sentences call the guard: ``@!p``."""
    guard = trace.instruction.guard
    return str(guard and guard._replace(name=short_name(trace, Role.GUARD)))


def integer_type(signed: bool, bits: int = 32) -> str:
    """``s8``, ``u32``."""
    return f"{'s' if signed else 'u'}{bits}"


def reading(ins: Instruction, role: str, bits: int) -> str:
    """What an operand's bits mean to an instruction: a number, or its lanes, highest first."""
    type_ = ins.type_of(role)
    if not ins.by_lane(role):
        return value_text(bits, type_)
    unit = 32 // ins.entry.lanes
    lanes = (cast(bits >> at, unit, type_ is Type.S32) for at in range(32 - unit, -1, -unit))
    return f"[{', '.join(map(str, lanes))}]"


def result_text(trace: Trace) -> str:
    """The destinations' bits: ``0x00000007``; several as ``p = 0, q = 1``."""
    ins = trace.instruction
    return bits_text(ins, {role: trace.result[name] for role, name in ins.results.items()})


def bits_text(ins: Instruction, bits: Mapping[str, int]) -> str:
    """A result by role as ``result_text`` has it."""
    return by_name(ins, {role: hex_text(x, ins.type_of(role).bits) for role, x in bits.items()})


def by_name(ins: Instruction, told: Mapping[str, str]) -> str:
    """A word on each destination, by role; with their names where there are several."""
    if len(ins.results) == 1:
        return next(iter(told.values()))
    return ", ".join(f"{name} = {told[role]}" for role, name in ins.results.items() if role in told)


class Words(NamedTuple):
    """What is said of one lane of a row."""

    formula: Formula
    sentence: str


class _Scene(NamedTuple):
    """One lane of a row, ready to be put into words."""

    trace: Trace
    row: RowTrace
    lane: int

    @property
    def value(self) -> int:
        return self.row.lanes[self.lane].value

    def input(self, index: int) -> int:
        lanes = self.row.inputs[index]
        return lanes[self.lane if len(lanes) > 1 else 0]

    @property
    def x(self) -> int:
        return self.input(0)

    @property
    def y(self) -> int:
        return self.input(1)

    @property
    def subject(self) -> str:
        return "the lane" if len(self.row.lanes) > 1 else self.row.name

    def called(self, index: int) -> str:
        """What an input is called: an operand's name, or a row's."""
        key = self.row.input_keys[index]
        known = self.trace.rows.get(key)
        return known.row.name if known else short_name(self.trace, key)


def words(trace: Trace, row: RowTrace, lane: int) -> Words:
    """Formula and sentence of one lane of a row."""
    return _WORDS[type(row.micro)](row.micro, _Scene(trace, row, lane))


def sentence(trace: Trace, row: RowTrace, lane: int) -> str:
    """The sentence of a lane, with its number in front where there are several."""
    said = words(trace, row, lane).sentence
    return f"{part_name(trace, row)} {lane}: {said}" if len(row.lanes) > 1 else said


def part_name(trace: Trace, row: RowTrace) -> str:
    """What the values of a row are: ``lane``; ``byte`` where a scalar instruction merges."""
    if trace.instruction.entry.lanes > 1:
        return "lane"
    return UNIT_NAMES[32 // len(row.lanes)] if len(row.lanes) > 1 else "value"


def format_lanes(lanes: Collection[int]) -> str:
    """Lanes by number, highest first: ``lanes 3, 1 and 0``, ``lane 2``."""
    *first, last = map(str, sorted(lanes, reverse=True))
    return f"lanes {', '.join(first)} and {last}" if first else f"lane {last}"


def row_name(trace: Trace, row: Row) -> str:
    """What a row is called: ``t``, ``a``; ``_`` for a destination that is thrown away."""
    return "_" if row.stage is Stage.WRITE and _thrown(trace, row.name) else row.name


def _thrown(trace: Trace, role: str) -> bool:
    return short_name(trace, role) == "_"


def _factor(number: int) -> str:
    return f"({number})" if number < 0 else str(number)


def _binary(sign: str) -> Callable[[Micro, _Scene], Words]:
    def said(_: Micro, s: _Scene) -> Words:
        left = f"{s.x} {sign} {_factor(s.y)}"
        return Words(equals(left, s.value), f"{left} is {s.value}")

    return said


def _extreme(name: str, adjective: str) -> Callable[[Micro, _Scene], Words]:
    def said(_: Micro, s: _Scene) -> Words:
        formula = equals(f"{name}({s.x}, {s.y})", s.value)
        if s.x == s.y:
            return Words(formula, f"both are {s.value}")
        return Words(formula, f"the {adjective} of {s.x} and {s.y} is {s.value}")

    return said


def _select(micro: m.Select, s: _Scene) -> Words:
    word, index = micro.picks[s.lane]
    name, bits = s.called(word), hex_text(s.value, micro.unit)
    if micro.unit == 32:
        return Words(equals(name, bits), f"all of {name} is taken, {bits}")
    part = f"{name}.{'b' if micro.unit == 8 else 'h'}{index}"
    top = micro.unit * (index + 1) - 1
    place = f"{UNIT_NAMES[micro.unit]} {index} of {name} (bits {top}:{top + 1 - micro.unit})"
    return Words(equals(part, bits), f"{place} is {bits}")


def _extend(micro: m.Extend, s: _Scene) -> Words:
    bits, name = hex_text(s.x, micro.bits), integer_type(micro.signed, micro.bits)
    said = _reading(micro, s.x, s.value)
    if micro.bits < 32:
        top = s.x >> (micro.bits - 1)
        said += f"; its top bit, {top}, is repeated above" if micro.signed else "; zeros go above"
    return Words(equals(f"{name}({bits})", s.value), said)


def _reading(micro: m.Extend, bits: int, value: int) -> str:
    """What a pattern was read as: ``0xff is -1 as s8``."""
    name = integer_type(micro.signed, micro.bits)
    return f"{hex_text(bits, micro.bits)} is {value} as {name}"


def _absolute_difference(_: Micro, s: _Scene) -> Words:
    left = f"|{s.x} - {_factor(s.y)}|"
    return Words(equals(left, s.value), f"{left} is {s.value}")


def _average(_: Micro, s: _Scene) -> Words:
    total = s.x + s.y
    plus = " + 1" if total >= 0 else ""
    formula = equals(f"({s.x} + {_factor(s.y)}{plus}) >> 1", s.value)
    half = f"half of {s.x} + {_factor(s.y)} is "
    if total % 2:
        said = f"{half}{total / 2}, rounded away from zero to {s.value}"
    else:
        said = f"{half}{s.value}"
    return Words(formula, said)


def _limit_amount(micro: m.LimitAmount, s: _Scene) -> Words:
    formula = equals(f"{s.x} & 31", s.value) if micro.wrap else equals(f"min({s.x}, 32)", s.value)
    if s.value == s.x:
        return Words(formula, f"the shift amount is {s.x}")
    if micro.wrap:
        return Words(formula, f".wrap keeps the low five bits of {s.x}: {s.value}")
    return Words(formula, f".clamp lowers the shift amount {s.x} to 32")


def _shift_right(_: Micro, s: _Scene) -> Words:
    left = f"{s.x} >> {s.y}"
    down = " (rounded down: copies of the sign come in)" if s.x < 0 < s.y else ""
    return Words(equals(left, s.value), f"{left} is {s.value}{down}")


def _scale(micro: m.ScaleDown, s: _Scene) -> Words:
    left = f"{s.x} >> {micro.amount}"
    return Words(equals(left, s.value), f"{left} is {s.value}")


def _negate(_: Micro, s: _Scene) -> Words:
    return Words(equals(f"-({s.x})", s.value), f"{s.called(0)} negated is {s.value}")


def _magnitude(micro: m.Magnitude, s: _Scene) -> Words:
    formula = equals(f"|{s.x}|", s.value)
    if s.value < 0:
        name = integer_type(True, micro.bits)
        return Words(formula, f"{s.x} is the most negative {name}: its magnitude wraps to itself")
    return Words(formula, f"the magnitude of {s.x} is {s.value}")


def _to_bits(micro: m.ToBits, s: _Scene) -> Words:
    bits = hex_text(s.value, micro.bits)
    return Words(becomes(s.x, bits), f"{s.x} in {micro.bits} bits is {bits}")


def _to_float(_: Micro, s: _Scene) -> Words:
    bits = hex_text(s.value, 32)
    number = bits_float(s.value, 32)
    rounded = "" if number == s.x else f", {s.x} rounded to 24 significant bits"
    said = f"{s.x} as a float is {bits} ({number:.1f}{rounded})"
    return Words(equals(f"float({s.x})", bits), said)


def _plus_one(_: Micro, s: _Scene) -> Words:
    return Words(equals(f"{s.x} + 1", s.value), f".po adds one: {s.value}")


def _clamp(micro: m.Clamp, s: _Scene) -> Words:
    low, high, name = micro.low, micro.high, _bounds_name(micro)
    most, least, range_ = (
        (f", the largest {name},", f", the smallest {name},", f", the range of {name},")
        if name
        else (",", ",", "")
    )
    if low is None:
        formula = equals(f"min({s.x}, {high})", s.value)
    elif high is None:
        formula = equals(f"max({s.x}, {low})", s.value)
    else:
        formula = equals(f"clamp({s.x}, {low}..{high})", s.value)
    if s.value < s.x:
        return Words(formula, f"{s.x} is above {high}{most} so it becomes {high}")
    if s.value > s.x:
        return Words(formula, f"{s.x} is below {low}{least} so it becomes {low}")
    if low is None:
        return Words(formula, f"{s.x} is not above {high} and stays; nothing bounds it below")
    if high is None:
        return Words(formula, f"{s.x} is not below {low} and stays; nothing bounds it above")
    return Words(formula, f"{s.x} lies in {low}..{high}{range_} and stays")


def _bounds_name(micro: m.Clamp) -> str:
    """The integer type that a clamp's bounds belong to; empty where they are none's."""
    for bits in (8, 16, 32):
        for signed in (True, False):
            low, high = limits(bits, signed)
            if micro.low in (low, None) and micro.high in (high, None):
                return integer_type(signed, bits)
    return ""


def _wrap(micro: m.Wrap, s: _Scene) -> Words:
    name = integer_type(micro.signed, micro.bits)
    formula = equals(f"{name}({s.x})", s.value)
    if s.value == s.x:
        return Words(formula, f"{s.x} fits in {name} and stays")
    low = f"bit 0 of {s.x} is" if micro.bits == 1 else f"the low {micro.bits} bits of {s.x}"
    read = "" if micro.bits == 1 else f", read as {name}, are"
    return Words(formula, f"{low}{read} {s.value}")


def _truncate(micro: m.Truncate, s: _Scene) -> Words:
    bits = hex_text(s.value, micro.bits)
    name = short_name(s.trace, s.row.name)
    guarded = s.trace.instruction.guard is not None
    if micro.bits == 1:
        truth = value_text(s.value, Type.PRED)
        if name == "_":
            return Words(becomes(s.value, "_"), f"{truth} is thrown away")
        if guarded:
            return Words(
                Formula(str(s.value), name, Sign.FOR), f"the predicate for {name} is {truth}"
            )
        return Words(equals(name, bits), f"{name} is {truth}")
    formula = becomes(_shown(s, 0), bits)
    low, high = limits(micro.bits, micro.signed)
    if not low <= s.x <= high:
        kept = cast(s.value, micro.bits, micro.signed)
        kind = integer_type(micro.signed, micro.bits)
        wrapped = (
            f"{s.x} does not fit in {kind}: its low {micro.bits} bits are {bits}, which is {kept}"
        )
        return Words(formula, wrapped)
    return Words(formula, f"{'the value for ' if guarded else ''}{name} is {bits}")


def _shown(s: _Scene, index: int) -> str:
    """An input as it was shown at its own row: a number, or the bits of an operand."""
    key = s.row.input_keys[index]
    source = s.trace.rows.get(key)
    if source is None or isinstance(source.row.micro, m.Choose | m.Flush):
        return hex_text(s.input(index), _width(s, key))
    return str(s.input(index))


def _width(s: _Scene, key: str) -> int:
    """The width of an operand, or of the operand that a row passes on."""
    row = s.trace.rows.get(key)
    return _width(s, row.input_keys[-1]) if row else s.trace.instruction.type_of(key).bits


def _merge(micro: m.Merge, s: _Scene) -> Words:
    bits, unit = hex_text(s.value, micro.unit), UNIT_NAMES[micro.unit]
    part = f"{'b' if micro.unit == 8 else 'h'}{s.lane}"
    if s.lane not in micro.lanes:
        name = s.called(1)
        masked = "" if len(s.row.inputs[0]) == 1 else "is not in the mask and "
        said = f"it {masked}keeps {unit} {s.lane} of {name}, {bits}"
        return Words(equals(f"{name}.{part}", bits), said)
    formula = becomes(s.x, bits)
    if micro.high:
        return Words(formula, f"it takes bits 31:16 of {s.x}, {bits}")
    low, high = limits(micro.unit, micro.signed)
    if low <= s.x <= high:
        return Words(formula, f"it takes {s.x}, {bits}")
    kept = cast(s.value, micro.unit, micro.signed)
    kind = integer_type(micro.signed, micro.unit)
    low_bits = f"the low {micro.unit} bits, {bits}, which is {kept}"
    return Words(formula, f"{s.x} does not fit in {kind}, so it takes {low_bits}")


def _pack(micro: m.Pack, s: _Scene) -> Words:
    lanes = " ".join(hex_text(lane, micro.unit)[2:] for lane in reversed(s.row.inputs[0]))
    bits = hex_text(s.value, 32)
    return Words(becomes(lanes, bits), f"the {UNIT_NAMES[micro.unit]}s side by side are {bits}")


def _accumulate(micro: m.Accumulate, s: _Scene) -> Words:
    lanes = [s.row.inputs[0][lane] for lane in sorted(micro.lanes, reverse=True)]
    total = " + ".join([str(s.y), *map(_factor, lanes)])
    others = set(range(micro.of)) - set(micro.lanes)
    rest = f"; without {format_lanes(others)}" if others else ""
    return Words(equals(total, s.value), f"{s.called(1)} and the lanes: {total} is {s.value}{rest}")


def _flush(_: Micro, s: _Scene) -> Words:
    was, now = hex_text(s.x, 32), hex_text(s.value, 32)
    if s.value == s.x:
        return Words(
            equals(f"ftz({was})", now), f"{float_text(s.x, 32)} is not subnormal and stays"
        )
    zero = float_text(s.value, 32)
    return Words(equals(f"ftz({was})", now), f"{was} is subnormal and is flushed to {zero}")


def _compare(micro: m.Compare, s: _Scene) -> Words:
    type_ = micro.type
    values = [s.input(i) for i in range(len(s.row.inputs))]
    if type_ is None:
        texts, read = list(map(str, values)), _readings(s)
    else:
        texts = [value_text(x, type_) for x in values]
        read = [
            f"{hex_text(x, type_.bits)} is {text} as {type_}"
            for x, text in zip(values, texts, strict=True)
        ]
    if len(texts) == 1:
        texts.append("0")
    so = f"so {s.subject} is {s.value}"
    holds = relation(micro.cmp, texts[0], texts[1])
    formula = equals(holds, s.value, grouped=True)
    if type_ is not None and type_.is_float:
        names = (s.called(i) for i, x in enumerate(values) if is_nan(x, type_))
        nan = list(dict.fromkeys(names))
        are = " and ".join(nan) + (" are NaN" if nan[1:] else " is NaN")
        if micro.cmp in (Cmp.NUM, Cmp.NAN):
            formula = equals(f"{micro.cmp}({', '.join(texts)})", s.value)
            fact = are if nan else "neither is NaN"
            return Words(formula, f"{'; '.join(dict.fromkeys(read))}; {fact}, {so}")
        if nan:
            kind = "unordered" if micro.cmp in m.UNORDERED else "ordered"
            always = "holds" if s.value else "does not hold"
            return Words(formula, f"{are}: an {kind} comparison {always}, {so}")
    fact = f"{texts[0]} {cmp_sign(micro.cmp)} {texts[1]}"
    verdict = f"{fact}, {so}" if s.value else f"{fact} is false, {so}"
    return Words(formula, "; ".join([*dict.fromkeys(read), verdict]))


def is_nan(bits: int, type_: Type) -> bool:
    """Whether a float's pattern is NaN."""
    return bool(m.is_nan(EXACT, (bits,), type_.bits)[0])


def _readings(s: _Scene) -> list[str]:
    """How the inputs were read from their bits, where a comparison follows an extension."""
    read = []
    for key in s.row.input_keys:
        row = s.trace.rows[key]
        micro = row.micro
        if isinstance(micro, m.Extend):
            read.append(_reading(micro, at(row.inputs[0], s.lane), at(row.values, s.lane)))
    return read


def _not(_: Micro, s: _Scene) -> Words:
    return Words(equals(f"!{s.x}", s.value), f"!{s.called(0)} is {s.value}")


def _combine(micro: m.Combine, s: _Scene) -> Words:
    left = f"{s.x} {micro.boolop} {s.y}"
    return Words(equals(left, s.value), f"{left} is {s.value}")


def _choose(_: Micro, s: _Scene) -> Words:
    chosen = 1 if s.x else 2
    key = s.row.input_keys[chosen]
    if s.row.stage is Stage.GUARD:
        return _guarded(s)
    bits = hex_text(s.value, _width(s, key))
    truth = value_text(s.x, Type.PRED)
    names = f"{s.called(1)} : {s.called(2)}"
    said = f"the condition is {truth}, so {s.called(chosen)} is chosen, {bits}"
    return Words(equals(f"{s.x} ? {names}", bits), said)


def _guarded(s: _Scene) -> Words:
    """Whether a guard lets a destination be written."""
    role = s.row.name
    name, guard = short_name(s.trace, role), guard_text(s.trace)
    bits = hex_text(s.value, s.trace.instruction.type_of(role).bits)
    if s.x:
        return Words(equals(name, bits), f"{guard} holds: {name} is written, {bits}")
    if s.row.input_keys[2] in s.trace.rows:
        said = f"{guard} does not hold, but {name} becomes {bits}: its old value is converted"
        return Words(equals(name, bits), said)
    said = f"{guard} does not hold: {name} keeps its old value, {bits}"
    return Words(equals(name, bits), said)


def _encode(micro: m.Encode, s: _Scene) -> Words:
    bits, truth = hex_text(s.value, 32), value_text(s.x, Type.PRED)
    one = " (1.0)" if micro.true == 0x3F80_0000 and s.x else ""
    return Words(becomes(truth, bits), f"{truth} becomes {bits}{one}")


_WORDS: dict[type, Callable[..., Words]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Add: _binary("+"),
    m.Subtract: _binary("-"),
    m.Multiply: _binary("*"),
    m.AbsoluteDifference: _absolute_difference,
    m.Minimum: _extreme("min", "smaller"),
    m.Maximum: _extreme("max", "larger"),
    m.Average: _average,
    m.LimitAmount: _limit_amount,
    m.ShiftLeft: _binary("<<"),
    m.ShiftRight: _shift_right,
    m.ScaleDown: _scale,
    m.Negate: _negate,
    m.Magnitude: _magnitude,
    m.ToBits: _to_bits,
    m.ToFloat: _to_float,
    m.PlusOne: _plus_one,
    m.Clamp: _clamp,
    m.Wrap: _wrap,
    m.Truncate: _truncate,
    m.Merge: _merge,
    m.Pack: _pack,
    m.Accumulate: _accumulate,
    m.Flush: _flush,
    m.Compare: _compare,
    m.Not: _not,
    m.Combine: _combine,
    m.Choose: _choose,
    m.Encode: _encode,
}
