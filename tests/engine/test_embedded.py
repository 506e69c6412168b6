"""PTX in files of many kinds, as a run and the explorer find it."""

from __future__ import annotations

import pytest

from ptxscope import PtxError, parse
from ptxscope.blocks.execution import execute
from ptxscope.blocks.program_run import StopReason
from ptxscope.engine.program.statement import StatementKind
from ptxscope.sources.source_programs import load

_BLOCK = r"""asm("{ .reg .u32 t;"
    "vadd.u32.u32.u32 t, %1, %2;"
    MACRO(x)
    "vsub.u32.u32.u32 t, %1, %2;"
#if A
    "vadd.u32.u32.u32 t, t, %2;"
    "ret;"
#else
    "add.u32 t, t, 1;"
#endif
    "vmax.u32.u32.u32 %0, %1, " Y "; }"
    : "=r"(o[0]) : "r"(a), "r"(b));"""


def test_a_macro_makes_written_registers_unknown_and_inputs_stay_known() -> None:
    (program,) = load(_BLOCK)
    assert [(x.line, x.text) for x in program.omitted_statements] == [
        (3, "<MACRO(x)>"),
        (6, "vadd.u32.u32.u32 t, t, %2"),
        (7, "ret"),
        (9, "add.u32 t, t, 1"),
        (11, "vmax.u32.u32.u32 %0, %1, <Y>"),
    ]
    run = execute(program, {"%1": 7, "%2": 5})
    assert run.ending is StopReason.END
    bits = {step.line: step.writes["t"] for step in run.steps}
    assert bits == {2: 12, 3: None, 4: 2, 6: None, 7: None, 9: None, 11: None}
    known = {name: x.bits for name, x in run.registers.items()}
    assert known == {"%0": None, "%1": 7, "%2": 5, "t": None}


def test_a_run_asks_for_a_register_made_unknown_by_a_macro() -> None:
    text = _BLOCK.replace(
        'MACRO(x)\n    "vsub.u32.u32.u32 t, %1', 'MACRO(x)\n    "vsub.u32.u32.u32 t, t'
    )
    (program,) = load(text)
    run = execute(program, {"%1": 7, "%2": 5})
    assert [need.key for need in run.missing_inputs] == ["t"]
    assert "<MACRO(x)> at line 3 made it unknown" in run.missing_inputs[0].message
    run = execute(program, {"%1": 7, "%2": 5, "t@3": 100})
    assert [step.writes for step in run.steps if step.line == 4] == [{"t": 95}]


def test_lines_of_the_preprocessor_that_add_nothing_do_nothing() -> None:
    text = 'asm("vadd.u32.u32.u32 t, a, b;"\n#pragma x\n#line 3\n"not.b32 t, t;");'
    (program,) = load(text)
    assert program.omitted_statements == ()
    text = text.replace("#pragma x", '#include "more.ptx"')
    (program,) = load(text)
    assert [x.text for x in program.omitted_statements] == ['<#include "more.ptx" #line 3>']


def test_many_macros_write_each_register_once() -> None:
    text = "".join(f'"mov.b32 t{n}, t{n + 1};" M ' for n in range(300))
    (program,) = load(f"asm({text});")
    assert sum(len(x.writes) for x in program.omitted_statements) == 600


def test_an_instruction_beside_a_macro_is_traced_and_the_macro_named() -> None:
    operands = ': "=r"(d) : "r"(a), "r"(b));'
    ins = parse(f'asm("vadd.u32.u32.u32 %0, %1, %2;" MACRO {operands}')
    assert str(ins) == "vadd.u32.u32.u32 %0, %1, %2;"
    assert ins.notes == ("ignored text: `<MACRO>`",)
    for text in (
        '"vadd.u32.u32.u32 %0, " X ", %2;"',
        'OP " %0, %1, %2;"',
        '"vadd" T " %0, %1, %2;"',
    ):
        with pytest.raises(PtxError) as caught:
            parse(f"asm({text} {operands}")
        assert caught.value.errors[0].unread
        assert "a macro" in caught.value.message


def test_a_replacement_character_in_the_source_is_not_a_macro() -> None:
    (program,) = load("{ .reg .b32 t; \N{OBJECT REPLACEMENT CHARACTER} vadd.u32.u32.u32 t, t, t; }")
    assert program.omitted_statements == ()


@pytest.mark.parametrize(
    ("operands", "unknown_count"),
    [
        ("OPERANDS", 0),
        ("OPS(d, f(a))", 0),
        ('OUT : "r"(a), "r"(b), "r"(0)', 1),
        ('OUT(d) : "r"(a), "r"(b), "r"(0)', 1),
    ],
)
def test_a_macro_behind_the_text_may_hold_the_operands(operands: str, unknown_count: int) -> None:
    """As nvcc 13.0 compiles it, with ``#define OPERANDS : "=r"(d) : "r"(a), "r"(b), "r"(0)``."""
    (program,) = load(f'asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" {operands});')
    kinds = [StatementKind.INSTRUCTION, *[StatementKind.UNKNOWN] * unknown_count]
    assert [x.kind for x in program.statements] == kinds
    assert not program.constants


def test_a_macro_at_the_end_of_the_text_is_not_an_operand_list() -> None:
    (program,) = load('asm("vmax4.u32.u32.u32 %0, %1, %2, %3; " MORE OPERANDS);')
    assert [x.text for x in program.omitted_statements] == ["<MORE OPERANDS>"]


def test_a_statement_with_a_macro_as_opcode_is_named_after_the_macro() -> None:
    text = 'asm("{ .reg .u32 t;" MYOP ".u32 t, %1, %1; not.b32 %0, t; }" : "=r"(d) : "r"(a));'
    (program,) = load(text)
    (need,) = execute(program, {"%1": 1}).missing_inputs
    assert "(<MYOP>.u32 at line 1 made it unknown)" in need.message
