"""``ptxscope completion``: scripts that complete the command line in bash, zsh and fish."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.arguments import Parser, make_command_parser

_SCRIPTS = {
    "bash": """\
_ptxscope() {
    local IFS=$'\\n'
    COMPREPLY=($(ptxscope complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[.=] ]] && compopt -o nospace
    [[ ${#COMPREPLY[@]} == 0 ]] && compopt -o default
}
complete -F _ptxscope ptxscope
""",
    "zsh": """\
#compdef ptxscope
_ptxscope() {
    local -a found
    local line
    for line in "${(@f)$(ptxscope complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( ${#found} )); then _describe 'ptxscope' found; else _files; fi
}
compdef _ptxscope ptxscope
""",
    "fish": """\
function __ptxscope_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (ptxscope complete $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c ptxscope -f -a '(__ptxscope_complete)'
""",
}
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
    parser.add_argument("shell", choices=list(_SCRIPTS), help="shell")
    return parser


def run(words: Sequence[str]) -> int:
    """Print a script."""
    print(_SCRIPTS[make_parser().parse_args(words).shell], end="")
    return 0
