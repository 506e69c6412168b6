"""Instructions of all code, as ``check`` judges them."""

from __future__ import annotations

import pytest

from ptxscope.features.check.listing_checks import check_listing
from tests.engine.test_integers import UNEXPLAINED


@pytest.mark.parametrize("ptx", UNEXPLAINED)
def test_an_unexplained_instruction_of_a_known_opcode_is_not_illegal(ptx: str) -> None:
    assert not list(check_listing([f"{ptx};\n"], "x.ptx"))


def test_a_common_instruction_is_not_listed_unless_it_is_rare_or_wrong() -> None:
    assert not list(check_listing(["add.u32 %r1, %r2, %r3;\nmin.s32 %r1, %r2, %r3;\n"], "x.ptx"))
    (found,) = check_listing(["add.u32 %r1, %r2, %r3;\nadd.cc.u32 %r1, %r2, %r3;\n"], "x.ptx")
    assert found.is_legal
    (found,) = check_listing(["sub.u16x2 %r1, %r2, %r3;\n"], "x.ptx")
    assert not found.is_legal


def test_the_offset_of_fns_is_of_32_bits() -> None:
    text = ".reg .b32 d, a, b; .reg .f32 f; .reg .b64 g; fns.b32 d, a, b, {};"
    messages = [
        [x.message for x in check_listing([text.format(c)], "x.ptx") if not x.is_legal]
        for c in "fg"
    ]
    assert messages == [[], ["`g` is declared .b64, but operand c is .b32"]]  # as ptxas does
