"""``ptxscope lesson``: short tours, played in the explorer, or line by line through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial

from ...cli.support.arguments import Parser, make_command_parser
from ...cli.support.streams import CommandError, print_message, report_errors
from ...documents.formats.report import REPORT_FORMATS
from ...documents.formats.text import wrap_text
from ...engine.syntax.errors import make_printable
from ...learn.practice import Practice, make_random, map_families
from ...state.state_store import StateStore
from . import lesson_text
from .lesson import (
    Anchor,
    Card,
    Head,
    Lesson,
    LessonError,
    list_files,
    list_headings,
    load_lesson,
    parse_lesson_name,
)
from .lesson_position import LessonPosition, LessonProgress, find_next_lesson
from .progress_store import load_progress, save_progress

_EPILOG = """\
examples:
  ptxscope lesson
  ptxscope lesson lanes
  ptxscope lesson lanes --plain         # line by line, as through a pipe
  ptxscope lesson errata -f markdown > errata.md
  ptxscope lesson --practise vadd

Enter continues, b goes back, a value answers a question, ? shows a hint, s shows the answer. Ctrl-D
or q leaves; the next time, the lesson continues where you left off. --practise asks for the results
of random lines until you leave; after three right answers in a row, they get harder.
"""
_NO_HOME = "there is no home folder, so your position is not saved"
_MAX_ANSWER_CHARS = 1 << 12
"""Maximum bytes of an answer."""
_WIDTH = 79
"""Maximum characters of an answer that are echoed."""


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "lesson", "Predict results in short lessons: list them, or play one.", _EPILOG
    )
    parser.add_argument("name", metavar="LESSON", nargs="?", help="name or number of a lesson")
    parser.add_argument(
        "-f",
        "--format",
        choices=REPORT_FORMATS,
        metavar="FORMAT",
        help=f"output format of the whole lesson, for reading: {', '.join(REPORT_FORMATS)}",
    )
    parser.add_argument(
        "--practise",
        choices=[*map_families()],
        metavar="FAMILY",
        help="predict random lines of a family: compare, scalar, simd, permute, fields, packed "
        "or common; an operation in all its widths: vadd; an instruction: vadd4",
    )
    parser.add_argument("--restart", action="store_true", help="start at the first card")
    parser.add_argument("--plain", action="store_true", help="play line by line, as through a pipe")
    return parser


def complete_lesson(*_: object) -> Mapping[str, str]:
    """Return the names of the lessons, with their titles."""
    return {head.name: head.title for head in list_headings()}


def run(words: Sequence[str]) -> int:
    """List the lessons, or play or print one."""
    with report_errors(LessonError):  # the file may be in the middle of a write
        return _play_lesson(words)


def _play_lesson(words: Sequence[str]) -> int:
    parser = make_parser()
    arguments = parser.parse_args(words)
    if arguments.practise:
        if arguments.name or arguments.format or arguments.restart or arguments.plain:
            parser.error("--practise takes no LESSON, --format, --restart or --plain")
        return _Drill(arguments.practise).play()
    if arguments.name is None:
        if arguments.format or arguments.restart or arguments.plain:
            parser.error("LESSON is missing: `ptxscope lesson` lists them")
        _list()
        return 0
    name = parse_lesson_name(arguments.name)
    lesson = load_lesson(name)
    if arguments.format:
        sys.stdout.write(lesson_text.render(lesson, arguments.format))
        return 0
    is_plain = arguments.plain or not all(
        stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)
    )
    if is_plain:
        return _Player(lesson, is_restart=arguments.restart).play()
    from ...cli.commands.open import open_explorer
    from .transitions import open_lesson

    return open_explorer(
        opening=partial(open_lesson, name=name, card=0 if arguments.restart else None)
    )


def _store() -> StateStore | None:
    try:
        return StateStore()
    except RuntimeError:
        return None


def _list() -> None:
    """Print every lesson with its minutes and the user's progress."""
    store = _store()
    progress = load_progress(store) if store else {}
    group = ""
    for number, head in enumerate(list_headings(), 1):
        if head.group != group:
            group = head.group
            print(f"\n{group}" if number > 1 else group)
        far = _format_progress(head, progress.get(head.name, LessonProgress()))
        print(f"{number:2} {head.name:<15}{head.minutes} min  {far:<8}{head.title}")
        print(*_wrap_text(head.summary, " " * 18), sep="\n")
    print("\n`ptxscope lesson NAME` plays one.")
    for message in store.messages if store else ():
        print_message(f"note: {message}")


