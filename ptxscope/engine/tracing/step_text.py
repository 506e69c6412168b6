"""Titles of steps, and sentences about them that do not depend on the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..isa.types import Cmp, Selector, Type
from ..semantics import micro_operations as m
from ..semantics.micro_operation import MicroOperation
from ..semantics.plan import Row, Stage
from .lane_text import (
    UNIT_NAMES,
    format_guard,
    format_integer_type,
    format_lanes,
    format_relation,
    format_short_name,
)
from .trace import Step, Trace

_TITLES = {
    Stage.BOOLEAN: "Boolean",
    Stage.SUM: "add c",
}
_OPERATION_TITLES: dict[type[MicroOperation], str] = {
    m.AbsoluteDifference: "difference",
    m.ScaleDown: "average",
}
_SECONDARY: dict[type[MicroOperation], str] = {
    m.Add: "add c",
    m.Minimum: "min with c",
    m.Maximum: "max with c",
}


def format_title(step: Step) -> str:
    """Return a step's title in a word or two: ``select``, ``add``, ``min with c``."""
    return format_stage_title(step.stage, _list_plan_rows(step))


def format_stage_title(stage: Stage, rows: tuple[Row, ...]) -> str:
    """Return the title of the step that has the rows of a stage."""
    if stage is Stage.OPERATE:
        micro = _get_subject(rows).micro
        return _OPERATION_TITLES.get(type(micro), micro.operation)
    if stage is Stage.SECONDARY:
        return _SECONDARY[type(_get_subject(rows).micro)]
    return _TITLES.get(stage, str(stage))


def list_stage_names(stage: Stage) -> tuple[str, ...]:
    """Return every title that a step of a stage can have."""
    if stage is Stage.OPERATE:
        kinds = (_OPERATION_TITLES.get(kind, kind.operation) for kind in _OPERATIONS)
        return tuple(dict.fromkeys(kinds))
    if stage is Stage.SECONDARY:
        return tuple(_SECONDARY.values())
    return (_TITLES.get(stage, str(stage)),)


def _get_subject(rows: tuple[Row, ...]) -> Row:
    """Return the main row of a step."""
    return next(row for row in rows if row.name == "t")


def _list_plan_rows(step: Step) -> tuple[Row, ...]:
    return tuple(row.row for row in step.rows)


def describe_step(trace: Trace, step: Step) -> str:
    """Describe a step of this instruction in one or two sentences."""
    return _ABOUT[step.stage](trace, _list_plan_rows(step))


def _find_micro(rows: tuple[Row, ...], name: str) -> MicroOperation | None:
    return next((row.micro for row in rows if row.name == name), None)


def _has_row(rows: tuple[Row, ...], name: str) -> bool:
    return any(row.name == name for row in rows)


def _flush(_: Trace, rows: tuple[Row, ...]) -> str:
    names = " or ".join(row.name for row in rows)
    return f".ftz: a subnormal {names} is treated as a zero of the same sign."


