"""Launches: the grid, its blocks and threads, and the special registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

WARP = 32
"""Threads in a warp."""
_MAX_WAVE = 1 << 13
"""Threads that run at once, unless one block has more."""
_MAX_WAVE_BYTES = 1 << 25
"""Bytes of local and shared memory of the blocks that run at once, unless one needs more."""
_MAX_BLOCK = 1024
_MAX_BLOCK_SHAPE = (1024, 1024, 64)
_MAX_GRID_SHAPE = ((1 << 31) - 1, 65535, 65535)
_AXES = "xyz"

Shape = tuple[int, int, int]
Words = npt.NDArray[np.uint32]


class LaunchShape(NamedTuple):
    """The shape of a grid and of its blocks."""

    grid: Shape = (1, 1, 1)
    block: Shape = (1, 1, 1)
    dynamic_shared_bytes: int = 0

    @property
    def block_size(self) -> int:
        """Threads in a block."""
        x, y, z = self.block
        return x * y * z

    @property
    def padded_size(self) -> int:
        """The lanes of a block: a multiple of 32."""
        return -(-self.block_size // WARP) * WARP

    @property
    def block_count(self) -> int:
        """Blocks in the grid."""
        x, y, z = self.grid
        return x * y * z

    @property
    def thread_count(self) -> int:
        """Threads in the grid."""
        return self.block_count * self.block_size

    def check(self) -> None:
        """Raise ValueError if no GPU can launch this."""
        for name, shape, limits in (
            ("block", self.block, _MAX_BLOCK_SHAPE),
            ("grid", self.grid, _MAX_GRID_SHAPE),
        ):
            for axis, count, limit in zip(_AXES, shape, limits, strict=True):
                if not 1 <= count <= limit:
                    raise ValueError(f"{name} has {count} along {axis}; 1 to {limit} are possible")
        if self.block_size > _MAX_BLOCK:
            raise ValueError(f"a block has {self.block_size} threads; at most {_MAX_BLOCK}")
        if self.dynamic_shared_bytes < 0:
            raise ValueError(f"dynamic shared memory can't have {self.dynamic_shared_bytes} bytes")

    def iter_waves(self, local_bytes: int, shared_bytes: int) -> Iterator[Wave]:
        """Yield the blocks in groups that run together.

        They are fewer if a thread needs much local, or a block much shared memory.
        """
        block_bytes = local_bytes * self.padded_size + shared_bytes
        count = max(min(_MAX_WAVE // self.padded_size, _MAX_WAVE_BYTES // max(block_bytes, 1)), 1)
        for start in range(0, self.block_count, count):
            yield Wave(self, range(start, min(start + count, self.block_count)))

    def find_thread_number(self, thread: Shape, block: Shape) -> int:
        """Return the number, of all threads of the grid, of a thread of a block."""
        numbers = [
            x + shape[0] * (y + shape[1] * z)
            for (x, y, z), shape in ((block, self.grid), (thread, self.block))
        ]
        return numbers[0] * self.block_size + numbers[1]

    def format_thread(self, number: int) -> str:
        """Return ``thread (5,0,0) of block (1,0,0)`` for the number of a thread of the grid."""
        block, thread = divmod(number, self.block_size)
        block_text, thread_text = (
            f"({','.join(map(str, _split_number(number, shape)))})"
            for number, shape in ((block, self.grid), (thread, self.block))
        )
        return f"thread {thread_text} of block {block_text}"


def _split_number(number: Any, shape: Shape) -> tuple[Any, Any, Any]:
    """Return the three coordinates of a number, or of an array of numbers, in a shape."""
    x, y, _ = shape
    return number % x, number // x % y, number // x // y


class Wave:
    """Some blocks whose threads run at once, each in a lane.

    Lanes of a block are side by side, and their number is a multiple of 32: those after the block's
    last thread never act. The blocks may be there several times, as replicas with a global memory
    of their own, and have only some of their threads if these exchange nothing.
    """

    def __init__(
        self,
        shape: LaunchShape,
        blocks: Sequence[int],
        *,
        replica_count: int = 1,
        numbers: Sequence[int] | None = None,
    ) -> None:
        """``numbers`` are the threads' in each block; all by default."""
        self.shape, self.replica_count = shape, replica_count
        block_lanes = np.arange(shape.padded_size) if numbers is None else np.array(numbers)
        self.slot_count = replica_count * len(blocks)
        """Blocks of all replicas."""
        self.lane_count = self.slot_count * len(block_lanes)
        self.slots = np.arange(self.lane_count) // len(block_lanes)
        """The position of each lane's block in the wave."""
        self.replicas = self.slots // len(blocks)
        """The replica of each lane."""
        self.numbers = np.tile(block_lanes, self.slot_count)
        """The number of each lane's thread in its block."""
        self.has_thread = self.numbers < shape.block_size
        self.block_numbers = np.array(blocks)[self.slots % len(blocks)]
        self.threads = self.block_numbers * shape.block_size + self.numbers
        """The number of each lane's thread in the grid."""

    def make_special_register(self, name: str) -> Words | int | None:
        """Return a special register: one word for each lane or for all; None if it is unknown."""
        base, _, axis = name.removeprefix("%").partition(".")
        shapes = {"ntid": self.shape.block, "nctaid": self.shape.grid}
        shapes["nclusterid"] = self.shape.grid
        shapes["cluster_nctaid"] = (1, 1, 1)
        if axis:
            index = _AXES.find(axis)
            if index < 0:
                return 0 if base in ("tid", "ctaid") else 1
            if base in shapes:
                return shapes[base][index]
            if base == "tid":
                numbers, shape = self.numbers, self.shape.block
            elif base in ("ctaid", "clusterid"):
                numbers, shape = self.block_numbers, self.shape.grid
            else:
                return 0 if base == "cluster_ctaid" else None
            coordinates: Words = _split_number(numbers, shape)[index].astype(np.uint32)
            return coordinates
        lane_ids = self.numbers % WARP
        constants = {
            "nwarpid": self.shape.padded_size // WARP,
            "cluster_ctarank": 0,
            "cluster_nctarank": 1,
            "is_explicit_cluster": 0,
            "dynamic_smem_size": self.shape.dynamic_shared_bytes,
        }
        if base in constants:
            return constants[base]
        arrays = {
            "laneid": lane_ids,
            "warpid": self.numbers // WARP,
            "lanemask_eq": 1 << lane_ids,
            "lanemask_lt": (1 << lane_ids) - 1,
            "lanemask_le": (2 << lane_ids) - 1,
            "lanemask_gt": -(2 << lane_ids),
            "lanemask_ge": -(1 << lane_ids),
        }
        return (arrays[base] & 0xFFFFFFFF).astype(np.uint32) if base in arrays else None
