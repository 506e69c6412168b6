"""What all formats share: how a document is made again, what it leaves out, whose text is kept."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ptxscope import Trace, evaluate, export, parse, trace, trace_block
from ptxscope.cli.commands.trace import render_request
from ptxscope.documents.content.alt_text import format_alt_text, format_short_alt
from ptxscope.documents.content.annotated_trace import annotate_trace
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.content.sanitizer import sanitize_text
from ptxscope.documents.formats.text import render
from ptxscope.documents.options import Options
from ptxscope.engine.micro_operations.arithmetic import LaneValues
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.semantics import plan as plan_module
from ptxscope.engine.semantics.plan import Plan
from ptxscope.engine.semantics.rules import ERRATA, Erratum
from ptxscope.engine.tracing.annotations import Annotations, Note
from ptxscope.engine.tracing.note_targets import parse_steps
from tests.driving.every import OWN_TEXTS, TEXTS
from tests.driving.samples import (
    BLOCK,
    BLOCK_PTX,
    BLOCK_VALUES,
    E3,
    EXAMPLES,
    HOSTILE,
    LANES,
    QUAD,
    annotated,
    example,
    register,
)
from tests.tiers import sampled

READ = ("text", "markdown", "rst", "asciidoc", "html", "svg")
"""Formats that a person reads."""
NOTED = replace(
    E3,
    annotations=Annotations(
        "-x 'y' \u05d0\u05d1", "no\u00a0break", (Note("z=1", Stage.SATURATE), Note("w", None, 0))
    ),
)
CHOICES = [
    (NOTED, Options()),
    (NOTED, Options(both=True)),
    (NOTED, Options(standalone=True)),
    (NOTED, Options(result=False)),
    *(
        annotate_trace(NOTED, Options(both=both, standalone=page), steps=steps, until=until)
        for both, page, steps, until in (
            (False, False, "2-4", ""),
            (True, False, "1,3-4,6", ""),
            (False, False, "", "saturate"),
            (True, True, "", "4"),
        )
    ),
    (BLOCK, Options(folded=frozenset({2}))),
    (BLOCK, Options(both=True, folded=frozenset({1, 2}))),
    annotate_trace(BLOCK, steps="s2.select,9", notes=["s2.saturate=the clamp"]),
    annotate_trace(BLOCK, until="s2.saturate"),
]


def made_again(command: str) -> str:
    program, name, *words = shlex.split(command)
    assert (program, name) == ("ptxscope", "trace")
    return render_request(words)


@sampled
@pytest.mark.parametrize("choice", CHOICES, ids=range(len(CHOICES)))
@pytest.mark.parametrize("format_", TEXTS)
def test_the_command_makes_the_document_again(format_: str, choice: tuple[Trace, Options]) -> None:
    traced, options = choice
    if format_ not in OWN_TEXTS:  # a feature's document names no command, and may refuse a trace
        with suppress(ValueError):
            export(traced, format_, options)
        return
    shown = export(traced, format_, options)
    command = build_document(traced, options._replace(format=format_)).command
    assert as_given(made_again(command)) == as_given(shown)


def as_given(text: str) -> str:
    """JSON says how the line was given, too; the command gives its canonical text."""
    return re.sub(r'"text": "vadd[^"]*"', "", text, count=1)


@sampled
def test_the_command_in_a_document_reproduces_the_document_of_every_instruction(
    sample: Trace,
) -> None:
    shown, options = sample, Options(both=True, format="svg")
    assert made_again(build_document(shown, options).command) == export(shown, "svg", options)


@sampled
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_the_command_in_a_document_reproduces_hostile_text(text: str) -> None:
    shown = annotated(E3, text)
    for format_ in READ:
        command = build_document(shown, Options(format=format_)).command
        # a blank at an end of a note is no part of it
        assert made_again(command).split() == export(shown, format_).split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_a_shell_reads_the_command_that_a_terminal_can_show() -> None:
    text = export(NOTED)
    (_, command) = text.split("\n$ ptxscope ")
    assert all(char.isprintable() for char in command.replace("\n", ""))
    script = f"{shlex.quote(sys.executable)} -m ptxscope {command}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout == text


@pytest.mark.parametrize("format_", [x for x in READ if x != "svg"])
@pytest.mark.parametrize(
    ("shown", "steps", "left_out"),
    [
        (QUAD, "2-4", "1 select, 5 merge, 6 write"),
        (LANES, "s2.select, 9", "5 extend, 6 add, 7 saturate, 8 merge"),
    ],
    ids=["line", "block"],
)
def test_a_partial_document_lists_the_omitted_steps(
    format_: str, shown: Trace, steps: str, left_out: str
) -> None:
    shown, options = annotate_trace(shown, steps=steps)
    part = export(shown, format_, options)
    plain = re.sub(r"(<[^>]*>|\\|\s)+", " ", part)
    assert f"Steps not shown: {left_out}." in plain
    assert f"{shown.result['d']:08x}" in part
    assert "Steps not shown" not in export(shown, format_)


@pytest.mark.parametrize("format_", [*READ, "json"])
@pytest.mark.parametrize(
    ("shown", "until", "read", "hidden"),
    [
        (QUAD, "3", "7f80ff01", ["7f7f017f"]),
        (E3, "3", "ffffffff", ["11223300"]),
        (BLOCK, "s2.saturate", "ffffffff", ["11223300", "00332211"]),
    ],
    ids=["quad", "E3", "block"],
)
def test_a_document_until_a_step_hides_the_result(
    format_: str, shown: Trace, until: str, read: str, hidden: list[str]
) -> None:
    shown, options = annotate_trace(shown, until=until)
    text = export(shown, format_, options)
    assert read in text
    assert not any(bits in text for bits in hidden)
    if format_ != "json":
        assert "Two answers" not in text


def test_both_answers_up_to_a_step_keep_their_results_back() -> None:
    until = Options(steps=parse_steps("-saturate", E3), result=False, is_early=True)
    assert build_document(E3, until).answers is None
    answers = build_document(E3, until._replace(both=True)).answers
    assert answers
    assert [x.result for x in answers.all] == ["not shown", "not shown"]
    assert [x.stage for x in answers.steps] == [Stage.SATURATE]
    before = Options(steps=parse_steps("-add", E3), result=False, is_early=True, both=True)
    assert build_document(E3, before).answers is None


def test_json_is_of_the_steps_that_are_shown() -> None:
    shown = json.loads(export(QUAD, "json", Options(steps=parse_steps("2,4", QUAD))))
    assert [x["number"] for x in shown["steps"]] == [2, 4]
    assert shown["shown"]["steps"] == ["extend", "saturate"]
    assert shown["results"][0]["hex"] == "0x7f7f017f"


WRITTEN = "caf\u00e9\u00a0no\u00adbreak \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 "
WRITTEN += "\U0001f469\u200d\U0001f52c \u2067\u05d0\u2069 \u202bx\u202c \u200fy \U0001fae8"


@pytest.mark.parametrize("format_", READ)
def test_the_text_of_an_author_is_unchanged(format_: str) -> None:
    text = export(annotated(E3, WRITTEN), format_)
    if format_ == "text":  # which breaks lines too, at blanks
        text = re.sub(r"\n +", " ", text)
    if format_ == "svg":  # which breaks lines; in its title none is broken
        assert f">{WRITTEN}</title>" in text
    else:
        assert text.count(WRITTEN) >= 5
    assert "\ufffd" not in text


def print_with_rich(shown: Trace, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(shown)
    return out.getvalue()


def test_terminal_output_contains_only_printable_characters() -> None:
    for text in (WRITTEN, *HOSTILE):
        shown = annotated(E3, text)
        for said in (shown._repr_mimebundle_()["text/plain"], print_with_rich(shown, 70)):
            assert all(char.isprintable() for char in said.replace("\n", ""))


def test_rich_wraps_and_crops_nothing_and_reads_no_markup() -> None:
    shown = trace("vadd4.u32.u32.u32 d, a, b, c", {"a": 0x7F7F7F7F, "b": 0xFFFFFFFF, "c": 0})
    for width in (40, 60, 72, 80, 200):
        printed = print_with_rich(shown, width)
        assert max(map(len, printed.splitlines())) <= width
        assert "\u2026" not in printed
        said = " ".join(printed.split())
        assert said.count("127 + 255") == said.count("= 382") == 4
        assert "d = 0x7e7e7e7e" in said
    assert print_with_rich(E3, 100).rstrip() == export(E3, "text").rstrip()
    marked = "[red] [/x]"
    assert marked in print_with_rich(annotated(register("%d"), marked), 100)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b[31m\x07\x9b\x7f", "\u241b[31m\u2407\ufffd\u2421"),
        ("a\r\nb\tc\u2028d\x85e", "a  b c d e"),
        ("\ud800\ufffe\ufdd0\U0010ffff", "\ufffd" * 4),
        ("\u202e evil", "\ufffd evil"),
        ("x\u202c\u2069", "x\ufffd\ufffd"),
        ("\u2067a\u202eb\u2069c\u202c", "\u2067a\ufffdb\u2069c\ufffd"),
        ("\u202aa\u2067b\u202cc\u2069d\u202c", "\u202aa\u2067b\ufffdc\u2069d\u202c"),
        ("\u2066\u2066\u2069", "\ufffd\u2066\u2069"),
        (WRITTEN, WRITTEN),
    ],
)
def test_only_control_characters_are_replaced_by_visible_marks(text: str, kept: str) -> None:
    assert sanitize_text(text) == kept


BIDI = st.text(st.sampled_from("a\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))


@given(BIDI)
def test_a_sanitized_text_does_not_change_the_direction_of_later_text(text: str) -> None:
    """By the algorithm of UAX 9, X1 to X8, less its limits: nothing is open at the end."""
    stack: list[str] = []
    for char in sanitize_text(text):
        if char in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068":
            stack.append(char)
        elif char == "\u202c":
            assert stack
            assert stack.pop() < "\u2066"
        elif char == "\u2069":
            assert stack
            assert stack.pop() >= "\u2066"
    assert not stack
    assert sanitize_text(sanitize_text(text)) == sanitize_text(text)
    assert len(sanitize_text(text)) == len(text)


@pytest.mark.parametrize("opcode", [x for x, model in EXAMPLES if model == "isa"])
def test_a_long_name_appears_at_most_twice(opcode: str) -> None:
    short = example(opcode)
    names = {name: f"%{name * 39}" for name in {*short.instruction.written_names.values()}}
    line = re.sub(
        r"(?<=[\s|@!,-])%?\w+(?=[\s,;|.])",
        lambda found: names.get(found[0], found[0]),
        str(short.instruction).replace("|", " | "),
    ).replace(" | ", "|")
    values = {
        names.get(x.name, x.name): short.operands[x.roles[0]] for x in short.instruction.inputs
    }
    shown = trace(line, values)
    assert shown.result.keys() == {names.get(x, x) for x in short.result}
    lines = render(shown).partition("\nPTX ISA")[0].splitlines()
    assert max(map(len, lines)) <= 80
    told = "".join(lines).replace(" ", "")
    for name in names.values():
        # in the line, and where its value or its result stands
        assert told.count(name) <= 2, name


KNOWN = [(11, 8), (12, 4), (13, 0), (13, 2), (13, 3), (13, 4), (13, 5)]
"""Versions of ptxas."""
CANCELLED = ("vadd.u32.s32.s32.sat d.h1, a, b, c", {"a": -9, "b": 2, "c": 0x55667788})


@pytest.mark.parametrize("model", ["isa", "ptxas-12.0", "ptxas", "E3"])
def test_versions_whose_errata_cancel_out_are_listed(model: str) -> None:
    answers = build_document(trace(*CANCELLED, model=model), Options(both=True)).answers
    assert answers
    # -9 + 2 = -7 is clamped to 0 as documented; E3 makes ffff of it, and E1 then takes the
    # zeros above that
    assert [(x.label, x.result, x.reason) for x in answers.all] == [
        ("isa, as documented", "0x00007788", ""),
        ("ptxas 11.8 to 13.2, sm_70+", "0x00007788", "E1, E3 cancel out"),
        ("ptxas 13.3 to 13.5, sm_70+", "0xffff7788", "E3"),
    ]
    assert [x.id for x in answers.errata] == ["E1", "E3"]


@pytest.mark.parametrize("format_", [*READ, "json"])
def test_every_format_lists_every_ptxas_version(format_: str) -> None:
    made = export(trace(*CANCELLED), format_, Options(both=True)).replace("\\", "")
    made = made.replace("&#95;", "_").replace("&#43;", "+")
    assert "ptxas 11.8 to 13.2, sm_70+" in made
    assert "ptxas 13.3 to 13.5, sm_70+" in made
    assert "E1" in made


@given(st.sampled_from(ERRATA), st.sampled_from(("isa", "ptxas")), st.data())
def test_every_version_is_in_one_row_and_labels_differ(
    erratum: Erratum, model: str, data: st.DataObject
) -> None:
    ptx = erratum.example[0]
    ptx = data.draw(st.sampled_from([ptx, ptx.replace("d.h0", "d.h1").replace("d.b0", "d.h1")]))
    inputs = parse(ptx).inputs
    values = {x.name: data.draw(st.integers(0, (1 << x.type.bits) - 1)) for x in inputs}
    answers = build_document(trace(ptx, values, model=model)).answers
    rows = answers.all if answers else ()
    assert len({x.label for x in rows}) == len(rows)
    for version in KNOWN if answers else ():
        (row,) = (x for x in rows if _stands_for(x.label, version))
        made = evaluate(ptx, values, model="ptxas-{}.{}".format(*version))
        assert [*made.values()] == [int(x, 16) for x in re.findall("0x[0-9a-f]+", row.result)]


def _stands_for(label: str, version: tuple[int, int]) -> bool:
    found = re.fullmatch(r"ptxas (\d+)\.(\d+)(?: to (\d+)\.(\d+))?, sm_70\+", label)
    if not found:
        return False
    first = int(found[1]), int(found[2])
    last = (int(found[3]), int(found[4])) if found[3] else first
    return first <= version <= last


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("vshl.s32.u32.u32.sat.clamp d.h1, a.b3, b.h0, c", (2699459541, 0xFFFFFFFF, 0)),
        ("vshl.u32.u32.u32.sat.clamp d.h1, a.b0, b.h1, c", (0x7FFFFFFF, 0x80000000, 634309444)),
        ("vshl.u32.u32.u32.sat.wrap d.h1, a.h1, b.b0, c", (0x80000000, 0x7FFFFFFF, 0x80000000)),
    ],
)
def test_one_answer_for_two_reasons_has_two_names(line: str, values: tuple[int, ...]) -> None:
    answers = build_document(trace(line, dict(zip("abc", values, strict=True)))).answers
    assert answers
    _, newer, older = answers.all
    assert newer.result == older.result
    assert newer.errata != older.errata
    assert (newer.label, older.label) == (
        "ptxas 13.3 to 13.5, sm_70+",
        "ptxas 11.8 to 13.2, sm_70+",
    )


@sampled
def test_both_alternative_texts_have_operands_and_results_and_one_is_a_sentence(
    sample: Trace,
) -> None:
    doc = build_document(sample)
    said, short = format_alt_text(doc), format_short_alt(doc)
    assert "\n" not in said
    assert all(f"{x.bits}, {x.meant}" in said for x in doc.operands)
    assert all(f"Step {x.number}, {x.title}: {x.about}" in said for x in doc.steps)
    assert all(f"Result: {name} = {bits}" in said for name, bits, _ in doc.results)
    assert short.startswith(doc.ptx.removesuffix(";"))
    assert short.endswith(".")
    assert not re.search(r"[.!?] [A-Z]|[\n]", short)
    assert all(f"{x.name or x.label} = {x.bits}" in short for x in doc.operands)
    assert all(f"{name} = {bits}, {meant}" in short for name, bits, meant in doc.results)
    answers = doc.answers.all if doc.answers else ()
    assert all(x.result in text for x in answers for text in (said, short))


@pytest.mark.parametrize("format_", READ)
def test_every_format_says_that_both_models_agree(format_: str) -> None:
    said = "One answer: on these values isa and every known ptxas agree."
    one = trace("vadd.u32.u32.u32 d, a, b", {"a": 1, "b": 2})
    block = trace_block(BLOCK_PTX, BLOCK_VALUES | {"b": 1})  # -1 + 1 is not negative
    for shown in (one, block):
        assert said in " ".join(export(shown, format_, Options(both=True)).split())
    for shown, options in ((one, Options()), (E3, Options(both=True)),
                           (one, Options(both=True, result=False))):  # fmt: skip
        assert said not in " ".join(export(shown, format_, options).split())


def test_a_document_runs_each_plan_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Plan] = []

    def run_plan(plan: Plan, operands: Mapping[str, int]) -> dict[str, LaneValues]:
        runs.append(plan)
        return plan_module.run_plan(plan, operands)

    monkeypatch.setattr("ptxscope.engine.tracing.trace.run_plan", run_plan)
    shown = trace("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": -1, "b": 0, "c": 0x11223344})
    for title in ("", "titled"):
        titled, options = annotate_trace(shown, Options(both=True), title=title)
        export(titled, "html", options)
    assert len(runs) == len({*runs}) == 2
