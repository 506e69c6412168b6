"""Templates in the text of a lesson: ``{operate.t[2]}``, ``{a.b3|s8}``, ``{ptxas:d}``.

They take every computed number from a trace, so that a lesson never contains one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from ...engine.isa.encodings import cast, format_float, format_hex, format_value
from ...engine.isa.types import Type
from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Flag, Sign
from ...engine.semantics.models import parse_model
from ...engine.syntax.errors import quote_word
from ...engine.tracing.step_text import describe_lane, format_lane_sentence
from ...engine.tracing.trace import Trace, make_trace

_HOLE = re.compile(r"\{([^{}\n]*+)\}?")
_INSIDE = re.compile(
    r"(?>(?P<model>\w++(?>(?:[-.+]\w++)*)):|)(?P<name>\w++(?>\.\w++|))(?>\[(?P<lane>\d)\]|)"
    r"(?>\|(?P<form>\w++)|)"
)
_CAST = re.compile(r"[us](?:8|16|32)")
_PART = re.compile(r"(\w++)\.([bh])([0-3])")
_FORMS = "hex, bin, float, value, u8, s8 … u32, s32, formula, said, low, high"


class _TemplateValue(NamedTuple):
    """The value of a name in a template."""

    bits: int
    width: int
    text: str
    """Default notation."""
    type: Type | None = None
    """Type of an operand; None for other values."""


class TemplatePieceKind(Enum):
    """The kind of a piece of text."""

    PLAIN = auto()
    CODE = auto()
    """Words of PTX or C."""
    VALUE = auto()
    """A value from a trace."""


class TemplatePiece(NamedTuple):
    """A piece of text of one kind."""

    text: str
    kind: TemplatePieceKind = TemplatePieceKind.PLAIN


Text = tuple[TemplatePiece, ...]
"""The text of a card; an empty line separates two paragraphs."""


def strip_marks(text: Text) -> str:
    """Return a text without its marks."""
    return "".join(piece.text for piece in text)


def fill_template(text: str, trace: Trace) -> list[TemplatePiece]:
    """Return the pieces of a line, filled from a trace.

    Raise ValueError with the allowed templates if one is invalid.
    """
    pieces: list[TemplatePiece] = []
    for index, stretch in enumerate(text.split("`")):
        kind, start = TemplatePieceKind.CODE if index % 2 else TemplatePieceKind.PLAIN, 0
        for match in _HOLE.finditer(stretch):
            pieces.append(TemplatePiece(stretch[start : match.start()], kind))
            pieces.append(TemplatePiece(_fill_placeholder(match, trace), TemplatePieceKind.VALUE))
            start = match.end()
        pieces.append(TemplatePiece(stretch[start:], kind))
    return pieces


def _fill_placeholder(match: re.Match[str], trace: Trace) -> str:
    inside = _INSIDE.fullmatch(match[1]) if match[0].endswith("}") else None
    if inside is None:
        raise ValueError(
            f"{quote_word(match[0])} takes nothing from the trace; "
            "use {d}, {a.b3}, {operate.t[2]}, {ptxas:d}, {a|s32}"
        )
    if inside["model"]:
        trace = make_trace(trace.instruction, parse_model(inside["model"]), trace.operands)
    name, form = inside["name"], inside["form"] or ""
    lane = int(inside["lane"] or 0)
    row = trace.rows.get(name)
    if row is None:
        if inside["lane"]:
            raise ValueError(f"{quote_word(name)} is not a row; {format_row_names(trace)}")
        return _format_value(_get_operand_value(name, trace), form)
    if lane >= len(row.values) or (len(row.values) > 1 and not inside["lane"]):
        raise ValueError(f"{name} has lanes 0 to {len(row.values) - 1}: {name}[0]")
    special = _ROW_FORMATS.get(form)
    return special(row, lane) if special else _format_value(_get_row_value(row, lane), form)


def format_row_names(trace: Trace) -> str:
    """List the rows of a trace for a message."""
    return "its rows are " + ", ".join(trace.rows)


def _format_bound(row: RowTrace, flag: Flag) -> str:
    bound = row.micro.find_bound(flag)
    if bound is None:
        raise ValueError(f"{row.key} has no bound to show")
    return str(bound)


_ROW_FORMATS: dict[str, Callable[[RowTrace, int], str]] = {
    "formula": lambda row, lane: str(describe_lane(row, lane).formula),
    "said": format_lane_sentence,
    "low": lambda row, _: _format_bound(row, Flag.CLAMPED_LOW),
    "high": lambda row, _: _format_bound(row, Flag.CLAMPED_HIGH),
}


def _get_row_value(row: RowTrace, lane: int) -> _TemplateValue:
    value, formula = row.values[lane], describe_lane(row, lane).formula
    text = formula.left if formula.sign is Sign.FOR else formula.right
    return _TemplateValue(value, max(row.range.bits, 1), text)


def _get_operand_value(name: str, trace: Trace) -> _TemplateValue:
    """Return the value of an operand, a destination or a part of one, by role or by register."""
    part = _PART.fullmatch(name)
    register_name = part[1] if part else name
    ins = trace.instruction
    roles = {register: role for role, register in ins.names.items()} | {
        register: role for role, register in ins.results.items()
    }
    role = (
        register_name
        if register_name in {*trace.operands, *ins.results}
        else roles.get(register_name, "")
    )
    if register_name == "old" and "d" in trace.operands:  # the former value of the destination
        role, bits = "d", trace.operands["d"]
    elif role in ins.results:
        bits = trace.result[ins.results[role]]
    elif role in trace.operands:
        bits = trace.operands[role]
    else:
        operand_names = ", ".join((*trace.operands, *ins.results))
        raise ValueError(
            f"there is no {quote_word(name)}: operands are {operand_names}; "
            f"{format_row_names(trace)}"
        )
    type_ = ins.type_of(role)
    if part is None:
        return _TemplateValue(bits, type_.bits, format_hex(bits, type_.bits), type_)
    unit = 8 if part[2] == "b" else 16
    if unit * (int(part[3]) + 1) > type_.bits:
        raise ValueError(f"{register_name} has no {part[2]}{part[3]}")
    bits = bits >> unit * int(part[3]) & (1 << unit) - 1
    return _TemplateValue(bits, unit, format_hex(bits, unit))


def _format_value(template_value: _TemplateValue, form: str) -> str:
    bits = template_value.bits & (1 << template_value.width) - 1
    if not form:
        return template_value.text
    if _CAST.fullmatch(form):
        return str(cast(template_value.bits, int(form[1:]), form[0] == "s"))
    if form == "hex":
        return format_hex(bits, template_value.width)
    if form == "bin":
        return f"0b{bits:0{template_value.width}b}"
    if form == "float" and template_value.width in (32, 64):
        return format_float(bits, Type(f"f{template_value.width}"))
    if form == "value" and template_value.type:
        return format_value(bits, template_value.type)
    raise ValueError(f"it can't be shown as {quote_word(form)}; ways to show it are {_FORMS}")
