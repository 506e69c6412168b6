"""A trace in words: a formula and a sentence for each lane.

Every text uses only the values recorded in the trace. ``describe_step`` in ``step_text`` describes
a step whatever the values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ..isa.integers import cast, get_limits
from ..isa.roles import Role
from ..isa.types import Cmp, Type
from ..records import NamedTuple
from ..semantics import micro_operations as m
from ..semantics.arithmetic import EXACT
from ..semantics.micro_operation import MicroOperation, get_lane
from ..semantics.plan import Row, Stage
from ..syntax.constants import decode_float
from ..syntax.instruction import Instruction
from ..syntax.values import format_float, format_hex, format_value
from .formula import Formula, Sign, make_equation, make_transition
from .trace import RowTrace, Trace

UNIT_NAMES = {8: "byte", 16: "half-word", 32: "word"}
_LONGEST_NAME = 16
"""Characters of the longest register name that sentences repeat."""
_SIGNS = {
    Cmp.EQ: "==",
    Cmp.NE: "!=",
    Cmp.LT: "<",
    Cmp.LE: "<=",
    Cmp.GT: ">",
    Cmp.GE: ">=",
}


def format_comparison(cmp: Cmp) -> str:
    """Return the sign of a comparison: ``<`` for ``lt``, ``lo`` and ``ltu``; ``num``, ``nan``."""
    return _SIGNS.get(m.RELATIONS.get(cmp, cmp), str(cmp))


def format_relation(cmp: Cmp, left_side: str, right_side: str) -> str:
    """Return ``a < b``, or ``a < b or unordered`` for ``ltu``, which holds for NaN too."""
    return f"{left_side} {format_comparison(cmp)} {right_side}" + (
        " or unordered" if cmp in m.UNORDERED else ""
    )


def format_operand_name(trace: Trace, role: str) -> str:
    """Return the register or the literal of an operand."""
    return trace.instruction.format_operand(role)


def format_short_name(trace: Trace, role: str) -> str:
    """Return an operand's name for sentences: its role if the name is long."""
    name = format_operand_name(trace, role)
    return name if len(name) <= _LONGEST_NAME else role


def format_guard(trace: Trace) -> str:
    """Return the guard as sentences name it: ``@!p``."""
    guard = trace.instruction.guard
    return str(guard and guard._replace(name=format_short_name(trace, Role.GUARD)))


def format_integer_type(signed: bool, bits: int = 32) -> str:
    """Return an integer type's name: ``s8``, ``u32``."""
    return f"{'s' if signed else 'u'}{bits}"


def interpret_bits(ins: Instruction, role: str, bits: int) -> str:
    """Return an operand's bits as a number, or as a list of its lanes, highest first."""
    type_ = ins.type_of(role)
    if not ins.has_lanes(role):
        return format_value(bits, type_)
    unit = 32 // ins.entry.lanes
    lanes = (cast(bits >> shift, unit, type_ is Type.S32) for shift in range(32 - unit, -1, -unit))
    return f"[{', '.join(map(str, lanes))}]"


def format_result(trace: Trace) -> str:
    """Return the destinations' bits: ``0x00000007``, or ``p = 0, q = 1`` for several."""
    ins = trace.instruction
    return format_result_bits(ins, {role: trace.result[name] for role, name in ins.results.items()})


def format_result_bits(ins: Instruction, bits: Mapping[str, int]) -> str:
    """Format a result by role like ``format_result``."""
    return join_by_destination(
        ins, {role: format_hex(x, ins.type_of(role).bits) for role, x in bits.items()}
    )


def join_by_destination(ins: Instruction, texts: Mapping[str, str]) -> str:
    """Join one text for each destination, with their names if there are several."""
    if len(ins.results) == 1:
        return next(iter(texts.values()))
    return ", ".join(
        f"{name} = {texts[role]}" for role, name in ins.results.items() if role in texts
    )


class LaneText(NamedTuple):
    """The formula and the sentence of one lane of a row."""

    formula: Formula
    sentence: str


