"""All instructions on one sheet: syntax, and a small figure of a form of each."""

from __future__ import annotations

from collections.abc import Sequence

from ... import __version__
from ...engine.isa.catalog import ENTRIES
from ...engine.isa.entry import Entry, Group
from ...engine.isa.grammar import syntax
from ...engine.records import NamedTuple
from ...engine.semantics.micro_operations import Extend, Merge, Pack
from ...engine.semantics.plan import Stage
from ...engine.syntax.parser import parse
from ...engine.tracing.trace import Step, Trace
from ...scene.scene_model import Cell, Look, Place, Register, RowScene, Scene, Tint
from ...scene.symbolic_scene import blank, form_scene, said
from ..options import DEFAULT, Options
from ..svg.page_layout import Area, wire
from ..svg.svg_canvas import Ground, Pen
from ..svg.svg_colours import Ink
from ..svg.svg_sheet import Sheet, body, written
from ..svg.symbols import bits, mask_box
from ..svg.text_fitting import LEAST, text_width, wrapped

_WIDTH, _HEIGHT = 1587, 1122
"""A3, lying, in px."""
_EDGE = 18
_GAP = 8
_COLUMNS = 7
_HEAD = 38
_LEGEND = 92
_CHIP = 15
_WIRES = 13
_LINE = 12.6
_PAGE = Area(_EDGE, _WIDTH - 2 * _EDGE)
_TITLE = "The 27 PTX instructions of ptxscope"
_ABOUT = (
    "A reference card: for each of the comparison, selection, scalar video and SIMD video "
    "instructions of PTX its syntax and a figure of one of its forms: the registers a and b in "
    "the parts that are read, what each step computes, and what is written."
)


