"""An instruction that is added is swept, too."""

from __future__ import annotations

import csv
import io

from tests.driving.added_instructions import LINE, OPERANDS, RESULT, ask_process


def test_the_added_instruction_is_swept() -> None:
    words = ["sweep", LINE, f"a={OPERANDS[0]:#x}"]
    answers = ask_process(
        {
            "sweep": ([*words, "--x", "a.b1", "--of", "d", "-f", "csv"], ""),
            "words": ([*words, "-f", "words"], ""),
        }
    )
    rows = list(csv.reader(io.StringIO(answers["sweep"][1])))[1:]
    assert len(rows) == 256
    assert int(rows[OPERANDS[0] >> 8 & 0xFF][3], 16) == RESULT
    assert "goes through" in answers["words"][1]
