"""Answers to an editor about a position of a source: descriptions, definitions, tokens, edits.

Positions are offsets in the text, in characters.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ...documents.content.document_builder import build_document
from ...documents.formats.markdown import WRITER
from ...documents.formats.markup import (
    Block,
    iter_blocks,
    iter_step_blocks,
    make_heading,
    make_operand_table,
    make_paragraph,
    make_points,
    make_verbatim,
)
from ...documents.options import Options
from ...engine.isa.catalog import find_entry
from ...engine.isa.entry import Entry
from ...engine.isa.intrinsics import Intrinsic, map_intrinsics
from ...engine.program.program import Program
from ...engine.program.program_loader import load_module
from ...engine.program.statement import Statement
from ...engine.syntax.completions import Completion, find_completions
from ...engine.syntax.errors import Span
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.scopes import Scopes, collect_registers
from ...engine.syntax.tokens import Token, TokenKind, tokenize
from ...engine.tracing.probe_operands import draw_operands
from ...engine.tracing.trace import Trace, trace
from ...feature import Service, find_services
from ...sources.embedded_ptx import EmbeddedPtx, find_ptx
from ...sources.source_language import Language, find_language
from ...sources.source_programs import load
from ..check.check_cache import CheckCache
from ..check.check_settings import CheckSettings
from ..check.diagnostic import CheckedInstruction
from ..check.lint import check_text
from ..check.listing_parts import split_functions
from ..check.sequence_notes import SequenceSearch
from .symbol_answers import ListingSymbols, OutlineEntry, PieceSymbols

_STATEMENT_START = re.compile(r"[;{}\"'`\n]|\\[nrt]")
"""The text before a statement: a mark, or an escape in a string."""
_NAMED_OPERAND = re.compile(r"%\[(\w+)\]", re.ASCII)
_LINES_AROUND = 20
"""Lines of a listing before and after a position that are read to describe it."""
_FUNCTION_START = re.compile(r"^[ \t]*+\.(?:visible|weak|extern|entry|func)\b", re.MULTILINE)
MAX_TOKEN_CHARS = 1_000_000
"""Characters of a file up to which definitions and semantic tokens are computed."""
MAX_SEQUENCE_CHARS = 300_000
"""Characters of a file up to which sequences are searched; a search takes up to 0.7 seconds."""
_DRAWS = 32
"""Number of sets of operands from which the example of a hover is chosen."""
_WORD_END = re.compile(r"[%$\w]+\Z", re.ASCII)
_OPTIONS = Options(footer=False, heading_level=3)


class SemanticKind(StrEnum):
    """The kind of a token, in the words of the Language Server Protocol."""

    KEYWORD = "keyword"
    FUNCTION = "function"
    MODIFIER = "modifier"
    VARIABLE = "variable"
    NUMBER = "number"


class SemanticToken(NamedTuple):
    """A token of PTX, and its kind."""

    span: Span
    kind: SemanticKind


class SuggestedEdit(NamedTuple):
    """A change that an editor offers."""

    title: str
    span: Span
    text: str


class SourceText:
    """The text of a file and its analysis, computed at the first request."""

    def __init__(self, text: str, name: str, cache: CheckCache | None = None) -> None:
        self.text, self.name = text, name
        self._cache = cache
        """The items of earlier versions of the text."""

    @cached_property
    def language(self) -> Language:
        """The language of the text."""
        return find_language(self.name, self.text)

    @cached_property
    def _pieces(self) -> list[EmbeddedPtx]:
        return list(find_ptx(self.text, self.language))

    @cached_property
    def _symbols(self) -> list[PieceSymbols]:
        if self.language is Language.PTX:
            return ListingSymbols(self.text).parts
        return [PieceSymbols(x.flatten()) for x in self._pieces]

    def find_symbols(self, offset: int) -> PieceSymbols | None:
        """Return the names in the piece of PTX at a position; None outside, or in a long file."""
        if len(self.text) > MAX_TOKEN_CHARS:
            return None
        spans = ((x, x.span) for x in self._symbols)
        return next((x for x, (start, end) in spans if start <= offset <= end), None)

    def list_outline(self) -> list[OutlineEntry]:
        """Return the functions, variables and labels of the PTX in the text, in order."""
        if len(self.text) > MAX_TOKEN_CHARS:
            return []
        return sorted((y for x in self._symbols for y in x.list_outline()), key=lambda x: x.span)

    @cached_property
    def _registers(self) -> Scopes:
        return collect_registers(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def check(self, settings: CheckSettings) -> Iterator[CheckedInstruction]:
        """Yield the findings of `ptxscope check` with some settings, except for sequences."""
        if self._is_excluded(settings):
            return iter(())
        items = check_text(
            self.text,
            self.name,
            settings.definitions,
            with_line_markers=False,
            cache=self._cache,
        )
        return settings.filter_items(items)

    def check_sequences(self, settings: CheckSettings) -> Iterator[CheckedInstruction]:
        """Yield the notes of `ptxscope check` on sequences that compute an intrinsic."""
        search = SequenceSearch(self.name)
        if len(self.text) <= MAX_SEQUENCE_CHARS and not self._is_excluded(settings):
            for _ in search.record_chunks([self.text]):
                yield from settings.filter_items(search.merge(()))

    def _is_excluded(self, settings: CheckSettings) -> bool:
        return settings.forces_exclude and settings.is_excluded(Path(self.name))

    def _load_around(self, span: Span) -> tuple[tuple[Program, ...], int]:
        """Return the programs of the text around a line or position, and where this text starts.

        It is a part of a listing, or the asm statements and strings that are there, so that the
        time does not depend on the size of the file.
        """
        if self.language is Language.PTX:
            offset = span[0]
            line = bisect_right(self._line_starts, offset)
            first = self._line_starts[max(line - _LINES_AROUND, 0)]
            lines_after = self._line_starts[line + _LINES_AROUND :]
            end = lines_after[0] if lines_after else len(self.text)
            # if another function were in it, the text around that would be in none
            for match in _FUNCTION_START.finditer(self.text, first, end):
                if match.start() > offset:
                    end = match.start()
                    break
                first = match.start()
            return load(self.text[first:end], self.name, is_excerpt=True), first
        pieces = (x for x in self._pieces if _overlaps(x, span))
        modules = (load_module(self.text, x, elsewhere=self._registers) for x in pieces)
        return tuple(program for module in modules for program in module.programs), 0

    def _find_statement(self, offset: int) -> tuple[Statement | None, int]:
        """Return the statement at a position or None, and where the text of its spans starts."""
        programs, start = self._load_around((offset, offset))
        statements = (x for program in programs for x in program.statements)
        position = offset - start
        return next((x for x in statements if x.span[0] <= position < x.span[1]), None), start

    # --- hover -------------------------------------------------------------------------------

    def describe(self, offset: int, page: str = "") -> str:
        """Describe the instruction or the operand at a position as Markdown; empty for neither.

        ``page`` is the address of a folder that `ptxscope page` wrote, for a link.
        """
        statement, start = self._find_statement(offset)
        if not statement:
            intrinsic = map_intrinsics().get(self._get_word(offset))
            return (
                WRITER.write_document(_iter_intrinsic_blocks(intrinsic), _OPTIONS)
                if intrinsic
                else ""
            )
        ins = statement.instruction
        if not ins:
            return WRITER.write_document(_iter_opcode_blocks(statement), _OPTIONS)
        example = _trace_example(ins)
        roles = [x for x in ins.roles if offset - start in range(*ins.spans.get(x, (0, 0)))]
        # the spans in a macro's call are all at one place
        is_operand = len(roles) == 1
        blocks = _iter_operand_blocks(example, roles[0]) if is_operand else _iter_blocks(example)
        return WRITER.write_document(blocks, _OPTIONS) + _format_link(example, page)

    def _get_word(self, offset: int) -> str:
        words = re.finditer(r"[%$\w]+", self._get_line(offset))
        column = offset - self._get_line_start(offset)
        return next((x[0] for x in words if x.start() <= column < x.end()), "")

    def _get_line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def _get_line(self, offset: int) -> str:
        return self.text[self._get_line_start(offset) :].partition("\n")[0]

    # --- completion, definitions, tokens -----------------------------------------------------

    def complete(self, offset: int) -> tuple[tuple[Completion, ...], Span]:
        """Return the legal continuations at a position, and the span that each replaces."""
        start = max(self._get_line_start(offset), offset - 500)
        line = _NAMED_OPERAND.sub(r"%_\1_", self.text[start:offset])
        cuts = [match.end() for match in _STATEMENT_START.finditer(line)]
        text = line[cuts[-1] if cuts else 0 :]
        blanks = len(text) - len(text.lstrip())
        completions = find_completions(text[blanks:]) if text.strip() else ()
        if not completions:
            return self._complete_name(offset)
        word_start = completions[0].start if completions else 0
        return completions, (offset - (len(text) - blanks - word_start), offset)

    def _complete_name(self, offset: int) -> tuple[tuple[Completion, ...], Span]:
        """Return the registers, or outside of PTX the intrinsics, that a word may become."""
        match = _WORD_END.search(self.text, max(self._get_line_start(offset), offset - 100), offset)
        start = match.start() if match else offset
        word = self.text[start:offset]
        if symbols := self.find_symbols(offset):
            names = (x for x in symbols.list_registers(offset) if x.startswith(word) and x != word)
            return tuple(Completion(x, 0, "register") for x in names), (start, offset)
        if not word.startswith("__") or self.language is Language.PTX:
            return (), (start, offset)
        intrinsics = (x for x in map_intrinsics().values() if x.name.startswith(word))
        return tuple(Completion(x.name, 0, "; ".join(x.lines)) for x in intrinsics), (start, offset)

    def list_tokens(self) -> list[SemanticToken]:
        """Return the tokens of PTX in the text, in order."""
        tokens = list[SemanticToken]()
        if len(self.text) > MAX_TOKEN_CHARS:
            return tokens
        for fragment in (x.flatten() for x in self._pieces):
            tokens += (
                SemanticToken(fragment.find_origin(*span), kind)
                for span, kind in read_tokens(fragment.ptx)
            )
        return sorted(tokens)

    def list_token_parts(self) -> Sequence[str]:
        """Return the functions of a listing, to read each one's tokens; none of other texts."""
        is_short = len(self.text) <= MAX_TOKEN_CHARS
        if self.language is not Language.PTX or not (is_short and self.text.isascii()):
            return ()
        return [part for part, _ in split_functions(self.text)]

    # --- changes -----------------------------------------------------------------------------

    def list_edits(
        self, items: Iterable[CheckedInstruction], lines: range
    ) -> Iterator[SuggestedEdit]:
        """Yield the edits for the instructions on some lines, which are numbered from 1."""
        starts = [*self._line_starts, len(self.text) + 1]
        first_line, end_line = (min(x, len(starts)) - 1 for x in (lines.start, lines.stop))
        span = range(starts[first_line], starts[end_line])
        programs, first = self._load_around((span.start, span.stop))
        for problem in dict.fromkeys(x for program in programs for x in program.problems):
            start, end = (x + first for x in problem.span)
            if problem.fix is not None and start in span:
                title = f"Write `{problem.fix}`" if problem.fix else "Remove this"
                yield SuggestedEdit(title, (start, end), problem.fix)
        for item in (x for x in items if x.location.line in lines):
            for fix in (x.fix for x in item.diagnostics if x.fix):
                start = starts[fix.location.line - 1] + fix.location.column - 1
                yield SuggestedEdit(
                    f"Write `{fix.text}`", (start, start + fix.location.width), fix.text
                )
            start = starts[item.location.line - 1] + item.location.column - 1
            statement, first = self._find_statement(start)
            if item.replacement and statement:
                title = f"Replace by PTX with the documented result ({', '.join(item.errata)})"
                text = " ".join(line.strip() for line in item.replacement)
                start, end = (x + first for x in statement.span)
                yield SuggestedEdit(title, (start, end + self.text.startswith(";", end)), text)


