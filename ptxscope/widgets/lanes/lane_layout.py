"""The lanes as an accordion: the current step is open, the others if there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...engine.micro_operations.properties import Stage
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.step_text import format_title
from ...engine.tracing.trace import Step, Trace
from ...scene.scene_builder import build_scene
from ...scene.scene_model import Cell, LaneRef, RegisterFigure, RowScene, Scene
from ..base.pane import StyledLine, StyledText, pad_line
from .lane_cells import (
    LABEL,
    NUMBER,
    NamedLine,
    draw_cell_pieces,
    draw_labelled,
    format_link_style,
    join_columns,
    label_lines,
    name_lines,
    wrap_line,
)
from .lane_figures import draw_figure, is_rail, without_repeated_rulers
from .lane_highlights import Highlights, LinkMark, PlaceMark
from .lane_links import (
    INDENTS,
    MIN_LINKED_COLUMNS,
    TURNS,
    draw_links,
    find_link_start,
    has_crossing,
)
from .lane_rows import (
    MIN_WIDTH,
    AnswersPainter,
    Level,
    draw_folded_rows,
    draw_guesses,
    draw_pinned_lines,
    draw_pinned_parts,
    draw_register_lines,
    draw_row_lines,
    find_different_cells,
    find_stage_step,
    has_tight_cells,
    iter_step_sentences,
    overlay_marks,
    separate_value,
    widen_scene,
    without_answers,
    without_value,
    wrap_pieces,
)

if TYPE_CHECKING:
    from ...learn.prediction import Guess


class Levels(NamedTuple):
    """The level of every block."""

    steps: tuple[Level, ...]
    """The level of each step while it is not current."""
    current: Level = Level.OPEN
    """The minimum level of the current step."""
    registers: Level = Level.FOLDED
    veiled: Level = Level.FOLDED
    """The level of hidden steps: names on one line, or on a line each."""
    is_steady: bool = False
    """Whether everything is open: hidden steps have fixed places, sentences are below."""
    is_spaced: bool = False
    """Whether a blank line separates steps."""
    heights: tuple[int, ...] = ()
    """The lines of each step, if everything is open."""

    def get_level(self, index: int, current: int) -> Level:
        """Return the level of a step, given the current one."""
        return max(self.steps[index], self.current) if index == current else self.steps[index]


def _iter_upgrades(levels: Levels) -> Iterator[Levels]:
    """Yield the next levels to try while there is room; each includes the previous ones."""

    def open_steps(level: Level) -> Iterator[Levels]:
        nonlocal levels
        for index in range(len(levels.steps)):
            steps = (*levels.steps[:index], level, *levels.steps[index + 1 :])
            levels = levels._replace(steps=steps)
            yield levels

    levels = levels._replace(current=Level.WIRED)
    yield levels
    yield from open_steps(Level.ROWS)
    levels = levels._replace(veiled=Level.ROWS)
    yield levels
    levels = levels._replace(registers=Level.OPEN)
    yield levels
    yield from open_steps(Level.OPEN)
    yield from open_steps(Level.WIRED)


_PIN_MARK = StyledText("≠ pin ", "pin")
WIDEST = 150
"""Maximum columns of the lanes: wider lanes would only be further apart."""
WIDE_SCREEN = 160
"""Minimum columns of a screen with a column beside the lanes."""
_BIT_COLUMNS = {2: (37, 54), 4: (22, 30)}
"""Minimum columns of a lane for chips with bits, by number of lanes, on wide and other screens."""


class LanesState(NamedTuple):
    """The state of the lanes' picture."""

    trace: Trace
    step: int
    """The last revealed step."""
    lights: Highlights = Highlights()
    deviation: Deviation | None = None
    """Another answer, shown beside the trace from the first difference."""
    pin: Trace | None = None
    """An evaluation to compare with, row by row."""
    progress: float = 1
    """The drawn part of the current step, from 0 to 1."""
    scene: Scene | None = None
    """The trace's scene, if already built."""
    guesses: Mapping[LaneRef, Guess] | None = None
    """The predictions of the current step, if the user predicts it."""
    is_screen_wide: bool = False
    """Whether even narrow lanes may show the bits of chips."""
    question_lane: LaneRef | None = None
    """The lane of a hidden step in question: its row is drawn without values."""


