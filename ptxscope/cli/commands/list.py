"""``ptxscope list``: the instructions and how many legal forms each has."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...engine.isa.catalog import CATALOG, count_forms
from ...engine.isa.entry import CORE_GROUPS
from ..support.arguments import Parser, add_format, make_command_parser


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "list", "List the instructions that ptxscope explains, and their numbers of legal forms."
    )
    add_format(parser, ("text", "json"), "text", has_file=False)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the catalog."""
    if make_parser().parse_args(words).format == "json":
        import json

        json.dump([describe(opcode) for opcode in CATALOG], sys.stdout, indent=2)
        print()
        return 0
    group, counts, totals = None, [0, 0], [0, 0]
    for opcode, entry in CATALOG.items():
        if entry.group is not group:
            group = entry.group
            print(f"{group}:")
        forms = count_forms(opcode)
        counts[entry.group in CORE_GROUPS] += 1
        totals[entry.group in CORE_GROUPS] += forms
        print(f"  {opcode:<10}{forms:>15,}  {entry.summary}")
    for label, is_core in (("comparison, selection, video", True), ("others", False)):
        print(f"{counts[is_core]} {label}: {totals[is_core]:,} legal forms")
    return 0


def describe(opcode: str) -> dict[str, object]:
    """Return a catalog entry as JSON."""

    entry = CATALOG[opcode]
    return {
        "opcode": opcode,
        "group": entry.group,
        "forms": count_forms(opcode),
        "documented_forms": count_forms(opcode, is_documented=True),
        "summary": entry.summary,
        "syntax": f"{entry.syntax};",
        "section": entry.section,
        "ptx_isa": entry.minimum.ptx_isa,
        "target": entry.minimum.target,
        "lanes": entry.lanes,
        "example": entry.example[0],
    }
