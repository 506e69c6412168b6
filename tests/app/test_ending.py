"""The explorer in a terminal of its own: however it ends, its state is kept and the terminal is as
it was. Real processes."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there are no such terminals", allow_module_level=True)

from tests.driving.pseudo_terminal import PATIENCE, Explorer
from tests.reference_data import DATA
from tests.tiers import ci_only, some

pytestmark = ci_only

SHOWN = b"compute, step by step"
"""What a first start says."""
BEHIND = [
    *(b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l"),
    *(b"\x1b[?2004l", b"\x1b[<u"),
]
"""Another screen, a hidden cursor, reports of the mouse, bracketed paste and kitty's keys are over
(XTerm Control Sequences; kitty's keyboard protocol)."""


def broken(name: str, what: str) -> str:
    """Code after which a method of the main screen, or an edit, does something else."""
    return (
        "from ptxscope.screens.main.main_screen import MainScreen\n"
        "from ptxscope.state import edits\n"
        f"def broken(self, *_, **__):\n    {what}\n"
        f"{name} = broken\n"
    )


@contextmanager
def second_step(home: Path, before: str = "") -> Iterator[Explorer]:
    """Open the explorer for the first time, and go to the second step, which is kept."""
    with Explorer(home, before) as explorer:
        explorer.wait_for(SHOWN)
        assert not explorer.is_cooked()
        explorer.type(b"n")
        explorer.wait_for(b"Step 2 of 6")
        yield explorer
        assert explorer.read_saved("step") == 2


def end(explorer: Explorer, status: int = 0) -> None:
    """Wait for the end: the terminal is as it was."""
    assert explorer.ended() == status
    assert explorer.is_cooked()
    for sequence in BEHIND:
        assert sequence in explorer.seen
    assert not explorer.seen.rpartition(b"\x1b[?1049l")[2].count(b"\x1b[?1049h")


def end_by(explorer: Explorer, number: signal.Signals) -> None:
    explorer.process.send_signal(number)
    end(explorer, 128 + number)


@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGHUP]))
def test_a_signal_keeps_the_state_and_puts_the_terminal_back(
    number: signal.Signals, tmp_path: Path
) -> None:
    with second_step(tmp_path) as explorer:
        end_by(explorer, number)


@pytest.mark.parametrize("is_ignored", [False, True])
def test_without_a_terminal_it_ends(is_ignored: bool, tmp_path: Path) -> None:
    """Under ``nohup`` the signal is ignored; only the end of the input tells."""
    ignored = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    with second_step(tmp_path, ignored if is_ignored else "") as explorer:
        if is_ignored:
            explorer.process.send_signal(signal.SIGHUP)
            explorer.type(b"N")
            explorer.wait_for(b"Step 1 of 6")
            explorer.type(b"n")
            explorer.wait_for(b"Step 2 of 6")
        explorer.hang_up()
        assert explorer.process.wait(PATIENCE) == 128 + signal.SIGHUP


def test_a_signal_ends_what_hangs(tmp_path: Path) -> None:
    hang = "import os\n    os.write(1, b'it hangs')\n    while True: pass"
    with second_step(tmp_path, broken("edits.randomize_values", hang)) as explorer:
        explorer.type(b"r")
        explorer.wait_for(b"it hangs")
        end_by(explorer, signal.SIGTERM)


def test_a_signal_ends_it_where_nobody_reads_the_terminal(tmp_path: Path) -> None:
    with second_step(tmp_path) as explorer:
        for _ in range(60):  # far more than a terminal holds
            explorer.type(b"r")
            time.sleep(0.02)
        explorer.process.send_signal(signal.SIGTERM)
        assert explorer.process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert explorer.is_cooked()


def test_bytes_that_are_no_text_and_sequences_that_mean_nothing_are_taken(tmp_path: Path) -> None:
    with Explorer(tmp_path) as explorer:
        explorer.wait_for(SHOWN)
        explorer.type(b"\xff\xfe\x80\x1b[99999999;1u\x1b[<9999999999999999999;1;1M")
        explorer.type(b"\x1b[48;0;0;0;0t\x1b[999999999999999999999999999999999999999u")
        explorer.type_until(b"n", b"Step 2 of 6")
        explorer.type(b"i\xc3")  # half a letter, and the other
        explorer.wait_until_read()
        explorer.type(b"\xb6\xe9")
        explorer.wait_for("ö".encode())
        end_by(explorer, signal.SIGTERM)
        assert "ö" in explorer.read_saved("setup")["line"]


def test_an_error_that_should_not_be_is_told_and_reported(tmp_path: Path) -> None:
    code = broken("edits.randomize_values", "raise KeyError('on purpose \\x1b[31m')")
    with second_step(tmp_path, code) as explorer:
        explorer.type(b"r")
        end(explorer, 70)
        said = explorer.seen.rpartition(b"\x1b[?1006l")[2].decode()
        assert "KeyError: 'on purpose" in said
        assert "\x1b" not in said
        assert "Traceback" not in said
        (report,) = explorer.state.parent.glob("failure-*.txt")
        assert str(report) in said
        text = report.read_text(encoding="utf-8")
        for part in ("ptxscope 0.", "Python 3.", "textual 8.", "Traceback", "in broken"):
            assert part in text
        assert '"instruction": "vadd4.s32.s32.s32.sat d, a, b, c;"' in text
        assert json.loads(text[text.index("{\n") :])["step"] == 2


