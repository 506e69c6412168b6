"""Shared and local memory of one thread, by addresses of 32 and 64 bits, and its calls.

nvcc 13.0 -ptx -arch=sm_75 made memory.ptx of memory.cu, and memory_debug.ptx with -G, without its
debug information. They are equal, or differ, by what they are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ptxscope.features.compare.comparison import KernelComparison, compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.prove.proof import Verdict
from tests.features.compare.kernel_texts import HEAD, LOADS, compare, make_kernel
from tests.tiers import ci_only, sampled

pytest.importorskip("bitwuzla")

NAMES = "scale pair pick grey half saxpy gain grid sort count walk".split()
FEW = "param2 < 9 and nctaid.x == 1 and ntid.x == 2"
SHARED = ".shared .align 4 .b8 s[32]; .reg .b32 r, m;"
STORE = "st.global.u32 [O], b;"


@cache
def load_kernels(file: str) -> dict[str, FileKernel]:
    code = load_device_code((Path(__file__).parent / "data" / file).read_text("utf-8"))
    return {x.name: FileKernel(x.name, file, code, x) for x in code.kernels}


def compare_pair(file: str, a: str, b: str) -> KernelComparison:
    kernels = load_kernels(file)
    return compare_kernels(kernels[a], kernels[b], where=FEW * a.startswith("saxpy"))


@sampled
@pytest.mark.parametrize("file", ["memory.ptx", "memory_debug.ptx"])
@pytest.mark.parametrize("name", NAMES)
def test_kernels_with_memory_of_the_thread_are_equal(file: str, name: str) -> None:
    found = compare_pair(file, f"{name}_a", f"{name}_b")
    assert found.verdict is Verdict.EQUAL, found.reason


@sampled
@pytest.mark.parametrize("file", ["memory.ptx", "memory_debug.ptx"])
@pytest.mark.parametrize("name", sorted({*NAMES} - {"scale", "walk"}))
def test_a_difference_is_shown_by_a_run(file: str, name: str) -> None:
    found = compare_pair(file, f"{name}_a", f"{name}_x")
    assert found.verdict is Verdict.DIFFERENT, found.reason
    assert found.replay
    if name == "pick":  # of an index below 0, for which thread 0 reads below its buffer
        assert found.replay.obstacle.startswith("B fails: ")
    else:
        assert found.replay.is_confirmed


def test_shared_memory_that_another_thread_writes_is_named() -> None:
    found = compare_pair("memory.ptx", "scale_a", "scale_x")  # thread 128 reads what 0 wrote
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith(
        "B reads bytes of _ZZ7scale_xE1s that the thread has not written, at line"
    )


def make_shared(body: str) -> str:
    return make_kernel(f"and.b32 m, n0, 7; shl.b32 m, m, 2; {body}", head=SHARED + LOADS)


PLAIN = "ld.global.u32 b, [I]; st.global.u32 [O], b;"
ROUND_TRIPS = {
    "offset": "mov.u32 r, s; st.shared.u32 [r+8], a; ld.shared.u32 b, [s+8];",
    "index": "mov.u32 r, s; add.s32 r, r, m; st.shared.u32 [r], a; ld.shared.u32 b, [r];",
    "order": "mov.u32 r, s; add.s32 r, m, r; st.shared.u32 [r], a; sub.s32 r, r, m;"
    "mad.lo.s32 r, m, 1, r; ld.shared.u32 b, [r];",
    "wrap": "mov.u32 r, s; add.s32 r, r, -4; st.shared.u32 [r+4], a; ld.shared.u32 b, [s];",
    "wide": "mov.u32 r, s; cvt.u64.u32 x, r; st.shared.u32 [x+4], a; ld.shared.u32 b, [s+4];",
    "narrow": "mov.u64 x, s; cvt.u32.u64 r, x; st.shared.u32 [x], a; ld.shared.u32 b, [r];",
    "generic": "mov.u32 r, s; cvt.u64.u32 x, r; cvta.shared.u64 x, x; st.u32 [x+4], a;"
    "ld.shared.u32 b, [r+4];",
    "back": "mov.u64 x, s; cvta.shared.u64 y, x; cvta.to.shared.u64 x, y; cvt.u32.u64 r, x;"
    "st.u32 [y], a; ld.shared.u32 b, [r];",
    "choice": "mov.u32 r, s; add.s32 m, r, 4; setp.lt.u32 p, n0, 5; selp.b32 r, r, m, p;"
    "st.shared.u32 [r], a; ld.shared.u32 b, [r];",
    "end": "mov.u32 r, s; add.s32 m, r, 16;\nL: st.shared.u32 [r], a;\nadd.s32 r, r, 4;\n"
    "setp.ne.s32 p, r, m;\n@p bra L;\nld.shared.u32 b, [s+12];",
}  # fmt: skip


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_an_address_of_32_bits_is_that_of_its_variable(name: str) -> None:
    kernel = make_shared(f"ld.global.u32 a, [I]; {ROUND_TRIPS[name]} {STORE}")
    found = compare(kernel, PLAIN)
    assert found.verdict is Verdict.EQUAL, found.reason
    wrong = make_shared(f"ld.global.u32 a, [I]; not.b32 a, a; {ROUND_TRIPS[name]} {STORE}")
    assert compare(wrong, PLAIN).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    "sum_",
    ["add.sat.s32 r, r, m;", "add.u16x2 r, r, m;", "shl.b32 r, r, 0;", "cvt.s64.s32 x, r;"],
)
def test_what_is_no_sum_of_an_address_is_a_number(sum_: str) -> None:
    """The number is not known, so that no memory is known to be there."""
    access = "ld.shared.u32 b, [x];" if "64" in sum_ else "ld.shared.u32 b, [r];"
    kernel = make_shared(f"mov.u32 r, s; {sum_} {access} {STORE}")
    found = compare(kernel, kernel)
    assert found.verdict is Verdict.UNDECIDED
    assert "has an address" in found.reason


def test_an_index_beyond_a_shared_variable_in_one_kernel_only_is_a_difference() -> None:
    inside = "ld.global.u32 a, [I]; mov.u32 r, s; add.s32 r, r, m; st.shared.u32 [r], a;" + STORE
    beyond = inside.replace("add.s32 r, r, m", "add.s32 r, r, m; add.s32 r, r, 4")
    a, b = (make_shared("mov.b32 b, 1;" + x) for x in (inside, beyond))
    found = compare(a, b)
    assert found.verdict is Verdict.DIFFERENT
    assert found.counterexample
    assert found.counterexample.operands["param2"] == 7
    assert found.replay
    assert found.replay.is_confirmed


def test_dynamic_shared_memory_has_what_the_launch_gives_it() -> None:
    variables = ".extern .shared .align 16 .b8 dyn[];\n.extern .shared .align 16 .b8 other[];\n"

    def make(body: str) -> str:
        return make_kernel(".reg .b32 r, m;" + body).replace(HEAD, HEAD + variables)

    body = "ld.global.u32 a, [I]; mov.u32 r, dyn; shl.b32 m, t, 2; add.s32 r, r, m;"
    same = make(f"{body} st.shared.u32 [r], a; ld.shared.u32 b, [r]; {STORE}")
    found = compare(same, PLAIN)
    assert found.verdict is Verdict.EQUAL
    assert found.has_dynamic_memory
    alias = make(f"{body} st.shared.u32 [dyn+8], a; ld.shared.u32 b, [other+8]; {STORE}")
    assert compare(alias, PLAIN).verdict is Verdict.EQUAL
    wrong = make(f"{body} st.shared.u32 [r+4], 7; st.shared.u32 [r], a; ld.shared.u32 b, [r+4];"
                 f"{STORE}")  # fmt: skip
    found = compare(wrong, PLAIN)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
    assert found.replay.shape.dynamic_shared_bytes == 8


@ci_only
def test_a_barrier_of_one_thread_has_no_effect() -> None:
    for barrier in ("bar.sync 0;", "barrier.sync.aligned 1;", "bar.warp.sync -1;"):
        kernel = barrier + PLAIN
        for where in ("", "ntid.x == 1 and ntid.y == 1"):
            found = compare(kernel, PLAIN, where=where)
            assert found.verdict is Verdict.UNDECIDED
            assert "is a barrier, which is compared in blocks of one thread only" in found.reason
            option = found.reason.partition("--where '")[2].partition("'")[0]
            assert compare(kernel, PLAIN, where=option).verdict is Verdict.EQUAL
    one = "ntid.x == 1 and ntid.y == 1 and ntid.z == 1"
    for barrier in ("bar.sync 0, 64;", "bar.arrive 0, 64;", "bar.red.popc.u32 a, 0, p;"):
        found = compare(barrier + PLAIN, PLAIN, where=one)
        assert found.reason.endswith("is a barrier, which is not compared.")


FUNCTION = """
.func (.param .b32 r) f(.param .b32 x, .param .b64 y)
{
.reg .b32 a, b; .reg .b64 z; .reg .pred p; .local .b32 kept;
ld.param.u32 a, [x]; ld.param.u64 z, [y];
setp.eq.u32 p, a, 0;
@p bra L;
ld.global.u32 b, [z]; add.u32 a, a, b;
st.param.b32 [r], a;
ret;
L: st.param.b32 [r], 5;
ret;
}
"""
CALL = """
.param .b32 one; .param .b64 two; .param .b32 result;
st.param.b32 [one], n0; st.param.b64 [two], I;
call (result), f, (one, two);
ld.param.b32 b, [result]; st.global.u32 [O], b;
"""


def make_call(function: str = FUNCTION, call: str = CALL) -> str:
    return make_kernel(call).replace(HEAD, HEAD + function)


def test_a_function_is_executed_at_its_calls() -> None:
    plain = "mov.b32 b, 5; setp.ne.u32 p, n0, 0; ld.global.u32 a, [I];\n@p add.u32 b, n0, a;\n"
    found = compare(make_call(), plain + STORE)
    assert found.verdict is Verdict.EQUAL, found.reason
    assert compare(make_call(FUNCTION.replace(", 5", ", 6")), plain + STORE).verdict is (
        Verdict.DIFFERENT
    )
    guarded = CALL.replace("call (", "setp.ne.u32 p, n0, 9; st.param.b32 [result], 3;\n@p call (")
    nine = "setp.eq.u32 p, n0, 9;\n@p mov.b32 b, 3;\n"
    assert compare(make_call(call=guarded), plain + nine + STORE).verdict is Verdict.EQUAL


def test_a_function_that_leaves_the_thread_stores_nothing_more() -> None:
    leaving = make_call(FUNCTION.replace("L: st.param.b32 [r], 5;\nret;", "L: exit;"))
    plain = "setp.eq.u32 p, n0, 0;\n@p exit;\nld.global.u32 a, [I]; add.u32 b, n0, a;" + STORE
    found = compare(leaving, plain)
    assert found.verdict is Verdict.EQUAL, found.reason


@pytest.mark.parametrize(
    ("function", "call", "reason"),
    [
        (FUNCTION, CALL.replace("f, (", "g, ("), "calls g, which has no statements here"),
        (FUNCTION, CALL.replace("f, (one, two)", "f, (two, one)"), "passes a value that is no"),
        (FUNCTION.replace("ld.param.u32 a", "ld.param.u16 a"), CALL, "are not passed as such"),
        (FUNCTION.replace("ret;\nL", "trap;\nL"), CALL, "is a trap"),
        (FUNCTION.replace("ret;\nL", "call (r), f, (x, y);\nret;\nL"), CALL, "is a call within"),
    ],
)
def test_a_call_that_is_not_compared_is_named(function: str, call: str, reason: str) -> None:
    found = compare(make_call(function, call), PLAIN)
    assert found.verdict is Verdict.UNDECIDED
    assert reason in found.reason


def test_each_call_has_memory_of_its_own() -> None:
    """What a call leaves in local memory or in a register is unknown to the next one."""
    reading = FUNCTION.replace("ld.param.u32 a, [x];", "ld.local.u32 a, [kept];")
    again = CALL.replace(".param .b32 one; .param .b64 two; .param .b32 result;", "")
    first = CALL.replace(STORE, "mov.b32 c, b;")
    twice = first + again.replace(STORE, "sub.u32 b, b, c;" + STORE)
    found = compare(make_call(reading, twice), "mov.b32 b, 0;" + STORE)
    assert found.verdict is Verdict.UNDECIDED
    assert "f#" in found.reason
    known = compare(make_call(call=twice), "mov.b32 b, 0;" + STORE)
    assert known.verdict is Verdict.EQUAL


def test_words_that_are_at_one_place_are_one_word() -> None:
    """Of a vector or alone, by an index of any size, or stored before: no product is proved."""
    product = "mul.lo.u32 c, a, b; mad.lo.u32 c, c, a, b; st.global.u32 [O], c;"
    single = (
        "shl.b32 d, t, 1; mul.wide.u32 x, d, 4; add.s64 x, I, x;"
        "ld.global.u32 a, [x]; ld.global.u32 b, [x+4];"
    )
    vector = "mul.wide.u32 x, t, 8; add.s64 x, I, x; ld.global.v2.u32 {a, b}, [x];"
    kept = make_shared(
        f"{vector} st.shared.v2.u32 [s+8], {{b, a}}; st.shared.u32 [s], a;"
        f"ld.shared.u32 a, [s+12]; ld.shared.u32 b, [s+8]; {product}"
    )
    for a, b in ((single, vector), (vector, single), (kept, single)):
        texts = [x if ".entry" in x else x + product for x in (a, b)]
        found = compare(*texts)
        assert found.verdict is Verdict.EQUAL
        assert found.has_same_terms
    other = vector.replace("{a, b}", "{b, a}")
    assert compare(single + product, other + product).verdict is Verdict.DIFFERENT
