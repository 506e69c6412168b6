"""Kernels that ``ptxscope run`` runs from their parameters to their stores."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.launches.device_code import DeviceCode, Function
from ...engine.launches.device_code_loader import load_device_code
from ...engine.launches.kernel_run import KernelBuffer, KernelRun, choose_kernel, run_kernel
from ...engine.launches.parameters import (
    Argument,
    ArgumentError,
    FileArgument,
    convert_bytes,
    explain_unknown_parameter,
    find_parameter,
    format_dtype,
    parse_argument,
)
from ...engine.launches.thread_state import LaunchError
from ...engine.semantics.models import Model
from ...engine.syntax.errors import PtxError, format_count, make_printable
from ...export.formats.json_text import format_json
from .array_files import read_array_file, write_array_file
from .command_error import CommandError
from .progress_bar import ProgressBar
from .streams import print_message

_ELEMENT = re.compile(r"(.+?)\[(\d{1,12})\]")
_MAX_VALUES = 16
"""Elements of a buffer that are shown."""
_MAX_JSON_VALUES = 1 << 12
"""Elements of a buffer in JSON; a larger buffer is saved instead."""
_MAX_DIFFERENCES = 8
_COLUMNS = 8
"""Elements in a line."""

Expectations = dict[str, dict[int, int]]
"""The expected bits of elements by buffer and position."""


def has_parameter(text: str, names: Collection[str]) -> bool:
    """Return whether some names are those of parameters of a text's kernels."""
    kernels = load_device_code(text).kernels
    return any(find_parameter(kernel, name) is not None for kernel in kernels for name in names)


def launch_kernel(arguments: argparse.Namespace, text: str, model: Model, bar: ProgressBar) -> int:
    """Run a kernel, print its buffers and the report of fidelity, and save buffers."""
    for name in ("stop", "watch", "trace"):
        if getattr(arguments, name):
            option = {"stop": "--break"}.get(name, f"--{name}")
            raise CommandError(f"error: {option} is for runs from registers, not from parameters")
    if ".entry" not in text:
        raise CommandError("error: there is no kernel (.entry) here to launch")
    bar.begin("loading", len(text), "characters")
    code = load_device_code(text, bar.advance_to)
    try:
        kernel = choose_kernel(code, arguments.kernel)
        expected = _parse_expected(kernel, arguments.expect, bar)
        saved = _parse_saved(kernel, arguments.save)
        values = _parse_values(kernel, arguments.values, bar)
        result = _run(code, kernel, values, arguments, model, bar)
    except PtxError as error:
        number = text.count("\n", 0, error.errors[0].span[0]) + 1
        raise CommandError(f"line {number}:\n{error}", 1) from None
    except LaunchError as error:
        raise CommandError(f"error: {make_printable(str(error))}", 1) from None
    except ValueError as error:
        raise CommandError(f"error: {make_printable(str(error))}") from None
    bar.begin_printing()
    lines = list(_iter_difference_lines(result, expected))
    if arguments.json:
        print(format_json(_convert_to_json(result, expected), indent=1))
    else:
        for line in (*_iter_lines(result, is_quiet=arguments.quiet), *lines):
            print(make_printable(line))
    for name, file in saved.items():
        buffer = result.get_buffer(name)
        if buffer.causes is not None:
            count = int(np.count_nonzero(buffer.causes))
            print_message(f"note: {file} has {format_count(count, 'unknown value')}")
        write_array_file(file, buffer.values)
    has_differences = any(_find_differences(result, name, x) for name, x in expected.items())
    return int(has_differences or bool(result.conflicts) or not result.is_complete)


def _run(
    code: DeviceCode,
    kernel: Function,
    values: Mapping[str, Argument],
    arguments: argparse.Namespace,
    model: Model,
    bar: ProgressBar,
) -> KernelRun:
    max_steps = _parse_steps(arguments.steps)
    bar.begin("running", None, "instructions of threads")
    reached = [0]

    def advance(count: int) -> None:
        reached[0] = count
        bar.advance_to(count)

    try:
        return run_kernel(
            code,
            values,
            kernel=kernel.name,
            grid=_parse_shape("--grid", arguments.grid),
            block=_parse_shape("--block", arguments.block),
            dynamic_shared_bytes=arguments.shared or 0,
            model=model,
            max_steps=max_steps,
            on_progress=advance,
        )
    except KeyboardInterrupt:
        print_message(f"interrupted after {reached[0]:,} instructions of threads")
        raise
    except MemoryError:
        raise CommandError("error: this launch does not fit in memory") from None


