"""A kernel as terms: the memory after its thread, for any parameters, thread and contents.

All paths are followed at once, the one at the lowest line first, as a launch does. Each path has a
condition and registers of its own, which a join merges. A loop ends when no operands let it
continue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from ...engine.ir.tape import Node, Op
from ...engine.program.program import Program
from ...engine.program.statement import Statement, StatementKind
from ...engine.semantics.models import Model
from ...engine.syntax.errors import format_count
from ...engine.syntax.opcodes import LOADS, RETURNS, STORES, WAITS
from ..kernels.launches.thread_state import LaunchError
from ..prove.proof_question import ProofQuestion
from ..prove.solver import Undecided
from .kernel_memory import KernelMemory
from .kernel_values import Content, Join, Registers, VariablePair
from .memory_values import KernelValues
from .refusals import Refused, check_kind

MAX_STEPS = 20_000
"""Statements of all paths; a kernel with more is refused."""
MAX_TURNS = 128
"""Turns of a loop whose end depends on operands; a loop with more is refused."""
_LOOP_PART = 6
"""The part of the time for the questions whether loops can continue."""


class Path(NamedTuple):
    """Threads at one statement: the condition that there are some, and the registers then."""

    condition: Node | None
    """None if all are there."""
    registers: Registers


class KernelTerms:
    """A kernel that is executed on terms."""

    def __init__(
        self,
        letter: str,
        kernel: Program,
        variables: VariablePair,
        model: Model,
        question: ProofQuestion,
        memory: KernelMemory,
        on_step: Callable[[int], None],
    ) -> None:
        """Execute a kernel; raise Refused for a statement that is not compared.

        ``variables`` are those of the kernel's module, and of the other kernel's.
        """
        self.kernel, self.question, self.tape = kernel, question, question.tape
        self.memory, self._on_step = memory, on_step
        self.values = KernelValues(letter, kernel, variables, model, question, memory)
        self._pending: dict[int, Path] = {0: Path(None, {})}
        self._turns: dict[int, int] = {}
        self._loop_seconds = question.solver.remaining / _LOOP_PART
        self._count = 0
        try:
            for statement in kernel.statements:
                check_kind(statement)
            self._run()
        except Refused as error:
            error.side = letter
            raise

    # --- conditions: None is true

    def _and(self, x: Node | None, y: Node | None) -> Node | None:
        if x is None or y is None or x is y:
            return y if x is None else x
        for one, other in ((x, y), (y, x)):
            if one.range.low == one.range.high:
                return other if one.range.low else one
        last = x.args[1] if x.op is Op.MINIMUM else None
        if last is y:
            return x
        if self._are_opposite(x, y) or self._are_opposite(last, y):
            return self.question.make_constant(0)
        return self.tape.minimum(x, y)

    def _negate(self, x: Node) -> Node:
        if x.op is Op.EQUAL and x.args[1] == 0:
            inner = x.args[0]
            if isinstance(inner, Node) and inner.is_truth:
                return inner
        return self.tape.equal(x, 0)

    def _are_opposite(self, x: Node | int | None, y: Node | int | None) -> bool:
        return isinstance(x, Node) and isinstance(y, Node) and (
            self._negate(x) is y or self._negate(y) is x
        )  # fmt: skip

    def _join(self, x: Node, y: Node) -> tuple[Node | None, Node]:
        """Return whether one of two conditions holds, and the condition that tells which."""
        if self._are_opposite(x, y):
            return None, x
        is_pair = x.op is Op.MINIMUM and y.op is Op.MINIMUM and x.args[0] is y.args[0]
        if is_pair and self._are_opposite(x.args[1], y.args[1]):
            return x.nodes[0], x.nodes[1]
        for one, other in ((x, y), (y, x)):  # c and d, or not c
            if one.op is Op.MINIMUM and self._are_opposite(one.args[0], other):
                joined = self.tape.maximum(other, one.nodes[1])
                return joined, x
        return self.tape.maximum(x, y), x

    # --- paths

    def _add_path(self, index: int, path: Path) -> None:
        """Let threads continue at a statement, together with the threads that are there."""
        condition, registers = path
        if condition is not None and condition.range.high == 0:
            return
        known = self._pending.get(index)
        if known is None:
            self._pending[index] = path
            return
        if condition is None or known.condition is None:  # no operands lead to the other path
            self._pending[index] = known if condition else path
            return
        joined, choice = self._join(condition, known.condition)
        merged: Registers = {}
        for name in {**known.registers, **registers}:
            x, y = registers.get(name), known.registers.get(name)
            merged[name] = x if x is not None and x == y else Join(choice, (x, y))
        self._pending[index] = Path(joined, merged)

    def _run(self) -> None:
        statements = self.kernel.statements
        while self._pending:
            index = min(self._pending)
            condition, registers = self._pending.pop(index)
            while index < len(statements):
                statement = statements[index]
                self._note_step(statement)
                index += 1
                if statement.kind is StatementKind.BRANCH:
                    self._branch(statement, index, Path(condition, registers))
                    break
                self._act(statement, condition, registers)
                if index in self._pending:
                    self._add_path(index, Path(condition, registers))
                    break

    def _note_step(self, statement: Statement) -> None:
        self._count += 1
        self._on_step(self._count)
        if self._count > MAX_STEPS:
            raise Refused(
                statement, f"is reached after {MAX_STEPS:,} statements, which is the limit"
            )

    def _read_guard(self, statement: Statement, registers: Registers) -> Node | None:
        if statement.guard is None:
            return None
        truth = self.values.read(statement.guard.name, registers).number
        return self._negate(truth) if statement.guard.negated else truth

    def _branch(self, statement: Statement, index: int, path: Path) -> None:
        guard = self._read_guard(statement, path.registers)
        taken = self._and(path.condition, guard)
        if guard is None:
            rest = None
        else:
            rest = Path(self._and(path.condition, self._negate(guard)), path.registers)
        if statement.opcode not in RETURNS:
            if not statement.targets:
                raise LaunchError("there is no such label", statement)
            target = statement.targets[0]
            is_known = guard is None or guard.range.low == guard.range.high
            if target >= index or is_known or self._can_repeat(statement, taken):
                self._add_path(target, Path(taken, {**path.registers}))
            else:
                rest = rest and rest._replace(condition=path.condition)
        if rest:
            self._add_path(index, rest)

    def _can_repeat(self, statement: Statement, condition: Node | None) -> bool:
        """Whether a loop can have another turn."""
        if condition is None or condition.range.low == condition.range.high:
            return condition is None or bool(condition.range.high)
        turns = self._turns[statement.number] = self._turns.get(statement.number, 0) + 1
        solver, is_possible = self.question.solver, None
        truth = self.question.make_truth(condition)
        facts = (*self.memory.is_legal, *self.memory.is_inside)
        start, seconds = solver.elapsed, self._loop_seconds
        if turns <= MAX_TURNS and seconds > 0:
            with suppress(Undecided):
                is_possible = solver.is_possible(truth, *facts, seconds=seconds)
        self._loop_seconds -= solver.elapsed - start
        if is_possible is None:
            raise Refused(
                statement,
                f"ends a loop that may have more than {format_count(turns, 'turn')}; --where can "
                "limit what that depends on",
            )
        return is_possible

    # --- statements

    def _act(self, statement: Statement, condition: Node | None, registers: Registers) -> None:
        guard = self._read_guard(statement, registers)
        if guard is not None and guard.range.low == guard.range.high:
            if guard.range.high == 0:
                return
            guard = None
        if statement.opcode in WAITS:
            return
        active = self._and(condition, guard)
        if statement.opcode in STORES:
            self.values.store(statement, registers, active)
            return
        written: Mapping[str, Content]
        if statement.opcode in LOADS:
            written = self.values.load(statement, registers, active)
        else:
            written, guard = self.values.compute(statement, registers, guard)
        for name, value in written.items():
            old = registers.get(name)
            registers[name] = value if guard is None else Join(guard, (value, old))
