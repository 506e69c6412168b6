#!/usr/bin/env python3
"""Everything a developer does, each in one command, from a fresh checkout.

    python3 dev.py explore     open the explorer on a real example
    python3 dev.py test        run the tests, a smaller draw of the long ones
    python3 dev.py thorough    run the larger draws
    python3 dev.py check       format, lint, types, import contracts, tests
    python3 dev.py soak        long campaigns of the tests: hours
    python3 dev.py wheel       build the wheel; run it in a clean environment
    python3 dev.py bench       speed, as ratios against baselines of the same run
    python3 dev.py screenshots draw screenshots/ anew from the running app
    python3 dev.py docs        build the manual into docs/_build
    python3 dev.py lock        resolve locks/ anew

Needs Python 3.11 or later with pip and venv, nothing else. What it installs goes into
.venv beside this file, at the versions of locks/.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCKS = ROOT / "locks"
EXAMPLE = (
    "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0",
    "%r2=0x80ff7f01",
    "%r3=0x01010101",
    "%r0=5",
)
SOURCES = ("ptxscope", "tests", "benchmarks", "tools", "dev.py")


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_venv(venv: Path) -> None:
    """Make a virtual environment, or say what is missing for it."""
    try:
        import ensurepip  # noqa: F401
        import venv as _  # noqa: F401
    except ImportError:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(
            f"{sys.executable} can't make virtual environments: its venv module is not whole.\n"
            f"On Debian and Ubuntu: apt install python{version}-venv (or python3-venv)."
        )
    run(sys.executable, "-m", "venv", "--clear", str(venv))


def environment(lock: str) -> Path:
    """The interpreter of .venv, which has what the lock names."""
    venv = ROOT / ".venv"
    python, stamp = python_of(venv), venv / f"{lock}.stamp"
    digest = hashlib.sha256((LOCKS / f"{lock}.txt").read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == digest:
        return python
    if not python.exists():
        print(f"making {venv} …", flush=True)
        make_venv(venv)
    print(f"installing what locks/{lock}.txt names …", flush=True)
    run(
        str(python),
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "--no-deps", "-r", str(LOCKS / f"{lock}.txt")),
    )
    stamp.write_text(digest)
    return python


def run(*command: str, cwd: Path = ROOT, **env: str) -> None:
    """Run a command; leave with its status where it fails."""
    status = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, check=False).returncode
    if status:
        sys.exit(status)


def explore(*arguments: str) -> None:
    """Open the explorer."""
    run(str(environment("run")), "-m", "ptxscope", "open", *(arguments or EXAMPLE))


def test(*arguments: str) -> None:
    """Run the tests, side by side on every core."""
    spread = ("-n", "auto", "--dist", "worksteal")
    run(str(environment("dev")), "-m", "pytest", *spread, "-q", *arguments)


def thorough(*arguments: str) -> None:
    """Run the larger draws of the tests that `test` takes a smaller one of."""
    test("--thorough", *arguments)


def lint() -> None:
    """Format, lint, types and import contracts, changing nothing."""
    python = str(environment("dev"))
    sources = [name for name in SOURCES if (ROOT / name).exists()]
    run(python, "-m", "ruff", "format", "--check", *sources)
    run(python, "-m", "ruff", "check", *sources)
    run(python, "-m", "mypy")
    run(str(Path(python).parent / "lint-imports"), PYTHONPATH=str(ROOT))


def check() -> None:
    """Everything that must hold before a change lands."""
    lint()
    test()


def soak(*arguments: str) -> None:
    """Long campaigns of the tests."""
    test("--soak", *arguments)


def wheel() -> None:
    """Build the wheel, install it into a clean environment and use it there."""
    python = str(environment("dev"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", name)
        (built,) = folder.glob("*.whl")
        make_venv(folder / "venv")
        clean = str(python_of(folder / "venv"))
        install = (clean, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*install, "--require-hashes", "--no-deps", "-r", str(LOCKS / "run.txt"))
        run(*install, "--no-deps", str(built))
        command = str(Path(clean).parent / "ptxscope")
        run(command, "trace", *EXAMPLE, cwd=folder)
        run(clean, str(ROOT / "tools" / "one_frame.py"), cwd=folder)


def bench(*arguments: str) -> None:
    """Report speed as ratios."""
    run(str(environment("dev")), "-m", "benchmarks", *arguments)


def screenshots(*arguments: str) -> None:
    """Draw screenshots/ anew."""
    run(str(environment("dev")), "-m", "tools.screenshots", *arguments)


def docs(*arguments: str) -> None:
    """Build the manual; a warning is an error."""
    target = str(ROOT / "docs" / "_build")
    run(str(environment("dev")), "-m", "sphinx", "-q", "-W", "docs", target, *arguments)
    print("docs/_build/index.html")


def lock() -> None:
    """Resolve locks/ anew for every supported Python."""
    uv = shutil.which("uv")
    if uv is None:
        sys.exit("`uv` resolves the locks: pipx install uv")
    for name, groups in (("run", ()), ("dev", ("--group", "dev"))):
        run(
            uv,
            *("pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
            *("--generate-hashes", "--no-header", "--no-annotate", "--upgrade"),
            *("pyproject.toml", *groups, "-o", str(LOCKS / f"{name}.txt")),
        )


TASKS = {
    task.__name__: task
    for task in (explore, test, check, thorough, lint, soak, wheel, bench, screenshots, docs, lock)
}


def main() -> None:
    """Run the task that is named."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the one file an older Python may start
        sys.exit(f"ptxscope needs Python 3.11 or later; this is {sys.version.split()[0]}")
    name, *arguments = sys.argv[1:] or ["--help"]
    if name not in TASKS:
        sys.exit(__doc__ if name in ("-h", "--help") else f"no task {name!r}; {', '.join(TASKS)}")
    TASKS[name](*arguments)


if __name__ == "__main__":
    main()
