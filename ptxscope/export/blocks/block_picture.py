"""A block as one vector picture: each statement as in a picture of its own, and wires between.

A wire runs from the digits of a result to the bytes of the register that reads them. If statements
are between, or the register is drawn where it is read, the wire is a rail along the right edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil

from ...engine.blocks.basic_block import ValuePlace
from ...engine.blocks.block_trace import BlockTrace
from ...engine.records import NamedTuple
from ...scene.scene_model import LaneRef, Scene, Tint
from ..content.document import Document, build_document
from ..content.id_prefix import hash_id
from ..content.name_abbreviation import abbreviate_names
from ..options import DEFAULT, Motion, Options
from ..svg.cell_shapes import drop_hex_prefixes
from ..svg.page_layout import (
    EDGE,
    MAX_NAME_CHARS,
    build_folded_scene,
    build_visible_scene,
    choose_link_colour,
    find_long_names,
)
from ..svg.svg_canvas import Node, SvgCanvas, Zone
from ..svg.svg_colours import SvgColour
from ..svg.svg_sheet import Sheet, list_elements, write_sheet
from ..svg.text_fitting import measure_text
from ..svg.trace_picture import PictureStyle, choose_style, draw_body
from .block_document import BlockDocument, StatementSection, build_block_document

_BAND = 30.0
"""Height in px of the line of a statement."""
_GAP = 34.0
"""Height in px for the wires above it."""
_RAIL = 5.0
"""Distance in px of the first rail from the right edge of the figures, and of the next ones."""


class BlockDrawing(NamedTuple):
    """The drawing of a block; its values are nodes whose branch is the statement's prefix."""

    doc: BlockDocument
    canvas: SvgCanvas
    width: float
    height: float


class _Digits(NamedTuple):
    """The digits of a result that is drawn."""

    node: Node
    x: float
    """The left edge of the text."""
    pitch: float
    """The width of a character."""
    text: str
    box: tuple[float, float, float, float]
    """x, y, width and height of what is around it."""

    @property
    def end(self) -> float:
        """The lower edge of the box."""
        return self.box[1] + self.box[3]

    def find_center(self, unit: int, part: int) -> float:
        """Return x of the middle of part ``part`` of ``unit`` bits, from the least significant."""
        chars = unit / 4 if unit >= 4 else len(self.text)
        return self.x + self.pitch * (len(self.text) - (part + 0.5) * chars)


def render(trace: BlockTrace, options: Options = DEFAULT) -> str:
    """Render the picture as a scalable ``<svg>``: 800 px wide, or 400 if compact."""
    if options.motion is not Motion.STILL:
        raise ValueError("a picture of a block is still: its statements have no common steps")
    drawing = draw_block(trace, options)
    return write_block(drawing, options)


def write_block(drawing: BlockDrawing, options: Options, overlay: tuple[str, ...] = ()) -> str:
    """Write the ``<svg>`` of a drawing, with elements over it."""
    doc, canvas, width, height = drawing
    name = doc.title or doc.count_text
    sheet = Sheet(canvas.prefix, width, height, name, drop_hex_prefixes(describe_block(doc)))
    page = SvgCanvas(canvas.prefix)
    page.draw_rect(0, 0, width, height, SvgColour.PAGE, None, radius=0)
    elements = [*page.parts, *list_elements(canvas)]
    return write_sheet(sheet, elements, options.theme, overlay=overlay)


def describe_block(doc: BlockDocument) -> str:
    """Describe the statements and their results on one line."""
    words = [f"{doc.title.rstrip('.')}."] if doc.title else []
    if doc.operands:
        words.append(f"Registers: {', '.join(f'{x.name} = {x.bits}' for x in doc.operands)}.")
    for section in doc.sections:
        results = " and ".join(f"{x.name} = {x.bits}" for x in section.doc.results)
        words.append(f"{section.heading} gives {results or 'nothing'}.")
    words += (f"Result: {x.name} = {x.bits}, {x.meant}." for x in doc.results)
    return " ".join(words)


def make_block_id(trace: BlockTrace, options: Options, kind: str) -> str:
    """Return the id that the author chose, or a hash of everything the picture depends on."""
    choices = options._replace(format="")._asdict().items()
    changed_options = [
        (name, sorted(value) if isinstance(value, frozenset) else value)
        for name, value in choices
        if value != getattr(DEFAULT, name)
    ]
    values = sorted(trace.operands.items())
    texts = trace.annotations.title, trace.annotations.caption
    model = trace.model.name
    return options.id or hash_id((kind, str(trace.block), values, model, texts, changed_options))


