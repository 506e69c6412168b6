"""The table of the commands, and the parser of what is written before one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import __version__

if TYPE_CHECKING:
    from .arguments import Parser

COMMANDS = {
    "open": "explore an instruction in the terminal (the default)",
    "trace": "print an annotated trace of one evaluation",
    "eval": "print the results of one evaluation or of a CSV file",
    "sweep": "show the results over all values of one or two operands",
    "explain": "explain an unexpected result",
    "prove": "prove that two computations agree for all operands",
    "find": "find operands that meet a condition",
    "lower": "show the machine instructions that a line becomes",
    "verify": "prove which model an assembler follows",
    "vectors": "generate test operands, with every model's results",
    "check": "check the instructions in listings and sources",
    "run": "run a kernel or a block of inline assembly, line by line",
    "export": "keep the traces in Markdown files current",
    "lesson": "learn by predicting, in short tours",
    "list": "list the instructions that ptxscope explains",
    "show": "describe one instruction",
    "page": "write a page that explores instructions in a browser",
    "lsp": "answer an editor",
    "mcp": "answer a language model",
    "errata": "list the differences between ptxas and the documentation",
    "completion": "print a script that completes these commands in a shell",
}
"""Every command with its summary; each is a module of ``commands``.

A module's ``make_parser()`` describes the arguments, and ``run(words)`` performs the command.
"""

OLD_SPELLINGS = {
    **{
        (command, "--json"): "-f json"
        for command in "explain prove find lower verify check run list errata".split()
    },
    ("check", "--sarif"): "-f sarif",
    ("open", "--again"): "--restart",
    ("lesson", "--again"): "--restart",
    ("lesson", "--explorer"): "ptxscope open --lesson NAME",
    ("verify", "--dry"): "--write-inputs FOLDER",
    ("errata", "--report"): "ptxscope verify PTX --report",
}
"""The spelling that replaces an option which a command had."""

_EPILOG = """\
examples:
  ptxscope 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vmad.u32.u32.u32.sat %0, %1, %2, %3' %1=0xffffffff %2=1 %3=0 --model ptxas
  ptxscope eval 'vadd4.u32.u32.u32 d, a, b, c' --csv operands.csv > results.csv
  ptxscope kernel.ptx
  ptxscope show vabsdiff4

Given an instruction or a file instead of a command, ptxscope opens it. See
`ptxscope COMMAND --help` for details.

Exit status: 0 for success; 1 if the answer is no (an illegal instruction); 2 if the request is
invalid, its input cannot be read or its output cannot be written; 70 for an internal error; 130
after Ctrl-C; 141 if the reader of a pipe exits early.

Redirected output is UTF-8. On a terminal, work that takes longer than a second shows its progress.
"""


def make_top_parser() -> Parser:
    """Return the parser of the options before a command, or without one."""
    from .arguments import make_command_parser

    parser = make_command_parser("", "See, to the bit, what a PTX instruction computes.", _EPILOG)
    parser.add_argument("--version", action="version", version=f"ptxscope {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, about in COMMANDS.items():
        commands.add_parser(name, help=about, add_help=False)
    return parser
