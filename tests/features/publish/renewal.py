"""Markdown texts whose traces are renewed."""

from __future__ import annotations

from ptxscope.features.publish.command import renew_traces


def updated(text: str, name: str = "text") -> str:
    """A Markdown text as ``ptxscope export --update`` leaves it."""
    return renew_traces(text, name).text
