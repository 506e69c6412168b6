"""Calls of CUDA intrinsics, ``d = __vadd4(a, b);``, translated to equivalent PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from ..isa.catalog import find_entry
from .asm_text import find_fragments
from .c_expression import parse_c_integer
from .c_lexer import CToken, CTokenKind, blank_tokens, iter_c_tokens
from .errors import Problem, Span, find_closest_spelling, quote_word
from .source import Fragment, join_fragments

if TYPE_CHECKING:
    from ..isa.intrinsics import Intrinsic

_CAST_WORDS = frozenset("signed unsigned int long uint int32_t int64_t uint32_t uint64_t".split())
"""The words of types of 32 or 64 bits: a cast to one keeps the bits of a register."""
_WIDE_WORDS = frozenset(("long", "int64_t", "uint64_t"))
_MAX_DEPTH = 32
"""Maximum nesting depth of calls."""
_CALLEE = re.compile(r"__(?!asm|volatile)[a-z]\w*+", re.ASCII)
CALL = re.compile(r"(?P<name>__(?<!\w__)[a-z]\w*+)\s*+\(", re.ASCII)
_NAME = re.compile(r"_?[A-Za-z]\w*+", re.ASCII)
_TYPE_MARKS = frozenset(("*", "&", "&&"))
_ARGUMENT_ENDS = frozenset("(),")
_LETTER = re.compile(r"\b([abcdxy])\b")
"""A register in an intrinsic's lines; modifiers have at least two letters."""
_WORD_MASK = (1 << 32) - 1


class TextCall(NamedTuple):
    """A call of an intrinsic in a text."""

    intrinsic: Intrinsic | None
    """None if there is a problem."""
    arguments: tuple[str, ...]
    result: str
    """The variable that it is assigned to; may be empty."""
    parts: dict[str, Span]
    """The spans of the arguments and the result, by the letters of the lines."""
    name_span: Span
    span: Span
    problem: Problem | None = None


def has_calls(text: str) -> bool:
    """Return whether a text consists of calls of intrinsics."""
    return read_calls(text) is not None


