"""The pinned line, the present one and their differences, beside the lanes of a wide screen."""

from ...feature import Feature, ScreenPanel

FEATURE = Feature(
    "pin",
    screen_panels=(
        ScreenPanel("pin", "sweep", f"{__package__}.terminal.column:PinColumnPane", 160),
    ),
)
