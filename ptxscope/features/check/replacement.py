"""Equivalent PTX with the documented result, for instructions that an erratum affects.

The documented plan of a scalar video instruction is written in plain integer instructions, which
every target computes as documented. A guarded ``set`` becomes an unguarded one with a destination
of its own, and a guarded move to d. The other instructions are unchanged, after a line that limits
an operand to the values for which they are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...engine.arrays.narrowing import narrow_by_reach
from ...engine.ir.rewrites import SHORTENING_RULES
from ...engine.ir.tape import (
    Node,
    Op,
    RecordedPlan,
    RewriteRules,
    get_range,
    record_plan,
    rewrite_plan,
)
from ...engine.isa.entry import Group
from ...engine.isa.types import Type
from ...engine.semantics.lowering import lower
from ...engine.syntax.instruction import Immediate, Instruction, Register
from .ptx_block import (
    MOVED_TYPES,
    RELATIONS,
    Operand,
    PtxBlock,
    PtxRegister,
    PtxWriter,
    ReplacementLine,
    UnsupportedNodeError,
    choose_type,
    drop_unread_lines,
    find_sign,
    get_letter,
    write_nearest,
    write_shifted_pair,
)

_RULES: RewriteRules = {
    **SHORTENING_RULES,
    Op.MINIMUM: (*SHORTENING_RULES[Op.MINIMUM], narrow_by_reach),
    Op.MAXIMUM: (*SHORTENING_RULES[Op.MAXIMUM], narrow_by_reach),
}


def write_plain_ptx(
    plan: RecordedPlan, operands: Mapping[str, str]
) -> tuple[ReplacementLine, ...] | None:
    """Return the lines that compute the single result of a plan; the last one writes it.

    ``operands`` has the registers or literals of the sources by role. None if a value needs more
    than 64 bits in an operation other than a sum, a bound or a right shift.
    """
    block = PtxBlock(operands, _WRITERS)
    plan = rewrite_plan(rewrite_plan(plan, SHORTENING_RULES), _RULES)
    ((node, type_),) = plan.results.values()
    form = get_letter(type_)
    try:
        value = block.read_value(node, 0, form)
    except UnsupportedNodeError:
        return None
    if isinstance(value, str) or isinstance(value.name, str):
        value = block.emit(f"mov.{MOVED_TYPES[form]}", value, letter=form)
    return drop_unread_lines(block.lines, value)


# --- a function for each operation -------------------------------------------------------


def _write_source(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    role, type_ = x.fixed
    letter, name = get_letter(type_), b.operands[role]
    if name[0] in "-0123456789":
        return b.emit(f"mov.{MOVED_TYPES[letter]}", name, letter=letter)
    register = PtxRegister(letter, name)
    return b.emit("cvt.u32.u16", register, letter="w") if type_.bits == 16 else register


def _make_ring_writer(name: str) -> PtxWriter:
    """Make a writer for an operation whose low bits need only the low bits of its arguments."""

    def write(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
        letter, bits = _choose_ring_size(b, x, form)
        operands = (b.read_value(y, lane, letter) for y in x.args)
        return b.emit(f"{name}.s{bits}", *operands, letter=letter)

    return write


def _choose_ring_size(b: PtxBlock, x: Node, form: str) -> tuple[str, int]:
    """Return a form and its bits: words if they hold the result, or only its low word counts."""
    is_narrow = form == "w" and all(b.measure_width(y) == 32 for y in x.args)
    return ("w", 32) if is_narrow or b.measure_width(x) == 32 else ("t", 64)


def _write_product(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    y, factor = x.args
    if isinstance(factor, int) and get_range(y).fits_in(1, signed=False):
        bits = 32 if b.measure_width(x) == 32 else 64
        return b.emit(
            f"selp.b{bits}", factor, 0, b.read_value(y, lane, "p"), letter="tw"[bits == 32]
        )
    sign = find_sign(32, *map(get_range, x.args))
    is_of_words = sign and all(b.measure_width(z) == 32 for z in x.args)
    if is_of_words and form != "w" and b.measure_width(x) == 64:
        return b.emit(
            f"mul.wide.{sign}32", *(b.read_value(z, lane, "w") for z in x.args), letter="t"
        )
    return _make_ring_writer("mul.lo")(b, x, lane, form)


def _write_absolute(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    (y,) = x.nodes
    letter, type_ = choose_type(b, y)
    return b.emit(f"abs.s{type_[1:]}", b.read_value(y, lane, letter), letter=letter)


def _write_bounds(
    b: PtxBlock, x: Node, lane: int, low: Node | int | None, high: Node | int | None
) -> Operand:
    """Write the larger of a value and ``low``, then the smaller of that and ``high``."""
    y = x.args[0]
    assert isinstance(y, Node)
    if x.op is not Op.CLIP and len(x.nodes) == 2 and all(z.is_truth for z in x.nodes):
        logical = "or.pred" if high is None else "and.pred"
        return b.emit(logical, *(b.read_value(z, lane, "p") for z in x.nodes), letter="p")
    if b.measure_width(y) > 64:
        if not x.range.fits_in(64, signed=True) or len(x.nodes) > 1:
            raise UnsupportedNodeError(f"{x.op} of {y.range}")
        letter, type_ = "t", "s64"
        value: Operand = write_nearest(b, y, lane)
    else:
        active_bounds = [
            end for end in (low, high) if end is not None and _is_active(y, end, end is low)
        ]
        letter, type_ = choose_type(b, y, *active_bounds, result=x)
        value = b.read_value(y, lane, letter)
    for name, end in (("max", low), ("min", high)):
        if end is not None and _is_active(y, end, name == "max"):
            value = b.emit(f"{name}.{type_}", value, b.read_value(end, lane, letter), letter=letter)
    return value


def _is_active(x: Node, end: Node | int, is_low: bool) -> bool:
    if isinstance(end, Node):
        return True
    return x.range.low < end if is_low else x.range.high > end


def _write_right_shift(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    y, amount = x.args
    assert isinstance(y, Node)
    if b.measure_width(y) > 64:
        if not isinstance(amount, int):
            raise UnsupportedNodeError(f"{x.op} of {y.range}")
        return write_shifted_pair(b, x, lane)[0]
    letter, type_ = choose_type(b, y)
    return b.emit(
        f"shr.{type_}",
        b.read_value(y, lane, letter),
        b.read_value(amount, lane, "w"),
        letter=letter,
    )


def _write_left_shift(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    letter, bits = _choose_ring_size(b, x, form)
    y, amount = x.args
    operands = b.read_value(y, lane, letter), b.read_value(amount, lane, "w")
    return b.emit(f"shl.b{bits}", *operands, letter=letter)


def _write_comparison(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    if x.op is Op.NOT_EQUAL and len(x.nodes) == 2 and all(y.is_truth for y in x.nodes):
        return b.emit("xor.pred", *(b.read_value(y, lane, "p") for y in x.nodes), letter="p")
    letter, type_ = choose_type(b, *x.args)
    operands = (b.read_value(y, lane, letter) for y in x.args)
    return b.emit(f"setp.{RELATIONS[x.op]}.{type_}", *operands, letter="p")


def _write_choice(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    condition, *options = x.args
    letter, bits = _choose_ring_size(b, x, form)
    operands = [b.read_value(y, lane, letter) for y in options]
    return b.emit(f"selp.b{bits}", *operands, b.read_value(condition, lane, "p"), letter=letter)


def _make_bitwise_writer(name: str) -> PtxWriter:
    """Make a writer for an operation of bits; those above the result's highest bit are unread."""

    def write(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
        letter, bits = ("w", 32) if x.range.high < 1 << 32 else ("t", 64)
        if x.range.high >> 64:
            raise UnsupportedNodeError(f"{x.op} of {x.range}")
        args = (y % (1 << bits) if isinstance(y, int) else y for y in x.args)
        operands = (b.read_value(y, lane, letter) for y in args)
        return b.emit(f"{name}.b{bits}", *operands, letter=letter)

    return write


def _write_cast(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    (y,), (bits, signed) = x.nodes, x.fixed
    if form == "t" and bits == 32 and not signed and y.range.low == y.range.high:
        return str(y.range.low & (1 << bits) - 1)  # a literal is not truncated to a word
    if bits in (32, 64):
        return b.read_value(y, lane, "w" if bits == 32 else "t")
    sign, start = "s" if signed else "u", 0
    if y.op is Op.GATHER and y.fixed[0] == bits and _is_part_of_word(b, y, lane):
        (y, start), lane = _find_part(y, lane), 0
    if bits > 32:
        return b.emit(f"bfe.{sign}64", b.read_register(y, lane, "t"), 0, bits, letter="t")
    return _write_part(b, y, lane, form, start, f"{sign}{bits}")


def _write_gather(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    unit = x.fixed[0]
    word, start = _find_part(x, lane)
    if _is_part_of_word(b, x, lane):
        if unit == 32:
            return b.read_value(word, 0, "w")
        return _write_part(b, word, 0, form, start, f"u{unit}")
    if start + unit > 64:
        raise UnsupportedNodeError(f"bits {start} and above")
    return b.emit("bfe.u64", b.read_register(word, 0, "t"), start, unit, letter="t")


def _find_part(x: Node, lane: int) -> tuple[Node, int]:
    """Return the source word of a GATHER's lane, and the part's first bit."""
    unit, picks = x.fixed
    word, part = picks[lane]
    return x.nodes[word], unit * part


def _is_part_of_word(b: PtxBlock, x: Node, lane: int) -> bool:
    word, start = _find_part(x, lane)
    return start + x.fixed[0] <= 32 and (b.measure_width(word) == 32 or start == 0)


def _write_part(b: PtxBlock, x: Node, lane: int, form: str, start: int, type_: str) -> Operand:
    """Write bits of a word from ``start``, as many as a type has, extended to the form."""
    word = b.read_register(x, lane, "w")
    if form == "t" and start == 0 and type_[1:] in ("8", "16"):
        return b.emit(f"cvt.{type_[0]}64.{type_}", word, letter="t")
    return b.emit(f"bfe.{type_[0]}32", word, start, type_[1:], letter="w")


def _write_pack(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    """Insert lanes into a word that has some already, or else into lane 0."""
    (y,), (unit,) = x.nodes, x.fixed
    if unit * y.lanes != 32:
        raise UnsupportedNodeError(f"{y.lanes} lanes of {unit} bits")
    lanes = [y.find_lane(i) for i in range(y.lanes)]
    words = [_find_word_in_place(b, *part, unit, position) for position, part in enumerate(lanes)]
    base = next((word for word in words if word), None)
    value = b.read_value(base, 0, "w") if base else b.read_value(*_drop_casts(*lanes[0], unit), "w")
    for index, (z, i) in enumerate(lanes):
        if words[index] is not base or (base is None and index > 0):
            part = b.read_value(*_drop_casts(z, i, unit), "w")
            value = b.emit("bfi.b32", part, value, unit * index, unit, letter="w")
    return value


def _find_word_in_place(b: PtxBlock, x: Node, lane: int, unit: int, index: int) -> Node | None:
    """Return the word of which a lane is part number ``index``, if there is one."""
    if x.op is not Op.GATHER or x.fixed[0] != unit or not _is_part_of_word(b, x, lane):
        return None
    word, start = _find_part(x, lane)
    return word if start == unit * index else None


def _drop_casts(x: Node, lane: int, bits: int) -> tuple[Node, int]:
    """Return a node with the same ``bits`` low bits."""
    x, lane = x.find_lane(lane)
    while x.op is Op.CAST and x.fixed[0] >= bits:
        x, lane = x.nodes[0].find_lane(lane)
    return x, lane


def _write_lane_sum(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    (y,) = x.nodes
    letter, bits = _choose_ring_size(b, x, form)
    first, *other_terms = (b.read_value(y, index, letter) for index in x.fixed[0])
    for term in other_terms:
        first = b.emit(f"add.s{bits}", first, term, letter=letter)
    return first


def _write_float_bits(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    return b.emit("cvt.rn.f32.s64", b.read_register(x.nodes[0], lane, "t"), letter="w")


def _write_quotient(b: PtxBlock, x: Node, lane: int, form: str) -> Operand:
    letter, type_ = choose_type(b, *x.args)
    return b.emit(f"div.{type_}", *(b.read_value(y, lane, letter) for y in x.args), letter=letter)


_WRITERS: Mapping[Op, PtxWriter] = {
    Op.SOURCE: _write_source,
    Op.ROW: lambda b, x, lane, form: b.read_value(x.nodes[0], lane, form),
    Op.ADD: _make_ring_writer("add"),
    Op.SUBTRACT: _make_ring_writer("sub"),
    Op.MULTIPLY: _write_product,
    Op.DIVIDE: _write_quotient,
    Op.NEGATIVE: _make_ring_writer("neg"),
    Op.ABSOLUTE: _write_absolute,
    Op.MINIMUM: lambda b, x, lane, form: _write_bounds(b, x, lane, None, x.args[1]),
    Op.MAXIMUM: lambda b, x, lane, form: _write_bounds(b, x, lane, x.args[1], None),
    Op.CLIP: lambda b, x, lane, form: _write_bounds(b, x, lane, *x.fixed),
    Op.SHIFT_LEFT: _write_left_shift,
    Op.SHIFT_RIGHT: _write_right_shift,
    **dict.fromkeys(RELATIONS, _write_comparison),
    Op.NOT: lambda b, x, lane, form: b.emit(
        "not.pred", b.read_value(x.nodes[0], lane, "p"), letter="p"
    ),
    Op.WHERE: _write_choice,
    Op.BITAND: _make_bitwise_writer("and"),
    Op.BITOR: _make_bitwise_writer("or"),
    Op.BITXOR: _make_bitwise_writer("xor"),
    Op.CAST: _write_cast,
    Op.GATHER: _write_gather,
    Op.PACK: _write_pack,
    Op.SUM_LANES: _write_lane_sum,
    Op.FLOAT_BITS: _write_float_bits,
}


def make_replacement(ins: Instruction) -> tuple[str, ...] | None:
    """Return the lines of a block with the documented result, or None if none is known.

    The block declares its own registers under names that the instruction does not use.
    """
    if ins.form.fusions:
        return _hide_results(ins)
    if ins.entry.group is Group.SCALAR:
        return _make_block(ins)
    write = _WRITERS_BY_OPCODE.get(ins.opcode)
    return write(ins) if write and ins.errata else None


def _make_guarded_move(ins: Instruction) -> tuple[str, ...]:
    """Return the instruction without its guard, and a guarded move of its result to d."""
    prefix = f"{_prefix(ins)}w"
    type_ = f".b{ins.type_of('d').bits}"
    set_ = replace(ins, guard=None, destinations=(f"{prefix}0",))
    move = f"{ins.guard} mov{type_} {ins.names['d']}, {prefix}0;"
    return _indent((f".reg {type_} {prefix}<1>;", str(set_), move))


def _replace_field(ins: Instruction) -> tuple[str, ...] | None:
    """Return a shift that fills d with the sign of a (E15), or a field with cut operands (E16)."""
    if ins.form.is_field_outside and ins.form.stype is Type.S32:
        guard = f"{ins.guard} " if ins.guard else ""
        return _indent((f"{guard}shr.s32 {ins.names['d']}, {ins.roles['a']}, 31;",))
    roles = (x.role for x in ins.entry.operands if x.literal_range)  # literals have one byte
    registers = [role for role in roles if isinstance(ins.roles[role], Register)]
    return _limit_operands(ins, registers, "and.b32 {w}, {x}, 255;") if registers else None


def _limit_offset(ins: Instruction) -> tuple[str, ...]:
    """Return ``fns`` with an offset above -2**31: both find nothing (E17).

    The offset may be declared ``.f32``, which ``max.s32`` does not take, but ``mov.b32`` does.
    """
    return _limit_operands(ins, ("c",), "mov.b32 {w}, {x};\nmax.s32 {w}, {w}, -2147483647;")


def _hide_results(ins: Instruction) -> tuple[str, ...]:
    """Return the instruction behind lines that copy its fused operands, so that nothing is fused.

    ptxas removes a ``mov`` before it looks for statements to combine, but none of these lines.
    """
    roles = [x.role for x in ins.form.fusions]
    bits = max(16, ins.form.read_bits or ins.type_of(roles[0]).bits)
    copy = _HALF_COPY if bits == 16 and ins.form.fusions[0].cleared else _COPIES[bits]
    return _limit_operands(replace(ins, form=ins.form._replace(fusions=())), roles, copy)


_COPIES = {
    16: "and.b16 {w}, {x}, -1;",
    32: "prmt.b32 {w}, {x}, 0, 0x3210;",
    64: "and.b64 {w}, {x}, -1;",
}
"""The lines that copy a register and that ptxas keeps long enough, by their bits."""
_HALF_COPY = "max.s16 {w}, {x}, -32768;"
"""The line that copies a half-word from a ``prmt`` (E20): ptxas would remove a mask here."""


def _limit_operands(ins: Instruction, roles: Sequence[str], limit: str) -> tuple[str, ...]:
    """Return the instruction behind lines that limit some of its operands.

    ``limit`` is the PTX that limits the operand ``{x}`` into the register ``{w}``.
    """
    prefix, lines, sources = f"{_prefix(ins)}w", list[str](), dict(ins.roles)
    for role in roles:
        name = f"{prefix}{roles.index(role)}"
        lines += limit.format(w=name, x=_format_operand(sources[role])).splitlines()
        sources[role] = Register(name)
    limited = replace(ins, sources=tuple(sources.values()))
    type_ = lines[0].split(" ", 1)[0].rpartition(".")[2]
    return _indent((f".reg .{type_} {prefix}<{len(roles)}>;", *lines, str(limited)))


_WRITERS_BY_OPCODE: Mapping[str, Callable[[Instruction], tuple[str, ...] | None]] = {
    "set": _make_guarded_move,
    "bfe": _replace_field,
    "bfi": _replace_field,
    "fns": _limit_offset,
}
"""The replacement of an instruction that an erratum affects, outside the scalar video group."""


def _make_block(ins: Instruction) -> tuple[str, ...] | None:
    """Return the documented plan in plain PTX; the last line gets the guard and writes d."""
    operands = {role: _format_operand(source) for role, source in ins.roles.items()}
    lines = write_plain_ptx(record_plan(lower(ins.form)), operands)
    if lines is None:
        return None
    prefix, names = _prefix(ins), dict[PtxRegister, str]()
    counts = {"t": 0, "w": 0, "p": 0}
    for line in lines[:-1]:
        letter = line.target.letter
        names[line.target] = f"{prefix}{letter}{counts[letter]}"
        counts[letter] += 1
    names[lines[-1].target] = ins.names["d"]

    def format_operand(x: PtxRegister | str) -> str:
        return names.get(x, str(x)) if isinstance(x, PtxRegister) else x

    texts = [
        f"{line.operation} {', '.join(map(format_operand, (line.target, *line.sources)))};"
        for line in lines
    ]
    guard = f"{ins.guard} " if ins.guard else ""
    declarations = (
        f".reg .{type_} {prefix}{letter}<{counts[letter]}>;"
        for letter, type_ in (("t", "b64"), ("w", "b32"), ("p", "pred"))
        if counts[letter]
    )
    body = (*declarations, *texts[:-1], guard + texts[-1])
    return _indent(body)


def _indent(body: Sequence[str]) -> tuple[str, ...]:
    return ("{", *(f"    {line}" for line in body), "}")


def _prefix(ins: Instruction) -> str:
    """Return a prefix that makes t0, w0 and p0 differ from the instruction's names."""
    prefix = ""
    while any(re.fullmatch(rf"{prefix}[twp]\d+", name) for name in ins.names.values()):
        prefix += "x"
    return prefix


def _format_operand(source: Register | Immediate) -> str:
    if not isinstance(source, Immediate):
        return source.name
    return source.text if re.fullmatch(r"-?\d{1,9}", source.text) else f"{source.bits:#x}"
