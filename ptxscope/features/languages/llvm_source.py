"""The PTX of inline assembly in LLVM's language, in MLIR and in Julia.

Julia's ``@asmcall`` and MLIR's ``llvm.inline_asm`` have LLVM's constraints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import pairwise

from ...engine.syntax.asm_operands import AsmExpression, AsmOperands, fill_constants
from ...engine.syntax.source import (
    GAP,
    TextFragment,
    decode_escape,
    join_fragments,
    replace_copies,
    replace_matches,
    with_gaps,
)
from ...sources.source_language import LLVM_ASM, Block, Language

_TYPES = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
MAX_ASM_CHARS = 1 << 14
"""Maximum characters of a statement to search for operands."""
_PARTS = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"?|[()\[\]{},;]|[^"()\[\]{},;]++', re.DOTALL)
_CLOSING = frozenset(")]}")


def split_arguments(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the texts between commas, up to an unmatched closing parenthesis."""
    depth, first = 0, start
    for part in _PARTS.finditer(text, start, min(end, start + MAX_ASM_CHARS)):
        if part[0] in ("(", "[", "{"):
            depth += 1
        elif part[0] in _CLOSING and depth:
            depth -= 1
        elif not depth and part[0] in (",", ";", *_CLOSING):
            yield text[first : part.start()]
            first = part.end()
            if part[0] != ",":
                return


# --- LLVM ---------------------------------------------------------------------------------

_LLVM_CONSTRAINTS = re.compile(r'\s*+,?+\s*+"(?P<constraints>[^"]*+)"\s*+\(?+')
_LLVM_CONSTANTS = frozenset("in")
_LLVM_INTEGER = re.compile(r"\s*+i(?:16|32|64)\s++(?P<value>-?[0-9]{1,20})\s*+")


def read_llvm_operands(text: str, start: int, end: int) -> AsmOperands | None:
    """Return the operands after the text of an ``asm``, by its constraints."""
    match = _LLVM_CONSTRAINTS.match(text, start, min(end, start + MAX_ASM_CHARS))
    if match is None:
        return None
    return make_llvm_operands(match["constraints"], split_arguments(text, match.end(), end))


def make_llvm_operands(constraints: str, arguments: Iterable[str] = ()) -> AsmOperands:
    """Return the operands of LLVM constraints, ``"=r,r"``; ``arguments`` are the inputs."""
    arguments = iter([*arguments])
    types, literals, constants = dict[str, str](), dict[str, int](), dict[str, str]()
    expressions, clobbers = list[AsmExpression](), list[str]()
    for number, constraint in enumerate(constraints.split(",")):
        if constraint.startswith("~"):
            clobbers.append(constraint.strip("~{} "))
            continue
        name, kind = f"${number}", constraint.strip("=&*")
        is_output = constraint.startswith("=") and "*" not in constraint
        argument = "" if is_output else next(arguments, "")
        expressions.append(AsmExpression(name, constraint, argument))
        if kind in _LLVM_CONSTANTS:
            literal = _LLVM_INTEGER.fullmatch(argument)
            constants[name] = literal["value"] if literal else ""
        if kind not in _TYPES:
            continue
        types[name] = _TYPES[kind]
        literal = _LLVM_INTEGER.fullmatch(argument)
        if literal and not is_output and kind in ("h", "r", "l"):
            literals[name] = int(literal["value"]) & ((1 << int(types[name][1:])) - 1)
    return AsmOperands(
        types,
        constants=constants,
        literals=literals,
        expressions=tuple(expressions),
        has_all_expressions=True,
        dollar_count=len(expressions),
        clobbers=tuple(clobbers),
    )


_LLVM_ESCAPE = re.compile(
    r"\\(?P<code>[0-9a-fA-F]{2})|\\\\|\$(?P<dollar>\$)|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}"
)
"""``\\0A`` for a character, ``$$`` for ``$``, ``${0:x}`` for the operand ``$0``."""


def read_llvm_blocks(text: str, gaps: Set[int] = frozenset()) -> Iterator[Block]:
    """Yield the PTX of each LLVM ``asm "…"``; ``gaps`` are the gaps of the text."""
    for match, following in pairwise([*LLVM_ASM.finditer(text), None]):
        assert match
        span = match.span("body")
        fragment = join_fragments(replace_matches(text, _LLVM_ESCAPE, _decode_llvm_mark, *span))
        end = following.start() if following else len(text)
        operands = read_llvm_operands(text, match.end(), end)
        fragment = with_gaps(fragment, gaps)
        if operands:
            fragment = fill_constants(fragment, operands.constants)
        yield Block(fragment, Language.PTX, operands)


