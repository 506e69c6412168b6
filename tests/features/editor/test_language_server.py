"""`ptxscope lsp`, in a process, asked by pygls' client; and its answers about a text."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

import pytest
import pytest_asyncio
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from ptxscope import evaluate
from ptxscope.cli import main
from ptxscope.features.check.check_settings import CheckSettings
from ptxscope.features.editor.source_answers import SourceText
from tests.reference_data import DATA
from tests.tiers import ci_only

VIDEO = DATA / "video.cu"
LISTING = """\
.version 8.0
.target sm_75
.reg .b32 %r<9>;
AGAIN:
vadd.u32.s32.s32.sat %r4.b0, %r5, %r6, %r3;
bra AGAIN;
"""


class Editor:
    """A client that keeps the newest diagnostics of every text."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.published: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.changed = asyncio.Event()
        client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda x: self.publish(x))

    def publish(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.published[params.uri] = params
        self.changed.set()

    async def wait(self, uri: str, version: int) -> list[lsp.Diagnostic]:
        """Return the diagnostics of a version of a text."""
        while uri not in self.published or self.published[uri].version != version:
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 60)
        return [*self.published[uri].diagnostics]

    async def open(self, uri: str, text: str) -> list[lsp.Diagnostic]:
        item = lsp.TextDocumentItem(uri, "ptx", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.wait(uri, 1)

    def change(self, uri: str, version: int, text: str) -> None:
        identifier = lsp.VersionedTextDocumentIdentifier(version=version, uri=uri)
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, changes))

    def close(self, uri: str) -> None:
        identifier = lsp.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))
        self.published.pop(uri, None)

    async def hover(self, uri: str, line: int, character: int) -> str:
        position = lsp.Position(line, character)
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), position)
        answer = await self.client.text_document_hover_async(params)
        return answer.contents.value if answer else ""  # type: ignore[union-attr]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running_editor() -> AsyncIterator[Editor]:
    """One server for the tests of texts that are closed after each."""
    client = LanguageClient("test", "1")
    editor = Editor(client)
    await client.start_io(sys.executable, "-m", "ptxscope", "lsp")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    yield editor
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]


@pytest_asyncio.fixture(loop_scope="module")
async def editor(running_editor: Editor) -> AsyncIterator[Editor]:
    yield running_editor
    for uri, params in [*running_editor.published.items()]:
        if params.version is not None:  # it has none once it is closed
            running_editor.close(uri)


shares_a_server = pytest.mark.asyncio(loop_scope="module")


@shares_a_server
async def test_an_editor_gets_diagnostics_descriptions_and_a_replacement(editor: Editor) -> None:
    uri, text = "file:///video.cu", VIDEO.read_text(encoding="utf-8")
    diagnostics = await editor.open(uri, text)
    assert {"E3", "E6"} <= {x.code for x in diagnostics}
    diagnostic = next(x for x in diagnostics if x.code == "E3")
    lines = text.split("\n")
    line = diagnostic.range.start.line
    assert lines[line][diagnostic.range.start.character :].startswith("vadd.u32.s32.s32.sat")
    assert "E3" in await editor.hover(uri, line, diagnostic.range.start.character)
    params = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(uri), diagnostic.range, lsp.CodeActionContext([diagnostic])
    )
    (action,) = await editor.client.text_document_code_action_async(params) or []
    assert isinstance(action, lsp.CodeAction)
    assert action.edit
    assert action.edit.changes
    (edit,) = action.edit.changes[uri]
    span = edit.range.start.character, edit.range.end.character
    lines[line] = lines[line][: span[0]] + edit.new_text + lines[line][span[1] :]
    editor.change(uri, 2, "\n".join(lines))
    fixed = await editor.wait(uri, 2)
    assert line not in [x.range.start.line for x in fixed]
    assert len(fixed) < len(diagnostics)