def _format_progress(head: Head, progress: LessonProgress) -> str:
    if progress.card:
        return progress.describe_card(head)
    return "done" if progress.done else ""


class _Player:
    """Plays a lesson, line by line."""

    def __init__(self, lesson: Lesson, *, is_restart: bool) -> None:
        self._store = _store()
        progress = load_progress(self._store) if self._store else {}
        lesson_progress = progress.get(lesson.head.name, LessonProgress())
        self._position = LessonPosition(lesson, lesson_progress, from_start=is_restart)

    def play(self) -> int:
        """Show card after card until the end, or until the user leaves."""
        head = self._position.lesson.head
        for message in self._store.messages if self._store else (_NO_HOME,):
            print_message(f"note: {message}")
        print(head.title, *_wrap_text(f"{head.minutes} minutes: {head.summary}", ""), sep="\n")
        for text in lesson_text.list_aims(head):
            print(*lesson_text.wrap_text(text), sep="\n")
        if self._position.index:
            print(f"Resuming at card {self._position.index + 1}; --restart starts at the first.")
        self._print_card()
        while (line := self._read_answer()) is not None:
            word = line.strip()
            if word in ("q", "quit"):
                break
            if not self._handle_word(word):
                return self._end()
        else:
            print()
        self._save_progress()
        number = self._position.index + 1
        print(f"Stopped at card {number}. `ptxscope lesson {head.name}` resumes here.")
        return 0

    def _handle_word(self, word: str) -> bool:
        """Execute the typed word and return False at the end."""
        if word == "b":
            self._go(-1)
        elif self._position.is_open:
            self._grade_word(word)
        elif word:
            print("Enter continues, b goes back, q leaves.")
        elif not self._position.is_last:
            self._go(1)
        else:
            return False
        return True

    def _read_answer(self) -> str | None:
        """Return the typed line; None at the end of the input."""
        prompt = "[Enter] "
        if self._position.is_open:
            prompt = f"{lesson_text.describe_question(self._position.card)} = "
        sys.stdout.write(prompt)
        sys.stdout.flush()
        try:
            source = getattr(sys.stdin, "buffer", None)
            if source is None:
                line = sys.stdin.readline(_MAX_ANSWER_CHARS)
            else:
                line = source.readline(_MAX_ANSWER_CHARS).decode("utf-8", "replace")
        except OSError as error:
            why = error.strerror or str(error)
            raise CommandError(f"error: standard input: {why}") from None
        if line and not sys.stdin.isatty():
            print(make_printable(line.rstrip("\r\n"))[:_WIDTH])  # as a terminal would show it
        return line or None

    # --- cards -----------------------------------------------------------------------------

    def _print_card(self, previous_card: Card | None = None) -> None:
        card, count = self._position.card, len(self._position.lesson.cards)
        print(f"\n--- {self._position.index + 1} of {count}: {card.title}\n")
        lines = lesson_text.format_picture(card, previous_card)
        if anchor_text := lesson_text.describe_anchor(card):
            lines += ["", *_wrap_text(anchor_text, "  > ")]
        for line in (*lines, "", *lesson_text.wrap_text(card.text)):
            print(line)
        if card.ask:
            print("(a value; ? gives a hint, s shows it)")
        print()

    def _go(self, delta: int) -> None:
        """Go to another card; before the first, show it again."""
        previous_card = self._position.card
        if not self._position.go(delta):
            self._position.go(0)
        self._save_progress()
        self._print_card(previous_card if delta > 0 else None)

    def _grade_word(self, word: str) -> None:
        if word == "?":
            self._position.give_hint()
            self._print_feedback()
            return
        if not word:
            print("A value, ? or s.")
            return
        if word == "s":
            self._position.reveal()
            self._reveal("It is")
            return
        self._position.answer(word)
        if self._position.is_answered:
            self._reveal("")
        else:
            self._print_feedback()

    def _print_feedback(self) -> None:
        from .text_templates import strip_marks

        if feedback := self._position.feedback:
            print(*_wrap_text(strip_marks(feedback.text), ""), sep="\n")

    def _reveal(self, remark: str) -> None:
        if remark:
            print(f"{remark} {lesson_text.format_answer(self._position.card)}.")
        else:
            print(*lesson_text.wrap_text(self._position.card.remark), sep="\n")
        print("", *lesson_text.format_solution(self._position.card), "", sep="\n")

    def _end(self) -> int:
        """Finish after the last card, and play the next lesson if the user continues."""
        self._position.finish()
        self._save_progress()
        print(f"End of the lesson: {self._position.score}.")
        name = self._position.lesson.head.name
        progress = load_progress(self._store) if self._store else {name: self._position.progress}
        following = find_next_lesson([*list_files()], progress, name)
        if following is None:
            return 0
        lesson = load_lesson(following)
        print(
            f"Enter plays the next, `ptxscope lesson {following}`: {lesson.head.title}. q leaves."
        )
        line = self._read_answer()
        print()
        if line is None or line.strip():
            return 0
        return _Player(lesson, is_restart=False).play()

    def _save_progress(self) -> None:
        """Save the position; report a failure once."""
        if self._store is None:
            return
        try:
            save_progress(self._store, self._position.lesson.head.name, self._position.progress)
        except OSError as error:
            print_message(f"note: your position is not saved: {error.strerror or error}")
            self._store = None


