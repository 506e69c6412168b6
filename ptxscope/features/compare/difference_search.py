"""The search for operands for which two kernels leave other bytes, with what floats compute."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress

from ..prove.solver import Term, Undecided
from .comparison_question import FACT_SECONDS, ComparisonQuestion
from .counterexample_runs import CounterexampleRuns
from .file_kernel import LETTERS
from .launch_registers import LAUNCH_SIZES
from .replay import Replay
from .small_examples import list_found_values, list_smallest_launch

_OWN_NAMES = tuple(f"{x}:" for x in LETTERS)
"""The prefixes of the names of a kernel's own memory, which nothing reads later."""
_FLOAT_PART = 0.8
"""The part of the time for the question what floats compute."""
_FLOAT_SECONDS = 3.0
"""The time for this question before equal operations of both kernels are searched for."""
_SLOW_SECONDS = 0.4
"""The time of a question about floats above which no smaller values are sought."""
_STORE_SECONDS = 20.0
"""The time for the question whether all stores are the same."""
_FIRST_SECONDS, _FIRST_PART = 2.0, 1 / 12
"""The time for this question at first, and for each about small launches; its part of all."""
_SMALL_SIZES = (1, 2, 16)
"""The sizes of launches, in each direction, in which differences are sought first."""


class DifferenceSearch:
    """Questions about one comparison, and what their answers rely on."""

    def __init__(self, compared: ComparisonQuestion, runs: CounterexampleRuns) -> None:
        self._compared, self._runs = compared, runs
        self._question, self._solver = compared.question, compared.solver
        self._terms = compared.terms
        self.early_runs: Replay | None = None
        """Runs that differ, found before the solver had decided what floats compute."""
        self.needs_float_facts = False
        """Whether the solver had to know what floats compute."""
        self.is_float_time_up = False
        """Whether it had too little time for that."""
        self.needs_unknown_nan = False
        """Whether a difference needs a NaN of which no manual says which one it is."""

    @property
    def is_guess(self) -> bool:
        """Whether kernels for which the solver finds a difference may still be equal."""
        floats = self._compared.initial.floats
        return self.is_float_time_up or bool(
            floats.other_names
            or floats.unknown_nans
            or any(side.scope.unwritten for side in self._compared.sides)
        )

    def list_differences(self) -> list[Term]:
        """Return, for each array that may differ, the condition that it differs at some index."""
        differences = []
        names = dict.fromkeys(name for side in self._compared.sides for name in side.memory.arrays)
        for name in names:
            initial = self._compared.initial.arrays[name]
            arrays = [side.memory.arrays.get(name, initial) for side in self._compared.sides]
            if name[:2] in _OWN_NAMES or arrays[0] == arrays[1]:  # no thread's own memory is left
                continue
            width = initial.sort().array_index().bv_size()
            index = self._terms.make_variable(width, f"index.{name}")
            words = [self._terms.make("ARRAY_SELECT", x, index) for x in arrays]
            differences.append(self._terms.make("DISTINCT", *words))
        return differences

    def find_different(self, conditions: list[Term], legal: Sequence[Term]) -> list[Term] | None:
        """Return conditions of a difference that can hold together, or None if none can.

        If stores are not seen to be the same at once, differences in small launches are sought.
        """
        seconds = min(_FIRST_SECONDS, self._solver.remaining * _FIRST_PART)
        is_same = self._has_same_stores(legal, seconds)
        if is_same:
            return None
        sizes = [self._question.get_bits(x) for x in self._question.inputs if x in LAUNCH_SIZES]
        for limit in _SMALL_SIZES if sizes else ():
            bounds = [
                self._terms.make("BV_ULE", x, self._terms.make_value(limit, x.sort().bv_size()))
                for x in sizes
            ]
            with suppress(Undecided):
                if self._solver.is_possible(*conditions, *bounds, seconds=seconds):
                    break
        else:
            if is_same is None and self._has_same_stores(legal):
                return None
        return self.find_possible(conditions, legal)

    def _has_same_stores(
        self, legal: Sequence[Term], seconds: float = _STORE_SECONDS
    ) -> bool | None:
        """Whether both kernels store the same words at the same places in one order.

        Then they leave the same bytes; a solver finds that sooner than that two arrays are equal.
        The answer is None if the time is too short.
        """
        make, unequal = self._terms.make, list[Term]()
        first, second = (
            [x for x in side.memory.stores if x.array[:2] not in _OWN_NAMES]
            for side in self._compared.sides
        )
        if [x.array for x in first] != [x.array for x in second]:
            return False
        for x, y in zip(first, second, strict=True):
            truths = [
                self._terms.manager.mk_true() if z.condition is None else z.condition
                for z in (x, y)
            ]
            pairs = ((x.index, y.index), (x.word, y.word))
            parts = [make("DISTINCT", *pair) for pair in pairs if pair[0] != pair[1]]
            if parts:
                unequal.append(make("AND", truths[0], self._terms.join("OR", parts)))
            if truths[0] != truths[1]:
                unequal.append(make("DISTINCT", *truths))
        seconds = min(seconds, self._solver.remaining / 2)
        try:
            return not unequal or not self._solver.is_possible(
                *legal, self._terms.join("OR", unequal), seconds=seconds
            )
        except Undecided:
            return None

    def find_possible(
        self, conditions: list[Term], legal: Sequence[Term] | None = None
    ) -> list[Term] | None:
        """Return conditions that can hold together with what floats compute, or None.

        Whatever floats compute is asked first. ``legal`` is for a question about stored words.
        """
        for name in self._question.inputs:
            self._question.get_bits(name)
        facts = self._compared.initial.floats.facts
        if not self._solver.is_possible(*conditions):
            return None
        if not facts:
            return conditions
        self.needs_float_facts = True
        with suppress(Undecided):
            seconds = min(_FLOAT_SECONDS, self._solver.remaining / 4)
            return self._add_float_facts(conditions, facts, legal, seconds)
        if legal is not None:  # a run may show a difference sooner
            runs = self._runs.run(conditions, is_guess=True)
            if runs.is_confirmed:
                self.early_runs = runs
                return conditions
        with suppress(Undecided):
            facts = self._compared.initial.floats.unify(self._solver.remaining / 4)
            seconds = self._solver.remaining * _FLOAT_PART
            return self._add_float_facts(conditions, facts, legal, seconds)
        self.is_float_time_up = True
        return conditions

    def _add_float_facts(
        self,
        conditions: Sequence[Term],
        facts: Sequence[Term],
        legal: Sequence[Term] | None,
        seconds: float,
    ) -> list[Term] | None:
        """Return conditions that can hold together with what floats compute, or None.

        A launch of one thread, and NaNs that a manual states, are sought first. Raise Undecided if
        the time is short.
        """
        if legal is not None and self._has_same_stores([*legal, *facts], seconds / 2):
            return None
        known = [
            self._terms.make("NOT", x) for x in self._compared.initial.floats.unknown_nans.values()
        ]
        ones = list_smallest_launch(self._question)
        wishes = [x for x in ([*ones, *known] if ones else [], known) if x]
        for wish in (*wishes, []):
            start = self._solver.elapsed
            part = seconds / 2 / (len(wishes) + 1)
            with nullcontext() if not wish else suppress(Undecided):
                all_conditions = [*conditions, *facts, *wish]
                if self._solver.is_possible(*all_conditions, seconds=part):
                    self.needs_unknown_nan = bool(known) and not wish
                    if self._solver.elapsed - start > _SLOW_SECONDS:  # so are smaller values
                        accesses = self._compared.accesses
                        all_conditions += list_found_values(self._compared.initial, accesses)
                    return all_conditions
        return None

    def check_float_facts(self, legal: Sequence[Term]) -> None:
        """Raise RuntimeError if what floats compute excludes all operands."""
        facts = self._compared.initial.floats.facts if self.needs_float_facts else ()
        with suppress(Undecided):
            if facts and not self._solver.is_possible(*legal, *facts, seconds=FACT_SECONDS):
                raise RuntimeError("the facts about floats contradict each other")
