"""Integer instructions beside the 27: verdicts of ptxas, executed rows, a second formulation."""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import PtxError, evaluate, parse, replay, trace
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.legality import count_forms
from ptxscope.engine.isa.truth_tables import find_formulas, find_ignored_variables, parse_formula
from tests.reference_data import DATA, parsed
from tests.reference_integers import OPCODES, compute
from tests.strategies import bits, random_instruction
from tests.tiers import examples

_MODELS = {"isa": "isa", "ptxas-13.0": "ptxas_13_0"}


def _read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return [row for row in csv.DictReader(file) if _opcode(row["ptx"]) in OPCODES]


def _opcode(ptx: str) -> str:
    return ptx.split()[1 if ptx.startswith("@") else 0].split(".")[0]


@cache
def _rows() -> list[dict[str, str]]:
    return _read("plain.csv")


def _values(row: dict[str, str]) -> dict[str, int]:
    return {role: int(row[role], 16) for role in "abce" if row[role]}


@pytest.mark.parametrize("file", ["plain_accept.csv", "plain_reject.csv"])
def test_the_verdict_is_that_of_ptxas(file: str) -> None:
    rows = _read(file)
    assert len(rows) > 400
    for row in rows:
        try:
            instruction = parse(f"{row['ptx']};")
        except PtxError:
            assert file == "plain_reject.csv", row
        else:
            assert file == "plain_accept.csv", row
            assert parse(str(instruction)) == instruction


@pytest.mark.parametrize("model", _MODELS)
def test_executed_rows(model: str) -> None:
    count = 0
    for row in _rows():
        if row[_MODELS[model]]:
            expected = tuple(int(x, 16) for x in row[_MODELS[model]].split("|"))
            ins = parsed(f"{row['ptx']};")
            found = trace(ins, _values(row), model=model)
            assert tuple(found.result.values()) == expected, row
            assert tuple(replay(found).values()) == expected, row
            count += 1
    assert count > 1200


@pytest.mark.parametrize("model", _MODELS)
def test_executed_rows_as_arrays(model: str) -> None:
    forms: dict[str, list[dict[str, str]]] = {}
    for row in _rows():
        if row[_MODELS[model]]:
            forms.setdefault(row["ptx"], []).append(row)
    for ptx, rows in forms.items():
        columns = {
            role: np.array([_values(row)[role] for row in rows], np.uint64)
            for role in _values(rows[0])
        }
        if not columns:
            continue
        found = evaluate(parsed(f"{ptx};"), columns, model=model)
        results = zip(*(np.asarray(x).tolist() for x in found.values()), strict=True)
        expected = [tuple(int(x, 16) for x in row[_MODELS[model]].split("|")) for row in rows]
        assert list(results) == expected, ptx


@pytest.mark.parametrize("model", _MODELS)
@given(st.sampled_from(OPCODES), st.integers(0, 2**32), st.data())
@examples(600)
def test_a_second_formulation_agrees(
    model: str, opcode: str, seed: int, data: st.DataObject
) -> None:
    ins = random_instruction(opcode, seed)
    operands = {str(x.role): data.draw(bits(ins.type_of(x.role))) for x in ins.entry.sources}
    if opcode == "fns":
        operands["b"] %= 32  # the manual leaves other bases undefined
    written = operands | ({"e": 1 - operands["e"]} if ins.form.nege else {})
    values = list(written.values())
    if ins.form.lut is not None:
        values.insert(3, ins.form.lut)
    expected = compute(ins.mnemonic, *values, ptxas=model != "isa")
    if ins.form.dst == "_|p":
        expected = expected[1:]
    names = {ins.names[role]: value for role, value in operands.items()}
    found = evaluate(ins, names, model=model)
    assert tuple(found.values()) == expected


def test_the_forms_are_counted() -> None:
    """The table of PLAIN.md, with 256 truth tables, and `!e` and `_|p` of predicate forms."""
    assert {opcode: count_forms(opcode) for opcode in OPCODES} == {
        "prmt": 7,
        "lop3": 256,
        "bfe": 4,
        "bfi": 2,
        "shf": 4,
        "szext": 4,
        "bmsk": 2,
        "brev": 2,
        "clz": 2,
        "popc": 2,
        "bfind": 8,
        "fns": 1,
        "dp4a": 4,
        "dp2a": 8,
        "sad": 6,
    }
    assert list(CATALOG)[27:] == list(OPCODES)


# --- truth tables ------------------------------------------------------------------------


def test_every_table_has_a_formula_that_is_it() -> None:
    assert len(find_formulas()) == 256
    for table, formula in find_formulas().items():
        if table not in (0, 255):
            assert parse_formula(str(formula)) == table
            value = eval(str(formula), {"a": 0xF0, "b": 0xCC, "c": 0xAA})
            assert value & 255 == table


def test_ignored_variables() -> None:
    assert find_ignored_variables(0xF0) == ("b", "c")
    assert find_ignored_variables(0x3C) == ("c",)
    assert find_ignored_variables(0x96) == ()
    assert find_ignored_variables(0) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "table"),
    [("a & b", 0xC0), ("(a & b) | c", 0xEA), ("a ^ b ^ c", 0x96), ("!a", 0x0F), ("a|b&c", 0xF8)],
)
def test_a_formula_gives_its_table(text: str, table: int) -> None:
    assert parse_formula(text) == table


@pytest.mark.parametrize("text", ["", "a &", "a b", "x", "(a", "a)", "&a", "a & & b"])
def test_a_wrong_formula_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"formula|missing|operand"):
        parse_formula(text)
