"""The PTX of MLIR: of ``llvm.inline_asm``, ``nvvm.inline_ptx``, ``tt.elementwise_inline_asm``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ..engine.syntax.asm_operands import AsmExpression, AsmOperands
from ..engine.syntax.source import join_fragments, replace_matches
from .asm_arguments import make_llvm_operands, read_llvm_operands
from .source_language import Language
from .text_blocks import Block

_STRING = r'"(?P<body>(?>(?:[^"\\\n]++|\\.)*))"'
_ASM = re.compile(
    r"(?P<comment>//[^\n]*+)"
    r"|\b(?P<name>llvm\.inline_asm|nvvm\.inline_ptx|tt\.elementwise_inline_asm)\b"
    r"[^\"]{0,300}+" + _STRING
)
_MARK = re.compile(
    r"\\(?P<code>[0-9a-fA-F]{2})|\\(?P<escape>.)|\$(?P<dollar>\$)"
    r"|\{\$(?P<operand>(?:rw|r|w)\d{1,9}+)\}|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}"
)
"""``\\0A`` for a character, ``$$`` for ``$``, ``{$r0}`` and ``${0:x}`` for operands."""
_ESCAPES = {"n": "\n", "t": "\t"}
_MAX_CHARS = 1 << 14
"""Characters after the PTX in which operands are read."""
_ARGUMENTS = re.compile(
    r"\b(?P<way>ro|rw)\s*+\((?P<names>[^():]*+):(?P<types>(?>(?:[^()]|\([^()]{0,99}+\)){0,999}))\)"
    r"|->\s*+(?:\((?P<results>(?>(?:[^()]|\([^()]{0,99}+\)){0,999}))\)|(?P<result>[!\w.]++(?><[^<>]*+>|)))"
)
_END = re.compile(r"\b(?:llvm\.inline_asm|nvvm\.inline_ptx)\b|[=}]")
_CONSTRAINTS = re.compile(r"\s*+\{[^{}\"]{0,300}?\bconstraints\s*+=\s*+\"(?P<text>[^\"]*+)\"")
"""The constraints of Triton's ``tt.elementwise_inline_asm``."""
_TYPES = {"i16": "b16", "i32": "b32", "i64": "b64", "f32": "f32", "f64": "f64", "!llvm.ptr": "b64"}
"""The types of registers by those of MLIR; a pointer to shared memory may be narrower."""


def read_mlir_blocks(text: str) -> Iterator[Block]:
    """Yield the PTX of each operation that is inline assembly."""
    matches = [x for x in _ASM.finditer(text) if x["name"]]
    for match, following in pairwise([*matches, None]):
        assert match
        parts = replace_matches(text, _MARK, _decode_mark, *match.span("body"))
        fragment = join_fragments(parts)
        end = min(following.start() if following else len(text), match.end() + _MAX_CHARS)
        yield Block(fragment, Language.PTX, _READERS[match["name"]](text, match.end(), end))


def _decode_mark(mark: re.Match[str]) -> str:
    if name := mark["operand"] or mark["number"]:
        return f"${name}"
    if mark["code"]:
        return chr(int(mark["code"], 16))
    return _ESCAPES.get(mark[0][-1], mark[0][-1])


def _read_operands(text: str, start: int, end: int) -> AsmOperands:
    """Return the operands of an ``nvvm.inline_ptx``, by both of their names.

    The numbers ``$0``, ``$1`` begin with the results; with operands that are read and written,
    they are not known.
    """
    stop = _END.search(text, start, end)
    types = dict[str, list[str]]()
    for match in _ARGUMENTS.finditer(text, start, stop.start() if stop else end):
        words = match["types"] or match["results"] or match["result"] or ""
        types.setdefault(match["way"] or "results", _split_types(words))
    results, reads = types.get("results", []), types.get("ro", [])
    updates = types.get("rw", [])
    operands = [
        *((f"$w{i}", "=", x) for i, x in enumerate(results)),
        *((f"$rw{i}", "+", x) for i, x in enumerate(updates)),
        *((f"$r{i}", "", x) for i, x in enumerate(reads)),
    ]
    if not updates:
        numbered = [("=", x) for x in results] + [("", x) for x in reads]
        operands += [(f"${i}", way, x) for i, (way, x) in enumerate(numbered)]
    return AsmOperands(
        {name: _TYPES[x] for name, _, x in operands if x in _TYPES},
        {},
        (),
        {},
        {},
        tuple(AsmExpression(name, f"{way}{_LETTERS.get(x, 'r')}", "") for name, way, x in operands),
        None,
        {},
        has_all_expressions=True,
    )


def _read_constraints(text: str, start: int, end: int) -> AsmOperands | None:
    match = _CONSTRAINTS.match(text, start, end)
    return make_llvm_operands(match["text"]) if match else None


_READERS: dict[str, Callable[[str, int, int], AsmOperands | None]] = {
    "llvm.inline_asm": read_llvm_operands,
    "nvvm.inline_ptx": _read_operands,
    "tt.elementwise_inline_asm": _read_constraints,
}
_LETTERS = {"i16": "h", "i64": "l", "f32": "f", "f64": "d", "!llvm.ptr": "l"}


def _split_types(text: str) -> list[str]:
    return [x.strip() for x in text.split(",") if x.strip()]
