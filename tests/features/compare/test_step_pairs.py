"""Steps of two threads in pairs: in the order of both, each once."""

from __future__ import annotations

from random import Random

import pytest

from ptxscope.engine.program.statement import Statement, StatementKind
from ptxscope.features.compare.step_pairs import PairedSteps, pair_steps
from ptxscope.features.kernels.launches.thread_log import (
    PlaceWrite,
    RegisterWrite,
    ThreadStep,
    ValueRead,
)

P = ("p[0]", 5)


def step_of(number: int, text: str) -> ThreadStep:
    """``add 5`` writes 5 to a register, ``st 3 5`` writes it to place 3, ``bra`` nothing.

    ``<2`` at the end stands for a read of the result of step 2.
    """
    text, _, read = text.partition("<")
    reads = (ValueRead("r", 0, int(read)),) if read else ()
    opcode, *numbers = text.split()
    values = [int(x, 0) for x in numbers]
    statement = Statement(StatementKind.PLAIN_INSTRUCTION, number, text, opcode)
    writes: tuple[RegisterWrite, ...] = ()
    places: tuple[PlaceWrite, ...] = ()
    if opcode == "st":
        places = (PlaceWrite(f"p[{values[0]}]", values[1], "global", 4 * values[0], 4),)
    elif values:
        writes = (RegisterWrite("r", values[0], 32, 0),)
    return ThreadStep(number, statement, reads, writes, places, True, 0)


def steps_of(text: str) -> list[ThreadStep]:
    return [step_of(i, x.strip()) for i, x in enumerate(text.split(","), 1) if x.strip()]


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ("", "", []),
        ("add 1", "", [(0, None)]),
        ("", "add 1", [(None, 0)]),
        ("add 1, st 0 1, ret", "add 2, st 0 2, ret", [(0, 0), (1, 1), (2, 2)]),
        # stores are paired by their places, even if other values are written there
        ("st 0 1, st 1 1", "st 1 2", [(0, None), (1, 0)]),
        # a store elsewhere is the pair of the only store
        ("add 1, st 0 1", "add 1, st 1 1", [(0, 0), (1, 1)]),
        # equal work of one opcode before equal opcodes
        ("add 1, add 2", "add 2", [(0, None), (1, 0)]),
        # the steps whose results a pair reads are a pair, whatever they are
        ("avg 3, st 0 3", "or 9, xor 8, st 0 8", [(0, None), (None, 0), (None, 1), (1, 2)]),
        (
            "avg 3, st 0 3 <1",
            "or 9, xor 8, sub 4 <2, neg 7, st 0 4 <3",
            [(None, 0), (None, 1), (0, 2), (None, 3), (1, 4)],
        ),
        (
            "mul 3, avg 5 <1, st 0 3 <2",
            "or 9, xor 8, sub 4 <2, st 0 4 <3",
            [(None, 0), (0, 1), (1, 2), (2, 3)],
        ),
        # large values of different opcodes are a pair
        (
            "mad 0x70000, x 1, st 0 1",
            "mul 4, add 0x70000, y 5, z 6, st 0 1",
            [(None, 0), (0, 1), (1, None), (None, 2), (None, 3), (2, 4)],
        ),
    ],
)
def test_pairs(first: str, second: str, pairs: list[tuple[int | None, int | None]]) -> None:
    assert [*pair_steps(steps_of(first), steps_of(second))] == pairs


def test_every_step_is_in_one_pair_in_order() -> None:
    rng = Random(54)
    kinds = ["add", "mul", "bra", "st"]
    for _ in range(300):
        texts = [
            ",".join(
                f"{kind} {rng.randrange(3)} {rng.choice([1, 2, 0x12345])}"
                for kind in rng.choices(kinds, k=rng.randrange(12))
            ).replace("bra 0 1", "bra")
            for _ in range(2)
        ]
        sides = [steps_of(x) for x in texts]
        paired = PairedSteps(*sides)
        for side, steps in enumerate(sides):
            own = [x[side] for x in paired.pairs if x[side] is not None]
            assert own == [*range(len(steps))], texts
            assert [paired.counts[i][side] for i in (0, -1)] == [0, len(steps)]
            for step in range(len(steps)):
                assert paired.pairs[paired.find_position(side, step)][side] == step
            assert paired.find_position(side, len(steps)) == len(paired.pairs)
            end = paired.find_end(side)
            assert not end or paired.pairs[end - 1][side] == len(steps) - 1


def test_differences_are_other_values_and_lone_stores() -> None:
    paired = PairedSteps(
        steps_of("add 1, mul 2, st 0 1, st 2 1, ret"), steps_of("add 1, mul 3, neg 7, st 0 1, ret")
    )
    texts = [paired.pairs[i] for i in paired.differences]
    assert texts == [(1, 1), (3, None)]
    assert paired.different_steps[0] == {2, 4}


def test_loads_of_other_widths_and_addresses_in_another_order_are_no_difference() -> None:
    reads = [ValueRead(*x, 0, width=y) for x, y in ((P, 32), (P, 8), (P, 32), (("p[1]", 5), 32))]
    loads = [step_of(1, f"ld {i}")._replace(reads=(x,)) for i, x in enumerate(reads)]
    differences = [PairedSteps(loads[:1], [x]).differences for x in loads]
    assert differences == [[], [], [], [0]]
    paired = PairedSteps(steps_of("cvta 0x70000, cvta 0x80000"), steps_of("cvta 0x80000"))
    assert paired.differences == []
    paired = PairedSteps(steps_of("cvta 0x70000, st 0 1"), steps_of("cvta 0x80000, st 0 1"))
    assert [paired.pairs[i] for i in paired.differences] == [(0, 0)]
    crossed = PairedSteps(
        steps_of("mul 0x70000, cvta 0x80000, neg 1, st 0 1"),
        steps_of("cvta 0x80000, not 3, cvta 0x70000, neg 1, st 0 1"),
    )
    assert [crossed.pairs[i] for i in crossed.differences] == []
