"""A trace with letters instead of very long names."""

from __future__ import annotations

from dataclasses import replace

from ...engine.isa.types import DESTINATIONS, Role
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Register
from ...engine.tracing.basic_block import make_block
from ...engine.tracing.trace import Trace


def abbreviate_names(trace: Trace, longest: int) -> Trace:
    """Return a trace for pictures, in which a, b, c, d replace names longer than `longest`.

    A register gets the letter of the place in question: c where it is read, d where it is written.
    """
    ins = trace.instruction

    def abbreviate(role: str, name: str) -> str:
        return role if len(make_printable(name)) > longest else name

    destinations = {name: abbreviate(role, name) for role, name in reversed([*ins.names.items()])
               if role in DESTINATIONS}  # fmt: skip
    if len(set(destinations.values())) < len(
        destinations
    ):  # a letter is the name of the other destination
        destinations = {}
    letters = replace(
        ins,
        destinations=tuple(name and destinations.get(name, name) for name in ins.destinations),
        sources=tuple(
            x._replace(name=abbreviate(role, x.name)) if isinstance(x, Register)
            else x._replace(text=abbreviate(role, x.text))
            for role, x in ins.roles.items()
        ),
        guard=ins.guard and ins.guard._replace(name=abbreviate(Role.GUARD, ins.guard.name)),
    )  # fmt: skip
    return replace(trace, block=make_block(letters))
