"""Type checks of an instruction's registers against their declarations.

This is the operand type checking of the PTX ISA, as an assembler does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from ..isa.types import DESTINATIONS, Role, Type
from .errors import Problem, quote_word
from .instruction import Instruction
from .scopes import CONSTANT, FUNCTION, Declaration, Scopes


class RegisterProblemKind(Enum):
    """The reason why a register does not suit its place."""

    UNDECLARED = "undeclared"
    """The name is not a suitable register's."""
    TYPE = "register-type"
    """The declared type does not match."""
    UNSEEN = "unseen"
    """The name has no declaration here, but may have one elsewhere."""
    COMPONENT = "component"
    """The vector register lacks this component; ptxas assembles the line, but reads nothing."""
    UNCHECKED = "unread"
    """The name is declared, but its kind is not checked."""


class RegisterProblem(NamedTuple):
    """A problem with a register."""

    kind: RegisterProblemKind
    message: str
    hint: str = ""
    """The alternatives that are allowed there."""


_TYPE = re.compile(r"([bsuf])(\d+)")
_HALF_REGISTERS = {
    Type.F16: ("b16", "f16"),
    Type.F16X2: ("b32", "f16x2"),
    Type.BF16: ("b16",),
    Type.BF16X2: ("b32",),
}
"""The declared types that halves accept in ptxas 13.0."""
_BYTE_REGISTERS = frozenset(("b8", "s8", "u8"))
"""The declared types that only ``cvt``, loads, stores and vectors accept (PTX ISA 5.2.2)."""


@lru_cache(maxsize=1 << 10)
def is_compatible(declared_type: str, type_: Type) -> bool:
    """Whether a register of a declared type suits an instruction type.

    Sizes must be equal. Signed and unsigned types match, and bit types match all. ptxas reads
    ``f16x2`` as an integer of 32 bits. An unknown declared type is assumed to match.
    """
    if "pred" in (declared_type, str(type_)):
        return declared_type == str(type_)
    match = _TYPE.fullmatch("u32" if declared_type == "f16x2" else declared_type)
    if not match:
        return True
    if type_.is_half:
        return declared_type in _HALF_REGISTERS[type_]
    if type_.lanes > 1:
        return declared_type in ("b32", "f16x2")
    kind, expected_kind = match[1], str(type_)[0]
    if int(match[2]) != type_.bits:
        return False
    return "b" in (kind, expected_kind) or (kind == "f") == (expected_kind == "f")


def fit_registers(ins: Instruction, scopes: Scopes) -> Instruction:
    """Return a ``cvt`` with the widths of its registers, which may exceed its types' (9.4.1).

    Any other instruction is returned as it is.
    """
    if not ins.entry.can_have_wider_registers:
        return ins
    widths = {
        role: scopes.find_type(name.partition(".")[0]) for role, name in ins.written_names.items()
    }
    return with_register_widths(
        ins,
        {
            role: int(match[2])
            for role, type_ in widths.items()
            if type_ and (match := _TYPE.fullmatch(type_)) and match[1] != "f" and match[2] != "128"
        },
    )


def with_register_widths(ins: Instruction, widths: Mapping[str, int]) -> Instruction:
    """Return a ``cvt`` with register widths by role; a width below its type's is ignored."""
    form = ins.form
    if widths.get("d", 0) > ins.type_of("d").bits:
        form = form._replace(written_bits=widths["d"])
    if widths.get("a", 0) > ins.type_of("a").bits:
        form = form._replace(read_bits=widths["a"])
    return ins if form == ins.form else replace(ins, form=form)


def find_register_problems(ins: Instruction, scopes: Scopes) -> Iterator[Problem]:
    """Yield the problems that make an assembler reject an instruction's registers."""
    for role, name in ins.written_names.items():
        problem = check_register(scopes, ins, role, name, ins.get_written_type(role))
        if problem and problem.kind in (RegisterProblemKind.UNDECLARED, RegisterProblemKind.TYPE):
            yield Problem(problem.message, ins.spans.get(role, ins.spans["opcode"]), problem.hint)


def has_function_operand(ins: Instruction, scopes: Scopes) -> bool:
    """Whether an operand is the address of a function; the catalog has no such operand."""
    declarations = (scopes.find_declaration(name) for name in ins.written_names.values())
    return any(x is not None and x.type == FUNCTION for x in declarations)


