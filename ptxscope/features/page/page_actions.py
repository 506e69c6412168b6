"""The actions of a page: the explorer's table, and the inputs of its fields and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...engine.isa.catalog import CATALOG
from ...engine.isa.intrinsics import map_intrinsics
from ...engine.semantics.models import parse_model
from ...engine.syntax.asm_bindings import find_reading_type
from ...engine.syntax.errors import PtxError, make_printable, quote_word
from ...engine.syntax.instruction import Signature
from ...engine.syntax.values import parse_value
from ...feature import FeatureError, PagePanel, load
from ...scene.scene_builder import build_scene, choose_part_width
from ...scene.scene_model import LaneRef, Place
from ...state import edits, figure_edits, step_transitions
from ...state.actions import ACTIONS, GROUPS
from ...state.requests import Notify, ShowHint, ShowOutcome, Transition
from .page_picture import find_kind, parse_place
from .page_state import OpenTool, PageState
from .permalink import PageLink, parse_permalink
from .tool_table import map_panels, map_places, map_tools
from .transitions import apply_setup
from .typed_statements import open_typed_block, type_statements, with_statements

if TYPE_CHECKING:
    from ...engine.tracing.trace import Trace
    from ...state.open_listing import ListingCursor
    from ...state.setup import Setup

Arguments = Mapping[str, Any]
"""The data attributes of an action's element, and fields."""
MAX_LINE_CHARS = 1 << 14
"""Maximum characters of a line."""
_MAX_TOOL_CHARS = 200_001
"""Maximum characters of a tool's text that are kept: more than any tool reads."""
_WALKS = frozenset({*(action.id for action in GROUPS["Steps"]), "predict"})
"""Actions of the table that edit nothing, so that a panel keeps its contents."""
_TOOL_NAMES = {id_: name for name, id_ in map_tools().items()}


def perform_action(page: PageState, id_: str) -> None:
    """Perform an action of the table that the terminal has, too; raise KeyError for any other."""
    action = ACTIONS[id_]
    if id_ in _TOOL_NAMES and action.find_refusal(page.explorer) is None:
        open_tool(page, _TOOL_NAMES[id_])
    elif id_ in _WALKS:
        _walk(page, action.perform)
    else:
        leave_panel(page)
        page.value_errors.clear()
        page.explorer.end_typing()
        perform(page, action.perform)


def perform(page: PageState, transition: Transition, *arguments: object, **named: object) -> None:
    """Run a transition of the explorer; its report is the page's message."""
    for request in transition(page.explorer, *arguments, **named) or ():
        if isinstance(request, ShowHint | Notify):
            page.message = request.text
        elif isinstance(request, ShowOutcome):
            page.message = f"{request.title}: {request.text}"


def _walk(page: PageState, transition: Transition, *arguments: object, **named: object) -> None:
    """Run a transition that may go to another statement of a block; the typed line is kept."""
    state, setup = page.explorer, page.explorer.setup
    perform(page, transition, *arguments, **named)
    if not state.is_predicting and not page.current_step:
        state.go_to_step(1)  # a link cannot ask for no step
    state.session.amend(_keep_line(state.setup, setup), state.cursor)


def _keep_line(setup: Setup, old_setup: Setup) -> Setup:
    """Return a setup of a block's statement with the typed line, if that has an error."""
    if old_setup.error is None or setup is old_setup:
        return setup
    return replace(setup, line=old_setup.line, error=old_setup.error)


def _perform_edit(page: PageState, transition: Transition, *arguments: object) -> None:
    """Run a transition that edits the explorer."""
    setup = page.explorer.setup
    if leave_panel(page):
        page.explorer.edit(setup)
    page.explorer.end_typing()
    perform(page, transition, *arguments)


def _edit(page: PageState, setup: Setup, *, coalesce: bool = False) -> None:
    leave_panel(page)
    perform(page, apply_setup, setup, coalesce=coalesce)


def leave_panel(page: PageState) -> bool:
    """Show the page's own state again if a panel has another one open; return whether it had.

    Every edit does so.
    """
    is_open = page.explorer is not page.own
    page.explorer = page.own
    if is_open:
        perform(page, load(map_panels()[page.tool.name].leave))
    return is_open


