"""Operation: pseudocode of instructions, made from their plans, in the manual and the explorer."""

from ...feature import Feature, Key, PagePanel, ScreenPanel, Service

FEATURE = Feature(
    "operation",
    keys=(
        Key(
            "operation",
            "See",
            "explain",
            "O",
            "operation",
            "Show the operation of the line as pseudocode",
            f"{__package__}.transitions:show_operation",
        ),
    ),
    screen_panels=(
        ScreenPanel(
            "operation", "machine", f"{__package__}.terminal.column:OperationColumnPane", 160
        ),
    ),
    page_panels=(
        PagePanel(
            "operation",
            "operation",
            "explain",
            f"{__package__}.page_panel:make_panel",
            is_of_trace=True,
        ),
    ),
    services={Service.DESCRIBE_ENTRY: f"{__package__}.pseudocode_report:iter_blocks"},
)
