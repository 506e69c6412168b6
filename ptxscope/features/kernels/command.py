"""The kernels that ``ptxscope run`` runs from their parameters to their stores."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ...blocks.intrinsic_sequence import find_sequences, may_have_sequences
from ...cli.commands.run import (
    RUN_EXAMPLES,
    RUN_HELP,
    list_names,
    make_register_parser,
    may_be_launch,
)
from ...cli.support.arguments import Parser, choose_model, parse_seconds, parse_words
from ...cli.support.array_files import AnyArray, encode_arrays, map_array, open_array_file
from ...cli.support.file_arguments import OutputName
from ...cli.support.run_report import iter_folding_notes
from ...cli.support.streams import (
    CommandError,
    ProgressBar,
    print_message,
    report_errors,
    report_file_errors,
)
from ...documents.formats.json_text import format_json
from ...engine.semantics.models import Model
from ...engine.syntax.errors import (
    PtxError,
    abbreviate_names,
    format_count,
    format_names,
    make_printable,
)
from ...files import expand_path, replace
from ...sources.source_lines import read_source_lines
from ...sources.source_programs import load
from .cuda_listing import compile_listing, has_kernel, is_cuda_source
from .kernel_report import (
    failure_to_json,
    iter_difference_lines,
    iter_explanation_lines,
    iter_lines,
    iter_origin_lines,
    iter_printed_lines,
    iter_thread_lines,
    run_to_json,
    unoptimized_to_json,
)
from .launches.device_code import DeviceCode, load_device_code
from .launches.expected_elements import (
    NamedBuffer,
    find_differences,
    get_buffer,
    list_buffers,
    parse_expectations,
)
from .launches.kernel_run import DEFAULT_MAX_STEPS, KernelRun, Launch, choose_kernel
from .launches.launch import LaunchShape
from .launches.launch_text import (
    ArgumentError,
    FileArgument,
    convert_bytes,
    find_parameter,
    parse_shape,
    parse_thread,
    parse_values,
)
from .launches.thread_log import ThreadLog
from .launches.thread_state import LaunchError

if TYPE_CHECKING:
    from .launches.run_diagnosis import RunDiagnosis
    from .launches.unoptimized import UnoptimizedDiagnosis


_AnswerT = TypeVar("_AnswerT")
_EPILOG = f"""\
{RUN_HELP}
A kernel whose parameters have values runs from them to its stores, over a grid of blocks: give each
by its name, or as param0, param1, … A pointer takes a buffer: @a.npy, @a.bin:u32, zeros:u32:64,
random:s16:100:SEED, [1,2,3] or [1,2,3]:u8. The run shows the buffers that changed and whether they
are exact: an element is unknown, shown as ?, if an instruction that is not modelled may have
changed it. For such a run, --expect takes param2[3]=0x7f, param2[3]=0x??7f, param2=[1,?,3] or
param2=@expected.npy, and --explain names the lines where one change gives all expected values.

