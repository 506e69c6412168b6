"""``ptxscope completion``: the script of argcomplete that completes the command line in a shell."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.arguments import Parser, make_command_parser

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
    from argcomplete.shell_integration import shellcode

    print(shellcode(["ptxscope"], shell=shell), end="")
    return 0
