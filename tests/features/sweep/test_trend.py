"""What a sweep says of a line's trend, held against its values one by one."""

from __future__ import annotations

import operator
import re
from array import array
from itertools import groupby, pairwise
from random import Random

import numpy as np
import pytest

from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.sweep.axis import SweepAxis
from ptxscope.features.sweep.computation import Sweep, compute_sweep
from ptxscope.features.sweep.register_parts import (
    choose_default_result,
    list_result_parts,
    list_sweepable_parts,
    parse_swept_part,
)
from ptxscope.features.sweep.sweep_words import describe_sweep, find_intervals
from ptxscope.features.sweep.trends import describe_trend
from tests.features.sweep.sweeps import draw_form, narrow_part, read_block, sweep_line
from tests.tiers import some

X = parse_swept_part(read_block("vadd4.u32.u32.u32 d, a, b, c"), "a.b0")
LEG = re.compile(
    r"(?P<way>rises|falls) from (?P<first>\S+) to (?P<last>[^\s,;.]+(?:\.\d\S*)?)"
    r"(?P<stays> and stays there| in steps|, (?:constant at first|(?:mostly )?changing[^,;]*?))??"
    r"(?: where \S+ is (?P<where>from \S+ to [^\s,;]+|\S+ and [^\s,;]+))?"
)
STEPS = {"rises": operator.le, "falls": operator.ge}


def axis(count: int) -> SweepAxis:
    """The first values of a byte, which are their places."""
    return SweepAxis(X, 0, count - 1, 1, array("Q", range(count)))


def stretches_where(text: str) -> tuple[str, str]:
    """The two ends of ``from 0 to 16`` or ``0 and 1``."""
    match = re.fullmatch(r"(?:from )?(\S+) (?:to|and) (\S+)", text)
    assert match
    return match[1], match[2]


def turns(values: list[int]) -> tuple[int, int]:
    """How often values begin to rise, and how often to fall: by their peaks and valleys."""
    level = [value for value, _ in groupby(values)]
    kinds = [kind for kind, _ in groupby(a < b for a, b in pairwise(level))]
    return kinds.count(True), kinds.count(False)


def held(said: str, xs: list[str], values: list[int], shown: list[str]) -> None:
    """Check what is said of a line's trend against it: its xs, its values and their names."""
    if said.startswith("is "):
        assert set(shown) == {said.removeprefix("is ")}
        return
    rising, falling = turns(values)
    if match := re.match(r"goes from (\S+) to (\S+), between (\S+) and ([^\s,]+)", said):
        order = sorted(range(len(values)), key=values.__getitem__)
        ends = [shown[0], shown[-1], shown[order[0]], shown[order[-1]]]
        assert [*match.groups()] == ends
        for way, count in (("rising", rising), ("falling", falling)):
            if told := re.search(rf"{way} (\d+) time", said):
                assert int(told[1]) == count
        return
    parts = said.split(", then ")
    assert len(parts) == rising + falling
    after = 0
    for part in parts:
        leg = LEG.fullmatch(part)
        assert leg, part
        first, last = stretches_where(leg["where"]) if leg["where"] else (xs[0], xs[-1])
        start, end = xs.index(first), xs.index(last)
        assert start == after  # where the one before ends
        assert (leg["first"], leg["last"]) == (shown[start], shown[end])
        follows = STEPS[leg["way"]]
        assert all(follows(a, b) for a, b in pairwise(values[start : end + 1]))
        assert values[start] != values[end]
        assert end == len(xs) - 1 or not follows(values[end], values[end + 1])  # as far as it goes
        stays(leg["stays"] or "", [len([*same]) for _, same in groupby(values[start : end + 1])])
        after = end
    assert after == len(xs) - 1


def stays(said: str, lengths: list[int]) -> None:
    """Check what is said of how long a leg stays at its values."""
    if number := re.search(r"(mostly )?changing every (\d+) values", said):
        alike = [x == int(number[2]) for x in lengths[1:-1]]
        if not number[1]:
            assert all(alike)
            assert max(lengths) == int(number[2])
        else:
            assert sum(alike) * 2 > len(lengths)
    elif "at first" in said:
        assert lengths[0] > 1 == max(lengths[1:])
    elif "there" in said:
        assert lengths[-1] > 1 == max(lengths[:-1])
    else:
        assert ("in steps" in said) == (max(lengths) > 1)


