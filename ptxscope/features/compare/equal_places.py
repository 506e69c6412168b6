"""Indices of accesses that are proved to be equal, so that both kernels load the same words.

A solver finds that two products of loaded words are equal only if it sees that the words are. It is
asked about indices that are equal for some random operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random

from ...engine.ir.tape import Node, Op
from ...engine.micro_operations.arithmetic import LaneValues
from ..prove.proof_question import ProofQuestion, compute_nodes, iter_missing
from ..prove.solver import Term, Undecided

ADDRESS_BITS = 64
_SAMPLES = 3
_MAX_CANDIDATES = 3
"""Maximum number of earlier indices that the solver compares with an index."""
_SAMPLE_BITS = 10
_SECONDS = 1.0
"""The time for the question whether two indices are equal."""
_PART = 8
"""The part of the time that all these questions may take."""
Sample = tuple[int, ...]


class EqualPlaces:
    """The indices of the elements that were accessed in each array."""

    def __init__(self, question: ProofQuestion) -> None:
        self._question = question
        self._places: dict[tuple[str, Sample], list[Term]] = {}
        self._values: list[dict[Node, LaneValues]] = [{} for _ in range(_SAMPLES)]
        self._seconds = question.solver.remaining / _PART

    def unify(
        self,
        array: str,
        distance: Node,
        indices: Sequence[Term],
        facts: Sequence[Term],
        unit: int,
    ) -> list[Term]:
        """Return the indices of an access: those of earlier elements if facts make them equal.

        ``indices`` are those of its elements of ``unit`` bytes, the first at a distance.
        """
        sample, unified = self._sample(distance), list[Term]()
        for i, index in enumerate(indices):
            known = self._places.setdefault((array, tuple(x + unit * i for x in sample)), [])
            candidates = known[:_MAX_CANDIDATES]
            found = index if index in candidates else None
            if found is None:
                equal = (x for x in candidates if self._is_equal(x, index, facts))
                found = next(equal, None)
            if found is None:
                known.append(index)
            unified.append(index if found is None else found)
        return unified

    def _is_equal(self, x: Term, y: Term, facts: Sequence[Term]) -> bool:
        """Whether facts are proved to make two indices equal, while the time for this lasts."""
        solver = self._question.solver
        start, seconds = solver.elapsed, min(_SECONDS, self._seconds)
        is_equal = False
        with suppress(Undecided):
            differs = solver.terms.make("DISTINCT", x, y)
            is_equal = seconds > 0 and not solver.is_possible(*facts, differs, seconds=seconds)
        self._seconds -= solver.elapsed - start
        return is_equal

    def _sample(self, distance: Node) -> Sample:
        """Return a distance for some random operands; loaded words count as operands."""
        for seed, values in enumerate(self._values):
            for x in iter_missing([distance], values):
                operands = {}
                if x.op is Op.SOURCE:
                    name, type_ = x.fixed
                    rng = Random(f"{seed} {name}")  # noqa: S311 - not for security
                    operands[name] = rng.getrandbits(min(_SAMPLE_BITS, type_.bits)) * bool(name)
                compute_nodes([x], operands, values)
        return tuple(values[distance][0] % (1 << ADDRESS_BITS) for values in self._values)
