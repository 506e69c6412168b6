"""The Language Server Protocol: answers to an editor about PTX in a source.

Every answer is computed by ``source_answers``, in a thread of its text, and diagnostics are in
another one. So a large file keeps neither other files nor the end of the server waiting. The newest
version of a text replaces a check that is still running.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from ... import __version__
from ...cli.support.streams import CommandError
from ...engine.syntax.errors import Span
from ...sources.source_location import LineIndex
from ..check.check_cache import CheckCache
from ..check.check_rules import Severity
from ..check.check_settings import CheckSettings, read_settings
from ..check.diagnostic import CheckedInstruction, Diagnostic
from .message_loop import EditorProtocol, Worker
from .source_answers import SemanticKind, SourceText, read_tokens
from .symbol_answers import OutlineEntry, Place
from .symbols import SymbolKind

_DELAY_SECONDS = 0.01
"""Time without a change until a text is checked."""
_PAUSE_SECONDS = 0.5
"""Time from then to the search for its sequences, which takes longer."""
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
    Severity.REMARK: lsp.DiagnosticSeverity.Hint,
}
_Answer = Callable[["PtxServer", "OpenText", Any], Any]
_LEGEND = lsp.SemanticTokensLegend([*map(str, SemanticKind)], [])


class OpenText(NamedTuple):
    """A text that an editor has opened, with its positions in the editor's units."""

    uri: str
    version: int | None
    source: SourceText
    line_starts: tuple[int, ...]
    codec: PositionCodec

    def find_offset(self, position: lsp.Position) -> int:
        """Return the offset of a position; one beyond a line or the text is moved to its end."""
        line = min(position.line, len(self.line_starts) - 1)
        start, end = self._get_line_span(line)
        end = min(end, start + position.character)  # a character has one unit or more
        if self.source.text.isascii():
            return end
        units = 0
        for offset in range(start, end):
            units += self.codec.client_num_units(self.source.text[offset])
            if units > position.character:
                return offset
        return end

    def make_range(self, span: Span) -> lsp.Range:
        """Return the range of a span."""
        return lsp.Range(*map(self._make_position, span))

    def _make_position(self, offset: int) -> lsp.Position:
        line = bisect_right(self.line_starts, offset) - 1
        start = self.line_starts[line]
        if self.source.text.isascii():
            return lsp.Position(line, offset - start)
        return lsp.Position(line, self.codec.client_num_units(self.source.text[start:offset]))

    def _get_line_span(self, line: int) -> Span:
        start = self.line_starts[line]
        end = self.source.text.find("\n", start)
        return start, end if end >= 0 else len(self.source.text)

    def make_diagnostic(self, item: CheckedInstruction, diagnostic: Diagnostic) -> lsp.Diagnostic:
        """Return a diagnostic of an item of `check` for the editor."""
        location = diagnostic.location
        start = self.line_starts[location.line - 1] + location.column - 1
        hint = f"\nallowed: {diagnostic.hint}" if diagnostic.hint else ""
        source = f" ({item.source})" if item.source else ""
        return lsp.Diagnostic(
            self.make_range((start, start + max(location.width, 1))),
            diagnostic.message + source + hint,
            severity=_SEVERITIES[diagnostic.severity],
            code=diagnostic.rule,
            source="ptxscope",
        )


class PtxServer(LanguageServer):
    """A language server with the sources that an editor has opened."""

    def __init__(self, page: str = "") -> None:
        # whole texts: pygls and editors do not agree on the ends of lines
        super().__init__(
            "ptxscope",
            __version__,
            lsp.TextDocumentSyncKind.Full,
            protocol_cls=EditorProtocol,
        )
        self.page = page
        self.texts: dict[str, OpenText] = {}
        self.items: dict[str, list[CheckedInstruction]] = {}
        self.settings: dict[Path, CheckSettings] = {}
        self.checks: dict[str, asyncio.Task[None]] = {}
        self.caches = defaultdict[str, CheckCache](CheckCache)
        self.checkers = defaultdict[str, Worker](Worker)
        self.answerers = defaultdict[str, Worker](Worker)

    def get_text(self, uri: str) -> OpenText | None:
        """Return a text as it is now, or None if neither the editor nor the disk has it.

        Its analysis is computed once.
        """
        document = self.workspace.get_text_document(uri)
        try:
            content = document.source
        except (OSError, ValueError):  # no file, not a file's name, not UTF-8
            return None
        text = self.texts.get(uri)
        if text is None or text.source.text != content:
            source = SourceText(content, to_fs_path(uri) or uri, self.caches[uri])
            starts = (0, *(match.end() for match in re.finditer("\n", source.text)))
            text = OpenText(uri, document.version, source, starts, document.position_codec)
        self.texts[uri] = text = text._replace(version=document.version)
        return text

    def read_settings(self, name: str) -> CheckSettings:
        """Return the settings of a file's project; the default ones if they cannot be read."""
        folder = Path(name).parent
        if folder not in self.settings:
            try:
                self.settings[folder] = read_settings(folder)
            except CommandError as error:
                self.settings[folder] = CheckSettings()
                message = lsp.ShowMessageParams(lsp.MessageType.Warning, str(error))
                self.window_show_message(message)
        return self.settings[folder]

    def start_check(self, uri: str) -> None:
        """Check a text soon, instead of an earlier version of it."""
        self.stop_check(uri)
        self.items.pop(uri, None)  # their places belong to an earlier version
        self.checks[uri] = asyncio.ensure_future(self._check(uri))

    def stop_check(self, uri: str) -> None:
        """End a check that is running."""
        if task := self.checks.pop(uri, None):
            task.cancel()

    async def _check(self, uri: str) -> None:
        await asyncio.sleep(_DELAY_SECONDS)
        text = self.get_text(uri)
        if not text:
            return
        settings = self.read_settings(text.source.name)
        self.items[uri] = items = list[CheckedInstruction]()
        diagnostics = list[lsp.Diagnostic]()
        checks = ((0.0, text.source.check), (_PAUSE_SECONDS, text.source.check_sequences))
        for pause, check in checks:
            await asyncio.sleep(pause)
            new_items = check(settings)
            # in parts, so that a change does not have to wait for all of an earlier version
            while part := await self.checkers[uri].run(partial(_take, new_items)):
                items += part
                diagnostics += (
                    text.make_diagnostic(item, x) for item in part for x in item.diagnostics
                )
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri, [*diagnostics], text.version)
            )


