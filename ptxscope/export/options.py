"""What a document shows of a trace."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from ..engine.lazy_patterns import pattern
from ..engine.records import NamedTuple
from ..engine.semantics.plan import Stage
from ..engine.syntax.errors import quote_value
from .theme import Theme

_ID = pattern(r"[A-Za-z][A-Za-z0-9_.-]{0,99}\Z")


class Motion(StrEnum):
    """Whether an SVG picture moves."""

    STILL = "still"
    STEPPING = "stepping"
    """``#step-saturate`` behind its address shows the steps up to that one."""
    PLAYING = "playing"
    """Its steps come one after the other, for ever."""


class Options(NamedTuple):
    """Choices of a writer that every format knows; a format passes over what it can't use."""

    both: bool = False
    """Where models part, show the steps of the other answer as well."""
    standalone: bool = False
    """A whole page rather than a fragment to be put into one."""
    stages: frozenset[Stage] | None = None
    """The steps to show; None shows them all."""
    result: bool = True
    """Show the result; what would tell it goes with it."""
    format: str = ""
    """What the document is made in, as the command that it prints names it."""
    slide: bool = False
    """Pictures: in columns on a page of 16:9."""
    compact: bool = False
    """Pictures: as wide as one column of a paper, without the steps that change nothing."""
    motion: Motion = Motion.STILL
    """SVG: whether it moves."""
    scale: float | None = None
    """PNG and PDF: how many times as large as the SVG; None is a format's own choice."""
    width: int | None = None
    """PNG and PDF: how wide in px, instead of a scale."""
    theme: Theme = Theme.AUTO
    """Light, dark, or whichever the page is."""
    id: str = ""
    """What ids begin with; empty makes one of all that is asked for."""
    heading_level: int = 2
    """Markdown: the level of the title, 1 to 6, steps one below; 0 writes bold text instead."""

    def shows(self, stage: Stage) -> bool:
        """Whether a step is shown."""
        return self.stages is None or stage in self.stages


DEFAULT = Options()


def validated(options: Options) -> Options:
    """The options, names read for what they name; raises ValueError that says what is allowed."""
    if not isinstance(options, Options):
        raise TypeError(
            f"options are an Options, as in Options(both=True); {quote_value(options)} is none"
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
    if isinstance(level, bool) or not isinstance(level, int) or level not in range(7):
        raise ValueError(f"heading_level is {quote_value(level)}; it is 1 to 6, or 0 for bold text")
    stages = options.stages
    if options.compact and (options.slide or options.both):
        other = "a slide" if options.slide else "both answers"
        raise ValueError(f"a compact figure has no room for {other}: choose one of them")
    return options._replace(
        theme=_named("theme", options.theme, Theme),
        motion=_named("motion", options.motion, Motion),
        id=checked_id(options.id) if options.id else "",
        stages=None if stages is None else frozenset(_named("stages", x, Stage) for x in stages),
    )


_Kind = TypeVar("_Kind", bound=StrEnum)


def _named(field: str, value: object, kind: type[_Kind]) -> _Kind:
    """One of a kind, or what bears its name."""
    for known in kind:
        if value == known:
            return known
    raise ValueError(f"{field}: {quote_value(value)} is none of {', '.join(kind)}")


def checked_id(text: object) -> str:
    """An id that a writer chose; raises ValueError where it can't be one everywhere."""
    if not isinstance(text, str) or not _ID.match(text):
        raise ValueError(
            f"{text!r:.42} is no id: a letter, then letters, digits, '-', '_' and '.', "
            "at most 100 in all"
        )
    return text
