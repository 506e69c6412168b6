"""A trace as JSON, schema ``ptxscope.trace/1``, from which it can be drawn or read back.

Values (``bits``, ``value``) of 2**53 and more, whatever their sign, are always strings, so that
no reader rounds them; smaller ones are always numbers. The schema says so.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from .. import __version__
from ..engine.isa.roles import Role
from ..engine.semantics.models import model
from ..engine.semantics.plan import Stage
from ..engine.text.errors import PtxError
from ..engine.text.instruction import Instruction, Literal
from ..engine.text.parser import parse
from ..engine.text.values import hex_text
from ..engine.tracing.annotations import from_json, to_json
from ..engine.tracing.provenance import provenance
from ..engine.tracing.trace import Trace
from ..engine.tracing.words import reading
from .document import Answers, CellView, Document, RowView, StepView, document
from .options import DEFAULT, Options

SCHEMA = "ptxscope.trace/1"
_EXACT = 1 << 53
"""From here on a reader that takes numbers for floats would round."""

_NUMBER = re.compile("-?[0-9]{1,40}")
_SURROGATE = re.compile("[\ud800-\udfff]")

Object = dict[str, Any]


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The trace, or the part of it that the options show."""
    text = json.dumps(as_json(document(trace, options), options), indent=2, ensure_ascii=False)
    # half of a surrogate pair has no UTF-8: it is escaped, as it stands in a string anyway
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def load(text: str) -> Trace:
    """The trace that ``render`` wrote, equal to the one it was given.

    Raises ValueError where the text is no such trace, or where what it recorded is not what this
    version computes: which step and lane that is.
    """
    return read(text)[0]


def read(text: str) -> tuple[Trace, Options]:
    """The trace that ``render`` wrote, and what was to be shown of it; raises as ``load`` does."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is not JSON: {error}") from None
    try:
        if data["schema"] != SCHEMA:
            raise ValueError(f"the schema is {data['schema']!r}, not {SCHEMA!r}")
        trace = _trace(data)
        options = _options(data.get("shown", {}))
        steps = [
            (step["number"], row["key"], row["inputs"], [_bits(x["value"]) for x in row["lanes"]])
            for step in data["steps"]
            for row in step["rows"]
        ]
        recorded = {x["name"]: _bits(x["bits"]) for x in data["results"]}
    except PtxError as error:
        raise ValueError(f"its instruction is not legal: {error.message}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no {SCHEMA}: {error!r} is missing or misplaced") from None
    for number, key, inputs, values in steps:
        _follows(trace, number, key, inputs, values)
    if recorded != (trace.result if options.result else {}):
        raise ValueError("its result is not what this version of ptxscope computes")
    return trace, options


def _trace(data: Object) -> Trace:
    ins = _parsed(data["instruction"])
    operands = {x["role"]: _bits(x["bits"]) for x in data["operands"]}
    for role, bits in operands.items():
        if role not in set(Role):
            raise KeyError(role)
        if not 0 <= bits < 1 << ins.type_of(role).bits:
            raise ValueError(f"operand {role}: {bits} does not fit in .{ins.type_of(role)}")
    trace = Trace(ins, model(data["model"]["name"]), operands, from_json(data["annotations"]))
    missing = [x.role for x in trace.plan.sources if x.role not in operands]
    if missing:
        raise ValueError(f"operand {missing[0]} has no value")
    return trace


def _parsed(data: Object) -> Instruction:
    """The instruction as it was given, which may have been worth a note, if it is the same."""
    ins, text = parse(data["canonical"]), data["text"]
    with suppress(PtxError):
        given = parse(text)
        return given if given == ins else ins
    return ins


def _options(shown: Object) -> Options:
    steps = shown.get("steps")
    stages = None if steps is None else frozenset(map(Stage, steps))
    return Options(
        both=bool(shown.get("both", False)), stages=stages, result=bool(shown.get("result", True))
    )


def _bits(value: object) -> int:
    """An integer as ``_integer`` wrote it."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{str(value)[:40]!r} is no integer")
    return value


