"""The commands and their parsers, shared options, and the output of reports."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NoReturn

from ... import __version__
from ...engine.semantics.models import Model, describe_newer_version, parse_model
from ...engine.syntax.errors import make_printable
from .file_arguments import InputName, refuse_overwriting
from .streams import CommandError, print_message, report_errors

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from ...documents.formats.markup import Block

_GROUPS = ("learn", "debug", "write", "look up")
"""The parts of the manual, which group the commands in the help."""
_OWN_COMMANDS = {
    "open": ("learn", "step through an instruction in the terminal (the default)"),
    "trace": ("learn", "show each step of one evaluation, as text or as a picture"),
    "eval": ("learn", "print the results alone"),
    "explain": ("debug", "find the reason for an unexpected result"),
    "run": ("debug", "run a kernel, or a block, and find the line that is wrong"),
    "show": ("look up", "list the instructions, or describe one"),
    "completion": ("look up", "print a script that completes these commands in a shell"),
}
"""The core's commands, modules of ``commands``, with groups and summaries.

A module's ``make_parser()`` describes the arguments, and ``run(words)`` performs the command.
"""


@cache
def group_commands() -> Mapping[str, Mapping[str, str]]:
    """Return the summary of every command by its name, in the groups of the help."""
    from ...feature import arrange, list_features

    added = [(command.name, command) for x in list_features() for command in x.commands]
    groups: dict[str, dict[str, str]] = {group: {} for group in _GROUPS}
    for name, (group, summary) in arrange(
        _OWN_COMMANDS.items(), added, lambda command: (command.group, command.summary)
    ):
        groups.setdefault(group, {})[name] = summary
    return {group: summaries for group, summaries in groups.items() if summaries}


def map_commands() -> Mapping[str, str]:
    """Return the summary of every command by its name, in the order of the help."""
    return {name: summary for group in group_commands().values() for name, summary in group.items()}


def find_command_module(name: str) -> str:
    """Return the module of a command; empty for an unknown name."""
    if name in _OWN_COMMANDS:  # without looking for features
        return f"{__package__.removesuffix('.support')}.commands.{name}"
    from ...feature import find_command

    command = find_command(name)
    return command.module if command else ""


OLD_SPELLINGS = {
    **{(command, "--json"): "-f json" for command in "explain run".split()},
    ("explain", "--no-next"): "--brief",
}
"""The replacements of removed options."""

OLD_COMMANDS = {"list": "ptxscope show"}
"""The replacements of removed commands."""


def find_new_spelling(command: str, option: str) -> str | None:
    """Return the replacement of a removed option, or None. It looks for features."""
    if new := OLD_SPELLINGS.get((command, option)):
        return new
    from ...feature import list_features

    commands = (x for feature in list_features() for x in feature.commands)
    return next(
        (
            x.old_spellings[old]
            for x in commands
            for old in (f"{command} {option}", *[option] * (x.name == command))
            if old in x.old_spellings
        ),
        None,
    )


_EPILOG = """\
examples:
  ptxscope 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope trace 'vmad.u32.u32.u32.sat %0, %1, %2, %3' %1=0xffffffff %2=1 %3=0 --model ptxas
  ptxscope eval 'vadd4.u32.u32.u32 d, a, b, c' a=[1,2,3,4] b=[5,6,7,8] c=0
  ptxscope kernel.ptx
  ptxscope show vabsdiff4

Given an instruction or a file instead of a command, ptxscope opens it. See
`ptxscope COMMAND --help` for details.

Exit status: 0 for success; 1 if the answer is no (an illegal instruction); 2 if the request is
invalid, its input cannot be read or its output cannot be written; 70 for an internal error; 130
after Ctrl-C; 141 if the reader of a pipe exits early.

Redirected output is UTF-8. On a terminal, work that takes longer than a second shows its progress.
"""

VALUES_HELP = (
    "value of a register: %%1=0x80ff7f01 a=-5 b=0b1010 x=1.5 y=[0x80,0xff,0x7f,1] z=[h:-1,32767] "
    'p=true; in an asm statement also by C variable: x=5 for "r"(x)'
)
_MAX_VALUE_CHARS = 1 << 14
"""Maximum characters to split into arguments, because shlex takes quadratic time."""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help with the width of the terminal; argparse would load shutil and archives for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_get_terminal_width() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap wide paragraphs; indented lines are commands. Overrides argparse."""
        import textwrap  # argparse also imports it for help

        lines: list[str] = []
        for is_prose, group in groupby(text.splitlines(), lambda x: x[:1] not in ("", " ")):
            paragraph = [*group]
            if is_prose and max(map(len, paragraph)) > width:
                paragraph = textwrap.wrap(" ".join(paragraph), width, break_on_hyphens=False)
            lines += (f"{indent}{line}" for line in paragraph)
        return "\n".join(lines)


def _get_terminal_width() -> int:
    with suppress(KeyError, ValueError):
        return max(int(os.environ["COLUMNS"]), 20)
    with suppress(OSError, ValueError):
        return (sys.__stdout__ and os.get_terminal_size(sys.__stdout__.fileno()).columns) or 80
    return 80


