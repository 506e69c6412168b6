"""Publishing: traces that are kept current in Markdown files and in manuals of Sphinx."""

from ...feature import Command, Feature, Service

FEATURE = Feature(
    "publish",
    commands=(
        Command(
            "export",
            "keep the traces in Markdown files current",
            f"{__package__}.command",
            after="run",
        ),
    ),
    services={Service.SET_UP_SPHINX: f"{__package__}.sphinx_extension:setup"},
)
