"""Floats as terms of the solver: bit for bit as exact fractions, and runs, have them."""

from __future__ import annotations

import pytest

from ptxscope.features.compare.float_terms import FloatFunctions
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.prove.proof_question import ProofQuestion
from tests.features.compare.kernel_texts import make_kernel
from tests.features.kernels.float_forms import (
    CONVERSIONS,
    FORMS,
    Form,
    draw_arithmetic,
    draw_conversion,
    draw_small_floats,
    get_bits,
    make_form_text,
    split_types,
)
from tests.tiers import sampled, whole

pytest.importorskip("bitwuzla")


def check_terms(form: Form) -> None:
    """The results have the expected bits and no others; for None, only whether it is a NaN."""
    bits, source_bits = map(get_bits, split_types(form.name))
    (function,) = load_device_code(make_form_text(form)).kernels
    (statement,) = (x for x in function.statements if x.name == form.name)
    question = ProofQuestion(60)
    floats, terms = FloatFunctions(question), question.solver.terms
    results = []
    for row in form.rows:
        node = floats.apply(statement, bits, [terms.make_value(x, source_bits) for x in row])
        results.append(question.vectors.variables[node.fixed[0]])
    assert not floats.other_names
    assert bool(floats.unknown_nans) or None not in form.expected
    assert question.solver.is_possible(*floats.facts)
    for row, value, term in zip(form.rows, form.expected, results, strict=True):
        actual = question.solver.get_value(term)
        if value is not None:
            assert f"{actual:#x}" == f"{value:#x}", [hex(x) for x in row]
    others = [
        terms.make("DISTINCT", term, terms.make_value(value, bits))
        for term, value in zip(results, form.expected, strict=True)
        if value is not None
    ]
    assert not question.solver.is_possible(*floats.facts, terms.join("OR", others))


@pytest.mark.parametrize("name", FORMS)
@sampled
def test_arithmetic(name: str) -> None:
    check_terms(draw_arithmetic(name))


@pytest.mark.parametrize("name", CONVERSIONS)
@sampled
def test_conversions(name: str) -> None:
    check_terms(draw_conversion(name))


@pytest.mark.parametrize("kind", ["e4m3x2", "e5m2x2"])
@whole
def test_floats_of_8_bits(kind: str) -> None:
    check_terms(draw_small_floats(kind))


def test_conversions_of_several_widths_are_several_operations() -> None:
    """Operations of equal operands are one; operands of 32 and 64 bits cannot be equal."""
    lines = "cvt.rn.f32.s32 a, n0;\ncvt.rn.f32.s64 b, x;\ncvt.rn.f32.s64 b, y;\n"
    (function,) = load_device_code(make_kernel(lines)).kernels
    question = ProofQuestion(60)
    floats, terms = FloatFunctions(question), question.solver.terms
    narrow, wide = terms.make_variable(32, "n0"), terms.make_variable(64, "x")
    same = terms.make("BV_ADD", wide, terms.make_value(0, 64))
    statements = [x for x in function.statements if x.opcode == "cvt"]
    for x, operand in zip(statements, (narrow, wide, same), strict=True):
        floats.apply(x, 32, [operand])
    sums = floats.unify(5)
    assert len(sums) == len(floats.facts)
    assert [x == y for x, y in zip(sums, floats.facts, strict=True)].count(False) > 0
