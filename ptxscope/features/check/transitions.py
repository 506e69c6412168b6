"""The explorer's actions for ``check``: the diagnostics, and the pages of errata and sections."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...state.edit_transitions import edit
from ...state.explorer_state import ExplorerState
from ...state.listing_transitions import go_to, open_cursor
from ...state.open_block import open_block
from ...state.requests import (
    Act,
    AskItem,
    Focus,
    MenuItem,
    Notify,
    Open,
    PlaceCursor,
    Request,
    Requests,
    ShowHint,
)
from ...state.setup import make_setup

if TYPE_CHECKING:
    from .diagnostic import CheckedInstruction


def check(state: ExplorerState) -> Requests:
    """Show errors in the listing or the line, and the errata that can change a result."""
    text, name = state.setup.line, "the line"
    if state.cursor is not None:
        text, name = state.cursor.listing.text, state.cursor.listing.name
    chosen = yield Open(f"{__package__}.terminal.check_dialog:CheckDialog", (text, name))
    if chosen is not None:
        yield from _open_checked(state, chosen)


def _open_checked(state: ExplorerState, instruction: CheckedInstruction) -> Requests:
    """Show a checked instruction, on operands that show the erratum."""
    from ...engine.semantics.rules import FUSION_ERRATA
    from ...engine.syntax.parser import parse

    if state.cursor is not None:
        cursor = state.cursor.move_to_line(instruction.location.line, instruction.ptx)
        if cursor is None:
            yield Notify(instruction.ptx, "It is not in the list")
            return
        yield from go_to(state, cursor)
    # the operands of a pair are those of both statements
    if instruction.example is not None and not {*instruction.example.errata} & {*FUSION_ERRATA}:
        example = make_setup(parse(instruction.ptx), instruction.example.values, "isa")
        yield from edit(state, replace(example, place=state.setup.place, is_detached=True))


# --- errata and sections ---------------------------------------------------------------------


def open_references(state: ExplorerState) -> Requests:
    """Open the erratum or the section of the PTX ISA that the screen names; ask which of several.

    The errata of the line come first, then the errata that the text of the screen names. While the
    user predicts, errata would reveal the answer.
    """
    from .references import find_references, is_erratum

    text, is_explorer, own_page = yield Act(f"{__package__}.terminal.screen_text:read_screen")
    line_references = _list_line_references(state) if is_explorer else ()
    names = dict.fromkeys((*line_references, *find_references(text)))
    names.pop(own_page, None)
    errata = [x for x in names if is_erratum(x) and not (is_explorer and state.is_predicting)]
    references = [*errata, *(x for x in names if not is_erratum(x))]
    chosen = yield from _choose(references if own_page or len(errata) != 1 else errata)
    if chosen:
        yield from _open_page(state, chosen, is_explorer=is_explorer)


def _list_line_references(state: ExplorerState) -> tuple[str, ...]:
    """Return the errata that change the line's result, the possible ones, and its section."""
    from ...engine.tracing.folding_bugs import describe_folded_slct, describe_lost_difference

    ins = state.setup.instruction
    changing = [x.id for y in state.session.deviations for x in y.errata]
    folding = ["F1"] * any(describe_folded_slct(ins)) + ["F2"] * bool(describe_lost_difference(ins))
    possible = [] if changing else [x.id for x in ins.errata]
    return (*changing, *folding, *possible, ins.entry.section)


def _choose(references: Sequence[str]) -> Generator[Request, Any, str]:
    """Ask for one of several references; return it, or an empty text."""
    from .references import describe_reference

    if not references:
        yield ShowHint("The screen names no erratum and no section of the PTX ISA")
        return ""
    if len(references) == 1:
        return references[0]
    items = [MenuItem(*describe_reference(x)) for x in references]
    index = yield AskItem("Errata and sections", items, 0)
    return "" if index is None else references[index]


def open_reference(state: ExplorerState, text: str) -> Requests:
    """Open the page of the erratum or section that a text names, if it names one."""
    from .references import find_references, is_erratum

    references = [x for x in find_references(text) if not (state.is_predicting and is_erratum(x))]
    if references:
        _, is_explorer, _ = yield Act(f"{__package__}.terminal.screen_text:read_screen")
        yield from _open_page(state, references[0], is_explorer=is_explorer)


def _open_page(state: ExplorerState, reference: str, *, is_explorer: bool) -> Requests:
    """Show a page, then the same cell again, or the example that the user chose there."""
    place = yield Act("find_cursor")
    can_open = is_explorer and not state.is_predicting
    screen = f"{__package__}.terminal.reference_screen:ReferenceScreen"
    erratum = yield Open(screen, (reference, can_open))
    if erratum is not None:
        yield from _open_example(state, erratum)
    elif is_explorer and place is not None:
        yield Focus("lanes")
        yield PlaceCursor(place)


def _open_example(state: ExplorerState, id_: str) -> Requests:
    """Open the example of an erratum: a line, or a block of two."""
    from ...blocks.block_parser import parse_block
    from ...engine.semantics.rules import SEQUENCE_ERRATA
    from ...engine.syntax.parser import parse
    from .known_errata import find_erratum

    x = find_erratum(id_)
    ptx, values, *_ = x.example
    if x in SEQUENCE_ERRATA:
        yield from open_cursor(state, open_block(parse_block(ptx), "isa", values))
    else:
        yield from edit(state, make_setup(parse(ptx), values, "isa"))
