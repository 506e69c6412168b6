"""``ptxscope completion``, and completion in a shell, by argcomplete."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from argcomplete.completers import FilesCompleter
from argcomplete.finders import CompletionFinder
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from ...engine.isa.catalog import CATALOG
from ...engine.semantics.rules import ALL_ERRATA
from ...engine.syntax.asm_bindings import parse_pasted
from ...engine.syntax.completions import find_completions
from ...engine.syntax.errors import PtxError
from ...feature import list_features, load, make_call
from ..support.arguments import (
    Parser,
    find_command_module,
    format_metavar,
    make_command_parser,
    make_top_parser,
)

_EPILOG = """\
examples:
  eval "$(ptxscope completion bash)"                                  # in ~/.bashrc
  eval "$(ptxscope completion zsh)"                                   # in ~/.zshrc
  ptxscope completion fish > ~/.config/fish/completions/ptxscope.fish
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser(
        "completion", "Print a script that completes ptxscope in a shell.", _EPILOG
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell")
    return parser


def run(words: Sequence[str]) -> int:
    """Print a script."""
    shell = make_parser().parse_args(words).shell
    print(shellcode(["ptxscope"], shell=shell), end="")
    return 0


# --- in a shell ------------------------------------------------------------------------

Completer = Callable[[str, str, Sequence[str]], Mapping[str, str]]
"""Returns words and their meanings for a prefix, the PTX before it, and later values."""


class _Finder(CompletionFinder):
    """Finds completions for arguments and options in any order."""

    def collect_completions(
        self, active_parsers: list[ArgumentParser], parsed_args: Namespace, cword_prefix: str
    ) -> list[str]:
        """Return the completions of a word; after an option, more values can follow."""
        parser: Any = active_parsers[-1]
        parser.active_actions = parser.active_actions or parser.places[-1:]
        return super().collect_completions(active_parsers, parsed_args, cword_prefix)


def complete_line(
    output: TextIO | None = None, exit_method: Callable[[int], object] = os._exit
) -> None:
    """Write the completions of the line in the shell's variables, and exit."""
    start = int(os.environ["_ARGCOMPLETE"])
    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
    words = split_line(line, point)[3][start:]
    if not words:
        parser = make_top_parser()
    elif module := find_command_module(words[0]):
        parser = load(module).make_parser()
        os.environ["_ARGCOMPLETE"] = str(start + 1)
    else:
        parser = load(f"{__package__}.open").make_parser()
    added = {x.metavar: make_call(x.run) for y in list_features() for x in y.completers}
    completers = added | OWN_COMPLETERS
    for action in (*parser.places, *parser.options.values()):
        if completer := completers.get(format_metavar(action)):
            action.completer = _adapt(completer)  # type: ignore[attr-defined]
    _Finder()(parser, always_complete_options=False, output_stream=output, exit_method=exit_method)


def _adapt(completer: Completer) -> Callable[..., Mapping[str, str]]:
    """Adapt a completer to argcomplete."""

    def complete(prefix: str, parsed_args: Namespace, **_: object) -> Mapping[str, str]:
        ptx, values = (getattr(parsed_args, name, None) for name in ("ptx", "values"))
        return completer(prefix, ptx or "", values or ())

    return complete


def _complete_first_word(prefix: str, ptx: str, values: Sequence[str]) -> Mapping[str, str]:
    """Return instructions to open, or files; argcomplete adds the commands."""
    return _complete_ptx(prefix, ptx, values) if prefix else {}


def _complete_ptx(prefix: str, *_: object) -> Mapping[str, str]:
    instructions = {prefix[: x.start] + x.text: x.about for x in find_completions(prefix)}
    return instructions or dict.fromkeys(FilesCompleter()(prefix), "file")


def _complete_operand(_: str, ptx: str, values: Sequence[str]) -> Mapping[str, str]:
    """Return the instruction's operands without a value."""
    try:
        inputs = parse_pasted(ptx).inputs
    except PtxError:
        return {}
    names = {value.partition("=")[0] for value in values}
    return {
        f"{operand.name}=": f"operand {', '.join(operand.roles)}, .{operand.type}"
        for operand in inputs
        if operand.name not in names
    }


def _complete_opcode(*_: object) -> Mapping[str, str]:
    return {opcode: entry.summary for opcode, entry in CATALOG.items()}


def _complete_model(prefix: str, *_: object) -> Mapping[str, str]:
    models = {"isa": "the documentation", "ptxas": "the newest known assembler"}
    return models | ({x.id: x.forms for x in ALL_ERRATA} if prefix else {})


OWN_COMPLETERS: dict[str, Completer] = {
    "COMMAND": _complete_first_word,
    "PTX": _complete_ptx,
    "name=value": _complete_operand,
    "OPCODE": _complete_opcode,
    "MODEL": _complete_model,
}
"""Completers by metavar; other metavars have a feature's completer, or files."""
