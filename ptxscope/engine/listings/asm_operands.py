"""The operands of an asm statement: their number, types and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..records import NamedTuple
from ..syntax.constants import encode_float
from ..syntax.errors import Span, quote_word
from ..syntax.scopes import CONSTANT
from ..syntax.source import GAP, Fragment
from .partial_ptx import TextFragment, iter_parts, join_fragments

_TOKEN = re.compile(
    r"""(?P<blank>(?:\s++|\\\r?\n|//[^\n]*+|/\*.*?(?:\*/|\Z))++)
      | (?:u8|[uUL])?"(?P<letters>(?:[^"\\\n]++|\\.)*+)(?P<closed>"?)
      | '(?:[^'\\\n]++|\\.)*+'?
      | \[\s*+(?P<name>\w++)\s*+\]
      | (?P<mark>[:()\[\]{},])
      | (?P<other>\w++|.)""",
    re.VERBOSE | re.DOTALL,
)
_LONGEST = 1 << 14
"""Characters of an asm statement's operands that are read."""
_LETTERS = {"h": "b16", "r": "b32", "l": "b64", "q": "b128", "f": "f32", "d": "f64"}
_NAMED = re.compile(r"%\[\s*+(\w++)\s*+\]")
_NUMBERED = re.compile(r"%(\d++)(?![\w$])", re.ASCII)
_MODIFIED = re.compile(r"%[A-Za-z]\d[\w$]*+", re.ASCII)
"""Text that nvcc (13.0) rejects as an operand with a modifier: ``%p1``, but not ``%rd1``."""
_PERCENT = re.compile(r"%[\w$]*+", re.ASCII)
_PLACED = re.compile(r"%(\d++)", re.ASCII)
_DIGITS = 9
_INTEGER = re.compile(
    r"\s*+(?P<sign>[-+]?)\s*+(?P<digits>0[xX][0-9a-fA-F]++|0[bB][01]++|[1-9][0-9]*+|0[0-7]*+)"
    r"(?P<suffix>[uU]?(?:[lL]{1,2})?[uU]?)\s*+"
)
_FLOAT = re.compile(
    r"[-+]?(?:(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|[0-9]++[eE][-+]?[0-9]++)[fF]?",
    re.ASCII,
)
_MOST_DIGITS = 66


