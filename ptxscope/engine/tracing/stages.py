"""What each step is called and what it does for the instruction at hand, values apart."""

from __future__ import annotations

from collections.abc import Callable

from ..isa.types import Cmp, Selector, Type
from ..semantics import micro as m
from ..semantics.operation import Micro
from ..semantics.plan import PlanStep, Row, Stage
from .trace import Step, Trace
from .words import UNIT_NAMES, guard_text, integer_type, relation, short_name

_TITLES = {
    Stage.BOOLEAN: "Boolean",
    Stage.SUM: "add c",
}
_OPERATION_TITLES: dict[type[Micro], str] = {
    m.AbsoluteDifference: "difference",
    m.ScaleDown: "average",
}
_SECONDARY: dict[type[Micro], str] = {
    m.Add: "add c",
    m.Minimum: "min with c",
    m.Maximum: "max with c",
}


def title(step: Step | PlanStep) -> str:
    """What a step does, in a word or two: ``select``, ``add``, ``min with c``."""
    rows = _plan_rows(step)
    if step.stage is Stage.OPERATE:
        micro = _t(rows).micro
        return _OPERATION_TITLES.get(type(micro), micro.operation)
    if step.stage is Stage.SECONDARY:
        return _SECONDARY[type(_t(rows).micro)]
    return _TITLES.get(step.stage, str(step.stage))


def names_of(stage: Stage) -> tuple[str, ...]:
    """Every name that a step of a stage can have."""
    if stage is Stage.OPERATE:
        kinds = (_OPERATION_TITLES.get(kind, kind.operation) for kind in _OPERATIONS)
        return tuple(dict.fromkeys(kinds))
    if stage is Stage.SECONDARY:
        return tuple(_SECONDARY.values())
    return (_TITLES.get(stage, str(stage)),)


def _t(rows: tuple[Row, ...]) -> Row:
    """The row that a step is about."""
    return next(row for row in rows if row.name == "t")


def _plan_rows(step: Step | PlanStep) -> tuple[Row, ...]:
    return tuple(row if isinstance(row, Row) else row.row for row in step.rows)


def about(trace: Trace, step: Step) -> str:
    """What a step does here: one or two sentences."""
    return _ABOUT[step.stage](trace, _plan_rows(step))


def _micro(rows: tuple[Row, ...], name: str) -> Micro | None:
    return next((row.micro for row in rows if row.name == name), None)


def _has(rows: tuple[Row, ...], name: str) -> bool:
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
            name = short_name(trace, row.inputs[0])
            parts.append(
                f"all of {name}"
                if micro.unit == 32
                else f"{UNIT_NAMES[micro.unit]} {micro.picks[0][1]} of {name}"
            )
        else:
            parts.append(f"For {row.name}, {_picked(trace, row, micro)}")
    if any(row.lanes > 1 for row in rows):
        return ". ".join(parts) + "."
    text = " and ".join(parts)
    return f"{text[0].upper()}{text[1:]} are taken."


def _picked(trace: Trace, row: Row, micro: m.Select) -> str:
    names = [short_name(trace, role) for role in row.inputs]
    unit = UNIT_NAMES[micro.unit]
    if len(names) == 1 and [index for _, index in micro.picks] == list(range(len(micro.picks))):
        return f"each lane takes its own {unit} of {names[0]}"
    letter = "b" if micro.unit == 8 else "h"
    taken = ", ".join(f"{names[w]}.{letter}{i}" for w, i in reversed(micro.picks))
    return f"lanes {len(micro.picks) - 1} to 0 take {taken}"


def _extend(trace: Trace, rows: tuple[Row, ...]) -> str:
    parts = []
    for row in rows:
        assert isinstance(row.micro, m.Extend)
        how = "sign-extended" if row.micro.signed else "zero-extended"
        parts.append(f"{row.name} is read as {_read_as(trace, row.name, row.micro.signed)}, {how}")
    return f"{'; '.join(parts)}. From here on the numbers are exact; a step that cuts them says so."


def _read_as(trace: Trace, role: str, signed: bool) -> str:
    """``u32``; or, where an erratum reads another type than was written, that too."""
    read = integer_type(signed)
    written = str(trace.instruction.type_of(role))
    if trace.instruction.opcode == "vmad" and role == "c":
        written = trace.instruction.form.final
    return read if read == written else f"{read} (not {written}!)"


