"""``ptxscope complete WORDS``: what may stand in place of the last word, for the shells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine.isa.catalog import CATALOG
from ..engine.semantics.errata import ERRATA
from ..engine.text.complete import completions
from ..engine.text.errors import PtxError
from ..engine.text.parser import parse
from ..export import FORMATS
from . import COMMANDS

_MODEL = ("--model", "whose answer")
_OPTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "open": (_MODEL,),
    "trace": (_MODEL, ("--format", "format"), ("--output", "write to a file")),
    "eval": (_MODEL, ("--csv", "a file of operands")),
    "list": (("--json", "as JSON"),),
    "errata": (("--json", "as JSON"),),
}


def run(words: Sequence[str]) -> int:
    """Print a word a line, a tab and what it means."""
    for word, about in dict(_candidates(list(words) or [""])).items():
        print(f"{word}\t{about}")
    return 0


def _candidates(words: list[str]) -> Iterator[tuple[str, str]]:
    *before, typed = words
    found: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]
    command = before[0] if before else None
    if command is None:
        found = [*COMMANDS.items()]
    elif before[-1] == "--model":
        found = [("isa", "the documentation"), ("ptxas", "the newest known assembler")]
    elif before[-1] in ("-f", "--format"):
        found = [(name, "format") for name in FORMATS]
    elif typed.startswith("-"):
        found = _OPTIONS.get(command, ())
    elif command == "show":
        found = [(opcode, entry.summary) for opcode, entry in CATALOG.items()]
    elif command == "errata":
        found = [(erratum.id, erratum.forms) for erratum in ERRATA]
    elif command == "completion":
        found = [("bash", ""), ("zsh", ""), ("fish", "")]
    elif len(before) == 1:
        yield from ((typed[: x.start] + x.text, x.about) for x in completions(typed))
        return
    else:
        found = list(_values(before))
    yield from ((word, about) for word, about in found if word.startswith(typed))


def _values(before: list[str]) -> Iterator[tuple[str, str]]:
    try:
        ins = parse(before[1])
    except PtxError:
        return
    given = {word.partition("=")[0] for word in before[2:]}
    for needed in ins.inputs:
        if needed.name not in given:
            yield f"{needed.name}=", f"operand {', '.join(needed.roles)}, .{needed.type}"
