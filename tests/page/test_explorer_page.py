"""The Python object of the page, without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ptxscope.export import export
from ptxscope.export.options import Options
from ptxscope.page.explorer_page import ExplorerPage
from ptxscope.page.page_view import make_view
from ptxscope.page.permalink import format_permalink, parse_permalink
from tools.page_proof import HOSTILE, draw_link, list_words, print_document

VADD4 = "vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x80ff7f01&b=0x01010101"
E3 = "vadd.u32.s32.s32.sat+d.b0,+a,+b,+c&a=0xffffffff&b=0x00000000&c=0x11223344"


def act(page: ExplorerPage, action: str, **arguments: object) -> dict[str, Any]:
    changes: dict[str, Any] = json.loads(page.handle(action, json.dumps(arguments)))
    return changes


def text_of(children: Any) -> str:
    """All text of elements."""
    if isinstance(children, str):
        return children
    parts = children[2:] if children and isinstance(children[0], str) else children
    return " ".join(map(text_of, parts))


def open_page(fragment: str) -> ExplorerPage:
    page = ExplorerPage(fragment)
    page.format_changes()
    return page


# --- pictures and links ------------------------------------------------------------------


@pytest.mark.parametrize("number", range(0, 200, 8))
def test_the_picture_is_the_command_lines(number: int) -> None:
    link, ins = draw_link(number)
    page = open_page(format_permalink(link))
    assert page.svg == print_document(list_words(link, ins))
    assert format_permalink(page.link) == format_permalink(link)


def test_only_what_changed_is_returned() -> None:
    page = open_page(VADD4)
    assert not {"pictures", "#operands", "line"} & {*act(page, "step", step="9")}
    changes = act(page, "value", role="a", text="0x1")
    assert {"pictures", "#operands", "link"} <= {*changes}
    assert "line" not in changes


@pytest.mark.parametrize("fragment", HOSTILE)
def test_hostile_permalinks_do_nothing(fragment: str) -> None:
    page = open_page(VADD4)
    trace = page.trace
    act(page, "open_link", fragment=fragment)
    if page.message:
        assert page.trace == trace
    for picture in page.list_zones(), page.svg:
        assert "<script" not in picture
        assert "<img" not in picture


def test_a_link_says_the_open_tool() -> None:
    page = open_page(VADD4)
    act(page, "tool", name="explain")
    act(page, "tool_text", text="0x??01????")
    link = format_permalink(page.link)
    assert parse_permalink(link).tool == "explain"
    assert text_of(open_page(link).panel) == text_of(page.panel)


# --- the line and the operands -----------------------------------------------------------


def test_an_error_has_a_caret_what_is_allowed_and_a_fix() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "line", text="vadd4.s32.s32.s33 d, a, b, c")["#problems"])
    assert "^^^^" in told
    assert "allowed: vadd4.dtype.atype.btype" in told
    act(page, "fix", index="0")
    assert page.line == "vadd4.s32.s32.s32 d, a, b, c"
    act(page, "undo")
    assert page.line == "vadd4.s32.s32.s33 d, a, b, c"
    act(page, "undo", redo="1")
    assert page.line == "vadd4.s32.s32.s32 d, a, b, c"


def test_a_value_that_is_none_stays_as_typed() -> None:
    page = open_page(VADD4)
    bits = page.trace.operands["a"]
    told = text_of(act(page, "value", role="a", text="12z")["#operands"])
    assert "`12z` is not" in told
    assert page.trace.operands["a"] == bits
    act(page, "value", role="a", text="[1,2,3,4]")
    assert page.trace.operands["a"] == 0x01020304


def test_one_undo_reverts_what_was_typed_into_a_field() -> None:
    page = open_page(VADD4)
    for text in ("0", "0x", "0x1", "0x12"):
        act(page, "value", role="a", text=text)
    act(page, "value", role="b", text="7")
    act(page, "undo")
    assert (page.trace.operands["a"], page.trace.operands["b"]) == (0x12, 0x01010101)
    act(page, "undo")
    assert page.trace.operands["a"] == 0x80FF7F01


def test_completions_are_slot_by_slot() -> None:
    page = open_page(VADD4)
    words = [text for text, *_ in json.loads(page.list_completions("vavrg4.s32.u32."))]
    assert {*words} == {"s32", "u32", "sat", "add"}
    words = [text for text, *_ in json.loads(page.list_completions("vavrg4.s32.u32.s32."))]
    assert {*words} == {"sat", "add"}
    assert json.loads(page.list_completions("vavrg"))[0][0].startswith("vavrg")


def test_instructions_are_found_by_words() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "search", text="average four bytes")["#found"])
    assert told.split()[0] == "vavrg4"
    act(page, "open_instruction", name="__vavgu4")
    assert page.trace.instruction.opcode == "vavrg4"


# --- edits in the picture ----------------------------------------------------------------


def zones_of(page: ExplorerPage, kind: str) -> list[tuple[str, int]]:
    (picture,) = json.loads(page.list_zones())["pictures"]
    return [(zone[6], zone[7]) for zone in picture["zones"] if zone[8] == kind]


def test_a_chip_is_typed_over() -> None:
    page = open_page(VADD4)
    assert zones_of(page, "operand")[:1] == [("a", 3)]
    act(page, "part", key="a", lane=3, text="-7")
    assert page.trace.operands["a"] == 0xF9FF7F01
    told = act(page, "part", key="a", lane=3, text="300")
    assert "too large" in told["message"] or "8 bits" in told["message"]


def test_a_lane_of_the_mask_is_switched() -> None:
    page = open_page("vadd4.s32.s32.s32.sat+d.b310,+a,+b,+c&v=1")
    key, lane = next(x for x in zones_of(page, "mask") if x[1] == 3)
    act(page, "activate", key=key, lane=lane)
    assert page.line.startswith("vadd4.s32.s32.s32.sat d.b10,")


def test_a_wire_is_laid_from_either_end() -> None:
    for start, end in ((("b", 1), ("select.a", 3)), (("select.a", 3), ("b", 1))):
        page = open_page(VADD4)
        act(page, "link", start=start, end=end)
        assert page.line == "vadd4.s32.s32.s32.sat d, a.b5210, b, c;"


def test_a_wire_to_a_digit_of_prmt_changes_the_operand() -> None:
    page = open_page("prmt.b32+d,+a,+b,+c&a=0x11223344&b=0x55667788&c=0x00003210&v=1")
    lanes = zones_of(page, "digit")
    assert lanes
    act(page, "link", start=("b", 0), end=lanes[-1])
    assert page.trace.operands["c"] == 0x3214


def test_a_computed_value_is_not_changed() -> None:
    page = open_page(VADD4)
    key, lane = zones_of(page, "")[0]
    trace = page.trace
    assert "computed" in act(page, "activate", key=key, lane=lane)["message"]
    assert page.trace == trace


def test_unknown_places_are_ignored() -> None:
    page = open_page(VADD4)
    trace = page.trace
    for key in ("nothing", "__class__", "d"):
        act(page, "activate", key=key, lane=99)
        act(page, "part", key=key, lane=99, text="1")
        act(page, "link", start=(key, 0), end=("a", 0))
    assert page.trace == trace


# --- steps, predictions, answers ---------------------------------------------------------


def test_a_result_is_hidden_until_its_step() -> None:
    page = open_page(VADD4 + "&step=2&v=1")
    stages = frozenset(x.stage for x in page.trace.steps[:2])
    assert page.svg == export(
        page.trace, "svg", Options(stages=stages, result=False, is_early=True)
    )
    hidden = page.svg
    act(page, "result", checked=True)
    assert page.svg != hidden
    assert "result=1" in format_permalink(page.link)


def test_a_prediction_is_graded_lane_by_lane() -> None:
    page = open_page("vadd.s32.s32.s32+d,+a,+b&a=0x00000002&b=0x00000003&step=1&v=1")
    act(page, "predict")
    assert page.state.is_predicting
    field = next(x for x in list_guesses(page) if x[0] == "form")
    place = {"key": field[1]["data-key"], "lane": field[1]["data-lane"]}
    wrong = act(page, "guess", text="6", **place)
    assert "not right" in text_of(wrong["#guesses"])
    while page.state.is_predicting:
        lane = page.state.find_next_lane()
        assert lane
        value = page.trace.rows[lane.key].values[lane.lane]
        act(page, "guess", text=str(value), key=lane.key, lane=str(lane.lane))
    assert "That was the last step" in page.message
    assert page.trace.result["d"] == 5


def list_guesses(page: ExplorerPage) -> list[Any]:
    """The fields for predictions."""
    view: Any = make_view(page)
    return [x for x in view["#guesses"] if isinstance(x, list)]


def test_both_answers_are_there_where_they_differ() -> None:
    page = ExplorerPage(E3)
    told = text_of(json.loads(page.format_changes())["#answers"])
    assert "isa" in told
    assert "E3" in told
    act(page, "both", checked=True)
    assert page.svg == export(page.trace, "svg", Options(both=True))
    act(page, "resize", compact=True)
    assert len(json.loads(page.list_zones())["pictures"]) == 2


# --- tools -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("explain", "0x81010002", "documented"),
        ("check", "vadd4.s32.s32 d, a, b, c;", "1 illegal"),
        ("sweep", "a.b0", "d.b0 over all 256 values of a.b0"),
        ("prove", "", "ptxscope prove"),
        ("lesson", "lanes", "card 1 of"),
        ("challenge", "seed.1.1", "1."),
    ],
)
def test_each_tool_answers(name: str, text: str, said: str) -> None:
    page = open_page(f"{VADD4}&{name}={text.replace(' ', '+')}&v=1")
    assert said in text_of(page.panel)


def test_a_sweep_is_that_of_the_command_line() -> None:
    page = open_page("vadd4.s32.s32.s32.sat+d,+a,+b,+c&b=0x00000064&sweep=a.b0&v=1")
    table: Any = next(x for x in page.panel if isinstance(x, list) and x[0] == "table")
    rows = table[3][2:]
    assert [text_of(row).split() for row in rows] == [
        ["-128", "to", "27", "-28", "to", "127", "156"],
        ["28", "to", "127", "127", "100"],
    ]


def test_an_answer_of_another_trace_is_stale() -> None:
    page = open_page(VADD4 + "&sweep=a.b0&v=1")
    assert not page.is_panel_stale
    act(page, "value", role="b", text="0")
    assert page.is_panel_stale
    act(page, "refresh")
    assert not page.is_panel_stale


def test_a_lesson_is_played_to_its_end() -> None:
    page = open_page(VADD4)
    line = page.line
    act(page, "tool", name="lesson")
    act(page, "open_lesson", name="lanes")
    lesson = page.state.lesson
    assert lesson
    for _ in range(len(lesson.lesson.cards)):
        if lesson.is_open:
            act(page, "lesson_answer", text="nonsense")
            assert lesson.is_open
            act(page, "lesson_hint")
            act(page, "lesson_reveal")
        act(page, "lesson_go", delta="1")
    assert page.state.lesson is None
    assert page.line == line


def test_a_challenge_is_graded() -> None:
    page = open_page(VADD4 + "&challenge=seed.1.1&v=1")
    first = text_of(page.panel)
    act(page, "challenge_hint")
    assert text_of(page.panel) != first
    act(page, "challenge_answer", text="a=0 b=0 c=0")
    assert "Wrong." in text_of(page.panel)
    act(page, "challenge_next")
    assert "2." in text_of(page.panel)
    assert "challenge=seed.1.2" in format_permalink(page.link)


@pytest.mark.parametrize("format_", ["link", "markdown", "svg", "command", "c"])
def test_what_is_copied(format_: str) -> None:
    page = open_page(E3)
    starts = {"link": "vadd.", "markdown": "```ptx", "svg": "<svg", "command": "ptxscope trace"}
    assert page.format_copy(format_).startswith(starts.get(format_, ""))
    if format_ == "c":
        assert "uint32_t" in page.format_copy(format_)
