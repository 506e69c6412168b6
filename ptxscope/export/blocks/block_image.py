"""Blocks as PNG and PDF."""

from __future__ import annotations

from ...engine.blocks.block_trace import BlockTrace
from ..media.images import describe_image_size, render_pdf_bytes, render_png_bytes
from ..options import DEFAULT, Options
from . import block_picture
from .block_document import build_block_document


def render_png(trace: BlockTrace, options: Options = DEFAULT) -> bytes:
    """Render a block as PNG."""
    return render_png_bytes(block_picture.render(trace, options), options)


def render_pdf(trace: BlockTrace, options: Options = DEFAULT) -> bytes:
    """Render a block as PDF, on a page of the picture's size."""
    return render_pdf_bytes([block_picture.render(trace, options)], options)


def describe_image(trace: BlockTrace, format_: str, options: Options = DEFAULT) -> tuple[str, str]:
    """Describe the size of the image that a block gives, and what it shows."""
    size = describe_image_size(block_picture.render(trace, options), format_, options)
    return size, block_picture.describe_block(build_block_document(trace, options))
