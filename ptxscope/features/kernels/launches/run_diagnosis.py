"""The explanations of a run."""

from __future__ import annotations

from typing import NamedTuple

from ....engine.program.statement import Statement


class RunExplanation(NamedTuple):
    """One change, and the number of expected elements that a run with it gives."""

    statement: Statement | None
    """The changed statement, or the one named for a missing statement; None for another model."""
    changed_text: str
    """The changed or the missing statement; empty for another model."""
    phrase: str
    """``with dtype `.u32` rather than `.s32```."""
    cost: int
    """Unlikelihood, from 0 to 6."""
    match_count: int
    copies: tuple[Statement, ...] = ()
    """Copies of the statement that are changed likewise, as by an unrolled loop."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statement and its copies; none for another model."""
        return (self.statement, *self.copies) if self.statement else ()


class RunDiagnosis(NamedTuple):
    """The explanations of a run, likeliest first."""

    explanations: tuple[RunExplanation, ...]
    """The explanations that give all expected elements."""
    near_misses: tuple[RunExplanation, ...]
    """The explanations that give more elements than the run did, if none gives all."""
    element_count: int
    """The expected elements."""
    try_count: int
    """The changes that were tried."""
    has_untried: bool = False
    """Whether less likely changes were not tried, since likely ones explain everything."""
    untried: str = ""
    """The changes left untried when the time was over: ``1,204 of 2,610 likely changes, …``."""
