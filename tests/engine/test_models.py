"""Models and errata: examples, versions, and that each erratum said to matter can."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ptxscope import evaluate, export, parse, replay, trace
from ptxscope.engine.arrays import run_blocks
from ptxscope.engine.catalog import CATALOG
from ptxscope.engine.errata import ERRATA, Erratum
from ptxscope.engine.form import Form
from ptxscope.engine.habits import HABITS
from ptxscope.engine.legality import violations
from ptxscope.engine.lowering import lower
from ptxscope.engine.models import Model, errata_of, erratum, model
from ptxscope.engine.parting import first_difference, partings
from ptxscope.engine.plan import Stage
from ptxscope.engine.types import selector

# the examples and both answers as SEMANTICS.md, section 3, prints them
_TABLE = """
E1  vadd.s32.s32.s32 d.h1, a, b, c           | 00015678 1 11223344     | 56793344 | 00013344
E2  vadd.u32.u32.u32.sat d, a, b             | ffffffff 1              | ffffffff | 00000000
E3  vadd.u32.s32.s32.sat d.b0, a, b, c       | ffffffff 0 11223344     | 11223300 | 112233ff
E4  vshr.u32.u32.u32.sat.clamp d.b0, a, b, c | 00012345 4 11223344     | 112233ff | 11223334
E5  vshl.u32.u32.u32.sat.clamp d, a, b       | 2 20                    | ffffffff | 00000000
E6  vadd.u32.u32.u32.max d, a, b, c          | 80000000 1 c0000000     | c0000000 | 80000001
E7  vmin.u32.s32.s32.min d, a, b, c          | ffffffff 0 5            | ffffffff | 00000005
E8  vshr.u32.u32.u32.sat.clamp.max d, a, b, c| 80000000 0 c0000000     | c0000000 | 80000000
E9  vset.s32.u32.lt.min d, a, b, c           | 1 2 ffffffff            | 00000001 | ffffffff
E10 vmad.u32.u32.u32.sat d, a, b, c          | ffffffff 1 0            | ffffffff | 00000000
E11 vmad.u32.u32.u32.sat d, a, b, c          | 2 3 80000000            | 80000006 | 00000000
E12 vmad.u32.u32.u32.sat.shr7 d, a, b, c     | 1 1 ffffff7f            | 01ffffff | ffffffff
E13 vshl.s32.u32.u32.clamp.min d, a, b, c    | 80000000 20 5           | 00000005 | 00000000
"""
_ROWS = [
    (line.split()[0], *(part.strip() for part in line.split(None, 1)[1].split("|")))
    for line in _TABLE.strip().splitlines()
]


@pytest.mark.parametrize(("id_", "ptx", "operands", "isa", "ptxas"), _ROWS)
def test_the_examples_of_the_table(id_: str, ptx: str, operands: str, isa: str, ptxas: str) -> None:
    found = erratum(id_)
    values = dict(zip("abc", (int(x, 16) for x in operands.split()), strict=False))
    assert found.example == (ptx, values, int(isa, 16), int(ptxas, 16))
    assert evaluate(ptx, values) == {"d": int(isa, 16)}
    assert evaluate(ptx, values, model="ptxas-13.0") == {"d": int(ptxas, 16)}
    assert id_ in trace(ptx, values, model="ptxas-13.0").errata
    assert id_ in [x.id for x in errata_of(parse(ptx).form)]


def test_every_erratum_is_in_the_table() -> None:
    assert [row[0] for row in _ROWS] == [x.id for x in ERRATA]
    for x in ERRATA:
        assert x.sentence.endswith(".")
        assert x.forms
        assert set(x.opcodes) <= set(CATALOG)
        assert x.rules


@pytest.mark.parametrize("habit", HABITS, ids=[x.id for x in HABITS])
def test_a_habit_is_a_model_of_what_was_expected(habit: Erratum) -> None:
    ptx, values, isa, expected = habit.example
    assert evaluate(ptx, values) == {"d": isa}
    shown = trace(ptx, values, model=habit.id)
    assert shown.result == replay(shown) == {"d": expected}
    assert shown.errata == (habit.id,)
    assert export(shown, "text")
    assert habit not in errata_of(parse(ptx).form)


# SEMANTICS.md, section 2: equal in both
_CHECKED = """
vset4.u32.u32.eq d.b20, a, b, c            | 01020304 01020304 aabbccdd | aa01cc01
vadd4.u32.u32.u32 d.b0, a, b, c            | 000000ff 00000002 11223344 | 11223301
vadd4.u32.u32.u32 d, a.b7654, b.b0123, c   | 04030201 40302010 0        | 41322314
vadd4.u32.s32.s32.sat d, a, b, c           | ff7f8001 ff7f8002 0        | 00fe0003
vsub4.u32.u32.u32.add d, a, b, c           | 00000000 ffffffff 0        | fffffc04
vavrg4.s32.s32.s32 d, a, b, c              | ff0001fe 0001fffb 0        | ff0100fc
vadd.s32.s32.s32.sat.add d, a, b, c        | 7fffffff 00000001 00000001 | 80000000
vshr.u32.s32.u32.clamp d, a, b             | 80000000 ffffffff          | ffffffff
vmad.u32.u32.u32 d, -a, b, c               | 3 5 10                     | 00000001
vset.s32.u32.lt d, a, b                    | ffffffff 0                 | 00000001
setp.lt.and.f32 p|q, a, b, c               | 7fc00000 0 1               | 0 1
slct.ftz.u32.f32 d, a, b, c                | 1 2 80000001               | 00000001
"""


@pytest.mark.parametrize("row", _CHECKED.strip().splitlines())
def test_the_checked_examples(row: str) -> None:
    head, _, expected = row.rpartition("|")
    ptx, _, operands = head.rpartition("|")
    values = dict(zip("abc", (int(x, 16) for x in operands.split()), strict=False))
    for name in ("isa", "ptxas"):
        found = evaluate(ptx.strip(), values, model=name)
        assert list(found.values()) == [int(x, 16) for x in expected.split()]


def test_without_its_upper_bound_a_result_wraps_behind_the_secondary_operation() -> None:
    # ptxas 13.0 for sm_75 compares 64 bits of |a - b| with c (ISETP.GT.U32, then .EX on the high
    # words) and stores the low word of the larger; no golden row decides this
    values = {"a": 0x80000000, "b": 0x9ABCDEF1, "c": 0x22222222}
    line = "vabsdiff.u32.s32.u32.sat.max d, a, b, c"
    assert evaluate(line, values) == {"d": 0xFFFFFFFF}
    assert evaluate(line, values, model="ptxas") == {"d": 0x1ABCDEF1}


def test_names_of_models() -> None:
    assert model("isa").errata == ()
    assert model("ptxas") == model("ptxas-13.5")
    assert "E1" in [x.id for x in model("ptxas-13.2").errata]
    assert "E1" not in [x.id for x in model("ptxas-13.3").errata]
    assert model("ptxas-12.4").errata == model("ptxas-11.8").errata == ERRATA
    assert [x.id for x in model("e3+E6").errata] == ["E3", "E6"]
    for wrong in ("ptxas-11.7", "ptxas-13", "PTXAS", "", "E14", "E3+", "isa+E3"):
        with pytest.raises(ValueError, match=r"model|known"):
            model(wrong)


def test_a_trace_under_isa_has_no_errata_and_partings_tell_where_answers_part() -> None:
    values = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
    isa = trace("vadd.u32.s32.s32.sat d.b0, a, b, c", values)
    assert isa.errata == ()
    (parting,) = partings(isa)
    assert [x.id for x in parting.errata] == ["E3"]
    assert parting.stage is Stage.SATURATE
    assert parting.other.result == {"d": 0x112233FF}
    assert partings(trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2})) == ()
    assert first_difference(isa, isa) is Stage.WRITE


def test_a_repaired_erratum_shows_in_the_older_answer_only() -> None:
    isa = trace("vset.s32.u32.lt d.h1, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 1})
    (parting,) = partings(isa)
    assert parting.other.model.name == "ptxas-13.0"
    assert parting.stage is Stage.MERGE


def test_the_declared_widths_are_noted_where_they_would_matter() -> None:
    big = {"a": 0xFFFFFFFF, "b": 0xFFFFFFFF, "c": 0}
    assert "0x00000000" in trace("vadd.u32.u32.u32.max d, a, b, c", big).notes[0]
    fits = trace("vadd.u32.u32.u32.max d, a, b, c", big | {"a": 1})
    assert not any("widths" in note for note in fits.notes)
    found = trace("vmad.u32.u32.u32.sat d, -a, b, c", big)
    assert found.result == {"d": 0x7FFFFFFF}
    assert "64 bits" in found.notes[0]


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
    some = {"asel": [None, selector("b0"), selector("h1")], "bsel": [None]}
    slots = [slot for slot in entry.slots if slot.name != "c"]
    choices = [some.get(slot.name) or list(slot.choices()) for slot in slots]
    forms = []
    for values in product(*choices):  # type: ignore[call-overload]
        chosen = dict(zip((slot.name for slot in slots), values, strict=True))
        c = not entry.c_optional or bool(chosen["secop"] or chosen["dsel"])
        form = Form(opcode, **chosen, c=c)
        if not violations(form):
            forms.append(form)
    return forms


def _results(form: Form, *errata: Erratum) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    plan = lower(form, Model("", errata).rules(form))
    return run_blocks(plan, _OPERANDS, _OPERANDS["a"].shape)["d"]


@pytest.mark.parametrize(
    "opcode", ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad"]
)
def test_an_erratum_that_can_change_a_form_does_so_for_some_operands(opcode: str) -> None:
    for form in _scalar_forms(opcode):
        known = errata_of(form)
        isa, every = _results(form), _results(form, *ERRATA)
        assert known or np.array_equal(isa, every), form
        for x in known:
            others = tuple(y for y in ERRATA if y is not x)
            alone = not np.array_equal(_results(form, x), isa)
            assert alone or not np.array_equal(_results(form, *others), every), (x.id, form)


def test_no_erratum_touches_the_other_instructions() -> None:
    scalar = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad"}
    assert {opcode for x in ERRATA for opcode in x.opcodes} == scalar


def test_a_models_name_makes_it_again() -> None:
    for name in ("isa", "ptxas-13.0", "E3+E6", "ptxas-13.5+H1", "E9+H1"):
        assert model(name).name == name
    assert model("h1+e9") == model("E9+H1")
    assert model("ptxas+E3") == model("ptxas-13.5+E3")
    for wrong in ("E99", "", "E3+", "ptxas-9.0"):
        with pytest.raises(ValueError, match="known"):
            model(wrong)
