"""Every golden row, every model, through the integer path and the array path."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope import evaluate, replay, trace
from ptxscope.engine.models import errata_of
from tests.reference_data import MODELS, golden_forms, golden_opcodes, golden_rows


def test_the_golden_files_are_whole() -> None:
    assert len(golden_rows()) == 16_758 + 546
    assert len(golden_opcodes()) == 27


@pytest.mark.parametrize("model", MODELS)
def test_integers(model: str) -> None:
    for row in golden_rows():
        found = evaluate(row.instruction, row.operands, model=model)
        assert tuple(found.values()) == row.results[model], (row.ptx, row.values)


@pytest.mark.parametrize("model", MODELS)
def test_arrays(model: str) -> None:
    for ptx, rows in golden_forms():
        columns = {
            name: np.array([row.values[name] for row in rows], np.uint64)
            for name in rows[0].operands
        }
        found = evaluate(rows[0].instruction, columns, model=model)
        results = zip(*(np.asarray(x).tolist() for x in found.values()), strict=True)
        assert list(results) == [row.results[model] for row in rows], ptx


@pytest.mark.parametrize("model", MODELS)
def test_traces_end_in_the_result_and_replay_to_it(model: str) -> None:
    for row in golden_rows()[::5]:
        found = trace(row.instruction, row.operands, model=model)
        assert tuple(found.result.values()) == row.results[model]
        assert tuple(replay(found).values()) == row.results[model]
        last = {written.values[0] for written in found.steps[-1].rows}
        assert set(row.results[model]) <= last


def test_where_answers_differ_an_erratum_is_known_to_the_form_and_named_by_the_trace() -> None:
    differing = 0
    for row in golden_rows():
        for model in MODELS:
            errata = trace(row.instruction, row.operands, model=model).errata
            differs = row.results[model] != row.results["isa"]
            differing += differs
            assert bool(errata) == differs, (row, model)
            assert set(errata) <= {x.id for x in errata_of(row.instruction.form)}
    assert differing > 500
