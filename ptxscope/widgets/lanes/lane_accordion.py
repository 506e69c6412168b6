"""The lanes as an accordion: the current step is open, the others as far as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from ...engine.micro_operations.stage import Stage
from ...engine.records import NamedTuple
from ...engine.tracing.divergence import Divergence
from ...engine.tracing.step_text import format_title
from ...engine.tracing.trace import RowTrace, Step, Trace
from ...scene.row_pairs import OUTCOMES, hide_equal_cells, iter_pairs, mark_differences
from ...scene.scene_builder import build_row_scene, build_scene
from ...scene.scene_cells import build_cells
from ...scene.scene_model import (
    BitRulers,
    Cell,
    CellSpan,
    LaneRef,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
)
from ..base.pane import StyledLine, StyledText
from .lane_cells import (
    NO_HIGHLIGHTS,
    Highlights,
    draw_cell_pieces,
    format_link_style,
    lay_out_cells,
    measure_line,
    needs_tight,
    pad_line,
    widen_cell,
    wrap_line,
)
from .lane_figures import (
    draw_figure,
    draw_rail_start,
    is_complete,
    is_rail,
    without_repeated_rulers,
)
from .lane_labels import LABEL, NUMBER, Whole, labelled, shorten_name, whole_lines
from .lane_levels import Heights, Level, Levels, choose_levels
from .lane_links import INDENTS, TURNS, draw_links, has_crossing, start_of

if TYPE_CHECKING:
    from ...learn.prediction import Guess
from ..base.step_lines import step_words

WIDEST = 150
"""Maximum columns of the lanes: wider lanes would only move apart."""
_MIN_LANE_WIDTH = 17
"""Minimum columns: those of a screen of 40, less a scrollbar."""
_WIRED = 12
"""Minimum columns of a lane for links."""
_WIDE_LANE_WIDTHS = {2: 54, 4: 30}
"""Minimum columns of a lane for chips that show their bits, by the number of lanes."""
_BESIDE = {1: 26, 2: 36, 4: 60}
"""Minimum columns of the lanes for two answers side by side, by the number of lanes."""

_ORDER = {stage: order for order, stage in enumerate(Stage)}


class LanesState(NamedTuple):
    """The state of the lanes' picture."""

    trace: Trace
    step: int
    """The last revealed step."""
    lights: Highlights = NO_HIGHLIGHTS
    divergence: Divergence | None = None
    """Another answer, shown beside the trace from the step where they differ."""
    pin: Trace | None = None
    """An evaluation to compare with, row by row."""
    progress: float = 1
    """The drawn part of the current step, from 0 to 1."""
    scene: Scene | None = None
    """The trace's scene, if it is built already."""
    guesses: Mapping[LaneRef, Guess] | None = None
    """The predictions of the current step, if the user predicts it."""


class LanesDrawing(NamedTuple):
    """The lines, and the start and the end of each step."""

    lines: list[StyledLine]
    steps: dict[int, tuple[int, int]]
    levels: Levels
    """The levels; valid for the same trace at the same size, whichever step is the current one."""


def draw(view: LanesState, width: int, height: int, levels: Levels | None = None) -> LanesDrawing:
    """Return every register and step of a trace.

    The picture has ``width`` columns and, if it fits, ``height`` lines.
    """
    painter = _Painter(view, max(min(width, WIDEST) - LABEL, _MIN_LANE_WIDTH))
    levels = levels or painter.choose_levels(height)
    lines, steps = painter.head_lines(levels), dict[int, tuple[int, int]]()
    blank = [StyledLine()] if levels.is_spaced else []
    for position, stage in enumerate(painter.list_stages):
        if position:
            lines += blank
        if position > painter.current_index:
            if not levels.is_steady:
                lines += painter.draw_hidden_steps(painter.list_stages[position:], levels.veiled)
                break
            lines += [
                *painter.draw_hidden_steps([stage], Level.ROWS),
                *([StyledLine()] * (levels.heights[position] - 1)),
            ]
            continue
        start = len(lines)
        is_current = position == painter.current_index
        level = levels.steps[position]
        lines += painter.step(stage, max(level, levels.current) if is_current else level)
        if is_current and not levels.is_steady:
            lines += painter.words(stage)
        if step := step_of(view.trace, stage):
            steps[step.number] = start, len(lines)
    if view.progress < 1 and painter.current.number in steps:
        start, end = steps[painter.current.number]
        drawn_end = start + round((end - start) * view.progress)
        lines[max(drawn_end, start + 1) : end] = [[] for _ in range(max(drawn_end, start + 1), end)]
    if levels.is_steady and painter.is_begun:
        lines += blank + painter.words(painter.current.stage)
    return LanesDrawing(lines, steps, levels)