# --- arguments ---------------------------------------------------------------------------


def _parse_shape(option: str, text: str | None) -> tuple[int, ...]:
    parts = (text or "1").split(",")
    if len(parts) > 3 or not all(re.fullmatch(r"[0-9]{1,10}", x.strip()) for x in parts):
        raise CommandError(f"error: {option} is X[,Y[,Z]], not {make_printable(text or '')}")
    return tuple(map(int, parts))


def _parse_steps(text: str | None) -> int:
    from ...engine.launches.kernel_run import DEFAULT_MAX_STEPS

    if text is None:
        return DEFAULT_MAX_STEPS
    try:
        number = float(text.replace("_", ""))
        return int(number) if 0 < number < 1e18 else _refuse_steps(text)
    except ValueError:
        return _refuse_steps(text)


def _refuse_steps(text: str) -> int:
    raise CommandError(
        f"error: --steps is a positive number, such as 1e7, not {make_printable(text)}"
    )


def _parse_values(kernel: Function, texts: Sequence[str], bar: ProgressBar) -> dict[str, Argument]:
    values: dict[str, Argument] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        name = name.strip()
        if not separator:
            raise CommandError(f"error: {make_printable(text)} is not name=value")
        if name in values:
            raise CommandError(f"error: {make_printable(name)} is given twice")
        values[name] = _parse_value(kernel, name, value, bar)
    return values


def _parse_value(
    kernel: Function, name: str, text: str, bar: ProgressBar
) -> int | npt.NDArray[Any]:
    position = find_parameter(kernel, name)
    if position is None:
        raise ArgumentError(explain_unknown_parameter(kernel, name))
    try:
        value = parse_argument(text, kernel.parameters[position])
        return _read_file(value, bar) if isinstance(value, FileArgument) else value
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


def _read_file(file: FileArgument, bar: ProgressBar) -> npt.NDArray[Any]:
    contents = read_array_file(file.path, bar)
    if not isinstance(contents, bytes):
        if file.type:
            raise ArgumentError(f"{file.path} has the type of its elements; omit :{file.type}")
        return contents
    if not file.type:
        raise ArgumentError(f"{file.path} is not a .npy file; add the type: @{file.path}:u32")
    return convert_bytes(contents, file.type)


def _parse_saved(kernel: Function, texts: Sequence[str]) -> dict[str, str]:
    saved: dict[str, str] = {}
    for text in texts:
        name, separator, file = text.partition("=")
        if not separator or not file:
            raise CommandError(f"error: --save is NAME=FILE, not {make_printable(text)}")
        position = find_parameter(kernel, name.strip())
        if position is None:
            raise ArgumentError(explain_unknown_parameter(kernel, name.strip()))
        saved[f"param{position}"] = file
    return saved


def _parse_expected(kernel: Function, texts: Sequence[str], bar: ProgressBar) -> Expectations:
    """Return the expected elements: of ``param2[3]=0x7f`` or ``param2=@expected.npy``."""
    expected: Expectations = {}
    for text in texts:
        place, separator, value = text.partition("=")
        match = _ELEMENT.fullmatch(place.strip())
        name = match[1] if match else place.strip()
        if not separator:
            raise CommandError(f"error: --expect is NAME=… or NAME[INDEX]=…, not {text}")
        position = find_parameter(kernel, name)
        if position is None:
            raise ArgumentError(explain_unknown_parameter(kernel, name))
        elements = expected.setdefault(f"param{position}", {})
        if match:
            from ...engine.syntax.values import parse_integer

            elements[int(match[2])] = parse_integer(value, 64)
            continue
        array = _parse_value(kernel, name, value, bar)
        if not isinstance(array, np.ndarray):
            raise CommandError(f"error: {name} is a buffer: expect a list, a file, or {name}[0]=…")
        words = array.reshape(-1).view(f"u{array.dtype.itemsize}").tolist()
        elements |= dict(enumerate(words))
    return expected


