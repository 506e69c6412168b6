"""JSON output, schema ``ptxscope.trace/1``, from which a trace can be drawn or read back.

Values (``bits``, ``value``) whose magnitude is 2**53 or more are always strings, so that no reader
rounds them; smaller ones are always numbers. The schema has the same rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import Any

from ... import __version__
from ...engine.isa.value_text import format_hex
from ...engine.json_node import JsonNode, parse_json
from ...engine.semantics.models import Model, parse_model
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.instruction import Immediate, Instruction
from ...engine.syntax.parser import parse
from ...engine.tracing.annotations import (
    annotations_from_json,
    annotations_to_json,
    stage_from_json,
)
from ...engine.tracing.lane_text import interpret_bits
from ...engine.tracing.operand_bits import bind_values
from ...engine.tracing.provenance import find_provenance
from ...engine.tracing.trace import Trace
from ..content.document import Answers, CellView, Document, DocumentRow, StepView, build_document
from ..options import DEFAULT, Options
from .machine_json import machine_code_from_json, machine_code_to_json
from .recorded_json import require_equal

SCHEMA = "ptxscope.trace/1"
_EXACT = 1 << 53
"""Smallest magnitude that a reader with floating-point numbers would round."""

_NUMBER = re.compile("-?[0-9]{1,40}")
_SURROGATE = re.compile("[\ud800-\udfff]")

Object = dict[str, Any]


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the trace, or the part of it that the options show."""
    text = json.dumps(
        document_to_json(build_document(trace, options), options), indent=2, ensure_ascii=False
    )
    return replace_surrogates(text) + "\n"


def replace_surrogates(text: str) -> str:
    """Return JSON with escapes for lone surrogates, which have no UTF-8 form."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


BLOCK_SCHEMA = "ptxscope.block/1"
"""The schema of a block's JSON."""


def load(text: str) -> Trace:
    """Return the trace that ``render`` wrote, equal to the original.

    Raise ValueError if the text is not such a trace, or if a recorded value differs from the one
    that this version computes; the message has the value and its place.
    """
    return load_with_options(text)[0]


def load_with_options(text: str) -> tuple[Trace, Options]:
    """Return the trace that ``render`` wrote, and its options; raise the errors of ``load``."""
    data = parse_json(text)
    if isinstance(data.value, dict) and data.value.get("schema") == BLOCK_SCHEMA:
        raise ValueError(
            f"this is {BLOCK_SCHEMA}, a block; {SCHEMA} of one instruction can be read here"
        )
    try:
        data.check_schema(SCHEMA)
        version = data.get_field("version", str).value
        trace, is_as_given = _trace_from_json(data)
        options = _options_from_json(data, trace)
    except ValueError as error:
        raise ValueError(f"this is not {SCHEMA}: {error}") from None
    _require_equal_record(data, trace, options, version, is_as_given)
    return trace, options


