"""How a Trace shows itself in notebooks and in Rich: the engine asks, the exports answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .engine.tracing.trace import DISPLAYS, Trace
from .export import export

if TYPE_CHECKING:
    from rich.text import Text


def install() -> None:
    """Let traces show themselves."""
    DISPLAYS.update(
        {
            "text/plain": lambda trace: export(trace, "text"),
            "text/markdown": lambda trace: export(trace, "markdown"),
            "text/html": lambda trace: export(trace, "html"),
            "rich": _rich,
        }
    )


def _rich(trace: Trace) -> Text:
    from rich.text import Text

    text = Text(export(trace, "text"), no_wrap=True)
    text.highlight_regex(r"(?m)^\d+ [A-Za-z]+(?: [a-z]+)*", "bold")
    text.highlight_regex(r"\[(?:clamped|wrapped|masked|flushed|rounded|NaN)[^]]*\]", "yellow")
    for name, bits in trace.result.items():
        text.highlight_words([f"{name} = {bits:#010x}"], "bold green")
    return text
