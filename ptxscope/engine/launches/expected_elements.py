"""The elements of buffers that a run was expected to give, and those that it gave otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..diagnosis.observation import Observed, make_observed

if TYPE_CHECKING:
    from .kernel_run import KernelRun

Expectations = Mapping[str, Mapping[int, Observed]]
"""The expected bits of elements by buffer and position."""
ExpectedBuffer = npt.NDArray[Any] | Mapping[int, int | Observed]
"""All elements of a buffer, or the bits of some by their positions."""


def read_expectations(
    expected: Mapping[str, ExpectedBuffer],
) -> dict[str, dict[int, Observed]]:
    """Return the expected bits of elements, of at most 64, by buffer and position."""
    return {name: dict(_iter_elements(x)) for name, x in expected.items()}


def _iter_elements(expected: ExpectedBuffer) -> Iterator[tuple[int, Observed]]:
    if isinstance(expected, np.ndarray):
        array = np.ascontiguousarray(expected).reshape(-1)
        expected = dict(enumerate(array.view(f"u{array.dtype.itemsize}").tolist()))
    for index, bits in expected.items():
        yield index, bits if isinstance(bits, Observed) else make_observed(bits, 64)


def narrow(observed: Observed, width: int) -> Observed:
    """Return what is expected of an element of some bits."""
    mask = (1 << width) - 1
    return Observed(observed.bits & mask, observed.known_mask & mask)


def find_differences(
    result: KernelRun, name: str, elements: Mapping[int, Observed]
) -> list[tuple[int, Observed]]:
    """Return the positions of elements that are not as expected, with what was expected.

    Raise ValueError if the buffer has no such element.
    """
    buffer = result.get_buffer(name)
    words = buffer.values.reshape(-1).view(f"u{buffer.values.dtype.itemsize}")
    differences: list[tuple[int, Observed]] = []
    for index, observed in elements.items():
        if index >= words.size:
            raise ValueError(f"{name} has {words.size:,} elements, none at {index}")
        wanted = narrow(observed, 8 * words.dtype.itemsize)
        is_unknown = buffer.causes is not None and bool(buffer.causes[index])
        if wanted.known_mask and (is_unknown or not wanted.matches(int(words[index]))):
            differences.append((index, wanted))
    return differences
