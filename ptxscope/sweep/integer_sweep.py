"""A sweep of one register part on integers: all that a page has, which is without NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..engine.semantics.models import Model
from ..engine.semantics.plan_execution import compute_results
from .axis import SweepAxis
from .register_parts import RegisterPart, Swept, make_swept_plan


@dataclass(eq=False)
class IntegerSweep:
    """What is swept, and what is shown of it. ``Sweep`` is one with arrays."""

    instruction: Swept
    """The instruction, or the block of several."""
    model: Model
    operands: Mapping[str, int]
    """Bits by role; swept operands have those of the current point."""
    x: SweepAxis
    y: SweepAxis | None
    result_part: RegisterPart
    """The part of the result that the sweep shows."""
    has_current_point: bool = True
    """Whether there is a current point."""

    @property
    def current_point(self) -> tuple[int | None, int | None]:
        """Indices of the current point along x and y; None if it is not among the values."""
        if not self.has_current_point:
            return None, None
        x_index = self.x.find_index(self.x.part.extract(self.operands[self.x.part.role]))
        if self.y is None:
            return x_index, None
        return x_index, self.y.find_index(self.y.part.extract(self.operands[self.y.part.role]))

    def compute_line(self) -> list[int]:
        """Return the bits of the result's part for each value of x."""
        plan, part, result = (
            make_swept_plan(self.instruction, self.model),
            self.x.part,
            self.result_part,
        )
        names = self.instruction.names
        roles = [role for role in self.operands if names.get(role) == part.name]
        line = []
        for index in range(self.x.size):
            bits = self.x.get_value(index)
            swept = {role: part.insert(self.operands[role], bits) for role in roles}
            line.append(
                result.extract(compute_results(plan, {**self.operands, **swept})[result.role])
            )
        return line