class _LaneContext(NamedTuple):
    """One lane of a row, with the trace around it."""

    trace: Trace
    row: RowTrace
    lane: int

    @property
    def value(self) -> int:
        return self.row.lanes[self.lane].value

    def get_input(self, index: int) -> int:
        lanes = self.row.inputs[index]
        return lanes[self.lane if len(lanes) > 1 else 0]

    @property
    def x(self) -> int:
        return self.get_input(0)

    @property
    def y(self) -> int:
        return self.get_input(1)

    @property
    def subject(self) -> str:
        return "the lane" if len(self.row.lanes) > 1 else self.row.name

    def format_input_name(self, index: int) -> str:
        """Return the name of an input: an operand's or a row's."""
        key = self.row.input_keys[index]
        source = self.trace.rows.get(key)
        return source.row.name if source else format_short_name(self.trace, key)


def describe_lane(trace: Trace, row: RowTrace, lane: int) -> LaneText:
    """Return the formula and the sentence of one lane of a row."""
    return _WORDS[type(row.micro)](row.micro, _LaneContext(trace, row, lane))


def format_lane_sentence(trace: Trace, row: RowTrace, lane: int) -> str:
    """Return the sentence of a lane, prefixed with its number if there are several."""
    sentence = describe_lane(trace, row, lane).sentence
    return f"{get_part_name(trace, row)} {lane}: {sentence}" if len(row.lanes) > 1 else sentence


