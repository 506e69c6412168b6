"""PTX arguments: instructions, blocks, places of files, and values of registers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from ...engine.isa.catalog import CATALOG
from ...engine.isa.encodings import format_hex
from ...engine.isa.types import CARRY_REGISTER, DESTINATIONS, Role, Type
from ...engine.semantics.models import Model
from ...engine.syntax.asm_bindings import (
    find_reading_type,
    format_name_clash,
    parse_pasted,
    read_bindings_of,
)
from ...engine.syntax.errors import NotOneError, Problem, PtxError, make_printable
from ...engine.syntax.instruction import Instruction, Signature
from ...engine.syntax.parser import OMISSION_PREFIX
from ...engine.syntax.values import parse_value
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.evaluation import describe_operand
from ...engine.tracing.operand_bits import bind_values, complete_carry
from ...engine.tracing.trace import Trace, trace_program
from .streams import CommandError, print_message, report_errors


def complete_example(arguments: argparse.Namespace) -> argparse.Namespace:
    """Replace the bare name of an instruction or an intrinsic with the line of its example.

    The example's values complete the arguments.
    """
    if arguments.ptx and is_instruction_name(arguments.ptx):
        arguments.ptx, values = _find_example(arguments.ptx)
        names = {text.partition("=")[0].strip() for text in arguments.values}
        example = [f"{name}={bits:#x}" for name, bits in values.items() if name not in names]
        arguments.values = [*example, *arguments.values]
    return arguments


def is_instruction_name(text: str) -> bool:
    """Return whether a text is the bare name of an instruction or an intrinsic, not a file."""
    if text not in CATALOG:
        if not (text.startswith("__") and text.isidentifier()):
            return False
        from ...engine.isa.intrinsics import map_intrinsics

        if text not in map_intrinsics():
            return False
    return not is_file(text)


def _find_example(name: str) -> tuple[str, Mapping[str, int]]:
    """Return the example of an instruction, or of an intrinsic's call."""
    if name in CATALOG:
        return CATALOG[name].example
    from ...engine.isa.intrinsics import map_intrinsics

    intrinsic = map_intrinsics()[name]
    values = CATALOG[intrinsic.ptx.partition(".")[0]].example[1]
    names = intrinsic.parameters
    return f"{name}({', '.join(names)})", {x: values.get(x, 1) for x in names}


def parse_instruction(text: str, *, illegal_status: int = 1) -> Instruction:
    """Return the instruction in a text; exit with a status if it is illegal."""
    try:
        return parse_pasted(text)
    except PtxError as error:
        if isinstance(error, NotOneError) and _is_block(text):
            message = "error: this is a block of instructions; this command takes one instruction"
            raise CommandError(message) from None
        is_legal = isinstance(error, NotOneError) or all(x.unread for x in error.errors)
        raise CommandError(str(error), 2 if is_legal else illegal_status) from None


def _is_block(text: str) -> bool:
    """Whether a text is a block of several instructions, for other commands."""
    from ...blocks.block_parser import find_block

    try:
        return find_block(text) is not None
    except PtxError:
        return False


def map_operand_types(ins: Signature) -> dict[str, Type]:
    """Return the type for reading each register's value."""
    return {name: find_reading_type(ins, role) for role, name in reversed(tuple(ins.names.items()))}


def find_operand_names(ins: Signature, name: str) -> tuple[str, ...]:
    """Return the registers with a name; may be empty.

    A name is a register's, with or without its ``%``; a C variable's, for all of its registers; or
    a role, unless a C variable of the asm statement has this name. Raise PtxError for a constant.
    """
    names = _find_operand_names(ins, name)
    for role, bits in ins.constants.items():
        if ins.names.get(role) in names:
            if _is_hidden(ins, role):
                return ()
            constant = format_hex(bits, ins.type_of(role).bits)
            message = f"`{name}` is the constant {constant} here: it takes no other value"
            raise PtxError(name, (Problem(message, (0, len(name))),))
    return names


def _is_hidden(ins: Signature, role: str) -> bool:
    """Whether an operand does not occur in the call of an intrinsic."""
    start, end = ins.spans.get(role, (0, 0))
    return ins.text[start:end].startswith("__")


def _find_operand_names(ins: Signature, name: str) -> tuple[str, ...]:
    names = ins.names
    matches = tuple(x for x in (name, f"%{name}") if x in names.values())[:1]
    variable = read_bindings_of(ins).find_operands_of_variable(name)
    if matches and variable and matches != variable:
        raise format_name_clash(name, variable)
    if matches or variable:
        return matches or tuple(x for x in variable if x in names.values())
    return (names[name],) if name in names else ()


def find_column_operands(ins: Signature, title: str) -> tuple[str, ...]:
    """Return the registers of a column or an array.

    Raise CommandError like ``find_operand_names``.
    """
    with report_errors():
        return find_operand_names(ins, title)


