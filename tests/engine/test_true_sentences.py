"""What is said of a trace is true: sentence by sentence, and by arithmetic done another way."""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, diagnose, evaluate, export, parse, trace, trace_block
from ptxscope.documents.content.document import Document
from ptxscope.documents.content.document_builder import build_document, make_cells
from ptxscope.documents.options import DEFAULT
from ptxscope.engine.isa.catalog import ENTRIES, pick_entry_form
from ptxscope.engine.isa.entry import Entry
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.syntax.errors import format_count, format_existence, format_names
from ptxscope.engine.syntax.instruction import Guard, Instruction
from ptxscope.engine.syntax.values import parse_value
from ptxscope.engine.tracing.step_text import describe_lane, format_lane_sentence, get_row_name
from ptxscope.engine.tracing.trace import Trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import ChoiceFigure
from tests.reference_data import parse_values, read_lines
from tests.strategies import bits, evaluations, instruction_of
from tests.tiers import whole

MODELS = ("isa", "ptxas-11.8", "ptxas")


def document_of(tr: Trace) -> Document:
    return build_document(tr, DEFAULT)


def about(tr: Trace, stage: str) -> str:
    return next(step.about for step in document_of(tr).steps if step.stage == stage)


def everything(doc: Document) -> Iterator[str]:
    """Every text of a document but what the user wrote."""
    for step in doc.steps:
        yield step.about
        for row in step.rows:
            for cell in make_cells(row):
                yield from (cell.text, str(cell.formula), cell.sentence)
    yield from doc.notes
    yield doc.source


def test_nothing_is_written_to_a_lone_sink() -> None:
    for ptx in ("setp.lt.u32 _, a, b", "@r setp.lt.u32 _, a, b", "@!r setp.lt.u32 _, a, b"):
        tr = trace(ptx, {"a": 1, "b": 2})
        assert tr.result == {}
        assert about(tr, "write") == "Nothing is written: the destination is `_`."
        assert not any(re.search(r"\bp\b", text) for text in everything(document_of(tr)))
        assert [get_row_name(row) for row in document_of(tr).steps[-1].rows] == ["_"]


def test_one_register_for_p_and_q_has_one_result_and_a_note() -> None:
    values = {"a": 1, "b": 2}
    tr = trace("setp.lt.u32 p|p, a, b", values)
    assert tr.result == {"p": 1} == evaluate("setp.lt.u32 p|p, a, b", values)
    written = [get_row_name(row) for row in document_of(tr).steps[-1].rows]
    assert written == ["p"]
    assert any("ptxas (11.8 to 13.5) writes the first" in note for note in tr.notes)
    assert not trace("setp.lt.u32 p|q, a, b", values).notes
    kept = trace("@r setp.lt.u32 p|p, a, b", {**values, "r": 0, "p": 1})
    assert kept.result == {"p": 1}
    assert [x.role for x in document_of(kept).operands].count("p") == 1
    for format_ in ("text", "markdown", "html", "json", "svg"):
        assert "drops the second" in " ".join(re.sub(r"<[^>]+>", " ", export(tr, format_)).split())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda x: f"{x.opcode} {x.example[0]}")
@whole
def test_the_write_step_of_a_guarded_instruction_mentions_the_guard(entry: Entry) -> None:
    rng = Random(24)
    for _ in range(4):
        ins = parse(f"@!r {instruction_of(pick_entry_form(entry, rng))}")
        tr = trace(ins, {x.name: 0 for x in ins.inputs})
        assert ("f the guard holds" in about(tr, "write")) == bool(ins.results), ins
        check_destinations(tr, document_of(tr))


def test_the_guard_step_tells_whether_a_result_is_written() -> None:
    held = {"a": 1, "b": 2, "c": 0, "d": 7, "p": 1}
    for ptx in (
        "@p set.lt.u32.u32 d, a, b",
        "@p selp.b32 d, a, b, c",
        "@p vadd.u32.u32.u32 d, a, b",
        "@p vadd.u32.u32.u32 d.b0, a, b, c",
        "@p vadd4.u32.u32.u32 d, a, b, c",
    ):
        values = {name: held[name] for name in {x.name for x in parse(ptx).inputs}}
        for guard in (0, 1):
            tr = trace(ptx, {**values, "p": guard})
            assert "f the guard holds" in about(tr, "write")
            assert "written" not in about(tr, "write")
            last = format_lane_sentence(tr.steps[-1].rows[-1], 0)
            kept = "@p does not hold: d keeps its old value, 0x00000007"
            assert (last == kept) == (guard == 0)
            assert ("is written" in last) == (guard == 1)


