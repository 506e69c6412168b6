"""Check the tree in which it runs, which lost a feature: `tools.removal` starts it there.

`python -m tools.remaining [PYTEST …] -- NAME …`: one process shows the help and a trace as the
command does, runs pytest, then imports every module, and looks for what must be gone. Each of them
imports only what the ones before it have not, so the command is first. It prints a line for each,
below it what a failed one wrote, and exits with status 1 if one failed.
"""

from __future__ import annotations

import importlib
import os
import runpy
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

_TRACE = ("trace", "vadd4.s32.s32.s32.sat d, a, b, c", "a=127", "b=1", "c=0")


def run_command(*words: str) -> None:
    """Run `python -m ptxscope`, which exits."""
    sys.argv = ["ptxscope", *words]
    runpy.run_module("ptxscope", run_name="__main__", alter_sys=True)


def run_tests(words: Sequence[str]) -> None:
    """Run pytest in this process or, where it starts others, in one of its own, and exit."""
    if "-n" in words:
        sys.exit(subprocess.run((sys.executable, "-m", "pytest", *words), check=False).returncode)
    import pytest

    sys.exit(int(pytest.main([*words])))


def import_modules() -> None:
    """Import every module of the package."""
    for path in sorted(Path("ptxscope").rglob("*.py")):
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        if not name.endswith("__main__"):
            importlib.import_module(name)


def check_names(names: Sequence[str]) -> None:
    """Exit with a report if a command or an action is still there, or a feature has a problem."""
    from ptxscope.cli.support.arguments import map_commands
    from ptxscope.feature import list_problems
    from ptxscope.state.actions import ACTIONS

    offers = {*map("command {}".format, map_commands()), *map("action {}".format, ACTIONS)}
    remnants = [f"{x} is still there" for x in sorted(offers & {*names})]
    sys.exit("\n".join([*remnants, *list_problems()]) or 0)


def run_check(name: str, check: Callable[[], None]) -> bool:
    """Run a check, print a line about it, and return whether it ends without a fault."""
    start, is_fine = time.monotonic(), True
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        descriptors = os.dup(1), os.dup(2)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            check()
        except SystemExit as end:
            is_fine = not end.code
            if isinstance(end.code, str):
                print(end.code)
        except BaseException:
            is_fine = False
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, descriptor in enumerate(descriptors, 1):
                os.dup2(descriptor, number)
                os.close(descriptor)
        file.seek(0)
        lines = file.read().decode(errors="replace").splitlines()
    print(f"  {'ok' if is_fine else 'FAILED':<6} {time.monotonic() - start:6.1f} s  {name}")
    if not is_fine:
        faults = [x for x in lines if x.startswith(("FAILED", "ERROR"))] or lines[-5:]
        print(*(f"      {x}" for x in dict.fromkeys([*faults, *lines[-1:]])), sep="\n")
    return is_fine


def main() -> None:
    """Run the checks; the arguments after `--` are what must be gone."""
    index = sys.argv.index("--")
    tests, names = sys.argv[1:index], sys.argv[index + 1 :]
    checks: dict[str, Callable[[], None]] = {
        "--help": partial(run_command, "--help"),
        "trace": partial(run_command, *_TRACE),
        " ".join(x for x in tests if "/" in x) or "all tests": partial(run_tests, tests),
        "import of every module": import_modules,
        "what it added is gone": partial(check_names, names),
    }
    verdicts = [run_check(*check) for check in checks.items()]  # all, also after a fault
    sys.exit(not all(verdicts))


if __name__ == "__main__":
    main()
