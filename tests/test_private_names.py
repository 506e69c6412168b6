"""Tests use public names only, so that what is private can change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.tiers import ci_only

ROOT = Path(__file__).parents[1]
OURS = ("ptxscope", "tests", "tools", "benchmarks", "dev")
IS_PRIVATE = re.compile(r"_[A-Za-z]")


def iter_defined_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def iter_used_names(node: ast.AST, private: set[str]) -> Iterator[str]:
    """Yield the private names of ours that an import, an attribute or a patch uses."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
        yield from (x.name for x in node.names if IS_PRIVATE.match(x.name))
    elif isinstance(node, ast.Attribute):
        is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        yield from {node.attr} & private if not is_own else ()
    elif isinstance(node, ast.Call):
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called in ("getattr", "setattr", "delattr", "object", "patch"):
            texts = [x.value for x in node.args if isinstance(x, ast.Constant)]
            yield from {str(x).rpartition(".")[2] for x in texts} & private


@ci_only
def test_no_test_uses_a_private_name() -> None:
    paths = [x for folder in ("ptxscope", "tools") for x in (ROOT / folder).rglob("*.py")]
    defined = {name for x in paths for name in iter_defined_names(ast.parse(x.read_text("utf-8")))}
    # names that Textual, IPython, argparse and namedtuples have too
    foreign = {"_driver", "_exit", "_fields", "_repr_html_", "_repr_mimebundle_"}
    private = {x for x in defined if IS_PRIVATE.match(x)} - foreign
    used = {
        (str(path.relative_to(ROOT)), name)
        for path in (ROOT / "tests").rglob("*.py")
        if path.name != "conftest.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in iter_used_names(node, private)
    }
    assert used == set()
