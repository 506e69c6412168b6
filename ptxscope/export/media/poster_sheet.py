"""The poster: instructions on two sheets, with their syntax and a small figure of a form."""

from __future__ import annotations

from collections.abc import Sequence

from ... import __version__
from ...engine.isa.catalog import CATALOG
from ...engine.isa.entry import Entry, Group
from ...engine.isa.grammar import format_syntax, get_syntax_name
from ...engine.micro_operations.stage import Stage
from ...engine.records import NamedTuple
from ...engine.syntax.parser import parse
from ...engine.tracing.step_text import describe_step
from ...engine.tracing.trace import Step, Trace
from ...scene.scene_model import (
    Cell,
    LaneRef,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
    StepScene,
    Tint,
)
from ...scene.symbolic_scene import (
    build_form_scene,
    format_symbolic_formula,
    make_placeholder_trace,
)
from ..options import DEFAULT, Options
from ..svg.page_layout import Area, choose_link_colour
from ..svg.svg_canvas import Ground, SvgCanvas
from ..svg.svg_colours import SvgColour
from ..svg.svg_sheet import Sheet, list_elements, write_sheet
from ..svg.symbols import draw_bit_box, draw_mask_box
from ..svg.text_fitting import MIN_LETTER_PX, measure_text, wrap_text

_WIDTH, _HEIGHT = 1587, 1122
"""A3 landscape in px."""
_EDGE = 18
_GAP = 8
_COLUMNS = 7
_HEAD = 38
_LEGEND = 92
_CHIP = 15
_WIRES = 13
_LINE = 12.6
_PAGE = Area(_EDGE, _WIDTH - 2 * _EDGE)
_ABOUT = (
    "A reference card: for each of the {} instructions of PTX its syntax and a figure of one of "
    "its forms: the registers a and b in the parts that are read, what each step computes, and "
    "what is written."
)


class _Family(NamedTuple):
    """Instructions that stand together on a sheet."""

    label: str
    """Its name on a card."""
    group: Group
    lanes: int | None = None
    """Number of lanes; None for any."""

    def has(self, entry: Entry) -> bool:
        return entry.group is self.group and self.lanes in (None, entry.lanes)


class _Rule(NamedTuple):
    """A paragraph of the legend."""

    title: str
    lines: tuple[str, ...]


class _SheetText(NamedTuple):
    """What differs from one sheet to the other."""

    head: str
    title: str
    """Title of the document."""
    kinds: str
    """Kinds of instructions, for the description of the document."""
    families: tuple[_Family, ...]
    rules: tuple[_Rule, _Rule, _Rule]
    is_detailed: bool = False
    """Whether cards have room for the choices of each slot, and for a sentence about each step."""

    def list_entries(self) -> list[tuple[Entry, _Family]]:
        """Return the entries by family; on the first sheet a family fills one row."""
        return [(x, family) for family in self.families for x in CATALOG.values() if family.has(x)]


