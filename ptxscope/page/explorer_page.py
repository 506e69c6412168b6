"""The explorer as a page: one object that takes actions, and returns what changes on the page.

The page's JavaScript calls ``handle`` for each event and draws what it returns; state and
transitions are those of the explorer.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..engine.isa.catalog import CATALOG
from ..engine.isa.intrinsics import map_intrinsics
from ..engine.listings.asm_bindings import reading_type
from ..engine.records import replace
from ..engine.semantics.models import parse_model
from ..engine.syntax.completions import find_completions
from ..engine.syntax.errors import PtxError, format_count, make_printable
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.values import parse_value
from ..export import export
from ..export.content.document import format_command
from ..export.options import Options
from ..export.theme import Theme
from ..scene.scene_builder import build_scene, choose_part_width
from ..scene.scene_model import LaneRef, Place
from ..state import edits, figure_edits
from ..state.setup import Setup
from ..state.typed_statements import open_typed_block, with_statements
from . import page_view, tool_panels
from .page_picture import PagePicture, draw_pictures, drop_style, find_kind, list_zones, parse_place
from .page_state import OpenTool
from .page_tools import Arguments, PageTools
from .permalink import PageLink, parse_permalink

if TYPE_CHECKING:
    from ..engine.blocks.basic_block import BasicBlock
    from ..engine.tracing.trace import Trace
    from ..state.open_listing import ListingCursor

_MAX_LINE_CHARS = 1 << 14
"""Maximum characters of a line."""
COPY_FORMATS = ("link", "markdown", "svg", "command", "c")
"""What the page copies as text; a PNG is drawn from the SVG."""


class ExplorerPage(PageTools):
    """A page and its transitions."""

    def __init__(self, fragment: str = "") -> None:
        super().__init__()
        self._typed_role = ""
        """The operand into whose field the last keys went; one undo reverts them together."""
        self._seen: dict[str, object] = {}
        """What the page has been sent, by name."""
        self._pictures: tuple[PagePicture, ...] = ()
        if fragment:
            self._open_link({"fragment": fragment})
            self._state.session.undo_history.clear()
            self._refresh_panel({})

    def handle(self, action: str, arguments: str = "{}") -> str:
        """Perform an action and return, as JSON, what changes on the page.

        Raise KeyError for an unknown action.
        """
        old_tool = self._tool
        if action not in _SILENT_ACTIONS:
            self._message = ""
        if action != "value":
            self._typed_role = ""
        _ACTIONS[action](self, json.loads(arguments))
        if self._tool != old_tool or action in _TOOL_ACTIONS:
            self._refresh_panel({})
        return self.format_changes()

    def format_changes(self) -> str:
        """Return, as JSON, what has changed since the last call."""
        view = page_view.make_view(self)
        changes = {name: x for name, x in view.items() if self._seen.get(name) != x}
        self._seen |= view
        if {"trace", "options"} & {*changes}:
            self._pictures = draw_pictures(self.shown_trace, self.options)
            changes["pictures"] = [drop_style(x.svg) for x in self._pictures]
        return json.dumps(changes)

    @property
    def svg(self) -> str:
        """The text of the first picture, as ``ptxscope trace -f svg`` prints it."""
        return self._pictures[0].svg

    def list_zones(self) -> str:
        """Return, as JSON, the places in the pictures that react, and what to say of the step."""
        zones = [list_zones(x) for x in self._pictures]
        return json.dumps({"pictures": zones, "spoken": page_view.describe_step(self)})

    def list_completions(self, text: str) -> str:
        """Return, as JSON, words that complete a line up to the caret: text, start, meaning."""
        return json.dumps(find_completions(text[:_MAX_LINE_CHARS])[:60])

    def format_copy(self, format_: str, theme: str = "auto") -> str:
        """Return what is shown as text in one of ``COPY_FORMATS``."""
        options = self.options._replace(theme=Theme(theme))
        if format_ == "link":
            return page_view.make_link(self)[0]
        if format_ == "command":
            return self._format_command(options._replace(format="svg"))
        return export(self.shown_trace, format_, options._replace(compact=False))

    def _format_command(self, options: Options) -> str:
        if self.block_trace is None:
            return format_command(self.trace, options)
        from ..export.blocks.block_document import format_block_command

        return format_block_command(self.block_trace, options)

    # --- the line and the operands -----------------------------------------------------

    def _open_link(self, arguments: Arguments) -> None:
        try:
            link = parse_permalink(str(arguments["fragment"]))
            setup, cursor = _make_setup(link, self._state.setup)
            if link.tool == "lesson" and link.text:
                tool_panels.parse_lesson_card(link.text)
        except ValueError as error:
            self._message = f"This address can't be read: {make_printable(str(error))}"
            return
        self._leave_lesson()
        state = self._state
        state.end_typing()
        state.edit(setup, cursor, is_closing=cursor is None)
        self._value_errors.clear()
        self._is_both = "both" in link.flags
        state.is_revealed = "result" in link.flags
        if state.is_predicting:
            state.stop_predicting(state.step)
        step = self._enter_statement(link.step or self.last_step)
        state.go_to_step(step)
        if "predict" in link.flags:
            state.begin_predicting(step if link.step else self._enter_statement(1))
        self._tool = OpenTool()
        if link.tool == "lesson" and link.text:
            self._open_lesson({"name": link.text})
        elif link.tool:
            self._open_tool({"name": link.tool, "text": link.text})

    def _type_line(self, arguments: Arguments) -> None:
        self._leave_lesson()
        self._state.type_statements(str(arguments["text"])[:_MAX_LINE_CHARS])
        self._value_errors.clear()

    def _end_line(self, _: Arguments) -> None:
        """End the typing in the line: one undo reverts it."""
        self._state.end_typing()

    def _fix_line(self, arguments: Arguments) -> None:
        setup = self._state.setup
        problem = setup.error.errors[int(arguments["index"])] if setup.error else None
        if problem and problem.fix is not None:
            start, end = problem.span
            self._open_line(setup.line[:start] + problem.fix + setup.line[end:])

    def _open_line(self, text: str) -> None:
        """Show a line as one edit."""
        self._leave_lesson()
        self._state.end_typing()
        self._state.type_statements(text)
        self._state.end_typing()

    def _type_value(self, arguments: Arguments) -> None:
        role, text = str(arguments["role"]), str(arguments["text"])[:_MAX_LINE_CHARS]
        if role not in self.target.names:
            return
        try:
            bits = _parse_operand(self.target, role, text)
        except PtxError as error:
            self._value_errors[role] = text, error
            return
        self._value_errors.pop(role, None)
        is_same_field, self._typed_role = self._typed_role == role, role
        self._set_value(role, bits, coalesce=is_same_field)

    def _set_value(self, role: str, bits: int, *, coalesce: bool = False) -> None:
        """Give an operand, or a register of a block, a value."""
        state, block = self._state, self.block_trace
        if block is None:
            self._edit(edits.with_value(state.setup, role, bits), coalesce=coalesce)
            return
        assert state.cursor
        inputs = state.cursor.listing.inputs_by_program[state.cursor.program]
        inputs = {**inputs, block.block.names[role]: bits}
        cursor = state.cursor.with_inputs(inputs, state.setup.model)
        state.end_typing()
        setup = _keep_line(cursor.make_setup(state.setup), state.setup)
        state.edit(setup, cursor, coalesce=coalesce)

    def _choose_model(self, arguments: Arguments) -> None:
        name = str(arguments["text"])
        try:
            parse_model(name)
        except ValueError as error:
            self._message = make_printable(str(error))
            return
        self._edit(edits.with_model(self._state.setup, name))

    def _edit(self, setup: Setup | None, *, coalesce: bool = False) -> None:
        if setup is not None:
            self._leave_lesson()
            state = self._state
            state.end_typing()
            is_closing = setup.line != state.setup.line
            if is_closing:
                setup = replace(setup, place=None, is_detached=False)
            state.edit(setup, coalesce=coalesce, is_closing=is_closing)

    def _undo(self, arguments: Arguments) -> None:
        self._leave_lesson()
        self._value_errors.clear()
        self._state.end_typing()
        is_redo = "redo" in arguments
        has_moved = self._state.redo() if is_redo else self._state.undo()
        if not has_moved:
            self._message = f"There is no edit to {'restore' if is_redo else 'undo'}"

    def _search(self, arguments: Arguments) -> None:
        self._query = str(arguments["text"])[:200]

    def _open_instruction(self, arguments: Arguments) -> None:
        name, setup = str(arguments["name"]), self._state.setup
        self._value_errors.clear()
        if name in CATALOG:
            self._edit(edits.with_opcode(setup, name))
        elif intrinsic := map_intrinsics().get(name):
            self._open_line(f"{name}({', '.join(intrinsic.parameters)})")

    # --- the picture -------------------------------------------------------------------

    def _resize(self, arguments: Arguments) -> None:
        self._is_compact = bool(arguments["compact"])

    def _show_both(self, arguments: Arguments) -> None:
        self._is_both = bool(arguments["checked"])

    def _find_place(self, key: object, lane: object) -> Place | None:
        """Return a place in the picture of the trace, or None."""
        place, trace = parse_place(str(key), int(str(lane))), self.trace
        row = trace.rows.get(place.key)
        is_row = row is not None and 0 <= place.lane < len(row.lanes)
        return place if is_row or place.key in trace.operands or place.key == "lut" else None

    def _find_operand(self, key: object) -> tuple[Trace, str, str] | None:
        """Return the trace that draws an operand, its role there, and its role in the target.

        In a block, an operand that a statement computes has none: the answer is None.
        """
        text, block = str(key), self.block_trace
        if block is None:
            return (self.trace, text, text) if text in self.trace.operands else None
        for statement, part in block.statements:
            role = text.removeprefix(statement.prefix)
            place = statement.reads.get(role)
            if role != text and place is not None and not place.statement:
                return part, role, place.key
        return None

    def _type_part(self, arguments: Arguments) -> None:
        found, lane = self._find_operand(arguments["key"]), int(arguments["lane"])
        if found is None:
            return
        trace, role, target_role = found
        type_, bits = trace.instruction.type_of(role), trace.operands[role]
        unit = choose_part_width(trace, role)
        if not 0 <= lane < type_.bits // unit:
            return
        try:
            changed = figure_edits.parse_part(
                str(arguments["text"])[:_MAX_LINE_CHARS], type_, unit, lane, bits
            )
        except PtxError as error:
            hint = f"; allowed: {error.hint}" if error.hint else ""
            self._message = make_printable(f"{error.message}{hint}")
            return
        if target_role in self.target.names:
            self._set_value(target_role, changed)
        else:
            self._edit(figure_edits.with_operand_bits(self._state.setup, role, changed))

    def _activate(self, arguments: Arguments) -> None:
        """Change what a place shows to the next or the previous value."""
        if self.block_trace:
            self._message = "Type over a chip of a register, or edit the line."
            return
        place = self._find_place(arguments["key"], arguments["lane"])
        if place is None or self._state.is_predicting:
            return
        setup, trace, delta = self._state.setup, self.trace, int(arguments.get("delta", 1))
        scene = build_scene(trace)
        kind = find_kind(trace, scene, place)
        if kind == "operand":
            unit = choose_part_width(trace, place.key)
            self._edit(figure_edits.with_nudge(setup, place.key, unit * place.lane, unit, delta))
        elif kind == "mask":
            self._edit(edits.with_mask_lane(setup, place.lane))
        elif kind == "entry" and not isinstance(place, LaneRef):
            table = setup.instruction.form.lut
            self._edit(edits.with_choice(setup, "lut", (table or 0) ^ 1 << place.bit))
        elif kind == "part" and (choice := figure_edits.find_part_choice(trace, place)):
            number = (choice.number + delta) % figure_edits.count_part_choices(trace, place)
            self._choose_part(choice._replace(number=number))
        elif kind == "digit" and (bits := figure_edits.find_control(trace, scene, place)):
            self._edit(figure_edits.with_nudge(setup, bits.role, bits.low, bits.width, delta))
        else:
            self._message = (
                "This is computed: type over a chip of an operand. `ptxscope find` on the command "
                "line finds operands for a value."
            )

    def _link_places(self, arguments: Arguments) -> None:
        """Lay a wire from a register's part to a lane, or from the lane to the part."""
        start, end = (self._find_place(*arguments[name]) for name in ("start", "end"))
        if start is None or end is None or self._state.is_predicting or self.block_trace:
            return
        try:
            link = figure_edits.find_link(self.trace, build_scene(self.trace), start, end)
        except ValueError as error:
            self._message = str(error)
            return
        if isinstance(link, figure_edits.PartChoice):
            self._choose_part(link)
        elif link is not None:
            bits, value = link
            delta = value - bits.value
            setup = self._state.setup
            self._edit(figure_edits.with_nudge(setup, bits.role, bits.low, bits.width, delta))

    def _choose_part(self, choice: figure_edits.PartChoice) -> None:
        slot, lane, number, unit = choice
        setup = edits.with_digit(self._state.setup, slot, lane, number, unit)
        if setup is None:
            self._message = f"{slot} cannot take that part"
        self._edit(setup)

    # --- steps and predictions ---------------------------------------------------------

    def _go_to_step(self, arguments: Arguments) -> None:
        state, delta = self._state, int(arguments.get("delta", 0))
        step = self.shown_step + delta if delta else int(arguments["step"])
        if state.is_predicting:
            state.stop_predicting(max(state.step - 1, 1))
        state.go_to_step(self._enter_statement(max(step, 1)))

    def _enter_statement(self, step: int) -> int:
        """Go to the statement of a block that has a step; return the step's number there."""
        block, state = self.block_trace, self._state
        if block is None:
            return step
        found, setup = block.steps[min(step, self.last_step) - 1], state.setup
        if state.go_to_statement(found.statement - state.block_statement):
            state.session.amend(_keep_line(state.setup, setup), state.cursor)
        return found.step.number

    def _reveal_result(self, arguments: Arguments) -> None:
        self._state.reveal_result(is_revealed=bool(arguments["checked"]))

    def _predict(self, _: Arguments) -> None:
        state = self._state
        if state.is_predicting:
            step = max(self.current_step - 1, 1)
            state.stop_predicting(max(state.step - 1, 1))
            state.go_to_step(self._enter_statement(step))
        elif self.block_trace:
            step = 1 if self.current_step >= self.last_step else self.current_step + 1
            state.begin_predicting(self._enter_statement(step))
        else:
            state.resume_predicting()

    def _guess(self, arguments: Arguments) -> None:
        state, place = self._state, LaneRef(str(arguments["key"]), int(arguments["lane"]))
        if not state.is_predicting or not state.predictions.has_lane(place):
            return
        text = str(arguments["text"])[:200]
        if not text.strip():
            return
        try:
            is_right = state.predictions.grade_text(place, text)
        except PtxError as error:
            hint = f"; allowed: {error.hint}" if error.hint else ""
            self._message = make_printable(f"{error.message}{hint}")
            return
        if not is_right or state.find_next_lane(place) is not None:
            self._message = "Right." if is_right else ""
        elif self.current_step < self.last_step:
            state.begin_predicting(self._enter_statement(self.current_step + 1))
            self._message = "Right: the step is drawn. What will the next one give?"
        elif self.block_trace:
            state.finish_predicting()
            self._message = "That was the last step of the last statement."
        else:
            guesses = state.finish_predicting()
            first_count = sum(guess.wrong == 0 and guess.hints == 0 for guess in guesses)
            count = format_count(len(guesses), "value")
            self._message = f"That was the last step: {count} right, {first_count} at the first try"

    def _give_hint(self, arguments: Arguments) -> None:
        place = LaneRef(str(arguments["key"]), int(arguments["lane"]))
        if self._state.is_predicting and self._state.predictions.has_lane(place):
            self._state.predictions.give_hint(place)

    # --- tools -------------------------------------------------------------------------

    def _show_explanation(self, arguments: Arguments) -> None:
        if self._diagnosis is not None:
            explanation = self._diagnosis.explanations[int(arguments["index"])]
            self._edit(edits.with_explanation(self._state.setup, explanation))

    def _show_exercise(self, _: Arguments) -> None:
        """Show the exercise's line and operands in the picture."""
        if self._exercise is not None:
            from ..state.setup import make_setup_of_trace

            self._edit(make_setup_of_trace(self._exercise.trace))


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
            raise ValueError(f"{key} is no operand of {' '.join(str(target).split())}")
        try:
            values[keys[key]] = _parse_operand(target, keys[key], text)
        except PtxError as error:
            raise ValueError(f"{key}: {error.message}") from None
    if block:
        return open_typed_block(block, setup, {block.names[x]: y for x, y in values.items()})
    for role, bits in values.items():
        setup = edits.with_value(setup, role, bits)
    return setup, None


