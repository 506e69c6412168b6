"""The list of instructions that match a search."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.elements import Element, make_button, make_element

_MAX_FOUND = 40
"""Maximum instructions that a search lists."""


def find_instructions(query: str, lanes: int) -> Iterator[Element]:
    """Yield a button for each instruction and intrinsic that matches words; without words, all."""
    from ...engine.isa.catalog import CATALOG
    from ...engine.isa.intrinsics import map_intrinsics
    from ...state.instruction_search import search_instructions

    intrinsics = map_intrinsics()
    names = search_instructions(query, lanes) if query.strip() else tuple(CATALOG)
    for name in names[: _MAX_FOUND if query.strip() else None]:
        if name in intrinsics:
            ptx, differs = intrinsics[name].ptx, intrinsics[name].differs
            about = f"is like {ptx}, but {differs}" if differs else f"is {ptx}"
        else:
            about = CATALOG[name].summary
        yield make_element("li", make_button(name, "open_instruction", data_name=name), f" {about}")
    if not names:
        yield make_element("li", "Nothing found")
