"""Two lines of columns, one above the other: of the steps of a statement, or of two ways.

Two ways are the answers of two models, after the steps that they share, or two traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...documents.content.document import Section
from ...documents.svg.page_layout import Area, ColumnPart, Port, Sketch, take_column_part
from ...documents.svg.picture_panels import Panel, align_parts
from ...documents.svg.step_layout import start_sketch
from ...documents.svg.svg_canvas import Box, Ground
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.text_styles import TextStyle
from ...engine.micro_operations.properties import Stage
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import LaneRef
from .wide_canvas import TurnedCanvas
from .wide_columns import (
    CARD_GAP,
    LANES_END,
    BlockWires,
    Columns,
    draw_band,
    draw_cards,
    draw_columns,
    measure_band,
    place_columns,
)
from .wide_parts import draw_way_results, measure_way_results
from .wide_settings import change_settings, get_settings
from .wide_shapes import CODE, NOTE, draw_middle, format_passed_value

_GAP = 26.0
"""Height in px between the two lines of the steps of a statement."""
MAX_LOW_LANES = 2
"""Most lanes in half the height."""
_WAY_GAP = 10.0
"""Height in px between two ways."""
_NAME = TextStyle(20, is_monospaced=True, is_bold=True)
_NAME_HEIGHT = 44.0
"""Height in px of the name of a way."""
_EDGE = 6.0
"""Width in px of the ground behind the last column."""


def list_drawn_stages(section: Section, folded: FoldedScene) -> list[Stage]:
    """Return the stages of the steps with columns."""
    rows = {step.stage: step.rows for step in folded.scene.steps}
    return [x.stage for x in section.steps if rows.get(x.stage) or x.notes]


def list_later_stages(section: Section, folded: FoldedScene) -> list[Stage]:
    """Return the stages at which a second line may begin: behind each step with columns."""
    drawn, stages = list_drawn_stages(section, folded), [x.stage for x in section.steps]
    return [stages[stages.index(stage) + 1] for stage in drawn[:-1]]


@dataclass(frozen=True)
class TwoLines(Columns):
    """A statement whose later steps are in a second line, below the first ones."""

    later_stages: frozenset[Stage] = frozenset()

    def draw(self, canvas: TurnedCanvas, x: float) -> tuple[Sketch | None, float]:
        """Draw both lines; return the sketch of the second one, and the end of the longer one."""
        (section,), (folded,), top = self.sections, self.scenes, get_settings(self.layout).caption_y
        assert folded
        middle = (top + LANES_END + _GAP) / 2
        upper = place_columns(self.layout, top, middle - _GAP)
        stages = frozenset(Stage) - self.later_stages
        panel = Panel(section, upper, stages, has_result=False)
        sketch, end = draw_columns(canvas, panel, folded, x)
        lower = place_columns(self.layout, middle, LANES_END)
        drawn = self.later_stages.intersection(list_drawn_stages(section, folded))
        first = next(y for y in section.steps if y.stage in drawn)
        canvas.add_mark(first.mark, x)  # its registers appear with it
        count, ports = len(canvas.grounds), sketch.ports
        panel = Panel(section, lower, self.later_stages)
        sketch, later_end = draw_columns(canvas, panel, folded, x + _RAIL)
        grounds = (ground._replace(first_mark=first.mark) for ground in canvas.grounds[count:])
        canvas.grounds[count:] = grounds
        rails_end = _draw_rails(sketch, ports, middle - _GAP, x)
        return sketch, max(end, later_end, rails_end)


def do_overlap(x: Box, y: Box) -> bool:
    """Whether two boxes have a point in common."""
    return all(Area(x[i], x[i + 2]).overlaps(Area(y[i], y[i + 2])) for i in (0, 1))


_RAIL = 8.0
"""Distance in px of the lines from one line of columns to the next."""


def _draw_rails(sketch: Sketch, ports: Mapping[LaneRef, Port], y: float, x: float) -> float:
    """Draw the lines from values above y to their readers below; return the end.

    One that would pass behind another value is left out.
    """
    canvas, end = sketch.canvas, x
    assert isinstance(canvas, TurnedCanvas)
    marks = {
        link.source: mark
        for step in reversed(sketch.scene.steps) for row in step.rows for link in row.links
        for mark, each in enumerate(canvas.marks) if each.name == f"step-{step.stage}"
    }  # fmt: skip
    boxes = {zone.node: zone.box for zone in canvas.zones}
    places = [z for z in ports if z.key in sketch.rows and z in marks
              and boxes[sketch.make_node(z)][1] > y]  # fmt: skip
    places.sort(key=lambda place: ports[place].area.center, reverse=True)
    for number, place in enumerate(places):
        port, right = ports[place], ports[place].y + 12 + _RAIL * number
        tip, top, _, height = boxes[sketch.make_node(place)]
        left, level = x + 12 - _RAIL * (len(places) - 1 - number), y + 8 + _RAIL * number
        target = top + height / 2
        down = (port.y + 2, port.area.center, right - port.y, y - port.area.center)
        aside = (left, target - 4, tip - left - 2, 8.0)
        if any(do_overlap(way, zone.box) for way in (down, aside) for zone in canvas.zones):
            continue
        points = [(port.y, port.area.center), (right, port.area.center), (right, level),
                  (left, level), (left, target)]  # fmt: skip
        with canvas.insert_flows(marks[place]):
            canvas.draw_wire([*points, (tip, target)])
        end = max(end, right)
    return end


@dataclass(frozen=True)
class TwoWays(Columns):
    """Two answers, one above the other behind the steps that they share, or two traces."""

    shared: Panel | None = None
    """The steps that are the same in both."""
    ways: tuple[Panel, ...] = ()
    has_card: bool = False
    """Whether the shared steps are a card with their values."""
    has_own_captions: bool = False
    """Whether each way has the titles of its own steps."""
    line: str = ""
    """The statement of a block."""
    lanes: tuple[int, ...] = ()
    """The lanes that are drawn, if these are not all."""
    later: tuple[tuple[Section, ...], ...] = ()
    """The cards of the later statements that differ, of each way."""

    @property
    def drawn_branches(self) -> set[str]:
        """The prefixes of the statements that are drawn."""
        return super().drawn_branches | {x.branch for cards in self.later for x in cards}

    def draw(self, canvas: TurnedCanvas, x: float) -> tuple[None, float]:
        """Draw both ways with their results; return the end."""
        wires, ports = BlockWires(canvas), dict[LaneRef, Port]()
        if self.cards:
            x = draw_cards(self.cards, wires, self.layout.figures, x, self.card_width)
        line_start, index, line_mark = x, len(canvas.parts), len(canvas.marks) - 1
        if self.shared and self.has_card:
            ports, x = self._draw_card(canvas, wires, x)
        elif self.shared:
            panel = self.shared._replace(layout=self.layout)
            number = next(i for i, y in enumerate(self.ways) if not y.section.is_other)
            sketch, end = draw_columns(canvas, panel, self._get_scene(number), x)
            with canvas.insert_flows(line_mark):
                wires.draw(panel.section)
            start = line_start if self.line else self.layout.page.x
            canvas.grounds = [y._replace(top=start, end=end + _EDGE, first_mark="")
                              for y in canvas.grounds]  # fmt: skip
            ports, x = sketch.ports, end + 2 * _EDGE + 4
        tops = []
        for number, panel in enumerate(self._iter_panels({})):
            trial = TurnedCanvas(canvas.prefix)
            own_ports, start = self._enter(trial, panel, number, ports, x)
            draw_columns(trial, panel, self._get_scene(number), start, own_ports)
            marks = {mark.name: mark.y for mark in trial.marks}
            tops.append({str(y.stage): marks[y.mark] for y in panel.section.steps
                         if y.mark in marks})  # fmt: skip
        starts = align_parts(tops)
        left = min(starts.values(), default=x) if self.shared else x + 4
        sketches, ends, name_marks = [], [x], []
        for number, panel in enumerate(self._iter_panels(starts)):
            section = panel.section
            canvas.add_mark(section.name_part("line"), x)
            name_marks.append(len(canvas.marks) - 1)
            count = len(canvas.grounds)
            own_ports, start = self._enter(canvas, panel, number, ports, x)
            sketch, end = draw_columns(canvas, panel, self._get_scene(number), start, own_ports)
            del canvas.grounds[count:]
            if not self.shared:
                with canvas.insert_flows(name_marks[-1]):
                    wires.draw(section)
            sketches.append(sketch)
            ends.append(end)
        columns_end = max(ends)
        if self.line:
            columns_end = max(columns_end, line_start + measure_band(self.line))
            with canvas.insert_below(index):
                draw_band(canvas, self.line, self.layout, line_start, columns_end)
        outputs = [
            [{y: z.ports[y] for y in places if y in z.ports} for places in z.ends] for z in sketches
        ]
        last = [y.section for y in self.ways]
        if self.later:
            outputs, columns_end = self._draw_later(canvas, outputs, columns_end)
            last = [cards[-1] for cards in self.later]
        widths = [_NAME.measure(y.section.heading) + 24 + measure_way_results(z)
                  for y, z in zip(self.ways, last, strict=True)]  # fmt: skip
        rails = 12.0 * max(len(y.results) for y in last) + 4
        end = max(columns_end + rails, left + max(widths))
        for number, (section, area) in enumerate(zip(last, self._areas, strict=True)):
            canvas.add_mark(section.name_part("result"), end)
            own_sketch = None if self.later else sketches[number]
            row, rival = Area(area.x, _NAME_HEIGHT), last[1 - number]
            draw_way_results(
                canvas, (section, rival), outputs[number], row, (columns_end, end), own_sketch
            )
        for panel, area, index, result in zip(
            self.ways, self._areas, name_marks, last, strict=True
        ):
            with canvas.insert_below(canvas.marks[index].parts):
                name, y = panel.section.heading, area.x + 28
                if self.shared:  # lines from the shared steps cross the left side
                    right = end - measure_way_results(result) - 16
                    canvas.draw_text(right, y, name, _NAME, SvgColour.INK, anchor="end")
                else:
                    canvas.draw_text(left, y, name, _NAME, SvgColour.INK)
            steps = (y.mark for y in panel.section.steps if str(y.stage) in starts)
            mark = next(steps, panel.section.name_part("line"))
            start = x - _EDGE if self.shared else self.layout.page.x
            ground_end = max(end + _EDGE, self.layout.page.right)
            ground = Ground(area.x, area.width, start, ground_end, mark, is_turned=True)
            canvas.grounds.append(ground)
        return None, end - _EDGE  # the margin of the page is wider

    def _enter(
        self, canvas: TurnedCanvas, panel: Panel, number: int, ports: Mapping[LaneRef, Port],
        x: float,
    ) -> tuple[Mapping[LaneRef, Port], float]:  # fmt: skip
        """Draw the lines of shared values that pass other columns into a way.

        Return all ports, and where the columns begin.
        """
        folded = self._get_scene(number)
        scene, layout = folded.scene, panel.layout
        rows = [row for step in scene.steps if step.stage in panel.stages for row in step.rows]
        drawn = {*scene.rows, *(place.key for place in ports)}
        has_register = any(link.source.key not in drawn for row in rows[:1] for link in row.links)
        late = {link.source for row in rows[not has_register :] for link in row.links}
        passed = [place for place in late if place in ports and place.key in scene.rows]
        if not passed:
            return ports, x
        slots = start_sketch(TurnedCanvas(""), panel, panel.section.steps, folded).slots
        entered = dict(ports)
        for place in passed:
            area = take_column_part(layout.figures, slots.get(place.key, ColumnPart.FULL))
            port, end = ports[place], x + layout.crossing - 16
            canvas.draw_flow(
                (port.area.center, port.y), (area.center, end), SvgColour.DIM, has_head=False
            )
            entered[place] = Port(area.take_middle(20), end)
        return entered, x + layout.crossing - 24

    def _draw_later(
        self, canvas: TurnedCanvas, outputs: list[list[dict[LaneRef, Port]]], x: float
    ) -> tuple[list[list[dict[LaneRef, Port]]], float]:
        """Draw the cards of later statements, and the wires to them; return their ports, the end.

        The ports are those of the results of the last card of each way.
        """
        statement, start, last_ports = self.ways[0].section.statement, x + CARD_GAP, []
        places = [statement.make_place(role) for role in statement.instruction.results]
        for cards, area, own in zip(self.later, self._areas, outputs, strict=True):
            wires, index = BlockWires(canvas), len(canvas.zones)
            room = Area(area.x + _NAME_HEIGHT, area.width - _NAME_HEIGHT - 4)
            draw_cards(cards, wires, room, start, self.card_width)
            boxes = {zone.node[0]: zone.box for zone in canvas.zones[index:]}
            for card in cards:
                _, y, _, height = boxes[card.branch]
                reads = set(card.statement.reads.values())
                for place, ports in zip(places, own, strict=False):
                    for port in ports.values() if place in reads else ():
                        canvas.draw_flow(
                            (port.area.center, port.y), (y + height / 2, start), SvgColour.DIM
                        )
            role_places = [card.statement.make_place(y) for y in card.statement.instruction.results]
            last_ports.append([{LaneRef(y.role, 0): wires.sources[y][0]} for y in role_places])
        return last_ports, start + self.card_width

    def _draw_card(
        self, canvas: TurnedCanvas, wires: BlockWires, x: float
    ) -> tuple[dict[LaneRef, Port], float]:
        """Draw the shared steps as a card, with the values that they pass on; return the end."""
        assert self.shared
        stages, section = self.shared.stages, self.shared.section
        steps = [y for y in section.steps if y.stage in stages]
        keys = {key for step in steps for row in step.rows for key in row.input_keys}
        rows = {
            link.source: scene.rows[link.source.key]
            for folded in self.scenes if folded for scene in (folded.scene,)
            for step in scene.steps if step.stage not in stages
            for row in step.rows for link in row.links
            if link.source.key in scene.rows
            and link.source.key in {y.key for z in steps for y in z.rows}
        }  # fmt: skip
        operands = [y for y in section.operands if y.role in keys]
        reads = {number: y.role for number, y in enumerate(operands)}
        lines = [(f"{y.name or y.label} = {y.bits}", CODE) for y in operands]
        lines += [(f"{y.number} {y.title[:1].upper()}{y.title[1:]}", NOTE) for y in steps]
        names = [
            (format_passed_value(row, place), CODE.with_weight(True)) for place, row in rows.items()
        ]
        width = max(style.measure(text) for text, style in (*lines, *names)) + 18
        box = self.layout.figures.take_middle(24 * (len(lines) + len(names)) + 18)
        canvas.draw_rect(x, box.x, width, box.width, radius=8)
        ports = {}
        for number, (text, style) in enumerate((*lines, *names)):
            y = box.x + 21 + 24 * number
            draw_middle(canvas, x + 9, y, text, style, SvgColour.INK, "start")
            place = section.statement.reads.get(reads.get(number, ""))
            for port in wires.sources.get(place, ()) if place else ():
                canvas.draw_flow((port.area.center, port.y), (y, x), SvgColour.DIM)
            if number >= len(lines):
                passed = [*rows][number - len(lines)]
                ports[passed] = Port(Area(y - 10, 20), x + width)
        return ports, x + width + 2 * _EDGE

    @property
    def _areas(self) -> list[Area]:
        return self.layout.figures.split_columns(2, _WAY_GAP)

    def _get_scene(self, number: int) -> FoldedScene:
        return [folded for folded in self.scenes if folded][number]

    def _iter_panels(self, starts: Mapping[str, float]) -> Iterator[Panel]:
        """Yield the panels of both ways, whose steps begin at the same places."""
        for number, (panel, area) in enumerate(zip(self.ways, self._areas, strict=True)):
            top, layout = area.x + _NAME_HEIGHT, self.layout
            if self.has_own_captions:
                layout = place_columns(layout, top, area.right - 4)
            else:
                figures = Area(top, area.right - 4 - top)
                layout = layout._replace(figures=figures, words=Area(top, 0))
                layout = change_settings(layout, has_captions=number == 0)
            yield panel._replace(layout=change_settings(layout, starts=starts))
