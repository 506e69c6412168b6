"""Modules import in one direction, also for types only and inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import ptxscope
from tests.tiers import ci_only

ROOT = Path(ptxscope.__file__).parent


def list_modules() -> dict[str, Path]:
    """Every module of the package, by name."""
    paths = {path.relative_to(ROOT.parent).with_suffix(""): path for path in ROOT.rglob("*.py")}
    return {
        ".".join(name.parts).removesuffix(".__init__"): path for name, path in sorted(paths.items())
    }


def find_imports(name: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that an import statement anywhere in a module names."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        targets: list[list[str]] = []
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            targets = [[*base, alias.name] for alias in node.names]
        for target in targets:
            found = (".".join(parts) for parts in (target, target[:-1]))
            imported = next((x for x in found if x in modules), name)
            if imported != name:
                yield imported


@ci_only
def test_no_modules_import_each_other() -> None:
    modules = list_modules()
    graph = {name: set(find_imports(name, path, modules)) for name, path in modules.items()}
    assert "ptxscope.diagnosis.explanations" in graph["ptxscope.state.edits"]  # for a type only
    assert "ptxscope.app.crash_report" in graph["ptxscope.app.lifecycle"]  # in a function
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


def test_an_import_for_a_type_alone_closes_a_cycle(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("if TYPE_CHECKING:\n    from .other import Other\n", encoding="utf-8")
    other.write_text("def make():\n    from . import one\n", encoding="utf-8")
    modules = {"p.one": one, "p.other": other}
    assert [*find_imports("p.one", one, modules)] == ["p.other"]
    assert [*find_imports("p.other", other, modules)] == ["p.one"]
