"""``ptxscope complete WORDS``: completions of the last word, for the shells.

Commands and options are those of the parsers; the completions of a value depend on its metavar.
"""

from __future__ import annotations

from argparse import Action
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

from ...engine.isa.catalog import CATALOG
from ...engine.listings.asm_bindings import parse_pasted
from ...engine.semantics.errata import ALL_ERRATA
from ...engine.syntax.completions import find_completions
from ...engine.syntax.errors import PtxError
from ...engine.syntax.instruction import Instruction
from ...sweep.register_parts import RegisterPart, list_result_parts, list_sweepable_parts
from ..support.arguments import Parser, format_metavar
from ..support.command_table import COMMANDS, make_top_parser

CompletionWords = Iterable[tuple[str, str]]
"""Words that complete a command line, and the meaning of each."""


def run(words: Sequence[str]) -> int:
    """Print a completion per line: the word, a tab and its meaning."""
    for word, about in dict(_find_candidates(list(words) or [""])).items():
        print(f"{word}\t{about}")
    return 0


def _find_candidates(words: list[str]) -> CompletionWords:
    *earlier_words, last_word = words
    if last_word == "=" and earlier_words and earlier_words[-1].startswith("-"):
        last_word = ""
    earlier_words = [
        word.strip("'\"") for word in earlier_words if word != "="
    ]  # as bash splits them
    if not earlier_words:
        return _complete_first_word(last_word)
    command, words_before = (
        (earlier_words[0], earlier_words[1:])
        if earlier_words[0] in COMMANDS
        else ("open", earlier_words)
    )
    parser: Parser = import_module(f".{command}", __package__).make_parser()
    option, equals, start = last_word.partition("=")
    if equals and option in parser.options:
        completions = _complete_value(parser.options[option], start, [])
        return [(f"{option}={word}", about) for word, about in completions]
    context = _find_context(parser, words_before)
    if last_word.startswith("-") and not context.is_due:
        return _complete_options(parser, last_word)
    return _complete_value(context.action, last_word, context.values) if context.action else ()


def _complete_first_word(start: str) -> CompletionWords:
    """Return commands, top-level options and instructions to open."""
    if start.startswith("-"):
        return _complete_options(make_top_parser(), start)
    instructions = _complete_ptx(start, []) if start else ()
    return [*_filter_by_prefix(start, COMMANDS.items()), *instructions]


def _filter_by_prefix(prefix: str, completions: CompletionWords) -> CompletionWords:
    return [(word, about) for word, about in completions if word.startswith(prefix)]


# --- options -----------------------------------------------------------------------------


def _complete_options(parser: Parser, start: str) -> CompletionWords:
    values = {**vars(parser), "prog": parser.prog}
    return _filter_by_prefix(
        start, [(name, (action.help or "") % values) for name, action in parser.options.items()]
    )


class _CompletionContext(NamedTuple):
    """The position of a word."""

    action: Action | None
    """The argument whose value it is."""
    is_due: bool
    """Whether it must be a value: it follows an option that takes one, or ``--``."""
    values: list[str]
    """The words before it that are neither options nor their values."""


def _find_context(parser: Parser, words: list[str]) -> _CompletionContext:
    """Return the position after these words."""
    values: list[str] = []
    taking: Action | None = None
    ended = False
    for word in words:
        if not ended and word[:1] == "-" and word != "-" and not word[1].isdigit():
            ended = word == "--"
            name, equals, _ = word.partition("=")
            action = parser.options.get(name)
            taking = None if equals or action is None or action.nargs == 0 else action
        elif taking is None:
            values.append(word)
        elif not _is_many(taking):
            taking = None
    if taking is not None:
        return _CompletionContext(taking, not _is_many(taking), values)
    candidates = (x for index, x in enumerate(parser.places) if index == len(values) or _is_many(x))
    return _CompletionContext(next(candidates, None), ended, values)


def _is_many(action: Action) -> bool:
    return action.nargs in ("*", "+")


# --- values ------------------------------------------------------------------------------


def _complete_value(action: Action, start: str, earlier_words: list[str]) -> CompletionWords:
    if action.choices is not None:
        return _filter_by_prefix(start, [(str(x), action.dest) for x in action.choices])
    completer = _COMPLETERS.get(format_metavar(action))
    return completer(start, earlier_words) if completer else ()


def _complete_model(start: str, _: list[str]) -> CompletionWords:
    models = (("isa", "the documentation"), ("ptxas", "the newest known assembler"))
    return [*_filter_by_prefix(start, models), *(_complete_erratum(start, []) if start else ())]


def _complete_erratum(start: str, _: list[str]) -> CompletionWords:
    return _filter_by_prefix(start, [(erratum.id, erratum.forms) for erratum in ALL_ERRATA])


def _complete_named_erratum(start: str, earlier_words: list[str]) -> CompletionWords:
    from ...engine.tracing.folding_bugs import FOLDING_BUGS

    bugs = _filter_by_prefix(start, [(bug.id, bug.forms) for bug in FOLDING_BUGS])
    return [*_complete_erratum(start, earlier_words), *bugs]


def _complete_lesson(start: str, _: list[str]) -> CompletionWords:
    from ...learn.lesson import list_headings

    return _filter_by_prefix(start, [(head.name, head.title) for head in list_headings()])


def _complete_opcode(start: str, _: list[str]) -> CompletionWords:
    return _filter_by_prefix(start, [(opcode, entry.summary) for opcode, entry in CATALOG.items()])


def _complete_ptx(start: str, _: list[str]) -> CompletionWords:
    return [(start[: x.start] + x.text, x.about) for x in find_completions(start)]


def _complete_operand(start: str, earlier_words: list[str]) -> CompletionWords:
    return _filter_by_prefix(start, _iter_missing_operands(earlier_words))


def _make_part_completer(
    list_parts: Callable[[Instruction], Iterable[RegisterPart]],
) -> Callable[[str, list[str]], CompletionWords]:
    """Return a function that completes the parts of an instruction's registers."""

    def complete_part(start: str, earlier_words: list[str]) -> CompletionWords:
        try:
            lanes = list_parts(parse_pasted(earlier_words[0])) if earlier_words else ()
        except PtxError:
            return ()
        return _filter_by_prefix(start, [(lane.text, f"operand {lane.role}") for lane in lanes])

    return complete_part


def _iter_missing_operands(earlier_words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the operands of the instruction that have no value yet."""
    try:
        ins = parse_pasted(earlier_words[0])
    except PtxError:
        return
    names = {word.partition("=")[0] for word in earlier_words[1:]}
    for operand in ins.inputs:
        if operand.name not in names:
            yield f"{operand.name}=", f"operand {', '.join(operand.roles)}, .{operand.type}"


_COMPLETERS: dict[str, Callable[[str, list[str]], CompletionWords]] = {
    "MODEL": _complete_model,
    "ID": _complete_named_erratum,
    "LESSON": _complete_lesson,
    "OPCODE": _complete_opcode,
    "PTX": _complete_ptx,
    "name=value": _complete_operand,
    "PART": _make_part_completer(list_sweepable_parts),
    "RESULT": _make_part_completer(list_result_parts),
}
"""Completions by metavar; for other metavars the shell offers files."""
