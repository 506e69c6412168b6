"""The common parts of the screens of lessons: a title, keys, and lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import AnswerScreen, Result
from ....widgets.base.pane import StyledLine, StyledText
from ....widgets.footer import KeyBar

MAX_COLUMNS = 78
"""Maximum columns of a line of text: longer ones are hard to read."""
_MIN_COLUMNS = 12


class TitledScreen(AnswerScreen[Result]):
    """A screen with a title above and its keys below. Subclasses compose the content between."""

    DEFAULT_CSS = """
    TitledScreen {
        & > #head { height: auto; padding: 0 1; background: $panel;
            & > Static { width: auto; padding: 0 0 0 2; }
            & > #title { width: 1fr; height: auto; padding: 0; text-style: bold; }
        }
    }
    """
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._title, self._progress_text = Static(id="title"), Static()
        self.key_bar = KeyBar()
        """The keys at the bottom."""

    def compose(self) -> ComposeResult:
        """Yield the title, the content, and the keys."""
        with Horizontal(id="head"):
            yield self._title
            yield self._progress_text
        yield from self.compose_body()
        yield self.key_bar

    def compose_body(self) -> ComposeResult:
        """Yield the content between the title and the keys."""
        raise NotImplementedError

    def show_title(self, title: str, progress_text: str) -> None:
        """Show a title, and the progress at the right."""
        self._title.update(Content(make_printable(title)))
        self._progress_text.update(Content(progress_text))

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Run the action of a clicked key."""
        await self.run_action(event.action)


def wrap_text(text: str, width: int, style_name: str = "", lead: str = "") -> Iterator[StyledLine]:
    """Yield a text in lines of one style, each after a lead."""
    room = max(min(width - len(lead), MAX_COLUMNS), _MIN_COLUMNS)
    for line in textwrap.wrap(text, room, break_on_hyphens=False):
        yield [StyledText(f"{lead}{line}", style_name)]
