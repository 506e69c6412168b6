"""The operands of an asm statement: their number, types and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .c_expression import CLiteral, find_c_constants, parse_c_constant, parse_c_literal
from .c_lexer import CTokenKind, iter_c_tokens, read_string
from .errors import Span, quote_word
from .scopes import CONSTANT
from .source import GAP, Fragment, replace_in_fragment

MAX_OPERANDS_CHARS = 1 << 14
"""Maximum characters read of an asm statement's operands."""
_LETTERS = {"h": "b16", "r": "b32", "l": "b64", "q": "b128", "f": "f32", "d": "f64"}
NAMED_PLACEHOLDER = re.compile(r"%\[\s*+(\w++)\s*+\]")
NUMBERED_PLACEHOLDER = re.compile(r"%(\d++)(?![\w$])", re.ASCII)
_DOLLAR_PLACEHOLDER = re.compile(r"(?<![\w$])\$(\d++)(?![\w$])", re.ASCII)
MODIFIED = re.compile(r"%[A-Za-z]\d[\w$]*+", re.ASCII)
"""Text that nvcc (13.0) rejects as an operand with a modifier: ``%p1``, but not ``%rd1``."""
PERCENT = re.compile(r"%[\w$]*+", re.ASCII)
_PLACED = re.compile(r"[%$](\d++)", re.ASCII)
_DIGITS = 9
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class AsmExpression(NamedTuple):
    """The C expression of an operand."""

    name: str
    """Name of the operand in the PTX: ``%0``."""
    constraint: str
    """As written."""
    text: str
    constraint_start: int = -1
    """The position of the constraint in the source; -1 if it is not one literal."""

    @property
    def is_output(self) -> bool:
        """Whether the statement writes it."""
        return bool(set(self.constraint) & {"=", "+"})


class AsmOperands(NamedTuple):
    """The known operands of an asm statement."""

    types: Mapping[str, str] = {}
    """Types by the operand's name in the PTX: ``%0`` to ``b32``."""
    names: Mapping[str, int] = {}
    """The numbers of the named operands."""
    texts: tuple[str, ...] = ()
    """Operands that insert text into the PTX: ``"C"``."""
    constants: Mapping[str, str] = {}
    """Integer operands, ``"n"``, as nvcc writes them; empty if the value is unknown."""
    literals: Mapping[str, int] = {}
    """The bits of registers whose C expression is a literal, ``"r"(0)``."""
    expressions: tuple[AsmExpression, ...] = ()
    """The C expressions of the registers and constants, in order."""
    number: int | None = None
    """The number of operands, or None if some of them could not be read."""
    unknown: Mapping[str, str] = {}
    """Names without an operand, by the number that replaces them."""
    tied: Mapping[str, str] = {}
    """Operands whose constraint is another's number, mapped to that operand: ``%2`` to ``%0``."""
    refused: Mapping[str, str] = {}
    """By operand, the reason why nvcc refuses its literal for its constraint."""
    is_braced: bool = False
    """The source writes ``{x}`` for the operand ``%x``, as Rust does."""
    has_all_expressions: bool = False
    """Whether ``expressions`` has every operand that the statement may write."""
    dollar_count: int | None = None
    """The number of operands of LLVM, ``$0``; None in other languages."""
    clobbers: tuple[str, ...] = ()
    """The statement's clobber list: ``memory``."""
    position: int = 0
    """The position in the source from which those of the constraints are counted."""

    @property
    def outputs(self) -> frozenset[str]:
        """PTX names of the operands that the statement writes."""
        return frozenset(x.name for x in self.expressions if x.is_output)

    def find_unmatched_placeholders(
        self, fragment: Fragment, start: int, end: int
    ) -> Iterator[tuple[str, str, Span]]:
        """Yield the placeholders in a range of the PTX without an operand, each once.

        If there are operands, this includes registers such as ``%p1`` whose ``%`` is not doubled.
        Each item has the name in the PTX, the message and the span.
        """
        if self.dollar_count is not None:
            yield from self._find_unmatched_dollars(fragment, start, end)
        if self.is_braced and self.has_all_expressions:
            yield from self._find_unmatched_braces(fragment, start, end)
        if self.number is None:
            return
        for name, span in find_spans(NUMBERED_PLACEHOLDER, fragment, start, end).items():
            if int(name[1:][:_DIGITS]) >= self.number:
                yield name, self._format_operand(name), span
                if not self.number:
                    return  # so is every other
        modified = find_spans(MODIFIED, fragment, start, end) if self.number else {}
        for name, span in modified.items():
            reason = "is not a register in an asm statement with operands"
            yield name, f"{quote_word(name)} {reason}: write {quote_word(f'%{name}')}", span

    def _find_unmatched_dollars(
        self, fragment: Fragment, start: int, end: int
    ) -> Iterator[tuple[str, str, Span]]:
        count = self.dollar_count or 0
        for name, span in find_spans(_DOLLAR_PLACEHOLDER, fragment, start, end).items():
            if int(name[1:][:_DIGITS]) >= count:
                yield name, _describe_past(name, "$", count), span

    def _find_unmatched_braces(
        self, fragment: Fragment, start: int, end: int
    ) -> Iterator[tuple[str, str, Span]]:
        names = set[str]()
        for match in PERCENT.finditer(fragment.ptx, start, end):
            name = match[0]
            first, last = fragment.find_origin(*match.span())
            is_placeholder = last - first > len(name)  # `{x}` is wider than `%x`
            if is_placeholder and name not in self.types and name not in names:
                names.add(name)
                word = quote_word(f"{{{name[1:]}}}")
                yield name, f"{word} names no operand of this asm statement", match.span()

    def _format_operand(self, name: str) -> str:
        if name in self.unknown:
            return f"{quote_word(self.unknown[name])} names no operand of this asm statement"
        if not self.number:
            return f"{quote_word(name)} is not an operand: this asm statement has none"
        return _describe_past(name, "%", self.number)


