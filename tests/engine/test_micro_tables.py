"""Every micro-operation is spoken of and drawn wherever a table has a place for each."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from importlib.resources import files
from itertools import combinations
from random import Random
from typing import get_args

import pytest

from ptxscope.engine.isa.catalog import CATALOG, ENTRIES, find_entry, get_entry
from ptxscope.engine.isa.legality import draw_form
from ptxscope.engine.isa.roles import DESTINATIONS, ORDER, SOURCES, Role
from ptxscope.engine.records import replace
from ptxscope.engine.semantics import micro_operations as m
from ptxscope.engine.semantics.micro_operation import Flag, MicroOperation
from ptxscope.engine.semantics.misconceptions import MISCONCEPTIONS
from ptxscope.engine.semantics.models import Model, parse_model
from ptxscope.engine.semantics.plan import Stage
from ptxscope.engine.syntax.instruction import Guard
from ptxscope.engine.tracing import lane_text, step_text
from ptxscope.engine.tracing.trace import Trace
from ptxscope.export.content.document import EXTENSIONS
from ptxscope.export.options import Options
from ptxscope.export.svg import cell_shapes, step_layout
from ptxscope.export.svg.symbols import STYLES
from ptxscope.scene import scene_cells, scene_figures
from ptxscope.scene import symbolic_scene as letters
from ptxscope.scene.scene_cells import GLYPHS
from ptxscope.scene.scene_model import CellSpan, LaneRef, RowFigure, SpanKind
from ptxscope.screens.dialogs import help_dialog as help_screen
from ptxscope.widgets.lanes import lane_cells, lane_figures
from ptxscope.widgets.lanes.lane_accordion import LanesState, draw
from tests.export import every
from tests.strategies import instruction_of
from tests.tiers import some

KINDS = frozenset(
    kind
    for kind in vars(m).values()
    if isinstance(kind, type) and issubclass(kind, MicroOperation) and kind is not MicroOperation
)


_MISCONCEPTIONS = frozenset(x.id for x in MISCONCEPTIONS)


def test_kinds_are_enumerated() -> None:
    assert frozenset(MicroOperation.__subclasses__()) == KINDS
    assert m.Select in KINDS
    assert len({kind.operation for kind in KINDS}) == len(KINDS)


def test_the_words_have_every_kind_and_no_other() -> None:
    assert lane_text._WORDS.keys() == KINDS


def test_a_form_has_letters_for_every_kind() -> None:
    assert letters._CELLS.keys() | letters._FORMULAS.keys() == KINDS


@pytest.mark.parametrize(
    "table", [scene_cells._CELLS, scene_cells._COLUMNS, scene_figures._FIGURES]
)
def test_a_table_of_special_cases_names_kinds_only(table: dict[type, object]) -> None:
    assert table.keys() <= KINDS


def test_both_pens_draw_every_figure_and_every_look() -> None:
    assert step_layout._FIGURES.keys() == lane_figures._DRAW.keys() == set(get_args(RowFigure))
    beside = {*SpanKind} - STYLES.keys() - cell_shapes._SHAPES.keys()
    # parts of other shapes; two answers stand beside each other in the terminal only
    parts = {SpanKind.NUMBER, SpanKind.CHANGED, SpanKind.BECOMES, SpanKind.NAME, SpanKind.AWAY}
    assert beside == {*parts, SpanKind.DIFFERS}
    for look in SpanKind:
        assert lane_cells.draw_span(CellSpan("1", look))


def _samples() -> Iterable[Trace]:
    """Traces that together have every pair of a stage and a kind that random forms lead to."""
    rng, seen = Random(0), set[tuple[Stage, type]]()
    ours = [
        parse_model("isa"),
        parse_model("ptxas-13.0"),
        *(Model(x.id, (x,)) for x in MISCONCEPTIONS),
    ]
    for opcode in CATALOG:
        for _ in range(60):
            ins = instruction_of(draw_form(opcode, rng))
            if rng.random() < 0.3 and ins.results:
                ins = replace(ins, guard=Guard("r", rng.random() < 0.5))
            for rules in ours:
                trace = Trace(ins, rules, {})
                pairs = {(row.stage, type(row.micro)) for row in trace.plan.rows}
                if not pairs <= seen:
                    seen |= pairs
                    bits = {x.role: rng.getrandbits(x.type.bits) for x in trace.plan.sources}
                    yield Trace(ins, rules, bits)


@pytest.mark.parametrize("is_whole", some([False, True]), ids=["once", "in every stage"])
def test_every_kind_is_in_a_plan_and_said_and_drawn_in_every_format(is_whole: bool) -> None:
    kinds = set[type]()
    for trace in _samples():
        found = {type(row.row.micro) for row in trace.rows.values()}
        for step in trace.steps:
            assert step_text.format_title(step)
            assert step_text.describe_step(trace, step)
        if not found <= kinds or is_whole:
            every.check(trace, Options(standalone=True))
        kinds |= found
        lines = draw(LanesState(trace, len(trace.steps)), 100, 80).lines
        targets = (piece.target for line in lines for piece in line)
        drawn = {target.key for target in targets if isinstance(target, LaneRef)}
        assert drawn >= trace.rows.keys()
    assert kinds == KINDS


def test_every_stage_has_its_sentence_and_its_help() -> None:
    assert list(step_text._ABOUT) == list(Stage)
    assert list(help_screen.STAGES) == list(Stage)


def test_every_flag_has_its_glyph_and_its_help() -> None:
    assert GLYPHS.keys() == set(Flag) - EXTENSIONS
    assert help_screen._GLYPH_WORDS.keys() == GLYPHS.keys()


def _enums(schema: object) -> Iterable[frozenset[str]]:
    if isinstance(schema, dict):
        if isinstance(found := schema.get("enum"), list):
            yield frozenset(found)
        for part in schema.values():
            yield from _enums(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _enums(part)


def test_the_schema_names_every_stage_flag_and_role() -> None:
    text = files("ptxscope.export").joinpath("trace.schema.json").read_text("utf-8")
    found = set(_enums(json.loads(text)))
    for names in (Stage, Flag, Role, SOURCES, DESTINATIONS):
        assert frozenset(map(str, names)) in found


def test_roles_stand_in_one_order_and_have_their_labels() -> None:
    assert "".join(ORDER) == "abcguarddpq"
    assert [role.label for role in Role] == ["a", "b", "c", "@", "old", "old", "old"]
    assert {x.role for entry in ENTRIES for x in entry.operands} <= set(Role)


# --- a micro-operation as a record -------------------------------------------------------


def test_kinds_differ_and_none_is_false() -> None:
    bare = [kind() for kind in KINDS if not kind._fields]
    assert len(bare) > 10
    assert all(bare)
    assert all(x != y for x, y in combinations(bare, 2))
    assert m.Add() == m.Add()
    assert m.Extend(8, True) == m.Extend(8, signed=True) != m.Wrap(8, True)
    assert m.Extend(8, True) != m.Extend(8, False)
    assert m.Extend(8, True) != (8, True)
    assert hash(m.Extend(8, True)) == hash(m.Extend(signed=True, bits=8))
    assert len({m.Extend(8, True), m.Wrap(8, True), m.Extend(8, True)}) == 2


def test_a_field_that_is_not_given_has_its_default() -> None:
    assert m.Merge(8, (0,), True) == m.Merge(8, (0,), True, high=False)
    assert repr(m.Merge(8, (0,), True)) == "Merge(unit=8, lanes=(0,), signed=True, high=False)"
    assert pickle.loads(pickle.dumps(m.Clamp(0, None))) == m.Clamp(0, None)


@pytest.mark.parametrize("given", [(), (8,), (8, True, 1)])
def test_too_few_and_too_many_fields_are_refused(given: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match="Extend takes bits, signed"):
        m.Extend(*given)  # type: ignore[arg-type]


def test_it_is_frozen() -> None:
    micro = m.Extend(8, True)
    with pytest.raises(AttributeError):
        micro.bits = 16  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del micro.bits
    assert micro == m.Extend(8, True)


@pytest.mark.parametrize(
    ("value", "flags"),
    [
        ((1 << 24) - 1, []),
        (1 << 24, []),
        ((1 << 24) + 1, [Flag.ROUNDED]),
        (-(1 << 24) - 1, [Flag.ROUNDED]),
        (-(1 << 31), []),
        ((1 << 31) - 1, [Flag.ROUNDED]),
        (0, []),
    ],
)
def test_a_number_of_more_than_24_significant_bits_is_rounded(
    value: int, flags: list[Flag]
) -> None:
    assert list(m.ToFloat().find_lane_flags(0, ((value,),), 0)) == flags


# --- asking the catalog ------------------------------------------------------------------


def test_the_catalog_is_asked_by_opcode_and_what_is_written() -> None:
    for opcode, entry in CATALOG.items():
        assert find_entry(opcode, ()) is entry
        assert find_entry(opcode, ("s32", "nonsense")) is entry
        assert get_entry(draw_form(opcode, Random(1))) is entry
    assert find_entry("vadd8", ()) is None
    assert find_entry("", ("s32",)) is None


def test_an_opcode_may_have_several_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxscope.engine.isa import catalog

    plain = CATALOG["vset"]
    shape = plain._replace(
        distinguishing_modifiers=frozenset(("lt", "le")), summary="another shape"
    )
    monkeypatch.setitem(catalog._SHAPES, "vset", (plain, shape))
    assert find_entry("vset", ("s32", "u32", "lt")) is shape
    assert find_entry("vset", ("s32", "u32", "eq")) is plain
    forms = [draw_form("vset", Random(seed)) for seed in range(20)]
    assert {str(form.cmp) in ("lt", "le") for form in forms} == {True, False}
    for form in forms:
        assert get_entry(form) is (shape if str(form.cmp) in ("lt", "le") else plain)


def test_lanes_are_a_property_of_an_operand() -> None:
    vadd4, vadd = CATALOG["vadd4"], CATALOG["vadd"]
    assert [x.role for x in vadd4.operands if x.has_lanes] == ["d", "a", "b"]
    assert [x.role for x in vadd4.operands if x.can_keep_lanes] == ["c"]
    assert not any(x.has_lanes or x.can_keep_lanes for x in vadd.operands)
