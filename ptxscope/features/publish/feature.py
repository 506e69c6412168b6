"""Publishing: traces that are kept current in Markdown files and in manuals of Sphinx."""

from ...feature import Command, Feature, Service

FEATURE = Feature(
    "publish",
    commands=(
        Command(
            "export",
            "renew, or check, the traces in Markdown files",
            f"{__package__}.command",
            after="mcp",
            group="write",
        ),
    ),
    services={Service.SET_UP_SPHINX: f"{__package__}.sphinx_extension:setup"},
)
