"""The records of features: what they name is there, and nothing outside imports from a feature."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ptxscope import feature as feature_module
from ptxscope.feature import Feature, Key, PagePanel, arrange, list_features, load

ROOT = Path(feature_module.__file__).parent
FEATURES = list_features()


def list_panel_targets(panel: PagePanel) -> list[str]:
    return [*filter(None, (panel.make, *panel.actions.values(), panel.open_text, panel.find_text))]


@pytest.mark.parametrize("feature", FEATURES, ids=lambda x: x.name)
def test_what_a_feature_names_is_there(feature: Feature) -> None:
    for command in feature.commands:
        module = load(command.module)
        assert callable(module.make_parser)
        assert callable(module.run)
        assert not command.subject or callable(module.render_request)
    targets = [
        *(x.run for x in feature.completers),
        *(x for key in feature.keys for x in (key.run, key.check) if x),
        *(x for panel in feature.help_panels for x in panel.classes),
        *(x for panel in feature.page_panels for x in list_panel_targets(panel)),
        *(x.render for x in feature.formats),
        *feature.services.values(),
        *feature.exports.values(),
    ]
    assert all(callable(load(x)) for x in targets)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda x: x.name)
def test_a_feature_imports_only_what_it_needs(feature: Feature) -> None:
    for path in (ROOT / "features" / feature.name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                depth = len(path.relative_to(ROOT).parts) - node.level
                module = [*path.relative_to(ROOT).parts[:depth], *(node.module or "").split(".")]
                if module[0] == "features" and len(module) > 1:
                    assert module[1] in (feature.name, *feature.needs), (path, node.module)


def test_the_core_imports_no_feature() -> None:
    for path in ROOT.rglob("*.py"):
        if "features" not in path.relative_to(ROOT).parts:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    assert "features." not in f"{node.module}.", path


def make_key(id_: str, after: str) -> tuple[str, Key]:
    return id_, Key(id_, "Edit", after, "", id_, id_, "module:name")


def test_what_is_added_has_its_place_whatever_is_gone() -> None:
    added = [make_key("c", "b"), make_key("b", "a"), make_key("d", "gone"), make_key("e", "a")]
    placed = arrange([("a", "a"), ("z", "z")], added, lambda x: x.id)
    assert [key for key, _ in placed] == ["a", "b", "c", "e", "z", "d"]
