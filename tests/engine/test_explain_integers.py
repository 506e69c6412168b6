"""Sixty lines with one change in each, of the integer instructions beside the 27.

The observed results are those of the changed line, by `tests/reference_integers.py`. The change is
told first, or among the first three where another cause gives the same result for all operands.
"""

from __future__ import annotations

from random import Random

import pytest

from ptxscope import diagnose, parse
from tests import reference_halves
from tests.reference_data import read_lines
from tests.reference_integers import compute
from tests.tiers import whole

CASES = read_lines("explain/integer_changes.txt", 3)


def run(line: str, values: dict[str, int]) -> int:
    mnemonic, _, operands = line.partition(" ")
    bits = [values[x] if x in values else int(x, 0) for x in operands.split(", ")[1:]]
    return compute(mnemonic, *bits)[0]


def shows_all(opcode: str, values: dict[str, int]) -> bool:
    """Whether every triple of bits stands somewhere in the operands of a truth table."""
    if opcode != "lop3":
        return True
    words = (values["a"], values["b"], values.get("c", 0x000F000F))
    return len({tuple(x >> i & 1 for x in words) for i in range(32)}) == 8


def draw(written: str, ran: str) -> dict[str, int]:
    """Operands, small where they are positions, with which both lines differ."""
    ins, rng = parse(written), Random(written + ran)
    for _ in range(200):
        values = {}
        for operand in ins.inputs:
            (role, *_), bits = operand.roles, operand.type.bits
            is_small = ins.entry.get_operand(role).literal_range is not None or (
                (ins.opcode, role) in (("shf", "c"), ("szext", "b"), ("bmsk", "a"), ("bmsk", "b"),
                                       ("fns", "b"))
            )  # fmt: skip
            values[operand.name] = rng.randrange(1, 24) if is_small else rng.getrandbits(bits)
            if ins.opcode in ("bfind", "clz", "popc"):
                values[operand.name] |= 1 << bits - 1
            if ins.opcode == "prmt" and role == "c":
                values[operand.name] = 0x3210 if ins.form.permute_mode is None else 1
        if run(written, values) != run(ran, values) and shows_all(ins.opcode, values):
            return values
    raise AssertionError(f"{written} and {ran} give the same")


@pytest.mark.parametrize("case", CASES, ids=lambda x: " -> ".join(x[:2]))
@whole
def test_the_planted_change_is_among_the_explanations(case: list[str]) -> None:
    written, ran, place = case
    values = draw(written, ran)
    found = diagnose(written, values, run(ran, values))
    told, wanted = [x.ptx for x in found], str(parse(ran))
    assert wanted in told[: int(place)], [x.sentence for x in found[:4]]


@pytest.mark.parametrize(
    ("written", "ran", "a", "b"),
    [
        ("setp.lt.f16 p, a, b", "setp.lt.s16 p, a, b", 0xBC00, 0xC000),  # -1.0, -2.0
        ("setp.lt.f16 p, a, b", "setp.lt.u16 p, a, b", 0x8001, 0x3C00),
        ("setp.gt.u16 p, a, b", "setp.gt.f16 p, a, b", 0x8001, 0x3C00),
        ("setp.lt.f16 p, a, b", "setp.lt.bf16 p, a, b", 0x3C00, 0x7F80),
        ("set.lt.u32.f16x2 d, a, b", "set.lt.f16x2.f16x2 d, a, b", 0x3C003C00, 0x40000000),
        ("set.lt.f16x2.f16x2 d, a, b", "set.lt.u32.f16x2 d, a, b", 0x3C003C00, 0x40000000),
        ("set.lt.u32.s32 d, a, b", "set.lt.u32.f16x2 d, a, b", 0x3C003C00, 0x40000000),
    ],
)
def test_a_type_of_another_shape_is_among_the_explanations(
    written: str, ran: str, a: int, b: int
) -> None:
    seen = _compare(ran, a, b)
    assert _compare(written, a, b) != seen
    names = ["p" if written.startswith("setp") else "d"]
    found = diagnose(written, {"a": a, "b": b}, dict(zip(names, [seen], strict=True)))
    assert str(parse(ran)) in [x.ptx for x in found], [x.sentence for x in found]
    for x in found:
        assert x.get_result() == dict(zip(names, [seen], strict=True))


