"""Options for the content and the appearance of a document."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple, TypeVar

from ..engine.micro_operations.properties import Stage
from ..engine.syntax.errors import quote_value
from ..engine.tracing.trace import StepPlace, Trace
from .theme import Theme

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}\Z")


class Motion(StrEnum):
    """The motion of an SVG picture."""

    STILL = "still"
    STEPPING = "stepping"
    """The fragment ``#step-saturate`` in the address shows the steps up to that one."""


class MachineRow(NamedTuple):
    """A machine instruction in words."""

    offset: str
    code: str
    purpose: str
    """The value that it computes; indented if it is only part of the computation."""
    stage: str
    """The stage of that value; empty for loads, stores and constants."""


class MachineSection(NamedTuple):
    """The machine code of the line in words, the same for all operands."""

    arch: str
    count_text: str
    """The number of instructions that compute from operands."""
    tools: str
    """The assembler and the disassembler with their versions."""
    sentences: tuple[str, ...]
    """The models that it follows, and the errata."""
    rows: tuple[MachineRow, ...]
    models: tuple[str, ...]
    """The models that it follows."""
    undocumented_stages: frozenset[str]
    """The stages in which it computes another value than documented."""

    @property
    def computing_rows(self) -> list[MachineRow]:
        """The instructions that compute values; all if it is not known which do."""
        return [row for row in self.rows if row.stage] or [*self.rows]

    def computes(self, stage: str, model: str) -> bool:
        """Whether it computes the values that a stage has in a model."""
        is_documented = model == "isa" and stage not in self.undocumented_stages
        return is_documented or model in self.models

    @property
    def title(self) -> str:
        """The heading."""
        return f"Machine code for {self.arch}: {self.count_text}"


class Options(NamedTuple):
    """Options that every format accepts; a format ignores those it cannot use."""

    both: bool = False
    """Show the steps of the other answer too, if the models differ."""
    standalone: bool = False
    """Write a whole page instead of a fragment."""
    result: bool = True
    """Show the result; if false, values that reveal it are hidden too."""
    format: str = ""
    """Format of the document, for the command that it prints."""
    compact: bool = False
    """Pictures: use the width of a column of a paper, and omit steps that change nothing."""
    motion: Motion = Motion.STILL
    """SVG: motion."""
    scale: float | None = None
    """PNG and PDF: factor over the size of the SVG; None is the default of the format."""
    width: int | None = None
    """PNG and PDF: width in px, instead of a scale."""
    theme: Theme = Theme.AUTO
    """Light, dark, or that of the surrounding page."""
    id: str = ""
    """Prefix of ids; if empty, a hash of the content and the options."""
    heading_level: int | None = None
    """Markdown: level of the title, 1 to 6, with steps one level below; 0 makes bold text.

    None is level 2 below a title, and bold text without one.
    """
    is_early: bool = False
    """Whether the steps end before the last, as with ``--until``; if the result is not shown, the
    values that compute it still are."""

    footer: bool = True
    """Show the source with the version, and the command."""
    sentences: bool = True
    """Pictures: show sentences of ptxscope."""
    numbers: bool = True
    """Pictures: show what the bits of operands mean as numbers."""
    beside: Trace | None = None
    """Pictures: the trace of another line, or of the same on other values, at the right."""
    steps: frozenset[StepPlace] | None = None
    """Steps to show; None shows all."""
    folded: frozenset[int] = frozenset()
    """Statements of a block whose steps are left out, by number from 1."""
    machine_code: MachineSection | None = None
    """Text, markup and HTML: machine code to show after the steps of an instruction."""

    def shows(self, place: StepPlace) -> bool:
        """Whether a step is shown."""
        return self.steps is None or place in self.steps


DEFAULT = Options()


def validate_options(options: Options) -> Options:
    """Return the options with names as enum members; raise ValueError if one is invalid."""
    if not isinstance(options, Options):
        raise TypeError(
            f"options must be an Options, as in Options(both=True), not {quote_value(options)}"
        )
    for name in ("scale", "width"):
        size = getattr(options, name)
        if size is not None and (isinstance(size, bool) or not isinstance(size, int | float)):
            raise ValueError(f"{name} is {quote_value(size)}; it is a number above 0, or None")
        if size is not None and not 0 < size < float("inf"):
            raise ValueError(
                f"a scale and a width are numbers above 0; {name} is {quote_value(size)}"
            )
    level: object = options.heading_level
    if level is not None and (type(level) is not int or level not in range(7)):
        raise ValueError(f"heading_level is {quote_value(level)}; it is 1 to 6, or 0 for bold text")
    if options.beside is not None:
        rivals = {
            "compact": options.compact, "both": options.both,
            "motion": options.motion is not Motion.STILL, "sass": options.machine_code,
        }  # fmt: skip
        if names := [name for name, is_given in rivals.items() if is_given]:
            raise ValueError(f"two traces side by side and {names[0]}: choose one of them")
    return options._replace(
        theme=_parse_member("theme", options.theme, Theme),
        motion=_parse_member("motion", options.motion, Motion),
        id=validate_id(options.id) if options.id else "",
        steps=None if options.steps is None else frozenset(map(_parse_place, options.steps)),
    )


def _parse_place(place: object) -> StepPlace:
    """Return the place of a step; raise ValueError if it is none."""
    if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
        raise ValueError(
            f"steps: {quote_value(place)} is not the number of a statement and a stage"
        )
    return StepPlace(place[0], _parse_member("steps", place[1], Stage))


_Kind = TypeVar("_Kind", bound=StrEnum)


def _parse_member(field: str, value: object, enum_type: type[_Kind]) -> _Kind:
    """Return the member of an enum that equals a value; raise ValueError if there is none."""
    for member in enum_type:
        if value == member:
            return member
    raise ValueError(f"{field}: {quote_value(value)} is none of {', '.join(enum_type)}")


def validate_id(text: object) -> str:
    """Return an id that the author chose; raise ValueError if some format does not allow it."""
    if not isinstance(text, str) or not _ID.match(text):
        raise ValueError(
            f"{text!r:.42} is not an id: a letter, then letters, digits, '-', '_' and '.', "
            "at most 100 in all"
        )
    return text
