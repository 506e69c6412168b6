"""The contents of a page by region: its line, operands, steps, predictions and tools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...documents.elements import (
    Child,
    Element,
    make_button,
    make_element,
    make_problem,
    make_words,
)
from ...engine.isa.encodings import format_hex, format_value
from ...engine.isa.types import Role
from ...engine.semantics.models import PTXAS_MODELS
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Input
from ...engine.tracing import step_text
from ...engine.tracing.step_text import format_result, format_title, interpret_bits
from ...engine.tracing.trace import Step, Trace
from ...learn.prediction import list_locations
from ...state.actions import ACTIONS
from .instruction_list import find_instructions
from .page_picture import PagePicture, draw_picture, draw_within, list_undrawn
from .page_state import PageState
from .permalink import format_permalink
from .tool_table import map_places, map_tools

_BACKWARDS, _FORWARDS = ("step.first", "step.back"), ("step.next", "step.last")
"""The actions of the buttons for steps."""
_MAX_HINT_WORDS = 32
"""Maximum words of a hint; a longer one shows half as many."""


def make_view(page: PageState) -> dict[str, object]:
    """Return the contents of the page: regions as elements, and words for its JavaScript."""
    link, remark = make_link(page)
    return {
        "line": page.line,
        "trace": page.trace_key,
        "options": f"{page.options} {page.pointed} {page.room if page.layout == 'card' else ''}",
        "layout": page.layout,
        "link": link,
        "place": f"{page.layout} {page.tool.text if page.layout == 'card' else ''}",
        "message": page.message or remark,
        "#problems": [*_list_problems(page)],
        "#operands": [*_list_operands(page)],
        "#models": [*_list_models(page)],
        "#history": [
            _make_action_button(page, "edit.undo"),
            _make_action_button(page, "edit.redo"),
        ],
        "#steps": [*_list_steps(page)],
        "#guesses": [*_list_guesses(page)],
        "#answers": [*_list_answers(page)],
        "#found": [*find_instructions(page.query, page.trace.instruction.entry.lanes)]
        if page.query
        else [],
        "#places": [*_list_places(page)],
        "#tools": [
            make_element(
                "div",
                _make_action_button(page, id_, aria_expanded=_format_flag(name == page.tool.name)),
                make_element("span", ACTIONS[id_].tooltip),
            )
            for name, id_ in map_tools().items()
            if name not in map_places()
        ],
        "#panel": page.panel,
        "stale": page.is_panel_stale,
        "slow": ["tool_text", *map_tools().values()],
    }


def draw_page(page: PageState) -> PagePicture:
    """Draw the picture of a page."""
    if page.layout == "card":
        return draw_within(page.trace, page.options, page.pointed, page.room)
    return draw_picture(page.shown_trace, page.options)


def describe_undrawn(page: PageState, picture: PagePicture) -> list[Child]:
    """Return the operands of a card that its picture has no room for, in a line."""
    if page.layout != "card" or page.block_trace:
        return []
    ins, texts = page.trace.instruction, []
    for role in list_undrawn(picture):
        bits = page.trace.operands[role]
        text = f"{ins.format_operand(role)} = {format_hex(bits, ins.type_of(role).bits)}"
        meaning = "" if page.explorer.has_hidden_readings else interpret_bits(ins, role, bits)
        texts.append(f"{text}, {meaning}" if meaning else text)
    return [f"Also given: {'; '.join(texts)}."] if texts else []


def _list_places(page: PageState) -> Iterator[Child]:
    """Yield the explorer, and the panels that fill the page."""
    current = "page" if page.layout in ("", "empty") else None
    yield make_button("Explore", "explore", aria_current=current)
    for name, id_ in map_places().items():
        current = "page" if page.tool.name == name else None
        yield _make_action_button(page, id_, aria_current=current)
    current = "page" if page.is_gallery else None
    yield make_button("Instructions", "gallery", aria_current=current)


def _make_action_button(
    page: PageState,
    id_: str,
    label: str = "",
    *,
    is_disabled: bool = False,
    **attributes: str | None,
) -> Element:
    """Return the button of an action of the explorer's table, with its keys."""
    action = ACTIONS[id_]
    keys = [key for key in action.keys.split(",") if len(key) == 1]  # browsers have the others
    title = f"{action.tooltip} ({', '.join(keys)})" if keys else action.tooltip
    if attributes.get("aria_expanded") == "true":
        keys.append("Escape")
    attributes |= {"data_keys": " ".join(keys)} if keys else {}
    disabled = _format_flag(is_disabled or action.find_refusal(page.explorer) is not None)
    label = label or f"{action.label[:1].upper()}{action.label[1:]}"
    return make_button(label, id_, title=title, aria_disabled=disabled, **attributes)


