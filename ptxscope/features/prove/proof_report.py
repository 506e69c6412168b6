"""A proof as a report and as JSON: the answer, and how both sides compute a counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...documents.content.command_words import list_command_words
from ...documents.content.document_builder import build_document
from ...documents.formats.diagnosis_report import VALUE_INDENTS
from ...documents.formats.json_text import Fields, convert_to_json
from ...documents.formats.markup import (
    Block,
    make_heading,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...documents.formats.text import WIDTH, iter_step_lines, wrap_command
from ...engine.isa.encodings import format_hex
from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.semantics.models import Model
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.folding_bugs import list_folding_notes
from ...engine.tracing.trace import Trace
from .differences import Difference
from .operand_search import OperandSearch
from .proof import Proof, Verdict

_LETTERS = "AB"
_ADVICE = "--timeout gives it more time; --where asks about fewer operands."
"""Advice for an undecided question, on the command line."""


def iter_proof_blocks(
    proof: Proof, *, is_brief: bool = False, width: int = WIDTH, advice: str = _ADVICE
) -> Iterator[Block]:
    """Yield a proof; unless brief, with the steps of a counterexample, for which `width` is.

    ``advice`` is the advice for an undecided question.
    """
    yield from _iter_program_blocks(proof)
    yield make_paragraph(format_answer(proof, advice))
    if proof.value_verdict is Verdict.DIFFERENT:
        yield make_verbatim(_iter_result_lines(proof))
        yield from _iter_difference_blocks(proof)
        if not is_brief:
            yield from _iter_trace_blocks(proof, width)


def _iter_program_blocks(proof: Proof) -> Iterator[Block]:
    has_models = proof.models[0] != proof.models[1] or proof.models[0].errata
    for letter, program, model in zip(_LETTERS, proof.programs, proof.models, strict=True):
        text = f"{letter}  {program}{f'  ({model.name})' if has_models else ''}"
        yield make_paragraph(text, "", "   ", is_close=True)
        for note in (*_list_notes(proof, program), *_list_folding_notes(program, model)):
            yield make_paragraph(note, "   ", "   ", is_close=True)


def _list_notes(proof: Proof, program: BasicBlock) -> tuple[str, ...]:
    """Return the remarks on a program; one says that its last flag is not compared."""
    is_compared = any(CARRY_REGISTER in pair for pair in proof.pairs)
    if CARRY_REGISTER not in program.results.values() or is_compared:
        return program.notes
    return (*program.notes, f"{CARRY_REGISTER} at the end is not compared; --carry compares it")


def _list_folding_notes(program: BasicBlock, model: Model) -> tuple[str, ...]:
    return list_folding_notes((x.instruction for x in program.statements), model)


def format_answer(proof: Proof, advice: str = _ADVICE) -> str:
    """Return the sentence that answers: ``Equal for all 2^96 values of a, b, c. …``."""
    if not proof.uncompared:
        return _format_value_answer(proof, advice)
    first, *others = proof.uncompared
    statements = f"{first}{f' and {len(others)} more' if others else ''}"
    if proof.value_verdict is None:
        return (
            f"Undecided: memory is not compared: {statements}. A store counts as a result only if "
            "it is a plain `st` without a guard, and if the values that are stored are computed "
            "and pair one to one with the results of the other side."
        )
    answer = _format_value_answer(proof, advice)
    return (
        f"Undecided: memory is not compared, nor the values of special registers: {statements}. "
        "If registers of one name are given the same values, and these results are stored at the "
        f"same addresses: {answer[0].lower()}{answer[1:]}"
    )


def _format_value_answer(proof: Proof, advice: str) -> str:
    seconds = format_seconds(proof.seconds)
    if proof.value_verdict is Verdict.UNDECIDED:
        return (
            f"Undecided: {proof.solver} found neither a proof nor a counterexample in {seconds}. "
            f"{advice}"
        )
    if proof.value_verdict is Verdict.EQUAL:
        proved = f"Proved in {seconds} ({proof.solver})."
        reason = "Both compute the same operations." if proof.has_same_plan else proved
        return f"Equal for {format_operand_space(proof)}. {reason}"
    operands = format_operands(proof.inputs, proof.operands)
    return f"Different, for example for {operands or 'all there is'}. Found in {seconds}."


def format_seconds(seconds: float) -> str:
    """Return ``12 ms`` or ``2.5 s``."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def format_operand_space(proof: Proof) -> str:
    """Return the operands that were considered: ``all 2^96 values of a, b, c``."""
    names = ", ".join(proof.inputs)
    if not names:
        return "these constants"
    space = f"all 2^{proof.bits} values of {names}"
    return f"all values of {names} with {proof.restriction}" if proof.restriction else space


