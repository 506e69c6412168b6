"""What `check` reads in linear time, and how long its log is."""

from __future__ import annotations

import json

import pytest

from ptxscope.features.check.check_report import iter_sarif_results
from ptxscope.features.check.lint import check_text
from tests.driving.linear_time import CEILING, measure, return_errors
from tests.features.check.linear import check, measure_log
from tests.tiers import ci_only


@pytest.mark.parametrize(
    "text", ["/" * 44, "/" * 60, "// " * 30, "#" * 60, "/*" + "*" * 60 + "*/", "\\" * 60]
)
@pytest.mark.parametrize("name", ["x.cu", "x.py", "x.ptx", "x"])
def test_a_banner_between_string_literals_is_read_in_linearmeasure(text: str, name: str) -> None:
    line = f'f("a" {text}\n + "vadd.u32.u32.u32 d, a, b;" {text}\n "b");\n'
    assert measure(return_errors(check(name)), line) < CEILING


@ci_only
def test_a_log_is_not_much_larger_than_the_text() -> None:
    commas = "vadd.u32.u32.u32 d" + "," * 20_000 + ";"
    line = "vadd.f32 d, a; " * 1500
    for text in (commas, line):
        assert measure_log(check_text(text, "x.ptx")) < 500 * len(text)
    assert measure_log(check_text(commas, "x.ptx")) < 50_000


def test_the_excerpt_of_a_long_word_is_short_and_its_columns_are_exact() -> None:
    word = "x" * 5000
    for name, text in (
        ("x.ptx", f"vadd.u32.u32.u32.{word} d, a, b;"),
        ("x.cu", f'asm("vadd.u32.u32.u32.{word} %0, %1, %2;" :);'),
    ):
        (item,) = check_text(text, name)
        start = text.index(f".{word}")
        place = item.diagnostics[0].location
        assert (place.column, place.width) == (start + 1, len(word) + 1)
        assert len(place.excerpt) < 1500
        assert set(place.excerpt[slice(*place.span)]) == {".", "x"}
        result, *_ = map(json.loads, iter_sarif_results(item))
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["startColumn"], region["endColumn"]) == (start + 1, start + 5002)