def _take(items: Iterator[CheckedInstruction]) -> list[CheckedInstruction]:
    return [item for _, item in zip(range(300), items, strict=False)]


def make_server(page: str = "") -> PtxServer:
    """Return the server; ``page`` is the address of a folder that `ptxscope page` wrote."""
    server = PtxServer(page)
    for name, receive in _NOTIFICATIONS.items():
        server.feature(name)(receive)
    for name, (answer, options) in _ANSWERS.items():
        server.feature(name, options)(_answer_in_thread(answer))
    return server


def _answer_in_thread(answer: _Answer) -> Callable[..., Awaitable[Any]]:
    @wraps(answer)
    async def answer_later(ls: PtxServer, params: Any) -> Any:
        uri = params.text_document.uri

        def work() -> Any:
            text = ls.get_text(uri)
            return answer(ls, text, params) if text else None

        return await ls.answerers[uri].run(work)

    return answer_later


def _open(
    ls: PtxServer, params: lsp.DidOpenTextDocumentParams | lsp.DidSaveTextDocumentParams
) -> None:
    ls.settings.clear()  # they may have been saved since
    ls.start_check(params.text_document.uri)


def _change(ls: PtxServer, params: lsp.DidChangeTextDocumentParams) -> None:
    ls.start_check(params.text_document.uri)


def _close(ls: PtxServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.stop_check(uri)
    ls.texts.pop(uri, None)
    ls.items.pop(uri, None)
    ls.caches.pop(uri, None)
    for workers in (ls.checkers, ls.answerers):
        if worker := workers.pop(uri, None):
            worker.end()
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _hover(ls: PtxServer, text: OpenText, params: lsp.HoverParams) -> lsp.Hover | None:
    about = text.source.describe(text.find_offset(params.position), ls.page)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, about)) if about else None


def _complete(
    _: PtxServer, text: OpenText, params: lsp.CompletionParams
) -> list[lsp.CompletionItem]:
    completions, span = text.source.complete(text.find_offset(params.position))
    range_ = text.make_range(span)
    return [
        lsp.CompletionItem(word.text, detail=word.about, text_edit=lsp.TextEdit(range_, word.text))
        for word in completions
    ]


def _find_definitions(
    _: PtxServer, text: OpenText, params: lsp.DefinitionParams
) -> list[lsp.Location]:
    offset = text.find_offset(params.position)
    symbols = text.source.find_symbols(offset)
    spans = symbols.find_definitions(offset) if symbols else ()
    return [lsp.Location(text.uri, text.make_range(x)) for x in spans]


def _list_places(text: OpenText, position: lsp.Position) -> list[Place]:
    offset = text.find_offset(position)
    symbols = text.source.find_symbols(offset)
    return symbols.list_places(offset) if symbols else []


def _list_references(
    _: PtxServer, text: OpenText, params: lsp.ReferenceParams
) -> list[lsp.Location]:
    with_declaration = params.context.include_declaration
    places = _list_places(text, params.position)
    return [
        lsp.Location(text.uri, text.make_range(x.span))
        for x in places
        if with_declaration or not x.is_declaration
    ]


def _highlight(
    _: PtxServer, text: OpenText, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight]:
    kinds = lsp.DocumentHighlightKind
    return [
        lsp.DocumentHighlight(
            text.make_range(x.span),
            kinds.Text if x.is_declaration else kinds.Write if x.is_write else kinds.Read,
        )
        for x in _list_places(text, params.position)
    ]


