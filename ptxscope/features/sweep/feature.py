"""Sweeps: the results over all values of one or two parts of operands."""

from ...feature import Command, Completer, Feature, Key, PagePanel, ScreenPanel

FEATURE = Feature(
    "sweep",
    commands=(
        Command(
            "sweep",
            "plot the results over all values of one or two operands",
            f"{__package__}.command",
            after="check",
            group="debug",
            subject="Results",
        ),
    ),
    completers=(
        Completer("PART", f"{__package__}.completions:complete_part"),
        Completer("RESULT", f"{__package__}.completions:complete_result"),
    ),
    keys=(
        Key(
            "sweep",
            "See",
            "explain",
            "v",
            "sweep",
            "Show the results over all values of an operand",
            f"{__package__}.transitions:sweep",
            f"{__package__}.transitions:check_sweep",
            reveals="A sweep",
        ),
    ),
    screen_panels=(
        ScreenPanel("sweep", "lanes", f"{__package__}.terminal.column:SweepColumnPane", 160),
    ),
    page_panels=(
        PagePanel(
            "sweep",
            "sweep",
            "check",
            f"{__package__}.page_panel:make_panel",
            is_of_trace=True,
        ),
    ),
)
