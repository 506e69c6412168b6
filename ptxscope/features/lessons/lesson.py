"""Lessons: short tours over real traces, read from Markdown files (``lessons/*.md``).

A file names a trace, a place in it and an explanation. It never contains a result; the engine
computes those. CONTRIBUTING.md explains how to write a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from ...engine.semantics.models import ISA_MODEL, Model, parse_model
from ...engine.syntax.errors import (
    PtxError,
    find_closest_spelling,
    make_printable,
    quote_word,
)
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import parse
from ...engine.syntax.values import parse_value
from ...engine.tracing.note_targets import parse_stage
from ...engine.tracing.operand_bits import bind_values
from ...engine.tracing.step_text import format_title
from ...engine.tracing.trace import Step, Trace, make_trace
from ...learn.question import Question
from .text_templates import TemplatePiece, Text, fill_template, format_row_names, strip_marks

FOLDER = Path(__file__).parent / "lessons"
MIN_PREDICTIONS = 3
"""Smallest number of predictions at the end of a lesson."""
MAX_WORDS = 45
"""Largest number of words on a card."""
COST_ARCH = "sm_90"
COST_RELEASE = "ptxas 13.0.88"
"""The target and the assembler by which the costs of lessons are counted."""
_NAME = re.compile(r"\d\d-([a-z][a-z0-9-]*+)")
_AT = re.compile(r"([\w.]++)(?>\s++lane\s++(\d)|)")
_HEAD = ("minutes", "summary", "group", "purpose", "c")
_OPTIONAL_HEAD = ("use", "cost")
_COST = re.compile(r"(\d++) (\S.*+)")
_FIELDS = ("ptx", "with", "model", "step", "at", "ask")
_MAX_FILE_CHARS = 1 << 18
"""Longest file in characters."""


class LessonError(ValueError):
    """Raised for an invalid file or an unknown name; the text has the reason and the remedy."""


class Anchor(NamedTuple):
    """A place that a card points at: a lane of a row, an operand, or a slot of the line."""

    key: str
    """Key of a row, role of an operand, or name of a slot."""
    lane: int | None = None
    is_slot: bool = False


class Cost(NamedTuple):
    """The cost of a line: its number of machine instructions, without loads and stores."""

    line: str
    instructions: int


class Head(NamedTuple):
    """A lesson without its cards."""

    name: str
    title: str
    minutes: int
    summary: str
    cards: int
    group: str = ""
    """The group that lists it."""
    purpose: str = ""
    """The aim of a programmer who writes its line of C."""
    c_line: str = ""
    use: str = ""
    """When to use its instruction today."""
    costs: tuple[Cost, ...] = ()
    """The costs of its lines on ``COST_ARCH``."""
    question_cards: tuple[int, ...] = ()
    """The indexes of the cards that ask a question."""


class Card(NamedTuple):
    """A card: a text about one place in a trace."""

    title: str
    text: Text
    trace: Trace
    step: int
    """Last revealed step, from 1; 0 shows the operands alone."""
    anchor: Anchor | None
    ask: Anchor | None
    """Place to predict."""
    remark: Text
    """Text shown after a right answer."""

    @property
    def question(self) -> Question:
        """The question of a card that asks for a prediction."""
        assert self.ask
        return Question(self.trace, self.ask.key, self.ask.lane)


class Lesson(NamedTuple):
    """A lesson with its cards."""

    head: Head
    cards: tuple[Card, ...]


# --- files -------------------------------------------------------------------------------


@cache
def list_files() -> Mapping[str, Path]:
    """Return the file of each lesson by name, in the order of the lessons."""
    matches = ((_NAME.fullmatch(path.stem), path) for path in sorted(FOLDER.glob("*.md")))
    return {match[1]: path for match, path in matches if match}


@cache
def map_groups() -> Mapping[str, str]:
    """Return the ability of a learner after each group of lessons, by its name, in their order."""
    text = (FOLDER / "course.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    return {name.strip(): " ".join(sentence.split()) for name, _, sentence in parts}


@cache
def list_headings() -> tuple[Head, ...]:
    """Return the head of every lesson."""
    return tuple(_read_file(name).head for name in list_files())


def parse_lesson_name(text: str) -> str:
    """Return the name of a lesson, from its name or number; raise LessonError if none exists."""
    names = [*list_files()]
    if text.isdecimal() and text.isascii() and 0 < int(text[:4]) <= len(names):
        return names[int(text[:4]) - 1]
    if text not in names:
        suggestion = find_closest_spelling(text.lower()[:40], names, 0.5)
        hint = f"did you mean `{suggestion}`? " if suggestion else ""
        message = f"there is no lesson {make_printable(text[:40])!r}; {hint}"
        raise LessonError(f"{message}lessons: {', '.join(names)}")
    return text


@cache
def load_lesson(name: str) -> Lesson:
    """Return a lesson by name; raise LookupError if none exists, LessonError if it is invalid."""
    return _read_file(name).lesson


def _read_file(name: str) -> LessonSource:
    path = list_files()[name]
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LessonError(f"{path.name}: it is not UTF-8: {error}") from None
    return LessonSource(text, path.name, name)


# --- parser ------------------------------------------------------------------------------


class _SourceLine(NamedTuple):
    number: int
    text: str


class _CardSource(NamedTuple):
    """A card as written."""

    title: _SourceLine
    fields: dict[str, _SourceLine]
    text: list[_SourceLine]
    remark: list[_SourceLine]


_ResultT = TypeVar("_ResultT")


class LessonSource:
    """Parser of the text of a lesson."""

    def __init__(self, text: str, file: str, name: str) -> None:
        self._file = file
        self._name = name
        if len(text) > _MAX_FILE_CHARS:
            raise self._make_error(
                None, f"{len(text):,} characters; the limit is {_MAX_FILE_CHARS:,}"
            )
        self._lines = [_SourceLine(n, line.rstrip()) for n, line in enumerate(text.splitlines(), 1)]
        self._starts = [
            index for index, line in enumerate(self._lines) if line.text.startswith("## ")
        ]

    def _make_error(self, line: _SourceLine | None, reason: str) -> LessonError:
        place = f"{self._file}:{line.number if line else 1}"
        return LessonError(f"{place}: {make_printable(reason)}")

    def _try_line(self, line: _SourceLine, work: Callable[[], _ResultT]) -> _ResultT:
        """Call `work` and report its errors with the number of a line."""
        try:
            return work()
        except PtxError as error:
            raise self._make_error(line, error.summary) from None
        except LessonError:
            raise
        except ValueError as error:
            raise self._make_error(line, str(error)) from None

    @cached_property
    def head(self) -> Head:
        """The title and the fields before the first card."""
        first = self._starts[0] if self._starts else len(self._lines)
        lines = [line for line in self._lines[:first] if line.text]
        if not lines or not lines[0].text.startswith("# "):
            raise self._make_error(
                lines[0] if lines else None, "a lesson begins with `# Its title`"
            )
        fields = self._parse_fields(lines[1:], (*_HEAD, *_OPTIONAL_HEAD))
        for name in _HEAD:
            if name not in fields:
                raise self._make_error(lines[0], f"`{name}: …` is missing below the title")
        minutes = fields["minutes"]
        if minutes.text not in {*"345678"}:
            raise self._make_error(
                minutes, f"minutes is {quote_word(minutes.text)}; allowed: 3 to 8"
            )
        title = lines[0].text[2:].strip()
        cost = fields.get("cost")
        return Head(
            self._name,
            title,
            int(minutes.text),
            fields["summary"].text,
            len(self._starts),
            fields["group"].text,
            fields["purpose"].text,
            fields["c"].text,
            fields["use"].text if "use" in fields else "",
            tuple(self._parse_costs(cost)) if cost else (),
            tuple(self._iter_question_cards()),
        )

    def _iter_question_cards(self) -> Iterator[int]:
        """Yield the index of each card that asks a question."""
        for index, (start, end) in enumerate(pairwise([*self._starts, len(self._lines)])):
            if any(line.text.startswith("ask:") for line in self._lines[start:end]):
                yield index

    def _parse_costs(self, line: _SourceLine) -> Iterator[Cost]:
        """Yield the costs of lines: ``27 vadd4.u32.u32.u32.sat d, a, b, c; 5 vadd4 …``."""
        for part in line.text.split(";"):
            match = _COST.fullmatch(part.strip())
            if match is None:
                raise self._make_error(line, f"cost is {quote_word(part)}; write COUNT LINE; …")
            ins = self._try_line(line, partial(parse, match[2]))
            yield Cost(str(ins), int(match[1]))

    @cached_property
    def lesson(self) -> Lesson:
        """The whole lesson."""
        head = self.head
        cards: list[Card] = []
        registers: dict[str, int] = {}
        for part in self._split_cards():
            cards.append(self._make_card(part, cards[-1] if cards else None, registers))
        predictions = [card for card in cards[-MIN_PREDICTIONS:] if card.ask]
        if len(predictions) < MIN_PREDICTIONS:
            line = self._lines[self._starts[-1]] if self._starts else None
            reason = f"the last {MIN_PREDICTIONS} cards are predictions: `ask: …`"
            raise self._make_error(line, reason)
        return Lesson(head, tuple(cards))

    def _split_cards(self) -> Iterator[_CardSource]:
        ends = (*self._starts[1:], len(self._lines))
        for start, end in zip(self._starts, ends, strict=False):
            title, *lines = self._lines[start:end]
            fields: dict[str, _SourceLine] = {}
            while lines and not lines[0].text:
                lines.pop(0)
            if lines and lines[0].text == "```card":
                end_index = next(
                    (index for index, x in enumerate(lines) if index and x.text == "```"), 0
                )
                if not end_index:
                    raise self._make_error(lines[0], "this block is not closed by ```")
                fields = self._parse_fields([x for x in lines[1:end_index] if x.text], _FIELDS)
                lines = lines[end_index + 1 :]
            remark = [x._replace(text=x.text[1:]) for x in lines if x.text.startswith(">")]
            text = [x for x in lines if not x.text.startswith(">")]
            yield _CardSource(title._replace(text=title.text[3:].strip()), fields, text, remark)

    def _parse_fields(
        self, lines: list[_SourceLine], allowed_names: tuple[str, ...]
    ) -> dict[str, _SourceLine]:
        fields: dict[str, _SourceLine] = {}
        for line in lines:
            name, colon, value = line.text.partition(":")
            if not colon or name.strip() not in allowed_names:
                allowed = ", ".join(f"{x}:" for x in allowed_names)
                raise self._make_error(line, f"{quote_word(line.text)} is not one of {allowed}")
            if name in fields:
                raise self._make_error(line, f"{name}: is given twice")
            fields[name.strip()] = line._replace(text=value.strip())
        return fields

    # --- a card --------------------------------------------------------------------------

    def _make_card(
        self, part: _CardSource, previous: Card | None, registers: dict[str, int]
    ) -> Card:
        """Return a card; `registers` carries values and results on to the next card."""
        trace = self._make_trace(part, previous, registers)
        anchor, ask = (
            self._try_line(line, partial(_parse_anchor, line.text, trace)) if line else None
            for line in (part.fields.get("at"), part.fields.get("ask"))
        )
        if ask is not None and (ask.is_slot or not _is_predictable(ask, trace)):
            results = ", ".join(trace.instruction.results)
            reason = f"a prediction asks for a lane of a row, or for {results}"
            raise self._make_error(part.fields["ask"], reason)
        step = self._find_step(part, trace, ask)
        self._check_places(part, trace, step, anchor, ask)
        text, remark = (self._fill_paragraphs(lines, trace) for lines in (part.text, part.remark))
        if not text:
            raise self._make_error(part.title, "the card says nothing")
        if (count := len(strip_marks(text).split())) > MAX_WORDS:
            raise self._make_error(
                part.title, f"the card has {count} words; the limit is {MAX_WORDS}"
            )
        if bool(remark) != (ask is not None):
            problem = (
                "a prediction needs a remark, `> …`" if ask else "only predictions have a remark"
            )
            raise self._make_error(part.title, problem)
        return Card(part.title.text, text, trace, step, anchor or ask, ask, remark)

    def _make_trace(
        self, part: _CardSource, previous: Card | None, registers: dict[str, int]
    ) -> Trace:
        ptx_line, values_line = part.fields.get("ptx"), part.fields.get("with")
        if ptx_line is not None:
            ins = self._try_line(ptx_line, lambda: parse(ptx_line.text))
            if previous is not None:
                registers |= previous.trace.result
        elif previous is None:
            raise self._make_error(part.title, "the first card needs `ptx: …`")
        else:
            ins = previous.trace.instruction
        if values_line is not None:
            registers |= self._try_line(values_line, lambda: _parse_values(values_line.text, ins))
        values = {x.name: registers[x.name] for x in ins.inputs if x.name in registers}
        missing_names = [x.name for x in ins.inputs if x.name not in values]
        if missing_names:
            raise self._make_error(
                values_line or ptx_line or part.title, f"no value for {', '.join(missing_names)}"
            )
        return make_trace(ins, self._choose_model(part, previous), bind_values(ins, values))

    def _choose_model(self, part: _CardSource, previous: Card | None) -> Model:
        """Return the model of a card: the previous card's while the instruction is the same."""
        line = part.fields.get("model")
        if line is not None:
            return self._try_line(line, lambda: parse_model(line.text))
        is_kept = previous is not None and "ptx" not in part.fields
        return previous.trace.model if previous and is_kept else ISA_MODEL

    def _find_step(self, part: _CardSource, trace: Trace, ask: Anchor | None) -> int:
        line, steps = part.fields.get("step"), trace.steps
        if line is not None and line.text == "0":
            return 0
        if line is not None:
            stage = self._try_line(line, lambda: parse_stage(line.text, trace))
            return next(step.number for step in steps if step.stage is stage)
        if ask is None:
            return len(steps)
        return find_step_number(ask, trace) - 1 if ask.key in trace.rows else 1

    def _check_places(
        self, part: _CardSource, trace: Trace, step: int, anchor: Anchor | None, ask: Anchor | None
    ) -> None:
        """Check that the anchor is visible at a step, and the place to predict is not."""
        is_row = anchor is not None and anchor.key in trace.rows
        if anchor and is_row and anchor != ask and find_step_number(anchor, trace) > step:
            raise self._make_error(part.fields["at"], f"{anchor.key} is not shown at this step yet")
        if ask and find_step_number(ask, trace) <= step:
            raise self._make_error(part.fields["ask"], f"{ask.key} is shown already at this step")

    def _fill_paragraphs(self, lines: list[_SourceLine], trace: Trace) -> Text:
        """Join paragraphs into single lines and fill their templates from the trace."""
        filled: list[TemplatePiece] = []
        separator = ""
        for line in lines:
            text = line.text.strip()
            if not text:
                separator = "\n\n" if filled else ""
                continue
            if text.count("`") % 2:
                raise self._make_error(line, "a ` is not closed in this line")
            pieces = self._try_line(line, partial(fill_template, text, trace))
            filled += [TemplatePiece(separator), *pieces]
            separator = " "
        return tuple(piece for piece in filled if piece.text)


