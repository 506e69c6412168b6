"""Requests with their exit statuses and parts of their answers, which are on one stream alone."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.reference_data import DATA

REQUESTS = re.findall(
    r"^\$ (.*)\n(\d)(>?) (.*(?:\n  .*)*)", (DATA / "requests.txt").read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(("request_", "status", "is_output", "parts"), REQUESTS)
def test_a_request_has_its_status_and_answer_and_creates_no_file(
    request_: str,
    status: str,
    is_output: str,
    parts: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if request_.startswith(("find", "prove", "verify")):
        pytest.importorskip("bitwuzla")
    monkeypatch.chdir(tmp_path)
    done = run(*shlex.split(request_.replace("\\n", "\n")))
    printed, other = done.stderr, done.stdout
    if is_output or status == "0":
        printed, other = other, printed
    assert (done.returncode, other) == (int(status), "")
    for part in parts.split("\n  "):
        assert part.replace("\\n", "\n") in printed
    assert not list(tmp_path.iterdir())