class Parser(argparse.ArgumentParser):
    """An argument parser that raises CommandError if the arguments are wrong."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help, with failures, which argparse would ignore."""
        print(message, end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Raise CommandError with a message about the arguments."""
        raise CommandError(f"{self.format_usage()}error: {make_printable(message)}")

    @property
    def options(self) -> dict[str, argparse.Action]:
        """Every option by each of its names."""
        return {name: action for action in self._actions for name in action.option_strings}

    @property
    def places(self) -> list[argparse.Action]:
        """The positional arguments, in order."""
        return [action for action in self._actions if not action.option_strings]


def format_metavar(action: argparse.Action) -> str:
    """Return the name of an argument's value in the help."""
    return str(action.metavar or action.dest)


def make_command_parser(
    command: str, about: str, epilog: str = "", *, usage: str | None = None, add_help: bool = True
) -> Parser:
    """Return a parser for a command, or for all commands if the name is empty.

    ``usage`` has the arguments of a command with many options; others list all options.
    """
    return Parser(
        prog=f"ptxscope {command}".rstrip(),
        usage=usage and f"ptxscope {command} [options] {usage}".rstrip(),
        description=about,
        epilog=epilog,
        formatter_class=_Help,
        add_help=add_help,
    )


def make_top_parser() -> Parser:
    """Return the parser of the options before a command, or without one."""
    about = ["See, to the bit, what a PTX instruction computes."]
    for group, summaries in group_commands().items():
        about += ["", f"{group}:", *(f"  {name:<11} {text}" for name, text in summaries.items())]
    parser = make_command_parser("", "\n".join(about), _EPILOG)
    parser.usage = "ptxscope [-h] [--version] COMMAND ..."
    parser.add_argument("--version", action="version", version=f"ptxscope {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", help=argparse.SUPPRESS)
    for name, text in map_commands().items():
        commands.add_parser(name, help=text, add_help=False)
    return parser


def add_instruction(parser: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Add the arguments ``PTX name=value …``."""
    parser.add_argument(
        "ptx",
        type=InputName,
        metavar="PTX",
        nargs="?" if is_optional else None,
        help="instruction, or block of several, as plain PTX, as an asm statement, or as calls of "
        "CUDA's intrinsics",
    )
    add_values(parser)


def add_values(parser: argparse._ActionsContainer) -> None:
    """Add the arguments ``name=value …``; a value may be ``@FILE``."""
    parser.add_argument("values", type=InputName, metavar="name=value", nargs="*", help=VALUES_HELP)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--model``."""
    parser.add_argument(
        "--model",
        metavar="MODEL",
        default="isa",
        help="model to evaluate: isa, the documentation (default); ptxas, the newest known "
        "assembler on sm_70 and later; ptxas-MAJOR.MINOR; or errata, for example E3+E6",
    )


def add_format(
    parser: argparse._ActionsContainer,
    formats: Collection[str],
    otherwise: str,
    *,
    has_file: bool = True,
) -> None:
    """Add the option ``-f``. If ``has_file``, the default follows the suffix of a file."""
    default = f"by the suffix of FILE, or {otherwise}" if has_file else otherwise
    parser.add_argument(
        "-f",
        "--format",
        choices=formats,
        metavar="FORMAT",
        default=None if has_file else otherwise,
        help=f"output format: %(choices)s (default: {default})",
    )


def parse_words(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments. Options and values come in any order; no options follow ``--``.

    After it, a word that begins with a dash is a file: nothing else begins so.
    """
    if "--" in words:
        index = [*words].index("--")
        value_words = (
            f"./{word}" if word.startswith("-") and word != "-" else word
            for word in words[index + 1 :]
        )
        words = [*words[:index], *value_words]
    arguments = parser.parse_intermixed_args(list(words))
    refuse_overwriting(arguments)
    return arguments


def parse_own_words(
    own_parser: Parser, make_parser: Callable[[], Parser], words: Sequence[str]
) -> tuple[argparse.Namespace, bool]:
    """Return the arguments of a command that features extend, and whether ``make_parser`` was used.

    ``make_parser`` looks for features and is used only if the core's parser has an error.
    """
    own_parser.allow_abbrev = False  # the abbreviation may be of a feature's option
    try:
        return parse_words(own_parser, words), False
    except CommandError:
        return parse_words(make_parser(), words), True


def split_words(text: str) -> list[str]:
    """Return arguments as a shell splits them. Raise ValueError if it cannot."""
    import shlex

    if len(text) > _MAX_VALUE_CHARS:
        raise ValueError(f"{len(text)} characters of arguments; the limit is {_MAX_VALUE_CHARS}")
    return shlex.split(text)


def parse_count(text: str) -> int:
    """Return a positive number; raise ArgumentTypeError for any other text."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text[:9])


def choose_model(name: str) -> Model:
    """Return a model by name, and report assumptions on an unmeasured ptxas."""
    with report_errors(ValueError):
        model = parse_model(name)
    if assumed := describe_newer_version(name):
        print_message(f"warning: {assumed}")
    return model


_MAX_SECONDS = 1e6


def parse_seconds(text: str) -> float:
    """Return a time in seconds, for argparse."""
    with suppress(ValueError):
        if 0 < (seconds := float(text)) <= _MAX_SECONDS:
            return seconds
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a number of seconds, above 0 and up to {_MAX_SECONDS:,.0f}"
    )


def add_report_format(parser: argparse._ActionsContainer) -> None:
    """Add the option ``-f`` of a report."""
    from ...documents.formats.report import REPORT_FORMATS

    add_format(parser, (*REPORT_FORMATS, "json"), "text", has_file=False)


def print_report(
    format_: str, blocks: Iterable[Block], make_data: Callable[[], object], width: int = 80
) -> None:
    """Print a report in a format, text in at most ``width`` columns, JSON from its data."""
    from ...documents.formats.json_text import format_json
    from ...documents.formats.report import write_report

    if format_ == "json":
        print(format_json(make_data(), indent=1))
    else:
        sys.stdout.write(write_report(blocks, format_, width))
