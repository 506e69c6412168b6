"""A kernel of a listing with the arguments that the user types for it."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy.typing as npt

from ... import files
from ...engine.arrays.array_reader import read_array
from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.records import FrozenRecord
from ...engine.semantics.models import parse_model
from ...engine.syntax.errors import make_printable
from .launches.device_code import DeviceCode, load_device_code
from .launches.expected_elements import Expectations, list_buffers, parse_expectations
from .launches.kernel_run import Launch, choose_kernel
from .launches.launch import LaunchShape
from .launches.launch_text import (
    POINTER_TYPES,
    Argument,
    ArgumentError,
    FileArgument,
    convert_bytes,
    parse_shape,
    parse_thread,
    parse_values,
)

_MAX_FILE_BYTES = 1 << 26
_OPTIONS = ("--grid", "--block", "--shared", "--steps", "--thread", "--expect")
_MAX_STEPS = 20_000_000
"""Limit of statements of all threads, unless another is typed; the command has another default."""
_COUNT = 64
"""Threads of the suggested launch, and elements of buffers that it does not access."""
_TRIAL_BYTES, _TRIAL_SECONDS = 1 << 20, 0.3
"""The buffers and the limit of the run that shows how large buffers have to be."""


@dataclass(frozen=True, slots=True)
class KernelLaunch(FrozenRecord):
    """A kernel with its arguments."""

    code: DeviceCode = field(compare=False, repr=False)
    kernel: Program
    arguments: Mapping[str, Argument] = field(compare=False, repr=False)
    shape: LaunchShape
    expected: Expectations
    model: str = "isa"
    text: str = ""
    """The arguments as they were typed."""
    thread: int | None = None
    """The number of the thread to follow, of all threads of the grid, if one was typed."""
    max_steps: int = _MAX_STEPS

    def is_of(self, code: DeviceCode, kernel: Program, model: str) -> bool:
        """Whether it is a launch of a kernel of some code, under a model."""
        key = self.code.text, self.kernel.name, self.model
        return key == (code.text, kernel.name, model)

    def make_launch(self) -> Launch:
        """Return the launch."""
        model = parse_model(self.model)
        return Launch(self.code, self.kernel, self.arguments, self.shape, model, self.max_steps)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the kernel and of the functions that it may call."""
        others = [x for x in self.code.functions.values() if not x.is_kernel]
        return tuple(y for x in (self.kernel, *others) for y in x.statements)


def load_kernel(text: str, name: str, kernel: str) -> tuple[DeviceCode, Program]:
    """Return a listing's code and its kernel of a name, or the only one.

    Raise ValueError if none exists, or if a function of that name is not one of several.
    """
    code = load_device_code(text, name=name if "." in name else "")
    names = [x.name for x in code.kernels]
    if kernel not in names and len(names) > 1:
        raise ValueError(
            f"{make_printable(kernel)} is not a kernel; move the cursor into one of the "
            f"{len(names)} kernels and run it there"
        )
    return code, choose_kernel(code, kernel if kernel in names else None)


def suggest_launch(code: DeviceCode, kernel: Program) -> str:
    """Return arguments to begin with: random words for pointers, 64 for the others.

    A run with large buffers shows how many words the kernel accesses. They are 64 if it accesses
    none, and 64 at least if the run does not come to its end in time.
    """
    positions, end = range(len(kernel.parameters)), monotonic() + _TRIAL_SECONDS
    reaches: Mapping[int, int] = {}

    def check_time(*_: object) -> None:
        if monotonic() > end:
            raise TimeoutError

    try:
        arguments = parse_values(
            kernel, _list_arguments(kernel, dict.fromkeys(positions, _TRIAL_BYTES)), _read_file
        )
        shape = LaunchShape(block=(_COUNT, 1, 1))
        reaches, is_complete = Launch(code, kernel, arguments, shape).find_reaches(check_time)
        if not is_complete:
            reaches = {i: max(x, 4 * _COUNT) for i, x in reaches.items()}
    except (MemoryError, ValueError):
        pass  # the launch reports the fault
    return " ".join([f"--block {_COUNT}", *_list_arguments(kernel, reaches)])


def _list_arguments(kernel: Program, reaches: Mapping[int, int]) -> list[str]:
    """Return an argument for each parameter, with buffers of the given bytes by position."""
    words: list[str] = []
    for position, parameter in enumerate(kernel.parameters):
        value = str(_COUNT)
        if parameter.is_array:
            value = f"[{','.join('0' * parameter.bytes)}]:u8"
        elif parameter.type in POINTER_TYPES:
            count = -(-reaches.get(position, 0) // 4) or _COUNT
            value = f"random:u32:{count}:{position + 1}"
        words.append(f"{parameter.name}={value}")
    return words


def parse_launch(code: DeviceCode, kernel: Program, text: str, model: str = "isa") -> KernelLaunch:
    """Return the launch of ``--block 32 a=@a.npy n=5 --expect out=@out.npy``.

    Raise ValueError if an argument does not fit.
    """
    options: dict[str, list[str]] = {x: [] for x in _OPTIONS}
    values: list[str] = []
    words = iter(shlex.split(text))
    for word in words:
        name, separator, value = word.partition("=")
        if name in options:
            options[name].append(value if separator else next(words, ""))
        elif word.startswith("-"):
            raise ArgumentError(f"{word} is not one of {' '.join(options)}")
        else:
            values.append(word)
    last = {name: texts[-1] for name, texts in options.items() if texts}
    shape = LaunchShape(
        parse_shape("--grid", last.get("--grid", "1")),
        parse_shape("--block", last.get("--block", "1")),
        _parse_count("--shared", last.get("--shared", "0")),
    )
    shape.check()
    arguments = parse_values(kernel, values, _read_file)
    buffers = list_buffers(code, kernel, arguments)
    expected = parse_expectations(buffers, options["--expect"], _read_file)
    thread = parse_thread(last["--thread"], shape) if "--thread" in last else None
    max_steps = _parse_count("--steps", last.get("--steps", str(_MAX_STEPS)))
    return KernelLaunch(code, kernel, arguments, shape, expected, model, text, thread, max_steps)


def _parse_count(option: str, text: str) -> int:
    """Return a whole number: ``1024`` or ``1e7``."""
    try:
        number = float(text)
        if number >= 0 and number.is_integer():
            return int(number)
    except ValueError:
        pass
    raise ArgumentError(f"{option} is a whole number, not {text}")


def _read_file(file: FileArgument) -> npt.NDArray[Any]:
    try:
        data = files.read(files.expand_path(file.path), _MAX_FILE_BYTES)
    except OSError as error:
        raise ArgumentError(f"{file.path}: {error.strerror}") from None
    if file.type:
        return convert_bytes(data, file.type)
    try:
        return read_array(io.BytesIO(data))
    except (ValueError, MemoryError):
        message = f"{file.path} is not a .npy file; add the type: @{file.path}:u32"
        raise ArgumentError(message) from None
