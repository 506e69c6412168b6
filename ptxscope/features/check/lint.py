"""Diagnostics for the instructions of a listing or a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from itertools import chain, islice, pairwise

from ...engine.syntax.asm_operands import AsmOperands
from ...engine.syntax.errors import Problem, Span, limit_problems, quote_word
from ...engine.syntax.opcodes import DISTINCT_OPCODES, OPCODES
from ...engine.syntax.parser import NOT_LITERAL, parse_statement
from ...engine.syntax.partial_ptx import STATEMENT_WITHOUT_OPCODE, is_prose, is_template
from ...engine.syntax.scopes import Scopes, collect_registers
from ...engine.syntax.source import GAP, Fragment
from ...engine.syntax.tokens import find_statements as written_statements
from ...sources.embedded_ptx import EmbeddedPtx, PieceKind, find_assembly, has_foreign_operands
from ...sources.preprocessor import Definitions
from ...sources.source_language import Language, find_language, is_whole
from ...sources.source_location import LineIndex, SourceLocation, find_span
from .asm_checks import (
    check_asm,
    check_placeholders,
    find_local_declarations,
    find_operand_notes,
    make_outer_locator,
    mark_minor_errata,
    pass_over_unknown_values,
)
from .asm_flow import CarryNotes
from .c_notes import find_bare_statements, find_intrinsic_uses
from .candidate_reader import Candidate, CandidateReader
from .check_cache import CheckCache, list_declarations
from .checked_scopes import CheckedScopes
from .compiled_code import find_disabled_code, select_branches
from .constraint_branches import check_branches
from .diagnostic import CheckedInstruction, Diagnostic, make_item
from .line_markers import LineMarkers
from .listing_checks import check_listing
from .listing_sources import name_source_lines
from .moved_constants import MovedConstants
from .operand_fields import FilledPiece, fill_operand_fields, is_certain
from .placeholders import find_unknown_operand, list_constant_literals, restore_braces
from .statement_checks import (
    Locator,
    UndeclaredNames,
    add_diagnostics,
    check_between_statements,
    check_plain_statement,
    check_statement,
    check_statement_end,
    check_statement_start,
    find_constants,
    make_illegal_diagnostic,
)
from .suppressions import IgnoreComments
from .text_problems import EMPTY_STATEMENT, MISSING_END, find_boundary_problems


def check_text(
    text: str,
    name: str,
    definitions: Definitions | None = None,
    *,
    with_line_markers: bool = True,
    cache: CheckCache | None = None,
) -> Iterator[CheckedInstruction]:
    """Yield each instruction of the catalog in a text of any language, in order.

    ``definitions`` are macros of C. ``with_line_markers``: obey the line markers of a preprocessor.
    ``cache`` has what earlier checks found.
    """
    language = find_language(name, text)
    if language is Language.PTX:
        return name_source_lines([text], partial(check_listing, name=name, cache=cache))
    return check_source(
        text, name, language, definitions, with_line_markers=with_line_markers, cache=cache
    )


def check_source(
    text: str,
    name: str,
    language: Language,
    definitions: Definitions | None = None,
    *,
    with_line_markers: bool = True,
    cache: CheckCache | None = None,
) -> Iterator[CheckedInstruction]:
    """Yield each instruction of the catalog in a source's ``asm`` statements and PTX strings.

    In C, yield the uses of CUDA's intrinsics, too. With ``definitions`` of macros, code that they
    exclude from compilation is left out.
    """
    if language is Language.UNKNOWN:
        message = "this is neither PTX nor source code in a known language; nothing was recognised"
        hint = ".ptx .cu .h .py .rs .ll .mlir .jl .ipynb .md .html …"
        location = LineIndex(text).locate(0, 0)
        yield make_item(name, "", Diagnostic("unread", message, location, hint))
        return
    if language is Language.C and definitions:
        text = select_branches(text, definitions)
    items: Iterable[CheckedInstruction]
    if language is Language.C:
        items = check_branches(
            text,
            definitions or {},
            partial(_check_c, name=name, definitions=definitions, cache=cache),
        )
    else:
        items = _check_pieces(text, name, language, [], definitions, cache=cache)
    comments = IgnoreComments()
    comments.record(text)
    items = comments.report_items(items, name)
    markers = LineMarkers(text) if language is Language.C and with_line_markers else None
    yield from markers.restore_places(items) if markers and markers.markers else items


def _check_c(
    text: str,
    has_narrow_addresses: bool,
    *,
    name: str,
    definitions: Definitions | None,
    cache: CheckCache | None,
) -> Iterator[CheckedInstruction]:
    """Yield the items of one version of a C source."""
    disabled_spans = find_disabled_code(text)
    address_bits = 32 if has_narrow_addresses else 64
    items = _check_pieces(text, name, Language.C, disabled_spans, definitions, address_bits, cache)
    if "__" in text:
        items = merge(items, find_intrinsic_uses(text, name, disabled_spans), key=_get_place)
    return merge(items, find_bare_statements(text, name, disabled_spans), key=_get_place)


def _get_place(item: CheckedInstruction) -> tuple[int, int]:
    return item.location.line, item.location.column


def _check_pieces(
    text: str,
    name: str,
    language: Language,
    disabled_spans: Sequence[Span],
    definitions: Definitions | None,
    address_bits: int = 64,
    cache: CheckCache | None = None,
) -> Iterator[CheckedInstruction]:
    """Yield the instructions of a source's PTX; ``disabled_spans`` are not compiled."""
    is_ended, previous_piece = False, None
    pieces = list(find_assembly(text, language, definitions))
    elsewhere = collect_registers(text, find_local_declarations(pieces))
    elsewhere.has_all_declarations &= is_whole(name)
    elsewhere.address_bits = address_bits
    declarations = list_declarations(elsewhere)
    carry_notes = CarryNotes(text, language, pieces)
    foreign_note = _find_foreign_note(pieces, name)
    for piece, following in pairwise(chain(pieces, [None])):
        assert piece
        if piece.is_foreign or piece.is_excerpt:
            yield from [foreign_note[1]] if foreign_note and foreign_note[0] is piece else []
            continue
        was_ended, is_ended = (
            is_ended,
            following is not None and _is_ended_by_next(piece, following, text),
        )
        if find_span(disabled_spans, piece.fragments[-1].origins[0]) >= 0:
            yield from _check_disabled_code(piece, name, elsewhere)
            continue
        outer_locator = make_outer_locator(piece)
        for problem in piece.fragments[0].problems:
            location = outer_locator.locate(*problem.span)
            diagnostic = Diagnostic("illegal", problem.message, location, problem.hint)
            yield CheckedInstruction(name, location, location.excerpt.strip(), (diagnostic,))
        if not was_ended and _is_empty_statement(piece, previous_piece):
            semicolon = piece.ptx.index(";")
            location = piece.make_locator(semicolon).locate(0, 1)
            yield make_item(name, ";", Diagnostic("illegal", EMPTY_STATEMENT.message, location))
        check = partial(
            _check_piece, name=name, elsewhere=elsewhere, is_ended=is_ended, was_ended=was_ended
        )
        context = name, declarations, is_ended, was_ended
        items = cache.check_piece(piece, context, check) if cache else check(piece)
        yield from carry_notes.choose_notes(piece, items)
        previous_piece = piece