def _overlaps(piece: EmbeddedPtx, span: Span) -> bool:
    # the text around the PTX first: it decides for most pieces
    for fragment in (piece.fragments[-1], piece.flatten()):
        start, end = fragment.find_origin(0, len(fragment.ptx))
        if start > span[1] or end < span[0]:
            return False
    return True


def read_tokens(ptx: str) -> Iterator[SemanticToken]:
    """Yield the tokens of PTX; spans are in this text."""
    previous_text, is_start = "", True
    for word in tokenize(ptx):
        if kind := _classify(word, is_start=is_start):
            yield SemanticToken(word.span, kind)
        # a guard stands before the opcode: `@!%p1 add`
        is_start = word.text in ";{}:" or previous_text in ("@", "!")
        previous_text = word.text


def _classify(word: Token, *, is_start: bool) -> SemanticKind | None:
    match word.kind:
        case TokenKind.DOTTED:
            return SemanticKind.KEYWORD if is_start else SemanticKind.MODIFIER
        case TokenKind.NAME:
            return SemanticKind.FUNCTION if is_start else SemanticKind.VARIABLE
        case TokenKind.NUMBER:
            return SemanticKind.NUMBER
    return None


def _trace_example(ins: Instruction) -> Trace:
    """Return an evaluation on edge cases that raise the most flags, of some operands."""
    types = {x.name: x.type for x in ins.inputs}
    traces = (trace(ins, values) for values in islice(draw_operands(types), _DRAWS))
    return max(traces, key=_count_flags)


