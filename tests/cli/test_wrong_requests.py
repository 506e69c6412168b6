"""Requests that are wrong: each has its exit status and its message, and leaves nothing behind."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.reference_data import DATA

_TEXT = (DATA / "wrong_requests.txt").read_text("utf-8")
_LINES = [x for x in _TEXT.splitlines() if x.startswith(("$", "1", "2"))]


@pytest.mark.parametrize(("request_", "answer"), [*zip(_LINES[::2], _LINES[1::2], strict=True)])
def test_a_wrong_request_has_its_status_and_its_message(
    request_: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, message = answer.replace("\\n", "\n").split(" ", 1)
    done = run(*shlex.split(request_.replace("\\n", "\n"))[1:])
    assert (done.returncode, done.stdout) == (int(status), "")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())