class _Painter:
    def __init__(self, view: LanesState, width: int) -> None:
        self.view, self.trace, self.width = view, view.trace, width
        self.lights = view.lights
        self.scene = view.scene or build_scene(view.trace)
        self.is_wide = width // self.scene.lanes >= _WIDE_LANE_WIDTHS.get(
            self.scene.lanes, width + 1
        )
        """Whether chips show their bits."""
        if self.is_wide:
            self.scene = _widen_scene(self.scene)
        self.scene = without_repeated_rulers(self.scene)
        self.current = view.trace.steps[max(min(view.step, len(view.trace.steps)), 1) - 1]
        self.is_begun = view.step > 0
        """Whether any step is revealed."""
        self.divergence = view.divergence if view.pin is None else None
        self._pictures: dict[tuple[Stage, Level], list[StyledLine]] = {}
        self.list_stages = self._stages()
        """The stages of any of the traces shown."""
        self.current_index = self.list_stages.index(self.current.stage) if self.is_begun else -1
        """The index of the current one; -1 if all are hidden."""

    def draw_head(self) -> list[StyledLine]:
        """Return the lane numbers above the lanes of a dual or quad form."""
        lanes = self.scene.lanes
        if lanes == 1:
            return []
        lane_columns = self.width // lanes
        word = "lane " if len("lane 0") < lane_columns else ""
        names = [[StyledText(f"{word}{lane}", "dim")] for lane in reversed(range(lanes))]
        return [
            labelled(
                "", "", "", [piece for name in names for piece in pad_line(name, lane_columns)]
            )
        ]

    def head_lines(self, levels: Levels) -> list[StyledLine]:
        """Return the lane numbers and the registers, with the links that leave them."""
        select = step_of(self.trace, Stage.SELECT)
        is_tapped = False
        if select and not self._is_asked(Stage.SELECT):
            index = self.list_stages.index(Stage.SELECT)
            level = (
                max(levels.steps[index], levels.current)
                if index == self.current_index
                else levels.steps[index]
            )
            is_tapped = index <= self.current_index and level >= Level.WIRED
        taps: dict[int, str] = {}
        lines = self.draw_head()
        for register in self.scene.registers:
            register_lines = self.draw_register_rows(register, levels.registers)
            lines += (
                self.draw_register_links(register.role, register_lines, taps)
                if is_tapped
                else register_lines
            )
        return lines

    def choose_levels(self, height: int) -> Levels:
        """Return the level of each step for a height in lines."""
        folded_levels = Levels((Level.FOLDED,) * len(self.list_stages))
        heights = Heights(
            lambda index, level: len(self.step(self.list_stages[index], level)),
            [self._count_words(stage) for stage in self.list_stages],
            cache(lambda level: len(self.head_lines(folded_levels._replace(registers=level)))),
            cache(
                lambda index, level: len(
                    self.draw_hidden_steps(self.list_stages[index + 1 :], level)
                )
            ),
        )
        return choose_levels(heights, height, can_be_steady=self.view.guesses is None)

    def _stages(self) -> list[Stage]:
        traces: list[Trace] = [self.trace]
        if self.divergence:
            traces += [self.divergence.isa, self.divergence.other]
        if self.view.pin:
            traces.append(self.view.pin)
        used_stages = {step.stage for trace in traces for step in trace.steps}
        return [stage for stage in Stage if stage in used_stages]

    # --- registers -----------------------------------------------------------------

    def draw_register_rows(self, register: RegisterFigure, level: Level) -> list[StyledLine]:
        """Return an operand in its parts, with its meaning."""
        if self.view.guesses is not None:
            from .lane_guesses import without_answers

            register = without_answers(register, self.current.stage)
        name = f" {register.name}" if register.name else ""
        lines = self._draw_register(register)
        if level >= Level.OPEN and register.figure:
            figure = _without_value(register.figure, register.meaning)
            lines += draw_figure(figure, self.width, 1, self.lights)
        register_lines: list[StyledLine] = []
        is_whole = self.scene.lanes > 1 and not register.is_by_lane
        if len(name) > (NUMBER - 10 if is_whole else NUMBER):  # a long name has lines of its own
            register_lines += wrap_line([StyledText(name, "dim")], self.width + LABEL - 2, 1)
            name = ""
        if is_whole:
            register_lines += whole_lines(name, _make_whole(register, self.lights), "dim", [])
        else:
            register_lines += _indent_lines(name, register.label, "dim", lines)
        pin = self.view.pin
        if pin and pin.operands.get(register.role) != self.trace.operands[register.role]:
            other_registers = (x for x in build_scene(pin).registers if x.role == register.role)
            for other_register in other_registers:
                if is_whole:
                    units = _make_whole(other_register, NO_HIGHLIGHTS).units
                    pinned = [[_make_pinned_piece(x) for x in unit] for unit in units]
                    pinned[0][0] = StyledText("≠pin ", "label")
                    register_lines += whole_lines("", Whole(tuple(pinned)), "dim", [])
                    continue
                if self.is_wide:
                    other_register = _widen_register(other_register)
                if register.is_by_lane and other_register.is_by_lane:
                    other_register = other_register._replace(
                        cells=hide_equal_cells(other_register.cells, register.cells)
                    )
                body = _register_lines(other_register, self.width, NO_HIGHLIGHTS)
                register_lines += _indent_lines(
                    "", "≠pin", "dim", [[_make_pinned_piece(x) for x in line] for line in body]
                )
        return register_lines

    def _draw_register(self, register: RegisterFigure) -> list[StyledLine]:
        """Return an operand's parts, with a blank between their values and the wires of b."""
        lines = _register_lines(register, self.width, self.lights)
        rows = [row for step in self.scene.steps for row in step.rows if self._is_wired(row)]
        if not any(link.source.key == "b" for row in rows for link in row.links):
            return lines
        cells = tuple(_separate_value(cell) for cell in register.cells)
        spaced = _register_lines(register._replace(cells=cells), self.width, self.lights)
        return spaced if len(spaced) == len(lines) else lines

    # --- steps ---------------------------------------------------------------------

    def step(self, stage: Stage, level: Level) -> list[StyledLine]:
        """Return the lines of a step, without its sentences."""
        if (stage, level) not in self._pictures:
            self._pictures[stage, level] = list(self.draw_step(stage, level))
        return self._pictures[stage, level]

    def words(self, stage: Stage) -> list[StyledLine]:
        """Return the sentences of a step while it is current; none while it is predicted."""
        step = step_of(self.trace, stage)
        if step is None or self._is_asked(stage):
            return []
        room = self.width + LABEL - 4
        return [
            [StyledText("   "), *x] for x in step_words(self.trace, step, room, self.divergence)
        ]

    def _count_words(self, stage: Stage) -> int:
        """Return the number of lines of a step's sentences, in the answer that has more."""
        if self._is_asked(stage):
            return 0
        other, room = self.divergence, self.width + LABEL - 4
        traces = (other.isa, other.other) if other else (self.trace,)
        steps = [(x, step) for x in traces if (step := step_of(x, stage))]
        counts = (len([*step_words(x, step, room, other)]) for x, step in steps)
        return max(counts, default=0)

    def draw_step(self, stage: Stage, level: Level) -> Iterator[StyledLine]:
        """Yield the lines of a step, without its sentences."""
        step = step_of(self.trace, stage)
        named_step = step or self._find_other_step(stage)
        is_current = stage is self.current.stage
        label = (
            f"{'▸' if is_current else ' '}{step.number if step else ' '} {format_title(named_step)}"
        )
        if step and self.view.guesses is not None and self._is_asked(stage):
            yield from self.draw_predicted_step(step, label, self.view.guesses)
            return
        divergence, pinned = self.divergence, list[tuple[str | Whole, StyledLine]]()
        if divergence and _ORDER[stage] >= _ORDER[divergence.stage]:
            bodies: list[tuple[str | Whole, StyledLine]] = [
                *self.draw_branches(divergence, stage, level)
            ]
        else:
            pinned = self.draw_pinned_rows(stage)
            level = max(level, Level.ROWS) if pinned else level  # the rows to compare with
            bodies = list(self.draw_rows(step, level)) if step else []
        style_name = "current" if is_current else "strong"
        number = step.number if step else None
        for name, body in bodies or ([("", StyledLine())] if not pinned else []):
            if isinstance(name, Whole):
                yield from whole_lines(label, name, style_name, body, number)
            else:
                yield labelled(label, name, style_name, body, number)
            label = ""
        for name, body in pinned:
            if isinstance(name, Whole):
                yield from whole_lines(label, name, style_name, body, number)
            else:
                yield labelled(label or f"{name:>{NUMBER - 1}}", "≠pin", style_name, body, number)
            label = ""

    def _is_asked(self, stage: Stage) -> bool:
        return self.view.guesses is not None and stage is self.current.stage

    def draw_predicted_step(
        self, step: Step, label: str, guesses: Mapping[LaneRef, Guess]
    ) -> Iterator[StyledLine]:
        """Yield a predicted step: right predictions as values, the others as typed."""
        from .lane_guesses import guess_lines

        for row in self.scene.steps[step.number - 1].rows:
            lines = guess_lines(row, guesses, self.width, self.lights)
            if self._is_whole(row):
                whole = Whole(([StyledText(f"{row.name} ", "label"), *lines[0]], *lines[1:]))
                yield from whole_lines(label, whole, "current", [], step.number)
                label = ""
                continue
            for name, line in _name_lines(row.name, lines):
                yield labelled(label, name, "current", line, step.number)
                label = ""

    def draw_hidden_steps(self, stages: Sequence[Stage], level: Level) -> list[StyledLine]:
        """Return the names of hidden steps, one per line or wrapped."""
        labels: StyledLine = []
        for stage in stages:
            step = step_of(self.trace, stage)
            number = step.number if step else None
            title_text = f" {number or ' '} {format_title(step or self._find_other_step(stage))}"
            labels.append(StyledText(title_text, "veil", number))
        if level >= Level.ROWS or not labels:
            return [[label] for label in labels]
        return _wrap_pieces(labels, self.width + LABEL)

    def _find_other_step(self, stage: Stage) -> Step:
        """Return a step that only the other answer or the pin has."""
        other_traces = [self.view.pin] if self.view.pin else []
        other_traces += [self.divergence.isa, self.divergence.other] if self.divergence else []
        return next(step for other_trace in other_traces if (step := step_of(other_trace, stage)))

    def _is_whole(self, row: RowScene) -> bool:
        """Whether a row has no lanes while others have."""
        return self.scene.lanes > 1 and len(row.cells) == 1

    def draw_rows(self, step: Step, level: Level) -> Iterator[tuple[str | Whole, StyledLine]]:
        """Yield row names and lines of a step of this trace."""
        rows = self.scene.steps[step.number - 1].rows
        if level is Level.FOLDED and len(rows) > 1:
            folded = _draw_folded(rows, self.width, self.lights)
            if folded is not None:
                yield folded
                return
        # links to a row pass the rows above it
        last = max((number for number, row in enumerate(rows, 1) if self._is_wired(row)), default=0)
        wired = rows[:last] if level >= Level.WIRED else ()
        if wired:
            yield from self.draw_linked_rows(wired)
        is_current = step.stage is self.current.stage
        progress = self.view.progress if is_current else 1
        other_rows = rows[len(wired) :]
        is_tight = bool(other_rows) and self._is_tight(step.stage)
        draw_row = partial(draw_row_lines, width=self.width, highlights=self.lights, level=level)
        bodies = {row: draw_row(row, progress=progress, is_tight=is_tight) for row in other_rows}
        rails = [row.figure for row in other_rows if is_rail(row.figure, bodies[row])]
        starts = {rail.start.place.key for rail in rails}
        for row in other_rows:
            if row.key in starts:
                continue
            if row.figure in rails:
                above, below = bodies[row]
                yield row.name, above
                yield Whole((draw_rail_start(row.figure, self.lights),)), below
            elif self._is_whole(row):
                yield from _draw_whole_row(row, level, bodies[row], self.lights)
            else:
                yield from _name_lines(row.name, bodies[row])

    def _is_tight(self, stage: Stage) -> bool:
        """Whether the cells of a step and of a pin are written tightly: all or none."""
        step = step_of(self.trace, stage)
        rows = [row.cells for row in self.scene.steps[step.number - 1].rows] if step else []
        rows += [cells for _, cells in self._pinned_rows(stage)]
        return any(_needs_tight(cells, self.width) for cells in rows)

    def draw_linked_rows(
        self, rows: Sequence[RowScene]
    ) -> Iterator[tuple[str | Whole, StyledLine]]:
        """Yield the links from the registers to the selected rows, and these rows."""
        lanes = self.scene.lanes
        lane_columns = self.width // lanes
        links = [link for row in rows if self._is_wired(row) for link in row.links]
        for first, *rest in draw_links(tuple(links), lanes, lane_columns, self.is_wide):
            yield Whole(([first],)), rest
        lower_links = [link for row in rows[1:] if self._is_wired(row) for link in row.links]
        passing = {link.target.lane: format_link_style(link.tint) for link in lower_links}
        for row in rows:
            line: StyledLine = []
            for cell in row.cells:
                indent: StyledLine = [StyledText(" " * INDENTS[row.name])]
                if row is not rows[-1] and (style_name := passing.get(cell.place.lane)):
                    indent = [
                        StyledText("│", style_name),
                        StyledText(" " * (INDENTS[row.name] - 1)),
                    ]
                line += pad_line(
                    [*indent, *draw_cell_pieces(cell, highlights=self.lights)], lane_columns
                )
            yield row.name, line

    def _is_wired(self, row: RowScene) -> bool:
        """Whether links to a row are drawn: if bytes change columns and there is room."""
        lanes = self.scene.lanes
        return (
            row.key.startswith("select.")
            and row.name in INDENTS
            and lanes > 1
            and self.width // lanes >= _WIRED
            and has_crossing(row.links)
        )

    def draw_register_links(
        self, role: str, lines: Sequence[StyledLine], taps: dict[int, str]
    ) -> list[StyledLine]:
        """Return a register's lines with the links that leave its chips and those that pass."""
        lanes, lane_columns = self.scene.lanes, self.width // self.scene.lanes
        rows = [row for step in self.scene.steps for row in step.rows if self._is_wired(row)]
        leaving = {
            LABEL
            + (lanes - 1 - link.source.lane) * lane_columns
            + start_of(role, lanes, self.is_wide): format_link_style(link.tint)
            for row in rows
            for link in row.links
            if link.source.key == role
        }
        result: list[StyledLine] = []
        for line in lines:
            marks = {x: StyledText("│", style_name) for x, style_name in taps.items()}
            if not result:
                marks |= {
                    x: StyledText(TURNS[role], style_name) for x, style_name in leaving.items()
                }
                taps |= leaving
            result.append(_overlay_marks(pad_line(line, LABEL + self.width), marks))
        return result

    # --- two answers ---------------------------------------------------------------

    def draw_branches(
        self, divergence: Divergence, stage: Stage, level: Level
    ) -> Iterator[tuple[str, StyledLine]]:
        """Yield both answers' rows of a stage, side by side or one below the other."""
        beside = self.width // 2 - 2 >= _BESIDE[self.scene.lanes]
        left = self._left_width if beside else 0
        widths = (left - 1, self.width - left - 3) if beside else (self.width, self.width)
        sides = (self._choose_side(divergence.isa), self._choose_side(divergence.other))
        if stage is divergence.stage:
            names = self._draw_branch_names(divergence, left)
            yield from (("", line) for line in wrap_line(names, self.width))
        for pair in iter_pairs(divergence.isa, divergence.other, stage):
            rows, differs = pair.rows, pair.is_different
            branches = [
                self._draw_branch_row(
                    trace, row, other if pair.lanes else None, highlights, level, width
                )
                for (trace, highlights), row, (other, _), width in zip(
                    sides, rows, sides[::-1], widths, strict=True
                )
            ]
            name = next(row.name for row in rows if row)
            if beside:
                for index, (first, second) in enumerate(
                    zip_longest(*branches, fillvalue=StyledLine())
                ):
                    sign = StyledText("≠ " if differs and index == 0 else "  ", "clamped")
                    yield name if index == 0 else "", [*pad_line(first, left), sign, *second]
            elif not differs:
                yield from _name_lines(name, branches[0])
            else:
                for mark, own_row, lines in zip(("isa", "≠ptx"), rows, branches, strict=True):
                    if own_row is not None:
                        yield from _name_lines(mark, lines)

    @cached_property
    def _left_width(self) -> int:
        """The columns of the answer on the left: half, or as many as break the fewest lines."""
        half, divergence = self.width // 2 - 2, self.divergence
        if divergence is None or self.scene.lanes > 1:
            return half
        traces, later = (divergence.isa, divergence.other), _ORDER[divergence.stage]
        pairs = [
            [_draw_whole_line(x, row) for x, row in zip(traces, pair.rows, strict=True)]
            for stage in self.list_stages
            if _ORDER[stage] >= later
            for pair in iter_pairs(*traces, stage)
        ]

        def count_lines(left: int) -> int:
            widths = left - 1, self.width - left - 3
            return sum(
                max(len(wrap_line(line, w, 2)) for line, w in zip(pair, widths, strict=True))
                for pair in pairs
            )

        candidate_widths = {measure_line(first) + 1 for first, _ in pairs}
        candidate_widths |= {self.width - 3 - measure_line(second) for _, second in pairs}
        fit = (
            x for x in candidate_widths if _MIN_LANE_WIDTH < x < self.width - 3 - _MIN_LANE_WIDTH
        )
        return min((half, *sorted(fit, key=lambda x: abs(x - half))), key=count_lines)

    def _choose_side(self, trace: Trace) -> tuple[Trace, Highlights | None]:
        """Return a branch's trace; only the stepped branch has lights and a cursor."""
        is_own_model = trace.model == self.trace.model
        return (self.trace, self.lights) if is_own_model else (trace, None)

    def _draw_branch_names(self, divergence: Divergence, half: int) -> StyledLine:
        """Return the names of the two answers, with a mark on the stepped one."""
        names: list[StyledLine] = []
        for trace in (divergence.isa, divergence.other):
            is_own_model = trace.model == self.trace.model
            ids = ", ".join(x.id for x in divergence.errata)
            tail = "" if trace is divergence.isa else f" ({ids})"
            text = f"{'▸ ' if is_own_model else '  '}{trace.model.name}{tail}"
            names.append([StyledText(text, "current" if is_own_model else "strong")])
        gap = max(half, measure_line(names[0]) + 2)
        return [*pad_line(names[0], gap + (2 if half else 0)), *names[1]]

    def _draw_branch_row(
        self,
        trace: Trace,
        row: RowTrace | None,
        other: Trace | None,
        highlights: Highlights | None,
        level: Level,
        width: int,
    ) -> list[StyledLine]:
        if row is None:
            return []
        row_scene = build_row_scene(trace, row)
        if other is not None:
            cells = zip(row_scene.cells, build_cells(other.views[row.key]), strict=True)
            row_scene = row_scene._replace(cells=tuple(mark_differences(x, y) for x, y in cells))
        lines = draw_row_lines(
            row_scene, width, highlights or NO_HIGHLIGHTS, min(level, Level.OPEN), 1
        )
        if highlights is not None:
            return lines
        return [[StyledText(text, style_name) for text, style_name, _ in line] for line in lines]

    # --- a pin ---------------------------------------------------------------------

    def draw_pinned_rows(self, stage: Stage) -> list[tuple[str | Whole, StyledLine]]:
        """Return the pinned evaluation's rows that differ, with equal lanes blank.

        Each has its name if the step has several rows.
        """
        if self.view.pin is None:
            return []
        is_tight = self._is_tight(stage)
        step = step_of(self.trace, stage)
        has_several = step is not None and len(step.rows) > 1
        rows: list[tuple[str | Whole, StyledLine]] = []
        for name, cells in self._pinned_rows(stage):
            lines = [
                [_make_pinned_piece(x) for x in line]
                for line in _draw_in_columns(cells, self.width, NO_HIGHLIGHTS, is_tight)
            ]
            if self.scene.lanes > 1 and len(cells) == 1:
                rows.append((Whole(([StyledText("≠pin ", "label")], *lines)), []))
                continue
            short_name = shorten_name(name) if has_several else ""
            rows += [(short_name, line) for line in lines]
        return rows

    def _pinned_rows(self, stage: Stage) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Yield names and cells of the pinned evaluation's rows that differ."""
        pin = self.view.pin
        for pair in iter_pairs(self.trace, pin, stage) if pin else ():
            if pin and pair.other and pair.is_different:
                own_cells = build_cells(self.trace.views[pair.key]) if pair.isa else ()
                cells = hide_equal_cells(build_cells(pin.views[pair.key]), own_cells)
                yield pair.other.name, tuple(map(widen_cell, cells)) if self.is_wide else cells


