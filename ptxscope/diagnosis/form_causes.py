"""Causes that change the plan: another line, or another compiler.

Each slot of the catalog provides its own causes, so a new modifier only needs a cost here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from ..engine.isa.catalog import CATALOG, ENTRIES, get_entry, list_shared_slots
from ..engine.isa.entry import Entry, Group, Slot, SlotPlace
from ..engine.isa.grammar import is_type_slot
from ..engine.isa.types import CMP6, Form, ProductWord, Role, Selector, Type
from ..engine.semantics.models import BELIEFS, MISCONCEPTIONS, PTXAS_MODELS
from ..engine.syntax.constants import FOLDING, find_folding
from ..engine.syntax.instruction import Immediate, Instruction, Register
from ..engine.tracing.folding_bugs import LOSING, find_difference_form, is_difference_lost
from .causes import Bits, Cause, CauseKind, carry_over_form
from .selector_matches import make_default_word

SLOT_COSTS = {
    "sat": 1,
    "relu": 1,
    "product_word": 2,
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
    "direction": 2,
    "byte_pair": 2,
    "shiftamt": 2,
    "permute_mode": 3,
    "ctype": 3,
    "boolop": 3,
    "secop": 3,
    "dsel": 3,
    "mask": 3,
    "asel": 3,
    "bsel": 3,
    "cmp": 4,
    "nege": 2,
}
"""The slots to vary, with the cost of a mistake in each."""
DEFAULT_SELECTOR_COST = 2
"""Cost of an omitted lane selector."""
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
"""Comparisons that are easily confused."""
_UNORDERED = {frozenset((cmp, f"{cmp}u")) for cmp in ("eq", "ne", "lt", "le", "gt", "ge")}
"""Comparisons that differ from others only if an operand is NaN."""
_TYPE_SLOTS = ("dtype", "atype", "btype")
_SELECTORS = ("asel", "bsel")
_OTHER_SIGNEDNESS = {Type.U32: Type.S32, Type.S32: Type.U32}


def iter_form_causes(ins: Instruction, has_nan: bool) -> Iterator[Cause]:
    """Yield every other form, assembler and misconception, except lane selectors.

    ``has_nan`` is whether a NaN was compared. Selectors are solved, not tried one by one.
    """
    yield from _iter_model_causes(ins)
    yield from _iter_folding_causes(ins)
    yield from _iter_type_causes(ins)
    yield from _iter_slot_causes(ins, has_nan)
    yield from _iter_misconceptions()
    yield from _iter_opcode_causes(ins)
    yield from _iter_guard_causes(ins)


def _iter_model_causes(ins: Instruction) -> Iterator[Cause]:
    """Yield the assemblers that may deviate from the documentation for this instruction."""
    if ins.entry.group is not Group.SCALAR and not ins.errata:
        return
    aspects = frozenset(("model",))
    phrase = "as {} compiles it for sm_70 and later"  # filled in once the versions are known
    for model in PTXAS_MODELS:
        yield Cause(CauseKind.PTXAS, aspects, phrase, 0, errata=model.errata, model=model)


def _iter_folding_causes(ins: Instruction) -> Iterator[Cause]:
    """Yield the folding of a constant c, if it differs from c in a register."""
    bits = ins.constants.get("c")
    folding = find_folding(ins.form, ins.sources, bits) if bits is not None else None
    if folding is None or bits is None:
        return
    phrase = f"as {FOLDING} folds it, with c read as an f32: {folding.mistaken_value}"
    aspects, slots = frozenset(("ctype", "dtype", "ftz")), (("ctype", Type.F32),)
    same_bits = Immediate(bits, f"0f{bits:08X}")
    yield Cause(CauseKind.PTXAS, aspects, phrase, 0, slots=slots, literals=(("c", same_bits),))


def find_folded_selections(ins: Instruction, operands: Iterable[Bits]) -> Iterator[Cause]:
    """Yield the wrong folding of a register c that is a constant at compile time.

    ``operands`` has the operands of every observation.
    """
    if "c" in ins.constants:
        return
    foldings = [find_folding(ins.form, ins.sources, x["c"]) if "c" in x else None for x in operands]
    mistaken_values = sorted({x.mistaken_value for x in foldings if x})
    if not foldings or None in foldings or len(mistaken_values) > 1:
        return
    phrase = (
        f"as {FOLDING} folds it if c is a constant, with c read as an f32: {mistaken_values[0]}"
    )
    aspects, slots = frozenset(("ctype", "dtype", "ftz")), (("ctype", Type.F32),)
    yield Cause(CauseKind.PTXAS, aspects, phrase, 2, slots=slots)


def find_lost_differences(ins: Instruction, operands: Iterable[Bits]) -> Iterator[Cause]:
    """Yield the form that ptxas compiles for an absolute difference of constants.

    ``operands`` has the operands of every observation.
    """
    difference_form = find_difference_form(ins.form)
    if difference_form is None or not all(map(is_difference_lost, operands)):
        return
    is_known = {"a", "b", "c"} <= ins.constants.keys()
    condition = "" if is_known else ", if a, b and c are constants"
    phrase = f"as {LOSING} compiles it for sm_120 and sm_121{condition}: without the absolute value"
    slots = (("opcode", difference_form.opcode),)
    cost = 0 if is_known else 2
    yield Cause(CauseKind.PTXAS, frozenset(("opcode",)), phrase, cost, slots=slots)


def _iter_type_causes(ins: Instruction) -> Iterator[Cause]:
    """Yield changes of several types at once; ``_iter_slot_causes`` varies them one by one."""
    present_types = {
        name: Type(str(ins.form.get(name)))
        for name in _TYPE_SLOTS
        if _find_variable_slot(ins, name)
    }
    if len(present_types) < 2 or not _OTHER_SIGNEDNESS.keys() >= {*present_types.values()}:
        return
    has_all_types = len(present_types) == sum(map(is_type_slot, ins.entry.slots))
    known_changes: list[dict[str, Type]] = []
    for phrase, cost, types in _iter_other_types(present_types, has_all_types=has_all_types):
        change_count = sum(types[name] is not present_types[name] for name in present_types)
        if change_count > 1 and types not in known_changes:
            known_changes.append(types)
            slots = tuple(sorted(types.items()))
            yield Cause(CauseKind.MODIFIER, frozenset(present_types), phrase, cost, slots=slots)


def _iter_other_types(
    present_types: Mapping[str, Type], *, has_all_types: bool
) -> Iterator[tuple[str, int, dict[str, Type]]]:
    """Yield other types by slot, with a phrase and a cost.

    ``has_all_types`` is whether the slots are all types of the instruction.
    """
    inputs = [name for name in present_types if name != "dtype"]
    subject = "every type" if has_all_types else " and ".join(present_types)
    uniform_cost = 1 if len(set(present_types.values())) == 1 else 3
    input_cost = 2 if len({present_types[name] for name in inputs}) == 1 else 3
    for type_ in (Type.U32, Type.S32):
        yield f"with {subject} `.{type_}`", uniform_cost, dict.fromkeys(present_types, type_)
        types = {**present_types, **dict.fromkeys(inputs, type_)}
        yield f"with both inputs `.{type_}`", input_cost, types
    flipped = {name: _OTHER_SIGNEDNESS[type_] for name, type_ in present_types.items()}
    yield f"with {subject} of the other signedness", 4, flipped


def _find_variable_slot(ins: Instruction, name: str) -> Slot | None:
    """Return a slot of the instruction if its opcode allows several values."""
    if ins.entry.find_slot(name) is None:
        return None
    slot = next(x for x in list_shared_slots(ins.entry) if x.name == name)
    return slot if slot.count_choices() > 1 else None


def _iter_slot_causes(ins: Instruction, has_nan: bool) -> Iterator[Cause]:
    """Yield every other value of every slot, except lane selectors."""
    for name, cost in SLOT_COSTS.items():
        slot = _find_variable_slot(ins, name)
        if slot is None or (name in _SELECTORS and ins.entry.lanes > 1):
            continue
        if isinstance(ins.roles.get(str(slot.place)), Immediate):
            continue  # a literal takes neither a selector nor a sign
        kind = CauseKind.SELECTOR if name in _SELECTORS else CauseKind.MODIFIER
        present_value = ins.form.get(name)
        for value in slot.iter_choices():
            if value == present_value or not _has_same_width(present_value, value):
                continue
            phrase = format_slot_change(ins, slot, present_value, value)
            if name == "cmp":
                cost = _compute_comparison_cost(present_value, value, has_nan)
            yield Cause(kind, frozenset((name,)), phrase, cost, slots=((name, value),))


def _compute_comparison_cost(present_value: object, value: object, has_nan: bool) -> int:
    """Return the cost of a comparison, lower if easily confused."""
    pair = frozenset((present_value, value))
    if pair in _UNORDERED:
        return 1 if has_nan else 2
    return 2 if pair in _LIKELY_CMP else SLOT_COSTS["cmp"]


def _has_same_width(present_value: object, value: object) -> bool:
    """Return whether registers of one type, or of a product, can be read as the other type."""
    if ProductWord.WIDE in (present_value, value):
        return False
    return (
        not (isinstance(present_value, Type) and isinstance(value, Type))
        or present_value.bits == value.bits
    )


def format_slot_change(
    ins: Instruction,
    slot: Slot,
    present_value: object,
    value: object,
    changed_instruction: Instruction | None = None,
) -> str:
    """Return a phrase such as ``without `.sat``` or ``with `.lt` rather than `.le```.

    The present operand is named as in ``ins``, the new one as in ``changed_instruction``, where it
    may be another operand.
    """
    present_operand, new_operand = (
        "" if slot.place is SlotPlace.MODIFIER else line.format_operand(str(slot.place))
        for line in (ins, changed_instruction or ins)
    )
    # the phrase names the operand even without a suffix
    is_suffix = bool(present_operand) and not slot.word

    def format_value(slot_value: object, operand: str) -> str:
        text = slot.format_value(slot_value)
        if slot.word and operand:
            return f"`{text}{operand}`"
        return f"`{operand}.{text}`" if text else f"`{operand}`"

    lanes, present_text = ins.entry.lanes, format_value(present_value, present_operand)
    if is_suffix and value is None and lanes > 1:
        default = Selector(32 // lanes, make_default_word(lanes, str(slot.place)))
        meaning = f"`{new_operand}`, which is `{new_operand}.{default}`"
        return f"with {meaning}, rather than {present_text}"
    if value == slot.absent and not is_suffix:
        return f"without {present_text}"
    if present_value == slot.absent and not is_suffix:
        return f"with {format_value(value, new_operand)}"
    label = f"{slot.name} " if slot.name.endswith("type") else ""
    return f"with {label}{format_value(value, new_operand)} rather than {present_text}"


def _iter_opcode_causes(ins: Instruction) -> Iterator[Cause]:
    has_only_registers = all(isinstance(source, Register) for source in ins.sources)
    for opcode in find_confusable_opcodes(ins.form):
        if not (has_only_registers or CATALOG[opcode.opcode].can_take_immediates):
            continue
        yield Cause(
            CauseKind.OPCODE,
            frozenset(("opcode", *opcode.slots)),
            f"with `{opcode.opcode}` rather than `{ins.opcode}`",
            opcode.cost,
            slots=(("opcode", opcode.opcode), *opcode.slots.items()),
        )


def _iter_misconceptions() -> Iterator[Cause]:
    aspects = frozenset(("misconception",))
    for misconception in MISCONCEPTIONS:
        phrase = f"if {BELIEFS[misconception.id]}"
        yield Cause(CauseKind.MISCONCEPTION, aspects, phrase, 2, errata=(misconception,))


def _iter_guard_causes(ins: Instruction) -> Iterator[Cause]:
    if ins.guard:
        guard = ins.guard._replace(negated=not ins.guard.negated)
        phrase = f"with `{guard}` rather than `{ins.guard}`"
        yield Cause(CauseKind.MODIFIER, frozenset(("guard",)), phrase, 3, is_guard_inverted=True)


# --- opcodes that are easily confused ---------------------------------------------------------

_CONFUSION_COSTS = {
    frozenset(pair): cost
    for cost, *pairs in (
        (2, ("vadd", "vsub"), ("vmin", "vmax"), ("vshl", "vshr"), ("vadd", "vavrg")),
        (2, ("shl", "shr"), ("and", "or"), ("and", "xor"), ("or", "xor"), ("div", "rem")),
        (3, ("vsub", "vabsdiff")),
    )
    for pair in pairs
}
"""Cost of confusing two operations; other pairs of the same shape cost ``_DEFAULT_COST``."""
_DEFAULT_COST = 4
_LANE_WIDTH_COST = 3
"""Cost of the same operation on lanes of another width."""
_SET_COST = 3
"""Cost of ``set`` for ``vset``, and the reverse."""

_POSITION_COST = 3
"""Cost of ``clz`` for ``bfind``, and the reverse."""


class ConfusableOpcode(NamedTuple):
    """An opcode that the author may have meant, or that may have run."""

    opcode: str
    cost: int
    slots: Mapping[str, object] = {}
    """Slots with another name in that opcode."""


def _get_shape(entry: Entry) -> tuple[str, list[str], list[str]]:
    """Return an instruction's group, the names of its slots, and the roles of its operands."""
    roles: list[str] = [operand.role for operand in entry.operands]
    return entry.group, [slot.name for slot in entry.slots], roles


