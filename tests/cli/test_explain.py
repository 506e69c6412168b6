"""`ptxscope explain`: values computed here. Its other answers are in ``tests/data/requests``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ptxscope import evaluate
from tests.driving.block_idioms import clamp, join, signed_lanes
from tests.driving.command_line import list_loaded_modules, run

E3 = ("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344")
LINES = (
    "prmt.b32 t, a, b, 0x5410",
    "lop3.b32 u, t, c, a, 0x6a",
    "vadd2.s32.s32.s32.sat d, u, c, c",
)
GIVEN = {"a": 0x11223344, "b": 0x8899AABB, "c": 0x5A5B3C1D}
WORDS = (f"{{ .reg .b32 t, u; {'; '.join(LINES)}; }}", *(f"{x}={y}" for x, y in GIVEN.items()))


def test_lines_of_an_explanation_have_at_most_80_characters() -> None:
    said = run("explain", *E3, "--got", "0x112233ff").stdout
    said += run("explain", *WORDS, "--got", f"d={compute(digits=0x5412):#010x}").stdout
    assert all(len(line) <= 80 for line in said.splitlines())


def test_the_answers_are_the_beginning_of_those_with_traces() -> None:
    words = ("explain", *E3, "--got", "0x112233ff", "--all")
    assert run(*words).stdout.startswith(run(*words, "--brief").stdout)


def test_neither_numpy_nor_textual_is_loaded_for_one_observation() -> None:
    loaded = list_loaded_modules("explain", *E3, "--got", "0x112233ff")
    assert not {"numpy", "textual", "rich"} & loaded


def test_the_json_of_an_exchange_can_be_evaluated() -> None:
    words = ("vsub4.u32.u32.u32.sat d, a, b, c", "a=0x7f80ff01", "b=0x10203f4", "c=0")
    listed = json.loads(run("explain", *words, "--got", "0xf3", "-f", "json").stdout)
    (exchange,) = [
        x for x in listed if x["sentence"].count("a and b exchanged") and len(x["causes"]) == 1
    ]
    values = {name: int(bits, 16) for name, bits in exchange["operands"].items()}
    assert evaluate(exchange["ptx"], values) == {"d": 0xF3}


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


def test_the_answer_on_a_block_names_statement_and_cause() -> None:
    said = run("explain", *WORDS, "--got", f"d={compute(digits=0x5412):#010x}").stdout
    assert f"  documented  {compute():#010x}  lane 1 right, lane 0 is not\n" in said
    sentence = "Statement 1 gives this with the selector `0x5412` rather than `0x5410`."
    assert f"\n\n{sentence}\n  prmt.b32 t, a, b, 0x5412;\n" in said
    said = run("explain", *WORDS, "--got", f"{compute():#x}").stdout
    assert "\nThis is the documented result.\n" in said


def test_observations_of_a_block_are_explained_together(tmp_path: Path) -> None:
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


LONG_BLOCK = "{ " + "add.u32 d, d, 1; " * 12 + "}"


@pytest.mark.parametrize(
    "words",
    [
        (*E3, "--got", "0x112233ff"),
        (*E3, "--got", "0x112233fe"),
        ("vset4.u32.u32.gt d, a, b, c", "a=0x80ff7f01", "b=0x01010101", "c=0", "--got", "0x100"),
        ("vset4.u32.u32.lt d, a, b, c", "a=1", "b=2", "c=0", "--got", "0x123"),
        ("vset4.u32.u32.lt d, a, b, c", "a=1", "b=2", "c=0", "--got", "1"),
        (*WORDS, "--got", "1"),
        (*WORDS, "--got", f"{compute(digits=0x5412):#010x}"),
        (LONG_BLOCK, "d=0", "--got", "13"),
        (LONG_BLOCK, "d=0", "--got", "77"),
    ],
)
def test_a_brief_explanation_has_at_most_15_lines(words: tuple[str, ...]) -> None:
    said = run("explain", *words, "--brief").stdout
    assert "got" in said
    assert "documented" in said
    assert len(said.splitlines()) <= 15
