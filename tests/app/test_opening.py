"""What is opened by naming it, without ``open``. Real processes."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there are no such terminals", allow_module_level=True)

from tests.app.on_pty import Explorer
from tests.tiers import ci_only, some

pytestmark = ci_only

_VIDEO = Path(__file__).parents[1] / "data" / "video.ptx"


def test_an_instruction_with_values_and_a_model(tmp_path: Path) -> None:
    # docs/semantics.md, E3: clamped, -1 is 0 in isa, the lane's maximum in ptxas
    words = ("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344")
    with Explorer(tmp_path, words=(*words, "--model", "ptxas")) as explorer:
        explorer.wait_for(b"0x112233ff")
        explorer.process.send_signal(signal.SIGTERM)
        explorer.ended()
        setup = json.loads(explorer.state.read_text(encoding="utf-8"))["setup"]
        assert words[0] in setup["line"]


@pytest.mark.parametrize("name", some(["video", "video.ptx"]))
def test_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(_VIDEO, path)
    with Explorer(tmp_path, size=(120, 40), words=(str(path),)) as explorer:
        explorer.wait_for(name.encode())
        assert not explorer.is_cooked()
        explorer.process.send_signal(signal.SIGTERM)
        assert explorer.ended() == 128 + signal.SIGTERM


def test_a_lesson_is_named_and_goes_on_where_a_signal_ended_it(tmp_path: Path) -> None:
    words = ("open", "--lesson", "slct")
    with Explorer(tmp_path, size=(100, 30), words=words) as explorer:
        explorer.wait_for(b"1 of 10")
        explorer.type(b"n")
        explorer.wait_for(b"2 of 10")
        explorer.process.send_signal(signal.SIGTERM)
        assert explorer.ended() == 128 + signal.SIGTERM
    left = json.loads((explorer.state.parent / "lessons.json").read_text(encoding="utf-8"))
    assert left["lessons"] == {"slct": {"card": 1, "done": False}}
    with Explorer(tmp_path, size=(100, 30), words=("open", "--lesson", "slct")) as explorer:
        explorer.wait_for(b"2 of 10")


def test_what_must_be_said_at_first_is_seen(tmp_path: Path) -> None:
    keys = tmp_path / "ptxscope" / "keys.toml"
    keys.parent.mkdir()
    keys.write_text("no keys", encoding="utf-8")
    with Explorer(tmp_path, size=(120, 40)) as explorer:
        explorer.wait_for(b"is not used")
