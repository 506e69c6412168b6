"""On terminals that do not read UTF-8 everything is drawn in ASCII, and columns stay."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem

from ptxscope.app.app import Explorer
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.tracing.deviation import find_deviation, find_deviations
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.setup import evaluate_setup, make_example
from ptxscope.widgets.base.ascii_glyphs import convert_to_ascii
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.tiers import ci_only, sampled

from ..driving import pseudo_terminal as on_pty

pytestmark = [sampled, ci_only]

PACKAGE = Path(__file__).parents[2] / "ptxscope"
DRAWN = ("app", "state", "widgets", "screens", "scene", "engine/tracing", "features")


def shown(*texts: str) -> str:
    return "".join(convert_to_ascii(texts))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((" ■ ", " □ ", " ■  □ "), "[x][ ][x][ ]"),
        (("sat ■  mask ■□",), "sat x  mask x."),
        (("├──●──┤",), "|--*--|"),
        (("╭─╮", "╳", "┼"), "+-+X|"),
        (("╰─┼─┬─╯",), "+-|-+-+"),
        (("├──●◂╌○  ", "0 ≈0  "), "|--*<-o  0 ~0  "),
        (("382", " ▸ ", "127"), "382-> 127"),
        (("200 ▸ 127",), "200-> 127"),
        (("1.0  ", "1.fraction × 2^0"), "1.0  1.fraction * 2^0"),
        (("× .sat needs .s32",), "! .sat needs .s32"),
        (("▸ ", "127"), "->127"),
        (("≠ ", "▐80▌   "), "! [80]   "),
        (("× it can't be", " ■ "), "! it can't be[x]"),
        (("‹", "vadd", "›"), "<vadd>"),
        (("▐80▌", "▒ff", "░00"), "[80]%ff.00"),
        (("✓ ✗ ▼▲↻",), "y ! v^~"),
        (("“a” – ‘b’…",), "\"a\" - 'b'."),
        (("3 ⊗ −1",), "3 x -1"),
        (("✗ 128",), "! 128"),
        (("-1 < -2", " ✗ 0"), "-1 < -2 n 0"),
        (("128", " ▸ ", "0╳", "80"), "128-> 0/80"),
        (("0001", "╳5679"), "0001/5679"),
    ],
)
def test_a_cell_for_a_cell(texts: tuple[str, ...], expected: str) -> None:
    assert shown(*texts) == expected
    assert [len(x) for x in convert_to_ascii(texts)] == [cell_len(x) for x in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b2 → b3    |", "b2 -> b3   |"),
        ("   5 → 3     7 → 2   ", "   5 -> 3    7 -> 2  "),
        ("   5 → 3", "   5 ->3"),
        ("0x1 ≠ 0x2   ", "0x1 != 0x2  "),
        ("a≠b", "a!b"),
        ("≠ an erratum", "! an erratum"),
        ("× and ▸ marks", "! and > marks"),
        ("  -2³¹ ├──●──┤ 2³¹-1   98", " -2^31 |--*--| 2^31-1  98"),
        ("  -∞ ├─┤ ∞   ", "-inf |-+ inf ".replace("-+", "-|")),
        ("2⁻¹⁴  ", "2^-14 "),
        ("x₂  ", "x_2 "),
        ("↑↓←→ move   n next", "arrows move n next"),
        ("↑↓ move       n next", "up/down move  n next"),
        ("↑ ↓ PgUp       End", "up down PgUp   End"),
        (f"←→ move{' ' * 12}n next", "left/right move    n next"),
        (f"╰{'─' * 20} ? all · ↑ ↓ PgUp ─╯", f"+{'-' * 16} ? all . up down PgUp -+"),
        (f"━Step ↑↓{'━' * 20}", f"=Step up/down{'=' * 15}"),
    ],
)
def test_more_cells_out_of_blanks_nearby(text: str, expected: str) -> None:
    """2³¹ is 2^31 and never 231."""
    assert shown(text) == expected


def test_a_change_is_an_arrow_and_no_comparison() -> None:
    assert shown("382", " ▸ ", "127  ", "256", " ▸ ", "127  ") == "382 -> 127 256 -> 127 "
    assert shown("-200", " ", "▸", " ", "-128") == "-200 ->-128"
    assert shown("▸4 saturate  ", "382", " ▸ ", "127") == ">4 saturate  382-> 127"


def test_arrow_keys_of_several_styles_are_no_control_key() -> None:
    """``^v`` is Ctrl-V, as ``^p`` is Ctrl-P."""
    assert shown(*"↑↓←→", " move   ", "^p", " palette") == "arrows move ^p palette"


def test_a_full_line_loses_a_blank_and_no_digit() -> None:
    assert shown("at most 2³¹-1 of them") == "atmost 2^31-1 of them"


_GLYPHS = "■□├─●┤◂▸▼▲≠→…²³¹∞×“”·▐▌▒░✓✗ xyz01-日é\u0301\U0001f50e⬤"


@given(st.lists(st.text(_GLYPHS, max_size=12), max_size=6))
def test_a_line_stays_as_wide(texts: list[str]) -> None:
    made = convert_to_ascii(tuple(texts))
    assert "".join(made).isascii()
    assert len("".join(made)) == cell_len("".join(texts))
    assert len(made) == len(texts)
    assert "?" not in "".join(made)


def test_nothing_that_the_app_draws_is_unknown() -> None:
    """Every glyph in a string of the explorer's sources has a stand-in that was thought of."""
    paths = [PACKAGE / name for name in DRAWN]
    files = [x for path in paths for x in (path.rglob("*.py") if path.is_dir() else [path])]
    unknown = set()
    for file in files:
        if not file.exists() or file.name == "ascii_glyphs.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for glyph in {x for x in node.value if not x.isascii()}:
                    if shown(f"{glyph}    ")[0] == "." and glyph not in "·…□░☐":
                        unknown.add(glyph)
    assert not unknown


