"""Whatever reads text takes linear time; `tests/driving/linear_time` says how that is judged."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random

import pytest

from ptxscope import PtxError, parse_all, trace
from ptxscope.blocks.block_parser import parse_block
from ptxscope.cli.commands.run import run
from ptxscope.cli.commands.trace import render_request
from ptxscope.cli.support.inputs import parse_cell, read_rows
from ptxscope.cli.support.ptx_arguments import is_file_name, parse_instruction, parse_ptx
from ptxscope.diagnosis.observation import parse_got, parse_observed
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.syntax.completions import find_completions
from ptxscope.engine.syntax.parser import find_pasted_fragments
from ptxscope.engine.syntax.values import parse_integer, parse_value
from ptxscope.engine.tracing.note_targets import parse_note, parse_steps
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.learn.question import Question, locate_answer
from ptxscope.sources.source_language import find_language
from ptxscope.sources.source_programs import load
from ptxscope.state.instruction_search import search_instructions
from ptxscope.state.open_listing import open_listing
from tests.driving import linear_time
from tests.driving.feature_tables import extend_table, iter_paths
from tests.driving.linear_time import (
    EVERY,
    MIXED,
    NUMBERED,
    SINGLE,
    Family,
    Numbered,
    find_fault,
    return_errors,
)
from tests.reference_data import DATA
from tests.tiers import ci_only, some

_ADD = "vadd4.s32.s32.s32.sat d, a, b, c;"
_TRACE = make_trace(parse_all(_ADD)[0], parse_model("isa"), {"a": 1, "b": 2, "c": 3})


def _run(text: str) -> int:
    with redirect_stdout(StringIO()):
        return run([f"\n{text}"])


def _open(text: str) -> int:
    cursor = open_listing(text, "x.cu") or open_listing(text, "x.ptx")
    return len(cursor.rows) if cursor else 0


def _notes(text: str) -> object:
    return_errors(lambda x: parse_steps(x, _TRACE))(text)
    return parse_note(f"{text}=x", _TRACE)


def _values(text: str) -> object:
    for type_ in Type:
        return_errors(lambda x, type_=type_: parse_value(x, type_))(text)  # type: ignore[misc]
    return_errors(lambda x: parse_integer(x, 32))(text)
    return parse_cell(text, 1, "a", lambda x: parse_value(x, Type.U32))


def _observations(text: str) -> object:
    return_errors(lambda x: parse_got(_TRACE.instruction, x))(text)
    return_errors(lambda x: parse_got(_TRACE.instruction, f"d={x}"))(text)
    return parse_observed(text, Type.U32)


def _shown(text: str) -> object:
    """An instruction that is legal is shown in every format, whatever its operands are called."""
    for format_ in ("text", "markdown", "rst", "asciidoc", "html", "json", "svg"):
        render_request([text, "a=1", "b=2", "c=3", "-f", format_])
    return None


def _titled(text: str) -> object:
    """What a writer wrote is escaped in every format that is written with marks."""
    for format_ in ("text", "markdown", "rst", "asciidoc", "json"):
        words = [_ADD, "a=1", "b=2", "c=3", f"--title={text}", f"--note=lane 0={text}."]
        render_request([*words, "-f", format_])
    return None


_ASKED = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 1, "b": 2, "c": 3})
_KEYS = (("select.a", 0), ("saturate", 1), ("d", None))
_PLACES = tuple(locate_answer(Question(_ASKED, *key)) for key in _KEYS)


def _answered(text: str) -> None:
    """A text as the answer to a lane and to a result."""
    for where in _PLACES:
        return_errors(where.parse_answer)(text)


_OWN_ENTRIES: dict[str, Callable[[str], object]] = {
    "parse": parse_all,
    "instruction of an argument": parse_instruction,
    "block": return_errors(parse_block),
    "instruction or block of an argument": parse_ptx,
    "fragments": lambda text: list(find_pasted_fragments(text)),
    "language": lambda text: find_language("-", text),
    "load": load,
    "load C": lambda text: load(text, "x.cu"),
    "run": _run,
    "open": _open,
    "complete": find_completions,
    "values": _values,
    "observations": _observations,
    "assignments": lambda text: render_request([_ADD, text]),
    "several assignments": lambda text: render_request([_ADD, "a=1", *text.split(",")]),
    "notes": _notes,
    "models": parse_model,
    "file or instruction": is_file_name,
    "search": search_instructions,
    "show": _shown,
    "titles": _titled,
    "answers": _answered,
}
"""By what a reader would call it; CSV files have a test of their own."""


def _faults(entry: str, families: list[Family], enough: float) -> list[str]:
    gc.collect()
    gc.disable()
    try:
        return [
            found for family in families if (found := find_fault(ENTRIES[entry], family, enough))
        ]
    finally:
        gc.enable()


ENTRIES = extend_table(_OWN_ENTRIES, "linear", "ENTRIES")
_ONCE = {
    entry: [Family(*parts) for parts in rows]
    for path in iter_paths(DATA / "slow_texts.json", "slow_texts.json")
    for entry, rows in json.loads(path.read_text("utf-8")).items()
}
_ONCE["load"] += [
    Numbered("", "{{ .reg .b32 a{0};"),
    *(Numbered("", NUMBERED[name]) for name in ("numbered blocks", "registers of all")),
]
_ONCE["run"] = [Numbered("", NUMBERED[name]) for name in ("asm statements", "kernels")]
"""What took quadratic or exponential time, or is near to it: a head, a part, a tail."""


@ci_only
@pytest.mark.parametrize("entry", some(ENTRIES))
def test_twice_the_text_takes_three_times_the_time_at_most(entry: str) -> None:
    rng = Random(entry)
    drawn = [rng.choice(SINGLE), rng.choice(EVERY)]
    assert not _faults(entry, _ONCE.get(entry, []), 0.02)
    assert not _faults(entry, drawn, 0.01)


@pytest.mark.soak
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_family_of_texts_is_read_in_linearmeasure(entry: str) -> None:
    rng = Random(entry)
    families = [*SINGLE, *_ONCE.get(entry, []), *rng.sample(EVERY, 400), *rng.sample(MIXED, 200)]
    assert not _faults(entry, families, 0.1)


@ci_only
def test_functions_of_a_run_are_read_in_linearmeasure() -> None:
    """A list comprehension over all blocks, once for each function, showed from 5,000 on."""
    family = Numbered("", ".func f{0}() {{ .reg .b32 a{0}; vadd.u32.u32.u32 a{0}, b, c; ret; }}\n")
    assert not find_fault(load, family, 2)


@pytest.mark.parametrize("part", [",", '"', '"a', "a,1\n", '""', "\n", "1", '"a"b', " "])
def test_csv_files_are_read_in_linearmeasure(part: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"

    def read(text: str) -> int:
        file.write_text(text, encoding="utf-8")
        return sum(len(row) for _, row in read_rows(str(file)))

    assert not find_fault(read, Family("", part), 0.02)


@ci_only
def test_quadratic_growth_fails_the_test_of_linearmeasure(monkeypatch: pytest.MonkeyPatch) -> None:
    # by a clock that counts steps, a microsecond each: another's load does not make it go wrong
    steps = 0

    def quadratic(text: str) -> None:
        nonlocal steps
        steps += len(text) ** 2 // 1000

    def linear(text: str) -> None:
        nonlocal steps
        steps += len(text)

    def exponential(text: str) -> object:
        return re.fullmatch(r"(?:a|aa)*b", text)

    family = Family("", "a")
    assert "more than 0.5 s" in find_fault(exponential, family, 0.008, 0.5)
    monkeypatch.setattr(linear_time, "process_time", lambda: steps / 1e6)
    assert find_fault(quadratic, family, 0.008)
    assert not find_fault(linear, family, 0.008)


def test_a_statement_reports_a_limited_number_of_errors() -> None:
    with pytest.raises(PtxError) as caught:
        parse_all("vadd" + ".foo" * 100_000 + " d, a, b;")
    *told_, last = caught.value.errors
    assert [x.span for x in told_] == [(4 + 4 * i, 8 + 4 * i) for i in range(11)]
    # every unknown word, and the three types that are missing
    assert last.message == f"there are {100_000 + 3 - len(told_)} more errors in this statement"
    assert last.span == (4 + 4 * len(told_), 8 + 4 * len(told_))


def test_a_text_reports_a_limited_number_of_errors() -> None:
    with pytest.raises(PtxError) as caught:
        parse_all("vadd.f32 d;\n" * 1000)
    assert len(caught.value.errors) >= 1000
    said = str(caught.value)
    assert said.count("\n") < 200
    assert said.splitlines()[-1] == f"there are {len(caught.value.errors) - 23} more errors"
