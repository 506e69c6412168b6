"""The operands of an ``asm!`` of Rust and of an ``asm`` of LLVM's language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..engine.syntax.asm_operands import AsmExpression, AsmOperands

_TYPES = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
_MAX_CHARS = 1 << 14
"""Maximum characters of a statement in which operands are read."""
_PARTS = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"?|[()\[\]{},;]|[^"()\[\]{},;]++', re.DOTALL)
_CLOSING = frozenset(")]}")


def _split_arguments(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the texts between commas, up to a closing parenthesis without an opening one."""
    depth, first = 0, start
    for part in _PARTS.finditer(text, start, min(end, start + _MAX_CHARS)):
        if part[0] in ("(", "[", "{"):
            depth += 1
        elif part[0] in _CLOSING and depth:
            depth -= 1
        elif not depth and part[0] in (",", ";", *_CLOSING):
            yield text[first : part.start()]
            first = part.end()
            if part[0] != ",":
                return


# --- Rust ---------------------------------------------------------------------------------

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
"""The class of an operand's registers: of PTX's it is `reg16`, `reg32` or `reg64`."""
_RUST_CONSTRAINTS = {"in": "r", "out": "=&r", "lateout": "=r", "inout": "+r", "inlateout": "+r"}
_RUST_LITERAL = re.compile(
    r"(?P<sign>-?)(?P<digits>0x[0-9a-fA-F_]++|0b[01_]++|0o[0-7_]++|[0-9][0-9_]*+)"
    r"(?>[iu](?:8|16|32|64|size)|)"
)


def read_rust_operands(text: str, start: int) -> tuple[AsmOperands, dict[str, str]]:
    """Return the operands after the strings of an ``asm!``, and its constants by placeholder.

    The text of a constant that is not a literal is empty.
    """
    end = text.find("asm!", start, start + _MAX_CHARS)
    end = len(text) if end < 0 else end
    types, literals, constants = dict[str, str](), dict[str, int](), dict[str, str]()
    expressions, clobbers = list[AsmExpression](), list[str]()
    number, is_complete = 0, True
    for argument in _split_arguments(text, start, end):
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
    operands = _make_operands(types, literals, expressions, is_complete)
    return operands._replace(is_braced=True, clobbers=tuple(clobbers)), constants


def _parse_rust_integer(text: str) -> int | None:
    match = _RUST_LITERAL.fullmatch(text) if len(text) < 66 else None
    if match is None:
        return None
    digits = match["digits"].replace("_", "")
    base = {"0x": 16, "0b": 2, "0o": 8}.get(digits[:2], 10)
    return int(digits, base) * (-1 if match["sign"] else 1)


def _make_operands(
    types: dict[str, str],
    literals: dict[str, int],
    expressions: list[AsmExpression],
    is_complete: bool,
) -> AsmOperands:
    """Return operands whose number may be unknown."""
    return AsmOperands(
        types,
        {},
        (),
        {},
        literals,
        tuple(expressions),
        None,
        {},
        has_all_expressions=is_complete,
    )


# --- LLVM ---------------------------------------------------------------------------------

_LLVM_CONSTRAINTS = re.compile(r'\s*+,?+\s*+"(?P<constraints>[^"]*+)"\s*+\(?+')
_LLVM_CONSTANTS = frozenset("in")
_LLVM_INTEGER = re.compile(r"\s*+i(?:16|32|64)\s++(?P<value>-?[0-9]{1,20})\s*+")


def read_llvm_operands(text: str, start: int, end: int) -> AsmOperands | None:
    """Return the operands after the text of an ``asm``: those of its constraints."""
    match = _LLVM_CONSTRAINTS.match(text, start, min(end, start + _MAX_CHARS))
    if match is None:
        return None
    return make_llvm_operands(match["constraints"], _split_arguments(text, match.end(), end))


def make_llvm_operands(constraints: str, arguments: Iterable[str] = ()) -> AsmOperands:
    """Return the operands of LLVM's constraints, ``"=r,r"``; ``arguments`` are those of inputs."""
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
    operands = _make_operands(types, literals, expressions, is_complete=True)
    return operands._replace(
        dollar_count=len(expressions), constants=constants, clobbers=tuple(clobbers)
    )
