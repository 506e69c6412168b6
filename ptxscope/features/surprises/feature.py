"""Surprises: keys from one to the next, and a callout that says what happened, and why."""

from ...feature import Feature, HelpPanel, Key, Service

FEATURE = Feature(
    "surprises",
    keys=(
        Key(
            "surprise.next",
            "Answers",
            "explain",
            "w",
            "surprise",
            "Go to the next lane that is clamped, wrapped, kept or taken from elsewhere",
            f"{__package__}.transitions:go_to_next",
            f"{__package__}.transitions:check_surprise",
            is_in_footer=True,
        ),
        Key(
            "surprise.back",
            "Answers",
            "surprise.next",
            "W",
            "previous surprise",
            "Go to the previous lane that is clamped, wrapped, kept or taken from elsewhere",
            f"{__package__}.transitions:go_to_previous",
            f"{__package__}.transitions:check_surprise",
        ),
    ),
    help_panels=(
        HelpPanel(
            "lanes",
            "",
            "w and W go to the lanes that are clamped, wrapped, kept, not a number, taken from "
            "elsewhere or changed by an erratum; a box says what happened, and what the lane would "
            "be without a modifier",
        ),
    ),
    services={Service.FOLLOW_CURSOR: f"{__package__}.terminal.callout:follow_cursor"},
)
