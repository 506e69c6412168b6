"""The answer to the question whether two computations give the same results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from ...engine.isa.encodings import format_registers
from ...engine.isa.types import Type
from ...engine.records import FrozenRecord
from ...engine.semantics.models import Model
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.trace import Trace
from .differences import Difference


class Verdict(StrEnum):
    """The answer to the question whether two computations are the same."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Proof(FrozenRecord):
    """The answer to a question about two computations."""

    programs: tuple[BasicBlock, BasicBlock]
    models: tuple[Model, Model]
    where: str
    """The condition on the operands; empty for all."""
    value_verdict: Verdict | None
    """The answer if all that ``uncompared`` lists is the same on both sides, or None."""
    inputs: Mapping[str, Type]
    """The operands by the names that both have in the question."""
    names: tuple[Mapping[str, str], Mapping[str, str]]
    """For each program, the name in the question of each register that it reads."""
    pairs: tuple[tuple[str, str], ...]
    """The results that are compared, by their names in the two programs; "" for an old value."""
    has_same_plan: bool
    """Whether both compute the results by the same operations, which needs no solver."""
    seconds: float
    solver: str
    operands: Mapping[str, int] = field(default_factory=dict)
    """Operands for which the results differ, by their names in the question."""
    difference: Difference | None = None
    """The condition under which the results differ, if it is short."""
    uncompared: tuple[str, ...] = ()
    """The statements with an unknown effect on the answer, such as loads and stores."""

    def __repr__(self) -> str:
        condition = f" with {self.restriction}" if self.restriction else ""
        if self.verdict is Verdict.DIFFERENT:
            bits = ((name, value, self.inputs[name]) for name, value in self.operands.items())
            return f"<Proof: different for {format_registers(bits) or 'all operands'}{condition}>"
        names = f" for all values of {', '.join(self.inputs)}{condition}" if self.inputs else ""
        return f"<Proof: {self.verdict}{names}>"

    @property
    def verdict(self) -> Verdict:
        """The answer; undecided if it depends on memory, which is not compared."""
        return Verdict.UNDECIDED if self.uncompared else self.value_verdict or Verdict.UNDECIDED

    @property
    def restriction(self) -> str:
        """The condition on the operands, and on the guards of a block; empty for all."""
        passages = [x for x in map(format_passage, self.programs) if x]
        return " and ".join(filter(None, [self.where, *passages[:1]]))

    def get_values(self, index: int) -> dict[str, int]:
        """Return the counterexample by the names of program 0 or 1."""
        return {own: self.operands[name] for own, name in self.names[index].items()}

    @cached_property
    def traces(self) -> tuple[Trace, Trace]:
        """The two evaluations of the counterexample."""
        return self._make_trace(0), self._make_trace(1)

    def _make_trace(self, index: int) -> Trace:
        program, model = self.programs[index], self.models[index]
        operands = bind_names(program, self.get_values(index))
        return Trace(program, model, operands)

    @cached_property
    def results(self) -> tuple[tuple[int, int], ...]:
        """The results of the counterexample: the two values of each pair."""
        return tuple((self._get_result(x, 0), self._get_result(x, 1)) for x in self.pairs)

    def _get_result(self, pair: tuple[str, str], index: int) -> int:
        """Return the value that program 0 or 1 leaves in a result, even if it is the old value."""
        if self.is_passage(pair):
            values = {**self.operands, **self.get_values(index), **self.traces[index].result}
            return int(all(values[x.name] == x.staying_value for x in self.programs[index].guards))
        if pair[index]:
            return self.traces[index].result[pair[index]]
        own = pair[1 - index]
        return self.operands[self.names[1 - index].get(own, own)]

    def is_passage(self, pair: tuple[str, str]) -> bool:
        """Whether a pair has, instead of results, whether a thread stays in each block."""
        return all(pair) and pair == tuple(map(format_passage, self.programs))

    @property
    def bits(self) -> int:
        """The number of bits of all operands."""
        return sum(type_.bits for type_ in self.inputs.values())


def bind_names(program: BasicBlock, values: Mapping[str, int]) -> dict[str, int]:
    """Return operand bits by role, for the registers that have values and the constants."""
    roles = program.names.items()
    return {**{role: values[name] for role, name in roles if name in values}, **program.constants}


def format_passage(program: BasicBlock) -> str:
    """Return the condition under which a thread stays in a block to its end: ``not p and q``."""
    return " and ".join(x.condition for x in program.guards)
