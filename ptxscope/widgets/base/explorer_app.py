"""The interface of the application for widgets and screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, dataclass_transform

from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.widget import Widget

from ...engine.records import FrozenDict
from ...state.actions import map_key_names, map_keys
from ...state.requests import Transition


class ExplorerApp(App[None]):
    """The base of the application: the user's keys, and the terminal's characters."""

    user_keymap: Mapping[str, str] = FrozenDict()
    """Action ids and the keys that the user assigned to them."""
    is_ascii = False
    """Whether the terminal needs ASCII because it lacks UTF-8."""
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


def get_explorer_app(node: DOMNode) -> ExplorerApp:
    """Return the application of a widget or a screen."""
    app = node.app
    assert isinstance(app, ExplorerApp)
    return app


@dataclass_transform()
class PostedMessage(Message):
    """A message whose annotations are its fields: the widget that posts it, and its contents.

    Not a dataclass: twenty of them would take a twentieth of the explorer's start-up time.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    control: DOMNode | None = None
    """The widget that posted it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(no_dispatch=None)  # a subclass may set it later
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, *values: Any, **fields: Any) -> None:
        super().__init__()
        self.__dict__.update(zip(self._fields, values, strict=False), **fields)


class PartMessage(PostedMessage):
    """A message about a part of its widget's ``subject``.

    It is dropped if the widget has another subject when it arrives: the part may be missing there.
    """

    def __init__(self, *values: Any, **fields: Any) -> None:
        super().__init__(*values, **fields)
        self._subject = self._get_subject()

    def _get_subject(self) -> object:
        return getattr(self.control, "subject", None)

    @property
    def no_dispatch(self) -> bool:  # type: ignore[override]
        """Whether the message is stale. Overrides Textual, which then calls no handler."""
        return self._subject != self._get_subject()


class Do(PartMessage):
    """Posted to change the state of the explorer."""

    def __init__(
        self, control: DOMNode, run: Transition, *arguments: object, **named: object
    ) -> None:
        super().__init__(control=control)
        self.run, self.arguments, self.named = run, arguments, named


class Hint(PostedMessage):
    """Posted with a hint, or with an empty text to withdraw the last one."""

    control: Widget
    text: str