def test_a_report_is_as_wide_from_a_tiny_terminal(tmp_path: Path) -> None:
    code = broken("edits.randomize_values", "raise KeyError('this is on purpose')")
    with Explorer(tmp_path, code, size=(9, 6)) as explorer:
        explorer.wait_for(b"s")
        explorer.settle()
        explorer.type(b"r")
        assert explorer.ended() == 70
        (report,) = explorer.state.parent.glob("failure-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "KeyError: 'this is on purpose'" in text
    assert "in broken:" in text


def test_an_error_in_what_was_kept_does_not_come_at_every_start(tmp_path: Path) -> None:
    with second_step(tmp_path) as explorer:
        explorer.type(b"q")
        end(explorer)
    with Explorer(tmp_path, broken("MainScreen.on_mount", "raise AssertionError")) as explorer:
        assert explorer.ended() == 70
        assert explorer.is_cooked()
        assert not explorer.state.exists()
        assert explorer.state.with_suffix(".damaged").exists()
        assert b"explorer.damaged" in explorer.seen


def test_an_error_before_there_is_a_screen_is_reported_too(tmp_path: Path) -> None:
    code = broken("MainScreen.__init__", "raise AssertionError('early')")
    with Explorer(tmp_path, code) as explorer:
        assert explorer.ended() == 70
        assert b"AssertionError: early" in explorer.seen
        assert list(explorer.state.parent.glob("failure-*.txt"))


def test_without_a_home_nothing_is_kept_and_it_works(tmp_path: Path) -> None:
    """As in a container that runs under a number without a name."""
    nobody = (
        "import os, pwd\nos.environ.pop('HOME', None)\n"
        "def getpwuid(number):\n    raise KeyError(number)\n"
        "pwd.getpwuid = getpwuid\n"
    )
    names = {f"XDG_{kind}_HOME": None for kind in ("STATE", "CONFIG", "DATA")}
    with Explorer(tmp_path, nobody, (120, 40), **names, TMPDIR=str(tmp_path)) as explorer:
        for word in (b"nothing", b"is", b"saved"):  # a line may end between them
            explorer.wait_for(word)
        explorer.type(b"n")
        explorer.wait_for(b"Step 2 of 6")
        explorer.type(b"q")
        assert explorer.ended() == 0
        assert not list(tmp_path.iterdir())


def test_a_state_that_can_not_be_saved_is_told(tmp_path: Path) -> None:
    (tmp_path / "ptxscope").write_text("a file where the folder would be", encoding="utf-8")
    with Explorer(tmp_path) as explorer:
        explorer.wait_for(SHOWN)
        explorer.type(b"q")
        end(explorer)
        assert b"could not be saved" in explorer.seen.rpartition(b"\x1b[?1006l")[2]


def test_where_nobody_could_let_it_go_on_it_does_not_stop(tmp_path: Path) -> None:
    """It is the first process of its session, as a terminal's window may have it."""
    with Explorer(tmp_path) as explorer:
        explorer.wait_for(SHOWN)
        explorer.type(b"\x1a")
        explorer.wait_until_read()
        explorer.type(b"n")
        explorer.wait_for(b"Step 2 of 6")
        explorer.type(b"q")
        end(explorer)


@pytest.mark.parametrize("last", [signal.SIGTERM, None])
def test_a_signal_to_continue_starts_nothing_twice(
    last: signal.Signals | None, tmp_path: Path
) -> None:
    """systemd and ``timeout`` send it after SIGTERM."""
    with second_step(tmp_path) as explorer:
        if last:
            explorer.process.send_signal(last)
        explorer.process.send_signal(signal.SIGCONT)
        if not last:
            explorer.wait_for(b"vadd4")  # everything is repainted
            explorer.type(b"q")
        end(explorer, 128 + last if last else 0)


def test_a_paste_may_hold_bytes_that_are_no_text(tmp_path: Path) -> None:
    with Explorer(tmp_path, size=(100, 30)) as explorer:
        explorer.wait_for(SHOWN)
        lines = b"vadd4.s32.s32.s32 d, a, b, c; // f\xfcr\n" * 2000
        explorer.paste(b"\x1b[200~" + lines + b"\x1b[201~")
        explorer.wait_for(b"1 of 2000")
        explorer.type(b"q")
        end(explorer)


# --- what is opened by naming it, without `open` ----------------------------------------------


def test_an_instruction_opens_with_values_and_a_model(tmp_path: Path) -> None:
    # docs/semantics.md, E3: clamped, -1 is 0 in isa, the lane's maximum in ptxas
    words = ("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344")
    with Explorer(tmp_path, words=(*words, "--model", "ptxas")) as explorer:
        explorer.wait_for(b"0x112233ff")
        end_by(explorer, signal.SIGTERM)
        assert words[0] in explorer.read_saved("setup")["line"]


@pytest.mark.parametrize("name", some(["video", "video.ptx"]))
def test_a_file_opens(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(DATA / "video.ptx", path)
    with Explorer(tmp_path, size=(120, 40), words=(str(path),)) as explorer:
        explorer.wait_for(name.encode())
        end_by(explorer, signal.SIGTERM)


def test_what_must_be_said_at_first_is_seen(tmp_path: Path) -> None:
    keys = tmp_path / "ptxscope" / "keys.toml"
    keys.parent.mkdir()
    keys.write_text("no keys", encoding="utf-8")
    with Explorer(tmp_path, size=(120, 40)) as explorer:
        explorer.wait_for(b"is not used")
