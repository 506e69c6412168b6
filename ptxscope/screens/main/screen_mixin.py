"""What parts of the main screen that have modules of their own have in common."""

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
