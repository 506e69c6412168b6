"""Every golden row, every model, through the integer path and the array path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from ptxscope import evaluate, replay, trace
from tests.reference import reference
from tests.reference_data import (
    MODELS,
    Golden,
    golden_forms,
    golden_opcodes,
    golden_rows,
    group_by_line,
    plain_rows,
)
from tests.tiers import thorough


def test_the_golden_files_have_all_rows() -> None:
    assert Counter(row.file for row in golden_rows()) == {
        "golden.csv": 16_758,
        "errata.csv": 602,
        "guarded.csv": 50,
    }
    assert len(golden_opcodes()) == 27


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=thorough)])
@pytest.mark.parametrize("model", MODELS)
def test_results_on_integers_equal_the_golden_rows(model: str, step: int) -> None:
    for row in golden_rows()[::step]:
        found = evaluate(row.instruction, row.operands, model=model)
        assert tuple(found.values()) == row.results[model], (row.ptx, row.values)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=thorough)])
@pytest.mark.parametrize("model", MODELS)
def test_results_on_arrays_equal_the_golden_rows(model: str, step: int) -> None:
    for ptx, rows in golden_forms()[::step]:
        check_as_arrays(ptx, rows, model)


def check_as_arrays(ptx: str, rows: Sequence[Golden], model: str) -> None:
    columns = {
        name: np.array([row.values[name] for row in rows], np.uint64) for name in rows[0].operands
    }
    found = evaluate(rows[0].instruction, columns, model=model)
    results = zip(*(np.asarray(x).tolist() for x in found.values()), strict=True)
    assert list(results) == [row.results[model] for row in rows], ptx


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=thorough)])
@pytest.mark.parametrize("model", ["isa", "ptxas-13.0"])
def test_executed_rows_of_the_instructions_beside_the_27(model: str, step: int) -> None:
    rows = [row for row in plain_rows() if model in row.results]
    assert len(rows) > 2800
    for row in rows:
        found = evaluate(row.instruction, row.operands, model=model)
        assert tuple(found.values()) == row.results[model], row
    for row in rows[::step]:
        shown = trace(row.instruction, row.operands, model=model)
        assert tuple(shown.result.values()) == row.results[model], row
        assert replay(shown) == shown.result, row
    for ptx, of_line in group_by_line(rows)[::step]:
        if of_line[0].operands:
            check_as_arrays(ptx, of_line, model)


@pytest.mark.parametrize("step", [50, pytest.param(9, marks=thorough)])
@pytest.mark.parametrize("model", MODELS)
def test_traces_end_in_the_result_and_replay_to_it(model: str, step: int) -> None:
    for row in golden_rows()[::step]:
        found = trace(row.instruction, row.operands, model=model)
        assert tuple(found.result.values()) == row.results[model]
        assert tuple(replay(found).values()) == row.results[model]
        last = {written.values[0] for written in found.steps[-1].rows}
        assert set(row.results[model]) <= last


@pytest.mark.parametrize("step", [54, pytest.param(7, marks=thorough)])
def test_a_trace_names_an_erratum_of_its_form_if_answers_differ(
    step: int,
) -> None:
    differing = 0
    for row in golden_rows()[::step]:
        for model in MODELS:
            errata = trace(row.instruction, row.operands, model=model).errata
            differs = row.results[model] != row.results["isa"]
            differing += differs
            assert bool(errata) == differs, (row, model)
            assert set(errata) <= {x.id for x in row.instruction.errata}
    assert differing > 500 // step


@pytest.mark.parametrize("model", MODELS)
def test_the_second_formulation_has_the_rows_of_the_errata_and_of_the_guards(model: str) -> None:
    rows = [row for row in golden_rows() if row.file != "golden.csv"]
    for row in rows:
        assert tuple(reference(row.ptx, row.values, model).values()) == row.results[model], row