class LanesDrawing(NamedTuple):
    """The lines, and the start and the end of each step."""

    lines: list[StyledLine]
    steps: dict[int, tuple[int, int]]
    levels: Levels
    """The levels, valid for the trace and the size, whichever step is current."""


def draw(view: LanesState, width: int, height: int, levels: Levels | None = None) -> LanesDrawing:
    """Return every register and step of a trace.

    The picture has ``width`` columns and, if possible, ``height`` lines.
    """
    painter = _Painter(view, max(min(width, WIDEST) - LABEL, MIN_WIDTH))
    levels = levels or painter.choose_levels(height)
    lines, steps = painter.draw_head(levels), dict[int, tuple[int, int]]()
    blank = [StyledLine()] if levels.is_spaced else []
    for position, stage in enumerate(painter.stages):
        if position:
            lines += blank
        if position > painter.current_index:
            if not levels.is_steady:
                lines += painter.draw_hidden_steps(painter.stages[position:], levels.veiled)
                break
            end = len(lines) + levels.heights[position]
            lines += painter.draw_hidden_steps([stage], Level.ROWS)
            lines += [StyledLine()] * (end - len(lines))
            continue
        start = len(lines)
        lines += painter.draw_step(stage, levels.get_level(position, painter.current_index))
        if position == painter.current_index and not levels.is_steady:
            lines += painter.draw_words(stage)
        if step := find_stage_step(view.trace, stage):
            steps[step.number] = start, len(lines)
    if view.progress < 1 and painter.current.number in steps:
        start, end = steps[painter.current.number]
        drawn_end = max(start + round((end - start) * view.progress), start + 1)
        lines[drawn_end:end] = [[]] * (end - drawn_end)
    if levels.is_steady and painter.is_begun:
        lines += blank + painter.draw_words(painter.current.stage)
    return LanesDrawing([list(map(view.lights.paint, line)) for line in lines], steps, levels)


