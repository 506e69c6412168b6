"""A trace in words: titles and sentences of steps, formulas and sentences of lanes.

A step's sentence does not depend on values. It comes from the micro-operation of its main row, or
from its stage if the instruction's modifiers matter. The text of a lane uses the recorded values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..isa.encodings import UNIT_NAMES, cast, format_hex, format_value
from ..isa.types import BoolOp, ProductWord, SecOp, Type
from ..micro_operations.base import LaneView, MicroOperation, RowTrace, find_row
from ..micro_operations.numbers import Subtract
from ..micro_operations.properties import (
    InstructionView,
    LaneText,
    Stage,
    format_guard,
    format_short_name,
    name_operands,
)
from ..micro_operations.selection import format_read_type
from ..semantics.plan import Row
from ..syntax.instruction import Signature
from .trace import Step, Trace

_TITLES = {Stage.BOOLEAN: "Boolean", Stage.SUM: "add c"}


def format_title(step: Step) -> str:
    """Return a step's title, a few words: ``select``, ``add``, ``min with c``."""
    return format_stage_title(step.stage, step.rows)


def format_stage_title(stage: Stage, rows: Sequence[Row | RowTrace]) -> str:
    """Return the title of the step with the rows of a stage."""
    main_micro = next((row.micro for row in rows if row.name == "t"), rows[0].micro)
    if stage is Stage.OPERATE:
        return main_micro.title
    if stage is Stage.SECONDARY:
        return main_micro.title_with_c or f"{main_micro.title} with c"
    return _TITLES.get(stage, str(stage))


def describe_step(step: Step) -> str:
    """Describe a step of this instruction in one or two sentences."""
    rows, describe = step.rows, _STAGES.get(step.stage)
    if describe:
        return describe(rows[0].instruction, rows)
    return _get_main_row(rows).micro.describe_step(rows)


def _get_main_row(rows: Sequence[RowTrace]) -> RowTrace:
    return find_row(rows, "t") or rows[0]


def _describe_operation(ins: InstructionView, rows: Sequence[RowTrace]) -> str:
    form, sentence = ins.form, _get_main_row(rows).micro.describe_step(rows)
    if word := find_row(rows, "word"):
        sentence += f" {_describe_word(word)}"
    if amount := find_row(rows, "amount"):
        sentence += f" {amount.micro.describe_step(rows)}"
    if form.nega and form.negb:
        sentence += " The two minus signs cancel."
    if find_row(rows, "negated"):
        sentence += " The product is negated."
    if find_row(rows, "half"):
        for name, direction in _ROUNDINGS.items():
            if find_row(rows, name):
                sentence = f"Half of {{a}} + {{b}}; halves are rounded {direction}."
                return name_operands(sentence, ins)
    if form.scale and find_row(rows, "scaled"):
        sentence += f" It is shifted right by {form.scale.amount}, rounding down."
    return sentence


def _describe_word(row: RowTrace) -> str:
    from ..micro_operations.bitwise import TakeBits  # loaded late: few instructions have words

    micro = row.micro
    assert isinstance(micro, TakeBits)
    if micro.low not in (0, micro.bits):
        return f"Its bits {micro.place} count."
    is_high = row.instruction.form.product_word is ProductWord.HI
    return f"Only its {'high' if is_high else 'low'} word counts."


_ROUNDINGS = {"bound": "towards zero", "minus": "up", "even": "to the even neighbour"}
"""The rounding of an average under each misconception, by the name of a row unique to it."""