def _find_foreign_note(
    pieces: Iterable[EmbeddedPtx], name: str
) -> tuple[EmbeddedPtx, CheckedInstruction] | None:
    """Return the first piece that may be PTX but is read as something else, with a note on it."""
    for piece in pieces:
        is_excerpt = piece.is_excerpt
        is_likely = piece.operands is not None and not has_foreign_operands(piece.operands)
        if is_excerpt or (is_likely and piece.is_foreign):
            for statement in CandidateReader([piece.ptx]):
                opcode = _OPCODE.match(statement.text, statement.opcode)
                if opcode is None or opcode[0].partition(".")[0] not in DISTINCT_OPCODES:
                    continue
                location = piece.make_locator(statement.start).locate(
                    statement.opcode, len(statement.text)
                )
                message = _EXCERPT if is_excerpt else _FOREIGN
                return piece, make_item(
                    name, statement.text, Diagnostic("unread", message, location)
                )
    return None


_EXCERPT = "this seems to be text about code, or to be expanded later: it is not checked"
_FOREIGN = "this asm statement seems to be for another machine, not PTX: it is not checked"


def _is_empty_statement(piece: EmbeddedPtx, previous_piece: EmbeddedPtx | None) -> bool:
    """Whether an asm statement is a ``;`` alone, and the statement before it has one."""
    if piece.kind is not PieceKind.ASM or piece.ptx.strip() != ";":
        return False
    return previous_piece is None or (
        previous_piece.kind is PieceKind.ASM and previous_piece.ptx.rstrip().endswith((";", "}"))
    )