examples:
  ptxscope run kernel.ptx --block 32 param0=@a.npy param1=zeros:u32:64 --save param1=out.npy
  ptxscope run kernel.ptx param0=@a.npy param1=zeros:u32:64 --expect param1=@b.npy --explain
{RUN_EXAMPLES}
Exit status: 0 for success, 1 if a value is not as expected or a kernel cannot continue, 2 if the
request is invalid.
"""
_LAUNCH_OPTIONS = ("explain", "explain_all", "thread", "grid", "block", "shared", "steps", "save")
"""The options that only a launch takes."""


def make_parser() -> Parser:
    """Return the parser of ``ptxscope run``, with the options of kernels."""
    return make_register_parser(_EPILOG, _add_options)


def _add_options(parser: Parser, debugging: argparse._ArgumentGroup) -> None:
    debugging.add_argument(
        "--explain",
        action="store_true",
        help="with --expect, try one change at each instruction of a kernel with parameters",
    )
    debugging.add_argument(
        "--explain-all",
        action="store_true",
        help="like --explain, but try unlikely changes even if a likely one explains everything",
    )
    debugging.add_argument(
        "--timeout",
        type=parse_seconds,
        default=60.0,
        metavar="SECONDS",
        help="time limit of --explain (default: 60)",
    )
    launch = parser.add_argument_group("kernels with parameters")
    launch.add_argument("--grid", metavar="X[,Y[,Z]]", help="blocks (default: 1)")
    launch.add_argument("--block", metavar="X[,Y[,Z]]", help="threads in a block (default: 1)")
    launch.add_argument(
        "--shared", type=int, metavar="BYTES", help="dynamic shared memory of a block"
    )
    launch.add_argument(
        "--save",
        type=OutputName,
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="file for a buffer: .npy, or plain bytes; repeatable",
    )
    launch.add_argument(
        "--steps", metavar="COUNT", help="limit of instructions over all threads (default: 1e8)"
    )
    launch.add_argument(
        "--thread",
        metavar="X[,Y[,Z]][@BLOCK]",
        help="thread whose steps are shown (default block: 0)",
    )


def launch_kernel(words: Sequence[str], text: str, name: str, bar: ProgressBar) -> int | None:
    """Run a kernel of a file's text, print its buffers and the report of fidelity; save buffers.

    Return the exit status, or None if the words of the command are for a run from registers.
    """
    arguments = parse_words(make_parser(), words)
    if not _is_launch(arguments, text, name):
        return None
    compile_again = None
    if is_cuda_source(text, name):
        bar.begin("compiling", is_slow=True)
        compile_again = partial(compile_listing, name, text, is_optimized=False)
        text, name = compile_listing(name, text), ""
    return _launch(arguments, text, name, choose_model(arguments.model), bar, compile_again)


def _is_launch(arguments: argparse.Namespace, text: str, file: str) -> bool:
    """Return whether to run a kernel from its parameters instead of registers."""
    if any(getattr(arguments, x) for x in _LAUNCH_OPTIONS):
        return True
    if not may_be_launch(arguments, text):
        return False
    names = list_names(arguments.values)
    if is_cuda_source(text, file):
        return has_kernel(text, arguments.kernel, names)
    kernels = load_device_code(text, name=file, kernel="").kernels
    return any(find_parameter(kernel, name) is not None for kernel in kernels for name in names)


def _launch(
    arguments: argparse.Namespace,
    text: str,
    file: str,
    model: Model,
    bar: ProgressBar,
    compile_again: Callable[[], str] | None,
) -> int:
    """Run a kernel of a listing; ``compile_again`` returns one of its source, not optimized."""
    if arguments.trace:
        raise CommandError("error: --trace is for runs from registers, not from parameters")
    diagnosis: RunDiagnosis | None = None
    unoptimized: UnoptimizedDiagnosis | None = None
    explains = arguments.explain or arguments.explain_all
    if ".entry" not in text:
        raise CommandError(_describe_lack_of_kernel(arguments, file))
    if explains and not arguments.expect:
        raise CommandError("error: --explain needs --expect NAME=… or NAME[INDEX]=…")
    bar.begin("loading", len(text), "characters")
    code = load_device_code(text, bar.advance_to, name=file, kernel=arguments.kernel)
    sources = read_source_lines(code.text)
    try:
        request = _Request(arguments, code, model, bar, compile_again)
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
                data = failure_to_json(request.launch, error, diagnosis)
                print(format_json(sources.name_lines(data), indent=1))
            else:
                explained = iter_explanation_lines(diagnosis, code.text) if diagnosis else ()
                for line in (*iter_printed_lines(error.printed), *explained):
                    print(make_printable(line))
            raise
        origin_lines = request.find_origins(result)
        has_differences = request.has_differences(result)
        if explains and (has_differences or result.conflicts):
            diagnosis = request.explain(result)
            if not (has_differences or diagnosis.explanations):
                diagnosis = None  # it would only say that the elements are right
            elif has_differences:
                unoptimized = request.explain_unoptimized(result, diagnosis)
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
        data = sources.name_lines(run_to_json(result, request.expected, diagnosis))
        print(format_json(data | unoptimized_to_json(unoptimized), indent=1))
    else:
        if log:
            programs = load(text, file) if may_have_sequences(text) else ()
            sequences = [x for program in programs for x in find_sequences(program)]
            steps = iter_thread_lines(
                log, result.shape, stop_line, watched, sequences, is_folded=arguments.fold
            )
            lines = [*steps, "", *lines]
        if diagnosis:
            explained = iter_explanation_lines(diagnosis, code.text, unoptimized)
            origin_lines = [*origin_lines, *explained]
        report = iter_lines(
            result, is_quiet=arguments.quiet, stop_reason=_describe_limit(arguments)
        )
        for line in (*report, *lines, *origin_lines):
            print(make_printable(line))
    statements = [x for function in code.functions.values() for x in function.statements]
    for note in iter_folding_notes(statements, model):
        print_message(f"note: {note}")
    for name, file in request.saved:
        buffer = result.get_buffer(name)
        if buffer.causes is not None:
            count = int(np.count_nonzero(buffer.causes))
            print_message(f"note: {file} has {format_count(count, 'unknown value')}")
        _write_array_file(file, buffer.data)
    return int(has_differences or bool(result.conflicts) or not result.is_complete)


def _describe_lack_of_kernel(arguments: argparse.Namespace, file: str) -> str:
    """Return the error that no kernel is here for the options, with advice for other programs."""
    options = [f"--{x.replace('_', '-')}" for x in _LAUNCH_OPTIONS if getattr(arguments, x)]
    verb = "need" if len(options) > 1 else "needs"
    message = f"error: there is no kernel (.entry) here; {format_names(options)} {verb} one"
    if arguments.explain or arguments.explain_all:
        place = f"{make_printable(file)}:LINES" if file and file != "-" else "PTX"
        message += f"\nfor a block: ptxscope explain {place} name=value … --got VALUE"
    return message


class _Request:
    """A launch and its expected results, by the arguments of the command."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        code: DeviceCode,
        model: Model,
        bar: ProgressBar,
        compile_again: Callable[[], str] | None,
    ) -> None:
        """``compile_again`` returns a listing of the source that is not optimized."""
        self._arguments, self._bar, self._compile_again = arguments, bar, compile_again
        self._timeout = arguments.timeout / (2 if compile_again else 1)
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
        """Return the computation of the first element that differs, from one more run."""
        for name, elements in self.expected.items():
            buffer = result.get_buffer(name)
            for index in find_differences(result, name, elements):
                thread = buffer.find_thread(index)
                if thread >= 0:
                    log = ThreadLog(thread)
                    self.run(log)
                    return list(iter_origin_lines(log, result.shape, buffer.label, index))
        return []

    def has_differences(self, result: KernelRun) -> bool:
        """Whether some elements are not as expected."""
        return any(find_differences(result, name, x) for name, x in self.expected.items())

    def explain_unoptimized(
        self, result: KernelRun, diagnosis: RunDiagnosis
    ) -> UnoptimizedDiagnosis | None:
        """Return the changes of the listing that is not optimized, if there is a source."""
        if not self._compile_again:
            return None
        from .launches.unoptimized import explain_unoptimized

        with suppress(CommandError):
            text = self._compile_again()
            return self._search(
                lambda advance: explain_unoptimized(
                    self.launch,
                    result,
                    self.expected,
                    text,
                    diagnosis,
                    advance,
                    tries_all=self._arguments.explain_all,
                    timeout=self._timeout,
                )
            )
        return None

    def explain(self, result: KernelRun | None) -> RunDiagnosis:
        """Return the changes that give the expected elements."""
        from .launches.run_explanations import explain_run

        return self._search(
            lambda advance: explain_run(
                self.launch,
                result,
                self.expected,
                advance,
                tries_all=self._arguments.explain_all,
                timeout=self._timeout,
            )
        )

    def _search(self, search: Callable[[Callable[[int, int], None]], _AnswerT]) -> _AnswerT:
        """Return what a search of changes finds, with a bar."""
        bar = self._bar
        bar.begin("explaining", None, "changes")
        reached = [0, 0]

        def advance(count: int, total: int) -> None:
            reached[:] = count, total
            bar.total = total
            bar.advance_to(count)

        try:
            return search(advance)
        except KeyboardInterrupt:
            bar.hide()
            count, total = reached
            place = f"after {count:,} of {total:,} changes" if total else "before the first change"
            print_message(f"interrupted {place}")
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
    """Yield a note if the launch has the default shape, one thread, and no option requested it."""
    if not (arguments.grid or arguments.block):
        yield "note: one thread ran, which is the default; --block X[,Y[,Z]] and --grid give others"


