"""Models and errata: examples, versions, and that each erratum said to matter can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ptxscope import evaluate, export, parse, replay, trace
from ptxscope.engine.arrays.block_runner import run_blocks
from ptxscope.engine.isa.catalog import CATALOG, find_violations
from ptxscope.engine.isa.entry import Entry
from ptxscope.engine.isa.types import Form, Selector, parse_selector
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.models import (
    MISCONCEPTIONS,
    Model,
    find_errata,
    parse_erratum,
    parse_model,
)
from ptxscope.engine.semantics.rules import ALL_ERRATA, ERRATA, Erratum, Rules
from ptxscope.engine.tracing.deviation import find_deviations, find_first_difference
from ptxscope.engine.tracing.provenance import find_provenance
from ptxscope.engine.tracing.step_text import format_lane_sentence
from tests.reference_data import golden_rows, read_lines
from tests.tiers import ci_only, sampled, thorough

if TYPE_CHECKING:
    from ptxscope.engine.tracing.evaluation import Value

_SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad")
_EXAMPLES = read_lines("model_examples.txt", 5)


@pytest.mark.parametrize(("id_", "ptx", "operands", "isa", "ptxas"), _EXAMPLES)
def test_an_example_has_the_documented_and_the_measured_result(
    id_: str, ptx: str, operands: str, isa: str, ptxas: str
) -> None:
    values = _values(operands)
    for model, expected in (("isa", isa), ("ptxas-13.0", ptxas)):
        results = [int(x, 16) for x in expected.split()]
        assert list(evaluate(ptx, values, model=model).values()) == results
    shown = trace(ptx, values)
    if id_ != "-":
        assert parse_erratum(id_).example == (ptx, values, int(isa, 16), int(ptxas, 16))
        assert id_ in trace(ptx, values, model="ptxas-13.0").errata
        assert id_ in [x.id for x in shown.instruction.errata]
    elif ptx.startswith("vmad") and ".sat" in ptx:  # a sum that needs no 64 bits
        assert "E12" in [x.id for x in shown.instruction.errata]
        assert not [x for x in (*shown.notes, *shown.rows) if "64" in x]


@pytest.mark.parametrize("step", [7, pytest.param(2, marks=thorough)])
@pytest.mark.parametrize("name", ["ptxas-13.0", "ptxas-13.5"])
def test_the_errata_of_a_trace_are_sufficient_and_necessary(name: str, step: int) -> None:
    told = 0
    for row in golden_rows()[::step]:
        if row.results[name] == row.results["isa"] and row.file == "golden.csv":
            continue
        values = row.operands | ({"p": 0} if row.file == "guarded.csv" else {})
        shown = trace(row.ptx, values, model=name)
        wanted = dict(zip(shown.result, row.results[name], strict=True))
        documented = dict(zip(shown.result, row.results["isa"], strict=True))
        assert bool(shown.errata) == (wanted != documented), row
        for size in range(1, len(shown.errata) + 1):
            for few in combinations(shown.errata, size):
                makes = evaluate(row.ptx, values, model="+".join(few)) == wanted
                assert makes == (size == len(shown.errata)), (row, few)
        told += len(shown.errata)
    assert told > 100


def test_an_erratum_that_changes_nothing_more_is_not_named() -> None:
    # -1 times -1 is 1 where they are read as signed; that it is then summed unsigned is not needed
    values = {"a": -1, "b": -1, "c": 0}
    shown = trace("vmad.u32.u32.u32.sat d, a, b, -c", values, model="ptxas")
    assert (shown.result, shown.errata) == ({"d": 1}, ("E10",))


def _values(operands: str) -> dict[str, int]:
    """``1 2 p=0``: a, b and c in this order, others by name; all in hexadecimal."""
    named = (x if "=" in x else f"{'abc'[at]}={x}" for at, x in enumerate(operands.split()))
    return {name: int(bits, 16) for name, _, bits in (x.partition("=") for x in named)}


def test_every_erratum_is_in_the_table_and_concerns_a_scalar_instruction_or_four_others() -> None:
    assert {opcode for x in ERRATA for opcode in x.opcodes} == {
        *_SCALAR,
        "set",
        "bfe",
        "bfi",
        "fns",
    }
    assert [row[0] for row in _EXAMPLES if row[0] != "-"] == [x.id for x in ERRATA]
    for x in ERRATA:
        assert x.sentence.endswith(".")
        assert x.forms
        assert x.rules


@pytest.mark.parametrize("misconception", MISCONCEPTIONS, ids=[x.id for x in MISCONCEPTIONS])
def test_a_misconception_is_a_model_with_the_expected_result(misconception: Erratum) -> None:
    ptx, values, isa, expected = misconception.example
    assert evaluate(ptx, values) == {"d": isa}
    shown = trace(ptx, values, model=misconception.id)
    assert shown.result == replay(shown) == {"d": expected}
    assert shown.errata == (misconception.id,)
    assert export(shown, "text")
    assert misconception not in find_errata(parse(ptx).form)
    assert "hardware" not in misconception.sentence


def test_names_of_models() -> None:
    assert parse_model("isa").errata == ()
    assert parse_model("ptxas") == parse_model("ptxas-13.5")
    assert "E1" in [x.id for x in parse_model("ptxas-13.2").errata]
    assert "E1" not in [x.id for x in parse_model("ptxas-13.3").errata]
    assert parse_model("ptxas-12.4").errata == parse_model("ptxas-11.8").errata == ALL_ERRATA
    for id_, last in (("E19", 2), ("E20", 3), ("E21", 3), ("E24", 0)):
        assert id_ in [x.id for x in parse_model(f"ptxas-13.{last}").errata]
        assert id_ not in [x.id for x in parse_model(f"ptxas-13.{last + 1}").errata]
    assert [x.id for x in parse_model("e3+E6").errata] == ["E3", "E6"]
    # nvidia-cuda-nvcc 13.4.59 and 13.4.92 still store MOV 0xffffffff; 13.5.37 shifts and extends
    assert "E15" in [x.id for x in parse_model("ptxas-13.4").errata]
    assert "E15" not in [x.id for x in parse_model("ptxas-13.5").errata]
    for name in ("isa", "ptxas-13.0", "E3+E6", "ptxas-13.5+H1", "E9+H1"):
        assert parse_model(name).name == name
    assert parse_model("h1+e9") == parse_model("E9+H1")
    assert parse_model("ptxas+E3") == parse_model("ptxas-13.5+E3")
    for wrong in ("ptxas-11.7", "ptxas-13", "PTXAS", "", "E26", "E99", "E3+", "isa+E3"):
        with pytest.raises(ValueError, match=r"model|known"):
            parse_model(wrong)


def test_a_trace_under_isa_has_no_errata_and_its_deviations_have_them() -> None:
    values = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
    isa = trace("vadd.u32.s32.s32.sat d.b0, a, b, c", values)
    assert isa.errata == ()
    (deviation,) = find_deviations(isa)
    assert [x.id for x in deviation.errata] == ["E3"]
    assert deviation.stage is Stage.SATURATE
    assert deviation.other.result == {"d": 0x112233FF}
    assert find_deviations(trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2})) == ()
    assert find_first_difference(isa, isa) is Stage.WRITE


def test_a_repaired_erratum_shows_in_the_older_answer_only() -> None:
    isa = trace("vset.s32.u32.lt d.h1, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 1})
    (deviation,) = find_deviations(isa)
    assert deviation.other.model.name == "ptxas-13.0"
    assert deviation.stage is Stage.MERGE


def test_a_note_mentions_declared_widths_only_for_large_values() -> None:
    big = {"a": 0xFFFFFFFF, "b": 0xFFFFFFFF, "c": 0}
    assert "0x00000000" in trace("vadd.u32.u32.u32.max d, a, b, c", big).notes[0]
    fits = trace("vadd.u32.u32.u32.max d, a, b, c", big | {"a": 1})
    assert not any("widths" in note for note in fits.notes)


_EDGES = [0, 1, 2, 5, 0x1E, 0x20, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000]
_EDGES += [0x7FFFFFFF, 0x80000000, 0x80000001, 0xC0000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678]
_EDGES += [0xEDCBA987, 0x40000000, 0xFFFFFF7F, 0x7FFF7FFF, 0x80808080]
_AMOUNTS = [*_EDGES, *range(34)]
_GRID = np.array(list(product(_EDGES, _AMOUNTS, _EDGES)), np.uint32).T
_RANDOM = np.random.default_rng(0).integers(0, 2**32, (3, 20_000), dtype=np.uint32)
_OPERANDS = dict(zip("abc", np.concatenate([_GRID, _RANDOM], axis=1), strict=True))


def _scalar_forms(opcode: str) -> list[Form]:
    """Every form of a scalar video instruction, with three selectors for a and one for b."""
    entry = CATALOG[opcode]
    some: dict[str, list[Selector | None]] = {
        "asel": [None, parse_selector("b0"), parse_selector("h1")],
        "bsel": [None],
    }
    return _list_forms(entry, some)


def _list_forms(entry: Entry, some: Mapping[str, Sequence[Selector | None]]) -> list[Form]:
    """The legal forms of an entry with all values of each slot, or with some of them."""
    slots = [slot for slot in entry.slots if slot.name != "c"]
    choices: list[list[object]] = [[*some.get(slot.name, slot.iter_choices())] for slot in slots]
    forms = []
    for values in product(*choices):
        chosen: dict[str, Any] = dict(zip((slot.name for slot in slots), values, strict=True))
        reads_c = any(chosen.get(x) for x in ("boolop", "secop", "dsel"))
        form = Form(entry.opcode, **chosen, c=reads_c or not entry.is_c_optional)
        if not find_violations(form):
            forms.append(form)
    return forms


def _results(form: Form, *errata: Erratum) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    plan = lower(form, Model("", errata).make_rules(form))
    return run_blocks(plan, _OPERANDS, _OPERANDS["a"].shape)["d"]


@sampled
@pytest.mark.parametrize("step", [7, pytest.param(5, marks=thorough)])
@pytest.mark.parametrize("opcode", _SCALAR)
def test_every_erratum_of_a_form_changes_some_result(opcode: str, step: int) -> None:
    for form in _scalar_forms(opcode)[::step]:
        known = find_errata(form)
        isa, every = _results(form), _results(form, *ERRATA)
        assert known or np.array_equal(isa, every), form
        for x in known:
            others = tuple(y for y in ERRATA if y is not x)
            alone = not np.array_equal(_results(form, x), isa)
            assert alone or not np.array_equal(_results(form, *others), every), (x.id, form)


@pytest.mark.parametrize("step", [36, pytest.param(5, marks=thorough)])
@ci_only
def test_a_false_guard_can_destroy_d_in_924_forms_of_set(step: int) -> None:
    forms = _list_forms(CATALOG["set"], {})
    assert len(forms) == 2016  # docs/semantics.md, 3
    touched = [form for form in forms if find_errata(form, guard=False)]
    assert len(touched) == 924  # docs/semantics.md, E14
    assert all(not find_errata(form) for form in forms)
    olds = np.array([*_EDGES, 0x01000001, 0xFFFF8000, 0x12348000, 0x00FFFFFF, 0xBF800000])
    for at, form in list(enumerate(forms))[::step]:
        for guard in (False, True)[: 1 + (at % 8 == 0)]:
            found = [x.id for x in find_errata(form, guard)]
            assert found == (["E14"] if form in touched else []), form
            operands = {"a": np.zeros(1, np.uint64), "b": np.zeros(1, np.uint64)}
            operands |= {"c": np.zeros(1, bool), "guard": np.full(1, guard), "d": olds}
            rules = parse_model("ptxas").make_rules(form)
            kept = run_blocks(lower(form, rules, guard), operands, olds.shape)["d"]
            assert np.array_equal(kept, olds) == (form not in touched), form
            written = {**operands, "guard": np.full(1, not guard)}
            plans = (lower(form, x, guard) for x in (Rules(), rules))
            isa, theirs = (run_blocks(plan, written, olds.shape)["d"] for plan in plans)
            assert np.array_equal(isa, theirs), form


def test_the_conversion_of_the_old_value_follows_the_machine() -> None:
    # NumPy converts integers to binary32, ties to even; the least number of a width stays negative
    rng = np.random.default_rng(14)
    olds = np.concatenate(
        [
            np.arange(0, 1 << 16, dtype=np.uint32),
            rng.integers(0, 1 << 32, 100_000, dtype=np.uint32) >> rng.integers(0, 32, 100_000),
            np.array([0x80000000, 0x7FFFFFFF, 0x7FFFFF80, 0x7FFFFFC0, 0x01000001, 0x01000003]),
        ]
    ).astype(np.uint32)
    words, halves = olds.view(np.int32), olds.astype(np.uint16).view(np.int16)
    rest: dict[str, Value] = {"a": 0, "b": 0, "p": 0, "d": olds}
    for line, expected in (
        ("set.lt.f32.u64", np.abs(words).astype(np.float32).view(np.uint32)),
        ("set.lt.f32.s16", np.abs(halves).astype(np.float32).view(np.uint32)),
        ("set.lt.s32.u16", halves.astype(np.int32).view(np.uint32)),
    ):
        found = evaluate(f"@p {line} d, a, b", rest, model="ptxas")["d"]
        assert np.array_equal(found, expected), line
        assert np.array_equal(evaluate(f"@p {line} d, a, b", rest)["d"], olds)


def test_the_trace_shows_the_conversion_that_the_guard_does_not_cover() -> None:
    values = {"a": 1, "b": 2, "p": 0, "d": 0x01000001}
    found = trace("@p set.lt.f32.s32 d, a, b", values, model="ptxas")
    assert found.result == replay(found) == {"d": 0x4B800000}
    assert found.errata == ("E14",)
    last = found.steps[-1]
    assert [row.key for row in last.rows] == [
        "guard.number",
        "guard.magnitude",
        "guard.old",
        "guard.d",
    ]
    assert last.flags == (Flag.SIGN_EXTENDED, Flag.ROUNDED)
    assert find_provenance(found, "guard.d", 0) == (("d", 0, 32), ("guard", 0, 1))
    said = [format_lane_sentence(row, 0) for row in last.rows]
    assert said[2] == (
        "16777217 as a float is 0x4b800000 (16777216.0, 16777217 rounded to 24 significant bits)"
    )
    assert said[3] == "@p does not hold, but d becomes 0x4b800000: its old value is converted"
    (deviation,) = find_deviations(trace("@p set.lt.f32.s32 d, a, b", values))
    assert deviation.stage is Stage.GUARD
    assert find_deviations(trace("@p set.lt.f32.s32 d, a, b", values | {"p": 1})) == ()
    halves = trace("@!p set.lt.u32.u16 d, a, b", values | {"p": 1}, model="ptxas")
    assert halves.result == {"d": 1}
    assert find_provenance(halves, "guard.old", 0) == (("d", 0, 16),)
    least = trace("@p set.lt.f32.u16 d, a, b", values | {"d": 0x8000}, model="ptxas")
    assert least.result == {"d": 0xC7000000}
    assert least.rows["guard.magnitude"].flags[0] == (Flag.WRAPPED,)


def test_nothing_wraps_at_a_clamp_without_an_upper_bound() -> None:
    # E2: t may need 33 bits; vabsdiff compares c with all of it, vadd and vsub cut it
    values = {"a": 0x80000000, "b": 0x9ABCDEF1, "c": 0x22222222}
    exact = 0x9ABCDEF1 + 0x80000000
    found = trace("vabsdiff.u32.s32.u32.sat.max d, a, b, c", values, model="ptxas")
    for key in ("operate.t", "saturate.t", "secondary.t"):
        assert found.rows[key].values == (exact,)
    assert Flag.WRAPPED in found.rows["write.d"].flags[0]
    for opcode, line in (("vadd", "vadd.u32.u32.u32.sat"), ("vsub", "vsub.u32.u32.s32.sat")):
        cut = trace(f"{line}.max d, a, b, c", values | {"a": 0xFFFFFFFF}, model="ptxas")
        assert cut.rows["saturate.t"].range.bits == 33, opcode
        assert "secondary.s32" in cut.rows, opcode
    assert "wraps" not in parse_erratum("E2").sentence
    for line in (
        "vabsdiff.u32.s32.u32.sat.min d, a, b, c",
        "vabsdiff.u32.s32.u32.sat d.b0, a, b, c",
    ):
        assert "E2" not in [x.id for x in parse(line).errata]


def test_e12_does_not_concern_vmad_without_sat() -> None:
    for line in ("vmad.u32.u32.u32.shr7 d, a, b, c", "vmad.s32.s32.s32.shr15 d, -a, b, c"):
        assert "E12" not in [x.id for x in parse(line).errata]
    assert parse_erratum("E12").forms == "vmad with .sat"
