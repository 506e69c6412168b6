"""Floats in runs: bit for bit as exact fractions have them."""

from __future__ import annotations

import pytest

from tests.features.kernels.float_forms import (
    CONVERSIONS,
    FORMS,
    check_runs,
    draw_arithmetic,
    draw_conversion,
    draw_small_floats,
)
from tests.tiers import sampled


@pytest.mark.parametrize("name", FORMS)
@sampled
def test_arithmetic_on_floats_has_the_bits_of_exact_fractions(name: str) -> None:
    check_runs(draw_arithmetic(name))


@pytest.mark.parametrize("name", CONVERSIONS)
@sampled
def test_conversions_of_floats_have_the_bits_of_exact_fractions(name: str) -> None:
    check_runs(draw_conversion(name))


@pytest.mark.parametrize("kind", ["e4m3x2", "e5m2x2"])
def test_floats_of_8_bits_have_the_values_of_their_fields(kind: str) -> None:
    check_runs(draw_small_floats(kind))
