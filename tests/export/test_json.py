"""The JSON trace: valid by its schema, whole, and read back as the trace it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from ptxscope import Instruction, Trace, export, parse_all, trace
from ptxscope.documents.formats.json_reader import load
from ptxscope.documents.options import Options
from ptxscope.engine.isa.types import DESTINATIONS, Role
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.tracing.annotations import Annotations
from tests.export.samples import BLOCK, E3, EXAMPLES, HOSTILE, MODELS, annotated, example
from tests.strategies import evaluations
from tests.tiers import sampled

SCHEMAS = {
    name: json.loads(files("ptxscope.documents").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("trace", "block")
}
REGISTRY = Registry().with_resources(
    (x["$id"], Resource.from_contents(x)) for x in SCHEMAS.values()
)


def written(trace_: Trace, options: Options = Options()) -> Any:  # noqa: B008
    data = json.loads(export(trace_, "json", options))
    kind = "trace" if trace_.block.is_line else "block"
    assert data["schema"] == f"ptxscope.{kind}/1"
    Draft202012Validator(SCHEMAS[kind], registry=REGISTRY).validate(data)
    return data


def test_the_schema_is_one_and_knows_every_stage_and_flag() -> None:
    schema = SCHEMAS["trace"]
    for each in SCHEMAS.values():
        Draft202012Validator.check_schema(each)
    assert schema["$defs"]["stage"]["enum"] == list(map(str, Stage))
    flags = schema["$defs"]["lane"]["properties"]["flags"]["items"]["enum"]
    assert flags == list(map(str, Flag))


@sampled
@pytest.mark.parametrize(("opcode", "model"), EXAMPLES)
def test_the_json_of_every_instruction_is_complete(opcode: str, model: str) -> None:
    shown = example(opcode, model)
    data = written(shown)
    assert {x["name"]: int(x["bits"]) for x in data["results"]} == shown.result
    rows = [row for step in data["steps"] for row in step["rows"]]
    assert [row["key"] for row in rows] == list(shown.rows)
    for row in rows:
        values = [int(lane["value"]) for lane in row["lanes"]]
        assert tuple(values) == shown.rows[row["key"]].values
        for lane, value in zip(row["lanes"], values, strict=True):
            assert int(lane["hex"], 0) == value % (1 << row["width"])
    assert load(export(shown, "json")) == shown


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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-10], "not JSON"),
        (lambda _: "[" * 100_000, "not JSON"),
        (lambda _: "[]", "is not ptxscope.trace/1"),
        (lambda text: text.replace("trace/1", "trace/2"), "schema is"),
        (lambda text: text.replace(".sat %0.b0", ".bad %0.b0"), "instruction.canonical is"),
        (
            lambda text: text.replace('"bits": 287453952', '"bits": 287453953'),
            "a new computation: 287453952",
        ),
        (lambda text: text.replace('"role": "c"', '"role": "z"'), "is not ptxscope.trace/1"),
    ],
)
def test_a_changed_json_trace_is_refused(change: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        load(change(export(E3, "json")))


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


def test_the_schema_names_every_stage_flag_and_role() -> None:
    found = set(_enums(SCHEMAS["trace"]))
    for names in (Stage, Flag, Role, DESTINATIONS):
        assert frozenset(map(str, names)) in found