# --- output ------------------------------------------------------------------------------


def _iter_lines(result: KernelRun, *, is_quiet: bool) -> Iterator[str]:
    """Yield the buffers that changed, and the report of fidelity."""
    if not is_quiet:
        grid, block = (",".join(map(str, x)) for x in (result.shape.grid, result.shape.block))
        threads = result.shape.block_count * result.shape.block_size
        yield f"{result.kernel.name}, grid {grid}, block {block}, model {result.model.name}"
        yield (
            f"{format_count(threads, 'thread')} executed "
            f"{format_count(result.step_count, 'instruction')}"
        )
    for buffer in result.buffers.values():
        if buffer.is_changed:
            yield from ("", f"{_name_buffer(buffer)}: {_describe_fidelity(result, buffer)}")
            yield from _iter_value_lines(buffer)
    unchanged = [_get_label(x) for x in result.buffers.values() if not x.is_changed]
    if unchanged and not is_quiet:
        yield from ("", f"unchanged: {', '.join(unchanged)}")
    yield from _iter_report_lines(result)


def _get_label(buffer: KernelBuffer) -> str:
    return buffer.name if buffer.position is None else f"param{buffer.position}"


def _name_buffer(buffer: KernelBuffer) -> str:
    """Return ``param2 out (u32 × 64)``."""
    names = [_get_label(buffer)] + ([buffer.name] if buffer.position is not None else [])
    return f"{' '.join(names)} ({format_dtype(buffer.values.dtype)} × {buffer.values.size:,})"


def _describe_fidelity(result: KernelRun, buffer: KernelBuffer) -> str:
    """Return whether a buffer is exact, or which lines made how many elements unknown."""
    if buffer.causes is None:
        is_sure = result.is_complete and not result.fidelity.decisions
        return "exact" if is_sure else "computed"
    count = int(np.count_nonzero(buffer.causes))
    united = int(np.bitwise_or.reduce(buffer.causes))
    reasons = [
        f"line {x.statement.line}" if x else "memory or a register that nothing has written"
        for x in result.fidelity.iter_causes(united)
    ]
    return f"{count:,} of {buffer.values.size:,} unknown because of {', '.join(reasons)}"


def _iter_value_lines(buffer: KernelBuffer) -> Iterator[str]:
    """Yield the elements around the first that changed; ``?`` stands for an unknown one."""
    values = buffer.values.reshape(-1)
    changed = np.flatnonzero(buffer.lines)
    first = int(changed[0]) // _COLUMNS * _COLUMNS if changed.size else 0
    last = min(first + _MAX_VALUES, values.size)
    texts = [_format_element(buffer, i) for i in range(first, last)]
    width = max(map(len, texts), default=0)
    for start in range(0, len(texts), _COLUMNS):
        row = " ".join(f"{x:>{width}}" for x in texts[start : start + _COLUMNS])
        yield f"  [{first + start}] {row}"
    if last < values.size:
        yield f"  and {values.size - last:,} more"


def _format_element(buffer: KernelBuffer, index: int) -> str:
    if buffer.causes is not None and buffer.causes[index]:
        return "?"
    return str(buffer.values.reshape(-1)[index])


def _iter_report_lines(result: KernelRun) -> Iterator[str]:
    """Yield what is not exact and why, conflicts, and where the run stopped."""
    causes = 0
    for buffer in result.buffers.values():
        if buffer.causes is not None:
            causes |= int(np.bitwise_or.reduce(buffer.causes))
    lines = [
        f"line {x.statement.line}: {x.statement.text}: {x.reason}"
        for x in result.fidelity.iter_causes(causes)
        if x
    ]
    for decision in result.fidelity.decisions:
        times = format_count(decision.thread_count, "time")
        lines.append(
            f"line {decision.statement.line}: {decision.statement.text}: an unknown value decided "
            f"{decision.effect}, {times}; no result is certain"
        )
    lines += [
        f"line {x.line}: {x.text}: {x.thread} and {x.other_thread} write different values "
        f"to {x.place} without a barrier between them"
        for x in result.conflicts
    ]
    if not result.is_complete:
        where = ", ".join(
            f"{format_count(count, 'thread')} at line {line}" for line, count in result.positions
        )
        lines.append(f"stopped by --steps: {where}")
    if lines:
        yield ""
        yield from lines


