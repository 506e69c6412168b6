"""A pane of lines, drawn by the line API: the base of the explorer's panes.

A pane shows a list of lines, each a list of pieces. A piece is text in named styles; it may have a
target for clicks and the cursor. Text is never markup.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ...feature import Service, find_services
from ...state.requests import Transition
from .explorer_app import Do, Hint, get_explorer_app
from .theme_styles import get_theme_styles


class StyledText(NamedTuple):
    """Text in one style."""

    text: str
    style_name: str = ""
    """A name from ``theme_styles.INKS``, or several separated by blanks."""
    target: object = None
    """The target of a click on it."""


StyledLine = list[StyledText]


def measure_line(line: Sequence[StyledText]) -> int:
    """Return the columns of pieces."""
    return sum(len(piece.text) for piece in line)


def pad_line(line: Sequence[StyledText], width: int) -> StyledLine:
    """Pad a line with blanks to a width."""
    return [*line, StyledText(" " * max(width - measure_line(line), 0))]


def wrap_sentence(text: str, width: int, style_name: str = "") -> list[StyledLine]:
    """Return a sentence wrapped into lines."""
    if 0 < len(text) <= width:
        return [[StyledText(text, style_name)]]
    lines = textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
    return [[StyledText(line, style_name)] for line in lines]


class _VisibleRegion(NamedTuple):
    """The visible region of a pane, found once per paint by a walk up the whole tree."""

    lines: list[StyledLine]
    scroll_x: int
    top: int
    selection: Selection | None


GOES_ON = ("‹", "›")
"""Signs at the edges of a line that continues."""
_NO_WIDTH = 80
"""Columns before the width is known."""
_RIGHT_BUTTON = 3
"""The right button of a mouse."""


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines of pieces under a titled rule. Subclasses provide the lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Scroll up", show=False),
        Binding("down", "scroll_down", "Scroll down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
    ]

    DEFAULT_CSS = """
    Pane {
        border-top: solid $border-blurred;
        border-title-color: $quiet;
        border-title-style: bold;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-color: $border-blurred;
        scrollbar-background: $background;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        &:focus {
            border-top: heavy $focus;
            border-title-color: $focus;
        }
    }
    """

    def __init__(self, id: str, title: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = title
        self._cached_lines: list[StyledLine] | None = None
        self._cached_width = 0
        self._visible_region: _VisibleRegion | None = None
        """The visible region during a paint."""
        self._base = Style()
        """The style below all others at the last paint."""
        self._inks: dict[str, Style] = {}

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines for a width in columns."""
        raise NotImplementedError

    @property
    def visible_lines(self) -> list[StyledLine]:
        """The lines as drawn on the screen."""
        lines = self._draw_in_width(self.scrollable_content_region.width or _NO_WIDTH)
        old_size, size = self.virtual_size, Size(self.size.width, len(lines))
        if size != old_size:
            if (
                size.width == old_size.width
                and max(size.height, old_size.height) <= self.size.height
            ):
                self.set_reactive(
                    ScrollView.virtual_size, size
                )  # all lines fit, so they do not move
            else:
                self.virtual_size = size
        if self.show_vertical_scrollbar:  # the layout may have no reason to redraw it
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.position = self.scroll_y  # it may be new since the scrolling
        return lines

    def _draw_in_width(self, width: int) -> list[StyledLine]:
        if self._cached_lines is None or width != self._cached_width:  # a scrollbar takes a column
            self._cached_lines, self._cached_width = self.draw(width), width
        return self._cached_lines

    def redraw_lines(self) -> None:
        """Redraw the lines, and repeat the layout if the pane's height depends on them."""
        old_lines, known_for, self._cached_lines = (
            self._cached_lines or [],
            self._cached_width,
            None,
        )
        if not (self.is_mounted and self.size):
            self.refresh(layout=self.is_mounted and self.styles.auto_dimensions)
            return
        lines = self.visible_lines
        grown = len(lines) != len(old_lines) and self.styles.auto_dimensions
        if self._cached_width != known_for:
            self.refresh(layout=grown)
            return
        # Unchanged lines are not rendered again.
        top = self.scroll_offset.y
        visible_rows = slice(top, top + self.size.height)
        line_pairs = enumerate(zip_longest(old_lines[visible_rows], lines[visible_rows]))
        regions = [
            self._get_row_region(y)
            for y, (old_line, new_line) in line_pairs
            if old_line != new_line
        ]
        if regions or grown:
            self.refresh(*regions, layout=grown)

    def set_title(self, title: str) -> None:
        """Set the title, which is never markup; only the title is rendered again."""
        if (content := Content(title)) != self._border_title:
            self._border_title = content
            self.refresh(self._get_row_region(-self.gutter.top))

    def _get_row_region(self, y: int) -> Region:
        """Return a row of the pane from edge to edge, where no line needs clipping."""
        return Region(-self.gutter.left, y, self.outer_size.width, 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the count of lines. Overrides Textual's layout."""
        return len(self._draw_in_width(width or _NO_WIDTH))

    def show_line(self, y: int, *, context: int = 0) -> None:
        """Scroll until a line and its context are visible."""
        region = Region(0, max(y - context, 0), 1, 1 + 2 * context)
        self.scroll_to_region(region, animate=False, force=True)

    def show_target(self, target: object, *, context: int = 0) -> None:
        """Scroll until the lines of a target are visible, the first with its context."""
        lines = enumerate(self.visible_lines)
        rows = [y for y, line in lines if any(piece.target == target for piece in line)]
        for y in reversed(rows):
            self.show_line(y, context=context)

    def iter_pieces(self) -> Iterator[tuple[Offset, StyledText]]:
        """Yield each drawn piece with its column and its line."""
        for y, line in enumerate(self.visible_lines):
            x = 0
            for piece in line:
                yield Offset(x, y), piece
                x += cell_len(piece.text)

    def find_target(self, x: int, y: int) -> object:
        """Return the target at a position of the visible pane, borders and padding included."""
        x, line = self._find_line(x, y)
        for piece in line:
            x -= cell_len(piece.text)
            if x < 0:
                return piece.target
        return None

    def _find_line(self, x: int, y: int) -> tuple[int, StyledLine]:
        """Return the column and the line at a position; the line may be empty."""
        y += self.scroll_offset.y - self.gutter.top
        x += self.scroll_offset.x - self.gutter.left
        is_line = 0 <= y < len(self.visible_lines) and x >= 0
        return x, self.visible_lines[y] if is_line else []

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.redraw_lines()

    def notify_style_update(self) -> None:
        """Forget the styles of the old theme."""
        self._inks = {}
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the visible lines. Part of the line API."""
        self._visible_region = self._measure_visible_region()
        try:
            return super().render_lines(crop)
        finally:
            self._visible_region = None

    def render_line(self, y: int) -> Strip:
        """Return one visible line; for mouse selections, with the position of every character.

        Part of the line API.
        """
        if self._visible_region is not None:
            return self._make_strip(y, self._visible_region)
        region, width = self._measure_visible_region(), self.scrollable_content_region.width
        strip = self._make_strip(y, region).crop_extend(0, width, self._base)
        return strip.apply_offsets(region.scroll_x, region.top + y)

    def _measure_visible_region(self) -> _VisibleRegion:
        base = self.rich_style
        if base != self._base:
            self._base, self._inks = base, {}
        left, top = self.scroll_offset
        # A removed pane is still painted until its screen's next layout.
        selection = None if self.parent is None else self.text_selection
        return _VisibleRegion(self.visible_lines, left, top, selection)

    def _make_strip(self, y: int, region: _VisibleRegion) -> Strip:
        """Return a visible line; adjacent pieces of one style are one segment."""
        y += region.top
        if y >= len(region.lines):
            return Strip([], 0)
        segments: list[Segment] = []
        text, style = "", self._base
        for part, style_name, _ in region.lines[y]:
            if (own_style := self._resolve_style(style_name)) is not style:
                segments.append(Segment(text, style))
                text, style = "", own_style
            text += part
        segments.append(Segment(text, style))
        strip = Strip(filter(None, segments))
        if region.selection is not None and (span := region.selection.get_span(y)) is not None:
            strip = self._mark_selection(strip, span)
        end = region.scroll_x + self.scrollable_content_region.width
        if strip.cell_length > end and cell_len(strip.text.rstrip()) > end:
            mark = Segment(GOES_ON[1], self._resolve_style("quiet"))
            strip = Strip([*strip.crop(0, max(end - 1, 0)), mark])
        return strip.crop(region.scroll_x)

    def _resolve_style(self, names: str) -> Style:
        style = self._inks.get(names)
        if style is None:
            style = self._inks[names] = self._base + get_theme_styles(self.app).resolve_style(names)
        return style

    def _mark_selection(self, strip: Strip, span: tuple[int, int]) -> Strip:
        start, end = span
        end = strip.cell_length if end == -1 else min(end, strip.cell_length)
        if start >= end:
            return strip
        style = self.screen.get_component_rich_style("screen--selection")
        selected_strip = strip.crop(start, end).apply_style(style)
        return Strip.join([strip.crop(0, start), selected_strip, strip.crop(end)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text of a mouse selection."""
        text = "\n".join(
            "".join(piece.text for piece in line).rstrip() for line in self.visible_lines
        )
        return selection.extract(text), "\n"

    def read_text(self) -> str:
        """Return all of the pane's lines as plain text."""
        lines = [tuple(piece.text for piece in line) for line in self.visible_lines]
        if get_explorer_app(self).is_ascii:
            from .ascii_glyphs import convert_to_ascii

            lines = list(map(convert_to_ascii, lines))
        return "\n".join("".join(line).rstrip() for line in lines)

    async def on_click(self, event: events.Click) -> None:
        """Pass the clicked target to the subclass; without one, open the word's reference."""
        target = self.find_target(event.x, event.y)
        if target is not None:
            if event.button == _RIGHT_BUTTON:
                self.handle_right_click(target)
            else:
                self.handle_click(target)
        elif self.text_selection is None:
            x, line = self._find_line(event.x, event.y)
            text = "".join(piece.text for piece in line)
            word = text[:x].rpartition(" ")[2] + text[x:].partition(" ")[0]
            for open_reference in find_services(Service.OPEN_REFERENCE):
                await get_explorer_app(self).perform(open_reference, word)

    def handle_click(self, target: object) -> None:
        """Handle a click on a piece with a target."""

    def do(self, run: Transition, *arguments: object, **named: object) -> None:
        """Post a request to run a transition of the state with arguments."""
        self.post_message(Do(self, run, *arguments, **named))

    def post_hint(self, text: str) -> None:
        """Post a hint; an empty one withdraws the last."""
        self.post_message(Hint(self, text))

    def handle_right_click(self, target: object) -> None:
        """Handle a click of the right button on a piece with a target."""


class CursorPane(Pane):
    """A pane with a cursor that is visible while it has the focus."""

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show or hide the cursor: ``on_focus`` comes before ``has_focus``. Overrides Textual."""
        super().watch_has_focus(_has_focus)
        self.redraw_lines()