class _Painter:
    def __init__(self, view: LanesState, width: int) -> None:
        self.view, self.trace, self.width = view, view.trace, width
        scene = view.scene or build_scene(view.trace)
        lane_columns = width // scene.lanes
        on_wide_screen, elsewhere = _BIT_COLUMNS.get(scene.lanes, (width + 1,) * 2)
        self.is_wide = lane_columns >= (on_wide_screen if view.is_screen_wide else elsewhere)
        """Whether chips show their bits."""
        self.is_compact = lane_columns < elsewhere
        self.scene = without_repeated_rulers(self._widen(scene))
        self.lane_roles = {x.role for x in self.scene.registers if x.is_by_lane}
        pin = view.pin and self._widen(build_scene(view.pin))
        self.pinned_rows: dict[str, RowScene] = pin.rows if pin else {}
        self.pinned_registers = {x.role: x for x in pin.registers} if pin else {}
        self.current = view.trace.steps[max(min(view.step, len(view.trace.steps)), 1) - 1]
        self.is_begun = view.step > 0
        """Whether any step is revealed."""
        self.deviation = view.deviation if view.pin is None else None
        self._pictures: dict[tuple[Stage, Level], list[StyledLine]] = {}
        answers = (self.deviation.isa, self.deviation.other) if self.deviation else ()
        self.traces = [self.trace, *answers]
        used_stages = {step.stage for trace in self.traces for step in trace.steps}
        self.stages = [stage for stage in Stage if stage in used_stages]
        """The stages of all traces shown."""
        rows = [row for step in self.scene.steps for row in step.rows if self._is_wired(row)]
        self.links = tuple(link for row in rows for link in row.links)
        """The links to draw if there is room."""
        self.current_index = self.stages.index(self.current.stage) if self.is_begun else -1
        """The index of the current one; -1 if all are hidden."""
        self.answers = self.deviation and AnswersPainter(
            self.deviation, self.trace, width, self.stages
        )

    def _widen(self, scene: Scene) -> Scene:
        if not self.is_wide:
            return scene
        if self.is_compact:  # no room for the additional bits
            return widen_scene(scene, (Stage.WRITE,), (Stage.EXTEND,))
        return widen_scene(scene, (Stage.MERGE, Stage.WRITE))

    def draw_head(self, levels: Levels) -> list[StyledLine]:
        """Return the registers, with those without lanes above the lane numbers, and the links."""
        is_tapped = False
        if find_stage_step(self.trace, Stage.SELECT) and not self._is_asked(Stage.SELECT):
            index = self.stages.index(Stage.SELECT)
            is_wired = levels.get_level(index, self.current_index) >= Level.WIRED
            is_tapped = index <= self.current_index and is_wired
        taps: dict[int, StyledText] = {}
        lines: list[StyledLine] = []
        by_lane = [x for x in self.scene.registers if x.is_by_lane]
        for register in self.scene.registers:
            if register not in by_lane:
                lines += self._draw_register(register, levels.registers)
        if (lanes := self.scene.lanes) > 1:
            lane_columns = self.width // lanes
            word = "lane " if len("lane 0") < lane_columns else ""
            names = [[StyledText(f"{word}{lane}", "quiet")] for lane in reversed(range(lanes))]
            lines.append(draw_labelled("", "", "", join_columns(names, lane_columns)))
        for register in by_lane:
            own_lines = self._draw_register(register, levels.registers)
            if is_tapped:
                own_lines = self._draw_register_links(register.role, own_lines, taps)
            lines += own_lines
        return lines

    def choose_levels(self, room: int) -> Levels:
        """Return the levels at which every current step fits in a height."""
        levels = folded_levels = Levels((Level.FOLDED,) * len(self.stages))
        lines = tuple(len(self.draw_step(stage, Level.WIRED)) for stage in self.stages)
        words = [self._count_words(stage) for stage in self.stages]

        @cache
        def count_head(level: Level) -> int:
            return len(self.draw_head(folded_levels._replace(registers=level)))

        @cache
        def count_hidden(index: int, level: Level) -> int:
            return len(self.draw_hidden_steps(self.stages[index + 1 :], level))

        needed_lines = count_head(Level.OPEN) + sum(lines) + max(words)
        if self.view.guesses is None and needed_lines <= room:
            by_step, is_spaced = (Level.WIRED,) * len(lines), needed_lines + len(lines) <= room
            return Levels(by_step, Level.WIRED, Level.OPEN, Level.ROWS, True, is_spaced, lines)
        for upgrade in _iter_upgrades(levels):
            for current in range(len(lines)):
                count = count_head(upgrade.registers) + count_hidden(current, upgrade.veiled)
                count += words[current] + sum(
                    len(self.draw_step(self.stages[i], upgrade.get_level(i, current)))
                    for i in range(current + 1)
                )
                if count > room:
                    return levels
            levels = upgrade
        return levels

    # --- registers -----------------------------------------------------------------

    def _draw_register(self, register: RegisterFigure, level: Level) -> list[StyledLine]:
        """Return an operand in its parts, with its meaning and its pinned parts."""
        if self.view.guesses is not None:
            register = without_answers(register, self.current.stage)
        name = f" {register.name}" if register.name else ""
        register_lines: list[StyledLine] = []
        if len(name) > NUMBER:  # a long name has separate lines
            register_lines += wrap_line([StyledText(name, "quiet")], self.width + LABEL - 2, 1)
            name = ""
        lines = self._draw_parts(register)
        if level >= Level.OPEN and register.figure:
            figure = without_value(register.figure, register.meaning)
            lines += draw_figure(figure, self.width, 1)
        register_lines += label_lines(name, name_lines(register.label, lines), "quiet")
        pinned = self.pinned_registers.get(register.role)
        if pinned and (cells := find_different_cells(pinned.cells, register.cells)):
            if register.is_by_lane:
                pinned_lines = draw_pinned_lines(cells, lines, register.cells, self.width)
            else:
                pinned_lines = draw_pinned_parts(cells, register.cells)
            register_lines += label_lines("", name_lines(_PIN_MARK, pinned_lines), "quiet")
        return register_lines

    def _draw_parts(self, register: RegisterFigure) -> list[StyledLine]:
        """Return an operand's parts, with a blank between their values and the wires of b."""
        lines = draw_register_lines(register, self.width)
        if not any(link.source.key == "b" for link in self.links):
            return lines
        cells = tuple(separate_value(cell) for cell in register.cells)
        spaced = draw_register_lines(register._replace(cells=cells), self.width)
        return spaced if len(spaced) == len(lines) else lines

    # --- steps ---------------------------------------------------------------------

    def draw_words(self, stage: Stage) -> list[StyledLine]:
        """Return the sentences of a step while it is current; none while it is predicted."""
        step = find_stage_step(self.trace, stage)
        if step is None or self._is_asked(stage):
            return []
        room = self.width + LABEL - 4
        return [
            [StyledText("   "), *x]
            for x in iter_step_sentences(self.trace, step, room, self.deviation)
        ]

    def _count_words(self, stage: Stage) -> int:
        """Return the maximum number of lines of a step's sentences in any answer."""
        if self._is_asked(stage):
            return 0
        other, room = self.deviation, self.width + LABEL - 4
        traces = (other.isa, other.other) if other else (self.trace,)
        steps = [(x, step) for x in traces if (step := find_stage_step(x, stage))]
        counts = (len([*iter_step_sentences(x, step, room, other)]) for x, step in steps)
        return max(counts, default=0)

    def draw_step(self, stage: Stage, level: Level) -> list[StyledLine]:
        """Return the lines of a step, without its sentences."""
        if (stage, level) not in self._pictures:
            self._pictures[stage, level] = list(self._iter_step_lines(stage, level))
        return self._pictures[stage, level]

    def _iter_step_lines(self, stage: Stage, level: Level) -> Iterator[StyledLine]:
        step = find_stage_step(self.trace, stage)
        is_current = stage is self.current.stage
        title = format_title(self._find_shown_step(stage))
        label = f"{'▸' if is_current else ' '}{step.number if step else ' '} {title}"
        bodies: list[NamedLine] = []
        if step and self.view.guesses is not None and self._is_asked(stage):
            for row in self.scene.steps[step.number - 1].rows:
                bodies += self._draw_guesses(row, self.view.guesses)
        elif self.answers and self.answers.has_stage(stage):
            bodies += self.answers.draw_rows(stage, level)
        elif step:
            bodies += self.draw_rows(step, level)
        style_name = "focus" if is_current else "strong"
        number = step.number if step else None
        yield from label_lines(label, bodies or [("", [])], style_name, number)

    def _is_asked(self, stage: Stage) -> bool:
        return self.view.guesses is not None and stage is self.current.stage

    def _draw_guesses(self, row: RowScene, guesses: Mapping[LaneRef, Guess]) -> Iterator[NamedLine]:
        """Yield a row to predict: right predictions as values, the others as typed, or blank."""
        yield from name_lines(row.name, draw_guesses(row, guesses, self.width))

    def draw_hidden_steps(self, stages: Sequence[Stage], level: Level) -> list[StyledLine]:
        """Return the names of hidden steps, one per line or wrapped, and the row of a question."""
        labels: StyledLine = []
        for index, stage in enumerate(stages):
            step = find_stage_step(self.trace, stage)
            number = step.number if step else None
            title_text = f" {number or ' '} {format_title(self._find_shown_step(stage))}"
            if asked_row := self._find_asked_row(stage):
                return [
                    *self.draw_hidden_steps(stages[:index], level),
                    *label_lines(title_text, self._draw_guesses(asked_row, {}), "quiet", number),
                    *self.draw_hidden_steps(stages[index + 1 :], level),
                ]
            labels.append(StyledText(title_text, "quiet", number))
        if level >= Level.ROWS or not labels:
            return [[label] for label in labels]
        return wrap_pieces(labels, self.width + LABEL)

    def _find_asked_row(self, stage: Stage) -> RowScene | None:
        """Return the row of a hidden step in question, or None."""
        lane, step = self.view.question_lane, find_stage_step(self.trace, stage)
        if lane is None or step is None or step.number <= self.view.step:
            return None
        rows = self.scene.steps[step.number - 1].rows
        return next((row for row in rows if row.key == lane.key), None)

    def _find_shown_step(self, stage: Stage) -> Step:
        """Return the step of a stage, if necessary of the other answer."""
        return next(step for trace in self.traces if (step := find_stage_step(trace, stage)))

    def draw_rows(self, step: Step, level: Level) -> Iterator[NamedLine]:
        """Yield row names and lines of a step of this trace."""
        rows = self.scene.steps[step.number - 1].rows
        if any(map(self._find_pinned_cells, rows)):
            level = max(level, Level.ROWS)  # the rows to compare with
        if level is Level.FOLDED and len(rows) > 1:
            folded = draw_folded_rows(rows, self.width)
            if folded is not None:
                yield folded
                return
        # links to a row pass the rows above it
        last = max((number for number, row in enumerate(rows, 1) if self._is_wired(row)), default=0)
        wired = rows[:last] if level >= Level.WIRED else ()
        if wired:
            yield from self.draw_linked_rows(wired)
        other_rows = rows[len(wired) :]
        is_tight = any(has_tight_cells(row.cells, self.width) for row in other_rows)
        bodies = {x: draw_row_lines(x, self.width, level, is_tight=is_tight) for x in other_rows}
        rails = {x: x.figure.start for x in other_rows if is_rail(x.figure, bodies[x])}
        shown_marks = {piece.target for row in rails for piece in bodies[row][-1]}
        for row, lines in bodies.items():
            if row in rails:
                yield row.name, lines[0]
                yield rails[row].place.key.rpartition(".")[2], lines[1]
            elif PlaceMark(row.cells[0].place) not in shown_marks:  # no sum begins with it
                yield from name_lines(row.name, lines)
            yield from self._draw_row_pin(row, lines)

    def _find_pinned_cells(self, row: RowScene) -> Sequence[Cell]:
        """Return the differing cells of a pin, with blanks for equal ones; none if all equal."""
        pinned = self.pinned_rows.get(row.key)
        return find_different_cells(pinned.cells, row.cells) if pinned else ()

    def _draw_row_pin(self, row: RowScene, lines: Sequence[StyledLine]) -> Iterator[NamedLine]:
        """Yield the line with the pin's differing lanes, below its row."""
        if cells := self._find_pinned_cells(row):
            pinned_lines = draw_pinned_lines(cells, lines, row.cells, self.width)
            yield from name_lines(_PIN_MARK, pinned_lines)

    def draw_linked_rows(self, rows: Sequence[RowScene]) -> Iterator[NamedLine]:
        """Yield the links from the registers to the selected rows, and the rows."""
        lanes = self.scene.lanes
        lane_columns = self.width // lanes
        links = tuple(link for row in rows if self._is_wired(row) for link in row.links)
        for first, *rest in draw_links(links, lanes, lane_columns, self.is_wide):
            yield first, rest
        lower_links = [link for row in rows[1:] if self._is_wired(row) for link in row.links]
        passing = {link.target.lane: link for link in lower_links}
        for row in rows:
            passed: dict[int, StyledText] = {}
            if row is not rows[-1]:
                for lane, link in passing.items():
                    mark = LinkMark(link.source, (link.target,))
                    column = (lanes - 1 - lane) * lane_columns
                    passed[column] = StyledText("│", format_link_style(link.tint), mark)
            indent = StyledText(" " * INDENTS[row.name])
            cells = [[indent, *draw_cell_pieces(cell)] for cell in row.cells]
            line = join_columns(cells, lane_columns)
            yield row.name, overlay_marks(line, passed)
            for name, pinned_line in self._draw_row_pin(row, [line]):
                yield name, overlay_marks(pad_line(pinned_line, self.width), passed)

    def _is_wired(self, row: RowScene) -> bool:
        """Whether links to a row are drawn, because bytes change columns and there is room."""
        lanes = self.scene.lanes
        return (
            row.key.startswith("select.")
            and row.name in INDENTS
            and lanes > 1
            and self.width // lanes >= MIN_LINKED_COLUMNS
            and self.lane_roles.issuperset(link.source.key for link in row.links)
            and has_crossing(row.links)
        )

    def _draw_register_links(
        self, role: str, lines: Sequence[StyledLine], taps: dict[int, StyledText]
    ) -> list[StyledLine]:
        """Return a register's lines with the links that leave its chips or pass by."""
        lanes, lane_columns = self.scene.lanes, self.width // self.scene.lanes
        links = [link for link in self.links if link.source.key == role]
        leaving: dict[int, StyledText] = {}
        for source in dict.fromkeys(link.source for link in links):
            own_links = [link for link in links if link.source == source]
            column = (lanes - 1 - source.lane) * lane_columns + find_link_start(
                role, lanes, self.is_wide
            )
            mark = LinkMark(source, tuple(link.target for link in own_links))
            style_name = format_link_style(own_links[0].tint)
            leaving[LABEL + column] = StyledText("│", style_name, mark)
        result: list[StyledLine] = []
        for line in lines:
            marks = taps
            if not result:
                corners = {x: piece._replace(text=TURNS[role]) for x, piece in leaving.items()}
                marks = {**taps, **corners}
                taps |= leaving
            result.append(overlay_marks(pad_line(line, LABEL + self.width), marks))
        return result
