"""The Python object of the page, without a browser."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any
from urllib.parse import quote_plus

import pytest

from ptxscope.cli import main
from ptxscope.documents import export
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.feature import PagePanel
from ptxscope.features.page.explorer_page import ExplorerPage, map_copies
from ptxscope.features.page.page_view import make_link, make_view
from ptxscope.features.page.permalink import format_permalink, parse_permalink
from ptxscope.features.page.tool_table import map_panels, map_tools
from ptxscope.state.actions import ACTIONS
from tests.driving.element_texts import text_of
from tests.driving.feature_tables import needs
from tests.features.page.permalinks import HOSTILE, draw_link
from tests.tiers import ci_only, sampled, whole
from tools.page_proof import list_words, print_document

VADD4 = "vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x80ff7f01&b=0x01010101"
E3 = "vadd.u32.s32.s32.sat+d.b0,+a,+b,+c&a=0xffffffff&b=0x00000000&c=0x11223344"


def act(page: ExplorerPage, action: str, **arguments: object) -> dict[str, Any]:
    changes: dict[str, Any] = json.loads(page.handle(action, json.dumps(arguments)))
    return changes


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
    assert format_permalink(page.state.link) == format_permalink(link)


def test_an_action_returns_only_changed_regions() -> None:
    page = open_page(VADD4)
    assert not {"pictures", "#operands", "line"} & {*act(page, "step", number="9")}
    changes = act(page, "value", role="a", text="0x1")
    assert {"pictures", "#operands", "link"} <= {*changes}
    assert "line" not in changes


@pytest.mark.parametrize("fragment", HOSTILE)
@whole
def test_hostile_permalinks_do_nothing(fragment: str) -> None:
    page = open_page(VADD4)
    trace = page.state.trace
    act(page, "open_link", fragment=fragment)
    if page.state.message.startswith("This address can't be read"):
        assert page.state.trace == trace
    for picture in page.list_zones(), page.svg:
        assert "<script" not in picture
        assert "<img" not in picture


def test_a_permalink_contains_the_open_tool() -> None:
    page = open_page(VADD4)
    act(page, "explain")
    act(page, "tool_text", text="0x??01????")
    link = format_permalink(page.state.link)
    assert parse_permalink(link).tool == "explain"
    assert text_of(open_page(link).state.panel) == text_of(page.state.panel)


# --- the line and the operands -----------------------------------------------------------


def test_an_error_has_a_caret_the_allowed_values_and_a_fix() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "line", text="vadd4.s32.s32.s33 d, a, b, c")["#problems"])
    assert "^^^^" in told
    assert "allowed: vadd4.dtype.atype.btype" in told
    act(page, "fix", index="0")
    assert page.state.line == "vadd4.s32.s32.s32 d, a, b, c"
    act(page, "edit.undo")
    assert page.state.line == "vadd4.s32.s32.s33 d, a, b, c"
    act(page, "edit.redo")
    assert page.state.line == "vadd4.s32.s32.s32 d, a, b, c"
    told = text_of(act(page, "line", text="vmad.s32.s32.u32.po.shr7 d.b1, a, b, c")["#problems"])
    assert "Remove .b1" in told


def test_one_undo_reverts_all_typing_in_a_field() -> None:
    page = open_page(VADD4)
    for text in ("0", "0x", "0x1", "0x12"):
        act(page, "value", role="a", text=text)
    act(page, "value", role="b", text="7")
    act(page, "line", text="vsub4.s32.s32.s32 d, a, b, c")
    act(page, "end_line")
    act(page, "line", text="vmin4.s32.s32.s32 d, a, b, c")
    act(page, "edit.undo")
    assert page.state.line.startswith("vsub4")
    act(page, "edit.undo")
    act(page, "edit.undo")
    assert (page.state.trace.operands["a"], page.state.trace.operands["b"]) == (0x12, 0x01010101)
    history = act(page, "edit.undo")["#history"]
    assert page.state.trace.operands["a"] == 0x80FF7F01
    assert [x[1]["aria-disabled"] for x in history] == ["true", "false"]


def test_an_invalid_value_changes_no_operand() -> None:
    page = open_page(VADD4)
    bits = page.state.trace.operands["a"]
    told = text_of(act(page, "value", role="a", text="12z")["#operands"])
    assert "`12z` is not" in told
    assert page.state.trace.operands["a"] == bits
    act(page, "value", role="a", text="[1,2,3,4]")
    assert page.state.trace.operands["a"] == 0x01020304


# --- edits in the picture ----------------------------------------------------------------


def zones_of(page: ExplorerPage, kind: str) -> list[tuple[str, int]]:
    (picture,) = json.loads(page.list_zones())["pictures"]
    return [(zone[6], zone[7]) for zone in picture["zones"] if zone[8] == kind]


def test_chips_masks_digits_and_wires_are_edited_in_the_picture() -> None:
    page = open_page("vadd4.s32.s32.s32.sat+d.b310,+a,+b,+c&a=0x80ff7f01&b=0x01010101&v=1")
    assert zones_of(page, "operand")[:1] == [("a", 3)]
    act(page, "part", key="a", lane=3, text="-7")
    assert page.state.trace.operands["a"] == 0xF9FF7F01
    told = act(page, "part", key="a", lane=3, text="300")
    assert "too large" in told["message"] or "8 bits" in told["message"]
    key, lane = next(x for x in zones_of(page, "mask") if x[1] == 3)
    act(page, "activate", key=key, lane=lane)
    assert page.state.line.startswith("vadd4.s32.s32.s32.sat d.b10,")
    act(page, "link", start=("b", 1), end=("select.a", 0))
    assert page.state.line == "vadd4.s32.s32.s32.sat d.b10, a.b3215, b, c;"
    key, lane = zones_of(page, "")[0]
    trace = page.state.trace
    assert "computed" in act(page, "activate", key=key, lane=lane)["message"]
    assert page.state.trace == trace
    page = open_page("prmt.b32+d,+a,+b,+c&a=0x11223344&b=0x55667788&c=0x00003210&v=1")
    act(page, "link", start=("b", 0), end=zones_of(page, "digit")[-1])
    assert page.state.trace.operands["c"] == 0x3214


def test_unknown_places_are_ignored() -> None:
    page = open_page(VADD4)
    trace = page.state.trace
    for key in ("nothing", "__class__", "d"):
        act(page, "activate", key=key, lane=99)
        act(page, "part", key=key, lane=99, text="1")
        act(page, "link", start=(key, 0), end=("a", 0))
    assert page.state.trace == trace


# --- steps, predictions, answers ---------------------------------------------------------


def test_a_result_is_hidden_until_its_step() -> None:
    page = open_page(VADD4 + "&step=2&v=1")
    places = frozenset(x.place for x in page.state.trace.steps[:2])
    assert page.svg == export(
        page.state.trace, "svg", Options(steps=places, result=False, is_early=True)
    )
    hidden = page.svg
    act(page, "result", checked=True)
    assert page.svg != hidden
    assert "result=1" in format_permalink(page.state.link)


def test_a_prediction_is_graded_lane_by_lane() -> None:
    page = open_page("vadd.s32.s32.s32+d,+a,+b&a=0x00000002&b=0x00000003&step=1&v=1")
    assert "Another one" not in text_of(make_view(page.state)["#steps"])
    act(page, "predict")
    assert "Another one" in text_of(make_view(page.state)["#steps"])
    assert page.state.explorer.is_predicting
    field = next(x for x in list_guesses(page) if x[0] == "form")
    place = {"key": field[1]["data-key"], "lane": field[1]["data-lane"]}
    wrong = act(page, "guess", text="6", **place)
    assert "not right" in text_of(wrong["#guesses"])
    while page.state.explorer.is_predicting:
        lane = page.state.explorer.find_next_lane()
        assert lane
        value = page.state.trace.rows[lane.key].values[lane.lane]
        act(page, "guess", text=str(value), key=lane.key, lane=str(lane.lane))
    assert "That was the last step" in page.state.message
    assert page.state.trace.result["d"] == 5
    act(page, "predict.another")
    assert page.state.explorer.is_predicting
    assert page.state.line == page.state.explorer.setup.line


@pytest.mark.parametrize("is_compact", [False, True])
def test_the_picture_hides_the_numbers_to_predict(is_compact: bool) -> None:
    page = open_page("vadd4.s32.u32.s32+d,+a,+b,+c&a=0x80fd7f07&b=0x09f50b0d&step=1&v=1")
    page.state.is_compact = is_compact
    numbers = ("128", "253", "127", "-11")  # by hand: 0x80, 0xfd and 0x7f of a, 0xf5 of b
    act(page, "predict")
    assert page.state.shown_step == 1
    for shown in (page.svg, page.list_zones()):
        assert not [x for x in numbers if re.search(rf"(?<=[> ]){x}(?=[< ])", shown)]
    act(page, "predict")
    for shown in (page.svg, page.list_zones()):
        assert all(re.search(rf"(?<=[> ]){x}(?=[< ])", shown) for x in numbers)


def list_guesses(page: ExplorerPage) -> list[Any]:
    """The fields for predictions."""
    view: Any = make_view(page.state)
    return [x for x in view["#guesses"] if isinstance(x, list)]


def test_both_answers_are_shown_if_they_differ() -> None:
    page = ExplorerPage(E3)
    told = text_of(json.loads(page.format_changes())["#answers"])
    assert "isa" in told
    assert "E3" in told
    act(page, "both", checked=True)
    assert page.svg == export(page.state.trace, "svg", Options(both=True))
    act(page, "resize", compact=True)
    assert re.findall(r">\S+ = (0x[0-9a-f]+)<", page.svg) == ["0x11223300", "0x112233ff"]


# --- tools -------------------------------------------------------------------------------


def test_a_tool_answers() -> None:
    page = open_page(f"{VADD4}&explain=0x81010002&v=1")
    assert "documented" in text_of(page.state.panel)


@pytest.mark.parametrize("name", [x.name for x in map_panels().values() if x.is_of_trace])
def test_an_answer_for_another_trace_is_stale(name: str) -> None:
    page = open_page(f"{VADD4}&{name}=&v=1")
    assert not page.state.is_panel_stale
    act(page, "value", role="b", text="0")
    assert page.state.is_panel_stale
    act(page, "refresh")
    assert not page.state.is_panel_stale


def test_an_explanation_is_shown() -> None:
    page = open_page(f"{E3}&explain=0x112233ff&v=1")
    assert page.state.trace.result["d"] != 0x112233FF
    act(page, "show_explanation", index="0")
    assert page.state.trace.result["d"] == 0x112233FF
    assert page.state.is_panel_stale


def test_a_register_that_the_line_does_not_read_counts_in_an_explanation() -> None:
    """The average of 1 and 2 is 2, rounded up; 2 + 5 = 7."""
    fragment = "vavrg4.u32.u32.u32+d,+a,+b,+c&a=1&b=2{}&explain=7&v=1"
    panel = strip_report(text_of(open_page(fragment.format("&c=5")).state.panel))
    assert "givesthiswith.add." in panel
    assert "c was not given" in text_of(open_page(fragment.format("")).state.panel)


def strip_report(text: str) -> str:
    """A report without its blanks, bullets and marks of code."""
    return re.sub(r"- |[`\s]", "", text)


@needs("check")
def test_the_prose_of_a_report_has_no_line_breaks_and_its_code_no_backticks() -> None:
    """The box may be 40 characters wide; only a listing keeps its lines."""
    page = open_page("vavrg4.u32.u32.u32+d,+a,+b,+c&a=1&b=2&explain=7&v=1")
    explained = page.state.panel
    act(page, "check")
    act(page, "tool_text", text="vadd4.s32.s32 r1, r2;")
    for panel in (explained, page.state.panel):
        report: Any = panel[-1]
        prose = [text_of(x) for x in report[2:] if x[0] != "pre"]
        assert prose
        assert not any("\n" in x or "`" in x for x in prose)
        assert any(x[0] == "pre" for x in report[2:])


REVEALING_PANELS = [x for x in map_panels().values() if ACTIONS[x.action].reveals]


@pytest.mark.parametrize("panel", REVEALING_PANELS)
def test_a_panel_that_shows_the_result_reveals_it_and_closes_when_it_is_hidden(
    panel: PagePanel,
) -> None:
    page = open_page(f"{VADD4}&step=2&v=1")
    hidden = page.svg
    assert page.state.is_result_hidden
    act(page, panel.action)
    assert page.state.tool.name == panel.name
    assert not page.state.is_result_hidden
    assert page.svg != hidden
    act(page, "result", checked=False)
    assert page.state.tool.name == ""
    assert page.svg == hidden
    page = open_page(f"{VADD4}&step=2&{panel.name}=&v=1")
    assert page.state.tool.name == panel.name
    assert not page.state.is_result_hidden


@pytest.mark.parametrize("panel", REVEALING_PANELS)
def test_a_panel_with_the_answer_is_closed_during_a_prediction(panel: PagePanel) -> None:
    page = open_page(f"{VADD4}&{panel.name}=&v=1")
    assert page.state.tool.name == panel.name
    act(page, "predict")
    assert page.state.tool.name == ""
    assert "would reveal the answer" in act(page, panel.action)["message"]
    assert page.state.tool.name == ""
    act(page, "predict")
    act(page, panel.action)
    assert page.state.panel


@pytest.mark.parametrize("format_", [x for x in map_copies() if x != "png"])
def test_each_copy_format_has_its_content(format_: str) -> None:
    page = open_page(E3)
    starts = {"link": "vadd.", "markdown": "```ptx", "svg": "<svg", "command": "ptxscope trace"}
    assert page.format_copy(format_).startswith(starts.get(format_, ""))
    if format_ == "c":
        assert "uint32_t" in page.format_copy(format_)


# --- blocks ------------------------------------------------------------------------------

BLOCK = "{ lop3.b32 t, q, 0x000f000f, k, 0xea; vsub2.u32.u32.u32 d, t, k, k; }"
BLOCK_LINK = f"{quote_plus(BLOCK)}&$q=0x12345678&$k=0x64006400"
BLOCK_WORDS = ["trace", BLOCK, "q=0x12345678", "k=0x64006400", "-f", "svg"]
TWO_ANSWERS = "{ mov.b32 x, a; vadd.s32.s32.s32.sat t, x, b; vadd.u32.s32.s32.sat d.b0, t, b, c; }"


@ci_only
def test_a_block_is_drawn_and_stepped_through_as_on_the_command_line() -> None:
    page = open_page(BLOCK_LINK)
    assert page.svg == print_document(BLOCK_WORDS)
    last = page.state.last_step
    assert last > len(page.state.trace.steps)  # the steps go through all statements
    for step in range(1, last):
        act(page, "step", number=str(step))
        assert page.svg == print_document([*BLOCK_WORDS, "--until", str(step)])
        act(page, "result", checked=True)
        assert page.svg == print_document([*BLOCK_WORDS, "--steps", f"1-{step}"])
        act(page, "result", checked=False)
        link = format_permalink(page.state.link)
        assert f"&step={step}&" in link
        assert open_page(link).svg == page.svg
    act(page, "step.next")
    assert page.svg == print_document(BLOCK_WORDS)


@sampled
@pytest.mark.parametrize(
    "text",
    [
        "__vhaddu4(a, b)",
        "y = __vabsdiffu4(__vavgu4(a, b), 0x01020304);",
        'asm("prmt.b32 %0, %1, 0, 0x0123; brev.b32 %0, %0;" : "=r"(y) : "r"(x));',
        "add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, 0;",
    ],
)
def test_a_typed_block_is_that_of_the_command_line(text: str) -> None:
    page = open_page(VADD4)
    for end in range(len(text) + 1):  # key by key
        act(page, "line", text=text[:end])
    assert not page.state.explorer.setup.error
    link = format_permalink(page.state.link)
    assert open_page(link).svg == page.svg
    values = [
        f"{x.name}={page.state.shown_trace.operands[x.roles[0]]:#x}" for x in page.state.inputs
    ]
    assert page.svg == print_document(["trace", text, *values, "-f", "svg"])
    for format_ in {"markdown", "c"} & {*map_copies()}:
        printed = print_document(["trace", text, *values, "-f", format_])
        assert page.format_copy(format_) == printed
    if "__" not in text:  # the command has the statements, without the note on the intrinsic
        assert print_document(shlex.split(page.format_copy("command"))[1:]) == page.svg


@ci_only
def test_the_number_of_related_places_grows_slowly_with_a_block() -> None:
    def count_related(statements: int) -> int:
        lines = (f"vadd4.u32.u32.u32 d{i}, a, d{i - 1}, a;" for i in range(1, statements + 1))
        page = open_page(quote_plus(" ".join(lines)))
        (picture,) = json.loads(page.list_zones())["pictures"]
        return sum(len(zone[5]) for zone in picture["zones"])

    assert count_related(12) > 4 * count_related(6)  # what they came from in any statement
    assert count_related(26) < 3 * count_related(13)


def test_the_registers_of_a_block_are_edited_by_field_and_by_chip() -> None:
    page = open_page(BLOCK_LINK)
    act(page, "value", role="s0.q", text="0xf")
    act(page, "value", role="s0.q", text="0xff")
    assert page.state.block_trace
    assert page.state.block_trace.operands["s0.q"] == 0xFF
    (picture,) = json.loads(page.list_zones())["pictures"]
    kinds = {zone[6]: zone[8] for zone in picture["zones"]}
    assert kinds["s1.a"] == "operand"
    assert kinds["s2.a"] == ""  # statement 1 computes it
    act(page, "part", key="s1.a", lane=0, text="0x12")
    assert page.state.block_trace.operands["s0.q"] == 0x12
    act(page, "part", key="s2.a", lane=0, text="7")
    assert page.state.block_trace.operands["s0.q"] == 0x12
    act(page, "edit.undo")
    act(page, "edit.undo")
    assert page.state.block_trace.operands["s0.q"] == 0x12345678


def test_a_block_is_open_while_the_line_is_one() -> None:
    page = open_page(BLOCK_LINK)
    assert "#problems" not in act(page, "line", text=BLOCK[:-2])
    told = text_of(act(page, "line", text=BLOCK.replace("vsub2.u32.", "vsub2.u33."))["#problems"])
    assert "still of the last line without an error" in told
    assert page.state.last_step > len(page.state.trace.steps)
    act(page, "line", text="vadd4.u32.u32.u32 d, a, b, c")
    assert page.state.last_step == len(page.state.trace.steps)
    assert page.svg.count("<svg") == 1
    act(page, "edit.undo")
    assert page.state.line == BLOCK
    assert page.svg == print_document(BLOCK_WORDS)
    act(page, "open_instruction", name="prmt")
    assert page.state.last_step == len(page.state.trace.steps)
    assert page.state.line.startswith("prmt")


def test_a_line_with_an_error_is_kept_beside_its_block() -> None:
    page = open_page(BLOCK_LINK)
    wrong = BLOCK.replace("vsub2.u32.", "vsub2.u33.")
    act(page, "line", text=wrong)
    for action, arguments in (
        ("value", {"role": "s0.q", "text": "0xff"}),
        ("step", {"number": "1"}),
        ("step.next", {}),
        ("predict", {}),
        ("model", {"text": "ptxas"}),
    ):
        act(page, action, **arguments)
        assert page.state.line == wrong
        assert page.state.explorer.setup.error
        assert page.state.last_step > len(page.state.trace.steps)


def test_operand_values_are_kept_by_name_between_block_and_instruction() -> None:
    page = open_page("__vhaddu4%28a,+b%29&$a=0x2&$b=0x3")
    act(page, "line", text="vadd4.u32.u32.u32 d, b, a, c")
    assert {x.name: page.state.trace.operands[x.roles[0]] for x in page.state.inputs} == {
        "a": 2,
        "b": 3,
    }
    act(page, "line", text="{ popc.b32 t, b; mul.lo.u32 d, t, a; }")
    assert page.state.shown_trace.operands == {"s0.a": 2, "s0.b": 3}


def test_operand_values_follow_their_names_in_a_line() -> None:
    page = open_page("vsub4.s32.s32.s32+d,+a,+b,+c&a=0x0a0a0a0a&b=0x01020304&c=0x0")
    act(page, "line", text="vsub4.s32.s32.s32 d, b, a, c")
    assert page.state.trace.result["d"] == 0xF7F8F9FA


def test_both_answers_of_a_block_equal_the_command_line() -> None:
    page = open_page(f"{quote_plus(TWO_ANSWERS)}&$a=0x80000000&$b=0xffffffff&$c=0")
    assert "Two answers" in text_of(act(page, "both", checked=True)["#answers"])
    words = ["trace", TWO_ANSWERS, "a=0x80000000", "b=0xffffffff", "c=0", "-f", "svg"]
    assert page.svg == print_document([*words, "--both"])
    act(page, "model", text="ptxas-13.0")
    assert page.svg == print_document([*words, "--both", "--model", "ptxas-13.0"])


def test_a_block_is_predicted_statement_by_statement() -> None:
    page = open_page(BLOCK_LINK)
    act(page, "predict")
    answered = 0
    while page.state.explorer.is_predicting:
        assert page.state.current_step - 1 == page.state.shown_step
        assert "0x00040008" not in page.svg
        place = page.state.explorer.find_next_lane()
        assert place
        value = page.state.trace.rows[place.key].values[place.lane]
        act(page, "guess", key=place.key, lane=place.lane, text=str(value))
        answered += 1
        assert answered < 100
    assert page.state.shown_step == page.state.last_step
    assert page.svg == print_document(BLOCK_WORDS)


@ci_only
def test_a_long_block_is_explained_by_the_command_line() -> None:
    lines = (f"vadd4.u32.u32.u32 d{i}, a, d{i - 1}, a;" for i in range(1, 18))
    page = open_page(quote_plus(" ".join(lines)))
    act(page, "explain")
    told = text_of(act(page, "tool_text", text="0x12345678")["#panel"])
    command = shlex.split(told[told.index("ptxscope explain") :])
    assert command[2:3] == [str(page.state.target)]
    assert command[-2:] == ["--got", "0x12345678"]
    assert main(command[1:]) in (0, 1)


def test_a_permalink_opens_without_a_tool_that_is_gone() -> None:
    page = open_page(f"{VADD4}&prove=&step=2&v=1")  # a link of an earlier page
    assert page.state.message.startswith("This web explorer has no tool `prove`")
    assert format_permalink(page.state.link) == f"{VADD4}&step=2&v=1"
    assert "prove" not in text_of(make_view(page.state)["#tools"]).lower()


def test_the_tools_take_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    page = open_page(BLOCK_LINK)
    values = ["q=0x12345678", "k=0x64006400"]
    act(page, "explain")
    told = text_of(act(page, "tool_text", text="0x00040009")["#panel"])
    main(["explain", BLOCK, *values, "--got", "0x00040009", "--all"])
    assert strip_report(capsys.readouterr().out) in strip_report(told)


# --- what a stranger found ----------------------------------------------------------------


def test_an_invalid_initial_permalink_is_reported() -> None:
    page = ExplorerPage("vadd4&v=7")
    assert "its version is `7`" in json.loads(page.format_changes())["message"]
    assert "message" not in act(page, "resize", compact=True)


def test_a_permalink_omits_an_overlong_text() -> None:
    page = open_page(VADD4)
    act(page, "explain")
    told = act(page, "tool_text", text="0x81010002\n" * 200)
    assert told["message"].startswith("The link omits")
    assert parse_permalink(make_link(page.state)[0]).tool == "explain"
    assert act(page, "tool_text", text="nothing")["message"] == ""


def test_an_intrinsic_is_opened_as_its_instructions() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "search", text="__vhaddu4")["#found"])
    assert "but the intrinsic rounds halves down" in told
    act(page, "open_instruction", name="__vhaddu4")
    act(page, "value", role="s0.a", text="1")
    act(page, "value", role="s0.b", text="2")
    assert page.state.block_trace
    assert page.state.block_trace.result == {"d": 1}
    assert "Nothing found" in text_of(act(page, "search", text="xyzzy")["#found"])
    told = text_of(act(page, "search", text="average four bytes")["#found"])
    assert told.split()[0] == "vavrg4"
    act(page, "open_instruction", name="__vavgu4")
    assert page.state.trace.instruction.opcode == "vavrg4"


def test_every_value_in_the_picture_has_a_name() -> None:
    page = open_page(VADD4)
    (picture,) = json.loads(page.list_zones())["pictures"]
    labels = {(zone[6], zone[7]): zone[9] for zone in picture["zones"]}
    assert all(labels.values())
    assert labels["operate.t", 3].startswith("lane 3: -128 + 1 is -127")
    assert labels["d =", 0] == "d = 0x81007f02, [-127, 0, 127, 2]"


def test_a_note_on_the_line_goes_while_the_line_is_not_legal() -> None:
    page = ExplorerPage("vadd.u32.u32.u32+d,+a,+b,+c")
    assert "c is ignored" in str(json.loads(page.format_changes())["#answers"])
    changes = act(page, "line", text="xvadd.u32.u32.u32 d, a, b, c")
    assert "c is ignored" not in str(changes["#answers"])
    changes = act(page, "line", text="vadd.u32.u32.u32 d, a, b, c")
    assert "c is ignored" in str(changes["#answers"])


def test_the_page_lands_on_the_first_step_and_offers_a_prediction() -> None:
    page = ExplorerPage()
    view = make_view(page.state)
    assert page.state.shown_step == 1
    assert page.state.is_result_hidden
    assert "Predict the result" in text_of(view["#steps"])
    predict = next(x for x in list_buttons(view["#steps"]) if x[1]["data-do"] == "predict")
    assert predict[1]["data-keys"] == "P"
    assert predict[1]["title"].endswith("(P)")


def list_buttons(element: Any) -> list[Any]:
    """All buttons in elements."""
    if not isinstance(element, list):
        return []
    inner = [button for child in element for button in list_buttons(child)]
    return [element, *inner] if element[:1] == ["button"] else inner


def test_the_gallery_is_the_empty_state_and_one_click_away() -> None:
    page = open_page(VADD4)
    assert act(page, "line", text="")["layout"] == "empty"
    assert act(page, "line", text="popc.b32 d, a")["layout"] == ""
    assert act(page, "gallery")["layout"] == "gallery"
    assert act(page, "open_link", fragment=VADD4)["layout"] == ""


@pytest.mark.parametrize("is_compact", [False, True])
def test_registers_are_drawn_before_the_first_step(is_compact: bool) -> None:
    page = open_page(f"{VADD4}&step=1&predict=1&v=1")
    act(page, "resize", compact=is_compact)
    assert page.state.shown_step == 0
    (drawn,) = json.loads(page.list_zones())["pictures"]
    assert {(zone[6], zone[7]) for zone in drawn["zones"]} == {
        (x, y) for x in "ab" for y in range(4)
    }


def test_a_wrong_answer_is_announced_where_a_reader_of_the_screen_hears_it() -> None:
    page = open_page("vsub.s32.s32.s32.sat+d,+a.b0,+b.b1&a=0x80&b=0x0100&step=2&v=1")

    def find_verdict(changes: dict[str, Any]) -> str:
        regions = [x for x in changes["#guesses"] if x[1].get("role") == "status"]
        return text_of(regions)

    assert find_verdict(act(page, "predict")) == ""
    place = page.state.explorer.find_next_lane()
    assert place
    told = find_verdict(act(page, "guess", key=place.key, lane=place.lane, text="5"))
    assert told.startswith("Not right. ")
    assert told.removeprefix("Not right. ") in text_of(make_view(page.state)["#guesses"])
    right = act(page, "guess", key=place.key, lane=place.lane, text="-129")  # -128 - 1
    assert find_verdict(right) == ""
    assert "Right" in right["message"]


def test_a_search_stays_where_its_field_is() -> None:
    page = open_page(VADD4)
    act(page, "gallery")
    for text in ("a", "av", "average four"):
        act(page, "search", text=text)
        assert page.state.layout == "gallery"
    act(page, "open_instruction", name="vavrg4")
    assert page.state.layout == ""
    act(page, "line", text="")
    act(page, "search", text="average")
    assert page.state.layout == "empty"


def test_an_explanation_advises_no_command() -> None:
    page = open_page(f"{quote_plus('vadd4.u32.u32.s32.sat d, a, b, c')}&a=0xfac87805&b=0x0af670f6")
    act(page, "explain")
    told = text_of(act(page, "tool_text", text="0xffbee801")["#panel"])
    assert "c was not given" in told
    assert "ptxscope" not in told


def test_many_allowed_words_leave_room_for_the_picture() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "line", text="foo d, a")["#problems"])
    assert "`foo` is not an instruction" in told
    count = int(told.partition(" … and ")[2].split()[0])
    shown = told.partition("allowed: ")[2].partition(" … ")[0].split()
    assert len(shown) <= 20
    assert {*shown} < {*CATALOG}
    assert len(shown) + count == len(CATALOG)


def test_escape_is_a_key_of_the_open_tool_alone() -> None:
    page = open_page(VADD4)

    def list_keys(children: Any) -> list[list[str]]:
        return [child[2][1].get("data-keys", "").split() for child in children]

    assert not any("Escape" in keys for keys in list_keys(make_view(page.state)["#tools"]))
    tools = act(page, "explain")["#tools"]
    assert [("Escape" in x) for x in list_keys(tools)] == [
        name == "explain" for name in map_tools() if not map_panels()[name].find_open
    ]
