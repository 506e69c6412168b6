"""Changes of the listing of a CUDA source that nvcc does not optimize.

An optimized listing may have no single statement that is wrong: nvcc removes a branch that is never
taken, or makes several statements of one. Its other listing has each statement of the source once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ....engine.syntax.errors import PtxError
from ....sources.source_lines import SourceLines, read_source_lines
from .device_code import load_device_code
from .expected_elements import Expectations
from .instruction_changes import ChangeKind
from .kernel_run import KernelRun, Launch, choose_kernel
from .run_diagnosis import RunDiagnosis, RunExplanation
from .run_explanations import explain_run
from .thread_state import LaunchError

_STEP_FACTOR = 64
"""Statements that it executes for each one of the optimized listing, at most, beside the least."""
_LEAST_STEPS = 1 << 20


class UnoptimizedDiagnosis(NamedTuple):
    """The changes of the listing that is not optimized, which gives the same values."""

    text: str
    """The listing."""
    diagnosis: RunDiagnosis


def explain_unoptimized(
    launch: Launch,
    result: KernelRun,
    expected: Expectations,
    text: str,
    diagnosis: RunDiagnosis,
    on_progress: Callable[[int, int], None],
    *,
    tries_all: bool,
    timeout: float,
) -> UnoptimizedDiagnosis | None:
    """Return the changes of another listing of a launch's source that give the expected elements.

    ``result`` is the run of the launch, and ``diagnosis`` has the changes of its own listing. If
    these explain everything, only likely changes of the other one are tried. Return None if it
    cannot run, gives other values, or has no such change, or the first is less likely, or as likely
    and of the same line.
    """
    found, sources = None, read_source_lines(text)
    is_second = bool(diagnosis.explanations) and not tries_all
    kinds = [ChangeKind.LIKELY] if is_second else list(ChangeKind)
    with suppress(PtxError, LaunchError, ValueError):
        code = load_device_code(text, name="", kernel=launch.kernel.name)
        kernel, limit = choose_kernel(code, launch.kernel.name), launch.max_steps
        limit = min(limit, _STEP_FACTOR * result.step_count + _LEAST_STEPS)
        other = launch._replace(code=code, kernel=kernel, max_steps=limit)
        run = other.run()
        pairs = [(run.get_buffer(x), result.get_buffer(x)) for x in expected]
        if run.is_complete and all(np.array_equal(x.words, y.words) for x, y in pairs):
            found = explain_run(
                other,
                run,
                expected,
                on_progress,
                tries_all=tries_all,
                timeout=timeout,
                kinds=kinds,
            )
    if found is None:
        return None
    placed = [x for x in found.explanations if _find_own_place(sources, x)]
    if not placed:  # of a function in a header of nvcc, or none at all
        return None
    if diagnosis.explanations:
        first, own_sources = diagnosis.explanations[0], read_source_lines(launch.code.text)
        is_same = _find_own_place(own_sources, first) == _find_own_place(sources, placed[0])
        if first.cost < placed[0].cost + is_same:
            return None
    return UnoptimizedDiagnosis(text, found._replace(explanations=tuple(placed)))


def _find_own_place(sources: SourceLines, explanation: RunExplanation) -> str:
    """Return the file and line of a statement itself, not of the call of its function."""
    place = explanation.statement and sources.find_place(explanation.statement.line)
    return sources.format_place(place and place._replace(call=None))
