"""Entry points of languages, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable

from ptxscope.sources.source_programs import load

ENTRIES: dict[str, Callable[[str], object]] = {
    f"load .{ending}": lambda text, ending=ending: load(text, f"x.{ending}")  # type: ignore[misc]
    for ending in ("py", "rs", "ll", "md")
}
