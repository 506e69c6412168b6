"""The sequences of a text, as tests ask for them."""

from __future__ import annotations

from ptxscope.blocks.intrinsic_sequence import (
    IntrinsicSequence,
    find_sequences,
    has_several_statements,
)
from ptxscope.sources.source_programs import load


def find_text_sequences(text: str, name: str) -> list[IntrinsicSequence]:
    """Return the sequences in the text of the file ``name``."""
    programs = load(text, name, is_wanted=has_several_statements)
    return [x for program in programs for x in find_sequences(program)]
