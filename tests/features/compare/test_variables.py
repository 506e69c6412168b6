"""Variables of modules, which hold known or the same bytes, and parameters that are structures."""

from __future__ import annotations

import pytest

from ptxscope.features.prove.proof import Verdict
from tests.features.compare.kernel_texts import HEAD, compare, make_kernel

pytest.importorskip("bitwuzla")

SQUARES = ".const .align 4 .b32 squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};\n"
INDEX = "and.b32 a, n0, 7;"
LOOK_UP = f"{INDEX} mul.wide.u32 x, a, 4; mov.u64 y, squares; add.s64 x, x, y; ld.const.u32 b, [x];"
STORE = "st.global.u32 [O], b;"
COMPUTE = f"{INDEX} mul.lo.s32 b, a, a; {STORE}"


def make_module(variables: str, body: str) -> str:
    return make_kernel(body).replace(HEAD, HEAD + variables)


def test_a_table_is_compared_with_what_computes_it() -> None:
    table = make_module(SQUARES, LOOK_UP + STORE)
    found = compare(table, COMPUTE)
    assert found.verdict is Verdict.EQUAL, found.reason
    assert found.variables == {"squares": True}
    wrong = compare(table.replace("36, 49", "36, 50"), COMPUTE)
    assert wrong.verdict is Verdict.DIFFERENT
    assert wrong.counterexample
    assert wrong.counterexample.operands["param2"] & 7 == 7
    assert wrong.replay
    assert [x.values for x in wrong.replay.differences] == [(50, 49)]


def test_tables_of_two_modules_have_their_own_values() -> None:
    table, bytes_ = make_module(SQUARES, LOOK_UP + STORE), "0, 1, 4, 9, 16, 25, 36, 49"
    other = make_module(
        f".const .align 4 .b8 squares[8] = {{{bytes_}}};\n",
        LOOK_UP.replace("a, 4", "a, 1").replace("ld.const.u32", "ld.const.u8") + STORE,
    )
    assert compare(table, other).verdict is Verdict.EQUAL
    assert compare(table, other.replace("0, 1, 4", "0, 2, 4")).verdict is Verdict.DIFFERENT


def test_an_access_beyond_a_variable_in_one_kernel_only_is_a_difference() -> None:
    inside = make_module(SQUARES, LOOK_UP + STORE)
    beyond = inside.replace("and.b32 a, n0, 7", "min.u32 a, n0, 8")
    body = beyond.replace("ld.const.u32 b, [x];", "mov.b32 b, 0;")
    found = compare(beyond, body)
    assert found.verdict is Verdict.DIFFERENT
    far = LOOK_UP.replace("and.b32 a, n0, 7", "min.u32 a, n0, 8")  # which is not stored
    plain = "st.global.u32 [O], 5;"
    found = compare(make_module(SQUARES, far + plain), plain)
    assert found.verdict is Verdict.DIFFERENT
    assert found.counterexample
    assert found.counterexample.operands["param2"] >= 8
    assert found.replay
    assert found.replay.is_confirmed
    assert not found.replay.differences


def test_a_variable_in_global_memory_is_one_of_both() -> None:
    variable = ".global .align 4 .u32 total[2];\n"
    body = "mov.u64 x, total; ld.global.u32 a, [x+4]; add.u32 a, a, n0; st.global.u32 [x+4], a;"
    module = make_module(variable, body)
    other = body.replace("a, a, n0", "a, n0, a")
    assert compare(module, make_module(variable, other)).verdict is Verdict.EQUAL
    found = compare(module, make_module(variable, other.replace("add", "sub")))
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert {x.buffer for x in found.replay.differences} == {"total"}
    where = "n == 0"
    wrong = make_module(variable, body.replace("add.u32", "or.b32").replace("n0;", "1;"))
    found = compare(module, wrong, where=where)  # for a word that is even
    assert found.verdict is Verdict.DIFFERENT
    high = make_module(variable, body.replace("add.u32", "and.b32").replace("n0;", "0xffff;"))
    found = compare(module, high, where=where)  # for a word that is not 0 at first
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
    unlike = make_module(variable.replace("[2]", "[3]"), body)
    assert "another variable" in compare(module, unlike).reason


STRUCTURE = ".param .align 8 .b8 s[22]"  # const int* in; int* out; int n; short k;
FIELDS = "ld.param.u64 I, [s]; ld.param.u64 O, [s+8]; ld.param.u32 n0, [s+16];"
PRODUCT = "cvt.s32.s16 a, h; ld.global.u32 b, [I]; mul.lo.s32 b, a, b; st.global.u32 [O], b;"


