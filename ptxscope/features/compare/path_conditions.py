"""The conditions of paths: truths of a tape, of which None is always true."""

from __future__ import annotations

from ...engine.ir.tape import Node, Op
from ..prove.proof_question import ProofQuestion


class PathConditions:
    """Combines conditions on one tape; those that are opposite are seen to be."""

    def __init__(self, question: ProofQuestion) -> None:
        self._question, self._tape = question, question.tape

    def both(self, x: Node | None, y: Node | None) -> Node | None:
        """Return whether two conditions hold."""
        if x is None or y is None or x is y:
            return y if x is None else x
        for one, other in ((x, y), (y, x)):
            if one.range.low == one.range.high:
                return other if one.range.low else one
        last = x.args[1] if x.op is Op.MINIMUM else None
        if last is y:
            return x
        if self._are_opposite(x, y) or self._are_opposite(last, y):
            return self._question.make_constant(0)
        return self._tape.minimum(x, y)

    def negate(self, x: Node) -> Node:
        """Return whether a condition does not hold."""
        if x.op is Op.EQUAL and x.args[1] == 0:
            inner = x.args[0]
            if isinstance(inner, Node) and inner.is_truth:
                return inner
        return self._tape.equal(x, 0)

    def _are_opposite(self, x: Node | int | None, y: Node | int | None) -> bool:
        return isinstance(x, Node) and isinstance(y, Node) and (
            self.negate(x) is y or self.negate(y) is x
        )  # fmt: skip

    def either(self, x: Node, y: Node) -> tuple[Node | None, Node]:
        """Return whether one of two conditions holds, and the condition that tells which."""
        if self._are_opposite(x, y):
            return None, x
        is_pair = x.op is Op.MINIMUM and y.op is Op.MINIMUM and x.args[0] is y.args[0]
        if is_pair and self._are_opposite(x.args[1], y.args[1]):
            return x.nodes[0], x.nodes[1]
        for one, other in ((x, y), (y, x)):  # c and d, or not c
            if one.op is Op.MINIMUM and self._are_opposite(one.args[0], other):
                joined = self._tape.maximum(other, one.nodes[1])
                return joined, x
        return self._tape.maximum(x, y), x