def _follows(trace: Trace, number: object, key: str, inputs: object, values: list[int]) -> None:
    """Raise ValueError where a recorded row is not what follows from the operands."""
    row = trace.rows.get(key)
    if row is None or inputs != list(row.input_keys) or len(values) != len(row.values):
        raise ValueError(f"step {number}: this instruction computes no such row, {key}")
    for lane, (value, computed) in enumerate(zip(values, row.values, strict=True)):
        if value != computed:
            raise ValueError(
                f"step {number}: row {key}, lane {lane} is {value}, which does not follow from "
                f"the operands; {computed} does"
            )


def as_json(doc: Document, options: Options = DEFAULT) -> Object:
    """A document as JSON objects."""
    trace = doc.trace
    stages = options.stages
    return {
        "schema": SCHEMA,
        "version": __version__,
        "instruction": _instruction(trace.instruction),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "shown": {
            "steps": None if stages is None else [str(x.stage) for x in doc.steps],
            "result": options.result,
            "both": options.both,
        },
        "operands": [_operand(trace, role) for role in sorted(trace.operands)],
        "steps": [_step(trace, step) for step in doc.steps],
        "results": [
            {
                "role": role,
                "name": name,
                "bits": _integer(trace.result[name]),
                "hex": view.bits,
                "value": view.meant,
            }
            for (role, name), view in zip(
                trace.instruction.results.items(), doc.results, strict=bool(doc.results)
            )
        ],
        "notes": list(doc.notes),
        "errata": list(trace.errata) if options.result else [],
        "answers": _answers(trace, doc.answers) if doc.answers else None,
        "annotations": to_json(trace.annotations),
        "source": doc.source,
        "command": doc.command,
    }


def _integer(value: int) -> int | str:
    return value if abs(value) < _EXACT else str(value)


def _operand(trace: Trace, role: str) -> Object:
    ins, bits = trace.instruction, trace.operands[role]
    type_ = ins.type_of(role)
    return {
        "role": role,
        "name": ins.called(role),
        "type": str(type_),
        "bits": _integer(bits),
        "hex": hex_text(bits, type_.bits),
        "value": reading(ins, role, bits),
        "read": any(source.role == role for source in trace.plan.sources),
    }


def _instruction(ins: Instruction) -> Object:
    slots = {slot.name: slot for slot in ins.entry.slots}
    return {
        "text": ins.text or str(ins),
        "canonical": str(ins),
        "opcode": ins.opcode,
        "form": {
            name: slot.text(ins.form.get(name))
            for name, slot in slots.items()
            if name != "c" and slot.text(ins.form.get(name))
        },
        "destinations": list(ins.destinations),
        "sources": [
            {
                "role": role,
                "text": str(source),
                "kind": "literal" if isinstance(source, Literal) else "register",
            }
            for role, source in ins.roles.items()
        ],
        "guard": ins.guard and {"name": ins.guard.name, "negated": ins.guard.negated},
        "section": ins.entry.section,
    }


def _step(trace: Trace, step: StepView) -> Object:
    return {
        "number": step.number,
        "stage": str(step.stage),
        "title": step.title,
        "about": step.about,
        "rows": [_row(trace, row) for row in step.rows],
        "notes": list(step.notes),
    }


def _row(trace: Trace, view: RowView) -> Object:
    row = view.row.row  # the plan's
    return {
        "key": row.key,
        "name": view.name,
        "operation": row.operation,
        "inputs": list(row.inputs),
        "width": row.bits,
        "signed": row.signed,
        "lanes": [_lane(trace, view, cell, row.bits) for cell in reversed(view.cells)],
    }


def _lane(trace: Trace, view: RowView, cell: CellView, width: int) -> Object:
    return {
        "lane": cell.lane,
        "value": _integer(cell.value),
        "hex": hex_text(cell.value & ((1 << width) - 1), width),
        "flags": [str(flag) for flag in view.row.lanes[cell.lane].flags],
        "formula": str(cell.formula),
        "sentence": cell.sentence,
        "from": [
            {"operand": origin.role, "low": origin.low, "high": origin.high - 1}
            for origin in provenance(trace, view.row.key, cell.lane)
        ],
    }


def _answers(trace: Trace, answers: Answers) -> Object:
    return {
        "all": [
            {"model": x.label, "result": x.result, "errata": list(x.errata)} for x in answers.all
        ],
        "part_at": answers.step,
        "errata": [{"id": e.id, "sentence": e.sentence} for e in answers.errata],
        "other": answers.other,
        "steps": [_step(answers.of or trace, step) for step in answers.steps],
    }