def find_name_problem(scopes: Scopes, name: str, type_: str) -> RegisterProblem | None:
    """Return the problem of a name that cannot be a register's, or None.

    ``type_`` is a type that its declaration may have.
    """
    declaration = scopes.find_declaration(name)
    if declaration is None and scopes.is_undeclared(name):
        message = f"{quote_word(name)} is not declared here"
        is_certain = scopes.is_complete
        kind = RegisterProblemKind.UNDECLARED if is_certain else RegisterProblemKind.UNSEEN
        return RegisterProblem(kind, message, f".reg .{type_} {name};")
    if declaration is None or declaration.is_register:
        return None
    return _make_no_register_problem(name, declaration)


def check_register(
    scopes: Scopes, ins: Instruction, role: str, register: str, type_: Type
) -> RegisterProblem | None:
    """Return the problem of a register in a role of an instruction; None if it is acceptable.

    ``register`` may differ from the name in ``ins``.
    """
    name, _, component = register.partition(".")
    declaration = scopes.find_declaration(name)
    if declaration is None or not declaration.is_register:
        declared_type = "pred" if type_ is Type.PRED else f"b{type_.bits}"
        return find_name_problem(scopes, name, declared_type)
    if declaration.type == CONSTANT:
        return _check_constant(ins, role, name, type_)
    if bool(declaration.vector) != bool(component):
        message = f"{quote_word(name)} is declared as a vector; use one of its components"
        if not declaration.vector:
            message = f"{quote_word(name)} is not declared as a vector; it has no components"
        return RegisterProblem(
            RegisterProblemKind.UNDECLARED, message, f"{name}.x" if declaration.vector else name
        )
    if component and "xyzw".index(component) >= declaration.vector:
        message = (
            f"{quote_word(name)} is a .v{declaration.vector}: "
            f"{quote_word(register)} is not part of it"
        )
        return RegisterProblem(
            RegisterProblemKind.COMPONENT, f"{message} and has no value", f"{name}.x {name}.y"
        )
    if ins.entry.can_have_wider_registers and declaration.type in _BYTE_REGISTERS:
        type_ = (ins.form.dtype if role in DESTINATIONS else ins.form.atype) or type_
    if is_compatible(declaration.type, type_) and not _is_refused(ins, role, declaration.type):
        return None
    kind = "a predicate" if type_ is Type.PRED else f".{type_}"
    origin = "{} by its constraint" if declaration.is_operand else "declared {}"
    message = (
        f"{quote_word(register)} is {origin.format(f'.{declaration.type}')}, but "
        f"{_format_role(role)} is {kind}"
    )
    return RegisterProblem(RegisterProblemKind.TYPE, message, _format_fitting_types(type_))


def _is_refused(ins: Instruction, role: str, declared_type: str) -> bool:
    """Whether ptxas 13.0 refuses a register of a declared type despite its matching size."""
    if declared_type != "f16x2":
        return False
    is_refused = role != Role.GUARD and ins.entry.get_operand(role).refuses_f16x2
    return is_refused or bool(getattr(ins.form, f"neg{role}", False))


def _check_constant(ins: Instruction, role: str, name: str, type_: Type) -> RegisterProblem | None:
    """Return the problem of an asm operand that is an integer, or None."""
    reason, hint = "", "a register"
    if role == "guard" or role in DESTINATIONS:
        reason, hint = f", but {_format_role(role)} is a register", _format_fitting_types(type_)
    elif not ins.entry.can_take_immediates:
        reason = f": `{ins.opcode}` takes no literal, dual and quad forms read registers only"
    elif getattr(ins.form, f"{role}sel", None) is not None:
        reason = ": it takes no selector"
    elif type_.lane_type.is_float:
        reason, hint = f", but {_format_role(role)} is .{type_}", _format_fitting_types(type_)
    if not reason:
        return None
    message = f"{quote_word(name)} is an integer by its constraint{reason}"
    return RegisterProblem(RegisterProblemKind.TYPE, message, hint)


def _format_role(role: str) -> str:
    return "the guard" if role == "guard" else f"operand {role}"


def _make_no_register_problem(name: str, declaration: Declaration) -> RegisterProblem:
    if declaration.type == FUNCTION:
        return RegisterProblem(
            RegisterProblemKind.UNCHECKED, f"{quote_word(name)} is a function; this is not checked"
        )
    message = f"{quote_word(name)} is a {declaration.type} variable: its address is not a register"
    return RegisterProblem(RegisterProblemKind.UNDECLARED, message, "a register")


def _format_fitting_types(type_: Type) -> str:
    if type_ is Type.PRED:
        return ".pred"
    if type_.is_half:
        return " ".join(f".{x}" for x in _HALF_REGISTERS[type_])
    if type_.lanes > 1:
        return f".b{type_.bits}"
    kinds = {"f": "bf", "b": "bsuf"}.get(str(type_)[0], "bsu")
    return " ".join(f".{kind}{type_.bits}" for kind in kinds if (kind, type_.bits) != ("f", 16))
