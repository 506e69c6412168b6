"""What is known of any statement: what it reads and writes, and why it is not modelled."""

from __future__ import annotations

import pytest

from ptxscope.engine.program.statement import Statement
from ptxscope.sources.source_programs import load
from tests.reference_data import read_lines

DECLARATIONS = ".reg .b32 a, b, c, d; .reg .b64 x, y; .reg .pred p, q;"


def read(text: str) -> Statement:
    (program,) = load(f"{DECLARATIONS} {text}")
    return program.statements[-1]


@pytest.mark.parametrize(("text", "written", "read_names"), read_lines("statements.txt", 3))
def test_all_readers_know_what_a_statement_reads_and_writes(
    text: str, written: str, read_names: str
) -> None:
    statement = read(text)
    assert sorted(statement.writes) == sorted(written.split())
    assert sorted(statement.iter_written_names()) == sorted(written.split())
    assert sorted(statement.iter_read_names()) == sorted(read_names.split())