def _is_ended_by_next(piece: EmbeddedPtx, following: EmbeddedPtx, text: str) -> bool:
    """Return whether the next asm statement begins with the ``;`` of the last one here."""
    is_asm = piece.kind is following.kind is PieceKind.ASM
    if not (is_asm and following.ptx.lstrip().startswith(";")):
        return False
    last_fragment = piece.fragments[-1]
    start = last_fragment.find_origin(len(last_fragment.ptx) - 1, len(last_fragment.ptx))[1]
    end = following.fragments[-1].origins[0]
    separator = text[start:end] if end - start < _MAX_GAP_CHARS else "}"
    return not set(separator) & {"{", "}"} and not piece.ptx.rstrip().endswith(";")


_MAX_GAP_CHARS = 1 << 12
"""Maximum distance of an asm statement that begins with the ``;`` of the one before."""


def _check_disabled_code(
    piece: EmbeddedPtx, name: str, elsewhere: Scopes
) -> Iterator[CheckedInstruction]:
    for item in islice(_check_piece(piece, name, elsewhere), 1):
        message = "in `#if 0`: neither compiled nor checked"
        yield make_item(name, item.ptx, Diagnostic("unread", message, item.location))


def _check_piece(
    piece: EmbeddedPtx,
    name: str,
    elsewhere: Scopes,
    *,
    is_ended: bool = False,
    was_ended: bool = False,
) -> Iterator[CheckedInstruction]:
    """Return the instructions of a piece with their diagnostics.

    ``is_ended``: the next piece begins with the ``;`` of this piece's last statement.
    ``was_ended``: this piece begins with the ``;`` of the one before.
    """
    filled = fill_operand_fields(piece)
    piece = filled.piece
    located_items = list(_check_statements(filled, name, elsewhere))
    if piece.gaps or piece.opcode_span:
        literal_spans = [span for span, _ in located_items]
        located_items = sorted(
            [*located_items, *_check_partial(piece, name, literal_spans)], key=_get_span
        )
    if piece.operands and not piece.gaps:
        located_items = _add_asm_findings(piece, name, elsewhere, located_items)
    starts = [start for (start, _), _ in located_items]
    undeclared_names = UndeclaredNames()
    items = [undeclared_names.drop_repeated(item) for _, item in located_items]
    problems_by_index = defaultdict[int, list[Problem]](list)
    text_start = len(piece.ptx) - len(piece.ptx.lstrip())
    for problem in (
        find_boundary_problems(piece.ptx, OPCODES, piece.gaps) if items and piece.operands else ()
    ):
        if is_ended and problem.message == MISSING_END.message:
            continue
        if (
            was_ended
            and problem.message == EMPTY_STATEMENT.message
            and problem.span[0] == text_start
        ):
            continue
        problems_by_index[max(bisect_right(starts, problem.span[0]) - 1, 0)].append(problem)
    for index, problems in problems_by_index.items():
        diagnostics = [
            make_illegal_diagnostic(problem, piece.make_locator(0))
            for problem in limit_problems(problems)
        ]
        items[index] = add_diagnostics(items[index], diagnostics)
    if filled.fields or (piece.operands and piece.operands.is_braced):
        restore = (
            partial(restore_braces, piece.operands) if piece.operands else filled.restore_fields
        )
        restore_code = partial(restore, is_code=True)
        items = [_restore_names(x, restore, restore_code) for x in items]
    return iter(items)


