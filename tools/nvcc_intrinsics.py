"""nvcc's code for CUDA's integer intrinsics."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ptxscope.engine.isa.intrinsics import Intrinsic, map_intrinsics

_DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
"""Architectures with different code: sm_90 has instructions on half-words."""
STORED = ARCHITECTURES[:2]
"""Architectures with nvcc 13.0's code in tests/data, for machines without nvcc."""

_KERNEL = """\
static_assert(static_cast<{result} (*)({types})>(&{name}) != nullptr, "");
extern "C" __global__ void k{name}({result} *d, {pointers}) {{ *d = {name}({values}); }}
"""
_ENTRY = re.compile(r"^\.visible \.entry k(?P<name>\w+)\(.*?^\}$", re.MULTILINE | re.DOTALL)
_ADDRESS = re.compile(
    r"\b(?:ld\.param\.\w+|cvta\.to\.global\.u64)\s+(?P<target>%\w+), \[?(?P<source>[\w%]+)\]?;"
)
_LOAD = re.compile(r"\bld\.global(?:\.\w+)*\s+(?P<target>%\w+), \[(?P<address>%\w+)\];")


def write_source() -> str:
    """Return CUDA C++ with a kernel for each intrinsic, `k__vadd4`: it reads a, b, c, writes d."""
    return "".join(map(_write_kernel, map_intrinsics().values()))


def _write_kernel(intrinsic: Intrinsic) -> str:
    from ptxscope.features.machine.intrinsic_call import find_prototype

    name, letters = intrinsic.name, intrinsic.parameters
    result, types = find_prototype(intrinsic)
    return _KERNEL.format(
        name=name,
        result=result,
        types=", ".join(types),
        pointers=", ".join(
            f"const {type_} *{letter}" for type_, letter in zip(types, letters, strict=True)
        ),
        values=", ".join(f"*{letter}" for letter in letters),
    )


def read_stored_ptx(architecture: str) -> str:
    """Return the stored PTX of the kernels."""
    return (_DATA / f"nvcc_intrinsics_{architecture}.ptx").read_text("utf-8")


def compile_ptx(architecture: str) -> str:
    """Return the kernels' PTX by the nvcc on the path."""
    with tempfile.TemporaryDirectory() as folder:
        source, listing = Path(folder, "k.cu"), Path(folder, "k.ptx")
        source.write_text(write_source(), "utf-8")
        command = ["nvcc", "-ptx", f"-arch={architecture}", str(source), "-o", str(listing)]
        subprocess.run(command, check=True)
        return listing.read_text("utf-8")


def has_nvcc() -> bool:
    """Return whether there is an nvcc on the path."""
    return shutil.which("nvcc") is not None


def find_version(ptx: str) -> str:
    """Return the version of the nvcc that wrote PTX, such as 13.0.88."""
    match = re.search(r"^// Cuda compilation tools, .*\bV([\d.]+)", ptx, re.MULTILINE)
    return match[1] if match else "of an unknown version"


def map_kernels(ptx: str) -> dict[str, str]:
    """Map the name of each intrinsic to its kernel."""
    return {match["name"]: match[0] for match in _ENTRY.finditer(ptx)}


def map_loads(kernel: str) -> dict[str, str]:
    """Map each loaded register to the letter of the parameter with its address."""
    origins: dict[str, str] = {}
    for match in _ADDRESS.finditer(kernel):
        origins[match["target"]] = origins.get(match["source"], match["source"])
    return {
        match["target"]: "dabc"[int(origins[match["address"]][-1])]
        for match in _LOAD.finditer(kernel)
    }
