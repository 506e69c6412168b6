"""What a proof must not overlook: each of these was *equal* in an earlier prototype."""

from __future__ import annotations

import pytest

from ptxscope.features.prove.proof import Verdict
from tests.features.compare.kernel_texts import LOADS, PARAMETERS, compare, make_kernel
from tests.tiers import whole

pytest.importorskip("bitwuzla")


def check_different(a: str, b: str) -> None:
    for pair in ((a, b), (b, a)):
        found = compare(*pair)
        assert found.verdict is Verdict.DIFFERENT, (found, found.reason)
        assert found.replay
        assert found.replay.is_confirmed


def test_a_register_that_one_path_writes_is_unknown_after_the_join() -> None:
    """Without a value on the other path, it would be 7 on both."""
    one_path = """
        setp.lt.u32 p, n0, 5;
        @p bra L;
        mov.b32 a, 7;
        L: st.global.u32 [O], a;
    """
    found = compare(one_path, "st.global.u32 [O], 7;")
    assert found.verdict is Verdict.UNDECIDED
    assert "a of A" in found.reason
    assert compare(one_path, "st.global.u32 [O], 7;", where="n >= 5").verdict is Verdict.EQUAL


def test_a_register_that_a_guarded_statement_writes_is_unknown_without_it() -> None:
    guarded = "setp.lt.u32 p, n0, 5;\n@p mov.b32 a, 7;\nst.global.u32 [O], a;"
    assert compare(guarded, "st.global.u32 [O], 7;").verdict is Verdict.UNDECIDED
    assert compare(guarded, "st.global.u32 [O], 7;", where="n < 5").verdict is Verdict.EQUAL


def test_a_signed_parameter_is_extended_by_its_sign() -> None:
    """n = 0x80000000: bit 63 of the register is 1 after .s32, and 0 after .u32."""
    signed = "ld.param.s32 x, [n]; st.global.u64 [O], x;"
    check_different(signed, "ld.param.u32 x, [n]; st.global.u64 [O], x;")
    assert compare(signed, "cvt.s64.s32 x, n0; st.global.u64 [O], x;").verdict is Verdict.EQUAL


def test_a_signed_element_is_extended_by_its_sign() -> None:
    signed = "ld.global.s8 a, [I]; st.global.u32 [O], a;"
    check_different(signed, "ld.global.u8 a, [I]; st.global.u32 [O], a;")
    other = "ld.global.u8 a, [I]; cvt.s32.s8 a, a; st.global.u32 [O], a;"
    assert compare(signed, other).verdict is Verdict.EQUAL


def test_alignment_that_only_one_side_needs_is_not_assumed() -> None:
    """The words of b are aligned for threads 0, 4, … only; the bytes of a always are."""
    place = "cvt.u64.u32 x, t; add.s64 y, O, x; add.s64 x, I, x;"
    loads = "".join(f"ld.global.u8 {r}, [x+{i}];" for i, r in enumerate("abcd"))
    stores = "".join(f"st.global.u8 [y+{i}], {r};" for i, r in enumerate("abcd"))
    check_different(
        f"{place} {loads} {stores}", f"{place} ld.global.u32 a, [x]; st.global.u32 [y], a;"
    )


def test_what_only_one_side_accesses_restricts_no_operands() -> None:
    """b reads and drops a word far away for large n: a must be compared there too."""
    far = "cvt.u64.u32 x, n0; shl.b64 x, x, 4; add.s64 x, I, x; ld.global.u32 b, [x];"
    store = "setp.gt.u32 p, n0, 0x7000000;\n@p mov.b32 a, 2;\nst.global.u32 [O], a;"
    found = compare(f"mov.b32 a, 1; {store}", f"{far} mov.b32 a, 1; st.global.u32 [O], a;")
    assert found.verdict is Verdict.DIFFERENT
    found = compare("st.global.u32 [O], 1;", f"{far} st.global.u32 [O], 1;")
    assert found.verdict is Verdict.EQUAL
    assert [x for x in found.notes if x.startswith("B reads bytes of param0")]


def test_a_store_that_only_one_side_makes_is_a_difference() -> None:
    check_different("st.global.u32 [O], 1;", "st.global.u32 [O], 1; st.global.u32 [O+4], 1;")
    guarded = "setp.eq.u32 p, n0, 77;\n@!p st.global.u32 [O], 1;"
    check_different("st.global.u32 [O], 1;", guarded)
    assert compare("st.global.u32 [O], 1;", guarded, where="n != 77").verdict is Verdict.EQUAL


def test_the_order_of_stores_to_one_place_counts() -> None:
    check_different(
        "st.global.u32 [O], 1; st.global.u32 [O], 2;", "st.global.u32 [O], 2; st.global.u32 [O], 1;"
    )
    apart = ["st.global.u32 [O], 1;", "st.global.u32 [O+4], 2;"]
    assert compare("".join(apart), "".join(apart[::-1])).verdict is Verdict.EQUAL
    word, half = "st.global.u32 [O], 0x10002;", "st.global.u16 [O+2], 1; st.global.u16 [O], 2;"
    assert compare(word, half).verdict is Verdict.EQUAL
    check_different(word, half.replace("[O+2]", "[O+4]"))


