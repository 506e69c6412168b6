"""The lowering of ``set``, ``setp``, ``selp`` and ``slct`` (PTX ISA 9.7.6).

Docstrings cite the sections of docs/semantics.md, and the errata (E…) and misconceptions (H…) whose
rules they implement.
"""

from __future__ import annotations

from ..isa.encodings import encode_float
from ..isa.types import Cmp, Destinations, Form, Type
from ..micro_operations.comparison import Compare
from ..micro_operations.logic import Choose, Combine, Encode, Flush, Not, SpreadTruth, TakeLane
from ..micro_operations.merge import Pack
from ..micro_operations.properties import Stage
from ..micro_operations.selection import Select
from .plan import Builder, Lowering
from .rules import Rules


def _build_comparison(b: Builder, form: Form) -> str:
    """Compare a and b, after ``.ftz``, for ``set`` and ``setp`` (1.4).

    Two halves in a word are two lanes.
    """
    assert form.cmp
    type_, keys = form.source_type.lane_type, ["a", "b"]
    if form.source_type.lanes > 1:
        halves = Select(16, ((0, 0), (0, 1)))
        keys = [b.add_row(Stage.SELECT, role, halves, role) for role in "ab"]
    if form.ftz:
        keys = [
            b.add_row(Stage.FLUSH, role, Flush(type_), key)
            for role, key in zip("ab", keys, strict=True)
        ]
    if b.fusions:  # numbers without a type
        keys = [b.extend(Stage.EXTEND, role, role, type_.bits, type_.signed) for role in "ab"]
        return b.add_row(Stage.COMPARE, "t", Compare(form.cmp), *keys)
    return b.add_row(Stage.COMPARE, "t", Compare(form.cmp, type_), *keys)


def _build_condition(b: Builder, form: Form, stage: Stage) -> str:
    """Return the predicate c, negated if it is written ``!c`` (1.4, 1.5)."""
    return b.add_row(stage, "c", Not(), "c") if form.negc else "c"


def _combine_with_c(b: Builder, form: Form, t: str) -> str:
    """Combine each lane of t with c if there is a Boolean operator (1.4)."""
    if form.boolop is None:
        return t
    c = _build_condition(b, form, Stage.BOOLEAN)
    if (lanes := b.rows[t].lanes) > 1:
        c = b.add_row(Stage.BOOLEAN, "each", SpreadTruth(lanes), c)
    return b.add_row(Stage.BOOLEAN, "t", Combine(form.boolop), t, c)


def _lower_set(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``set`` (1.4, 1.6; H2)."""
    assert form.dtype
    t = _combine_with_c(b, form, _build_comparison(b, form))
    lanes = form.source_type.lanes
    type_ = form.dtype.lane_type
    if type_.is_float:
        true = encode_float(1.0, type_)
    else:
        true = 1 if rules.true_swapped else (1 << form.dtype.bits // lanes) - 1
    if lanes == 1:
        return {"d": b.add_row(Stage.WRITE, "d", Encode(true, type_), t)}
    t = b.add_row(Stage.MERGE, "t", Encode(true, type_ if type_.is_float else Type.B16), t)
    return {"d": b.add_row(Stage.WRITE, "d", Pack(16), t)}


def _lower_setp(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``setp``; q is written from the negation of t, or from the high halves (1.4, 1.6)."""
    t = _build_comparison(b, form)
    if form.source_type.lanes > 1:
        return _take_halves(b, form, _combine_with_c(b, form, t))
    result_keys = {"p": t}
    if form.dst in (Destinations.P_Q, Destinations.SINK_Q):
        result_keys["q"] = b.add_row(Stage.BOOLEAN, "not", Not(), t)
    if form.dst is Destinations.SINK_Q:
        del result_keys["p"]
    if form.boolop:
        c = _build_condition(b, form, Stage.BOOLEAN)
        for role, key in result_keys.items():
            result_keys[role] = b.add_row(Stage.BOOLEAN, role, Combine(form.boolop), key, c)
    for role, key in result_keys.items():
        result_keys |= b.write_result(key, role=role)
    return result_keys


def _take_halves(b: Builder, form: Form, t: str) -> dict[str, str]:
    """Write the low lane to p and the high lane to q (1.6)."""
    roles = {Destinations.P_Q: "pq", Destinations.SINK_Q: "q"}.get(form.dst or Destinations.P, "p")
    return {role: b.add_row(Stage.WRITE, role, TakeLane("pq".index(role), 2), t) for role in roles}


def _lower_selp(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``selp`` (1.5)."""
    c = _build_condition(b, form, Stage.CHOOSE)
    choice = b.add_row(Stage.CHOOSE, "t", Choose(), c, "a", "b")
    return b.write_result(choice, signed=False)


def _lower_slct(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``slct``; ``.ftz`` flushes c first (1.5; H9)."""
    c = b.add_row(Stage.FLUSH, "c", Flush(), "c") if form.ftz else "c"
    cmp = Cmp.GT if rules.zero_takes_b else Cmp.GE
    type_ = form.ctype
    if b.fusions:
        c, type_ = b.extend(Stage.EXTEND, "c", c, 32, signed=True), None
    condition = b.add_row(Stage.COMPARE, "t", Compare(cmp, type_), c)
    choice = b.add_row(Stage.CHOOSE, "t", Choose(), condition, "a", "b")
    return b.write_result(choice, signed=False)


LOWERINGS: dict[str, Lowering] = {
    "set": _lower_set,
    "setp": _lower_setp,
    "selp": _lower_selp,
    "slct": _lower_slct,
}
"""The lowering of each opcode."""
