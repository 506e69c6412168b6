"""The actions of the tools beside the picture: explanations, listings, lessons."""

from __future__ import annotations

from collections.abc import Callable

from ..state import edits, lesson_transitions
from ..state.requests import Transition
from . import tool_panels
from .elements import Child
from .page_edits import Actions, Arguments, edit, leave_lesson, perform
from .page_state import OpenTool, PageState


def refresh_panel(page: PageState, _: Arguments) -> None:
    """Ask the open tool again; it may take longer than a key should."""
    page.panel, page.panel_key = _make_panel(page), page.trace_key


def _make_panel(page: PageState) -> list[Child]:
    name, text = page.tool
    if name == "explain":
        children, page.diagnosis = tool_panels.explain(page.shown_trace, text)
        return children
    if name == "check":
        return tool_panels.check(text)
    if name == "sweep":
        from .sweep_panel import sweep

        return sweep(page.shown_trace, text)
    if name == "lesson" and page.explorer.lesson:
        return tool_panels.show_lesson(page.explorer.lesson)
    return tool_panels.list_lessons(page.explorer.lesson_places) if name == "lesson" else []


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
    page.tool = page.tool._replace(text=text)


def open_lesson(page: PageState, arguments: Arguments) -> None:
    """Open a lesson at a card, at the one where it was left, or at its first."""
    from ..learn.lesson_position import LessonProgress

    name, card = tool_panels.parse_lesson_card(str(arguments["name"]))
    leave_lesson(page)
    if card:
        places = page.explorer.lesson_places
        progress = places.get(name, LessonProgress())._replace(card=card - 1)
        page.explorer.lesson_places = {**places, name: progress}
    perform(page, lesson_transitions.open_lesson, name)


def follow_lesson(page: PageState) -> None:
    """Show the card of the open lesson in the tool, or the lessons if it has been left."""
    lesson = page.explorer.lesson
    if lesson is not None:
        page.tool = OpenTool("lesson", f"{lesson.lesson.head.name}.{lesson.index + 1}")
    elif page.tool.name == "lesson":
        page.tool = OpenTool("lesson")


def _answer_lesson(page: PageState, arguments: Arguments) -> None:
    lesson, text = page.explorer.lesson, str(arguments.get("text", ""))[:200]
    if lesson is not None:
        perform(page, lesson_transitions.take_answer, lesson, text, is_entered=True)


def _do(transition: Transition) -> Callable[[PageState, Arguments], None]:
    """Return an action that runs a transition without arguments."""
    return lambda page, _: perform(page, transition)


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
    "lesson_hint": _do(lesson_transitions.give_card_hint),
    "lesson_reveal": _do(lesson_transitions.reveal_answer),
    "lesson_go": lambda page, arguments: perform(
        page, lesson_transitions.turn_card, int(arguments["delta"])
    ),
    "lesson_leave": _do(lesson_transitions.leave_card),
}
