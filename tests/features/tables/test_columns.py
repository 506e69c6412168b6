"""A CSV file of operands has the results of its rows one by one."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import evaluate, parse
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.values import parse_value
from tests.driving.command_line import run

LINES = (
    "vadd4.s32.s32.u32.sat d, a, b, c;",
    "setp.lt.and.u16 p|q, a, b, c;",
    "selp.b64 d, a, b, c;",
    "set.lt.u32.f32 d, a, b;",
    "vadd.u32.u32.u32 d, a, 5;",
)
_USUAL = st.one_of(
    st.integers(0, 1).map(str),
    st.integers(-(1 << 15), (1 << 16) - 1).map(str),
    st.integers(0, (1 << 16) - 1).map(hex),
    st.integers(-(1 << 31), (1 << 32) - 1).map(str),
    st.integers(0, (1 << 32) - 1).map(lambda x: f"0x{x:08X}"),
    st.integers(0, (1 << 64) - 1).map(lambda x: f"0X{x:x}"),
)
_ODD = st.sampled_from(["", " 1", "1 ", "1\t", "\u2028", "\u0661", "\uff11"]) | st.sampled_from(
    """
    +1 -0 017 08 0x 0xg 0x1g x1 - --1 0b101 -0b1 0o17 1u 0x1U 1.5 nan true [1,2,3,4] "1" "1,2" é
    0x12345678901234567 00000000000000000001 0x00000000000000000001 18446744073709551615 0x: 0x@1
    18446744073709551616 9999999999999999999 99999999999999999999 -2147483649 4294967296 0xG 1: 1/
    0f3F800000 -0x1 0x80000000 0x`1 1_0 0b
    """.split()
)


def run_eval(line: str, path: Path) -> tuple[int, str]:
    """The exit status of `eval --csv`, and what it prints."""
    done = run("eval", line, "--csv", str(path))
    return done.returncode, done.stdout


def evaluate_rows(line: str, text: str) -> tuple[int, list[list[str]]]:
    """The same row by row: up to the first whose operands are no values."""
    ins = parse(line)
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    printed = [[*header, *ins.results.values()]]
    for row in rows:
        if not row:
            continue
        if len(row) > len(header):
            return 2, printed
        row += [""] * (len(header) - len(row))
        try:
            values = {
                x.name: parse_value(row[header.index(x.name)], type_=ins.type_of(x.roles[0]))
                for x in ins.inputs
            }
        except PtxError:
            return 2, printed
        results = evaluate(ins, values)
        added = [format_hex(int(results[x]), ins.type_of(role).bits)
                 for role, x in ins.results.items()]  # fmt: skip
        printed.append([*row, *added])
    return 0, printed


@given(st.data())
def test_results_of_a_csv_file_equal_those_of_its_rows(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    is_odd = data.draw(st.booleans())
    cell = _USUAL | _ODD if is_odd else _USUAL
    width = data.draw(st.integers(3, 5))
    lines = [",".join(["a", "b", "c", "note", "more"][:width])]
    for _ in range(data.draw(st.integers(0, 14))):
        counts = [width] * 9 + [width - 1, width + 1, 0] if is_odd else [width]
        count = data.draw(st.sampled_from(counts))
        lines.append(",".join(data.draw(st.lists(cell, min_size=count, max_size=count))))
    ends = data.draw(st.sampled_from(["\n"] * 3 + ["\r\n"]))
    text = ends.join(lines) + data.draw(st.sampled_from([ends, "", ends + ends]))
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(text.encode())
    line = data.draw(st.sampled_from(LINES))
    status, printed = run_eval(line, path)
    assert (status, [*csv.reader(io.StringIO(printed))]) == evaluate_rows(line, text)


def test_the_largest_integers_are_exact(tmp_path: Path) -> None:
    # an array of 0 and 2**64 - 1 is one of floats where no type is given
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n0,-1,0\n1,0xfffffffffffffffe,0\n0,-1,1\n")
    found = [line.rsplit(",", 1)[1] for line in run_eval(LINES[2], path)[1].splitlines()[1:]]
    assert found == ["0xffffffffffffffff", "0xfffffffffffffffe", "0x0000000000000000"]


def test_results_of_many_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rng = Random(4)
    values = [[rng.getrandbits(32) for _ in "abc"] for _ in range(40_000)]
    path.write_text("a,b,c\n" + "".join(f"{a},{b:#x},{c}\n" for a, b, c in values))
    _, printed = run_eval("vadd.u32.u32.u32.add d, a, b, c;", path)
    results = [int(line.rsplit(",", 1)[1], 16) for line in printed.splitlines()[1:]]
    assert results == [sum(x) % (1 << 32) for x in values]
