"""`python3 dev.py bench [NAME …]`: run the benchmarks and print their ratios."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("start", "screen", "batch", "explain", "check")


def main() -> None:
    """Run the named benchmarks, or all."""
    for name in sys.argv[1:] or NAMES:
        print(f"{name}:")
        for line in import_module(f"benchmarks.{name}").report():
            print(f"  {line}")


if __name__ == "__main__":
    main()
