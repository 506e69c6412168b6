"""The callout beside the cell under the cursor: what happened there, and what would change it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from textual.geometry import Offset

from ....feature import Service, find_services
from ....screens.main.action_runner import ActionRunner
from ....screens.main.screen_part import ScreenPart
from ....state.explorer_state import ExplorerState
from ....widgets.base.pane import Pane, StyledLine, StyledText, measure_line
from ....widgets.lanes.lanes_pane import LanesPane
from ..surprises import Surprise, format_name, list_counterfactuals, list_surprises

_COLUMNS = 64
_MIN_COLUMNS = 30
"""Columns of text from which on there is a callout: the row of hints has the sentence anyway."""
_MARGIN = 3
_GAP = 3
"""Blanks between two values."""


class Callout(Pane, can_focus=False):
    """A box over the lanes; the cell that it is about is above or below it."""

    DEFAULT_CSS = """
    Callout {
        overlay: screen; constrain: inside inside; display: none; height: auto;
        border: round $border-blurred; border-title-color: $surprise; padding: 0 1;
        background: $surface; overflow: hidden;
        &.-open { display: block; }
    }
    """

    def __init__(self, lanes: LanesPane, follow_layout: Callable[[], None]) -> None:
        super().__init__("callout", "")
        self._lanes, self._follow_layout = lanes, follow_layout
        self._lines: list[StyledLine] = []

    def on_mount(self) -> None:
        """Follow the cell when the screen gets another size, or the lanes scroll."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._handle_layout)
        self.watch(self._lanes, "scroll_y", self._handle_layout, init=False)

    def _handle_layout(self, _: object) -> None:
        self.call_after_refresh(self._follow_layout)  # the lanes are drawn anew first

    def show(self, title: str, lines: list[StyledLine]) -> None:
        """Show other lines."""
        self._lines = lines
        self.set_title(title)
        self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines."""
        return self._lines


class CalloutController(ScreenPart):
    """Shows a callout while the cursor of the lanes is on a surprise.

    The lanes report their cursor after each edit and step, when they are drawn.
    """

    def __init__(self, runner: ActionRunner) -> None:
        self._runner = runner
        self._callout = Callout(runner.view.lanes, self._follow_layout)
        self._layout: object = None
        """The place of the cell, and the size of the screen, for which the callout is shown."""
        runner.view.screen.mount(self._callout)

    def _follow_layout(self) -> None:
        if self._find_layout() != self._layout:
            self.follow_cursor()

    def _find_layout(self) -> object:
        view = self._runner.view
        return view.screen.size, view.lanes.locate_cursor()

    @property
    def _state(self) -> ExplorerState:
        return self._runner.state

    def follow_cursor(self) -> None:
        """Show or hide the callout for the cell under the cursor."""
        self._layout = self._find_layout()
        lanes, state = self._runner.view.lanes, self._state
        surprise, index, count = None, 0, 0
        if lanes.place is not None and lanes.has_focus and not state.is_predicting:
            surprises = list_surprises(state.trace, state.session.deviation)
            count = len(surprises)
            matches = ((x, y) for x, y in enumerate(surprises, 1) if y.place == lanes.place)
            index, surprise = next(matches, (0, None))
        has_room = surprise is not None and self._show(surprise, f"{index} of {count}")
        self._callout.set_class(has_room, "-open")

    def _show(self, surprise: Surprise, number: str) -> bool:
        """Show a surprise below its cell or above it; return whether there is room."""
        screen, lanes = self._runner.view.screen, self._runner.view.lanes
        width = min(_COLUMNS, screen.size.width - 2 * _MARGIN)
        cell = lanes.locate_cursor()
        if cell is None or width < _MIN_COLUMNS:
            return False
        name = format_name(self._state.trace, surprise.place)
        lines = [*_draw(self._state, surprise, width, is_computed=lanes.is_on_computed)]
        height = len(lines) + 2
        is_below = cell.y + 1 + height < screen.size.height - 1
        if not is_below and cell.y < height:
            return False
        self._callout.show(f"{name}, {surprise.kind} · {number}", lines)
        self._callout.styles.width = width + 4
        x = min(max(cell.x - 4, 0), screen.size.width - width - 4)
        self._callout.absolute_offset = Offset(x, cell.y + 1 if is_below else cell.y - height)
        return True


def _draw(
    state: ExplorerState, surprise: Surprise, width: int, *, is_computed: bool
) -> Iterator[StyledLine]:
    for text in textwrap.wrap(surprise.sentence, width, break_on_hyphens=False):
        yield [StyledText(text)]
    line: StyledLine = []
    for x in list_counterfactuals(state.setup, surprise.place):
        pieces = [StyledText(f"{x.label} ", "quiet"), StyledText(f"{x.value}{'':{_GAP}}", "strong")]
        if line and measure_line([*line, *pieces]) - _GAP > width:
            yield line
            line = []
        line += pieces
    if line:
        yield line
    keys = "w next · W previous"
    if is_computed and find_services(Service.ASK_COMPUTED_VALUE):
        keys = f"Enter: another result, solved for operands · {keys}"
    for text in textwrap.wrap(keys, width):
        yield [StyledText(text, "quiet")]


def follow_cursor(runner: ActionRunner) -> None:
    """Follow the cursor of the lanes."""
    runner.get_part(CalloutController).follow_cursor()
