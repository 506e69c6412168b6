"""The pinned line and the present one beside the lanes of a wide screen, and what differs."""

from ...feature import Feature, ScreenPanel

FEATURE = Feature(
    "pin",
    screen_panels=(
        ScreenPanel("pin", "sweep", f"{__package__}.terminal.column:PinColumnPane", 160),
    ),
)
