"""The machine code of the reports of faults: run again, marked again, assembled again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.documents.formats.report import write_report
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.features.machine import fault_code
from ptxscope.features.machine.fault_code import find_fault_code, list_values
from ptxscope.features.machine.kernel_source import KernelSource, ParameterSlot
from ptxscope.features.machine.machine_instruction import parse_disassembly
from ptxscope.features.machine.machine_report import (
    code_to_json,
    iter_listing_blocks,
    make_code_lines,
)
from ptxscope.features.machine.row_matches import list_machine_code
from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, Tool, compile_ptx, find_tool
from ptxscope.features.machine.verification import Task, iter_line_verdicts
from tests.features.machine.command_lines import has_tools
from tests.tiers import ci_only, whole

pytest.importorskip("bitwuzla")
fault = pytest.importorskip("ptxscope.features.check.compiler_fault")
erratum_texts = pytest.importorskip("ptxscope.features.check.erratum_texts")
recorded_code = pytest.importorskip("ptxscope.features.check.recorded_code")
known_errata = pytest.importorskip("ptxscope.features.check.known_errata")

KERNELS = (Path(__file__).parent / "data" / "repro_kernels.txt").read_text("utf-8")
"""What ptxas 13.0.88 made of the kernel of each erratum, for sm_90, or sm_120 for F2."""
DISASSEMBLIES: Mapping[str, str] = dict(re.findall(r"^// (\w+)\n((?:\t.*\n)+)", KERNELS, re.M))
IDS = [x.id for x in known_errata.KNOWN_ERRATA]
BRANCHING = "E17"
TOOLS = Tool(PTXAS, (13, 0), "13.0.88"), Tool(NVDISASM, (13, 5), "13.5.37")


@pytest.fixture
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools answer with the stored code, by the kernel."""
    kernels = {
        fault.make_example_fault(x).kernel.ptx: DISASSEMBLIES[x.id]
        for x in known_errata.KNOWN_ERRATA
    }
    monkeypatch.setattr(fault_code, "compile_ptx", lambda *words: kernels[words[2]])
    monkeypatch.setattr(fault_code, "find_tool", lambda name: TOOLS[name == NVDISASM])


@pytest.mark.usefixtures("_stored")
@pytest.mark.parametrize("id_", IDS)
@whole
def test_the_code_of_a_kernel_computes_the_compiled_result(id_: str) -> None:
    x = known_errata.find_erratum(id_)
    example = fault.make_example_fault(x)
    kernel = example.kernel
    places = kernel.inputs, kernel.results
    code = find_fault_code(example.block, kernel.ptx, places, example.values)
    if id_ == BRANCHING:
        assert "no known meaning" in code.problem
        return
    *_, compiled = x.example  # of the tables of SEMANTICS.md and PLAIN.md
    assert code.results == {"d": compiled}


@pytest.mark.usefixtures("_stored")
@pytest.mark.parametrize("id_", IDS)
@whole
def test_the_record_has_the_values_of_the_code(id_: str) -> None:
    x = known_errata.find_erratum(id_)
    listing = fault.find_code(fault.make_example_fault(x))
    assert not listing.is_recorded
    shown = [row._replace(erratum=id_, arch="") for row in listing.rows]
    assert shown == [row._replace(arch="") for row in recorded_code.load_code()[id_]]


@pytest.mark.usefixtures("_stored")
def test_values_are_those_of_arithmetic() -> None:
    example = fault.make_example_fault(known_errata.find_erratum("E3"))
    kernel = example.kernel
    places = kernel.inputs, kernel.results
    for a, b in ((-1, 0), (200, 100), (-300, 44), (3, 4)):
        values = {"a": a % 2**32, "b": b % 2**32, "c": 0x11223344}
        code = find_fault_code(example.block, kernel.ptx, places, values)
        written = {x.text.split()[0]: x.value for x in code.instructions}
        total = (a + b) % 2**64
        carry = "true" if a % 2**32 + b % 2**32 >= 2**32 else "false"
        assert written["IADD3"] == f"{total % 2**32:#010x}, {carry}"
        assert written["LEA.HI.X.SX32"] == f"{total >> 32:#010x}"
        assert written["ISETP.GT.U32.AND"] == ("true" if total > 255 else "false")
        assert written["STG.E"] == f"{0x11223300 | min(total, 255):#010x}"
        # the lane's bounds are 0 and 255: the first wrong one is there only for a negative sum
        assert [x.offset for x in code.instructions if x.is_wrong] == ["0100"] * (a + b < 0)


@pytest.mark.usefixtures("_stored")
def test_values_stand_beside_the_code_of_a_line() -> None:
    text = DISASSEMBLIES["E3"]
    example = fault.make_example_fault(known_errata.find_erratum("E3"))
    kernel = example.kernel
    inputs, results = (
        tuple(ParameterSlot(*x) for x in group) for group in (kernel.inputs, kernel.results)
    )
    source = KernelSource(example.block, inputs, results, {}, thread=0)
    (code,) = parse_disassembly(text).values()
    values = list_values(source, code, {"a": 5, "b": 6, "c": 0})
    listing = list_machine_code("", source, code, "sm_90")._replace(values=values)
    lines = {x.offset: x for x in make_code_lines(listing)}
    assert lines["0090"].value == "0x0000000b, false"  # 5 + 6
    assert lines["0090"].purpose == "add t"
    shown_lines = write_report(iter_listing_blocks("", [listing], "")).splitlines()
    assert any(re.search(r"0090  .*  +0x0000000b, false  add t$", x) for x in shown_lines)
    shown = code_to_json(listing)["instructions"]
    assert isinstance(shown, list)
    assert "0x0000000b, false" in [x["value"] for x in shown]
    assert "value" not in code_to_json(listing._replace(values={}))["instructions"][0]  # type: ignore[index]


@pytest.mark.skipif(not has_tools(), reason="needs NVIDIA's tools")
@pytest.mark.parametrize("id_", IDS)
@whole
def test_the_kernel_assembles_and_computes_the_compiled_result(id_: str) -> None:
    tools = find_tool(PTXAS), find_tool(NVDISASM)
    example = fault.make_example_fault(known_errata.find_erratum(id_))
    kernel, places = example.kernel, (example.kernel.inputs, example.kernel.results)
    has_usual_arch = example.arch == fault.DEFAULT_ARCH
    for arch in ("sm_75", "sm_90", "sm_120") if has_usual_arch else (example.arch,):
        assert "STG" in compile_ptx(*tools, kernel.ptx, arch)
        code = find_fault_code(example.block, kernel.ptx, places, example.values, arch, tools)
        # for sm_75, an address is in a uniform register, which is not interpreted
        if tools[0].version == (13, 0) and id_ != BRANCHING and arch != "sm_75":
            assert code.results == {"d": example.compiled["d"]}


@ci_only
@pytest.mark.skipif(not has_tools(), reason="needs NVIDIA's tools")
def test_the_lines_that_are_called_right_are_as_documented() -> None:
    task = Task(find_tool(PTXAS), find_tool(NVDISASM), "sm_90", 60)
    lines = {x for texts in erratum_texts.load_texts().values() for x in texts.siblings}
    instructions = [
        parse_block(x) if x.startswith("{") else known_errata.parse(x) for x in sorted(lines)
    ]
    for _, verdict in iter_line_verdicts(task, instructions):
        assert ISA_MODEL.name in verdict.models, verdict
