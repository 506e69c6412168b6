"""``ptxscope lesson``: short tours, played in a plain terminal or through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engine.syntax.errors import PtxError, make_printable
from ..support.arguments import Parser, make_command_parser
from ..support.command_error import CommandError
from ..support.streams import print_message

if TYPE_CHECKING:
    from ...learn.lesson import Card, Lesson
    from ...learn.lesson_progress import LessonProgress
    from ...state.state_store import StateStore

_EPILOG = """\
examples:
  ptxscope lesson
  ptxscope lesson lanes
  ptxscope lesson lanes --explorer
  ptxscope lesson errata -f markdown > errata.md

Enter continues, b goes back, a value answers a question, ? shows a hint, s shows the answer. Ctrl-D
or q leaves; the next time, the lesson continues where you left it.
"""
_NO_HOME = "there is no home folder, so your position is not saved"
_LONGEST = 1 << 12
"""Maximum bytes of an answer."""
_WIDTH = 79
"""Maximum characters of an answer that are echoed."""


def make_parser() -> Parser:
    """Return the command's parser."""
    to = make_command_parser(
        "lesson", "Learn by predicting: list the lessons, or play one.", _EPILOG
    )
    to.add_argument("name", metavar="LESSON", nargs="?", help="name or number of a lesson")
    how = to.add_mutually_exclusive_group()
    how.add_argument(
        "-f",
        "--format",
        choices=("text", "markdown"),
        metavar="FORMAT",
        help="output format of the whole lesson, for reading: text, markdown",
    )
    how.add_argument("--explorer", action="store_true", help="play the lesson in the explorer")
    to.add_argument("--again", action="store_true", help="start at the first card")
    return to


def run(words: Sequence[str]) -> int:
    """List the lessons, or play or print one."""
    from ...learn.lesson import LessonError

    try:
        return _run(words)
    except LessonError as error:  # the file may be in the middle of a write
        raise CommandError(f"error: {error}") from None


def _run(words: Sequence[str]) -> int:
    to = make_parser()
    chosen = to.parse_args(words)
    if chosen.name is None:
        if chosen.format or chosen.explorer or chosen.again:
            to.error("LESSON is missing: `ptxscope lesson` lists them")
        _list()
        return 0
    from ...learn.lesson import load_lesson, parse_lesson_name

    name = parse_lesson_name(chosen.name)
    if chosen.explorer:
        from .open import run as explore

        return explore(["--lesson", name, *["--again"] * chosen.again])
    lesson = load_lesson(name)
    if chosen.format:
        from ...learn.lesson_text import render_markdown, render_text

        sys.stdout.write((render_text if chosen.format == "text" else render_markdown)(lesson))
        return 0
    return _Player(lesson, again=chosen.again).play()


def _store() -> StateStore | None:
    from ...state.state_store import StateStore

    try:
        return StateStore()
    except RuntimeError:
        return None


def _list() -> None:
    """Print every lesson with its minutes and the user's progress."""
    from ...learn.lesson import list_headings
    from ...learn.lesson_progress import LessonProgress

    store = _store()
    progress = store.load_lessons() if store else {}
    for number, head in enumerate(list_headings(), 1):
        far = _format_progress(progress.get(head.name, LessonProgress()), head.cards)
        print(f"{number:2} {head.name:<15}{head.minutes} min  {far:<8}{head.title}")
    print("\n`ptxscope lesson NAME` plays one; add --explorer to play it in the explorer.")
    for message in store.messages if store else ():
        print_message(f"note: {message}")


def _format_progress(progress: LessonProgress, cards: int) -> str:
    """Return the progress as text."""
    if progress.card:
        return f"{min(progress.card + 1, cards)} of {cards}"
    return "done" if progress.done else ""


