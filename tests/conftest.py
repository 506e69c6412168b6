"""How the tests run: in tiers (see tiers.py), with hypothesis profiles to match."""

from __future__ import annotations

import gc
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.tiers import ALONE, QUICK, USUAL, is_drawn, mark_left

gc.disable()  # until all tests are collected: they stay until the end
TESTS = Path(__file__).parent
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
for _name, _count in (("default", USUAL // QUICK), ("thorough", USUAL // 3)):
    settings.register_profile(
        _name, max_examples=_count, deadline=None, derandomize=True, suppress_health_check=_SLOW
    )
settings.register_profile("soak", max_examples=20_000, deadline=None, suppress_health_check=_SLOW)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="only the larger draws")
    parser.addoption("--soak", action="store_true", help="everything, and long campaigns")


def _profile(config: pytest.Config) -> str:
    return next((name for name in ("soak", "thorough") if config.getoption(name)), "default")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(_profile(config))
    if _profile(config) == "thorough":  # the default run compares the snapshots
        config.option.disable_unused_snapshots = True


def pytest_collection(session: pytest.Session) -> None:
    """Let one of two workers compile the tests from the last one on, not both the same ones."""
    config = session.config
    worker = getattr(config, "workerinput", {"workerid": "gw0"})["workerid"]
    if int(worker.removeprefix("gw")) % 2 and config.args == config.getini("testpaths"):
        for path in sorted(TESTS.rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # it is reported by the collection
                import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def is_left_out(item: pytest.Item) -> bool:
    """Return whether the default run leaves a test to the thorough tier."""
    return any(map(item.get_closest_marker, ("thorough", "ci_only")))


def is_thorough(item: pytest.Item) -> bool:
    """Return whether the thorough tier has a test: all properties draw more there."""
    return is_left_out(item) or bool(
        getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_left(items)
    functions: dict[bool, set[str]] = {True: set(), False: set()}
    for item in items:
        functions[bool(item.get_closest_marker("thorough"))].add(item.nodeid.partition("[")[0])
    config.stash[ALONE] = functions[True] - functions[False]
    profile = _profile(config)
    if profile == "soak":
        return
    counts = Counter(item.nodeid.partition("[")[0] for item in items)
    kept = [
        item
        for item in items
        if not item.get_closest_marker("soak")
        and (
            is_thorough(item) and is_drawn(item, counts)
            if profile == "thorough"
            else not is_left_out(item)
        )
    ]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: garbage is not looked for among them, nor often."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
