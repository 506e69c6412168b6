"""`python3 -m tools.machine_code`: the machine code of a sample of lines, kept for the tests.

Needs nvcc, ptxas and nvdisasm. Writes call.txt and machine_code_ARCH.txt in
tests/features/machine/data: the text of nvdisasm, without what nothing reads.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from ptxscope import parse
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.syntax.intrinsic_calls import find_single_call
from ptxscope.features.machine.form_verdict import list_verified_opcodes
from ptxscope.features.machine.intrinsic_call import (
    KERNEL_NAME,
    write_call_kernel,
)
from ptxscope.features.machine.kernel_source import (
    KernelSource,
    format_module,
    make_kernel_source,
)
from ptxscope.features.machine.machine_instruction import MachineKernel, parse_disassembly
from ptxscope.features.machine.toolchain import (
    DEFAULT_ARCH,
    NVCC,
    NVDISASM,
    PTXAS,
    compile_cuda,
    compile_ptx,
    find_tool,
)

TESTS = Path(__file__).resolve().parent.parent / "tests"
CALL, CALL_PATH = "d = __vavgu4(a, b);", TESTS / "features" / "machine" / "data" / "call.txt"
"""The call of an intrinsic, and the file of its machine code and of its instruction's."""
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
COUNTED_LINES = {
    "vadd4.s32.s32.s32.sat d, a, b, c": 42,
    "vadd4.u32.u32.u32 d, a, b, c": 5,
    "vset4.u32.u32.lt d, a, b, c": 27,
    "vadd.u32.s32.s32.sat d.b0, a, b, c": 12,
    "vmad.s32.s32.s32.sat.shr15 d, a, b, c": 11,
    "vabsdiff4.u32.u32.u32.add d, a, b, c": 1,
}
"""Lines and their instructions for sm_90, without loads and addresses, as counted elsewhere."""
_LINES_OF_OPCODE = 3
_SECTION = re.compile(r"\s*\.section\s+(\S+)")
_KEPT_SECTION = re.compile(r"\.(?:text|nv\.constant\d)\.k\d+")
_KEPT_LINE = re.compile(r"\s*(?:/\*[0-9a-f]{4,8}\*/(?!\s+NOP;)|\.zero)")
_WITH_CONTROL_FLOW = "fns"


class Sample(NamedTuple):
    """A line of the sample with its machine code."""

    line: str
    source: KernelSource
    kernel: MachineKernel


def list_lines() -> list[str]:
    """Return the lines: those that are counted, the errata's, and some of the golden ones."""
    lines = [*COUNTED_LINES]
    lines += [x.example[0] for x in ERRATA if _WITH_CONTROL_FLOW not in x.opcodes]
    golden: dict[str, list[str]] = {}
    with (TESTS / "data" / "golden.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            golden.setdefault(row["ptx"].split(".")[0], []).append(row["ptx"])
    rng = Random(28)
    for opcode in list_verified_opcodes():
        lines += rng.sample(sorted(set(golden[opcode])), _LINES_OF_OPCODE)
    return [*dict.fromkeys(line.rstrip(";") for line in lines)]


def get_path(arch: str) -> Path:
    """Return the file of a target."""
    return TESTS / "features" / "machine" / "data" / f"machine_code_{arch}.txt"


def read_samples(arch: str) -> list[Sample]:
    """Return the lines of a target's file with their machine code."""
    text = get_path(arch).read_text(encoding="utf-8")
    kernels = parse_disassembly(text)
    lines = re.findall(r"^// (k\d+): (.*)$", text, re.MULTILINE)
    return [Sample(line, make_kernel_source(parse(line)), kernels[name]) for name, line in lines]


def _iter_kept_lines(listing: str) -> Iterator[str]:
    """Yield the lines of code and constants, without indentation."""
    is_kept = False
    for line in listing.splitlines():
        if match := _SECTION.match(line):
            name = match[1].split(",")[0]
            is_kept = bool(_KEPT_SECTION.fullmatch(name))
            if is_kept:
                yield f".section {name}"
        elif is_kept and _KEPT_LINE.match(line):
            yield " ".join(line.split())


def main() -> None:
    """Write the files."""
    nvcc, ptxas, nvdisasm = map(find_tool, (NVCC, PTXAS, NVDISASM))
    named = [(f"k{index}", line) for index, line in enumerate(list_lines())]
    sources = [(name, make_kernel_source(parse(line))) for name, line in named]
    for arch in ARCHITECTURES:
        listing = compile_ptx(ptxas, nvdisasm, format_module(sources, arch, ptxas.version), arch)
        kept = _iter_kept_lines(listing)
        head = [f"// ptxas {ptxas.build}, nvdisasm {nvdisasm.build}, {arch}"]
        head += [f"// {name}: {line}" for name, line in named]
        get_path(arch).write_text("\n".join([*head, *kept]) + "\n", encoding="utf-8")
    ins, call_in_c = parse(CALL), find_single_call(CALL)
    source = make_kernel_source(ins)
    assert call_in_c
    ptx_of_call = compile_cuda(nvcc, write_call_kernel(call_in_c, source), DEFAULT_ARCH)
    ptx_of_line = format_module([("k1", source)], DEFAULT_ARCH, ptxas.version)
    call = compile_ptx(ptxas, nvdisasm, ptx_of_call, DEFAULT_ARCH).replace(KERNEL_NAME, "k0")
    line = compile_ptx(ptxas, nvdisasm, ptx_of_line, DEFAULT_ARCH)
    head = [f"// nvcc {nvcc.build}, ptxas {ptxas.build}, nvdisasm {nvdisasm.build}"]
    head += [f"// k0: {CALL}", f"// k1: {ins}"]
    kept = _iter_kept_lines(f"{call}\n{line}")
    CALL_PATH.write_text("\n".join([*head, *kept]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
