"""Random forms, instructions and operand values, for hypothesis."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from random import Random

from hypothesis import strategies as st

from ptxscope.engine.isa.catalog import CATALOG, ENTRIES, get_entry, list_shapes, pick_entry_form
from ptxscope.engine.isa.types import Form, Type
from ptxscope.engine.micro_operations import base
from ptxscope.engine.syntax.instruction import Guard, Instruction, Register

OPCODES = st.sampled_from(sorted(CATALOG))
SOURCE_ROLES = frozenset(x.role for entry in ENTRIES for x in entry.sources)
"""The roles that instructions read."""
_BITING: tuple[int, ...] = (0, 1, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF)
_BITING += (0x80000000, 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x007FFFFF)
_BITING += (0x80FF7F01, 0x01010101, 0x80008000, 0x7FFF7FFF, 0xFFFFFF7F, 0x00800000, 0x80000001)
_BITING += (2, 7, 31, 0x7FF0000000000000, 0xFFF8000000000000, 0x8000000000000000, 0xFFFFFFFFFFFFF)


def random_instruction(opcode: str, seed: int) -> Instruction:
    """A random legal form, of any shape, with registers d (or p, q), a, b, c."""
    rng = Random(seed)
    return instruction_of(pick_entry_form(rng.choice(list_shapes(opcode)), rng))


def instruction_of(form: Form) -> Instruction:
    """A form with registers d (or p, q), a, b, c."""
    sources_ = (x for x in get_entry(form).sources if not x.is_implicit)
    roles = [x.role for x in sources_ if x.role != "c" or form.c]
    sources = tuple(map(Register, roles))
    return Instruction(form, form.dst.names if form.dst else ("d",), sources)


INSTRUCTIONS = st.builds(random_instruction, OPCODES, st.integers(0, 2**48))


def bits(type_: Type) -> st.SearchStrategy[int]:
    """Bits of an operand: any, or such as bite."""
    top = (1 << type_.bits) - 1
    biting = sorted({value & top for value in _BITING})
    return st.integers(0, top) | st.sampled_from(biting)


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[Instruction, dict[str, int]]:
    """An instruction and a value for every register it reads."""
    ins = draw(INSTRUCTIONS)
    return ins, {needed.name: draw(bits(needed.type)) for needed in ins.inputs}


@st.composite
def guarded_evaluations(draw: st.DrawFn) -> tuple[Instruction, dict[str, int]]:
    """The same under a guard, half of them of ``set``, with the old values of destinations."""
    opcode = draw(st.just("set") | OPCODES)
    ins = random_instruction(opcode, draw(st.integers(0, 2**48)))
    ins = replace(ins, guard=Guard("g", negated=draw(st.booleans())))
    return ins, {needed.name: draw(bits(needed.type)) for needed in ins.inputs}


FAMILIES = tuple(
    f"ptxscope.engine.semantics.{x}_lowering" for x in ("comparison", "integer", "video")
)
"""The modules that load every kind of micro-operation."""


def _iter_kinds(kind: type[base.MicroOperation]) -> Iterator[type[base.MicroOperation]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _iter_kinds(subclass)


for _family in FAMILIES:
    import_module(_family)
KINDS = frozenset(
    kind
    for kind in _iter_kinds(base.MicroOperation)
    if kind.run is not base.MicroOperation.run
    and vars(sys.modules[kind.__module__]).get(kind.__name__) is kind
    and kind.__module__.startswith("ptxscope.")
    and kind is not base.Copy
)
"""The micro-operations of which plans consist."""
