"""The web explorer: one object that takes actions, and returns the changes of its page."""

from __future__ import annotations

import json

from ...documents import FORMATS, export
from ...documents.content.command_words import format_command
from ...documents.theme import Theme
from ...engine.syntax.completions import find_completions
from ...engine.syntax.errors import make_printable
from ...feature import FeatureError, load
from .page_actions import (
    MAX_LINE_CHARS,
    PAGE_ACTIONS,
    Arguments,
    follow_state,
    perform_action,
    perform_in_panel,
    refresh_panel,
)
from .page_picture import PagePicture, drop_style, find_zone, list_zones
from .page_state import PageState
from .page_view import describe_step, describe_undrawn, draw_page, make_link, make_view
from .tool_table import map_panel_actions, map_tools

_COPIES = {
    "link": "Copy the link",
    "markdown": "Markdown",
    "svg": "SVG",
    "png": "PNG",
    "command": "Command line",
    "c": "C",
}
"""The formats that the page copies, with the labels of buttons; a PNG is drawn from the SVG."""
_SILENT_ACTIONS = frozenset({"resize", "refresh", "end_line", "search"})
"""Actions after which a message and the gallery stay."""
_TOOL_ACTIONS = frozenset({"tool_text", "open_link", *map_tools().values()})
"""Actions after which the open tool may have other contents, as after those of its elements."""


class ExplorerPage:
    """A page: its state, and the parts that have been drawn.

    The page's JavaScript calls ``handle`` for each event and draws the answer; state and
    transitions are the explorer's.
    """

    def __init__(self, fragment: str = "") -> None:
        self.state = open_example()
        self._sent_values: dict[str, object] = {}
        """The values that were sent to the page, by name."""
        self._picture: PagePicture | None = None
        if fragment:
            perform_event(self.state, "open_link", {"fragment": fragment})
            self.state.own.session.undo_history.clear()

    def handle(self, action: str, arguments: str = "{}") -> str:
        """Perform an action and return, as JSON, the changes of the page.

        Raise KeyError for an unknown action.
        """
        perform_event(self.state, action, json.loads(arguments))
        return self.format_changes()

    def format_changes(self) -> str:
        """Return, as JSON, the changes since the last call."""
        view = make_view(self.state)
        changes = {name: x for name, x in view.items() if self._sent_values.get(name) != x}
        self._sent_values |= view
        if {"trace", "options", "layout"} & {*changes}:
            self._picture = draw_page(self.state)
            changes["pictures"] = [drop_style(self._picture.svg)]
            changes["#undrawn"] = describe_undrawn(self.state, self._picture)
        return json.dumps(changes)

    @property
    def svg(self) -> str:
        """The text of the picture, as ``ptxscope trace -f svg`` prints it."""
        assert self._picture
        return self._picture.svg

    def list_zones(self) -> str:
        """Return, as JSON, the places in the pictures that react, and sentences on the step."""
        zones = [list_zones(self._picture)] if self._picture else []
        sentences, pointed = describe_step(self.state), self.state.pointed
        pointed = find_zone(self._picture, pointed) if self._picture else pointed
        return json.dumps({"pictures": zones, "spoken": sentences, "pointed": pointed})

    def list_completions(self, text: str) -> str:
        """Return, as JSON, words that complete a line up to the caret: text, start, meaning."""
        return json.dumps(find_completions(text[:MAX_LINE_CHARS])[:60])

    def format_copy(self, format_: str, theme: str = "auto") -> str:
        """Return the contents as text, as one of ``map_copies`` but a PNG."""
        options = self.state.options._replace(theme=Theme(theme))
        if format_ == "link":
            return make_link(self.state)[0]
        if format_ == "command":
            return format_command(self.state.shown_trace, options._replace(format="svg"))
        return export(self.state.shown_trace, format_, options._replace(compact=False))


def open_example() -> PageState:
    """Return the page that opens without an address: the first step of the first instruction."""
    page = PageState()
    page.own.go_to_step(1)
    return page


def perform_event(page: PageState, action: str, arguments: Arguments) -> None:
    """Perform an action of the page, of its open panel or of the explorer's table.

    Raise KeyError for an unknown action.
    """
    old_tool, is_of_panel = page.tool, action in map_panel_actions()
    if action not in _SILENT_ACTIONS:
        page.message, page.verdict, page.is_gallery = "", "", False
    if action != "value":
        page.typed_role = ""
    try:
        if action in PAGE_ACTIONS:
            PAGE_ACTIONS[action](page, arguments)
        elif is_of_panel:
            perform_in_panel(page, load(map_panel_actions()[action]), arguments)
        else:
            perform_action(page, action)
        follow_state(page)
    except FeatureError as error:  # a function that a feature names is missing
        page.message = make_printable(str(error))
    is_panel_old = action in _TOOL_ACTIONS or (is_of_panel and not page.is_panel_stale)
    if page.tool != old_tool or is_panel_old:
        refresh_panel(page, {})


def map_copies() -> dict[str, str]:
    """Return the formats that the page copies, if they exist, with the labels of the buttons."""
    return {
        name: label
        for name, label in _COPIES.items()
        if name in ("link", "command") or name in FORMATS
    }