# --- parts ------------------------------------------------------------------------------


def _widen_scene(scene: Scene) -> Scene:
    """Return a scene whose chips show bits, and hexadecimal in the first and last rows of bytes."""

    def wide(row: RowScene, stage: Stage) -> RowScene:
        with_hex = stage in (Stage.MERGE, Stage.WRITE)
        return row._replace(cells=tuple(widen_cell(x, with_hex=with_hex) for x in row.cells))

    registers = tuple(map(_widen_register, scene.registers))
    steps = (
        step._replace(rows=tuple(wide(row, step.stage) for row in step.rows))
        for step in scene.steps
    )
    return scene._replace(registers=registers, steps=tuple(steps))


def _widen_register(register: RegisterFigure) -> RegisterFigure:
    return register._replace(cells=tuple(widen_cell(x, with_hex=True) for x in register.cells))


def _draw_whole_line(trace: Trace, row: RowTrace | None) -> StyledLine:
    """Return the cells of a row in one line."""
    cells = build_cells(trace.views[row.key]) if row else ()
    return [piece for cell in cells for piece in draw_cell_pieces(cell)]


def step_of(trace: Trace, stage: Stage) -> Step | None:
    """Return the step of a stage."""
    return next((step for step in trace.steps if step.stage is stage), None)


