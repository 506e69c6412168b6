"""Lessons: short tours with questions, in the explorers and on the command line."""

from ...feature import Command, Completer, Feature, Key, PagePanel, Service

_PANEL = f"{__package__}.page_panel"
FEATURE = Feature(
    "lessons",
    needs=("mistakes",),
    commands=(
        Command(
            "lesson",
            "predict results, in short lessons",
            f"{__package__}.command",
            after="eval",
            group="learn",
            old_spellings={
                "--again": "--restart",
                "--explorer": "ptxscope lesson NAME",
                "open --again": "ptxscope lesson NAME --restart",
                "open --lesson": "ptxscope lesson NAME",
                "open --restart": "ptxscope lesson NAME --restart",
            },
        ),
    ),
    completers=(Completer("LESSON", f"{__package__}.command:complete_lesson"),),
    keys=(
        Key(
            "lessons",
            "Learn",
            "predict",
            "L",
            "learn",
            "Play a lesson: a short tour with questions",
            f"{__package__}.transitions:choose_lesson",
            is_in_footer=True,
        ),
    ),
    page_panels=(
        PagePanel(
            "lesson",
            "lessons",
            "explain",
            f"{_PANEL}:make_panel",
            actions={
                "open_lesson": f"{_PANEL}:open_lesson",
                "lesson_answer": f"{_PANEL}:answer",
                "lesson_hint": f"{_PANEL}:give_hint",
                "lesson_reveal": f"{_PANEL}:reveal_answer",
                "lesson_go": f"{_PANEL}:turn_card",
                "lesson_leave": f"{_PANEL}:leave",
                "lesson_end": f"{_PANEL}:leave_end",
            },
            open_text=f"{_PANEL}:open_card",
            find_open=f"{_PANEL}:find_card",
            leave=f"{__package__}.transitions:leave",
        ),
    ),
    services={Service.TEACH_NEWCOMER: f"{__package__}.transitions:open_next_lesson"},
)
