"""Three instructions that ptxscope does not know: an entry and a lowering each, two with a new
micro-operation.

As a program, it adds them to the catalog before anything else is loaded, runs what it reads from
standard input, a list of command lines and of questions, and writes what they answer.
"""

from __future__ import annotations

import inspect
import io
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from ptxscope.engine.isa import catalog
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.isa.entry import Entry, Group, MinimumVersion, Operand
from ptxscope.engine.isa.form import Form
from ptxscope.engine.isa.grammar import read_syntax
from ptxscope.engine.isa.types import Role, Type
from ptxscope.engine.micro_operations import base
from ptxscope.engine.micro_operations.arithmetic import Arithmetic, LaneValues, V
from ptxscope.engine.micro_operations.base import LaneView, MicroOperation, RowTrace
from ptxscope.engine.micro_operations.merge import Merge, Pack
from ptxscope.engine.micro_operations.numbers import Accumulate, Multiply
from ptxscope.engine.micro_operations.properties import (
    InputBits,
    LaneText,
    Notation,
    Stage,
    make_equation,
)
from ptxscope.engine.micro_operations.selection import Select, Truncate
from ptxscope.engine.semantics import video_lowering
from ptxscope.engine.semantics.plan import Builder
from ptxscope.engine.semantics.rules import Rules

_OWN_BYTES = tuple((0, lane) for lane in range(4))

# --- dp4a: no new micro-operation --------------------------------------------------------

DP4A = Entry(
    *read_syntax("dp4a.atype.btype d, a, b, c"),
    Group.SIMD,
    "9.7.1",
    "c plus the products of four pairs of bytes",
    (
        Operand(Role.D, Type.S32),
        Operand(Role.A, "atype", has_lanes=True),
        Operand(Role.B, "btype", has_lanes=True),
        Operand(Role.C, Type.S32),
    ),
    ("dp4a.s32.u32 d, a, b, c", {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 0}),
    MinimumVersion("5.0", "sm_61"),
    lanes=4,
)


def lower_dp4a(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    factors = []
    for role, type_ in (("a", form.atype), ("b", form.btype)):
        part = b.add_row(Stage.SELECT, role, Select(8, _OWN_BYTES), role)
        factors.append(b.extend(Stage.EXTEND, role, part, 8, type_ is Type.S32))
    t = b.add_row(Stage.OPERATE, "t", Multiply(), *factors)
    c = b.extend(Stage.ACCUMULATE, "c", "c", 32, signed=True)
    t = b.add_row(Stage.ACCUMULATE, "t", Accumulate((0, 1, 2, 3), 4), t, c)
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(32, signed=True), t)}


# --- prmt: a micro-operation whose origins depend on a value -------------------------------

PRMT = Entry(
    *read_syntax("prmt.dtype d, a, b, c", dtype=(Type.B32,)),
    Group.SIMD,
    "9.7.9.7",
    "four bytes, picked from the eight of a and b",
    (
        Operand(Role.D, Type.B32, has_lanes=True),
        Operand(Role.A, Type.B32, has_lanes=True),
        Operand(Role.B, Type.B32, has_lanes=True),
        Operand(Role.C, Type.B32),
    ),
    ("prmt.b32 d, a, b, c", {"a": 0x03020100, "b": 0x07060504, "c": 0xF456}),
    MinimumVersion("2.0", "sm_20"),
    lanes=4,
)


