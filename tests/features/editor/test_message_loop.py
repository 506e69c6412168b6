"""Messages to `ptxscope lsp` that no editor should send, and its ends."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.tiers import ci_only, some

HOVER = "textDocument/hover"
URI = "file:///nonexistent/a.ptx"
START = {"line": 0, "character": 0}
DOCUMENT = {"textDocument": {"uri": URI}}
AT_START = DOCUMENT | {"position": START}
CHANGE = {
    "textDocument": {"uri": URI, "version": 3},
    "contentChanges": [{"text": "abs.s32 d, a;"}],
}


def write_message(method: str | None = None, number: object = None, **fields: Any) -> bytes:
    """Return a message; the field `params` is its parameters."""
    message = {"jsonrpc": "2.0", "method": method, "id": number} | fields
    return write_frame(json.dumps({x: y for x, y in message.items() if y is not None}).encode())


def write_frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Server:
    """The server in a process, and what it writes."""

    def __init__(self) -> None:
        words = (sys.executable, "-m", "ptxscope", "lsp")
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)

    def send(self, *messages: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(messages))
        self.process.stdin.flush()

    def initialize(self, process_id: int | None = None) -> None:
        params: dict[str, Any] = {"capabilities": {}, "processId": process_id}
        self.send(write_message("initialize", 0, params=params))
        assert "capabilities" in self.read()["result"]

    def read(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.startswith(b"Content-Length"):
                length = int(line.split()[1])
        assert length, self.wait()
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def ask(self, method: str, **fields: Any) -> dict[str, Any]:
        """Return the reply to a request; the server writes nothing before it."""
        self.send(write_message(method, 7, **fields))
        reply = self.read()
        assert reply["id"] == 7
        return reply

    def wait(self) -> tuple[int, bytes]:
        """Return the exit status, and what the server wrote on standard error."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@contextmanager
def start_server(*, initialized: bool = True) -> Iterator[Server]:
    server = Server()
    try:
        if initialized:
            server.initialize()
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def test_every_wrong_request_has_an_error_as_its_reply_and_the_server_goes_on() -> None:
    with start_server(initialized=False) as server:
        assert server.ask(HOVER, params=AT_START)["error"]["code"] == -32002  # not initialised
        server.send(write_message("textDocument/didChange", params=CHANGE))
        server.initialize()
        for params in ({}, [1], 5, None, DOCUMENT, AT_START | {"position": {"line": "x"}}):
            assert server.ask(HOVER, params=params)["error"]["code"] == -32602
        assert server.ask("initialize", params={"capabilities": {}})["error"]["code"] == -32600
        assert server.ask("unknown/method", params={})["error"]["code"] == -32601
        for body, code in (
            (b"{", -32700), (b"\xff", -32700), (b"[" * 100_000, -32700), (b"9" * 5000, -32700),
            (b"[]", -32600), (b"5", -32600), (b"{}", -32600), (b'{"jsonrpc": "1.0"}', -32600),
            (b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
        ):  # fmt: skip
            server.send(b"\r\n", b"Some-Header: 1\r\n", write_frame(body))
            reply = server.read()
            assert (reply["id"], reply["error"]["code"]) == (None, code)
        # a notification and a reply have none
        server.send(write_message("textDocument/didOpen", params={}), write_message(number=3))
        assert server.ask("shutdown")["result"] is None
        assert server.ask(HOVER, params=AT_START)["error"]["code"] == -32600
        server.send(write_message("exit"))
        assert server.wait() == (0, b"")


def test_a_text_that_the_server_cannot_read_has_no_answers() -> None:
    with start_server() as server:
        for uri in (URI, "file:///", "untitled:1", "file:///a%00.ptx", f"file://{sys.executable}"):
            document = {"textDocument": {"uri": uri}}
            for method in (HOVER, "textDocument/completion", "textDocument/definition"):
                assert server.ask(method, params=document | {"position": START})["result"] is None
            assert server.ask("textDocument/semanticTokens/full", params=document)["result"] is None
        server.send(
            write_message("textDocument/didChange", params=CHANGE),
            write_message("textDocument/didSave", params=DOCUMENT),
        )
        assert server.ask(HOVER, params=AT_START)["result"] is None
        server.send(write_message("textDocument/didClose", params=DOCUMENT))
        assert server.read()["params"] == {"uri": URI, "diagnostics": []}
        server.send(write_message("exit"))
        assert server.wait() == (1, b"")  # no shutdown before it


def test_a_lone_surrogate_in_a_text_is_a_character() -> None:
    text = "// \ud800\n/* \ud800 */ abs.s32 %d, %a;"
    item = {"uri": URI, "languageId": "ptx", "version": 1, "text": text}
    with start_server() as server:
        server.send(write_message("textDocument/didOpen", params={"textDocument": item}))
        while server.read().get("method") != "textDocument/publishDiagnostics":
            pass
        position = {"line": 1, "character": text.splitlines()[1].index("abs")}
        server.send(write_message(HOVER, 8, params=DOCUMENT | {"position": position}))
        while (reply := server.read()).get("id") != 8:
            pass
        assert "abs: " in reply["result"]["contents"]["value"]


@pytest.mark.parametrize("digits", some([b"9" * 20, b"9" * 5000]))
def test_a_message_that_no_memory_holds_ends_the_server_with_one_line(digits: bytes) -> None:
    with start_server() as server:
        server.send(b"Content-Length: " + digits + b"\r\n\r\n{}")
        status, errors = server.wait()
        assert status == 2
        assert errors.startswith(b"error: a message of 99,999")
        assert errors.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="no signals, and no processes to look at")
