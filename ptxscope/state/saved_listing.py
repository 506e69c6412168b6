"""An open listing, saved between runs of the explorer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import PtxError
from .setup import Setup

if TYPE_CHECKING:
    from ..engine.json_node import JsonNode
    from ..engine.program.program import Program
    from .open_listing import ListingCursor

MAX_SAVED_CHARS = 200_000
"""Maximum characters of a saved listing: larger ones would delay the next start by seconds."""


class SavedListing(NamedTuple):
    """A listing, the input values of its programs, and the position of the cursor."""

    name: str
    text: str
    model: str
    inputs_by_program: tuple[Mapping[str, int], ...]
    program: int
    statement: int
    """The statement under the cursor."""
    is_block: bool
    is_stepping: bool
    """Whether the results of a block's later statements are hidden."""
    is_detached: bool
    """Whether the operands differ from the listing's run."""


def save_listing(
    cursor: ListingCursor | None, setup: Setup, *, is_stepping: bool
) -> SavedListing | None:
    """Return the saved form of an open listing.

    Return None without a listing, if it is too long, or if no statement has the line.
    """
    if cursor is None or setup.place is None or len(cursor.listing.text) > MAX_SAVED_CHARS:
        return None
    listing = cursor.listing
    return SavedListing(
        _replace_surrogates(listing.name),
        _replace_surrogates(listing.text),
        listing.model,
        listing.inputs_by_program,
        *(cursor.program, cursor.index),
        is_block=listing.block is not None,
        is_stepping=is_stepping,
        is_detached=setup.is_detached,
    )


def _replace_surrogates(text: str) -> str:
    """Replace text that UTF-8 cannot encode, as in a file's name."""
    return text.encode(errors="replace").decode()


def reopen_listing(
    saved: SavedListing | None, setup: Setup
) -> tuple[Setup, ListingCursor] | tuple[Setup]:
    """Return a saved setup in its listing, and the cursor; without a listing, only the setup."""
    cursor = _open(saved) if saved else None
    if saved is None or cursor is None:
        return (setup,)
    programs = cursor.listing.programs
    if len(saved.inputs_by_program) == len(programs):
        inputs = tuple(map(dict, map(_iter_inputs, programs, saved.inputs_by_program)))
        cursor = replace(cursor, listing=replace(cursor.listing, inputs_by_program=inputs))
    has_program = saved.program in range(len(programs))
    if has_program and saved.statement in range(len(programs[saved.program].statements)):
        cursor = cursor.move_to(saved.program, saved.statement)
    current = cursor.make_setup(setup)
    if current.line != setup.line:
        current = replace(setup, place=current.place, is_detached=saved.is_detached)
    elif saved.is_detached:
        current = replace(current, values=setup.values, model=setup.model, is_detached=True)
    return replace(current, annotations=setup.annotations), cursor


def _open(saved: SavedListing) -> ListingCursor | None:
    from .open_listing import open_listing

    if not saved.is_block:
        return open_listing(saved.text, saved.name, saved.model)
    from ..blocks.block_parser import parse_block
    from .open_block import open_block

    try:
        return open_block(parse_block(saved.text), saved.model)
    except PtxError:
        return None


def _iter_inputs(program: Program, inputs: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the valid inputs of a program."""
    from ..blocks.execution import make_given_value
    from ..blocks.program_run import find_unknown_sites

    sites = find_unknown_sites(program)
    for key, bits in inputs.items():
        with suppress(ValueError):
            make_given_value(program, sites, key, bits)
            yield key, bits


def listing_to_json(saved: SavedListing | None) -> dict[str, object] | None:
    """Return a saved listing in JSON."""
    if saved is None:
        return None
    inputs = [*map(values_to_json, saved.inputs_by_program)]
    return {**saved._asdict(), "inputs_by_program": inputs}


def listing_from_json(data: JsonNode) -> SavedListing | None:
    """Parse the output of ``listing_to_json``; raise ValueError for anything else."""
    if data.value is None:
        return None
    fields = {
        name: data.get_field(name, kind).value
        for name, kind in {
            **dict.fromkeys(("name", "text", "model"), str),
            **dict.fromkeys(("program", "statement"), int),
            **dict.fromkeys(("is_block", "is_stepping", "is_detached"), bool),
        }.items()
    }
    parse_model(fields["model"])
    if len(fields["text"]) > MAX_SAVED_CHARS:
        raise ValueError(f"a listing has more than {MAX_SAVED_CHARS:,} characters")
    programs = data.get_field("inputs_by_program", list).iter_items(dict)
    inputs = tuple(values_from_json(x) for x in programs)
    return SavedListing(**fields, inputs_by_program=inputs)


def values_to_json(values: Mapping[str, int]) -> dict[str, str]:
    """Return bits by name in JSON."""
    return {name: hex(bits) for name, bits in values.items()}


def values_from_json(data: JsonNode) -> dict[str, int]:
    """Parse the output of ``values_to_json``; raise ValueError for anything else."""
    values = {name: int(data.get_field(name, str).value, 16) for name in data.value}
    if any(bits < 0 or bits >> 64 for bits in values.values()):
        raise ValueError("a value has more than 64 bits")
    return values
