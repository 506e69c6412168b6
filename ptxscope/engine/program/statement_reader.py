"""Statements from their tokens: instructions, operands and writes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from ..isa.catalog import MOVES
from ..isa.types import Type
from ..syntax.constants import convert_words
from ..syntax.errors import Problem, quote_word
from ..syntax.instruction import Guard
from ..syntax.opcodes import BRANCHES, NEVER_FALLS_THROUGH
from ..syntax.operands import COMPONENTS, SPECIAL
from ..syntax.parser import parse_common_statement, parse_statement
from ..syntax.partial_ptx import is_template
from ..syntax.register_accesses import find_destinations
from ..syntax.register_checks import find_register_problems, fit_registers, has_function_operand
from ..syntax.scopes import Scope, Scopes
from ..syntax.source import GAP, Fragment, remove_comments
from ..syntax.tokens import RawInstruction, Token, TokenKind, is_constant
from .program import iter_names
from .statement import SINK, Statement, StatementKind, make_vector_move
from .statement_operands import Operand, read_operand, split_words

_PARAMETER = re.compile(r"%\d+")
_PARTIAL = "partly a macro or an expression"
_TEMPLATE = "partly filled in elsewhere"


class UniqueNames:
    """The names of a function's registers and variables; ``t#2`` is the second ``t``."""

    def __init__(self, *, is_function: bool) -> None:
        self.registers: dict[str, str] = {}
        """The declared types of the registers in statements."""
        self._is_function = is_function
        self._names: dict[tuple[str, int], str] = {}
        self._counts: dict[str, int] = {}
        self._scopes: dict[int, Scope | None] = {}
        """The scopes by id, kept alive so that ids stay unique."""

    def find_name(self, name: str, scopes: Scopes) -> str:
        """Return the unique name of a register or variable; outer names are shared by functions."""
        scope = scopes.find_scope(name)
        if self._is_function and (scope is None or scope is scopes.outermost_scope):
            return name
        return self._number_name(name, scope)

    def add_register(self, name: str, scopes: Scopes) -> str:
        """Return the unique name of a register or variable; note the type of a register."""
        declaration = scopes.find_declaration(name)
        unique = self.find_name(name, scopes) if declaration else self._number_name(name, None)
        if declaration is None or (unique in self.registers and not declaration.vector):
            return unique
        if declaration.is_register:
            names = [unique + x for x in (".x", ".y", ".z", ".w")[: declaration.vector]]
            for register in names or [unique]:
                self.registers[register] = declaration.type
        return unique

    def _number_name(self, name: str, scope: Scope | None) -> str:
        self._scopes[id(scope)] = scope
        key = name, id(scope)
        if key not in self._names:
            count = self._counts[name] = self._counts.get(name, 0) + 1
            self._names[key] = f"{name}#{count}" if count > 1 else name
        return self._names[key]