@cache
def _find_similar_opcodes(entry: Entry) -> tuple[ConfusableOpcode, ...]:
    """Return opcodes with the same slots, or the same operation on lanes of other widths."""
    opcodes: dict[str, ConfusableOpcode] = {}
    for candidate in ENTRIES:
        name = candidate.opcode
        pair = frozenset((entry.base_opcode, candidate.base_opcode))
        if name == entry.opcode or name in opcodes:
            continue
        if len(pair) == 1:
            opcodes[name] = ConfusableOpcode(name, _LANE_WIDTH_COST)
        elif candidate.lanes == entry.lanes and _get_shape(candidate) == _get_shape(entry):
            opcodes[name] = ConfusableOpcode(name, _CONFUSION_COSTS.get(pair, _DEFAULT_COST))
    return tuple(opcodes.values())


def find_confusable_opcodes(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield the opcodes easily confused with a form's, if the form stays legal."""
    others = (*_iter_set_opcodes(form), *_iter_bit_positions(form))
    for opcode in (*_find_similar_opcodes(get_entry(form)), *others):
        changed_form = carry_over_form(form._replace(opcode=opcode.opcode, **opcode.slots))  # type: ignore[arg-type]
        if changed_form and _has_same_widths(form, changed_form):
            yield opcode


def _has_same_widths(form: Form, changed_form: Form) -> bool:
    """Whether common operands of both forms have the same widths: registers keep theirs."""
    widths, changed_widths = (
        {x.role: x.get_type(y).bits for x in get_entry(y).operands if x.role != Role.C or y.c}
        for y in (form, changed_form)
    )
    return all(changed_widths.get(role, bits) == bits for role, bits in widths.items())


def _iter_set_opcodes(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield ``vset`` for ``set``, or ``set`` for ``vset``, with the same comparison."""
    types = (Type.U32, Type.S32)
    if form.opcode == "set" and form.stype in types and form.dtype in types and form.cmp in CMP6:
        source_slots = {"atype": form.stype, "btype": form.stype}
        yield ConfusableOpcode("vset", _SET_COST, {"dtype": None, "stype": None, **source_slots})
    if form.opcode == "vset" and form.atype is form.btype:
        slots = {"stype": form.atype, "atype": None, "btype": None, "dtype": Type.U32}
        yield ConfusableOpcode("set", _SET_COST, slots)


def _iter_bit_positions(form: Form) -> Iterator[ConfusableOpcode]:
    """Yield ``bfind`` for ``clz``, or the reverse: they count from opposite ends."""
    bits = form.stype.bits if form.stype else 0
    if form.opcode == "clz":
        yield ConfusableOpcode("bfind", _POSITION_COST, {"stype": Type(f"u{bits}")})
    if form.opcode == "bfind" and not form.shiftamt:
        yield ConfusableOpcode("clz", _POSITION_COST, {"stype": Type(f"b{bits}")})
