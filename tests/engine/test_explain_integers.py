"""Sixty lines with one change in each, of the integer instructions beside the 27.

The observed results are those of the changed line, by `tests/reference_integers.py`. The change is
told first, or among the first three where another cause gives the same result for all operands.
"""

from __future__ import annotations

from random import Random

import pytest

from ptxscope import diagnose, parse
from tests import reference_halves
from tests.reference_integers import compute
from tests.tiers import whole

# the line as it was written | as it ran | the greatest place, if not the first
_TABLE = """
prmt.b32 d, a, b, 0x5410 | prmt.b32 d, a, b, 0x5411
prmt.b32 d, a, b, 0x5410 | prmt.b32 d, a, b, 0x5420
prmt.b32 d, a, b, 0x7632 | prmt.b32 d, a, b, 0x6632
prmt.b32 d, a, b, 0x3210 | prmt.b32 d, a, b, 0x0123
prmt.b32 d, a, b, 0x6420 | prmt.b32 d, a, b, 0x7531
prmt.b32 d, a, b, 0x4440 | prmt.b32 d, a, b, 0xc440
prmt.b32 d, a, b, 0xba98 | prmt.b32 d, a, b, 0x3210
prmt.b32 d, a, 0, 0x4140 | prmt.b32 d, a, 0, 0x4342
prmt.b32 d, a, b, 0x2103 | prmt.b32 d, a, b, 0x6543
prmt.b32.f4e d, a, b, 1 | prmt.b32.f4e d, a, b, 2
prmt.b32.f4e d, a, b, c | prmt.b32.b4e d, a, b, c
prmt.b32.ecl d, a, b, 2 | prmt.b32.ecr d, a, b, 2
prmt.b32.rc8 d, a, b, c | prmt.b32.rc16 d, a, b, c
prmt.b32 d, a, b, 0x5410 | prmt.b32 d, b, a, 0x5410 | 3
lop3.b32 d, a, b, c, 0x96 | lop3.b32 d, a, b, c, 0x69
lop3.b32 d, a, b, c, 0xca | lop3.b32 d, a, b, c, 0xac | 3
lop3.b32 d, a, b, c, 0xe8 | lop3.b32 d, a, b, c, 0x17
lop3.b32 d, a, b, c, 0x80 | lop3.b32 d, a, b, c, 0xfe
lop3.b32 d, a, b, c, 0xf8 | lop3.b32 d, a, b, c, 0xf0
lop3.b32 d, a, b, c, 0xea | lop3.b32 d, a, b, c, 0xe8
lop3.b32 d, a, b, 0x000f000f, 0xea | lop3.b32 d, a, b, 0x000f000f, 0x6a
lop3.b32 d, a, b, c, 0x3c | lop3.b32 d, a, b, c, 0xc0
lop3.b32 d, a, b, c, 0xca | lop3.b32 d, c, b, a, 0xca
lop3.b32 d, a, b, c, 0xf4 | lop3.b32 d, a, c, b, 0xf4
bfe.s32 d, a, b, c | bfe.u32 d, a, b, c
bfe.u32 d, a, 8, 12 | bfe.s32 d, a, 8, 12
bfe.s64 d, a, 40, 20 | bfe.u64 d, a, 40, 20
bfe.u32 d, a, 8, 12 | bfe.u32 d, a, 12, 8
bfe.u32 d, a, b, c | bfe.u32 d, a, c, b
bfe.s64 d, a, b, c | bfe.s64 d, a, c, b
bfi.b32 d, a, b, 4, 16 | bfi.b32 d, a, b, 16, 4
bfi.b32 d, a, b, c, e | bfi.b32 d, a, b, e, c
bfi.b64 d, a, b, 30, 12 | bfi.b64 d, a, b, 12, 30
bfi.b32 d, a, b, 4, 16 | bfi.b32 d, b, a, 4, 16
bfi.b64 d, a, b, c, e | bfi.b64 d, b, a, c, e
shf.l.wrap.b32 d, a, b, 8 | shf.r.wrap.b32 d, a, b, 8
shf.r.clamp.b32 d, a, b, c | shf.l.clamp.b32 d, a, b, c
shf.l.clamp.b32 d, a, b, 40 | shf.l.wrap.b32 d, a, b, 40
shf.r.wrap.b32 d, a, b, 35 | shf.r.clamp.b32 d, a, b, 35
shf.l.wrap.b32 d, a, b, c | shf.l.wrap.b32 d, b, a, c
shf.r.clamp.b32 d, a, b, 5 | shf.r.clamp.b32 d, b, a, 5
szext.clamp.s32 d, a, b | szext.clamp.u32 d, a, b
szext.wrap.u32 d, a, 12 | szext.wrap.s32 d, a, 12
szext.clamp.u32 d, a, 37 | szext.wrap.u32 d, a, 37
szext.clamp.u32 d, a, b | szext.clamp.u32 d, b, a
bmsk.clamp.b32 d, 36, b | bmsk.wrap.b32 d, 36, b
bmsk.clamp.b32 d, a, b | bmsk.clamp.b32 d, b, a
bmsk.wrap.b32 d, 3, 9 | bmsk.wrap.b32 d, 9, 3
bfind.u32 d, a | bfind.s32 d, a
bfind.shiftamt.u32 d, a | bfind.u32 d, a
bfind.u64 d, a | bfind.shiftamt.u64 d, a
clz.b32 d, a | popc.b32 d, a
brev.b32 d, a | clz.b32 d, a
fns.b32 d, a, b, 1 | fns.b32 d, a, 1, b
dp4a.u32.u32 d, a, b, c | dp4a.s32.u32 d, a, b, c
dp4a.s32.s32 d, a, b, c | dp4a.u32.u32 d, a, b, c
dp4a.s32.u32 d, a, b, c | dp4a.s32.u32 d, b, a, c
dp2a.lo.s32.s32 d, a, b, c | dp2a.hi.s32.s32 d, a, b, c
dp2a.hi.u32.u32 d, a, b, c | dp2a.lo.u32.u32 d, a, b, c
dp2a.lo.u32.s32 d, a, b, c | dp2a.lo.u32.u32 d, a, b, c
dp2a.hi.s32.u32 d, a, b, c | dp2a.hi.s32.u32 d, b, a, c
sad.s32 d, a, b, c | sad.u32 d, a, b, c
sad.u16 d, a, b, c | sad.s16 d, a, b, c
sad.u32 d, a, b, c | sad.u32 d, c, b, a
add.u32 d, a, b | add.u16x2 d, a, b
add.s32 d, a, b | add.s16x2 d, a, b | 2
add.sat.u32 d, a, b | add.sat.u8x4 d, a, b
add.u8x4 d, a, b | add.u32 d, a, b
min.s32 d, a, b | min.s16x2 d, a, b
max.u32 d, a, b | max.u8x4 d, a, b
max.u16x2 d, a, b | max.s32 d, a, b
sub.s8x4 d, a, b | sub.s32 d, a, b | 2
"""
CASES = [[part.strip() for part in line.split("|")] for line in _TABLE.strip().splitlines()]


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


