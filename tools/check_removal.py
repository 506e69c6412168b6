"""Delete a feature in a copy of the tree; import the rest, start it, and run its tests.

``python tools/check_removal.py NAME [PYTEST ARGUMENTS]``; without arguments, all tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_IMPORTS = """
import importlib, pathlib
for path in sorted(pathlib.Path("ptxscope").rglob("*.py")):
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    if not name.endswith("__main__"):
        importlib.import_module(name)
"""
_TRACE = ("trace", "vadd4.s32.s32.s32.sat d, a, b, c", "a=127", "b=1", "c=0")
_SMOKE = ("tests/test_feature_records.py", "tests/app", "tests/state", "tests/features")


def list_dependents(name: str) -> list[str]:
    """Return a feature and those that need it, which go with it."""
    sys.path.insert(0, str(ROOT))
    from ptxscope.feature import list_features

    gone = [name]
    for x in list_features() * 2:
        if x.name not in gone and {*x.needs} & {*gone}:
            gone.append(x.name)
    return gone


def main(name: str, *arguments: str) -> int:
    """Check the tree without a feature; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        names = subprocess.check_output(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True
        )
        for file in names.splitlines():
            if (ROOT / file).is_file():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, tree / file)
        for gone in list_dependents(name):
            print(f"deleted: {gone}")
            shutil.rmtree(tree / "ptxscope/features" / gone)
            shutil.rmtree(tree / "tests/features" / gone, ignore_errors=True)
        runs = (
            ["-c", _IMPORTS],
            ["-m", "ptxscope", "--help"],
            ["-m", "ptxscope", *_TRACE],
            ["-m", "pytest", "-q", "-n2", "-p", "no:cacheprovider", *(arguments or _SMOKE)],
        )
        status = 0
        for run in runs:
            done = subprocess.run(
                [sys.executable, *run],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": str(tree)},
                check=False,
                capture_output=True,
                text=True,
            )
            lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
            shown = [x for x in lines if x.startswith(("FAILED", "ERROR"))] + lines[-3:]
            print(f"{done.returncode}  {' '.join(run)[:60]!r}", *shown, sep="\n    ")
            status |= done.returncode
        return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
