"""A kernel, or a block of inline assembly, as the list of statements that a run goes through."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from enum import StrEnum
from functools import cache

from ..isa.types import Type
from ..listings.asm_bindings import NOTHING, AsmBindings, bind_operands, format_name_clash
from ..listings.embedded_ptx import EmbeddedPtx, PieceKind, find_ptx
from ..listings.partial_ptx import is_prose, is_template
from ..listings.source_language import Language, language_of
from ..records import NamedTuple
from ..syntax import tokens as syntax
from ..syntax.constants import BadConstantError, convert_constant, evaluate_constant, is_constant
from ..syntax.errors import Problem, quote_word
from ..syntax.instruction import Instruction
from ..syntax.opcodes import OPCODES, is_meant, is_other_opcode
from ..syntax.operands import COMPONENTS, SPECIAL
from ..syntax.parser import resolve
from ..syntax.register_checks import find_register_problems
from ..syntax.scopes import Body, Scope, Scopes, collect_registers, find_bodies
from ..syntax.source import GAP, find_asm_openings, is_condition, show_gap
from ..syntax.tokens import RawInstruction, Token, TokenGroupKind, TokenKind
from .plain_instructions import Operation, find_operation


class StatementKind(StrEnum):
    """What a statement is to a run."""

    EXPLAINED = "explained"
    """One of the 27."""
    PLAIN = "plain"
    """Understood, but not explained step by step: ``mov``, ``and``, ``add``, …"""
    BRANCH = "branch"
    """Goes elsewhere, or ends the kernel."""
    LABEL = "label"
    OPEN = "open"
    """A ``{`` inside the kernel that declares registers of its own."""
    CLOSE = "close"
    OTHER = "other"
    """Anything else; the registers it writes become unknown."""


class PlainSource(NamedTuple):
    """A source of a plain instruction: a literal, a register, or two packed into a word."""

    bits: int = 0
    names: tuple[str, ...] = ()
    """No name: it is a literal. Two: ``{low, high}``, half-words of a word."""


class Statement(NamedTuple):
    """One statement as it stands in the text."""

    kind: StatementKind
    line: int
    """From 1, in the text that was loaded."""
    text: str
    """As written, runs of blanks made one; no ``;``."""
    opcode: str = ""
    """With its modifiers; the name of a label."""
    guard: str | None = None
    negated: bool = False
    writes: tuple[str, ...] = ()
    """Registers it writes, or may write; those that an ``OPEN`` declares, and those of them
    that get back at the ``CLOSE`` what they were outside."""
    instruction: Instruction | None = None
    plain: Operation | None = None
    reads: tuple[PlainSource, ...] = ()
    """Sources of a plain instruction."""
    problems: tuple[Problem, ...] = ()
    """Why it is not the legal instruction it means to be, at places of the loaded text."""
    declared: tuple[tuple[str, str | None], ...] = ()
    """The registers that it names, each with the type it is declared as where it stands."""
    unread: str = ""
    """Why a run can't compute it; what it writes becomes unknown."""
    is_opaque: bool = False
    """It may write any register, and leave the program."""


class Program(NamedTuple):
    """A kernel, a function or a block of inline assembly."""

    name: str
    """Of the kernel or function; ``asm:12`` for inline assembly at line 12,
    ``asm:12#2`` for the second there; else ``block``."""
    statements: tuple[Statement, ...]
    types: Mapping[str, Type]
    """Every register that the statements name, and the type its values are shown as."""
    text: str
    """All of the text it was loaded from."""
    problems: tuple[Problem, ...] = ()
    """Everything that is wrong with it and its statements, at places of that text."""
    declared: Mapping[str, Type] = {}
    """Of those registers, the types of the declared ones, where values of it can be held."""
    bound: AsmBindings = NOTHING
    """What the asm statement says of its operands."""
    scopes: tuple[Scope, ...] = ()
    """What declares its registers, also those that no statement names."""

    @property
    def unread(self) -> tuple[Statement, ...]:
        """The statements that a run can't read."""
        return tuple(statement for statement in self.statements if statement.unread)

    @property
    def constants(self) -> dict[str, int]:
        """The bits of the registers that its asm statement gives a literal."""
        bits = self.bound.literals
        return {x: bits[x] & ((1 << t.bits) - 1) for x, t in self.types.items() if x in bits}

    def compute_depths(self, name: str) -> dict[int, int]:
        """By the ``id`` of a statement: how many blocks around it declare a register of a name."""
        inside: list[bool] = []
        found: dict[int, int] = {}
        for statement in self.statements:
            if statement.kind is StatementKind.OPEN:
                inside.append(name in statement.writes)
            elif statement.kind is StatementKind.CLOSE:
                inside.pop()
            found[id(statement)] = sum(inside)
        return found

    def find_value_type(self, name: str, at: Statement | None = None) -> Type:
        """The type by which a value that is given for a register in text is read.

        As it is declared, at a statement where one is told; where it is not, as it is used.
        """
        if at and (there := _parse_declared_type(dict(at.declared).get(name))):
            return there
        used, declared = self.types[name], self.declared.get(name)
        return declared if declared and declared.bits == used.bits else used

    def is_declared(self, name: str) -> bool:
        """Whether a name, or it behind a ``%``, is that of a declared register."""
        every = (scope.look_up(x) for scope in self.scopes for x in (name, f"%{name}"))
        return any(found and found.register for found in every)

    def register(self, name: str) -> str | None:
        """The register of a name, or of it without the ``%``."""
        return next((x for x in (name, f"%{name}") if x in self.types), None)

    def find_registers(self, name: str, *, is_at_end: bool = False) -> tuple[str, ...]:
        """The registers that are meant: by the name, by it without the ``%``, by a C variable.

        Those that take the variable's value, or that give it one at the end. Raises PtxError
        where a register and a variable are called so.
        """
        written = self.bound.written.get(name, ()) if is_at_end else ()
        every = written[-1:] or self.bound.find_operands_of_variable(name)
        variable = tuple(x for x in every if x in self.types)
        register = self.register(name)
        found = (register,) if register else ()
        if found and variable and found != variable:
            raise format_name_clash(name, every)
        return found or variable


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
_DECLARED = {"b8": "b16", "u8": "b16", "s8": "b16", "f16": "b16", "f16x2": "b32"}
_PARAMETER = re.compile(r"%\d+")
_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_CONDITION = re.compile(
    r"^[^\S\n]*+\#[^\S\n]*+(?:(?P<end>endif\b)|(?P<other>el(?:se|ifn?(?:def)?)\b)"
    r"|if(?:n?def)?\b)[^\n]*+",
    re.MULTILINE,
)
_PARTIAL = "in part a macro or an expression"
_MACRO = "a macro or an expression"
_TEMPLATE = "in part filled in elsewhere"


def load(
    text: str, name: str = "", on_progress: Callable[[int], None] | None = None
) -> tuple[Program, ...]:
    """Every kernel, function and block of PTX in a file's text, in order.

    ``name`` is the file's; without one the text was pasted, and is PTX where it is nothing else.
    PTX without ``.entry`` or ``.func`` is one block. Never raises: what is wrong with a statement
    is in its ``problems``. ``told`` is called with up to where the text is read.
    """
    language = language_of(name, text)
    if language is Language.UNKNOWN and not name:
        language = Language.PTX if next(find_asm_openings(text), None) is None else Language.C
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    found: list[Program] = []
    counts = Counter[str]()
    elsewhere = None if language is Language.PTX else collect_registers(text)
    for piece in find_ptx(text, language):
        loader = _Loader(text, piece, lines, elsewhere, on_progress)
        title = "block"
        if elsewhere is not None:
            line = bisect_right(lines, loader.fragment.origins[0])
            title = f"{'asm' if piece.kind is PieceKind.ASM else 'block'}:{line}"
        again = counts[title]
        for program in loader.make_programs(f"{title}#{again + 1}" if again else title):
            counts[program.name.partition("#")[0]] += 1
            found.append(program)
    return tuple(found)


class _OpenBlock(NamedTuple):
    """A ``{`` that is open."""

    scope: Scope
    place: int
    """How many statements stand before it."""
    start: int
    """Of its character."""
    own: bool
    """It begins a kernel, which is no statement."""
    used: dict[str, None]
    """The registers declared in it that are used."""


class _Loader:
    """Makes the programs of one fragment: goes through it once, and knows what is declared."""

    def __init__(
        self,
        text: str,
        piece: EmbeddedPtx,
        lines: list[int],
        elsewhere: Scopes | None,
        told: Callable[[int], None] | None,
    ) -> None:
        self.text, self.fragment, self.lines, self.told = text, piece.flatten(), lines, told
        self.may_be_prose, self.may_be_template = piece.may_be_prose, piece.may_be_template
        expressions = piece.operands.expressions if piece.operands else ()
        self.read_only = {x.name for x in expressions} - {
            x.name for x in expressions if x.is_output
        }
        """The operands of an asm statement that it does not write."""
        self.said = bind_operands(piece.operands) if piece.operands else NOTHING
        types = dict(self.said.types)
        self.scopes = Scopes(types, elsewhere, is_partial=bool(self.fragment.gaps))
        self.words = syntax.tokenize(self.fragment.ptx)
        self.conditions: list[str] = []
        """The ``#if`` lines that are open."""
        self.directives = 0
        """Up to which gap they are read."""
        self.found: list[tuple[int, Statement | None]] = []
        """Statements by the place of their first character; None: a brace that declares nothing."""
        self.open: list[_OpenBlock] = []
        self.blocks: dict[int, _OpenBlock] = {}
        """The blocks that are open by the id of their scope."""
        self.opened: list[tuple[int, Scope]] = []
        """The scopes by the place of their brace."""

    def make_programs(self, name: str) -> Iterator[Program]:
        """The kernels of the fragment, or all of it under a name."""
        kernels = list(find_bodies(self.words)) or [Body(name, 0, len(self.fragment.ptx) + 1)]
        self._go_through({body.start for body in kernels})
        places = [place for place, _ in self.found]
        braces = [place for place, _ in self.opened]
        for body in kernels:
            here = slice(bisect_left(places, body.start), bisect_right(places, body.end))
            inside = [x for _, x in self.found[here] if x]
            types = _map_types(inside)
            known = _order_statements(_with_writes(inside, self.read_only), types)
            problems = (*self.fragment.problems, *(y for x in known for y in x.problems))
            floats, said = self.said.map_float_types(), self.said.types
            declared = {
                name: type_
                for name, type_ in _map_declared_types(inside).items()
                if name in types and (name not in said or name in floats)
            }
            first, last = bisect_left(braces, body.start - 1), bisect_right(braces, body.end)
            scopes = [scope for _, scope in self.opened[first:last]]
            yield Program(
                body.name,
                known,
                types,
                self.text,
                problems,
                declared,
                self.said,
                (self.scopes.scope, *scopes),
            )

    def _go_through(self, starts: set[int]) -> None:
        """Find the statements; ``starts`` are behind the braces that begin kernels."""
        for item in syntax.group_tokens(self.fragment.ptx, self.words, OPCODES, self.fragment.gaps):
            first = self.words[item.start]
            self._read_conditions(first.start)
            if self.told:
                self.told(self.fragment.find_origin(first.start, first.end)[0])
            if item.part is TokenGroupKind.DIRECTIVE:
                self.scopes.read(self.words[item.start : item.end])
            elif item.part is TokenGroupKind.OPEN:
                self._open_block(first, is_own=first.end in starts)
            elif item.part is TokenGroupKind.CLOSE:
                self._close(first)
            elif item.part is TokenGroupKind.GAP:
                self._add_gap(first)
            elif item.part is TokenGroupKind.LABEL:
                label = Statement(
                    StatementKind.LABEL, self._find_line(first.start), f"{first.text}:", first.text
                )
                self.found.append((first.start, label))
            else:
                written = syntax.read_raw_instruction(self.fragment.ptx, self.words, item)
                if self.may_be_prose and self._is_prose(written):
                    continue
                statement = self._with_condition(self._make_statement(written))
                self._note_use(statement)
                self.found.append((written.span[0], statement))
        while self.open:
            self._end_block()

    def _is_prose(self, written: RawInstruction) -> bool:
        """Whether a statement of a string is a sentence."""
        if is_other_opcode(written.opcode.text):
            return False
        behind = self.fragment.ptx[written.opcode.start : written.span[1]]
        return not is_meant(written.opcode.text) or is_prose(behind)

    def _read_conditions(self, end: int) -> None:
        """Open and close the conditions of the preprocessor in the gaps up to a place."""
        gaps = self.fragment.gaps
        while self.directives < len(gaps) and gaps[self.directives] < end:
            gap = gaps[self.directives]
            self.directives += 1
            for found in _CONDITION.finditer(
                self.text[slice(*self.fragment.find_origin(gap, gap + 1))]
            ):
                if found["end"]:
                    del self.conditions[-1:]
                elif found["other"] and self.conditions:
                    first = self.conditions[-1].partition(" … ")[0]
                    self.conditions[-1] = f"{first} … {found[0].strip()}"
                else:
                    self.conditions.append(found[0].strip())

    def _add_gap(self, word: Token) -> None:
        """A gap between statements: a macro may do anything, a condition of C nothing."""
        source = self.text[slice(*self.fragment.find_origin(word.start, word.end))]
        if is_condition(source):
            return
        text = show_gap(_CONDITION.sub("", source))
        base = Statement(StatementKind.OTHER, self._find_line(word.start), text, text)
        statement = base._replace(unread=_MACRO, is_opaque=True)
        self.found.append((word.start, statement))

    def _with_condition(self, statement: Statement) -> Statement:
        """The statement; one that only the preprocessor knows to be there is not run."""
        if not self.conditions or statement.unread:
            return statement
        why = f"compiled only under {quote_word(self.conditions[-1])}"
        leaves = statement.kind is StatementKind.BRANCH
        return statement._replace(kind=StatementKind.OTHER, unread=why, is_opaque=leaves)

    def _open_block(self, brace: Token, *, is_own: bool) -> None:
        outer = self.scopes.scope
        self.scopes.open()
        if self.scopes.scope is not outer:
            block = _OpenBlock(self.scopes.scope, len(self.found), brace.start, is_own, {})
            self.open.append(block)
            self.blocks[id(block.scope)] = block
            self.opened.append((brace.start, block.scope))
            self.found.append((brace.start, None))

    def _close(self, brace: Token) -> None:
        inner = self.scopes.scope
        self.scopes.close()
        if self.scopes.scope is inner:
            return
        used = self._end_block()
        if used is not None:
            kept = tuple(name for name in used if self.scopes.find_type(_get_base_name(name)))
            line = self._find_line(brace.start)
            close = Statement(StatementKind.CLOSE, line, brace.text, writes=kept)
            self.found.append((brace.start, close))

    def _end_block(self) -> tuple[str, ...] | None:
        """The innermost block ends; what of its own was used, None where it declares nothing."""
        block = self.open.pop()
        del self.blocks[id(block.scope)]
        if block.own or not block.scope.registers:
            return None
        used = tuple(block.used)
        known = ((name, block.scope.look_up(_get_base_name(name))) for name in used)
        declared = tuple((name, x and x.type) for name, x in known)
        line = self._find_line(block.start)
        open_ = Statement(StatementKind.OPEN, line, "{", writes=used, declared=declared)
        self.found[block.place] = (block.start, open_)
        return used

    def _note_use(self, statement: Statement) -> None:
        """Note which blocks declare the registers that a statement names."""
        for name, type_ in statement.declared:
            scope = self.scopes.find_scope(_get_base_name(name)) if type_ and self.open else None
            if scope and (block := self.blocks.get(id(scope))):
                block.used[name] = None

    def _find_line(self, position: int) -> int:
        return bisect_right(self.lines, self.fragment.find_origin(position, position + 1)[0])

    def _make_statement(self, written: RawInstruction) -> Statement:
        opcode = ".".join([written.opcode.text, *(x.text[1:] for x in written.modifiers)])
        if GAP in opcode:
            end = (written.modifiers[-1] if written.modifiers else written.opcode).end
            opcode = self.fragment.describe(written.opcode.start, end, self.text)
        base = Statement(
            StatementKind.OTHER,
            self._find_line(written.opcode.start),
            " ".join(_COMMENT.sub(" ", self.fragment.describe(*written.span, self.text)).split()),
            opcode,
            written.guard.text if written.guard else None,
            written.guard_negated,
        )
        if self.fragment.find_gap(*written.span) is not None:
            return self._with_operands(base, written, _PARTIAL)
        ptx = self.fragment.ptx[slice(*written.span)]
        if self.may_be_template and is_template(ptx, self.scopes):
            return self._with_operands(base, written, _TEMPLATE)
        item = resolve(self.text, self.fragment, written)
        problems = item.problems if item and not all(x.unread for x in item.problems) else ()
        if item and (ins := item.instruction):
            problems = tuple(find_register_problems(ins, self.scopes))
            if not problems:
                names = tuple(ins.results.values())
                base = base._replace(writes=names, instruction=ins)
                return self._with_declared_types(base._replace(kind=StatementKind.EXPLAINED))
        base = base._replace(writes=self._list_written(written), problems=problems)
        if written.opcode.text in _LEAVING:
            return self._with_declared_types(base._replace(kind=StatementKind.BRANCH, writes=()))
        return self._with_declared_types(self._with_plain_instruction(written, base))

    def _with_operands(self, base: Statement, written: RawInstruction, why: str) -> Statement:
        """A statement of which a part is not known: it may write what it names, and more."""
        words = (word for operand in written.operands for word in operand)
        names = tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))
        return self._with_declared_types(base._replace(writes=names, unread=why, is_opaque=True))

    def _with_declared_types(self, x: Statement) -> Statement:
        """The statement with what its registers are declared as."""
        named = dict.fromkeys(_iter_names(x))
        return x._replace(declared=tuple((name, self._find_type(name)) for name in named))

    def _with_plain_instruction(self, written: RawInstruction, base: Statement) -> Statement:
        """The statement, as a plain instruction where it is one that is understood."""
        plain = find_operation(base.opcode)
        if plain is None or len(written.operands) != plain.sources + 1 or base.problems:
            return base
        first, *rest = written.operands
        names = self._parse_names(first)
        sources = [x for x in (self._parse_operand(words, plain.type) for words in rest) if x]
        if names is None or len(sources) < plain.sources:
            return base
        packed = sum(len(x) > 1 for x in (names, *(source.names for source in sources)))
        if packed > (base.opcode == "mov.b32"):
            return base
        return base._replace(
            kind=StatementKind.PLAIN, plain=plain, writes=names, reads=tuple(sources)
        )

    def _parse_operand(self, words: tuple[Token, ...], type_: Type) -> PlainSource | None:
        """A source of a plain instruction; None where it is anything but a value."""
        if is_constant(words):
            try:
                bits = convert_constant(evaluate_constant(words), type_)
            except BadConstantError:
                return None
            return PlainSource(bits) if isinstance(bits, int) else None
        names = self._parse_names(words)
        return PlainSource(names=names) if names else None

    def _parse_names(self, words: tuple[Token, ...]) -> tuple[str, ...] | None:
        """The registers of ``a`` or ``{a, b}``; None where the words are anything else."""
        words = _with_components(words)
        braced = [word.text for word in words if word.kind is TokenKind.PUNCTUATION]
        if braced not in ([], ["{", ",", "}"]) or len(words) not in (1, 5):
            return None
        names = tuple(word for word in words if word.kind is not TokenKind.PUNCTUATION)
        return tuple(x.text for x in names) if all(map(self._is_register, names)) else None

    def _is_register(self, word: Token) -> bool:
        """Whether a name is a register, as far as can be told where nothing is declared."""
        if word.kind is not TokenKind.NAME or word.text == "_":
            return False
        declared = self.scopes.find_declaration(_get_base_name(word.text))
        if declared or _PARAMETER.fullmatch(word.text):
            return not declared or declared.register
        return not self.scopes.is_undeclared(word.text) and not SPECIAL.fullmatch(
            _get_base_name(word.text)
        )

    def _find_type(self, name: str) -> str | None:
        """The declared type of a register."""
        return self.scopes.find_type(_get_base_name(name))

    def _list_written(self, written: RawInstruction) -> tuple[str, ...]:
        """The registers that an instruction writes which is not understood."""
        if not written.operands or written.opcode.text in _SILENT:
            return ()
        if written.opcode.text in _BARRIERS and all(x.text != ".red" for x in written.modifiers):
            return ()
        first = written.operands[0]
        if first and first[0].text == "[":
            return ()
        words = _with_components(first)
        return tuple(dict.fromkeys(word.text for word in words if self._is_register(word)))