_OPERATIONS: dict[type[Micro], str] = {
    m.Add: "a + b, exactly: nothing wraps yet.",
    m.Subtract: "a - b, exactly: nothing wraps yet.",
    m.AbsoluteDifference: "The distance between a and b, exactly.",
    m.Minimum: "The smaller of a and b, as exact numbers whatever their types.",
    m.Maximum: "The larger of a and b, as exact numbers whatever their types.",
    m.Average: "Half of a + b; halves are rounded away from zero.",
    m.ShiftLeft: "a shifted left, exactly: no bit is lost yet.",
    m.ShiftRight: "a shifted right",
    m.Multiply: "a times b, exactly.",
    m.Compare: "as exact numbers whatever their types: 1 where it holds, else 0.",
    m.ScaleDown: "Half of a + b, rounded down.",
}


def _operate(trace: Trace, rows: tuple[Row, ...]) -> str:
    row = _t(rows)
    said = _OPERATIONS[type(row.micro)]
    if isinstance(row.micro, m.Compare):
        said = f"{relation(row.micro.cmp, 'a', 'b')}, {said}"
    if isinstance(row.micro, m.ShiftRight):
        extend = trace.rows[row.inputs[0]].row.micro
        copies = isinstance(extend, m.Extend) and extend.signed
        said += "; copies of its sign come in above." if copies else "; zeros come in above."
    amount = _micro(rows, "amount")
    if isinstance(amount, m.LimitAmount):
        said += (
            " .wrap keeps five bits of the amount."
            if amount.wrap
            else " .clamp limits the amount to 32."
        )
    if _has(rows, "negated"):
        said += " The product is negated."
    if _has(rows, "even"):
        said = "Half of a + b; halves are rounded to the even neighbour."
    if _has(rows, "ones"):
        said += " True is all ones."
    if _has(rows, "minus"):
        said += " True counts as -1."
    scaled = _micro(rows, "scaled")
    if isinstance(scaled, m.ScaleDown):
        said += f" It is shifted right by {scaled.amount}, rounding down."
    return said


