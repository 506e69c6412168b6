"""The list of lessons and the end of one, as the terminal and the web explorer show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from ...engine.syntax.errors import make_printable
from ...learn.grader import format_right_answer
from .lesson import COST_ARCH, COST_RELEASE, Cost, Head, list_headings, map_groups
from .lesson_position import LessonPosition, LessonProgress, find_next_lesson

COST_TITLE = f"What it costs on {COST_ARCH} · {COST_RELEASE}"


class LessonGroup(NamedTuple):
    """A group of lessons."""

    number: int
    name: str
    ability: str
    """The ability of a learner after it, as a sentence."""
    heads: tuple[Head, ...]


class Course:
    """The lessons in their groups, with the progress in each."""

    def __init__(self, progress: Mapping[str, LessonProgress]) -> None:
        self._progress = progress
        self.heads = {head.name: head for head in list_headings()}
        """The lessons by name."""
        members = groupby(self.heads.values(), lambda head: head.group)
        self.groups = {
            name: LessonGroup(number, name, map_groups().get(name, ""), tuple(heads))
            for number, (name, heads) in enumerate(members, 1)
        }
        """The groups by name."""
        begun = (name for name in self.heads if self.get_progress(name).card)
        following = next(begun, find_next_lesson([*self.heads], progress))
        self.next = self.heads[following] if following else None
        """The lesson to continue, or to begin; after all of them, the first with a missed question.
        None if there is none."""
        self.next_card: int | None = None
        """The index of the card with that question."""
        self.next_title = "Continue" if progress else "Begin here"
        """The heading above the next lesson."""
        if following is None:
            missed = [(x, card) for x in self.heads.values() for card in self._list_missed(x)]
            self.next_title = _count_questions(len(missed)) if missed else "All done"
            self.next, self.next_card = missed[0] if missed else (None, None)

    def _list_missed(self, head: Head) -> tuple[int, ...]:
        return self.get_progress(head.name).list_missed(head)

    @property
    def summary(self) -> str:
        """The number of finished lessons, and the time for the others or the right answers."""
        heads = [*self.heads.values()]
        others = [head for head in heads if not self.get_progress(head.name).done]
        question_count = sum(len(head.question_cards) for head in heads)
        missed_count = sum(len(self._list_missed(head)) for head in heads)
        minutes = f"about {sum(head.minutes for head in others)} min left"
        rest = minutes if others else f"{question_count - missed_count} of {question_count} right"
        return f"{len(heads) - len(others)} of {len(heads)} done · {rest}"

    def get_progress(self, name: str) -> LessonProgress:
        """Return the progress in a lesson."""
        return self._progress.get(name, LessonProgress())


def get_line(position: LessonPosition) -> str:
    """Return the line that is equivalent to the lesson's line of C."""
    head, first = position.lesson.head, position.lesson.cards[0]
    return head.costs[0].line if head.costs else str(first.trace.instruction)


def format_cost(cost: Cost) -> str:
    """Return the number of instructions of a line."""
    return f"{cost.instructions} instruction" + "s" * (cost.instructions != 1)


def format_missed_title(position: LessonPosition) -> str:
    """Return the number of questions to look at again."""
    return _count_questions(len(position.missed_cards))


def _count_questions(count: int) -> str:
    return f"{count} question{'s' * (count != 1)} to look at again"


def iter_missed(position: LessonPosition) -> Iterator[tuple[str, str]]:
    """Yield each card whose question was missed, with the answer given there."""
    for index in position.missed_cards:
        card = position.lesson.cards[index]
        answer, right = position.get_first_answer(index), format_right_answer(card.question)
        remark = (
            f"you wrote {make_printable(answer)}; it is {right}" if answer else f"it is {right}"
        )
        yield f"card {index + 1}, {card.title}", remark
