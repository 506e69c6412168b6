"""The error that ends a command with a message."""

from __future__ import annotations


class CommandError(Exception):
    """A request that cannot be carried out; the text is the reason.

    ``status`` is the exit status.
    """

    def __init__(self, text: str, status: int = 2) -> None:
        super().__init__(text)
        self.status = status
