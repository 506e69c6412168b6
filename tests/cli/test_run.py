"""`ptxscope run`: kernels and inline assembly from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli import running
from tests.cli.running import Done
from tests.reference_data import DATA

VIDEO = str(DATA / "video.ptx")
PACK = ("--kernel", "pack_clamp", "r1=0", "r3=5", "r2=9", "r8=-1", "r12=300", "r16=5", "r20=7")
ASM = 'asm("{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %2; not.b32 %0, t; }" : "=r"(d) : "r"(a))'


def run(*words: str) -> Done:
    return running.run("run", *words)


def data(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "-f", "json").stdout)
    return found


def test_a_kernel_is_run_line_by_line() -> None:
    status, out, err = run(VIDEO, *PACK, "r24=1")
    assert (status, err) == (0, "")
    lines = [line for line in out.splitlines() if line[:5].strip().isdigit()]
    listing = (DATA / "video.ptx").read_text(encoding="utf-8").splitlines()
    for line in lines:
        number, opcode = line.split()[:2]
        assert opcode in listing[int(number) - 1]
    assert "%r11 = 0x0705ff00" in out.split("\n\n")[-1]


def test_an_asm_statement_is_run() -> None:
    status, out, _ = run(ASM, "%1=[0xff,1,2,3]", "%2=[1,1,1,1]", "--quiet")
    assert status == 0
    wanted = 0xFFFFFFFF - 0x00020304
    assert f"%0 = {wanted:#010x}" in out
    assert "vadd4" not in out


def test_a_run_lists_all_missing_values_at_once() -> None:
    status, out, err = run(VIDEO, "--kernel", "gf256_double")
    assert status == 2
    assert out.splitlines()[-1].startswith("unknown: ")
    asked = err.splitlines()
    assert asked[1] == (
        "error: %r2 is read at line 265, but its value is unknown "
        "(ld.param.u32 at line 260 made it unknown): give %r2=…"
    )
    assert asked[-1] == "or give its parameters instead: param0=… param1=… param2=…"
    assert asked[-2] == "all values needed: %r1=… %r2=… %r7=…"
    status, *_ = run(VIDEO, "--kernel", "gf256_double", *asked[-2].replace("…", "0x1").split()[3:])
    assert status == 0


def test_several_kernels_are_listed() -> None:
    for words in ((VIDEO,), (VIDEO, "--kernel", "no_such")):
        status, _, err = run(*words)
        assert status == 2
        assert "sad_stereo, smith_waterman_cell, dp4a_by_vmad" in err


def test_effective_errata_are_marked_in_a_run() -> None:
    _, out, _ = run(VIDEO, *PACK, "r24=1")
    assert any(
        line.strip().startswith("! with these operands ptxas") and "E3" in line
        for line in out.splitlines()
    )
    steps = data(VIDEO, *PACK, "r24=1", "--model", "ptxas")["steps"]
    assert next(x for x in steps if x["line"] == 216)["errata"] == ["E3"]


def test_an_expectation_that_holds() -> None:
    status, out, _ = run(VIDEO, *PACK, "r24=1", "--expect", "r11=0x0705ff00")
    assert status == 0
    assert "%r11 is as observed" in out


def test_an_expectation_that_fails_names_line_and_erratum() -> None:
    words = (VIDEO, *PACK, "r24=1", "--expect", "%r11=0x0705ffff")
    status, out, _ = run(*words, "--quiet")
    assert status == 1
    assert "%r11 is 0x0705ff00; you observed 0x0705ffff" in out
    assert "The bits that differ were written at line 216: vadd.u32.s32.s32.sat %r11.b0" in out
    assert "it read %r8 = 0xffffffff" in out
    assert "Under ptxas-13.5 everything is as observed" in out
    found = data(*words)
    assert found["first_wrong"] == 216
    assert found["expected"] == {"%r11": {"observed": "0x0705ffff", "holds": False}}


def test_a_watched_register_is_printed_at_each_change() -> None:
    _, out, _ = run(VIDEO, *PACK, "r24=1", "--watch", "r11", "--quiet")
    changes = [line.strip() for line in out.splitlines() if line.strip().startswith("watch")]
    assert changes == [
        "watch %r11: unknown -> 0x00000000",
        "watch %r11: 0x00000000 -> 0x00000000",
        "watch %r11: 0x00000000 -> 0x0000ff00",
        "watch %r11: 0x0000ff00 -> 0x0005ff00",
        "watch %r11: 0x0005ff00 -> 0x0705ff00",
    ]


def test_a_run_stops_before_a_line() -> None:
    found = data(VIDEO, *PACK, "--break", "220")
    assert found["ending"] == "break"
    assert found["steps"][-1]["line"] == 218
    assert "%r23" not in found["registers"]
    _, out, _ = run(VIDEO, *PACK, "r24=1", "--break", "9999")
    assert "the run ended before line 9999" in out


def test_run_prints_complete_traces() -> None:
    _, out, _ = run(ASM, "%1=1", "%2=2", "--trace")
    assert "1 select" in out
    assert "$ ptxscope trace" in out


def test_control_characters_of_the_file_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "bad\x1b[2J.ptx"
    path.write_text("foo.\x1b[31mbar x\u202e, y; mov.b32 a, 1;", encoding="utf-8")
    for words in ((str(path),), (str(path) + "x",), (str(path), "--kernel", "\x1b[1m")):
        _, out, err = run(*words)
        assert not set("\x1b\u202e") & set(out + err)


def test_one_line_needs_no_semicolon() -> None:
    status, out, _ = run("vadd4.u32.u32.u32.sat d, a, b, c", "a=1", "b=2")
    assert status == 0
    assert "d = 0x00000003" in out


def test_an_expected_value_may_have_unknown_digits() -> None:
    line = ("vadd4.u32.u32.u32 d, a, b, c;", "a=0x01020304", "b=0x01010101")
    assert run(*line, "--expect", "d=0x02??04??")[0] == 0
    status, out, _ = run(*line, "--expect", "d=0x03??04??")
    assert status == 1
    assert "d is 0x02030405; you observed 0x03??04??" in out


TWO_BLOCKS = """.reg .b32 %r<5>; { .reg .u32 t, u;
vset4.u32.u32.lt t, %r2, %r3, %r3;
ld.shared.u32 u, [t];
and.b32 %r1, u, %r2; }
{ .reg .u32 t, u;
vset4.u32.u32.lt t, %r3, %r2, %r2;
ld.shared.u32 u, [t];
and.b32 %r4, u, %r3; }
"""
VALUES = ("%r2=0x01020304", "%r3=0x02010503")


def test_a_value_does_not_reach_a_namesake_register_in_another_block() -> None:
    status, out, err = run(TWO_BLOCKS, *VALUES, "u=0xff00ff00")
    assert status == 2
    assert "%r4 =" not in out
    assert "u is read at line 8" in err
    assert "u=… is its value from line 3 on): give u@7=…" in err
    status, out, err = run(TWO_BLOCKS, *VALUES, "u=0xff00ff00", "u@7=0xff00ff")
    assert (status, err) == (0, "")
    assert "%r4 = 0x00010003" in out
    status, out, err = run(TWO_BLOCKS, *VALUES, "u@3=0xff00ff00", "u@7=0xff00ff")
    assert "%r4 = 0x00010003" in out


def test_the_error_on_a_wrong_line_lists_the_allowed_keys() -> None:
    status, _, err = run(TWO_BLOCKS, *VALUES, "u@8=1")
    assert status == 2
    assert "nothing at that line makes `u` unknown" in err
    assert "allowed: u@0, u@3, u@7, u@1, u@5" in err
    status, _, err = run(TWO_BLOCKS, *VALUES, "u@3=1", "u@7=2", "u=3")
    assert (status, err) == (0, "")


def test_a_value_at_a_line_has_the_type_of_its_declaration() -> None:
    text = (
        ".reg .b32 x, y; { .reg .b32 u;\nld.b32 u, [p]; mov.b32 x, u; }\n"
        "{ .reg .f32 u;\nld.f32 u, [p]; selp.b32 y, u, 0, 1; }"
    )
    status, out, _ = run(text, "u@2=1", "u@4=1")
    assert status == 0
    assert "x = 0x00000001" in out
    assert "y = 0x3f800000" in out


def test_each_missing_value_has_its_key() -> None:
    _, out, _ = run(TWO_BLOCKS, *VALUES, "-f", "json")
    assert [x["give"] for x in json.loads(out)["needed"]] == ["u", "u@7"]


DECLARED = """.visible .entry k() { .reg .pred %p<3>; .reg .b32 %r<4>;
{ .reg .b32 t; vadd.u32.u32.u32 %r2, %r1, 1; }
ret; }
.visible .entry other() { .reg .b32 x; mov.b32 x, 1; vadd.u32.u32.u32 x, x, x; ret; }
"""


def test_an_unused_declared_register_may_have_a_value() -> None:
    words = (DECLARED, "--kernel", "k", "%r1=5")
    status, out, err = run(*words, "%p2=1", "p0=1", "t=3")
    assert (status, err) == (0, "")
    assert "%r2 = 0x00000006" in out
    assert "note: no line that is computed read the values given for %p2, p0, t" in out
    for name in ("%p3", "x", "%r4"):
        status, _, err = run(*words, f"{name}=1")
        assert status == 2
        assert f"`{name}` is not a register of k" in err
    status, _, err = run(*words, "--expect", "%p2=1")
    assert status == 2
    assert "`%p2` is declared in k, but no instruction there names it" in err


SHADOWED = """\
.reg .b32 t, y;
vadd.s32.s32.s32 t, 1, 2;
{
  .reg .f32 t;
  ld.global.f32 t, [a];
  set.lt.u32.f32 y, t, 2.0;
}
vadd.s32.s32.s32 y, y, t;
"""


def test_a_value_has_the_type_of_its_register(tmp_path: Path) -> None:
    path = tmp_path / "x.ptx"
    path.write_text(SHADOWED)
    status, _, err = run(str(path), "t=1")  # the integer 1 and the float 1.0 differ
    assert status == 2
    assert "not the same in each block" in err
    assert "t@5" in err
    status, out, _ = run(str(path), "t@5=1")  # 1.0 is below 2.0: all ones, and 3
    assert (status, "y = 0x00000002" in out) == (0, True)


def test_watch_and_expect_concern_the_outermost_register_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "x.ptx"
    path.write_text(SHADOWED.replace("f32", "u32").replace("2.0", "2"))
    status, out, _ = run(str(path), "t=1", "--watch", "t", "--expect", "t=4")
    assert status == 1
    changes = [line.strip() for line in out.splitlines() if "watch t" in line]
    assert changes == ["watch t: unknown -> 0x00000003"]
    assert "written at line 2: vadd.s32.s32.s32 t, 1, 2" in out


def test_the_initial_value_of_a_watched_register_is_its_input() -> None:
    asm = 'asm("vadd.u32.u32.u32 %0, %0, %1;" : "+r"(sum) : "r"(x));'
    _, out, _ = run(asm, "sum=5", "x=1", "--watch", "sum")
    assert "watch %0: 0x00000005 -> 0x00000006" in out


def test_the_line_of_a_statement_is_the_line_of_its_opcode(tmp_path: Path) -> None:
    path = tmp_path / "x.ptx"
    path.write_text(".reg .u32 d;\n.reg .pred p;\n@p // why\n\nvadd.u32.u32.u32 d, 1, 2;\n")
    _, out, _ = run(str(path), "p=1")
    assert "    5 @p vadd.u32.u32.u32 d, 1, 2  " in out
    _, out, _ = run(str(path), "p=1", "--break", "5")
    assert "vadd" not in out
    assert "stopped before line 5" in out


_MACROS = """asm("vadd4.u32.u32.u32 %0, %1, %2, %2;"
#if A
    "vsub4.u32.u32.u32 %0, %0, %2, %2;"
#endif
    : "=r"(d) : "r"(a), "r"(b));"""


def test_omitted_statements_are_listed_before_any_result() -> None:
    status, out, _ = run(_MACROS, "a=1", "b=2", "--quiet")
    first, *rest = out.splitlines()
    said = "vsub4.u32.u32.u32 %0, %0, %2, %2 (compiled only under `#if A`)"
    assert (status, first) == (0, f"not run: line 3: {said}")
    assert rest[-1] == "unknown: %0"
    found = data(_MACROS, "a=1", "b=2")
    assert [(x["line"], x["why"]) for x in found["unread"]] == [(3, "compiled only under `#if A`")]
    assert found["registers"]["%0"] is None


def test_omitted_statements_are_listed_if_no_statement_runs() -> None:
    status, _, error = run('asm(OP " %0, %1;" : "=r"(d) : "r"(a));')
    assert status == 2
    assert error.splitlines() == [
        "error: there is no instruction here that ptxscope can run",
        "not run: line 1: <OP> %0, %1 (partly a macro or an expression)",
    ]


def test_a_python_file_is_run(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    line = "vadd4.u32.u32.u32 $0, $1, $2, $3;"
    path.write_text(f'"""It\'s a module."""\ndef f():\n    """Isn\'t PTX."""\n    g("{line}")\n')
    status, out, _ = run(str(path), "$1=0x01ff0380", "$2=0x01010101", "--quiet")
    assert status == 0
    assert "$0 = 0x02000481" in out


