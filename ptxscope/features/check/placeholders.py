"""The placeholders of an asm statement: their text, and those that compilers refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.syntax.asm_operands import (
    MODIFIED,
    NAMED_PLACEHOLDER,
    NUMBERED_PLACEHOLDER,
    PERCENT,
    AsmOperands,
    find_spans,
    is_doubled,
)
from ...engine.syntax.errors import Span, quote_word
from ...engine.syntax.operands import SPECIAL
from ...engine.syntax.source import Fragment

_RUST_WAYS = {"r": "in", "=&r": "out", "=r": "lateout", "+r": "inout"}
"""The words of Rust for the constraints."""


def restore_braces(operands: AsmOperands, text: str, *, is_code: bool = False) -> str:
    """Return a text with operands as the source writes them; in code, braces are doubled."""
    if not operands.is_braced:
        return text
    text = text.replace("{", "{{").replace("}", "}}") if is_code else text
    return PERCENT.sub(lambda x: f"{{{x[0][1:]}}}" if x[0] in operands.types else x[0], text)


def format_constraint(operands: AsmOperands, name: str, constraint: str) -> str:
    """Return the constraint of an operand as the source writes it, in backticks."""
    if not operands.is_braced:
        return quote_word(f'"{constraint}"')
    return f"`{_RUST_WAYS[constraint]}(reg{operands.types[name][1:]})`"


def list_constant_literals(operands: AsmOperands) -> dict[str, int]:
    """Return the literals of the registers that the statement does not write."""
    outputs = operands.outputs
    return {name: bits for name, bits in operands.literals.items() if name not in outputs}


def has_unknown_value(operands: AsmOperands, placeholder: str) -> bool:
    """Return whether a placeholder of the source is an integer whose value is not known."""
    named = NAMED_PLACEHOLDER.fullmatch(placeholder)
    name = f"%{operands.names.get(named[1])}" if named else placeholder
    return operands.constants.get(name) == ""


def find_refused_literals(
    operands: AsmOperands, fragment: Fragment, start: int, end: int
) -> Iterator[tuple[str, Span]]:
    """Yield notes on literals that nvcc refuses for their constraints, each once."""
    if operands.refused and operands.number is not None:
        spans = find_spans(NUMBERED_PLACEHOLDER, fragment, start, end)
        yield from (
            (operands.refused[x], span) for x, span in spans.items() if x in operands.refused
        )


def find_unknown_operand(
    operands: AsmOperands, fragment: Fragment, start: int, end: int
) -> tuple[str, Span] | None:
    """Return the first placeholder whose operand could not be read, such as one in a macro."""
    if operands.number is not None or (operands.is_braced and operands.has_all_expressions):
        return None
    known_names = {*operands.types, *operands.constants, *operands.texts}
    spans = find_spans(NUMBERED_PLACEHOLDER, fragment, start, end)
    return next((x for x in spans.items() if x[0] not in known_names), None)


def find_special_registers(
    operands: AsmOperands, fragment: Fragment, start: int, end: int
) -> Iterator[tuple[str, Span]]:
    """Yield special registers whose ``%`` is not doubled, if the statement has operands."""
    if operands.number:
        for match in PERCENT.finditer(fragment.ptx, start, end):
            if SPECIAL.fullmatch(match[0]) and not is_doubled(fragment, match.start()):
                yield match[0], match.span()


def find_named_operand(
    operands: AsmOperands, fragment: Fragment, start: int, end: int
) -> Span | None:
    """Return the span of the first use of an operand's name."""
    matches = NUMBERED_PLACEHOLDER.finditer(fragment.ptx, start, end) if operands.names else ()
    return next((x.span() for x in matches if is_named(fragment, x)), None)


def is_modified(name: str) -> bool:
    """Return whether nvcc reads a name as an operand with a modifier: ``%p1``."""
    return MODIFIED.fullmatch(name) is not None


def is_named(fragment: Fragment, placeholder: re.Match[str]) -> bool:
    """Return whether a number replaces a name: ``%[a]`` has a different width."""
    start, end = fragment.find_origin(*placeholder.span())
    return end - start > len(placeholder[0]) + 1
