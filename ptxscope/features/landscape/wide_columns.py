"""The columns of a wide picture: of one statement, or of a block with cards and wires.

The result of a statement is a register of the next one. Earlier statements without columns are
cards, with their lines and results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ...documents.content.document import Section
from ...documents.svg.page_layout import Area, ColumnPart, Layout, Port, Sketch, choose_link_colour
from ...documents.svg.picture_panels import Panel
from ...documents.svg.step_layout import draw_body, start_sketch
from ...documents.svg.svg_canvas import Zone
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.text_styles import TextStyle
from ...engine.tracing.basic_block import ValuePlace
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import LaneRef, Tint
from .wide_canvas import TurnedCanvas
from .wide_parts import CAPTION_HEIGHT, TITLE_HEIGHT
from .wide_settings import change_settings, get_settings
from .wide_shapes import CODE

LANES_END = 628.0
"""Y of the end of the lanes."""

BAND = 46.0
"""Height in px of the lines of statements, with the gap below."""
_STATEMENT = TextStyle(20, is_monospaced=True, is_bold=True)
_BAND_MARGIN = 28.0
"""Width in px beside the line of a statement, both sides together."""
_STRIP = 50.0
"""Height in px above the lanes for the values that belong to no lane."""
CARD_GAP = 44.0
"""Width in px of the wires at the right of the card of a statement."""
_STATEMENT_GAP = 30.0
"""Width in px of the wires from a statement to the next one."""
_MAX_OVERHANG = 14.0
"""Width in px by which words may extend beyond the last column."""


def place_columns(layout: Layout, top: float, end: float) -> Layout:
    """Return a layout with its captions from a height on, and its lanes down to another."""
    start = top + (CAPTION_HEIGHT if get_settings(layout).note_room else TITLE_HEIGHT) + 12
    layout = change_settings(layout, caption_y=top, bar_y=start - 9)
    return layout._replace(figures=Area(start, end - start), words=Area(start, 0))


def draw_columns(
    canvas: TurnedCanvas, panel: Panel, folded: FoldedScene, x: float,
    ports: Mapping[LaneRef, Port] = MappingProxyType({}),
) -> tuple[Sketch, float]:  # fmt: skip
    """Draw the columns of a panel, with lines from earlier ports; return the sketch and the end."""
    steps = tuple(step for step in panel.section.steps if step.stage in panel.stages)
    panel = panel._replace(layout=_add_strip(folded, panel.layout))
    sketch = start_sketch(canvas, panel, steps, folded)
    sketch.ports.update(ports)
    if {"c", "cc"} <= sketch.slots.keys():
        sketch.slots["cc"] = ColumnPart.LEFT  # the line of c is still on its way
    rows = (row.key for step in folded.scene.steps if step.stage in panel.stages
            for row in step.rows)  # fmt: skip
    own_keys = sketch.slots.keys() & (sketch.read_keys - sketch.drawn_keys | {*rows})
    if not {sketch.slots[x] for x in own_keys} & {ColumnPart.LEFT, ColumnPart.RIGHT}:
        free = (x for x in own_keys if sketch.slots[x] is ColumnPart.MIDDLE)
        sketch.slots |= dict.fromkeys(free, ColumnPart.FULL)
    end = draw_body(sketch, panel, steps, x)
    return sketch, max(end, sketch.least_start - _MAX_OVERHANG)


@dataclass(frozen=True)
class Columns:
    """The statements of a picture, their scenes and their layout."""

    sections: tuple[Section, ...]
    scenes: tuple[FoldedScene | None, ...]
    """The scene of each; None for a card."""
    layout: Layout
    has_cards: bool = True
    card_width: float = 212

    @property
    def cards(self) -> list[Section]:
        """The statements without columns."""
        return [s for s, folded in zip(self.sections, self.scenes, strict=True) if not folded]

    @property
    def drawn_branches(self) -> set[str]:
        """The prefixes of the statements that are drawn."""
        pairs = zip(self.sections, self.scenes, strict=True)
        return {section.branch for section, folded in pairs if folded or self.has_cards}

    def draw(self, canvas: TurnedCanvas, x: float) -> tuple[Sketch | None, float]:
        """Draw the statements; return the sketch of the last one with columns, and the end."""
        wires, sketch = BlockWires(canvas), None
        cards = self.cards if self.has_cards else []
        is_last_card = not self.scenes[-1] and len(cards) < len(self.scenes)
        if cards and not is_last_card:
            x = draw_cards(cards, wires, self.layout.figures, x, self.card_width)
        for section, folded in zip(self.sections, self.scenes, strict=True):
            if not folded:
                continue
            start, mark = x, section.name_part("line")
            is_last, index = section is self.sections[-1], len(canvas.parts)
            panel = Panel(section, self.layout, has_result=is_last)
            mark_index = len(canvas.marks)
            if section.heading:
                canvas.add_mark(mark, x)
            sketch, x = draw_columns(canvas, panel, folded, x)
            if section.heading:
                x = max(x, start + measure_band(section.heading))
                with canvas.insert_below(index):
                    draw_band(canvas, section.heading, self.layout, start, x)
                with canvas.insert_flows(mark_index):
                    wires.draw(section)
                wires.add(section, sketch)
            x += 0 if is_last else _STATEMENT_GAP
        if is_last_card:
            x = draw_cards(cards, wires, self.layout.figures, x, self.card_width)
        return sketch, x


def _add_strip(folded: FoldedScene, layout: Layout) -> Layout:
    """Return the layout of a statement, with a strip for the values that belong to no lane."""
    if folded.scene.lanes == 1 or all(x.is_by_lane for x in folded.scene.registers):
        return layout
    figures, strip = layout.figures, Area(layout.figures.x, _STRIP)
    below = Area(figures.x + _STRIP + 8, figures.width - _STRIP - 8)
    return layout._replace(words=strip, figures=below)


def measure_band(text: str) -> float:
    """Return the least width of the line of a statement above its columns."""
    return CODE.measure(text) + _BAND_MARGIN


def draw_band(canvas: TurnedCanvas, text: str, layout: Layout, x: float, end: float) -> None:
    """Draw the line of a statement above its columns."""
    y = get_settings(layout).caption_y - BAND
    width = _STATEMENT.measure(text) + _BAND_MARGIN
    canvas.draw_rect(x, y, end - x, BAND - 8, radius=8)
    style = _STATEMENT if width <= end - x else CODE
    canvas.draw_text(x + 14, y + 26, text, style.with_weight(True), SvgColour.INK)


class BlockWires:
    """The wires between the statements of a block."""

    def __init__(self, canvas: TurnedCanvas) -> None:
        self.canvas = canvas
        self.sources: dict[ValuePlace, list[Port]] = {}
        """The ports of the parts of each result, the lowest part first."""

    def add(self, section: Section, sketch: Sketch) -> None:
        """Add the results of a statement with columns."""
        statement = section.statement
        for role, places in zip(statement.instruction.results, sketch.ends, strict=False):
            ports = [sketch.ports[place] for place in places if place in sketch.ports]
            self.sources[statement.make_place(role)] = ports

    def draw(self, section: Section) -> None:
        """Draw the wires into the registers at the start of a statement."""
        statement = section.statement
        own_zones = [x for x in self.canvas.zones if x.node[0] == section.branch]
        first = min((zone.box[0] for zone in own_zones), default=0.0)
        sources = {source for source, _ in self.canvas.links}
        for role, place in statement.reads.items():
            zones = [x for x in own_zones if x.node[1] == role and x.box[0] < first + 8]
            ports, bits = self.sources.get(place, []), statement.instruction.type_of(role).bits
            for zone in zones:
                unit, size = bits // len(zones), bits // max(len(ports), 1)
                low = zone.node[2] * unit
                parts = [
                    port
                    for index, port in enumerate(ports)
                    if index * size < low + unit and low < (index + 1) * size
                ]
                tint = Tint(role, min(3, (low + unit - 1) // 8))
                if zone.node in sources:  # a row reads the part
                    self._draw_wires(parts, zone, choose_link_colour(tint))

    def _draw_wires(self, ports: Sequence[Port], zone: Zone, colour: SvgColour) -> None:
        """Draw the lines from the parts of a result to a part of a register."""
        x, y, _, height = zone.box
        for number, port in enumerate(ports, 1):
            end = y + height * (1 - number / (len(ports) + 1))
            start = port.area.clamp_center(end, 0) if len(ports) == 1 else port.area.center
            self.canvas.draw_flow((start, port.y), (end, x), colour)


def draw_cards(
    cards: Sequence[Section], wires: BlockWires, area: Area, x: float, card_width: float
) -> float:
    """Draw the statements without their steps below each other; return the end."""
    canvas = wires.canvas
    areas = area.split_columns(len(cards), 10)
    for section, area in zip(cards, areas, strict=False):
        statement, lines = section.statement, CODE.wrap(section.heading, card_width - 24)
        box = area.take_middle(22 * len(lines) + 24 * len(section.results) + 18)
        canvas.add_mark(section.name_part("line"), x)
        canvas.draw_rect(x, box.x, card_width, box.width, radius=8)
        end = canvas.draw_lines(x + 12, box.x + 24, lines, CODE._replace(leading=22))
        for role, view in zip(statement.instruction.results, section.results, strict=False):
            text = f"{view.name} = {view.bits}"
            canvas.draw_text(x + 12, end + 2, text, CODE.with_weight(True), SvgColour.INK)
            node, place = (section.branch, f"{view.name} =", 0), statement.make_place(role)
            canvas.zones.append(Zone(node, (x, box.x, card_width, box.width)))
            wires.sources[place] = [Port(Area(end - 14, 20), x + card_width)]
            end += 24
    return x + card_width + CARD_GAP
