"""The memory of a launch, laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.program.program import Program
from ....engine.program.statement_operands import SymbolOperand
from ....engine.program.variables import Variable
from .device_code import DeviceCode
from .launch import LaunchShape, Wave
from .launch_text import Structure
from .memory import AddressSpace, check_memory
from .memory_regions import Region, get_window_start

Array = npt.NDArray[Any]


def get_word_bytes(variable: Variable) -> int:
    """Return the size of an element of a buffer: NumPy has none of 16 bytes."""
    return min(variable.element_bytes, 8)


class BoundBuffer(NamedTuple):
    """An array, and the region that holds its elements."""

    name: str
    position: int | None
    array: Array
    region: Region


class LaunchMemory:
    """The memory of a launch: arguments and variables at their addresses."""

    def __init__(
        self,
        code: DeviceCode,
        kernel: Program,
        shape: LaunchShape,
        values: Sequence[int | Array | Structure],
    ) -> None:
        """Lay out the buffers or the bits of each parameter, and all variables."""
        self.code, self.kernel, self.shape = code, kernel, shape
        self.spaces = {name: AddressSpace(name) for name in ("global", "const", "param")}
        self.symbols: dict[str, tuple[str, int]] = {}
        self.buffers: list[BoundBuffer] = []
        for position, value in enumerate(values):
            if isinstance(value, np.ndarray) and not kernel.parameters[position].is_array:
                self._add_buffer(f"param{position}", position, value)
            elif isinstance(value, Structure):
                for field in value.pointers:
                    self._add_field_buffer(f"param{position}.{field.number}", field.array)
        self._add_variables()
        self._add_parameters(values)
        for space in self.spaces.values():
            space.allocate()

    # --- layout

    @property
    def local_bytes(self) -> int:
        """The bytes of a thread's local memory, if each function is called from one place."""
        return sum(x.bytes for _, x in self._iter_variables() if x.space in ("local", "param"))

    @property
    def shared_bytes(self) -> int:
        """The bytes of a block's shared memory."""
        return self._lay_out_shared(AddressSpace("shared", 0)).size

    def _add_buffer(self, label: str, position: int, array: Array) -> None:
        data = np.ascontiguousarray(array)
        region = self.spaces["global"].add_region(label, data.nbytes, data.dtype.itemsize)
        name = self.kernel.parameters[position].name
        self.buffers.append(BoundBuffer(name, position, data, region))

    def _add_field_buffer(self, name: str, array: Array) -> None:
        data = np.ascontiguousarray(array)
        region = self.spaces["global"].add_region(name, data.nbytes, data.dtype.itemsize)
        self.buffers.append(BoundBuffer(name, None, data, region))

    def _iter_variables(self) -> Iterator[tuple[str, Variable]]:
        """Yield the variables outside of functions' frames, by their names in ``symbols``."""
        yield from self.code.variables.items()
        for function in self.code.functions.values():
            for name, variable in function.variables.items():
                yield f"{function.name}:{name}", variable

    def _add_variables(self) -> None:
        """Lay out the variables in global and constant memory, with their initial values."""
        regions: list[tuple[Variable, Region]] = []
        for name, variable in self._iter_variables():
            if variable.space in ("global", "const"):
                space = self.spaces[variable.space]
                alignment = max(variable.alignment, 16)
                region = space.add_region(
                    variable.name,
                    variable.bytes,
                    get_word_bytes(variable),
                    alignment,
                    is_read_only=variable.space == "const",
                )
                self.symbols[name] = (variable.space, region.start)
                regions.append((variable, region))
        self._lay_out_shared(AddressSpace("shared", 0))
        check_memory(self.spaces["global"].size)
        for x in self.buffers:
            self.spaces["global"].write_bytes(x.region, x.array.reshape(-1).view(np.uint8))
        for variable, region in regions:
            data, width = b"", variable.element_bytes
            if variable.values:
                data = b"".join(
                    self._resolve_initial_value(value).to_bytes(16, "little")[:width]
                    for value in variable.values
                )
                data = data[: variable.bytes]
                self.spaces[variable.space].write_bytes(region, data)
            if variable.space == "global":
                array = np.zeros(variable.bytes, np.uint8)
                array[: len(data)] = np.frombuffer(data, np.uint8)
                array = array.view(f"u{get_word_bytes(variable)}")
                self.buffers.append(BoundBuffer(variable.name, None, array, region))

    def _resolve_initial_value(self, value: int | SymbolOperand) -> int:
        """Return an initial element: a number, or the address of a variable or a function."""
        if isinstance(value, int):
            return value & ((1 << 64) - 1)
        names = list(self.code.functions)
        if value.name in self.symbols:
            space, offset = self.symbols[value.name]
            is_generic = value.is_generic or space == "global"
            start = get_window_start(space) if is_generic else 0
            return start + offset + value.offset
        return names.index(value.name) + 1 if value.name in names else 0

    def _lay_out_shared(self, space: AddressSpace) -> AddressSpace:
        """Add the shared variables to a space; external ones share the dynamic memory."""
        dynamic: list[str] = []
        alignment, element_bytes = 16, 1
        for name, variable in self._iter_variables():
            if variable.space == "shared" and not variable.bytes:
                dynamic.append(name)
                alignment = max(alignment, variable.alignment)
                element_bytes = element_bytes if len(dynamic) > 1 else variable.element_bytes
            elif variable.space == "shared":
                region = space.add_region(
                    variable.name,
                    variable.bytes,
                    variable.element_bytes,
                    max(variable.alignment, 16),
                    16,
                )
                self.symbols[name] = ("shared", region.start)
        if dynamic:
            size = self.shape.dynamic_shared_bytes
            label = dynamic[0].rpartition(":")[2]
            region = space.add_region(label, size, element_bytes, alignment, 16)
            self.symbols |= dict.fromkeys(dynamic, ("shared", region.start))
        return space

    def _add_parameters(self, values: Sequence[int | Array | Structure]) -> None:
        """Write the arguments to the places from which the kernel reads its parameters."""
        space = self.spaces["param"]
        buffers = {x.position: x.region for x in self.buffers if x.position is not None}
        starts = {x.name: get_window_start("global") + x.region.start for x in self.buffers}
        for position, (parameter, value) in enumerate(
            zip(self.kernel.parameters, values, strict=True)
        ):
            region = space.add_region(
                parameter.name,
                parameter.bytes,
                parameter.element_bytes,
                max(parameter.alignment, 16),
                is_read_only=True,
            )
            self.symbols[f"{self.kernel.name}:{parameter.name}"] = ("param", region.start)
            if position in buffers:
                value = get_window_start("global") + buffers[position].start
            if isinstance(value, int):
                space.write_bytes(region, value.to_bytes(parameter.bytes, "little"))
            elif isinstance(value, Structure):
                data = value.data.copy()
                for field in value.pointers:
                    address = starts[f"param{position}.{field.number}"].to_bytes(8, "little")
                    data[field.offset : field.offset + 8] = np.frombuffer(address, np.uint8)
                space.write_bytes(region, data)
            else:
                data = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
                space.write_bytes(region, data)

    def make_spaces(self, wave: Wave) -> dict[str, AddressSpace]:
        """Return the spaces for a wave: its own shared and local memory, and the others."""
        spaces = dict(self.spaces)
        shared = AddressSpace("shared", wave.slot_count, is_tracked=True)
        spaces["shared"] = self._lay_out_shared(shared)
        shared.allocate()
        shared.lines = np.zeros(shared.data.size, np.int32)
        spaces["local"] = AddressSpace("local", wave.lane_count, is_tracked=True)
        return spaces
