"""A block as one vector picture: each statement as in a picture of its own, and wires between.

A wire runs from the digits of a result to the bytes of the register that reads them. If statements
are between, or the register is drawn where it is read, the wire is a rail along the right edge.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import groupby
from math import ceil
from typing import NamedTuple

from ...engine.micro_operations.stage import Stage
from ...engine.tracing.basic_block import ValuePlace
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import iter_pairs
from ...scene.scene_model import LaneRef, Scene, Tint
from ..content.document import Document, Section, build_document, make_section
from ..content.id_prefix import make_block_id
from ..content.name_abbreviation import abbreviate_names
from ..options import DEFAULT, Options
from .page_layout import (
    COMPACT,
    EDGE,
    MAX_NAME_CHARS,
    build_folded_scene,
    build_visible_scene,
    choose_link_colour,
    find_long_names,
)
from .svg_canvas import Node, SvgCanvas, Zone
from .svg_colours import SvgColour
from .text_fitting import measure_text
from .trace_picture import (
    NOTHING_DIFFERS,
    PLAIN,
    IdleStep,
    PictureKind,
    PictureStyle,
    SvgDrawing,
    describe_idle_steps,
    draw_body,
    draw_lane_notes,
    list_idle_steps,
    make_idle_step,
)

_BAND = 30.0
"""Height in px of the line of a statement."""
_GAP = 34.0
"""Height in px for the wires above it."""
_RAIL = 5.0
"""Largest distance in px of the first rail from the right edge, and of the next ones."""


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
    end: float
    """The lower edge of the box, or of the notes below it."""

    def find_center(self, unit: int, part: int) -> float:
        """Return x of the middle of part ``part`` of ``unit`` bits, from the least significant."""
        chars = unit / 4 if unit >= 4 else len(self.text)
        return self.x + self.pitch * (len(self.text) - (part + 0.5) * chars)


class _Wires:
    """The wires between the statements of a picture."""

    def __init__(self, canvas: SvgCanvas, margin: float) -> None:
        self.canvas = canvas
        self.margin = margin
        """Width in px of the empty strip at the right of the picture."""
        self.results: dict[tuple[bool, ValuePlace], _Digits] = {}
        """The drawn results, of the other model or of the trace's own."""
        self.branches_above: frozenset[str] = frozenset()
        """The branches of the statements right above the one that is drawn."""
        self.rail_count = 0
        self.idle_steps: dict[IdleStep, bool] = {}
        """Number and title of each step, and whether it is never drawn."""

    def find_digits(self, place: ValuePlace, *, is_other: bool) -> _Digits | None:
        """Return the digits of a result under a model; a statement may be alike in both."""
        return self.results.get((is_other, place)) or self.results.get((False, place))

    def draw_rail(self, digits: _Digits, end: tuple[float, float], right: float) -> int:
        """Draw a rail along the right edge; return the index of its line."""
        x, y, width, height = digits.box
        flow = len(self.canvas.flows)
        pitch = min(_RAIL, self.margin / 3)
        rail = right + pitch * (1 + self.rail_count % int(self.margin * 2 / 3 / pitch))
        self.canvas.draw_rail((x + width, y + height / 2), rail, end, SvgColour.DIM)
        self.rail_count += 1
        return flow


def describe_block(doc: Document) -> str:
    """Describe the statements and their results on one line."""
    words = [f"{doc.title.rstrip('.')}."] if doc.title else []
    if doc.operands:
        words.append(f"Registers: {', '.join(f'{x.name} = {x.bits}' for x in doc.operands)}.")
    last = doc.steps[-1].number if doc.steps and not doc.results else None
    for section in doc.sections:
        if last is not None and section.step_count + len(section.trace.steps) > last:
            break
        results = " and ".join(f"{x.name} = {x.bits}" for x in section.results)
        words.append(f"{section.heading} gives {results or 'nothing'}.")
    words += (f"Result: {x.name} = {x.bits}, {x.meant}." for x in doc.results)
    if doc.no_result:
        words.append(f"Result: {doc.no_result}.")
    return " ".join(filter(None, (*words, doc.agreement)))


def describe_block_shortly(doc: Document) -> str:
    """Describe the statements, the registers and the results in one sentence."""
    sentence = f"{doc.title.rstrip('.:')}: " * bool(doc.title) + " ".join(doc.ptx.split("\n"))
    if doc.operands:
        sentence += f" on {', '.join(f'{x.name} = {x.bits}' for x in doc.operands)}"
    if doc.trace.model.errata:
        sentence += f", model {doc.model},"
    results = " and ".join(f"{x.name} = {x.bits}, {x.meant}" for x in doc.results)
    sentence += f" gives {results}" if results else f"; {doc.no_result}" * bool(doc.no_result)
    return f"{sentence.rstrip(',;')}."


