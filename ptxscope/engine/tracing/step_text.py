"""Titles of steps, and sentences about them that do not depend on the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..isa.types import Cmp, Selector, Type
from ..semantics import micro_operations as m
from ..semantics.micro_operation import MicroOperation
from ..semantics.plan import PlanStep, Row, Stage
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


def format_title(step: Step | PlanStep) -> str:
    """Return a step's title in a word or two: ``select``, ``add``, ``min with c``."""
    rows = _plan_rows(step)
    if step.stage is Stage.OPERATE:
        micro = _get_subject(rows).micro
        return _OPERATION_TITLES.get(type(micro), micro.operation)
    if step.stage is Stage.SECONDARY:
        return _SECONDARY[type(_get_subject(rows).micro)]
    return _TITLES.get(step.stage, str(step.stage))


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


def _plan_rows(step: Step | PlanStep) -> tuple[Row, ...]:
    return tuple(row if isinstance(row, Row) else row.row for row in step.rows)


def describe_step(trace: Trace, step: Step) -> str:
    """Describe a step of this instruction in one or two sentences."""
    return _ABOUT[step.stage](trace, _plan_rows(step))


def _find_micro(rows: tuple[Row, ...], name: str) -> MicroOperation | None:
    return next((row.micro for row in rows if row.name == name), None)


def _has_row(rows: tuple[Row, ...], name: str) -> bool:
    return any(row.name == name for row in rows)


def _flush(_: Trace, rows: tuple[Row, ...]) -> str:
    names = " or ".join(row.name for row in rows)
    return f".ftz: a subnormal {names} counts as a zero of the same sign."


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
    return f"{text[0].upper()}{text[1:]} are taken."


def _has_own_lanes(row: Row) -> bool:
    """Return whether every lane takes its own part of the register that names the row."""
    micro = row.micro
    assert isinstance(micro, m.Select)
    own = tuple((0, lane) for lane in range(row.lanes))
    return row.lanes > 1 and row.inputs == (row.name,) and micro.picks == own


def _describe_selection(trace: Trace, row: Row, micro: m.Select) -> str:
    names = [format_short_name(trace, role) for role in row.inputs]
    unit = UNIT_NAMES[micro.unit]
    if len(names) == 1 and [index for _, index in micro.picks] == list(range(len(micro.picks))):
        return f"each lane takes its own {unit} of {names[0]}"
    letter = "b" if micro.unit == 8 else "h"
    taken = ", ".join(f"{names[w]}.{letter}{i}" for w, i in reversed(micro.picks))
    lanes = "3 to 0" if len(micro.picks) == 4 else "1 and 0"
    return f"lanes {lanes} take {taken}"


def _extend(trace: Trace, rows: tuple[Row, ...]) -> str:
    groups: dict[tuple[str, MicroOperation], list[Row]] = {}
    for row in rows:
        assert isinstance(row.micro, m.Extend)
        read = _format_read_type(trace, row.name, row.micro.signed)
        groups.setdefault((read, row.micro), []).append(row)
    parts = [_reading(read, group) for (read, _), group in groups.items()]
    return f"{'; '.join(parts)}. From here on the numbers are exact; a step that cuts them says so."


def _reading(read: str, rows: Sequence[Row]) -> str:
    """Describe how operands of one type are read, and what the type means if they are narrow."""
    micro = rows[0].micro
    assert isinstance(micro, m.Extend)
    names = f"{' and '.join(row.name for row in rows)} {'are' if rows[1:] else 'is'}"
    if micro.bits == 32:
        return f"{names} read as {read}"
    sign, extension = ("signed", "sign") if micro.signed else ("unsigned", "zero")
    which = "each" if rows[1:] or rows[0].lanes > 1 else "its"
    part = f"{which} {UNIT_NAMES[micro.bits]}"
    narrow = format_integer_type(micro.signed, micro.bits)
    return f"{names} {read}, so {sign}: {part} is read as {narrow} and {extension}-extended"


def _format_read_type(trace: Trace, role: str, is_signed: bool) -> str:
    """Return ``u32``, with the written type if an erratum reads another one."""
    read = format_integer_type(is_signed)
    written = str(trace.instruction.type_of(role))
    if trace.instruction.opcode == "vmad" and role == "c":
        written = trace.instruction.form.final_type
    return read if read == written else f"{read} (not {written}!)"


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
    said = _OPERATIONS[type(row.micro)]
    if isinstance(row.micro, m.Compare):
        true = "all ones" if _has_row(rows, "ones") else "-1" if _has_row(rows, "minus") else "1"
        said = f"{format_relation(row.micro.cmp, 'a', 'b')}, {said}: {true} if true, else 0."
    if isinstance(row.micro, m.ShiftRight):
        extend = trace.rows[row.inputs[0]].row.micro
        copies = isinstance(extend, m.Extend) and extend.signed
        said += "; copies of its sign come in above." if copies else "; zeros come in above."
    amount = _find_micro(rows, "amount")
    if isinstance(amount, m.LimitAmount):
        said += (
            " .wrap keeps the low five bits of the amount."
            if amount.wrap
            else " .clamp limits the amount to 32."
        )
    form = trace.instruction.form
    if form.nega and form.negb:
        said += " The two minus signs cancel."
    if _has_row(rows, "negated"):
        said += " The product is negated."
    if _has_row(rows, "even"):
        said = "Half of a + b; halves are rounded to the even neighbour."
    scaled = _find_micro(rows, "scaled")
    if isinstance(scaled, m.ScaleDown):
        said += f" It is shifted right by {scaled.amount}, rounding down."
    return said


