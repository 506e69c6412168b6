"""The bootstrap: what it says where a machine lacks something."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from packaging.requirements import Requirement

from dev import QUICK, find_stray_folders
from tests.tiers import ALONE, ci_only

ROOT = Path(__file__).parent.parent


def _fresh(tmp_path: Path) -> Path:
    """A checkout's dev.py and locks, with no .venv."""
    shutil.copy(ROOT / "dev.py", tmp_path)
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    return tmp_path / "dev.py"


def _run(dev: Path, task: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(dev), task]
    env = environment or None
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


def _write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("task", ["explore", "test"])
def test_a_missing_venv_package_is_named(task: str, tmp_path: Path) -> None:
    dev = _fresh(tmp_path)
    (tmp_path / "ensurepip.py").write_text("raise ImportError('as Debian without python3-venv')")
    done = _run(dev, task)
    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_every_file_of_the_quick_tests_exists() -> None:
    paths = [ROOT / word for word in QUICK if word.startswith("tests/")]
    assert len(paths) > 5
    assert all(path.exists() for path in paths)


def test_an_unknown_task_lists_the_tasks(tmp_path: Path) -> None:
    done = _run(_fresh(tmp_path), "tset")
    assert done.returncode == 1
    assert "explore, test, check" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a script as an interpreter")
@pytest.mark.parametrize(("task", "kind"), [("newest", "newer"), ("oldest", "older")])
def test_tests_on_another_python_are_skipped_if_none_works(
    task: str, kind: str, tmp_path: Path
) -> None:
    dev = _fresh(tmp_path)
    # as pyenv's of a version not chosen
    _write_script(tmp_path / f"python3.{sys.version_info[1] + 1}", "exit 127")
    done = _run(dev, task, PATH=str(tmp_path), HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"skipped: no {kind} Python here")
    assert not [*tmp_path.glob(".venv*")]


@pytest.mark.skipif(sys.platform == "win32", reason="a script as an interpreter")
@pytest.mark.parametrize(
    ("task", "taken"),
    [("newest", f"3.{sys.version_info[1] + 2}.0"), ("oldest", "3.11.-1")],
)
def test_the_newest_and_the_oldest_installed_python_are_used(
    task: str, taken: str, tmp_path: Path
) -> None:
    dev = _fresh(tmp_path)
    ours = sys.version_info[1]
    there = ((10, 9, "final"), (11, -1, "final"), (11, 0, "beta"), (ours + 1, 0, "final"))
    for minor, micro, level in (*there, (ours + 2, 0, "final"), (ours + 3, 0, "beta")):
        python = tmp_path / ".pyenv" / "versions" / f"3.{minor}.{micro}" / "bin" / "python3"
        said = f"3 {minor} {micro} {level}"  # no released 3.11 is older than one before 3.11.0
        _write_script(python, f'[ "$1" = -c ] && echo {said} || exit 7')
    done = _run(dev, task, PATH=str(tmp_path), HOME=str(tmp_path))
    assert done.returncode == 7  # of making the environment
    assert done.stdout.startswith(f"{task}: Python {taken}, {tmp_path}")
    assert f".venv-{taken} …" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a script as an interpreter")
def test_an_older_python_in_the_path_is_used(tmp_path: Path) -> None:
    dev = _fresh(tmp_path)
    for name, micro in (("first", 6), ("second", -1)):  # as pyenv's shim hides Debian's
        python = tmp_path / name / "python3.11"
        _write_script(python, f'[ "$1" = -c ] && echo 3 11 {micro} final || exit 7')
    path = f"{tmp_path / 'first'}:{tmp_path / 'second'}"
    done = _run(dev, "oldest", PATH=path, HOME=str(tmp_path))
    assert done.stdout.startswith(f"oldest: Python 3.11.-1, {tmp_path / 'second'}")


@ci_only
def test_the_source_distribution_has_every_file() -> None:
    # its tests read screenshots, locks, dev.py, …
    held = {x.distribution_path for x in SdistBuilder(str(ROOT)).recurse_included_files()}
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a checkout")
    there = {x for x in tracked.stdout.split("\0") if x and (ROOT / x).exists()}
    # hatchling adds pyproject.toml by itself; the others are read from a clone
    only_in_clones = ("action.yml", "pyproject.toml", "vscode/", ".")
    assert not {x for x in there - held if not x.startswith(only_in_clones)}


def test_the_workflow_runs_our_commands_on_every_python_that_is_supported() -> None:
    workflow = ROOT / ".github" / "workflows" / "ci.yml"
    if not workflow.exists():
        pytest.skip("not a checkout")
    text = workflow.read_text(encoding="utf-8")
    assert re.findall(r"- run: (.*)", text) == ["python dev.py test", ".ci/run"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    supported = re.findall(r":: (3\.\d+)", "\n".join(project["classifiers"]))
    (tested,) = re.findall(r"python: \[(.*)]", text)
    assert tested.replace('"', "").split(", ") == supported
    assert project["requires-python"] == f">={supported[0]}"


def test_no_version_bound_contradicts_that_of_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = {x.name: x for x in map(Requirement, project["dependencies"])}
    for name in ours:
        for text in importlib.metadata.requires(name) or ():
            theirs = Requirement(text)
            if theirs.name not in ours or (theirs.marker and not theirs.marker.evaluate()):
                continue
            for bound in ours[theirs.name].specifier:
                if bound.operator == ">=":
                    assert theirs.specifier.contains(bound.version), f"{name} needs {theirs}"


def test_every_thorough_test_has_a_smaller_draw_in_the_default_run(
    request: pytest.FixtureRequest,
) -> None:
    # of these the smaller draw has another name: two hundred keys, a few events
    alone = {name.rpartition("::")[2] for name in request.config.stash[ALONE]}
    assert alone <= {"test_two_thousand_keys", "test_some_hundred_events"}


def test_a_folder_without_a_record_is_named(tmp_path: Path) -> None:
    for file in ("one/feature.py", "one/other.py", "two/other.py", "three/notes.txt", "four.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    assert find_stray_folders(tmp_path) == [tmp_path / "two"]
    assert not find_stray_folders(ROOT / "ptxscope" / "features")