def _compare(line: str, a: int, b: int) -> int:
    """Compare by the reference of halves, or integers as they are."""
    mnemonic = line.split()[0]
    _, cmp, *types = mnemonic.split(".")
    if "f16" in mnemonic:
        return reference_halves.compute(mnemonic, a, b, None)[0]
    signed = [x - 0x10000 * (x >> 15) if types[-1] == "s16" else x for x in (a, b)]
    holds = signed[0] < signed[1] if cmp == "lt" else signed[0] > signed[1]
    return holds * (0xFFFFFFFF if mnemonic.startswith("set.") else 1)


def test_a_literal_keeps_the_shape() -> None:
    found = diagnose("min.s32 d, a, 0x20001", {"a": 0x18000}, 0x10001)
    assert all("x2" not in x.ptx for x in found)


def test_a_changed_selector_in_a_register_is_explained_by_value() -> None:
    values = {"a": 0x03020100, "b": 0x07060504, "c": 0x3210}
    first = diagnose("prmt.b32 d, a, b, c", values, 0x05040302)[0]
    assert first.sentence == "The instruction gives this with c = 0x00005432."
    assert first.operands[0]["c"] == 0x5432


def test_a_selector_that_copies_bytes_precedes_one_that_repeats_signs() -> None:
    # byte 0 of a is 0xff, and so is the sign of byte 3: 0x0123 and 0xb123 give the same
    values = {"a": 0x800201FF, "b": 0x07060504}
    (first, *_) = diagnose("prmt.b32 d, a, b, 0x3210", values, 0xFF010280)
    assert "with the selector `0x0123` rather than" in first.sentence


def test_several_observations_have_one_table() -> None:
    rows = [{"a": 1, "b": 1, "c": 0}, {"a": 2, "b": 0, "c": 3}, {"a": 0, "b": 4, "c": 4}]
    seen = [compute("lop3.b32", *row.values(), 0x9A)[0] for row in rows]
    found = diagnose("lop3.b32 d, a, b, c, 0x96", rows, seen)
    assert any("with the table" in x.sentence for x in found)
    for x in found:
        assert [x.get_result(i)["d"] for i in range(3)] == seen
    assert not diagnose("lop3.b32 d, a, b, c, 0x96", [rows[0], rows[0]], [1, 2])


def test_a_table_and_a_selector_have_their_words() -> None:
    values = {"a": 0xF0F0F0F0, "b": 0xCCCCCCCC, "c": 0xAAAAAAAA}
    first = diagnose("lop3.b32 d, a, b, c, 0x96", values, 0xE8E8E8E8)[0]
    assert first.sentence.startswith("The instruction gives this with the table `0xe8`, ")
    assert first.sentence.endswith(" rather than `0x96`.")
    values = {"a": 0x03020100, "b": 0x07060504}
    first = diagnose("prmt.b32 d, a, b, 0x5410", values, 0x05040000)[0]
    assert first.sentence == (
        "The instruction gives this with the selector `0x5400` rather than `0x5410`."
    )
    assert first.ptx == "prmt.b32 d, a, b, 0x5400;"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("dp2a.lo.s32.s32 d, a, b, c", "a"),
        ("dp2a.hi.u32.s32 d, a, b, c", "a"),
        ("dp4a.s32.u32 d, a, b, c", "a"),
        ("add.s16x2 d, a, b", "b"),
        ("add.u16x2 d, a, b", "a"),
    ],
)
def test_swapped_half_words_of_an_operand_are_explained_first(line: str, name: str) -> None:
    values = {"a": 0x01857F03, "b": 0x80F01207, "c": 77}
    ins = parse(f"{line};")
    names = [x.name for x in ins.inputs]
    swapped = {**values, name: values[name] >> 16 | (values[name] & 0xFFFF) << 16}
    (got,) = compute(ins.mnemonic, *(swapped[x] for x in names))
    first = diagnose(ins, {x: values[x] for x in names}, got)[0]
    assert [str(x.phrase) for x in first.causes] == [f"with the half-words of {name} swapped"]