@shares_a_server
async def test_an_editor_finds_and_renames_a_register(editor: Editor) -> None:
    uri = "file:///a.ptx"
    await editor.open(uri, LISTING)
    document, here = lsp.TextDocumentIdentifier(uri), lsp.Position(4, 22)
    context = lsp.ReferenceContext(include_declaration=True)
    client = editor.client
    found = await client.text_document_references_async(
        lsp.ReferenceParams(context, document, here)
    )
    assert [(x.range.start.line, x.range.start.character) for x in found or []] == [
        (2, 10),
        (4, 21),
    ]
    marks = await client.text_document_document_highlight_async(
        lsp.DocumentHighlightParams(document, here)
    )
    kinds = lsp.DocumentHighlightKind
    assert [x.kind for x in marks or []] == [kinds.Text, kinds.Write]
    answer = await client.text_document_rename_async(lsp.RenameParams(document, here, "sum"))
    assert answer
    assert answer.changes
    edits = [(x.range.start.line, x.new_text) for x in answer.changes[uri]]
    assert edits == [(2, ", sum"), (4, "sum")]
    with pytest.raises(JsonRpcException, match="`AGAIN` is already a name here"):
        await client.text_document_rename_async(lsp.RenameParams(document, here, "AGAIN"))
    params = lsp.DocumentSymbolParams(document)
    outline = await client.text_document_document_symbol_async(params)
    assert [x.name for x in outline or []] == ["AGAIN"]


@shares_a_server
async def test_no_partial_text_ends_the_server(editor: Editor) -> None:
    uri = "file:///a.ptx"
    await editor.open(uri, "")
    for version in range(2, len(LISTING) + 2):
        editor.change(uri, version, LISTING[: version - 1])
        if version % 16 == 0:
            await editor.hover(uri, 4, 3)
            await editor.hover(uri, 10**6, 10**6)
    assert [x.code for x in await editor.wait(uri, len(LISTING) + 1)] == ["E3"]
    editor.change(uri, 900, LISTING)  # the same text
    assert [x.code for x in await editor.wait(uri, 900)] == ["E3"]
    editor.change(uri, 3, "😀" + LISTING)  # an earlier version, later
    editor.change(uri, 999, "/* 😀\x0c\u2028 */ vadd4.s32.s32.s32.sta %r1, %r2, %r3, %r4;")
    (diagnostic,) = [x for x in await editor.wait(uri, 999) if x.code == "illegal"]
    assert diagnostic.range.start == lsp.Position(
        0, len("/* 😀\x0c\u2028 */ vadd4.s32.s32.s32") + 1
    )


@ci_only
@shares_a_server
async def test_the_server_survives_a_cancelled_request_and_a_large_file(editor: Editor) -> None:
    large = LISTING.replace("AGAIN", "A") * 20_000
    item = lsp.TextDocumentItem("file:///large.ptx", "ptx", 1, large)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    request = asyncio.ensure_future(editor.hover("file:///large.ptx", 4, 3))
    await asyncio.sleep(0)
    request.cancel()
    assert [x.code for x in await editor.open("file:///small.ptx", LISTING)] == ["E3"]


