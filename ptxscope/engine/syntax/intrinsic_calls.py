"""Calls of CUDA's intrinsics, `d = __vadd4(a, b);`, read as the PTX that computes the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..isa.catalog import CATALOG
from .errors import Problem, Span, find_closest_spelling, quote_word
from .source import Fragment, FragmentBuilder, find_fragments

if TYPE_CHECKING:
    from ..isa.intrinsics import Intrinsic

_CALL = re.compile(
    r"\s*+(?P<types>(?:[A-Za-z]\w*+[\s*&]++(?!\s*=))*+)"
    r"(?:(?P<result>[A-Za-z]\w*+)\s*+=\s*+)?+(?P<name>__[a-z]\w*+)\s*+\((?P<arguments>[^()]*+)",
    re.ASCII,
)
_END = re.compile(r"\s*+;?\s*+")
_NAME = re.compile(r"[A-Za-z]\w*+", re.ASCII)
_NUMBER = re.compile(r"([+-]?(?:0[xX][0-9a-fA-F]++|0[bB][01]++|\d++))[uUlL]*+", re.ASCII)
_LETTER = re.compile(r"\b([abcdxy])\b")
"""A register of an intrinsic's lines; modifiers have two letters or more."""


def find_pasted_fragments(text: str) -> Iterator[Fragment]:
    """Yield the PTX of a text: of calls of intrinsics, or what ``find_fragments`` finds."""
    if "__" not in text or (fragments := _read_calls(text)) is None:
        return find_fragments(text)
    return iter(fragments)


def _read_calls(text: str) -> list[Fragment] | None:
    """Return the PTX of a text that consists of calls; None for any other text."""
    fragments, position = list[Fragment](), 0
    while position < len(text):
        match = _CALL.match(text, position)
        if match is None:
            return None
        position = match.end()
        problem = None
        if not text.startswith(")", position):
            message = "an argument is an expression" if position < len(text) else "a `)` is missing"
            problem = Problem(message, (match.start("arguments"), position))
        fragments.append(_read_call(match, position, problem))
        if problem:
            break
        end = _END.match(text, position + 1)
        assert end
        position = end.end()
    return fragments


def _read_call(match: re.Match[str], end: int, problem: Problem | None) -> Fragment:
    """Return the PTX of a call; ``end`` is the position of its closing parenthesis."""
    from ..isa.intrinsics import map_intrinsics

    name = match["name"]
    intrinsic = map_intrinsics().get(name)
    if intrinsic is None:
        problem = _make_name_problem(name, match.span("name"), [*map_intrinsics()])
    if problem is None:
        assert intrinsic
        arguments = list(_iter_arguments(match))
        problem = _find_argument_problem(intrinsic, arguments, (match.start("name"), end + 1))
        if problem is None:
            return _make_fragment(intrinsic, arguments, match, end)
    return Fragment("", problems=(problem,))


def _make_name_problem(name: str, span: Span, names: Sequence[str]) -> Problem:
    close = find_closest_spelling(name, names)
    question = f"; did you mean `{close}`?" if close else ""
    return Problem(f"{quote_word(name)} is not an intrinsic that ptxscope reads{question}", span)


def _iter_arguments(match: re.Match[str]) -> Iterator[tuple[str, Span]]:
    """Yield the arguments of a call with their spans."""
    position = match.start("arguments")
    for part in match["arguments"].split(","):
        start = position + len(part) - len(part.lstrip())
        yield part.strip(), (start, start + len(part.strip()))
        position += len(part) + 1


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
    return None


def _make_fragment(
    intrinsic: Intrinsic,
    arguments: Sequence[tuple[str, Span]],
    match: re.Match[str],
    end: int,
) -> Fragment:
    """Return the intrinsic's lines, each of their parts at its place in the call.

    An operand that must be a register but is a number becomes a register that holds it.
    """
    spans = {role: span for role, (_, span) in zip(intrinsic.parameters, arguments, strict=True)}
    spans["d"] = match.span("result") if match["result"] else match.span("name")
    texts = {role: text for role, (text, _) in zip(intrinsic.parameters, arguments, strict=True)}
    taken = {*texts.values(), match["result"]}
    texts["d"] = match["result"] or _choose_name("d", taken)
    constants: dict[str, int] = {}
    opcodes = {line.partition(".")[0] for line in intrinsic.lines}
    can_take_immediates = all(CATALOG[opcode].can_take_immediates for opcode in opcodes)
    for role in dict.fromkeys(_LETTER.findall(" ".join(intrinsic.lines))):
        number = _NUMBER.fullmatch(texts.get(role, "" if role in "dxy" else "0"))
        if number and not can_take_immediates:
            texts[role] = _choose_name(role if role in texts else "zero", taken - constants.keys())
            constants[texts[role]] = int(number[1], 0) & 0xFFFF_FFFF
        elif number:
            texts[role] = number[1]
        elif role not in texts:
            texts[role] = _choose_name(role, taken)
        taken.add(texts[role])
    builder = FragmentBuilder()
    for line in intrinsic.lines:
        for index, part in enumerate(_LETTER.split(line)):
            is_operand = index % 2
            start, stop = spans.get(part, match.span("name")) if is_operand else match.span("name")
            for character in texts[part] if is_operand else part:
                builder.add(character, start, stop - start)
        builder.add(";", end, 1)
    return builder.make_fragment([])._replace(
        constants=constants, notes=intrinsic.remarks, call_span=(match.start("types"), end + 1)
    )


def _choose_name(role: str, taken: set[str]) -> str:
    """Return a name for a register that a call does not name."""
    return next(x for x in (role, *(f"{role}{n}" for n in range(len(taken) + 1))) if x not in taken)
