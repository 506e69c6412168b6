"""What a document shows of a trace."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from ..engine.semantics.plan import Stage


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
    motion: Motion = Motion.STILL
    """SVG: whether it moves."""
    scale: float | None = None
    """PNG and PDF: how many times as large as the SVG; None is a format's own choice."""
    width: int | None = None
    """PNG and PDF: how wide in px, instead of a scale."""

    def shows(self, stage: Stage) -> bool:
        """Whether a step is shown."""
        return self.stages is None or stage in self.stages


DEFAULT = Options()
