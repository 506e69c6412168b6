"""Statements that `check` does not explain are legal PTX as well, or it says what is wrong.

The verdicts are those of ptxas 13.0.88, which also rejects every mistake of
cases/plain_statements.ptx and accepts every other statement there.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ptxscope.features.check.lint import check_text
from ptxscope.features.check.listing_checks import check_listing
from tests.features.check.check_cases import CASES
from tests.reference_data import DATA, table

CASES_OF_PTXAS = [name for name in CASES if name.startswith("plain_statements.ptx")]


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
@pytest.mark.parametrize("name", CASES_OF_PTXAS)
def test_ptxas_accepts_exactly_the_legal_statements(name: str, tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(CASES[name].text, encoding="ascii")
    command = ["ptxas", "-arch=sm_80", str(path), "-o", str(tmp_path / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (not CASES[name].items), done.stderr


@pytest.mark.parametrize("size", [7, 1 << 14])
def test_verdicts_on_common_instructions_equal_those_of_ptxas(size: int) -> None:
    rows = table("common_verdicts.csv")
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