def _describe_boolean(ins: InstructionView, rows: Sequence[RowTrace]) -> str:
    boolop, c = ins.form.boolop, _format_condition(ins)
    p, q = (format_short_name(ins, x) for x in "pq")
    if ins.form.lut is not None:
        e = "!{e}" if ins.form.nege else "{e}"
        return name_operands(f"{{p}} becomes {{p}} {boolop} {e}.", ins)
    if boolop is None and ins.form.cmp is None:
        a, b = (format_short_name(ins, x) for x in "ab")
        a, b = f"!{a}" if ins.form.nega else a, f"!{b}" if ins.form.negb else b
        t = find_row(rows, "t")
        return _describe_logic(t.micro, a, b) if t else f"The result is {a}."
    if boolop is None:
        return f"{q} is !t, the opposite of the comparison."
    if find_row(rows, "q") and find_row(rows, "p"):
        return f"{p} is t {boolop} {c}; {q} is !t {boolop} {c}."
    return f"{q} is !t {boolop} {c}." if find_row(rows, "q") else f"The result is t {boolop} {c}."


def _describe_logic(micro: MicroOperation, a: str, b: str) -> str:
    from ..micro_operations.logic import Combine, Not  # loaded late, as above

    return {
        Combine(BoolOp.AND): f"The result is true if {a} and {b} are both true.",
        Combine(BoolOp.OR): f"The result is true if {a} or {b} is true.",
        Combine(BoolOp.XOR): f"The result is true if {a} and {b} differ.",
        Not(): f"The result is the opposite of {a}.",
    }[micro]


def _format_condition(ins: InstructionView) -> str:
    return f"{'!' * ins.form.negc}{format_short_name(ins, 'c')}"


def _describe_choice(ins: InstructionView, rows: Sequence[RowTrace]) -> str:
    is_computed = rows[-1].inputs[0].stage is Stage.COMPARE
    condition = "t" if is_computed else _format_condition(ins)
    a, b = (format_short_name(ins, x) for x in "ab")
    return f"Selects {a} if {condition} is true, else {b}, and copies its bits unchanged."


def _describe_sum(_: InstructionView, rows: Sequence[RowTrace]) -> str:
    c = find_row(rows, "c")
    assert c
    sentence = f"{c.destination} is read as {format_read_type(c)}"
    sentence += ", negated and added" if find_row(rows, "negated") else " and added"
    sentence += ", in 64 bits" if find_row(rows, "t64") else ", exactly"
    return sentence + ("; .po adds one more." if find_row(rows, "po") else ".")


def _describe_carry(_: InstructionView, rows: Sequence[RowTrace]) -> str:
    total, carry = find_row(rows, "t"), find_row(rows, "carry")
    noun, verb, condition = "carry", "added", "the sum needs one bit more"
    if isinstance((carry.inputs[0] if carry else rows[-1]).micro, Subtract):
        noun, verb, condition = "borrow", "subtracted", "the difference is negative"
    sentences = []
    if total:
        flag = noun
        if find_row(rows, "borrow"):
            flag, verb = "flag", f"inverted and {verb}"
        sentences.append(f"CC.CF, the {flag} of an earlier instruction, is {verb}.")
    if carry:
        sentences.append(f"The new {noun} is 1 if {condition}.")
    if find_row(rows, "inverse"):
        sentences.append("CC.CF takes its inverse.")
    return " ".join(sentences)


def _describe_scale(ins: InstructionView, _: Sequence[RowTrace]) -> str:
    scale = ins.form.scale
    assert scale
    return f".{scale} shifts right by {scale.amount}, rounding down."


_ACTIONS = {
    SecOp.ADD: "adds it to t",
    SecOp.MIN: "takes the smaller of t and {c}",
    SecOp.MAX: "takes the larger of t and {c}",
}


def _describe_secondary(ins: InstructionView, rows: Sequence[RowTrace]) -> str:
    from ..micro_operations.saturation import describe_truncation  # loaded late, as in Builder

    secop, c = ins.form.secop, find_row(rows, "c")
    assert secop
    assert c
    truncation, type_name = describe_truncation(rows), format_read_type(c)
    reading = f"{{c}} as {type_name}" if truncation else f"{{c}} is read as {type_name}"
    types = f"{truncation}, and {reading}" if truncation else reading
    sentence = name_operands(f"{types}; .{secop} {_ACTIONS[secop]}.", ins)
    suffix = " again" if ins.form.sat else ""
    if find_row(rows, "clamped"):
        return f"{sentence} The result is clamped{suffix}."
    return f"{sentence} The result is not clamped again." if suffix else sentence


