"""Traces to export: every instruction in both models, and hostile text."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ptxscope import Trace, parse, trace, trace_block
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.syntax.errors import make_printable
from ptxscope.engine.tracing.annotations import Annotations, Note
from tests.driving.command_line import run

MODELS = ("isa", "ptxas")


def example(opcode: str, model: str = "isa") -> Trace:
    ptx, values = CATALOG[opcode].example
    return trace(ptx, values, model=model)


EXAMPLES = [(opcode, model) for opcode in CATALOG for model in MODELS]
E2 = trace("vadd.u32.u32.u32.sat d, a, b", {"a": 0xFFFFFFFF, "b": 1})
E3 = trace("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", {"%1": 0xFFFFFFFF, "%2": 0, "%3": 0x11223344})
BLOCK_PTX = "{ brev.b32 r, a; vadd.u32.s32.s32.sat t.b0, a, b, c; prmt.b32 d, t, r, 0x0123; }"
BLOCK_VALUES = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
BLOCK = trace_block(BLOCK_PTX, BLOCK_VALUES)
"""d is 0x00332211; by E3, whose .sat wraps what is negative, byte 0 of t is 255, d 0xff332211."""
QUAD = trace("vadd4.s32.s32.u32.sat d, a, b, c", {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0})
"""Saturates to 0x7f7f017f; until then its lanes are 128, 127, 1, 129."""
SCALED_WORDS = ("vmad.s32.s32.s32.sat.shr15 d, a, b, c", "a=-9", "b=7", "c=1")
SCALED = trace(SCALED_WORDS[0], {"a": 0xFFFFFFF7, "b": 7, "c": 1})
LANES = trace_block(
    "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }",
    {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF},
)
HOSTILE = (
    "</svg></article><script>alert(1)</script>",
    "a | b || c",
    "`x` ``y`` ```\n# head",
    "\x1b[31mred\x1b[0m \x07 \x9b",
    "[a] [/x] [red] *b* _i_ ![i](j) <b>",
    "-->  ]]> &amp; &#60; \" '",
    "עברית العربية 🏳️‍🌈 \u202e evil",
    "x" * 10_000,
)


def read_pictures(folder: Path) -> dict[str, str]:
    """The commands of the golden pictures of a folder, by their names."""
    lines = (folder / "pictures.txt").read_text("utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


PICTURES = read_pictures(Path(__file__).parent)


def draw_golden(command_line: str) -> str:
    """A golden picture as the command line draws it, without a version."""
    command, *words = shlex.split(command_line)
    made = run(command, *words, "-f", "svg", *["--no-footer"] * (command == "trace"))
    assert made.stderr == ""
    return made.stdout


def is_as_it_was(document: str, snapshot: SnapshotAssertion, ending: str) -> bool:
    """Return whether a document equals its golden file, which has an ending."""

    class Document(SingleFileSnapshotExtension):
        _write_mode = WriteMode.TEXT
        file_extension = ending

    return bool(document == snapshot.use_extension(Document))


def kept(text: str) -> str:
    """A writer's text as documents show it: only what could do something is made visible."""
    return text.replace("\u202e", "\ufffd") if "\u202e" in text else make_printable(text)


def annotated(trace_: Trace, text: str) -> Trace:
    """The trace with a text in every place where a writer can put one."""
    stage = trace_.steps[0].stage
    notes = (Note(text, stage), Note(text, None, 0), Note(text, Stage.WRITE, 0))
    return replace(trace_, annotations=Annotations(text, text, notes))


def register(text: str) -> Trace:
    """A trace whose registers have the most awkward names that PTX allows."""
    return trace(parse(f"vadd4.u32.u32.u32 {text}, %a$_, $b, %c"), {"%a$_": 1, "$b": 2, "%c": 3})
