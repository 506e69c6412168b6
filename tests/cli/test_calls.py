"""Calls of CUDA's intrinsics as the instruction of a command."""

from __future__ import annotations

import pytest

from ptxscope import PtxError, parse
from tests.cli.running import run

CALL = "unsigned d = __vabsdiffu4(x, y);"
VALUES = ("x=[1,2,3,4]", "y=[4,3,2,1]")


def test_a_call_is_traced_and_the_note_says_what_becomes_of_it() -> None:
    done = run("trace", CALL, *VALUES)
    assert done.stdout.startswith("vabsdiff4.u32.u32.u32 d, x, y, zero;")
    assert "d = 0x03010103  [3, 1, 1, 3]" in done.stdout
    assert "is still compiled to a video instruction by nvcc 13.0" in done.stdout


def test_a_call_is_evaluated() -> None:
    assert run("eval", CALL, *VALUES).stdout == "d=0x03010103\n"
    assert run("eval", "__vsadu4(x, 0x01010101u)", "x=[1,2,3,4]").stdout == "d=0x00000006\n"
    assert run("eval", "r = __vhaddu4(x, y);", "x=[1,2,3,4]", "y=[4,4,4,4]").stdout == (
        "r=0x02030304\n"
    )


def test_a_call_is_explained() -> None:
    done = run("explain", "__dp4a(x, y, c)", "x=-1", "y=1", "c=0", "--got", "255", "--brief")
    assert done.returncode == 0
    assert "dp4a.u32.s32 d, x, y, c;" in done.stdout


def test_a_block_that_reads_the_carry_says_how_to_give_it() -> None:
    ptx = "{ addc.u32 d, a, b; popc.b32 e, d; }"
    done = run("eval", ptx, "a=1", "b=1")
    assert (done.returncode, done.stderr) == (2, "error: no value for CC.CF; add CC.CF=0\n")
    assert run("eval", ptx, "a=1", "b=1", "CC.CF=1").stdout == "e=0x00000002\n"
    assert run("eval", "addc.u32 d, a, b;", "a=1", "b=1").stdout == "d=0x00000002\n"


def test_a_call_inside_of_a_call_is_a_block() -> None:
    a, b, c = 0x01FF0380, 0x03FF0601, 0xFF02017F
    given = [f"{name}={bits:#x}" for name, bits in zip("abc", (a, b, c), strict=True)]
    lanes = ([x >> low & 255 for low in (0, 8, 16, 24)] for x in (a, b, c))
    averages = [((x + y + 1) >> 1, z) for x, y, z in zip(*lanes, strict=True)]
    total = sum((x + y & 255) << 8 * lane for lane, (x, y) in enumerate(averages))
    spread = sum(abs(x - y) for x, y in averages)
    assert run("eval", "__vadd4(__vavgu4(a, b), c)", *given).stdout == f"d={total:#010x}\n"
    text = "unsigned t = __vsadu4( __vavgu4(b, a) /* t */, c );"
    assert run("eval", text, *given).stdout == f"t={spread:#010x}\n"
    traced = run("trace", text, *given).stdout
    assert "vavrg4.u32.u32.u32 t1, b, a, zero;" in traced
    assert "vabsdiff4.u32.u32.u32.add t, t1, c, zero;" in traced
    proof = run("prove", "__vadd4(c, __vavgu4(b, a))", "d = __vadd4(__vavgu4(a, b), c);")
    assert "Equal for all" in proof.stdout


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("__vadd4(__vavgu4(a), c)", "`__vavgu4` takes 2 arguments, not 1", "__vavgu4(a)"),
        ("__vadd4(c, __vaddd4(a, b))", "`__vaddd4` is not an intrinsic", "__vaddd4"),
        ("__vadd4(__vavgu4(a, b), f(c))", "an argument is an expression", "f"),
        ("__vadd4(__vavgu4(a, b), c", "a `)` is missing", "__vavgu4(a, b), c"),
        ("__vadd4(__vavgu4(a, b + 1), c)", "`b + 1` is not a name or a number", "b + 1"),
        ("__vneg4(" * 40 + "a" + ")" * 40, "calls are nested more than 32 levels", "__vneg4"),
    ],
)
def test_a_wrong_call_inside_of_a_call_is_marked(text: str, message: str, place: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse(text)
    (problem,) = caught.value.errors
    assert message in problem.message
    assert text[slice(*problem.span)] == place
    assert run("eval", text).returncode == 1
