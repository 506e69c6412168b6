"""Verdicts on the reference lines equal ptxas', and errors point at what is wrong."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from ptxscope import Problem, PtxError, evaluate, parse, parse_all, trace
from tests.reference_data import DATA, read_lines, table, verdicts


def _problems(text: str) -> tuple[Problem, ...]:
    try:
        parse_all(text)
    except PtxError as error:
        return error.errors
    return ()


@pytest.mark.parametrize(
    ("name", "legal_count", "illegal_count"),
    [
        ("accept.csv", 706, 0),
        ("plain_accept.csv", 1706, 0),
        ("plain_reject.csv", 1, 1600),
        ("carry_verdicts.csv", 50, 20),
        ("pack_verdicts.csv", 21, 400),
    ],
)
def test_reference_lines_have_the_recorded_verdict(
    name: str, legal_count: int, illegal_count: int
) -> None:
    """Without 16-bit types and ``addc.sat`` in chains: no manual has them, though ptxas does."""
    counts = Counter[bool]()
    for row in table(name):
        is_later = row.get("reason_class", "").startswith("version-or-target")
        is_legal = row.get("ptxas_13_0") == "accept" or "accept" in name or is_later
        counts[is_legal] += 1
        try:
            ins = parse(f"{row['ptx']};")
        except PtxError:
            assert not is_legal, row
        else:
            assert is_legal, row
            assert ins.opcode == row.get("op", ins.opcode)
            assert parse(str(ins)) == ins
    assert counts[True] >= legal_count
    assert counts[False] >= illegal_count


def _rejected() -> list[dict[str, str]]:
    """Lines that are illegal whatever their registers are.

    ``a.x`` is a component where a is a vector; `test_verdicts` has it where a is none.
    """
    return [row for row in table("reject.csv") if row["ptx"] != "setp.lt.s32 p, a.x, b"]


# what the span of some error must match, by ptxas' reason; None: anywhere in the operands
_MODIFIER, _END = r"\.\w+", r""
_SPANS: dict[str, str] = {
    "bad-selector": rf"{_MODIFIER}|-?\d\w*|%tid\.x",
    "builtin-syntax": _MODIFIER,
    "selector-on-c": _MODIFIER,
    "selector-on-non-video": _MODIFIER,
    "types": rf"{_MODIFIER}|",
    "illegal-modifier": _MODIFIER,
    "unknown-modifier": _MODIFIER,
    "cmp-type-mismatch": _MODIFIER,
    "duplicate-cmp": _MODIFIER,
    "duplicate-secop/boolop": _MODIFIER,
    "duplicate-clamp": _MODIFIER,
    "shift-amount-not-u32": r"\.s32",
    "clamp-required": _END,
    "simd-secop": r"\.(min|max)",
    "sat+add": r"\.(sat|add|max|min)",
    "secop+dsel": r"\.(add|min|max|[bh]\d)",
    "dsel-not-allowed": r"\.\w+",
    "boolop-required": r"c|\.\w+",
    "negation-not-allowed": "-",
    "negate-combination": "-",
    "po+negation": r"\.po",
    "not-on-non-predicate": "!",
    "sink-not-allowed": "_",
    "special-register": r"%tid\.x|%tid",
    "unknown-opcode": r"\w+",
    "operand-count-or-type": r"|e, f2|e|.*",
    "syntax": r".*",
}


def test_an_error_of_every_rejected_line_points_at_the_offending_part() -> None:
    for row in _rejected():
        line = row["ptx"]
        problems = _problems(line)
        assert all(0 <= p.span[0] <= p.span[1] <= len(line) for p in problems)
        texts = [line[slice(*p.span)] for p in problems]
        pattern = re.compile(_SPANS[row["reason_class"]])
        assert any(pattern.fullmatch(text) for text in texts), (row, problems)


_NAMED = re.compile(r"(?:modifier|selector:?) '(\.\w+)'")
_OPERAND = re.compile(r"Incorrect video selector for operand (\d)")


def test_errors_point_at_the_part_that_ptxas_names() -> None:
    checked = 0
    for row in _rejected():
        line, message = row["ptx"], row["ptxas_message"]
        problems = _problems(line)
        pointed = [line[slice(*p.span)] for p in problems]
        for word in _NAMED.findall(message):
            checked += 1
            assert word in pointed, (row, problems)
        for index in map(int, _OPERAND.findall(message)):
            checked += 1
            starts = [m.end() for m in re.finditer(r"\s(?=\S+,)|,\s*", line)]
            start = starts[-(line.count(",") + 1) + index]
            end = line.find(",", start) % (len(line) + 1)
            assert any(start <= p.span[0] < p.span[1] <= end for p in problems), (row, problems)
    assert checked > 250


@pytest.mark.parametrize("file", ["lines.txt", "published.txt"])
def test_handwritten_lines_have_the_known_verdict(file: str) -> None:
    for legal, text in verdicts(file):
        assert legal == (not _problems(text)), text


@pytest.mark.parametrize("mistake", ["vset4.u32.u32.ne.max", "r1.b00"])
def test_the_error_on_a_wrong_published_example_mentions_the_publication(mistake: str) -> None:
    lines = [text for legal, text in verdicts("published.txt") if not legal and mistake in text]
    assert len(lines) == 1
    messages = [problem.message for problem in _problems(lines[0])]
    assert any("published in the PTX ISA is wrong" in message for message in messages)


def test_a_listing_of_nvcc() -> None:
    listing = (DATA / "video.ptx").read_text()
    found = parse_all(listing)
    assert len(found) == 37
    for ins in found:
        start, end = ins.spans["line"]
        assert parse(listing[start:end]) == ins
        values = {x.name: 0x80FF7F01 & ((1 << x.type.bits) - 1) for x in ins.inputs}
        assert trace(ins, values).result == evaluate(ins, values)


@pytest.mark.parametrize(("line", "parts"), read_lines("notes.txt", 2))
def test_a_legal_but_odd_line_has_a_note(line: str, parts: str) -> None:
    ins = parse(line)
    values = {x.name: 1 for x in ins.inputs}
    expected = [part for part in parts.split("; ") if part]
    for part, note in zip(expected, trace(ins, values).notes, strict=True):
        assert part in note
    assert not any("manual" in note for note in trace(ins, values, model="ptxas").notes)


def test_documented_lines_carry_no_note() -> None:
    legal = [text for good, text in verdicts("published.txt") if good]
    odd = [text for text in legal if parse(text).notes]
    assert odd == []