class StatementReader:
    """Reads the statements of a fragment, with the visible declarations."""

    def __init__(
        self,
        text: str,
        fragment: Fragment,
        scopes: Scopes,
        line_starts: Sequence[int],
        *,
        may_be_template: bool,
    ) -> None:
        self.text, self.fragment, self.scopes = text, fragment, scopes
        self.line_starts, self.may_be_template = line_starts, may_be_template

    def find_line(self, position: int) -> int:
        """Return the line, from 1, of a position in the fragment."""
        return bisect_right(self.line_starts, self.fragment.find_origin(position, position + 1)[0])

    def read(self, raw: RawInstruction, names: UniqueNames) -> Statement:
        """Return a statement; ``names`` are its function's."""
        opcode, modifiers = raw.opcode.text, raw.modifier_names
        if GAP in opcode or any(GAP in x for x in modifiers):
            end = (raw.modifiers[-1] if raw.modifiers else raw.opcode).end
            opcode, *words = self.fragment.describe(raw.opcode.start, end, self.text).split(".")
            modifiers = tuple(words)
        operands, renamed = self._read_operands(raw, names)
        base = Statement(
            StatementKind.UNKNOWN,
            self.find_line(raw.opcode.start),
            " ".join(remove_comments(self.fragment.describe(*raw.span, self.text)).split()),
            opcode,
            modifiers,
            operands,
            guard=Guard(raw.guard.text, raw.is_guard_negated) if raw.guard else None,
            span=self.fragment.find_origin(*raw.span),
            unique_names=renamed,
        )
        if self.fragment.find_gap(*raw.span) is not None:
            return self._with_omission(base, raw, _PARTIAL)
        ptx = self.fragment.ptx[slice(*raw.span)]
        if self.may_be_template and is_template(ptx, self.scopes):
            return self._with_omission(base, raw, _TEMPLATE)
        return self._with_declared_types(self._with_instruction(base, raw))

    def _read_operands(
        self, raw: RawInstruction, names: UniqueNames
    ) -> tuple[tuple[Operand | None, ...], dict[str, str]]:
        """Return the operands of a statement, and the unique names that differ from the text."""
        words = [x.text for x in chain(*raw.operands) if x.kind is TokenKind.NAME]
        unique = {x: names.add_register(x, self.scopes) for x in words if x != SINK}
        if raw.guard:
            guard = unique[raw.guard.text] = names.add_register(raw.guard.text, self.scopes)
            names.registers.setdefault(guard, "pred")
        renamed = {name: x for name, x in unique.items() if x != name}
        operands: Sequence[Sequence[Token]] = raw.operands
        if renamed:
            count = len(operands) - (raw.opcode.text in BRANCHES)  # the last operand is a label
            operands = [
                *(
                    [x._replace(text=renamed.get(x.text, x.text)) for x in part]
                    for part in operands[:count]
                ),
                *operands[count:],
            ]
        registers = names.registers
        merged = (x if len(x) == 1 else _merge_components(x, registers) for x in operands)
        return tuple(read_operand(x, registers) for x in merged), renamed

    def _with_omission(self, base: Statement, raw: RawInstruction, reason: str) -> Statement:
        """Return a partly unknown statement: it may write its registers, and others."""
        words = (word for operand in raw.operands for word in operand)
        names = tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))
        return self._with_declared_types(
            base._replace(writes=names, omission=reason, is_opaque=True)
        )

    def _with_declared_types(self, x: Statement) -> Statement:
        names = dict.fromkeys(iter_names(x))
        types = ((name, self.scopes.find_type(get_base_name(name))) for name in names)
        return x._replace(declared=tuple(types))

    def _with_instruction(self, base: Statement, raw: RawInstruction) -> Statement:
        """Return a statement with its instruction, or with the reason why it has none."""
        parsed = parse_statement(self.text, self.fragment, raw)
        problems = parsed.problems if parsed and not all(x.unread for x in parsed.problems) else ()
        if parsed and (ins := parsed.instruction):
            problems = tuple(find_register_problems(ins, self.scopes))
            if not problems:
                kind, writes = StatementKind.INSTRUCTION, tuple(ins.results.values())
                return base._replace(kind=kind, writes=writes, instruction=ins)
        if problems:
            base = base._replace(writes=self._list_written(raw), problems=problems)
        else:
            base = self._with_plain_instruction(base, raw, is_common=parsed is None)
        if raw.opcode.text in NEVER_FALLS_THROUGH:
            return base._replace(kind=StatementKind.BRANCH, writes=())
        return base

    def _with_plain_instruction(
        self, base: Statement, raw: RawInstruction, *, is_common: bool
    ) -> Statement:
        """Return the statement, as a plain instruction if it is legal."""
        ins = parse_common_statement(self.text, self.fragment, raw) if is_common else None
        problems = [x._replace(span=self.fragment.find_origin(*x.span)) for x in raw.problems]
        if ins and not has_function_operand(ins, self.scopes):
            ins = fit_registers(ins, self.scopes)
            register_problems = [*find_register_problems(ins, self.scopes)]
            if not register_problems:
                kind, writes = StatementKind.PLAIN_INSTRUCTION, tuple(ins.results.values())
                return base._replace(kind=kind, writes=writes, instruction=ins)
            # the catalog has no operands that are addresses of variables
            problems = problems if ins.entry.is_move else register_problems
        problems = problems or [*self._find_undeclared(raw)]
        base = base._replace(writes=self._list_written(raw))
        return self._with_vector_move(base, raw)._replace(plain_problems=tuple(problems))

    def _find_undeclared(self, raw: RawInstruction) -> Iterator[Problem]:
        """Yield the undeclared registers of a statement that the catalog lacks."""
        for word in (*chain(*raw.operands), *filter(None, [raw.guard])):
            name = word.text
            if name[0] != "%" or len(name) == 1 or SPECIAL.fullmatch(name):
                continue
            if self.scopes.find_declaration(name) is None:
                span = self.fragment.find_origin(word.start, word.end)
                yield Problem(f"{quote_word(name)} is not declared here", span)

    def _with_vector_move(self, base: Statement, raw: RawInstruction) -> Statement:
        """Return the statement, as a move if it is one between a word and its parts."""
        if base.opcode not in MOVES or len(raw.operands) != 2:
            return base
        targets = [self._parse_target(words) for words in _split_vector(raw.operands[0])]
        sources = [self._parse_source(words) for words in _split_vector(raw.operands[1])]
        names = tuple(x for x in targets if x is not None)
        values = tuple(x for x in sources if x is not None)
        move = make_vector_move(".".join(base.modifiers), names, values)
        if not move or len(names) < len(targets) or len(values) < len(sources):
            return base
        writes = tuple(name for name, _ in move.iter_target_types())
        return base._replace(kind=StatementKind.PLAIN_INSTRUCTION, writes=writes, move=move)

    def _parse_target(self, words: Sequence[Token]) -> str | None:
        """Return a register or ``_``, or None for anything else."""
        if len(words) == 1 and (words[0].text == SINK or self._is_register(words[0])):
            return words[0].text
        return None

    def _parse_source(self, words: Sequence[Token]) -> str | int | None:
        """Return a register or the bits of a literal, or None for anything else."""
        if is_constant(words):
            return convert_words(words, Type.B64)
        return None if words and words[0].text == SINK else self._parse_target(words)

    def _is_register(self, word: Token) -> bool:
        """Return whether a name is a register, by the declarations."""
        if word.kind is not TokenKind.NAME or word.text == SINK:
            return False
        declaration = self.scopes.find_declaration(get_base_name(word.text))
        if declaration or _PARAMETER.fullmatch(word.text):
            return not declaration or declaration.is_register
        return not self.scopes.is_undeclared(word.text) and not SPECIAL.fullmatch(
            get_base_name(word.text)
        )

    def _list_written(self, raw: RawInstruction) -> tuple[str, ...]:
        """Return the registers that an unexplained statement writes."""
        words = chain(*map(_merge_components, find_destinations(raw)))
        return tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))


def get_base_name(name: str) -> str:
    """Return the name without a component: ``v`` for ``v.x``."""
    return name.partition(".")[0]


def _split_vector(words: Sequence[Token]) -> Sequence[Sequence[Token]]:
    """Return the words of an operand, or of each element of ``{a, b}``."""
    words = _merge_components(words)
    if len(words) < 2 or (words[0].text, words[-1].text) != ("{", "}"):
        return [words]
    return split_words(words[1:-1], ",")


def _merge_components(
    words: Sequence[Token], registers: Collection[str] | None = None
) -> tuple[Token, ...]:
    """Merge each vector register and its component into one name.

    With ``registers``, only these names are merged.
    """
    if all(word.text not in COMPONENTS for word in words):
        return tuple(words)
    merged: list[Token] = []
    for word in words:
        if merged and merged[-1].kind is TokenKind.NAME and word.text in COMPONENTS:
            name = merged[-1].text + COMPONENTS[word.text]
            if registers is None or name in registers:
                merged[-1] = Token(TokenKind.NAME, name, merged[-1].start, word.end)
                continue
        merged.append(word)
    return tuple(merged)