def draw_row_lines(
    row: RowScene,
    width: int,
    highlights: Highlights,
    level: Level,
    progress: float,
    *,
    is_tight: bool = False,
) -> list[StyledLine]:
    """Return a row's cells and, if the row is open, its figure."""
    figure = row.figure if level >= Level.OPEN else None
    lines = draw_figure(figure, width, len(row.cells), highlights, progress) if figure else []
    if lines and is_complete(figure):
        return lines
    return [*_draw_in_columns(row.cells, width, highlights, is_tight), *lines]


@lru_cache(256)
def _draw_in_columns(
    cells: tuple[Cell, ...], width: int, highlights: Highlights, is_tight: bool
) -> tuple[StyledLine, ...]:
    """Return a row's cells; the lines are the same at every level."""
    return tuple(
        lay_out_cells(
            cells, width, partial(draw_cell_pieces, highlights=highlights), is_tight=is_tight
        )
    )


_needs_tight = lru_cache(256)(needs_tight)


def _separate_value(cell: Cell) -> Cell:
    """Return a cell with one more blank after its bits."""
    bits, *other_spans = cell.spans
    return (
        cell._replace(spans=(bits, CellSpan(" ", SpanKind.TEXT), *other_spans))
        if other_spans
        else cell
    )


def _register_lines(
    register: RegisterFigure, width: int, highlights: Highlights
) -> list[StyledLine]:
    draw_cell = partial(draw_cell_pieces, highlights=highlights)
    if register.is_by_lane:
        return lay_out_cells(register.cells, width, draw_cell)
    parts = [piece for cell in register.cells for piece in draw_cell(cell, False)]
    return wrap_line([*parts, StyledText(f"   {register.meaning}", "dim")], width, 2)


