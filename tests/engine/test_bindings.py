"""What the operands of a pasted asm statement say: C variables, constraints."""

from __future__ import annotations

import pytest

from ptxscope import evaluate
from ptxscope.blocks.execution import execute
from ptxscope.engine.syntax.asm_bindings import parse_pasted, read_bindings_of
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.parser import parse
from ptxscope.sources.source_programs import load
from tests.reference_data import read_lines

ADD = '"vadd.u32.u32.u32 %0, %1, %2;"'


def parse_operands(text: str) -> dict[str, tuple[str, ...]]:
    pairs = (part.partition("=") for part in text.split())
    return {name: tuple(operands.split(",")) for name, _, operands in pairs}


@pytest.mark.parametrize(("operands", "read", "written"), read_lines("asm_bindings.txt", 3))
def test_c_variables_are_found_in_the_operands(operands: str, read: str, written: str) -> None:
    text = operands.replace("\\n", "\n").strip("-")
    found = read_bindings_of(parse(f"int i; asm volatile({ADD} {text});"))
    assert (found.inputs, found.outputs) == (parse_operands(read), parse_operands(written))


def test_each_asm_statement_has_its_own_operands() -> None:
    text = f'asm("st.u32 [%0], %1;" : : "l"(a), "r"(b)); asm({ADD} : "=r"(c) : "r"(d), "r"(e));'
    assert read_bindings_of(parse(text)).inputs == {"d": ("%1",), "e": ("%2",)}
    assert read_bindings_of(parse("vadd.u32.u32.u32 d, a, b; // asm")).inputs == {}


@pytest.mark.parametrize(
    "text",
    [
        "{ .reg .b32 %r<5>; cvt.s32.s8 %r2, %r1; }",
        ".reg .b32 d, %r1;\ncvt.s32.s8 d, %r1;",
        'asm("{ .reg .b32 d, %%r<2>; cvt.s32.s8 d, %%r1; }");',
    ],
)
def test_a_conversion_reads_registers_as_wide_as_their_declaration(text: str) -> None:
    assert list(evaluate(parse_pasted(text), {"%r1": 0x12345687}).values()) == [0xFFFFFF87]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'asm("selp.b32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "r"(c));',
            "`%3` is .b32 by its constraint, but operand c is a predicate",
        ),
        (f'asm({ADD} : "=r"(r) : "l"(a), "r"(b));', "`%1` is .b64 by its constraint"),
        (f'asm({ADD} : "=f"(r) : "r"(a), "r"(b));', "`%0` is .f32 by its constraint"),
    ],
)
def test_operands_against_their_asm_constraints_are_refused(text: str, message: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse_pasted(text)
    assert message in str(caught.value)
    (program,) = load(text)
    assert message in program.problems[0].message


def test_operands_that_fit_their_asm_constraints_are_accepted() -> None:
    for text in (
        'asm("selp.b32 %0, %1, %2, p;" : "=f"(r) : "f"(a), "f"(b));',
        'asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(r) : "r"(a), "f"(b));',
        f"asm({ADD});",
    ):
        assert parse_pasted(text) == parse(text)


def test_comments_and_other_strings_are_not_operands() -> None:
    text = (
        'const char *s = "r"; /* asm("x" : "=r"(q)); */\n'
        f'asm({ADD} /* "r" */ : "=r"(d) : "r"(x), /* "r"(z) */ "r"(y)); puts("text");\n'
        'asm("mov.b32 %0, %1;" : "=r"(e) : "r"(d));'
    )
    first, second = load(text, "a.cu")
    assert first.bound.inputs == {"x": ("%1",), "y": ("%2",)}
    assert second.bound.inputs == {"d": ("%1",)}


def test_a_run_takes_c_variables_and_floats_by_their_constraints() -> None:
    (program,) = load('asm("selp.b32 %0, %1, %2, p;" : "=f"(r) : "f"(x), "r"(y));')
    assert program.find_registers("x") == ("%1",)
    assert program.find_registers("r", is_at_end=True) == ("%0",)
    assert [str(program.find_value_type(name)) for name in ("%1", "%2")] == ["f32", "b32"]
    (both,) = load('asm("mov.b32 x, %1; mov.b32 %0, x;" : "=r"(d) : "r"(x));')
    with pytest.raises(PtxError, match="a register here, and the C variable in %1"):
        both.find_registers("x")
    assert execute(both, {"%1": 5}).registers["%0"].bits == 5
