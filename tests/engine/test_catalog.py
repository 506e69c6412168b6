"""The catalog: counts, and that every entry has all that an instruction needs."""

from __future__ import annotations

import re
from random import Random

import pytest

from ptxscope import evaluate, export, parse, trace
from ptxscope.diagnosis.explanations import investigate
from ptxscope.diagnosis.observation import Observation, make_observed
from ptxscope.documents.formats.lane_verdicts import find_lane_verdicts
from ptxscope.engine.isa import catalog as catalog_module
from ptxscope.engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    count_entry_forms,
    explain_illegal_value,
    find_entry,
    find_violations,
    get_entry,
    list_shapes,
    pick_form,
    with_slot,
)
from ptxscope.engine.isa.entry import Entry, Operand, Slot, SlotPlace
from ptxscope.engine.isa.grammar import SLOT_NAMES, format_slot_choices
from ptxscope.engine.isa.types import ORDER, Role, SecOp, Selector, Type, parse_selector
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.step_text import describe_lane, describe_step, format_title
from ptxscope.scene.scene_builder import build_scene
from tests import reference_integers
from tests.reference_data import golden_opcodes
from tests.strategies import instruction_of
from tests.tiers import sampled, whole

# the table of docs/semantics.md, 3: documented, accepted by ptxas 13.0
_SIMD2, _SCALAR = (27_744, 27_744), (7_840, 8_624)
_SIMD4 = (6_445_597_056, 6_442_450_944)
_COUNTS = {
    "set": (2_016, 2_016),
    "setp": (2_688, 3_360),
    "selp": (11, 22),
    "slct": (33, 33),
    **dict.fromkeys(("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"), _SCALAR),
    "vmad": (16_464, 18_816),
    "vset": (11_760, 12_936),
    **dict.fromkeys(("vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2"), _SIMD2),
    "vset2": (55_488, 55_488),
    **dict.fromkeys(("vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"), _SIMD4),
    "vset4": (12_891_194_112, 12_884_901_888),
}


def test_form_counts_equal_the_syntax_table() -> None:
    assert list(CATALOG)[: len(_COUNTS)] == list(_COUNTS)
    for opcode, (documented, ptxas) in _COUNTS.items():
        entry = CATALOG[opcode]
        assert count_entry_forms(entry, is_documented=True) == documented
        assert count_entry_forms(entry, is_in_ptxas=True) == ptxas
        assert count_entry_forms(entry) == max(documented, ptxas)
    assert sum(count_entry_forms(CATALOG[x]) for x in _COUNTS) == 51_565_095_951


def _write_modifier(slot: Slot) -> str:
    is_short = not isinstance(slot.values[0], Type) and len(slot.values) < 4
    name = slot.word or "|.".join(map(str, slot.values))
    text = f".{name}" if slot.word or is_short else f".{slot.name.rpartition('_')[2]}"
    return f"{{{text}}}" if slot.is_optional else text


def _write_operand(entry: Entry, operand: Operand) -> str:
    slots = [x for x in entry.slots if x.place == operand.role.replace("p", "d")]
    signs = "".join(f"{{{x.word}}}" for x in slots if x.name.startswith("neg"))
    selectors = "".join(f"{{.{x.name}}}" for x in slots if isinstance(x.values[0], Selector))
    is_first = operand is entry.operands[0]
    name = entry.destination_pattern if is_first else operand.role.label
    is_optional = any(x.name == "c" for x in slots)
    text = f"{signs}{name}{selectors}"
    return f"{{, {text}}}" if is_optional else f"{', ' * (not is_first)}{text}"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda x: x.syntax)
def test_the_syntax_of_an_entry_lists_its_slots_and_operands(entry: Entry) -> None:
    modifiers = [_write_modifier(x) for x in entry.slots if x.place is SlotPlace.MODIFIER]
    operands = (x for x in entry.operands if not x.is_implicit)
    parts = [_write_operand(entry, x) for x in operands if x not in entry.destinations[1:]]
    assert entry.syntax == f"{entry.opcode}{''.join(modifiers)} {''.join(parts)}"


@pytest.mark.parametrize("opcode", CATALOG)
@whole
def test_every_catalog_entry_is_complete(opcode: str) -> None:
    entry = CATALOG[opcode]
    assert entry.summary
    assert len(entry.summary) <= 50
    assert re.fullmatch(r"9\.7(\.\d+){2,3}", entry.section)
    for slot in entry.slots:
        assert SLOT_NAMES[slot.name]
        assert format_slot_choices(slot)
    for shape in list_shapes(opcode):  # CC.CF is no part of the text
        if not shape.is_c_optional:
            assert shape.syntax.count(", ") == shape.example[0].count(", ")
    assert opcode in golden_opcodes() | set(reference_integers.OPCODES)
    ptx, values = entry.example
    ins = parse(ptx)
    assert ins.opcode == opcode
    assert trace(ins, values).result == evaluate(ins, values)


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_every_stage_has_a_title_and_sentences(opcode: str) -> None:
    rng = Random(opcode)
    for _ in range(30):
        form = pick_form(opcode, rng)
        assert lower(form).stages
        ins = instruction_of(form)
        for model in ("isa", "ptxas-13.0"):
            values = {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs}
            found = trace(ins, values, model=model)
            for step in found.steps:
                assert format_title(step)
                assert describe_step(step).endswith(".")
                for row in step.rows:
                    for lane in range(len(row.values)):
                        said = describe_lane(row, lane)
                        assert said.formula
                        assert said.sentence


