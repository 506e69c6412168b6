"""Pictures of all forms: nothing covers another, leaves the page, is cut, hidden or tiny."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

from ptxscope import Instruction, Trace, parse, trace
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.media import form_figure
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.tracing.annotations import Annotations, Note
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.scene.row_folding import fold_scene
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.symbolic_scene import make_placeholder_trace
from tests.driving.drawings import (
    BOTH,
    COMPACT,
    NS,
    assert_drawn_well,
    assert_no_overlap,
    assert_tree_drawn_well,
    boxes,
    drawn,
    measure_page,
    steps,
    texts,
    wires,
)
from tests.driving.samples import E2, E3
from tests.export.test_every_line import accepted, traced
from tests.reference_data import golden_rows
from tests.strategies import instruction_of
from tests.tiers import sampled, some, thorough

MODELS = ("isa", "ptxas-13.0", "ptxas-13.5")
TIGHT = Path(__file__).with_name("tight_pictures.txt").read_text("utf-8").splitlines()
"""Lines whose numbers, names or wires have hardly any room."""


@sampled
def test_examples_are_drawn_well_and_in_less_height_if_compact(sample: Trace) -> None:
    assert_drawn_well(sample)
    compact, wide = drawn(sample, COMPACT), drawn(sample)
    # captions above their steps cost most where steps are one line high
    share = 0.91 if "carry" in {str(x.stage) for x in sample.steps} else 0.87
    assert measure_page(compact)[1] < share * measure_page(wide)[1]
    assert_has_the_step_of_two_answers(sample)


def assert_has_the_step_of_two_answers(shown: Trace) -> None:
    answers = build_document(shown).answers
    if answers and answers.stage in {step.stage for step in shown.steps}:
        assert str(answers.stage) in steps(drawn(shown, COMPACT))


@pytest.mark.parametrize("shown", [
    trace("vmad.u32.u32.u32.sat d, a, b, -c", dict.fromkeys("abc", 0xFFFFFFFF)), E2, E3
])  # fmt: skip
def test_a_compact_picture_has_the_step_at_which_answers_differ(shown: Trace) -> None:
    assert_has_the_step_of_two_answers(shown)


Drawn = Iterator[tuple[Trace, Options]]


def accepted_lines(step: int, model: str) -> Drawn:
    for line in accepted()[::step]:
        yield traced(line, model), BOTH


def parts_of_golden_rows(step: int, model: str) -> Drawn:
    for at, row in enumerate(golden_rows()[::step]):
        shown = trace(row.instruction, row.operands, model=model)
        yield shown, some_options(shown, Random(at))


def answers_that_differ(step: int, model: str) -> Drawn:
    rows = [row for row in golden_rows() if len(set(row.results.values())) > 1]
    for row in rows[::step]:
        yield trace(row.instruction, row.operands, model=model), BOTH


def truth_values(step: int, model: str) -> Drawn:
    """Here q takes !t and !c beside p's t and !c."""
    for guard, boolop, seed in product(("", "@g "), ("and", "or", "xor"), range(0, 4, step)):
        ins, rng = parse(f"{guard}setp.lt.{boolop}.f32 p|q, a, b, !c"), Random(seed)
        values = {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs}
        yield trace(ins, values, model=model), BOTH


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("pictures", "step"),
    [
        (accepted_lines, 60),
        (parts_of_golden_rows, 1200),
        (truth_values, 2),
        *(
            pytest.param(pictures, step, marks=thorough)
            for pictures, step in (
                (accepted_lines, 17),
                (parts_of_golden_rows, 270),
                (answers_that_differ, 51),
                (truth_values, 1),
            )
        ),
    ],
)
def test_drawn_lines_are_drawn_well(
    pictures: Callable[[int, str], Drawn], step: int, model: str
) -> None:
    for shown, options in pictures(step, model):
        assert_drawn_well(shown, options)


LONG = (
    "selp.b64 {0}d, {0}a, {0}b, !{0}c",
    "@{0}g setp.lt.and.f32 {0}p|{0}q, {0}a, {0}b, !{0}c",
    "vadd.u32.s32.s32.sat {0}d.b2, {0}a, {0}b, {0}c",
    "@!{0}g set.lt.f32.s32 {0}d, {0}a, {0}b",
    "@{0}g vset4.s32.s32.le.add {0}d, {0}a, {0}b, {0}c",
)