def _compare(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[-1].micro
    assert isinstance(micro, m.Compare)
    if trace.instruction.opcode == "slct":
        nan = " With a NaN it is false." if micro.type is Type.F32 else ""
        return f"{relation(micro.cmp, 'c', '0')}, c read as .{micro.type}.{nan}"
    if micro.cmp in (Cmp.NUM, Cmp.NAN):
        what = "neither a nor b is NaN" if micro.cmp is Cmp.NUM else "a or b is NaN"
        return f".{micro.cmp}: true where {what}."
    said = f"{relation(micro.cmp, 'a', 'b')}, both read as .{micro.type}."
    if micro.type is not None and micro.type.is_float:
        holds = "true" if micro.cmp in m.UNORDERED else "false"
        said += f" With a NaN it is {holds}."
    return said


def _boolean(trace: Trace, rows: tuple[Row, ...]) -> str:
    boolop = trace.instruction.form.boolop
    c = "!c" if trace.instruction.form.negc else "c"
    if boolop is None:
        return "For q, !t: the opposite of the comparison."
    names = {row.name for row in rows}
    if "q" in names and "p" in names:
        return f"For p, t {boolop} {c}; for q, !t {boolop} {c}."
    return f"For q, !t {boolop} {c}." if "q" in names else f"t {boolop} {c}."


def _choose(trace: Trace, _: tuple[Row, ...]) -> str:
    if trace.instruction.opcode == "slct":
        return "a where t holds, else b; the bits are copied as they are."
    c = "!c" if trace.instruction.form.negc else "c"
    return f"a where {c} is true, else b; the bits are copied as they are."


def _sum(trace: Trace, rows: tuple[Row, ...]) -> str:
    extend = _micro(rows, "c")
    assert isinstance(extend, m.Extend)
    said = f"c is read as {_read_as(trace, 'c', extend.signed)}"
    said += ", negated and added" if _has(rows, "negated") else " and added"
    if _has(rows, "po"):
        said += "; .po adds one more"
    return said + ", exactly." if not _has(rows, "t64") else said + ", in 64 bits."


def _scale(trace: Trace, _: tuple[Row, ...]) -> str:
    scale = trace.instruction.form.scale
    assert scale
    return f".{scale} shifts right by {scale.amount}, rounding down."


def _saturate(_: Trace, rows: tuple[Row, ...]) -> str:
    clamp = rows[-1].micro
    assert isinstance(clamp, m.Clamp)
    cut = _cuts(rows)
    if clamp.low is None:
        return f"{cut}.sat: nothing above {clamp.high}; the number is taken as unsigned."
    if clamp.high is None:
        return f"{cut}.sat: nothing below {clamp.low}."
    return f"{cut}.sat clamps to {clamp.low}..{clamp.high}."


def _cuts(rows: tuple[Row, ...]) -> str:
    """What t is cut to before the rest of a step: ``t is read as s32, then as u64. ``."""
    wraps = (row.micro for row in rows if isinstance(row.micro, m.Wrap) and row.name != "c64")
    kinds = [integer_type(wrap.signed, wrap.bits) for wrap in wraps]
    return f"t is read as {', then as '.join(kinds)}. " if kinds else ""


def _secondary(trace: Trace, rows: tuple[Row, ...]) -> str:
    form = trace.instruction.form
    extend = _micro(rows, "c")
    assert isinstance(extend, m.Extend)
    done = {"add": "c is added", "min": "the smaller of t and c", "max": "the larger of t and c"}
    read = _read_as(trace, "c", extend.signed)
    said = f"{_cuts(rows)}.{form.secop}: {done[str(form.secop)]}, c read as {read}. It is "
    return said + ("clamped again." if _has(rows, "clamped") else "not clamped again.")


def _merge(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    assert isinstance(micro, m.Merge)
    kept = rows[0].inputs[1] if len(rows[0].inputs) > 1 else "c"
    unit, c = UNIT_NAMES[micro.unit], short_name(trace, kept)
    if len(trace.rows[rows[0].key].inputs[0]) == 1:
        took = "bits 31:16 of t" if micro.high else f"the low {micro.unit} bits of t"
        return f"{took[0].upper()}{took[1:]} replace {unit} {micro.lanes[0]} of {c}."
    if len(micro.lanes) == 32 // micro.unit:
        return f"Every lane takes t, cut to its {unit}; no carry reaches a neighbour."
    mask = Selector(micro.unit, micro.lanes)
    one, left = len(micro.lanes) == 1, 32 // micro.unit - len(micro.lanes)
    taking = "lane takes t, cut to its" if one else "lanes take t, each cut to its"
    keeping = "other keeps" if left == 1 else "others keep"
    return f"Mask .{mask}: its {taking} {unit}; the {keeping} {c}'s."


def _accumulate(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = _micro(rows, "t")
    assert isinstance(micro, m.Accumulate)
    lanes = "cut" if _has(rows, "cut") else "exact"
    end = "then clamped" if _has(rows, "clamped") else "neither clamped nor cut"
    read = ", read as s32," if _has(rows, "c") else ""
    which = _which(micro)
    add = ".add: " if trace.instruction.form.secop else ""
    return f"{add}{short_name(trace, 'c')}{read} plus the {lanes} t of {which}, {end}."


def _which(micro: m.Accumulate) -> str:
    """The lanes that are summed."""
    if len(micro.lanes) == micro.of:
        return "every lane"
    *first, last = map(str, sorted(micro.lanes, reverse=True))
    return f"lanes {', '.join(first)} and {last}" if first else f"lane {last}"


def _write(trace: Trace, rows: tuple[Row, ...]) -> str:
    micro = rows[0].micro
    names = " and ".join(short_name(trace, row.name) for row in rows)
    guarded = trace.instruction.guard is not None
    # what is written, and whether, is the guard's to say
    put = f"go to {names} if the guard holds" if guarded else f"are written to {names}"
    if isinstance(micro, m.Encode):
        true = {0x3F80_0000: "1.0, 0x3f800000,", 1: "1"}.get(micro.true, "0xffffffff")
        took = f"{names} takes {true} where true, else 0"
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
    whole = _whole(trace, rows[0])
    return f"The {'' if whole else 'low '}{micro.bits} bits {put}."


def _whole(trace: Trace, row: Row) -> bool:
    """A row is written from bits that are as many as the destination has."""
    return isinstance(trace.rows[row.inputs[0]].row.micro, m.Choose)


def _guard(trace: Trace, rows: tuple[Row, ...]) -> str:
    guard = trace.instruction.guard
    assert guard
    text, name = guard_text(trace), short_name(trace, "guard")
    when, otherwise = ("false", "true") if guard.negated else ("true", "false")
    if _has(rows, "old"):
        d = short_name(trace, rows[-1].name)
        said = f"{text} covers the choice of true or 0, not the conversion behind it"
        return f"{said}: where {name} is {otherwise}, the old {d} is converted."
    return f"{text}: the instruction acts only where {name} is {when}."


_ABOUT: dict[Stage, Callable[[Trace, tuple[Row, ...]], str]] = {
    Stage.FLUSH: _flush,
    Stage.SELECT: _select,
    Stage.EXTEND: _extend,
    Stage.OPERATE: _operate,
    Stage.COMPARE: _compare,
    Stage.BOOLEAN: _boolean,
    Stage.CHOOSE: _choose,
    Stage.SUM: _sum,
    Stage.SCALE: _scale,
    Stage.SATURATE: _saturate,
    Stage.SECONDARY: _secondary,
    Stage.MERGE: _merge,
    Stage.ACCUMULATE: _accumulate,
    Stage.WRITE: _write,
    Stage.GUARD: _guard,
}
