"""Whether two kernels leave the same bytes in memory: for all parameters, threads and contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ...engine.cancellation import IsStopped, never
from ...engine.program.program import Program
from ...engine.records import FrozenRecord
from ...engine.syntax.errors import PtxError, format_count
from ..kernels.launches.float_arithmetic import find_fusible_products
from ..prove.equivalence import TIMEOUT
from ..prove.proof import Verdict
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Term, Undecided, get_solver_name
from .comparison_question import FACT_SECONDS, ComparisonQuestion, OnProgress
from .counterexample_runs import CounterexampleRuns
from .difference_search import DifferenceSearch
from .file_kernel import LETTERS, FileKernel
from .kernel_memory import InitialMemory, NeedBytes
from .lone_accesses import iter_access_notes
from .parameters import is_structure
from .refusals import Refused
from .replay import DifferentLaunch, Replay

MEMORY_MEGABYTES = 4096
"""The default limit of the solver's memory."""
_OUTSIDE = "is never within its buffer, which begins at its pointer and has less than 2^31 bytes"
_ILLEGAL = "is never aligned, or never within its variable"
_FEW_ITEMS, _FEW_THREADS = 4, 2
"""Limits of parameters and sizes of launches if a loop may have too many turns."""


@dataclass(frozen=True)
class KernelComparison(FrozenRecord):
    """The answer to the question whether two kernels leave the same bytes in memory."""

    kernels: tuple[FileKernel, FileKernel]
    where: str
    """The condition on parameters and threads; empty for all."""
    may_alias: bool
    verdict: Verdict
    seconds: float
    solver: str
    reason: str = ""
    """The reason for an undecided answer, as a sentence; empty if the time is up."""
    has_same_terms: bool = False
    """Whether both compute the same by the same operations, which needs no solver."""
    has_floats: bool = False
    has_computed_floats: bool = False
    """Whether the solver had to know what float operations compute."""
    float_names: tuple[str, ...] = ()
    """The float operations of which it then knew only equal results for equal operands."""
    has_fusible_sums: bool = False
    """Whether an assembler may fuse sums of floats with products."""
    has_dynamic_memory: bool = False
    """Whether a kernel accesses shared memory whose size the launch chooses."""
    variables: Mapping[str, bool] = field(default_factory=dict)
    """The variables of the modules that are used, and whether their contents are known."""
    notes: tuple[str, ...] = ()
    """Sentences on accesses of only one kernel."""
    counterexample: DifferentLaunch | None = None
    replay: Replay | None = None
    """The runs of the counterexample by the executor of kernels."""

    def __repr__(self) -> str:
        names = " and ".join(x.kernel.name for x in self.kernels)
        condition = f" with {self.where}" if self.where else ""
        return f"<KernelComparison of {names}: {self.verdict}{condition}>"

    @property
    def has_runs(self) -> bool:
        """Whether runs of a counterexample show the difference."""
        return self.replay is not None and self.replay.is_confirmed


def compare_kernels(
    a: FileKernel,
    b: FileKernel,
    *,
    where: str = "",
    operands: Sequence[tuple[str, str]] = (),
    may_alias: bool = False,
    timeout: float = TIMEOUT,
    memory_megabytes: int = MEMORY_MEGABYTES,
    on_progress: OnProgress = lambda *_: None,
    is_stopped: IsStopped = never,
) -> KernelComparison:
    """Decide whether two kernels leave the same bytes.

    Parameters are paired by position; ``operands`` has other names and the types of floats for the
    first ones. ``may_alias``: their buffers may overlap. Raise ValueError if parameters do not fit
    or ``where`` never holds, PtxError if a text is invalid, ImportError without the solver, and
    Stopped when ``is_stopped`` returns true.
    """
    for source in (a, b):
        check_problems(source)
    _check_parameters(a.kernel, b.kernel)
    byte_roots: set[str] = set()

    def ask(where: str, elapsed: float) -> tuple[KernelComparison, Sequence[str]]:
        """Return the answer, and the names on which the turns of a refused loop depend."""
        while True:
            question = ProofQuestion(
                max(timeout - elapsed, 0), is_stopped, memory_megabytes=memory_megabytes
            )
            initial = InitialMemory(question, byte_roots, may_alias=may_alias)
            compared = ComparisonQuestion((a, b), where, operands, question, initial, on_progress)
            comparison = _Comparison(compared, elapsed)
            try:
                return comparison.compare(), comparison.loop_names
            except NeedBytes as error:
                byte_roots.add(error.name)
                elapsed += question.solver.elapsed

    answer, loop_names = ask(where, 0)
    if not loop_names:
        return answer
    limits = (f"{x} <= {_FEW_ITEMS if x.startswith('param') else _FEW_THREADS}" for x in loop_names)
    small = " and ".join((*([f"({where})"] if where else []), *limits))
    with suppress(ValueError):  # no operands are as small
        other, _ = ask(small, answer.seconds)
        if other.verdict is Verdict.EQUAL:
            return replace(
                answer, reason=f"{answer.reason} With --where '{small}', they are equal."
            )
        if other.has_runs:
            return replace(other, where=where)
    return answer


