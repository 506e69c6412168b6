"""The picture of the page: the export's SVG, and the places in it that react."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..engine.isa.roles import Role
from ..engine.records import NamedTuple
from ..engine.tracing.lane_text import format_operand_name
from ..engine.tracing.trace import Trace
from ..export.content.document import Document, list_traces
from ..export.formats.html import iter_value_sentences
from ..export.options import Options
from ..export.svg import trace_picture
from ..export.svg.svg_canvas import Node
from ..export.svg.zones import find_relations
from ..scene.scene_builder import build_scene
from ..scene.scene_model import BitRef, LaneRef, Place, Scene
from ..state import figure_edits

_PATH = re.compile(r' d="([^"]++)"')
_ENTRY = f"{Role.TABLE}.entry"
"""Key of the entries of a truth table in the picture."""


class PagePicture(NamedTuple):
    """A drawn picture."""

    trace: Trace
    drawing: trace_picture.SvgDrawing
    svg: str
    """The text that ``ptxscope trace -f svg`` prints."""


def draw_pictures(trace: Trace, options: Options) -> tuple[PagePicture, ...]:
    """Draw a trace; if both answers are wanted in compact pictures, one picture for each."""
    traces = list_traces(trace, options) if options.compact else [trace]
    options = options._replace(format="svg", both=options.both and not options.compact)
    style = trace_picture.choose_style(options)
    drawings = [trace_picture.draw_trace(x, options, style=style) for x in traces]
    return tuple(
        PagePicture(x, drawing, trace_picture.render_drawing(drawing))
        for x, drawing in zip(traces, drawings, strict=True)
    )


def drop_style(svg: str) -> str:
    """Return a picture without its style sheet, which ``picture.css`` of the page has."""
    head, _, rest = svg.partition("<style>")
    return head + rest.partition("</style>\n")[2]


def parse_place(key: str, lane: int) -> Place:
    """Return the place of a value by its key and lane in the picture."""
    return BitRef(Role.TABLE, 0, lane) if key == _ENTRY else LaneRef(key, lane)


def find_kind(trace: Trace, scene: Scene, place: Place) -> str:
    """Return what a click on a place changes; empty if it is computed.

    It is an ``operand``, an ``entry`` of a truth table, a lane of a ``mask``, the ``part`` that a
    selector gives to a lane, or a ``digit``, bits of an operand that a figure shows.
    """
    if place.key in trace.operands:
        return "operand"
    if place.key == Role.TABLE:
        return "entry" if isinstance(place, BitRef) else ""
    if figure_edits.is_mask_lane(trace, place):
        return "mask"
    if figure_edits.find_part_choice(trace, place):
        return "part"
    return "digit" if figure_edits.find_control(trace, scene, place) else ""


_ACTIONS = {
    "operand": "Enter types over it",
    "entry": "Enter switches it",
    "mask": "Enter takes this lane in or out",
    "part": "Enter takes the next part; drag a chip here",
    "digit": "Enter takes the next value; drag a chip here",
}
"""What Enter does at a place, by its kind."""


def list_zones(picture: PagePicture) -> dict[str, object]:
    """Return the size of a picture, its zones, and the lines between them, as JSON.

    A zone is x, y, width, height, its number, the numbers of related values, key, lane, kind and
    sentence; a line is its path and the numbers of the values that light it.
    """
    trace, canvas = picture.trace, picture.drawing.canvas
    relations, scene = find_relations(canvas), build_scene(trace)
    sentences = {**dict(_iter_operand_sentences(trace, scene)), **_map_sentences(picture)}
    zones = []
    for zone in canvas.zones:
        branch, key, lane = zone.node
        kind = "" if branch else find_kind(trace, scene, parse_place(key, lane))
        related = sorted(
            relations.numbers[node]
            for node in relations.ancestors[zone.node] | relations.descendants[zone.node]
        )
        sentence = sentences.get(zone.node, zone.sentence)
        label = " · ".join(filter(None, (sentence, _ACTIONS.get(kind, ""))))
        number = relations.numbers[zone.node]
        zones.append([*map(_round, zone.box), number, related, key, lane, kind, label])
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


def _map_sentences(picture: PagePicture) -> Mapping[Node, str]:
    document = picture.drawing.doc
    assert isinstance(document, Document)
    return dict(iter_value_sentences(document))


def _iter_operand_sentences(trace: Trace, scene: Scene) -> Iterator[tuple[Node, str]]:
    for register in scene.registers:
        name = format_operand_name(trace, register.role)
        for cell in register.cells:
            part = f" part {cell.place.lane}" if len(register.cells) > 1 else ""
            yield ("", *cell.place), f"{name}{part} = {cell}"