def test_operand_c_follows_the_secondary_operation() -> None:
    form = parse("vadd.u32.u32.u32 d, a, b").form
    with_add = with_slot(form, "secop", SecOp.ADD)
    assert with_add.c
    assert not with_slot(with_add, "secop", None).c


def test_an_illegal_slot_value_is_explained_with_the_allowed_ones() -> None:
    form = parse("vadd.u32.u32.u32.add d, a, b, c").form
    assert explain_illegal_value(form, "sat", True) is None
    found = explain_illegal_value(form, "dsel", parse_selector("b0"))
    assert found is not None
    assert "exclude each other" in found[0]
    assert found[1]


def test_roles_have_a_fixed_order_and_labels() -> None:
    assert "".join(ORDER) == "abcluteccguarddpqcf"
    assert " ".join(role.label for role in Role) == "a b c lut e cc @ old old old old"
    assert {x.role for entry in ENTRIES for x in entry.operands} <= set(Role)


def test_the_catalog_finds_entries_by_opcode_and_modifiers() -> None:
    rng = Random(1)
    for opcode in CATALOG:
        forms = [pick_form(opcode, rng) for _ in range(100)]
        assert not any(map(find_violations, forms))
        assert {get_entry(form) for form in forms} <= {*list_shapes(opcode)}
        defaults = [x for x in list_shapes(opcode) if not x.distinguishing_modifiers]
        default = defaults[0] if defaults else None
        assert find_entry(opcode, ()) is default
        assert find_entry(opcode, ("s32", "nonsense")) is default
    assert find_entry("vadd8", ()) is None
    assert find_entry("", ("s32",)) is None


def test_an_opcode_may_have_several_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = CATALOG["vset"]
    shape = plain._replace(
        distinguishing_modifiers=frozenset(("lt", "le")), summary="another shape"
    )
    monkeypatch.setitem(catalog_module.SHAPES, "vset", (plain, shape))
    assert find_entry("vset", ("s32", "u32", "lt")) is shape
    assert find_entry("vset", ("s32", "u32", "eq")) is plain
    forms = [pick_form("vset", Random(seed)) for seed in range(20)]
    assert {str(form.cmp) in ("lt", "le") for form in forms} == {True, False}
    for form in forms:
        assert get_entry(form) is (shape if str(form.cmp) in ("lt", "le") else plain)


def test_lanes_are_a_property_of_an_operand() -> None:
    vadd4, vadd = CATALOG["vadd4"], CATALOG["vadd"]
    assert [x.role for x in vadd4.operands if x.has_lanes] == ["d", "a", "b"]
    assert [x.role for x in vadd4.operands if x.can_keep_lanes] == ["c"]
    assert not any(x.has_lanes or x.can_keep_lanes for x in vadd.operands)
    ins = parse("dp4a.s32.u32 d, a, b, c")
    assert [role for role in "abcd" if ins.has_lanes(role)] == ["a", "b"]
    assert [ins.count_lanes(role) for role in "abcd"] == [4, 4, 1, 1]
    shown = trace(ins, {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 7})
    for text in ("[-1, 1, -128, -1]", "[1, 2, 255, 255]", "0x00000007  7\n", "-32887\n"):
        assert text in export(shown)
    parts = {x.role: [str(cell) for cell in x.cells] for x in build_scene(shown).registers}
    assert [text.split()[0] for text in parts["a"]] == ["ff", "01", "80", "ff"]
    assert parts["c"] == ["00000007"]
    assert evaluate("dp4a.u32.u32 d, a, 0x01010101, c", {"a": 0x01020304, "c": 0}) == {"d": 10}


def test_exports_of_dp4a_mention_neither_add_nor_a_mask() -> None:
    values = {"a": 1, "b": 2, "c": 3, "p": 0, "d": 4}
    shown = trace("@!p dp4a.s32.s32 d, a, b, c", values)
    assert shown.result == {"d": 5}
    for format_ in ("text", "markdown", "svg", "html"):
        assert ".add" not in export(shown, format_)
        assert "mask" not in export(shown, format_)


def test_a_wrong_type_of_dp4a_is_explained_without_selectors() -> None:
    operands = {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 0}
    wrong = int(evaluate("dp4a.u32.u32 d, a, b, c", operands)["d"])
    seen = Observation(operands, {"d": make_observed(wrong, 32)})
    diagnosis = investigate(make_block(parse("dp4a.s32.u32 d, a, b, c")), (seen,))
    assert diagnosis.explanations
    assert find_lane_verdicts(diagnosis)[:2] == (32, ())


def test_the_truth_table_of_lop3_offers_256_numbers() -> None:
    slot = next(x for x in CATALOG["lop3"].slots if x.name == "lut")
    assert format_slot_choices(slot) == "0x00 to 0xff (256)"
