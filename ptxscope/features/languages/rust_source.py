"""The PTX of a Rust source: each ``asm!`` with its operands, and strings with PTX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count

from ...engine.syntax.asm_operands import AsmExpression, AsmOperands
from ...engine.syntax.partial_ptx import PTX_STATEMENT
from ...engine.syntax.source import GAP, TextFragment, join_fragments, replace_copies
from ...sources.source_language import Block, Language
from .llvm_source import MAX_ASM_CHARS, split_arguments
from .python_source import decode_parts

_RUST = re.compile(
    r"""(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))
      | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#{0,16})")
      | (?P<string>(?>\bb|\bc|)"(?P<body>(?>(?:[^"\\]++|\\.)*))"?+)
      | '(?:\\[^\n']{1,12}'|[^\\'\n]')
      | (?P<asm>\basm!\s*+[({\[])
      | (?P<concat>\bconcat!\s*+[({\[])
      | (?P<repeat>\$\()
      | (?P<open>[({\[])
      | (?P<stop>[;)}\]=])""",
    re.VERBOSE | re.DOTALL,
)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(?P<name>\w*+)(?>:[^{}]*+|)\}", re.ASCII)


def read_rust_blocks(text: str) -> Iterator[Block]:
    """Yield the strings of a Rust source with PTX, and the lines of each ``asm!``."""
    unclosed = set[str]()
    lines: list[TextFragment] | None = None
    """Lines of the open ``asm!``, or None outside of one."""
    position = end_of_lines = 0
    depth = 0
    """The number of open brackets of a ``concat!``, or of a macro repetition in it."""
    glue_start = line_count = 0
    """The start of text outside strings that is not yet in the lines."""
    while token := _RUST.search(text, position):
        position = token.end()
        kind = token.lastgroup
        if kind == "asm":
            lines, depth = [], 0
        elif kind in ("concat", "repeat", "open"):
            if lines is not None and (depth or kind != "open"):
                if not depth:
                    glue_start = position if kind == "concat" else token.start()
                    line_count = len(lines)
                depth += 1
        elif kind == "stop" and lines is not None and depth:
            depth -= token[0] in ")]}"
            if not depth and len(lines) > line_count:  # else it repeats operands
                end_of_lines = position
                lines += _make_glue(text, glue_start, token.start())
                lines.append(("\n", token.start(), 1))
        elif kind == "stop" and lines is not None:
            if lines:
                operands, constants = read_rust_operands(text, end_of_lines)
                fragment = join_fragments(_name_operands(lines, constants))
                yield Block(fragment, Language.PTX, operands)
            lines = None
        parts = list[TextFragment]()
        if kind in ("raw", "hashes") and token["hashes"] not in unclosed:
            end = text.find(f'"{token["hashes"]}', position)
            if end < 0:
                unclosed.add(token["hashes"])
                continue
            parts = [(text[position:end], position, 0)]
            position = end + 1 + len(token["hashes"])
        elif token["body"] is not None:
            parts = list(decode_parts(text, *token.span("body")))
        if lines is not None and parts and depth:
            lines += [*_make_glue(text, glue_start, token.start()), *parts]
            glue_start = position
        elif lines is not None and parts:
            lines += [*parts, ("\n", token.start(), 1)]
            end_of_lines = position
        elif parts and PTX_STATEMENT.search((fragment := join_fragments(parts)).ptx):
            yield Block(fragment, Language.UNKNOWN)


def _make_glue(text: str, start: int, end: int) -> Iterator[TextFragment]:
    """Yield a gap for the text between two strings of a ``concat!``, unless it is a comma."""
    if text[start:end].strip(", \t\r\n"):
        yield GAP, start, end - start


def _name_operands(
    lines: list[TextFragment], constants: Mapping[str, str]
) -> Iterator[TextFragment]:
    """Yield the lines of an ``asm!`` with registers for placeholders: ``%a`` for ``{a}``.

    Known constants replace their placeholders; unknown ones become gaps.
    """
    numbers = count()

    def replace(mark: re.Match[str]) -> str:
        name = mark["name"]
        if name is None:
            return mark[0][0]
        name = name or str(next(numbers))
        return constants[name] or GAP if name in constants else f"%{name}"

    return replace_copies(lines, _PLACEHOLDER, replace)


# --- operands -----------------------------------------------------------------------------

_RUST_OPERAND = re.compile(
    r"""\s*+(?>(?P<name>[A-Za-z_]\w*+)\s*+=\s*+|)
    (?:(?P<way>in|out|lateout|inout|inlateout)\s*+\(\s*+reg(?P<width>16|32|64)\s*+\)
      |(?P<const>const)\b)
    \s*+(?P<expression>.*)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_RUST_SETTING = re.compile(r"\s*+(?>(?:options|clobber_abi)\s*+\([^()]*+\)\s*+|)")
_RUST_CLASS = re.compile(
    r"\s*+(?>\w++\s*+=\s*+|)(?:in|out|lateout|inout|inlateout)\s*+\(\s*+(?P<name>[\w\"]++)"
)
"""The class of an operand's registers: PTX has ``reg16``, ``reg32`` and ``reg64``."""
_RUST_CONSTRAINTS = {"in": "r", "out": "=&r", "lateout": "=r", "inout": "+r", "inlateout": "+r"}
_RUST_LITERAL = re.compile(
    r"(?P<sign>-?)(?P<digits>0x[0-9a-fA-F_]++|0b[01_]++|0o[0-7_]++|[0-9][0-9_]*+)"
    r"(?>[iu](?:8|16|32|64|size)|)"
)


def read_rust_operands(text: str, start: int) -> tuple[AsmOperands, dict[str, str]]:
    """Return the operands after the strings of an ``asm!``, and its constants by placeholder.

    A constant that is not a literal has an empty text.
    """
    end = text.find("asm!", start, start + MAX_ASM_CHARS)
    end = len(text) if end < 0 else end
    types, literals, constants = dict[str, str](), dict[str, int](), dict[str, str]()
    expressions, clobbers = list[AsmExpression](), list[str]()
    number, is_complete = 0, True
    for argument in split_arguments(text, start, end):
        match = _RUST_OPERAND.match(argument)
        if match is None:
            is_complete &= _RUST_SETTING.fullmatch(argument) is not None
            clobbers += [x["name"] for x in [_RUST_CLASS.match(argument)] if x]
            continue
        name = f"%{match['name'] or number}"
        number += 1
        literal = _parse_rust_integer(match["expression"].strip())
        if match["const"]:
            constants[name[1:]] = "" if literal is None else str(literal)
            continue
        types[name] = f"b{match['width']}"
        constraint, expression = _RUST_CONSTRAINTS[match["way"]], match["expression"]
        inner, arrow, outer = expression.partition("=>")
        if arrow and constraint == "+r":
            expressions.append(AsmExpression(name, "=r", outer))
            constraint, expression = "r", inner
            literal = _parse_rust_integer(inner.strip())
        expressions.append(AsmExpression(name, constraint, expression))
        if literal is not None and constraint == "r":
            literals[name] = literal & ((1 << int(match["width"])) - 1)
    operands = AsmOperands(
        types,
        literals=literals,
        expressions=tuple(expressions),
        is_braced=True,
        has_all_expressions=is_complete,
        clobbers=tuple(clobbers),
    )
    return operands, constants


def _parse_rust_integer(text: str) -> int | None:
    match = _RUST_LITERAL.fullmatch(text) if len(text) < 66 else None
    if match is None:
        return None
    digits = match["digits"].replace("_", "")
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2], 10)
    return int(digits, base) * (-1 if match["sign"] else 1)
