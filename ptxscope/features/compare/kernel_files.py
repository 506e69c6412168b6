"""Kernels by the place that a user names: ``k.ptx:f``, or ``k.cu:f``, which nvcc compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ...engine.program.program import Program
from ...engine.semantics.models import Model
from ...engine.syntax.errors import abbreviate_names, make_printable
from ..kernels.launches.device_code import DeviceCode, load_device_code
from .comparison import KernelSource

CUDA_SUFFIX = ".cu"
_MANGLED = re.compile(r"_Z(\d+)(\w+)")
_COMPILE_SECONDS = 120


class KernelError(ValueError):
    """A kernel that cannot be read. Its text is one sentence."""


def read_kernel(label: str, path: str, name: str, model: Model) -> KernelSource:
    """Return a kernel of a file, whose CUDA is compiled. Raise KernelError if there is none."""
    if path.endswith(CUDA_SUFFIX):
        text, file = compile_cuda(path), f"{Path(path).stem}.ptx"
    else:
        text, file = Path(path).read_text("utf-8", "replace"), path
    code = load_device_code(text, name=Path(file).name)
    return KernelSource(label, file, code, find_kernel(code, path, name), model)


def find_kernel(code: DeviceCode, path: str, name: str) -> Program:
    """Return the kernel of a name, which C++ may have mangled. Raise KernelError if none exists."""
    kernels = {x.name: x for x in code.kernels if x.has_body}
    if name in kernels:
        return kernels[name]
    found = [x for key, x in kernels.items() if _get_plain_name(key) == name]
    if len(found) == 1:
        return found[0]
    names = abbreviate_names([*kernels]) if kernels else "no kernel"
    raise KernelError(f"{path} has {names}, not one kernel {name}")


def _get_plain_name(name: str) -> str:
    """Return the name of a function as it is written in C++, if its mangled name begins so."""
    match = _MANGLED.match(name)
    return match[2][: int(match[1])] if match else name


def compile_cuda(path: str) -> str:
    """Return the PTX that nvcc makes of a file. Raise KernelError if it is not there or fails."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise KernelError(f"{path} is CUDA, which nvcc compiles, but no nvcc is in the PATH")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "kernels.ptx"
        command = [nvcc, "-ptx", "-lineinfo", str(Path(path).resolve()), "-o", str(output)]
        try:
            done = subprocess.run(  # noqa: S603 - the words are not text of a shell
                command, capture_output=True, text=True, timeout=_COMPILE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KernelError(f"nvcc cannot compile {path}: {error}") from None
        if done.returncode:
            lines = [x for x in (done.stderr or done.stdout).splitlines() if "error" in x]
            reason = make_printable(lines[0]) if lines else f"status {done.returncode}"
            raise KernelError(f"nvcc cannot compile {path}: {reason}")
        return output.read_text("utf-8")
