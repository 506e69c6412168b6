"""A kernel, or a block of inline assembly, as the list of statements that a run goes through."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeVar

from ..isa.catalog import CATALOG
from ..isa.types import Type
from ..text import tokens as syntax
from ..text.constants import BadConstantError, constant, constant_bits, is_constant
from ..text.errors import Problem
from ..text.instruction import Instruction
from ..text.operands import COMPONENTS, SPECIAL
from ..text.parser import Parsed, scan
from ..text.scopes import Body, bodies, scopes
from ..text.source import Fragment, fragments
from ..text.tokens import Kind, Token
from .plain import Operation, operation


class What(StrEnum):
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


class Operand(NamedTuple):
    """A source of a plain instruction: a literal, a register, or two packed into a word."""

    bits: int = 0
    names: tuple[str, ...] = ()
    """No name: it is a literal. Two: ``{low, high}``, half-words of a word."""


class Statement(NamedTuple):
    """One statement as it stands in the text."""

    what: What
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
    reads: tuple[Operand, ...] = ()
    """Sources of a plain instruction."""
    problems: tuple[Problem, ...] = ()
    """Why it is not the legal instruction it means to be, at places of the loaded text."""


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

    def reading(self, name: str) -> Type:
        """The type by which a value that is given for a register in text is read.

        As it is declared; where it is not, as it is used.
        """
        used, declared = self.types[name], self.declared.get(name)
        return declared if declared and declared.bits == used.bits else used

    def register(self, name: str) -> str | None:
        """The register that is meant: by its name, or by its name without the ``%``."""
        return next((x for x in (name, f"%{name}") if x in self.types), None)


_T = TypeVar("_T")
_OPCODES = frozenset(CATALOG)
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
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_DEEPEST = 200
"""Braces in braces whose registers are told apart."""
_PARAMETER = re.compile(r"%\d+")


def load(text: str) -> tuple[Program, ...]:
    """Every kernel, function and block of inline assembly of a text, in order.

    A text without ``.entry`` or ``.func`` is one block. Never raises: what is wrong with a
    statement is in its ``problems``.
    """
    parsed = {item.span: item for item in scan(text)}
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    found: list[Program] = []
    counts = Counter[str]()
    for fragment in fragments(text):
        at = bisect_right(lines, fragment.origins[0])
        name = "block" if fragment.ptx == text else f"asm:{at}"
        again = counts[name]
        numbered = f"{name}#{again + 1}" if again else name
        for program in _Loader(text, fragment, lines, parsed).programs(numbered):
            counts[program.name.partition("#")[0]] += 1
            found.append(program)
    return tuple(found)


def _between(items: list[_T], body: Body, place: Callable[[_T], int]) -> list[_T]:
    """The items, sorted by their place, that stand in a body or close it."""
    return items[
        bisect_left(items, body.start, key=place) : bisect_right(items, body.end, key=place)
    ]


class _Loader:
    """Makes the programs of one fragment."""

    def __init__(
        self, text: str, fragment: Fragment, lines: list[int], parsed: dict[tuple[int, int], Parsed]
    ) -> None:
        self.text, self.fragment, self.lines, self.parsed = text, fragment, lines, parsed
        self.words = syntax.tokens(fragment.ptx)
        self.scopes = list(scopes(self.words))
        self.declared: Mapping[str, str] = {}
        """In the kernel at hand."""
        self.outside: Mapping[str, str] = self.scopes[-1].names if self.scopes else {}

    def programs(self, name: str) -> Iterator[Program]:
        """The kernels of the fragment, or all of it under a name."""
        written = list(syntax.statements(self.fragment.ptx, _OPCODES, self.words))
        marks = sorted([*self._labels(), *self._braces()])
        kernels = list(bodies(self.words)) or [Body(name, 0, len(self.fragment.ptx) + 1)]
        for body in kernels:
            own = _between(self.scopes, body, lambda x: x.close.start)
            self.declared = {name: x for scope in own for name, x in scope.names.items()}
            found = [
                (x.span[0], count, self._instruction(x))
                for count, x in enumerate(_between(written, body, lambda x: x.span[0]))
            ]
            found += _between(marks, body, lambda x: x[0])
            inside = [x for *_, x in sorted(found)]
            types = self._types(inside)
            known = _expanded(inside, types)
            problems = (*self.fragment.problems, *(y for x in known for y in x.problems))
            declared = {name: x for name in types if (x := _declared_type(self._type(name)))}
            yield Program(body.name, known, types, self.text, problems, declared)

    def _labels(self) -> Iterator[tuple[int, int, Statement]]:
        depth = 0
        for word, behind in zip(self.words, self.words[1:], strict=False):
            depth += (word.text in _OPENING) - (word.text in _CLOSING)
            if word.kind is Kind.NAME and behind.text == ":" and not depth:
                yield self._mark(What.LABEL, word, word.text)

    def _braces(self) -> Iterator[tuple[int, int, Statement]]:
        """The braces inside of a kernel that declare registers."""
        own = {body.start for body in bodies(self.words)}
        for scope in self.scopes:
            if scope.names and scope.open.text == "{" and scope.open.end not in own:
                yield self._mark(What.OPEN, scope.open, writes=tuple(scope.names))
                yield self._mark(What.CLOSE, scope.close, writes=tuple(scope.hidden))

    def _mark(
        self, what: What, word: Token, opcode: str = "", writes: tuple[str, ...] = ()
    ) -> tuple[int, int, Statement]:
        text = f"{opcode}:" if opcode else word.text
        return word.start, -1, Statement(what, self._line(word.start), text, opcode, writes=writes)

    def _line(self, position: int) -> int:
        return bisect_right(self.lines, self.fragment.origin(position, position + 1)[0])

    def _instruction(self, written: syntax.Statement) -> Statement:
        opcode = ".".join([written.opcode.text, *(x.text[1:] for x in written.modifiers)])
        base = Statement(
            What.OTHER,
            self._line(written.span[0]),
            " ".join(self.fragment.ptx[slice(*written.span)].split()),
            opcode,
            written.guard.text if written.guard else None,
            written.guard_negated,
        )
        item = self.parsed.get(self.fragment.origin(*written.span))
        if item and item.instruction:
            names = tuple(item.instruction.results.values())
            return base._replace(what=What.EXPLAINED, writes=names, instruction=item.instruction)
        problems = item.problems if item and not all(x.unread for x in item.problems) else ()
        base = base._replace(writes=self._written(written), problems=problems)
        if written.opcode.text in _LEAVING:
            return base._replace(what=What.BRANCH, writes=())
        return self._plain(written, base)

    def _plain(self, written: syntax.Statement, base: Statement) -> Statement:
        """The statement, as a plain instruction where it is one that is understood."""
        plain = operation(base.opcode)
        if plain is None or len(written.operands) != plain.sources + 1 or base.problems:
            return base
        first, *rest = written.operands
        names = self._names(first)
        sources = [x for x in (self._operand(words, plain.type) for words in rest) if x]
        if names is None or len(sources) < plain.sources:
            return base
        packed = sum(len(x) > 1 for x in (names, *(source.names for source in sources)))
        if packed > (base.opcode == "mov.b32"):
            return base
        return base._replace(what=What.PLAIN, plain=plain, writes=names, reads=tuple(sources))

    def _operand(self, words: tuple[Token, ...], type_: Type) -> Operand | None:
        """A source of a plain instruction; None where it is anything but a value."""
        if is_constant(words):
            try:
                bits = constant_bits(constant(words), type_)
            except BadConstantError:
                return None
            return Operand(bits) if isinstance(bits, int) else None
        names = self._names(words)
        return Operand(names=names) if names else None

    def _names(self, words: tuple[Token, ...]) -> tuple[str, ...] | None:
        """The registers of ``a`` or ``{a, b}``; None where the words are anything else."""
        words = _with_components(words)
        braced = [word.text for word in words if word.kind is Kind.PUNCTUATION]
        if braced not in ([], ["{", ",", "}"]) or len(words) not in (1, 5):
            return None
        names = tuple(word for word in words if word.kind is not Kind.PUNCTUATION)
        return tuple(x.text for x in names) if all(map(self._is_register, names)) else None

    def _is_register(self, word: Token) -> bool:
        """Whether a name is a register, as far as can be told where nothing is declared."""
        if word.kind is not Kind.NAME or word.text == "_":
            return False
        if self._type(word.text) or _PARAMETER.fullmatch(word.text):
            return True
        return not (self.declared or self.outside) and not SPECIAL.fullmatch(
            word.text.partition(".")[0]
        )

    def _type(self, name: str) -> str | None:
        """The declared type of a register."""
        name = name.partition(".")[0]  # of a vector's component
        every = _numbered(name)
        return (
            self.declared.get(name)
            or self.outside.get(name)
            or self.declared.get(every)
            or self.outside.get(every)
        )

    def _written(self, written: syntax.Statement) -> tuple[str, ...]:
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

    def _types(self, inside: list[Statement]) -> dict[str, Type]:
        """The type of every register: of the first explained use, else declared, else used.

        As declared too where it is a float to some, declaration or use, and an integer to others.
        """
        types: dict[str, Type] = {}
        uses: dict[str, set[Type]] = {}
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
        for name, seen in uses.items():
            declared = _declared_type(self._type(name))
            if declared and declared.bits == types[name].bits and _is_mixed(declared, seen):
                types[name] = declared
        for x in inside:
            for name, used in _uses(x):
                if name not in types:
                    types[name] = _declared_type(self._type(name)) or used
        return types


def _is_mixed(declared: Type, used: set[Type]) -> bool:
    """Whether a register is a float to some and an integer to others; `.b` types are neither."""
    known = {x.is_float for x in {declared, *used} if not x.startswith("b")}
    return len(known) > 1


def _uses(x: Statement) -> Iterator[tuple[str, Type]]:
    """The registers of a statement that is not one of the 27, with the type they suggest."""
    if x.guard:
        yield x.guard, Type.PRED
    type_ = x.plain.type if x.plain else Type.B32
    part = {2: Type.B16}
    for operand in x.reads:
        for name in operand.names:
            yield name, part.get(len(operand.names), type_)
    if x.what in (What.PLAIN, What.OTHER):
        for name in x.writes:
            yield name, part.get(len(x.writes), type_)


class _Block(NamedTuple):
    """An ``OPEN``, and which of the registers that it declares are used up to its ``CLOSE``."""

    at: int
    declared: frozenset[str]
    used: set[str]


def _expanded(inside: list[Statement], types: Mapping[str, Type]) -> tuple[Statement, ...]:
    """The statements, what a brace declares (``%r<``) made the registers that are used in it."""
    parts = _components(types)
    found = [_whole(x, parts) for x in inside]
    order = {name: at for at, name in enumerate(types)}
    blocks: list[_Block] = []

    def close(block: _Block) -> list[str]:
        names = sorted(block.used, key=order.__getitem__)
        found[block.at] = found[block.at]._replace(writes=tuple(names))
        return names

    for at, x in enumerate(inside):
        if x.what is What.OPEN:
            blocks.append(_Block(at, frozenset(x.writes), set()))
        elif x.what is What.CLOSE:
            names, hidden = close(blocks.pop()) if blocks else [], {*x.writes}
            kept = tuple(name for name in names if not hidden.isdisjoint(_declarations(name)))
            found[at] = x._replace(writes=kept)
        elif blocks:
            for name in _named(x):
                declarations = _declarations(name)
                for block in blocks[-_DEEPEST:]:
                    if not block.declared.isdisjoint(declarations):
                        block.used.add(name)
    for block in blocks:
        close(block)
    return tuple(found)


def _named(x: Statement) -> Iterator[str]:
    """Every register of a statement."""
    if x.instruction:
        yield from x.instruction.names.values()
    for name, _ in _uses(x):
        yield name


def _components(types: Mapping[str, Type]) -> dict[str, list[str]]:
    """The components that are named of each vector register."""
    found: dict[str, list[str]] = {}
    for name in types:
        vector, dot, _ = name.partition(".")
        if dot:
            found.setdefault(vector, []).append(name)
    return found


def _whole(x: Statement, parts: Mapping[str, list[str]]) -> Statement:
    """The statement, which writes the components of a vector that it writes."""
    more = [part for name in x.writes for part in parts.get(name, ())]
    marks = (What.OPEN, What.CLOSE)
    return x._replace(writes=(*x.writes, *more)) if more and x.what not in marks else x


def _declarations(name: str) -> set[str]:
    """What may declare a register, or the vector that it is a component of."""
    vector = name.partition(".")[0]
    return {name, _numbered(name), vector, _numbered(vector)}


def _with_components(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """The words with a vector register and the component behind it made one name."""
    made: list[Token] = []
    for word in words:
        if made and made[-1].kind is Kind.NAME and word.text in COMPONENTS:
            name = made[-1].text + COMPONENTS[word.text]
            made[-1] = Token(Kind.NAME, name, made[-1].start, word.end)
        else:
            made.append(word)
    return tuple(made)


def _numbered(name: str) -> str:
    """How a declaration of many, ``%r<9>``, is kept: ``%r<``."""
    return name.rstrip("0123456789") + "<"


def _declared_type(text: str | None) -> Type | None:
    """The type of a declaration; None where values of it can't be held."""
    text = _DECLARED.get(text or "", text)
    return Type(text) if text in list(Type) else None
