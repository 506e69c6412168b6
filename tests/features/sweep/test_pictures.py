"""Pictures of sweeps as files: a change of what is drawn is seen in a review."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.driving.samples import draw_golden, is_as_it_was, read_pictures

PICTURES = read_pictures(Path(__file__).parent)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_equals_its_golden_file(name: str, snapshot: SnapshotAssertion) -> None:
    """Each was looked at before it was stored."""
    assert is_as_it_was(draw_golden(PICTURES[name]), snapshot, "svg")
