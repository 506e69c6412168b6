"""Options for what an author writes instead: no sentences, no footer."""

from __future__ import annotations

import re

import pytest

import ptxscope
from ptxscope import Trace, export
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.options import Options
from ptxscope.engine.tracing.annotations import Annotations, Note
from tests.driving.samples import BLOCK, E3, QUAD

SHOWN = pytest.mark.parametrize("shown", [QUAD, E3, BLOCK], ids=["line", "erratum", "block"])

LABELS = (
    "The steps above are the same for both.",
    "d differs in bits 7:0.",
    "%0 differs in bits 7:0.",
    "They first differ at “saturate”.",
)
"""Labels of the place where two answers differ."""


def list_texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)", svg)


@SHOWN
@pytest.mark.parametrize("form", ["text", "markdown", "rst", "asciidoc", "html", "svg"])
def test_a_document_without_footer_has_no_version(shown: Trace, form: str) -> None:
    whole, short = (export(shown, form, Options(footer=x)) for x in (True, False))
    assert f"ptxscope {ptxscope.__version__}" in " ".join(whole.split())
    assert ptxscope.__version__ not in short
    assert "PTX ISA" not in short
    assert "ptxscope trace" not in short


@SHOWN
@pytest.mark.parametrize("options", [Options(), Options(compact=True), Options(both=True)])
def test_a_picture_without_text_has_no_sentences(shown: Trace, options: Options) -> None:
    options = options._replace(footer=False)
    whole, short = (
        list_texts(export(shown, "svg", options._replace(sentences=x))) for x in (True, False)
    )
    assert any(text.endswith(".") for text in whole)
    assert [x for x in short if x.endswith(".") and x not in LABELS] == []
    assert [x for x in whole if x.startswith("0x")] == [x for x in short if x.startswith("0x")]


@pytest.mark.parametrize("options", [Options(both=True), Options(both=True, compact=True)])
def test_a_note_on_a_lane_is_drawn_once_below_two_answers(options: Options) -> None:
    noted = E3.with_annotations(Annotations(notes=(Note("seen on a GPU", lane=0),)))
    texts = list_texts(export(noted, "svg", options))
    assert sum("seen on a GPU" in x for x in texts) == 1


def test_a_picture_without_text_is_still_described() -> None:
    whole, short = (export(QUAD, "svg", Options(sentences=x)) for x in (True, False))
    (desc,) = set(re.findall("<desc[^>]*>([^<]*)", whole + short))
    assert "clamp" in desc


def test_a_trace_printed_is_its_text() -> None:
    assert str(QUAD) == export(QUAD, "text")
    assert repr(QUAD).startswith("<Trace of ")


SUM = "vadd4.s32.s32.s32.sat d, a, b, c"
A, B, C = "a = 0x7f80ff01", "b = 0x01ff0280", "c = 0x00000000"


# the head has what both share, the line or registers; the heads of both what differs
@pytest.mark.parametrize(
    ("words", "heads", "result"),
    [  # 127 + 1, -128 - 1, -1 + 2, 1 - 128, not clamped
        (SUM.replace(".sat", ""), [f"{A}, {B}", f"{SUM};", f"{SUM};".replace(".sat", "")],
         "0x807f0181"),
        ("a=0x7f80ff02", [f"{SUM};", A, "a = 0x7f80ff02"], "0x7f800182"),
        ("vsub4.s32.s32.s32.sat e, a, x, a x=1",
         [A, f"{SUM};", "vsub4.s32.s32.s32.sat e, a, x, a;"], "0x7f80ff00"),
        ("vsub4.s32.s32.s32 e, x, x, x x=1", [f"{SUM};", "vsub4.s32.s32.s32 e, x, x, x;"],
         "0x00000000"),
    ],
)  # fmt: skip
def test_two_lines_or_two_operand_sets_are_side_by_side(
    words: str, heads: list[str], result: str
) -> None:
    line = [SUM, *f"{A} {B} {C}".replace(" = ", "=").split(), "-f", "svg"]
    shown, options, _ = parse_request([*line, "--beside", words])
    svg = export(shown, "svg", options)
    drawn = list_texts(svg)
    assert [x for x in drawn if x.startswith("v") or re.match("[abcx] =", x)] == heads
    assert re.findall(r"[de] = (0x\w+)", "\n".join(drawn)) == ["0x7f800181", result]
    again, again_options, _ = parse_request(build_document(shown, options).words[2:])
    svg_again = export(again, "svg", again_options)
    assert re.sub("px-[0-9a-f]{10}", "", svg_again) == re.sub("px-[0-9a-f]{10}", "", svg)
    (badge,) = re.findall(r'y="([\d.]+)"[^>]*>model isa<', svg)
    assert float(badge) == (50 if len(heads) == 3 else 41)  # there is no band around nothing
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(set(ids)) == len(ids)


def test_a_line_beside_takes_a_value_that_the_other_line_does_not_read() -> None:
    """Without lanes to keep, vadd4 does not read c: 127 * 1 + -128 * -1 - 1 * 2 + 1 * -128 + c."""
    line = [SUM, "a=0x7f80ff01", "b=0x01ff0280", "c=7", "-f", "svg"]
    shown, options, _ = parse_request([*line, "--beside", "dp4a.s32.s32 d, a, b, c"])
    texts = list_texts(export(shown, "svg", options))
    assert f"d = {125 + 7:#010x}" in texts
    foot = " ".join(texts[texts.index("d = 0x00000084") + 2 :])
    # both select and extend; vadd4 merges no lane, dp4a has one number and no bytes to write
    assert foot.startswith(
        "Not drawn, because they change nothing: 1 select; on the left, 5 merge; on the right, "
        "5 write. Drawn beside the operands: 2 extend. On the left, PTX ISA "
    )
    assert foot.index("§9.7.18.2.3") < foot.index("on the right, PTX ISA") < foot.index("§9.7.1.23")


@pytest.mark.parametrize(
    ("line", "beside"),
    [("shl.b32 d, a, b", "shl.b64 d, a, b"), ("setp.lt.s32 p, a, b", "setp.lt.s32 p|q, a, b")],
)
def test_results_of_other_widths_and_numbers_are_side_by_side(line: str, beside: str) -> None:
    shown, options, _ = parse_request([line, "a=1", "b=2", "-f", "svg", "--beside", beside])
    texts = list_texts(export(shown, "svg", options))
    if "|q" in beside:  # 1 < 2
        assert [x for x in texts if re.match("[pq] =", x)] == ["p = 1", "p = 1", "q = 0"]
    else:
        assert {"d = 0x00000004", "d = 0x0000000000000004"} <= {*texts}


@pytest.mark.parametrize("wrong", ["add.u32 d, a, b", 5, {"a": 1}])
def test_what_is_no_trace_is_refused_beside_another(wrong: object) -> None:
    message = re.escape(f"beside is {wrong!r}; it is a Trace")
    for draw in (
        lambda: QUAD.figure(beside=wrong),  # type: ignore[arg-type]
        lambda: export(QUAD, "svg", beside=wrong),  # type: ignore[call-overload]
        lambda: export(QUAD, "text", Options(beside=wrong)),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=message):
            draw()


@pytest.mark.parametrize(("shown", "beside"), [(QUAD, BLOCK), (BLOCK, QUAD)])
def test_several_statements_are_refused_beside_another(shown: Trace, beside: Trace) -> None:
    for draw in (
        lambda: shown.figure(beside=beside),
        lambda: export(shown, "svg", beside=beside),
    ):
        with pytest.raises(ValueError, match="beside is for one instruction, not a block"):
            draw()
