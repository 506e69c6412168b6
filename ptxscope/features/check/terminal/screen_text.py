"""The text of the screen on top, in which references are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from ....screens.main.action_runner import ActionRunner
from ....widgets.base.pane import Pane
from ....widgets.footer import HintBar, KeyBar
from .reference_screen import ReferenceScreen


class ScreenText(NamedTuple):
    """The text of a screen, and the screen's kind."""

    text: str
    """The text of the focused widget, then the texts of the others."""
    is_explorer: bool
    """Whether it is the explorer's main screen, which nothing covers."""
    reference: str
    """The reference whose page it is; empty for any other screen."""


def read_screen(runner: ActionRunner) -> ScreenText:
    """Return the text of the screen on top, without keys and hints, which name keys such as F1."""
    screen: Screen[Any] = runner.view.screen.app.screen
    widgets = [x for x in screen.query(Widget) if x.is_on_screen]
    widgets.sort(key=lambda x: not x.has_focus)
    reference = screen.reference if isinstance(screen, ReferenceScreen) else ""
    return ScreenText("\n".join(_iter_texts(widgets)), screen is runner.view.screen, reference)


def _iter_texts(widgets: list[Widget]) -> Iterator[str]:
    for widget in widgets:
        match widget:
            case KeyBar() | HintBar():
                pass
            case Pane():
                yield widget.read_text()
            case Static():
                yield str(widget.content)
