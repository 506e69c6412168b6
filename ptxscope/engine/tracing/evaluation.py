"""Results of an instruction, for integers or for whole arrays of operands."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

from ..isa.types import DESTINATIONS, Role
from ..records import FrozenDict
from ..semantics.lowering import lower
from ..semantics.models import Model, parse_model
from ..semantics.plan import Plan, compute_results
from ..semantics.rules import ISA, Rules
from ..syntax.instruction import Instruction, Signature
from ..syntax.parser import read_instruction
from .operand_bits import (
    ValueT,
    abbreviate_value,
    bind_values,
    complete_carry,
    convert_to_integer,
    is_array,
    is_float,
)

Scalar = SupportsIndex | SupportsFloat
"""An integer, or a float for an operand of a float type."""

if TYPE_CHECKING:
    import numpy.typing as npt

    Value = int | npt.NDArray[Any]
    Given = Scalar | Sequence[Any] | npt.NDArray[Any]
    Outputs = Mapping[str, npt.NDArray[Any]]


def evaluate(
    instruction: str | Instruction,
    values: Mapping[str, Given] = FrozenDict(),
    *,
    model: str | Model = "isa",
    out: Outputs | None = None,
    **named: Given,
) -> dict[str, Value]:
    """Return the destinations' bits by name, unsigned (0 or 1 for predicates).

    ``values`` maps each register that the instruction reads, under its name as written, to an
    integer from -2**(w-1) to 2**w - 1 for w bits, or to an array of integers in that range. For an
    operand of type ``.f32`` or ``.f64``, an integer is its bits and a float is a number, rounded to
    the type. Arrays broadcast and give arrays, also if they have no dimension: uint16, uint32,
    uint64, or bool for predicates. Arrays of float32 or float64, in either byte order, are read as
    bits if the operand's type is ``.f32`` or ``.f64``. Masked arrays are rejected.

    Registers can also be passed by name: ``evaluate("add.u32 d, a, b", a=1, b=2)``. Registers
    called ``model``, ``out``, ``values`` or ``instruction`` must be passed in ``values``.

    ``out`` maps destinations to arrays, by name. Each has the broadcast shape of the operands and a
    dtype as wide as the destination. These arrays are written, even if they share memory with other
    arrays, and returned. Other memory use does not grow with the arrays.

    Raise PtxError if the instruction is invalid, and ValueError if a value is; the message names
    the operand.
    """
    ins = read_instruction(instruction)
    operands = merge_values(values, named)
    return evaluate_plan(ins, partial(make_model_plan, ins), operands, model=model, out=out)


def merge_values(values: Mapping[str, ValueT], named: Mapping[str, ValueT]) -> Mapping[str, ValueT]:
    """Merge the values of registers with those passed by name.

    Raise TypeError if a register is given twice.
    """
    if not named or not isinstance(values, Mapping):  # the caller reports a wrong type
        return values
    if twice := next((name for name in named if name in values), None):
        raise TypeError(f"{twice!r} is given twice")
    return {**values, **named}


def evaluate_plan(
    ins: Signature,
    make_plan: Callable[[Model], Plan],
    values: Mapping[str, Given],
    *,
    model: str | Model,
    out: Outputs | None = None,
) -> dict[str, Value]:
    """Return the results of a model's plan for the registers of ``ins``, as in ``evaluate``."""
    if out is not None and not isinstance(out, Mapping):
        name = next(iter(ins.results.values()), "d")
        raise ValueError(f"out has no names; pass arrays by name: out={{{name!r}: …}}")
    model_ = resolve_model(model)
    values = check_names(ins, values)
    roles = {role for role, name in ins.names.items() if name in values} | ins.constants.keys()
    plan = make_plan(model_)
    check_read(ins, plan, model_, roles)
    if out or not all(map(_is_scalar, values.values())):
        from .array_evaluation import evaluate_arrays

        results: dict[str, Value] = dict(evaluate_arrays(ins, plan, values, out))
    else:
        results = dict(compute_results(plan, bind_values(ins, values)))
    return {name: results[role] for role, name in ins.results.items()}


def make_plan(ins: Instruction, rules: Rules = ISA) -> Plan:
    """Return the plan of an instruction under some rules, including its guard."""
    return lower(ins.effective_form, rules, ins.is_guard_negated)


def make_model_plan(ins: Instruction, model: Model) -> Plan:
    """Return the plan of an instruction under a model, including its guard."""
    return make_plan(ins, model.make_rules(ins.form))


def resolve_model(name: str | Model) -> Model:
    """Return the model with a name; raise ValueError for an unknown name.

    Raise TypeError unless the argument is a string or a Model.
    """
    if isinstance(name, Model):
        return name
    if not isinstance(name, str):
        raise TypeError(
            f"model is {abbreviate_value(name)}; it is the name of a model, such as 'ptxas'"
        )
    return parse_model(name)


def check_names(ins: Signature, values: Mapping[str, ValueT]) -> Mapping[str, ValueT | int]:
    """Return the values by name, with the carry flag if the instruction reads it: 0 by default.

    Raise ValueError unless their names are exactly the registers read, and possibly destinations
    with old values. Raise TypeError unless the values are a mapping.
    """
    if not isinstance(values, Mapping):
        name = next((x.name for x in ins.inputs), "a")
        raise TypeError(
            f"values is {abbreviate_value(values)}; pass values by name: {{{name!r}: …}}"
        )
    completed_values = complete_carry(ins, values)
    for source in ins.inputs:
        if source.name not in completed_values:
            raise ValueError(f"no value for {describe_operand(source.name, source.roles)}")
    operand_names = {name for role, name in ins.names.items() if role not in ins.constants}
    for name in completed_values:
        if name not in operand_names:
            names_text = ", ".join(source.name for source in ins.inputs) or "nothing"
            line = str(ins).rstrip(";")
            raise ValueError(f"{name!s:.60} is not an operand of {line}; it reads {names_text}")
    return completed_values


def check_read(ins: Signature, plan: Plan, model_: Model, roles: Container[str]) -> None:
    """Raise ValueError if a model's plan reads a role outside ``roles``.

    A model may read operands that the documentation does not.
    """
    for source in plan.sources:
        if source.role not in roles:
            raise ValueError(
                f"no value for {ins.format_operand(source.role)}, which {model_.name} reads"
            )


def describe_operand(name: str, roles: tuple[str, ...]) -> str:
    """Format an operand: ``%r2 (operand a)``, ``p (the guard)``, ``d (its old value, …)``."""
    role = roles[0]
    if "." in role:  # an input register of a block
        return name
    if role == Role.GUARD:
        return f"{name} (the guard)"
    if role in DESTINATIONS:
        return f"{name} (its old value, which the guard may keep)"
    plural = "s" if len(roles) > 1 else ""
    return f"{name} (operand{plural} {', '.join(roles)})" if name != role else f"operand {role}"


def _is_scalar(value: object) -> bool:
    """Return whether a value is a single number; arrays of one element are not."""
    return not is_array(value) and (convert_to_integer(value) is not None or is_float(value))
