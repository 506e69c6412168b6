"""The pseudocode of every entry, run line by line, gives what the plan gives."""

from __future__ import annotations

import re
from random import Random

import pytest

from ptxscope.engine.isa.catalog import ENTRIES, get_entry, pick_entry_form
from ptxscope.engine.isa.entry import Entry
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.engine.syntax.parser import parse
from ptxscope.features.operation import pseudocode

from ...tiers import sampled, thorough
from .pseudocode import Machine

BITING: tuple[int, ...] = (
    0,
    1,
    2,
    7,
    31,
    32,
    33,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0x7FFFFFFF,
    0x80000000,
)
BITING += (0xFFFFFFFF, 0x7F800000, 0x7FC00000, 0x007FFFFF, 0x80000001, 0x7F7F7F7F, 0x80808080)
BITING += (
    0x80008000,
    0x7C017E00,
    0x00010001,
    0x7FFFFFFFFFFFFFFF,
    0x8000000000000000,
    (1 << 64) - 1,
)
NAMES = [f"{at}-{entry.syntax.split()[0]}" for at, entry in enumerate(ENTRIES)]


def check(entry: Entry, seed: int) -> None:
    """Compare one random form on random operands."""
    rng = Random(seed)
    made = pseudocode.make_pseudocode(entry)
    assert made
    form = pick_entry_form(entry, rng)
    plan = lower(form)
    widths = {str(x.role): x.get_type(form).bits for x in get_entry(form).operands}
    values = {
        x.role: rng.choice((rng.getrandbits(64), rng.choice(BITING), rng.randrange(40)))
        & ((1 << x.type.bits) - 1)
        for x in plan.sources
    }
    if rng.random() < 0.2 and {"a", "b"} <= values.keys() and widths["a"] == widths["b"]:
        values["b"] = values["a"]
    expected = compute_results(plan, values)
    unread = {str(x.role): 0x12345678 & ((1 << widths[x.role]) - 1) for x in entry.sources}
    written = Machine(form, unread | values, widths).run(made.lines)
    assert {role: written[role] for role in expected} == expected, (form, values)
    lines = [x.text for x in pseudocode.make_form_pseudocode(form)]
    written = Machine(form, unread | values, widths).run(lines)
    assert {role: written[role] for role in expected} == expected, (form, lines, values)


@pytest.mark.parametrize(
    "seeds",
    [
        range(4),
        pytest.param(range(4, 60), marks=thorough),
        pytest.param(range(60, 150), marks=pytest.mark.soak),
    ],
    ids=["few", "many", "most"],
)
@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_the_pseudocode_gives_the_result_of_the_plan(entry: Entry, seeds: range) -> None:
    for seed in seeds:
        check(entry, seed)


@pytest.mark.parametrize(
    ("ptx", "lines"),
    [
        ("vadd.u32.s32.s32.sat d.b0, a.b1, b.h0, c", ["x = a.b1", "y = b.h0", "y = s16(y)"]),
        ("vadd.u32.s32.s32.sat d.b0, a.b1, b.h0, c", ["d = c", "d.b0 = low 8 bits of t"]),
        ("vset4.u32.s32.lt d, a, b, c", ["    x = byte i of a", "    t[i] = x < y"]),
        ("set.ltu.and.f32.f32 d, a, b, p", ["t = f32(a) cmp f32(b)", "t = t and c"]),
        ("vset4.s32.s32.lt.add d.b31, a, b, c", ["total = c + t[3] + t[1]"]),
    ],
)
def test_a_form_has_its_own_words_and_no_conditions(ptx: str, lines: list[str]) -> None:
    made = [x.text for x in pseudocode.make_form_pseudocode(parse(ptx).form)]
    assert {*lines} <= {*made}
    assert not any(re.match(r"\s*(if|else)\b", x) for x in made)


def test_nothing_is_said_of_a_plan_that_has_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudocode, "list_expressions", lambda _: [])
    assert pseudocode.make_pseudocode.__wrapped__(ENTRIES[0]) is None


@sampled
@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_what_is_not_in_the_syntax_is_explained(entry: Entry) -> None:
    made = pseudocode.make_pseudocode(entry)
    assert made
    notes = " ".join(made.notes)
    text = "\n".join(line.partition("  #")[0] for line in made.lines)
    for word in re.findall(
        r"\b(final|dot|product|signed(?=\()|unsigned(?=\()|round|ftz|lut|boolop)", text
    ):
        assert f"`{word}" in notes, word
    assert ("in mask" in text) == ("Without a mask" in notes)
    assert "{" not in notes.replace("`{b, a}`", "")
    assert max(map(len, made.lines)) <= 100
