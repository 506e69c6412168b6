"""The compact figure: one column of a paper, without the steps that change nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from random import Random

import pytest

from ptxscope import Trace, export, trace
from ptxscope.cli.commands.trace import render_request
from ptxscope.documents.content.document import build_document
from ptxscope.documents.media.frames import make_frames
from ptxscope.documents.options import Motion, Options
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.scene.row_folding import fold_scene
from ptxscope.scene.scene_builder import build_scene
from tests.export.samples import E2, E3, EXAMPLES, example
from tests.export.test_picture import assert_tree_drawn_well
from tests.export.test_svg import NS, texts
from tests.strategies import instruction_of
from tests.tiers import sampled, thorough

COMPACT = Options(compact=True)
PERMUTED = trace(
    "vadd4.s32.s32.s32.sat d.b310, a.b7310, b, c",
    {"a": 0x80FF7F01, "b": 0x800102FF, "c": 0x11223344},
)
IN_PLACE = trace("vadd4.s32.s32.s32 d, a, b, c", {"a": 0x01020304, "b": 0x10203040, "c": 0})


def figure(shown: Trace, options: Options = COMPACT) -> ET.Element:
    return ET.fromstring(export(shown, "svg", options))


def size(tree: ET.Element) -> tuple[float, float]:
    _, _, wide, high = map(float, tree.get("viewBox", "").split())
    return wide, high


def steps(tree: ET.Element) -> list[str]:
    """The steps that are drawn."""
    found = (x.get("class", "") for x in tree.iter(f"{NS}g"))
    return [x.removeprefix("px-step px-") for x in found if x.startswith("px-step")]


def drawn_values(opcode: str, count: int) -> list[Trace]:
    """Forms that are drawn, on bits at ends and between them."""
    rng = Random(f"compact {opcode}")
    found = []
    for _ in range(count):
        ins = instruction_of(pick_form(opcode, rng))
        bits = {
            role: rng.choice((rng.getrandbits(x.type.bits), (1 << x.type.bits) - 1, 1, 0))
            for x in ins.inputs for role in x.roles
        }  # fmt: skip
        found.append(make_trace(ins, ISA_MODEL, bits))
    return found


@sampled
@pytest.mark.parametrize("count", [4, pytest.param(8, marks=thorough)])
@pytest.mark.parametrize("opcode", CATALOG)
def test_it_is_drawn_well_in_one_column(opcode: str, count: int) -> None:
    for shown in drawn_values(opcode, count):
        tree = figure(shown)
        assert_tree_drawn_well(tree, shown)
        assert 380 <= size(tree)[0] <= 450
        result = [format_hex(shown.result[name], shown.instruction.type_of(role).bits)
                  for role, name in shown.instruction.results.items()]  # fmt: skip
        said = " ".join(texts(tree))
        assert all(f"= {bits}" in said for bits in result)


@pytest.mark.parametrize(
    "shown",
    [
        trace("vadd.s32.s32.s32 d.b3, a, b, c", {"a": 1, "b": 2, "c": 0}),
        trace("vadd.s32.s32.s32 d.b0, a, b, c", {"a": 1, "b": 2, "c": 0}),
        trace("slct.b32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0xFFFFFFFF}),
    ],
    ids=["merge to the left", "merge to the right", "labels of a narrow number line"],
)
def test_lines_and_labels_have_room_of_their_own(shown: Trace) -> None:
    assert_tree_drawn_well(figure(shown), shown)


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_it_is_much_lower_than_the_whole_picture(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    wide, high = size(figure(shown))
    _, whole = size(figure(shown, Options()))
    assert wide == 400
    # captions above their steps cost most where steps are one line high
    assert high < (0.91 if "carry" in {str(x.stage) for x in shown.steps} else 0.87) * whole


def test_what_changes_nothing_is_not_drawn_and_is_named() -> None:
    tree = figure(IN_PLACE)
    assert steps(tree) == ["operate", "write"]
    said = " ".join(texts(tree))
    # the numbers that extending gives are not nothing: they stand beside the bytes of a and b
    assert "Not drawn, because they change nothing: 1 select, 4 merge. Drawn beside the" in said
    assert "operands: 2 extend." in said
    assert "d = 0x11223344" in texts(tree)


def test_bytes_that_are_permuted_go_straight_to_where_they_are_extended() -> None:
    tree = figure(PERMUTED)
    assert steps(tree) == ["extend", "operate", "saturate", "merge"]
    assert "1, 2 Select, extend" in texts(tree)
    assert "For a, lanes 3 to 0 take b.b3, a.b3, a.b1, a.b0." in texts(tree)
    assert "Not drawn, because it changes nothing: 6 write." in texts(tree)


@pytest.mark.parametrize(("a", "is_idle"), [(0x40490FDB, True), (5, False)])
def test_a_float_that_is_not_flushed_is_drawn_once(a: int, is_idle: bool) -> None:
    """0x40490fdb is the pi of C; 5 is subnormal."""
    shown = trace("setp.lt.ftz.f32 p, a, b", {"a": a, "b": 0x3F800000})
    tree = figure(shown)
    assert ("flush" not in steps(tree)) == is_idle
    fields = [x for x in texts(tree) if x == "exponent"]
    assert len(fields) == (2 if is_idle else 3)
    assert "a before" not in texts(tree)


def test_an_idle_clamp_is_drawn_where_the_result_is_kept_back() -> None:
    """That nothing is clamped is told by the result, and would tell it."""
    shown = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 0})
    assert "saturate" not in steps(figure(shown))
    assert "saturate" in steps(figure(shown, COMPACT._replace(result=False)))


def test_select_says_what_each_operand_takes() -> None:
    """``.h01`` gives lane 1 half-word 0 and lane 0 half-word 1; digit 2 is the first one of b."""
    shown = trace(
        "vmin2.s32.s32.s32 d, a.h01, b.h22, c", {"a": 0x00010002, "b": 0x00030004, "c": 0}
    )
    said = " ".join(texts(figure(shown)))
    assert "For a, lanes 1 and 0 take a.h0, a.h1. For b, lanes 1 and 0 take b.h0, b.h0." in said


@sampled
@pytest.mark.parametrize("shown", [
    trace("vmad.u32.u32.u32.sat d, a, b, -c", dict.fromkeys("abc", 0xFFFFFFFF)), E2, E3,
    *(example(*x) for x in EXAMPLES),
])  # fmt: skip
def test_the_step_where_answers_part_is_drawn(shown: Trace) -> None:
    answers = build_document(shown).answers
    if answers and answers.stage in {step.stage for step in shown.steps}:
        assert str(answers.stage) in steps(figure(shown))


def test_a_step_with_a_note_is_drawn() -> None:
    shown = E3.figure(notes=["extend=nothing to do"], compact=True)
    tree = ET.fromstring(shown.svg)
    assert "extend" in steps(tree)
    assert "nothing to do" in texts(tree)


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_every_row_that_is_left_is_linked_to_what_is_left(opcode: str) -> None:
    for shown in drawn_values(opcode, 12):
        stages = frozenset(step.stage for step in shown.steps)
        found = fold_scene(build_scene(shown), shown, (), stages)
        rows, registers = found.scene.rows.values(), found.scene.registers
        cells = [*(x for row in rows for x in row.cells), *(x for r in registers for x in r.cells)]
        places = {cell.place for cell in cells}
        for row in found.scene.rows.values():
            assert {link.source for link in row.links} <= places
        assert all(place in places for end in found.ends for place in end)


@pytest.mark.parametrize("format_", ["png", "pdf"])
def test_images_of_it(format_: str) -> None:
    made = export(PERMUTED, format_, COMPACT)
    assert len(made) > 5_000


def test_it_can_be_stepped_and_has_a_command() -> None:
    made = export(PERMUTED, "svg", COMPACT._replace(motion=Motion.STEPPING))
    assert 'id="step-merge"' in made
    words = ["vadd.s32.s32.s32 d, a, b", "a=1", "b=2", "-f", "svg"]
    assert render_request([*words, "--compact"]) == export(
        trace("vadd.s32.s32.s32 d, a, b", {"a": 1, "b": 2}), "svg", COMPACT
    )


def test_a_step_that_is_not_drawn_has_no_frame() -> None:
    found = make_frames(PERMUTED, COMPACT)
    assert [x.name for x in found] == ["02-extend", "03-add", "04-saturate", "05-merge"]
    assert ["d = 0x80227f00" in texts(ET.fromstring(x.svg)) for x in found] == [*[False] * 3, True]


@pytest.mark.parametrize("steps", ["--until=2", "--steps=1", "--steps=2"])
def test_the_registers_are_drawn_if_no_shown_step_changes_anything(steps: str) -> None:
    words = ["vadd4.s32.s32.s32.sat d, a, b, c", "a=0x80ff7f01", "b=0x800102ff", "c=0", steps]
    said = texts(ET.fromstring(render_request([*words, "--compact", "-f", "svg"])))
    assert {"0x80ff7f01", "0x800102ff", "0x7f", "0xff"} <= {*said}
    assert any(text.startswith(("Not drawn, because ", "Drawn beside ")) for text in said)


_ELBOW = re.compile(r"M[\d.]+ [\d.]+L[\d.]+ [\d.]+Q[\d.]+ ([\d.]+) ")
_CURVE = re.compile(r"M([\d.]+) ([\d.]+)(?:L\1 ([\d.]+))?C[\d. ]+ ([\d.]+) [\d.]+\Z")


@pytest.mark.parametrize("line", ["setp.ltu.or.f64 p|q, a, b, !c", "set.ge.xor.s32.f32 d, a, b, c"])
def test_lines_go_straight_behind_the_words_above_a_step(line: str) -> None:
    shown = trace(line, {"a": 0x7FF8 << 48 if "f64" in line else 0x7FC00000, "b": 7, "c": 0})
    tree = figure(shown)
    bands = [
        (float(x.attrib["y"]), float(x.attrib["y"]) + float(x.attrib["height"]))
        for x in tree.iter(f"{NS}rect")
        if x.get("class") == "px-f-page" and not x.get("rx") and float(x.attrib["height"]) < 60
    ]
    assert bands
    for path in tree.iter(f"{NS}path"):
        elbow, curve = _ELBOW.match(path.attrib["d"]), _CURVE.match(path.attrib["d"])
        if elbow:
            level = float(elbow[1])
        elif curve and abs(float(curve[1]) - float(curve[4])) > 1:
            level = float(curve[3] or curve[2])
        else:
            continue
        assert not any(top < level < bottom for top, bottom in bands)
