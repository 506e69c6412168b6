"""How a Trace shows itself in notebooks and in Rich: the engine asks, the exports answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .engine.tracing.trace import DISPLAYS, Trace
from .export import export
from .export.text import WIDTH, render

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

_NARROWEST = 40
"""Columns for which lines are made; where there are fewer, they are folded."""


def install() -> None:
    """Let traces show themselves."""
    DISPLAYS.update(
        {
            "text/plain": lambda trace: export(trace, "text"),
            "text/markdown": lambda trace: export(trace, "markdown"),
            "text/html": lambda trace: export(trace, "html"),
            "rich": _Printed,
        }
    )


class _Printed(NamedTuple):
    """A trace as Rich prints it: as wide as there is room, and whole."""

    trace: Trace

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        """The text form, with its steps and what happened marked."""
        from rich.text import Text

        width = min(max(options.max_width, _NARROWEST), WIDTH)
        text = Text(render(self.trace, width=width), overflow="fold")
        text.highlight_regex(r"(?m)^\d+ [A-Za-z]+(?: [a-z]+)*", "bold")
        text.highlight_regex(r"\[(?:clamped|wrapped|masked|flushed|rounded|NaN)[^]]*\]", "yellow")
        for name, bits in self.trace.result.items():
            text.highlight_words([f"{name} = {bits:#010x}"], "bold green")
        yield text