def perform_in_panel(page: PageState, transition: Transition, arguments: Arguments) -> None:
    """Run a transition of a panel, which gets the page's own state.

    If the panel fills the page, an edit leads back to the explorer.
    """
    page.explorer, setup = page.own, page.own.setup
    perform(page, transition, arguments)
    if page.own.setup is not setup and page.tool.name in map_places():
        page.tool = OpenTool()


# --- addresses -----------------------------------------------------------------------------


def open_link(page: PageState, arguments: Arguments) -> None:
    """Show the contents of a permalink, without a tool that the page lacks.

    An address that can't be read changes nothing.
    """
    try:
        link = parse_permalink(str(arguments["fragment"]))
        setup, cursor = _make_setup(link, page.explorer.setup)
        panel = map_panels().get(link.tool)
        open_text = _find_opening(panel, link.text)
    except ValueError as error:
        page.message = f"This address can't be read: {make_printable(str(error))}"
        return
    leave_panel(page)
    state = page.explorer
    state.end_typing()
    state.edit(setup, cursor, is_closing=cursor is None)
    page.value_errors.clear()
    page.is_both = "both" in link.flags
    state.is_revealed = "result" in link.flags
    if state.is_predicting:
        state.stop_predicting(state.step)
    step = state.enter_statement(link.step or page.last_step)
    state.go_to_step(step)
    if "predict" in link.flags:
        state.begin_predicting(step if link.step else state.enter_statement(1))
    page.tool = OpenTool()
    if open_text:
        perform(page, open_text)
    elif panel:
        open_tool(page, link.tool, link.text)
    elif link.tool:
        tool = quote_word(link.tool)
        page.message = f"This web explorer has no tool {tool}; the rest of the address is shown."


def _find_opening(panel: PagePanel | None, text: str) -> Transition | None:
    """Return the transition that opens the subject of a text in a panel, if it has one.

    Raise ValueError if there is no such thing.
    """
    if panel is None or not panel.open_text or not text:
        return None
    transition: Transition = load(panel.open_text)(text)
    return transition


def _make_setup(link: PageLink, old_setup: Setup) -> tuple[Setup, ListingCursor | None]:
    """Return the setup of a permalink, and the cursor at the end of its block if it has one.

    Raise ValueError if a value or the model is invalid.
    """
    parse_model(link.model)
    setup = replace(old_setup, place=None, is_detached=False, model=link.model)
    cursor = None
    if link.line.strip():
        setup, cursor = with_statements(replace(setup, values={}), None, link.line)
    block = cursor.listing.block if cursor else None
    target = block or setup.instruction
    keys = {f"${name}" if block else role: role for role, name in target.names.items()}
    values = {}
    for key, text in link.values.items():
        if key not in keys:
            raise ValueError(f"{key} is not an operand of {' '.join(str(target).split())}")
        try:
            values[keys[key]] = _parse_operand(target, keys[key], text)
        except PtxError as error:
            raise ValueError(f"{key}: {error.message}") from None
    if block:
        return open_typed_block(block, setup, {block.names[x]: y for x, y in values.items()})
    for role, bits in values.items():
        setup = edits.with_value(setup, role, bits)
    return setup, None


def _parse_operand(target: Signature, role: str, text: str) -> int:
    """Return the bits of a typed value of an operand; raise PtxError if it is invalid."""
    return parse_value(text, find_reading_type(target, role))


# --- the line and the operands ---------------------------------------------------------------


def _type_line(page: PageState, arguments: Arguments) -> None:
    leave_panel(page)
    type_statements(page.explorer, str(arguments["text"])[:MAX_LINE_CHARS])
    page.value_errors.clear()


def _end_line(page: PageState, _: Arguments) -> None:
    """End the typing in the line: one undo reverts it."""
    page.explorer.end_typing()


def _open_line(page: PageState, text: str) -> None:
    leave_panel(page)
    page.explorer.end_typing()
    type_statements(page.explorer, text)
    page.explorer.end_typing()


