"""How far a soak is, on a terminal: a line below what failed, in place of the dots."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ptxscope.cli.support.progress_bar import ProgressBar


class Soaking:
    """Watches tests as they end, in this process or in those that pytest-xdist started."""

    def __init__(self, plugins: pytest.PytestPluginManager) -> None:
        self.plugins, self.bar, self.done = plugins, ProgressBar(), 0
        self.said = False
        """How a test ended is said here, not by pytest."""
        self.bar.begin("soaking", None, "tests")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The tests are known."""
        self.bar.total = len(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """They are known to another process; each has the same."""
        self.bar.total = len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """What a test is counted as, without a letter; a word for what failed, in the summary."""
        if report.failed:
            word = "" if self.said else "FAILED"
            return ("failed" if report.when == "call" else "error"), "", word
        if hasattr(report, "wasxfail"):
            return "xfailed" if report.skipped else "xpassed", "", ""
        return report.outcome if report.skipped or report.when == "call" else "", "", ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Iterator[None]:
        """A test ended, or a part of it."""
        if report.failed:
            self.bar.hide()
            reporter: Any = self.plugins.get_plugin("terminalreporter")
            reporter.write_line(f"FAILED {report.nodeid}")
        self.said = True
        yield
        self.said = False
        self.done += report.when == "teardown"
        self.bar.advance_to(self.done)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """The rest is told by others."""
        self.bar.__exit__()


def watch(config: pytest.Config) -> None:
    """Watch, where there is a terminal and nobody wants more to be told."""
    if sys.stderr.isatty() and config.get_verbosity() <= 0:
        config.pluginmanager.register(Soaking(config.pluginmanager))
