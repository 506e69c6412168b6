"""What may be written otherwise, or compiled otherwise: causes that change the plan.

Each slot of the catalog gives its own causes, so a new modifier needs only a weight here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..isa.catalog import CATALOG
from ..isa.entry import Group, Slot, SlotPlace
from ..isa.form import Form
from ..isa.legality import with_c
from ..isa.types import Selector, Type
from ..semantics.misconceptions import BELIEFS, MISCONCEPTIONS
from ..semantics.models import PTXAS_MODELS
from ..syntax.constant_folding import FOLDING, find_folding
from ..syntax.instruction import Immediate, Instruction, Register
from ..tracing.folding_bugs import LOSING, find_difference_form, is_difference_lost
from .causes import Bits, Cause, CauseKind
from .confusable_opcodes import carry_over_form, find_confusable_opcodes
from .selector_simplicity import make_default_word

WEIGHTS = {
    "sat": 1,
    "dtype": 2,
    "atype": 2,
    "btype": 2,
    "stype": 2,
    "ftz": 1,
    "mode": 2,
    "po": 2,
    "scale": 2,
    "nega": 2,
    "negb": 2,
    "negc": 2,
    "ctype": 3,
    "boolop": 3,
    "secop": 3,
    "dsel": 3,
    "mask": 3,
    "asel": 3,
    "bsel": 3,
    "cmp": 4,
}
"""Slots that are varied, and how unusual it is to have them wrong."""
DEFAULT_SELECTOR = 2
"""How unusual it is that a selector of lanes was left out."""
_LIKELY_CMP = {
    frozenset(pair)
    for pair in (
        ("lt", "le"),
        ("gt", "ge"),
        ("lt", "gt"),
        ("le", "ge"),
        ("eq", "ne"),
        ("lt", "lo"),
        ("le", "ls"),
        ("gt", "hi"),
        ("ge", "hs"),
        ("num", "nan"),
    )
}
"""Comparisons that are taken for each other."""
_UNORDERED = {frozenset((cmp, f"{cmp}u")) for cmp in ("eq", "ne", "lt", "le", "gt", "ge")}
"""Those that differ where an operand is a NaN."""
_TYPE_SLOTS = ("dtype", "atype", "btype")
_SELECTORS = ("asel", "bsel")
_FLIPPED = {Type.U32: Type.S32, Type.S32: Type.U32}


def iter_form_causes(ins: Instruction, has_nan: bool) -> Iterator[Cause]:
    """Every other form, assembler and belief; but the selectors that ``solve`` finds.

    ``unordered`` says that an operand that is compared was a NaN.
    """
    yield from _iter_model_causes(ins)
    yield from _iter_folding_causes(ins)
    yield from _iter_type_causes(ins)
    yield from _iter_slot_causes(ins, has_nan)
    yield from _iter_misconceptions()
    yield from _iter_opcode_causes(ins)
    yield from _iter_guard_causes(ins)


def _iter_model_causes(ins: Instruction) -> Iterator[Cause]:
    """What the assemblers make of it, where they may depart from the documentation."""
    if ins.entry.group is not Group.SCALAR and not ins.errata:
        return
    axes = frozenset(("model",))
    phrase = "as {} compiles it for sm_70 and later"  # filled in where the versions are known
    for model in PTXAS_MODELS:
        yield Cause(CauseKind.PTXAS, axes, phrase, 0, errata=model.errata, model=model)


def _iter_folding_causes(ins: Instruction) -> Iterator[Cause]:
    """What assemblers make of a constant c, where that is not what they make of a register."""
    bits = ins.constants.get("c")
    found = find_folding(ins.form, ins.sources, bits) if bits is not None else None
    if found is None or bits is None:
        return
    phrase = f"as {FOLDING} folds it, with c read as an f32: {found.read}"
    axes, slots = frozenset(("ctype", "dtype", "ftz")), (("ctype", Type.F32),)
    same_bits = Immediate(bits, f"0f{bits:08X}")
    yield Cause(CauseKind.PTXAS, axes, phrase, 0, slots=slots, literals=(("c", same_bits),))


def find_folded_selections(ins: Instruction, operands: Iterable[Bits]) -> Iterator[Cause]:
    """What assemblers make of a register c that is a constant when they compile.

    ``operands`` are those of every observation.
    """
    if ins.form.opcode != "slct" or "c" in ins.constants:
        return
    found = [find_folding(ins.form, ins.sources, x["c"]) if "c" in x else None for x in operands]
    reads = sorted({x.read for x in found if x})
    if not found or None in found or len(reads) > 1:
        return
    phrase = f"as {FOLDING} folds it, where c is a constant, with c read as an f32: {reads[0]}"
    axes, slots = frozenset(("ctype", "dtype", "ftz")), (("ctype", Type.F32),)
    yield Cause(CauseKind.PTXAS, axes, phrase, 2, slots=slots)


def find_lost_differences(ins: Instruction, operands: Iterable[Bits]) -> Iterator[Cause]:
    """What ptxas makes of an absolute difference where all operands are constants.

    ``operands`` are those of every observation.
    """
    changed = find_difference_form(ins.form)
    if changed is None or not all(map(is_difference_lost, operands)):
        return
    is_known = {"a", "b", "c"} <= ins.constants.keys()
    condition = "" if is_known else ", where a, b and c are constants"
    phrase = f"as {LOSING} compiles it for sm_120 and sm_121{condition}: without the absolute value"
    slots = (("opcode", changed.opcode),)
    weight = 0 if is_known else 2
    yield Cause(CauseKind.PTXAS, frozenset(("opcode",)), phrase, weight, slots=slots)


def _iter_type_causes(ins: Instruction) -> Iterator[Cause]:
    """Several types of a video instruction at once; ``_slots`` varies them one by one."""
    now = {
        name: Type(str(ins.form.get(name)))
        for name in _TYPE_SLOTS
        if _find_variable_slot(ins, name)
    }
    if len(now) < 2:
        return
    told: list[dict[str, Type]] = []
    for phrase, weight, types in _iter_other_types(now):
        changed = sum(types[name] is not now[name] for name in now)
        if changed > 1 and types not in told:
            told.append(types)
            slots = tuple(sorted(types.items()))
            yield Cause(CauseKind.MODIFIER, frozenset(now), phrase, weight, slots=slots)


def _iter_other_types(now: Mapping[str, Type]) -> Iterator[tuple[str, int, dict[str, Type]]]:
    """Other types by slot, in words, and how unusual it is to have meant them."""
    inputs = [name for name in now if name != "dtype"]
    every_weight = 1 if len(set(now.values())) == 1 else 3
    both_weight = 2 if len({now[name] for name in inputs}) == 1 else 3
    for type_ in (Type.U32, Type.S32):
        yield f"with every type `.{type_}`", every_weight, dict.fromkeys(now, type_)
        both = {**now, **dict.fromkeys(inputs, type_)}
        yield f"with both inputs `.{type_}`", both_weight, both
    flipped = {name: _FLIPPED[type_] for name, type_ in now.items()}
    yield "with every type of the other signedness", 4, flipped


def _find_variable_slot(ins: Instruction, name: str) -> Slot | None:
    """The slot, where the instruction has it with more than one value."""
    slot = ins.entry.find_slot(name)
    return slot if slot and len(slot.values) + slot.is_optional > 1 else None


def _iter_slot_causes(ins: Instruction, has_nan: bool) -> Iterator[Cause]:
    """Every other value of every slot; selectors of several lanes are solved elsewhere."""
    for name, weight in WEIGHTS.items():
        slot = _find_variable_slot(ins, name)
        if slot is None or (name in _SELECTORS and ins.entry.lanes > 1):
            continue
        if isinstance(ins.roles.get(str(slot.place)), Immediate):
            continue  # it takes neither a selector nor a sign
        kind = CauseKind.SELECTOR if name in _SELECTORS else CauseKind.MODIFIER
        now = ins.form.get(name)
        for value in slot.iter_choices():
            if value == now or not _has_same_width(now, value):
                continue
            phrase = format_slot_change(ins, slot, now, value)
            if name == "cmp":
                weight = _compute_comparison_cost(now, value, has_nan)
            yield Cause(kind, frozenset((name,)), phrase, weight, slots=((name, value),))


def _compute_comparison_cost(now: object, value: object, has_nan: bool) -> int:
    """Less for comparisons that are easily taken for each other."""
    pair = frozenset((now, value))
    if pair in _UNORDERED:
        return 1 if has_nan else 2
    return 2 if pair in _LIKELY_CMP else WEIGHTS["cmp"]


def _has_same_width(now: object, value: object) -> bool:
    """Whether a register that has one type can be read as the other."""
    return not (isinstance(now, Type) and isinstance(value, Type)) or now.bits == value.bits


def format_slot_change(
    ins: Instruction, slot: Slot, now: object, value: object, changed: Instruction | None = None
) -> str:
    """``without `.sat```, ``with `.lt` rather than `.le```, ``with `%1.b1` rather than `%1```.

    What is, is named as the instruction has it; what would be, as ``changed`` has it, where
    another operand may stand in that place.
    """
    before, after = (
        "" if slot.place is SlotPlace.MODIFIER else x.format_operand(str(slot.place))
        for x in (ins, changed or ins)
    )
    suffix = bool(before) and not slot.word  # without it the operand is still to be named

    def spelled(written: object, operand: str) -> str:
        text = slot.format_value(written)
        if slot.word and operand:
            return f"`{text}{operand}`"
        return f"`{operand}.{text}`" if text else f"`{operand}`"

    lanes = ins.entry.lanes
    if suffix and value is None and lanes > 1:
        default = Selector(32 // lanes, make_default_word(lanes, str(slot.place)))
        return f"with `{after}`, which is `{after}.{default}`, rather than {spelled(now, before)}"
    if value == slot.absent and not suffix:
        return f"without {spelled(now, before)}"
    if now == slot.absent and not suffix:
        return f"with {spelled(value, after)}"
    what = f"{slot.name} " if slot.name.endswith("type") else ""
    return f"with {what}{spelled(value, after)} rather than {spelled(now, before)}"


def _iter_opcode_causes(ins: Instruction) -> Iterator[Cause]:
    """Another opcode, the slots carried over."""
    registers = all(isinstance(source, Register) for source in ins.sources)
    for twin in find_confusable_opcodes(ins.form):
        if not (registers or CATALOG[twin.opcode].takes_immediates):
            continue
        yield Cause(
            CauseKind.OPCODE,
            frozenset(("opcode", *twin.slots)),
            f"with `{twin.opcode}` rather than `{ins.opcode}`",
            twin.weight,
            slots=(("opcode", twin.opcode), *twin.slots.items()),
        )


def _iter_misconceptions() -> Iterator[Cause]:
    """What people expect of it."""
    axes = frozenset(("misconception",))
    for misconception in MISCONCEPTIONS:
        phrase = f"if {BELIEFS[misconception.id]}"
        yield Cause(CauseKind.MISCONCEPTION, axes, phrase, 2, errata=(misconception,))


def _iter_guard_causes(ins: Instruction) -> Iterator[Cause]:
    """The guard read the other way."""
    if ins.guard:
        other = ins.guard._replace(negated=not ins.guard.negated)
        phrase = f"with `{other}` rather than `{ins.guard}`"
        yield Cause(CauseKind.MODIFIER, frozenset(("guard",)), phrase, 3, guard=True)


def change_form(form: Form, slots: Mapping[str, object], has_c: bool) -> Form | None:
    """A form with other values in some slots and c where it is needed.

    None where c is needed and not written, or where another opcode does not take a slot's
    value. It may break a constraint. An opcode that has to have a c takes any register for it.
    """
    changed: Form | None = form._replace(**slots)  # type: ignore[arg-type]
    if "opcode" in slots and changed:
        changed = carry_over_form(changed)
    if changed is None:
        return None
    # an ignored c stays as it was written, but not behind another opcode
    bare = form.c and not (form.boolop or form.secop or form.dsel or "opcode" in slots)
    changed = with_c(changed, with_unread_c=bare)
    must = changed.c and ("opcode" not in slots or CATALOG[changed.opcode].is_c_optional)
    return None if must and not has_c else changed
