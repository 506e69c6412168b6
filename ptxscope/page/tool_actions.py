"""The actions of the tools beside the picture: explanations, listings, lessons."""

from __future__ import annotations

from ..engine.syntax.errors import PtxError, make_printable
from ..state import edits
from . import tool_panels
from .elements import Child
from .page_edits import Actions, Arguments, edit, leave_lesson
from .page_state import OpenTool, PageState


def refresh_panel(page: PageState, _: Arguments) -> None:
    """Ask the open tool again; it may take longer than a key should."""
    page.panel, page.panel_key = _make_panel(page), page.trace_key


def _make_panel(page: PageState) -> list[Child]:
    name, text, feedback = page.tool
    if name == "explain":
        children, page.diagnosis = tool_panels.explain(page.shown_trace, text)
        return children
    if name == "check":
        return tool_panels.check(text)
    if name == "sweep":
        from .sweep_panel import sweep

        return sweep(page.shown_trace, text)
    if name == "lesson" and page.explorer.lesson:
        return tool_panels.show_lesson(page.explorer.lesson, "\n".join(feedback))
    return tool_panels.list_lessons(page.lesson_places) if name == "lesson" else []


def open_tool(page: PageState, arguments: Arguments) -> None:
    """Open a tool beside the picture, or close it if it is open."""
    leave_lesson(page)
    name = str(arguments["name"])
    page.tool = OpenTool(
        "" if name == page.tool.name and "text" not in arguments else name,
        str(arguments.get("text", ""))[: tool_panels.MAX_LISTING_CHARS + 1],
    )


def _type_in_tool(page: PageState, arguments: Arguments) -> None:
    text = str(arguments["text"])[: tool_panels.MAX_LISTING_CHARS + 1]
    page.tool = page.tool._replace(text=text, feedback=())


def open_lesson(page: PageState, arguments: Arguments) -> None:
    """Open a lesson at a card, at the one where it was left, or at its first."""
    from ..learn.lesson import load_lesson
    from ..learn.lesson_progress import LessonProgress

    name, card = tool_panels.parse_lesson_card(str(arguments["name"]))
    lesson = load_lesson(name)
    leave_lesson(page)
    places = dict(page.lesson_places)
    if card:
        places[name] = places.get(name, LessonProgress())._replace(card=card - 1)
    if page.explorer.is_predicting:
        page.explorer.stop_predicting(max(page.explorer.step - 1, 1))
    page.explorer.open_lesson(lesson, places, from_start=False)
    _show_card(page, is_first=True)


def _show_card(page: PageState, *, is_first: bool = False) -> None:
    page.explorer.show_card(is_first=is_first)
    lesson = page.explorer.lesson
    assert lesson
    page.tool = OpenTool("lesson", f"{lesson.lesson.head.name}.{lesson.index + 1}")


def _move_in_lesson(page: PageState, arguments: Arguments) -> None:
    lesson, delta = page.explorer.lesson, int(arguments["delta"])
    if lesson is None:
        return
    if delta > 0 and lesson.is_last:
        lesson.finish()
        leave_lesson(page)
        page.message = "End of the lesson"
    elif lesson.go(delta):
        _show_card(page)


def _answer_lesson(page: PageState, arguments: Arguments) -> None:
    lesson, text = page.explorer.lesson, str(arguments.get("text", ""))[:200]
    if lesson is None or not lesson.is_open:
        return
    feedback: tuple[str, ...] = ()
    if "reveal" in arguments:
        lesson.reveal()
    elif "hint" in arguments:
        lesson.give_hint()
    else:
        try:
            lesson.answer(text)
        except PtxError as error:
            feedback = (make_printable(error.summary),)
    if lesson.is_answered:
        page.explorer.go_to_step(lesson.asked_step)
    else:
        lesson.keep_text(text)
    page.tool = page.tool._replace(feedback=feedback)


def _leave_tool(page: PageState, _: Arguments) -> None:
    leave_lesson(page)


def _show_explanation(page: PageState, arguments: Arguments) -> None:
    if page.diagnosis is not None:
        explanation = page.diagnosis.explanations[int(arguments["index"])]
        edit(page, edits.with_explanation(page.explorer.setup, explanation))


ACTIONS: Actions = {
    "refresh": refresh_panel,
    "tool": open_tool,
    "tool_text": _type_in_tool,
    "show_explanation": _show_explanation,
    "open_lesson": open_lesson,
    "lesson_answer": _answer_lesson,
    "lesson_hint": lambda page, _: _answer_lesson(page, {"hint": True}),
    "lesson_reveal": lambda page, _: _answer_lesson(page, {"reveal": True}),
    "lesson_go": _move_in_lesson,
    "lesson_leave": _leave_tool,
}
