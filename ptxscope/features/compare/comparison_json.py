"""A comparison of kernels as JSON, with all that the report has."""

from __future__ import annotations

from ..kernels.launches.thread_log import ThreadStep
from ..kernels.launches.thread_state import LaunchError
from ..prove.proof import Verdict
from .comparison import KernelComparison
from .comparison_report import list_assumptions, list_commands, list_parameters
from .launch_registers import list_places
from .run_pair import run_comparison


def comparison_to_json(comparison: KernelComparison) -> dict[str, object]:
    """Return a comparison as JSON, in the shape of ``prove -f json`` for kernels."""
    document: dict[str, object] = {
        "verdict": comparison.verdict,
        "kernels": [
            {"place": x.label, "kernel": x.kernel.name, "model": x.model.name}
            for x in comparison.kernels
        ],
        "where": comparison.where,
        "may_alias": comparison.may_alias,
        "assumptions": list_assumptions(comparison),
        "same_operations": comparison.has_same_terms,
        "seconds": round(comparison.seconds, 6),
        "solver": comparison.solver,
        "notes": comparison.notes,
    }
    if comparison.reason:
        document["reason"] = comparison.reason
    example, run = comparison.counterexample, comparison.replay
    if comparison.verdict is Verdict.DIFFERENT and example and run:
        thread, block = list_places(example.operands)
        document["counterexample"] = {
            "grid": run.shape.grid,
            "block": run.shape.block,
            "thread": thread,
            "block_index": block,
            "shared_bytes": run.shape.dynamic_shared_bytes,
            "parameters": list_parameters(comparison),
            "memory": [
                {"buffer": root, "offset": offset, "byte": value}
                for (root, offset), value in sorted(example.memory.items())
            ],
            "is_run": run.is_confirmed,
            "obstacle": run.obstacle,
            "failures": [str(x) if isinstance(x, LaunchError) else None for x in run.runs],
            "differences": [
                {
                    "buffer": x.buffer,
                    "offset": x.offset,
                    "bytes": x.bytes,
                    "before": x.before,
                    "values": x.values,
                    "lines": x.lines,
                }
                for x in run.differences
            ],
            "steps": _list_steps(comparison),
            "commands": list_commands(comparison),
        }
    return document


def _list_steps(comparison: KernelComparison) -> list[list[dict[str, object] | None]]:
    """Return the pairs of steps that differ, up to the store that first leaves other bytes."""
    if not comparison.has_runs:
        return []
    pair = run_comparison(comparison)
    last = pair.first_difference
    positions = [x for x in pair.steps.differences if x < last]
    return [
        [
            None if index is None else _step_to_json(run.steps[index])
            for run, index in zip(pair.runs, pair.steps.pairs[position], strict=True)
        ]
        for position in (*positions, *range(last, min(last + 1, len(pair.steps.pairs))))
    ]


def _step_to_json(step: ThreadStep) -> dict[str, object]:
    return {
        "line": step.statement.line,
        "statement": step.statement.text,
        "is_active": step.is_active,
        "registers": [{"name": x.name, "bits": x.bits, "width": x.width} for x in step.writes],
        "words": [{"name": x.name, "bits": x.bits, "bytes": x.size} for x in step.places],
    }
