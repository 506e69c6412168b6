"""Launches as users write them: shapes, threads, and arguments: numbers, and buffers for pointers.

``32,2``, ``5,0,0@1``; ``param0=0x7f``, ``1.5``, ``zeros:u32:64``, ``random:s16:100:7``,
``[1,2,3]:u8``; ``@a.npy`` and ``@a.bin:u32`` name files, which a function of the caller reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....engine.isa.types import Type
from ....engine.program.program import Program
from ....engine.program.variables import Variable
from ....engine.syntax.errors import PtxError, find_closest_spelling, quote_word
from ....engine.syntax.values import parse_integer, parse_value
from ....engine.tracing.operand_bits import check_argument
from .launch import LaunchShape, Shape
from .memory import check_memory

Buffer = npt.NDArray[Any]

_BITS = "ptxscope.bits"
"""The mark of a type whose elements are shown as bits."""
_DTYPES: dict[str, np.dtype[Any]] = {
    **{f"u{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"b{bits}": np.dtype(f"u{bits // 8}", metadata={_BITS: True}) for bits in (8, 16, 32, 64)},
    **{f"s{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
}
"""The array types of buffers by PTX type."""
_COUNTED = re.compile(r"(zeros|random):(\w+):([\d_]+)(?::(\d+))?")
_STRUCTURE = re.compile(r"\{([^{}]*)\}")
_FIELD = re.compile(r"(?:\[[^\[\]]*+\]|[^,\[])+")
_SCALAR = re.compile(r"([-+.\w]+)(?::(\w+))?")
_POINTER_FIELD = Variable("a field", "param", "u64", 8, 8)
LIST = re.compile(r"\[([^\[\]]*)\](?::(\w+))?")
"""A list of elements, and their type."""
_NUMBER = re.compile(r"[0-9]{1,10}")
_MAX_BYTES = 1 << 32
"""Maximum size of a buffer that a specification makes."""


POINTER_TYPES = ("u64", "b64", "s64")
"""The types of parameters that may be pointers."""


class ArgumentError(ValueError):
    """An argument that a parameter can't take."""


class FileArgument(NamedTuple):
    """A file whose contents are a buffer."""

    path: str
    type: str
    """The type of the elements of a file without one; empty if the file tells."""


class Structure(NamedTuple):
    """The bytes of a structure, and the buffers to which it points."""

    data: Buffer
    pointers: tuple[FieldBuffer, ...]


class FieldBuffer(NamedTuple):
    """A buffer to which a field points."""

    number: int
    """The position of the field among all."""
    offset: int
    """The bytes before the field."""
    array: Buffer


Argument = int | float | str | Buffer | Structure
"""The bits or the value of a scalar, a buffer for a pointer, or either as users write it."""
ReadFile = Callable[[FileArgument], Buffer]


def find_parameter(kernel: Program, name: str) -> int | None:
    """Return the position of a parameter by its name, or by ``param0``, or None."""
    names = [x.name for x in kernel.parameters]
    if name in names:
        return names.index(name)
    match = re.fullmatch(r"param(\d{1,4})", name)
    position = int(match[1]) if match else -1
    return position if 0 <= position < len(names) else None


def _get_position(kernel: Program, name: str) -> int:
    """Return the position of a parameter; raise ArgumentError, which lists all, for none."""
    position = find_parameter(kernel, name)
    if position is None:
        suggestion = find_closest_spelling(name, [x.name for x in kernel.parameters])
        meant = f"; did you mean {suggestion}?" if suggestion else ""
        raise ArgumentError(
            f"{name} is not a parameter of {kernel.name}{meant}; {_describe_parameters(kernel)}"
        )
    return position


def _describe_parameters(kernel: Program) -> str:
    """Return a list of the parameters: ``param0 = k_param_0 (.u64)``."""
    parts = [f"param{i} = {x.name} (.{x.type})" for i, x in enumerate(kernel.parameters)]
    return ", ".join(parts) or "it has none"


