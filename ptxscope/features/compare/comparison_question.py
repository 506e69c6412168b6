"""The question of a comparison: two kernels as terms of one solver, and facts about accesses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from ...engine.isa.types import Type
from ..prove.operand_conditions import ConditionScope, read_condition
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Solver, Term, Undecided
from .file_kernel import LETTERS, FileKernel
from .kernel_memory import InitialMemory, KernelMemory, RootAccess
from .kernel_terms import KernelTerms
from .kernel_values import ValueScope
from .launch_registers import LAUNCH_REGISTERS, add_launch_register
from .parameters import WORD_BYTES, is_structure, iter_field_names
from .refusals import Refused

OnProgress = Callable[[str, int], None]
"""Called with an activity and a count of it."""
FACT_SECONDS = 1.0
"""The time for the question whether facts exclude all operands, if it may stay open."""


class ComparisonQuestion:
    """Two kernels in one question."""

    def __init__(
        self,
        sources: tuple[FileKernel, FileKernel],
        where: str,
        operands: Sequence[tuple[str, str]],
        question: ProofQuestion,
        initial: InitialMemory,
        on_progress: OnProgress,
    ) -> None:
        """``operands`` has other names and the types of floats for the first parameters."""
        self.sources, self.where, self.operands = sources, where, operands
        self.question, self.solver = question, question.solver
        self.terms = question.solver.terms
        self.initial, self.may_alias = initial, initial.may_alias
        self.on_progress = on_progress
        self.sides: list[KernelTerms] = []

    @property
    def accesses(self) -> list[RootAccess]:
        """The accesses of both kernels, first those of A."""
        return [x for side in self.sides for x in side.memory.accesses]

    @property
    def legal(self) -> list[Term]:
        """Facts that hold if all accesses are aligned, and those of variables are within them."""
        return [x for side in self.sides for x in side.memory.is_legal]

    @property
    def has_floats(self) -> bool:
        """Whether a kernel computes with floats."""
        return any(x.scope.has_floats for x in self.sides)

    def add_condition(self) -> None:
        """Restrict the parameters and the thread."""
        registers, keys = {}, dict[str, str]()
        for i, (x, y) in enumerate(zip(*(s.kernel.parameters for s in self.sources), strict=True)):
            names = {f"param{i}", x.name, y.name, *(y for y, _ in self.operands[i : i + 1])}
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

    def execute(self) -> None:
        """Execute both kernels on terms."""
        modules = [x.code.variables for x in self.sources]
        variables = ((modules[0], modules[1]), (modules[1], modules[0]))
        for letter, source, pair in zip(LETTERS, self.sources, variables, strict=True):

            def note(count: int, letter: str = letter) -> None:
                self.on_progress(f"executing {letter}", count)
                self.solver.check_time()

            memory = KernelMemory(self.initial)
            scope = ValueScope(letter, pair, source.model, self.question, memory)
            functions = source.code.functions
            self.sides.append(KernelTerms(source.kernel, functions, scope, note))

    def check_facts(
        self,
        solver: Solver,
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
            return not solver.is_possible(*facts, seconds=seconds)

        if is_excluded(len(accesses)):
            count = bisect_left(range(len(accesses)), True, key=is_excluded)
            if not count:
                raise Undecided
            letter, access = accesses[count - 1]
            raise Refused(access.statement, clause, letter)