class Permute(MicroOperation):
    """Byte n of {y, x} for each nibble n of z, or copies of its top bit."""

    formula = "permute({x}, {y}, {z})"

    def run(self, ar: Arithmetic[V], *v: V) -> V:
        *words, c = v
        lanes = ar.gather(words, 8, _OWN_BYTES)
        for lane in range(4):
            number = ar.bitand(ar.shift_right(c, 4 * lane), 7)
            byte = ar.gather(words, 8, ((0, 0),))
            for index in range(1, 8):
                other = ar.gather(words, 8, (divmod(index, 4),))
                byte = ar.where(ar.equal(number, index), other, byte)
            sign = ar.multiply(ar.shift_right(byte, 7), 0xFF)
            has_sign = ar.bitand(ar.shift_right(c, 4 * lane + 3), 1)
            lanes = ar.keep(ar.where(has_sign, sign, byte), lanes, (lane,), 8)
        return lanes

    def count_output_lanes(self, input_lanes: int) -> int:
        return 4

    @property
    def part_bits(self) -> int:
        return 8

    def find_origins(
        self, lane: int, low: int, high: int, inputs: tuple[LaneValues, ...]
    ) -> Iterable[InputBits]:
        nibble = inputs[2][0] >> 4 * lane & 15
        word, index = divmod(nibble & 7, 4)
        first, last = (7, 8) if nibble & 8 else (low, min(high, 8))
        yield InputBits(word, 0, 8 * index + first, 8 * index + last)
        yield InputBits(2, 0, 4 * lane, 4 * lane + 4)

    def find_rejected_bits(self, lane: int, inputs: tuple[LaneValues, ...]) -> Iterable[InputBits]:
        return ()

    def describe_lane(self, view: LaneView) -> LaneText:
        nibble = view.inputs[2] >> 4 * view.lane & 15
        word, index = divmod(nibble & 7, 4)
        bits, part = format_hex(view.value, 8), f"{view.names[word]}.b{index}"
        sign = f"the sign of {part}" if nibble & 8 else part
        sentence = f"nibble {view.lane} of {view.names[2]} is {nibble:x}: {sign}, {bits}"
        return LaneText(make_equation(sign, bits), sentence)

    def describe_step(self, rows: object) -> str:
        return "Each nibble of c picks a byte of {b, a}, or with its top bit the byte's sign."

    def get_notation(self, row: RowTrace) -> Notation:
        return Notation(8, is_number=False)


def lower_prmt(b: Builder, _: Form, __: Rules) -> dict[str, str]:
    t = b.add_row(Stage.SELECT, "t", Permute(), "a", "b", "c")
    return {"d": b.add_row(Stage.WRITE, "d", Pack(8), t)}


# --- vrev4, made up: the micro-operation of the documentation -----------------------------

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


ADDED: tuple[tuple[Entry, Callable[[Builder, Form, Rules], dict[str, str]]], ...] = (
    (DP4A, lower_dp4a),
    (PRMT, lower_prmt),
    (VREV4, lower_vrev4),
)


def install() -> None:
    """Add the instructions; nothing that reads the catalog may be loaded yet."""
    for entry, lower in ADDED:
        catalog.CATALOG[entry.opcode] = entry
        catalog.SHAPES[entry.opcode] = (entry,)
        video_lowering.LOWERINGS[entry.opcode] = lower
    entries = (*catalog.ENTRIES, *(entry for entry, _ in ADDED))
    vars(catalog)["ENTRIES"] = entries


def run_command(words: list[str], text: str) -> tuple[int, str, str]:
    """Run a command line; return its status, output and messages."""
    from ptxscope.cli import main

    out, messages = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    with redirect_stdout(out), redirect_stderr(messages):
        status = main(words)
        out.flush()
    return status, out.buffer.getvalue().decode(), messages.getvalue()


def describe_views(line: str, values: dict[str, int], wrong: str) -> dict[str, Any]:
    """Return what lessons and the explorer show of an evaluation."""
    from ptxscope import trace
    from ptxscope.engine.tracing.provenance import find_provenance
    from ptxscope.learn.grader import grade_answer, list_hints
    from ptxscope.learn.question import Question
    from ptxscope.scene.symbolic_scene import build_form_scene
    from ptxscope.widgets.lanes.lane_layout import LanesState, draw

    traced = trace(line, values)
    main_row = next(row for row in traced.rows.values() if row.name == "t")
    question = Question(traced, main_row.key, 0)
    lines = draw(LanesState(traced, len(traced.steps)), 92, 60).lines
    form_rows = build_form_scene(traced).rows.values()
    return {
        "hints": list_hints(question),
        "right": grade_answer(question, str(main_row.values[0])).is_right,
        "wrong": grade_answer(question, wrong).sentences,
        "lanes": ["".join(piece.text for piece in line) for line in lines],
        "form": [str(cell) for row in form_rows for cell in row.cells],
        "provenance": find_provenance(traced, traced.plan.results[0].key, 0, 5, 6),
    }


if __name__ == "__main__":
    install()
    request = json.load(sys.stdin)
    answers = [run_command(words, text) for words, text in request["commands"]]
    views = [describe_views(*arguments) for arguments in request["views"]]
    json.dump({"commands": answers, "views": views}, sys.stdout)
