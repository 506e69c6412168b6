"""How the tests run: hypothesis profiles, and what --soak adds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default", max_examples=200, deadline=None, derandomize=True, suppress_health_check=_SLOW
)
settings.register_profile("soak", max_examples=20_000, deadline=None, suppress_health_check=_SLOW)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="long campaigns")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("soak" if config.getoption("--soak") else "default")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--soak"):
        skip = pytest.mark.skip(reason="only with --soak")
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(skip)
