"""The expected elements of a run's buffers, and the elements that differ from them.

Users write ``param2[3]=0x7f``, ``param2=[1,?,3]`` or ``param2=@a.npy``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....diagnosis.observation import Observed, make_observed, parse_observed
from ....engine.isa.types import Type
from ....engine.program.program import Program
from ....engine.program.variables import Variable
from ....engine.syntax.errors import PtxError
from ....engine.tracing.operand_bits import abbreviate_value, check_argument, convert_to_integer
from .conflicts import Mask
from .device_code import DeviceCode
from .launch_memory import get_word_bytes
from .launch_text import (
    LIST,
    Argument,
    ArgumentError,
    FileArgument,
    ReadFile,
    Structure,
    check_elements,
    check_unmasked,
    find_parameter,
    make_argument_error,
    parse_argument,
)

if TYPE_CHECKING:
    from .kernel_run import KernelBuffer, KernelRun

_ELEMENT = re.compile(r"(.+?)\[(\d{1,12})\]")
_WORD = (1 << 64) - 1
Expectations = Mapping[str, Mapping[int, Observed]]
"""The expected bits of elements by buffer and position."""
ExpectedBuffer = npt.NDArray[Any] | Mapping[int, int | Observed]
"""All elements of a buffer, or the bits of some by their positions."""


class ExpectedElements(Mapping[int, Observed]):
    """The expected bits of some elements of a buffer by position, as columns: they may be many."""

    def __init__(
        self, indices: npt.NDArray[np.int64], bits: npt.NDArray[Any], known_masks: npt.NDArray[Any]
    ) -> None:
        self.indices, self.bits, self.known_masks = indices, bits, known_masks

    @classmethod
    def collect(cls, elements: Mapping[int, Observed]) -> ExpectedElements:
        """Return the elements of a mapping, in its order."""
        if isinstance(elements, cls):
            return elements
        columns = [[x & _WORD for x in y] for y in zip(*elements.values(), strict=True)] or [[], []]
        bits, known_masks = (np.array(x, np.uint64) for x in columns)
        return cls(np.array(list(elements), np.int64), bits, known_masks)

    @cached_property
    def _positions(self) -> Mapping[int, int]:
        return {index: i for i, index in enumerate(self.indices.tolist())}

    def __getitem__(self, index: int) -> Observed:
        i = self._positions[index]
        return Observed(int(self.bits[i]), int(self.known_masks[i]))

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices.tolist())

    def __len__(self) -> int:
        return len(self.indices)

    def narrow(self, dtype: np.dtype[Any]) -> ExpectedElements:
        """Return the bits that elements of a type have; its unsigned integers hold them."""
        unsigned = np.dtype(f"u{dtype.itemsize}")
        columns = (x.astype(unsigned) for x in (self.bits, self.known_masks))
        return ExpectedElements(self.indices, *columns)

    def select(self, is_chosen: Mask) -> ExpectedElements:
        """Return the chosen elements."""
        columns = (x[is_chosen] for x in (self.indices, self.bits, self.known_masks))
        return ExpectedElements(*columns)

    def match(self, words: npt.NDArray[Any]) -> Mask:
        """Return which words, one for each element, have the bits that are expected."""
        matches: Mask = (words ^ self.bits) & self.known_masks == 0
        return matches

    def find_right(self, buffer: KernelBuffer) -> Mask:
        """Return which elements of a buffer after a run are known and as expected."""
        matches = self.match(buffer.words[self.indices])
        return matches if buffer.causes is None else matches & (buffer.causes[self.indices] == 0)


def read_elements(expected: ExpectedBuffer, dtype: np.dtype[Any]) -> ExpectedElements:
    """Return the expected bits of elements of a type, of at most 64, by position.

    Raise ValueError if an array has a number that the type lacks.
    """
    check_argument(
        "what is expected", expected, (np.ndarray, Mapping), "an array, or {position: bits}"
    )
    if isinstance(expected, np.ndarray):
        check_unmasked(expected)
        words = convert_numbers(expected, dtype).view(f"u{dtype.itemsize}")
        bits = words.astype(np.uint64)
        return ExpectedElements(np.arange(words.size), bits, np.full_like(bits, _WORD))
    if isinstance(expected, ExpectedElements):
        return expected
    return ExpectedElements.collect(
        {
            index: bits if isinstance(bits, Observed) else make_observed(_get_bits(bits), 64)
            for index, bits in expected.items()
        }
    )


def _get_bits(value: object) -> int:
    bits = convert_to_integer(value)
    if bits is None:
        raise TypeError(f"an expected element is {abbreviate_value(value)}; pass its bits")
    return bits


def convert_numbers(array: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the numbers of an array as a buffer of another type would hold them.

    An integer type takes negative and unsigned numbers. Raise ValueError for a number that does not
    fit.
    """
    numbers = array.reshape(-1)
    if dtype.kind in "iu" and numbers.size:
        width = 8 * dtype.itemsize
        fits = (numbers >= -(1 << width - 1)) & (numbers < 1 << width)
        if numbers.dtype.kind == "f":
            fits &= numbers == np.rint(numbers)
        if not fits.all():
            raise ValueError(f"{numbers[~fits][0]} is not an integer of {width} bits")
        if dtype.kind == "i" and numbers.dtype.kind != "i":
            dtype = np.dtype(f"u{dtype.itemsize}")
    return numbers.astype(dtype)


