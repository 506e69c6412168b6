"""The sweep of the focused lane, in the column of a wide screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from ....engine.cancellation import IsStopped, never
from ....engine.syntax.errors import make_printable
from ....engine.tracing.trace import Trace
from ....scene.scene_model import Place
from ....screens.main.action_runner import ActionRunner
from ....screens.main.column_pane import PANE_WIDTH, ColumnPane
from ....widgets.base.explorer_app import get_explorer_app
from ....widgets.base.pane import StyledLine, wrap_sentence
from ..register_parts import RegisterPart, choose_focused_parts

if TYPE_CHECKING:
    from ..computation import Sweep

_MAX_SENTENCES = 3
_MIN_HEIGHT, _MAX_HEIGHT = 8, 16
"""Lines of the plot."""
_WHOLE_BITS = 16
"""Width up to which every value of a part is computed."""
_AXIS_VALUES = 256
"""Values of an axis without results."""


class FocusedSweep(NamedTuple):
    """A part of an operand and the part of the result that it becomes."""

    trace: Trace
    x: RegisterPart
    result_part: RegisterPart

    @property
    def title(self) -> str:
        """The title: the part of the result, and the values of the operand."""
        extent = "all" if self.x.unit <= _WHOLE_BITS else "the range"  # of which samples are drawn
        return make_printable(f"{self.result_part.label} over {extent} of {self.x.label}")

    def draw(
        self,
        width: int,
        height: int,
        *,
        is_result_hidden: bool = False,
        has_unicode: bool = True,
        is_stopped: IsStopped = never,
    ) -> list[StyledLine]:
        """Return the plot and sentences on the present operands; without results, the axis."""
        from ..axis import make_axis
        from ..computation import compute_sweep
        from ..register_parts import with_read_order
        from ..terminal_plot import PlotSize, draw_axis_lines, draw_plot_lines
        from .sweep_pane import style_line

        trace, size = self.trace, PlotSize(width, height, has_unicode)
        operands, block = trace.operands, trace.block
        if is_result_hidden:
            part = with_read_order(block, self.x, self.result_part)
            axis = make_axis(part, _AXIS_VALUES, operands)
            index = axis.find_index(part.extract(operands[part.role]))
            lines = draw_axis_lines(axis, index, self.result_part, size)
            return [style_line(x, is_shaded=False) for x in lines]
        sweep = compute_sweep(
            block, operands, self.x, result_part=self.result_part, model=trace.model
        )
        if is_stopped():
            return []
        plot = [style_line(x, is_shaded=False) for x in draw_plot_lines(sweep, size)]
        return plot if is_stopped() else [*plot, *_draw_words(sweep, width)]


def _draw_words(sweep: Sweep, width: int) -> list[StyledLine]:
    """Return the key, the present point, and the ranges if they are few and not sampled."""
    from ..axis import describe_sampling
    from ..sweep_text import iter_key_sentences
    from ..sweep_words import describe_point, iter_line_sentences

    sentences = [(x, "quiet") for x in iter_key_sentences(sweep)]
    if point := describe_point(sweep):
        sentences.append((f"● {point}", "strong"))
    if sampling := describe_sampling(sweep.x):
        sentences.append((f"Drawn: {sampling}.", "quiet"))
    elif len(ranges := [*iter_line_sentences(sweep)]) <= _MAX_SENTENCES:
        sentences += [(x, "quiet") for x in ranges]
    return [
        line
        for text, style in sentences
        for line in wrap_sentence(make_printable(text), width, style)
    ]


def find_focused_sweep(trace: Trace, place: Place | None) -> FocusedSweep | None:
    """Return the sweep of the lane under the cursor, or of the first one; None if it has none."""
    key, lane = ("", None) if place is None else (place.key, place.lane)
    row = trace.rows.get(key)
    if row is not None and len(row.values) == 1:
        lane = None
    parts = choose_focused_parts(trace.block, key, lane)
    return None if parts is None else FocusedSweep(trace, *parts)


class SweepColumnPane(ColumnPane):
    """The sweep of the focused lane, computed in a thread, once for each trace and lane."""

    def __init__(self, runner: ActionRunner) -> None:
        super().__init__(runner, "column-sweep", "Sweep")
        self._trace: Trace | None = None
        self._lines_by_sweep: dict[object, list[StyledLine]] = {}
        """The lines of each part of the trace, height and mode."""

    async def find_lines(self) -> list[StyledLine]:
        """Return the plot, unless the user predicts: its operands may be the answer."""
        state, view = self.state, self.view
        if state.is_predicting:
            return []
        sweep = find_focused_sweep(state.trace, view.lanes.place)
        if sweep is None:
            return []
        if self._trace is not sweep.trace:
            self._trace, self._lines_by_sweep = sweep.trace, {}
        height = min(max(view.center.size.height // 3, _MIN_HEIGHT), _MAX_HEIGHT)
        key = sweep[1:], height, state.is_result_hidden
        if key not in self._lines_by_sweep:
            lines = await asyncio.to_thread(
                sweep.draw,
                PANE_WIDTH,
                height,
                is_result_hidden=state.is_result_hidden,
                has_unicode=not get_explorer_app(self).is_ascii,
                is_stopped=lambda: self.is_outdated,
            )
            if self.is_outdated:
                return []
            self._lines_by_sweep[key] = lines
        self.set_title(f"Sweep · {sweep.title}")
        return self._lines_by_sweep[key]
