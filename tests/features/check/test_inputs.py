"""What ``check`` reads: UTF-8 with a mark and without, UTF-16, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.driving.command_line import run
from tests.driving.input_files import ASM, ENCODINGS, call, encoded, ways


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@ways
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_check_takes_utf_8_and_utf_16(encoding: str, by_name: bool) -> None:
    assert "1:6: ok" in call(encoded(ASM, encoding), by_name, "check", "FILE").stdout


def test_a_binary_file_is_refused() -> None:
    done = call(b"\x7fELF\0\0", True, "check", "FILE", status=2)
    assert "FILE is not a text file" in done.stderr


@pytest.mark.parametrize("format_", ["text", "json", "sarif"])
def test_a_source_may_hold_half_a_pair(format_: str) -> None:
    # \x escapes of a Python string and the name of a file can contain bytes that are not text
    source = b'ptx = """vadd4.u32.u32.u32 d\\ud800, a, b, \\x1b[31m;"""\n'
    Path("\udcff.py").write_bytes(source)
    status, said, _ = run("check", "-f", format_, "\udcff.py")
    assert status == 1
    said.encode()
    assert "\x1b" not in said
    if format_ != "text":
        data = json.loads(said)
        json.dumps(data, ensure_ascii=False).encode()
    if format_ == "sarif":
        (result, *_) = data["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "%FF.py"
