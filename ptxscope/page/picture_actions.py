"""The actions in the picture: a chip typed over, a place clicked, a wire laid; how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine.syntax.errors import PtxError, make_printable
from ..scene.scene_builder import build_scene, choose_part_width
from ..scene.scene_model import Place
from ..state import figure_edits
from ..state.figure_transitions import flip_mask, link_places, nudge_place
from .page_edits import MAX_LINE_CHARS, Actions, Arguments, edit, perform_edit, set_value
from .page_picture import find_kind, parse_place
from .page_state import PageState

if TYPE_CHECKING:
    from ..engine.tracing.trace import Trace


def _resize(page: PageState, arguments: Arguments) -> None:
    page.is_compact = bool(arguments["compact"])


def _show_both(page: PageState, arguments: Arguments) -> None:
    page.is_both = bool(arguments["checked"])


def _find_place(page: PageState, key: object, lane: object) -> Place | None:
    """Return a place in the picture of the trace, or None."""
    place, trace = parse_place(str(key), int(str(lane))), page.trace
    row = trace.rows.get(place.key)
    is_row = row is not None and 0 <= place.lane < len(row.values)
    return place if is_row or place.key in trace.operands or place.key == "lut" else None


def _find_operand(page: PageState, key: object) -> tuple[Trace, str, str] | None:
    """Return the trace that draws an operand, its role there, and its role in the target.

    In a block, an operand that a statement computes has none: the answer is None.
    """
    text, block = str(key), page.block_trace
    if block is None:
        return (page.trace, text, text) if text in page.trace.operands else None
    for statement, part in block.statements:
        role = text.removeprefix(statement.prefix)
        place = statement.reads.get(role)
        if role != text and place is not None and not place.statement:
            return part, role, place.key
    return None


def _type_part(page: PageState, arguments: Arguments) -> None:
    found, lane = _find_operand(page, arguments["key"]), int(arguments["lane"])
    if found is None:
        return
    trace, role, target_role = found
    type_, bits = trace.instruction.type_of(role), trace.operands[role]
    unit = choose_part_width(trace, role)
    if not 0 <= lane < type_.bits // unit:
        return
    try:
        changed = figure_edits.parse_part(
            str(arguments["text"])[:MAX_LINE_CHARS], type_, unit, lane, bits
        )
    except PtxError as error:
        page.message = make_printable(error.summary)
        return
    if target_role in page.target.names:
        set_value(page, target_role, changed)
    else:
        edit(page, figure_edits.with_operand_bits(page.explorer.setup, role, changed))


def _activate(page: PageState, arguments: Arguments) -> None:
    """Change what a place shows to the next or the previous value."""
    if page.block_trace:
        page.message = "Type over a chip of a register, or edit the line."
        return
    place = _find_place(page, arguments["key"], arguments["lane"])
    if place is None or page.explorer.is_predicting:
        return
    scene = build_scene(page.trace)
    kind = find_kind(page.trace, scene, place)
    if kind == "mask":
        perform_edit(page, flip_mask, place.lane)
    elif kind:
        perform_edit(page, nudge_place, scene, place, int(arguments.get("delta", 1)))
    else:
        page.message = (
            "This is computed: type over a chip of an operand. `ptxscope find` on the command "
            "line finds operands for a value."
        )


def _link_places(page: PageState, arguments: Arguments) -> None:
    """Lay a wire from a register's part to a lane, or from the lane to the part."""
    start, end = (_find_place(page, *arguments[name]) for name in ("start", "end"))
    if start is None or end is None or page.explorer.is_predicting or page.block_trace:
        return
    perform_edit(page, link_places, build_scene(page.trace), start, end)


ACTIONS: Actions = {
    "resize": _resize,
    "both": _show_both,
    "part": _type_part,
    "activate": _activate,
    "link": _link_places,
}
