"""The JSON trace: valid by its schema, complete."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from ptxscope import Trace, export, trace
from ptxscope.documents.options import DEFAULT, Options
from ptxscope.engine.isa.types import DESTINATIONS, Role
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.tracing.annotations import Annotations
from tests.driving.samples import BLOCK, E3, HOSTILE, annotated
from tests.tiers import sampled

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


TEXTS = [*HOSTILE, "\ud800", "a\udfffb", "\udc80|\x00"]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_survives(text: str) -> None:
    """Half a surrogate pair too, which has no UTF-8."""
    shown = annotated(E3, text)
    assert written(shown)["annotations"]["title"] == text


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


def test_annotations_count_for_equality() -> None:
    assert replace(E3, annotations=Annotations("t")) != E3


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
