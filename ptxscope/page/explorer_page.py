"""The explorer as a page: one object that takes actions, and returns what changes on the page.

The page's JavaScript calls ``handle`` for each event and draws what it returns; state and
transitions are those of the explorer.
"""

from __future__ import annotations

import json

from ..documents import export
from ..documents.content.command_words import format_command
from ..documents.theme import Theme
from ..engine.syntax.completions import find_completions
from . import page_view
from .page_actions import (
    MAX_LINE_CHARS,
    PAGE_ACTIONS,
    follow_state,
    open_link,
    perform_action,
    refresh_panel,
)
from .page_picture import PagePicture, draw_picture, drop_style, list_zones
from .page_state import PageState

COPY_FORMATS = ("link", "markdown", "svg", "command", "c")
"""What the page copies as text; a PNG is drawn from the SVG."""

_SILENT_ACTIONS = frozenset({"resize", "refresh", "end_line"})
"""Actions after which a message stays: nobody chose them."""
_TOOL_ACTIONS = frozenset(
    {"tool_text", "lesson_answer", "lesson_hint", "lesson_reveal", "lesson_go", "open_link"}
)
"""Actions after which the open tool may show something else, though its text is the same."""


class ExplorerPage:
    """A page: its state, and what of it has been drawn."""

    def __init__(self, fragment: str = "") -> None:
        self.state = PageState()
        self._seen: dict[str, object] = {}
        """What the page has been sent, by name."""
        self._picture: PagePicture | None = None
        if fragment:
            open_link(self.state, {"fragment": fragment})
            self.state.explorer.session.undo_history.clear()
            follow_state(self.state)
            refresh_panel(self.state, {})

    def handle(self, action: str, arguments: str = "{}") -> str:
        """Perform an action and return, as JSON, what changes on the page.

        Raise KeyError for an unknown action.
        """
        page = self.state
        old_tool = page.tool
        if action not in _SILENT_ACTIONS:
            page.message = ""
        if action != "value":
            page.typed_role = ""
        if action in PAGE_ACTIONS:
            PAGE_ACTIONS[action](page, json.loads(arguments))
        else:
            perform_action(page, action)
        follow_state(page)
        if page.tool != old_tool or action in _TOOL_ACTIONS:
            refresh_panel(page, {})
        return self.format_changes()

    def format_changes(self) -> str:
        """Return, as JSON, what has changed since the last call."""
        view = page_view.make_view(self.state)
        changes = {name: x for name, x in view.items() if self._seen.get(name) != x}
        self._seen |= view
        if {"trace", "options"} & {*changes}:
            self._picture = draw_picture(self.state.shown_trace, self.state.options)
            changes["pictures"] = [drop_style(self._picture.svg)]
        return json.dumps(changes)

    @property
    def svg(self) -> str:
        """The text of the picture, as ``ptxscope trace -f svg`` prints it."""
        assert self._picture
        return self._picture.svg

    def list_zones(self) -> str:
        """Return, as JSON, the places in the pictures that react, and what to say of the step."""
        zones = [list_zones(self._picture)] if self._picture else []
        return json.dumps({"pictures": zones, "spoken": page_view.describe_step(self.state)})

    def list_completions(self, text: str) -> str:
        """Return, as JSON, words that complete a line up to the caret: text, start, meaning."""
        return json.dumps(find_completions(text[:MAX_LINE_CHARS])[:60])

    def format_copy(self, format_: str, theme: str = "auto") -> str:
        """Return what is shown as text in one of ``COPY_FORMATS``."""
        options = self.state.options._replace(theme=Theme(theme))
        if format_ == "link":
            return page_view.make_link(self.state)[0]
        if format_ == "command":
            return format_command(self.state.shown_trace, options._replace(format="svg"))
        return export(self.state.shown_trace, format_, options._replace(compact=False))
