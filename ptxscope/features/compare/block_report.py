"""A comparison of blocks with floats as a report and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.formats.markup import Block, make_paragraph, make_verbatim
from ...engine.isa.encodings import format_float, format_hex
from ...engine.isa.types import Type
from ..prove.proof import Verdict
from ..prove.proof_report import format_seconds
from .comparison import KernelComparison
from .comparison_report import format_undecided, list_float_assumptions
from .file_kernel import LETTERS
from .float_blocks import RESULT_BYTES, BlockPair

_FLOATS = {"f16": Type.F16, "bf16": Type.BF16, "f32": Type.F32, "f64": Type.F64}


def iter_block_blocks(pair: BlockPair, comparison: KernelComparison) -> Iterator[Block]:
    """Yield the answer, the results for the counterexample, and assumptions."""
    models = [x.model for x in comparison.kernels]
    for letter, block, model in zip(LETTERS, pair.blocks, models, strict=True):
        note = f"  ({model.name})" if models[0] != models[1] or model.errata else ""
        yield make_paragraph(f"{letter}  {block.label}{note}", "", "   ", is_close=True)
    yield make_paragraph(_format_answer(pair, comparison))
    if comparison.verdict is Verdict.DIFFERENT:
        yield make_verbatim(_iter_result_lines(pair, comparison))
    assumptions = list_float_assumptions(comparison)
    if assumptions and comparison.verdict is not Verdict.UNDECIDED:
        yield make_paragraph(f"Assumed: {'; '.join(assumptions)}.")


def _format_answer(pair: BlockPair, comparison: KernelComparison) -> str:
    seconds = format_seconds(comparison.seconds)
    names = ", ".join(pair.operands)
    if comparison.verdict is Verdict.EQUAL:
        count = sum(pair.get_bits(x) for x in pair.operands)
        space = f"all 2^{count} values of {names}" if names else "these constants"
        if comparison.where:
            space = f"all values of {names} with {comparison.where}"
        proved = f"Proved in {seconds} ({comparison.solver})."
        reason = "Both compute the same operations." if comparison.has_same_terms else proved
        return f"Equal for {space}. {reason}"
    if comparison.verdict is Verdict.UNDECIDED:
        return format_undecided(comparison)
    operands = ", ".join(
        f"{name} = {_format_bits(value, pair.get_bits(name), pair.find_type(name))}"
        for name, value in _list_operands(pair, comparison).items()
    )
    return f"Different, for example for {operands or 'all there is'}. Found in {seconds}."


def _list_operands(pair: BlockPair, comparison: KernelComparison) -> dict[str, int]:
    """Return the operands of the counterexample by their names."""
    run = comparison.replay
    assert run
    arguments = [int(run.arguments.get(f"param{i}", 0)) for i in range(len(pair.operands))]  # type: ignore[arg-type]
    return {
        name: value & (1 << pair.get_bits(name)) - 1
        for name, value in zip(pair.operands, arguments, strict=True)
    }


def _list_results(comparison: KernelComparison) -> list[tuple[int, int]]:
    """Return the pairs of results that differ, by their number; equal ones are left out."""
    run = comparison.replay
    assert run
    return [(x.offset // RESULT_BYTES, i) for i, x in enumerate(run.differences)]


def _iter_result_lines(pair: BlockPair, comparison: KernelComparison) -> Iterator[str]:
    run = comparison.replay
    assert run
    if run.obstacle:
        yield f"  no run shows it: {run.obstacle}"
    for number, i in _list_results(comparison):
        for index, letter in enumerate(LETTERS):
            register = pair.results[number][index]
            name = pair.blocks[index].get_name(register)
            bits = pair.get_bits(pair.get_key(index, register))
            value = run.differences[i].values[index]
            yield f"  {letter}  {name} = {_format_bits(value, bits, pair.find_type(name))}"


def _format_bits(value: int, bits: int, type_: str) -> str:
    """Return bits, and the floats that they are: ``0x3c00bc00 (1.0, -1.0)``."""
    float_type = _FLOATS.get(type_.removesuffix("x2"))
    text = format_hex(value, bits) if value else "0"
    if float_type is None or bits % float_type.bits or not value:
        return text
    lanes = [value >> x & (1 << float_type.bits) - 1 for x in range(0, bits, float_type.bits)]
    return f"{text} ({', '.join(format_float(x, float_type) for x in reversed(lanes))})"


def block_comparison_to_json(pair: BlockPair, comparison: KernelComparison) -> dict[str, object]:
    """Return a comparison as JSON, in the shape of ``prove -f json`` for blocks with floats."""
    document: dict[str, object] = {
        "verdict": comparison.verdict,
        "programs": [
            {"ptx": block.label, "model": kernel.model.name}
            for block, kernel in zip(pair.blocks, comparison.kernels, strict=True)
        ],
        "inputs": {x: pair.get_bits(x) for x in pair.operands},
        "where": comparison.where,
        "assumptions": list_float_assumptions(comparison),
        "same_operations": comparison.has_same_terms,
        "seconds": round(comparison.seconds, 6),
        "solver": comparison.solver,
    }
    if comparison.reason:
        document["reason"] = comparison.reason
    if comparison.verdict is Verdict.DIFFERENT and comparison.replay:
        differences = comparison.replay.differences
        document["counterexample"] = {
            "operands": _list_operands(pair, comparison),
            "results": [
                {
                    "names": [
                        pair.blocks[j].get_name(pair.results[number][j])
                        for j in range(len(LETTERS))
                    ],
                    "values": differences[i].values,
                }
                for number, i in _list_results(comparison)
            ],
        }
    return document