def _fix_line(page: PageState, arguments: Arguments) -> None:
    setup = page.explorer.setup
    problem = setup.error.errors[int(arguments["index"])] if setup.error else None
    if problem and problem.fix is not None:
        start, end = problem.span
        _open_line(page, setup.line[:start] + problem.fix + setup.line[end:])


def _type_value(page: PageState, arguments: Arguments) -> None:
    role, text = str(arguments["role"]), str(arguments["text"])[:MAX_LINE_CHARS]
    if role not in page.target.names:
        return
    try:
        bits = _parse_operand(page.target, role, text)
    except PtxError as error:
        page.value_errors[role] = text, error
        return
    page.value_errors.pop(role, None)
    is_same_field, page.typed_role = page.typed_role == role, role
    _set_value(page, role, bits, coalesce=is_same_field)


def _set_value(page: PageState, role: str, bits: int, *, coalesce: bool = False) -> None:
    """Give an operand, or a register of a block, a value."""
    state, block = page.explorer, page.block_trace
    if block is None:
        _edit(page, edits.with_value(state.setup, role, bits), coalesce=coalesce)
        return
    assert state.cursor
    inputs = state.cursor.listing.inputs_by_program[state.cursor.program]
    inputs = {**inputs, block.block.names[role]: bits}
    cursor = state.cursor.with_inputs(inputs, state.setup.model)
    state.end_typing()
    setup = _keep_line(cursor.make_setup(state.setup), state.setup)
    state.edit(setup, cursor, coalesce=coalesce)


def _choose_model(page: PageState, arguments: Arguments) -> None:
    name = str(arguments["text"])
    if page.explorer is not page.own:
        page.message = "This card has a model of its own: leave it to choose another."
        return
    try:
        parse_model(name)
    except ValueError as error:
        page.message = make_printable(str(error))
        return
    _edit(page, edits.with_model(page.explorer.setup, name))


def _search(page: PageState, arguments: Arguments) -> None:
    page.query = str(arguments["text"])[:200]


def _open_instruction(page: PageState, arguments: Arguments) -> None:
    name, setup = str(arguments["name"]), page.explorer.setup
    page.value_errors.clear()
    if name in CATALOG:
        _edit(page, edits.with_opcode(setup, name))
    elif intrinsic := map_intrinsics().get(name):
        _open_line(page, f"{name}({', '.join(intrinsic.parameters)})")


# --- the picture -----------------------------------------------------------------------------


def _resize(page: PageState, arguments: Arguments) -> None:
    page.is_compact = bool(arguments["compact"])
    page.room = int(arguments.get("room", 0))


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
    match, lane = _find_operand(page, arguments["key"]), int(arguments["lane"])
    if match is None:
        return
    trace, role, target_role = match
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
        _set_value(page, target_role, changed)
    else:
        _edit(page, figure_edits.with_operand_bits(page.explorer.setup, role, changed))


def _activate(page: PageState, arguments: Arguments) -> None:
    """Change the value of a place to the next or the previous one."""
    if page.block_trace:
        page.message = "Type over a chip of a register, or edit the line."
        return
    place = _find_place(page, arguments["key"], arguments["lane"])
    if place is None or page.explorer.is_predicting:
        return
    scene = build_scene(page.trace)
    kind = find_kind(page.trace, scene, place)
    if kind == "mask":
        _perform_edit(page, figure_edits.flip_mask, place.lane)
    elif kind:
        delta = int(arguments.get("delta", 1))
        _perform_edit(page, figure_edits.nudge_place, scene, place, delta)
    else:
        page.message = (
            "This is computed: type over a chip of an operand. `ptxscope find` on the command "
            "line finds operands for a value."
        )


def _link_places(page: PageState, arguments: Arguments) -> None:
    start, end = (_find_place(page, *arguments[name]) for name in ("start", "end"))
    if start is None or end is None or page.explorer.is_predicting or page.block_trace:
        return
    _perform_edit(page, figure_edits.link_places, build_scene(page.trace), start, end)


# --- steps and predictions -------------------------------------------------------------------


def _go_to_step(page: PageState, arguments: Arguments) -> None:
    _walk(page, step_transitions.go_to_block_step, int(arguments["number"]))


def _reveal_result(page: PageState, arguments: Arguments) -> None:
    perform(page, step_transitions.reveal_result, is_revealed=bool(arguments["checked"]))


