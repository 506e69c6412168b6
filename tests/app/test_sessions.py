"""Keys and what holds after them, in the real app: the sessions of ``sessions.txt``."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.listing_transitions import open_text
from tests.driving.explorer import Driver, explorer, parse_place
from tests.driving.feature_tables import iter_paths
from tests.reference_data import DATA
from tests.tiers import some

_KEY = re.compile(r"(?:(\w+):)?(?:([\w-]+)=)?'([^']*)'|(\S+?)(?:\*(\d+))?(?=\s|$)")
"""``type'0x7'``, ``click:lanes='3 add'``, a key, or a key several times."""


class Session(NamedTuple):
    """An explorer of some size, opened on a line, and what is done in it."""

    name: str
    line: str
    values: dict[str, int]
    size: tuple[int, int]
    steps: list[tuple[str, str]]
    """Keys, and what holds after them."""


def parse_size(text: str) -> tuple[int, int]:
    width, height = map(int, text.split("x"))
    return width, height


def read_sessions() -> list[Session]:
    """Each has a title, its line with values and sizes, and its steps."""
    sessions = []
    paths = iter_paths(DATA / "sessions.txt", "sessions.txt")
    text = "".join(path.read_text("utf-8") for path in paths)
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, head, *lines = block.strip().splitlines()
        line, values, sizes = (x.strip() for x in head.rsplit("|", 2))
        steps = [
            (keys, check.strip()) for keys, _, check in (x.rpartition(" | ") for x in lines if x)
        ]
        pairs = (x.rpartition("=") for x in values.split())
        bits_by_name = {name: int(bits, 0) for name, _, bits in pairs}
        for size in sizes.split():
            session = Session(f"{name} {size}", line, bits_by_name, parse_size(size), steps)
            sessions.append(session)
    return sessions


async def perform_keys(drive: Driver, keys: str) -> None:
    """Perform the keys, clicks and openings of a step, in order."""
    for match in _KEY.finditer(keys):
        kind, text = match[1] or "type", (match[3] or "").replace("\\n", "\n")
        match kind:
            case _ if match[4]:
                await drive.press(*[match[4]] * int(match[5] or 1))
            case "type":
                await drive.type(text)
            case "paste":
                await drive.paste(text)
            case "open":
                await drive.screen.perform(open_text, text, "pasted")
            case "click":
                await drive.click(match[2], text)
            case "tap":
                await drive.pilot.click(f"#{text}")
            case "hit" | "righthit":
                await drive.hit(parse_place(text), button=1 if kind == "hit" else 3)
            case "at":
                drive.lanes.move_cursor_to(parse_place(text))
            case "size":
                await drive.pilot.resize_terminal(*parse_size(text))
            case _:
                raise ValueError(kind)


async def find_fault(drive: Driver, check: str) -> str | None:
    """Return what is there instead of what a check says; None if it holds."""
    kind, _, text = check.partition(" ")
    shown = await drive.text()
    words = " ".join(shown.replace("│", " ").split())
    focus, place = drive.focus, drive.lanes.place
    exact = {
        "line": drive.line.removesuffix(";"),
        "step": str(drive.state.step),
        "edits": str(drive.edit_count),
        "model": drive.session.setup.model,
        "focus": str(focus and focus.id),
        "dialog": "" if drive.app.screen is drive.screen else type(drive.app.screen).__name__,
        "field": drive.field.input.value if drive.field.is_open else "",
        "predicts": "yes" if drive.state.is_predicting else "no",
        "place": f"{place.key} {place.lane}" if isinstance(place, LaneRef) else str(place),
        "copied": drive.app.clipboard,
        "hint=": drive.hint,
    }
    if kind in exact:
        return None if exact[kind] == text else exact[kind]
    assert text, check
    if kind in ("sees", "lacks"):
        return None if (text in shown or text in words) == (kind == "sees") else shown
    if kind == "once":
        return None if words.count(text) == 1 else shown
    if kind == "hint":
        return None if text in drive.hint else drive.hint
    if kind.endswith(":"):
        pane = drive.pane(kind.strip("!:")).read_text()
        return None if (text in pane) == (kind[0] != "!") else pane
    value = {**drive.result, **drive.operands}[kind]
    return None if value == int(text, 0) else hex(value)


SESSIONS = read_sessions()


@pytest.mark.parametrize(
    "session", some(SESSIONS, *range(0, len(SESSIONS), 10)), ids=lambda session: session.name
)
async def test_what_keys_do_is_seen(session: Session) -> None:
    if needs := re.search(r"\(needs ([\w.]+)\)", session.name):
        pytest.importorskip(needs[1])
    line = None if session.line == "-" else session.line
    async with explorer(line, session.values, size=session.size) as drive:
        for keys, check in session.steps:
            await perform_keys(drive, keys)
            fault = await find_fault(drive, check) if check else None
            assert fault is None, f"{keys} | {check}\n{fault}"
        if drive.app.screen is drive.screen and drive.app.is_running:
            drive.agree()


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (200, 60)]))
async def test_a_line_shows_its_lanes_and_result(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        shown = await drive.text()
        assert "%r1 = 0x00000007" in shown
        packed = re.sub("[ ▐▌]", "", shown)
        assert re.search("(ff80|ff10000000)=-128", packed)  # the widest draws bits
        for said in ("-128<1✓1", "127<1✗0"):
            assert said in packed
        assert re.search(r"5 \+ 1 = 6|5 ━+⊕ 6", shown)
        assert "Step 5 of 5" in shown
        assert f"PTX ISA 9.2, §{drive.session.setup.instruction.entry.section}" in shown