def _select(trace: Trace, rows: tuple[Row, ...]) -> str:
    parts = []
    for row in rows:
        micro = row.micro
        assert isinstance(micro, m.Select)
        if len(micro.picks) == 1:
            name = format_short_name(trace, row.inputs[0])
            parts.append(
                f"all of {name}"
                if micro.unit == 32
                else f"{UNIT_NAMES[micro.unit]} {micro.picks[0][1]} of {name}"
            )
        else:
            parts.append(f"For {row.name}, {_describe_selection(trace, row, micro)}")
    if all(_has_own_lanes(row) for row in rows):
        unit = UNIT_NAMES[32 // rows[0].lanes]
        names = dict.fromkeys(format_short_name(trace, row.name) for row in rows)
        return f"Each lane takes its own {unit} of {' and of '.join(names)}."
    if any(row.lanes > 1 for row in rows):
        return ". ".join(parts) + "."
    text = " and ".join(parts)
    return f"Selects {text}."


def _has_own_lanes(row: Row) -> bool:
    """Return whether every lane takes its own part of the register that names the row."""
    micro = row.micro
    assert isinstance(micro, m.Select)
    own_picks = tuple((0, lane) for lane in range(row.lanes))
    return row.lanes > 1 and row.inputs == (row.name,) and micro.picks == own_picks


def _describe_selection(trace: Trace, row: Row, micro: m.Select) -> str:
    names = [format_short_name(trace, role) for role in row.inputs]
    unit = UNIT_NAMES[micro.unit]
    if len(names) == 1 and [index for _, index in micro.picks] == list(range(len(micro.picks))):
        return f"each lane takes its own {unit} of {names[0]}"
    letter = "b" if micro.unit == 8 else "h"
    parts_text = ", ".join(f"{names[w]}.{letter}{i}" for w, i in reversed(micro.picks))
    lanes = "3 to 0" if len(micro.picks) == 4 else "1 and 0"
    return f"lanes {lanes} take {parts_text}"


def _extend(trace: Trace, rows: tuple[Row, ...]) -> str:
    groups: dict[tuple[str, MicroOperation], list[Row]] = {}
    for row in rows:
        assert isinstance(row.micro, m.Extend)
        type_name = _format_read_type(trace, row.name, row.micro.signed)
        groups.setdefault((type_name, row.micro), []).append(row)
    parts = [_reading(type_name, group) for (type_name, _), group in groups.items()]
    exact = "From here on the numbers are exact until a step says that it truncates them."
    return f"{'; '.join(parts)}. {exact}"


def _reading(type_name: str, rows: Sequence[Row]) -> str:
    """Describe how operands of one type are read, and what the type means if they are narrow."""
    micro = rows[0].micro
    assert isinstance(micro, m.Extend)
    names = f"{' and '.join(row.name for row in rows)} {'are' if rows[1:] else 'is'}"
    if micro.bits == 32:
        return f"{names} read as {type_name}"
    sign, extension = ("signed", "sign") if micro.signed else ("unsigned", "zero")
    determiner = "each" if rows[1:] or rows[0].lanes > 1 else "its"
    part = f"{determiner} {UNIT_NAMES[micro.bits]}"
    narrow = format_integer_type(micro.signed, micro.bits)
    return f"{names} {type_name}, so {sign}: {part} is read as {narrow} and {extension}-extended"


def _format_read_type(trace: Trace, role: str, is_signed: bool) -> str:
    """Return ``u32``, with the written type if an erratum reads another one."""
    type_name = format_integer_type(is_signed)
    written_type = str(trace.instruction.type_of(role))
    if trace.instruction.opcode == "vmad" and role == "c":
        written_type = trace.instruction.form.final_type
    return type_name if type_name == written_type else f"{type_name} (not {written_type}!)"


_OPERATIONS: dict[type[MicroOperation], str] = {
    m.Add: "a + b, exactly: nothing wraps yet.",
    m.Subtract: "a - b, exactly: nothing wraps yet.",
    m.AbsoluteDifference: "The distance between a and b, exactly.",
    m.Minimum: "The smaller of a and b, as exact numbers whatever their types.",
    m.Maximum: "The larger of a and b, as exact numbers whatever their types.",
    m.Average: "Half of a + b; halves are rounded away from zero.",
    m.ShiftLeft: "a shifted left, exactly: no bit is lost yet.",
    m.ShiftRight: "a shifted right",
    m.Multiply: "a times b, exactly.",
    m.Compare: "as exact numbers whatever their types",
    m.ScaleDown: "Half of a + b, rounded down.",
}


def _describe_operation(trace: Trace, rows: tuple[Row, ...]) -> str:
    row = _get_subject(rows)
    sentence = _OPERATIONS[type(row.micro)]
    if isinstance(row.micro, m.Compare):
        true_value = (
            "all ones" if _has_row(rows, "ones") else "-1" if _has_row(rows, "minus") else "1"
        )
        sentence = (
            f"{format_relation(row.micro.cmp, 'a', 'b')}, {sentence}: {true_value} if true, else 0."
        )
    if isinstance(row.micro, m.ShiftRight):
        extend = trace.rows[row.inputs[0]].row.micro
        is_signed = isinstance(extend, m.Extend) and extend.signed
        sentence += "; copies of its sign come in above." if is_signed else "; zeros come in above."
    amount = _find_micro(rows, "amount")
    if isinstance(amount, m.LimitAmount):
        sentence += (
            " .wrap keeps the low five bits of the amount."
            if amount.wrap
            else " .clamp limits the amount to 32."
        )
    form = trace.instruction.form
    if form.nega and form.negb:
        sentence += " The two minus signs cancel."
    if _has_row(rows, "negated"):
        sentence += " The product is negated."
    if _has_row(rows, "even"):
        sentence = "Half of a + b; halves are rounded to the even neighbour."
    scaled = _find_micro(rows, "scaled")
    if isinstance(scaled, m.ScaleDown):
        sentence += f" It is shifted right by {scaled.amount}, rounding down."
    return sentence


def _compare(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[-1].micro
    assert isinstance(micro, m.Compare)
    if trace.instruction.opcode == "slct":
        nan = " With a NaN it is false." if micro.type is Type.F32 else ""
        return f"{format_relation(micro.cmp, 'c', '0')}, c read as .{micro.type}.{nan}"
    if micro.cmp in (Cmp.NUM, Cmp.NAN):
        condition = "neither a nor b is NaN" if micro.cmp is Cmp.NUM else "a or b is NaN"
        return f".{micro.cmp}: true if {condition}."
    sentence = f"{format_relation(micro.cmp, 'a', 'b')}, both read as .{micro.type}."
    if micro.type is not None and micro.type.is_float:
        outcome = "true" if micro.cmp in m.UNORDERED else "false"
        sentence += f" With a NaN it is {outcome}."
    return sentence


def _describe_boolean(trace: Trace, rows: tuple[Row, ...]) -> str:
    boolop = trace.instruction.form.boolop
    c = "!c" if trace.instruction.form.negc else "c"
    if boolop is None:
        return "q is !t, the opposite of the comparison."
    names = {row.name for row in rows}
    if "q" in names and "p" in names:
        return f"p is t {boolop} {c}; q is !t {boolop} {c}."
    return f"q is !t {boolop} {c}." if "q" in names else f"The result is t {boolop} {c}."


def _choose(trace: Trace, _: tuple[Row, ...]) -> str:
    if trace.instruction.opcode == "slct":
        return "Selects a if t is true, else b, and copies its bits unchanged."
    c = "!c" if trace.instruction.form.negc else "c"
    return f"Selects a if {c} is true, else b, and copies its bits unchanged."


def _describe_sum(trace: Trace, rows: tuple[Row, ...]) -> str:
    extend = _find_micro(rows, "c")
    assert isinstance(extend, m.Extend)
    sentence = f"c is read as {_format_read_type(trace, 'c', extend.signed)}"
    sentence += ", negated and added" if _has_row(rows, "negated") else " and added"
    sentence += ", in 64 bits" if _has_row(rows, "t64") else ", exactly"
    return sentence + ("; .po adds one more." if _has_row(rows, "po") else ".")


def _scale(trace: Trace, _: tuple[Row, ...]) -> str:
    scale = trace.instruction.form.scale
    assert scale
    return f".{scale} shifts right by {scale.amount}, rounding down."


def _saturate(_: Trace, rows: tuple[Row, ...]) -> str:
    clamp = rows[-1].micro
    assert isinstance(clamp, m.Clamp)
    if clamp.low is None:  # after truncation to u64
        clamps = f"clamps to at most {clamp.high}. A negative t is a huge number as u64"
    elif clamp.high is None:
        clamps = f"clamps to at least {clamp.low}; there is no upper bound on t"
    else:
        clamps = f"clamps to {clamp.low}..{clamp.high}"
    cut = _describe_truncation(rows)
    return f"{cut}; .sat then {clamps}." if cut else f".sat {clamps}."


def _describe_truncation(rows: tuple[Row, ...]) -> str:
    """Describe the truncation of t before a step: ``t is read as s32, then as u64``."""
    wraps = (row.micro for row in rows if isinstance(row.micro, m.Wrap) and row.name != "c64")
    kinds = [format_integer_type(wrap.signed, wrap.bits) for wrap in wraps]
    return f"t is read as {', then as '.join(kinds)}" if kinds else ""


def _describe_secondary(trace: Trace, rows: tuple[Row, ...]) -> str:
    form = trace.instruction.form
    extend = _find_micro(rows, "c")
    assert isinstance(extend, m.Extend)
    actions = {
        "add": "adds it to t",
        "min": "takes the smaller of t and c",
        "max": "takes the larger of t and c",
    }
    truncation, type_name = _describe_truncation(rows), _format_read_type(trace, "c", extend.signed)
    types = f"{truncation}, and c as {type_name}" if truncation else f"c is read as {type_name}"
    sentence = f"{types}; .{form.secop} {actions[str(form.secop)]}."
    suffix = " again" if form.sat else ""
    if _has_row(rows, "clamped"):
        return f"{sentence} The result is clamped{suffix}."
    return f"{sentence} The result is not clamped again." if suffix else sentence


def _merge(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    assert isinstance(micro, m.Merge)
    role = rows[0].inputs[1] if len(rows[0].inputs) > 1 else "c"
    unit, c = UNIT_NAMES[micro.unit], format_short_name(trace, role)
    if len(trace.rows[rows[0].key].inputs[0]) == 1:
        source_part = "bits 31:16 of t" if micro.high else f"the low {micro.unit} bits of t"
        return f"{source_part[0].upper()}{source_part[1:]} replace {unit} {micro.lanes[0]} of {c}."
    if len(micro.lanes) == 32 // micro.unit:
        return f"Each lane takes t truncated to a {unit}; carries do not cross lanes."
    mask = Selector(micro.unit, micro.lanes)
    kept_lanes = set(range(32 // micro.unit)) - set(micro.lanes)
    verb = "takes" if len(micro.lanes) == 1 else "take"
    kept_part = f"keeps {c}'s {unit}" if len(kept_lanes) == 1 else f"keep {c}'s {unit}s"
    written_text, kept_text = format_lanes(micro.lanes), format_lanes(kept_lanes)
    return f"Mask .{mask}: {written_text} {verb} t truncated to a {unit}; {kept_text} {kept_part}."


def _accumulate(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = _find_micro(rows, "t")
    assert isinstance(micro, m.Accumulate)
    wrap = _find_micro(rows, "cut")
    truncation = f" truncated to a {UNIT_NAMES[wrap.bits]}" if isinstance(wrap, m.Wrap) else ""
    ending = "then clamped" if _has_row(rows, "clamped") else "neither clamped nor truncated"
    reading = ", read as s32," if _has_row(rows, "c") else ""
    lanes_text = (
        "every lane" if len(micro.lanes) == micro.input_lanes else format_lanes(micro.lanes)
    )
    name = "" if trace.instruction.form.secop is None else f".{trace.instruction.form.secop}: "
    c = format_short_name(trace, "c")
    return f"{name}{c}{reading} plus t of {lanes_text}{truncation}; the sum is {ending}."


def _write(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    names = " and ".join(format_short_name(trace, row.name) for row in rows)
    is_guarded = trace.instruction.guard is not None
    # the guard decides about the write
    action = f"go to {names} if the guard holds" if is_guarded else f"are written to {names}"
    if isinstance(micro, m.Encode):
        true_value = {0x3F80_0000: "1.0 (0x3f800000)", 1: "1"}.get(micro.true, "0xffffffff")
        sentence = f"{names} takes {true_value} for true, 0 for false"
        return f"If the guard holds, {sentence}." if is_guarded else f"{sentence}."
    if isinstance(micro, m.Pack):
        return f"The {UNIT_NAMES[micro.unit]}s {action}."
    assert isinstance(micro, m.Truncate)
    if names == "_":
        return "Nothing is written: the destination is `_`."
    if micro.bits == 1:
        is_pair = len(rows) > 1
        singular = action.replace("go ", "goes ").replace("are ", "is ")
        return f"The predicates {action}." if is_pair else f"The predicate {singular}."
    is_whole = _is_whole_destination(trace, rows[0])
    return f"The {'' if is_whole else 'low '}{micro.bits} bits {action}."


def _is_whole_destination(trace: Trace, row: Row) -> bool:
    """Return whether a row is written from as many bits as its destination has."""
    return isinstance(trace.rows[row.inputs[0]].row.micro, m.Choose)


def _describe_guard(trace: Trace, rows: tuple[Row, ...]) -> str:
    guard = trace.instruction.guard
    assert guard
    text, name = format_guard(trace), format_short_name(trace, "guard")
    condition, opposite = ("false", "true") if guard.negated else ("true", "false")
    if _has_row(rows, "old"):
        d = format_short_name(trace, rows[-1].name)
        sentence = f"{text} covers the choice of true or 0, not the conversion after it"
        return f"{sentence}: if {name} is {opposite}, the old {d} is converted."
    return f"{text}: the instruction acts only if {name} is {condition}."


_ABOUT: dict[Stage, Callable[[Trace, tuple[Row, ...]], str]] = {
    Stage.FLUSH: _flush,
    Stage.SELECT: _select,
    Stage.EXTEND: _extend,
    Stage.OPERATE: _describe_operation,
    Stage.COMPARE: _compare,
    Stage.BOOLEAN: _describe_boolean,
    Stage.CHOOSE: _choose,
    Stage.SUM: _describe_sum,
    Stage.SCALE: _scale,
    Stage.SATURATE: _saturate,
    Stage.SECONDARY: _describe_secondary,
    Stage.MERGE: _merge,
    Stage.ACCUMULATE: _accumulate,
    Stage.WRITE: _write,
    Stage.GUARD: _describe_guard,
}
