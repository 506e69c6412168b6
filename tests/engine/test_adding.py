"""Another instruction takes an entry in the catalog and a lowering; no view guesses about it.

The instruction is ``dp4a``, which ptxscope does not know yet. Values are from the team's reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxscope.engine.diagnosis.findings import find_lane_verdicts, investigate
from ptxscope.engine.diagnosis.observation import Observation, make_observed
from ptxscope.engine.isa import catalog
from ptxscope.engine.isa.catalog import find_entry
from ptxscope.engine.isa.entry import Entry, Group, Operand
from ptxscope.engine.isa.form import Form
from ptxscope.engine.isa.roles import Role
from ptxscope.engine.isa.slots import ATYPE, BTYPE
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.merge import Accumulate
from ptxscope.engine.micro_operations.numbers import Multiply
from ptxscope.engine.micro_operations.saturation import Truncate
from ptxscope.engine.micro_operations.selection import Select
from ptxscope.engine.micro_operations.stage import Stage
from ptxscope.engine.records import replace
from ptxscope.engine.semantics import lowering
from ptxscope.engine.semantics.models import parse_model
from ptxscope.engine.semantics.plan import Builder
from ptxscope.engine.semantics.rules import Rules
from ptxscope.engine.syntax import parser
from ptxscope.engine.syntax.instruction import Guard, Immediate, Instruction, Register
from ptxscope.engine.syntax.modifiers import parse_modifiers
from ptxscope.engine.syntax.opcodes import OPCODES
from ptxscope.engine.syntax.tokens import find_statements
from ptxscope.engine.tracing.evaluation import evaluate
from ptxscope.engine.tracing.trace import Trace, trace
from ptxscope.export import export
from ptxscope.export.options import Options
from ptxscope.scene.scene_builder import build_scene
from tests.cli.running import run
from tests.export import every

DP4A = Entry(
    "dp4a",
    Group.SIMD,
    "9.7.1",
    "c plus the products of four pairs of bytes",
    (ATYPE, BTYPE),
    (
        Operand(Role.D, Type.S32),
        Operand(Role.A, "atype", has_lanes=True),
        Operand(Role.B, "btype", has_lanes=True),
        Operand(Role.C, Type.S32),
    ),
    (),
    (),
    ("dp4a.s32.u32 d, a, b, c", {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 0}),
    "5.0",
    "sm_61",
    lanes=4,
)
KNOWN = (
    (Type.U32, Type.U32, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x3F803),
    (Type.S32, Type.U32, 0xFF0180FF, 0x102FFFF, 0, 0xFFFF7F82),
    (Type.S32, Type.S32, 0x80808080, 0x80808080, 0x7FFFFFFF, 0x8000FFFF),
)


def _lowered(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    own = tuple((0, lane) for lane in range(4))
    read = []
    for role, type_ in (("a", form.atype), ("b", form.btype)):
        picked = b.add_row(Stage.SELECT, role, Select(8, own), role)
        read.append(b.extend(Stage.EXTEND, role, picked, 8, type_ is Type.S32))
    t = b.add_row(Stage.OPERATE, "t", Multiply(), *read)
    c = b.extend(Stage.ACCUMULATE, "c", "c", 32, signed=True)
    t = b.add_row(Stage.ACCUMULATE, "t", Accumulate((0, 1, 2, 3), 4), t, c)
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(32, signed=True), t)}


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalog.CATALOG, "dp4a", DP4A)
    monkeypatch.setitem(catalog._SHAPES, "dp4a", (DP4A,))
    monkeypatch.setitem(lowering._BY_OPCODE, "dp4a", _lowered)


def _dp4a(atype: Type, btype: Type) -> Instruction:
    form = Form("dp4a", atype=atype, btype=btype, c=True)
    return Instruction(form, ("d",), (Register("a"), Register("b"), Register("c")))


@pytest.mark.parametrize(("atype", "btype", "a", "b", "c", "d"), KNOWN)
def test_it_computes(atype: Type, btype: Type, a: int, b: int, c: int, d: int) -> None:
    ins = _dp4a(atype, btype)
    assert str(ins) == f"dp4a.{atype}.{btype} d, a, b, c;"
    values = {"a": a, "b": b, "c": c}
    assert evaluate(ins, values) == trace(ins, values).result == {"d": d}
    every.check(trace(ins, values), Options(standalone=True))


@pytest.mark.parametrize("engine", ["numpy", "llvm"])
@pytest.mark.parametrize(("atype", "btype"), [case[:2] for case in KNOWN])
def test_it_computes_arrays(atype: Type, btype: Type, engine: str) -> None:
    if engine == "llvm":
        pytest.importorskip("llvmlite")
    ins = _dp4a(atype, btype)
    rng = np.random.default_rng(4)
    values = {name: rng.integers(0, 1 << 32, 300, np.uint32) for name in "abc"}
    (known,) = (case for case in KNOWN if case[:2] == (atype, btype))
    for name, bits in zip("abc", known[2:], strict=False):
        values[name][0] = bits
    found: Any = evaluate(ins, values, engine=engine)["d"]
    assert found[0] == known[5]
    assert found.tolist() == [
        evaluate(ins, {name: int(values[name][at]) for name in "abc"})["d"] for at in range(300)
    ]


def test_it_computes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "OPCODES", OPCODES | {"dp4a"})
    for atype, btype, a, b, c, d in KNOWN:
        table = f"a,b,c\n{a:#x},{b:#x},{c:#x}\n"
        done = run("eval", f"dp4a.{atype}.{btype} d, a, b, c", "--csv", "-", given=table)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[1].endswith(f"{d:#010x}")


def test_it_is_found_and_its_modifiers_are_read() -> None:
    (statement,) = find_statements("dp4a.s32.u32 d, a, b, c;", frozenset(("dp4a",)))
    entry = find_entry("dp4a", [word.text[1:] for word in statement.modifiers])
    assert entry is DP4A
    found = parse_modifiers(entry, statement.modifiers, 0)
    assert (found.values, found.problems) == ({"atype": Type.S32, "btype": Type.U32}, ())


def test_its_operands_are_lanes_where_the_catalog_says_so() -> None:
    ins = _dp4a(Type.S32, Type.U32)
    assert [role for role in "abcd" if ins.has_lanes(role)] == ["a", "b"]
    assert [ins.count_lanes(role) for role in "abcd"] == [4, 4, 1, 1]
    tr = trace(ins, {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 7})
    text = export(tr)
    assert "[-1, 1, -128, -1]" in text
    assert "[1, 2, 255, 255]" in text
    assert "0x00000007  7\n" in text
    assert "0xffff7f89  -32887\n" in text
    parts = {x.role: [str(cell) for cell in x.cells] for x in build_scene(tr).registers}
    assert [text.split()[0] for text in parts["a"]] == ["ff", "01", "80", "ff"]
    assert parts["c"] == ["00000007"]


def test_no_sentence_names_a_modifier_that_it_does_not_have() -> None:
    ins = replace(_dp4a(Type.S32, Type.S32), guard=Guard("p", negated=True))
    tr = Trace(ins, parse_model("isa"), {"a": 1, "b": 2, "c": 3, "guard": 0, "d": 4})
    assert tr.result == {"d": 5}
    for format_ in ("text", "markdown", "svg", "html"):
        assert ".add" not in export(tr, format_)
        assert "mask" not in export(tr, format_)


def test_a_literal_may_stand_for_lanes() -> None:
    ins = _dp4a(Type.U32, Type.U32)
    ins = replace(ins, sources=(Register("a"), Immediate(0x01010101, "0x01010101"), Register("c")))
    assert trace(ins, {"a": 0x01020304, "c": 0}).result == {"d": 10}


def test_a_surprise_is_explained_though_there_is_no_selector_to_solve() -> None:
    ins = _dp4a(Type.S32, Type.U32)
    operands = {"a": 0xFF0180FF, "b": 0x102FFFF, "c": 0}
    wrong = evaluate(_dp4a(Type.U32, Type.U32), operands)["d"]
    seen = Observation(operands, {"d": make_observed(int(wrong), 32)})
    diagnosis = investigate(ins, (seen,))
    assert diagnosis.findings
    assert find_lane_verdicts(diagnosis)[:2] == (32, ())