def draw_block(
    trace: Trace, options: Options = DEFAULT, part: str = "", style: PictureStyle = PLAIN
) -> SvgDrawing:
    """Draw a block; ``part`` tells the ids of several pictures apart.

    Its values are nodes whose branch is the statement's prefix. Two answers stand side by side, in
    two compact columns; in a compact picture one below the other.
    """
    doc = build_document(trace, options)
    canvas = SvgCanvas(make_block_id(trace, options, "svg") + part)
    about = describe_block(doc)
    if not options.sentences:
        doc = doc.without_sentences()
    y = _draw_head(doc, canvas, style)
    canvas.add_mark("operands", y)
    wires = _Wires(canvas, style.layout.page.x)  # as wide as at the left
    for group in _list_groups(doc, is_stacked=style.layout.is_compact):
        styles = _split_style(style) if len(group) > 1 else (style,)
        top = y + _GAP
        ends = [
            _draw_section(section, wires, top, own_style)
            for section, own_style in zip(group, styles, strict=True)
        ]
        y = max(ends)
        wires.branches_above = frozenset(section.branch for section in group)
        if len(group) > 1:  # no cut between the steps of one answer
            *marks, last = canvas.marks
            canvas.marks = [*(x._replace(y=min(x.y, top)) for x in marks), last._replace(y=y)]
    canvas.add_mark("notes", y)
    y += 24
    notes = dict.fromkeys(x for section in doc.sections for x in section.notes)
    for text in (*(f"Note: {x}." for x in (*notes, *doc.notes)), doc.no_result, doc.agreement):
        y = _draw_words(canvas, text, y, style)
    canvas.add_mark("foot", y)
    idle_steps = [step for step, is_idle in wires.idle_steps.items() if is_idle]
    idle_text = describe_idle_steps(idle_steps) if options.sentences else ""
    for text in (doc.caption, idle_text, doc.source):
        y = _draw_words(canvas, text, y, style)
    return SvgDrawing(
        doc,
        canvas,
        ceil(y + 10),
        about,
        _format_model(doc),
        options.theme,
        style.layout,
        has_frame=False,
        owners=_list_owners(doc, {x.name for x in canvas.marks}),
    )


BLOCK = PictureKind(draw_block, build_document, describe_block, describe_block_shortly)


def draw_pair(
    trace: Trace, options: Options = DEFAULT, part: str = "", style: PictureStyle = PLAIN
) -> SvgDrawing:
    """Draw an instruction, and that of ``options.beside``, side by side in two compact columns."""
    doc = build_pair_document(trace, options)
    about = describe_block(doc)
    if not options.sentences:
        doc = doc.without_sentences()
    canvas = SvgCanvas(make_block_id(trace, options, "svg") + part)
    wires, top = _Wires(canvas, style.layout.page.x), _draw_head(doc, canvas, style) + _GAP
    left, right = doc.sections
    lane_count = left.trace.instruction.entry.lanes
    pairs = (x for stage in Stage for x in iter_pairs(left.trace, right.trace, stage))
    # the one value of a word, drawn by lanes, does not say in which lane it differs
    lanes = {x.key: x.lanes for x in pairs if x.isa and len(x.isa.lanes) == lane_count}
    ends = [
        _draw_section(x._replace(heading=str(x.trace.block)), wires, top, own_style, lanes)
        for x, own_style in zip(doc.sections, _split_style(style), strict=True)
    ]
    y = max(ends) + 24
    notes = dict.fromkeys(x for section in doc.sections for x in section.notes)
    idle_steps = [name for name, is_idle in wires.idle_steps.items() if is_idle]
    idle_text = describe_idle_steps(idle_steps) if options.sentences else ""
    for text in (*(f"Note: {x}." for x in notes), doc.caption, idle_text, doc.source):
        y = _draw_words(canvas, text, y, style)
    return SvgDrawing(doc, canvas, ceil(y + 10), about, _format_model(doc), options.theme,
                      style.layout, has_frame=False)  # fmt: skip


def build_pair_document(trace: Trace, options: Options) -> Document:
    """Return the document of two instructions: their sections, and what is around the first."""
    assert options.beside is not None
    docs = [build_document(x, options) for x in (trace, options.beside)]
    sections = (
        doc.sections[0]._replace(
            heading=" on ".join(
                filter(None, (doc.ptx, ", ".join(f"{x.label} = {x.bits}" for x in doc.operands)))
            ),
            is_other=index > 0,
        )
        for index, doc in enumerate(docs)
    )
    return docs[0]._replace(
        sections=tuple(sections), steps=(), operands=(), results=(), no_result=""
    )


PAIR = PictureKind(draw_pair, build_pair_document, describe_block, describe_block)


