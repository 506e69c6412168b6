"""Calls of CUDA's intrinsics, `d = __vadd4(a, b);`, read as the PTX that computes the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from ..isa.catalog import find_entry
from .errors import Problem, Span, find_closest_spelling, quote_word
from .source import COMMENT, Fragment, FragmentBuilder, find_fragments

if TYPE_CHECKING:
    from ..isa.intrinsics import Intrinsic

_CALL = re.compile(
    r"\s*+(?P<types>(?>(?:[A-Za-z]\w*+[\s*&]++(?!=))*))"
    r"(?>(?P<result>_?[A-Za-z]\w*+)\s*+=\s*+|)(?P<name>__(?!asm|volatile)[a-z]\w*+)\s*+\(",
    re.ASCII,
)
_ARGUMENT = re.compile(
    # a cast to a type of 32 or 64 bits keeps the bits of a register
    r"\s*+(?>(?:\((?>(?:\s*+(?:signed|unsigned|int|long|uint|u?int(?:32|64)_t)\b)+)\s*+\)\s*+)*)"
    r"(?:(?P<name>__(?!asm|volatile)[a-z]\w*+)\s*+\(|(?P<text>[^(),]*+))",
    re.ASCII,
)
_MAX_DEPTH = 32
"""Levels of calls inside of calls."""
_CALLEE = re.compile(r"(?<!\w)(?P<name>__(?!asm|volatile)[a-z]\w*+)\s*+\(", re.ASCII)
_END = re.compile(r"\s*+;?\s*+")
_NAME = re.compile(r"_?[A-Za-z]\w*+", re.ASCII)
_NUMBER = re.compile(
    r"\+?(-?(?:0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9]\d*+))[uUlL]*+", re.ASCII
)
_OCTAL = re.compile(r"-?0[0-7]*+")
_LETTER = re.compile(r"\b([abcdxy])\b")
"""A register of an intrinsic's lines; modifiers have two letters or more."""
_WORD_MASK = (1 << 32) - 1


class _Call(NamedTuple):
    """A call of an intrinsic in a text."""

    intrinsic: Intrinsic | None
    """None if there is a problem."""
    arguments: tuple[str, ...]
    result: str
    """The variable that it is assigned to; empty if there is none."""
    parts: dict[str, Span]
    """The spans of the arguments and the result, by the letters of the lines."""
    name_span: Span
    span: Span
    problem: Problem | None = None


def has_calls(text: str) -> bool:
    """Return whether a text consists of calls of intrinsics."""
    return _read_calls(text) is not None


