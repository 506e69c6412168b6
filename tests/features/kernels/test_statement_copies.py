"""Copies of a statement, as of an unrolled loop: one change of all of them explains a run.

Expected values are computed with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ptxscope
from ptxscope.features.kernels.kernel_report import iter_explanation_lines
from ptxscope.features.kernels.launches.run_diagnosis import RunDiagnosis
from ptxscope.sources.source_lines import UNSEEN_LISTING

Words = npt.NDArray[np.uint32]
_COUNT = 8
_WORDS: Words = np.random.default_rng(3).integers(0, 1 << 32, (_COUNT, 4), dtype=np.uint32)
_HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<64>;
  .reg .b64 %d<8>;
  .loc 1 3 0
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 16;
  mul.wide.u32 %d4, %r1, 4;
  add.u64 %d1, %d1, %d3;
  add.u64 %d2, %d2, %d4;
  mov.u32 %r9, %r1;
"""


def unroll(*statements: str, line: Callable[[int], int] = lambda _: 5, places: bool = True) -> str:
    """A kernel that reads x and updates y four times; statements have {x}, {y}, {new}, {t}."""
    text = _HEAD
    for j in range(4):
        text += f"  ld.global.u32 %r{10 + j}, [%d1+{4 * j}];\n"
    for j in range(4):
        names = {"x": f"%r{10 + j}", "y": f"%r{9 if j == 0 else 19 + j}", "new": f"%r{20 + j}"}
        text += f"  .loc 1 {line(j)} 3\n" if places else ""
        text += "".join(f"  {x.format(**names, t=f'%r{30 + j}', j=j)}\n" for x in statements)
    return f'{text}  st.global.u32 [%d2], %r23;\n  ret;\n}}\n.file 1 "k.cu"\n'


def explain(text: str, expected: Words) -> RunDiagnosis:
    arguments: dict[str, Any] = {"in": _WORDS, "out": np.zeros(_COUNT, np.uint32)}
    return ptxscope.explain_kernel(text, arguments, {"out": expected}, block=_COUNT)


def fold(step: Callable[[Words, Words], Words]) -> Words:
    """What four steps make of the number of the thread."""
    y = np.arange(_COUNT, dtype=np.uint32)
    for j in range(4):
        y = step(y, _WORDS[:, j])
    return y


def _shift_signed(y: Words, x: Words) -> Words:
    return y + (x.view(np.int32) >> 3).view(np.uint32)


_SIGNED = fold(_shift_signed)


def test_all_copies_are_changed_at_once() -> None:
    found = explain(unroll("shr.u32 {t}, {x}, 3;", "add.u32 {new}, {y}, {t};"), _SIGNED)
    (first,) = found.explanations
    assert first.phrase == "with stype `.s32` rather than `.u32`"
    assert [x.text for x in first.statements] == [f"shr.u32 %r{30 + j}, %r{10 + j}, 3"
                                                  for j in range(4)]  # fmt: skip
    assert first.match_count == _COUNT


def test_copies_in_a_listing_that_the_reader_lacks_are_counted() -> None:
    """Lines of a listing that nvcc made for the run would be read as lines of the source."""
    text = unroll("shr.u32 {t}, {x}, 3;", "add.u32 {new}, {y}, {t};")
    for listing, place in (
        (text, "line 22 (k.cu:5) and its copies in lines 25, 28, 31 with"),
        (UNSEEN_LISTING + text, "k.cu:5 and its 3 copies with"),
    ):
        lines = iter_explanation_lines(explain(listing, _SIGNED), listing)
        assert any(x.startswith(f"  {place} ") for x in lines)


def test_a_fault_in_one_copy_is_one_statement() -> None:
    text = unroll("shr.s32 {t}, {x}, 3;", "add.u32 {new}, {y}, {t};")
    found = explain(text.replace("shr.s32 %r32", "shr.u32 %r32"), _SIGNED)
    (first,) = found.explanations
    assert (first.changed_text, first.copies) == ("shr.s32 %r32, %r12, 3", ())


def test_equal_statements_without_places_may_be_copies() -> None:
    text = unroll("shr.u32 {t}, {x}, 3;", "add.u32 {new}, {y}, {t};", places=False)
    found = explain(text.replace(".loc", "//"), _SIGNED)
    assert len(found.explanations[0].statements) == 4
    assert found.explanations[0].phrase == "with stype `.s32` rather than `.u32`"


def test_equal_asm_statements_of_several_lines_are_copies() -> None:
    asm = ("// begin inline asm", "shr.u32 {t}, {x}, 3;", "// end inline asm")
    text = unroll(*asm, "add.u32 {new}, {y}, {t};", line=lambda j: 5 + j)
    first = explain(text, _SIGNED).explanations[0]
    assert len(first.statements) == 4
    plain = unroll("shr.u32 {t}, {x}, 3;", "add.u32 {new}, {y}, {t};", line=lambda j: 5 + j)
    assert not explain(plain, _SIGNED).explanations


def test_a_register_of_the_same_iteration_is_meant_in_every_copy() -> None:
    statements = "shr.u32 {t}, {x}, 3;", "add.u32 {new}, {y}, {x};"
    found = explain(unroll(*statements), fold(lambda y, x: y + (x >> 3)))
    first = found.explanations[0]
    assert [x.text for x in first.statements] == [
        f"add.u32 %r{20 + j}, %r{19 + j if j else 9}, %r{10 + j}" for j in range(4)
    ]
    assert first.phrase == "with `%r30` rather than `%r10`"


