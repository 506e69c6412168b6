"""An instruction that is added computes tables, too."""

from __future__ import annotations

import csv
import io

from tests.driving.added_instructions import LINE, OPERANDS, ask_process, reverse_bytes


def test_the_rows_of_a_csv_file_have_the_results_of_the_added_instruction() -> None:
    table = "\n".join(["a", *map(hex, OPERANDS), ""])
    status, text, messages = ask_process({"csv": (["eval", LINE, "--csv", "-"], table)})["csv"]
    assert (status, messages) == (0, "")
    results = [int(row["d"], 16) for row in csv.DictReader(io.StringIO(text))]
    assert results == [reverse_bytes(a) for a in OPERANDS]
