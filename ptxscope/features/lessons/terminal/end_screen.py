"""The end of a lesson: what it was for, what its lines cost, what was missed, what comes next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import AnswerScreen
from ....widgets.base.pane import Pane, StyledLine, StyledText
from ....widgets.footer import FooterKey, KeyBar
from ..course import COST_TITLE, format_cost, format_missed_title, get_line, iter_missed
from ..lesson import Head
from ..lesson_position import LessonPosition
from ..transitions import Ending

_MAX_COLUMNS = 78
_COST_COLUMNS = 17
"""Columns of a number of instructions."""


class EndScreen(AnswerScreen[Ending]):
    """Shows the end of a lesson; it returns what to do next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('next')", "Next", show=False),
        Binding("r", "choose('missed')", "Missed questions", show=False),
        Binding("o", "choose('line')", "Open the line in the explorer", show=False),
        Binding("escape", "choose('lessons')", "Lessons", show=False),
    ]
    DEFAULT_CSS = """
    EndScreen {
        & #end-head { height: 1; padding: 0 1; background: $panel;
            & > Static { width: auto; }
            & > #end-title { width: 1fr; text-style: bold; }
        }
        & VerticalScroll { height: 1fr; margin-bottom: 1; }
        & Pane { height: auto; }
    }
    """
    AUTO_FOCUS = ""
    help_section = "lessons"

    def __init__(self, position: LessonPosition, following: Head | None) -> None:
        super().__init__()
        self._position, self._following = position, following

    def compose(self) -> ComposeResult:
        """Yield the parts, without those that have nothing to say."""
        position, head = self._position, self._position.lesson.head
        with Horizontal(id="end-head"):
            yield Static(Content(make_printable(head.title)), id="end-title")
            yield Static(Content(f"{position.marks}  {position.score}"))
        with VerticalScroll(can_focus=False):
            yield _EndPane("Done", [*_draw_purpose(position)])
            if head.use:
                yield _EndPane("Use it", [*_wrap(head.use)])
            if head.costs:
                yield _EndPane(COST_TITLE, [*_draw_costs(head)])
            if position.missed_cards:
                yield _EndPane(format_missed_title(position), [*_draw_missed(position)])
            if self._following:
                yield _EndPane("Next", [*_draw_following(self._following)])
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the keys."""
        super().on_mount()
        keys = [FooterKey((("o", "choose('line')"),), "open the line in the explorer")]
        if self._position.missed_cards:
            keys.insert(0, FooterKey((("r", "choose('missed')"),), "missed questions"))
        if self._following:
            keys.insert(0, FooterKey((("Enter", "choose('next')"),), "next"))
        leave = FooterKey((("Esc", "choose('lessons')"),), "lessons")
        self.query_one(KeyBar).show(keys, (leave,))

    def action_choose(self, name: str) -> None:
        """Return what to do next, if it is possible."""
        ending = Ending(name)
        if ending is Ending.MISSED and not self._position.missed_cards:
            return
        if ending is Ending.NEXT and not self._following:
            ending = Ending.LESSONS
        self.close_with(ending)

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """Do what a click on a key asks for."""
        await self.run_action(event.action)


class _EndPane(Pane, can_focus=False):
    """Lines under a title."""

    def __init__(self, title: str, lines: list[StyledLine]) -> None:
        super().__init__(f"end-{title.partition(' ')[0].lower()}", title)
        self._lines = lines

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines."""
        return self._lines


def _wrap(text: str, style_name: str = "") -> Iterator[StyledLine]:
    for line in textwrap.wrap(text, _MAX_COLUMNS, break_on_hyphens=False):
        yield [StyledText(line, style_name)]


def _draw_purpose(position: LessonPosition) -> Iterator[StyledLine]:
    head = position.lesson.head
    yield from _wrap(head.purpose)
    yield [StyledText(f"  {head.c_line}", "value")]
    yield [StyledText(f"  {get_line(position)}", "strong")]


def _draw_costs(head: Head) -> Iterator[StyledLine]:
    """Yield a bar for each line."""
    size = max(len(cost.line) for cost in head.costs)
    largest = max(cost.instructions for cost in head.costs)
    room = max(_MAX_COLUMNS - size - 2 - _COST_COLUMNS, 8)
    for cost in head.costs:
        columns = max(round(min(room, largest) * cost.instructions / largest), 1)
        yield [
            StyledText(f"{cost.line:<{size}}  ", "strong"),
            StyledText(f"{format_cost(cost):<{_COST_COLUMNS}}"),
            StyledText("█" * columns, "dim"),
        ]


def _draw_missed(position: LessonPosition) -> Iterator[StyledLine]:
    for title, wrote in iter_missed(position):
        yield [StyledText(f"□ {title}  "), StyledText(wrote, "dim")]


def _draw_following(head: Head) -> Iterator[StyledLine]:
    yield [StyledText(f"▸{head.title}", "strong"), StyledText(f"  {head.minutes} min")]
    yield from _wrap(f" {head.purpose}", "dim")