def test_offsets_of_copies_may_differ() -> None:
    """The loads of an unrolled loop have an offset each; the shift of each copy is another."""
    statements = "shl.b32 {t}, {x}, {j};", "or.b32 {new}, {y}, {t};"
    y = np.arange(_COUNT, dtype=np.uint32)
    for j in range(4):
        y ^= _WORDS[:, j] << np.uint32(j)
    first = explain(unroll(*statements), y).explanations[0]
    assert first.phrase == "with `xor` rather than `or`"
    shifted = np.arange(_COUNT, dtype=np.uint32)
    for j in range(4):
        shifted |= _WORDS[:, j] >> np.uint32(j)
    first = explain(unroll(*statements), shifted).explanations[0]
    assert first.changed_text.startswith("shr.")
    assert len(first.copies) == 3


@pytest.mark.parametrize("has_equal_operands", [False, True])
def test_copies_with_equal_operands_are_copies(has_equal_operands: bool) -> None:
    """In the first copy of an unrolled loop two operands are often one register."""
    statement = "vmin4.s32.s32.s32 {new}, {x}, {y}, %r2;"
    text = unroll(statement).replace("mov.u32 %r9, %r1", "mov.u32 %r2, 0;\n mov.u32 %r9, %r2")
    if has_equal_operands:
        text = text.replace("%r10, %r9, %r2", "%r10, %r2, %r2")
    lanes = _WORDS.view(np.int8).reshape(_COUNT, 4, 4)
    wanted = np.maximum(lanes.max(axis=1), 0).astype(np.int8).view(np.uint32).reshape(-1)
    first = explain(text, wanted).explanations[0]
    assert first.phrase == "with `vmax4` rather than `vmin4`"
    assert len(first.statements) == 4


def test_a_constant_is_corrected_with_its_right_shifts() -> None:
    """Of an unrolled loop, a compiler may shift the constant rather than what it is combined with.

    Two statements have other opcodes than the others; at another line, it is no copy.
    """
    wrong, right = 0xEDB88230, 0xEDB88320
    shifted = np.array([right >> j for j in range(4)], np.uint32)
    expected = np.arange(_COUNT, dtype=np.uint32) + (_WORDS & shifted).sum(1, dtype=np.uint32)
    text = unroll("and.b32 {t}, {x}, K{j};", "add.u32 {new}, {y}, {t};")
    text = text.replace("and.b32 %r32, %r12, K2;", "lop3.b32 %r32, %r12, K2, 0, 0xc0;")
    for j in range(4):
        text = text.replace(f"K{j}", str(wrong >> j))
    first = explain(text, expected).explanations[0]
    assert len(first.statements) == 4
    phrase = f"with `{right}` (0xedb88320) rather than `{wrong}` (0xedb88230)"
    assert first.phrase == f"{phrase}, and so its right shifts,"
    assert first.match_count == _COUNT
    elsewhere = text.replace(".loc 1 5 3", ".loc 1 6 3", 1)
    assert elsewhere != text
    assert all(len(x.statements) < 4 for x in explain(elsewhere, expected).explanations)


def test_numbers_in_which_copies_differ_are_moved_together() -> None:
    """Of `x >> 24 >= bounds[j]`, with each bound 1 too high, and neither equal nor a shift."""
    bounds = (3, 90, 7, 200)
    words = _WORDS.copy()
    words[:4, 0], words[4:, 2] = 3 << 24, 7 << 24  # at the bounds
    expected = np.arange(_COUNT, dtype=np.uint32) + ((words >> 24) >= np.array(bounds)).sum(
        1, dtype=np.uint32
    )
    text = unroll("shr.u32 {t}, {x}, 24;", "set.ge.u32.u32 {t}, {t}, B{j};",
                  "sub.u32 {new}, {y}, {t};")  # fmt: skip
    for j, bound in enumerate(bounds):
        text = text.replace(f"B{j}", str(bound + 1))
    arguments: dict[str, Any] = {"in": words, "out": np.zeros(_COUNT, np.uint32)}
    found = ptxscope.explain_kernel(text, arguments, {"out": expected}, block=_COUNT)
    moved = [x for x in found.explanations if len(x.statements) == 4]
    assert "with `3` rather than `4`, 1 less in each," in [x.phrase for x in moved]


def test_masks_in_which_copies_differ_are_inverted_together() -> None:
    masks = np.array([0xFFFF, 0xFF00FF, 0x0F0F0F0F, 0x33333333], np.uint32)
    expected = np.arange(_COUNT, dtype=np.uint32) + (_WORDS & ~masks).sum(1, dtype=np.uint32)
    text = unroll("and.b32 {t}, {x}, B{j};", "add.u32 {new}, {y}, {t};")
    for j, mask in enumerate(masks.tolist()):
        text = text.replace(f"B{j}", str(mask))
    arguments: dict[str, Any] = {"in": _WORDS, "out": np.zeros(_COUNT, np.uint32)}
    first, *_ = ptxscope.explain_kernel(
        text, arguments, {"out": expected}, block=_COUNT
    ).explanations
    assert (len(first.statements), first.changed_text.split()[-1]) == (4, str(0xFFFF0000))
    assert first.phrase.endswith("rather than `65535`, inverted in each,")
