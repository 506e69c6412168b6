"""What a key paints: the lines that it changes, and nothing is laid out for it."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from ptxscope.widgets.base.form_fields import ChoiceRow
from ptxscope.widgets.base.pane import CursorPane, Pane, StyledLine
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only

pytestmark = ci_only

PANES = ("status", "instructions", "modifiers", "lanes", "result", "operands", "keys")


def _seen(drive: Driver) -> dict[str, list[StyledLine]]:
    """The lines of each panel that are seen."""
    panes = {name: drive.pane(name) for name in PANES}
    return {
        name: pane.visible_lines[pane.scroll_offset.y :][: pane.size.height]
        for name, pane in panes.items()
    }


@pytest.mark.parametrize(
    ("focus", "keys"),
    [
        ((), ("r", "r", "N", "N", "n", "t")),
        (("o",), ("greater_than_sign", "less_than_sign", "down", "right", "space")),
        (("l",), ("up", "up", "left", "greater_than_sign")),
    ],
)
async def test_a_key_paints_the_lines_that_it_changes(
    focus: tuple[str, ...], keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    painted = Counter[str]()
    layouts = 0
    render_line, lay_out = Pane.render_line, Screen._refresh_layout

    def counted(self: Pane, y: int) -> Strip:
        if self.id in PANES:  # a hint is taken back and said again
            painted[self.id] += 1
        return render_line(self, y)

    def noted(self: Screen[None], *size: object, **scroll: object) -> None:
        nonlocal layouts
        layouts += 1
        lay_out(self, *size, **scroll)  # type: ignore[arg-type]

    monkeypatch.setattr(Pane, "render_line", counted)
    monkeypatch.setattr(Screen, "_refresh_layout", noted)
    async with explorer() as drive:
        await drive.see(*focus)
        for key in keys:
            before, layouts = _seen(drive), 0
            painted.clear()
            await drive.see(key)
            after = _seen(drive)
            changed = {
                name: sum(was != now for was, now in zip(before[name], lines, strict=False))
                + abs(len(before[name]) - len(lines))
                for name, lines in after.items()
            }
            assert painted == Counter(changed), key
            assert layouts == 0, key


async def test_a_cursor_is_seen_while_its_panel_has_the_focus() -> None:
    async with explorer(size=(80, 24)) as drive:

        async def cursor_after(key: str) -> list[str]:
            await drive.press(key)
            panes = drive.app.screen.query(CursorPane)
            return [
                str(x.id)
                for x in panes
                for y in x.visible_lines
                for z in y
                if "cursor" in z.style_name
            ]

        assert await cursor_after("m") == ["modifier-row"]
        assert await cursor_after("escape") == []
        assert await cursor_after("o") == ["operands"]
        assert await cursor_after("escape") == []
        assert await cursor_after("e") == ["choices"]
        assert await cursor_after("tab") == []


async def test_a_panel_that_was_taken_out_may_still_be_painted() -> None:
    async with explorer() as drive:
        await drive.press("e")
        choices = drive.app.screen.query_one(ChoiceRow)
        await drive.press("escape")
        assert choices.parent is None
        assert len(choices.render_lines(Region(0, 0, 20, 1))) == 1


async def test_the_mouse_takes_the_text_that_it_is_drawn_over() -> None:
    async with explorer() as drive:
        lanes = drive.pane("lanes")
        lines = lanes.read_text().splitlines()
        y = next(at for at, line in enumerate(lines) if "select" in line)
        start = lines[y].index("elect")
        end = start + len("elect")
        left, top = lanes.gutter.left, y + lanes.gutter.top
        await drive.pilot.mouse_down(lanes, offset=(start + left, top))
        await drive.pilot.hover(lanes, offset=(end - 1 + left, top))
        await drive.pilot.mouse_up(lanes, offset=(end - 1 + left, top))
        assert drive.app.screen.get_selected_text() == "elect"
