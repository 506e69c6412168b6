"""Delete a feature in a copy of the tree, and run the rest: `python3 dev.py removal [NAME …]`.

Features that need it, and their tests, are also deleted. Without a name, it deletes each feature in
turn, and then all of them, which leaves the core; the name for that is `core`. What follows is in
`tools.remaining`: the help, a trace, the explorer's sessions or, with --all, all tests of
`dev.py test`, and an import of every module. The exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ptxscope.feature import list_features

ROOT = Path(__file__).resolve().parent.parent
_PYTEST = ("-q", "-p", "no:cacheprovider")

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


def link_tree(source: Path, target: Path, gone: Sequence[str]) -> None:
    """Copy a tree without features and their tests; its files are links, which none writes to."""
    left_out = {
        source / part / "features" / name for part in ("ptxscope", "tests") for name in gone
    }

    def list_left_out(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if Path(folder, name) in left_out}

    shutil.copytree(source, target, ignore=list_left_out, copy_function=os.link)


def check_removal(name: str, copied: Path, *, is_whole: bool, workers: int) -> tuple[str, bool]:
    """Return the report of the tree without a feature, and whether all succeeded."""
    gone = list_dependents(name)
    records = [x for x in list_features() if x.name in gone]
    names = [f"command {x.name}" for record in records for x in record.commands]
    names += [f"action {x.id}" for record in records for x in record.keys]
    everything = ("-n", str(workers), "--dist", "worksteal")
    tests = everything if is_whole else ("tests/app/test_sessions.py",)
    tree = copied.with_name(name)
    link_tree(copied, tree, gone)
    done = subprocess.run(
        (sys.executable, "-m", "tools.remaining", *_PYTEST, *tests, "--", *names),
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""},
        check=False,
        capture_output=True,
        text=True,
    )
    shutil.rmtree(tree)
    report = f"{name}: deleted with its tests: {', '.join(gone)}\n{done.stdout}"
    if not done.returncode:
        return report.rstrip(), True
    return f"{report}{done.stderr}  FAILED, status {done.returncode}", False


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
    failed = []
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(1 if chosen.all else cores) as pool,
    ):
        copied = Path(folder) / "whole tree"
        copy_tree(copied)
        check = partial(check_removal, copied=copied, is_whole=chosen.all, workers=cores)
        for name, (report, is_fine) in zip(selected, pool.map(check, selected), strict=True):
            print(report, flush=True)
            failed += [name] * (not is_fine)
    print(f"failed: {', '.join(failed)}" if failed else f"without each of {len(selected)}: ok")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
