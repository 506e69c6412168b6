"""The common frame of dialogs: a title above, key help below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from rich.style import Style
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from ...state.actions import ACTIONS
from ...widgets.base.theme_styles import get_theme_styles

Result = TypeVar("Result")

_MAX_MESSAGE_PART = 0.45
"""Maximum part of the height for messages; the other half has the focus."""


class DismissedOnce(Screen[Result]):
    """A screen that ignores a second dismissal, by a queued key or a double click."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Return a result and close, unless it is closed or covered. Overrides Textual."""
        return super().dismiss(result) if self.is_current else AwaitComplete()


class ThemedScreen(DismissedOnce[Result]):
    """A screen that resolves styles for every widget; messages appear opposite the focus."""

    def get_component_rich_style(
        self, *names: str, partial: bool = False, default: Style | None = None
    ) -> Style:
        """Return a style; ``ink--NAME`` names one of the theme's. Overrides Textual."""
        if names[0].startswith("ink--"):
            return get_theme_styles(self.app).resolve_style(names[0].removeprefix("ink--"))
        return super().get_component_rich_style(*names, partial=partial, default=default)

    def on_mount(self) -> None:
        """Place messages after every layout."""
        self.screen_layout_refresh_signal.subscribe(self, self._place_messages)

    def on_descendant_focus(self) -> None:
        """Place messages for the new focus."""
        self.call_after_refresh(self._place_messages, self)

    def _place_messages(self, screen: Screen[Any]) -> None:
        height, focus = screen.size.height, screen.focused
        is_low = focus is not None and 2 * focus.region.y + focus.region.height > height
        dock, below = ("top", 0) if is_low else ("bottom", 1)
        for rack in screen.query_children("ToastRack"):
            if rack.styles.dock != dock:
                rack.styles.dock = dock
                rack.styles.margin = (0, 0, below, 0)
            _show_latest(rack.children, int(height * _MAX_MESSAGE_PART))


def _show_latest(holders: Sequence[Widget], room: int) -> None:
    """Show as many messages as fit, the latest in any case."""
    for holder in reversed(holders):
        room -= sum(toast.outer_size.height for toast in holder.children)
        is_shown = room >= 0 or holder is holders[-1]
        if holder.display != is_shown:
            holder.display = is_shown


class DialogFrame(Vertical):
    """A framed part of the screen, as high as its contents, or the whole screen."""

    DEFAULT_CSS = """
    DialogFrame {
        background: $surface; border: round $focus; padding: 0 1;
        border-title-color: $focus; border-title-style: bold;
        border-subtitle-color: $quiet;
        width: 100%; max-width: 120; height: auto; max-height: 94%;
        &.-whole { width: 100%; max-width: 100%; height: 100%; max-height: 100%; }
    }
    """

    def __init__(self, title: str, keys: str, *, is_whole: bool = False) -> None:
        super().__init__(classes="-whole" if is_whole else "")
        self.border_title, self.border_subtitle = title, keys


class AnswerScreen(ThemedScreen[Result]):
    """A screen over the explorer, which the user answers or closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        *(
            Binding(x.keys, f"app.{x.format_call()}", x.label, show=False, id=x.id)
            for x in ACTIONS.values()
            if x.is_everywhere
        ),
    ]

    def close_with(self, result: Result | None) -> None:
        """Return a result and close."""
        self.dismiss(result)

    def copy(self, text: str, name: str) -> None:
        """Copy a text, and show its name."""
        self.app.copy_to_clipboard(text)
        self.notify(name, title="Copied", markup=False)

    def action_leave(self) -> None:
        """Close without a result."""
        self.close_with(None)


class ThemedModal(ModalScreen[Result], AnswerScreen[Result]):
    """A modal screen above the visible screen below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "app.suspend_process", "suspend", show=False, id="suspend")
    ]


class Dialog(ThemedModal[Result]):
    """A frame in the middle of the screen, which the user answers or closes."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    """
