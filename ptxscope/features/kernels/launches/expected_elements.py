"""The expected elements of a run's buffers, and the elements that differ from them.

Users write ``param2[3]=0x7f``, ``param2=[1,?,3]`` or ``param2=@a.npy``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
from .fidelity import NEVER_WRITTEN
from .launch_memory import BoundBuffer, get_word_bytes
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
from .memory import AddressSpace

if TYPE_CHECKING:
    from .kernel_run import KernelRun

_ELEMENT = re.compile(r"(.+?)\[(\d{1,12})\]")
Expectations = Mapping[str, Mapping[int, Observed]]
"""The expected bits of elements by buffer and position."""
ExpectedBuffer = npt.NDArray[Any] | Mapping[int, int | Observed]
"""All elements of a buffer, or the bits of some by their positions."""


def read_elements(expected: ExpectedBuffer, dtype: np.dtype[Any]) -> dict[int, Observed]:
    """Return the expected bits of elements of a type, of at most 64, by position.

    Raise ValueError if an array has a number that the type lacks.
    """
    check_argument(
        "what is expected", expected, (np.ndarray, Mapping), "an array, or {position: bits}"
    )
    if isinstance(expected, np.ndarray):
        check_unmasked(expected)
        array = convert_numbers(expected, dtype)
        expected = dict(enumerate(array.view(f"u{dtype.itemsize}").tolist()))
    return {
        index: bits if isinstance(bits, Observed) else make_observed(_get_bits(bits), 64)
        for index, bits in expected.items()
    }


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


def narrow(observed: Observed, width: int) -> Observed:
    """Return the expected bits of an element of a width."""
    mask = (1 << width) - 1
    return Observed(observed.bits & mask, observed.known_mask & mask)


def check_position(name: str, count: int, index: int) -> None:
    """Raise ValueError if a buffer has no element at an index."""
    if index >= count:
        noun = "element" if count == 1 else "elements"
        raise ValueError(f"{name} has {count:,} {noun}, none at {index}")


def find_differences(
    result: KernelRun, name: str, elements: Mapping[int, Observed]
) -> list[tuple[int, Observed]]:
    """Return the positions of elements that are not as expected, with their expected bits.

    Raise ValueError if the buffer has no such element.
    """
    buffer = result.get_buffer(name)
    words = buffer.words
    differences: list[tuple[int, Observed]] = []
    for index, observed in elements.items():
        check_position(name, words.size, index)
        wanted = narrow(observed, 8 * words.dtype.itemsize)
        is_right = buffer.is_known(index) and wanted.matches(int(words[index]))
        if wanted.known_mask and not is_right:
            differences.append((index, wanted))
    return differences


class ExpectedWords(NamedTuple):
    """The expected elements of one buffer, for all replicas of a launch at once."""

    buffer: BoundBuffer
    indices: npt.NDArray[np.int64]
    words: npt.NDArray[Any]
    masks: npt.NDArray[Any]
    """The bits of each word that are known."""
    is_own: Mask
    """Whether the threads that run first have written each."""

    def match(self, words: npt.NDArray[Any]) -> Mask:
        """Return which words have the bits that are expected."""
        matches: Mask = (words ^ self.words) & self.masks == 0
        return matches

    def find_matches(self, space: AddressSpace) -> Mask:
        """Return for each replica which elements are known and as expected."""
        region = self.buffer.region
        rows = np.ascontiguousarray(space.data[:, region.start : region.end])
        matches = self.match(rows.view(self.words.dtype)[:, self.indices])
        if space.causes is not None:
            causes = self._split_bytes(space.causes)
            matches &= ~(causes != 0).any(axis=2)
        return matches

    def find_written(self, space: AddressSpace) -> Mask:
        """Return for each replica which elements its threads have written, not atomically."""
        if space.stamps is None:
            return np.zeros((space.instance_count, len(self.indices)), bool)
        stamps = self._split_bytes(space.stamps.reshape(space.instance_count, -1))
        mask: Mask = (stamps != 0).any(axis=2)
        return mask

    def find_wrong_bits(self, space: AddressSpace) -> npt.NDArray[Any]:
        """Return for each replica the bits of each own element that are not known or not right.

        If the threads that run first own no element, all elements count.
        """
        columns = np.flatnonzero(self.is_own) if self.is_own.any() else np.arange(len(self.words))
        region = self.buffer.region
        rows = np.ascontiguousarray(space.data[:, region.start : region.end])
        words = rows.view(self.words.dtype)[:, self.indices[columns]]
        wrong: npt.NDArray[Any] = (words ^ self.words[columns]) & self.masks[columns]
        if space.causes is not None:
            is_unknown = (self._split_bytes(space.causes) != 0).any(axis=2)[:, columns]
            wrong = np.where(is_unknown, self.masks[columns], wrong)
        return wrong

    def _split_bytes(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a record of each byte of each element, for each replica."""
        region, width = self.buffer.region, self.words.dtype.itemsize
        part = rows[:, region.start : region.end].reshape(len(rows), -1, width)
        return part[:, self.indices]


