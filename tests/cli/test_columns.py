"""Plain CSV lines are read as arrays of bytes: what is printed is what the row reader prints."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import evaluate, parse
from ptxscope.cli.commands import eval as evaluation
from ptxscope.cli.support import csv_columns, csv_rows
from ptxscope.cli.support.command_error import CommandError
from ptxscope.engine.isa.types import Type

LINES = (
    "vadd4.s32.s32.u32.sat d, a, b, c;",
    "setp.lt.and.u16 p|q, a, b, c;",
    "selp.b64 d, a, b, c;",
    "set.lt.u32.f32 d, a, b;",
    "@c vadd.u32.u32.u32 a, a, b;",
    "vadd.u32.u32.u32 d, 1, 2;",
)


def printed(line: str, path: Path, plain: bool, rows: int = 4, chunk: int = 64) -> tuple[str, str]:
    """What is printed, and what is said where that ends early."""
    said, out = "", io.StringIO()
    ins = parse(line)
    before = sys.stdout
    with patch.object(evaluation, "_ROWS", rows), patch.object(csv_rows, "_CHUNK", chunk):
        sys.stdout = out
        try:
            pieces = (
                csv_rows.read_pieces(str(path), rows) if plain else csv_rows.read_rows(str(path))
            )
            evaluation._stream_rows(ins, partial(evaluate, ins), iter(pieces))
        except CommandError as error:
            said = str(error)
        finally:
            sys.stdout = before
    return out.getvalue(), said


def the_same(line: str, path: Path, rows: int = 4, chunk: int = 64) -> None:
    assert printed(line, path, True, rows, chunk) == printed(line, path, False, rows, chunk)


_USUAL = st.one_of(
    st.integers(0, 1).map(str),
    st.integers(-(1 << 15), (1 << 16) - 1).map(str),
    st.integers(0, (1 << 16) - 1).map(hex),
    st.integers(-(1 << 31), (1 << 32) - 1).map(str),
    st.integers(0, (1 << 32) - 1).map(lambda x: f"0x{x:08X}"),
    st.integers(0, (1 << 64) - 1).map(lambda x: f"0X{x:x}"),
)
_ODD = st.sampled_from(["", " 1", "1 ", "1\t", "\x001", "\x0b", "\u2028"]) | st.sampled_from(
    """
    +1 -0 017 08 0x 0xg 0x1g x1 - --1 0b101 0o17 1u 0x1U 1.5 nan true [1,2,3,4] "1" "1,2" "a""b" é
    0x12345678901234567 00000000000000000001 0x00000000000000000001 18446744073709551615 0x: 0x@1
    18446744073709551616 9999999999999999999 99999999999999999999 -2147483649 4294967296 0xG 1: 1/
    0f3F800000 -0x1 0x80000000 0x`1
    """.split()
)


@given(st.data())
def test_what_is_printed_is_what_the_row_reader_prints(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    odd = data.draw(st.booleans())
    cell = _USUAL | _ODD if odd else _USUAL
    width = data.draw(st.integers(3, 5))
    lines = [",".join(["a", "b", "c", "note", "more"][:width])]
    for _ in range(data.draw(st.integers(0, 14))):
        count = (
            data.draw(st.sampled_from([width] * 9 + [width - 1, width + 1, 0])) if odd else width
        )
        lines.append(",".join(data.draw(st.lists(cell, min_size=count, max_size=count))))
    ends = data.draw(st.sampled_from(["\n"] * 3 + ["\r\n", "\r"]))
    text = ends.join(lines) + data.draw(st.sampled_from([ends, "", ends + ends]))
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(text.encode())
    chunk = data.draw(st.sampled_from([5, 64, 1 << 20]))
    the_same(
        data.draw(st.sampled_from(LINES)), path, data.draw(st.sampled_from([1, 4, 1 << 14])), chunk
    )


@pytest.mark.parametrize("plain", [True, False])
def test_the_largest_integers_are_no_floats(tmp_path: Path, plain: bool) -> None:
    # an array of 0 and 2**64 - 1 is one of floats where nobody says otherwise
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n0,-1,0\n1,0xfffffffffffffffe,0\n0,-1,1\n")
    out, _ = printed("selp.b64 d, a, b, c;", path, plain)
    found = [line.rsplit(",", 1)[1] for line in out.splitlines()[1:]]
    assert found == ["0xffffffffffffffff", "0xfffffffffffffffe", "0x0000000000000000"]


def test_a_column_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for text in ("a\n1\n2\n", "a\n1\n\n2\n", 'a\n1\n""\n2\n', "a\n", "a", "a\n1", ""):
        path.write_text(text)
        the_same("vadd.u32.u32.u32 d, a, 5;", path)


def test_other_columns_are_kept_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("note,a,b\n it's; ~ ,1,2\n,0x3,4\n")
    assert printed("vadd.u32.u32.u32 d, a, b;", path, plain=True)[0].splitlines() == [
        "note,a,b,d",
        " it's; ~ ,1,2,0x00000003",
        ",0x3,4,0x00000007",
    ]


@pytest.mark.parametrize("base", [10, 16])
def test_every_character_is_a_digit_or_none(base: int) -> None:
    # each byte in each of eight places, among digits
    for place in range(8):
        for byte in range(128):
            text = bytearray(b"97531086")
            text[place] = byte
            word = np.frombuffer(bytes(text), "<u8")
            found = csv_columns._parse_eight_digits(word, base)
            try:
                expected = int(bytes(text), base) if chr(byte).isalnum() else None
            except ValueError:
                expected = None
            assert (None if found is None else int(found[0])) == expected, (place, byte)


def test_long_lines_and_long_cells_are_left_to_the_row_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for size in (131_072, 131_073):  # what the module csv takes
        path.write_text("a,b,note\n1,2," + "x" * size + "\n")
        the_same("vadd.u32.u32.u32 d, a, b;", path, chunk=1 << 21)


def test_fast_lines_are_read_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rng = Random(4)
    values = [[rng.getrandbits(32) for _ in "abc"] for _ in range(50)]
    path.write_text("a,b,c\n" + "".join(f"{a},{b:#x},{c}\n" for a, b, c in values))
    with patch.object(evaluation, "_print_block", side_effect=AssertionError):
        out, _ = printed("vadd.u32.u32.u32.add d, a, b, c;", path, plain=True, chunk=1 << 20)
    results = [int(line.rsplit(",", 1)[1], 16) for line in out.splitlines()[1:]]
    assert results == [sum(x) % (1 << 32) for x in values]


@pytest.mark.parametrize("type_", [Type.U16, Type.U32, Type.U64, Type.PRED])
def test_what_does_not_fit_is_left_to_the_row_reader(type_: Type) -> None:
    def read(text: str) -> int | None:
        line = np.frombuffer(bytes(csv_columns._MARGIN) + text.encode() + b"\n", np.uint8)
        ends = csv_columns._find_cell_ends(line, 1)
        assert ends is not None
        start = np.array([csv_columns._MARGIN])
        found = csv_columns._parse_column(csv_columns._Cells(line, start, ends[:, 0]), type_)
        return None if found is None else int(found[0])

    low, high = -(1 << (type_.bits - 1)), (1 << type_.bits) - 1
    for value in {low, high, low + 1, 0, 1, min(high, 10**19 - 1)}:
        if len(str(abs(value))) < 20:
            assert read(str(value)) == value & high
        if value >= 0:
            assert read(f"0x{value:016x}") == value
    assert read(str(low - 1)) is None
    assert read(str(high + 1)) is None
    assert type_.bits == 64 or read(hex(high + 1)) is None
