"""What is not compared is named, with its line, in one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxscope.engine.syntax.errors import PtxError
from ptxscope.features.compare.comparison import compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.prove.proof import Verdict
from tests.features.compare.kernel_texts import compare, make_kernel
from tests.tiers import ci_only

pytest.importorskip("bitwuzla")

STORE = "st.global.u32 [O], 1;"
REFUSED = {
    "bar.sync 0;": "is a barrier",
    "membar.gl;": "is a fence",
    "atom.global.add.u32 a, [O], 1;": "is an atomic operation",
    "red.global.add.u32 [O], 1;": "is an atomic operation",
    "shfl.sync.bfly.b32 a, n0, 1, 31, -1;": "is an exchange between threads",
    "vote.sync.any.pred p, p, -1;": "is an exchange between threads",
    "trap;": "is a trap",
    "ld.volatile.global.u32 a, [I];": "is .volatile",
    "mov.u32 a, %clock;": "reads %clock",
    "ld.global.u64 x, [I]; ld.global.u32 a, [x];": "from no pointer parameter; --may-alias",
    "ld.shared.u32 a, [I];": "by an address of global memory",
    "cvt.rni.s32.f32 a, b; ex2.approx.f32 c, a; tex.1d.v4.s32.s32 {a,b,c,d}, [I, {a}];":
        "is not modelled",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_a_statement_that_is_not_compared_is_named(text: str) -> None:
    statement = text.split(";")[-2].strip()
    kernel = make_kernel(text + STORE)
    for pair, letter in (((kernel, make_kernel(STORE)), "A"), ((make_kernel(STORE), kernel), "B")):
        found = compare(*pair)
        assert found.verdict is Verdict.UNDECIDED
        assert REFUSED[text] in found.reason
        assert found.reason.startswith(f"{letter}, line 7: `{statement}`")
        assert found.reason.endswith(".")


NVCC = """
barrier `bar.sync 0` is a barrier
warp_barrier `bar.warp.sync -1` is a barrier
counted_barrier is a barrier, which is not compared
fence `membar.gl` is a fence
atomic is an atomic operation
reduction is an atomic operation
swap is an atomic operation
shared_atomic is an atomic operation
shuffle is an exchange between threads
ballot is an exchange between threads
any is an exchange between threads
match is an exchange between threads
active is an exchange between threads
clocked reads %clock64
lane reads %laneid
polled is .volatile
printed calls vprintf, which has no statements here
asserted calls __assertfail, which has no statements here
trapped `trap` is a trap
indirect calls a function by its address
allocated calls malloc, which has no statements here
textured is not modelled
copied is an asynchronous copy
reached has an address that is from no pointer parameter
"""


def test_what_nvcc_makes_of_communication_is_named() -> None:
    """nvcc 13.0 -ptx -arch=sm_80 made refused.ptx of refused.cu."""
    text = (Path(__file__).parent / "data" / "refused.ptx").read_text("utf-8")
    lines = text.splitlines()
    code = load_device_code(text)
    kernels = {x.name: FileKernel(x.name, "refused.ptx", code, x) for x in code.kernels}
    for name, _, reason in (x.partition(" ") for x in NVCC.strip().splitlines()):
        source = kernels[name]
        found = compare_kernels(source, source)
        assert found.verdict is Verdict.UNDECIDED, name
        assert reason in found.reason, (name, found.reason)
        place = re.match(r"A, line (\d+): `([\w.]+)", found.reason)
        assert place, found.reason
        assert lines[int(place[1]) - 1].split()[0].rstrip(";") == place[2]


def test_a_loop_that_depends_on_data_is_named() -> None:
    body = """
        mov.b32 a, 0;
        L: add.u32 a, a, 1;
        setp.lt.u32 p, a, n0;
        @p bra L;
        st.global.u32 [O], a;
    """
    found = compare(body, body, timeout=3)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("A, line 11: `@p bra L` ends a loop that may have")
    assert "--where can limit what that depends on (param2)." in found.reason
    words = body.replace("a, n0", "a, b").replace("a, 0;", "a, 0; ld.global.u32 b, [I];")
    found = compare(words, STORE, timeout=3)
    assert found.reason.endswith("depends on words of memory, which --where cannot limit.")
    few = compare(body, "max.u32 a, n0, 1; st.global.u32 [O], a;", where="n < 20")
    assert few.verdict is Verdict.EQUAL


def test_a_loop_ends_where_launches_do() -> None:
    """1024 threads are halved 11 times at most."""
    body = """
        mov.u32 a, %ntid.x;
        mov.b32 b, 0;
        L: shr.u32 a, a, 1;
        add.u32 b, b, 1;
        setp.ne.u32 p, a, 0;
        @p bra L;
        st.global.u32 [O], b;
    """
    bits = "mov.u32 a, %ntid.x; clz.b32 b, a; sub.u32 b, 32, b; st.global.u32 [O], b;"
    assert compare(body, bits).verdict is Verdict.EQUAL


def test_parameters_must_fit() -> None:
    kernel = make_kernel(STORE)
    other = make_kernel(STORE, parameters=".param .u64 i, .param .u64 o, .param .u64 n")
    with pytest.raises(ValueError, match="param2 has 32 bits in A and 64 in B"):
        compare(kernel, other)
    other = make_kernel(STORE.replace("O", "I"), parameters=".param .u64 i", head="")
    with pytest.raises(ValueError, match="A has 3 parameters, and B has 1 parameter"):
        compare(kernel, other)
    with pytest.raises(ValueError, match="no operands satisfy"):
        compare(kernel, kernel, where="n < 5 and n > 7")
    with pytest.raises(PtxError):
        compare(kernel, kernel, where="m < 5")
    with pytest.raises(PtxError):
        compare("vadd4.u32.u32.u32 a, b;", STORE)


def test_floats_are_functions_of_their_operands() -> None:
    sums = "ld.global.v2.f32 {a, b}, [I]; add.f32 c, a, b; fma.rn.f32 c, c, b, 0f3F800000;"
    store = "st.global.f32 [O], c;"
    other = sums.replace("c, a, b", "c, b, a").replace("c, c, b", "c, b, c")
    found = compare(sums + store, other + store)
    assert found.verdict is Verdict.EQUAL
    assert found.has_floats
    wrong = compare(sums + store, sums.replace("add.f32", "sub.f32") + store)
    assert wrong.verdict is Verdict.DIFFERENT
    fused = "ld.global.v2.f32 {a, b}, [I]; fma.rn.f32 c, a, a, b;" + store
    rounded = "ld.global.v2.f32 {a, b}, [I]; mul.rn.f32 c, a, a; add.rn.f32 c, c, b;" + store
    found = compare(fused, rounded)  # which a run of random floats shows
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
    zero = compare("add.f32 c, n0, 0f00000000;" + store, "add.f32 c, 0f00000000, n0;" + store)
    assert zero.verdict is Verdict.EQUAL
    waves = [f"ld.global.f32 a, [I]; {x}.approx.f32 c, a;" + store for x in ("sin", "cos")]
    found = compare(*waves)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("of sin.approx.f32 it is known only that equal operands")


def test_a_variable_of_the_thread_is_memory_of_its_own() -> None:
    head = ".local .align 4 .b8 buffer[16]; ld.param.u64 I, [i]; ld.param.u64 O, [o];"
    body = """
        mov.u64 x, buffer; cvta.local.u64 y, x;
        ld.global.u32 a, [I]; st.local.u32 [x+4], a;
        ld.u32 b, [y+4]; st.global.u32 [O], b;
    """
    plain = "ld.global.u32 b, [I]; st.global.u32 [O], b;"
    assert compare(make_kernel(body, head=head), plain).verdict is Verdict.EQUAL
    wrong = make_kernel(body.replace("[y+4]", "[y+8]"), head=head)
    assert compare(wrong, plain).verdict is not Verdict.EQUAL
    wrong = make_kernel(body.replace("ld.u32 b, [y+4]", "ld.u32 b, [x+4]"), head=head)
    assert "generic" in compare(wrong, plain).reason


_STORE_INDEX = "mul.wide.u32 x, a, 4; add.s64 x, O, x; st.global.u32 [x], a;"
_LOOP = f"""mov.u32 a, t;
L:
setp.ge.u32 p, a, n0;
@p bra E;
{_STORE_INDEX} mov.u32 b, %ntid.x; add.u32 a, a, b;
bra L;
E:
"""


@ci_only
def test_a_loop_that_may_have_too_many_turns_is_compared_in_small_launches() -> None:
    once = f"setp.ge.u32 p, t, n0;\n@p bra E;\nmov.u32 a, t; {_STORE_INDEX}\nE:\n"
    found = compare(_LOOP, once, timeout=1)
    assert found.verdict is Verdict.DIFFERENT
    assert found.has_runs
    assert not found.where
    found = compare(_LOOP, _LOOP.replace("add.u32 a, a, b", "add.u32 a, b, a"), timeout=1)
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.endswith("With --where 'param2 <= 4 and ntid.x <= 2', they are equal.")
