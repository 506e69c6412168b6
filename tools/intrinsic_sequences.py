"""`python3 -m tools.intrinsic_sequences`: the table of sequences that compute CUDA's intrinsics.

Writes features/sequences/patterns.txt from nvcc's code for each SIMD intrinsic, and for the same
written by hand. Each row is proved; without a proof, nothing is written.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.features.sequences.dataflow import CONSTANT, INPUT, DataFlow, find_flow
from ptxscope.features.sequences.patterns import Pattern, PatternIndex, read_pattern, write_ptx
from ptxscope.sources.source_programs import load

from .nvcc_intrinsics import compile_ptx, find_version, map_kernels, map_loads

TABLE = Path(__file__).resolve().parent.parent / "ptxscope/features/sequences/patterns.txt"
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
SIMD = re.compile(r"__v[a-z]+[24]|__vi\w+16x2\w*")
"""The names of intrinsics on lanes: other sequences are too common."""
MIN_OPERATIONS = 2
TIMEOUT = 120.0

_HIGH, _LOW = {"4": "0x80808080u", "2": "0x80008000u"}, {"4": "0x7f7f7f7fu", "2": "0x7fff7fffu"}
_UPPER, _ONES = {"4": "0xfefefefeu", "2": "0xfffefffeu"}, {"4": "0x01010101u", "2": "0x00010001u"}
IDIOMS = (
    ("__vadd", "((a & {low}) + (b & {low})) ^ ((a ^ b) & {high})"),
    ("__vsub", "((a | {high}) - (b & {low})) ^ ((a ^ ~b) & {high})"),
    ("__vsub", "((a | {high}) - (b & {low})) ^ (~(a ^ b) & {high})"),
    ("__vsub", "((a | {high}) - (b & {low})) ^ ((a ^ b ^ {high}) & {high})"),
    ("__vneg", "({high} - (a & {low})) ^ (~a & {high})"),
    ("__vhaddu", "(a & b) + (((a ^ b) & {upper}) >> 1)"),
    ("__vhaddu", "(a & b) + (((a ^ b) >> 1) & {low})"),
    ("__vavgu", "(a | b) - (((a ^ b) & {upper}) >> 1)"),
    ("__vavgu", "(a | b) - (((a ^ b) >> 1) & {low})"),
    ("__vcmpne", "{fill}((((a ^ b) & {low}) + {low}) | (a ^ b))"),
    ("__vcmpeq", "{fill}(~((((a ^ b) & {low}) + {low}) | (a ^ b)))"),
    ("__vcmpeq", "{fill}(~((((a ^ b) & {low}) + {low}) | (a ^ b) | {low}))"),
    ("__vsetne", "(((((a ^ b) & {low}) + {low}) | (a ^ b)) & {high}) >> {top}"),
    ("__vsetne", "(((((a ^ b) & {low}) + {low}) | (a ^ b)) >> {top}) & {ones}"),
    ("__vseteq", "(~((((a ^ b) & {low}) + {low}) | (a ^ b)) & {high}) >> {top}"),
    ("__vseteq", "(~((((a ^ b) & {low}) + {low}) | (a ^ b)) >> {top}) & {ones}"),
    ("__vseteq", "~((((a ^ b) & {low}) + {low}) | (a ^ b) | {low}) >> {top}"),
    ("__vsetltu", "(((~a & b) | (~(a ^ b) & ((a | {high}) - (b & {low})) ^ ~(a ^ b) & {high}))"
                  " & {high}) >> {top}"),
    ("__vsetltu", "(((~a & b) | ((~a | b) & ~((a | {high}) - (b & {low})))) & {high}) >> {top}"),
    ("__vsetltu", "(((~a & b) | (~(a ^ b) & ~((a | {high}) - (b & {low})))) & {high}) >> {top}"),
    ("__vsetltu", "(((~a & b) | (~(a ^ b) & ~((a | {high}) - (b & {low})))) >> {top}) & {ones}"),
    ("__vcmpltu", "{fill}((~a & b) | (~(a ^ b) & ~((a | {high}) - (b & {low}))))"),
    ("__vabs", "(a ^ {spread}) + ({spread} & {ones})"),
)  # fmt: skip
"""Intrinsics without their number of lanes, and common C for them, of a and b.