def _count_flags(example: Trace) -> int:
    return sum(bool(flags) for row in example.rows.values() for flags in row.flags)


def _iter_entry_blocks(entry: Entry) -> Iterator[Block]:
    yield make_heading(f"{entry.opcode}: {entry.summary}")
    yield make_verbatim([f"{entry.syntax};"], language="ptx")


def _iter_opcode_blocks(statement: Statement) -> Iterator[Block]:
    """Yield a sentence about an instruction, whether it is modelled or not."""
    if entry := find_entry(statement.opcode, statement.modifiers):
        yield from _iter_entry_blocks(entry)
    elif sentence := _find_sentence(statement.name):
        yield make_heading(statement.name)
        yield make_paragraph(sentence)


def _find_sentence(name: str) -> str:
    """Return the sentence about an opcode with the most modifiers of a name; empty without any."""
    words = name.split(".")
    names = (".".join(words[:count]) for count in range(len(words), 0, -1))
    return next((read_sentences()[x] for x in names if x in read_sentences()), "")


@cache
def read_sentences() -> dict[str, str]:
    """Return sentences about opcodes, some with modifiers, whose forms the catalog lacks."""
    with (
        Path(__file__).with_name("opcode_sentences.csv").open(encoding="utf-8", newline="") as file
    ):
        return {row["opcode"]: row["sentence"] for row in csv.DictReader(file)}