class AsmOperands(NamedTuple):
    """The operands of an asm statement, as far as they are known."""

    types: dict[str, str]
    """Types by the operand's name in the PTX: ``%0`` to ``b32``."""
    names: dict[str, int]
    """The numbers of the named operands."""
    texts: tuple[str, ...]
    """Operands that insert text into the PTX: ``"C"``."""
    constants: dict[str, str]
    """Integer operands, ``"n"``, as nvcc writes them; empty if the value is unknown."""
    literals: dict[str, int]
    """The bits of registers whose C expression is a literal, ``"r"(0)``."""
    expressions: tuple[tuple[str, str], ...]
    """The constraint of each operand, as written, and its C expression."""
    number: int | None
    """The number of operands, or None if some of them could not be read."""
    unknown: dict[str, str]
    """Names without an operand, by the number that replaces them."""

    def find_unmatched_placeholders(
        self, fragment: Fragment, start: int, end: int
    ) -> Iterator[tuple[str, str, Span]]:
        """Yield the placeholders in a range of the PTX without an operand, each once.

        If there are operands, this includes registers such as ``%p1`` whose ``%`` is not doubled.
        Each item has the name in the PTX, the message and the span.
        """
        if self.number is None:
            return
        names = set[str]()
        for match in _NUMBERED.finditer(fragment.ptx, start, end):
            name = match[0]
            if name in names or int(match[1][:_DIGITS]) < self.number:
                continue
            if _is_doubled(fragment, match.start()):
                continue
            names.add(name)
            yield name, self._format_operand(name), match.span()
            if not self.number:
                return  # the same holds for every other
        for match in _MODIFIED.finditer(fragment.ptx, start, end) if self.number else ():
            name = match[0]
            if name not in names and not _is_doubled(fragment, match.start()):
                names.add(name)
                yield name, _undouble_percent(name), match.span()

    def find_escaped_registers(
        self, fragment: Fragment, start: int, end: int
    ) -> Iterator[tuple[str, Span]]:
        """Yield registers named like an operand, ``%%1``, if the statement has operands."""
        for match in _NUMBERED.finditer(fragment.ptx, start, end) if self.number else ():
            if _is_doubled(fragment, match.start()):
                yield match[0], match.span()

    def find_name(self, fragment: Fragment, start: int, end: int) -> Span | None:
        """Return the span of the first use of an operand's name."""
        matches = _NUMBERED.finditer(fragment.ptx, start, end) if self.names else ()
        return next((x.span() for x in matches if _is_named(fragment, x)), None)

    def find_doubled_percent(self, fragment: Fragment, start: int, end: int) -> Span | None:
        """Return the span of the first doubled ``%`` if the statement has no operands.

        nvcc then keeps both characters, and no register has such a name.
        """
        matches = _PERCENT.finditer(fragment.ptx, start, end) if self.number == 0 else ()
        return next((x.span() for x in matches if _is_doubled(fragment, x.start())), None)

    def _format_operand(self, name: str) -> str:
        if name in self.unknown:
            return f"{quote_word(self.unknown[name])} names no operand of this asm statement"
        if not self.number:
            return f"{quote_word(name)} is not an operand: this asm statement has none"
        operands_text = f"%0 to %{self.number - 1}" if self.number > 1 else "only %0"
        return f"{quote_word(name)} is past the operands of this asm statement: {operands_text}"


def _undouble_percent(name: str) -> str:
    doubled_name = quote_word(f"%{name}")
    reason = "is not a register in an asm statement with operands"
    return f"{quote_word(name)} {reason}: write {doubled_name}"


def read_operands(text: str, start: int, end: int) -> AsmOperands:
    """Read the operands after an asm statement's text."""
    types, names, constants = dict[str, str](), dict[str, int](), list[str]()
    values, expressions = dict[str, str](), list[tuple[str, str]]()
    literals = dict[str, int]()
    count, depth, section, expression_start = 0, 0, 0, 0
    letters = name = None
    constraint = ""
    has_operands = text.startswith(":", start)
    is_complete = text.startswith(")", start)
    for token in _TOKEN.finditer(text, start, min(end, start + _LONGEST)) if has_operands else ():
        mark = token["mark"]
        if depth:
            depth += (mark in ("(", "[", "{")) - (mark in (")", "]", "}")) if mark else 0
            if not depth:
                expressions.append((constraint, text[expression_start : token.start()]))
                last_name, (_, expression) = f"%{count - 1}", expressions[-1]
                if last_name in values:
                    values[last_name] = _parse_c_integer(expression)
                elif last_name in types and not set(constraint) & {"=", "+"}:
                    bits = _parse_literal(expression, types[last_name])
                    literals |= {} if bits is None else {last_name: bits}
        elif mark == "(" and letters is not None:
            depth, expression_start, constraint = 1, token.end(), letters
            kind = letters.strip("=+&% ")
            if kind in _LETTERS:
                types[f"%{count}"] = _LETTERS[kind]
            if kind in ("n", "i"):
                values[f"%{count}"] = ""
            if kind == "C":
                constants.append(f"%{count}")
            if name:
                names[name] = count
            letters, name, count = None, None, count + 1
        elif mark in (":", ",", ")"):
            if letters is not None or name:
                break
            section += mark == ":"
            if mark == ")" or section > 2:
                is_complete = True
                break
        elif token["letters"] is not None and token["closed"]:
            letters = (letters or "") + token["letters"]
        elif token["name"]:
            name = token["name"]
        elif not token["blank"]:
            break
    if depth:
        values = dict.fromkeys(values, "")
    types |= dict.fromkeys(values, CONSTANT)
    number = count if is_complete else None
    all_expressions = tuple(expressions)
    return AsmOperands(
        types, names, tuple(constants), values, literals, all_expressions, number, {}
    )


