"""The declared types that the registers of a listing's other statements may have.

`data/register_verdicts.csv` has, for one operand of a statement, written `?`, the declared types
that ptxas 13.0.88 takes for sm_90a with PTX 8.8. Each other register is called by its type.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from ptxscope.features.check.listing_checks import check_listing
from tests.features.check.check_cases import CHECK_DATA
from tests.tiers import some

TYPES = "pred b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f32 f16x2 b64 u64 s64 f64 b128".split()
_HEAD = f"""\
.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {{
.shared .b32 sh[64]; .local .b32 lo[64];
{" ".join(f".reg .{x} {x}_<6>;" for x in TYPES)}
"""
_FIRST_LINE = _HEAD.count("\n") + 1
_UNSETTLED = {"f16x2"}
"""ptxas takes such registers for integers in some operands, for predicates in others."""


def _read_rows() -> list[tuple[str, str, bool]]:
    """Each row and type: the statement, the type, whether ptxas takes it."""
    with (CHECK_DATA / "register_verdicts.csv").open(encoding="utf-8", newline="") as file:
        return [
            (row["ptx"].replace("?", f"{type_}_5"), type_, type_ in row["types"].split())
            for row in csv.DictReader(file)
            for type_ in TYPES
        ]


def _write_module(rows: list[tuple[str, str, bool]]) -> str:
    return "\n".join([_HEAD + rows[0][0], *(ptx for ptx, _, _ in rows[1:]), "ret;\n}\n"])


@pytest.mark.parametrize("size", some([700, 1 << 20]))
def test_declared_types_are_accepted_as_by_ptxas(size: int) -> None:
    rows = [row for row in _read_rows() if row[1] not in _UNSETTLED]
    text = _write_module(rows)
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    illegal = {x.location.line for x in check_listing(chunks, "x.ptx") if not x.is_legal}
    refused = {i for i, (_, _, is_taken) in enumerate(rows, _FIRST_LINE) if not is_taken}
    assert [rows[i - _FIRST_LINE] for i in sorted(illegal - refused)] == []
    missed = [rows[i - _FIRST_LINE] for i in sorted(refused - illegal)]
    assert len(missed) < len(refused) / 50, missed


def test_a_register_of_an_unknown_type_is_refused() -> None:
    """ptxas ends at ``.b32L``, which only begins like a type."""
    text = _HEAD.replace(".reg .pred", ".reg .b32L x; .reg .pred", 1) + "ld.global.u32 x, [b64_5];"
    (found,) = [x for x in check_listing([text + "\nret;\n}\n"], "x.ptx") if not x.is_legal]
    assert "`x` is declared .b32L" in found.diagnostics[0].message


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
def test_the_verdicts_are_those_of_ptxas(tmp_path: Path) -> None:
    rows = _read_rows()
    (tmp_path / "k.ptx").write_text(_write_module(rows), encoding="ascii")
    command = ["ptxas", "-arch=sm_90a", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    refused = {int(x.partition(";")[0]) for x in done.stderr.split(" line ") if x[0].isdecimal()}
    known = {i for i, (_, _, is_taken) in enumerate(rows, _FIRST_LINE) if not is_taken}
    assert refused == known


def test_statements_of_one_template_differ_in_their_declarations() -> None:
    """A statement that is accepted in one function is not in the next, or in a block."""
    module = ".version 8.3\n.target sm_80\n.address_size 64\n"
    first = ".entry a() {\n.reg .b32 %r<4>;\nadd.u32 %r1, %r2, 5;\nadd.u32 %r1, %r2, 6;\nret; }\n"
    second = first.replace(" a", " b").replace(".b32", ".b64")
    third = first.replace(" a", " c").replace("%r<4>", "%r<2>")
    guard = ".entry e() {\n.reg .pred p;\n@p bar.sync 0;\n@p bra L;\nL: ret; }\n"
    block = first.replace(" a", " d").replace("6;", "6; { .reg .f32 %r2; add.u32 %r1, %r2, 7; }")
    items = check_listing(
        [
            module,
            first,
            second,
            third,
            block,
            guard,
            guard.replace(" e", " f").replace(".pred", ".b16"),
        ],
        "x.ptx",
    )
    illegal = [x for x in items if not x.is_legal]
    assert [(x.location.line, [y.rule for y in x.diagnostics]) for x in illegal] == [
        (11, ["register-type", "register-type"]),
        (12, ["register-type", "register-type"]),
        (16, ["undeclared"]),
        (22, ["register-type"]),
        (31, ["register-type"]),
        (32, ["register-type"]),
    ]
