"""A lesson in the explorer: its cards beside the real picture, with graded predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.parser import parse
from ...learn.grader import format_reply, grade_answer, list_hints
from ...learn.lesson import Card, Head, Lesson, list_files, list_headings, load_lesson
from ...learn.lesson_progress import LessonProgress
from ...learn.lesson_text import describe_question, format_answer, make_question
from ...learn.question import locate_answer
from ...learn.text_templates import TemplatePiece, Text
from ...scene.scene_model import LaneRef
from ...state.setup import Setup
from ...widgets.base.menu import MenuItem
from ...widgets.lesson_strip import LessonParagraph, LessonStrip

if TYPE_CHECKING:
    from .main_screen import MainScreen


class LessonView(Vertical):
    """The lesson's strip, and its control of the screen."""

    DEFAULT_CSS = """
    LessonView { height: auto; max-height: 55%; }
    """

    def __init__(
        self,
        main: MainScreen,
        lesson: Lesson,
        places: dict[str, LessonProgress],
        *,
        from_start: bool,
    ) -> None:
        super().__init__()
        self._main, self.lesson = main, lesson
        self.strip = LessonStrip()
        self.places = places
        """The position in every lesson, this one included."""
        before = places.get(lesson.head.name, LessonProgress())
        self._at = 0 if from_start else min(before.card, len(lesson.cards) - 1)
        self._done = before.done
        self._answered = False
        self._hints = 0
        self._wrong_count = 0
        """The count of wrong answers to the question."""
        self._typed: dict[int, str] = {}
        """The typed answers, by card."""
        self._verdict: tuple[LessonParagraph, ...] = ()
        self.before = main.view_state
        """The view before the lesson."""
        self.cursor = main.listing_cursor
        """The listing cursor before the lesson."""
        self._is_first = True

    def compose(self) -> ComposeResult:
        """Yield the strip."""
        yield self.strip

    def on_mount(self) -> None:
        """Show the lesson at its saved position."""
        self._show()

    @property
    def card(self) -> Card:
        """The current card."""
        return self.lesson.cards[self._at]

    @property
    def is_open(self) -> bool:
        """Whether a question waits for its answer."""
        return self.card.ask is not None and not self._answered

    # --- showing -----------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the card and its picture."""
        card = self.card
        self._answered, self._hints, self._verdict = False, 0, ()
        self._wrong_count = 0
        self.places[self.lesson.head.name] = LessonProgress(self._at, self._done)
        ins = parse(str(card.trace.instruction))
        setup = Setup(
            ins, str(ins), dict(card.trace.operands), card.trace.model.name, is_detached=True
        )
        self._main.show_card(setup, card.step, is_coalesced=not self._is_first)
        self._is_first = False
        self._update_strip()
        self.strip.scroll_home(animate=False)
        self._highlight_anchor()
        if self.is_open:
            self._ask("")
        else:
            self._main.set_focus(self.strip)

    def _update_strip(self) -> None:
        """Update the strip's contents."""
        card, count = self.card, len(self.lesson.cards)
        paragraphs = [LessonParagraph(card.text)]
        if self.is_open and not self._verdict:
            paragraphs.append(_make_paragraph(f"{describe_question(card)} = ?", "current"))
        paragraphs += self._verdict
        title = f"{self._at + 1} of {count} · {card.title}"
        titles = f"Lesson {self.lesson.head.name} · {title}", title, card.title
        letters = locate_answer(make_question(card)).letters if self.is_open else ""
        is_first = self._at == 0
        self.strip.show_card(
            titles, tuple(paragraphs), has_question=self.is_open, is_first=is_first, letters=letters
        )
        self._main.show_keys()
        if self._verdict:
            self.strip.call_after_refresh(self.strip.end)

    def _highlight_anchor(self) -> None:
        """Highlight the card's anchor, and again after the picture's layout."""
        self._highlight_now()
        self.call_after_refresh(self._highlight_now)

    def _highlight_now(self) -> None:
        if self._main.tour is not self:
            return
        anchor, trace = self.card.anchor, self.card.trace
        slot = anchor.key if anchor and anchor.is_slot else ""
        key = anchor.key if anchor and not slot and not self.is_open else ""
        for written in trace.plan.results:
            key = written.key if key == written.role else key
        place = LaneRef(key, (anchor and anchor.lane) or 0) if key else None
        self._main.highlight_place(place, slot)

    # --- answers -----------------------------------------------------------------------------

    def _ask(self, start: str) -> None:
        """Ask for a value, with the earlier answer in the field."""
        question = make_question(self.card)
        text = self._typed.pop(self._at, "") + start
        field = self._main.value_field
        field.ask(
            describe_question(self.card),
            locate_answer(question).parse_answer,
            text,
            self,
            has_hints=True,
        )

    def grade_answer(self, text: str, *, is_left: bool = False) -> None:
        """Grade an answer; ``is_left``: the user has left the field with it."""
        if not self.is_open:
            return
        if is_left:
            self._typed[self._at] = text
            return
        asked_here = make_question(self.card)
        try:
            answer = grade_answer(asked_here, text)
        except PtxError:  # the field shows the error
            return
        if answer.is_right:
            self._reveal(is_right=True)
            return
        self._wrong_count += 1
        feedback = format_reply(asked_here, answer, is_first=self._wrong_count == 1)
        self._verdict = (
            _make_paragraph(make_printable(f"× Not {text.strip()}. {feedback}"), "changed"),
        )
        self._update_strip()

    def clear_feedback(self) -> None:
        """Clear the feedback on an answer."""
        if self.is_open:
            self._verdict = ()
            self._update_strip()

    @on(LessonStrip.CardHintRequested)
    def hint(self) -> None:
        """Show the next hint."""
        if not self.is_open:
            return
        hints = list_hints(make_question(self.card))
        text = (
            hints[self._hints] if self._hints < len(hints) else "That is all; s shows the answer."
        )
        self._hints += 1
        self._verdict = (_make_paragraph(f"? {make_printable(text)}", "dim"),)
        self._update_strip()

    @on(LessonStrip.Revealed)
    def _handle_revealed(self) -> None:
        if self.is_open:
            self._reveal(is_right=False)

    def _reveal(self, *, is_right: bool) -> None:
        """Draw the step of the question and show its remark."""
        card = self.card
        self._answered = True
        answer = (_make_paragraph(f"It is {format_answer(card)}. "),) if not is_right else ()
        remark = card.remark if is_right else ()
        self._verdict = (*answer, *((LessonParagraph(remark, "good"),) if remark else ()))
        self._main.action_step_to(self._step_asked())
        self._update_strip()
        self._highlight_anchor()
        self._main.set_focus(self.strip)

    def _step_asked(self) -> int:
        card = self.card
        row = card.trace.rows.get(card.ask.key) if card.ask else None
        steps = card.trace.steps
        return next((x.number for x in steps if row and x.stage is row.stage), len(steps))

    # --- from card to card -------------------------------------------------------------------

    @on(LessonStrip.CardRequested)
    def _handle_card_requested(self, event: LessonStrip.CardRequested) -> None:
        self._go(event.delta)

    @on(LessonStrip.ContinueRequested)
    def _handle_continue_requested(self) -> None:
        if self.is_open:
            self._ask("")
        else:
            self._go(1)

    @on(LessonStrip.Answering)
    def _handle_answer_changed(self, event: LessonStrip.Answering) -> None:
        self._ask(event.start)

    def _go(self, delta: int) -> None:
        if self._at + delta >= len(self.lesson.cards):
            self._at, self._done = 0, True
            self._leave("That was the lesson")
        elif self._at + delta >= 0:
            self._at += delta
            self._show()

    @on(LessonStrip.ExitRequested)
    def _handle_exit_requested(self) -> None:
        self._leave(f"Lesson {self.lesson.head.name} was left at card {self._at + 1}")

    def _leave(self, message: str) -> None:
        self.places[self.lesson.head.name] = LessonProgress(self._at, self._done)
        self._main.leave_lesson(message)


def _make_paragraph(text: str, ink: str = "") -> LessonParagraph:
    plain: Text = (TemplatePiece(text),)
    return LessonParagraph(plain, ink)


def open_lesson_view(
    main: MainScreen, name: str, places: dict[str, LessonProgress], *, from_start: bool = False
) -> LessonView:
    """Return a lesson by name, to be mounted on the screen. Raise LookupError if there is none."""
    return LessonView(main, load_lesson(name), places, from_start=from_start)


def list_items(left: dict[str, LessonProgress]) -> tuple[list[str], list[MenuItem], int]:
    """Return the names of all lessons, their menu items, and the index of the next one."""
    names = [*list_files()]
    found = [_make_item(head, left.get(head.name, LessonProgress())) for head in list_headings()]
    places = (left.get(name, LessonProgress()) for name in names)
    open_ = (index for index, place in enumerate(places) if place.card or not place.done)
    return names, found, next(open_, 0)


def _make_item(head: Head, progress: LessonProgress) -> MenuItem:
    far = (
        f", card {progress.card + 1} of {head.cards}" if progress.card else ", done" * progress.done
    )
    return MenuItem(head.title, f"{head.minutes} min{far}")