def _without_value(figure: BitRulers, value: str) -> BitRulers:
    """Return a register's figure without the value at the end of the line above."""
    rulers = (x._replace(summary=x.summary.removeprefix(f"{value}: ")) for x in figure.rulers)
    return BitRulers(tuple(rulers))


def _draw_whole_row(
    row: RowScene, level: Level, lines: Sequence[StyledLine], highlights: Highlights
) -> Iterator[tuple[Whole, StyledLine]]:
    """Yield a row without lanes, and its description beyond the bits."""
    if is_complete(row.figure) and level >= Level.OPEN:
        yield Whole(()), []
        yield from ((Whole((line,)), []) for line in lines)
        return
    (cell,) = row.cells
    bits, *other_spans = cell.spans
    units = [
        [
            StyledText(f"{shorten_name(row.name)} ", "label"),
            *draw_cell_pieces(cell._replace(spans=(bits,)), highlights=highlights),
        ]
    ]
    if any(span.kind is not SpanKind.TEXT for span in other_spans):
        other_pieces = draw_cell_pieces(
            cell._replace(spans=tuple(other_spans)), highlights=highlights
        )
        units.append(
            [other_pieces[0]._replace(text=other_pieces[0].text.lstrip()), *other_pieces[1:]]
        )
    yield Whole(tuple(units)), []


