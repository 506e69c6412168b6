"""Reports that are larger than what their reader would like to hold in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import ci_only

HEAD = ".version 8.0\n.target sm_75\n.reg .b32 %r<9>;\n"
LINES = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r2, %r3;\nvadd4.u32.u32.u32.sta %r1, %r2, %r3, %r1;\n"
_MAX_MEMORY_KIB = 50_000
"""Python and the modules need half of it; the log would need more than the other half."""
_STATUS = Path("/proc/self/status")
_CHECK = f"""
import re, sys
from ptxscope.cli import main
result = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+)", open({str(_STATUS)!r}).read())[1], file=sys.stderr)
sys.exit(result)
"""
"""Prints the peak of the process's memory in KiB. That of ``wait4`` has its parent's, too."""


@ci_only
@pytest.mark.skipif(not _STATUS.exists(), reason="no measure of memory")
def test_a_sarif_log_of_30_megabytes_is_whole_and_needs_little_memory(tmp_path: Path) -> None:
    count = 25_000
    source, log = tmp_path / "large.ptx", tmp_path / "large.sarif"
    source.write_text(HEAD + LINES * count, "utf-8")
    words = [sys.executable, "-c", _CHECK, "check", "-f", "sarif", str(source)]
    with log.open("wb") as output:
        done = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert int(done.stderr) < _MAX_MEMORY_KIB
    text = log.read_text("utf-8")
    assert len(text) > 30_000_000
    start = text.index('"results": [') + len('"results": [')
    decode, line = json.JSONDecoder().raw_decode, HEAD.count("\n")
    end = start - 1
    for number in range(2 * count):
        result, end = decode(text, text.index("{", end))
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] == line + number + 1
        assert result["ruleId"] == ("illegal" if number % 2 else "E3")
    assert json.loads(text[:start] + text[end:])["runs"][0]["results"] == []
