"""The assistant: the commands as tools of a language model, in the Model Context Protocol."""

from ...feature import Command, Feature

FEATURE = Feature(
    "assistant",
    commands=(Command("mcp", "answer a language model", f"{__package__}.command", after="lsp"),),
)
