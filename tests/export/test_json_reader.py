"""Traces that are read back from JSON, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from ptxscope import trace
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents import export
from ptxscope.documents.formats.json_reader import load
from ptxscope.documents.options import Options
from tests.tiers import sampled, some

PTX = "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3"
E3 = trace(PTX, {"%1": 0xFFFFFFFF, "%2": 0, "%3": 0x11223344})


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
def test_a_loaded_trace_equals_the_exported_one(more: list[str]) -> None:
    shown, options, _ = parse_request([PTX, "%1=-1", "%2=0", "%3=0x11223344", *more])
    assert load(export(shown, "json", options)) == shown


@pytest.mark.parametrize(
    "more", [[], ["--fold=1"], ["--until=s1"], ["--no-result"], ["--note=s2.1=x", "--both"]]
)
def test_a_loaded_block_equals_the_exported_one(more: list[str]) -> None:
    words = ["{ brev.b32 t, a; popc.b32 d, t; }", "a=7", "--title", "T", *more]
    shown, options, _ = parse_request(words)
    recorded = export(shown, "json", options)
    assert load(recorded) == shown
    with pytest.raises(ValueError, match=r'operands\[0\]\.hex is "0x00000007", which differs'):
        load(recorded.replace('"bits": 7', '"bits": 6'))


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
def test_a_json_trace_that_does_not_replay_is_refused(
    change: Callable[[Any], None], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        load(changed(export(E3, "json"), change))
    assert "\n" not in str(caught.value)


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
def test_a_text_that_is_not_a_trace_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(said)}\\Z"):
        load(text)


def test_a_trace_of_another_version_may_differ_in_words_only() -> None:
    text = export(E3, "json", Options(both=True))

    def reworded(data: Any) -> None:
        data.update(version="9.9", source="S", command="C", later={"what": 1})
        data["steps"][0].update(title="T", about="A")
        row(data, "saturate.t")["lanes"][0].update(sentence="S", formula="F")

    assert load(changed(text, reworded)) == E3
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

        with pytest.raises(ValueError, match=r"missing|new computation"):
            load(changed(text, both))


SMALL = export(trace(PTX, {"%1": 0xFFFFFFFF, "%2": 0, "%3": 5}), "json")


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container in a document, and where in it something is."""
    names = list(data) if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
    return [x for at in names for x in ((data, at), *places(data[at]))]


@pytest.mark.parametrize("part", some(range(36)))
def test_any_changed_or_missing_part_of_a_json_trace_is_reported(part: int) -> None:
    for index in range(part, len(places(json.loads(SMALL))), 36):
        changes: tuple[Any, ...] = (None, [], "?", 1.5, "gone")
        for change in (changes[index % 5], changes[(index + 2) % 5]):
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