def draw_block(trace: BlockTrace, options: Options = DEFAULT, part: str = "") -> BlockDrawing:
    """Draw a block; ``part`` tells the ids of several pictures apart."""
    doc = build_block_document(trace, options)
    style = choose_style(options)
    canvas = SvgCanvas(make_block_id(trace, options, "svg") + part)
    canvas.lettering, canvas.min_size = style.lettering, style.min_size
    page = style.layout.page
    y = _draw_head(doc, canvas, style)
    results: dict[ValuePlace, _Digits] = {}
    rails = 0
    for section in doc.sections:
        own_canvas, band, y = _draw_section(trace, section, canvas, y + _GAP, style, options)
        rails = _draw_wires(section, canvas, results, own_canvas, (band, page.right), rails)
        results |= _find_results(section, canvas, style)
    y += 24
    for note in (f"Note: {x}." for section in doc.sections for x in section.notes):
        y = _draw_words(canvas, note, y, style)
    for text in (*(f"Note: {x}." for x in doc.notes), doc.caption, doc.source):
        y = _draw_words(canvas, text, y, style)
    return BlockDrawing(doc, canvas, style.layout.width, ceil(y + 10))


def _draw_words(canvas: SvgCanvas, text: str, y: float, style: PictureStyle) -> float:
    page = style.layout.page
    lines = canvas.wrap_text(drop_hex_prefixes(text), page.width, 11)
    return canvas.draw_lines(page.x, y, lines, 11, SvgColour.DIM, step=15) if text else y


def _draw_head(doc: BlockDocument, canvas: SvgCanvas, style: PictureStyle) -> float:
    """Draw the title, the given registers and the model; return the end."""
    page, y = style.layout.page, 18.0
    if doc.title:
        lines = canvas.wrap_text(doc.title, page.width / 1.12, 18)
        y = canvas.draw_lines(page.x, y + 10, lines, 18, SvgColour.INK, step=23, is_bold=True)
    canvas.draw_text(page.right, y, f"model {doc.model}", 11, SvgColour.DIM, anchor="end")
    given = ", ".join(f"{x.name} = {drop_hex_prefixes(x.bits)}" for x in doc.operands)
    lines = canvas.wrap_text(given, page.width - 90, 12, is_monospaced=True)
    return canvas.draw_lines(page.x, y, lines, 12, SvgColour.INK, step=17, is_monospaced=True) - 30


def _draw_section(
    trace: BlockTrace,
    section: StatementSection,
    canvas: SvgCanvas,
    y: float,
    style: PictureStyle,
    options: Options,
) -> tuple[SvgCanvas, float, float]:
    """Draw a statement; return its canvas, the top of its line, and its end."""
    statement = section.statement
    own_canvas = SvgCanvas(f"{canvas.prefix}-{statement.prefix.rstrip('.')}")
    own_canvas.lettering, own_canvas.min_size = style.lettering, style.min_size
    band = y
    y = _draw_band(own_canvas, section, y, style)
    if not section.is_folded:
        scene, doc, ends = _make_scene(trace, section, style, options)
        y = draw_body(own_canvas, scene, doc, y + 22, style.layout, ends)
    canvas.parts += own_canvas.parts
    canvas.flows += own_canvas.flows
    canvas.grounds += own_canvas.grounds

    def rename(node: Node) -> Node:
        return statement.prefix, node[1], node[2]

    canvas.zones += (zone._replace(node=rename(zone.node)) for zone in own_canvas.zones)
    for (source, target), lines in own_canvas.links.items():
        canvas.links[rename(source), rename(target)] = lines
    return own_canvas, band, y


def _make_scene(
    trace: BlockTrace, section: StatementSection, style: PictureStyle, options: Options
) -> tuple[Scene, Document, tuple[tuple[LaneRef, ...], ...] | None]:
    """Return the scene and the document of a statement, with short names and its numbers."""
    doc = section.doc
    part = trace.parts[section.statement.number - 1]
    if find_long_names(doc):
        part = abbreviate_names(part, MAX_NAME_CHARS)
        short = build_document(part, options)
        numbers = (x.number for x in doc.steps)
        steps = (x._replace(number=number) for x, number in zip(short.steps, numbers, strict=True))
        doc = short._replace(steps=tuple(steps))
    folded = None
    if style.layout.is_compact:
        folded = build_folded_scene(doc, options)
    scene = folded.scene if folded else build_visible_scene(part, options)
    first = doc.steps[0].number - scene.steps[0].number
    scene = scene._replace(steps=tuple(x._replace(number=x.number + first) for x in scene.steps))
    return scene, doc, folded.ends if folded else None


def _draw_band(
    canvas: SvgCanvas, section: StatementSection, y: float, style: PictureStyle
) -> float:
    """Draw the line of a statement, with its results if it is folded; return the end."""
    page = style.layout.page
    canvas.draw_rect(page.x, y, page.width, _BAND, SvgColour.SOFT, SvgColour.LINE, radius=6)
    right = page.right - 10
    if section.is_folded:
        for view in reversed(section.doc.results):
            text = f"{view.name} = {view.bits}"
            width = measure_text(text, 13, is_monospaced=True)
            canvas.draw_text(right - width, y + 20, text, 13, is_monospaced=True, is_bold=True)
            box = (right - width, y, width, _BAND)
            canvas.zones.append(Zone(("", f"{view.name} =", 0), box))
            right -= width + 16
    canvas.draw_text(page.x + 10, y + 20, section.heading, 13, is_monospaced=True,
                     is_bold=not section.is_folded, width=right - page.x - 14)  # fmt: skip
    return y + _BAND