def find_call_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX of each call of an intrinsic in a text, or like ``find_fragments``."""
    if (calls := read_calls(text)) is None:
        yield from find_fragments(text)
        return
    for call in calls:
        yield _make_call_fragment(call)


def find_call_blocks(text: str) -> Iterator[Fragment]:
    """Yield the PTX of all calls of intrinsics in a text as one fragment."""
    if (calls := read_calls(text)) is None:
        yield from find_fragments(text)
        return
    if problems := tuple(x.problem for x in calls if x.problem):
        yield Fragment("", problems=problems)
        return
    variables = {name for call in calls for name in (*call.arguments, call.result)}
    writer = _PtxWriter(variables)
    remarks = dict[str, None]()
    for call in calls:
        writer.add_call(call)
        remarks.update(dict.fromkeys(call.intrinsic.remarks if call.intrinsic else ()))
    yield writer.make_fragment(with_moves=True)._replace(notes=tuple(remarks))


def _make_call_fragment(call: TextCall) -> Fragment:
    if call.intrinsic is None:
        return Fragment("", problems=(call.problem,) if call.problem else ())
    writer = _PtxWriter({*call.arguments, call.result})
    writer.add_call(call)
    return writer.make_fragment()._replace(
        constants=writer.constants, notes=call.intrinsic.remarks, call_span=call.span
    )


# --- reading calls ------------------------------------------------------------------------


def read_calls(text: str) -> list[TextCall] | None:
    """Return the calls of a text that contains nothing else; None for any other text.

    A call in an argument precedes the outer call and is assigned to a new variable. The last call
    may have a problem.
    """
    reader = _CallReader(text)
    while reader.peek():
        start = reader.get_token().start
        result = reader.read_result()
        if not reader.is_callee():
            return None
        if not reader.read_call(start, result):
            break
        reader.index += reader.peek() == ";"
    return reader.calls or None


class _InnerCallError(Exception):
    """A call in an argument has a problem, which the outer call reports."""


class _CallReader:
    """Reads calls, including nested ones, in the order of their evaluation."""

    def __init__(self, text: str) -> None:
        self.text, self.calls, self.index = text, list[TextCall](), 0
        self._source = (x for x in iter_c_tokens(text) if x.kind is not CTokenKind.BLANK)
        self._tokens = list[CToken]()
        """The tokens read so far: in most texts, the first ones rule out a call."""
        self._end = CToken(CTokenKind.MARK, "", len(text), len(text))
        self._depth = 0
        self._names: Iterator[str] | None = None
        """Names for the values of calls that are arguments."""

    def get_token(self, distance: int = 0) -> CToken:
        """Return the next token, or a later one; an empty token at the end."""
        while len(self._tokens) <= self.index + distance:
            self._tokens.append(next(self._source, self._end))
        return self._tokens[self.index + distance]

    def peek(self, distance: int = 0) -> str:
        """Return the text of the next token, or of a later one; empty at the end."""
        return self.get_token(distance).text

    def is_callee(self) -> bool:
        """Return whether a call begins here."""
        return self.peek(1) == "(" and _CALLEE.fullmatch(self.peek()) is not None

    def read_result(self) -> CToken | None:
        """Pass the type and the variable that a call is assigned to; return the variable."""
        while self.peek()[:1].isalpha() and self.peek(1) != "=":
            self.index += 1
            while self.peek() in _TYPE_MARKS:
                self.index += 1
        if self.peek(1) != "=" or not _NAME.fullmatch(self.peek()):
            return None
        result = self.get_token()
        self.index += 2
        return result

    def read_call(self, start: int, result: CToken | None, *, is_argument: bool = False) -> bool:
        """Read the call that begins here; return whether it has no problem.

        ``start`` is the start of its statement, ``result`` the variable that it is assigned to.
        """
        from ..isa.intrinsics import map_intrinsics

        intrinsics = map_intrinsics()
        name = self.get_token()
        intrinsic, arguments = intrinsics.get(name.text), list[tuple[str, Span]]()
        call_count = len(self.calls)
        self.index += 1
        first = self.get_token().end
        while not arguments or self.peek() == ",":
            self.index += 1
            argument = self._read_argument(intrinsic.argument_bits if intrinsic else 32)
            if argument is None:
                return False
            arguments.append(argument)
        position = self.get_token().start
        problem: Problem | None
        if intrinsic is None:
            problem = _make_name_problem(name.text, name.span, [*intrinsics])
        elif self.peek() != ")":
            problem = Problem("a `)` is missing", (first, position))
        else:
            problem = _find_argument_problem(intrinsic, arguments, (name.start, position + 1))
        if problem:
            del self.calls[call_count:]
        result_name = self._choose_name() if is_argument else result.text if result else ""
        parameters = intrinsic.parameters if intrinsic else ""
        parts = {role: span for role, (_, span) in zip(parameters, arguments, strict=False)}
        if result:
            parts["d"] = result.span
        texts = tuple(argument for argument, _ in arguments)
        self.index += 1
        intrinsic = None if problem else intrinsic
        span = (start, position + 1)
        self.calls.append(TextCall(intrinsic, texts, result_name, parts, name.span, span, problem))
        return problem is None

    def _read_argument(self, bits: int) -> tuple[str, Span] | None:
        """Return the text and the span of an argument of a width; None if it has a problem."""
        start = self.index
        while self.peek() == "(" and self.peek(1) in _CAST_WORDS:
            count = 2
            while self.peek(count) in _CAST_WORDS:
                count += 1
            words = {self.peek(distance) for distance in range(1, count)}
            if self.peek(count) != ")" or (bits == 64 and words.isdisjoint(_WIDE_WORDS)):
                break
            self.index += count + 1
        first = self.get_token()
        if self.is_callee() and self._is_whole_call():
            if not self._read_inner_call():
                return None
            return self.calls[-1].result, (first.start, self._tokens[self.index - 1].end)
        while self.peek() and self.peek() not in _ARGUMENT_ENDS:
            self.index += 1
        text = self.text[first.start : self._tokens[self.index - 1].end]
        if self.peek() != "(" and (_NAME.fullmatch(text) or _read_number(text)):
            return text, (first.start, first.start + len(text))
        self.index = start
        return self._read_expression(bits)

    def _is_whole_call(self) -> bool:
        """Return whether the call that begins here is a whole argument, or has no end."""
        distance, depth = 1, 0
        while text := self.peek(distance):
            depth += (text == "(") - (text == ")")
            distance += 1
            if not depth:
                break
        return self.peek(distance) in ("", ",", ")")

    def _read_expression(self, bits: int) -> tuple[str, Span] | None:
        """Read an argument that is an expression, and write the statements that compute it."""
        from .argument_expressions import parse_argument

        start, words, depth = self.index, list[CToken](), 0
        while self.peek() and (depth or self.peek() not in (",", ")")):
            depth += (self.peek() == "(") - (self.peek() == ")")
            words.append(self.get_token())
            self.index += 1
        end = self.index
        if not words:
            position = self.get_token().start
            return "", (position, position)
        span = (words[0].start, words[-1].end)

        def compute(opcode: str, operands: tuple[str, ...], place: Span) -> str:
            from ..isa.intrinsics import Intrinsic

            letters = "ab"[: len(operands)]
            line = f"{opcode} d, {', '.join(letters)}"
            operation = Intrinsic(opcode, line, parameters=letters)
            name = self._choose_name()
            self.calls.append(TextCall(operation, operands, name, {}, place, span))
            return name

        def read_call(position: int) -> tuple[str, int] | None:
            self.index = start + position
            if not self.is_callee():
                return None
            if not self._read_inner_call():
                raise _InnerCallError
            return self.calls[-1].result, self.index - start - position

        try:
            text = parse_argument(words, bits, compute, read_call)
        except _InnerCallError:
            return None
        if isinstance(text, Problem):
            self.calls.append(TextCall(None, (), "", {}, span, span, text))
            return None
        self.index = end
        return text, span

    def _read_inner_call(self) -> bool:
        """Read a call that is an argument; return whether it has no problem."""
        span = self.get_token().span
        if self._depth == _MAX_DEPTH:
            problem = Problem(f"calls are nested more than {_MAX_DEPTH} levels deep", span)
            self.calls.append(TextCall(None, (), "", {}, span, span, problem))
            return False
        self._depth += 1
        is_read = self.read_call(span[0], None, is_argument=True)
        self._depth -= 1
        return is_read

    def _choose_name(self) -> str:
        if self._names is None:
            used_names = {x.text for x in iter_c_tokens(self.text)}
            candidates = chain(("t",), (f"t{number}" for number in count(1)))
            self._names = (name for name in candidates if name not in used_names)
        return next(self._names)


def find_problem_around_call(text: str) -> Problem | None:
    """Return the problem of a text with other C code around a call of an intrinsic, or None."""
    from ..isa.intrinsics import map_intrinsics

    intrinsics = map_intrinsics()
    for match in CALL.finditer(blank_tokens(text, CTokenKind.COMMENT)):
        if match["name"] in intrinsics:
            message = (
                f"`{match['name']}` is part of other C code; ptxscope reads a single call, or one "
                "whose value a variable takes"
            )
            return Problem(message, match.span("name"), f"d = {match['name']}(…);")
    return None


def _make_name_problem(name: str, span: Span, names: Sequence[str]) -> Problem:
    close = find_closest_spelling(name, names)
    question = f"; did you mean `{close}`?" if close else ""
    return Problem(f"{quote_word(name)} is not an intrinsic that ptxscope reads{question}", span)


def _find_argument_problem(
    intrinsic: Intrinsic, arguments: Sequence[tuple[str, Span]], call_span: Span
) -> Problem | None:
    expected = intrinsic.parameters
    if len(arguments) != len(expected):
        count = f"{len(expected)} argument{'s' * (len(expected) > 1)}"
        return Problem(
            f"`{intrinsic.name}` takes {count}, not {len(arguments)}",
            call_span,
            f"{intrinsic.name}({', '.join(expected)})",
        )
    for argument, span in arguments:
        number = _read_number(argument)
        if not (number or _NAME.fullmatch(argument)):
            return Problem(f"{quote_word(argument)} is not a name or a number", span)
        width = intrinsic.argument_bits
        if number and not -(1 << width - 1) <= number.value < 1 << width:
            return Problem(f"{quote_word(argument)} does not fit {width} bits", span)
    return None


def _can_take_immediates(line: str) -> bool:
    opcode, *modifiers = line.partition(" ")[0].split(".")
    entry = find_entry(opcode, modifiers)
    return entry is not None and entry.can_take_immediates


def _choose_lines(intrinsic: Intrinsic, call: TextCall) -> tuple[Sequence[str], TextCall]:
    """Return the lines of a call, and the call with only the bits that it reads of a literal c."""
    if not intrinsic.c_mask:
        return intrinsic.lines, call
    *others, c = call.arguments
    number = _read_number(c)
    if number is None:
        return intrinsic.lines, call
    bits = number.value & _WORD_MASK
    read_bits = bits & intrinsic.c_mask
    if bits != read_bits:
        call = call._replace(arguments=(*others, f"{read_bits:#x}"))
    return (intrinsic.ptx,), call


class _NumberText(NamedTuple):
    text: str
    """As PTX writes it."""
    value: int


def _read_number(text: str) -> _NumberText | None:
    """Return a number of C; None for any other text."""
    word = text.removeprefix("+")
    integer = parse_c_integer(word.removeprefix("-"))
    if integer is None:
        return None
    value = -integer.value if word[0] == "-" else integer.value
    return _NumberText(word.rstrip("uUlLzZ").replace("'", ""), value)


# --- writing PTX --------------------------------------------------------------------------


class _PtxWriter:
    """Writes the lines of calls; each part keeps its position in the call.

    A number that must be a register becomes a register with that constant.
    """

    def __init__(self, variables: Set[str]) -> None:
        """``variables`` are the names of the calls' variables."""
        self._used_names = {*variables}
        self._pieces: list[tuple[str, Span]] = []
        self.constants: dict[str, int] = {}
        """The bits of the registers for numbers."""

    def add_call(self, call: TextCall) -> None:
        """Write the lines of a call without a problem."""
        assert call.intrinsic
        lines, call = _choose_lines(call.intrinsic, call)
        names = self._name_operands(call, lines)
        for line in lines:
            for index, part in enumerate(_LETTER.split(line)):
                if index % 2:
                    self._pieces.append((names[part], call.parts.get(part, call.name_span)))
                else:
                    self._pieces.append((part, call.name_span))
            self._pieces.append((";", (call.span[1] - 1, call.span[1])))

    def _name_operands(self, call: TextCall, lines: Sequence[str]) -> dict[str, str]:
        """Return the texts of the operands by their letters in the lines."""
        assert call.intrinsic
        can_take_immediates = all(_can_take_immediates(line) for line in lines)
        texts = dict(zip(call.intrinsic.parameters, call.arguments, strict=True))
        for letter in dict.fromkeys(_LETTER.findall(" ".join(lines))):
            if letter == "d":
                texts[letter] = call.result or self._choose_name(letter)
                self._used_names.add(texts[letter])
            elif letter in "xy":
                texts[letter] = self._choose_name(letter)
            elif number := _read_number(texts.get(letter, "0")):
                texts[letter] = (
                    number.text if can_take_immediates else self._hold_number(letter, number.value)
                )
        return texts

    def _hold_number(self, letter: str, number: int) -> str:
        bits = number & _WORD_MASK
        for name, held_bits in self.constants.items():
            if held_bits == bits:
                return name
        name = self._choose_name(letter if bits else "zero")
        self._used_names.add(name)
        self.constants[name] = bits
        return name

    def _choose_name(self, stem: str) -> str:
        names = (stem, *(f"{stem}{number}" for number in range(len(self._used_names) + 1)))
        return next(x for x in names if x not in self._used_names)

    def make_fragment(self, *, with_moves: bool = False) -> Fragment:
        """Return the lines, if wanted after a ``mov`` for each constant."""
        place = self._pieces[0][1]
        moves = [(f"mov.b32 {name}, {bits:#x};", place) for name, bits in self.constants.items()]
        return join_fragments(
            (character, start, end - start)
            for text, (start, end) in (*(moves if with_moves else ()), *self._pieces)
            for character in text
        )