def _describe_limit(arguments: argparse.Namespace) -> str:
    if arguments.steps is None:
        return f"the default of --steps, {DEFAULT_MAX_STEPS:,} instructions"
    return "--steps"


def _find_line(code: DeviceCode, line: int) -> int:
    """Return the first line from a line on that has a statement."""
    find_number = read_source_lines(code.text).find_number
    statements = [y for x in code.functions.values() for y in x.statements]
    lines = [x.line for x in statements if find_number(x.line) >= line]
    if not lines:
        raise ArgumentError(f"--break: no statement is at line {line} or after it")
    return min(lines, key=lambda x: (find_number(x), x))


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
    contents = _read_array_file(file.path, bar)
    if not isinstance(contents, bytes):
        if file.type:
            raise ArgumentError(f"{file.path} has the type of its elements; omit :{file.type}")
        return contents
    if not file.type:
        raise ArgumentError(f"{file.path} is not a .npy file; add the type: @{file.path}:u32")
    return convert_bytes(contents, file.type)


def _read_array_file(name: str, bar: ProgressBar) -> AnyArray | bytes:
    """Return the array of a .npy file, or the bytes of any other file.

    Raise CommandError if it can't be read.
    """
    prefix = f"error: {make_printable(name)}: "
    with report_errors(ValueError, prefix=prefix), open_array_file(name, bar) as (path, source):
        is_array = source.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
        source.seek(0)
        return np.array(map_array(path)) if is_array else source.read()


def _write_array_file(name: str, array: AnyArray) -> None:
    """Write an array to a .npy file, or its bytes to any other file.

    Raise CommandError if it can't be written.
    """
    is_array = Path(name).suffix.lower() == ".npy"
    data = encode_arrays({"": array}, ".npy") if is_array else array.tobytes()
    with report_file_errors(name):
        replace(expand_path(name), data)


def _parse_saved(buffers: Mapping[str, NamedBuffer], texts: Sequence[str]) -> list[tuple[str, str]]:
    saved = list[tuple[str, str]]()
    for text in texts:
        name, separator, file = text.partition("=")
        if not separator or not file:
            raise CommandError(f"error: --save is NAME=FILE, not {make_printable(text)}")
        saved.append((get_buffer(buffers, name.strip()).name, file))
    return saved