def find_call_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX of a text: of each call of an intrinsic, or what ``find_fragments`` finds."""
    if (calls := _read_calls(text)) is None:
        yield from find_fragments(text)
        return
    for call in calls:
        yield _make_call_fragment(call)


def find_call_blocks(text: str) -> Iterator[Fragment]:
    """Yield the PTX of a text, that of all its calls of intrinsics together."""
    if (calls := _read_calls(text)) is None:
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


def _make_call_fragment(call: _Call) -> Fragment:
    if call.intrinsic is None:
        return Fragment("", problems=(call.problem,) if call.problem else ())
    writer = _PtxWriter({*call.arguments, call.result})
    writer.add_call(call)
    return writer.make_fragment()._replace(
        constants=writer.constants, notes=call.intrinsic.remarks, call_span=call.span
    )


# --- reading calls ------------------------------------------------------------------------


def _read_calls(text: str) -> list[_Call] | None:
    """Return the calls of a text that has nothing else; None for any other text.

    A call that is an argument comes before the call that it is an argument of, and is assigned to a
    variable of its own. The last one may have a problem.
    """
    position = 0
    text = _blank_comments(text)
    reader = _CallReader(text)
    while position < len(text):
        match = _CALL.match(text, position)
        if match is None:
            return None
        start = match.start("types")
        if not reader.read_call(match["name"], match.span("name"), match.end(), start, match):
            break
        end = _END.match(text, reader.position)
        assert end
        position = end.end()
    return reader.calls or None


class _CallReader:
    """Reads calls with those inside of them, in the order in which they are computed."""

    def __init__(self, text: str) -> None:
        self.text, self.calls, self.position = text, list[_Call](), 0
        self._depth = 0
        self._names: Iterator[str] | None = None
        """Names for the values of calls that are arguments."""

    def read_call(
        self, name: str, name_span: Span, position: int, start: int, match: re.Match[str] | None
    ) -> bool:
        """Read the call whose arguments begin at a position; return whether it has no problem.

        ``start`` is where it begins; ``match`` has the variable that it is assigned to, if it is
        not an argument itself.
        """
        from ..isa.intrinsics import map_intrinsics

        intrinsics = map_intrinsics()
        intrinsic, arguments = intrinsics.get(name), list[tuple[str, Span]]()
        call_count, first = len(self.calls), position
        while True:
            argument = _ARGUMENT.match(self.text, position)
            assert argument
            if argument["name"]:
                is_read = self._read_inner_call(argument)
                if not is_read:
                    return False
                position = _skip_blanks(self.text, self.position)
                inner_start = argument.start("name")
                arguments.append((self.calls[-1].result, (inner_start, self.position)))
            else:
                position, word = argument.end(), argument["text"].rstrip()
                word_start = argument.start("text")
                arguments.append((word, (word_start, word_start + len(word))))
            if not self.text.startswith(",", position):
                break
            position += 1
        problem: Problem | None
        if intrinsic is None:
            problem = _make_name_problem(name, name_span, [*intrinsics])
        elif not self.text.startswith(")", position):
            is_open = position < len(self.text)
            message = "an argument is an expression" if is_open else "a `)` is missing"
            problem = Problem(message, (arguments[-1][1][0] if is_open else first, position))
        else:
            problem = _find_argument_problem(intrinsic, arguments, (name_span[0], position + 1))
        if problem:
            del self.calls[call_count:]
        result = (match["result"] or "") if match else self._choose_name()
        parameters = intrinsic.parameters if intrinsic else ""
        parts = {role: span for role, (_, span) in zip(parameters, arguments, strict=False)}
        if match and result:
            parts["d"] = match.span("result")
        texts = tuple(argument for argument, _ in arguments)
        self.position = position + 1
        span = (start, self.position)
        known = None if problem else intrinsic
        self.calls.append(_Call(known, texts, result, parts, name_span, span, problem))
        return problem is None

    def _read_inner_call(self, argument: re.Match[str]) -> bool:
        """Read a call that is an argument; return whether it has no problem."""
        name_span = argument.span("name")
        if self._depth == _MAX_DEPTH:
            problem = Problem(f"calls are nested more than {_MAX_DEPTH} levels deep", name_span)
            self.calls.append(_Call(None, (), "", {}, name_span, name_span, problem))
            return False
        self._depth += 1
        is_read = self.read_call(
            argument["name"], name_span, argument.end(), name_span[0], match=None
        )
        self._depth -= 1
        return is_read

    def _choose_name(self) -> str:
        """Return a name for the value of a call that is an argument."""
        if self._names is None:
            used_names = set(_NAME.findall(self.text))
            candidates = chain(("t",), (f"t{number}" for number in count(1)))
            self._names = (name for name in candidates if name not in used_names)
        return next(self._names)


def _skip_blanks(text: str, position: int) -> int:
    while text.startswith((" ", "\t", "\n", "\r"), position):
        position += 1
    return position


def find_problem_around_call(text: str) -> Problem | None:
    """Return the problem of a text that has C around a call of an intrinsic, if it does."""
    from ..isa.intrinsics import map_intrinsics

    intrinsics = map_intrinsics()
    for match in _CALLEE.finditer(_blank_comments(text)):
        if match["name"] in intrinsics:
            message = (
                f"`{match['name']}` has other C around it; ptxscope reads a call alone, or as "
                "the value of one variable"
            )
            return Problem(message, match.span("name"), f"d = {match['name']}(…);")
    return None


def _blank_comments(text: str) -> str:
    """Return the text with blanks for its comments."""
    if "/" not in text:
        return text
    return re.sub(COMMENT, lambda match: " " * len(match[0]), text, flags=re.DOTALL)


def _make_name_problem(name: str, span: Span, names: Sequence[str]) -> Problem:
    close = find_closest_spelling(name, names)
    question = f"; did you mean `{close}`?" if close else ""
    return Problem(f"{quote_word(name)} is not an intrinsic that ptxscope reads{question}", span)


def _find_argument_problem(
    intrinsic: Intrinsic, arguments: Sequence[tuple[str, Span]], call_span: Span
) -> Problem | None:
    """Return the problem of a call's arguments, if there is one."""
    expected = intrinsic.parameters
    if len(arguments) != len(expected):
        count = f"{len(expected)} argument{'s' * (len(expected) > 1)}"
        return Problem(
            f"`{intrinsic.name}` takes {count}, not {len(arguments)}",
            call_span,
            f"{intrinsic.name}({', '.join(expected)})",
        )
    for argument, span in arguments:
        if not (_NAME.fullmatch(argument) or _NUMBER.fullmatch(argument)):
            return Problem(f"{quote_word(argument)} is not a name or a number", span)
        width = 64 if intrinsic.name.endswith("ll") else 32
        number = _NUMBER.fullmatch(argument)
        if number and not -(1 << width - 1) <= _parse_number(number[1]) < 1 << width:
            return Problem(f"{quote_word(argument)} does not fit {width} bits", span)
    return None


