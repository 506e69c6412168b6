"""Documents in JSON are read back, and every changed value is found."""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import getitem
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import Instruction, export, parse_all, trace
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.options import Options
from ptxscope.features.publish.json_reader import load
from tests.cli.test_asm_operands import KEPT
from tests.driving.command_line import run
from tests.driving.samples import BLOCK, E3, MODELS, annotated
from tests.export.test_json import TEXTS
from tests.reference_data import read_lines
from tests.strategies import evaluations
from tests.tiers import some


@given(evaluations(), st.sampled_from(MODELS))
def test_a_round_trip_gives_the_same_trace(
    evaluation: tuple[Instruction, dict[str, int]], model: str
) -> None:
    shown = trace(*evaluation, model=model)
    again = load(export(shown, "json"))
    assert again == shown
    assert again.result == shown.result


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_is_read_back(text: str) -> None:
    shown = annotated(E3, text)
    assert load(export(shown, "json").encode("utf-8").decode("utf-8")) == shown


def test_an_early_part_without_result_is_read_back() -> None:
    shown = trace("vmad.s32.s32.s32 d, a, b, c", {"a": 901, "b": 7, "c": 1})
    early = frozenset(step.place for step in shown.steps[:-1])
    assert load(export(shown, "json", Options(steps=early, result=False, is_early=True))) == shown


def test_a_statement_of_a_block_is_read_back() -> None:
    for statement, part in zip(
        json.loads(export(BLOCK, "json"))["statements"], BLOCK.parts, strict=True
    ):
        assert load(json.dumps(statement["trace"])).result == part.result


def test_an_instruction_of_a_longer_text_is_loaded_from_its_canonical_line() -> None:
    text = "vadd.u32.u32.u32 d, a, b; vsub.u32.u32.u32 d, a, b;"
    for ins in parse_all(text):
        shown = trace(ins, {"a": 5, "b": 3})
        assert load(export(shown, "json")) == shown
    data = json.loads(export(shown, "json"))
    for other in ("nothing", "vadd.u32.u32.u32 d, a, b;", ""):
        data["instruction"]["text"] = other
        with pytest.raises(ValueError, match=r"another line than instruction\.canonical"):
            load(json.dumps(data))


E3_WORDS = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]
BLOCK_WORDS = ["{ brev.b32 t, a; popc.b32 d, t; }", "a=7", "--title=T"]


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (E3_WORDS, []),
        (E3_WORDS, ["--both", "--model", "ptxas"]),
        (E3_WORDS, ["--model", "E3+H1"]),
        (E3_WORDS, ["--steps=2-4", "--title=T \u05d0", "--note", "saturate=n", "--caption=C"]),
        (E3_WORDS, ["--until", "saturate", "--both"]),
        (E3_WORDS, ["--no-result"]),
        (BLOCK_WORDS, []),
        (BLOCK_WORDS, ["--fold=1"]),
        (BLOCK_WORDS, ["--until=s1"]),
        (BLOCK_WORDS, ["--no-result"]),
        (BLOCK_WORDS, ["--note=s2.1=x", "--both"]),
    ],
)
def test_a_loaded_trace_equals_the_exported_one(words: list[str], more: list[str]) -> None:
    shown, options, _ = parse_request([*words, *more])
    recorded = export(shown, "json", options)
    assert load(recorded) == shown
    if words == BLOCK_WORDS:
        with pytest.raises(ValueError, match=r'operands\[0\]\.hex is "0x00000007", which differs'):
            load(recorded.replace('"bits": 7', '"bits": 6'))


def change_part(text: str, *changes: str) -> str:
    """The JSON with changes as ``json_changes.txt`` describes them."""
    data = json.loads(text)
    for change in changes:
        path, action, *value = change.split(" ", 2)
        *names, last = (int(x) if x.isdigit() else x for x in path.split("."))
        inside = reduce(getitem, names, data)
        if action == "-":
            del inside[last]
        elif action == "+":
            inside.insert(last, json.loads(value[0]))
        else:
            inside[last] = json.loads(value[0])
    return json.dumps(data)


LONG = f'operands.0.bits = "{"9" * 5000}"'


@pytest.mark.parametrize(
    ("change", "said"),
    [*read_lines("json_changes.txt", 2), (LONG, "an integer is required")],
    ids=lambda x: x[:60],
)
def test_a_json_trace_that_does_not_replay_is_refused(change: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        load(change_part(export(E3, "json"), change))
    assert "\n" not in str(caught.value)


def test_the_machine_code_of_an_older_version_is_ignored() -> None:
    recorded = export(E3, "json")
    changes = 'version = "0.1"', 'machine_code = {"arch": "sm_90"}'
    assert load(change_part(recorded, *changes)) == load(recorded)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is not JSON: it is empty"),
        (" \n", "this is not JSON: it is empty"),
        ("{", "this is not JSON: it ends too early, at line 1, column 2"),
        ('{\n "a": x}', "this is not JSON: line 2, column 7 is not valid JSON"),
        ('{"a": 1} {', "this is not JSON: line 1, column 10 is not valid JSON"),
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


SATURATED = "steps.3.rows.0.lanes.0"
REWORDED = (
    *('version = "9.9"', 'source = "S"', 'command = "C"', 'later = {"what": 1}'),
    *('steps.0.title = "T"', 'steps.0.about = "A"'),
    *(f'{SATURATED}.sentence = "S"', f'{SATURATED}.formula = "F"'),
)


def test_a_trace_of_another_version_may_differ_in_words_only() -> None:
    text = change_part(export(E3, "json", Options(both=True)), *REWORDED)
    assert load(text) == E3
    for change in (
        *(f"{SATURATED}.{x}" for x in ("value = 1", "sentence = 1", "flags = []")),
        'operands.0.hex = "0x0"',
        "steps.5 -",
    ):
        with pytest.raises(ValueError, match=r"missing|new computation"):
            load(change_part(text, change))


SMALL = export(trace(E3.instruction, {"%1": 0xFFFFFFFF, "%2": 0, "%3": 5}), "json")


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


def test_the_command_of_a_trace_contains_the_literal() -> None:
    recorded = load(run("trace", KEPT, "a=1", "b=2", "-f", "json").stdout)
    assert export(recorded, "text") == run("trace", KEPT, "a=1", "b=2").stdout