def format_operands(types: Mapping[str, Type], operands: Mapping[str, int]) -> str:
    """Return ``a = 0x00000080, b = 0``."""
    return ", ".join(
        f"{name} = {format_hex(bits, types[name].bits) if bits else 0}"
        for name, bits in operands.items()
    )


def _iter_result_lines(proof: Proof) -> Iterator[str]:
    for pair, values in zip(proof.pairs, proof.results, strict=True):
        for index, letter in enumerate(_LETTERS):
            name = pair[index] or f"{pair[1 - index]}, as before,"
            bits = _get_result_bits(proof, pair)
            mark = "" if values[0] != values[1] else "  (the same)"
            yield f"  {letter}  {name} = {format_hex(values[index], bits)}{mark}"


def _get_result_bits(proof: Proof, pair: tuple[str, str]) -> int:
    if proof.is_passage(pair):
        return 1
    index = 0 if pair[0] else 1
    program = proof.programs[index]
    role = next(role for role, name in program.results.items() if name == pair[index])
    return program.type_of(role).bits


def _iter_difference_blocks(proof: Proof) -> Iterator[Block]:
    if difference := proof.difference:
        names = (
            x or y
            for (x, y), (first, second) in zip(proof.pairs, proof.results, strict=True)
            if first != second
        )
        part = f"Byte {difference.part[1:]} of {next(names)} differs" if difference.part else ""
        clauses = []
        if difference.condition:
            manner = "exactly where" if difference.is_exact else "only where"
            clauses.append(f"{manner} {difference.condition}")
        if difference.number:
            parts = " and ".join(difference.parts)
            values = f"{difference.number:,} of the {difference.total:,} values of {parts}"
            clauses.append(f"for {values}" if parts else "for all operands")
        yield make_paragraph(f"{part or 'They differ'} {', that is '.join(clauses)}.")


# --- the two evaluations ---------------------------------------------------------------------


def _iter_trace_blocks(proof: Proof, width: int) -> Iterator[Block]:
    """Yield the steps of both sides from the first that differs, and the commands for them."""
    parts = [[*_iter_parts(trace, width)] for trace in proof.traces]
    pairs = [x[0] == y[0] for x, y in zip(*parts, strict=False)]
    first = [*pairs, False].index(False)
    note = ", from the step where they differ" if first else ""
    for letter, trace, own_parts in zip(_LETTERS, proof.traces, parts, strict=True):
        yield make_heading(f"{letter}{note}")
        shown = own_parts[min(first, len(own_parts) - 1) :]
        yield make_verbatim((line for _, lines in shown for line in lines), is_close=True)
        yield make_verbatim(wrap_command(list_command_words(trace), width), "sh", is_close=True)


def _iter_parts(trace: Trace, width: int) -> Iterator[tuple[object, Iterable[str]]]:
    """Yield the values and the lines of each statement, or of each step of the only one."""
    if len(trace.parts) == 1:
        for step in build_document(trace).steps:
            values = [(x.key, x.values) for x in step.rows]
            yield values, iter_step_lines(step, width)
        return
    lines = _iter_statement_lines(trace)
    for (statement, part), line in zip(trace.statements, lines, strict=True):
        yield (statement.text, part.result), (line,)