def make_field_kernel(body: str) -> str:
    return make_kernel(body, parameters=STRUCTURE, head=FIELDS)


def test_a_variable_of_a_function_is_not_that_of_the_module() -> None:
    """In the kernel, the inner v hides that of the module, which may have other contents."""
    module, load = ".global .u32 v;\n", "ld.global.u32 a, [v]; st.global.u32 [O], a;"
    found = compare(make_module(module, f".global .u32 v; {load}"), make_module(module, load))
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.endswith("takes the address of v, which is declared in a function.")


@pytest.mark.parametrize(
    ("module", "inner", "left"),
    [(".shared .u32 s;", ".shared .u32 s;", 1), ("", ".extern .shared .u32 s[];", 2)],
)
def test_shared_variables_of_functions(module: str, inner: str, left: int) -> None:
    """The kernel stores 1, and the function 2: dynamic shared memory is one for both."""
    own = "" if module else inner
    function = f"{module}\n.func f()\n{{\n{own}\nst.shared.u32 [s], 2;\nret;\n}}\n"
    load = "ld.shared.u32 a, [s]; st.global.u32 [O], a;"
    a = make_module(function, f"{inner} st.shared.u32 [s], 1; call f; {load}")
    found = compare(a, make_module(function, f"st.global.u32 [O], {left};"))
    assert found.verdict is Verdict.EQUAL, found.reason
    found = compare(a, make_module(function, f"st.global.u32 [O], {3 - left};"))
    assert found.verdict is Verdict.DIFFERENT, found.reason


def test_fields_of_a_structure_are_parameters() -> None:
    first = make_field_kernel("ld.param.s16 h, [s+20];" + PRODUCT)
    other = make_field_kernel(
        "ld.param.s16 a, [s+20]; ld.global.u32 b, [I]; mul.lo.s32 b, b, a; st.global.u32 [O], b;"
    )
    assert compare(first, other).verdict is Verdict.EQUAL
    word = "ld.param.u32 a, [s+20];"  # 2 bytes of it are beyond
    assert "beyond" in compare(first, make_field_kernel(word + PRODUCT)).reason
    halves = "ld.param.v2.u16 {d16, h}, [s+18];"
    pair = make_field_kernel(f".reg .b16 d16; {halves}" + PRODUCT)
    assert compare(make_field_kernel("ld.param.s16 h, [s+20];" + PRODUCT), pair).verdict is (
        Verdict.EQUAL
    )
    wrong = compare(first, make_field_kernel("ld.param.s16 h, [s+18];" + PRODUCT))
    assert wrong.verdict is Verdict.DIFFERENT
    assert wrong.replay
    assert wrong.replay.is_confirmed
    assert {x.buffer for x in wrong.replay.differences} == {"param0.8"}
    halves = make_field_kernel("ld.param.s16 h, [s+18];" + PRODUCT)
    same = compare(first, halves, where="param0.16.h1 == s.16.h2")
    assert same.verdict is Verdict.EQUAL
    beyond = compare(first, make_field_kernel("ld.param.s16 h, [s+22];" + PRODUCT))
    assert "beyond the parameter" in beyond.reason
    flat = make_kernel(PRODUCT, parameters=".param .u64 s", head="")
    with pytest.raises(ValueError, match="param0 has 176 bits in A and 64 in B"):
        compare(first, flat)
    found = compare(first, make_field_kernel("ld.param.s16 h, [s+18];" + PRODUCT), may_alias=True)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.obstacle == "variables or structures take part"


def test_a_number_of_64_bits_is_added_to_a_pointer() -> None:
    parameters = ".param .u64 i, .param .u64 o, .param .u64 n"
    head = "ld.param.u64 I, [i]; ld.param.u64 O, [o]; ld.param.u64 x, [n];"
    store = "st.global.u32 [O], a;"

    def make(body: str) -> str:
        return make_kernel(body + store, parameters=parameters, head=head)

    added = make("cvta.to.global.u64 I, I; add.s64 y, I, x; ld.global.u8 a, [y+1];")
    other = make("cvta.to.global.u64 I, I; add.s64 I, I, 1; add.s64 y, x, I; ld.global.u8 a, [y];")
    assert compare(added, other).verdict is Verdict.EQUAL
    assert compare(other, added).verdict is Verdict.EQUAL
    wrong = make("cvta.to.global.u64 I, I; add.s64 y, I, x; ld.global.u8 a, [y];")
    found = compare(added, wrong)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
    unclear = make("add.s64 y, I, x; ld.global.u8 a, [y];")  # either may be the pointer
    assert "from no pointer parameter" in compare(unclear, unclear).reason
