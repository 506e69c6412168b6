"""What text can look like, in one place: the component classes of every screen with panes."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.screen import ModalScreen, Screen

INKS = (
    "dim",
    "strong",
    "number",
    "value",
    "pattern",
    "extension",
    "changed",
    "clamped",
    "good",
    "bad",
    "veil",
    "chosen",
    "cursor",
    "origin",
    "reached",
    "current",
    "off",
    "label",
)
"""What text can look like; each is a component class ``ink--NAME``."""


_COMPONENTS = {f"ink--{ink}" for ink in INKS}
_CSS = """
{} {{
        & > .ink--dim {{ text-style: dim; }}
        & > .ink--strong {{ text-style: bold; }}
        & > .ink--number {{ color: $text-primary; }}
        & > .ink--value {{ text-style: bold; }}
        & > .ink--pattern {{ color: $text-secondary; }}
        & > .ink--extension {{ color: $text-secondary; text-style: dim; }}
        & > .ink--changed {{ color: $text-warning; text-style: bold; }}
        & > .ink--clamped {{ color: $text-error; text-style: bold; }}
        & > .ink--good {{ color: $text-success; }}
        & > .ink--bad {{ color: $text-error; }}
        & > .ink--veil {{ text-style: dim; }}
        & > .ink--chosen {{ color: $text-accent; text-style: bold; }}
        & > .ink--cursor {{ text-style: reverse; }}
        & > .ink--origin {{ background: $primary-muted; text-style: underline; }}
        & > .ink--reached {{ background: $warning-muted; text-style: italic; }}
        & > .ink--current {{ color: $text-accent; text-style: bold; }}
        & > .ink--off {{ text-style: dim strike; }}
        & > .ink--label {{ text-style: dim; }}
}}
"""

Result = TypeVar("Result")


class InkScreen(Screen[Result]):
    """A screen whose panes find their inks here, so that a theme changes them all."""

    COMPONENT_CLASSES: ClassVar[set[str]] = _COMPONENTS
    DEFAULT_CSS = _CSS.format("InkScreen")


class InkModal(ModalScreen[Result]):
    """The same over another screen, to be answered or left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = _COMPONENTS
    DEFAULT_CSS = _CSS.format("InkModal")

    def answer(self, result: Result) -> None:
        """Give an answer and go; a second one, of a key that was on its way, is not heard."""
        if self.is_current:
            self.dismiss(result)
