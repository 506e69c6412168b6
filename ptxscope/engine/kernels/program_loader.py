"""Programs from the text of a file, in a single pass that tracks the declarations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..isa.types import Type
from ..listings.asm_bindings import NO_BINDINGS, bind_operands
from ..listings.embedded_ptx import EmbeddedPtx, PieceKind, find_ptx
from ..listings.partial_ptx import is_prose, is_template
from ..listings.source_language import Language, language_of
from ..program.statement import Statement, StatementKind
from ..program.vector_move import SINK, make_vector_move
from ..syntax import tokens as syntax
from ..syntax.constants import convert_words, is_constant
from ..syntax.errors import quote_word
from ..syntax.flag_senses import mark_mixed_flags
from ..syntax.instruction import Guard
from ..syntax.intrinsic_calls import has_calls
from ..syntax.opcodes import OPCODES, is_meant, is_other_opcode, is_passed_over
from ..syntax.operands import COMPONENTS, SPECIAL
from ..syntax.parser import parse_common_statement, parse_statement
from ..syntax.register_checks import find_register_problems, fit_registers, has_function_operand
from ..syntax.scopes import Body, Scope, Scopes, collect_registers, find_bodies
from ..syntax.source import GAP, find_asm_openings, format_gap, is_condition
from ..syntax.tokens import RawInstruction, Token, TokenGroupKind, TokenKind
from .program import Program
from .register_types import complete_writes, iter_names, map_declared_types, map_types, order_writes

_LEAVING = frozenset(["bra", "brx", "exit", "ret", "trap"])
_SILENT = frozenset(
    [
        "applypriority",
        "brkpt",
        "cp",
        "discard",
        "fence",
        "membar",
        "nanosleep",
        "pmevent",
        "prefetch",
        "prefetchu",
        "red",
        "setmaxnreg",
        "st",
        "stackrestore",
        "stmatrix",
        "sured",
        "sust",
    ]
)
"""Opcodes that write no register."""
_BARRIERS = frozenset(["bar", "barrier"])
_PARAMETER = re.compile(r"%\d+")
_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_CONDITION = re.compile(
    r"^[^\S\n]*+\#[^\S\n]*+(?:(?P<end>endif\b)|(?P<other>el(?:se|ifn?(?:def)?)\b)"
    r"|if(?:n?def)?\b)[^\n]*+",
    re.MULTILINE,
)
_PARTIAL = "partly a macro or an expression"
_MACRO = "a macro or an expression"
_TEMPLATE = "partly filled in elsewhere"


def load(
    text: str,
    name: str = "",
    on_progress: Callable[[int], None] | None = None,
    *,
    is_excerpt: bool = False,
    is_wanted: Callable[[str], bool] | None = None,
) -> tuple[Program, ...]:
    """Return every kernel, function and block of PTX in a file's text, in order.

    ``name`` is the file's name. Without one, the text was pasted and counts as PTX if it is nothing
    else. PTX without ``.entry`` or ``.func`` is one block. ``on_progress`` is called with the
    position reached in the text. ``is_wanted`` chooses blocks by their PTX. In an excerpt,
    registers may be declared elsewhere. Nothing is raised: each statement has its ``problems``.
    """
    language = language_of(name, text)
    if language is Language.UNKNOWN and not name:
        is_source = next(find_asm_openings(text), None) is not None
        language = Language.C if is_source else Language.PTX
        if has_calls(text):  # they are read as one block
            language = Language.TEXT
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    programs: list[Program] = []
    counts = Counter[str]()
    elsewhere = None if language is Language.PTX else collect_registers(text)
    for piece in find_ptx(text, language):
        if is_wanted and not is_wanted(piece.ptx):
            continue
        loader = _Loader(text, piece, lines, elsewhere, on_progress, is_excerpt=is_excerpt)
        title = "block"
        if elsewhere is not None:
            line = bisect_right(lines, loader.fragment.origins[0])
            title = f"{'asm' if piece.kind is PieceKind.ASM else 'block'}:{line}"
        title_count = counts[title]
        for program in loader.make_programs(f"{title}#{title_count + 1}" if title_count else title):
            counts[program.name.partition("#")[0]] += 1
            programs.append(program)
    return tuple(programs)


class _OpenBlock(NamedTuple):
    """An open ``{``."""

    scope: Scope
    statement_count: int
    """Number of statements before it."""
    start: int
    """Position of the brace."""
    is_own: bool
    """Whether it begins a kernel, which is not a statement."""
    used_names: dict[str, None]
    """The registers declared in it that are used."""


class _Loader:
    """Makes the programs of one fragment in a single pass that tracks the declarations."""

    def __init__(
        self,
        text: str,
        piece: EmbeddedPtx,
        lines: list[int],
        elsewhere: Scopes | None,
        on_progress: Callable[[int], None] | None,
        *,
        is_excerpt: bool,
    ) -> None:
        self.text, self.fragment, self.lines, self.on_progress = (
            text,
            piece.flatten(),
            lines,
            on_progress,
        )
        self.may_be_prose, self.may_be_template = piece.may_be_prose, piece.may_be_template
        expressions = piece.operands.expressions if piece.operands else ()
        self.read_only = {x.name for x in expressions} - {
            x.name for x in expressions if x.is_output
        }
        """The operands of an asm statement that it does not write."""
        self.bindings = bind_operands(piece.operands) if piece.operands else NO_BINDINGS
        types = dict(self.bindings.types)
        is_partial = is_excerpt or bool(self.fragment.gaps)
        self.scopes = Scopes(types, elsewhere, is_partial=is_partial)
        self.words = syntax.tokenize(self.fragment.ptx)
        self.conditions: list[str] = []
        """The open ``#if`` lines."""
        self.read_gap_count = 0
        """Number of gaps whose conditions have been read."""
        self.placed_statements: list[tuple[int, Statement | None]] = []
        """Statements by position; None for a brace that declares nothing."""
        self.open_blocks: list[_OpenBlock] = []
        self.blocks: dict[int, _OpenBlock] = {}
        """The open blocks by the id of their scope."""
        self.placed_scopes: list[tuple[int, Scope]] = []
        """The scopes by the position of their brace."""

    def make_programs(self, name: str) -> Iterator[Program]:
        """Yield the kernels of the fragment, or all of it under a name."""
        kernels = list(find_bodies(self.words)) or [Body(name, 0, len(self.fragment.ptx) + 1)]
        self._go_through({body.start for body in kernels})
        places = [place for place, _ in self.placed_statements]
        braces = [place for place, _ in self.placed_scopes]
        for body in kernels:
            body_slice = slice(bisect_left(places, body.start), bisect_right(places, body.end))
            statements = [x for _, x in self.placed_statements[body_slice] if x]
            types = map_types(statements)
            ordered_statements = order_writes(
                complete_writes(_mark_mixed_flags(statements), self.read_only), types
            )
            problems = (
                *self.fragment.problems,
                *(y for x in ordered_statements for y in x.problems),
            )
            float_types, constraint_types = self.bindings.map_float_types(), self.bindings.types
            declared_types = {
                name: type_
                for name, type_ in map_declared_types(statements).items()
                if name in types and (name not in constraint_types or name in float_types)
            }
            first_scope, last_scope = (
                bisect_left(braces, body.start - 1),
                bisect_right(braces, body.end),
            )
            scopes = [scope for _, scope in self.placed_scopes[first_scope:last_scope]]
            yield Program(
                body.name,
                ordered_statements,
                types,
                self.text,
                problems,
                declared_types,
                self.bindings,
                (self.scopes.scope, *scopes),
                self.fragment.notes,
            )

    def _go_through(self, starts: set[int]) -> None:
        """Find the statements; ``starts`` are the positions after kernels' opening braces."""
        for item in syntax.group_tokens(self.fragment.ptx, self.words, OPCODES, self.fragment.gaps):
            first_token = self.words[item.start]
            self._read_conditions(first_token.start)
            if self.on_progress:
                self.on_progress(self.fragment.find_origin(first_token.start, first_token.end)[0])
            if item.kind is TokenGroupKind.DIRECTIVE:
                self.scopes.read_directives(self.words[item.start : item.end])
            elif item.kind is TokenGroupKind.BLOCK_START:
                self._open_block(first_token, is_own=first_token.end in starts)
            elif item.kind is TokenGroupKind.BLOCK_END:
                self._close(first_token)
            elif item.kind is TokenGroupKind.GAP:
                self._add_gap(first_token)
            elif item.kind is TokenGroupKind.LABEL:
                label = Statement(
                    StatementKind.LABEL,
                    self._find_line(first_token.start),
                    f"{first_token.text}:",
                    first_token.text,
                )
                self.placed_statements.append((first_token.start, label))
            else:
                raw = syntax.read_raw_instruction(self.fragment.ptx, self.words, item)
                if self.may_be_prose and self._is_prose(raw):
                    continue
                statement = self._with_condition(self._make_statement(raw))
                self._note_use(statement)
                self.placed_statements.append((raw.span[0], statement))
        while self.open_blocks:
            self._end_block()

    def _is_prose(self, raw: RawInstruction) -> bool:
        """Return whether a statement of a string is a sentence."""
        opcode = raw.opcode.text
        if is_other_opcode(opcode) or is_passed_over(opcode, raw.modifier_names):
            return False
        statement_text = self.fragment.ptx[raw.opcode.start : raw.span[1]]
        return not is_meant(opcode) or is_prose(statement_text)

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

    def _add_gap(self, word: Token) -> None:
        """Add a gap between statements: a macro may do anything, a C condition does nothing."""
        source = self.text[slice(*self.fragment.find_origin(word.start, word.end))]
        if is_condition(source):
            return
        text = format_gap(_CONDITION.sub("", source))
        opcode, *modifiers = text.split(".")
        line = self._find_line(word.start)
        base = Statement(StatementKind.UNKNOWN, line, text, opcode, tuple(modifiers))
        statement = base._replace(unread=_MACRO, is_opaque=True)
        self.placed_statements.append((word.start, statement))

    def _with_condition(self, statement: Statement) -> Statement:
        """Return the statement, as one that is not run if it is conditional."""
        if not self.conditions or statement.unread:
            return statement
        reason = f"compiled only under {quote_word(self.conditions[-1])}"
        is_branch = statement.kind is StatementKind.BRANCH
        return statement._replace(kind=StatementKind.UNKNOWN, unread=reason, is_opaque=is_branch)

    def _open_block(self, brace: Token, *, is_own: bool) -> None:
        outer = self.scopes.scope
        self.scopes.open_scope()
        if self.scopes.scope is not outer:
            block = _OpenBlock(
                self.scopes.scope, len(self.placed_statements), brace.start, is_own, {}
            )
            self.open_blocks.append(block)
            self.blocks[id(block.scope)] = block
            self.placed_scopes.append((brace.start, block.scope))
            self.placed_statements.append((brace.start, None))

    def _close(self, brace: Token) -> None:
        scope = self.scopes.scope
        self.scopes.close_scope()
        if self.scopes.scope is scope:
            return
        names = self._end_block()
        if names is not None:
            restored_names = tuple(
                name for name in names if self.scopes.find_type(_get_base_name(name))
            )
            line = self._find_line(brace.start)
            close = Statement(StatementKind.BLOCK_END, line, brace.text, writes=restored_names)
            self.placed_statements.append((brace.start, close))

    def _end_block(self) -> tuple[str, ...] | None:
        """End the innermost block; return its registers in use, None if it declares none."""
        block = self.open_blocks.pop()
        del self.blocks[id(block.scope)]
        if block.is_own or not block.scope.has_registers:
            return None
        names = tuple(block.used_names)
        declarations = ((name, block.scope.look_up(_get_base_name(name))) for name in names)
        declared_types = tuple((name, x and x.type) for name, x in declarations)
        line = self._find_line(block.start)
        open_ = Statement(
            StatementKind.BLOCK_START, line, "{", writes=names, declared=declared_types
        )
        self.placed_statements[block.statement_count] = (block.start, open_)
        return names

    def _note_use(self, statement: Statement) -> None:
        """Record the blocks that declare the registers of a statement."""
        for name, type_ in statement.declared:
            scope = (
                self.scopes.find_scope(_get_base_name(name)) if type_ and self.open_blocks else None
            )
            if scope and (block := self.blocks.get(id(scope))):
                block.used_names[name] = None

    def _find_line(self, position: int) -> int:
        return bisect_right(self.lines, self.fragment.find_origin(position, position + 1)[0])

    def _make_statement(self, raw: RawInstruction) -> Statement:
        opcode, modifiers = raw.opcode.text, raw.modifier_names
        if GAP in opcode or any(GAP in x for x in modifiers):
            end = (raw.modifiers[-1] if raw.modifiers else raw.opcode).end
            opcode, *modifiers = self.fragment.describe(raw.opcode.start, end, self.text).split(".")
        base = Statement(
            StatementKind.UNKNOWN,
            self._find_line(raw.opcode.start),
            " ".join(_COMMENT.sub(" ", self.fragment.describe(*raw.span, self.text)).split()),
            opcode,
            tuple(modifiers),
            guard=Guard(raw.guard.text, raw.guard_negated) if raw.guard else None,
            span=self.fragment.find_origin(*raw.span),
        )
        if self.fragment.find_gap(*raw.span) is not None:
            return self._with_operands(base, raw, _PARTIAL)
        ptx = self.fragment.ptx[slice(*raw.span)]
        if self.may_be_template and is_template(ptx, self.scopes):
            return self._with_operands(base, raw, _TEMPLATE)
        item = parse_statement(self.text, self.fragment, raw)
        problems = item.problems if item and not all(x.unread for x in item.problems) else ()
        if item and (ins := item.instruction):
            problems = tuple(find_register_problems(ins, self.scopes))
            if not problems:
                names = tuple(ins.results.values())
                base = base._replace(writes=names, instruction=ins)
                return self._with_declared_types(base._replace(kind=StatementKind.INSTRUCTION))
        base = base._replace(writes=self._list_written(raw), problems=problems)
        if raw.opcode.text in _LEAVING:
            return self._with_declared_types(base._replace(kind=StatementKind.BRANCH, writes=()))
        return self._with_declared_types(self._with_plain_instruction(raw, base))

    def _with_operands(self, base: Statement, raw: RawInstruction, reason: str) -> Statement:
        """Return a partly unknown statement: it may write what it names, and more."""
        words = (word for operand in raw.operands for word in operand)
        names = tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))
        return self._with_declared_types(base._replace(writes=names, unread=reason, is_opaque=True))

    def _with_declared_types(self, x: Statement) -> Statement:
        """Return the statement with the declared types of its registers."""
        names = dict.fromkeys(iter_names(x))
        return x._replace(declared=tuple((name, self._find_type(name)) for name in names))

    def _with_plain_instruction(self, raw: RawInstruction, base: Statement) -> Statement:
        """Return the statement, as a plain instruction if it is a legal one."""
        if base.problems:
            return base
        plain = parse_common_statement(self.text, self.fragment, raw)
        plain = plain and fit_registers(plain, self.scopes)
        if (
            plain
            and not has_function_operand(plain, self.scopes)
            and not any(find_register_problems(plain, self.scopes))
        ):
            kind, writes = StatementKind.PLAIN_INSTRUCTION, tuple(plain.results.values())
            return base._replace(kind=kind, writes=writes, instruction=plain)
        return self._with_vector_move(raw, base)

    def _with_vector_move(self, raw: RawInstruction, base: Statement) -> Statement:
        """Return the statement, as a move between a word and its parts if it is one."""
        if base.opcode != "mov" or len(raw.operands) != 2:
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

    def _parse_target(self, words: tuple[Token, ...]) -> str | None:
        """Return a register or ``_``, or None for anything else."""
        if len(words) == 1 and (words[0].text == SINK or self._is_register(words[0])):
            return words[0].text
        return None

    def _parse_source(self, words: tuple[Token, ...]) -> str | int | None:
        """Return a register or the bits of a literal, or None for anything else."""
        if is_constant(words):
            return convert_words(words, Type.B64)
        return None if words and words[0].text == SINK else self._parse_target(words)

    def _is_register(self, word: Token) -> bool:
        """Return whether a name is a register, as far as the declarations show."""
        if word.kind is not TokenKind.NAME or word.text == "_":
            return False
        declaration = self.scopes.find_declaration(_get_base_name(word.text))
        if declaration or _PARAMETER.fullmatch(word.text):
            return not declaration or declaration.is_register
        return not self.scopes.is_undeclared(word.text) and not SPECIAL.fullmatch(
            _get_base_name(word.text)
        )

    def _find_type(self, name: str) -> str | None:
        """Return the declared type of a register."""
        return self.scopes.find_type(_get_base_name(name))

    def _list_written(self, raw: RawInstruction) -> tuple[str, ...]:
        """Return the registers that an unknown instruction writes."""
        if not raw.operands or raw.opcode.text in _SILENT:
            return ()
        if raw.opcode.text in _BARRIERS and all(x.text != ".red" for x in raw.modifiers):
            return ()
        destination = raw.operands[0]
        if destination and destination[0].text == "[":
            return ()
        words = _with_components(destination)
        return tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))