def parse_assignments(ins: Signature, texts: Sequence[str]) -> dict[str, int]:
    """Return register bits from ``name=value`` arguments of an instruction."""
    types = map_operand_types(ins)
    names, clauses = ins.names.items(), read_bindings_of(ins)
    readable_names = {operand.name for operand in ins.inputs}
    readable_names |= {name for role, name in names if role not in DESTINATIONS}
    result_names = {name for _, name in names} - readable_names
    hint_names = ", ".join(
        _format_operand_name(operand.name, clauses.find_variable_of_operand(operand.name))
        for operand in ins.inputs
    )

    def find_names(operand_name: str) -> tuple[str, ...]:
        matches = find_operand_names(ins, operand_name)
        message = f"`{operand_name}` is not an operand of {ins}"
        if variable := clauses.find_operands_of_variable(operand_name):
            message = f"C's `{operand_name}` is {' and '.join(variable)}, no operand of {ins}"
        hint = hint_names or "no values: it reads none"
        if matches and result_names.issuperset(matches):
            message = f"`{operand_name}` is the destination, and its old value is not read"
            matches, hint = (), hint_names
        if not matches:
            raise PtxError(operand_name, (Problem(message, (0, len(operand_name)), hint),))
        return tuple(x for x in matches if x not in result_names)

    return parse_named_values(
        texts, find_names, lambda name, value: parse_register(name, value, types[name], ins.text)
    )


def parse_register(name: str, value: str, type_: Type, ptx: str) -> int:
    """Return the bits of a value for a register of some PTX; raise PtxError if invalid."""
    try:
        return parse_value(value, type_)
    except PtxError as error:
        hint = _suggest_declaration(name, type_, ptx) if "does not fit" in error.message else ""
        if hint:
            problems = (x._replace(hint=f"{x.hint}; {hint}") for x in error.errors)
            raise PtxError(error.text, tuple(problems)) from None
        raise


def _suggest_declaration(name: str, type_: Type, ptx: str) -> str:
    """Return how to declare a ``cvt``'s register for more than 16 bits."""
    if type_.bits != 16 or "cvt" not in ptx or name[1:].isdigit():
        return ""
    from ...engine.syntax.scopes import collect_registers

    is_declared = collect_registers(ptx).find_type(name)
    return "" if is_declared else f"if `cvt` reads it, write `.reg .b32 {name};` before"


def _format_operand_name(name: str, variables: Sequence[str]) -> str:
    """Return an operand with its C variable: ``%1 (x)``."""
    return f"{name} ({variables[0]})" if variables else name


ValueT = TypeVar("ValueT")


def parse_named_values(
    texts: Sequence[str],
    find_names: Callable[[str], tuple[str, ...]],
    parse: Callable[[str, str], ValueT],
) -> dict[str, ValueT]:
    """Return the values of ``name=value`` arguments, by name.

    ``find_names`` returns the names for a text, ``parse`` the value for a name and a text. Their
    PtxErrors are shown under the argument.
    """
    values: dict[str, ValueT] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        start = 0
        try:
            if not equals:
                problem = Problem("this is not name=value", (0, len(text)), "%1=0xff")
                raise PtxError(text, (problem,))
            names = find_names(key.strip())
            for name in names:
                if name in values:
                    problem = Problem(f"`{name}` is given twice", (0, len(key)))
                    raise PtxError(text, (problem,))
            start = len(key) + 1
            values |= {name: parse(name, value) for name in names}
        except PtxError as error:
            raise CommandError(str(error.shift_into(text, start))) from None
    return values


def bind_operands(
    ins: Signature, bits: Mapping[str, int], error_prefix: str = ""
) -> dict[str, int]:
    """Return all operand bits by role; ``error_prefix`` names the line of an error."""
    _require_values(ins, bits, error_prefix)
    return bind_values(ins, _complete(ins, bits))


def _complete(ins: Signature, bits: Mapping[str, int]) -> Mapping[str, int]:
    """Add the default carry of an instruction to the bits; blocks have no defaults."""
    return complete_carry(ins, bits) if Role.CARRY in ins.names else bits


def _require_values(ins: Signature, bits: Mapping[str, int], error_prefix: str = "") -> None:
    """Raise CommandError, with an example, unless every operand has a value."""
    completed_bits = _complete(ins, bits)
    missing_operands = [operand for operand in ins.inputs if operand.name not in completed_bits]
    if missing_operands:
        descriptions = ", ".join(
            describe_operand(operand.name, operand.roles) for operand in missing_operands
        )
        example = " ".join(
            f"{operand.name}={'0' if operand.name == CARRY_REGISTER else '0x1'}"
            for operand in missing_operands
        )
        raise CommandError(
            f"error: {error_prefix}no value for {make_printable(descriptions)}; "
            f"add {make_printable(example)}"
        )