def _describe_guard(ins: InstructionView, rows: Sequence[RowTrace]) -> str:
    assert ins.guard
    text, name = format_guard(ins), format_short_name(ins, "guard")
    condition, opposite = ("false", "true") if ins.guard.negated else ("true", "false")
    if find_row(rows, "old"):
        sentence = f"{text} covers the choice of true or 0, not the conversion after it"
        return f"{sentence}: if {name} is {opposite}, the old {rows[-1].destination} is converted."
    return f"{text}: the instruction acts only if {name} is {condition}."


_STAGES: dict[Stage, Callable[[InstructionView, Sequence[RowTrace]], str]] = {
    Stage.OPERATE: _describe_operation,
    Stage.BOOLEAN: _describe_boolean,
    Stage.CHOOSE: _describe_choice,
    Stage.SUM: _describe_sum,
    Stage.CARRY: _describe_carry,
    Stage.SCALE: _describe_scale,
    Stage.SECONDARY: _describe_secondary,
    Stage.GUARD: _describe_guard,
}
"""The stages whose sentence depends on modifiers of the instruction."""


# --- results and lanes


def format_operand_name(trace: Trace, role: str) -> str:
    """Return the register or the literal of an operand."""
    return trace.instruction.format_operand(role)


def interpret_bits(ins: InstructionView, role: str, bits: int) -> str:
    """Return an operand's bits as a number, or as a list of its lanes, highest first."""
    type_ = ins.type_of(role)
    if not ins.has_lanes(role) or type_.lanes > 1:
        return format_value(bits, type_)
    unit = 32 // ins.entry.lanes
    lanes = (cast(bits >> shift, unit, type_ is Type.S32) for shift in range(32 - unit, -1, -unit))
    return f"[{', '.join(map(str, lanes))}]"


def format_result(trace: Trace) -> str:
    """Return the destinations' bits: ``0x00000007``, or ``p = 0, q = 1`` for several."""
    bits = trace.result_by_role
    return format_result_bits(trace.block, {role: bits[role] for role in trace.block.results})


def format_result_bits(ins: Signature, bits: Mapping[str, int]) -> str:
    """Format a result by role like ``format_result``."""
    return join_by_destination(
        ins, {role: format_hex(x, ins.type_of(role).bits) for role, x in bits.items()}
    )


def join_by_destination(ins: Signature, texts: Mapping[str, str]) -> str:
    """Join one text for each destination, with their names if there are several."""
    if len(ins.results) == 1:
        return next(iter(texts.values()))
    return ", ".join(
        f"{name} = {texts[role]}" for role, name in ins.results.items() if role in texts
    )


def describe_lane(row: RowTrace, lane: int) -> LaneText:
    """Return the formula and the sentence of one lane of a row."""
    return row.micro.describe_lane(LaneView(row, lane))


def format_lane_sentence(row: RowTrace, lane: int) -> str:
    """Return the sentence of a lane, prefixed with its number if there are several."""
    sentence = describe_lane(row, lane).sentence
    return f"{get_part_name(row)} {lane}: {sentence}" if len(row.values) > 1 else sentence


def get_part_name(row: RowTrace) -> str:
    """Return the noun for a row's values: ``lane``, or ``byte`` in a scalar merge."""
    if row.instruction.entry.lanes > 1:
        return "lane"
    return UNIT_NAMES[32 // len(row.values)] if len(row.values) > 1 else "value"


def get_row_name(row: RowTrace) -> str:
    """Return the name of a row: ``t``, ``a``, or ``_`` for a discarded destination."""
    is_discarded = row.stage is Stage.WRITE and row.instruction.format_operand(row.role) == "_"
    return "_" if is_discarded else row.role
