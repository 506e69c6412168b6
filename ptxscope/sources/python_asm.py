"""The asm of Python calls with LLVM's constraints: ``inline_asm_elementwise("…", "=r,r", …)``.

Triton takes such strings, and ``InlineAsm`` of llvmlite, with which Numba's intrinsics are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..engine.syntax.asm_operands import AsmOperands
from ..engine.syntax.source import Fragment
from .asm_arguments import make_llvm_operands

_PLACEHOLDER = re.compile(r"(?<![\w$])\$\d")
_CONSTRAINT = r"(?:=?&?\*?(?:[a-z]|\d{1,3}|\{\w{1,20}\})|~\{\w{1,20}\})"
_CONSTRAINTS = re.compile(rf"\s*+{_CONSTRAINT}(?:\s*,\s*{_CONSTRAINT}){{0,999}}\s*+", re.ASCII)
_BETWEEN = re.compile(
    r"(?:\"{3}|'{3}|[\"'])\s*+(?>\)\s*+|),(?>(?:\s++|\#[^\n]*+\n)*)"
    r"(?>(?P<name>\w++)\s*+=\s*+|)(?>\((?>(?:\s++|\#[^\n]*+\n)*)|)"
    r"[rRbBuU]?+(?:\"{3}|'{3}|[\"'])"
)
"""The source between a string and the next one, which is another argument."""
_FARTHEST = 200


class PythonString(NamedTuple):
    """A string of a Python source, with the operands of its asm."""

    fragment: Fragment
    operands: AsmOperands | None = None


def pair_constraints(text: str, fragments: Iterable[Fragment]) -> Iterator[PythonString]:
    """Yield the strings; those before, or after, a string of constraints are asm."""
    strings = list(fragments)
    for index, fragment in enumerate(strings):
        operands = None
        if _PLACEHOLDER.search(fragment.ptx):
            following = strings[index + 1 : index + 2]
            operands = _read_pair(text, fragment, following, "constraints")
            if operands is None and index:
                operands = _read_pair(text, strings[index - 1], [fragment], "asm", is_second=True)
        yield PythonString(fragment, operands)


def _read_pair(
    text: str, first: Fragment, following: Sequence[Fragment], name: str, *, is_second: bool = False
) -> AsmOperands | None:
    """Return the operands of constraints if two strings are arguments one after the other.

    The second one may have a keyword, which is ``name``.
    """
    if not following or not first.ptx or not following[0].ptx:
        return None
    (second,) = following
    start, end = first.find_origin(len(first.ptx) - 1, len(first.ptx))[1], second.origins[0]
    constraints = (first if is_second else second).ptx
    match = _BETWEEN.fullmatch(text, start, end) if end - start < _FARTHEST else None
    if match is None or match["name"] not in (None if not is_second else name, name):
        return None
    return make_llvm_operands(constraints) if _CONSTRAINTS.fullmatch(constraints) else None