def _frame(method: str, number: int | None = None, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    text = json.dumps(message if number is None else message | {"id": number}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


_INITIALIZE = _frame("initialize", 0, capabilities={})


@ci_only
@pytest.mark.parametrize("size", [0, 10_000_000])
async def test_the_server_ends_when_its_client_dies(size: int) -> None:
    """Within a second where nothing else runs; a check of the large file takes twenty."""
    words = (sys.executable, "-m", "ptxscope", "lsp")
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        *words, stdin=pipe, stdout=asyncio.subprocess.DEVNULL
    )
    assert server.stdin
    text = VIDEO.read_text(encoding="utf-8")
    item = {"uri": "file:///a.cu", "languageId": "cuda", "version": 1, "text": text}
    item["text"] = text * (size // len(text))
    server.stdin.write(_INITIALIZE + _frame("textDocument/didOpen", textDocument=item))
    await server.stdin.drain()
    await asyncio.sleep(2)
    server.stdin.write(b"Content-Length: 100\r\n\r\n{")
    server.stdin.close()
    start = monotonic()
    await asyncio.wait_for(server.wait(), 60)
    assert monotonic() - start < 5


async def test_the_server_ends_without_a_word_when_it_is_told() -> None:
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ptxscope", "lsp", stdin=pipe, stdout=pipe, stderr=pipe
    )
    messages = _INITIALIZE + _frame("shutdown", 1) + _frame("exit")
    _, errors = await asyncio.wait_for(server.communicate(messages), 60)
    assert (server.returncode, errors) == (0, b"")


@ci_only
@pytest.mark.skipif(shutil.which("nvim") is None, reason="no Neovim here")
def test_neovim_shows_a_diagnostic_describes_a_line_and_applies_a_fix(tmp_path: Path) -> None:
    script = tmp_path / "session.lua"
    script.write_text(
        f"""
vim.cmd("edit {VIDEO}")
local client = vim.lsp.start_client({{
  name = "ptxscope", cmd = {{"{sys.executable}", "-m", "ptxscope", "lsp"}}, root_dir = "/",
}})
vim.lsp.buf_attach_client(0, client)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end)
local diagnostic = vim.diagnostic.get(0)[1]
vim.api.nvim_win_set_cursor(0, {{diagnostic.lnum + 1, diagnostic.col}})
local function ask(method, params)
  return vim.lsp.buf_request_sync(0, method, params, 60000)[client].result
end
local position = vim.lsp.util.make_position_params()
local hover = ask("textDocument/hover", position).contents.value
local params = vim.lsp.util.make_range_params()
params.context = {{diagnostics = {{}}}}
local action = ask("textDocument/codeAction", params)[1]
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
local line = vim.api.nvim_buf_get_lines(0, diagnostic.lnum, diagnostic.lnum + 1, true)[1]
io.stdout:write(vim.json.encode({{diagnostic.message, hover, line}}))
vim.cmd("qall!")
""",
        encoding="utf-8",
    )
    words = ("nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}")
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=120, check=True)
    message, about, line = json.loads(done.stdout)
    assert message.startswith("E3: ")
    assert "#### 4. saturate" in about
    assert line.strip().startswith('asm("{ .reg .b64 t<5>;')


@shares_a_server
async def test_the_server_applies_the_macros_of_the_settings(
    editor: Editor, tmp_path: Path
) -> None:
    bad = 'asm("vadd4.u32.u32 %0, %1, %1, %1;" : "=r"(d) : "r"(a));'
    text = f'# 9000 "other.h"\n#if N == 1\n{bad}\n#else\n{bad}\n#endif\n'
    uri = (tmp_path / "a.cu").as_uri()
    for settings, lines in (("", [2, 4]), ('[check]\ndefine = ["N=1"]', [2])):
        (tmp_path / "ptxscope.toml").write_text(settings, encoding="utf-8")
        found = await editor.open(uri, text)
        assert [x.range.start.line for x in found] == lines
        editor.close(uri)
    (tmp_path / "ptxscope.toml").write_text(
        '[check]\nforce-exclude = true\nexclude = ["*.cu"]', encoding="utf-8"
    )
    assert await editor.open(uri, text) == []


def test_every_instruction_of_a_listing_is_described() -> None:
    text = (VIDEO.parent / "video.ptx").read_text(encoding="utf-8")
    source = SourceText(text, "video.ptx")
    items = [*source.check(CheckSettings())]
    assert len(items) == 37
    starts = [0, *(i + 1 for i, x in enumerate(text) if x == "\n")]
    for item in items:
        about = source.describe(starts[item.location.line - 1] + item.location.column - 1)
        assert f"{item.ptx.partition('.')[0]}: " in about


def test_the_sequences_of_a_listing_are_those_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = VIDEO.parent / "intrinsics.ptx"
    source = SourceText(path.read_text(encoding="utf-8"), "intrinsics.ptx")
    found = [(x.location.line, x.ptx) for x in source.check_sequences(CheckSettings())]
    assert main(["check", str(path), "-f", "json"]) == 0
    items = json.loads(capsys.readouterr().out)
    assert found == [(x["line"], x["ptx"]) for x in items if "sequence" in x]
    assert len(found) > 50
    assert not [*source.check_sequences(CheckSettings(ignored_rules=frozenset(["sequence"])))]