def _describe_past(name: str, mark: str, count: int) -> str:
    """Return the message for an operand number that is too large."""
    texts = {0: "it has none", 1: f"only {mark}0"}
    operands_text = texts.get(count, f"{mark}0 to {mark}{count - 1}")
    return f"{quote_word(name)} is beyond the operands of this asm statement: {operands_text}"


UNKNOWN_OPERANDS = AsmOperands()


def read_operands(
    text: str, start: int, end: int, named_constants: Mapping[str, CLiteral] | None = None
) -> AsmOperands:
    """Read the operands after an asm statement's text.

    ``named_constants`` are C's, by default the text's.
    """
    named_constants = find_c_constants(text) if named_constants is None else named_constants
    types, names, constants = dict[str, str](), dict[str, int](), list[str]()
    values, expressions = dict[str, str](), list[AsmExpression]()
    literals, tied = dict[str, int](), dict[str, str]()
    count, depth, section, expression_start = 0, 0, 0, 0
    clobbers = list[str]()
    letters = name = None
    constraint, constraint_start, letters_start = "", -1, -1
    has_operands = text.startswith(":", start)
    is_complete = text.startswith(")", start)
    limit = min(end, start + MAX_OPERANDS_CHARS) if has_operands else start
    tokens = (x for x in iter_c_tokens(text, start, limit) if x.kind is not CTokenKind.BLANK)
    for token in tokens:
        mark = token.text
        if depth:
            depth += (mark in _OPENING) - (mark in _CLOSING)
            if not depth:
                number = f"%{count - 1}"
                last_name = tied.get(number, number)
                expression = text[expression_start : token.start]
                expressions.append(
                    AsmExpression(last_name, constraint, expression, constraint_start)
                )
                if last_name in values:
                    values[last_name] = _format_integer(expression, named_constants)
                elif last_name in types and not expressions[-1].is_output:
                    bits = _encode_literal(expression, types[last_name], named_constants)
                    literals |= {} if bits is None else {last_name: bits}
        elif mark == "(" and letters is not None:
            if section == 1 and not set(letters) & {"=", "+"}:
                return UNKNOWN_OPERANDS  # the macro before it contains the outputs
            depth, expression_start = 1, token.end
            constraint, constraint_start = letters, letters_start
            kind = letters.strip("=+&% ")
            if kind in _LETTERS:
                types[f"%{count}"] = _LETTERS[kind]
            if kind in ("n", "i"):
                values[f"%{count}"] = ""
            if kind.isdecimal() and f"%{kind}" in types:
                tied[f"%{count}"] = f"%{kind}"
            if kind == "C":
                constants.append(f"%{count}")
            if name:
                names[name] = count
            letters, name, count = None, None, count + 1
        elif mark in (":", ",", ")"):
            if letters is not None or name:
                break
            section += mark == ":"
            is_complete = is_complete or mark == ")" or section > 2
            if mark == ")" or section > 3:
                break
        elif section == 3:
            clobbers += [read_string(token).body] if token.kind is CTokenKind.STRING else []
        elif token.kind is CTokenKind.STRING and (string := read_string(token)).is_closed:
            letters_start = string.start if letters is None else -1
            letters = (letters or "") + string.body
        elif mark == "[":
            word, bracket = next(tokens, token), next(tokens, token)
            if word.kind not in (CTokenKind.NAME, CTokenKind.NUMBER) or bracket.text != "]":
                break
            name = word.text
        else:
            break
    if depth:
        values = dict.fromkeys(values, "")
    types |= dict.fromkeys(values, CONSTANT)
    return AsmOperands(
        types,
        names,
        tuple(constants),
        values,
        literals,
        tuple(expressions),
        count if is_complete else None,
        tied=tied,
        refused=dict(_iter_refused_literals(expressions, types)),
        has_all_expressions=is_complete,
        clobbers=tuple(clobbers),
    )