def _keep_line(setup: Setup, old_setup: Setup) -> Setup:
    """Return a setup of a block's statement with the typed line, if that has an error."""
    if old_setup.error is None:
        return setup
    return replace(setup, line=old_setup.line, error=old_setup.error)


def _parse_operand(target: Instruction | BasicBlock, role: str, text: str) -> int:
    """Return the bits of a typed value of an operand; raise PtxError if it is none."""
    return parse_value(text, reading_type(target, role))


_ACTIONS: Mapping[str, Callable[[ExplorerPage, Arguments], None]] = {
    "open_link": ExplorerPage._open_link,
    "line": ExplorerPage._type_line,
    "end_line": ExplorerPage._end_line,
    "fix": ExplorerPage._fix_line,
    "value": ExplorerPage._type_value,
    "model": ExplorerPage._choose_model,
    "undo": ExplorerPage._undo,
    "search": ExplorerPage._search,
    "open_instruction": ExplorerPage._open_instruction,
    "refresh": ExplorerPage._refresh_panel,
    "resize": ExplorerPage._resize,
    "both": ExplorerPage._show_both,
    "part": ExplorerPage._type_part,
    "activate": ExplorerPage._activate,
    "link": ExplorerPage._link_places,
    "step": ExplorerPage._go_to_step,
    "result": ExplorerPage._reveal_result,
    "predict": ExplorerPage._predict,
    "guess": ExplorerPage._guess,
    "hint": ExplorerPage._give_hint,
    "tool": ExplorerPage._open_tool,
    "tool_text": ExplorerPage._type_in_tool,
    "show_explanation": ExplorerPage._show_explanation,
    "challenge_answer": ExplorerPage._answer_exercise,
    "challenge_hint": ExplorerPage._hint_exercise,
    "challenge_next": ExplorerPage._move_exercise,
    "challenge_level": ExplorerPage._move_exercise,
    "challenge_show": ExplorerPage._show_exercise,
    "open_lesson": ExplorerPage._open_lesson,
    "lesson_answer": ExplorerPage._answer_lesson,
    "lesson_hint": lambda page, _: page._answer_lesson({"hint": True}),
    "lesson_reveal": lambda page, _: page._answer_lesson({"reveal": True}),
    "lesson_go": ExplorerPage._move_in_lesson,
    "lesson_leave": ExplorerPage._leave_tool,
}
"""Every action of the page by name; its arguments come from data attributes and fields."""
_SILENT_ACTIONS = frozenset({"resize", "refresh", "end_line"})
"""Actions after which a message stays: nobody chose them."""
_TOOL_ACTIONS = frozenset(
    {"tool_text", "lesson_answer", "lesson_hint", "lesson_reveal", "lesson_go", "open_link"}
)
"""Actions after which the open tool may show something else, though its text is the same."""


def settle() -> None:
    """Keep the collector of garbage away from what has been loaded, so that no key waits for it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
