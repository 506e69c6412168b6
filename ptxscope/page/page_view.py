"""What a page shows, by region, as elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..engine.isa.roles import Role
from ..engine.isa.value_text import format_hex
from ..engine.semantics.models import PTXAS_MODELS
from ..engine.syntax.errors import make_printable
from ..engine.syntax.instruction import Input
from ..engine.tracing import step_text
from ..engine.tracing.lane_text import format_result, interpret_bits
from ..engine.tracing.step_text import format_title
from ..learn.prediction import list_locations
from . import tool_panels
from .elements import Child, Element, format_flag, make_button, make_element, make_problem
from .page_state import PageState
from .permalink import format_permalink

_TOOL_NAMES = {
    "explain": "Why did I get that?",
    "check": "Check a listing",
    "sweep": "Sweep an operand",
    "lesson": "Lessons",
    "challenge": "Challenge",
    "prove": "Prove",
}


def make_view(page: PageState) -> dict[str, object]:
    """Return what the page shows: regions as elements, and words for its JavaScript."""
    state, tool = page.state, page.tool.name
    link, remark = make_link(page)
    return {
        "line": state.setup.line,
        "trace": page.trace_key,
        "options": repr(page.options),
        "link": link,
        "message": page.message or remark,
        "#problems": [*_list_problems(page)],
        "#operands": [*_list_operands(page)],
        "#models": [*_list_models(page)],
        "#history": [
            make_button("Undo", "undo", aria_disabled=format_flag(not state.session.undo_history)),
            make_button(
                "Redo",
                "undo",
                data_redo="1",
                aria_disabled=format_flag(not state.session.redo_history),
            ),
        ],
        "#steps": [*_list_steps(page)],
        "#guesses": [*_list_guesses(page)],
        "#answers": [*_list_answers(page)],
        "#found": [*tool_panels.find_instructions(page.query, state.setup.instruction.entry.lanes)]
        if page.query
        else [],
        "#tools": [
            make_button(label, "tool", data_name=name, aria_expanded=format_flag(name == tool))
            for name, label in _TOOL_NAMES.items()
        ],
        "#panel": page.panel,
        "stale": page.is_panel_stale,
    }


def make_link(page: PageState) -> tuple[str, str]:
    """Return the permalink of what is shown, and what to say if it is too long for one."""
    if link := format_permalink(page.link):
        return link, ""
    if link := format_permalink(page.link._replace(text="")):
        return link, "The link leaves out what is typed in the tool: it is too long."
    return "", "This is too long for a link."


def describe_step(page: PageState) -> str:
    """Return the sentences of the last step that is drawn, and the result if it is shown."""
    state, trace = page.state, page.trace
    if not page.shown_step:
        return ""
    step = trace.steps[page.shown_step - 1]
    sentence = f"Step {step.number}, {format_title(step)}: {step_text.describe_step(trace, step)}"
    return sentence if state.is_result_hidden else f"{sentence} Result: {format_result(trace)}."


def _list_problems(page: PageState) -> Iterator[Child]:
    """Yield each problem of the line, with a caret, what is allowed, and a button that fixes it."""
    error = page.state.setup.error
    for index, problem in enumerate(error.errors[:6] if error else ()):
        assert error
        yield make_problem(error, problem)
        if problem.fix is not None:
            start, end = problem.span
            label = f"Write {problem.fix}" if problem.fix else f"Remove {error.text[start:end]}"
            yield make_button(make_printable(label), "fix", data_index=str(index))
    if error:
        line = make_printable(str(page.state.setup.instruction))
        yield make_element("p", f"Below is still the last line without an error: {line}")


def _list_operands(page: PageState) -> Iterator[Child]:
    ins = page.state.setup.instruction
    for operand in ins.inputs:
        if operand.roles[0] not in ins.constants:
            yield _make_operand(page, operand)


def _make_operand(page: PageState, operand: Input) -> Element:
    role, ins = operand.roles[0], page.state.setup.instruction
    bits, failure = page.trace.operands[role], page.get_value_error(operand)
    text = format_hex(bits, operand.type.bits)
    meaning = "" if page.state.has_hidden_readings else interpret_bits(ins, role, bits)
    label = Role(role).label
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
            aria_invalid=format_flag(failure is not None),
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
    """Yield the models to choose from; those that differ here are marked."""
    state = page.state
    names = ["isa", PTXAS_MODELS[0].name, *(x.other.model.name for x in state.session.divergences)]
    differing = {x.other.model.name for x in state.session.divergences}
    is_known = not state.is_result_hidden
    for name in dict.fromkeys([*names, state.setup.model]):
        is_marked = is_known and name in differing
        label = f"{name}, which differs here" if is_marked else name
        yield make_element("option", label, value=name, selected=name == page.trace.model.name)


def _list_steps(page: PageState) -> Iterator[Child]:
    state, trace, shown = page.state, page.trace, page.shown_step
    is_first, is_last = format_flag(shown <= 1), format_flag(shown >= state.last_step)
    yield make_element(
        "div",
        make_button("First", "step", data_step="1", aria_disabled=is_first),
        make_button("Back", "step", data_delta="-1", aria_disabled=is_first),
        make_button("Next", "step", data_delta="1", aria_disabled=is_last),
        make_button("Last", "step", data_step=str(state.last_step), aria_disabled=is_last),
        make_button("Stop predicting" if state.is_predicting else "Predict", "predict"),
        class_="choices",
    )
    yield make_element(
        "ol",
        *(
            make_element(
                "li",
                make_button(
                    format_title(step),
                    "step",
                    data_step=str(step.number),
                    aria_current="step" if step.number == shown else None,
                    class_="later" if step.number > shown else None,
                ),
            )
            for step in trace.steps
        ),
        class_="steps",
        aria_label="Steps",
    )
    if shown < state.last_step and not state.is_predicting:
        box = make_element(
            "input", type="checkbox", data_on="result", id="reveal", checked=state.is_revealed
        )
        yield make_element("label", box, " Show the result before its step", class_="check")


def _list_guesses(page: PageState) -> Iterator[Child]:
    """Yield a field for each lane of the step to predict."""
    state, prediction = page.state, page.state.predictions.prediction
    if not state.is_predicting or prediction is None:
        return
    step = page.trace.steps[state.step - 1]
    yield make_element("h2", f"What will step {step.number}, {format_title(step)}, give?")
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
            aria_invalid=format_flag(guess.is_wrong),
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
    """Yield both answers where they differ, and the notes on the line."""
    state, divergence = page.state, page.state.session.divergence
    for note in state.notes:
        yield make_element("p", f"Note: {make_printable(note)}.")
    if divergence is None or state.is_result_hidden:
        return
    ids = ", ".join(x.id for x in divergence.errata)
    isa, other = format_result(divergence.isa), format_result(divergence.other)
    name = divergence.other.model.name
    yield make_element("p", f"Two answers: {isa} by isa, {other} by {name} ({ids}).", class_="two")
    box = make_element("input", type="checkbox", data_on="both", id="both", checked=page.is_both)
    yield make_element("label", box, " Show the steps of both", class_="check")