``{fill}(x)`` is ``prmt`` that repeats the top bit of each lane; ``{spread}`` is the same of a.
"""


def main() -> None:
    """Write the table, and print its size."""
    patterns, version = list[Pattern](), ""
    for pattern, ptx_version in _iter_patterns():
        version = ptx_version
        if not is_known(pattern, patterns):
            prove_pattern(pattern)
            patterns.append(pattern)
            print(pattern, flush=True)
    TABLE.write_text(_format_table(patterns, version), "utf-8")
    count = len({x.intrinsic for x in patterns})
    sys.stderr.write(f"{len(patterns)} sequences for {count} intrinsics\n")


def _iter_patterns() -> Iterator[tuple[Pattern, str]]:
    """Yield the patterns of nvcc's code, and its version."""
    for architecture in ARCHITECTURES:
        ptx = compile_ptx(architecture)
        for name, kernel in map_kernels(ptx).items():
            if SIMD.fullmatch(name):
                pattern = read_kernel(name, kernel)
                if pattern.operation_count >= MIN_OPERATIONS:
                    yield pattern, find_version(ptx)
        for name, expression in _iter_idioms():
            pattern = read_kernel(name, compile_expression(name, expression, architecture))
            if pattern.operation_count >= MIN_OPERATIONS:
                yield pattern, find_version(ptx)


def _iter_idioms() -> Iterator[tuple[str, str]]:
    """Yield the intrinsics and their C."""
    for name, expression in IDIOMS:
        for lanes, selector in (("4", "0xba98"), ("2", "0xbb99")):
            text = expression.format(
                high=_HIGH[lanes],
                low=_LOW[lanes],
                upper=_UPPER[lanes],
                ones=_ONES[lanes],
                top={"4": 7, "2": 15}[lanes],
                fill=f"fill<{selector}>",
                spread=f"fill<{selector}>(a)",
            )
            yield f"{name}{lanes}", text


_SOURCE = """\
template <unsigned S> __device__ unsigned fill(unsigned x) {{
  unsigned d; asm("prmt.b32 %0, %1, 0, %2;" : "=r"(d) : "r"(x), "n"(S)); return d;
}}
extern "C" __global__ void k{name}(unsigned *d, const unsigned *p, const unsigned *q) {{
  unsigned a = *p, b = *q; *d = {expression};
}}
"""


def compile_expression(name: str, expression: str, architecture: str) -> str:
    """Return nvcc's kernel for C that computes an intrinsic of a and b."""
    if len(map_intrinsics()[name].parameters) == 1:
        expression = f"{expression} + 0 * b"
    with tempfile.TemporaryDirectory() as folder:
        source, listing = Path(folder, "k.cu"), Path(folder, "k.ptx")
        source.write_text(_SOURCE.format(name=name, expression=expression), "utf-8")
        command = ["nvcc", "-ptx", f"-arch={architecture}", str(source), "-o", str(listing)]
        subprocess.run(command, check=True)
        return map_kernels(listing.read_text("utf-8"))[name]


def read_kernel(name: str, kernel: str) -> Pattern:
    """Return the dataflow of a kernel that loads its operands and stores one result."""
    from ptxscope.features.sequences.sequence_dataflow import extract_pattern

    (program,) = load(kernel, "k.ptx")
    flow = find_flow(program.statements)
    letters = map_loads(kernel)
    arguments = {
        number: letters[flow.registers[number]]
        for number, node in enumerate(flow.nodes)
        if node.operation == INPUT and flow.registers[number] in letters
    }
    computed = [x for x, y in enumerate(flow.nodes) if y.operation not in (INPUT, CONSTANT)]
    # a node that is not the last one would be refuted
    return read_pattern(str(extract_pattern(flow, computed[-1], name, arguments)))


def is_known(pattern: Pattern, patterns: list[Pattern]) -> bool:
    """Return whether a pattern equals one of some others, except for the order of operands."""
    flow = DataFlow()
    numbers = [
        flow.add_input(letter) if node.operation == INPUT else flow.add(node)
        for node, letter in zip(
            pattern.nodes, pattern.parameters.ljust(len(pattern.nodes)), strict=True
        )
    ]
    match = PatternIndex(patterns).find_match(flow, numbers[-1])
    return match is not None and match.pattern.operation_count == pattern.operation_count


def prove_pattern(pattern: Pattern) -> None:
    """Prove that a pattern computes its intrinsic; raise ValueError if the solver does not."""
    from ptxscope.features.prove.equivalence import prove_equal, read_program
    from ptxscope.features.prove.proof import Verdict

    call = f"d = {pattern.intrinsic}({', '.join(pattern.parameters)});"
    proof = prove_equal(read_program(write_ptx(pattern)), read_program(call), timeout=TIMEOUT)
    if proof.verdict is not Verdict.EQUAL:
        raise ValueError(f"{proof.verdict}: {pattern}")


def _format_table(patterns: list[Pattern], version: str) -> str:
    lines = "\n".join(map(str, sorted(patterns, key=lambda x: x.intrinsic)))
    return f"""\
# Sequences that compute an intrinsic of CUDA, each proved for all operands.
#
# `python3 -m tools.intrinsic_sequences` writes this from what nvcc {version} makes of the
# intrinsics for {", ".join(ARCHITECTURES)}, and of the same written by hand.
#
# A line has the intrinsic and its operations in order: of letters, the parameters; of numbers, the
# results of earlier operations, from 0; of constants, in hexadecimal. The last one is the result.
{lines}
"""


if __name__ == "__main__":
    main()