def _trace_from_json(data: JsonNode) -> tuple[Trace, bool]:
    """Return the trace, and whether its line was parsed from the recorded text."""
    ins, is_as_given = _instruction_from_json(data.get_field("instruction", dict))
    values: dict[str, int] = {}
    for item in data.get_field("operands", list).iter_items(dict):
        role = item.get_field("role", str)
        if role.value not in (*ins.names, *ins.roles):
            raise role.make_error(f"the instruction has {', '.join({**ins.names, **ins.roles})}")
        type_ = ins.type_of(role.value)
        bits = item.get_field("bits", int, str)
        if not 0 <= bits_from_json(bits) < 1 << type_.bits:
            raise bits.make_error(f"this does not fit in .{type_}")
        if name := ins.names.get(role.value):
            values[name] = bits_from_json(bits)
    operands = bind_values(ins, values)
    model = _model_from_json(data.get_field("model", dict))
    annotations = annotations_from_json(data.get_field("annotations", dict))
    trace = Trace(ins, model, operands, annotations)
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
    """Parse the line as recorded, which may add a note, if it is the same instruction.

    A line of a listing may need declarations from there; then the canonical line is used.
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


def _options_from_json(data: JsonNode, trace: Trace) -> Options:
    machine_code = (
        machine_code_from_json(data.get_field("machine_code", dict))
        if "machine_code" in data.value
        else None
    )
    if "shown" not in data.value:
        return Options(machine_code=machine_code)
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
        stages=stages,
        result=result,
        is_early=is_early,
        machine_code=machine_code,
    )


def bits_from_json(data: JsonNode) -> int:
    """Parse an integer as ``integer_to_json`` wrote it."""
    if isinstance(data.value, str) and not _NUMBER.fullmatch(data.value):
        raise data.make_error("an integer is required, as a text from 2**53 on")
    return int(data.value)


_WORDED = ("title", "about", "formula", "sentence", "part_at", "source", "notes", "model")
"""Fields with sentences that another version may word differently."""


def _require_equal_record(
    data: JsonNode, trace: Trace, options: Options, version: str, is_as_given: bool
) -> None:
    """Raise ValueError if a recorded value differs from the computed one."""
    computed_record = json.loads(
        json.dumps(document_to_json(build_document(trace, options), options))
    )
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
    require_equal_record(data, computed_record, version, free_fields)


def require_equal_record(
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


def document_to_json(doc: Document, options: Options = DEFAULT) -> Object:
    """Return the JSON form of a document."""
    trace = doc.trace
    stages = options.stages
    return {
        "schema": SCHEMA,
        "version": __version__,
        "instruction": _instruction_to_json(trace.instruction),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "shown": {
            "steps": None if stages is None else [str(x.stage) for x in doc.steps],
            "result": options.result,
            "both": options.both,
            **({"until": True} if options.is_early else {}),
        },
        "operands": [_operand_to_json(trace, role) for role in sorted(trace.operands)],
        "steps": [_step_to_json(trace, step) for step in doc.steps],
        "results": [
            {
                "role": role,
                "name": name,
                "bits": integer_to_json(trace.result[name]),
                "hex": view.bits,
                "value": view.meant,
            }
            for (role, name), view in zip(
                trace.instruction.results.items(), doc.results, strict=bool(doc.results)
            )
        ],
        "notes": list(doc.notes),
        "errata": list(trace.errata) if options.result else [],
        "answers": _answers_to_json(trace, doc.answers) if doc.answers else None,
        "annotations": annotations_to_json(trace.annotations),
        "source": doc.source,
        "command": doc.command,
        **(
            {"machine_code": machine_code_to_json(doc.machine_code)}
            if doc.machine_code is not None
            else {}
        ),
    }


def integer_to_json(value: int) -> int | str:
    """Return a number, or a text if a reader with floating-point numbers would round it."""
    return value if abs(value) < _EXACT else str(value)


def _operand_to_json(trace: Trace, role: str) -> Object:
    ins, bits = trace.instruction, trace.operands[role]
    type_ = ins.type_of(role)
    return {
        "role": role,
        "name": ins.format_operand(role),
        "type": str(type_),
        "bits": integer_to_json(bits),
        "hex": format_hex(bits, type_.bits),
        "value": interpret_bits(ins, role, bits),
        "read": any(source.role == role for source in trace.plan.sources),
    }


def _instruction_to_json(ins: Instruction) -> Object:
    slots = {slot.name: slot for slot in ins.entry.slots}
    return {
        "text": ins.text or str(ins),
        "canonical": str(ins),
        "opcode": ins.opcode,
        "form": {
            name: slot.format_value(ins.form.get(name))
            for name, slot in slots.items()
            if name != "c" and slot.format_value(ins.form.get(name))
        },
        "destinations": list(ins.destinations),
        "sources": [
            {
                "role": role,
                "text": str(source),
                "kind": "literal" if isinstance(source, Immediate) else "register",
            }
            for role, source in ins.roles.items()
        ],
        "guard": ins.guard and {"name": ins.guard.name, "negated": ins.guard.negated},
        "section": ins.entry.section,
    }


def _step_to_json(trace: Trace, step: StepView) -> Object:
    return {
        "number": step.number,
        "stage": str(step.stage),
        "title": step.title,
        "about": step.about,
        "rows": [_row_to_json(trace, row) for row in step.rows],
        "notes": list(step.notes),
    }


def _row_to_json(trace: Trace, view: DocumentRow) -> Object:
    row = view.row.row  # the plan's row
    return {
        "key": row.key,
        "name": view.name,
        "operation": row.operation,
        "inputs": list(row.inputs),
        "width": row.bits,
        "signed": row.is_signed,
        "lanes": [_lane_to_json(trace, view, cell, row.bits) for cell in reversed(view.cells)],
    }


def _lane_to_json(trace: Trace, view: DocumentRow, cell: CellView, width: int) -> Object:
    return {
        "lane": cell.lane,
        "value": integer_to_json(cell.value),
        "hex": format_hex(cell.value & ((1 << width) - 1), width),
        "flags": [str(flag) for flag in view.row.lanes[cell.lane].flags],
        "formula": str(cell.formula),
        "sentence": cell.sentence,
        "from": [
            {"operand": origin.role, "low": origin.low, "high": origin.high - 1}
            for origin in find_provenance(trace, view.row.key, cell.lane)
        ],
    }


def _answers_to_json(trace: Trace, answers: Answers) -> Object:
    return {
        "all": [
            {"model": x.label, "result": x.result, "errata": list(x.errata)} for x in answers.all
        ],
        "part_at": answers.step,
        "errata": [{"id": e.id, "sentence": e.sentence} for e in answers.errata],
        "other": answers.other_name,
        "steps": [_step_to_json(answers.other_trace or trace, step) for step in answers.steps],
    }
