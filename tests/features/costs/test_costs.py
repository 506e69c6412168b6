"""Recorded costs, and the note on forms that have a cheaper equal one."""

from __future__ import annotations

import csv
from random import Random

import pytest

from ptxscope import parse
from ptxscope.engine.isa.catalog import ENTRIES, get_entry
from ptxscope.features.check.lint import check_text
from ptxscope.features.costs.cheaper_rule import RULE, SMALL_RULE
from ptxscope.features.costs.cost_report import list_cheaper, list_typical
from ptxscope.features.costs.cost_table import (
    ARCHITECTURES,
    PATH,
    FormCost,
    find_cheaper,
    read_table,
)
from tests.driving.feature_tables import needs
from tests.driving.states import make_state
from tests.reference import reference
from tests.tiers import sampled

COUNTED = {  # by hand, in shared/mocks/instruction-page.md
    "vadd4.u32.u32.u32 d, a, b, c": (5, 5, 5),
    "vadd4.s32.s32.s32 d, a, b, c": (34, 31, 32),
    "vadd4.u32.u32.u32.sat d, a, b, c": (27, 27, 27),
    "vadd4.s32.s32.s32.sat d, a, b, c": (45, 42, 44),
    "vadd4.u32.u32.u32.add d, a, b, c": (3, 3, 3),
    "vadd4.s32.s32.s32.add d, a, b, c": (27, 28, 27),
}
BITING = (0, 1, 0x7F, 0x80, 0x7FFFFFFF, 0x80000000, (1 << 64) - 1)
CHEAPER = [x for x in read_table().costs.values() if x.cheaper]


@pytest.mark.parametrize("line", COUNTED)
def test_a_count_is_that_of_the_instructions_that_compute(line: str) -> None:
    assert read_table().costs[line].counts == COUNTED[line]


@needs("machine")
def test_counts_are_those_of_the_machine_code_that_other_tests_have() -> None:
    from ptxscope.features.machine.form_verdict import MachineQuestion
    from tools.machine_code import ARCHITECTURES, read_samples

    compared = 0
    for at, arch in enumerate(ARCHITECTURES):
        for sample in read_samples(arch):
            if cost := read_table().costs.get(sample.line.rstrip(";")):
                question = MachineQuestion(sample.source, sample.kernel)
                count = len(list(question.run.iter_computations()))
                assert cost.counts[at] == count, (arch, sample.line)
                compared += 1
    assert compared > 20


@sampled
@pytest.mark.parametrize("cost", CHEAPER, ids=lambda x: x.line)
def test_a_cheaper_form_gives_the_same_bits(cost: FormCost) -> None:
    rng = Random(cost.line)
    ins = parse(cost.line)
    counts = zip(read_table().costs[cost.cheaper].counts, cost.counts, strict=True)
    assert all(x < y for x, y in counts)
    for _ in range(40):
        values = {
            x.name: rng.choice((rng.getrandbits(64), rng.choice(BITING))) & ((1 << x.type.bits) - 1)
            for x in ins.inputs
        }
        values.setdefault("c", 0)  # it must be written, and nothing reads it
        results = [reference(line, values, "isa") for line in (cost.line, cost.cheaper)]
        assert results[0] == results[1], values


def find_notes(text: str, rule: str = RULE) -> list[str]:
    items = check_text(text, "x.ptx")
    return [x.message for item in items for x in item.diagnostics if x.rule == rule]


def test_a_form_with_a_cheaper_equal_one_has_a_note() -> None:
    (note,) = find_notes("vadd4.s32.s32.s32 d, d, b, c;")
    assert note == (
        "`vadd4.u32.u32.u32` gives the same bits for all operands, in fewer machine instructions: "
        "5 instead of 34 for sm_75, 5 instead of 31 for sm_90, 5 instead of 32 for sm_120 "
        "(ptxas 13.0.88)"
    )


@pytest.mark.parametrize(
    "line",
    [
        "vadd4.u32.u32.u32 d, a, b, c",
        "vadd4.s32.s32.s32.sat d, a, b, c",
        "vadd4.s32.s32.s32 d.b30, a, b, c",  # not recorded
        "vadd4.s32.s32.s32 d, a, a, c",  # not what was counted
        "vset.s32.s32.eq d, a, b",  # a small saving
    ],
)
def test_other_lines_have_none(line: str) -> None:
    assert find_notes(f"{line};") == []
    assert find_notes(f"{line};", SMALL_RULE) == [
        "`vset.u32.u32.eq` gives the same bits for all operands, in fewer machine instructions: "
        "8 instead of 10 for sm_75, 8 instead of 10 for sm_90, 7 instead of 9 for sm_120 "
        "(ptxas 13.0.88)"
    ] * ("vset" in line)


def test_the_explorer_has_a_note_on_every_form_with_a_cheaper_equal_one() -> None:
    state = make_state("vadd4.s32.s32.s32 %r1, %r2, %r3, %r4", {})
    assert state.notes == (
        "vadd4.u32.u32.u32 gives the same bits for all operands, in 5 machine instructions "
        "instead of 31 to 34 (ptxas 13.0.88)",
    )
    assert make_state("vadd4.s32.s32.s32.sat %r1, %r2, %r3, %r4", {}).notes == ()
    others = [find_cheaper(cost) for cost in CHEAPER]
    assert sum(x is not None for x in others) > 100
    for cost, other in zip(CHEAPER, others, strict=True):
        if other is not None:
            *_, note = make_state(cost.line, {}).notes
            assert note.startswith(f"{other.subject} gives the same bits"), cost.line


def test_show_names_every_form_with_a_cheaper_equal_one() -> None:
    listed = {x.line for entry in ENTRIES for group in list_cheaper(entry) for x in group.costs}
    assert listed == {x.line for x in CHEAPER if find_cheaper(x)}


def test_the_types_of_vadd4_change_nothing() -> None:
    entry = get_entry(parse("vadd4.s32.s32.s32 d, a, b, c").form)
    group, *_ = list_cheaper(entry)
    assert group.without == "`.sat` and `.add`"
    assert len(group.costs) == 7
    assert group.sentence == (
        "without `.sat` and `.add`, the types change nothing: `vadd4.u32.u32.u32` gives the same "
        "bits, in 5 machine instructions instead of up to 34"
    )
    assert len(list_typical(entry)) >= 6
    # the exact lanes of .add depend on their types
    assert not any(x.without for x in list_cheaper(entry) if ".add" in x.cheap.line)


def test_the_rows_are_those_of_a_reader_of_csv() -> None:
    rows = list(csv.DictReader(PATH.read_text("utf-8").splitlines()[1:]))
    costs = read_table().costs
    assert [*costs] == [row["line"] for row in rows]
    for row in rows:
        counts = tuple(int(row[arch]) for arch in ARCHITECTURES)
        assert costs[row["line"]][1:] == (counts, row["documented"], row["cheaper"])
