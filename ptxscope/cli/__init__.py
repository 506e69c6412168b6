"""The command line: one module a command; arguments in, text out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from errno import ENOSPC
from importlib import import_module

from .. import __version__

COMMANDS = {
    "open": "explore an instruction in the terminal (the default)",
    "trace": "print an annotated trace of one evaluation",
    "eval": "print results only, of one evaluation or of a CSV file",
    "explain": "say what explains a result that was not expected",
    "check": "find every one of the 27 in listings, legal or not",
    "run": "run a kernel or a block of inline assembly, line by line",
    "export": "keep the traces in a Markdown file current",
    "list": "list the 27 instructions",
    "show": "describe one instruction",
    "errata": "list where ptxas and the documentation part",
    "completion": "print a script that completes these commands in your shell",
}
"""Every command and what it does; each is a module of this package."""

_HIDDEN = ("complete",)
_EPILOG = """\
examples:
  ptxscope open 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vmad.u32.u32.u32.sat %0, %1, %2, %3' %1=0xffffffff %2=1 %3=0 --model ptxas
  ptxscope eval 'vadd4.u32.u32.u32 d, a, b, c' --csv operands.csv > results.csv
  ptxscope show vabsdiff4

`ptxscope COMMAND --help` tells more. Exit status: 0 done, 1 the answer is no (an illegal
instruction), 2 the request was wrong.
"""


class CommandError(Exception):
    """The request can't be carried out; the text says why. ``status`` is the exit status."""

    def __init__(self, text: str, status: int = 2) -> None:
        super().__init__(text)
        self.status = status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except CommandError as error:
        print(error, file=sys.stderr)
        return error.status
    except BrokenPipeError:
        # the reader has gone; keep the interpreter from complaining at exit
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.errno != ENOSPC:
            raise
        sys.stdout = None
        print(f"error: the output can't be written: {error.strerror}", file=sys.stderr)
        return 2


def _run(words: list[str]) -> int:
    if not words:
        words = ["open"]
    if words[0] in COMMANDS or words[0] in _HIDDEN:
        status: int = import_module(f".{words[0]}", __name__).run(words[1:])
        return status
    parser = argparse.ArgumentParser(
        prog="ptxscope",
        description="See, to the bit, what a PTX instruction computes.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"ptxscope {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, about in COMMANDS.items():
        commands.add_parser(name, help=about, add_help=False)
    if words[0].startswith("-"):
        parser.parse_args(words)
        parser.print_help()
        return 0
    raise CommandError(_unknown_command(words[0]))


def _unknown_command(word: str) -> str:
    from ..engine.errors import nearest, printable

    shown = printable(word)
    if any(char in word for char in " ."):
        return f"error: {shown!r} is not a command; for an instruction: ptxscope open {shown!r}"
    close = nearest(word, list(COMMANDS))
    hint = f"did you mean `{close}`?" if close else "commands: " + ", ".join(COMMANDS)
    return f"error: {shown!r} is not a command; {hint}"
