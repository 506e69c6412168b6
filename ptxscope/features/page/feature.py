"""The web explorer, and figures whose operands a reader edits."""

from ...feature import Command, Feature, PagePanel, Service

_EXPLANATION_PANEL = f"{__package__}.explanation_panel"
FEATURE = Feature(
    "page",
    commands=(
        Command(
            "page",
            "write the web explorer, or a figure that readers can edit",
            f"{__package__}.command",
            after="export",
            group="write",
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
    ),
    services={
        Service.FORMAT_PERMALINK: f"{__package__}.permalink:format_line_permalink",
        Service.MAKE_LIVE_FIGURE: f"{__package__}.live_markup:make_live_figure",
        Service.WRITE_LIVE_ENGINE: f"{__package__}.site:write_engine",
    },
)
