"""Device code from the text of a file, as a launch runs it: functions and variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from ....engine.program.program import Program
from ....engine.program.program_loader import load_module
from ....engine.program.statement import Statement, StatementKind
from ....engine.program.variables import Variable
from ....engine.syntax.instruction import Instruction, Register
from ....engine.syntax.opcodes import ATOMICS, FENCES
from ....sources.embedded_ptx import EmbeddedPtx, find_ptx
from ....sources.source_language import Language, find_language

_FUNCTIONS = (".entry", ".func")
_MARKS = (StatementKind.LABEL, StatementKind.BLOCK_START, StatementKind.BLOCK_END)
"""The kinds of statements that threads do not run."""


class DeviceCode(NamedTuple):
    """The functions and variables of a text."""

    functions: Mapping[str, Program]
    variables: Mapping[str, Variable]
    """The variables outside of all functions."""
    text: str

    @property
    def has_fences(self) -> bool:
        """Whether threads of different blocks may wait for each other's accesses."""
        return any(
            statement.opcode in ATOMICS | FENCES and "cta" not in statement.modifiers
            for function in self.functions.values()
            for statement in function.statements
        )

    @property
    def kernels(self) -> tuple[Program, ...]:
        """The kernels, in order."""
        return tuple(x for x in self.functions.values() if x.is_kernel)


def load_device_code(
    text: str,
    on_progress: Callable[[int], None] | None = None,
    *,
    name: str = "",
    kernel: str | None = None,
) -> DeviceCode:
    """Return the functions and variables of PTX text, or of the PTX in a file's strings.

    ``name`` is the file's name; without one, the text is PTX. With the name of a kernel, other
    kernels have no statements, which saves time. ``on_progress`` is called with the position
    reached in the text. Nothing is raised: statements have their ``problems``, and what can't be
    read has no operands.
    """
    functions, variables = dict[str, Program](), dict[str, Variable]()
    for piece in _find_modules(text, name):
        module = load_module(
            text,
            piece,
            on_progress=on_progress,
            is_wanted=lambda x: kernel is None or not x.is_kernel or x.name == kernel,
        )
        for program in module.programs:
            if program.has_body and program.is_function:
                functions[program.name] = _make_function(program)
            elif program.is_function:
                functions.setdefault(program.name, _make_function(program))
        variables |= module.variables
    return DeviceCode(functions, variables, text)


def _find_modules(text: str, name: str) -> Iterator[EmbeddedPtx]:
    """Yield the parts of a text that are PTX with functions."""
    language = find_language(name, text) if name else Language.PTX
    if language in (Language.UNKNOWN, Language.TEXT):
        language = Language.PTX
    for piece in find_ptx(text, language):
        if language is Language.PTX or any(x in piece.ptx for x in _FUNCTIONS):
            yield piece


def _make_function(program: Program) -> Program:
    """Return a function as threads run it: labels and braces are no statements."""
    statements = program.statements
    numbers = [0, *accumulate(x.kind not in _MARKS for x in statements)]
    """The number of statements before each."""
    return program._replace(
        scopes=(),  # equal functions are equal
        statements=tuple(
            _with_unique_names(statement, numbers)
            for statement in statements
            if statement.kind not in _MARKS
        ),
        labels={
            numbers[i]: statement.opcode
            for i, statement in enumerate(statements)
            if statement.kind is StatementKind.LABEL
        },
    )


def _rename_registers(statement: Statement, ins: Instruction) -> Instruction:
    """Return the instruction of a statement, with unique names of its registers."""
    rename = statement.get_unique_name
    return replace(
        ins,
        destinations=tuple(x and rename(x) for x in ins.destinations),
        sources=tuple(
            source._replace(name=rename(source.name)) if isinstance(source, Register) else source
            for source in ins.sources
        ),
        guard=ins.guard and ins.guard._replace(name=rename(ins.guard.name)),
    )


def _with_unique_names(statement: Statement, numbers: list[int]) -> Statement:
    """Return a statement with unique names of its registers, as its operands have them."""
    ins, guard = statement.instruction, statement.guard
    return statement._replace(
        instruction=_rename_registers(statement, ins) if ins and statement.unique_names else ins,
        guard=guard and guard._replace(name=statement.get_unique_name(guard.name)),
        targets=tuple(numbers[x] for x in statement.targets),
        problems=statement.problems + statement.plain_problems,
    )