def _parse_c_integer(text: str) -> str:
    """Return a C integer literal as nvcc writes it, or an empty string."""
    match = _INTEGER.fullmatch(text) if len(text) < _MOST_DIGITS else None
    if match is None:
        return ""
    digits = match["digits"]
    base = 8 if digits[0] == "0" and digits.isdecimal() else 0
    value = int(digits, base) * (-1 if match["sign"] == "-" else 1)
    unsigned = not digits.isdecimal() or base or "u" in match["suffix"].lower()
    long = "l" in match["suffix"].lower() or abs(value) >> (32 if unsigned else 31)
    bits = 64 if long else 32
    value &= (1 << bits) - 1
    return str(value - (value >> (bits - 1) << bits))


def _parse_literal(text: str, type_: str) -> int | None:
    """Return the bits of a C literal in a register of a type, or None."""
    word = text.strip() if len(text) < _MOST_DIGITS else ""
    while word[:1] == "(" and word[-1:] == ")":
        word = word[1:-1].strip()
    kind, bits = type_[0], int(type_[1:])
    if kind == "f":
        return encode_float(float(word.rstrip("fF")), bits) if _FLOAT.fullmatch(word) else None
    integer = _parse_c_integer(word)
    return int(integer) & ((1 << bits) - 1) if integer else None


def _is_doubled(fragment: Fragment, position: int) -> bool:
    """Return whether a ``%`` is doubled in the source, so that it begins a register."""
    start, end = fragment.find_origin(position, position + 1)
    return end - start == 2


def _is_named(fragment: Fragment, placeholder: re.Match[str]) -> bool:
    """Return whether a number replaces a name: ``%[a]`` has a different width."""
    start, end = fragment.find_origin(*placeholder.span())
    return end - start > len(placeholder[0]) + 1


def number_placeholders(fragment: Fragment, operands: AsmOperands) -> tuple[Fragment, AsmOperands]:
    """Replace the names of operands with numbers, and unknown names with gaps.

    Each replacement keeps the width of the name in the source.
    """
    if "%[" not in fragment.ptx:
        return fragment, operands
    parts, unknown_names, copied_end = list[TextFragment](), dict[str, str](), 0
    numbers = dict(operands.names)
    for match in _NAMED.finditer(fragment.ptx):
        if _is_doubled(fragment, match.start()):
            continue
        name = match[1]
        is_known = name in numbers or operands.number is not None
        if is_known and name not in numbers:
            numbers[name] = (operands.number or 0) + len(unknown_names)
            unknown_names[f"%{numbers[name]}"] = f"%[{name}]"
        start, end = fragment.find_origin(*match.span())
        parts += iter_parts(fragment, copied_end, match.start())
        parts.append((f"%{numbers[name]}" if is_known else GAP, start, end - start))
        copied_end = match.end()
    parts += iter_parts(fragment, copied_end)
    joined_fragment = join_fragments(parts)._replace(problems=fragment.problems)
    return joined_fragment, operands._replace(unknown=unknown_names)


def fill_constants(fragment: Fragment, constants: Mapping[str, str]) -> Fragment:
    """Replace operands with known integers, as nvcc does, whatever stands next to them."""
    if not any(constants.values()):
        return fragment
    parts, copied_end = list[TextFragment](), 0
    for match in _PLACED.finditer(fragment.ptx):
        value = constants.get(match[0])
        if value and not _is_doubled(fragment, match.start()):
            start, end = fragment.find_origin(*match.span())
            parts += iter_parts(fragment, copied_end, match.start())
            parts.append((value, start, end - start))
            copied_end = match.end()
    parts += iter_parts(fragment, copied_end)
    return join_fragments(parts)._replace(problems=fragment.problems)
