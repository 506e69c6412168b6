"""``lower`` of the call of an intrinsic: what nvcc makes of it, beside the instruction's code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ptxscope.cli.support.ptx_arguments import parse_ptx
from ptxscope.features.machine import tools
from ptxscope.features.machine.form_verdict import decide_line
from ptxscope.features.machine.intrinsic_call import (
    compile_call,
    find_single_call,
    make_call_source,
    write_call_kernel,
)
from ptxscope.features.machine.machine_instruction import parse_disassembly
from ptxscope.features.machine.machine_report import iter_sentences
from ptxscope.features.machine.row_matches import Purpose, list_machine_code
from ptxscope.features.machine.toolchain import (
    NVCC,
    NVDISASM,
    PTXAS,
    Tool,
    ToolError,
    compile_cuda,
    compile_source,
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
    assert of_call.count("not known; nvcc is not found\n") == (not with_nvcc)
    assert "sm_90: 31 instructions\n" in of_line


def test_a_call_that_only_a_block_computes_needs_nvcc(with_nvcc: bool) -> None:
    done = run("lower", "__vhaddu4(a, b)")
    assert done.returncode == (0 if with_nvcc else 2)
    assert "takes one instruction" not in done.stderr
    if with_nvcc:  # the stored code is that of another intrinsic
        assert done.stdout.startswith("__vhaddu4(a, b)\nnvcc 13.0.88, ")
        assert "Equal to no known model: for " in " ".join(done.stdout.split())
    else:
        remark = "`__vhaddu4` is emulated by nvcc 13.0 for sm_75 with 5 other instructions"
        assert done.stderr == f"error: nvcc is not found\nnote: {remark}\n"


def test_the_code_of_a_call_as_json(with_nvcc: bool) -> None:
    document = json.loads(run("lower", CALL, "-f", "json").stdout)
    (target,) = document["targets"]
    assert (document["ptx"], target["count"]) == (LINE, 31)
    call = document["call"]
    assert [*document] == ["ptx", "call", "ptxas", "nvdisasm", "targets"]
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
        ("__vsub4(-5u, x)", "((unsigned)-5ull, *(const unsigned *)(from + 0));"),
    ],
)
def test_a_kernel_has_the_arguments_of_the_call(call: str, expected: str) -> None:
    found = find_single_call(call)
    assert found
    assert expected in write_call_kernel(found, make_call_source(parse_ptx(call)))


@pytest.mark.parametrize(
    "text", ["vavrg4.u32.u32.u32 d, a, b, c", "__vadd4(__vavgu4(a, b), c)", "__vadd4(a)", "f(a)"]
)
def test_other_texts_are_no_single_call(text: str) -> None:
    assert find_single_call(text) is None


def test_the_code_of_another_call_is_refuted() -> None:
    """The code of ``__vavgu4``, which rounds up, against ``__vhaddu4``, which rounds down."""
    source = make_call_source(parse_ptx("h = __vhaddu4(x, y)"))
    verdict = decide_line("h = __vhaddu4(x, y)", source, STORED["k0"])
    x, y = (verdict.operands[name].to_bytes(4, "little") for name in "xy")
    sums = [a + b for a, b in zip(x, y, strict=True)]
    (documented,), (obtained,) = verdict.documented.values(), verdict.obtained.values()
    assert documented == int.from_bytes([n // 2 for n in sums], "little")
    assert obtained == int.from_bytes([(n + 1) // 2 for n in sums], "little")
    listing = list_machine_code("h", source, STORED["k0"], "sm_90")
    assert "it gives h = " in next(iter_sentences(listing))
    assert {x.key for x in listing.instructions if x.purpose is Purpose.STORE} == {"s4.d"}


def test_the_reason_of_nvcc_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "nvcc"
    text = "nvcc fatal   : Failed to preprocess host compiler properties."
    path.write_text(f"#!/bin/sh\necho '{text}' >&2; exit 1\n", "utf-8")
    path.chmod(0o755)
    reason = "nvcc 13.0.88 fails for sm_90: Failed to preprocess host compiler properties$"
    with pytest.raises(ToolError, match=reason):
        compile_cuda(Tool(str(path), (13, 0), "13.0.88"), "", "sm_90")


def has_nvcc() -> bool:
    """Whether nvcc, and what it needs, is here."""
    try:
        compile_cuda(find_tool(NVCC), "", "sm_90")
    except ToolError:
        return False
    return True


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script")
def test_a_source_that_needs_a_newer_target_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """case "$*" in
      *--version) echo 'Cuda compilation tools, release 13.0, V13.0.88';;
      *-arch=sm_90*) for last; do :; done; echo "// $*" > "$last";;
      *) echo 'k.cu(7): error: h is undefined.' >&2; exit 1;;
    esac"""
    path, source = tmp_path / "nvcc", tmp_path / "k.cu"
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    source.write_text("", "utf-8")
    monkeypatch.setenv("PTXSCOPE_NVCC", str(path))
    assert "-arch=sm_90 -lineinfo" in compile_source(str(source))
    path.write_text(f"#!/bin/sh\n{script.replace('sm_90*', 'sm_1*')}\n", "utf-8")
    with pytest.raises(ValueError, match=r"fails on k\.cu:7: h is undefined"):
        compile_source(str(source))


@pytest.mark.skipif(os.name == "nt", reason="the tool is a shell script")
def test_a_source_is_compiled_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may include files beside it."""
    version = "--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'"
    tool = tmp_path / "nvcc"
    tool.write_text(f'#!/bin/sh\ncase "$1" in {version};; *) echo "$@" > "$5";; esac\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PTXSCOPE_NVCC", str(tool))
    monkeypatch.chdir(tmp_path)
    assert compile_source("a.cu").startswith(f"-ptx -lineinfo {tmp_path}/a.cu -o ")
    assert compile_source("a.cu", is_optimized=False).startswith(f"-ptx -G {tmp_path}/a.cu -o ")
    message = 'a.cu(12): error: identifier "x" is undefined'
    tool.write_text(f"#!/bin/sh\ncase \"$1\" in {version};; *) echo '{message}'; exit 2;; esac\n")
    with pytest.raises(ValueError, match=r'on a\.cu:12: identifier "x" is undefined'):
        compile_source("a.cu")
    monkeypatch.setenv("PTXSCOPE_NVCC", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match=r"nowhere cannot be run: No such file"):
        compile_source("a.cu")


@ci_only
@pytest.mark.skipif(not (has_tools() and has_nvcc()), reason="needs nvcc, ptxas and nvdisasm")
@pytest.mark.parametrize(
    "call",
    [
        *("__vavgu4(a, b)", "__vneg4(a)", "__vsub4(b, a)", "__vsads2(a, 0x80007fff)"),
        *("__dp4a(a, b, c)", "__popcll(a)", "__funnelshift_r(b, a, 7)"),
        *("__vcmpltu4(a, b)", "__byte_perm(a, b, c)", "__ffsll(a)", "__vhaddu2(b, 0x17)"),
    ],
)
def test_what_nvcc_makes_has_the_result_of_the_instruction(call: str) -> None:
    found, source = find_single_call(call), make_call_source(parse_ptx(call))
    assert found
    assert [x.name for x in source.results] == ["d"]
    tools_found = find_tool(NVCC), find_tool(PTXAS), find_tool(NVDISASM)
    kernel = compile_call(found, source, "sm_90", tools_found)
    assert decide_line(call, source, kernel).models[0] == "isa"
