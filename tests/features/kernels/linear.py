"""Entry points of kernels, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable

from ptxscope.engine.program.variables import Variable
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.launches.launch_text import parse_argument, read_arguments
from ptxscope.features.kernels.launches.printed_text import format_text
from ptxscope.sources.source_lines import SourceLines
from tests.driving.linear_time import return_errors

_KERNEL = load_device_code(".entry k(.param .b8 a[8]) { ret; }").kernels[0]
_POINTER = Variable("a", "param", "u64", 8, 8)

ENTRIES: dict[str, Callable[[str], object]] = {
    "device code": lambda text: load_device_code(f".entry k() {{ {text}"),
    "formats of printf": lambda text: format_text(text, lambda _, count: bytes(count), 0),
    "fields of structures": return_errors(
        lambda text: read_arguments(_KERNEL, {"a": f"{{{text}}}"})
    ),
    "lines of sources": lambda text: SourceLines(f".loc 1 2 3\n{text}"),
    "arguments of kernels": return_errors(lambda text: parse_argument(text, _POINTER)),
}