def get_part_name(trace: Trace, row: RowTrace) -> str:
    """Return the noun for a row's values: ``lane``, or ``byte`` in a scalar merge."""
    if trace.instruction.entry.lanes > 1:
        return "lane"
    return UNIT_NAMES[32 // len(row.lanes)] if len(row.lanes) > 1 else "value"


def format_lanes(lanes: Collection[int]) -> str:
    """Return lanes by number, highest first: ``lanes 3, 1 and 0``, ``lane 2``."""
    *initial_lanes, last_lane = map(str, sorted(lanes, reverse=True))
    return (
        f"lanes {', '.join(initial_lanes)} and {last_lane}"
        if initial_lanes
        else f"lane {last_lane}"
    )


def get_row_name(trace: Trace, row: Row) -> str:
    """Return the name of a row: ``t``, ``a``, or ``_`` for a discarded destination."""
    return "_" if row.stage is Stage.WRITE and _is_discarded(trace, row.name) else row.name


def _is_discarded(trace: Trace, role: str) -> bool:
    return format_short_name(trace, role) == "_"


def _format_factor(number: int) -> str:
    return f"({number})" if number < 0 else str(number)


def _make_binary_describer(sign: str) -> Callable[[MicroOperation, _LaneContext], LaneText]:
    def describe(_: MicroOperation, s: _LaneContext) -> LaneText:
        expression = f"{s.x} {sign} {_format_factor(s.y)}"
        return LaneText(make_equation(expression, s.value), f"{expression} is {s.value}")

    return describe


def _make_extreme_describer(
    name: str, adjective: str
) -> Callable[[MicroOperation, _LaneContext], LaneText]:
    def describe(_: MicroOperation, s: _LaneContext) -> LaneText:
        formula = make_equation(f"{name}({s.x}, {s.y})", s.value)
        if s.x == s.y:
            return LaneText(formula, f"both are {s.value}")
        return LaneText(formula, f"the {adjective} of {s.x} and {s.y} is {s.value}")

    return describe


def _select(micro: m.Select, s: _LaneContext) -> LaneText:
    word, index = micro.picks[s.lane]
    name, bits = s.format_input_name(word), format_hex(s.value, micro.unit)
    if micro.unit == 32:
        return LaneText(make_equation(name, bits), f"all of {name} is {bits}")
    part = f"{name}.{'b' if micro.unit == 8 else 'h'}{index}"
    top = micro.unit * (index + 1) - 1
    place = f"{UNIT_NAMES[micro.unit]} {index} of {name} (bits {top}:{top + 1 - micro.unit})"
    return LaneText(make_equation(part, bits), f"{place} is {bits}")


def _extend(micro: m.Extend, s: _LaneContext) -> LaneText:
    bits, name = format_hex(s.x, micro.bits), format_integer_type(micro.signed, micro.bits)
    sentence = _format_reading(micro, s.x, s.value)
    if micro.bits < 32:
        top = s.x >> (micro.bits - 1)
        sentence += (
            f"; sign-extended with its top bit, {top}" if micro.signed else "; zero-extended"
        )
    return LaneText(make_equation(f"{name}({bits})", s.value), sentence)


def _format_reading(micro: m.Extend, bits: int, value: int) -> str:
    """Describe the conversion of bits to a number: ``0xff is -1 as s8``."""
    name = format_integer_type(micro.signed, micro.bits)
    return f"{format_hex(bits, micro.bits)} is {value} as {name}"


def _describe_absolute_difference(_: MicroOperation, s: _LaneContext) -> LaneText:
    expression = f"|{s.x} - {_format_factor(s.y)}|"
    return LaneText(make_equation(expression, s.value), f"{expression} is {s.value}")


def _describe_average(_: MicroOperation, s: _LaneContext) -> LaneText:
    total = s.x + s.y
    plus = " + 1" if total >= 0 else ""
    formula = make_equation(f"({s.x} + {_format_factor(s.y)}{plus}) >> 1", s.value)
    prefix = f"half of {s.x} + {_format_factor(s.y)} is "
    if total % 2:
        sentence = f"{prefix}{total / 2}, rounded away from zero to {s.value}"
    else:
        sentence = f"{prefix}{s.value}"
    return LaneText(formula, sentence)


def _limit_amount(micro: m.LimitAmount, s: _LaneContext) -> LaneText:
    formula = (
        make_equation(f"{s.x} & 31", s.value)
        if micro.wrap
        else make_equation(f"min({s.x}, 32)", s.value)
    )
    if s.value == s.x:
        return LaneText(formula, f"the shift amount is {s.x}")
    if micro.wrap:
        return LaneText(formula, f".wrap keeps the low five bits of {s.x}: {s.value}")
    return LaneText(formula, f".clamp lowers the shift amount {s.x} to 32")


def _shift_right(_: MicroOperation, s: _LaneContext) -> LaneText:
    expression = f"{s.x} >> {s.y}"
    rounding = " (rounded down: copies of the sign come in)" if s.x < 0 < s.y else ""
    return LaneText(make_equation(expression, s.value), f"{expression} is {s.value}{rounding}")


def _scale(micro: m.ScaleDown, s: _LaneContext) -> LaneText:
    expression = f"{s.x} >> {micro.amount}"
    return LaneText(make_equation(expression, s.value), f"{expression} is {s.value}")


def _negate(_: MicroOperation, s: _LaneContext) -> LaneText:
    return LaneText(
        make_equation(f"-({s.x})", s.value), f"{s.format_input_name(0)} negated is {s.value}"
    )


def _describe_magnitude(micro: m.Magnitude, s: _LaneContext) -> LaneText:
    formula = make_equation(f"|{s.x}|", s.value)
    if s.value < 0:
        name = format_integer_type(True, micro.bits)
        return LaneText(
            formula, f"{s.x} is the most negative {name}: its magnitude wraps to itself"
        )
    return LaneText(formula, f"the magnitude of {s.x} is {s.value}")


def _to_bits(micro: m.ToBits, s: _LaneContext) -> LaneText:
    bits = format_hex(s.value, micro.bits)
    return LaneText(make_transition(s.x, bits), f"{s.x} in {micro.bits} bits is {bits}")


def _to_float(_: MicroOperation, s: _LaneContext) -> LaneText:
    bits = format_hex(s.value, 32)
    number = decode_float(s.value, 32)
    rounded = "" if number == s.x else f", {s.x} rounded to 24 significant bits"
    sentence = f"{s.x} as a float is {bits} ({number:.1f}{rounded})"
    return LaneText(make_equation(f"float({s.x})", bits), sentence)


def _describe_plus_one(_: MicroOperation, s: _LaneContext) -> LaneText:
    return LaneText(make_equation(f"{s.x} + 1", s.value), f".po adds one: {s.value}")


def _clamp(micro: m.Clamp, s: _LaneContext) -> LaneText:
    low, high, name = micro.low, micro.high, _format_bounds_type(micro)
    high_note, low_note, range_note = (
        (f", the largest {name},", f", the smallest {name},", f", the range of {name}")
        if name
        else (",", ",", "")
    )
    if low is None:
        formula = make_equation(f"min({s.x}, {high})", s.value)
    elif high is None:
        formula = make_equation(f"max({s.x}, {low})", s.value)
    else:
        formula = make_equation(f"clamp({s.x}, {low}..{high})", s.value)
    if s.value < s.x:
        return LaneText(formula, f"{s.x} is above {high}{high_note} so it becomes {high}")
    if s.value > s.x:
        return LaneText(formula, f"{s.x} is below {low}{low_note} so it becomes {low}")
    if low is None:
        return LaneText(formula, f"{s.x} is not above {high}: unchanged; there is no lower bound")
    if high is None:
        return LaneText(formula, f"{s.x} is not below {low}: unchanged; there is no upper bound")
    return LaneText(formula, f"{s.x} is within {low}..{high}{range_note}: unchanged")


def _format_bounds_type(micro: m.Clamp) -> str:
    """Return the integer type with a clamp's bounds, or an empty string."""
    for bits in (8, 16, 32):
        for signed in (True, False):
            low, high = get_limits(bits, signed)
            if micro.low in (low, None) and micro.high in (high, None):
                return format_integer_type(signed, bits)
    return ""


def _wrap(micro: m.Wrap, s: _LaneContext) -> LaneText:
    name = format_integer_type(micro.signed, micro.bits)
    formula = make_equation(f"{name}({s.x})", s.value)
    if s.value == s.x:
        return LaneText(formula, f"{s.x} fits in {name}: unchanged")
    low = f"bit 0 of {s.x} is" if micro.bits == 1 else f"the low {micro.bits} bits of {s.x}"
    reading = "" if micro.bits == 1 else f", read as {name}, are"
    return LaneText(formula, f"{low}{reading} {s.value}")


def _truncate(micro: m.Truncate, s: _LaneContext) -> LaneText:
    bits = format_hex(s.value, micro.bits)
    name = format_short_name(s.trace, s.row.name)
    guarded = s.trace.instruction.guard is not None
    if micro.bits == 1:
        truth = format_value(s.value, Type.PRED)
        if name == "_":
            return LaneText(make_transition(s.value, "_"), f"{truth} is discarded")
        if guarded:
            return LaneText(
                Formula(str(s.value), name, Sign.FOR), f"the predicate for {name} is {truth}"
            )
        return LaneText(make_equation(name, bits), f"{name} is {truth}")
    formula = make_transition(_format_input(s, 0), bits)
    low, high = get_limits(micro.bits, micro.signed)
    if not low <= s.x <= high:
        number = cast(s.value, micro.bits, micro.signed)
        kind = format_integer_type(micro.signed, micro.bits)
        wrapped = (
            f"{s.x} does not fit in {kind}: its low {micro.bits} bits are {bits}, which is {number}"
        )
        return LaneText(formula, wrapped)
    return LaneText(formula, f"{'the value for ' if guarded else ''}{name} is {bits}")


def _format_input(s: _LaneContext, index: int) -> str:
    """Return an input as its own row shows it: a number, or the bits of an operand."""
    key = s.row.input_keys[index]
    source = s.trace.rows.get(key)
    if source is None or isinstance(source.row.micro, m.Choose | m.Flush):
        return format_hex(s.get_input(index), _find_width(s, key))
    return str(s.get_input(index))


def _find_width(s: _LaneContext, key: str) -> int:
    """Return the width of an operand, or of the operand that a row passes on, in bits."""
    row = s.trace.rows.get(key)
    return _find_width(s, row.input_keys[-1]) if row else s.trace.instruction.type_of(key).bits


def _merge(micro: m.Merge, s: _LaneContext) -> LaneText:
    bits, unit = format_hex(s.value, micro.unit), UNIT_NAMES[micro.unit]
    part = f"{'b' if micro.unit == 8 else 'h'}{s.lane}"
    if s.lane not in micro.lanes:
        name = s.format_input_name(1)
        condition = "" if len(s.row.inputs[0]) == 1 else "is not in the mask and "
        sentence = f"it {condition}keeps {unit} {s.lane} of {name}, {bits}"
        return LaneText(make_equation(f"{name}.{part}", bits), sentence)
    formula = make_transition(s.x, bits)
    if micro.high:
        return LaneText(formula, f"it takes bits 31:16 of {s.x}, {bits}")
    low, high = get_limits(micro.unit, micro.signed)
    if low <= s.x <= high:
        return LaneText(formula, f"it takes {s.x}, {bits}")
    number = cast(s.value, micro.unit, micro.signed)
    kind = format_integer_type(micro.signed, micro.unit)
    low_bits = f"the low {micro.unit} bits, {bits}, which is {number}"
    return LaneText(formula, f"{s.x} does not fit in {kind}, so it takes {low_bits}")


def _describe_pack(micro: m.Pack, s: _LaneContext) -> LaneText:
    lanes = " ".join(format_hex(lane, micro.unit)[2:] for lane in reversed(s.row.inputs[0]))
    bits = format_hex(s.value, 32)
    return LaneText(
        make_transition(lanes, bits), f"the {UNIT_NAMES[micro.unit]}s side by side are {bits}"
    )


def _accumulate(micro: m.Accumulate, s: _LaneContext) -> LaneText:
    lanes = [s.row.inputs[0][lane] for lane in sorted(micro.lanes, reverse=True)]
    total = " + ".join([str(s.y), *map(_format_factor, lanes)])
    skipped_lanes = set(range(micro.input_lanes)) - set(micro.lanes)
    suffix = f"; without {format_lanes(skipped_lanes)}" if skipped_lanes else ""
    return LaneText(
        make_equation(total, s.value),
        f"{s.format_input_name(1)} and the lanes: {total} is {s.value}{suffix}",
    )


def _flush(_: MicroOperation, s: _LaneContext) -> LaneText:
    bits, new_bits = format_hex(s.x, 32), format_hex(s.value, 32)
    if s.value == s.x:
        return LaneText(
            make_equation(f"ftz({bits})", new_bits),
            f"{format_float(s.x, 32)} is not subnormal: unchanged",
        )
    zero = format_float(s.value, 32)
    return LaneText(
        make_equation(f"ftz({bits})", new_bits), f"{bits} is subnormal and is flushed to {zero}"
    )


def _compare(micro: m.Compare, s: _LaneContext) -> LaneText:
    type_ = micro.type
    values = [s.get_input(i) for i in range(len(s.row.inputs))]
    if type_ is None:
        texts, readings = list(map(str, values)), _list_readings(s)
    else:
        texts = [format_value(x, type_) for x in values]
        readings = [
            f"{format_hex(x, type_.bits)} is {text} as {type_}"
            for x, text in zip(values, texts, strict=True)
        ]
    if len(texts) == 1:
        texts.append("0")
    conclusion = f"so {s.subject} is {s.value}"
    relation = format_relation(micro.cmp, texts[0], texts[1])
    formula = make_equation(relation, s.value, is_grouped=True)
    if type_ is not None and type_.is_float:
        names = (s.format_input_name(i) for i, x in enumerate(values) if is_nan(x, type_))
        nan = list(dict.fromkeys(names))
        nan_names = " and ".join(nan) + (" are NaN" if nan[1:] else " is NaN")
        if micro.cmp in (Cmp.NUM, Cmp.NAN):
            formula = make_equation(f"{micro.cmp}({', '.join(texts)})", s.value)
            fact = nan_names if nan else "neither is NaN"
            return LaneText(formula, f"{'; '.join(dict.fromkeys(readings))}; {fact}, {conclusion}")
        if nan:
            kind = "unordered" if micro.cmp in m.UNORDERED else "ordered"
            outcome = "holds" if s.value else "does not hold"
            return LaneText(formula, f"{nan_names}: an {kind} comparison {outcome}, {conclusion}")
    fact = f"{texts[0]} {format_comparison(micro.cmp)} {texts[1]}"
    verdict = f"{fact}, {conclusion}" if s.value else f"{fact} is false, {conclusion}"
    return LaneText(formula, "; ".join([*dict.fromkeys(readings), verdict]))


def is_nan(bits: int, type_: Type) -> bool:
    """Return whether the bits of a float are a NaN."""
    return bool(m.is_nan(EXACT, (bits,), type_.bits)[0])


def _list_readings(s: _LaneContext) -> list[str]:
    """Describe how a comparison's inputs were read from their bits."""
    readings = []
    for key in s.row.input_keys:
        row = s.trace.rows[key]
        micro = row.micro
        if isinstance(micro, m.Extend):
            readings.append(
                _format_reading(
                    micro, get_lane(row.inputs[0], s.lane), get_lane(row.values, s.lane)
                )
            )
    return readings


def _describe_not(_: MicroOperation, s: _LaneContext) -> LaneText:
    return LaneText(make_equation(f"!{s.x}", s.value), f"!{s.format_input_name(0)} is {s.value}")


def _describe_combination(micro: m.Combine, s: _LaneContext) -> LaneText:
    expression = f"{s.x} {micro.boolop} {s.y}"
    return LaneText(make_equation(expression, s.value), f"{expression} is {s.value}")


def _choose(_: MicroOperation, s: _LaneContext) -> LaneText:
    index = 1 if s.x else 2
    key = s.row.input_keys[index]
    if s.row.stage is Stage.GUARD:
        return _describe_guard(s)
    bits = format_hex(s.value, _find_width(s, key))
    truth = format_value(s.x, Type.PRED)
    names = f"{s.format_input_name(1)} : {s.format_input_name(2)}"
    sentence = f"the condition is {truth}, so {s.format_input_name(index)} is selected, {bits}"
    return LaneText(make_equation(f"{s.x} ? {names}", bits), sentence)


def _describe_guard(s: _LaneContext) -> LaneText:
    """Describe whether the guard lets a destination be written."""
    role = s.row.name
    name, guard = format_short_name(s.trace, role), format_guard(s.trace)
    bits = format_hex(s.value, s.trace.instruction.type_of(role).bits)
    if s.x:
        return LaneText(make_equation(name, bits), f"{guard} holds: {name} is written, {bits}")
    if s.row.input_keys[2] in s.trace.rows:
        sentence = f"{guard} does not hold, but {name} becomes {bits}: its old value is converted"
        return LaneText(make_equation(name, bits), sentence)
    sentence = f"{guard} does not hold: {name} keeps its old value, {bits}"
    return LaneText(make_equation(name, bits), sentence)


def _encode(micro: m.Encode, s: _LaneContext) -> LaneText:
    bits, truth = format_hex(s.value, 32), format_value(s.x, Type.PRED)
    one = " (1.0)" if micro.true == 0x3F80_0000 and s.x else ""
    return LaneText(make_transition(truth, bits), f"{truth} becomes {bits}{one}")


_WORDS: dict[type, Callable[..., LaneText]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Add: _make_binary_describer("+"),
    m.Subtract: _make_binary_describer("-"),
    m.Multiply: _make_binary_describer("*"),
    m.AbsoluteDifference: _describe_absolute_difference,
    m.Minimum: _make_extreme_describer("min", "smaller"),
    m.Maximum: _make_extreme_describer("max", "larger"),
    m.Average: _describe_average,
    m.LimitAmount: _limit_amount,
    m.ShiftLeft: _make_binary_describer("<<"),
    m.ShiftRight: _shift_right,
    m.ScaleDown: _scale,
    m.Negate: _negate,
    m.Magnitude: _describe_magnitude,
    m.ToBits: _to_bits,
    m.ToFloat: _to_float,
    m.PlusOne: _describe_plus_one,
    m.Clamp: _clamp,
    m.Wrap: _wrap,
    m.Truncate: _truncate,
    m.Merge: _merge,
    m.Pack: _describe_pack,
    m.Accumulate: _accumulate,
    m.Flush: _flush,
    m.Compare: _compare,
    m.Not: _describe_not,
    m.Combine: _describe_combination,
    m.Choose: _choose,
    m.Encode: _encode,
}
