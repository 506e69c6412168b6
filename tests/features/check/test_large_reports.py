"""Reports that are larger than what their reader would like to hold in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import ci_only

HEAD = ".version 8.0\n.target sm_75\n.reg .b32 %r<9>;\n"
LINES = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r2, %r3;\nvadd4.u32.u32.u32.sta %r1, %r2, %r3, %r1;\n"
_MAX_MEMORY_KIB = 400_000


@ci_only
@pytest.mark.skipif(os.name != "posix", reason="no measure of memory")
def test_a_sarif_log_of_100_megabytes_is_whole_and_needs_little_memory(tmp_path: Path) -> None:
    count = 85_000
    source, log = tmp_path / "large.ptx", tmp_path / "large.sarif"
    source.write_text(HEAD + LINES * count, "utf-8")
    words = [sys.executable, "-m", "ptxscope", "check", "-f", "sarif", str(source)]
    with log.open("wb") as output:
        process = subprocess.Popen(words, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    assert usage.ru_maxrss < _MAX_MEMORY_KIB
    text = log.read_text("utf-8")
    assert len(text) > 100_000_000
    start = text.index('"results": [') + len('"results": [')
    decode, line = json.JSONDecoder().raw_decode, HEAD.count("\n")
    end = start - 1
    for number in range(2 * count):
        result, end = decode(text, text.index("{", end))
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] == line + number + 1
        assert result["ruleId"] == ("illegal" if number % 2 else "E3")
    assert json.loads(text[:start] + text[end:])["runs"][0]["results"] == []
