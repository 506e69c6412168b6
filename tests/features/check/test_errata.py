"""``ptxscope errata``: the differences between ptxas and the documentation."""

from __future__ import annotations

import json

from ptxscope.engine.semantics.rules import ERRATA
from tests.cli.test_completion import offered
from tests.driving.command_line import list_loaded_modules, run


def test_errata_prints_every_erratum() -> None:
    printed = run("errata").stdout
    assert all(f"{x.id}  " in printed and x.example[0] in printed for x in ERRATA)
    (one,) = json.loads(run("errata", "e3", "-f", "json").stdout)
    assert one["id"] == "E3"
    assert one["example"]["ptxas"] == "0x112233ff"
    assert {"id", "forms", "versions", "targets", "sentence", "example"} <= one.keys()


def test_completion_offers_errata() -> None:
    assert offered("errata", "E1") == ["E1", *(f"E1{digit}" for digit in range(10))]


def test_neither_textual_nor_numpy_is_imported() -> None:
    assert not {"textual", "rich", "numpy"} & list_loaded_modules("errata")
