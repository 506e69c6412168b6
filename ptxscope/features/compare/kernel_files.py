"""Kernels by the places that users name: ``k.ptx:f``, or ``k.cu:f``, which nvcc compiles."""

from __future__ import annotations

import re

from ...cli.support.inputs import open_text
from ...cli.support.ptx_arguments import PLACE, is_file
from ...cli.support.streams import CommandError
from ...engine.semantics.models import Model
from ...engine.syntax.errors import PtxError, make_printable
from ..kernels.cuda_listing import compile_listing, is_cuda_source, list_parameters
from ..kernels.launches.device_code import load_device_code
from ..kernels.launches.kernel_run import choose_kernel
from .comparison import check_problems
from .file_kernel import FileKernel


class KernelPlace:
    """A text of the command line, which may name a kernel of a file."""

    def __init__(self, text: str) -> None:
        self.text = text
        match = PLACE.fullmatch(text)
        self.file: str = match["file"] if match else ""
        self.kernel: str = (match["kernel"] or "") if match else ""
        self._contents = ""
        if self.kernel and is_file(self.file):
            with open_text(self.file) as stream:
                self._contents = stream.read()

    @property
    def is_kernel(self) -> bool:
        """Whether it names a kernel that is there, or a CUDA source."""
        if not self.kernel or not self._contents:
            return False
        if is_cuda_source(self._contents, self.file):
            return True
        entry = re.compile(rf"\.entry\s++{re.escape(self.kernel)}(?![\w$])")
        return entry.search(self._contents) is not None

    def read(self, model: Model) -> FileKernel:
        """Return the kernel. Raise ValueError for a wrong name, CommandError for illegal PTX."""
        text, declarations = self._contents, list[str]()
        if is_cuda_source(text, self.file):
            declarations = list_parameters(text, self.kernel)
            text = compile_listing(self.file, text)
        code = load_device_code(text, name="" if text is not self._contents else self.file)
        source = FileKernel(
            self.text, self.file, code, choose_kernel(code, self.kernel), model, tuple(declarations)
        )
        try:
            check_problems(source)
        except PtxError as error:
            raise CommandError(error.format_with_lines(f"{make_printable(self.file)}: ")) from None
        return source
