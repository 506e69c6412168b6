"""Warnings of `check` about two statements that ptxas combines wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope import evaluate_block, parse_block
from ptxscope.engine.semantics.rules import FUSION_ERRATA, Erratum
from ptxscope.features.check.check_settings import CheckSettings
from ptxscope.features.check.compiler_fault import make_example_fault
from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.fused_pairs import find_fusion_warnings
from ptxscope.features.check.fusion_hints import may_have_fusions
from ptxscope.features.check.known_errata import find_erratum, find_replacement
from ptxscope.sources.source_location import LineIndex
from ptxscope.sources.source_programs import load
from tests.driving.command_line import run
from tests.driving.feature_tables import needs
from tests.engine.test_fusions import FLOWS, KERNEL, read_rows, read_values
from tests.tiers import ci_only, whole


def warn_of(text: str, name: str) -> list[CheckedInstruction]:
    """The warnings about the pairs in the text of a file."""
    lines = LineIndex(text)
    return [y for x in load(text, name) for y in find_fusion_warnings(x, name, lines)]


LISTING = KERNEL.format("""neg.s16 t, a;
  mov.b16 u, t;
  cvt.s32.s16 d, u;
  st.global.u32 [to], d;
  add.s32 s, x, y;
  sub.sat.s32 d, s, y;
  st.global.u32 [to+4], d;""")
"""Two pairs, in lines 10 and 12, and in lines 14 and 15."""
SOURCE = r"""
__device__ int f(short a, int x) {
  int d;
  asm("{ .reg .b16 %%t;\n\t neg.s16 %%t, %1;\n\t"
      "cvt.s32.s16 %0, %%t; }" : "=r"(d) : "h"(a));
  return d;
}
"""


def test_a_listing_has_a_warning_with_operands_and_a_replacement(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(LISTING)
    done = run("check", str(path))
    assert f"{path}:12:3: warning: E19: with ptxas 11.8 to 13.2 on sm_70 and later, " in done.stdout
    assert "combined with `neg.s16` in line 10: " in done.stdout
    assert f"{path}:15:3: warning: E21: " in done.stdout
    assert "combined with `add.s32` in line 14: " in done.stdout
    assert "and.b16 w0, u, -1;" in done.stdout
    found = json.loads(run("check", str(path), "-f", "json").stdout)
    first, second = (x for x in found if x["errata"])
    assert (first["errata"], second["errata"]) == (["E19"], ["E21"])
    assert first["example"]["values"] == {"a": "0x8000"}  # the only operand that shows it
    x, y = (int(second["example"]["values"][name], 16) for name in "xy")
    total = (x ^ 1 << 31) - (1 << 31) + (y ^ 1 << 31) - (1 << 31)
    assert not -(1 << 31) <= total < 1 << 31
    assert int(second["example"]["ptxas"], 16) == x != int(second["example"]["isa"], 16)


def test_an_asm_statement_has_a_warning_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "f.cu"
    path.write_text(SOURCE)
    done = run("check", str(path))
    assert f"{path}:5:8: warning: E19: " in done.stdout
    assert "for example %1=0x8000" in done.stdout
    assert "and.b16 w0, %%t, -1;" in done.stdout


def test_it_can_be_suppressed(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(
        LISTING.replace("cvt.s32.s16 d, u;", "cvt.s32.s16 d, u; // ptxscope: ignore[E19]")
    )
    stdout = run("check", str(path)).stdout
    assert "E19: " not in stdout
    assert "E21: " in stdout
    assert "E21: " not in run("check", str(path), "--ignore", "E21").stdout


@pytest.mark.parametrize(
    "narrow",
    ["cvt.s16.s8 t, a;", "and.b16 t, a, 255;", "shr.s16 t, a, 1;", "min.u16 t, a, 9;"],
)
def test_nothing_is_said_if_the_first_statement_never_gets_the_operands(narrow: str) -> None:
    # proved to be as documented with ptxas 13.0 for sm_90
    text = KERNEL.format(f"{narrow} neg.s16 u, t; cvt.s32.s16 d, u;")
    assert not warn_of(text, "k.ptx")
    wide = KERNEL.format("and.b16 t, a, -32767; neg.s16 u, t; cvt.s32.s16 d, u;")
    assert [x.errata for x in warn_of(wide, "k.ptx")] == [("E19",)]


@pytest.mark.parametrize(("body", "ids"), FLOWS.items())
def test_the_warnings_are_those_of_the_flow(body: str, ids: list[str]) -> None:
    found = [y for x in warn_of(KERNEL.format(body), "k.ptx") for y in x.errata]
    assert found == ids


@ci_only
def test_every_pair_of_the_record_that_differs_has_hints_and_a_warning() -> None:
    texts = {}
    for row in read_rows():
        block = parse_block(f"{row['ptx']};")
        documented = evaluate_block(block, read_values(row["operands"]))
        if documented != read_values(row["results"]):
            texts[row["ptx"]] = block
    assert len(texts) > 150
    for text in texts:
        assert may_have_fusions(text)
        assert warn_of(f"{text};", "block.ptx"), text


@pytest.mark.parametrize("id_", ["E19", "E20", "E21", "E22", "E23", "E24", "E25"])
def test_the_replacement_is_not_combined(id_: str) -> None:
    x = find_erratum(id_)
    block = parse_block(" ".join(find_replacement(x)))
    assert not block.errata
    assert evaluate_block(block, x.example[1], model="ptxas-13.0") == {"d": x.example[2]}


@needs("kernels", "editor")
@pytest.mark.parametrize("x", FUSION_ERRATA, ids=lambda x: x.id)
@whole
def test_a_listing_with_an_erratum_is_known_everywhere(x: Erratum, tmp_path: Path) -> None:
    from ptxscope.features.editor.source_answers import SourceText

    ptx, values, documented, compiled = x.example
    fault = make_example_fault(x)
    path = tmp_path / "k.ptx"
    path.write_text(fault.kernel.ptx, "utf-8")
    assert f"warning: {x.id}: with ptxas {x.versions}" in run("check", str(path)).stdout
    words = [values[y.name] for y in fault.kernel.inputs]
    bits = fault.kernel.results[0].type.bits
    arguments = (f"in={words}:u{fault.kernel.word_bits}".replace(" ", ""), f"out=[0]:u{bits}")
    model = "ptxas-13.0" if x.repaired_in else "ptxas"
    for name, result in (("isa", documented), (model, compiled)):
        found = run("run", str(path), *arguments, "--model", name, "-f", "json")
        (out,) = (y for y in json.loads(found.stdout)["buffers"] if y["name"] == "out")
        assert int(out["bits"][0], 16) == result, name
    given = [f"{name}={bits:#x}" for name, bits in values.items()]
    assert f"{x.id}: " in run("explain", ptx, *given, "--got", hex(compiled)).stdout
    text = SourceText(fault.kernel.ptx, "k.ptx")
    rules = [y.rule for item in text.check_sequences(CheckSettings()) for y in item.diagnostics]
    assert x.id in rules


def test_a_magnitude_of_64_bits_has_a_remark_on_newer_releases() -> None:
    text = KERNEL.format("abs.s64 to, from; setp.lt.s64 p, to, 0; add.s32 d, x, y;")
    ((found,),) = [x.diagnostics for x in warn_of(text, "k.ptx")]
    assert found.rule == "E24"
    assert "with ptxas 11.8 to 13.0" in found.message
    assert found.message.endswith(
        "For .s64, 13.1 to 13.5 test the magnitude of the high word of a alone."
    )
