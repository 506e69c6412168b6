"""The base of what the explorer's widgets post."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, cast, dataclass_transform

from textual.dom import DOMNode
from textual.message import Message


@dataclass_transform()
class PostedMessage(Message):
    """A message whose annotations are its fields: the widget that posts it, and what it says.

    Not a dataclass: a score of those takes a twentieth of the explorer's start.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    control: DOMNode | None = None
    """The widget that posted it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(no_dispatch=None)  # a subclass may decide it later
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__()
        self.__dict__.update(zip(self._fields, values, strict=False), **named)

    def post_to_screen(self) -> None:
        """Tell the widget's screen, with nothing on the way, so that what it does comes at once."""
        if self.control is not None:
            self.control.screen.post_message(self.stop())


class Subject(Protocol):
    """A widget whose messages are about parts of what it shows."""

    @property
    def subject(self) -> object:
        """What it shows, as far as the parts that its messages name depend on it."""


class PartMessage(PostedMessage):
    """A message about a part of what its widget shows.

    It is dropped if the widget shows something else by the time it arrives: the part may be
    missing there.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._subject = cast("Subject", self.control).subject

    @property
    def no_dispatch(self) -> bool:  # type: ignore[override]
        """Whether the message is stale. Part of Textual, which then calls no handler."""
        return self._subject != cast("Subject", self.control).subject
