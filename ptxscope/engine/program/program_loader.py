"""Programs from the text of a file, in a single pass that tracks the declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ..syntax import tokens as syntax
from ..syntax.asm_bindings import NO_BINDINGS, bind_operands
from ..syntax.asm_operands import AsmOperands
from ..syntax.asm_text import is_condition
from ..syntax.errors import Problem, quote_word
from ..syntax.opcodes import BRANCHES, OPCODES, OTHER_OPCODES, is_unchecked, looks_like_opcode
from ..syntax.partial_ptx import is_prose
from ..syntax.register_accesses import mark_mixed_flags
from ..syntax.scopes import Scope, Scopes, find_bodies
from ..syntax.source import Fragment, format_gap
from ..syntax.tokens import RawInstruction, Token, TokenGroup, TokenGroupKind, TokenKind
from .control_flow import find_starts
from .fusions import mark_fusions
from .program import (
    Program,
    complete_writes,
    fit_undeclared_registers,
    map_declared_types,
    map_types,
    order_writes,
)
from .statement import Statement, StatementKind
from .statement_reader import StatementReader, UniqueNames, get_base_name
from .variables import Variable, parse_parameters, parse_variables

_CONDITION = re.compile(
    r"^[^\S\n]*+\#[^\S\n]*+(?:(?P<end>endif\b)|(?P<other>el(?:se|ifn?(?:def)?)\b)"
    r"|if(?:n?def)?\b)[^\n]*+",
    re.MULTILINE,
)
_MACRO = "a macro or an expression"
_FUNCTIONS = (".entry", ".func")


class Module(NamedTuple):
    """The functions and variables of one piece of PTX."""

    programs: tuple[Program, ...]
    """The functions, in order; PTX without functions is one block."""
    variables: Mapping[str, Variable]
    """The variables outside of all functions."""


class PtxPiece(Protocol):
    """A piece of PTX in a text, and its context."""

    @property
    def operands(self) -> AsmOperands | None:
        """The operands of its asm statement."""

    @property
    def line_starts(self) -> Sequence[int]:
        """The positions of the lines of the text."""

    @property
    def may_be_prose(self) -> bool:
        """Whether it may be a sentence with an opcode."""

    @property
    def may_be_template(self) -> bool:
        """Whether a formatting function may fill in a part of it."""

    def flatten(self) -> Fragment:
        """Return the PTX with its positions in the text."""


def load_module(
    text: str,
    piece: PtxPiece,
    name: str = "block",
    elsewhere: Scopes | None = None,
    on_progress: Callable[[int], None] | None = None,
    *,
    is_excerpt: bool = False,
    is_wanted: Callable[[FunctionHeader], bool] | None = None,
) -> Module:
    """Return the functions and variables of a piece of a text, or one block with this name.

    ``elsewhere`` has the registers that other pieces declare. In an excerpt, registers may be
    declared elsewhere. ``on_progress`` is called with the current position in the text.
    ``is_wanted`` selects the functions whose statements are read, which saves time.
    """
    loader = _Loader(text, piece, elsewhere, on_progress, is_wanted, is_excerpt=is_excerpt)
    return Module(tuple(loader.iter_programs(name)), loader.variables)


class FunctionHeader(NamedTuple):
    """The header of a function, or the name of a block."""

    name: str
    is_kernel: bool = False
    parameters: tuple[Variable, ...] = ()
    results: tuple[Variable, ...] = ()


class _OpenBrace(NamedTuple):
    """An open ``{``."""

    scope: Scope
    statement_count: int
    """Number of statements before it."""
    start: int
    """Position of the brace."""
    is_own: bool
    """Whether it begins a function, which is not a statement."""
    used_names: dict[str, str]
    """The unique names of the used registers that it declares."""


class _OpenFunction:
    """A function, or a block, that is being read."""

    def __init__(self, header: FunctionHeader, *, is_function: bool = True) -> None:
        self.header, self.is_function = header, is_function
        self.names = UniqueNames(is_function=is_function)
        self.statements: list[Statement | None] = []
        """None for a brace that declares nothing."""
        self.scopes: list[Scope] = []
        self.variables: dict[str, Variable] = {}
        self.labels: dict[tuple[str, Scope], int] = {}
        self.label_lists: dict[str, tuple[str, ...]] = {}
        self.branches: dict[int, tuple[str, tuple[Scope, ...]]] = {}
        """The label, or list of labels, that each statement branches to, and its scopes."""
        for variable in (*header.results, *header.parameters):
            if variable.space == "reg":
                self.names.registers[variable.name] = variable.type
            else:
                self.variables[variable.name] = variable

    def close(self) -> list[Statement]:
        """Return the statements, with the labels that they branch to."""
        numbers, count = list[int](), 0
        for statement in self.statements:
            numbers.append(count)
            count += statement is not None
        for index, (name, scopes) in self.branches.items():
            statement = self.statements[index]
            indices = (self._find_label(x, scopes) for x in self.label_lists.get(name, (name,)))
            targets = tuple(numbers[x] for x in indices if x is not None)
            assert statement
            self.statements[index] = statement._replace(targets=targets)
        statements = [x for x in self.statements if x]
        fit_undeclared_registers(statements)
        flags = mark_mixed_flags([x.instruction for x in statements], find_starts(statements))
        for i, ins in (*flags.items(), *mark_fusions(statements)):
            statements[i] = statements[i]._replace(instruction=ins)
        return statements

    def _find_label(self, name: str, scopes: tuple[Scope, ...]) -> int | None:
        """Return the label with a name in the innermost scope that has one."""
        places = ((name, scope) for scope in reversed(scopes))
        return next((self.labels[x] for x in places if x in self.labels), None)


class _Loader:
    """Makes the programs of one piece of PTX in a single pass that tracks the declarations."""

    def __init__(
        self,
        text: str,
        piece: PtxPiece,
        elsewhere: Scopes | None,
        on_progress: Callable[[int], None] | None,
        is_wanted: Callable[[FunctionHeader], bool] | None,
        *,
        is_excerpt: bool,
    ) -> None:
        self.text, self.fragment, self.may_be_prose = text, piece.flatten(), piece.may_be_prose
        self.on_progress, self.is_wanted = on_progress, is_wanted
        expressions = piece.operands.expressions if piece.operands else ()
        outputs = {x.name for x in expressions if x.is_output}
        self.read_only = {x.name for x in expressions} - outputs
        """The operands that the asm statement does not write."""
        self.bindings = bind_operands(piece.operands) if piece.operands else NO_BINDINGS
        is_partial = is_excerpt or bool(self.fragment.gaps)
        self.scopes = Scopes(dict(self.bindings.types), elsewhere, is_partial=is_partial)
        starts, may_be_template = piece.line_starts, piece.may_be_template
        self.reader = StatementReader(
            text, self.fragment, self.scopes, starts, may_be_template=may_be_template
        )
        self.words = syntax.tokenize(self.fragment.ptx)
        self.conditions: list[str] = []
        """The open ``#if`` lines."""
        self.read_gap_count = 0
        """Number of gaps with conditions read so far."""
        self.function: _OpenFunction | None = None
        self.header: FunctionHeader | None = None
        """The last header that was read."""
        self.variables: dict[str, Variable] = {}
        self.open_braces: list[_OpenBrace] = []
        self.braces: dict[int, _OpenBrace] = {}
        """The open blocks by the id of their scope."""
        self.last_label = ""

    def iter_programs(self, name: str) -> Iterator[Program]:
        """Yield the functions of the piece; without any, the piece is one block of this name."""
        bodies = dict(find_bodies(self.words))
        if not bodies:
            self.function = _OpenFunction(FunctionHeader(name), is_function=False)
        for item in syntax.group_tokens(self.fragment.ptx, self.words, OPCODES, self.fragment.gaps):
            first_token, group = self.words[item.start], self.words[item.start : item.end]
            self._read_conditions(first_token.start)
            if self.on_progress:
                self.on_progress(self.fragment.find_origin(first_token.start, first_token.end)[0])
            match item.kind:
                case TokenGroupKind.DIRECTIVE:
                    yield from self._read_directive(group)
                case TokenGroupKind.BLOCK_START:
                    self._open_block(first_token, bodies.get(first_token.end))
                case TokenGroupKind.BLOCK_END:
                    yield from self._close_block(first_token)
                case _ if self.function is None:
                    pass
                case TokenGroupKind.GAP:
                    self._add_gap(first_token, self.function)
                case TokenGroupKind.LABEL:
                    self._add_label(first_token, self.function)
                case _:
                    self._add_statement(item, self.function)
        if self.function:
            if bodies:
                self._note_open_brace(self.function)
            while self.open_braces:
                self._end_block()
            yield self._make_program(self.function)

    def _make_program(self, function: _OpenFunction) -> Program:
        statements, header = function.close(), function.header
        types = map_types(statements)
        ordered = order_writes(complete_writes(statements, self.read_only), types)
        problems = (*self.fragment.problems, *(y for x in ordered for y in x.problems))
        float_types, constraint_types = self.bindings.map_float_types(), self.bindings.types
        declared_types = {
            name: type_
            for name, type_ in map_declared_types(statements).items()
            if name in types and (name not in constraint_types or name in float_types)
        }
        return Program(
            header.name,
            ordered,
            types,
            self.text,
            problems,
            declared_types,
            self.bindings,
            (self.scopes.outermost_scope, *function.scopes),
            self.fragment.notes,
            is_function=function.is_function,
            is_kernel=header.is_kernel,
            parameters=header.parameters,
            results=header.results,
            registers=function.names.registers,
            variables=function.variables,
        )

    # --- directives

    def _read_directive(self, words: Sequence[Token]) -> Iterator[Program]:
        """Read the words of a directive; yield a function's prototype."""
        self.scopes.read_directives(words)
        texts = [word.text for word in words]
        if any(x in texts for x in _FUNCTIONS):
            self.header = _read_header(words)
            if self.header and texts[-1] == ";":
                function = _OpenFunction(self.header)
                program = self._make_program(function)
                yield program._replace(has_body=False, variables={}, registers={})
        elif texts[0] == ".branchtargets" and self.function:
            names = tuple(word.text for word in words if word.kind is TokenKind.NAME)
            self.function.label_lists[self.last_label] = names
        elif ".callprototype" not in texts:
            for variable in parse_variables(words):
                if variable.space != "reg":
                    self._declare_variable(variable)

    def _declare_variable(self, variable: Variable) -> None:
        if self.function is None:
            self.variables[variable.name] = variable
        else:
            name = self.function.names.find_name(variable.name, self.scopes)
            self.function.variables[name] = variable._replace(name=name)

    # --- braces

    def _open_block(self, brace: Token, function_name: str | None) -> None:
        outer = self.scopes.scope
        self.scopes.open_scope()
        if function_name is not None:
            header = self.header
            if header is None or header.name != function_name:
                header = FunctionHeader(function_name)
            self.function = _OpenFunction(header)
        if self.scopes.scope is not outer:
            statements = self.function.statements if self.function else []
            is_own, scope = function_name is not None, self.scopes.scope
            block = _OpenBrace(scope, len(statements), brace.start, is_own, {})
            self.open_braces.append(block)
            self.braces[id(scope)] = block
            statements.append(None)
            if self.function:
                self.function.scopes.append(scope)

    def _close_block(self, brace: Token) -> Iterator[Program]:
        """Close a brace; yield the function that it ends."""
        scope = self.scopes.scope
        self.scopes.close_scope()
        if self.scopes.scope is scope:
            return
        block = self.open_braces[-1]
        names = self._end_block()
        if names is not None and self.function:
            restored = (x for x in names if self.scopes.find_type(get_base_name(x)))
            line, kind = self.reader.find_line(brace.start), StatementKind.BLOCK_END
            close = Statement(kind, line, brace.text, writes=tuple(restored))
            self.function.statements.append(close)
        if block.is_own and self.function:
            yield self._make_program(self.function)
            self.function = None

    def _end_block(self) -> tuple[str, ...] | None:
        """End the innermost block; return its used registers, or None if it declares none."""
        block = self.open_braces.pop()
        del self.braces[id(block.scope)]
        if block.is_own or not block.scope.has_registers or self.function is None:
            return None
        names = tuple(block.used_names)
        declarations = ((name, block.scope.look_up(get_base_name(name))) for name in names)
        declared_types = tuple((name, x and x.type) for name, x in declarations)
        line, kind = self.reader.find_line(block.start), StatementKind.BLOCK_START
        unique = {
            get_base_name(name): get_base_name(unique_name)
            for name, unique_name in block.used_names.items()
            if unique_name != name
        }
        open_ = Statement(
            kind, line, "{", writes=names, declared=declared_types, unique_names=unique
        )
        self.function.statements[block.statement_count] = open_
        return names

    def _note_use(self, statement: Statement) -> None:
        """Record the blocks that declare the registers of a statement."""
        for name, type_ in statement.declared:
            scope = (
                self.scopes.find_scope(get_base_name(name)) if type_ and self.open_braces else None
            )
            if scope and (block := self.braces.get(id(scope))):
                block.used_names[name] = statement.get_unique_name(name)

    def _note_open_brace(self, function: _OpenFunction) -> None:
        """Record on the last statement that the text ends inside its function."""
        place = next((i for i, x in reversed([*enumerate(function.statements)]) if x), None)
        if place is not None and (last := function.statements[place]):
            message = f"{function.header.name} is not closed after this"
            problems = (*last.plain_problems, Problem(message, last.span, "}"))
            function.statements[place] = last._replace(plain_problems=problems)

    # --- statements

    def _add_statement(self, item: TokenGroup, function: _OpenFunction) -> None:
        if self.is_wanted and not self.is_wanted(function.header):
            return
        raw = syntax.read_raw_instruction(self.fragment.ptx, self.words, item)
        if self.may_be_prose and self._is_prose(raw):
            return
        statement = self._with_condition(self.reader.read(raw, function.names))
        self._note_use(statement)
        if raw.opcode.text in BRANCHES and raw.operands and raw.operands[-1]:
            label = raw.operands[-1][0].text
            function.branches[len(function.statements)] = label, self.scopes.stack
        function.statements.append(statement)

    def _add_label(self, word: Token, function: _OpenFunction) -> None:
        self.last_label = word.text
        function.labels[word.text, self.scopes.scope] = len(function.statements)
        line = self.reader.find_line(word.start)
        function.statements.append(Statement(StatementKind.LABEL, line, f"{word.text}:", word.text))

    def _is_prose(self, raw: RawInstruction) -> bool:
        """Return whether a statement of a string is a sentence."""
        opcode = raw.opcode.text
        if opcode in OTHER_OPCODES or is_unchecked(opcode, raw.modifier_names):
            return False
        statement_text = self.fragment.ptx[raw.opcode.start : raw.span[1]]
        return not looks_like_opcode(opcode) or is_prose(statement_text)

    def _read_conditions(self, end: int) -> None:
        """Open and close the preprocessor conditions in the gaps up to a position."""
        gaps = self.fragment.gaps
        while self.read_gap_count < len(gaps) and gaps[self.read_gap_count] < end:
            gap = gaps[self.read_gap_count]
            self.read_gap_count += 1
            for match in _CONDITION.finditer(
                self.text[slice(*self.fragment.find_origin(gap, gap + 1))]
            ):
                if match["end"]:
                    del self.conditions[-1:]
                elif match["other"] and self.conditions:
                    condition = self.conditions[-1].partition(" … ")[0]
                    self.conditions[-1] = f"{condition} … {match[0].strip()}"
                else:
                    self.conditions.append(match[0].strip())

    def _add_gap(self, word: Token, function: _OpenFunction) -> None:
        """Add a gap between statements: a macro may do anything, a C condition does nothing."""
        source = self.text[slice(*self.fragment.find_origin(word.start, word.end))]
        if is_condition(source):
            return
        text = format_gap(_CONDITION.sub("", source))
        opcode, *modifiers = text.split(".")
        line = self.reader.find_line(word.start)
        base = Statement(StatementKind.UNKNOWN, line, text, opcode, tuple(modifiers))
        statement = base._replace(omission=_MACRO, is_opaque=True)
        function.statements.append(statement)

    def _with_condition(self, statement: Statement) -> Statement:
        """Mark a statement as not run if it is conditional."""
        if not self.conditions or statement.omission:
            return statement
        reason = f"compiled only under {quote_word(self.conditions[-1])}"
        is_branch = statement.kind is StatementKind.BRANCH
        return statement._replace(kind=StatementKind.UNKNOWN, omission=reason, is_opaque=is_branch)


def _read_header(words: Sequence[Token]) -> FunctionHeader | None:
    """Return a function's name, parameters and results; None without a name."""
    start = next(i for i, word in enumerate(words) if word.text in _FUNCTIONS) + 1
    groups, name, depth, group_start = list[tuple[Token, ...]](), "", 0, 0
    result_groups = groups
    for i, word in enumerate(words[start:], start):
        if word.text == "(":
            group_start = i + 1 if not depth else group_start
            depth += 1
        elif word.text == ")":
            depth -= 1
            if not depth:
                groups.append(tuple(words[group_start:i]))
        elif not depth and word.kind is TokenKind.NAME and not name:
            name, result_groups, groups = word.text, groups, []
    if not name:
        return None
    results = tuple(x for group in result_groups for x in parse_parameters(group))
    parameters = tuple(x for group in groups[:1] for x in parse_parameters(group))
    return FunctionHeader(name, words[start - 1].text == ".entry", parameters, results)
