"""The callout beside the cell under the cursor: what happened there, and what would change it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from textual.geometry import Offset

from ....feature import Service, find_services
from ....screens.main.action_runner import ActionRunner
from ....screens.main.screen_part import ScreenPart
from ....state.explorer_state import ExplorerState
from ....widgets.base.pane import Pane, StyledLine, StyledText
from ..surprises import (
    Surprise,
    format_name,
    list_counterfactuals,
    list_surprises,
)

_COLUMNS = 64
_MARGIN = 3


class Callout(Pane, can_focus=False):
    """A box over the lanes; the cell that it is about is above or below it."""

    DEFAULT_CSS = """
    Callout {
        overlay: screen; constrain: inside inside; display: none; height: auto;
        border: round $border-blurred; border-title-color: $text-accent; padding: 0 1;
        background: $surface; overflow: hidden;
        &.-open { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__("callout", "")
        self._lines: list[StyledLine] = []

    def show(self, title: str, lines: list[StyledLine]) -> None:
        """Show other lines."""
        self._lines = lines
        self.set_title(title)
        self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines."""
        return self._lines


class CalloutController(ScreenPart):
    """Shows a callout while the cursor of the lanes is on a surprise."""

    def __init__(self, runner: ActionRunner) -> None:
        self._runner = runner
        self._callout = Callout()
        runner.view.screen.mount(self._callout)

    @property
    def _state(self) -> ExplorerState:
        return self._runner.state

    def follow_edit(self) -> None:
        """Follow other values."""
        self.follow_cursor()

    def follow_step(self) -> None:
        """Follow another step."""
        self.follow_cursor()

    def follow_cursor(self) -> None:
        """Show or hide the callout for the cell under the cursor."""
        lanes, state = self._runner.view.lanes, self._state
        surprise, index, count = None, 0, 0
        if lanes.place is not None and lanes.has_focus and not state.is_predicting:
            surprises = list_surprises(state.trace, state.session.deviation)
            count = len(surprises)
            found = ((x, y) for x, y in enumerate(surprises, 1) if y.place == lanes.place)
            index, surprise = next(found, (0, None))
        self._callout.set_class(surprise is not None, "-open")
        if surprise is not None:
            self._show(surprise, f"{index} of {count}")

    def _show(self, surprise: Surprise, number: str) -> None:
        screen, lanes = self._runner.view.screen, self._runner.view.lanes
        width = min(_COLUMNS, screen.size.width - 2 * _MARGIN)
        name = format_name(self._state.trace, surprise.place)
        lines = [*_draw(self._state, surprise, width, is_computed=lanes.is_on_computed)]
        self._callout.show(f"{name}, {surprise.kind} · {number}", lines)
        self._callout.styles.width = width + 4
        cell = lanes.locate_cursor()
        if cell is None:
            self._callout.remove_class("-open")
            return
        height = len(lines) + 2
        x = min(max(cell.x - 4, 0), screen.size.width - width - 4)
        y = cell.y + 1 if cell.y + 1 + height < screen.size.height - 1 else cell.y - height
        self._callout.absolute_offset = Offset(x, max(y, 0))


def _draw(
    state: ExplorerState, surprise: Surprise, width: int, *, is_computed: bool
) -> Iterator[StyledLine]:
    for line in textwrap.wrap(surprise.sentence, width, break_on_hyphens=False):
        yield [StyledText(line)]
    counterfactuals = list_counterfactuals(state.setup, surprise.place)
    if counterfactuals:
        pieces: StyledLine = []
        for x in counterfactuals:
            pieces += [StyledText(f"{x.label} ", "dim"), StyledText(f"{x.value}   ", "value")]
        yield pieces
    keys = "w next · W previous"
    if is_computed and find_services(Service.ASK_COMPUTED_VALUE):
        keys = f"Enter: another result, solved for operands · {keys}"
    yield [StyledText(keys[:width], "dim")]


def follow_cursor(runner: ActionRunner) -> None:
    """Follow the cursor of the lanes."""
    runner.get_part(CalloutController).follow_cursor()
