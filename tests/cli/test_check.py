"""`ptxscope check`: listings and sources, line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ptxscope.engine.catalog import CATALOG
from tests.reference_data import DATA, verdicts


def check(*words: str, given: str = "") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "ptxscope", "check", *words]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def found(*words: str, given: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(check("--json", *words, given=given)[1])
    return listed


def test_every_asm_line_of_a_source_is_found_at_its_place() -> None:
    path = DATA / "video.cu"
    lines = path.read_text(encoding="utf-8").splitlines()
    items = found(str(path))
    wanted = [at for at, line in enumerate(lines, 1) if "asm" in line and "//" not in line[:3]]
    assert {item["line"] for item in items} >= {at for at in wanted if '("v' in lines[at - 1]}
    for item in items:
        opcode = item["ptx"].partition(".")[0]
        assert lines[item["line"] - 1][item["column"] - 1 :].startswith(opcode)
        assert item["legal"]


def test_a_listing_of_nvcc_is_checked() -> None:
    status, said, _ = check(str(DATA / "video.ptx"))
    assert status == 0
    assert said.splitlines()[-1].startswith("37 instructions, 0 illegal")


def test_verdicts_on_real_lines_are_as_known() -> None:
    for legal, text in verdicts("lines.txt"):
        items = found("-", given=text)
        assert all(item["legal"] for item in items) == legal, text


def test_an_erratum_that_can_bite_is_a_warning() -> None:
    status, said, _ = check("-", given="mov.u32 a, b;\n  vadd.u32.s32.s32.sat d.b0, a, b, c;")
    assert status == 0
    assert "-:2:3: warning:" in said
    assert "E3" in said


def test_what_is_illegal_is_named_at_its_place() -> None:
    status, said, _ = check("-", given='asm("{\\n\\t"\n    "vadd4.s32.s32.bad d, a, b, c;" ::);')
    assert status == 1
    assert "-:2:" in said
    assert ".bad" in said


def test_other_files_have_nothing_to_check(tmp_path: Path) -> None:
    assert found("-", given="mov.u32 a, b;") == []
    assert check("-", given="")[0] == 0
    status, _, said = check(str(tmp_path / "none.ptx"))
    assert status == 2
    assert "none.ptx: No such file" in said
    assert len(CATALOG) == 27
