"""The editor: diagnostics, descriptions and completions in the Language Server Protocol."""

from ...feature import Command, Feature

FEATURE = Feature(
    "editor",
    needs=("check",),
    commands=(
        Command(
            "lsp",
            "run the language server, for editors",
            f"{__package__}.command",
            after="verify",
            group="debug",
        ),
    ),
)
