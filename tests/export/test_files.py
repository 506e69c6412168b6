"""A dozen documents as files: a change of what is exported is seen in a review."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ptxscope import export
from ptxscope.documents import Format
from ptxscope.documents.options import Options
from tests.export.samples import E3, annotated, example

TRACES = {
    "e3": annotated(E3, "a <note> | with `signs`"),
    "vset4": example("vset4"),
    "setp": example("setp"),
}


@pytest.mark.parametrize("format_", [Format.TEXT, Format.MARKDOWN, Format.HTML, Format.SVG])
@pytest.mark.parametrize("name", TRACES)
def test_a_document_is_as_it_was(name: str, format_: Format, snapshot: SnapshotAssertion) -> None:
    class Document(SingleFileSnapshotExtension):
        _write_mode = WriteMode.TEXT
        file_extension = format_.endings[0]

    document = export(TRACES[name], format_, Options(both=True))
    assert document == snapshot.use_extension(Document)