def _iter_refused_literals(
    expressions: Iterable[AsmExpression], types: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the operands whose literal nvcc refuses for their constraint, and the reason."""
    for name, constraint, text, _ in expressions:
        kind, type_ = constraint.strip(), types.get(name, CONSTANT)
        literal = parse_c_literal(text) if type_ != CONSTANT else None
        argument = quote_word(f'"{kind}"({text.strip()})')
        if kind.isdecimal():
            yield name, f"nvcc 13.0 refuses {argument}: it ties no operands"
        elif literal and not literal.is_accepted_as(type_):
            is_ = f"the literal is {literal.c_type}, and the operand {type_}"
            yield name, f"nvcc 13.0 refuses {argument}: {is_}"


def _format_integer(text: str, named_constants: Mapping[str, CLiteral]) -> str:
    """Return a C constant as nvcc writes it, signed; empty if it is not an integer."""
    literal = parse_c_constant(text, named_constants)
    if literal is None or not isinstance(literal.value, int):
        return ""
    bits = max(literal.width, 32)
    value = literal.encode(bits)
    return str(value - (value >> (bits - 1) << bits))


def _encode_literal(text: str, type_: str, named_constants: Mapping[str, CLiteral]) -> int | None:
    """Return the bits of a C constant in a register of a type; None for any other text."""
    literal = parse_c_constant(text, named_constants)
    if literal is None or literal.is_float is not (type_[0] == "f"):
        return None
    return literal.encode(int(type_[1:]))


def find_spans(
    pattern: re.Pattern[str], fragment: Fragment, start: int, end: int
) -> dict[str, Span]:
    """Return the first span in a range of each placeholder whose mark is not doubled."""
    spans = dict[str, Span]()
    for match in pattern.finditer(fragment.ptx, start, end):
        if match[0] not in spans and not is_doubled(fragment, match.start()):
            spans[match[0]] = match.span()
    return spans


def is_doubled(fragment: Fragment, position: int) -> bool:
    """Return whether a ``%`` is doubled in the source, so that it begins a register."""
    start, end = fragment.find_origin(position, position + 1)
    return end - start == 2 and fragment.find_origin(position + 1, position + 2)[0] != start


def number_placeholders(fragment: Fragment, operands: AsmOperands) -> tuple[Fragment, AsmOperands]:
    """Replace the names of operands with numbers, and unknown names with gaps.

    A tied operand gets the number of the one it is tied to.
    Each replacement keeps the width of the name in the source.
    """
    fragment, operands = _number_names(fragment, operands)
    return fill_constants(fragment, operands.tied), operands


def _number_names(fragment: Fragment, operands: AsmOperands) -> tuple[Fragment, AsmOperands]:
    if "%[" not in fragment.ptx:
        return fragment, operands
    unknown_names, numbers = dict[str, str](), dict(operands.names)

    def replace(match: re.Match[str]) -> str | None:
        name = match[1]
        if is_doubled(fragment, match.start()):
            return None
        if name not in numbers:
            if operands.number is None:
                return GAP
            numbers[name] = operands.number + len(unknown_names)
            unknown_names[f"%{numbers[name]}"] = f"%[{name}]"
        return f"%{numbers[name]}"

    numbered_fragment = replace_in_fragment(fragment, NAMED_PLACEHOLDER, replace)
    return numbered_fragment, operands._replace(unknown=unknown_names)


def fill_constants(fragment: Fragment, constants: Mapping[str, str]) -> Fragment:
    """Replace operands with known integers or numbers, whatever the adjacent text."""
    if not any(constants.values()):
        return fragment

    def replace(match: re.Match[str]) -> str | None:
        value = constants.get(match[0])
        return value if value and not is_doubled(fragment, match.start()) else None

    return replace_in_fragment(fragment, _PLACED, replace)


def find_escaped_registers(
    operands: AsmOperands, fragment: Fragment, start: int = 0, end: int | None = None
) -> Iterator[tuple[str, Span]]:
    """Yield registers named like an operand, ``%%1``, if the statement has operands."""
    end = len(fragment.ptx) if end is None else end
    if operands.number:
        for match in NUMBERED_PLACEHOLDER.finditer(fragment.ptx, start, end):
            if is_doubled(fragment, match.start()):
                yield match[0], match.span()


def find_doubled_percent(
    operands: AsmOperands, fragment: Fragment, start: int, end: int
) -> Span | None:
    """Return the span of the first doubled ``%`` if the statement has no operands.

    nvcc then keeps both characters, and no register has such a name.
    """
    matches = PERCENT.finditer(fragment.ptx, start, end) if operands.number == 0 else ()
    return next((x.span() for x in matches if is_doubled(fragment, x.start())), None)
