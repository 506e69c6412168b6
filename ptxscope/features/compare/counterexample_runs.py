"""Runs of a simple counterexample, by the executor of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..kernels.launches.thread_state import LaunchError
from ..prove.solver import Term
from .comparison_question import ComparisonQuestion
from .file_kernel import LETTERS
from .replay import DifferentLaunch, Replay, explain_unknown, replay
from .signed_elements import find_float_buffers, find_signed_buffers
from .small_examples import (
    clear_words,
    count_shared_bytes,
    find_early_load,
    find_small_example,
    iter_float_examples,
    iter_float_wishes,
    iter_other_contents,
    read_memory,
)


class CounterexampleRuns:
    """Runs the counterexamples of one question."""

    def __init__(self, compared: ComparisonQuestion) -> None:
        self._compared, self._solver = compared, compared.solver

    def run(
        self, conditions: Sequence[Term], *, is_guess: bool, is_illegal: bool = False
    ) -> Replay:
        """Return the runs of a simple counterexample for which conditions hold.

        ``is_guess``: the kernels may still be equal. ``is_illegal``: one of them should fail. If
        the runs leave the same bytes, other contents of memory are tried.
        """
        compared = self._compared
        compared.on_progress("simplifying the counterexample", 0)
        accesses = compared.accesses
        wishes = iter_float_wishes(compared.question, [x for _, x in compared.operands])
        found = find_small_example(compared.initial, accesses, conditions, wishes)
        shared_bytes = count_shared_bytes(self._solver, accesses)
        memory = read_memory(compared.initial, accesses)
        example = DifferentLaunch(found, memory, shared_bytes)
        compared.on_progress("running the counterexample", 0)
        units = self._map_units()

        def run(example: DifferentLaunch) -> Replay:
            found = replay(
                compared.sources,
                example,
                units,
                may_alias=compared.may_alias,
                is_illegal=is_illegal,
            )
            if is_guess and found.has_conflicts:  # their order may be the difference
                obstacle = "its threads access one place without a barrier"
                return found._replace(differences=(), obstacle=obstacle)
            return found

        runs = run(example)
        fails = any(isinstance(x, LaunchError) for x in runs.runs)
        if not runs.is_confirmed and (fails or not runs.obstacle):
            others = iter_other_contents(example, units)
            if compared.has_floats and not compared.where:
                parameters = compared.sources[0].kernel.parameters
                others = chain(iter_float_examples(example, units, parameters), others)
            found_runs = (x for x in map(run, others) if x.is_confirmed and not x.has_conflicts)
            runs = next(found_runs, runs)
            if runs.is_confirmed and not compared.has_floats:
                runs = clear_words(runs, units, run)
        by_side = [x.memory.accesses for x in compared.sides]
        return runs._replace(
            signed=find_signed_buffers(compared.sources, by_side),
            floats=find_float_buffers(compared.sources, by_side),
        )

    def _map_units(self) -> dict[str, int]:
        """Return the bytes of an element of each buffer and variable of both kernels."""
        initial = self._compared.initial
        return {
            x.root.name: initial.get_unit(initial.get_name(x.root))
            for x in self._compared.accesses
            if not x.root.is_own
        }

    def explain(self, runs: Replay, *, needs_unknown_nan: bool) -> str:
        """Return the reason why runs of a counterexample may leave the same bytes.

        ``needs_unknown_nan``: they differ only if an operation yields a NaN that no manual states.
        """
        compared = self._compared
        for name, advice in compared.initial.floats.other_names.items():
            return advice or (
                f"of {name} it is known only that equal operands give equal results; the solver "
                "found such results for which A and B differ, but a run of both shows no "
                "difference."
            )
        if needs_unknown_nan:
            name = next(iter(compared.initial.floats.unknown_nans))
            return f"they are equal unless {name} yields a NaN; no manual says which one that is."
        if reason := explain_unknown(compared.sources, runs):
            return reason
        unwritten = [x for side in compared.sides for x in side.scope.unwritten]
        if unwritten:
            return f"the result depends on {unwritten[0]}, which may be read before it is written."
        for side, source, letter in zip(compared.sides, compared.sources, LETTERS, strict=True):
            early = find_early_load(self._solver, side.memory.accesses)
            if early:
                name = early.root.name.partition(":")[2].removeprefix(f"{source.kernel.name}:")
                line = source.format_line(early.statement.line)
                return f"{letter} reads bytes of {name} that the thread has not written, at {line}."
        names = (
            []
            if compared.may_alias
            else sorted(self._map_units().keys() & compared.question.inputs.keys())
        )
        if names:
            return (
                f"the kernels differ for an address of {names[0]} that the executor does not use."
            )
        return (
            "one thread leaves other bytes, but a run of both kernels, with all threads, leaves "
            "the same."
        )
