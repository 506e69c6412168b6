"""``ptxscope challenge``: exercises, asked and graded in a plain terminal or through a pipe."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ...engine.syntax.errors import PtxError, format_count, make_printable
from ...learn.exercises import (
    Exercise,
    feedback_lines,
    format_prompt,
    grade_answer,
    iter_exercises,
    list_hints,
    map_families,
    question_lines,
    skipped_lines,
)
from ...learn.seeded_random import LEVELS
from ...learn.tally import Count, ExerciseOutcome, Tally
from ..support.arguments import Parser, make_command_parser
from ..support.command_error import CommandError
from ..support.streams import print_message

if TYPE_CHECKING:
    from ...state.state_store import StateStore

_EPILOG = """\
An answer is one line: a value in any notation, the number of a choice, or operands as name=value.
`?` shows a hint, an empty line skips, Ctrl-D ends. Without a seed, what you got wrong before comes
up more often; with one, everyone gets the same exercises.

examples:
  ptxscope challenge
  ptxscope challenge --family vadd --level 2 -n 5
  ptxscope challenge --seed lecture-3 --level 3
  ptxscope challenge --tally tally.csv

Exit status: 0 if no answer was wrong, 1 if one was, 2 if the request is invalid, 130 after Ctrl-C.
"""
_WIDTH = 79
_MAX_ANSWER_CHARS = 1 << 16
"""Maximum characters or bytes that are read of an answer's line."""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Practise with exercises drawn from the catalog."
    parser = make_command_parser("challenge", about, _EPILOG)
    parser.add_argument(
        "--family",
        metavar="FAMILY",
        choices=[*map_families()],
        help="instructions to practise: compare, scalar, simd, permute, fields, packed or common; "
        "an operation in all its widths: vadd; an instruction: vadd4",
    )
    parser.add_argument(
        "--level",
        choices=[*map(str, LEVELS)],
        default="1",
        help="complexity of the instructions (default: 1)",
    )
    parser.add_argument(
        "--seed", metavar="SEED", help="word that selects the exercises, the same for everyone"
    )
    parser.add_argument("-n", metavar="N", default="10", help="number of exercises (default: 10)")
    parser.add_argument(
        "--tally",
        metavar="FILE",
        nargs="?",
        const="",
        help="results so far, without exercises: printed, or written to FILE (.csv or .json; - is "
        "standard output)",
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Ask, grade and count, or print the counts."""
    arguments = make_parser().parse_args(list(words))
    count = _number(arguments.n)
    store = _store()
    tally = store.load_tally() if store else Tally()
    for message in store.messages if store else ():
        print_message(message)
    if arguments.tally is not None:
        _export(tally, arguments.tally)
        return 0
    seed = arguments.seed if arguments.seed is not None else _make_seed()
    bias = None if arguments.seed is not None else tally
    exercises = islice(
        iter_exercises(seed, int(arguments.level), arguments.family or "", bias), count
    )
    exercise_run = ExerciseRun(store, tally, Count(), count)
    try:
        for exercise in exercises:
            exercise_run = _ask_one(exercise_run, exercise)
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        _print_result(exercise_run)
        return 130
    _print_result(exercise_run)
    return 1 if exercise_run.run_count.wrong else 0


class ExerciseRun(NamedTuple):
    """The state of the exercises."""

    store: StateStore | None
    tally: Tally
    run_count: Count
    """The counts of this run alone."""
    requested_count: int
    """The number of exercises to ask."""

    def with_(self, exercise: Exercise, outcome: ExerciseOutcome, hint_count: int) -> ExerciseRun:
        """Return the state after one more exercise, and save it if possible."""
        key = (exercise.opcode, exercise.kind)
        outcome_count = Tally().with_exercise(key, outcome, hint_count).total
        store = self.store
        tally = store.load_tally() if store else self.tally  # others may count at the same time
        tally = tally.with_exercise(key, outcome, hint_count)
        if store:
            try:
                store.save_tally(tally)
            except OSError as error:
                print_message(f"the tally can't be saved: {error.strerror or error}")
                store = None
        return ExerciseRun(store, tally, self.run_count.add(outcome_count), self.requested_count)


def _ask_one(state: ExerciseRun, exercise: Exercise) -> ExerciseRun:
    """Ask until the exercise is answered or skipped. Raise EOFError at the end of the answers."""
    title, *lines = question_lines(exercise)
    print(f"{exercise.number}/{state.requested_count}  {title}")
    print("\n".join(lines))
    hints, hint_count = iter(list_hints(exercise)), 0
    while True:
        text = _read_line(format_prompt(exercise))
        if text.strip() == "?":
            hint = next(hints, "")
            hint_count += bool(hint)
            _print_sentences([hint or "There are no more hints."])
            continue
        if not text.strip():
            _print_sentences(skipped_lines(exercise))
            print()
            return state.with_(exercise, ExerciseOutcome.SKIPPED, hint_count)
        try:
            verdict = grade_answer(exercise, text)
        except PtxError as error:
            print(error)
            continue
        _print_sentences(feedback_lines(exercise, verdict))
        print()
        return state.with_(
            exercise,
            ExerciseOutcome.RIGHT if verdict.is_right else ExerciseOutcome.WRONG,
            hint_count,
        )


def _print_sentences(sentences: Iterable[str]) -> None:
    for text in sentences:
        lead, follow = "  ", "    "
        print(textwrap.fill(text, _WIDTH, initial_indent=lead, subsequent_indent=follow))


def _read_line(prompt: str) -> str:
    """Return a typed or piped line. Raise EOFError if there is none."""
    print(prompt, end="", flush=True)
    source = getattr(sys.stdin, "buffer", None)
    try:
        if source is None:
            text = sys.stdin.readline(_MAX_ANSWER_CHARS)
        else:
            data: bytes = source.readline(_MAX_ANSWER_CHARS)
            text = data.decode("utf-8", "replace")
            while data and not data.endswith(b"\n"):
                data = source.readline(_MAX_ANSWER_CHARS)  # the rest of a line that is too long
    except OSError as error:
        raise CommandError(f"error: standard input: {error.strerror or error}") from None
    if not text:
        raise EOFError
    text = text.rstrip("\r\n")
    if not sys.stdin.isatty():
        print(make_printable(text)[:_WIDTH])
    return text


def _print_result(exercise_run: ExerciseRun) -> None:
    count = exercise_run.run_count
    if count.total:
        text = f"{count.right} of {count.total} right"
        text += f", {count.skipped} skipped" if count.skipped else ""
        print(f"{text}, {format_count(count.hints, 'hint')}." if count.hints else f"{text}.")
    else:
        print("Nothing was answered.")
    total = exercise_run.tally.total
    if total.total > count.total:
        print(
            f"So far {total.right} of {total.total} are right; "
            "`ptxscope challenge --tally` shows details."
        )


def _export(tally: Tally, name: str) -> None:
    """Print the counts, or write them to a file."""
    if not name:
        rows = list(tally.rows)
        if not rows:
            print("There are no answers yet: run `ptxscope challenge`.")
            return
        print(f"{'':<12}{'':<10}{'right':>7}{'wrong':>7}{'skipped':>9}{'hints':>7}")
        for row in rows:
            print(
                f"{row['opcode']:<12}{row['kind']:<10}{row['right']:>7}{row['wrong']:>7}"
                f"{row['skipped']:>9}{row['hints']:>7}"
            )
        return
    if name == "-":
        print(tally.csv, end="")
        return
    from ... import files

    path = files.expand_path(name)
    files.replace(path, (tally.json if path.suffix == ".json" else tally.csv).encode())


def _number(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 7 and int(text):
        return int(text)
    raise CommandError(f"error: -n {make_printable(text)}: a number from 1 to 999999")


def _store() -> StateStore | None:
    """Return the store of the tally; None if the user has no folders."""
    from ...state.state_store import StateStore

    try:
        return StateStore()
    except RuntimeError as error:
        print_message(f"the tally can't be saved: {error}")
        return None


def _make_seed() -> str:
    from random import SystemRandom

    return str(SystemRandom().getrandbits(64))