def _can_take_immediates(line: str) -> bool:
    opcode, *modifiers = line.partition(" ")[0].split(".")
    entry = find_entry(opcode, modifiers)
    return entry is not None and entry.can_take_immediates


def _choose_lines(intrinsic: Intrinsic, call: _Call) -> tuple[Sequence[str], _Call]:
    """Return the lines of a call, and the call with the bits of a literal c that it reads."""
    if not intrinsic.c_mask:
        return intrinsic.lines, call
    *others, c = call.arguments
    number = _NUMBER.fullmatch(c)
    if number is None:
        return intrinsic.lines, call
    bits = _parse_number(number[1]) & _WORD_MASK
    read_bits = bits & intrinsic.c_mask
    if bits != read_bits:
        call = call._replace(arguments=(*others, f"{read_bits:#x}"))
    return (intrinsic.ptx,), call


def _parse_number(text: str) -> int:
    """Return the value of a number in C."""
    return int(text, 8 if _OCTAL.fullmatch(text) else 0)


# --- writing PTX --------------------------------------------------------------------------


class _PtxWriter:
    """Writes the lines of calls, each part with its place in the call.

    An operand that must be a register but is a number becomes a register that holds it.
    """

    def __init__(self, variables: Set[str]) -> None:
        """``variables`` are the names of the calls' variables."""
        self._used_names = {*variables}
        self._pieces: list[tuple[str, Span]] = []
        self.constants: dict[str, int] = {}
        """The bits of the registers that hold numbers."""

    def add_call(self, call: _Call) -> None:
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

    def _name_operands(self, call: _Call, lines: Sequence[str]) -> dict[str, str]:
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
            elif number := _NUMBER.fullmatch(texts.get(letter, "0")):
                text = number[1]
                texts[letter] = text if can_take_immediates else self._hold_number(letter, text)
        return texts

    def _hold_number(self, letter: str, number: str) -> str:
        """Return the register that holds a number."""
        bits = _parse_number(number) & _WORD_MASK
        for name, held_bits in self.constants.items():
            if held_bits == bits:
                return name
        name = self._choose_name(letter if bits else "zero")
        self._used_names.add(name)
        self.constants[name] = bits
        return name

    def _choose_name(self, stem: str) -> str:
        """Return a name that is not used yet."""
        names = (stem, *(f"{stem}{number}" for number in range(len(self._used_names) + 1)))
        return next(x for x in names if x not in self._used_names)

    def make_fragment(self, *, with_moves: bool = False) -> Fragment:
        """Return the lines, after a ``mov`` for each constant if these are wanted."""
        builder = FragmentBuilder()
        place = self._pieces[0][1]
        moves = [(f"mov.b32 {name}, {bits:#x};", place) for name, bits in self.constants.items()]
        for text, (start, end) in (*(moves if with_moves else ()), *self._pieces):
            for character in text:
                builder.add(character, start, end - start)
        return builder.make_fragment([])