def _compare(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[-1].micro
    assert isinstance(micro, m.Compare)
    if trace.instruction.opcode == "slct":
        nan = " With a NaN it is false." if micro.type is Type.F32 else ""
        return f"{format_relation(micro.cmp, 'c', '0')}, c read as .{micro.type}.{nan}"
    if micro.cmp in (Cmp.NUM, Cmp.NAN):
        what = "neither a nor b is NaN" if micro.cmp is Cmp.NUM else "a or b is NaN"
        return f".{micro.cmp}: true if {what}."
    said = f"{format_relation(micro.cmp, 'a', 'b')}, both read as .{micro.type}."
    if micro.type is not None and micro.type.is_float:
        holds = "true" if micro.cmp in m.UNORDERED else "false"
        said += f" With a NaN it is {holds}."
    return said


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
        return "a is taken if t is true, else b; its bits are copied unchanged."
    c = "!c" if trace.instruction.form.negc else "c"
    return f"a is taken if {c} is true, else b; its bits are copied unchanged."


def _describe_sum(trace: Trace, rows: tuple[Row, ...]) -> str:
    extend = _find_micro(rows, "c")
    assert isinstance(extend, m.Extend)
    said = f"c is read as {_format_read_type(trace, 'c', extend.signed)}"
    said += ", negated and added" if _has_row(rows, "negated") else " and added"
    said += ", in 64 bits" if _has_row(rows, "t64") else ", exactly"
    return said + ("; .po adds one more." if _has_row(rows, "po") else ".")


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
        clamps = f"clamps to at least {clamp.low}; nothing bounds t above"
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
    does = {
        "add": "adds it to t",
        "min": "takes the smaller of t and c",
        "max": "takes the larger of t and c",
    }
    cut, read = _describe_truncation(rows), _format_read_type(trace, "c", extend.signed)
    types = f"{cut}, and c as {read}" if cut else f"c is read as {read}"
    said = f"{types}; .{form.secop} {does[str(form.secop)]}."
    again = " again" if form.sat else ""
    if _has_row(rows, "clamped"):
        return f"{said} The result is clamped{again}."
    return f"{said} The result is not clamped again." if again else said


def _merge(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    assert isinstance(micro, m.Merge)
    kept = rows[0].inputs[1] if len(rows[0].inputs) > 1 else "c"
    unit, c = UNIT_NAMES[micro.unit], format_short_name(trace, kept)
    if len(trace.rows[rows[0].key].inputs[0]) == 1:
        took = "bits 31:16 of t" if micro.high else f"the low {micro.unit} bits of t"
        return f"{took[0].upper()}{took[1:]} replace {unit} {micro.lanes[0]} of {c}."
    if len(micro.lanes) == 32 // micro.unit:
        return f"Every lane takes t, cut to a {unit}; no carry reaches a neighbour."
    mask = Selector(micro.unit, micro.lanes)
    others = set(range(32 // micro.unit)) - set(micro.lanes)
    takes = "takes" if len(micro.lanes) == 1 else "take"
    keeps = f"keeps {c}'s {unit}" if len(others) == 1 else f"keep {c}'s {unit}s"
    taking, keeping = format_lanes(micro.lanes), format_lanes(others)
    return f"Mask .{mask}: {taking} {takes} t, cut to a {unit}; {keeping} {keeps}."


def _accumulate(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = _find_micro(rows, "t")
    assert isinstance(micro, m.Accumulate)
    cut = _find_micro(rows, "cut")
    cuts = f", cut to a {UNIT_NAMES[cut.bits]}" if isinstance(cut, m.Wrap) else ""
    end = "then clamped" if _has_row(rows, "clamped") else "neither clamped nor cut"
    read = ", read as s32," if _has_row(rows, "c") else ""
    which = "every lane" if len(micro.lanes) == micro.input_lanes else format_lanes(micro.lanes)
    name = "" if trace.instruction.form.secop is None else f".{trace.instruction.form.secop}: "
    return f"{name}{format_short_name(trace, 'c')}{read} plus t of {which}{cuts}; the sum is {end}."


def _write(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    names = " and ".join(format_short_name(trace, row.name) for row in rows)
    guarded = trace.instruction.guard is not None
    # the guard decides about the write
    put = f"go to {names} if the guard holds" if guarded else f"are written to {names}"
    if isinstance(micro, m.Encode):
        true = {0x3F80_0000: "1.0 (0x3f800000)", 1: "1"}.get(micro.true, "0xffffffff")
        took = f"{names} takes {true} for true, 0 for false"
        return f"If the guard holds, {took}." if guarded else f"{took}."
    if isinstance(micro, m.Pack):
        return f"The {UNIT_NAMES[micro.unit]}s {put}."
    assert isinstance(micro, m.Truncate)
    if names == "_":
        return "Nothing is written: the destination is `_`."
    if micro.bits == 1:
        both = len(rows) > 1
        one = put.replace("go ", "goes ").replace("are ", "is ")
        return f"The predicates {put}." if both else f"The predicate {one}."
    whole = _is_whole_destination(trace, rows[0])
    return f"The {'' if whole else 'low '}{micro.bits} bits {put}."


def _is_whole_destination(trace: Trace, row: Row) -> bool:
    """Return whether a row is written from as many bits as its destination has."""
    return isinstance(trace.rows[row.inputs[0]].row.micro, m.Choose)


def _describe_guard(trace: Trace, rows: tuple[Row, ...]) -> str:
    guard = trace.instruction.guard
    assert guard
    text, name = format_guard(trace), format_short_name(trace, "guard")
    when, otherwise = ("false", "true") if guard.negated else ("true", "false")
    if _has_row(rows, "old"):
        d = format_short_name(trace, rows[-1].name)
        said = f"{text} covers the choice of true or 0, not the conversion behind it"
        return f"{said}: if {name} is {otherwise}, the old {d} is converted."
    return f"{text}: the instruction acts only if {name} is {when}."


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
