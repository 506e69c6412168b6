"""The interface of the application for widgets and screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from textual.app import App
from textual.dom import DOMNode

from ...engine.records import FrozenDict
from ...state.actions import map_key_names, map_keys
from ...state.requests import Transition


class ExplorerApp(App[None]):
    """The base of the application: the user's keys, the terminal's characters, and Help."""

    user_keymap: Mapping[str, str] = FrozenDict()
    """Action ids and the keys that the user assigned to them."""
    is_ascii = False
    """Whether the terminal does not read UTF-8, so that it needs ASCII."""
    restore_terminal: Callable[[], None]
    """Restores the terminal where the program hangs; the driver sets it."""

    @cached_property
    def action_keys(self) -> Mapping[str, tuple[str, ...]]:
        """Textual's key names by action id."""
        return map_keys(self.user_keymap)

    @cached_property
    def key_names(self) -> Mapping[str, tuple[str, ...]]:
        """The displayed key names by action id."""
        return map_key_names(self.action_keys)

    async def perform(self, transition: Transition, *arguments: object, **named: object) -> None:
        """Run a transition of the state with arguments, and show its effect."""
        raise NotImplementedError

    def show_help(self, section: str) -> None:
        """Open Help at a section."""
        raise NotImplementedError


def get_explorer_app(node: DOMNode) -> ExplorerApp:
    """Return the application of a widget or a screen."""
    app = node.app
    assert isinstance(app, ExplorerApp)
    return app
