"""Fixtures of documents."""

from __future__ import annotations

import pytest

from ptxscope import Trace
from tests.driving.samples import EXAMPLES, example


@pytest.fixture(params=EXAMPLES, ids="-".join)
def sample(request: pytest.FixtureRequest) -> Trace:
    """The example of every instruction under both models; for tests that are ``sampled``."""
    return example(*request.param)
