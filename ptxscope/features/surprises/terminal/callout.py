"""The callout beside the cell under the cursor: the event there, and changes that would avoid it.

On a wide screen it stands at the right of its cell, or at the left, and covers other lanes; else it
stands below the row, or above.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Offset, Region
from textual.widgets import Static

from ....feature import Service, find_services
from ....scene.scene_model import Place
from ....screens.main.action_runner import ActionRunner
from ....screens.screen_part import ScreenPart
from ....state.explorer_state import ExplorerState
from ....widgets.base.pane import Pane, StyledLine, StyledText, measure_line
from ....widgets.lanes.lanes_pane import LanesPane
from ..surprises import Surprise, format_name, list_counterfactuals, list_surprises

_COLUMNS = 64
_COLUMNS_BESIDE = 36
_MIN_COLUMNS = 30
"""Columns of text from which there is a callout: the row of hints has the sentence in any case."""
_WIDE = 110
"""Columns of the screen from which the callout stands beside its cell."""
_FRAME = 4
"""Columns of the border and the padding."""
_MARGIN = 3
_GAP = 3
"""Blanks between two values."""
_JOINT_COLUMNS = 2
"""Columns of the line between the callout and its cell, if there are as many blanks."""


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
        self.call_after_refresh(self._follow_layout)  # the lanes are redrawn first

    def show(self, title: str, lines: list[StyledLine]) -> None:
        """Show other lines."""
        self._lines = lines
        self.set_title(title)
        self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines."""
        return self._lines


class Joint(Static, can_focus=False):
    """The line that joins a callout to its cell."""

    DEFAULT_CSS = """
    Joint {
        overlay: screen; display: none; width: auto; height: 1; color: $border-blurred;
        &.-open { display: block; }
    }
    """

    def show(self, x: int, y: int, columns: int) -> None:
        """Show a line of some columns at a place of the screen."""
        self.update(Content("─" * columns))
        self.absolute_offset = Offset(x, y)


class Spot(NamedTuple):
    """A place for a callout."""

    x: int
    width: int
    """The columns of its text."""
    joint: tuple[int, int] | None = None
    """The column of the line to its cell, and its columns; None if it stands below or above."""


