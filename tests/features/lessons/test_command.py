"""``ptxscope lesson`` as people use it: pipes, a terminal, a file that keeps the place."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ptxscope.features.lessons import lesson as reader
from ptxscope.features.lessons.lesson import list_files, load_lesson
from ptxscope.features.lessons.lesson_text import format_answer, format_picture, format_solution
from tests.driving.command_line import Done, run
from tests.tiers import sampled

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")

ROOT = Path(__file__).parents[2]
Play = Callable[..., Done]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs ``ptxscope lesson WORDS`` in a home of its own; lines are what is typed."""
    for name, value in home(tmp_path).items():
        monkeypatch.setenv(name, value)

    def ran(*words: str, given: str | bytes = "") -> Done:
        return run("lesson", *words, given=given)

    return ran


def home(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    folders = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "CONFIG")}
    return {**os.environ, "PYTHONPATH": path, "HOME": str(folder), **folders}


def kept(folder: Path) -> Path:
    return folder / "state" / "ptxscope" / "lessons.json"


def typed(name: str, number: int = 99) -> str:
    """What plays a lesson up to a card: Enter, and the right answer where one is asked."""
    cards = load_lesson(name).cards[: number - 1]
    return "".join(f"{format_answer(card)}\n\n" if card.ask else "\n" for card in cards)


def test_lessons_are_listed_with_their_minutes(play: Play) -> None:
    done = play()
    assert (done.returncode, done.stderr) == (0, "")
    for at, name in enumerate(list_files(), 1):
        assert re.search(rf"^ ?{at} {name} +\d min", done.stdout, re.M)
    assert max(map(len, done.stdout.splitlines())) <= 80


@sampled
@pytest.mark.parametrize("name", list_files())
def test_a_lesson_is_played_to_its_end_from_the_command_line(
    name: str, play: Play, tmp_path: Path
) -> None:
    done = play(name, given=typed(name))
    assert (done.returncode, done.stderr) == (0, "")
    count = sum(card.ask is not None for card in load_lesson(name).cards)
    assert f"End of the lesson: {count} of {count} right at the first try." in done.stdout
    previous = None
    for card in load_lesson(name).cards:
        picture = "\n".join(format_picture(card, previous))
        assert f": {card.title}\n\n{picture}\n" in done.stdout
        assert not card.ask or "\n".join(format_solution(card)) in done.stdout
        previous = card
    assert not re.search(r"^Not \S+\. ", done.stdout, re.M)
    known = [x for x, card in enumerate(load_lesson(name).cards) if card.ask]
    progress = {"card": 0, "done": True, "known": known}
    assert json.loads(kept(tmp_path).read_text())["lessons"] == {name: progress}
    assert re.search(rf"{name} +\d min  done", play().stdout)


def test_enter_plays_the_next(play: Play) -> None:
    done = play("lanes", given=typed("lanes") + "\n")
    _, end, following = done.stdout.partition("End of the lesson")
    assert end
    assert "Enter plays the next, `ptxscope lesson averages`: Averages" in following
    assert "--- 1 of " in following
    assert "Stopped at card 1. `ptxscope lesson averages` resumes here." in done.stdout
    left = play("lanes", given=typed("lanes") + "q\n").stdout
    assert "Stopped" not in left


def test_the_end_counts_answers_right_at_the_first_try(play: Play) -> None:
    (first, *rest) = [card for card in load_lesson("lanes").cards if card.ask]
    answers = typed("lanes").replace(f"{format_answer(first)}\n", f"?\n{format_answer(first)}\n", 1)
    assert f"{len(rest)} of {len(rest) + 1} right" in play("lanes", given=answers).stdout


def test_a_lesson_can_be_left_and_resumed(play: Play, tmp_path: Path) -> None:
    left = play("clamping", given=typed("clamping", 3))
    assert left.returncode == 0
    assert "Stopped at card 3. `ptxscope lesson clamping` resumes here." in left.stdout
    assert "3 of 11" in play().stdout
    again = play("clamping", given="b\nq\n")
    assert "Resuming at card 3" in again.stdout
    assert "--- 2 of 11: Your turn: a counter that stops" in again.stdout
    assert "Stopped at card 2." in again.stdout
    assert "--- 1 of 11" in play("clamping", "--restart").stdout


def test_answers_are_judged_and_helped(play: Play) -> None:
    done = play("clamping", given=f"{typed('clamping', 9)}-129\nfoo\n\n?\n?\n?\ns\n\n0x80000000\n")
    out = done.stdout
    assert done.returncode == 0
    assert "Not -129. You did not clamp." in out
    assert "`foo` is not an integer; allowed: 0x7f, -5, 0b1010, 255" in out
    assert "A value, ? or s." in out
    assert "Saturate: .sat clamps to -128..127." in out
    assert "It is -128." in out
    assert "--- 10 of 11" in out
    assert "? gives a hint" in out


def test_no_wrong_answer_reveals_the_right_one(play: Play) -> None:
    # byte 1 of a is 0xf0: 240 unsigned, -16 signed
    start = typed("extension", 8)
    once = play("extension", given=f"{start}240\nq\n").stdout.split("--- 8 of 10")[1]
    assert "Not 240. You read 0xf0 as unsigned.\n" in once
    assert "-16" not in once
    told = play("extension", "--restart", given=f"{start}240\n240\n7\n").stdout
    assert told.count("Not 240. You read 0xf0 as unsigned.") == 2
    assert "Not 7. " in told
    assert "-16" not in told.split("--- 8 of 10")[1]