def test_predicates_are_0_or_1_at_the_guard() -> None:
    values = {"a": 1, "b": 2, "r": 0, "p": 1, "q": 1}
    for ptx in ("@r setp.lt.u32 p|q, a, b", "@!r setp.lt.u32 p|q, a, b"):
        tr = trace(ptx, values)
        rows = [row for row in document_of(tr).steps[-1].rows if row.name in "pq"]
        assert [str(make_cells(row)[0].formula) for row in rows] == [
            f"{name} = {tr.result[name]}" for name in ("p", "q")
        ]
        assert not re.search(r"0x0+[01]\b", " ".join(make_cells(row)[0].sentence for row in rows))
    simd = trace("@p vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 0, "d": 0, "p": 1})
    assert [x.meant for x in document_of(simd).operands if x.label == "@"] == ["true"]


def test_an_unordered_comparison_is_written_out() -> None:
    tr = trace("setp.ltu.f32 p, a, b", {"a": 0x7FC00000, "b": 0x80000000})
    (cell,) = build_scene(tr).rows["compare.t"].cells
    assert str(cell) == "NaN < -0.0 or unordered ✓ 1 (NaN)"
    assert not any("<?" in text for text in everything(document_of(tr)))


def test_the_guard_row_of_a_scene_has_the_new_and_the_old_value() -> None:
    tr = trace("@r setp.lt.u32 p, a, b", {"a": 1, "b": 2, "r": 0, "p": 0})
    row = build_scene(tr).rows["guard.p"]
    assert [str(cell) for cell in row.cells] == ["old p 0   r is false"]
    assert isinstance(row.figure, ChoiceFigure)
    assert [(x.name, x.bits, x.is_taken) for x in row.figure.options] == [
        ("new p", "1", False),
        ("old p", "0", True),
    ]


def test_the_clamping_misconception_reads_c_with_the_sign_of_dtype() -> None:
    """Who believes that `.add` clamps sees a negative c, not one above 2**31."""
    values = {"a": 0x01010101, "b": 0x01010101, "c": 0xC4653600}
    found = diagnose("vadd4.s32.s32.s32.add d, a, b, c", values, observed=0x7FFFFFFF)
    assert not any("clamp" in str(finding) for finding in found)


def test_a_document_names_the_required_ptx_version_and_target() -> None:
    tr = trace("slct.ftz.f64.f32 d, a, b, c", {"a": 1, "b": 2, "c": 3})
    assert "(PTX 1.4, sm_13 and later)" in document_of(tr).source


def test_the_sentence_on_d_of_vmad_agrees_with_its_value() -> None:
    values = {"a": 0xFFFFFFFF, "b": 0xFFFFFFFF, "c": 0x80000000}
    tr = trace("vmad.u32.u32.u32.shr7 d, a, b, -c", values)
    (shown,) = document_of(tr).results
    assert describe_lane(tr.rows["write.d"], 0).sentence.endswith(f"which is {shown.meant}")


def test_d_of_vmad_is_read_in_the_type_of_its_sum_and_not_in_dtype() -> None:
    # 9.7.18.1.3: a is s32, so the final type is s32, and -1 * 2 lies in its range
    tr = trace("vmad.u32.s32.u32.sat d, a.b0, b.b0, c", {"a": 0xFF, "b": 2, "c": 0})
    (shown,) = document_of(tr).results
    assert (shown.bits, shown.meant) == ("0xfffffffe", "-2")


def test_a_count_of_one_is_singular() -> None:
    assert (format_count(1, "bit"), format_count(2, "bit")) == ("1 bit", "2 bits")
    assert (format_existence(1), format_existence(0), format_existence(1, "value")) == (
        "there is 1",
        "there are 0",
        "there is 1 value",
    )
    assert format_names(["html", "svg", "pdf"]) == "html, svg and pdf"
    with pytest.raises(PtxError, match="there is 1"):
        parse("vadd.u32.u32.u32 d")
    with pytest.raises(PtxError, match=r"fit in 1 bit\n"):
        parse_value("2", Type.PRED)
    with pytest.raises(ValueError, match=r"fit in 1 bit$"):
        evaluate("selp.b32 d, a, b, c", {"a": 1, "b": 1, "c": 2})


BAD = re.compile(
    r"(?<![\w.:])1 (?:bits|lanes|bytes|half-words|words|values|destinations|operands)\b"
    r"|\bthere are 1\b|\ba and b (?:counts|is)\b|<\?|!=\?|\.\.$|;;|  |\bthe hardware\b"
    r"|\bits sign is shifted in\b|\bNone\b|\btakes the predicate\b"
)
READ = re.compile(r"0x([0-9a-f]+) is (-?\d+) as ([sub])(\d+)\b")
FLOAT = re.compile(r"0x([0-9a-f]+) is (-?[\d.e+-]+) as f(32|64)\b")
SUM = re.compile(r"(-?\d+) (\+|-|\*|<<|>>|&) \(?(-?\d+)\)? = (-?\d+)")
TRUTH = re.compile(r"\((-?\d+) (<|<=|>|>=|==|!=) (-?\d+)\) = ([01])")
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def as_integer(pattern: str, signed: bool) -> int:
    return int.from_bytes(bytes.fromhex(pattern), "big", signed=signed)


def check(tr: Trace) -> None:
    doc = document_of(tr)
    for text in everything(doc):
        assert not BAD.search(text), text
        for pattern, value, kind, width in READ.findall(text):
            assert len(pattern) * 4 == int(width), text
            assert as_integer(pattern, kind == "s") == int(value), text
        for pattern, value, width in FLOAT.findall(text):
            code = ">f" if width == "32" else ">d"
            (number,) = struct.unpack(code, bytes.fromhex(pattern))
            assert struct.pack(code, float(value)) == struct.pack(code, number), text
        if match := SUM.fullmatch(text):
            x, sign, y, result = match.groups()
            assert OPERATORS[sign](int(x), int(y)) == int(result), text
        if match := TRUTH.fullmatch(text):
            x, sign, y, result = match.groups()
            assert OPERATORS[sign](int(x), int(y)) == (result == "1"), text
    for step in doc.steps:
        assert len({row.name for row in step.rows}) == len(step.rows)
    check_shift(tr)
    check_destinations(tr, doc)


def check_shift(tr: Trace) -> None:
    if tr.instruction.opcode == "vshr":
        zeros = tr.instruction.form.atype is Type.U32
        assert ("zeros come in" in about(tr, "operate")) == zeros


def check_destinations(tr: Trace, doc: Document) -> None:
    """What is flagged and said of what is written agrees with how the result is read."""
    ins = tr.instruction
    names = list(ins.results.values())
    writes = next(step for step in doc.steps if step.stage is Stage.WRITE)
    assert len(writes.rows) == max(len(set(names)), 1)
    said = writes.about
    if ins.guard and names:
        assert "f the guard holds" in said
        for row in writes.rows:
            assert not re.match(rf"{row.name} (is|takes) ", make_cells(row)[0].sentence)
        guarded = {row.name for row in doc.steps[-1].rows}
        assert doc.steps[-1].stage is Stage.GUARD
        assert set(ins.results) <= guarded
    elif names:
        assert "written" in said or "takes" in said
    else:
        assert "Nothing is written" in said
    for row in writes.rows:
        cell, role = make_cells(row)[0], row.name
        type_ = ins.type_of(role)
        if type_ is Type.PRED:
            assert "0x" not in str(cell.formula)
            continue
        if len(row.inputs[0].values) > 1 or type_.is_float or row.micro.operation != "truncate":
            continue
        exact = row.inputs[0].values[0]
        has_minus_one = ins.opcode in ("bfind", "fns")  # the manual: -1 if there is no such bit
        # carries are of unsigned words, and a high word without a sum is bits, whatever the type
        has_bits = ins.form.cc or ins.opcode in ("addc", "subc", "madc")
        has_bits |= ins.form.product_word == "hi" and ins.opcode.startswith("mul")
        is_signed = type_.signed and not has_bits
        low = -(1 << type_.bits - 1) if is_signed or has_minus_one else 0
        fits = low <= exact < low + (1 << type_.bits)
        selected = type_.bits != 32 or ins.opcode in ("selp", "slct", "mov")
        if not selected:
            assert (Flag.WRAPPED in cell.flags) == (not fits)
            assert ("does not fit" in cell.sentence) == (not fits)
        if match := re.search(r"which is (-?\d+)$", cell.sentence):
            assert as_integer(f"{cell.value:0{type_.bits // 4}x}", is_signed) == int(match[1])


@given(evaluations(), st.sampled_from(MODELS))
def test_every_sentence_holds(case: tuple[Instruction, dict[str, int]], model: str) -> None:
    ins, values = case
    check(trace(ins, values, model=model))


@given(evaluations(), st.sampled_from(MODELS), st.booleans(), st.booleans(), st.data())
def test_every_sentence_holds_under_a_guard(
    case: tuple[Instruction, dict[str, int]],
    model: str,
    negated: bool,
    guard: bool,
    data: st.DataObject,
) -> None:
    ins, values = case
    guarded = replace(ins, guard=Guard("r", negated))
    given_ = {x.name: values.get(x.name, 0) for x in guarded.inputs}
    given_ |= {
        x.name: data.draw(bits(x.type)) for x in guarded.inputs if set(x.roles) <= set("dpq")
    }
    check(trace(guarded, given_ | ({"r": int(guard)} if "r" in given_ else {}), model=model))


VIDEO = {"a": 0x80FF7F01, "b": 0x7F80FF02, "c": 0x11223344}


@pytest.mark.parametrize(
    ("ptx", "operands", "model", "stage", "said"), read_lines("sentences.txt", 5)
)
def test_a_step_states_its_rule(ptx: str, operands: str, model: str, stage: str, said: str) -> None:
    """A sentence that ends in `…` is the first of several."""
    ins = parse(ptx)
    values = {**VIDEO, **parse_values(operands)}
    values = {x.name: values.get(x.name, 7) for x in ins.inputs}
    text = about(trace(ins, values, model=model or "isa"), stage)
    assert text == said or (said[-1] == "…" and text.startswith(said[:-1]))


@pytest.mark.parametrize(
    ("ptx", "operands", "place", "flags", "said"), read_lines("lane_sentences.txt", 5)
)
def test_a_lane_has_its_flags_and_its_formula_or_sentence(
    ptx: str, operands: str, place: str, flags: str, said: str
) -> None:
    key, lane = place.split()
    values = parse_values(operands)
    tr = trace(ptx, {x.name: values.get(x.name, 0) for x in parse(ptx).inputs})
    row = tr.rows[key]
    assert " ".join(map(str, row.flags[int(lane)])) == flags
    formula = str(describe_lane(row, int(lane)).formula)
    texts = (formula, format_lane_sentence(row, int(lane)))
    assert said in texts or any(text.startswith(said[:-1]) for text in texts if said[-1] == "…")


_LETTER = re.compile(r"(?<![\w%.'])(?:[bcdepq]|a(?= [-+/<>=!&|^]| times| shifted|,))(?![\w'])")
_NAMES = re.compile(r"(?<![\w.%])([abcdepq])\b")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda x: f"{x.opcode} {x.example[0]}")
@whole
def test_sentences_name_the_registers_of_their_statement(entry: Entry) -> None:
    """The letters of the manual's operands are in no sentence but "For a", which names a row."""
    rng = Random(37)
    for _ in range(5):
        opcode, _, operands = str(instruction_of(pick_entry_form(entry, rng))).partition(" ")
        operands = _NAMES.sub(r"%r_\1", operands)
        ins = parse(f"{opcode} {operands}")
        shown = trace(ins, {x.name: 0 for x in ins.inputs})
        for step in document_of(shown).steps:
            said = re.sub(r"\bFor [ab], ", "", step.about)
            if not re.search(r"\b_\b", operands):  # a discarded one has no name
                assert not _LETTER.search(said), (str(ins), said)


def test_a_block_names_the_registers_of_each_statement() -> None:
    shown = trace_block(
        "vadd4.s32.s32.s32.sat t, x, y, z; vsub.s32.s32.s32.sat.max u, t, w, x;",
        {"x": 1, "y": 2, "z": 3, "w": 4},
    )
    said = {step.title: step.about for step in document_of(shown).steps[6:]}
    assert said["extend"] == "t and w: s32. Exact from here on."
    assert said["subtract"] == "t - w, exactly: nothing wraps yet."
    assert said["max with c"].startswith("x is read as s32; .max takes the larger of t and x.")
    assert said["write"] == "The low 32 bits are written to u."