def _with_writes(inside: list[Statement], read_only: Set[str]) -> list[Statement]:
    """The statements; an opaque one writes the registers named in it and since the last such."""
    if not any(x.is_opaque for x in inside):
        return inside
    used: dict[str, None] = {}
    found = list[Statement]()
    for x in inside:
        if x.is_opaque:
            used |= dict.fromkeys(x.writes)
            writes = tuple(name for name in used if name not in read_only)
            found.append(x._replace(writes=writes))
            used.clear()
        else:
            found.append(x)
            used |= dict.fromkeys(_iter_names(x))
    return found


def _map_declared_types(inside: list[Statement]) -> dict[str, Type]:
    """What the registers of statements were declared as; of two declarations, the later."""
    found = ((name, _parse_declared_type(text)) for x in inside for name, text in x.declared)
    return {name: type_ for name, type_ in found if type_}


def _map_types(inside: list[Statement]) -> dict[str, Type]:
    """The type of every register: of the first explained use, else declared, else used.

    As declared too where it is a float to some, declaration or use, and an integer to others.
    """
    types: dict[str, Type] = {}
    uses: dict[str, set[Type]] = {}
    declared = _map_declared_types(inside)
    for x in inside:
        if x.instruction:
            for needed in x.instruction.inputs:
                types.setdefault(needed.name, needed.type)
    for x in inside:
        if x.instruction:
            for role, name in x.instruction.names.items():
                type_ = x.instruction.type_of(role)
                types.setdefault(name, type_)
                uses.setdefault(name, set()).add(type_)
    for name, used_as in uses.items():
        known = declared.get(name)
        if known and known.bits == types[name].bits and _is_mixed(known, used_as):
            types[name] = known
    for x in inside:
        for name, used in _iter_uses(x):
            if name not in types:
                types[name] = declared.get(name) or used
    return types


