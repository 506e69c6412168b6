"""What Python gives a figure, an export and a trace that they can't take."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ptxscope import diagnose, evaluate, export, trace
from ptxscope.documents.options import Options

LINE = "vadd4.s32.s32.s32 d, a, b, c"
TRACE = trace(LINE, {"a": 1, "b": 2, "c": 3})


@pytest.mark.parametrize("name", ["title", "caption"])
def test_a_text_is_a_text(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name} is 5; it is a text"):
        TRACE.figure(**{name: 5})  # type: ignore[arg-type]


@pytest.mark.parametrize("notes", [5, [5], {"add": 2}, {"add": None}])
def test_the_error_on_wrong_notes_describes_valid_ones(notes: object) -> None:
    with pytest.raises(TypeError, match=r'notes is .*; it is texts .*\["saturate=…"\]'):
        TRACE.figure(notes=notes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("steps", "same"),
    [([1, 2], "1,2"), ((1, 3), "1,3"), (["select", 3], "1,3"), (range(1, 4), "1-3"), (2, "2")],
)
def test_steps_may_be_a_list(steps: object, same: str) -> None:
    assert TRACE.figure(steps=steps).svg == TRACE.figure(steps=same).svg  # type: ignore[arg-type]


@pytest.mark.parametrize("steps", [2.5, [1.5], None, [[1]], []])
def test_the_error_on_wrong_steps_describes_valid_ones(steps: object) -> None:
    with pytest.raises((TypeError, ValueError), match='steps are "2-4", a number, or a list'):
        TRACE.figure(steps=steps)  # type: ignore[arg-type]


def test_until_is_a_step() -> None:
    with pytest.raises(TypeError, match=r"\[1\] is not a step; until is a step"):
        TRACE.figure(until=[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("format_", ["text", "svg", "html", "png"])
@pytest.mark.parametrize("size", [{"scale": -1}, {"scale": float("nan")}, {"width": 0}])
def test_a_size_is_above_nothing_in_every_format(format_: str, size: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="numbers above 0"):
        export(TRACE, format_, Options(**size))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: trace(LINE, {"a": 1, "b": 2, "c": 3, "e": 4}),
        lambda: evaluate(LINE, {"a": 1, "b": 2, "c": 3, "e": 4}),
        lambda: diagnose(LINE, {"a": 1, "b": 2, "c": 3}, {"e": 4}),
    ],
)
def test_one_semicolon_is_enough(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="e is not") as raised:
        wrong()
    assert ";;" not in str(raised.value)
