"""Prefixes of the ids in a document, distinct for any two documents that differ."""

from __future__ import annotations

from hashlib import blake2s
from itertools import count

from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options, drop_idle_options
from .document import Document
from .document_builder import build_document
from .sanitizer import sanitize_text


def make_id_prefix(document: Document, options: Options, kind: str) -> str:
    """Return the id that the author chose, or a hash of everything the output depends on.

    `kind` is the format: a picture may share a page with the table of the same trace.
    """
    if options.id:
        return options.id
    trace = document.trace
    # the explorer has the roles as members of an enum, which are written in another way
    values = sorted((str(role), bits) for role, bits in trace.operands.items())
    # normalised like the notes in the command that reproduces the document
    notes = [
        (trace.format_target(note), sanitize_text(note.text).strip())
        for note in trace.annotations.notes
    ]
    parts: tuple[object, ...] = ((document.title, document.caption, *notes),)
    shown = options.steps and [x.number for x in trace.steps if options.shows(x.place)]
    if not document.sections[0].heading:
        shown = None
        stages = [str(step.stage) for step in document.steps] if document.omission else None
        parts = (document.title, document.caption, notes), stages
    choices = options._asdict() | {"steps": shown, "format": ""}
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


def with_unique_ids(trace: Trace, options: Options, kind: str, used_ids: set[str]) -> Options:
    """Return options whose ids are not in `used_ids`, and add the new id to it.

    Equal traces have equal ids, so the second one on a page gets a number. Raise ValueError if the
    author chose the same id twice.
    """
    options = drop_idle_options(options, kind)
    base_id = make_prefix(trace, options, kind)
    if options.id and base_id in used_ids:
        raise ValueError(f"the id {base_id} is already used by another trace of this page")
    unique_id = base_id
    if base_id in used_ids:
        unique_id = next(x for number in count(2) if (x := f"{base_id}-{number}") not in used_ids)
        options = options._replace(id=unique_id)
    used_ids.add(unique_id)
    return options


def hash_id(inputs: object) -> str:
    """Return an id prefix that hashes everything a picture depends on."""
    return f"px-{blake2s(ascii(inputs).encode(), digest_size=5).hexdigest()}"
