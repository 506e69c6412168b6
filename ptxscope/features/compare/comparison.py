"""Whether two kernels leave the same bytes in memory: for all parameters, threads and contents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ...engine.cancellation import IsStopped, never
from ...engine.isa.types import Type
from ...engine.program.program import Program
from ...engine.records import FrozenRecord
from ...engine.syntax.errors import PtxError, format_count
from ..kernels.launches.float_arithmetic import find_fusible_products
from ..prove.equivalence import TIMEOUT
from ..prove.operand_conditions import ConditionScope, read_condition
from ..prove.proof import Verdict
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Term, Undecided, get_solver_name
from .file_kernel import FileKernel
from .kernel_memory import InitialMemory, KernelMemory, NeedBytes, RootAccess
from .kernel_terms import KernelTerms
from .launch_registers import LAUNCH_REGISTERS, LAUNCH_SIZES, add_launch_register
from .lone_accesses import LETTERS, iter_access_notes
from .parameters import WORD_BYTES, is_structure, iter_field_names
from .refusals import Refused
from .replay import DifferentLaunch, Replay, explain_unknown, replay
from .signed_elements import find_signed_buffers
from .small_examples import (
    clear_words,
    count_shared_bytes,
    find_early_load,
    find_small_example,
    iter_float_examples,
    iter_float_wishes,
    iter_other_contents,
    list_found_values,
    list_smallest_launch,
    read_memory,
)

MEMORY_MEGABYTES = 4096
"""The default limit of the solver's memory."""
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
_FACT_SECONDS = 1.0
"""The time for the question whether all accesses can be within buffers."""
_OUTSIDE = "is never within its buffer, which begins at its pointer and has less than 2^31 bytes"
_ILLEGAL = "is never aligned, or never within its variable"
_FEW_ITEMS, _FEW_THREADS = 4, 2
"""Limits of parameters and sizes of launches if a loop may have too many turns."""
_SMALL_SIZES = (1, 2, 16)
"""The sizes of launches, in each direction, in which differences are sought first."""


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


OnProgress = Callable[[str, int], None]
"""Called with an activity and a count of it."""


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
            comparer = _Comparer((a, b), where, operands, question, initial, on_progress)
            try:
                return comparer.compare(elapsed), comparer.loop_names
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