def make_link(page: PageState) -> tuple[str, str]:
    """Return the permalink of the page, and a message if it is too long for one."""
    if link := format_permalink(page.link):
        return link, ""
    if link := format_permalink(page.link._replace(text="")):
        return link, "The link omits the text that you typed in the tool: it is too long."
    return "", "This is too long for a link."


def describe_step(page: PageState) -> str:
    """Return the sentences of the last step that is drawn, and the result if it is shown."""
    number, block = page.shown_step, page.block_trace
    if not number:
        return ""
    step, trace, place = page.steps[number - 1], page.trace, ""
    if block:
        statement = block.steps[number - 1].statement
        trace, place = block.parts[statement - 1], f" of statement {statement}"
    about = step_text.describe_step(step)
    sentence = f"Step {number}, {format_title(step)}{place}: {about}"
    if page.is_result_hidden:
        return sentence
    return f"{sentence} Result: {format_block_result(block) if block else format_result(trace)}."


def format_block_result(trace: Trace) -> str:
    """Return the results of a block: ``d = 0x00000001, e = 0x00000002``."""
    block = trace.block
    return ", ".join(
        f"{make_printable(name)} = {format_hex(trace.result[name], block.type_of(role).bits)}"
        for role, name in block.results.items()
    )


def _list_problems(page: PageState) -> Iterator[Child]:
    """Yield each problem of the line, with a caret, allowed text, and a button that fixes it."""
    error = page.explorer.setup.error
    for index, problem in enumerate(error.errors[:6] if error else ()):
        assert error
        yield make_problem(error, problem._replace(hint=_cut_hint(problem.hint)))
        if problem.fix is not None:
            start, end = problem.span
            label = f"Write {problem.fix}" if problem.fix else f"Remove {error.text[start:end]}"
            yield make_button(make_printable(label), "fix", data_index=str(index))
    if error:
        line = make_printable(" ".join(str(page.target).split()))
        yield make_element("p", f"The picture is still of the last line without an error: {line}")


def _cut_hint(hint: str) -> str:
    """Return a hint; many words are cut, because they would push the picture away."""
    words = hint.split()
    if len(words) <= _MAX_HINT_WORDS:
        return hint
    word_count = _MAX_HINT_WORDS // 2
    return f"{' '.join(words[:word_count])} … and {len(words) - word_count} more"


def _list_operands(page: PageState) -> Iterator[Child]:
    yield from (_make_operand(page, x) for x in page.inputs)


def _make_operand(page: PageState, operand: Input) -> Element:
    role, block, ins = operand.roles[0], page.block_trace, page.trace.instruction
    bits, failure = page.shown_trace.operands[role], page.get_value_error(operand)
    text = format_hex(bits, operand.type.bits)
    meaning = format_value(bits, operand.type) if block else interpret_bits(ins, role, bits)
    if page.explorer.has_hidden_readings:
        meaning = ""
    label = operand.name if block else Role(role).label
    name = operand.name if label == operand.name else f"{label} {operand.name}"
    return make_element(
        "div",
        make_element("label", name, for_=f"value-{role}"),
        make_element(
            "input",
            id=f"value-{role}",
            type="text",
            value=failure[0] if failure else text,
            data_on="value",
            data_role=role,
            autocomplete="off",
            spellcheck="false",
            autocapitalize="off",
            aria_invalid=_format_flag(failure is not None),
            aria_describedby=f"means-{role}",
        ),
        make_element(
            "div",
            *(map(partial(make_problem, failure[1]), failure[1].errors) if failure else (meaning,)),
            id=f"means-{role}",
            class_="means",
        ),
        class_="operand",
    )


def _list_models(page: PageState) -> Iterator[Child]:
    """Yield the models to choose from, each with a mark if it differs here."""
    state, other = page.explorer, page.other_block_trace
    differing = {x.other.model.name for x in state.session.deviations}
    if page.block_trace:
        differing = {other.model.name} if other else set()
    names = ["isa", PTXAS_MODELS[0].name, *sorted(differing)]
    is_known = not page.is_result_hidden
    for name in dict.fromkeys([*names, state.setup.model]):
        is_marked = is_known and name in differing
        label = f"{name}, which differs here" if is_marked else name
        yield make_element("option", label, value=name, selected=name == page.trace.model.name)


