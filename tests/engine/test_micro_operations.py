"""The micro-operations: each is described and drawn in every format, and is a frozen record."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import ENTRIES, pick_entry_form
from ptxscope.engine.micro_operations import drawings
from ptxscope.engine.micro_operations.logic import ToFloat
from ptxscope.engine.micro_operations.merge import Merge
from ptxscope.engine.micro_operations.numbers import Add
from ptxscope.engine.micro_operations.properties import Flag, Stage
from ptxscope.engine.micro_operations.saturation import Clamp, Wrap
from ptxscope.engine.micro_operations.selection import Extend
from ptxscope.engine.semantics.models import MISCONCEPTIONS, Model, parse_model
from ptxscope.engine.syntax.instruction import Guard
from ptxscope.engine.syntax.parser import parse
from ptxscope.engine.tracing import step_text
from ptxscope.engine.tracing.trace import Trace, make_trace
from ptxscope.scene.scene_model import LaneRef
from ptxscope.widgets.lanes.lane_layout import LanesState, draw
from tests.driving import every
from tests.strategies import FAMILIES, KINDS, instruction_of
from tests.tiers import ci_only


def _samples() -> Iterable[Trace]:
    """Traces that together have every pair of a stage and a kind that random forms lead to."""
    rng, seen = Random(0), set[tuple[Stage, type]]()
    ours = [
        parse_model("isa"),
        parse_model("ptxas-13.0"),
        *(Model(x.id, (x,)) for x in MISCONCEPTIONS),
    ]
    fused = parse_block("{ prmt.b32 t, a, b, 0x8888; and.b32 d, t, 255; }").statements[-1]
    yield make_trace(fused.instruction, parse_model("ptxas-13.0"), {"a": 0x80FF7F01, "b": 0xFF})
    for entry in ENTRIES:
        for number in range(60):
            ins = instruction_of(pick_entry_form(entry, rng))
            if entry.opcode == "bfe" and number == 0:
                ins = parse("bfe.s32 d, a, 40, 3")  # E15 depends on literals
            if rng.random() < 0.3 and ins.results:
                ins = replace(ins, guard=Guard("r", rng.random() < 0.5))
            for rules in ours:
                trace = make_trace(ins, rules, {})
                pairs = {(row.stage, type(row.micro)) for row in trace.plan.rows}
                if not pairs <= seen:
                    seen |= pairs
                    bits = {x.role: rng.getrandbits(x.type.bits) for x in trace.plan.sources}
                    yield make_trace(ins, rules, bits)


@ci_only
def test_every_micro_operation_is_in_a_plan_and_described_and_drawn() -> None:
    kinds = set[type]()
    for trace in _samples():
        found = {type(row.micro) for row in trace.rows.values()}
        for step in trace.steps:
            assert step_text.format_title(step)
            assert step_text.describe_step(step)
        if not found <= kinds:
            every.check(trace, Options(standalone=True))
        kinds |= found
        lines = draw(LanesState(trace, len(trace.steps)), 100, 80).lines
        targets = (piece.target for line in lines for piece in line)
        drawn = {target.key for target in targets if isinstance(target, LaneRef)}
        assert drawn >= trace.rows.keys()
    assert kinds == KINDS


def test_the_families_load_every_kind() -> None:
    """In another process: here, other tests have loaded modules too."""
    name = "ptxscope.engine.micro_operations"
    program = (
        f"import sys, {', '.join(FAMILIES)}\n"
        f"print(*(x for x in sys.modules if x.startswith('{name}.')))"
    )
    words = [sys.executable, "-c", program]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    folder = Path(drawings.__file__).parent
    assert {*loaded} >= {f"{name}.{x.stem}" for x in folder.glob("[!_]*.py")}


def test_names_of_kinds_are_unique_and_titles_fit_their_column() -> None:
    assert len({kind.operation for kind in KINDS}) == len(KINDS)
    assert all(len(kind.title) <= 12 for kind in KINDS if kind.about)


def test_micro_operations_differ_by_class_and_fields() -> None:
    bare = [kind() for kind in KINDS if not fields(kind)]
    assert len(bare) > 10
    assert all(bare)
    assert all(x != y for x, y in combinations(bare, 2))
    assert Add() == Add()
    assert Extend(8, True) == Extend(8, signed=True)
    assert len({Extend(8, True), Wrap(8, True)}) == 2
    assert Extend(8, True) != Extend(8, False)
    assert hash(Extend(8, True)) == hash(Extend(signed=True, bits=8))
    assert len({Extend(8, True), Wrap(8, True), Extend(8, True)}) == 2


def test_a_missing_field_has_its_default() -> None:
    assert Merge(8, (0,), True) == Merge(8, (0,), True, high=False)
    assert repr(Merge(8, (0,), True)) == "Merge(unit=8, lanes=(0,), signed=True, high=False)"
    assert pickle.loads(pickle.dumps(Clamp(0, None))) == Clamp(0, None)


def test_a_micro_operation_is_frozen() -> None:
    micro = Extend(8, True)
    with pytest.raises(AttributeError):
        micro.bits = 16  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del micro.bits
    assert micro == Extend(8, True)


def test_a_number_of_more_than_24_significant_bits_is_rounded() -> None:
    rounded = ((1 << 24) + 1, -(1 << 24) - 1, (1 << 31) - 1)
    for value in (*rounded, (1 << 24) - 1, 1 << 24, -(1 << 31), 0):
        flags = [Flag.ROUNDED] * (value in rounded)
        assert list(ToFloat().find_lane_flags(0, ((value,),), 0)) == flags
