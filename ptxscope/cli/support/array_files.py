"""NumPy's files: ``.npy``, one array; ``.npz``, arrays by name."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from ...engine.arrays.array_reader import convert_array_errors
from ...engine.syntax.errors import make_printable
from ...files import expand_path, is_there
from .streams import CommandError, ProgressBar, report_file_errors

AnyArray = npt.NDArray[Any]


@contextmanager
def open_array_file(name: str, bar: ProgressBar) -> Iterator[tuple[Path, ArrayFile]]:
    """Yield the path and the bytes of a file.

    Raise CommandError, also in the block, if it can't be read or does not fit in memory.
    """
    with report_file_errors(name):
        path = expand_path(name)
        if not is_there(path):
            raise CommandError(f"error: {make_printable(name)}: there is no such file")
        try:
            with ArrayFile(path, bar) as source:
                yield path, source
        except MemoryError:
            raise CommandError(f"error: {make_printable(name)} does not fit in memory") from None


def encode_arrays(arrays: Mapping[str, AnyArray], suffix: str) -> bytes:
    """Return the bytes of a .npy file of the only array, or of a .npz file."""
    data = io.BytesIO()
    if suffix == ".npy":
        (array,) = arrays.values()
        if array.dtype.metadata:  # a file has none
            array = array.view(array.dtype.str)
        np.save(data, array, allow_pickle=False)
        return data.getvalue()
    # Like numpy.savez, which accepts no array named `file`.
    with ZipFile(data, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return data.getvalue()


class ArrayFile(io.FileIO):
    """A file that reports the number of bytes read."""

    def __init__(self, path: Path, bar: ProgressBar) -> None:
        super().__init__(path)
        self._bar = bar
        bar.begin("reading", os.fstat(self.fileno()).st_size)

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes and report their count."""
        data = super().read(-1 if size is None else size)
        self._bar.advance_to(self.tell())
        return data


def map_array(path: Path) -> AnyArray:
    """Return the array of a .npy file, mapped into memory; its size limits the reading.

    Raise ValueError for any other file.
    """
    with convert_array_errors():
        array: AnyArray = np.lib.format.open_memmap(path, mode="r")
    return array
