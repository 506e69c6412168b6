"""The statements of a picture, their arrangement, and the wires between them.

Two answers of an instruction are drawn separately from the first step that differs. A wire runs
from the digits of a result to the bytes of the register that reads them. Past other statements, or
to a register inside one, it is a rail along the right edge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ...engine.micro_operations.properties import Stage
from ...engine.tracing.basic_block import ValuePlace
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import find_differing_bits, iter_pairs
from ...scene.scene_model import Tint
from ..content.document import Document, Section
from ..content.document_builder import make_section
from .page_layout import COMPACT, EDGE, Layout, choose_link_colour
from .svg_canvas import Box, Node, SvgCanvas
from .svg_colours import SvgColour
from .text_styles import LABEL, RESULT, VALUE


class Panel(NamedTuple):
    """A drawn statement, or its steps that two answers share."""

    section: Section
    layout: Layout
    stages: Collection[Stage] = tuple(Stage)
    """The stages whose steps it shows or omits."""
    has_result: bool = True
    rival: Section | None = None
    """The adjacent section, for the comparison of values."""
    tops: Mapping[str, float] = {}
    """Minimum y of the steps, by stage, and of the result, for level panels."""

    @property
    def is_answer(self) -> bool:
        """Whether it is one of two answers, not of two traces."""
        return self.rival is not None and self.section.answers is not None

    @property
    def side(self) -> str:
        """The place of one of two traces in words; empty for a statement or an answer."""
        if self.rival is None or self.is_answer:
            return ""
        sides = ("above", "below") if self.layout.is_turned else ("on the left", "on the right")
        return sides[self.section.is_other]


def list_groups(doc: Document, layout: Layout) -> Iterator[tuple[Panel, ...]]:
    """Yield the parts side by side; in a compact layout, one by one."""
    first, answers = doc.sections[0], doc.answers
    if answers and answers.other_trace:
        order = list(Stage)
        start = order.index(answers.stage)
        common, own = frozenset(order[:start]), frozenset(order[start:])
        if any(step.stage in common for step in first.steps):
            yield (Panel(first, layout, common, has_result=False),)
        yield from _arrange(
            _list_answers(first, answers.other_trace), layout, own, is_compared=True
        )
        return
    for _, group in groupby(doc.sections, lambda x: x.statement.number):
        yield from _arrange(tuple(group), layout, tuple(Stage), is_compared=first.is_only)


def _list_answers(section: Section, trace: Trace) -> tuple[Section, Section]:
    """Return an instruction under its model and another one, the documentation first."""
    options = section.options
    other = make_section(section.statement, trace, options, is_only=True)
    other = other._replace(answers=section.answers, is_other=True)
    other = other if options.sentences else other.without_sentences()
    isa, ptxas = sorted((section, other), key=lambda x: bool(x.trace.model.errata))
    names = [erratum.id for erratum in ptxas.trace.changed_by]
    label = ptxas.model + f": {', '.join(names)}" * (ptxas.model != "+".join(names))
    return isa._replace(heading="isa, as documented"), ptxas._replace(heading=label)


def _arrange(
    sections: tuple[Section, ...], layout: Layout, stages: Collection[Stage], *, is_compared: bool
) -> Iterator[tuple[Panel, ...]]:
    """Yield sections side by side; in a compact layout, one by one."""
    rivals = sections[::-1] if is_compared and len(sections) > 1 else (None,) * len(sections)
    layouts = [layout] * len(sections)
    if not layout.is_compact and len(sections) > 1:
        columns = layout.page.split_columns(len(sections), EDGE)
        layouts = [COMPACT._replace(page=x, figures=x, words=x.shrink(2)) for x in columns]
    panels = tuple(
        Panel(section, own_layout, stages, rival=rival)
        for section, own_layout, rival in zip(sections, layouts, rivals, strict=True)
    )
    yield from ((x,) for x in panels) if layout.is_compact else (panels,)


def align_parts(tops: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the common y of the parts that all panels have, from y in each panel."""
    levels: dict[str, float] = {}
    shared = [part for part in tops[0] if all(part in own for own in tops)]
    for before, part in zip(["", *shared], shared, strict=False):
        heights = (own[part] - own[before] if before else own[part] for own in tops)
        levels[part] = levels.get(before, 0) + max(heights)
    return levels


def find_differing_lanes(panel: Panel) -> Mapping[str, frozenset[int]]:
    """Return the lanes of each row that differ from the adjacent panel's."""
    if panel.rival is None:
        return {}
    trace, rival = panel.section.trace, panel.rival.trace
    lane_count = trace.instruction.entry.lanes
    pairs = (x for stage in panel.stages for x in iter_pairs(trace, rival, stage))
    # a whole word drawn by lanes has no differing lane
    return {x.key: x.lanes for x in pairs if x.isa and lane_count in (1, len(x.isa.values))}


