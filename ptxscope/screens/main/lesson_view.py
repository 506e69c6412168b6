"""A lesson in the explorer: its cards beside the real picture, predictions judged as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from ...engine.syntax.errors import PtxError, printable
from ...engine.syntax.parser import parse
from ...learn.grader import hints, judge, reply
from ...learn.lesson import Card, Head, Lesson, files, heads, lesson
from ...learn.lesson_progress import Left
from ...learn.lesson_text import answer, asked, question
from ...learn.question import place
from ...learn.text_templates import Piece, Text
from ...scene.scene_model import Place
from ...state.session import Setup
from ...widgets.base.menu import Item
from ...widgets.lesson_strip import Said, TourStrip

if TYPE_CHECKING:
    from .main_screen import MainScreen


class Tour(Vertical):
    """The strip, and what it does to the screen that it stands on."""

    DEFAULT_CSS = """
    Tour { height: auto; max-height: 55%; }
    """

    def __init__(self, main: MainScreen, of: Lesson, left: dict[str, Left], *, again: bool) -> None:
        super().__init__()
        self._main, self.lesson = main, of
        self.strip = TourStrip()
        self.places = left
        """Where every lesson was left; this one's follows."""
        before = left.get(of.head.name, Left())
        self._at = 0 if again else min(before.card, len(of.cards) - 1)
        self._done = before.done
        self._answered = False
        self._hints = 0
        self._wrong_count = 0
        """How often the question was answered wrongly."""
        self._typed: dict[int, str] = {}
        """What was typed, by card."""
        self._verdict: tuple[Said, ...] = ()
        self.before = main.looked_at
        """What was looked at before the lesson."""
        self.cursor = main.listing_cursor
        """The place in the listing that was open then."""
        self._is_first = True

    def compose(self) -> ComposeResult:
        """The strip alone."""
        yield self.strip

    def on_mount(self) -> None:
        """Show where it was left."""
        self._show()

    @property
    def card(self) -> Card:
        """The one that is shown."""
        return self.lesson.cards[self._at]

    @property
    def is_open(self) -> bool:
        """A question waits for its answer."""
        return self.card.ask is not None and not self._answered

    # --- showing -----------------------------------------------------------------------------

    def _show(self) -> None:
        """The card, and the picture of what it speaks of."""
        card = self.card
        self._answered, self._hints, self._verdict = False, 0, ()
        self._wrong_count = 0
        self.places[self.lesson.head.name] = Left(self._at, self._done)
        ins = parse(str(card.trace.instruction))
        setup = Setup(ins, str(ins), dict(card.trace.operands), card.trace.model.name, apart=True)
        self._main.show_card(setup, card.step, joined=not self._is_first)
        self._is_first = False
        self._tell()
        self.strip.scroll_home(animate=False)
        self._point()
        if self.is_open:
            self._ask("")
        else:
            self._main.set_focus(self.strip)

    def _tell(self) -> None:
        """The strip says what there is to say."""
        card, many = self.card, len(self.lesson.cards)
        said = [Said(card.text)]
        if self.is_open and not self._verdict:
            said.append(_said(f"{asked(card)} = ?", "current"))
        said += self._verdict
        title = f"{self._at + 1} of {many} · {card.title}"
        titles = f"Lesson {self.lesson.head.name} · {title}", title, card.title
        letters = place(question(card)).letters if self.is_open else ""
        is_first = self._at == 0
        self.strip.show(titles, tuple(said), asking=self.is_open, first=is_first, letters=letters)
        self._main.show_keys()
        if self._verdict:
            self.strip.call_after_refresh(self.strip.end)

    def _point(self) -> None:
        """Light what the card points at; again when the picture has its place."""
        self._light()
        self.call_after_refresh(self._light)

    def _light(self) -> None:
        if self._main.tour is not self:
            return
        anchor, trace = self.card.anchor, self.card.trace
        slot = anchor.key if anchor and anchor.is_slot else ""
        key = anchor.key if anchor and not slot and not self.is_open else ""
        for written in trace.plan.results:
            key = written.key if key == written.role else key
        place = Place(key, (anchor and anchor.lane) or 0) if key else None
        self._main.point_at(place, slot)

    # --- answers -----------------------------------------------------------------------------

    def _ask(self, start: str) -> None:
        """Ask for a value, with what was typed before."""
        of = question(self.card)
        text = self._typed.pop(self._at, "") + start
        field = self._main.value_field
        field.ask(asked(self.card), place(of).read, text, self, has_hints=True)

    def given(self, text: str, *, is_left: bool = False) -> None:
        """Judge an answer; ``is_left``: the field was left with it."""
        if not self.is_open:
            return
        if is_left:
            self._typed[self._at] = text
            return
        asked_here = question(self.card)
        try:
            found = judge(asked_here, text)
        except PtxError:  # the field says what is wrong with it
            return
        if found.is_right:
            self._reveal(right=True)
            return
        self._wrong_count += 1
        said = reply(asked_here, found, is_first=self._wrong_count == 1)
        self._verdict = (_said(printable(f"× Not {text.strip()}. {said}"), "changed"),)
        self._tell()

    def unsay(self) -> None:
        """Say no more what was said of an answer."""
        if self.is_open:
            self._verdict = ()
            self._tell()

    @on(TourStrip.Hinted)
    def hint(self) -> None:
        """Show the next hint."""
        if not self.is_open:
            return
        found = hints(question(self.card))
        said = (
            found[self._hints] if self._hints < len(found) else "That is all; s shows the answer."
        )
        self._hints += 1
        self._verdict = (_said(f"? {printable(said)}", "dim"),)
        self._tell()

    @on(TourStrip.Revealed)
    def _revealed(self) -> None:
        if self.is_open:
            self._reveal(right=False)

    def _reveal(self, *, right: bool) -> None:
        """Draw the step that was asked for, and say the remark."""
        card = self.card
        self._answered = True
        shown = (_said(f"It is {answer(card)}. "),) if not right else ()
        remark = card.remark if right else ()
        self._verdict = (*shown, *((Said(remark, "good"),) if remark else ()))
        self._main.action_step_to(self._step_asked())
        self._tell()
        self._point()
        self._main.set_focus(self.strip)

    def _step_asked(self) -> int:
        card = self.card
        row = card.trace.rows.get(card.ask.key) if card.ask else None
        steps = card.trace.steps
        return next((x.number for x in steps if row and x.stage is row.stage), len(steps))

    # --- from card to card -------------------------------------------------------------------

    @on(TourStrip.Moved)
    def _moved(self, event: TourStrip.Moved) -> None:
        self._go(event.by)

    @on(TourStrip.Entered)
    def _entered(self) -> None:
        if self.is_open:
            self._ask("")
        else:
            self._go(1)

    @on(TourStrip.Answering)
    def _answering(self, event: TourStrip.Answering) -> None:
        self._ask(event.start)

    def _go(self, by: int) -> None:
        if self._at + by >= len(self.lesson.cards):
            self._at, self._done = 0, True
            self._leave("That was the lesson")
        elif self._at + by >= 0:
            self._at += by
            self._show()

    @on(TourStrip.Left)
    def _left(self) -> None:
        self._leave(f"Lesson {self.lesson.head.name} was left at card {self._at + 1}")

    def _leave(self, said: str) -> None:
        self.places[self.lesson.head.name] = Left(self._at, self._done)
        self._main.leave_lesson(said)


def _said(text: str, ink: str = "") -> Said:
    plain: Text = (Piece(text),)
    return Said(plain, ink)


def opened(main: MainScreen, name: str, left: dict[str, Left], *, again: bool = False) -> Tour:
    """A lesson by name, to be put on the screen; raises LookupError."""
    return Tour(main, lesson(name), left, again=again)


def items(left: dict[str, Left]) -> tuple[list[str], list[Item], int]:
    """Every lesson as an item of a menu: names, items, and which is next."""
    names = [*files()]
    found = [_item(head, left.get(head.name, Left())) for head in heads()]
    places = (left.get(name, Left()) for name in names)
    open_ = (at for at, place in enumerate(places) if place.card or not place.done)
    return names, found, next(open_, 0)


def _item(head: Head, left: Left) -> Item:
    far = f", card {left.card + 1} of {head.cards}" if left.card else ", done" * left.done
    return Item(head.title, f"{head.minutes} min{far}")
