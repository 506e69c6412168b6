"""Blocks as PNG and PDF."""

from __future__ import annotations

from ...engine.blocks.block_trace import BlockTrace
from ..media.images import render_pdf_bytes, render_png_bytes
from ..options import DEFAULT, Options
from . import block_picture


def render_png(trace: BlockTrace, options: Options = DEFAULT) -> bytes:
    """Render a block as PNG."""
    return render_png_bytes(block_picture.render(trace, options), options)


def render_pdf(trace: BlockTrace, options: Options = DEFAULT) -> bytes:
    """Render a block as PDF, on a page of the picture's size."""
    return render_pdf_bytes([block_picture.render(trace, options)], options)