def check_problems(source: FileKernel) -> None:
    """Raise PtxError for a kernel with illegal statements."""
    problems = tuple(y for x in source.kernel.statements for y in x.problems)
    if problems:
        raise PtxError(source.code.text, problems)


def _check_parameters(a: Program, b: Program) -> None:
    """Raise ValueError unless two kernels have parameters of the same sizes."""
    counts = [format_count(len(x.parameters), "parameter") for x in (a, b)]
    if counts[0] != counts[1]:
        raise ValueError(f"A has {counts[0]}, and B has {counts[1]}")
    for i, (x, y) in enumerate(zip(a.parameters, b.parameters, strict=True)):
        if x.bytes != y.bytes:
            sizes = f"{8 * x.bytes} bits in A and {8 * y.bytes} in B"
            raise ValueError(f"param{i} has {sizes}")
        if is_structure(x) != is_structure(y):
            raise ValueError(f"param{i} is a structure in {'A' if is_structure(x) else 'B'} only")


class _Comparison:
    """A comparison in one question."""

    def __init__(self, compared: ComparisonQuestion, elapsed_before: float) -> None:
        self._compared, self._elapsed_before = compared, elapsed_before
        self._runs = CounterexampleRuns(compared)
        self._search = DifferenceSearch(compared, self._runs)
        self.loop_names: Sequence[str] = ()
        """The names on which the turns of a refused loop depend."""

    def compare(self) -> KernelComparison:
        """Return the answer."""
        compared = self._compared
        try:
            if compared.where:
                compared.add_condition()
            compared.execute()
            return self._decide()
        except Refused as error:
            line = compared.sources[LETTERS.index(error.side)].format_line(error.statement.line)
            reason = f"{error.side}, {line}: {error}."
            self.loop_names = error.loop_names
            return self._answer(Verdict.UNDECIDED, reason=reason)
        except Undecided:
            return self._answer(Verdict.UNDECIDED)

    def _answer(self, verdict: Verdict, **more: Any) -> KernelComparison:
        compared, has_facts = self._compared, self._search.needs_float_facts
        return KernelComparison(
            kernels=compared.sources,
            where=compared.where,
            may_alias=compared.may_alias,
            verdict=verdict,
            seconds=compared.solver.elapsed + self._elapsed_before,
            solver=get_solver_name(),
            has_floats=compared.has_floats,
            has_computed_floats=has_facts,
            float_names=tuple(compared.initial.floats.other_names) if has_facts else (),
            has_fusible_sums=any(
                any(find_fusible_products(x).sums.values())
                for side in compared.sides
                for x in side.executed.values()
            ),
            has_dynamic_memory=any(
                x.root.is_open and x.root.space == "shared" for x in compared.accesses
            ),
            variables={k: v for x in compared.sides for k, v in x.scope.variables.items()},
            **more,
        )

    def _decide(self) -> KernelComparison:
        compared, search = self._compared, self._search
        compared.on_progress("asking the solver", 0)
        solver = compared.solver.copy()  # which asks without the facts that are added now
        for side in compared.sides:
            for fact in side.memory.is_inside:
                compared.solver.add(fact)
        terms, legal = compared.terms, compared.legal
        differences = search.list_differences()
        if differences:
            conditions = search.find_different([*legal, terms.join("OR", differences)], legal)
            if conditions:
                return self._describe(conditions)
        for side, other in (compared.sides, compared.sides[::-1]):
            facts = [x for x in side.memory.is_legal if x not in other.memory.is_legal]
            if facts:
                broken = terms.join("OR", [terms.make("NOT", x) for x in facts])
                conditions = search.find_possible([*other.memory.is_legal, broken])
                if conditions:
                    return self._describe(conditions, is_illegal=True)
        with suppress(Undecided):  # all facts are asked next
            compared.check_facts(solver, lambda x: x.inside, _OUTSIDE, FACT_SECONDS)
        compared.check_facts(compared.solver, lambda x: x.legal, _ILLEGAL)
        search.check_float_facts(legal)
        notes = tuple(
            iter_access_notes(
                [side.memory for side in compared.sides],
                [x.format_line for x in compared.sources],
                compared.solver,
                legal,
            )
        )
        return self._answer(Verdict.EQUAL, has_same_terms=not differences, notes=notes)

    def _describe(
        self, conditions: Sequence[Term], *, is_illegal: bool = False
    ) -> KernelComparison:
        """Return the answer of a difference: a simple counterexample, run again."""
        search = self._search
        runs = search.early_runs or self._runs.run(
            conditions, is_guess=search.is_guess, is_illegal=is_illegal
        )
        verdict, reason = Verdict.DIFFERENT, ""
        if not runs.is_confirmed and (search.is_guess or not runs.obstacle):
            verdict = Verdict.UNDECIDED
            if not search.is_float_time_up:
                reason = self._runs.explain(runs, needs_unknown_nan=search.needs_unknown_nan)
        return self._answer(verdict, reason=reason, counterexample=runs.example, replay=runs)
