"""``ptxscope complete WORDS``: what may stand in place of the last word, for the shells.

Commands and options are those of the parsers; what a value may be is said by its metavar.
"""

from __future__ import annotations

from argparse import Action
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module

from ...engine.isa.catalog import CATALOG
from ...engine.listings.asm_bindings import pasted
from ...engine.records import NamedTuple
from ...engine.semantics.errata import ERRATA
from ...engine.syntax.completions import completions
from ...engine.syntax.errors import PtxError
from ...engine.syntax.instruction import Instruction
from ...sweep.register_parts import Lane, results, sweepable
from .. import COMMANDS, top_level
from ..support.arguments import Parser, metavar

Words = Iterable[tuple[str, str]]
"""Words that may stand somewhere, and what each means."""


def run(words: Sequence[str]) -> int:
    """Print a word a line, a tab and what it means."""
    for word, about in dict(_candidates(list(words) or [""])).items():
        print(f"{word}\t{about}")
    return 0


def _candidates(words: list[str]) -> Words:
    *before, typed = words
    if typed == "=" and before and before[-1].startswith("-"):
        typed = ""
    before = [word.strip("'\"") for word in before if word != "="]  # as bash gives them
    if not before:
        return _first(typed)
    command, given = (before[0], before[1:]) if before[0] in COMMANDS else ("open", before)
    to: Parser = import_module(f".{command}", __package__).arguments()
    option, equals, start = typed.partition("=")
    if equals and option in to.options:
        found = _values(to.options[option], start, [])
        return [(f"{option}={word}", about) for word, about in found]
    place = _place(to, given)
    if typed.startswith("-") and not place.is_due:
        return _described(to, typed)
    return _values(place.action, typed, place.values) if place.action else ()


def _first(typed: str) -> Words:
    """A command, an option instead of one, or an instruction to open."""
    if typed.startswith("-"):
        return _described(top_level(), typed)
    instructions = _ptx(typed, []) if typed else ()
    return [*_starting(typed, COMMANDS.items()), *instructions]


def _starting(typed: str, found: Words) -> Words:
    return [(word, about) for word, about in found if word.startswith(typed)]


# --- options -----------------------------------------------------------------------------


def _described(to: Parser, typed: str) -> Words:
    known = {**vars(to), "prog": to.prog}
    return _starting(
        typed, [(name, (action.help or "") % known) for name, action in to.options.items()]
    )


class _Place(NamedTuple):
    """Where a word stands."""

    action: Action | None
    """The argument whose value it is."""
    is_due: bool
    """It is a value, however it begins: the option before it takes one, or ``--`` came."""
    values: list[str]
    """What stands before it and is no option, nor an option's value."""


def _place(to: Parser, given: list[str]) -> _Place:
    """What comes after these words."""
    values: list[str] = []
    taking: Action | None = None
    ended = False
    for word in given:
        if not ended and word[:1] == "-" and word != "-" and not word[1].isdigit():
            ended = word == "--"
            name, equals, _ = word.partition("=")
            action = to.options.get(name)
            taking = None if equals or action is None or action.nargs == 0 else action
        elif taking is None:
            values.append(word)
        elif not _is_many(taking):
            taking = None
    if taking is not None:
        return _Place(taking, not _is_many(taking), values)
    wanted = (x for at, x in enumerate(to.places) if at == len(values) or _is_many(x))
    return _Place(next(wanted, None), ended, values)


def _is_many(action: Action) -> bool:
    return action.nargs in ("*", "+")


# --- values ------------------------------------------------------------------------------


def _values(action: Action, typed: str, before: list[str]) -> Words:
    if action.choices is not None:
        return _starting(typed, [(str(x), action.dest) for x in action.choices])
    known = _KNOWN.get(metavar(action))
    return known(typed, before) if known else ()


def _models(typed: str, _: list[str]) -> Words:
    named = (("isa", "the documentation"), ("ptxas", "the newest known assembler"))
    return [*_starting(typed, named), *(_errata(typed, []) if typed else ())]


def _errata(typed: str, _: list[str]) -> Words:
    return _starting(typed, [(erratum.id, erratum.forms) for erratum in ERRATA])


def _listed_errata(typed: str, before: list[str]) -> Words:
    from ...engine.tracing.folding_bugs import FOLDING_BUGS

    found = _starting(typed, [(bug.id, bug.forms) for bug in FOLDING_BUGS])
    return [*_errata(typed, before), *found]


def _lessons(typed: str, _: list[str]) -> Words:
    from ...learn.lesson import heads

    return _starting(typed, [(head.name, head.title) for head in heads()])


def _opcodes(typed: str, _: list[str]) -> Words:
    return _starting(typed, [(opcode, entry.summary) for opcode, entry in CATALOG.items()])


def _ptx(typed: str, _: list[str]) -> Words:
    return [(typed[: x.start] + x.text, x.about) for x in completions(typed)]


def _operands(typed: str, before: list[str]) -> Words:
    return _starting(typed, _missing(before))


def _lanes(of: Callable[[Instruction], Iterable[Lane]]) -> Callable[[str, list[str]], Words]:
    """The parts of an instruction's registers."""

    def found(typed: str, before: list[str]) -> Words:
        try:
            lanes = of(pasted(before[0])) if before else ()
        except PtxError:
            return ()
        return _starting(typed, [(lane.text, f"operand {lane.role}") for lane in lanes])

    return found


def _missing(before: list[str]) -> Iterator[tuple[str, str]]:
    """The operands of the instruction that have no value yet."""
    try:
        ins = pasted(before[0])
    except PtxError:
        return
    given = {word.partition("=")[0] for word in before[1:]}
    for needed in ins.inputs:
        if needed.name not in given:
            yield f"{needed.name}=", f"operand {', '.join(needed.roles)}, .{needed.type}"


_KNOWN: dict[str, Callable[[str, list[str]], Words]] = {
    "MODEL": _models,
    "ID": _listed_errata,
    "LESSON": _lessons,
    "OPCODE": _opcodes,
    "PTX": _ptx,
    "name=value": _operands,
    "LANE": _lanes(sweepable),
    "RESULT": _lanes(results),
}
"""What may be written for a metavar; for any other the shell offers files."""
