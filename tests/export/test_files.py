"""Documents and pictures as files: a change of what is exported is seen in a review."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from ptxscope import export, trace
from ptxscope.documents import Format
from ptxscope.documents.options import MachineRow, MachineSection, Options
from tests.driving.samples import BLOCK, E3, PICTURES, annotated, draw_golden, example, is_as_it_was

TRACES = {
    "e3": annotated(E3, "a <note> | with `signs`"),
    "vset4": example("vset4"),
    "block": BLOCK,
}


@pytest.mark.parametrize("format_", [Format.TEXT, Format.MARKDOWN, Format.HTML])
@pytest.mark.parametrize("name", TRACES)
def test_a_document_equals_its_golden_file(
    name: str, format_: Format, snapshot: SnapshotAssertion
) -> None:
    document = export(TRACES[name], format_, Options(both=True))
    assert is_as_it_was(document, snapshot, format_.endings[0])


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_equals_its_golden_file(name: str, snapshot: SnapshotAssertion) -> None:
    """Each was looked at before it was stored."""
    assert is_as_it_was(draw_golden(name), snapshot, "svg")


def test_machine_code_in_a_picture_equals_its_golden_file(snapshot: SnapshotAssertion) -> None:
    rows = (
        MachineRow("0000", "LDG.E R2, [R2]", "load a", ""),
        MachineRow("0010", "IADD3 R0, R2, R5, RZ", "operate.t", "operate"),
        MachineRow("0020", "MOV R7, R0", "part of write.d", "write"),
    )
    about = ("Equal to isa for all operands.",)
    code = MachineSection("sm_90", "2 instructions", "tools", about, rows, ("isa",), frozenset())
    shown = trace("vadd.s32.s32.s32 d, a, b", {"a": 1, "b": 2})
    svg = export(shown, "svg", Options(machine_code=code, footer=False))
    assert is_as_it_was(svg, snapshot, "svg")
