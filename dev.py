#!/usr/bin/env python3
"""The tasks of developers, each in one command, from a fresh checkout.

    python3 dev.py explore     open the explorer: at first on an example
    python3 dev.py test        run the tests, a smaller draw of the long ones
    python3 dev.py thorough    run the larger draws, and the tests for CI only
    python3 dev.py removal     delete each feature in a copy, and run the rest; NAME, --all tests
    python3 dev.py check       format, lint, types, import contracts, tests
    python3 dev.py stubs       rewrite the types of the package's names
    python3 dev.py soak        long campaigns of the tests: hours
    python3 dev.py wheel       build the wheel; run it in a clean environment
    python3 dev.py sdist       build the source distribution; run some of its tests on it
    python3 dev.py newest      run some of the tests on the newest Python here
    python3 dev.py oldest      run some of the tests on the oldest Python here, of those supported
    python3 dev.py bench       speed, as ratios against baselines of the same run
    python3 dev.py page        use the web explorer in Chromium, where npm and Chromium are
    python3 dev.py vscode      compile the extension of VS Code, where npm is
    python3 dev.py prove       prove ptxscope's claims; --page writes docs/dev/evidence.md
    python3 dev.py screenshots redraw screenshots/ from the running app
    python3 dev.py demo        draw screenshots/demo.svg, an animation, from the running app
    python3 dev.py docs        build the manual into docs/_build; --renew its generated parts
    python3 dev.py lock        resolve locks/ again

Needs only Python 3.11 or later with pip and venv. It installs into .venv beside this file, at the
versions of locks/.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
NPM_PACKAGES = {"pyodide": "314.0.7", "axe-core": "4.14.1"}
"""Packages for the tests of the web explorer."""
QUICK = (
    *("-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"),
    *("tests/engine/test_parser.py", "tests/engine/test_verdicts.py", "tests/test_patterns.py"),
    *(
        "tests/cli/test_commands.py",
        "tests/cli/test_completion.py",
        "tests/learn/test_judge.py",
    ),
    *("tests/export/test_text.py", "tests/export/test_marked.py"),
    *("tests/export/test_html.py", "tests/export/test_svg.py", "tests/export/test_files.py"),
)
"""Some tests of every kind, for differences between environments."""


def get_python(venv: Path) -> Path:
    """Return the interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_venv(venv: Path, base: str = sys.executable) -> None:
    """Make a virtual environment of an interpreter, or report what is missing."""
    try:
        import ensurepip  # noqa: F401
        import venv as _  # noqa: F401
    except ImportError:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(
            f"{sys.executable} can't make virtual environments: its venv module is not whole.\n"
            f"On Debian and Ubuntu: apt install python{version}-venv (or python3-venv)."
        )
    run(base, "-m", "venv", "--clear", str(venv))


def environment(lock: str, venv: Path = ROOT / ".venv", base: str = sys.executable) -> Path:
    """Return the interpreter of .venv, or of another environment, with the lock's packages."""
    python, stamp = get_python(venv), venv / f"{lock}.stamp"
    digest = hashlib.sha256((LOCKS / f"{lock}.txt").read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == digest:
        return python
    if not python.exists():
        print(f"making {venv} …", flush=True)
        make_venv(venv, base)
    print(f"installing the packages of locks/{lock}.txt …", flush=True)
    run(
        str(python),
        # the few modules in use are compiled on demand
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
        *("--require-hashes", "--no-deps", "-r", str(LOCKS / f"{lock}.txt")),
    )
    stamp.write_text(digest)
    return python


def run(*command: str, cwd: Path = ROOT, **env: str) -> None:
    """Run a command; exit with its status if it fails."""
    status = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, check=False).returncode
    if status:
        sys.exit(status)


def explore(*arguments: str) -> None:
    """Open the explorer, on an example or on the saved state."""
    run(str(environment("run")), "-m", "ptxscope", "open", *arguments)


def test(*arguments: str) -> None:
    """Run the tests in parallel on every core."""
    run_tests(os.cpu_count() or 1, *arguments)


def run_tests(workers: int, *arguments: str) -> None:
    """Run the tests in a number of processes."""
    spread = ("-n", str(workers), "--dist", "worksteal")
    # compiled code is kept: otherwise each of a thousand processes compiles everything again
    command = (str(environment("dev")), "-m", "pytest", *spread, "-q", *arguments)
    run(*command, PYTHONDONTWRITEBYTECODE="")


def thorough(*arguments: str) -> None:
    """Run larger draws of the tests, and the tests for CI only.

    Without arguments, run all tests without one feature, another for each commit.
    """
    run_tests((os.cpu_count() or 1) + 1, "--thorough", *arguments)  # some of the tests wait
    if not arguments:
        removal("--turn", "1", "--all")


