"""Device code from PTX text, in a single pass that tracks declarations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from ..listings.embedded_ptx import find_ptx
from ..listings.source_language import Language, language_of
from ..program.statement import Statement, StatementKind
from ..syntax import tokens as syntax
from ..syntax.errors import Problem, quote_word
from ..syntax.flag_senses import mark_mixed_flags
from ..syntax.instruction import Guard
from ..syntax.opcodes import OPCODES
from ..syntax.operands import COMPONENTS, SPECIAL
from ..syntax.parser import parse_common_statement, parse_statement
from ..syntax.register_checks import find_register_problems, fit_registers, has_function_operand
from ..syntax.scopes import Scope, Scopes
from ..syntax.source import Fragment
from ..syntax.tokens import RawInstruction, Token, TokenGroupKind, TokenKind
from .control_flow import LEAVING
from .device_code import DeviceCode, Function, Variable
from .operand_reader import read_operand
from .variable_declarations import parse_parameters, parse_variables

_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FUNCTIONS = (".entry", ".func")
_MAX_DEPTH = 200
"""Maximum depth of nested braces with labels of their own."""


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
    functions, variables = dict[str, Function](), dict[str, Variable]()
    for fragment in _find_modules(text, name):
        part = _Loader(text, fragment, on_progress, kernel).read_all()
        functions |= part.functions
        variables |= part.variables
    return DeviceCode(functions, variables, text)


def _find_modules(text: str, name: str) -> Iterator[Fragment]:
    """Yield the PTX of a text that has functions."""
    language = language_of(name, text) if name else Language.PTX
    if language in (Language.PTX, Language.UNKNOWN, Language.TEXT):
        yield Fragment(text)
        return
    for piece in find_ptx(text, language):
        fragment = piece.flatten()
        if any(x in fragment.ptx for x in _FUNCTIONS):
            yield fragment


class _PendingStatement(NamedTuple):
    """A statement whose labels are not known yet."""

    statement: Statement
    label_name: str
    """The label that it branches to, or the label of a list of them; empty for none."""
    path: tuple[int, ...]
    """The numbers of the braces around it."""


class _OpenFunction:
    """A function that is being read."""

    def __init__(self, name: str, *, is_kernel: bool) -> None:
        self.name, self.is_kernel = name, is_kernel
        self.parameters: tuple[Variable, ...] = ()
        self.results: tuple[Variable, ...] = ()
        self.statements: list[_PendingStatement] = []
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.labels: dict[tuple[str, tuple[int, ...]], int] = {}
        """The statements after labels, by name and the numbers of the braces around."""
        self.target_lists: dict[str, tuple[str, ...]] = {}
        self.unique_names: dict[tuple[str, int], str] = {}
        self.counts: dict[str, int] = {}

    def close(self, *, has_body: bool) -> Function:
        """Return the function, with the targets of its branches."""
        statements = [
            x.statement._replace(targets=tuple(self._find_targets(x))) for x in self.statements
        ]
        starts = {*self.labels.values()} | {
            i + 1 for i, x in enumerate(statements) if x.opcode in LEAVING
        }
        for i, ins in mark_mixed_flags([x.instruction for x in statements], starts).items():
            statements[i] = statements[i]._replace(instruction=ins)
        labels = {index: name for (name, _), index in self.labels.items()}
        return Function(
            self.name,
            self.is_kernel,
            self.parameters,
            self.results,
            tuple(statements),
            self.registers,
            self.variables,
            labels,
            has_body,
        )

    def _find_targets(self, x: _PendingStatement) -> Iterator[int]:
        if x.label_name:
            for name in self.target_lists.get(x.label_name, (x.label_name,)):
                index = self._find_label(name, x.path)
                if index is not None:
                    yield index

    def _find_label(self, name: str, path: tuple[int, ...]) -> int | None:
        """Return the statement after the label of a name in the innermost braces around."""
        places = ((name, path[:depth]) for depth in range(len(path), -1, -1))
        return next((self.labels[x] for x in places if x in self.labels), None)


class _Loader:
    """Reads the groups of tokens of a text in order."""

    def __init__(
        self,
        text: str,
        fragment: Fragment,
        on_progress: Callable[[int], None] | None,
        kernel: str | None,
    ) -> None:
        self.text, self.on_progress, self.kernel = text, on_progress, kernel
        self.fragment, self.ptx = fragment, fragment.ptx
        self.words = syntax.tokenize(self.ptx)
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.scopes = Scopes()
        self.kept_scopes: dict[int, Scope] = {}
        """The scopes by id, which stay alive so that no other has the same."""
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.function: _OpenFunction | None = None
        self.path: list[int] = []
        self.brace_count = self.depth = 0
        self.last_label = ""

    def read_all(self) -> DeviceCode:
        """Read all groups."""
        for item in syntax.group_tokens(self.ptx, self.words, OPCODES, self.fragment.gaps):
            first_token = self.words[item.start]
            if self.on_progress:
                self.on_progress(self._find_position(first_token.start))
            if item.kind is TokenGroupKind.DIRECTIVE:
                self._read_directive(self.words[item.start : item.end])
            elif item.kind is TokenGroupKind.BLOCK_START:
                self.scopes.open_scope()
                self.brace_count += 1
                self.depth += 1
                if self.depth <= _MAX_DEPTH:
                    self.path.append(self.brace_count)
                if self.depth == 1 and self.function:
                    self._declare_parameters()
            elif item.kind is TokenGroupKind.BLOCK_END:
                self.scopes.close_scope()
                self.depth = max(self.depth - 1, 0)
                del self.path[self.depth :]
                if not self.depth:
                    self._close_function()
            elif item.kind is TokenGroupKind.LABEL and self.function:
                self.last_label = first_token.text
                key = (first_token.text, tuple(self.path))
                self.function.labels[key] = len(self.function.statements)
            elif item.kind is TokenGroupKind.STATEMENT and self.function and not self.is_skipped:
                raw = syntax.read_raw_instruction(self.ptx, self.words, item)
                self.function.statements.append(self._read_statement(raw, self.function))
        if self.function and self.depth:
            self._note_open_brace(self.function)
        self._close_function()
        return DeviceCode(self.functions, self.variables, self.text)

    def _note_open_brace(self, function: _OpenFunction) -> None:
        """Add to the last statement that the text ends before its function does."""
        if function.statements:
            last = function.statements[-1]
            problem = Problem(f"{function.name} is not closed after this", last.statement.span, "}")
            problems = (*last.statement.problems, problem)
            statement = last.statement._replace(problems=problems)
            function.statements[-1] = last._replace(statement=statement)

    @property
    def is_skipped(self) -> bool:
        """Whether the statements of the open function are not wanted."""
        if self.kernel is None or self.function is None:
            return False
        return self.function.is_kernel and self.function.name != self.kernel

    def _find_position(self, position: int) -> int:
        """Return the position in the file's text."""
        return self.fragment.find_origin(position, position + 1)[0]

    def _close_function(self) -> None:
        if self.function:
            self.functions[self.function.name] = self.function.close(has_body=True)
            self.function = None

    # --- directives

    def _read_directive(self, words: Sequence[Token]) -> None:
        self.scopes.read_directives(words)
        texts = [word.text for word in words]
        if any(x in texts for x in _FUNCTIONS):
            self._read_header(words)
        elif texts[0] == ".branchtargets" and self.function:
            names = tuple(word.text for word in words if word.kind is TokenKind.NAME)
            self.function.target_lists[self.last_label] = names
        elif ".callprototype" not in texts:
            for variable in parse_variables(words):
                if variable.space != "reg":
                    self._declare_variable(variable)

    def _read_header(self, words: Sequence[Token]) -> None:
        """Read a function's header: its results, name and parameters."""
        start = next(i for i, word in enumerate(words) if word.text in _FUNCTIONS) + 1
        groups, name, depth, group_start = list[tuple[Token, ...]](), "", 0, 0
        for i, word in enumerate(words[start:], start):
            if word.text == "(":
                group_start = i + 1 if not depth else group_start
                depth += 1
            elif word.text == ")":
                depth -= 1
                if not depth:
                    groups.append(tuple(words[group_start:i]))
            elif not depth and word.kind is TokenKind.NAME and not name:
                name, results = word.text, groups
                groups = []
        if not name:
            return
        function = _OpenFunction(name, is_kernel=words[start - 1].text == ".entry")
        function.results = tuple(x for group in results for x in parse_parameters(group))
        function.parameters = tuple(x for group in groups[:1] for x in parse_parameters(group))
        if words[-1].text == ";":
            self.functions.setdefault(name, function.close(has_body=False))
        else:
            self.function = function

    def _declare_parameters(self) -> None:
        assert self.function
        for variable in (*self.function.results, *self.function.parameters):
            if variable.space == "reg":
                self.function.registers[variable.name] = variable.type
            else:
                self.function.variables[variable.name] = variable

    def _declare_variable(self, variable: Variable) -> None:
        if self.function is None:
            self.variables[variable.name] = variable
        else:
            name = self._make_unique(variable.name)
            self.function.variables[name] = variable._replace(name=name)

    def _make_unique(self, name: str) -> str:
        """Return the name of a register or variable that is unique in the function."""
        scope = self.scopes.find_scope(name)
        if scope is None or self.function is None or scope is self.scopes.outermost_scope:
            return name
        self.kept_scopes[id(scope)] = scope
        names, key = self.function.unique_names, (name, id(scope))
        if key not in names:
            count = self.function.counts[name] = self.function.counts.get(name, 0) + 1
            names[key] = f"{name}#{count}" if count > 1 else name
        return names[key]

    # --- statements

    def _read_statement(self, raw: RawInstruction, function: _OpenFunction) -> _PendingStatement:
        unique_raw = self._with_unique_names(raw)
        line = bisect_right(self.line_starts, self._find_position(raw.opcode.start))
        source = self.fragment.describe(*raw.span, self.text)
        code = " ".join(_COMMENT.sub(" ", source).split())
        is_branch = raw.opcode.text in ("bra", "brx")
        operands = tuple(read_operand(words, function.registers) for words in unique_raw.operands)
        guard = None
        if unique_raw.guard:
            guard = Guard(unique_raw.guard.text, unique_raw.guard_negated)
            function.registers.setdefault(guard.name, "pred")
        statement = Statement(
            StatementKind.UNKNOWN,
            line,
            code,
            raw.opcode.text,
            tuple(raw.modifier_names),
            operands,
            guard,
            problems=tuple(
                x._replace(span=self.fragment.find_origin(*x.span)) for x in raw.problems
            ),
            span=self.fragment.find_origin(*raw.span),
        )
        statement = self._with_instruction(statement, raw, unique_raw)
        if not statement.instruction and not statement.problems:
            statement = statement._replace(problems=tuple(self._find_undeclared(raw)))
        last_operand = raw.operands[-1] if raw.operands else ()
        label_name = last_operand[0].text if is_branch and last_operand else ""
        return _PendingStatement(statement, label_name, tuple(self.path))

    def _find_undeclared(self, raw: RawInstruction) -> Iterator[Problem]:
        """Yield the registers of a statement that the catalog lacks that nothing declares."""
        for word in (*chain(*raw.operands), *filter(None, [raw.guard])):
            name = word.text
            if name[0] != "%" or len(name) == 1 or SPECIAL.fullmatch(name):
                continue
            if self.scopes.find_declaration(name) is None:
                span = self.fragment.find_origin(word.start, word.end)
                yield Problem(f"no declaration of {quote_word(name)} is in sight", span)

    def _with_instruction(
        self, statement: Statement, raw: RawInstruction, unique_raw: RawInstruction
    ) -> Statement:
        """Return a statement with its instruction, if it is a legal one of the catalog."""
        parsed = parse_statement(self.text, self.fragment, raw)
        if parsed is None:
            instruction = parse_common_statement(self.text, self.fragment, raw)
        else:
            instruction = parsed.instruction
            if not instruction and not all(x.unread for x in parsed.problems):
                return statement._replace(problems=parsed.problems)
        if instruction is None or has_function_operand(instruction, self.scopes):
            return statement
        instruction = fit_registers(instruction, self.scopes)
        if problems := tuple(find_register_problems(instruction, self.scopes)):
            # the address of a variable is no operand of the catalog's
            return (
                statement if instruction.opcode == "mov" else statement._replace(problems=problems)
            )
        if unique_raw is not raw:
            form, unique = instruction.form, parse_statement(self.text, self.fragment, unique_raw)
            instruction = (
                unique.instruction
                if unique
                else parse_common_statement(self.text, self.fragment, unique_raw)
            )
            instruction = instruction and replace(instruction, form=form)
        return statement._replace(instruction=instruction)

    def _with_unique_names(self, raw: RawInstruction) -> RawInstruction:
        """Return a statement with the unique names of its registers and variables.

        A vector register and its component become one name.
        """
        operands = raw.operands
        if raw.opcode.text != "bra":
            operands = tuple(self._merge_components(map(self._rename_token, x)) for x in operands)
        guard = raw.guard and self._rename_token(raw.guard)
        if operands == raw.operands and guard == raw.guard:
            return raw
        return raw._replace(operands=operands, guard=guard)

    def _merge_components(self, words: Iterable[Token]) -> tuple[Token, ...]:
        assert self.function
        merged: list[Token] = []
        for word in words:
            name = merged[-1].text + COMPONENTS.get(word.text, "?") if merged else ""
            if name in self.function.registers:
                merged[-1] = merged[-1]._replace(text=name, end=word.end)
            else:
                merged.append(word)
        return tuple(merged)

    def _rename_token(self, word: Token) -> Token:
        """Return the token with its unique name, and note the register's type."""
        if word.kind is not TokenKind.NAME or self.function is None or word.text == "_":
            return word
        declaration = self.scopes.find_declaration(word.text)
        if declaration is None:
            return word
        name = self._make_unique(word.text)
        if declaration.is_register:
            names = [name + x for x in (".x", ".y", ".z", ".w")[: declaration.vector]] or [name]
            for register in names:
                self.function.registers[register] = declaration.type
        return word if name == word.text else word._replace(text=name)