def test_a_whole_lesson_can_be_printed(play: Play) -> None:
    done = play("vset", "-f", "markdown")
    assert (done.returncode, done.stderr) == (0, "")
    assert "vset against set: 1 is not all ones" in done.stdout
    assert "Answers" in done.stdout


def test_a_lesson_can_be_chosen_by_number(play: Play) -> None:
    assert "Lanes: four sums at once" in play("3").stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '{"schema": "ptxscope.lessons/1"}',
        '{"schema": "ptxscope.lessons/1", "lessons": {"lanes": {"card": -1}}}',
        '{"schema": "ptxscope.lessons/1", "lessons": {"lanes": {"card": 1e9}}}',
        '{"schema": "ptxscope.lessons/1", "lessons": {"\\ud800": {"card": 1}}}',
        "[" * 99999,
    ],
)
def test_a_damaged_progress_file_is_set_aside(text: str, play: Play, tmp_path: Path) -> None:
    kept(tmp_path).parent.mkdir(parents=True)
    kept(tmp_path).write_text(text)
    done = play("lanes", given="\n")
    assert done.returncode == 0
    assert "note: the saved state could not be read (" in done.stderr
    assert "--- 1 of 11" in done.stdout
    assert kept(tmp_path).with_suffix(".damaged").read_text() == text
    assert "2 of 11" in play().stdout


def test_a_saved_card_beyond_the_end_resumes_at_the_last_card(play: Play, tmp_path: Path) -> None:
    kept(tmp_path).parent.mkdir(parents=True)
    left = {"lanes": {"card": 999, "done": True}, "gone": {"card": 2, "done": False}}
    kept(tmp_path).write_text(json.dumps({"schema": "ptxscope.lessons/1", "lessons": left}))
    assert "Resuming at card 11" in play("lanes").stdout
    assert json.loads(kept(tmp_path).read_text())["lessons"]["gone"] == left["gone"]


def test_a_lesson_runs_although_its_position_cannot_be_saved(play: Play, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    done = play("lanes", given="\n\n")
    assert done.returncode == 0
    assert done.stderr.count("note: your position is not saved") == 1
    assert "--- 3 of 11" in done.stdout


@pytest.mark.parametrize("given", [b"\xff\xfe\n\n", b"x" * 100_000 + b"\n", b"\0\x1b[2J\n"])
def test_any_typed_text_is_survived(given: bytes, play: Play) -> None:
    done = play("merging", given=typed("merging", 7).encode() + given)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout


def test_a_closed_input_ends_a_lesson_quietly(tmp_path: Path) -> None:
    command = f'exec "{sys.executable}" -m ptxscope lesson lanes <&-'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, env=home(tmp_path), timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")  # as with an empty input


def test_keys_control_a_lesson_in_a_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ptxscope", "lesson", "lanes", "--plain"],
        stdin=slave, stdout=slave, stderr=slave, env=home(tmp_path), start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    seen = b""

    def until(wanted: bytes) -> None:
        nonlocal seen
        while wanted not in seen:
            assert select.select([master], [], [], 30)[0], seen
            seen += os.read(master, 1 << 14)

    try:
        until(b"[Enter] ")
        os.write(master, b"\r")
        until(b"2 of 11")
        os.write(master, b"\x04")
        until(b"Stopped at card 2.")
        assert process.wait(30) == 0
        assert json.loads(kept(tmp_path).read_text())["lessons"]["lanes"]["card"] == 1
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_ctrl_c_leaves_a_lesson_and_saves_its_position(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ptxscope", "lesson", "lanes", "--plain"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home(tmp_path),
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"\n\n")
    process.stdin.flush()
    seen = b""
    while b"3 of 11" not in seen or not seen.endswith(b"[Enter] "):
        assert select.select([process.stdout], [], [], 30)[0], seen
        read = os.read(process.stdout.fileno(), 1 << 14)
        assert read, seen
        seen += read
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert json.loads(kept(tmp_path).read_text())["lessons"]["lanes"]["card"] == 2


@pytest.mark.parametrize(
    "text", ["# A", "# A\n\nminutes: 3\nsummary: b\ngroup: g\n\n## C\n", "\xff"]
)
@pytest.mark.parametrize("words", [(), ("draft",), ("draft", "-f", "text")])
def test_an_unfinished_lesson_file_is_reported(
    words: tuple[str, ...], text: str, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "01-draft.md").write_text(text, encoding="latin-1")
    monkeypatch.setattr(reader, "FOLDER", tmp_path)
    for known in (reader.list_files, reader.list_headings, reader.load_lesson):
        known.cache_clear()
    done = play(*words)
    for known in (reader.list_files, reader.list_headings, reader.load_lesson):
        known.cache_clear()
    if words or "minutes" not in text:  # the list reads no cards
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error: 01-draft.md:")


def test_practice_ignores_empty_lines(play: Play) -> None:
    done = play("--practise", "vadd", given="\n\nzz\ns\n\nq\n")
    assert done.returncode == 0
    assert done.stdout.count("A value, ? or s.") == 2
    assert "zz" in done.stdout
    assert "--- line 1, level 1" in done.stdout
    assert "--- line 2, level 1" in done.stdout
    assert done.stdout.endswith("\n0 of 1 right at the first try.\n")