@sampled
@pytest.mark.parametrize("wide", [11, 40])
@pytest.mark.parametrize("line", LONG)
def test_long_names_fit_in_partial_pictures_and_branches(line: str, wide: int) -> None:
    ins = parse(line.format("%" + "n" * (wide - 2)))
    values = {x.name: (1 << x.type.bits) - 1 for x in ins.inputs}
    for model in MODELS[:2]:
        shown = trace(ins, values, model=model)
        for options in (BOTH, *(some_options(shown, Random(at)) for at in range(6))):
            assert_drawn_well(shown, options)


@pytest.mark.parametrize("words", some(TIGHT, *range(0, len(TIGHT), 4)))
def test_pictures_with_little_room_have_no_overlaps(words: str) -> None:
    shown, options, _ = parse_request([*shlex.split(words), "-f", "svg"])
    notes = (Note("a note", shown.steps[-1].stage), Note("a note", None, 0))
    noted = replace(shown, annotations=Annotations("T", "C", notes))
    for variant in (options, options._replace(both=True), options._replace(result=False)):
        assert_drawn_well(shown, variant)
        assert_no_overlap(drawn(noted, variant))


WHOLE = [x for x in TIGHT if re.match("'bf.*64", x) and "--compact" not in x]


@pytest.mark.parametrize("words", WHOLE)
@pytest.mark.parametrize("model", MODELS[::2])
def test_no_line_crosses_a_number_of_a_whole_register(words: str, model: str) -> None:
    shown, options, _ = parse_request([*shlex.split(words), "-f", "svg", "--model", model])
    tree = drawn(shown, options)
    numbers = boxes(tree)
    assert not [
        (box.text, wire[0])
        for wire in wires(tree)
        for x, y in wire
        for box in numbers
        if box.left < x < box.right and box.top < y < box.bottom
    ]


def some_options(shown: Trace, rng: Random) -> Options:
    places = [step.place for step in shown.steps]
    first = rng.randrange(len(places))
    last = rng.randrange(first, len(places))
    chosen = rng.sample(places, rng.randint(1, len(places)))
    some = rng.choice((places[first : last + 1], chosen))
    return Options(rng.random() < 0.4, steps=frozenset(some), result=rng.random() < 0.6)


def assert_form_drawn_well(ins: Instruction) -> ET.Element:
    tree = ET.fromstring(form_figure.render(ins))
    assert_tree_drawn_well(tree, make_placeholder_trace(ins))
    return tree


@pytest.mark.parametrize("line", ["vshl.u32.u32.u32.clamp d, a, 3;", "set.lt.u32.s32 d, 1, b;",
                                  "slct.s32.s32 r, 1, 12, 2142016040;",
                                  "vadd.s32.u32.s32.sat.max d, 200, -7, 12;"])  # fmt: skip
def test_a_form_with_literals_is_drawn_well(line: str) -> None:
    assert_form_drawn_well(parse(line))


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_forms_are_drawn_well(opcode: str) -> None:
    rng = Random(opcode)
    lines = [instruction_of(pick_form(opcode, rng)) for _ in range(4)]
    for ins in (parse(CATALOG[opcode].example[0]), *lines):
        tree = assert_form_drawn_well(ins)
        assert steps(tree) == [str(x.stage) for x in make_placeholder_trace(ins).steps]


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
def test_a_compact_picture_is_drawn_well(opcode: str, count: int) -> None:
    for shown in drawn_values(opcode, count):
        tree = drawn(shown, COMPACT)
        assert_tree_drawn_well(tree, shown)
        assert measure_page(tree)[0] == 400
        said = " ".join(texts(tree))
        for role, name in shown.instruction.results.items():
            bits = format_hex(shown.result[name], shown.instruction.type_of(role).bits)
            assert f"= {bits}" in said


@sampled
@pytest.mark.parametrize("count", [3, pytest.param(8, marks=thorough)])
@pytest.mark.parametrize("opcode", CATALOG)
def test_two_traces_side_by_side_are_drawn_well(opcode: str, count: int) -> None:
    """Two forms of an instruction, and a form on other values."""
    drawn_traces = drawn_values(opcode, count)
    for shown, other in zip(drawn_traces, drawn_traces[1:] + drawn_traces[:1], strict=True):
        rng = Random(str(shown.instruction))
        values = {x.name: rng.getrandbits(x.type.bits) for x in shown.instruction.inputs}
        for beside in (other, trace(shown.instruction, values)):
            assert_drawn_well(shown, Options(beside=beside))


def test_an_idle_clamp_is_drawn_if_the_result_is_hidden() -> None:
    """That nothing is clamped would tell the result."""
    shown = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 0})
    assert "saturate" not in steps(drawn(shown, COMPACT))
    assert "saturate" in steps(drawn(shown, COMPACT._replace(result=False)))


