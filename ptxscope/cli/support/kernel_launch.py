"""Kernels that ``ptxscope run`` runs from their parameters to their stores."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...documents.formats.json_text import format_json
from ...engine.semantics.models import Model
from ...engine.syntax.errors import (
    PtxError,
    abbreviate_names,
    format_count,
    format_names,
    make_printable,
)
from ...kernels.launches.device_code import DeviceCode, load_device_code
from ...kernels.launches.expected_elements import (
    NamedBuffer,
    find_differences,
    get_buffer,
    list_buffers,
    parse_expectations,
)
from ...kernels.launches.kernel_run import DEFAULT_MAX_STEPS, KernelRun, Launch, choose_kernel
from ...kernels.launches.launch import LaunchShape
from ...kernels.launches.launch_text import (
    ArgumentError,
    FileArgument,
    convert_bytes,
    find_parameter,
    parse_shape,
    parse_thread,
    parse_values,
)
from ...kernels.launches.thread_log import ThreadLog
from ...kernels.launches.thread_state import LaunchError
from .array_files import read_array_file, write_array_file
from .kernel_report import (
    failure_to_json,
    iter_difference_lines,
    iter_explanation_lines,
    iter_lines,
    iter_origin_lines,
    iter_printed_lines,
    iter_thread_lines,
    run_to_json,
)
from .streams import CommandError, ProgressBar, print_message

if TYPE_CHECKING:
    from ...kernels.launches.run_explanations import RunDiagnosis


def has_parameter(text: str, file: str, names: Collection[str]) -> bool:
    """Return whether some names are those of parameters of the kernels of a file's text."""
    kernels = load_device_code(text, name=file, kernel="").kernels
    return any(find_parameter(kernel, name) is not None for kernel in kernels for name in names)


def describe_kernel(text: str, file: str, name: str) -> str:
    """Return the parameters of a kernel, ``param0=… param1=…``; empty if it has none."""
    kernel = load_device_code(text, name=file, kernel="").functions.get(name)
    if kernel is None or not kernel.is_kernel or not kernel.parameters:
        return ""
    return " ".join(f"param{i}=…" for i in range(len(kernel.parameters)))


def launch_kernel(
    arguments: argparse.Namespace, text: str, file: str, model: Model, bar: ProgressBar
) -> int:
    """Run a kernel, print its buffers and the report of fidelity, and save buffers."""
    if arguments.trace:
        raise CommandError("error: --trace is for runs from registers, not from parameters")
    diagnosis: RunDiagnosis | None = None
    explains = arguments.explain or arguments.explain_all
    if ".entry" not in text:
        raise CommandError(_describe_lack_of_kernel(arguments, file))
    if explains and not arguments.expect:
        raise CommandError("error: --explain needs --expect NAME=… or NAME[INDEX]=…")
    bar.begin("loading", len(text), "characters")
    code = load_device_code(text, bar.advance_to, name=file, kernel=arguments.kernel)
    try:
        request = _Request(arguments, code, model, bar)
        log = _make_log(arguments, request.launch.shape)
        stop_line = None if arguments.stop is None else _find_line(code, arguments.stop)
        watched = {_find_register(code, name) for name in arguments.watch}
        try:
            result = request.run(log)
        except LaunchError as error:
            if explains:
                diagnosis = request.explain(None)
            bar.begin_printing()
            if arguments.format == "json":
                print(format_json(failure_to_json(request.launch, error, diagnosis), indent=1))
            else:
                explained = iter_explanation_lines(diagnosis) if diagnosis else ()
                for line in (*iter_printed_lines(error.printed), *explained):
                    print(make_printable(line))
            raise
        origin_lines = request.find_origins(result)
        has_differences = request.has_differences(result)
        if explains and has_differences:
            diagnosis = request.explain(result)
    except PtxError as error:
        raise CommandError(error.format_with_lines(), 1) from None
    except (LaunchError, ValueError) as error:
        message, status = f"error: {make_printable(str(error))}", 2
        if isinstance(error, LaunchError):
            message, status = "\n".join([message, *_iter_shape_notes(arguments)]), 1
        raise CommandError(message, status) from None
    bar.begin_printing()
    lines = list(iter_difference_lines(result, request.expected))
    if has_differences:
        lines += _iter_shape_notes(arguments)
    if arguments.format == "json":
        print(format_json(run_to_json(result, request.expected, diagnosis), indent=1))
    else:
        if log:
            from ...kernels.sequences.intrinsic_sequences import find_text_sequences

            sequences = find_text_sequences(text, file)
            steps = iter_thread_lines(
                log, result.shape, stop_line, watched, sequences, is_folded=arguments.fold
            )
            lines = [*steps, "", *lines]
        if diagnosis:
            origin_lines = [*origin_lines, *iter_explanation_lines(diagnosis)]
        report = iter_lines(
            result, is_quiet=arguments.quiet, stop_reason=_describe_limit(arguments)
        )
        for line in (*report, *lines, *origin_lines):
            print(make_printable(line))
    for name, file in request.saved:
        buffer = result.get_buffer(name)
        if buffer.causes is not None:
            count = int(np.count_nonzero(buffer.causes))
            print_message(f"note: {file} has {format_count(count, 'unknown value')}")
        write_array_file(file, buffer.data)
    return int(has_differences or bool(result.conflicts) or not result.is_complete)