def _is_mixed(declared: Type, used: set[Type]) -> bool:
    """Whether a register is a float to some and an integer to others; `.b` types are neither."""
    known = {x.is_float for x in {declared, *used} if not x.startswith("b")}
    return len(known) > 1


def _iter_uses(x: Statement) -> Iterator[tuple[str, Type]]:
    """The registers of a statement that is not one of the 27, with the type they suggest."""
    if x.guard:
        yield x.guard, Type.PRED
    type_ = x.plain.type if x.plain else Type.B32
    part = {2: Type.B16}
    for operand in x.reads:
        for name in operand.names:
            yield name, part.get(len(operand.names), type_)
    if x.kind in (StatementKind.PLAIN, StatementKind.OTHER):
        for name in x.writes:
            yield name, part.get(len(x.writes), type_)


def _order_statements(inside: list[Statement], types: Mapping[str, Type]) -> tuple[Statement, ...]:
    """The statements: braces with registers in the order of the types, vectors with components."""
    parts = _map_components(types)
    order = {name: at for at, name in enumerate(types)}
    return tuple(
        x._replace(writes=tuple(sorted(x.writes, key=order.__getitem__)))
        if x.kind in (StatementKind.OPEN, StatementKind.CLOSE)
        else _with_whole_vector(x, parts)
        for x in inside
    )