def get_buffer_dtype(type_: str) -> np.dtype[Any]:
    """Return the array type of a PTX type: ``s16``, ``f32``. Raise ArgumentError for others."""
    dtype = _DTYPES.get(type_)
    if dtype is None:
        raise ArgumentError(f"{quote_word(type_)} is not a type of buffers: {' '.join(_DTYPES)}")
    return dtype


def parse_argument(text: str, parameter: Variable) -> int | Buffer | FileArgument:
    """Parse an argument: the bits of a number, a buffer, or a file.

    ``random`` gives all integers alike, and floats from -1 to 1, the same for the same seed.
    Raise ArgumentError if the parameter can't take it.
    """
    word = text.strip()
    if word.startswith("@"):
        path, separator, type_ = word[1:].rpartition(":")
        if separator and type_ in _DTYPES:
            return FileArgument(path, type_)
        return FileArgument(word[1:], "")
    if match := _COUNTED.fullmatch(word):
        return _make_buffer(match)
    if word.startswith(("zeros", "random")):
        raise ArgumentError(f"{quote_word(word)} is not zeros:TYPE:COUNT or random:TYPE:COUNT:SEED")
    if match := LIST.fullmatch(word):
        return _parse_list(match[1], match[2])
    if word.startswith("["):
        raise ArgumentError(f"{quote_word(word)} is not a list: [1,2,3] or [1,2,3]:u8")
    if word.startswith("{"):
        raise _make_structure_error(word)
    if parameter.is_array:
        raise ArgumentError(
            f"{parameter.name} takes {parameter.bytes} bytes: a list, a file or {{…}}"
        )
    return _parse_bits(word, parameter.type)