def _iter_intrinsic_blocks(intrinsic: Intrinsic) -> Iterator[Block]:
    """Yield the PTX with the result of an intrinsic, and remarks on it."""
    yield make_heading(f"{intrinsic.name}({', '.join(intrinsic.parameters)})")
    yield make_verbatim([f"{x};" for x in intrinsic.lines], language="ptx")
    if intrinsic.remarks:
        yield make_points([[x] for x in intrinsic.remarks])


def _iter_blocks(example: Trace) -> Iterator[Block]:
    ins = example.instruction
    yield from _iter_entry_blocks(ins.entry)
    if ins.errata:
        yield make_points([[f"{x.id}: {x.sentence}"] for x in ins.errata])
    yield from iter_blocks(build_document(example, _OPTIONS))


def _format_link(example: Trace, page: str) -> str:
    """Return a link to the example in a web explorer, as Markdown."""
    values = {role: f"{bits:#x}" for role, bits in example.operands.items()}
    for format_link in find_services(Service.FORMAT_PERMALINK) if page else ():
        if fragment := format_link(str(example.instruction), values):
            return f"\n[Open in the web explorer](<{page.rstrip('/')}/#{fragment}>)\n"
    return ""


def _iter_operand_blocks(example: Trace, role: str) -> Iterator[Block]:
    document = build_document(example, _OPTIONS)
    (section,) = document.sections
    yield make_heading(f"Operand {role}", 1)
    yield make_operand_table(
        section._replace(operands=tuple(x for x in section.operands if x.role == role))
    )
    for step in section.steps:
        rows = tuple(row for row in step.rows if row.key.partition(".")[2] == role)
        if rows:
            yield from iter_step_blocks(step._replace(rows=rows), 2)
