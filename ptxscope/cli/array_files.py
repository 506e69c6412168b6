"""Operands and results in NumPy's own files: ``.npy``, one array; ``.npz``, arrays by name."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from ..engine.batches.arrays import storage
from ..engine.text.errors import printable
from ..engine.text.instruction import Instruction
from ..files import is_there, named, replace
from . import CommandError
from .arguments import bits_by_name, titled
from .progress import Bar

AnyArray = npt.NDArray[Any]
Computed = Callable[..., Mapping[str, object]]
"""The results of an instruction on operands by name, in ``out`` where that has an array."""

_PIECE = 1 << 22
"""Results that are computed between two words on how far it is."""


def answer(
    ins: Instruction, computed: Computed, values: Sequence[str], read: str, write: str
) -> None:
    """Write the results of an instruction on the arrays of a file, computed so, to another."""
    with Bar() as bar:
        _answer(ins, computed, values, read, write, bar)


def _answer(
    ins: Instruction, computed: Computed, values: Sequence[str], read: str, write: str, bar: Bar
) -> None:
    suffix = _suffix(write)
    if suffix == ".npy" and len(ins.results) != 1:
        writes = ", ".join(ins.results.values()) or "nothing"
        raise CommandError(
            f"error: a .npy file has one array, {printable(str(ins))} writes {printable(writes)}; "
            "write a .npz file"
        )
    given = bits_by_name(ins, values)
    arrays = _arrays(ins, read, bar, [x.name for x in ins.inputs if x.name not in given])
    for name in arrays.keys() & given.keys():
        raise CommandError(f"error: {printable(name)} has a value and is in {printable(read)}")
    values_ = arrays | {name: np.asarray(bits, np.uint64) for name, bits in given.items()}
    try:
        found = _by_pieces(ins, computed, values_, bar) or {
            x: np.asarray(y) for x, y in computed(values_).items()
        }
    except ValueError as error:
        raise CommandError(f"error: {printable(read)}: {printable(str(error))}") from None
    try:
        data = _written(found, suffix)
        bar.begin("writing", len(data))
        replace(named(write), data, told=bar.at)
    except OSError as error:
        raise CommandError(f"error: {printable(write)}: {error.strerror or error}") from None


def _by_pieces(
    ins: Instruction, computed: Computed, values: Mapping[str, AnyArray], bar: Bar
) -> dict[str, AnyArray] | None:
    """The results of large arrays of one shape; None for others, and where a value is refused."""
    large = {name: x for name, x in values.items() if x.size > 1}
    size = max((x.size for x in large.values()), default=0)
    bar.begin("evaluating", size or None, "results")
    shapes = {x.shape for x in large.values()}
    plain = len(shapes) == 1 and all(x.flags.c_contiguous for x in large.values())
    if size <= _PIECE or not plain or not ins.results:
        return None
    flat = {name: x.reshape(-1) for name, x in large.items()}
    found = {name: np.empty(size, storage(ins.type_of(x))) for x, name in ins.results.items()}
    for start in range(0, size, _PIECE):
        here = slice(start, start + _PIECE)
        piece = {name: flat[name][here] if name in flat else x for name, x in values.items()}
        try:
            computed(piece, out={name: x[here] for name, x in found.items()})
        except ValueError:  # what is said of it is said of the whole arrays
            return None
        bar.at(min(here.stop, size))
    (shape,) = shapes
    return {name: x.reshape(shape) for name, x in found.items()}


def _written(arrays: Mapping[str, AnyArray], suffix: str) -> bytes:
    data = io.BytesIO()
    if suffix == ".npy":
        (array,) = arrays.values()
        np.save(data, array, allow_pickle=False)
        return data.getvalue()
    # as numpy.savez does, which takes no array called `file`
    with ZipFile(data, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return data.getvalue()


def _suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix not in (".npy", ".npz"):
        raise CommandError(f"error: {printable(name)} is neither a .npy nor a .npz file")
    return suffix


def _arrays(ins: Instruction, file: str, bar: Bar, wanted: Sequence[str]) -> dict[str, AnyArray]:
    """The arrays of a file for registers, by name; others are passed over."""
    found = _loaded(file, bar)
    if isinstance(found, np.ndarray):
        if len(wanted) != 1:
            several = ", ".join(wanted) or "no more values"
            raise CommandError(
                f"error: {printable(file)} has one array, the instruction needs "
                f"{printable(several)}; use a .npz file, with an array for each"
            )
        return {wanted[0]: found}
    arrays: dict[str, AnyArray] = {}
    for title, array in found.items():
        for name in titled(ins, title):
            if name in arrays:
                raise CommandError(f"error: {printable(file)} has two arrays for {printable(name)}")
            arrays[name] = array
    for name in wanted:
        if name not in arrays:
            has = printable(", ".join(found) or "nothing")
            raise CommandError(
                f"error: {printable(file)} has no array {printable(name)}; it has {has}"
            )
    return arrays


class _Read(io.FileIO):
    """A file that tells how much of it is read."""

    def __init__(self, path: Path, bar: Bar) -> None:
        super().__init__(path)
        self._bar = bar
        bar.begin("reading", os.fstat(self.fileno()).st_size)

    def read(self, size: int | None = -1, /) -> bytes:
        """Read some of it."""
        found = super().read(-1 if size is None else size)
        self._bar.at(self.tell())
        return found


def _loaded(file: str, bar: Bar) -> AnyArray | Mapping[str, AnyArray]:
    """What a file holds; one array of records is an array for each field."""
    suffix = _suffix(file)
    try:
        path = named(file)
        if not is_there(path):
            raise CommandError(f"error: {printable(file)}: there is no such file")
        if suffix == ".npy":  # read as its blocks are asked for
            found = np.load(path, mmap_mode="r")
            if not isinstance(found, np.ndarray):
                with found:
                    return {name: found[name] for name in found.files}
        else:
            with _Read(path, bar) as source:
                found = np.load(source)
                if not isinstance(found, np.ndarray):
                    return {name: found[name] for name in found.files}
    except OSError as error:
        raise CommandError(f"error: {printable(file)}: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError, BadZipFile) as error:
        why = printable(" ".join(str(error).split()))
        raise CommandError(f"error: {printable(file)} is no file of arrays: {why}") from None
    names = found.dtype.names
    return found if names is None else {name: found[name] for name in names}