def test_the_carry_that_a_side_leaves_to_the_next_statement_counts() -> None:
    sums = "ld.global.v2.u32 {a, b}, [I]; add.cc.u32 a, a, n0; addc.u32 b, b, 0;"
    store = "st.global.v2.u32 [O], {a, b};"
    wide = "ld.global.u64 x, [I]; cvt.u64.u32 y, n0; add.u64 x, x, y; st.global.u64 [O], x;"
    assert compare(sums + store, wide).verdict is Verdict.EQUAL
    check_different(sums.replace("addc", "add") + store, wide)


def test_parts_of_a_parameter_are_of_the_same_bits() -> None:
    parameters = ".param .u64 i, .param .u64 o, .param .u64 n"
    head = "ld.param.u64 O, [o];"
    halves = make_kernel(
        "ld.param.u32 a, [n+4]; st.global.u32 [O], a;", parameters=parameters, head=head
    )
    shift = "ld.param.u64 x, [n]; shr.u64 x, x, 32; cvt.u32.u64 a, x; st.global.u32 [O], a;"
    assert (
        compare(halves, make_kernel(shift, parameters=parameters, head=head)).verdict
        is Verdict.EQUAL
    )


def test_a_branch_on_a_predicate_that_is_not_written_is_unknown() -> None:
    branch = "@!p bra L;\nst.global.u32 [O], 7;\nL: "
    found = compare(branch, "st.global.u32 [O], 7;")
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason == "the result depends on p of A, which may be read before it is written."


def test_a_difference_that_other_threads_cover_is_not_called_one() -> None:
    """Thread 1 writes what thread 0 wrote in b, which a run of both threads shows."""
    guarded = "setp.ne.u32 p, t, 0;\n@p st.global.u32 [O], 5;"
    where = "ntid.x == 2 and ntid.y == 1 and ntid.z == 1 and nctaid.x == 1"
    found = compare("st.global.u32 [O], 5;", guarded, where=where)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("one thread leaves other bytes, but")


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("st.global.u32 [O+-4], 1;", "st.global.u32 [O], 2;",
         "A, line 7: `st.global.u32 [O+-4], 1` is never within its buffer"),
        ("st.global.u32 [O], 2;", "st.global.u32 [O+-4], 1;",
         "B, line 7: `st.global.u32 [O+-4], 1` is never within its buffer"),
        ("ld.global.u8 a, [I+1];\nld.global.u32 a, [I+1];\nst.global.u32 [O], 1;",
         "ld.global.u32 a, [I+2]; st.global.u32 [O], 2;",
         "A, line 8: `ld.global.u32 a, [I+1]` is never aligned"),
    ],
)  # fmt: skip
def test_assumptions_that_no_operands_meet_prove_nothing(a: str, b: str, reason: str) -> None:
    """Without operands, nothing differs: these stores of 1 and 2 were equal."""
    found = compare(a, b)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith(reason)


def test_an_access_that_only_some_operands_allow_restricts_these() -> None:
    guarded = "setp.eq.u32 p, n0, 77;\n@p st.global.u32 [O+-4], 1;\nst.global.u32 [O], "
    check_different(f"{guarded} 1;", f"{guarded} 2;")
    check_different("ld.global.u32 a, [I+1]; st.global.u32 [O], 2;", "st.global.u32 [O], 2;")


def test_a_name_of_two_parameters_restricts_neither() -> None:
    """Parameters are paired by position: n is param2 of A, and param3 of B."""
    a = make_kernel("st.global.u32 [O], n0;", parameters=f"{PARAMETERS}, .param .u32 m")
    parameters, head = f"{PARAMETERS.replace('u32 n', 'u32 m')}, .param .u32 n", LOADS
    b = make_kernel("st.global.u32 [O], 1;", parameters=parameters, head=head.replace("[n]", "[m]"))
    with pytest.raises(ValueError, match="n is param2 in one kernel and param3 in the other"):
        compare(a, b, where="n == 1")
    assert compare(a, b, where="param2 == 1 and ntid.x < 9").verdict is Verdict.EQUAL


@whole
def test_an_access_that_fails_in_a_small_buffer_is_no_difference() -> None:
    """ex2 of a subnormal number is 1; only A loads a word by an index, and drops it."""
    load = "ld.global.u32 a, [I]; mul.wide.u32 x, a, 4; add.s64 x, I, x; ld.global.u32 b, [x];"
    power = "ld.global.f32 c, [I+4]; ex2.approx.f32 c, c; st.global.f32 [O], c;"
    found = compare(load + power, power.replace("approx", "approx.ftz"))
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("of ex2.approx.f32 it is known only")


def test_a_branch_to_no_label_is_refused() -> None:
    found = compare("bra NOWHERE;", "st.global.u32 [O], 2;")
    assert found.reason == "A, line 7: `bra NOWHERE` branches to a label that is not there."
