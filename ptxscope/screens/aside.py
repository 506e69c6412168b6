"""Messages appear where nothing is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from textual.screen import Screen

_MOST = "45%"
"""Height of all messages together: less than half, so what has the focus is in the other."""


class MessagesAside:
    """A screen that shows messages at its other end than what has the focus."""

    def on_descendant_focus(self) -> None:
        """Move them when it has been laid out."""
        cast("Screen[Any]", self).call_after_refresh(self._place_messages)

    def on_resize(self) -> None:
        """What has the focus may stand elsewhere now."""
        cast("Screen[Any]", self).call_after_refresh(self._place_messages)

    def _place_messages(self) -> None:
        screen = cast("Screen[Any]", self)
        focus = screen.focused
        is_low = focus is not None and 2 * focus.region.y + focus.region.height > screen.size.height
        for rack in screen.query("ToastRack"):
            rack.styles.max_height = _MOST
            rack.styles.dock = "top" if is_low else "bottom"
            rack.styles.margin = (0, 0, 0, 0) if is_low else (0, 0, 1, 0)
