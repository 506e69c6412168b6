"""`python3 -m tools.machine_code`: the machine code of a sample of lines, kept for the tests.

Needs nvcc, ptxas and nvdisasm. Writes call.txt, blocks.txt and machine_code_ARCH.txt in
tests/features/machine/data: the text of nvdisasm, without unread parts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from ptxscope import parse
from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.features.machine.form_verdict import list_verified_opcodes
from ptxscope.features.machine.intrinsic_call import (
    KERNEL_NAME,
    find_single_call,
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
    Tool,
    compile_cuda,
    compile_ptx,
    find_tool,
)

TESTS = Path(__file__).resolve().parent.parent / "tests"
BLOCKS = (
    "{ .reg .b16 a; neg.s16 t, a; cvt.s32.s16 d, t; }",
    "{ prmt.b32 t, a, b, 0x8888; and.b32 d, t, 255; }",
    "{ add.s32 t, a, b; sub.sat.s32 d, t, b; }",
    "{ neg.s32 t, a; cvt.sat.u8.s32 d, t; }",
    "{ sub.cc.u32 t, a, b; addc.u32 d, c, 0; }",
    "{ add.s32 t, a, b; min.s32 d, t, c; }",
    "{ setp.lt.s32 p, a, b; @p mov.b32 t, from; @!p mov.b32 t, to; selp.b64 d, x, y, p; "
    "xor.b32 e, t, 1; }",
    "{ .reg .b32 y; mad.wide.u32 x, a, 8, l; popc.b64 y, x; add.u32 e, y, 1; }",
    'asm("{ .reg .pred p; setp.gt.s32 p, %1, %2; selp.b32 %0, %1, %3, p; }" '
    ': "=r"(d) : "r"(a), "r"(5), "n"(-3));',
)
"""Blocks; ptxas compiles the first four to something else at -O3."""
BLOCK_TARGETS = tuple((arch, level) for arch in ("sm_75", "sm_90", "sm_120") for level in (0, 3))
BLOCKS_PATH = TESTS / "features" / "machine" / "data" / "blocks.txt"
CALL, CALL_PATH = "d = __vavgu4(a, b);", TESTS / "features" / "machine" / "data" / "call.txt"
"""The call of an intrinsic, and the file of its and its instruction's machine code."""
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
COUNTED_LINES = {
    "vadd4.s32.s32.s32.sat d, a, b, c": 42,
    "vadd4.u32.u32.u32 d, a, b, c": 5,
    "vset4.u32.u32.lt d, a, b, c": 27,
    "vadd.u32.s32.s32.sat d.b0, a, b, c": 12,
    "vmad.s32.s32.s32.sat.shr15 d, a, b, c": 11,
    "vabsdiff4.u32.u32.u32.add d, a, b, c": 1,
}
"""Lines with their counts of instructions for sm_90, without loads and addresses."""
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
    """Return the counted lines, the errata's lines, and some golden ones."""
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


class BlockSample(NamedTuple):
    """A block with its machine code for a target."""

    arch: str
    level: int
    text: str
    source: KernelSource
    kernel: MachineKernel


def read_blocks() -> list[BlockSample]:
    """Return the blocks with their machine code, by target and level of optimization."""
    text = BLOCKS_PATH.read_text(encoding="utf-8")
    kernels = parse_disassembly(text)
    found = re.findall(r"^// (k\d+): (\w+) -O(\d): (.*)$", text, re.MULTILINE)
    return [
        BlockSample(arch, int(level), x, make_kernel_source(parse_block(x)), kernels[name])
        for name, arch, level, x in found
    ]


def write_blocks(ptxas: Tool, nvdisasm: Tool) -> None:
    """Write the machine code of the blocks."""
    head, kept = [f"// ptxas {ptxas.build}, nvdisasm {nvdisasm.build}"], list[str]()
    sources = [make_kernel_source(parse_block(x)) for x in BLOCKS]
    for part, (arch, level) in enumerate(BLOCK_TARGETS):
        named = [(f"k{len(BLOCKS) * part + i}", x) for i, x in enumerate(sources)]
        ptx = format_module(named, arch, ptxas.version)
        kept += _iter_kept_lines(compile_ptx(ptxas, nvdisasm, ptx, arch, f"-O{level}"))
        head += [
            f"// {name}: {arch} -O{level}: {text}"
            for (name, _), text in zip(named, BLOCKS, strict=True)
        ]
    BLOCKS_PATH.write_text("\n".join([*head, *kept]) + "\n", encoding="utf-8")


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
    write_blocks(ptxas, nvdisasm)
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