# --- several registers that are not as observed

KERNEL = """mov.b32 r, 0;
vadd.u32.u32.u32.sat r.b0, a, b, r;
vadd.u32.u32.u32.sat r.b1, a, b, r;
mov.b32 s, r;
mov.b32 t, 9;
ld.global.u32 w, [a];
setp.lt.s32 p|q, a, b;
"""


def _told(*expected: str) -> list[str]:
    words = [part for text in expected for part in ("--expect", text)]
    status, out, _ = run(KERNEL, "a=200", "b=100", "--quiet", *words)
    assert status == 1
    return out.splitlines()


def test_each_mismatch_is_reported_with_its_line() -> None:
    lines = _told("t=8", "s=0x2cff", "w=1", "r=0xffff")
    assert [line for line in lines if " at line " in line] == [
        "The bits of s that differ were written at line 3: vadd.u32.u32.u32.sat r.b1, a, b, r",
        "The bits of t that differ were written at line 5: mov.b32 t, 9",
        "w was made unknown at line 6: ld.global.u32 w, [a]",
    ]


def test_mismatches_from_one_line_are_reported_together() -> None:
    lines = _told("p=1", "q=0")
    assert [line for line in lines if " at line " in line] == [
        "The bits of p and q that differ were written at line 7: setp.lt.s32 p|q, a, b"
    ]


def test_a_mismatch_of_an_unwritten_register_is_reported() -> None:
    assert "No line of the run wrote a" in _told("a=1", "t=8")


def test_a_single_mismatch_is_reported_without_its_name() -> None:
    lines = _told("s=0x2cff", "t=9")
    assert (
        "The bits that differ were written at line 3: vadd.u32.u32.u32.sat r.b1, a, b, r" in lines
    )
