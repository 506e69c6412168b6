"""Loads and stores of all threads of a group (PTX ISA 9.7.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.statement import Statement
from ....engine.program.statement_operands import (
    TYPE_BITS,
    ConstantOperand,
    MemoryOperand,
    Operand,
    RegisterOperand,
    VectorOperand,
)
from .fidelity import Causes
from .memory import AddressSpace, Bits, Elements, join_bytes
from .memory_regions import SPACES, Access, AccessError, Numbers, get_window_start, split_addresses
from .thread_state import (
    CallFrame,
    Step,
    ThreadGroup,
    ThreadValues,
    UnmodelledError,
    get_operands,
    require,
    write_lanes,
    write_values,
)

_ALL = slice(None)
"""The positions of all requested threads."""
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}
SHARED_SPACES = frozenset(("global", "shared"))
"""The spaces in which several threads can write to one place."""


_ORDERS = frozenset(("volatile", "relaxed", "acquire", "release", "mmio"))
"""The modifiers of accesses by which threads may communicate without a barrier."""


class MemoryForm(NamedTuple):
    """The space, type and number of the elements that a statement accesses."""

    space: str
    """Empty for generic addresses."""
    type: str
    element_count: int

    @property
    def width(self) -> int:
        """The bytes of an element."""
        return TYPE_BITS[self.type] // 8


def parse_memory_form(statement: Statement) -> MemoryForm:
    """Return the access of a load, a store or an atomic operation.

    Raise UnmodelledError for other types.
    """
    names = [name.partition("::")[0] for name in statement.modifiers]
    space = next((x for x in names if x in SPACES), "")
    type_ = next((x for x in reversed(names) if x in TYPE_BITS), "")
    count = next((_VECTORS[x] for x in names if x in _VECTORS), 1)
    if TYPE_BITS.get(type_, 0) not in (8, 16, 32, 64) or count * TYPE_BITS[type_] > 256:
        raise UnmodelledError
    return MemoryForm(space, type_, count)


class Target(NamedTuple):
    """The places that some threads access, in one space."""

    space: AddressSpace
    access: Access
    instances: Numbers | None
    positions: npt.NDArray[np.int64] | slice
    """The positions of these threads among the requested ones."""


class Address:
    """The address operand of a statement, in a frame."""

    def __init__(self, frame: CallFrame, operand: Operand | None, form: MemoryForm) -> None:
        """Raise UnmodelledError if the operand is no address, or the address of an unknown name."""
        if not isinstance(operand, MemoryOperand):
            raise UnmodelledError
        self.state, self.form = frame.state, form
        self.space, self.offset = form.space, operand.offset
        self.distance: Bits | None = None
        """The offset that is added to a register, as wide as it; the sum has no more bits."""
        self.base: ThreadValues | None = None
        """None for a variable, whose offset is ``offset``."""
        base = operand.base
        if isinstance(base, RegisterOperand):
            self.base = frame.get_register(base.name)
            if operand.offset:
                mask = (1 << 8 * self.base.bits.dtype.itemsize) - 1
                self.distance = self.base.bits.dtype.type(operand.offset & mask)
            self.offset = 0
            if self.space == "param" and not frame.function.is_kernel:
                self.space = "local"
        elif isinstance(base, ConstantOperand):
            self.offset += int(base.value)
        else:
            self.space, start = require(frame.find_symbol(base.name))
            self.offset += start + base.offset
            return
        if self.space == "global":  # whose addresses are generic
            self.offset -= get_window_start("global")

    def find_causes(self, group: ThreadGroup) -> Causes | None:
        """Return the reasons why addresses are unknown, for each thread; None if all are known."""
        if self.base is None or self.base.causes is None:
            return None
        causes = self.base.causes[group.lanes]
        return causes if causes.any() else None

    def find_known(self, group: ThreadGroup) -> ThreadGroup | None:
        """Return the threads of a group whose addresses are known, or None."""
        causes = self.base.causes if self.base else None
        return group if causes is None else group.narrow(causes == 0)

    def iter_targets(self, lanes: Numbers) -> Iterator[Target]:
        """Yield the places for some lanes, by space; raise AccessError outside of all spaces."""
        if self.base is None:
            addresses = np.full(len(lanes), self.offset)
        else:
            base = self.base.bits[lanes]
            addresses = base if self.distance is None else base + self.distance
            is_wide = addresses.dtype.itemsize == 8
            addresses = addresses.view(np.int64) if is_wide else addresses.astype(np.int64)
            if self.offset:
                addresses += self.offset
        if self.space:
            yield self._make_target(self.space, lanes, addresses, _ALL)
            return
        for space, mask in split_addresses(addresses).items():
            positions = np.flatnonzero(mask)
            if space is None:
                first = int(addresses[positions[0]])
                total = self.form.width * self.form.element_count
                raise AccessError(
                    lanes[positions],
                    f"{total} bytes at address {first & (1 << 64) - 1:#x}, "
                    "where there is no buffer",
                )
            is_whole = len(positions) == len(lanes)
            part = _ALL if is_whole else positions
            offsets = addresses[part] - get_window_start(space)
            yield self._make_target(space, lanes[part], offsets, part)

    def _make_target(
        self,
        space: str,
        lanes: Numbers,
        offsets: Numbers,
        positions: npt.NDArray[np.int64] | slice,
    ) -> Target:
        access = Access(lanes, offsets, self.form.width, self.form.element_count)
        instances = self.state.instances.get(space)
        return Target(self.state.spaces[space], access, instances, positions)


def _get_parts(operand: Operand | None, form: MemoryForm) -> tuple[Operand | None, ...]:
    parts = operand.parts if isinstance(operand, VectorOperand) else (operand,)
    if len(parts) != form.element_count:
        raise UnmodelledError
    return parts


def make_load(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``ld`` or ``ldu``."""
    form = parse_memory_form(statement)
    destination, source = get_operands(statement, 2)
    address = Address(frame, source, form)
    registers = [frame.get_part(x) for x in _get_parts(destination, form)]
    if address.base is None and address.space == "param":
        return _make_parameter_load(frame, address, registers)
    state, is_weak = frame.state, not _ORDERS & set(statement.modifiers)
    accessors = state.accessors

    def load(group: ThreadGroup) -> None:
        lanes = group.lanes
        causes = address.find_causes(group)
        if causes is not None:
            for register in registers:
                if register:
                    write_lanes(register, Elements(register.bits[lanes], causes), group)
            known_group = address.find_known(group)
            if known_group is None:
                return
            group, lanes = known_group, known_group.lanes
        try:
            targets = list(address.iter_targets(lanes))
            if len(targets) == 1:
                elements = targets[0].space.load(targets[0].access, targets[0].instances)
            else:
                elements = _load_several(targets, form, len(lanes))
        except AccessError as error:
            state.fail(statement, error.lanes, f"reads {error}")
        for target in targets if is_weak and accessors.finds_conflicts else ():
            if target.space.name in SHARED_SPACES:
                conflict = target.space.note_reads(
                    target.access, target.instances, accessors, statement.line
                )
                state.note_conflict(statement, conflict)
        for register, x in zip(registers, elements, strict=True):
            if register:
                write_lanes(register, _extend_elements(x, form.type, register), group)

    return load


