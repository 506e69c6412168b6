"""A reader of ``formats.json`` documents that checks every recorded value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator
from typing import Any

from ... import __version__
from ...blocks.block_parser import parse_block, trace_block
from ...documents.formats.json import BLOCK_SCHEMA, SCHEMA, Object, render
from ...documents.options import Options
from ...engine.json_node import KINDS, JsonNode, abbreviate_json, parse_json
from ...engine.semantics.models import Model, parse_model
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import parse
from ...engine.tracing.annotations import Annotations, annotations_from_json, stage_from_json
from ...engine.tracing.operand_bits import bind_values
from ...engine.tracing.trace import StepPlace, Trace, make_trace

_NAMES = (("number", "step {}"), ("key", "row {}"), ("lane", "lane {}"), ("role", "{}"))
"""Labels of the objects in a list, by their identifying field."""


def require_equal(
    node: JsonNode,
    computed_value: object,
    can_differ: Callable[[str, object], bool],
    *,
    has_extra_fields: bool,
) -> None:
    """Raise ValueError at the first recorded value that differs from the computed one.

    ``can_differ`` accepts, by the name of a field and its computed value, another value of the same
    type. With ``has_extra_fields``, unknown fields are also accepted.
    """
    _require_equal_items(node, computed_value, "", can_differ, has_extra_fields)


def _require_equal_items(
    node: JsonNode,
    computed_value: Any,
    label: str,
    can_differ: Callable[[str, object], bool],
    has_extra_fields: bool,
) -> None:
    label_suffix = f" ({label})" if label else ""
    if isinstance(computed_value, dict) and isinstance(node.value, dict):
        for name, value in computed_value.items():
            field_node = node.get_field(name, *KINDS)
            if not (type(field_node.value) is type(value) and can_differ(name, value)):
                _require_equal_items(field_node, value, label, can_differ, has_extra_fields)
        unknown = next((name for name in node.value if name not in computed_value), None)
        if unknown is not None and not has_extra_fields:
            path = node._replace(path=f"{node.path}.{unknown}" if node.path else unknown).path
            raise ValueError(f"{path[:200]}{label_suffix} is not part of a trace")
    elif isinstance(computed_value, list) and isinstance(node.value, list):
        if len(computed_value) != len(node.value):
            difference = _format_count_difference(node.value, computed_value)
            raise ValueError(f"{node.path}{label_suffix} has {difference}")
        for item, value in zip(node.iter_items(*KINDS), computed_value, strict=True):
            names = [label, *_iter_names(value)]
            _require_equal_items(
                item, value, ", ".join(filter(None, names)), can_differ, has_extra_fields
            )
    elif type(computed_value) is not type(node.value) or computed_value != node.value:
        raise ValueError(
            f"{node.path}{label_suffix} is {abbreviate_json(node.value)}, which differs "
            f"from a new computation: {abbreviate_json(computed_value)}"
        )


def _iter_names(item: object) -> Iterator[str]:
    if isinstance(item, dict):
        yield from (template.format(item[name]) for name, template in _NAMES if name in item)


def _format_count_difference(items: list[Any], computed_value: list[Any]) -> str:
    """Format the number of items, the expected number, and the labels of missing items."""
    item_names = {name for item in items for name in _iter_names(item)}
    missing_names = [
        name for item in computed_value for name in _iter_names(item) if name not in item_names
    ]
    count_text = (
        f"{len(items)} of {len(computed_value)} items"
        if len(items) < len(computed_value)
        else f"{len(items)} items"
    )
    if missing_names:
        return f"{count_text}; missing: {', '.join(missing_names)}"
    return f"{count_text}; a new computation has {len(computed_value)}"


_NUMBER = re.compile("-?[0-9]{1,40}")


def load(text: str) -> Trace:
    """Return the trace of a document of ``render``, equal to the original.

    Raise ValueError if the text is not such a document, or if a recorded value differs from this
    version's; the message has the value and its path.
    """
    data = parse_json(text)
    is_block = isinstance(data.value, dict) and data.value.get("schema") == BLOCK_SCHEMA
    schema, is_as_given = (BLOCK_SCHEMA, True) if is_block else (SCHEMA, True)
    try:
        data.check_schema(schema)
        version = data.get_field("version", str).value
        if is_block:
            trace = _block_from_json(data)
            options = _block_options_from_json(data, trace)
        else:
            trace, is_as_given = _line_from_json(data)
            options = _line_options_from_json(data, trace)
        computed = json.loads(render(trace, options))
    except ValueError as error:
        raise ValueError(f"this is not {schema}: {error}") from None
    if is_block:
        _require_equal_record(data, computed, version, _POSITIONS)
    else:
        _require_equal_line(data, trace, computed, version, is_as_given)
    return trace


def _line_from_json(data: JsonNode) -> tuple[Trace, bool]:
    """Return the trace, and whether its line was parsed from the recorded text."""
    ins, is_as_given = _instruction_from_json(data.get_field("instruction", dict))
    values: dict[str, int] = {}
    for item in data.get_field("operands", list).iter_items(dict):
        role = item.get_field("role", str)
        if role.value not in (*ins.names, *ins.roles):
            raise role.make_error(f"the instruction has {', '.join({**ins.names, **ins.roles})}")
        type_ = ins.type_of(role.value)
        bits = item.get_field("bits", int, str)
        if not 0 <= _bits_from_json(bits) < 1 << type_.bits:
            raise bits.make_error(f"this does not fit in .{type_}")
        if name := ins.names.get(role.value):
            values[name] = _bits_from_json(bits)
    operands = bind_values(ins, values)
    model = _model_from_json(data.get_field("model", dict))
    annotations = annotations_from_json(data.get_field("annotations", dict))
    trace = make_trace(ins, model, operands, annotations)
    if missing_roles := [x.role for x in trace.plan.sources if x.role not in operands]:
        raise ValueError(f"operands: operand {missing_roles[0]} is missing")
    return trace, is_as_given


def _model_from_json(data: JsonNode) -> Model:
    name = data.get_field("name", str)
    try:
        return parse_model(name.value)
    except ValueError as error:
        raise ValueError(f"{name.path}: {error}") from None


def _instruction_from_json(data: JsonNode) -> tuple[Instruction, bool]:
    """Parse the recorded line, which may add a note, if it is the same instruction.

    Otherwise, for example without the declarations of its listing, the canonical line is used.
    """
    canonical, text = data.get_field("canonical", str), data.get_field("text", str)
    try:
        ins = parse(canonical.value)
    except PtxError as error:
        raise canonical.make_error(error.message) from None
    try:
        given_instruction = parse(text.value)
    except PtxError:
        if ins.opcode in text.value:
            return ins, False
        given_instruction = None
    if given_instruction != ins:
        raise text.make_error("it is another line than instruction.canonical")
    return given_instruction, True


def _line_options_from_json(data: JsonNode, trace: Trace) -> Options:
    if "shown" not in data.value:
        return Options()
    shown_parts = data.get_field("shown", dict)
    steps = shown_parts.get_field("steps", list, type(None))
    stages = None if steps.value is None else frozenset(map(stage_from_json, steps.iter_items(str)))
    known_stages = [step.stage for step in trace.steps]
    if stages is not None and (unknown_stages := sorted(stages - {*known_stages})):
        raise steps.make_error(
            f"{unknown_stages[0]} is not one of its steps: {', '.join(known_stages)}"
        )
    has_both_models, result = (
        shown_parts.get_field(name, bool).value for name in ("both", "result")
    )
    is_early = "until" in shown_parts.value and bool(shown_parts.get_field("until", bool).value)
    return Options(
        both=has_both_models,
        steps=None if stages is None else frozenset(StepPlace(1, x) for x in stages),
        result=result,
        is_early=is_early,
    )


def _bits_from_json(data: JsonNode) -> int:
    """Parse an integer as ``integer_to_json`` wrote it."""
    if isinstance(data.value, str) and not _NUMBER.fullmatch(data.value):
        raise data.make_error("an integer is required, as a text from 2**53 on")
    return int(data.value)


_WORDED = ("title", "about", "formula", "sentence", "part_at", "source", "notes", "model")
"""Fields with sentences, which another version may word differently."""


def _require_equal_line(
    data: JsonNode, trace: Trace, computed_record: Object, version: str, is_as_given: bool
) -> None:
    """Raise ValueError if a recorded value of one instruction differs from the computed one."""
    free_fields: set[str] = set()
    notes = data.get_field("notes", list)
    if not is_as_given:
        free_fields |= {"notes"}
        computed_record["instruction"]["text"] = data.value["instruction"]["text"]
    elif _list_other_notes(trace, notes.value) == _list_other_notes(
        trace, computed_record["notes"]
    ):
        computed_record["notes"] = notes.value
    if "shown" not in data.value:
        del computed_record["shown"]
    _require_equal_record(data, computed_record, version, free_fields)


def _require_equal_record(
    data: JsonNode, computed_record: Object, version: str, free_fields: Container[str]
) -> None:
    """Raise ValueError if a recorded value differs from the computed one.

    Another version may word sentences differently; ``free_fields`` may always differ.
    """
    is_other = version != __version__

    def can_differ(name: str, value: object) -> bool:
        if name == "value":  # a reading in words, or a number
            return is_other and isinstance(value, str) and not _NUMBER.fullmatch(value)
        return (
            name in ("version", "command") or name in free_fields or (is_other and name in _WORDED)
        )

    require_equal(data, computed_record, can_differ, has_extra_fields=is_other)


def _list_other_notes(trace: Trace, notes: list[object]) -> list[object]:
    """Return the notes except those about parsing, which a constructed instruction lacks."""
    parse_notes = [*map(make_printable, trace.instruction.notes)]
    return [note for note in notes if note not in parse_notes]


_POSITIONS = {"lines", "line", "text", "notes"}
"""Fields about the text of statements before they were joined into one line."""


def _block_from_json(data: JsonNode) -> Trace:
    lines = (x.value for x in data.get_field("lines", list).iter_items(str))
    try:
        block = parse_block(f"{{ {' '.join(lines)} }}")
    except PtxError as error:
        raise data.get_field("lines", list).make_error(error.message) from None
    values = {
        operand.get_field("name", str).value: _bits_from_json(operand.get_field("bits", int, str))
        for operand in data.get_field("operands", list).iter_items(dict)
    }
    trace = trace_block(
        block, values, model=data.get_field("model", dict).get_field("name", str).value
    )
    notes = [
        note._replace(statement=statement.get_field("number", int).value)
        for statement in data.get_field("statements", list).iter_items(dict)
        for note in annotations_from_json(
            statement.get_field("trace", dict).get_field("annotations", dict)
        ).notes
    ]
    title, caption = (data.get_field(name, str).value for name in ("title", "caption"))
    return trace.with_annotations(Annotations(title, caption, tuple(notes)))


def _block_options_from_json(data: JsonNode, trace: Trace) -> Options:
    def read_numbers(list_: JsonNode, count: int) -> frozenset[int]:
        numbers = frozenset(x.value for x in list_.iter_items(int))
        if not numbers <= {*range(1, count + 1)}:
            raise list_.make_error(f"they are numbered from 1 to {count}")
        return numbers

    options = Options(folded=read_numbers(data.get_field("folded", list), len(trace.parts)))
    if "shown" not in data.value:
        return options
    shown_part = data.get_field("shown", dict)
    steps = shown_part.get_field("steps", list, type(None))
    both, result, until = (shown_part.get_field(x, bool).value for x in ("both", "result", "until"))
    numbers = range(0) if steps.value is None else read_numbers(steps, len(trace.steps))
    places = frozenset(trace.steps[x - 1].place for x in numbers)
    return options._replace(
        steps=None if steps.value is None else places,
        both=both,
        result=result,
        is_early=until,
    )
