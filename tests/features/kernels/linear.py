"""Entry points of kernels, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable

from ptxscope.engine.program.variables import Variable
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.launches.launch_text import parse_argument
from ptxscope.features.kernels.launches.printed_text import format_text
from tests.driving.linear_time import return_errors

_POINTER = Variable("a", "param", "u64", 8, 8)

ENTRIES: dict[str, Callable[[str], object]] = {
    "device code": lambda text: load_device_code(f".entry k() {{ {text}"),
    "formats of printf": lambda text: format_text(text, lambda _, count: bytes(count), 0),
    "arguments of kernels": return_errors(lambda text: parse_argument(text, _POINTER)),
}
