"""The report of two runs: side by side on a wide terminal, one below the other elsewhere."""

from __future__ import annotations

import re
import struct
from typing import Any

import pytest

from ptxscope.documents.formats.report import write_report
from ptxscope.features.compare.comparison_json import comparison_to_json
from ptxscope.features.compare.comparison_report import iter_comparison_blocks
from tests.features.compare.kernel_texts import PARAMETERS, compare, make_kernel

pytest.importorskip("bitwuzla")


def test_runs_stand_side_by_side_if_there_is_room() -> None:
    found = compare(
        "add.u32 a, n0, 1; st.global.u32 [O], a;", "not.b32 a, n0; st.global.u32 [O], a;"
    )
    texts = {
        columns: write_report(iter_comparison_blocks(found, columns=columns), "text")
        for columns in (80, 120, 400)
    }
    assert texts[80] == texts[120]
    assert "│" not in texts[80]
    wide = texts[400].splitlines()
    rows = [x.split("│") for x in wide if "│" in x]
    assert any("add.u32 a, n0, 1" in x[0] and "not.b32 a, n0" in x[1] for x in rows)
    narrow = texts[80].splitlines()
    for x in rows:
        for cell in x:
            assert any(cell.strip() in y for y in narrow)
    commands = [x for x in narrow if x.startswith("$ ptxscope run")]
    assert len(commands) == 2
    assert commands == [x for x in wide if x.startswith("$ ptxscope run")]


def test_a_side_that_does_not_write_says_so() -> None:
    found = compare("st.global.u32 [O], 5;", "setp.eq.u32 p, n0, 9;\n@!p st.global.u32 [O], 5;")
    text = write_report(iter_comparison_blocks(found, columns=400), "text")
    assert "│  o[0] is not written" in text
    assert "n = 9" in text


def test_a_command_has_the_bits_of_a_float() -> None:
    parameters = PARAMETERS.replace("u32", "f32")
    stores = ("st.global.u32 [O], 5;", "setp.eq.u32 p, n0, 0x3f800001;\n@!p st.global.u32 [O], 5;")
    first, second = (make_kernel(x, parameters=parameters) for x in stores)
    text = write_report(iter_comparison_blocks(compare(first, second)), "text")
    assert text.count(" n=1.0000001") == 2
    assert "n = 0x3f800001 (1.0000001)" in text
    found = compare(first.replace("f32 n", "u32 n"), second)
    text = write_report(iter_comparison_blocks(found), "text")
    assert text.count(" n=0x3f800001") == 2


def test_words_of_floats_are_numbers_too() -> None:
    body = "ld.global.f32 f, [I]; mul.rn.f32 f, f, 0f40400000; st.global.f32 [O], f;"
    first = f".reg .f32 f;\n{body}"
    found = compare(first, first.replace("0f40400000", "0f40000000"), where="n == 0")
    text = write_report(iter_comparison_blocks(found), "text")
    number = re.search(r"before  i\[0\] = 0x([0-9a-f]{8})  (\S+)\n", text)
    assert number
    assert struct.pack(">f", float(number[2])).hex() == number[1]
    assert text.count(f"'i=[{number[2]}]:f32'") == 2
    steps = re.findall(r"[fO]\]?, .*(?:f|o\[0\]) = 0x([0-9a-f]{8})  (\S+)\n", text)
    assert len(steps) > 2
    for bits, value in steps:
        assert struct.pack(">f", float(value)).hex() == bits


def test_parameters_have_the_names_that_both_kernels_give_them() -> None:
    first, second = (make_kernel(f"st.global.u32 [O], {x};") for x in (5, 6))
    other = second.replace("[o]", "[destination]").replace(".u64 o", ".u64 destination")
    mangled = first.replace("[o]", "[k_param_1]").replace(".u64 o", ".u64 k_param_1")
    texts = [
        write_report(iter_comparison_blocks(compare(*x)), "text")
        for x in ((first, second), (first, other), (mangled, mangled.replace(", 5", ", 6")))
    ]
    assert "writes o[0] = 0x00000005" in texts[0]
    assert " i=0 o=zeros:u32:1 n=0" in " ".join(texts[0].split())
    assert "param" not in texts[0].replace("ld.param", "")
    for text in texts[1:]:
        assert "writes param1[0] = 0x00000005" in text
        assert " i=0 param1=zeros:u32:1 n=0" in " ".join(text.split())


def test_json_has_what_the_report_has() -> None:
    """For n = 0, a is n + 1 = 1 in A and ~n = 0xffffffff in B."""
    found = compare(
        "add.u32 a, n0, 1;\nst.global.u32 [O], a;",
        "not.b32 a, n0;\nst.global.u32 [O], a;",
        where="n == 0",
    )
    document: Any = comparison_to_json(found)
    example = document["counterexample"]
    assert example["failures"] == [None, None]
    assert example["shared_bytes"] == 0
    assert [[x["statement"] for x in pair] for pair in example["steps"]] == [
        ["add.u32 a, n0, 1", "not.b32 a, n0"],
        ["st.global.u32 [O], a", "st.global.u32 [O], a"],
    ]
    first, store = example["steps"]
    assert [x["registers"] for x in first] == [
        [{"name": "a", "bits": bits, "width": 32}] for bits in (1, 0xFFFFFFFF)
    ]
    assert [x["words"][0]["bits"] for x in store] == [1, 0xFFFFFFFF]
    assert [x["line"] for x in store] == [8, 8]
    assert example["commands"][0] == ("ptxscope run k.ptx --kernel k i=0 o=zeros:u32:1 n=0".split())


def test_json_says_which_kernel_fails() -> None:
    found = compare("ld.global.u32 a, [I+1]; st.global.u32 [O], 2;", "st.global.u32 [O], 2;")
    document: Any = comparison_to_json(found)
    failures = document["counterexample"]["failures"]
    assert "ld.global.u32 a, [I+1]" in failures[0]
    assert failures[1] is None
