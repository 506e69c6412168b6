"""Explanations of a block's result: of its statements, and by other texts that features try."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnosis.explanations import Diagnosis, Explanations, investigate
from ..diagnosis.observation import Observation
from ..engine.tracing.basic_block import BasicBlock
from ..feature import Service, find_services


def explain_block(block: BasicBlock, observations: Sequence[Observation]) -> Diagnosis:
    """Return the explanations of observations, most likely first."""
    diagnosis = investigate(block, observations)
    is_documented = any(not x.causes for x in diagnosis.explanations[:1])
    if len(block.lines) < 2 or is_documented:
        return diagnosis
    explanations = [*diagnosis.explanations]
    for explain in find_services(Service.EXPLAIN_BLOCK):
        explanations += explain(block, observations, diagnosis.shown_index)
    explanations.sort(key=lambda x: x.rank)
    return diagnosis._replace(explanations=Explanations(explanations))