def _format_model(doc: Document) -> str:
    return f"models {doc.model} and {doc.other.model.name}" if doc.other else f"model {doc.model}"


def _list_groups(doc: Document, *, is_stacked: bool) -> Iterator[tuple[Section, ...]]:
    """Yield the statements that are beside each other: each, or one under both models."""
    if is_stacked:
        yield from ((section,) for section in doc.sections)
        return
    for _, sections in groupby(doc.sections, lambda x: x.statement.number):
        yield tuple(sections)


def _split_style(style: PictureStyle) -> tuple[PictureStyle, PictureStyle]:
    """Return the styles of two compact columns on a page."""
    left, right = style.layout.page.split_columns(2, EDGE)
    return tuple(  # type: ignore[return-value]
        style._replace(layout=COMPACT._replace(page=x, figures=x, words=x.shrink(2)))
        for x in (left, right)
    )


def _list_owners(doc: Document, drawn: Container[str]) -> dict[str, str]:
    """Return the marks of the steps with which the other parts of the statements appear.

    The line of a statement appears with its first step, or with the next one if it has none; its
    result with its last step, or with the previous one.
    """
    owners: dict[str, str] = {}
    steps = [step for step in doc.steps if step.mark in drawn]
    marks = [step.mark for step in steps]
    for section in doc.sections:
        shown = sum(step.number <= section.step_count for step in steps)
        own_count = sum(step.prefix == section.statement.prefix for step in steps)
        if marks:
            owners[f"line-{section.key}"] = marks[min(shown, len(marks) - 1)]
            owners[f"wires-{section.key}"] = owners[f"line-{section.key}"]
            owners[f"result-{section.key}"] = marks[max(shown + own_count - 1, 0)]
    return owners


def _draw_words(canvas: SvgCanvas, text: str, y: float, style: PictureStyle) -> float:
    page = style.layout.page
    lines = canvas.wrap_text(text, page.width, 11)
    return canvas.draw_lines(page.x, y, lines, 11, SvgColour.DIM, step=15) if text else y


def _draw_head(doc: Document, canvas: SvgCanvas, style: PictureStyle) -> float:
    """Draw the title, the given registers and the model; return the end."""
    page, y = style.layout.page, 18.0
    if doc.title:
        lines = canvas.wrap_text(doc.title, page.width / 1.12, 18)
        y = canvas.draw_lines(page.x, y + 10, lines, 18, SvgColour.INK, step=23, is_bold=True)
    model = _format_model(doc)
    canvas.draw_text(page.right, y, model, 11, SvgColour.DIM, anchor="end")
    room = max(90 * (2 if doc.other else 1), measure_text(model, 11) + 8)
    given = ", ".join(f"{x.name} = {x.bits}" for x in doc.operands)
    lines = canvas.wrap_text(given, page.width - room, 12, is_monospaced=True)
    return canvas.draw_lines(page.x, y, lines, 12, SvgColour.INK, step=17, is_monospaced=True) - 30


def _draw_section(
    section: Section,
    wires: _Wires,
    band: float,
    style: PictureStyle,
    differing_lanes: Mapping[str, frozenset[int]] = NOTHING_DIFFERS,
) -> float:
    """Draw a statement from the top of its line, and the wires into it; return its end."""
    canvas = wires.canvas
    own_canvas = SvgCanvas(f"{canvas.prefix}-{section.key}")
    own_canvas.add_mark("line", band)
    y = _draw_band(own_canvas, section, band, style)
    has_numbers = False
    if not section.is_folded:
        scene, short_section, ends = _make_scene(section, style)
        has_numbers = scene.lanes > 1
        y = draw_body(own_canvas, scene, short_section, y + 22, style.layout, ends, differing_lanes)
        idle_steps = list_idle_steps(scene, short_section.steps)
        for step in short_section.steps:  # under both models, one of them may draw it
            idle_step = make_idle_step(step)
            was_idle = wires.idle_steps.get(idle_step, True)
            wires.idle_steps[idle_step] = was_idle and idle_step in idle_steps
    if section.lane_notes:
        y = (
            draw_lane_notes(section.lane_notes, own_canvas, y + 8, style.layout.page, has_numbers)
            - 8
        )
    own_canvas.add_mark("wires", y)
    _add_canvas(canvas, own_canvas, section)
    _draw_wires(section, wires, own_canvas, (band, style.layout.page.right))
    wires.results |= {
        (section.is_other, place): digits
        for place, digits in _find_results(section, canvas, style, y)
    }
    return y