class _Drill(_Player):
    """Asks for the result of one drawn line after another; an empty line never answers."""

    def __init__(self, family: str) -> None:
        self._store = None
        self._practice, self._random = Practice(family), make_random()
        self._right_count = self._answered_count = 0

    def play(self) -> int:
        """Ask until the user leaves."""
        self._ask_next()
        while (line := self._read_answer()) is not None and line.strip() not in ("q", "quit"):
            self._handle_word(line.strip())
        print(f"\n{self._right_count} of {self._answered_count} right at the first try.")
        return 0

    def _handle_word(self, word: str) -> bool:
        if self._position.is_open:
            self._grade_word(word)
        elif word:
            print("Enter draws another line, q leaves.")
        else:
            self._ask_next()
        return True

    def _grade_word(self, word: str) -> None:
        super()._grade_word(word)
        if self._position.is_answered:
            is_right = self._position.is_right_at_once
            self._practice = self._practice.with_answer(is_right=is_right)
            self._answered_count += 1
            self._right_count += is_right

    def _ask_next(self) -> None:
        """Draw a line, and show it with its operands."""
        trace = self._practice.pick_trace(self._random)
        ask = Anchor(next(iter(trace.instruction.results)))
        title = f"line {self._answered_count + 1}, level {self._practice.level}"
        card = Card(title, (), trace, 0, None, ask, ())
        lesson = Lesson(Head(self._practice.family, title, 0, "", 1), (card,))
        self._position = LessonPosition(lesson, LessonProgress(), from_start=True)
        print(f"\n--- {title}\n", *lesson_text.format_picture(card), sep="\n")
        print("\n(a value; ? gives a hint, s shows it)\n")


def _wrap_text(text: str, lead: str) -> list[str]:
    return wrap_text(text, lead, " " * len(lead))
