"""The actions that change what is evaluated: addresses, the line, operands, the model, undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..engine.isa.catalog import CATALOG
from ..engine.isa.intrinsics import map_intrinsics
from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import PtxError, make_printable
from ..state import edits
from ..state.typed_statements import open_typed_block, with_statements
from . import tool_panels
from .page_edits import (
    MAX_LINE_CHARS,
    Actions,
    Arguments,
    edit,
    enter_statement,
    leave_lesson,
    open_line,
    parse_operand,
    set_value,
)
from .page_state import OpenTool, PageState
from .permalink import PageLink, parse_permalink
from .tool_actions import open_lesson, open_tool

if TYPE_CHECKING:
    from ..state.open_listing import ListingCursor
    from ..state.setup import Setup


def open_link(page: PageState, arguments: Arguments) -> None:
    """Show what a permalink says; an address that can't be read changes nothing."""
    try:
        link = parse_permalink(str(arguments["fragment"]))
        setup, cursor = _make_setup(link, page.explorer.setup)
        if link.tool == "lesson" and link.text:
            tool_panels.parse_lesson_card(link.text)
    except ValueError as error:
        page.message = f"This address can't be read: {make_printable(str(error))}"
        return
    leave_lesson(page)
    state = page.explorer
    state.end_typing()
    state.edit(setup, cursor, is_closing=cursor is None)
    page.value_errors.clear()
    page.is_both = "both" in link.flags
    state.is_revealed = "result" in link.flags
    if state.is_predicting:
        state.stop_predicting(state.step)
    step = enter_statement(page, link.step or page.last_step)
    state.go_to_step(step)
    if "predict" in link.flags:
        state.begin_predicting(step if link.step else enter_statement(page, 1))
    page.tool = OpenTool()
    if link.tool == "lesson" and link.text:
        open_lesson(page, {"name": link.text})
    elif link.tool:
        open_tool(page, {"name": link.tool, "text": link.text})


def _type_line(page: PageState, arguments: Arguments) -> None:
    leave_lesson(page)
    page.explorer.type_statements(str(arguments["text"])[:MAX_LINE_CHARS])
    page.value_errors.clear()


def _end_line(page: PageState, _: Arguments) -> None:
    """End the typing in the line: one undo reverts it."""
    page.explorer.end_typing()


def _fix_line(page: PageState, arguments: Arguments) -> None:
    setup = page.explorer.setup
    problem = setup.error.errors[int(arguments["index"])] if setup.error else None
    if problem and problem.fix is not None:
        start, end = problem.span
        open_line(page, setup.line[:start] + problem.fix + setup.line[end:])


def _type_value(page: PageState, arguments: Arguments) -> None:
    role, text = str(arguments["role"]), str(arguments["text"])[:MAX_LINE_CHARS]
    if role not in page.target.names:
        return
    try:
        bits = parse_operand(page.target, role, text)
    except PtxError as error:
        page.value_errors[role] = text, error
        return
    page.value_errors.pop(role, None)
    is_same_field, page.typed_role = page.typed_role == role, role
    set_value(page, role, bits, coalesce=is_same_field)


def _choose_model(page: PageState, arguments: Arguments) -> None:
    name = str(arguments["text"])
    try:
        parse_model(name)
    except ValueError as error:
        page.message = make_printable(str(error))
        return
    edit(page, edits.with_model(page.explorer.setup, name))


def _search(page: PageState, arguments: Arguments) -> None:
    page.query = str(arguments["text"])[:200]


def _open_instruction(page: PageState, arguments: Arguments) -> None:
    name, setup = str(arguments["name"]), page.explorer.setup
    page.value_errors.clear()
    if name in CATALOG:
        edit(page, edits.with_opcode(setup, name))
    elif intrinsic := map_intrinsics().get(name):
        open_line(page, f"{name}({', '.join(intrinsic.parameters)})")


def _make_setup(link: PageLink, old_setup: Setup) -> tuple[Setup, ListingCursor | None]:
    """Return the setup of a permalink, and the cursor at the end of its block if it has one.

    Raise ValueError if a value or the model is none.
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
            values[keys[key]] = parse_operand(target, keys[key], text)
        except PtxError as error:
            raise ValueError(f"{key}: {error.message}") from None
    if block:
        return open_typed_block(block, setup, {block.names[x]: y for x, y in values.items()})
    for role, bits in values.items():
        setup = edits.with_value(setup, role, bits)
    return setup, None


ACTIONS: Actions = {
    "open_link": open_link,
    "line": _type_line,
    "end_line": _end_line,
    "fix": _fix_line,
    "value": _type_value,
    "model": _choose_model,
    "search": _search,
    "open_instruction": _open_instruction,
}
