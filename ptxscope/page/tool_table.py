"""The tools beside the picture: the panels of features, and the actions of their elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..feature import PagePanel, arrange, list_features

_LESSON_PANEL = f"{__package__}.lesson_panel"
_EXPLANATION_PANEL = f"{__package__}.explanation_panel"
_OWN_PANELS = (
    PagePanel(
        "explain",
        "explain",
        "",
        f"{_EXPLANATION_PANEL}:make_panel",
        is_of_trace=True,
        actions={"show_explanation": f"{_EXPLANATION_PANEL}:show_explanation"},
    ),
    PagePanel(
        "lesson",
        "lessons",
        "check",
        f"{_LESSON_PANEL}:make_panel",
        actions={
            "open_lesson": f"{_LESSON_PANEL}:open_lesson",
            "lesson_answer": f"{_LESSON_PANEL}:answer",
            "lesson_hint": f"{_LESSON_PANEL}:give_hint",
            "lesson_reveal": f"{_LESSON_PANEL}:reveal_answer",
            "lesson_go": f"{_LESSON_PANEL}:turn_card",
            "lesson_leave": f"{_LESSON_PANEL}:leave",
        },
        open_text=f"{_LESSON_PANEL}:open_card",
        find_text=f"{_LESSON_PANEL}:find_card",
    ),
)


@cache
def map_panels() -> Mapping[str, PagePanel]:
    """Return the panels by name, in the order of their buttons."""
    added = [(panel.name, panel) for feature in list_features() for panel in feature.page_panels]
    return dict(arrange([(x.name, x) for x in _OWN_PANELS], added, lambda panel: panel))


@cache
def map_tools() -> Mapping[str, str]:
    """Return the explorer's action by the name of each tool."""
    return {name: panel.action for name, panel in map_panels().items()}


@cache
def map_panel_actions() -> Mapping[str, str]:
    """Return the transitions that the elements of panels name, by name."""
    return {name: run for panel in map_panels().values() for name, run in panel.actions.items()}