class ExpectedResults(NamedTuple):
    """The expected elements of all buffers."""

    elements: tuple[ExpectedWords, ...]

    @property
    def element_count(self) -> int:
        """The number of elements."""
        return sum(len(x.indices) for x in self.elements)

    def count_matches(self, result: KernelRun) -> int:
        """Return the number of elements of a run that are known and as expected."""
        count = 0
        for x in self.elements:
            buffer = result.buffers[x.buffer.name]
            is_known = True if buffer.causes is None else buffer.causes[x.indices] == 0
            count += int(np.count_nonzero(x.match(buffer.words[x.indices]) & is_known))
        return count

    def count_own_matches(self, result: KernelRun) -> int:
        """Return the number of elements of the first threads that are as expected in a run."""
        matches = (x.match(result.buffers[x.buffer.name].words[x.indices]) for x in self.elements)
        pairs = zip(matches, self.elements, strict=True)
        return sum(int(np.count_nonzero(match & x.is_own)) for match, x in pairs)

    def read_unwritten(self, result: KernelRun) -> bool:
        """Whether elements of a run are unknown because nothing wrote their sources."""
        causes = (result.buffers[x.buffer.name].causes for x in self.elements)
        return any(bool((x & np.uint64(NEVER_WRITTEN)).any()) for x in causes if x is not None)

    def count_all(self, space: AddressSpace) -> npt.NDArray[np.int64]:
        """Return for each replica the number of elements that are as expected."""
        counts = np.zeros(space.instance_count, np.int64)
        for x in self.elements:
            counts += x.find_matches(space).sum(axis=1)
        return counts

    def measure(self, space: AddressSpace) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return for each replica the number of wrong bits, and the place of the lowest of them.

        These are bits of the elements that the first threads wrote. If none is wrong, the place is
        64.
        """
        counts = np.zeros(space.instance_count, np.int64)
        places = np.full(space.instance_count, 64)
        for x in self.elements:
            wrong = x.find_wrong_bits(space)
            counts += np.bitwise_count(wrong).sum(axis=1, dtype=np.int64)
            union = np.bitwise_or.reduce(wrong, axis=1).astype(np.uint64)
            lowest = np.bitwise_count((union & (~union + np.uint64(1))) - np.uint64(1))
            places = np.minimum(places, lowest)
        return counts, places

    def judge(self, space: AddressSpace, *, is_whole: bool) -> tuple[Mask, npt.NDArray[np.int64]]:
        """Return for each replica whether the first threads are right, and the right elements.

        The elements that they wrote must be as expected; if they wrote none, their own elements
        must. If they are all threads, ``is_whole``, every element must be as expected.
        """
        count = space.instance_count
        is_written_right, is_own_right = np.ones(count, bool), np.ones(count, bool)
        is_right, has_written = np.ones(count, bool), np.zeros(count, bool)
        counts = np.zeros(count, np.int64)
        for x in self.elements:
            matches, written = x.find_matches(space), x.find_written(space)
            has_written |= written.any(axis=1)
            is_written_right &= (matches | ~written).all(axis=1)
            is_own_right &= (matches | ~x.is_own).all(axis=1)
            is_right &= matches.all(axis=1)
            counts += (matches & x.is_own).sum(axis=1)
        if is_whole:
            return is_right, counts
        return np.where(has_written, is_written_right, is_own_right), counts


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
) -> dict[str, dict[int, Observed]]:
    """Return the expected bits by buffer and position.

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
        if name.startswith("%"):
            raise ArgumentError(f"{name} is a register: --watch shows it; --expect takes buffers")
        buffer, value = get_buffer(buffers, name), value.strip()
        elements = expected.setdefault(buffer.name, {})
        if match:
            elements[int(match[2])] = _parse_element(value, buffer.dtype)
        elif listed := LIST.fullmatch(value):
            parts = listed[1].split(",")
            elements |= {i: _parse_element(x.strip(), buffer.dtype) for i, x in enumerate(parts)}
        else:
            elements |= _read_elements(name, value, buffer, read_file)
    return expected


def _read_elements(
    name: str, text: str, buffer: NamedBuffer, read_file: ReadFile
) -> dict[int, Observed]:
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
