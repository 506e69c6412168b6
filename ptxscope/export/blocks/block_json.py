"""JSON of a block, schema ``ptxscope.block/1``: the registers, and a trace for each statement."""

from __future__ import annotations

import json

from ... import __version__
from ...engine.blocks.block_parser import parse_block
from ...engine.blocks.block_trace import BlockTrace, trace_block
from ...engine.isa.types import Type
from ...engine.isa.value_text import format_hex, format_value
from ...engine.json_node import JsonNode, parse_json
from ...engine.syntax.errors import PtxError
from ...engine.tracing.annotations import Annotations, annotations_from_json
from ...engine.tracing.provenance import find_provenance
from ...engine.tracing.trace import Trace
from ..formats import json as trace_json
from ..formats.json import (
    BLOCK_SCHEMA,
    Object,
    document_to_json,
    integer_to_json,
    replace_surrogates,
    require_equal_record,
)
from ..options import DEFAULT, Options
from .block_document import StatementSection, build_block_document


def render(trace: BlockTrace, options: Options = DEFAULT) -> str:
    """Render the block: its statements are traces of schema ``ptxscope.trace/1``."""
    doc, block = build_block_document(trace, options), trace.block
    names = block.names
    operands = [
        {
            "name": x.name,
            **_value_to_json(trace.operands[x.roles[0]], x.type),
        }
        for x in block.inputs
    ]
    keys = {role: key for role, _, key in trace.plan.results}
    results = [
        {
            "name": name,
            "statement": block.outputs[name].statement,
            **_value_to_json(trace.result[name], block.type_of(role)),
            "from": [
                {"name": names[x.role], "low": x.low, "high": x.high - 1}
                for x in find_provenance(trace, keys[role], 0)
                if x.role in names
            ],
        }
        for role, name in block.results.items()
        if options.result
    ]
    sections = [x for x in doc.sections if not x.is_hidden]
    data: Object = {
        "schema": BLOCK_SCHEMA,
        "version": __version__,
        "lines": list(block.lines),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "folded": sorted(options.folded),
        "shown": {
            "steps": None if options.steps is None else sorted(options.steps),
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
    return replace_surrogates(json.dumps(data, indent=2, ensure_ascii=False)) + "\n"


def _value_to_json(bits: int, type_: Type) -> Object:
    return {
        "type": str(type_),
        "bits": integer_to_json(bits),
        "hex": format_hex(bits, type_.bits),
        "value": format_value(bits, type_),
    }


def _section_to_json(section: StatementSection) -> Object:
    statement = section.statement
    # numbered from 1 again, so that it is a trace that can be read back
    steps = (x._replace(number=x.number - section.step_count) for x in section.doc.steps)
    doc = section.doc._replace(steps=tuple(steps))
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


def load_with_options(text: str) -> tuple[Trace | BlockTrace, Options]:
    """Return the trace of a block or of an instruction that ``render`` wrote, and its options.

    Raise ValueError if the text is neither, or if a recorded value differs from the computed one.
    """
    data = parse_json(text)
    if not isinstance(data.value, dict) or data.value.get("schema") != BLOCK_SCHEMA:
        return trace_json.load_with_options(text)
    try:
        trace = _trace_from_json(data)
        options = _options_from_json(data, trace)
        version = data.get_field("version", str).value
        computed = json.loads(render(trace, options))
    except ValueError as error:
        raise ValueError(f"this is not {BLOCK_SCHEMA}: {error}") from None
    require_equal_record(data, computed, version, _POSITIONS)
    return trace, options


_POSITIONS = {"lines", "line", "text", "notes"}
"""Fields that say how and where the statements were written, before they were put in one line."""


def _trace_from_json(data: JsonNode) -> BlockTrace:
    lines = (x.value for x in data.get_field("lines", list).iter_items(str))
    try:
        block = parse_block(f"{{ {' '.join(lines)} }}")
    except PtxError as error:
        raise data.get_field("lines", list).make_error(error.message) from None
    values = {
        x.get_field("name", str).value: trace_json.bits_from_json(x.get_field("bits", int, str))
        for x in data.get_field("operands", list).iter_items(dict)
    }
    trace = trace_block(
        block, values, model=data.get_field("model", dict).get_field("name", str).value
    )
    notes = [
        note._replace(statement=x.get_field("number", int).value)
        for x in data.get_field("statements", list).iter_items(dict)
        for note in annotations_from_json(
            x.get_field("trace", dict).get_field("annotations", dict)
        ).notes
    ]
    title, caption = (data.get_field(name, str).value for name in ("title", "caption"))
    return trace.with_annotations(Annotations(title, caption, tuple(notes)))


def _options_from_json(data: JsonNode, trace: BlockTrace) -> Options:
    def read_numbers(list_: JsonNode, count: int) -> frozenset[int]:
        numbers = frozenset(x.value for x in list_.iter_items(int))
        if not numbers <= {*range(1, count + 1)}:
            raise list_.make_error(f"they are numbered from 1 to {count}")
        return numbers

    options = Options(folded=read_numbers(data.get_field("folded", list), len(trace.parts)))
    if "shown" not in data.value:
        return options
    shown = data.get_field("shown", dict)
    steps = shown.get_field("steps", list, type(None))
    both, result, until = (shown.get_field(x, bool).value for x in ("both", "result", "until"))
    return options._replace(
        steps=None if steps.value is None else read_numbers(steps, len(trace.steps)),
        both=both,
        result=result,
        is_early=until,
    )
