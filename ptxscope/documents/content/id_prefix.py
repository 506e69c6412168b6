"""Prefixes of the ids in a document, unique for each different document."""

from __future__ import annotations

from hashlib import blake2s

from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options, drop_idle_options
from .document import Document
from .document_builder import build_document
from .sanitizer import sanitize_text


def make_id_prefix(document: Document, options: Options, kind: str) -> str:
    """Return the author's id, or a hash of everything that the output depends on.

    `kind` is the format: a picture may share a page with the table of the same trace.
    """
    if options.id:
        return options.id
    trace = document.trace
    # the explorer's roles are members of an enum, with another representation
    values = sorted((str(role), bits) for role, bits in trace.operands.items())
    # normalised like the notes in the command that reproduces the document
    notes = [
        (trace.format_target(note), sanitize_text(note.text).strip())
        for note in trace.annotations.notes
    ]
    parts: tuple[object, ...] = ((document.title, document.caption, *notes),)
    step_numbers = options.steps and [x.number for x in trace.steps if options.shows(x.place)]
    if not document.sections[0].heading:
        step_numbers = None
        stages = [str(step.stage) for step in document.steps] if document.omission else None
        parts = (document.title, document.caption, notes), stages
    choices = options._asdict() | {"steps": step_numbers, "format": "", "has_version": True}
    changed_options = [
        (name, sorted(value) if isinstance(value, frozenset) else value)
        for name, value in choices.items()
        if value != getattr(DEFAULT, name)
    ]
    return hash_id((kind, str(trace.block), values, trace.model.name, *parts, changed_options))


def make_prefix(trace: Trace, options: Options, kind: str) -> str:
    """Return the prefix of the ids in a document of a trace."""
    options = drop_idle_options(options, kind)
    return make_id_prefix(build_document(trace, options), options, kind)


def hash_id(inputs: object) -> str:
    """Return an id prefix that hashes everything a picture depends on."""
    return f"px-{blake2s(ascii(inputs).encode(), digest_size=5).hexdigest()}"
