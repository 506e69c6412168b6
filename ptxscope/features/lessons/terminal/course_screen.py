"""The lessons: groups at the left, the lessons of one at the right, and the next one above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ....widgets.base.pane import Pane, StyledLine, StyledText, measure_line
from ....widgets.footer import FooterKey
from ..course import Course
from ..lesson import load_lesson
from ..lesson_position import LessonPosition, LessonProgress, describe_marks, mark_lesson
from .titled_screen import TitledScreen, wrap_text

_GROUP_COLUMNS = 35


class LessonChoice(NamedTuple):
    """The lesson that the user wants to play."""

    name: str
    card: int | None = None
    """The index of the card; None to continue where the lesson was left, 0 to restart it."""


class CourseArea(Enum):
    """The part of the screen that has the cursor."""

    NEXT = auto()
    GROUPS = auto()
    LESSONS = auto()


class CourseScreen(TitledScreen[LessonChoice]):
    """Shows the lessons and their subjects; it returns the one to play."""

    BINDING_GROUP_TITLE = "Lessons"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("right,l,tab", "enter_group", "Its lessons", show=False),
        Binding("left,h,shift+tab", "leave_group", "The groups", show=False),
        Binding("home", "move(-99)", "First", show=False),
        Binding("end", "move(99)", "Last", show=False),
        Binding("enter", "play", "Play", show=False),
        Binding("R", "play(True)", "Play from the start", show=False),
    ]
    DEFAULT_CSS = """
    CourseScreen {
        & #course-next { height: auto; }
        & #course-groups { height: 1fr; }
        & #course-lessons { width: 1fr; height: 1fr; border-left: solid $border-blurred; }
        & #course-marks { height: auto; padding: 0 1; color: $quiet; margin-bottom: 1; }
    }
    """

    def __init__(self, progress: Mapping[str, LessonProgress]) -> None:
        super().__init__()
        self._course = Course(progress)
        head = self._course.next or next(iter(self._course.heads.values()))
        self._area = CourseArea.NEXT if self._course.next else CourseArea.GROUPS
        self._group, self._lesson = head.group, head.name
        self._panes = {
            CourseArea.NEXT: _CoursePane("course-next", self._course.next_title),
            CourseArea.GROUPS: _CoursePane("course-groups", "Course"),
            CourseArea.LESSONS: _CoursePane("course-lessons", ""),
        }
        self._panes[CourseArea.GROUPS].styles.width = _GROUP_COLUMNS

    def compose_body(self) -> ComposeResult:
        """Yield the next lesson, the groups and the lessons of one."""
        yield self._panes[CourseArea.NEXT]
        with Horizontal():
            yield self._panes[CourseArea.GROUPS]
            yield self._panes[CourseArea.LESSONS]
        yield Static(Content(describe_marks()), id="course-marks")

    def on_mount(self) -> None:
        """Show the lessons."""
        super().on_mount()
        self.show_title("Lessons", self._course.summary)
        self._show()

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._show()

    # --- contents --------------------------------------------------------------------------

    def _show(self) -> None:
        width = max(self.size.width - 2, 20)
        right = width - _GROUP_COLUMNS - 2
        group = self._course.groups[self._group]
        self._panes[CourseArea.LESSONS].set_title(f"{group.number} {group.name}")
        contents = (self._draw_next(width), self._draw_groups(), self._draw_lessons(right))
        for (area, pane), (lines, cursor) in zip(self._panes.items(), contents, strict=True):
            pane.show(lines, cursor if area is self._area else None)
        keys = [
            FooterKey((("↑↓", "move(1)"),), "move"),
            FooterKey((("→", "enter_group"),), "its lessons")
            if self._area is not CourseArea.LESSONS
            else FooterKey((("←", "leave_group"),), "groups"),
            FooterKey((("Enter", "play"),), "play"),
            FooterKey((("R", "play(True)"),), "from the start"),
            FooterKey((("?", "app.do('help')"),), "keys"),
        ]
        self.key_bar.show(keys, (FooterKey((("Esc", "leave"),), "leave"),))

    def _draw_next(self, width: int) -> tuple[list[StyledLine], int]:
        head, card_index = self._course.next, self._course.next_card
        if head is None:
            return [*wrap_text("Every question was once right at the first try.", width)], 0
        progress = self._course.get_progress(head.name)
        if card_index is not None:
            progress = progress._replace(card=card_index, right=progress.known)
        position = LessonPosition(load_lesson(head.name), progress, from_start=False)
        card = f"card {progress.describe_card(head)}" if progress.card else ""
        lead = f"{self._point(CourseArea.NEXT)}{head.title}"
        tail = f"{position.marks}  {card}  {head.minutes} min"
        room = max(width - len(lead) - len(tail), 2)
        lines: list[StyledLine] = [
            [_style_lead(lead), StyledText(" " * room + tail)],
            *wrap_text(head.purpose, width, "quiet", " "),
        ]
        return lines, 0

    def _draw_groups(self) -> tuple[list[StyledLine], int]:
        lines: list[StyledLine] = []
        size = max(map(len, self._course.groups))
        for number, name, _, heads in self._course.groups.values():
            is_chosen = name == self._group
            marks = "".join(mark_lesson(self._course.get_progress(head.name)) for head in heads)
            lead = (
                f"{self._point(CourseArea.GROUPS) if is_chosen else ' '}{number:2} {name:<{size}}"
            )
            lead = f"{lead}  {marks}"
            lines.append([_style_lead(lead) if is_chosen else StyledText(lead)])
        return lines, self._course.groups[self._group].number - 1

    def _draw_lessons(self, width: int) -> tuple[list[StyledLine], int]:
        group = self._course.groups[self._group]
        lines: list[StyledLine] = [
            *wrap_text(group.ability, width, "quiet"),
            [],
        ]
        cursor = 0
        for head in group.heads:
            is_chosen = self._area is CourseArea.LESSONS and head.name == self._lesson
            if is_chosen:
                cursor = len(lines)
            progress = self._course.get_progress(head.name)
            card = f"{progress.describe_card(head)}  " if progress.card else ""
            if progress.done and not card:
                card = f"{progress.describe_score(head)}  "
            lead = f"{'▸' if is_chosen else ' '}{mark_lesson(progress)} {head.title}"
            tail = f"{card}{head.minutes} min"
            room = max(width - len(lead) - len(tail), 1)
            lines.append([_style_lead(lead), StyledText(" " * room + tail)])
            lines += wrap_text(head.c_line, width, "strong", "   ")
            lines += wrap_text(head.purpose, width, "quiet", "   ")
            lines.append([])
        return lines[:-1], cursor

    def _point(self, area: CourseArea) -> str:
        return "▸" if area is self._area else " "

    # --- actions ---------------------------------------------------------------------------

    def action_move(self, delta: int) -> None:
        """Move the cursor in its part, and between the next lesson and the groups."""
        names = [*self._course.groups]
        match self._area:
            case CourseArea.NEXT if delta > 0:
                self._area = CourseArea.GROUPS
            case CourseArea.GROUPS if delta < 0 and self._group == names[0] and self._course.next:
                self._area = CourseArea.NEXT
            case CourseArea.GROUPS:
                self._group = _move(names, self._group, delta)
            case CourseArea.LESSONS:
                own = [head.name for head in self._course.groups[self._group].heads]
                self._lesson = _move(own, self._lesson, delta)
        self._show()

    def action_enter_group(self) -> None:
        """Go to the lessons of the group."""
        if self._area is not CourseArea.LESSONS:
            self._area, self._lesson = CourseArea.LESSONS, self._find_first()
            self._show()

    def action_leave_group(self) -> None:
        """Go back to the groups."""
        self._area = CourseArea.GROUPS
        self._show()

    def _find_first(self) -> str:
        """Return the first lesson of the group that is not done, or its first."""
        names = [head.name for head in self._course.groups[self._group].heads]
        return next((name for name in names if not self._course.get_progress(name).done), names[0])

    def action_play(self, from_start: bool = False) -> None:
        """Play the lesson under the cursor, or the first of the group that is not done."""
        card = 0 if from_start else None
        following = self._course.next
        if self._area is CourseArea.NEXT and following:
            choice = LessonChoice(following.name, card if from_start else self._course.next_card)
        elif self._area is CourseArea.GROUPS:
            choice = LessonChoice(self._find_first(), card)
        else:
            choice = LessonChoice(self._lesson, card)
        self.close_with(choice)


class _CoursePane(Pane, can_focus=False):
    """Lines that its screen draws."""

    def __init__(self, id: str, title: str) -> None:  # noqa: A002
        super().__init__(id, title)
        self._lines: Sequence[StyledLine] = ()

    def show(self, lines: Sequence[StyledLine], cursor: int | None) -> None:
        """Show lines, with the cursor's line in view."""
        self._lines = lines
        self.redraw_lines()
        if cursor is not None:
            self.show_line(cursor, context=1)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines; long ones end with an ellipsis."""
        return [_cut(line, width) for line in self._lines]


def _cut(line: StyledLine, width: int) -> StyledLine:
    if measure_line(line) <= width:
        return line
    text = "".join(piece.text for piece in line)
    return [StyledText(f"{text[: max(width - 1, 0)]}…", line[0].style_name)]


def _move(names: Sequence[str], name: str, delta: int) -> str:
    return names[min(max(names.index(name) + delta, 0), len(names) - 1)]


def _style_lead(text: str) -> StyledText:
    """Return the start of a line, which has the cursor behind its sign."""
    return StyledText(text, "focus" if text.startswith("▸") else "strong")