def test_ctrl_c_ends_the_server_at_once() -> None:
    with start_server() as server:
        start = monotonic()
        server.process.send_signal(signal.SIGINT)
        server.process.wait(10)
        assert monotonic() - start < 2
        assert server.wait() == (130, b"")


@ci_only
def test_ctrl_c_twice_at_a_terminal_ends_the_server_without_a_word(tmp_path: Path) -> None:
    pseudo_terminal = pytest.importorskip("tests.driving.pseudo_terminal")
    with pseudo_terminal.Explorer(tmp_path, words=("lsp",)) as terminal:
        time.sleep(3)  # it is waiting for a line by then
        terminal.type(b"\x03\x03")
        assert terminal.process.wait(10) == 130
        assert terminal.read(1).replace(b"^C", b"").strip() == b""


@ci_only
@pytest.mark.skipif(os.name != "posix", reason="no processes to look at")
def test_the_server_ends_within_a_second_of_the_editors_process() -> None:
    with start_server(initialized=False) as server:
        with subprocess.Popen(["/bin/sleep", "600"]) as editor:
            server.initialize(editor.pid)
            editor.kill()
        start = monotonic()
        assert server.wait() == (0, b"")
        assert monotonic() - start < 4  # a quarter of a second, and the end of a Python process
    with start_server(initialized=False) as server:
        server.initialize(editor.pid)  # of another machine, perhaps: it never ran here
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(1.2)


@ci_only
def test_no_parameters_end_the_server() -> None:
    draw = random.Random(51)
    values: list[object] = [
        *(-1, 0, 2**31, 2**63, 2**70, 1.5, 1e999, True, "", "\0", "a.ptx", URI, "\ud800", [], {}),
    ]  # fmt: skip
    notifications = [
        *("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"),
        *("$/cancelRequest", "$/setTrace", "workspace/didChangeWorkspaceFolders"),
    ]
    requests = [
        *(HOVER, "textDocument/completion", "textDocument/codeAction"),
        "textDocument/semanticTokens/full",
    ]

    def draw_params(template: object) -> object:
        if draw.random() < 0.15:
            return draw.choice(values)
        if isinstance(template, dict):
            return {x: draw_params(y) for x, y in template.items() if draw.random() > 0.05}
        if isinstance(template, list):
            return [draw_params(x) for x in template]
        return template

    item = {"uri": "file:///b.ptx", "languageId": "ptx", "version": 1, "text": "abs.s32 %d, %a;"}
    everything = {
        "textDocument": item,
        "position": START,
        "range": {"start": START, "end": {"line": 3, "character": 9}},
        "context": {"diagnostics": []},
        "contentChanges": [{"text": "neg.s32 %d, %a;"}],
        "event": {"added": [{"uri": URI, "name": "x"}], "removed": []},
        "id": 7,
        "value": "off",
    }
    with start_server() as server:
        for number in range(1000):
            notification, request = draw.choice(notifications), draw.choice(requests)
            server.send(
                write_message(notification, params=draw_params(everything)),
                write_message(request, 100 + number, params=draw_params(everything)),
            )
            while (reply := server.read()).get("id") != 100 + number:
                assert reply.get("method") != "window/showMessage", reply
            assert reply.get("error", {}).get("code") != -32603, reply
        assert server.process.poll() is None
        server.send(write_message("exit"))
        assert server.wait() == (1, b"")
