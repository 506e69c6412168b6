"""The base of all screens: styles by name, few paints, messages away from the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from rich.style import Style
from textual.screen import Screen
from textual.widget import Widget

from ...widgets.base.theme_styles import get_theme_styles

Result = TypeVar("Result")

_MAX_MESSAGE_PART = 0.45
"""Maximum part of the height for messages; the focus is in the other half."""


class ThemedScreen(Screen[Result]):
    """A screen that resolves styles for every widget; messages appear opposite to the focus."""

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
    """Show as many messages as there is room for, the latest in any case."""
    for holder in reversed(holders):
        room -= sum(toast.outer_size.height for toast in holder.children)
        is_shown = room >= 0 or holder is holders[-1]
        if holder.display != is_shown:
            holder.display = is_shown
