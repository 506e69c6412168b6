"""The operands to observe next, for which the explanations differ the most."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from ...diagnosis.cause_search import apply_readings, apply_to_operands
from ...diagnosis.causes import Bits, ObservedCase
from ...diagnosis.explanations import Diagnosis, Explanation
from ...diagnosis.observation import Observation, Observed
from ...engine.cancellation import IsStopped, never
from ...engine.isa.types import DESTINATIONS
from ...engine.semantics.plan import compute_results
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.basic_block import make_block
from ...engine.tracing.evaluation import make_plan
from ...engine.tracing.probe_operands import draw_operands
from .equivalence import prove_equal
from .proof import Verdict, bind_names
from .solver import load_bitwuzla

_MAX_EXPLANATIONS = 16
_DRAWN = 120
_PROOF_SECONDS = 1.0
TIMEOUT = 24.0
"""The default time for all proofs in seconds."""


class NextOperands(NamedTuple):
    """Operands, and the meaning of each possible result."""

    operands: Mapping[str, int]
    """Bits by register."""
    groups: tuple[tuple[Bits, tuple[Explanation, ...]], ...]
    """The results by role, each with the explanations that give it, most likely first.

    Of explanations that are proved equal, the first stands for all.
    """
    equal: tuple[tuple[Explanation, Explanation], ...]
    """Explanations that are left out, each after one that is equal for all operands."""


def find_next_operands(
    diagnosis: Diagnosis, *, timeout: float = TIMEOUT, is_stopped: IsStopped = never
) -> NextOperands | None:
    """Return operands that tell explanations apart as far as possible, and the equal explanations.

    Return None if no operands tell them apart and none are proved equal.

    The explanations are the likeliest, at most 16. Explanations that no drawn operands tell apart
    are compared by proofs as long as the time lasts. Raise ImportError without the solver, and
    Stopped when ``is_stopped`` returns true.
    """
    load_bitwuzla()
    end = time.monotonic() + timeout
    block, chosen = diagnosis.block, diagnosis.likeliest[:_MAX_EXPLANATIONS]
    ins, observed = block.instruction, diagnosis.cases[0].observation
    names = {block.names.get(role) for role in observed.operands}
    inputs = {
        name: ins.type_of(role)
        for role, name in ins.names.items()
        if name in names and role not in ins.constants and role not in DESTINATIONS
    }
    candidates = list(islice(draw_operands(inputs), _DRAWN))
    tables = [_predict_all(ins, chosen, x) for x in candidates]
    equal: dict[int, int] = {}  # of an explanation to an earlier one
    pairs = combinations(range(len(chosen)), 2)
    open_pairs = [(i, j) for i, j in pairs if all(table[i] == table[j] for table in tables)]
    for i, j in open_pairs:
        x, y = chosen[i], chosen[j]
        seconds = min(end - time.monotonic(), _PROOF_SECONDS)
        if seconds <= 0 or _changes_values(x) or _changes_values(y) or {i, j} & equal.keys():
            continue
        proof = _compare(x, y, seconds, is_stopped)
        if proof is None:
            equal[j] = i
        elif proof:
            operands = {name: proof.get(name, 0) for name in inputs}
            candidates.append(operands)
            tables.append(_predict_all(ins, chosen, operands))
    best = max(range(len(tables)), key=lambda index: _rate(tables[index], candidates[index]))
    groups: dict[tuple[tuple[str, int], ...], list[Explanation]] = {}
    for index, result in enumerate(tables[best]):
        if index not in equal:
            groups.setdefault(result, []).append(chosen[index])
    if len(groups) < 2 and not equal:
        return None
    return NextOperands(
        candidates[best],
        tuple((dict(result), tuple(found)) for result, found in groups.items()),
        tuple((chosen[i], chosen[j]) for j, i in equal.items()),
    )


def _changes_values(explanation: Explanation) -> bool:
    """Whether a cause changes operands or the reading of the result, which no formula expresses."""
    return any(
        cause.reading or (cause.operands and not cause.is_swap) for cause in explanation.causes
    )


def _compare(
    x: Explanation, y: Explanation, timeout: float, is_stopped: IsStopped
) -> dict[str, int] | None:
    """Return operands that tell two explanations apart; None if proved equal, {} if undecided."""
    try:
        proof = prove_equal(
            make_block(x.instruction),
            make_block(y.instruction),
            models=(x.model, y.model),
            timeout=timeout,
            is_stopped=is_stopped,
        )
    except ValueError:  # they read no common register
        return {}
    if proof.verdict is Verdict.EQUAL:
        return None
    return dict(proof.operands)


def _predict_all(
    ins: Instruction, explanations: Sequence[Explanation], operands: Mapping[str, int]
) -> list[tuple[tuple[str, int], ...]]:
    """Return the result that each explanation gives, by role."""
    bits = bind_names(make_block(ins), operands)
    unknown = dict.fromkeys(ins.results, Observed(0, 0))
    case = ObservedCase(Observation(bits, unknown), compute_results(make_plan(ins), bits))
    return [tuple(_iter_results(ins, x, case)) for x in explanations]


def _iter_results(
    ins: Instruction, explanation: Explanation, case: ObservedCase
) -> Iterator[tuple[str, int]]:
    plan = make_plan(
        explanation.instruction, explanation.model.make_rules(explanation.instruction.form)
    )
    operands = apply_to_operands(explanation.causes, case)
    missing = {source.role: 0 for source in plan.sources}
    results = apply_readings(explanation.causes, compute_results(plan, {**missing, **operands}))
    yield from ((role, results[role]) for role in ins.results if role in results)


def _rate(
    table: Sequence[tuple[tuple[str, int], ...]], operands: Mapping[str, int]
) -> tuple[int, int, int]:
    """Return how well operands tell explanations apart: groups, their balance, few bits set."""
    sizes = [table.count(result) for result in set(table)]
    return len(sizes), -max(sizes), -sum(x.bit_count() for x in operands.values())