def _get_base_name(name: str) -> str:
    """Return the register, or the vector of a component."""
    return name.partition(".")[0]


def _split_vector(words: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """Yield the words of an operand, or of each element of ``{a, b}``."""
    words = _with_components(words)
    if len(words) < 2 or (words[0].text, words[-1].text) != ("{", "}"):
        yield words
        return
    start = 1
    for index, word in enumerate(words):
        if index and word.text in ",}":
            yield words[start:index]
            start = index + 1


def _with_components(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words with each vector register and its component merged into one name."""
    merged: list[Token] = []
    for word in words:
        if merged and merged[-1].kind is TokenKind.NAME and word.text in COMPONENTS:
            name = merged[-1].text + COMPONENTS[word.text]
            merged[-1] = Token(TokenKind.NAME, name, merged[-1].start, word.end)
        else:
            merged.append(word)
    return tuple(merged)


def _mark_mixed_flags(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, with subtractions marked that share a flag with an addition."""
    ends = (StatementKind.BRANCH, StatementKind.LABEL)
    starts = [i + 1 for i, x in enumerate(statements) if x.kind in ends or x.is_opaque]
    marked = mark_mixed_flags([x.instruction for x in statements], starts)
    return [
        x._replace(instruction=marked[i]) if i in marked else x for i, x in enumerate(statements)
    ]
