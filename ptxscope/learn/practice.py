"""Lines to predict, drawn from a family of instructions: easy ones first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..engine.isa.catalog import CATALOG
from ..engine.isa.entry import CORE_GROUPS, Group
from ..engine.micro_operations.properties import Flag
from ..engine.semantics.models import ISA_MODEL
from ..engine.tracing.operand_bits import bind_values
from ..engine.tracing.trace import Trace, make_trace
from .seeded_random import LEVELS, SeededRandom, draw_form, draw_operands, make_instruction

GROUPS = {
    "compare": Group.COMPARE,
    "scalar": Group.SCALAR,
    "simd": Group.SIMD,
    "permute": Group.PERMUTE,
    "fields": Group.FIELDS,
    "packed": Group.PACKED,
    "common": Group.COMMON,
}
_RIGHT_FOR_LEVEL = 3
"""Right answers in a row after which the next level begins."""
_EVENTFUL = frozenset((Flag.CLAMPED_HIGH, Flag.CLAMPED_LOW, Flag.WRAPPED, Flag.NAN, Flag.FLUSHED))


@cache
def map_families() -> Mapping[str, tuple[str, ...]]:
    """Return the opcodes of each family: a group, an operation of all widths, or one opcode."""
    families = {
        name: tuple(x.opcode for x in CATALOG.values() if x.group is group)
        for name, group in GROUPS.items()
    }
    for opcode, entry in CATALOG.items():
        families.setdefault(entry.base_opcode, ())
        families[entry.base_opcode] += (opcode,)
    return families | {opcode: (opcode,) for opcode in CATALOG if opcode not in families}


class Practice(NamedTuple):
    """The progress of a user who predicts one line of a family after the other."""

    family: str
    level: int = LEVELS[0]
    right_count: int = 0
    """The right answers in a row at this level."""

    def with_answer(self, *, is_right: bool) -> Practice:
        """Return the progress after an answer: at the next level after three right in a row."""
        right_count = self.right_count + 1 if is_right else 0
        if right_count < _RIGHT_FOR_LEVEL or self.level == LEVELS[-1]:
            return self._replace(right_count=right_count)
        return Practice(self.family, self.level + 1)

    def draw_trace(self, draw: SeededRandom) -> Trace:
        """Draw a line of the family, on operands that raise a flag if a few draws find some."""
        opcodes = map_families()[self.family]
        if self.level == LEVELS[0]:
            video = [x for x in opcodes if CATALOG[x].group in CORE_GROUPS]
            opcodes = tuple(video) or opcodes
        ins = make_instruction(draw_form(draw, draw.pick(opcodes), self.level))
        traces = [
            make_trace(ins, ISA_MODEL, bind_values(ins, draw_operands(draw, ins, self.level)))
            for _ in range(1 + self.level)
        ]
        eventful = (x for x in traces if any(_EVENTFUL.intersection(y.flags) for y in x.steps))
        return next(eventful, traces[0])


def make_random() -> SeededRandom:
    """Return a generator with a seed of its own."""
    from random import SystemRandom

    return SeededRandom(str(SystemRandom().getrandbits(64)))


def find_family(opcode: str) -> str:
    """Return the family of an instruction: its operation in all widths."""
    return CATALOG[opcode].base_opcode