class _Comparer:
    """A comparison in one question."""

    def __init__(
        self,
        sources: tuple[FileKernel, FileKernel],
        where: str,
        operands: Sequence[tuple[str, str]],
        question: ProofQuestion,
        initial: InitialMemory,
        on_progress: OnProgress,
    ) -> None:
        self.sources, self.where, self.may_alias = sources, where, initial.may_alias
        self._operands = operands
        self.question, self.solver = question, question.solver
        self.terms = question.solver.terms
        self.initial = initial
        self.on_progress = on_progress
        self.sides: list[KernelTerms] = []
        self.elapsed_before = 0.0
        self.loop_names: Sequence[str] = ()
        self.early_answer: KernelComparison | None = None
        """The answer of runs, while the solver had not decided what floats compute."""
        self.needs_float_facts = self.is_float_time_up = self.needs_unknown_nan = False

    def compare(self, elapsed: float) -> KernelComparison:
        """Return the answer."""
        self.elapsed_before = elapsed
        try:
            if self.where:
                self._add_condition()
            self._execute()
            return self._decide()
        except Refused as error:
            line = self.sources[LETTERS.index(error.side)].format_line(error.statement.line)
            reason = f"{error.side}, {line}: {error}."
            self.loop_names = error.loop_names
            return self._answer(Verdict.UNDECIDED, reason=reason)
        except Undecided:
            return self._answer(Verdict.UNDECIDED)

    def _answer(self, verdict: Verdict, **more: Any) -> KernelComparison:
        return KernelComparison(
            kernels=self.sources,
            where=self.where,
            may_alias=self.may_alias,
            verdict=verdict,
            seconds=self.solver.elapsed + self.elapsed_before,
            solver=get_solver_name(),
            has_floats=any(x.scope.has_floats for x in self.sides),
            has_computed_floats=self.needs_float_facts,
            float_names=tuple(self.initial.floats.other_names) if self.needs_float_facts else (),
            has_fusible_sums=any(
                any(find_fusible_products(x).sums.values())
                for side in self.sides
                for x in side.executed.values()
            ),
            has_dynamic_memory=any(
                x.root.is_open and x.root.space == "shared"
                for side in self.sides
                for x in side.memory.accesses
            ),
            variables={k: v for x in self.sides for k, v in x.scope.variables.items()},
            **more,
        )

    def _add_condition(self) -> None:
        """Restrict the parameters and the thread."""
        registers, keys = {}, dict[str, str]()
        for i, (x, y) in enumerate(zip(*(s.kernel.parameters for s in self.sources), strict=True)):
            names = {f"param{i}", x.name, y.name, *(y for y, _ in self._operands[i : i + 1])}
            for _, key in iter_field_names(i, x):
                bits = 8 * (WORD_BYTES if is_structure(x) else x.bytes)
                for name in {y + key.removeprefix(f"param{i}") for y in names}:
                    if not re.search(rf"(?<![\w$%.]){re.escape(name)}(?![\w$])", self.where):
                        continue
                    node = self.question.add_input(key, Type(f"b{max(bits, 16)}"))
                    known_key = keys.setdefault(name, key)
                    if known_key != key:
                        raise ValueError(
                            f"{name} is {known_key} in one kernel and {key} in the other; write "
                            "the one that is meant"
                        )
                    registers[name] = (node, bits)
        for name in LAUNCH_REGISTERS:
            if name.removeprefix("%") in self.where:
                node = add_launch_register(self.question, name)
                registers |= {name: (node, 32), name.removeprefix("%"): (node, 32)}
        node = read_condition(self.question, self.where, ConditionScope(registers))
        self.question.add_condition(node)
        if not self.solver.is_possible():
            raise ValueError(f"no operands satisfy {self.where}")
        self.question.fix_zeros()

    def _execute(self) -> None:
        """Execute both kernels on terms."""
        modules = [x.code.variables for x in self.sources]
        variables = ((modules[0], modules[1]), (modules[1], modules[0]))
        for letter, source, pair in zip(LETTERS, self.sources, variables, strict=True):

            def note(count: int, letter: str = letter) -> None:
                self.on_progress(f"executing {letter}", count)
                self.solver.check_time()

            memory = KernelMemory(self.initial)
            self.sides.append(
                KernelTerms(
                    letter,
                    source.kernel,
                    source.code.functions,
                    pair,
                    source.model,
                    self.question,
                    memory,
                    note,
                )
            )

    # --- equality

    def _list_differences(self) -> list[Term]:
        """Return, for each array that may differ, the condition that it differs at some index."""
        differences = []
        names = dict.fromkeys(name for side in self.sides for name in side.memory.arrays)
        for name in names:
            initial = self.initial.arrays[name]
            arrays = [side.memory.arrays.get(name, initial) for side in self.sides]
            if name[:2] in _OWN_NAMES or arrays[0] == arrays[1]:  # no thread's own memory is left
                continue
            width = initial.sort().array_index().bv_size()
            index = self.terms.make_variable(width, f"index.{name}")
            words = [self.terms.make("ARRAY_SELECT", x, index) for x in arrays]
            differences.append(self.terms.make("DISTINCT", *words))
        return differences

    def _has_same_stores(
        self, legal: Sequence[Term], seconds: float = _STORE_SECONDS
    ) -> bool | None:
        """Whether both kernels store the same words at the same places in one order.

        Then they leave the same bytes; a solver finds that sooner than that two arrays are equal.
        The answer is None if the time is too short.
        """
        make, unequal = self.terms.make, list[Term]()
        first, second = (
            [x for x in side.memory.stores if x.array[:2] not in _OWN_NAMES] for side in self.sides
        )
        if [x.array for x in first] != [x.array for x in second]:
            return False
        for x, y in zip(first, second, strict=True):
            truths = [
                self.terms.manager.mk_true() if z.condition is None else z.condition for z in (x, y)
            ]
            pairs = ((x.index, y.index), (x.word, y.word))
            parts = [make("DISTINCT", *pair) for pair in pairs if pair[0] != pair[1]]
            if parts:
                unequal.append(make("AND", truths[0], self.terms.join("OR", parts)))
            if truths[0] != truths[1]:
                unequal.append(make("DISTINCT", *truths))
        seconds = min(seconds, self.solver.remaining / 2)
        try:
            return not unequal or not self.solver.is_possible(
                *legal, self.terms.join("OR", unequal), seconds=seconds
            )
        except Undecided:
            return None

    def _check_facts(
        self,
        get_facts: Callable[[RootAccess], Sequence[Term]],
        clause: str,
        seconds: float | None = None,
    ) -> None:
        """Raise Refused if facts about accesses exclude all operands, which makes kernels equal.

        ``clause`` describes the access that excludes the last ones. Raise Undecided if the time is
        too short.
        """
        accesses = [(side.scope.letter, x) for side in self.sides for x in side.memory.accesses]

        def is_excluded(count: int) -> bool:
            facts = [y for _, x in accesses[:count] for y in get_facts(x)]
            return not self.solver.is_possible(*facts, seconds=seconds)

        if is_excluded(len(accesses)):
            count = bisect_left(range(len(accesses)), True, key=is_excluded)
            if not count:
                raise Undecided
            letter, access = accesses[count - 1]
            raise Refused(access.statement, clause, letter)

    def _check_float_facts(self, legal: Sequence[Term]) -> None:
        """Raise RuntimeError if what floats compute excludes all operands."""
        facts = self.initial.floats.facts if self.needs_float_facts else ()
        with suppress(Undecided):
            if facts and not self.solver.is_possible(*legal, *facts, seconds=_FACT_SECONDS):
                raise RuntimeError("the facts about floats contradict each other")

    def _decide(self) -> KernelComparison:
        self.on_progress("asking the solver", 0)
        with suppress(Undecided):  # it is asked again at last, with all facts
            self._check_facts(lambda x: x.inside, _OUTSIDE, _FACT_SECONDS)
        for side in self.sides:
            for fact in side.memory.is_inside:
                self.solver.add(fact)
        legal = [x for side in self.sides for x in side.memory.is_legal]
        differences = self._list_differences()
        if differences:
            conditions = self._find_different([*legal, self.terms.join("OR", differences)], legal)
            if conditions:
                return self._describe(conditions)
        for side, other in (self.sides, self.sides[::-1]):
            facts = [x for x in side.memory.is_legal if x not in other.memory.is_legal]
            if facts:
                broken = self.terms.join("OR", [self.terms.make("NOT", x) for x in facts])
                conditions = self._find_possible([*other.memory.is_legal, broken])
                if conditions:
                    return self._describe(conditions, is_illegal=True)
        self._check_facts(lambda x: x.legal, _ILLEGAL)
        self._check_float_facts(legal)
        return self._answer(
            Verdict.EQUAL, has_same_terms=not differences, notes=self._list_notes(legal)
        )

    def _find_different(self, conditions: list[Term], legal: Sequence[Term]) -> list[Term] | None:
        """Return conditions of a difference that can hold together, or None if none can.

        If stores are not seen to be the same at once, differences in small launches are sought.
        """
        seconds = min(_FIRST_SECONDS, self.solver.remaining * _FIRST_PART)
        is_same = self._has_same_stores(legal, seconds)
        if is_same:
            return None
        sizes = [self.question.get_bits(x) for x in self.question.inputs if x in LAUNCH_SIZES]
        for limit in _SMALL_SIZES if sizes else ():
            bounds = [
                self.terms.make("BV_ULE", x, self.terms.make_value(limit, x.sort().bv_size()))
                for x in sizes
            ]
            with suppress(Undecided):
                if self.solver.is_possible(*conditions, *bounds, seconds=seconds):
                    break
        else:
            if is_same is None and self._has_same_stores(legal):
                return None
        return self._find_possible(conditions, legal)

    def _find_possible(
        self, conditions: list[Term], legal: Sequence[Term] | None = None
    ) -> list[Term] | None:
        """Return conditions that can hold together with what floats compute, or None.

        Whatever floats compute is asked first. ``legal`` is for a question about stored words.
        """
        for name in self.question.inputs:
            self.question.get_bits(name)
        facts = self.initial.floats.facts
        if not self.solver.is_possible(*conditions):
            return None
        if not facts:
            return conditions
        self.needs_float_facts = True
        with suppress(Undecided):
            seconds = min(_FLOAT_SECONDS, self.solver.remaining / 4)
            return self._add_float_facts(conditions, facts, legal, seconds)
        if legal is not None:  # a run may show a difference sooner
            self.is_float_time_up = True
            answer = self._describe(conditions)
            self.is_float_time_up = False
            if answer.has_runs:
                self.early_answer = answer
                return conditions
        with suppress(Undecided):
            facts = self.initial.floats.unify(self.solver.remaining / 4)
            seconds = self.solver.remaining * _FLOAT_PART
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
        known = [self.terms.make("NOT", x) for x in self.initial.floats.unknown_nans.values()]
        ones = list_smallest_launch(self.question)
        wishes = [x for x in ([*ones, *known] if ones else [], known) if x]
        for wish in (*wishes, []):
            start = self.solver.elapsed
            part = seconds / 2 / (len(wishes) + 1)
            with nullcontext() if not wish else suppress(Undecided):
                all_conditions = [*conditions, *facts, *wish]
                if self.solver.is_possible(*all_conditions, seconds=part):
                    self.needs_unknown_nan = bool(known) and not wish
                    if self.solver.elapsed - start > _SLOW_SECONDS:  # so are smaller values
                        accesses = [x for side in self.sides for x in side.memory.accesses]
                        all_conditions += list_found_values(self.initial, accesses)
                    return all_conditions
        return None

    def _list_notes(self, legal: Sequence[Term]) -> tuple[str, ...]:
        memories = [side.memory for side in self.sides]
        lines = [x.format_line for x in self.sources]
        return tuple(iter_access_notes(memories, lines, self.solver, legal))

    # --- counterexamples

    def _describe(
        self, conditions: Sequence[Term], *, is_illegal: bool = False
    ) -> KernelComparison:
        """Return the answer of a difference: a simple counterexample, run again."""
        if self.early_answer:
            return self.early_answer
        self.on_progress("simplifying the counterexample", 0)
        accesses = [x for side in self.sides for x in side.memory.accesses]
        wishes = iter_float_wishes(self.question, [x for _, x in self._operands])
        found = find_small_example(self.initial, accesses, conditions, wishes)
        shared_bytes = count_shared_bytes(self.solver, accesses)
        example = DifferentLaunch(found, read_memory(self.initial, accesses), shared_bytes)
        self.on_progress("running the counterexample", 0)
        units = self._map_units()
        has_floats = any(x.scope.has_floats for x in self.sides)

        def run(example: DifferentLaunch) -> Replay:
            found = replay(
                self.sources,
                example,
                units,
                may_alias=self.may_alias,
                is_illegal=is_illegal,
            )
            if self._is_guess and found.has_conflicts:  # their order may be the difference
                obstacle = "its threads access one place without a barrier"
                return found._replace(differences=(), obstacle=obstacle)
            return found

        runs = run(example)
        if not runs.is_confirmed and (runs.runs or not runs.obstacle):
            others = iter_other_contents(example, units)
            if has_floats and not self.where:
                parameters = self.sources[0].kernel.parameters
                others = chain(iter_float_examples(example, units, parameters), others)
            found_runs = (x for x in map(run, others) if x.is_confirmed and not x.has_conflicts)
            runs = next(found_runs, runs)
            if runs.is_confirmed and not has_floats:
                runs = clear_words(runs, units, run)
            example = runs.example
        verdict, reason = Verdict.DIFFERENT, ""
        if not runs.is_confirmed and (self._is_guess or not runs.obstacle):
            verdict, reason = Verdict.UNDECIDED, self._explain_unconfirmed(units, runs)
        signed = find_signed_buffers(self.sources, [x.memory.accesses for x in self.sides])
        runs = runs._replace(signed=signed)
        return self._answer(verdict, reason=reason, counterexample=example, replay=runs)

    @property
    def _is_guess(self) -> bool:
        """Whether kernels for which the solver finds a difference may still be equal."""
        floats = self.initial.floats
        return self.is_float_time_up or bool(
            floats.other_names
            or floats.unknown_nans
            or any(side.scope.unwritten for side in self.sides)
        )

    def _explain_unconfirmed(self, pointers: Iterable[str], runs: Replay) -> str:
        """Return the reason why a run of a counterexample may leave the same bytes.

        It is empty if the time for a question was too short.
        """
        if self.is_float_time_up:
            return ""
        for name, advice in self.initial.floats.other_names.items():
            return advice or (
                f"of {name} it is known only that equal operands give equal results; the solver "
                "found such results for which A and B differ, but a run of both shows no "
                "difference."
            )
        if self.needs_unknown_nan:
            name = next(iter(self.initial.floats.unknown_nans))
            return f"they are equal unless {name} yields a NaN; no manual says which one that is."
        if reason := explain_unknown(self.sources, runs):
            return reason
        unwritten = [x for side in self.sides for x in side.scope.unwritten]
        if unwritten:
            return f"the result depends on {unwritten[0]}, which may be read before it is written."
        for side, letter in zip(self.sides, LETTERS, strict=True):
            early = find_early_load(self.solver, side.memory.accesses)
            if early:
                line = self.sources[LETTERS.index(letter)].format_line(early.statement.line)
                name = early.root.name.partition(":")[2]
                return f"{letter} reads bytes of {name} that the thread has not written, at {line}."
        names = [] if self.may_alias else sorted({*pointers} & self.question.inputs.keys())
        if names:
            return (
                f"the kernels differ for an address of {names[0]} that the executor does not use."
            )
        return (
            "one thread leaves other bytes, but a run of both kernels, with all threads, leaves "
            "the same."
        )

    def _map_units(self) -> dict[str, int]:
        """Return the bytes of an element of each buffer and variable of both kernels."""
        accesses = (x for side in self.sides for x in side.memory.accesses)
        return {
            x.root.name: self.initial.get_unit(self.initial.get_name(x.root))
            for x in accesses
            if not x.root.is_own
        }
