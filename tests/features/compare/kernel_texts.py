"""Kernels to compare: small ones as text, and the comparison of two."""

from __future__ import annotations

from typing import Any

from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.features.compare.comparison import KernelComparison, compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.kernels.launches.device_code import load_device_code

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
PARAMETERS = ".param .u64 i, .param .u64 o, .param .u32 n"
REGISTERS = ".reg .b32 a, b, c, d, n0, t; .reg .b64 I, O, x, y; .reg .pred p, q; .reg .b16 h;"
LOADS = "ld.param.u64 I, [i]; ld.param.u64 O, [o]; ld.param.u32 n0, [n]; mov.u32 t, %tid.x;"


def make_kernel(body: str, *, parameters: str = PARAMETERS, head: str = LOADS) -> str:
    """A kernel of a buffer to read, one to write and a number."""
    lines = "\n".join(x.strip() for x in f"{head}{body}".splitlines())
    return f"{HEAD}.visible .entry k({parameters})\n{{\n{REGISTERS}\n{lines}\nret;\n}}\n"


def read_source(text: str, name: str = "k") -> FileKernel:
    code = load_device_code(text)
    (kernel,) = (x for x in code.kernels if x.name == name)
    return FileKernel(f"{name}.ptx:{name}", f"{name}.ptx", code, kernel, ISA_MODEL)


def compare(a: str, b: str, **options: Any) -> KernelComparison:
    """Compare kernels by their bodies."""
    texts = (x if ".entry" in x else make_kernel(x) for x in (a, b))
    first, second = map(read_source, texts)
    return compare_kernels(first, second, **options)