def bent(rng: Random) -> list[int]:
    """A line that rises, falls and stays, some bytes long: teeth, bends, stairs."""
    values = [rng.randrange(256)]
    pieces, longest = rng.randrange(1, 12), rng.choice((2, 6, 40))
    for _ in range(pieces):
        by = rng.choice((-40, -3, -1, 0, 1, 2, 60))
        for _ in range(rng.randrange(1, longest)):
            values.append(min(max(values[-1] + by * (rng.random() < 0.8), 0), 255))
    return values[:256]


@pytest.mark.parametrize("seed", some(range(40), *range(4)))
@pytest.mark.parametrize("signed", [False, True])
def test_each_described_segment_of_a_trend_is_true(seed: int, signed: bool) -> None:
    rng = Random(seed)
    of = X._replace(is_signed=signed)
    for _ in range(100):
        bits = bent(rng)
        values = [x - 256 if signed and x > 127 else x for x in bits]
        xs = axis(len(bits))
        said = describe_trend(of, np.array(bits, np.uint64), xs, 0)
        held(said, [str(x) for x in range(len(bits))], values, [str(x) for x in values])


@pytest.mark.parametrize("seed", some(range(200), *range(0, 200, 8)))
def test_the_description_of_a_random_sweep_is_true(seed: int) -> None:
    ins, operands, rng = draw_form(seed + 5000)
    block = make_block(ins)
    if not list_result_parts(block):
        return
    x = narrow_part(list_sweepable_parts(block), rng)
    of = choose_default_result(block, x)
    assert of
    check(compute_sweep(block, operands, x, result_part=of))


def check(found: Sweep) -> None:
    """Hold each run that is told against the values of the sweep."""
    xs = [found.x.format_value_at(at) for at in range(found.x.size)]
    told = find_intervals(found)
    sentences = describe_sweep(found)
    if len(told) > 24:
        return
    for run in told:
        bits = found.bits[run.first : run.last + 1].tolist()
        values = [found.result_part.compute_rank(x) for x in bits]
        shown = [found.result_part.format_value(x) for x in bits]
        said = describe_trend(found.result_part, np.array(bits, np.uint64), found.x, run.first)
        assert any(f"{found.result_part.label} {said}" in sentence for sentence in sentences)
        held(said, xs[run.first : run.last + 1], values, shown)


@pytest.mark.parametrize("line", ["vabsdiff4.u32.u32.u32 d, a, b, c",
                                  "vabsdiff4.u32.u32.u32.add d, a, b, c",
                                  "vabsdiff.u32.u32.u32 d, a.b0, b, c"])  # fmt: skip
@pytest.mark.parametrize("b", [1, 2, 3, 16, 60, 0x80, 0xF0, 0xFE])
def test_a_bend_is_named(line: str, b: int) -> None:
    found = sweep_line(line, "a.b0", b=b)
    assert found.bits.tolist() == [abs(a - b) for a in range(256)]
    below = f"from 0 to {b}" if b > 1 else "0 and 1"
    above = f"from {b} to 255" if b < 254 else "254 and 255"
    label = found.result_part.label
    falls = f"{label} falls from {b} to 0 where a.b0 is {below}"
    rises = f"rises from 0 to {255 - b} where a.b0 is {above}"
    assert f"a.b0 from 0 to 255: {falls}, then {rises}." in describe_sweep(found)
    check(found)


@pytest.mark.parametrize("text", ["vabsdiff2.s32.s32.s32", "vabsdiff.u32.u32.u32"])
def test_a_bend_of_half_words_and_words_is_named(text: str) -> None:
    lane = "a.h0" if "2." in text else "a"
    found = sweep_line(f"{text} d, a, b, c" if "2." in text else f"{text} d, a, b", lane, b=60)
    assert any("to 0 where" in x and ", then rises from 0 to" in x for x in describe_sweep(found))
    assert not any("times" in x for x in describe_sweep(found))