def _list_steps(page: PageState) -> Iterator[Child]:
    state, step, last = page.explorer, page.shown_step, page.last_step
    can_go_on = state.is_predicting or state.practice is not None
    is_predicting = state.is_predicting
    yield make_element(
        "div",
        *(_make_action_button(page, x, is_disabled=step <= 1) for x in _BACKWARDS),
        make_element("span", f"{step} of {last}"),
        *(_make_action_button(page, x, is_disabled=step >= last) for x in _FORWARDS),
        _make_action_button(
            page,
            "predict",
            "Stop predicting" if is_predicting else "Predict the result",
            class_="main" if step < last and not is_predicting else None,
        ),
        _make_action_button(page, "predict.another") if can_go_on else "",
        class_="choices",
    )
    yield make_element(
        "ol",
        *(
            make_element(
                "li",
                make_button(
                    title,
                    "step",
                    data_number=str(number),
                    aria_current="step" if number == step else None,
                    class_="later" if number > step else None,
                ),
            )
            for number, title in enumerate(_list_titles(page), 1)
        ),
        class_="steps",
        aria_label="Steps",
    )
    if step < last and not state.is_predicting:
        box = make_element(
            "input", type="checkbox", data_on="result", id="reveal", checked=state.is_revealed
        )
        yield make_element("label", box, " Show the result before its step", class_="check")


def _list_titles(page: PageState) -> Iterator[str]:
    """Yield the titles of the steps, in a block with the statement as in ``--until s2.write``."""
    block = page.block_trace
    for step in block.steps if block else page.steps:
        if isinstance(step, Step):
            yield format_title(step)
        else:
            yield f"s{step.statement}.{format_title(step.step)}"


def _list_guesses(page: PageState) -> Iterator[Child]:
    """Yield a field for each lane of the step to predict."""
    state, prediction = page.explorer, page.explorer.prediction
    if not state.is_predicting or prediction is None:
        return
    step = page.trace.steps[state.step - 1]
    yield make_element("h2", f"What will step {page.current_step}, {format_title(step)}, give?")
    yield make_element("p", page.verdict, role="status", class_="hidden")
    for place in list_locations(page.trace, state.step):
        guess = prediction.get_guess(place)
        id_ = f"guess-{place.key}-{place.lane}"
        place_words = {"data_key": place.key, "data_lane": str(place.lane)}
        field = make_element(
            "input",
            id=id_,
            name="text",
            type="text",
            value=guess.text,
            readonly=guess.is_right,
            autocomplete="off",
            aria_invalid=_format_flag(guess.is_wrong),
        )
        mark = "right" if guess.is_right else "not right" if guess.is_wrong else ""
        yield make_element(
            "form",
            make_element("label", prediction.format_location(place), for_=id_),
            field,
            "" if guess.is_right else make_element("button", "Answer", type="submit"),
            "" if guess.is_right else make_button("Hint", "hint", **place_words),
            make_element("span", mark, class_="mark") if mark else "",
            make_element("p", guess.message) if guess.message else "",
            class_="guess",
            data_do="guess",
            **place_words,
        )


def _list_answers(page: PageState) -> Iterator[Child]:
    """Yield both answers if they differ, and the notes on the line."""
    state, deviation, block = page.explorer, page.explorer.session.deviation, page.block_trace
    notes = block.block.notes if block else state.notes
    for note in notes if state.setup.error is None else ():  # none of an incomplete line
        yield make_element("p", *make_words(f"Note: {make_printable(note)}."))
    if not page.has_two_answers or page.is_result_hidden:
        return
    if block:
        traces = (block, page.other_block_trace)
        answers = [f"{format_block_result(x)} by {x.model.name}" for x in traces if x]
        text = f"Two answers: {'; '.join(answers)}."
    elif deviation:
        ids = ", ".join(x.id for x in deviation.errata)
        isa, other = format_result(deviation.isa), format_result(deviation.other)
        text = f"Two answers: {isa} by isa, {other} by {deviation.other.model.name} ({ids})."
    yield make_element("p", text, class_="two")
    box = make_element("input", type="checkbox", data_on="both", id="both", checked=page.is_both)
    yield make_element("label", box, " Show the steps of both", class_="check")


def _format_flag(is_true: bool) -> str:
    """Return the value of an attribute such as ``aria-expanded``."""
    return "true" if is_true else "false"