def _restore_names(
    item: CheckedInstruction, restore: Callable[[str], str], restore_code: Callable[[str], str]
) -> CheckedInstruction:
    """Return a checked instruction with its operands as the source writes them."""
    example, lines = item.example, item.replacement
    if example:
        values = {restore(name): bits for name, bits in example.values.items()}
        example = example._replace(values=values)
    return item._replace(
        ptx=restore(item.ptx),
        diagnostics=tuple(
            diagnostic._replace(
                message=restore(diagnostic.message), hint=restore(diagnostic.hint), fix=None
            )
            for diagnostic in item.diagnostics
        ),
        notes=tuple(map(restore, item.notes)),
        example=example,
        replacement=lines and tuple(map(restore_code, lines)),
    )


_LocatedItem = tuple[Span, CheckedInstruction]
"""An instruction and its range in its piece."""


def _get_span(located_item: _LocatedItem) -> Span:
    return located_item[0]


def _add_asm_findings(
    piece: EmbeddedPtx, name: str, elsewhere: Scopes, located_items: list[_LocatedItem]
) -> list[_LocatedItem]:
    """Return the instructions, and other statements with diagnostics about operands."""
    items_by_start = {span[0]: (span, item) for span, item in located_items}
    checked_starts = frozenset(items_by_start)
    for statement, diagnostic in check_asm(piece, elsewhere, checked_starts):
        span = statement.span
        if span[0] not in items_by_start:
            location = piece.make_locator(0).locate(*statement.opcode.span)
            ptx = f"{' '.join(piece.ptx[slice(*span)].split())};"
            item = CheckedInstruction(name, location, ptx, is_common=True)
            items_by_start[span[0]] = span, item
        span, item = items_by_start[span[0]]
        items_by_start[span[0]] = span, add_diagnostics(item, (diagnostic,))
    return sorted(items_by_start.values(), key=_get_span)


def _check_partial(
    piece: EmbeddedPtx, name: str, literal_spans: Iterable[Span]
) -> Iterator[_LocatedItem]:
    """Yield statements that are partly literal; ``literal_spans`` belong to the other texts."""
    fragment, in_asm = Fragment(piece.ptx, gaps=piece.gaps), piece.kind is PieceKind.ASM
    opcode_span = piece.opcode_span
    if in_asm and not piece.ptx.replace(GAP, "").strip():
        opcode_span = (piece.gaps[0], piece.gaps[0] + 1)
    if opcode_span and any(start <= opcode_span[0] < end for start, end in literal_spans):
        opcode_span = None
    for statement in written_statements(piece.ptx, OPCODES, piece.gaps):
        opcode = statement.opcode.span
        is_named = opcode[0] == opcode_span[0] if opcode_span else False
        if (
            fragment.find_gap(*statement.span) is None
            or parse_statement("", fragment, statement) is None
        ):
            continue
        statement_end = piece.ptx[opcode[0] : statement.span[1]]
        is_known = is_named or in_asm or opcode[0] not in piece.gaps
        if not (is_known or STATEMENT_WITHOUT_OPCODE.match(f"{statement_end.rstrip(';')};")):
            continue
        if is_named or in_asm or not is_prose(statement_end):
            yield statement.span, _make_unread(piece, opcode, name)
            opcode_span = None if is_named else opcode_span
    if opcode_span:
        yield opcode_span, _make_unread(piece, opcode_span, name)


def _make_unread(piece: EmbeddedPtx, span: Span, name: str) -> CheckedInstruction:
    location = piece.make_locator(0).locate(*span)
    ptx = location.excerpt[slice(*location.span)]
    gap = piece.fragments[0].find_gap(span[0], len(piece.ptx))
    place = piece.make_locator(gap).locate(0, 1) if gap is not None else location
    is_field = place.excerpt[place.span[0] : place.span[0] + 1] in ("{", "%")
    message = _FILLED_IN if is_field else NOT_LITERAL
    return CheckedInstruction(name, location, ptx, (Diagnostic("unread", message, location),))


_FILLED_IN = "part of this statement is filled in elsewhere; it is not checked"