# --- expectations ------------------------------------------------------------------------


def _find_differences(
    result: KernelRun, name: str, elements: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return the positions of elements that are not as expected, with the expected bits."""
    buffer = result.get_buffer(name)
    words = buffer.values.reshape(-1).view(f"u{buffer.values.dtype.itemsize}")
    mask = (1 << 8 * words.dtype.itemsize) - 1
    differences: list[tuple[int, int]] = []
    for index, bits in elements.items():
        if index >= words.size:
            raise CommandError(f"error: {name} has {words.size:,} elements, none at {index}")
        is_unknown = buffer.causes is not None and bool(buffer.causes[index])
        if is_unknown or int(words[index]) != bits & mask:
            differences.append((index, bits & mask))
    return differences


def _iter_difference_lines(result: KernelRun, expected: Expectations) -> Iterator[str]:
    """Yield the elements that differ, with the line that wrote each."""
    for name, elements in expected.items():
        buffer, differences = result.get_buffer(name), _find_differences(result, name, elements)
        dtype = buffer.values.dtype
        if not differences:
            yield f"{name}: {format_count(len(elements), 'element')} as expected"
            continue
        yield f"{name}: {len(differences):,} of {len(elements):,} are not as expected"
        for index, bits in differences[:_MAX_DIFFERENCES]:
            wanted = np.array([bits], f"u{dtype.itemsize}").view(dtype)[0]
            line = int(buffer.lines[index])
            origin = f"written at line {line}" if line else "never written"
            yield f"  {name}[{index}] is {_format_element(buffer, index)}, not {wanted}: {origin}"
        if len(differences) > _MAX_DIFFERENCES:
            yield f"  and {len(differences) - _MAX_DIFFERENCES:,} more"


# --- JSON --------------------------------------------------------------------------------


def _convert_to_json(result: KernelRun, expected: Expectations) -> dict[str, Any]:
    return {
        "kernel": result.kernel.name,
        "model": result.model.name,
        "grid": list(result.shape.grid),
        "block": list(result.shape.block),
        "instructions": result.step_count,
        "complete": result.is_complete,
        "exact": result.is_exact,
        "buffers": [_convert_buffer(result, x) for x in result.buffers.values()],
        "decisions": [
            {"line": x.statement.line, "text": x.statement.text, "effect": x.effect}
            for x in result.fidelity.decisions
        ],
        "conflicts": [x._asdict() for x in result.conflicts],
        "expected": {
            name: {
                "holds": not (differences := _find_differences(result, name, elements)),
                "different": [
                    {"index": i, "line": int(result.get_buffer(name).lines[i])}
                    for i, _ in differences
                ],
            }
            for name, elements in expected.items()
        },
    }


def _convert_buffer(result: KernelRun, buffer: KernelBuffer) -> dict[str, Any]:
    causes = 0 if buffer.causes is None else int(np.bitwise_or.reduce(buffer.causes))
    unknown = [] if buffer.causes is None else np.flatnonzero(buffer.causes).tolist()
    is_small = buffer.values.size <= _MAX_JSON_VALUES
    words = buffer.values.reshape(-1).view(f"u{buffer.values.dtype.itemsize}")
    digits = 2 * words.dtype.itemsize
    return {
        "name": buffer.name,
        "parameter": buffer.position,
        "type": format_dtype(buffer.values.dtype),
        "count": buffer.values.size,
        "changed": buffer.is_changed,
        "unknown": unknown if is_small else len(unknown),
        "because_of": [
            x.statement.line if x else None for x in result.fidelity.iter_causes(causes)
        ],
        "bits": [f"0x{x:0{digits}x}" for x in words.tolist()] if is_small else None,
    }
