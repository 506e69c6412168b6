"""Wires between the statements of a picture.

A wire runs from the digits of a result to the bytes of the register that reads them. If statements
are between, or the register is drawn where it is read, the wire is a rail along the right edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...engine.tracing.basic_block import ValuePlace
from ...scene.scene_model import Tint
from ..content.document import Section
from .page_layout import Layout, choose_link_colour
from .svg_canvas import Node, SvgCanvas
from .svg_colours import SvgColour
from .text_styles import LABEL, RESULT, VALUE

BAND = 30.0
"""Height in px of the line of a statement."""
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


class Wires:
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

    def find_digits(self, place: ValuePlace, *, is_other: bool) -> _Digits | None:
        """Return the digits of a result under a model; a statement may be alike in both."""
        return self.results.get((is_other, place)) or self.results.get((False, place))

    def add_results(self, section: Section, layout: Layout, end: float) -> None:
        """Add the results of a statement that is drawn down to an end."""
        digits = _find_results(section, self.canvas, layout, end)
        self.results |= {(section.is_other, place): found for place, found in digits}

    def draw_rail(self, digits: _Digits, end: tuple[float, float], right: float) -> int:
        """Draw a rail along the right edge; return the index of its line."""
        x, y, width, height = digits.box
        flow = len(self.canvas.flows)
        pitch = min(_RAIL, self.margin / 3)
        rail = right + pitch * (1 + self.rail_count % int(self.margin * 2 / 3 / pitch))
        self.canvas.draw_rail((x + width, y + height / 2), rail, end, SvgColour.DIM)
        self.rail_count += 1
        return flow


def _find_results(
    section: Section, canvas: SvgCanvas, layout: Layout, section_end: float
) -> Iterator[tuple[ValuePlace, _Digits]]:
    """Yield the digits of each result of a statement, as it is drawn."""
    statement = section.statement
    boxes = {x.node: x.box for x in canvas.zones if x.node[0] == section.branch}
    roles = {name: role for role, name in statement.instruction.results.items()}
    views = zip(roles.items(), section.results, strict=bool(section.results))
    for (_, role), view in views:
        node = section.branch, f"{view.name} =", 0
        if node not in boxes:
            continue
        x, y, width, height = box = boxes[node]
        end = section_end if section.lane_notes else y + height
        if section.is_folded or layout.is_compact:
            style = LABEL if section.is_folded else VALUE
            whole = style.measure(f"{view.name} = {view.bits}")
            text_width = style.measure(view.bits)
            left = x + (width + whole) / 2 - text_width
        else:
            text_width = min(RESULT.measure(view.bits), width - 12)
            left = x + (width - text_width) / 2
        pitch = text_width / len(view.bits)
        yield statement.make_place(role), _Digits(node, left, pitch, view.bits, box, end)


def draw_wires(section: Section, wires: Wires, band: float, right: float) -> None:
    """Draw the wires into a statement whose line begins at y `band` and ends at x `right`."""
    statement, canvas = section.statement, wires.canvas
    own_zones = [zone for zone in canvas.zones if zone.node[0] == section.branch]
    by_place: dict[ValuePlace, list[str]] = {}
    for role, place in statement.reads.items():
        by_place.setdefault(place, []).append(role)
    for place, roles in by_place.items():
        digits = wires.find_digits(place, is_other=section.is_other)
        if digits is None:
            continue
        is_next = digits.node[0] in wires.branches_above
        if section.is_folded:
            if is_next:
                x = digits.find_center(4 * (len(digits.text) - 2), 0)
                flow = len(canvas.flows)
                canvas.draw_flow((x, digits.end), (x, band), SvgColour.DIM)
            else:
                flow = wires.draw_rail(digits, (right, band + BAND / 2), right)
            for zone in own_zones:
                canvas.links[digits.node, zone.node] = canvas.flows[flow : flow + 1]
            continue
        for role in roles:
            zones = [x for x in own_zones if x.node[1] == role]
            if not zones:
                continue
            unit = statement.instruction.type_of(role).bits // len(zones)
            is_above = is_next and all(x.box[1] < band + BAND + 90 for x in zones)
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
