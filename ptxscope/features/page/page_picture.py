"""The picture of the page: the export's SVG, and the places in it that react."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...documents.formats.html import iter_value_sentences
from ...documents.options import Options
from ...documents.svg import trace_picture
from ...documents.svg.svg_canvas import Node
from ...documents.svg.zones import find_relations
from ...engine.isa.types import Role
from ...engine.micro_operations.properties import Stage
from ...engine.tracing.step_text import format_operand_name
from ...engine.tracing.trace import Trace
from ...scene.scene_builder import build_scene
from ...scene.scene_model import BitRef, LaneRef, Place, Scene
from ...state import figure_edits

_MAX_RELATED_STATEMENTS = 12
"""Maximum statements of a block whose values show their origins in other statements.

The time for it grows with the square of the statements, and a page waits for it.
"""
_PATH = re.compile(r' d="([^"]++)"')
_ENTRY = f"{Role.TABLE}.entry"
"""Key of the entries of a truth table in the picture."""


class PagePicture(NamedTuple):
    """A drawn picture."""

    trace: Trace
    drawing: trace_picture.SvgDrawing
    svg: str
    """The text that ``ptxscope trace -f svg`` prints."""
    has_numbers: bool
    """Whether operands are shown as numbers, too."""


def draw_picture(trace: Trace, options: Options) -> PagePicture:
    """Draw a trace."""
    drawing = trace_picture.draw_trace(trace, options._replace(format="svg"))
    return PagePicture(trace, drawing, trace_picture.render_drawing(drawing), options.numbers)


def draw_within(
    trace: Trace, options: Options, pointed: LaneRef | None, room: float
) -> PagePicture:
    """Draw a trace in a height: registers, the step of a place or the last, and others that fit."""
    whole = draw_picture(trace, options)
    if whole.drawing.height <= room:
        return whole
    shown = [step for step in trace.steps if options.shows(step.place)]
    row = trace.rows.get(pointed.key) if pointed else None
    kept = {step.place for step in shown if row and step.stage is row.stage}
    kept = kept or {step.place for step in shown[-1:]}
    if row and row.stage is Stage.WRITE:  # it shows the result; the step before, how
        kept |= {step.place for step in shown[-2:]}

    def draw() -> PagePicture:
        return draw_picture(trace, options._replace(steps=frozenset(kept)))

    picture = draw()
    if whole.drawing.height <= picture.drawing.height:
        return whole
    for step in shown:  # registers are drawn with the first step that reads them
        if any(zone.node[1] in trace.operands for zone in picture.drawing.canvas.zones):
            break
        kept.add(step.place)
        picture = draw()
    for step in reversed(shown):
        if step.place not in kept:
            kept.add(step.place)
            larger = draw()
            if larger.drawing.height <= room:
                picture = larger
            else:
                kept.remove(step.place)
    return picture


def list_undrawn(picture: PagePicture) -> list[str]:
    """Return the operands that the steps read and a picture does not draw."""
    trace = picture.trace
    read_keys = {key for row in trace.rows.values() for key in row.input_keys}
    drawn_keys = {zone.node[1] for zone in picture.drawing.canvas.zones}
    return [role for role in trace.operands if role in read_keys - drawn_keys]


def find_zone(picture: PagePicture, place: LaneRef | None) -> LaneRef | None:
    """Return the zone of a place; that of a result may be the result's box."""
    drawn_keys = {zone.node[1] for zone in picture.drawing.canvas.zones}
    if place and place.key not in drawn_keys:
        results = picture.trace.plan.results
        names = picture.trace.instruction.names
        boxes = (LaneRef(f"{names[x.role]} =", 0) for x in results if x.key == place.key)
        return next(boxes, place)
    return place


def drop_style(svg: str) -> str:
    """Return a picture without its style sheet, which ``picture.css`` of the page has."""
    head, _, rest = svg.partition("<style>")
    return head + rest.partition("</style>\n")[2]


def parse_place(key: str, lane: int) -> Place:
    """Return the place of a value by its key and lane in the picture."""
    return BitRef(Role.TABLE, 0, lane) if key == _ENTRY else LaneRef(key, lane)


def find_kind(trace: Trace, scene: Scene, place: Place) -> str:
    """Return the kind of a place that a click changes; empty if it changes nothing there."""
    kind = figure_edits.find_place_kind(trace, scene, place)
    return "" if kind is figure_edits.PlaceKind.FORMULA else kind