def test_a_step_that_changes_nothing_is_drawn_with_its_note() -> None:
    tree = ET.fromstring(E3.figure(notes=["extend=nothing to do"], compact=True).svg)
    assert "extend" in steps(tree)
    assert "nothing to do" in texts(tree)


@pytest.mark.parametrize("numbers", [{1, 2}, {1}, {2}])
def test_the_registers_are_drawn_if_no_shown_step_changes_anything(numbers: set[int]) -> None:
    values = {"a": 0x80FF7F01, "b": 0x800102FF, "c": 0}
    shown = trace("vadd4.s32.s32.s32.sat d, a, b, c", values)
    places = frozenset(x.place for x in shown.steps if x.number in numbers)
    said = texts(drawn(shown, COMPACT._replace(steps=places)))
    assert {"0x80ff7f01", "0x800102ff", "0x7f", "0xff"} <= {*said}
    assert any(text.startswith(("Not drawn, because ", "Drawn beside ")) for text in said)


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_the_remaining_rows_of_a_partial_picture_are_linked(opcode: str) -> None:
    for shown in drawn_values(opcode, 12):
        stages = frozenset(step.stage for step in shown.steps)
        found = fold_scene(build_scene(shown), shown, (), stages)
        rows, registers = found.scene.rows.values(), found.scene.registers
        cells = [*(x for row in rows for x in row.cells), *(x for r in registers for x in r.cells)]
        places = {cell.place for cell in cells}
        assert {link.source for row in rows for link in row.links} <= places
        assert all(place in places for end in found.ends for place in end)


_ELBOW = re.compile(r"M[\d.]+ [\d.]+L[\d.]+ [\d.]+Q[\d.]+ ([\d.]+) ")
_CURVE = re.compile(r"M([\d.]+) ([\d.]+)(?:L\1 ([\d.]+))?C[\d. ]+ ([\d.]+) [\d.]+\Z")


@pytest.mark.parametrize("line", ["setp.ltu.or.f64 p|q, a, b, !c", "set.ge.xor.s32.f32 d, a, b, c"])
def test_lines_have_no_bend_beside_the_words_above_a_step(line: str) -> None:
    shown = trace(line, {"a": 0x7FF8 << 48 if "f64" in line else 0x7FC00000, "b": 7, "c": 0})
    tree = drawn(shown, COMPACT)
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


_CROSS = re.compile(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)M\1 \4L\3 \2")


@pytest.mark.parametrize("part", ["b0", "b1", "b2", "b3", "h0", "h1"])
@pytest.mark.parametrize("options", [Options(), COMPACT])
def test_the_line_into_a_merged_lane_passes_beside_the_crossed_out_one(
    part: str, options: Options
) -> None:
    shown = trace(f"vadd.s32.s32.s32 d.{part}, a, b, c", {"a": 1, "b": 2, "c": 0x11223344})
    tree = drawn(shown, options)
    (cross,) = filter(None, (_CROSS.fullmatch(x.get("d", "")) for x in tree.iter(f"{NS}path")))
    left, top, right, bottom = map(float, cross.groups())
    near = [
        line
        for line in wires(tree)
        if any(left - 4 < x < right + 4 and top < y < bottom for x, y in line)
    ]
    assert len(near) == 1  # the one that is crossed out


def test_the_name_of_a_ruler_is_above_it() -> None:
    tree = drawn(trace("setp.lt.ftz.f32 p, a, b", {"a": 1, "b": 0x3F800000}))
    tops = [float(x.attrib["y"]) for x in tree.iter(f"{NS}rect")]
    for name in ("a before", "a after"):
        (base,) = [float(x.attrib["y"]) for x in tree.iter(f"{NS}text") if x.text == name]
        assert 4 <= min(top - base for top in tops if top > base) <= 10


def test_a_formula_is_broken_before_an_operator() -> None:
    """127 + 1 + 1, -128 - 128, -1 + 2 + 1, and 1 - 128 are halved."""
    values = {"a": 0x7F80FF01, "b": 0x01800280, "c": 0}
    shown = trace("vavrg4.s32.s32.s32 d, a, b, c", values)
    wide, compact = (texts(drawn(shown, x)) for x in (Options(), COMPACT))
    assert {"(127 + 1 + 1) >> 1", "(-128 + (-128)) >> 1", "(1 + (-128)) >> 1"} <= {*wide}
    assert {"(127 + 1 + 1)", "(-1 + 2 + 1)", "(1 + (-128))", ">> 1"} <= {*compact}
