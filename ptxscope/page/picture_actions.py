"""The actions in the picture: a chip typed over, a place clicked, a wire laid; how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine.syntax.errors import PtxError, make_printable
from ..scene.scene_builder import build_scene, choose_part_width
from ..scene.scene_model import LaneRef, Place
from ..state import edits, figure_edits
from .page_edits import MAX_LINE_CHARS, Actions, Arguments, edit, set_value
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
    is_row = row is not None and 0 <= place.lane < len(row.lanes)
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
    setup, trace, delta = page.explorer.setup, page.trace, int(arguments.get("delta", 1))
    scene = build_scene(trace)
    kind = find_kind(trace, scene, place)
    if kind == "operand":
        unit = choose_part_width(trace, place.key)
        edit(page, figure_edits.with_nudge(setup, place.key, unit * place.lane, unit, delta))
    elif kind == "mask":
        edit(page, edits.with_mask_lane(setup, place.lane))
    elif kind == "entry" and not isinstance(place, LaneRef):
        table = setup.instruction.form.lut
        edit(page, edits.with_choice(setup, "lut", (table or 0) ^ 1 << place.bit))
    elif kind == "part" and (choice := figure_edits.find_part_choice(trace, place)):
        number = (choice.number + delta) % figure_edits.count_part_choices(trace, place)
        _choose_part(page, choice._replace(number=number))
    elif kind == "digit" and (bits := figure_edits.find_control(trace, scene, place)):
        edit(page, figure_edits.with_nudge(setup, bits.role, bits.low, bits.width, delta))
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
    try:
        link = figure_edits.find_link(page.trace, build_scene(page.trace), start, end)
    except ValueError as error:
        page.message = str(error)
        return
    if isinstance(link, figure_edits.PartChoice):
        _choose_part(page, link)
    elif link is not None:
        bits, value = link
        delta = value - bits.value
        setup = page.explorer.setup
        edit(page, figure_edits.with_nudge(setup, bits.role, bits.low, bits.width, delta))


def _choose_part(page: PageState, choice: figure_edits.PartChoice) -> None:
    slot, lane, number, unit = choice
    setup = edits.with_digit(page.explorer.setup, slot, lane, number, unit)
    if setup is None:
        page.message = f"{slot} cannot take that part"
    edit(page, setup)


ACTIONS: Actions = {
    "resize": _resize,
    "both": _show_both,
    "part": _type_part,
    "activate": _activate,
    "link": _link_places,
}