def _prepare_rename(
    _: PtxServer, text: OpenText, params: lsp.PrepareRenameParams
) -> lsp.Range | None:
    offset = text.find_offset(params.position)
    symbols = text.source.find_symbols(offset)
    with _invalid_params():
        span = symbols.find_name(offset) if symbols else None
    return text.make_range(span) if span else None


def _rename(_: PtxServer, text: OpenText, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    offset = text.find_offset(params.position)
    symbols = text.source.find_symbols(offset)
    if symbols is None:
        return None
    with _invalid_params():
        edits = symbols.rename(offset, params.new_name, text.source.text)
    return lsp.WorkspaceEdit(
        {text.uri: [lsp.TextEdit(text.make_range(x.span), x.text) for x in edits]}
    )


@contextmanager
def _invalid_params() -> Iterator[None]:
    """Make a ValueError the error that an editor shows."""
    try:
        yield
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from None


_SYMBOL_KINDS = {
    SymbolKind.KERNEL: lsp.SymbolKind.Function,
    SymbolKind.FUNCTION: lsp.SymbolKind.Function,
    SymbolKind.VARIABLE: lsp.SymbolKind.Variable,
    SymbolKind.LABEL: lsp.SymbolKind.Key,
}


def _list_outline(
    _: PtxServer, text: OpenText, __: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    def make(entry: OutlineEntry) -> lsp.DocumentSymbol:
        return lsp.DocumentSymbol(
            entry.name,
            _SYMBOL_KINDS[entry.kind],
            text.make_range(entry.span),
            text.make_range(entry.name_span),
            entry.kind.name.lower(),
            children=[*map(make, entry.children)],
        )

    return [*map(make, text.source.list_outline())]


def _list_actions(
    ls: PtxServer, text: OpenText, params: lsp.CodeActionParams
) -> list[lsp.CodeAction]:
    lines = range(params.range.start.line + 1, params.range.end.line + 2)
    actions = list[lsp.CodeAction]()
    for edit in text.source.list_edits(ls.items.get(text.uri, []), lines):
        changes = {text.uri: [lsp.TextEdit(text.make_range(edit.span), edit.text)]}
        kind = lsp.CodeActionKind.QuickFix
        actions.append(lsp.CodeAction(edit.title, kind, edit=lsp.WorkspaceEdit(changes)))
    return actions


def _list_tokens(_: PtxServer, text: OpenText, __: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    if parts := text.source.list_token_parts():
        return lsp.SemanticTokens([*encode_parts(parts)])
    spans = []
    for token in text.source.list_tokens():
        range_ = text.make_range(token.span)
        if range_.start.line == range_.end.line:
            width = range_.end.character - range_.start.character
            spans.append((range_.start.line, range_.start.character, width, token.kind))
    return lsp.SemanticTokens(_encode_tokens(spans))


def _encode_tokens(tokens: Iterable[tuple[int, int, int, SemanticKind]]) -> list[int]:
    """Return tokens as numbers of the protocol, each relative to the one before."""
    data, line, column = list[int](), 0, 0
    for token_line, start, width, kind in tokens:
        moved = start - (column if token_line == line else 0)
        data += [token_line - line, moved, width, _LEGEND.token_types.index(kind), 0]
        line, column = token_line, start
    return data


def encode_parts(parts: Iterable[str]) -> Iterator[int]:
    """Yield the encoded tokens of a listing's parts; each begins a line and is ASCII."""
    lines_between = 0
    for part in parts:
        data, lines_after = _encode_part(part)
        if data:
            yield lines_between + data[0]
            yield from data[1:]
            lines_between = 0
        lines_between += lines_after


@lru_cache(maxsize=1 << 13)
def _encode_part(text: str) -> tuple[list[int], int]:
    """Return the encoded tokens of a part, and the number of lines from the last one to its end."""
    lines, tokens = LineIndex(text), list[tuple[int, int, int, SemanticKind]]()
    for (start, end), kind in read_tokens(text):
        line = bisect_right(lines.starts, start) - 1
        tokens.append((line, start - lines.starts[line], end - start, kind))
    last_line = tokens[-1][0] if tokens else 0
    return _encode_tokens(tokens), len(lines.starts) - 1 - last_line


_NOTIFICATIONS: dict[str, Callable[..., None]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: _open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _change,
    lsp.TEXT_DOCUMENT_DID_SAVE: _open,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _close,
}
_ANSWERS: dict[str, tuple[_Answer, Any]] = {
    lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (_complete, lsp.CompletionOptions(trigger_characters=[".", "%"])),
    lsp.TEXT_DOCUMENT_DEFINITION: (_find_definitions, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_list_references, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (_highlight, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_list_outline, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (_list_actions, None),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_list_tokens, _LEGEND),
}
