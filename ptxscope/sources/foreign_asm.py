"""Whether the text of an asm statement is PTX or the assembly of another machine.

It is decided for the whole statement: by its constraints and clobbers, by its opcodes with their
modifiers, by registers of other machines, and by whether its lines end with ``;``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..engine.isa.other_opcodes import WITHOUT_MODIFIERS
from ..engine.syntax.asm_operands import AsmOperands
from ..engine.syntax.opcodes import ALL_OPCODES, DISTINCT_OPCODES, TYPES, make_alternation
from ..engine.syntax.source import GAP, remove_comments

_TYPE = re.compile(rf"\.(?:{make_alternation(TYPES)})(?![\w.])")
_STATEMENT = re.compile(
    r"(?:\A|[;\n{}])[ \t]*(?:[\w$%]+:[ \t]*)?(?:@[ \t]*(?:![ \t]*)?[\w$%]+[ \t]+)?"
    r"(?P<opcode>[A-Za-z_]\w*)(?P<modifiers>(?:\.[\w:]+)*)(?P<operands>[^;\n{}]*)"
)
"""The beginning of a line or of a statement."""
_DECLARATION = re.compile(r"(?<![\w.$%])\.reg\s")
_ARM_OPERAND = re.compile(r"(?<![\w.$%])[qds]\d{1,2}(?![\w$])|#-?\w", re.IGNORECASE)
_OPERAND_MODIFIER = re.compile(r"%[a-z]\d")
_MODIFIER = re.compile(r"\.(?:[a-z0-9:_]{3,}|cc|lo|hi|r[nzmp]|[dfx]\d|eq|ne|[lg][te])(?![\w:])")
"""A modifier that may be PTX's: those of other machines are often shorter."""
_LETTERS = frozenset("hrlqfdnCibcN")
"""The constraints of nvcc, and others of LLVM's NVPTX."""
_CLOBBERS = frozenset(("memory", "cc"))
"""The things that nvcc lets a statement change."""


def is_foreign(ptx: str, operands: AsmOperands) -> bool:
    """Return whether an asm statement is that of another machine."""
    likely, unlikely = _count_statements(ptx)
    if likely is None:
        return False
    if has_foreign_operands(operands):
        return True
    return unlikely > likely or (unlikely > 0 and ";" not in ptx)


def is_certain(ptx: str, operands: AsmOperands) -> bool:
    """Return whether an asm statement can only be PTX."""
    likely, unlikely = _count_statements(ptx)
    return likely is None or (not has_foreign_operands(operands) and likely > unlikely)


@lru_cache(maxsize=1 << 8)
def _count_statements(ptx: str) -> tuple[int | None, int]:
    """Return how many statements may be PTX, and how many are not; None for those with ``.reg``."""
    text = remove_comments(ptx)
    if _DECLARATION.search(text):
        return None, 0
    likely = unlikely = 0
    for match in _STATEMENT.finditer(text):
        opcode, modifiers, operand_text = match.group("opcode", "modifiers", "operands")
        has_arm_operand = _ARM_OPERAND.search(operand_text)
        if not modifiers and (opcode in WITHOUT_MODIFIERS or opcode in DISTINCT_OPCODES):
            unlikely += bool(has_arm_operand or _OPERAND_MODIFIER.search(operand_text))
            continue
        if GAP in match[0]:
            continue
        has_type = _TYPE.search(modifiers) or _TYPE.search(operand_text)
        has_name = opcode in ALL_OPCODES and _MODIFIER.search(modifiers)
        is_likely = (has_name or has_type) and not has_arm_operand
        likely, unlikely = likely + bool(is_likely), unlikely + (not is_likely)
    return likely, unlikely


def has_foreign_operands(operands: AsmOperands) -> bool:
    """Return whether a constraint or a clobber of an asm statement is none of PTX."""
    kinds = (x.constraint.strip("=+&%* ") for x in operands.expressions)
    return not _CLOBBERS.issuperset(operands.clobbers) or any(
        not kind.isdecimal() and not _LETTERS.issuperset(kind) for kind in kinds
    )
