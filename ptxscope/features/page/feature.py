"""The page: the explorer in a browser, and figures whose operands a reader edits."""

from ...feature import Command, Feature, PagePanel, Service

_EXPLANATION_PANEL = f"{__package__}.explanation_panel"
_LESSON_PANEL = f"{__package__}.lesson_panel"
FEATURE = Feature(
    "page",
    commands=(
        Command(
            "page",
            "write a page that explores instructions in a browser",
            f"{__package__}.command",
            after="show",
            old_spellings={"trace --live": "ptxscope page --site SITE --figure PTX"},
        ),
    ),
    page_panels=(
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
            "",
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
    ),
    services={
        Service.MAKE_LIVE_FIGURE: f"{__package__}.live_markup:make_live_figure",
        Service.WRITE_LIVE_ENGINE: f"{__package__}.site:write_engine",
    },
)
