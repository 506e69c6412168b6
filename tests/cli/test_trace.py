"""``trace``: parts of a trace, what it says in words, and a trace that is read back."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ptxscope import trace
from ptxscope.cli import main
from ptxscope.documents import TEXTS, export
from ptxscope.documents.formats.json_reader import load
from tests.cli.running import run
from tests.tiers import sampled, some

E3 = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]
BLOCK = ["{ add.u32 t, a, b; sub.u32 d, t, b; }", "a=3", "b=4"]


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


@sampled
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


@pytest.mark.parametrize(
    ("line", "options", "messages"),
    [
        (E3, ["--steps", "1-2", "--note", "saturate=n", "--note", "extend=n"], ["saturate"]),
        (E3, ["--note", "saturate=n", "--note", "lane 0=n"], []),
        (BLOCK, ["--fold", "1", "--note", "s1.write=n", "--note", "s2.1=n"], ["s1.write"]),
        (BLOCK, ["--steps", "s1", "--note", "s1.write=n"], []),
    ],
)
def test_a_note_on_a_hidden_step_is_reported(
    line: list[str], options: list[str], messages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", *line, *options]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"note: the note on {x} is not shown, because its step is not" for x in messages
    ]


def changed(text: str, change: Callable[[Any], None]) -> str:
    data = json.loads(text)
    change(data)
    return json.dumps(data)


def row(data: Any, key: str) -> Any:
    return next(x for step in data["steps"] for x in step["rows"] if x["key"] == key)


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: row(x, "saturate.t")["lanes"][0].update(value=255), "steps[3].rows[0].lanes[0]"
     ".value (step 4, row saturate.t, lane 0) is 255, which differs from a new computation: 0"),
    (lambda x: row(x, "saturate.t").update(inputs=["extend.a"]), "steps[3].rows[0].inputs[0]"),
    (lambda x: row(x, "saturate.t").update(key="saturate.x"),
     'rows[0].key (step 4, row saturate.t) is "saturate.x"'),
    (lambda x: row(x, "merge.t")["lanes"].pop(), "(step 5, row merge.t) has 3 of 4 items; missing: "
     "lane 3"),
    (lambda x: x["steps"].pop(2), "steps has 5 of 6 items; missing: step 3"),
    (lambda x: x["steps"][0]["rows"].pop(0),
     "steps[0].rows (step 1) has 1 of 2 items; missing: row select.a"),
    (lambda x: x["steps"].append(x["steps"][0]), "steps has 7 items; a new computation has 6"),
    (lambda x: x["results"][0].update(bits=5),
     "results[0].bits (d) is 5, which differs from a new computation: 287453952"),
    (lambda x: x["results"][0].update(bits="287453952"),
     'results[0].bits (d) is "287453952", which'),
    (lambda x: x["results"].clear(), "results has 0 of 1 items; missing: d"),
    (lambda x: x["operands"][0].update(bits=7), "operands[0].hex (a) is"),
    (lambda x: x["operands"][0].update(bits=1 << 40), "does not fit in .s32"),
    (lambda x: x["operands"][0].update(bits=-1), "does not fit in .s32"),
    (lambda x: x["operands"][0].update(bits=1.5), "operands[0].bits is 1.5; an integer or a text"),
    (lambda x: x["operands"][0].update(bits=True), "operands[0].bits is true; an integer or"),
    (lambda x: x["operands"][0].update(bits="1e3"), 'operands[0].bits is "1e3"; an integer is'),
    (lambda x: x["operands"][0].update(bits="9" * 5000), "an integer is required"),
    (lambda x: x["operands"][0].update(role="q"), 'operands[0].role is "q"; the instruction has'),
    (lambda x: x["operands"].pop(0), "operand a is missing"),
    (lambda x: x["operands"].insert(0, 5), "operands[0] is 5; an object is required"),
    (lambda x: x["model"].update(name="E99"), "unknown model"),
    (lambda x: x["model"].update(name=5), "model.name is 5; a text is required"),
    (lambda x: x["model"].update(errata=["E1"]), "model.errata has 1 items"),
    (lambda x: x.update(schema="ptxscope.trace/9"), 'schema is "ptxscope.trace/9"; "ptx'),
    (lambda x: x.update(version=None), "version is null; a text is required"),
    (lambda x: x.pop("version"), "version is missing"),
    (lambda x: x["instruction"].update(canonical="vadd.u32 d, a, b;"), "instruction.canonical is "),
    (lambda x: x["instruction"].update(canonical=None), "instruction.canonical is null; a text"),
    (lambda x: x["instruction"].pop("form"), "instruction.form is missing"),
    (lambda x: x["shown"].update(steps=["nonsense"]), 'shown.steps[0] is "nonsense"; stages are'),
    (lambda x: x["shown"].update(steps=["flush"]), "flush is not one of its steps: select, extend"),
    (lambda x: x["shown"].update(result=1), "shown.result is 1; true or false is required"),
    (lambda x: x.update(shown=5), "shown is 5; an object is required"),
    (lambda x: x["annotations"].pop("title"), "annotations.title is missing"),
    (lambda x: x["annotations"].update(title=None), "annotations.title is null; a text"),
    (lambda x: x["annotations"]["notes"].append("x"), 'annotations.notes[0] is "x"; an object'),
    (lambda x: x["answers"]["all"][1].update(result="0x0"), 'answers.all[1].result is "0x0"'),
    (lambda x: x.update(answers=None), "answers is null, which differs"),
    (lambda x: x.update(more=1), "more is not part of a trace"),
]  # fmt: skip


@sampled
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
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is not JSON: it is empty"),
        (" \n", "this is not JSON: it is empty"),
        ("{", "this is not JSON: it ends too early, at line 1, column 2"),
        ('{\n "a": x}', "this is not JSON: line 2, column 7 is not as JSON is written"),
        ('{"a": 1} {', "this is not JSON: line 1, column 10 is not as JSON is written"),
        ("[" * 99_999, "this is not JSON: it is nested too deeply"),
        ("1" * 9_999, "this is not JSON: a number in it has too many digits"),
        ("[]", "this is not ptxscope.trace/1: it is a list of 0; an object is required"),
        ("5", "this is not ptxscope.trace/1: it is 5; an object is required"),
        ("NaN", "this is not ptxscope.trace/1: it is NaN; an object is required"),
        ("null", "this is not ptxscope.trace/1: it is null; an object is required"),
        ('"x"', 'this is not ptxscope.trace/1: it is "x"; an object is required'),
        ("{}", "this is not ptxscope.trace/1: schema is missing"),
    ],
)
def test_what_is_no_trace_is_refused(
    text: str, said: str, told: Callable[..., str], typed: Callable[[str], None]
) -> None:
    typed(text)
    assert told("--from", "-", status=2) == f"error: standard input: {said}\n"


def test_another_version_may_use_other_words_but_no_other_numbers(
    told: Callable[..., str], typed: Callable[[str], None]
) -> None:
    text, first = told(*E3, "--both", "-f", "json"), told(*E3, "--both")

    def reworded(data: Any) -> None:
        data.update(version="9.9", source="S", command="C", later={"what": 1})
        data["steps"][0].update(title="T", about="A")
        row(data, "saturate.t")["lanes"][0].update(sentence="S", formula="F")

    typed(changed(text, reworded))
    assert told("--from", "-") == first
    changes: list[Callable[[Any], object]] = [
        lambda x: row(x, "saturate.t")["lanes"][0].update(value=1),
        lambda x: row(x, "saturate.t")["lanes"][0].update(sentence=1),
        lambda x: row(x, "saturate.t")["lanes"][0].update(flags=[]),
        lambda x: x["operands"][0].update(hex="0x0"),
        lambda x: x["steps"].pop(),
    ]
    for change in changes:

        def both(data: Any, change: Callable[[Any], object] = change) -> None:
            reworded(data)
            change(data)

        typed(changed(text, both))
        assert re.search("missing|new computation", told("--from", "-", status=2))


SMALL = export(trace(E3[0], {"%1": 0xFFFFFFFF, "%2": 0, "%3": 5}), "json")


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container in a document, and where in it something is."""
    names = list(data) if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
    return [x for at in names for x in ((data, at), *places(data[at]))]


