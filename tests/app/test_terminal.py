"""The real program in a real terminal: tmux types, pastes, steps and quits."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.driving.pseudo_terminal import Explorer, list_outer_variables
from tests.tiers import ci_only, some

pytestmark = [
    ci_only,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
]
_PATIENCE = 20.0
"""Seconds after which a screen that does not come is a failure."""
_PACE = 0.15
"""Seconds between two keys: an escape is a key of its own only after a tenth of one."""


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, socket: Path, *command: str, width: int = 120, height: int = 40) -> None:
        self._base = ("tmux", "-f", "/dev/null", "-S", str(socket))
        home = str(socket.parent)
        xdg = {f"XDG_{kind}_HOME": home for kind in ("STATE", "CONFIG", "DATA")}
        subprocess.run(
            [*self._base, "new-session", "-d", "-x", str(width), "-y", str(height), *command],
            env=list_outer_variables() | xdg | {"HOME": home, "TERM": "xterm-256color"},
            check=True,
        )
        self.tmux("set-option", "-s", "set-clipboard", "on")

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run([*self._base, *arguments], capture_output=True, text=True)
        return done.stdout

    def send(self, *keys: str) -> None:
        """Keys by their names, at the pace of a fast typist."""
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(_PACE)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)
        time.sleep(_PACE)

    def paste(self, text: str) -> None:
        self.tmux("set-buffer", text)
        self.tmux("paste-buffer", "-p")

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait_for(self, text: str) -> str:
        deadline = time.monotonic() + _PATIENCE
        while text not in (shown := self.screen()):
            assert time.monotonic() < deadline, f"{text!r} does not come:\n{shown}"
            time.sleep(0.05)
        return shown

    def wait_for_screen(self, expected: str) -> None:
        """Wait until the screen is as it was: a repaint takes its time on a loaded machine."""
        deadline = time.monotonic() + _PATIENCE
        while (shown := self.screen()) != expected and time.monotonic() < deadline:
            time.sleep(0.05)
        assert shown == expected

    def wait_for_repaint(self) -> str:
        """Return the screen when it has been the same for a while."""
        shown = ""
        while shown != (shown := self.screen()):
            time.sleep(0.5)
        return shown

    def ended(self) -> bool:
        deadline = time.monotonic() + _PATIENCE
        while self.tmux("list-sessions"):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


@pytest.fixture(
    params=some([(80, 24), (120, 40), (200, 60)]), ids=lambda size: f"{size[0]}x{size[1]}"
)
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    width, height = request.param
    command = (sys.executable, "-m", "ptxscope")
    window = Terminal(tmp_path / "tmux", *command, width=width, height=height)
    yield window
    window.tmux("kill-server")


def test_a_person_types_pastes_steps_copies_and_quits(terminal: Terminal, tmp_path: Path) -> None:
    terminal.wait_for("Step 1 of 6")
    terminal.send("End")
    terminal.wait_for("d = 0x7f8003fe")
    terminal.wait_for("Step 6 of 6")
    terminal.send("N")
    terminal.wait_for("Step 5 of 6 · merge")
    terminal.paste('asm("vmad.s32.u32.u32 %0, -%1.h0, %2.h0, %3;" : "=r"(d) : "r"(a));')
    terminal.wait_for("vmad.s32.u32.u32 %0, -%1.h0, %2.h0, %3;")
    terminal.send("/")
    terminal.type("vavrg4")
    terminal.send("Enter")
    terminal.wait_for("vavrg4.s32")
    terminal.send("Home")
    terminal.wait_for("Step 1 of")
    terminal.send("End", "y")
    shown = terminal.wait_for("Copied")
    result = shown[shown.index("d = 0x") :].split()[2]
    command = terminal.tmux("show-buffer").strip()  # tmux holds what it was sent
    assert command.startswith("ptxscope trace")
    said = subprocess.run(
        ["/bin/sh", "-c", command.replace("ptxscope", f"{sys.executable} -m ptxscope", 1)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"d = {result}" in said
    terminal.send("q")
    assert terminal.ended()
    kept = (tmp_path / "ptxscope" / "explorer.json").read_text(encoding="utf-8")
    assert "vavrg4" in kept


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Terminal]:
    window = Terminal(tmp_path / "tmux", "bash", "--norc", "--noprofile", "-i", width=80, height=24)
    window.type("PS1='ready> '")
    window.send("Enter")
    window.wait_for("ready>")
    yield window
    window.tmux("kill-server")


@pytest.mark.parametrize(
    ("way", "started"),
    [
        *(("key", "{}"), ("background", "{}"), ("signal", "{}"), ("stop", "{}")),
        *(("key", "sh -c '{}; true'"), ("background", "sh -c '{}; true'")),
    ],
)
def test_a_shell_stops_it_and_has_it_come_back_whole(
    shell: Terminal, way: str, started: str
) -> None:
    shell.type(started.format(f"{sys.executable} -m ptxscope"))
    shell.send("Enter")
    shell.wait_for("step by step")
    shell.send("End")
    shell.wait_for("Step 6 of 6")
    before = shell.wait_for_repaint()
    if way in ("key", "background"):
        shell.send("C-z")
    else:
        found = subprocess.run(
            ["ps", "-o", "pid=,args=", "-t", shell.tmux("display", "-p", "#{pane_tty}").strip()],
            capture_output=True,
            text=True,
        ).stdout
        pids = [line.split()[0] for line in found.splitlines() if " -m ptxscope" in line]
        # a signal that can't be heard stops only who it is sent to
        number = {"signal": "-TSTP", "stop": "-STOP"}[way]
        subprocess.run(["kill", number, *(pids if way == "stop" else pids[-1:])], check=True)
    shell.wait_for("Stopped")
    if way == "stop":
        shell.send("Enter")
    else:
        shell.type("echo $((40 + 2)) is it")
        shell.send("Enter")
        shell.wait_for("\n42 is it")
        assert "Operands" not in shell.screen()
    if way == "background":
        shell.type("bg")
        shell.send("Enter")
        shell.wait_for("&")
        shell.type("echo $((40 + 3)) is it")
        shell.send("Enter")
        shell.wait_for("\n43 is it")
        assert "Operands" not in shell.screen()
    shell.type("fg")
    shell.send("Enter")
    shell.wait_for_screen(before)
    shell.send("Home")
    shell.wait_for("Step 1 of 6")
    shell.send("q")
    shell.wait_for("ready>")
    shell.type("stty -a | grep -o '[ -]icanon'")
    shell.send("Enter")
    shell.wait_for("\n icanon")


def test_a_terminal_that_reports_an_absurd_size_gets_a_part_of_it(tmp_path: Path) -> None:
    with Explorer(tmp_path, size=(65_000, 65_000), COLUMNS="99999", LINES="99999") as drive:
        drive.wait_for(b"ptxscope")
        status = Path(f"/proc/{drive.process.pid}/status").read_text(encoding="utf-8")
        (peak,) = (int(x.split()[1]) for x in status.splitlines() if x.startswith("VmHWM"))
        assert peak < 400_000, "KiB"
