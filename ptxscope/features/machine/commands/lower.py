"""``ptxscope lower``: the machine instructions that a line becomes."""

from __future__ import annotations

from collections.abc import Sequence

from ....cli.support.arguments import (
    Parser,
    add_report_format,
    add_values,
    make_command_parser,
    parse_words,
    print_report,
)
from ....cli.support.ptx_arguments import build_trace, parse_instruction, parse_ptx
from ....cli.support.streams import CommandError
from ....documents.formats.markup import Block, make_paragraph
from ....engine.semantics.models import ISA_MODEL
from ....engine.syntax.errors import format_install_hint
from ....engine.tracing.basic_block import make_block
from ...prove.commands.programs import add_timeout
from ..intrinsic_call import find_single_call
from ..machine_report import call_to_json, code_to_json, iter_call_blocks, iter_listing_blocks
from ..toolchain import NVCC, format_tools
from ..tools import (
    TOOL_HELP,
    add_tools,
    choose_archs,
    choose_tools,
    format_line,
    list_call_code,
    list_line_code,
    make_line_source,
)

_BESIDE = "The PTX instruction of the same result has machine code of its own:"
_EPILOG = f"""\
A machine instruction computes a value of the trace, such as saturate t, if its result equals that
value for all operands: modulo 2^32, or in the form that is named, such as the high word. Any other
is part of the value of the next instruction that depends on it. Loads, stores, addresses and
constants are not counted. With values of the registers, it shows what each instruction writes.

nvcc compiles the call of an intrinsic to its own code, seldom to the PTX instruction with the same
result. If such an instruction exists, both are shown. Without nvcc, the call's code is unknown.

{TOOL_HELP}

examples:
  ptxscope lower 'vadd4.s32.s32.s32.sat d, a, b, c'
  ptxscope lower 'vadd.u32.s32.s32.sat d.b0, a, b, c' a=-1 b=0 c=0x11223344
  ptxscope lower 'vadd.u32.s32.s32.sat d.b0, a, b, c' --arch sm_75 --arch sm_90 --arch sm_120
  ptxscope lower 'd = __vavgu4(a, b);'

Needs ptxas and nvdisasm, of the CUDA toolkit or of the extra `sass`:
{format_install_hint("sass")}.

Exit status: 0, 1 if the line is illegal or ptxas refuses it, 2 if the request is invalid or a tool
is missing.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Show the machine instructions that ptxas generates for a line, and what each computes."
    parser = make_command_parser("lower", about, _EPILOG, usage="PTX [name=value ...]")
    parser.add_argument("ptx", metavar="PTX", help="instruction")
    add_values(parser)
    add_tools(parser)
    parser.add_argument(
        f"--{NVCC}", metavar="PATH", help="path of nvcc, for the call of an intrinsic"
    )
    add_timeout(parser)
    add_report_format(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the machine code of a line, or of the call of an intrinsic and of its line."""
    arguments = parse_words(make_parser(), words)
    call = find_single_call(arguments.ptx)
    block = parse_ptx(arguments.ptx) if call else make_block(parse_instruction(arguments.ptx))
    values = arguments.values
    if values and not block.is_line:
        raise CommandError(
            "error: values are for one instruction; here is the call of an intrinsic"
        )
    operands = build_trace(block, values, ISA_MODEL).operands if values else None
    archs = choose_archs(arguments)
    ptxas, nvdisasm = choose_tools(arguments)
    versions = format_tools(ptxas, nvdisasm)
    document: dict[str, object] = {"ptxas": ptxas.build, "nvdisasm": nvdisasm.build}
    blocks: list[Block] = []
    if call:
        tools = arguments.nvcc, ptxas, nvdisasm
        code = list_call_code(arguments.ptx, call, block, archs, tools, arguments.timeout)
        if code.problem and not block.is_line:
            raise CommandError(f"error: {code.problem}\nnote: {code.remark}")
        document = {"call": call_to_json(code), **document}
        blocks += iter_call_blocks(code, versions)
    if block.is_line:
        blocks += [make_paragraph(_BESIDE)] if call else []
        source, line = make_line_source(block.instruction), format_line(block.instruction)
        listings = list_line_code(source, archs, (ptxas, nvdisasm), arguments.timeout, operands)
        document = {"ptx": line, **document, "targets": [code_to_json(x) for x in listings]}
        blocks += iter_listing_blocks(line, listings, versions)
    print_report(arguments.format, blocks, lambda: document)
    return 0