@pytest.mark.parametrize("part", some(range(36)))
def test_whatever_is_taken_out_or_changed_is_said(part: int) -> None:
    for index in range(part, len(places(json.loads(SMALL))), 36):
        changes: tuple[Any, ...] = (None, [], "?", 1.5, "gone")
        for change in changes:
            data = json.loads(SMALL)
            inside, at = places(data)[index]
            may_differ = inside is data and (at == "command" or (at, change) == ("version", "?"))
            if (may_differ and change == "?") or change == inside[at]:
                continue
            if (at, change) in (("shown", "gone"), ("title", "?"), ("caption", "?")) and (
                inside is data or inside is data["annotations"]
            ):
                continue  # optional, and a writer's own
            if change == "gone":
                del inside[at]
            else:
                inside[at] = change
            with pytest.raises(ValueError, match=r"missing|differs|nothing|unknown|;") as caught:
                load(json.dumps(data))
            assert type(caught.value) is ValueError
            assert "\n" not in str(caught.value)
            assert "Error" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "PTX or --from"),
        (["--from", "none.json"], "none.json: No such file"),
        (["--from", "-", "vadd.u32.u32.u32 d, a, b"], "vadd.u32.u32.u32 d, a, b can't be given"),
        (["--from", "-", "--model", "isa"], "--model isa can't be given too"),
        ([*E3, "--steps", "2,x"], "'x' is not a step"),
        ([*E3, "--steps", "2,"], "'' is not a step"),
        ([*E3, "--steps", "a" * 99], f"'{'a' * 57}…' is not a step"),
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


