"""The programs of a file's text: kernels, functions and blocks of PTX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ..engine.program.program import Program
from ..engine.program.program_loader import load_module
from ..engine.syntax.asm_text import find_asm_openings
from ..engine.syntax.intrinsic_calls import has_calls
from ..engine.syntax.scopes import collect_registers
from .embedded_ptx import PieceKind, find_ptx
from .source_language import Language, find_language


def load(
    text: str,
    name: str = "",
    on_progress: Callable[[int], None] | None = None,
    *,
    is_excerpt: bool = False,
    is_wanted: Callable[[str], bool] | None = None,
) -> tuple[Program, ...]:
    """Return every kernel, function and block of PTX in a file's text, in order.

    ``name`` is the file's name. Without one, the text was pasted and is PTX if no other language
    fits. PTX without ``.entry`` or ``.func`` is one block. ``on_progress`` is called with the
    current position in the text. ``is_wanted`` selects blocks by their PTX. In an excerpt,
    registers may be declared elsewhere. Nothing is raised: statements have ``problems``.
    """
    language = find_language(name, text)
    if language is Language.UNKNOWN and not name:
        is_source = next(find_asm_openings(text), None) is not None
        language = Language.C if is_source else Language.PTX
        if has_calls(text):  # they are read as one block
            language = Language.TEXT
    programs: list[Program] = []
    counts = Counter[str]()
    elsewhere = None if language is Language.PTX else collect_registers(text)
    for piece in find_ptx(text, language):
        if is_wanted and not is_wanted(piece.ptx):
            continue
        title = "block"
        if elsewhere is not None:
            line = piece.make_locator(0).locate(0, 1).line
            title = f"{'asm' if piece.kind is PieceKind.ASM else 'block'}:{line}"
        title_count = counts[title]
        title = f"{title}#{title_count + 1}" if title_count else title
        module = load_module(text, piece, title, elsewhere, on_progress, is_excerpt=is_excerpt)
        for program in module.programs:
            if program.has_body:
                counts[program.name.partition("#")[0]] += 1
                programs.append(program)
    return tuple(programs)
