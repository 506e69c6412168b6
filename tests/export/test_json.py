"""The JSON trace: valid by its schema, complete, read back as the same trace, or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from importlib.resources import files
from operator import getitem
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from ptxscope import Instruction, Trace, export, parse_all, trace
from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.formats.json_reader import load
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.engine.isa.types import DESTINATIONS, Role
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.tracing.annotations import Annotations
from tests.driving.samples import BLOCK, E3, HOSTILE, MODELS, annotated
from tests.reference_data import read_lines
from tests.strategies import evaluations
from tests.tiers import sampled, some

SCHEMAS = {
    name: json.loads(files("ptxscope.documents").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("trace", "block")
}
REGISTRY = Registry().with_resources(
    (x["$id"], Resource.from_contents(x)) for x in SCHEMAS.values()
)


def written(trace_: Trace, options: Options = DEFAULT) -> Any:
    data = json.loads(export(trace_, "json", options))
    kind = "trace" if trace_.block.is_line else "block"
    assert data["schema"] == f"ptxscope.{kind}/1"
    Draft202012Validator(SCHEMAS[kind], registry=REGISTRY).validate(data)
    return data


@sampled
def test_the_json_of_every_instruction_is_complete(sample: Trace) -> None:
    data = written(sample)
    assert {x["name"]: int(x["bits"]) for x in data["results"]} == sample.result
    rows = [row for step in data["steps"] for row in step["rows"]]
    assert [row["key"] for row in rows] == list(sample.rows)
    for row in rows:
        values = [int(lane["value"]) for lane in row["lanes"]]
        assert tuple(values) == sample.rows[row["key"]].values
        for lane, value in zip(row["lanes"], values, strict=True):
            assert int(lane["hex"], 0) == value % (1 << row["width"])


@given(evaluations(), st.sampled_from(MODELS))
def test_a_round_trip_gives_the_same_trace(
    evaluation: tuple[Instruction, dict[str, int]], model: str
) -> None:
    shown = trace(*evaluation, model=model)
    again = load(export(shown, "json"))
    assert again == shown
    assert again.result == shown.result


TEXTS = [*HOSTILE, "\ud800", "a\udfffb", "\udc80|\x00"]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_survives(text: str) -> None:
    """Half a surrogate pair too, which has no UTF-8."""
    shown = annotated(E3, text)
    assert written(shown)["annotations"]["title"] == text
    assert load(export(shown, "json").encode("utf-8").decode("utf-8")) == shown


def test_integers_that_a_double_would_round_are_strings() -> None:
    shown = trace("slct.b64.s32 d, a, b, c", {"a": (1 << 53) + 1, "b": 5, "c": 0})
    operands = {x["role"]: x["bits"] for x in written(shown)["operands"]}
    assert operands == {"a": str((1 << 53) + 1), "b": 5, "c": 0}


def test_the_json_trace_contains_both_answers() -> None:
    answers = written(E3, Options(both=True))["answers"]
    assert [x["result"] for x in answers["all"]] == ["0x11223300", "0x112233ff"]
    assert answers["steps"][0]["stage"] == "saturate"
    assert answers["steps"][-1]["rows"][-1]["lanes"][0]["hex"] == "0x112233ff"
    others = written(BLOCK, Options(both=True))["others"]
    assert [x["number"] for x in others] == [2, 3]
    assert {x["trace"]["model"]["name"] for x in others} == {"ptxas-13.5"}


def test_the_json_of_a_block_lists_the_operands_of_its_statements() -> None:
    data = written(BLOCK)
    assert [x["name"] for x in data["operands"]] == ["a", "b", "c"]
    assert [x["reads"].get("a") for x in data["statements"]] == [
        {"statement": 0, "name": "a"},
        {"statement": 0, "name": "a"},
        {"statement": 2, "name": "d"},
    ]
    (result,) = data["results"]
    assert (result["name"], result["bits"], result["statement"]) == ("d", 0x00332211, 3)
    assert {x["name"] for x in result["from"]} == {"a", "b", "c"}
    for statement, part in zip(data["statements"], BLOCK.parts, strict=True):
        assert load(json.dumps(statement["trace"])).result == part.result


def test_annotations_count_for_equality() -> None:
    assert replace(E3, annotations=Annotations("t")) != E3


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


def _enums(schema: object) -> Iterable[frozenset[str]]:
    if isinstance(schema, dict):
        if isinstance(found := schema.get("enum"), list):
            yield frozenset(found)
        for part in schema.values():
            yield from _enums(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _enums(part)


def test_the_schemas_are_valid_and_name_every_stage_flag_and_role() -> None:
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
    found = set(_enums(SCHEMAS["trace"]))
    for names in (Stage, Flag, Role, DESTINATIONS):
        assert frozenset(map(str, names)) in found


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