def _make_whole(register: RegisterFigure, highlights: Highlights) -> Whole:
    """Return a register without lanes: its name, its bits and their meaning."""
    bits = [
        piece for cell in register.cells for piece in draw_cell_pieces(cell, highlights=highlights)
    ]
    meant = [[StyledText(register.meaning, "dim")]] if register.meaning else []
    return Whole(([StyledText(f"{register.label} ", "label"), *bits], *meant))


def _draw_folded(
    rows: Sequence[RowScene], width: int, highlights: Highlights
) -> tuple[str, StyledLine] | None:
    """Return the rows of a step on one line, or None if it is too long.

    The line says where the bits come from if there is room.
    """
    wide_line = _draw_outcomes(rows, width, highlights, (*OUTCOMES, SpanKind.NAME, SpanKind.AWAY))
    return wide_line or _draw_outcomes(rows, width, highlights, OUTCOMES)


def _draw_outcomes(
    rows: Sequence[RowScene], width: int, highlights: Highlights, kinds: Sequence[SpanKind]
) -> tuple[str, StyledLine] | None:
    """Return the names and the values of a step's rows on one line, or None if it is too long."""
    count = len(rows[0].cells)
    if any(len(row.cells) != count for row in rows):
        return None
    lane_columns = width // count
    names = " ".join(row.name for row in rows)
    is_labelled = count == 1 or len(names) >= LABEL - NUMBER
    cells: list[StyledLine] = []
    for column in range(count):
        line: StyledLine = []
        for row in rows:
            cell = row.cells[column]
            outcome_indices = [index for index, x in enumerate(cell.spans) if x.kind in OUTCOMES]
            if not outcome_indices:
                return None
            spans = [x for x in cell.spans[outcome_indices[-1] :] if x.kind in kinds]
            line += [StyledText("  ")] if line else []
            if is_labelled:
                line.append(StyledText(f"{shorten_name(row.name)} ", "label", cell.place))
            line += draw_cell_pieces(
                cell._replace(spans=tuple(spans)), lane_columns < _WIRED, highlights
            )
        cells.append(line)
    if max(map(measure_line, cells)) > lane_columns - (count > 1):
        return None
    line = [piece for cell in cells for piece in pad_line(cell, lane_columns)]
    return "" if is_labelled else names, line