def _iter_statement_lines(trace: Trace) -> Iterator[str]:
    """Yield the statements of a block with their results."""
    width = min(max(len(x.text) for x in trace.block.statements) + 2, WIDTH - 24)
    for statement, part in trace.statements:
        types = {
            name: part.instruction.type_of(role) for role, name in part.instruction.results.items()
        }
        results = format_results(part.result, types)
        text = f"{statement.text};"
        yield (
            f"  {text:<{width}}  {results}"
            if len(text) <= width
            else f"  {text}\n{'':{width + 4}}{results}"
        )


def format_results(results: Mapping[str, int], types: Mapping[str, Type]) -> str:
    """Return ``d = 0x00000080``."""
    return ", ".join(
        f"{name} = {format_hex(bits, types[name].bits)}" for name, bits in results.items()
    )


# --- JSON ------------------------------------------------------------------------------------


_FIELDS: Fields = {
    Proof: "verdict programs operands=inputs where=restriction compared=pairs "
    "same_operations=has_same_plan seconds solver",
    Difference: "part condition exact=is_exact number total of=parts",
    OperandSearch: "ptx=program model=model.name where given operands=inputs answers "
    "complete=is_complete undecided=is_undecided seconds solver",
    Type: lambda x: x.bits,
    BasicBlock: str,
    float: lambda x: round(x, 6),
}


def proof_to_json(proof: Proof) -> dict[str, object]:
    """Return a proof as JSON, in the shape of ``prove -f json``."""
    document: dict[str, object] = convert_to_json(proof, _FIELDS)
    sides = zip(proof.programs, proof.models, proof.names, strict=True)
    document["programs"] = [
        {
            "ptx": str(program),
            "model": model.name,
            "reads": names,
            "notes": [*_list_notes(proof, program), *_list_folding_notes(program, model)],
        }
        for program, model, names in sides
    ]
    if proof.uncompared:
        document["uncompared"] = proof.uncompared
        if proof.value_verdict:
            document["if_these_agree"] = proof.value_verdict
    if proof.value_verdict is Verdict.DIFFERENT:
        document["counterexample"] = {"operands": proof.operands, "results": proof.results}
    if proof.difference:
        document["difference"] = convert_to_json(proof.difference, _FIELDS)
    return document


# --- searches --------------------------------------------------------------------------------


def iter_search_blocks(search: OperandSearch) -> Iterator[Block]:
    """Yield the operands that were found, with their results."""
    yield make_paragraph(str(search.program), "", "    ")
    yield make_paragraph(f"where {search.where}", is_close=True)
    types = {name: search.program.type_of(role) for role, name in search.program.results.items()}
    points = []
    for operands in search.answers:
        operands_text = format_operands(search.inputs, operands) or "always"
        result = search.make_trace(operands).result
        results_text = format_results(result, types)
        points.append([f"{operands_text}  ->  {results_text}"])
    if points:
        yield make_points(points, VALUE_INDENTS)
    yield make_paragraph(format_search_answer(search))
    if search.answers:
        trace = search.make_trace(search.answers[0])
        yield make_verbatim(wrap_command(list_command_words(trace)), "sh")


def format_search_answer(search: OperandSearch) -> str:
    """Return a sentence on other answers: whether there are any, or that there are none at all."""
    seconds = f"{format_seconds(search.seconds)} ({search.solver})"
    names = ", ".join(name for name in search.inputs if name not in search.given)
    if search.is_undecided:
        more = "others" if search.answers else "any"
        return f"Undecided: whether there are {more} is not known after {seconds}."
    if not search.answers:
        clause = f"holds for no values of {names}" if names else "does not hold for these values"
        return f"None: the condition {clause}. Proved in {seconds}."
    count = len(search.answers)
    found = "Found" if count == 1 else f"{count} found"
    return f"{found} in {seconds}{'; there are no others' if search.is_complete else ''}."


def search_to_json(search: OperandSearch) -> dict[str, object]:
    """Return a search as JSON, in the shape of ``find -f json``."""
    answers = [{"operands": x, "results": search.make_trace(x).result} for x in search.answers]
    return {**convert_to_json(search, _FIELDS), "answers": answers}