def check_positions(name: str, count: int, elements: ExpectedElements) -> None:
    """Raise ValueError if a buffer of some elements has no such element."""
    outside = elements.indices[elements.indices >= count]
    if outside.size:
        noun = "element" if count == 1 else "elements"
        raise ValueError(f"{name} has {count:,} {noun}, none at {outside[0]}")


def find_differences(
    result: KernelRun, name: str, elements: Mapping[int, Observed]
) -> ExpectedElements:
    """Return the expected bits of the elements that are not as expected.

    Raise ValueError if the buffer has no such element.
    """
    buffer = result.get_buffer(name)
    wanted = ExpectedElements.collect(elements)
    check_positions(name, buffer.data.size, wanted)
    wanted = wanted.narrow(buffer.data.dtype)
    return wanted.select(~wanted.find_right(buffer) & (wanted.known_masks != 0))


# --- expected elements as users write them


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
    """Return the buffers that can be saved or expected, by ``param0``, … and by name."""
    buffers = {
        variable.name: NamedBuffer(variable, np.dtype(f"u{get_word_bytes(variable)}"))
        for variable in code.variables.values()
        if variable.space == "global"
    }
    for name, value in values.items():
        position = find_parameter(kernel, name)
        if isinstance(value, np.ndarray) and position is not None:
            buffer = NamedBuffer(kernel.parameters[position], value.dtype)
            buffers[f"param{position}"] = buffers[buffer.name] = buffer
        elif isinstance(value, Structure) and position is not None:
            for field in value.pointers:
                pointer = Variable(f"param{position}.{field.number}", "param", "u64", 8, 8)
                buffers[pointer.name] = NamedBuffer(pointer, field.array.dtype)
    return buffers


def get_buffer(buffers: Mapping[str, NamedBuffer], name: str) -> NamedBuffer:
    """Return the buffer of a name. Raise ArgumentError if none exists."""
    buffer = buffers.get(name)
    if buffer is None:
        names = [x for x in buffers if x not in {y.name for y in buffers.values()}]
        alternatives = (
            f"there are: {', '.join(names or buffers)}" if buffers else "no argument is one"
        )
        raise ArgumentError(f"{name} is not a buffer here; {alternatives}")
    return buffer


def parse_expectations(
    buffers: Mapping[str, NamedBuffer], texts: Sequence[str], read_file: ReadFile
) -> dict[str, ExpectedElements]:
    """Return the expected bits by buffer and position.

    ``param2[3]=0x7f``, ``param2[3]=0x??01``, ``param2=[1,?,3]``, ``param2=@a.npy``; ``?`` stands
    for a digit or an element that is not known. Raise ArgumentError for another text.
    """
    expected: dict[str, Mapping[int, Observed]] = {}
    for text in texts:
        place, separator, value = text.partition("=")
        match = _ELEMENT.fullmatch(place.strip())
        name = match[1] if match else place.strip()
        if not separator:
            raise ArgumentError(f"--expect is NAME=… or NAME[INDEX]=…, not {text}")
        if name.startswith("%"):
            raise ArgumentError(f"{name} is a register: --watch shows it; --expect takes buffers")
        buffer, value = get_buffer(buffers, name), value.strip()
        elements: Mapping[int, Observed]
        if match:
            elements = {int(match[2]): _parse_element(value, buffer.dtype)}
        elif listed := LIST.fullmatch(value):
            parts = listed[1].split(",")
            elements = {i: _parse_element(x.strip(), buffer.dtype) for i, x in enumerate(parts)}
        else:
            elements = _read_elements(name, value, buffer, read_file)
        earlier = expected.get(buffer.name)
        expected[buffer.name] = {**earlier, **elements} if earlier else elements
    return {name: ExpectedElements.collect(x) for name, x in expected.items()}


def _read_elements(
    name: str, text: str, buffer: NamedBuffer, read_file: ReadFile
) -> ExpectedElements:
    """Return the elements of a file, or of ``zeros``, as the buffer would hold them."""
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