class CalloutController(ScreenPart):
    """Shows a callout while the cursor of the lanes is on a surprise.

    The lanes report their cursor after each edit and step, when they are drawn.
    """

    def __init__(self, runner: ActionRunner) -> None:
        self._runner = runner
        self._callout = Callout(runner.view.lanes, self._follow_layout)
        self._joint = Joint()
        self._has_joint = False
        self._layout: object = None
        """The place of the cell, and the size of the screen, for which the callout is shown."""
        runner.view.screen.mount(self._callout, self._joint)

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
        self._joint.set_class(has_room and self._has_joint, "-open")

    def _show(self, surprise: Surprise, number: str) -> bool:
        """Show a surprise beside, below or above its cell; return whether there is room."""
        lanes = self._runner.view.lanes
        cell = lanes.locate_cursor()
        if cell is None:
            return False
        name = format_name(self._state.trace, surprise.place)
        for spot in self._iter_spots(cell, surprise):
            if spot.width < _MIN_COLUMNS:
                continue
            lines = [*_draw(self._state, surprise, spot.width, is_computed=lanes.is_on_computed)]
            y = self._find_top(cell, spot, surprise, len(lines) + 2)
            if y is None:
                continue
            title = f"{name}, {surprise.kind} · {number}"
            if len(title) > spot.width:  # its row has the name of the step
                title = title.removeprefix(f"{name.partition(', ')[0]}, ")
            self._has_joint = spot.joint is not None and spot.joint[1] > 0
            self._callout.show(title, lines)
            self._callout.styles.width = spot.width + _FRAME
            self._callout.absolute_offset = Offset(spot.x, y)
            if spot.joint is not None:
                x, columns = spot.joint
                self._joint.show(x, cell.y, columns)
            return True
        return False

    def _iter_spots(self, cell: Offset, surprise: Surprise) -> Iterator[Spot]:
        """Yield the places for a callout, the best first."""
        screen, lanes = self._runner.view.screen, self._runner.view.lanes
        region = lanes.content_region
        if screen.size.width >= _WIDE:
            starts = self._list_starts(cell, surprise.place)
            right = next((x for x in starts if x > cell.x), self._find_text_end(cell) + _GAP)
            width = min(_COLUMNS_BESIDE, lanes.region.right - right - _FRAME)
            blanks = self._count_blanks(Offset(right, cell.y))
            yield Spot(right, width, (right - blanks, blanks))
            left = cell.x - _JOINT_COLUMNS
            width = min(_COLUMNS_BESIDE, left - region.x - _FRAME)
            yield Spot(left - width - _FRAME, width, (left, _JOINT_COLUMNS))
        width = min(_COLUMNS, screen.size.width - 2 * _MARGIN)
        yield Spot(min(max(cell.x - 4, 0), screen.size.width - width - _FRAME), width)

    def _find_top(self, cell: Offset, spot: Spot, surprise: Surprise, height: int) -> int | None:
        """Return the row of the callout's upper edge; None if there is no room."""
        if spot.joint is None:
            is_below = cell.y + 1 + height < self._runner.view.screen.size.height - 1
            if not is_below and cell.y < height:
                return None
            return cell.y + 1 if is_below else cell.y - height
        region = self._runner.view.lanes.content_region
        y = min(cell.y, region.bottom - height)
        box = Region(spot.x, y, spot.width + _FRAME, height)
        has_room = y >= region.y and not self._covers_lane(box, surprise.place)
        return y if has_room else None

    # --- the lanes around the cell ---------------------------------------------------------

    def _iter_cells(self) -> Iterator[tuple[Offset, str, object]]:
        """Yield each piece of the lanes: its place on the screen, its text and its target."""
        lanes = self._runner.view.lanes
        origin = lanes.content_region.offset - lanes.scroll_offset
        for offset, piece in lanes.iter_pieces():
            yield origin + offset, piece.text, piece.target

    def _list_starts(self, cell: Offset, place: Place) -> list[int]:
        """Return the columns at which the lanes of the cell's row begin, from left to right."""
        starts: dict[int, int] = {}
        for offset, _, target in self._iter_cells():
            if offset.y == cell.y and isinstance(target, Place) and target.key == place.key:
                starts.setdefault(target.lane, offset.x)
        return sorted(starts.values())

    def _count_blanks(self, place: Offset) -> int:
        """Return the number of blanks before a place that a joint can take."""
        lines = self._runner.view.lanes.visible_lines
        origin = self._runner.view.lanes.content_region.offset
        x, y = place - origin + self._runner.view.lanes.scroll_offset
        before = "".join(text for text, *_ in lines[y]).ljust(x)[:x]
        return min(len(before) - len(before.rstrip()), _JOINT_COLUMNS)

    def _find_text_end(self, cell: Offset) -> int:
        """Return the column after the text of the cell's row and of all rows below."""
        ends = (
            offset.x + len(text.rstrip())
            for offset, text, _ in self._iter_cells()
            if offset.y >= cell.y and text.strip()
        )
        return max(ends, default=cell.x)

    def _covers_lane(self, box: Region, place: Place) -> bool:
        """Whether a box covers the lane of a place, in a row that has as many lanes."""
        rows = self._state.trace.rows
        count = len(rows[place.key].values)
        return any(
            target.lane == place.lane
            and len(rows[target.key].values) == count
            and box.overlaps(Region(*offset, cell_len(text), 1))
            for offset, text, target in self._iter_cells()
            if isinstance(target, Place) and target.key in rows
        )


def _draw(
    state: ExplorerState, surprise: Surprise, width: int, *, is_computed: bool
) -> Iterator[StyledLine]:
    for text in textwrap.wrap(surprise.sentence, width, break_on_hyphens=False):
        yield [StyledText(text)]
    line: StyledLine = []
    answers = [surprise.other_answer] if surprise.other_answer else []
    for x in (*answers, *list_counterfactuals(state.setup, surprise.place)):
        pieces = [
            StyledText(f"{x.label}: ", "quiet"),
            StyledText(f"{x.value}{'':{_GAP}}", "strong"),
        ]
        if line and measure_line([*line, *pieces]) - _GAP > width:
            yield line
            line = []
        line += pieces
    if line:
        yield line
    keys = "w next · W previous"
    if is_computed and surprise.errata and find_services(Service.OPEN_REFERENCE):
        keys = f"Enter: the page of {surprise.errata[0]} · {keys}"
    elif is_computed and find_services(Service.ASK_COMPUTED_VALUE):
        keys = f"Enter: another result, solved for operands · {keys}"
    for part in [keys] if len(keys) <= width else keys.split(" · ", 1):
        for text in textwrap.wrap(part, width):
            yield [StyledText(text, "quiet")]
