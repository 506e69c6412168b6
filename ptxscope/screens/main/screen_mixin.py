"""The base of the main screen's mixins."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .main_screen import MainScreen


class MainScreenMixin:
    """Methods of the main screen, mixed into it."""

    @property
    def main_screen(self) -> MainScreen:
        """The screen itself, with the methods of the other mixins."""
        return cast("MainScreen", self)