def _find_lane(page: PageState, arguments: Arguments) -> LaneRef | None:
    """Return a lane if it is one of the predicted trace."""
    place = LaneRef(str(arguments["key"]), int(arguments["lane"]))
    explorer, prediction = page.explorer, page.explorer.prediction
    if not explorer.is_predicting or prediction is None:
        return None
    return place if place.key in prediction.trace.rows else None


def _guess(page: PageState, arguments: Arguments) -> None:
    text = str(arguments["text"])[:200]
    if not (place := _find_lane(page, arguments)) or not text.strip():
        return
    try:
        _walk(page, step_transitions.take_guess, place, text, is_entered=True)
    except PtxError as error:
        page.message = make_printable(error.summary)
        return
    prediction = page.explorer.prediction
    if prediction and (guess := prediction.get_guess(place)).is_wrong:
        page.verdict = f"Not right. {guess.message}"


def _give_hint(page: PageState, arguments: Arguments) -> None:
    if place := _find_lane(page, arguments):
        perform(page, step_transitions.give_hint, place)


# --- tools -----------------------------------------------------------------------------------


def open_tool(page: PageState, name: str, text: str | None = None) -> None:
    """Open a tool beside the picture, with a text, or close it if it is open."""
    leave_panel(page)
    if leave := map_panels()[name].leave:  # it lists all that can be opened
        perform(page, load(leave))
    is_closing = name == page.tool.name and text is None and not leave
    page.tool = OpenTool() if is_closing else OpenTool(name, _cut_text(text or ""))
    if not is_closing and _reveals_result(name) and page.is_result_hidden:
        page.explorer.reveal_result()


def _close_tool(page: PageState, _: Arguments) -> None:
    leave_panel(page)
    page.tool = OpenTool()


def _open_gallery(page: PageState, _: Arguments) -> None:
    _close_tool(page, {})
    page.is_gallery = True


def _reveals_result(name: str) -> bool:
    """Whether a tool shows the result."""
    panel = map_panels().get(name)
    return panel is not None and bool(ACTIONS[panel.action].reveals)


def _type_in_tool(page: PageState, arguments: Arguments) -> None:
    page.tool = page.tool._replace(text=_cut_text(str(arguments["text"])))


def _cut_text(text: str) -> str:
    return text[:_MAX_TOOL_CHARS]


def refresh_panel(page: PageState, _: Arguments) -> None:
    """Run the open tool again; it may take longer than a key should."""
    panel = map_panels().get(page.tool.name)
    try:
        page.panel = load(panel.make)(page.own, page.tool.text) if panel else []
    except FeatureError as error:
        page.panel = [make_printable(str(error))]
    page.panel_key = page.trace_key


def follow_state(page: PageState) -> None:
    """Show the contents of a panel, such as a card, or that it was left.

    A panel with the result is closed while the result is hidden.
    """
    page.explorer, page.pointed = page.own, None
    for name, panel in map_panels().items():
        content = load(panel.find_open)(page.own) if panel.find_open else None
        if content is not None:
            text, page.explorer, page.pointed = content
            page.tool = OpenTool(name, text)
        elif name == page.tool.name and panel.find_open:
            page.tool = OpenTool(name)
        elif name == page.tool.name and _reveals_result(name) and page.is_result_hidden:
            page.tool = OpenTool()


PAGE_ACTIONS: Mapping[str, Callable[[PageState, Arguments], None]] = {
    "open_link": open_link,
    "line": _type_line,
    "end_line": _end_line,
    "fix": _fix_line,
    "value": _type_value,
    "model": _choose_model,
    "search": _search,
    "open_instruction": _open_instruction,
    "resize": _resize,
    "both": _show_both,
    "part": _type_part,
    "activate": _activate,
    "link": _link_places,
    "step": _go_to_step,
    "result": _reveal_result,
    "guess": _guess,
    "hint": _give_hint,
    "refresh": refresh_panel,
    "tool_text": _type_in_tool,
    "explore": _close_tool,
    "gallery": _open_gallery,
}
"""The actions of the page's elements, by name; arguments are data attributes and fields."""
