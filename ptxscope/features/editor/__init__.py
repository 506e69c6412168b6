"""The language server: PTX in an editor."""
