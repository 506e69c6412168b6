"""Any text at all is an Instruction or a PtxError, nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, parse_all
from ptxscope.engine.isa.types import Type
from ptxscope.engine.syntax.completions import find_completions
from ptxscope.engine.syntax.values import parse_value
from tests.reference_data import table, verdicts
from tests.tiers import thorough

_PIECES = """vadd vadd4 vset2 set setp selp slct vmad . , ; @ ! - _ | %0 %r1 a.b0 .b3210 .h10 .u32
.s32 .f64 .sat .add .lt .and ( ) { } [ ] " asm( // /* */ \\ \n \t 0x 0f3F800000 08 5U 1.5e 'x' :
.reg .version .entry \x00 \x1b[0m \u202e é 😀 ~ + << ? WARP_SZ .s64""".split(" ")
_SEEDS = [row["ptx"] for row in (*table("accept.csv"), *table("reject.csv"))]
_SEEDS += [text for _, text in (*verdicts("lines.txt"), *verdicts("published.txt"))]


def _mutated(rng: Random) -> str:
    text = rng.choice(_SEEDS)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randint(0, len(text))
        match rng.randrange(5):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 3) :]
            case 1:
                text = text[:at] + rng.choice(_PIECES) + text[at:]
            case 2:
                text = (
                    text[:at]
                    + chr(rng.choice((rng.randrange(128), rng.randrange(0xD7FF))))
                    + text[at:]
                )
            case 3:
                text = text[at:] + text[:at]
            case _:
                text = text[:at] + rng.choice(_SEEDS)[rng.randint(0, 20) :]
    return text


@pytest.mark.parametrize(
    ("seed", "count"),
    [(0, 2_000), pytest.param(1, 12_000, marks=thorough)],
)
def test_mutated_and_random_lines(seed: int, count: int) -> None:
    rng = Random(seed)
    legal = 0
    for i in range(count):
        text = _mutated(rng) if i % 4 else " ".join(rng.choices(_PIECES, k=rng.randint(0, 12)))
        try:
            parse_all(text)
            legal += 1
        except PtxError as error:
            assert error.errors
            assert str(error)
            for problem in error.errors:
                assert 0 <= problem.span[0] <= problem.span[1] <= len(text), (text, problem)
                assert problem.message
    assert legal > count // 100


@given(st.text())
def test_any_text(text: str) -> None:
    try:
        parse_all(text)
    except PtxError as error:
        assert str(error)
    find_completions(text)


@given(st.text(), st.sampled_from(Type))
def test_any_value(text: str, type_: Type) -> None:
    try:
        assert 0 <= parse_value(text, type_) < 1 << type_.bits
    except PtxError as error:
        assert str(error)


@pytest.mark.parametrize(
    "text", ["(" * 5000, "vadd.u32.u32.u32 d, " + "-" * 5000 + "5, b", "9" * 9999]
)
def test_deep_and_long_text(text: str) -> None:
    with pytest.raises(PtxError):
        parse_all(text)
    with pytest.raises(PtxError):
        parse_value(text, Type.U32)