def _find_results(
    section: StatementSection, canvas: SvgCanvas, style: PictureStyle
) -> Iterator[tuple[ValuePlace, _Digits]]:
    """Yield the digits of each result of a statement, as it is drawn."""
    statement, doc = section.statement, section.doc
    boxes = {x.node: x.box for x in canvas.zones if x.node[0] == statement.prefix}
    roles = {name: role for role, name in statement.instruction.results.items()}
    views = zip(roles.items(), doc.results, strict=True)
    for (_, role), view in views:
        node = statement.prefix, f"{view.name} =", 0
        if node not in boxes:
            continue
        x, _, width, _ = box = boxes[node]
        if section.is_folded or style.layout.is_compact:
            size = 13 if section.is_folded else 17
            whole = measure_text(f"{view.name} = {view.bits}", size, is_monospaced=True)
            text_width = measure_text(view.bits, size, is_monospaced=True)
            left = x + (width + whole) / 2 - text_width
        else:
            text_width = min(measure_text(view.bits, 26, is_monospaced=True), width - 12)
            left = x + (width - text_width) / 2
        pitch = text_width / len(view.bits)
        yield ValuePlace(statement.number, role), _Digits(node, left, pitch, view.bits, box)


def _draw_wires(
    section: StatementSection,
    canvas: SvgCanvas,
    results: Mapping[ValuePlace, _Digits],
    own_canvas: SvgCanvas,
    line: tuple[float, float],
    rails: int,
) -> int:
    """Draw the wires into a statement whose line begins at y and ends at x; return the rails."""
    statement, (band, right) = section.statement, line
    by_place: dict[ValuePlace, list[str]] = {}
    for role, place in statement.reads.items():
        if place in results:
            by_place.setdefault(place, []).append(role)
    for place, roles in by_place.items():
        digits = results[place]
        is_next = place.statement == statement.number - 1
        if section.is_folded:
            targets = [x for x in canvas.zones if x.node[0] == statement.prefix]
            if is_next:
                x = digits.find_center(4 * (len(digits.text) - 2), 0)
                flow = len(canvas.flows)
                canvas.draw_flow((x, digits.end), (x, band), SvgColour.DIM)
            else:
                rails, flow = _draw_rail(canvas, digits, (right, band + _BAND / 2), right, rails)
            for zone in targets:
                canvas.links[digits.node, zone.node] = canvas.flows[flow : flow + 1]
            continue
        for role in roles:
            zones = [x for x in own_canvas.zones if x.node[1] == role]
            if not zones:
                continue
            unit = statement.instruction.type_of(role).bits // len(zones)
            is_above = is_next and all(x.box[1] < band + _BAND + 90 for x in zones)
            if not is_above:
                x, y, width, height = max(zones, key=lambda zone: zone.box[0] + zone.box[2]).box
                end = (x + width, y + height / 2)
                rails, flow = _draw_rail(canvas, digits, end, right, rails)
            for zone in zones:
                (_, _, lane), (x, y, width, _) = zone.node, zone.box
                if is_above:
                    flow = len(canvas.flows)
                    _draw_wire(canvas, digits, (unit, lane), (x + width / 2, y), band, role)
                node = statement.prefix, role, lane
                canvas.links[digits.node, node] = canvas.flows[flow : flow + 1]
    return rails


def _draw_rail(
    canvas: SvgCanvas, digits: _Digits, end: tuple[float, float], right: float, rails: int
) -> tuple[int, int]:
    """Draw a rail along the right edge; return the number of rails, and the index of its line."""
    x, y, width, height = digits.box
    flow = len(canvas.flows)
    rail = right + _RAIL * (1 + rails % int((EDGE - 4) / _RAIL))
    canvas.draw_rail((x + width, y + height / 2), rail, end, SvgColour.DIM)
    return rails + 1, flow


def _draw_wire(
    canvas: SvgCanvas,
    digits: _Digits,
    part: tuple[int, int],
    end: tuple[float, float],
    band: float,
    role: str,
) -> None:
    """Draw a wire from some digits to a part of the register below, behind the line between."""
    unit, lane = part
    colour = choose_link_colour(Tint(role, min(3, ((lane + 1) * unit - 1) // 8)))
    start = (digits.find_center(unit, lane), digits.end)
    canvas.draw_flow(start, (end[0], band), colour, has_head=False)
    canvas.draw_flow((end[0], band), end, colour)
