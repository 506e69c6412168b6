"""A kernel to compare, with the file that it is in."""

from __future__ import annotations

from typing import NamedTuple

from ...engine.program.program import Program
from ...engine.semantics.models import ISA_MODEL, Model
from ...sources.source_lines import read_source_lines
from ..kernels.launches.device_code import DeviceCode

LETTERS = "AB"
"""The names of the two kernels of a comparison."""


class FileKernel(NamedTuple):
    """A kernel to compare."""

    label: str
    """``k.ptx:f``, as it was named."""
    file: str
    """The file of its PTX, for commands."""
    code: DeviceCode
    kernel: Program
    model: Model = ISA_MODEL
    declarations: tuple[str, ...] = ()
    """The parameters as a CUDA source declares them; empty if none is known."""

    def format_line(self, line: int) -> str:
        """Return ``line 12 (k.cu:5)``, or ``line 12`` if no ``.loc`` names the source."""
        return read_source_lines(self.code.text).format_line(line)