def _describe_lack_of_kernel(arguments: argparse.Namespace, file: str) -> str:
    """Return which option needs a kernel, and what explains other programs."""
    names = ("explain", "explain_all", "thread", "grid", "block", "shared", "steps", "save")
    options = [f"--{x.replace('_', '-')}" for x in names if getattr(arguments, x)]
    verb = "need" if len(options) > 1 else "needs"
    message = f"error: there is no kernel (.entry) here; {format_names(options)} {verb} one"
    if arguments.explain or arguments.explain_all:
        place = f"{make_printable(file)}:LINES" if file and file != "-" else "PTX"
        message += f"\nfor a block: ptxscope explain {place} name=value … --got VALUE"
    return message


class _Request:
    """A launch, and what is expected of it, as the arguments of the command say."""

    def __init__(
        self, arguments: argparse.Namespace, code: DeviceCode, model: Model, bar: ProgressBar
    ) -> None:
        self._arguments, self._bar = arguments, bar
        kernel, read_file = choose_kernel(code, arguments.kernel), partial(_read_file, bar)
        values = parse_values(kernel, arguments.values, read_file)
        buffers = list_buffers(code, kernel, values)
        self.expected = parse_expectations(buffers, arguments.expect, read_file)
        self.saved = _parse_saved(buffers, arguments.save)
        shape = LaunchShape(
            parse_shape("--grid", arguments.grid or "1"),
            parse_shape("--block", arguments.block or "1"),
            arguments.shared or 0,
        )
        self.launch = Launch(code, kernel, values, shape, model, _parse_steps(arguments.steps))

    def run(self, log: ThreadLog | None) -> KernelRun:
        """Run the kernel."""
        bar = self._bar
        bar.begin("running", self.launch.max_steps, "thread instructions at most")
        reached, has_estimate = 0, False

        def advance(count: int, total: int | None = None) -> None:
            nonlocal reached, has_estimate
            reached = count
            if total is not None:
                if not has_estimate:
                    bar.begin("running", total, "thread instructions")
                has_estimate, bar.total = True, total
            bar.advance_to(count)

        try:
            return self.launch.run(advance, log)
        except KeyboardInterrupt:
            bar.hide()
            print_message(f"interrupted after {reached:,} thread instructions")
            raise
        except MemoryError:
            raise CommandError("error: this launch does not fit in memory") from None

    def find_origins(self, result: KernelRun) -> list[str]:
        """Return what the first element that differs was computed from, by running once more."""
        for name, elements in self.expected.items():
            buffer = result.get_buffer(name)
            for index, _ in find_differences(result, name, elements):
                thread = buffer.find_thread(index)
                if thread >= 0:
                    log = ThreadLog(thread)
                    self.run(log)
                    return list(iter_origin_lines(log, result.shape, buffer.label, index))
        return []

    def has_differences(self, result: KernelRun) -> bool:
        """Whether some elements are not as expected."""
        return any(find_differences(result, name, x) for name, x in self.expected.items())

    def explain(self, result: KernelRun | None) -> RunDiagnosis:
        """Return the changes that give what was expected."""
        from ...kernels.launches.run_explanations import explain_run

        bar, arguments = self._bar, self._arguments
        bar.begin("explaining", None, "changes")
        reached = [0, 0]

        def advance(count: int, total: int) -> None:
            reached[:] = count, total
            bar.total = total
            bar.advance_to(count)

        try:
            return explain_run(
                self.launch,
                result,
                self.expected,
                advance,
                tries_all=arguments.explain_all,
                timeout=arguments.timeout,
            )
        except KeyboardInterrupt:
            bar.hide()
            print_message(f"interrupted after {reached[0]:,} of {reached[1]:,} changes")
            raise