def _load_several(targets: list[Target], form: MemoryForm, count: int) -> list[Elements]:
    values: list[Bits] = [np.zeros(count, f"u{form.width}") for _ in range(form.element_count)]
    causes = [np.zeros((count, form.width), np.uint64) for _ in values]
    for target in targets:
        parts = target.space.load(target.access, target.instances)
        for bits, byte_causes, part in zip(values, causes, parts, strict=True):
            bits[target.positions] = part.bits
            byte_causes[target.positions] = part.list_byte_causes()
    return [join_bytes(*x) for x in zip(values, causes, strict=True)]


def _extend_elements(x: Elements, type_: str, register: ThreadValues) -> Elements:
    """Return elements as wide as a register; an unknown sign makes all its copies unknown."""
    unknown = None if x.unknown is None else extend(x.unknown, type_, register)
    return Elements(extend(x.bits, type_, register), x.causes, unknown)


def _make_parameter_load(
    frame: CallFrame, address: Address, registers: list[ThreadValues | None]
) -> Step:
    state, form = frame.state, address.form
    space = state.spaces["param"]
    access = Access(
        np.zeros(1, np.int64), np.array([address.offset]), form.width, form.element_count
    )
    try:
        elements = space.load(access, None)
    except AccessError:
        raise UnmodelledError from None
    loaded = [
        register
        and state.get_constant(int(extend(part.bits, form.type, register)[0]), register.bits.dtype)
        for part, register in zip(elements, registers, strict=True)
    ]

    def load(group: ThreadGroup) -> None:
        for register, constant in zip(registers, loaded, strict=True):
            if register and constant:
                write_values(register, constant.bits, group, None)

    return load


def extend(bits: Bits, type_: str, register: ThreadValues) -> Bits:
    """Return elements as wide as a register, sign-extended if their type is signed."""
    dtype = register.bits.dtype
    if type_.startswith("s") and bits.dtype.itemsize < dtype.itemsize:
        signed: Bits = bits.view(f"i{bits.dtype.itemsize}").astype(f"i{dtype.itemsize}")
        return signed.view(dtype)
    return bits.astype(dtype, copy=False)


def make_store(frame: CallFrame, statement: Statement) -> Step:
    """Return the step of ``st``, but not of ``st.async``."""
    form = parse_memory_form(statement)
    destination, source = get_operands(statement, 2, is_exact=True)
    address = Address(frame, destination, form)
    values = [frame.get_source(x, form.type) for x in _get_parts(source, form)]
    state, dtype = frame.state, np.dtype(f"u{form.width}")

    def store(group: ThreadGroup) -> None:
        if address.find_causes(group) is not None:
            known_group = address.find_known(group)
            known_count = known_group.count if known_group else 0
            state.fidelity.note_decision(
                statement, "the address of a store", group.count - known_count
            )
            if known_group is None:
                return
            group = known_group
        lanes = group.lanes
        elements = [x.gather(lanes, dtype) for x in values]
        try:
            for target in address.iter_targets(lanes):
                positions = target.positions
                is_common = target.space.name in SHARED_SPACES
                conflict = target.space.store(
                    target.access,
                    target.instances,
                    elements if positions is _ALL else [x.select(positions) for x in elements],
                    state.accessors if is_common else None,
                )
                state.note_conflict(statement, conflict)
                target.space.note_line(target.access, target.instances, statement.line)
        except AccessError as error:
            state.fail(statement, error.lanes, f"writes {error}")

    return store


def gather_lane_causes(values: list[ThreadValues], lanes: Numbers) -> Causes | None:
    """Return the causes of some lanes; None if all are known."""
    causes: Causes | None = None
    for x in values:
        if x.causes is not None:
            causes = x.causes[lanes] if causes is None else causes | x.causes[lanes]
    return causes if causes is not None and causes.any() else None
