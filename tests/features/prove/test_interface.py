"""The names of the package: their representations, and values of wrong types."""

from __future__ import annotations

from typing import Any

import pytest

from ptxscope.features.prove.equivalence import prove
from ptxscope.features.prove.operand_search import find
from tests.driving.carry_chains import MIXED_CHAINS, make_lines
from tests.driving.wrong_values import read_message
from tests.tiers import some

LINE = "vadd4.u32.u32.u32 d, a, b, c"


def test_the_repr_of_a_solver_answer_is_one_line() -> None:
    pytest.importorskip("bitwuzla")
    equal = prove("add.u32 d, a, b", "add.s32 d, b, a")
    assert repr(equal) == "<Proof: equal for all values of a, b>"
    where = prove("and.b32 d, a, 7", "rem.u32 d, a, 8", where="a != 1")
    assert repr(where) == "<Proof: equal for all values of a with a != 1>"
    constant = prove("add.u32 d, 1, 2", "add.u32 d, 2, 1")
    assert repr(constant) == "<Proof: equal>"
    different = prove("add.u32 d, a, 1", "add.u32 d, a, 2", where="a == 9")
    assert repr(different) == "<Proof: different for a = 0x00000009 with a == 9>"
    found = find("popc.b32 d, a", "d == 32", count=2)
    assert repr(found) == "<OperandSearch: d == 32 for a = 0xffffffff>"
    none = find("popc.b32 d, a", "d == 33")
    assert repr(none) == "<OperandSearch: d == 33 for no operands>"


@pytest.mark.parametrize("wrong", [3, 3.5, [1], b"x", object(), ("a",), {1: 2}, True, int])
def test_a_wrong_type_is_named(wrong: Any) -> None:
    assert "PTX as text" in read_message(prove, wrong)
    read_message(prove, LINE, wrong)
    assert "PTX as text" in read_message(find, wrong, "d == 5")
    assert "condition" in read_message(find, LINE, wrong)
    assert "condition" in read_message(prove, LINE, where=wrong)
    if not isinstance(wrong, dict):
        assert "by name" in read_message(find, LINE, "d == 5", given=wrong)
    if not isinstance(wrong, int | float):
        assert "seconds" in read_message(prove, LINE, timeout=wrong)


@pytest.mark.parametrize("chain", [*some(MIXED_CHAINS), "sub.cc subc"])
def test_a_proof_distinguishes_isa_from_ptxas_on_a_mixed_chain(chain: str) -> None:
    pytest.importorskip("bitwuzla")
    text = "{ " + " ".join(make_lines(chain)) + " }"
    assert prove(text, model_b="ptxas").verdict == (
        "different" if chain in MIXED_CHAINS else "equal"
    )
    assert prove(text, model_a="ptxas", model_b="ptxas-11.8").verdict == "equal"
