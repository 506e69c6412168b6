"""Entry points of sweep, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ptxscope import PtxError, parse
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.features.sweep.register_parts import parse_swept_part

_BLOCK = make_block(parse("vadd4.s32.s32.s32.sat d, a, b, c;"))


def _lane(text: str) -> object:
    with suppress(PtxError):
        return parse_swept_part(_BLOCK, text)
    return None


ENTRIES: dict[str, Callable[[str], object]] = {
    "lanes": _lane,
}