def render(options: Options = DEFAULT, number: int = 1) -> str:
    """Render a sheet of the poster as an ``<svg>`` in A3; ``number`` is one of ``SHEETS``."""
    text = SHEETS[number]
    canvas = SvgCanvas(options.id or "px-poster")
    canvas.min_size = MIN_LETTER_PX
    entries = text.list_entries()
    _draw_head(canvas, text.head, [entry for entry, _ in entries])
    rows = -(-(len(entries) + 1) // _COLUMNS)
    top = _EDGE + _HEAD
    height = (_HEIGHT - top - _LEGEND - _EDGE - _GAP * rows) / rows
    columns = _PAGE.split_columns(_COLUMNS, _GAP)
    for index, (entry, family) in enumerate(entries):
        y = top + (index // _COLUMNS) * (height + _GAP)
        card = _Card(entry, family.label, text.is_detailed)
        _draw_card(canvas, card, columns[index % _COLUMNS], y, height)
    _draw_key(canvas, columns[-1], top + (rows - 1) * (height + _GAP))
    _draw_legend(canvas, _HEIGHT - _EDGE - _LEGEND, text.rules)
    page = SvgCanvas(canvas.prefix)
    page.draw_rect(0, 0, _WIDTH, _HEIGHT, SvgColour.PAGE, None, radius=0)
    sheet = Sheet(canvas.prefix, _WIDTH, _HEIGHT, text.title, _ABOUT.format(text.kinds))
    return write_sheet(sheet, [*page.parts, *list_elements(canvas)], options.theme)


def _draw_head(canvas: SvgCanvas, head: str, entries: Sequence[Entry]) -> None:
    canvas.draw_text(_EDGE, _EDGE + 24, head, 26, is_bold=True)
    texts = [x.ptx_isa for entry in entries for x in entry.requirements if x.ptx_isa]
    texts += [entry.ptx_isa for entry in entries]
    newest = max(tuple(map(int, text.split("."))) for text in texts)
    source = "9.0" if newest <= (9, 0) else "9.0 to {}.{}".format(*newest)
    canvas.draw_text(
        _PAGE.right, _EDGE + 22, f"as documented in PTX ISA {source}; ptxscope {__version__}", 12,
        SvgColour.DIM, anchor="end",
    )  # fmt: skip


# --- a card -----------------------------------------------------------------------------


class _Card(NamedTuple):
    """What a card shows."""

    entry: Entry
    label: str
    is_detailed: bool


def _draw_card(canvas: SvgCanvas, card: _Card, area: Area, y: float, height: float) -> None:
    """Draw the card of an instruction: its syntax, and the figure of a form."""
    entry, trace = card.entry, make_placeholder_trace(parse(card.entry.example[0]))
    canvas.open_group("px-card", entry.opcode)
    canvas.grounds.append(
        Ground(
            area.x, area.width, y, y + height, fill=SvgColour.PAGE, stroke=SvgColour.LINE, radius=6
        )
    )
    inner = area.shrink(7)
    canvas.draw_text(inner.x, y + 18, entry.opcode, 15, is_monospaced=True, is_bold=True)
    canvas.draw_text(
        inner.right,
        y + 17,
        f"{card.label}, {entry.section}",
        MIN_LETTER_PX,
        SvgColour.DIM,
        anchor="end",
    )
    canvas.draw_text(inner.x, y + 31, entry.brief, 10.5, SvgColour.INK)
    lines = wrap_text(format_syntax(entry), inner.width, MIN_LETTER_PX, is_monospaced=True)
    baseline = canvas.draw_lines(
        inner.x, y + 43, lines, MIN_LETTER_PX, SvgColour.DIM, step=11, is_monospaced=True
    )
    for line in _list_choices(entry) if card.is_detailed else ():
        lines = wrap_text(line, inner.width, MIN_LETTER_PX)
        baseline = canvas.draw_lines(
            inner.x, baseline, lines, MIN_LETTER_PX, SvgColour.DIM, step=11
        )
    example = str(trace.instruction)
    lines = wrap_text(example, inner.width, 9.5, is_monospaced=True)
    baseline = canvas.draw_lines(
        inner.x,
        baseline + 3,
        lines,
        9.5,
        SvgColour.INK,
        step=11.5,
        is_monospaced=True,
        is_bold=True,
    )
    small = _Small(canvas, trace, build_form_scene(trace), inner, card.is_detailed)
    end = _draw_figure(small, baseline - 5)
    if card.is_detailed:
        _draw_sentences(small, end + 17, y + height - 4)
    canvas.close_group()


def _list_choices(entry: Entry) -> list[str]:
    """Return the values of each slot that the syntax only names."""
    syntax = format_syntax(entry)
    named_slots = ((get_syntax_name(x), x.values) for x in entry.slots if len(x.values) > 1)
    return [
        f"{name}: {' '.join(f'.{value}' for value in values)}"
        for name, values in named_slots
        if f".{name}" in syntax
    ]


def _draw_sentences(small: _Small, baseline: float, end: float) -> None:
    """Draw a sentence about each step that computes, as far as there is room."""
    for step in small.trace.steps:
        if step.stage not in _COMPUTING_STAGES:
            continue
        sentence = f"{step.number}: {describe_step(small.trace, step)}"
        lines = wrap_text(sentence, small.area.width, MIN_LETTER_PX)
        if baseline + 11 * (len(lines) - 1) > end:
            return
        baseline = small.canvas.draw_lines(
            small.area.x, baseline, lines, MIN_LETTER_PX, SvgColour.INK, step=11
        )


_COMPUTING_STAGES = (Stage.OPERATE, Stage.ACCUMULATE, Stage.SUM)


class _Small(NamedTuple):
    """A figure on a card."""

    canvas: SvgCanvas
    trace: Trace
    scene: Scene
    area: Area
    is_detailed: bool


def _draw_figure(small: _Small, y: float) -> float:
    """Draw registers, selected parts, a line for each step, and the written value."""
    has_parts = not small.is_detailed or small.scene.lanes > 1
    ports, y = _draw_registers(small, y) if has_parts else ({}, _draw_sources(small, y))
    for step, step_scene in zip(small.trace.steps, small.scene.steps, strict=True):
        if step.stage is Stage.SELECT and has_parts:
            y = _draw_selected_parts(small, step_scene.rows, ports, y)
        elif step.stage is Stage.WRITE:
            y = _draw_written(small, step_scene.rows, y)
        else:
            y = _draw_step(small, step, step_scene, y)
            for row in step_scene.rows:
                if small.trace.rows[row.key].micro.is_merge:
                    y = _draw_merge(small, row, y)
    return y


def _split_sides(small: _Small, count: int) -> list[tuple[Area, Area]]:
    """Return, for each of `count` columns, an area for a on the left and one for b on the right."""
    columns = small.area.split_columns(count, 5)
    return [(left, right) for left, right in (x.split_columns(2, 2) for x in columns)]


def _draw_registers(small: _Small, y: float) -> tuple[dict[LaneRef, Area], float]:
    """Draw the parts of registers a and b; return the area of each part, and the end."""
    ports: dict[LaneRef, Area] = {}
    for register in small.scene.registers:
        if register.role not in ("a", "b"):
            continue
        side = int(register.role == "b")
        for cell, area in zip(register.cells, _place_parts(small, register, side), strict=True):
            span = cell.spans[0]
            draw_bit_box(small.canvas, area, y, _CHIP, "", span.kind, span.tint)
            is_narrow = area.width < measure_text(span.text, MIN_LETTER_PX, is_monospaced=True)
            text = span.text.rpartition(".")[2] if is_narrow and small.is_detailed else span.text
            _draw_text_inside(small.canvas, area, y, text, is_bold=span.kind is SpanKind.CHIP)
            ports[cell.place] = area
    return ports, y + _CHIP


def _draw_sources(small: _Small, y: float) -> float:
    """Draw each source as a whole; return the end."""
    ins = small.trace.instruction
    roles = [x.role for x in ins.entry.sources if x.role in small.trace.operands]
    for role, area in zip(roles, small.area.split_columns(len(roles), 5), strict=True):
        tint = Tint(role if role in ("a", "b") else "c")
        draw_bit_box(small.canvas, area, y, _CHIP, "", SpanKind.CHIP, tint)
        _draw_text_inside(small.canvas, area, y, ins.format_operand(role))
    return y + _CHIP


def _place_parts(small: _Small, register: RegisterFigure, side: int) -> list[Area]:
    count = len(register.cells)
    if all(x.is_by_lane for x in small.scene.registers if x.role in ("a", "b")):
        return [pair[side] for pair in _split_sides(small, count)]
    return small.area.split_columns(2, 8)[side].split_columns(count, 2)


def _draw_text_inside(
    canvas: SvgCanvas, area: Area, y: float, text: str, *, is_bold: bool = True
) -> None:
    canvas.draw_text(
        area.center,
        y + 11,
        text,
        MIN_LETTER_PX,
        SvgColour.ON if is_bold else SvgColour.DIM,
        anchor="middle",
        is_monospaced=True,
        is_bold=is_bold,
    )


def _draw_selected_parts(
    small: _Small, rows: Sequence[RowScene], ports: dict[LaneRef, Area], y: float
) -> float:
    """Draw the selected parts of a and b, each at the end of its line."""
    top = y + _WIRES
    for row in rows:
        side = int(row.name == "b")
        if small.scene.lanes > 1:
            areas = [pair[side] for pair in _split_sides(small, len(row.cells))]
        else:
            half = small.area.split_columns(2, 8)[side]
            width = max(
                measure_text(row.cells[0].spans[0].text, MIN_LETTER_PX, is_monospaced=True) + 10, 34
            )
            areas = [half.take_middle(width)]
        for cell, area in zip(row.cells, areas, strict=True):
            span = cell.spans[0]
            draw_bit_box(small.canvas, area, top, _CHIP, "", span.kind, span.tint)
            _draw_text_inside(small.canvas, area, top, span.text)
            for link in row.links:
                if link.target == cell.place and link.is_taken and link.source in ports:
                    start = ports[link.source].center
                    small.canvas.draw_flow(
                        (start, y), (area.center, top), choose_link_colour(link.tint)
                    )
    return top + _CHIP


def _draw_step(small: _Small, step: Step, step_scene: StepScene, y: float) -> float:
    """Draw the number, title and formula of a step on one or two lines; return the end."""
    formulas = [text for text in (_format_row(small.trace, row.key) for row in step.rows) if text]
    if small.is_detailed and step.stage is Stage.SELECT and not formulas:
        formulas = [row.cells[0].spans[0].text for row in step_scene.rows]
    lead = f"{step.number} {step_scene.title}"
    small.canvas.draw_text(small.area.x, y + _LINE, lead, 9.5, SvgColour.DIM, is_bold=True)
    start = measure_text(lead, 9.5) * 1.08 + 8
    joined = "; ".join(dict.fromkeys(formulas))
    has_lines = small.is_detailed and not _is_fitting(small, joined, start)
    for index, text in enumerate(dict.fromkeys(formulas) if has_lines else [joined]):
        y = _draw_formula(small, text, y, 0 if index else start)
    return y


def _is_fitting(small: _Small, text: str, start: float) -> bool:
    """Return whether a formula fits beside the title of its step, which is `start` px wide."""
    return measure_text(text, MIN_LETTER_PX, is_monospaced=True) <= small.area.width - start


def _draw_formula(small: _Small, text: str, y: float, start: float) -> float:
    """Draw a formula beside the title of its step, or below it if it is long; return the end."""
    canvas, area = small.canvas, small.area
    if _is_fitting(small, text, start):
        canvas.draw_text(
            area.right, y + _LINE, text, MIN_LETTER_PX, anchor="end", is_monospaced=True
        )
        return y + _LINE
    lines = wrap_text(text, area.width - 12, MIN_LETTER_PX, is_monospaced=True)
    y += _LINE
    for line in lines:
        canvas.draw_text(area.right, y + 11, line, MIN_LETTER_PX, anchor="end", is_monospaced=True)
        y += 11
    return y


def _format_row(trace: Trace, key: str) -> str:
    row = trace.rows[key]
    text = format_symbolic_formula(trace, row)
    has_name = row.micro.reading is None and row.name not in ("t", "negated")
    return f"{row.name} = {text}" if has_name and text else text


def _draw_merge(small: _Small, row: RowScene, y: float) -> float:
    """Draw the lanes that take t, and those that keep the part of c."""
    top = y + 5
    for cell, area in zip(row.cells, small.area.split_columns(len(row.cells), 5), strict=True):
        _draw_part(small.canvas, cell, area, top)
    return top + _CHIP


def _draw_part(canvas: SvgCanvas, cell: Cell, area: Area, y: float) -> None:
    is_taken = any(span.kind is SpanKind.TAKEN for span in cell.spans)
    ink = SvgColour.INK if is_taken else SvgColour.C
    canvas.draw_rect(area.x, y, area.width, _CHIP, SvgColour.PAGE, ink, radius=3)
    chip = next(span for span in cell.spans if span.kind is SpanKind.CHIP)
    width = measure_text(chip.text, MIN_LETTER_PX, is_monospaced=True) + 6
    center = max(area.center, area.x + 13 + width / 2)  # next to the box of the mask
    if not is_taken:
        canvas.draw_hatch(area.x, y, area.width, _CHIP, ink)
        canvas.draw_rect(
            center - width / 2, y + 1, width, _CHIP - 2, SvgColour.PAGE, None, radius=2
        )
        canvas.draw_rect(area.x + 2, y + 2, 11, 11, SvgColour.PAGE, None, radius=0)
    draw_mask_box(canvas, area.x + 2.5, y + 2.5, is_taken, ink)
    canvas.draw_text(
        center,
        y + 11,
        chip.text,
        MIN_LETTER_PX,
        ink,
        anchor="middle",
        is_monospaced=True,
        is_bold=True,
    )


def _draw_written(small: _Small, rows: Sequence[RowScene], y: float) -> float:
    """Draw the value of each destination."""
    top = y + 5
    for row, whole in zip(rows, small.area.split_columns(len(rows), 8), strict=True):
        cells = row.cells
        name = row.destination_name or row.name
        lead = measure_text(name, 10, is_monospaced=True) + 12
        area = Area(whole.x + lead, whole.width - lead) if len(cells) == 1 else whole
        if len(cells) == 1:
            small.canvas.draw_text(
                whole.x,
                top + 11.5,
                f"{name} =",
                10,
                SvgColour.DIM,
                is_monospaced=True,
                is_bold=True,
            )
            area = Area(area.x + 8, area.width - 8)
        for cell, part in zip(cells, area.split_columns(len(cells)), strict=True):
            small.canvas.draw_rect(
                part.x, top, part.width, _CHIP, SvgColour.SOFT, SvgColour.INK, radius=2
            )
            text = "".join(x.text for x in cell.spans if x.kind is not SpanKind.TEXT)
            small.canvas.draw_text(
                part.center,
                top + 11,
                text.strip(),
                MIN_LETTER_PX,
                anchor="middle",
                is_monospaced=True,
                is_bold=True,
                width=part.width - 4,
            )
    return top + _CHIP


def _draw_key(canvas: SvgCanvas, area: Area, y: float) -> None:
    """Draw the explanation of a card in the free cell."""
    inner, baseline = area.shrink(7), y + 18
    canvas.draw_text(inner.x, baseline, "A card", 12, is_bold=True)
    for text in _CARD:
        lines = wrap_text(text, inner.width, 9.5)
        baseline = (
            canvas.draw_lines(inner.x, baseline + 15, lines, 9.5, SvgColour.INK, step=12.5) - 12.5
        )


_CARD = (
    "Name, family and section of the PTX ISA; below it what it does.",
    "In grey its syntax: {} may be left out, | is one of these; types are .u32, .s32 and their "
    "like, .cmp a comparison.",
    "In bold a form of it. The figure is of that form: registers, the parts that are selected, "
    "a line for each step, and what is written.",
    "`ptxscope show NAME` has the whole grammar, `ptxscope show NAME -f svg` this figure, large.",
)

# --- the legend -------------------------------------------------------------------------


def _draw_legend(canvas: SvgCanvas, y: float, rules: Sequence[_Rule]) -> None:
    """Draw the meaning of the signs, and the notation of selectors and masks."""
    canvas.draw_rect(_PAGE.x, y, _PAGE.width, _LEGEND, SvgColour.SOFT, SvgColour.LINE, radius=6)
    first, *rest = _PAGE.shrink(12).split_columns(4, 18)
    canvas.draw_text(first.x, y + 18, "How to read the figures", 12, is_bold=True)
    for index, (text, look, tint, meaning) in enumerate(_SIGNS):
        column = first.split_columns(2, 8)[index // 3]
        top = y + 26 + (index % 3) * 21
        box = Area(column.x, 34)
        draw_bit_box(canvas, box, top, _CHIP, text, look, tint, MIN_LETTER_PX)
        canvas.draw_text(
            column.x + 41, top + 11, meaning, 9.5, SvgColour.INK, width=column.width - 41
        )
    for column, (title, lines) in zip(rest, rules, strict=True):
        canvas.draw_text(column.x, y + 18, title, 12, is_bold=True)
        rule_lines = [part for line in lines for part in wrap_text(line, column.width, 9.5)]
        canvas.draw_lines(column.x, y + 33, rule_lines, 9.5, SvgColour.INK, step=12.5)


_SIGNS = (
    ("a.b3", SpanKind.CHIP, Tint("a", 3), "bits of a, the highest dark"),
    ("b.b0", SpanKind.CHIP, Tint("b", 0), "bits of b, the lowest pale"),
    ("a.b0", SpanKind.UNUSED, Tint("a", 0), "unused bits"),
    ("c.b2", SpanKind.CHIP, Tint("c"), "bits of c; hatched: kept"),
    ("t", SpanKind.CHIP, Tint(), "what is computed"),
    ("", SpanKind.LOST, Tint(), "bits that are cut off"),
)
SHEETS = {
    1: _SheetText(
        "PTX video and comparison instructions",
        "The 27 PTX instructions of ptxscope",
        "comparison, selection, scalar video and SIMD video",
        (
            _Family("bytes", Group.SIMD, 4),
            _Family("half-words", Group.SIMD, 2),
            _Family("scalar", Group.SCALAR),
            _Family("condition", Group.COMPARE),
        ),
        (
            _Rule(
                "Selectors",
                (
                    "scalar: .b0 to .b3, a byte; .h0 and .h1, a half-word, of a or b",
                    "vadd2 …: .h and two digits, of lanes 1 and 0: 0, 1 are a's half-words, "
                    "2, 3 b's",
                    "vadd4 …: .b and four digits, of lanes 3 to 0: 0 to 3 are a's bytes, "
                    "4 to 7 b's",
                ),
            ),
            _Rule(
                "Destinations",
                (
                    "scalar d.b0 … d.h1: t is merged into that part, the rest is c's",
                    "d.h10, d.b310 …: a mask; the lanes named take t, the others keep c's part, "
                    "or with .add are left out of the sum",
                ),
            ),
            _Rule(
                "Modifiers",
                (
                    ".sat: clamp to the range of the destination's type, or of its part",
                    ".add .min .max: with c, after it; .add of lanes: c plus the lanes of the mask",
                    ".shr7 .shr15: shift the sum right; .po: plus one; .ftz: subnormals are zeros",
                ),
            ),
        ),
    ),
    2: _SheetText(
        "PTX permutations, bit fields and packed arithmetic",
        "The integer instructions of ptxscope beside the 27",
        "permutation, logic, bit field and packed arithmetic",
        (
            _Family("permute", Group.PERMUTE),
            _Family("bit field", Group.FIELDS),
            _Family("arithmetic", Group.PACKED),
        ),
        (
            _Rule(
                "Permute and logic",
                (
                    "prmt: a digit of c for each byte of d; 0 to 3 are a's bytes, 4 to 7 b's; "
                    "plus 8: copies of its top bit. With a mode n is c mod 4.",
                    "lop3: compute the formula with a = 0xf0, b = 0xcc, c = 0xaa: that is immLut",
                ),
            ),
            _Rule(
                "Bit fields",
                (
                    "bfe, bfi: the low byte of the position and of the length counts; above the "
                    "top there are copies of the sign, or zeros",
                    ".clamp: at most 32; .wrap: the low five bits; bfind, fns: all ones if none",
                ),
            ),
            _Rule(
                "Packed arithmetic",
                (
                    "dp4a, dp2a: the types are those of a's and of b's parts; nothing saturates",
                    ".u8x4 .s16x2 …: in lanes, without a carry between them; .sat: clamp to the "
                    "type's range; .relu: at least 0; .cc writes a carry",
                ),
            ),
        ),
        is_detailed=True,
    ),
}
"""The sheets by number."""
