"""Pairs and triples of statements from the catalog, of which the second reads the first's result.

An assembler may compile each statement correctly, but not two that it combines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from ...engine.isa.catalog import CATALOG
from ...engine.isa.types import Cmp, Destinations, Form, PermuteMode, ProductWord, Type
from ...engine.semantics.models import ISA_MODEL
from ...engine.semantics.plan import Plan
from ...engine.syntax.errors import PtxError
from ...engine.syntax.instruction import Immediate, Instruction, Register, make_instruction
from ...engine.syntax.parser import parse
from ...engine.tracing.evaluation import make_model_plan
from .form_verdict import iter_forms

_VIDEO = ("Scalar video", "SIMD video")
_SELDOM = ("div", "rem", "fns", "addc", "subc", "madc")
"""Opcodes that become calls or branches, which are not interpreted, and those that read a carry."""
_LITERALS = (0, 255)
_SELECTORS = (0x8888, 0x9910, 0x4321, 0x5410)
_TABLES = (0x96, 0xE8)
"""The literals of operands, the selectors of ``prmt`` and the tables of ``lop3`` that are tried."""
_COMPARISONS = (Cmp.LT, Cmp.EQ)
_RESULT, _LAST_RESULT = "t", "d"
IsSupported = Callable[[Instruction], bool]
"""Says whether an assembler has an instruction."""


@dataclass(frozen=True)
class _Statement:
    """A statement without the names of its result and of what it reads from another one."""

    instruction: Instruction
    has_literal: bool

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - the statements of a process are few
    def format(self, result: str, index: int | None = None, read: str = "") -> str:
        """Return it with a result, and with a source that is the result of another statement."""
        ins = self.instruction
        sources = [Register(read) if i == index else x for i, x in enumerate(ins.sources)]
        return str(replace(ins, destinations=(result,), sources=tuple(sources)))

    @cached_property
    def result_type(self) -> Type:
        """The type of the register of the result."""
        ins = self.instruction
        return _widen(ins.get_written_type(next(iter(ins.results))))

    @cache  # noqa: B019
    def list_places(self, type_: Type) -> list[int]:
        """Return the indexes of the sources that can be a register of a type."""
        can_be_wider = self.instruction.entry.can_have_wider_registers
        return [
            index
            for index, _, own in self.list_registers()
            if own.bits == type_.bits or (can_be_wider and type_.bits > own.bits > 1)
        ]

    @cache  # noqa: B019
    def list_registers(self) -> list[tuple[int, str, Type]]:
        """Return the index, the name and the type of each source that is a register."""
        ins = self.instruction
        return [
            (index, source.name, _widen(ins.get_written_type(role)))
            for index, (role, source) in enumerate(zip(ins.roles, ins.sources, strict=False))
            if isinstance(source, Register)
        ]


def _widen(type_: Type) -> Type:
    return Type.B16 if type_.bits == 8 else type_


@cache
def _list_statements(opcode: str) -> tuple[_Statement, ...]:
    """Return the statements of an opcode: each meaning once, in registers and with one literal."""
    meanings: dict[object, Instruction] = {}
    for form in iter_forms(opcode):
        if _is_taken(form):
            ins = make_instruction(form)
            meanings.setdefault(_get_meaning(make_model_plan(ins, ISA_MODEL)), ins)
    found = (x for ins in meanings.values() for x in _iter_variants(ins))
    return tuple(x for x in found if _is_legal(x.instruction))


def _get_meaning(plan: Plan) -> object:
    """Return what is equal for forms that compute the same: the types of operands by width."""
    sources, results = ([(x.role, x.type.bits) for x in y] for y in (plan.sources, plan.results))
    return tuple(sources), plan.rows, tuple(results)


def _is_taken(form: Form) -> bool:
    """Whether a form is of integers, and has nothing that few programs write."""
    types = (form.dtype, form.atype, form.btype, form.stype, form.ctype)
    optional = (form.boolop, form.secop, form.dsel, form.mask, form.asel, form.bsel, form.scale)
    return (
        not any(x and x.lane_type.is_float for x in types)
        and not any(x is not None for x in optional)
        and not (form.ftz or form.cc or form.pack)
        and form.cmp in (None, *_COMPARISONS)
        and not (form.cmp is Cmp.EQ and form.stype and form.stype.name[0] != "B")
        and not (form.cmp and form.dtype is Type.S32)
        and form.byte_pair in (None, ProductWord.LO)
        and form.lut in (None, *_TABLES)
        and form.dst in (None, Destinations.P)
        and form.permute_mode in (None, PermuteMode.RC8)
    )


def _iter_variants(ins: Instruction) -> Iterator[_Statement]:
    """Yield an instruction in registers that are named by role and width, and with literals."""
    sources = [
        Register(f"{role}{_widen(ins.get_written_type(role)).bits}")
        for role, _ in zip(ins.roles, ins.sources, strict=False)
    ]
    named = replace(ins, sources=tuple(sources))
    yield _Statement(named, has_literal=False)
    for index, role in enumerate(list(ins.roles)[: len(sources)]):
        is_selector = ins.opcode == "prmt" and not ins.form.permute_mode and role == "c"
        for number in _SELECTORS if is_selector else _LITERALS:
            bits = ins.type_of(role).bits
            if bits > 1 and len(sources) > 1:
                text = hex(number) if number > 1 else str(number)
                changed: list[Register | Immediate] = [*sources]
                changed[index] = Immediate(number & (1 << bits) - 1, text)
                # a selector is no literal that makes another statement of it
                yield _Statement(replace(ins, sources=tuple(changed)), has_literal=not is_selector)


def _is_legal(ins: Instruction) -> bool:
    try:
        parse(str(ins))
    except PtxError:
        return False
    return True


def _list_opcodes(opcodes: Sequence[str]) -> list[str]:
    """Return the opcodes that are named, and those that are always taken."""
    return [
        opcode
        for opcode, entry in CATALOG.items()
        if opcode in opcodes or (entry.group not in _VIDEO and opcode not in _SELDOM)
    ]


def list_pairs(opcodes: Sequence[str], is_supported: IsSupported) -> list[str]:
    """Return the texts of pairs of statements that have one of some opcodes; of all without any.

    One of the two at most has a literal.
    """
    statements = [
        x for opcode in _list_opcodes(opcodes) for x in _list_supported(opcode, is_supported)
    ]
    pairs = (
        (first, second, place)
        for first in statements
        for second in statements
        if not opcodes or {first.instruction.opcode, second.instruction.opcode} & {*opcodes}
        if not (first.has_literal and second.has_literal)
        for place in second.list_places(first.result_type)
    )
    return [_write([(first, "", None), (second, _RESULT, place)]) for first, second, place in pairs]


def list_triples(opcodes: Sequence[str], is_supported: IsSupported) -> list[str]:
    """Return the texts of triples of statements of some opcodes, in registers.

    Each reads the result of the statement before it.
    """
    statements = [
        x
        for opcode in dict.fromkeys(opcodes)
        for x in _list_supported(opcode, is_supported)
        if not x.has_literal
    ]
    return [
        _write([(first, "", None), (second, _RESULT, i), (third, f"{_RESULT}2", j)])
        for first in statements
        for second in statements
        for i in second.list_places(first.result_type)
        for third in statements
        for j in third.list_places(second.result_type)
    ]


def _list_supported(opcode: str, is_supported: IsSupported) -> list[_Statement]:
    return [x for x in _list_statements(opcode) if is_supported(x.instruction)]


def _write(chain: Sequence[tuple[_Statement, str, int | None]]) -> str:
    """Return statements with the declarations of their registers.

    Each has the register of the statement before it, and the index of the source that reads this.
    """
    types: dict[str, Type] = {}
    lines = list[str]()
    for position, (statement, read, index) in enumerate(chain):
        is_last = position == len(chain) - 1
        result = _LAST_RESULT if is_last else f"{_RESULT}{position + 1 if position else ''}"
        lines.append(statement.format(result, index, read))
        for place, name, type_ in statement.list_registers():
            if place != index:
                types.setdefault(name, type_)
        types[result] = statement.result_type
    return f"{' '.join(_format_declarations(types))} {' '.join(lines)}"


def _format_declarations(types: dict[str, Type]) -> Iterator[str]:
    by_width: dict[str, list[str]] = {}
    for name, type_ in types.items():
        width = "pred" if type_ is Type.PRED else f"b{type_.bits}"
        by_width.setdefault(width, []).append(name)
    return (f".reg .{width} {', '.join(names)};" for width, names in by_width.items())


def strip_declarations(text: str) -> str:
    """Return the statements of a pair without the declarations before them."""
    parts: Iterable[str] = (x.strip() for x in text.split(";"))
    return "; ".join(x for x in parts if x and not x.startswith(".reg"))