def _decode_llvm_mark(mark: re.Match[str]) -> str:
    if mark["code"]:
        return chr(int(mark["code"], 16))
    return f"${mark['number']}" if mark["number"] else mark[0][-1]


# --- MLIR: `llvm.inline_asm`, `nvvm.inline_ptx`, `tt.elementwise_inline_asm` ---------------

_MLIR_STRING = r'"(?P<body>(?>(?:[^"\\\n]++|\\.)*))"'
_MLIR_ASM = re.compile(
    r"(?P<comment>//[^\n]*+)"
    r"|\b(?P<name>llvm\.inline_asm|nvvm\.inline_ptx|tt\.elementwise_inline_asm)\b"
    r"[^\"]{0,300}+" + _MLIR_STRING
)
_MLIR_MARK = re.compile(
    r"\\(?P<code>[0-9a-fA-F]{2})|\\(?P<escape>.)|\$(?P<dollar>\$)"
    r"|\{\$(?P<operand>(?:rw|r|w)\d{1,9}+)\}|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}"
)
"""``\\0A`` for a character, ``$$`` for ``$``, ``{$r0}`` and ``${0:x}`` for operands."""
_MLIR_ESCAPES = {"n": "\n", "t": "\t"}
_INLINE_PTX_ARGUMENTS = re.compile(
    r"\b(?P<way>ro|rw)\s*+\((?P<names>[^():]*+):(?P<types>(?>(?:[^()]|\([^()]{0,99}+\)){0,999}))\)"
    r"|->\s*+(?:\((?P<results>(?>(?:[^()]|\([^()]{0,99}+\)){0,999}))\)|(?P<result>[!\w.]++(?><[^<>]*+>|)))"
)
_MLIR_END = re.compile(r"\b(?:llvm\.inline_asm|nvvm\.inline_ptx)\b|[=}]")
_TRITON_CONSTRAINTS = re.compile(
    r"\s*+\{[^{}\"]{0,300}?\bconstraints\s*+=\s*+\"(?P<text>[^\"]*+)\""
)
"""The constraints of Triton's ``tt.elementwise_inline_asm``."""
_MLIR_TYPES = {
    "i16": "b16",
    "i32": "b32",
    "i64": "b64",
    "f32": "f32",
    "f64": "f64",
    "!llvm.ptr": "b64",
}
"""The types of registers by MLIR's types; a pointer to shared memory may be narrower."""


def read_mlir_blocks(text: str) -> Iterator[Block]:
    """Yield the PTX of each operation with inline assembly."""
    matches = [x for x in _MLIR_ASM.finditer(text) if x["name"]]
    for match, following in pairwise([*matches, None]):
        assert match
        parts = replace_matches(text, _MLIR_MARK, _decode_mlir_mark, *match.span("body"))
        fragment = join_fragments(parts)
        end = min(following.start() if following else len(text), match.end() + MAX_ASM_CHARS)
        yield Block(fragment, Language.PTX, _READERS[match["name"]](text, match.end(), end))


def _decode_mlir_mark(mark: re.Match[str]) -> str:
    if name := mark["operand"] or mark["number"]:
        return f"${name}"
    if mark["code"]:
        return chr(int(mark["code"], 16))
    return _MLIR_ESCAPES.get(mark[0][-1], mark[0][-1])


def _read_inline_ptx(text: str, start: int, end: int) -> AsmOperands:
    """Return the operands of an ``nvvm.inline_ptx``, by both of their names.

    The numbers ``$0``, ``$1`` begin with the results; they are unknown if operands are both read
    and written.
    """
    stop = _MLIR_END.search(text, start, end)
    types = dict[str, list[str]]()
    for match in _INLINE_PTX_ARGUMENTS.finditer(text, start, stop.start() if stop else end):
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
        {name: _MLIR_TYPES[x] for name, _, x in operands if x in _MLIR_TYPES},
        expressions=tuple(
            AsmExpression(name, f"{way}{_MLIR_LETTERS.get(type_, 'r')}", "")
            for name, way, type_ in operands
        ),
        has_all_expressions=True,
    )


def _read_constraints(text: str, start: int, end: int) -> AsmOperands | None:
    match = _TRITON_CONSTRAINTS.match(text, start, end)
    return make_llvm_operands(match["text"]) if match else None


