"""The registers that a statement reads and writes."""

from __future__ import annotations

import pytest

from ptxscope.engine.syntax.opcodes import OPCODES
from ptxscope.engine.syntax.tokens import find_statements
from ptxscope.features.check.statement_registers import find_accesses
from tests.reference_data import read_lines


@pytest.mark.parametrize(("text", "written", "read_names"), read_lines("statements.txt", 3))
def test_what_a_statement_reads_and_writes_is_known(
    text: str, written: str, read_names: str
) -> None:
    (raw,) = find_statements(text, OPCODES)
    accesses = find_accesses(raw)
    assert accesses
    names = [x.text for x in accesses.writes if x.text != "_"]
    assert sorted(names) == sorted(written.split())
    names = [x.text for x in accesses.reads if x.text in "abcdxypq"]
    assert sorted(names) == sorted(read_names.split())
