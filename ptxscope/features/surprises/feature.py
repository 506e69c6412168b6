"""Surprises: keys from one to the next, and a callout that explains each."""

from ...feature import Feature, Key, ScreenPanel, Service

FEATURE = Feature(
    "surprises",
    keys=(
        Key(
            "surprise.next",
            "See",
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
            "See",
            "surprise.next",
            "W",
            "previous",
            "Go to the previous lane that is clamped, wrapped, kept or taken from elsewhere",
            f"{__package__}.transitions:go_to_previous",
            f"{__package__}.transitions:check_surprise",
        ),
    ),
    screen_panels=(
        ScreenPanel("callout", "lanes", f"{__package__}.terminal.callout:CalloutController"),
    ),
    services={Service.GO_DEEPER: f"{__package__}.transitions:go_deeper"},
)
