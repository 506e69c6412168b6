"""Documents and pictures as files: a change of what is exported is seen in a review."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from ptxscope import export
from ptxscope.documents import find_format
from ptxscope.documents.options import Options
from tests.driving.samples import BLOCK, E3, PICTURES, annotated, draw_golden, example, is_as_it_was

TRACES = {
    "e3": annotated(E3, "a <note> | with `signs`"),
    "vset4": example("vset4"),
    "block": BLOCK,
}


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
@pytest.mark.parametrize("name", TRACES)
def test_a_document_equals_its_golden_file(
    name: str, format_: str, snapshot: SnapshotAssertion
) -> None:
    document = export(TRACES[name], format_, Options(both=True))
    assert is_as_it_was(document, snapshot, find_format(format_).endings[0])


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_equals_its_golden_file(name: str, snapshot: SnapshotAssertion) -> None:
    """Each was looked at before it was stored."""
    assert is_as_it_was(draw_golden(PICTURES[name]), snapshot, "svg")