def _make_log(arguments: argparse.Namespace, shape: LaunchShape) -> ThreadLog | None:
    """Return the log of the thread to follow; the first one if only registers are watched."""
    if not (arguments.thread or arguments.watch or arguments.stop is not None):
        return None
    return ThreadLog(parse_thread(arguments.thread or "0", shape))


def _find_register(code: DeviceCode, name: str) -> str:
    """Return the register to watch, with or without its ``%``."""
    for function in code.functions.values():
        for register in (name, f"%{name}"):
            if register in function.registers:
                return register
    names = dict.fromkeys(x for function in code.functions.values() for x in function.registers)
    raise ArgumentError(f"{name} is not a register here; there are: {abbreviate_names([*names])}")


def _iter_shape_notes(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield a note if the shape of the launch is that of no request: one thread."""
    if not (arguments.grid or arguments.block):
        yield "note: one thread ran, which is the default; --block X[,Y[,Z]] and --grid give others"


def _describe_limit(arguments: argparse.Namespace) -> str:
    if arguments.steps is None:
        return f"the default of --steps, {DEFAULT_MAX_STEPS:,} instructions"
    return "--steps"


def _find_line(code: DeviceCode, line: int) -> int:
    """Return the first line from a line on that has a statement."""
    lines = [y.line for x in code.functions.values() for y in x.statements if y.line >= line]
    if not lines:
        raise ArgumentError(f"--break: no statement is at line {line} or after it")
    return min(lines)


# --- arguments ---------------------------------------------------------------------------


def _parse_steps(text: str | None) -> int:
    if text is None:
        return DEFAULT_MAX_STEPS
    with suppress(ValueError):
        number = float(text.replace("_", ""))
        if 0 < number < 1e18:
            return int(number)
    raise CommandError(
        f"error: --steps is a positive number, such as 1e7, not {make_printable(text)}"
    )


def _read_file(bar: ProgressBar, file: FileArgument) -> npt.NDArray[Any]:
    contents = read_array_file(file.path, bar)
    if not isinstance(contents, bytes):
        if file.type:
            raise ArgumentError(f"{file.path} has the type of its elements; omit :{file.type}")
        return contents
    if not file.type:
        raise ArgumentError(f"{file.path} is not a .npy file; add the type: @{file.path}:u32")
    return convert_bytes(contents, file.type)


def _parse_saved(buffers: Mapping[str, NamedBuffer], texts: Sequence[str]) -> list[tuple[str, str]]:
    saved = list[tuple[str, str]]()
    for text in texts:
        name, separator, file = text.partition("=")
        if not separator or not file:
            raise CommandError(f"error: --save is NAME=FILE, not {make_printable(text)}")
        saved.append((get_buffer(buffers, name.strip()).name, file))
    return saved