def test_there_are_sixty() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda x: " -> ".join(x[:2]))
@whole
def test_the_change_is_told(case: list[str]) -> None:
    written, ran, *place = case
    values = draw(written, ran)
    found = diagnose(written, values, run(ran, values))
    told, wanted = [x.ptx for x in found], str(parse(ran))
    assert wanted in told[: int(place[0]) if place else 1], [x.sentence for x in found[:4]]


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
def test_a_type_of_another_shape_is_told(written: str, ran: str, a: int, b: int) -> None:
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


def test_another_selector_in_a_register_is_its_value() -> None:
    values = {"a": 0x03020100, "b": 0x07060504, "c": 0x3210}
    first = diagnose("prmt.b32 d, a, b, c", values, 0x05040302)[0]
    assert first.sentence == "The instruction gives this with c = 0x00005432."
    assert first.operands[0]["c"] == 0x5432


def test_of_digits_that_fit_a_copied_byte_comes_before_a_repeated_sign() -> None:
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
def test_swapped_halves_of_an_operand_are_told(line: str, name: str) -> None:
    values = {"a": 0x01857F03, "b": 0x80F01207, "c": 77}
    ins = parse(f"{line};")
    names = [x.name for x in ins.inputs]
    swapped = {**values, name: values[name] >> 16 | (values[name] & 0xFFFF) << 16}
    (got,) = compute(ins.mnemonic, *(swapped[x] for x in names))
    first = diagnose(ins, {x: values[x] for x in names}, got)[0]
    assert [str(x.phrase) for x in first.causes] == [f"with the half-words of {name} swapped"]
