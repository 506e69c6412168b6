"""Launches as users write them: shapes, threads, arguments, expected elements.

``32,2``, ``5,0,0@1``, ``param0=@a.npy``, ``param2[3]=0x7f``. A function of the caller reads files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...diagnosis.observation import Observed, parse_observed
from ...engine.isa.types import Type
from ...engine.program.program import Program
from ...engine.program.variables import Variable
from ...engine.syntax.errors import PtxError
from .device_code import DeviceCode
from .expected_elements import read_elements
from .launch import LaunchShape, Shape
from .parameters import (
    Argument,
    ArgumentError,
    Buffer,
    FileArgument,
    check_elements,
    explain_unknown_parameter,
    find_parameter,
    make_argument_error,
    parse_argument,
)

_ELEMENT = re.compile(r"(.+?)\[(\d{1,12})\]")
_LIST = re.compile(r"\[([^\[\]]*)\](?::\w+)?")
"""A list of elements; the buffer has their type."""
_NUMBER = re.compile(r"[0-9]{1,10}")
ReadFile = Callable[[FileArgument], Buffer]


def parse_shape(option: str, text: str) -> Shape:
    """Return the three numbers of ``32,2``. Raise ArgumentError for another text."""
    return _parse_axes(option, text, 1)


def parse_thread(text: str, shape: LaunchShape) -> int:
    """Return the number, of all threads of the grid, of ``5,0,0`` or ``5@1``, of block 1.

    Raise ArgumentError if there is none.
    """
    thread, _, block = text.partition("@")
    places = [_parse_axes("--thread", x or "0", 0) for x in (thread, block)]
    for name, place, whole, limits in (
        ("thread", places[0], "a block", shape.block),
        ("block", places[1], "the grid", shape.grid),
    ):
        if any(x >= limit for x, limit in zip(place, limits, strict=True)):
            texts = [",".join(map(str, x)) for x in (place, limits)]
            raise ArgumentError(f"there is no {name} {texts[0]}; {whole} is {texts[1]}")
    return shape.find_thread_number(places[0], places[1])


def _parse_axes(option: str, text: str, default: int) -> Shape:
    """Return three numbers; the last ones may be omitted."""
    parts = text.split(",")
    if len(parts) > 3 or not all(_NUMBER.fullmatch(x.strip()) for x in parts):
        raise ArgumentError(f"{option} is X[,Y[,Z]], not {text}")
    x, y, z = (*map(int, parts), default, default)[:3]
    return x, y, z


def parse_values(kernel: Program, texts: Sequence[str], read_file: ReadFile) -> dict[str, Argument]:
    """Return the arguments of a kernel by name. Raise ArgumentError if one does not fit."""
    values: dict[str, Argument] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        name = name.strip()
        if not separator:
            raise ArgumentError(f"{text} is not name=value")
        if name in values:
            raise ArgumentError(f"{name} is given twice")
        values[name] = _parse_value(kernel, name, value, read_file)
    return values


def _parse_value(kernel: Program, name: str, text: str, read_file: ReadFile) -> int | Buffer:
    position = find_parameter(kernel, name)
    if position is None:
        raise ArgumentError(explain_unknown_parameter(kernel, name))
    try:
        value = parse_argument(text, kernel.parameters[position])
        return check_elements(read_file(value)) if isinstance(value, FileArgument) else value
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


class NamedBuffer(NamedTuple):
    """A buffer that can be saved or expected."""

    variable: Variable
    dtype: np.dtype[Any]
    """The type of its elements."""

    @property
    def name(self) -> str:
        """The name of the parameter or the variable."""
        return self.variable.name


def list_buffers(
    code: DeviceCode, kernel: Program, values: Mapping[str, Argument]
) -> dict[str, NamedBuffer]:
    """Return what can be saved or expected by each of its names: ``param0``, its name."""
    buffers = {
        x.name: NamedBuffer(x, np.dtype(f"u{x.word_bytes}"))
        for x in code.variables.values()
        if x.space == "global"
    }
    for name, value in values.items():
        position = find_parameter(kernel, name)
        if isinstance(value, np.ndarray) and position is not None:
            buffer = NamedBuffer(kernel.parameters[position], value.dtype)
            buffers[f"param{position}"] = buffers[buffer.name] = buffer
    return buffers


def get_buffer(buffers: Mapping[str, NamedBuffer], name: str) -> NamedBuffer:
    """Return the buffer of a name. Raise ArgumentError if there is none."""
    buffer = buffers.get(name)
    if buffer is None:
        names = [x for x in buffers if x not in {y.name for y in buffers.values()}]
        known = f"there are: {', '.join(names or buffers)}" if buffers else "no argument is one"
        raise ArgumentError(f"{name} is not a buffer here; {known}")
    return buffer


def parse_expectations(
    buffers: Mapping[str, NamedBuffer], texts: Sequence[str], read_file: ReadFile
) -> dict[str, dict[int, Observed]]:
    """Return what is expected by buffer and position.

    ``param2[3]=0x7f``, ``param2[3]=0x??01``, ``param2=[1,?,3]``, ``param2=@a.npy``; ``?`` stands
    for a digit or an element that is not known. Raise ArgumentError for another text.
    """
    expected: dict[str, dict[int, Observed]] = {}
    for text in texts:
        place, separator, value = text.partition("=")
        match = _ELEMENT.fullmatch(place.strip())
        name = match[1] if match else place.strip()
        if not separator:
            raise ArgumentError(f"--expect is NAME=… or NAME[INDEX]=…, not {text}")
        buffer, value = get_buffer(buffers, name), value.strip()
        elements = expected.setdefault(buffer.name, {})
        if match:
            elements[int(match[2])] = _parse_element(value, buffer.dtype)
        elif listed := _LIST.fullmatch(value):
            parts = listed[1].split(",")
            elements |= {i: _parse_element(x.strip(), buffer.dtype) for i, x in enumerate(parts)}
        else:
            elements |= _read_elements(name, value, buffer, read_file)
    return expected


def _read_elements(
    name: str, text: str, buffer: NamedBuffer, read_file: ReadFile
) -> dict[int, Observed]:
    """Return the elements of a file, or of what ``zeros`` makes, as the buffer would hold them."""
    array = parse_argument(text, buffer.variable)
    array = check_elements(read_file(array)) if isinstance(array, FileArgument) else array
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{name} is a buffer: expect a list, a file, or {name}[0]=…")
    try:
        return read_elements(array, buffer.dtype)
    except ValueError as error:
        raise ArgumentError(f"{name}: {error}") from None


def _parse_element(text: str, dtype: np.dtype[Any]) -> Observed:
    """Return the expected bits of an element: a number, or digits with ``?``."""
    kind = {"f": "f", "i": "s"}.get(dtype.kind, "u")
    try:
        return parse_observed(text, Type(f"{kind}{8 * dtype.itemsize}"))
    except PtxError as error:
        raise make_argument_error(error) from None