def _check_statements(filled: FilledPiece, name: str, elsewhere: Scopes) -> Iterator[_LocatedItem]:
    """Yield the instructions of statements that are literal text, except for whole operands."""
    piece = filled.piece
    may_be_template, may_be_prose = piece.may_be_template, piece.may_be_prose
    operands, inner = piece.operands, piece.fragments[0]
    is_closed = operands is not None and operands.number is not None
    is_asm = piece.kind is PieceKind.ASM
    literals = list_constant_literals(operands) if operands else {}
    has_gaps = bool(piece.gaps)
    scopes = CheckedScopes(piece.registers, elsewhere, is_closed=is_closed, is_partial=has_gaps)
    if piece.kind is PieceKind.STRING:
        scopes.write_carry()  # another string may do so
    reader = CandidateReader([piece.ptx], scopes, is_strict=piece.is_certain)
    moved_constants = MovedConstants(reader)
    for statement in reader:
        span = (statement.start, statement.start + len(statement.text))
        if piece.gaps and inner.find_gap(*span) is not None:
            continue
        if statement.is_plain:
            if not (may_be_template and is_template(statement.text, statement.scopes)):
                locator = piece.make_locator(statement.start)
                yield from ((span, x) for x in check_plain_statement(statement, locator, name))
            continue
        constants = find_constants(statement, moved_constants, literals)
        locator = piece.make_locator(statement.start)
        if diagnostic := check_between_statements(statement, locator):
            # find_boundary_problems reports a `;`; of two declarations under #if, only one compiles
            if is_asm and not has_gaps and statement.text != ";":
                yield span, make_item(name, statement.text, diagnostic)
            continue
        if may_be_template and is_template(statement.text, statement.scopes):
            yield span, _check_template(statement, locator, name)
        elif not (may_be_prose and is_prose(statement.text[statement.opcode :])):
            for item in check_statement(statement, locator, name, constants, is_asm=is_asm):
                diagnostics: Iterator[Diagnostic]
                if operands:
                    diagnostics = chain(
                        check_placeholders(piece, operands, span, statement.scopes),
                        find_operand_notes(piece, operands, span),
                    )
                    if item.is_legal:
                        notes = _find_unknown_operands(piece, operands, statement)
                        diagnostics = chain(diagnostics, notes)
                else:
                    diagnostics = check_statement_end(statement, locator)
                if is_asm:
                    diagnostics = chain(check_statement_start(statement, locator), diagnostics)
                if operands:
                    item = pass_over_unknown_values(item, operands)
                if item.diagnostics:
                    item = mark_minor_errata(item, operands, moved_constants.small_registers)
                item = add_diagnostics(item, diagnostics)
                if filled.holds_field(*span):
                    item = filled.drop_declarations(item)
                    operands_start = _locate_operands(statement, locator)
                    if not is_certain(item, statement.text, operands_start):
                        item = _check_template(statement, locator, name)
                yield span, item


_OPCODE = re.compile(r"[\w$]++(?>(?:\s*+\.\w++)*)", re.ASCII)


def _locate_operands(statement: Candidate, locator: Locator) -> SourceLocation:
    match = _OPCODE.match(statement.text, statement.opcode)
    end = match.end() if match else statement.opcode
    return locator.locate(end, end + 1)


def _find_unknown_operands(
    piece: EmbeddedPtx, operands: AsmOperands, statement: Candidate
) -> Iterator[Diagnostic]:
    """Yield a note if an operand's constraint could not be read, because a macro may hold it."""
    span = statement.start, statement.start + len(statement.text)
    if unknown_operand := find_unknown_operand(operands, piece.fragments[0], *span):
        name, name_span = unknown_operand
        message = (
            f"the type of {quote_word(name)} is unknown and not checked: "
            "this asm statement's operands are not all literal text"
        )
        yield Diagnostic("note", message, piece.make_locator(0).locate(*name_span))


def _check_template(statement: Candidate, locator: Locator, name: str) -> CheckedInstruction:
    location = locator.locate(statement.opcode, len(statement.text))
    return make_item(name, statement.text, Diagnostic("unread", _FILLED_IN, location))
