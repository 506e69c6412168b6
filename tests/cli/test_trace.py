"""``trace``: parts of a trace, what it says in words, and a trace that is read back."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ptxscope.cli import main
from ptxscope.export import TEXTS

E3 = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str, status: int = 0) -> str:
        assert main(["trace", *words]) == status
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return said.err if status else said.out

    return run


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def give(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8"))))

    return give


@pytest.mark.parametrize("format_", TEXTS)
@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--both", "--model", "ptxas"],
        ["--model", "E3+H1"],
        ["--steps", "2-4", "--title", "T \u05d0", "--note", "saturate=n", "--caption", "C"],
        ["--until", "saturate", "--both"],
        ["--no-result"],
    ],
    ids=" ".join,
)
def test_a_trace_is_read_back_in_every_format(
    format_: str, more: list[str], told: Callable[..., str], typed: Callable[[str], None]
) -> None:
    typed(told(*E3, *more, "-f", "json"))
    if format_ in ("c", "python"):  # the whole function, whatever is shown of the trace
        more = more if "--model" in more else [x for x in more if x == "--both"]
    again, first = told("--from", "-", "-f", format_), told(*E3, *more, "-f", format_)
    assert again == first


def test_a_file_is_read_too(told: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    told(*E3, "-f", "json", "-o", str(path))
    assert told("--from", str(path)) == told(*E3)
    noted = told("--from", str(path), "--note", "saturate=clamped", "--title", "T")
    assert noted == told(*E3, "--note", "saturate=clamped", "--title", "T")
    assert told("--from", str(path), "--until", "2") == told(*E3, "--until", "2")


def changed(text: str, change: Callable[[Any], None]) -> str:
    data = json.loads(text)
    change(data)
    return json.dumps(data)


def row(data: Any, key: str) -> Any:
    return next(x for step in data["steps"] for x in step["rows"] if x["key"] == key)


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: row(x, "saturate.t")["lanes"][0].update(value=255), "step 4: row saturate.t, lane 0 "
     "is 255, which does not follow from the operands; 0 does"),
    (lambda x: row(x, "saturate.t").update(inputs=["extend.a"]), "no such row, saturate.t"),
    (lambda x: row(x, "saturate.t").update(key="saturate.x"), "no such row, saturate.x"),
    (lambda x: row(x, "merge.t")["lanes"].pop(), "no such row, merge.t"),
    (lambda x: x["results"][0].update(bits=5), "its result is not what this version"),
    (lambda x: x["results"].clear(), "its result is not what this version"),
    (lambda x: x["operands"][0].update(bits=7), "which does not follow from the operands"),
    (lambda x: x["operands"][0].update(bits=1 << 40), "does not fit in .s32"),
    (lambda x: x["operands"][0].update(bits=-1), "does not fit in .s32"),
    (lambda x: x["operands"][0].update(bits=1.5), "'1.5' is no integer"),
    (lambda x: x["operands"][0].update(bits="1e3"), "'1e3' is no integer"),
    (lambda x: x["operands"][0].update(bits="9" * 5000), "is no integer"),
    (lambda x: x["operands"].pop(0), "operand a has no value"),
    (lambda x: x["model"].update(name="E99"), "unknown model"),
    (lambda x: x["model"].update(name=5), "missing or misplaced"),
    (lambda x: x.update(schema="ptxscope.trace/9"), "the schema is 'ptxscope.trace/9'"),
    (lambda x: x["instruction"].update(canonical="vadd.u32 d, a, b;"), "not legal"),
    (lambda x: x["instruction"].update(canonical=None), "missing or misplaced"),
    (lambda x: x["shown"].update(steps=["nonsense"]), "'nonsense' is not a valid Stage"),
    (lambda x: x.update(shown=5), "missing or misplaced"),
    (lambda x: x["annotations"].pop("title"), "'title'"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=range(len(CHANGES)))
def test_what_does_not_replay_is_refused(
    change: Callable[[Any], None],
    said: str,
    told: Callable[..., str],
    typed: Callable[[str], None],
) -> None:
    typed(changed(told(*E3, "-f", "json"), change))
    error = told("--from", "-", status=2)
    assert error.startswith("error: standard input: ")
    assert said in error


@pytest.mark.parametrize("text", ["", "[]", "5", "null", "{", '"x"', "{}", "[" * 99_999])
def test_what_is_no_trace_is_refused(
    text: str, told: Callable[..., str], typed: Callable[[str], None]
) -> None:
    typed(text)
    assert told("--from", "-", status=2).startswith("error: standard input: this is no")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "PTX is missing, or --from"),
        (["--from", "none.json"], "none.json: No such file"),
        (["--from", "-", "vadd.u32.u32.u32 d, a, b"], "vadd.u32.u32.u32 d, a, b can't be given"),
        (["--from", "-", "--model", "isa"], "--model isa can't be given too"),
        ([*E3, "--steps", "2,x"], "'x' is no step"),
        ([*E3, "--steps", "2,"], "'' is no step"),
        ([*E3, "--steps", "4-2"], "wrong way round"),
    ],
)
def test_what_is_wrong_is_said(words: list[str], said: str, told: Callable[..., str]) -> None:
    assert said in told(*words, status=2)


def test_alt_is_printed_beside_what_is_written(told: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    alone = told(*E3, "--alt")
    assert alone.count("\n") == 1
    assert "Result: %0 = 0x11223300" in alone
    assert told(*E3, "--alt", "-f", "svg", "-o", str(path)) == alone
    assert path.read_text("utf-8").startswith("<svg")
