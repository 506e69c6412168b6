"""The assistant: the commands as tools of a language model, in the Model Context Protocol."""

from ...feature import Command, Feature

FEATURE = Feature(
    "assistant",
    commands=(
        Command(
            "mcp",
            "run the MCP server, for language models",
            f"{__package__}.command",
            after="lsp",
            group="debug",
        ),
    ),
)
