"""Reports of faults, repeated by a stranger: with ptxas and nvdisasm alone, in an empty folder."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ptxscope.engine.semantics.rules import FUSION_ERRATA
from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, find_tool
from tests.driving.command_line import run
from tests.driving.feature_tables import needs
from tests.features.machine.command_lines import has_tools
from tests.tiers import ci_only

pytest.importorskip("bitwuzla")

KERNEL = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .pred %p1; .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .b64 %rd1, %rd2;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
  ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+4];
  prmt.b32 %r3, %r1, %r2, 0x8888;
  add.s32 %r10, %r1, %r2;
  cvt.u16.u32 %rs1, %r3;
  setp.lt.u16 %p1, %rs1, 77;
  selp.b32 %r5, %r1, %r2, %p1;
  neg.s32 %r6, %r10;
  cvt.sat.u8.s32 %rs2, %r6;
  st.global.u32 [%rd1], %r5;
  st.global.u16 [%rd1+4], %rs2;
  ret;
}
"""
"""A kernel with E20 and E22, and statements that have no part in them."""


def read_fences(report: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", report, re.M | re.S)


def repeat(report: str, folder: Path) -> str:
    """Run the commands of a report in a folder without anything else; return what they print."""
    (kernel,) = re.findall(r"^`(\w+\.ptx)`:\n\n```ptx\n", report, re.M)
    tools, empty = folder / "bin", folder / "empty"
    tools.mkdir(parents=True)
    empty.mkdir()
    for name in (PTXAS, NVDISASM):
        (tools / name).symlink_to(Path(find_tool(name).path).resolve())
    (empty / kernel).write_text(read_fences(report, "ptx")[0], "utf-8")
    done = subprocess.run(
        ["/bin/sh", "-ec", read_fences(report, "sh")[0]],
        cwd=empty,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def check_code(report: str, output: str) -> None:
    """Check that each instruction of a report is in the disassembly, and that the last stores."""
    code = read_fences(report, "text")[0].splitlines()
    rows = [re.fullmatch(r"[> ]([\da-f]{4})  (.+?)(?:  +(\S.*))?", x) for x in code]
    assert len(rows) > 1
    disassembly = dict(re.findall(r"/\*([\da-f]{4})\*/ +(.+?) *;", output))
    for row in rows:
        assert row
        assert disassembly[row[1]].replace(".reuse", "") == row[2]
    assert rows[-1]
    assert rows[-1][2].startswith("STG")
    (compiled,) = set(re.findall(r"^- Actual: `\S+ = (\w+)`", report, re.M))
    assert rows[-1][3].startswith(compiled)


@needs("check")
@ci_only
@pytest.mark.skipif(not has_tools(), reason="needs ptxas and nvdisasm")
@pytest.mark.parametrize("id_", [x.id for x in FUSION_ERRATA])
def test_the_commands_of_a_report_show_its_machine_code(id_: str, tmp_path: Path) -> None:
    report = run("errata", id_, "-f", "issue").stdout
    check_code(report, repeat(report, tmp_path))
    marks = [x[0] for x in read_fences(report, "text")[0].splitlines()]
    assert marks.count(">") == 1


@needs("check")
@ci_only
@pytest.mark.skipif(not has_tools(), reason="needs ptxas and nvdisasm")
def test_each_erratum_of_a_file_has_a_report_on_its_statements(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(KERNEL, "utf-8")
    text = run("verify", str(path), "-f", "issue").stdout
    reports = re.split(r"^(?=# ptxas: )", text, flags=re.M)[1:]
    bodies = [re.findall(r"^    (\w[^;]+;)$", read_fences(x, "ptx")[0], re.M) for x in reports]
    own = ("ld.", "st.", "ret", "selp.u32 word")
    assert [[y for y in x if not y.startswith(own)] for x in bodies] == [
        ["prmt.b32 %r3, %r1, %r2, 0x8888;", "cvt.u16.u32 %rs1, %r3;", "setp.lt.u16 %p1, %rs1, 77;"],
        ["neg.s32 %r6, %r10;", "cvt.sat.u8.s32 %rs2, %r6;"],
    ]
    for number, report in enumerate(reports):
        check_code(report, repeat(report, tmp_path / str(number)))