def _add_canvas(canvas: SvgCanvas, own_canvas: SvgCanvas, section: Section) -> None:
    """Add what is drawn of a statement to the picture, with names of its own."""
    parts, flows = len(canvas.parts), len(canvas.flows)
    for mark in own_canvas.marks:
        name = mark.name if mark.name.startswith("step-") else f"{mark.name}-{section.key}"
        canvas.marks.append(
            mark._replace(name=name, parts=mark.parts + parts, flows=mark.flows + flows)
        )
    canvas.parts += own_canvas.parts
    canvas.flows += own_canvas.flows
    line = f"line-{section.key}"
    canvas.grounds += (x._replace(first_mark=line) for x in own_canvas.grounds)

    def rename(node: Node) -> Node:
        return section.branch, node[1], node[2]

    canvas.zones += (zone._replace(node=rename(zone.node)) for zone in own_canvas.zones)
    for (source, target), lines in own_canvas.links.items():
        canvas.links[rename(source), rename(target)] = lines


def _make_scene(
    section: Section, style: PictureStyle
) -> tuple[Scene, Section, tuple[tuple[LaneRef, ...], ...] | None]:
    """Return the scene and the section of a statement, with short names and its numbers."""
    options, count = section.options, section.step_count
    if find_long_names(section.trace):
        part = abbreviate_names(section.trace, MAX_NAME_CHARS)
        section = make_section(section.statement, part, options, count)
    folded = build_folded_scene(section, options) if style.layout.is_compact else None
    scene = folded.scene if folded else build_visible_scene(section.trace, options)
    steps = tuple(x._replace(number=x.number + count) for x in scene.steps)
    return scene._replace(steps=steps), section, folded.ends if folded else None


def _draw_band(canvas: SvgCanvas, section: Section, y: float, style: PictureStyle) -> float:
    """Draw the line of a statement, with its results if it is folded; return the end."""
    page = style.layout.page
    canvas.draw_rect(page.x, y, page.width, _BAND, SvgColour.SOFT, SvgColour.LINE, radius=6)
    right = page.right - 10
    if section.is_folded:
        for view in reversed(section.results):
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
    section: Section, canvas: SvgCanvas, style: PictureStyle, section_end: float
) -> Iterator[tuple[ValuePlace, _Digits]]:
    """Yield the digits of each result of a statement, as it is drawn."""
    statement, doc = section.statement, section
    boxes = {x.node: x.box for x in canvas.zones if x.node[0] == section.branch}
    roles = {name: role for role, name in statement.instruction.results.items()}
    views = zip(roles.items(), doc.results, strict=bool(doc.results))
    for (_, role), view in views:
        node = section.branch, f"{view.name} =", 0
        if node not in boxes:
            continue
        x, y, width, height = box = boxes[node]
        end = section_end if doc.lane_notes else y + height
        if section.is_folded or style.layout.is_compact:
            size = 13 if section.is_folded else 17
            whole = measure_text(f"{view.name} = {view.bits}", size, is_monospaced=True)
            text_width = measure_text(view.bits, size, is_monospaced=True)
            left = x + (width + whole) / 2 - text_width
        else:
            text_width = min(measure_text(view.bits, 26, is_monospaced=True), width - 12)
            left = x + (width - text_width) / 2
        pitch = text_width / len(view.bits)
        yield ValuePlace(statement.number, role), _Digits(node, left, pitch, view.bits, box, end)


def _draw_wires(
    section: Section, wires: _Wires, own_canvas: SvgCanvas, line: tuple[float, float]
) -> None:
    """Draw the wires into a statement whose line begins at y and ends at x."""
    statement, canvas, (band, right) = section.statement, wires.canvas, line
    by_place: dict[ValuePlace, list[str]] = {}
    for role, place in statement.reads.items():
        by_place.setdefault(place, []).append(role)
    for place, roles in by_place.items():
        digits = wires.find_digits(place, is_other=section.is_other)
        if digits is None:
            continue
        is_next = digits.node[0] in wires.branches_above
        if section.is_folded:
            targets = [x for x in canvas.zones if x.node[0] == section.branch]
            if is_next:
                x = digits.find_center(4 * (len(digits.text) - 2), 0)
                flow = len(canvas.flows)
                canvas.draw_flow((x, digits.end), (x, band), SvgColour.DIM)
            else:
                flow = wires.draw_rail(digits, (right, band + _BAND / 2), right)
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
                flow = wires.draw_rail(digits, (x + width, y + height / 2), right)
            for zone in zones:
                (_, _, lane), (x, y, width, _) = zone.node, zone.box
                if is_above:
                    flow = len(canvas.flows)
                    _draw_wire(canvas, digits, (unit, lane), (x + width / 2, y), band, role)
                node = section.branch, role, lane
                canvas.links[digits.node, node] = canvas.flows[flow : flow + 1]


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
    if digits.end > (bottom := digits.box[1] + digits.box[3]):  # behind the notes
        canvas.draw_flow((start[0], bottom), start, colour, has_head=False)
