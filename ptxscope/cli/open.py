"""``ptxscope open``: the explorer in the terminal."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from . import CommandError
from .arguments import (
    add_instruction,
    add_model,
    bits_by_name,
    chosen_model,
    instruction,
    parsed,
    parser,
)

_EPILOG = """\
examples:
  ptxscope
  ptxscope open 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
"""


def run(words: Sequence[str]) -> int:
    """Open the explorer, on an instruction if there is one."""
    gc.disable()  # what is made while starting stays: see Explorer.on_ready
    arguments = parser("open", "Explore an instruction in the terminal.", _EPILOG)
    add_instruction(arguments, optional=True)
    add_model(arguments)
    chosen = parsed(arguments, words)
    model = chosen_model(chosen.model)
    ins = None if chosen.ptx is None else instruction(chosen.ptx)
    values = bits_by_name(ins, chosen.values) if ins else {}
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        raise CommandError("error: the explorer needs a terminal; `ptxscope trace` prints to any")
    from ..app import Explorer
    from ..store import Store

    app = Explorer(ins, values, model.name, Store())
    try:
        app.run()
    finally:
        app.keep()
    return app.return_code or 0
