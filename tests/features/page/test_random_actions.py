"""Random actions on the page: none fails, and what is shown has a permalink that shows it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest

from ptxscope.features.page.explorer_page import ExplorerPage
from ptxscope.features.page.page_view import make_link
from ptxscope.features.page.tool_table import map_panel_actions, map_tools
from tests.tiers import some

LINES = (
    "{ popc.b32 t, a; mul.lo.u32 d, t, b; }",
    "__vhaddu4(a, b)",
    "vadd4.s32.s32.s32.sat d.b310, a, b, c",
    "{ mov.b32 x, a; vadd.s32.s32.s32.sat t, x, b; vadd.u32.s32.s32.sat d.b0, t, b, c; }",
    "add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, 0;",
    "{ setp.lt.s32 p, a, b; @p add.u32 d, a, b; @!p sub.u32 d, a, b; }",
    "lop3.b32 d, a, b, c, 0x96",
    "slct.s32.f32 d, a, b, c",
    'asm("prmt.b32 %0, %1, 0, 0x0123; brev.b32 %0, %0;" : "=r"(y) : "r"(x));',
    "vmad.s32.s32.u32.po.shr7 d.b1, a",
    "{",
    "",
)
VALUES = ("0x7f", "-1", "zz", "1.5", "[1,2,3,4]", "0")
Action = tuple[str, dict[str, object]]


def list_usual(random: Random) -> list[Action]:
    """Actions that any page can be asked for, with random arguments."""
    is_checked = random.random() < 0.5
    line = random.choice(LINES)[: random.choice((5, 20, 999, 999))]
    return [
        ("line", {"text": line}),
        ("line", {"text": line}),
        (random.choice(("step.next", "step.back", "step.first", "step.last")), {}),
        ("step", {"number": str(random.randrange(1, 15))}),
        ("predict", {}),
        ("edit.redo" if is_checked else "edit.undo", {}),
        ("model", {"text": random.choice(("isa", "ptxas", "ptxas-12.4", "E3"))}),
        ("both", {"checked": is_checked}),
        ("result", {"checked": is_checked}),
        ("resize", {"compact": is_checked}),
        (random.choice([*map_tools().values()]), {}),
        ("open_instruction", {"name": random.choice(("__vhaddu4", "prmt", "vset4"))}),
        ("end_line", {}),
        *(x for x in list_panel_actions(random) if x[0] in map_panel_actions()),
    ]


def list_panel_actions(random: Random) -> list[Action]:
    """Actions of panels of other features, if they are there."""
    return [
        ("open_lesson", {"name": random.choice(("clamping", "lanes"))}),
        ("lesson_go", {"delta": random.choice(("1", "-1"))}),
        ("lesson_answer", {"text": "5"}),
        ("lesson_leave", {}),
    ]


def list_actions(page: ExplorerPage, random: Random) -> Iterator[Action]:
    """Yield actions, among them some on what the page shows now."""
    yield from list_usual(random)
    if page.state.inputs:
        role = random.choice(page.state.inputs).roles[0]
        for _ in range(3):
            yield "value", {"role": role, "text": random.choice(VALUES)}
    if place := page.state.explorer.find_next_lane() if page.state.explorer.is_predicting else None:
        right = str(page.state.trace.rows[place.key].values[place.lane])
        for text in (right, right, right, "3"):
            yield "guess", {"key": place.key, "lane": place.lane, "text": text}
    pictures = json.loads(page.list_zones())["pictures"]
    places = [(zone[6], zone[7]) for picture in pictures for zone in picture["zones"]]
    if places:
        (key, lane), end = random.choice(places), random.choice(places)
        yield "part", {"key": key, "lane": lane, "text": random.choice(VALUES)}
        yield "activate", {"key": key, "lane": lane, "delta": random.choice((1, -1))}
        yield "link", {"start": [key, lane], "end": end}


def act(page: ExplorerPage, action: Action) -> None:
    page.handle(action[0], json.dumps(action[1]))


@pytest.mark.parametrize("seed", some(range(6)))
def test_no_sequence_of_actions_fails(seed: int) -> None:
    page, random = ExplorerPage(), Random(seed)
    page.format_changes()
    for number in range(40):
        action = random.choice([*list_actions(page, random)])
        act(page, action)
        assert 0 <= page.state.shown_step <= page.state.last_step, action
        link = make_link(page.state)[0]
        if (
            number % 4
            or page.state.explorer is not page.state.own
            or page.state.explorer.setup.error
            or not link
        ):
            continue
        other = ExplorerPage(link)
        other.format_changes()
        act(other, ("resize", {"compact": page.state.options.compact}))
        assert not other.state.message, link
        assert make_link(other.state)[0] == link
        assert other.svg == page.svg, link