_READERS: dict[str, Callable[[str, int, int], AsmOperands | None]] = {
    "llvm.inline_asm": read_llvm_operands,
    "nvvm.inline_ptx": _read_inline_ptx,
    "tt.elementwise_inline_asm": _read_constraints,
}
_MLIR_LETTERS = {"i16": "h", "i64": "l", "f32": "f", "f64": "d", "!llvm.ptr": "l"}


def _split_types(text: str) -> list[str]:
    return [x.strip() for x in text.split(",") if x.strip()]


# --- Julia --------------------------------------------------------------------------------

_JULIA_TOKEN = re.compile(
    r"""(?P<comment>\#=.*?(?:=\#|\Z)|\#[^\n]*+)
      | (?P<char>(?<![\w)\]}'])'(?:\\[^\n']{1,10}+|[^\\'\n])')
      | (?>(?P<asm>@asmcall\b\s*+\(?+\s*+)|)(?>(?P<prefix>\b[A-Za-z_]\w*+)|)
        (?:\"{3}(?P<long>(?>(?:[^\\"]++|\\.|"(?!""))*))(?>\"{3}|)
          |"(?P<short>(?>(?:[^\\"]++|\\.)*))"?+)""",
    re.VERBOSE | re.DOTALL,
)
_JULIA_PART = re.compile(
    r"\\(?P<escape>x[0-9a-fA-F]{1,2}|[0-7]{1,3}|\r?\n|.)"
    r"|\$(?P<field>[A-Za-z_]\w*+|\((?>(?:[^()]{1,99}+|\([^()]{0,99}+\)){0,9})\))|(?P<dollar>\$\$)",
    re.DOTALL,
)
"""An escape, or an interpolated value."""
_JULIA_MARK = re.compile(r"\$(?P<dollar>\$)|\$\{(?P<number>\d{1,9}+)(?>:\w++|)\}")
_JULIA_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}


def read_julia_blocks(text: str) -> Iterator[Block]:
    """Yield the PTX of each ``@asmcall``, and other strings as text of an unknown kind."""
    tokens = [
        token
        for token in _JULIA_TOKEN.finditer(text)
        if token["long"] is not None or token["short"] is not None
    ]
    following_start = len(text)
    limits = list[int]()
    for token in reversed(tokens):
        limits.append(following_start)
        following_start = token.start() if token["asm"] is not None else following_start
    for token, limit in zip(tokens, reversed(limits), strict=True):
        kind = "long" if token["long"] is not None else "short"
        start, end = token.span(kind)
        is_raw = token["prefix"] == "raw"
        if token["asm"] is not None:
            parts = _decode_julia_string(text, start, end, is_raw=is_raw)
            fragment = join_fragments(_decode_marks(parts))
            operands = read_llvm_operands(text, token.end(), limit)
            yield Block(fragment, Language.PTX, operands)
        else:
            yield Block(
                join_fragments(_decode_julia_string(text, start, end, is_raw=is_raw)),
                Language.UNKNOWN,
            )


def _decode_julia_string(
    text: str, start: int, end: int, *, is_raw: bool
) -> Iterator[TextFragment]:
    if is_raw:
        yield text[start:end], start, 0
    else:
        yield from replace_matches(text, _JULIA_PART, _decode_julia_part, start, end)


def _decode_julia_part(part: re.Match[str]) -> str | None:
    code = part["escape"]
    if code is None:
        return GAP if part["field"] else None
    decoded = decode_escape(code, _JULIA_ESCAPES)
    return code if decoded is None else decoded


def _decode_marks(parts: Iterator[TextFragment]) -> Iterator[TextFragment]:
    """Yield the pieces with LLVM's ``$$`` and ``${0:x}`` decoded."""
    waiting: TextFragment | None = None
    for part in parts:
        text, origin, width = part
        if waiting and text[:1] == "$" and width:
            yield "$", waiting[1], origin + width - waiting[1]
            waiting = None
            continue
        if waiting:
            yield _without_backslash(waiting)
        waiting = part if text == "$" and width else None
        if not waiting:
            yield from replace_copies([part], _JULIA_MARK, lambda x: f"${x['number'] or ''}")
    if waiting:
        yield _without_backslash(waiting)


def _without_backslash(dollar: TextFragment) -> TextFragment:
    text, origin, width = dollar
    return text, origin + width - 1, 0