def _parse_values(text: str, ins: Instruction) -> dict[str, int]:
    """Parse ``a=0x80 b=-1``: bits by register."""
    bits_by_name: dict[str, int] = {}
    types = {name: ins.type_of(role) for role, name in ins.names.items()}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or name not in types:
            raise ValueError(f"{quote_word(word)} is not a value of {', '.join(types)}, as a=0x80")
        bits_by_name[name] = parse_value(value, types[name])
    return bits_by_name


def _parse_anchor(text: str, trace: Trace) -> Anchor:
    match = _AT.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{quote_word(text)} is not a place; places are `operate.t lane 2`, `a`, `sat`"
        )
    key, lane = match[1], None if match[2] is None else int(match[2])
    row = trace.rows.get(key)
    if row is not None:
        if (lane is None and len(row.values) > 1) or (lane or 0) >= len(row.values):
            raise ValueError(f"{key} has lanes 0 to {len(row.values) - 1}: `{key} lane 0`")
        return Anchor(key, lane)
    ins = trace.instruction
    if key in ins.results or key in trace.operands:
        if lane is not None and lane > 3:
            raise ValueError(f"{key} has parts 0 to 3")
        return Anchor(key, lane)
    slots = [slot.name for slot in ins.entry.slots]
    if key in slots and lane is None:
        return Anchor(key, is_slot=True)
    operands = ", ".join(dict.fromkeys((*trace.operands, *ins.results)))
    raise ValueError(
        f"there is no {quote_word(text)}; {format_row_names(trace)}; operands are {operands}; "
        f"slots are {', '.join(slots)}"
    )


