"""JSON of a block, schema ``ptxscope.block/1``: the registers, and a trace for each statement."""

from __future__ import annotations

import json

from ... import __version__
from ...engine.blocks.block_trace import BlockTrace
from ...engine.isa.types import Type
from ...engine.isa.value_text import format_hex, format_value
from ...engine.tracing.provenance import find_provenance
from ..formats.json import (
    BLOCK_SCHEMA,
    Object,
    document_to_json,
    integer_to_json,
    replace_surrogates,
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
    ]
    data: Object = {
        "schema": BLOCK_SCHEMA,
        "version": __version__,
        "lines": list(block.lines),
        "model": {"name": trace.model.name, "errata": [e.id for e in trace.model.errata]},
        "folded": sorted(options.folded),
        "operands": operands,
        "statements": [_section_to_json(x, options) for x in doc.sections],
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


def _section_to_json(section: StatementSection, options: Options) -> Object:
    statement = section.statement
    # numbered from 1 again, so that it is a trace that can be read back
    steps = (step._replace(number=number) for number, step in enumerate(section.doc.steps, 1))
    doc = section.doc._replace(steps=tuple(steps))
    return {
        "number": statement.number,
        "line": statement.line,
        "text": statement.text,
        "reads": {
            role: {"statement": place.statement, "name": place.role}
            for role, place in statement.reads.items()
        },
        "trace": document_to_json(doc, options),
    }
