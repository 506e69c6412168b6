"""The buffers whose elements are signed or floats, as the source or the statements tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import RegisterOperand, VectorOperand
from ...engine.syntax.opcodes import VALUE_PLACES
from ..kernels.launches.float_operations import WIDE_TYPES
from .file_kernel import FileKernel
from .kernel_memory import RootAccess

_SENSITIVE = frozenset("cvt div mad max min mul rem set setp shr slct".split())
"""The opcodes for which the sign may matter."""
_INDIFFERENT = frozenset(("eq", "ne", "lo"))
"""Modifiers with which it does not."""
_SIGNED_TYPE = re.compile(r"s(?:8|16|32|64)")
_SIGNED_C = re.compile(r"\b(?:signed|(?:char|short|int|long|longlong)[1-4]?|int\d+_t)\b")
_UNSIGNED_C = re.compile(r"\bunsigned\b")
_FLOAT_C = re.compile(r"\b(?:float|double)[234]?\b")


def find_float_buffers(
    sources: Sequence[FileKernel], accesses: Sequence[Sequence[RootAccess]]
) -> frozenset[str]:
    """Return the names of buffers with elements of ``.f32`` or ``.f64`` in one of the kernels."""
    found = set[str]()
    for source, own in zip(sources, accesses, strict=True):
        declared = _map_declarations(source)
        found |= {name for name, x in declared.items() if _FLOAT_C.search(x)}
        found |= {x.root.name for x in own if WIDE_TYPES & {*x.statement.modifiers[-1:]}}
    return frozenset(found)


def find_signed_buffers(
    sources: Sequence[FileKernel], accesses: Sequence[Sequence[RootAccess]]
) -> frozenset[str]:
    """Return the names of buffers with signed elements; ``accesses`` are those of each kernel."""
    found = set[str]()
    for source, own in zip(sources, accesses, strict=True):
        declared = _map_declarations(source)
        programs = [source.kernel, *(x for x in source.code.functions.values() if not x.is_kernel)]
        signed = {*_iter_signed_registers(programs)}
        for x in own:
            name = x.root.name
            if name in declared:
                is_signed = _is_signed_pointer(declared[name])
            else:
                is_signed = _has_signed_type(x.statement) or bool(
                    signed & {*_iter_values(x.statement)}
                )
            if is_signed:
                found.add(name)
    return frozenset(found)


def _map_declarations(source: FileKernel) -> dict[str, str]:
    """Return the declarations of parameters in a CUDA source, by the names of buffers."""
    return {f"param{i}": x for i, x in enumerate(source.declarations)}


def _is_signed_pointer(declaration: str) -> bool:
    """Whether a parameter of a CUDA source points to signed integers."""
    return not _UNSIGNED_C.search(declaration) and bool(_SIGNED_C.search(declaration))


def _has_signed_type(statement: Statement) -> bool:
    return bool(statement.modifiers and _SIGNED_TYPE.fullmatch(statement.modifiers[-1]))


def _iter_values(statement: Statement) -> Iterator[tuple[str, bool]]:
    """Yield the registers that a load or a store exchanges, and whether it is a load."""
    value = statement.operands[VALUE_PLACES[statement.opcode]]
    for x in value.parts if isinstance(value, VectorOperand) else (value,):
        if isinstance(x, RegisterOperand):
            yield x.name, not VALUE_PLACES[statement.opcode]


def _iter_signed_registers(programs: Iterable[Program]) -> Iterator[tuple[str, bool]]:
    """Yield the registers with signed numbers, and whether a statement reads them."""
    for program in programs:
        for statement in program.statements:
            modifiers = statement.modifiers
            if statement.opcode not in _SENSITIVE or _INDIFFERENT & {*modifiers}:
                continue
            for i, x in enumerate(statement.operands):
                place = -2 if statement.opcode == "cvt" and not i else -1
                is_signed = len(modifiers) >= -place and _SIGNED_TYPE.fullmatch(modifiers[place])
                if isinstance(x, RegisterOperand) and is_signed:
                    yield x.name, bool(i)
