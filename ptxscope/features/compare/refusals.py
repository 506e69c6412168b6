"""The statements that a comparison of kernels refuses: each by its name, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.program.statement import Statement
from ...engine.syntax.errors import quote_word
from ...engine.syntax.opcodes import ATOMICS, BARRIERS, COLLECTIVES, FENCES

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(FENCES, "a fence"),
    **dict.fromkeys(ATOMICS, "an atomic operation"),
    **dict.fromkeys(COLLECTIVES, "an exchange between threads"),
    **dict.fromkeys(("activemask", "movmatrix"), "an exchange between threads"),
    **dict.fromkeys(("ldmatrix", "stmatrix", "mma", "wmma"), "an operation of a whole warp"),
    "cp": "an asynchronous copy",
    "brx": "a branch by an index",
    "trap": "a trap",
}
_ORDERS = frozenset(("volatile", "relaxed", "acquire", "release", "mmio"))
"""The modifiers of accesses by which threads may communicate."""
_ONE_THREAD = "--where 'ntid.x * ntid.y * ntid.z == 1'"


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """A kernel has a statement that is not compared. Its text is a clause without the line."""

    def __init__(self, statement: Statement, reason: str = "", side: str = "") -> None:
        """``reason`` completes a sentence about the statement; by default, nothing models it."""
        super().__init__(f" {reason}" if reason else f": {statement.explain_omission()}")
        self.statement = statement
        self.side = side
        """The letter of the kernel."""
        self.loop_names: tuple[str, ...] = ()
        """The parameters and the sizes of the launch on which the turns of a loop depend."""

    def __str__(self) -> str:
        return f"{quote_word(self.statement.text)}{self.args[0]}"


def check_kind(statement: Statement, *, has_one_thread: bool) -> None:
    """Raise Refused for a statement by which threads communicate, or leave the kernel.

    ``has_one_thread`` is whether each block has one thread, for which no barrier waits.
    """
    if statement.opcode in BARRIERS:
        is_plain = "sync" in statement.modifiers and len(statement.operands) == 1
        if not is_plain:
            raise Refused(statement, "is a barrier, which is not compared")
        if not has_one_thread:
            raise Refused(statement, "is a barrier, which is compared in blocks of one thread "
                          f"only: {_ONE_THREAD}")  # fmt: skip
    kind = _KINDS.get(statement.opcode)
    if kind:
        raise Refused(statement, f"is {kind}, which is not compared")
    orders = _ORDERS & {*statement.modifiers}
    if statement.opcode in ("ld", "st") and orders:
        raise Refused(statement, f"is .{min(orders)}: accesses by which threads communicate "
                      "are not compared")  # fmt: skip