def _wrap_pieces(pieces_: Sequence[StyledText], width: int) -> list[StyledLine]:
    """Return pieces side by side, in as many lines as they need."""
    lines: list[StyledLine] = [[]]
    for piece in pieces_:
        if lines[-1] and measure_line(lines[-1]) + 1 + len(piece.text) > width:
            lines.append([])
        lines[-1] += [StyledText(" "), piece] if lines[-1] else [piece]
    return lines


def _overlay_marks(line: StyledLine, marks: Mapping[int, StyledText]) -> StyledLine:
    """Return a line with pieces of one character over its blanks."""
    pieces: StyledLine = []
    x = 0
    for piece in line:
        text, drawn_count = piece.text, 0
        for column in range(len(text)):
            if text[column] == " " and (mark := marks.get(x + column)):
                pieces += [piece._replace(text=text[drawn_count:column]), mark]
                drawn_count = column + 1
        pieces.append(piece._replace(text=text[drawn_count:]) if drawn_count else piece)
        x += len(text)
    return [piece for piece in pieces if piece.text]


def _indent_lines(
    label: str, name: str, style_name: str, lines: Sequence[StyledLine]
) -> Iterator[StyledLine]:
    for index, line in enumerate(lines):
        yield labelled(label if index == 0 else "", name if index == 0 else "", style_name, line)


def _name_lines(name: str, lines: Sequence[StyledLine]) -> Iterator[tuple[str, StyledLine]]:
    for index, line in enumerate(lines):
        yield name if index == 0 else "", line


def _make_pinned_piece(piece: StyledText) -> StyledText:
    """Return a piece of the pinned evaluation: it has no target."""
    return StyledText(piece.text, "changed" if piece.text.strip() else "")