@pytest.mark.parametrize(
    "words",
    [
        ("trace", *E3),
        ("trace", *E3, "-f", "json"),
        ("trace", *E3, "-f", "svg"),
        ("show", "vadd4"),
        ("show", "vadd4", "-f", "svg"),
        ("sweep", "vadd.s32.s32.s32.sat d, a.b0, b, c", "b=1", "c=0"),
    ],
)
def test_a_file_called_minus_is_standard_output(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run(*words)
    assert printed.returncode == 0
    assert run(*words, "-o", "-") == printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trace", *E3, "-o", "x.jpg"), "error: x.jpg: .jpg is not supported; pictures are .svg, "),
        (("trace", *E3, "-o", "x.GIF"), "error: x.GIF: .gif is not supported; pictures are .svg, "),
        (("show", "vadd4", "-o", "x.webp"), "x.webp: .webp is not supported"),
        (
            ("show", "vadd4", "-o", "x.json"),
            "error: x.json: json is not supported here, only text, svg, pdf and png; -f text",
        ),
        (
            ("sweep", "vmin.u32.u32.u32 d, a, b", "b=1", "-o", "x.html"),
            "html is not supported here",
        ),
        (("sweep", "vmin.u32.u32.u32 d, a, b", "b=1", "-o", "x.jpeg"), ".jpeg is not supported"),
        (("trace", *E3, "-o", ""), "'' is not a file name"),
        (("trace", *E3, "-f", "svg", "--frames", ""), "'' is not a file name"),
    ],
)
def test_where_nothing_can_be_written_nothing_is(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_is_called_as_another_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "x.jpg"
    done = run("trace", *E3, "-f", "svg", "-o", str(file))
    assert done.returncode == 0
    assert done.stderr == (
        f"warning: {file} has the suffix of jpg, but -f svg decides the format\n"
    )
    assert file.read_text("utf-8").startswith("<svg")


def test_two_things_are_not_printed_at_once(told: Callable[..., str]) -> None:
    assert "needs a file: -o FILE" in told(*E3, "--alt", "-o", "-", status=2)


def test_a_model_may_read_what_the_documentation_does_not() -> None:
    # H7 takes the lanes that the mask leaves from b, which the selectors read nothing of
    line = ("vadd4.s32.s32.s32 d.b0, a.b3210, b.b3210, c", "a=1", "c=1", "--model", "H7")
    for command in ("trace", "eval"):
        done = run(command, *line)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "error: no value for b, which H7 reads\n"
    shown = run("trace", *line, "b=0x02020202").stdout.replace("\\\n", "")
    again = shlex.split(shown[shown.rindex("$ ptxscope ") :])[2:]
    assert "b=0x02020202" in again
    assert run(*again).stdout.replace("\\\n", "") == shown


@pytest.mark.parametrize(
    "options",
    [(), ("--fold",), ("--until", "s1"), ("--no-result",), ("--note", "s2.1=x", "--both")],
)
def test_a_block_is_read_back(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "block.json"
    words = ("trace", "{ brev.b32 t, a; popc.b32 d, t; }", "a=7", "--title", "T", *options)
    file.write_text(run(*words, "-f", "json").stdout)
    assert run("trace", "--from", str(file)).stdout == run(*words).stdout
    file.write_text(file.read_text().replace('"bits": 7', '"bits": 6'))
    done = run("trace", "--from", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert 'operands[0].hex is "0x00000007", which differs' in done.stderr


def test_a_block_of_one_statement_counts_one() -> None:
    done = run("trace", "mov.b32 a, 7; popc.b32 d, a;")
    assert done.stdout.startswith("1 statement ")