def build_trace(block: BasicBlock, assignments: Sequence[str], model: Model) -> Trace:
    """Return the trace of a block; the ``name=value`` arguments must name all its inputs."""
    with report_errors(ValueError):
        return trace_program(block, parse_all_assignments(block, assignments), model=model)


def print_folding_notes(block: BasicBlock, model: Model) -> None:
    """Print warnings about incorrectly folded constants under a model of ptxas."""
    instructions = [x.instruction for x in block.statements]
    if model.errata and any(x.constants for x in instructions):
        from ...engine.tracing.folding_bugs import list_folding_notes

        for note in list_folding_notes(instructions, model):
            print_message(f"note: {note}")


def parse_all_assignments(ins: Signature, assignments: Sequence[str]) -> dict[str, int]:
    """Return the bits of all inputs from ``name=value`` arguments."""
    values = parse_assignments(ins, assignments)
    _require_values(ins, values)
    return values


PLACE = re.compile(r"(?P<file>.+):(?:(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?|(?P<kernel>[\w$]+))")
"""Lines of a file, or a kernel in it: ``FILE:10-17``, ``FILE:KERNEL``."""
_IN_NO_FILE_NAME = re.compile(r"[\s;,{}()\"]")


_SUFFIXES = (
    *(".ptx", ".cu", ".cuh", ".c", ".h", ".py", ".txt"),
    *(".rs", ".md", ".html", ".ll", ".mlir", ".jl", ".ipynb"),
)


def is_file_name(text: str) -> bool:
    """Return whether a text is a file's name instead of an instruction."""
    return ("/" in text or text.endswith(_SUFFIXES)) and not _IN_NO_FILE_NAME.search(text)


def check_no_file_name(text: str) -> None:
    """Raise CommandError if a text that is not PTX is, or looks like, a file's name."""
    name = make_printable(text)
    if is_file(text):
        raise CommandError(f"error: {name} is a file; name its lines, as in {name}:10-17")
    if is_file_name(text):
        raise CommandError(f"error: {name}: there is no such file")


def parse_ptx(text: str) -> BasicBlock:
    """Return the instruction in a text, or the block of several; exit if one is illegal.

    ``FILE:10-17`` names lines of a file. An instruction among other statements that write registers
    is a block.
    """
    if (place := PLACE.fullmatch(text)) and place["first"]:
        file = place["file"]
        if is_file(file):
            from ...blocks.block_parser import parse_block

            source, lines = read_place(place)
            with report_errors(status=1):
                return parse_block(source, file, lines)
        if ("." in file or "/" in file) and not _IN_NO_FILE_NAME.search(file):
            raise CommandError(f"error: {make_printable(file)}: there is no such file")
    try:
        ins = parse_pasted(text)
    except PtxError as error:
        check_no_file_name(text)
        if not isinstance(error, NotOneError) and not all(x.unread for x in error.errors):
            return _find_legal_block(text, error)
        block = _find_block(text)
        if block is None:
            raise CommandError(str(error), 2) from None
        return block
    has_others = any(note.startswith(OMISSION_PREFIX) for note in ins.notes)
    return (has_others and _find_block(text)) or make_block(ins)


def read_place(place: re.Match[str]) -> tuple[str, range]:
    """Return the text of a place's file, and its lines; no lines for a kernel.

    Raise CommandError if it can't be read, or the lines do not exist.
    """
    from .inputs import open_text

    with open_text(place["file"]) as stream:
        text = stream.read()
    if not place["first"]:
        return text, range(0)
    first, last = int(place["first"]), int(place["last"] or place["first"])
    count, problem = len(text.splitlines()), ""
    if not first:
        problem = "lines are counted from 1"
    elif first > last:
        problem = f"the lines are reversed; write {last}-{first}"
    elif first > count:
        problem = f"the file has {count} lines"
    if problem:
        raise CommandError(f"error: {make_printable(place[0])}: {problem}")
    return text, range(first, last + 1)


def _find_legal_block(text: str, error: PtxError) -> BasicBlock:
    """Return the block in a text with an illegal instruction; exit with the error if there is none.

    Problems with lists of registers, which a block allows, are shown only if they are the only
    ones.
    """
    from ...blocks.block_parser import find_block

    with suppress(PtxError):
        if block := find_block(text):
            return block
    problems = tuple(x for x in error.errors if "{" not in text[slice(*x.span)])
    message = str(PtxError(text, problems) if problems else error)
    if is_instruction_name(text):
        message += f"\n  example: {_find_example(text)[0]}"
    raise CommandError(message, 1)


def _find_block(text: str) -> BasicBlock | None:
    """Return the block in a text, or None; exit if it can't be computed."""
    from ...blocks.block_parser import find_block

    with report_errors(status=1):
        return find_block(text)


def is_file(text: str) -> bool:
    """Return whether a text names a file instead of being PTX."""
    from pathlib import Path

    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or not a name
        return False
