"""What is known of any statement: the registers that it writes."""

from __future__ import annotations

import pytest

from ptxscope.engine.program.statement import Statement
from ptxscope.sources.source_programs import load
from tests.reference_data import read_lines

DECLARATIONS = ".reg .b32 a, b, c, d; .reg .b64 x, y; .reg .pred p, q;"


def read(text: str) -> Statement:
    (program,) = load(f"{DECLARATIONS} {text}")
    return program.statements[-1]


@pytest.mark.parametrize(
    ("text", "written"), [(text, written) for text, written, _ in read_lines("statements.txt", 3)]
)
def test_what_a_statement_writes_is_known(text: str, written: str) -> None:
    statement = read(text)
    assert sorted(statement.writes) == sorted(written.split())
