"""Pictures of a part, of two answers, of a form, of all 27: what they show, and that it fits."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from random import Random

import pytest

from ptxscope import Trace, parse, trace
from ptxscope.cli import main
from ptxscope.documents import export
from ptxscope.documents.content.document import NOT_SHOWN, build_document
from ptxscope.documents.media import form_figure
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.documents.svg.svg_colours import PALETTE
from ptxscope.documents.theme import Theme
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.deviation import find_deviation, find_deviations
from ptxscope.engine.tracing.trace import StepPlace
from ptxscope.scene.symbolic_scene import make_placeholder_trace
from tests.export.samples import E3, EXAMPLES, example
from tests.export.test_picture import assert_drawn_well, assert_tree_drawn_well, rects
from tests.export.test_svg import NS, QUAD, boxes, drawn, group, steps, texts, wires
from tests.reference_data import golden_rows
from tests.strategies import instruction_of
from tests.tiers import ci_only, sampled, thorough

BOTH = Options(both=True)
MODELS = ("isa", "ptxas-13.0", "ptxas-13.5")


def part(shown: Trace, first: int, last: int, **more: bool) -> Options:
    """The steps of some numbers."""
    places = frozenset(x.place for x in shown.steps if first <= x.number <= last)
    return Options(steps=places, **more)  # type: ignore[arg-type]


# --- parts ------------------------------------------------------------------------------


def test_a_part_shows_what_comes_in_and_not_what_feeds_nothing() -> None:
    """Steps 2 to 4: a and b are selected in step 1, so it is their bytes that come in."""
    tree = drawn(QUAD, part(QUAD, 2, 4))
    assert not [x for x in tree.iter(f"{NS}g") if x.get("class") == "px-operands"]
    assert rects(tree, "c-chip") == []
    said = texts(group(tree, "px-extend"))
    assert said.count("a") == said.count("b") == 4
    assert [x for x in said if x.startswith("0x")][:8] == [
        "0x7f", "0x80", "0xff", "0x01", "0x01", "0xff", "0x02", "0x80"
    ]  # fmt: skip
    starts = {line[0] for line in wires(tree)}
    assert len(starts) == 4 * (2 + 2 + 1)  # to Extend, to Add, to Saturate, in every lane
    gaps = [" ".join(texts(x)) for x in tree.iter(f"{NS}g") if x.get("class") == "px-gap"]
    assert gaps == ["not shown: 1 select", "not shown: 5 merge, 6 write"]


def test_a_number_comes_in_with_its_name() -> None:
    shown = trace("vmad.s32.s32.s32 d, a, b, c", {"a": 3, "b": 5, "c": 2**32 - 7})
    said = texts(group(drawn(shown, part(shown, 4, 4)), "px-sum"))
    assert {"t", "15", "c"} <= set(said)


def test_a_sum_that_is_not_shown_comes_in_whole() -> None:
    shown = trace("vset4.s32.u32.lt.add d, a, b, c", {"a": 0, "b": 0x01010101, "c": 38})
    tree = drawn(shown, part(shown, 5, 5))
    assert "42" in texts(group(tree, "px-write"))
    guarded = trace("@g vadd4.u32.u32.u32 d, a, b, c",
                    {"a": 0x01020304, "b": 0, "c": 0, "g": 1, "d": 0})  # fmt: skip
    assert "01020304" in "".join(texts(drawn(guarded, part(guarded, 6, 6))))


def test_what_is_shown_up_to_a_step_keeps_the_result_back() -> None:
    shown = trace("vadd.u32.u32.u32 d, a, b", {"a": 0xABCD0000, "b": 0x12340000})
    document_ = export(shown, "svg", part(shown, 1, 2, result=False))
    assert NOT_SHOWN in document_
    assert "be010000" not in document_
    assert str(0xBE010000) not in document_


def test_a_partial_fork_keeps_to_the_steps() -> None:
    tree = drawn(E3, part(E3, 4, 5, both=True))
    assert steps(tree) == ["saturate", "merge"] * 2
    assert steps(drawn(E3, part(E3, 1, 2, both=True))) == ["select", "extend"]


def some_options(shown: Trace, rng: Random) -> Options:
    places = [step.place for step in shown.steps]
    first = rng.randrange(len(places))
    last = rng.randrange(first, len(places))
    chosen = rng.sample(places, rng.randint(1, len(places)))
    some = rng.choice((places[first : last + 1], chosen))
    return Options(rng.random() < 0.4, steps=frozenset(some), result=rng.random() < 0.6)


def test_a_compact_figure_has_both_answers_one_below_the_other() -> None:
    tree = drawn(E3, part(E3, 4, 5, both=True, compact=True))
    assert tree.get("width") == "400"
    assert steps(tree) == ["saturate", "merge"] * 2
    assert_drawn_well(E3, Options(both=True, compact=True))
    assert_drawn_well(QUAD, Options(both=True, compact=True))  # they agree, in words that wrap


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("step", [1200, pytest.param(270, marks=thorough)])
def test_parts_are_drawn_well(step: int, model: str) -> None:
    for at, row in enumerate(golden_rows()[::step]):
        shown = trace(row.instruction, row.operands, model=model)
        assert_drawn_well(shown, some_options(shown, Random(at)))


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
def test_long_names_fit_in_parts_and_forks(line: str, wide: int) -> None:
    ins = parse(line.format("%" + "n" * (wide - 2)))
    values = {x.name: (1 << x.type.bits) - 1 for x in ins.inputs}
    for model in MODELS[:2]:
        shown = trace(ins, values, model=model)
        assert_drawn_well(shown, BOTH)
        for at in range(6):
            assert_drawn_well(shown, some_options(shown, Random(at)))


# --- two answers ------------------------------------------------------------------------


def test_the_trunk_is_drawn_once_and_forks_where_they_part() -> None:
    tree = drawn(E3, BOTH)
    assert "The answers differ from here" in texts(tree)
    found = steps(tree)
    assert [found.count(x) for x in ("select", "operate", "saturate", "merge")] == [1, 1, 2, 2]
    left, right = (
        min(float(x.get("x", "0")) for x in step.iter(f"{NS}rect"))
        for step in tree.iter(f"{NS}g")
        if "px-merge" in step.get("class", "").split()
    )
    assert left < 400 < right
    assert {"isa, as documented", "ptxas-13.5: E3"} <= set(texts(tree))


def test_the_digits_that_differ_are_marked() -> None:
    """0x11223300 and 0x112233ff: the last two of ten characters, below each."""
    tree = drawn(E3, BOTH)
    results = [x for x in tree.iter(f"{NS}g") if x.get("class") == "px-result"]
    for result in results:
        bars = [x for x in result.iter(f"{NS}path") if x.get("stroke-width") == "3"]
        assert len(bars) == 2
        word = next(x for x in boxes(result) if x.text.startswith("%0 = 0x"))
        each = (word.right - word.left) / 15
        lefts = sorted(float(re.findall(r"[\d.]+", x.get("d", ""))[0]) for x in bars)
        for at, left in zip((13, 14), lefts, strict=True):
            assert word.left + at * each - 1 < left < word.left + (at + 1) * each
    assert "%0 differs in bits 7:0." in texts(tree)


def test_where_answers_agree_that_is_said() -> None:
    shown = trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2})
    assert "isa and every known ptxas agree" in " ".join(texts(drawn(shown, BOTH)))
    assert "agree" not in " ".join(texts(drawn(shown)))
    # where the result is kept back, that would tell of it
    kept_back = drawn(shown, part(shown, 1, 2, both=True, result=False))
    assert "agree" not in " ".join(texts(kept_back))
    # E7: the larger and the smaller are taken for each other, then written in the same way
    both = [texts(x) for x in drawn(E3, BOTH).iter(f"{NS}g") if x.get("class") == "px-words"]
    assert sum("both alike" in said for said in both) == 0


@ci_only
@pytest.mark.parametrize("step", [100, pytest.param(51, marks=thorough)])
def test_forks_are_drawn_well(step: int) -> None:
    seen = set()
    differing = [row for row in golden_rows() if len(set(row.results.values())) > 1]
    for row in differing[::step]:
        for model in MODELS:
            shown = trace(row.instruction, row.operands, model=model)
            found = find_deviation(shown, find_deviations(shown))
            if found:
                seen.add(found.stage)
                assert_drawn_well(shown, BOTH)
                told = build_document(shown, BOTH)
                assert told.answers
                assert len({x.label for x in told.answers.all}) == len(told.answers.all)
    assert {Stage.SATURATE, Stage.MERGE, Stage.SECONDARY, Stage.EXTEND} <= seen


def test_numbers_of_twenty_digits_fit_in_a_branch() -> None:
    """0xfffe0001 << 32 is taken as s64, in half of a branch."""
    values = {"a": 0xFFFE0001, "b": 32, "c": 0x7F}
    shown = trace("vshl.s32.u32.u32.clamp.min d, a, b, c", values)
    assert find_deviations(shown)
    assert_drawn_well(shown, BOTH)


# --- bits that are cut off -----------------------------------------------------------------


def test_bits_below_those_that_are_taken_fall_off_on_their_right() -> None:
    """E1 takes bits 31:16 of 0x12345679."""
    shown = trace("vadd.u32.u32.u32 d.h1, a, b, c", {"a": 0x12345678, "b": 1, "c": 0}, model="E1")
    band = group(drawn(shown), "px-merge")
    kept, lost = (
        next(float(x.get("x", "0")) for x in band.iter(f"{NS}text") if x.text == text)
        for text in ("0x1234", "5679")
    )
    assert kept < lost
    assert "5679 cut off" in " ".join(texts(band))


def test_no_line_passes_behind_a_truth_value() -> None:
    """q takes !t and !c beside p's t and !c."""
    for guard in ("", "@g "):
        for boolop in ("and", "or", "xor"):
            ins = parse(f"{guard}setp.lt.{boolop}.f32 p|q, a, b, !c")
            for seed in range(4):
                rng = Random(seed)
                assert_drawn_well(
                    trace(ins, {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs})
                )


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_the_description_tells_operands_steps_and_result(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    told = build_document(shown, DEFAULT)
    (said,) = (x.text or "" for x in drawn(shown).iter(f"{NS}desc"))
    for operand in told.operands:
        assert operand.bits.removeprefix("0x") in said
    for step in told.steps:
        assert step.about.replace("0x", "") in said.replace("0x", "")
    for result in told.results:
        assert result.bits.removeprefix("0x") in said


# --- forms ------------------------------------------------------------------------------


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_forms_are_drawn_well(opcode: str) -> None:
    rng = Random(opcode)
    lines = [instruction_of(pick_form(opcode, rng)) for _ in range(4)]
    for ins in (parse(CATALOG[opcode].example[0]), *lines):
        tree = ET.fromstring(form_figure.render(ins))
        assert_tree_drawn_well(tree, make_placeholder_trace(ins))
        assert steps(tree) == [str(x.stage) for x in make_placeholder_trace(ins).steps]


def test_a_form_has_letters_and_ranges_for_numbers() -> None:
    said = texts(ET.fromstring(form_figure.render(parse("vadd4.s32.s32.u32.sat d.b310, a, b, c"))))
    parts, numbers = {"a.b3", "b.b0", "t1", "c.b2", "d.b3"}, {"-128..127", "in -128..382", "4 x s8"}
    assert parts | numbers <= set(said)
    assert not [x for x in said if "0x" in x]


def test_a_chosen_theme_is_that_of_every_colour() -> None:
    inks = {ink: pair[1] for ink, pair in PALETTE.items()}
    document_ = export(E3, "svg", BOTH._replace(theme=Theme.DARK))
    assert "prefers-color-scheme" not in document_
    for x in ET.fromstring(document_).iter():
        css = dict(re.findall(r"px-([fs])-([a-z0-9-]+)", x.get("class", "")))
        for kind in ("fill", "stroke"):
            if x.get(kind, "none").startswith("#"):
                assert x.get(kind) == inks[css[kind[0]]]


# --- the command line -------------------------------------------------------------------


def test_show_draws_a_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "vadd4", "-f", "svg"]) == 0
    said = texts(ET.fromstring(capsys.readouterr().out))
    assert said[0] == f"{CATALOG['vadd4'].example[0]};"
    line = "vmad.s32.s32.s32.shr15.sat d, a.h0, b.h1, c;"
    assert main(["show", line, "-f", "svg"]) == 0
    said = texts(ET.fromstring(capsys.readouterr().out))
    # the modifiers as they are documented, in their order
    assert said[0].startswith("vmad.s32.s32.s32")
    assert "t >> 15" in said


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["show", "vad", "-f", "svg"], 1, "did you mean `vmad`"),
        (["show", "vadd4.s32 d", "-f", "svg"], 1, "missing"),
        (["show", "vadd4 d, a, b, c"], 1, "not an instruction that ptxscope explains"),
        (["show", "vadd4", "-f", "json"], 2, "invalid choice"),
    ],
)
def test_what_can_not_be_drawn_is_told(
    words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


@pytest.mark.parametrize(
    "line",
    [
        "vshl.u32.u32.u32.clamp d, a, 3;",
        "slct.s32.s32 r, 1, 12, 2142016040;",
        "set.lt.u32.s32 d, 1, b;",
        "vadd.s32.u32.s32.sat.max d, 200, -7, 12;",
    ],
)
def test_a_form_with_literals_is_drawn(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", line, "-f", "svg"]) == 0
    assert texts(ET.fromstring(capsys.readouterr().out))


def ways(svg: str) -> list[tuple[float, float]]:
    """The way of each number to the end of its range, beside the length of the range, in px."""
    found = re.findall(
        r'd="M([\d.]+) [\d.]+C\1 [\d.]+ ([\d.]+) [\d.]+ \2 [\d.]+" class="px-s-mark"', svg
    )
    ranges = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="6"', svg)
    assert len(set(ranges)) == 1
    return [(float(x) - float(end), float(ranges[0])) for x, end in found]


@pytest.mark.parametrize("compact", [False, True])
def test_numbers_outside_a_range_are_drawn_to_scale(compact: bool) -> None:
    """127 + 112 is 112 above the range of 255, -128 - 96 is 96 below; as u32, 0x80 is 128."""
    values = {"a": 0x7F7F8000, "b": 0x7080A000}
    for ptx, over in (
        ("vadd4.s32.s32.s32.sat d, a, b, c", [112, -96]),  # 127 + -128 is inside
        ("vadd4.s32.s32.u32.sat d, a, b, c", [112, 128]),  # b is 112, 128, 160, 0
    ):
        shown = trace(ptx, {**values, "c": 0})
        drawn = ways(export(shown, "svg", Options(compact=compact)))
        assert [round(way / wide * 255) for way, wide in drawn] == pytest.approx(over, abs=1)


def test_a_way_that_is_too_long_is_cut_with_a_mark() -> None:
    """2**64 lies some four billion ranges above."""
    shown = trace("vmad.u32.u32.u32.sat d, a, b, -c", dict.fromkeys("abc", 0xFFFFFFFF))
    svg = export(shown, "svg", Options(steps=frozenset({StepPlace(1, Stage.SATURATE)})))
    ((way, wide),) = ways(svg)
    assert 0 < way < wide
    slashes = re.findall(r'd="M([\d.]+) [\d.]+L([\d.]+) [\d.]+" class="px-s-mark"[^>]+"1.4"', svg)
    assert [float(x2) - float(x1) for x1, x2 in slashes] == [4, 4]


WHOLE = ("vadd4.s32.s32.s32.add d, a, b, c", "vset2.u32.u32.lt.add d, a, b, c")


@pytest.mark.parametrize("ptx", WHOLE)
def test_a_whole_register_stands_under_no_lane(ptx: str) -> None:
    """The lane columns begin where the highest byte or half-word of a stands."""
    for svg in (
        export(trace(ptx, {"a": 1, "b": 2, "c": 3}), "svg"),
        form_figure.render(parse(ptx)),
    ):
        tree = ET.fromstring(svg)
        columns = min(x for x, _ in rects(tree, "a3-chip"))
        found = [x for x in tree.iter(f"{NS}rect") if "px-f-c-chip" in x.get("class", "").split()]
        assert found
        for box in found:
            assert float(box.get("x", "0")) + float(box.get("width", "0")) < columns


def test_a_byte_is_read_as_the_operand_that_selects_it() -> None:
    """Digit 7 of ``a.b7130`` is b's byte 3; a is s32, and b's own lanes all take byte 0."""
    ptx = "vabsdiff4.u32.s32.u32.add d, a.b7130, b.b4444, c"
    form = ET.fromstring(form_figure.render(parse(ptx)))
    shown = drawn(trace(ptx, {"a": 1, "b": 0x800000FF, "c": 0}))
    registers = [texts(group(tree, "px-operands")) for tree in (form, shown)]
    for said, names in zip(registers, (("b.b3", "b.b0"), ("0x80", "0xff")), strict=True):
        after = [said[said.index(name) + 1 :] for name in names]
        read = [next(x for x in texts_after if "." not in x) for texts_after in after]
        assert read in (["s8", "u8"], ["-128", "255"])