def _is_predictable(ask: Anchor, trace: Trace) -> bool:
    return ask.key in trace.rows or (ask.key in trace.instruction.results and ask.lane is None)


def find_step(anchor: Anchor | None, trace: Trace) -> Step | None:
    """Return the step that shows a place; None if the place is not in a row."""
    row = trace.rows.get(anchor.key) if anchor else None
    return next((x for x in trace.steps if row and x.stage is row.stage), None)


def find_step_number(anchor: Anchor | None, trace: Trace) -> int:
    """Return the number of the step that shows a place: the last one if it is not in a row."""
    step = find_step(anchor, trace)
    return step.number if step else len(trace.steps)


def format_anchor_name(anchor: Anchor, trace: Trace) -> str:
    """Return the name of a place: ``add, lane 2``; ``extend a``; ``a``; ``the modifier dtype``."""
    step = find_step(anchor, trace)
    if anchor.is_slot:
        return f"the modifier {anchor.key}"
    if step is None:
        name = trace.instruction.format_operand(anchor.key)
        return name if anchor.lane is None else f"{name}, part {anchor.lane}"
    row = trace.rows[anchor.key]
    lane_suffix = f", lane {anchor.lane}" if anchor.lane is not None and len(row.values) > 1 else ""
    row_suffix = "" if row.name == "t" else f" {row.name}"
    return f"{format_title(step)}{row_suffix}{lane_suffix}"
