"""The command line: one module per command; arguments in, text out."""
# PYTHON_ARGCOMPLETE_OK

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import takewhile

from .support.arguments import (
    OLD_COMMANDS,
    find_command_module,
    find_new_spelling,
    make_top_parser,
    map_commands,
)
from .support.streams import CommandError, discard_output, prepare_streams, print_message

_IN_NO_COMMAND = frozenset(" \t\n./;({")
_BROKEN_PIPE_STATUS = 141
"""The exit status after SIGPIPE: the reader has not received the whole answer."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        from .commands.completion import complete_line

        complete_line()
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    prepare_streams()
    status = _run_guarded(lambda: _run_command(words))
    _warn_about_features()
    return _run_guarded(_flush_output) or status


def _run_guarded(work: Callable[[], int]) -> int:
    """Run a function, report any exception, and return the exit status."""
    try:
        return work()
    except CommandError as error:
        print_message(str(error))
        return error.status
    except SystemExit as end:  # argparse has shown its help
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        discard_output()
        return _BROKEN_PIPE_STATUS
    except OSError as error:
        why = error.strerror or str(error)
        # other input errors have a file name or are already a CommandError
        if error.filename is None and isinstance(error, FileNotFoundError):
            print_message("error: the current folder no longer exists")
        elif error.filename is None:
            discard_output()
            print_message(f"error: the output can't be written: {why}")
        else:
            print_message(f"error: {error.filename}: {why}")
        return 2
    except MemoryError:
        print_message("error: this does not fit in memory")
        return 2
    except Exception as error:  # unforeseen by the commands
        from ..app import INTERNAL_ERROR
        from ..app.crash_report import write_crash_report
        from ..feature import FeatureError

        if isinstance(error, FeatureError):
            print_message(f"error: {error}")
            return 2

        for line in write_crash_report(error):
            print_message(f"error: {line}")
        return INTERNAL_ERROR


def _warn_about_features() -> None:
    """Print the problems of features, if the command looked for any."""
    if module := sys.modules.get("ptxscope.feature"):  # an import would delay every command
        from ..engine.syntax.errors import make_printable

        for problem in module.list_problems():
            print_message(f"warning: {make_printable(problem)}")


def _flush_output() -> int:
    sys.stdout.flush()
    return 0


def _run_command(words: Sequence[str]) -> int:
    if words and (new := OLD_COMMANDS.get(words[0])):
        raise CommandError(f"error: {words[0]} is no longer a command; write `{new}`")
    if not words or (not find_command_module(words[0]) and _can_open(words[0])):
        words = ("open", *words)
    if module := find_command_module(words[0]):
        try:
            return _find_run(module)(words[1:])
        except CommandError:  # last, because it looks for features
            _check_spellings(*words)
            raise
    if not words[0].startswith("-"):
        raise CommandError(_format_unknown_command(words[0]))
    all_ = make_top_parser()
    all_.parse_args(words)
    all_.print_help()
    return 0


def _find_run(module: str) -> Callable[[Sequence[str]], int]:
    """Return the function that performs the command of a module."""
    run: Callable[[Sequence[str]], int]
    if module.startswith(__package__):  # without loading the module of records
        run = import_module(module).run
    else:
        from ..feature import load

        run = load(f"{module}:run")
    return run


def _check_spellings(command: str, *words: str) -> None:
    """Raise CommandError, with the new spelling, for a removed option."""
    for word in takewhile("--".__ne__, words):
        option = word.partition("=")[0]
        if new := find_new_spelling(command, option):
            raise CommandError(f"error: {option} is no longer an option; write `{new}`") from None


def _can_open(word: str) -> bool:
    """Return whether a word is for ``open``, PTX or a file name, instead of a command's name."""
    if word.startswith("-"):
        return False
    if not _IN_NO_COMMAND.isdisjoint(word):
        return True
    from .support.ptx_arguments import is_instruction_name

    if is_instruction_name(word):
        return True
    from pathlib import Path

    try:
        return Path(word).exists()
    except (OSError, ValueError):  # too long for a name, or not a name
        return False


def _format_unknown_command(word: str) -> str:
    from ..engine.syntax.errors import find_closest_spelling, make_printable

    name = make_printable(word)
    suggestion = "open" if word == "explore" else find_closest_spelling(word, [*map_commands()])
    names = ", ".join(map_commands())
    hint = f"did you mean `{suggestion}`?" if suggestion else f"commands: {names}"
    return f"error: {name!r} is not a command; {hint}"
