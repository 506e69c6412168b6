"""The names of the package: the core's, and the names that features add."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ptxscope
from ptxscope.documents.options import NamedOptions, Options
from ptxscope.engine.tracing.display import FigureOptions
from ptxscope.feature import list_features


def test_every_name_is_found_listed_and_imported_by_a_star() -> None:
    names: dict[str, object] = {}
    exec("from ptxscope import *", names)
    added = {name for feature in list_features() for name in feature.exports}
    assert {"trace", "Trace", "export", "__version__"} | added <= {*ptxscope.__all__}
    for name in ptxscope.__all__:
        assert names[name] is getattr(ptxscope, name)
        assert name in dir(ptxscope)


def test_the_package_lists_its_names_only() -> None:
    names = {name for name in dir(ptxscope) if not name.startswith("__")}
    assert names == {name for name in ptxscope.__all__ if not name.startswith("__")}


def test_a_picture_is_saved_and_options_are_given_by_name(tmp_path: Path) -> None:
    found = ptxscope.trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 0})
    shown = found.figure(both=True)
    shown.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == shown.svg
    assert ptxscope.export(found, "svg", both=True) == shown.svg
    with pytest.raises(ValueError, match="does not end with a format"):
        shown.save(tmp_path / "x.exe")
    with pytest.raises(TypeError, match="no option 'bth'"):
        ptxscope.export(found, bth=True)  # type: ignore[call-overload]


def test_options_by_name_have_types() -> None:
    assert NamedOptions.__annotations__.keys() == {*Options._fields} - {"format"}
    assert FigureOptions.__annotations__.keys() <= NamedOptions.__annotations__.keys()


def test_results_with_a_type_of_floats_are_numbers() -> None:
    found = ptxscope.trace("set.gt.f32.s32 d, a, b", {"a": 7, "b": 2})
    assert found.result == {"d": 0x3F800000}
    assert found.floats == {"d": 1.0}
    assert ptxscope.trace("set.gt.u32.s32 d, a, b", {"a": 7, "b": 2}).floats == {}


def test_registers_are_given_by_name() -> None:
    assert ptxscope.evaluate("sub.u32 d, a, b", a=7, b=2) == {"d": 5}
    assert ptxscope.evaluate("sub.u32 d, a, b", {"a": 7}, b=2) == {"d": 5}
    assert ptxscope.evaluate_block("{ sub.u32 t, a, b; sub.u32 d, t, b; }", a=7, b=2)["d"] == 3
    assert ptxscope.trace("sub.u32 d, a, b", {"a": 7}, b=2).result == {"d": 5}
    assert ptxscope.trace_block("{ sub.u32 t, a, b; sub.u32 d, t, b; }", a=7, b=2).result["d"] == 3
    for function in (ptxscope.evaluate, ptxscope.trace):
        with pytest.raises(TypeError, match="'a' is given twice"):
            function("sub.u32 d, a, b", {"a": 7}, a=7, b=2)


def test_a_name_that_is_none_is_an_error() -> None:
    with pytest.raises(AttributeError, match="module 'ptxscope' has no attribute 'traec'"):
        _ = ptxscope.traec  # type: ignore[attr-defined]


def test_the_types_of_the_core_s_names_are_those_of_the_stub() -> None:
    """`dev.py lint` compares the whole stub, which has the names of all features."""
    stub = ast.parse(Path(ptxscope.__file__).with_suffix(".pyi").read_text("utf-8"))
    typed = {x.asname for node in stub.body if isinstance(node, ast.ImportFrom) for x in node.names}
    assert {*ptxscope.__all__} - {"__version__"} <= typed