def removal(*arguments: str) -> None:
    """Delete features in copies of the tree, and run the rest."""
    run(str(environment("dev")), "-m", "tools.removal", *arguments)


def lint() -> None:
    """Format, lint, stub, types, import contracts and folders of features, changing nothing."""
    if stray := find_stray_folders(ROOT / "ptxscope" / "features"):
        sys.exit(f"no feature.py in {', '.join(map(str, stray))}")
    python = str(environment("dev"))
    sources = [name for name in SOURCES if (ROOT / name).exists()]
    run(python, "-m", "ruff", "format", "--check", *sources)
    run(python, "-m", "ruff", "check", *sources)
    run(python, "-m", "tools.stubs", "--check")
    run(python, "-m", "mypy")
    run(str(Path(python).parent / "lint-imports"), PYTHONPATH=str(ROOT))


def find_stray_folders(features: Path) -> list[Path]:
    """Return the folders with code but without a feature's record, which are ignored."""
    folders = {path.parent for path in features.glob("*/*.py")}
    return sorted(x for x in folders if not (x / "feature.py").exists())


def check() -> None:
    """Run all checks of a change."""
    lint()
    test()


def soak(*arguments: str) -> None:
    """Run long campaigns of the tests."""
    test("--soak", *arguments)


def wheel() -> None:
    """Build the wheel, install it in a clean environment and use it there."""
    python = str(environment("dev"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", name)
        (built,) = folder.glob("*.whl")
        make_venv(folder / "venv")
        clean = str(get_python(folder / "venv"))
        install = (clean, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*install, "--require-hashes", "--no-deps", "-r", str(LOCKS / "run.txt"))
        run(*install, "--no-deps", str(built))
        command = str(Path(clean).parent / "ptxscope")
        run(command, "trace", *EXAMPLE, cwd=folder)
        run(clean, str(ROOT / "tools" / "one_frame.py"), cwd=folder)


def sdist() -> None:
    """Build the source distribution, install it, and run its quick tests."""
    python = str(environment("dev"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "hatchling", "build", "-t", "sdist", "-d", name)
        (built,) = folder.glob("*.tar.gz")
        shutil.unpack_archive(built, folder)
        (source,) = folder.glob("*/pyproject.toml")
        installed = str(folder / "installed")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "--no-deps", "--no-build-isolation", "--target", installed, str(built))
        shutil.rmtree(source.parent / "ptxscope")  # the tests use the installed package
        run(python, "-m", "ptxscope", "trace", *EXAMPLE, cwd=folder, PYTHONPATH=installed)
        run(python, *QUICK, cwd=source.parent, PYTHONPATH=installed)


def newest() -> None:
    """Run the quick tests on the newest Python of this machine, if it is newer."""
    found = max(_iter_released_pythons(), default=None)
    if found is None or found[0][:2] <= sys.version_info[:2]:
        print(f"skipped: no newer Python here than {_OURS}")
    else:
        _test_quickly("newest", *found)


def oldest() -> None:
    """Run the quick tests on the oldest Python of this machine from 3.11 on, if it is older."""
    found = min(_iter_released_pythons(), default=None)
    if found is None or found[0] >= sys.version_info[:3]:
        print(f"skipped: no older Python here than {_OURS}, from {_OLDEST} on")
    else:
        _test_quickly("oldest", *found)


_OURS = sys.version.split()[0]
_OLDEST = "3.11"


def _test_quickly(task: str, version: tuple[int, ...], path: str) -> None:
    """Run the quick tests on another Python; print its version."""
    number = ".".join(map(str, version))
    print(f"{task}: Python {number}, {path}", flush=True)
    python = environment("dev", ROOT / f".venv-{number}", path)
    run(str(python), *QUICK, PYTHONDONTWRITEBYTECODE="")
    run(str(python), str(ROOT / "tools" / "one_frame.py"), PYTHONPATH=str(ROOT))


def _iter_released_pythons() -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the version and the path of each supported Python here that can make environments."""
    asked = "import sys, ensurepip, venv; print(*sys.version_info[:4])"
    for python in dict.fromkeys(_iter_pythons()):
        try:
            done = subprocess.run((python, "-c", asked), capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode:  # a shim of pyenv's for a version that is not switched on
            continue
        *numbers, level = done.stdout.split()
        version = tuple(map(int, numbers))
        if version >= (3, 11) and level == "final":
            yield version, python


def _iter_pythons() -> Iterator[str]:
    """Yield possible interpreters: in each folder of the path, pyenv's, uv's."""
    for folder in os.get_exec_path():
        names = (f"python3.{minor}" for minor in range(11, 40))
        yield from filter(None, (shutil.which(name, path=folder) for name in names))
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv") / "versions"
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    for versions in (pyenv, uv):
        yield from map(str, versions.glob("*3.*/bin/python3"))


def page(*arguments: str) -> None:
    """Use the web explorer in Chromium, or report what is missing."""
    drive_browser("tools.page_proof", *arguments)


def vscode() -> None:
    """Compile the extension of VS Code, or report what is missing."""
    npm = shutil.which("npm")
    if npm is None:
        print("skipped: no npm here")
        return
    for words in (("ci", "--silent", "--no-audit", "--no-fund"), ("run", "--silent", "build")):
        run(npm, *words, cwd=ROOT / "vscode")


def drive_browser(module: str, *arguments: str) -> None:
    """Run a module that drives Chromium with Playwright, on packages of npm, if all are here."""
    found = [shutil.which(x) for x in ("chromium", "chromium-browser", "google-chrome", "chrome")]
    chromium = next(filter(None, found), None)
    missing = [*["npm"] * (shutil.which("npm") is None), *["Chromium"] * (chromium is None)]
    if missing or chromium is None:
        print(f"skipped: no {' and no '.join(missing)} here")
        return
    venv = ROOT / ".venv-page"
    python = environment("page", venv)
    packages = venv / "node_modules"
    versions = [f"{name}@{version}" for name, version in NPM_PACKAGES.items()]
    if not all((packages / name / "package.json").exists() for name in NPM_PACKAGES):
        command = ("npm", "install", "--silent", "--no-audit", "--prefix", str(venv), *versions)
        if subprocess.run(command, cwd=venv, check=False).returncode:
            print(f"skipped: npm could not install {' and '.join(versions)}")
            return
    run(str(python), "-m", module, chromium, str(packages), *arguments, PYTHONPATH=str(ROOT))


def bench(*arguments: str) -> None:
    """Report speed as ratios."""
    if arguments == ("page",):
        drive_browser("benchmarks.page")
        return
    run(str(environment("dev")), "-m", "benchmarks", *arguments)


def prove(*arguments: str) -> None:
    """Prove ptxscope's claims."""
    run(str(environment("dev")), "-m", "tools.proofs", *arguments)


def screenshots(*arguments: str) -> None:
    """Redraw screenshots/."""
    run(str(environment("dev")), "-m", "tools.screenshots", *arguments)


def demo() -> None:
    """Redraw screenshots/demo.svg."""
    run(str(environment("dev")), "-m", "tools.demo")


def stubs() -> None:
    """Rewrite the types of the package's names."""
    run(str(environment("dev")), "-m", "tools.stubs")


def docs(*arguments: str) -> None:
    """Build the manual; a warning is an error. With --renew, renew its generated parts first."""
    target = str(ROOT / "docs" / "_build")
    if "--renew" in arguments:  # with the solver, for examples in pages
        run(str(environment("dev")), "-m", "tools.manual")
        arguments = tuple(x for x in arguments if x != "--renew")
    python = str(environment("docs", ROOT / ".venv-docs"))
    run(python, "-m", "sphinx", "-q", "-W", "--keep-going", "docs", target, *arguments)
    print("docs/_build/index.html")


def lock() -> None:
    """Resolve locks/ again for every supported Python."""
    uv = shutil.which("uv")
    if uv is None:
        sys.exit("`uv` resolves the locks: pipx install uv")
    for name, groups in (
        ("run", ()),
        ("dev", ("--group", "dev")),
        ("docs", ("--group", "docs")),
        ("page", ("--group", "page")),
    ):
        run(
            uv,
            *("pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
            *("--generate-hashes", "--no-header", "--no-annotate", "--upgrade"),
            *("pyproject.toml", *groups, "-o", str(LOCKS / f"{name}.txt")),
        )


TASKS = {
    task.__name__: task
    for task in (
        *(explore, test, check, thorough, removal, lint, stubs, soak),
        *(wheel, sdist, newest, oldest, page, vscode, bench, prove, screenshots, demo, docs, lock),
    )
}


def main() -> None:
    """Run a task by name."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the one file an older Python may start
        sys.exit(f"ptxscope needs Python 3.11 or later; this is {sys.version.split()[0]}")
    name, *arguments = sys.argv[1:] or ["--help"]
    if name not in TASKS:
        sys.exit(__doc__ if name in ("-h", "--help") else f"no task {name!r}; {', '.join(TASKS)}")
    TASKS[name](*arguments)


if __name__ == "__main__":
    main()
