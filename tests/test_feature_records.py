"""The records of features: what they name is there, and nothing outside imports from a feature."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ptxscope.cli.commands.completion import OWN_COMPLETERS
from ptxscope.feature import Feature, Key, arrange, list_features, list_problems, load
from tests.tiers import ci_only

TREE = Path(__file__).parents[1]
ROOT = TREE / "ptxscope"
FEATURES = list_features()
_TARGET = re.compile(r"ptxscope(\.\w+)+(:\w+)?")
_PLACES = re.compile(r"(?:ptxscope|tests)\.features\.(\w+)")

every_feature = pytest.mark.parametrize("feature", FEATURES, ids=lambda x: x.name)


def iter_texts(record: object) -> Iterator[str]:
    """Yield every text of a record, whatever its fields are."""
    if isinstance(record, str):
        yield record
    elif isinstance(record, Mapping):
        for value in record.values():
            yield from iter_texts(value)
    elif isinstance(record, tuple):
        for value in record:
            yield from iter_texts(value)


# --- what is named ------------------------------------------------------------------------


@every_feature
def test_what_a_feature_names_is_there(feature: Feature) -> None:
    targets = [x for x in iter_texts(feature) if _TARGET.fullmatch(x)]
    assert all(load(x) is not None for x in targets)
    for command in feature.commands:
        assert command.module in targets
        module = load(command.module)
        assert callable(module.make_parser)
        assert callable(module.run)
        assert not command.subject or callable(module.render_request)


@every_feature
def test_what_the_code_of_a_feature_names_is_there(feature: Feature) -> None:
    """Dialogs and functions are named in transitions, too, relative to the package of each."""
    for path in (ROOT / "features" / feature.name).rglob("*.py"):
        package = ".".join(path.relative_to(TREE).parent.parts)
        for target in re.findall(r'f"\{__package__\}(\.[\w.]+:\w+)"', path.read_text("utf-8")):
            assert callable(load(f"{package}{target}"))


@every_feature
def test_a_record_is_short_and_in_the_folder_of_its_name(feature: Feature) -> None:
    lines = (ROOT / "features" / feature.name / "feature.py").read_text("utf-8").splitlines()
    assert len(lines) <= 80


def test_every_folder_has_a_record_that_is_used() -> None:
    folders = (x.parent.name for x in (ROOT / "features").glob("*/__init__.py"))
    assert {*folders} <= {feature.name for feature in FEATURES}


def test_what_features_add_has_names_of_its_own() -> None:
    import ptxscope.state.actions  # noqa: F401 - it leaves out what is the core's

    assert not list_problems()
    metavars = [x.metavar for feature in FEATURES for x in feature.completers]
    assert not {*metavars} & {*OWN_COMPLETERS}


@every_feature
def test_at_most_three_features_need_a_feature(feature: Feature) -> None:
    assert sum(feature.name in other.needs for other in FEATURES) <= 3


# --- imports ------------------------------------------------------------------------------


def find_features(path: Path, *, is_module_only: bool = False) -> Iterator[str]:
    """Yield the features that a file imports from, by default also in functions."""
    tree = ast.parse(path.read_text("utf-8"))
    package = ".".join(path.relative_to(TREE).with_suffix("").parts)
    for node in tree.body if is_module_only else ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [x.name for x in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level)[0] if node.level else ""
            whole = ".".join(filter(None, (base, node.module)))
            names = [f"{whole}.{x.name}" for x in node.names]
        for name in names:
            if found := _PLACES.match(name):
                yield found[1]


def test_the_core_imports_no_feature() -> None:
    for path in ROOT.rglob("*.py"):
        if "features" not in path.relative_to(ROOT).parts:
            assert not [*find_features(path)], path


@every_feature
def test_a_feature_imports_only_what_it_needs(feature: Feature) -> None:
    for path in (ROOT / "features" / feature.name).rglob("*.py"):
        assert {*find_features(path)} <= {feature.name, *feature.needs}, path


def list_core_tests() -> list[Path]:
    paths = (TREE / "tests").rglob("*.py")
    return [x for x in paths if not {"features", "data"} & {*x.relative_to(TREE).parts}]


def find_tools(path: Path) -> set[str]:
    """Return the names of the tools that a file of tests, or a tool, imports."""
    text = path.read_text("utf-8")
    pattern = r"^from (?:tools\.|\.)(\w+) import|^from (?:tools|\.) import (?:\(([^)]*)\)|(.*))"
    found = re.findall(pattern, text, re.MULTILINE)
    return {name.strip() for x in found for part in x for name in part.split(",") if name.strip()}


def test_tests_of_the_core_import_no_feature() -> None:
    for path in list_core_tests():
        assert not [*find_features(path)], path


def test_tools_of_tests_of_the_core_import_features_in_functions_only() -> None:
    seen: set[str] = set()
    names = {name for path in list_core_tests() for name in find_tools(path)}
    assert {"removal", "manual"} <= names
    while new := names - seen:
        seen |= new
        for path in (TREE / "tools" / f"{name}.py" for name in new):
            assert not [*find_features(path, is_module_only=True)], path
            names |= find_tools(path)


@every_feature
def test_tests_of_a_feature_are_there_without_features_that_it_does_not_need(
    feature: Feature,
) -> None:
    """A file of tests of two features begins with `importorskip`; a test imports where it runs."""
    for path in (TREE / "tests" / "features" / feature.name).rglob("*.py"):
        skipped = re.findall(r'importorskip\("ptxscope\.features\.(\w+)', path.read_text("utf-8"))
        found = {*find_features(path, is_module_only=True)}
        assert found <= {feature.name, *feature.needs, *skipped}, path


@ci_only
def test_the_contracts_hold_in_a_feature(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "ptxscope", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TREE / "pyproject.toml", tmp_path)
    feature = FEATURES[0].name
    folder = tmp_path / "ptxscope" / "features" / feature
    (folder / "screen_use.py").write_text("import textual\n")
    (folder / "array_use.py").write_text("import numpy\n")
    (tmp_path / "ptxscope/engine/feature_use.py").write_text(f"from ..features import {feature}\n")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert "3 broken" in done.stdout
    broken = done.stdout.partition("Broken contracts")[2]
    for name in ("Imports go down", "A feature uses the terminal", "NumPy is used where"):
        assert f"\n{name}" in broken, done.stdout


# --- places -------------------------------------------------------------------------------


def make_key(id_: str, after: str) -> tuple[str, Key]:
    return id_, Key(id_, "Edit", after, "", id_, id_, "module:name")


def test_what_is_added_has_its_place_whatever_is_gone() -> None:
    added = [make_key("c", "b"), make_key("b", "a"), make_key("d", "gone"), make_key("e", "a")]
    placed = arrange([("a", "a"), ("z", "z")], added, lambda x: x.id)
    assert [key for key, _ in placed] == ["a", "b", "c", "e", "z", "d"]


def test_records_that_follow_each_other_stand_at_the_end() -> None:
    added = [make_key("b", "c"), make_key("c", "b")]
    placed = arrange([("a", "a")], added, lambda x: x.id)
    assert [key for key, _ in placed] == ["a", "b", "c"]