def _iter_names(x: Statement) -> Iterator[str]:
    """Every register of a statement."""
    if x.instruction:
        yield from x.instruction.names.values()
    for name, _ in _iter_uses(x):
        yield name


def _map_components(types: Mapping[str, Type]) -> dict[str, list[str]]:
    """The components that are named of each vector register."""
    found: dict[str, list[str]] = {}
    for name in types:
        vector, dot, _ = name.partition(".")
        if dot:
            found.setdefault(vector, []).append(name)
    return found


def _with_whole_vector(x: Statement, parts: Mapping[str, list[str]]) -> Statement:
    """The statement, which writes the components of a vector that it writes."""
    more = [part for name in x.writes for part in parts.get(name, ())]
    return x._replace(writes=(*x.writes, *more)) if more else x


def _get_base_name(name: str) -> str:
    """The register, or the vector that it is a component of."""
    return name.partition(".")[0]


def _with_components(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """The words with a vector register and the component behind it made one name."""
    made: list[Token] = []
    for word in words:
        if made and made[-1].kind is TokenKind.NAME and word.text in COMPONENTS:
            name = made[-1].text + COMPONENTS[word.text]
            made[-1] = Token(TokenKind.NAME, name, made[-1].start, word.end)
        else:
            made.append(word)
    return tuple(made)


@cache
def _parse_declared_type(text: str | None) -> Type | None:
    """The type of a declaration; None where values of it can't be held."""
    text = _DECLARED.get(text or "", text)
    return Type(text) if text in list(Type) else None
