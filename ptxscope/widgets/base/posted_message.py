"""The base of the messages that the explorer's widgets post."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, cast, dataclass_transform

from textual.dom import DOMNode
from textual.message import Message

from ...state.requests import Transition


@dataclass_transform()
class PostedMessage(Message):
    """A message whose annotations are its fields: the widget that posts it, and its contents.

    Not a dataclass: a score of those takes a twentieth of the explorer's start-up time.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    control: DOMNode | None = None
    """The widget that posted it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(no_dispatch=None)  # a subclass may decide it later
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, *values: Any, **fields: Any) -> None:
        super().__init__()
        self.__dict__.update(zip(self._fields, values, strict=False), **fields)


class Subject(Protocol):
    """A widget whose messages refer to parts of its contents."""

    @property
    def subject(self) -> object:
        """The contents, as far as the parts named by its messages depend on them."""


class PartMessage(PostedMessage):
    """A message about a part of its widget's contents.

    It is dropped if the widget shows something else by the time it arrives, because the part may be
    missing there.
    """

    def __init__(self, *values: Any, **fields: Any) -> None:
        super().__init__(*values, **fields)
        self._subject = cast("Subject", self.control).subject

    @property
    def no_dispatch(self) -> bool:  # type: ignore[override]
        """Whether the message is stale. Overrides Textual, which then calls no handler."""
        return self._subject != cast("Subject", self.control).subject


class Do(PostedMessage):
    """Posted to change the state of the explorer."""

    def __init__(
        self, control: DOMNode, run: Transition, *arguments: object, **named: object
    ) -> None:
        super().__init__(control=control)
        self.run, self.arguments, self.named = run, arguments, named


class DoWithPart(Do, PartMessage):
    """A change of a part of its widget's contents, dropped as a ``PartMessage`` is."""