_ACTIONS = {
    "operand": "Enter types over it",
    "entry": "Enter switches it",
    "mask": "Enter adds or removes this lane",
    "part": "Enter takes the next part; drag a chip here",
    "digit": "Enter takes the next value; drag a chip here",
}
"""The effect of Enter at a place, by its kind."""


class _PicturePart(NamedTuple):
    """A part of a picture: all of it, or a statement of a block."""

    trace: Trace
    scene: Scene
    prefix: str = ""
    """The prefix of its values: ``s2.``."""
    given: frozenset[str] = frozenset()
    """In a block, the operands whose values the reader gives."""

    def find_kind(self, key: str, lane: int) -> str:
        """Return the kind of change by a click on a place; in a block, only given values change."""
        if self.prefix:
            return "operand" if key in self.given else ""
        return find_kind(self.trace, self.scene, parse_place(key, lane))


def list_zones(picture: PagePicture) -> dict[str, object]:
    """Return the size of a picture, its zones, and the lines between them, as JSON.

    A zone is x, y, width, height, its number, the numbers of related values, key, lane, kind and
    sentence; a line is its path and the numbers of the values that light it. The key of a value in
    a block begins with its statement: ``s2.a``.
    """
    canvas, sentences = picture.drawing.canvas, _map_sentences(picture)
    parts = _map_parts(picture.trace)
    relations = find_relations(canvas, is_local=len(parts) > _MAX_RELATED_STATEMENTS)
    for picture_part in parts.values():
        sentences |= _iter_operand_sentences(picture_part, has_numbers=picture.has_numbers)
    zones = []
    for zone in canvas.zones:
        branch, key, lane = zone.node
        part = parts.get(branch)
        kind = part.find_kind(key, lane) if part else ""
        related = sorted(
            relations.numbers[node]
            for node in relations.ancestors[zone.node] | relations.descendants[zone.node]
        )
        sentence = sentences.get(zone.node, zone.sentence)
        row = part.trace.rows.get(key) if part else None
        if row and len(row.values) > 1:
            sentence = f"lane {lane}: {sentence}"
        elif row and not sentence:
            sentence = f"{row.name} part {lane}"
        label = " · ".join(filter(None, (sentence, _ACTIONS.get(kind, ""))))
        number = relations.numbers[zone.node]
        name = f"{part.prefix}{key}" if part else key
        zones.append([*map(_round, zone.box), number, related, name, lane, kind, label])
    links = [
        [match[1], relations.format_link_numbers(*link).split()]
        for link, paths in canvas.links.items()
        for path in paths
        if (match := _PATH.search(path))
    ]
    size = [picture.drawing.layout.width, round(picture.drawing.height, 1)]
    return {"size": size, "zones": zones, "links": links}


def _round(length: float) -> float:
    return round(length, 1)


def _map_parts(trace: Trace) -> dict[str, _PicturePart]:
    """Return the parts of a picture by the branch of their values."""
    return {
        statement.prefix: _PicturePart(
            part,
            build_scene(part),
            statement.prefix,
            frozenset(role for role, place in statement.reads.items() if not place.statement),
        )
        for statement, part in trace.statements
    }


def _map_sentences(picture: PagePicture) -> dict[Node, str]:
    """Return the sentence on each value, results among them."""
    document = picture.drawing.doc
    results = {
        (section.branch, f"{result.name} =", 0): result
        for section in document.sections
        for result in section.results
    }
    has_origins = len(document.trace.parts) <= _MAX_RELATED_STATEMENTS
    sentences = dict(iter_value_sentences(document, has_origins=has_origins))
    return sentences | {node: f"{x.name} = {x.bits}, {x.meant}" for node, x in results.items()}


def _iter_operand_sentences(part: _PicturePart, *, has_numbers: bool) -> Iterator[tuple[Node, str]]:
    for figure in part.scene.registers:
        register = figure if has_numbers else figure.hide_numbers()
        name = format_operand_name(part.trace, register.role)
        for cell in register.cells:
            number = f" part {cell.place.lane}" if len(register.cells) > 1 else ""
            yield (part.prefix, *cell.place), f"{name}{number} = {cell}"