def describe_differences(panel: Panel) -> Iterator[str]:
    """Yield a sentence with the differing bits of two answers' results."""
    differences = []
    if panel.rival and panel.is_answer:
        for x, y in zip(panel.section.results, panel.rival.results, strict=True):
            ranges = find_differing_bits(int(x.bits, 16), int(y.bits, 16))
            if ranges and len(x.bits) > 1:
                text = ", ".join(str(h) if h == low else f"{h}:{low}" for h, low in ranges)
                is_single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
                differences.append(f"{x.name} differs in bit{'' if is_single else 's'} {text}")
    if differences:
        yield f"{'; '.join(differences)}."


BAND = 30.0
"""Height in px of the line of a statement."""
_RAIL = 5.0
"""Maximum distance in px of the first rail from the right edge, and between rails."""


_DROP = 3.0
"""Distance in px above a value of a wire that would otherwise pass behind another one."""


class _Digits(NamedTuple):
    """The digits of a drawn result."""

    node: Node
    x: float
    """The left edge of the text."""
    pitch: float
    """The width of a character."""
    text: str
    box: Box
    """The surrounding box."""
    end: float
    """The lower edge of the box, or of the notes below it."""

    def find_center(self, unit: int, part: int) -> float:
        """Return x of the middle of a part of ``unit`` bits, counted from the least significant."""
        chars = unit / 4 if unit >= 4 else len(self.text)
        return self.x + self.pitch * (len(self.text) - (part + 0.5) * chars)


class Wires:
    """The wires between the statements of a picture."""

    def __init__(self, canvas: SvgCanvas, margin: float) -> None:
        self.canvas = canvas
        self.margin = margin
        """Width in px of the free strip at the right edge."""
        self.results: dict[tuple[bool, ValuePlace], _Digits] = {}
        """The drawn results, of the other model or of the trace's own."""
        self.branches_above: frozenset[str] = frozenset()
        """The branches of the statements directly above the current one."""
        self.rail_count = 0

    def find_digits(self, place: ValuePlace, *, is_other: bool) -> _Digits | None:
        """Return the digits of a result under a model; both models may share a statement."""
        return self.results.get((is_other, place)) or self.results.get((False, place))

    def add_results(self, section: Section, layout: Layout, end: float) -> None:
        """Add the results of a statement drawn down to an end."""
        digits = _find_results(section, self.canvas, layout, end)
        self.results |= {(section.is_other, place): result for place, result in digits}

    def draw_rail(
        self, digits: _Digits, end: tuple[float, float], right: float, drop: float = 0
    ) -> int:
        """Draw a rail along the right edge; return the index of its line."""
        x, y, width, height = digits.box
        flow = len(self.canvas.flows)
        pitch = min(_RAIL, self.margin / 3)
        rail = right + pitch * (1 + self.rail_count % int(self.margin * 2 / 3 / pitch))
        self.canvas.draw_rail((x + width, y + height / 2), rail, end, SvgColour.DIM, drop)
        self.rail_count += 1
        return flow


def _find_results(
    section: Section, canvas: SvgCanvas, layout: Layout, section_end: float
) -> Iterator[tuple[ValuePlace, _Digits]]:
    """Yield the drawn digits of each result of a statement."""
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
    """Draw the wires into a statement whose line is at y ``band`` and ends at x ``right``."""
    statement, canvas = section.statement, wires.canvas
    own_zones = [zone for zone in canvas.zones if zone.node[0] == section.branch]
    by_place: dict[ValuePlace, list[str]] = {}
    for role, place in statement.reads.items():
        by_place.setdefault(place, []).append(role)
    sources = {source for source, _ in canvas.links}
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
            zones = [x for x in zones if x.node in sources] or zones  # registers that a row reads
            is_above = is_next and all(x.box[1] < band + BAND + 90 for x in zones)
            if not is_above:
                x, y, width, height = max(zones, key=lambda zone: zone.box[0] + zone.box[2]).box
                middle = y + height / 2
                boxes = (zone.box for zone in own_zones)
                if any(z[0] >= x + width and z[1] < middle < z[1] + z[3] for z in boxes):
                    flow = wires.draw_rail(digits, (x + width / 2, y), right, _DROP)
                else:
                    flow = wires.draw_rail(digits, (x + width, middle), right)
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
    """Draw a wire from some digits to a part of the register below, behind the statement's line."""
    unit, lane = part
    colour = choose_link_colour(Tint(role, min(3, ((lane + 1) * unit - 1) // 8)))
    start = (digits.find_center(unit, lane), digits.end)
    canvas.draw_flow(start, (end[0], band), colour, has_head=False)
    canvas.draw_flow((end[0], band), end, colour)
    if digits.end > (bottom := digits.box[1] + digits.box[3]):  # behind the notes
        canvas.draw_flow((start[0], bottom), start, colour, has_head=False)
