"""The base of what the explorer's widgets post."""

from __future__ import annotations

from typing import Any, ClassVar, dataclass_transform

from textual.dom import DOMNode
from textual.message import Message


@dataclass_transform()
class Posted(Message):
    """A message whose annotations are its fields: the widget that posts it, and what it says.

    Not a dataclass: a score of those takes a twentieth of the explorer's start.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    control: DOMNode | None = None
    """The widget that posted it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__()
        self.__dict__.update(zip(self._fields, values, strict=False), **named)

    def tell(self) -> None:
        """Tell the widget's screen, with nothing on the way, so that what it does comes at once."""
        if self.control is not None:
            self.control.screen.post_message(self.stop())