def render(options: Options = DEFAULT) -> str:
    """The sheet as an ``<svg>`` of the size of A3."""
    pen = Pen(options.id or "px-poster")
    pen.least = LEAST
    _head(pen)
    rows = -(-len(ENTRIES) // _COLUMNS)
    top = _EDGE + _HEAD
    high = (_HEIGHT - top - _LEGEND - _EDGE - _GAP * rows) / rows
    columns = _PAGE.columns(_COLUMNS, _GAP)
    for at, entry in enumerate(_ordered()):
        y = top + (at // _COLUMNS) * (high + _GAP)
        _card(pen, entry, columns[at % _COLUMNS], y, high)
    _key(pen, columns[-1], top + (rows - 1) * (high + _GAP))
    _legend(pen, _HEIGHT - _EDGE - _LEGEND)
    page = Pen(pen.prefix)
    page.rect(0, 0, _WIDTH, _HEIGHT, Ink.PAGE, None, radius=0)
    sheet = Sheet(pen.prefix, _WIDTH, _HEIGHT, _TITLE, _ABOUT)
    return written(sheet, [*page.parts, *body(pen)], options.theme)


def _ordered() -> list[Entry]:
    """The entries so that each family of seven stands in a line."""
    order = (4, 2, 1)
    simd = sorted((x for x in ENTRIES if x.lanes > 1), key=lambda x: order.index(x.lanes))
    scalar = [x for x in ENTRIES if x.group is Group.SCALAR]
    return [*simd, *scalar, *(x for x in ENTRIES if x.group is Group.COMPARE)]


def _head(pen: Pen) -> None:
    pen.text(_EDGE, _EDGE + 24, "PTX video and comparison instructions", 26, bold=True)
    pen.text(
        _PAGE.right, _EDGE + 22, f"as documented in PTX ISA 9.0; ptxscope {__version__}", 12,
        Ink.DIM, anchor="end",
    )  # fmt: skip


# --- a card -----------------------------------------------------------------------------


def _card(pen: Pen, entry: Entry, area: Area, y: float, high: float) -> float:
    """One instruction: how it is written, and how a form of it computes; returns the end."""
    trace = blank(parse(entry.example[0]))
    pen.open("px-card", entry.opcode)
    pen.grounds.append(
        Ground(area.x, area.width, y, y + high, fill=Ink.PAGE, stroke=Ink.LINE, radius=6)
    )
    inner = area.within(7)
    pen.text(inner.x, y + 18, entry.opcode, 15, mono=True, bold=True)
    pen.text(inner.right, y + 17, f"{_FAMILIES[entry.group, entry.lanes]}, {entry.section}", LEAST,
             Ink.DIM, anchor="end")  # fmt: skip
    pen.text(inner.x, y + 31, entry.brief, 10.5, Ink.INK)
    lines = wrapped(syntax(entry), inner.width, LEAST, mono=True)
    at = pen.lines(inner.x, y + 43, lines, LEAST, Ink.DIM, step=11, mono=True)
    example = str(trace.instruction)
    lines = wrapped(example, inner.width, 9.5, mono=True)
    at = pen.lines(inner.x, at + 3, lines, 9.5, Ink.INK, step=11.5, mono=True, bold=True)
    end = _figure(_Small(pen, trace, form_scene(trace), inner), at - 5)
    pen.close()
    return end


_FAMILIES = {
    (Group.SIMD, 4): "bytes",
    (Group.SIMD, 2): "half-words",
    (Group.SCALAR, 1): "scalar",
    (Group.COMPARE, 1): "condition",
}
"""What a card says of its family."""


class _Small(NamedTuple):
    """A figure on a card."""

    pen: Pen
    trace: Trace
    scene: Scene
    area: Area


def _figure(small: _Small, y: float) -> float:
    """Registers, the parts that are selected, a line a step, and what is written."""
    ports, y = _registers(small, y)
    for step, drawn in zip(small.trace.steps, small.scene.steps, strict=True):
        if step.stage is Stage.SELECT:
            y = _selected(small, drawn.rows, ports, y)
        elif step.stage is Stage.WRITE:
            y = _written(small, drawn.rows, y)
        else:
            y = _step(small, step, drawn.title, y)
            merged = [x for x in drawn.rows if _merges(small.trace, x)]
            for row in merged:
                y = _merged(small, row, y)
    return y


def _merges(trace: Trace, row: RowScene) -> bool:
    return isinstance(trace.rows[row.key].micro, Merge)


def _sides(small: _Small, count: int) -> list[tuple[Area, Area]]:
    """In each of so many columns a place for a on the left and for b on the right."""
    columns = small.area.columns(count, 5)
    return [(left, right) for left, right in (x.columns(2, 2) for x in columns)]


def _registers(small: _Small, y: float) -> tuple[dict[Place, Area], float]:
    """The registers a and b in their parts; where each part stands."""
    ports: dict[Place, Area] = {}
    for register in small.scene.registers:
        if register.role not in ("a", "b"):
            continue
        side = int(register.role == "b")
        for cell, area in zip(register.cells, _places(small, register, side), strict=True):
            span = cell.spans[0]
            bits(small.pen, area, y, _CHIP, "", span.look, span.tint)
            _inside(small.pen, area, y, span.text, bold=span.look is Look.CHIP)
            ports[cell.place] = area
    return ports, y + _CHIP


def _places(small: _Small, register: Register, side: int) -> list[Area]:
    count = len(register.cells)
    if register.by_lane:
        return [pair[side] for pair in _sides(small, count)]
    return small.area.columns(2, 8)[side].columns(count, 2)


def _inside(pen: Pen, area: Area, y: float, text: str, *, bold: bool = True) -> None:
    pen.text(area.center, y + 11, text, LEAST, Ink.ON if bold else Ink.DIM, anchor="middle",
             mono=True, bold=bold)  # fmt: skip


def _selected(small: _Small, rows: Sequence[RowScene], ports: dict[Place, Area], y: float) -> float:
    """The parts that a and b give, each at the end of its line."""
    top = y + _WIRES
    for row in rows:
        side = int(row.name == "b")
        if small.scene.lanes > 1:
            areas = [pair[side] for pair in _sides(small, len(row.cells))]
        else:
            half = small.area.columns(2, 8)[side]
            wide = max(text_width(row.cells[0].spans[0].text, LEAST, mono=True) + 10, 34)
            areas = [half.middle(wide)]
        for cell, area in zip(row.cells, areas, strict=True):
            span = cell.spans[0]
            bits(small.pen, area, top, _CHIP, "", span.look, span.tint)
            _inside(small.pen, area, top, span.text)
            for link in row.links:
                if link.target == cell.place and link.taken and link.source in ports:
                    start = ports[link.source].center
                    small.pen.flow((start, y), (area.center, top), wire(link.tint))
    return top + _CHIP


def _step(small: _Small, step: Step, title: str, y: float) -> float:
    """Number, title and what is computed, on a line or two; returns the end."""
    pen, area = small.pen, small.area
    told = [text for text in (_said(small.trace, row.key) for row in step.rows) if text]
    lead = f"{step.number} {title}"
    pen.text(area.x, y + _LINE, lead, 9.5, Ink.DIM, bold=True)
    start = text_width(lead, 9.5) * 1.08 + 8
    text = "; ".join(dict.fromkeys(told))
    if text_width(text, LEAST, mono=True) <= area.width - start:
        pen.text(area.right, y + _LINE, text, LEAST, anchor="end", mono=True)
        return y + _LINE
    lines = wrapped(text, area.width - 12, LEAST, mono=True)
    y += _LINE
    for line in lines:
        pen.text(area.right, y + 11, line, LEAST, anchor="end", mono=True)
        y += 11
    return y


def _said(trace: Trace, key: str) -> str:
    row = trace.rows[key]
    if isinstance(row.micro, Merge | Pack):
        return ""
    text = said(trace, row)
    named = not isinstance(row.micro, Extend) and row.name not in ("t", "negated")
    return f"{row.name} = {text}" if named and text else text


def _merged(small: _Small, row: RowScene, y: float) -> float:
    """The lanes that take t, and those that keep c's part."""
    top = y + 5
    for cell, area in zip(row.cells, small.area.columns(len(row.cells), 5), strict=True):
        _part(small.pen, cell, area, top)
    return top + _CHIP


def _part(pen: Pen, cell: Cell, area: Area, y: float) -> None:
    taken = any(span.look is Look.TAKEN for span in cell.spans)
    ink = Ink.INK if taken else Ink.C
    pen.rect(area.x, y, area.width, _CHIP, Ink.PAGE, ink, radius=3)
    chip = next(span for span in cell.spans if span.look is Look.CHIP)
    wide = text_width(chip.text, LEAST, mono=True) + 6
    center = max(area.center, area.x + 13 + wide / 2)  # beside the box of the mask
    if not taken:
        pen.hatch(area.x, y, area.width, _CHIP, ink)
        pen.rect(center - wide / 2, y + 1, wide, _CHIP - 2, Ink.PAGE, None, radius=2)
        pen.rect(area.x + 2, y + 2, 11, 11, Ink.PAGE, None, radius=0)
    mask_box(pen, area.x + 2.5, y + 2.5, taken, ink)
    pen.text(center, y + 11, chip.text, LEAST, ink, anchor="middle", mono=True, bold=True)


def _written(small: _Small, rows: Sequence[RowScene], y: float) -> float:
    """What each destination gets."""
    top = y + 5
    for row, whole in zip(rows, small.area.columns(len(rows), 8), strict=True):
        cells = row.cells
        name = row.written or row.name
        lead = text_width(name, 10, mono=True) + 12
        area = Area(whole.x + lead, whole.width - lead) if len(cells) == 1 else whole
        if len(cells) == 1:
            small.pen.text(whole.x, top + 11.5, f"{name} =", 10, Ink.DIM, mono=True, bold=True)
            area = Area(area.x + 8, area.width - 8)
        for cell, part in zip(cells, area.columns(len(cells)), strict=True):
            small.pen.rect(part.x, top, part.width, _CHIP, Ink.SOFT, Ink.INK, radius=2)
            text = "".join(x.text for x in cell.spans if x.look is not Look.TEXT)
            small.pen.text(part.center, top + 11, text.strip(), LEAST, anchor="middle", mono=True,
                           bold=True, width=part.width - 4)  # fmt: skip
    return top + _CHIP


def _key(pen: Pen, area: Area, y: float) -> None:
    """How a card is read, where one is left free."""
    inner, at = area.within(7), y + 18
    pen.text(inner.x, at, "A card", 12, bold=True)
    for text in _CARD:
        lines = wrapped(text, inner.width, 9.5)
        at = pen.lines(inner.x, at + 15, lines, 9.5, Ink.INK, step=12.5) - 12.5


_CARD = (
    "Name, family and section of the PTX ISA; below it what it does.",
    "In grey its syntax: {} may be left out, | is one of these; types are .u32, .s32 and their "
    "like, .cmp a comparison.",
    "In bold a form of it. The figure is of that form: registers, the parts that are selected, "
    "a line for each step, and what is written.",
    "`ptxscope show NAME` has the whole grammar, `ptxscope show NAME -f svg` this figure, large.",
)

# --- the legend -------------------------------------------------------------------------


def _legend(pen: Pen, y: float) -> None:
    """What signs mean, and how selectors and masks are written."""
    pen.rect(_PAGE.x, y, _PAGE.width, _LEGEND, Ink.SOFT, Ink.LINE, radius=6)
    first, *rest = _PAGE.within(12).columns(4, 18)
    pen.text(first.x, y + 18, "How to read the figures", 12, bold=True)
    for at, (text, look, tint, told) in enumerate(_SIGNS):
        column = first.columns(2, 8)[at // 3]
        top = y + 26 + (at % 3) * 21
        box = Area(column.x, 34)
        bits(pen, box, top, _CHIP, text, look, tint, LEAST)
        pen.text(column.x + 41, top + 11, told, 9.5, Ink.INK, width=column.width - 41)
    for column, (title, lines) in zip(rest, _RULES, strict=True):
        pen.text(column.x, y + 18, title, 12, bold=True)
        shown = [part for line in lines for part in wrapped(line, column.width, 9.5)]
        pen.lines(column.x, y + 33, shown, 9.5, Ink.INK, step=12.5)


_SIGNS = (
    ("a.b3", Look.CHIP, Tint("a", 3), "bits of a, the highest dark"),
    ("b.b0", Look.CHIP, Tint("b", 0), "bits of b, the lowest pale"),
    ("a.b0", Look.UNUSED, Tint("a", 0), "bits that nothing reads"),
    ("c.b2", Look.CHIP, Tint("c"), "bits of c; hatched: kept"),
    ("t", Look.CHIP, Tint(), "what is computed"),
    ("", Look.LOST, Tint(), "bits that fall off"),
)
_RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Selectors",
        (
            "scalar: .b0 to .b3, a byte; .h0 and .h1, a half-word, of a or b",
            "vadd2 …: .h and two digits, of lanes 1 and 0: 0, 1 are a's half-words, 2, 3 b's",
            "vadd4 …: .b and four digits, of lanes 3 to 0: 0 to 3 are a's bytes, 4 to 7 b's",
        ),
    ),
    (
        "Destinations",
        (
            "scalar d.b0 … d.h1: t is merged into that part, the rest is c's",
            "d.h10, d.b310 …: a mask; the lanes named take t, the others keep c's part, "
            "or with .add are left out of the sum",
        ),
    ),
    (
        "Modifiers",
        (
            ".sat: clamp to the range of the destination's type, or of its part",
            ".add .min .max: with c, behind it; .add of lanes: c plus the lanes of the mask",
            ".shr7 .shr15: shift the sum right; .po: plus one; .ftz: subnormals are zeros",
        ),
    ),
)
