"""`ptxscope explain` of a block: the statement that went wrong, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.block_idioms import clamp, join, signed_lanes
from tests.cli.running import run

LINES = (
    "prmt.b32 t, a, b, 0x5410",
    "lop3.b32 u, t, c, a, 0x6a",
    "vadd2.s32.s32.s32.sat d, u, c, c",
)
GIVEN = {"a": 0x11223344, "b": 0x8899AABB, "c": 0x5A5B3C1D}
WORDS = (f"{{ .reg .b32 t, u; {'; '.join(LINES)}; }}", *(f"{x}={y}" for x, y in GIVEN.items()))


def compute(digits: int = 0x5410, table: int = 0x6A, sign: int = 1) -> int:
    """The block's result, in plain arithmetic."""
    a, b, c = GIVEN.values()
    source = (b << 32 | a).to_bytes(8, "little")
    t = int.from_bytes(bytes(source[digits >> 4 * i & 7] for i in range(4)), "little")
    entries = (4 * (t >> i & 1) + 2 * (c >> i & 1) + (a >> i & 1) for i in range(32))
    u = sum((table >> entry & 1) << i for i, entry in enumerate(entries))
    sums = [x + sign * y for x, y in zip(signed_lanes(u, 16), signed_lanes(c, 16), strict=True)]
    return join([clamp(x, -32768, 32767) for x in sums], 16)


def cases() -> Iterator[tuple[int, int, str]]:
    yield compute(digits=0x5412), 1, "prmt.b32 t, a, b, 0x5412;"
    yield compute(digits=0x1410), 1, "prmt.b32 t, a, b, 0x1410;"
    yield compute(table=0x6A ^ 0x40), 2, "lop3.b32 u, t, c, a, 0x2a;"
    yield compute(table=0x6A ^ 0x08), 2, "lop3.b32 u, t, c, a, 0x62;"
    yield compute(sign=-1), 3, "vsub2.s32.s32.s32.sat d, u, c, c;"


@pytest.mark.parametrize(("got", "number", "line"), [*cases()])
def test_the_changed_statement_is_found(got: int, number: int, line: str) -> None:
    assert got != compute()
    status, said, _ = run("explain", *WORDS, "--got", f"{got:#x}", "-f", "json")
    explanations: list[dict[str, Any]] = json.loads(said)
    assert status == 0
    assert (number, line) in [(x["statement"], x["ptx"]) for x in explanations[:4]]


def test_the_first_answer_names_statement_and_cause() -> None:
    status, said, _ = run("explain", *WORDS, "--got", f"d={compute(digits=0x5412):#010x}")
    assert status == 0
    assert f"  documented  {compute():#010x}  lane 1 right, lane 0 is not\n" in said
    sentence = "Statement 1 gives this with the selector `0x5412` rather than `0x5410`."
    assert f"\n\n{sentence}\n  prmt.b32 t, a, b, 0x5412;\n" in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_documented_result_and_an_unexplained_one() -> None:
    status, said, _ = run("explain", *WORDS, "--got", f"{compute():#x}")
    assert status == 0
    assert "\nThis is the documented result.\n" in said
    status, said, _ = run("explain", *WORDS, "--got", "0xdeadbeef")
    assert status == 1
    assert "No single change in a statement explains it." in said


def test_a_carry_that_was_lost_is_a_change_of_the_reader() -> None:
    text = "add.cc.u32 d, a, b; addc.u32 e, x, y;"
    words = (text, "a=0xffffffff", "b=1", "x=5", "y=6", "--got", "e=11", "--got", "d=0")
    said = run("explain", *words)[1]
    assert "Statement 2 gives this without the carry: with CC.CF = 0." in said


def test_observations_in_a_file_are_explained_together(tmp_path: Path) -> None:
    """One of them alone has other explanations."""
    rows = []
    for a, b in ((0x11223344, 0x8899AABB), (0x01020304, 0x7F8090A0), (0xFFFE0001, 0x12345678)):
        source = (b << 32 | a).to_bytes(8, "little")
        t = int.from_bytes(bytes(source[i] for i in (2, 1, 4, 5)), "little")
        rows.append(f"{a:#x},{b:#x},{join([x + 5 for x in signed_lanes(t, 8)], 8):#x}")
    file = tmp_path / "seen.csv"
    file.write_text("\n".join(["a,b,got", *rows]))
    block = "{ prmt.b32 t, a, b, 0x5410; vadd4.s32.s32.s32 d, t, c, c; }"
    status, said, _ = run("explain", block, "c=0x05050505", "--observations", str(file))
    assert status == 0
    sentence = "Statement 1 gives this with the selector `0x5412` rather than `0x5410`."
    assert sentence in said
    (tmp_path / "wrong.csv").write_text("a,b,d\n1,2,zz\n")
    wrong = str(tmp_path / "wrong.csv")
    assert run("explain", block, "c=0x05050505", "--observations", wrong)[0] == 2


def test_the_error_on_an_option_for_one_instruction_suggests_a_remedy() -> None:
    status, _, said = run("explain", *WORDS, "--next", "--got", "1")
    assert status == 2
    assert (
        "is for one instruction, and this is a block of 3; to explain the block up to a statement"
        in said
    )


def test_a_block_is_swept() -> None:
    status, said, _ = run("sweep", *WORDS, "--x", "a")
    assert status == 0
    assert "as a goes through" in said
