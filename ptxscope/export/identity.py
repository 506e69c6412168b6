"""What the ids of a document begin with: another word for any two that differ."""

from __future__ import annotations

from hashlib import blake2s

from .document import Document
from .harmless import harmless
from .options import DEFAULT, Options, checked_id


def prefix(document: Document, options: Options, kind: str) -> str:
    """The id that a writer chose, or one made of all that the output depends on.

    ``kind`` is the format: a picture may stand beside the table of the same trace.
    """
    if options.id:
        return checked_id(options.id)
    trace = document.trace
    shown = [str(step.stage) for step in document.steps] if document.left_out else None
    choices = options._replace(stages=None, format="")._asdict().items()
    asked = [(name, value) for name, value in choices if value != getattr(DEFAULT, name)]
    instruction, values = str(trace.instruction), sorted(trace.operands.items())
    # as the command has them that makes the document again
    notes = [(note.target, harmless(note.text).strip()) for note in trace.annotations.notes]
    extra = (document.title, document.caption, notes)
    return digest((kind, instruction, values, trace.model.name, extra, shown, asked))


def digest(told: object) -> str:
    """A word for what ids begin with, made of all that a picture depends on."""
    return f"px-{blake2s(ascii(told).encode(), digest_size=5).hexdigest()}"