def _parse_structure(text: str, parameter: Variable, read_file: ReadFile) -> Structure:
    """Return a structure of fields at the offsets that C gives them.

    A field is a buffer, to which it points, or a number, of 32 bits unless ``:u64`` follows it.
    Raise ArgumentError if the parameter has another size.
    """
    if not parameter.is_array:
        raise ArgumentError(f"a structure is not for a .{parameter.type}")
    fields = _FIELD.findall(text)
    if not fields or ",".join(fields) != text:
        raise _make_structure_error(f"{{{text}}}")
    data, pointers, alignment, places = b"", list[FieldBuffer](), 1, list[str]()
    for number, field in enumerate(fields):
        word, array = field.strip(), None
        if match := _SCALAR.fullmatch(word):
            type_ = match[2] or _find_number_type([match[1]])
            size = get_buffer_dtype(type_).itemsize
            bits = _parse_bits(match[1], type_)
        else:
            value = _read_text(word, _POINTER_FIELD, read_file)
            assert isinstance(value, np.ndarray)  # a number is a scalar
            array = _check_buffer(_POINTER_FIELD, value)
            type_, size, bits = "pointer", 8, 0
        offset = -(-len(data) // size) * size
        data = data.ljust(offset, b"\0") + bits.to_bytes(size, "little")
        if array is not None:
            pointers.append(FieldBuffer(number, offset, array))
        alignment = max(alignment, size)
        places.append(f"{type_} at {offset}")
    data = data.ljust(-(-len(data) // alignment) * alignment, b"\0")
    if len(data) != parameter.bytes:
        raise ArgumentError(
            f"the structure has {len(data)} bytes ({', '.join(places)}), the parameter "
            f"{parameter.bytes}; a type gives a number its size: 7:u64"
        )
    return Structure(np.frombuffer(data, np.uint8).copy(), tuple(pointers))


def _make_buffer(match: re.Match[str]) -> Buffer:
    dtype, count = get_buffer_dtype(match[2]), int(match[3])
    if not 0 < count * dtype.itemsize <= _MAX_BYTES:
        raise ArgumentError(f"a buffer has 1 byte to {_MAX_BYTES >> 30} GiB")
    try:
        check_memory(count * dtype.itemsize)
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    if match[1] == "zeros":
        if match[4]:
            raise ArgumentError("zeros takes no seed")
        return np.zeros(count, dtype)
    generator = np.random.default_rng(int(match[4] or 0))
    if dtype.kind == "f":
        return generator.uniform(-1, 1, count).astype(dtype)
    return np.frombuffer(generator.bytes(count * dtype.itemsize), dtype).copy()


def _parse_list(text: str, type_: str | None) -> Buffer:
    parts = [x.strip() for x in text.split(",")] if text.strip() else []
    if not parts:
        raise ArgumentError("an empty list cannot be a buffer")
    type_ = _find_number_type(parts) if type_ is None else type_
    dtype = get_buffer_dtype(type_)
    bits = [_parse_bits(x, type_) for x in parts]
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)


def _make_structure_error(word: str) -> ArgumentError:
    example = "{@table.bin:u32, [1,2,3], 5, 7:u64}"
    return ArgumentError(f"{quote_word(word)} is not a structure: {example}")


def _find_number_type(texts: Sequence[str]) -> str:
    """Return the type of numbers without any: ``u32``, ``s32`` or ``f32``."""
    if any(re.search(r"\.\d|\d\.|inf|nan", x) for x in texts):
        return "f32"
    return "s32" if any(x.startswith("-") for x in texts) else "u32"


def _parse_bits(word: str, type_: str) -> int:
    try:
        if type_ in list(Type):
            return parse_value(word, Type(type_))
        return parse_integer(word, 8 * get_buffer_dtype(type_).itemsize)
    except PtxError as error:
        raise make_argument_error(error) from None


def make_argument_error(error: PtxError) -> ArgumentError:
    """Return the error of a value that is not an operand of an instruction."""
    return ArgumentError(error.message.replace("the operand is `", "its type is `"))


def convert_bytes(data: bytes, type_: str) -> Buffer:
    """Return the contents of a file without a header as a buffer.

    Raise ArgumentError unless it has a whole number of elements.
    """
    dtype = get_buffer_dtype(type_)
    if not data or len(data) % dtype.itemsize:
        raise ArgumentError(f"{len(data)} bytes are not a whole number of .{type_} elements")
    return np.frombuffer(data, dtype).copy()


def has_bits(dtype: np.dtype[Any]) -> bool:
    """Return whether a buffer was declared as bits: ``zeros:b32:64``."""
    return bool(dtype.metadata and _BITS in dtype.metadata)


def format_dtype(dtype: np.dtype[Any]) -> str:
    """Return the PTX type of a buffer's elements: ``u32``."""
    kind = {"u": "u", "i": "s", "f": "f", "b": "b"}.get(dtype.kind, "b")
    kind = "b" if has_bits(dtype) else kind
    return f"{kind}{8 * dtype.itemsize}"


def read_arguments(
    kernel: Program, arguments: Mapping[str, Argument]
) -> list[int | Buffer | Structure]:
    """Return the bits or the buffer of each parameter. Raise ArgumentError for wrong ones."""
    values: dict[int, int | Buffer | Structure] = {}
    for name, argument in arguments.items():
        check_argument("a parameter", name, str, "its name")
        position = _get_position(kernel, name)
        if position in values:
            raise ArgumentError(f"{name} is given twice")
        parameter = kernel.parameters[position]
        try:
            values[position] = _read_argument(parameter, argument)
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}") from None
    missing = [i for i in range(len(kernel.parameters)) if i not in values]
    if missing:
        options = " ".join(f"param{i}=…" for i in missing)
        raise ArgumentError(f"{kernel.name} needs {options}: {_describe_parameters(kernel)}")
    return [values[i] for i in range(len(kernel.parameters))]


def _refuse_file(_: FileArgument) -> Buffer:
    raise ArgumentError("a file is read by the command line only; pass an array")


def _read_argument(parameter: Variable, argument: Argument) -> int | Buffer | Structure:
    if isinstance(argument, str):
        argument = _read_text(argument, parameter, _refuse_file)
    if isinstance(argument, Structure):
        return argument
    if isinstance(argument, np.ndarray) and argument.ndim:
        return _check_buffer(parameter, argument)
    if parameter.is_array:
        raise ArgumentError(f"it takes {parameter.bytes} bytes: an array")
    bits = 8 * parameter.bytes
    if isinstance(argument, (float, np.floating)) and parameter.type in ("f32", "f64", "f16"):
        array = np.array(argument, f"f{parameter.bytes}")
        return int.from_bytes(array.tobytes(), "little")
    try:
        number = int(argument)
    except (TypeError, ValueError):
        raise ArgumentError(f"{argument!r:.60} is neither a number nor an array") from None
    if not -(1 << bits - 1) <= number < 1 << bits or number != argument:
        raise ArgumentError(f"{argument!r:.60} does not fit in .{parameter.type}")
    return number & ((1 << bits) - 1)


def check_unmasked(array: Buffer) -> None:
    """Raise ArgumentError for a masked array: memory has no unknown elements at the start."""
    if isinstance(array, np.ma.MaskedArray):
        raise ArgumentError("a masked array cannot be a buffer; use array.filled(0)")


def check_elements(array: Buffer) -> Buffer:
    """Return an array as a buffer has it. Raise ArgumentError if its elements are not numbers."""
    check_unmasked(array)
    if array.dtype == bool:
        array = array.view(np.uint8)
    if array.dtype.kind not in "uif" or array.dtype.itemsize > 8:
        raise ArgumentError(f"arrays of {array.dtype} cannot be buffers")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_buffer(parameter: Variable, array: Buffer) -> Buffer:
    array = check_elements(array)
    if not array.size:
        raise ArgumentError("the array is empty")
    if parameter.is_array:
        if array.nbytes != parameter.bytes:
            raise ArgumentError(f"it takes {parameter.bytes} bytes; the array has {array.nbytes}")
    elif parameter.type not in POINTER_TYPES:
        raise ArgumentError(
            f"an array is for a pointer of 64 bits; the parameter is a .{parameter.type}"
        )
    return array


# --- shapes and threads


def parse_shape(option: str, text: str, default: int = 1) -> Shape:
    """Return the three numbers of ``32,2``, whose last ones may be omitted.

    Raise ArgumentError for another text.
    """
    parts = text.split(",")
    if len(parts) > 3 or not all(_NUMBER.fullmatch(x.strip()) for x in parts):
        raise ArgumentError(f"{option} is X[,Y[,Z]], not {text}")
    x, y, z = (*map(int, parts), default, default)[:3]
    return x, y, z


def parse_thread(text: str, shape: LaunchShape) -> int:
    """Return the number, of all threads of the grid, of ``5,0,0`` or ``5@1``, of block 1.

    Raise ArgumentError if none exists.
    """
    thread, _, block = text.partition("@")
    places = [parse_shape("--thread", x or "0", 0) for x in (thread, block)]
    for name, place, whole, limits in (
        ("thread", places[0], "a block", shape.block),
        ("block", places[1], "the grid", shape.grid),
    ):
        if any(x >= limit for x, limit in zip(place, limits, strict=True)):
            texts = [",".join(map(str, x)) for x in (place, limits)]
            raise ArgumentError(f"there is no {name} {texts[0]}; {whole} is {texts[1]}")
    return shape.find_thread_number(places[0], places[1])


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


def _read_text(text: str, parameter: Variable, read_file: ReadFile) -> int | Buffer | Structure:
    """Return an argument as users write it."""
    if match := _STRUCTURE.fullmatch(text.strip()):
        return _parse_structure(match[1], parameter, read_file)
    value = parse_argument(text, parameter)
    return check_elements(read_file(value)) if isinstance(value, FileArgument) else value


def _parse_value(
    kernel: Program, name: str, text: str, read_file: ReadFile
) -> int | Buffer | Structure:
    parameter = kernel.parameters[_get_position(kernel, name)]
    try:
        return _read_text(text, parameter, read_file)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None
