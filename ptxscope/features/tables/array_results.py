"""Results for the arrays of a NumPy file, written to another: ``.npy`` and ``.npz``."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np

from ...cli.support.array_files import AnyArray, encode_arrays, map_array, open_array_file
from ...cli.support.ptx_arguments import find_column_operands, parse_assignments
from ...cli.support.streams import CommandError, ProgressBar, report_errors, report_file_errors
from ...engine.arrays.array_reader import read_array
from ...engine.arrays.call_sequence import get_storage_dtype
from ...engine.arrays.physical_memory import get_physical_memory
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Signature
from ...files import expand_path, replace

ArrayEvaluator = Callable[..., Mapping[str, object]]
"""The results of an instruction on operands by name, written to ``out`` if it has an array."""

PIECE_SIZE = 1 << 22
"""Results between two updates of the progress bar."""
_MAX_REASON_CHARS = 200
"""Maximum characters of a library's or a file's own text in an error."""


def evaluate_file(
    ins: Signature,
    evaluate: ArrayEvaluator,
    values: Sequence[str],
    input_file: str,
    output_file: str,
) -> None:
    """Evaluate an instruction on the arrays of a file and write the results to another."""
    suffix = _check_suffix(output_file)
    if suffix == ".npy" and len(ins.results) != 1:
        writes = ", ".join(ins.results.values()) or "nothing"
        raise CommandError(
            f"error: a .npy file has one array, {make_printable(str(ins))} writes "
            f"{make_printable(writes)}; "
            "write a .npz file"
        )
    inputs = parse_assignments(ins, values)
    file_name = make_printable(input_file)
    with ProgressBar() as bar:
        needed = [x.name for x in ins.inputs if x.name not in inputs]
        arrays = _read_arrays(ins, input_file, bar, needed)
        for name in arrays.keys() & inputs.keys():
            raise CommandError(f"error: {make_printable(name)} has a value and is in {file_name}")
        operands = arrays | {name: np.asarray(bits, np.uint64) for name, bits in inputs.items()}
        _check_memory(ins, input_file, operands)
        try:
            with report_errors(ValueError, prefix=f"error: {file_name}: "):
                results = _evaluate_by_pieces(ins, evaluate, operands, bar) or {
                    x: np.asarray(y) for x, y in evaluate(operands).items()
                }
        except MemoryError:
            raise CommandError(f"error: {file_name}: the results do not fit in memory") from None
        with report_file_errors(output_file):
            data = encode_arrays(results, suffix)
            bar.begin("writing", len(data))
            replace(expand_path(output_file), data, on_progress=bar.advance_to)


def _check_memory(ins: Signature, input_file: str, values: Mapping[str, AnyArray]) -> None:
    """Raise CommandError if operands broadcast to more results than memory holds.

    An allocation would not fail: many systems grant more memory than they have.
    """
    try:
        shape = np.broadcast_shapes(*(array.shape for array in values.values()))
    except ValueError:  # the evaluation reports missing operands
        return
    bits = sum(ins.type_of(role).bits for role in ins.results)
    required_bytes, memory = math.prod(shape) * max(bits // 8, 1), get_physical_memory()
    if memory is not None and required_bytes > memory:
        raise CommandError(
            f"error: {make_printable(input_file)}: the operands broadcast to "
            f"{math.prod(shape):,} results, "
            f"which need {required_bytes / 2**30:,.1f} GiB; "
            f"this machine has {memory / 2**30:,.1f} GiB"
        )


def _evaluate_by_pieces(
    ins: Signature, evaluate: ArrayEvaluator, values: Mapping[str, AnyArray], bar: ProgressBar
) -> dict[str, AnyArray] | None:
    """Return the results of large arrays of one shape; None for others or refused values."""
    large = {name: x for name, x in values.items() if x.size > 1}
    size = max((x.size for x in large.values()), default=0)
    bar.begin("evaluating", size or None, "results")
    shapes = {x.shape for x in large.values()}
    is_contiguous = len(shapes) == 1 and all(x.flags.c_contiguous for x in large.values())
    if size <= PIECE_SIZE or not is_contiguous or not ins.results:
        return None
    flat = {name: x.reshape(-1) for name, x in large.items()}
    results = {
        name: np.empty(size, get_storage_dtype(ins.type_of(role)))
        for role, name in ins.results.items()
    }
    for start in range(0, size, PIECE_SIZE):
        piece = slice(start, start + PIECE_SIZE)
        operands = {name: flat[name][piece] if name in flat else x for name, x in values.items()}
        try:
            evaluate(operands, out={name: x[piece] for name, x in results.items()})
        except ValueError:  # the error must describe the whole arrays
            return None
        bar.advance_to(min(piece.stop, size))
    (shape,) = shapes
    return {name: x.reshape(shape) for name, x in results.items()}


def _check_suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix not in (".npy", ".npz"):
        raise CommandError(f"error: {make_printable(name)} is neither a .npy nor a .npz file")
    return suffix


def _read_arrays(
    ins: Signature, file: str, bar: ProgressBar, names: Sequence[str]
) -> dict[str, AnyArray]:
    """Return the arrays of a file that registers need, by register; other arrays stay unread."""
    _check_suffix(file)
    with open_array_file(file, bar) as (path, source):
        try:
            is_archive = source.read(2) == b"PK"
            source.seek(0)
            if is_archive:
                return _read_archive(ins, file, source, names)
            array = map_array(path)
        except (CommandError, OSError, MemoryError):
            raise
        except Exception as error:  # the readers of archives and headers raise errors of many types
            why = make_printable(" ".join(str(error).split()))[:_MAX_REASON_CHARS]
            raise CommandError(
                f"error: {make_printable(file)} is not a file of arrays: {why}"
            ) from None
    if array.dtype.names is not None:
        return _choose_arrays(ins, file, array.dtype.names, names, array.__getitem__)
    if len(names) != 1:
        names_text = ", ".join(names) or "no more values"
        raise CommandError(
            f"error: {make_printable(file)} has one array, the instruction needs "
            f"{make_printable(names_text)}; use a .npz file, with an array for each"
        )
    return {names[0]: array}


def _read_archive(
    ins: Signature, file: str, source: BinaryIO, names: Sequence[str]
) -> dict[str, AnyArray]:
    with ZipFile(source) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

        def read_member(title: str) -> AnyArray:
            info = members[title]
            try:
                return _read_member(archive, info)
            except MemoryError:
                raise
            except Exception as error:
                raise ValueError(f"{info.filename}: {error}") from None

        return _choose_arrays(ins, file, [*members], names, read_member)


def _choose_arrays(
    ins: Signature,
    file: str,
    titles: Sequence[str],
    names: Sequence[str],
    read_titled: Callable[[str], AnyArray],
) -> dict[str, AnyArray]:
    """Return the array of each register that the file has under its name."""
    title_by_name: dict[str, str] = {}
    for title in titles:
        for name in find_column_operands(ins, title):
            if name in title_by_name:
                raise CommandError(
                    f"error: {make_printable(file)} has two arrays for {make_printable(name)}"
                )
            title_by_name[name] = title
    for name in names:
        if name not in title_by_name:
            has = make_printable(", ".join(titles)[:_MAX_REASON_CHARS] or "nothing")
            raise CommandError(
                f"error: {make_printable(file)} has no array {make_printable(name)}; it has {has}"
            )
    return {name: read_titled(title) for name, title in title_by_name.items()}


def _read_member(archive: ZipFile, info: ZipInfo) -> AnyArray:
    """Return the array of an archive's member.

    The archive states the size of the member and checks it; raise ValueError if memory is smaller.
    """
    memory = get_physical_memory()
    if memory is not None and info.file_size > memory:
        raise ValueError(f"it has {info.file_size:,} bytes, this machine {memory:,}")
    with archive.open(info) as member:
        return read_array(io.BytesIO(member.read()))
