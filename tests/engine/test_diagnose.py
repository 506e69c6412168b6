"""Diagnosis: known causes are found and ranked, and what is found gives what was observed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import diagnose, evaluate, parse
from ptxscope.diagnosis.causes import CauseKind
from ptxscope.diagnosis.explanations import (
    Diagnosis,
    Explanation,
    investigate,
)
from ptxscope.diagnosis.form_causes import SLOT_COSTS
from ptxscope.diagnosis.observation import (
    Observation,
    Observed,
    make_observation,
    make_observed,
    parse_observed,
)
from ptxscope.documents.formats.lane_verdicts import find_lane_verdicts
from ptxscope.engine.isa.catalog import ENTRIES, find_violations, get_entry, pick_form, with_slot
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import BELIEFS, MISCONCEPTIONS
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.engine.tracing.basic_block import make_block
from tests.reference import reference
from tests.reference_data import golden_rows, read_lines
from tests.strategies import INSTRUCTIONS, SOURCE_ROLES, instruction_of
from tests.tiers import ci_only, examples, sampled, some, thorough, whole

_EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def drawn(ins: Instruction, rng: Random) -> dict[str, int]:
    """Values for the registers that an instruction can read; half of them edges."""
    values = {}
    for role, name in ins.names.items():
        if role in SOURCE_ROLES:
            bits = ins.type_of(role).bits
            word = rng.getrandbits(bits)
            values[name] = rng.choice(_EDGES) & (1 << bits) - 1 if rng.random() < 0.3 else word
    return values


def telling(written: str, actual: str, model: str, count: int) -> list[dict[str, int]]:
    """Values by which what was computed differs from what is documented for what is written."""
    rng, meant, computed = Random(written + actual), parse(written), parse(actual)
    found: list[dict[str, int]] = []
    for _ in range(20000):
        values = drawn(meant, rng) | drawn(computed, rng)
        if computed_result(computed, values, model) != computed_result(meant, values, "isa"):
            found.append(values)
        if len(found) == count:
            return found
    raise AssertionError(f"{written} and {actual} never differ")


def computed_result(ins: Instruction, values: dict[str, int], model: str) -> dict[str, int]:
    read = {needed.name: values[needed.name] for needed in ins.inputs}
    return {k: int(v) for k, v in evaluate(ins, read, model=model).items()}


def asked(written: str, batch: list[tuple[dict[str, int], dict[str, int]]]) -> Diagnosis:
    ins = parse(written)
    known = set(ins.names.values())
    return investigate(
        make_block(ins),
        [
            make_observation(ins, {n: v for n, v in values.items() if n in known}, dict(got))
            for values, got in batch
        ],
    )


def must_find(diagnosis: Diagnosis, true: list[Explanation], causes: int) -> None:
    """The known cause is found, or fewer causes explain it; alone of its size it ranks first."""
    findings = diagnosis.explanations
    assert findings
    fewest = len(findings[0].causes)
    assert fewest <= causes
    if fewest < causes:
        return
    first = [x for x in findings if len(x.causes) == fewest]
    assert true, [x.sentence for x in findings[:5]]
    assert any(x in first for x in true)
    if len(first) == 1:
        assert first[0] in true


def tells(finding: Explanation, done: Instruction) -> bool:
    """Whether an explanation is, or counts among its selectors, what was computed."""
    if finding.model.errata or any(
        cause.operands and not cause.is_swap for cause in finding.causes
    ):
        return False
    if finding.instruction == done:
        return True
    fits, form = finding.matches, finding.instruction.form
    if not fits or form._replace(asel=None, bsel=None) != done.form._replace(asel=None, bsel=None):
        return False
    n = done.entry.lanes
    a = done.form.asel.lanes if done.form.asel else range(n)
    b = done.form.bsel.lanes if done.form.bsel else range(n, 2 * n)
    if not fits.lanes:
        return fits.match_count > 1
    return all(pair in fits.lanes[i] for i, pair in enumerate(zip(a, b, strict=True)))


_SPECIAL = {"f32": (0x7FC00000, 0x80000001, 0x80000000), "f64": (0x7FF8000000000000,)}


def telling_floats(written: str, actual: str) -> list[dict[str, int]]:
    """As ``telling``, where NaN or subnormal numbers are what tells."""
    meant, computed = parse(written), parse(actual)
    kind = "f64" if ".f64" in written + actual else "f32"
    for a in _SPECIAL[kind]:
        for b in (0, a):
            values = dict(zip("abc", (a, b, a), strict=True))
            for role in "abc":
                if role in meant.names and meant.type_of(role) is Type.PRED:
                    values[role] &= 1
            values = {k: v for k, v in values.items() if k in meant.names}
            if computed_result(computed, values, "isa") != computed_result(meant, values, "isa"):
                return [values]
    return []


@whole
@pytest.mark.parametrize("count", some([3, 1]))
@pytest.mark.parametrize(("written", "actual"), read_lines("explain/one_change.txt", 2))
def test_one_cause_is_found(written: str, actual: str, count: int) -> None:
    special = telling_floats(written, actual) if "f32" in actual or "f64" in actual else []
    batch = special[:count] or telling(written, actual, "isa", count)
    done = parse(actual)
    diagnosis = asked(written, [(v, computed_result(done, v, "isa")) for v in batch])
    true = [x for x in diagnosis.explanations if tells(x, done)]
    must_find(diagnosis, true, 1)


@sampled
@pytest.mark.parametrize("count", some([4, 1]))
@pytest.mark.parametrize(("written", "actual"), read_lines("explain/two_changes.txt", 2))
def test_two_causes_are_found(written: str, actual: str, count: int) -> None:
    batch = telling(written, actual, "isa", count)
    done = parse(actual)
    diagnosis = asked(written, [(v, computed_result(done, v, "isa")) for v in batch])
    true = [x for x in diagnosis.explanations if tells(x, done)]
    must_find(diagnosis, true, 2)


@sampled
@pytest.mark.parametrize("erratum", ERRATA, ids=[x.id for x in ERRATA])
def test_an_erratum_is_named(erratum: Erratum) -> None:
    ptx, values, _, ptxas = erratum.example
    first = diagnose(ptx, values, ptxas)[0]
    assert first.kind is CauseKind.PTXAS
    assert erratum.id in [x.id for x in first.errata]
    assert erratum.sentence in first.sentence
    assert first.trace.result == {"d": ptxas}


@pytest.mark.parametrize("step", [330, pytest.param(99, marks=thorough)])
@ci_only
def test_every_golden_erratum_is_attributed_to_its_ptxas_versions(step: int) -> None:
    rows = [row for row in golden_rows() if len(set(row.results.values())) > 1]
    assert len(rows) > 1000
    for row in rows[::step]:
        isa, old, new = (row.results[m][0] for m in ("isa", "ptxas-13.0", "ptxas-13.5"))
        names = parse(row.ptx).names.values()
        values = {name: value for name, value in row.values.items() if name in names}
        for got, versions in ((old, "11.8 to 13.2"), (new, "13.3 to 13.5")):
            if got != isa:
                first = diagnose(row.ptx, values, got)[0]
                assert first.kind is CauseKind.PTXAS
                assert ("11.8 to 13.5" if old == new else versions) in first.sentence


@sampled
@pytest.mark.parametrize("misconception", MISCONCEPTIONS, ids=[x.id for x in MISCONCEPTIONS])
def test_a_misconception_is_found(misconception: Erratum) -> None:
    ptx, values, _, expected = misconception.example
    names = parse(ptx).names
    findings = diagnose(ptx, {k: v for k, v in values.items() if k in names}, expected)
    fewest = [x for x in findings if len(x.causes) == 1]
    true = [
        x
        for x in fewest
        if x.kind is CauseKind.MISCONCEPTION and misconception.sentence in x.sentence
    ]
    assert true
    assert true[0].get_result() == {"d": expected}


@sampled
@pytest.mark.parametrize(
    ("ptx", "values", "got"),
    [
        ("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2}, 0xDEADBEEF),
        ("vmad.s32.s32.s32.shr7 d, a, b, c", {"a": 3, "b": 5, "c": 7}, 0x12345678),
        ("vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 3}, 0x9ABCDEF0),
        ("vset4.s32.s32.lt d, a, b, c", {"a": 1, "b": 2, "c": 3}, 0x13572468),
        ("selp.b32 d, a, b, c", {"a": 1, "b": 2, "c": 1}, 77),
    ],
)
def test_an_unexplained_result_has_near_misses(ptx: str, values: dict[str, int], got: int) -> None:
    diagnosis = asked(ptx, [(values, {"d": got})])
    assert not diagnosis.explanations
    assert diagnosis.try_count > 100
    assert diagnosis.near_misses
    documented = (int(evaluate(ptx, values)["d"]) ^ got).bit_count()
    for near in diagnosis.near_misses:
        assert near.distance == (near.get_result()["d"] ^ got).bit_count() <= documented


def test_a_near_miss_of_several_ptxas_versions_is_reported_once() -> None:
    line = "vmad.u32.s32.u32.sat.shr7 d, a.h0, b.b1, c"
    values = {"a": 0x0000FFFF, "b": 0x0003FF00, "c": 0x80000000}
    nearest = asked(line, [(values, {"d": 0x7FFFFFFF})]).near_misses
    assert len({tuple(x.phrase for x in near.causes) for near in nearest}) == len(nearest)
    unsigned = next(x for x in nearest if x.ptx.startswith("vmad.u32.u32.u32.sat"))
    for name in ("ptxas-13.0", "ptxas-13.5"):  # the oldest and the newest of what is told
        assert reference(unsigned.ptx.rstrip(";"), values, name) == {"d": 0xFFFFFFFF}
    assert "as ptxas 11.8 to 13.5 compiles it" in unsigned.causes[0].phrase


def test_only_causes_that_explain_every_observation_remain() -> None:
    ptx = "vadd.s32.s32.s32 d, a, b"
    one = [({"a": 0x7FFFFFFF, "b": 1}, {"d": 0x7FFFFFFF})]
    many = [*one, ({"a": 0x80000000, "b": 0xFFFFFFFF}, {"d": 0x80000000})]
    few, all_ = asked(ptx, one), asked(ptx, many)
    alone = [{x.sentence for x in d.explanations if len(x.causes) == 1} for d in (all_, few)]
    assert alone[0] < alone[1]  # a pair is not told where one of it is enough
    assert all_.explanations[0].ptx == "vadd.s32.s32.s32.sat d, a, b;"
    assert all_.explanations[0].match_count == 2


@ci_only
def test_every_selector_that_fits_is_counted() -> None:
    """Against all 4,096 selectors of a and of b, run one by one."""
    from itertools import product

    for opcode in ("vadd4.u32.s32.u32.sat", "vabsdiff4.u32.s32.u32.add"):
        written = f"{opcode} d.b210, a, b, c"
        values = {"a": 0x80FF7F01, "b": 0x10203002, "c": 5}
        done = parse(f"{opcode} d.b210, a.b3062, b, c")
        got = computed_result(done, values, "isa")["d"]
        findings = asked(written, [(values, {"d": got})]).explanations
        (finding,) = [
            x for x in findings if x.causes[0].changed_aspects == {"asel"} and len(x.causes) == 1
        ]
        fitting = []
        for digits in product(range(8), repeat=3):
            text = "3" + "".join(map(str, digits))
            if text != "1024":
                changed = parse(f"{opcode} d.b210, a.b{text}, b, c")
                if computed_result(changed, values, "isa")["d"] == got:
                    fitting.append(changed)
        assert finding.matches
        assert finding.matches.match_count == 8 * len(
            fitting
        )  # lane 3 is not in the mask: any digit will do
        assert finding.instruction in fitting
        for digit in range(8):
            idle = parse(f"{opcode} d.b210, a.b{digit}062, b, c")
            assert computed_result(idle, values, "isa")["d"] == got


def test_the_diagnosis_reports_the_correct_lanes() -> None:
    diagnosis = asked("vadd4.u32.u32.u32 d, a, b, c", [({"a": 1, "b": 2, "c": 0}, {"d": 0xFF03})])
    assert find_lane_verdicts(diagnosis)[:2] == (8, (0, 2, 3))
    diagnosis = asked("vadd.u32.u32.u32 d.h1, a, b, c", [({"a": 1, "b": 2, "c": 5}, {"d": 5})])
    assert find_lane_verdicts(diagnosis)[:2] == (16, (0,))


_SETP, _PAIR = "setp.lt.s32 p|q, a, b", {"a": 1, "b": 2}
_ADD = "vadd.u32.u32.u32 d, a, b"


@pytest.mark.parametrize(
    ("ptx", "values", "got", "message"),
    [
        (_SETP, _PAIR, 1, "2 results"),
        (_SETP, _PAIR, {"x": 1}, "x is not a destination"),
        (_SETP, _PAIR, {}, "nothing was observed"),
        (_SETP, _PAIR, {"p": Observed(0, 0)}, "nothing was observed"),
        (_SETP, _PAIR, {"p": 2}, "does not fit"),
        (_SETP, {"a": 1}, {"p": 1}, "no value for operand b"),
        (_ADD, [_PAIR, _PAIR], [1], "the number of observed values"),
        (_ADD, [_PAIR, _PAIR], Observed(3, 0xFF), "the number of observed values"),
    ],
)
def test_diagnose_names_what_is_wrong_with_its_arguments(
    ptx: str, values: Any, got: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        diagnose(ptx, values, got)


def test_several_observations_may_be_known_in_part() -> None:
    values = [{"a": 1, "b": 2}, {"a": 1, "b": 254}]
    assert diagnose(_ADD, values, [Observed(3, 0xFF), 255])[0].kind is CauseKind.DOCUMENTED


def test_predicates_and_their_exchange() -> None:
    findings = diagnose(_SETP, _PAIR, {"p": 0, "q": 1})
    assert any("p and q exchanged" in x.sentence for x in findings)
    assert diagnose(_SETP, _PAIR, {"q": 0})[0].kind is CauseKind.DOCUMENTED


@pytest.mark.parametrize(
    ("text", "bits", "known"),
    [
        ("0x??01??00", 0x00010000, 0x00FF00FF),
        ("0x12345678", 0x12345678, 0xFFFFFFFF),
        ("0b1??0", 0b1000, 0xFFFFFFF9),
        ("[?,1,?,0]", 0x00010000, 0x00FF00FF),
        ("[h:?,-1]", 0x0000FFFF, 0x0000FFFF),
        ("-1", 0xFFFFFFFF, 0xFFFFFFFF),
    ],
)
def test_observed_values_may_have_unknown_bits(text: str, bits: int, known: int) -> None:
    seen = parse_observed(text, Type.U32)
    assert seen == Observed(bits & known, known)
    assert parse_observed(seen.format_bits(32), Type.U32) == seen


@given(INSTRUCTIONS, st.integers(0, 2**48), st.integers(1, 3))
@examples(80)
def test_any_change_of_two_slots_is_found(ins: Instruction, seed: int, count: int) -> None:
    rng, form = Random(seed), ins.form
    other = pick_form(ins.opcode, rng)
    if get_entry(other) is not ins.entry:  # another shape has other slots
        return
    names = [slot.name for slot in ins.entry.slots if slot.name not in ("dst", "c")]
    changed = {x: other.get(x) for x in rng.sample(names, min(2, len(names)))}
    done = form._replace(**changed)  # type: ignore[arg-type]
    done = with_slot(done, names[0], done.get(names[0]))  # c as it is needed now
    wider = any(
        isinstance(x, Type) and isinstance(y, Type) and x.bits != y.bits
        for x, y in ((form.get(name), done.get(name)) for name in changed)
    )
    if find_violations(done) or wider or done.c > form.c or not ins.results:
        return
    computed = instruction_of(done._replace(dst=form.dst))
    batch = []
    for _ in range(count):
        values = drawn(ins, rng)
        batch.append((values, computed_result(computed, values, "isa")))
    assert asked(str(ins), batch).explanations


def test_versions_with_equal_known_bits_share_one_finding() -> None:
    ptx, values = "vshl.u32.u32.u32.sat.clamp d.h1, a, b, c", {"a": 0x12345, "b": 4, "c": 0}
    answers = [computed_result(parse(ptx), values, x)["d"] for x in ("ptxas-13.5", "ptxas-13.0")]
    assert answers == [0x34500000, 0x00120000]  # the low and the high half of 0x123450
    found = diagnose(ptx, values, Observed(0, 1 << 31))
    assert [x.kind for x in found].count(CauseKind.PTXAS) == 1
    assert "11.8 to 13.5" in found[0].sentence
    assert "13.3 to 13.5" in diagnose(ptx, values, answers[0])[0].sentence
    assert "11.8 to 13.2" in diagnose(ptx, values, answers[1])[0].sentence


def test_the_shown_observation_is_one_that_contradicts_the_documentation() -> None:
    ptx = "vadd.s32.s32.s32 d, a, b"
    batch = [({"a": 1, "b": 2}, {"d": 3}), ({"a": 0x7FFFFFFF, "b": 1}, {"d": 0x7FFFFFFF})]
    diagnosis = asked(ptx, batch)
    assert diagnosis.shown_index == 1
    assert diagnosis.documented.result == {"d": 0x80000000}
    first = diagnosis.explanations[0]
    assert first.ptx == "vadd.s32.s32.s32.sat d, a, b;"
    assert first.trace.result == {"d": 0x7FFFFFFF}


def test_the_nearest_explain_the_most_observations() -> None:
    ptx = "vadd.u32.u32.u32 d, a, b"
    good = [({"a": a, "b": 2}, {"d": a + 2}) for a in (1, 900)]
    diagnosis = asked(ptx, [*good, ({"a": 1, "b": 1}, {"d": 0xDEADBEEF})])
    assert not diagnosis.explanations
    assert diagnosis.near_misses[0].match_count == 2
    assert any(x.kind is CauseKind.DOCUMENTED for x in diagnosis.near_misses)


@ci_only
def test_a_pair_of_selectors_is_found_behind_dull_observations() -> None:
    rng = Random(3)
    written = "vsub4.s32.u32.s32.add d, a, b, c"
    done = parse("vsub4.s32.u32.s32.add d, a.b7120, b.b4623, c")
    dull = [{"a": 0x01010101, "b": 0x01010101, "c": i} for i in range(6)]
    batch = [*dull, *(drawn(done, rng) for _ in range(6))]
    found = asked(written, [(v, computed_result(done, v, "isa")) for v in batch]).explanations
    assert found
    assert found[0].matches


def test_near_misses_are_ranked_by_matching_observations() -> None:
    rng = Random(4)
    written, done = "vadd4.s32.s32.s32 d, a, b, c", parse("vadd4.s32.s32.s32.sat d, a, b, c")
    revealing = telling(written, str(done), "isa", 5)
    batch = [(values, computed_result(done, values, "isa")) for values in revealing]
    batch.append((drawn(done, rng), {"d": 0x12345678}))
    diagnosis = asked(written, batch)
    assert not diagnosis.explanations
    assert (diagnosis.near_misses[0].match_count, diagnosis.near_misses[0].ptx) == (5, f"{done}")


def test_ptxas_and_a_modifier_are_found_together() -> None:
    for written, actual in (
        ("vadd.u32.s32.s32 d.b0, a, b, c", "vadd.u32.s32.s32.sat d.b0, a, b, c"),
        ("vmad.u32.u32.u32 d, a, b, c", "vmad.u32.u32.u32.sat d, a, b, c"),
        ("vset.s32.u32.lt.max d, a, b, c", "vset.s32.u32.lt.min d, a, b, c"),
    ):
        rng, done = Random(1), parse(actual)
        batch: list[tuple[dict[str, int], dict[str, int]]] = []
        while len(batch) < 12:
            values = drawn(done, rng)
            batch.append((values, computed_result(done, values, "ptxas-13.5")))
        findings = asked(written, batch).explanations
        fewest = [x for x in findings if len(x.causes) == len(findings[0].causes)]
        assert any(x.instruction == done and x.model.name == "ptxas-13.5" for x in fewest)


def test_every_slot_of_the_catalog_may_be_to_blame() -> None:
    slots = {slot.name for entry in ENTRIES for slot in entry.slots}
    # a table is solved, and `cvt.pack` is another instruction than `cvt`
    assert slots - {"dst", "c", "cc", "lut", "pack"} == set(SLOT_COSTS)
    assert {misconception.id for misconception in MISCONCEPTIONS} == set(BELIEFS)


def test_a_destroyed_destination_is_laid_to_the_unguarded_conversion() -> None:
    rows = [row for row in golden_rows() if row.file == "guarded.csv"]
    assert len(rows) == 50
    for row in rows[::5]:
        values = {
            name: x for name, x in row.values.items() if name in parse(row.ptx).names.values()
        }
        first = diagnose(row.ptx, values, row.results["ptxas-13.5"][0])[0]
        assert (first.kind, [x.id for x in first.errata]) == (CauseKind.PTXAS, ["E14"])
        assert "11.8 to 13.5" in first.sentence
        kept = diagnose(row.ptx, values, row.results["isa"][0])[0]
        assert kept.kind is CauseKind.DOCUMENTED


@pytest.mark.parametrize(
    "written", some([x for (x,) in read_lines("explain/with_literals.txt", 1)], 0, 10, 11)
)
def test_findings_on_a_literal_are_writable_and_reproducible(written: str) -> None:
    ins, rng = parse(written), Random(written)
    (destination,) = ins.results.values()
    for _ in range(3):
        for bit in (0, 1):
            values = drawn(ins, rng)
            for finding in diagnose(ins, values, {destination: Observed(bit, 1)}):
                told = parse(finding.ptx)  # a float is no literal of an integer type
                read = {x.name: finding.operands[0][x.roles[0]] for x in told.inputs}
                computed = computed_result(told, read, finding.model.name)
                if not any(cause.reading for cause in finding.causes):
                    assert computed[destination] == next(iter(finding.get_result().values()))
                assert Observed(bit, 1).matches(next(iter(finding.get_result().values())))


def test_a_finding_keeps_the_value_of_a_literal() -> None:
    for got in (7, 12):  # the larger of 3 + 4 and 5; their sum
        for finding in diagnose("vadd.s32.s32.s32.max d, a, b, 5", {"a": 3, "b": 4}, got):
            assert finding.operands[0]["c"] == 5, finding.sentence


@pytest.mark.parametrize(
    ("ptx", "other", "said"),
    [
        ("vsub.s32.s32.s32 d, a.b1, b.h0", "d, b, a.h0", "with `b` rather than `a.b1`"),
        ("vsub.s32.s32.s32 d, a, b", "d, b, a.b1", "with `a.b1` rather than `b`"),
        ("vmad.s32.s32.s32 d, a, b.h1, c", "d, -b, a.h1, c", "with `-b`"),
        ("vsub.u32.u32.u32 d, a, b", "d, b, a.h0", "`a.h0` rather than `b`"),
    ],
)
def test_exchanged_operands_are_named_as_in_each_line(ptx: str, other: str, said: str) -> None:
    values = {"a": 0x80A1F517, "b": 0x13579BDF, "c": 0x600DCAFE}
    given = {name: bits for name, bits in values.items() if name in ptx.partition(" ")[2]}
    changed = f"{ptx.partition(' ')[0]} {other};"
    got = evaluate(changed, given)["d"]
    (found,) = [x for x in diagnose(ptx, given, int(got)) if x.ptx == changed]
    assert said in found.sentence
    assert "with a and b exchanged" in found.sentence


def test_a_finding_does_not_claim_to_change_a_fixed_type() -> None:
    """The shift amount is unsigned in every form, so "every type .s32" would be false."""
    ins = parse("vshr.u32.u32.u32.clamp d, a, b;")
    operands = {"a": 0xF0000000, "b": 4}
    seen = Observation(operands, {"d": make_observed(0xFF000000, 32)})
    sentences = [x.sentence for x in investigate(make_block(ins), (seen,)).explanations]
    assert any("with dtype and atype `.s32`" in x for x in sentences), sentences
    assert not any("every type" in x for x in sentences)
