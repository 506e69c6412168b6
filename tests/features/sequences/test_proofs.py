"""The table of sequences that compute an intrinsic is proved."""

from __future__ import annotations

import pytest

from ptxscope.features.sequences.patterns import Pattern, get_patterns
from tests.driving.feature_tables import needs
from tests.tiers import whole
from tools.intrinsic_sequences import prove_pattern

pytest.importorskip("bitwuzla")


@needs("prove")
@whole
@pytest.mark.parametrize("pattern", get_patterns(), ids=lambda x: x.intrinsic)
def test_each_row_of_the_table_is_proved(pattern: Pattern) -> None:
    prove_pattern(pattern)
