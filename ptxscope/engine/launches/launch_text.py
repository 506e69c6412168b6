"""Launches as users write them: shapes, threads, arguments, expected elements.

``32,2``, ``5,0,0@1``, ``param0=@a.npy``, ``param2[3]=0x7f``. A function of the caller reads files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..syntax.errors import PtxError
from ..syntax.values import parse_integer
from .device_code import DeviceCode, Function, Variable
from .launch import LaunchShape, Shape
from .parameters import (
    Argument,
    ArgumentError,
    Buffer,
    FileArgument,
    explain_unknown_parameter,
    find_parameter,
    parse_argument,
)

_ELEMENT = re.compile(r"(.+?)\[(\d{1,12})\]")
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
    for name, place, limits in (
        ("thread", places[0], shape.block),
        ("block", places[1], shape.grid),
    ):
        if any(x >= limit for x, limit in zip(place, limits, strict=True)):
            texts = [",".join(map(str, x)) for x in (place, limits)]
            raise ArgumentError(f"there is no {name} {texts[0]}; there are {texts[1]}")
    return shape.find_thread_number(places[0], places[1])


def _parse_axes(option: str, text: str, default: int) -> Shape:
    """Return three numbers; the last ones may be omitted."""
    parts = text.split(",")
    if len(parts) > 3 or not all(_NUMBER.fullmatch(x.strip()) for x in parts):
        raise ArgumentError(f"{option} is X[,Y[,Z]], not {text}")
    x, y, z = (*map(int, parts), default, default)[:3]
    return x, y, z


def parse_values(
    kernel: Function, texts: Sequence[str], read_file: ReadFile
) -> dict[str, Argument]:
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


def _parse_value(kernel: Function, name: str, text: str, read_file: ReadFile) -> int | Buffer:
    position = find_parameter(kernel, name)
    if position is None:
        raise ArgumentError(explain_unknown_parameter(kernel, name))
    try:
        value = parse_argument(text, kernel.parameters[position])
        return read_file(value) if isinstance(value, FileArgument) else value
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


def list_buffers(
    code: DeviceCode, kernel: Function, values: Mapping[str, Argument]
) -> dict[str, Variable]:
    """Return what can be saved or expected by each of its names: ``param0``, its name."""
    buffers = {x.name: x for x in code.variables.values() if x.space == "global"}
    for name, value in values.items():
        position = find_parameter(kernel, name)
        if isinstance(value, np.ndarray) and position is not None:
            parameter = kernel.parameters[position]
            buffers[f"param{position}"] = buffers[parameter.name] = parameter
    return buffers


def get_buffer(buffers: Mapping[str, Variable], name: str) -> Variable:
    """Return the buffer of a name. Raise ArgumentError if there is none."""
    buffer = buffers.get(name)
    if buffer is None:
        raise ArgumentError(f"{name} is not a buffer here; there are: {', '.join(buffers)}")
    return buffer


def parse_expectations(
    buffers: Mapping[str, Variable], texts: Sequence[str], read_file: ReadFile
) -> dict[str, dict[int, int]]:
    """Return the expected bits of ``param2[3]=0x7f`` or ``param2=@a.npy``, by name and position.

    Raise ArgumentError for another text.
    """
    expected: dict[str, dict[int, int]] = {}
    for text in texts:
        place, separator, value = text.partition("=")
        match = _ELEMENT.fullmatch(place.strip())
        name = match[1] if match else place.strip()
        if not separator:
            raise ArgumentError(f"--expect is NAME=… or NAME[INDEX]=…, not {text}")
        buffer = get_buffer(buffers, name)
        elements = expected.setdefault(buffer.name, {})
        if match:
            elements[int(match[2])] = _parse_element(value)
            continue
        array = parse_argument(value, buffer)
        array = read_file(array) if isinstance(array, FileArgument) else array
        if not isinstance(array, np.ndarray):
            raise ArgumentError(f"{name} is a buffer: expect a list, a file, or {name}[0]=…")
        words = array.reshape(-1).view(f"u{array.dtype.itemsize}").tolist()
        elements |= dict(enumerate(words))
    return expected


def _parse_element(text: str) -> int:
    try:
        return parse_integer(text, 64)
    except PtxError as error:
        raise ArgumentError(error.message) from None
