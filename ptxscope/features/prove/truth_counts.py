"""The number of operands for which a truth holds, by trying all of them on arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...engine.arrays.block_runner import OBJECTS, Objects
from ...engine.ir.tape import Node, Op, apply_operation


def count_truths(nodes: Iterable[Node], truth: Node, widths: Mapping[tuple[str, int], int]) -> int:
    """Return the number of operands for which a node is 1, over all values of some bytes.

    ``widths`` has the bits of each byte by its operand and number; other bytes are 0. ``nodes``
    are all that the truth depends on, each after its arguments.
    """
    operands: dict[str, Objects] = {}
    numbers, shift = np.arange(1 << sum(widths.values())), 0
    for (role, index), width in widths.items():
        part = (numbers >> shift & (1 << width) - 1).astype(object) << 8 * index
        operands[role] = operands.get(role, 0) + part
        shift += width
    values: dict[Node | int, Objects | int] = {}
    for x in nodes:
        if x.op is Op.SOURCE:
            values[x] = operands.get(x.fixed[0], numbers.astype(object) * 0)[np.newaxis]
        else:
            args = [y if isinstance(y, int) else values[y] for y in x.args]
            values[x] = apply_operation(OBJECTS, x.op, args, x.fixed)
    return int(np.count_nonzero(values[truth]))
