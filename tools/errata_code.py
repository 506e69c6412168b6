"""`python3 -m tools.errata_code NVDISASM PTXAS`: the machine code of the errata's examples.

Writes machine_code.csv of the feature `check`: a row for each instruction of the report's kernel,
with its value for the example's operands, for reports without the tools. The whole code is in the
tests of the feature `machine`, which run it again.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from ptxscope.features.check.compiler_fault import make_example_fault
from ptxscope.features.check.known_errata import KNOWN_ERRATA
from ptxscope.features.check.recorded_code import CODE, CodeRow
from ptxscope.features.check.repro_kernel import KERNEL
from ptxscope.features.machine.fault_code import find_fault_code
from ptxscope.features.machine.machine_instruction import parse_disassembly
from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, Tool, compile_ptx, find_tool

KERNELS = Path(__file__).parent.parent / "tests/features/machine/data/repro_kernels.txt"


def _iter_code_lines(id_: str, ptx: str, arch: str, tools: tuple[Tool, Tool]) -> Iterator[str]:
    """Yield the lines of a kernel, as `parse_disassembly` reads them."""
    kernel = parse_disassembly(compile_ptx(*tools, ptx, arch))[KERNEL]
    yield f"// {id_}"
    yield f"\t.section\t.nv.constant0.{KERNEL}"
    yield f"\t.zero\t{len(kernel.constants[0])}"
    yield f"\t.section\t.text.{KERNEL}"
    yield from (f"\t/*{x.offset:04x}*/\t{x.text} ;" for x in kernel.instructions)


def main() -> None:
    """Write the files."""
    nvdisasm, ptxas = map(find_tool, (NVDISASM, PTXAS), sys.argv[1:])
    tools, rows, lines = (ptxas, nvdisasm), list[CodeRow](), list[str]()
    for x in KNOWN_ERRATA:
        fault = make_example_fault(x)
        kernel, arch = fault.kernel, fault.arch
        places = kernel.inputs, kernel.results
        code = find_fault_code(fault.block, kernel.ptx, places, fault.values, arch, tools)
        names = (x.id, code.ptxas, code.nvdisasm, code.arch)
        rows += (CodeRow(*names, *y[:-1], mark="1" * y.is_wrong) for y in code.instructions)
        lines += _iter_code_lines(x.id, kernel.ptx, arch, tools)
    with CODE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(CodeRow._fields)
        writer.writerows(rows)
    KERNELS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
