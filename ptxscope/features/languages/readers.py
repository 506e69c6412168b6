"""The reader of each language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from ...sources.source_language import Block, Language
from .llvm_source import read_julia_blocks, read_llvm_blocks, read_mlir_blocks
from .python_source import read_python_blocks
from .rust_source import read_rust_blocks
from .text_blocks import read_html_blocks, read_markdown_blocks, read_notebook_blocks

_READERS: Mapping[Language, Callable[[str], Iterator[Block]]] = {
    Language.PYTHON: read_python_blocks,
    Language.MARKDOWN: read_markdown_blocks,
    Language.HTML: read_html_blocks,
    Language.RUST: read_rust_blocks,
    Language.MLIR: read_mlir_blocks,
    Language.JULIA: read_julia_blocks,
    Language.NOTEBOOK: read_notebook_blocks,
}


def read_blocks(text: str, language: Language, gaps: Set[int]) -> Iterator[Block]:
    """Yield the strings and the code of a text; ``gaps`` are those of a text of LLVM."""
    if language is Language.LLVM:
        return read_llvm_blocks(text, gaps)
    return _READERS[language](text) if language in _READERS else iter(())