def test_positions_after_the_end_of_a_text_have_no_edits() -> None:
    source = SourceText(LISTING, "a.ptx")
    items = list(source.check(CheckSettings()))
    for lines in (range(900, 901), range(900, 5), range(1, 900)):
        assert len([*source.list_edits(items, lines)]) == (lines == range(1, 900))


def test_a_description_has_lanes_that_are_evaluated() -> None:
    source = SourceText(LISTING, "a.ptx")
    about = source.describe(LISTING.index("vadd"))
    bits = {x: int(about.partition(f"`%{x}` | `")[2][:10], 0) for x in ("r5", "r6", "r3")}
    values = {f"%{name}": value for name, value in bits.items()}
    result = evaluate("vadd.u32.s32.s32.sat %r4.b0, %r5, %r6, %r3", values)["%r4"]
    assert f"`%r4` = `{result:#010x}`" in about
    assert "#### Operand b" in source.describe(LISTING.index("%r6"))
    assert source.describe(0) == ""
    wrong = LISTING.replace(".sat", ".sta")
    assert "vadd.dtype.atype.btype" in SourceText(wrong, "a.ptx").describe(wrong.index(".sta"))
    macro = '#define ADD(x, op) asm(op ".u32.u32.u32 %0, %1, %1, %1;" : "=r"(x) : "r"(x))'
    call = f'{macro}\nADD(a, "vadd4");'
    assert "vadd4: add" in SourceText(call, "a.cu").describe(call.index('"vadd4'))
    link = source.describe(LISTING.index("vadd"), "https://example.org/try/")
    assert "](<https://example.org/try/#vadd.u32.s32.s32.sat+" in link


@pytest.mark.parametrize(
    ("typed", "contained", "absent"),
    [
        ("vadd4.s32.s32.s32.", {"sat", "add"}, {"u32", "min"}),
        ("@%p vse", {"vset", "vset2", "vset4"}, {"vadd"}),
        ('asm("vmin2.', {"s32", "u32"}, {"max"}),
        ("add.s32 %r1, %r2, %r3; vshl.u32.u32.u32.", {"clamp", "wrap"}, {"shr7"}),
        ('asm("mov.u32 %0, 1;\\n\\tvmi', {"vmin", "vmin2", "vmin4"}, {"vmax"}),
        ('asm("vadd.s32.s32.s32 %0, %[a].', {"b0", "h1"}, {"s32"}),
        ("dp2a.", {"lo", "hi"}, {"u32"}),
        ("mul.lo.", {"u32"}, {"hi", "wide"}),
    ],
)
def test_completions_are_legal_continuations(
    typed: str, contained: set[str], absent: set[str]
) -> None:
    completions, (start, end) = SourceText(f"\n{typed}", "a.cu").complete(len(typed) + 1)
    words = {x.text for x in completions}
    assert contained <= words
    assert not absent & words
    assert all(x.startswith(f"\n{typed}"[start:end]) for x in words)


def test_a_likely_word_is_offered_instead_of_an_unknown_one() -> None:
    asm = '  asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));'
    for name, right, line in (("a.ptx", LISTING, 5), ("a.cu", f"int d;\n{asm}\n", 2)):
        text = right.replace(".sat", ".sta")
        source = SourceText(text, name)
        (edit,) = source.list_edits(list(source.check(CheckSettings())), range(line, line + 1))
        start, end = edit.span
        assert text[:start] + edit.text + text[end:] == right


def test_tokens_cover_the_ptx_of_a_source_in_order() -> None:
    text = VIDEO.read_text(encoding="utf-8")
    tokens = SourceText(text, "video.cu").list_tokens()
    assert tokens == sorted(tokens)
    words = [(text[slice(*x.span)], x.kind) for x in tokens]
    assert ("vabsdiff4", "function") in words
    assert (".add", "modifier") in words
    assert ("%0", "variable") in words


def test_a_server_without_its_packages_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "ptxscope.features.editor.language_server", raising=False)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 2
    assert "[editor]" in capsys.readouterr().err
