"""`python3 dev.py bench [NAME …]`: run the benchmarks and print their ratios.

With `--limit`, only say how long `trace` takes to start, and fail where that is too long.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from ptxscope.feature import list_features

from . import start

NAMES = (
    *("start", "screen", "throughput", "rows", "explain"),
    *("check", "editor", "sweep", "prove", "kernels"),
)
OF_FEATURES = {
    "rows": "tables",
    "check": "check",
    "editor": "editor",
    "sweep": "sweep",
    "prove": "prove",
    "kernels": "kernels",
}
"""The features of some benchmarks, which are skipped without them."""
# `page` needs a browser: dev.py starts it in an environment of its own


def main() -> None:
    """Run the named benchmarks, or all."""
    to = argparse.ArgumentParser(prog="dev.py bench", description="Report speed as ratios.")
    to.add_argument("names", metavar="NAME", nargs="*", help=", ".join(NAMES) + "; all by default")
    to.add_argument(
        "--limit",
        type=float,
        metavar="TIMES",
        help="of start: fail where `trace` takes more than that many times an empty program's time",
    )
    to.add_argument(
        "--page", action="store_true", help="of throughput: write docs/dev/benchmarks.md"
    )
    to.add_argument(
        "--others",
        type=Path,
        metavar="FOLDER",
        help="of screen: a table with other programs, in environments that are made in FOLDER",
    )
    chosen = to.parse_args()
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        to.error(f"there is no benchmark {unknown[0]!r}; {', '.join(NAMES)}")
    if chosen.limit is not None:
        if chosen.names != ["start"]:
            to.error("--limit is of `start`")
        sys.exit(_limited(chosen.limit))
    if chosen.page:
        if chosen.names != ["throughput"]:
            to.error("--page is of `throughput`")
        throughput = import_module("benchmarks.throughput")
        throughput.renew_page()
        return
    if chosen.others is not None:
        if chosen.names != ["screen"]:
            to.error("--others is of `screen`")
        for line in import_module("benchmarks.others").table(chosen.others):
            print(line, flush=True)
        return
    features = {feature.name for feature in list_features()}
    for name in chosen.names or NAMES:
        print(f"{name}:")
        if (needed := OF_FEATURES.get(name)) and needed not in features:
            print(f"  skipped: there is no feature {needed}")
            continue
        for line in import_module(f"benchmarks.{name}").report():
            print(f"  {line}")


def _limited(limit: float) -> int:
    found = start.ratio()
    print(
        f"`trace` takes {found:.2f} x an empty program's time "
        f"(to be at most {start.MOST}; fails above {limit})"
    )
    return int(found > limit)


if __name__ == "__main__":
    main()
