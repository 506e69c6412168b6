"""Statements that `check` does not explain are legal PTX as well, or it says what is wrong.

The verdicts are those of ptxas 13.0.88: `tests/data` has them for common instructions, and it
rejects every statement of `SLIPS` and accepts every one of `LEGAL`.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from ptxscope.sources.lint import check_listing, check_text
from tests.reference_data import DATA

HEAD = """.version 8.3
.target sm_80
.address_size 64
.func (.reg .b32 d) g (.reg .b32 a) { ret; }
.visible .entry k(.param .u64 p) {
.reg .b32 %r<9>, min; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>; .reg .b16 %h<9>;
.reg .b128 %q<3>; .shared .b32 s[4];
"""
SLIPS = {
    "and.u32 %r1, %r2, %r3;": "can't be the source type of `and`",
    "mul.u32 %r1, %r2, %r3;": "is missing its word of the product",
    "xor.b32 %r1, %r2;": "takes 3 operands; there are 2",
    "add.u33 %r1, %r2, %r3;": "unknown modifier `.u33`",
    "@%p1 or.u32 %r1, %r2, %r3;": "can't be the source type of `or`",
    "frobnicate.u32 %r1, %r2;": "`frobnicate` is not an instruction of PTX",
    "ldd.u32 %r1, [%rd1];": "did you mean `ld`?",
    "shl.u32 %r1, %r2, 4;": "can't be the source type of `shl`",
    "add.u32 %r1, %r2, 08;": "",
    "add.u32 5, %r2, %r3;": "",
    "add.u32 %r1, %r2, %tid.x;": "",
    "not.b32 %r1, !%r2;": "",
    "ld.param.u64 %rd1, [p]": "a `;` is missing",
    "bar.sync 0": "a `;` is missing",
}
LEGAL = [
    "mov.u32 %r1, %tid.x;",
    "mov.u64 %rd1, s;",
    "mov.b64 {%r1, %r2}, %rd1;",
    "mov.b32 %r1, {%h1, %h2};",
    "mov.b128 %q1, {%rd1, %rd2};",
    "mov.f32 %f1, 0f3F800000;",
    "add.u32 min, %r2, -0x7fU;",
    "add.u32 %r1,\n  %r2, // one\n  %r3;",
    "add.rn.ftz.f32 %f1, %f2, %f3;",
    "cvt.rn.f32.s32 %f1, %r1;",
    "cvt.u32.u16 %r1, %h1;",
    "and.pred %p1, %p2, %p3;",
    "{ mul.wide.u32 %rd1, %r1, 4; }",
    "add.u32 %r1, %r2,\nmin;",
    "call (%r1),\n g,\n (%r2);",
    "L: bra.uni L;",
    "@!%p1 bra L2; L2:",
    "fma.rn.f32 %f1, %f2, %f3, %f1;",
    "ld.shared.v2.u32 {%r1, %r2}, [s+8];",
    "mad.lo.s32 %r1, %r2, (1 << 4) | 3, %r3;",
]


def check(statements: str) -> list[str]:
    """The messages of a kernel with these statements, one for each that is illegal."""
    text = f"{HEAD}{statements}\nret;\n}}\n"
    return [x.message for x in check_text(text, "k.ptx") if not x.is_legal]


@pytest.mark.parametrize("statement", SLIPS)
def test_a_mistake_in_a_plain_statement_is_an_error(statement: str) -> None:
    for text in (statement, f"{statement}\nadd.u32 %r1, %r2, %r3;"):
        (message,) = check(text)
        assert SLIPS[statement] in message


@pytest.mark.parametrize("statement", LEGAL)
def test_a_plain_statement_that_ptxas_accepts_has_no_message(statement: str) -> None:
    assert not check(statement)


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
@pytest.mark.parametrize("statement", [*SLIPS, *LEGAL])
def test_ptxas_accepts_exactly_the_legal_statements(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(f"{HEAD}{statement}\nret;\n}}\n", encoding="ascii")
    command = ["ptxas", "-arch=sm_80", str(path), "-o", str(tmp_path / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (statement in LEGAL), done.stderr


@pytest.mark.parametrize("size", [7, 1 << 14])
def test_verdicts_on_common_instructions_equal_those_of_ptxas(size: int) -> None:
    verdicts = (DATA / "common_verdicts.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(verdicts.splitlines()))
    text = "".join(f"{row['ptx']};\n" for row in rows)
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    found = {x.location.line for x in check_listing(chunks, "x.ptx") if not x.is_legal}
    rejected = {i for i, row in enumerate(rows, 1) if row["ptxas_13_0"] == "reject"}
    assert found <= rejected
    assert [rows[i - 1]["ptx"] for i in rejected - found] == ["mov.f32 d, !a"]


def test_an_asm_statement_is_checked_as_a_listing_is() -> None:
    end = ' : "=r"(d) : "r"(a), "r"(b));'
    for slip in ("and.u32 %0, %1, %2;", "xor.b32 %0, %1;", "frobnicate.u32 %0, %1, %2;"):
        (item,) = check_text(f'void f() {{ asm("{slip}"{end} }}', "k.cu")
        assert not item.is_legal
    two = 'asm("and.b32 %0, %1, %2\\n\\tor.b32 %0, %1, %2;"'
    (item,) = check_text(f"void f() {{ {two}{end} }}", "k.cu")
    assert "a `;` is missing" in item.message
    for legal in ("mov.u32 %0, %%laneid;", "add.u32 %0, %1, %2;", "xor.b32 %0, %1, 0x80;"):
        assert not list(check_text(f'void f() {{ asm("{legal}"{end} }}', "k.cu"))


@pytest.mark.parametrize("name", ["kernels.ptx", "video.ptx", "nvcc_intrinsics_sm_90.ptx"])
def test_check_calls_no_compiled_code_illegal(name: str) -> None:
    text = (DATA / name).read_text(encoding="utf-8")
    assert all(x.is_legal for x in check_text(text, name))
