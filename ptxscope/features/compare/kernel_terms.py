"""A kernel as terms: the memory after its thread, for any parameters, thread and contents.

All paths are followed at once, the one at the lowest line first, as a launch does. Each path has a
condition and registers of its own, which a join merges. A loop ends when no operands let it
continue. A function is executed at each of its calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ...engine.ir.tape import Node
from ...engine.program.program import Program
from ...engine.program.statement import Statement, StatementKind
from ...engine.syntax.errors import format_count
from ...engine.syntax.opcodes import BARRIERS, CALLS, LOADS, RETURNS, STORES, WAITS
from ..prove.proof_question import find_variables
from ..prove.solver import Undecided
from .function_calls import FunctionCall, read_call
from .kernel_values import Content, Join, Registers, ValueScope
from .launch_registers import LAUNCH_SIZES, has_one_thread
from .memory_values import KernelValues
from .path_conditions import PathConditions
from .refusals import Refused, check_kind

MAX_STEPS = 20_000
"""Statements of all paths; a kernel with more is refused."""
MAX_TURNS = 128
"""Turns of a loop whose end depends on operands; a loop with more is refused."""
_MAX_DEPTH = 32
"""Calls within calls."""
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
        kernel: Program,
        functions: Mapping[str, Program],
        scope: ValueScope,
        on_step: Callable[[int], None],
    ) -> None:
        """Execute a kernel; raise Refused for a statement that is not compared.

        ``functions`` are those that it may call.
        """
        self.functions, self.scope = functions, scope
        self.question, self.memory = scope.question, scope.memory
        self.executed = {kernel.name: kernel}
        """The kernel and the functions that it calls."""
        self.conditions = PathConditions(scope.question)
        self.loop_seconds = scope.question.solver.remaining / _LOOP_PART
        self._has_one_thread = has_one_thread(scope.question)
        self._on_step, self._count = on_step, 0
        try:
            for statement in kernel.statements:
                self.check_kind(statement)
            _Activation(self, kernel, scope.letter, 0).run(Path(None, {}))
        except Refused as error:
            error.side = scope.letter
            raise

    def check_kind(self, statement: Statement) -> None:
        """Raise Refused for a statement that no comparison takes."""
        check_kind(statement, has_one_thread=self._has_one_thread)

    def note_step(self, statement: Statement) -> None:
        """Count a statement; raise Refused if they are too many."""
        self._count += 1
        self._on_step(self._count)
        if self._count > MAX_STEPS:
            raise Refused(
                statement, f"is reached after {MAX_STEPS:,} statements, which is the limit"
            )


class _Activation:
    """One execution of a kernel or of a function."""

    def __init__(self, whole: KernelTerms, function: Program, name: str, depth: int) -> None:
        self._whole, self._function, self._depth = whole, function, depth
        self._conditions = whole.conditions
        self.values = KernelValues(name, function, whole.scope)
        self._pending: dict[int, Path] = {}
        self._turns: dict[int, int] = {}
        self._repeated: dict[int, Node] = {}
        """The conditions of the last turns of loops."""

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
        joined, choice = self._conditions.either(condition, known.condition)
        merged: Registers = {}
        for name in {**known.registers, **registers}:
            x, y = registers.get(name), known.registers.get(name)
            merged[name] = x if x is not None and x == y else Join(choice, (x, y))
        self._pending[index] = Path(joined, merged)

    def run(self, path: Path) -> Path | None:
        """Execute all statements; return the path behind them, or None if no thread comes there."""
        statements = self._function.statements
        self._pending[0] = path
        while self._pending:
            index = min(self._pending)
            condition, registers = self._pending.pop(index)
            if index == len(statements):
                return Path(condition, registers)
            while index < len(statements):
                statement = statements[index]
                self._whole.note_step(statement)
                index += 1
                if statement.kind is StatementKind.BRANCH:
                    self._branch(statement, index, Path(condition, registers))
                    break
                if statement.opcode in CALLS:
                    self._call(statement, index, Path(condition, registers))
                    break
                self._act(statement, condition, registers)
                if index in self._pending or index == len(statements):
                    self._add_path(index, Path(condition, registers))
                    break
        return None

    def _read_guard(self, statement: Statement, registers: Registers) -> Node | None:
        if statement.guard is None:
            return None
        truth = self.values.read(statement.guard.name, registers).number
        return self._conditions.negate(truth) if statement.guard.negated else truth

    def _branch(self, statement: Statement, index: int, path: Path) -> None:
        guard = self._read_guard(statement, path.registers)
        taken = self._conditions.both(path.condition, guard)
        rest = self._find_rest(guard, path)
        if statement.opcode in RETURNS:
            if statement.opcode == "ret" and self._depth:
                self._add_path(len(self._function.statements), Path(taken, {**path.registers}))
        else:
            if not statement.targets:
                raise Refused(statement, "branches to a label that is not there")
            target = statement.targets[0]
            if target >= index or self._can_repeat(statement, taken):
                self._add_path(target, Path(taken, {**path.registers}))
            else:
                rest = rest and rest._replace(condition=path.condition)
        if rest:
            self._add_path(index, rest)

    def _find_rest(self, guard: Node | None, path: Path) -> Path | None:
        """Return the path of the threads for which a guard is false."""
        if guard is None:
            return None
        condition = self._conditions.both(path.condition, self._conditions.negate(guard))
        return Path(condition, path.registers)

    def _can_repeat(self, statement: Statement, condition: Node | None) -> bool:
        """Whether a loop can have another turn."""
        if condition is None or condition.range.low == condition.range.high:
            return condition is None or bool(condition.range.high)
        if condition is self._repeated.get(statement.number):  # no operands decided the turn
            return True
        self._repeated[statement.number] = condition
        turns = self._turns[statement.number] = self._turns.get(statement.number, 0) + 1
        whole, is_possible = self._whole, None
        solver = whole.question.solver
        truth = whole.question.make_truth(condition)
        facts = (*whole.memory.is_legal, *whole.memory.is_inside)
        start, seconds = solver.elapsed, whole.loop_seconds
        if turns <= MAX_TURNS and seconds > 0:
            with suppress(Undecided):
                is_possible = solver.is_possible(truth, *facts, seconds=seconds)
        whole.loop_seconds -= solver.elapsed - start
        if is_possible is None:
            found = find_variables(truth)
            names = _list_loop_names(found)
            refused = Refused(
                statement,
                "ends a loop that may have more than "
                f"{format_count(min(turns, MAX_TURNS), 'turn')}; {_explain_turns(found, names)}",
            )
            refused.loop_names = names
            raise refused
        return is_possible

    # --- statements

    def _act(self, statement: Statement, condition: Node | None, registers: Registers) -> None:
        guard = self._read_guard(statement, registers)
        if guard is not None and guard.range.low == guard.range.high:
            if guard.range.high == 0:
                return
            guard = None
        if statement.opcode in WAITS | BARRIERS:
            return
        active = self._conditions.both(condition, guard)
        written: Mapping[str, Content]
        if statement.opcode in STORES:
            written = self.values.store(statement, registers, active)
        elif statement.opcode in LOADS:
            written = self.values.load(statement, registers, active)
        else:
            written, guard = self.values.compute(statement, registers, guard)
        for name, value in written.items():
            old = registers.get(name)
            registers[name] = value if guard is None else Join(guard, (value, old))

    def _call(self, statement: Statement, index: int, path: Path) -> None:
        """Execute the function that a statement calls; its threads continue at the next one."""
        call = read_call(statement, self._function, self._whole.functions)
        self._whole.executed[call.function.name] = call.function
        if self._depth >= _MAX_DEPTH:
            raise Refused(statement, f"is a call within {_MAX_DEPTH} others")
        guard = self._read_guard(statement, path.registers)
        if guard is None or guard.range.high:
            self._execute_call(call, index, path, guard)
        rest = self._find_rest(guard, path)
        if rest:
            self._add_path(index, rest)

    def _execute_call(self, call: FunctionCall, index: int, path: Path, guard: Node | None) -> None:
        for statement in call.function.statements:
            self._whole.check_kind(statement)
        name = self._whole.scope.name_call(call.function.name)
        activation = _Activation(self._whole, call.function, name, self._depth + 1)
        arguments: Registers = {}
        for inner, outer in call.arguments:
            arguments |= self.values.copy_parts(outer, path.registers, inner)
        taken = self._conditions.both(path.condition, guard)
        end = activation.run(Path(taken, arguments))
        if end:
            registers = {**path.registers}
            for inner, outer in call.results:
                registers |= activation.values.copy_parts(inner, end.registers, outer)
            self._add_path(index, Path(end.condition, registers))


def _list_loop_names(variables: Iterable[str]) -> tuple[str, ...]:
    """Return the parameters and the sizes of the launch among the variables of a condition."""
    names = [*dict.fromkeys(x.rpartition(".")[0].removeprefix("%") for x in variables)]
    sizes = [x.removeprefix("%") for x in LAUNCH_SIZES]
    parameters = [x for x in names if x.startswith("param")]
    return (*parameters, *(x for x in names if x in sizes))


def _explain_turns(variables: Iterable[str], names: Sequence[str]) -> str:
    """Return a clause that says what may limit a loop whose condition has some variables."""
    if names:
        return f"--where can limit what that depends on ({', '.join(names)})"
    if any(x.startswith("memory.") for x in variables):
        return "that depends on words of memory, which --where cannot limit"
    return "--where can limit what that depends on"
