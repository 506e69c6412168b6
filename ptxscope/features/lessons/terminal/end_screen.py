"""The end of a lesson: its purpose, the costs of its lines, missed questions, the next lesson."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from ....widgets.base.pane import Pane, StyledLine, StyledText
from ....widgets.footer import FooterKey
from ..course import COST_TITLE, format_cost, format_missed_title, get_line, iter_missed
from ..lesson import Head
from ..lesson_position import LessonPosition
from ..transitions import Ending
from .titled_screen import MAX_COLUMNS, TitledScreen, wrap_text

_COST_COLUMNS = 17
"""Columns of a number of instructions."""
_MIN_BAR_COLUMNS = 8
"""Columns of a bar below which the bar has a line of its own."""


class EndScreen(TitledScreen[Ending]):
    """Shows the end of a lesson; it returns the next action."""

    BINDING_GROUP_TITLE = "Lesson"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('next')", "Next", show=False),
        Binding("r", "choose('missed')", "Missed questions", show=False),
        Binding("o", "choose('line')", "Open the line in the explorer", show=False),
        Binding("escape", "choose('lessons')", "Lessons", show=False),
    ]
    DEFAULT_CSS = """
    EndScreen {
        & VerticalScroll { height: 1fr; margin-bottom: 1; }
        & Pane { height: auto; }
    }
    """

    def __init__(self, position: LessonPosition, following: Head | None) -> None:
        super().__init__()
        self._position, self._following = position, following

    def compose_body(self) -> ComposeResult:
        """Yield the parts, without the empty ones."""
        position, head = self._position, self._position.lesson.head
        with VerticalScroll(can_focus=False):
            yield _EndPane("Done", partial(_draw_purpose, position))
            if head.use:
                yield _EndPane("Use it", partial(wrap_text, head.use))
            if head.costs:
                yield _EndPane(COST_TITLE, partial(_draw_costs, head))
            if position.missed_cards:
                yield _EndPane(format_missed_title(position), partial(_draw_missed, position))
            if self._following:
                yield _EndPane("Next", partial(_draw_following, self._following))

    def on_mount(self) -> None:
        """Show the title and the keys."""
        super().on_mount()
        position = self._position
        self.show_title(position.lesson.head.title, f"{position.marks}  {position.score}")
        keys = [FooterKey((("o", "choose('line')"),), "open the line in the explorer")]
        if self._position.missed_cards:
            keys.insert(0, FooterKey((("r", "choose('missed')"),), "missed questions"))
        if self._following:
            keys.insert(0, FooterKey((("Enter", "choose('next')"),), "next"))
        leave = FooterKey((("Esc", "choose('lessons')"),), "lessons")
        self.key_bar.show(keys, (leave,))

    def action_choose(self, name: str) -> None:
        """Return the next action, if it is possible."""
        ending = Ending(name)
        if ending is Ending.MISSED and not self._position.missed_cards:
            return
        if ending is Ending.NEXT and not self._following:
            ending = Ending.LESSONS
        self.close_with(ending)


class _EndPane(Pane, can_focus=False):
    """Lines under a title."""

    def __init__(self, title: str, draw_lines: Callable[[int], Iterator[StyledLine]]) -> None:
        super().__init__(f"end-{title.partition(' ')[0].lower()}", title)
        self._draw_lines = draw_lines

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines."""
        return [*self._draw_lines(width)]


def _draw_purpose(position: LessonPosition, width: int) -> Iterator[StyledLine]:
    head = position.lesson.head
    yield from wrap_text(head.purpose, width)
    yield from wrap_text(head.c_line, width, "strong", "  ")
    yield from wrap_text(get_line(position), width, "strong", "  ")


def _draw_costs(head: Head, width: int) -> Iterator[StyledLine]:
    """Yield each line with its count and a bar, which are below the line if it leaves no room."""
    size = max(len(cost.line) for cost in head.costs)
    largest = max(cost.instructions for cost in head.costs)
    room = min(width, MAX_COLUMNS) - size - 2 - _COST_COLUMNS
    for cost in head.costs:
        line = [StyledText(f"{cost.line:<{size}}  ", "strong")]
        if room < _MIN_BAR_COLUMNS:
            yield line
            line = [StyledText("  ")]
        columns = max(min(room, largest), _MIN_BAR_COLUMNS) * cost.instructions / largest
        yield [
            *line,
            StyledText(f"{format_cost(cost):<{_COST_COLUMNS}}"),
            StyledText("█" * max(round(columns), 1), "quiet"),
        ]


def _draw_missed(position: LessonPosition, width: int) -> Iterator[StyledLine]:
    for title, answers in iter_missed(position):
        lead = f"□ {title}  "
        if len(lead) + len(answers) <= width:
            yield [StyledText(lead), StyledText(answers, "quiet")]
        else:
            yield from wrap_text(lead, width)
            yield from wrap_text(answers, width, "quiet", "  ")


def _draw_following(head: Head, width: int) -> Iterator[StyledLine]:
    yield [StyledText(f"▸{head.title}", "focus"), StyledText(f"  {head.minutes} min")]
    yield from wrap_text(head.purpose, width, "quiet", " ")