class _Player:
    """Plays a lesson, line by line."""

    def __init__(self, lesson: Lesson, *, again: bool) -> None:
        self._lesson = lesson
        self._store = _store()
        progress = self._store.load_lessons() if self._store else {}
        before = progress.get(lesson.head.name)
        self._is_done = bool(before and before.done)
        last = len(lesson.cards) - 1
        self._card_index = min(before.card, last) if before and not again else 0
        self._answered = False

    def play(self) -> int:
        """Show card after card until the end, or until the user leaves."""
        head = self._lesson.head
        for message in self._store.messages if self._store else (_NO_HOME,):
            print_message(f"note: {message}")
        print(head.title, *_wrap_text(f"{head.minutes} minutes: {head.summary}", ""), sep="\n")
        if self._card_index:
            print(f"Resuming at card {self._card_index + 1}; --again starts at the first.")
        self._show()
        while (line := self._read_answer()) is not None:
            word = line.strip()
            if word in ("q", "quit"):
                break
            if not self._handle_word(word):
                return 0
        else:
            print()
        self._keep()
        print(
            f"Stopped at card {self._card_index + 1}. `ptxscope lesson {head.name}` resumes here."
        )
        return 0

    @property
    def _card(self) -> Card:
        return self._lesson.cards[self._card_index]

    @property
    def _is_open(self) -> bool:
        """Whether a question waits for its answer."""
        return self._card.ask is not None and not self._answered

    def _handle_word(self, word: str) -> bool:
        """Execute the typed word and return False at the end."""
        if word == "b":
            self._go(-1)
        elif self._is_open:
            self._grade_word(word)
        elif word:
            print("Enter continues, b goes back, q leaves.")
        elif self._card_index + 1 < len(self._lesson.cards):
            self._go(1)
        else:
            self._end()
            return False
        return True

    def _read_answer(self) -> str | None:
        """Return the typed line; None at the end of the input."""
        from ...learn.lesson_text import describe_question

        prompt = "[Enter] "
        if self._is_open:
            prompt = f"{describe_question(self._card)} = "
        sys.stdout.write(prompt)
        sys.stdout.flush()
        try:
            source = getattr(sys.stdin, "buffer", None)
            if source is None:
                line = sys.stdin.readline(_LONGEST)
            else:
                line = source.readline(_LONGEST).decode("utf-8", "replace")
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"error: standard input: {why}") from None
        if line and not sys.stdin.isatty():
            print(make_printable(line.rstrip("\r\n"))[:_WIDTH])  # as a terminal would show it
        return line or None

    # --- cards -----------------------------------------------------------------------------

    def _show(self, previous_card: Card | None = None) -> None:
        from ...learn.lesson_text import describe_anchor, picture_lines, wrap_text

        card, count = self._card, len(self._lesson.cards)
        print(f"\n--- {self._card_index + 1} of {count}: {card.title}\n")
        lines = picture_lines(card, previous_card)
        if said := describe_anchor(card):
            lines += ["", *_wrap_text(said, "  > ")]
        for line in (*lines, "", *wrap_text(card.text)):
            print(line)
        if card.ask:
            print("(a value; ? gives a hint, s shows it)")
        print()

    def _go(self, delta: int) -> None:
        """Go to another card."""
        before = self._card
        self._card_index = max(self._card_index + delta, 0)
        self._answered = False
        self._hint = self._wrong_count = 0
        self._keep()
        self._show(before if delta > 0 else None)

    _hint = 0
    _wrong_count = 0
    """The count of wrong answers to the question."""

    def _grade_word(self, word: str) -> None:
        """Grade the typed answer, or show a hint."""
        from ...learn.grader import format_reply, grade_answer, list_hints
        from ...learn.lesson_text import make_question

        question = make_question(self._card)
        if word in ("?", ""):
            found = list_hints(question) if word else ()
            if self._hint < len(found):
                print(*_wrap_text(found[self._hint], ""), sep="\n")
                self._hint += 1
            else:
                print(
                    "There are no more hints; s shows the answer." if word else "A value, ? or s."
                )
            return
        if word == "s":
            self._reveal("It is")
            return
        try:
            answer = grade_answer(question, word)
        except PtxError as error:
            allowed = f"; allowed: {error.hint}" if error.hint else ""
            print(*_wrap_text(make_printable(f"{error.message}{allowed}"), ""), sep="\n")
            return
        if answer.is_right:
            self._reveal("")
            return
        self._wrong_count += 1
        feedback = format_reply(question, answer, is_first=self._wrong_count == 1)
        print(*_wrap_text(make_printable(f"Not {word}. {feedback}"), ""), sep="\n")

    def _reveal(self, remark: str) -> None:
        """Show the result and the remark."""
        from ...learn.lesson_text import format_answer, revealed_step_lines, wrap_text

        if remark:
            print(f"{remark} {format_answer(self._card)}.")
        else:
            print(*wrap_text(self._card.remark), sep="\n")
        print("", *revealed_step_lines(self._card), "", sep="\n")
        self._answered = True

    def _end(self) -> None:
        """Finish after the last card."""
        from ...learn.lesson import list_files

        self._card_index, self._is_done = 0, True
        self._keep()
        names = [*list_files()]
        position = names.index(self._lesson.head.name) + 1
        print("End of the lesson.", end="")
        print(f" Next: `ptxscope lesson {names[position]}`" if position < len(names) else "")

    def _keep(self) -> None:
        """Save the position; report a failure once."""
        from ...learn.lesson_progress import LessonProgress

        if self._store is None:
            return
        position = {self._lesson.head.name: LessonProgress(self._card_index, self._is_done)}
        try:
            self._store.save_lessons(self._store.load_lessons() | position)
        except OSError as error:
            print_message(f"note: your position is not saved: {error.strerror or error}")
            self._store = None


def _wrap_text(text: str, lead: str) -> list[str]:
    from ...export.formats.text import wrap_text

    return wrap_text(text, lead, " " * len(lead))
