"""Explanations of a run whose results are not as expected: the changes that give all of them.

First a few threads run with every change, some of those that wrote wrong elements. Then all threads
run with the changes that are right there, and with each statement that may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from time import monotonic
from types import NoneType

from ....engine.program.program import Program
from ....engine.program.statement_operands import SymbolOperand
from ....engine.semantics.models import Model
from ....engine.tracing.operand_bits import check_argument
from .change_trials import ChangeTrials
from .device_code import DeviceCode
from .expected_elements import ExpectedBuffer
from .first_threads import read_expected_launch
from .instruction_changes import ChangeKind, StatementChange
from .kernel_run import DEFAULT_MAX_STEPS, KernelRun, Launch, make_launch
from .launch_text import Argument
from .launch_trials import LaunchTrials
from .literal_changes import SOLVED_COST
from .literal_search import list_places, solve_literals
from .related_literals import iter_moved_changes, iter_shifted_changes
from .run_diagnosis import RunDiagnosis, RunExplanation
from .statement_changes import iter_changes
from .statement_copies import find_copies, unite_changes
from .thread_state import LaunchError

_MIN_THREAD_STEPS = 1 << 14
"""Statements of each thread after which a run with a change is given up, or more."""
_MAX_NEAR_MISSES = 3
EXPLAIN_SECONDS = 60.0
"""The time in which changes are tried."""


def explain_kernel(
    code: str | DeviceCode,
    arguments: Mapping[str, Argument],
    expected: Mapping[str, ExpectedBuffer],
    *,
    kernel: str | None = None,
    grid: int | tuple[int, ...] = 1,
    block: int | tuple[int, ...] = 1,
    dynamic_shared_bytes: int = 0,
    model: str | Model = "isa",
    max_steps: int = DEFAULT_MAX_STEPS,
    on_progress: Callable[[int, int], None] | None = None,
    tries_all: bool = False,
    timeout: float = EXPLAIN_SECONDS,
) -> RunDiagnosis:
    """Run a kernel, and try one change at each statement if an element is not as expected.

    A statement that may be missing is a change, too: a register that is set to 0, or a barrier.
    ``expected`` has by the name of a parameter, or ``param0``, all elements of its buffer as an
    array of the same type, or the bits of some by their positions. The other arguments are as for
    ``run_kernel``. ``on_progress`` is called with the number of changes that were tried and of all
    that are to be tried. With ``tries_all``, unlikely changes are tried even if a likely one
    explains everything. After ``timeout`` seconds no other change is tried.

    Raise ValueError for an argument that does not fit or an element that is not there, and PtxError
    for PTX that an assembler rejects.
    """
    check_argument("on_progress", on_progress, (Callable, NoneType), "a function")  # type: ignore[arg-type]
    check_argument("expected", expected, Mapping, "buffers by the names of parameters")
    launch = make_launch(
        code, arguments, kernel, grid, block, dynamic_shared_bytes, model, max_steps
    )
    result: KernelRun | None = None
    with suppress(LaunchError):
        result = launch.run()
    return explain_run(launch, result, expected, on_progress, tries_all=tries_all, timeout=timeout)


def explain_run(
    launch: Launch,
    result: KernelRun | None,
    expected: Mapping[str, ExpectedBuffer],
    on_progress: Callable[[int, int], None] | None = None,
    *,
    tries_all: bool = False,
    timeout: float = EXPLAIN_SECONDS,
    kinds: Sequence[ChangeKind] = tuple(ChangeKind),
) -> RunDiagnosis:
    """Try one change at each statement; return the changes that give all expected elements.

    Copies of a statement are changed together first, then one by one. ``expected`` and
    ``on_progress`` are those of ``explain_kernel``; ``result`` is the run of the launch, None if it
    could not go on. Only changes of ``kinds`` are tried, in this order.

    Raise ValueError if a buffer has no such element.
    """
    end = monotonic() + timeout
    search = _ChangeSearch(launch, result, expected, on_progress, end, tries_all=tries_all)
    return search.run(kinds)


class _ChangeSearch:
    """Runs of one launch with changes."""

    def __init__(
        self,
        launch: Launch,
        result: KernelRun | None,
        expected: Mapping[str, ExpectedBuffer],
        on_progress: Callable[[int, int], None] | None,
        end: float,
        *,
        tries_all: bool,
    ) -> None:
        """``end`` is the time after which no other change is tried."""
        self.launch, self.result, self.tries_all = launch, result, tries_all
        self.kernel, self.model = launch.kernel, launch.model
        self.functions = _list_functions(launch.code, self.kernel)
        self.explained_parts = set[tuple[int, str]]()
        self.copies = [find_copies(x, launch.code.text) for x in self.functions]
        memory = launch.make_memory()
        expected_launch = read_expected_launch(launch, memory, self.functions, result, expected)
        self.elements = expected_launch.results
        self.element_count = self.elements.element_count
        max_thread_steps = _MIN_THREAD_STEPS
        if result:
            max_thread_steps += min(result.step_count, 32 * expected_launch.step_count)
        self.launches = LaunchTrials(launch, result, self.functions, self.elements, on_progress)
        own_count = self.elements.count_own_matches(result) if result else 0
        self.trials = ChangeTrials(
            memory,
            expected_launch,
            launch.model,
            own_count,
            max_thread_steps,
            end,
            on_progress,
            len(self.functions) > 1,
        )

    def run(self, all_kinds: Sequence[ChangeKind]) -> RunDiagnosis:
        """Try the likely changes, and the others if these explain nothing.

        A missing statement is likeliest if elements come from values that nothing has written.
        """
        if self._is_right_without_change():
            return self._explain_race()
        explanations = list(self.launches.iter_models())
        shared, try_count = self.launches.try_shared_registers(self._find_end(1 / 4))
        explanations += shared
        near_misses: list[StatementChange] = []
        nearest: list[RunExplanation] = []
        untried: list[str] = []
        kinds = list(all_kinds)
        if self.result and self.elements.read_unwritten(self.result):
            kinds.sort(key=lambda x: x is not ChangeKind.MISSING)
        has_untried = len(kinds) < len(ChangeKind)
        for kind in kinds:
            if self._is_explained_by(explanations):
                has_untried = True
                break
            if self.trials.is_late:
                untried.append(_KINDS[kind])
                continue
            if kind is ChangeKind.LITERALS:
                count, total = self._solve_literals(explanations)
            elif kind is ChangeKind.MISSING:
                memory, shape = self.trials.memory, self.launch.shape
                has_shared = memory.shared_bytes > 0 and shape.block_size > 1
                found, count, total = self.launches.try_missing_statements(
                    self._find_end(1 / 2), has_shared=has_shared
                )
                nearest += found
                explanations += [x for x in found if x.match_count == self.element_count]
            else:
                united, alone = self._list_changes(kind)
                count, total = 0, len(united) + len(alone)
                for changes in (united, alone):
                    if self._is_explained_by(explanations):
                        has_untried |= bool(changes)
                        total -= len(changes)
                        continue
                    first = self.trials.try_first_threads(changes)
                    count += first.try_count
                    near_misses += first.nearest
                    explanations += self._explain(first.passing, self.element_count)
            try_count += count
            if count < total:
                untried.append(f"{total - count:,} of {total:,} {_KINDS[kind]}")
        explanations.sort(key=_rank)
        if not explanations and not self.trials.is_late:
            nearest += self._explain(near_misses, self.launches.own_count + 1)
        nearest.sort(key=lambda x: (-x.match_count, x.cost))
        return RunDiagnosis(
            tuple(explanations),
            () if explanations else tuple(nearest[:_MAX_NEAR_MISSES]),
            self.element_count,
            try_count,
            has_untried,
            ", ".join(untried),
        )

    def _is_right_without_change(self) -> bool:
        """Whether the run gives the expected elements, or would with a higher limit of steps."""
        if self.result and self.result.is_complete:
            return self.launches.own_count == self.element_count
        first = self.kernel.statements[0]
        same = StatementChange(first, first, None, "", 0)
        return any(x == self.element_count for _, x in self.trials.count_all_matches([same]))

    def _explain_race(self) -> RunDiagnosis:
        """Try the barriers that may be missing, if threads race though the elements are right."""
        found, count = list[RunExplanation](), 0
        if self.result and self.result.conflicts:
            found, count = self.launches.try_barriers(self._find_end(1 / 2))
        return RunDiagnosis(tuple(found), (), self.element_count, count)

    def _find_end(self, share: float) -> float:
        """Return the time after a share of the time left."""
        return monotonic() + share * (self.trials.end - monotonic())

    def _is_explained_by(self, explanations: Sequence[RunExplanation]) -> bool:
        """Whether no other change needs a try: a constant of any bits may fit by chance."""
        return not self.tries_all and any(x.cost < SOLVED_COST for x in explanations)

    def _solve_literals(self, explanations: list[RunExplanation]) -> tuple[int, int]:
        """Add the literals that explain the run, found in a third of the time left.

        Return the number of values tried, and the number with the unsolved literals.
        """
        count, unsolved_count = 0, 0
        end = self._find_end(1 / 3)
        pairs = zip(self.functions, self.copies, strict=True)
        lists = [list_places(x, copies, self.model) for x, copies in pairs]
        for literals in zip(*lists, strict=True):
            if not self._is_explained_by(explanations):
                solved = solve_literals(self.trials, [y for x in literals for y in x], end)
                explanations += self._explain(solved.changes, self.element_count)
                count += solved.try_count
                unsolved_count += solved.unsolved_count
        return count, count + unsolved_count

    def _list_changes(
        self, kind: ChangeKind
    ) -> tuple[list[StatementChange], list[StatementChange]]:
        """Return the changes of a kind to try first, and the ones to try if these explain nothing.

        The first are of all copies of a statement, or of statements without copies, as far as is
        known; the second are of one copy each.
        """
        united, alone = list[StatementChange](), list[StatementChange]()
        for function, copies in zip(self.functions, self.copies, strict=True):
            copied = {id(y) for x in copies if x.has_place for y in x.statements}
            changes = list(iter_changes(function, self.model, kind))
            united += unite_changes(function, copies, changes)
            if kind is ChangeKind.LIKELY:
                united += iter_shifted_changes(function, self.launch.code.text, self.model)
                united += iter_moved_changes(copies, self.model)
            for x in changes:
                (alone if id(x.original) in copied else united).append(x)
        return united, alone

    def _explain(self, changes: Sequence[StatementChange], least: int) -> list[RunExplanation]:
        """Return the changes with which all threads give at least a number of elements.

        Of changes that make the same statement the same, one is returned: a change of all its
        copies before a change of one, and of the fewest copies.
        """
        pairs = [x for x in self.trials.count_all_matches(changes) if x[1] >= least]
        pairs.sort(key=lambda x: (-x[1], _rank(x[0]), not x[0].copies, len(x[0].copies)))
        best_changes: list[tuple[StatementChange, int]] = []
        for change, count in pairs:
            parts = {y for x in (change, *change.copies) for y in x.keys}
            if self.explained_parts.isdisjoint(parts):
                best_changes.append((change, count))
            self.explained_parts |= parts
        return [
            RunExplanation(x.original, x.statement.text, x.phrase, x.cost, count, x.statements[1:])
            for x, count in best_changes
        ]


def _rank(change: RunExplanation | StatementChange) -> tuple[int, int, tuple[int, int]]:
    """Return the unlikelihood of a change, then the changed words of the line and digits."""
    if isinstance(change, RunExplanation):
        old_text = change.statement.text if change.statement else ""
        return change.cost, _count_other_words(old_text, change.changed_text), (0, 0)
    text = change.statement.text
    return change.cost, _count_other_words(change.original.text, text), change.distance


def _count_other_words(text: str, changed_text: str) -> int:
    pairs = zip_longest(text.split(), changed_text.split())
    return sum(x != y for x, y in pairs)


_KINDS = {
    ChangeKind.LIKELY: "likely changes",
    ChangeKind.LITERALS: "other literals",
    ChangeKind.MISSING: "missing statements",
    ChangeKind.UNLIKELY: "other registers, constants and labels",
    ChangeKind.VALUES: "other values",
}
"""The changes of each kind in words."""


def _list_functions(code: DeviceCode, kernel: Program) -> list[Program]:
    """Return the kernel and the functions that it may call."""
    tables = [x.values for x in code.variables.values()]
    functions = {kernel.name: kernel}
    pending = [x.name for values in tables for x in values if isinstance(x, SymbolOperand)]
    new_functions = [kernel]
    while new_functions:
        operands = [x for y in new_functions for z in y.statements for x in z.operands]
        pending += [x.name for x in operands if isinstance(x, SymbolOperand)]
        new_functions = [
            code.functions[name]
            for name in dict.fromkeys(pending)
            if name in code.functions and name not in functions
        ]
        functions |= {x.name: x for x in new_functions}
        pending = []
    return list(functions.values())
