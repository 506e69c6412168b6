"""What the ids of a document begin with: another word for any two that differ."""

from __future__ import annotations

from hashlib import blake2s
from itertools import count

from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options, checked_id
from .document import Document, document
from .option_support import effective
from .sanitizer import harmless


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


def apart(trace: Trace, options: Options, kind: str, taken: set[str]) -> Options:
    """The options with which ids are none of those of a page, to which they are added.

    Equal traces have equal ids, so the second one of a page is given others. Raises ValueError
    where a writer chose the same for two.
    """
    options = effective(options, kind)
    first = prefix(document(trace, options), options, kind)
    if options.id and first in taken:
        raise ValueError(f"the id {first} is given to another trace of this page")
    free = first
    if first in taken:
        free = next(x for at in count(2) if (x := f"{first}-{at}") not in taken)
        options = options._replace(id=free)
    taken.add(free)
    return options


def digest(told: object) -> str:
    """A word for what ids begin with, made of all that a picture depends on."""
    return f"px-{blake2s(ascii(told).encode(), digest_size=5).hexdigest()}"
