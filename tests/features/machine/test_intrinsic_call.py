"""``lower`` of the call of an intrinsic: what nvcc makes of it, beside the instruction's code."""

from __future__ import annotations

import json

import pytest

from ptxscope import parse
from ptxscope.features.machine import tools
from ptxscope.features.machine.form_verdict import decide_line
from ptxscope.features.machine.intrinsic_call import (
    compile_call,
    find_called_intrinsic,
    write_call_kernel,
)
from ptxscope.features.machine.kernel_source import make_kernel_source
from ptxscope.features.machine.machine_instruction import parse_disassembly
from ptxscope.features.machine.toolchain import (
    NVCC,
    NVDISASM,
    PTXAS,
    Tool,
    ToolError,
    compile_cuda,
    find_tool,
)
from tests.driving.command_line import run
from tests.features.machine.command_lines import has_tools
from tests.tiers import ci_only
from tools.machine_code import CALL_PATH

pytest.importorskip("bitwuzla")

CALL, LINE = "d = __vavgu4(a, b)", "vavrg4.u32.u32.u32 d, a, b, zero"
STORED = parse_disassembly(CALL_PATH.read_text("utf-8"))
"""What nvcc 13.0.88 and ptxas 13.0.88 made of the call, ``k0``, and ptxas of the line, ``k1``."""


@pytest.fixture(params=[True, False], ids=["nvcc", "no nvcc"])
def with_nvcc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Machine code is stored; whether nvcc is found."""
    is_found: bool = request.param

    def find(name: str, *_: object, **__: object) -> Tool:
        if name == NVCC and not is_found:
            raise ToolError("nvcc is not found")
        return Tool(name, (13, 0), "13.0.88")

    monkeypatch.setattr(tools, "find_tool", find)
    monkeypatch.setattr(tools, "compile_kernels", lambda *_: [STORED["k1"]])
    monkeypatch.setattr(tools, "compile_call", lambda *_: STORED["k0"])
    return is_found


def test_the_instructions_of_a_line_are_not_those_of_a_call(with_nvcc: bool) -> None:
    done = run("lower", f"{CALL};")
    assert done.returncode == 0, done.stderr
    of_call, line, of_line = done.stdout.partition(f"\n{LINE}\n")
    assert of_call.startswith(f"{CALL}\n")
    assert line
    # the average is a | b, minus half of a ^ b: four machine instructions (CUDA's header)
    assert of_call.count("sm_90: 4 instructions\n") == with_nvcc
    assert of_call.count("Equal to isa") == with_nvcc
    assert of_call.count("not known: nvcc is not found.") == (not with_nvcc)
    assert "sm_90: 31 instructions\n" in of_line


def test_the_code_of_a_call_as_json(with_nvcc: bool) -> None:
    document = json.loads(run("lower", CALL, "-f", "json").stdout)
    (target,) = document["targets"]
    assert (document["ptx"], target["count"]) == (LINE, 31)
    call = document["call"]
    assert call["text"] == CALL
    assert [x["count"] for x in call["targets"]] == [4] * with_nvcc
    assert (call["nvcc"], call["problem"]) == (
        ("13.0.88", "") if with_nvcc else ("", "nvcc is not found")
    )
    assert "call" not in json.loads(run("lower", LINE, "-f", "json").stdout)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("__vneg4(x)", "__vneg4(*(const unsigned *)(from + 0));"),  # vsub4 d, 0, x
        ("__vsub4(x, x)", "(*(const unsigned *)(from + 0), *(const unsigned *)(from + 0));"),
        ("__vsub4(x, 0x7f)", "(*(const unsigned *)(from + 0), (unsigned)0x7full);"),
        ("__clzll(x)", "*(int *)(to + 0) = __clzll(*(const long long *)(from + 0));"),
        ("__byte_perm(x, y, 0x3210)", "*(const unsigned *)(from + 8), (unsigned)0x3210ull);"),
    ],
)
def test_a_kernel_has_the_arguments_of_the_call(call: str, expected: str) -> None:
    ins = parse(call)
    intrinsic = find_called_intrinsic(ins)
    assert intrinsic
    assert expected in write_call_kernel(intrinsic, make_kernel_source(ins))


def test_ptx_is_not_a_call() -> None:
    assert find_called_intrinsic(parse("vavrg4.u32.u32.u32 d, a, b, c")) is None
    assert find_called_intrinsic(parse('asm("popc.b32 %0, %1;" : "=r"(d) : "r"(a));')) is None


def has_nvcc() -> bool:
    """Whether nvcc, and what it needs, is here."""
    try:
        compile_cuda(find_tool(NVCC), "", "sm_90")
    except ToolError:
        return False
    return True


@ci_only
@pytest.mark.skipif(not (has_tools() and has_nvcc()), reason="needs nvcc, ptxas and nvdisasm")
@pytest.mark.parametrize(
    "call",
    [
        *("__vavgu4(a, b)", "__vneg4(a)", "__vsub4(b, a)", "__vsads2(a, 0x80007fff)"),
        *("__dp4a(a, b, c)", "__popcll(a)", "__funnelshift_r(b, a, 7)"),
    ],
)
def test_what_nvcc_makes_has_the_result_of_the_instruction(call: str) -> None:
    ins = parse(call)
    source, intrinsic = make_kernel_source(ins), find_called_intrinsic(ins)
    assert intrinsic
    tools_found = find_tool(NVCC), find_tool(PTXAS), find_tool(NVDISASM)
    kernel = compile_call(intrinsic, source, "sm_90", tools_found)
    assert decide_line(call, source, kernel).models[0] == "isa"
