"""The record: a command, a key with a dialog, a panel of the page, and a diagnostic."""

from ptxscope.feature import Command, Feature, Key, PagePanel, Service

FEATURE = Feature(
    "popcount",
    commands=(
        Command(
            "ones",
            "count the ones of each result",
            f"{__package__}.command",
            after="eval",
            group="learn",
            old_spellings={"--count": "ones"},
        ),
    ),
    keys=(
        Key(
            "ones",
            "See",
            "explain",
            "f9",
            "ones",
            "Count the ones of the result",
            f"{__package__}.transitions:show_counts",
            reveals="The number of ones",
        ),
    ),
    page_panels=(
        PagePanel(
            "ones",
            "ones",
            "explain",
            f"{__package__}.page_panel:make_panel",
            is_of_trace=True,
        ),
    ),
    services={Service.LIST_RULES: f"{__package__}.diagnostics:list_rules"},
)