@pytest.mark.parametrize("opcode", CATALOG)
@pytest.mark.parametrize("width", [56, 76, 116])
def test_cells_of_lane_rows_begin_where_they_did(opcode: str, width: int) -> None:
    """In ASCII every cell stands in its lane's column."""
    trace = evaluate_setup(make_example(opcode))
    parting = find_deviation(trace, find_deviations(trace))
    for step in trace.steps:
        for line in draw(LanesState(trace, step.number, deviation=parting), width, 30).lines:
            texts = [piece.text for piece in line]
            before = [cell_len("".join(texts[:at])) for at in range(len(line))]
            made = convert_to_ascii(tuple(texts))
            after = [len("".join(made[:at])) for at in range(len(line))]
            cells = [
                at
                for at, piece in enumerate(line)
                if isinstance(piece.target, LaneRef) and piece.target != line[at - 1].target
            ]
            assert [before[at] for at in cells] == [after[at] for at in cells], "".join(made)


# --- the app ------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_the_terminals_encoding_decides(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "__stderr__", stream)
    assert Explorer().is_ascii == (encoding != "utf-8")


@pytest.mark.parametrize(
    ("variables", "is_ascii"),
    [
        ({}, False),
        ({"LC_ALL": "C"}, True),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, True),
        ({"LC_ALL": "", "LANG": "de_DE.utf8"}, False),
        ({"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}, True),
        ({"LC_CTYPE": "de_DE.UTF-8", "LANG": "C"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C.UTF-8", "TERM": "linux"}, True),
        ({"LANG": "C.UTF-8", "TERM": "vt100"}, True),
        ({"LANG": "C.UTF-8", "TERM": "vte-256color"}, False),
        ({"LANG": "C.UTF-8", "TERM": "xterm"}, False),
    ],
)
def test_the_locale_and_the_name_of_the_terminal_decide(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_ascii: bool
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Explorer().is_ascii == is_ascii


@pytest.mark.parametrize("variables", [{"LANG": "C"}, {"LC_ALL": "C"}, {}])
def test_the_locale_decides_although_python_replaces_it(variables: dict[str, str]) -> None:
    code = "from ptxscope.app.app import Explorer\nprint(Explorer().is_ascii)"
    environment = {"TERM": "xterm-256color", "PATH": os.environ["PATH"], **variables}
    command = [sys.executable, "-c", code]
    output = subprocess.run(
        command, env=environment, cwd=PACKAGE.parent, capture_output=True, check=True
    )
    assert output.stdout.decode().strip() == str(bool(variables))


async def test_the_app_is_drawn_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stderr__", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    app = Explorer()
    async with app.run_test(size=(80, 24)) as pilot:
        assert "PTX ISA 9.2, section 9.7.18" in app.query_one("#status").read_text()  # type: ignore[attr-defined]
        app.notify("a toast")
        for key in ("", "m", "i", "slash", "x", "e", "ctrl+p", "question_mark"):
            await pilot.press("escape", *filter(None, [key]))
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            drawn = "\n".join(strip.text for strip in strips)
            assert drawn.isascii(), {x for x in drawn if not x.isascii()}
            assert all(len(strip.text) == 80 for strip in strips)
            if key not in ("x", "ctrl+p", "question_mark"):  # these name "?"
                assert "?" not in drawn.replace("? keys", "").replace("why?", "")
        assert app.query_one("#lanes").read_text().isascii()  # type: ignore[attr-defined]


@ci_only
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_another_encoding_gets_ascii(tmp_path: Path, encoding: str) -> None:
    with on_pty.Explorer(tmp_path, PYTHONIOENCODING=encoding) as explorer:
        explorer.wait_for(b"Step ")
        explorer.type(b"n")
        explorer.wait_for(b"Step 2 of 6")
        explorer.settle()
        seen = explorer.seen
        explorer.type(b"m")
        explorer.settle()
        seen += explorer.seen
        explorer.type(b"q")
        assert explorer.ended() == 0
    text = seen.replace(b"\x1b[?", b"")
    assert text.isascii()
    text = text.replace(b"why?", b"")  # what a key of the footer does
    assert b"?" not in re.sub(rb"m\? *\x1b", b"", text)  # the key of help


@ci_only
@pytest.mark.parametrize("term", ["xterm", "xterm-256color"])
def test_16_colours_get_a_theme_made_of_them(tmp_path: Path, term: str) -> None:
    with on_pty.Explorer(tmp_path, TERM=term, COLORTERM=None, NO_COLOR=None) as explorer:
        explorer.wait_for(b"Step ")
        explorer.settle()
        colors = set(re.findall(rb"[;\[]([34]8;[25]|4[0-7]|49)(?=[;m])", explorer.seen))
        explorer.type(b"q")
        assert explorer.ended() == 0
        kept = explorer.state.read_text(encoding="utf-8")
    if term == "xterm":  # the terminal's own ground
        assert b"49" in colors
        assert not colors & {b"38;5", b"38;2"}
    else:
        assert b"48;5" in colors
    assert "ansi" not in kept  # the user's theme is kept, not what stood for it


@ci_only
def test_no_color_in_16_colours_sends_none(tmp_path: Path) -> None:
    with on_pty.Explorer(tmp_path, TERM="xterm", COLORTERM=None, NO_COLOR="1") as explorer:
        explorer.wait_for(b"Step ")
        explorer.type(b"l")
        while not re.search(rb"\x1b\[(?:[\d;]*;)?4(?:;[\d;]*)?m", explorer.seen):
            assert explorer.read(on_pty.PATIENCE), "nothing is lit"
        seen = explorer.seen
        explorer.type(b"q")
        assert explorer.ended() == 0
    found = re.findall(rb"\x1b\[([\d;]+)m", seen)
    codes = {int(code) for codes in found for code in codes.split(b";")}
    assert codes <= {0, 1, 3, 4, 7, 9, 39, 49}, codes  # attributes, and the terminal's colours
    assert {4, 7} <= codes  # what the cursor lights, and the cursor


async def test_a_theme_chosen_in_16_colours_is_made_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Explorer()
    monkeypatch.setattr(app.console, "_color_system", ColorSystem.STANDARD)
    monkeypatch.setattr(Explorer, "is_headless", property(lambda _: False))
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.theme == "ansi-dark"
        assert app.current_state.theme == "textual-dark"
        app.theme = "solarized-light"
        await pilot.pause()
        assert app.theme == "ansi-light"
        assert app.current_state.theme == "solarized-light"
        app.theme = "ansi-dark"
        await pilot.pause()
        assert app.theme == "ansi-dark"
