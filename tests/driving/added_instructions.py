"""An instruction that ptxscope does not know: an entry, a lowering and a micro-operation.

As a program, it adds it to the catalog before anything else is loaded, runs what it reads from
standard input, a list of command lines and of questions, and writes what they answer.
"""

from __future__ import annotations

import inspect
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from random import Random
from textwrap import dedent
from typing import Any

from ptxscope.engine.isa import catalog
from ptxscope.engine.isa.entry import Entry, Group, MinimumVersion, Operand
from ptxscope.engine.isa.grammar import read_syntax
from ptxscope.engine.isa.types import Form, Role
from ptxscope.engine.micro_operations import base
from ptxscope.engine.micro_operations.base import MicroOperation
from ptxscope.engine.micro_operations.merge import Merge, Pack
from ptxscope.engine.micro_operations.properties import (
    Stage,
)
from ptxscope.engine.micro_operations.selection import Select
from ptxscope.engine.semantics import video_lowering
from ptxscope.engine.semantics.plan import Builder
from ptxscope.engine.semantics.rules import Rules


def reverse_bytes(a: int) -> int:
    """Return what the instruction computes, from strings of digits."""
    return int("".join(f"{byte:08b}"[::-1] for byte in a.to_bytes(4)), 2)


_RNG = Random(0)
LINE = "vrev4.u32 d, a"
OPERANDS = [0x06010380, 0, 0xFFFFFFFF, *(_RNG.getrandbits(32) for _ in range(20))]
RESULT = reverse_bytes(OPERANDS[0])

_OWN_BYTES = tuple((0, lane) for lane in range(4))

VREV4 = Entry(
    *read_syntax("vrev4.atype d, a"),
    Group.SIMD,
    "0",
    "the bits of each byte in reverse order",
    (
        Operand(Role.D, "atype", has_lanes=True),
        Operand(Role.A, "atype", has_lanes=True),
    ),
    ("vrev4.u32 d, a", {"a": 0x06010380}),
    MinimumVersion("9.0", "sm_90"),
    lanes=4,
)


def make_worked_example() -> type[MicroOperation]:
    """Return the class of the docstring of ``MicroOperation``."""
    lines = inspect.cleandoc(MicroOperation.__doc__ or "").split("\n")
    start = lines.index("    @dataclass(frozen=True)")
    end = next(i for i, line in enumerate(lines) if i > start and line and line[0] != " ")
    names = {**vars(base), "dataclass": dataclass}
    exec("from __future__ import annotations\n" + dedent("\n".join(lines[start:end])), names)
    kind: type[MicroOperation] = names["ReverseBits"]
    return kind


ReverseBits: Any = make_worked_example()


def lower_vrev4(b: Builder, _: Form, __: Rules) -> dict[str, str]:
    part = b.add_row(Stage.SELECT, "a", Select(8, _OWN_BYTES), "a")
    x = b.extend(Stage.EXTEND, "a", part, 8, signed=False)
    t = b.add_row(Stage.OPERATE, "t", ReverseBits(8), x)
    t = b.add_row(Stage.MERGE, "t", Merge(8, (0, 1, 2, 3), signed=False), t)
    return {"d": b.add_row(Stage.WRITE, "d", Pack(8), t)}


def install() -> None:
    """Add the instruction; nothing that reads the catalog may be loaded yet."""
    catalog.CATALOG[VREV4.opcode] = VREV4
    catalog.SHAPES[VREV4.opcode] = (VREV4,)
    video_lowering.LOWERINGS[VREV4.opcode] = lower_vrev4
    vars(catalog)["ENTRIES"] = (*catalog.ENTRIES, VREV4)


def run_command(words: list[str], text: str) -> Answer:
    """Run a command line; return its status, output and messages."""
    from ptxscope.cli import main

    out, messages = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    with redirect_stdout(out), redirect_stderr(messages):
        status = main(words)
        out.flush()
    return status, out.buffer.getvalue().decode(), messages.getvalue()


def describe_views(line: str, a: int) -> dict[str, Any]:
    """Return what lessons and the explorer show of an evaluation; 128 is a wrong answer."""
    from ptxscope import trace
    from ptxscope.engine.tracing.provenance import find_provenance
    from ptxscope.learn.grader import grade_answer, list_hints
    from ptxscope.learn.question import Question
    from ptxscope.scene.symbolic_scene import build_form_scene
    from ptxscope.widgets.lanes.lane_layout import LanesState, draw

    traced = trace(line, {"a": a})
    main_row = next(row for row in traced.rows.values() if row.name == "t")
    question = Question(traced, main_row.key, 0)
    lines = draw(LanesState(traced, len(traced.steps)), 92, 60).lines
    form_rows = build_form_scene(traced).rows.values()
    return {
        "hints": list_hints(question),
        "right": grade_answer(question, str(main_row.values[0])).is_right,
        "lanes": ["".join(piece.text for piece in line) for line in lines],
        "form": [str(cell) for row in form_rows for cell in row.cells],
        "provenance": find_provenance(traced, traced.plan.results[0].key, 0, 5, 6),
    }


Answer = tuple[int, str, str]
"""The status, output and messages of a command."""


def ask_process(commands: Mapping[str, tuple[list[str], str]]) -> dict[str, Any]:
    """Return the Answer of each command, of words and input, and the views, by name."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.driving.added_instructions"],
        input=json.dumps({"commands": [*commands.values()], "line": LINE, "a": OPERANDS[0]}),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return {**dict(zip(commands, found["commands"], strict=True)), **found["views"]}


if __name__ == "__main__":
    install()
    request = json.load(sys.stdin)
    answers = [run_command(words, text) for words, text in request["commands"]]
    views = describe_views(request["line"], request["a"])
    json.dump({"commands": answers, "views": views}, sys.stdout)
