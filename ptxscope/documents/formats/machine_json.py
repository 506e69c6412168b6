"""Machine code in the JSON of a trace: what tools said, which reading back does not compute."""

from __future__ import annotations

import re
from typing import Any

from ...engine.json_node import JsonNode
from ..options import MachineRow, MachineSection
from .json_text import Fields, convert_to_json

_ARCH = re.compile(r"sm_[0-9]{2,3}[a-z]?")


_FIELDS: Fields = {
    MachineSection: "tools arch count=count_text models undocumented_stages sentences "
    "instructions=rows",
    frozenset: sorted,
}


def machine_code_to_json(code: MachineSection) -> dict[str, Any]:
    """Return machine code as JSON."""
    data: dict[str, Any] = convert_to_json(code, _FIELDS)
    return data


def machine_code_from_json(data: JsonNode) -> MachineSection:
    """Return machine code as it was written; raise ValueError if this is none."""
    arch = data.get_field("arch", str)
    if not _ARCH.fullmatch(arch.value):
        raise arch.make_error("a target such as sm_90 is required")
    return MachineSection(
        arch.value,
        _read_text(data.get_field("count", str)),
        _read_text(data.get_field("tools", str)),
        _read_texts(data, "sentences"),
        tuple(
            MachineRow(*(_read_text(item.get_field(name, str)) for name in MachineRow._fields))
            for item in data.get_field("instructions", list).iter_items(dict)
        ),
        _read_texts(data, "models"),
        frozenset(_read_texts(data, "undocumented_stages")),
    )


def _read_texts(data: JsonNode, name: str) -> tuple[str, ...]:
    return tuple(_read_text(x) for x in data.get_field(name, list).iter_items(str))


def _read_text(data: JsonNode) -> str:
    text: str = data.value
    if not text.isprintable():
        raise data.make_error("printable characters are required")
    return text
