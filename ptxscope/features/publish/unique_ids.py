"""Ids of documents that are distinct on their page."""

from __future__ import annotations

from itertools import count

from ...documents.content.id_prefix import make_prefix
from ...documents.options import Options, drop_idle_options
from ...engine.tracing.trace import Trace


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
