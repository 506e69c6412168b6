"""Shades of maps, and what a sweep as text loads."""

from __future__ import annotations

from itertools import pairwise

from ptxscope.features.sweep.terminal_plot import COLOUR_RAMP
from tests.cli.test_commands import LINE
from tests.driving.colours import contrast, linear, luminance
from tests.driving.command_line import list_loaded_modules


def test_a_sweep_as_text_draws_no_picture() -> None:
    loaded = list_loaded_modules("sweep", LINE, "--x", "a.b0", "r3=1", "c=0")
    assert "ptxscope.features.sweep.computation" in loaded
    assert not [x for x in loaded if "documents.svg" in x]


def test_shades_of_sweeps_differ_in_lightness() -> None:
    light = [luminance(linear(colour)) for colour in COLOUR_RAMP]
    assert all(low <= high for low, high in pairwise(light))
    assert all(light[at] < light[at + 4] for at in range(0, 252, 4))
    assert contrast(linear(COLOUR_RAMP[0]), linear(COLOUR_RAMP[-1])) > 12
