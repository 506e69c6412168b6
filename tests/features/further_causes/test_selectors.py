"""Selectors that explain a result are found, counted and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from ptxscope import diagnose, evaluate, parse
from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import (
    Explanation,
    format_match_count,
    investigate,
)
from ptxscope.diagnosis.observation import (
    Observed,
    make_observation,
)
from ptxscope.diagnosis.selector_matches import SelectorSimplicity
from ptxscope.engine.isa.types import parse_selector
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.further_causes.lane_solver import solve_selectors
from ptxscope.features.further_causes.selector_problem import iter_simple_selectors
from tests.engine.test_diagnose import asked, computed_result, drawn
from tests.engine.test_explanations import read_values
from tests.reference_data import read_lines
from tests.tiers import sampled, some, whole


@pytest.mark.parametrize("count", some([100, 1000]))
def test_many_observations_are_all_looked_at(count: int) -> None:
    written, done = "vadd4.s32.s32.s32 d, a, b, c", parse("vadd4.s32.s32.s32.sat d, a.b3201, b, c")
    rng = Random(5)
    batch = []
    for _ in range(count):
        values = drawn(done, rng) | {"c": 0}
        batch.append((values, computed_result(done, values, "isa")))
    found = asked(written, batch).explanations
    assert [x.instruction for x in found] == [done]
    assert found[0].match_count == count
    batch[count - 23][1]["d"] ^= 1
    assert not asked(written, batch).explanations


def test_selectors_are_counted_with_the_digits_that_nothing_reads() -> None:
    # of b.b4567 lane 3 has 128, lane 1 255, lane 0 1, all of them u8; clamped to u8, lane 3 needs
    # 127 - 128, lane 1 what is not below 0, lane 0 2 - 1
    lanes = {3: lambda x: x == -1, 1: lambda x: x >= 0, 0: lambda x: x == 1}
    bytes_ = [*(0x7F80FF01).to_bytes(4, "little"), *(0x01FF0280).to_bytes(4, "little")]
    signed = [x - 256 if x > 127 else x for x in bytes_]
    ways = 8  # of lane 2, which keeps c's byte
    for wanted in lanes.values():
        ways *= sum(map(wanted, signed))
    values = {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0x11223344}
    findings = diagnose("vadd4.u32.s32.u32.sat d.b310, a, b.b4567, c", values, 0x7F22FF02)
    solved = next(
        x for x in findings if len(x.causes) == 1 and x.causes[0].changed_aspects == {"asel"}
    )
    assert solved.matches
    assert solved.matches.match_count == ways == 128
    assert "the simplest of 128 selectors that fit" in solved.sentence
    assert [len(choices) for choices in solved.matches.lanes] == [2, 4, 8, 2]


def test_an_observation_under_a_false_guard_does_not_prevent_selector_matches() -> None:
    ptx = "@g vadd4.u32.u32.u32.add d, a, b, c"
    values = {"a": 0x01020304, "b": 0x10203040, "c": 3, "g": 0, "d": 9}
    for finding in diagnose(ptx, values, 0xAD):
        assert finding.get_result() == {"d": 0xAD}, finding.sentence
    acting = computed_result(parse(ptx.replace("a, b", "a.b3211, b")), values | {"g": 1}, "isa")
    findings = diagnose(ptx, [values, values | {"g": 1}], [9, acting])
    assert any(x.matches for x in findings)


def test_selectors_are_solved_with_unknown_low_bits_in_many_observations() -> None:
    rng = Random(8)
    for opcode, selector in (("vabsdiff4", "b0123"), ("vabsdiff2", "h01")):
        written = f"{opcode}.u32.u32.u32.add d, a, b, c"
        done = parse(written.replace("a,", f"a.{selector},"))
        ins, batch = parse(written), []
        for _ in range(5):
            values = drawn(done, rng)
            bits = computed_result(done, values, "isa")["d"]
            batch.append((values, {"d": Observed(bits & 0xFFFFFF00, 0xFFFFFF00)}))
        found = investigate(
            make_block(ins), [make_observation(ins, v, got) for v, got in batch]
        ).explanations
        assert any(
            x.instruction == done or (x.matches and x.matches.match_count > 1) for x in found
        )


@pytest.mark.parametrize(
    ("written", "ran", "given_"),
    [
        *(pytest.param(*x, marks=whole) for x in read_lines("explain/slips.txt", 3)),
        *read_lines("explain/literals.txt", 3),
    ],
)
def test_a_slip_is_the_first_explanation(written: str, ran: str, given_: str) -> None:
    values = {"c": 0} | read_values(given_)
    one, other = (
        {name: values[name] for name in parse(x).names.values() if name in values}
        for x in (written, ran)
    )
    first, *others = diagnose(written, one, evaluate(ran, other))
    assert first.ptx == str(parse(ran)), [x.sentence for x in others[:5]]
    for cause in first.causes:
        if cause.literals:
            assert len(first.causes) == 1
            ((_, literal),) = cause.literals
            assert cause.phrase.startswith(f"with `{literal}` rather than `")
        else:
            assert cause.kind in (CauseKind.SELECTOR, CauseKind.MODIFIER)


def test_ambiguous_selectors_rank_behind_every_simple_cause() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01020304, "c": 0}
    findings = diagnose("vset4.s32.s32.lt d, a, b, c", values, 1)
    alone = [x for x in findings if len(x.causes) == 1]
    many = [i for i, x in enumerate(alone) if x.matches and x.matches.match_count >= 100]
    assert many
    assert max(i for i, x in enumerate(alone) if not x.matches) < min(many)
    matches = alone[many[0]].matches
    assert matches is not None
    assert f"the simplest of {matches.match_count:,} selectors that fit" in alone[many[0]].sentence


def test_a_reversed_selector_precedes_an_ambiguous_one() -> None:
    # by vmax4 the bytes of a decide, but for a few of b's
    line = "vmax4.u32.u32.u32 d, a.b0316, b.b4576, c"
    values = {"a": 0x91A2B3C4, "b": 0x25364758, "c": 0}
    ran = "vmax4.u32.u32.u32 d, a.b0316, b.b7645, c"
    found = diagnose(line, values, evaluate(ran, values)["d"])
    many = [
        i for i, x in enumerate(found) if x.matches and x.matches.match_count >= 100 and x.cost > 3
    ]
    place = next(i for i, x in enumerate(found) if x.ptx == str(parse(ran)))
    assert place <= 2  # behind the same bytes of b reversed, and a single digit of a
    assert not many or place < min(many)


def mirrored(word: str) -> str:
    """Every digit counted from the other end of its register: 0 is 3, 4 is 7."""
    return "".join(str(3 - int(x) if x < "4" else 11 - int(x)) for x in word)


@sampled
@pytest.mark.parametrize("opcode", ["vsub4", "vavrg4", "vadd4"])
@pytest.mark.parametrize("written", [("0012", "5467"), ("1023", "7456"), ("0316", "4576")])
def test_digits_that_are_counted_from_the_wrong_end(opcode: str, written: tuple[str, str]) -> None:
    values = {"a": 0x91A2B3C4, "b": 0x25364758, "c": 0}

    def find(read: tuple[str, str]) -> Sequence[Explanation]:
        ran = f"{opcode}.u32.u32.u32 d, a.b{read[0]}, b.b{read[1]}, c"
        line = f"{opcode}.u32.u32.u32 d, a.b{written[0]}, b.b{written[1]}, c"
        return diagnose(line, values, evaluate(ran, values)["d"])[:3]

    a, b = written
    for read in ((mirrored(a), b), (a, mirrored(b))):
        assert f"{opcode}.u32.u32.u32 d, a.b{read[0]}, b.b{read[1]}, c;" in [
            x.ptx for x in find(read)
        ]
    # bytes that are counted from the other end are bytes of reversed registers
    said = [x.sentence for x in find((mirrored(a), mirrored(b)))]
    assert any("with the bytes of every register reversed" in x for x in said), said


def test_a_truncated_selector_count_is_reported_as_a_minimum() -> None:
    # |a - b| is 0 in every lane whose two digits are both of a, or both of b: 32 of 64
    form = parse("vabsdiff4.u32.u32.u32.add d, a, b, c").form
    cases = [
        ({"a": 0x01010101, "b": 0x02020202, "c": c}, Observed(c, 0xFFFFFFFF)) for c in range(9)
    ]
    few, many = (
        solve_selectors(form, ISA_MODEL.make_rules(form), None, cases[:count], "ab")
        for count in (1, 9)
    )
    assert few
    assert (few.match_count, few.is_truncated) == (32**4, False)
    assert many
    assert many.is_truncated
    assert many.match_count < few.match_count
    assert format_match_count(many) == f"at least {many.match_count:,}"


@pytest.mark.parametrize(
    ("written", "role", "word", "simplicity"), read_lines("explain/selectors.txt", 4)
)
def test_simple_selectors_are_ranked_by_simplicity(
    written: str, role: str, word: str, simplicity: str
) -> None:
    found = iter_simple_selectors(parse_selector(written).lanes, role)
    assert found[parse_selector(word).lanes] is SelectorSimplicity[simplicity]
    assert [*found.values()] == sorted(found.values())
    assert parse_selector(written).lanes not in found


def test_the_simplest_selector_is_named_with_the_number_of_those_that_fit() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0}
    first = diagnose("vadd4.u32.u32.u32 d, a, b.b4567, c", values, 0x81FE8181)[0].sentence
    assert "with `b`, which is `b.b7654`, rather than `b.b4567`" in first
    assert "the simplest of 8 selectors that fit" in first
