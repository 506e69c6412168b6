"""JSON of a trace, ``ptxscope.trace/1`` or ``ptxscope.block/1``, and its reader.

Values (``bits``, ``value``) of magnitude 2**53 or more are strings, so that no reader rounds them;
smaller values are numbers. The schema requires this.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ... import __version__
from ...engine.isa.encodings import format_hex, format_value
from ...engine.isa.types import Type
from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Stage
from ...engine.semantics.rules import Erratum
from ...engine.syntax.instruction import Immediate, Instruction
from ...engine.tracing.annotations import annotations_to_json
from ...engine.tracing.provenance import find_provenance
from ...engine.tracing.step_text import get_row_name, interpret_bits
from ...engine.tracing.trace import Trace
from ..content.document import Answers, CellView, Document, ModelAnswer, Section, StepView
from ..content.document_builder import build_document, make_cells
from ..options import DEFAULT, Options
from .json_text import Fields, convert_to_json

SCHEMA = "ptxscope.trace/1"
"""The schema of one instruction."""
BLOCK_SCHEMA = "ptxscope.block/1"
"""The schema of several statements, each a trace of the other schema."""
_EXACT = 1 << 53
"""Smallest magnitude that readers with floating-point numbers round."""

_SURROGATE = re.compile("[\ud800-\udfff]")

Object = dict[str, Any]


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the trace, or the part of it that the options show."""
    doc = build_document(trace, options)
    data = document_to_json(doc, options) if trace.block.is_line else _block_to_json(doc, options)
    return replace_surrogates(json.dumps(data, indent=2, ensure_ascii=False)) + "\n"


def replace_surrogates(text: str) -> str:
    """Return JSON with escapes for lone surrogates, which have no UTF-8 form."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def document_to_json(doc: Document, options: Options = DEFAULT) -> Object:
    """Return the JSON form of a document."""
    trace = doc.trace
    return {
        "schema": SCHEMA,
        "version": __version__,
        "instruction": _instruction_to_json(trace.instruction),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "shown": {
            "steps": None if options.steps is None else [str(x.stage) for x in doc.steps],
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
    }


def integer_to_json(value: int) -> int | str:
    """Return a number, or a text if readers with floating-point numbers would round it."""
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


_FIELDS: Fields = {
    StepView: "number stage title about",
    Stage: str,
    Answers: "all part_at=step errata other=other_name",
    ModelAnswer: "model=label result errata",
    Erratum: "id sentence",
}


def _step_to_json(trace: Trace, step: StepView) -> Object:
    rows = [_row_to_json(trace, row) for row in step.rows]
    return {**convert_to_json(step, _FIELDS), "rows": rows, "notes": list(step.notes)}


def _row_to_json(trace: Trace, row: RowTrace) -> Object:
    width = row.range.bits
    return {
        "key": row.key,
        "name": get_row_name(row),
        "operation": row.micro.operation,
        "inputs": [x.key for x in row.inputs],
        "width": width,
        "signed": row.range.low < 0,
        "lanes": [_lane_to_json(trace, row, cell, width) for cell in reversed(make_cells(row))],
    }


def _lane_to_json(trace: Trace, row: RowTrace, cell: CellView, width: int) -> Object:
    return {
        "lane": cell.lane,
        "value": integer_to_json(cell.value),
        "hex": format_hex(cell.value & ((1 << width) - 1), width),
        "flags": [str(flag) for flag in row.flags[cell.lane]],
        "formula": str(cell.formula),
        "sentence": cell.sentence,
        "from": [
            {"operand": origin.role, "low": origin.low, "high": origin.high - 1}
            for origin in find_provenance(trace, row.key, cell.lane)
        ],
    }


def _answers_to_json(trace: Trace, answers: Answers) -> Object:
    steps = [_step_to_json(answers.other_trace or trace, step) for step in answers.steps]
    return {**convert_to_json(answers, _FIELDS), "steps": steps}


def _block_to_json(doc: Document, options: Options) -> Object:
    """Return the JSON form of several statements."""
    trace = doc.trace
    block = trace.block
    names = block.names
    operands = [
        {"name": operand.name, **_value_to_json(trace.operands[operand.roles[0]], operand.type)}
        for operand in block.inputs
    ]
    keys = {role: key for role, _, key in trace.plan.results}
    results = [
        {
            "name": name,
            "statement": block.outputs[name].statement,
            **_value_to_json(trace.result[name], block.type_of(role)),
            "from": [
                {"name": names[source.role], "low": source.low, "high": source.high - 1}
                for source in find_provenance(trace, keys[role], 0)
                if source.role in names
            ],
        }
        for role, name in block.results.items()
        if options.result
    ]
    sections = [x for x in doc.sections if not x.is_hidden]
    return {
        "schema": BLOCK_SCHEMA,
        "version": __version__,
        "lines": list(block.lines),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "folded": sorted(options.folded),
        "shown": {
            "steps": None
            if options.steps is None
            else [x.number for x in trace.steps if options.shows(x.place)],
            "result": options.result,
            "both": options.both,
            "until": options.is_early,
        },
        "operands": operands,
        "statements": [_section_to_json(x) for x in sections if not x.is_other],
        "others": [_section_to_json(x) for x in sections if x.is_other],
        "results": results,
        "notes": list(doc.notes),
        "title": doc.title,
        "caption": doc.caption,
        "source": doc.source,
        "command": doc.command,
    }


def _value_to_json(bits: int, type_: Type) -> Object:
    return {
        "type": str(type_),
        "bits": integer_to_json(bits),
        "hex": format_hex(bits, type_.bits),
        "value": format_value(bits, type_),
    }


def _section_to_json(section: Section) -> Object:
    statement = section.statement
    doc = build_document(section.trace, section.options)._replace(answers=section.answers)
    return {
        "number": statement.number,
        "line": statement.line,
        "text": statement.text,
        "reads": {
            role: {"statement": place.statement, "name": place.role}
            for role, place in statement.reads.items()
        },
        "trace": document_to_json(doc, section.options),
    }
