"""Delete a feature in a copy of the tree, and run the rest: `python3 dev.py removal [NAME …]`.

Features that need it, and their tests, are also deleted. Without a name, it deletes each feature in
turn, and then all of them, which leaves the core; the name for that is `core`. Every module is
imported; then follow the help, a trace and the explorer's sessions, and with --all the other tests
of `dev.py test`. The exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ptxscope.feature import list_features

ROOT = Path(__file__).resolve().parent.parent
_IMPORTS = """
import importlib, pathlib
for path in sorted(pathlib.Path("ptxscope").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    if not name.endswith("__main__"):
        importlib.import_module(name)
"""
_IS_GONE = """
import sys
from ptxscope.cli.support.arguments import map_commands
from ptxscope.feature import list_problems
from ptxscope.state.actions import ACTIONS
there = {*map("command {}".format, map_commands()), *map("action {}".format, ACTIONS)}
left = there & {*sys.argv[1:]}
sys.exit("\\n".join([*(f"{x} is still there" for x in left), *list_problems()]) or 0)
"""
_TRACE = ("trace", "vadd4.s32.s32.s32.sat d, a, b, c", "a=127", "b=1", "c=0")
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


class Run(NamedTuple):
    """A process in a tree without a feature."""

    name: str
    words: tuple[str, ...]
    """Arguments of Python."""


CORE = "core"
"""The name for deleting all features at once."""


def list_dependents(name: str) -> list[str]:
    """Return a feature, and the features that need it, directly or not; of the core, all."""
    if name == CORE:
        return [x.name for x in list_features()]
    gone = [name]
    for _ in list_features():
        gone += [x.name for x in list_features() if x.name not in gone and {*x.needs} & {*gone}]
    return gone


def choose_turn(count: int) -> list[str]:
    """Return ``count`` features, which change with each commit or, without a history, each day."""
    command = ("git", "rev-list", "--count", "HEAD")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    turn = int(done.stdout) if done.returncode == 0 else int(time.time()) // 86_400
    names = [*(x.name for x in list_features()), CORE]
    return [names[(turn * count + at) % len(names)] for at in range(min(count, len(names)))]


def copy_tree(target: Path) -> None:
    """Copy the files that git knows or would add, and what is compiled; without git, all sources.

    Compiled code names its source by size and time, which are copied, too.
    """
    command = ("git", "ls-files", "-co", "--exclude-standard")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        ignored = shutil.ignore_patterns(".venv*", "__pycache__", "_build", "node_modules")
        shutil.copytree(ROOT, target, ignore=ignored)
        return
    for path in (ROOT / name for name in done.stdout.splitlines()):
        compiled = (
            path.parent.glob(f"__pycache__/{path.stem}.*.pyc") if path.suffix == ".py" else ()
        )
        for source in filter(Path.is_file, (path, *compiled)):
            copied = target / source.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copied)


def list_runs(gone: Sequence[str], *, is_whole: bool, workers: int) -> Iterator[Run]:
    """Yield the runs without some features."""
    records = [x for x in list_features() if x.name in gone]
    names = [f"command {x.name}" for record in records for x in record.commands]
    names += [f"action {x.id}" for record in records for x in record.keys]
    yield Run("import of every module", ("-c", _IMPORTS))
    yield Run("what it added is gone", ("-c", _IS_GONE, *names))
    yield Run("--help", ("-m", "ptxscope", "--help"))
    yield Run("trace", ("-m", "ptxscope", *_TRACE))
    if is_whole:
        yield Run("all tests", (*_PYTEST, "-n", str(workers), "--dist", "worksteal"))
    else:
        yield Run("sessions", (*_PYTEST, "tests/app/test_sessions.py"))


def check_removal(name: str, *, is_whole: bool, workers: int) -> tuple[str, bool]:
    """Return the report of the runs without a feature, and whether all succeeded."""
    gone = list_dependents(name)
    lines, is_fine = [f"{name}: deleted with its tests: {', '.join(gone)}"], True
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copy_tree(tree)
        for other in gone:
            shutil.rmtree(tree / "ptxscope" / "features" / other)
            shutil.rmtree(tree / "tests" / "features" / other, ignore_errors=True)
        env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
        for run in list_runs(gone, is_whole=is_whole, workers=workers):
            start = time.monotonic()
            done = subprocess.run(
                (sys.executable, *run.words),
                cwd=tree,
                env=env,
                check=False,
                capture_output=True,
                text=True,
            )
            verdict = "FAILED" if done.returncode else "ok"
            lines.append(f"  {verdict:<6} {time.monotonic() - start:6.1f} s  {run.name}")
            if done.returncode:
                is_fine = False
                printed = [*done.stdout.splitlines(), *done.stderr.splitlines()]
                shown = [x for x in printed if x.startswith(("FAILED", "ERROR"))] or printed[-5:]
                lines += [f"      {x}" for x in (*shown, printed[-1] if printed else "")]
    return "\n".join(lines), is_fine


def main() -> None:
    """Check the named features, or all of them, in the short form two at a time."""
    names = [*(x.name for x in list_features()), CORE]
    parser = argparse.ArgumentParser(description="Delete features in copies of the tree.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"feature: {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="run all remaining tests")
    parser.add_argument("--turn", type=int, metavar="N", help="N features, others each commit")
    chosen = parser.parse_args()
    if unknown := {*chosen.names} - {*names}:
        parser.error(f"no feature {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    selected = chosen.names or (choose_turn(chosen.turn) if chosen.turn else names)
    cores = os.cpu_count() or 1
    check = partial(check_removal, is_whole=chosen.all, workers=cores)
    failed = []
    with ThreadPoolExecutor(1 if chosen.all else cores) as pool:
        for name, (report, is_fine) in zip(selected, pool.map(check, selected), strict=True):
            print(report, flush=True)
            failed += [name] * (not is_fine)
    print(f"failed: {', '.join(failed)}" if failed else f"without each of {len(selected)}: ok")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
