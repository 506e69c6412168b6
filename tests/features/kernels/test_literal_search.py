"""Literals, selectors and tables of a kernel are solved: the one that was meant comes first.

One value is planted in the four copies of a statement; expected is what the kernel without it
gives, and its value is what must be found.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxscope
from ptxscope.features.kernels.launches.instruction_changes import permute_table
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.kernels.launches.run_diagnosis import RunDiagnosis
from tests.features.kernels.test_statement_copies import unroll

_WORDS = np.random.default_rng(4).integers(0, 1 << 32, 32, dtype=np.uint32)
_CASES = (
    # the statements, and the right and the wrong value
    ("mul.lo.u32 {t}, {x}, 77; lop3.b32 {new}, {x}, {y}, {t}, VALUE;", "0xca", "0xac"),
    ("mul.lo.u32 {t}, {x}, 77; lop3.b32 {new}, {x}, {y}, {t}, VALUE;", "0xca", "0x35"),
    ("lop3.b32 {t}, {x}, {y}, 0x12345678, VALUE; add.u32 {new}, {t}, {x};", "0xca", "0x8e"),
    ("prmt.b32 {t}, {x}, {y}, VALUE; xor.b32 {new}, {t}, 0x11;", "0x5140", "0x6273"),
    ("prmt.b32 {t}, {x}, {y}, VALUE; add.u32 {new}, {y}, {t};", "0x5140", "0x7362"),
    ("prmt.b32.rc8 {t}, {x}, {y}, VALUE; add.u32 {new}, {y}, {t};", "1", "3"),
    ("and.b32 {t}, {x}, VALUE; add.u32 {new}, {y}, {t};", "0x7f7f7f7f", "0x7f7f7f80"),
    ("and.b32 {t}, {x}, VALUE; xor.b32 {new}, {y}, {t};", "0x7f7f7f7f", "0x0f0f0f0f"),
    ("xor.b32 {t}, {x}, {y}; mul.lo.u32 {new}, {t}, VALUE;", "16777619", "16777691"),
    ("add.u32 {t}, {x}, VALUE; mad.lo.u32 {new}, {y}, 2, {t};", "0x9e3779b9", "0x12345678"),
    ("add.s32 {t}, {x}, VALUE; xor.b32 {new}, {t}, {y};", "-1640531527", "-1640531572"),
    ("xor.b32 {t}, {x}, {y}; max.s32 {new}, {t}, VALUE;", "-128", "0"),
    ("shr.u32 {t}, {x}, VALUE; add.u32 {new}, {y}, {t};", "11", "21"),
    ("bfe.u32 {t}, {x}, 3, VALUE; add.u32 {new}, {y}, {t};", "9", "22"),
    ("bfi.b32 {new}, {x}, {y}, VALUE, 12;", "8", "19"),
)


def explain(statements: str, right: str, wrong: str, *, tries_all: bool = False) -> RunDiagnosis:
    lines = [f"{x.strip()};" for x in statements.rstrip(";").split(";")]
    text = unroll(*lines)
    given = {"in": _WORDS.reshape(8, 4), "out": np.zeros(8, np.uint32)}
    expected = run_kernel(text.replace("VALUE", right), given, block=8).get_buffer("out").values
    faulty = text.replace("VALUE", wrong)
    return ptxscope.explain_kernel(faulty, given, {"out": expected}, block=8, tries_all=tries_all)


@pytest.mark.parametrize(("statements", "right", "wrong"), _CASES)
def test_the_value_that_was_meant_is_found(statements: str, right: str, wrong: str) -> None:
    found = explain(statements, right, wrong).explanations
    assert f"`{right}`" in found[0].phrase
    assert found[0].changed_text.endswith((f", {right}", f", {right}, 12"))
    assert len(found[0].statements) == 4
    place = [x for x in found if "exchanged" not in x.phrase and "`" in x.phrase]
    assert len({x.changed_text for x in place}) == len(place)


def test_a_table_is_one_explanation_and_not_that_of_exchanged_operands_too() -> None:
    found = explain(*_CASES[0], tries_all=True).explanations
    phrases = [x.phrase for x in found]
    assert phrases[0].startswith("with the table `0xca`")
    assert not [x for x in phrases if "exchanged" in x]
    places = {(*(y.line for y in x.statements), x.changed_text, x.phrase) for x in found}
    assert len(places) == len(found)


def test_one_value_of_a_literal_is_named() -> None:
    """Without the other bits, any of them may be in a mask: the nearest mask is named."""
    statements = "and.b32 {t}, {x}, VALUE; and.b32 {new}, {t}, 0xff00;"
    found = explain(statements, "0x0000ff00", "0x0000f000").explanations
    literals = [x.phrase for x in found if x.phrase.endswith("rather than `0x0000f000`")]
    assert literals == ["with `0x0000ff00` rather than `0x0000f000`"]


@pytest.mark.parametrize(
    ("statements", "right", "wrong"),
    [
        ("vadd4.u32.u32.u32 {t}, {x}.VALUE, {y}, {x}; xor.b32 {new}, {t}, {x};", "b4120", "b0536"),
        ("vadd4.u32.u32.u32 {t}, {x}, {y}.VALUE, {x}; xor.b32 {new}, {t}, {x};", "b7641", "b7654"),
        ("vadd2.u32.u32.u32 {t}, {x}.VALUE, {y}, {x}; xor.b32 {new}, {t}, {x};", "h01", "h32"),
    ],
)
def test_a_selector_of_lanes_is_solved(statements: str, right: str, wrong: str) -> None:
    first = explain(statements, right, wrong).explanations[0]
    assert f".{right}`" in first.phrase
    assert len(first.statements) == 4


def test_registers_have_the_names_that_are_written() -> None:
    """Each copy of the asm statement declares t, whose names are made unique."""
    asm = "{{ .reg .u32 t; and.b32 t, {x}, VALUE; add.u32 {new}, t, {y}; }}"
    text = unroll(asm).replace("%r9, %r1", "%r9, 5")
    given = {"in": _WORDS.reshape(8, 4), "out": np.zeros(8, np.uint32)}
    expected = 5 + (_WORDS.reshape(8, 4) & np.uint32(0x0F0F0F0F)).sum(axis=1, dtype=np.uint32)
    faulty = text.replace("VALUE", "0x0f0f0ff0")
    first = ptxscope.explain_kernel(faulty, given, {"out": expected}, block=8).explanations[0]
    assert first.changed_text == "and.b32 t, %r10, 0x0f0f0f0f"
    assert len(first.statements) == 4


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0)])
def test_a_permuted_table_is_the_same_function(order: tuple[int, int, int]) -> None:
    operands = (0xF0, 0xCC, 0xAA)
    for table in (0xCA, 0x35, 0xE8, 0x96, 0x1D):
        moved = [operands[x] for x in order]
        assert _look_up(table, *operands) == _look_up(permute_table(table, order), *moved)


def _look_up(table: int, a: int, b: int, c: int) -> list[int]:
    bits = [[x >> i & 1 for x in (a, b, c)] for i in range(8)]
    return [table >> (4 * x + 2 * y + z) & 1 for x, y, z in bits]
